//! Compiles every kernel of the workspace to PTX, and tabulates the registers and memory that each needs.
//!
//! ```text
//! units.rs --C++--> NVRTC --PTX--> normal_ptx.rs --text--> ptxas (assemble.rs) --usage--> table.rs --> spills.rs
//!                                      |                                                     |
//!                              <crate>/ptx/units.bin                              <crate>/ptx/resources.md
//! ```
//!
//! `cargo ptx` updates both files of each crate (make.rs). It compiles only units whose generated text has changed.
//! `cargo ptx --check` compiles all of them and compares. `cargo ptx --check --keys` compares only keys, and needs no
//! compiler. `.ci/cuda-tools` fetches NVRTC and ptxas.

mod assemble;
mod failure;
mod make;
mod normal_ptx;
mod spills;
mod table;
mod units;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use failure::Failure;
use treepar_kernels::machine::Unit as _;

/// Compile every kernel to PTX, and tabulate the registers and memory that each needs
#[derive(Parser)]
#[command(name = "build-ptx", version)]
struct Cli {
    /// Compile everything again, and fail if a committed file differs
    #[arg(long)]
    check: bool,

    /// With --check: compare only the keys of the units, which needs no compiler
    #[arg(long, requires = "check")]
    keys: bool,

    /// List units and entries, with template, functions and their source lines
    #[arg(long, conflicts_with_all = ["check", "print"])]
    list: bool,

    /// Print the CUDA C++ of a unit
    #[arg(long, value_name = "UNIT", conflicts_with = "check")]
    print: Option<String>,

    /// The folder that contains the crates [default: the workspace]
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
    let units = units::all(cli.only.as_deref())?;
    let folder = cli.folder.clone().unwrap_or_else(units::workspace);
    if cli.list {
        return show(&units::listing(&units));
    }
    if let Some(name) = &cli.print {
        let unit = units.iter().find(|unit| unit.name() == name);
        return show(&unit.ok_or_else(|| Failure(format!("no unit is called `{name}`; --list shows all")))?.source()?);
    }
    if cli.keys {
        return make::check_keys(&units, &folder);
    }
    let tools = make::tools(cli.ptxas.as_deref())?;
    if cli.check {
        return make::check(&units, &folder, &tools, cli.only.is_none());
    }
    make::update(&units, &folder, &tools, cli.only.is_none())
}

/// Writes to standard output. A closed pipe is not a failure.
fn show(text: &str) -> Result<(), Failure> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::file("standard output", &error)),
        _ => Ok(()),
    }
}
