//! Reduce and scan.
//!
//! A scan that threads share reads its elements twice: once to reduce each block, and once to scan it from the sum of
//! the earlier blocks. The first of t + 1 parts needs no reducing and is scanned meanwhile. With two threads the scan
//! takes 2/3 of the time of a sequential one.
//!
//! A monoid may have resets, elements that hide all elements before them. Then a block is reduced from its last reset on,
//! which is usually near its end. So almost nothing is read twice, and there are t equal parts.

use super::Cpu;
use super::block::{Block, Bound, Reader};
use super::join::join;
use super::sort::each;
use crate::Result;
use crate::device::{CarryFn, Element, Monoid, Slices};

/// Returns the sum of a block.
pub type Reducer<'a, T> = &'a (dyn Fn(Block) -> T + Sync);

/// `elements.row(0) · .. · elements.row(n - 1)`.
pub fn reduce<M: Monoid<T>, T: Element>(cpu: &Cpu, n: usize, elements: impl Reader<Row = T>) -> Result<T> {
    reduce_all::<M, T>(cpu, n, &|block| reduce_block::<M, T>(block, elements))
}

fn reduce_all<M: Monoid<T>, T: Element>(cpu: &Cpu, n: usize, block: Reducer<'_, T>) -> Result<T> {
    cpu.run(n, || reduce_blocks::<M, T>(0, n, cpu.grain(n), block))
}

/// The sum of a block, by one thread.
pub fn reduce_block<M: Monoid<T>, T: Element>(block: Block, elements: impl Reader<Row = T>) -> T {
    let mut sum = M::IDENTITY;
    block.each(elements, |_, item| sum = M::combine(sum, item));
    sum
}

/// The sum of `n` rows from `first` on, by blocks.
pub fn reduce_blocks<M: Monoid<T>, T: Element>(first: usize, n: usize, grain: usize, block: Reducer<'_, T>) -> T {
    if n <= grain {
        return block(Block::new(first..first + n));
    }
    let middle = n / 2;
    let (left, right) = join(
        || reduce_blocks::<M, T>(first, middle, grain, block),
        || reduce_blocks::<M, T>(first + middle, n - middle, grain, block),
    );
    M::combine(left, right)
}

/// The rows of a scan.
#[derive(Clone, Copy)]
pub struct Extent {
    /// The number of rows.
    pub rows: usize,
    /// The number of ordinary rows that take as long as one of these.
    pub weight: usize,
}

/// The function that a scan runs on each row.
///
/// It combines, so that each template states the order of its work: a loop can take 1.5 times as long in another.
pub trait Step<M, T>: Copy + Send + Sync {
    /// The type of a row of the result.
    type Row;
    /// Returns row `i` of the result and `before · item`, where `before` is the sum of the earlier elements and `item` is element `i`.
    fn step(self, i: usize, before: T, item: T) -> (Self::Row, T);
    /// As [`Reader::until`].
    #[inline(always)]
    fn until(self, _end: usize) -> Self {
        self
    }
}

impl<M, T, O, F: Fn(usize, T, T) -> (O, T) + Copy + Send + Sync> Step<M, T> for F {
    type Row = O;
    #[inline(always)]
    fn step(self, i: usize, before: T, item: T) -> (O, T) {
        self(i, before, item)
    }
}

/// A device function makes row i of the sum before it.
impl<M: Monoid<G::Carry>, G: CarryFn> Step<M, G::Carry> for Bound<'_, G> {
    type Row = G::Output;
    #[inline(always)]
    fn step(self, i: usize, before: G::Carry, item: G::Carry) -> (G::Output, G::Carry) {
        (G::call(i, before, self.args()), M::combine(before, item))
    }
    #[inline(always)]
    fn until(self, end: usize) -> Self {
        self.before(end)
    }
}

