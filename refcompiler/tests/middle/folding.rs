//! Folding: each rule for all values, the tree after the pass, and the meaning of programs.

use crate::kept;
use crate::oracle::folded::{folded, of_ints};
use crate::oracle::interpreter::{Outcome, interpret};
use crate::oracle::nodes::{around, assert_same};
use crate::toolchain::{self, Draw, parsed};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::folding::rules::{COUNT, LIBRARIES, Pattern, Product, Rule};
use refcompiler::pipeline::Output;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::{Rng, array_program, composite_program, program, program_with_builtins, whole_program};

/// Only this pass.
fn alone() -> Optimisations {
    Optimisations { folding: true, ..Optimisations::default() }
}

/// Returns the nodes after the pass, and asserts that the oracle has the same.
fn checked(what: &str, tree: &Tree, optimisations: Optimisations) -> HostNodes {
    let (before, after) = around(tree, Optimisations { folding: true, ..optimisations }, "folding").expect("the pass");
    assert_same(what, &after, &folded(&before));
    after
}

/// Asserts that both sides of a rule have the same bits.
fn is_sound(rule: &Rule, x: i32) {
    let sides: Vec<(i32, i32)> = match rule.pattern {
        Pattern::RightIs => vec![(x, rule.given)],
        Pattern::LeftIs => vec![(rule.given, x)],
        Pattern::Same => vec![(x, x)],
        _ => (1..32).map(|k| (x, 1i32.wrapping_shl(k))).collect(),
    };
    for (a, b) in sides {
        let expected = match rule.product {
            Product::Operand => x,
            Product::Literal => rule.made,
            Product::Negated => x.wrapping_neg(),
            Product::Complemented => !x,
            _ => x.wrapping_shl(b.trailing_zeros()),
        };
        assert_eq!(of_ints(rule.kind, a, b), expected, "{rule:?} of {a} and {b}");
    }
}

#[test]
fn rules_are_sound() {
    let rules: Vec<Rule> = LIBRARIES.iter().flat_map(|library| library.iter().copied()).collect();
    assert_eq!(rules.len(), COUNT);
    let mut rng = Rng::new(1);
    let edges = [0, 1, -1, 2, -2, 31, 32, 33, i32::MAX, i32::MIN, i32::MIN + 1, i32::MAX - 1, 0x5555_5555];
    let drawn: Vec<i32> = (0..2_000).map(|_| (rng.below(1 << 16) << 16 | rng.below(1 << 16)) as i32).collect();
    for rule in &rules {
        edges.iter().chain(&drawn).for_each(|&x| is_sound(rule, x));
    }
}

