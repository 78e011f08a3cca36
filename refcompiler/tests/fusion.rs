//! Fusion of operations on whole arrays: the form after the pass, what is refused and why, and the instructions that are saved.

mod oracle;
mod toolchain;

use oracle::interpreter::{Outcome, interpret};
use oracle::nodes::host;
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::Nodes;
use refcompiler::passes::fusion::fusion;
use refcompiler::passes::multiloops::multiloops;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::listing::Listing;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{After, Observer, Output, compile};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::whole_tree;
use treepar::{Backend, Cpu};

/// Returns the listing of the first function of a program after the pass.
fn fused(text: &str) -> String {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    let settings = Settings { goal: Output::Object.into(), optimisations: Optimisations::of_level(1) };
    let mut listing = Listing::after("fusion", Target::Riscv32);
    compile(&Cpu::with_threads(1), &tree, settings, &mut listing).unwrap_or_else(|error| panic!("{error}"));
    let own = listing.text.lines().skip_while(|line| !line.starts_with("function 111")).skip(1);
    own.take_while(|line| line.starts_with(' ')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_body_of_a_producer_takes_the_place_of_its_element() {
    let expected = "  \
  Header
  Param v0: [int]
  Param v1: [int]
  Param v2: [int]
  Block
    Return
      multiloop of all elements: [int]
        Input v3: [int]
          Name v0: [int]
        Input v4: [int]
          Name v1: [int]
        Input v5: [int]
          Name v2: [int]
        Expression
          CheckEqual: int
            size 0: int
              Name v4: [int]
            size 0: int
              Name v5: [int]
        view v4: int
        view v5: int
        Expression
          CheckEqual: int
            size 0: int
              Name v3: [int]
            size 0: int
              Name v4: [int]
        view v3: int
        over v3: int
          YieldCollect: int
            Mul: int
              Ascribe: int
                Read v3: int
              Ascribe: int
                Ascribe: int
                  Ascribe: int
                    Sub: int
                      Ascribe: int
                        Read v4: int
                      Ascribe: int
                        Read v5: int
";
    assert_eq!(fused("fn f[a: [int], b: [int], c: [int]]: [int] { return a * (b - c); }"), expected);
}

#[test]
fn the_mapped_part_stays_apart_from_the_operator() {
    let expected = "  \
  Header
  Param v0: [int]
  Block
    Return
      multiloop: int
        Input v1: int
          literal 0: int
        Input v2: [int]
          Name v0: [int]
        over v2: int
          Param v3: int
          Element v4: int
            Sequence: int
              Element v5: int
                Read v2: int
              Ascribe: int
                Mul: int
                  Name v5: int
                  literal 2: int
          YieldReduce: int
            Add: int
              Name v3: int
              Name v4: int
";
    assert_eq!(fused("fn f[a: [int]]: int { return reduce[(+), 0, map[fn[x: int]: int = x * 2, a]]; }"), expected);
}

/// The head of a function whose body is a statement of the table, and how many MULTILOOPs are left of it.
const HEAD: &str = "fn f[a: [int], b: [int], m: [[int]], s: [short], x: float, k: int]: void";
const TAIL: &str = "fn next[x: int]: int { return x + 1; }
    fn id[a: [int]]: [int] { return a; }";

/// Statements, each with the number of MULTILOOPs that are left.
const LEFT: &[(usize, &str)] = &[
    // Elementwise operations of any rank and number.
    (1, "print[a * (b - a)];"),
    (1, "print[(a + b) * (a - b) + (a * k - b / 3) % 7];"),
    (1, "print[-(m + m * m)];"),
    (1, "print[sqrt[abs[x * float(a)]]];"),
    (1, "print[m * 2 - (m + a)];"),
    (1, "print[where[a > b, a - b, b - a]];"),
    (1, "print[sqrt[float(a + 1)] * x];"),
    (1, "print[exp[float(a) * x]];"),
    // Each operation takes a map.
    (1, "print[map[fn[y: int]: int = y * y, map[fn[y: int]: int = y + k, a]]];"),
    (1, "print[map[fn[y: int, z: int]: int = y * z, map[fn[y: int]: int = y + k, a], a - b]];"),
    (1, "print[reduce[(+), 0, map[fn[y: int]: int = y + 1, a]]];"),
    (1, "print[sum[a * b]];"),
    (1, "print[scan[(+), 0, map[fn[y: int]: int = y + 1, a]]];"),
    (1, "print[filter[fn[y: int]: int = y % 2, a * 3]];"),
    (1, "print[group[(+), 0, 3, a % 3, a * b]];"),
    (1, "print[redomap[(+), fn[t: int, y: int, z: int]: int = t + y * z, 0, a + 1, b - 1]];"),
    (1, "print[map[fn[y: int]: int = y + 1, a] * 2];"),
    // A function of the program may be called by the consumer.
    (1, "print[map[next, a + 1]];"),
    // Refused: effects, calls and checks of the producer.
    (2, "print[map[fn[y: int]: int = y + 1, map[next, a]]];"),
    (2, "print[map[fn[y: int]: int = y + 1, map[fn[i: int]: int = b[i], a]]];"),
    (3, "print[map[fn[y: int]: int = y + 1, map[fn[y: int]: int = y + sum[b], a]]];"),
    // Refused: other elements than those that are read.
    (2, "print[reduce[(+), 0, filter[fn[y: int]: int = y % 2, a]]];"),
    (2, "print[map[fn[y: int]: int = y + 1, scan[(+), 0, a]]];"),
    (2, "print[foldr[(-), 0, a + 1]];"),
    // Refused: other iterations.
    (2, "print[m * (a + 1)];"),
    (3, "print[map[fn[r: [int]]: int = sum[r], m + 1]];"),
    (3, "print[map[fn[r: [int]]: int = sum[r], m] + 1];"),
    // Refused: an array that is not only read by elements.
    (1, "print[size[a + 1]];"),
    (1, "print[id[a + 1]];"),
    // Refused: shorts lose bits when they are stored.
    (2, "print[(s + s) / 2];"),
];

#[test]
fn what_can_be_fused_is() {
    for &(left, body) in LEFT {
        let text = format!("{HEAD} {{ {body} }} {TAIL}");
        let form = fused(&text);
        assert_eq!(form.matches(" multiloop").count(), left, "{body}\n{form}");
    }
}

/// Programs in which the order of effects and failures shows.
const ORDERS: &[&str] = &[
    // A check before what prints after it, and after what prints before it.
    "fn say[k: int]: [int] { print[k]; return iota[k]; }
    fn main[]: int { print[(iota[3] - iota[3 + 1]) * say[3]]; return 0; }",
    "fn say[k: int]: [int] { print[k]; return iota[k]; }
    fn main[]: int { print[say[3] * (say[4] - say[5])]; return 0; }",
    "fn say[k: int]: [int] { print[k]; return iota[k]; }
    fn main[]: int { print[(say[3] - say[3]) * (say[4] + say[4])]; return 0; }",
    // A nested function changes what the producer reads.
    "fn main[]: int {
        var k = 1;
        fn bump[x: int]: int { k = k + 1; return x * k; }
        print[map[bump, map[fn[x: int]: int = x + k, iota[5]]]];
        print[map[fn[x: int]: int = x + k, iota[5]] * bump[2]];
        print[bump[2] * map[fn[x: int]: int = x + k, iota[5]]];
        return 0;
    }",
    // Elements print in the consumer; in the producer they print before.
    "fn shown[x: int]: int { print[x]; return x; }
    fn main[]: int { print[sum[map[shown, iota[3] * 2]]]; print[sum[map[shown, map[shown, iota[3]]]]]; return 0; }",
    // No elements.
    "fn main[]: int { var a = iota[0]; print[a * (a - 1)]; print[sum[a * a]]; print[scan[(+), 1, a + a]]; return 0; }",
];

#[test]
fn effects_and_failures_keep_their_order() {
    for text in ORDERS {
        let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
        let expected = interpret(&tree, b"", 1_000_000, 1_000).unwrap_or_else(|stop| panic!("{text}\n{stop:?}"));
        let mut messages = Vec::new();
        for level in [0, 1] {
            let elf = toolchain::built(Target::Riscv32, &tree, level).unwrap_or_else(|error| panic!("{text}\n{error}"));
            let limits = Limits { guard_arena: true, ..Limits::default() };
            let toolchain::Simulated { status, output, errors } = toolchain::simulated(&elf, b"", limits);
            let found = Outcome { output, status: status.unwrap_or_else(|fault| panic!("{text}\n{fault}")) };
            assert_eq!(found, expected, "level {level}: {text}");
            messages.push(errors);
        }
        assert_eq!(messages[0], messages[1], "{text}");
    }
}

#[test]
fn random_trees_keep_the_invariants_with_as_many_templates() {
    let mut counts = Vec::new();
    let mut saved = 0;
    for seed in 1..=150 {
        let tree = whole_tree(seed, [1, 20, 300, 3_000][seed as usize % 4]);
        for threads in [1, 4] {
            let cpu = Cpu::with_threads(threads);
            let nodes = Nodes::upload(&cpu, &host(&tree)).expect("nodes");
            let nodes = multiloops(&cpu, nodes, &tree.composites).expect("a pass");
            let count = |nodes: &Nodes<Cpu>| {
                let kinds = cpu.download(&nodes.kind).expect("kinds");
                kinds.into_iter().filter(|&kind| kind == Kind::Multiloop).count()
            };
            let (before, templates) = (count(&nodes), cpu.counters().templates);
            let nodes = fusion(&cpu, nodes, tree.functions.len()).expect("a pass");
            counts.push((before > count(&nodes), cpu.counters().templates - templates));
            saved += before - count(&nodes);
            let verdict = Checker::default().after(&cpu, &After::Multiloops(&nodes));
            verdict.unwrap_or_else(|error| panic!("tree {seed}: {error}"));
        }
    }
    assert!(saved > 50, "only {saved} are fused");
    for changes in [false, true] {
        let mut of_kind = counts.iter().filter(|count| count.0 == changes).map(|count| count.1);
        let first = of_kind.next().expect("a tree");
        assert!(of_kind.all(|count| count == first), "the number of templates depends on the tree");
    }
}

/// Returns the number of instructions that a program executes.
fn executed(text: &str, level: u8) -> u64 {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    let elf = toolchain::built(Target::Riscv32, &tree, level).unwrap_or_else(|error| panic!("{error}"));
    let ends = |instructions: u64| {
        let limits = Limits { instructions: Some(instructions), ..Limits::default() };
        toolchain::simulated(&elf, b"", limits).status.is_ok()
    };
    let (mut low, mut high) = (0, 1 << 26);
    assert!(ends(high), "it takes too long");
    while high - low > high / 200 {
        let middle = (low + high) / 2;
        if ends(middle) { high = middle } else { low = middle }
    }
    high
}

/// Programs, with how many times fewer instructions they must execute: in percent.
const SAVED: &[(&str, u64, &str)] = &[
    (
        "x = a * (b - c)",
        140,
        "fn main[]: int { var a = iota[10000]; var x = a; for i < 4 { x = a * (a - x); } return x[7] & 1; }",
    ),
    (
        "six operators",
        250,
        "fn main[]: int { var a = iota[10000]; var x = a;
            for i < 3 { x = ((a + 1) * (x - 2) + a * 3) % 7 - x; } return x[7] & 1; }",
    ),
    (
        "sum of a map",
        150,
        "fn main[]: int { var a = iota[10000]; var s = 0;
            for i < 4 { s = s + sum[map[fn[x: int]: int = x * 3 + s, a]]; } return s & 1; }",
    ),
];

#[test]
fn fused_programs_execute_fewer_instructions() {
    let counted = SAVED.iter().map(|&(what, percent, text)| (what, percent, executed(text, 0), executed(text, 1)));
    let counted: Vec<_> = counted.collect();
    for &(what, _, before, after) in &counted {
        println!("{what}: {before} instructions, {after} after fusion: {} %", before * 100 / after);
    }
    for &(what, percent, before, after) in &counted {
        assert!(before * 100 >= after * percent, "{what}: {before} instructions, {after} after fusion");
    }
}
