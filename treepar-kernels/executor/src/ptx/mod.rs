//! PTX text to functions: registers, variables and instructions by name.
//!
//! Nothing here knows what an instruction means; `code` does.

mod lexer;
mod operand;
mod parser;
mod scope;
mod statement;
mod types;

pub(crate) use operand::{Base, Operand, Special};
pub(crate) use parser::{Function, Instruction, Statement, Text, Variable, parse};
pub(crate) use types::{Space, Type};

/// A text that is not PTX, or has an instruction or directive that the executor does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}: `{text}`")]
pub struct ParseError {
    /// The line in the text, from 1.
    pub line: u32,
    /// The problem.
    pub problem: String,
    /// The text of the line.
    pub text: String,
}

/// A problem at a line.
pub(crate) type Problem = (u32, String);

impl ParseError {
    pub(crate) fn new((line, problem): Problem, text: &str) -> ParseError {
        ParseError { line, problem, text: line_of(text, line).to_string() }
    }
}

/// Returns a line of a text, from 1, without the space around it.
pub(crate) fn line_of(text: &str, line: u32) -> &str {
    text.lines().nth((line as usize).saturating_sub(1)).unwrap_or("").trim()
}
