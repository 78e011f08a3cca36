//! The facts that the rules ask about a node besides its own columns: its relatives, and the nodes before it.

use treepar::backend::ScanKind;
use treepar::depth::Parents;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::family::{Family, family};

/// Numbers of nodes, up to and including one.
#[device]
pub struct Counts {
    /// Nodes that need the arena.
    pub makers: u32,
    /// Assignments of arrays.
    pub assignments: u32,
    /// Unique parameters.
    pub uniques: u32,
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
    /// The block of the function around it, `u32::MAX` outside a block.
    pub body: u32,
    /// Numbers of nodes up to it.
    pub counts: Counts,
}

#[device(monoid(identity = Counts { makers: 0, assignments: 0, uniques: 0 }))]
fn add_counts(a: Counts, b: Counts) -> Counts {
    Counts {
        makers: a.makers.wrapping_add(b.makers),
        assignments: a.assignments.wrapping_add(b.assignments),
        uniques: a.uniques.wrapping_add(b.uniques),
    }
}

/// Returns whether a node is a unique parameter.
#[device]
pub fn is_unique_parameter(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Param) & nodes.ty[i].is_array() & (nodes.data[i] == 1)
}

#[device(compact)]
fn is_unique(i: NodeId, nodes: &Nodes) -> bool {
    is_unique_parameter(i, nodes)
}

#[device(scan(add_counts))]
fn counted(i: NodeId, nodes: &Nodes) -> Counts {
    let kind = nodes.kind[i];
    let is_array = nodes.ty[i].is_array();
    let assigns = is_array & (kind == Kind::Assign);
    let is_unique = is_unique_parameter(i, nodes);
    let makes = (kind == Kind::Call)
        | (kind == Kind::Array)
        | (kind == Kind::Replicate)
        | (kind == Kind::Index)
        | (kind == Kind::New)
        | (kind == Kind::NewLike)
        | (kind == Kind::NewRows)
        | (kind == Kind::Slice)
        | (kind == Kind::Give)
        | (kind == Kind::Store)
        | ((kind == Kind::Declare) & (nodes.data[i] != 1));
    Counts {
        makers: (is_array & makes | (kind == Kind::UpdateSlice) | assigns | is_unique) as u32,
        assignments: assigns as u32,
        uniques: is_unique as u32,
    }
}

/// Returns the block of the function around a node.
#[device(walk_down)]
fn body(i: NodeId, around: u32, kinds: &[Kind], parents: &[u32]) -> u32 {
    let parent = parents[i.index()];
    if parent == u32::MAX {
        return u32::MAX;
    }
    let is_body = (kinds[i.index()] == Kind::Block) & (kinds[parent as usize] == Kind::Function);
    if is_body { i.get() } else { around }
}

/// Returns the unique parameters.
pub fn unique_parameters<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<B::Vec<u32>> {
    backend.compact(is_unique::of(nodes).rows(nodes.len()))
}

/// Returns the parents and the facts.
pub fn facts<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<(Parents<B>, Facts<B>)> {
    let (counts, _) = backend.scan_later(ScanKind::Inclusive, counted::of(nodes).rows(nodes.len()), add_counts)?;
    let Family { parents, parent, end, child, children, .. } = family(backend, &nodes.depth)?;
    let body = backend.walk_down(&parents, u32::MAX, body::of(&nodes.kind, &parent))?;
    Ok((parents, Facts { parent, end, child, children, body, counts }))
}

/// Returns whether the subtree of a node, without the node, needs the arena.
#[device]
pub fn makes_arrays(i: NodeId, facts: &Facts) -> bool {
    facts.counts[last_below(i, facts)].makers > facts.counts[i].makers
}

/// Returns the number of unique parameters of the function with a block.
#[device]
pub fn uniques(block: NodeId, facts: &Facts) -> u32 {
    facts.counts[block].uniques - facts.counts[NodeId::new(facts.parent[block])].uniques
}

/// Returns whether an array is assigned below a node.
#[device]
pub fn assigns_arrays(i: NodeId, facts: &Facts) -> bool {
    facts.counts[last_below(i, facts)].assignments > facts.counts[i].assignments
}

/// Returns the last node of a subtree.
#[device]
fn last_below(i: NodeId, facts: &Facts) -> NodeId {
    NodeId::new(facts.end[i] - 1)
}

/// Returns the number of parameters of the function around a node that are for its result, if this has arrays.
#[device]
pub fn outs(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    let function = NodeId::new(facts.parent[NodeId::new(facts.body[i])]);
    // The HEADER of a function with a result says whether this is unique.
    if nodes.ty[function] == Type::Void { nodes.data[function.plus(1)] } else { 0 }
}

/// Returns whether the function around a node has a mark.
#[device]
pub fn is_marked(i: NodeId, facts: &Facts) -> bool {
    let body = facts.body[i];
    body != u32::MAX && makes_arrays(NodeId::new(facts.parent[NodeId::new(body)]), facts)
}
