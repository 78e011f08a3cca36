//! A driver for tests: device memory is the host's, streams are done at once, and of kernels there is one.
//!
//! The kernel `add(u64 to, u32 count, u64 by)` adds `by` to `count` 64-bit numbers; `fault` does not end well.

#![expect(unsafe_code, reason = "stands in for a library written in C")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Mutex;

use cudarc::driver::sys::{
    CUcontext, CUdevice_attribute as Attribute, CUevent, CUfunction, CUfunction_attribute, CUjit_option,
    CUmemPool_attribute as PoolAttribute, CUmemoryPool, CUmodule, CUstream,
};

use super::raw::{Code, Cuda};

/// PTX of the kernels, as far as anything here reads it.
pub(super) const PTX: &str = ".version 8.0\n.target sm_75\n.address_size 64\n
.visible .entry add(.param .u64 a, .param .u32 b, .param .u64 c) { ret; }
.visible .entry fault() { ret; }\n";

/// A binary of the kernels, as far as anything here reads it.
pub(super) const CUBIN: &[u8] = b"\x7fELF, the kernels";

const OUT_OF_MEMORY: Code = 2;
const BAD_PTX: Code = 218;
const TOO_NEW: Code = 222;
const NOT_FOUND: Code = 500;
const ILLEGAL_ADDRESS: Code = 700;
/// What can be allocated.
const MOST_BYTES: usize = 1 << 30;

/// What is allocated: address to bytes.
static MEMORY: Mutex<Option<HashMap<u64, usize>>> = Mutex::new(None);

thread_local! {
    /// How many contexts are current on this thread.
    pub(super) static CURRENT: Cell<usize> = const { Cell::new(0) };
}

fn assert_current() {
    assert!(CURRENT.get() > 0, "no context is current");
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 256).unwrap()
}

unsafe extern "C" fn allocate(to: *mut u64, bytes: usize) -> Code {
    assert_current();
    if bytes == 0 || bytes > MOST_BYTES {
        return OUT_OF_MEMORY;
    }
    unsafe { *to = alloc_zeroed(layout(bytes)).expose_provenance() as u64 };
    MEMORY.lock().unwrap().get_or_insert_default().insert(unsafe { *to }, bytes);
    0
}

unsafe extern "C" fn free(address: u64) -> Code {
    assert_current();
    match MEMORY.lock().unwrap().get_or_insert_default().remove(&address) {
        None => 1,
        Some(bytes) => {
            unsafe { dealloc(std::ptr::with_exposed_provenance_mut(address as usize), layout(bytes)) };
            0
        }
    }
}

unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, bytes: usize) -> Code {
    assert_current();
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), bytes) };
    0
}

fn at(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

unsafe extern "C" fn done() -> Code {
    assert_current();
    0
}

unsafe extern "C" fn event(_: CUevent) -> Code {
    assert_current();
    0
}

unsafe extern "C" fn handle<T>(to: *mut *mut T, _: c_uint) -> Code {
    assert_current();
    unsafe { *to = std::ptr::without_provenance_mut(16) };
    0
}

unsafe extern "C" fn name(code: Code, to: *mut *const c_char) -> Code {
    let known = match code {
        OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
        ILLEGAL_ADDRESS => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        BAD_PTX => c"CUDA_ERROR_INVALID_PTX",
        NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
        _ => return 1,
    };
    unsafe { *to = known.as_ptr() };
    0
}

unsafe extern "C" fn meaning(code: Code, to: *mut *const c_char) -> Code {
    if code != ILLEGAL_ADDRESS {
        return 1;
    }
    unsafe { *to = c"an illegal memory access was encountered".as_ptr() };
    0
}

unsafe extern "C" fn attribute(to: *mut c_int, attribute: Attribute, _: c_int) -> Code {
    use Attribute::*;
    unsafe {
        *to = match attribute {
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR => 0,
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => 132,
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR => 2048,
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK => 1024,
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => c_int::MAX,
            CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED => 1,
            _ => return 1,
        }
    };
    0
}

unsafe extern "C" fn load(
    to: *mut CUmodule,
    image: *const c_void,
    options: c_uint,
    _: *mut CUjit_option,
    values: *mut *mut c_void,
) -> Code {
    assert_current();
    let binary = unsafe { *image.cast::<u8>() } == CUBIN[0];
    if binary {
        assert_eq!(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), CUBIN.len()) }, CUBIN);
        return write(to, std::ptr::without_provenance_mut(32));
    }
    let text = unsafe { CStr::from_ptr(image.cast()) }.to_str().unwrap();
    if text.contains(".version 99.0") {
        return TOO_NEW;
    }
    if !text.contains(".entry") {
        assert_eq!(options, 2);
        let log = b"ptxas fatal: no entry\0";
        unsafe {
            assert!((*values.add(1)).addr() > log.len());
            std::ptr::copy(log.as_ptr(), (*values).cast(), log.len());
        }
        return BAD_PTX;
    }
    write(to, std::ptr::without_provenance_mut(32))
}

unsafe extern "C" fn function(to: *mut CUfunction, _: CUmodule, name: *const c_char) -> Code {
    assert_current();
    let handle = match unsafe { CStr::from_ptr(name) }.to_str().unwrap() {
        "add" => 1,
        "fault" => 2,
        _ => return NOT_FOUND,
    };
    unsafe { *to = std::ptr::without_provenance_mut(handle) };
    0
}

