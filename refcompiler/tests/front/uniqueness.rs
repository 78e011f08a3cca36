//! Uniqueness: the pass against an oracle on random programs, and the rules on small ones.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::oracle::uniqueness::{Breach, breaches};
use crate::toolchain;
use refcompiler::frontend::sequential::Sources;
use refcompiler::frontend::uniqueness::{breaches_in_parts, errors};
use refcompiler::ir::tree::{Tree, kind};
use refcompiler::passes::uniqueness::Rule;
use refcompiler_programs::{Planted, Rng, Token, number, program_with_breach};
use treepar::{Backend, Cpu};

/// Returns the breaches that the pass finds in parts of at least `nodes` nodes, and the number of its templates.
fn found(tree: &Tree, threads: usize, nodes: usize) -> (BTreeSet<Breach>, u64) {
    let cpu = Cpu::with_threads(threads);
    let found = breaches_in_parts(&cpu, tree, nodes).expect("a pass");
    let mut breaches = BTreeSet::new();
    for ((&rule, &node), &other) in found.rule.iter().zip(&found.node).zip(&found.other) {
        let (name, of_other) = match rule {
            Rule::Used => ("used", &[kind::ARG, kind::UPDATE][..]),
            Rule::Parameter => ("parameter", &[kind::PARAM][..]),
            Rule::Shared => ("shared", &[kind::PARAM, kind::DECLARE][..]),
            Rule::Lambda => ("lambda", &[kind::NAME][..]),
            Rule::Row => ("row", &[kind::UPDATE][..]),
            Rule::Result => ("result", &[kind::PARAM, kind::DECLARE][..]),
            _ => panic!("no rule is broken"),
        };
        assert!(
            of_other.contains(&tree.kind[other as usize]),
            "{name}: the other node is a {}",
            tree.kind[other as usize]
        );
        assert!(breaches.insert((name, node)), "{name} of node {node} twice");
    }
    (breaches, cpu.counters().templates)
}

/// Returns a breach with its line and column.
fn shown(text: &str, tree: &Tree, (rule, node): Breach) -> String {
    let before = &text[..tree.pos[node as usize] as usize];
    let (line, column) =
        (before.matches('\n').count() + 1, before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1);
    format!("{rule} at {line}:{column}")
}

/// Returns the breaches that the pass misses, and the ones that it finds too much.
fn difference(text: &str, tree: &Tree) -> Option<String> {
    let expected = breaches(tree);
    for (threads, nodes) in [(1, usize::MAX), (3, 1)] {
        let (found, _) = found(tree, threads, nodes);
        let show = |rows: BTreeSet<&Breach>| rows.into_iter().map(|&row| shown(text, tree, row)).collect::<Vec<_>>();
        let (missing, more) =
            (show(expected.difference(&found).collect()), show(found.difference(&expected).collect()));
        if !missing.is_empty() || !more.is_empty() {
            return Some(format!("missing {missing:?}, too many {more:?}"));
        }
    }
    None
}

/// Returns a program with fewer lines that differs too.
fn shrunk(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut length = lines.len();
    while length > 0 {
        for start in (0..=lines.len().saturating_sub(length)).rev() {
            let mut fewer = lines.clone();
            fewer.drain(start..(start + length).min(lines.len()));
            let text = fewer.join("\n");
            if toolchain::tree(&text).is_ok_and(|tree| difference(&text, &tree).is_some()) {
                lines = fewer;
            }
        }
        length -= 1;
    }
    lines.join("\n")
}

/// Checks that the pass agrees with the oracle. Returns the number of breaches.
fn equals_oracle(what: &str, text: &str) -> usize {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{what}:\n{text}\n{errors}"));
    if difference(text, &tree).is_some() {
        let text = shrunk(text);
        let tree = toolchain::tree(&text).expect("a valid program");
        panic!("{what}: {}\n{text}", difference(&text, &tree).expect("a difference"));
    }
    breaches(&tree).len()
}

/// Functions that random programs call.
const FUNCTIONS: &str = "\
fn take[a: *[int]]: *[int] { a[0] = 1; return a; }
fn give[a: *[int], b: [int]]: [int] { a[0] = b[0]; return b; }
fn pick[a: [int], b: [int]]: [int] { return if[a[0], a, b]; }
fn look[a: [int]]: int { return a[0]; }
fn two[a: *[int], b: *[int]]: int { return a[0] + b[0]; }
struct S { x: [int], y: [int], n: int }
";

/// Stands for the rank of a struct.
const STRUCT: usize = 9;

/// Draws programs.
struct Drawing {
    rng: Rng,
    text: String,
    /// The variables in scope: the name, its rank or [`STRUCT`], and whether it can be assigned.
    scope: Vec<(String, usize, bool)>,
    next: usize,
}

impl Drawing {
    fn variable(&mut self, rank: usize, assignable: bool) -> Option<String> {
        let scope = self.scope.iter().filter(|(_, r, a)| *r == rank && (*a || !assignable));
        let names: Vec<String> = scope.map(|(name, ..)| name.clone()).collect();
        (!names.is_empty()).then(|| names[self.rng.below(names.len())].clone())
    }

