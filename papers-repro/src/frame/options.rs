//! The options of a measurement.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The backends to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendChoice {
    /// The CPU: all cores, and one thread
    Cpu,
    /// An NVIDIA GPU; the recursive forms of the Key paper still run on the CPU
    Cuda,
    /// Both; only the CPU if there is no GPU
    All,
}

/// The options of a measurement.
#[derive(Args, Clone)]
pub struct Options {
    /// Use smaller inputs, and fewer and shorter runs
    #[arg(long)]
    pub quick: bool,

    /// The backends to measure
    #[arg(long, value_enum, default_value_t = BackendChoice::Cpu)]
    pub backend: BackendChoice,

    /// The folder for records, plots and report.html
    #[arg(long, default_value = "papers-repro-out")]
    pub out: PathBuf,

    /// Keep the finished cases of the records in the folder, if the same command made them at the same commit on the same computer
    #[arg(long)]
    pub resume: bool,

    /// Runs per measurement [default: 31 as in the thesis, or 5 with --quick]; slow measurements stop after 5
    #[arg(long, value_parser = at_least_one)]
    pub runs: Option<usize>,

    /// The seed of all generated programs
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// The maximum number of nodes of a tree [default: 10000000, or 1000000 with --quick]
    #[arg(long, value_parser = at_least_one)]
    pub nodes: Option<usize>,
}

/// Parses a number of at least 1.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("must be at least 1".into()),
        other => other.map_err(|error| error.to_string()),
    }
}

impl Options {
    /// Returns options for tests: one run of the smallest trees.
    #[cfg(test)]
    pub fn smallest() -> Options {
        let (backend, out) = (BackendChoice::Cpu, PathBuf::new());
        Options { quick: true, backend, out, resume: false, runs: Some(1), seed: 1, nodes: Some(1) }
    }

    /// Returns the command that measures a paper with these options, without the folder.
    pub fn command(&self, paper: &str) -> String {
        let mut text = format!("papers-repro {paper}");
        if self.quick {
            text += " --quick";
        }
        match self.backend {
            BackendChoice::Cpu => {}
            BackendChoice::Cuda => text += " --backend cuda",
            BackendChoice::All => text += " --backend all",
        }
        if let Some(runs) = self.runs {
            text += &format!(" --runs {runs}");
        }
        if let Some(nodes) = self.nodes {
            text += &format!(" --nodes {nodes}");
        }
        if self.seed != 1 {
            text += &format!(" --seed {}", self.seed);
        }
        text
    }

    /// Returns the number of runs per measurement.
    pub fn runs(&self) -> usize {
        self.runs.unwrap_or(if self.quick { 5 } else { 31 })
    }

    /// Returns the maximum number of nodes of a tree.
    pub fn nodes(&self) -> usize {
        self.nodes.unwrap_or(if self.quick { 1_000_000 } else { 10_000_000 })
    }
}
