//! The data-parallel front end against the sequential one: the programs that it accepts are valid and have the same tree.

use std::sync::LazyLock;

use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::program::{Request, program_in_parts};
use refcompiler::frontend::sequential::Extent;
use refcompiler::ir::nodes::HostNodes;
use refcompiler::ir::tree::Tree;
use refcompiler::source::Sources;
use treepar::Cpu;

use crate::lexer;

static CPU: LazyLock<Cpu> = LazyLock::new(|| Cpu::with_threads(1));

/// Compares the front ends, on parts of two sizes. `tree` is the tree of the sequential one, `None` if it refuses the
/// inputs.
pub fn compare(sources: &Sources, tree: Option<&Tree>) {
    lexer::compare(&*CPU, sources);
    for part_bytes in [usize::MAX, 40] {
        let request = Request { extent: Extent::Object, warnings: true, lines: false };
        let found = program_in_parts(&*CPU, sources, request, part_bytes).expect("a backend without errors");
        let Found::Valid(found) = found else { continue };
        let found = found.whole(&*CPU).expect("one part");
        let texts = || sources.files().iter().map(|file| &file.text[..]).collect::<Vec<_>>();
        let tree = tree.unwrap_or_else(|| panic!("only the passes accept {:?}", texts()));
        let HostNodes { depth, kind, ty, data } = found.parts[0].download(&*CPU).expect("nodes");
        let kind: Vec<u8> = kind.iter().map(|kind| kind.code()).collect();
        let ty: Vec<u8> = ty.iter().map(|ty| ty.code()).collect();
        let found = (depth, kind, ty, data, found.functions);
        let expected =
            (tree.depth.clone(), tree.kind.clone(), tree.ty.clone(), tree.data.clone(), tree.functions.clone());
        assert!(found == expected, "found {found:?}, expected {expected:?}, in {:?}", texts());
    }
}
