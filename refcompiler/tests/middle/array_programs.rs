//! Programs with arrays: the blocks that they keep in memory, and how they end if an index or an extent is out of range.

use crate::oracle;
use crate::oracle::interpreter::{Outcome, interpret};
use crate::toolchain::{self, simulated};
use refcompiler::frontend::sequential::{Sources, parse_with_runtime};
use refcompiler::ir::tree::kind;
use refcompiler::object::write_executable;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::{Fault, Limits};
use refcompiler_programs::{array_program, number};
use treepar::Cpu;

/// Returns the executable of a program, which can name the functions of the runtime.
fn executable(text: &str) -> Vec<u8> {
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a source");
    let tree = parse_with_runtime(&sources)
        .unwrap_or_else(|errors| panic!("{}", refcompiler::diagnostics::render(&sources, &errors, false)));
    let compiled = compile(&Cpu::with_threads(2), &tree, Output::Executable, &mut Checker::default());
    let mut image = compiled.expect("a compiled program").image;
    image.locate_checks(&sources);
    write_executable(&image).expect("an executable")
}

/// Runs a program on guarded memory. Returns its status, its output and its errors. After a fault the status
/// is 255, and the text describes the fault.
fn run(text: &str) -> (u8, String, String) {
    let elf = executable(text);
    let ran = simulated(&elf, b"", Limits { guard_arena: true, guard_blocks: true, ..Limits::default() });
    let text = |bytes| String::from_utf8(bytes).expect("text");
    match ran.status {
        Ok(status) => (status, text(ran.output), text(ran.errors)),
        Err(fault) => (255, text(ran.output), fault.to_string()),
    }
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
        fn down[n: int]: [int] { if n == 0 { return [7]; } return copy[down[n - 1]]; }
        fn touched[a: *[int], n: int]: *[int] { a[0] = n; if n % 3 { return touched[a, n - 1]; } return a; }";
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
        ("a = touched[a, i]; sum = sum + (a[0] == i / 3 * 3);", 0, 1_000),
        ("var b = touched[iota[4], i]; b = touched[b, 0]; sum = sum + (b[0] == 0) * b[1];", 4 * (4 + 4), 1_000),
        ("for j < 10 { var t = replicate[2, m]; sum = sum + t[1, 0, 0] * (j == 0); }", 4 * (6 + 8), 1_000),
    ] {
        let (found, added) = loop_of(functions, 1_000, body);
        assert!(found <= most, "{body}: {found} bytes instead of at most {most}");
        assert_eq!(added, sum, "{body}");
    }
}

/// Runs `iterations` iterations of a loop, and as many of a function, in an arena of `bytes` bytes.
fn loop_within(bytes: u32, iterations: u32, body: &str) -> (u8, String, String) {
    run(&program_within(bytes, iterations, body))
}

fn program_within(bytes: u32, iterations: u32, body: &str) -> String {
    format!(
        "struct P {{ x: int, y: float }}
        struct Q {{ a: [int], p: P }}
        fn made[n: int]: [int] {{ var both = iota[4] + n; both[0] = n; return both * 2; }}
        fn pair[n: int]: ([int], P) {{ return ([n, n + 1], P[n, 0.5]); }}
        fn boxed[n: int, a: [int]]: Q {{ return Q[a + n, P[n, 1.5]]; }}
        fn points[a: [int]]: [P] {{ return map[fn[x: int]: P = P[x, float(x)], a]; }}
        fn changed[a: *[int], i: int]: *[int] {{ a[0] = i; return a; }}
        fn down[n: int]: [int] {{ if n == 0 {{ return [7]; }} return copy[down[n - 1]]; }}
        fn turn[n: int, a: [int]]: int {{
            var sum = 0;
            var m = [[1, 2, 3], [4, 5, 6]];
            {body}
            return sum + 0 * (n + size[a] + size[m]);
        }}
        fn main[]: int {{
            var a = [1, 2, 3];
            var m = [[1, 2, 3], [4, 5, 6]];
            var t = points[[4, 5]];
            var state = arena[];
            store_word[state + 4, load_word[state] + {bytes}];
            var n = {iterations};
            var sum = turn[0, a];
            for i < n {{ {body} sum = sum % 1000; }}
            var k = 0;
            while k < n {{ sum = sum + turn[n, a]; k = k + 1; }}
            print_int[sum % 1000 * 0 + 42];
            return 0 * (size[t] + size[m]);
        }}"
    )
}

/// An iteration allocates more than 20 bytes, and 300 iterations do not fit if they keep them.
const ROOM: u32 = 2000;

