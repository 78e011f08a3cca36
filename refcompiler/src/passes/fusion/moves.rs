//! The new index and the new depth of each node.
//!
//! A body that moves begins and ends at two positions, and goes to a third, its *anchor*: the READ that it replaces, or for a result
//! that is read more than once the begin of the body that reads it. These positions cut the nodes into *runs*. Each run is followed by
//! another one: at an anchor the body begins, at its end comes the run after its anchor, and at its old position a gap. So the runs are
//! a linked list, whose ranks are their new order.
//!
//! ```text
//! before   a .. [body] b .. READ c ..        a | body | b | c
//! after    a .. b .. [body] c ..             a -> b -> body -> c
//! ```

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::parts::{Fusion, PartId, Parts, left_out};
use super::shape::{Shapes, lambda};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// The events of a body, in this order at one position: its end, its begin, and its anchor.
const END: u32 = 0;
const BEGIN: u32 = 1;
const ANCHOR: u32 = 2;
const EVENTS: u32 = 3;

/// An index of a run. Run 0 begins with the first node, run k + 1 with event k.
#[device(index)]
pub struct RunId(u32);

/// By how much the nodes of a run move, modulo 2^32.
#[device(columns(Runs, index = RunId))]
pub struct Run {
    /// The index.
    pub index: u32,
    /// The depth.
    pub depth: u32,
}

/// The nodes that are left out.
#[device(columns(Lefts, index = NodeId))]
pub struct Left {
    /// 1 for a node that is left out.
    pub is_out: u32,
    /// How many nodes around it are, besides LAMBDAs.
    pub around: u32,
    /// How many nodes before it are not.
    pub kept: u32,
}

/// Where a node goes.
#[device(columns(Moves, index = NodeId))]
pub struct Move {
    /// The new index, [`NO_NODE`] of a node that is left out.
    pub index: u32,
    /// The new depth.
    pub depth: u32,
}

/// Returns how many nodes around a node are left out, besides LAMBDAs.
#[device(walk_down)]
fn left_around(i: NodeId, above: u32, nodes: &Nodes, parents: &[u32], left_out: &[u32]) -> u32 {
    let parent = parents[i.index()];
    if parent == NO_NODE {
        return 0;
    }
    above + (left_out[parent as usize] == 1 && nodes.kind[NodeId::new(parent)] != Kind::Lambda) as u32
}

/// Returns 1 for a node that stays.
#[device(scan(Sum))]
fn kept(i: usize, left_out: &[u32]) -> u32 {
    1 - left_out[i]
}

/// Returns the body of an event.
#[device]
fn part_of(event: u32) -> PartId {
    PartId::new(event / EVENTS)
}

/// Returns the position of an event, and its order at that position.
#[device(map)]
fn key(event: usize, parts: &Parts, shape: &Shapes) -> (u64, u32) {
    let p = part_of(event as u32);
    let kind = event as u32 % EVENTS;
    let m = NodeId::new(parts.node[p]);
    let position = match kind {
        END => shape.end[m],
        BEGIN => lambda(m, shape).get(),
        _ => parts.anchor[p],
    };
    ((position as u64) << 32 | (kind as u64) << 30 | p.get() as u64, event as u32)
}

/// Returns the event that ends run `k`.
#[device]
fn end_event(k: u32, events: &[u32]) -> u32 {
    events[k as usize]
}

/// Returns the run after run `k`, [`NO_NODE`] after the last.
#[device(map)]
fn next(k: RunId, events: &[u32], rank: &[u32]) -> u32 {
    if k.index() == events.len() {
        return NO_NODE;
    }
    // From an anchor to the begin, from the end to the anchor, and from the begin to the end.
    let event = end_event(k.get(), events);
    let kind = event % EVENTS;
    let other = match kind {
        ANCHOR => BEGIN,
        END => ANCHOR,
        _ => END,
    };
    rank[(event - kind + other) as usize] + 1
}

/// Returns the node with which a run begins.
#[device]
fn begin(k: u32, keys: &[u64]) -> u32 {
    if k == 0 { 0 } else { (keys[(k - 1) as usize] >> 32) as u32 }
}

/// Returns the run after run `k`, and how many links lead there.
#[device(map)]
fn link(k: usize, next: &[u32]) -> (u32, u32) {
    (next[k], (next[k] != NO_NODE) as u32)
}

/// Returns the link of run `k` and that of the run it leads to, as one link.
#[device(map)]
fn jump(k: usize, next: &[u32], passed: &[u32]) -> (u32, u32) {
    let at = next[k];
    if at == NO_NODE {
        return (NO_NODE, passed[k]);
    }
    (next[at as usize], passed[k] + passed[at as usize])
}

/// Returns how many runs come before a run, and the run. `following` counts the runs after each run.
#[device(map)]
fn place(k: usize, following: &[u32]) -> (u32, u32) {
    (following[0] - following[k], k as u32)
}

/// Returns the number of nodes of run `s` in order. `kept` counts nodes before each node, and `total` all.
#[device(scan(Sum))]
fn length(s: usize, runs: &[u32], keys: &[u64], left: &Lefts, total: u32) -> u32 {
    let k = runs[s];
    let end = if k as usize == keys.len() { total } else { left.kept[NodeId::new(begin(k + 1, keys))] };
    end - left.kept[NodeId::new(begin(k, keys))]
}

