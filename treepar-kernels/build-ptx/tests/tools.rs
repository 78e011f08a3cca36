//! The tool from end to end, with the compilers that it takes, on a few units in a folder of its own.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the tool on a folder and a few units.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_build-ptx"));
    command.arg("--folder").arg(folder).args(["--only", "treepar__mask__*"]).args(arguments);
    command.output().expect("the tool runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn fails_with(folder: &Path, arguments: &[&str], words: &str) {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains(words), "`{words}` is not in\n{}", said(&output));
}

fn succeeds(folder: &Path, arguments: &[&str]) {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{}", said(&output));
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
#[ignore = "needs NVRTC and ptxas: .ci/cuda-tools"]
fn a_folder_is_made_checked_and_made_again() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("ptx");
    fails_with(&folder, &["--check"], "missing: treepar__mask__");
    succeeds(&folder, &[]);
    succeeds(&folder, &["--check"]);
    succeeds(&folder, &["--check", "--sources-only"]);
    assert_eq!(names(place.path()), ["ptx"], "nothing is left beside it");
    let made = names(&folder);
    let unit = made.iter().find(|name| name.ends_with(".ptx")).unwrap();
    let text = std::fs::read_to_string(folder.join(unit)).unwrap();
    assert!(text.contains(".version 8.0\n.target sm_75\n"), "the oldest ISA and architecture");

    // Text that the source alone does not tell.
    std::fs::write(folder.join(unit), text.replace("ret;", "ret ;")).unwrap();
    succeeds(&folder, &["--check", "--sources-only"]);
    fails_with(&folder, &["--check"], &format!("stale: {unit}, whose text differs"));
    // A table by hand.
    let table = folder.join("resources.md");
    let rows = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, rows.replace("256 | `treepar_map__", "255 | `treepar_map__")).unwrap();
    fails_with(&folder, &["--check"], "255 | `treepar_map__");
    std::fs::write(&table, rows.replace("and ptxas ", "and ptxas 9")).unwrap();
    fails_with(&folder, &["--check"], "cannot tell whether it is current");
    // A file too few, one too many.
    std::fs::remove_file(folder.join(unit)).unwrap();
    std::fs::write(folder.join("other.ptx"), "").unwrap();
    fails_with(&folder, &["--check", "--sources-only"], &format!("missing: {unit}\n  superfluous: other.ptx"));

    succeeds(&folder, &[]);
    succeeds(&folder, &["--check"]);
    assert_eq!(names(&folder), made, "what was superfluous is gone");
}

#[test]
fn missing_tools_are_one_sentence() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("ptx");
    fails_with(&folder, &["--ptxas", "/no/such/ptxas"], "(/no/such/ptxas): run .ci/cuda-tools");
    assert!(!folder.exists());
}

#[test]
fn sources_are_listed_and_printed() {
    let place = tempfile::tempdir().unwrap();
    let output = run(place.path(), &["--list"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("function treepar::mask::") && text.contains("entry    treepar_"), "{text}");
    let unit = text.lines().next().unwrap().to_string();
    let output = run(place.path(), &["--print", &unit]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("extern \"C\" __global__"), "{text}");
    fails_with(place.path(), &["--print", "no_such_unit"], "no unit is called `no_such_unit`");
    fails_with(place.path(), &["--check", "--sources-only"], "missing: treepar__mask__");
}
