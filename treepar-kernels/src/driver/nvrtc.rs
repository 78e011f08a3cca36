//! The second level of NVRTC, as `result` is the driver's.
//!
//! What is unsafe here asks that a program was made by `create`, and is not yet destroyed.

#![expect(unsafe_code, reason = "the functions of a library written in C are called")]

use std::ffi::{CStr, CString, c_int};
use std::ptr::{null, null_mut};

use cudarc::nvrtc::sys::nvrtcProgram;

use super::raw::Nvrtc;
use super::result::{Result, check, until_zero, written};
use super::status::Version;

// SAFETY, for all of these: the table's functions have the signatures of CUDA's headers; what they write to is alive
// for the call and of the right type; of programs the caller answers, as the header says.
impl Nvrtc {
    pub(super) fn version(&self) -> Result<Version> {
        let mut minor: c_int = 0;
        // SAFETY: as above.
        let major = written(0, |to| unsafe { (self.nvrtcVersion)(to, &mut minor) })?;
        Ok(Version { major: major.unsigned_abs(), minor: minor.unsigned_abs() })
    }

    /// The architectures that it compiles for: 75 is `compute_75`.
    pub(super) fn architectures(&self) -> Result<Vec<u32>> {
        // SAFETY: as above.
        let count = written(0, |to| unsafe { (self.nvrtcGetNumSupportedArchs)(to) })?;
        let mut all: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: as above; there is room for as many as it said.
        check(unsafe { (self.nvrtcGetSupportedArchs)(all.as_mut_ptr()) })?;
        Ok(all.into_iter().filter_map(|architecture| u32::try_from(architecture).ok()).collect())
    }

    /// A program of a text; both strings outlive it.
    pub(super) unsafe fn create(&self, source: &CStr, name: &CStr) -> Result<nvrtcProgram> {
        // SAFETY: as above; there are no headers.
        written(null_mut(), |to| unsafe {
            (self.nvrtcCreateProgram)(to, source.as_ptr(), name.as_ptr(), 0, null(), null())
        })
    }

    pub(super) unsafe fn compile(&self, program: nvrtcProgram, options: &[CString]) -> Result<()> {
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).unwrap_or(c_int::MAX);
        // SAFETY: as above.
        check(unsafe { (self.nvrtcCompileProgram)(program, count, options.as_ptr()) })
    }

    pub(super) unsafe fn ptx(&self, program: nvrtcProgram) -> Result<String> {
        // SAFETY: as above.
        let bytes = written(0, |to| unsafe { (self.nvrtcGetPTXSize)(program, to) })?;
        let mut text = vec![0u8; bytes];
        // SAFETY: as above; there is room for as much as it said.
        check(unsafe { (self.nvrtcGetPTX)(program, text.as_mut_ptr().cast()) })?;
        Ok(until_zero(&text))
    }

    /// The binary; a program that was compiled for a virtual architecture has none.
    pub(super) unsafe fn cubin(&self, program: nvrtcProgram) -> Result<Vec<u8>> {
        // SAFETY: as above.
        let bytes = written(0, |to| unsafe { (self.nvrtcGetCUBINSize)(program, to) })?;
        let mut cubin = vec![0u8; bytes];
        // SAFETY: as above; there is room for as much as it said.
        check(unsafe { (self.nvrtcGetCUBIN)(program, cubin.as_mut_ptr().cast()) })?;
        Ok(cubin)
    }

    pub(super) unsafe fn log(&self, program: nvrtcProgram) -> Result<String> {
        // SAFETY: as above.
        let bytes = written(0, |to| unsafe { (self.nvrtcGetProgramLogSize)(program, to) })?;
        let mut text = vec![0u8; bytes];
        // SAFETY: as above; there is room for as much as it said.
        check(unsafe { (self.nvrtcGetProgramLog)(program, text.as_mut_ptr().cast()) })?;
        Ok(until_zero(&text))
    }

    pub(super) unsafe fn destroy(&self, mut program: nvrtcProgram) -> Result<()> {
        // SAFETY: as above.
        check(unsafe { (self.nvrtcDestroyProgram)(&mut program) })
    }
}
