//! The passes. Each is a function from tables of [`ir`](crate::ir) to tables.
//!
//! From the text to the syntax tree, not yet part of the pipeline:
//!
//! ```text
//! lex        text                               -> tokens, names, number of malformed tokens
//! classes    tokens                             -> class of each token, key from depth of brackets and precedence
//! syntax     classes, keys                      -> nearest smaller keys, number of violations of the grammar
//! parse      tokens without violations          -> syntax tree in preorder
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
//! lower      rows, registers, frames            -> instructions (counted, positioned, written)
//! link       instructions                       -> length of each in words
//! encode     instructions, lengths              -> words
//! ```
//!
//! In all passes `n` is the number of nodes or rows, `f` of functions, `m` of instructions. [`pipeline`] is the list
//! that runs them.
//!
//! [`pipeline`]: crate::pipeline

pub mod allocate;
pub mod classes;
pub mod encode;
pub mod flatten;
pub mod frames;
pub mod lex;
pub mod lift;
pub mod link;
pub mod lower;
pub mod parse;
pub mod structure;
pub mod syntax;
pub mod variables;
