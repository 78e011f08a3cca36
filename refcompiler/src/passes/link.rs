//! Jump linking: the position of each row in words (Pareas, sections 3.6 and 3.7).
//!
//! ```text
//! lengths    1 2 1 1          the third row jumps to the fourth
//! positions  0 1 3 3          with room for the prelude before row 0
//! ```
//!
//! Each jump has several [forms](crate::target::riscv::jumps). A jump to the next instruction takes no word.
//! Lengths begin at their minimum and grow until every jump reaches its target. Growth moves other rows apart, so
//! this repeats until nothing grows, in practice once or twice. It never brings rows together, so a row that has grown
//! needs its words at the end, too. The room for the prelude belongs to row 0, so that positions count from the start
//! of the program.
//!
//! Cost: work O(n) per round, one scan of 4 bytes per row; everything else only for rows that jump.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::instruction::{JumpId, Jumps, Layout, position};
use crate::target::riscv::isa::JAL;
use crate::target::riscv::jumps::words_needed;
use crate::target::riscv::registers::ZERO;

/// Returns the number of words of a row in its shortest form, given positions where every jump takes a word.
#[device(map)]
fn shortest(j: JumpId, jumps: &Jumps, lengths: &[u32], positions: &[u32], prelude: u32) -> u32 {
    let row = jumps.row[j];
    let first = jumps.first[j];
    let is_jump = first.op == JAL && first.rd == ZERO;
    let next = position(row, positions, prelude) + 1;
    if is_jump && position(first.imm, positions, prelude) == next { 0 } else { lengths[row as usize] }
}

/// Returns the number of words that a row needs to reach its targets, at least `taken`.
#[device(map)]
fn needed(j: JumpId, jumps: &Jumps, taken: &[u32], positions: &[u32], prelude: u32) -> u32 {
    let before = taken[j.index()];
    if before == 0 {
        return 0;
    }
    let at = position(jumps.row[j], positions, prelude);
    let words = jumps.rest[j] + words_needed(at + jumps.before[j], jumps.first[j], positions, prelude);
    (words + words_needed(at + words, jumps.branch[j], positions, prelude)).max(before)
}

#[device(reduce(Sum))]
fn growth(j: JumpId, jumps: &Jumps, taken: &[u32], positions: &[u32], prelude: u32) -> u32 {
    needed(j, jumps, taken, positions, prelude) - taken[j.index()]
}

#[device(scan(Sum))]
fn length(r: usize, lengths: &[u32], prelude: u32) -> u32 {
    lengths[r] + if r == 0 { prelude } else { 0 }
}

/// Finds the position of each row. `prelude` is the number of words before the first.
pub fn link<B: Backend>(backend: &B, lengths: &B::Vec<u32>, jumps: &Jumps<B>, prelude: u32) -> Result<Layout<B>> {
    let n = jumps.len();
    let mut lengths = backend.concat(&[lengths])?;
    let (positions, _) = backend.scan(ScanKind::Exclusive, length::of(&lengths, prelude), Sum)?;
    let mut taken = backend.map(shortest::of(jumps, &lengths, &positions, prelude))?;
    loop {
        backend.scatter(&mut lengths, &jumps.row, &taken)?;
        let (positions, words) = backend.scan(ScanKind::Exclusive, length::of(&lengths, prelude), Sum)?;
        if backend.reduce(growth::of(jumps, &taken, &positions, prelude).rows(n), Sum)? == 0 {
            return Ok(Layout { positions, words: words.max(prelude) });
        }
        taken = backend.map(needed::of(jumps, &taken, &positions, prelude).rows(n))?;
    }
}
