//! Programs with arrays: what they keep in memory, and how they end at what is out of range.

mod oracle;
mod toolchain;

use oracle::interpreter::{Outcome, interpret};
use refcompiler::frontend::sequential::{Sources, parse_with_runtime};
use refcompiler::object::write_executable;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::Limits;
use refcompiler_programs::{array_program, number};
use toolchain::simulated;
use treepar::Cpu;

/// Runs a program on guarded memory. Returns its status, its output and what it wrote to standard error. The program can name the
/// functions of the runtime.
fn run(text: &str) -> (u8, String, String) {
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a source");
    let tree = parse_with_runtime(&sources)
        .unwrap_or_else(|errors| panic!("{}", refcompiler::diagnostics::render(&sources, &errors, false)));
    let compiled = compile(&Cpu::with_threads(2), &tree, Output::Executable, &mut Checker::default());
    let mut image = compiled.expect("a compiled program").image;
    image.locate_checks(&sources);
    let elf = write_executable(&image).expect("an executable");
    let ran = simulated(&elf, b"", Limits { guard_arena: true, ..Limits::default() });
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (ran.status.expect("an exit"), text(ran.output), text(ran.errors))
}

/// Returns the most bytes of the arena that are in use when an iteration begins, and the number that the iterations add up in
/// `sum`.
fn loop_of(declarations: &str, iterations: u32, body: &str) -> (u32, i32) {
    let text = format!(
        "{declarations}
        fn main[]: int {{
            var a = [1, 2, 3];
            var m = [[1, 2], [3, 4]];
            var state = arena[];
            var start = load_word[state];
            var most = 0;
            var sum = 0;
            for i < {iterations} {{
                var used = load_word[state] - start;
                most = if[used > most, used, most];
                {body}
            }}
            print_int[most];
            print_char[32];
            print_int[sum];
            return a[0] * 0 + m[0, 0] * 0;
        }}"
    );
    let (status, output, errors) = run(&text);
    assert_eq!((status, &*errors), (0, ""), "{text}");
    let (most, sum) = output.split_once(' ').expect("two numbers");
    (most.parse().expect("a number"), sum.parse().expect("a number"))
}

#[test]
fn a_temporary_in_each_of_a_million_iterations_takes_no_memory() {
    assert_eq!(loop_of("", 1_000_000, "sum = sum + [i, 2, 3][1];"), (0, 2_000_000));
}

#[test]
fn iterations_keep_only_what_variables_have() {
    let functions = "
        fn ends[x: int, y: int]: [int] { var both = iota[40]; both[0] = x; both[1] = y; return [both[0], both[1]]; }
        fn added[all: [int]]: int { var sum = 0; for i < size[all] { sum = sum + concat[all, all][i]; } return sum; }
        fn down[n: int]: [int] { if n == 0 { return [7]; } return copy[down[n - 1]]; }";
    // A block has four words besides its data for one dimension, and five for two.
    for (body, most, sum) in [
        ("sum = sum + ends[i, 1][1];", 0, 1_000),
        ("a = ends[i, 1]; sum = sum + a[1];", 4 * (4 + 2), 1_000),
        ("a = [i, 1, 2]; a = [i, 1]; m = [a, a]; sum = sum + m[1, 1];", 4 * (4 + 2) + 4 * (5 + 4), 1_000),
        ("var b = a; b[0] = i; sum = sum + a[0];", 4 * (4 + 3), 1_000),
        ("sum = sum + added[[1, 2]] - 2;", 0, 1_000),
        ("sum = sum + down[5][0] - 6;", 0, 1_000),
        ("m[0] = m[1]; sum = sum + (m[0, 1] == 4);", 0, 1_000),
        ("if i % 2 { a = concat[a, [i]]; a = iota[3]; } sum = sum + if[i % 2, a, iota[3]][1];", 4 * (4 + 3), 1_000),
        ("for j < 10 { var t = replicate[2, m]; sum = sum + t[1, 0, 0] * (j == 0); }", 4 * (6 + 8), 1_000),
    ] {
        let (found, added) = loop_of(functions, 1_000, body);
        assert!(found <= most, "{body}: {found} bytes instead of at most {most}");
        assert_eq!(added, sum, "{body}");
    }
}

#[test]
fn what_is_out_of_range_ends_the_program_with_one_line() {
    for (statement, line) in [
        ("print_int[a[n]];", "test.par:6:15: index 7 is out of range: the extent is 5"),
        ("print_int[a[-1]];", "test.par:6:15: index -1 is out of range: the extent is 5"),
        ("print_int[m[1, 3]];", "test.par:6:15: index 3 is out of range: the extent is 3"),
        ("print_int[m[2, 0]];", "test.par:6:15: index 2 is out of range: the extent is 2"),
        ("print_int[m[n][0]];", "test.par:6:15: index 7 is out of range: the extent is 2"),
        ("print_int[e[0]];", "test.par:6:15: index 0 is out of range: the extent is 0"),
        ("print_int[(a = m[1])[3]];", "test.par:6:15: index 3 is out of range: the extent is 3"),
        ("a[5] = 1;", "test.par:6:5: index 5 is out of range: the extent is 5"),
        ("m[0, n] = 1;", "test.par:6:5: index 7 is out of range: the extent is 3"),
        ("m[-n] = [1, 2, 3];", "test.par:6:5: index -7 is out of range: the extent is 2"),
        ("m[0] = a;", "test.par:6:5: the extents 3 and 5 differ"),
        ("m = [m[0], a];", "test.par:6:9: the extents 3 and 5 differ"),
        ("m = concat[m, [[1, 2]]];", "test.par:6:9: the extents 3 and 2 differ"),
        ("a = iota[-n];", "test.par:6:9: the size -7 is negative"),
        ("a = replicate[0 - n, 1];", "test.par:6:9: the size -7 is negative"),
        ("m = replicate[n - 9, a];", "test.par:6:9: the size -2 is negative"),
        ("a = replicate[300000000, 0];", "memory is exhausted"),
        ("m = replicate[65536, replicate[65536, 1]];", "memory is exhausted"),
    ] {
        let text = format!(
            "fn main[]: int {{\n    var a = [1, 2, 3, 4, 5]; var e: [int];\n    var m = [[1, 2, 3], [4, 5, 6]];\n    \
             var n = 7;\n    print_int[42];\n    {statement}\n    print_int[43];\n    return a[0] + m[0, 0] + e[0];\n}}\n"
        );
        assert_eq!(run(&text), (134, "42".to_string(), format!("{line}\n")), "{statement}");
        if !line.starts_with("memory") {
            let found = interpret(&toolchain::tree(&text).expect("a valid program"), b"", 1_000, 10);
            assert_eq!(found, Ok(Outcome { output: b"42".to_vec(), status: 134 }), "{statement}");
        }
    }
}

/// The interpreter refuses accesses to what is no live block.
#[test]
fn lowering_keeps_the_meaning() {
    let count = number("TREEPAR_PROGRAMS", 60);
    let mut compared = 0;
    for seed in 1..=count {
        let tree = toolchain::tree(&array_program(seed).to_string()).expect("a valid program");
        let Ok(expected) = interpret(&tree, b"", 1_000_000, 1_000) else { continue };
        let found = interpret(&oracle::lowered::lowered(&tree), b"", 50_000_000, 2_000);
        assert_eq!(found, Ok(expected), "seed {seed}");
        compared += 1;
    }
    assert!(compared * 4 >= count * 3, "only {compared} of {count} programs were compared");
}
