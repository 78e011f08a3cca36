//! The arguments of calls: handles and pointers of the program.

#![expect(unsafe_code, reason = "functions of C write through pointers of their callers")]

use std::cell::RefCell;
use std::ffi::{c_uint, c_void};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::Device;
use crate::handles::{self, Object};
use crate::status::Status;
use crate::work::{Event, StreamId};

/// A handle of the driver.
pub type Handle = *mut c_void;
/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Status>;

thread_local! {
    /// The devices whose contexts are current on this thread, the last one on top.
    pub static CURRENT: RefCell<Vec<Arc<Device>>> = const { RefCell::new(Vec::new()) };
}

/// The sizes of page-locked allocations by address.
pub static PINNED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// Writes a result through a pointer of the caller.
pub fn write<T>(to: *mut T, value: T) -> Result {
    let to = NonNull::new(to).ok_or(Status::InvalidValue)?;
    // SAFETY: the caller gives a pointer to memory for the result.
    unsafe { to.write(value) };
    Ok(())
}

/// Returns the device whose context is current on this thread.
pub fn current() -> Result<Arc<Device>> {
    CURRENT.with_borrow(|contexts| contexts.last().cloned()).ok_or(Status::InvalidContext)
}

/// Returns the device whose context is current, if it is not lost.
pub fn alive() -> Result<Arc<Device>> {
    let device = current()?;
    device.alive()?;
    Ok(device)
}

/// Returns the stream of a handle. It belongs to the current context.
pub fn stream(handle: Handle) -> Result<(Arc<Device>, StreamId)> {
    let device = current()?;
    if handle.is_null() {
        return Ok((device, 0));
    }
    match handles::get(handle)? {
        Object::Stream(owner, stream) if Arc::ptr_eq(&owner, &device) => Ok((device, stream)),
        Object::Stream(..) => Err(Status::InvalidContext),
        _ => Err(Status::InvalidHandle),
    }
}

/// Returns the event of a handle.
pub fn event(handle: Handle) -> Result<(Arc<Device>, Arc<Event>)> {
    match handles::get(handle)? {
        Object::Event(device, event) => Ok((device, event)),
        _ => Err(Status::InvalidHandle),
    }
}

/// Returns the device of a pool.
pub fn pool(handle: Handle) -> Result<Arc<Device>> {
    match handles::get(handle)? {
        Object::Pool(device) => Ok(device),
        _ => Err(Status::InvalidHandle),
    }
}

/// Returns whether the bytes are page-locked memory.
pub fn is_pinned(address: usize, bytes: usize) -> bool {
    let pinned = PINNED.lock().unwrap_or_else(PoisonError::into_inner);
    pinned.iter().any(|&(start, size)| start <= address && address + bytes <= start + size)
}

/// Writes an assembler's log to the buffer that the options of a load name.
///
/// # Safety
/// `options` and `values` have `count` elements, with the meaning of `cuModuleLoadDataEx`.
pub unsafe fn write_log(log: &str, count: c_uint, options: *const c_uint, values: *const Handle) {
    const LOG: c_uint = 5;
    const LOG_BYTES: c_uint = 6;
    let value = |option| {
        // SAFETY: there are `count` options.
        let index = (0..count as usize).find(|&i| unsafe { *options.add(i) } == option)?;
        // SAFETY: each option has a value.
        Some(unsafe { *values.add(index) })
    };
    let (Some(buffer), Some(bytes)) = (value(LOG), value(LOG_BYTES)) else { return };
    let most = (bytes.addr() & u32::MAX as usize).saturating_sub(1);
    let taken = &log.as_bytes()[..log.len().min(most)];
    if !buffer.is_null() && bytes.addr() > 0 {
        // SAFETY: the buffer has room for the text and a zero.
        unsafe {
            std::ptr::copy_nonoverlapping(taken.as_ptr(), buffer.cast(), taken.len());
            buffer.cast::<u8>().add(taken.len()).write(0);
        }
    }
}
