//! The program `refc` as its users see it, with valid and invalid inputs.

use std::fs;
use std::io::{Read, Write};
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
            // The results are the same on a machine with a GPU.
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

/// Returns the exit status and the standard error.
fn result(output: &Output) -> (i32, String) {
    let status = output.status.code().expect("refc is not ended by a signal");
    (status, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Asserts that the command failed with `status` and printed `message`.
#[track_caller]
fn fails(output: &Output, status: i32, message: &str) {
    let (found, text) = result(output);
    assert!(found == status && text.contains(message), "status {found}, expected {status} and `{message}` in\n{text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn run_passes_input_output_and_status_through() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    let output = folder.refc(&["run", "hello.par"]);
    assert_eq!((result(&output), output.stdout), ((3, String::new()), b"42\n".to_vec()));
    folder
        .file("echo.par", "fn main[]: int { var c: int; while (c = read_char[]) != -1 { print_char[c]; } return 0; }");
    let input: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    assert_eq!(folder.refc_with_input(&["run", "echo.par"], &input).stdout, input);
}

#[test]
fn each_kind_of_output_has_its_name() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    assert_eq!(result(&folder.refc(&["hello.par"])), (0, String::new()));
    assert_eq!(result(&folder.refc(&["-c", "hello.par"])).0, 0);
    assert_eq!(result(&folder.refc(&["-S", "hello.par"])).0, 0);
    assert_eq!(result(&folder.refc(&["hello.par", "-o", "prog"])).0, 0);
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
        ("arrays", "literal"),
        ("vectors", "literal"),
        ("lifted", "function"),
        ("ssa", "header"),
        ("flat", "argument of"),
        ("instructions", "jal"),
        ("header", "#include <stdint.h>"),
    ] {
        let output = folder.refc(&["--target", "riscv32", "--emit", stage, "hello.par"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains(part), "`{part}` is not in --emit {stage}:\n{text}");
    }
    assert_eq!(folder.names(), ["hello.par"]);
}

/// Returns whether a file contains a text.
fn contains(file: &[u8], text: &str) -> bool {
    file.windows(text.len()).any(|bytes| bytes == text.as_bytes())
}

#[test]
fn lines_for_debuggers_are_described_on_demand() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO).file("other.par", "fn other[]: int {\n    return 1;\n}\n");
    for target in ["riscv32", "x86-64"] {
        assert_eq!(result(&folder.refc(&["--target", target, "hello.par", "-o", "plain"])).0, 0);
        assert_eq!(result(&folder.refc(&["-g", "--target", target, "hello.par", "other.par", "-o", "program"])).0, 0);
        assert_eq!(result(&folder.refc(&["-g", "-c", "--target", target, "hello.par", "other.par"])).0, 0);
        let read = |name: &str| fs::read(folder.path().join(name)).expect("a file");
        let path = folder.path().to_str().expect("a name").to_string();
        let described = |file: &[u8]| [".debug_line", ".debug_frame", &path].map(|text| contains(file, text));
        assert_eq!(described(&read("plain")), [false; 3], "{target}");
        assert_eq!(described(&read("program")), [true; 3], "{target}");
        assert!(contains(&read("program"), "hello.par") && contains(&read("program"), "other.par"));
        assert_eq!(described(&read("other.o")), [true; 3], "{target}");
        assert!(!contains(&read("other.o"), "hello.par"), "a unit describes its own file");
        let output = folder.refc_with_input(&["-g", "--target", target, "-", "-o", "-"], HELLO.as_bytes()).stdout;
        assert!(contains(&output, "<stdin>"), "{target}");
    }
    fails(&folder.refc(&["-g", "-S", "hello.par"]), 2, "cannot be used with '-S'");
    fails(&folder.refc(&["-g", "--emit", "tree", "hello.par"]), 2, "cannot be used with '--emit");
}

#[test]
fn every_front_end_describes_the_same_lines() {
    let folder = Folder::new();
    // Enough for several parts, and functions of the runtime at the end.
    let text: String = (0..8_000)
        .map(|k| format!("fn f{k}[x: int]: float {{\n    var y = x\n        + {k};\n    return sin[float(y)];\n}}\n"))
        .collect();
    folder.file("large.par", text);
    let mut files = Vec::new();
    for front_end in ["sequential", "parallel"] {
        let arguments = ["-g", "-c", "-w", "-j", "2", "--front-end", front_end, "large.par", "-o", "large.o"];
        assert_eq!(result(&folder.refc(&arguments)), (0, String::new()));
        files.push(fs::read(folder.path().join("large.o")).expect("an object"));
    }
    assert!(files[0] == files[1] && contains(&files[0], ".debug_line"));
}

