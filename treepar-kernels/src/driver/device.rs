//! Devices and their contexts.

#![expect(unsafe_code, reason = "the second level is called, and handles are shared between threads")]

use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUcontext, CUdevice, CUdevice_attribute as Attribute, CUmemPool_attribute, CUmemoryPool};

use super::library::{self, OLDEST};
use super::raw::Cuda;
use super::status::{Class, Status, Version};
use crate::machine::{Error, Result};

/// The oldest supported compute capability.
pub const OLDEST_CAPABILITY: (u32, u32) = (7, 5);

/// A GPU with its context. A clone is the same device.
#[derive(Clone)]
pub struct Device(pub(super) Arc<Context>);

/// The properties of a device, read once.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) driver: Version,
    pub(super) capability: (u32, u32),
    pub(super) multiprocessors: u32,
    pub(super) multiprocessor_threads: u32,
    pub(super) block_threads: u32,
    pub(super) grid_blocks: u32,
    pub(super) total_memory: usize,
}

/// The context, which all other objects share.
pub(super) struct Context {
    pub(super) cuda: &'static Cuda,
    raw: CUcontext,
    device: CUdevice,
    /// `true` if the context is retained here, and released on drop.
    retained: bool,
    /// `true` if the device has memory pools.
    pub(super) pools: bool,
    pub(super) facts: Facts,
    /// The kernel that was launched last, which is named when a fault is reported.
    last_kernel: Mutex<Option<Arc<str>>>,
}

// SAFETY: the driver's functions may be called from all threads. A context belongs to all threads, and each call makes it
// current.
unsafe impl Send for Context {}
// SAFETY: as for `Send`.
unsafe impl Sync for Context {}

impl Device {
    /// Opens a device, counted from 0, with its primary context, which CUDA's runtime uses too.
    ///
    /// It makes the device's pool keep freed memory, unless a threshold is already set.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::NoDevice`], [`Error::DriverTooOld`] before CUDA 12.0, [`Error::DeviceTooOld`] before
    /// compute capability 7.5; [`Error::Driver`] if the driver refuses.
    pub fn open(ordinal: usize) -> Result<Device> {
        Device::open_with(library::cuda()?, ordinal)
    }

    pub(super) fn open_with(cuda: &'static Cuda, ordinal: usize) -> Result<Device> {
        let fail = |doing: &'static str| move |status: Status| status.error(cuda, doing);
        let driver = start(cuda, ordinal)?;
        let found = cuda.device_count().map_err(fail("counting devices"))?;
        let number = c_int::try_from(ordinal).ok().filter(|_| ordinal < found);
        let number = number.ok_or(Error::NoDevice { ordinal, found })?;
        let device = cuda.device(number).map_err(fail("opening a device"))?;
        // SAFETY: the driver gave this device.
        let facts = unsafe { Facts::read(cuda, device, driver) }?;
        // SAFETY: the driver gave this device.
        let raw = unsafe { cuda.retain_primary_context(device) }.map_err(fail("making a context"))?;
        // SAFETY: the driver gave this device and this context.
        let device = unsafe { Device::assemble(cuda, raw, device, true, facts) };
        // The device works without this, only slower.
        let _ = device.0.keep_memory();
        Ok(device)
    }

