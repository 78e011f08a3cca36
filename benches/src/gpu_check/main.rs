//! Checks a GPU: the laws, whole compilations and every primitive against the CPU, with the time that they take.
//!
//! One executable that needs a driver and nothing else. It is built of parts that run one after another:
//!
//! ```text
//! laws        every law of `treepar-laws`, at lengths around the edges of blocks
//! programs    the examples of `refc` and generated programs: words, symbols and calls as on the CPU
//! primitives  every operation at 1e5 to 1e8 rows: its answer, and its time beside a copy of the same bytes
//! passes      `refc` pass by pass, from 100 kB to 50 MB of source
//! ```
//!
//! A part writes what it found into the [`run::Run`], which owns the record, the time that is left, and the end.

mod bisect;
mod laws;
mod parts;
mod passes;
mod primitives;
mod programs;
mod record;
mod report;
mod run;
mod subject;
mod timing;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use record::PartName;
use subject::Name;

/// Check that a GPU computes what the CPU computes, and how fast
///
/// Runs the laws of treepar, compiles the examples of refc and generated programs, and times every primitive and every
/// pass, on the GPU and on the CPU. Every answer is compared.
///
/// The whole takes up to nine minutes, --quick up to two. What there was no time for is told as skipped. A table comes
/// on standard output, and all results as JSON into a folder; Ctrl-C keeps what was found so far.
#[derive(Parser)]
#[command(
    version,
    after_help = "Exit status: 0 all that was checked is right, 1 something is wrong or there is no device, 2 the \
                  command line is wrong, 130 interrupted."
)]
struct Args {
    /// The machine to check; `cpu` checks two threads against one
    #[arg(long, value_enum, default_value_t = Name::Cuda)]
    backend: Name,

    /// Fewer cases and smaller inputs: at most two minutes
    #[arg(long)]
    quick: bool,

    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS", default_values_t = PartName::value_variants())]
    only: Vec<PartName>,

    /// Seconds after which it ends, whatever is left [default: 525, or 110 with --quick]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// The folder for the record, `DATE-gpu-check.json`
    #[arg(long, default_value = ".", value_name = "DIR")]
    output: PathBuf,

    /// The commit to record [default: the one that this was built from, where the build or git tells]
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
}

impl Args {
    fn commit(&self) -> String {
        let built = || option_env!("GIT_COMMIT").map(ToString::to_string);
        self.commit.clone().or_else(built).unwrap_or_else(benches::machine::commit)
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let options = run::Options {
        commit: args.commit(),
        quick: args.quick,
        parts: args.only,
        limit_seconds: args.limit.unwrap_or(if args.quick { 110 } else { 525 }),
        output: args.output,
    };
    match subject::check(args.backend, options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("gpu-check: {error}");
            ExitCode::FAILURE
        }
    }
}
