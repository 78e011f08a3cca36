//! Generates programs of a given size in Par and in C. The two texts correspond line by line.
//!
//! The programs repeat a few kinds of statements. They are compiled to be timed and never run. Programs that test the
//! compiler come from `refcompiler_programs`.

mod arrays;
mod league;
mod nesting;

use arrays::Style;
pub use league::{CHAIN, league, repeated_league};
use refcompiler_programs::Rng;

/// How a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Functions of about a kilobyte.
    ManyFunctions,
    /// One function.
    OneFunction,
    /// Functions of about a kilobyte, with loops over elements of arrays.
    ArrayLoops,
    /// Functions of about a kilobyte, with operations on whole arrays.
    WholeArrays,
    /// One function with operations on whole arrays.
    OneOfArrays,
    /// One function whose blocks are all nested.
    DeepBlocks,
    /// One expression whose operators are all nested, at random to the left or to the right.
    DeepExpression,
    /// One block of short statements.
    WideBlock,
    /// One call with as many arguments as fit.
    WideCall,
}

impl Shape {
    /// The shapes that nest as deep or as wide as the program's size allows. Only `refc` has no limit for them.
    pub const NESTED: [Shape; 4] = [Shape::DeepBlocks, Shape::DeepExpression, Shape::WideBlock, Shape::WideCall];

    /// The shapes whose functions are as nested as in other programs. Every compiler gets them.
    pub const FLAT: [Shape; 5] =
        [Shape::ManyFunctions, Shape::OneFunction, Shape::ArrayLoops, Shape::WholeArrays, Shape::OneOfArrays];

    /// Returns the shape that this one is compared with: many functions, of arrays if this is a function of arrays.
    pub fn many(self) -> Shape {
        if self == Shape::OneOfArrays { Shape::WholeArrays } else { Shape::ManyFunctions }
    }

    /// Returns the name that tables use.
    pub fn name(self) -> &'static str {
        match self {
            Shape::ManyFunctions => "many functions",
            Shape::OneFunction => "one function",
            Shape::ArrayLoops => "array loops",
            Shape::WholeArrays => "whole arrays",
            Shape::OneOfArrays => "one function of arrays",
            Shape::DeepBlocks => "deep blocks",
            Shape::DeepExpression => "deep expression",
            Shape::WideBlock => "wide block",
            Shape::WideCall => "wide call",
        }
    }
}

/// A program in both languages.
#[derive(Default)]
pub struct Program {
    /// The Par text.
    pub par: String,
    /// The C text.
    pub c: String,
}

struct Writer {
    rng: Rng,
    program: Program,
    /// The variables in scope, each with its number and `true` if it is a float.
    variables: Vec<(u32, bool)>,
    next: u32,
    functions: u32,
}

/// Returns a program of the given shape. Its Par text has about `bytes` bytes and depends only on the arguments.
pub fn program(bytes: usize, shape: Shape, seed: u64) -> Program {
    let rng = Rng::new(seed);
    let mut w = Writer { rng, program: Program::default(), variables: Vec::new(), next: 0, functions: 0 };
    match shape {
        Shape::ManyFunctions => w.functions(bytes, |w, bytes| w.function(bytes)),
        Shape::OneFunction => w.function(bytes),
        Shape::ArrayLoops => w.functions(bytes, |w, bytes| w.array_function(bytes, Style::Elements)),
        Shape::WholeArrays => w.functions(bytes, |w, bytes| w.array_function(bytes, Style::Whole)),
        Shape::OneOfArrays => w.array_function(bytes, Style::Whole),
        Shape::DeepBlocks => w.deep_blocks(bytes),
        Shape::DeepExpression => w.deep_expression(bytes),
        Shape::WideBlock => w.wide_block(bytes),
        Shape::WideCall => w.wide_call(bytes),
    }
    w.program
}

impl Writer {
    /// Appends the same text to both programs.
    fn both(&mut self, text: &str) {
        self.program.par.push_str(text);
        self.program.c.push_str(text);
    }

    fn each(&mut self, par: &str, c: &str) {
        self.program.par.push_str(par);
        self.program.c.push_str(c);
    }

    /// Appends functions of about a kilobyte until the text has `bytes` bytes.
    fn functions(&mut self, bytes: usize, one: impl Fn(&mut Writer, usize)) {
        while self.program.par.len() < bytes {
            one(self, (bytes - self.program.par.len()).min(1000));
        }
    }

    fn function(&mut self, bytes: usize) {
        let end = self.program.par.len() + bytes;
        self.head();
        let mut opened = 0usize;
        while self.program.par.len() + 40 < end {
            self.statement(&mut opened);
        }
        while opened > 0 {
            opened -= 1;
            self.both("    }\n");
        }
        self.both("    return a;\n}\n");
    }

    /// Begins a function.
    fn head(&mut self) {
        let f = self.functions;
        self.functions += 1;
        self.variables.clear();
        self.each(
            &format!("fn f{f}[a: int, b: int, x: float]: int {{\n"),
            &format!("int f{f}(int a, int b, float x) {{\n"),
        );
    }

    fn statement(&mut self, opened: &mut usize) {
        match self.rng.below(12) {
            0..=2 => {
                let is_float = self.rng.once_in(4);
                let v = self.next;
                self.next += 1;
                let c_type = if is_float { "float" } else { "int" };
                self.each(&format!("    var v{v} = "), &format!("    {c_type} v{v} = "));
                self.value(is_float, 2);
                self.both(";\n");
                if *opened == 0 {
                    self.variables.push((v, is_float));
                    if self.variables.len() > 12 {
                        self.variables.remove(0);
                    }
                }
            }
            3..=7 => {
                let is_float = self.rng.once_in(4);
                self.both("    ");
                self.name(is_float);
                self.both(" = ");
                self.value(is_float, 3);
                self.both(";\n");
            }
            8 if *opened < 4 => {
                self.each("    if ", "    if (");
                self.value(false, 2);
                self.each(" {\n", ") {\n");
                *opened += 1;
            }
            9 if *opened < 4 => {
                self.each("    while ", "    while (");
                self.value(false, 1);
                self.each(" {\n", ") {\n");
                *opened += 1;
            }
            10 if *opened > 0 => {
                self.both("    }\n");
                *opened -= 1;
            }
            _ => {
                self.both("    b = ");
                self.call(2);
                self.both(";\n");
            }
        }
    }

