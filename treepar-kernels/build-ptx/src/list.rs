//! Every unit: the kernels that the crates linked here register, and those that need no device function.

use std::collections::HashMap;
use std::fmt::Write as _;

use treepar_codegen::{Grouping, Kernels, entries, units as grouped};
use treepar_kernels::machine::Unit as _;
// Naming a crate links it, and so registers its kernels.
use {benches as _, papers_repro as _, refcompiler as _, treepar as _, treepar_laws as _};

use crate::failure::Failure;
use crate::spills::matches;

/// All units, ordered by name; those whose names match, where there is a pattern.
pub fn units(only: Option<&str>) -> Result<Vec<&'static Kernels>, Failure> {
    let mut all: Vec<&Kernels> = grouped(Grouping::Function).iter().collect();
    all.sort_by_key(|unit| unit.name());
    distinct(&all)?;
    all.retain(|unit| only.is_none_or(|pattern| matches(pattern, unit.name())));
    if all.is_empty() { Err(Failure::Nothing) } else { Ok(all) }
}

/// Fails where two units would have one file, even where letter case does not count, or two entries one name.
fn distinct(all: &[&'static Kernels]) -> Result<(), Failure> {
    let mut names = HashMap::new();
    let mut defined: HashMap<String, &str> = HashMap::new();
    for unit in all {
        if names.insert(unit.name().to_lowercase(), ()).is_some() {
            return Err(Failure::Names { name: unit.name().to_string() });
        }
        for entry in unit.entries() {
            if let Some(one) = defined.insert(entry.clone(), unit.name()) {
                return Err(Failure::Twice { entry, one: one.to_string(), other: unit.name().to_string() });
            }
        }
    }
    Ok(())
}

/// The template of each entry of a unit.
pub fn templates(unit: &Kernels) -> HashMap<String, &'static str> {
    let of = |kernel: &&'static treepar_kernels::Kernel| {
        let template = kernel.template;
        entries(kernel).into_iter().map(move |entry| (entry, template))
    };
    unit.kernels().iter().flat_map(of).collect()
}

/// What `--list` prints: a line a unit, and below it its kernels with their functions and entries.
pub fn table(units: &[&'static Kernels]) -> String {
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

    use super::{table, units};

    #[test]
    fn every_unit_is_listed_once() {
        let all = units(None).unwrap();
        assert!(all.len() > 100, "{}", all.len());
        let keys: HashSet<u128> = all.iter().map(|unit| unit.key()).collect();
        assert_eq!(keys.len(), all.len(), "no two units have one key");
        assert!(table(&all).ends_with("entries\n"));
        assert!(units(Some("no_such_unit*")).is_err());
    }

    /// A unit has every kernel of its first function: one that another crate adds would change the unit's key in
    /// programs that link that crate, and its PTX would not be found there.
    #[test]
    fn a_unit_is_of_one_crate_and_what_that_depends_on() {
        const ORDER: [&str; 5] = ["treepar", "treepar_laws", "refcompiler", "benches", "papers_repro"];
        let rank = |module: &str| {
            let first = module.split("::").next().unwrap_or_default();
            ORDER.iter().position(|name| *name == first).unwrap_or_else(|| panic!("unknown crate of {module}"))
        };
        for kernel in units(None).unwrap().iter().flat_map(|unit| unit.kernels()) {
            let (first, rest) = kernel.functions.split_first().unwrap();
            for def in rest {
                let below = rank(def.module) == rank(first.module) || rank(def.module) == 0;
                assert!(below, "{} of {first:?} takes {def:?}, of a crate that need not be linked", kernel.template);
            }
        }
    }
}
