//! Contexts: the tree after the pass, and the meaning of programs.

use crate::kept;
use crate::oracle::contexts::with_known;
use crate::oracle::nodes::{around, assert_same, host};
use crate::toolchain::{self, parsed};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::contexts::{MOST, contexts};
use refcompiler::pipeline::Output;
use refcompiler::pipeline::settings::{Optimisations, Settings};

/// Only this pass.
fn alone() -> Optimisations {
    Optimisations { contexts: true, ..Optimisations::default() }
}

/// Returns the nodes after the pass, and asserts that the oracle has the same.
fn checked(what: &str, tree: &Tree, optimisations: Optimisations) -> HostNodes {
    let (before, after) =
        around(tree, Optimisations { contexts: true, ..optimisations }, "contexts").expect("the pass");
    assert_same(what, &after, &with_known(&before));
    after
}

/// Asserts that a program means the same at all levels, and with only this pass.
fn agrees(text: &str) {
    kept::agrees(text, &[Optimisations::default(), alone(), Optimisations::of_level(1)]);
}

/// Statements, and the statements that they become, in a function with the parameters `x` and `y`, ints, and `f`, a float.
const FORMS: &[(&str, &str)] = &[
    // The example of LMS.
    (
        "if x { if x { y = y + 1; } else { y = y * 7; } } else { if x { y = y * 9; } else { y = y + 2; } }",
        "if x { if 1 { y = y + 1; } else { y = y * 7; } } else { if 0 { y = y * 9; } else { y = y + 2; } }",
    ),
    // Operators, floats, values that are chosen, `elif`, loops and blocks in between.
    ("if x % 3 == 0 { if x % 3 == 0 { y = 1; } }", "if x % 3 == 0 { if 1 { y = 1; } }"),
    ("if f < 2.0 { y = if[f < 2.0, 3, 4]; }", "if f < 2.0 { y = if[1, 3, 4]; }"),
    ("if f != f { if y { if f != f { x = 1; } } }", "if f != f { if y { if 1 { x = 1; } } }"),
    ("y = if[x, if[x, 1, 2], if[x, 3, 4]];", "y = if[x, if[1, 1, 2], if[0, 3, 4]];"),
    (
        "if x { y = 1; } elif x { y = 2; } else { y = if[x, 3, 4]; }",
        "if x { y = 1; } elif 0 { y = 2; } else { y = if[0, 3, 4]; }",
    ),
    ("if x { for i < y { if x { y = y - 1; } } }", "if x { for i < y { if 1 { y = y - 1; } } }"),
    (
        "if x { while y > 0 { y = y - 1; { if x { y = y - 1; } } } }",
        "if x { while y > 0 { y = y - 1; { if 1 { y = y - 1; } } } }",
    ),
    ("if x { y = 1; } x = 2; if x { if x { y = 3; } }", "if x { y = 1; } x = 2; if x { if 1 { y = 3; } }"),
    ("if x { if y { if x { if y { f = 1.0; } } } }", "if x { if y { if 1 { if 1 { f = 1.0; } } } }"),
    // The variable changes in the part, before the test or after it.
    ("if x { x = y; if x { y = 3; } }", "if x { x = y; if x { y = 3; } }"),
    ("if x { for i < 3 { if x { y = 3; } x = 0; } }", "if x { for i < 3 { if x { y = 3; } x = 0; } }"),
    ("if x { y = if[x, 2, 3]; x = 0; }", "if x { y = if[x, 2, 3]; x = 0; }"),
    ("if x { y = (x = 0) + if[x, 2, 3]; }", "if x { y = (x = 0) + if[x, 2, 3]; }"),
    // The test is not in a part of the branch, or has another condition.
    ("if x { y = 1; } if x { y = 2; }", "if x { y = 1; } if x { y = 2; }"),
    ("if x { if y { f = 1.0; } }", "if x { if y { f = 1.0; } }"),
    ("if x { if x == 1 { y = 2; } }", "if x { if x == 1 { y = 2; } }"),
    ("if x < y { if y < x { f = 1.0; } }", "if x < y { if y < x { f = 1.0; } }"),
    ("if x { var x = 0; if x { y = 3; } }", "if x { var x = 0; if x { y = 3; } }"),
    // Effects, and the condition of a loop.
    ("if g[x] { if g[x] { y = 3; } }", "if g[x] { if g[x] { y = 3; } }"),
    ("while y > 7 { if y > 7 { y = y - 9; } }", "while y > 7 { if y > 7 { y = y - 9; } }"),
    ("if y > 7 { while y > 7 { y = y - 9; } }", "if y > 7 { while y > 7 { y = y - 9; } }"),
];

