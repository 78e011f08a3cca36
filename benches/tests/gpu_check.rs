//! Tests of the program `gpu-check`: its output, its files and its exit status.

use std::path::Path;
use std::process::{Command, Output};
#[cfg(unix)]
use std::{io::BufRead, io::BufReader, process::Stdio};

fn gpu_check(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gpu-check")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// Returns the only record in a folder, and checks that its tables are next to it.
fn record(folder: &Path) -> serde_json::Value {
    let mut names = files(folder);
    names.sort();
    let stems: Vec<&str> =
        names.iter().filter_map(|name| name.split_once("-gpu-check.").map(|(stem, _)| stem)).collect();
    assert!(names.len() == 2 && stems.len() == 2 && stems[0] == stems[1], "{names:?}");
    let tables = std::fs::read_to_string(folder.join(&names[1])).unwrap();
    assert!(names[1].ends_with(".txt") && tables.contains("verdict"), "{tables}");
    serde_json::from_slice(&std::fs::read(folder.join(&names[0])).unwrap()).unwrap()
}

#[test]
fn the_cpu_equals_itself() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let arguments = [
        "--backend",
        "cpu",
        "--quick",
        "--only",
        "laws,programs",
        "--longest",
        "3000",
        "--limit",
        "300",
        "--commit",
        "abc",
        "--output",
        "out",
    ];
    let ran = gpu_check(&arguments, folder.path());
    let output = text(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{output}{}", text(&ran.stderr));
    assert!(output.lines().any(|line| line.starts_with("ok (")), "{output}");

    let record = record(&out);
    assert_eq!((record["commit"].as_str(), record["backend"].as_str()), (Some("abc"), Some("cpu")));
    assert!(record["stopped"].is_null(), "{record}");
    let parts = record["parts"].as_array().unwrap();
    let names: Vec<_> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["laws", "programs"]);
    for part in parts {
        assert!(part["passed"].as_u64().unwrap() > 0, "{part}");
        assert!(part["failures"].as_array().unwrap().is_empty(), "{part}");
        assert!(part["unchecked"].as_array().unwrap().is_empty(), "{part}");
    }
    let names = files(&out);
    assert!(names.iter().all(|name| name.contains("-abc-quick-gpu-check.")), "{names:?}");
}

#[test]
fn a_run_at_its_limit_ends_with_a_record() {
    let folder = tempfile::tempdir().unwrap();
    // Each step takes longer than the reserved 50 ms.
    let ran = gpu_check(&["--backend", "cpu", "--only", "passes", "--limit", "1"], folder.path());
    let record = record(folder.path());
    let passes = &record["parts"][0];
    let is_cut = record["stopped"].is_string() || passes["skipped"].as_u64().unwrap() > 0;
    assert!(is_cut, "{record}");
    assert!(record["seconds"].as_f64().unwrap() < 30.0, "{record}");
    assert!(text(&ran.stdout).contains("passes"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_or_terminated_run_keeps_its_results() {
    for signal in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_gpu-check"))
            .args(["--backend", "cpu", "--only", "laws", "--limit", "100"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(output.next().unwrap().unwrap().starts_with("laws, for at most"));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let rest: Vec<String> = output.map(Result::unwrap).collect();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}: {rest:?}");
        let record = record(folder.path());
        let stopped = record["stopped"].as_str().unwrap();
        assert!(stopped.starts_with("interrupted during: "), "{signal}: {stopped}");
        assert_eq!(record["parts"][0]["name"], "laws");
    }
}

#[test]
fn without_a_device_the_error_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_gpu-check"))
        .args(["--quick", "--only", "programs", "--limit", "20"])
        .current_dir(folder.path())
        // Hides any device.
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    let output = text(&ran.stderr);
    assert!(
        output.starts_with("gpu-check: ") && output.contains("no CUDA device") && output.lines().count() == 1,
        "{output}"
    );
    assert!(ran.stdout.is_empty() && files(folder.path()).is_empty());
}

#[test]
fn a_wrong_command_line_exits_with_two() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["--backend", "abacus"][..], &["--only", "everything"], &["--limit", "0"], &["program.par"]] {
        assert_eq!(gpu_check(arguments, folder.path()).status.code(), Some(2), "{arguments:?}");
    }
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_folder_that_cannot_be_created_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let ran = gpu_check(&["--backend", "cpu", "--output", "file/folder"], folder.path());
    assert_eq!(ran.status.code(), Some(1));
    assert!(text(&ran.stderr).contains("file/folder"));
}
