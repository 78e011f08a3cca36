//! The options of messages: `-w`, `-W` and `--error-format`.

use std::fs;
use std::path::Path;
use std::process::Command;

const WARNS: &str = "fn main[]: int { var x = 1; return 0; }";

/// Runs `refc` in a folder. Returns its status, its standard error, and whether it wrote `a.out`.
fn refc(folder: &Path, arguments: &[&str]) -> (i32, String, bool) {
    let output = folder.join("a.out");
    let _ = fs::remove_file(&output);
    let finished =
        Command::new(env!("CARGO_BIN_EXE_refc")).args(arguments).current_dir(folder).output().expect("refc starts");
    let text = String::from_utf8(finished.stderr).expect("messages are UTF-8");
    assert!(!text.contains("panicked"), "{text}");
    (finished.status.code().expect("refc ends by itself"), text, output.exists())
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a written file");
    }
    folder
}

#[test]
fn warnings_are_printed_and_do_not_stop_the_compilation() {
    let folder = folder(&[("a.par", WARNS)]);
    let (status, text, written) = refc(folder.path(), &["a.par"]);
    assert!((status, written) == (0, true) && text.contains("warning[W0301]: unused variable `x`"), "{text}");
    assert!(text.contains("--> a.par:1:22") && text.ends_with("1 warning\n"), "{text}");
    let (status, text, _) = refc(folder.path(), &["run", "a.par"]);
    assert!(status == 0 && text.contains("W0301"), "{text}");
}

#[test]
fn warnings_can_be_turned_off() {
    let folder = folder(&[("a.par", WARNS)]);
    for arguments in [&["-w", "a.par"][..], &["--no-warnings", "a.par"], &["-W", "none", "a.par"], &["-Wnone", "a.par"]]
    {
        assert_eq!(refc(folder.path(), arguments), (0, String::new(), true), "{arguments:?}");
    }
    assert_eq!(refc(folder.path(), &["run", "-w", "a.par"]).1, "");
}

#[test]
fn warnings_can_be_errors() {
    let folder = folder(&[("a.par", WARNS), ("clean.par", "fn main[]: int { return 0; }")]);
    for arguments in [&["-W", "error", "a.par"][..], &["-Werror", "a.par"], &["run", "-Werror", "a.par"]] {
        let (status, text, written) = refc(folder.path(), arguments);
        assert_eq!((status, written), (1, false), "{arguments:?}");
        assert!(text.contains("W0301") && text.contains("`-W error`"), "{text}");
    }
    assert_eq!(refc(folder.path(), &["-Werror", "clean.par"]), (0, String::new(), true));
}

/// A function that nothing in an executable calls is unused. In an object, other objects may call it.
#[test]
fn unused_functions_depend_on_the_output() {
    let folder = folder(&[("a.par", "fn f[]: void { } fn main[]: int { return 0; }")]);
    assert!(refc(folder.path(), &["a.par"]).1.contains("W0303"));
    assert_eq!(refc(folder.path(), &["-c", "a.par"]).1, "");
    assert_eq!(refc(folder.path(), &["-S", "a.par"]).1, "");
}

#[test]
fn every_message_can_be_json() {
    let folder = folder(&[("a.par", WARNS), ("bad.par", "fn f[]: void {\n  x;\n  y;\n}")]);
    let objects = |arguments: &[&str], expected: i32| -> Vec<serde_json::Value> {
        let (status, text, _) = refc(folder.path(), arguments);
        assert_eq!(status, expected, "{text}");
        text.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect()
    };
    let errors = objects(&["--error-format", "json", "bad.par"], 1);
    assert_eq!(errors.len(), 2);
    let fields =
        ["severity", "code", "file", "start", "end", "line", "column"].map(|field| errors[1][field].to_string());
    assert_eq!(fields, ["\"error\"", "\"E0301\"", "\"bad.par\"", "22", "23", "3", "3"]);
    let warnings = objects(&["--error-format=json", "-Werror", "a.par"], 1);
    assert_eq!((&warnings[0]["severity"], &warnings[0]["code"]), (&"warning".into(), &"W0301".into()));
    assert!(warnings[1]["code"].is_null() && warnings[1]["severity"] == "error");
    let missing = objects(&["--error-format", "json", "missing.par"], 1);
    assert!(missing[0]["message"].as_str().is_some_and(|message| message.contains("missing.par")), "{missing:?}");
}

#[test]
fn a_rejected_program_writes_nothing() {
    let words = ["fn", "main", "[", "]", "{", "}", "x", "=", "1", ";", "\"", "é", "return"];
    for seed in 0..20 {
        let mut rng = refcompiler_programs::Rng::new(seed);
        let text: String = (0..30).map(|_| format!("{} ", rng.one_of(&words))).collect();
        let folder = folder(&[("a.par", &text)]);
        let (status, errors, written) = refc(folder.path(), &["a.par"]);
        assert_eq!((status, written), (1, false), "{text}");
        assert!(errors.contains("--> a.par:"), "{errors}");
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "{text}");
    }
}
