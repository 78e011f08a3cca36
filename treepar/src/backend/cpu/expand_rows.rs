//! Owners that make their rows at once, up to four each.
//!
//! One thread writes rows as they come. Several threads first add up the counts of their blocks. That evaluates the device
//! function twice, but the first time the compiler drops what only the rows need.

use super::block::{Block, Reader};
use super::join::join;
use super::sort::each;
use super::{Cpu, CpuVec};
use crate::device::Element;
use crate::{Backend, Result};

/// The rows that an owner makes, and how many it keeps.
pub type Made<T> = (T, T, T, T, u32);

/// The most rows of an owner.
pub const MOST: usize = 4;

/// The rows of all owners, and the index of each owner's first row.
pub fn expand_rows<T: Element>(
    cpu: &Cpu,
    n: usize,
    make: impl Reader<Row = Made<T>>,
) -> Result<(CpuVec<T>, CpuVec<u32>)> {
    let mut offsets = cpu.allocate::<u32>(n)?;
    let grain = cpu.grain(n);
    if n <= grain {
        let mut rows = cpu.allocate::<T>(MOST * n)?;
        let m = expand_block(&mut rows, &mut offsets, 0, 0, make);
        rows.truncate(m);
        return Ok((rows, offsets));
    }
    let mut counts: Vec<usize> = vec![0; n.div_ceil(grain)];
    each(&mut counts, 0, &|block, count| {
        Block::new(block * grain..n.min((block + 1) * grain)).each(make, |_, made| *count += kept(made.4));
    });
    let mut rows = cpu.allocate::<T>(counts.iter().sum())?;
    expand_blocks(&mut rows, &mut offsets, (&counts, grain), (0, 0), make);
    Ok((rows, offsets))
}

/// Returns how many rows an owner keeps.
#[inline(always)]
fn kept(count: u32) -> usize {
    (count as usize).min(MOST)
}

/// Writes the rows and offsets of blocks of `grain` owners, with the number of rows of each. Before them there are `first`
/// owners with `before` rows.
fn expand_blocks<T: Element>(
    rows: &mut [T],
    offsets: &mut [u32],
    (counts, grain): (&[usize], usize),
    (first, before): (usize, usize),
    make: impl Reader<Row = Made<T>>,
) {
    if counts.len() <= 1 {
        expand_block(rows, offsets, first, before, make);
        return;
    }
    let (left, right) = counts.split_at(counts.len() / 2);
    let owners = grain * left.len();
    let (rows_left, rows_right) = rows.split_at_mut(left.iter().sum());
    let (offsets_left, offsets_right) = offsets.split_at_mut(owners);
    let after = (first + owners, before + rows_left.len());
    join(
        || expand_blocks(rows_left, offsets_left, (left, grain), (first, before), make),
        || expand_blocks(rows_right, offsets_right, (right, grain), after, make),
    );
}

/// Owners whose rows are written together.
const TOGETHER: usize = 16;

/// The index of the last row that these owners can have.
const LAST: usize = MOST * TOGETHER - 1;

/// Writes the rows and offsets of owners; returns the number of rows. Before them there are `first` owners with `before` rows.
fn expand_block<T: Element>(
    rows: &mut [T],
    offsets: &mut [u32],
    first: usize,
    before: usize,
    make: impl Reader<Row = Made<T>>,
) -> usize {
    let mut at = 0;
    for (first, offsets) in (first..).step_by(TOGETHER).zip(offsets.chunks_mut(TOGETHER)) {
        let block = Block::new(first..first + offsets.len());
        let (rows, offsets) = (&mut rows[at..], &mut offsets[..block.rows()]);
        let mut owned = 0;
        // All four rows of an owner are written, and the next owner overwrites the excess. A loop over the count would be
        // mispredicted.
        if let Some(rows) = rows.first_chunk_mut::<{ LAST + MOST }>() {
            block.each(make, |k, (a, b, c, d, count)| {
                offsets[k] = (before + at + owned) as u32;
                // An owner begins at `LAST` or before. The optimizer sees it by the mask, and drops the check.
                rows[owned & LAST..][..MOST].copy_from_slice(&[a, b, c, d]);
                owned += kept(count);
            });
        } else {
            block.each(make, |k, (a, b, c, d, count)| {
                offsets[k] = (before + at + owned) as u32;
                let count = kept(count);
                rows[owned..owned + count].copy_from_slice(&[a, b, c, d][..count]);
                owned += count;
            });
        }
        at += owned;
    }
    at
}
