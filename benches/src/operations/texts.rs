//! Operations of lexing and parsing: the tokens of a text, the states of automata, the first row of each name, trees of operators.

use treepar::backend::{Offsets, ScanKind};
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::{Sum, last_u32};
use treepar::operators::{Form, Symbol};
use treepar::text::{self, Automaton};
use treepar::{Backend, Column, Cpu};

use super::Kind::{Memory, Random};
use super::data::{COMMENTS, Data, NAME, NUMBER, QUOTES, text_of};
use super::{Answer, Operation, Scratch};

/// The bits that a mask of bytes uses: bit 7 of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = !HIGH;

#[device]
fn repeated(byte: u8) -> u64 {
    byte as u64 * 0x0101_0101_0101_0101
}

/// Returns in bit 7 of each byte whether it is `byte`. Bytes are ASCII.
#[device]
fn is(bytes: u64, byte: u8) -> u64 {
    !((bytes ^ repeated(byte)) + LOW)
}

/// Returns in bit 7 of each byte whether it is from `least` to `most`.
#[device]
fn is_from(bytes: u64, least: u8, most: u8) -> u64 {
    (bytes + repeated(128 - least)) ^ (bytes + repeated(127 - most))
}

/// Returns bit 7 of each byte as eight bits.
#[device]
fn bits(mask: u64) -> u64 {
    ((mask & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Returns the bytes of 64 that are `byte`.
#[device]
fn all_that_are(w: usize, text: &[u64], byte: u8) -> u64 {
    let mut found = 0u64;
    for k in 0..8usize {
        found |= bits(is(text[8 * w + k], byte)) << (8 * k as u32);
    }
    found
}

/// Returns whether a comment is open after 64 bytes: `u32::MAX` if they do not change it.
#[device(scan(last_u32))]
fn comment_after(w: usize, text: &[u64]) -> u32 {
    let (begins, ends) = (all_that_are(w, text, b'#'), all_that_are(w, text, b'\n'));
    let after = if ends == 0 { begins } else { begins & !(u64::MAX >> ends.leading_zeros()) };
    if after != 0 {
        1
    } else if ends != 0 {
        0
    } else {
        u32::MAX
    }
}

/// Marks the first bytes of tokens outside comments.
#[device(positions(comment_after, last_u32))]
fn token_starts(w: usize, before: u32, text: &[u64]) -> u64 {
    let mut starts = 0u64;
    let mut last = if w == 0 { 0 } else { text[8 * w - 1] };
    for k in 0..8usize {
        let now = text[8 * w + k];
        let shifted = now << 8 | last >> 56;
        let words = is_from(now, b'a', b'z') | is_from(now, b'0', b'9') | is(now, b'_');
        let words_before = is_from(shifted, b'a', b'z') | is_from(shifted, b'0', b'9') | is(shifted, b'_');
        let spaces = is(now, b' ') | is(now, b'\n') | is(now, 0);
        starts |= bits(!(spaces | words & words_before)) << (8 * k as u32);
        last = now;
    }
    // A flood fill by addition: each comment is filled up to the end of its line.
    let in_line = !all_that_are(w, text, b'\n');
    let begins = (all_that_are(w, text, b'#') | (before == 1) as u64) & in_line;
    let comments = in_line & !in_line.wrapping_add(begins) | begins;
    starts & !comments
}

/// Returns the kind of a token by its first byte.
#[device(map)]
fn kind(i: usize, starts: &[u32], text: &[u64]) -> u8 {
    let start = starts[i];
    let byte = text[start as usize / 8].wrapping_shr(start % 8 * 8) as u8;
    if byte >= b'a' && byte <= b'z' || byte == b'_' {
        NAME
    } else if byte >= b'0' && byte <= b'9' {
        NUMBER
    } else {
        byte
    }
}

#[device(intern)]
fn name(i: usize, names: &[u64]) -> u64 {
    names[i]
}

/// Returns the number of bytes of a name.
#[device(scan(Sum))]
fn length(i: usize, names: &[u64]) -> u32 {
    8 - names[i].leading_zeros() / 8
}

/// Returns the bytes of a name, which has at most eight.
#[device(expand)]
fn letters(i: usize, _k: u32, names: &[u64]) -> u64 {
    names[i]
}

/// Returns the operations on texts and symbols.
pub fn operations<B: Backend>() -> Vec<Operation<B>> {
    let op = Operation::<B>::new;
    vec![
        op(("lex", Memory, 1.0), lex, plain_lex),
        op(
            ("operators", Random, 4.0),
            |b, d| {
                let parsed = b.operators(&d.symbols)?;
                Ok(Answer::pair((parsed.forest.depths().try_clone()?, parsed.symbol)))
            },
            plain_operators,
        ),
        op(("automaton, comments", Memory, 1.0), |_, d| states(d, &d.comments), |d, s| plain_states(d, s, &COMMENTS)),
        op(("automaton, quotes", Memory, 1.0), |_, d| states(d, &d.quotes), |d, s| plain_states(d, s, &QUOTES)),
        op(("text of rows", Memory, 8.0), names_in_a_text, plain_names_in_a_text),
        #[cfg(feature = "peers")]
        op(
            ("automaton, comments; regex-automata", Memory, 1.0),
            |_, d| states(d, &d.comments),
            super::peers::comment_states,
        ),
        #[cfg(feature = "peers")]
        op(("lex; logos", Memory, 1.0), lex, super::peers::lex),
        #[cfg(feature = "peers")]
        op(
            ("intern, names; string-interner", Random, 8.0),
            |b, d| b.intern(name::of(&d.names)).map(Answer::column),
            super::peers::intern,
        ),
        op(
            ("intern, names; std map", Random, 8.0),
            |b, d| b.intern(name::of(&d.names)).map(Answer::column),
            plain_intern,
        ),
    ]
}

fn lex<B: Backend>(b: &B, d: &Data<B>) -> treepar::Result<Answer<B>> {
    let blocks = d.text.len() / 8;
    let starts = b.positions(comment_after::of(&d.text).rows(blocks), last_u32, token_starts::of(&d.text))?;
    let kinds = b.map(kind::of(&starts, &d.text))?;
    Ok(Answer::with_bytes(starts, kinds))
}

/// Returns the state in which each byte is read.
fn states<B: Backend>(d: &Data<B>, automaton: &Automaton<B>) -> treepar::Result<Answer<B>> {
    let (states, _) = automaton.states_later(ScanKind::Exclusive, &d.text, 8 * d.text.len())?;
    Ok(Answer::words(states))
}

/// Writes all names, one after another.
fn names_in_a_text<B: Backend>(b: &B, d: &Data<B>) -> treepar::Result<Answer<B>> {
    let (offsets, bytes) = b.scan(ScanKind::Exclusive, length::of(&d.names), Sum)?;
    let offsets = Offsets::assume(b, &offsets, bytes as usize)?;
    Ok(Answer::words(text::of_rows(&offsets, letters::of(&d.names))?))
}

/// Writes eight bytes of each name, of which the next name overwrites those after its end.
fn plain_names_in_a_text(d: &Data<Cpu>, s: &mut Scratch) {
    s.wide.resize(d.names.len() + text::BLOCK, 0);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut s.wide);
    let mut at = 0;
    for name in &d.names[..] {
        bytes[at..at + size_of::<u64>()].copy_from_slice(&name.to_le_bytes());
        at += size_of::<u64>() - name.leading_zeros() as usize / 8;
    }
    let end = at.next_multiple_of(text::BLOCK);
    bytes[at..end].fill(0);
    s.wide.truncate(end / size_of::<u64>());
}

/// Follows a table by one load per byte.
fn plain_states(d: &Data<Cpu>, s: &mut Scratch, next: &[[u8; 256]]) {
    let mut state = 0u8;
    let mut before = |byte: u8| {
        let after = next[usize::from(state)][usize::from(byte)];
        std::mem::replace(&mut state, after)
    };
    s.wide.clear();
    s.wide.extend(d.text.iter().map(|word| u64::from_le_bytes(word.to_le_bytes().map(&mut before))));
}

fn plain_lex(d: &Data<Cpu>, s: &mut Scratch) {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let text = text_of(d, &mut s.text).as_bytes();
    s.out.clear();
    s.bytes.clear();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let start = at;
        at += 1;
        let kind = match byte {
            b' ' | b'\n' | 0 => continue,
            b'#' => {
                while at < text.len() && text[at] != b'\n' {
                    at += 1;
                }
                continue;
            }
            _ if is_word(byte) => {
                while at < text.len() && is_word(text[at]) {
                    at += 1;
                }
                if byte.is_ascii_digit() { NUMBER } else { NAME }
            }
            _ => byte,
        };
        s.out.push(start as u32);
        s.bytes.push(kind);
    }
}

fn plain_intern(d: &Data<Cpu>, s: &mut Scratch) {
    s.firsts.clear();
    s.out.clear();
    s.out.extend(d.names.iter().zip(0..).map(|(&key, i)| *s.firsts.entry(key).or_insert(i)));
}

/// Parses with a stack of operators and a stack of operands, which links nodes; then writes the nodes in preorder.
fn plain_operators(d: &Data<Cpu>, s: &mut Scratch) {
    let symbols = &d.symbols[..];
    let [left, right] = &mut s.spare_two;
    left.resize(symbols.len(), NO_NODE);
    right.resize(symbols.len(), NO_NODE);
    let mut trees = Trees { symbols, left, right, operators: &mut s.spare, operands: Vec::new() };
    let mut roots = Vec::new();
    for (&symbol, row) in symbols.iter().zip(0u32..) {
        match symbol.form {
            Form::Operand => trees.operands.push(row),
            Form::Prefix | Form::Group => trees.operators.push(row),
            Form::Close => {
                trees.reduce(1);
                trees.operators.pop();
            }
            Form::Separator => {
                trees.reduce(1);
                roots.extend(trees.operands.pop());
            }
            form => {
                trees.reduce(symbol.rank + u8::from(form == Form::Right));
                trees.operators.push(row);
            }
        }
    }
    trees.reduce(1);
    roots.extend(trees.operands.pop());
    s.out.clear();
    s.second.clear();
    let mut open = Vec::new();
    for root in roots {
        open.push((root, 0));
        while let Some((row, depth)) = open.pop() {
            s.out.push(depth);
            s.second.push(row);
            if symbols[row as usize].form != Form::Operand {
                open.push((right[row as usize], depth + 1));
                if left[row as usize] != NO_NODE {
                    open.push((left[row as usize], depth + 1));
                }
            }
        }
    }
}

/// Trees of symbols. A prefix operator has only a right operand, and a group's rank is 0.
struct Trees<'a> {
    symbols: &'a [Symbol],
    left: &'a mut [u32],
    right: &'a mut [u32],
    operators: &'a mut Vec<u32>,
    operands: Vec<u32>,
}

impl Trees<'_> {
    /// Links the operators on the stack whose rank is at least `least` to their operands.
    fn reduce(&mut self, least: u8) {
        while let Some(&top) = self.operators.last() {
            let symbol = self.symbols[top as usize];
            if symbol.rank < least {
                return;
            }
            self.operators.pop();
            self.right[top as usize] = self.operands.pop().unwrap_or(NO_NODE);
            let has_left = symbol.form != Form::Prefix;
            self.left[top as usize] = if has_left { self.operands.pop().unwrap_or(NO_NODE) } else { NO_NODE };
            self.operands.push(top);
        }
    }
}
