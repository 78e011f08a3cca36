//! Templates of nodes: five runs of new nodes around the subtrees of the children, and the positions of all new nodes.
//!
//! ```text
//! before (of the parent)  lead  head  (the subtrees of the children)  tail  after (of the parent)
//! ```
//!
//! `lead` has statements before what replaces the node. A node can be replaced by nothing; then its children take its depth.

use treepar::depth::Parents;
use treepar::device::device;
use treepar::{Backend, Result};

use super::super::templates::{Item, Plan, Spread, plan};
use super::pieces::Piece;
use crate::ir::nodes::NodeId;

/// The nodes of one part of a template: `first`, then `times` times `group`, `inner` repeated and `close`, then `last`.
#[device]
pub struct Slot {
    /// The five pieces, 6 bits each.
    pub pieces: u32,
    /// How often the group is repeated.
    pub times: u32,
    /// How often `inner` in each repetition.
    pub inner_times: u32,
}

/// Bits of a piece.
const PIECE_BITS: u32 = 6;

/// Returns five pieces as a number.
pub const fn pieces(first: Piece, group: Piece, inner: Piece, close: Piece, last: Piece) -> u32 {
    let (first, group, inner) = (first.code() as u32, group.code() as u32, inner.code() as u32);
    let (close, last) = (close.code() as u32, last.code() as u32);
    first | group << PIECE_BITS | inner << (2 * PIECE_BITS) | close << (3 * PIECE_BITS) | last << (4 * PIECE_BITS)
}

const _: () = assert!(Piece::COUNT <= 1 << PIECE_BITS);

/// The template of a node.
#[device(columns(Templates, index = NodeId))]
pub struct Template {
    /// Before the node, from its parent.
    pub before: Slot,
    /// Statements before what replaces the node.
    pub lead: Slot,
    /// Instead of the node.
    pub head: Slot,
    /// After its children.
    pub tail: Slot,
    /// After the node, from its parent.
    pub after: Slot,
    /// How much deeper it is than its parent.
    pub step: u32,
}

/// A node of a slot, in its piece, and the numbers of its repetitions.
#[device]
pub struct Found {
    /// The node.
    pub item: Item,
    /// The repetition.
    pub repetition: u32,
    /// The repetition within it.
    pub inner: u32,
}

#[device]
impl Slot {
    /// Returns piece `k`.
    fn piece(self, k: u32) -> Piece {
        Piece::from_code((self.pieces >> (k * PIECE_BITS) & 63) as u8)
    }

    /// Returns the pieces that are repeated.
    pub fn group(self) -> Piece {
        self.piece(1u32)
    }

    /// Returns the number of nodes of a repetition.
    fn repeated(self) -> u32 {
        self.piece(1u32).length() + self.inner_times * self.piece(2u32).length() + self.piece(3u32).length()
    }

    /// Returns the number of nodes.
    pub fn length(self) -> u32 {
        self.piece(0u32).length() + self.times * self.repeated() + self.piece(4u32).length()
    }

    /// Returns node `k`.
    pub fn find(self, k: u32) -> Found {
        let first = self.piece(0u32).length();
        if k < first {
            return Found { item: self.piece(0u32).item(k), repetition: 0u32, inner: 0u32 };
        }
        let repeated = self.repeated();
        let all = self.times * repeated;
        if k - first >= all {
            return Found { item: self.piece(4u32).item(k - first - all), repetition: 0u32, inner: 0u32 };
        }
        let repetition = (k - first) / repeated;
        let within = (k - first) % repeated;
        let group = self.piece(1u32).length();
        if within < group {
            return Found { item: self.piece(1u32).item(within), repetition, inner: 0u32 };
        }
        let length = self.piece(2u32).length();
        if within - group < self.inner_times * length {
            let inner = (within - group) / length;
            return Found { item: self.piece(2u32).item((within - group) % length), repetition, inner };
        }
        Found { item: self.piece(3u32).item(within - group - self.inner_times * length), repetition, inner: 0u32 }
    }
}

/// Returns the event where node `i` begins and the one where its subtree ends, and what they have, as
/// [`Spread`](super::super::templates::Spread) says.
#[device(map)]
fn events(i: NodeId, depth: &[u32], end: &[u32], templates: &Templates) -> (u32, u32, u64, u64) {
    let begins = templates.before[i].length() + templates.lead[i].length() + templates.head[i].length();
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
fn start(i: NodeId, event: &[u32], offsets: &[u32], templates: &Templates) -> u32 {
    offsets[event[i.index()] as usize] + templates.before[i].length() + templates.lead[i].length()
}

/// Returns the places of the new nodes, and the first node of each head.
pub fn places<B: Backend>(
    backend: &B,
    depth: &B::Vec<u32>,
    parent: &Parents<B>,
    end: &B::Vec<u32>,
    templates: &Templates<B>,
) -> Result<(Plan<B>, B::Vec<u32>)> {
    let (begin_at, end_at, begins, ends) = backend.map(events::of(depth, end, templates))?;
    let spread = Spread { begin_at, end_at, begins, ends };
    let plan = plan(backend, parent, &spread, &templates.step)?;
    let start = backend.map(start::of(&spread.begin_at, &plan.offsets, templates))?;
    Ok((plan, start))
}
