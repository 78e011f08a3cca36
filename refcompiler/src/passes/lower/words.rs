//! Encoding: the words of rows at their positions (Pareas, sections 3.8 and 4.9).
//!
//! ```text
//! row           add t3, t4, t5     eq, if not: row 9 (far)            name(x), spilled
//! position      0                  1                                  6
//! words         add                xor sltiu bne +8 auipc jalr        lw sw
//! ```
//!
//! Words of patterns are written first, the others by the rules, which are then scattered among them.
//!
//! Cost: work O(n + m) for `m` words, one expansion of 8 bytes per row and 4 bytes per word; another for other words.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::operands::operation;
use super::patterns::{pattern_word, pattern_words};
use super::rules;
use crate::ir::frame::Bodies;
use crate::ir::instruction::{Choice, Code, JumpId, Jumps, Layout, NOTHING, Words, position};
use crate::ir::rows::{FunctionIndex, Located, RowId};
use crate::target::riscv::encode::encode as encode_word;
use crate::target::riscv::jumps::{instruction_word, words_needed};

/// Returns the number of words of row `others[o]` besides those of its pattern. The program has `end` words.
#[device(map)]
fn other_count(o: usize, others: &[u32], choices: &[Choice], positions: &[u32], prelude: u32, end: u32) -> u32 {
    let row = others[o];
    let next = row as usize + 1;
    let after = if next < positions.len() { positions[next] } else { end };
    after - position(row, positions, prelude) - pattern_words(choices[row as usize].pattern)
}

/// Returns the position and the content of word `k` of row `others[o]` besides those of its pattern.
#[device(expand)]
fn other_word(
    o: usize,
    k: u32,
    others: &[u32],
    jump_of_other: &[u32],
    jumps: &Jumps,
    choices: &[Choice],
    rows: &Located,
    function: &[FunctionIndex],
    bodies: &Bodies,
    entry: &[u32],
    positions: &[u32],
    prelude: u32,
) -> (u32, u32) {
    let r = RowId::new(others[o]);
    let at = position(r.get(), positions, prelude);
    let mut k = pattern_words(choices[r.index()].pattern) + k;
    let to = at + k;
    let j = JumpId::new(jump_of_other[o]);
    if !j.is_none() {
        let before = jumps.before[j];
        let first = jumps.first[j];
        let words = words_needed(at + before, first, positions, prelude);
        if k >= before && k < before + words {
            return (to, instruction_word(first, at + before, words, k - before, positions, prelude));
        }
        let rest = jumps.rest[j] + words;
        if k >= rest {
            let branch = jumps.branch[j];
            let branch_words = words_needed(at + rest, branch, positions, prelude);
            return (to, instruction_word(branch, at + rest, branch_words, k - rest, positions, prelude));
        }
        // To the rules, a call is one instruction.
        if k >= before && first.op != NOTHING {
            k = k - words + 1;
        }
    }
    let f = function[r.index()];
    let frame = bodies.frame[f];
    let x = rules::instruction(operation(r, rows, frame, bodies.last[f]), frame, entry, k);
    (to, encode_word(x.op, x.rd, x.rs1, x.rs2, x.imm))
}

/// Returns word `k` of row `r`, or 0 if it is not of a pattern. The first words of row 0 are room for the prelude.
#[device(expand)]
fn word(r: usize, k: u32, choices: &[Choice]) -> u32 {
    let chosen = choices[r];
    if k < pattern_words(chosen.pattern) { pattern_word(chosen, k) } else { 0 }
}

/// Writes the words of all rows, after room for the prelude.
pub fn encode<B: Backend>(backend: &B, code: &Code<B>, layout: &Layout<B>, prelude: u32) -> Result<Words<B>> {
    if code.choices.is_empty() {
        return Ok(Words { words: backend.filled(prelude as usize, 0)? });
    }
    let Code { rows, function, bodies, entry, choices, others, jumps, jump_of_other, .. } = code;
    let Layout { positions, words: end } = layout;
    let mut words = backend.expand(positions, *end as usize, word::of(choices))?;
    let counts = backend.map(other_count::of(others, choices, positions, prelude, *end))?;
    let (offsets, m) = backend.scan(ScanKind::Exclusive, &counts, Sum)?;
    let written =
        other_word::of(others, jump_of_other, jumps, choices, rows, function, bodies, entry, positions, prelude);
    let (at, written) = backend.expand(&offsets, m as usize, written)?;
    backend.scatter(&mut words, &at, &written)?;
    Ok(Words { words })
}
