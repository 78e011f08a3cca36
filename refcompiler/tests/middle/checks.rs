//! Checks that counted loops and earlier checks imply: the tree after the pass, failures, and the instructions that are saved.

use crate::kept;
use crate::oracle::checks::without_checks;
use crate::oracle::interpreter::{Outcome, interpret};
use crate::oracle::nodes::{around, assert_same};
use crate::toolchain::{self, Draw, parsed};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::settings::Optimisations;
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::{array_program, composite_program, typed_program, whole_program};

/// Only this pass.
fn alone() -> Optimisations {
    Optimisations { checks: true, ..Optimisations::default() }
}

/// Returns the nodes after the pass, and asserts that the oracle has the same.
fn checked(what: &str, tree: &Tree, optimisations: Optimisations) -> Option<HostNodes> {
    let (before, after) = around(tree, Optimisations { checks: true, ..optimisations }, "checks")?;
    assert_same(what, &after, &without_checks(&before));
    Some(after)
}

/// The number of checks of indices that are left, and a program.
const FORMS: &[(usize, &str)] = &[
    // The bound is the extent, or a variable or size that is equal to it.
    (0, "fn f[a: [int]]: int { var s = 0; for i < size[a] { s = s + a[i]; } return s; } fn main[]: int { return f[iota[5]]; }"),
    (0, "fn f[a: [int]]: int { var n = size[a]; var s = 0; for i < n { s = s + a[i]; } return s; } fn main[]: int { return f[iota[5]]; }"),
    (0, "fn f[a: [int]]: int { var n = size[a]; var m = n; var s = 0; for i < m { s = s + a[i]; } return s; } fn main[]: int { return f[iota[5]]; }"),
    (0, "fn f[a: [int; n], b: [int; n]]: int { var s = 0; for i < n { s = s + a[i] * b[i]; } return s; } fn main[]: int { return f[iota[5], iota[5]]; }"),
    (0, "fn f[a: *[int; n]]: *[int] { for i < n { a[i] = a[i] + 1; } return a; } fn main[]: int { print[f[iota[5]]]; return 0; }"),
    (0, "fn product[a: [[int; k]; n], b: [[int; m]; k]]: [[int; m]; n] { var c: [[int; m]; n];
         for i < n { for j < m { for l < k { c[i, j] = c[i, j] + a[i, l] * b[l, j]; } } } return c; }
         fn main[]: int { var a = reshape[iota[16], 4, 4]; print[product[a, a]]; return 0; }"),
    (0, "fn main[]: int { var n = 7; var a = replicate[n, 2]; for i < n { a[i] = a[i] + i; } print[a]; return 0; }"),
    (0, "fn main[]: int { var a = iota[7]; for i < 7 { a[i] = a[i] + i; } for i < 3 { a[i] = a[i + 4]; } print[a]; return 0; }"),
    (0, "fn main[]: int { var a = copy[replicate[3, [1, 2] : [byte]]]; var b = replicate[4, replicate[5, 1.5]]; for i < 4 { for j < 5 { b[i, j] = b[i, j] * 2.0; } } print[b]; return size[a]; }"),
    (0, "fn main[]: int { var a = [4, 7, 1]; var b = [2, 5, 6]; for i < size[a] { print[a[i] + b[i]]; } for i < 2 { print[b[i + 1]]; } return 0; }"),
    (1, "fn main[]: int { var a = [4, 7, 1]; var b = [0.5, 1.5, 2.5]; var i = 0; while i < 3 { print[float(a[i]) * b[i]]; i = i + 1; } return 0; }"),
    // Neighbours.
    (0, "fn f[a: *[int]]: *[int] { var n = size[a]; for i < n { for j < n - 1 { if a[j] > a[j + 1] { var t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } } } return a; }
         fn main[]: int { print[f[iota[6] * 7919 & 255]]; return 0; }"),
    (0, "fn f[a: [int]]: int { var s = 0; for i < size[a] - 3 { s = s + a[i] + a[1 + i] + a[i + 3]; } return s; } fn main[]: int { return f[iota[6]] + f[iota[2]] + f[iota[0]]; }"),
    // The counter of a loop around is subtracted from the bound.
    (0, "fn f[a: *[int]]: *[int] { var n = size[a]; for i < n - 1 { for j < n - 1 - i { if a[j] > a[j + 1] { var t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } } } return a; }
         fn main[]: int { print[f[iota[6] * 7919 & 255]]; return 0; }"),
    (0, "fn f[a: [int]]: int { var s = 0; for i < size[a] { for j < size[a] - i { s = s + a[j]; } for j < size[a] - i - 2 { s = s + a[j + 2]; } } return s; } fn main[]: int { return f[iota[5]] & 63; }"),
    (0, "fn main[]: int { var a = iota[7]; var s = 0; for i < 5 { for j < 7 - i { s = s + a[j]; } } return s; }"),
    (0, "fn f[a: [int]]: int { var s = 0; for i < 9 { for j < size[a] - i { s = s + a[j]; } } return s; } fn main[]: int { return f[iota[5]]; }"),
    (1, "fn f[a: [int]]: int { var s = 0; for i < size[a] { for j < size[a] - i { if i > 0 { s = s + a[j + 1]; } } } return s; } fn main[]: int { return f[iota[5]]; }"),
    (1, "fn f[a: [int], n: int]: int { var s = 0; for i < n { for j < size[a] - i { s = s + a[j]; } } return s; } fn main[]: int { return f[iota[5], 5]; }"),
    (1, "fn main[]: int { var a = iota[7]; var s = 0; for i < 5 { for j < 8 - i { if i > 0 { s = s + a[j]; } } } return s; }"),
    // One more than what is known.
    (1, "fn f[a: [int]]: int { var s = 0; for i < size[a] - 1 { s = s + a[i] + a[i + 2 - 1] ; } return s; } fn main[]: int { return f[iota[5]]; }"),
    (1, "fn f[a: [int]]: int { var s = 0; for i < size[a] - 3 { s = s + a[i + 4]; } return s; } fn main[]: int { return f[iota[3]]; }"),
    (1, "fn f[a: [int]]: int { var s = 0; for i < size[a] + 1 { s = s + 1; if i < size[a] { s = s + a[i]; } } return s; } fn main[]: int { return f[iota[3]]; }"),
    (1, "fn main[]: int { var a = iota[7]; var s = 0; for i < 3 { s = s + a[i + 5 - 1]; } return s; }"),
    // The counter of another loop, or of none.
    (2, "fn main[]: int { var a = iota[7]; var b = iota[8]; var n = 7; var s = 0; for i < 8 { if i < n { s = s + a[i]; } s = s + b[7 - i]; } return s; }"),
    (1, "fn f[a: [int]]: int { var s = 0; var i = 0; while i < size[a] { s = s + a[i]; i = i + 1; } return s; } fn main[]: int { return f[iota[5]]; }"),
    // An earlier check has the same index and extent.
    (1, "fn f[a: *[int], i: int]: *[int] { a[i] = a[i] + a[i] * 2; return a; } fn main[]: int { print[f[iota[5], 3]]; print[f[iota[5], 5]]; return 0; }"),
    (1, "fn f[a: [int; n], b: [int; n], i: int]: int { return a[i] + b[i]; } fn main[]: int { return f[iota[5], iota[5], 3] + f[iota[5], iota[5], -1]; }"),
    (2, "fn f[a: [int], i: int]: int { return a[i] + a[i + 1] + a[i] * a[1 + i]; } fn main[]: int { print[f[iota[5], 3]]; return f[iota[5], 4]; }"),
    (1, "fn main[]: int { var a = iota[5]; var i = 0; while i < 6 { if a[i] > 2 { print[a[i]]; } else { print[a[i] + 1]; } i = i + 1; } return 0; }"),
    (1, "fn main[]: int { var a = iota[5]; var i = 4; while a[i] > -1 { print[a[i]]; i = i - 1; } return 0; }"),
    (1, "fn main[]: int { var a = iota[5]; var i = 2; print[a[i]]; for k < 3 { print[a[i] + k]; } return a[i]; }"),
    (1, "fn main[]: int { var a = iota[5]; for i < 6 { for j < 2 { a[i] = a[i] + j; } } return 0; }"),
    (2, "fn main[]: int { var a = iota[5]; var i = 2; print[if[a[i] > 1, a[i], 7]]; i = i + 1; print[a[i] + a[i]]; return 0; }"),
    (2, "fn main[]: int { var m = reshape[iota[9], 3, 3]; var i = 1; var j = 2; m[i, j] = m[i, j] + 1; print[m[i, j]]; return 0; }"),
];

#[test]
fn counted_loops_imply_checks() {
    for &(left, text) in FORMS {
        let after = checked(text, &parsed(text), Optimisations::default()).expect("the pass");
        let found = after.kind.iter().filter(|&&kind| kind == Kind::CheckIndex).count();
        assert_eq!(found, left, "{text}");
        agrees(text);
    }
}

/// Returns the outcome of a program.
fn outcome(tree: &Tree, optimisations: Optimisations) -> (Outcome, Vec<u8>) {
    let elf = toolchain::built_with(Target::Riscv32, tree, optimisations).unwrap_or_else(|error| panic!("{error}"));
    let found = toolchain::simulated(&elf, b"", Limits { guard_arena: true, guard_blocks: true, ..Limits::default() });
    (Outcome { output: found.output, status: found.status.unwrap_or_else(|fault| panic!("{fault}")) }, found.errors)
}

/// Asserts that a program does the same with and without the pass, with the same messages.
fn agrees(text: &str) {
    let tree = parsed(text);
    let expected = outcome(&tree, Optimisations::default());
    assert_eq!(expected.0, interpret(&tree, b"", 5_000_000, 1_000).unwrap_or_else(|stop| panic!("{text}\n{stop:?}")));
    for optimisations in [alone(), Optimisations::of_level(1)] {
        assert_eq!(outcome(&tree, optimisations), expected, "{optimisations:?}: {text}");
    }
}

/// Programs in which a check looks implied and is not.
const TRAPS: &[&str] = &[
    // The array or the bound changes.
    "fn main[]: int { var a = iota[5]; for i < size[a] { print[a[i]]; a = iota[3]; } return 0; }",
    "fn main[]: int { var a = iota[5]; var n = size[a]; a = iota[3]; for i < n { print[a[i]]; } return 0; }",
    "fn main[]: int { var a = iota[5]; var n = size[a]; n = n + 1; for i < n { print[a[i]]; } return 0; }",
    "fn main[]: int { var n = 4; var a = replicate[n, 1]; n = 6; for i < n { print[a[i]]; } return 0; }",
    "fn main[]: int { var n = 4; var a = replicate[n = 3, 1]; for i < n + 1 { print[a[i]]; } return 0; }",
    "fn main[]: int { var a = iota[5]; var b = iota[2]; var n = size[a]; for i < n { print[b[i]]; } return 0; }",
    "fn cut[a: *[int]]: *[int] { return a[..2]; } fn main[]: int { var a = iota[5]; var n = size[a]; a = cut[a]; for i < n { print[a[i]]; } return 0; }",
    "fn main[]: int { var n = 3; fn change[]: void { n = 9; } var a = replicate[n, 1]; change[]; for i < n { print[a[i]]; } return 0; }",
    "struct P { a: [int], n: int } fn main[]: int { var p = P[iota[4], 4]; var q = p; p = P[iota[2], 4]; for i < size[q.a] { print[p.a[i]]; } return 0; }",
    "struct P { a: [int], n: int } fn make[n: int]: P { return P[iota[n], n]; } fn main[]: int { var p = make[4]; var n = size[p.a]; p = make[2]; for i < n { print[p.a[i]]; } return 0; }",
    "fn main[]: int { var a = [4, 7, 1]; for i < 4 { print[a[i]]; } return 0; }",
    "fn main[]: int { var a = [4, 7, 1]; for i < 3 { print[a[i]]; a = [i]; } return 0; }",
    "fn main[]: int { var a = [[4, 7, 1], [5, 6, 2]]; for i < 2 { for j < 2 { print[a[j, i]]; print[a[i, j + 1]]; print[a[j + 1, i]]; } } return 0; }",
    // Rows and dimensions.
    "fn main[]: int { var m = replicate[2, replicate[3, 1]]; for i < 3 { for j < 2 { print[m[i, j]]; } } return 0; }",
    "fn main[]: int { var m = replicate[2, replicate[3, 1]]; for i < 2 { var r = m[i]; for j < 4 { print[r[j]]; } } return 0; }",
    "fn f[m: [[int; k]; n]]: int { var s = 0; for i < k { s = s + m[i, 0]; } return s; } fn main[]: int { print[f[[[1, 2, 3], [4, 5, 6]]]]; return 0; }",
    // Bounds that wrap, or are negative.
    "fn main[]: int { var a = iota[3]; var n = -2147483647; for i < n - 2 { print[i]; print[a[i]]; if i > 4 { return 1; } } return 0; }",
    "fn main[]: int { var a = iota[0]; for i < size[a] - 1 { print[a[i]]; } print[size[a]]; return 0; }",
    "fn main[]: int { var a = iota[3]; for i < 3 { print[a[i + 2147483647]]; } return 0; }",
    "fn main[]: int { var a = iota[3]; for i < 3 { print[a[i - 1]]; } return 0; }",
    "fn main[]: int { var a = iota[3]; var n = size[a]; for i < n - -1 { print[a[i]]; } return 0; }",
    "fn main[]: int { var a = iota[3]; for i < 2 { print[a[i + 1]]; } for i < 3 { print[a[i + 1]]; } return 0; }",
    // A difference with a counter that wraps, or is not one with a counter.
    "fn main[]: int { var a = iota[3]; for k < 100 { for i < 0 - k - 2147483640 { print[i]; print[a[i]]; if i > 4 { return 1; } } } return 0; }",
    "fn f[a: [int], n: int]: int { for k < 3 { for i < size[a] - n { print[a[i]]; } for i < n - k { print[a[i]]; } } return 0; } fn main[]: int { return f[iota[3], -2]; }",
    "fn main[]: int { var a = iota[4]; for k < 4 { for i < size[a] - k { print[a[i + k]]; } for i < size[a] - k + 1 { print[a[i]]; } } return 0; }",
    // Checks of sizes that fail, and that are made too late.
    "fn f[a: [int; n], b: [int; n]]: int { var s = 0; for i < n { s = s + a[i] * b[i]; } return s; } fn main[]: int { print[f[iota[3], iota[3]]]; print[f[iota[3], iota[2]]]; return 0; }",
    "fn f[a: [int], b: [int]]: int { var n = size[a]; for i < n { print[b[i]]; } b : [int; n]; return 0; } fn main[]: int { return f[iota[3], iota[2]]; }",
    "fn f[a: [int], b: [int]]: int { var n = size[a]; if n < 3 { b : [int; n]; } for i < n { print[b[i]]; } return 0; } fn main[]: int { return f[iota[3], iota[2]]; }",
    "fn f[a: [int], b: [int]]: int { var n = size[a]; g[]; b : [int; n]; fn g[]: void { for i < size[a] { print[b[i]]; } } return 0; } fn main[]: int { return f[iota[3], iota[2]]; }",
    // Variables that are not there yet, or not always.
    "fn main[]: int { var a: [int]; for i < size[a] { print[a[i]]; } a = iota[3]; for i < size[a] { print[a[i]]; } for i < 4 { print[a[i]]; } return 0; }",
    "fn main[]: int { var a = iota[4]; fn g[n: int]: void { for i < n { print[a[i]]; } } g[2]; g[5]; return 0; }",
    // The index changes after an earlier check.
    "fn main[]: int { var a = iota[5]; var i = 4; print[a[i]]; i = i + 1; print[a[i]]; return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 2; i = a[i] + 3; print[a[i]]; return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 3; print[a[i]]; while i < 9 { print[a[i]]; i = i + 1; } return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 3; for k < 3 { print[a[i]]; for l < 2 { print[a[i]]; i = i + 1; } } return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 3; for k < a[i] { i = i + 1; print[a[i]]; } return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 3; while a[i] > 0 { i = i + 1; print[a[i]]; } return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 3; fn up[]: int { i = i + 9; return 1; } print[a[i]]; print[up[]]; print[a[i]]; return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 3; print[a[i] + (i = 7) + a[i]]; return 0; }",
    "struct P { n: int, m: int } fn make[n: int]: P { return P[n, n]; } fn main[]: int { var a = iota[5]; var p = make[2]; print[a[p.n]]; p = make[7]; print[a[p.n]]; return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 4; print[a[i]]; print[a[i - 1]]; print[a[i + 1]]; return 0; }",
    // An earlier check that is not always made.
    "fn main[]: int { var a = iota[5]; var i = 7; if i < 5 { print[a[i]]; } print[a[i]]; return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 7; if i < 5 { print[a[i]]; } else { print[i]; print[a[i]]; } return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 7; if i < 5 { print[a[i]]; } elif a[i] > 3 { print[i]; } return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 7; print[if[i < 5, a[i], 0]]; print[if[i < 5, a[i], 0] + a[i]]; return 0; }",
    "fn main[]: int { var a = iota[5]; var i = 7; while i < 5 { print[a[i]]; i = i + 1; } print[a[i]]; return 0; }",
    "fn f[n: int]: int { var a = iota[5]; var i = 7; for k < n { print[a[i]]; } print[n]; return a[i]; } fn main[]: int { return f[0]; }",
    // The extent of an earlier check is another one.
    "fn main[]: int { var a = iota[5]; var i = 3; print[a[i]]; a = iota[2]; print[a[i]]; return 0; }",
    "fn main[]: int { var a = iota[5]; var b = iota[2]; var i = 3; print[a[i]]; print[b[i]]; return 0; }",
    "fn main[]: int { var m = reshape[iota[6], 2, 3]; var i = 1; var j = 2; print[m[i, j]]; print[m[j, i]]; return 0; }",
    "fn main[]: int { var i = 3; for n < 3 { var a = iota[5 - n]; print[a[i]]; } return 0; }",
    // Recursion, nested loops, and conditions.
    "fn f[n: int, a: [int]]: int { if n == 0 { return 0; } for i < n { print[a[i]]; } return f[n - 1, iota[n - 2]]; } fn main[]: int { return f[3, iota[3]]; }",
    "fn main[]: int { for n < 4 { var a = iota[n]; for i < n { for j < n { print[a[i] + a[j]]; } } if n == 3 { for i < 4 { print[a[i]]; } } } return 0; }",
    "fn main[]: int { var a = iota[4]; for i < size[a] { for j < i { print[a[j]]; } for k < i + 2 { print[a[k]]; } } return 0; }",
];

#[test]
fn failures_stay_what_they_are() {
    let mut failed = 0;
    for text in TRAPS {
        let tree = parsed(text);
        checked(text, &tree, Optimisations::default());
        let expected = outcome(&tree, Optimisations::default());
        failed += usize::from(expected.0.status == 134);
        for optimisations in
            [alone(), Optimisations::of_level(1), Optimisations { checks: false, ..Optimisations::of_level(1) }]
        {
            assert_eq!(outcome(&tree, optimisations), expected, "{optimisations:?}: {text}");
        }
    }
    assert!(failed >= 15, "only {failed} programs fail");
}

#[test]
fn the_pass_equals_a_plain_analysis() {
    let draws: [(&str, Draw); 4] = [
        ("array program", array_program),
        ("whole program", whole_program),
        ("composite program", composite_program),
        ("typed program", typed_program),
    ];
    let samples = toolchain::samples(&draws, 20);
    let ran =
        samples.iter().filter(|(what, tree, level)| checked(what, tree, Optimisations::of_level(*level)).is_some());
    assert!(ran.count() >= 80, "few programs have arrays");
}

/// Programs that become faster.
const SAVED: &[kept::Saved] = &[
    (
        "a matrix product",
        1_100,
        "fn product[a: [[int; k]; n], b: [[int; m]; k]]: [[int; m]; n] { var c: [[int; m]; n];
           for i < n { for j < m { for l < k { c[i, j] = c[i, j] + a[i, l] * b[l, j]; } } } return c; }
         fn main[]: int { var a = reshape[iota[400], 20, 20]; var c = product[a, a]; return c[3, 4] & 1; }",
    ),
    (
        "a bubble sort",
        1_050,
        "fn main[]: int { var a = iota[60] * 7919 & 255; var n = size[a];
           for i < n { for j < n - 1 { if a[j] > a[j + 1] { var t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } } } return a[3] & 1; }",
    ),
];

#[test]
fn loops_execute_fewer_instructions() {
    kept::saves(SAVED, |checks| Optimisations { checks, ..Optimisations::of_level(1) });
}
