//! The passes. Each is a function from tables of [`ir`](crate::ir) to tables.
//!
//! From the text to the tree. The driver does not run them yet:
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
//! From the tree to the words:
//!
//! ```text
//! structure  depths                             -> parents, subtree ends
//! lift       nodes with nested functions        -> nodes whose roots are all functions, hops between them
//! variables  declarations                       -> offsets in frames, locations of parameters
//! flatten    nodes in preorder                  -> rows in evaluation order, one operation each; dead ones empty
//! allocate   rows                               -> registers, or SPILLED
//! frames     rows                               -> one frame for each function
//! lower      rows, registers, frames            -> a pattern of words for each row, its length, its jumps
//! link       lengths, jumps                     -> position of each row in words
//! encode     patterns, rows, jumps, positions   -> words (`lower::words`)
//! ```
//!
//! In all passes `n` is the number of nodes or rows, `f` of functions, `m` of words. [`pipeline`] is the list
//! that runs them.
//!
//! [`pipeline`]: crate::pipeline
//! [`analysis`]: crate::pipeline::analysis

pub mod allocate;
pub mod arguments;
pub mod callees;
pub mod classes;
pub mod enclose;
pub mod flatten;
pub mod frames;
pub mod lex;
pub mod lift;
pub mod link;
pub mod lower;
pub mod parse;
pub mod resolve;
pub mod returns;
pub mod signatures;
pub mod structure;
pub mod syntax;
pub mod types;
pub mod variables;
