//! Why the tool ends with exit code 1.

use std::path::Path;

use treepar_kernels::machine;

/// What went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Machine(#[from] machine::Error),
    #[error("NVRTC 12.0 was not found: run .ci/cuda-tools, and export what it prints")]
    NoNvrtc,
    #[error(
        "NVRTC {found} was found, and {needed} is needed, so that the PTX is the same for everyone and loads on the \
         oldest drivers: run .ci/cuda-tools, and export what it prints"
    )]
    Nvrtc { found: String, needed: String },
    #[error("the assembler ptxas was not found ({looked}): run .ci/cuda-tools, and export what it prints")]
    NoPtxas { looked: String },
    #[error("{path} does not run: {reason}")]
    Ptxas { path: String, reason: String },
    #[error("`{unit}` does not assemble for {architecture}:\n{log}")]
    Assemble { unit: String, architecture: String, log: String },
    #[error("what ptxas says of `{unit}` for {architecture} was not understood: {what}")]
    Report { unit: String, architecture: String, what: String },
    #[error("unit `{unit}` should define the entries [{expected}], and its PTX defines [{found}]")]
    Entries { unit: String, expected: String, found: String },
    #[error("two units have the name `{name}`, letter case aside, and different text")]
    Names { name: String },
    #[error("entry `{entry}` is defined by two units: `{one}` and `{other}`")]
    Twice { entry: String, one: String, other: String },
    #[error("no unit is called `{name}`; --list shows all")]
    NoUnit { name: String },
    #[error("no kernel matches, so there is nothing to do")]
    Nothing,
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
    #[error("{path}:{line}: not a row of the index; run `cargo ptx`")]
    Index { path: String, line: usize },
    #[error("{path} is not what `cargo ptx` makes:\n{}\nrun `cargo ptx` and commit the folder", .differences.join("\n"))]
    Stale { path: String, differences: Vec<String> },
    #[error(
        "{path} was made with ptxas {made}, and ptxas {found} cannot tell whether it is current: run .ci/cuda-tools, \
         and export what it prints"
    )]
    Assembler { path: String, made: String, found: String },
    #[error(
        "spills that spills.rs does not explain, bytes stored/loaded:\n{}\nuse fewer registers, or give the reason there",
        .0.join("\n")
    )]
    Spills(Vec<String>),
    #[error("explanations in spills.rs that no spill needs: {}", .0.join(", "))]
    Explanations(Vec<String>),
    #[error("interrupted; nothing was changed")]
    Interrupted,
    #[error("{}", several(.0))]
    Several(Vec<Failure>),
    #[error("{0}")]
    System(String),
}

/// Failures that are shown where there are many: a fault of a template is one of all its kernels.
const SHOWN: usize = 5;

fn several(failures: &[Failure]) -> String {
    let mut texts: Vec<String> = failures.iter().take(SHOWN).map(ToString::to_string).collect();
    if failures.len() > SHOWN {
        texts.push(format!("and {} failures more", failures.len() - SHOWN));
    }
    texts.join("\n")
}

impl Failure {
    /// A file that could not be read or written.
    pub fn file(path: impl AsRef<Path>, error: &std::io::Error) -> Failure {
        Failure::File { path: path.as_ref().display().to_string(), reason: error.to_string() }
    }

    /// All of them as one; `None` where there are none.
    pub fn all(mut failures: Vec<Failure>) -> Option<Failure> {
        if failures.iter().any(|failure| matches!(failure, Failure::Interrupted)) {
            return Some(Failure::Interrupted);
        }
        if failures.len() > 1 { Some(Failure::Several(failures)) } else { failures.pop() }
    }
}
