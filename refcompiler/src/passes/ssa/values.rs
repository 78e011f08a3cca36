//! Values: which definition each read and each merge reads.
//!
//! ```text
//! IF, IF_ELSE, CHOOSE    condition  OPEN  branch  MIDDLE  branch  CLOSE = PHI
//! value after                       -             of OPEN         new
//!
//! WHILE                  OPEN = HEAD  condition  MIDDLE  body  CLOSE
//! FOR                    count  OPEN = HEAD  MIDDLE      body  CLOSE
//! value after                   new          -                 of MIDDLE
//! ```
//!
//! The events of a variable are sorted by their positions in the order of evaluation. A definition, a PHI and a HEAD have a
//! value of their own. Any other event has the value of an earlier one, its link: the event before it, or the point of its merge
//! that the table names. Links are followed by pointer jumping.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::{Max, Sum, index_u32};
use treepar::{Backend, Column, Result};

use super::merges::{MergeId, Merges};
use super::{NONE, is_event};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{Lifted, NodeId, Nodes};

/// The points of a merge.
pub const POINTS: u32 = 3;
pub const OPEN: u32 = 0;
const MIDDLE: u32 = 1;
pub const CLOSE: u32 = 2;

/// An index in the order of events.
#[device(index)]
pub struct Rank(u32);

/// An event, in the order of variables and positions. An event is a node, or a point of merge m: the number of nodes plus 3 m
/// plus the point.
#[device(columns(Events, index = Rank))]
pub struct Event {
    /// The event.
    pub event: u32,
    /// The rank of the last event before this one that is not a read.
    pub before: u32,
    /// The rank of the definition whose value the variable has after this event.
    pub link: u32,
}

#[device(compact)]
fn is_node_event(i: NodeId, nodes: &Nodes, memory: &[u32]) -> bool {
    is_event(i, nodes, memory)
}

/// Returns the index of a node in evaluation order.
#[device]
pub fn evaluated(node: u32, nodes: &Nodes, end: &[u32]) -> u64 {
    (end[node as usize] - 1 - nodes.depth[NodeId::new(node)]) as u64
}

/// Returns the position of a point of a merge: four times a node's index in evaluation order, and 1 or 2 after it, or 3 before
/// the next.
#[device]
pub fn position(statement: u32, point: u32, nodes: &Nodes, end: &[u32]) -> u64 {
    let condition = evaluated(statement + 1, nodes, end) * 4 + 1;
    let last = evaluated(statement, nodes, end);
    let kind = nodes.kind[NodeId::new(statement)];
    if point == CLOSE {
        return last * 4;
    }
    if kind == Kind::For {
        return condition + point as u64;
    }
    let is_loop = kind == Kind::While;
    if is_loop && point == OPEN {
        // Before the first node of the condition.
        return (last - (end[statement as usize] - 1 - statement) as u64) * 4 - 1;
    }
    if is_loop || point == OPEN {
        return condition;
    }
    evaluated(end[(statement + 1) as usize], nodes, end) * 4 + 1
}

/// Returns the key by which an event is sorted.
#[device]
fn key(variable: u32, position: u64) -> u64 {
    (variable as u64) << 34 | position
}

#[device(map)]
fn key_of_node(e: usize, events: &[u32], nodes: &Nodes, end: &[u32]) -> u64 {
    let node = events[e];
    let i = NodeId::new(node);
    let variable = if nodes.kind[i].is_variable() { nodes.data[i] } else { node };
    key(variable, evaluated(node, nodes, end) * 4)
}

/// Returns the key and the event of point `k`.
#[device(map)]
fn point(k: usize, nodes: &Nodes, end: &[u32], merges: &Merges) -> (u64, u32) {
    let point = k as u32;
    let m = MergeId::new(point / POINTS);
    let position = position(merges.statement[m], point % POINTS, nodes, end);
    (key(merges.variable[m], position), end.len() as u32 + point)
}

/// Returns the rank of an event that is not a read, else 0. The first event of a variable is its declaration.
#[device(scan(Max))]
fn defines(s: usize, event: &[u32], kinds: &[Kind]) -> u32 {
    let node = event[s] as usize;
    if node < kinds.len() && kinds[node].is_read() { 0 } else { s as u32 }
}

