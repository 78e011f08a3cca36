//! The state of a device, and the work that changes it.

#![expect(unsafe_code, reason = "copies read and write memory of the program by address")]

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use treepar_executor::{Fault, FaultKind, Launch, Machine, Memory};

use crate::counts::{DeviceCounts, EntryId};
use crate::status::Status;
use crate::work::{HostAddress, Mark, StreamId, Work};

/// The parts of a device that change.
#[derive(Default)]
pub struct State {
    /// The memory.
    pub memory: Memory,
    /// The size of each allocation.
    pub sizes: HashMap<u64, usize>,
    /// The bytes that are allocated.
    pub used: u64,
    /// The work of each stream that waits.
    pub queues: HashMap<StreamId, VecDeque<Work>>,
    /// The number of the last stream.
    pub streams: StreamId,
    /// The fault by which the device was lost.
    pub lost: Option<Status>,
    /// The counts since they were last taken.
    pub counts: DeviceCounts,
}

/// The status and the text of a fault.
pub type Lost = (Status, String);

impl State {
    /// Does a piece of work.
    pub fn run(&mut self, machine: &Machine, work: Work) -> Result<(), Lost> {
        let host = |doing: &'static str| move |fault: Fault| (status_of(&fault), format!("{doing}: {fault}"));
        match work {
            Work::Launch { module, entry, shape, shared, arguments } => {
                let found = module.module.entry(&entry).expect("an entry that was found before");
                let launch =
                    Launch { entry: found, grid: shape.grid, block: shape.block, shared, arguments: &arguments };
                let run = machine.launch(&mut self.memory, launch);
                let counts = run.map_err(|fault| (status_of(&fault), fault.to_string()))?;
                let sum = self.counts.kernels.entry(EntryId { module: module.id, entry }).or_default();
                sum.launches += 1;
                sum.counts += counts;
                Ok(())
            }
            Work::Write { to, bytes } => self.memory.write(to, &bytes).map_err(host("a copy to the device")),
            Work::Upload { to, from, bytes } => {
                // SAFETY: the program's memory has so many bytes, and lives until the work is done.
                let bytes = unsafe { std::slice::from_raw_parts(at(from), bytes) };
                self.memory.write(to, bytes).map_err(host("a copy to the device"))
            }
            Work::Download { to, from, bytes } => {
                // SAFETY: as for uploads. The bytes may be unwritten, so they are set first.
                let bytes = unsafe {
                    at(to).write_bytes(0, bytes);
                    std::slice::from_raw_parts_mut(at(to), bytes)
                };
                self.memory.read(from, bytes).map_err(host("a copy to the host"))
            }
            Work::Copy { to, from, bytes } => {
                self.memory.copy(from, to, bytes).map_err(host("a copy within the device"))
            }
            Work::Fill { at, value, bytes } => self.memory.fill(at, &[value], bytes).map_err(host("filling memory")),
            Work::Free(address) => {
                self.used -= self.sizes.remove(&address).unwrap_or(0) as u64;
                self.memory.free(address).map_err(host("freeing memory"))
            }
            Work::Record(event) => {
                event.set(Mark::Reached(Instant::now()));
                Ok(())
            }
        }
    }
}

fn at(HostAddress(address): HostAddress) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address)
}

/// Returns the status that the driver reports for a fault.
fn status_of(fault: &Fault) -> Status {
    match fault.kind {
        FaultKind::OutOfBounds { .. } => Status::IllegalAddress,
        FaultKind::Misaligned { .. } => Status::Misaligned,
        FaultKind::Deadlock(_) | FaultKind::TooLong(_) => Status::Timeout,
        _ => Status::LaunchFailed,
    }
}
