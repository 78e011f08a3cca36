//! The passes. Each is a function from tables of [`ir`](crate::ir) to tables.
//!
//! From the tree to the words:
//!
//! ```text
//! interface  heads of functions with arrays     -> functions between Par and C
//! effects    functions                          -> their effects, if an optimisation asks for them
//! inlining   calls of small functions           -> their bodies, on request
//! multiloops operations on whole arrays        -> MULTILOOPs
//! fusion     MULTILOOPs, effects of functions   -> fewer, on request
//! loops      MULTILOOPs                         -> loops over elements
//! structs    nodes with structs and tuples      -> nodes with numbers and arrays of numbers
//! arrays     nodes with arrays                  -> nodes with numbers only
//! vectors    loops over elements                -> loops over vectors, on request
//! contexts   conditions in branches of the same -> literals, on request
//! folding    operators on literals, rules       -> literals, operands, other operators, on request
//! dead       values that nothing reads          -> nothing, on request
//! checks     checks that counted loops imply    -> nothing, on request
//! motion     values that do not change in loops -> variables before these loops, on request
//! strength   products of counters              -> variables that each iteration adds to, on request
//! structure  depths                             -> parents, subtree ends
//! lift       nodes with nested functions        -> nodes whose roots are all functions, hops between them
//! registers  declarations, uses                 -> variables that have registers, on request
//! variables  declarations                       -> offsets in frames, locations of parameters
//! flatten    nodes in preorder                  -> rows in evaluation order, one operation each; dead ones empty
//! allocate   rows                               -> registers, or SPILLED
//! frames     rows                               -> one frame for each function
//! lower      rows, registers, frames            -> a pattern of words for each row, its length, its jumps
//! link       lengths, jumps                     -> position of each row in words
//! encode     patterns, rows, jumps, positions   -> words (`lower::words`)
//! ```
//!
//! For debuggers, on request:
//!
//! ```text
//! lines      positions of rows in sources and words -> where the code of each line begins
//! ```
//!
//! For the optimiser, on request:
//!
//! ```text
//! ssa        nodes after `lift`                 -> the same, each read with the definition that it reads
//! ```
//!
//! In all passes `n` is the number of nodes or rows, `f` of functions, `m` of words. [`pipeline`] is the list
//! that runs them.
//!
//! [`pipeline`]: crate::pipeline

pub mod allocate;
pub mod arrays;
pub mod checks;
mod classes;
pub mod contexts;
mod cuts;
pub mod dead;
pub mod effects;
pub mod flatten;
pub mod folding;
mod foreign;
pub mod frames;
pub mod fusion;
pub mod inlining;
pub mod interface;
pub mod lift;
pub mod lines;
pub mod link;
pub mod loops;
pub mod lower;
pub mod motion;
pub mod multiloops;
mod nests;
mod origins;
pub mod registers;
pub mod ssa;
pub mod strength;
pub mod structs;
pub mod structure;
mod templates;
pub mod uniqueness;
pub mod variables;
pub mod vectors;
