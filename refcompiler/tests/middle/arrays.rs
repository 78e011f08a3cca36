//! Arrays become addresses: the pass against an oracle, on random trees and on small ones.

use crate::oracle::lowered::lowered;
use crate::oracle::nodes::{assert_same, host};
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::arrays::arrays;
use refcompiler_programs::array_tree;
use treepar::{Backend, Cpu};

/// Runs the pass, and returns the nodes with the number of templates.
fn run<B: Backend>(backend: &B, tree: &Tree) -> (HostNodes, u64) {
    let nodes = Nodes::upload(backend, &host(tree)).expect("nodes");
    let before = backend.counters().templates;
    let nodes = arrays(backend, nodes, &mut Positions::none()).expect("a pass");
    let templates = backend.counters().templates - before;
    (nodes.download(backend).expect("nodes"), templates)
}

fn equals_oracle(what: &str, tree: &Tree, threads: usize) -> u64 {
    let expected = host(&lowered(tree));
    let (found, templates) = run(&Cpu::with_threads(threads), tree);
    assert_same(what, &found, &expected);
    templates
}

#[test]
fn random_trees_equal_the_oracle() {
    for seed in 1..=150 {
        let tree = array_tree(seed, [1, 20, 300, 3_000][seed as usize % 4]);
        for threads in [1, 2, 4] {
            equals_oracle(&format!("tree {seed}"), &tree, threads);
        }
    }
}

#[test]
fn large_trees_equal_the_oracle_with_as_many_templates() {
    let small = equals_oracle("a small tree", &array_tree(7, 1), 2);
    for seed in 1..=3 {
        for threads in [1, 2, 4] {
            assert_eq!(equals_oracle("a large tree", &array_tree(seed, 150_000), threads), small);
        }
    }
}
