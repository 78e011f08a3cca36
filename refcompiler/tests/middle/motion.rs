//! Code motion: the tree after the pass, the meaning of programs, and the instructions that are saved.

use crate::kept;
use crate::oracle::motion::moved;
use crate::oracle::nodes::{around, assert_same};
use crate::toolchain::{self, parsed};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::motion::{MOST, motion};
use refcompiler::pipeline::Output;
use refcompiler::pipeline::settings::{Optimisations, Settings};

/// Only this pass.
fn alone() -> Optimisations {
    Optimisations { motion: true, ..Optimisations::default() }
}

/// Returns the nodes of a program before the pass and after it, and asserts that the oracle has the same.
fn checked(what: &str, tree: &Tree, optimisations: Optimisations) -> (HostNodes, HostNodes) {
    let (before, after) = around(tree, Optimisations { motion: true, ..optimisations }, "motion").expect("the pass");
    assert_same(what, &after, &moved(&before));
    (before, after)
}

/// Returns the nodes of a kind that are in loops of functions of the program, which come before the functions of the runtime.
fn in_loops(nodes: &HostNodes, kind: Kind, functions: usize) -> usize {
    let roots = (0..nodes.kind.len()).filter(|&i| nodes.depth[i] == 0);
    let end = { roots }.nth(functions).unwrap_or(nodes.kind.len());
    let mut open: Vec<(u32, Kind)> = Vec::new();
    let mut count = 0;
    for i in 0..end {
        open.retain(|&(depth, _)| depth < nodes.depth[i]);
        let is_in_loop = open
            .iter()
            .zip(open.iter().skip(1))
            .any(|(above, below)| above.1 == Kind::While || above.1 == Kind::For && below.1 == Kind::Block)
            || open.last().is_some_and(|last| last.1 == Kind::While);
        count += usize::from(is_in_loop && nodes.kind[i] == kind);
        open.push((nodes.depth[i], nodes.kind[i]));
    }
    count
}

/// Asserts that a program means the same at all levels, and with only this pass.
fn agrees(text: &str) {
    kept::agrees(text, &[Optimisations::default(), alone(), Optimisations::of_level(1)]);
}

/// How many DATA, EXTENT and MUL are left in loops, and the functions of a program with one or two functions.
const FORMS: &[(usize, usize, usize, &str)] = &[
    // The first loop of a program of numbers, and of arrays.
    (0, 0, 0, "fn main[]: int { var a = iota[9]; var s = 0; for i < 9 { s = s + a[i]; } return s; }"),
    (
        0,
        0,
        0,
        "fn f[a: [int]]: int { var s = 0; for i < 9 { s = s + a[i]; } return s; } fn main[]: int { return f[iota[9]]; }",
    ),
    (0, 0, 0, "fn main[]: int { var x = 3; var s = 0; while s < 50 { s = s + x * x; } return s; }"),
    // Both loops.
    (0, 0, 1, "fn main[]: int { var x = 3; var s = 0; for i < 5 { for j < 5 { s = s + x * x + i * x; } } return s; }"),
    (
        0,
        0,
        1,
        "fn main[]: int { var m = [[1, 2], [3, 4]]; var s = 0; for k < 2 { for i < 2 { s = s + m[i, i]; } } return s; }",
    ),
    // In the inner one only.
    (1, 1, 0, "fn main[]: int { var s = 0; for i < 5 { var a = iota[i + 1]; for j < i { s = s + a[j]; } } return s; }"),
    (0, 0, 1, "fn main[]: int { var x = 3; var s = 0; for i < 5 { for j < 5 { s = s + x * i; } } return s; }"),
    (
        0,
        0,
        1,
        "fn main[]: int { var x = 3; var s = 0; for i < 5 { x = x + 1; for j < 5 { s = s + x * x; } } return s; }",
    ),
    // The loop changes something.
    (1, 1, 0, "fn main[]: int { var a = iota[3]; var s = 0; for i < 3 { s = s + a[i]; a = iota[3]; } return s; }"),
    (0, 0, 1, "fn main[]: int { var s = 1; for i < 3 { s = s * s + 1; } return s; }"),
    (0, 0, 1, "fn main[]: int { var s = 1; for i < 3 { s = s + i * i; } return s; }"),
    // Elements are written, the data stay where they are.
    (0, 0, 0, "fn main[]: int { var a = iota[5]; for i < 5 { a[i] = a[i] + a[0]; } return a[3]; }"),
    // Nothing that can be observed moves, but its operands do.
    (0, 0, 0, "fn main[]: int { var a = iota[5]; var x = 9; var n = 0; while n > 0 { n = n - a[x * x]; } return n; }"),
];

