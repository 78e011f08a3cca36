//! The passes between the tree and the words. Each is a function from tables of [`ir`](crate::ir) to tables.
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
//! that runs them. The passes `signatures`, `enclose`, `resolve`, `callees`, `arguments`, `types` and `returns` analyse a
//! syntax tree, in the list [`analysis`].
//!
//! [`pipeline`]: crate::pipeline
//! [`analysis`]: crate::pipeline::analysis

pub mod allocate;
pub mod arguments;
pub mod callees;
pub mod classes;
pub mod enclose;
pub mod encode;
pub mod flatten;
pub mod frames;
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
