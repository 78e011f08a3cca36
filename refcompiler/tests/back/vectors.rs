//! Loops over vectors on x86-64: the same values as scalar code, bit for bit, and no access outside of an array.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fmt::Write;

use crate::oracle;
use crate::toolchain;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::lanes::Cpu as Processor;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::object::{write_executable, write_relocatable};
use refcompiler::passes::vectors::decisions as decided;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::columns::Columns;
use refcompiler::pipeline::listing::Listing;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{After, Error, Observer};
use refcompiler::pipeline::{Compiled, Goal, Output, compile};
use refcompiler::target::Target;
use refcompiler_programs::{array_program, typed_program, whole_program};
use treepar::{Backend, Cpu};

/// Returns the processors that this machine has, and names the others.
fn processors() -> Vec<Processor> {
    let (own, others): (Vec<Processor>, Vec<Processor>) =
        Processor::ALL.iter().copied().partition(|cpu| cpu.is_of_host());
    if !others.is_empty() {
        eprintln!("skipped: this machine does not have {others:?}");
    }
    own
}

fn sources(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a small file");
    sources
}

/// Compiles a program with the passes of a level, on vectors of a processor, or on none.
fn compiled(text: &str, output: Output, level: u8, cpu: Option<Processor>) -> Compiled {
    let sources = sources(text);
    let errors = |errors: Vec<_>| refcompiler::diagnostics::render(&sources, &errors, false);
    let tree = parse_program(&sources).map_err(errors).unwrap_or_else(|errors| panic!("{errors}"));
    let goal = Goal { target: Target::X86_64, output };
    let optimisations = Optimisations { vectors: cpu.is_some(), ..Optimisations::of_level(level) };
    let settings = Settings { optimisations, cpu: cpu.unwrap_or(Processor::Baseline), ..goal.into() };
    let mut compiled =
        compile(&Cpu::with_threads(2), &tree, settings, &mut Checker::of(goal.target)).expect("a compilation");
    compiled.image.locate_checks(&sources);
    compiled
}

/// Returns the decisions about the loops of a program.
fn decisions(text: &str, cpu: Processor) -> Vec<String> {
    let sources = sources(text);
    let tree = parse_program(&sources).unwrap_or_else(|_| panic!("a valid program"));
    let goal = Goal { target: Target::X86_64, output: Output::Object };
    let settings = Settings { optimisations: Optimisations::of_level(1), cpu, ..goal.into() };
    let mut listing = Listing::after("vectors", goal.target).with_cpu(cpu);
    compile(&Cpu::with_threads(2), &tree, settings, &mut listing).expect("a compilation");
    listing.decisions(&sources).lines().map(String::from).collect()
}

/// Runs a program at all levels on all processors, and without vectors. All runs end alike, without an error and with the output that is
/// returned.
fn run(text: &str) -> String {
    let (status, output, errors) = end(text);
    assert_eq!(status, Some(0), "{errors}");
    output
}

/// Runs a program as [`run`] does, whatever its end. Returns the status, the output and the message.
fn end(text: &str) -> (Option<i32>, String, String) {
    let mut expected = None;
    let scalar = (0, None);
    let vectors = processors().into_iter().flat_map(|cpu| [(0, Some(cpu)), (1, Some(cpu))]);
    for (level, cpu) in [scalar].into_iter().chain(vectors) {
        let elf = write_executable(&compiled(text, Output::Executable, level, cpu).image).expect("a file");
        let finished = toolchain::native(&elf, b"");
        let found = (finished.status.code(), finished.stdout, finished.stderr);
        match &expected {
            None => expected = Some(found),
            Some(expected) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                assert_eq!(text(&found.1), text(&expected.1), "-O{level}, {cpu:?}");
                assert_eq!((found.0, text(&found.2)), (expected.0, text(&expected.2)), "-O{level}, {cpu:?}");
            }
        }
    }
    let (status, output, errors) = expected.expect("a run");
    (status, String::from_utf8(output).expect("text"), String::from_utf8_lossy(&errors).into_owned())
}

/// Returns the last length of arrays in tests: six vectors of the processor with the longest, and three elements. An iteration has up to four.
fn last_length(element: &str) -> u32 {
    let bytes = match element {
        "byte" => 1,
        "short" => 2,
        _ => 4,
    };
    6 * Processor::ALL.iter().map(|cpu| cpu.vector_bytes()).max().unwrap_or(0) / bytes + 3
}

/// The lengths with several contents of arrays each. Longer arrays have one.
const SHORT: u32 = 36;

