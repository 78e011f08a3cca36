//! `gpu-check` as a program: what it says, writes and exits with.

use std::path::Path;
use std::process::{Command, Output};

fn gpu_check(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gpu-check")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Names of files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn record(folder: &Path) -> serde_json::Value {
    let names = files(folder);
    assert!(names.len() == 1 && names[0].ends_with("-gpu-check.json"), "{names:?}");
    serde_json::from_slice(&std::fs::read(folder.join(&names[0])).unwrap()).unwrap()
}

#[test]
fn the_cpu_against_itself_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let arguments = [
        "--backend",
        "cpu",
        "--quick",
        "--only",
        "laws,programs",
        "--limit",
        "40",
        "--commit",
        "abc",
        "--output",
        "out",
    ];
    let ran = gpu_check(&arguments, folder.path());
    let said = text(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{said}{}", text(&ran.stderr));
    assert!(said.contains("all that was checked is right"), "{said}");

    let record = record(&out);
    assert_eq!((record["commit"].as_str(), record["backend"].as_str()), (Some("abc"), Some("cpu")));
    assert!(record["stopped"].is_null(), "{record}");
    let parts = record["parts"].as_array().unwrap();
    let names: Vec<_> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["laws", "programs"]);
    for part in parts {
        assert!(part["passed"].as_u64().unwrap() > 0, "{part}");
        assert!(part["failures"].as_array().unwrap().is_empty(), "{part}");
    }
}

#[test]
fn a_run_that_is_beyond_its_limit_ends_with_a_record() {
    let folder = tempfile::tempdir().unwrap();
    // A step takes longer than a twentieth of a second.
    let ran = gpu_check(&["--backend", "cpu", "--only", "passes", "--limit", "1"], folder.path());
    let record = record(folder.path());
    let passes = &record["parts"][0];
    let is_cut = record["stopped"].is_string() || passes["skipped"].as_u64().unwrap() > 0;
    assert!(is_cut, "{record}");
    assert!(record["seconds"].as_f64().unwrap() < 30.0, "{record}");
    assert!(text(&ran.stdout).contains("passes"));
}

#[test]
fn without_a_device_one_sentence_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ran = gpu_check(&["--quick", "--only", "programs", "--limit", "20"], folder.path());
    if ran.status.success() {
        return; // There is a device, and it is right.
    }
    assert_eq!(ran.status.code(), Some(1));
    let said = text(&ran.stderr);
    assert!(said.starts_with("gpu-check: ") && said.contains("no CUDA device") && said.lines().count() == 1, "{said}");
    assert!(ran.stdout.is_empty() && files(folder.path()).is_empty());
}

#[test]
fn a_wrong_command_line_ends_with_two() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["--backend", "abacus"][..], &["--only", "everything"], &["--limit", "0"], &["program.par"]] {
        assert_eq!(gpu_check(arguments, folder.path()).status.code(), Some(2), "{arguments:?}");
    }
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let ran = gpu_check(&["--backend", "cpu", "--output", "file/folder"], folder.path());
    assert_eq!(ran.status.code(), Some(1));
    assert!(text(&ran.stderr).contains("file/folder"));
}
