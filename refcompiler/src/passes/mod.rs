//! The passes between the tree and the words, each from named columns to named columns.
//!
//! ```text
//! structure  depth                              -> parent, end
//! lift       nodes with nested functions        -> nodes whose roots are all functions, hops between them
//! variables  declarations                       -> offsets in frames, places of parameters
//! flatten    nodes in preorder                  -> rows in evaluation order, one operation each; dead ones empty
//! allocate   rows                               -> registers, or SPILLED
//! frames     rows                               -> one frame a function
//! select     rows, registers, frames            -> instructions (counted, placed, written)
//! link       instructions                       -> length of each in words
//! encode     instructions, lengths              -> words
//! ```
//!
//! [`discard`] and [`sequence`] hold device functions that several passes share; [`check`] and [`listing`] look on.
//!
//! A row or node count is `n`, of functions `f`, of instructions `m`.

pub mod allocate;
pub mod check;
pub mod discard;
pub mod encode;
pub mod flatten;
pub mod frames;
pub mod lift;
pub mod link;
pub mod listing;
pub mod select;
pub mod sequence;
pub mod structure;
pub mod variables;

use treepar::Backend;

/// Nodes of a forest in preorder, as [`crate::tree`] describes them.
pub struct Nodes<B: Backend> {
    /// Depth.
    pub depth: B::Vec<u32>,
    /// Kind.
    pub kind: B::Vec<u8>,
    /// Type.
    pub ty: B::Vec<u8>,
    /// What else the kind needs.
    pub data: B::Vec<u32>,
}
