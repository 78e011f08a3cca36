//! The second level: the functions of the driver with results in place of statuses and places to write to.
//!
//! What is unsafe here asks one thing of its caller: handles and addresses are alive, were made by this driver, and,
//! but for those of devices and contexts, belong to the context that is current on this thread.

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

/// Page-locked memory is so in every context.
const PORTABLE: c_uint = 1;
/// A stream does not wait for the stream 0.
const NON_BLOCKING: c_uint = 1;
/// An event takes the time.
const TIMING: c_uint = 0;
/// Bytes of the assembler's log that are kept.
const LOG_BYTES: usize = 16 << 10;

pub(super) fn check(code: Code) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Status(code)) }
}

/// What a function writes through the pointer that it is given.
pub(super) fn written<T>(mut value: T, call: impl FnOnce(*mut T) -> Code) -> Result<T> {
    check(call(&mut value)).map(|()| value)
}

/// The version that the driver's function tells; it may be asked before the driver is started.
pub(super) fn version(ask: unsafe extern "C" fn(*mut c_int) -> Code) -> Result<Version> {
    // SAFETY: the function writes a number.
    let version = written(0, |to| unsafe { ask(to) })?.unsigned_abs();
    Ok(Version { major: version / 1000, minor: version % 1000 / 10 })
}