#[test]
fn values_that_do_not_change_leave_loops() {
    for &(data, extents, products, text) in FORMS {
        let tree = parsed(text);
        let (_, after) = checked(text, &tree, Optimisations::default());
        let functions = text.matches("fn ").count();
        let found = [Kind::Data, Kind::Extent, Kind::Mul].map(|kind| in_loops(&after, kind, functions));
        assert_eq!(found, [data, extents, products], "{text}");
        agrees(text);
    }
}

/// Programs in which something that looks like it does not change does, or is not there yet.
const TRAPS: &[&str] = &[
    // Updates of elements, directly and by functions.
    "fn main[]: int { var a = [1, 2, 3]; for i < 3 { a[i] = a[2 - i] * 2; } print[a]; return 0; }",
    "fn set[a: *[int], i: int]: *[int] { a[i] = 9; return a; }
     fn main[]: int { var a = [1, 2, 3]; for i < 2 { a = set[a, i]; print[a[i + 1]]; } print[a]; return 0; }",
    "fn set[a: *[int], i: int]: *[int] { a[i] = 9; return a; }
     fn main[]: int { var a = [1, 2, 3]; var i = 0; while a[i] != 9 { a = set[a, i]; } print[a]; return 0; }",
    "fn last[a: [int]]: int { return a[size[a] - 1]; }
     fn main[]: int { var a = [1, 2, 3]; for i < 3 { a[2] = a[2] + last[a]; } print[a]; return 0; }",
    // A variable is given away in a branch that leaves the loop.
    "fn take[a: *[int]]: int { a[0] = 5; return a[0]; }
     fn main[]: int { var a = [1, 2, 3]; for i < 9 { if a[i] == 2 { return take[a] + i; } } return 0; }",
    // It gets arrays of other sizes, at other addresses.
    "fn main[]: int { var a = [1]; var s = 0; for i < 6 { s = s + a[size[a] - 1]; a = concat[a, a]; } print[s]; print[size[a]]; return 0; }",
    "fn main[]: int { var a = [1, 2]; var b = [3]; for i < 5 { var t = a; a = b; b = t; print[a[0]]; print[size[b]]; } return 0; }",
    "fn main[]: int { var s = 0; for i < 4 { var a = iota[i + 1]; for j < i + 1 { var b = replicate[j, a[j]]; s = s + size[b]; for k < j { s = s + b[k] + a[k]; } } } print[s]; return 0; }",
    // Blocks below move at the end of an outer loop.
    "fn main[]: int { var keep = [0]; for i < 5 { var big = iota[50]; var mine = iota[i + 2]; keep = mine;
     for j < i { keep[0] = keep[0] + mine[j] + big[j]; var t = iota[7]; mine[j] = t[j]; } print[keep]; print[mine]; } return 0; }",
    // Rows and slices.
    "fn main[]: int { var m = [[1, 2], [3, 4]]; for i < 2 { var r = m[i]; for j < 2 { r[j] = r[j] + m[1 - i, j]; } m[i] = r; } print[m]; return 0; }",
    "fn main[]: int { var m = [[1, 2, 3], [3, 4, 5]]; for i < 2 { var r = m[i, 1..]; for j < 2 { m[i, j] = r[j]; } } print[m]; return 0; }",
    "fn main[]: int { var a = iota[6]; for i < 3 { a[i..i + 2] = a[i + 2..i + 4]; print[a[i]]; } print[a]; return 0; }",
    // Structs with arrays.
    "struct P { a: [int], n: int } fn main[]: int { var p = P[[1, 2, 3], 3]; for i < p.n { p.a[i] = p.a[i] * p.n; } print[p.a]; return 0; }",
    "struct P { a: [int], n: int } fn next[p: P]: P { return P[concat[p.a, [p.n]], p.n + 1]; }
     fn main[]: int { var p = P[[7], 1]; while size[p.a] < 5 { print[p.a[size[p.a] - 1]]; p = next[p]; } print[p.a]; return 0; }",
    "struct P { a: [int], n: int } fn both[p: P]: (P, int) { return (P[p.a * 2, p.n], sum[p.a]); }
     fn main[]: int { var p = P[[7], 1]; var s = 0; for i < 3 { var (q, t) = both[p]; p = q; s = s + t + p.a[0]; } print[s]; return 0; }",
    "struct P { x: int, a: [int] } fn main[]: int { var ps = [P[1, [2, 3]], P[4, [5, 6]]]; for i < 2 { for j < 2 { ps[i].a[j] = ps[i].x + ps[1 - i].a[j]; } } print[ps[0].a]; print[ps[1].a]; return 0; }",
    // Nested functions that write variables.
    "fn main[]: int { var a = [1, 2]; var n = 0; fn grow[]: void { n = n + 1; } while size[a] < 20 { grow[]; a = concat[a, a]; print[a[size[a] - 1] + n * n]; } return 0; }",
    "fn main[]: int { var x = 2; fn up[]: int { x = x + 1; return x; } var s = 0; for i < 4 { s = s + x * x; up[]; } print[s]; return 0; }",
    "fn main[]: int { var x = 2; fn use[]: int { var s = 0; for i < 3 { s = s + x * x; change[]; } return s; } fn change[]: void { x = x + 1; } print[use[]]; print[x]; return 0; }",
    "fn main[]: int { var x = 2; fn see[]: int { return x; } var s = 0; for i < 4 { s = s + x * x + see[]; } print[s]; return 0; }",
    "fn main[]: int { var a = [4, 5, 6]; var n = 0; fn outer[]: void { fn inner[]: void { n = n + 1; } for i < 3 { inner[]; print[a[n - 1] + n * n]; } } outer[]; n = 0; outer[]; return 0; }",
    "fn main[]: int { for i < 3 { fn f[n: int]: int { var s = 0; for j < n { s = s + i * i + n * n; } return s; } print[f[i + 1]]; } return 0; }",
    // Recursion: the variables of another call are others.
    "fn f[n: int]: int { var x = n; var s = 0; for i < n { s = s + x * x + f[n - 1]; } return s; } fn main[]: int { print[f[4]]; return 0; }",
    "fn f[n: int, a: [int]]: int { if n == 0 { return a[0]; } var b = a + n; var s = 0; for i < size[b] { s = s + f[n - 1, b] + b[i]; } return s; } fn main[]: int { print[f[3, [1, 2]]]; return 0; }",
    "fn f[n: int]: int { var x = n; fn g[k: int]: int { var s = 0; for i < k { s = s + x * x; x = x + 1; if k > 1 { s = s + f[k - 1]; } } return s; } return g[n] + x; } fn main[]: int { print[f[3]]; return 0; }",
    // Nothing is there before the first iteration.
    "fn main[]: int { var m: [[int]]; for i < size[m] { print[m[i, 0]]; } print[size[m]]; return 0; }",
    "fn main[]: int { var t = map[fn[x: int]: [int] = [x, x], iota[3]]; for i < 3 { for j < 2 { print[t[i, j]]; } } return 0; }",
    "fn f[n: int]: int { var m = map[fn[x: int]: [int] = iota[n], iota[n]]; var s = 0; for i < n { for j < n { s = s + m[i, j]; } } return s; } fn main[]: int { print[f[0]]; print[f[3]]; return 0; }",
    "fn main[]: int { var n = 0; while (var x = n * n) < 20 { var y = x + 1; for i < 2 { n = n + 1; print[x * y]; } } return 0; }",
    "fn main[]: int { g[0]; var a = [1]; g[1]; fn g[n: int]: void { for i < n { print[a[i]]; } } return 0; }",
    // Failures stay where they are.
    "fn main[]: int { var a = [1, 2, 3]; var x = 7; for i < 2 { print[i]; if i == 1 { print[a[x * x]]; } } return 0; }",
    "fn main[]: int { var x = 0; var y = 5; for i < 2 { if x != 0 { print[y / x]; } print[y / (x + 0)]; print[y % x]; } return 0; }",
    "fn main[]: int { var n = 0; var a = [1]; for i < n { print[a[n - 1]]; } print[n]; return 0; }",
    "fn main[]: int { var n = -1; for i < 2 { print[i]; print[size[replicate[n * n * n, 1]]]; } return 0; }",
    // Values of floats: each bit.
    "fn main[]: int { var x = 0.0; var y = -0.0; var z = 0.0 / x; for i < 2 { print[x + y]; print[y * x]; print[z == z]; print[1.0 / (y * 3.0)]; print[z + 1.0]; print[-(x - y)]; } return 0; }",
    "fn main[]: int { var x = 7.5; var y = 2.0; for i < 3 { print[x % y]; print[sqrt[x * y]]; print[abs[y - x]]; print[int(x * 100.0)]; } return 0; }",
    // Shadowed and equal values.
    "fn main[]: int { var x = 3; for i < 2 { print[x * x]; var x = i; print[x * x]; } for i < 2 { print[x * x]; } return 0; }",
    "fn main[]: int { var x = 3; var y = 3; for i < 2 { print[x * 3 + 1]; print[y * 3 + 1]; print[x * 3 + 1 - (y * 3 + 1)]; y = y + 1; } return 0; }",
    "fn main[]: int { var x = 3; for i < 2 { for j < 2 { print[(x * x + i) * (x * x + i) + x * x]; } } return 0; }",
    "fn main[]: int { var i = 5; for i < i * i - 22 { print[i * i]; } while i * i > 9 { i = i - 1; print[i * i]; } return 0; }",
    "fn main[]: int { var a = [1, 2, 3] : [byte]; var b = [300, 2, 3] : [short]; for i < 3 { a[i] = a[i] * b[0]; b[i] = b[i] * a[2]; } print[a]; print[b]; return 0; }",
];

