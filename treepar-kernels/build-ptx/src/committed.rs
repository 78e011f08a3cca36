//! The folder of what was made: one file a unit, the index that the library includes, and the table.
//!
//! ```text
//! map_f.ptx  scan_g.ptx  index.rs: [Precompiled { key, name, ptx: include_str!("map_f.ptx") }, ..]  resources.md
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::failure::Failure;
use crate::normal;
use crate::source::Source;

/// The name of the index.
pub const INDEX: &str = "index.rs";

/// The name of the table.
pub const RESOURCES: &str = "resources.md";

/// Where the committed folder is: beside this crate.
pub fn folder() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.parent().unwrap_or(crate_folder).join("ptx")
}

/// The file of a unit.
pub fn file_of(unit: &str) -> String {
    format!("{unit}.ptx")
}

/// The text of the index, sorted by key: an array that `include!` reads.
pub fn index(sources: &[Source]) -> String {
    let mut text = "// Made by `cargo ptx`: every unit that is part of the library, by key.\n[\n".to_string();
    let mut sorted: Vec<&Source> = sources.iter().collect();
    sorted.sort_by_key(|source| source.key);
    for Source { key, name, .. } in sorted {
        let file = file_of(name);
        let _ =
            writeln!(text, "    Precompiled {{ key: {key:#034x}, name: \"{name}\", ptx: include_str!(\"{file}\") }},");
    }
    text.push_str("]\n");
    text
}

/// Key and name of each row of an index.
fn rows(path: &Path, text: &str) -> Result<BTreeMap<u128, String>, Failure> {
    let row = |line: &str| {
        let rest = line.trim().strip_prefix("Precompiled { key: 0x")?;
        let (key, rest) = rest.split_once(", name: \"")?;
        let (name, _) = rest.split_once("\", ptx: include_str!(")?;
        Some((u128::from_str_radix(key, 16).ok()?, name.to_string()))
    };
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !(line.starts_with("//") || ["[", "]", ""].contains(line)))
        .map(|(at, line)| row(line).ok_or_else(|| Failure::Index { path: path.display().to_string(), line: at + 1 }))
        .collect()
}

/// What differs between the sources at hand and a folder's index and files, by name.
pub fn source_differences(sources: &[Source], folder: &Path) -> Result<Vec<String>, Failure> {
    let path = folder.join(INDEX);
    let committed = match std::fs::read_to_string(&path) {
        Ok(text) => rows(&path, &text)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => return Err(Failure::file(&path, &error)),
    };
    let files = files(folder)?;
    let names: BTreeSet<&String> = sources.iter().map(|source| &source.name).collect();
    let indexed: BTreeSet<&String> = committed.values().collect();
    let mut found = Vec::new();
    for Source { key, name, digest, .. } in sources {
        let file = file_of(name);
        if !indexed.contains(name) {
            found.push(format!("  missing: {name}"));
        } else if !files.contains(&file) {
            found.push(format!("  missing: {file}"));
        } else if committed.get(key) != Some(name) || normal::source_of(&read(&folder.join(file))?) != Some(*digest) {
            found.push(format!("  stale: {name}, whose source has changed"));
        }
    }
    found.extend(indexed.difference(&names).map(|name| format!("  superfluous: {name}")));
    found.extend(files.iter().filter_map(|file| {
        let unit = file.strip_suffix(".ptx").map(str::to_string);
        let known = [INDEX, RESOURCES].contains(&file.as_str())
            || unit.is_some_and(|unit| names.contains(&unit) || indexed.contains(&unit));
        (!known).then(|| format!("  superfluous: {file}"))
    }));
    found.sort();
    Ok(found)
}

/// What differs between two folders in files of the same name, by name; of the table, row by row.
pub fn text_differences(made: &Path, folder: &Path) -> Result<Vec<String>, Failure> {
    let theirs = files(folder)?;
    let mut found = Vec::new();
    for file in files(made)?.intersection(&theirs) {
        let (now, before) = (read(&made.join(file))?, read(&folder.join(file))?);
        if now == before {
            continue;
        }
        if file == RESOURCES {
            found.push(format!("  {RESOURCES}:"));
            found.extend(crate::resources::differences(&before, &now));
        } else {
            found.push(format!("  stale: {file}, whose text differs"));
        }
    }
    if !theirs.contains(RESOURCES) {
        found.push(format!("  missing: {RESOURCES}"));
    }
    Ok(found)
}

fn files(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(Failure::file(folder, &error)),
    };
    entries
        .map(|entry| {
            Ok(entry.map_err(|error| Failure::file(folder, &error))?.file_name().to_string_lossy().into_owned())
        })
        .collect()
}

/// A text file.
pub fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::file(path, &error))
}

/// Writes a text file.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::file(path, &error))
}

/// An empty folder that vanishes unless it [replaces](replace) another: beside `folder`, since a file system moves only
/// within itself.
pub fn beside(folder: &Path) -> Result<TempDir, Failure> {
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(parent).map_err(|error| Failure::file(parent, &error))?;
    let made = tempfile::Builder::new().prefix(".ptx-").tempdir_in(parent);
    let made = made.map_err(|error| Failure::file(parent, &error))?;
    open_to_all(made.path())?;
    Ok(made)
}

/// A folder for a while is its owner's alone; one that stays is like others.
#[cfg(unix)]
fn open_to_all(folder: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt as _;
    let all = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder, all).map_err(|error| Failure::file(folder, &error))
}

