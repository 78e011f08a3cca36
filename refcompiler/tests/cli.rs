//! The program `refc` as its users meet it, with inputs good and bad.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const HELLO: &str = "fn main[]: int { print_int[42]; print_char[10]; return 3; }";

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path().join(name), contents).expect("a written file");
        self
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The names of the files in the folder, sorted.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn refc(&self, arguments: &[&str]) -> Output {
        self.refc_with_input(arguments, b"")
    }

    fn refc_with_input(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_refc"))
            .args(arguments)
            .current_dir(self.path())
            // A machine with a GPU shows none of it.
            .env("CUDA_VISIBLE_DEVICES", "")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("refc");
        // A program that ends without reading closes the pipe.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        child.wait_with_output().expect("refc ends")
    }
}

/// Status and standard error.
fn told(output: &Output) -> (i32, String) {
    let status = output.status.code().expect("refc is not ended by a signal");
    (status, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The command fails with `status` and says `message`.
#[track_caller]
fn fails(output: &Output, status: i32, message: &str) {
    let (found, text) = told(output);
    assert!(found == status && text.contains(message), "status {found}, expected {status} and `{message}` in\n{text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn run_passes_input_output_and_status_through() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    let output = folder.refc(&["run", "hello.par"]);
    assert_eq!((told(&output), output.stdout), ((3, String::new()), b"42\n".to_vec()));
    folder
        .file("echo.par", "fn main[]: int { var c: int; while (c = read_char[]) != -1 { print_char[c]; } return 0; }");
    let input: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    assert_eq!(folder.refc_with_input(&["run", "echo.par"], &input).stdout, input);
}

#[test]
fn each_kind_of_output_has_its_name() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    assert_eq!(told(&folder.refc(&["hello.par"])), (0, String::new()));
    assert_eq!(told(&folder.refc(&["-c", "hello.par"])).0, 0);
    assert_eq!(told(&folder.refc(&["-S", "hello.par"])).0, 0);
    assert_eq!(told(&folder.refc(&["hello.par", "-o", "prog"])).0, 0);
    assert_eq!(folder.names(), ["a.out", "hello.o", "hello.par", "hello.s", "prog"]);
    assert_eq!(fs::read(folder.path().join("a.out")).unwrap(), fs::read(folder.path().join("prog")).unwrap());
    assert!(fs::read_to_string(folder.path().join("hello.s")).unwrap().contains("main:"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!((mode("prog") & 0o100, mode("hello.o") & 0o111), (0o100, 0));
    }
    let assembly = folder.refc(&["-S", "hello.par", "-o", "-"]).stdout;
    assert_eq!(assembly, fs::read(folder.path().join("hello.s")).unwrap());
}

#[test]
fn every_stage_can_be_listed() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    for (stage, part) in [
        ("tokens", "hello.par:1:4 main name"),
        ("tree", "function main"),
        ("types", "literal 42: int"),
        ("lifted", "function"),
        ("flat", "argument of"),
        ("instructions", "jal"),
    ] {
        let output = folder.refc(&["--emit", stage, "hello.par"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains(part), "`{part}` is not in --emit {stage}:\n{text}");
    }
    assert_eq!(folder.names(), ["hello.par"]);
}

#[test]
fn check_writes_nothing() {
    let folder = Folder::new();
    folder.file("good.par", "fn f[]: void {}").file("bad.par", "fn f[]: void { x; }");
    assert_eq!(told(&folder.refc(&["--check", "good.par"])), (0, String::new()));
    fails(&folder.refc(&["--check", "bad.par"]), 1, "bad.par:1:16");
    assert_eq!(folder.names(), ["bad.par", "good.par"]);
}

#[test]
fn errors_leave_what_was_there() {
    let folder = Folder::new();
    folder.file("bad.par", "fn main[]: int { return x + y; }").file("prog", "as it was");
    let output = folder.refc(&["bad.par", "-o", "prog"]);
    fails(&output, 1, "bad.par:1:25");
    fails(&output, 1, "bad.par:1:29");
    fails(&output, 1, "2 errors");
    assert_eq!(fs::read(folder.path().join("prog")).unwrap(), b"as it was");
    assert_eq!(folder.names(), ["bad.par", "prog"]);
}

#[test]
fn inputs_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("folder.par")).unwrap();
    folder.file("latin1.par", b"fn f[]: void {}\n// \xe9").file("empty.par", "");
    fails(&folder.refc(&["missing.par"]), 1, "cannot read `missing.par`: no such file");
    fails(&folder.refc(&["folder.par"]), 1, "`folder.par`: it is a directory");
    fails(&folder.refc(&["latin1.par"]), 1, "latin1.par:2:4: not UTF-8: byte 0xe9");
    fails(&folder.refc(&["empty.par"]), 1, "no input defines the function `main`");
    assert_eq!(told(&folder.refc(&["-c", "empty.par"])), (0, String::new()), "an empty object is legal");
    fails(&folder.refc(&[]), 2, "no input files");
    fails(&folder.refc(&["--emit", "nothing", "empty.par"]), 2, "invalid value");
    fails(&folder.refc(&["-c", "-S", "empty.par"]), 2, "cannot be used with");
    fails(&folder.refc(&["-j", "0", "empty.par"]), 2, "from 1 to 1024");
}

#[test]
fn outputs_that_cannot_be_written_are_named() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    fs::create_dir(folder.path().join("folder")).unwrap();
    fails(&folder.refc(&["hello.par", "-o", "missing/prog"]), 1, "cannot write `missing/prog`");
    fails(&folder.refc(&["hello.par", "-o", "folder"]), 1, "cannot write `folder`: it is a directory");
    if Path::new("/dev/full").exists() {
        fails(&folder.refc(&["hello.par", "-o", "/dev/full"]), 1, "cannot write `/dev/full`: no space left");
    }
    assert_eq!(folder.names(), ["folder", "hello.par"], "nothing half-written stays");
}

