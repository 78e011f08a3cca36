//! The facts that the rules ask about a node besides its own columns: its relatives, and the rank of its type.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::shapes::{shape, shapes};
use crate::ir::tree::Composite;
use crate::passes::templates::family::{Family, family};

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
    /// 1 if its type has no array: a number, or a struct or tuple of numbers.
    pub flat: u32,
    /// The type of the elements of an array.
    pub element: Type,
    /// The yield of a MULTILOOP.
    pub yields: u32,
    /// The innermost MULTILOOP around it or itself, [`NO_NODE`] if there is none.
    pub multiloop: u32,
}

/// Returns node `i`, after its MULTILOOP if the node is a yield.
#[device(map)]
fn yielding(i: usize, parents: &[u32], kinds: &[Kind]) -> (u32, u32) {
    (if kinds[i].is_yield() { parents[parents[i] as usize] } else { NO_NODE }, i as u32)
}

#[device(walk_down)]
fn multiloop(i: NodeId, around: u32, nodes: &Nodes) -> u32 {
    if nodes.kind[i] == Kind::Multiloop { i.get() } else { around }
}

/// Returns the parents and the facts.
pub fn facts<B: Backend>(backend: &B, nodes: &Nodes<B>, composites: &[Composite]) -> Result<(Parents<B>, Facts<B>)> {
    let Family { parents, parent, end, child, children, .. } = family(backend, &nodes.depth)?;
    let shapes = backend.upload(&shapes(composites))?;
    let (rank, flat, element) = backend.map(shape::of(&nodes.ty, &shapes))?;
    let (yielded, yielding) = backend.map(yielding::of(&parent, &nodes.kind))?;
    let mut yields = backend.filled(nodes.len(), NO_NODE)?;
    backend.scatter(&mut yields, &yielded, &yielding)?;
    let multiloop = backend.walk_down(&parents, NO_NODE, multiloop::of(nodes))?;
    Ok((parents, Facts { parent, end, child, children, rank, flat, element, yields, multiloop }))
}
