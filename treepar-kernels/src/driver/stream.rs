//! Streams, and memory in their order; events.

#![expect(unsafe_code, reason = "the second level is called, and handles are shared between threads")]

use std::sync::Arc;

use cudarc::driver::sys::{CUevent, CUstream};

use super::device::{Context, Device};
use super::status::Class;
use crate::machine::{Error, Result};

/// A queue of work: what is put in is done in order. A clone is the same stream.
#[derive(Clone)]
pub struct Stream(Arc<Queue>);

struct Queue {
    context: Arc<Context>,
    raw: CUstream,
    /// Made by us, and destroyed when this goes.
    owned: bool,
}

// SAFETY: the driver's functions may be called from all threads, also for one stream.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: made by `Stream::new`; the driver keeps it until its work is done. Nothing is left to do if not.
            let _ = self.context.with(|cuda| unsafe { cuda.destroy_stream(self.raw) });
        }
    }
}

impl Stream {
    /// A new stream, which does not wait for the stream 0.
    ///
    /// # Errors
    /// [`Error::Lost`] or [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Stream> {
        let context = device.0.clone();
        // SAFETY: the context is current.
        let raw = context.call("making a stream", |cuda| unsafe { cuda.create_stream() })?;
        Ok(Stream(Arc::new(Queue { context, raw, owned: true })))
    }

    /// Uses a stream that another library made; null is the stream 0.
    ///
    /// # Safety
    /// The stream belongs to the context of `device`, and outlives this and all that is made on it.
    pub unsafe fn from_raw(device: &Device, stream: CUstream) -> Stream {
        Stream(Arc::new(Queue { context: device.0.clone(), raw: stream, owned: false }))
    }

    /// The stream, for other libraries; it lives as long as this and all that is made on it.
    pub fn as_raw(&self) -> CUstream {
        self.0.raw
    }

    /// Its device.
    pub fn device(&self) -> Device {
        Device(self.0.context.clone())
    }

    /// Waits for all work that was put in.
    ///
    /// # Errors
    /// [`Error::Lost`] where a kernel failed.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is alive, and its context current.
        self.context().call("waiting for a stream", |cuda| unsafe { cuda.synchronize_stream(self.as_raw()) })
    }

    /// A mark after the work that was put in.
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

    /// Memory in the order of this stream.
    pub(super) fn allocate(&self, bytes: usize) -> Result<u64> {
        let context = self.context();
        let address = context.with_room(|cuda| match context.pools {
            // SAFETY: the stream is alive, and its context current.
            true => unsafe { cuda.allocate_async(bytes, self.as_raw()) },
            // SAFETY: as above.
            false => unsafe { cuda.allocate(bytes) },
        });
        address.map_err(|status| match status.class() {
            Class::OutOfMemory => Error::OutOfMemory { needed: bytes as u64, free: context.free_memory().unwrap_or(0) },
            _ => context.error(status, &format!("allocating {bytes} bytes")),
        })
    }

    /// Gives memory back when the work that was put in is done. A lost device is reported by the next call.
    ///
    /// # Safety
    /// The memory is the caller's, and work put in later does not use it.
    pub(super) unsafe fn release(&self, address: u64) {
        let _ = self.context().with(|cuda| match self.context().pools {
            // SAFETY: as the caller says; the stream is alive, and its context current.
            true => unsafe { cuda.free_async(address, self.as_raw()) },
            // SAFETY: as above; the driver's function does not wait for streams that do not wait for the stream 0.
            // Where the wait fails, a kernel may still use the memory, which is kept.
            false => unsafe { cuda.synchronize_stream(self.as_raw()).and_then(|()| cuda.free(address)) },
        });
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stream").field(&self.as_raw()).finish()
    }
}

/// A mark in a stream, with the time at which it was reached.
pub struct Event {
    context: Arc<Context>,
    raw: CUevent,
}

// SAFETY: the driver's functions may be called from all threads, also for one event.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// An event that takes the time.
    ///
    /// # Errors
    /// [`Error::Lost`] or [`Error::Driver`].
    pub fn new(device: &Device) -> Result<Event> {
        let context = device.0.clone();
        // SAFETY: the context is current.
        let raw = context.call("making an event", |cuda| unsafe { cuda.create_event() })?;
        Ok(Event { context, raw })
    }

    /// Puts the mark after the work of the stream so far.
    ///
    /// # Errors
    /// [`Error::Driver`] where the stream is of another device.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        // SAFETY: stream and event are alive.
        self.context.call("recording an event", |cuda| unsafe { cuda.record_event(self.raw, stream.as_raw()) })
    }

    /// Waits until it is reached; an event that was never recorded is.
    ///
    /// # Errors
    /// [`Error::Lost`] where a kernel failed.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the event is alive.
        self.context.call("waiting for an event", |cuda| unsafe { cuda.synchronize_event(self.raw) })
    }

    /// Milliseconds from `earlier` to this one; both were recorded and are reached.
    ///
    /// # Errors
    /// [`Error::Driver`] where one is not.
    pub fn ms_since(&self, earlier: &Event) -> Result<f32> {
        // SAFETY: both events are alive.
        self.context.call("asking for a time", |cuda| unsafe { cuda.elapsed_ms(earlier.raw, self.raw) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: made by `new`; the driver keeps it until it is reached. Nothing is left to do if not.
        let _ = self.context.with(|cuda| unsafe { cuda.destroy_event(self.raw) });
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Event").field(&self.raw).finish()
    }
}