#[cfg(not(unix))]
fn open_to_all(_folder: &Path) -> Result<(), Failure> {
    Ok(())
}

/// Puts `made` where `folder` is, whose contents vanish; where that fails, `folder` is as it was, or the error tells
/// where its contents are.
pub fn replace(made: TempDir, folder: &Path) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::file(folder, &error);
    let old = beside(folder)?;
    let aside = old.path().join("ptx");
    let had_one = folder.exists();
    if had_one {
        std::fs::rename(folder, &aside).map_err(fail)?;
    }
    if let Err(error) = std::fs::rename(made.path(), folder) {
        if had_one && std::fs::rename(&aside, folder).is_err() {
            // What it held must not vanish with the folder that it is in.
            let aside = old.keep().join("ptx");
            let reason = format!("{error}; its contents are in {}", aside.display());
            return Err(Failure::File { path: folder.display().to_string(), reason });
        }
        return Err(fail(error));
    }
    // It stands under another name now.
    let _ = made.keep();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::{INDEX, RESOURCES, beside, files, index, replace, rows, source_differences, text_differences, write};
    use crate::failure::Failure;
    use crate::normal::normal;
    use crate::source::Source;

    fn units(of: &[(u128, &str)]) -> Vec<Source> {
        of.iter().map(|&(key, name)| Source { key, name: name.into(), digest: key, text: String::new() }).collect()
    }

    fn make(folder: &Path, of: &[(u128, &str)]) {
        std::fs::create_dir_all(folder).unwrap();
        write(&folder.join(INDEX), &index(&units(of))).unwrap();
        write(&folder.join(RESOURCES), "| 1 | `a` |\n").unwrap();
        for (key, name) in of {
            write(&folder.join(format!("{name}.ptx")), &normal(name, *key, "text\n")).unwrap();
        }
    }

    #[test]
    fn the_index_is_an_array_sorted_by_key() {
        let all = units(&[(0xff, "b"), (2, "a")]);
        let text = index(&all);
        let expected = "// Made by `cargo ptx`: every unit that is part of the library, by key.\n[\n    Precompiled { key: \
            0x00000000000000000000000000000002, name: \"a\", ptx: include_str!(\"a.ptx\") },\n    Precompiled { key: \
            0x000000000000000000000000000000ff, name: \"b\", ptx: include_str!(\"b.ptx\") },\n]\n";
        assert_eq!(text, expected);
        assert_eq!(rows(Path::new(INDEX), &text).unwrap(), BTreeMap::from([(2, "a".into()), (0xff, "b".into())]));
        match rows(Path::new(INDEX), "[\nPrecompiled\n]\n") {
            Err(Failure::Index { line, .. }) => assert_eq!(line, 2),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_missing_stale_or_superfluous_is_named() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("ptx");
        let current = units(&[(1, "a"), (2, "b"), (3, "c")]);
        assert_eq!(source_differences(&current, &folder).unwrap().len(), 3, "no folder at all");
        make(&folder, &[(1, "a"), (2, "b"), (3, "c")]);
        assert_eq!(source_differences(&current, &folder).unwrap(), Vec::<String>::new());
        make(&folder, &[(1, "a"), (9, "b"), (4, "d")]);
        write(&folder.join("x.ptx"), "").unwrap();
        write(&folder.join("a.ptx"), &normal("a", 77, "text\n")).unwrap();
        let found = source_differences(&current, &folder).unwrap();
        let expected = [
            "  missing: c",
            "  stale: a, whose source has changed",
            "  stale: b, whose source has changed",
            "  superfluous: d",
            "  superfluous: x.ptx",
        ];
        assert_eq!(found, expected);
        std::fs::remove_file(folder.join("a.ptx")).unwrap();
        assert_eq!(source_differences(&current, &folder).unwrap()[0], "  missing: a.ptx");
    }

    #[test]
    fn texts_are_compared_file_by_file() {
        let place = tempfile::tempdir().unwrap();
        let (made, folder) = (place.path().join("made"), place.path().join("ptx"));
        make(&made, &[(1, "a"), (2, "b")]);
        make(&folder, &[(1, "a"), (2, "b")]);
        assert_eq!(text_differences(&made, &folder).unwrap(), Vec::<String>::new());
        write(&folder.join("b.ptx"), "other\n").unwrap();
        write(&folder.join(RESOURCES), "| 2 | `a` |\n").unwrap();
        let expected =
            ["  stale: b.ptx, whose text differs", "  resources.md:", "  was | 2 | `a` |", "  is  | 1 | `a` |"];
        assert_eq!(text_differences(&made, &folder).unwrap(), expected);
        std::fs::remove_file(folder.join(RESOURCES)).unwrap();
        assert_eq!(text_differences(&made, &folder).unwrap()[1], "  missing: resources.md");
    }

    #[test]
    fn a_folder_is_replaced_as_a_whole() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("ptx");
        for names in [&["a", "b"][..], &["c"]] {
            let made = beside(&folder).unwrap();
            names.iter().for_each(|name| write(&made.path().join(name), "").unwrap());
            replace(made, &folder).unwrap();
            assert_eq!(files(&folder).unwrap().iter().collect::<Vec<_>>(), names);
            assert_eq!(files(place.path()).unwrap().len(), 1, "nothing is left beside it");
        }
        drop(beside(&folder).unwrap());
        assert_eq!(files(place.path()).unwrap().len(), 1);
    }
}
