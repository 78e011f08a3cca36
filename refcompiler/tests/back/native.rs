//! Executables for x86-64 do what executables for RISC-V do on the simulator: edge cases of all operations, calls with arguments on
//! the stack, large frames, long jumps and failed checks.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fmt::Write;

use crate::toolchain;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::object::write_executable;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Goal, Output, compile};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use treepar::Cpu;

/// Returns an executable whose messages have positions.
fn executable(target: Target, sources: &Sources) -> Vec<u8> {
    let errors = |errors: Vec<_>| refcompiler::diagnostics::render(sources, &errors, false);
    let tree = parse_program(sources).map_err(errors).expect("a valid program");
    let goal = Goal { target, output: Output::Executable };
    let mut compiled = compile(&Cpu::with_threads(2), &tree, goal, &mut Checker::of(target)).expect("an executable");
    compiled.image.locate_checks(sources);
    write_executable(&compiled.image).expect("a file")
}

/// Runs a program on the simulator and on this machine. Returns its status, its output and its messages, which are the same.
fn run(text: &str, input: &str) -> (u8, String, String) {
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a small file");
    let ran = toolchain::simulated(&executable(Target::Riscv32, &sources), input.as_bytes(), Limits::default());
    let expected = (ran.status.expect("an exit"), ran.output, ran.errors);
    let finished = toolchain::native(&executable(Target::X86_64, &sources), input.as_bytes());
    let status = finished.status.code().unwrap_or_else(|| panic!("{}", finished.status)) as u8;
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let found = (status, text(finished.stdout), text(finished.stderr));
    assert_eq!(found, (expected.0, text(expected.1), text(expected.2)));
    found
}

const INTS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "2",
    "-2",
    "7",
    "31",
    "32",
    "33",
    "255",
    "65536",
    "2147483647",
    "-2147483647",
    "(-2147483647 - 1)",
];

const FLOATS: [&str; 14] = [
    "0.0",
    "(-0.0)",
    "1.0",
    "(-1.5)",
    "0.5",
    "3.0e-45",
    "(-1.0e-40)",
    "2147483520.0",
    "2147483648.0",
    "(-2147483648.0)",
    "(-3.0e9)",
    "(1.0 / 0.0)",
    "(-1.0 / 0.0)",
    "(0.0 / 0.0)",
];

