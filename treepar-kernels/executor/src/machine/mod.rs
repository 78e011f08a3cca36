//! How entries run: blocks, warps, their order, and the checks.

mod at_once;
mod atomic;
mod barrier;
mod block;
mod counts;
mod exchange;
mod grid;
mod order;
mod races;
mod random;
mod requests;
mod space;
mod transfer;
mod turn;
mod warp;

pub use counts::{Counts, Requests};

use crate::module::Entry;
use crate::{Fault, Memory};

/// A machine that runs launches, one at a time.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The number of blocks that one multiprocessor runs at once.
    pub resident_blocks: u32,
    /// The checks, and how far the machine departs from the order of the program.
    pub mode: Mode,
    /// Determines the order in which warps run. Equal seeds give equal runs.
    pub seed: u64,
    /// The instructions of a warp after which another one may continue.
    pub turn: u32,
    /// The instructions of all warps without any effect on memory after which a launch is a deadlock.
    pub patience: u64,
    /// The instructions of all warps after which a launch is too long.
    pub limit: u64,
}

/// The switches of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// A read of memory that nothing has written is a fault.
    pub unwritten_reads: bool,
    /// Two accesses of a block's threads to shared memory without a barrier in between are a fault, if one writes.
    pub races: bool,
    /// Lanes of a diverged warp run in any order, and meet only where an instruction demands it.
    pub independent_lanes: bool,
    /// Stores become visible to other threads late and in any order, as far as fences allow.
    pub late_stores: bool,
    /// Loads may return older values, as far as fences allow.
    pub early_loads: bool,
    /// Sectors and bank conflicts are counted.
    pub counts: bool,
}

impl Mode {
    /// Returns whether the order of memory is weaker than the order of the program.
    pub(crate) fn is_weak(&self) -> bool {
        self.late_stores || self.early_loads
    }
}

impl Default for Mode {
    /// Returns the mode that finds unwritten reads, and runs in the order of the program.
    fn default() -> Mode {
        Mode {
            unwritten_reads: true,
            races: false,
            independent_lanes: false,
            late_stores: false,
            early_loads: false,
            counts: true,
        }
    }
}

impl Default for Machine {
    /// Returns a machine with four multiprocessors of two blocks each, and launches of any length.
    fn default() -> Machine {
        Machine {
            multiprocessors: 4,
            resident_blocks: 2,
            mode: Mode::default(),
            seed: 0,
            turn: 256,
            patience: 1 << 25,
            limit: u64::MAX,
        }
    }
}

/// A launch of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// The number of blocks along each axis.
    pub grid: [u32; 3],
    /// The number of threads of a block along each axis.
    pub block: [u32; 3],
    /// The bytes of dynamic shared memory per block.
    pub shared: u32,
    /// The arguments, at the offsets of the parameters.
    pub arguments: &'a [u8],
}

impl Machine {
    /// Runs a launch to its end.
    ///
    /// # Errors
    /// The first fault. Memory then has the effects of all earlier instructions.
    pub fn launch(&self, memory: &mut Memory, launch: Launch) -> Result<Counts, Fault> {
        grid::Grid::new(self, memory, launch)?.run()
    }
}