#[test]
fn programs_that_would_break_mean_the_same() {
    for text in TRAPS {
        let tree = parsed(text);
        for level in [0, 1] {
            checked(text, &tree, Optimisations::of_level(level));
        }
        agrees(text);
    }
    assert!(TRAPS.len() >= 29);
}

#[test]
fn a_loop_has_a_limited_number_of_variables() {
    let sum = (0..30).map(|k| format!("x * {k} + y")).collect::<Vec<_>>().join(" + i * (");
    let text = format!(
        "fn main[]: int {{ var x = 3; var y = 4; var s = 0; for i < 9 {{ s = s + {sum}{}; }} print[s]; return 0; }}",
        ")".repeat(29)
    );
    let (before, after) = checked(&text, &parsed(&text), Optimisations::default());
    let declarations = |nodes: &HostNodes| {
        let end = (1..nodes.kind.len()).find(|&i| nodes.depth[i] == 0).unwrap_or(nodes.kind.len());
        nodes.kind[..end].iter().filter(|&&kind| kind == Kind::Declare).count()
    };
    assert_eq!(declarations(&after) - declarations(&before), MOST as usize);
    agrees(&text);
}

#[test]
fn the_pass_equals_a_search() {
    for (what, tree, level) in toolchain::samples(&kept::DRAWS, 25) {
        checked(&what, &tree, Optimisations::of_level(level));
    }
}

