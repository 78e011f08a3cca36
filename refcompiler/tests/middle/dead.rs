//! Dead code: the tree after the pass, the meaning of programs, and the instructions that are saved.

use crate::kept;
use crate::oracle::dead::without_dead;
use crate::oracle::nodes::{around, assert_same, host};
use crate::toolchain::{self, parsed};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::dead::{CHAIN, ROUNDS, dead};
use refcompiler::pipeline::Output;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler_programs::program_with_builtins;

/// Only this pass.
fn alone() -> Optimisations {
    Optimisations { dead: true, ..Optimisations::default() }
}

/// Returns the nodes of a program before the pass and after it, and asserts that the oracle has the same.
fn checked(what: &str, tree: &Tree, optimisations: Optimisations) -> (HostNodes, HostNodes) {
    let (before, after) = around(tree, Optimisations { dead: true, ..optimisations }, "dead").expect("the pass");
    assert_same(what, &after, &without_dead(&before));
    (before, after)
}

/// Asserts that a program means the same at all levels, and with only this pass.
fn agrees(text: &str) {
    kept::agrees(text, &[Optimisations::default(), alone(), Optimisations::of_level(1)]);
}

/// Returns the nodes of the functions of a program, which come before the functions of the runtime.
fn own(nodes: &HostNodes, functions: usize) -> HostNodes {
    let roots = (0..nodes.kind.len()).filter(|&i| nodes.depth[i] == 0);
    let end = { roots }.nth(functions).unwrap_or(nodes.kind.len());
    HostNodes {
        depth: nodes.depth[..end].to_vec(),
        kind: nodes.kind[..end].to_vec(),
        ty: nodes.ty[..end].to_vec(),
        data: nodes.data[..end].to_vec(),
    }
}

/// Statements, and the statements that they become, in a function with the parameters `x` and `y`, ints, and `f`, a float.
const FORMS: &[(&str, &str)] = &[
    // Variables that nothing reads, and values that nothing uses.
    ("var a = 1; return x;", "return x;"),
    ("var a: int; a = x * y; a = x + y; return x;", "return x;"),
    ("x; x + y * 2; 3; -x; int(f); if[x, y, 2]; return x;", "return x;"),
    ("x = 4; x = y; return y;", "return y;"),
    // Chains, and a variable that makes only its own values.
    ("var a = x; var b = a + 1; var c = b * a; return x;", "return x;"),
    (
        "var s = 0; var i = x; while i > 0 { s = s + i; i = i - 1; } return y;",
        "var i = x; while i > 0 { i = i - 1; } return y;",
    ),
    ("var s = 0; for i < x { s = s + i; } return y;", "return y;"),
    // Stores that no read sees.
    ("var a = 7 * x; a = 5 + x; return a;", "var a = 5 + x; return a;"),
    ("var a: int; a = 5 + x; return a;", "var a = 5 + x; return a;"),
    ("x = 3; x = y; return x;", "x = y; return x;"),
    ("var a = x; y = a; a = 3; return y;", "var a = x; y = a; return y;"),
    ("var a = x * y; if y { x = 1; } a = x; return a;", "if y { x = 1; } var a = x; return a;"),
    ("var a = 1; if x { a = 2; } a = 3; return a;", "var a = 3; return a;"),
    ("if x { y = 2; } else { y = 4; } y = 3; return y;", "y = 3; return y;"),
    ("for i < x { y = y + 1; x = i; x = y; } return x;", "for i < x { y = y + 1; x = y; } return x;"),
    ("for i < x { var a = i; y = y + a; a = y; } return y;", "for i < x { var a = i; y = y + a; } return y;"),
    ("var a = x; { a = y; } return a;", "var a: int; { a = y; } return a;"),
    ("y = x = 3; return x;", "x = 3; return x;"),
    ("y = (x = 3) + y; return x;", "(x = 3) + 0; return x;"),
    // Branches.
    ("if x { var a = 3; } return y;", "return y;"),
    ("if x { y = 3; } else { x = 4; } return y;", "if x { y = 3; } return y;"),
    ("if x { x = 3; } else { y = 4; } return y;", "if x { } else { y = 4; } return y;"),
    ("if x { y = 3; } elif y { x = 4; } return y;", "if x { y = 3; } return y;"),
    ("if x { x = 3; } elif y { x = 4; } else { x = 5; } return y;", "return y;"),
    (
        "var a = 0; if x % 2 { y = 9; a = x * x; } else { y = 3; a = x / 3; } return y;",
        "if x % 2 { y = 9; } else { y = 3; } return y;",
    ),
    // Effects stay, also in values of dead variables.
    ("var a = g[x]; return y;", "g[x]; return y;"),
    ("var a = g[x] + x * y; return y;", "g[x] + x * y; return y;"),
    ("var b = x; var a = g[x] + b; return y;", "g[x] + 0; return y;"),
    ("var a = if[x, g[y], y]; return y;", "if[x, g[y], y]; return y;"),
    ("if g[x] { var a = 3; } return y;", "if g[x] { } return y;"),
    ("while g[x] { var a = 3; } return y;", "while g[x] { } return y;"),
    ("for i < g[x] { var a = 3; } return y;", "for i < g[x] { } return y;"),
    ("while x { } return y;", "while x { } return y;"),
    // Reads that see a value.
    ("y = 3; if x { y = 4; } return y;", "y = 3; if x { y = 4; } return y;"),
    ("y = 3; while x { y = 4; x = 0; } return y;", "y = 3; while x { y = 4; x = 0; } return y;"),
    ("y = 3; for i < x { y = 4; } return y;", "y = 3; for i < x { y = 4; } return y;"),
    ("while x { x = y - 3; y = 3; } return x;", "while x { x = y - 3; y = 3; } return x;"),
    ("while x > 0 { if y { x = x - y; } y = 3; } return x;", "while x > 0 { if y { x = x - y; } y = 3; } return x;"),
    ("y = 3; y = y + 1; return y;", "y = 3; y = y + 1; return y;"),
    ("if x { y = 3; } else { y = 4; } return y;", "if x { y = 3; } else { y = 4; } return y;"),
    ("y = 3; x = if[x, (y = 4), 5]; return x + y;", "y = 3; x = if[x, (y = 4), 5]; return x + y;"),
    ("return x = y;", "return y;"),
    // The pass does not look for these.
    (
        "var a = 1; var b = 1; for i < x { a = b + 1; b = a; } return y;",
        "var a = 1; var b = 1; for i < x { a = b + 1; b = a; } return y;",
    ),
    ("while x { y = 3; x = 0; } y = 4; return y;", "while x { y = 3; x = 0; } y = 4; return y;"),
];

