//! Makes the folder: sources to PTX, PTX to usage, usage to a table.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use treepar_codegen::Kernels;
use treepar_kernels::machine::Unit as _;

use crate::assemble::{Assembler, Usage};
use crate::committed::{self, INDEX, RESOURCES, file_of};
use crate::failure::Failure;
use crate::resources::{self, Row};
use crate::source::{Source, sources};
use crate::work::{Stop, each};
use crate::{list, normal, nvrtc, spills};

/// The part of the table for functions that were not inlined into entries.
const CALLED: &str = "functions that are called";

/// The part of the table for entries that no device function fills.
const BUILTIN: &str = "builtin";

/// Makes all files in an empty folder, and returns the rows of the table.
pub fn into(
    units: &[&'static Kernels],
    sources: &[Source],
    folder: &Path,
    assembler: &Assembler,
    stop: &Stop,
) -> Result<Vec<Row>, Failure> {
    let both: Vec<(&Kernels, &Source)> = units.iter().copied().zip(sources).collect();
    let texts = each("units compiled", &both, stop, |(unit, source)| compile(unit, source))?;
    for (source, text) in sources.iter().zip(&texts) {
        committed::write(&folder.join(file_of(&source.name)), text)?;
    }
    committed::write(&folder.join(INDEX), &committed::index(sources))?;

    let jobs: Vec<(&str, &str)> = units
        .iter()
        .flat_map(|unit| assembler.architectures.iter().map(|&architecture| (unit.name(), architecture)))
        .collect();
    let scratch = tempfile::tempdir().map_err(|error| Failure::file(std::env::temp_dir(), &error))?;
    let used = each("assemblies", &jobs, stop, |(unit, architecture)| {
        assembler.usage(unit, &folder.join(file_of(unit)), architecture, scratch.path())
    })?;
    let used = used.chunks(assembler.architectures.len());
    let rows: Vec<Row> =
        units.iter().zip(&texts).zip(used).flat_map(|((unit, text), used)| rows(unit, text, used)).collect();
    let table = resources::text(&assembler.version, &assembler.architectures, &rows);
    committed::write(&folder.join(RESOURCES), &table)?;
    Ok(rows)
}

/// Makes the folder anew, and then fails where an entry spills without reason.
pub fn all(units: &[&'static Kernels], folder: &Path, assembler: &Assembler, stop: &Stop) -> Result<(), Failure> {
    let made = committed::beside(folder)?;
    let rows = into(units, &sources(units)?, made.path(), assembler, stop)?;
    stop.check()?;
    committed::replace(made, folder)?;
    eprintln!("{} units, {} rows of the table: {}", units.len(), rows.len(), folder.display());
    explained(&rows, assembler, folder)
}

/// Fails where an entry spills without reason, or, in the committed folder, a reason has no spill.
pub fn explained(rows: &[Row], assembler: &Assembler, folder: &Path) -> Result<(), Failure> {
    let used = rows.iter().map(|row| (row.entry.as_str(), &row.usage[..]));
    spills::explained(spills::EXPLAINED, &assembler.architectures, used, folder == committed::folder())
}

fn compile(unit: &Kernels, source: &Source) -> Result<String, Failure> {
    let ptx = nvrtc::ptx(&source.name, &source.text)?;
    let text = normal::normal(&source.name, source.digest, &ptx);
    let mut found: Vec<String> = normal::entries(&text).into_iter().map(|(entry, _)| entry).collect();
    let mut expected = unit.entries();
    found.sort();
    expected.sort();
    if found != expected {
        let (expected, found) = (expected.join(", "), found.join(", "));
        return Err(Failure::Entries { unit: source.name.clone(), expected, found });
    }
    Ok(text)
}

/// A row for each entry of a unit, and for each function that is called, from the usage on each architecture.
fn rows(unit: &Kernels, text: &str, used: &[BTreeMap<String, Usage>]) -> Vec<Row> {
    let threads: HashMap<String, Option<u32>> = normal::entries(text).into_iter().collect();
    let templates = list::templates(unit);
    let names: std::collections::BTreeSet<&String> = used.iter().flat_map(BTreeMap::keys).collect();
    let row = |name: &String| {
        let usage = used.iter().map(|by_entry| by_entry.get(name).cloned().unwrap_or_default()).collect();
        match threads.get(name) {
            Some(&threads) => {
                let template = templates.get(name).copied().unwrap_or(BUILTIN);
                Row { template, entry: name.clone(), threads, usage }
            }
            None => Row { template: CALLED, entry: format!("{}: {name}", unit.name()), threads: None, usage },
        }
    };
    names.into_iter().map(row).collect()
}