/// A value, and the value that it becomes, in a function with the parameters `x` and `y`, ints, and `f`, a float.
const FORMS: &[(&str, &str)] = &[
    // The examples of LMS, and of L0 5.3.
    ("2 * 3", "6"),
    ("x * 1", "x"),
    ("1 * x", "x"),
    ("x + 0 * y", "x"),
    ("0 - (0 - x)", "-(-x)"),
    ("x - x + y", "0 + y - 0"),
    // All operators on literals.
    ("7 / 2 + 7 % 3 - -7 / 2 * (-7 % 3)", "1"),
    ("5 / 0 + 5 % 0", "4"),
    ("(-2147483647 - 1) / -1", "-2147483647 - 1"),
    ("(-2147483647 - 1) % -1", "0"),
    ("2147483647 + 1", "-2147483647 - 1"),
    ("65536 * 65536", "0"),
    ("1 << 33", "2"),
    ("-8 >> 33", "-4"),
    ("-8 >>> 28", "15"),
    ("(6 & 3) + (6 | 3) + (6 ^ 3) + ~6", "2 + 7 + 5 - 7"),
    ("(1 < 2) + (2 <= 2) + (1 > 2) + (2 >= 3) + (1 == 1) + (1 != 1)", "3"),
    ("(3 && 0) + (3 || 0) + !5 + !0", "2"),
    ("-(3) + abs[-4]", "1"),
    // Floats: the bits of results.
    ("0.5 + 0.25 == 0.75", "1"),
    ("int(1.5 * 2.0) + int(-7.9) + int(3.0e10)", "3 - 7 + 2147483647"),
    ("int(0.0 / 0.0)", "2147483647"),
    ("(0.0 / 0.0 == 0.0 / 0.0) + (0.0 / 0.0 != 1.0)", "1"),
    ("int(1.0 / (0.0 - 0.0)) + int(1.0 / -0.0)", "2147483647 + (-2147483647 - 1)"),
    ("int(float(16777217))", "16777216"),
    // Rules.
    ("x * 8", "x << 3"),
    ("x * -1", "-x"),
    ("x * 0 + 3", "3"),
    ("(x ^ -1) + (x & -1) + (x | 0)", "~x + x + x"),
    ("(x == x) + (x < x)", "1"),
    ("x / 1 + x % 1 + x / -1", "x + 0 + -x"),
    // The operands of a rule are folded first.
    ("(x + 0) - x", "0"),
    ("(x * 1) & (1 * x)", "x"),
    ("(x * 1 - x) * g[y]", "0 * g[y]"),
    ("(x * 1 - x) * (y / x)", "0"),
    ("-(x + (y - y)) * 4", "-x << 2"),
    // Numbers around an operand, of LMS too.
    ("x * 5 * 7", "x * 35"),
    ("5 * (7 * x)", "35 * x"),
    ("5 * (x * 7) * 3", "x * 105"),
    ("(x + 1) + 2", "x + 3"),
    ("(x - 1) + 2", "x + 1"),
    ("(x + 1) - 3", "x - 2"),
    ("3 - (x - 1)", "4 - x"),
    ("3 - (1 + x)", "2 - x"),
    ("2 + (3 + (x + 4)) - 9", "x"),
    ("x + 2147483647 + 1 + 1", "x + (-2147483647)"),
    ("x * 65536 * 65536", "0"),
    ("x * 8 * 7", "x * 56"),
    ("x * 2 * 4", "x << 3"),
    ("x * 3 * 0x55555555", "-x"),
    ("(x + 1 - 1) - x", "0"),
    ("(x * 5 + 0) * 7", "x * 35"),
    ("x * y * 5 * 7 + 1 + 2", "x * y * 35 + 3"),
    ("(x + 1) * 3 * 5 + 1", "(x + 1) * 15 + 1"),
    ("3 - (1 - x)", "3 - (1 - x)"),
    ("int((f + 1.0) + 2.0)", "int((f + 1.0) + 2.0)"),
    ("int(f * 2.0 * 4.0)", "int(f * 2.0 * 4.0)"),
    ("g[x] * 5 * 7", "g[x] * 5 * 7"),
    ("(x << 2 + 1) << 3", "(x << 2 + 1) << 3"),
    // Variables with literals, and chains of them.
    ("(var a = 4) * x", "(var a = 4) * x"),
    ("if[1, x, y] + if[0, x, y]", "x + y"),
    ("(x : int) - ((x : int) : int)", "0"),
    ("int(sqrt[f : float] + abs[f])", "int(sqrt[f] + abs[f])"),
    ("if[x, 1 + 1, 2 * 2]", "if[x, 2, 4]"),
    // The order of operands.
    ("5 + x", "x + 5"),
    ("(3 * (y + x)) & (4 ^ (7 | y))", "((y + x) * 3) & ((y | 7) ^ 4)"),
    ("y + (y ^ g[x])", "(g[x] ^ y) + y"),
    ("y * (3 + (y & g[y + g[x]]) * 2)", "((g[g[x] + y] & y) * 2 + 3) * y"),
    ("x + (x = 3) + g[y]", "x + (x = 3) + g[y]"),
    ("x + g[x = 3]", "x + g[x = 3]"),
    ("y - g[x] + (f == 1.0)", "y - g[x] + (f == 1.0)"),
    // Not for floats.
    ("int(f * 1.0 + 0.0)", "int(f * 1.0 + 0.0)"),
    ("int(f - f)", "int(f - f)"),
    ("(f == f)", "(f == f)"),
    ("int(f * 0.0)", "int(f * 0.0)"),
    // Effects stay.
    ("g[x] * 0", "g[x] * 0"),
    ("0 & g[x]", "0 & g[x]"),
    ("g[x] * 1 + 0", "g[x]"),
    ("(x = 3) * 0", "(x = 3) * 0"),
];