const INTS: &str = "[0, 1, -1, 2, -2, 7, 31, 32, 33, 255, 256, -128, 65535, 65536, 32767, -32768, 2147483647, -2147483647 - 1, 46341, -46341, 1000003]";
const FLOATS: &str = "[0.0, -0.0, 1.0, -1.5, 0.5, 3.0e-45, -1.0e-40, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, \
    3.0e9, -3.0e9, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, -(0.0 / 0.0), 3.0e38, -3.0e38, 1.0e-38, 16777217.0]";

/// Returns a program that computes expressions of whole arrays, and the same of single elements in loops of its own.
///
/// An expression names the arrays `a`, `b`, `c` of a type. `print` compares more than `==`: the sign of a zero by its reciprocal.
fn compared(of: &str, element: &str, values: &str, expressions: &[(&str, &str)]) -> String {
    let mut text = String::from(
        "fn same[x: float, y: float]: int { return (x == y && 1.0 / x == 1.0 / y) || (x != x && y != y); }\n",
    );
    text.push_str("fn equal[x: int, y: int]: int { return x == y; }\n");
    let convert = if matches!(of, "byte" | "short") { format!(" : [{of}]") } else { String::new() };
    for (k, (expression, result)) in expressions.iter().enumerate() {
        let check = if *result == "float" { "same" } else { "equal" };
        let narrow = if matches!(*result, "byte" | "short") { "int" } else { *result };
        let _ = writeln!(
            text,
            "fn whole{k}[a: [{of}], b: [{of}], k: {element}, n: int]: [{result}] {{ return {expression}; }}"
        );
        // One element at a time: a slice with one element has no vector.
        let _ = writeln!(
            text,
            "fn check{k}[a: [{of}], b: [{of}], k: {element}, n: int]: void {{ var x = whole{k}[a, b, k, n]; assert[size[x] == size[a]]; \
             for i < size[a] {{ var y = whole{k}[a[i..i + 1], b[i..i + 1], k, n]; \
             if !{check}[x[i], y[0]] {{ print_int[{k}]; print_char[32]; print_int[i]; print_char[32]; \
             print_{narrow}[x[i]]; print_char[32]; print_{narrow}[y[0]]; print_char[10]; }} }} }}"
        );
    }
    let _ = writeln!(
        text,
        "fn drawn[n: int, from: int, by: int]: [{element}] {{ var v = {values}; var r: [{element}; n]; \
         for i < n {{ r[i] = v[(from + i * by) % size[v]]; }} return r; }}\n\
         fn main[]: int {{ for n < {} {{ for by < if[n < {SHORT}, 3, 1] {{",
        last_length(of) + 1
    );
    let _ = writeln!(
        text,
        "var a = drawn[n, n, 1]{convert}; var b = drawn[n, 2 * n + by, by + 4]{convert}; var k = drawn[1, n + by, 1][0];"
    );
    for k in 0..expressions.len() {
        let _ = writeln!(text, "check{k}[a, b, k, n + by];");
    }
    text.push_str("} } print_char[46]; return 0; }\n");
    text
}

