//! Makes the archive and the table of each crate, or compares them with the committed ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use treepar_codegen::Kernels;
use treepar_kernels::driver::{OLDEST_ARCHITECTURE, Version, compile, compiler_version};
use treepar_kernels::machine::Unit as _;
use treepar_kernels::ptx::{Archive, archive, compress};

use crate::assemble::{Assembler, Usage};
use crate::failure::{Failure, TOOLS};
use crate::table::{self, Row};
use crate::units::{OWNERS, Owner, owner, templates};
use crate::{normal_ptx, spills};

/// The version of NVRTC that compiles committed PTX. Its ISA, 8.0, is the oldest of CUDA 12.
pub const NVRTC: Version = Version { major: 12, minor: 0 };

/// The file of a crate's PTX.
const ARCHIVE: &str = "units.bin";

/// The file of the table.
const TABLE: &str = "resources.md";

/// The template of entries that take no device function.
const BUILTIN: &str = "builtin";

/// NVRTC's optimizer recurses deeply.
const STACK_BYTES: usize = 64 << 20;

/// Finds the assembler, and NVRTC of the version that is needed.
pub fn tools(ptxas: Option<&Path>) -> Result<Assembler, Failure> {
    let assembler = Assembler::find(ptxas)?;
    match compiler_version() {
        Some(NVRTC) => Ok(assembler),
        Some(other) => Err(Failure(format!(
            "NVRTC {other} was found, but {NVRTC} is needed, so that the PTX is the same for everyone and loads on the \
             oldest drivers: {TOOLS}"
        ))),
        None => Err(Failure(format!("NVRTC {NVRTC} was not found: {TOOLS}"))),
    }
}

/// The two files of a crate.
#[derive(Default)]
struct Files {
    archive: Vec<u8>,
    table: String,
}

/// A unit as it is in both files.
struct Made {
    key: u128,
    block: Vec<u8>,
    rows: Vec<Row>,
}

