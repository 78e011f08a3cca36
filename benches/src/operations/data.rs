//! Inputs: columns of numbers, and forests of some shapes.

use std::fmt;

use refcompiler_programs::Rng;
use treepar::depth::{Depths, NO_NODE, Parents};
use treepar::operators::{Form, Symbol};
use treepar::text::Automaton;
use treepar::walk::Schedule;
use treepar::{Backend, Column, Cpu, Result};

/// The shape of a forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A thousand children a node, three levels.
    Wide,
    /// Spines of 10,000 nodes, each with a leaf as its sibling.
    Deep,
    /// Up by one, or down by a few, at random.
    Random,
    /// Functions of statements of expressions, as a program has them.
    Program,
    /// One path from the root down.
    Chain,
    /// One root with leaves.
    Star,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::Wide => "wide",
            Shape::Deep => "deep",
            Shape::Random => "random",
            Shape::Program => "program",
            Shape::Chain => "chain",
            Shape::Star => "star",
        })
    }
}

/// All inputs of n rows.
pub struct Data<B: Backend> {
    /// Numbers of 32 bits.
    pub x: B::Vec<u32>,
    /// Numbers of 64 bits.
    pub wide: B::Vec<u64>,
    /// Numbers below 256.
    pub small: B::Vec<u32>,
    /// Numbers below a quarter of n.
    pub quarter: B::Vec<u32>,
    /// The rows in any order.
    pub order: B::Vec<u32>,
    /// Rows near the own one.
    pub near: B::Vec<u32>,
    /// A tenth of rows marked.
    pub few: B::Vec<u8>,
    /// Half of rows marked.
    pub half: B::Vec<u8>,
    /// Segments of about three rows.
    pub short: B::Vec<u32>,
    /// Segments of about a thousand.
    pub long: B::Vec<u32>,
    /// Names of up to 8 letters, 2,000 of them.
    pub names: B::Vec<u64>,
    /// A program's text of about n bytes, in whole blocks of 64 bytes: names, numbers, operators, brackets and comments.
    pub text: B::Vec<u64>,
    /// State 1 in the text's comments.
    pub comments: Automaton<B>,
    /// State 1 from `=` to the next `=`, and state 2 there after `-`, which makes the next byte ordinary. In this text the states never
    /// meet.
    pub quotes: Automaton<B>,
    /// The symbols of statements with expressions.
    pub symbols: B::Vec<Symbol>,
    /// A forest.
    pub forest: Depths<B>,
    /// The parents of the nodes.
    pub parents: Parents<B>,
    /// The parents, with the rows in the order of `order`.
    pub unordered: B::Vec<u32>,
    /// The rows in the order of `order`, as a list: the row after each one.
    pub next: B::Vec<u32>,
    /// The brackets of the nodes.
    pub brackets: B::Vec<u8>,
    /// The facts that walks need.
    pub schedule: Schedule<B>,
}

/// A quarter of n, and at least 1.
pub fn quarter(n: usize) -> usize {
    (n / 4).max(1)
}