/// Returns the text of a program that returns a value of `f`.
fn with_value(value: &str) -> String {
    format!("fn g[x: int]: int {{ print[x]; return x + 1; }} fn f[x: int, y: int, f: float]: int {{ return {value}; }}
         fn main[]: int {{ print[f[5, 9, 2.5]]; print[f[-2147483647 - 1, 0, -0.0]]; print[f[0, 7, 0.0 / 0.0]]; return 0; }}")
}

#[test]
fn values_become_simpler() {
    for (value, expected) in FORMS {
        let nodes = |value: &str, optimisations| {
            let text = with_value(value);
            let tree = parsed(&text);
            checked(value, &tree, optimisations)
        };
        // Names and types of nodes without their positions: the expected text is folded too, so literals can be negative.
        let found = nodes(value, Optimisations::default());
        assert_same(value, &found, &nodes(expected, Optimisations::default()));
        agrees(&with_value(value));
    }
}

/// Statements of `main`, and how many IFs, loops and CHOOSEs are left.
const STATEMENTS: &[(usize, &str)] = &[
    (
        0,
        "if 1 { print[1]; } if 0 { print[2]; } if 2 - 2 { print[3]; } else { print[4]; } if -1 { print[5]; } else { print[6]; }",
    ),
    (0, "if 0 { print[1]; } elif 1 { print[2]; } else { print[3]; } if 0 { print[4]; } elif 0 { print[5]; }"),
    (1, "var x = read[]; if 0 { print[1]; } elif x { print[2]; } else { print[3]; }"),
    (0, "while 0 { print[1]; } while 1 - 1 { } for i < 0 { print[i]; } for i < -3 { print[i]; }"),
    (2, "for i < 1 { print[i]; } while 1 { print[2]; return 0; }"),
    (0, "var n = 3; var m = n - 3; if m { print[1]; } else { print[n]; }"),
    (0, "var debug = 0; if debug && 1 { print[1]; } print[if[debug, 1, 2]];"),
    (1, "var n = 0; if n { print[1]; } n = 1;"),
    // Longer than the walks of a round, and than the walks of all rounds.
    (0, "var a = 1; var b = a - 1; var c = b + 0; var d = c; var e = d * 2; var f = e; if f { print[1]; } print[f];"),
    (
        1,
        "var a = 1; var b = a + 1; var c = b + 1; var d = c + 1; var e = d + 1; var f = e + 1; var g = f + 1; var h = g + 1;
         var i = h + 1; var j = i + 1; var k = j + 1; var l = k + 1; var m = l + 1; var n = m + 1; var o = n + 1; var p = o + 1;
         var q = p + 1; var r = q + 1; var s = r + 1; var t = s + 1; var u = t + 1; if u { print[u]; }",
    ),
    // Writes that disappear.
    (0, "var n = 0; if 0 { n = 1; } if n { print[1]; } print[n];"),
    (0, "var n = 4 - 4; if n { } if 0 { if 1 { n = 1; } } print[n];"),
    (2, "var n = 4 - 4; if n { } if 0 { n = 1; } elif n { n = 2; } print[n];"),
    (0, "var n = 0; if if[1, 0, 1] { n = 1; } if n { print[1]; } print[if[0, 2, n]];"),
    (1, "if 0 { fn inside[]: void { print[1]; } inside[]; } print[2];"),
    // A nested function can be called before a variable around it is declared.
    (1, "inside[]; var n = 5; inside[]; fn inside[]: void { if n { print[n]; } } print[n];"),
    (1, "inside[]; var n = 5; inside[]; fn inside[]: void { var m = 0; if m { print[n]; } var k = m + 1; if n { print[k]; } }"),
    (0, "if 1 { var x = 4; print[x * 2]; } else { var x = 5; print[x]; }"),
    (0, "var a = [1, 2, 3]; if size[a] * 0 { print[1]; } print[a[1]];"),
];

#[test]
fn conditions_that_are_known_disappear() {
    for &(left, statements) in STATEMENTS {
        let text = format!("fn read[]: int {{ return 0; }} fn main[]: int {{ {statements} return 0; }}");
        let nodes = checked(&text, &parsed(&text), Optimisations::default());
        let main = nodes.kind.iter().enumerate().filter(|&(_, kind)| *kind == Kind::Function);
        let main: Vec<usize> = main.filter(|&(i, _)| nodes.depth[i] == 0).map(|(i, _)| i).collect();
        let end = main.get(2).copied().unwrap_or(nodes.kind.len());
        let found = nodes.kind[main[1]..end].iter().filter(|kind| kind.is_control()).count();
        assert_eq!(found, left, "{text}");
        agrees(&text);
    }
}

/// Asserts that a program means the same with only this pass, and with all passes.
fn agrees(text: &str) {
    kept::agrees(text, &[alone(), Optimisations::of_level(1)]);
}

#[test]
fn the_pass_equals_rewriting_node_by_node() {
    let draws = [&kept::DRAWS[..], &[("program with functions of the runtime", program_with_builtins)]].concat();
    for (what, tree, level) in toolchain::samples(&draws, 20) {
        checked(&what, &tree, Optimisations::of_level(level));
    }
}

/// Functions that need different numbers of rounds, one of them without literals.
#[test]
fn parts_are_folded_as_the_whole_program() {
    let functions = STATEMENTS.iter().enumerate().map(|(k, (_, statements))| {
        let own =
            statements.replace("fn inside", &format!("fn inside{k}")).replace("inside[]", &format!("inside{k}[]"));
        format!("fn body{k}[x: int]: int {{ {} return 0; }}\n", own.replace("var x = read[];", ""))
    });
    let text = functions.collect::<String>()
        + "fn none[x: int, y: int]: int { return (x - x) * y + (x ^ x); } fn main[]: int { return none[1, 2]; }";
    let tree = parsed(&text);
    for optimisations in [alone(), Optimisations::of_level(1)] {
        kept::same_in_parts(&text, &tree, Settings { optimisations, ..Output::Executable.into() });
    }
}

/// Random subsets of all passes.
#[test]
fn all_subsets_of_passes_mean_the_same() {
    let mut rng = Rng::new(7);
    let draws: [Draw; 4] = [program, array_program, whole_program, composite_program];
    for seed in 1..=24 {
        let text = draws[seed as usize % 4](seed).to_string();
        let tree = parsed(&text);
        let Ok(expected) = interpret(&tree, b"", 300_000, 1_000) else { continue };
        for _ in 0..3 {
            let mut is = || rng.below(2) == 1;
            let optimisations = Optimisations {
                inlining: is(),
                fusion: is(),
                vectors: is(),
                contexts: is(),
                folding: is(),
                dead: is(),
                checks: is(),
                motion: is(),
                strength: is(),
                registers: is(),
                unrolling: is(),
            };
            let elf = toolchain::built_with(Target::Riscv32, &tree, optimisations).expect("an executable");
            let limits = Limits { guard_arena: true, guard_blocks: true, ..Limits::default() };
            let found = toolchain::simulated(&elf, b"", limits);
            let status = found.status.unwrap_or_else(|fault| panic!("{optimisations:?}, seed {seed}: {fault}\n{text}"));
            assert_eq!(Outcome { output: found.output, status }, expected, "{optimisations:?}, seed {seed}: {text}");
        }
    }
}