#[test]
fn ints_are_the_same() {
    let of_ints = ["+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
    let mut expressions: Vec<(String, &str)> = of_ints.map(|o| (format!("a {o} b"), "int")).to_vec();
    expressions.extend(of_ints.map(|o| (format!("a {o} k"), "int")));
    expressions.extend(
        ["<<", ">>", ">>>"]
            .into_iter()
            .flat_map(|o| ["0", "1", "5", "31", "32", "37", "k", "b"].map(|amount| (format!("a {o} {amount}"), "int"))),
    );
    let others = [
        "-a",
        "!a",
        "~a",
        "abs[a]",
        "a * (b - k)",
        "(a + b) * (a - b) ^ (b & 255)",
        "a / b",
        "a % k",
        "where[a < b, a, b]",
        "where[a, b, k]",
        "where[a > k && !b, a - b, where[a == b, 7, a * 3])]",
        "map[fn[x: int, y: int]: int = if[x > y, x, y], a, b]",
        "map[fn[x: int, y: int]: int = if[x <= y, x, y] + x * y * n, a, b]",
        "map[fn[x: int]: int = if[x, x * x, -x], a]",
    ];
    expressions.extend(others.map(|e| (e.replace(")]]", "]]").replace("3])]", "3]]"), "int")));
    expressions.extend(
        ["float(a)", "float(a) / float(b)", "sqrt[float(abs[a & 1023])]", "where[a < b, float(a), float(b)]"]
            .map(|e| (e.to_string(), "float")),
    );
    expressions.extend(
        ["(a + b) : [byte]", "(a * b) : [short]"]
            .map(|e| (e.to_string(), if e.contains("byte") { "byte" } else { "short" })),
    );
    let expressions: Vec<(&str, &str)> = expressions.iter().map(|(e, r)| (e.as_str(), *r)).collect();
    assert_eq!(run(&compared("int", "int", INTS, &expressions)), ".");
}

#[test]
fn floats_are_the_same() {
    let mut expressions: Vec<(String, &str)> = ["+", "-", "*", "/"].map(|o| (format!("a {o} b"), "float")).to_vec();
    expressions.extend(["+", "-", "*", "/"].map(|o| (format!("k {o} b"), "float")));
    expressions.extend(["==", "!=", "<", "<=", ">", ">="].map(|o| (format!("a {o} b"), "int")));
    let others = [
        "-a",
        "abs[a]",
        "sqrt[a]",
        "a * (b - k)",
        "-(a * b)",
        "abs[a - b]",
        "-(a / b) + abs[b * k]",
        "a % b",
        "floor[a]",
        "where[a < b, a, b]",
        "where[a == a, a * b, k]",
        "map[fn[x: float, y: float]: float = if[x > y, x - y, x * y] * 2.0, a, b]",
        "map[fn[x: float]: float = x * x + float(n), a]",
    ];
    expressions.extend(others.map(|e| (e.to_string(), "float")));
    expressions.extend(
        ["int(a)", "int(a * b)", "int(a) + int(b)", "map[fn[x: float]: int = x < 1.0 || x > 2.0, a]"]
            .map(|e| (e.to_string(), "int")),
    );
    let expressions: Vec<(&str, &str)> = expressions.iter().map(|(e, r)| (e.as_str(), *r)).collect();
    assert_eq!(run(&compared("float", "float", FLOATS, &expressions)), ".");
}

#[test]
fn narrow_elements_are_the_same() {
    for of in ["byte", "short"] {
        let mut expressions: Vec<(String, &str)> =
            ["+", "-", "*", "&", "|", "^"].map(|o| (format!("a {o} b"), of)).to_vec();
        expressions.extend(["+", "-", "*", "&", "|", "^", ">>", "/"].map(|o| (format!("a {o} n"), of)));
        expressions.extend(["0", "1", "3", "7", "8", "15", "16", "31"].map(|amount| (format!("a << {amount}"), of)));
        let others = [
            "-a",
            "~a",
            "abs[a]",
            "a * (b - k)",
            "(a ^ b) * a + b * b",
            "where[a < b, a, b]",
            "addsat[a, b]",
            "subsat[a, b]",
            "subsat[b, addsat[a, b]]",
            "addsat[a, b] - subsat[a * b, b]",
        ];
        expressions.extend(others.map(|e| (e.to_string(), of)));
        expressions.extend(["==", "<", ">="].map(|o| (format!("a {o} b"), "int")));
        expressions.push(("map[fn[x: int, y: int]: int = x * y - n, a, b]".into(), "int"));
        let other = if of == "byte" { "short" } else { "byte" };
        expressions.push((format!("(a + b) : [{other}]"), other));
        let expressions: Vec<(&str, &str)> = expressions.iter().map(|(e, r)| (e.as_str(), *r)).collect();
        assert_eq!(run(&compared(of, "int", INTS, &expressions)), ".", "{of}");
    }
}

#[test]
fn reductions_are_the_same() {
    let operations = [
        "sum[a]",
        "product[a]",
        "min[a]",
        "max[a]",
        "all[a]",
        "any[a]",
        "count[a]",
        "reduce[(+), 5, a]",
        "reduce[(&), k, a]",
        "reduce[(|), k, a]",
        "reduce[(^), k, a]",
        "reduce[(&&), 5, a]",
        "reduce[(||), 5, a]",
        "fold[(-), k, a]",
        "sum[a * a + k]",
        "max[a * k]",
        "sum[a] + min[a] * count[a > k]",
        "fold[fn[s: int, x: int]: int = s * 3 + x, 1, a]",
        "reduce[fn[x: int, y: int]: int = if[x < y, x, y], k, a]",
        "int(sum[float(a)])",
        "k + (k * sum[a] - max[a & k])",
    ];
    let mut text = String::new();
    for (k, operation) in operations.iter().enumerate() {
        let _ = writeln!(text, "fn f{k}[a: [int], k: int]: int {{ return {operation}; }}");
    }
    text.push_str("fn b0[a: [byte]]: int { return sum[a] * 7 + max[a] - min[a]; } fn s0[a: [short], b: [short]]: int { return sum[a] - sum[map[fn[x: int, y: int]: int = x * y, a, b]]; }\n");
    let _ = writeln!(
        text,
        "fn main[]: int {{ var v = {INTS}; for n < {} {{ var a: [int; n]; for i < n {{ a[i] = v[(n + i * 4) % size[v]]; }}",
        last_length("int") + 1
    );
    for k in 0..operations.len() {
        let _ = writeln!(text, "print_int[f{k}[a, v[(n * 5) % size[v]]]]; print_char[32];");
    }
    text.push_str("print_int[b0[a : [byte]]]; print_char[32]; print_int[s0[a : [short], (a + 1) : [short]]]; print_char[10]; } return 0; }\n");
    let output = run(&text);
    assert_eq!(output.lines().count() as u32, last_length("int") + 1);
    assert!(output.starts_with("0 1 2147483647 -2147483648 1 0 0 5"), "{output}");
}

/// Counted loops of the program: all lengths, all types of elements, arrays of other lengths, and slices at every alignment.
#[test]
fn counted_loops_are_the_same() {
    let mut text = String::from("fn mixed[h: int, x: int]: int { return (h ^ x) * 16777619; }\n");
    for (of, element) in [("int", "int"), ("short", "int"), ("byte", "int"), ("float", "float")] {
        let bits = if of == "float" { "int(v * 8.0)" } else { "v" };
        let half = if of == "float" { "0.5" } else { "3" };
        let zeros = match of {
            "int" => "replicate[n, 0]".to_string(),
            "float" => "replicate[n, 0.0]".to_string(),
            _ => format!("replicate[n, 0] : [{of}]"),
        };
        let _ = writeln!(
            text,
            "fn hash_{of}[x: [{of}]]: int {{ var h = 7; for i < size[x] {{ var v = x[i]; h = mixed[h, {bits}]; }} return h; }}\n\
             fn product_{of}[x: *[{of}], a: [{of}], b: [{of}], c: [{of}]]: *[{of}] {{ for i < size[x] {{ x[i] = a[i] * (b[i] - c[i]); }} return x; }}\n\
             fn scaled_{of}[x: *[{of}], a: [{of}], k: {element}, n: int]: *[{of}] {{ for i < n {{ var t = a[i] + k; x[i] = t * t - {half}; }} return x; }}\n\
             fn in_place_{of}[x: *[{of}], y: [{of}]]: *[{of}] {{ for i < size[y] {{ x[i] = x[i] * {half} + y[i]; x[i] = -x[i]; }} return x; }}\n\
             fn filled_{of}[n: int, k: {element}]: [{of}] {{ var x = {zeros}; for i < n {{ x[i] = k; }} return x; }}"
        );
    }
    text.push_str(
        "fn sums[a: [int], b: [short], c: [byte]]: int {
            var s = 1; var p = 1; var m = 0; var x = 5;
            for i < size[a] { s = s + a[i] * 3; p = p * (a[i] | 1); }
            for i < size[b] { m = m - b[i]; x = x ^ c[i] + s; }
            for i < size[c] { m = c[i] + m; }
            return mixed[mixed[s, p], mixed[m, x]];
        }
        fn steps[a: [int]]: int {
            var t = 0; var k = 1;
            for j < 5 { k = k * 3; var x = replicate[size[a], 0]; for i < size[a] { x[i] = a[i] * k - j; } t = mixed[t, hash_int[x]]; }
            fn inner[]: int { var s = k; for i < size[a] { s = s + a[i]; } k = s; return s; }
            return t + inner[] + k;
        }
        fn main[]: int {\n",
    );
    for of in ["int", "short", "byte", "float"] {
        let make = |expression: &str| match of {
            "int" => expression.to_string(),
            "float" => format!("float({expression}) * 0.25"),
            _ => format!("({expression}) : [{of}]"),
        };
        let numbers = |by: u32| make(&format!("iota[{}] * {by} - 300", last_length(of) + 70));
        let k = if of == "float" { "1.5" } else { "7" };
        let _ = writeln!(
            text,
            "if 1 {{ var a = {}; var b = {}; var c = {}; for n < {} {{ var o = n % 67; var x = a[0..n];
             x = product_{of}[x, a[o..o + n], b, c[1..1 + n]]; print_int[hash_{of}[x]]; print_char[32];
             x = scaled_{of}[x, b[o / 2..], {k}, n - 2]; print_int[hash_{of}[x]]; print_char[32];
             x = in_place_{of}[x, c[o..o + n - (n > 3)]]; print_int[hash_{of}[x]]; print_char[32];
             print_int[hash_{of}[filled_{of}[n, {k}]]]; print_char[10]; }} }}",
            numbers(7),
            numbers(1013),
            numbers(77777),
            last_length(of) + 1
        );
    }
    let _ = writeln!(
        text,
        "for n < {} {{ var a = iota[n] * 12345; print_int[sums[a, (a * 3) : [short], (a + 1) : [byte]]]; print_char[32];
         print_int[steps[a[n / 3..]]]; print_char[10]; }} return 0; }}",
        last_length("int") + 1
    );
    let output = run(&text);
    let lines = 2 * last_length("int") + last_length("short") + last_length("byte") + last_length("int") + 5;
    assert_eq!(output.lines().count() as u32, lines);
}

