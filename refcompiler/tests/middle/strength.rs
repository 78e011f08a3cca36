//! Strength reduction: the tree after the pass, the meaning of programs, and the instructions that are saved.

use crate::kept;
use crate::oracle::nodes::{around, assert_same};
use crate::oracle::strength::reduced;
use crate::toolchain::{self, parsed};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::strength::{MOST, strength};
use refcompiler::pipeline::Output;
use refcompiler::pipeline::settings::{Optimisations, Settings};

/// Only this pass.
fn alone() -> Optimisations {
    Optimisations { strength: true, ..Optimisations::default() }
}

/// Returns the nodes of a program before the pass and after it, and asserts that the oracle has the same.
fn checked(what: &str, tree: &Tree, optimisations: Optimisations) -> (HostNodes, HostNodes) {
    let (before, after) =
        around(tree, Optimisations { strength: true, ..optimisations }, "strength").expect("the pass");
    assert_same(what, &after, &reduced(&before));
    (before, after)
}

/// Asserts that a program means the same at all levels, and with only this pass.
fn agrees(text: &str) {
    kept::agrees(text, &[Optimisations::default(), alone(), Optimisations::of_level(1)]);
}

/// Returns the nodes of a kind in the functions of a program, which come before the functions of the runtime.
fn count(nodes: &HostNodes, kind: Kind, functions: usize) -> usize {
    let roots = (0..nodes.kind.len()).filter(|&i| nodes.depth[i] == 0);
    let end = { roots }.nth(functions).unwrap_or(nodes.kind.len());
    nodes.kind[..end].iter().filter(|&&found| found == kind).count()
}

/// How many MUL are left, how many variables are added, and a program with one function.
const FORMS: &[(usize, usize, &str)] = &[
    // The factor is a variable, on either side; with a summand, on either side, it may be a literal.
    (0, 1, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; } return s; }"),
    (0, 1, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ w * i; } return s; }"),
    (0, 1, "fn main[]: int { var w = 3; var j = 4; var s = 0; for i < 9 { s = s + i; s = s ^ i * w + j; } return s; }"),
    (0, 1, "fn main[]: int { var w = 3; var j = 4; var s = 0; for i < 9 { s = s + i; s = s ^ j + w * i; } return s; }"),
    (0, 1, "fn main[]: int { var j = 4; var s = 0; for i < 9 { s = s + i; s = s ^ i * 300 + j; } return s; }"),
    (0, 1, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w + 5; } return s; }"),
    // Equal values share a variable, others do not.
    (0, 1, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; s = s ^ w * i; } return s; }"),
    (
        0,
        2,
        "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; s = s ^ (i * w + 5); } return s; }",
    ),
    (
        0,
        2,
        "fn main[]: int { var w = 3; var v = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; s = s ^ i * v; } return s; }",
    ),
    // Each loop has its own, also directly after another.
    (
        0,
        2,
        "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; } for i < 9 { s = s + i; s = s ^ i * w; } return s; }",
    ),
    (
        0,
        2,
        "fn main[]: int { var w = 3; var s = 0; if s == 0 { for i < 9 { s = s + i; s = s ^ i * w; } } else { for i < 9 { s = s + i; s = s ^ (i * w + 1); } } return s; }",
    ),
    // The summand is the product of another counter, or is none.
    (
        1,
        1,
        "fn main[]: int { var w = 3; var s = 0; for k < 4 { var j = k * w; for i < 9 { s = s + i; s = s ^ i * w + j; } } return s; }",
    ),
    (0, 1, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w + i; } return s; }"),
    (
        0,
        2,
        "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w + w * i + (i * w + w); } return s; }",
    ),
    // In a branch.
    (
        0,
        1,
        "fn main[]: int { var w = 3; var s = 0; for i < 9 { if i > 4 { s = s + if[s > 9, i * w, 2]; } } return s; }",
    ),
    // Nothing else reads the counter.
    (1, 0, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s ^ i * w; } return s; }"),
    (
        1,
        0,
        "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s ^ i * w + 4; } for i < 9 { s = s + i; } return s; }",
    ),
    // A product with a literal; one of floats; a square; the counter of a while.
    (1, 0, "fn main[]: int { var s = 0; for i < 9 { s = s + i; s = s ^ i * 300; } return s; }"),
    (
        1,
        0,
        "fn main[]: int { var w = 3.0; var s = 0.0; for i < 9 { s = s + float(i) * w + float(i); } return int(s); }",
    ),
    (1, 0, "fn main[]: int { var s = 0; for i < 9 { s = s + i; s = s ^ i * i; } return s; }"),
    (1, 0, "fn main[]: int { var w = 3; var s = 0; var i = 0; while i < 9 { s = s ^ i * w; i = i + 1; } return s; }"),
    // The loop changes the factor, the summand, or declares it.
    (1, 0, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; w = w + 1; } return s; }"),
    (
        0,
        1,
        "fn main[]: int { var w = 3; var j = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w + j; j = j + 1; } return s; }",
    ),
    (1, 0, "fn main[]: int { var s = 0; for i < 9 { s = s + i; var w = s; s = s ^ i * w; } return s; }"),
    (1, 0, "fn main[]: int { var s = 3; for i < 9 { s = s + i; s = s ^ i * s; } return s; }"),
    // Another loop, or a call, in the loop.
    (
        1,
        0,
        "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; for j < 2 { s = s + j; } } return s; }",
    ),
    (1, 0, "fn main[]: int { var w = 3; for i < 9 { print_int[i * w + i]; } return 0; }"),
    (1, 0, "fn main[]: int { var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ i * w; read_char[]; } return s; }"),
];