#[test]
fn listings_for_x86_64_have_its_registers_and_instructions() {
    let folder = Folder::new();
    let program =
        "fn main[]: int { var s = 1; for i < 9 { if i % 2 == 0 { s = s / (i + 1); } } print_float[1.5]; return s; }";
    folder.file("loop.par", program);
    let listed = |stage: &str| {
        let output = folder.refc(&["--target", "x86-64", "--emit", stage, "loop.par"]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let rows = listed("flat");
    assert!(rows.contains(" ebx ") && rows.contains(" xmm0 ") && !rows.contains(" t3 "), "{rows}");
    let text = listed("instructions");
    let lines = || text.lines().skip(1).map(|line| line.trim().split_once("  ").expect("a byte and an instruction"));
    for part in ["sub $", "idiv %ecx", "test %ebx, %ebx", "call ", "ret"] {
        assert!(lines().any(|(_, instruction)| instruction.starts_with(part)), "no `{part}`:\n{text}");
    }
    let bytes: Vec<&str> = lines().map(|(byte, _)| byte).collect();
    let targets: Vec<&str> = lines().filter_map(|(_, instruction)| Some(instruction.split_once(".L")?.1)).collect();
    assert!(targets.len() > 4 && targets.iter().all(|target| bytes.contains(target)), "{targets:?}:\n{text}");
}

#[test]
fn check_writes_nothing() {
    let folder = Folder::new();
    folder.file("good.par", "fn f[]: void {}").file("bad.par", "fn f[]: void { x; }");
    assert_eq!(result(&folder.refc(&["--check", "good.par"])), (0, String::new()));
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
    fails(&folder.refc(&["latin1.par"]), 1, "latin1.par:2:4");
    fails(&folder.refc(&["latin1.par"]), 1, "the byte 0xe9 is not UTF-8");
    fails(&folder.refc(&["empty.par"]), 1, "no input defines the function `main`");
    assert_eq!(result(&folder.refc(&["-c", "empty.par"])), (0, String::new()), "an empty object is legal");
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
    assert_eq!(result(&folder.refc(&["run", "a.par", "b.par"])).0, 42);
    assert_eq!(result(&folder.refc_with_input(&["-", "-o", "p"], HELLO.as_bytes())), (0, String::new()));
    fails(&folder.refc(&["a.par"]), 1, "cannot find function `twice`");
    folder.file("c.par", "extern fn far[]: int; fn main[]: int { return far[]; }");
    fails(&folder.refc(&["c.par"]), 1, "no input defines the function `far`");
    assert_eq!(result(&folder.refc(&["-c", "c.par"])).0, 0);
}

#[test]
fn both_front_ends_write_the_same_files_and_messages() {
    let folder = Folder::new();
    folder.file("good.par", HELLO);
    folder.file("unused.par", "fn f[x: int, y: int]: int { return x; }\n");
    folder.file("wrong.par", "fn f[x: int]: int { return x + 1.0; }\nfn g[] { y = 1; }\n");
    folder.file(
        "both.par",
        "fn f[x: int]: int { return g[x]; }\nfn g[x: int]: int { print_float[5.5 % 2.0]; return x; }\n",
    );
    let compiled = |kind: &str, files: &[&str]| {
        let arguments: Vec<&str> = ["--front-end", kind, "-c"].iter().chain(files).copied().collect();
        let output = folder.refc(&arguments);
        let objects: Vec<Option<Vec<u8>>> =
            files.iter().map(|file| fs::read(folder.path().join(file).with_extension("o")).ok()).collect();
        for file in files {
            let _ = fs::remove_file(folder.path().join(file).with_extension("o"));
        }
        (result(&output), objects)
    };
    for files in
        [&["good.par"][..], &["unused.par"], &["wrong.par"], &["both.par"], &["good.par", "wrong.par", "unused.par"]]
    {
        let (expected, found) = (compiled("sequential", files), compiled("parallel", files));
        assert_eq!(found, expected, "{files:?}");
        assert_eq!(found.0.0 == 0, !files.contains(&"wrong.par"), "{files:?}");
        assert_eq!(found.0.1.contains("warning"), files.contains(&"unused.par"), "{files:?}");
    }
    let output = folder.refc(&["--front-end", "parallel", "run", "good.par"]);
    assert_eq!((result(&output), output.stdout), ((3, String::new()), b"42\n".to_vec()));
}

/// Compares the results of both front ends for some programs, of which `wrong.par` has errors and `unused.par` warnings.
#[track_caller]
fn same_on_every_front_end(folder: &Folder, programs: [(&str, String); 3]) {
    for (name, text) in programs {
        folder.file(name, &text);
        let compiled = |options: &[&str]| {
            let output = folder.refc(&[options, &["-c", name, "-o", "-"]].concat());
            (result(&output), output.stdout)
        };
        let expected = compiled(&["--front-end", "sequential"]);
        assert_eq!(expected.0.0 == 0, name != "wrong.par", "{}", expected.0.1);
        assert_eq!(expected.0.1.contains("warning"), name == "unused.par");
        for options in [&["-j2"][..], &["-j1"], &["-j3", "--front-end", "parallel"]] {
            assert!(compiled(options) == expected, "{name} {options:?}");
        }
    }
}

#[test]
fn every_front_end_compiles_a_large_program_with_arrays_to_the_same_words() {
    let folder = Folder::new();
    let function = |k: usize| {
        let before = k / 2;
        format!(
            "fn f{k}[a: [int], n: int]: *[int] {{ var b = replicate[n + 1, {k}]; b[n] = a[0] + f{before}[[n, {k}], n][0];
            for i < size[b] {{ b[i] = b[i] - size[a] * b[n]; }} return b; }}\n"
        )
    };
    let good: String = (0..3_000).map(function).collect();
    let unused = good.replace("fn f7[", "fn f7[unused: int, ").replace("f7[[", "f7[0, [");
    let wrong = good
        .replace("fn f2999[a: [int], n: int]: *[int] {", "fn f2999[a: [int], n: int]: *[int] { var c = a; c[0] = n;");
    same_on_every_front_end(&folder, [("good.par", good), ("unused.par", unused), ("wrong.par", wrong)]);
}

#[test]
fn every_front_end_compiles_a_large_program_to_the_same_words() {
    let folder = Folder::new();
    let function = |k: usize| format!("fn f{k}[x: int]: int {{ var y = x * {k} + 1; return f{}[y] - y; }}\n", k / 2);
    let good: String = (0..5_000).map(function).collect();
    let unused = good.replace("fn f7[", "fn f7[unused: int, ").replace("f7[y]", "f7[y, y]");
    let wrong = good.replace("fn f4999[x: int]: int {", "fn f4999[x: int]: float {");
    same_on_every_front_end(&folder, [("good.par", good), ("unused.par", unused), ("wrong.par", wrong)]);
}

