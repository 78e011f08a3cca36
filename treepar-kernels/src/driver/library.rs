//! The libraries of CUDA, which are found and opened when they are first needed, and stay open.

#![expect(unsafe_code, reason = "opening a library runs its initialisation, and its functions are looked up by name")]

use std::ffi::{OsString, c_void};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::OnceLock;

use libloading::Library;

use super::raw::{Cuda, Dated, Nvrtc, Symbol};
use super::result;
use super::status::Version;
use crate::machine::{Error, Result};

/// The driver's library, as errors name it.
pub(super) const DRIVER: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };
/// The names of the driver's library. The last is the path in the Linux of Windows.
const DRIVER_NAMES: &[&str] =
    if cfg!(windows) { &[DRIVER] } else { &[DRIVER, "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"] };

/// NVRTC, as errors name it.
pub(super) const COMPILER: &str = if cfg!(windows) { "nvrtc64_120_0.dll" } else { "libnvrtc.so.12 or libnvrtc.so.13" };
/// The names of NVRTC, the oldest version first, because a driver may refuse code of a newer one.
const COMPILER_NAMES: &[&str] = if cfg!(windows) {
    &["nvrtc64_120_0.dll", "nvrtc64_130_0.dll"]
} else {
    &["libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so"]
};
/// The folders of libraries in a toolkit.
const TOOLKIT_FOLDERS: &[&str] = if cfg!(windows) { &["bin", "bin\\x64"] } else { &["lib64", "lib"] };

/// The oldest supported version of CUDA.
pub(super) const OLDEST: Version = Version { major: 12, minor: 0 };

/// The driver's functions, or the reason why there are none.
static CUDA: OnceLock<Result<Cuda>> = OnceLock::new();

/// Returns the functions of the driver.
///
/// # Errors
/// [`Error::NoDriver`] if its library is not found; [`Error::DriverTooOld`] if it lacks a function.
pub(super) fn cuda() -> Result<&'static Cuda> {
    CUDA.get_or_init(|| open_driver(DRIVER_NAMES)).as_ref().map_err(Error::clone)
}

/// Makes the process use another driver than that of the system: one for tests, or one that is linked. `symbol` returns the
/// address of a function of the driver by its name.
///
/// It is called before the first device is opened. A second call with the same functions has no effect.
///
/// # Safety
/// The functions are those of CUDA 12.0 or newer, or behave as they do.
///
/// # Errors
/// [`Error::DriverTooOld`] if a function is missing; [`Error::Driver`] if another driver is in use.
pub unsafe fn use_driver(symbol: fn(&str) -> Option<Symbol>) -> Result<()> {
    // SAFETY: the functions are CUDA's, as the caller says.
    let table = unsafe { Cuda::read(symbol) }.map_err(|missing| too_old(missing, None))?;
    let first = table.cuInit as usize;
    match CUDA.get_or_init(|| Ok(table)) {
        Ok(used) if used.cuInit as usize == first => Ok(()),
        _ => Err(Error::Driver { doing: "the use of another driver".to_owned(), reason: "one is in use".to_owned() }),
    }
}

/// Returns the error of a driver that has no function of this name.
fn too_old(missing: &str, version: Option<Version>) -> Error {
    let found = version.map_or_else(|| format!("of a version without {missing}"), |version| version.to_string());
    Error::DriverTooOld { found, needed: OLDEST.to_string() }
}

/// Returns the functions of a library by their names.
fn symbols(library: &Library) -> impl Fn(&'static str) -> Option<Symbol> {
    // SAFETY: the address is not used as anything but an address here.
    |name| NonNull::new(unsafe { library.get::<*mut c_void>(name).ok()?.try_as_raw_ptr() }?)
}

/// Returns the functions of NVRTC and its version; `None` if there is none of [`OLDEST`] or newer.
pub(super) fn nvrtc() -> Option<(&'static Nvrtc, Version)> {
    static NVRTC: OnceLock<Option<(Nvrtc, Version)>> = OnceLock::new();
    NVRTC.get_or_init(open_compiler).as_ref().map(|(table, version)| (table, *version))
}

fn open_driver(names: &[&str]) -> Result<Cuda> {
    let library = names.iter().find_map(open).ok_or(Error::NoDriver { library: DRIVER })?;
    // SAFETY: the library is CUDA's driver.
    let table = unsafe { Cuda::read(symbols(&library)) }.map_err(|missing| {
        // SAFETY: as above.
        let dated = unsafe { Dated::read(symbols(&library)) }.ok();
        too_old(missing, dated.and_then(|dated| result::version(dated.cuDriverGetVersion).ok()))
    })?;
    // The functions are used until the process ends.
    std::mem::forget(library);
    Ok(table)
}

fn open_compiler() -> Option<(Nvrtc, Version)> {
    let names = COMPILER_NAMES.iter().map(PathBuf::from);
    names.chain(toolkits()).find_map(|path| {
        let library = open(&path)?;
        // SAFETY: the library is NVRTC.
        let table = unsafe { Nvrtc::read(symbols(&library)) }.ok()?;
        // It stays open even if it is too old: closing some versions crashes.
        std::mem::forget(library);
        let version = table.version().ok()?;
        // It searches for a second library by name, but not in its own folder. It finds one that is already open.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        std::mem::forget(folder.and_then(|folder| open(folder.join(builtins(version)))));
        (version >= OLDEST).then_some((table, version))
    })
}

/// Returns the name of the second library of a version of NVRTC.
fn builtins(Version { major, minor }: Version) -> String {
    if cfg!(windows) {
        format!("nvrtc-builtins64_{major}{minor}.dll")
    } else {
        format!("libnvrtc-builtins.so.{major}.{minor}")
    }
}

/// Returns the paths of NVRTC in the toolkits that the environment names, and in the usual one.
fn toolkits() -> impl Iterator<Item = PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os);
    let usual = (!cfg!(windows)).then(|| OsString::from("/usr/local/cuda"));
    named.chain(usual).filter(|root| !root.is_empty()).flat_map(|root| {
        let folders = TOOLKIT_FOLDERS.iter().map(move |folder| Path::new(&root).join(folder));
        folders.flat_map(|folder| COMPILER_NAMES.iter().map(move |name| folder.join(name)))
    })
}

fn open(path: impl AsRef<Path>) -> Option<Library> {
    // SAFETY: these are NVIDIA's libraries by name, whose initialisation has no preconditions.
    unsafe { Library::new(path.as_ref()) }.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_missing_is_an_error() {
        let error = open_driver(&["libtreepar-has-no-such-driver.so"]).err();
        assert_eq!(error, Some(Error::NoDriver { library: DRIVER }));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_without_the_functions_is_too_old() {
        let error = open_driver(&["libc.so.6"]).err();
        let found = "of a version without cuInit".to_owned();
        assert_eq!(error, Some(Error::DriverTooOld { found, needed: "12.0".to_owned() }));
    }
}
