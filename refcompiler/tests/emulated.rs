//! Whole compilations on the emulator of a GPU, from bytes to words: words, symbols, calls and the counters of each pass equal the CPU's. The
//! syntax passes find the same violations and build the same tree. The lexer finds the tokens of the sequential lexer.

mod grammar;
mod oracle;
mod toolchain;

use std::path::Path;

use oracle::lexer::{Verdict, compare, sources};
use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::classes::classes;
use refcompiler::frontend::parse::parse;
use refcompiler::frontend::program::{Request, program};
use refcompiler::frontend::sequential::{Extent, Sources, token_table};
use refcompiler::frontend::syntax::{syntax, violations};
use refcompiler::ir::program::Program;
use refcompiler::ir::tokens::Tokens;
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::{Compiled, Output, compile, compile_program};
use refcompiler_programs::{Rng, trees};
use treepar::backend::gpu::Emulated;
use treepar::{Backend, Cpu};

/// Compares two compilations of one program: images and counters of passes.
fn agree<E: std::fmt::Debug + ToString>(what: &str, expected: Result<Compiled, E>, found: Result<Compiled, E>) {
    let (expected, found) = match (expected, found) {
        (Ok(expected), Ok(found)) => (expected, found),
        (expected, found) => {
            let text = |result: Result<_, E>| result.err().map(|error| error.to_string());
            assert_eq!(text(expected.map(drop)), text(found.map(drop)), "{what}");
            return;
        }
    };
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

/// Compiles a tree on both backends with all checks.
fn trees_agree(what: &str, tree: &Tree, seed: u64) {
    let emulated = Emulated::with_seed(seed).expect("a C++ compiler");
    for output in [Output::Executable, Output::Object] {
        let expected = compile(&Cpu::with_threads(2), tree, output, &mut ());
        agree(what, expected, compile(&emulated, tree, output, &mut Checker::default()));
    }
}

/// Returns the checked program of a text, whose bytes go through all passes of a backend.
fn checked<B: Backend>(backend: &B, sources: &Sources) -> Program<B> {
    match program(backend, sources, Request { extent: Extent::Object, warnings: true }).expect("a front end") {
        Found::Valid(program) => program,
        Found::Unknown { errors, unsure } => panic!("{errors} errors, {unsure} unsure"),
    }
}

/// Compiles a text on both backends, from its bytes to its words, and compares it with the sequential front end.
fn texts_agree(what: &str, text: &str, seed: u64) {
    let (cpu, emulated) = (Cpu::with_threads(2), Emulated::with_seed(seed).expect("a C++ compiler"));
    let sources = sources(&[text]);
    let tree = toolchain::tree(text).expect("a valid program");
    let compiled = || compile_program(&cpu, checked(&cpu, &sources), Output::Object, &mut ());
    let found = compile_program(&emulated, checked(&emulated, &sources), Output::Object, &mut Checker::default());
    agree(what, compiled(), found);
    let without_upload = |mut compiled: Compiled| {
        compiled.timings.remove(0);
        compiled
    };
    let expected = compile(&cpu, &tree, Output::Object, &mut ());
    agree(what, expected.map(without_upload), compiled().map(without_upload));
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
            texts_agree(&path.display().to_string(), &text, 1);
            compiled += 1;
        }
    }
    assert!(compiled >= 12, "only {compiled} examples were found");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn random_programs_compile_to_the_same_words() {
    let programs = std::env::var("TREEPAR_PROGRAMS").map_or(20, |count| count.parse().expect("a number")).min(200);
    for seed in 1..=programs {
        texts_agree(&format!("program {seed}"), &refcompiler_programs::program(seed).to_string(), seed);
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn random_trees_of_several_tiles_compile_to_the_same_words() {
    // Some are of millions of nodes, which take the emulator minutes.
    for (seed, tree) in trees(3_000..60_000).take(6) {
        trees_agree(&format!("tree {seed}"), &tree, seed);
    }
}

/// Returns all columns of the syntax passes as bytes, and the number of violations.
fn syntax_columns<B: Backend>(backend: &B, text: &str) -> (Vec<Vec<u8>>, u32) {
    fn bytes<T: treepar::Element>(rows: Vec<T>) -> Vec<u8> {
        bytemuck::cast_slice(&rows).to_vec()
    }
    let mut sources = Sources::new();
    sources.add("test.par", text.as_bytes().to_vec()).expect("a small file");
    let tokens = Tokens::upload(backend, &token_table(&sources).0).expect("uploaded tokens");
    let classified = classes(backend, &tokens).expect("classes");
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
            let emulated = Emulated::with_seed(seed).expect("a C++ compiler");
            assert_eq!(syntax_columns(&emulated, &text), expected, "{text}");
            if expected.1 == 0 { right += 1 } else { wrong += 1 }
        }
    }
    assert!(right >= 12 && wrong >= 3, "{right} right, {wrong} wrong");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn texts_have_the_same_tokens() {
    let programs: Vec<String> = (1..=12).map(|seed| refcompiler_programs::program(seed).to_string()).collect();
    let joined = format!("{} // é \"\n{} 1.5 0x1F 1.0000001 2147483648 /", programs.concat(), "long_name_".repeat(30));
    for seed in 1..=2 {
        let emulated = Emulated::with_seed(seed).expect("a C++ compiler");
        assert_eq!(compare(&emulated, &sources(&[""])), Verdict::Accepted);
        assert_eq!(compare(&emulated, &sources(&programs)), Verdict::Accepted);
        assert_eq!(compare(&emulated, &sources(&[&joined, &joined])), Verdict::Accepted);
        for text in ["x\0", "1.5.2", "a.b", "// x\0", "0x", ">>=", "/* */", "\u{feff}x", "2147483649"] {
            assert_ne!(compare(&emulated, &sources(&[text])), Verdict::Accepted, "{text}");
        }
    }
}