/// A loop that reads an array beyond its end fails at the same element with the same message, after the same output.
#[test]
fn counted_loops_end_at_the_same_element() {
    for (size, count) in [(0, 5), (40, 41), (40, 100), (67, 200), (3, 70)] {
        let text = format!(
            "fn f[x: *[int], a: [int], n: int]: *[int] {{ for i < n {{ x[i] = a[i] + 1; }} return x; }}
             fn main[]: int {{ print[sum[f[iota[{count}], iota[{count}], {count}]]]; print[f[iota[{count}], iota[{size}], {count}]]; return 0; }}"
        );
        let (status, output, message) = end(&text);
        assert_eq!(status, Some(134), "{output} {message}");
        let expected = format!("index {size} is not less than {size}");
        assert!(message.contains(&size.to_string()) && output.lines().count() == 1, "{expected}: {output} {message}");
    }
    // No iteration.
    for count in [0, -1, -7, -2_147_483_647] {
        let text = format!(
            "fn f[x: *[int], a: [int], n: int]: *[int] {{ for i < n {{ x[i] = a[i] + 1; }} return x; }}
             fn main[]: int {{ print[f[iota[20], iota[3], {count}]]; return 0; }}"
        );
        run(&text);
    }
}

/// Values wait for their use while a loop over vectors runs, in all positions.
#[test]
fn values_wait_across_loops() {
    let text = "
        fn many[a: int, x: float, b: int, y: float, c: [float], d: int, e: float]: float {
            return float(a + b * d) + x * y + e + c[1];
        }
        fn rows[a: float, b: float, c: float, d: float, e: float, g: float, h: float, m: [[float]]]: float {
            print[m];
            return a + b + c + d + e + g + h;
        }
        fn main[]: int {
            var a = iota[19]; var f = float(a) * 0.5; var n = 3;
            print_float[many[7, 1.5, sum[a], 2.5 + float(max[a]), f * f - 1.0, sum[a * a], f[3] + (f + 1.0)[4]]];
            print_int[1 + (2 + (3 + (n + (sum[a] + (n * 2 + sum[a * n])))))];
            print_float[1.5 + (f[2] * (f[3] - (f[4] + (f * 2.0)[5])))];
            var deep = 1.0 + (2.0 + (3.0 + (4.0 + (5.0 + (6.0 + (f + f)[7])))));
            print_float[deep];
            for i < 3 { var g = f * float(i); print_float[g[18] + (g - f)[i]]; }
            fn nested[k: int]: int { return sum[a * k] + sum[a + n]; }
            print_int[nested[4]];
            print_float[rows[f[0], f[1], f[2], f[3], f[4], f[5], f[6], map[fn[k: int]: [float] = f + float(k), a]]];
            print_float[rows[f[0], f[1], f[2], f[3], 1.0, 2.0, f[6], map[fn[k: int]: [float] = map[fn[x: float]: float = if[x < 3.0, x, x * x], f], a]]];
            return 0;
        }";
    run(text);
}

