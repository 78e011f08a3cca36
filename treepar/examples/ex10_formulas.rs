//! A lexer and parser for formulas: three templates take a text to a tree.
//!
//! ```text
//! tax = -rate * (net + 7);   bytes -> starts of tokens outside comments (positions) -> a symbol of each (map)
//!                                  -> the tree of operators, operands and calls (operators)
//! ```
//!
//! The symbols are the whole grammar: a form for each token, and a rank for each operator.

mod text;

use std::io::Write;

use treepar::device::device;
use treepar::monoid::last_u32;
use treepar::operators::{Form, Operators, Symbol};
use treepar::{Backend, Cpu, Error};

use text::{INSIDE, byte, state_after, state_of};

const SOURCE: &str = "\
# What a page costs: sizes are in points.
margin = max(width, height, 100) / 20;
area = (width - 2 * margin) * (height - 2 * margin);
price = cost[kind] * area ^ 2 ^ -scale;    # larger pages cost more
";

#[device]
fn in_word(byte: u8) -> bool {
    byte >= b'a' && byte <= b'z' || byte >= b'0' && byte <= b'9'
}

/// Marks the bytes among 64 at which a token begins: a word, or any other byte that is not a space.
#[device(positions(state_of, last_u32))]
fn begins_token(w: usize, before: u32, text: &[u64]) -> u64 {
    let mut state = before;
    let mut marks = 0u64;
    for k in 0..64usize {
        let i = 64 * w + k;
        let now = byte(text, i);
        state = state_after(now, state);
        let follows = i > 0 && in_word(byte(text, i - 1)) && in_word(now);
        let begins = state != INSIDE && now > b' ' && !follows;
        marks |= (begins as u64).wrapping_shl(k as u32);
    }
    marks
}

/// Returns the symbol of a token, which depends on its first byte and, for `-` and `(`, on the token before.
#[device(map)]
fn symbol(i: usize, start: &[u32], text: &[u64]) -> Symbol {
    let before = if i == 0 { b';' } else { byte(text, start[i - 1] as usize) };
    let after_operand = in_word(before) || before == b')' || before == b']';
    let minus = if after_operand { Symbol::operator(Form::Left, 2) } else { Symbol::operator(Form::Prefix, 4) };
    let opening = if after_operand { Symbol::call(6, 0) } else { Symbol::bracket(Form::Group, 0) };
    match byte(text, start[i] as usize) {
        b'=' => Symbol::operator(Form::Right, 1),
        b'+' => Symbol::operator(Form::Left, 2),
        b'-' => minus,
        b'*' | b'/' => Symbol::operator(Form::Left, 3),
        b'^' => Symbol::operator(Form::Right, 5),
        b'(' => opening,
        b')' => Symbol::bracket(Form::Close, 0),
        b'[' => Symbol::call(6, 1),
        b']' => Symbol::bracket(Form::Close, 1),
        b',' | b';' => Symbol::separator(),
        _ => Symbol::operand(),
    }
}

/// Returns the first byte of each token, and the tree.
fn parse<B: Backend>(backend: &B, source: &str) -> Result<(B::Vec<u32>, Operators<B>), Error> {
    // Whole words of marks, with spaces after the text.
    let mut bytes = source.as_bytes().to_vec();
    bytes.resize(source.len().next_multiple_of(64), b' ');
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
    let text = backend.upload(&words)?;

    let start = backend.positions(state_of::of(&text).rows(bytes.len() / 64), last_u32, begins_token::of(&text))?;
    let tree = backend.operators(&backend.map(symbol::of(&start, &text))?)?;
    Ok((start, tree))
}

/// Writes the text and its tree, one node per line; and where a wrong text has its error.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let token = |start: u32| {
        let text = &SOURCE[start as usize..];
        let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        &text[..end.max(1)]
    };
    writeln!(out, "{SOURCE}")?;
    let (start, tree) = parse(&Cpu::new(), SOURCE)?;
    for (&row, &depth) in tree.symbol.iter().zip(tree.forest.depths().iter()) {
        writeln!(out, "{:indent$}{}", "", token(start[row as usize]), indent = 2 * depth as usize)?;
    }
    let wrong = "area = 2 * (width + ;";
    let error = parse(&Cpu::new(), wrong).err().ok_or("a wrong text has an error")?;
    writeln!(out, "\n{wrong}\n{error}")?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
