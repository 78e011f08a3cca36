//! The agreement of two backends on whole compilations: words, symbols, calls and the counters of each pass.

use std::path::Path;

use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::program::{Request, program_in_parts};
use refcompiler::frontend::sequential::{Extent, Sources};
use refcompiler::ir::program::Program;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::ssa::ssa;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::columns::Columns;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{After, Compiled, Error, Goal, Observer, Output, compile, compile_program};
use refcompiler::target::Target;
use treepar::{Backend, Cpu};

use super::oracle::lexer::sources;
use super::toolchain;

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

/// Keeps the columns of the program in static single assignment form.
#[derive(Default)]
struct Ssa(Columns);

impl<B: Backend> Observer<B> for Ssa {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        if let After::Lift(lifted) = after {
            self.0.add_table(backend, "ssa", &ssa(backend, lifted)?)?;
        }
        Ok(())
    }
}

/// Converts a tree to static single assignment form on both backends.
fn definitions_agree<B: Backend>(what: &str, tree: &Tree, gpu: &B) {
    let (mut expected, mut found) = (Ssa::default(), Ssa::default());
    compile(&Cpu::with_threads(2), tree, Output::Object, &mut expected).expect("a compilation");
    compile(gpu, tree, Output::Object, &mut found).expect("a compilation");
    for (expected, found) in expected.0.0.iter().zip(&found.0.0) {
        assert!(expected.bytes == found.bytes, "{what}: `{}` of `ssa` differs", expected.name);
    }
}

/// Compiles a tree on both backends with all checks.
pub fn trees_agree<B: Backend>(what: &str, tree: &Tree, gpu: &B) {
    definitions_agree(what, tree, gpu);
    let native = Goal { target: Target::X86_64, output: Output::Executable };
    for (goal, level) in [(Output::Executable.into(), 0), (Output::Object.into(), 1), (native, 0), (native, 1)] {
        let settings = Settings { optimisations: Optimisations::of_level(level), ..goal.into() };
        let checker = || Checker::of(goal.target);
        let expected = compile(&Cpu::with_threads(2), tree, settings, &mut checker());
        agree(what, expected, compile(gpu, tree, settings, &mut checker()));
    }
}

/// Returns the checked program of a text, whose bytes go through all passes of a backend, in one part: several parts with
/// possible warnings would be left to the sequential front end.
fn checked<B: Backend>(backend: &B, sources: &Sources, lines: bool) -> Program<B> {
    let request = Request { extent: Extent::Object, warnings: true, lines };
    match program_in_parts(backend, sources, request, usize::MAX).expect("a front end") {
        Found::Valid(program) => program,
        Found::Unknown { errors, unsure } => panic!("{errors} errors, {unsure} unsure"),
    }
}

/// Compiles a text on both backends, from its bytes to its words, and compares it with the sequential front end.
pub fn texts_agree<B: Backend>(what: &str, text: &str, gpu: &B) {
    let cpu = Cpu::with_threads(2);
    let sources = sources(&[text]);
    let tree = toolchain::tree(text).expect("a valid program");
    // With checks, so that both compile the whole program at once and not in parts.
    let compiled = || compile_program(&cpu, checked(&cpu, &sources, false), Output::Object, &mut Checker::default());
    let found = compile_program(gpu, checked(gpu, &sources, false), Output::Object, &mut Checker::default());
    agree(what, compiled(), found);
    let without_upload = |mut compiled: Compiled| {
        compiled.timings.retain(|timing| timing.pass != "upload");
        compiled
    };
    let expected = compile(&cpu, &tree, Output::Object, &mut Checker::default());
    agree(what, expected.map(without_upload), compiled().map(without_upload));
}

/// Compiles a program with all forms of functions between Par and C.
pub fn interfaces_agree<B: Backend>(gpu: &B) {
    let text = "
        extern fn total[a: [int], by: float, b: [[float]]]: float;
        extern fn outer[n: int, a: [int]]: [[int]];
        extern fn raised[a: *[int], by: int]: *[int];
        extern fn show[a: [[int]]]: void;
        fn mean[a: [int], m: [[float]]]: float { return total[a, 2.0, m] / float(size[a]); }
        fn table[a: *[int], n: int]: [[int]] { var b = raised[a, n]; var m = outer[n, b]; show[m]; return m; }
        fn last[n: int, a: [int]]: int { return a[n]; }
        fn nothing[x: float, a: [int]]: void { print[a]; }
        fn number[x: int]: int { return x; }
        ";
    texts_agree("functions between Par and C", text, gpu);
}

/// Compiles examples for debuggers on both backends: numbers and nested functions from their bytes, others from their trees.
pub fn lines_agree<B: Backend>(gpu: &B) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let cpu = Cpu::with_threads(2);
    for (name, target) in [
        ("calculator", Target::X86_64),
        ("rationals", Target::Riscv32),
        ("whole_arrays", Target::X86_64),
        ("k_means", Target::Riscv32),
    ] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("par")).expect("an example");
        let tree = toolchain::tree(&text).expect("a valid program");
        let sources = sources(&[&text]);
        let goal = Goal { target, output: Output::Executable };
        let settings =
            Settings { optimisations: Optimisations::of_level(1), lines: Some(&sources), ..Settings::from(goal) };
        let of_tree = compile(&cpu, &tree, settings, &mut ()).expect("a compilation").image.debug;
        assert!(of_tree.as_ref().is_some_and(|debug| debug.lines.len() > 20), "{name} has lines");
        let found = compile(gpu, &tree, settings, &mut ()).expect("a compilation").image.debug;
        assert_eq!(of_tree, found, "{name}");
        if !tree.arrays && tree.composites.is_empty() {
            for found in [
                compile_program(&cpu, checked(&cpu, &sources, true), settings, &mut ()).expect("a compilation"),
                compile_program(gpu, checked(gpu, &sources, true), settings, &mut ()).expect("a compilation"),
            ] {
                assert_eq!(of_tree, found.image.debug, "{name}");
            }
        }
    }
}

/// Compiles all examples on both backends.
pub fn examples_agree<B: Backend>(gpu: &B) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut compiled = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "par") {
            let text = std::fs::read_to_string(&path).expect("an example");
            let what = path.display().to_string();
            let tree = toolchain::tree(&text).expect("a valid program");
            // Only the sequential front end knows arrays, structs and tuples.
            if tree.arrays || !tree.composites.is_empty() {
                trees_agree(&what, &tree, gpu)
            } else {
                texts_agree(&what, &text, gpu)
            }
            compiled += 1;
        }
    }
    assert!(compiled >= 12, "only {compiled} examples were found");
}
