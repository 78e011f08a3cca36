//! Slices, shapes and `print`: the output of programs with them on guarded memory, and their end after an access out of range.

use std::fmt::Write;

use crate::oracle::interpreter::interpret;
use crate::toolchain::simulated;
use refcompiler::frontend::sequential::{Sources, parse_program, parse_with_runtime};
use refcompiler::ir::tree::Tree;
use refcompiler::object::write_executable;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler::simulator::Limits;
use refcompiler_programs::Rng;
use treepar::Cpu;

/// Returns the tree of a program. One that names `arena` can name all functions of the runtime.
fn parsed(text: &str) -> (Sources, Tree) {
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a source");
    let parse = if text.contains("arena") { parse_with_runtime } else { parse_program };
    let tree = parse(&sources)
        .unwrap_or_else(|errors| panic!("{}", refcompiler::diagnostics::render(&sources, &errors, false)));
    (sources, tree)
}

/// Runs a program. Returns its status, its output and its errors.
fn run(text: &str) -> (u8, String, String) {
    let (sources, tree) = parsed(text);
    let compiled = compile(&Cpu::with_threads(2), &tree, Output::Executable, &mut Checker::default());
    let mut image = compiled.expect("a compiled program").image;
    image.locate_checks(&sources);
    let elf = write_executable(&image).expect("an executable");
    let ran = simulated(&elf, b"", Limits { guard_arena: true, guard_blocks: true, ..Limits::default() });
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (ran.status.expect("an exit"), text(ran.output), text(ran.errors))
}

/// Returns the output of a program, which equals the interpreter's.
#[track_caller]
fn written(text: &str) -> String {
    let (status, output, errors) = run(text);
    assert_eq!((status, &*errors), (0, ""), "{text}");
    let expected = interpret(&parsed(text).1, b"", 10_000_000, 1_000).expect("an end");
    assert_eq!(output, String::from_utf8(expected.output).expect("text"), "{text}");
    output
}

/// The statements of a program with some arrays.
fn program(body: &str) -> String {
    format!(
        "fn main[]: int {{\n    var a = iota[5]; var e: [[int]]; var x = [1.5, -0.0, 1.0 / 0.0];\n    \
         var m = [[1, 2, 3], [4, 5, 6]];\n    var c = [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]];\n    \
         var n = 7;\n{body}\n    return a[0] * 0 + m[0, 0] * 0 + c[0, 0, 0] * 0 + size[e] + size[x] * 0;\n}}\n"
    )
}

#[test]
fn values_are_printed_as_literals() {
    for (body, expected) in [
        ("print[n]; print[-n]; print[0.25];", "7\n-7\n0.25\n"),
        ("print[a]; print[e]; print[x];", "[0, 1, 2, 3, 4]\n[]\n[1.5, -0, inf]\n"),
        ("print[m]; print[c[1]];", "[[1, 2, 3], [4, 5, 6]]\n[[5, 6], [7, 8]]\n"),
        ("print[replicate[2, iota[0]]];", "[[], []]\n"),
        ("for i < 2 { print[m[i]]; }", "[1, 2, 3]\n[4, 5, 6]\n"),
    ] {
        assert_eq!(written(&program(body)), expected, "{body}");
    }
}