    /// Uses a context of another library. The pool of its device is not changed.
    ///
    /// # Safety
    /// The context is alive, and outlives this device and everything that is made of it.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub unsafe fn from_raw(context: CUcontext) -> Result<Device> {
        let cuda = library::cuda()?;
        // SAFETY: as the caller says.
        unsafe { Device::from_raw_with(cuda, context) }
    }

    pub(super) unsafe fn from_raw_with(cuda: &'static Cuda, raw: CUcontext) -> Result<Device> {
        let driver = start(cuda, 0)?;
        // SAFETY: the context is alive, as the caller says.
        let device = unsafe { current(cuda, raw).and_then(|_current| cuda.device_of_context()) };
        let device = device.map_err(|status| status.error(cuda, "the use of a context"))?;
        // SAFETY: the driver gave this device.
        unsafe { Ok(Device::assemble(cuda, raw, device, false, Facts::read(cuda, device, driver)?)) }
    }

    unsafe fn assemble(cuda: &'static Cuda, raw: CUcontext, device: CUdevice, retained: bool, facts: Facts) -> Device {
        // SAFETY: the driver gave this device, as the caller says. A device for which this fails has no pools.
        let pools = unsafe {
            let pools = cuda.device_attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
            pools == Ok(1) && cuda.pool(device).is_ok()
        };
        Device(Arc::new(Context { cuda, raw, device, retained, pools, facts, last_kernel: Mutex::new(None) }))
    }

    /// Returns the context, for other libraries. It lives as long as the device and everything that is made of it.
    pub fn as_raw(&self) -> CUcontext {
        self.0.raw
    }

    /// Returns its name: `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.0.facts.name
    }

    /// Returns the version of CUDA that its driver supports.
    pub fn driver_version(&self) -> Version {
        self.0.facts.driver
    }

    /// Returns its compute capability: `(9, 0)`.
    pub fn capability(&self) -> (u32, u32) {
        self.0.facts.capability
    }

    /// Returns the number of its multiprocessors.
    pub fn multiprocessors(&self) -> u32 {
        self.0.facts.multiprocessors
    }

    /// Returns the number of threads that a multiprocessor runs at a time.
    pub fn multiprocessor_threads(&self) -> u32 {
        self.0.facts.multiprocessor_threads
    }

    /// Returns the bytes of its memory.
    pub fn total_memory(&self) -> usize {
        self.0.facts.total_memory
    }

    /// Returns the bytes that can be allocated: those that are free, and those that the pool keeps unused.
    ///
    /// # Errors
    /// [`Error::Lost`] or [`Error::Driver`].
    pub fn free_memory(&self) -> Result<u64> {
        self.0.free_memory().map_err(|status| self.0.error(status, "asking for free memory"))
    }

    /// Waits for the work of all streams.
    ///
    /// # Errors
    /// [`Error::Lost`] if a kernel failed.
    pub fn synchronize(&self) -> Result<()> {
        self.0.call("waiting for the device", |cuda| {
            // SAFETY: the context is current.
            unsafe { cuda.synchronize_context() }
        })
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Device").field(&self.0.facts).finish()
    }
}

/// Starts the driver, and returns its version.
fn start(cuda: &'static Cuda, ordinal: usize) -> Result<Version> {
    cuda.initialize().map_err(|status| match status.class() {
        Class::NoDriver => Error::NoDriver { library: library::DRIVER },
        Class::NoDevice => Error::NoDevice { ordinal, found: 0 },
        _ => status.error(cuda, "starting the driver"),
    })?;
    let version = cuda.version().map_err(|status| status.error(cuda, "asking for the driver's version"))?;
    if version < OLDEST {
        return Err(Error::DriverTooOld { found: version.to_string(), needed: OLDEST.to_string() });
    }
    Ok(version)
}

