//! The instructions on x86-64 that are not of a [pattern](crate::target::x86_64::patterns), in a table.
//!
//! ```text
//! row           if x < y     return     the last of a function
//! pattern       cmp          none       none
//! instructions  jge          jmp        add, ret, one without bytes
//! ```
//!
//! The rules find an instruction by its number in the row, which takes longer than all that is done with it. So each is found once. Lengths,
//! jumps and bytes follow from the table.

use treepar::backend::{Later, Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::frame::Frame;
use crate::ir::instruction::{BRANCH, Choice, Instruction, Jump, NO_PATTERN, Selected, nothing};
use crate::ir::kinds::Kind;
use crate::ir::operation::Operation;
use crate::ir::rows::RowId;
use crate::target::x86_64::jumps::{bytes_before_linking, is_linked, shortest};
use crate::target::x86_64::rules;
use crate::target::x86_64::variants::pattern_bytes;

/// The rows that are more than a pattern.
#[device(tables)]
pub struct Unmatched {
    /// The row of each.
    pub rows: &[u32],
    /// The operation of each.
    pub operations: &[Operation],
}

/// The instructions that are not of a pattern.
#[device(tables)]
pub struct Unpatterned {
    /// The first of each row that is more than a pattern.
    pub first: &[u32],
    /// All, in the order of rows.
    pub all: &[Instruction],
}

/// Returns the number of instructions of row number `o` of `unmatched` that are not of its pattern, and one more, without bytes, after the
/// last row of a function.
#[device(scan(Sum))]
fn count(o: usize, unmatched: &Unmatched, selected: &Selected, frames: &[Frame]) -> u32 {
    let r = RowId::new(unmatched.rows[o]);
    let s = unmatched.operations[o];
    let has_pattern = selected.choice[r].pattern != NO_PATTERN;
    rules::unpatterned_length(s, frames[selected.function[r].index()], has_pattern) + (s.kind == Kind::Function) as u32
}

/// Returns instruction `k` of these.
#[device(expand)]
fn instruction(o: usize, k: u32, unmatched: &Unmatched, selected: &Selected, frames: &[Frame]) -> Instruction {
    let r = RowId::new(unmatched.rows[o]);
    let s = unmatched.operations[o];
    let frame = frames[selected.function[r].index()];
    let has_pattern = selected.choice[r].pattern != NO_PATTERN;
    let is_end = (s.kind == Kind::Function) & (k == rules::unpatterned_length(s, frame, has_pattern));
    if is_end { nothing() } else { rules::unpatterned(s, frame, has_pattern, k) }
}

/// Finds the instructions of all rows that are more than a pattern, and the first of each row.
pub fn unpatterned<B: Backend>(
    backend: &B,
    unmatched: &UnmatchedOn<'_, B>,
    selected: &Selected<B>,
    frames: &B::Vec<Frame>,
) -> Result<(B::Vec<u32>, B::Vec<Instruction>)> {
    let (first, count) = backend.scan_later(ScanKind::Exclusive, count::of(unmatched, selected, frames), Sum)?;
    let offsets = Offsets::assume(backend, &first, count.read()? as usize)?;
    let all = backend.expand_from(&offsets, instruction::of(unmatched, selected, frames))?;
    Ok((first, all))
}

/// Returns the end of the instructions of row number `o` in the table of these instructions.
#[device]
fn end(o: usize, instructions: &Unpatterned) -> usize {
    if o + 1 < instructions.first.len() { instructions.first[o + 1] as usize } else { instructions.all.len() }
}

/// Returns the number of bytes of row number `o` of `unmatched`, without exits and with jumps in their shortest form.
#[device(map)]
pub fn other_bytes(o: usize, unmatched: &Unmatched, instructions: &Unpatterned, selected: &Selected) -> u32 {
    let r = RowId::new(unmatched.rows[o]);
    if selected.choice[r].pattern != NO_PATTERN {
        return selected.length[r];
    }
    let mut bytes = 0u32;
    for i in instructions.first[o] as usize..end(o, instructions) {
        bytes += bytes_before_linking(instructions.all[i]);
    }
    bytes
}

/// Describes the jumps of row `r` of `bytes` bytes, which has number `o` in the table of operations.
#[device]
pub fn jump(r: RowId, o: usize, instructions: &Unpatterned, bytes: u32, choice: Choice) -> Jump {
    let mut first = nothing();
    let mut branch = nothing();
    let mut before = 0u32;
    let mut at = pattern_bytes(choice);
    for i in instructions.first[o] as usize..end(o, instructions) {
        let x = instructions.all[i];
        if x.op == BRANCH {
            branch = x;
        } else if is_linked(x.op) {
            first = x;
            before = at;
        }
        at += bytes_before_linking(x);
    }
    let rest = bytes - shortest(first.op) - shortest(branch.op);
    Jump { row: r.get(), before, rest, first, branch }
}
