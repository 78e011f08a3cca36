//! Reruns the measurements of the papers, and reports them beside the published figures.
//!
//! A paper is a module: it measures into a [`frame::record::Record`], and writes its section of the report from a
//! record. The frame gives the rest: sweeps that can be interrupted, statistics, plots, the report.

mod frame;
mod key;
mod pareas;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use frame::record::Record;
use frame::report::Section;
use frame::sweep::Sweep;

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
enum Machine {
    /// All cores, and one.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// Both.
    All,
}

#[derive(Args, Clone)]
struct Options {
    /// Smaller trees and fewer runs: minutes on two cores
    #[arg(long)]
    quick: bool,

    /// The machine to measure
    #[arg(long, value_enum, default_value_t = Machine::Cpu)]
    backend: Machine,

    /// Where data, plots and report.html go
    #[arg(long, default_value = "papers-repro-out")]
    out: PathBuf,

    /// Runs of each measurement, 31 as in the thesis, or 5 with --quick; five of what takes long
    #[arg(long)]
    runs: Option<usize>,

    /// Seed of all generated trees
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The largest tree, in nodes [default: 10000000, or 1000000 with --quick]
    #[arg(long)]
    nodes: Option<usize>,
}

impl Options {
    fn runs(&self) -> usize {
        self.runs.unwrap_or(if self.quick { 5 } else { 31 }).max(1)
    }

    fn nodes(&self) -> usize {
        self.nodes.unwrap_or(if self.quick { 1_000_000 } else { 10_000_000 })
    }
}

/// A paper: how it is measured, and how its record reads.
struct Paper {
    name: &'static str,
    measure: fn(&mut Sweep) -> Result<(), String>,
    section: fn(&Record) -> Section,
}

const PAPERS: [Paper; 2] = [
    Paper { name: "key", measure: key::measure, section: key::report::section },
    Paper { name: "pareas", measure: pareas::measure, section: pareas::report::section },
];

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Key(options) => run(&options, &["key"]),
        Command::Pareas(options) => run(&options, &["pareas"]),
        Command::All(options) => run(&options, &["key", "pareas"]),
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

fn run(options: &Options, names: &[&str]) -> Result<(), String> {
    match options.backend {
        Machine::Cpu => {}
        Machine::Cuda => return Err("no CUDA backend is built in: measure the CPU with `--backend cpu`".into()),
        Machine::All => eprintln!("papers-repro: no CUDA backend is built in; the CPU alone is measured"),
    }
    std::fs::create_dir_all(&options.out)
        .map_err(|error| format!("cannot make the folder `{}`: {error}", options.out.display()))?;
    for paper in PAPERS.iter().filter(|paper| names.contains(&paper.name)) {
        let mut sweep = Sweep::new(paper.name, options);
        let measured = (paper.measure)(&mut sweep);
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
fn report(out: &std::path::Path) -> Result<(), String> {
    let mut sections = Vec::new();
    for paper in &PAPERS {
        if let Some(record) = Record::read(out, paper.name)? {
            sections.push((paper.section)(&record));
        }
    }
    if sections.is_empty() {
        return Err(format!("`{}` holds no records", out.display()));
    }
    frame::report::write(out, &sections)?;
    println!("{}", out.join("report.html").display());
    Ok(())
}
