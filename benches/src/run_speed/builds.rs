//! The compilers, and their executables.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use refcompiler::diagnostics::render;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::object::write_executable;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{Goal, Output, compile};
use refcompiler::target::Target;
use treepar::Cpu;

use super::programs::Subject;
use crate::compile_speed::compilers::version;

/// A compiler with its options.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The name that tables use.
    pub name: &'static str,
    /// The first line that the compiler prints about its version; empty for `refc`, which has the commit's.
    pub version: String,
    way: Way,
}

/// How a compiler is called.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// `refc` with a level of optimisation, in this process.
    Ours(u8),
    /// A compiler of C with an option.
    Peer(&'static str, Option<&'static str>),
}

/// The names of the compilers.
pub mod names {
    /// `refc` without passes that optimise.
    pub const REFC_0: &str = "refc -O0";
    /// `refc` with all of them.
    pub const REFC_1: &str = "refc -O1";
    /// tcc.
    pub const TCC: &str = "tcc";
    /// gcc without optimisation.
    pub const GCC_0: &str = "gcc -O0";
    /// gcc with some optimisations.
    pub const GCC_1: &str = "gcc -O1";
}

/// Returns the compilers that are installed, and the names of the others.
///
/// # Errors
/// A message if a compiler is installed and does not run.
pub fn find() -> Result<(Vec<Compiler>, Vec<&'static str>), String> {
    let all = [
        (names::REFC_0, Way::Ours(0)),
        (names::REFC_1, Way::Ours(1)),
        (names::TCC, Way::Peer("tcc", None)),
        (names::GCC_0, Way::Peer("gcc", Some("-O0"))),
        (names::GCC_1, Way::Peer("gcc", Some("-O1"))),
    ];
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (name, way) in all {
        let version = match way {
            Way::Ours(_) => Some(String::new()),
            Way::Peer(program, _) => version(Path::new(program), if program == "tcc" { "-v" } else { "--version" })?,
        };
        match version {
            Some(version) => found.push(Compiler { name, version, way }),
            None => missing.push(name),
        }
    }
    Ok((found, missing))
}

/// Compiles a program to an executable in a folder, and returns its path. `k` is a number that no other executable in the folder has.
///
/// # Errors
/// The compiler's message.
pub fn build(subject: &Subject, compiler: &Compiler, folder: &Path, k: usize) -> Result<PathBuf, String> {
    let path = folder.join(format!("program{k}"));
    let write = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    };
    match compiler.way {
        Way::Ours(level) => {
            write(&path, &executable(&subject.program.par, level).map_err(|e| format!("{}: {e}", subject.name))?)?;
            make_executable(&path)?;
        }
        Way::Peer(program, option) => {
            let source = path.with_extension("c");
            write(&source, subject.program.c.as_bytes())?;
            let mut command = Command::new(program);
            command.arg("-w").args(option).arg(&source).arg("-o").arg(&path).arg("-lm").stdin(Stdio::null());
            let done = command.output().map_err(|e| format!("cannot run `{program}`: {e}"))?;
            if !done.status.success() {
                let messages = String::from_utf8_lossy(&done.stderr);
                return Err(format!("{}: `{}` failed: {}", subject.name, compiler.name, messages.trim()));
            }
        }
    }
    Ok(path)
}

/// Returns a program of Par as an executable for this machine.
fn executable(text: &str, level: u8) -> Result<Vec<u8>, String> {
    let mut sources = Sources::new();
    sources.add("program.par", text.as_bytes().to_vec()).map_err(|e| e.to_string())?;
    let tree = parse_program(&sources).map_err(|errors| render(&sources, &errors, false))?;
    let goal = Goal { target: Target::X86_64, output: Output::Executable };
    let settings = Settings { optimisations: Optimisations::of_level(level), ..goal.into() };
    let compiled = compile(&Cpu::new(), &tree, settings, &mut ()).map_err(|e| e.to_string())?;
    write_executable(&compiled.image).map_err(|e| e.to_string())
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|e| format!("cannot make `{}` executable: {e}", path.display()))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<(), String> {
    Ok(())
}

/// Returns the output of an executable that reads a file.
///
/// # Errors
/// A message if it does not end successfully.
pub fn output(program: &Path, input: &Path) -> Result<Vec<u8>, String> {
    let failed = |e: std::io::Error| format!("cannot run `{}`: {e}", program.display());
    let input = std::fs::File::open(input).map_err(failed)?;
    let done = Command::new(program).stdin(input).output().map_err(failed)?;
    match done.status.success() {
        true => Ok(done.stdout),
        false => Err(format!("{}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim())),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns compilers that are never run.
    pub fn compilers(names: &[&'static str]) -> Vec<Compiler> {
        names.iter().map(|&name| Compiler { name, version: format!("{name} 1.0"), way: Way::Ours(0) }).collect()
    }

    #[test]
    fn a_program_with_an_error_has_a_message() {
        let error = executable("fn main[]: int { return x; }", 0).unwrap_err();
        assert!(error.contains("cannot find variable `x`"), "{error}");
    }
}
