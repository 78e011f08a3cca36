//! Why a measurement or a check could not be done.

use std::fmt::{Display, Formatter};

use refcompiler::pipeline;

/// Why something could not be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Memory is too small for it: what needs less goes on.
    Full(String),
    /// Whatever else.
    Other(String),
}

impl Failure {
    /// With words around its text.
    pub fn told(self, tell: impl FnOnce(String) -> String) -> Failure {
        match self {
            Failure::Full(text) => Failure::Full(tell(text)),
            Failure::Other(text) => Failure::Other(tell(text)),
        }
    }
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
        let text = error.to_string();
        if error.is_out_of_memory() { Failure::Full(text) } else { Failure::Other(text) }
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
    use treepar::{Error, MachineError};

    use super::*;

    #[test]
    fn memory_that_is_used_up_is_told_apart_on_every_machine() {
        let full =
            || [Error::Machine(MachineError::OutOfMemory { needed: 2, free: 1 }), Error::OutOfMemory { bytes: 2 }];
        for error in full() {
            assert!(matches!(Failure::from(error), Failure::Full(text) if text.contains("2 bytes")));
        }
        for error in full() {
            assert!(matches!(Failure::from(pipeline::Error::Treepar(error)), Failure::Full(_)));
        }
        let other = Error::Machine(MachineError::Source("x".into()));
        assert_eq!(Failure::from(other), Failure::Other("x".into()));
        assert!(matches!(Failure::from(Error::DuplicateTarget { target: 7 }), Failure::Other(_)));
    }
}