// SAFETY, for all of these: the table's functions have the signatures of CUDA's headers; what they write to is alive
// for the call and of the right type; of handles and addresses the caller answers, as the header says.
impl Cuda {
    pub(super) fn initialize(&self) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuInit)(0) })
    }

    pub(super) fn version(&self) -> Result<Version> {
        version(self.cuDriverGetVersion)
    }

    pub(super) fn device_count(&self) -> Result<usize> {
        // SAFETY: as above.
        let count = written(0, |to| unsafe { (self.cuDeviceGetCount)(to) })?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    pub(super) fn device(&self, ordinal: c_int) -> Result<CUdevice> {
        // SAFETY: as above.
        written(0, |to| unsafe { (self.cuDeviceGet)(to, ordinal) })
    }

    pub(super) unsafe fn device_name(&self, device: CUdevice) -> Result<String> {
        let mut name = [0u8; 256];
        // SAFETY: as above; the driver ends the name with a zero, within the length that it is given.
        check(unsafe { (self.cuDeviceGetName)(name.as_mut_ptr().cast(), 256, device) })?;
        Ok(until_zero(&name))
    }

    pub(super) unsafe fn device_attribute(&self, device: CUdevice, attribute: CUdevice_attribute) -> Result<u32> {
        // SAFETY: as above.
        let value = written(0, |to| unsafe { (self.cuDeviceGetAttribute)(to, attribute, device) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    pub(super) unsafe fn total_memory(&self, device: CUdevice) -> Result<usize> {
        // SAFETY: as above.
        written(0, |to| unsafe { (self.cuDeviceTotalMem_v2)(to, device) })
    }

    /// The pool that memory of the device comes from at the moment.
    pub(super) unsafe fn pool(&self, device: CUdevice) -> Result<CUmemoryPool> {
        // SAFETY: as above.
        written(null_mut(), |to| unsafe { (self.cuDeviceGetMemPool)(to, device) })
    }

    pub(super) unsafe fn retain_primary_context(&self, device: CUdevice) -> Result<CUcontext> {
        // SAFETY: as above.
        written(null_mut(), |to| unsafe { (self.cuDevicePrimaryCtxRetain)(to, device) })
    }

    pub(super) unsafe fn release_primary_context(&self, device: CUdevice) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuDevicePrimaryCtxRelease_v2)(device) })
    }

    pub(super) unsafe fn push_context(&self, context: CUcontext) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuCtxPushCurrent_v2)(context) })
    }

    pub(super) unsafe fn pop_context(&self) -> Result<CUcontext> {
        // SAFETY: as above.
        written(null_mut(), |to| unsafe { (self.cuCtxPopCurrent_v2)(to) })
    }

    pub(super) unsafe fn device_of_context(&self) -> Result<CUdevice> {
        // SAFETY: as above.
        written(0, |to| unsafe { (self.cuCtxGetDevice)(to) })
    }

    pub(super) unsafe fn synchronize_context(&self) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuCtxSynchronize)() })
    }

    pub(super) unsafe fn free_memory(&self) -> Result<usize> {
        let mut total = 0;
        // SAFETY: as above.
        written(0, |to| unsafe { (self.cuMemGetInfo_v2)(to, &mut total) })
    }

    pub(super) unsafe fn allocate(&self, bytes: usize) -> Result<CUdeviceptr> {
        // SAFETY: as above.
        written(0, |to| unsafe { (self.cuMemAlloc_v2)(to, bytes) })
    }

    pub(super) unsafe fn free(&self, address: CUdeviceptr) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemFree_v2)(address) })
    }

    pub(super) unsafe fn allocate_async(&self, bytes: usize, stream: CUstream) -> Result<CUdeviceptr> {
        // SAFETY: as above.
        written(0, |to| unsafe { (self.cuMemAllocAsync)(to, bytes, stream) })
    }

    pub(super) unsafe fn free_async(&self, address: CUdeviceptr, stream: CUstream) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemFreeAsync)(address, stream) })
    }

    /// An attribute that is a number of bytes.
    pub(super) unsafe fn pool_bytes(&self, pool: CUmemoryPool, attribute: CUmemPool_attribute) -> Result<u64> {
        // SAFETY: as above; the caller's attribute has 64 bits.
        written(0u64, |to| unsafe { (self.cuMemPoolGetAttribute)(pool, attribute, to.cast()) })
    }

    /// Memory above this many bytes goes back to the system when a stream is waited for.
    pub(super) unsafe fn set_pool_threshold(&self, pool: CUmemoryPool, mut bytes: u64) -> Result<()> {
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: as above; the attribute has 64 bits.
        check(unsafe { (self.cuMemPoolSetAttribute)(pool, attribute, (&raw mut bytes).cast()) })
    }

    pub(super) unsafe fn trim_pool(&self, pool: CUmemoryPool) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemPoolTrimTo)(pool, 0) })
    }

    pub(super) unsafe fn allocate_host(&self, bytes: usize) -> Result<*mut c_void> {
        // SAFETY: as above.
        written(null_mut(), |to| unsafe { (self.cuMemHostAlloc)(to, bytes, PORTABLE) })
    }

    pub(super) unsafe fn free_host(&self, memory: *mut c_void) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemFreeHost)(memory) })
    }

    pub(super) unsafe fn copy_to_device(
        &self,
        to: CUdeviceptr,
        from: *const c_void,
        bytes: usize,
        stream: CUstream,
    ) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemcpyHtoDAsync_v2)(to, from, bytes, stream) })
    }

    pub(super) unsafe fn copy_to_host(
        &self,
        to: *mut c_void,
        from: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemcpyDtoHAsync_v2)(to, from, bytes, stream) })
    }

    pub(super) unsafe fn copy(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemcpyDtoDAsync_v2)(to, from, bytes, stream) })
    }

    pub(super) unsafe fn fill(&self, at: CUdeviceptr, value: u8, bytes: usize, stream: CUstream) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuMemsetD8Async)(at, value, bytes, stream) })
    }

    pub(super) unsafe fn create_stream(&self) -> Result<CUstream> {
        // SAFETY: as above.
        written(null_mut(), |to| unsafe { (self.cuStreamCreate)(to, NON_BLOCKING) })
    }

    pub(super) unsafe fn destroy_stream(&self, stream: CUstream) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuStreamDestroy_v2)(stream) })
    }

    pub(super) unsafe fn synchronize_stream(&self, stream: CUstream) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuStreamSynchronize)(stream) })
    }

    pub(super) unsafe fn wait_for_event(&self, stream: CUstream, event: CUevent) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuStreamWaitEvent)(stream, event, 0) })
    }

    pub(super) unsafe fn create_event(&self) -> Result<CUevent> {
        // SAFETY: as above.
        written(null_mut(), |to| unsafe { (self.cuEventCreate)(to, TIMING) })
    }

    pub(super) unsafe fn destroy_event(&self, event: CUevent) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuEventDestroy_v2)(event) })
    }

    pub(super) unsafe fn record_event(&self, event: CUevent, stream: CUstream) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuEventRecord)(event, stream) })
    }

    pub(super) unsafe fn synchronize_event(&self, event: CUevent) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuEventSynchronize)(event) })
    }

    pub(super) unsafe fn query_event(&self, event: CUevent) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuEventQuery)(event) })
    }

    pub(super) unsafe fn elapsed_ms(&self, from: CUevent, to: CUevent) -> Result<f32> {
        // SAFETY: as above.
        written(0.0, |into| unsafe { (self.cuEventElapsedTime)(into, from, to) })
    }

    /// Loads an image: PTX that ends with a zero, or a whole cubin. Where it fails, also the assembler's log.
    pub(super) unsafe fn load_module(&self, image: &[u8]) -> std::result::Result<CUmodule, (Status, String)> {
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The size goes in, and comes out, in place of a pointer.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(LOG_BYTES)];
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        // SAFETY: as above; there are two options with two values, the log is as long as is said, and of the image the
        // caller says where it ends.
        let module = written(null_mut(), |to| unsafe {
            (self.cuModuleLoadDataEx)(to, image.as_ptr().cast(), 2, options, values)
        });
        module.map_err(|status| (status, until_zero(&log)))
    }

    pub(super) unsafe fn unload_module(&self, module: CUmodule) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.cuModuleUnload)(module) })
    }

    pub(super) unsafe fn function(&self, module: CUmodule, name: &CStr) -> Result<CUfunction> {
        // SAFETY: as above.
        written(null_mut(), |to| unsafe { (self.cuModuleGetFunction)(to, module, name.as_ptr()) })
    }

    pub(super) unsafe fn function_threads(&self, function: CUfunction) -> Result<u32> {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        // SAFETY: as above.
        let threads = written(0, |to| unsafe { (self.cuFuncGetAttribute)(to, attribute, function) })?;
        Ok(u32::try_from(threads).unwrap_or(0))
    }

    /// Launches a grid of one dimension. Each of `arguments` points to one parameter, as large as it is.
    pub(super) unsafe fn launch(
        &self,
        function: CUfunction,
        grid: u32,
        block: u32,
        stream: CUstream,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        let arguments = arguments.as_mut_ptr();
        // SAFETY: as above; the driver has copied the arguments when it returns.
        check(unsafe { (self.cuLaunchKernel)(function, grid, 1, 1, block, 1, 1, 0, stream, arguments, null_mut()) })
    }
}

/// The text before the first zero.
pub(super) fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
