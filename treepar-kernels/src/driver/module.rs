//! Loaded PTX, and its entries.

#![expect(unsafe_code, reason = "the second level is called, and handles are shared between threads")]

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

use cudarc::driver::sys::{CUfunction, CUmodule};

use super::device::{Context, Device};
use super::image::Image;
use super::signature;
use super::status::{Class, Status};
use crate::machine::{Error, Result};

/// PTX that a device has assembled and loaded. A clone is the same module, which stays loaded while one of its functions is
/// in use.
#[derive(Clone)]
pub struct Module(Arc<Loaded>);

struct Loaded {
    context: Arc<Context>,
    raw: CUmodule,
    name: String,
    /// The sizes of each entry's parameters in bytes.
    entries: HashMap<String, Vec<usize>>,
}

// SAFETY: the driver's functions may be called from all threads, even for one module.
unsafe impl Send for Loaded {}
// SAFETY: as for `Send`.
unsafe impl Sync for Loaded {}

impl Module {
    /// Assembles a PTX text for the device and loads it. `name` is for messages.
    ///
    /// # Errors
    /// [`Error::Compile`] with the assembler's log; [`Error::DriverTooOld`] if the PTX has a newer version than the driver
    /// knows; [`Error::NoRoom`] if it does not fit on the device; [`Error::Lost`] or [`Error::Driver`].
    pub fn from_ptx(device: &Device, name: &str, ptx: &str) -> Result<Module> {
        let text = CString::new(ptx)
            .map_err(|error| Error::Compile { unit: name.to_owned(), log: format!("the PTX has a zero: {error}") })?;
        // SAFETY: the text ends with a zero.
        unsafe { Module::load(device, name, ptx, text.as_bytes_with_nul()) }
    }

    /// Loads a compiled unit: the binary if there is one, else the PTX.
    ///
    /// # Safety
    /// The binary is unchanged compiler output.
    ///
    /// # Errors
    /// As [`Module::from_ptx`].
    pub(super) unsafe fn from_image(device: &Device, name: &str, image: &Image) -> Result<Module> {
        match &image.cubin {
            // SAFETY: as the caller says.
            Some(cubin) => unsafe { Module::load(device, name, &image.ptx, cubin) },
            None => Module::from_ptx(device, name, &image.ptx),
        }
    }

    /// # Safety
    /// `image` is the text `ptx` with a zero, or a whole cubin of it.
    unsafe fn load(device: &Device, name: &str, ptx: &str, image: &[u8]) -> Result<Module> {
        let context = device.0.clone();
        let mut log = String::new();
        let loaded = context.with_room(|cuda| {
            // SAFETY: the context is current; the caller guarantees the image.
            unsafe { cuda.load_module(image) }.map_err(|(status, said)| {
                log = said;
                status
            })
        });
        let raw = loaded.map_err(|status| refused(&context, name, ptx, status, log))?;
        Ok(Module(Arc::new(Loaded { context, raw, name: name.to_owned(), entries: signature::entries(ptx) })))
    }

    /// Returns the entry with a name.
    ///
    /// # Errors
    /// [`Error::Driver`] if there is none; [`Error::NoRoom`] if it does not fit on the device; [`Error::Lost`].
    pub fn function(&self, entry: &str) -> Result<Function> {
        let Loaded { context, raw, name, entries } = &*self.0;
        let doing = format!("looking for entry `{entry}` of kernel `{name}`");
        let text = CString::new(entry)
            .map_err(|error| Error::Driver { doing: doing.clone(), reason: format!("the name has a zero: {error}") })?;
        // The driver may load an entry only here.
        let found = context.with_room(|cuda| {
            // SAFETY: the module is alive, its context is current, and the function belongs to it.
            unsafe {
                let function = cuda.function(*raw, &text)?;
                Ok((function, cuda.function_threads(function)?))
            }
        });
        let (raw, threads) = found.map_err(|status| context.error(status, &doing))?;
        let parameters = entries.get(entry).cloned();
        let found = Found { module: self.clone(), raw, name: entry.into(), parameters, threads };
        Ok(Function(Arc::new(found)))
    }

    /// Returns the module, for other libraries. It is valid while this lives.
    pub fn as_raw(&self) -> CUmodule {
        self.0.raw
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Module").field(&self.0.name).finish()
    }
}

fn refused(context: &Context, name: &str, ptx: &str, status: Status, log: String) -> Error {
    let version = signature::version(ptx);
    // Some drivers only say that the PTX is invalid, and give the reason in the log.
    let too_new = status.class() == Class::DriverTooOld || log.contains("Unsupported .version");
    match status.class() {
        _ if too_new => Error::DriverTooOld {
            found: context.facts.driver.to_string(),
            needed: version.map_or_else(|| "a newer one".to_owned(), cuda_of_ptx),
        },
        Class::BadPtx => {
            let reason = status.reason(context.cuda);
            Error::Compile { unit: name.to_owned(), log: format!("{reason}\n{log}").trim_end().to_owned() }
        }
        _ => context.error(status, &format!("loading kernel `{name}`")),
    }
}

/// Returns the first version of CUDA whose driver accepts a version of PTX.
fn cuda_of_ptx(ptx: &str) -> String {
    const VERSIONS: &[(&str, &str)] = &[
        ("8.0", "12.0"),
        ("8.1", "12.1"),
        ("8.2", "12.2"),
        ("8.3", "12.3"),
        ("8.4", "12.4"),
        ("8.5", "12.5"),
        ("8.6", "12.7"),
        ("8.7", "12.8"),
        ("8.8", "12.9"),
        ("9.0", "13.0"),
    ];
    let known = VERSIONS.iter().find(|(version, _)| *version == ptx);
    known.map_or_else(|| format!("one with PTX {ptx}"), |(_, cuda)| (*cuda).to_owned())
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let _ = self.context.with(|cuda| {
            // SAFETY: loaded by `load`; no function of it is left, and after the wait none runs. If the wait fails, one may
            // still run: then the module stays loaded, which only costs memory.
            unsafe { cuda.synchronize_context().and_then(|()| cuda.unload_module(self.raw)) }
        });
    }
}

/// An entry of a module. A clone is the same entry.
#[derive(Clone)]
pub struct Function(Arc<Found>);

struct Found {
    module: Module,
    raw: CUfunction,
    name: Arc<str>,
    /// The sizes of the parameters in bytes, if they are known.
    parameters: Option<Vec<usize>>,
    /// The maximum number of threads per block.
    threads: u32,
}

// SAFETY: the driver's functions may be called from all threads, even for one function.
unsafe impl Send for Found {}
// SAFETY: as for `Send`.
unsafe impl Sync for Found {}

impl Function {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the sizes of the parameters in bytes; `None` if one is neither a scalar nor a struct.
    pub fn parameters(&self) -> Option<&[usize]> {
        self.0.parameters.as_deref()
    }

    /// Returns the maximum number of threads per block.
    pub fn max_threads(&self) -> u32 {
        self.0.threads
    }

    /// Returns the function, for other libraries. It is valid while this lives.
    pub fn as_raw(&self) -> CUfunction {
        self.0.raw
    }

    pub(super) fn context(&self) -> &Context {
        &self.0.module.0.context
    }

    pub(super) fn shared_name(&self) -> &Arc<str> {
        &self.0.name
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Function({}, {:?})", self.name(), self.parameters())
    }
}
