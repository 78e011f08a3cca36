//! `gpu-check` as a program: what it says, writes and exits with.

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

/// Names of files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// The one record in a folder, which has its tables beside it.
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
fn the_cpu_against_itself_is_right() {
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
        "60",
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
        assert!(part["unchecked"].as_array().unwrap().is_empty(), "{part}");
    }
    let names = files(&out);
    assert!(names.iter().all(|name| name.contains("-abc-quick-gpu-check.")), "{names:?}");
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

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_or_terminated_keeps_what_it_found() {
    for signal in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_gpu-check"))
            .args(["--backend", "cpu", "--only", "laws", "--limit", "100"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(said.next().unwrap().unwrap().starts_with("laws, for at most"));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let rest: Vec<String> = said.map(Result::unwrap).collect();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}: {rest:?}");
        let record = record(folder.path());
        let stopped = record["stopped"].as_str().unwrap();
        assert!(stopped.starts_with("interrupted while at: "), "{signal}: {stopped}");
        assert_eq!(record["parts"][0]["name"], "laws");
    }
}

#[test]
fn without_a_device_one_sentence_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_gpu-check"))
        .args(["--quick", "--only", "programs", "--limit", "20"])
        .current_dir(folder.path())
        // Also where there is one.
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .unwrap();
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
