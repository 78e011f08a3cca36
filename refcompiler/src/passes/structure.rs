//! Parents and ends of nodes.
//!
//! ```text
//! depth     0 1 2 2 1 0        (two trees)
//! parent    - 0 1 1 0 -
//! end       5 4 3 4 5 6
//! ```
//!
//! Cost: work O(n), two previous-smaller passes, 16 bytes a node.

use treepar::depth::Parents;
use treepar::{Backend, Result};

/// The forest's shape.
pub struct Structure<B: Backend> {
    /// The parent of each node, `u32::MAX` for a root.
    pub parent: Parents<B>,
    /// One past the last node of each node's subtree.
    pub end: B::Vec<u32>,
}

/// Parents and subtree ends of a forest in preorder.
pub fn structure<B: Backend>(backend: &B, depth: &B::Vec<u32>) -> Result<Structure<B>> {
    Ok(Structure { parent: backend.previous_smaller(depth)?, end: backend.next_smaller_or_equal(depth)? })
}
