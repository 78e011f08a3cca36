//! The vocabulary of the passes: the tables that they exchange, and the facts that they share.
//!
//! ```text
//! operators    the binary operators of the language
//! kinds        kinds of nodes and rows, types, roles of values, and questions about them
//! meaning      the functions of a program, what its names mean, and its types
//! nodes        the tree as tables: nodes, their forest, their variables
//! rows         operations in evaluation order, and the locations of their values
//! registers    locations of values
//! frame        the layout of a stack frame
//! instruction  instructions before linking, and their layout in words
//! table        what all tables have in common
//! tokens       the tokens of all inputs
//! tree         the tree of the front end, in host memory
//! ```
//!
//! Passes import this module and never each other. This module imports no pass.

pub mod frame;
pub mod instruction;
pub mod kinds;
pub mod meaning;
pub mod nodes;
pub mod operators;
pub mod registers;
pub mod rows;
pub mod syntax;
pub mod table;
pub mod tokens;
pub mod tree;
