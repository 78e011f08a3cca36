//! Fusion of operations on whole arrays: the form after the pass, the refused forms, and the instructions that are saved.

use crate::kept;
use crate::oracle::fused::fused as fused_one_by_one;
use crate::oracle::interpreter::{Outcome, interpret};
use crate::oracle::nodes::{assert_same, host};
use crate::toolchain;
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::{Tree, runtime};
use refcompiler::passes::effects::{effects, own_effects};
use refcompiler::passes::fusion::fusion;
use refcompiler::passes::multiloops::multiloops;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::listing::Listing;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{After, Observer, Output, compile};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::{whole_program, whole_tree};
use treepar::{Backend, Cpu};

/// Returns the listing of the first function of a program after the pass.
fn fused(text: &str) -> String {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    let settings = Settings { optimisations: Optimisations::of_level(1), ..Output::Object.into() };
    let mut listing = Listing::after("fusion", Target::Riscv32);
    compile(&Cpu::with_threads(1), &tree, settings, &mut listing).unwrap_or_else(|error| panic!("{error}"));
    let first = format!("function {}", runtime::COUNT);
    let own = listing.text.lines().skip_while(|line| !line.starts_with(&first)).skip(1);
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
        view v4: [int]
        view v5: [int]
        Expression
          CheckEqual: int
            size 0: int
              Name v3: [int]
            size 0: int
              Name v4: [int]
        view v3: [int]
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

#[test]
fn inputs_stay_where_the_variable_was_declared() {
    let expected = "  \
  Header
  Param v0: [int]
  Param v1: int
  Block
    Input v2: [int]
      Name v0: [int]
    Input v3: int
      Name v1: int
    view v2: [int]
    Return
      multiloop of all elements: [int]
        Expression
          CheckEqual: int
            size 0: int
              Name v2: [int]
            size 0: int
              Name v2: [int]
        over v2: int
          Element v4: int
            Mul: int
              Ascribe: int
                Read v2: int
              Ascribe: int
                Name v3: int
          YieldCollect: int
            Mul: int
              Ascribe: int
                Name v4: int
              Ascribe: int
                Name v4: int
";
    assert_eq!(fused("fn f[a: [int], k: int]: [int] { var t = a * k; return t * t; }"), expected);
}

/// Returns the nodes of a whole program after the pass.
fn fused_nodes(cpu: &Cpu, nodes: Nodes<Cpu>, functions: usize) -> Nodes<Cpu> {
    let own = own_effects(cpu, &nodes).expect("facts");
    fusion(cpu, nodes, &effects(cpu, &[own], functions).expect("effects"), &mut Positions::none()).expect("a pass")
}

/// Returns the number of MULTILOOPs in the first function of a program.
fn left(text: &str) -> usize {
    fused(text).matches(" multiloop").count()
}

#[test]
fn functions_of_c_consume_their_unique_arguments() {
    let program = |ty: &str| {
        format!(
            "fn f[a: *[int]]: void {{ var t = a + 1; print[eat[a]]; print[t * 2]; }}
            extern fn eat[c: {ty}]: int;"
        )
    };
    assert_eq!((left(&program("[int]")), left(&program("*[int]"))), (1, 2));
}

/// The head of a function whose body is a statement of the table, and how many MULTILOOPs are left of it.
const HEAD: &str = "fn f[a: [int], b: [int], m: [[int]], s: [short], x: float, k: int]: void";
const TAIL: &str = "fn next[x: int]: int { return x + 1; }
    fn twice[x: int]: int { var y = next[x]; if y > 3 { return next[y]; } y = y * 2; return y; }
    fn say[x: int]: int { print[x]; return x; }
    fn slow[x: int]: int { var s = 0; for i < x { s = s + i; } return s; }
    fn down[x: int]: int { if x > 0 { return down[x - 1]; } return x; }
    fn eat[c: *[int]]: int { c[0] = 9; return c[0]; }
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
    // Pure functions of the program.
    (1, "print[map[fn[y: int]: int = y + 1, map[next, a]]];"),
    (1, "print[map[twice, map[twice, a]] + 1];"),
    // Results that a variable holds.
    (1, "var t = a + 1; print[t * b];"),
    (1, "var t: [int] = a + 1; if k { print[t * 2]; }"),
    (1, "var t = a + 1; var u = t * 2; var v = u - k; var w = sqrt[float(v)]; print[sum[w]];"),
    (1, "var t = m + 1; print[t * 2 - m];"),
    (1, "var t = map[next, a]; print[map[next, t]];"),
    (1, "var t = a + 1; var u = t - b; print[map[fn[y: int, z: int]: int = y * z, u, b + 1]];"),
    (1, "for i < 3 { var t = a + i; print[t * i]; }"),
    (2, "var t = a + 1; { var t = b * 2; print[t - 1]; } print[t * 3];"),
    // Results that one operation reads more than once.
    (1, "var t = a - 1; print[t * t];"),
    (1, "var t = a - 1; var u = t * b; print[u + t];"),
    (1, "var t = a + 1; var u = t * 2; var v = t * 3; var w = u + v; print[w - t];"),
    (1, "var t = a + 1; print[reduce[(+), 0, t * t]];"),
    (1, "var t = a % 3; print[group[(+), 0, 3, t, a]];"),
    // Writes of other variables, and writes after the result was read.
    (1, "var c = 3; var t = a * 2; c = 4; print[t + c];"),
    (1, "var c = a; var t = c * 2; c = t + 1; print[c];"),
    (1, "var c = a; var t = c * 2; c[0] = sum[t]; print[c];"),
    // Refused: effects, calls and checks of the producer.
    (2, "print[map[fn[y: int]: int = y + 1, map[say, a]]];"),
    (2, "print[map[fn[y: int]: int = y + 1, map[slow, a]]];"),
    (2, "print[map[fn[y: int]: int = y + 1, map[down, a]]];"),
    (2, "var t = map[fn[i: int]: int = b[i], a]; print[t + 1];"),
    // Refused: a variable that is not only read by elements of one operation.
    (3, "var t = a + 1; print[t * 2]; print[t * 3];"),
    (1, "var t = a + 1; print[t];"),
    (2, "var t = a + 1; print[t[0]]; print[t * 2];"),
    (2, "var t = a + 1; t[0] = 7; print[t * 2];"),
    (2, "var t = a + 1; t = a; print[t * 2];"),
    (2, "var t = a + 1; for i < 3 { print[t * i]; }"),
    (3, "var t = a + 1; print[map[fn[i: int]: int = sum[t], b]];"),
    (2, "var t = a + 1; fn g[]: int { return sum[t]; } print[g[]];"),
    (2, "var t = a % 3; print[group[(+), 0, 3, t, t]];"),
    // Refused: later values.
    (2, "var c = 3; var t = map[fn[y: int]: int = y * c, a]; c = 4; print[t + c];"),
    (2, "var c = a; var t = c * 2; c[0] = 1; print[t + 1];"),
    (2, "var c = a; var t = c * 2; c = b; print[t + 1];"),
    (2, "var c = a; var t = c * 2; print[eat[c]]; print[t + 1];"),
    (2, "fn g[]: int { k = 4; return 1; } var t = map[fn[y: int]: int = y * k, a]; print[t * g[]];"),
    (2, "print[map[fn[y: int]: int = y + 1, map[fn[i: int]: int = b[i], a]]];"),
    (3, "print[map[fn[y: int]: int = y + 1, map[fn[y: int]: int = y + sum[b], a]]];"),
    // Refused: other elements.
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
    // Shorts lose bits where they were stored.
    (1, "print[(s + s) / 2];"),
    (1, "var t = s * 7; print[sum[t]];"),
    (1, "print[(((s + s) : [byte]) * 3) : [int]];"),
    // Refused: shorts that are read more than once.
    (2, "var t = s * 7; print[t * t];"),
];