/// Matrices, structs, operations of several arrays, in-place loops and chains of operations.
#[test]
fn other_shapes_are_the_same() {
    let text = "
        struct P { x: float, y: int }
        fn main[]: int {
            var m = reshape[iota[77], 7, 11]; var r = iota[11];
            print[m * 2 + m]; print[m + r]; print[sum[map[fn[row: [int]]: int = sum[row * r], m]]];
            var p = map[fn[i: int]: P = P[float(i) * 0.5, i * i], iota[21]];
            print[p.x + 1.0]; print[sum[p.y]];
            p.x = p.x * 2.0; print[p.x]; print[map[fn[q: P]: float = q.x * float(q.y), p]];
            var a = iota[40]; a = a * 2; a[3..20] = a[3..20] + 100; print[a]; print[a[1..] - a[..39]];
            var t = a - 1; var u = t * t; print[u + t]; print[count[u > t]];
            print[transpose[m] + transpose[m]]; print[concat[r + 1, r * r]];
            print[scan[(+), 0, r * 3]]; print[filter[fn[x: int]: int = x % 2, a + 1]];
            return 0;
        }";
    run(text);
}

/// An assignment that may write into the array of its variable, and programs in which another array would be overwritten if it did.
#[test]
fn assignments_into_the_array_of_a_variable_are_the_same() {
    let text = "
        fn kept[x: *[int], y: [int]]: [int] { var old = x; x = x * 2 + y; print[old]; x = x - 1; return x; }
        fn looped[n: int, times: int]: int {
            var x = iota[n]; var y = x + 3; var z = x;
            for i < times { x = x * 3 + y; y = y - x; if i % 2 { z = x; } x = z + y; }
            print[x]; print[y]; print[z];
            return sum[x] + sum[y * z];
        }
        fn main[]: int {
            var x = iota[21]; var y = x; x = x + 1; print[x]; print[y];
            x = x[1..] * 2; print[x]; x = x[..19] + x[1..]; print[x];
            x = iota[19] + x; print[x]; x = y * 2; print[x]; print[y];
            var e: [int]; e = e + 1; print[e]; e = y + 1; print[e]; e = e * e; print[e];
            var m = reshape[iota[12], 3, 4]; m = m + m[0]; print[m]; m = m * m; print[m];
            var s = iota[21] : [short]; s = s * s - s; print[s]; s = (s + 1) * s; print[s];
            var b = iota[50] : [byte]; b = b * b + b; print[b]; b = (b - 7) * (b + 3); print[b];
            var f = float(y); f = f * 0.5 - f / 3.0; print[f]; f = -f; print[f];
            for i < 4 { var t = x; x = x + i; print[t]; print[x]; t = t * x; print[t]; }
            fn other[k: int]: int { return sum[x * k]; }
            x = x + other[2]; print[x]; x = map[fn[v: int]: int = v * other[1], x]; print[x];
            x = map[fn[v: int]: int = x[v & 3], x + 0 * y]; print[x];
            print[kept[y, x]]; print[x]; print[looped[17, 9]]; print[looped[8, 4]]; print[looped[0, 3]];
            var a = x + 1; var c = a * 2; a = c - a; c = a + c; a = a * c; print[a]; print[c];
            return 0;
        }";
    run(text);
}