/// Returns the object of one file, compiled without the others.
fn object(folder: &Folder, file: &str) -> Vec<u8> {
    let output = folder.refc(&["-c", file, "-o", "-"]);
    assert_eq!(result(&output), (0, String::new()));
    output.stdout
}

#[test]
fn each_of_several_files_has_its_own_output() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("sub")).unwrap();
    folder
        .file("a.par", "extern fn g[x: int]: int; fn f[x: int]: int { return g[x] + 1; }")
        .file("sub/b.par", "fn f[x: int]: int { print_int[x]; return x % 3; }")
        .file("c.par", HELLO);
    for (option, extension) in [("-c", "o"), ("-S", "s")] {
        assert_eq!(result(&folder.refc(&[option, "a.par", "sub/b.par", "c.par"])), (0, String::new()));
        for (file, stem) in [("a.par", "a"), ("sub/b.par", "b"), ("c.par", "c")] {
            let alone = folder.refc(&[option, file, "-o", "-"]).stdout;
            let name = format!("{stem}.{extension}");
            assert!(!alone.is_empty() && fs::read(folder.path().join(&name)).unwrap() == alone, "{name}");
        }
    }
    assert_eq!(folder.names(), ["a.o", "a.par", "a.s", "b.o", "b.s", "c.o", "c.par", "c.s", "sub"]);
    // Both files define `f`, so they are not one program.
    fails(&folder.refc(&["-c", "a.par", "sub/b.par", "-o", "one.o"]), 1, "`f`");
    assert_eq!(result(&folder.refc(&["-c", "a.par", "c.par", "-o", "one.o"])), (0, String::new()));
    assert!(folder.names().contains(&"one.o".to_string()));
    let output = folder.refc_with_input(&["-c", "a.par", "-"], HELLO.as_bytes());
    assert_eq!(result(&output), (0, String::new()));
    assert!(fs::read(folder.path().join("stdin.o")).unwrap() == object(&folder, "c.par"));
}

#[test]
fn units_do_not_share_names() {
    let folder = Folder::new();
    folder
        .file("a.par", "fn main[]: int { return twice[21]; }")
        .file("b.par", "fn twice[x: int]: int { return x * 2; }");
    fails(&folder.refc(&["-c", "a.par", "b.par"]), 1, "cannot find function `twice`");
    assert_eq!(folder.names(), ["a.par", "b.o", "b.par"]);
    assert_eq!(result(&folder.refc(&["-c", "a.par", "b.par", "-o", "both.o"])), (0, String::new()));
}

/// Names of files that a test of many units writes, and their contents. Every seventh has an error and every fifth a
/// warning. The length of a unit varies, so that threads do not finish in order.
fn units(count: usize) -> impl Iterator<Item = (String, String)> {
    (0..count).map(|k| {
        let mut text = format!("fn f{k}[x: int]: int {{ return x + {k}; }}\n");
        for i in 0..(k * 37) % 90 {
            text += &format!("fn g{i}[x: int]: int {{ return x * {k} - {i}; }}\n");
        }
        if k % 7 == 3 {
            text += &format!("fn bad[]: int {{ return missing{k}; }}\n");
        } else if k % 5 == 1 {
            text += &format!("fn odd[]: void {{ var unused{k} = 1; }}\n");
        }
        (format!("u{k}.par"), text)
    })
}

#[test]
fn messages_have_the_order_of_the_files_and_errors_stop_no_other_unit() {
    let folder = Folder::new();
    let names: Vec<String> = units(200)
        .map(|(name, text)| {
            folder.file(&name, text);
            name
        })
        .collect();
    folder.file("list", names.join("\n"));
    let mut found = Vec::new();
    for threads in ["1", "2", "7"] {
        let (status, text) = result(&folder.refc(&["-c", "-j", threads, "@list"]));
        assert_eq!(status, 1);
        let mut positions = Vec::new();
        for (k, name) in names.iter().enumerate() {
            let object = folder.path().join(format!("u{k}.o"));
            if k % 7 == 3 {
                positions.push(text.find(&format!("`missing{k}`")).unwrap_or_else(|| panic!("{name}: {text}")));
                assert!(!object.exists(), "{name}");
            } else {
                if k % 5 == 1 {
                    positions.push(text.find(&format!("`unused{k}`")).unwrap_or_else(|| panic!("{name}: {text}")));
                }
                fs::remove_file(object).unwrap();
            }
        }
        assert!(positions.is_sorted(), "{positions:?}");
        found.push(text);
    }
    assert!(found.iter().all(|text| *text == found[0]));
    assert!(!folder.names().iter().any(|name| name.starts_with(".refc")), "{:?}", folder.names());
}

#[test]
fn units_of_several_threads_equal_those_compiled_alone() {
    let folder = Folder::new();
    let mut names = Vec::new();
    for (name, text) in units(40).filter(|(_, text)| !text.contains("missing") && !text.contains("unused")) {
        folder.file(&name, text);
        names.push(name);
    }
    // A unit that is worth all threads is among small ones.
    let large: String = (0..8000).map(|i| format!("fn g{i}[x: int]: int {{ return x * 3 - {i}; }}\n")).collect();
    folder.file("large.par", large);
    names.insert(5, "large.par".into());
    let mut arguments = vec!["-c", "-j", "3"];
    arguments.extend(names.iter().map(String::as_str));
    assert_eq!(result(&folder.refc(&arguments)), (0, String::new()));
    for name in &names {
        let written = fs::read(folder.path().join(name).with_extension("o")).unwrap();
        assert!(written == object(&folder, name), "{name}");
    }
}

