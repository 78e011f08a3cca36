//! Failures of the tool: messages for its user.

use std::fmt::{Display, Formatter};
use std::path::Path;

use treepar_kernels::machine;

/// A reason, and advice.
#[derive(Debug)]
pub struct Failure(pub String);

/// Advice for a missing compiler.
pub const TOOLS: &str = "run `eval \"$(.ci/cuda-tools)\"`";

/// The most lines of a list that are shown. A mistake in a template fails in all of its kernels.
const SHOWN: usize = 40;

impl Failure {
    /// Returns the failure to read, write or run a file.
    pub fn file(path: impl AsRef<Path>, error: &std::io::Error) -> Failure {
        Failure(format!("{}: {error}", path.as_ref().display()))
    }

    /// Fails if a list has lines. The text comes before and after it.
    pub fn list(before: &str, lines: &[String], after: &str) -> Result<(), Failure> {
        let Some(more) = lines.len().checked_sub(1) else { return Ok(()) };
        let mut text = format!("{before}\n  {}", lines[..lines.len().min(SHOWN)].join("\n  "));
        if more >= SHOWN {
            text.push_str(&format!("\n  and {} more", lines.len() - SHOWN));
        }
        Err(Failure(format!("{text}\n{after}").trim_end().to_string()))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<machine::Error> for Failure {
    fn from(error: machine::Error) -> Failure {
        Failure(error.to_string())
    }
}
