//! [`Driver`]: a GPU as a [`Machine`].

#![expect(unsafe_code, reason = "the second level is called: a machine's memory is given by address")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache::Cache;
use super::device::Device;
use super::library;
use super::loader::image;
use super::module::{Function, Module};
use super::pinned::PinnedBuffer;
use super::staging::Staging;
use super::stream::Stream;
use crate::machine::{Machine, Result, Unit};

/// The threads of a usual block, for [`Machine::blocks`].
const BLOCK_THREADS: u32 = 256;
/// The address of an allocation of 0 bytes.
const NO_BYTES: u64 = 256;
/// The most bytes that are downloaded through page-locked memory. On an H100, values reach the host 2.5 us earlier so.
const FEW_BYTES: usize = 1 << 16;

/// A GPU with one stream. Several threads may use it at once; the work of each thread is done in order.
pub struct Driver {
    stream: Stream,
    device: Device,
    cache: Cache,
    /// Created at the first upload; `Err` if the system has no page-locked memory.
    staging: Mutex<Option<std::result::Result<Staging, ()>>>,
    /// Page-locked memory for short downloads, created at the first one.
    few: Mutex<Option<std::result::Result<PinnedBuffer, ()>>>,
    /// The loaded units by their keys. Each has a lock of its own, so that threads load different units at the same time.
    units: Mutex<HashMap<u128, Arc<Mutex<Option<Loaded>>>>>,
}

struct Loaded {
    module: Module,
    functions: HashMap<String, Function>,
}

impl Driver {
    /// Opens a device, counted from 0, with a new stream.
    ///
    /// # Errors
    /// As [`Device::open`].
    pub fn new(ordinal: usize) -> Result<Driver> {
        Ok(Driver::on(&Stream::new(&Device::open(ordinal)?)?, Cache::of_user()))
    }

    /// Uses an existing stream, for example of another library. Compiled units are kept in `cache`.
    pub fn on(stream: &Stream, cache: Cache) -> Driver {
        Driver {
            stream: stream.clone(),
            device: stream.device(),
            cache,
            staging: Mutex::new(None),
            few: Mutex::new(None),
            units: Mutex::new(HashMap::new()),
        }
    }

    /// Returns its device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns its stream.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Copies to the host and waits for the copy.
    ///
    /// # Safety
    /// There are as many bytes at the address.
    unsafe fn copy_to_host(&self, from: u64, bytes: &mut [u8]) -> Result<()> {
        if !bytes.is_empty() {
            self.stream.context().call("copying to the host", |cuda| {
                // SAFETY: the caller guarantees the address; the slice is borrowed until the wait below.
                unsafe { cuda.copy_to_host(bytes.as_mut_ptr().cast(), from, bytes.len(), self.stream.as_raw()) }
            })?;
        }
        self.stream.synchronize()
    }

    /// Loads PTX that a crate embeds, else code from the cache, else compiles.
    fn load(&self, unit: &dyn Unit) -> Result<Module> {
        if let Some(ptx) = unit.precompiled() {
            return Module::from_ptx(&self.device, unit.name(), &ptx);
        }
        let image = image(unit, &self.device, &self.cache, library::nvrtc())?;
        // SAFETY: it comes from NVRTC, or from the cache, which compares a checksum.
        unsafe { Module::from_image(&self.device, unit.name(), &image) }
    }
}

impl Machine for Driver {
    type Function = Function;

    fn name(&self) -> String {
        self.device.name().to_owned()
    }

    fn blocks(&self) -> u32 {
        self.device.multiprocessors().max(1) * (self.device.multiprocessor_threads() / BLOCK_THREADS).max(1)
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        if bytes == 0 { Ok(NO_BYTES) } else { self.stream.allocate(bytes) }
    }

    unsafe fn free(&self, address: u64, bytes: usize) {
        if bytes != 0 {
            // SAFETY: the caller got the address here and does not use it again, as `Machine` requires.
            unsafe { self.stream.release(address) };
        }
    }

    unsafe fn upload(&self, to: u64, bytes: &[u8]) -> Result<()> {
        let mut staging = locked(&self.staging);
        let staging = staging.get_or_insert_with(|| Staging::new(&self.stream).map_err(|_| ()));
        match staging {
            // SAFETY: there are as many bytes at the address, as `Machine` requires.
            Ok(staging) => unsafe { staging.upload(to, bytes) },
            Err(()) if bytes.is_empty() => Ok(()),
            Err(()) => {
                self.stream.context().call("copying to the device", |cuda| {
                    // SAFETY: there are as many bytes at the address; the slice is borrowed until the wait below.
                    unsafe { cuda.copy_to_device(to, bytes.as_ptr().cast(), bytes.len(), self.stream.as_raw()) }
                })?;
                self.stream.synchronize()
            }
        }
    }

    unsafe fn download(&self, from: u64, bytes: &mut [u8]) -> Result<()> {
        if bytes.len() <= FEW_BYTES {
            let mut few = locked(&self.few);
            let few = few.get_or_insert_with(|| PinnedBuffer::new(&self.device, FEW_BYTES).map_err(|_| ()));
            if let Ok(few) = few {
                // SAFETY: there are as many bytes at the address, as `Machine` requires.
                unsafe { self.copy_to_host(from, &mut few[..bytes.len()]) }?;
                bytes.copy_from_slice(&few[..bytes.len()]);
                return Ok(());
            }
        }
        // SAFETY: as above.
        unsafe { self.copy_to_host(from, bytes) }
    }

    unsafe fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: there are as many bytes at both addresses, as `Machine` requires.
        let copy = |cuda: &super::raw::Cuda| unsafe { cuda.copy(to, from, bytes, self.stream.as_raw()) };
        self.stream.context().call("copying within the device", copy)
    }

    unsafe fn fill(&self, at: u64, bytes: usize, value: u8) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: there are as many bytes at the address, as `Machine` requires.
        let fill = |cuda: &super::raw::Cuda| unsafe { cuda.fill(at, value, bytes, self.stream.as_raw()) };
        self.stream.context().call("filling memory", fill)
    }

    fn function(&self, unit: &dyn Unit, entry: &str) -> Result<Function> {
        let slot = Arc::clone(locked(&self.units).entry(unit.key()).or_default());
        // Locked while the unit compiles, so that a second thread waits for it instead of compiling it again.
        let mut slot = locked(&slot);
        let loaded = match &mut *slot {
            Some(loaded) => loaded,
            empty => empty.insert(Loaded { module: self.load(unit)?, functions: HashMap::new() }),
        };
        if let Some(function) = loaded.functions.get(entry) {
            return Ok(function.clone());
        }
        let function = loaded.module.function(entry)?;
        loaded.functions.insert(entry.to_owned(), function.clone());
        Ok(function)
    }

    unsafe fn launch(&self, function: &Function, grid: u32, block: u32, arguments: &[&[u8]]) -> Result<()> {
        // SAFETY: the caller guarantees valid arguments, as `Machine` requires.
        unsafe { function.launch(&self.stream, grid as usize, block as usize, arguments) }
    }

    fn synchronize(&self) -> Result<()> {
        self.stream.synchronize()
    }
}

/// Returns the content of a lock, even if a thread panicked with it: the content is valid after each statement.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("device", &self.device).field("stream", &self.stream).finish()
    }
}
