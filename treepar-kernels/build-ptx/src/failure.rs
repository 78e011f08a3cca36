//! Failures of the tool.

use std::path::Path;

use treepar_kernels::machine;

/// The reason, and advice.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Machine(#[from] machine::Error),
    #[error("NVRTC 12.0 was not found: run `eval \"$(.ci/cuda-tools)\"`")]
    NoNvrtc,
    #[error(
        "NVRTC {found} was found, and {needed} is needed, so that the PTX is the same for everyone and loads on the \
         oldest drivers: run `eval \"$(.ci/cuda-tools)\"`"
    )]
    Nvrtc { found: String, needed: String },
    #[error("the assembler ptxas was not found ({looked}): run `eval \"$(.ci/cuda-tools)\"`")]
    NoPtxas { looked: String },
    #[error("{path} cannot be run: {reason}")]
    Ptxas { path: String, reason: String },
    #[error("`{unit}` does not assemble for {architecture}:\n{log}")]
    Assemble { unit: String, architecture: String, log: String },
    #[error("the report of ptxas on `{unit}` for {architecture} was not understood: {what}")]
    Report { unit: String, architecture: String, what: String },
    #[error("unit `{unit}` should define the entries [{expected}], and its PTX defines [{found}]")]
    Entries { unit: String, expected: String, found: String },
    #[error("unit `{name}` belongs to no crate of units.rs: add the crate there")]
    Owner { name: String },
    #[error("no unit is called `{name}`; --list shows all")]
    NoUnit { name: String },
    #[error("no unit matches the pattern")]
    Nothing,
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
    #[error("{path} is not current:\n{}\nrun `cargo ptx` and commit the folder", first(.differences))]
    Stale { path: String, differences: Vec<String> },
    #[error(
        "spills without a reason in spills.rs (`!` bytes stored/loaded):\n{}\nuse fewer registers, or add a reason there",
        .0.join("\n")
    )]
    Spills(Vec<String>),
    #[error("reasons in spills.rs without a spill: {}", .0.join(", "))]
    Explanations(Vec<String>),
    #[error("interrupted; nothing was changed")]
    Interrupted,
    #[error("{}", several(.0))]
    Several(Vec<Failure>),
    #[error("{0}")]
    System(String),
}

/// The most failures that are shown. A mistake in a template fails in all of its kernels.
const SHOWN: usize = 5;

fn several(failures: &[Failure]) -> String {
    let mut texts: Vec<String> = failures.iter().take(SHOWN).map(ToString::to_string).collect();
    if failures.len() > SHOWN {
        texts.push(format!("and {} more failures", failures.len() - SHOWN));
    }
    texts.join("\n")
}

/// The most differences of a crate that are shown.
const DIFFERENCES: usize = 40;

fn first(differences: &[String]) -> String {
    let mut text = differences[..differences.len().min(DIFFERENCES)].join("\n");
    if differences.len() > DIFFERENCES {
        text.push_str(&format!("\n  and {} more differences", differences.len() - DIFFERENCES));
    }
    text
}

impl Failure {
    /// Returns the failure to read or write a file.
    pub fn file(path: impl AsRef<Path>, error: &std::io::Error) -> Failure {
        Failure::File { path: path.as_ref().display().to_string(), reason: error.to_string() }
    }

    /// Returns all failures as one; `None` if there are none.
    pub fn all(mut failures: Vec<Failure>) -> Option<Failure> {
        if failures.iter().any(|failure| matches!(failure, Failure::Interrupted)) {
            return Some(Failure::Interrupted);
        }
        if failures.len() > 1 { Some(Failure::Several(failures)) } else { failures.pop() }
    }
}
