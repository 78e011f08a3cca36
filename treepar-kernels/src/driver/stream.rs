//! Streams, and memory in their order; events.

#![expect(unsafe_code, reason = "the second level is called, and handles are shared between threads")]

use std::sync::Arc;

use cudarc::driver::sys::{CUevent, CUstream};

use super::device::{Context, Device};
use super::status::Class;
use crate::machine::{Error, Result};

/// A queue of work, which is done in order. A clone is the same stream.
#[derive(Clone)]
pub struct Stream(Arc<Queue>);

struct Queue {
    context: Arc<Context>,
    raw: CUstream,
    /// `true` if the stream is created here, and destroyed on drop.
    owned: bool,
}

// SAFETY: the driver's functions may be called from all threads, even for one stream.
unsafe impl Send for Queue {}
// SAFETY: as for `Send`.
unsafe impl Sync for Queue {}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: created by `Stream::new`; the driver keeps it until its work is done. A failure has no remedy.
            let _ = self.context.with(|cuda| unsafe { cuda.destroy_stream(self.raw) });
        }
    }
}

impl Stream {
    /// Creates a stream that does not wait for stream 0.
    ///
    /// # Errors
    /// [`Error::Lost`] or [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Stream> {
        let context = device.0.clone();
        // SAFETY: the context is current.
        let raw = context.call("creating a stream", |cuda| unsafe { cuda.create_stream() })?;
        Ok(Stream(Arc::new(Queue { context, raw, owned: true })))
    }

    /// Uses a stream of another library; null is stream 0.
    ///
    /// # Safety
    /// The stream belongs to the context of `device`, and outlives this and everything that is made of it.
    pub unsafe fn from_raw(device: &Device, stream: CUstream) -> Stream {
        Stream(Arc::new(Queue { context: device.0.clone(), raw: stream, owned: false }))
    }

    /// Returns the stream, for other libraries. It lives as long as this and everything that is made of it.
    pub fn as_raw(&self) -> CUstream {
        self.0.raw
    }

    /// Returns its device.
    pub fn device(&self) -> Device {
        Device(self.0.context.clone())
    }

    /// Waits for all work so far.
    ///
    /// # Errors
    /// [`Error::Lost`] if a kernel failed.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is alive, and its context current.
        self.context().call("waiting for a stream", |cuda| unsafe { cuda.synchronize_stream(self.as_raw()) })
    }

    /// Records an event after the work so far.
    ///
    /// # Errors
    /// [`Error::Lost`] or [`Error::Driver`].
    pub fn record(&self) -> Result<Event> {
        let event = Event::new(&self.device())?;
        event.record(self)?;
        Ok(event)
    }

    pub(super) fn context(&self) -> &Context {
        &self.0.context
    }

    /// Allocates memory in the order of this stream.
    pub(super) fn allocate(&self, bytes: usize) -> Result<u64> {
        let context = self.context();
        let address = context.with_room(|cuda| match context.pools {
            // SAFETY: the stream is alive, and its context current.
            true => unsafe { cuda.allocate_async(bytes, self.as_raw()) },
            // SAFETY: the context is current.
            false => unsafe { cuda.allocate(bytes) },
        });
        address.map_err(|status| match status.class() {
            Class::OutOfMemory => Error::OutOfMemory { needed: bytes as u64, free: context.free_memory().unwrap_or(0) },
            _ => context.error(status, &format!("allocating {bytes} bytes")),
        })
    }

    /// Frees memory after the work so far. The next call reports a lost device.
    ///
    /// # Safety
    /// The caller owns the memory, and later work does not use it.
    pub(super) unsafe fn release(&self, address: u64) {
        let _ = self.context().with(|cuda| match self.context().pools {
            // SAFETY: as the caller says; the stream is alive, and its context current.
            true => unsafe { cuda.free_async(address, self.as_raw()) },
            // SAFETY: as the caller says. The driver's function does not wait for streams that do not wait for stream 0, so
            // wait here. If the wait fails, a kernel may still use the memory, which is then not freed.
            false => unsafe { cuda.synchronize_stream(self.as_raw()).and_then(|()| cuda.free(address)) },
        });
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stream").field(&self.as_raw()).finish()
    }
}

/// A point in a stream, with the time at which it was reached.
pub struct Event {
    context: Arc<Context>,
    raw: CUevent,
}

// SAFETY: the driver's functions may be called from all threads, even for one event.
unsafe impl Send for Event {}
// SAFETY: as for `Send`.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event that records the time.
    ///
    /// # Errors
    /// [`Error::Lost`] or [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Event> {
        let context = device.0.clone();
        // SAFETY: the context is current.
        let raw = context.call("creating an event", |cuda| unsafe { cuda.create_event() })?;
        Ok(Event { context, raw })
    }

    /// Records the event after the work of the stream so far.
    ///
    /// # Errors
    /// [`Error::Driver`] if the stream belongs to another device.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        // SAFETY: stream and event are alive.
        self.context.call("recording an event", |cuda| unsafe { cuda.record_event(self.raw, stream.as_raw()) })
    }

    /// Waits until it is reached. An event that was never recorded counts as reached.
    ///
    /// # Errors
    /// [`Error::Lost`] if a kernel failed.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the event is alive.
        self.context.call("waiting for an event", |cuda| unsafe { cuda.synchronize_event(self.raw) })
    }

    /// Returns the milliseconds from `earlier` to this event. Both must be reached.
    ///
    /// # Errors
    /// [`Error::Driver`] if one is not.
    pub fn ms_since(&self, earlier: &Event) -> Result<f32> {
        // SAFETY: both events are alive.
        self.context.call("asking for a time", |cuda| unsafe { cuda.elapsed_ms(earlier.raw, self.raw) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created by `new`; the driver keeps it until it is reached. A failure has no remedy.
        let _ = self.context.with(|cuda| unsafe { cuda.destroy_event(self.raw) });
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Event").field(&self.raw).finish()
    }
}