#[test]
fn arrays_of_structs_in_fields_are_printed() {
    let functions = "struct P { x: int, y: float } struct Q { n: int, ps: [P] } struct R { q: Q, b: [byte] }
        struct D { grid: [[P]], qs: [Q] }
        fn q[n: int, m: int]: Q { return Q[n, map[fn[k: int]: P = P[k + n, float(k) * 0.5], iota[m]]]; }
        fn d[n: int]: D { return D[replicate[n, [P[1, 1.5], P[2, 2.5]]], map[fn[k: int]: Q = q[k, 2], iota[n]]]; }
        fn shown[x: int]: int { print[x]; return x; }";
    let (q0, q1) = ("Q[0, [P[0, 0], P[1, 0.5]]]", "Q[1, [P[1, 0], P[2, 0.5]]]");
    for (body, expected) in [
        ("print[q[3, 2]];", "Q[3, [P[3, 0], P[4, 0.5]]]\n".to_string()),
        ("print[q[3, 0]];", "Q[3, []]\n".to_string()),
        ("var v = q[1, 2]; if 1 { print[v]; } v.n = 9; print[v.n];", format!("{q1}\n9\n")),
        ("for i < 2 { print[q[i, 2]]; }", format!("{q0}\n{q1}\n")),
        ("print[(shown[7], [(1, [q[0, 2]])])];", format!("7\n(7, [(1, [{q0}])])\n")),
        (
            "print[[R[q[0, 2], [1, 2] : [byte]], R[q[1, 2], [3, 300] : [byte]]]];",
            format!("[R[{q0}, [1, 2]], R[{q1}, [3, 44]]]\n"),
        ),
        ("print[d[2]];", format!("D[[[P[1, 1.5], P[2, 2.5]], [P[1, 1.5], P[2, 2.5]]], [{q0}, {q1}]]\n")),
        ("print[d[0]]; print[replicate[0, d[1]]];", "D[[], []]\n[]\n".to_string()),
        ("var g = [[d[1]], [d[1]]]; print[g[1, 0].qs[0]]; print[g[.., 0].qs];", format!("{q0}\n[[{q0}], [{q0}]]\n")),
    ] {
        let text = format!("{functions} fn main[]: int {{ {body} return 0; }}");
        assert_eq!(written(&text), expected, "{body}");
    }
    let (status, output, errors) =
        run(&format!("{functions} fn main[]: int {{ var a = [q[0, 1]]; print[a[1]]; return 0; }}"));
    assert_eq!((status, &*output, &*errors), (134, "", "a.par:5:97: index 1 is out of range: the extent is 1\n"));
}

#[test]
fn slices_are_parts() {
    for (body, expected) in [
        (
            "print[a[1..3]]; print[a[..2]]; print[a[3..]]; print[a[5..]]; print[a[2..2]];",
            "[1, 2]\n[0, 1]\n[3, 4]\n[]\n[]\n",
        ),
        ("print[m[.., 1]]; print[m[1, ..]]; print[m[.., 1..]];", "[2, 5]\n[4, 5, 6]\n[[2, 3], [5, 6]]\n"),
        ("print[c[1.., 0]]; print[c[.., .., 1]];", "[[5, 6], [9, 10]]\n[[2, 4], [6, 8], [10, 12]]\n"),
        ("print[c[2, .., 0]]; print[c[0..1, 1.., ..]];", "[9, 11]\n[[[3, 4]]]\n"),
        ("print[m[2.., ..]]; print[m[.., 3..]];", "[]\n[[], []]\n"),
        ("a[1..4] = a[0..3]; print[a];", "[0, 0, 1, 2, 4]\n"),
        ("a[0..3] = a[2..5]; print[a];", "[2, 3, 4, 3, 4]\n"),
        (
            "m[.., 1] = [8, 9]; print[m]; m[0, 1..] = [0, 0]; print[m];",
            "[[1, 8, 3], [4, 9, 6]]\n[[1, 0, 0], [4, 9, 6]]\n",
        ),
        ("c[.., 1] = c[.., 0]; print[c];", "[[[1, 2], [1, 2]], [[5, 6], [5, 6]], [[9, 10], [9, 10]]]\n"),
        ("c[1..1, ..] = c[0..0]; a[..] = a[..]; print[a];", "[0, 1, 2, 3, 4]\n"),
        ("x[1..] = [2.5, 3.5]; print[x];", "[1.5, 2.5, 3.5]\n"),
        ("a[1..3] = 9; print[a]; x[..] = 0.5; print[x];", "[0, 9, 9, 3, 4]\n[0.5, 0.5, 0.5]\n"),
        ("m[.., 1..] = [8, 9]; print[m]; m[.., 0] = 7; print[m];", "[[1, 8, 9], [4, 8, 9]]\n[[7, 8, 9], [7, 8, 9]]\n"),
        ("c[1..] = [[1, 2], [3, 4]]; c[0] = [[0, 0], [0, 0]]; print[c[.., 0]];", "[[0, 0], [1, 2], [1, 2]]\n"),
        ("var b = a[1..3]; b[0] = 9; print[a]; print[b];", "[0, 1, 2, 3, 4]\n[9, 2]\n"),
    ] {
        assert_eq!(written(&program(body)), expected, "{body}");
    }
}

