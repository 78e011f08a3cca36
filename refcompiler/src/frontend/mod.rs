//! The front end: source bytes to the syntax tree with its types, in data-parallel passes.
//!
//! ```text
//! sources --ranges--> parts --outline--> outlined parts --join, analyse--> typed trees --> program
//! ```
//!
//! [`analysis`] lists the passes, [`parts`] divides a program among threads, and [`program()`](program::program) is the whole
//! front end.
//!
//! The passes are one-sided. A program that they accept is valid, and its tree is the tree of the [`sequential`] front
//! end. A program that they refuse goes to the sequential front end, which writes every message.

pub mod analysis;
pub mod arguments;
pub mod arrays;
pub mod assertions;
pub mod backends;
pub mod brackets;
pub mod callees;
pub mod choices;
pub mod classes;
pub mod functions;
pub mod input;
pub mod lex;
pub mod library;
mod operations;
pub mod parse;
pub mod parts;
pub mod program;
pub mod resolve;
pub mod returns;
pub mod sequential;
pub mod signatures;
pub mod syntax;
pub mod types;
pub mod uniqueness;
pub mod warnings;