/// Nests of loops of many depths.
#[test]
fn deep_nests_equal_a_search() {
    for depth in [1, 2, 5, 17, 40] {
        let mut text = "fn main[]: int { var a = [1, 2]; var x = 3; var s = 0; ".to_string();
        for k in 0..depth {
            let inner = if k == 0 { "x".to_string() } else { format!("y{} * x + a[1]", k - 1) };
            text += &format!("var n{k} = 0; while n{k} < 1 {{ n{k} = n{k} + 1; var y{k} = {inner}; ");
        }
        let sum = (0..depth).rev().map(|k| format!("(x * y{k} + ")).collect::<String>();
        text += &format!("s = s + {sum}a[0]{};", ")".repeat(depth));
        text += &format!("{} print[s]; return 0; }}", "}".repeat(depth));
        checked(&format!("{depth} loops"), &parsed(&text), Optimisations::default());
        agrees(&text);
    }
}

#[test]
fn parts_are_changed_as_the_whole_program() {
    let bodies = TRAPS.iter().filter(|text| text.matches("fn main").count() == 1 && !text.contains("struct"));
    let text: String = bodies
        .enumerate()
        .map(|(k, text)| {
            let body = text.split("fn main[]: int").last().unwrap_or_default();
            if text.matches("\n     fn").count() > 0 || !text.starts_with("fn main") {
                String::new()
            } else {
                format!("fn body{k}[]: int {body}\n")
            }
        })
        .collect();
    let text = format!("{text} fn main[]: int {{ return body0[]; }}");
    let tree = parsed(&text);
    let settings = Settings { optimisations: Optimisations::of_level(1), ..Output::Executable.into() };
    kept::same_in_parts(&text, &tree, settings);
}

