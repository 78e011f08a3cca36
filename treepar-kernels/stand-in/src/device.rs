//! A device: its memory, the queues of its streams, and the faults and counts of its kernels.

#![expect(unsafe_code, reason = "copies read and write memory of the program by address")]

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use treepar_executor::{Counts, Fault, FaultKind, Launch, Memory, Module};

use crate::calls::CURRENT;
use crate::handles::{self, Object};
use crate::settings::Settings;
use crate::status::Status;
use crate::work::{Event, HostAddress, Loaded, Mark, ModuleId, StreamId, Work};

/// The queue of a stream is emptied when it has so much work.
const LONGEST_QUEUE: usize = 64;

/// A device of the stand-in.
pub struct Device {
    /// The number by which programs open it.
    pub ordinal: usize,
    /// The properties.
    pub settings: Settings,
    state: Mutex<State>,
    /// The handles of the primary context and of the memory pool.
    handles: OnceLock<[usize; 2]>,
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

#[derive(Default)]
struct State {
    memory: Memory,
    /// The size of each allocation.
    sizes: HashMap<u64, usize>,
    used: u64,
    queues: HashMap<StreamId, VecDeque<Work>>,
    streams: StreamId,
    /// The fault by which the device was lost.
    lost: Option<Status>,
    counts: BTreeMap<EntryId, EntryCounts>,
    calls: CallCounts,
}

static DEVICES: RwLock<Vec<Arc<Device>>> = RwLock::new(Vec::new());
/// The text of the last fault of any device. The texts are never freed, since programs hold their addresses.
static LAST_FAULT: Mutex<Option<(Status, &'static CString)>> = Mutex::new(None);

thread_local! {
    static REFUSALS: Cell<usize> = const { Cell::new(0) };
}

/// Makes the next `calls` calls of this thread that need memory find none: allocations, and loads and launches of kernels.
pub fn refuse_memory(calls: usize) {
    REFUSALS.set(calls);
}

/// Returns the number of contexts that are current on this thread.
pub fn current_contexts() -> usize {
    CURRENT.with_borrow(Vec::len)
}

/// Adds a device with these settings, and returns its number.
pub fn add_device(settings: Settings) -> usize {
    let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    let ordinal = devices.len();
    let state = Mutex::new(State { streams: 1, ..State::default() });
    devices.push(Arc::new(Device { ordinal, settings, state, handles: OnceLock::new() }));
    ordinal
}

/// Returns the launches and counts of each entry that a device has run. It first does the work that waits.
///
/// # Panics
/// If there is no such device.
pub fn counts(ordinal: usize) -> BTreeMap<EntryId, EntryCounts> {
    let device = find(ordinal).expect("a device that was added");
    let _ = device.finish_all();
    device.state().counts.clone()
}

/// Returns the calls for a device so far.
///
/// # Panics
/// If there is no such device.
pub fn call_counts(ordinal: usize) -> CallCounts {
    find(ordinal).expect("a device that was added").state().calls
}

/// Returns the number of devices.
pub fn count() -> usize {
    DEVICES.read().unwrap_or_else(PoisonError::into_inner).len()
}

/// Returns a device.
///
/// # Errors
/// [`Status::InvalidDevice`] if there is none of this number.
pub fn find(ordinal: usize) -> Result<Arc<Device>, Status> {
    DEVICES.read().unwrap_or_else(PoisonError::into_inner).get(ordinal).cloned().ok_or(Status::InvalidDevice)
}

/// Returns the text of the last fault, if it has this status.
pub fn fault_text(code: u32) -> Option<&'static CString> {
    let last = *LAST_FAULT.lock().unwrap_or_else(PoisonError::into_inner);
    last.filter(|(status, _)| *status as u32 == code).map(|(_, text)| text)
}

/// Returns an error if memory is refused, and counts the refusal.
///
/// # Errors
/// [`Status::OutOfMemory`] as [`refuse_memory`] says.
pub fn refused() -> Result<(), Status> {
    let left = REFUSALS.get();
    REFUSALS.set(left.saturating_sub(1));
    if left > 0 { Err(Status::OutOfMemory) } else { Ok(()) }
}

impl Device {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the handles of its context and of its pool.
    pub fn handles(self: &Arc<Device>) -> [*mut c_void; 2] {
        let handles = self.handles.get_or_init(|| {
            [Object::Context(self.clone()), Object::Pool(self.clone())].map(|object| handles::add(object).addr())
        });
        handles.map(std::ptr::without_provenance_mut)
    }

    /// Returns an error if the device is lost.
    ///
    /// # Errors
    /// The status of the fault.
    pub fn alive(&self) -> Result<(), Status> {
        self.state().lost.map_or(Ok(()), Err)
    }

    /// Returns the bytes that are allocated.
    pub fn used(&self) -> u64 {
        self.state().used
    }

    /// Returns the number of a new stream.
    pub fn add_stream(&self) -> StreamId {
        let mut state = self.state();
        state.streams += 1;
        state.streams
    }

    /// Gives the variables of a module their memory.
    ///
    /// # Errors
    /// [`Status::OutOfMemory`] if memory is refused or does not suffice.
    pub fn load(&self, id: ModuleId, mut module: Module) -> Result<Loaded, Status> {
        self.state().calls.modules += 1;
        module.load(&mut self.state().memory).map_err(|_| Status::OutOfMemory)?;
        Ok(Loaded { id, module })
    }

    /// Frees the variables of a module, after all work.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn unload(&self, module: &Module) -> Result<(), Status> {
        self.finish_all()?;
        module.clone().unload(&mut self.state().memory).map_err(|_| Status::InvalidHandle)
    }