impl Facts {
    unsafe fn read(cuda: &'static Cuda, device: CUdevice, driver: Version) -> Result<Facts> {
        use Attribute::*;
        let fail = |status: Status| status.error(cuda, "asking for properties of the device");
        // SAFETY: the driver gave this device, as the caller says.
        let ask = |attribute| unsafe { cuda.device_attribute(device, attribute) }.map_err(fail);
        let facts = Facts {
            // SAFETY: the driver gave this device, as the caller says.
            name: unsafe { cuda.device_name(device) }.map_err(fail)?,
            driver,
            capability: (
                ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            multiprocessors: ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            multiprocessor_threads: ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            block_threads: ask(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            grid_blocks: ask(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            // SAFETY: the driver gave this device, as the caller says.
            total_memory: unsafe { cuda.total_memory(device) }.map_err(fail)?,
        };
        if facts.capability < OLDEST_CAPABILITY {
            let version = |(major, minor)| Version { major, minor }.to_string();
            let (found, needed) = (version(facts.capability), version(OLDEST_CAPABILITY));
            return Err(Error::DeviceTooOld { device: facts.name, found, needed });
        }
        Ok(facts)
    }
}

impl Context {
    /// Calls the driver with this context current. `doing` is a noun, for errors.
    pub(super) fn call<T>(&self, doing: &str, call: impl FnOnce(&Cuda) -> super::result::Result<T>) -> Result<T> {
        self.with(call).map_err(|status| self.error(status, doing))
    }

    /// Calls the driver with this context current, and returns its status.
    pub(super) fn with<T>(&self, call: impl FnOnce(&Cuda) -> super::result::Result<T>) -> super::result::Result<T> {
        // SAFETY: the context is alive as long as this is.
        let _current = unsafe { current(self.cuda, self.raw) }?;
        call(self.cuda)
    }

    /// Calls the driver like `with`, and once more if there is no memory. Before the second call it waits for all work, which
    /// may free memory, and makes the pool release its unused memory.
    ///
    /// It waits for the context and not for one stream, since another stream may be about to free memory.
    pub(super) fn with_room<T>(
        &self,
        mut call: impl FnMut(&Cuda) -> super::result::Result<T>,
    ) -> super::result::Result<T> {
        match self.with(&mut call) {
            Err(status) if status.class() == Class::OutOfMemory => {
                self.with(|cuda| {
                    // SAFETY: the context is current, and the pool belongs to its device.
                    unsafe {
                        cuda.synchronize_context()?;
                        self.pool(cuda)?.map_or(Ok(()), |pool| cuda.trim_pool(pool))
                    }
                })?;
                self.with(call)
            }
            first => first,
        }
    }

    /// Returns the error of a status. It names the last kernel if the device is lost, and the free bytes if there is no
    /// memory.
    pub(super) fn error(&self, status: Status, doing: &str) -> Error {
        let last = self.last_kernel.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let doing = match (status.class(), last) {
            (Class::Lost, Some(kernel)) => format!("{doing} after kernel `{kernel}`"),
            _ => doing.to_owned(),
        };
        let mut error = status.error(self.cuda, &doing);
        if let Error::NoRoom { reason, .. } = &mut error
            && let Ok(free) = self.free_memory()
        {
            *reason += &format!("; {free} bytes of the device are free");
        }
        error
    }

    /// Remembers the kernel that was launched last.
    pub(super) fn launched(&self, kernel: &Arc<str>) {
        *self.last_kernel.lock().unwrap_or_else(PoisonError::into_inner) = Some(kernel.clone());
    }

    pub(super) fn free_memory(&self) -> super::result::Result<u64> {
        use CUmemPool_attribute::{CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT};
        self.with(|cuda| {
            // SAFETY: the context is current, the pool belongs to its device, and both attributes are numbers of bytes.
            unsafe {
                let free = cuda.free_memory()? as u64;
                let Some(pool) = self.pool(cuda)? else { return Ok(free) };
                let reserved = cuda.pool_bytes(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
                let used = cuda.pool_bytes(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
                Ok(free + reserved.saturating_sub(used))
            }
        })
    }

    /// Returns the device's pool, if it has pools. It is looked up each time, because another library may replace it.
    fn pool(&self, cuda: &Cuda) -> super::result::Result<Option<CUmemoryPool>> {
        // SAFETY: the driver gave this device.
        self.pools.then(|| unsafe { cuda.pool(self.device) }).transpose()
    }

    /// Makes the pool keep freed memory, which otherwise returns to the system at each wait. A threshold that is already set
    /// stays.
    fn keep_memory(&self) -> super::result::Result<()> {
        self.with(|cuda| {
            let Some(pool) = self.pool(cuda)? else { return Ok(()) };
            // SAFETY: the pool belongs to this device, and the attribute is a number of bytes.
            unsafe {
                match cuda.pool_bytes(pool, CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)? {
                    0 => cuda.set_pool_threshold(pool, u64::MAX),
                    _ => Ok(()),
                }
            }
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.retained {
            // SAFETY: retained once by `open_with`. A failure has no remedy.
            let _ = unsafe { self.cuda.release_primary_context(self.device) };
        }
    }
}

/// A context that is current on this thread. Dropping this restores the one that was current before.
struct Current<'a> {
    cuda: &'a Cuda,
    /// Bound to its thread.
    thread: PhantomData<*const ()>,
}

unsafe fn current(cuda: &Cuda, context: CUcontext) -> super::result::Result<Current<'_>> {
    // SAFETY: the context is alive, as the caller says.
    unsafe { cuda.push_context(context) }?;
    Ok(Current { cuda, thread: PhantomData })
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        // SAFETY: this removes the context that `current` pushed, on the same thread.
        let _ = unsafe { self.cuda.pop_context() };
    }
}
