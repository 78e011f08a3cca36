//! What every pass that optimises keeps, and what it saves.

use crate::oracle::interpreter::{Outcome, interpret};
use crate::oracle::nodes::assert_same;
use crate::toolchain::{self, Draw, parsed};
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{compile_in_parts, compile_owned};
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::{array_program, composite_program, larger_program, program, typed_program, whole_program};
use treepar::{Cpu, Result};

/// The kinds of random programs on which passes are compared with their oracles.
pub const DRAWS: [(&str, Draw); 6] = [
    ("program", program),
    ("larger program", larger_program),
    ("array program", array_program),
    ("whole program", whole_program),
    ("composite program", composite_program),
    ("typed program", typed_program),
];

/// Asserts that a program means the same with each list of passes, and returns its status.
pub fn agrees(text: &str, lists: &[Optimisations]) -> u8 {
    let tree = parsed(text);
    let expected = interpret(&tree, b"", 5_000_000, 1_000).unwrap_or_else(|stop| panic!("{text}\n{stop:?}"));
    for &optimisations in lists {
        let elf = toolchain::built_with(Target::Riscv32, &tree, optimisations);
        let elf = elf.unwrap_or_else(|error| panic!("{text}\n{error}"));
        let limits = Limits { guard_arena: true, guard_blocks: true, ..Limits::default() };
        let found = toolchain::simulated(&elf, b"", limits);
        let status = found.status.unwrap_or_else(|fault| panic!("{optimisations:?}: {text}\n{fault}"));
        assert_eq!(Outcome { output: found.output, status }, expected, "{optimisations:?}: {text}");
    }
    expected.status
}

/// Asserts that parts of all sizes make the same words on all numbers of threads, and parts that own their tree too.
pub fn same_in_parts<'s>(what: &str, tree: &Tree, settings: impl Into<Settings<'s>>) {
    let settings = settings.into();
    let image = |nodes: usize, threads| {
        compile_in_parts(&Cpu::with_threads(threads), tree, settings, nodes, &mut ()).expect("a program").image
    };
    let whole = image(usize::MAX, 1);
    for (nodes, threads) in [(1, 1), (1, 4), (tree.len() / 9, 3), (tree.len() / 3, 2)] {
        assert!(image(nodes, threads) == whole, "parts of {nodes} nodes by {threads} threads\n{what}");
    }
    let owned = compile_owned(&Cpu::with_threads(2), tree.clone(), settings, &mut ()).expect("a program");
    assert!(owned.image == whole, "parts that own their tree\n{what}");
}

/// Asserts that a pass changes neither these nodes nor none.
pub fn stays(nodes: &HostNodes, pass: impl Fn(&Cpu, Nodes<Cpu>, &mut Positions<Cpu>) -> Result<Nodes<Cpu>>) {
    let cpu = Cpu::with_threads(2);
    for nodes in [&HostNodes::default(), nodes] {
        let uploaded = Nodes::upload(&cpu, nodes).expect("nodes");
        let found = pass(&cpu, uploaded, &mut Positions::none()).expect("a pass").download(&cpu).expect("nodes");
        assert_same("nothing to do", &found, nodes);
    }
}

/// A program with its name, and how many instructions it must execute without a pass for 1,000 with it.
pub type Saved = (&'static str, u64, &'static str);

/// Asserts that programs execute fewer instructions with a pass.
pub fn saves(programs: &[Saved], passes: impl Fn(bool) -> Optimisations) {
    for &(what, ratio, text) in programs {
        let [before, after] = [false, true].map(|has_pass| toolchain::executed_with(text, passes(has_pass)));
        println!("{what}: {before} instructions, {after} after the pass");
        assert!(before * 1_000 >= after * ratio, "{what}: {before} instructions, {after} after the pass");
    }
}
