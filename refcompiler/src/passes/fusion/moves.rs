//! The new index and the new depth of each node.

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::edges::{Edges, value};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// Where a node goes.
#[device(columns(Moves, index = NodeId))]
pub struct Move {
    /// The new index, [`NO_NODE`] of a node that is left out.
    pub index: u32,
    /// The new depth.
    pub depth: u32,
}

/// Returns the producer that takes the place of a READ, or of the INPUT of a VIEW, `NONE` if there is none.
#[device]
fn producer(i: NodeId, nodes: &Nodes, edges: &Edges) -> NodeId {
    let kind = nodes.kind[i];
    let mut input = i;
    if (kind == Kind::Read) | (kind == Kind::View) {
        input = NodeId::new(nodes.data[i]);
        if nodes.kind[input] == Kind::View {
            input = NodeId::new(nodes.data[input]);
        }
    } else if kind != Kind::Input {
        return NodeId::new(NO_NODE);
    }
    let value = value(input, nodes);
    if edges.fused[value] == 1 { value } else { NodeId::new(NO_NODE) }
}

/// Returns whether a node is left out: a producer, what is around it, and what reads it.
#[device]
fn is_left_out(i: NodeId, nodes: &Nodes, edges: &Edges) -> bool {
    if nodes.kind[i] == Kind::Ascribe {
        let parent = NodeId::new(edges.parent[i]);
        return nodes.kind[parent] == Kind::Input && edges.fused[i.plus(1)] == 1;
    }
    edges.fused[i] == 1 || !producer(i, nodes, edges).is_none()
}

/// Returns 1 if a node stays a node.
#[device(scan(Sum))]
fn kept(i: NodeId, nodes: &Nodes, edges: &Edges) -> u32 {
    !is_left_out(i, nodes, edges) as u32
}

/// Returns the LAMBDA of a MULTILOOP.
#[device]
fn lambda(m: NodeId, edges: &Edges) -> NodeId {
    NodeId::new(edges.parent[NodeId::new(edges.yields[m])])
}

/// Returns how many nodes the body of a producer has, with the bodies of its own producers. An INPUT has those of its value.
#[device(walk_up(Sum))]
fn sizes(i: NodeId, below: u32, nodes: &Nodes, edges: &Edges, kept: &[u32]) -> u32 {
    if edges.fused[i] == 1 {
        let body = lambda(i, edges);
        return kept[edges.end[body] as usize] - kept[body.index()] + below;
    }
    if (nodes.kind[i] == Kind::Input) | (nodes.kind[i] == Kind::Ascribe) { below } else { 0 }
}

/// Returns how many nodes are at a node in its container: those of a body instead of a READ.
#[device(scan(Sum))]
fn weight(i: NodeId, nodes: &Nodes, edges: &Edges, sizes: &[u32]) -> u32 {
    let producer = producer(i, nodes, edges);
    if !producer.is_none() && nodes.kind[i] == Kind::Read {
        return sizes[producer.index()];
    }
    !is_left_out(i, nodes, edges) as u32
}

/// Returns the last node of the body of a producer, and the number of its nodes.
#[device(map)]
fn last(i: NodeId, edges: &Edges, sizes: &[u32]) -> (u32, u32) {
    if edges.fused[i] == 0 {
        return (NO_NODE, 0);
    }
    (edges.end[lambda(i, edges)] - 1, sizes[i.index()])
}

#[device(scan(Sum))]
fn left(i: usize, left: &[u32]) -> u32 {
    left[i]
}

/// By how much the nodes around and in the body of a MULTILOOP move, modulo 2^32.
#[device]
pub struct Shift {
    /// The index of a node around it, from its distance.
    index: u32,
    /// The same of a node in the body.
    body_index: u32,
    /// The depth of a node around it.
    depth: u32,
    /// The same of a node in the body.
    body_depth: u32,
}

/// Returns the shift of a node. `counted` and `left` are the nodes before it, in its container and others, and in containers that have ended.
#[device(walk_down)]
fn shift(i: NodeId, above: Shift, nodes: &Nodes, edges: &Edges, counted: &[u32], left: &[u32]) -> Shift {
    let parent = NodeId::new(edges.parent[i]);
    if parent.is_none() {
        return Shift { index: 0u32, body_index: 0u32, depth: 0u32, body_depth: 0u32 };
    }
    if edges.fused[i] == 1 {
        let body = lambda(i, edges);
        let is_ascribed = nodes.kind[parent] == Kind::Ascribe;
        let input = if is_ascribed { NodeId::new(edges.parent[parent]) } else { parent };
        let read = NodeId::new(edges.reader[input]);
        let at = counted[read.index()].wrapping_sub(left[read.index()]);
        let from = counted[body.index()].wrapping_sub(left[body.index()]);
        return Shift {
            index: above.index,
            body_index: above.body_index.wrapping_add(at).wrapping_sub(from),
            // The INPUT, the MULTILOOP and what is between them are left out.
            depth: above.depth.wrapping_sub(i.get() - input.get() + 1),
            body_depth: above.body_depth.wrapping_add(nodes.depth[read]).wrapping_sub(nodes.depth[body]),
        };
    }
    let is_around = nodes.kind[i] == Kind::Multiloop
        || (nodes.kind[parent] == Kind::Multiloop
            && nodes.kind[i] != Kind::Lambda
            && producer(i, nodes, edges).is_none());
    if is_around {
        return Shift { index: above.index, body_index: above.index, depth: above.depth, body_depth: above.depth };
    }
    if nodes.kind[i] == Kind::Lambda {
        return Shift {
            index: above.body_index,
            body_index: above.body_index,
            depth: above.body_depth,
            body_depth: above.body_depth,
        };
    }
    above
}

#[device(map)]
fn place(i: NodeId, nodes: &Nodes, edges: &Edges, counted: &[u32], left: &[u32], shifts: &[Shift]) -> Move {
    let shift = shifts[i.index()];
    if is_left_out(i, nodes, edges) {
        return Move { index: NO_NODE, depth: 0u32 };
    }
    Move {
        index: counted[i.index()].wrapping_sub(left[i.index()]).wrapping_add(shift.index),
        depth: nodes.depth[i].wrapping_add(shift.depth),
    }
}

/// Returns where the nodes go, and how many are left.
pub fn moves<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    parents: &Parents<B>,
    edges: &Edges<B>,
) -> Result<(Moves<B>, usize)> {
    let n = nodes.len();
    let (kept, total) = backend.scan(ScanKind::Exclusive, kept::of(nodes, edges).rows(n), Sum)?;
    let sizes = backend.walk_up(parents, sizes::of(nodes, edges, &kept), Sum)?;
    let (counted, _) = backend.scan(ScanKind::Exclusive, weight::of(nodes, edges, &sizes).rows(n), Sum)?;
    let (last, size) = backend.map(last::of(edges, &sizes).rows(n))?;
    let mut ends = backend.filled(n, 0u32)?;
    backend.scatter(&mut ends, &last, &size)?;
    let (left, _) = backend.scan(ScanKind::Exclusive, left::of(&ends), Sum)?;
    let outside = Shift { index: 0, body_index: 0, depth: 0, body_depth: 0 };
    let shifts = backend.walk_down(parents, outside, shift::of(nodes, edges, &counted, &left))?;
    let moves = backend.map(place::of(nodes, edges, &counted, &left, &shifts).rows(n))?;
    Ok((moves, total as usize))
}
