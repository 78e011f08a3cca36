//! The reasons why a measurement or check fails.

use std::fmt::{Display, Formatter};
use std::process::ExitCode;

use refcompiler::pipeline;

/// The reason why a measurement or check failed.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Out of memory. Smaller cases can continue.
    Full(String),
    /// Any other reason.
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

/// Prints the error of a program, if it failed, and returns its exit status.
pub fn exit_code(program: &str, done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use treepar::{Error, MachineError};

    use super::*;

    #[test]
    fn out_of_memory_is_recognised_on_every_machine() {
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
