//! Whole compilations on the emulator of a GPU, from bytes to words: words, symbols, calls and the counters of each pass equal the CPU's. The
//! syntax passes find the same violations and build the same tree. The lexer finds the tokens of the sequential lexer.

use crate::agreement::{examples_agree, interfaces_agree, lines_agree, texts_agree, trees_agree};
use crate::grammar;
use crate::oracle::lexer::{Verdict, compare, sources};
use refcompiler::frontend::classes::classes;
use refcompiler::frontend::parse::parse;
use refcompiler::frontend::sequential::{Sources, token_table};
use refcompiler::frontend::syntax::{syntax, violations};
use refcompiler::ir::tokens::Tokens;
use refcompiler_programs::{Rng, array_tree, trees};
use treepar::backend::gpu::Emulated;
use treepar::{Backend, Cpu};

/// Returns the emulator with the schedules of a seed.
fn emulator(seed: u64) -> Emulated {
    let emulator = Emulated::with_seed(seed).expect("a C++ compiler");
    emulator.wait_when_counting(true);
    emulator
}

/// Returns all columns of the syntax passes as bytes, and the number of violations.
fn syntax_columns<B: Backend>(backend: &B, text: &str) -> (Vec<Vec<u8>>, u32) {
    fn bytes<T: treepar::Element>(rows: Vec<T>) -> Vec<u8> {
        bytemuck::cast_slice(&rows).to_vec()
    }
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a small file");
    let tokens = Tokens::upload(backend, &token_table(&sources).0).expect("uploaded tokens");
    let (classified, _) = classes(backend, &tokens).expect("classes");
    let checked = syntax(backend, &classified).expect("a check");
    let violations = backend.map(violations::of(&classified, &checked.previous, &checked.next)).expect("a map");
    let mut columns = vec![
        bytes(backend.download(&classified.class).expect("classes")),
        bytes(backend.download(&classified.key).expect("keys")),
        bytes(backend.download(&violations).expect("violations")),
    ];
    if checked.errors == 0 {
        let parsed = parse(backend, &tokens, &classified, &checked).expect("a tree");
        let nodes = parsed.nodes.download(backend).expect("nodes");
        columns.push(bytes(backend.download(&parsed.node).expect("nodes of tokens")));
        columns.extend([bytes(nodes.depth), bytes(nodes.kind), bytes(nodes.token), bytes(nodes.end)]);
    }
    (columns, checked.errors)
}

#[test]
#[ignore = "needs a C++ compiler"]
fn examples_compile_to_the_same_words() {
    examples_agree(&emulator(1));
}

#[test]
#[ignore = "needs a C++ compiler"]
fn lines_are_the_same() {
    lines_agree(&emulator(1));
}

#[test]
#[ignore = "needs a C++ compiler"]
fn functions_between_par_and_c_are_the_same() {
    interfaces_agree(&emulator(1));
}

#[test]
#[ignore = "needs a C++ compiler"]
fn random_programs_compile_to_the_same_words() {
    let programs = std::env::var("TREEPAR_PROGRAMS").map_or(20, |count| count.parse().expect("a number")).min(200);
    for seed in 1..=programs {
        texts_agree(
            &format!("program {seed}"),
            &refcompiler_programs::larger_program(seed).to_string(),
            &emulator(seed),
        );
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn random_trees_of_several_tiles_compile_to_the_same_words() {
    // Some are of millions of nodes, which take the emulator minutes.
    for (seed, tree) in trees(3_000..60_000).take(6) {
        trees_agree(&format!("tree {seed}"), &tree, &emulator(seed));
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn random_trees_with_arrays_compile_to_the_same_words() {
    for (seed, size) in [(1, 30), (2, 1_000), (3, 4_000)] {
        let tree = array_tree(seed, size);
        trees_agree(&format!("tree {seed} with arrays"), &tree, &emulator(seed));
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn programs_have_the_same_syntax() {
    let mut rng = Rng::new(1);
    let (mut right, mut wrong) = (0, 0);
    for (seed, size) in [(1, 2), (2, 3), (3, 3), (4, 4), (5, 6), (6, 6)] {
        let valid = grammar::program(seed, size);
        let mut damaged = valid.clone();
        grammar::damage(&mut damaged, &mut rng);
        let deep = format!("fn f[p: int] {{ p = {}p{}; }}", "-(".repeat(3_000), ")".repeat(3_000));
        for text in [valid.join(" "), damaged.join(" "), deep] {
            let expected = syntax_columns(&Cpu::with_threads(2), &text);
            assert_eq!(syntax_columns(&emulator(seed), &text), expected, "{text}");
            if expected.1 == 0 { right += 1 } else { wrong += 1 }
        }
    }
    assert!(right >= 12 && wrong >= 3, "{right} right, {wrong} wrong");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn texts_have_the_same_tokens() {
    let programs: Vec<String> = (1..=12).map(|seed| refcompiler_programs::larger_program(seed).to_string()).collect();
    let joined = format!("{} // é \"\n{} 1.5 0x1F 1.0000001 2147483648 /", programs.concat(), "long_name_".repeat(30));
    for seed in 1..=2 {
        let emulated = emulator(seed);
        assert_eq!(compare(&emulated, &sources(&[""])), Verdict::Accepted);
        assert_eq!(compare(&emulated, &sources(&programs)), Verdict::Accepted);
        assert_eq!(compare(&emulated, &sources(&[&joined, &joined])), Verdict::Accepted);
        for text in ["x\0", "1.5.2", "a.b", "// x\0", "0x", ">>=", "/* */", "\u{feff}x", "2147483649"] {
            assert_ne!(compare(&emulated, &sources(&[text])), Verdict::Accepted, "{text}");
        }
    }
}
