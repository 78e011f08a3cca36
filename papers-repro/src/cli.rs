//! The command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benches::failure::exit_code;
use clap::{Parser, Subcommand};

use crate::applications;
use crate::claims::front::front;
use crate::frame::backends::{Backends, Gpu, Timed, open};
use crate::frame::options::{BackendChoice, Options};
use crate::frame::record::{DEBUG_BUILD, Record};
use crate::frame::report::write;
use crate::frame::sweep::Sweep;
use crate::papers::{PAPERS, Paper, measure};

/// Rerun the papers' measurements and compare them with the published figures
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the Key paper, section 6: flattening expressions, compared with two recursive forms
    Key(Options),
    /// Measure the Pareas thesis, chapter 5: code generation by source size, function length and tree shape
    Pareas(Options),
    /// Measure the thesis on L0, chapter 10: six programs with and without the optimiser
    L0(Options),
    /// Measure the tutorials on LMS: worked examples, the first query of TPC-H, and a step of SPADE
    Lms(Options),
    /// Measure Vector Pascal's tables: an expression on arrays by optimisation, length and type
    VectorPascal(Options),
    /// Measure all papers
    All(Options),
    /// Write plots and report.html again from existing records
    Report {
        /// The folder with the records
        #[arg(long, default_value = "papers-repro-out")]
        out: PathBuf,
    },
    /// Draw a record of the program `applications`, and print its table
    Applications {
        /// The record: a CSV file. The plot `applications.svg` is written next to it
        record: PathBuf,
    },
}

/// Parses the command line and runs its command.
pub fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Key(options) => run(&options, Some("key")),
        Command::Pareas(options) => run(&options, Some("pareas")),
        Command::L0(options) => run(&options, Some("l0")),
        Command::Lms(options) => run(&options, Some("lms")),
        Command::VectorPascal(options) => run(&options, Some("vector-pascal")),
        Command::All(options) => run(&options, None),
        Command::Report { out } => report(&out),
        Command::Applications { record } => applications::draw(&record).map(|table| print!("{table}")),
    };
    exit_code("papers-repro", done)
}

/// Measures a paper, or all.
fn run(options: &Options, paper: Option<&str>) -> Result<(), String> {
    let papers: Vec<&Paper> = PAPERS.iter().filter(|other| paper.is_none_or(|paper| paper == other.short)).collect();
    let gpu = match options.backend {
        BackendChoice::Cpu => None,
        BackendChoice::Cuda => Some(open()?),
        BackendChoice::All => {
            open().inspect_err(|error| eprintln!("papers-repro: measuring only the CPU: {error}")).ok()
        }
    };
    run_on(options, &papers, &Backends::<Gpu> { has_cpu: options.backend != BackendChoice::Cuda, gpu })
}

fn run_on<G: Timed>(options: &Options, papers: &[&Paper], backends: &Backends<G>) -> Result<(), String> {
    std::fs::create_dir_all(&options.out)
        .map_err(|error| format!("cannot create the folder `{}`: {error}", options.out.display()))?;
    let mut failures = Vec::new();
    for (k, paper) in papers.iter().enumerate() {
        eprintln!("{} of {}: {}", k + 1, papers.len(), paper.name);
        let mut sweep = Sweep::new(paper.short, options, backends.gpu.as_ref().map(Timed::name));
        if cfg!(debug_assertions) && paper.has_own_times() {
            sweep.note_once(DEBUG_BUILD.into());
        }
        let measured = measure(paper, &mut sweep, backends);
        // Measurements are kept even if a later one fails, and the next paper is measured.
        if let Err(error) = measured {
            sweep.fail(&error);
            failures.push(format!("{}: {error}", paper.name));
        }
        if sweep.finish()? {
            report(&options.out)?;
            return Err("interrupted; the report contains the finished measurements, and --resume continues".into());
        }
    }
    failures.extend(report(&options.out).err());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("; ")) }
}

/// Writes the plots and the report of all records in a folder. A damaged record does not hide the others.
fn report(out: &Path) -> Result<(), String> {
    let mut damaged = Vec::new();
    let read = |paper: &Paper| {
        Record::read(out, paper.short).unwrap_or_else(|error| {
            damaged.push(error);
            None
        })
    };
    let records: Vec<Option<Record>> = PAPERS.iter().map(read).collect();
    let found = PAPERS.iter().zip(&records).filter_map(|(paper, record)| Some((paper, record.as_ref()?)));
    let sections: Vec<_> = found.map(|(paper, record)| (paper.section)(record)).collect();
    if !sections.is_empty() {
        write(out, &front(&PAPERS, &records), &sections)?;
        println!("{}", out.join("report.html").display());
    }
    match (sections.is_empty(), damaged.is_empty()) {
        (true, true) => Err(format!("no records in `{}`", out.display())),
        (_, true) => Ok(()),
        _ => Err(damaged.join("; ")),
    }
}
