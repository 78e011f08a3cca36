//! The command line: which paper on which machines, and what is told when it cannot be done.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::frame::machines::{Device, Machines, Timed, open};
use crate::frame::record::Record;
use crate::frame::report::{Section, write};
use crate::frame::sweep::Sweep;
use crate::{key, pareas};

/// Rerun the papers' measurements, and report them beside the published figures
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The Key paper, section 6: flattening by path matrix and Key against two recursive forms
    Key(Options),
    /// The Pareas thesis, chapter 5: code generation by size, function length and shape of the tree
    Pareas(Options),
    /// Both papers
    All(Options),
    /// Write plots and report.html anew from the records in a folder
    Report {
        /// The folder that holds the records
        #[arg(long, default_value = "papers-repro-out")]
        out: PathBuf,
    },
}

/// The machine to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Machine {
    /// The processor: all cores, and one
    Cpu,
    /// An NVIDIA GPU; the forms that the Key paper compares with run on a core as ever
    Cuda,
    /// Both; the processor alone where there is no GPU
    All,
}

/// What is asked for.
#[derive(Args, Clone)]
pub struct Options {
    /// Smaller trees and fewer runs
    #[arg(long)]
    pub quick: bool,

    /// The machine to measure
    #[arg(long, value_enum, default_value_t = Machine::Cpu)]
    pub backend: Machine,

    /// Where data, plots and report.html go
    #[arg(long, default_value = "papers-repro-out")]
    pub out: PathBuf,

    /// Runs of each measurement, 31 as in the thesis, or 5 with --quick; five of what takes long
    #[arg(long)]
    pub runs: Option<usize>,

    /// Seed of all generated trees
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// The largest tree, in nodes [default: 10000000, or 1000000 with --quick]
    #[arg(long)]
    pub nodes: Option<usize>,
}

impl Options {
    /// For tests: one run, of the smallest trees.
    #[cfg(test)]
    pub fn smallest() -> Options {
        let (backend, out) = (Machine::Cpu, PathBuf::new());
        Options { quick: true, backend, out, runs: Some(1), seed: 1, nodes: Some(1) }
    }

    /// Runs of each measurement.
    pub fn runs(&self) -> usize {
        self.runs.unwrap_or(if self.quick { 5 } else { 31 }).max(1)
    }

    /// Nodes of the largest tree.
    pub fn nodes(&self) -> usize {
        self.nodes.unwrap_or(if self.quick { 1_000_000 } else { 10_000_000 })
    }
}

/// The papers by their short names.
const PAPERS: [&str; 2] = ["key", "pareas"];

/// Measures a paper.
fn measure<G: Timed>(paper: &str, sweep: &mut Sweep, machines: &Machines<G>) -> Result<(), String> {
    match paper {
        "key" => key::measure(sweep, machines),
        _ => pareas::measure(sweep, machines),
    }
}

/// A paper's section of the report.
fn section(record: &Record) -> Section {
    match record.paper.as_str() {
        "key" => key::report::section(record),
        _ => pareas::report::section(record),
    }
}

/// Parses the command line and does what it says.
pub fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Key(options) => run(&options, &["key"]),
        Command::Pareas(options) => run(&options, &["pareas"]),
        Command::All(options) => run(&options, &PAPERS),
        Command::Report { out } => report(&out),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("papers-repro: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options, papers: &[&str]) -> Result<(), String> {
    let gpu = match options.backend {
        Machine::Cpu => None,
        Machine::Cuda => Some(open()?),
        Machine::All => open().inspect_err(|error| eprintln!("papers-repro: the CPU alone is measured: {error}")).ok(),
    };
    run_on(options, papers, &Machines::<Device> { has_cpu: options.backend != Machine::Cuda, gpu })
}

fn run_on<G: Timed>(options: &Options, papers: &[&str], machines: &Machines<G>) -> Result<(), String> {
    std::fs::create_dir_all(&options.out)
        .map_err(|error| format!("cannot make the folder `{}`: {error}", options.out.display()))?;
    for paper in papers {
        let mut sweep = Sweep::new(paper, options, machines.gpu.as_ref().map(Timed::name));
        let measured = measure(paper, &mut sweep, machines);
        // What was measured is kept, whatever came after.
        let was_interrupted = sweep.finish()?;
        measured?;
        if was_interrupted {
            report(&options.out)?;
            return Err("interrupted; what was measured is in the report".into());
        }
    }
    report(&options.out)
}

/// Plots and report of all records in a folder.
fn report(out: &Path) -> Result<(), String> {
    let mut sections = Vec::new();
    for paper in PAPERS {
        if let Some(record) = Record::read(out, paper)? {
            sections.push(section(&record));
        }
    }
    if sections.is_empty() {
        return Err(format!("`{}` holds no records", out.display()));
    }
    write(out, &sections)?;
    println!("{}", out.join("report.html").display());
    Ok(())
}
