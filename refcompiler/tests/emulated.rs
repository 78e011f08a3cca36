//! Whole compilations on the emulator of a GPU: words, symbols, calls and the counters of each pass equal the CPU's.

mod toolchain;

use std::path::Path;

use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Output, compile};
use refcompiler_programs::{program, trees};
use treepar::Cpu;
use treepar::backend::gpu::Emulated;

/// Compiles a tree on both backends with all checks, and compares the images and the counters of passes.
fn agree(what: &str, tree: &Tree, seed: u64) {
    let emulated = Emulated::with_seed(seed).expect("a C++ compiler");
    for output in [Output::Executable, Output::Object] {
        let expected = compile(&Cpu::with_threads(2), tree, output, &mut ());
        let found = compile(&emulated, tree, output, &mut Checker::default());
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                for (expected, found) in expected.timings.iter().zip(&found.timings) {
                    assert_eq!((expected.pass, expected.work), (found.pass, found.work), "{what}");
                }
                assert_eq!(expected.timings.len(), found.timings.len(), "{what}");
                let (expected, found) = (expected.image, found.image);
                let first = expected.words.iter().zip(&found.words).position(|(a, b)| a != b);
                assert_eq!(first, None, "{what}: the first word that differs");
                assert_eq!(expected.words.len(), found.words.len(), "{what}");
                assert_eq!(format!("{:?}", expected.symbols), format!("{:?}", found.symbols), "{what}");
                assert_eq!(format!("{:?}", expected.calls), format!("{:?}", found.calls), "{what}");
            }
            (expected, found) => {
                let text =
                    |result: Result<_, refcompiler::pipeline::Error>| result.err().map(|error| error.to_string());
                assert_eq!(text(expected.map(drop)), text(found.map(drop)), "{what}");
            }
        }
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn examples_compile_to_the_same_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut compiled = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            let text = std::fs::read_to_string(&path).expect("an example");
            agree(&path.display().to_string(), &toolchain::tree(&text).expect("a valid program"), 1);
            compiled += 1;
        }
    }
    assert!(compiled >= 12, "only {compiled} examples were found");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn random_programs_compile_to_the_same_words() {
    for seed in 1..=8 {
        let text = program(seed).to_string();
        agree(&format!("program {seed}"), &toolchain::tree(&text).expect("a valid program"), seed);
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn random_trees_of_several_tiles_compile_to_the_same_words() {
    // Some are of millions of nodes, which take the emulator minutes.
    for (seed, tree) in trees(3_000..60_000).take(6) {
        agree(&format!("tree {seed}"), &tree, seed);
    }
}