#[test]
fn a_unit_that_cannot_be_read_or_written_stops_no_other() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("full.o")).unwrap();
    fs::create_dir(folder.path().join("folder.par")).unwrap();
    folder.file("a.par", HELLO).file("full.par", HELLO).file("z.par", HELLO).file("list", "missing.par\n z.par \n");
    let output = folder.refc(&["-c", "a.par", "folder.par", "full.par", "@list"]);
    let (status, text) = result(&output);
    assert_eq!(status, 1);
    let errors: Vec<&str> = text.lines().collect();
    assert_eq!(
        errors,
        [
            "refc: error: cannot read `folder.par`: it is a directory",
            "refc: error: cannot write `full.o`: it is a directory",
            "refc: error: cannot read `missing.par` (line 1 of `list`): no such file or directory",
        ]
    );
    assert_eq!(folder.names(), ["a.o", "a.par", "folder.par", "full.o", "full.par", "list", "z.o", "z.par"]);
    let json = folder.refc(&["-c", "--error-format", "json", "a.par", "missing.par"]);
    fails(&json, 1, "cannot read `missing.par`");
    assert!(result(&json).1.lines().all(|line| line.starts_with('{')), "{json:?}");
}

#[test]
fn outputs_of_units_are_checked_before_anything_is_written() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        folder.file(&format!("{name}/x.par"), HELLO);
    }
    folder.file("y.par", HELLO).file("z.o", "fn f[]: void {}").file("list", "# two\n\nb/x.par\n");
    let same = "cannot write `x.o`: it is the output of `a/x.par` and of `b/x.par`";
    overwrites(&folder, &["-c", "y.par", "a/x.par", "b/x.par"], same);
    let same = "cannot write `x.o`: it is the output of `a/x.par` and of `b/x.par` (line 3 of `list`)";
    overwrites(&folder, &["-c", "y.par", "a/x.par", "@list"], same);
    overwrites(&folder, &["-c", "y.par", "./y.par"], "cannot write `y.o`");
    overwrites(&folder, &["-c", "y.par", "z.o"], "cannot write `z.o`: it is an input");
    #[cfg(unix)]
    {
        fs::hard_link(folder.path().join("y.par"), folder.path().join("x.o")).unwrap();
        let same = "cannot write `x.o`: it is the same file as `y.par`";
        overwrites(&folder, &["-c", "a/x.par", "y.par"], same);
        fs::remove_file(folder.path().join("x.o")).unwrap();
        std::os::unix::fs::symlink("y.par", folder.path().join("x.o")).unwrap();
        overwrites(&folder, &["-c", "y.par", "a/x.par"], same);
    }
    fails(&folder.refc(&["-c", "--start", "y.par", "a/x.par"]), 2, "`--start` with several files needs `-o`");
    fails(&folder.refc(&["-c", "-", "-"]), 2, "standard input can be given only once");
}

#[test]
fn lists_name_files() {
    let folder = Folder::new();
    folder
        .file("a.par", "fn main[]: int { return twice[21]; }")
        .file("two words.par", "fn twice[x: int]: int { return x * 2; }")
        .file("list", "# the program\n\n  a.par\t\r\n\ttwo words.par")
        .file("@odd.par", HELLO);
    assert_eq!(result(&folder.refc(&["run", "@list"])).0, 42);
    assert_eq!(result(&folder.refc(&["@list", "-o", "program"])), (0, String::new()));
    assert_eq!(result(&folder.refc_with_input(&["--check", "@-"], b"two words.par\n")), (0, String::new()));
    assert_eq!(result(&folder.refc_with_input(&["-c", "@-"], b"two words.par\n")), (0, String::new()));
    assert!(folder.names().contains(&"two words.o".to_string()));
    assert_eq!(result(&folder.refc(&["run", "./@odd.par"])).0, 3);
    fails(&folder.refc(&["-c", "@missing"]), 1, "cannot read the list `missing`: no such file");
    fails(&folder.refc_with_input(&["-c", "@-"], b"a.par\n-\n"), 1, "line 2 of standard input names standard input");
    fails(&folder.refc_with_input(&["-c", "@-"], b"a.par\n\nb\0.par\n"), 1, "line 3 of standard input is not the name");
    fails(&folder.refc_with_input(&["-c", "@-"], b"# nothing\n"), 2, "no input files");
    fails(&folder.refc_with_input(&["run", "@-"], b"b.par\n"), 1, "cannot read `b.par` (line 1 of standard input)");
    folder.file("nested", "@list\n");
    fails(&folder.refc(&["-c", "@nested"]), 1, "cannot read `@list` (line 1 of `nested`)");
}

