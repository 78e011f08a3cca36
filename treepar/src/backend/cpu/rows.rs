//! Loops over rows: map, expand, compact.

use super::block::{Block, Bound, Reader};
use super::join::join;
use super::segment::{self, CHUNK, Owners};
use super::sort::each;
use super::vectors::widest;
use super::{Cpu, CpuVec, positions, smaller};
use crate::device::{Element, ExpandFn, Outputs, Slices};
use crate::{Backend, Result};

/// `slices[i] = rows.row(i)` for `n` rows.
pub fn fill<S: Slices>(cpu: &Cpu, slices: S, n: usize, rows: impl Reader<Row = S::Row>) -> Result<()> {
    in_blocks(cpu, slices, n, &|slices, block| {
        let mut slices = slices.truncate(block.rows());
        block.each(rows, |k, row| slices.set(k, row));
    })
}

/// Work on the rows of a block with its part of the columns.
type Work<'a, S> = &'a (dyn Fn(S, Block) + Sync);

/// Runs `work` on blocks of `n` rows.
fn in_blocks<S: Slices>(cpu: &Cpu, slices: S, n: usize, work: Work<'_, S>) -> Result<()> {
    cpu.run(n, || split(slices, 0, n, cpu.grain(n), work))
}

fn split<S: Slices>(slices: S, first: usize, n: usize, grain: usize, work: Work<'_, S>) {
    if n <= grain {
        return work(slices, Block::new(first..first + n));
    }
    let middle = n / 2;
    let (left, right) = slices.split_at(middle);
    join(|| split(left, first, middle, grain, work), || split(right, first + middle, n - middle, grain, work));
}

/// Returns whether no depth is more than one above the depth before it. Depths from 2^31 on are refused.
pub fn rises_by_one(depths: &[u32], grain: usize) -> bool {
    if depths.len() <= grain.max(2) {
        return widest!(smaller::rises_by_one(depths));
    }
    let middle = depths.len() / 2;
    let (left, right) = join(|| rises_by_one(&depths[..=middle], grain), || rises_by_one(&depths[middle..], grain));
    left && right
}

/// `out[i] = values[rows[i]]`; returns whether `values` has all rows.
pub fn gather<T: Element>(out: &mut [T], values: &[T], rows: &[u32], grain: usize) -> bool {
    if out.len() > grain {
        let middle = out.len() / 2;
        let ((out, out_rest), (rows, rest)) = (out.split_at_mut(middle), rows.split_at(middle));
        let (all, all_of_rest) = join(|| gather(out, values, rows, grain), || gather(out_rest, values, rest, grain));
        return all && all_of_rest;
    }
    let mut has_all = true;
    for (out, &row) in out.iter_mut().zip(rows) {
        match values.get(row as usize) {
            Some(&value) => *out = value,
            None => has_all = false,
        }
    }
    has_all
}

/// Returns whether all numbers are below a limit.
pub fn are_below(numbers: &[u32], limit: usize, grain: usize) -> bool {
    if numbers.len() <= grain {
        // Without leaving the loop early, so that it runs in vectors.
        let last = u32::try_from(limit.saturating_sub(1)).unwrap_or(u32::MAX);
        let are_above = numbers.iter().fold(false, |above, &number| above | (number > last));
        return numbers.is_empty() || limit > 0 && !are_above;
    }
    let (left, right) = numbers.split_at(numbers.len() / 2);
    let (left, right) = join(|| are_below(left, limit, grain), || are_below(right, limit, grain));
    left && right
}

/// Rows whose marks stay in the first-level cache until they are counted.
pub const CACHED: usize = 4096;

/// `slices[offsets[owner] + k] = f(owner, k)` for `m` rows.
pub fn expand<F: ExpandFn<Output: Outputs>>(
    cpu: &Cpu,
    slices: <F::Output as Outputs>::Slices<'_>,
    m: usize,
    offsets: &[u32],
    rows: Bound<'_, F>,
) -> Result<()> {
    in_blocks(cpu, slices, m, &|slices, block| expand_block(slices, block, offsets, rows))
}

/// [`expand`], for a block of rows. The function is part of both loops, which know its columns.
fn expand_block<F: ExpandFn>(slices: impl Slices<Row = F::Output>, block: Block, offsets: &[u32], rows: Bound<'_, F>) {
    let (first, m) = (block.first(), block.rows());
    if m == 0 {
        return;
    }
    let args = rows.before(offsets.len()).args();
    let mut slices = slices.truncate(m);
    let end = offsets.partition_point(|&offset| (offset as usize) < block.end());
    // One more than the last owner whose rows begin at or before the first row: owners without rows come before it.
    let mut after = offsets.partition_point(|&offset| offset as usize <= first);
    if segment::are_short(&offsets[after..end], block.end()) {
        // The end of an owner with few rows is a branch that a processor cannot predict.
        let mut owners = Owners::new(offsets, after);
        for at in (0..m).step_by(CHUNK) {
            let rows = CHUNK.min(m - at);
            owners.enter(first + at, rows);
            for (k, &begun) in owners.begun[..rows].iter().enumerate() {
                after = after.max(begun as usize);
                let owner = after - 1;
                slices.set(at + k, F::call(owner, first + at + k - offsets[owner] as usize, args));
            }
        }
        return;
    }
    let mut at = 0;
    while at < m {
        let owner = after - 1;
        let begin = offsets[owner] as usize;
        let end = offsets.get(after).map_or(first + m, |&next| (next as usize).min(first + m));
        // One loop. Unrolling it for the few rows that most owners have would copy the code of a row many times.
        while first + at < end {
            slices.set(at, F::call(owner, first + at - begin, args));
            at += 1;
        }
        after += 1;
    }
}