/// Returns a program of a function with these statements.
fn function(body: &str) -> String {
    format!(
        "fn h[x: int, y: int, f: float]: int {{ {body} }} fn g[x: int]: int {{ print[x]; return x - 1; }}
             fn main[]: int {{ print[h[2, 3, 0.5]]; print[h[0, -4, 0.5]]; return 0; }}"
    )
}

#[test]
fn values_that_nothing_reads_disappear() {
    for &(body, expected) in FORMS {
        let (_, after) = checked(body, &parsed(&function(body)), Optimisations::default());
        let tree = parsed(&function(expected));
        let expected_nodes = host(&tree);
        assert_same(body, &own(&after, 1), &own(&expected_nodes, 1));
        let ends = !body.contains("while x { }") && !body.contains("while g[x]");
        if ends {
            agrees(&function(body));
        }
    }
}

/// Programs in which something that looks dead is not.
const TRAPS: &[&str] = &[
    // Nested functions see variables, at any time.
    "fn main[]: int { var a = 1; fn f[]: void { print[a]; } a = 2; f[]; a = 3; f[]; a = 4; return 0; }",
    "fn main[]: int { var a = 1; fn f[]: void { a = a + 1; } f[]; f[]; print[a]; return 0; }",
    "fn main[]: int { var a = 1; fn f[]: int { a = 5; return 7; } var b = f[]; a = f[] + a; print[a]; return 0; }",
    "fn main[]: int { fn f[n: int]: int { var s = n; fn g[]: void { s = s * 2; } if n > 0 { g[]; s = s + f[n - 1]; } return s; } print[f[4]]; return 0; }",
    "fn main[]: int { var unused = 3; fn f[]: int { var also = 4; var used = 5; return used; } print[f[]]; return 0; }",
    // Loops carry values.
    "fn main[]: int { var a = 1; var n = 3; while n > 0 { print[a]; a = n; n = n - 1; } return 0; }",
    "fn main[]: int { var a = 1; for i < 3 { for j < 2 { print[a]; a = 5; } a = i; } return 0; }",
    "fn main[]: int { var a = 1; for i < 3 { if i == 1 { a = 7; } print[a]; a = a + 1; } a = 0; return 0; }",
    "fn main[]: int { var a = 0; var b = 1; for i < 9 { var t = a + b; a = b; b = t; } print[b]; return 0; }",
    "fn main[]: int { var a = 0; var n = 4; while (a = n) > 1 { print[a]; n = n - 1; a = 9; } print[a]; return 0; }",
    "fn main[]: int { var n = 4; while (var x = n * n) > 1 { n = n - 1; print[x]; } return 0; }",
    "fn main[]: int { for i < 3 { var a: int; if i == 1 { a = 5; } print[a]; a = 9; } return 0; }",
    // Returns in branches and loops.
    "fn f[n: int]: int { var a = 1; if n > 2 { return a; } a = 2; if n > 1 { return a; } a = 3; return a + n; } fn main[]: int { for n < 4 { print[f[n]]; } return 0; }",
    "fn f[n: int]: int { var a = n; for i < 5 { a = a + i; if a > 6 { return a; } a = i; } return -1; } fn main[]: int { for n < 7 { print[f[n]]; } return 0; }",
    "fn f[n: int]: int { var a = 1; while 1 { if n > 3 { a = 9; return a; } n = n + 1; a = 4; } return a; } fn main[]: int { print[f[0]]; return 0; }",
    // Both operands of `&&` are evaluated, and conditional parts are not.
    "fn main[]: int { var a = 1; var c = 0 && (a = 2); print[a + c]; return 0; }",
    "fn main[]: int { var a = 1; var c = if[a, (a = 2) + a, (a = 3)]; print[a]; return 0; }",
    "fn main[]: int { var a = 1; a = (a = 2) + a; print[a]; a = (a = 3) + 1; print[a]; return 0; }",
    "fn main[]: int { var a = 1; print[a + (a = 2) + a * (a = 3)]; return 0; }",
    // A load that nothing uses stays with the declaration beside it, and keeps its address.
    "fn main[]: int { var a = [1, 0]; sum[where[a, map[fn[x: int]: int = 1, a], a]]; return 0; }",
    // Checks fail as before.
    "fn main[]: int { var a = iota[3]; var x = a[1]; print[1]; var y = a[3]; print[2]; return 0; }",
    "fn main[]: int { var a = iota[3]; var i = 4; var x = 0; for k < 2 { x = a[k]; x = a[k * i]; } print[2]; return 0; }",
    "fn main[]: int { var n = 0 - 1; print[0]; var a = iota[n]; print[2]; return 0; }",
    "fn main[]: int { var a = iota[3]; var b = iota[4]; print[0]; var c = a + b; print[2]; return 0; }",
    "fn main[]: int { var c = 0; print[0]; assert[c]; var d = c; print[2]; return 0; }",
    "fn main[]: int { var a = iota[3]; if a[2] == 3 { var b = a[9]; } if a[2] == 2 { var b = a[3]; } print[2]; return 0; }",
    // Arrays that nothing reads, and that are moved, given away and copied.
    "fn main[]: int { for i < 5 { var a = iota[i]; var b = a; b = b * 2; var c = b[0..i]; } print[1]; return 0; }",
    "fn main[]: int { var a = [1, 2]; var b = a; a = [3]; b[0] = 7; print[a]; return 0; }",
    "fn take[a: *[int]]: *[int] { a[0] = 5; return a; } fn main[]: int { var a = [1, 2]; var b = take[a]; b = take[b]; print[b]; var c = take[b]; return 0; }",
    "fn main[]: int { var m = [[1, 2], [3, 4]]; var r = m[1]; r[0] = 9; m[0] = r; var s = m[0]; print[m]; return 0; }",
    "fn main[]: int { var s = 0; for i < 4 { var a = iota[i + 1] * 3; var t = sum[a]; var u = sum[a * a]; s = s + t; } print[s]; return 0; }",
    // Fields.
    "struct P { a: [int], n: int } fn main[]: int { var p = P[[1, 2], 3]; var q = p; q.n = 4; p.a[0] = q.n; print[p.a]; return 0; }",
    "struct P { a: int, n: float } fn f[x: int]: P { return P[x, float(x) / 3.0]; } fn main[]: int { var p = f[2]; p = f[3]; print[p.a]; var q = if[p.a, p, f[1]]; print[q.n]; return 0; }",
    "struct P { x: int, y: int } fn main[]: int { var ps = map[fn[k: int]: P = P[k, k * k], iota[4]]; var s = 0; for i < 4 { s = s + ps[i].y; } print[s]; return 0; }",
    // Values of floats.
    "fn main[]: int { var z = 0.0 / 0.0; var w = z; w = z + 1.0; var u = w % 2.0; if z == z { u = 2.0; } print[w != w]; return 0; }",
    // Recursion and shadowed names.
    "fn f[n: int]: int { var a = n; if n == 0 { return 1; } var b = f[n - 1]; var a2 = a * b; return a2; } fn main[]: int { print[f[5]]; return 0; }",
    "fn main[]: int { var a = 1; { var a = 2; a = 3; print[a]; } print[a]; for a < 2 { var a = a + 5; print[a]; a = 0; } return 0; }",
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
    assert!(TRAPS.len() >= 30);
}

