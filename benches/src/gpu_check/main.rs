//! The program `gpu-check`. It needs a GPU driver and no toolkit. The checks are in `benches::gpu_check`.

use std::path::PathBuf;
use std::process::ExitCode;

use benches::gpu_check::record::PartName;
use benches::gpu_check::run::{Extent, Options, Run};
use benches::host;
use clap::{Parser, ValueEnum};
use treepar::Cpu;
use treepar::backend::gpu::Cuda;

/// Check that a GPU computes the same results as the CPU, and measure its speed
///
/// Runs the laws of treepar, compiles the examples of refc and generated programs, and times every primitive and every
/// pass on the GPU and on the CPU. Every result is compared.
///
/// A full check takes at most nine minutes, --quick at most two. Checks that do not fit are reported as skipped. Tables
/// go to standard output; the record goes to the --output folder as JSON. Ctrl-C keeps the results so far.
#[derive(Parser)]
#[command(
    version,
    after_help = "Exit status: 0 if the verdict is `ok`; 1 if it is `FAILED` or `INCOMPLETE`, or there is no device; \
                  2 for a wrong command line; 130 if interrupted."
)]
struct Args {
    /// The backend to check; `cpu` compares two threads with one
    #[arg(long, value_enum, default_value_t = BackendName::Cuda)]
    backend: BackendName,

    /// Use fewer cases and smaller inputs: at most two minutes
    #[arg(long)]
    quick: bool,

    /// Use a few cases and the smallest inputs, for a stand-in for a GPU: minutes, and no measurement
    #[arg(long, conflicts_with = "quick")]
    rehearse: bool,

    /// Run only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS", default_values_t = PartName::value_variants())]
    only: Vec<PartName>,

    /// The maximum number of rows in a law's case [default: 100003, or 2049 with --rehearse]
    #[arg(long, value_name = "ROWS")]
    longest: Option<usize>,

    /// The time limit in seconds [default: 525, 110 with --quick, or 3600 with --rehearse]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// The folder for the record, `DATE-COMMIT-gpu-check.json`, and its tables, `DATE-COMMIT-gpu-check.txt`
    #[arg(long, default_value = ".", value_name = "DIR")]
    output: PathBuf,

    /// The commit to record [default: the commit of the build or of the current folder]
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
}

/// The backend to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BackendName {
    /// An NVIDIA GPU.
    Cuda,
    /// The CPU: two threads compared with one.
    Cpu,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let (extent, seconds) = match (args.rehearse, args.quick) {
        (true, _) => (Extent::Rehearsal, 3600),
        (false, true) => (Extent::Quick, 110),
        (false, false) => (Extent::Full, 525),
    };
    let options = Options {
        commit: args.commit.unwrap_or_else(host::commit),
        extent,
        parts: args.only,
        longest: args.longest,
        limit_seconds: args.limit.unwrap_or(seconds),
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

/// Checks a backend against the CPU. Returns `true` if the verdict is `ok`.
fn check(name: BackendName, options: Options) -> Result<bool, String> {
    // The main thread is one of the CPU backend's threads, as in `refc`.
    let cpu = match name {
        BackendName::Cuda => Cpu::new(),
        BackendName::Cpu => Cpu::with_threads(2),
    };
    cpu.adopt_current_thread();
    match name {
        BackendName::Cuda => {
            let no_device = |error| format!("there is no CUDA device to check: {error}");
            let cuda = Cuda::new().map_err(no_device)?;
            Run::start("cuda", &cuda, options)?.check(&cuda, &cpu)
        }
        BackendName::Cpu => Run::start("cpu", &cpu, options)?.check(&cpu, &Cpu::with_threads(1)),
    }
}