#[test]
fn reports_of_several_units_are_sums() {
    let folder = Folder::new();
    folder.file("a.par", "fn f[]: void {}").file("b.par", "fn f[]: void {}").file("bad.par", "fn");
    let (status, text) = result(&folder.refc(&["-c", "-v", "--check-passes", "a.par", "b.par"]));
    assert!(status == 0 && text.contains("refc: 2 files, 30 bytes of source, "), "{text}");
    assert!(text.contains("checked the output of every pass: no errors"), "{text}");
    fails(&folder.refc(&["-c", "-v", "a.par", "bad.par", "b.par"]), 1, "refc: 3 files, 1 failed, 30 bytes of source, ");
    let (status, text) = result(&folder.refc(&["-c", "--time-passes", "a.par", "b.par"]));
    assert!(status == 0 && text.matches("structure").count() == 1 && text.contains("total"), "{text}");
    folder.file("warns.par", "fn f[]: void { var unused = 1; }").file("c.par", "");
    fails(&folder.refc(&["-c", "-W", "error", "warns.par", "c.par"]), 1, "warnings are errors");
    assert!(folder.names().contains(&"c.o".to_string()) && !folder.names().contains(&"warns.o".to_string()));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_only_complete_units() {
    let folder = Folder::new();
    let text: String = (0..200).map(|i| format!("fn g{i}[x: int]: int {{ return x * 3 - {i}; }}\n")).collect();
    let mut list = String::new();
    for k in 0..3000 {
        folder.file(&format!("u{k}.par"), &text);
        list += &format!("u{k}.par\n");
    }
    folder.file("list", list);
    let mut child = start(&folder, env!("CARGO_BIN_EXE_refc"), &["-c", "-j", "3", "@list"]);
    // In the middle: units exist, and others do not yet.
    while !folder.path().join("u20.o").exists() {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap().code();
    let whole = object(&folder, "u0.par");
    let names = folder.names();
    let objects: Vec<&String> = names.iter().filter(|name| name.ends_with(".o")).collect();
    assert_eq!(status, Some(130), "{} objects", objects.len());
    assert!(objects.len() < 3000, "the interrupt came too late");
    for name in objects {
        assert!(fs::read(folder.path().join(name)).unwrap() == whole, "{name}");
    }
    assert!(!names.iter().any(|name| name.starts_with(".refc")), "{names:?}");
}

#[test]
fn a_program_that_goes_wrong_is_stopped_with_its_function() {
    let folder = Folder::new();
    folder.file("deep.par", "fn down[n: int]: int { return down[n + 1] + 1; } fn main[]: int { return down[0]; }");
    let output = folder.refc(&["run", "--target", "riscv32", "deep.par"]);
    fails(&output, 139, "stack overflow");
    fails(&output, 139, "`down`");
    // The default.
    fails(&folder.refc(&["run", "deep.par"]), 139, "stack overflow");
}

#[test]
fn a_failed_assertion_is_reported_with_its_position() {
    let folder = Folder::new();
    let text = "fn check[x: int]: void {\n    assert[x < 3];\n    fn inner[]: void { return assert[x != 1] ; }\n    inner[];\n}\n\
                fn main[]: int {\n    for i < 5 { print_int[i]; check[i + read_char[] - 48]; }\n    return 0;\n}\n";
    folder.file("a.par", text);
    for front_end in ["sequential", "parallel"] {
        for (input, output, message) in [
            (&b"1"[..], "0", "a.par:3:31: assertion failed\n"),
            (b"25", "01", "a.par:2:5: assertion failed\n"),
            (b"20", "01", "a.par:3:31: assertion failed\n"),
            (b"3", "0", "a.par:2:5: assertion failed\n"),
        ] {
            let run = folder.refc_with_input(&["--front-end", front_end, "run", "a.par"], input);
            assert_eq!(String::from_utf8_lossy(&run.stdout), output, "{input:?}");
            assert_eq!(result(&run), (134, message.to_string()), "{input:?}");
        }
    }
    let own = "fn assert[x: int, y: int]: int { return x + y; } fn main[]: int { return assert[3, 4]; }";
    folder.file("own.par", own);
    assert_eq!(result(&folder.refc(&["run", "own.par"])), (7, String::new()));
}

#[test]
fn help_lists_options_examples_and_statuses() {
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
    assert!(!result(&folder.refc(&["-c", "bad.par"])).1.contains('\x1b'));
    assert!(result(&folder.refc(&["-c", "bad.par", "--color", "always"])).1.contains('\x1b'));
}

#[test]
fn timings_and_checks_can_be_asked_for() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    let (status, text) = result(&folder.refc(&["hello.par", "--time-passes", "--check-passes", "-v"]));
    assert_eq!(status, 0);
    for part in [
        "front end",
        "flatten",
        "allocate",
        "all passes after the tree",
        "output of every pass: no errors",
        "bytes of source",
    ] {
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
        let text = result(&output).1;
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains('\x1b'), "{text:?}");
        assert!(output.stdout.is_empty());
        assert_eq!(folder.names(), ["a.par"]);
    }
}

/// Deep, wide and long programs compile and run.
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
        let output = folder.refc(&["run", "-w", name]);
        assert_eq!(result(&output), (status, String::new()), "{name}");
    }
}

/// Asserts that the command is refused because its output is an input, and that it changes no file.
#[track_caller]
fn overwrites(folder: &Folder, arguments: &[&str], message: &str) {
    // A folder has no contents.
    let contents = || folder.names().into_iter().map(|name| (fs::read(folder.path().join(&name)).ok(), name));
    let before: Vec<_> = contents().collect();
    fails(&folder.refc(arguments), 1, message);
    assert!(before.into_iter().eq(contents()), "{arguments:?} changed a file");
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::new();
    for name in ["a.par", "x.s", "y.o", "a.out"] {
        folder.file(name, HELLO);
    }
    folder.file("b.par", "fn f[]: void {}");
    for arguments in [
        &["a.par", "-o", "a.par"][..],
        &["b.par", "a.par", "-o", "a.par"],
        &["-c", "a.par", "-o", "a.par"],
        &["--emit", "tree", "a.par", "-o", "a.par"],
    ] {
        overwrites(&folder, arguments, "cannot write `a.par`: it is an input");
    }
    overwrites(&folder, &["a.par", "-o", "./a.par"], "cannot write `./a.par`: it is the same file as `a.par`");
    overwrites(&folder, &["-S", "x.s"], "cannot write `x.s`: it is an input");
    overwrites(&folder, &["-c", "y.o"], "cannot write `y.o`: it is an input");
    overwrites(&folder, &["a.out"], "cannot write `a.out`: it is an input");
    assert_eq!(result(&folder.refc(&["a.par", "-o", "a.out"])).0, 0, "an output that exists is replaced");
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_link_to_an_input_is_refused() {
    let folder = Folder::new();
    folder.file("a.par", HELLO);
    let path = |name| folder.path().join(name);
    fs::hard_link(path("a.par"), path("hard.par")).unwrap();
    std::os::unix::fs::symlink("a.par", path("soft.par")).unwrap();
    overwrites(&folder, &["a.par", "-o", "hard.par"], "cannot write `hard.par`: it is the same file as `a.par`");
    overwrites(&folder, &["a.par", "-o", "soft.par"], "cannot write `soft.par`: it is the same file as `a.par`");
    overwrites(&folder, &["soft.par", "-o", "a.par"], "cannot write `a.par`: it is the same file as `soft.par`");
    let refc = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refc"));
        command.args(arguments).current_dir(folder.path());
        command
    };
    let input = fs::File::open(path("a.par")).unwrap();
    let output = refc(&["-", "-o", "a.par"]).stdin(input).output().unwrap();
    fails(&output, 1, "cannot write `a.par`: it is the same file as the standard input");
    let appended = fs::OpenOptions::new().append(true).open(path("a.par")).unwrap();
    let output = refc(&["-S", "a.par", "-o", "-"]).stdout(appended).output().unwrap();
    fails(&output, 1, "cannot write standard output: it is the same file as `a.par`");
    assert_eq!(fs::read(path("a.par")).unwrap(), HELLO.as_bytes());
    // A device may be both.
    let output = refc(&["-c", "-", "-o", "/dev/null"]).stdin(fs::File::open("/dev/null").unwrap()).output().unwrap();
    assert_eq!(result(&output), (0, String::new()));
}

