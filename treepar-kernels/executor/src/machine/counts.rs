//! Counts of a launch's work.

use std::ops::AddAssign;

/// The work of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions that warps executed.
    pub warp_instructions: u64,
    /// Instructions that threads executed.
    pub thread_instructions: u64,
    /// Instructions of warps that access memory, of any space except parameters.
    pub memory_instructions: u64,
    /// Branches that warps executed.
    pub branches: u64,
    /// Branches at which the lanes of a warp parted.
    pub divergent_branches: u64,
    /// Loads from global memory.
    pub loads: Requests,
    /// Stores to global memory.
    pub stores: Requests,
    /// Atomic operations on global memory.
    pub atomics: Requests,
    /// Requests of warps to shared memory.
    pub shared_requests: u64,
    /// Rounds of the banks that requests to shared memory need beyond the first.
    pub bank_conflicts: u64,
    /// Barriers of blocks that warps executed.
    pub barriers: u64,
    /// Memory fences that warps executed.
    pub fences: u64,
    /// Pauses (`nanosleep`) of warps, which count the rounds of polling loops.
    pub pauses: u64,
}

/// Requests of warps to global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Instructions of warps.
    pub requests: u64,
    /// Aligned 32-byte parts of memory that the requests access, each counted once per request.
    pub sectors: u64,
    /// Bytes that the threads access.
    pub bytes: u64,
}

impl AddAssign for Requests {
    fn add_assign(&mut self, other: Requests) {
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.bytes += other.bytes;
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.memory_instructions += other.memory_instructions;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
        self.loads += other.loads;
        self.stores += other.stores;
        self.atomics += other.atomics;
        self.shared_requests += other.shared_requests;
        self.bank_conflicts += other.bank_conflicts;
        self.barriers += other.barriers;
        self.fences += other.fences;
        self.pauses += other.pauses;
    }
}
