//! An index of the words of a text: a lexer's first steps, 64 bytes at once.
//!
//! ```text
//! rate = base # the rate    bytes -> starts of words outside comments (positions) -> first use of each (intern)
//!                                                                                 -> uses of each (accumulate)
//! ```
//!
//! A word of up to eight bytes is its own key. Longer words need a hash, and a comparison with the word's first use.

mod text;

use std::io::Write;

use treepar::compact::gather;
use treepar::device::device;
use treepar::monoid::last_u32;
use treepar::{Backend, Column, Cpu, Error};

use text::{INSIDE, byte, state_after, state_of};

const SOURCE: &str = "\
# The rate is that of a year.
rate = base + 2     # base comes first
month = rate / 12
limit = 5 * month   # the limit of a month: five rates
day = limit / 30 + rate / 365
";

#[device]
fn is_letter(byte: u8) -> bool {
    byte >= b'a' && byte <= b'z' || byte >= b'A' && byte <= b'Z'
}

/// Marks the bytes among 64 at which a word begins.
#[device(positions(state_of, last_u32))]
fn begins_word(w: usize, before: u32, text: &[u64]) -> u64 {
    let mut state = before;
    let mut marks = 0u64;
    for k in 0..64usize {
        let i = 64 * w + k;
        state = state_after(byte(text, i), state);
        let follows = i > 0 && is_letter(byte(text, i - 1));
        let begins = state != INSIDE && is_letter(byte(text, i)) && !follows;
        marks |= (begins as u64).wrapping_shl(k as u32);
    }
    marks
}

/// Returns the first eight letters of a word.
#[device(intern)]
fn key(i: usize, start: &[u32], text: &[u64]) -> u64 {
    let mut key = 0u64;
    let mut k = 0usize;
    while k < 8 && is_letter(byte(text, start[i] as usize + k)) {
        key |= (byte(text, start[i] as usize + k) as u64).wrapping_shl(8 * k as u32);
        k += 1;
    }
    key
}

#[device(accumulate)]
fn use_of_first(i: usize, first: &[u32]) -> (u32, u32) {
    (first[i], 1)
}

#[device(compact)]
fn is_first(i: usize, first: &[u32]) -> bool {
    first[i] == i as u32
}

/// Returns the offset of the first use of each word, and the number of its uses.
fn index(cpu: &Cpu, source: &str) -> Result<(Vec<u32>, Vec<u32>), Error> {
    // Whole words of marks, with at least one byte after the text, which ends its last word.
    let mut bytes = source.as_bytes().to_vec();
    bytes.resize((source.len() + 1).next_multiple_of(64), 0);
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
    let text = cpu.upload(&words)?;

    let start = cpu.positions(state_of::of(&text).rows(bytes.len() / 64), last_u32, begins_word::of(&text))?;
    let first = cpu.intern(key::of(&start, &text))?;
    let mut uses = cpu.filled(start.len(), 0)?;
    cpu.accumulate(&mut uses, use_of_first::of(&first))?;

    let words = cpu.compact(is_first::of(&first))?;
    Ok((cpu.download(&gather(&start, &words)?)?, cpu.download(&gather(&uses, &words)?)?))
}

/// Writes each word of the text with its number of uses, in the order of first uses.
pub fn run(out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    writeln!(out, "{SOURCE}")?;
    let (starts, uses) = index(&Cpu::new(), SOURCE)?;
    for (start, uses) in starts.into_iter().zip(uses) {
        let word: String = SOURCE[start as usize..].chars().take_while(char::is_ascii_alphabetic).collect();
        writeln!(out, "{word:5} {uses}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(&mut std::io::stdout())
}
