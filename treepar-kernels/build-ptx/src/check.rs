//! Says whether the folder is what would be made now.

use std::path::Path;

use treepar_codegen::Kernels;

use crate::assemble::Assembler;
use crate::committed::{self, INDEX, RESOURCES};
use crate::failure::Failure;
use crate::source::sources;
use crate::work::Stop;
use crate::{make, resources};

/// By the sources alone.
pub fn by_source(units: &[&'static Kernels], folder: &Path) -> Result<(), Failure> {
    finish(committed::source_differences(&sources(units)?, folder)?, folder)?;
    eprintln!("{} units are current in {}, by their sources", units.len(), folder.display());
    Ok(())
}

/// By making everything again elsewhere: texts, table, and spills.
pub fn all(units: &[&'static Kernels], folder: &Path, assembler: &Assembler, stop: &Stop) -> Result<(), Failure> {
    // A table that another assembler made would differ everywhere, and mean nothing.
    let table = folder.join(RESOURCES);
    if table.is_file() {
        let text = committed::read(&table)?;
        let made = resources::made_with(&text).unwrap_or("of an unknown version");
        if made != assembler.version {
            let (path, made, found) = (table.display().to_string(), made.to_string(), assembler.version.clone());
            return Err(Failure::Assembler { path, made, found });
        }
    }
    let sources = sources(units)?;
    let mut differences = committed::source_differences(&sources, folder)?;
    let made = tempfile::tempdir().map_err(|error| Failure::file(std::env::temp_dir(), &error))?;
    let rows = make::into(units, &sources, made.path(), assembler, stop)?;
    let by_source = differences.len();
    for line in committed::text_differences(made.path(), folder)? {
        // Of what its source has told already, once is enough.
        let unit = line.strip_prefix("  stale: ").and_then(|rest| rest.split_once(".ptx, ")).map(|(unit, _)| unit);
        let told = match unit {
            Some(unit) => differences[..by_source].iter().any(|d| d.starts_with(&format!("  stale: {unit},"))),
            None => line.contains(INDEX) && by_source > 0,
        };
        if !told {
            differences.push(line);
        }
    }
    let spills = make::explained(&rows, assembler, folder).err();
    let stale = finish(differences, folder).err();
    if let Some(failure) = Failure::all(stale.into_iter().chain(spills).collect()) {
        return Err(failure);
    }
    eprintln!("{} units, {} rows of the table are current in {}", units.len(), rows.len(), folder.display());
    Ok(())
}

fn finish(differences: Vec<String>, folder: &Path) -> Result<(), Failure> {
    if differences.is_empty() {
        return Ok(());
    }
    Err(Failure::Stale { path: folder.display().to_string(), differences })
}
