//! Compiles the examples of `refc` and generated programs on both backends, and compares the results word by word.

use std::ops::Range;

use refcompiler::diagnostics::render;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::tree::Tree;
use refcompiler::object::Image;
use refcompiler::pipeline::{Compiled, Output, compile};
use treepar::Backend;

use crate::failure::Failure;
use crate::gpu_check::parts::{Check, Lost, caught};
use crate::gpu_check::run::Extent;
use crate::gpu_check::subject::Subject;
use crate::gpu_check::{bisect, front_end};
use crate::operations::first_difference;

/// Expands to the name and text of each example.
macro_rules! examples {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../refcompiler/examples/", $name, ".par")))),*]
    };
}

/// The examples, included in the executable.
const EXAMPLES: [(&str, &str); 44] = examples![
    "ackermann",
    "blur",
    "bodies",
    "calculator",
    "calling_convention",
    "choose",
    "clusters",
    "collatz",
    "complex_numbers",
    "convolution",
    "deep_recursion",
    "determinant",
    "edit_distance",
    "filter_by_sums",
    "floats",
    "grey_image",
    "hanoi",
    "heap_sort",
    "histogram",
    "k_means",
    "knapsack",
    "life",
    "mandelbrot",
    "mandelbrot_array",
    "matrix_product",
    "newton",
    "option_prices",
    "partitions",
    "pentomino",
    "planets",
    "prefix_sums",
    "pricing_summary",
    "primes",
    "queens",
    "rationals",
    "series",
    "shortest_paths",
    "sieve",
    "simpson",
    "statistics",
    "tridiagonal",
    "walks",
    "whole_arrays",
    "word_count",
];

/// The number of generated programs.
const GENERATED: u64 = 3000;

/// The number of generated programs in a quick check.
const QUICK_GENERATED: u64 = 300;

/// The number of generated programs in a rehearsal.
const REHEARSED_GENERATED: u64 = 10;

/// The number of random trees among ten generated programs. The others are texts that use all of Par.
const TREES: u64 = 3;

/// The number of nodes of a random tree: several tiles.
const NODES: Range<usize> = 3000..300_000;

/// The number of nodes of a random tree in a rehearsal.
const REHEARSED_NODES: Range<usize> = 3000..10_000;

/// Compiles all programs until every program is done or the time is up.
pub fn check<B: Subject>(check: &Check<B>) -> Result<(), Lost> {
    for (name, text) in EXAMPLES {
        for output in [Output::Executable, Output::Object] {
            one(check, &format!("example {name}, {output:?}"), Program::Text(text), output)?;
        }
    }
    let (most, nodes) = match check.run.extent() {
        Extent::Rehearsal => (REHEARSED_GENERATED, REHEARSED_NODES),
        Extent::Quick => (QUICK_GENERATED, NODES),
        Extent::Full => (GENERATED, NODES),
    };
    let mut trees = refcompiler_programs::trees(nodes);
    for k in 0..most {
        if check.is_late() {
            check.run.skipped(most - k, format!("{} of {most} generated programs: out of time", most - k));
            return Ok(());
        }
        if k % 10 < TREES
            && let Some((seed, tree)) = trees.next()
        {
            one(
                check,
                &format!("random tree, {} nodes, seed {seed}", tree.len()),
                Program::Tree(tree),
                Output::Object,
            )?;
        } else {
            let program = refcompiler_programs::program(k).to_string();
            let output = if k.is_multiple_of(2) { Output::Executable } else { Output::Object };
            one(check, &format!("random program, seed {k}, {output:?}"), Program::Text(&program), output)?;
        }
    }
    Ok(())
}

/// A program to compile.
enum Program<'a> {
    Text(&'a str),
    Tree(Tree),
}

impl Program<'_> {
    /// Compares the trees that both backends make of a text, and the words that they make of the tree.
    fn compared<B: Subject>(self, check: &Check<B>, output: Output) -> Result<(), Failure> {
        let tree = match self {
            Program::Tree(tree) => tree,
            Program::Text(text) => {
                front_end::compared(check, text)?;
                tree(text).map_err(Failure::from)?
            }
        };
        compared(check, &tree, output).map(drop)
    }
}