#[test]
fn shapes_have_the_same_elements() {
    for (body, expected) in [
        ("print[transpose[m]];", "[[1, 4], [2, 5], [3, 6]]\n"),
        ("print[transpose[c]];", "[[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]]\n"),
        ("print[perm[c, 2, 0, 1]];", "[[[1, 3], [5, 7], [9, 11]], [[2, 4], [6, 8], [10, 12]]]\n"),
        ("print[perm[c, 0, 1, 2]];", "[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]\n"),
        ("print[transpose[e]]; print[transpose[replicate[2, iota[0]]]];", "[]\n[]\n"),
        ("print[reshape[iota[6], 2, 3]]; print[reshape[m, 6]];", "[[0, 1, 2], [3, 4, 5]]\n[1, 2, 3, 4, 5, 6]\n"),
        ("print[reshape[e, 0]]; print[reshape[c, 2, 3, 2][1]];", "[]\n[[7, 8], [9, 10], [11, 12]]\n"),
    ] {
        assert_eq!(written(&program(body)), expected, "{body}");
    }
}

#[test]
fn what_is_out_of_range_ends_the_program_with_one_line() {
    for (statement, line) in [
        ("print[a[3..8]];", "a.par:7:11: the slice 3..8 is out of range: the extent is 5"),
        ("print[a[3..2]];", "a.par:7:11: the slice 3..2 is out of range: the extent is 5"),
        ("print[a[-1..2]];", "a.par:7:11: the slice -1..2 is out of range: the extent is 5"),
        ("print[a[n..]];", "a.par:7:11: the slice 7..5 is out of range: the extent is 5"),
        ("print[a[..-n]];", "a.par:7:11: the slice 0..-7 is out of range: the extent is 5"),
        (
            "print[a[-2147483647 - 1..2147483647]];",
            "a.par:7:11: the slice -2147483648..2147483647 is out of range: the extent is 5",
        ),
        ("print[m[.., 2..4]];", "a.par:7:11: the slice 2..4 is out of range: the extent is 3"),
        ("print[m[.., n]];", "a.par:7:11: index 7 is out of range: the extent is 3"),
        ("print[m[-n, ..]];", "a.par:7:11: index -7 is out of range: the extent is 2"),
        ("a[2..6] = iota[4];", "a.par:7:5: the slice 2..6 is out of range: the extent is 5"),
        ("a[2..4] = iota[3];", "a.par:7:5: the extents 2 and 3 differ"),
        ("m[.., 0..2] = [[1, 2]];", "a.par:7:5: the extents 2 and 1 differ"),
        ("m[.., ..] = [1, 2];", "a.par:7:5: the extents 3 and 2 differ"),
        ("m[n, ..] = a;", "a.par:7:5: index 7 is out of range: the extent is 2"),
        ("print[reshape[a, 2, 3]];", "a.par:7:11: the extents 5 and 6 differ"),
        ("print[reshape[a, -1, -5]];", "a.par:7:11: the size -1 is negative"),
        ("print[reshape[a, 65536, 65536]];", "a.par:7:11: the extents 5 and 268435456 differ"),
    ] {
        let text = program(&format!("    print[42];\n    {statement}\n    print[43];"));
        assert_eq!(run(&text), (134, "42\n".to_string(), format!("{line}\n")), "{statement}");
        let found = interpret(&parsed(&text).1, b"", 10_000, 10).expect("an end");
        assert_eq!((found.status, found.output), (134, b"42\n".to_vec()), "{statement}");
    }
}

