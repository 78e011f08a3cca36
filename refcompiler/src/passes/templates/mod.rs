//! The mechanism of a rewriting: each node has a template, and the templates make the new tree.
//!
//! ```text
//! template of a node        before  head  (the subtrees of its children)  tail  after
//! events of a tree          one where a node begins, one where its subtree ends: 2n, in preorder
//! ```
//!
//! `before` and `after` wrap the node on behalf of its parent; `head` has the node itself, or what replaces it. All children
//! stay, once each. So the new tree is the sequence of events, each with its nodes. A node begins after the nodes
//! before it, and after the subtrees of all of these that are not around it: its event is `2 i - depth`. Subtrees end in
//! postorder, so the event of an end is `2 end - 1 - depth`. One scan over the events yields all positions. A pass that moves
//! subtrees counts with their new indices in preorder.
//!
//! A pass declares its tables with four macros, and adds the data of the new nodes:
//!
//! | macro | declares |
//! |---|---|
//! | `items::sources` | where the data of a node comes from |
//! | `items::pieces` | runs of nodes |
//! | `slots::slots` | templates of nodes, made of pieces, and the search for a node in them |
//! | `rules::forms` | the forms of nodes, each with its template |
//!
//! Nothing here knows which trees are rewritten.
//!
//! Cost: work O(n + m) for m new nodes, two scatters and a scan of 2n rows.

pub mod family;
pub mod items;
pub mod rules;
pub mod slots;

use treepar::backend::ScanKind;
use treepar::depth::Parents;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

/// The events of the nodes of a tree.
pub struct At<B: Backend> {
    /// The event where a node begins.
    pub begin: B::Vec<u32>,
    /// The event where its subtree ends.
    pub end: B::Vec<u32>,
}

#[device(map)]
fn events(i: usize, depth: &[u32], end: &[u32]) -> (u32, u32) {
    (2 * i as u32 - depth[i], 2 * end[i] - 1 - depth[i])
}

#[device(map)]
fn moved_events(i: usize, place: &[u32], depth: &[u32], end: &[u32]) -> (u32, u32) {
    let moved = place[i].wrapping_sub(i as u32);
    (2 * place[i] - depth[i], 2 * end[i].wrapping_add(moved) - 1 - depth[i])
}

impl<B: Backend> At<B> {
    /// Returns the events of a tree with these depths and ends of subtrees.
    pub fn new(backend: &B, depth: &B::Vec<u32>, end: &B::Vec<u32>) -> Result<At<B>> {
        let (begin, end) = backend.map(events::of(depth, end))?;
        Ok(At { begin, end })
    }

    /// Returns the events if each node moves to the index `place` in preorder.
    pub fn moved(backend: &B, place: &B::Vec<u32>, depth: &B::Vec<u32>, end: &B::Vec<u32>) -> Result<At<B>> {
        let (begin, end) = backend.map(moved_events::of(place, depth, end))?;
        Ok(At { begin, end })
    }
}

/// The positions of the new nodes.
pub struct Plan<B: Backend> {
    /// The content of each event: the number of nodes in the upper half; in the lower half the node, and in bit 0 whether it ends.
    pub events: B::Vec<u64>,
    /// The first new node of each event.
    pub offsets: B::Vec<u32>,
    /// The number of new nodes.
    pub total: usize,
}

/// Returns the first node of the tail of node `i`.
#[device(map)]
fn tail(i: usize, end_at: &[u32], offsets: &[u32]) -> u32 {
    offsets[end_at[i] as usize]
}

impl<B: Backend> Plan<B> {
    /// Returns the first node of the tail of each node.
    pub fn tails(&self, backend: &B, at: &At<B>) -> Result<B::Vec<u32>> {
        backend.map(tail::of(&at.end, &self.offsets))
    }
}

#[device(scan(Sum))]
fn nodes_of_event(e: usize, events: &[u64]) -> u32 {
    (events[e] >> 32) as u32
}

/// Returns the depth of a node that is `step` deeper than its parent.
#[device(walk_down)]
fn root(i: usize, parent: u32, step: &[u32]) -> u32 {
    parent.wrapping_add(step[i])
}

/// Returns the positions of the new nodes, given the contents of the events of each node; and the new depth of each old node, given
/// by how much it is deeper than its parent.
pub fn plan<B: Backend>(
    backend: &B,
    parents: &Parents<B>,
    at: &At<B>,
    (begins, ends): (B::Vec<u64>, B::Vec<u64>),
    step: &B::Vec<u32>,
) -> Result<(Plan<B>, B::Vec<u32>)> {
    let mut events = backend.allocate(2 * step.len())?;
    backend.scatter(&mut events, &at.begin, &begins)?;
    backend.scatter(&mut events, &at.end, &ends)?;
    let (offsets, total) = backend.scan(ScanKind::Exclusive, nodes_of_event::of(&events), Sum)?;
    let root = backend.walk_down(parents, u32::MAX, root::of(step))?;
    Ok((Plan { events, offsets, total: total as usize }, root))
}
