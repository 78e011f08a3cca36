//! Devices: their memory and queues, and the fault by which one was lost.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use treepar_executor::Module;

use crate::arguments::CURRENT;
use crate::counts::DeviceCounts;
use crate::handles::{self, Object};
use crate::settings::Settings;
use crate::state::State;
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

/// Returns the counts of a device, and begins to count from zero. It first does the work that waits.
///
/// # Panics
/// If there is no such device.
pub fn take_counts(ordinal: usize) -> DeviceCounts {
    let device = find(ordinal).expect("a device that was added");
    // A lost device has counts, too.
    let _ = device.finish_all();
    std::mem::take(&mut device.state().counts)
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
        self.state().counts.calls.modules += 1;
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
        state.counts.calls.allocations += 1;
        Ok(address)
    }

    /// Adds work to the queue of a stream.
    ///
    /// # Errors
    /// The status of a fault.
    pub fn add(&self, stream: StreamId, work: Work) -> Result<(), Status> {
        let waits = {
            let mut state = self.state();
            state.counts.calls.add(&work);
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
            if let Err((status, text)) = state.run(&self.settings.machine, work) {
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
        state.counts.calls.waits += u64::from(waits);
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
        state.counts.calls.waits += u64::from(waits);
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
