//! All units, and the crates that own them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use treepar_codegen::{Grouping, Kernels, entries, units as grouped};
use treepar_kernels::machine::Unit as _;
// Naming a crate links it, and so registers its kernels.
use {benches as _, papers_repro as _, refcompiler as _, treepar as _, treepar_laws as _};

use crate::failure::Failure;
use crate::spills::matches;

/// A crate with kernels.
#[derive(Debug, PartialEq, Eq)]
pub struct Owner {
    /// The name of the crate in paths of Rust.
    pub name: &'static str,
    /// The folder of its archive and its table, from the root of the workspace.
    pub folder: &'static str,
}

/// All crates with kernels. The units of a crate use functions of that crate and of the first one only.
pub const OWNERS: [Owner; 5] = [
    Owner { name: "treepar", folder: "treepar/ptx" },
    Owner { name: "treepar_laws", folder: "treepar/laws/ptx" },
    Owner { name: "refcompiler", folder: "refcompiler/ptx" },
    Owner { name: "benches", folder: "benches/ptx" },
    Owner { name: "papers_repro", folder: "papers-repro/ptx" },
];

/// Returns the root of the workspace.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Returns the crate that owns a unit: the crate of its first function.
pub fn owner(unit: &Kernels) -> Result<&'static Owner, Failure> {
    let name = unit.kernels().first().map_or(OWNERS[0].name, |kernel| crate_of(kernel.functions[0].module));
    OWNERS
        .iter()
        .find(|owner| owner.name == name)
        .ok_or_else(|| Failure(format!("unit `{}` belongs to no crate of units.rs: add the crate there", unit.name())))
}

fn crate_of(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// Returns all units, ordered by name; if there is a pattern, those whose names match.
pub fn all(only: Option<&str>) -> Result<Vec<&'static Kernels>, Failure> {
    let mut all: Vec<&Kernels> = grouped(Grouping::Function).iter().collect();
    all.sort_by_key(|unit| unit.name());
    all.retain(|unit| only.is_none_or(|pattern| matches(pattern, unit.name())));
    if all.is_empty() { Err(Failure("no unit matches the pattern".to_string())) } else { Ok(all) }
}

/// Returns the template of each entry of a unit.
pub fn templates(unit: &Kernels) -> HashMap<String, &'static str> {
    let of = |kernel: &&'static treepar_kernels::Kernel| {
        let template = kernel.template;
        entries(kernel).into_iter().map(move |entry| (entry, template))
    };
    unit.kernels().iter().flat_map(of).collect()
}

/// Returns the text of `--list`: each unit with its kernels, their functions and entries.
pub fn listing(units: &[&'static Kernels]) -> String {
    let mut text = String::new();
    for unit in units {
        let _ = writeln!(text, "{}", unit.name());
        for kernel in unit.kernels() {
            let _ = writeln!(text, "  {}", kernel.template);
            for def in kernel.functions {
                let _ = writeln!(text, "    function {}::{}, {}:{}", def.module, def.name, def.file, def.line);
            }
            entries(kernel).iter().for_each(|entry| text.push_str(&format!("    entry    {entry}\n")));
        }
        if unit.kernels().is_empty() {
            unit.entries().iter().for_each(|entry| text.push_str(&format!("    entry    {entry}\n")));
        }
    }
    let entries: usize = units.iter().map(|unit| unit.entries().len()).sum();
    let _ = writeln!(text, "{} units, {entries} entries", units.len());
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use treepar_kernels::machine::Unit as _;

    use super::{OWNERS, all, crate_of, owner};
    #[test]
    fn units_and_entries_have_names_of_their_own() {
        let all = all(None).unwrap();
        assert!(all.len() > 100, "{}", all.len());
        let keys: HashSet<u128> = all.iter().map(|unit| unit.key()).collect();
        assert_eq!(keys.len(), all.len(), "two units have one key");
        let entries: Vec<String> = all.iter().flat_map(|unit| unit.entries()).collect();
        let distinct: HashSet<&String> = entries.iter().collect();
        assert_eq!(distinct.len(), entries.len(), "an entry is in two units");
        assert_eq!(super::all(Some("no_such_unit*")).unwrap_err().0, "no unit matches the pattern");
    }

    /// A unit contains every kernel of its first function. A kernel that another crate adds would change the unit's key
    /// in programs that link that crate, and its PTX would not be found there.
    #[test]
    fn units_use_functions_of_their_crate_and_of_treepar_only() {
        for unit in all(None).unwrap() {
            let owner = owner(unit).unwrap();
            for def in unit.kernels().iter().flat_map(|kernel| kernel.functions) {
                assert!([owner.name, OWNERS[0].name].contains(&crate_of(def.module)), "{} uses {def:?}", unit.name());
            }
        }
    }
}
