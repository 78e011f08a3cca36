//! The vocabulary of the passes: the tables that they exchange, and the facts that they share.
//!
//! ```text
//! builtins     the functions of the runtime
//! classes      the tables from kinds of tokens to classes
//! origins      the facts about nodes that their tokens determine
//! operators    the binary operators of the language
//! kinds        kinds of nodes and rows, types, roles of values, and questions about them
//! effects      the effects of functions
//! meaning      the functions of a program, what its names mean, and its types
//! multiloops   the form of operations on whole arrays
//! nodes        the tree as tables: nodes, their forest, their variables
//! positions    where nodes and rows come from in the sources
//! program      a checked program on a backend
//! row_form     the form of rows for a target, and the literals that instructions contain
//! rows         operations in evaluation order, and the locations of their values
//! registers    locations of values
//! frame        the layout of a stack frame
//! held         variables in registers
//! instruction  instructions before linking, and their layout in words
//! lanes        operations on vectors, and the processors that have them
//! lines        the lines of code, and the parts of a function that a debugger asks for
//! scopes       blocks, bodies and lists, by nearest smaller keys
//! sets         sets of the values of an enum, as bits
//! shapes       ranks of types
//! spellings    the spellings of tokens as tables for the lexer
//! table        what all tables have in common
//! syntax       classes of tokens, the tables of the grammar, and the syntax tree
//! text         the text of all inputs on a backend
//! tokens       the tokens of all inputs
//! tree         the tree of the front end, in host memory
//! ```
//!
//! Indices and columns have types of their own, so a swap of two does not compile; `swaps.rs` tests it.
//!
//! Passes import this module and never each other. This module imports no pass.

pub mod builtins;
pub mod classes;
pub mod effects;
pub mod forms;
pub mod frame;
pub mod held;
pub mod instruction;
pub mod kinds;
pub mod lanes;
pub mod lines;
pub mod meaning;
pub mod multiloops;
pub mod needs;
pub mod nodes;
pub mod operation;
pub mod operators;
pub mod origins;
pub mod positions;
pub mod program;
pub mod registers;
pub mod row_form;
pub mod rows;
pub mod scopes;
pub mod sets;
pub mod shapes;
pub mod spellings;
#[cfg(doctest)]
mod swaps;
pub mod syntax;
pub mod table;
pub mod text;
pub mod tokens;
pub mod tree;
