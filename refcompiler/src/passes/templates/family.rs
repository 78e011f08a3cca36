//! The relations of the nodes of a tree, which the rules of all passes ask about.
//!
//! Numbers of children come from a walk down the tree in which each node hangs below the sibling before it, and the first below its
//! parent. Parents and ends of subtrees are known, so this needs no search.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::index_u32;
use treepar::{Backend, Column, Result};

/// The relations of the nodes of a tree.
pub struct Family<B: Backend> {
    /// The parents, for walks.
    pub parents: Parents<B>,
    /// The parent of each node.
    pub parent: B::Vec<u32>,
    /// The end of its subtree.
    pub end: B::Vec<u32>,
    /// The sibling before it, or the parent of a first child, for walks.
    pub above: Parents<B>,
    /// The number of earlier children of its parent.
    pub child: B::Vec<u32>,
    /// The number of its children.
    pub children: B::Vec<u32>,
}

/// Returns the sibling after a node, [`NO_NODE`] after the last.
#[device(map)]
fn next_sibling(i: usize, depth: &[u32], end: &[u32]) -> u32 {
    let next = end[i] as usize;
    if next < depth.len() && depth[next] == depth[i] { next as u32 } else { NO_NODE }
}

#[device(walk_down)]
fn child(i: usize, number: u32, above: &[u32], parent: &[u32]) -> u32 {
    if above[i] == parent[i] { 0 } else { number + 1 }
}

/// Returns the parent of a last child, and the number of the parent's children.
#[device(map)]
fn last_child(i: usize, parent: &[u32], next: &[u32], child: &[u32]) -> (u32, u32) {
    (if next[i] == NO_NODE { parent[i] } else { NO_NODE }, child[i] + 1)
}

/// Returns the relations of the nodes with these depths.
pub fn family<B: Backend>(backend: &B, depth: &B::Vec<u32>) -> Result<Family<B>> {
    let (parents, end) = backend.nearest_smaller(depth)?;
    let parent = parents.column().try_clone()?;
    let next = backend.map(next_sibling::of(depth, &end))?;
    let mut above = parent.try_clone()?;
    backend.scatter(&mut above, &next, &backend.map(index_u32::of().rows(depth.len()))?)?;
    let above = Parents::new(above)?;
    let child = backend.walk_down(&above, 0, child::of(above.column(), &parent))?;
    let (last, count) = backend.map(last_child::of(&parent, &next, &child))?;
    let mut children = backend.filled(depth.len(), 0u32)?;
    backend.scatter(&mut children, &last, &count)?;
    Ok(Family { parents, parent, end, above, child, children })
}
