//! A driver and a compiler for tests.
//!
//! Device memory is the host's, streams are idle at once, and the only kernel is `add(u64 to, u32 count, u64 by)`. The
//! compiler makes that kernel from any text, in PTX that is too new for the driver.

#![expect(unsafe_code, reason = "a library written in C is replaced")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Mutex;

use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUfunction, CUjit_option, CUmodule, CUstream};
use cudarc::nvrtc::sys::nvrtcProgram;

use super::raw::{Code, Cuda, Nvrtc};

/// PTX of the kernel: the parts that the library reads.
pub(super) const PTX: &str =
    ".version 8.0\n.visible .entry add(.param .u64 a, .param .u32 b, .param .u64 c) { ret; }\n";
/// The compiler's PTX.
pub(super) const NEW_PTX: &str =
    ".version 99.0\n.visible .entry add(.param .u64 a, .param .u32 b, .param .u64 c) { ret; }\n";
/// The compiler's binary.
pub(super) const CUBIN: &[u8] = b"\x7fELF, the kernel";
/// The most bytes of one allocation.
const MOST_BYTES: usize = 1 << 30;

/// The size of each allocation, by its address.
static MEMORY: Mutex<Option<HashMap<u64, usize>>> = Mutex::new(None);

thread_local! {
    /// The number of contexts that are current on this thread.
    pub(super) static CURRENT: Cell<usize> = const { Cell::new(0) };
    /// The number of calls to load, find or launch a kernel, or to allocate, that next find no memory.
    pub(super) static FULL: Cell<usize> = const { Cell::new(0) };
}

/// Returns whether a call finds no memory, and counts it.
fn is_full() -> bool {
    assert!(CURRENT.get() > 0, "no context is current");
    let left = FULL.get();
    FULL.set(left.saturating_sub(1));
    left > 0
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 256).unwrap()
}

unsafe extern "C" fn allocate(to: *mut u64, bytes: usize, _: CUstream) -> Code {
    if is_full() || bytes == 0 || bytes > MOST_BYTES {
        return 2;
    }
    unsafe { *to = alloc_zeroed(layout(bytes)).expose_provenance() as u64 };
    MEMORY.lock().unwrap().get_or_insert_default().insert(unsafe { *to }, bytes);
    0
}

unsafe extern "C" fn free(address: u64, _: CUstream) -> Code {
    let bytes = MEMORY.lock().unwrap().get_or_insert_default().remove(&address).expect("memory that is allocated");
    unsafe { dealloc(at(address).cast(), layout(bytes)) };
    0
}

fn at(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

unsafe extern "C" fn attribute(to: *mut c_int, attribute: Attribute, _: c_int) -> Code {
    use Attribute::*;
    let value = match attribute {
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => 132,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR => 2048,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK => 1024,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => c_int::MAX,
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED => 1,
        _ => 0,
    };
    write(to, value)
}

unsafe extern "C" fn load(
    to: *mut CUmodule,
    image: *const c_void,
    options: c_uint,
    _: *mut CUjit_option,
    values: *mut *mut c_void,
) -> Code {
    if is_full() {
        return 2;
    }
    let is_binary = unsafe { *image.cast::<u8>() } == CUBIN[0];
    let text = if is_binary { PTX } else { unsafe { CStr::from_ptr(image.cast()) }.to_str().unwrap() };
    if text.contains(".version 99.0") {
        return 222;
    }
    if !text.contains(".entry") {
        assert_eq!(options, 2, "a log and its size");
        let log = b"ptxas fatal: no entry\0";
        unsafe { std::ptr::copy(log.as_ptr(), (*values).cast(), log.len()) };
        return 218;
    }
    write(to, std::ptr::without_provenance_mut(32))
}

unsafe extern "C" fn function(to: *mut CUfunction, _: CUmodule, name: *const c_char) -> Code {
    match unsafe { CStr::from_ptr(name) }.to_str().unwrap() {
        _ if is_full() => 2,
        "add" => write(to, std::ptr::without_provenance_mut(1)),
        _ => 500,
    }
}

#[rustfmt::skip]
unsafe extern "C" fn launch(
    _: CUfunction, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: CUstream,
    arguments: *mut *mut c_void, _: *mut *mut c_void,
) -> Code {
    if is_full() {
        return 2;
    }
    // A C++ function reads its parameters aligned.
    unsafe {
        let to = at((*arguments.add(0)).cast::<u64>().read()).cast::<u64>();
        let count = (*arguments.add(1)).cast::<u32>().read();
        let by = (*arguments.add(2)).cast::<u64>().read();
        (0..count as usize).for_each(|row| *to.add(row) = (*to.add(row)).wrapping_add(by));
    }
    0
}

unsafe extern "C" fn name(code: Code, to: *mut *const c_char) -> Code {
    let known = match code {
        2 => c"CUDA_ERROR_OUT_OF_MEMORY",
        218 => c"CUDA_ERROR_INVALID_PTX",
        500 => c"CUDA_ERROR_NOT_FOUND",
        700 => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        _ => return 1,
    };
    write(to, known.as_ptr())
}

unsafe extern "C" fn meaning(code: Code, to: *mut *const c_char) -> Code {
    if code == 700 { write(to, c"an illegal memory access was encountered".as_ptr()) } else { 1 }
}

fn write<T>(to: *mut T, value: T) -> Code {
    unsafe { to.write(value) };
    0
}

unsafe fn copy(from: *const c_void, to: *mut c_void, bytes: usize) -> Code {
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), bytes) };
    0
}