#[test]
fn options_before_run_apply_to_it() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO).file("bad.par", "fn main[]: int { return x; }");
    let ran = |arguments: &[&str], messages: &[&str]| {
        let output = folder.refc(arguments);
        let (status, text) = result(&output);
        assert!(status == 3 && output.stdout == b"42\n", "{arguments:?}: status {status}\n{text}");
        assert!(messages.iter().all(|message| text.contains(message)), "{arguments:?}: {messages:?} in\n{text}");
        assert!(!messages.is_empty() || text.is_empty(), "{arguments:?}:\n{text}");
    };
    ran(&["-j", "1", "--backend", "cpu", "--color", "never", "run", "hello.par"], &[]);
    for arguments in [&["--time-passes", "run", "hello.par"][..], &["run", "--time-passes", "hello.par"]] {
        ran(arguments, &["front end", "allocate"]);
    }
    ran(&["-v", "--check-passes", "run", "hello.par"], &["output of every pass: no errors", "bytes of source"]);
    ran(&["run", "hello.par", "-v"], &["bytes of source"]);
    for level in ["-O", "-O0", "-O1", "-O2", "-O3", "-Os", "-Oz", "-Og", "-Ofast"] {
        ran(&[level, "run", "hello.par"], &[]);
        ran(&["run", level, "hello.par"], &[]);
        assert_eq!(result(&folder.refc(&[level, "hello.par"])), (0, String::new()), "{level}");
    }
    fails(&folder.refc(&["-O9", "hello.par"]), 2, "invalid value '9' for '-O <LEVEL>'");
    for list in ["+fusion", "-fusion", "-fusion,+fusion", "-folding,-checks", "+motion,-strength"] {
        ran(&["-O1", "--passes", list, "--check-passes", "run", "hello.par"], &[]);
    }
    fails(
        &folder.refc(&["--passes", "+fusion,+fission", "hello.par"]),
        2,
        "`+fission` is not `+` or `-` and one of these passes: inlining, fusion, vectors, unrolling, contexts, folding, dead, checks, motion, strength, registers",
    );
    for cpu in ["baseline", "native"] {
        let arguments = ["-O1", "--target", "x86-64", "--cpu", cpu, "--check-passes", "hello.par"];
        assert_eq!(result(&folder.refc(&arguments)), (0, String::new()), "{cpu}");
    }
    ran(&["--target", "riscv32", "--cpu", "baseline", "run", "hello.par"], &[]);
    fails(
        &folder.refc(&["--target", "riscv32", "--cpu", "avx2", "hello.par"]),
        2,
        "`--cpu avx2` needs `--target x86-64`",
    );
    let checked = folder.refc(&["--check", "run", "hello.par"]);
    assert_eq!((result(&checked), checked.stdout), ((0, String::new()), Vec::new()), "--check runs nothing");
    fails(&folder.refc(&["--check", "run", "bad.par"]), 1, "bad.par:1:25");
    for option in [&["-o", "x"][..], &["-c"], &["-S"], &["--emit", "tree"]] {
        fails(&folder.refc(&[option, &["run", "hello.par"]].concat()), 2, "cannot be used with `run`");
    }
    fails(&folder.refc(&["run"]), 2, "not provided");
    fails(&folder.refc(&["--emit", "tree", "--time-passes", "hello.par"]), 2, "cannot be used with");
    fails(&folder.refc(&["-", "-"]), 2, "standard input can be given only once");
    assert_eq!(folder.names(), ["a.out", "bad.par", "hello.par"]);
}

#[test]
fn check_reports_on_demand() {
    let folder = Folder::new();
    folder.file("good.par", "fn f[]: void {}");
    for (options, message) in [
        (&["-v"][..], "no errors"),
        (&["-v", "--check-passes"], "output of every pass: no errors"),
        (&["--time-passes"], "allocate"),
    ] {
        let (status, text) = result(&folder.refc(&[options, &["--check", "good.par"]].concat()));
        assert!(status == 0 && text.contains(message), "{options:?}: status {status}\n{text}");
    }
    assert_eq!(folder.names(), ["good.par"]);
}

