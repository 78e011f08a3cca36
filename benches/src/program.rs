//! Generates programs of a given size in Par and in C. The two texts correspond line by line.
//!
//! The programs repeat a few kinds of statements. They are compiled to be timed and never run. Programs that test the
//! compiler come from `refcompiler_programs`.

use refcompiler_programs::Rng;

/// How a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Functions of about a kilobyte.
    ManyFunctions,
    /// One function.
    OneFunction,
}

/// A program in both languages.
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
    let program = Program { par: String::new(), c: String::new() };
    let mut w = Writer { rng: Rng::new(seed), program, variables: Vec::new(), next: 0, functions: 0 };
    let function_bytes = match shape {
        Shape::ManyFunctions => 1000,
        Shape::OneFunction => bytes,
    };
    while w.program.par.len() < bytes {
        w.function((bytes - w.program.par.len()).min(function_bytes));
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

    fn function(&mut self, bytes: usize) {
        let end = self.program.par.len() + bytes;
        let f = self.functions;
        self.functions += 1;
        self.variables.clear();
        self.each(
            &format!("fn f{f}[a: int, b: int, x: float]: int {{\n"),
            &format!("int f{f}(int a, int b, float x) {{\n"),
        );
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
    use refcompiler::diagnostics::render;
    use refcompiler::frontend::sequential::{Sources, parse_program};

    use super::*;

    #[test]
    fn programs_have_their_size_and_no_errors() {
        for (seed, bytes) in [60, 200, 1000, 40_000].into_iter().enumerate() {
            for shape in [Shape::ManyFunctions, Shape::OneFunction] {
                let text = program(bytes, shape, seed as u64).par;
                assert!((bytes..bytes + 200).contains(&text.len()), "{} bytes for {bytes}", text.len());
                let mut sources = Sources::new();
                sources.add("program.par", text.into_bytes()).unwrap();
                if let Err(errors) = parse_program(&sources) {
                    panic!("{}", render(&sources, &errors, false));
                }
            }
        }
    }
}
