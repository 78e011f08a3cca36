//! Loops over rows: map, expand, compact.

use super::join::join;
use super::segment::{self, CHUNK, Owners};
use super::{Cpu, CpuVec, positions, smaller};
use crate::device::{Element, Slices};
use crate::{Backend, Result};

/// `slices[i] = row(i)` for `n` rows.
pub fn fill<S: Slices>(cpu: &Cpu, slices: S, n: usize, row: &(impl Fn(usize) -> S::Row + Sync)) -> Result<()> {
    in_blocks(cpu, slices, n, &|slices, first, n| fill_block(slices, first, n, row))
}

fn fill_block<S: Slices>(slices: S, first: usize, n: usize, row: &impl Fn(usize) -> S::Row) {
    let mut slices = slices.truncate(n);
    for i in 0..n {
        slices.set(i, row(first + i));
    }
}

/// Work on the rows of a block: its part of the columns, its first row, and how many rows it has.
type Work<'a, S> = &'a (dyn Fn(S, usize, usize) + Sync);

/// Runs `work` on blocks of `n` rows.
fn in_blocks<S: Slices>(cpu: &Cpu, slices: S, n: usize, work: Work<'_, S>) -> Result<()> {
    cpu.run(n, || split(slices, 0, n, cpu.grain(n), work))
}

fn split<S: Slices>(slices: S, first: usize, n: usize, grain: usize, work: Work<'_, S>) {
    if n <= grain {
        return work(slices, first, n);
    }
    let middle = n / 2;
    let (left, right) = slices.split_at(middle);
    join(|| split(left, first, middle, grain, work), || split(right, first + middle, n - middle, grain, work));
}