#[test]
fn completions_and_the_manual_page_know_all_options() {
    let folder = Folder::new();
    for (shell, part) in [
        ("bash", "complete -F _refc"),
        ("zsh", "#compdef refc"),
        ("fish", "complete -c refc"),
        ("elvish", "edit:completion"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let text = String::from_utf8(folder.refc(&["--completions", shell]).stdout).unwrap();
        for part in [part, "max-instructions", "time-passes"] {
            assert!(text.contains(part), "`{part}` is not in the completions for {shell}:\n{text}");
        }
    }
    fails(&folder.refc(&["--completions", "dos"]), 2, "invalid value");
    let page = String::from_utf8(folder.refc(&["--man"]).stdout).unwrap();
    for part in [".TH refc", r"\-\-max\-instructions", r"\-\-time\-passes", ".SH \"EXIT STATUS\"", "152"] {
        assert!(page.contains(part), "`{part}` is not in\n{page}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn an_object_contains_a_start_on_demand() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO).file("part.par", "fn f[]: void {}");
    let has_start = || fs::read(folder.path().join("hello.o")).unwrap().windows(8).any(|bytes| bytes == b"\0_start\0");
    assert_eq!(result(&folder.refc(&["-c", "hello.par"])), (0, String::new()));
    assert!(!has_start());
    assert_eq!(result(&folder.refc(&["-c", "--start", "hello.par"])), (0, String::new()));
    assert!(has_start());
    fails(&folder.refc(&["-c", "--start", "part.par"]), 1, "no input defines the function `main`");
    fails(&folder.refc(&["--start", "hello.par"]), 2, "-c");
    assert_eq!(folder.names(), ["hello.o", "hello.par", "part.par"]);
}

#[test]
fn a_limit_on_instructions_stops_a_program() {
    let folder = Folder::new();
    folder.file("loop.par", "fn main[]: int { print_char[65]; while 1 {} return 0; }").file("hello.par", HELLO);
    let output = folder.refc(&["run", "--max-instructions", "1000", "loop.par"]);
    fails(&output, 152, "the program was stopped: the limit of 1000 instructions was reached");
    assert_eq!(output.stdout, b"A");
    assert_eq!(result(&folder.refc(&["run", "--max-instructions", "1000", "hello.par"])), (3, String::new()));
    fails(&folder.refc(&["run", "--max-instructions", "many", "hello.par"]), 2, "invalid value");
}

#[test]
fn output_comes_before_the_report_of_an_error() {
    let folder = Folder::new();
    folder.file(
        "deep.par",
        "fn down[n: int]: int { return down[n + 1] + 1; } fn main[]: int { print_int[7]; return down[0]; }",
    );
    let on_simulator = "7refc: error: the program was stopped: stack overflow";
    let natively = "7refc: error: the program was stopped by signal 11: illegal memory access or stack overflow\n";
    let default = if IS_NATIVE { natively } else { on_simulator };
    for (arguments, expected) in
        [(&["run", "deep.par"][..], default), (&["run", "--target", "riscv32", "deep.par"], on_simulator)]
    {
        let (mut both, stdout) = std::io::pipe().unwrap();
        let stderr = stdout.try_clone().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_refc"));
        let status = command.args(arguments).current_dir(folder.path()).stdout(stdout).stderr(stderr).status();
        drop(command);
        let mut text = String::new();
        both.read_to_string(&mut text).unwrap();
        assert_eq!(status.unwrap().code(), Some(139));
        assert!(text.starts_with(expected), "{text}");
    }
}

/// Starts a program whose output goes to a pipe.
fn start(folder: &Folder, command: &str, arguments: &[&str]) -> std::process::Child {
    let mut command = Command::new(command);
    command.args(arguments).current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().expect("a program")
}

#[test]
fn a_question_appears_before_its_answer_is_read() {
    let folder = Folder::new();
    folder.file("ask.par", "fn main[]: int { print_char[63]; return read_char[]; }");
    let mut child = start(&folder, env!("CARGO_BIN_EXE_refc"), &["run", "ask.par"]);
    let mut question = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut question).unwrap();
    assert_eq!(question, *b"?");
    child.stdin.take().unwrap().write_all(b"*").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(42));
}

#[test]
fn an_error_in_the_input_is_one_line_after_the_output() {
    let folder = Folder::new();
    folder.file("double.par", "fn main[]: int { print_int[2 * read_int[]]; return read_int[]; }");
    let (mut both, stdout) = std::io::pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_refc"));
    command.args(["run", "double.par"]).current_dir(folder.path()).stdin(Stdio::piped());
    let mut child = command.stderr(stdout.try_clone().unwrap()).stdout(stdout).spawn().expect("a program");
    drop(command);
    child.stdin.take().unwrap().write_all(b"21 x").unwrap();
    let mut text = String::new();
    both.read_to_string(&mut text).unwrap();
    assert_eq!(text, "42read_int: this is not a number\n");
    assert_eq!(child.wait().unwrap().code(), Some(134));
}

#[cfg(unix)]
#[test]
fn an_interrupt_writes_the_output_so_far() {
    let folder = Folder::new();
    folder.file("endless.par", "fn main[]: int { while 1 { print_char[66]; } return 0; }");
    let simulated = &["run", "--target", "riscv32", "endless.par"][..];
    for (signal, arguments) in [
        ("-INT", simulated),
        ("-TERM", simulated),
        ("-INT", &["run", "endless.par"]),
        ("-TERM", &["run", "endless.par"]),
    ] {
        let mut child = start(&folder, env!("CARGO_BIN_EXE_refc"), arguments);
        let mut stdout = child.stdout.take().unwrap();
        let mut output = vec![0; BUFFER];
        stdout.read_exact(&mut output).unwrap();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        stdout.read_to_end(&mut output).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let are_full = arguments == simulated && output.len().is_multiple_of(BUFFER);
        assert!(!are_full, "only full buffers arrive: {} bytes", output.len());
        assert!(output.iter().all(|&byte| byte == b'B'));
    }
}

/// Bytes of output that the simulator buffers.
#[cfg(unix)]
const BUFFER: usize = 1 << 16;

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs script, of util-linux"]
fn lines_appear_at_once_on_a_terminal() {
    let folder = Folder::new();
    folder.file("endless.par", "fn main[]: int { print_int[42]; print_char[10]; while 1 {} return 0; }");
    let command = format!("{} run -w endless.par", env!("CARGO_BIN_EXE_refc"));
    let mut child = start(&folder, "script", &["-qec", &command, "/dev/null"]);
    let mut stdout = child.stdout.take().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut line = [0; 2];
        sender.send(stdout.read_exact(&mut line).map(|()| line)).unwrap();
    });
    let line = receiver.recv_timeout(std::time::Duration::from_secs(60));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(line.expect("a line while the program runs").unwrap(), *b"42");
}

