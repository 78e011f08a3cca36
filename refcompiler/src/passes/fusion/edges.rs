//! The edges along which bodies can move: from an operation to one that reads its result element by element.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::shape::{Shapes, input_of, is_number, lambda, producer, value};
use crate::ir::effects::Effects;
use crate::ir::kinds::{Kind, Kinds};
use crate::ir::multiloops::{ALL_ELEMENTS, FROM_END};
use crate::ir::needs::is_of_elements;
use crate::ir::nodes::{FunctionId, NodeId, Nodes};

/// The kinds that a body may have, besides pure values and functions without effect.
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
    Kind::Sequence,
    Kind::Expression,
]);

/// An index of an edge.
#[device(index)]
pub struct EdgeId(u32);

/// An index of a producer.
#[device(index)]
pub struct ProducerId(u32);

/// An INPUT that reads the result of a MULTILOOP.
#[device(columns(Edges, index = EdgeId))]
pub struct Edge {
    /// The INPUT.
    pub input: u32,
    /// The MULTILOOP, a row of the producers.
    pub producer: u32,
    /// The MULTILOOP that reads.
    pub consumer: u32,
}

/// A MULTILOOP whose body can move.
#[device(columns(Producers, index = ProducerId))]
pub struct Producer {
    /// The MULTILOOP.
    pub node: u32,
    /// The first of its edges.
    pub first: u32,
    /// The number of its edges.
    pub edges: u32,
    /// The time of the next write of a variable that it reads.
    pub until: u32,
}

/// The producers in the order of their first edges, and all edges.
pub struct Graph<B: Backend> {
    /// The producers.
    pub producers: Producers<B>,
    /// The edges in the order of their INPUTs.
    pub edges: Edges<B>,
    /// The row of each MULTILOOP that is a producer, [`NO_NODE`] of other nodes.
    pub row: B::Vec<u32>,
}

/// A graph, for device functions.
#[device(tables)]
pub struct Links {
    pub producers: &Producers,
    pub edges: &Edges,
    pub row: &[u32],
}

impl<B: Backend> Graph<B> {
    /// Returns the tables together.
    pub fn links(&self) -> LinksOn<'_, B> {
        LinksOn { producers: &self.producers, edges: &self.edges, row: &self.row }
    }
}

/// Returns 1 if a body with this node stays where it is.
#[device(scan(Sum))]
fn stays(i: NodeId, nodes: &Nodes, effects: &Effects) -> u32 {
    let kind = nodes.kind[i];
    let function = nodes.data[i];
    let is_call = kind == Kind::Call && (is_of_elements(function) || effects.is_pure[FunctionId::new(function)] == 1);
    let is_element = ((kind == Kind::Element) | (kind == Kind::Declare)) & is_number(nodes.ty[i]);
    !(kind.is_pure() | MOVABLE.contains(kind) | is_element | is_call) as u32
}

/// Returns whether a MULTILOOP collects numbers by a body that can move. `stays` counts nodes before each node.
#[device]
fn can_move(m: NodeId, nodes: &Nodes, shape: &Shapes, stays: &[u32]) -> bool {
    let yields = NodeId::new(shape.yields[m]);
    let body = lambda(m, shape);
    let (ty, extent) = (nodes.ty[m], nodes.ty[NodeId::new(nodes.data[body])]);
    let has_one_value = shape.end[yields.plus(1)] == shape.end[yields];
    let collects = (nodes.kind[yields] == Kind::YieldCollect) & has_one_value;
    let is_of_numbers = is_number(nodes.ty[yields]) & ty.is_array();
    let is_like_input = extent.is_array() & (extent.rank() == ty.rank());
    // The consumer follows, so there is a node at the end.
    let moves = stays[shape.end[body] as usize] == stays[body.index()];
    collects & is_of_numbers & is_like_input & moves
}

