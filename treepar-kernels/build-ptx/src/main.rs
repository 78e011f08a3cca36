//! Compiles every kernel that the crates of this workspace register to PTX, and tabulates what each needs.
//!
//! ```text
//! list.rs ──units──> source.rs ──C++──> nvrtc.rs ──PTX──> normal.rs ──text──> assemble.rs ──usage──> resources.rs
//!                        │                                    │                   └──> spills.rs         │
//!                      index                                 text                                      table
//!                        └────────────────> committed.rs <────┴──────────────────────────────────────────┘
//! ```
//!
//! `cargo ptx` makes `treepar-kernels/ptx` anew, `cargo ptx --check` makes it again elsewhere and says what differs;
//! `--check --sources-only` compares sources alone, and needs no compiler. `.ci/cuda-tools` fetches the two compilers
//! that the rest takes.

mod assemble;
mod check;
mod committed;
mod failure;
mod list;
mod make;
mod normal;
mod nvrtc;
mod resources;
mod source;
mod spills;
mod work;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use failure::Failure;
use treepar_kernels::machine::Unit as _;

/// Compile every kernel to PTX, and tabulate what each needs of a GPU
#[derive(Parser)]
#[command(name = "build-ptx", version)]
struct Cli {
    /// Make everything again elsewhere, and fail where the folder differs
    #[arg(long)]
    check: bool,

    /// With --check: compare the kernels' sources with those of the folder, which needs no compiler
    #[arg(long, requires = "check")]
    sources_only: bool,

    /// List units and entries, with template, functions and where these stand
    #[arg(long, conflicts_with_all = ["check", "print"])]
    list: bool,

    /// Print the CUDA C++ of a unit
    #[arg(long, value_name = "UNIT", conflicts_with = "check")]
    print: Option<String>,

    /// The folder to make or check [default: treepar-kernels/ptx]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// Only units whose names match, * for any letters; needs --folder
    #[arg(long, value_name = "PATTERN", requires = "folder")]
    only: Option<String>,

    /// The assembler [default: the variable PTXAS, or ptxas on the path]
    #[arg(long, value_name = "FILE")]
    ptxas: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("build-ptx: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    let units = list::units(cli.only.as_deref())?;
    let folder = cli.folder.clone().unwrap_or_else(committed::folder);
    if cli.list {
        return show(&list::table(&units));
    }
    if let Some(name) = &cli.print {
        let unit = units.iter().find(|unit| unit.name() == name);
        return show(&unit.ok_or_else(|| Failure::NoUnit { name: name.clone() })?.source()?);
    }
    if cli.sources_only {
        return check::by_source(&units, &folder);
    }
    let assembler = assemble::Assembler::find(cli.ptxas.as_deref())?;
    nvrtc::ready()?;
    let stop = work::Stop::on_interrupt()?;
    if cli.check {
        return check::all(&units, &folder, &assembler, &stop);
    }
    make::all(&units, &folder, &assembler, &stop)
}

/// Writes to standard output; a reader that has gone is no failure.
fn show(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::file("standard output", &error)),
        _ => Ok(()),
    }
}
