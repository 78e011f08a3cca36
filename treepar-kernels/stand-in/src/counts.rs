//! Counts of a device: the kernels that it has run, and the calls that cost time besides.

use std::collections::BTreeMap;

use treepar_executor::Counts;

use crate::work::{ModuleId, Work};

/// The counts of a device since they were last taken.
#[derive(Clone, Debug, Default)]
pub struct DeviceCounts {
    /// The calls of the program.
    pub calls: CallCounts,
    /// The launches and counts of each entry that has run.
    pub kernels: BTreeMap<EntryId, EntryCounts>,
}

/// An entry of a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId {
    /// The module.
    pub module: ModuleId,
    /// The name of the entry.
    pub entry: String,
}

/// The launches of an entry and their counts.
#[derive(Clone, Debug, Default)]
pub struct EntryCounts {
    /// The number of launches.
    pub launches: u64,
    /// The sums of their counts.
    pub counts: Counts,
}

/// The calls of a program that cost time on a device besides its kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Launches of kernels.
    pub launches: u64,
    /// Waits of the host for unfinished work: of a stream, before an event, of the context, or for a copy to ordinary memory of
    /// the host.
    pub waits: u64,
    /// Allocations of device memory.
    pub allocations: u64,
    /// Copies to the device.
    pub uploads: u64,
    /// Copies to the host.
    pub downloads: u64,
    /// Copies within the device, and fills.
    pub fills: u64,
    /// Modules that were loaded.
    pub modules: u64,
}

impl CallCounts {
    /// Counts a piece of work that a program adds to a queue.
    pub(crate) fn add(&mut self, work: &Work) {
        match work {
            Work::Launch { .. } => self.launches += 1,
            Work::Write { .. } | Work::Upload { .. } => self.uploads += 1,
            Work::Download { .. } => self.downloads += 1,
            Work::Copy { .. } | Work::Fill { .. } => self.fills += 1,
            Work::Free(_) | Work::Record(_) => {}
        }
    }
}

impl DeviceCounts {
    /// Returns the sum of the counts of all kernels.
    pub fn total(&self) -> Counts {
        self.kernels.values().fold(Counts::default(), |mut sum, kernel| {
            sum += kernel.counts;
            sum
        })
    }
}
