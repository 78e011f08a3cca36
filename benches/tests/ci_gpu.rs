//! `.ci/gpu` with executables that say how they were called: which steps are run, and what becomes of those that fail.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Executables, records and what was called, in a folder of their own.
struct Machine(tempfile::TempDir);

/// Tells how it was called, leaves a record, and fails where the arguments hold what `FAILS` says.
const EXECUTABLE: &str = r#"#!/bin/sh
called="$(basename "$0") $*"
echo "$called" >>"$CALLS"
while [ $# -gt 0 ]; do
  case "$1" in --output | --out) mkdir -p "$2" && echo "$called" >"$2/record" ;; esac
  shift
done
case "$called" in *"$FAILS"*) exit 1 ;; esac
"#;

/// Runs what follows its options, as compute-sanitizer does.
const SANITIZER: &str = r#"#!/bin/sh
echo "sanitizer $2" >>"$CALLS"
while [ "${1#--}" != "$1" ]; do shift; shift; done
exec "$@"
"#;

/// As compute-sanitizer, of a device that it does not know.
const REFUSING: &str = "#!/bin/sh\necho '========= Device not supported. Please refer to the documentation'\nexit 1\n";

impl Machine {
    /// With a sanitizer, if there is one.
    fn new(sanitizer: Option<&str>) -> Machine {
        let machine = Machine(tempfile::tempdir().unwrap());
        std::fs::create_dir(machine.path("packed")).unwrap();
        for name in ["gpu-check", "device", "interop_cudarc", "papers-repro"] {
            write(&machine.path("packed").join(name), EXECUTABLE);
        }
        if let Some(text) = sanitizer {
            write(&machine.path("sanitizer"), text);
        }
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Status, and all that was said.
    fn run(&self, arguments: &[&str], fails: &str) -> (Option<i32>, String) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/gpu");
        let ran = Command::new("bash")
            .arg("-c")
            .arg(r#"exec bash "$0" "$@" 2>&1"#)
            .arg(script)
            .args(arguments)
            .current_dir(self.0.path())
            .env("CALLS", self.path("calls"))
            .env("FAILS", fails)
            .env("RECORDS", self.path("records"))
            .env("COMPUTE_SANITIZER", self.path("sanitizer"))
            .env("CUDA_HOME", "/nowhere")
            .output()
            .unwrap();
        (ran.status.code(), String::from_utf8_lossy(&ran.stdout).into_owned())
    }

    /// How executables were called, in order, without where records went.
    fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        let without_folder = |line: &str| line.split(" --out").next().unwrap_or_default().to_string();
        text.lines().map(without_folder).collect()
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What passes for no failure.
const NOTHING: &str = "no such argument";

#[test]
fn all_steps_are_run_in_their_order() {
    let machine = Machine::new(Some(SANITIZER));
    let (status, said) = machine.run(&["h200", "packed"], NOTHING);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.lines().last(), Some("all that was run is right"));
    let short = "gpu-check --quick --only laws --longest 8193 --limit 240";
    let expected = [
        "gpu-check --quick --only laws,programs",
        "device --ignored",
        "interop_cudarc ",
        "sanitizer memcheck",
        "gpu-check --quick --only laws --longest 1 --limit 10",
        "sanitizer memcheck",
        short,
        "sanitizer racecheck",
        short,
        "gpu-check",
        "papers-repro key --backend cuda",
        "papers-repro pareas --backend cuda",
    ];
    assert_eq!(machine.calls(), expected);
    let names = |folder: &str| {
        let entries = std::fs::read_dir(machine.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("records"), ["papers-repro", "record"]);
    assert_eq!(names("records/papers-repro"), ["record"]);
}

#[test]
fn a_step_that_fails_does_not_keep_others_from_running_and_its_record_is_kept() {
    let machine = Machine::new(Some(SANITIZER));
    let (status, said) = machine.run(&["h200", "packed"], "laws,programs");
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(machine.calls().len(), 12, "{said}");
    assert!(machine.path("records/failed/answers/record").exists() && machine.path("records/record").exists());
}

#[test]
fn a_sanitizer_that_refuses_the_device_or_is_not_there_is_not_run_and_no_failure() {
    for (sanitizer, why) in [(Some(REFUSING), "is present, but refuses this device: Device not"), (None, "not found")] {
        let machine = Machine::new(sanitizer);
        let (status, said) = machine.run(&["h200", "packed", "sanitizer", "times"], NOTHING);
        assert_eq!(status, Some(0), "{said}");
        let last = said.lines().last().unwrap();
        assert!(last.starts_with("not run: memcheck and racecheck: ") && last.contains(why), "{said}");
        assert_eq!(machine.calls(), ["gpu-check"], "the times are measured");
    }
}

#[test]
fn steps_that_are_named_are_run_and_no_others() {
    let machine = Machine::new(None);
    let (status, said) = machine.run(&["h200", "packed", "driver"], NOTHING);
    assert_eq!(
        (status, machine.calls()),
        (Some(0), vec!["device --ignored".into(), "interop_cudarc ".into()]),
        "{said}"
    );
}

#[test]
fn a_gpu_check_alone_is_enough_for_its_steps() {
    let machine = Machine::new(None);
    let (status, said) = machine.run(&["h200", "packed/gpu-check"], NOTHING);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(machine.calls(), ["gpu-check --quick --only laws,programs", "gpu-check"]);
    let (status, said) = machine.run(&["h200", "packed/gpu-check", "driver"], NOTHING);
    assert!(status == Some(1) && said.contains("device is not there"), "{said}");
}

#[test]
fn a_wrong_command_line_runs_nothing() {
    let machine = Machine::new(None);
    for arguments in [&[][..], &["--help"], &["--pack"], &["h200", "answres"], &["h200", "packed", "answres"]] {
        let (status, said) = machine.run(arguments, NOTHING);
        assert_eq!(status, Some(2), "{arguments:?}: {said}");
        assert!(!said.is_empty() && machine.calls().is_empty(), "{arguments:?}");
    }
}