#[test]
fn what_can_be_fused_is() {
    for &(left, body) in LEFT {
        let text = format!("{HEAD} {{ {body} }} {TAIL}");
        assert_eq!(self::left(&text), left, "{body}\n{}", fused(&text));
    }
}

/// Programs in which the order of effects and failures shows.
const ORDERS: &[&str] = &[
    // A check before a later output, and after an earlier one.
    "fn say[k: int]: [int] { print[k]; return iota[k]; }
    fn main[]: int { print[(iota[3] - iota[3 + 1]) * say[3]]; return 0; }",
    "fn say[k: int]: [int] { print[k]; return iota[k]; }
    fn main[]: int { print[say[3] * (say[4] - say[5])]; return 0; }",
    "fn say[k: int]: [int] { print[k]; return iota[k]; }
    fn main[]: int { print[(say[3] - say[3]) * (say[4] + say[4])]; return 0; }",
    // A nested function changes a variable that the producer reads.
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
    // Results that a variable holds: two uses, writes in between, loops, and a check that fails before something prints.
    "fn main[]: int { var a = iota[4]; var t = a * 3; print[1]; print[t - a]; print[t + a]; return 0; }",
    "fn main[]: int { var a = iota[4]; var k = 2; var t = map[fn[x: int]: int = x * k, a]; k = 9; print[t + k]; return 0; }",
    "fn main[]: int { var a = iota[4]; var t = a * 3; a[1] = 9; print[t + a]; return 0; }",
    "fn main[]: int { var a = iota[4]; var t = a * 3; a = iota[4] + 7; print[t + a]; return 0; }",
    "fn main[]: int { var a = iota[4]; var t = a * 3; for i < 3 { a[i] = t[i] + 1; print[t + a]; } return 0; }",
    "fn main[]: int { var a = iota[4]; for i < 0 { var t = a * i; print[t + 1]; } while sum[a] < 0 { a = a + 1; } return 0; }",
    "fn main[]: int { var a = iota[4]; for i < 3 { var t = a * i; var u = t * t; a = u + t; print[a]; } return 0; }",
    "fn main[]: int { var a = iota[4]; var t = a * iota[5]; print[1]; print[t + 1]; return 0; }",
    "fn main[]: int { var a = iota[4]; var t = a + 1; print[1]; print[t * iota[5]]; return 0; }",
    "fn main[]: int { var a = iota[4]; var i = 9; var t = map[fn[x: int]: int = a[x + i - 9], a]; i = 4; print[t]; print[t * 2]; return 0; }",
    "fn eat[c: *[int]]: [int] { c[0] = 9; return c; }
    fn main[]: int { var c = iota[4]; var t = c + 1; print[eat[c]]; print[t * 2]; return 0; }",
    // Rows, slices and copies have memory of their own when they are changed.
    "fn main[]: int { var m = [[1, 2], [3, 4]]; var r = m[1]; var t = m * 2; r[0] = 9; print[t + 1]; print[r]; return 0; }",
    "fn main[]: int { var a = iota[6]; var s = a[2..4]; var t = a * 2; s[0] = 9; print[t + 1]; print[s]; return 0; }",
    "fn main[]: int { var a = iota[6]; var b = a; var t = a * 2; b[0] = 9; print[t + 1]; print[b]; return 0; }",
    "fn main[]: int { var a = iota[6]; var b = reshape[a, 2, 3]; var t = a * 2; b[0, 0] = 9; print[t + 1]; print[b]; return 0; }",
    // Elements print before the result does.
    "fn shown[x: int]: int { print[x]; return x; }
    fn main[]: int { var t = iota[3] * 2; var u = map[shown, t]; print[7]; print[u + 1]; return 0; }",
    // A shared result of several levels, of rank 2, and with a row of lower rank.
    "fn main[]: int { var m = [[1, 2], [3, 4]]; var t = m + 1; var u = t * m; var v = u - t; print[v * u]; return 0; }",
    "fn main[]: int { var m = [[1, 2], [3, 4]]; var t = m + iota[2]; print[t * t - iota[2]]; return 0; }",
    "fn main[]: int { var s = [1, 2, 3]; var t = float(s) / 2.0; print[sum[t * t]]; print[1]; return 0; }",
    // An input is a variable itself only if nothing assigns the variable before the loop ends.
    "fn main[]: int { var a = iota[4]; var b = a * 2; print[a + (a = b) - a]; print[a]; return 0; }",
    "fn main[]: int { var x = iota[4]; var y = x; for i < 3 { x = x * y - x; y = x + y; x = y; y = y; } print[x - y]; print[y]; return 0; }",
    "fn main[]: int { var x = iota[4]; for i < 4 { if i % 2 == 1 { x = x + x; } x = x; print[x * iota[4]]; } return 0; }",
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
    for seed in 1..=250 {
        let tree = whole_tree(seed, [1, 20, 300, 3_000][seed as usize % 4]);
        for threads in [1, 4] {
            let cpu = Cpu::with_threads(threads);
            let nodes = Nodes::upload(&cpu, &host(&tree)).expect("nodes");
            let nodes = multiloops(&cpu, nodes, &tree.composites, &mut Positions::none()).expect("a pass");
            let count = |nodes: &Nodes<Cpu>| {
                let kinds = cpu.download(&nodes.kind).expect("kinds");
                kinds.into_iter().filter(|&kind| kind == Kind::Multiloop).count()
            };
            let (before, templates) = (count(&nodes), cpu.counters().templates);
            let nodes = fused_nodes(&cpu, nodes, tree.functions.len());
            counts.push((before > count(&nodes), cpu.counters().templates - templates));
            saved += before - count(&nodes);
            let verdict = Checker::default().after(&cpu, &After::Multiloops(&nodes));
            verdict.unwrap_or_else(|error| panic!("tree {seed}: {error}"));
        }
    }
    assert!(saved > 50, "only {saved} are fused");
    for changes in [false, true] {
        let of_kind = counts.iter().filter(|count| count.0 == changes).map(|count| count.1);
        let (least, most) = of_kind.fold((u64::MAX, 0), |(least, most), count| (least.min(count), most.max(count)));
        println!("changes {changes}: {least} to {most} templates");
        assert!(
            most <= least + 60,
            "{least} to {most} templates: the number depends on more than the lengths of chains"
        );
    }
}

