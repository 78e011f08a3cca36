//! The choice of producers that are fused, and what their consumers need to know.

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::multiloops::{ALL_ELEMENTS, FROM_END};
use crate::ir::needs::is_of_elements;
use crate::ir::nodes::{NodeId, Nodes};

/// What a body may have, besides pure values and functions without effect.
const MOVABLE: Kinds = Kinds::of(&[
    Kind::Choose,
    Kind::Test,
    Kind::Then,
    Kind::Otherwise,
    Kind::Arg,
    Kind::Lambda,
    Kind::Read,
    Kind::Size,
    Kind::YieldCollect,
]);

/// The statements and values that change a variable.
const WRITES: Kinds = Kinds::of(&[Kind::Assign, Kind::AssignField, Kind::Update, Kind::UpdateSlice]);

/// Facts about a node.
#[device(columns(Edges, index = NodeId))]
pub struct Edge {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The yield of a MULTILOOP.
    pub yields: u32,
    /// The READ of an INPUT.
    pub reader: u32,
    /// 1 for a MULTILOOP that is fused with the one around it.
    pub fused: u32,
    /// 1 for the yield of such a MULTILOOP.
    pub is_yield_of: u32,
    /// The input that has the same extents: itself, or one of the producer that takes its place.
    pub stands_for: u32,
}

/// Returns the function of node `i`, if that is a nested function, and 1.
#[device(map)]
fn nested(i: NodeId, nodes: &Nodes) -> (u32, u32) {
    let is_nested = (nodes.kind[i] == Kind::Function) & (nodes.depth[i] > 0);
    (if is_nested { nodes.data[i] } else { NO_NODE }, 1)
}

/// Returns the MULTILOOP of a yield, the INPUT of a READ, and the node.
#[device(map)]
fn parts(i: NodeId, nodes: &Nodes, parents: &[u32]) -> (u32, u32, u32) {
    let kind = nodes.kind[i];
    let multiloop = if kind.is_yield() { parents[parents[i.index()] as usize] } else { NO_NODE };
    let mut input = NO_NODE;
    if kind == Kind::Read {
        let target = NodeId::new(nodes.data[i]);
        input = if nodes.kind[target] == Kind::View { nodes.data[target] } else { target.get() };
    }
    (multiloop, input, i.get())
}

/// Returns 1 if a node may change a variable that it does not declare.
#[device(scan(Sum))]
fn writes(i: NodeId, nodes: &Nodes, nested: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    let is_update = WRITES.contains(kind);
    let calls_nested = kind == Kind::Call && nested[nodes.data[i] as usize] == 1;
    (is_update | calls_nested) as u32
}

/// Returns 1 if a body with this node stays where it is.
#[device(scan(Sum))]
fn stays(i: NodeId, nodes: &Nodes) -> u32 {
    let kind = nodes.kind[i];
    let is_number = (nodes.ty[i] == Type::Int) | (nodes.ty[i] == Type::Float);
    let moves = kind.is_pure()
        | MOVABLE.contains(kind)
        | ((kind == Kind::Element) & is_number)
        | ((kind == Kind::Call) & is_of_elements(nodes.data[i]));
    !moves as u32
}

/// Returns the value of an INPUT, without an ASCRIBE around it.
#[device]
pub fn value(input: NodeId, nodes: &Nodes) -> NodeId {
    if nodes.kind[input.plus(1)] == Kind::Ascribe { input.plus(2) } else { input.plus(1) }
}

/// Returns the INPUT whose value a MULTILOOP is, `NONE` if there is none.
#[device]
fn input_of(m: NodeId, nodes: &Nodes, shape: &Shapes) -> NodeId {
    let none = NodeId::new(NO_NODE);
    let parent = NodeId::new(shape.parent[m]);
    if parent.is_none() || nodes.kind[m] != Kind::Multiloop {
        return none;
    }
    if nodes.kind[parent] == Kind::Input {
        return parent;
    }
    let above = NodeId::new(shape.parent[parent]);
    let is_ascribed = nodes.kind[parent] == Kind::Ascribe && !above.is_none() && nodes.kind[above] == Kind::Input;
    if is_ascribed { above } else { none }
}