/// All operators on all pairs of edge values, as operands in registers and as operands that wait in memory.
#[test]
fn operations_have_the_same_values_at_all_edges() {
    let mut text = String::from("fn i[x: int]: int { return x; } fn f[x: float]: float { return x; }\n");
    let of_ints =
        ["+", "-", "*", "/", "%", "<<", ">>", ">>>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
    let of_floats = ["+", "-", "*", "/", "%"];
    let of_both = ["==", "!=", "<", "<=", ">", ">="];
    text.push_str("fn ints[a: int, b: int]: void {\n");
    for operator in of_ints {
        let _ =
            writeln!(text, "print_int[a {operator} b]; print_char[32]; print_int[a {operator} i[b]]; print_char[32];");
        let _ = writeln!(text, "print_int[1000 * i[a] {operator} (b + i[0])]; if a {operator} b {{ print_char[89]; }}");
    }
    text.push_str("print_int[-a + ~b * !a]; print_int[abs[a]]; print_float[float(a)]; print_char[10]; }\n");
    text.push_str("fn floats[a: float, b: float]: void {\n");
    for operator in of_floats {
        let _ = writeln!(
            text,
            "print_float[a {operator} b]; print_char[32]; print_float[f[a] {operator} f[b]]; print_char[32];"
        );
    }
    for operator in of_both {
        let _ = writeln!(
            text,
            "print_int[a {operator} b]; print_int[f[a] {operator} f[b]]; if a {operator} b {{ print_char[89]; }}"
        );
    }
    text.push_str("print_int[int(a)]; print_float[-a]; print_float[abs[a]]; print_float[sqrt[a]]; print_char[10]; }\n");
    text.push_str("fn main[]: int {\n");
    for (a, b) in INTS.iter().flat_map(|a| INTS.map(|b| (a, b))) {
        let _ = writeln!(text, "ints[{a}, {b}];");
    }
    for (a, b) in FLOATS.iter().flat_map(|a| FLOATS.map(|b| (a, b))) {
        let _ = writeln!(text, "floats[{a}, {b}];");
    }
    text.push_str("return 0; }\n");
    let (status, output, _) = run(&text, "");
    assert_eq!((status, output.lines().count()), (0, 2 * 14 * 14));
}

/// Calls with more arguments than registers, whose values are computed by calls.
#[test]
fn arguments_on_the_stack_arrive() {
    let parameters: Vec<String> =
        (0..300).map(|k| format!("p{k}: {}", if k % 3 == 1 { "float" } else { "int" })).collect();
    let sum: Vec<String> =
        (0..300).map(|k| if k % 3 == 1 { format!("int(p{k}) * {k}") } else { format!("p{k} * {k}") }).collect();
    let value = |k: u32| match k % 6 {
        0 => format!("{k}"),
        1 => format!("{k}.5"),
        2 => format!("i[{k}] / {}", k + 1),
        4 => format!("f[{k}.0] * 2.0"),
        _ => format!("{k} * n"),
    };
    let values: Vec<String> = (0..300).map(value).collect();
    let text = format!(
        "fn i[x: int]: int {{ return x * x; }} fn f[x: float]: float {{ return x + 0.25; }}\n\
         fn many[{}]: int {{ return {}; }}\n\
         fn main[]: int {{ var n = 3; var m = 0; fn inner[k: int]: int {{ n = n + k; if k == 0 {{ return m; }} m = m + many[{}]; \
         return inner[k - 1]; }} print_int[inner[4]]; return n; }}",
        parameters.join(", "),
        sum.join(" + "),
        values.join(", ")
    );
    assert_eq!(run(&text, "").0, 13);
}

/// Frames whose variables are far from rsp, deep recursion, and bodies that short jumps do not cross.
#[test]
fn large_frames_and_long_jumps_work() {
    let declare: String = (0..3_000).map(|k| format!("var v{k} = n + {k};\n")).collect();
    let sum: String = (0..3_000).map(|k| format!("s = s + v{k} * {};\n", k % 7)).collect();
    let text = format!(
        "fn down[n: int, x: float]: int {{ if n == 0 {{ return int(x); }} return down[n - 1, x + 1.0] + 1; }}\n\
         fn main[]: int {{ var n = read_int[]; var s = 0; var t = 0;\n\
         while n > 0 {{ {declare} fn add[k: int]: void {{ t = t + v1500 * k; }} if n % 2 == 0 {{ {sum} add[n]; }} else {{ s = s - 1; }} n = n - 1; }}\n\
         print_int[s]; print_char[32]; print_int[t]; print_char[32]; print_int[down[100000, 0.5]]; return 7; }}"
    );
    let (status, output, _) = run(&text, "5");
    assert_eq!((status, output.ends_with(" 200000")), (7, true), "{output}");
}

/// Checks report values in registers and in memory, and end the program.
#[test]
fn failed_checks_report_their_values() {
    let deep = "(1 + ".repeat(12);
    let close = ")".repeat(12);
    let cases = [
        ("var a = [1, 2, 3]; return a[read_int[]];", "7", "index 7 is out of range: the extent is 3"),
        ("var a = [1, 2, 3]; return a[read_int[]];", "-1", "index -1 is out of range: the extent is 3"),
        ("var a = replicate[read_int[], 5]; return size[a];", "-4", "the size -4 is negative"),
        (
            "var a = [1, 2, 3]; a = a[read_int[]..2]; return size[a];",
            "3",
            "the slice 3..2 is out of range: the extent is 3",
        ),
        ("assert[read_int[] == 3]; return 1;", "4", "assertion failed"),
        (
            &format!("var a = [1, 2, 3]; return {deep}a[read_int[]]{close};"),
            "9",
            "index 9 is out of range: the extent is 3",
        ),
    ];
    for (body, input, message) in cases {
        let (status, _, errors) = run(&format!("fn main[]: int {{ {body} }}"), input);
        assert!(status == 134 && errors.contains(message), "{status} {errors}");
    }
}