/// Asserts that the pass yields the nodes of the oracle. Returns how many MULTILOOPs it fuses.
fn agrees(cpu: &Cpu, what: &str, tree: &Tree) -> usize {
    let nodes = Nodes::upload(cpu, &host(tree)).expect("nodes");
    let before =
        multiloops(cpu, nodes, &tree.composites, &mut Positions::none()).expect("a pass").download(cpu).expect("nodes");
    let expected = fused_one_by_one(&before);
    let nodes = Nodes::upload(cpu, &before).expect("nodes");
    let found = fused_nodes(cpu, nodes, tree.functions.len()).download(cpu).expect("nodes");
    assert_same(what, &found, &expected);
    let count = |nodes: &HostNodes| nodes.kind.iter().filter(|&&kind| kind == Kind::Multiloop).count();
    count(&before) - count(&found)
}

#[test]
fn the_pass_equals_sequential_rewriting() {
    let cpu = Cpu::with_threads(2);
    let mut saved = [0; 3];
    for &(_, body) in LEFT {
        let tree =
            toolchain::tree(&format!("{HEAD} {{ {body} }} {TAIL}")).unwrap_or_else(|errors| panic!("{body}\n{errors}"));
        saved[0] += agrees(&cpu, body, &tree);
    }
    for text in ORDERS.iter().chain(SAVED.iter().map(|(_, _, text)| text)) {
        let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
        saved[0] += agrees(&cpu, text, &tree);
    }
    for seed in 1..=150 {
        let tree = whole_tree(seed, [1, 20, 300, 3_000][seed as usize % 4]);
        saved[1] += agrees(&cpu, &format!("tree {seed}"), &tree);
    }
    for seed in 1..=150 {
        let text = whole_program(seed).to_string();
        let tree = toolchain::tree(&text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
        saved[2] += agrees(&cpu, &text, &tree);
    }
    println!("fused: {} of the tables, {} of trees, {} of programs", saved[0], saved[1], saved[2]);
    assert!(saved[0] > 100 && saved[1] > 20 && saved[2] > 2_000, "{saved:?}");
}

/// Programs, with how many instructions they must execute before for 1,000 after.
const SAVED: &[(&str, u64, &str)] = &[
    (
        "x = a * (b - c)",
        1_470,
        "fn main[]: int { var a = iota[10000]; var x = a; for i < 4 { x = a * (a - x); } return x[7] & 1; }",
    ),
    (
        "six operators",
        2_900,
        "fn main[]: int { var a = iota[10000]; var x = a;
            for i < 3 { x = ((a + 1) * (x - 2) + a * 3) % 7 - x; } return x[7] & 1; }",
    ),
    (
        "P0: prices of options",
        1_005,
        "fn cnd[d: float]: float {
            var k = 1.0 / (1.0 + 0.2316419 * abs[d]);
            var c = 0.39894228 * exp[-0.5 * d * d] * k
                * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
            return if[0.0 < d, 1.0 - c, c];
        }
        fn call[s: float, x: float]: float {
            var t = x / 365.0; var v = 0.3 * sqrt[t]; var d = (log[s / 65.0] + 0.125 * t) / v;
            return s * cnd[d] - 65.0 * exp[-0.08 * t] * cnd[d - v];
        }
        fn calls[days: int]: [float] {
            var day = map[fn[i: int]: float = float(i + 1), iota[days]];
            var spot = map[fn[x: float]: float = 58.0 + 4.0 * x / float(days), day];
            return map[call, spot, day];
        }
        fn main[]: int { return int(sum[calls[365]]) & 1; }",
    ),
    (
        "P1: product of matrices",
        1_600,
        "fn product[a: [[int]], b: [[int]]]: [[int]] {
            var columns = transpose[b];
            return map[fn[row: [int]]: [int] = map[fn[column: [int]]: int = reduce[(+), 0, map[(*), row, column]], columns], a];
        }
        fn main[]: int { var a = reshape[iota[900], 30, 30]; return product[a, a][3, 4] & 1; }",
    ),
    (
        "P2: shortest paths",
        1_550,
        "fn step[a: [[int]], b: [[int]]]: [[int]] {
            var columns = transpose[b];
            return map[fn[x: [int]]: [int] = map[fn[y: [int]]: int = reduce[min, 1200, map[(+), x, y]], columns], a];
        }
        fn main[]: int { var a = reshape[iota[900] % 97, 30, 30]; return step[a, a][3, 4] & 1; }",
    ),
    (
        "two variables",
        2_200,
        "fn main[]: int { var a = iota[10000]; var x = a; for i < 4 { var t = a - x; var u = t * t; x = u + t; } return x[7] & 1; }",
    ),
    (
        "sum of a map",
        1_650,
        "fn main[]: int { var a = iota[10000]; var s = 0;
            for i < 4 { s = s + sum[map[fn[x: int]: int = x * 3 + s, a]]; } return s & 1; }",
    ),
];

