//! Programs of a given size in Par and in C, line by line the same, to be compiled and not run.

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
    state: u64,
    program: Program,
    /// Variables in sight: number, and whether float.
    variables: Vec<(u32, bool)>,
    next: u32,
    functions: u32,
}

/// The program of a shape whose Par text has about `bytes` bytes; of a seed always the same.
pub fn program(bytes: usize, shape: Shape, seed: u64) -> Program {
    let program = Program { par: String::new(), c: String::new() };
    let mut w = Writer { state: seed, program, variables: Vec::new(), next: 0, functions: 0 };
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
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % n
    }

    /// The same text in both.
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
        match self.below(12) {
            0..=2 => {
                let is_float = self.below(4) == 0;
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
                let is_float = self.below(4) == 0;
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
        if fitting.is_empty() || self.below(4) == 0 {
            let name = if is_float { "x" } else { ["a", "b"][self.below(2)] };
            self.both(name);
        } else {
            let v = fitting[self.below(fitting.len())];
            self.both(&format!("v{v}"));
        }
    }

    fn call(&mut self, depth: usize) {
        let f = self.functions as usize;
        let callee = self.below(f);
        self.each(&format!("f{callee}["), &format!("f{callee}("));
        self.value(false, depth - 1);
        self.both(", ");
        self.value(false, depth - 1);
        self.both(", ");
        self.value(true, depth - 1);
        self.each("]", ")");
    }

    fn value(&mut self, is_float: bool, depth: usize) {
        if depth == 0 || self.below(4) == 0 {
            if self.below(3) == 0 {
                let n = self.below(5000);
                self.each(
                    &format!("{n}{}", if is_float { ".5" } else { "" }),
                    &format!("{n}{}", if is_float { ".5f" } else { "" }),
                );
            } else {
                self.name(is_float);
            }
            return;
        }
        let parentheses = self.below(3) == 0;
        if parentheses {
            self.both("(");
        }
        self.value(is_float, depth - 1);
        let operators: &[&str] = if is_float {
            &[" + ", " - ", " * ", " / "]
        } else {
            &[" + ", " - ", " * ", " / ", " % ", " + ", " - ", " == ", " < ", " >= ", " << "]
        };
        let operator = operators[self.below(operators.len())];
        self.both(operator);
        self.value(is_float, depth - 1);
        if parentheses {
            self.both(")");
        }
    }
}
