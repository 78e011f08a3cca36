//! A compiler for tests: whatever the text, it makes the kernels of the driver for tests, in PTX that is too new for
//! that driver.

use std::ffi::{CStr, c_char, c_int};
use std::sync::Mutex;

use cudarc::nvrtc::sys::nvrtcProgram;

use super::{CUBIN, Code, write};
use crate::driver::raw::Nvrtc;

/// The options of each program, by its handle less one.
static OPTIONS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The PTX of every program.
pub(in crate::driver) fn ptx() -> String {
    super::PTX.replace(".version 8.0", ".version 99.0")
}

fn cubin(program: nvrtcProgram) -> &'static [u8] {
    if OPTIONS.lock().unwrap()[program.addr() - 1].contains("--gpu-architecture=sm_") { CUBIN } else { &[] }
}

unsafe extern "C" fn create(
    to: *mut nvrtcProgram,
    _: *const c_char,
    _: *const c_char,
    _: c_int,
    _: *const *const c_char,
    _: *const *const c_char,
) -> Code {
    let mut all = OPTIONS.lock().unwrap();
    all.push(String::new());
    write(to, std::ptr::without_provenance_mut(all.len()))
}

unsafe extern "C" fn compile(program: nvrtcProgram, count: c_int, options: *const *const c_char) -> Code {
    let options = unsafe { std::slice::from_raw_parts(options, count as usize) };
    let options = options.iter().map(|option| unsafe { CStr::from_ptr(*option) }.to_str().unwrap());
    OPTIONS.lock().unwrap()[program.addr() - 1] = options.collect::<Vec<_>>().join(" ");
    0
}

unsafe fn copy(from: &[u8], to: *mut c_char) -> Code {
    unsafe { std::ptr::copy(from.as_ptr(), to.cast(), from.len()) };
    0
}

/// The compiler.
pub(in crate::driver) static NVRTC: Nvrtc = Nvrtc {
    nvrtcVersion: answer!(|major: *mut c_int, minor: *mut c_int| write(major, 12) + write(minor, 9)),
    nvrtcGetNumSupportedArchs: answer!(|to: *mut c_int| write(to, 2)),
    nvrtcGetSupportedArchs: answer!(|to: *mut c_int| write(to, 75) + unsafe { write(to.add(1), 90) }),
    nvrtcCreateProgram: create,
    nvrtcCompileProgram: compile,
    nvrtcGetPTXSize: answer!(|_: nvrtcProgram, to: *mut usize| write(to, ptx().len() + 1)),
    nvrtcGetPTX: answer!(|_: nvrtcProgram, to: *mut c_char| unsafe { copy(ptx().as_bytes(), to) }),
    nvrtcGetCUBINSize: answer!(|program: nvrtcProgram, to: *mut usize| write(to, cubin(program).len())),
    nvrtcGetCUBIN: answer!(|program: nvrtcProgram, to: *mut c_char| unsafe { copy(cubin(program), to) }),
    nvrtcGetProgramLogSize: answer!(|_: nvrtcProgram, to: *mut usize| write(to, 0)),
    nvrtcGetProgramLog: answer!(|_: nvrtcProgram, _: *mut c_char| 0),
    nvrtcDestroyProgram: answer!(|_: *mut nvrtcProgram| 0),
};
