//! The tool from end to end, on a few units in a folder of its own. Most tests need NVRTC and ptxas.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the tool on a folder and a few units.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_build-ptx"));
    command.arg("--folder").arg(folder).args(["--only", "treepar__mask__*"]).args(arguments);
    command.output().expect("the tool runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn fails_with(folder: &Path, arguments: &[&str], words: &str) {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains(words), "`{words}` is not in\n{}", errors(&output));
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{}", errors(&output));
    errors(&output)
}

#[test]
#[ignore = "needs NVRTC and ptxas: .ci/cuda-tools"]
fn files_are_made_checked_and_made_again() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let [archive, table] = ["units.bin", "resources.md"].map(|name| folder.join("treepar/ptx").join(name));
    fails_with(folder, &["--check"], "missing: treepar__mask__");
    succeeds(folder, &[]);
    succeeds(folder, &["--check"]);
    succeeds(folder, &["--check", "--keys"]);
    let made = [std::fs::read(&archive).unwrap(), std::fs::read(&table).unwrap()];
    assert!(succeeds(folder, &[]).contains("0 units compiled"), "a second run compiles nothing");

    // A table that was edited.
    let rows = String::from_utf8_lossy(&made[1]).replace("|map__treepar__mask__rank|", "|map__treepar__mask__Rank|");
    std::fs::write(&table, rows).unwrap();
    fails_with(folder, &["--check"], "map__treepar__mask__Rank");
    assert!(succeeds(folder, &[]).contains("1 units compiled"), "only the unit without a row");
    // A damaged archive.
    std::fs::write(&archive, &made[0][..made[0].len() - 1]).unwrap();
    fails_with(folder, &["--check", "--keys"], "the archive is damaged");
    succeeds(folder, &[]);
    assert_eq!([std::fs::read(&archive).unwrap(), std::fs::read(&table).unwrap()], made, "as they were");
}

#[test]
fn missing_tools_are_one_sentence() {
    let place = tempfile::tempdir().unwrap();
    fails_with(place.path(), &["--ptxas", "/no/such/ptxas"], "the assembler ptxas cannot be run (/no/such/ptxas: ");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn units_are_listed_and_printed() {
    let place = tempfile::tempdir().unwrap();
    let output = run(place.path(), &["--list"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("function treepar::mask::") && text.contains("entry    treepar_"), "{text}");
    let unit = text.lines().next().unwrap().to_string();
    let output = run(place.path(), &["--print", &unit]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("extern \"C\" __global__"), "{text}");
    fails_with(place.path(), &["--print", "no_such_unit"], "no unit is called `no_such_unit`");
    fails_with(place.path(), &["--check", "--keys"], "missing: treepar__mask__");
}