/// Compiles one program on both backends.
fn one<B: Subject>(check: &Check<B>, name: &str, program: Program<'_>, output: Output) -> Result<(), Lost> {
    if check.is_late() {
        check.run.skipped(1, format!("{name}: out of time"));
        return Ok(());
    }
    check.run.doing(format!("programs: {name}"));
    match program.compared(check, output) {
        Ok(()) => check.run.passed(1),
        Err(Failure::Full(why)) => check.run.skipped(1, format!("{name}: {why}")),
        Err(Failure::Other(why)) => return check.failed(name, why),
    }
    Ok(())
}

/// Parses a program.
pub fn tree(text: &str) -> Result<Tree, String> {
    let mut sources = Sources::new();
    sources.add("program.par", text.as_bytes().to_vec()).map_err(|error| error.to_string())?;
    parse_program(&sources).map_err(|errors| render(&sources, &errors, false))
}

/// Compiles on both backends and compares. The failure names the first difference and the first pass that differs.
pub fn compared<B: Subject>(check: &Check<B>, tree: &Tree, output: Output) -> Result<Compiled, Failure> {
    let expected = run(check.reference, tree, output).map_err(|failure| match failure {
        Failure::Full(_) => failure,
        Failure::Other(why) => Failure::Other(format!("the reference fails: {why}")),
    })?;
    let wrong = |why: String| {
        let at = bisect::first_difference(check.subject, check.reference, tree, output);
        Err(Failure::Other(format!("{why}; {at}")))
    };
    match run(check.subject, tree, output) {
        Ok(found) => difference(&found.image, &expected.image).map_or(Ok(found), wrong),
        Err(Failure::Other(why)) => wrong(why),
        full => full,
    }
}

/// Compiles on one backend. A panic is a failure.
pub fn run<B: Backend>(backend: &B, tree: &Tree, output: Output) -> Result<Compiled, Failure> {
    caught(|| Ok(compile(backend, tree, output, &mut ())?))
}

/// Describes the first difference between two images.
pub fn difference(found: &Image, expected: &Image) -> Option<String> {
    let hex = |words: &[u32]| words.iter().map(|&word| Hex(word)).collect::<Vec<_>>();
    // Words are compared as numbers and printed in hexadecimal.
    let words = (found.words != expected.words).then(|| first_difference(&hex(&found.words), &hex(&expected.words)));
    let named = |name: &'static str| move |difference: String| format!("{name}, {difference}");
    words
        .flatten()
        .map(named("words"))
        .or_else(|| first_difference(&found.symbols, &expected.symbols).map(named("symbols")))
        .or_else(|| first_difference(&found.calls, &expected.calls).map(named("calls")))
}

#[derive(PartialEq)]
struct Hex(u32);

impl std::fmt::Debug for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treepar::Cpu;

    #[test]
    fn every_example_is_included() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../refcompiler/examples");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "par"))
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, EXAMPLES.map(|(name, _)| name));
    }

    #[test]
    fn random_programs_and_trees_compile() {
        let programs = (0..20).map(|seed| tree(&refcompiler_programs::program(seed).to_string()).unwrap());
        let trees = refcompiler_programs::trees(NODES).take(5).map(|(_, tree)| tree);
        for tree in programs.chain(trees) {
            run(&Cpu::with_threads(2), &tree, Output::Object).unwrap();
        }
    }

    #[test]
    fn images_that_differ_are_described_by_their_first_word() {
        let tree = tree(EXAMPLES[0].1).unwrap();
        let image = run(&Cpu::with_threads(1), &tree, Output::Object).unwrap().image;
        assert_eq!(difference(&image, &image), None);
        let mut other = image.clone();
        other.words[3] = 0x13;
        assert!(difference(&other, &image).unwrap().starts_with("words, row 3 is 0x00000013 instead of 0x"));
        let mut other = image.clone();
        other.symbols.pop();
        assert!(difference(&other, &image).unwrap().starts_with("symbols, "));
    }
}
