//! Inlining: the tree after the pass, the meaning of programs, and the instructions that are saved.

use crate::kept;
use crate::oracle::inlined::inlined;
use crate::oracle::interpreter::{Outcome, interpret};
use crate::oracle::nodes::{assert_same, host};
use crate::toolchain;
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::{Tree, runtime};
use refcompiler::passes::effects::{effects, own_effects};
use refcompiler::passes::inlining::inlining;
use refcompiler::passes::inlining::library::{candidates, library};
use refcompiler::pipeline::Output;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::{program, whole_program, whole_tree};
use treepar::{Backend, Cpu};

fn parsed(text: &str) -> Tree {
    toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

/// Returns the nodes of a program after the pass, and asserts that the oracle has the same.
fn checked(cpu: &Cpu, what: &str, tree: &Tree) -> HostNodes {
    let before = host(tree);
    let functions = tree.functions.len();
    let nodes = Nodes::upload(cpu, &before).expect("nodes");
    let effects = effects(cpu, &[own_effects(cpu, &nodes).expect("facts")], functions).expect("effects");
    let (nested, pure) = (cpu.download(&effects.is_nested), cpu.download(&effects.is_pure));
    let on_host = nested.expect("a column").into_iter().zip(pure.expect("a column"));
    let on_host = on_host.map(|(is_nested, is_pure)| (is_nested == 1, is_pure == 1)).collect();
    let small = candidates(cpu, &nodes).expect("candidates");
    let library = library(cpu, &[small], functions, &effects).expect("a library");
    let found =
        inlining(cpu, nodes, &library, &effects, &mut Positions::none()).expect("a pass").download(cpu).expect("nodes");
    assert_same(what, &found, &inlined(&before, &on_host));
    found
}

/// Functions that the programs below call.
const HELPERS: &str = "
    fn id[x: int]: int { return x; }
    fn square[x: int]: int { return x * x; }
    fn mod[a: int, b: int]: int { return a - a / b * b; }
    fn less[a: int, b: int]: int { return b - a; }
    fn mix[a: int, b: int]: int { var c = a * a; var d = c - b; return c + b * d; }
    fn greater[a: int, b: int]: int { return if[a < b, b, a]; }
    fn first[a: int, b: int]: int { return a; }
    fn seven[x: int]: int { return 7; }
    fn nothing[]: int { return 3; }
    fn half[x: float]: float { var h = x / 2.0; return h; }
    fn say[x: int]: int { print_int[x]; print_char[32]; return x; }
    fn late[x: int, y: int]: int { return say[1] + x * y; }
    fn inside[x: int]: int { return say[x + 1] * 2; }
    fn fact[n: int]: int { return if[n < 2, 1, n * fact[n - 1]]; }
    fn even[n: int]: int { return if[n == 0, 1, odd[n - 1]]; }
    fn odd[n: int]: int { return if[n == 0, 0, even[n - 1]]; }
    fn changes[x: int]: int { x = x + 1; return x * x; }
    fn branches[x: int]: int { if x < 3 { return 1; } return 2; }
    fn local[x: int]: int { fn inner[]: int { return x; } return inner[] + 1; }
    fn deep[x: int]: int { return mix[square[x], mod[x, 3]] + id[x]; }
    fn deeper[x: int]: int { return deep[x] + deep[x + 1]; }
    fn zero[x: int]: int { var y: int; return x + y; }";

/// The number of calls of functions of the program that are left in `main`, and the body of `main`.
const CALLS: &[(usize, &str)] = &[
    (0, "print[square[5]];"),
    (0, "var a = 48; var b = 36; while b != 0 { var t = mod[a, b]; a = b; b = t; } print[a];"),
    (0, "print[deep[7]]; print[id[id[square[id[3]]]]]; print[half[3.0]]; print[nothing[]]; print[zero[4]];"),
    // Arguments with effects are evaluated once and in order.
    (2, "print[mix[say[3], say[4]]];"),
    (2, "print[less[say[3], say[4]]];"),
    (2, "print[mod[say[30], say[4]]];"),
    (2, "print[greater[say[3], say[4]]];"),
    (1, "print[seven[say[3]]];"),
    (2, "print[first[say[3], say[4]]];"),
    (3, "print[late[say[3], say[4]]];"),
    (2, "print[inside[say[3]]];"),
    (1, "print[square[square[say[2]]]];"),
    (3, "print[less[square[say[2]], mix[say[3], say[4]]]];"),
    // Arguments that write variables which others read.
    (0, "var a = 3; print[mix[a, a = 9]]; print[first[a, a = 4]]; print[less[a = 5, a]]; print[a];"),
    (0, "var a = 3; print[square[a] + (a = 8)]; print[less[square[a], a = 2]];"),
    (1, "var a = 3; fn up[]: int { a = a + 1; return a; } print[less[a, up[]]];"),
    (2, "var a = 3; fn up[x: int]: int { a = a + x; return square[a]; } print[mix[a, up[2]] + up[1]];"),
    // Names: the caller and the function have different variables of one name.
    (0, "var c = 4; var d = 5; print[mix[d, c] + c * d]; var x = 2; print[deep[x] + x];"),
    (0, "for i < 3 { print[zero[i]]; var c = mix[i, i]; print[c]; }"),
    (0, "fn nested[x: int]: int { var c = x; return mix[c, square[x]]; } print[1];"),
    // Not inlined.
    (1, "print[fact[5]];"),
    (1, "print[even[6]];"),
    (1, "print[changes[6]];"),
    (1, "print[branches[6]];"),
    (1, "print[local[6]];"),
    // Operations on whole arrays.
    (0, "print[map[square, iota[4]]]; print[map[fn[x: int]: int = mix[x, x + 1], iota[4]]];"),
    (0, "var t = map[deep, iota[5]]; print[sum[t * t]]; print[reduce[greater, 0, t]];"),
    (1, "print[map[fn[x: int]: int = square[say[x]], iota[3]]];"),
    (0, "print[floor[[1.5, 2.5]]];"),
];

#[test]
fn calls_become_bodies() {
    let cpu = Cpu::with_threads(2);
    for &(left, body) in CALLS {
        let text = format!("{HELPERS} fn main[]: int {{ {body} return 0; }}");
        let tree = parsed(&text);
        let nodes = checked(&cpu, body, &tree);
        let is_main = |&i: &usize| {
            let root = (0..=i).rev().find(|&i| nodes.depth[i] == 0).expect("a root");
            tree.functions[nodes.data[root] as usize].name == "main"
        };
        let is_call = |&i: &usize| nodes.kind[i] == Kind::Call && nodes.data[i] >= runtime::COUNT;
        let found = (0..nodes.kind.len()).filter(is_call).filter(is_main).count();
        assert_eq!(found, left, "{body}");
        agrees(&text);
    }
}

/// Asserts that a program means the same with and without optimisations.
fn agrees(text: &str) {
    let tree = parsed(text);
    let expected = interpret(&tree, b"", 1_000_000, 1_000).unwrap_or_else(|stop| panic!("{text}\n{stop:?}"));
    for level in [0, 1] {
        let elf = toolchain::built(Target::Riscv32, &tree, level).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let found = toolchain::simulated(&elf, b"", Limits { guard_arena: true, ..Limits::default() });
        let status = found.status.unwrap_or_else(|fault| panic!("{text}\n{fault}"));
        assert_eq!(Outcome { output: found.output, status }, expected, "level {level}: {text}");
    }
}

/// A chain of functions that call the one before, up to some length, twice if it is short.
fn chain(length: usize) -> String {
    let mut text = "fn c0[x: int, y: int]: int { return x * 3 - y; }\n".to_string();
    for k in 1..length {
        let last = k - 1;
        text += &match k % 3 {
            0 => format!("fn c{k}[x: int, y: int]: int {{ var z = c{last}[y, x]; return z + y; }}\n"),
            1 => format!("fn c{k}[x: int, y: int]: int {{ return c{last}[c{last}[x, 1], y + {k}]; }}\n"),
            _ => format!("fn c{k}[x: int, y: int]: int {{ return if[x < y, c{last}[x, y], {k}]; }}\n"),
        };
    }
    let last = length - 1;
    text + &format!("fn main[]: int {{ var s = 0; for i < 9 {{ s = s + c{last}[i, s]; }} print[s]; return 0; }}")
}

/// A chain of sums: each function adds a number to the result of the one before.
fn sums(length: usize) -> String {
    let mut text = "fn s0[x: int]: int { return x + 17; }\n".to_string();
    for k in 1..length {
        text += &format!("fn s{k}[x: int]: int {{ return x + s{}[x] + {}; }}\n", k - 1, 31 * k);
    }
    text + &format!("fn main[]: int {{ var s = 0; for i < 9 {{ s = s ^ s{}[i]; }} print[s]; return 0; }}", length - 1)
}

/// In a chain, every eighth function is called, and all others are inlined down to it.
#[test]
fn long_chains_have_few_calls() {
    let cpu = Cpu::with_threads(2);
    for length in [1, 7, 8, 9, 15, 16, 17, 40, 100] {
        let text = sums(length);
        let tree = parsed(&text);
        let nodes = checked(&cpu, &text, &tree);
        let mut callees = vec![Vec::new(); tree.functions.len()];
        let mut function = 0;
        for i in 0..nodes.kind.len() {
            if nodes.depth[i] == 0 {
                function = nodes.data[i] as usize;
            }
            if nodes.kind[i] == Kind::Call && nodes.data[i] >= runtime::COUNT {
                callees[function].push(nodes.data[i]);
            }
        }
        let id = |name: &str| tree.functions.iter().position(|function| function.name == name).expect("a function");
        for k in 0..length {
            let expected: Vec<u32> = if k < 8 { vec![] } else { vec![id(&format!("s{}", k / 8 * 8 - 1)) as u32] };
            assert_eq!(callees[id(&format!("s{k}"))], expected, "s{k} of {length}");
        }
        agrees(&text);
    }
}

#[test]
fn the_pass_equals_sequential_rewriting() {
    let cpu = Cpu::with_threads(2);
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            checked(&cpu, &path.to_string_lossy(), &parsed(&std::fs::read_to_string(&path).expect("an example")));
        }
    }
    for length in 1..=16 {
        checked(&cpu, &format!("a chain of {length}"), &parsed(&chain(length)));
        agrees(&chain(length));
    }
    for seed in 1..=150 {
        checked(&cpu, &format!("program {seed}"), &parsed(&program(seed).to_string()));
        checked(&cpu, &format!("whole program {seed}"), &parsed(&whole_program(seed).to_string()));
        let tree = whole_tree(seed, [1, 20, 300, 3_000][seed as usize % 4]);
        checked(&cpu, &format!("tree {seed}"), &tree);
    }
}

