//! The first level: the libraries of CUDA, and their symbols as tables of functions.
//!
//! Handles and arguments are `cudarc`'s, and each signature is checked against `cudarc`'s binding when this compiles.
//! The symbols are looked up here for three reasons. A status is a number, since a driver may return codes that an enum does
//! not have. A missing library or symbol is an error, not a panic. And `cudarc` may be built for any version of CUDA, and may
//! link the driver or not.
//!
//! Only symbols that the driver of CUDA 12.0 has are in the table.

#![expect(unsafe_code, reason = "symbols of a library written in C are called by their signatures")]
#![expect(non_snake_case, reason = "the tables use CUDA's names")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr::NonNull;

use cudarc::driver::sys::{
    self as cuda, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction, CUfunction_attribute,
    CUjit_option, CUmemPool_attribute, CUmemoryPool, CUmodule, CUstream,
};
use cudarc::nvrtc::sys::{self as nvrtc, nvrtcProgram};
/// The status of a call: 0 for success, else an error code.
pub(super) type Code = u32;

/// The address of a function, with no type.
pub type Symbol = NonNull<c_void>;

/// A table of symbols: a struct with one function pointer per symbol, and a function that reads it from a library.
macro_rules! table {
    (
        $(#[$doc:meta])* struct $table:ident;
        $(checked by $binding:ident as $code:ty { $($name:ident($($argument:ty),* $(,)?);)* })?
        $(unchecked { $($other:ident($($other_argument:ty),* $(,)?);)* })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $table {
            $($(pub(super) $name: unsafe extern "C" fn($($argument),*) -> Code,)*)?
            $($(pub(super) $other: unsafe extern "C" fn($($other_argument),*) -> Code,)*)?
        }

        $($(const _: unsafe fn($($argument),*) -> $code = $binding::$name;)*)?

        impl $table {
            /// Functions that succeed, do nothing and write nothing.
            #[cfg(test)]
            #[allow(dead_code, reason = "tests replace some tables")]
            pub(super) const SUCCEEDING: $table = $table {
                $($($name: { unsafe extern "C" fn call($(_: $argument),*) -> Code { 0 } call },)*)?
                $($($other: { unsafe extern "C" fn call($(_: $other_argument),*) -> Code { 0 } call },)*)?
            };

            /// Looks up all symbols. Returns the name of one that is missing, if one is.
            ///
            /// # Safety
            /// The symbols are CUDA's functions of these names.
            pub(super) unsafe fn read(
                symbol: impl Fn(&'static str) -> Option<Symbol>,
            ) -> std::result::Result<$table, &'static str> {
                let find = |name| symbol(name).ok_or(name);
                // SAFETY: the functions have these signatures, by CUDA's headers and `cudarc`'s bindings. A status is an
                // enum of C, which has the size of `Code`.
                unsafe {
                    Ok($table {
                        $($($name: transmute::<Symbol, unsafe extern "C" fn($($argument),*) -> Code>(
                            find(stringify!($name))?),)*)?
                        $($($other: transmute::<Symbol, unsafe extern "C" fn($($other_argument),*) -> Code>(
                            find(stringify!($other))?),)*)?
                    })
                }
            }
        }
    };
}

table! {
    /// The driver: `libcuda`.
    struct Cuda;
    checked by cuda as cuda::CUresult {
        cuInit(c_uint);
        cuDriverGetVersion(*mut c_int);
        cuDeviceGetCount(*mut c_int);
        cuDeviceGet(*mut CUdevice, c_int);
        cuDeviceGetName(*mut c_char, c_int, CUdevice);
        cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
        cuDeviceTotalMem_v2(*mut usize, CUdevice);
        cuDeviceGetMemPool(*mut CUmemoryPool, CUdevice);
        cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
        cuDevicePrimaryCtxRelease_v2(CUdevice);
        cuCtxPushCurrent_v2(CUcontext);
        cuCtxPopCurrent_v2(*mut CUcontext);
        cuCtxGetDevice(*mut CUdevice);
        cuCtxSynchronize();
        cuMemGetInfo_v2(*mut usize, *mut usize);
        cuMemAlloc_v2(*mut CUdeviceptr, usize);
        cuMemFree_v2(CUdeviceptr);
        cuMemAllocAsync(*mut CUdeviceptr, usize, CUstream);
        cuMemFreeAsync(CUdeviceptr, CUstream);
        cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, *mut c_void);
        cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, *mut c_void);
        cuMemPoolTrimTo(CUmemoryPool, usize);
        cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        cuMemFreeHost(*mut c_void);
        cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
        cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
        cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
        cuMemsetD8Async(CUdeviceptr, u8, usize, CUstream);
        cuStreamCreate(*mut CUstream, c_uint);
        cuStreamDestroy_v2(CUstream);
        cuStreamSynchronize(CUstream);
        cuEventCreate(*mut CUevent, c_uint);
        cuEventDestroy_v2(CUevent);
        cuEventRecord(CUevent, CUstream);
        cuEventSynchronize(CUevent);
        cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
        cuModuleUnload(CUmodule);
        cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
        cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
        cuLaunchKernel(CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
            *mut *mut c_void, *mut *mut c_void);
    }
    unchecked {
        // The bindings of CUDA 13 have only its second version; every driver has the first.
        cuEventElapsedTime(*mut f32, CUevent, CUevent);
        // A code is a number here, and an enum in the bindings.
        cuGetErrorName(Code, *mut *const c_char);
        cuGetErrorString(Code, *mut *const c_char);
    }
}

table! {
    /// The functions of a driver that is too old for the others.
    struct Dated;
    checked by cuda as cuda::CUresult {
        cuDriverGetVersion(*mut c_int);
    }
}

table! {
    /// The compiler: `libnvrtc`.
    struct Nvrtc;
    checked by nvrtc as nvrtc::nvrtcResult {
        nvrtcVersion(*mut c_int, *mut c_int);
        nvrtcGetNumSupportedArchs(*mut c_int);
        nvrtcGetSupportedArchs(*mut c_int);
        nvrtcCreateProgram(*mut nvrtcProgram, *const c_char, *const c_char, c_int, *const *const c_char,
            *const *const c_char);
        nvrtcCompileProgram(nvrtcProgram, c_int, *const *const c_char);
        nvrtcGetPTXSize(nvrtcProgram, *mut usize);
        nvrtcGetPTX(nvrtcProgram, *mut c_char);
        nvrtcGetCUBINSize(nvrtcProgram, *mut usize);
        nvrtcGetCUBIN(nvrtcProgram, *mut c_char);
        nvrtcGetProgramLogSize(nvrtcProgram, *mut usize);
        nvrtcGetProgramLog(nvrtcProgram, *mut c_char);
        nvrtcDestroyProgram(*mut nvrtcProgram);
    }
}
