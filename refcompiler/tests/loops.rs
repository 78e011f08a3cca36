//! Operations on whole arrays become loops: the pass against an oracle, on random trees.

mod oracle;

use oracle::looped::looped;
use oracle::nodes::{assert_same, host};
use refcompiler::ir::nodes::Nodes;
use refcompiler::ir::tree::{Tree, kind};
use refcompiler::passes::loops::loops;
use refcompiler_programs::whole_tree;
use treepar::{Backend, Cpu};

/// Compares the pass with the oracle, and returns the number of templates.
fn equals_oracle(what: &str, tree: &Tree, threads: usize) -> u64 {
    let cpu = Cpu::with_threads(threads);
    let nodes = Nodes::upload(&cpu, &host(tree)).expect("nodes");
    let before = cpu.counters().templates;
    let nodes = loops(&cpu, nodes, &tree.composites).expect("a pass");
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