#[test]
fn several_files_and_standard_input_are_one_program() {
    let folder = Folder::new();
    folder
        .file("a.par", "fn main[]: int { return twice[21]; }")
        .file("b.par", "fn twice[x: int]: int { return x * 2; }");
    assert_eq!(told(&folder.refc(&["run", "a.par", "b.par"])).0, 42);
    assert_eq!(told(&folder.refc_with_input(&["-", "-o", "p"], HELLO.as_bytes())), (0, String::new()));
    fails(&folder.refc(&["a.par"]), 1, "no function `twice`");
    folder.file("c.par", "extern fn far[]: int; fn main[]: int { return far[]; }");
    fails(&folder.refc(&["c.par"]), 1, "no input defines the function `far`");
    assert_eq!(told(&folder.refc(&["-c", "c.par"])).0, 0);
}

#[test]
fn a_program_that_goes_wrong_is_stopped_with_its_function() {
    let folder = Folder::new();
    folder.file("deep.par", "fn down[n: int]: int { return down[n + 1] + 1; } fn main[]: int { return down[0]; }");
    let output = folder.refc(&["run", "deep.par"]);
    fails(&output, 139, "stack overflow");
    fails(&output, 139, "`down`");
}

#[test]
fn help_tells_what_there_is() {
    let folder = Folder::new();
    let output = folder.refc(&["--help"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in ["Usage: refc", "-o, --output", "--emit", "--time-passes", "Examples:", "Exit status:"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    assert!(folder.refc(&["--version"]).status.success());
}

#[test]
fn colours_are_for_terminals_or_on_demand() {
    let folder = Folder::new();
    folder.file("bad.par", "fn f[]: void { x; }");
    assert!(!told(&folder.refc(&["-c", "bad.par"])).1.contains('\x1b'));
    assert!(told(&folder.refc(&["-c", "bad.par", "--color", "always"])).1.contains('\x1b'));
}

#[test]
fn timings_and_checks_can_be_asked_for() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    let (status, text) = told(&folder.refc(&["hello.par", "--time-passes", "--check-passes", "-v"]));
    assert_eq!(status, 0);
    for part in ["front end", "flatten", "allocate", "all passes after the tree", "bytes of source"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn without_a_gpu_one_sentence_says_so() {
    let folder = Folder::new();
    folder.file("a.par", HELLO);
    for arguments in [&["--backend", "cuda", "a.par"][..], &["run", "--backend", "cuda", "a.par"]] {
        let output = folder.refc(arguments);
        fails(&output, 1, if cfg!(feature = "cuda") { "CUDA driver" } else { "no CUDA backend" });
        let text = told(&output).1;
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains('\x1b'), "{text:?}");
        assert!(output.stdout.is_empty());
        assert_eq!(folder.names(), ["a.par"]);
    }
}

/// Deep, wide and long programs compile, and what they compile to runs.
#[test]
fn extreme_shapes_compile() {
    let folder = Folder::new();
    let n = 100_000;
    folder
        .file("parentheses.par", format!("fn main[]: int {{ return {}7{}; }}", "(".repeat(n), ")".repeat(n)))
        .file("sums.par", format!("fn main[]: int {{ return {}1{} & 255; }}", "(1 + ".repeat(n), ")".repeat(n)))
        .file("blocks.par", format!("fn main[]: int {{ {}{} return 7; }}", "{".repeat(10 * n), "}".repeat(10 * n)))
        .file(
            "functions.par",
            (0..n).map(|k| format!("fn f{k}[]: int {{ return {k}; }}\n")).collect::<String>()
                + "fn main[]: int { return f99999[] & 255; }",
        )
        .file("line.par", format!("fn main[]: int {{ return 0{}; }}", " + 1".repeat(10 * n)))
        .file(
            "far.par",
            format!(
                "fn main[]: int {{ var i = 0; var x = 0; while i < 3 {{ if i != 1 {{ {} }} i = i + 1; }} return x & 255; }}",
                "x = x + 123456 * i - 7; ".repeat(60_000)
            ),
        );
    let sum: i32 = (0..60_000 * 3)
        .filter(|k| k / 60_000 != 1)
        .fold(0i32, |x, k| x.wrapping_add(123_456i32.wrapping_mul(k / 60_000)).wrapping_sub(7));
    let expected = [
        ("parentheses.par", 7),
        ("sums.par", (n as i32 + 1) & 255),
        ("blocks.par", 7),
        ("functions.par", 99_999 & 255),
        ("line.par", (10 * n as i32) & 255),
        ("far.par", sum & 255),
    ];
    for (name, status) in expected {
        let output = folder.refc(&["run", name]);
        assert_eq!(told(&output), (status, String::new()), "{name}");
    }
}
