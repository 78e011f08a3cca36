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
//! image, which are known when all rows have a position. So a step here is one round, and the pipeline repeats it.
//!
//! Cost: work O(n) per round in which a jump grows, one scan of 12 bytes per row; everything else only for rows that jump.

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

/// Finds the position of each row with its shortest jumps. `entry` is [`Function::entry`](crate::ir::nodes::Function) of
/// each function.
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
    Ok(Layout { positions, taken, words })
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
    let n = jumps.len();
    let Layout { positions, taken, words } = layout;
    // The first read brings the number of words, too.
    let begins = BeginsOn { rows: positions, functions: entry };
    let needed = backend.map(needed::of(jumps, taken, &begins, first, target).rows(n))?;
    if backend.reduce_later(growth::of(taken, &needed), Sum)?.read()? == 0 {
        return Ok(false);
    }
    let mut growth = backend.filled(positions.len(), 0u32)?;
    backend.accumulate(&mut growth, growth_of_row::of(&jumps.row, taken, &needed))?;
    let lengths = length::of(positions, &growth, words.read()?);
    let (positions, words) = backend.scan_later(ScanKind::Exclusive, lengths, Sum)?;
    *layout = Layout { positions, taken: needed, words };
    Ok(true)
}