/// Chains of dead variables, up to one more than all rounds follow.
#[test]
fn chains_end_at_a_cap() {
    for links in [0, 1, CHAIN, CHAIN + 1, ROUNDS * (CHAIN + 1) - 1, ROUNDS * (CHAIN + 1), 200] {
        let chain = (0..links).map(|k| format!("var v{} = v{k} * 3; ", k + 1)).collect::<String>();
        let text = format!("fn main[]: int {{ var v0 = 1; {chain} print[7]; return 0; }}");
        let (_, after) = checked(&text, &parsed(&text), Optimisations::default());
        let left = own(&after, 1).kind.iter().filter(|&&kind| kind == Kind::Declare).count();
        assert_eq!(left, (links + 1).saturating_sub(ROUNDS * (CHAIN + 1)), "{links} links");
        agrees(&text);
    }
}

#[test]
fn the_pass_equals_a_search() {
    let draws = [&kept::DRAWS[..], &[("program with functions of the runtime", program_with_builtins)]].concat();
    let mut changed = 0;
    for (what, tree, level) in toolchain::samples(&draws, 25) {
        let (before, after) = checked(&what, &tree, Optimisations::of_level(level));
        changed += usize::from(before.kind.len() != after.kind.len());
    }
    assert!(changed >= 50, "only {changed} programs have dead values");
}

