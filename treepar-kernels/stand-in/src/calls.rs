//! The functions of the driver, with the names and parameters of CUDA's header.
//!
//! Each function checks its handles and pointers, and returns the status that the driver would. Only the functions that
//! `treepar` calls exist.

#![expect(unsafe_code, reason = "functions of C write through pointers of their callers")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::{Arc, Once, PoisonError};

use treepar_executor::{Entry, Module};

use crate::arguments::{
    CURRENT, Handle, PINNED, Result, alive, current, event, is_pinned, pool, stream, write, write_log,
};
use crate::device::{self, add_device, refused};
use crate::handles::{self, Object};
use crate::settings::Settings;
use crate::status::{self, Status};
use crate::work::{HostAddress, Mark, ModuleId, Shape, Work};

/// The version of CUDA that the stand-in supports, as the driver gives it, and the version of PTX that belongs to it.
const VERSION: c_int = 12_040;
const PTX_VERSION: (u32, u32) = (8, 4);
/// The name of every device. No record of a GPU has it.
pub const NAME: &str = "stand-in (no GPU)";
/// The largest grid.
const MOST_BLOCKS: u32 = i32::MAX as u32;
/// The most threads of a block.
const MOST_THREADS: u32 = 1024;
/// The most bytes of shared memory of a block.
const MOST_SHARED: usize = 227 << 10;

/// Defines functions of C, and the table of their addresses.
macro_rules! driver {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// Pointers are valid, as CUDA's documentation says.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($parameter: $type),*) -> u32 {
                code(|| $body)
            }
        )*

        /// Returns the address of a function of the driver by its name.
        pub fn symbol(name: &str) -> Option<NonNull<c_void>> {
            match name {
                $(stringify!($name) => {
                    NonNull::new($name as unsafe extern "C" fn($($type),*) -> u32 as *mut c_void)
                })*
                _ => None,
            }
        }
    };
}

/// Runs a call, and returns its status. A panic must not leave a function of C.
fn code(call: impl FnOnce() -> Result) -> u32 {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as u32,
        Err(_) => Status::Unknown as u32,
    }
}

/// Adds the one device that a program of its own has, if there is none.
fn start() -> Result {
    static START: Once = Once::new();
    let mut result = Ok(());
    START.call_once(|| {
        if device::count() == 0 {
            match Settings::of_environment() {
                Ok(settings) => {
                    add_device(settings);
                }
                Err(error) => {
                    eprintln!("treepar-stand-in: {error}");
                    result = Err(Status::NotInitialized);
                }
            }
        }
    });
    if device::count() == 0 { result.and(Err(Status::NotInitialized)) } else { Ok(()) }
}

/// Returns the version of PTX that a text begins with.
fn ptx_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once(".version")?.1.split_whitespace().next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the most threads of a block of an entry.
fn most_threads(entry: &Entry) -> u32 {
    entry.max_threads().map_or(MOST_THREADS, |threads| threads.iter().product())
}

