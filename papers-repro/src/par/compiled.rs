//! A program as an executable, and its structure after a pass.

use refcompiler::diagnostics::render;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::tree::{Tree, runtime};
use refcompiler::object::write_executable;
use refcompiler::pipeline::compile;
use refcompiler::pipeline::listing::Listing;
use refcompiler::pipeline::settings::Settings;
use treepar::Cpu;

use super::Program;

fn tree(program: &Program) -> Result<Tree, String> {
    let mut sources = Sources::new();
    sources.add(program.file, program.text.as_bytes().to_vec()).map_err(|error| error.to_string())?;
    parse_program(&sources).map_err(|errors| render(&sources, &errors, false))
}

/// Returns a program as an executable.
///
/// # Errors
/// The reason why the program cannot be compiled.
pub fn executable(program: &Program, settings: Settings<'_>) -> Result<Vec<u8>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", program.file);
    let compiled =
        compile(&Cpu::with_threads(1), &tree(program)?, settings, &mut ()).map_err(|error| failed(&error))?;
    write_executable(&compiled.image).map_err(|error| failed(&error))
}

/// The structure of a function after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    /// The name of the function.
    pub function: String,
    /// The operations on whole arrays (MULTILOOPs).
    pub multiloops: usize,
    /// The checks that run for each element of one of them.
    pub checks: usize,
}

/// Returns the structure of each function of a program after the last pass that changes the operations on whole arrays.
///
/// # Errors
/// As [`executable`].
pub fn structure(program: &Program, settings: Settings<'_>) -> Result<Vec<Structure>, String> {
    let tree = tree(program)?;
    let pass = if settings.optimisations.fusion { "fusion" } else { "multiloops" };
    let mut listing = Listing::after(pass, settings.goal.target);
    compile(&Cpu::with_threads(1), &tree, settings, &mut listing)
        .map_err(|error| format!("{}: {error}", program.file))?;
    Ok(structures(&listing.text, |id| {
        let own = tree.functions.get(id as usize).filter(|_| id >= runtime::COUNT);
        own.map(|function| function.name.clone())
    }))
}

/// Reads the listing of the MULTILOOPs. `name` returns the name of a function by its id, and `None` for one of the runtime.
fn structures(listing: &str, name: impl Fn(u32) -> Option<String>) -> Vec<Structure> {
    let mut found: Vec<Structure> = Vec::new();
    // The number of spaces before the heads of the elements around a line.
    let mut around: Vec<usize> = Vec::new();
    let mut is_own = false;
    for line in listing.lines() {
        let text = line.trim_start();
        let spaces = line.len() - text.len();
        around.retain(|&head| head < spaces);
        if let Some(id) = line.strip_prefix("function ").and_then(|head| head.split(':').next()?.parse().ok()) {
            let function = name(id);
            is_own = function.is_some();
            found.extend(function.map(|function| Structure { function, multiloops: 0, checks: 0 }));
        }
        let Some(last) = found.last_mut().filter(|_| is_own) else { continue };
        if text.starts_with("multiloop") {
            last.multiloops += 1;
        } else if text.starts_with("over ") {
            around.push(spaces);
        } else if text.starts_with("Check") && !around.is_empty() {
            last.checks += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_and_checks_of_elements_are_counted() {
        let listing = "function 1\n  multiloop\nfunction 9: [int]\n  Block\n    multiloop: int\n      Expression\n        CheckEqual: int\n      \
                       over v2: int\n        multiloop of all elements: [int]\n          Expression\n            CheckEqual: int\n";
        let found = structures(listing, |id| (id == 9).then(|| "f".to_string()));
        assert_eq!(found, [Structure { function: "f".into(), multiloops: 2, checks: 1 }]);
    }
}
