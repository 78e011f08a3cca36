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
use crate::ir::instruction::{
    Choice, Code, JumpId, Jumps, Layout, OtherId, Others, Resolved, ResolvedJump, Rest, Rests, Selected, Words,
    position,
};
use crate::ir::rows::{Located, RowId};
use crate::target::riscv::encode::encode as encode_word;
use crate::target::riscv::jumps::{jump_word, jump_words};

/// Finds the words of the jumps of a row.
#[device(map)]
fn resolve(j: JumpId, jumps: &Jumps, positions: &[u32], prelude: u32) -> ResolvedJump {
    let at = position(jumps.row[j], positions, prelude);
    let before = jumps.before[j];
    let first = jump_words(jumps.first[j], at + before, positions, prelude);
    let before_branch = jumps.rest[j] + first.count;
    let branch = jump_words(jumps.branch[j], at + before_branch, positions, prelude);
    ResolvedJump { before, before_branch, first, branch }
}

/// Finds the words that row `others.row[o]` has besides those of its pattern. The program has `end` words.
#[device(map)]
fn rest(o: OtherId, others: &Others, selected: &Selected, positions: &[u32], prelude: u32, end: u32) -> Rest {
    let r = RowId::new(others.row[o]);
    let patterned = pattern_words(selected.choice[r].pattern);
    let at = position(r.get(), positions, prelude) + patterned;
    let next = r.index() + 1;
    Rest {
        row: r,
        function: selected.function[r],
        jump: JumpId::new(others.jump[o]),
        patterned,
        at,
        count: if next < positions.len() { positions[next] } else { end } - at,
    }
}

/// Returns the position and the content of word `k` of the rest of a row.
#[device(expand)]
fn rest_word(
    o: OtherId,
    k: u32,
    rests: &Rests,
    jumps: &Resolved,
    rows: &Located,
    bodies: &Bodies,
    entry: &[u32],
) -> (u32, u32) {
    let to = rests.at[o] + k;
    let mut k = rests.patterned[o] + k;
    let j = rests.jump[o];
    if !j.is_none() {
        let before = jumps.before[j];
        let words = jumps.first[j].count;
        if k >= before && k < before + words {
            return (to, jump_word(jumps.first[j], k - before));
        }
        let before_branch = jumps.before_branch[j];
        if k >= before_branch {
            return (to, jump_word(jumps.branch[j], k - before_branch));
        }
        // To the rules, a call is one instruction.
        if k >= before && words != 0 {
            k = k - words + 1;
        }
    }
    let r = rests.row[o];
    let f = rests.function[o];
    let frame = bodies.frame[f];
    let x = rules::instruction(operation(r, rows, frame, bodies.last[f]), frame, entry, k);
    (to, encode_word(x.op, x.rd, x.rs1, x.rs2, x.imm))
}

/// Returns word `k` of row `r`, or 0 if it is not of a pattern. The first words of row 0 are room for the prelude.
#[device(expand)]
fn word(r: usize, k: u32, choice: &[Choice]) -> u32 {
    let chosen = choice[r];
    if k < pattern_words(chosen.pattern) { pattern_word(chosen, k) } else { 0 }
}

/// Writes the words of all rows, after room for the prelude.
pub fn encode<B: Backend>(backend: &B, code: &Code<B>, layout: &Layout<B>, prelude: u32) -> Result<Words<B>> {
    let Code { rows, bodies, entry, selected, others, jumps, .. } = code;
    let Layout { positions, words: end } = layout;
    if positions.is_empty() {
        return Ok(Words { words: backend.filled(prelude as usize, 0)? });
    }
    let mut words = backend.expand(positions, *end as usize, word::of(&selected.choice))?;
    let resolved = backend.map(resolve::of(jumps, positions, prelude))?;
    let rests: Rests<B> = backend.map(rest::of(others, selected, positions, prelude, *end))?;
    let (offsets, m) = backend.scan(ScanKind::Exclusive, &rests.count, Sum)?;
    let written = rest_word::of(&rests, &resolved, rows, bodies, entry);
    let (at, written) = backend.expand(&offsets, m as usize, written)?;
    backend.scatter(&mut words, &at, &written)?;
    Ok(Words { words })
}