impl Data<Cpu> {
    /// The inputs of n rows, always the same.
    pub fn new(cpu: &Cpu, n: usize, shape: Shape) -> Result<Data<Cpu>> {
        let mut rng = Rng::new(1);
        let mut order: Vec<u32> = (0..n as u32).collect();
        rng.shuffle(&mut order);
        let near: Vec<u32> = (0..n as u32).map(|i| i.saturating_sub(rng.below(16) as u32)).collect();
        let mut marks = |of| (0..n).map(|_| u8::from(rng.once_in(of))).collect::<Vec<u8>>();
        let (few, half) = (marks(10), marks(2));
        let mut segments = |most| {
            let (mut offsets, mut at) = (vec![0], rng.below(most));
            while at < n {
                offsets.push(at as u32);
                at += rng.below(most);
            }
            offsets
        };
        let (short, long) = (segments(6), segments(2000));
        let mut column = |below| (0..n).map(|_| rng.below(below) as u32).collect::<Vec<u32>>();
        let (x, small) = (column(u32::MAX as usize), column(256));
        let wide: Vec<u64> = (0..n).map(|_| rng.next()).collect();
        let quarter: Vec<u32> = (0..n).map(|_| rng.below(quarter(n)) as u32).collect();
        let forest = Depths::new(cpu.upload(&depths(n, shape, &mut rng))?)?;
        let parents = forest.parents()?;
        let (mut unordered, mut next) = (vec![NO_NODE; n], vec![NO_NODE; n]);
        for (&row, &parent) in order.iter().zip(&parents[..]) {
            unordered[row as usize] = order.get(parent as usize).copied().unwrap_or(NO_NODE);
        }
        for pair in order.windows(2) {
            next[pair[0] as usize] = pair[1];
        }
        Ok(Data {
            x: cpu.upload(&x)?,
            wide: cpu.upload(&wide)?,
            small: cpu.upload(&small)?,
            quarter: cpu.upload(&quarter)?,
            order: cpu.upload(&order)?,
            near: cpu.upload(&near)?,
            few: cpu.upload(&few)?,
            half: cpu.upload(&half)?,
            short: cpu.upload(&short)?,
            long: cpu.upload(&long)?,
            names: cpu.upload(&(0..n).map(|_| packed(&name(&mut rng))).collect::<Vec<_>>())?,
            text: cpu.upload(&text(n, &mut rng).chunks(8).map(packed).collect::<Vec<_>>())?,
            comments: Automaton::new(cpu, &COMMENTS)?,
            quotes: Automaton::new(cpu, &QUOTES)?,
            symbols: cpu.upload(&symbols(n, &mut rng))?,
            parents,
            unordered: cpu.upload(&unordered)?,
            next: cpu.upload(&next)?,
            brackets: forest.brackets()?,
            schedule: Schedule::new(&forest)?,
            forest,
        })
    }

    /// The same on another backend.
    pub fn on<B: Backend>(&self, backend: &B) -> Result<Data<B>> {
        let parents = || Parents::new(backend.upload(&self.parents)?);
        Ok(Data {
            x: backend.upload(&self.x)?,
            wide: backend.upload(&self.wide)?,
            small: backend.upload(&self.small)?,
            quarter: backend.upload(&self.quarter)?,
            order: backend.upload(&self.order)?,
            near: backend.upload(&self.near)?,
            few: backend.upload(&self.few)?,
            half: backend.upload(&self.half)?,
            short: backend.upload(&self.short)?,
            long: backend.upload(&self.long)?,
            names: backend.upload(&self.names)?,
            text: backend.upload(&self.text)?,
            comments: Automaton::new(backend, &COMMENTS)?,
            quotes: Automaton::new(backend, &QUOTES)?,
            symbols: backend.upload(&self.symbols)?,
            forest: Depths::new(backend.upload(self.forest.depths())?)?,
            parents: parents()?,
            unordered: backend.upload(&self.unordered)?,
            next: backend.upload(&self.next)?,
            brackets: backend.upload(&self.brackets)?,
            schedule: Schedule { parents: parents()?, child: backend.upload(&self.schedule.child)? },
        })
    }
}

impl<B: Backend> Data<B> {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.x.len()
    }
}

/// The automaton of [`Data::comments`].
pub static COMMENTS: [[u8; 256]; 2] = {
    let mut next = [[0; 256], [1; 256]];
    next[0][b'#' as usize] = 1;
    next[1][b'\n' as usize] = 0;
    next
};

/// The automaton of [`Data::quotes`].
pub static QUOTES: [[u8; 256]; 3] = {
    let mut next = [[0; 256], [1; 256], [1; 256]];
    next[0][b'=' as usize] = 1;
    next[1][b'=' as usize] = 0;
    next[1][b'-' as usize] = 2;
    next
};