/// Returns a program of a function with these statements.
fn function(body: &str) -> String {
    format!(
        "fn h[x: int, y: int, f: float]: int {{ {body} return x * 100 + y + int(f); }} fn g[x: int]: int {{ print[x]; return x - 1; }}
         fn main[]: int {{ print[h[2, 3, 0.5]]; print[h[0, -4, 2.5]]; print[h[1, 9, 0.0 / 0.0]]; return 0; }}"
    )
}

#[test]
fn conditions_in_branches_of_the_same_become_literals() {
    for &(body, expected) in FORMS {
        let after = checked(body, &parsed(&function(body)), Optimisations::default());
        let expected = host(&parsed(&function(expected)));
        let end = (1..expected.kind.len()).find(|&i| expected.depth[i] == 0).expect("another function");
        let own = |nodes: &HostNodes| HostNodes {
            depth: nodes.depth[..end].to_vec(),
            kind: nodes.kind[..end].to_vec(),
            ty: nodes.ty[..end].to_vec(),
            data: nodes.data[..end].to_vec(),
        };
        assert_same(body, &own(&after), &own(&expected));
        assert_eq!(after.depth[end], 0, "{body}");
        agrees(&function(body));
    }
}

/// Programs in which a condition is not what it was.
const TRAPS: &[&str] = &[
    "fn main[]: int { var c = 1; fn f[]: void { c = 0; } if c { f[]; if c { print[1]; } else { print[2]; } } return 0; }",
    "fn main[]: int { var c = 1; fn f[]: void { if c { print[1]; } else { print[2]; } } if c { f[]; c = 0; f[]; } return 0; }",
    "fn main[]: int { var c = 1; if c { fn f[]: void { if c { print[1]; } else { print[2]; } } f[]; } return 0; }",
    "fn main[]: int { var a = [1, 0]; if a[0] { a[0] = 0; if a[0] { print[1]; } else { print[2]; } } if size[a] == 2 { a = [1]; if size[a] == 2 { print[3]; } else { print[4]; } } return 0; }",
    "fn f[n: int]: int { if n > 2 { if n > 2 { return 7; } return 8; } else { if n > 2 { return 9; } } return n; } fn main[]: int { for n < 5 { print[f[n]]; } return 0; }",
    "fn f[n: int]: int { if n { return f[n - 1] + if[n, 1, 100]; } return if[n, 1000, 0]; } fn main[]: int { print[f[5]]; return 0; }",
    "fn main[]: int { var x = 0.0 / 0.0; if x == x { print[1]; } elif x == x { print[2]; } else { if x == x { print[3]; } else { print[4]; } } return 0; }",
    "struct P { a: int, b: int } fn main[]: int { var p = P[1, 0]; if p.a { p.b = if[p.a, 5, 6]; if p.b { p.a = 0; print[p.b]; } } if p.a == 0 { print[if[p.a == 0, 1, 2]]; } return 0; }",
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

/// Conditions of up to one node more than the most.
#[test]
fn conditions_have_a_limited_size() {
    for terms in 1..=MOST as usize {
        let condition = vec!["x"; terms].join(" + ");
        let body = format!("if {condition} {{ if {condition} {{ y = 1; }} }}");
        let after = checked(&body, &parsed(&function(&body)), Optimisations::default());
        let end = (1..after.kind.len()).find(|&i| after.depth[i] == 0).expect("another function");
        let sums = after.kind[..end].iter().filter(|&&kind| kind == Kind::Add).count();
        let is_small = 2 * terms - 1 <= MOST as usize;
        assert_eq!(sums - 2, if is_small { terms - 1 } else { 2 * (terms - 1) }, "{terms} terms");
    }
}

#[test]
fn the_pass_equals_a_search() {
    for (what, tree, level) in toolchain::samples(&kept::DRAWS, 25) {
        checked(&what, &tree, Optimisations::of_level(level));
    }
}

#[test]
fn parts_are_changed_as_the_whole_program() {
    let bodies = FORMS
        .iter()
        .enumerate()
        .map(|(k, (body, _))| format!("fn h{k}[x: int, y: int, f: float]: int {{ {body} return x + y + int(f); }}\n"));
    let rest = "fn g[x: int]: int { print[x]; return x - 1; } fn main[]: int { return h0[1, 2, 0.5]; }".to_string();
    let text = bodies.chain([rest]).collect::<String>();
    let tree = parsed(&text);
    checked("all forms", &tree, Optimisations::default());
    let settings = Settings { optimisations: Optimisations::of_level(1), ..Output::Executable.into() };
    kept::same_in_parts(&text, &tree, settings);
}

/// A program without equal conditions, and one without anything, do not change.
#[test]
fn programs_without_equal_conditions_stay() {
    let text = "fn main[]: int { var a = 1; if a { a = 3; } if a == 3 { a = 4; } return a; }";
    kept::stays(&checked(text, &parsed(text), Optimisations::default()), contexts);
}
