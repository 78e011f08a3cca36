//! Page-locked memory of the host.

#![expect(unsafe_code, reason = "the second level is called, and memory of the driver is read as slices")]

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use super::device::{Context, Device};
use super::status::Class;
use crate::machine::{Error, Result};

/// Bytes of the host that the device copies by itself. At least one.
pub(super) struct PinnedBuffer {
    context: Arc<Context>,
    bytes: NonNull<u8>,
    len: usize,
}

// SAFETY: it owns its memory, as a `Vec` does; any thread may free page-locked memory.
unsafe impl Send for PinnedBuffer {}

impl PinnedBuffer {
    /// Allocates `len` bytes, all zero. `len` is at least 1.
    ///
    /// # Errors
    /// [`Error::OutOfHostMemory`] if the system has no such memory left; [`Error::Lost`] or [`Error::Driver`].
    pub(super) fn new(device: &Device, len: usize) -> Result<PinnedBuffer> {
        let context = device.0.clone();
        let doing = || format!("allocating {len} bytes of page-locked memory");
        // SAFETY: the context is current.
        let memory = context.with(|cuda| unsafe { cuda.allocate_host(len) });
        let memory = memory.map_err(|status| match status.class() {
            Class::OutOfMemory => Error::OutOfHostMemory { needed: len as u64 },
            _ => context.error(status, &doing()),
        })?;
        let bytes = NonNull::new(memory.cast::<u8>())
            .ok_or_else(|| Error::Driver { doing: doing(), reason: "the driver returned no address".to_owned() })?;
        // SAFETY: the driver allocated so many bytes.
        unsafe { bytes.as_ptr().write_bytes(0, len) };
        Ok(PinnedBuffer { context, bytes, len })
    }
}

impl Deref for PinnedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `len` bytes, written by `new`, that this owns.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.len) }
    }
}

impl DerefMut for PinnedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: `len` bytes, written by `new`, that this owns and nobody else borrows.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.as_ptr(), self.len) }
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`; its owner waits for copies before it drops this.
        let _ = self.context.with(|cuda| unsafe { cuda.free_host(self.bytes.as_ptr().cast()) });
    }
}