#[test]
fn products_of_counters_become_sums() {
    for &(products, variables, text) in FORMS {
        let (before, after) = checked(text, &parsed(text), Optimisations::default());
        let declared = |nodes| count(nodes, Kind::Declare, 1);
        let found = (count(&after, Kind::Mul, 1), declared(&after) - declared(&before));
        assert_eq!(found, (products, variables), "{text}");
        agrees(text);
    }
}

/// Programs in which a product is not what it seems to be.
const TRAPS: &[&str] = &[
    // Products that wrap.
    "fn main[]: int { var w = 1073741827; var j = -2147483647; for i < 9 { print[i * w + j]; var t = i * w; print[t]; } return 0; }",
    "fn main[]: int { var w = 1073741827; var j = -2147483647; var s = 0; for i < 99 { s = s + i; s = s ^ i * w + j; s = s + w * i; } print[s]; return 0; }",
    // No iteration, one, and a bound that changes the factor.
    "fn main[]: int { var w = 3; var s = 0; for i < 0 { s = s + i; s = s ^ i * w; } for i < 1 { s = s + i; s = s ^ i * w + 7; } print[s]; return 0; }",
    "fn main[]: int { var w = 3; var s = 0; for i < (w = 7) { s = s + i; s = s ^ i * w + w; } print[s]; return 0; }",
    "fn main[]: int { var w = 3; var s = 0; for i < w { s = s + i; s = s ^ i * w + w; } print[s]; return 0; }",
    // The loop ends early, and begins again.
    "fn f[w: int, n: int]: int { for i < 9 { if i * w > n { return i * w + n; } } return -1; } fn main[]: int { print[f[3, 10]]; print[f[3, 100]]; print[f[0, 0]]; return 0; }",
    "fn main[]: int { var s = 0; for k < 5 { for i < k { s = s + i; s = s * 3 ^ i * k + s; s = s ^ i * k + k; } } print[s]; return 0; }",
    // Shadowed names, and a counter that is read in a nested function.
    "fn main[]: int { var w = 3; var s = 0; for i < 4 { var i = i + 1; s = s * 10 + i * w; } print[s]; return 0; }",
    "fn main[]: int { var w = 3; var s = 0; for i < 4 { fn f[]: int { return i * w; } s = s * 10 + f[]; } print[s]; return 0; }",
    "fn main[]: int { var w = 2; fn f[]: int { w = w + 1; return w; } var s = 0; for i < 4 { s = s + i; s = s * 10 + i * w + f[]; } print[s]; return 0; }",
    "fn main[]: int { var w = 2; fn f[n: int]: int { var s = 0; for i < n { s = s + i; s = s ^ i * w + n; } w = w + 1; return s; } print[f[4]]; print[f[5]]; return 0; }",
    // Conditional parts that are not evaluated.
    "fn main[]: int { var w = 5; var s = 0; for i < 9 { s = s + i; s = s + if[i & 1, i * w, w * i + 1]; if i == 4 { s = s + (i * w + s); } } print[s]; return 0; }",
    // Elements, with indices out of range.
    "fn main[]: int { var a = iota[30]; var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ a[i * w + 2]; a[i * w + 1] = s; } print[a]; print[s]; return 0; }",
    "fn main[]: int { var a = iota[20]; var w = 3; var s = 0; for i < 9 { s = s + i; s = s ^ a[i * w + 2]; } print[s]; return 0; }",
    "fn main[]: int { var a = iota[20]; var w = -1; var s = 0; for i < 9 { s = s + i; s = s ^ a[i * w + 4]; } print[s]; return 0; }",
    "fn main[]: int { var m = reshape[iota[20], 4, 5]; var s = 0; for j < 5 { for i < 4 { s = s + i; s = s * 7 + m[i, j]; m[i, j] = s & 63; } } print[m]; return 0; }",
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
}