/// Reductions with several variables, or with several assignments of one: a variable that is assigned twice has no reduction of lanes.
#[test]
fn reductions_of_tuples_are_the_same() {
    let text = "
        struct P { least: int, most: int, sum: int }
        struct T { x: float, y: float, z: int }
        struct U { x: int, y: int }
        fn twice[a: [int]]: T {
            return fold[fn[s: T, x: int]: T = if[x > 3, T[1.0 + s.x, 2.0, x], T[3.0, s.y * 0.5, s.z + 1]], T[1.0, 1.0, 1], a];
        }
        fn constants[a: [int]]: (float, float, int) {
            return fold[fn[x: (float, float, int), y: int]: (float, float, int) = if[1, (1.0, 1.0, 1), (1.0, 1.0, 1)], (1.0, 1.0, 1), a];
        }
        fn both[a: [int]]: U { return fold[fn[s: U, x: int]: U = U[s.x + x, s.y ^ x], U[1, 2], a]; }
        fn crossed[a: [int]]: U { return fold[fn[s: U, x: int]: U = U[s.y + x, s.x + x], U[1, 2], a]; }
        fn ranges[a: [int]]: P {
            return fold[fn[p: P, x: int]: P = P[if[x < p.least, x, p.least], if[p.most < x, x, p.most], p.sum + x], P[9, -9, 0], a];
        }
        fn again[a: [int]]: int { var s = 0; s = sum[a] + s; s = s + sum[a * a]; s = s ^ max[a]; return s; }
        fn main[]: int {
            for n < 20 {
                var a = (iota[n] * 5 + 3) % 11 - 4;
                print[twice[a]]; print[constants[a]]; print[both[a]]; print[crossed[a]]; print[ranges[a]]; print_int[again[a]];
            }
            return 0;
        }";
    run(text);
}

