//! NVRTC: compiles CUDA C++ to PTX and binaries, without a GPU or a driver.

#![expect(unsafe_code, reason = "the second level is called")]

use std::ffi::CString;

use cudarc::nvrtc::sys::nvrtcProgram;

use super::library::{self, COMPILER};
use super::raw::Nvrtc;
use super::status::{Status, Version};
use crate::machine::{Error, Result};

/// The oldest architecture. All supported devices run its code.
pub const OLDEST_ARCHITECTURE: &str = "compute_75";

/// The options besides the architecture. Functions are device functions by default, and `a * b + c` rounds twice, as in
/// Rust.
const OPTIONS: &[&str] = &["--std=c++17", "-default-device", "--fmad=false", "--generate-line-info"];

/// The status of NVRTC for a text that does not compile.
const COMPILATION: u32 = 6;

/// Compiles CUDA C++ to PTX with NVRTC. `name` is for messages; `architecture` is `compute_75` or newer.
///
/// Only the headers that are part of NVRTC are found. A driver does not accept PTX from an NVRTC newer than itself.
///
/// # Errors
/// [`Error::NoCompiler`] if NVRTC is not installed; [`Error::Compile`] with its log.
///
/// # Example
/// ```no_run
/// use treepar_kernels::driver::compile;
///
/// let ptx = compile("twice", "extern \"C\" __global__ void twice(int* x) { *x *= 2; }", "compute_75")?;
/// assert!(ptx.contains(".entry twice"));
/// # Ok::<(), treepar_kernels::machine::Error>(())
/// ```
pub fn compile(name: &str, source: &str, architecture: &str) -> Result<String> {
    let (nvrtc, _) = compiler(name, library::nvrtc())?;
    Program::compile(nvrtc, name, source, architecture)?.ptx()
}

/// Returns the options of every unit, in one line.
pub(super) fn options() -> String {
    OPTIONS.join(" ")
}

/// Returns the version of NVRTC that [`compile`] uses; `None` if there is none that it can use.
pub fn compiler_version() -> Option<Version> {
    library::nvrtc().map(|(_, version)| version)
}

