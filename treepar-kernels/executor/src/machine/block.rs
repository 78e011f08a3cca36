//! A block that runs: its warps, shared memory and barriers.

use super::order::Waiting;
use super::races::Shadow;
use super::warp::Warp;
use crate::code::LANES;
use crate::memory::Written;

/// Barriers of a block.
pub(super) const BARRIERS: usize = 16;

pub(super) struct Block {
    /// The linear index in the grid, and the index along each axis.
    pub linear: u32,
    pub index: [u32; 3],
    /// The multiprocessor.
    pub multiprocessor: u32,
    pub threads: u32,
    pub warps: Vec<Warp>,
    pub shared: Shared,
    pub barriers: [BarrierState; BARRIERS],
    pub shadow: Shadow,
    pub waiting: Waiting,
}

/// The shared memory of a block.
pub(super) struct Shared {
    pub bytes: Vec<u8>,
    pub written: Written,
}

/// A barrier: the threads that have arrived since it last opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BarrierState {
    pub arrived: u32,
    /// Arrived threads whose predicate is true.
    pub agreed: u32,
    /// The step of the first arrival.
    pub at: u32,
    /// The threads that take part, if not all.
    pub threads: Option<u32>,
}

impl Block {
    /// Returns the threads that have not ended.
    pub fn alive(&self) -> u32 {
        self.warps.iter().map(|warp| warp.alive.count_ones()).sum()
    }

    /// Returns the lanes of a warp that have a thread.
    pub fn lanes_of(threads: u32, warp: u32) -> u32 {
        let rest = threads - warp * LANES as u32;
        if rest >= LANES as u32 { u32::MAX } else { (1 << rest) - 1 }
    }
}