/// Returns the depth of a node, without the nodes around it that are left out.
#[device]
fn depth_of(i: NodeId, nodes: &Nodes, left: &Lefts) -> u32 {
    nodes.depth[i].wrapping_sub(left.around[i])
}

/// Runs of nodes in their new order, and the events that cut them.
#[device(tables)]
struct Order {
    runs: &[u32],
    events: &[u32],
}

/// Returns by how much the nodes of run `s` in order are deeper than the run before, modulo 2^32.
#[device(scan(Sum))]
fn deeper(s: usize, order: &Order, parts: &Parts, nodes: &Nodes, shape: &Shapes, left: &Lefts) -> u32 {
    let k = order.runs[s];
    if k == 0 {
        return 0;
    }
    let event = order.events[(k - 1) as usize];
    let p = part_of(event);
    let kind = event % EVENTS;
    if kind == END {
        return 0;
    }
    let body = depth_of(lambda(NodeId::new(parts.node[p]), shape), nodes, left);
    let is_shared = parts.is_shared[p] == 1;
    let at = NodeId::new(if is_shared { parts.anchor[p] - 1 } else { parts.anchor[p] });
    let there = depth_of(at, nodes, left);
    if kind == BEGIN { there.wrapping_sub(body) } else { body.wrapping_sub(there) }
}

/// Returns a run, and by how much its nodes move.
#[device(map)]
fn run(s: usize, runs: &[u32], keys: &[u64], left: &Lefts, before: &[u32], deeper: &[u32]) -> (u32, u32, u32) {
    let k = runs[s];
    (k, before[s].wrapping_sub(left.kept[NodeId::new(begin(k, keys))]), deeper[s])
}

/// Returns the begin of a run, and 1.
#[device(accumulate)]
fn cut(k: usize, keys: &[u64]) -> (u32, u32) {
    (begin(k as u32 + 1, keys), 1)
}

/// Returns how many events are at a node.
#[device(scan(Sum))]
fn cuts_at(i: usize, cuts: &[u32]) -> u32 {
    cuts[i]
}

#[device(map)]
fn moved(i: NodeId, nodes: &Nodes, left: &Lefts, run: &[u32], runs: &Runs) -> Move {
    let k = RunId::new(run[i.index()]);
    if left.is_out[i] == 1 {
        return Move { index: NO_NODE, depth: 0u32 };
    }
    Move {
        index: left.kept[i].wrapping_add(runs.index[k]),
        depth: depth_of(i, nodes, left).wrapping_add(runs.depth[k]),
    }
}

/// Returns where the nodes go, and how many are left.
pub fn moves<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    (parents, shape): (&Parents<B>, &Shapes<B>),
    fusion: &Fusion<B>,
) -> Result<(Moves<B>, usize)> {
    let (n, parts) = (nodes.len(), &fusion.parts);
    let is_out = backend.map(left_out::of(nodes, shape, parts, &fusion.row).rows(n))?;
    let around = backend.walk_down(parents, 0, left_around::of(nodes, parents.column(), &is_out))?;
    let (kept, total) = backend.scan(ScanKind::Exclusive, kept::of(&is_out), Sum)?;
    let left = Lefts { is_out, around, kept };

    let count = EVENTS as usize * fusion.extents.len();
    let (keys, event) = backend.map(key::of(parts, shape).rows(count))?;
    let (keys, events) = backend.sort_by_key(&keys, &event)?;
    let mut rank = backend.filled(count, 0u32)?;
    backend.scatter(&mut rank, &events, &event)?;
    // As `list::ranks`, but the number of rounds is known, so no round waits for a number.
    let next = backend.map(next::of(&events, &rank).rows(count + 1))?;
    let (mut next, mut following) = backend.map(link::of(&next))?;
    let mut length = 1;
    while length <= count {
        (next, following) = backend.map(jump::of(&next, &following))?;
        length *= 2;
    }
    let (place, run) = backend.map(place::of(&following))?;
    let mut order = backend.filled(count + 1, 0u32)?;
    backend.scatter(&mut order, &place, &run)?;

    let (before, _) = backend.scan(ScanKind::Exclusive, length::of(&order, &keys, &left, total), Sum)?;
    let in_order = OrderOn { runs: &order, events: &events };
    let deeper = deeper::of(&in_order, parts, nodes, shape, &left);
    let (deeper, _) = backend.scan(ScanKind::Inclusive, deeper, Sum)?;
    let (run, index, depth) = backend.map(run::of(&order, &keys, &left, &before, &deeper))?;
    let mut runs = Runs { index: backend.filled(count + 1, 0u32)?, depth: backend.filled(count + 1, 0u32)? };
    backend.scatter(&mut runs.index, &run, &index)?;
    backend.scatter(&mut runs.depth, &run, &depth)?;
    let mut cuts = backend.filled(n, 0u32)?;
    backend.accumulate(&mut cuts, cut::of(&keys).rows(count))?;
    let (run, _) = backend.scan(ScanKind::Inclusive, cuts_at::of(&cuts), Sum)?;
    Ok((backend.map(moved::of(nodes, &left, &run, &runs).rows(n))?, total as usize))
}