/// Returns 1 if a node is a MULTILOOP that is fused with the one around it. `stays` counts nodes before each node, and
/// `writes` also the node.
#[device(map)]
fn fused(m: NodeId, nodes: &Nodes, shape: &Shapes, writes: &[u32], stays: &[u32]) -> u32 {
    let input = input_of(m, nodes, shape);
    if input.is_none() {
        return 0;
    }
    let consumer = NodeId::new(shape.parent[input]);
    let yields = NodeId::new(shape.yields[m]);
    let lambda = NodeId::new(shape.parent[yields]);
    let (ty, value) = (nodes.ty[m], nodes.ty[yields]);
    let extent = nodes.ty[NodeId::new(nodes.data[lambda])];
    let has_one_value = shape.end[yields.plus(1)] == shape.end[yields];
    let collects = (nodes.kind[yields] == Kind::YieldCollect) & has_one_value;
    let is_number = ((value == Type::Int) | (value == Type::Float)) & ty.is_array() & !ty.is_narrow();
    let is_like_input = extent.is_array() & (extent.rank() == ty.rank());
    let of_all = nodes.data[consumer] & ALL_ELEMENTS != 0;
    let rank = if of_all { nodes.ty[consumer].rank() } else { 1 };
    let is_read = (shape.reader[input] != NO_NODE) & (nodes.data[consumer] & FROM_END == 0) & (ty.rank() == rank);
    let end = shape.end[lambda] as usize;
    // The consumer's body follows, so there is a node at the end.
    let can_move = stays[end] == stays[lambda.index()];
    let is_same = writes[shape.end[consumer] as usize - 1] == writes[shape.end[m] as usize - 1];
    (collects & is_number & is_like_input & is_read & can_move & is_same) as u32
}

/// Relations of a node.
#[device(columns(Shapes, index = NodeId))]
pub struct Shape {
    /// The parent.
    pub parent: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The yield of a MULTILOOP.
    pub yields: u32,
    /// The READ of an INPUT.
    pub reader: u32,
}

/// Returns, for the input that has the extent of a MULTILOOP, the input that stands for it, and 0 for others; for a MULTILOOP the input
/// that has its extent.
#[device(walk_up(Sum))]
fn extents(i: NodeId, below: u32, nodes: &Nodes, shape: &Shapes, fused: &[u32]) -> u32 {
    if (nodes.kind[i] == Kind::Multiloop) | (nodes.kind[i] == Kind::Ascribe) {
        return below;
    }
    if nodes.kind[i] != Kind::Input {
        return 0;
    }
    let yields = NodeId::new(shape.yields[NodeId::new(shape.parent[i])]);
    let is_extent = nodes.data[NodeId::new(shape.parent[yields])] == i.get();
    let stands_for = if fused[value(i, nodes).index()] == 1 { below } else { i.get() };
    if is_extent { stands_for } else { 0 }
}

/// Returns whether a node is the yield of a producer, and the input that stands for it.
#[device(map)]
fn others(i: NodeId, nodes: &Nodes, shape: &Shapes, fused: &[u32], extents: &[u32]) -> (u32, u32) {
    let is_yield = nodes.kind[i].is_yield() && fused[shape.parent[NodeId::new(shape.parent[i])] as usize] == 1;
    let is_input = nodes.kind[i] == Kind::Input && fused[value(i, nodes).index()] == 1;
    (is_yield as u32, if is_input { extents[value(i, nodes).index()] } else { i.get() })
}

/// Returns the parents, and the edges.
pub fn edges<B: Backend>(backend: &B, nodes: &Nodes<B>, functions: usize) -> Result<(Parents<B>, Edges<B>)> {
    let n = nodes.len();
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let parent = parents.column().try_clone()?;
    let mut is_nested = backend.filled(functions, 0u32)?;
    let (function, one) = backend.map(nested::of(nodes).rows(n))?;
    backend.scatter(&mut is_nested, &function, &one)?;
    let (multiloop, input, node) = backend.map(parts::of(nodes, &parent).rows(n))?;
    let mut yields = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut yields, &multiloop, &node)?;
    let mut reader = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut reader, &input, &node)?;
    let (writes, _) = backend.scan(ScanKind::Inclusive, writes::of(nodes, &is_nested).rows(n), Sum)?;
    let (stays, _) = backend.scan(ScanKind::Exclusive, stays::of(nodes).rows(n), Sum)?;
    let shape = Shapes { parent, end, yields, reader };
    let fused = backend.map(fused::of(nodes, &shape, &writes, &stays).rows(n))?;
    let extents = backend.walk_up(&parents, extents::of(nodes, &shape, &fused), Sum)?;
    let (is_yield_of, stands_for) = backend.map(others::of(nodes, &shape, &fused, &extents).rows(n))?;
    let Shapes { parent, end, yields, reader } = shape;
    Ok((parents, Edges { parent, end, yields, reader, fused, is_yield_of, stands_for }))
}