    fn number(&mut self, depth: usize) -> String {
        match self.rng.below(if depth == 0 { 2 } else { 7 }) {
            0 => "n".to_string(),
            1 => match self.variable(1, false) {
                Some(name) => format!("{name}[0]"),
                None => "1".to_string(),
            },
            2 if self.rng.once_in(3) => match self.variable(STRUCT, false) {
                Some(name) => format!("{name}.n"),
                None => "2".to_string(),
            },
            2 => format!("look[{}]", self.array(depth - 1)),
            3 => format!("two[{}, {}]", self.array(depth - 1), self.array(depth - 1)),
            4 => format!("({} + {})", self.number(depth - 1), self.number(depth - 1)),
            5 => format!("if[{}, {}, {}]", self.number(depth - 1), self.number(depth - 1), self.number(depth - 1)),
            _ => format!("size[{}]", self.array(depth - 1)),
        }
    }

    fn array(&mut self, depth: usize) -> String {
        let name = self.variable(1, false);
        match (self.rng.below(if depth == 0 { 4 } else { 15 }), name) {
            (0..=2, Some(name)) => name,
            (3 | 14, _) => match self.variable(STRUCT, false) {
                Some(name) => format!("{name}.{}", self.rng.one_of(&["x", "y"])),
                None => "iota[3]".to_string(),
            },
            (4, Some(name)) => format!("copy[{name}]"),
            (5 | 6, _) => format!("take[{}]", self.array(depth - 1)),
            (7, _) => format!("give[{}, {}]", self.array(depth - 1), self.array(depth - 1)),
            (8, _) => format!("pick[{}, {}]", self.array(depth - 1), self.array(depth - 1)),
            (9 | 10, _) => {
                format!("if[{}, {}, {}]", self.number(depth - 1), self.array(depth - 1), self.array(depth - 1))
            }
            (11, _) => format!("concat[{}, {}]", self.array(depth - 1), self.array(depth - 1)),
            (12, _) => match self.variable(1, true) {
                Some(name) => format!("({name} = {})", self.array(depth - 1)),
                None => "iota[2]".to_string(),
            },
            (13, _) => match self.variable(2, false) {
                Some(name) => format!("{name}[{}]", self.number(0)),
                None => "[1, 2]".to_string(),
            },
            _ => "iota[3]".to_string(),
        }
    }

    fn matrix(&mut self) -> String {
        match (self.rng.below(3), self.variable(2, false)) {
            (0 | 1, Some(name)) => name,
            _ => format!("replicate[2, {}]", self.array(1)),
        }
    }

    fn structure(&mut self, depth: usize) -> String {
        match (self.rng.below(3), self.variable(STRUCT, false)) {
            (0, Some(name)) => name,
            _ => format!("S[{}, {}, {}]", self.array(depth), self.array(depth), self.number(depth)),
        }
    }

    fn assign_struct(&mut self) {
        let piece = match self.variable(STRUCT, true) {
            None => ";".to_string(),
            Some(name) => {
                let field = self.rng.one_of(&["x", "y"]);
                match self.rng.below(6) {
                    0 => format!("{name} = {};", self.structure(1)),
                    1 => format!("{name}.n = {};", self.number(2)),
                    2 | 3 => format!("{name}.{field} = {};", self.array(2)),
                    _ => format!("{name}.{field}[{}] = {};", self.number(1), self.number(2)),
                }
            }
        };
        self.text += &piece;
    }

    fn block(&mut self, indent: usize, depth: usize) {
        let scope = self.scope.len();
        self.text += "{\n";
        for _ in 0..self.rng.below(5) {
            self.statement(indent + 1, depth);
        }
        if self.rng.once_in(8) {
            let value = self.array(1);
            {
                let piece = format!("{}return {value};\n", "  ".repeat(indent + 1));
                self.text += &piece;
            }
        }
        {
            let piece = format!("{}}}", "  ".repeat(indent));
            self.text += &piece;
        }
        self.scope.truncate(scope);
    }

    fn declare(&mut self, rank: usize) {
        let value = match rank {
            STRUCT => self.structure(1),
            1 => self.array(2),
            _ => self.matrix(),
        };
        let name = format!("v{}", self.next);
        self.next += 1;
        {
            let piece = format!("var {name} = {value};");
            self.text += &piece;
        }
        self.scope.push((name, rank, true));
    }

