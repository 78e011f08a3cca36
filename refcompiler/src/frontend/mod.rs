//! The front end: source bytes to the syntax tree with its types, in data-parallel passes.
//!
//! ```text
//! lex        text                               -> tokens, names, number of malformed tokens
//! classes    tokens                             -> class of each token, key from depth of brackets and precedence
//! syntax     classes, keys                      -> nearest smaller keys, number of violations of the grammar
//! parse      tokens without violations          -> syntax tree in preorder
//! signatures, enclose, resolve, callees, arguments, types, returns
//!            syntax tree, names                 -> types and data of nodes, function table; see [`analysis`]
//! ```
//!
//! The passes are one-sided. A program that they accept is valid, and its tree is the tree of the [`sequential`] front
//! end. A program that they refuse goes to the sequential front end, which writes every message.

pub mod analysis;
pub mod arguments;
pub mod backends;
pub mod callees;
pub mod classes;
pub mod enclose;
pub mod functions;
pub mod input;
pub mod lex;
pub mod library;
pub mod parse;
pub mod parts;
pub mod program;
pub mod resolve;
pub mod returns;
pub mod sequential;
pub mod signatures;
pub mod syntax;
pub mod types;
pub mod uses;
pub mod warnings;
