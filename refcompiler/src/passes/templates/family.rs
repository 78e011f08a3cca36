//! The relations of the nodes of a tree, which the rules of all passes ask about.

use treepar::depth::{Depths, Parents};
use treepar::{Backend, Column, Result};

/// The relations of the nodes of a tree.
pub struct Family<B: Backend> {
    /// The parents, for walks.
    pub parents: Parents<B>,
    /// The parent of each node.
    pub parent: B::Vec<u32>,
    /// The end of its subtree.
    pub end: B::Vec<u32>,
    /// The number of earlier children of its parent.
    pub child: B::Vec<u32>,
    /// The number of its children.
    pub children: B::Vec<u32>,
}

/// Returns the relations of the nodes with these depths.
pub fn family<B: Backend>(backend: &B, depth: &B::Vec<u32>) -> Result<Family<B>> {
    let forest = Depths::new(depth.try_clone()?)?;
    let (parents, end) = backend.nearest_smaller(depth)?;
    let (child, children) = (forest.child_indices()?, forest.child_counts()?);
    let parent = parents.column().try_clone()?;
    Ok(Family { parents, parent, end, child, children })
}