    fn statement(&mut self, indent: usize, depth: usize) {
        self.text += &"  ".repeat(indent);
        match self.rng.below(if depth == 0 { 10 } else { 16 }) {
            0 if self.rng.once_in(2) => self.declare(STRUCT),
            7 if self.rng.once_in(2) => self.assign_struct(),
            0 | 1 => self.declare(1),
            2 => self.declare(2),
            3..=5 => match self.variable(1, true) {
                Some(name) if self.rng.once_in(2) => {
                    let piece = format!("{name}[{}] = {};", self.number(1), self.number(2));
                    self.text += &piece;
                }
                Some(name) => {
                    let piece = format!("{name} = {};", self.array(2));
                    self.text += &piece;
                }
                None => self.text += ";",
            },
            6 => match self.variable(2, true) {
                Some(name) if self.rng.once_in(3) => {
                    let piece = format!("{name} = {};", self.matrix());
                    self.text += &piece;
                }
                Some(name) => {
                    let piece = format!("{name}[{}] = {};", self.number(0), self.array(1));
                    self.text += &piece;
                }
                None => self.text += ";",
            },
            7..=9 => {
                let piece = format!("{};", self.number(2));
                self.text += &piece;
            }
            10 | 11 => {
                {
                    let count = self.number(1);
                    let piece = format!("for i{} < {count} ", self.next);
                    self.text += &piece;
                }
                self.block(indent, depth - 1);
            }
            12 => {
                {
                    let piece = format!("while {} ", self.number(1));
                    self.text += &piece;
                }
                self.block(indent, depth - 1);
            }
            13 if self.rng.once_in(3) => {
                let outer = std::mem::take(&mut self.scope);
                self.scope = outer.iter().map(|(name, rank, _)| (name.clone(), *rank, false)).collect();
                {
                    let piece = format!("fn f{}[n: int]: [int] ", self.next);
                    self.text += &piece;
                }
                self.next += 1;
                self.block(indent, depth - 1);
                self.text.pop();
                {
                    let piece = format!("{}return iota[2]; }}", "  ".repeat(indent + 1));
                    self.text += &piece;
                }
                self.scope = outer;
            }
            _ => {
                {
                    let piece = format!("if {} ", self.number(1));
                    self.text += &piece;
                }
                self.block(indent, depth - 1);
                if self.rng.once_in(3) {
                    {
                        let piece = format!(" elif {} ", self.number(1));
                        self.text += &piece;
                    }
                    self.block(indent, depth - 1);
                }
                if !self.rng.once_in(3) {
                    self.text += " else ";
                    self.block(indent, depth - 1);
                }
            }
        }
        self.text += "\n";
    }
}

fn random_program(seed: u64) -> String {
    let mut drawing = Drawing { rng: Rng::new(seed), text: FUNCTIONS.to_string(), scope: Vec::new(), next: 0 };
    for (name, rank, assignable) in
        [("p", 1, false), ("q", 1, true), ("r", 1, true), ("m", 2, false), ("u", 2, true), ("s", STRUCT, false)]
    {
        drawing.scope.push((name.to_string(), rank, assignable));
    }
    let star = if seed.is_multiple_of(2) { "*" } else { "" };
    {
        let piece =
            format!("fn test[n: int, p: [int], q: *[int], r: *[int], m: [[int]], u: *[[int]], s: S]: {star}[int] {{\n");
        drawing.text += &piece;
    }
    for _ in 0..2 + seed % 9 {
        drawing.statement(1, 3);
    }
    {
        let piece = format!("  return {};\n}}\n", drawing.array(2));
        drawing.text += &piece;
    }
    drawing.text
}

/// Returns the bytes of a token.
fn bytes_of(text: &str, (name, before): Token) -> Range<u32> {
    let is_word = |at: usize| text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let whole = |&(at, _): &(usize, &str)| !is_word(at + name.len()) && !text[..at].ends_with(char::is_alphanumeric);
    let (at, _) = text.match_indices(name).filter(whole).nth(before).expect("a token");
    at as u32..(at + name.len()) as u32
}

#[test]
fn a_breach_is_reported_with_its_code_and_positions() {
    let mut codes = BTreeMap::new();
    let first = number("TREEPAR_SEED", 1);
    for seed in first..first + number("TREEPAR_PROGRAMS", 120) {
        let Planted { program, code, token, other } = program_with_breach(seed);
        let text = program.to_string();
        let mut sources = Sources::new();
        sources.add("test.par", text.as_bytes().to_vec()).expect("a source");
        let tree = toolchain::tree(&text).unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
        let errors = errors(&Cpu::with_threads(1), &tree, &sources).expect("a pass");
        let found: Vec<_> = errors.iter().map(|e| (e.code.text(), e.span.clone(), e.others[0].0.clone())).collect();
        let expected = (code, bytes_of(&text, token), bytes_of(&text, other));
        assert_eq!(found, [expected], "seed {seed}, {token:?} and {other:?}:\n{text}");
        *codes.entry(code).or_insert(0) += 1;
    }
    println!("{codes:?}");
}

#[test]
fn random_programs_equal_the_oracle() {
    let count = number("TREEPAR_PROGRAMS", 300);
    let mut kept = 0;
    for seed in 1..=count {
        kept += u64::from(equals_oracle(&format!("program {seed}"), &random_program(seed)) == 0);
    }
    assert!(kept > count / 50 && kept < count, "{kept} of {count} programs keep the rules");
}
