//! Operations on whole arrays become loops: the pass against an oracle, on random trees, and small programs on the simulator.

use crate::oracle::interpreter::{Outcome, interpret};
use crate::oracle::looped::looped;
use crate::oracle::nodes::{assert_same, host};
use crate::toolchain;
use refcompiler::ir::nodes::Nodes;
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::{Tree, kind};
use refcompiler::passes::loops::loops;
use refcompiler::passes::multiloops::multiloops;
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::whole_tree;
use treepar::{Backend, Cpu};

/// Compares the pass with the oracle, and returns the number of templates.
fn equals_oracle(what: &str, tree: &Tree, threads: usize) -> u64 {
    let cpu = Cpu::with_threads(threads);
    let nodes = Nodes::upload(&cpu, &host(tree)).expect("nodes");
    let before = cpu.counters().templates;
    let nodes = multiloops(&cpu, nodes, &tree.composites, &mut Positions::none()).expect("a pass");
    let nodes = loops(&cpu, nodes, &tree.composites, false, &mut Positions::none()).expect("a pass");
    let templates = cpu.counters().templates - before;
    assert_same(what, &nodes.download(&cpu).expect("nodes"), &host(&looped(tree)));
    templates
}

#[test]
fn random_trees_equal_the_oracle() {
    for seed in 1..=150 {
        let tree = whole_tree(seed, [1, 20, 300, 3_000][seed as usize % 4]);
        for threads in [1, 2, 4] {
            equals_oracle(&format!("tree {seed}"), &tree, threads);
        }
    }
}

#[test]
fn random_trees_have_all_operations() {
    let trees: Vec<Tree> = (1..=40).map(|seed| whole_tree(seed, 3_000)).collect();
    for code in kind::MAP..=kind::WHERE {
        let has = |tree: &Tree| tree.kind.contains(&code) && looped(tree).kind.iter().all(|&left| left != code);
        assert!(trees.iter().any(has), "no {}", kind::NAMES[code as usize]);
    }
}

#[test]
fn large_trees_equal_the_oracle_with_as_many_templates() {
    let small = equals_oracle("a small tree", &whole_tree(7, 1), 2);
    for seed in 1..=3 {
        for threads in [1, 2, 4] {
            assert_eq!(equals_oracle("a large tree", &whole_tree(seed, 100_000), threads), small);
        }
    }
}

/// Functions that the programs below call.
const SHOW: &str = "
fn show[a: [int]]: void { for i < size[a] { print_int[a[i]]; print_char[32]; } print_char[10]; }
fn shows[a: [[int]]]: void { for i < size[a] { show[a[i]]; } print_int[size[a, 1]]; print_char[10]; }
fn number[x: int]: void { print_int[x]; print_char[10]; }
fn next[x: int]: int { return x + 1; }
";

/// Bodies of `main`, before `return 0;`.
const BODIES: &[&str] = &[
    // Loops in the middle of an expression, with values that wait, and calls.
    "var a = iota[10]; number[3 + reduce[(+), next[a[1]], a] * next[next[1] - sum[map[next, a]] * next[sum[a]]]];",
    // No element, one, and rows without elements.
    "for n < 3 { var a = iota[n]; show[map[next, a]]; show[scan[(+), 5, a]]; number[reduce[(+), 5, a]]; show[a + a * 2];
      show[filter[fn[x: int]: int = x, a]]; shows[map[fn[x: int]: [int] = a + x, a]]; shows[map[fn[x: int]: [int] = iota[0] + x, a]]; }",
    // A lambda that reads arrays around it, in lambdas.
    "var a = iota[4]; var m = map[fn[i: int]: [int] = map[fn[j: int]: int = a[i] * a[j] + size[a], a], a]; shows[m];
      show[map[fn[r: [int]]: int = sum[map[fn[x: int, y: int]: int = x * y + sum[map[fn[z: int]: int = z - x, r]], r, a]], m]];",
    // Rows: reduced, scanned, kept, grouped, of lower rank.
    "var a = iota[3]; var m = map[fn[i: int]: [int] = a * i + 1, iota[5]]; show[reduce[fn[p: [int], q: [int]]: [int] = p + q, a, m]];
      shows[scan[fn[p: [int], q: [int]]: [int] = q - p, a, m]]; shows[filter[fn[r: [int]]: int = r[1] % 2, m]]; shows[m * a]; shows[a - m];
      shows[group[fn[p: [int], q: [int]]: [int] = p * 2 + q, a, 2, iota[5] % 2, m]]; shows[where[a > 1, m, 0 - a]]; shows[where[m > a, 1, m]];",
    // From the right; several arrays; ranks 1 and 3.
    "var a = iota[6]; number[foldr[fn[x: int, s: int]: int = x - s, 1, a]];
      number[redomap[(+), fn[s: int, x: int, y: int]: int = s * 3 + x - y, 2, a, a * a]];
      var c = map[fn[i: int]: [[int]] = map[fn[j: int]: [int] = a + i * j, iota[2]], iota[3]]; shows[(c * a + c)[2]];",
    // Many temporaries in a loop.
    "var k = 0; while k < 3000 { k = k + reduce[(+), 1, filter[fn[x: int]: int = x < 0, map[next, iota[40]]]]; } number[k];",
    // Failures at run time.
    "show[iota[3] + iota[2 + 2]];",
    "show[map[fn[x: int, y: int]: int = x + y, iota[3], iota[1 + 1]]];",
    "shows[map[fn[i: int]: [int] = iota[i], iota[3]]];",
    "show[group[(+), 0, 2, iota[3], iota[3]]];",
    "show[group[(+), 0, 0 - 1, iota[3], iota[3]]];",
];

/// Runs a program, and compares its end with the end in the interpreter.
fn agrees(text: &str) {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    let expected = interpret(&tree, b"", 10_000_000, 1_000).unwrap_or_else(|stop| panic!("{text}\n{stop:?}"));
    for level in [0, 1] {
        let elf = toolchain::built(Target::Riscv32, &tree, level).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let limits = Limits { instructions: Some(100_000_000), guard_arena: true, ..Limits::default() };
        let toolchain::Simulated { status, output, .. } = toolchain::simulated(&elf, b"", limits);
        let found = Outcome { output, status: status.unwrap_or_else(|fault| panic!("{text}\n{fault}")) };
        assert_eq!(found, expected, "level {level}: {text}");
    }
}

#[test]
fn programs_on_the_simulator_do_what_the_interpreter_does() {
    for body in BODIES {
        agrees(&format!("{SHOW}fn main[]: int {{ {body} return 0; }}"));
    }
}

#[test]
fn folds_have_structs_with_arrays_and_numbers_as_values() {
    agrees(&format!(
        "{SHOW}struct S {{ a: [int], b: float }}
        fn main[]: int {{
            var s = fold[fn[p: S, y: int]: S = S[[y + size[p.a], p.a[0]], p.b + 1.5], S[[7], 1.0], iota[4]];
            show[s.a];
            return int(s.b);
        }}"
    ));
}
