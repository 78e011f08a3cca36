//! The second level of NVRTC, like `result` for the driver.
//!
//! Every `unsafe` function here has the same contract: a program comes from `create` and is not destroyed. Given that, each call
//! is sound: the table's functions have the signatures of CUDA's headers, and write to memory of the right type and size.

#![expect(unsafe_code, reason = "the functions of a library written in C are called")]

use std::ffi::{CStr, CString, c_int};
use std::ptr::{null, null_mut};

use cudarc::nvrtc::sys::nvrtcProgram;

use super::raw::Nvrtc;
use super::result::{Result, check, until_zero, written};
use super::status::Version;

impl Nvrtc {
    pub(super) fn version(&self) -> Result<Version> {
        let mut minor: c_int = 0;
        // SAFETY: the module's contract.
        let major = written(0, |to| unsafe { (self.nvrtcVersion)(to, &mut minor) })?;
        Ok(Version { major: major.unsigned_abs(), minor: minor.unsigned_abs() })
    }

    /// Returns the architectures that it supports: 75 is `compute_75`.
    pub(super) fn architectures(&self) -> Result<Vec<u32>> {
        // SAFETY: the module's contract.
        let count = written(0, |to| unsafe { (self.nvrtcGetNumSupportedArchs)(to) })?;
        let mut all: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the module's contract; there is room for the number that NVRTC returned.
        check(unsafe { (self.nvrtcGetSupportedArchs)(all.as_mut_ptr()) })?;
        Ok(all.into_iter().filter_map(|architecture| u32::try_from(architecture).ok()).collect())
    }

    /// Creates a program from a text. Both strings must outlive it.
    pub(super) unsafe fn create(&self, source: &CStr, name: &CStr) -> Result<nvrtcProgram> {
        // SAFETY: the module's contract; there are no headers.
        written(null_mut(), |to| unsafe {
            (self.nvrtcCreateProgram)(to, source.as_ptr(), name.as_ptr(), 0, null(), null())
        })
    }

    pub(super) unsafe fn compile(&self, program: nvrtcProgram, options: &[CString]) -> Result<()> {
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).unwrap_or(c_int::MAX);
        // SAFETY: the module's contract.
        check(unsafe { (self.nvrtcCompileProgram)(program, count, options.as_ptr()) })
    }

    pub(super) unsafe fn ptx(&self, program: nvrtcProgram) -> Result<String> {
        // SAFETY: the module's contract.
        let bytes = written(0, |to| unsafe { (self.nvrtcGetPTXSize)(program, to) })?;
        let mut text = vec![0u8; bytes];
        // SAFETY: the module's contract; there is room for the size that NVRTC returned.
        check(unsafe { (self.nvrtcGetPTX)(program, text.as_mut_ptr().cast()) })?;
        Ok(until_zero(&text))
    }

    /// Returns the binary. A program for a virtual architecture has none.
    pub(super) unsafe fn cubin(&self, program: nvrtcProgram) -> Result<Vec<u8>> {
        // SAFETY: the module's contract.
        let bytes = written(0, |to| unsafe { (self.nvrtcGetCUBINSize)(program, to) })?;
        let mut cubin = vec![0u8; bytes];
        // SAFETY: the module's contract; there is room for the size that NVRTC returned.
        check(unsafe { (self.nvrtcGetCUBIN)(program, cubin.as_mut_ptr().cast()) })?;
        Ok(cubin)
    }

    pub(super) unsafe fn log(&self, program: nvrtcProgram) -> Result<String> {
        // SAFETY: the module's contract.
        let bytes = written(0, |to| unsafe { (self.nvrtcGetProgramLogSize)(program, to) })?;
        let mut text = vec![0u8; bytes];
        // SAFETY: the module's contract; there is room for the size that NVRTC returned.
        check(unsafe { (self.nvrtcGetProgramLog)(program, text.as_mut_ptr().cast()) })?;
        Ok(until_zero(&text))
    }

    pub(super) unsafe fn destroy(&self, mut program: nvrtcProgram) -> Result<()> {
        // SAFETY: the module's contract.
        check(unsafe { (self.nvrtcDestroyProgram)(&mut program) })
    }
}