    fn name(&mut self, is_float: bool) {
        let fitting: Vec<u32> = self.variables.iter().filter(|v| v.1 == is_float).map(|v| v.0).collect();
        if fitting.is_empty() || self.rng.once_in(4) {
            let name = if is_float { "x" } else { self.rng.one_of(&["a", "b"]) };
            self.both(name);
        } else {
            let v = self.rng.one_of(&fitting);
            self.both(&format!("v{v}"));
        }
    }

    fn call(&mut self, depth: usize) {
        let f = self.functions as usize;
        let callee = self.rng.below(f);
        self.each(&format!("f{callee}["), &format!("f{callee}("));
        self.value(false, depth - 1);
        self.both(", ");
        self.value(false, depth - 1);
        self.both(", ");
        self.value(true, depth - 1);
        self.each("]", ")");
    }

    fn value(&mut self, is_float: bool, depth: usize) {
        if depth == 0 || self.rng.once_in(4) {
            if self.rng.once_in(3) {
                let n = self.rng.below(5000);
                self.each(
                    &format!("{n}{}", if is_float { ".5" } else { "" }),
                    &format!("{n}{}", if is_float { ".5f" } else { "" }),
                );
            } else {
                self.name(is_float);
            }
            return;
        }
        let parentheses = self.rng.once_in(3);
        if parentheses {
            self.both("(");
        }
        self.value(is_float, depth - 1);
        let operators: &[&str] = if is_float {
            &[" + ", " - ", " * ", " / "]
        } else {
            &[" + ", " - ", " * ", " / ", " % ", " + ", " - ", " == ", " < ", " >= ", " << "]
        };
        let operator = self.rng.one_of(operators);
        self.both(operator);
        self.value(is_float, depth - 1);
        if parentheses {
            self.both(")");
        }
    }
}

#[cfg(test)]
mod tests {
    use refcompiler::diagnostics::{Diagnostic, render};
    use refcompiler::frontend::sequential::{Extent, Sources, check_program};
    use refcompiler::ir::tree::Tree;

    use super::*;

    /// Returns the tree of a program without errors.
    pub(super) fn tree(par: String, extent: Extent) -> Tree {
        checked(par, extent).0
    }

    /// Returns the tree of a program without errors, and its warnings.
    fn checked(par: String, extent: Extent) -> (Tree, Vec<Diagnostic>) {
        let mut sources = Sources::new();
        sources.add("program.par", par.into_bytes()).unwrap();
        match check_program(&sources, extent) {
            Ok((tree, warnings)) => (tree, warnings.iter().map(|warning| warning.diagnostic(&sources)).collect()),
            Err(errors) => panic!("{}", render(&sources, &errors, false)),
        }
    }

    #[test]
    fn programs_have_their_size_and_no_errors() {
        for (seed, bytes) in [60, 200, 1000, 40_000].into_iter().enumerate() {
            for shape in Shape::FLAT.into_iter().chain(Shape::NESTED) {
                let text = program(bytes, shape, seed as u64).par;
                assert!(
                    (bytes - bytes / 10..bytes + 200).contains(&text.len()),
                    "{shape:?}: {} bytes for {bytes}",
                    text.len()
                );
                tree(text, Extent::Object);
            }
        }
    }

    #[test]
    fn programs_with_arrays_have_no_warnings() {
        for shape in [Shape::ArrayLoops, Shape::WholeArrays, Shape::OneOfArrays] {
            let (_, warnings) = checked(program(20_000, shape, 1).par, Extent::Object);
            assert!(warnings.is_empty(), "{shape:?}: {warnings:?}");
        }
    }

    #[test]
    fn both_languages_have_the_same_lines() {
        for shape in Shape::FLAT.into_iter().chain(Shape::NESTED) {
            let program = program(5000, shape, 1);
            assert_eq!(program.par.lines().count(), program.c.lines().count(), "{shape:?}");
        }
    }

    /// Returns the largest depth of a node and the largest number of children.
    fn depth_and_width(tree: &Tree) -> (usize, usize) {
        let mut children = vec![0; tree.len()];
        let mut path: Vec<usize> = Vec::new();
        for (node, &depth) in tree.depth.iter().enumerate() {
            path.truncate(depth as usize);
            if let Some(&parent) = path.last() {
                children[parent] += 1;
            }
            path.push(node);
        }
        (*tree.depth.iter().max().unwrap() as usize, *children.iter().max().unwrap())
    }

    #[test]
    fn nested_shapes_are_as_deep_or_as_wide_as_their_size_allows() {
        let bytes = 40_000;
        let measure = |shape| depth_and_width(&tree(program(bytes, shape, 1).par, Extent::Object));
        for shape in [Shape::DeepBlocks, Shape::DeepExpression] {
            let (depth, width) = measure(shape);
            assert!(depth > bytes / 40 && width < 10, "{shape:?}: {depth} deep, {width} wide");
        }
        for shape in [Shape::WideBlock, Shape::WideCall] {
            let (depth, width) = measure(shape);
            assert!(depth < 10 && width > bytes / 40, "{shape:?}: {depth} deep, {width} wide");
        }
    }
}
