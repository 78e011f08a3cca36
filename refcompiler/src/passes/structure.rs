//! Parents and subtree ends of nodes.
//!
//! ```text
//! depth     0 1 2 2 1 0        (two trees)
//! parent    - 0 1 1 0 -
//! end       5 4 3 4 5 6
//! ```
//!
//! Cost: work O(n), one search for nearest smaller depths, 12 bytes per node.

use treepar::{Backend, Result};

use crate::ir::nodes::Structure;

/// Returns the parents and subtree ends of a forest in preorder.
pub fn structure<B: Backend>(backend: &B, depth: &B::Vec<u32>) -> Result<Structure<B>> {
    let (parent, end) = backend.nearest_smaller(depth)?;
    Ok(Structure { parent, end })
}
