//! The second level: the functions of the driver return results instead of statuses and output pointers.
//!
//! Every `unsafe` function here has the same contract. Handles and addresses are alive and come from this driver. All
//! except devices and contexts belong to the context that is current on this thread. Given that, each call is sound: the
//! table's functions have the signatures of CUDA's headers, and write to live memory of the right type.

#![expect(unsafe_code, reason = "the functions of a library written in C are called")]

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction, CUfunction_attribute, CUjit_option,
    CUmemPool_attribute, CUmemoryPool, CUmodule, CUstream,
};

use super::raw::{Code, Cuda};
use super::status::{Status, Version};

/// A result of a call into CUDA.
pub(super) type Result<T> = std::result::Result<T, Status>;

/// Memory is page-locked in every context.
const PORTABLE: c_uint = 1;
/// A stream does not wait for stream 0.
const NON_BLOCKING: c_uint = 1;
/// An event records the time.
const TIMING: c_uint = 0;
/// The most bytes of the assembler's log.
const LOG_BYTES: usize = 16 << 10;

pub(super) fn check(code: Code) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Status(code)) }
}

/// Returns the value that a function writes through a pointer.
pub(super) fn written<T>(mut value: T, call: impl FnOnce(*mut T) -> Code) -> Result<T> {
    check(call(&mut value)).map(|()| value)
}

/// Returns the version that a function of the driver reports. The driver need not be started.
pub(super) fn version(ask: unsafe extern "C" fn(*mut c_int) -> Code) -> Result<Version> {
    // SAFETY: the function writes a number.
    let version = written(0, |to| unsafe { ask(to) })?.unsigned_abs();
    Ok(Version { major: version / 1000, minor: version % 1000 / 10 })
}

/// Functions of the driver as methods: `name(parameters) -> output [pointer = initial value] => symbol(arguments)`.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) $(-> $output:ty [$to:ident = $value:expr])?
        => $symbol:ident($($argument:expr),*);)*) => {
        impl Cuda {$(
            $(#[$doc])*
            pub(super) unsafe fn $name(&self, $($parameter: $type),*) -> calls!(@result $($output)?) {
                // SAFETY: the contract in the header of this module, which each caller fulfils.
                calls!(@call self.$symbol($($argument),*) $(, $to = $value)?)
            }
        )*}
    };
    (@result) => { Result<()> };
    (@result $output:ty) => { Result<$output> };
    (@call $cuda:ident.$symbol:ident($($argument:expr),*)) => { check(unsafe { ($cuda.$symbol)($($argument),*) }) };
    (@call $cuda:ident.$symbol:ident($($argument:expr),*), $to:ident = $value:expr) => {
        written($value, |$to| unsafe { ($cuda.$symbol)($($argument),*) })
    };
}

