//! The program `compile-speed`, with other programs in place of `refc`. Times are not tested.

#![cfg(target_os = "linux")]

use std::process::{Command, Output};

/// Runs `compile-speed` for one round of a league of five functions, with `refc` replaced.
fn compile_speed(refc: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compile-speed"));
    command.args(["--league", "--functions", "5", "--runs", "1", "--refc", refc]).args(more);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_table_goes_to_standard_output_and_progress_to_standard_error() {
    let run = compile_speed("/bin/true", &[]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert!(run.status.success(), "{err}");
    let rows = |start: &str| out.lines().filter(|line| line.trim_start().starts_with(start)).count();
    assert_eq!((rows("check   refc "), rows("build   refc "), rows("build   refc x86-64")), (2, 6, 3), "{out}");
    assert!(err.contains("round 1 of 1") && err.contains("calibration loop"), "{err}");
}

#[test]
fn a_failing_compiler_is_an_error_with_its_command() {
    let run = compile_speed("/bin/false", &[]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1));
    // The installed peers decide which case is the first.
    let targets = ["riscv32", "x86-64"].map(|target| format!("false -w --target {target}"));
    let options =
        ["", " -j1", " -O1"].iter().flat_map(|option| targets.iter().map(move |own| format!("{own}{option}")));
    let commands: Vec<String> =
        options.flat_map(|own| [" --check", " -o out"].map(|task| own.clone() + task)).collect();
    let is_reported = |command: &String| err.contains(&format!("{command} 0.par` failed: exit status: 1\n"));
    assert_eq!(commands.iter().filter(|&command| is_reported(command)).count(), 1, "{err}");
    assert!(run.stdout.is_empty());
}

#[test]
fn a_record_of_a_busy_machine_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let run = compile_speed("/bin/true", &["--allow-busy", "--record", path.to_str().unwrap()]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let record = std::fs::read_to_string(&path).unwrap();
    assert!(record.lines().any(|line| line == "# machine: idle" || line.starts_with("# machine: BUSY: ")), "{record}");
    assert!(record.contains("\nleague,5,") && record.contains("# runs: 1\n"), "{record}");
}

#[test]
fn a_refused_record_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let run = compile_speed("/bin/true", &["--record", path.to_str().unwrap()]);
    // The test cannot know if this machine is idle.
    let err = text(&run.stderr);
    assert_eq!(run.status.success(), path.exists(), "{err}");
    assert_eq!(run.status.success(), !err.contains("no record, because this machine is busy: "), "{err}");
}

#[test]
fn a_folder_that_is_missing_is_reported_before_measuring() {
    let run = compile_speed("/bin/true", &["--allow-busy", "--record", "/nowhere/a.csv"]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1));
    assert!(err.contains("no folder `/nowhere`") && !err.contains("round 1"), "{err}");
}