/// Brings the files of all crates up to date, and fails if an entry spills without a reason.
///
/// A unit whose PTX and rows exist is not compiled again. `all` says that no unit was left out.
pub fn update(units: &[&'static Kernels], folder: &Path, tools: &Assembler, all: bool) -> Result<(), Failure> {
    let old = OWNERS.iter().map(|owner| read(folder, owner)).collect::<Result<Vec<_>, _>>()?;
    let made = make(units, &old, tools)?;
    for ((owner, old), new) in OWNERS.iter().zip(&old).zip(&made) {
        if !new.table.is_empty() && (old.archive != new.archive || old.table != new.table) {
            write(folder, owner, new)?;
            eprintln!("{}: {} bytes of PTX", folder.join(owner.folder).display(), new.archive.len());
        }
    }
    explained(&made, all)
}

/// Makes everything again, and fails if a committed file differs or an entry spills without a reason.
pub fn check(units: &[&'static Kernels], folder: &Path, tools: &Assembler, all: bool) -> Result<(), Failure> {
    let made = make(units, &[], tools)?;
    let mut differences = Vec::new();
    for (owner, new) in OWNERS.iter().zip(&made).filter(|(_, new)| !new.table.is_empty()) {
        let old = read(folder, owner)?;
        let mut found = key_differences(units, owner, &old.archive)?;
        let (before, now) = (Archive::new(&old.archive), Archive::new(&new.archive));
        for unit in owned(units, owner)? {
            let key = unit.ptx_key();
            if before.block(key).is_some_and(|block| now.block(key) != Some(block)) {
                found.push(format!("stale: {}, whose PTX differs", unit.name()));
            }
        }
        found.extend(table::differences(&old.table, &new.table));
        differences.extend(found.into_iter().map(|line| format!("{}: {line}", owner.folder)));
    }
    stale(folder, &differences)?;
    explained(&made, all)
}

/// Fails if an archive does not contain exactly the units of its crate, by their keys.
pub fn check_keys(units: &[&'static Kernels], folder: &Path) -> Result<(), Failure> {
    let mut differences = Vec::new();
    for owner in &OWNERS {
        let found = key_differences(units, owner, &read(folder, owner)?.archive)?;
        differences.extend(found.into_iter().map(|line| format!("{}: {line}", owner.folder)));
    }
    stale(folder, &differences)
}

fn stale(folder: &Path, differences: &[String]) -> Result<(), Failure> {
    let what = format!("files of `cargo ptx` in {} are not current:", folder.display());
    Failure::list(&what, differences, "run `cargo ptx` and commit the files")
}

/// Returns the units that an archive lacks, and the number of superfluous ones.
fn key_differences(units: &[&'static Kernels], owner: &Owner, bytes: &[u8]) -> Result<Vec<String>, Failure> {
    let archive = Archive::new(bytes);
    if !archive.is_whole() {
        return Ok(vec!["the archive is damaged".to_string()]);
    }
    let mut superfluous: BTreeSet<u128> = archive.keys().collect();
    let mut differences = Vec::new();
    for unit in owned(units, owner)? {
        unit.source()?;
        superfluous.remove(&unit.ptx_key());
        match archive.find(unit.ptx_key()) {
            None => differences.push(format!("missing: {}", unit.name())),
            Some(ptx) if entries(unit, &ptx).is_err() => {
                differences.push(format!("stale: {}, whose PTX has other entries", unit.name()));
            }
            Some(_) => {}
        }
    }
    if !superfluous.is_empty() {
        differences.push(format!("superfluous: {} units of earlier texts", superfluous.len()));
    }
    Ok(differences)
}

fn owned(units: &[&'static Kernels], of: &Owner) -> Result<Vec<&'static Kernels>, Failure> {
    let owners = units.iter().map(|unit| owner(unit)).collect::<Result<Vec<_>, _>>()?;
    Ok(units.iter().zip(owners).filter(|(_, owner)| *owner == of).map(|(unit, _)| *unit).collect())
}

/// Makes the files of all crates, in their order. A crate without units gets empty files.
fn make(units: &[&'static Kernels], old: &[Files], tools: &Assembler) -> Result<Vec<Files>, Failure> {
    let head = table::head(NVRTC, tools);
    let kept: Vec<(Archive<'_>, HashMap<String, &str>)> = old
        .iter()
        .map(|old| {
            let rows = if old.table.starts_with(&head) { table::lines_by_entry(&old.table) } else { HashMap::new() };
            (Archive::new(&old.archive), rows)
        })
        .collect();
    let scratch = tempfile::tempdir().map_err(|error| Failure::file(std::env::temp_dir(), &error))?;
    let jobs = units.iter().map(|&unit| Ok((owner(unit)?, unit))).collect::<Result<Vec<_>, Failure>>()?;
    let place = |owner: &Owner| OWNERS.iter().position(|other| other == owner).unwrap_or(0);
    let (reused, open): (Vec<_>, Vec<_>) = jobs
        .into_iter()
        .map(|(owner, unit)| {
            (owner, unit, kept.get(place(owner)).and_then(|(archive, rows)| reuse(unit, archive, rows)))
        })
        .partition(|(_, _, made)| made.is_some());
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build();
    let pool = pool.map_err(|error| Failure(format!("threads cannot be started: {error}")))?;
    let done = AtomicUsize::new(0);
    let compile = |(_, unit, _): &(_, &Kernels, _)| {
        let made = one(unit, tools, scratch.path());
        eprint!("\r{} of {} units ", done.fetch_add(1, Ordering::Relaxed) + 1, open.len());
        made
    };
    let new: Vec<Made> =
        pool.install(|| open.par_iter().with_max_len(1).map(compile).collect::<Result<_, Failure>>())?;
    eprintln!("\r{} units compiled in {:.0} s", new.len(), start.elapsed().as_secs_f64());
    let reused = reused.into_iter().filter_map(|(owner, _, made)| Some((owner, made?)));
    let made = reused.chain(open.iter().map(|(owner, _, _)| *owner).zip(new));
    let mut parts: Vec<Part> = OWNERS.iter().map(|_| Default::default()).collect();
    for (owner, made) in made {
        let (blocks, rows) = &mut parts[place(owner)];
        // Units that differ only in names share their PTX.
        blocks.insert(made.key, made.block);
        rows.extend(made.rows);
    }
    let files = |(blocks, rows): Part| match blocks.is_empty() {
        true => Files::default(),
        false => Files { archive: archive(blocks.into_iter().collect()), table: table::text(&head, rows) },
    };
    Ok(parts.into_iter().map(files).collect())
}

/// Returns a unit from the files as they are, if its PTX and all of its rows are there.
fn reuse(unit: &Kernels, archive: &Archive<'_>, rows: &HashMap<String, &str>) -> Option<Made> {
    let key = unit.ptx_key();
    let block = archive.block(key)?.to_vec();
    entries(unit, &archive.find(key)?).ok()?;
    let templates = templates(unit);
    let row = |entry: &String| {
        let line = rows.get(entry)?.to_string();
        Some(Row { template: templates.get(entry).copied().unwrap_or(BUILTIN), line, entry: entry.clone() })
    };
    Some(Made { key, block, rows: unit.entries().iter().map(row).collect::<Option<_>>()? })
}

/// The compressed PTX of a crate's units by key, and the rows of its table.
type Part = (BTreeMap<u128, Vec<u8>>, Vec<Row>);

/// Compiles a unit, and assembles it for each architecture.
fn one(unit: &Kernels, tools: &Assembler, scratch: &Path) -> Result<Made, Failure> {
    let key = unit.ptx_key();
    // Always one name, since a compiler may put it into the code.
    let ptx = compile("unit", &unit.canonical_source()?, OLDEST_ARCHITECTURE).or_else(|error| {
        // The original text has lines, and names that a person knows.
        compile(unit.name(), &unit.source()?, OLDEST_ARCHITECTURE).and(Err(error))
    })?;
    let ptx = normal_ptx::normal(&ptx);
    let entries = entries(unit, &ptx)?;
    let file = scratch.join(format!("{}.ptx", unit.name()));
    std::fs::write(&file, &ptx).map_err(|error| Failure::file(&file, &error))?;
    let used = tools.architectures.iter().map(|&to| tools.usage(unit.name(), &file, to));
    let used = used.collect::<Result<Vec<_>, _>>()?;
    let templates = templates(unit);
    let row = |(entry, threads): (String, Option<u32>)| {
        let usage: Vec<_> = used.iter().map(|used| with_called(used, &entry)).collect();
        let entry = unit.canonical_body().original(&entry).to_string();
        let line = table::line(&usage, threads, &entry);
        Row { template: templates.get(&entry).copied().unwrap_or(BUILTIN), entry, line }
    };
    Ok(Made { key, block: compress(&ptx), rows: entries.into_iter().map(row).collect() })
}

/// Returns the usage of an entry. Functions that are called and not inlined add their memory to each entry of the unit.
fn with_called(used: &BTreeMap<String, Usage>, entry: &str) -> Usage {
    let mut usage = used.get(entry).cloned().unwrap_or_default();
    // The name of a function that is not an entry is mangled.
    for called in used.iter().filter(|(name, _)| name.starts_with("_Z")).map(|(_, usage)| usage) {
        usage.stack_bytes += called.stack_bytes;
        usage.spill_store_bytes += called.spill_store_bytes;
        usage.spill_load_bytes += called.spill_load_bytes;
    }
    usage
}

/// Returns the entries of a unit's PTX, with their threads. Fails if they are not the unit's.
fn entries(unit: &Kernels, ptx: &str) -> Result<Vec<(String, Option<u32>)>, Failure> {
    let entries = normal_ptx::entries(ptx);
    let form = unit.canonical_body();
    let mut found: Vec<&str> = entries.iter().map(|(entry, _)| form.original(entry)).collect();
    let mut expected = unit.entries();
    found.sort();
    expected.sort();
    if found != expected {
        let (expected, found) = (expected.join(", "), found.join(", "));
        return Err(Failure(format!("`{}` should define [{expected}], but its PTX defines [{found}]", unit.name())));
    }
    Ok(entries)
}

fn explained(made: &[Files], all: bool) -> Result<(), Failure> {
    let lines: Vec<(String, &str)> = made.iter().flat_map(|files| table::lines_by_entry(&files.table)).collect();
    spills::explained(spills::EXPLAINED, &lines, all)
}

/// Reads the files of a crate. A file that does not exist is empty.
fn read(folder: &Path, owner: &Owner) -> Result<Files, Failure> {
    let read = |name| {
        let path = folder.join(owner.folder).join(name);
        match std::fs::read(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Failure::file(&path, &error)),
            read => Ok(read.unwrap_or_default()),
        }
    };
    Ok(Files { archive: read(ARCHIVE)?, table: String::from_utf8_lossy(&read(TABLE)?).into_owned() })
}

fn write(folder: &Path, owner: &Owner, files: &Files) -> Result<(), Failure> {
    let folder = folder.join(owner.folder);
    std::fs::create_dir_all(&folder).map_err(|error| Failure::file(&folder, &error))?;
    for (name, bytes) in [(ARCHIVE, &files.archive[..]), (TABLE, files.table.as_bytes())] {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| Failure::file(&path, &error))?;
    }
    Ok(())
}