calls! {
    total_memory(device: CUdevice) -> usize [to = 0] => cuDeviceTotalMem_v2(to, device);
    /// Returns the pool that memory of the device comes from at present.
    pool(device: CUdevice) -> CUmemoryPool [to = null_mut()] => cuDeviceGetMemPool(to, device);
    retain_primary_context(device: CUdevice) -> CUcontext [to = null_mut()] => cuDevicePrimaryCtxRetain(to, device);
    release_primary_context(device: CUdevice) => cuDevicePrimaryCtxRelease_v2(device);
    push_context(context: CUcontext) => cuCtxPushCurrent_v2(context);
    pop_context() -> CUcontext [to = null_mut()] => cuCtxPopCurrent_v2(to);
    device_of_context() -> CUdevice [to = 0] => cuCtxGetDevice(to);
    synchronize_context() => cuCtxSynchronize();
    /// Returns the bytes of free memory.
    free_memory() -> usize [to = 0] => cuMemGetInfo_v2(to, &mut 0);
    allocate(bytes: usize) -> CUdeviceptr [to = 0] => cuMemAlloc_v2(to, bytes);
    free(address: CUdeviceptr) => cuMemFree_v2(address);
    allocate_async(bytes: usize, stream: CUstream) -> CUdeviceptr [to = 0] => cuMemAllocAsync(to, bytes, stream);
    free_async(address: CUdeviceptr, stream: CUstream) => cuMemFreeAsync(address, stream);
    /// Returns an attribute that is a number of bytes, of 64 bits.
    pool_bytes(pool: CUmemoryPool, attribute: CUmemPool_attribute) -> u64 [to = 0]
        => cuMemPoolGetAttribute(pool, attribute, to.cast());
    /// Sets the bytes that the pool keeps. Memory above goes back to the system when a stream is waited for.
    set_pool_threshold(pool: CUmemoryPool, bytes: u64)
        => cuMemPoolSetAttribute(pool, CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, (&raw const bytes).cast_mut().cast());
    trim_pool(pool: CUmemoryPool) => cuMemPoolTrimTo(pool, 0);
    allocate_host(bytes: usize) -> *mut c_void [to = null_mut()] => cuMemHostAlloc(to, bytes, PORTABLE);
    free_host(memory: *mut c_void) => cuMemFreeHost(memory);
    copy_to_device(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream)
        => cuMemcpyHtoDAsync_v2(to, from, bytes, stream);
    copy_to_host(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream)
        => cuMemcpyDtoHAsync_v2(to, from, bytes, stream);
    copy(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream)
        => cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
    fill(at: CUdeviceptr, value: u8, bytes: usize, stream: CUstream) => cuMemsetD8Async(at, value, bytes, stream);
    create_stream() -> CUstream [to = null_mut()] => cuStreamCreate(to, NON_BLOCKING);
    destroy_stream(stream: CUstream) => cuStreamDestroy_v2(stream);
    synchronize_stream(stream: CUstream) => cuStreamSynchronize(stream);
    create_event() -> CUevent [to = null_mut()] => cuEventCreate(to, TIMING);
    destroy_event(event: CUevent) => cuEventDestroy_v2(event);
    record_event(event: CUevent, stream: CUstream) => cuEventRecord(event, stream);
    synchronize_event(event: CUevent) => cuEventSynchronize(event);
    elapsed_ms(from: CUevent, to: CUevent) -> f32 [into = 0.0] => cuEventElapsedTime(into, from, to);
    unload_module(module: CUmodule) => cuModuleUnload(module);
    function(module: CUmodule, name: &CStr) -> CUfunction [to = null_mut()]
        => cuModuleGetFunction(to, module, name.as_ptr());
    /// Launches a grid of one dimension. Each of `arguments` points to one parameter, as large as it is. The driver has
    /// copied the arguments when it returns.
    launch(function: CUfunction, grid: u32, block: u32, stream: CUstream, arguments: &mut [*mut c_void])
        => cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, arguments.as_mut_ptr(), null_mut());
}

impl Cuda {
    pub(super) fn initialize(&self) -> Result<()> {
        // SAFETY: it takes no handle.
        check(unsafe { (self.cuInit)(0) })
    }

    pub(super) fn version(&self) -> Result<Version> {
        version(self.cuDriverGetVersion)
    }

    pub(super) fn device_count(&self) -> Result<usize> {
        // SAFETY: it takes no handle, and writes a number.
        let count = written(0, |to| unsafe { (self.cuDeviceGetCount)(to) })?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    pub(super) fn device(&self, ordinal: c_int) -> Result<CUdevice> {
        // SAFETY: it takes any number, and writes a handle.
        written(0, |to| unsafe { (self.cuDeviceGet)(to, ordinal) })
    }

    pub(super) unsafe fn device_name(&self, device: CUdevice) -> Result<String> {
        let mut name = [0u8; 256];
        // SAFETY: the module's contract; the driver ends the name with a zero, within the given length.
        check(unsafe { (self.cuDeviceGetName)(name.as_mut_ptr().cast(), 256, device) })?;
        Ok(until_zero(&name))
    }

    pub(super) unsafe fn device_attribute(&self, device: CUdevice, attribute: CUdevice_attribute) -> Result<u32> {
        // SAFETY: the module's contract.
        let value = written(0, |to| unsafe { (self.cuDeviceGetAttribute)(to, attribute, device) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Loads an image: PTX that ends with a zero, or a whole cubin. If it fails, also returns the assembler's log.
    pub(super) unsafe fn load_module(&self, image: &[u8]) -> std::result::Result<CUmodule, (Status, String)> {
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The size is passed, and returned, instead of a pointer.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(LOG_BYTES)];
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        // SAFETY: the module's contract; there are two options with two values, the log has the given length, and the
        // caller ensures that the image has an end.
        let module = written(null_mut(), |to| unsafe {
            (self.cuModuleLoadDataEx)(to, image.as_ptr().cast(), 2, options, values)
        });
        module.map_err(|status| (status, until_zero(&log)))
    }

    pub(super) unsafe fn function_threads(&self, function: CUfunction) -> Result<u32> {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        // SAFETY: the module's contract.
        let threads = written(0, |to| unsafe { (self.cuFuncGetAttribute)(to, attribute, function) })?;
        Ok(u32::try_from(threads).unwrap_or(0))
    }
}

/// Returns the text before the first zero.
pub(super) fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