/// Parts of all sizes make the same words on all numbers of threads.
#[test]
fn parts_are_inlined_as_the_whole_program() {
    let bodies: String = CALLS
        .iter()
        .enumerate()
        .fold(String::new(), |text, (k, (_, body))| text + &format!("fn body{k}[]: int {{ {body} return 0; }}\n"));
    let bodies = format!("{HELPERS} {bodies} fn main[]: int {{ return body0[]; }}");
    let random = (1..=20).map(|seed| program(seed).to_string());
    for text in [bodies, chain(5), chain(14)].into_iter().chain(random) {
        let tree = parsed(&text);
        for output in [Output::Executable, Output::Object] {
            let settings = Settings { optimisations: Optimisations::of_level(1), ..Settings::from(output) };
            kept::same_in_parts(&text, &tree, settings);
        }
    }
}

/// Programs that become faster.
const SAVED: &[kept::Saved] = &[
    (
        "greatest common divisors",
        1_200,
        "fn mod[a: int, b: int]: int { return a - a / b * b; }
        fn gcd[a: int, b: int]: int { while b != 0 { var t = mod[a, b]; a = b; b = t; } return a; }
        fn main[]: int { var s = 0; for i < 300 { s = s + gcd[i * 7919, 1000 - i]; } return s & 1; }",
    ),
    (
        "complex numbers",
        1_200,
        "fn re[a: int, b: int]: int { return (a * a - b * b) / 64; }
        fn im[a: int, b: int]: int { return a * b / 32; }
        fn inside[a: int, b: int]: int { return a * a + b * b < 16384; }
        fn main[]: int { var s = 0; for i < 40 { var a = i; var b = 2 * i; var k = 0;
            while k < 20 && inside[a, b] { var t = re[a, b]; b = im[a, b] + i; a = t + i; k = k + 1; } s = s + k; } return s & 1; }",
    ),
    (
        "a map of functions",
        1_200,
        "fn square[x: int]: int { return x * x; }
        fn near[x: int]: int { return square[x - 3] + square[x + 3]; }
        fn main[]: int { var t = map[near, iota[1000]]; return sum[map[near, t]] & 1; }",
    ),
];

#[test]
fn inlined_programs_execute_fewer_instructions() {
    kept::saves(SAVED, |all| Optimisations::of_level(u8::from(all)));
}
