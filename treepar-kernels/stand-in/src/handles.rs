//! Handles: the numbers by which a program names contexts, streams, events, modules, functions and pools.
//!
//! A handle is the number of an object and never its address. An unknown handle is an error, not a crash.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::device::Device;
use crate::status::Status;
use crate::work::{Event, Loaded, StreamId};

/// An object of the driver.
#[derive(Clone)]
pub enum Object {
    /// The primary context of a device.
    Context(Arc<Device>),
    /// The memory pool of a device.
    Pool(Arc<Device>),
    /// A stream of a device.
    Stream(Arc<Device>, StreamId),
    /// An event of a device.
    Event(Arc<Device>, Arc<Event>),
    /// A module that a device has loaded.
    Module(Arc<Device>, Arc<Loaded>),
    /// An entry of a module.
    Function(Arc<Device>, Arc<Loaded>, String),
}

#[derive(Default)]
struct Handles {
    last: usize,
    objects: HashMap<usize, Object>,
}

static HANDLES: LazyLock<Mutex<Handles>> = LazyLock::new(Mutex::default);

/// Gives an object a new handle. Handles are never used again.
pub fn add(object: Object) -> *mut c_void {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    // Multiples of 16 look like addresses to a program that checks alignment.
    handles.last += 16;
    let handle = handles.last;
    handles.objects.insert(handle, object);
    std::ptr::without_provenance_mut(handle)
}

/// Returns the object of a handle.
///
/// # Errors
/// [`Status::InvalidHandle`] if it was removed, or was never given.
pub fn get(handle: *mut c_void) -> Result<Object, Status> {
    let handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    handles.objects.get(&handle.addr()).cloned().ok_or(Status::InvalidHandle)
}

/// Removes a handle.
///
/// # Errors
/// As [`get`].
pub fn remove(handle: *mut c_void) -> Result<Object, Status> {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    handles.objects.remove(&handle.addr()).ok_or(Status::InvalidHandle)
}
