//! NVRTC: CUDA C++ to PTX, without a GPU and without a driver.

#![expect(unsafe_code, reason = "the second level is called")]

use std::ffi::CString;

use cudarc::nvrtc::sys::nvrtcProgram;

use super::library::{self, COMPILER};
use super::raw::Nvrtc;
use super::status::Version;
use crate::machine::{Error, Result};

/// The oldest architecture, which all devices that are served can run.
pub const OLDEST_ARCHITECTURE: &str = "compute_75";

/// The options beside the architecture: functions without a mark are the device's, and `a * b + c` rounds twice, as in
/// Rust.
const OPTIONS: &[&str] = &["--std=c++17", "-default-device", "--fmad=false", "--generate-line-info"];

/// What NVRTC answers for a text that does not compile.
const COMPILATION: u32 = 6;

/// Compiles CUDA C++ to PTX by NVRTC. `name` is the unit's, for messages; `architecture` is `compute_75` or newer.
///
/// No header is found but those that are part of NVRTC.
///
/// # Errors
/// [`Error::NoCompiler`] where NVRTC is not installed; [`Error::Compile`] with its log.
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
    let failed = |log: String| Error::Compile { unit: name.to_owned(), log };
    let text = |text: String| CString::new(text).map_err(|error| failed(format!("the text has a zero: {error}")));
    let (source, file) = (text(source.to_owned())?, text(format!("{name}.cu"))?);
    let architecture = text(format!("--gpu-architecture={architecture}"))?;
    let options = OPTIONS.iter().map(|option| text((*option).to_owned()));
    let options = std::iter::once(Ok(architecture)).chain(options).collect::<Result<Vec<_>>>()?;

    let refused = |doing: &str, code: u32| failed(format!("NVRTC answers {code} to {doing}"));
    // SAFETY: both strings outlive the program, which is declared after them.
    let raw = unsafe { nvrtc.create(&source, &file) }.map_err(|status| refused("a program", status.0))?;
    let program = Program { nvrtc, raw };
    // SAFETY: the program is alive.
    match unsafe { nvrtc.compile(program.raw, &options) } {
        // SAFETY: as above.
        Ok(()) => unsafe { nvrtc.ptx(program.raw) }.map_err(|status| refused("asking for PTX", status.0)),
        Err(status) => {
            // SAFETY: as above.
            let log = unsafe { nvrtc.log(program.raw) }.unwrap_or_default();
            let log = log.trim_end();
            match status.0 {
                COMPILATION if !log.is_empty() => Err(failed(log.to_owned())),
                code => Err(failed(format!("NVRTC answers {code} to {options:?}\n{log}").trim_end().to_owned())),
            }
        }
    }
}

/// The options that each unit is compiled with, in one line.
pub(super) fn options() -> String {
    OPTIONS.join(" ")
}

/// The version of NVRTC that [`compile`] uses; `None` where there is none that it can use.
pub fn compiler_version() -> Option<Version> {
    library::nvrtc().map(|(_, version)| version)
}

/// The version of NVRTC, and the newest architecture that it compiles for and a device of this compute capability runs.
pub(super) fn target(unit: &str, capability: (u32, u32)) -> Result<(Version, String)> {
    let (nvrtc, version) = compiler(unit, library::nvrtc())?;
    let known = nvrtc.architectures().unwrap_or_default();
    Ok((version, newest(&known, capability)))
}

fn newest(known: &[u32], (major, minor): (u32, u32)) -> String {
    let best = known.iter().filter(|known| **known <= major * 10 + minor).max();
    best.map_or_else(|| OLDEST_ARCHITECTURE.to_owned(), |best| format!("compute_{best}"))
}

type Compiler = (&'static Nvrtc, Version);

fn compiler(unit: &str, found: Option<Compiler>) -> Result<Compiler> {
    found.ok_or_else(|| Error::NoCompiler {
        unit: unit.to_owned(),
        compiler: COMPILER.to_owned(),
        advice: "install NVRTC of CUDA 12.0 or newer, no newer than the driver (package cuda-nvrtc-12-* of NVIDIA, or \
                 nvidia-cuda-nvrtc-cu12 of the Python package index with its folder in LD_LIBRARY_PATH), or use the \
                 CPU backend",
    })
}

struct Program<'a> {
    nvrtc: &'a Nvrtc,
    raw: nvrtcProgram,
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `create`, and not destroyed before.
        let _ = unsafe { self.nvrtc.destroy(self.raw) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_architecture_that_both_know() {
        let known = [52, 60, 75, 80, 86, 89, 90];
        for (capability, architecture) in
            [((7, 5), "compute_75"), ((8, 7), "compute_86"), ((9, 0), "compute_90"), ((12, 0), "compute_90")]
        {
            assert_eq!(newest(&known, capability), architecture);
        }
        assert_eq!(newest(&[], (9, 0)), "compute_75");
    }

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
