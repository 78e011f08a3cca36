//! Checks a GPU: one executable that needs a driver and nothing else. What it does is in `benches::gpu_check`.

use std::path::PathBuf;
use std::process::ExitCode;

use benches::gpu_check::record::PartName;
use benches::gpu_check::run::{Options, Run};
use benches::machine;
use clap::{Parser, ValueEnum};
use treepar::Cpu;
use treepar::backend::gpu::Cuda;

/// Check that a GPU computes what the CPU computes, and how fast
///
/// Runs the laws of treepar, compiles the examples of refc and generated programs, and times every primitive and every
/// pass, on the GPU and on the CPU. Every answer is compared.
///
/// The whole takes up to nine minutes, --quick up to two; what there was no time for is reported as skipped. Tables go
/// to standard output, the full record as JSON to the folder of --output; Ctrl-C keeps what was found so far.
#[derive(Parser)]
#[command(
    version,
    after_help = "Exit status: 0 all that was checked is right, 1 something is wrong, was not checked, or there is no \
                  device, 2 the command line is wrong, 130 interrupted."
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

    /// Rows of the longest case of a law [default: 100003]
    #[arg(long, value_name = "ROWS")]
    longest: Option<usize>,

    /// Seconds after which it ends, whatever is left [default: 525, or 110 with --quick]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// The folder for the record, `DATE-COMMIT-gpu-check.json`, and the tables beside it, `.txt`
    #[arg(long, default_value = ".", value_name = "DIR")]
    output: PathBuf,

    /// The commit to record [default: the one that this was built from, where the build or git tells]
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
}

/// The machine to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// An NVIDIA GPU.
    Cuda,
    /// The CPU, two threads against one.
    Cpu,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let options = Options {
        commit: args.commit.unwrap_or_else(machine::commit),
        quick: args.quick,
        parts: args.only,
        longest: args.longest,
        limit_seconds: args.limit.unwrap_or(if args.quick { 110 } else { 525 }),
        output: args.output,
    };
    match check(args.backend, options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("gpu-check: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Checks a machine against the CPU: whether all is right, or why it cannot be checked.
fn check(name: Name, options: Options) -> Result<bool, String> {
    // This thread is one of the CPU's, as in `refc`.
    let cpu = match name {
        Name::Cuda => Cpu::new(),
        Name::Cpu => Cpu::with_threads(2),
    };
    cpu.adopt_current_thread();
    match name {
        Name::Cuda => {
            let no_device = |error| format!("there is no CUDA device that this program can use: {error}");
            let cuda = Cuda::new().map_err(no_device)?;
            Run::start("cuda", &cuda, options)?.check(&cuda, &cpu)
        }
        Name::Cpu => Run::start("cpu", &cpu, options)?.check(&cpu, &Cpu::with_threads(1)),
    }
}