driver! {
    /// Starts the driver.
    fn cuInit(_flags: c_uint) { start() }

    /// Returns the version of CUDA.
    fn cuDriverGetVersion(to: *mut c_int) { write(to, VERSION) }

    /// Returns the number of devices.
    fn cuDeviceGetCount(to: *mut c_int) { write(to, device::count() as c_int) }

    /// Returns a device by its number.
    fn cuDeviceGet(to: *mut c_int, ordinal: c_int) {
        let device = device::find(usize::try_from(ordinal).map_err(|_| Status::InvalidDevice)?)?;
        write(to, device.ordinal as c_int)
    }

    /// Returns the name of a device.
    fn cuDeviceGetName(to: *mut c_char, bytes: c_int, ordinal: c_int) {
        device::find(ordinal as usize)?;
        let name = CString::new(NAME).map_err(|_| Status::Unknown)?;
        let name = name.as_bytes_with_nul();
        if to.is_null() || (bytes as usize) < name.len() {
            return Err(Status::InvalidValue);
        }
        // SAFETY: the caller's buffer has so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), to.cast(), name.len()) };
        Ok(())
    }

    /// Returns a property of a device, 0 for properties that `treepar` does not ask for.
    fn cuDeviceGetAttribute(to: *mut c_int, attribute: c_int, ordinal: c_int) {
        let machine = &device::find(ordinal as usize)?.settings.machine;
        write(to, match attribute {
            1 => MOST_THREADS as c_int,
            5 => MOST_BLOCKS as c_int,
            16 => machine.multiprocessors as c_int,
            // Blocks of 256 threads.
            39 => machine.resident_blocks.saturating_mul(256) as c_int,
            75 => 9,
            115 => 1,
            _ => 0,
        })
    }

    /// Returns the bytes of a device's memory.
    fn cuDeviceTotalMem_v2(to: *mut usize, ordinal: c_int) {
        write(to, device::find(ordinal as usize)?.settings.memory as usize)
    }

    /// Returns the memory pool of a device.
    fn cuDeviceGetMemPool(to: *mut Handle, ordinal: c_int) {
        let [_, pool] = device::find(ordinal as usize)?.handles();
        write(to, pool)
    }

    /// Returns the primary context of a device.
    fn cuDevicePrimaryCtxRetain(to: *mut Handle, ordinal: c_int) {
        let [context, _] = device::find(ordinal as usize)?.handles();
        write(to, context)
    }

    /// Gives the primary context back. It stays alive.
    fn cuDevicePrimaryCtxRelease_v2(ordinal: c_int) { device::find(ordinal as usize).map(drop) }

    /// Makes a context current.
    fn cuCtxPushCurrent_v2(context: Handle) {
        let Object::Context(device) = handles::get(context)? else { return Err(Status::InvalidContext) };
        CURRENT.with_borrow_mut(|contexts| contexts.push(device));
        Ok(())
    }

    /// Restores the context that was current before.
    fn cuCtxPopCurrent_v2(to: *mut Handle) {
        let device = CURRENT.with_borrow_mut(Vec::pop).ok_or(Status::InvalidContext)?;
        if to.is_null() { Ok(()) } else { write(to, device.handles()[0]) }
    }

    /// Returns the current context, or null.
    fn cuCtxGetCurrent(to: *mut Handle) {
        let device = CURRENT.with_borrow(|contexts| contexts.last().cloned());
        write(to, device.map_or(std::ptr::null_mut(), |device| device.handles()[0]))
    }

    /// Replaces the context that is current; null by the one before it.
    fn cuCtxSetCurrent(context: Handle) {
        let device = match handles::get(context) {
            _ if context.is_null() => None,
            Ok(Object::Context(device)) => Some(device),
            _ => return Err(Status::InvalidContext),
        };
        CURRENT.with_borrow_mut(|contexts| {
            contexts.pop();
            contexts.extend(device);
        });
        Ok(())
    }

    /// Returns the device of the current context.
    fn cuCtxGetDevice(to: *mut c_int) { write(to, current()?.ordinal as c_int) }

    /// Does all work.
    fn cuCtxSynchronize() {
        current()?.wait_all()
    }

    /// Returns the free and the total bytes of memory.
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let device = alive()?;
        let memory = device.settings.memory;
        write(free, memory.saturating_sub(device.used()) as usize)?;
        write(total, memory as usize)
    }

    /// Allocates memory.
    fn cuMemAlloc_v2(to: *mut u64, bytes: usize) { write(to, alive()?.allocate(bytes, 0)?) }

    /// Frees memory after all work.
    fn cuMemFree_v2(address: u64) {
        let device = alive()?;
        device.finish_all()?;
        device.add(0, Work::Free(address))?;
        device.finish(0)
    }

    /// Allocates memory in the order of a stream.
    fn cuMemAllocAsync(to: *mut u64, bytes: usize, of: Handle) {
        let (device, stream) = stream(of)?;
        device.alive()?;
        write(to, device.allocate(bytes, stream)?)
    }

    /// Frees memory in the order of a stream.
    fn cuMemFreeAsync(address: u64, of: Handle) {
        let (device, stream) = stream(of)?;
        device.add(stream, Work::Free(address))
    }

    /// Sets an attribute of a pool. It has no effect: the stand-in keeps no memory.
    fn cuMemPoolSetAttribute(of: Handle, _attribute: c_int, _value: Handle) { pool(of).map(drop) }

    /// Returns an attribute of a pool. All are numbers of bytes, and 0.
    fn cuMemPoolGetAttribute(of: Handle, _attribute: c_int, to: Handle) {
        pool(of)?;
        write(to.cast::<u64>(), 0)
    }

    /// Releases memory of a pool. There is none.
    fn cuMemPoolTrimTo(of: Handle, _bytes: usize) { pool(of).map(drop) }

    /// Allocates page-locked memory.
    fn cuMemHostAlloc(to: *mut Handle, bytes: usize, _flags: c_uint) {
        alive()?;
        refused()?;
        // The contents are unspecified. Words of 8 bytes are aligned for all types.
        let mut memory = ManuallyDrop::new(vec![0xa5a5_a5a5_a5a5_a5a5u64; bytes.div_ceil(8)]);
        let address = memory.as_mut_ptr();
        PINNED.lock().unwrap_or_else(PoisonError::into_inner).push((address.expose_provenance(), bytes));
        write(to, address.cast())
    }

    /// Frees page-locked memory after all work.
    fn cuMemFreeHost(memory: Handle) {
        current()?.finish_all().ok();
        let mut pinned = PINNED.lock().unwrap_or_else(PoisonError::into_inner);
        let place = pinned.iter().position(|&(start, _)| start == memory.addr()).ok_or(Status::InvalidValue)?;
        let (_, bytes) = pinned.swap_remove(place);
        // SAFETY: `cuMemHostAlloc` allocated so many words at this address.
        drop(unsafe { Vec::from_raw_parts(memory.cast::<u64>(), bytes.div_ceil(8), bytes.div_ceil(8)) });
        Ok(())
    }

    /// Copies to the device.
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, of: Handle) {
        let (device, stream) = stream(of)?;
        let address = from.expose_provenance();
        if is_pinned(address, bytes) {
            return device.add(stream, Work::Upload { to, from: HostAddress(address), bytes });
        }
        // SAFETY: the caller has so many bytes there.
        let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) }.to_vec();
        device.add(stream, Work::Write { to, bytes })
    }

    /// Copies to the host.
    fn cuMemcpyDtoHAsync_v2(to: Handle, from: u64, bytes: usize, of: Handle) {
        let (device, stream) = stream(of)?;
        if is_pinned(to.addr(), bytes) {
            device.add(stream, Work::Download { to: HostAddress(to.expose_provenance()), from, bytes })
        } else {
            device.download(to, from, bytes, stream)
        }
    }

    /// Copies within the device.
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, of: Handle) {
        let (device, stream) = stream(of)?;
        device.add(stream, Work::Copy { to, from, bytes })
    }

    /// Sets bytes of the device.
    fn cuMemsetD8Async(at: u64, value: u8, bytes: usize, of: Handle) {
        let (device, stream) = stream(of)?;
        device.add(stream, Work::Fill { at, value, bytes })
    }

    /// Creates a stream.
    fn cuStreamCreate(to: *mut Handle, _flags: c_uint) {
        let device = alive()?;
        let stream = device.add_stream();
        write(to, handles::add(Object::Stream(device, stream)))
    }

    /// Does the work of a stream, and destroys it.
    fn cuStreamDestroy_v2(of: Handle) {
        match handles::remove(of)? {
            Object::Stream(device, stream) => device.finish(stream),
            _ => Err(Status::InvalidHandle),
        }
    }

    /// Does the work of a stream.
    fn cuStreamSynchronize(of: Handle) {
        let (device, stream) = stream(of)?;
        device.wait(stream)
    }

    /// Creates an event.
    fn cuEventCreate(to: *mut Handle, _flags: c_uint) {
        write(to, handles::add(Object::Event(alive()?, Arc::default())))
    }

    /// Destroys an event.
    fn cuEventDestroy_v2(of: Handle) { handles::remove(of).map(drop) }

    /// Records an event after the work of a stream.
    fn cuEventRecord(of: Handle, on: Handle) {
        let ((device, event), (other, stream)) = (event(of)?, stream(on)?);
        if !Arc::ptr_eq(&device, &other) {
            return Err(Status::InvalidHandle);
        }
        event.set(Mark::Waiting(stream));
        device.add(stream, Work::Record(event))
    }

    /// Lets the later work of a stream wait for an event: the work before the event is done at once. The host does not wait.
    fn cuStreamWaitEvent(on: Handle, of: Handle, _flags: c_uint) {
        let ((_, _), (device, event)) = (stream(on)?, event(of)?);
        match event.mark() {
            Mark::Waiting(stream) => device.finish(stream),
            _ => device.alive(),
        }
    }

    /// Does the work before an event.
    fn cuEventSynchronize(of: Handle) {
        let (device, event) = event(of)?;
        device.reach(&event)
    }

    /// Returns the milliseconds between two events that are reached.
    fn cuEventElapsedTime(to: *mut f32, from: Handle, until: Handle) {
        match (event(from)?.1.mark(), event(until)?.1.mark()) {
            (Mark::Reached(from), Mark::Reached(until)) => {
                write(to, until.saturating_duration_since(from).as_secs_f32() * 1e3)
            }
            (Mark::None, _) | (_, Mark::None) => Err(Status::InvalidHandle),
            _ => Err(Status::NotReady),
        }
    }

    /// Loads PTX. A binary is refused.
    fn cuModuleLoadDataEx(
        to: *mut Handle,
        image: *const c_void,
        count: c_uint,
        options: *mut c_uint,
        values: *mut Handle,
    ) {
        let device = alive()?;
        refused()?;
        // SAFETY: an image has at least one byte.
        if unsafe { *image.cast::<u8>() } == 0x7f {
            return Err(Status::NoBinary);
        }
        // SAFETY: PTX ends with a zero.
        let original = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
        let text = match &device.settings.rewrite {
            Some(rewrite) => rewrite.of(&original),
            None => original.to_string(),
        };
        if ptx_version(&text).is_some_and(|version| version > PTX_VERSION) {
            return Err(Status::UnsupportedVersion);
        }
        let module = Module::parse(&text).map_err(|error| {
            // SAFETY: the options and values are those of the caller.
            unsafe { write_log(&error.to_string(), count, options, values) };
            Status::InvalidPtx
        })?;
        let module = Arc::new(device.load(ModuleId::of(&original), module)?);
        write(to, handles::add(Object::Module(device, module)))
    }

    /// Unloads a module after all work.
    fn cuModuleUnload(of: Handle) {
        match handles::remove(of)? {
            Object::Module(device, module) => device.unload(&module.module),
            _ => Err(Status::InvalidHandle),
        }
    }

    /// Returns an entry of a module.
    fn cuModuleGetFunction(to: *mut Handle, of: Handle, name: *const c_char) {
        refused()?;
        let Object::Module(device, module) = handles::get(of)? else { return Err(Status::InvalidHandle) };
        // SAFETY: names end with a zero.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Status::NotFound)?;
        module.module.entry(name).ok_or(Status::NotFound)?;
        let function = Object::Function(device, module.clone(), name.to_owned());
        write(to, handles::add(function))
    }

    /// Returns a property of an entry: the most threads of a block, 0 for others.
    fn cuFuncGetAttribute(to: *mut c_int, attribute: c_int, of: Handle) {
        let Object::Function(_, module, name) = handles::get(of)? else { return Err(Status::InvalidHandle) };
        let entry = module.module.entry(&name).ok_or(Status::NotFound)?;
        let threads = most_threads(entry);
        write(to, if attribute == 0 { threads as c_int } else { 0 })
    }

    /// Launches a kernel.
    fn cuLaunchKernel(
        of: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint,
        on: Handle,
        parameters: *mut Handle,
        _extra: *mut Handle,
    ) {
        let Object::Function(owner, module, name) = handles::get(of)? else { return Err(Status::InvalidHandle) };
        let (device, stream) = stream(on)?;
        refused()?;
        let entry = module.module.entry(&name).ok_or(Status::NotFound)?;
        let shape = Shape { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z] };
        let threads = shape.block.iter().try_fold(1u32, |product, &n| product.checked_mul(n));
        let most = most_threads(entry);
        if !Arc::ptr_eq(&owner, &device) || shape.grid.contains(&0) || grid_x > MOST_BLOCKS {
            return Err(Status::InvalidValue);
        }
        if threads.is_none_or(|threads| threads == 0 || threads > most) {
            return Err(Status::InvalidValue);
        }
        if entry.shared_bytes().saturating_add(shared as usize) > MOST_SHARED {
            return Err(Status::OutOfResources);
        }
        let mut arguments = vec![0u8; entry.parameter_bytes()];
        for (i, parameter) in entry.parameters().iter().enumerate() {
            // SAFETY: there is a pointer for each parameter, to as many bytes as it has.
            unsafe {
                let from = *parameters.add(i);
                let to = arguments[parameter.offset..][..parameter.bytes].as_mut_ptr();
                std::ptr::copy_nonoverlapping(from.cast::<u8>(), to, parameter.bytes);
            }
        }
        device.add(stream, Work::Launch { module: module.clone(), entry: name, shape, shared, arguments })
    }

    /// Returns the name of a code.
    fn cuGetErrorName(code: u32, to: *mut *const c_char) {
        write(to, status::text(code).ok_or(Status::InvalidValue)?.0.as_ptr())
    }

    /// Returns the meaning of a code. That of a fault is the text of the last fault.
    fn cuGetErrorString(code: u32, to: *mut *const c_char) {
        let fault = device::fault_text(code).map(CString::as_c_str);
        write(to, fault.or(status::text(code).map(|(_, meaning)| meaning)).ok_or(Status::InvalidValue)?.as_ptr())
    }
}