/// Returns up to eight bytes as a number.
fn packed(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Draws one of 2,000 names.
fn name(rng: &mut Rng) -> Vec<u8> {
    let number = rng.below(2000);
    let letter = |part: usize| b'a' + (number / part % 26) as u8;
    let length = 1 + number % 8;
    let letters = [letter(1), letter(26), letter(676), b'_', letter(3), letter(77), b'x', letter(5)];
    letters[..length.max(3)].to_vec()
}

/// Draws the text of a program, in whole blocks of 64 bytes.
fn text(n: usize, rng: &mut Rng) -> Vec<u8> {
    let n = n / 64 * 64;
    let mut text = Vec::with_capacity(n + 64);
    while text.len() < n {
        match rng.below(16) {
            0..5 => text.extend(name(rng)),
            5..8 => text.extend(rng.below(100_000).to_string().into_bytes()),
            8..12 => text.push(rng.one_of(b"+-*/=")),
            12..14 => text.push(rng.one_of(b"();")),
            14 => text.extend(b"    "),
            _ if rng.once_in(8) => text.extend(b"# a comment of some words"),
            _ => {}
        }
        text.push(rng.one_of(b"   \n"));
        if text.last() == Some(&b' ') && text.iter().rev().take_while(|&&byte| byte != b'\n').any(|&byte| byte == b'#')
        {
            text.push(b'\n');
        }
    }
    text.truncate(n);
    text
}

/// Draws n symbols: statements that assign expressions, with separators between them.
fn symbols(n: usize, rng: &mut Rng) -> Vec<Symbol> {
    let mut all = Vec::with_capacity(n + 64);
    while all.len() + 40 < n {
        all.push(Symbol::operand());
        all.push(Symbol::operator(Form::Right, 1));
        operands(3, rng, &mut all);
        all.push(Symbol::separator());
    }
    // The end: single operands. An operand without a separator after it can only be the last symbol.
    while all.len() < n {
        all.push(Symbol::operand());
        all.push(Symbol::separator());
    }
    all.truncate(n);
    all
}

/// Draws an expression of at most 30 symbols.
fn operands(most: usize, rng: &mut Rng, all: &mut Vec<Symbol>) {
    for k in 0..1 + rng.below(most) {
        if k > 0 {
            all.push(Symbol::operator(Form::Left, 2 + rng.below(8) as u8));
        }
        if rng.once_in(8) {
            all.push(Symbol::operator(Form::Prefix, 11));
        }
        if most > 1 && rng.once_in(3) {
            all.push(Symbol::bracket(Form::Group, 0));
            operands(most - 1, rng, all);
            all.push(Symbol::bracket(Form::Close, 0));
        } else {
            all.push(Symbol::operand());
        }
    }
}

fn depths(n: usize, shape: Shape, rng: &mut Rng) -> Vec<u32> {
    match shape {
        Shape::Wide => (0..n)
            .map(|i| match i % 1_001_001 {
                0 => 0,
                place if place % 1001 == 1 => 1,
                _ => 2,
            })
            .collect(),
        Shape::Deep => (0..n as u32).map(|i| (i % 20_000).div_ceil(2)).collect(),
        Shape::Chain => (0..n as u32).collect(),
        Shape::Star => (0..n as u32).map(|i| i.min(1)).collect(),
        Shape::Random => {
            let mut depth = Vec::with_capacity(n);
            let mut at = 0u32;
            for i in 0..n {
                let back = if rng.once_in(2) { 0 } else { rng.below(5) as u32 };
                at = if i == 0 { 0 } else { (at + 1).saturating_sub(back) };
                depth.push(at);
            }
            depth
        }
        Shape::Program => {
            let mut depth = Vec::with_capacity(n + 64);
            while depth.len() < n {
                depth.push(0);
                for _ in 0..3 + rng.below(20) {
                    statement(&mut depth, 1, rng);
                }
            }
            depth.truncate(n);
            depth
        }
    }
}

fn statement(depth: &mut Vec<u32>, at: u32, rng: &mut Rng) {
    depth.push(at);
    expression(depth, at + 1, 4, rng);
    if at < 6 && rng.once_in(4) {
        depth.push(at + 1);
        for _ in 0..1 + rng.below(5) {
            statement(depth, at + 2, rng);
        }
    }
}

fn expression(depth: &mut Vec<u32>, at: u32, most: u32, rng: &mut Rng) {
    depth.push(at);
    if most > 0 && rng.below(5) < 3 {
        for _ in 0..1 + rng.below(2) {
            expression(depth, at + 1, most - 1, rng);
        }
    }
}

/// The kind of names. The kinds of operators and brackets are their bytes.
pub const NAME: u8 = 0;
/// The kind of numbers.
pub const NUMBER: u8 = 1;

/// Returns the input's text, which the first run makes.
pub fn text_of<'a>(d: &Data<Cpu>, text: &'a mut String) -> &'a str {
    if text.is_empty() {
        let bytes = d.text.iter().flat_map(|word| word.to_le_bytes());
        *text = bytes.map(char::from).collect();
    }
    text
}