/// The expected run, the actual run, and the part of the program that matters.
type Difference = ((u8, String, String), (u8, String, String), String);

/// Adds the difference of two runs, if they differ.
fn compare(differences: &mut Vec<Difference>, found: (u8, String, String), expected: (u8, String, String), what: &str) {
    if found != expected {
        differences.push((expected, found, what.to_string()));
    }
}

#[test]
fn temporaries_of_every_kind_take_no_memory_in_later_iterations() {
    let mut differences = Vec::new();
    for body in [
        // Operators and functions of elements.
        "sum = sum + (a + a * 2)[1];",
        "sum = sum + (-a << 2 ^ abs[a - 5])[0] + (float(a) < 2.5)[1];",
        "sum = sum + (m * a)[1, 2] + where[m > 3, m, -m][0, 0];",
        // Functions as arguments.
        "sum = sum + map[fn[x: int]: int = x + n, a][0];",
        "sum = sum + map[fn[row: [int]]: [int] = row + [1, 2, 3], m][1, 1];",
        "sum = sum + size[filter[fn[x: int]: int = [x, 1][0] > 1, a]] + scan[(+), 0, a * a][2];",
        "sum = sum + reduce[(+), 0, a + 1] + fold[fn[s: int, x: int]: int = s + [x, s][0], 0, a];",
        "sum = sum + redomap[(+), fn[s: int, x: int]: int = s + x * x, 0, a] + foldr[fn[x: int, s: int]: int = s - x, 0, a];",
        "sum = sum + group[(+), 0, 2, a % 2, a][1] + scan[(+), [0, 0, 0], m][1, 2];",
        // Shapes and slices.
        "sum = sum + a[1..3][0] + (a[..2] + a[1..])[1] + m[.., 1][0] + m[1][2];",
        "m[.., 0] = [sum, 2]; m[0] = copy[m[1]]; m[0..1] = [a]; m[1, 1..] = a[..2]; sum = sum + m[0, 0];",
        "sum = sum + transpose[m][2, 1] + perm[m, 1, 0][0, 1] + reshape[m, 6][5] + reshape[a + 1, 3, 1][2, 0];",
        "sum = sum + concat[a, a][4] + replicate[2, a][1, 0] + iota[5][4] + [[1, 2], [3, sum]][1, 0];",
        "var b = copy[a]; b = concat[b, [sum]]; b[0] = 1; b = b[1..]; sum = sum + b[0];",
        // Structs, tuples and arrays of them.
        "sum = sum + points[a][1].x + int(points[a].y[2]);",
        "var q = boxed[n, a]; q = Q[q.a + 1, q.p]; sum = sum + q.a[0] + q.p.x;",
        "var (u, p) = pair[n]; u = u + 1; sum = sum + u[0] + p.x; var v = (u, a); var (w, _z) = v; sum = sum + w[1];",
        "var (u, v) = split[a, 2]; var (x, y) = unzip[zip[a, a * 2]]; sum = sum + u[0] + v[0] + x[1] + y[2];",
        "var t = points[a]; t[0] = P[sum, 1.0]; t = concat[t, t[1..]]; sum = sum + t[0].x + size[filter[fn[p: P]: int = p.x > 1, t]];",
        "sum = sum + fold[fn[s: P, x: int]: P = P[s.x + x, s.y], P[0, 0.0], a].x;",
        // Calls.
        "sum = sum + made[n][1] + size[down[5]] + made[made[1][0]][1];",
        "var c = copy[a]; c = changed[c, sum]; sum = sum + changed[changed[iota[4], 3], c[0]][0];",
        "sum = sum + if[n % 2, made[n], a + 1][0]; if sum > 10 { var d = a + a; sum = sum + d[0]; } else { sum = (a * 3)[1]; }",
        "for j < 3 { var t = replicate[2, m + j]; sum = sum + t[1, 0, 0]; for _k < 2 { sum = sum + (t + 1)[0, 0, 0]; } }",
    ] {
        for iterations in [1, 300] {
            let expected = (0, "42".to_string(), String::new());
            let what = format!("{iterations} iterations: {body}");
            compare(&mut differences, loop_within(ROOM, iterations, body), expected, &what);
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
#[ignore = "needs qemu-riscv32, and minutes"]
fn ten_million_iterations_take_no_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for body in [
        "sum = sum + (a + a * 2)[1];",
        "sum = sum + map[fn[x: int]: int = x + n, a][0] + a[1..3][0];",
        "sum = sum + points[a][1].x;",
        "var (u, p) = pair[n]; sum = sum + u[0] + p.x;",
        "var c = copy[a]; c = changed[c, sum]; sum = sum + c[0];",
    ] {
        let elf = executable(&program_within(ROOM, 10_000_000, body));
        toolchain::write_runnable(&folder.path().join("own"), &elf);
        let ran = toolchain::run("qemu-riscv32", &["own"], folder.path());
        assert_eq!((ran.status.code(), &ran.stdout[..]), (Some(0), &b"42"[..]), "{body}");
    }
}

/// Elements are computed in loops of their own, which keep nothing but the result.
#[test]
fn temporaries_of_elements_take_no_memory() {
    let mut differences = Vec::new();
    for (e, words) in [
        ("fold[fn[s: int, x: int]: int = s + sum[[x, s, 1]], 0, iota[n]]", 1),
        ("foldr[fn[x: int, s: int]: int = s + size[iota[3] + x], 0, iota[n]]", 1),
        ("sum[map[fn[x: int]: int = made[x][1] + size[iota[3]], iota[n]]]", 2),
        ("size[map[fn[x: int]: [int] = [x, x] + 1, iota[n]]]", 3),
        ("size[filter[fn[x: int]: int = [x, 1][0] > 5, iota[n]]]", 2),
        ("size[scan[fn[s: int, x: int]: int = max[[s, x]], 0, iota[n]]]", 2),
        ("size[map[fn[x: int]: P = P[made[x][0], 1.0], iota[n]]]", 3),
        ("fold[fn[s: P, x: int]: P = P[made[x][0], s.y], P[0, 0.0], iota[n]].x", 1),
        ("group[fn[x: int, y: int]: int = [x, y][1], 0, 3, iota[n] % 3, iota[n]][0]", 3),
    ] {
        let count = 1_000;
        let body = format!("var n = {count}; sum = sum + {e};");
        let expected = (0, "42".to_string(), String::new());
        compare(&mut differences, loop_within(ROOM + 4 * words * count, 1, &body), expected, e);
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

/// A thousand copies of this array would take eight times the memory that there is.
#[test]
fn unique_arguments_and_results_are_not_copied() {
    let text = "
        fn pass[a: *[int], n: int]: *[int] {
            if n == 0 { return a; }
            a[n] = a[n - 1] + 1;
            return pass[a, n - 1];
        }
        fn first[m: *[[int]]]: int { m[0, 0] = 7; return m[0, 0]; }
        fn row[a: *[int]]: *[int] { a[0] = 8; return a; }
        fn main[]: int {
            var a = replicate[2000000, 0];
            a = pass[a, 1000];
            var m = [[1, 2], [3, 4]];
            var r = row[m[1]];
            print[(a[1], a[1000], first[copy[[r]]], r)];
            return 0;
        }";
    assert_eq!(run(text), (0, "(1, 1, 7, [8, 4])\n".to_string(), String::new()));
}

#[test]
fn what_is_out_of_range_ends_the_program_with_one_line() {
    let mut differences = Vec::new();
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
        // Slices.
        ("print_int[a[3..n][0]];", "test.par:6:15: the slice 3..7 is out of range: the extent is 5"),
        ("print_int[a[-1..][0]];", "test.par:6:15: the slice -1..5 is out of range: the extent is 5"),
        ("print_int[a[4..2][0]];", "test.par:6:15: the slice 4..2 is out of range: the extent is 5"),
        ("print_int[m[.., n][0]];", "test.par:6:15: index 7 is out of range: the extent is 3"),
        ("print_int[m[1, 1..4][0]];", "test.par:6:15: the slice 1..4 is out of range: the extent is 3"),
        ("print_int[m[1..2][1, 0]];", "test.par:6:15: index 1 is out of range: the extent is 1"),
        ("a[1..n] = a;", "test.par:6:5: the slice 1..7 is out of range: the extent is 5"),
        ("a[1..3] = a;", "test.par:6:5: the extents 2 and 5 differ"),
        ("m[.., 3] = [1, 2];", "test.par:6:5: index 3 is out of range: the extent is 3"),
        ("m[.., 0] = [1, 2, 3];", "test.par:6:5: the extents 2 and 3 differ"),
        ("var (x, _y) = split[a, n]; a = x;", "test.par:6:19: the slice 0..7 is out of range: the extent is 5"),
        ("var (x, _y) = split[a, -1]; a = x;", "test.par:6:19: the slice 0..-1 is out of range: the extent is 5"),
        // Shapes.
        ("m = reshape[a, 2, 3];", "test.par:6:9: the extents 5 and 6 differ"),
        ("m = reshape[a, -1, -5];", "test.par:6:9: the size -1 is negative"),
        ("m = perm[m, 1, 0]; print_int[m[1, 2]];", "test.par:6:34: index 2 is out of range: the extent is 2"),
        // Operations on whole arrays.
        ("a = a + m[0];", "test.par:6:11: the extents 5 and 3 differ"),
        ("m = m * a;", "test.par:6:11: the extents 3 and 5 differ"),
        ("a = where[a, a, e];", "test.par:6:9: the extents 5 and 0 differ"),
        ("a = map[(+), a, m[1]];", "test.par:6:9: the extents 5 and 3 differ"),
        ("n = fold[fn[s: int, p: (int, int)]: int = s, 0, a, m[0]];", "test.par:6:9: the extents 5 and 3 differ"),
        ("m = map[fn[x: int]: [int] = iota[x], a];", "test.par:6:9: the extents 1 and 2 differ"),
        (
            "m = scan[fn[s: [int], x: [int]]: [int] = concat[s, x], m[0], m];",
            "test.par:6:9: the extents 6 and 9 differ",
        ),
        ("a = group[(+), 0, 3, a, a];", "test.par:6:9: index 3 is out of range: the extent is 3"),
        ("a = group[(+), 0, -n, a, a];", "test.par:6:9: the size -7 is negative"),
        ("a = group[(+), 0, 9, a, m[0]];", "test.par:6:9: the extents 5 and 3 differ"),
        // Arrays of tuples.
        ("var z = zip[a, m[0]]; n = size[z];", "test.par:6:13: the extents 5 and 3 differ"),
        ("var z = zip[a, a]; var (x, _y) = z[n]; n = x;", "test.par:6:38: index 7 is out of range: the extent is 5"),
        ("var z = zip[a, a]; z[5] = (1, 2); n = size[z];", "test.par:6:24: index 5 is out of range: the extent is 5"),
        ("var z = zip[a, a][2..n]; n = size[z];", "test.par:6:13: the slice 2..7 is out of range: the extent is 5"),
        // Fields.
        (
            "var p = P[(a, 1), m]; p.x[1, 3] = 2; n = size[p.x];",
            "test.par:6:27: index 3 is out of range: the extent is 3",
        ),
        (
            "var p = [P[(a, 1), m]]; p[0].x[n, 0] = 2; n = size[p];",
            "test.par:6:29: index 7 is out of range: the extent is 2",
        ),
        (
            "var p = [P[(a, 1), m]]; p[-1].t = (a, 1); n = size[p];",
            "test.par:6:29: index -1 is out of range: the extent is 1",
        ),
        ("var p = [P[(a, 1), m]]; p[0].x[1] = a; n = size[p];", "test.par:6:29: the extents 3 and 5 differ"),
        ("var p = [P[(a, 1), m]]; p.x = m[..1]; n = size[p];", "test.par:6:29: the extents 2 and 1 differ"),
        ("a = replicate[300000000, 0];", "memory is exhausted"),
        ("m = replicate[65536, replicate[65536, 1]];", "memory is exhausted"),
    ] {
        let text = format!(
            "struct P {{ t: ([int], int), x: [[int]] }} fn main[]: int {{\n    var a = [1, 2, 3, 4, 5]; var e: [int];\n    var m = [[1, 2, 3], [4, 5, 6]];\n    \
             var n = 7;\n    print_int[42];\n    {statement}\n    print_int[43];\n    return a[0] + m[0, 0] + e[0];\n}}\n"
        );
        let expected = (134, "42".to_string(), format!("{line}\n"));
        compare(&mut differences, run(&text), expected, statement);
        if !line.starts_with("memory") {
            let found = interpret(&toolchain::tree(&text).expect("a valid program"), b"", 1_000, 10);
            assert_eq!(found, Ok(Outcome { output: b"42".to_vec(), status: 134 }), "{statement}");
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

/// Returns the output of a program, on which the interpreter agrees.
#[track_caller]
fn written(text: &str) -> String {
    let (status, output, errors) = run(text);
    assert_eq!((status, &*errors), (0, ""), "{text}");
    let expected = interpret(&toolchain::tree(text).expect("a valid program"), b"", 1_000_000, 1_000).expect("an end");
    assert_eq!(output, String::from_utf8(expected.output).expect("text"), "{text}");
    output
}

const FIELDS: &str = "
    struct P { x: int, y: float, b: byte }
    struct Q { p: P, a: [int], s: short }
    struct R { qs: [Q], t: (int, int) }";

#[test]
fn fields_are_assigned() {
    let text = format!(
        "{FIELDS}
        fn moved[p: P]: P {{ p.x = p.x + 1; p.y = 2.5; p.b = 257 + p.x; return p; }}
        fn main[]: int {{
            var p = P[1, 2.0, 3]; var before = p;
            p.x = 5; p.b = 300; print[p]; print[moved[p]]; print[p]; print[before];
            var q = Q[p, [1, 2, 3], 7]; var other = q;
            q.p.x = 9; q.s = 70000; print[q]; print[other];
            q.a[1] = 20; q.a[..2] = q.a[1..]; print[q.a];
            q.a = iota[5]; q.p = P[8, 8.5, 8]; print[q];
            // The other fields are those after the value.
            q.s = (q = Q[p, [6], 7]).a[0]; print[q];
            fn set[n: int]: int {{ p.x = n; p.y = float(n); return n; }}
            p.b = set[3]; p.x = p.x + set[4]; print[p];
            return 0;
        }}"
    );
    let lines = [
        "P[5, 2, 44]",
        "P[6, 2.5, 7]",
        "P[5, 2, 44]",
        "P[1, 2, 3]",
        "Q[P[9, 2, 44], [1, 2, 3], 4464]",
        "Q[P[5, 2, 44], [1, 2, 3], 7]",
        "[20, 3, 3]",
        "Q[P[8, 8.5, 8], [0, 1, 2, 3, 4], 4464]",
        "Q[P[5, 2, 44], [6], 6]",
        "P[7, 4, 3]",
    ];
    assert_eq!(written(&text).lines().collect::<Vec<_>>(), lines);
}

#[test]
fn fields_of_elements_are_updated() {
    let text = format!(
        "{FIELDS}
        fn main[]: int {{
            var qs = replicate[3, Q[P[8, 8.5, 8], iota[3], 7]];
            qs[1].p.x = 44; qs[1].a[2] = 45; qs[2].a = [9, 8, 7]; qs[0].p = P[0, 0.5, 257]; qs[0..2].s = 3; qs.p.b = 258;
            print[qs];
            var m = [qs, qs];
            m[1].p.x = [1, 2, 3]; m[.., 2].a = 99; m[0, 1].a[0] = -1; m[1, 0].p.y = 1.5;
            print[m.p.x]; print[m.a]; print[m.p.y];
            var r = R[copy[qs], (1, 2)];
            r.qs[1].p.y = 0.25; r.qs[2].a[1] = 31; r.t = (5, 6); r.qs.s = 12; print[r.qs.p.y]; print[r.qs.a];
            for i < size[r.qs] {{ r.qs[i].p.x = 10 * i; }}
            var (x, y) = r.t; print[(x + y, r.qs.s, r.qs.p.x)];
            r.qs = qs[1..]; print[r.qs.p];
            return 0;
        }}"
    );
    let lines = [
        "[Q[P[0, 0.5, 2], [0, 1, 2], 3], Q[P[44, 8.5, 2], [0, 1, 45], 3], Q[P[8, 8.5, 2], [9, 8, 7], 7]]",
        "[[0, 44, 8], [1, 2, 3]]",
        "[[[0, 1, 2], [-1, 1, 45], [99, 99, 99]], [[0, 1, 2], [0, 1, 45], [99, 99, 99]]]",
        "[[0.5, 8.5, 8.5], [1.5, 8.5, 8.5]]",
        "[0.5, 0.25, 8.5]",
        "[[0, 1, 2], [0, 1, 45], [9, 31, 7]]",
        "(11, [12, 12, 12], [0, 10, 20])",
        "[P[44, 8.5, 2], P[8, 8.5, 2]]",
    ];
    assert_eq!(written(&text).lines().collect::<Vec<_>>(), lines);
}

/// The interpreter refuses accesses outside of live blocks.
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

/// The index of an element after the last one finds the head of the next block, if nothing checks it.
#[test]
fn accesses_outside_live_blocks_are_found() {
    let text = "fn main[]: int { var a = [1, 2]; var b = [3, 4]; print_int[b[0]]; return a[2]; }";
    let mut tree = toolchain::tree(text).expect("a valid program");
    for (kind, data) in tree.kind.iter().zip(&mut tree.data) {
        if *kind == kind::INDEX {
            // Without a position, nothing is checked.
            *data = 0;
        }
    }
    let elf = toolchain::executable(&tree).expect("an executable");
    let guarded = simulated(&elf, b"", Limits { guard_arena: true, guard_blocks: true, ..Limits::default() });
    assert!(
        matches!(&guarded.status, Err(Fault::DeadBlock { function, .. }) if function == "main"),
        "{:?}",
        guarded.status
    );
    assert!(simulated(&elf, b"", Limits::default()).status.is_ok());
}
