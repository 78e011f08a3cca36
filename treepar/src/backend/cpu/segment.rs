//! Segmented scan and reduce: segments are runs of rows, given by where each begins.
//!
//! The end of a short segment is a branch that a processor cannot predict. So the first rows of short segments are entered into a
//! table for a chunk of rows, and a row looks there whether it begins one. Long segments have a loop of their own.

use std::hint::select_unpredictable;

use super::block::{Block, Reader};
use super::join::join;
use super::scan::{self, Reducer};
use crate::backend::ScanKind;
use crate::device::{Element, Monoid};

/// `out[s]` is the sum of segment `s`, from row `offsets[s]` to before row `offsets[s + 1]`; the last ends at `end`.
pub fn reduce<M: Monoid<T>, T: Element>(
    out: &mut [T],
    offsets: &[u32],
    end: usize,
    grain: usize,
    elements: impl Reader<Row = T>,
) {
    reduce_blocks::<M, T>(
        out,
        offsets,
        end,
        grain,
        &|block| scan::reduce_block::<M, T>(block, elements),
        &|out, offsets, end| reduce_block::<M, T>(out, offsets, end, elements),
    );
}

/// Reduces the segments of some offsets, of which the last ends at a row.
type BlockReducer<'a, T> = &'a (dyn Fn(&mut [T], &[u32], usize) + Sync);

/// Runs `block` on blocks of segments and reduces long segments by `part`.
fn reduce_blocks<M: Monoid<T>, T: Element>(
    out: &mut [T],
    offsets: &[u32],
    end: usize,
    grain: usize,
    part: Reducer<'_, T>,
    block: BlockReducer<'_, T>,
) {
    let Some(&first) = offsets.first() else { return };
    let rows = end - first as usize;
    if rows <= grain && offsets.len() <= grain {
        block(out, offsets, end);
    } else if offsets.len() == 1 {
        out[0] = scan::reduce_blocks::<M, T>(first as usize, rows, grain, part);
    } else {
        // In the middle of the rows, if a segment begins there; never at an end.
        let by_rows = offsets.partition_point(|&offset| (offset as usize) < first as usize + rows / 2);
        let middle = if rows > grain { by_rows } else { offsets.len() / 2 }.clamp(1, offsets.len() - 1);
        let (left, right) = out.split_at_mut(middle);
        let (offsets_left, offsets_right) = offsets.split_at(middle);
        join(
            || reduce_blocks::<M, T>(left, offsets_left, offsets_right[0] as usize, grain, part, block),
            || reduce_blocks::<M, T>(right, offsets_right, end, grain, part, block),
        );
    }
}

/// [`reduce`] by one thread.
fn reduce_block<M: Monoid<T>, T: Element>(out: &mut [T], offsets: &[u32], end: usize, elements: impl Reader<Row = T>) {
    if !are_short(offsets, end) {
        for s in 0..offsets.len().min(out.len()) {
            let end = if s + 1 < offsets.len() { offsets[s + 1] as usize } else { end };
            out[s] = scan::reduce_block::<M, T>(Block::new(offsets[s] as usize..end), elements);
        }
        return;
    }
    let mut owners = Owners::new(offsets, 0);
    let mut sum = M::IDENTITY;
    let mut at = offsets[0] as usize;
    while at < end {
        let rows = CHUNK.min(end - at);
        let begin = owners.next;
        owners.enter(at, rows);
        // Segments without rows are not written below.
        out[begin..owners.next].fill(M::IDENTITY);
        // One more than the segment of a row.
        let mut after = begin as u32;
        let (block, begun) = (Block::new(at..at + rows), &owners.begun[..rows]);
        block.each(elements, |k, item| {
            let begun = begun[k];
            let before = select_unpredictable(begun != 0, M::IDENTITY, sum);
            after = after.max(begun);
            sum = M::combine(before, item);
            out[after as usize - 1] = sum;
        });
        at += rows;
    }
    out[owners.next..offsets.len()].fill(M::IDENTITY);
}

/// Rows whose segments are found together.
pub(super) const CHUNK: usize = 512;

/// Returns whether segments that end at row `end` have so few rows, on average, that a table of their first rows pays.
pub(super) fn are_short(offsets: &[u32], end: usize) -> bool {
    offsets.first().is_some_and(|&first| (end - first as usize) / offsets.len() < 16)
}

/// The segments that begin in a chunk of rows.
pub(super) struct Owners<'a> {
    offsets: &'a [u32],
    /// The first segment that begins after the chunks so far.
    pub next: usize,
    /// For each row of the chunk one more than the number of the last segment that begins there, or 0.
    pub begun: [u32; CHUNK],
}

