//! Counts of a backend's work, the same on every machine.

use std::sync::atomic::{AtomicU64, Ordering};

use super::SortKey;

/// The work of a backend since it was made, as templates run and bytes that must move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The number of templates run. A machine may need several kernels for one template, and runs none for no rows.
    pub templates: u64,
    /// The bytes of the columns that they read and wrote, each counted once, and of transfers between host and machine.
    pub bytes: u64,
}

/// Counts for all threads that use a backend. An [`Executor`](super::Executor) holds one.
#[derive(Debug, Default)]
pub struct Tally {
    templates: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    /// Counts one template that moves `bytes`.
    pub(crate) fn template(&self, bytes: usize) {
        self.templates.fetch_add(1, Ordering::Relaxed);
        self.transfer(bytes);
    }

    /// Counts `bytes` that go between host and machine.
    pub(crate) fn transfer(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Adds the counts of other work.
    pub(super) fn add(&self, work: Counters) {
        self.templates.fetch_add(work.templates, Ordering::Relaxed);
        self.transfer(work.bytes as usize);
    }

    /// Returns all counts so far.
    pub(super) fn counters(&self) -> Counters {
        Counters { templates: self.templates.load(Ordering::Relaxed), bytes: self.bytes.load(Ordering::Relaxed) }
    }
}

/// Returns the bytes that a sort moves. It reads keys once to find the digits in which they differ. It moves keys and
/// payload once per such digit, and copies them if there is none.
pub(super) fn sort_bytes<K: SortKey>(n: usize, digits: usize) -> usize {
    n * (size_of::<K>() + 2 * (size_of::<K>() + size_of::<u32>()) * digits.max(1))
}