/// A function of the library, with its answer.
macro_rules! answer {
    (|$($name:tt: $ty:ty),*| $body:expr) => {{
        unsafe extern "C" fn answer($($name: $ty),*) -> Code {
            $body
        }
        answer
    }};
}

/// The driver. A test takes it with some functions replaced.
pub(super) static CUDA: Cuda = Cuda {
    cuDriverGetVersion: answer!(|to: *mut c_int| write(to, 12040)),
    cuDeviceGetCount: answer!(|to: *mut c_int| write(to, 1)),
    cuDeviceGetName: answer!(|to: *mut c_char, _: c_int, _: c_int| unsafe {
        copy(c"fake".as_ptr().cast(), to.cast(), 5)
    }),
    cuDeviceGetAttribute: attribute,
    cuCtxPushCurrent_v2: answer!(|_: cudarc::driver::sys::CUcontext| {
        CURRENT.set(CURRENT.get() + 1);
        0
    }),
    cuCtxPopCurrent_v2: answer!(|_: *mut cudarc::driver::sys::CUcontext| {
        CURRENT.set(CURRENT.get().checked_sub(1).unwrap());
        0
    }),
    cuMemGetInfo_v2: answer!(|free: *mut usize, _: *mut usize| write(free, 1000)),
    cuMemAllocAsync: allocate,
    cuMemFreeAsync: free,
    cuMemHostAlloc: answer!(|to: *mut *mut c_void, bytes: usize, _: c_uint| unsafe {
        allocate(to.cast(), bytes, std::ptr::null_mut())
    }),
    cuMemFreeHost: answer!(|memory: *mut c_void| unsafe { free(memory.addr() as u64, std::ptr::null_mut()) }),
    cuMemcpyHtoDAsync_v2: answer!(|to: u64, from: *const c_void, bytes: usize, _: CUstream| unsafe {
        copy(from, at(to), bytes)
    }),
    cuMemcpyDtoHAsync_v2: answer!(|to: *mut c_void, from: u64, bytes: usize, _: CUstream| unsafe {
        copy(at(from), to, bytes)
    }),
    cuModuleLoadDataEx: load,
    cuModuleGetFunction: function,
    cuFuncGetAttribute: answer!(|to: *mut c_int, _: cudarc::driver::sys::CUfunction_attribute, _: CUfunction| {
        write(to, 512)
    }),
    cuLaunchKernel: launch,
    cuGetErrorName: name,
    cuGetErrorString: meaning,
    ..Cuda::SUCCEEDING
};

/// The compiler.
pub(super) static NVRTC: Nvrtc = Nvrtc {
    nvrtcGetNumSupportedArchs: answer!(|to: *mut c_int| write(to, 2)),
    nvrtcGetSupportedArchs: answer!(|to: *mut c_int| write(to, 75) + write(to.wrapping_add(1), 90)),
    nvrtcGetPTXSize: answer!(|_: nvrtcProgram, to: *mut usize| write(to, NEW_PTX.len() + 1)),
    nvrtcGetPTX: answer!(|_: nvrtcProgram, to: *mut c_char| unsafe {
        copy(NEW_PTX.as_ptr().cast(), to.cast(), NEW_PTX.len())
    }),
    nvrtcGetCUBINSize: answer!(|_: nvrtcProgram, to: *mut usize| write(to, CUBIN.len())),
    nvrtcGetCUBIN: answer!(|_: nvrtcProgram, to: *mut c_char| unsafe {
        copy(CUBIN.as_ptr().cast(), to.cast(), CUBIN.len())
    }),
    ..Nvrtc::SUCCEEDING
};