impl<'a> Owners<'a> {
    /// Returns the table before its first chunk, where segment `next` is the first to begin.
    pub fn new(offsets: &'a [u32], next: usize) -> Owners<'a> {
        Owners { offsets, next, begun: [0; CHUNK] }
    }

    /// Enters the segments that begin in `rows` rows from `first` on.
    pub fn enter(&mut self, first: usize, rows: usize) {
        self.begun[..rows].fill(0);
        for &offset in &self.offsets[self.next..] {
            match self.begun[..rows].get_mut((offset as usize).wrapping_sub(first)) {
                Some(begun) => *begun = self.next as u32 + 1,
                None => break,
            }
            self.next += 1;
        }
    }
}

/// The scan of each segment.
///
/// Threads share blocks of rows. The sum that each block passes to the next is computed first.
pub fn scan<M: Monoid<T>, T: Element>(
    out: &mut [T],
    kind: ScanKind,
    offsets: &[u32],
    grain: usize,
    elements: impl Reader<Row = T>,
) {
    let n = out.len();
    let blocks = n.div_ceil(grain);
    let scan_block = match kind {
        ScanKind::Inclusive => scan_block::<M, T, true, _>,
        ScanKind::Exclusive => scan_block::<M, T, false, _>,
    };
    if blocks <= 1 {
        return scan_block(out, 0, M::IDENTITY, offsets, elements);
    }
    let mut left = vec![(false, M::IDENTITY); blocks];
    share(&mut left, 1, 0, &|b, slot: &mut [(bool, T)]| {
        slot[0] = left_behind::<M, T>(b * grain, n.min((b + 1) * grain), offsets, elements);
    });
    let mut before = vec![M::IDENTITY; blocks];
    for b in 1..blocks {
        let (begins, sum) = left[b - 1];
        before[b] = if begins { sum } else { M::combine(before[b - 1], sum) };
    }
    share(out, grain, 0, &|b, out: &mut [T]| {
        scan_block(out, b * grain, before[b], offsets, elements);
    });
}

/// The scan of each segment into `out`, whose first row is `first`; `before` is what the rows before it leave to it.
fn scan_block<M: Monoid<T>, T: Element, const INCLUSIVE: bool, R: Reader<Row = T>>(
    out: &mut [T],
    first: usize,
    before: T,
    offsets: &[u32],
    elements: R,
) {
    let mut next = offsets.partition_point(|&offset| (offset as usize) < first);
    let n = out.len();
    let mut at = 0;
    let mut sum = before;
    let last = offsets.partition_point(|&offset| (offset as usize) < first + n);
    if are_short(&offsets[next..last], first + n) {
        let mut owners = Owners::new(offsets, next);
        for (begin, out) in (first..).step_by(CHUNK).zip(out.chunks_mut(CHUNK)) {
            let block = Block::new(begin..begin + out.len());
            owners.enter(begin, block.rows());
            let (out, begun) = (&mut out[..block.rows()], &owners.begun[..block.rows()]);
            block.each(elements, |k, item| {
                let before = select_unpredictable(begun[k] != 0, M::IDENTITY, sum);
                sum = M::combine(before, item);
                out[k] = if INCLUSIVE { sum } else { before };
            });
        }
        return;
    }
    while at < n {
        let end = if next < offsets.len() { n.min(offsets[next] as usize - first) } else { n };
        let block = Block::new(first + at..first + end);
        let out = &mut out[at..][..block.rows()];
        block.each(elements, |k, item| {
            let with = M::combine(sum, item);
            out[k] = if INCLUSIVE { with } else { sum };
            sum = with;
        });
        at = end;
        sum = M::IDENTITY;
        next += 1;
    }
}

/// Returns the sum of the last segment of the rows from `first` to `end`, and whether the segment begins in these rows.
fn left_behind<M: Monoid<T>, T: Element>(
    first: usize,
    end: usize,
    offsets: &[u32],
    elements: impl Reader<Row = T>,
) -> (bool, T) {
    let segment = offsets.partition_point(|&offset| (offset as usize) < end);
    let begin = segment.checked_sub(1).map(|s| offsets[s] as usize).filter(|&begin| begin >= first);
    let from = begin.unwrap_or(first);
    (begin.is_some(), scan::reduce_block::<M, T>(Block::new(from..end), elements))
}

/// Runs `work` on blocks of `block` rows of `rows`, with the number of each.
fn share<T: Send>(rows: &mut [T], block: usize, first: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let blocks = rows.len().div_ceil(block);
    if blocks <= 1 {
        if blocks == 1 {
            work(first, rows);
        }
        return;
    }
    let (left, right) = rows.split_at_mut(blocks / 2 * block);
    join(|| share(left, block, first, work), || share(right, block, first + blocks / 2, work));
}
