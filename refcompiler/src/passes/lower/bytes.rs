//! Encoding for x86-64: the bytes of rows at their positions.
//!
//! ```text
//! row           x + y, if not: row 9                   f[..]
//! instructions  mov    add    test   je                call
//! lengths       3      3      3      2                 5
//! positions     0      3      6      9                 11
//! bytes         40 ..
//! ```
//!
//! The number of bytes of an instruction depends only on its operation. The operation of a jump depends on its distance, which `link`
//! has found. So lengths, a scan and the bytes are three independent steps.
//!
//! Cost: work O(n + m) for `m` bytes, one expansion of 16 bytes per instruction, one of 1 byte per byte.

use treepar::backend::{Later, Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::PART_ALIGNMENT;
use crate::ir::frame::Frame;
use crate::ir::instruction::{BRANCH, Instruction, JUMP, Jumps, Layout, Material, OtherId, Others, Words, is_call};
use crate::target::x86_64::encode::{byte as byte_of, length};
use crate::target::x86_64::jumps::{resolved, shortest};
use crate::target::x86_64::rules;

/// The byte after the code of a part: `int3`.
const PADDING: u8 = 0xcc;

/// Returns the number of instructions of row `others.row[o]`.
#[device(map)]
fn count(o: OtherId, others: &Others, frames: &[Frame]) -> u32 {
    rules::length(others.operation[o], frames[others.function[o].index()])
}

/// Returns instruction `k` of row `others.row[o]`, with the distance of a jump.
#[device(expand)]
fn instruction(
    o: OtherId,
    k: u32,
    others: &Others,
    jumps: &Jumps,
    frames: &[Frame],
    positions: &[u32],
    taken: &[u32],
    entry: &[u32],
    first: u32,
) -> (Instruction, u32) {
    let x = rules::instruction(others.operation[o], frames[others.function[o].index()], k);
    if (x.op != JUMP) & (x.op != BRANCH) & !is_call(x.op) {
        return (x, length(x.op));
    }
    let j = others.jump[o];
    let at = positions[others.row[o] as usize];
    if is_call(x.op) {
        let bytes = shortest(x.op);
        return (resolved(x, bytes, at + jumps.before[j] + bytes, positions, entry, first), bytes);
    }
    // A jump is the last instruction. It has the bytes that the other instructions leave.
    let all = taken[j.index()];
    if all == 0 {
        return (x, 0);
    }
    let others = jumps.rest[j] + if x.op == BRANCH { shortest(jumps.first[j].op) } else { 0 };
    let bytes = all - others;
    (resolved(x, bytes, at + all, positions, entry, first), bytes)
}

/// Returns byte `k` of instruction `i`.
#[device(expand)]
fn byte(i: usize, k: u32, instructions: &[Instruction]) -> u8 {
    byte_of(instructions[i], k)
}

/// Returns byte `i`, or padding after the last.
#[device]
fn padded(i: usize, bytes: &[u8]) -> u32 {
    (if i < bytes.len() { bytes[i] } else { PADDING }) as u32
}

/// Returns four bytes as a word.
#[device(map)]
fn word(w: usize, bytes: &[u8]) -> u32 {
    let i = 4 * w;
    padded(i, bytes) | padded(i + 1, bytes) << 8 | padded(i + 2, bytes) << 16 | padded(i + 3, bytes) << 24
}

/// Writes the bytes of all rows, with padding up to a multiple of [`PART_ALIGNMENT`]. See [`words::encode`](super::words::encode)
/// for the parameters.
pub fn encode<B: Backend>(
    backend: &B,
    material: &Material<B>,
    layout: &Layout<B>,
    entry: &B::Vec<u32>,
    first: u32,
) -> Result<Words<B>> {
    let Material { frame, others, jumps, .. } = material;
    let Layout { positions, taken, words: end } = layout;
    let counts = backend.map(count::of(others, frame))?;
    let (offsets, instructions) = backend.scan_later(ScanKind::Exclusive, &counts, Sum)?;
    let end = end.read()?;
    let offsets = Offsets::assume(backend, &offsets, instructions.read()? as usize)?;
    let written = instruction::of(others, jumps, frame, positions, taken, entry, first);
    let (instructions, lengths) = backend.expand_from(&offsets, written)?;
    let (at, _) = backend.scan_later(ScanKind::Exclusive, &lengths, Sum)?;
    let at = Offsets::assume(backend, &at, end as usize)?;
    let bytes = backend.expand_from(&at, byte::of(&instructions))?;
    let words = (bytes.len() as u32).next_multiple_of(PART_ALIGNMENT) / 4;
    Ok(Words { words: backend.map(word::of(&bytes).rows(words as usize))? })
}
