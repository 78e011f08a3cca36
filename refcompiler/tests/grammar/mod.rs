//! Random programs as lists of tokens: valid ones with every construct of the language, and damaged ones.

#![allow(dead_code, reason = "each test program uses a part")]

use std::sync::LazyLock;

use refcompiler::ir::tokens::TokenKind;
use refcompiler_programs::Rng;

/// Names and numbers of every form. Programs of [`program`] declare the names.
const NAMES_AND_NUMBERS: [&str; 7] = ["p", "f0", "1", "2147483648", "1.5", "1.5e-3", "0x1f"];

/// Tokens of every kind, to be inserted into a program.
pub static TOKENS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let spellings = TokenKind::ALL.iter().map(|kind| kind.spelling()).filter(|spelling| !spelling.is_empty());
    spellings.chain(NAMES_AND_NUMBERS).collect()
});

const BINARY: [&str; 19] =
    ["*", "/", "%", "+", "-", "<<", ">>", ">>>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];

/// A program that is being written.
pub struct Writer {
    rng: Rng,
    tokens: Vec<String>,
    /// The number of names that were declared.
    names: usize,
    /// The number of heads of `for` and of conditional expressions around. They declare no variables.
    heads: usize,
    /// The number of parameters of each function at top level.
    arities: Vec<usize>,
}

/// Returns the tokens of a valid program. All its values are ints. Its functions are `f0`, `f1`, ..
pub fn program(seed: u64, size: usize) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let arities = (0..1 + rng.below(3)).map(|_| rng.below(4)).collect();
    let mut writer = Writer { rng, tokens: Vec::new(), names: 0, heads: 0, arities };
    for k in 0..writer.arities.len() {
        let (name, arity) = (format!("f{k}"), writer.arities[k]);
        let is_extern = writer.rng.once_in(6);
        if is_extern {
            writer.write(&["extern"]);
        }
        writer.head(&name, arity);
        if is_extern {
            writer.write(&[";"]);
        } else {
            writer.body(size);
        }
    }
    writer.tokens
}

/// Changes up to three tokens of a program.
pub fn damage(tokens: &mut Vec<String>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(3) {
        if tokens.is_empty() {
            return;
        }
        let (at, other) = (rng.below(tokens.len()), rng.below(tokens.len()));
        match rng.below(5) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at].clone()),
            2 => tokens.swap(at, other),
            3 => tokens.insert(at, rng.one_of(&TOKENS).to_string()),
            _ => tokens[at] = rng.one_of(&TOKENS).to_string(),
        }
    }
}

impl Writer {
    fn write(&mut self, tokens: &[&str]) {
        self.tokens.extend(tokens.iter().map(|token| token.to_string()));
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Writes the head of a function, whose first parameter is `p`.
    fn head(&mut self, name: &str, arity: usize) {
        self.write(&["fn", name, "["]);
        for k in 0..=arity {
            let parameter = if k == 0 { "p".to_string() } else { self.name("q") };
            if k > 0 {
                self.write(&[","]);
            }
            self.write(&[&parameter, ":", "int"]);
        }
        self.write(&["]", ":", "int"]);
    }

    /// Writes the body of a function.
    fn body(&mut self, size: usize) {
        self.write(&["{"]);
        self.statements(size);
        self.write(&["return"]);
        self.expression(2);
        self.write(&[";", "}"]);
    }

    fn block(&mut self, size: usize) {
        self.write(&["{"]);
        self.statements(size);
        self.write(&["}"]);
    }

    fn statements(&mut self, size: usize) {
        for _ in 0..self.rng.below(5) {
            self.statement(size);
        }
    }

    fn statement(&mut self, size: usize) {
        let choice = if size > 0 { self.rng.below(11) } else { 5 + self.rng.below(5) };
        match choice {
            0 => {
                let (name, arity) = (self.name("g"), self.rng.below(3));
                self.head(&name, arity);
                self.body(size - 1);
            }
            1 | 2 => {
                let mut keyword = "if";
                loop {
                    self.write(&[keyword]);
                    self.expression(2);
                    self.block(size - 1);
                    if !self.rng.once_in(2) {
                        break;
                    }
                    keyword = "elif";
                }
                if self.rng.once_in(2) {
                    self.write(&["else"]);
                    self.block(size - 1);
                }
            }
            3 => {
                self.write(&["while"]);
                self.expression(2);
                self.block(size - 1);
            }
            4 => self.block(size - 1),
            5 => {
                self.write(&["return"]);
                self.expression(3);
                self.write(&[";"]);
            }
            6 => self.write(&[";"]),
            10 => {
                let name = self.name("i");
                self.write(&["for", &name, "<"]);
                self.heads += 1;
                self.expression(2);
                self.heads -= 1;
                self.block(size - 1);
            }
            _ => {
                self.expression(4);
                self.write(&[";"]);
            }
        }
    }

    /// Writes an expression with up to `size` levels of brackets and assignments.
    fn expression(&mut self, size: usize) {
        match self.rng.below(12) {
            0 | 1 if size > 0 => {
                self.write(&["p", "="]);
                self.expression(size - 1);
            }
            2 if size > 0 && self.heads == 0 => {
                let name = self.name("v");
                self.write(&["var", &name]);
                if self.rng.once_in(2) {
                    self.write(&[":", "int"]);
                }
                self.write(&["="]);
                self.expression(size - 1);
            }
            3 if self.heads == 0 => {
                let name = self.name("v");
                self.write(&["var", &name, ":", "int"]);
            }
            _ => {
                self.operand(size);
                while self.rng.once_in(3) {
                    let operator = self.rng.one_of(&BINARY);
                    self.write(&[operator]);
                    self.operand(size);
                }
                while self.rng.once_in(6) {
                    self.write(&[":", "int"]);
                }
            }
        }
    }

    fn operand(&mut self, size: usize) {
        while self.rng.once_in(5) {
            let operator = self.rng.one_of(&["-", "!", "~"]);
            self.write(&[operator]);
        }
        match if size > 0 { self.rng.below(8) } else { self.rng.below(3) } {
            0 | 1 => self.write(&["p"]),
            2 => {
                let number = self.rng.one_of(&["0", "1", "2147483647", "0xffffffff"]);
                self.write(&[number]);
            }
            3 => {
                let operator = self.rng.one_of(&["int", "("]);
                self.write(if operator == "(" { &["("] } else { &["int", "("] });
                self.expression(size - 1);
                self.write(&[")"]);
            }
            4 => self.write(&["-", "2147483648"]),
            7 => {
                self.heads += 1;
                for before in ["if [", ",", ","] {
                    self.write(&before.split(' ').collect::<Vec<_>>());
                    self.expression(size - 1);
                }
                self.heads -= 1;
                self.write(&["]"]);
            }
            _ => self.call(size - 1),
        }
    }

    fn call(&mut self, size: usize) {
        let callee = self.rng.below(self.arities.len());
        let (open, close) = self.rng.one_of(&[("(", ")"), ("[", "]")]);
        self.write(&[&format!("f{callee}"), open]);
        for k in 0..=self.arities[callee] {
            if k > 0 {
                self.write(&[","]);
            }
            self.expression(size);
        }
        self.write(&[close]);
    }
}
