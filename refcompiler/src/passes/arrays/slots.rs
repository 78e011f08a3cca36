//! The mechanism of a rewriting: each node has a template, and the templates make the new tree.
//!
//! ```text
//! template of a node        before  head  (the subtrees of its children)  tail  after
//! events of a tree          one where a node begins, one where its subtree ends: 2n, in preorder
//! ```
//!
//! `before` and `after` wrap the node on behalf of its parent; `head` has the node itself, or what replaces it. All children
//! stay, once each and in order. So the new tree is the sequence of events, each with its nodes. A node begins after the nodes
//! before it, and after the subtrees of all of these that are not around it: its event is `2 i - depth`. Subtrees end in
//! postorder, so the event of an end is `2 end - 1 - depth`. One scan over the events yields all positions.
//!
//! Nothing here knows which trees are rewritten, except for the names of [pieces](super::pieces).
//!
//! Cost: work O(n + m) for m new nodes, two scatters and a scan of 2n rows.

use treepar::backend::ScanKind;
use treepar::depth::Parents;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::pieces::{Item, Piece};
use crate::ir::nodes::NodeId;

/// The nodes of one part of a template: `first`, then `times` times `group`, then `last`.
#[device]
pub struct Slot {
    /// The first nodes.
    pub first: Piece,
    /// The nodes that are repeated.
    pub group: Piece,
    /// The last nodes.
    pub last: Piece,
    /// Is added to all depths.
    pub shift: u8,
    /// How often.
    pub times: u32,
}

/// The template of a node.
#[device(columns(Templates, index = NodeId))]
pub struct Template {
    /// Before the node, from its parent.
    pub before: Slot,
    /// Instead of the node.
    pub head: Slot,
    /// After its children.
    pub tail: Slot,
    /// After the node, from its parent.
    pub after: Slot,
    /// How much deeper it is than its parent.
    pub step: u32,
}

/// A node of a slot, in its piece, and the number of its repetition.
#[device]
pub struct Found {
    /// The node.
    pub item: Item,
    /// The repetition.
    pub repetition: u32,
    /// Is added to its depth.
    pub shift: u32,
}

#[device]
impl Slot {
    /// Returns the number of nodes.
    pub fn length(self) -> u32 {
        self.first.length() + self.times * self.group.length() + self.last.length()
    }

    /// Returns node `k`.
    pub fn find(self, k: u32) -> Found {
        let first = self.first.length();
        let shift = self.shift as u32;
        if k < first {
            return Found { item: self.first.item(k), repetition: 0, shift };
        }
        let group = self.group.length();
        let repeated = self.times * group;
        if k - first < repeated {
            let repetition = (k - first) / group;
            let within = (k - first) % group;
            return Found { item: self.group.item(within), repetition, shift: shift + repetition * self.group.step() };
        }
        Found {
            item: self.last.item(k - first - repeated),
            repetition: 0,
            shift: shift + self.times * self.group.step(),
        }
    }
}

/// Returns the event where node `i` begins and the one where its subtree ends, and what they have: the number of nodes in
/// the upper half, the node and whether it ends in the lower.
#[device(map)]
fn events(i: NodeId, depth: &[u32], end: &[u32], templates: &Templates) -> (u32, u32, u64, u64) {
    let begins = templates.before[i].length() + templates.head[i].length();
    let ends = templates.tail[i].length() + templates.after[i].length();
    let node = (i.get() << 1) as u64;
    (
        2 * i.get() - depth[i.index()],
        2 * end[i.index()] - 1 - depth[i.index()],
        (begins as u64) << 32 | node,
        (ends as u64) << 32 | node | 1,
    )
}

#[device(scan(Sum))]
fn nodes_of_event(e: usize, events: &[u64]) -> u32 {
    (events[e] >> 32) as u32
}

/// Returns the first node of the head of node `i`.
#[device(map)]
fn start(i: NodeId, event: &[u32], offsets: &[u32], templates: &Templates) -> u32 {
    offsets[event[i.index()] as usize] + templates.before[i].length()
}

/// Returns the depth of a node.
#[device(walk_down)]
fn root(i: NodeId, parent: u32, templates: &Templates) -> u32 {
    parent.wrapping_add(templates.step[i])
}

/// The places of the new nodes.
pub struct Plan<B: Backend> {
    /// What each event has.
    pub events: B::Vec<u64>,
    /// The first new node of each event.
    pub offsets: B::Vec<u32>,
    /// The number of new nodes.
    pub total: usize,
    /// The first node of the head of each node.
    pub start: B::Vec<u32>,
    /// The new depth of each node.
    pub root: B::Vec<u32>,
}

/// Returns the places of the new nodes.
pub fn plan<B: Backend>(
    backend: &B,
    depth: &B::Vec<u32>,
    parent: &Parents<B>,
    end: &B::Vec<u32>,
    templates: &Templates<B>,
) -> Result<Plan<B>> {
    let (begin_at, end_at, begins, ends) = backend.map(events::of(depth, end, templates))?;
    let mut events = backend.allocate(2 * templates.len())?;
    backend.scatter(&mut events, &begin_at, &begins)?;
    backend.scatter(&mut events, &end_at, &ends)?;
    let (offsets, total) = backend.scan(ScanKind::Exclusive, nodes_of_event::of(&events), Sum)?;
    let start = backend.map(start::of(&begin_at, &offsets, templates))?;
    let root = backend.walk_down(parent, u32::MAX, root::of(templates))?;
    Ok(Plan { events, offsets, total: total as usize, start, root })
}