/// Returns the rank of the event from which event `s` has its value; its own if it defines one.
#[device(map)]
fn link(s: usize, event: &[u32], rank: &[u32], before: &[u32], kinds: &[Kind], merges: &Merges) -> u32 {
    let id = event[s] as usize;
    if id < kinds.len() {
        return if kinds[id].is_read() { before[s] } else { s as u32 };
    }
    let k = (id - kinds.len()) as u32;
    let is_loop = kinds[merges.statement[MergeId::new(k / POINTS)] as usize].is_loop();
    let point = k % POINTS;
    let of_merge = if is_loop { OPEN } else { CLOSE };
    let of_other = if is_loop { CLOSE } else { MIDDLE };
    if point == of_merge {
        return s as u32;
    }
    // The value of the point before this one returns.
    if point == of_other { rank[id - 1] } else { before[s] }
}

#[device(map)]
fn jumped(s: usize, link: &[u32]) -> u32 {
    link[link[s] as usize]
}

/// Returns 1 if the link of a link is another one.
#[device(reduce(Sum))]
fn moves(s: usize, link: &[u32]) -> u32 {
    (link[link[s] as usize] != link[s]) as u32
}

/// Returns the event that defines what `id` reads. `id` is a node, or a row of a merge's own nodes: itself and its two reads.
/// A LET reads itself; nodes that do not take part read [`NONE`].
#[device(map)]
fn definition(id: usize, events: &Events, rank: &[u32], nodes: &Nodes, memory: &[u32], merges: &Merges) -> u32 {
    let n = nodes.kind.len();
    if id < n {
        let i = NodeId::new(id as u32);
        let kind = nodes.kind[i];
        if kind == Kind::Param || kind == Kind::Count || !is_event(i, nodes, memory) {
            return NONE;
        }
        return if kind.is_read() { events.event[Rank::new(events.link[Rank::new(rank[id])])] } else { i.get() };
    }
    let k = (id - n) as u32;
    let read = k % POINTS;
    if read == 0 {
        return NONE;
    }
    let is_loop = nodes.kind[NodeId::new(merges.statement[MergeId::new(k / POINTS)])].is_loop();
    let of_first = if is_loop { OPEN } else { MIDDLE };
    let point = id - read as usize + (if read == 1 { of_first } else { CLOSE }) as usize;
    let before = Rank::new(events.before[Rank::new(rank[point])]);
    events.event[Rank::new(events.link[before])]
}

/// The events of variables, and the definitions that they read.
pub struct Values<B: Backend> {
    /// The events in order.
    pub events: Events<B>,
    /// The variable of each event in order, in the bits from 34 on, and its position.
    pub keys: B::Vec<u64>,
    /// The event that defines what each node and each row of a merge reads.
    pub definitions: B::Vec<u32>,
}

/// Returns the values of variables that do not stay in memory.
pub fn values<B: Backend>(
    backend: &B,
    lifted: &Lifted<B>,
    memory: &B::Vec<u32>,
    merges: &Merges<B>,
) -> Result<Values<B>> {
    let Lifted { nodes, structure, .. } = lifted;
    let n = nodes.len();
    let points = POINTS as usize * merges.len();
    let of_nodes = backend.compact(is_node_event::of(nodes, memory).rows(n))?;
    let count = of_nodes.len() + points;
    let keys_of_nodes = backend.map(key_of_node::of(&of_nodes, nodes, &structure.end))?;
    let (keys_of_points, of_points) = backend.map(point::of(nodes, &structure.end, merges).rows(points))?;
    let keys = backend.concat(&[&keys_of_nodes, &keys_of_points])?;
    let (keys, event) = backend.sort_by_key(&keys, &backend.concat(&[&of_nodes, &of_points])?)?;
    let mut rank = backend.filled(n + points, 0)?;
    backend.scatter(&mut rank, &event, &backend.map(index_u32::of().rows(count))?)?;

    let (before, _) = backend.scan(ScanKind::Exclusive, defines::of(&event, &nodes.kind), Max)?;
    let mut link = backend.map(link::of(&event, &rank, &before, &nodes.kind, merges).rows(count))?;
    while backend.reduce(moves::of(&link), Sum)? > 0 {
        link = backend.map(jumped::of(&link))?;
    }
    let events = Events { event, before, link };
    let definitions = backend.map(definition::of(&events, &rank, nodes, memory, merges).rows(n + points))?;
    Ok(Values { events, keys, definitions })
}
