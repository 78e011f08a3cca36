//! Structs and tuples become their leaves: the pass against an oracle, on random trees and on small ones.

mod oracle;

use oracle::split::split;
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::structs::structs;
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
