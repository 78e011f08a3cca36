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
//! subtrees counts with their new places in preorder.
//!
//! A template consists of *pieces*, runs of nodes in tables that a pass declares with [`pieces`]. Nothing here knows which
//! trees are rewritten.
//!
//! Cost: work O(n + m) for m new nodes, two scatters and a scan of 2n rows.

use treepar::backend::ScanKind;
use treepar::depth::Parents;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;

/// A node of a piece. Bits: 4 of the depth, 8 of the kind, 4 of the type, 8 of the source of its data, 8 of its number.
#[device]
pub struct Item {
    word: u32,
}

impl Item {
    /// Returns a node with these properties. A pass defines what types and sources mean.
    pub const fn new(depth: u32, kind: Kind, ty: u32, source: u8, number: u32) -> Item {
        assert!(depth < 16 && ty < 16 && number < 256);
        Item { word: depth | (kind.code() as u32) << 4 | ty << 12 | (source as u32) << 16 | number << 24 }
    }

    /// Returns the bits.
    pub const fn bits(self) -> u32 {
        self.word
    }
}

#[device]
impl Item {
    /// Returns the node with these bits.
    pub fn of_bits(word: u32) -> Item {
        Item { word }
    }

    /// Returns the depth.
    pub fn depth(self) -> u32 {
        self.word & 15
    }

    /// Returns the kind.
    pub fn kind(self) -> Kind {
        Kind::from_code((self.word >> 4) as u8)
    }

    /// Returns what stands for the type.
    pub fn ty(self) -> u32 {
        (self.word >> 12) & 15
    }

    /// Returns the code of the source of its data.
    pub fn source(self) -> u32 {
        (self.word >> 16) & 255
    }

    /// Returns the number of the source.
    pub fn number(self) -> u32 {
        self.word >> 24
    }
}

/// Declares the pieces of a pass: the enum `Piece`, with the number of nodes of each and its nodes.
macro_rules! pieces {
    ($($(#[$doc:meta])* $name:ident = [$($item:expr),* $(,)?];)*) => {
        /// A run of nodes of a template.
        #[device]
        pub enum Piece {
            $($(#[$doc])* $name,)*
        }

        const LISTS: [&[Item]; Piece::COUNT] = [$(&[$($item),*]),*];

        /// The index of the first node of each piece in [`ITEMS`], and their number.
        const FIRST: [u32; Piece::COUNT + 1] = {
            let mut first = [0; Piece::COUNT + 1];
            let mut p = 0;
            while p < Piece::COUNT {
                first[p + 1] = first[p] + LISTS[p].len() as u32;
                p += 1;
            }
            first
        };

        /// The nodes of all pieces.
        const ITEMS: [u32; FIRST[Piece::COUNT] as usize] = {
            let mut items = [0; FIRST[Piece::COUNT] as usize];
            let (mut p, mut next) = (0, 0);
            while p < Piece::COUNT {
                let mut k = 0;
                while k < LISTS[p].len() {
                    items[next] = LISTS[p][k].bits();
                    next += 1;
                    k += 1;
                }
                p += 1;
            }
            items
        };

        const _: () = assert!(Piece::COUNT < 256);

        #[device]
        impl Piece {
            /// Returns the number of nodes.
            pub fn length(self) -> u32 {
                FIRST[self.code() as usize + 1] - FIRST[self.code() as usize]
            }

            /// Returns node `k`.
            pub fn item(self, k: u32) -> Item {
                Item::of_bits(ITEMS[(FIRST[self.code() as usize] + k) as usize])
            }
        }
    };
}
pub(super) use pieces;

/// Where the nodes of templates belong, by node of the old tree.
pub struct Spread<B: Backend> {
    /// The event where a node begins.
    pub begin_at: B::Vec<u32>,
    /// The event where its subtree ends.
    pub end_at: B::Vec<u32>,
    /// What the first of these has: the number of nodes in the upper half, the node and whether it ends in the lower.
    pub begins: B::Vec<u64>,
    /// The same of the second.
    pub ends: B::Vec<u64>,
}

#[device(scan(Sum))]
fn nodes_of_event(e: usize, events: &[u64]) -> u32 {
    (events[e] >> 32) as u32
}

/// Returns the depth of a node, of which `step` says by how much it is deeper than its parent.
#[device(walk_down)]
fn root(i: usize, parent: u32, step: &[u32]) -> u32 {
    parent.wrapping_add(step[i])
}

/// The places of the new nodes.
pub struct Plan<B: Backend> {
    /// What each event has.
    pub events: B::Vec<u64>,
    /// The first new node of each event.
    pub offsets: B::Vec<u32>,
    /// The number of new nodes.
    pub total: usize,
    /// The new depth of each old node.
    pub root: B::Vec<u32>,
}

/// Returns the places of the new nodes.
pub fn plan<B: Backend>(backend: &B, parent: &Parents<B>, spread: &Spread<B>, step: &B::Vec<u32>) -> Result<Plan<B>> {
    let mut events = backend.allocate(2 * step.len())?;
    backend.scatter(&mut events, &spread.begin_at, &spread.begins)?;
    backend.scatter(&mut events, &spread.end_at, &spread.ends)?;
    let (offsets, total) = backend.scan(ScanKind::Exclusive, nodes_of_event::of(&events), Sum)?;
    let root = backend.walk_down(parent, u32::MAX, root::of(step))?;
    Ok(Plan { events, offsets, total: total as usize, root })
}