#[test]
fn parts_are_changed_as_the_whole_program() {
    let bodies =
        FORMS.iter().enumerate().map(|(k, (body, _))| format!("fn h{k}[x: int, y: int, f: float]: int {{ {body} }}\n"));
    let rest = "fn g[x: int]: int { print[x]; return x - 1; } fn main[]: int { return h0[1, 2, 0.5]; }".to_string();
    let text = bodies.chain([rest]).collect::<String>();
    let tree = parsed(&text);
    checked("all forms", &tree, Optimisations::default());
    let settings = Settings { optimisations: Optimisations::of_level(1), ..Output::Executable.into() };
    kept::same_in_parts(&text, &tree, settings);
}

/// A program without dead values, and one without anything, do not change.
#[test]
fn programs_without_dead_values_stay() {
    let text = "fn main[]: int { var a = 1; for i < 3 { a = a + i; } return a; }";
    kept::stays(&checked(text, &parsed(text), Optimisations::default()).0, dead);
}

/// Programs that become faster.
const SAVED: &[kept::Saved] = &[
    (
        "an unused field",
        1_100,
        "struct C { re: float, im: float }
         fn f[x: int]: float { var y = float(x); var a = C[y + 1.0, y * y * 3.0]; var b = C[y - 1.0, y * y / 7.0]; var c = if[x % 2, a, b]; return c.re; }
         fn main[]: int { var r = 0.0; for k < 900 { r = r / 2.0 + f[k]; } print[r]; return 0; }",
    ),
    (
        "an unused part of a condition",
        1_050,
        "fn f[x: int]: int { var a = 0; var b = 0; var c = 0; if x % 2 { a = 9; b = x * x; } else { c = 3; b = x / 3; } return a + c; }
         fn main[]: int { var r = 0; for k < 900 { r = r / 2 + f[k]; } print[r]; return 0; }",
    ),
];

#[test]
fn programs_execute_fewer_instructions() {
    kept::saves(SAVED, |dead| Optimisations { dead, ..Optimisations::of_level(1) });
}
