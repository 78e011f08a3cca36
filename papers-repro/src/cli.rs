//! The command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benches::failure::exit_code;
use clap::{Parser, Subcommand};

use crate::frame::backends::{Backends, Gpu, Timed, open};
use crate::frame::options::{BackendChoice, Options};
use crate::frame::record::Record;
use crate::frame::report::{Section, write};
use crate::frame::sweep::Sweep;
use crate::{key, pareas};

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
    /// Measure both papers
    All(Options),
    /// Write plots and report.html again from existing records
    Report {
        /// The folder with the records
        #[arg(long, default_value = "papers-repro-out")]
        out: PathBuf,
    },
}

/// The short names of the papers.
const PAPERS: [&str; 2] = ["key", "pareas"];

/// Measures a paper.
fn measure<G: Timed>(paper: &str, sweep: &mut Sweep, backends: &Backends<G>) -> Result<(), String> {
    match paper {
        "key" => key::measure(sweep, backends),
        _ => pareas::measure(sweep, backends),
    }
}

/// Returns a paper's section of the report.
fn section(record: &Record) -> Section {
    match record.paper.as_str() {
        "key" => key::report::section(record),
        _ => pareas::report::section(record),
    }
}

/// Parses the command line and runs its command.
pub fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Key(options) => run(&options, &["key"]),
        Command::Pareas(options) => run(&options, &["pareas"]),
        Command::All(options) => run(&options, &PAPERS),
        Command::Report { out } => report(&out),
    };
    exit_code("papers-repro", done)
}

fn run(options: &Options, papers: &[&str]) -> Result<(), String> {
    let gpu = match options.backend {
        BackendChoice::Cpu => None,
        BackendChoice::Cuda => Some(open()?),
        BackendChoice::All => {
            open().inspect_err(|error| eprintln!("papers-repro: measuring only the CPU: {error}")).ok()
        }
    };
    run_on(options, papers, &Backends::<Gpu> { has_cpu: options.backend != BackendChoice::Cuda, gpu })
}

fn run_on<G: Timed>(options: &Options, papers: &[&str], backends: &Backends<G>) -> Result<(), String> {
    std::fs::create_dir_all(&options.out)
        .map_err(|error| format!("cannot create the folder `{}`: {error}", options.out.display()))?;
    for paper in papers {
        let mut sweep = Sweep::new(paper, options, backends.gpu.as_ref().map(Timed::name));
        let measured = measure(paper, &mut sweep, backends);
        // Measurements are kept even if a later one fails.
        let was_interrupted = sweep.finish()?;
        measured?;
        if was_interrupted {
            report(&options.out)?;
            return Err("interrupted; the report contains the finished measurements".into());
        }
    }
    report(&options.out)
}

/// Writes the plots and the report of all records in a folder.
fn report(out: &Path) -> Result<(), String> {
    let mut sections = Vec::new();
    for paper in PAPERS {
        if let Some(record) = Record::read(out, paper)? {
            sections.push(section(&record));
        }
    }
    if sections.is_empty() {
        return Err(format!("no records in `{}`", out.display()));
    }
    write(out, &sections)?;
    println!("{}", out.join("report.html").display());
    Ok(())
}