#[test]
fn loops_that_can_have_vectors_have_them() {
    let text = "
fn a[x: [short], y: [short]]: [short] { return x * y; }
fn b[x: [byte]]: [byte] { return x * (x + 1); }
fn c[x: [float], y: [float], z: [float]]: [float] { return x * (y - z); }
fn d[x: [int]]: int { return sum[x]; }
fn e[x: [float]]: float { return sum[x]; }
fn f[x: [int]]: [int] { return x / 3; }
fn g[x: [float]]: [float] { return exp[x]; }
fn h[x: [[int]], y: [int]]: [[int]] { return x + y; }
fn i[x: [int], y: [int]]: [int] { return x << y; }
fn j[x: [int]]: [int] { return -x; }
fn k[x: [float]]: [float] { return sqrt[x]; }
fn l[x: *[short], y: [short], k: int]: *[short] { for i < size[x] { x[i] = y[i] * k; } return x; }
fn m[x: [int]]: int { var s = 0; for i < size[x] { s = s + x[i]; } return s; }
fn n[x: [float]]: float { var s = 0.0; for i < size[x] { s = s + x[i]; } return s; }
fn o[x: *[int]]: *[int] { for i < size[x] - 1 { x[i] = x[i + 1]; } return x; }
fn p[x: *[int], y: [int]]: *[int] { for i < size[x] { x[i] = y[x[i]]; } return x; }
fn q[x: *[int]]: *[int] { for i < size[x] { if x[i] > 3 { x[i] = 0; } } return x; }
fn r[x: *[int]]: *[int] { for i < size[x] { x[i] = i; } return x; }
fn s[x: *[int]]: *[int] { for i < 4 { x[i] = 7; } return x; }
fn t[x: [short], y: [short]]: [short] { return addsat[x, y]; }
fn u[x: [byte], y: [byte]]: [byte] { return subsat[x, y]; }
";
    let expected = [
        "16 lanes of 16 bits",
        "32 lanes of 8 bits",
        "8 lanes of 32 bits",
        "8 lanes of 32 bits",
        "a reduction of floats",
        "a division of ints",
        "a call",
        "an access of another element",
        "8 lanes of 32 bits",
        "8 lanes of 32 bits",
        "8 lanes of 32 bits",
        "16 lanes of 16 bits",
        "8 lanes of 32 bits",
        "a reduction of floats",
        "an access of another element",
        "an access of another element",
        "a statement",
        "the number of the iteration",
        "few iterations",
        "16 lanes of 16 bits",
        "32 lanes of 8 bits",
    ];
    let found = decisions(text, Processor::Avx2);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found}: {expected}");
    }
    assert!(decisions(text, Processor::Avx512)[0].contains("32 lanes of 16 bits"));
    assert!(decisions(text, Processor::Baseline).iter().any(|line| line.contains("without AVX2")));
}

/// Arrays of C that end where memory ends: a load beyond the end would be a fault. Their bytes before and after stay the same.
#[test]
#[ignore = "needs a C compiler"]
fn nothing_outside_of_arrays_is_accessed() {
    let par = "
        fn total[a: [int], b: [int]]: int { return sum[a * b] + max[a]; }
        fn scaled[a: [float], b: [float], k: float]: float { var c = a * (b - k); var s = 0.0; for i < size[c] { s = s + c[i]; } return s; }
        fn made[a: [int], k: int]: [int] { return a * k + 1; }
        fn nans[a: [float], b: [float]]: [float] { return -(a / b); }
        fn product[x: *[int], a: [int], b: [int]]: void { for i < size[a] { x[i] = a[i] * (b[i] - 3); } }
        fn halved[x: *[float], n: int]: void { for i < n { x[i] = x[i] * 0.5; } }
        fn counted[a: [int], n: int]: int { var s = 0; for i < n { s = s + a[i]; } return s; }";
    let c = r#"
        #define _GNU_SOURCE
        #include <sys/mman.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <string.h>
        int32_t total(const int32_t *a, int32_t a_0, const int32_t *b, int32_t b_0);
        float scaled(const float *a, int32_t a_0, const float *b, int32_t b_0, float k);
        void made(const int32_t *a, int32_t a_0, int32_t k, int32_t *result, int32_t room, int32_t *extents);
        void nans(const float *a, int32_t a_0, const float *b, int32_t b_0, float *result, int32_t room, int32_t *extents);
        void product(int32_t *x, int32_t x_0, const int32_t *a, int32_t a_0, const int32_t *b, int32_t b_0);
        void halved(float *x, int32_t x_0, int32_t n);
        int32_t counted(const int32_t *a, int32_t a_0, int32_t n);
        static char *guarded(void) {
            char *p = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
            mprotect(p, 4096, PROT_NONE);
            mprotect(p + 2 * 4096, 4096, PROT_NONE);
            return p + 4096;
        }
        int main(void) {
            char *p = guarded(), *q = guarded(), *r = guarded();
            for (int at_end = 0; at_end < 2; at_end++) for (int n = 0; n <= 67; n++) {
                int32_t *a = (int32_t *)(at_end ? p + 4096 - 4 * n : p), *b = (int32_t *)(at_end ? q + 4096 - 4 * n : q);
                int32_t *c = (int32_t *)(at_end ? r + 4096 - 4 * n : r), extents[1];
                uint32_t sum = 0; int32_t max = INT32_MIN; float s = 0;
                for (int i = 0; i < n; i++) { a[i] = i * 77777777; b[i] = i - 5; sum += (uint32_t)a[i] * (uint32_t)b[i]; if (a[i] > max) max = a[i]; }
                if (total(a, n, b, n) != (int32_t)(sum + (uint32_t)max)) { printf("total %d\n", n); return 1; }
                made(a, n, 3, c, n, extents);
                for (int i = 0; i < n; i++) if (c[i] != (int32_t)((uint32_t)a[i] * 3 + 1)) { printf("made %d\n", n); return 1; }
                memset(r, 77, 4096);
                product(c, n, a, n, b, n);
                for (int i = 0; i < 1024; i++) {
                    int k = i - (int)(c - (int32_t *)r);
                    uint32_t expected = k >= 0 && k < n ? (uint32_t)a[k] * ((uint32_t)b[k] - 3) : 0x4d4d4d4d;
                    if (((uint32_t *)r)[i] != expected) { printf("product %d %d\n", n, k); return 1; }
                }
                uint32_t total = 0;
                for (int i = 0; i < n / 2; i++) total += (uint32_t)a[i];
                if (counted(a, n, n / 2) != (int32_t)total) { printf("counted %d\n", n); return 1; }
                for (int i = 0; i < n; i++) ((float *)c)[i] = i;
                halved((float *)c, n, n - n / 3);
                for (int i = 0; i < n; i++) if (((float *)c)[i] != (i < n - n / 3 ? i * 0.5f : i)) { printf("halved %d\n", n); return 1; }
                float *x = (float *)a, *y = (float *)b, *z = (float *)c;
                for (int i = 0; i < n; i++) { x[i] = i * 0.25f; y[i] = 7.0f - i; s = s + x[i] * (y[i] - 1.5f); }
                float found = scaled(x, n, y, n, 1.5f);
                if (memcmp(&found, &s, 4)) { printf("scaled %d\n", n); return 1; }
                uint32_t odd = 0xffc12345, zero = 0x80000000, bits;
                for (int i = 0; i < n; i++) { memcpy(&x[i], i % 3 ? &odd : &zero, 4); y[i] = i % 2 ? 0.0f : 2.0f; }
                nans(x, n, y, n, z, n, extents);
                for (int i = 0; i < n; i++) {
                    memcpy(&bits, &z[i], 4);
                    uint32_t expected = i % 3 || i % 2 ? 0xffc00000 : 0;
                    if (bits != expected) { printf("nans %d %d %08x\n", n, i, bits); return 1; }
                }
            }
            return 0;
        }"#;
    for (level, cpu) in [(0, None)].into_iter().chain(processors().into_iter().map(|cpu| (1, Some(cpu)))) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let object = write_relocatable(&compiled(par, Output::Object, level, cpu).image).expect("an object");
        std::fs::write(folder.path().join("par.o"), object).expect("a written file");
        std::fs::write(folder.path().join("main.c"), c).expect("a written file");
        toolchain::must("cc", &["-O1", "-no-pie", "main.c", "par.o", "-o", "main"], folder.path());
        let finished = toolchain::run("./main", &[], folder.path());
        assert!(
            finished.status.success(),
            "{cpu:?}: {} {}",
            finished.status,
            String::from_utf8_lossy(&finished.stdout)
        );
    }
}