unsafe extern "C" fn launch(
    function: CUfunction,
    grid: c_uint,
    _: c_uint,
    _: c_uint,
    block: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: CUstream,
    arguments: *mut *mut c_void,
    _: *mut *mut c_void,
) -> Code {
    if function.addr() == 2 {
        return ILLEGAL_ADDRESS;
    }
    assert_current();
    assert!(grid >= 1 && block >= 1);
    // As a C++ function would read its parameters: aligned.
    unsafe {
        let to: u64 = (*arguments.add(0)).cast::<u64>().read();
        let count: u32 = (*arguments.add(1)).cast::<u32>().read();
        let by: u64 = (*arguments.add(2)).cast::<u64>().read();
        for number in 0..count as usize {
            let place = at(to).cast::<u64>().add(number);
            *place = (*place).wrapping_add(by);
        }
    }
    0
}

fn write<T>(to: *mut T, value: T) -> Code {
    unsafe { to.write(value) };
    0
}

/// A function of the driver, with its answer.
macro_rules! answer {
    (|$($name:tt: $ty:ty),*| $body:expr) => {{
        unsafe extern "C" fn answer($($name: $ty),*) -> Code {
            $body
        }
        answer
    }};
}

pub(super) mod nvrtc;

/// The driver. A test takes it with some functions replaced.
pub(super) static CUDA: Cuda = Cuda {
    cuInit: answer!(|_: c_uint| 0),
    cuDriverGetVersion: answer!(|to: *mut c_int| write(to, 12040)),
    cuDeviceGetCount: answer!(|to: *mut c_int| write(to, 1)),
    cuDeviceGet: answer!(|to: *mut c_int, ordinal: c_int| write(to, ordinal)),
    cuDeviceGetName: answer!(|to: *mut c_char, most: c_int, _: c_int| {
        assert!(most > 12);
        unsafe { std::ptr::copy(c"fake device".as_ptr(), to, 12) };
        0
    }),
    cuDeviceGetAttribute: attribute,
    cuDeviceTotalMem_v2: answer!(|to: *mut usize, _: c_int| write(to, MOST_BYTES)),
    cuDeviceGetMemPool: answer!(|to: *mut CUmemoryPool, _: c_int| write(to, std::ptr::without_provenance_mut(64))),
    cuDevicePrimaryCtxRetain: answer!(|to: *mut CUcontext, _: c_int| {
        write(to, std::ptr::without_provenance_mut(128))
    }),
    cuDevicePrimaryCtxRelease_v2: answer!(|_: c_int| 0),
    cuCtxPushCurrent_v2: answer!(|_: CUcontext| {
        CURRENT.set(CURRENT.get() + 1);
        0
    }),
    cuCtxPopCurrent_v2: answer!(|to: *mut CUcontext| {
        CURRENT.set(CURRENT.get().checked_sub(1).unwrap());
        write(to, std::ptr::without_provenance_mut(128))
    }),
    cuCtxGetDevice: answer!(|to: *mut c_int| write(to, 0)),
    cuCtxSynchronize: done,
    cuMemGetInfo_v2: answer!(|free: *mut usize, total: *mut usize| write(free, 1000) + write(total, MOST_BYTES)),
    cuMemAlloc_v2: allocate,
    cuMemFree_v2: free,
    cuMemAllocAsync: answer!(|to: *mut u64, bytes: usize, _: CUstream| unsafe { allocate(to, bytes) }),
    cuMemFreeAsync: answer!(|address: u64, _: CUstream| unsafe { free(address) }),
    cuMemPoolSetAttribute: answer!(|_: CUmemoryPool, _: PoolAttribute, _: *mut c_void| 0),
    cuMemPoolGetAttribute: answer!(|_: CUmemoryPool, which: PoolAttribute, to: *mut c_void| {
        let bytes = match which {
            PoolAttribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => 50u64,
            PoolAttribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT => 20,
            _ => 0,
        };
        write(to.cast(), bytes)
    }),
    cuMemPoolTrimTo: answer!(|_: CUmemoryPool, _: usize| 0),
    cuMemHostAlloc: answer!(|to: *mut *mut c_void, bytes: usize, _: c_uint| unsafe { allocate(to.cast(), bytes) }),
    cuMemFreeHost: answer!(|memory: *mut c_void| unsafe { free(memory.addr() as u64) }),
    cuMemcpyHtoDAsync_v2: answer!(|to: u64, from: *const c_void, bytes: usize, _: CUstream| {
        unsafe { copy(at(to), from, bytes) }
    }),
    cuMemcpyDtoHAsync_v2: answer!(|to: *mut c_void, from: u64, bytes: usize, _: CUstream| {
        unsafe { copy(to, at(from), bytes) }
    }),
    cuMemcpyDtoDAsync_v2: answer!(|to: u64, from: u64, bytes: usize, _: CUstream| {
        unsafe { copy(at(to), at(from), bytes) }
    }),
    cuMemsetD8Async: answer!(|to: u64, value: u8, bytes: usize, _: CUstream| {
        unsafe { at(to).cast::<u8>().write_bytes(value, bytes) };
        0
    }),
    cuStreamCreate: handle,
    cuStreamDestroy_v2: answer!(|_: CUstream| 0),
    cuStreamSynchronize: answer!(|_: CUstream| 0),
    cuStreamWaitEvent: answer!(|_: CUstream, _: CUevent, _: c_uint| 0),
    cuEventCreate: handle,
    cuEventDestroy_v2: event,
    cuEventRecord: answer!(|_: CUevent, _: CUstream| 0),
    cuEventSynchronize: event,
    cuEventQuery: event,
    cuEventElapsedTime: answer!(|to: *mut f32, _: CUevent, _: CUevent| write(to, 1.5)),
    cuModuleLoadDataEx: load,
    cuModuleUnload: answer!(|_: CUmodule| 0),
    cuModuleGetFunction: function,
    cuFuncGetAttribute: answer!(|to: *mut c_int, _: CUfunction_attribute, _: CUfunction| write(to, 512)),
    cuLaunchKernel: launch,
    cuGetErrorName: name,
    cuGetErrorString: meaning,
};
