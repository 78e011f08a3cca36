//! The parts of templates, as runs of pieces.

use treepar::device::device;

use super::pieces::Piece;
use crate::ir::nodes::NodeId;
use crate::passes::templates::Item;

/// The nodes of one part of a template: up to eight pieces, 8 bits each from the lowest on, of which some are repeated.
#[device]
pub struct Slot {
    /// The pieces.
    pub pieces: u64,
    /// A number of repetitions.
    pub times: u32,
    /// How often piece k occurs, by two bits: 0 once, 1 `times`, 2 `more` times.
    pub repeats: u16,
    /// Another number of repetitions.
    pub more: u16,
}

/// Returns a slot of a piece, repeated as its number says.
pub const fn runs(pieces: &[(Piece, u16)]) -> (u64, u16) {
    assert!(pieces.len() <= 8);
    let (mut codes, mut repeats) = (0u64, 0u16);
    let mut k = 0;
    while k < pieces.len() {
        codes |= (pieces[k].0.code() as u64) << (8 * k);
        repeats |= pieces[k].1 << (2 * k);
        k += 1;
    }
    (codes, repeats)
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

#[device]
impl Slot {
    /// Returns how often the first piece occurs.
    pub fn count(self) -> u32 {
        match self.repeats & 3 {
            0 => 1,
            1 => self.times,
            _ => self.more as u32,
        }
    }

    /// Returns the first piece.
    pub fn first(self) -> Piece {
        Piece::from_code(self.pieces as u8)
    }

    /// Returns the slot without the first piece.
    pub fn rest(self) -> Slot {
        Slot { pieces: self.pieces >> 8, times: self.times, repeats: self.repeats >> 2, more: self.more }
    }

    /// Returns the number of nodes.
    pub fn length(self) -> u32 {
        let mut slot = self;
        let mut length = 0u32;
        while slot.pieces != 0u64 {
            length += slot.count() * slot.first().length();
            slot = slot.rest();
        }
        length
    }

    /// Returns node `k`.
    pub fn find(self, k: u32) -> Found {
        let mut slot = self;
        let mut within = k;
        let mut shift = 0u32;
        while within >= slot.count() * slot.first().length() {
            within -= slot.count() * slot.first().length();
            shift = shift.wrapping_add(slot.count().wrapping_mul(step(slot.first())));
            slot = slot.rest();
        }
        let length = slot.first().length();
        let repetition = within / length;
        // What opens is deeper from the second repetition on, and what closes is less deep from the first on.
        let deeper = if slot.first() == Piece::Close { repetition + 1 } else { repetition };
        shift = shift.wrapping_add(deeper.wrapping_mul(step(slot.first())));
        Found { item: slot.first().item(within % length), repetition, shift }
    }
}

/// Returns by how much each repetition of a piece is deeper than the one before it.
#[device]
fn step(piece: Piece) -> u32 {
    match piece {
        Piece::Open => 2,
        Piece::Close => 0u32.wrapping_sub(2),
        _ => 0,
    }
}
