//! The work of a program in a run: instructions, and accesses to memory.

use rvsim::{Clock, Op};

/// The instructions and the accesses to memory of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The number of executed instructions.
    pub instructions: u64,
    /// The number of loads from memory.
    pub loads: u64,
    /// The number of stores to memory.
    pub stores: u64,
    /// The bytes that loads read.
    pub loaded_bytes: u64,
    /// The bytes that stores wrote.
    pub stored_bytes: u64,
}

/// Counts up to a limit on instructions.
pub(super) struct Tally {
    pub(super) work: Work,
    pub(super) limit: u64,
}

/// Returns the bytes that an instruction loads and stores.
fn accessed(op: &Op) -> (u64, u64) {
    match op {
        Op::Lb { .. } | Op::Lbu { .. } => (1, 0),
        Op::Lh { .. } | Op::Lhu { .. } => (2, 0),
        Op::Lw { .. } | Op::Flw { .. } => (4, 0),
        Op::Fld { .. } => (8, 0),
        Op::Sb { .. } => (0, 1),
        Op::Sh { .. } => (0, 2),
        Op::Sw { .. } | Op::Fsw { .. } => (0, 4),
        Op::Fsd { .. } => (0, 8),
        _ => (0, 0),
    }
}

impl Clock for Tally {
    fn read_cycle(&self) -> u64 {
        self.work.instructions
    }
    fn read_time(&self) -> u64 {
        self.work.instructions
    }
    fn read_instret(&self) -> u64 {
        self.work.instructions
    }
    fn progress(&mut self, op: &Op) {
        let (loaded, stored) = accessed(op);
        self.work.instructions += 1;
        self.work.loads += u64::from(loaded > 0);
        self.work.stores += u64::from(stored > 0);
        self.work.loaded_bytes += loaded;
        self.work.stored_bytes += stored;
    }
    fn check_quota(&self) -> bool {
        self.work.instructions < self.limit
    }
}
