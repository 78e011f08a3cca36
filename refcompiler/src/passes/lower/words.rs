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

use treepar::backend::{Later, Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::bytes;
use crate::ir::frame::Frame;
use crate::ir::instruction::{
    Choice, IS_SPILLED, JumpId, Jumps, Layout, Material, OtherId, Others, Resolved, ResolvedJump, Rest, Rests, Words,
};
use crate::target::Target;
use crate::target::riscv::choice::{choice_words, pattern_word, pattern_words};
use crate::target::riscv::encode::encode as encode_word;
use crate::target::riscv::jumps::{jump_word, jump_words};
use crate::target::riscv::rules;
use crate::target::riscv::spills::spilled_word;

/// Finds the words of the jumps of a row. See [`distance`](crate::ir::instruction::distance()) for `entry` and `first`.
#[device(map)]
fn resolve(j: JumpId, jumps: &Jumps, positions: &[u32], entry: &[u32], first: u32) -> ResolvedJump {
    let at = positions[jumps.row[j] as usize];
    let before = jumps.before[j];
    let words = jump_words(jumps.first[j], at + before, positions, entry, first);
    let before_branch = jumps.rest[j] + words.count;
    let branch = jump_words(jumps.branch[j], at + before_branch, positions, entry, first);
    ResolvedJump { before, before_branch, first: words, branch }
}

/// Finds the words that row `others.row[o]` has besides the words of its pattern. All rows have `end` words.
#[device(map)]
fn rest(o: OtherId, others: &Others, choice: &[Choice], spills: &[u32], positions: &[u32], end: u32) -> Rest {
    let r = others.row[o] as usize;
    let patterned = choice_words(choice[r], spills[r]);
    let at = positions[r] + patterned;
    Rest { patterned, at, count: if r + 1 < positions.len() { positions[r + 1] } else { end } - at }
}

/// Returns the position and the content of word `k` of the rest of a row.
#[device(expand)]
fn rest_word(o: OtherId, k: u32, rests: &Rests, others: &Others, jumps: &Resolved, frames: &[Frame]) -> (u32, u32) {
    let to = rests.at[o] + k;
    let mut k = rests.patterned[o] + k;
    let j = others.jump[o];
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
    let x = rules::instruction(others.operation[o], frames[others.function[o].index()], k);
    (to, encode_word(x.op, x.rd, x.rs1, x.rs2, x.imm))
}

/// Returns word `k` of row `r`, or 0 if it is not of a pattern.
#[device(expand)]
fn word(r: usize, k: u32, choice: &[Choice], spills: &[u32]) -> u32 {
    let c = choice[r];
    if (c.pattern & IS_SPILLED) != 0 {
        let spill = spills[r];
        return if k < choice_words(c, spill) { spilled_word(c, spill, k) } else { 0 };
    }
    if k < pattern_words(c.pattern) { pattern_word(c, k) } else { 0 }
}

/// Writes the words of all rows, whatever the processor. They begin at unit `first` of the image, in which function `id` begins at
/// unit `entry[id]`. Bytes of x86-64 are little-endian words of [blocks](super::BLOCK) too, with zeros around them.
pub fn encode<B: Backend>(
    backend: &B,
    material: &mut Material<B>,
    layout: &Layout<B>,
    entry: &B::Vec<u32>,
    first: u32,
) -> Result<Words<B>> {
    if material.target == Target::X86_64 {
        bytes::encode(backend, material, layout, entry, first)
    } else {
        encode_words(backend, material, layout, entry, first)
    }
}

/// Writes the words of all rows. They begin at word `first` of the image, in which function `id` begins at word
/// `entry[id]`.
fn encode_words<B: Backend>(
    backend: &B,
    material: &Material<B>,
    layout: &Layout<B>,
    entry: &B::Vec<u32>,
    first: u32,
) -> Result<Words<B>> {
    let Material { choice, spill, frame, others, jumps, .. } = material;
    let Layout { positions, words: end, .. } = layout;
    let end = end.read()?;
    let resolved = backend.map(resolve::of(jumps, positions, entry, first))?;
    let rests: Rests<B> = backend.map(rest::of(others, choice, spill, positions, end))?;
    let (offsets, m) = backend.scan_later(ScanKind::Exclusive, &rests.count, Sum)?;
    let word_offsets = Offsets::assume(backend, positions, end as usize)?;
    let mut words = backend.expand_from(&word_offsets, word::of(choice, spill))?;
    let written = rest_word::of(&rests, others, &resolved, frame);
    let offsets = Offsets::assume(backend, &offsets, m.read()? as usize)?;
    let (at, written) = backend.expand_from(&offsets, written)?;
    backend.scatter(&mut words, &at, &written)?;
    Ok(Words { words, pairs: backend.allocate(0)? })
}