/// Scans elements, and writes the rows that `step` makes. Returns the sum of all.
///
/// Blocks are reduced by a closure of their own. If the loops that reduce and the loop that scans shared one, it would often
/// be called for each row rather than inlined, which can take twice as long.
pub fn scan<M: Monoid<T>, T: Element, S: Slices>(
    cpu: &Cpu,
    slices: S,
    extent: Extent,
    elements: impl Reader<Row = T>,
    step: impl Step<M, T, Row = S::Row>,
) -> Result<T> {
    scan_all::<M, T, _>(
        cpu,
        slices,
        extent,
        // The sum of a block, from its last reset on.
        &|block| {
            let from = if M::RESETS { last_reset::<M, T>(block, elements) } else { block.first() };
            reduce_block::<M, T>(Block::new(from..block.end()), elements)
        },
        &|slices, block, before| scan_block::<M, T, S>(slices, block, before, elements, step),
    )
}

/// Scans a block, given the sum of the rows before it, and returns the sum with them.
type Scanner<'a, S, T> = &'a (dyn Fn(S, Block, &T) -> T + Sync);

fn scan_all<M: Monoid<T>, T: Element, S: Slices>(
    cpu: &Cpu,
    slices: S,
    extent: Extent,
    sum_of: Reducer<'_, T>,
    scanner: Scanner<'_, S, T>,
) -> Result<T> {
    let work = extent.rows * extent.weight;
    cpu.run(work, || share::<M, T, S>(slices, extent.rows, cpu.sharing(work), sum_of, scanner))
}

/// Shares blocks of a scan among threads.
fn share<M: Monoid<T>, T: Element, S: Slices>(
    slices: S,
    n: usize,
    threads: usize,
    sum_of: Reducer<'_, T>,
    scanner: Scanner<'_, S, T>,
) -> T {
    if threads == 1 {
        return scanner(slices, Block::new(0..n), &M::IDENTITY);
    }
    let head = if M::RESETS { 0 } else { n / (threads + 1) };
    let (head_slices, rest) = slices.split_at(head);
    let block = (n - head).div_ceil(threads);
    let blocks = (n - head).div_ceil(block);
    let mut before = vec![M::IDENTITY; blocks];
    let (head_sum, ()) = join(
        || scanner(head_slices, Block::new(0..head), &M::IDENTITY),
        || {
            each(&mut before[..blocks - 1], 0, &|b, sum| {
                let first = head + b * block;
                *sum = sum_of(Block::new(first..first + block));
            })
        },
    );
    let mut sum = head_sum;
    for slot in &mut before {
        sum = M::combine(sum, std::mem::replace(slot, sum));
    }
    scan_blocks(rest, head, n, block, &before, scanner)
}

/// Returns the last row that resets among the last rows of a block; the block's first row if there is none.
fn last_reset<M: Monoid<T>, T: Element>(block: Block, elements: impl Reader<Row = T>) -> usize {
    // A search through the whole block would take as long as reducing it.
    let mut last = block.end() - block.rows().div_ceil(8)..block.end();
    last.rfind(|&i| M::resets(elements.row(i))).unwrap_or(block.first())
}

/// Scans the blocks of rows from `first` to `end`; returns the last block's sum.
fn scan_blocks<T: Element, S: Slices>(
    slices: S,
    first: usize,
    end: usize,
    block: usize,
    before: &[T],
    scanner: Scanner<'_, S, T>,
) -> T {
    if before.len() == 1 {
        return scanner(slices, Block::new(first..end), &before[0]);
    }
    let half = before.len() / 2;
    let middle = first + half * block;
    let (left, right) = slices.split_at(half * block);
    join(
        || scan_blocks(left, first, middle, block, &before[..half], scanner),
        || scan_blocks(right, middle, end, block, &before[half..], scanner),
    )
    .1
}

/// Scans a block. `before` is a reference: a large element is otherwise kept in the caller's memory, and each row writes it there.
fn scan_block<M, T: Element, S: Slices>(
    slices: S,
    block: Block,
    before: &T,
    elements: impl Reader<Row = T>,
    step: impl Step<M, T, Row = S::Row>,
) -> T {
    let (mut slices, step) = (slices.truncate(block.rows()), step.until(block.end()));
    let mut sum = *before;
    block.each(elements, |k, item| {
        let (row, after) = step.step(block.first() + k, sum, item);
        slices.set(k, row);
        sum = after;
    });
    sum
}