/// Returns whether no depth is more than one above the depth before it. Depths from 2^31 on are refused.
pub fn rises_by_one(depths: &[u32], grain: usize) -> bool {
    if depths.len() <= grain.max(2) {
        return smaller::rises_by_one(depths);
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

/// Rows that are passed over at once if none is marked.
const SKIPPED: usize = 32;

/// Rows whose marks stay in the first-level cache until they are counted.
pub const CACHED: usize = 4096;

/// `slices[offsets[owner] + k] = row(owner, k)` for `m` rows.
pub fn expand<S: Slices>(
    cpu: &Cpu,
    slices: S,
    m: usize,
    offsets: &[u32],
    row: &(impl Fn(usize, usize) -> S::Row + Sync),
) -> Result<()> {
    in_blocks(cpu, slices, m, &|slices, first, m| expand_block(slices, first, m, offsets, row))
}

/// [`expand`], for the `m` rows from `first` on.
fn expand_block<S: Slices>(slices: S, first: usize, m: usize, offsets: &[u32], row: &impl Fn(usize, usize) -> S::Row) {
    if m == 0 {
        return;
    }
    let mut slices = slices.truncate(m);
    let end = offsets.partition_point(|&offset| (offset as usize) < first + m);
    // The last owner whose rows begin at or before `first`: owners without rows come before it.
    let mut owner = offsets.partition_point(|&offset| offset as usize <= first) - 1;
    let mut at = 0;
    if segment::are_short(&offsets[owner + 1..end], first + m) {
        // The end of an owner with few rows is a branch that a processor cannot predict.
        let mut after = owner + 1;
        let mut owners = Owners::new(offsets, after);
        while at < m {
            let rows = CHUNK.min(m - at);
            owners.enter(first + at, rows);
            for &begun in &owners.begun[..rows] {
                after = after.max(begun as usize);
                let owner = after - 1;
                slices.set(at, row(owner, first + at - offsets[owner] as usize));
                at += 1;
            }
        }
        return;
    }
    while at < m {
        let begin = offsets[owner] as usize;
        let end = offsets.get(owner + 1).map_or(first + m, |&next| (next as usize).min(first + m));
        // One loop. Unrolling it for the few rows that most owners have would copy the code of a row many times.
        while first + at < end {
            slices.set(at, row(owner, first + at - begin));
            at += 1;
        }
        owner += 1;
    }
}

/// Sets the mark of each row from a first one on to 1 if a condition holds for it, and otherwise to 0.
pub type Marker<'a> = &'a (dyn Fn(&mut [u8], usize) + Sync);

/// [`Marker`], for the rows that `keep` holds for.
pub fn mark_rows(marks: &mut [u8], first: usize, keep: &impl Fn(usize) -> bool) {
    for (i, mark) in marks.iter_mut().enumerate() {
        *mark = keep(first + i) as u8;
    }
}

/// The marked rows, in order.
pub fn compact(cpu: &Cpu, n: usize, marker: Marker<'_>) -> Result<CpuVec<u32>> {
    if n <= cpu.grain(n) {
        return compact_in_order(cpu, n, marker);
    }
    cpu.run(n, || {
        let (kept, counts) = mark(cpu, n, marker)?;
        let mut out = cpu.allocate::<u32>(counts.iter().sum::<u32>() as usize)?;
        place(&mut out, &kept, &counts, 0, cpu.grain(n));
        Ok(out)
    })?
}

/// The marked rows, then the others, each in order; and how many the first are.
pub fn partition(cpu: &Cpu, n: usize, marker: Marker<'_>) -> Result<(CpuVec<u32>, usize)> {
    cpu.run(n, || {
        let (mut kept, mut counts) = mark(cpu, n, marker)?;
        let grain = cpu.grain(n);
        let first = counts.iter().sum::<u32>() as usize;
        let mut out = cpu.allocate::<u32>(n)?;
        let (out_first, out_others) = out.split_at_mut(first);
        place(out_first, &kept, &counts, 0, grain);
        kept.iter_mut().for_each(|kept| *kept ^= 1);
        for (count, block) in counts.iter_mut().zip(kept.chunks(grain)) {
            *count = block.len() as u32 - *count;
        }
        place(out_others, &kept, &counts, 0, grain);
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

/// 1 for each marked row, and how many there are in each block. Marks are written once and read once,
/// so that a costly condition is evaluated once, and a cheap one in vectors.
fn mark(cpu: &Cpu, n: usize, marker: Marker<'_>) -> Result<(CpuVec<u8>, Vec<u32>)> {
    let grain = cpu.grain(n);
    let mut kept = cpu.allocate::<u8>(n)?;
    let mut counts = vec![0u32; n.div_ceil(grain)];
    mark_blocks(&mut kept, &mut counts, 0, grain, marker);
    Ok((kept, counts))
}

fn mark_blocks(kept: &mut [u8], counts: &mut [u32], first: usize, grain: usize, marker: Marker<'_>) {
    match counts {
        [] => {}
        [count] => {
            for (begin, kept) in (first..).step_by(CACHED).zip(kept.chunks_mut(CACHED)) {
                marker(kept, begin);
                *count += kept.iter().map(|&mark| u32::from(mark)).sum::<u32>();
            }
        }
        _ => {
            let (left, right) = counts.split_at_mut(counts.len() / 2);
            let rows = left.len() * grain;
            let (kept_left, kept_right) = kept.split_at_mut(rows);
            join(
                || mark_blocks(kept_left, left, first, grain, marker),
                || mark_blocks(kept_right, right, first + rows, grain, marker),
            );
        }
    }
}

/// Writes the numbers of the marked rows; `counts` says how many each block of `grain` rows has.
fn place(out: &mut [u32], kept: &[u8], counts: &[u32], first: usize, grain: usize) {
    match counts {
        [] => {}
        [_] => {
            place_block(out, kept, first);
        }
        _ => {
            let (left, right) = counts.split_at(counts.len() / 2);
            let rows = left.len() * grain;
            let (kept_left, kept_right) = kept.split_at(rows);
            let (out_left, out_right) = out.split_at_mut(left.iter().sum::<u32>() as usize);
            join(
                || place(out_left, kept_left, left, first, grain),
                || place(out_right, kept_right, right, first + rows, grain),
            );
        }
    }
}

/// Writes the numbers of the marked rows; returns how many they are.
fn place_block(out: &mut [u32], kept: &[u8], first: usize) -> usize {
    let mut at = 0;
    for (chunk, kept) in kept.chunks(SKIPPED).enumerate() {
        if kept == &[0; SKIPPED][..kept.len()] {
            continue;
        }
        // Every row is written; a row that is not marked is overwritten. Branches would be unpredictable.
        for (i, &mark) in kept.iter().enumerate() {
            if at < out.len() {
                out[at] = (first + SKIPPED * chunk + i) as u32;
            }
            at += usize::from(mark);
        }
    }
    at
}
