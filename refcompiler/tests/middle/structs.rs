//! Structs and tuples become their leaves: the pass against an oracle, on random trees and on small ones.

use crate::kept;
use crate::oracle::split::split;
use crate::toolchain;
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::structs::structs;
use refcompiler::pipeline::settings::Optimisations;
use refcompiler_programs::struct_tree;
use treepar::{Backend, Cpu};

/// Returns the nodes of a tree.
fn host(tree: &Tree) -> HostNodes {
    HostNodes {
        depth: tree.depth.clone(),
        kind: tree.kind.iter().map(|&code| Kind::from_code(code)).collect(),
        ty: bytemuck::cast_slice(&tree.ty).to_vec(),
        data: tree.data.clone(),
    }
}

/// Runs the pass, and returns the nodes with the number of templates.
fn run<B: Backend>(backend: &B, tree: &Tree) -> (HostNodes, u64) {
    let nodes = Nodes::upload(backend, &host(tree)).expect("nodes");
    let before = backend.counters().templates;
    let nodes = structs(backend, nodes, &tree.composites, &mut Positions::none()).expect("a pass");
    let templates = backend.counters().templates - before;
    (nodes.download(backend).expect("nodes"), templates)
}

fn equals_oracle(what: &str, tree: &Tree, threads: usize) -> u64 {
    let expected = host(&split(tree));
    let (found, templates) = run(&Cpu::with_threads(threads), tree);
    let n = expected.kind.len().min(found.kind.len());
    let differs = |&i: &usize| {
        (found.depth[i], found.kind[i], found.ty[i], found.data[i])
            != (expected.depth[i], expected.kind[i], expected.ty[i], expected.data[i])
    };
    let first = (0..n).find(differs);
    if first.is_some() || found.kind.len() != expected.kind.len() {
        let i = first.unwrap_or(n);
        let show = |nodes: &HostNodes| {
            (i.saturating_sub(16)..(i + 6).min(nodes.kind.len()))
                .map(|i| {
                    let (ty, data) = (nodes.ty[i].code(), nodes.data[i]);
                    let indent = nodes.depth[i] as usize;
                    format!("{i} {:indent$}{} {ty} {data}\n", "", nodes.kind[i].name())
                })
                .collect::<String>()
        };
        let given = if tree.len() < 200 { show_all(&host(tree)) } else { String::new() };
        panic!("{what}: node {i} differs, found\n{}expected\n{}of\n{given}", show(&found), show(&expected));
    }
    templates
}

fn show_all(nodes: &HostNodes) -> String {
    (0..nodes.kind.len())
        .map(|i| {
            let (ty, data) = (nodes.ty[i].code(), nodes.data[i]);
            let indent = nodes.depth[i] as usize;
            format!("{i} {:indent$}{} {ty} {data}\n", "", nodes.kind[i].name())
        })
        .collect()
}

/// A struct, and functions that the programs below call.
const HELPERS: &str = "
    struct V { x: int, y: float }
    struct P { n: int, v: V, b: byte }
    fn many[n: int]: [P] { var a = replicate[n, P[1, V[2, 0.5], 3]]; for i < n { a[i].n = i; a[i].v.x = 10 * i; a[i].b = 250 + i; } return a; }
    fn say[x: int]: int { print[x]; return x; }";

/// The accesses to elements, and the checks of indices, that are left in `main`, and the body of `main`.
const ELEMENTS: &[(usize, usize, &str)] = &[
    (1, 1, "var a = many[5]; var i = 3; return a[i].n;"),
    (1, 1, "var a = many[5]; return a[7].n;"),
    (3, 3, "var a = many[5]; var i = 3; print[a[i].v.y]; print[a[4].v.x]; return a[i].b;"),
    (2, 3, "var a = many[5]; var i = 3; a[i].n = a[i].v.x + 1; print[a[i].n]; return 0;"),
    (1, 2, "var a = many[5]; var i = 3; a[i].v.x = 7; print[a.v.x[i]]; return 0;"),
    (0, 1, "var a = many[5]; a[5].v.y = 0.5; return 0;"),
    (1, 2, "var m = replicate[2, many[3]]; var i = 1; return m[i, i + 1].v.x;"),
    (4, 2, "var m = replicate[2, many[3]]; return m[say[1], say[3]].v.x;"),
    (1, 2, "var m = replicate[2, many[3]]; return m[2, 5].b;"),
    (2, 2, "var a = many[5]; var i = 4; return a[a[i].n].v.x;"),
];

