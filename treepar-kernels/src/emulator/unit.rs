//! Units as code of the host: compiled, kept in the cache directory, and loaded.
//!
//! A file's name contains a digest of everything that the code depends on. A file that does not load is replaced.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use libloading::Library;

use super::Run;
use crate::digest::Digest;
use crate::machine::{Error, Result, Unit};

/// The header that emulates a GPU.
const HEADER: &str = include_str!("../../kernels/emulator.hpp");

/// The options of the compiler.
const FLAGS: [&str; 7] = ["-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-DTREEPAR_EMULATE", "-w"];

/// The loaded code of a unit.
pub struct Code {
    pub library: Library,
    /// The function that runs an entry.
    pub run: Run,
}

/// Returns a unit's code. Its first use compiles it. Several threads may compile different units at the same time.
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
        // Nothing is kept, and nobody else writes here. Code that is loaded does not need its file.
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
    // Another process may have compiled the same; the last one wins.
    std::fs::rename(&made, &path).map_err(|error| failed(&path, error))?;
    Ok(code)
}

/// Returns a digest of everything that a unit's code depends on.
fn key(compiler: &Compiler, unit: &dyn Unit) -> u128 {
    let mut digest = Digest::default();
    digest.text(&format!("{:032x}", unit.key()));
    let by = [HEADER, &compiler.name, &compiler.version, std::env::consts::ARCH, std::env::consts::OS];
    by.into_iter().chain(FLAGS).for_each(|text| digest.text(text));
    digest.value()
}

/// Compiles a unit in a folder, and returns the file of its code.
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

/// Loads a file that `compile` made.
fn load(path: &Path) -> Result<Code> {
    let refused = |error: libloading::Error| failed(path, error);
    // SAFETY: the library has no initializers and its code is ours; `emulator.hpp` declares the function with this type.
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
    /// The output of `--version`.
    version: String,
}

/// Finds the C++ compiler: the one in the environment, or else the first that exists.
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