/// NVRTC and its version.
pub(super) type Compiler = (&'static Nvrtc, Version);

/// Returns the compiler that was found, or the error of a unit that needs one.
pub(super) fn compiler(unit: &str, found: Option<Compiler>) -> Result<Compiler> {
    found.ok_or_else(|| Error::NoCompiler {
        unit: unit.to_owned(),
        compiler: COMPILER.to_owned(),
        advice: "install NVRTC of CUDA 12.0 or newer, of no newer major version than the driver (package \
                 cuda-nvrtc-12-* of NVIDIA, or nvidia-cuda-nvrtc-cu12 of the Python package index with its folder in \
                 LD_LIBRARY_PATH), or use the CPU backend",
    })
}

/// A compiled text.
pub(super) struct Program {
    nvrtc: &'static Nvrtc,
    raw: nvrtcProgram,
    name: String,
    /// The text and the file name, which `raw` may point to.
    _texts: [CString; 2],
}

impl Program {
    /// Compiles for `compute_75` or newer, or for `sm_75` or newer.
    pub(super) fn compile(nvrtc: &'static Nvrtc, name: &str, source: &str, architecture: &str) -> Result<Program> {
        let failed = |log: String| Error::Compile { unit: name.to_owned(), log };
        let text = |text: String| CString::new(text).map_err(|error| failed(format!("the text has a zero: {error}")));
        let texts = [text(source.to_owned())?, text(format!("{name}.cu"))?];
        let architecture = text(format!("--gpu-architecture={architecture}"))?;
        let options = OPTIONS.iter().map(|option| text((*option).to_owned()));
        let options = std::iter::once(Ok(architecture)).chain(options).collect::<Result<Vec<_>>>()?;

        // SAFETY: both texts are kept as long as the program.
        let raw = unsafe { nvrtc.create(&texts[0], &texts[1]) };
        let raw = raw.map_err(|status| failed(format!("NVRTC returned {} for a program", status.0)))?;
        let program = Program { nvrtc, raw, name: name.to_owned(), _texts: texts };
        // SAFETY: the program is alive.
        let Err(status) = (unsafe { nvrtc.compile(raw, &options) }) else { return Ok(program) };
        // SAFETY: the program is alive.
        let log = unsafe { nvrtc.log(raw) }.unwrap_or_default();
        let log = log.trim_end();
        match status.0 {
            COMPILATION if !log.is_empty() => Err(failed(log.to_owned())),
            code => Err(failed(format!("NVRTC returned {code} with {options:?}\n{log}").trim_end().to_owned())),
        }
    }

    /// Returns its PTX.
    pub(super) fn ptx(&self) -> Result<String> {
        // SAFETY: the program is alive.
        unsafe { self.nvrtc.ptx(self.raw) }.map_err(|status| self.refused("PTX", status))
    }

    /// Returns its binary, if it was compiled for `sm_75` or newer.
    pub(super) fn cubin(&self) -> Result<Vec<u8>> {
        // SAFETY: the program is alive.
        unsafe { self.nvrtc.cubin(self.raw) }.map_err(|status| self.refused("a binary", status))
    }

    fn refused(&self, what: &str, status: Status) -> Error {
        let log = format!("NVRTC returned {} instead of {what}", status.0);
        Error::Compile { unit: self.name.clone(), log }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: made by `create`, and not destroyed before.
        let _ = unsafe { self.nvrtc.destroy(self.raw) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_is_an_error_that_names_the_unit() {
        let Err(error) = compiler("scan_add", None) else { panic!("a compiler out of nothing") };
        assert!(matches!(&error, Error::NoCompiler { unit, .. } if unit == "scan_add"), "{error}");
        assert!(error.to_string().contains("install NVRTC"), "{error}");
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn a_kernel_compiles_with_its_parameters() {
        let source = "struct Pair { double a; float b; };
            extern \"C\" __global__ void add(float* x, unsigned n, Pair p, bool on) {
                if (blockIdx.x < n && on) x[blockIdx.x] = x[blockIdx.x] * p.b + float(p.a);
            }";
        let ptx = compile("add", source, OLDEST_ARCHITECTURE).unwrap();
        assert!(ptx.contains(".target sm_75"), "{ptx}");
        assert!(!ptx.contains("fma"), "{ptx}");
        assert_eq!(super::super::signature::entries(&ptx).get("add"), Some(&vec![8, 4, 16, 1]));
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn a_real_architecture_gives_a_binary_and_the_text_beside_it() {
        let (nvrtc, _) = library::nvrtc().unwrap();
        let source = "extern \"C\" __global__ void add(float* x, unsigned n) { x[n] += 1; }";
        let program = Program::compile(nvrtc, "add", source, "sm_80").unwrap();
        assert!(program.cubin().unwrap().starts_with(b"\x7fELF"));
        let ptx = program.ptx().unwrap();
        assert_eq!(super::super::signature::entries(&ptx).get("add"), Some(&vec![8, 4]), "{ptx}");
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn a_syntax_error_gives_the_log_with_the_units_name() {
        let error = compile("scan_add", "extern \"C\" __global__ void f( { }", OLDEST_ARCHITECTURE).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Compile { .. }), "{text}");
        assert!(text.contains("kernel `scan_add` does not compile") && text.contains("scan_add.cu(1)"), "{text}");
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn an_architecture_that_is_unknown_is_an_error() {
        let error = compile("f", "extern \"C\" __global__ void f() { }", "compute_9999").unwrap_err().to_string();
        assert!(error.contains("compute_9999"), "{error}");
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn threads_compile_at_once() {
        std::thread::scope(|scope| {
            for i in 0..4 {
                scope.spawn(move || {
                    let source = format!("extern \"C\" __global__ void f{i}(int* x) {{ *x += {i}; }}");
                    assert!(compile("f", &source, OLDEST_ARCHITECTURE).unwrap().contains(&format!(".entry f{i}(")));
                });
            }
        });
    }
}