/// A program without loops, and one without anything, do not change.
#[test]
fn programs_without_loops_stay() {
    kept::stays(&checked("no loop", &parsed("fn main[]: int { return 1 + 2; }"), Optimisations::default()).0, motion);
}

/// Programs that become faster.
const SAVED: &[kept::Saved] = &[
    (
        "a matrix product",
        1_200,
        "fn product[a: [[int; k]; n], b: [[int; m]; k]]: [[int; m]; n] { var c: [[int; m]; n];
           for i < n { for j < m { for l < k { c[i, j] = c[i, j] + a[i, l] * b[l, j]; } } } return c; }
         fn main[]: int { var a = reshape[iota[400], 20, 20]; var c = product[a, a]; return c[3, 4] & 1; }",
    ),
    (
        "a sieve",
        1_050,
        "fn main[]: int { var n = 3000; var p = replicate[n, 1]; var i = 2; var count = 0;
           while i < n { if p[i] { count = count + 1; var j = 2 * i; while j < n { p[j] = 0; j = j + i; } } i = i + 1; } return count & 1; }",
    ),
    (
        "a bubble sort",
        1_080,
        "fn main[]: int { var a = iota[60] * 7919 & 255; var n = size[a];
           for i < n { for j < n - 1 { if a[j] > a[j + 1] { var t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } } } return a[3] & 1; }",
    ),
    (
        "a polynomial",
        1_050,
        "fn f[x: int, y: int]: int { var s = 0; for i < 3000 { s = s * (x * y + 3) + (x - y) * i; } return s; }
         fn main[]: int { return f[5, 7] & 1; }",
    ),
];

#[test]
fn loops_execute_fewer_instructions() {
    kept::saves(SAVED, |motion| Optimisations { motion, ..Optimisations::of_level(1) });
}
