//! A driver and a compiler for tests: the stand-in, with one device, and a compiler that makes one kernel from any text.

#![expect(unsafe_code, reason = "a library written in C is replaced")]

use std::ffi::{c_char, c_int, c_void};
use std::sync::LazyLock;

use cudarc::nvrtc::sys::nvrtcProgram;
use treepar_stand_in::{Settings, add_device};

use super::raw::{Code, Cuda, Nvrtc};

/// The bytes of the device's memory.
const MEMORY_BYTES: u64 = 1 << 30;
/// The kernel `add(u64 to, u32 count, u64 by)`, which adds a number to each of an array.
pub(super) const PTX: &str = concat!(".version 8.0\n", include_str!("../../tests/add.ptx"));
/// The compiler's PTX, which is too new for the driver.
pub(super) const NEW_PTX: &str = concat!(".version 99.0\n", include_str!("../../tests/add.ptx"));
/// The compiler's binary, which the stand-in does not take.
pub(super) const CUBIN: &[u8] = b"\x7fELF, the kernel";

/// The driver. A test takes it with some functions replaced.
pub(super) static CUDA: LazyLock<Cuda> = LazyLock::new(|| {
    add_device(Settings { memory: MEMORY_BYTES, ..Settings::default() });
    // SAFETY: the stand-in has the driver's functions.
    unsafe { Cuda::read(treepar_stand_in::symbol) }.expect("all functions")
});

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
