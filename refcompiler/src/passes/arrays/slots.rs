//! The templates of nodes: up to three pieces before, in place of and after each node. [`templates`](crate::passes::templates) has
//! the mechanism.

use treepar::device::device;

use super::pieces::{Piece, step};
use crate::ir::nodes::NodeId;
use crate::passes::templates::Item;

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
            return Found { item: self.group.item(within), repetition, shift: shift + repetition * step(self.group) };
        }
        Found {
            item: self.last.item(k - first - repeated),
            repetition: 0,
            shift: shift + self.times * step(self.group),
        }
    }
}

/// Returns the event where node `i` begins and the one where its subtree ends, and what they have: the number of nodes in
/// the upper half, the node and whether it ends in the lower.
#[device(map)]
pub fn events(i: NodeId, depth: &[u32], end: &[u32], templates: &Templates) -> (u32, u32, u64, u64) {
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

/// Returns the first node of the head of node `i`.
#[device(map)]
pub fn start(i: NodeId, event: &[u32], offsets: &[u32], templates: &Templates) -> u32 {
    offsets[event[i.index()] as usize] + templates.before[i].length()
}
