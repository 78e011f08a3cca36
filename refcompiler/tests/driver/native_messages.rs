//! Programs for x86-64 on this machine have the same status, output and messages as on the simulator.

use crate::toolchain;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::object::{Image, write_executable, write_relocatable};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Goal, Output, compile};
use refcompiler::simulator::Limits;
use refcompiler::target::{Target, assembly};
use treepar::Cpu;

/// Returns the image of a text, with the positions of its checks.
fn image(text: &str, target: Target, output: Output) -> Image {
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a source");
    let errors = |errors: Vec<_>| refcompiler::diagnostics::render(&sources, &errors, false);
    let tree = parse_program(&sources).unwrap_or_else(|found| panic!("{text}\n{}", errors(found)));
    let goal = Goal { target, output };
    let compiled = compile(&Cpu::with_threads(1), &tree, goal, &mut Checker::of(target));
    let mut image = compiled.unwrap_or_else(|error| panic!("{text}\n{error}")).image;
    image.locate_checks(&sources);
    image
}

/// Returns status, output and errors of a program on the simulator and on this machine.
fn both(text: &str, input: &str) -> [(u8, String, String); 2] {
    let texts = |status, output: Vec<u8>, errors: Vec<u8>| {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (status, text(output), text(errors))
    };
    let elf = |target| write_executable(&image(text, target, Output::Executable)).expect("ELF");
    let ran = toolchain::simulated(&elf(Target::Riscv32), input.as_bytes(), Limits::default());
    let status = ran.status.unwrap_or_else(|fault| panic!("{text}\n{fault}"));
    let found = toolchain::native(&elf(Target::X86_64), input.as_bytes());
    let code = found.status.code().unwrap_or_else(|| panic!("{text}\n{}", found.status));
    [texts(status, ran.output, ran.errors), texts(code as u8, found.stdout, found.stderr)]
}

/// Compares a program on both, and returns its status and errors.
fn same(text: &str, input: &str) -> (u8, String) {
    let [simulated, native] = both(text, input);
    assert_eq!(native, simulated, "{text}");
    (native.0, native.2)
}

#[test]
#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), ignore = "needs Linux on x86-64")]
fn failed_checks_have_the_same_messages() {
    if !toolchain::is_native_or_skipped() {
        return;
    }
    let main = |body: &str| format!("fn main[]: int {{ var a = iota[5]; {body} return 0; }}");
    let checks = [
        ("assert[1]; assert[a[1] == 2];", "test.par:1:46: assertion failed\n"),
        ("print_int[a[5]];", "index 5 is out of range: the extent is 5\n"),
        ("a[-1] = 3;", "index -1 is out of range: the extent is 5\n"),
        ("var n = -7; var b = replicate[n, 1];", "the size -7 is negative\n"),
        ("var b = a + iota[6];", "the extents 5 and 6 differ\n"),
        ("var n = 9; var b = a[2..n];", "the slice 2..9 is out of range: the extent is 5\n"),
    ];
    for (body, message) in checks {
        let (status, errors) = same(&main(body), "");
        assert!(status == 134 && errors.ends_with(message), "{body}: status {status}, {errors}");
    }
    // The indices of nested expressions are in all registers, and in the frame.
    for height in 1..24 {
        let nested = |first: &str| format!("{}{first}{}", "1 + (".repeat(height), ")".repeat(height));
        let values: String = (0..height).map(|k| format!("a[{k} % 5] + (")).collect();
        let deep = format!("print_int[{values}a[77]{}];", ")".repeat(height));
        assert_eq!(same(&main(&deep), "").0, 134, "{deep}");
        assert_eq!(same(&main(&format!("print_int[{}];", nested("a[4]"))), "").0, 0);
    }
}

#[test]
#[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), ignore = "needs Linux on x86-64")]
fn extreme_programs_run_alike() {
    if !toolchain::is_native_or_skipped() {
        return;
    }
    let numbers = |count: usize, text: fn(usize) -> String| (0..count).map(text).collect::<Vec<_>>().join(", ");
    let arguments = format!(
        "fn f[{}]: float {{ return p0 + p299 * p150; }} fn g[{}]: int {{ return q0 - q299 + q7 * q150; }}
        fn main[]: int {{ print_float[f[{}]]; print_char[10]; return g[{}]; }}",
        numbers(300, |k| format!("p{k}: float")),
        numbers(300, |k| format!("q{k}: int")),
        numbers(300, |k| format!("{k}.5")),
        numbers(300, |k| format!("{k}")),
    );
    same(&arguments, "");
    let variables = format!(
        "fn f[n: int]: int {{ {} if n == 0 {{ return v0; }} return f[n - 1] + v2999; }} fn main[]: int {{ return f[9]; }}",
        (0..3000).map(|k| format!("var v{k} = n + {k};")).collect::<String>()
    );
    same(&variables, "");
    let deep = "fn down[n: int]: int { if n == 0 { return 0; } return 1 + down[n - 1]; }
        fn main[]: int { print_int[down[100000]]; return 3; }";
    same(deep, "");
    same("fn main[]: int { return read_int[]; }", "12x");
    assert_eq!(same("fn main[]: int { var n = 300000000; var a = iota[n]; return 0; }", "").0, 134);
    let memory =
        "fn main[]: int { var n = 100000; var s = 0; for i < 50 { var a = iota[n]; s = s + a[i]; } return s % 251; }";
    same(memory, "");
}

/// The text of a program is another way to the same bytes.
#[test]
#[ignore = "needs the GNU assembler for x86-64, and objcopy"]
fn assembly_makes_the_same_bytes() {
    if !toolchain::is_native_or_skipped() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let text_of = |object: &str| {
        toolchain::must("objcopy", &["-O", "binary", "-j", ".text", object, "text"], folder.path());
        std::fs::read(folder.path().join("text")).expect("the bytes")
    };
    let mut compared = 0;
    for path in std::fs::read_dir(examples).expect("the examples").map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_none_or(|extension| extension != "par") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("an example");
        let image = image(&text, Target::X86_64, Output::Object);
        std::fs::write(folder.path().join("own.o"), write_relocatable(&image).expect("ELF")).expect("a written file");
        std::fs::write(folder.path().join("a.s"), assembly(&image)).expect("a written file");
        toolchain::must("as", &["--64", "a.s", "-o", "a.o"], folder.path());
        assert!(text_of("own.o") == text_of("a.o"), "{}", path.display());
        compared += 1;
    }
    assert!(compared > 40, "only {compared} examples");
}
