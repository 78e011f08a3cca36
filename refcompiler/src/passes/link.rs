//! Jump linking: the position of each row in units, words on RISC-V and bytes on x86-64 (Pareas, sections 3.6 and 3.7).
//!
//! ```text
//! lengths    1 2 1 1          the third row jumps to the fourth
//! positions  0 1 3 3
//! ```
//!
//! Each jump has several [forms](crate::target::riscv::jumps). A jump to the next instruction takes no word.
//! Lengths begin at their minimum and grow until every jump reaches its target. Growth moves other rows apart, so
//! this repeats until nothing grows, in practice once or twice. It never brings rows together, so a row that has grown
//! needs its words at the end, too.
//!
//! Positions count from the first row. Only calls leave a function, and only they need the first words of functions in the
//! image, which are known when all rows have a position. So [`lengthen`] is one round, and the pipeline repeats it. On x86-64 a call has one
//! form, so each part has all its rounds at once.
//!
//! Cost: work O(n) per round in which a jump grows, one scan of 8 or 12 bytes per row; everything else only for rows that jump.

use treepar::backend::{Later, ScanKind};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::instruction::{BRANCH, CALL, EXTERN, Instruction, JUMP, JumpId, Jumps, Layout, is_check};
use crate::target::Target;
use crate::target::riscv::isa::JAL;
use crate::target::riscv::jumps::words_needed;
use crate::target::x86_64::jumps::{bytes_needed, shortest as shortest_bytes};

/// Returns the number of words of a row in its shortest form, given positions where every jump takes a word.
#[device(map)]
fn shortest(j: JumpId, jumps: &Jumps, lengths: &[u32], positions: &[u32], entry: &[u32], target: Target) -> u32 {
    let row = jumps.row[j] as usize;
    let first = jumps.first[j];
    let is_x86 = target == Target::X86_64;
    let only = if is_x86 { shortest_bytes(JUMP) } else { 1 };
    let is_jump = first.op == (if is_x86 { JUMP } else { JAL });
    let goes_to_next = is_jump && lengths[row] == only && positions[first.imm as usize] == positions[row] + only;
    if goes_to_next {
        return 0;
    }
    if is_x86 {
        return lengths[row];
    }
    let is_external = first.op == CALL && entry[first.imm as usize] == EXTERN;
    // The branch of a check is a word of its own.
    lengths[row] + (is_external | is_check(first.op)) as u32
}

/// Returns the number of units of an instruction that begins at unit `at`: as many as it needs to reach its target.
#[device]
pub fn units_needed(target: Target, at: u32, x: Instruction, positions: &[u32], entry: &[u32], first: u32) -> u32 {
    if target == Target::X86_64 {
        bytes_needed(at, x, positions, entry, first)
    } else {
        words_needed(at, x, positions, entry, first)
    }
}

/// The units at which rows and functions begin.
#[device(tables)]
struct Begins {
    rows: &[u32],
    functions: &[u32],
}

/// Returns the number of units that a row needs to reach its targets, at least `taken`. A call has one form on x86-64.
#[device(map)]
fn needed(j: JumpId, jumps: &Jumps, taken: &[u32], begins: &Begins, first: u32, target: Target) -> u32 {
    let before = taken[j.index()];
    let is_fixed = (target == Target::X86_64) & (jumps.first[j].op != JUMP) & (jumps.branch[j].op != BRANCH);
    if (before == 0) | is_fixed {
        return before;
    }
    let at = begins.rows[jumps.row[j] as usize];
    let to_first = at + jumps.before[j];
    let units = jumps.rest[j] + units_needed(target, to_first, jumps.first[j], begins.rows, begins.functions, first);
    (units + units_needed(target, at + units, jumps.branch[j], begins.rows, begins.functions, first)).max(before)
}

/// Returns by how much row `j` of those that jump grows.
#[device(reduce(Sum))]
fn growth(j: usize, taken: &[u32], needed: &[u32]) -> u32 {
    needed[j] - taken[j]
}

/// Returns the row that jump `j` is of, and by how much it grows.
#[device(accumulate)]
fn growth_of_row(j: usize, rows: &[u32], taken: &[u32], needed: &[u32]) -> (u32, u32) {
    (rows[j], needed[j] - taken[j])
}

/// Returns the new number of units of row `r`, which had all units up to the next position. All rows had `end` units.
#[device(scan(Sum))]
fn length(r: usize, positions: &[u32], growth: &[u32], end: u32) -> u32 {
    (if r + 1 < positions.len() { positions[r + 1] } else { end }) - positions[r] + growth[r]
}

/// Returns the number of units that each row with jumps needs, if any needs more than it has. See [`lengthen`] for `entry` and `first`.
fn lengthened<B: Backend>(
    backend: &B,
    target: Target,
    layout: &Layout<B>,
    jumps: &Jumps<B>,
    entry: &B::Vec<u32>,
    first: u32,
) -> Result<Option<B::Vec<u32>>> {
    let begins = BeginsOn { rows: &layout.positions, functions: entry };
    let needed = backend.map(needed::of(jumps, &layout.taken, &begins, first, target).rows(jumps.len()))?;
    let growth = backend.reduce_later(growth::of(&layout.taken, &needed), Sum)?.read()?;
    Ok((growth != 0).then_some(needed))
}

/// Finds the position of each row of a part with its shortest jumps. On x86-64 all reach their targets, since calls have one form there.
/// `entry` is [`Function::entry`](crate::ir::nodes::Function) of each function.
pub fn shortest_layout<B: Backend>(
    backend: &B,
    target: Target,
    length: B::Vec<u32>,
    jumps: &Jumps<B>,
    entry: &B::Vec<u32>,
) -> Result<Layout<B>> {
    let (positions, _) = backend.scan_later(ScanKind::Exclusive, &length, Sum)?;
    let taken = backend.map(shortest::of(jumps, &length, &positions, entry, target))?;
    drop(positions);
    let mut length = length;
    backend.scatter(&mut length, &jumps.row, &taken)?;
    let (positions, words) = backend.scan_later(ScanKind::Exclusive, &length, Sum)?;
    let mut layout = Layout { positions, taken, words };
    if target == Target::X86_64 {
        while let Some(needed) = lengthened(backend, target, &layout, jumps, entry, 0)? {
            backend.scatter(&mut length, &jumps.row, &needed)?;
            let (positions, words) = backend.scan_later(ScanKind::Exclusive, &length, Sum)?;
            layout = Layout { positions, taken: needed, words };
        }
    }
    Ok(layout)
}

/// Lengthens the jumps that do not reach their targets, and returns whether there are any. The rows begin at word `first`
/// of the image, in which function `id` begins at word `entry[id]`.
pub fn lengthen<B: Backend>(
    backend: &B,
    target: Target,
    layout: &mut Layout<B>,
    jumps: &Jumps<B>,
    entry: &B::Vec<u32>,
    first: u32,
) -> Result<bool> {
    if target == Target::X86_64 {
        return Ok(false);
    }
    // The first read brings the number of words, too.
    let Some(needed) = lengthened(backend, target, layout, jumps, entry, first)? else { return Ok(false) };
    let mut growth = backend.filled(layout.positions.len(), 0u32)?;
    backend.accumulate(&mut growth, growth_of_row::of(&jumps.row, &layout.taken, &needed))?;
    let lengths = length::of(&layout.positions, &growth, layout.words.read()?);
    let (positions, words) = backend.scan_later(ScanKind::Exclusive, lengths, Sum)?;
    *layout = Layout { positions, taken: needed, words };
    Ok(true)
}
