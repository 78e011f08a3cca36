//! Compares whole applications with sequential code, on the same generated inputs.
//!
//! In each round the sequential version, treepar on one thread and treepar on all threads run once. Ratios are formed within a
//! round, and their medians count. Results are compared before anything is measured.

use std::process::ExitCode;

use benches::applications::report::{csv, table, targets};
use benches::applications::rows::{Backends, measure};
use benches::applications::{Application, applications};
use benches::failure::exit_code;
use benches::record::Options;
use benches::sizes::size;
use clap::{Parser, ValueEnum};
use refcompiler_programs::Rng;
use treepar::Cpu;

/// Compare the speed of whole applications with sequential code
#[derive(Parser)]
struct Args {
    /// Numbers of nodes
    #[arg(long, value_delimiter = ',', value_parser = |text: &str| size(text, 1e8), default_values = ["1e4", "1e5", "1e6", "1e7"])]
    sizes: Vec<usize>,

    /// Number of rounds; each version runs once per round
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Measure only applications whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,

    /// Threads of the last version [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Use sizes 1e4 and 1e5 and three rounds
    #[arg(long, conflicts_with_all = ["sizes", "runs"])]
    quick: bool,

    /// Run only one version of each application, once, and print nothing: for profilers
    #[arg(long, value_name = "VERSION", conflicts_with = "record")]
    once: Option<Version>,

    #[command(flatten)]
    record: Options,
}

/// A version of an application.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Version {
    /// Without treepar
    Sequential,
    /// With treepar, on one thread unless `--threads` says otherwise
    Treepar,
}

fn main() -> ExitCode {
    let mut args = Args::parse();
    if args.quick {
        (args.sizes, args.runs) = (vec![10_000, 100_000], 3);
    }
    exit_code("applications", run(&args))
}

fn run(args: &Args) -> Result<(), String> {
    let wanted: Vec<Application<Cpu>> =
        applications().into_iter().filter(|application| application.name.contains(&args.filter)).collect();
    if let Some(version) = args.once {
        return once(args, version, &wanted);
    }
    let mut observer = args.record.observe("applications")?;
    let all = args.threads.map_or_else(Cpu::new, Cpu::with_threads);
    all.adopt_current_thread();
    let backends = Backends { one: Cpu::with_threads(1), all };
    let threads = backends.all.threads();
    let mut rows = Vec::new();
    for &n in &args.sizes {
        for application in &wanted {
            eprintln!("applications: {}, {n} nodes", application.name);
            let input = (application.draw)(n, &mut Rng::new(1));
            rows.extend(measure(application, &backends, &input, args.runs as usize, &mut || observer.calibrate())?);
        }
    }
    println!("{}", table(&rows, threads));
    print!("{}", targets(&rows, threads));
    let properties = [("threads", threads.to_string()), ("runs", args.runs.to_string())];
    args.record.write("applications", &observer, &properties, &csv(&rows))
}

/// Runs one version of each application once.
fn once(args: &Args, version: Version, wanted: &[Application<Cpu>]) -> Result<(), String> {
    let cpu = Cpu::with_threads(args.threads.unwrap_or(1));
    for &n in &args.sizes {
        for application in wanted {
            let input = (application.draw)(n, &mut Rng::new(1));
            match version {
                Version::Sequential => drop((application.plain)(&input)),
                Version::Treepar => drop((application.ours)(&cpu, &input).map_err(|error| error.to_string())?),
            }
        }
    }
    Ok(())
}
