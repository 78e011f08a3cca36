//! Programs that nest as deep or as wide as their size allows.

use super::Writer;

const CLOSE: &str = "    }\n";
const INNERMOST: &str = "    a = a + 1;\n";
const END: &str = ";\n}\n";
const RETURN: &str = "    return a;\n}\n";

impl Writer {
    /// Appends one function of about `bytes` bytes whose blocks are all nested.
    pub(super) fn deep_blocks(&mut self, bytes: usize) {
        self.head();
        let mut depth = 0;
        // Each block also needs the line that closes it.
        while self.program.par.len() + depth * CLOSE.len() + INNERMOST.len() + RETURN.len() < bytes {
            let word = self.rng.one_of(&["if", "while"]);
            self.each(&format!("    {word} "), &format!("    {word} ("));
            self.value(false, 1);
            self.each(" {\n", ") {\n");
            depth += 1;
        }
        self.both(INNERMOST);
        self.both(&CLOSE.repeat(depth));
        self.both(RETURN);
    }

    /// Appends one function of about `bytes` bytes that consists of one expression.
    pub(super) fn deep_expression(&mut self, bytes: usize) {
        self.head();
        self.both("    return ");
        let mut closing = Vec::new();
        let mut closing_bytes = 0;
        while self.program.par.len() + closing_bytes + END.len() < bytes {
            let operator = self.rng.one_of(&[" + ", " - ", " * ", " < ", " >= ", " << "]);
            let operand = self.rng.one_of(&["a", "b", "7", "1234"]);
            if self.rng.once_in(2) {
                self.both(&format!("({operand}{operator}"));
                closing.push(")".to_string());
            } else {
                self.both("(");
                closing.push(format!("{operator}{operand})"));
            }
            closing_bytes += closing.last().map_or(0, String::len);
        }
        closing.reverse();
        self.both(&format!("a{}{END}", closing.concat()));
    }

    /// Appends one function of about `bytes` bytes whose body is a list of short statements.
    pub(super) fn wide_block(&mut self, bytes: usize) {
        self.head();
        while self.program.par.len() + RETURN.len() < bytes {
            let (name, value) = (self.rng.one_of(&["a", "b"]), self.rng.one_of(&["a", "b", "7", "1234"]));
            self.both(&format!("    {name} = {value};\n"));
        }
        self.both(RETURN);
    }

    /// Appends a function with many parameters and one that calls it, together about `bytes` bytes.
    pub(super) fn wide_call(&mut self, bytes: usize) {
        let (mut par, mut c) = (String::new(), String::new());
        let mut arguments = Vec::new();
        let mut argument_bytes = 0;
        // The rest is the text around the two lists.
        while par.len() + argument_bytes + 90 < bytes {
            let n = arguments.len();
            let comma = if n == 0 { "" } else { ", " };
            par += &format!("{comma}p{n}: int");
            c += &format!("{comma}int p{n}");
            let argument = self.rng.one_of(&["a", "b", "7", "1234"]);
            argument_bytes += argument.len() + comma.len();
            arguments.push(argument);
        }
        let arguments = arguments.join(", ");
        self.each(&format!("fn f0[{par}]: int {{\n"), &format!("int f0({c}) {{\n"));
        self.both("    return 1;\n}\n");
        self.functions += 1;
        self.head();
        self.each(&format!("    return f0[{arguments}];\n}}\n"), &format!("    return f0({arguments});\n}}\n"));
    }
}
