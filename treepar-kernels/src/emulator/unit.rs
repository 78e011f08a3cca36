//! Units as code of the host: compiled, kept in a folder of the cache, loaded.
//!
//! What is kept is named by all that made it. A file there that does not load is replaced.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use libloading::Library;

use super::Run;
use crate::digest::Digest;
use crate::machine::{Error, Result, Unit};

/// The header that stands for a GPU.
const HEADER: &str = include_str!("../../kernels/emulator.hpp");

/// What the compiler is told.
const FLAGS: [&str; 7] = ["-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-DTREEPAR_EMULATE", "-w"];

/// A unit's code, which stays as long as this does.
pub struct Code {
    pub library: Library,
    /// Runs an entry of it.
    pub run: Run,
}

/// A unit's code, compiled at its first use. Units are compiled at once by as many threads as ask for them.
pub fn loaded(unit: &dyn Unit) -> Result<Arc<Code>> {
    type Slot = Arc<Mutex<Option<Arc<Code>>>>;
    static UNITS: OnceLock<Mutex<HashMap<u128, Slot>>> = OnceLock::new();
    let units = UNITS.get_or_init(Mutex::default);
    let slot = Arc::clone(units.lock().unwrap_or_else(PoisonError::into_inner).entry(unit.key()).or_default());
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = &*slot {
        return Ok(Arc::clone(code));
    }
    let code = Arc::new(load_or_compile(unit)?);
    *slot = Some(Arc::clone(&code));
    Ok(code)
}

fn load_or_compile(unit: &dyn Unit) -> Result<Code> {
    let compiler = compiler()?;
    let Some(folder) = crate::folder::of_user() else {
        // Nothing is kept, and nobody else writes here. What is loaded needs its file no more.
        let work = tempfile::tempdir().map_err(|error| failed(&std::env::temp_dir(), error))?;
        return load(&compile(compiler, unit, work.path())?);
    };
    let folder = folder.join("emulator");
    std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
    let path = folder.join(format!("{}-{:032x}.so", unit.name(), key(compiler, unit)));
    if path.exists()
        && let Ok(code) = load(&path)
    {
        return Ok(code);
    }
    let work = tempfile::tempdir_in(&folder).map_err(|error| failed(&folder, error))?;
    let made = compile(compiler, unit, work.path())?;
    let code = load(&made)?;
    // Whoever comes last: another process has compiled the same.
    std::fs::rename(&made, &path).map_err(|error| failed(&path, error))?;
    Ok(code)
}

/// A digest of all that a unit's code is made of and by.
fn key(compiler: &Compiler, unit: &dyn Unit) -> u128 {
    let mut digest = Digest::default();
    digest.text(&format!("{:032x}", unit.key()));
    let by = [HEADER, &compiler.name, &compiler.version, std::env::consts::ARCH, std::env::consts::OS];
    by.into_iter().chain(FLAGS).for_each(|text| digest.text(text));
    digest.value()
}

/// Compiles a unit into a folder of its own; the file of its code.
fn compile(compiler: &Compiler, unit: &dyn Unit, folder: &Path) -> Result<PathBuf> {
    let source = folder.join(format!("{}.cpp", unit.name()));
    let library = folder.join("unit.so");
    std::fs::write(folder.join("emulator.hpp"), HEADER).map_err(|error| failed(folder, error))?;
    std::fs::write(&source, unit.source()?).map_err(|error| failed(&source, error))?;
    let output = Command::new(&compiler.name)
        .args(FLAGS)
        .arg("-I")
        .arg(folder)
        .arg("-o")
        .arg(&library)
        .arg(&source)
        .output()
        .map_err(|error| failed(Path::new(&compiler.name), error))?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::Compile { unit: unit.name().into(), log });
    }
    Ok(library)
}

/// Code that `compile` made.
fn load(path: &Path) -> Result<Code> {
    let refused = |error: libloading::Error| failed(path, error);
    // SAFETY: the library has no initializers; its code is ours, and `emulator.hpp` declares the function with this type.
    unsafe {
        let library = Library::new(path).map_err(refused)?;
        let run = *library.get::<Run>(b"treepar_emulate").map_err(refused)?;
        Ok(Code { library, run })
    }
}

fn failed(path: &Path, error: impl ToString) -> Error {
    Error::File { path: path.display().to_string(), reason: error.to_string() }
}

/// A C++ compiler.
pub struct Compiler {
    name: String,
    /// What it says of itself.
    version: String,
}

/// The C++ compiler: the one that the environment names, or else the first that there is.
pub fn compiler() -> Result<&'static Compiler> {
    static COMPILER: OnceLock<Option<Compiler>> = OnceLock::new();
    let found = COMPILER.get_or_init(|| {
        let named = std::env::var("CXX").ok().filter(|name| !name.is_empty());
        let all = named.map_or_else(|| ["c++", "g++", "clang++"].map(String::from).to_vec(), |name| vec![name]);
        all.into_iter().find_map(|name| {
            let said = Command::new(&name).arg("--version").output().ok().filter(|said| said.status.success())?;
            Some(Compiler { name, version: String::from_utf8_lossy(&said.stdout).into_owned() })
        })
    });
    found.as_ref().ok_or_else(|| Error::NoCompiler {
        unit: "the emulator".into(),
        compiler: "a C++ compiler".into(),
        advice: "install g++ or clang++, or name one in the variable CXX",
    })
}
