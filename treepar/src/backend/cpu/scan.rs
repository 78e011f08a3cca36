//! Reduce and scan.
//!
//! A scan that threads share reads its elements twice: once to reduce each block, and once to scan it from the sum of
//! the earlier blocks. The first of t + 1 parts needs no reducing and is scanned meanwhile. With two threads the scan
//! takes 2/3 of the time of a sequential one.
//!
//! A monoid may have resets, elements that hide all elements before them. Then a block is reduced from its last reset on,
//! which is usually near its end. So almost nothing is read twice, and there are t equal parts.

use super::Cpu;
use super::join::join;
use super::sort::each;
use crate::Result;
use crate::device::{Element, Monoid, Slices};

/// Returns the sum of `n` rows from a first one on.
pub type Reducer<'a, T> = &'a (dyn Fn(usize, usize) -> T + Sync);

/// `element(0) · .. · element(n - 1)`.
pub fn reduce<M: Monoid<T>, T: Element>(cpu: &Cpu, n: usize, element: &(impl Fn(usize) -> T + Sync)) -> Result<T> {
    reduce_all::<M, T>(cpu, n, &|first, n| reduce_block::<M, T>(first, n, element))
}

fn reduce_all<M: Monoid<T>, T: Element>(cpu: &Cpu, n: usize, block: Reducer<'_, T>) -> Result<T> {
    cpu.run(n, || reduce_blocks::<M, T>(0, n, cpu.grain(n), block))
}

/// `element(first) · .. · element(first + n - 1)`, by one thread.
pub fn reduce_block<M: Monoid<T>, T: Element>(first: usize, n: usize, element: &impl Fn(usize) -> T) -> T {
    (first..first + n).fold(M::IDENTITY, |sum, i| M::combine(sum, element(i)))
}

/// The sum of `n` rows from `first` on, by blocks.
pub fn reduce_blocks<M: Monoid<T>, T: Element>(first: usize, n: usize, grain: usize, block: Reducer<'_, T>) -> T {
    if n <= grain {
        return block(first, n);
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

/// Scans: `step(i, before, element(i))` returns row i and `before · element(i)`, where `before` is the sum of the earlier
/// elements. Returns the sum of all. `summed` is the same function as `element`.
///
/// The step combines, so that each template states the order of its work: a loop can take 1.5 times as long in another.
///
/// Blocks are reduced by a closure of their own. If the loops that reduce and the loop that scans shared one, it would often
/// be called for each row rather than inlined, which can take twice as long.
pub fn scan<M: Monoid<T>, T: Element, O>(
    cpu: &Cpu,
    slices: impl Slices<Row = O>,
    extent: Extent,
    (element, summed): (&(impl Fn(usize) -> T + Sync), &(impl Fn(usize) -> T + Sync)),
    step: &(impl Fn(usize, T, T) -> (O, T) + Sync),
) -> Result<T> {
    scan_all::<M, T, _>(
        cpu,
        slices,
        extent,
        // The sum of a block, from its last reset on.
        &|first, n| {
            let from = if M::RESETS { last_reset::<M, T>(first, n, summed) } else { first };
            reduce_block::<M, T>(from, first + n - from, summed)
        },
        &|slices, first, n, before| scan_block(slices, first, n, before, element, step),
    )
}

/// Scans `n` rows from a first one on, given the sum of the rows before them, and returns the sum with them.
type Scanner<'a, S, T> = &'a (dyn Fn(S, usize, usize, &T) -> T + Sync);

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
        return scanner(slices, 0, n, &M::IDENTITY);
    }
    let head = if M::RESETS { 0 } else { n / (threads + 1) };
    let (head_slices, rest) = slices.split_at(head);
    let block = (n - head).div_ceil(threads);
    let blocks = (n - head).div_ceil(block);
    let mut before = vec![M::IDENTITY; blocks];
    let (head_sum, ()) = join(
        || scanner(head_slices, 0, head, &M::IDENTITY),
        || each(&mut before[..blocks - 1], 0, &|b, sum| *sum = sum_of(head + b * block, block)),
    );
    let mut sum = head_sum;
    for slot in &mut before {
        sum = M::combine(sum, std::mem::replace(slot, sum));
    }
    scan_blocks(rest, head, n, block, &before, scanner)
}

/// Returns the last row that resets among the last rows of a block; the block's first row if there is none.
fn last_reset<M: Monoid<T>, T: Element>(first: usize, n: usize, element: &impl Fn(usize) -> T) -> usize {
    // A search through the whole block would take as long as reducing it.
    let end = first + n;
    (end - n.div_ceil(8)..end).rev().find(|&i| M::resets(element(i))).unwrap_or(first)
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
        return scanner(slices, first, end - first, &before[0]);
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

/// Scans `n` rows from `first` on. `before` is a reference: a large element is otherwise kept in the caller's memory, and
/// each row writes it there.
fn scan_block<T: Element, O>(
    slices: impl Slices<Row = O>,
    first: usize,
    n: usize,
    before: &T,
    element: &impl Fn(usize) -> T,
    step: &impl Fn(usize, T, T) -> (O, T),
) -> T {
    let mut slices = slices.truncate(n);
    let mut sum = *before;
    for i in 0..n {
        let (row, after) = step(first + i, sum, element(first + i));
        slices.set(i, row);
        sum = after;
    }
    sum
}