/// Compares the decisions about the loops of a program with those of an oracle.
struct Compared {
    cpu: Processor,
    /// The number of loops, and of loops with vectors.
    found: (usize, usize),
}

impl<B: Backend> Observer<B> for Compared {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        let After::Arrays(nodes) = after else { return Ok(()) };
        let mut columns = Columns::default();
        columns.add(backend, after)?;
        let host = HostNodes {
            depth: columns.get("arrays", "depth"),
            kind: columns.get("arrays", "kind"),
            ty: columns.get("arrays", "ty"),
            data: columns.get("arrays", "data"),
        };
        let expected = oracle::vectors::lanes(&host, self.cpu);
        for decision in decided(backend, nodes, self.cpu)? {
            let bits = if decision.reason.is_none() { decision.bits } else { 0 };
            let node = decision.node as usize;
            let reason = decision.reason.map(|(reason, node)| (reason.text(), node));
            assert!(expected.contains(&(node, bits)), "node {node}: {bits} bits, {reason:?}, not as in {expected:?}");
            self.found.0 += 1;
            self.found.1 += (bits != 0) as usize;
        }
        Ok(())
    }
}

/// A recursive walk over each loop decides the same, on the examples and on random programs.
#[test]
fn decisions_are_those_of_the_oracle() {
    let draws: [(&str, toolchain::Draw); 3] =
        [("arrays", array_program), ("operations", whole_program), ("types", typed_program)];
    let mut found = (0, 0);
    for (name, tree, level) in toolchain::samples(&draws, 6) {
        for cpu in [Processor::Baseline, Processor::Avx2] {
            let goal = Goal { target: Target::X86_64, output: Output::Object };
            let optimisations = Optimisations { vectors: true, ..Optimisations::of_level(level) };
            let settings = Settings { optimisations, cpu, ..goal.into() };
            let mut compared = Compared { cpu, found: (0, 0) };
            compile(&Cpu::with_threads(2), &tree, settings, &mut compared).unwrap_or_else(|e| panic!("{name}: {e}"));
            found = (found.0 + compared.found.0, found.1 + compared.found.1);
        }
    }
    assert!(found.0 > 100 && found.1 > 20, "{found:?}");
}