/// Returns 1 for an INPUT that is an edge if all other uses of its variable are, too.
#[device(map)]
fn is_edge(input: NodeId, nodes: &Nodes, shape: &Shapes, stays: &[u32]) -> u32 {
    if nodes.kind[input] != Kind::Input {
        return 0;
    }
    let m = producer(input, nodes, shape);
    if m.is_none() || shape.reader[input] == NO_NODE {
        return 0;
    }
    let consumer = NodeId::new(shape.parent[input]);
    let of_all = nodes.data[consumer] & ALL_ELEMENTS != 0;
    let rank = if of_all { nodes.ty[consumer].rank() } else { 1 };
    let is_read = (nodes.data[consumer] & FROM_END == 0) & (nodes.ty[m].rank() == rank);
    let is_as_often = shape.around[m].region == shape.around[consumer].region;
    (is_read && is_as_often && can_move(m, nodes, shape, stays)) as u32
}

/// Returns the variable that a node uses, and 1 if that use is not an edge.
#[device(accumulate)]
fn other_use(i: NodeId, nodes: &Nodes, shape: &Shapes, is_edge: &[u32]) -> (u32, u32) {
    let kind = nodes.kind[i];
    if !kind.is_variable() {
        return (NO_NODE, 0);
    }
    let input = input_of(i, nodes, shape);
    let is_read = kind == Kind::Name && !input.is_none() && is_edge[input.index()] == 1;
    (nodes.data[i], !is_read as u32)
}

#[device(compact)]
fn is_possible(i: NodeId, nodes: &Nodes, is_edge: &[u32], other_uses: &[u32]) -> bool {
    if is_edge[i.index()] == 0 {
        return false;
    }
    let value = value(i, nodes);
    nodes.kind[value] == Kind::Multiloop || other_uses[nodes.data[value] as usize] == 0
}

#[device(intern)]
fn producer_of(e: usize, inputs: &[u32], nodes: &Nodes, shape: &Shapes) -> u64 {
    producer(NodeId::new(inputs[e]), nodes, shape).get() as u64
}

#[device(compact)]
fn is_first(e: usize, first: &[u32]) -> bool {
    first[e] == e as u32
}

/// Returns the MULTILOOP of a producer, the next write that it depends on, and its row.
#[device(map)]
fn row(
    p: usize,
    firsts: &[u32],
    inputs: &[u32],
    nodes: &Nodes,
    shape: &Shapes,
    next_writes: &[u32],
) -> (u32, u32, u32) {
    let m = producer(NodeId::new(inputs[firsts[p] as usize]), nodes, shape);
    (m.get(), next_writes[m.index()], p as u32)
}

#[device(map)]
fn edge(e: usize, inputs: &[u32], nodes: &Nodes, shape: &Shapes, row: &[u32]) -> Edge {
    let input = NodeId::new(inputs[e]);
    let producer = producer(input, nodes, shape);
    Edge { input: input.get(), producer: row[producer.index()], consumer: shape.parent[input] }
}

/// Returns the producer of an edge, and 1.
#[device(accumulate)]
fn counted(e: EdgeId, edges: &Edges) -> (u32, u32) {
    (edges.producer[e], 1)
}

/// Returns the producers and their edges.
pub fn graph<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    shape: &Shapes<B>,
    effects: &Effects<B>,
    next_writes: &B::Vec<u32>,
) -> Result<Graph<B>> {
    let n = nodes.len();
    let (stays, _) = backend.scan(ScanKind::Exclusive, stays::of(nodes, effects).rows(n), Sum)?;
    let is_edge = backend.map(is_edge::of(nodes, shape, &stays).rows(n))?;
    let mut other_uses = backend.filled(n, 0u32)?;
    backend.accumulate(&mut other_uses, other_use::of(nodes, shape, &is_edge).rows(n))?;
    let inputs = backend.compact(is_possible::of(nodes, &is_edge, &other_uses).rows(n))?;
    let first_edge = backend.intern(producer_of::of(&inputs, nodes, shape).rows(inputs.len()))?;
    let first = backend.compact(is_first::of(&first_edge))?;
    let rows = row::of(&first, &inputs, nodes, shape, next_writes).rows(first.len());
    let (node, until, rows) = backend.map(rows)?;
    let mut row = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut row, &node, &rows)?;
    let table: Edges<B> = backend.map(edge::of(&inputs, nodes, shape, &row).rows(inputs.len()))?;
    let mut edges = backend.filled(first.len(), 0u32)?;
    backend.accumulate(&mut edges, counted::of(&table).rows(inputs.len()))?;
    Ok(Graph { producers: Producers { node, first, edges, until }, edges: table, row })
}
