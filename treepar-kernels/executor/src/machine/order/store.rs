//! Stores before and after their delivery.

use std::collections::VecDeque;

/// Counters of the filter of addresses.
const FILTER: usize = 1024;

/// The threads that see a store before it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) enum Seen {
    /// Lanes of the storing thread's warp.
    Lanes(u32),
    Block,
}

/// A thread: its block, warp and lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Thread {
    pub block: u32,
    pub warp: u32,
    pub lane: usize,
}

/// Bytes at an address, which is a multiple of their number.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Piece {
    pub address: u64,
    pub len: usize,
    pub bytes: [u8; 16],
}

/// A load of a thread.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Observed {
    pub address: u64,
    pub len: usize,
    /// `true` if the program promises that no thread writes here, so that fences do not matter.
    pub fixed: bool,
    /// `true` if a later fence acquires the value of this load.
    pub strong: bool,
}

/// A store that was not delivered yet.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Pending {
    pub(super) thread: Thread,
    pub(super) seen: Seen,
    pub(super) piece: Piece,
}

/// A delivered store, with the bytes before it.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Delivered {
    pub(super) thread: Thread,
    pub(super) seen: Seen,
    pub(super) before: Piece,
    pub(super) time: u64,
}

/// The deliveries of a launch.
#[derive(Default)]
pub(in crate::machine) struct Log {
    pub(super) time: u64,
    pub(super) recent: VecDeque<Delivered>,
    pub(super) filter: Filter,
    pub(super) orphans: Vec<Pending>,
}

/// The stores of a block that wait.
#[derive(Default)]
pub(in crate::machine) struct Waiting {
    pub(super) stores: Vec<Pending>,
    pub(super) filter: Filter,
}

/// Counts addresses by a hash, so that most searches end at once.
pub(in crate::machine) struct Filter(Vec<u16>);

impl Default for Filter {
    fn default() -> Filter {
        Filter(vec![0; FILTER])
    }
}

impl Filter {
    pub(super) fn index(address: u64) -> usize {
        // Accesses have at most 16 bytes, and are aligned.
        ((address >> 4) % FILTER as u64) as usize
    }

    pub(super) fn add(&mut self, address: u64) {
        self.0[Filter::index(address)] += 1;
    }

    pub(super) fn remove(&mut self, address: u64) {
        self.0[Filter::index(address)] -= 1;
    }

    pub(super) fn may_contain(&self, address: u64) -> bool {
        self.0[Filter::index(address)] != 0
    }
}

impl Piece {
    pub fn new(address: u64, from: &[u8]) -> Piece {
        let mut bytes = [0; 16];
        bytes[..from.len()].copy_from_slice(from);
        Piece { address, len: from.len(), bytes }
    }

    pub(super) fn overlaps(&self, other: &Piece) -> bool {
        self.address < other.address + other.len as u64 && other.address < self.address + self.len as u64
    }

    /// Copies the bytes that both pieces have.
    pub(super) fn overlay(&mut self, other: &Piece) {
        for k in 0..self.len {
            let from = (self.address + k as u64).wrapping_sub(other.address);
            if from < other.len as u64 {
                self.bytes[k] = other.bytes[from as usize];
            }
        }
    }
}

impl Seen {
    pub(super) fn by(self, writer: Thread, reader: Thread) -> bool {
        match self {
            Seen::Block => writer.block == reader.block,
            Seen::Lanes(lanes) => {
                writer.block == reader.block && writer.warp == reader.warp && lanes >> reader.lane & 1 == 1
            }
        }
    }
}

impl Waiting {
    pub(super) fn remove(&mut self, index: usize) -> Pending {
        let store = self.stores.remove(index);
        self.filter.remove(store.piece.address);
        store
    }
}