#[cfg(target_os = "linux")]
#[test]
fn exhausted_memory_is_an_error() {
    let folder = Folder::new();
    let function = |k| format!("fn f{k}[a: int]: int {{ var x = a * {k}; if x > 3 {{ x = x - {k}; }} return x; }}\n");
    let main = "fn main[]: int { return f7[1]; }".to_string();
    folder.file("big.par", (0..30_000).map(function).chain([main]).collect::<String>());
    let (mut failed, mut kilobytes, mut least) = (0, 20_000, None);
    loop {
        let limited = |arguments: &str| {
            let command = format!("ulimit -v {kilobytes} && exec \"$0\" {arguments}");
            let mut shell = Command::new("sh");
            shell.args(["-c", &command, env!("CARGO_BIN_EXE_refc")]).current_dir(folder.path());
            shell.env("CUDA_VISIBLE_DEVICES", "").output().unwrap()
        };
        let output = limited("-w big.par -o program");
        if output.status.success() {
            break;
        }
        let (before, begins) = (kilobytes, limited("--version").status.success());
        kilobytes += kilobytes / 32;
        // The program or its libraries do not fit.
        if !begins {
            continue;
        }
        least = least.or(Some(before));
        // The stack of a thread is memory, too.
        let is_stack = output.stderr.starts_with(b"refc: error: cannot start ");
        let expected = if is_stack { "" } else { "refc: error: out of memory: cannot allocate " };
        fails(&output, 1, expected);
        assert_eq!(output.stderr.iter().filter(|&&byte| byte == b'\n').count(), 1);
        assert_eq!(folder.names(), ["big.par"], "{before} kB");
        failed += 1;
    }
    assert!(failed > 5 && folder.names() == ["big.par", "program"], "{failed} failures");
    // A process that may have little memory gets by with it: 2 MB of source need 30 MB, and each thread a stack.
    let more = kilobytes - least.expect("a limit for the program itself");
    assert!(more < 128 << 10, "{more} kB for the compilation");
}

/// The offset of the processor in an ELF file, and the number of x86-64.
const MACHINE: usize = 18;
const X86_64: u8 = 62;

/// `true` if this machine runs executables for x86-64.
const IS_NATIVE: bool = cfg!(all(target_arch = "x86_64", target_os = "linux"));

#[test]
fn a_program_for_x86_64_is_an_executable_of_64_bits() {
    let folder = Folder::new();
    folder.file("hello.par", HELLO);
    assert_eq!(result(&folder.refc(&["--target", "x86-64", "hello.par", "-o", "hello"])), (0, String::new()));
    let bytes = fs::read(folder.path().join("hello")).expect("an executable");
    assert_eq!((&bytes[..5], bytes[MACHINE]), (&b"\x7fELF\x02"[..], X86_64));
    if IS_NATIVE {
        let found = Command::new(folder.path().join("hello")).output().expect("a program");
        assert_eq!((found.status.code(), found.stdout), (Some(3), b"42\n".to_vec()));
    }
    let output = folder.refc(&["--target", "x86-64", "-v", "hello.par"]);
    assert!(result(&output).1.contains(" bytes of code, "), "{output:?}");
    let text = folder.refc(&["--target", "x86-64", "-S", "hello.par", "-o", "-"]).stdout;
    assert!(String::from_utf8_lossy(&text).contains("\n    syscall\n"));
    assert_eq!(result(&folder.refc(&["--target", "x86-64", "-c", "--start", "hello.par"])), (0, String::new()));
    let bytes = fs::read(folder.path().join("hello.o")).expect("an object");
    assert_eq!((&bytes[..5], bytes[MACHINE]), (&b"\x7fELF\x02"[..], X86_64));
    fails(&folder.refc(&["--target", "arm", "hello.par"]), 2, "invalid value 'arm'");
}

#[test]
fn run_runs_programs_for_x86_64_on_this_machine() {
    let folder = Folder::new();
    folder
        .file("hello.par", HELLO)
        .file("deep.par", "fn f[n: int]: int { return f[n + 1] + n; } fn main[]: int { return f[0]; }");
    let run = |arguments: &[&str]| folder.refc(&[&["run", "--target", "x86-64"], arguments].concat());
    fails(&run(&["--stack-mib", "1", "hello.par"]), 2, "`--stack-mib` cannot be used with `--target x86-64`");
    fails(&run(&["--max-instructions", "1", "hello.par"]), 2, "`--max-instructions` cannot be used");
    if IS_NATIVE {
        let output = run(&["hello.par"]);
        assert_eq!((result(&output), output.stdout), ((3, String::new()), b"42\n".to_vec()));
        fails(&run(&["deep.par"]), 139, "the program was stopped by signal 11");
        assert_eq!(folder.names(), ["deep.par", "hello.par"]);
    } else {
        fails(&run(&["hello.par"]), 1, "this machine cannot run programs for x86-64 Linux");
    }
}
