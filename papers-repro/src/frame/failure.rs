//! Why a measurement ended.

use std::fmt::{Display, Formatter};

use refcompiler::pipeline;

/// Why a measurement ended.
#[derive(Debug)]
pub enum Failure {
    /// The machine's memory is used up: what needs less goes on.
    Full(String),
    /// Whatever else, which ends the sweep.
    Other(String),
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Full(text) | Failure::Other(text) => f.write_str(text),
        }
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::Other(text)
    }
}

impl From<treepar::Error> for Failure {
    fn from(error: treepar::Error) -> Failure {
        match error {
            treepar::Error::Machine(ref cause) if cause.is_out_of_memory() => Failure::Full(error.to_string()),
            _ => Failure::Other(error.to_string()),
        }
    }
}

impl From<pipeline::Error> for Failure {
    fn from(error: pipeline::Error) -> Failure {
        match error {
            pipeline::Error::Treepar(error) => error.into(),
            _ => Failure::Other(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use treepar_kernels::machine;

    use super::*;

    #[test]
    fn memory_that_is_used_up_is_told_apart() {
        let full = || treepar::Error::Machine(machine::Error::OutOfMemory { needed: 2, free: 1 });
        assert!(matches!(Failure::from(full()), Failure::Full(text) if text.contains("2 bytes")));
        assert!(matches!(Failure::from(pipeline::Error::Treepar(full())), Failure::Full(_)));
        let other = treepar::Error::Machine(machine::Error::Source("x".into()));
        assert!(matches!(Failure::from(other), Failure::Other(text) if text == "x"));
    }
}