    /// Allocates memory. Work of the stream that frees memory may make room.
    ///
    /// # Errors
    /// [`Status::OutOfMemory`] if there is no room.
    pub fn allocate(&self, bytes: usize, stream: StreamId) -> Result<u64, Status> {
        refused()?;
        if bytes == 0 {
            return Err(Status::InvalidValue);
        }
        let fits = |state: &State| state.used.saturating_add(bytes as u64) <= self.settings.memory;
        if !fits(&self.state()) {
            self.finish(stream)?;
        }
        let mut state = self.state();
        if !fits(&state) {
            return Err(Status::OutOfMemory);
        }
        let address = state.memory.allocate(bytes);
        state.sizes.insert(address, bytes);
        state.used += bytes as u64;
        state.calls.allocations += 1;
        Ok(address)
    }

    /// Adds work to the queue of a stream.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn add(&self, stream: StreamId, work: Work) -> Result<(), Status> {
        let waits = {
            let mut state = self.state();
            state.calls.add(&work);
            let queue = state.queues.entry(stream).or_default();
            queue.push_back(work);
            self.settings.queues && queue.len() < LONGEST_QUEUE
        };
        if waits { self.alive() } else { self.finish(stream) }
    }

    /// Does the work of a stream.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn finish(&self, stream: StreamId) -> Result<(), Status> {
        let mut state = self.state();
        while let Some(work) = state.queues.get_mut(&stream).and_then(VecDeque::pop_front) {
            // A lost device does no work.
            if state.lost.is_some() {
                continue;
            }
            if let Err((status, text)) = state.run(&self.settings, work) {
                state.lost = Some(status);
                // A zero cannot occur in a text of names and numbers.
                let text: &'static CString = Box::leak(Box::new(CString::new(text).unwrap_or_default()));
                *LAST_FAULT.lock().unwrap_or_else(PoisonError::into_inner) = Some((status, text));
            }
        }
        state.lost.map_or(Ok(()), Err)
    }

    /// Does the work of all streams.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn finish_all(&self) -> Result<(), Status> {
        let mut streams: Vec<StreamId> = self.state().queues.keys().copied().collect();
        streams.sort_unstable();
        for stream in streams {
            // The other streams lose their work, too.
            let _ = self.finish(stream);
        }
        self.alive()
    }

    /// Does the work of a stream, for which the host waits.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn wait(&self, stream: StreamId) -> Result<(), Status> {
        let mut state = self.state();
        let waits = state.queues.get(&stream).is_some_and(|queue| !queue.is_empty());
        state.calls.waits += u64::from(waits);
        drop(state);
        self.finish(stream)
    }

    /// Does the work of all streams, for which the host waits.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn wait_all(&self) -> Result<(), Status> {
        let mut state = self.state();
        let waits = state.queues.values().any(|queue| !queue.is_empty());
        state.calls.waits += u64::from(waits);
        drop(state);
        self.finish_all()
    }

    /// Does the work before an event.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn reach(&self, event: &Event) -> Result<(), Status> {
        match event.mark() {
            Mark::Waiting(stream) => self.wait(stream),
            _ => self.alive(),
        }
    }

    /// Copies to ordinary memory of the host, after the work of the stream.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn download(&self, to: *mut c_void, from: u64, bytes: usize, stream: StreamId) -> Result<(), Status> {
        self.add(stream, Work::Download { to: HostAddress(to.expose_provenance()), from, bytes })?;
        self.wait(stream)
    }
}

impl EntryCounts {
    /// Returns the launches and counts after `earlier` ones.
    pub fn since(&self, earlier: &EntryCounts) -> EntryCounts {
        EntryCounts { launches: self.launches - earlier.launches, counts: self.counts - earlier.counts }
    }
}

impl CallCounts {
    /// Returns the calls after `earlier` ones.
    pub fn since(&self, earlier: &CallCounts) -> CallCounts {
        CallCounts {
            launches: self.launches - earlier.launches,
            waits: self.waits - earlier.waits,
            allocations: self.allocations - earlier.allocations,
            uploads: self.uploads - earlier.uploads,
            downloads: self.downloads - earlier.downloads,
            fills: self.fills - earlier.fills,
            modules: self.modules - earlier.modules,
        }
    }

    fn add(&mut self, work: &Work) {
        match work {
            Work::Launch { .. } => self.launches += 1,
            Work::Write { .. } | Work::Upload { .. } => self.uploads += 1,
            Work::Download { .. } => self.downloads += 1,
            Work::Copy { .. } | Work::Fill { .. } => self.fills += 1,
            Work::Free(_) | Work::Record(_) => {}
        }
    }
}

/// The status and the text of a fault.
type Lost = (Status, String);

impl State {
    /// Does a piece of work.
    fn run(&mut self, settings: &Settings, work: Work) -> Result<(), Lost> {
        let host = |doing: &'static str| move |fault: Fault| (status_of(&fault), format!("{doing}: {fault}"));
        match work {
            Work::Launch { module, entry, shape, shared, arguments } => {
                let found = module.module.entry(&entry).expect("an entry that was found before");
                let launch =
                    Launch { entry: found, grid: shape.grid, block: shape.block, shared, arguments: &arguments };
                let run = settings.machine.launch(&mut self.memory, launch);
                let counts = run.map_err(|fault| (status_of(&fault), fault.to_string()))?;
                let sum = self.counts.entry(EntryId { module: module.id, entry }).or_default();
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