#[test]
fn fused_programs_execute_fewer_instructions() {
    let counted: Vec<_> = SAVED
        .iter()
        .map(|&(what, ratio, text)| (what, ratio, toolchain::executed(text, 0), toolchain::executed(text, 1)))
        .collect();
    for &(what, _, before, after) in &counted {
        println!("{what}: {before} instructions, {after} after fusion: {} per mille", before * 1_000 / after);
    }
    for &(what, ratio, before, after) in &counted {
        assert!(before * 1_000 >= after * ratio, "{what}: {before} instructions, {after} after fusion");
    }
}

/// A program whose functions are pure, or consume arrays, because of functions in other parts. `deep` is not known to be pure.
fn with_chains() -> String {
    let mut text = "fn consumes[a: *[int]]: int { a[0] = a[0] + 1; return a[0]; }\n".to_string();
    text += "fn prints[x: int]: int { print_int[x]; return x; }\nfn p0[x: int]: int { return x * 3; }\n";
    for k in 1..12 {
        text += &format!("fn p{k}[x: int]: int {{ return p{}[x] + {k}; }}\n", k - 1);
    }
    for (k, name) in ["p0", "p4", "p7", "p8", "p11", "prints"].into_iter().enumerate() {
        text += &format!(
            "fn m{k}[a: [int]]: int {{ var t = map[{name}, a]; return reduce[(+), 0, t * a]; }}\n\
             fn c{k}[b: *[int]]: int {{ var t = b * 2; var s = consumes[b]; return reduce[(+), s, t]; }}\n",
        );
    }
    text += "fn main[]: int { var a = iota[5]; var s = 0;\n";
    for k in 0..6 {
        text += &format!("s = s + m{k}[a] + c{k}[copy[a]];\n");
    }
    text + "print_int[s]; return 0; }\n"
}

/// Parts of all sizes make the same words on all numbers of threads, and these run as the program means.
#[test]
fn parts_are_fused_as_the_whole_program() {
    let chains = with_chains();
    let random = (1..=20).map(|seed| whole_program(seed).to_string());
    for text in [chains.clone()].into_iter().chain(random) {
        let tree = toolchain::tree(&text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
        for output in [Output::Executable, Output::Object] {
            let settings = Settings { optimisations: Optimisations::of_level(1), ..Settings::from(output) };
            kept::same_in_parts(&text, &tree, settings);
        }
    }
    let tree = toolchain::tree(&chains).unwrap_or_else(|errors| panic!("{chains}\n{errors}"));
    let Outcome { output, status } = interpret(&tree, b"", 1_000_000, 1_000).expect("an end");
    let elf = toolchain::built(Target::Riscv32, &tree, 1).unwrap_or_else(|error| panic!("{error}"));
    let found = toolchain::simulated(&elf, b"", Limits::default());
    assert_eq!((found.output, found.status.ok()), (output, Some(status)));
}