#[test]
fn a_loop_has_a_limited_number_of_variables() {
    let sum = (0..9).map(|k| format!("s = s ^ (i * w + {k}); s = s + (i * w + {k}) + i;")).collect::<String>();
    let text = format!("fn main[]: int {{ var w = 3; var s = 0; for i < 9 {{ {sum} }} print[s]; return 0; }}");
    let (before, after) = checked(&text, &parsed(&text), Optimisations::default());
    let declared = |nodes| count(nodes, Kind::Declare, 1);
    assert_eq!(declared(&after) - declared(&before), MOST as usize);
    agrees(&text);
}

#[test]
fn the_pass_equals_a_search() {
    let mut changed = 0;
    for (what, tree, level) in toolchain::samples(&kept::DRAWS, 25) {
        let (before, after) = checked(&what, &tree, Optimisations::of_level(level));
        changed += usize::from(before.kind.len() != after.kind.len());
    }
    assert!(changed >= 5, "only {changed} programs have products of counters");
}

#[test]
fn parts_are_changed_as_the_whole_program() {
    let bodies = FORMS.iter().enumerate().map(|(k, (.., text))| text.replace("fn main", &format!("fn body{k}")));
    let text: String = bodies.chain(["fn main[]: int { return body0[]; }".to_string()]).collect();
    let tree = parsed(&text);
    checked(&text, &tree, Optimisations::default());
    let settings = Settings { optimisations: Optimisations::of_level(1), ..Output::Executable.into() };
    kept::same_in_parts(&text, &tree, settings);
}

/// A program without products of counters, and one without anything, do not change.
#[test]
fn programs_without_products_of_counters_stay() {
    kept::stays(
        &checked("no product", &parsed("fn main[]: int { return 1 + 2; }"), Optimisations::default()).0,
        strength,
    );
}

/// Programs that become faster.
const SAVED: &[kept::Saved] = &[(
    "a matrix product",
    1_050,
    "fn product[a: [[int; k]; n], b: [[int; m]; k]]: [[int; m]; n] { var c: [[int; m]; n];
           for i < n { for j < m { var s = 0; for l < k { s = s + a[i, l] * b[l, j]; } c[i, j] = s; } } return c; }
         fn main[]: int { var a = reshape[iota[400], 20, 20]; var c = product[a, a]; return c[3, 4] & 1; }",
)];

#[test]
fn loops_execute_fewer_instructions() {
    kept::saves(SAVED, |strength| Optimisations { strength, ..Optimisations::of_level(1) });
}
