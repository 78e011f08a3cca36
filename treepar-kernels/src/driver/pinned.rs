//! Page-locked memory of the host, and copies that run beside it.

#![expect(unsafe_code, reason = "the second level is called, and memory of the driver is read as slices")]

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;

use super::device::{Context, Device};
use super::status::Class;
use super::stream::{Event, Stream};
use crate::machine::{Error, Result};

/// `len` values on the host that the device copies to and from by itself. A slice to Rust.
pub struct PinnedBuffer<T: Pod> {
    context: Arc<Context>,
    values: NonNull<T>,
    len: usize,
}

// SAFETY: it owns its memory, as a `Vec` does; any thread may give page-locked memory back.
unsafe impl<T: Pod + Send> Send for PinnedBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Pod + Sync> Sync for PinnedBuffer<T> {}

impl<T: Pod> PinnedBuffer<T> {
    /// `len` values with all bits zero.
    ///
    /// # Errors
    /// [`Error::OutOfHostMemory`] where the system has no such memory left; [`Error::Lost`] or [`Error::Driver`].
    pub fn new(device: &Device, len: usize) -> Result<PinnedBuffer<T>> {
        let context = device.0.clone();
        let bytes = len.checked_mul(size_of::<T>()).ok_or(Error::OutOfHostMemory { needed: u64::MAX })?;
        if bytes == 0 {
            return Ok(PinnedBuffer { context, values: NonNull::dangling(), len });
        }
        let doing = || format!("allocating {bytes} bytes of page-locked memory");
        // SAFETY: the context is current.
        let memory = context.with(|cuda| unsafe { cuda.allocate_host(bytes) });
        let memory = memory.map_err(|status| match status.class() {
            Class::OutOfMemory => Error::OutOfHostMemory { needed: bytes as u64 },
            _ => context.error(status, &doing()),
        })?;
        let values = NonNull::new(memory.cast::<T>())
            .filter(|values| values.is_aligned())
            .ok_or_else(|| Error::Driver { doing: doing(), reason: "it gave no address".to_owned() })?;
        // SAFETY: as many bytes as were allocated; zeros are values.
        unsafe { values.as_ptr().cast::<u8>().write_bytes(0, bytes) };
        Ok(PinnedBuffer { context, values, len })
    }

    fn empty(context: Arc<Context>) -> PinnedBuffer<T> {
        PinnedBuffer { context, values: NonNull::dangling(), len: 0 }
    }

    /// A copy of values.
    ///
    /// # Errors
    /// As [`PinnedBuffer::new`].
    pub fn from_slice(device: &Device, values: &[T]) -> Result<PinnedBuffer<T>> {
        let mut buffer = PinnedBuffer::new(device, values.len())?;
        buffer.copy_from_slice(values);
        Ok(buffer)
    }
}

impl<T: Pod> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `len` values, written when they were allocated, and ours.
        unsafe { std::slice::from_raw_parts(self.values.as_ptr(), self.len) }
    }
}

impl<T: Pod> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.values.as_ptr(), self.len) }
    }
}

impl<T: Pod> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        if self.len * size_of::<T>() != 0 {
            // SAFETY: allocated by `new`; a transfer keeps the buffer until its copy is done.
            let _ = self.context.with(|cuda| unsafe { cuda.free_host(self.values.as_ptr().cast()) });
        }
    }
}

impl<T: Pod> std::fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PinnedBuffer<{}>({})", std::any::type_name::<T>(), self.len)
    }
}

/// A copy under way, with the host's buffer. Dropping it waits.
#[derive(Debug)]
#[must_use = "dropping a transfer waits for it"]
pub struct Transfer<T: Pod> {
    /// Empty once `wait` has taken it.
    buffer: PinnedBuffer<T>,
    done: Event,
}

impl<T: Pod> Transfer<T> {
    /// Starts a copy by `copy`, which puts it into the stream.
    pub(super) fn start(
        stream: &Stream,
        mut buffer: PinnedBuffer<T>,
        copy: impl FnOnce(&mut [T]) -> Result<()>,
    ) -> Result<Transfer<T>> {
        let done = Event::new(&stream.device())?;
        copy(&mut buffer)?;
        if let Err(error) = done.record(stream) {
            // The copy runs, and nothing else tells when it is done.
            let _ = stream.synchronize();
            return Err(error);
        }
        Ok(Transfer { buffer, done })
    }

    /// Whether the copy is done.
    ///
    /// # Errors
    /// [`Error::Lost`] where work before it failed.
    pub fn is_done(&self) -> Result<bool> {
        self.done.is_reached()
    }

    /// Waits for the copy, and gives the buffer back.
    ///
    /// # Errors
    /// [`Error::Lost`] where work before it failed.
    pub fn wait(mut self) -> Result<PinnedBuffer<T>> {
        self.done.synchronize()?;
        let empty = PinnedBuffer::empty(self.buffer.context.clone());
        Ok(std::mem::replace(&mut self.buffer, empty))
    }
}

impl<T: Pod> Drop for Transfer<T> {
    fn drop(&mut self) {
        if !self.buffer.is_empty() {
            // A device that is lost copies no more.
            let _ = self.done.synchronize();
        }
    }
}
