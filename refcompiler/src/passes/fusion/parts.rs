//! The producers that are fused, and the nodes that this leaves out.

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::index_u32;
use treepar::{Backend, Column, Result};

use super::edges::{EdgeId, Edges, Graph, ProducerId, Producers};
use super::shape::{Shapes, declared, input_of_read, lambda, producer};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// An index of a fused producer.
#[device(index)]
pub struct PartId(u32);

/// A producer that is a part of another MULTILOOP.
#[device(columns(Parts, index = PartId))]
pub struct Part {
    /// The MULTILOOP.
    pub node: u32,
    /// The other one.
    pub root: u32,
    /// 1 if its result is read more than once. Then its value is an ELEMENT of the root.
    pub is_shared: u32,
    /// The node before which its body goes: the READ that it replaces, or the first one of the root's body.
    pub anchor: u32,
}

/// The producers that are fused.
pub struct Fusion<B: Backend> {
    /// The producers in the order of their first edges.
    pub parts: Parts<B>,
    /// The INPUT with the extents of each.
    pub extents: B::Vec<u32>,
    /// The row of each MULTILOOP among them, [`NO_NODE`] of other nodes.
    pub row: B::Vec<u32>,
}

#[device(map)]
fn part(k: usize, chosen: &[u32], roots: &[u32], producers: &Producers, edges: &Edges, shape: &Shapes) -> Part {
    let p = ProducerId::new(chosen[k]);
    let root = NodeId::new(roots[p.index()]);
    let is_shared = producers.edges[p] > 1;
    let input = NodeId::new(edges.input[EdgeId::new(producers.first[p])]);
    let anchor = if is_shared { lambda(root, shape).get() + 1 } else { shape.reader[input] };
    Part { node: producers.node[p], root: root.get(), is_shared: is_shared as u32, anchor }
}

/// Returns the fused producer whose result an INPUT has, `NONE` if there is none.
#[device]
pub fn part_of_input(input: NodeId, nodes: &Nodes, shape: &Shapes, row: &[u32]) -> PartId {
    let m = producer(input, nodes, shape);
    PartId::new(if m.is_none() { NO_NODE } else { row[m.index()] })
}

/// Returns the fused producer that a variable is declared to be, `NONE` if there is none.
#[device]
fn part_of_variable(d: NodeId, nodes: &Nodes, shape: &Shapes, row: &[u32]) -> PartId {
    let m = declared(d, nodes, shape);
    PartId::new(if m.is_none() { NO_NODE } else { row[m.index()] })
}

/// Returns the INPUT that says which extents a producer has.
#[device]
fn extent(p: PartId, parts: &Parts, nodes: &Nodes, shape: &Shapes) -> NodeId {
    NodeId::new(nodes.data[lambda(NodeId::new(parts.node[p]), shape)])
}

/// Returns the fused producer whose extents a fused producer has, itself if another array has its extents.
#[device(map)]
fn like(p: PartId, parts: &Parts, nodes: &Nodes, shape: &Shapes, row: &[u32]) -> u32 {
    let other = part_of_input(extent(p, parts, nodes, shape), nodes, shape, row);
    if other.is_none() { p.get() } else { other.get() }
}

#[device(map)]
fn jumped(p: usize, link: &[u32]) -> u32 {
    link[link[p] as usize]
}

#[device(map)]
fn extent_of(p: usize, last: &[u32], parts: &Parts, nodes: &Nodes, shape: &Shapes) -> u32 {
    extent(PartId::new(last[p]), parts, nodes, shape).get()
}

/// Returns the fused producers. Row k of `chosen` is a row of the graph's producers, and `roots` has the root of each of these.
pub fn fusion_of<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    shape: &Shapes<B>,
    graph: &Graph<B>,
    (chosen, roots): (B::Vec<u32>, B::Vec<u32>),
) -> Result<Fusion<B>> {
    let p = chosen.len();
    let parts: Parts<B> = backend.map(part::of(&chosen, &roots, &graph.producers, &graph.edges, shape).rows(p))?;
    let mut row = backend.filled(nodes.len(), NO_NODE)?;
    backend.scatter(&mut row, &parts.node, &backend.map(index_u32::of().rows(p))?)?;
    let mut last = backend.map(like::of(&parts, nodes, shape, &row).rows(p))?;
    let mut length = 1;
    while length < p {
        last = backend.map(jumped::of(&last))?;
        length *= 2;
    }
    let extents = backend.map(extent_of::of(&last, &parts, nodes, shape).rows(p))?;
    Ok(Fusion { parts, extents, row })
}

/// Returns 1 for a node that is left out: a producer, the statement that declares it, its consumers' INPUTs, VIEWs and READs, and the LAMBDA of a shared one.
#[device(map)]
pub fn left_out(i: NodeId, nodes: &Nodes, shape: &Shapes, parts: &Parts, row: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    let mut part = PartId::new(NO_NODE);
    match kind {
        Kind::Multiloop => {
            part = PartId::new(row[i.index()]);
        }
        Kind::Input => {
            part = part_of_input(i, nodes, shape, row);
        }
        Kind::View => {
            part = part_of_input(NodeId::new(nodes.data[i]), nodes, shape, row);
        }
        Kind::Name => {
            part = part_of_variable(NodeId::new(nodes.data[i]), nodes, shape, row);
        }
        Kind::Declare => {
            part = part_of_variable(i, nodes, shape, row);
        }
        Kind::Expression => {
            part = part_of_variable(i.plus(1), nodes, shape, row);
        }
        Kind::Ascribe => {
            // A fused MULTILOOP, or its variable, has an ASCRIBE around it only as a value that is left out with it.
            let below = i.plus(1);
            if nodes.kind[below] == Kind::Multiloop {
                part = PartId::new(row[below.index()]);
            } else if nodes.kind[below] == Kind::Name {
                part = part_of_variable(NodeId::new(nodes.data[below]), nodes, shape, row);
            }
        }
        Kind::Read => {
            part = part_of_input(input_of_read(i, nodes), nodes, shape, row);
            if !part.is_none() && parts.is_shared[part] == 1 {
                part = PartId::new(NO_NODE);
            }
        }
        Kind::Lambda => {
            part = PartId::new(row[shape.parent[i] as usize]);
            if !part.is_none() && parts.is_shared[part] == 0 {
                part = PartId::new(NO_NODE);
            }
        }
        _ => {}
    }
    !part.is_none() as u32
}