/// Functions with sizes in their types.
const SIZED: &str = "
fn dot[a: [int; n], b: [int; n]]: int { var s = 0; for i < n { s = s + a[i] * b[i]; } return s; }
fn product[a: [[int; k]; n], b: [[int; m]; k]]: [[int; m]; n] {
    var c: [[int; m]; n];
    for i < n { for j < m { for l < k { c[i, j] = c[i, j] + a[i, l] * b[l, j]; } } }
    return c;
}
fn three[a: [float; 3]]: [float; 3] { return a * 2.0; }
fn first[n: int, a: [int]]: [int; n] { return a[..2]; }
fn own[a: *[int; n]]: *[int; n] { a[0] = n; return a; }
fn outer[a: [int; n]]: int { fn inner[b: [int; n]]: int { return n; } return inner[concat[a, a]] + n; }
struct P { x: int, y: [int] }
fn points[a: [P; n], b: [int; n]]: int { return n + a[0].x + b[0]; }
";

#[test]
fn sizes_are_bound_and_checked() {
    for (body, expected) in [
        ("print[dot[a, a]]; print[dot[iota[0], a[2..2]]];", "30\n0\n"),
        ("print[product[m, transpose[m]]];", "[[14, 32], [32, 77]]\n"),
        ("print[three[x]];", "[3, -0, inf]\n"),
        ("print[first[2, a]]; print[own[copy[a]]]; print[outer[a]];", "[0, 1]\n[5, 1, 2, 3, 4]\n15\n"),
        ("print[points[[P[1, [2]], P[3, [4]]], m[.., 0]]];", "4\n"),
        ("var z: [[float; 2]; n]; print[size[z] + size[z, 1]]; print[z[6]];", "9\n[0, 0]\n"),
        (
            "var y: [int; 5] = a; y[0] = 1; print[(y + a): [int; 5]]; print[a: [int; 5]];",
            "[1, 2, 4, 6, 8]\n[0, 1, 2, 3, 4]\n",
        ),
    ] {
        assert_eq!(written(&(program(body) + SIZED)), expected, "{body}");
    }
    for (statement, line) in [
        ("print[dot[a, a[1..]]];", "a.par:12:30: the extents 5 and 4 differ"),
        ("print[product[m, m]];", "a.par:13:44: the extents 3 and 2 differ"),
        ("print[three[x[1..]]];", "a.par:18:21: the extents 3 and 2 differ"),
        ("print[first[3, a]];", "a.par:19:47: the extents 3 and 2 differ"),
        ("print[points[[P[1, [2]]], a]];", "a.par:23:31: the extents 1 and 5 differ"),
        ("print[a: [int; 4]];", "a.par:7:11: the extents 4 and 5 differ"),
        ("var z: [[int; n]; 2] = m; print[z];", "a.par:7:28: the extents 7 and 3 differ"),
        ("var k = -1; var z: [int; k]; print[z];", "a.par:7:21: the size -1 is negative"),
    ] {
        let text = program(&format!("    print[42];\n    {statement}\n    print[43];")) + SIZED;
        assert_eq!(run(&text), (134, "42\n".to_string(), format!("{line}\n")), "{statement}");
        let found = interpret(&parsed(&text).1, b"", 10_000, 10).expect("an end");
        assert_eq!((found.status, found.output), (134, b"42\n".to_vec()), "{statement}");
    }
}

/// A random dimension of a slice: its text, and the extent of the slice, if it keeps the dimension.
fn dimension(rng: &mut Rng, extent: usize) -> (String, Option<usize>) {
    let low = rng.below(extent + 1);
    let high = low + rng.below(extent - low + 1);
    match rng.below(6) {
        0 if extent > 0 => (rng.below(extent).to_string(), None),
        1 => ("..".to_string(), Some(extent)),
        2 => (format!("{low}.."), Some(extent - low)),
        3 => (format!("..{high}"), Some(high)),
        _ => (format!("{low}..{high}"), Some(high - low)),
    }
}