/// Sets the mark of each row from a first one on to 1 if a condition holds for it, and otherwise to 0.
pub type Marker<'a> = &'a (dyn Fn(&mut [u8], usize) + Sync);

/// [`Marker`], for the rows that `keep` holds for.
pub fn mark_rows(marks: &mut [u8], first: usize, keep: impl Reader<Row = bool>) {
    let block = Block::new(first..first + marks.len());
    let marks = &mut marks[..block.rows()];
    block.each(keep, |k, keep| marks[k] = keep as u8);
}

/// The marked rows, in order.
pub fn compact(cpu: &Cpu, n: usize, marker: Marker<'_>) -> Result<CpuVec<u32>> {
    if n <= cpu.grain(n) {
        return compact_in_order(cpu, n, marker);
    }
    cpu.run(n, || Marks::new(cpu, n, marker)?.rows(cpu))?
}

/// The marked rows, then the others, each in order; and how many the first are.
pub fn partition(cpu: &Cpu, n: usize, marker: Marker<'_>) -> Result<(CpuVec<u32>, usize)> {
    cpu.run(n, || {
        let mut marks = Marks::new(cpu, n, marker)?;
        let first = marks.counts.iter().sum::<usize>();
        let mut out = cpu.allocate::<u32>(n)?;
        let (out_first, out_others) = out.split_at_mut(first);
        marks.place(out_first);
        marks.invert(n);
        marks.place(out_others);
        Ok((out, first))
    })?
}

/// [`compact`] by one thread: marks stay in the first-level cache, and rows are placed as they come.
fn compact_in_order(cpu: &Cpu, n: usize, marker: Marker<'_>) -> Result<CpuVec<u32>> {
    let mut out = cpu.allocate::<u32>(n)?;
    let mut words = [0u64; CACHED / positions::ROWS];
    let mut at = 0;
    for first in (0..n).step_by(CACHED) {
        let rows = CACHED.min(n - first);
        let words = &mut words[..rows.div_ceil(positions::ROWS)];
        pack(words, first, rows, marker);
        at += positions::place_block(&mut out[at..], words, first / positions::ROWS);
    }
    out.truncate(at);
    Ok(out)
}

/// Sets bit i of `words` if row `first + i` is marked, for up to [`CACHED`] rows.
pub fn pack(words: &mut [u64], first: usize, rows: usize, marker: Marker<'_>) {
    let mut kept = [0u8; CACHED];
    marker(&mut kept[..rows], first);
    for (word, kept) in words.iter_mut().zip(kept.as_chunks::<{ positions::ROWS }>().0) {
        *word = packed(kept);
    }
}

/// Returns marks as the bits of a word.
#[inline(always)]
fn packed(marks: &[u8; positions::ROWS]) -> u64 {
    let mut word = 0;
    for (k, marks) in marks.as_chunks::<8>().0.iter().enumerate() {
        // The product has a copy of each mark in its highest byte, where each has its own bit.
        let bits = u64::from_le_bytes(*marks).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word |= bits << (8 * k);
    }
    word
}

/// A bit for each marked row. Marks are written once, so that a costly condition is evaluated once, and a cheap one in vectors.
struct Marks {
    words: CpuVec<u64>,
    /// The number of words of a block, whose rows are a multiple of [`CACHED`].
    block: usize,
    /// The number of marks in each block.
    counts: Vec<usize>,
}

impl Marks {
    /// Returns the marks of `n` rows.
    fn new(cpu: &Cpu, n: usize, marker: Marker<'_>) -> Result<Marks> {
        let mut words = cpu.allocate::<u64>(n.div_ceil(positions::ROWS))?;
        let rows = cpu.grain(n).next_multiple_of(CACHED);
        let block = rows / positions::ROWS;
        let mut blocks: Vec<(&mut [u64], usize)> = words.chunks_mut(block).map(|words| (words, 0)).collect();
        each(&mut blocks, 0, &|b, (words, count)| {
            for (first, words) in (b * rows..).step_by(CACHED).zip(words.chunks_mut(CACHED / positions::ROWS)) {
                pack(words, first, CACHED.min(n - first), marker);
                *count += widest!(positions::count(words));
            }
        });
        let counts = blocks.into_iter().map(|(_, count)| count).collect();
        Ok(Marks { words, block, counts })
    }

    /// Returns the marked rows.
    fn rows(&self, cpu: &Cpu) -> Result<CpuVec<u32>> {
        let mut out = cpu.allocate::<u32>(self.counts.iter().sum())?;
        self.place(&mut out);
        Ok(out)
    }

    /// Writes the marked rows, as many as `out` has.
    fn place(&self, out: &mut [u32]) {
        positions::place(out, &self.words, &self.counts, 0, self.block);
    }

    /// Marks the others of `n` rows instead.
    fn invert(&mut self, n: usize) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if let (Some(last), over @ 1..) = (self.words.last_mut(), n % positions::ROWS) {
            *last &= (1 << over) - 1;
        }
        let rows = self.block * positions::ROWS;
        for (b, count) in self.counts.iter_mut().enumerate() {
            *count = rows.min(n - b * rows) - *count;
        }
    }
}