/// Programs that need all fields of an element, or whose indices have effects.
const OTHERS: &[&str] = &[
    "var a = many[5]; var e = a[2]; a[2].n = 9; print[e.n]; print[e.v]; return a[2].n;",
    "var a = many[5]; print[a[say[4]].n]; return a[say[5]].n;",
    "var a = many[5]; var i = 0; print[a[i = 3].n + a[i].v.x]; return a[i = 9].b;",
    "var a = many[5]; print[many[3][2].v.x]; return many[3][3].n;",
    "var a = many[5]; a[say[2]].n = say[8]; print[a[2].n]; a[say[6]].n = say[8]; return 0;",
    "var a = many[5]; a[2].n = a[7].n; return 0;",
    "var a = many[5]; a[7].n = say[3]; return 0;",
    "var t = (many[3], iota[2]); var (a, b) = t; return a[2].v.x + b[1];",
    "var a = zip[iota[3], many[3]]; for i < 3 { print[a[i]]; } return 0;",
    "var a = many[4]; var s = 0; for i < size[a] { s = s + a[i].n * a[i].v.x; a[i].b = s; print[a[i].b]; } return s & 63;",
    "var a = many[4]; var b = a[1..3]; print[b[1].v.x]; return b[2].n;",
    "var m = replicate[2, many[3]]; var r = m[1]; print[r[2].v.x]; print[m[1][1].n]; return m[1][3].n;",
];

/// Asserts that a program does the same as the interpreter says, with and without optimisations. Returns its status.
fn agrees(text: &str) -> u8 {
    kept::agrees(text, &[Optimisations::default(), Optimisations::of_level(1)])
}

#[test]
fn a_number_of_an_element_is_one_access() {
    for &(accesses, checks, body) in ELEMENTS {
        let text = format!("{HELPERS} fn main[]: int {{ {body} }}");
        let tree = toolchain::parsed(&text);
        equals_oracle(&text, &tree, 2);
        let (nodes, _) = run(&Cpu::with_threads(2), &tree);
        let is_main = |&i: &usize| {
            let root = (0..=i).rev().find(|&i| nodes.depth[i] == 0).expect("a root");
            tree.functions[nodes.data[root] as usize].name == "main"
        };
        let count = |kind| (0..nodes.kind.len()).filter(|&i| nodes.kind[i] == kind).filter(is_main).count();
        assert_eq!((count(Kind::Index), count(Kind::CheckIndex)), (accesses, checks), "{body}");
        agrees(&text);
    }
}

#[test]
fn elements_and_their_fields_have_the_same_meaning() {
    let failed = OTHERS.iter().filter(|body| agrees(&format!("{HELPERS} fn main[]: int {{ {body} }}")) == 134);
    assert!(failed.count() >= 4, "few programs fail");
}

#[test]
fn random_trees_equal_the_oracle() {
    for seed in 1..=300 {
        let tree = struct_tree(seed, [1, 20, 300, 3_000][seed as usize % 4], seed % 3 > 0);
        for threads in [1, 2, 4] {
            equals_oracle(&format!("tree {seed}"), &tree, threads);
        }
    }
}

#[test]
fn large_trees_equal_the_oracle_with_as_many_templates() {
    let small = equals_oracle("a small tree", &struct_tree(7, 1, true), 2);
    for seed in 1..=3 {
        for threads in [1, 2, 4] {
            assert_eq!(equals_oracle("a large tree", &struct_tree(seed, 150_000, true), threads), small);
        }
    }
}