/// Slices, updates of slices, permutations and reshapes of random arrays equal the interpreter's.
#[test]
fn random_shapes_agree_with_the_interpreter() {
    let mut rng = Rng::new(7);
    for _ in 0..12 {
        let mut body = String::new();
        for k in 0..25 {
            let rank = 1 + rng.below(4);
            let extents: Vec<usize> = (0..rank).map(|_| rng.below(5)).collect();
            let count: usize = extents.iter().product();
            let list = extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let _ = writeln!(body, "var a{k} = reshape[iota[{count}], {list}]; print[a{k}];");
            let named = 1 + rng.below(rank);
            let dimensions: Vec<(String, Option<usize>)> =
                extents[..named].iter().map(|&extent| dimension(&mut rng, extent)).collect();
            let texts = dimensions.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(", ");
            let kept: Vec<usize> =
                dimensions.iter().filter_map(|(_, kept)| *kept).chain(extents[named..].iter().copied()).collect();
            if dimensions.iter().any(|(_, kept)| kept.is_some()) {
                let count: usize = kept.iter().product();
                let list = kept.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let _ = writeln!(
                    body,
                    "print[a{k}[{texts}]]; var b{k} = a{k};\n\
                     b{k}[{texts}] = reshape[concat[[-7], iota[{count}]][1..], {list}]; print[b{k}];\n\
                     b{k}[{texts}] = a{k}[{texts}]; print[b{k}];"
                );
            }
            let mut order: Vec<usize> = (0..rank).collect();
            (1..rank).for_each(|k| order.swap(k, rng.below(k + 1)));
            let order = order.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let _ = writeln!(body, "print[perm[a{k}, {order}]];");
        }
        written(&format!("fn main[]: int {{\n{body}return 0;\n}}\n"));
    }
}

/// Memory that is not needed any more is released, so loops with slices run in constant memory.
#[test]
fn loops_with_slices_take_no_memory() {
    let text = program(
        "var state = arena[]; var before = load_word[state];
        for i < 300 {
            // Two copies of `a`, and one of `m`.
            if load_word[state] - before > 100 { print[i]; }
            a[1..3] = a[2..4]; a = concat[a[1..], a[..1]]; m[.., 1] = transpose[m][0, ..];
        }
        print[size[a]];",
    );
    assert_eq!(run(&text), (0, "5\n".to_string(), String::new()));
}

/// A unique parameter of structs takes over all arrays of its fields, by a function of the runtime.
#[test]
fn unique_arrays_of_structs_are_taken_over() {
    for fields in ["x: int, y: float", "x: int, y: byte"] {
        let (value, shown) = if fields.ends_with("byte") { ("P[1, 7]", "P[5, 7]") } else { ("P[1, 0.5]", "P[5, 0.5]") };
        let text = format!(
            "struct P {{ {fields} }}
            fn changed[a: *[P]]: *[P] {{ a[0].x = 5; return a; }}
            fn main[]: int {{ var a = [{value}, {value}]; a = changed[a]; print[a[0]]; return 0; }}"
        );
        assert_eq!(written(&text), format!("{shown}\n"));
    }
}

/// A program has only the functions of the runtime that it needs.
#[test]
fn programs_have_only_what_they_need() {
    let functions = |body: &str| {
        let tree = parsed(&format!("fn main[]: int {{ var a = [1, 2]; {body} return a[0]; }}")).1;
        let present = tree.functions.iter().filter(|function| function.node.is_some());
        present.map(|function| function.name.clone()).collect::<Vec<_>>()
    };
    let plain = functions("");
    for (body, name) in [
        ("print[a[0]];", "print_number"),
        ("print[a];", "print_numbers"),
        ("a[0..1] = a[1..2];", "set_slice"),
        ("a = concat[a, a];", "join"),
        ("a = reshape[a, 2];", "reshaped"),
        ("a = a[1..];", "sliced"),
        ("while a[0] > 3 { a[0] = 1; }", "compact"),
    ] {
        assert!(functions(body).iter().any(|function| function == name), "{name}");
        assert!(!plain.iter().any(|function| function == name), "{name}");
    }
    assert!(!functions("print[a];").iter().any(|function| function == "print_float"));
    assert!(plain.len() < 12, "{plain:?}");
}
