//! The facts that the rules ask about a node besides its own columns: its relatives, and the rank of its type.

use treepar::depth::Parents;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, WITH_LAMBDA};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::shapes::{shape, shapes};
use crate::ir::tree::Composite;
use crate::passes::templates::family::{Family, family};

/// Returns whether the first child of a kind is a LAMBDA.
#[device]
pub fn has_lambda(kind: Kind) -> bool {
    WITH_LAMBDA.contains(kind)
}

/// Facts about a node.
#[device(columns(Facts, index = NodeId))]
pub struct Fact {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The number of earlier children of its parent.
    pub child: u32,
    /// The number of its children.
    pub children: u32,
    /// The rank of its type.
    pub rank: u32,
    /// The array whose elements a parameter of a MAP or REDOMAP has.
    pub partner: u32,
    /// The index in the new order of the old nodes.
    pub place: u32,
}

/// Returns a node, after the parameter that has its elements if the node is an array of a MAP or REDOMAP.
#[device(map)]
fn parameter(i: usize, parents: &[u32], kinds: &[Kind], child: &[u32]) -> (u32, u32) {
    let parent = parents[i];
    if parent == u32::MAX {
        return (u32::MAX, i as u32);
    }
    let kind = kinds[parent as usize];
    // The LAMBDA follows its parent, and its parameters follow it. REDOMAP has a value and a parameter for it before the arrays.
    let is_array = ((kind == Kind::Map) & (child[i] > 0)) | ((kind == Kind::Redomap) & (child[i] > 1));
    (if is_array { parent + 1 + child[i] } else { u32::MAX }, i as u32)
}

/// Returns by how much the index of a node in preorder grows: a LAMBDA comes after the other children of its parent.
#[device(walk_down)]
fn moved(i: usize, around: u32, parents: &[u32], kinds: &[Kind], end: &[u32]) -> u32 {
    let parent = parents[i];
    if parent == u32::MAX {
        return 0;
    }
    if !has_lambda(kinds[parent as usize]) {
        return around;
    }
    let lambda = parent as usize + 1;
    let by = if i == lambda { end[parent as usize] - end[i] } else { (lambda as u32).wrapping_sub(end[lambda]) };
    around.wrapping_add(by)
}

#[device(map)]
fn place(i: usize, moved: &[u32]) -> u32 {
    (i as u32).wrapping_add(moved[i])
}

/// Returns the parents and the facts.
pub fn facts<B: Backend>(backend: &B, nodes: &Nodes<B>, composites: &[Composite]) -> Result<(Parents<B>, Facts<B>)> {
    let Family { parents, parent, end, child, children, .. } = family(backend, &nodes.depth)?;
    let shapes = backend.upload(&shapes(composites))?;
    let (rank, _, _) = backend.map(shape::of(&nodes.ty, &shapes))?;
    let (parameter, array) = backend.map(parameter::of(&parent, &nodes.kind, &child))?;
    let mut partner = backend.filled(nodes.len(), u32::MAX)?;
    backend.scatter(&mut partner, &parameter, &array)?;
    let moved = backend.walk_down(&parents, 0, moved::of(&parent, &nodes.kind, &end))?;
    let place = backend.map(place::of(&moved))?;
    Ok((parents, Facts { parent, end, child, children, rank, partner, place }))
}
