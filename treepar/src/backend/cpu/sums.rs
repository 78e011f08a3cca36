//! Sums of subtrees.
//!
//! ```text
//! depth    0 1 2 2 1      from the last node to the first: sums[d] is the sum of the subtrees at depth d since the last node
//! values   1 2 4 8 3      of depth d - 1. A node takes sums[d + 1], which is then nothing, and adds its own to sums[d].
//! out     18 14 4 8 3
//! ```
//!
//! Blocks run in parallel, as if no nodes came after them. The subtrees that go on after a block are those of its last node and of
//! this node's ancestors: one for each depth from the least of the block to that of its last node. What they miss is then found in order,
//! from the last block to the first.

use super::sort::each;
use crate::device::{Element, Monoid};

/// Nodes whose depths are looked at together.
const CHUNK: usize = 1024;

/// A block of nodes, with its rows of the result.
struct Block<'a, T> {
    depth: &'a [u32],
    values: &'a [T],
    out: &'a mut [T],
    /// The least depth.
    least: u32,
    /// By depth the sums that nodes before the block take. Later by depth, from the least on, what subtrees that go on after the block
    /// miss.
    sums: Vec<T>,
}

/// Computes the combined values of the subtree of each node, where the monoid commutes.
pub fn subtree_sums<M: Monoid<T>, T: Element>(depth: &[u32], values: &[T], out: &mut [T], grain: usize) {
    let rows = depth.chunks(grain).zip(values.chunks(grain)).zip(out.chunks_mut(grain));
    let mut blocks: Vec<Block<T>> =
        rows.map(|((depth, values), out)| Block { depth, values, out, least: 0, sums: Vec::new() }).collect();
    let is_only = blocks.len() < 2;
    each(&mut blocks, 0, &|_, block| {
        block.sums = sums_in_block::<M, T>(block.depth, block.values, block.out);
        block.least = if is_only { 0 } else { block.depth.iter().copied().min().unwrap_or(0) };
    });
    if is_only {
        return;
    }
    // By depth the sums of the blocks so far.
    let mut after: Vec<T> = Vec::new();
    for block in blocks.iter_mut().rev() {
        let (Some(&first), Some(&last)) = (block.depth.first(), block.depth.last()) else { continue };
        after.resize(after.len().max(first.max(last) as usize + 2), M::IDENTITY);
        let mut missed = vec![M::IDENTITY; (last - block.least) as usize + 1];
        let mut sum = M::IDENTITY;
        for (missed, after) in missed.iter_mut().zip(&mut after[block.least as usize + 1..]).rev() {
            sum = M::combine(std::mem::replace(after, M::IDENTITY), sum);
            *missed = sum;
        }
        let least = &mut after[block.least as usize];
        *least = M::combine(sum, *least);
        for (after, &sum) in after.iter_mut().zip(&block.sums[..=first as usize]) {
            *after = M::combine(sum, *after);
        }
        block.sums = missed;
    }
    each(&mut blocks, 0, &|_, Block { depth, out, least, sums: missed, .. }| {
        let mut missed = missed.iter().enumerate().rev();
        let mut next = missed.next();
        for (&depth, out) in depth.iter().zip(out.iter_mut()).rev() {
            let Some((k, &sum)) = next else { break };
            if (depth - *least) as usize == k {
                *out = M::combine(*out, sum);
                next = missed.next();
            }
        }
    });
}

/// [`subtree_sums`] in one block. Returns by depth the sums that nodes before the block take.
fn sums_in_block<M: Monoid<T>, T: Element>(depth: &[u32], values: &[T], out: &mut [T]) -> Vec<T> {
    let mut sums: Vec<T> = Vec::new();
    let chunks = depth.chunks(CHUNK).zip(values.chunks(CHUNK)).zip(out.chunks_mut(CHUNK));
    for ((depth, values), out) in chunks.rev() {
        let most = depth.iter().fold(0, |most: u32, &depth| most.max(depth)) as usize;
        if sums.len() < most + 2 {
            sums.resize(2 * (most + 2), M::IDENTITY);
        }
        let sums = &mut sums[..];
        for ((&depth, &value), out) in depth.iter().zip(values).zip(out).rev() {
            let at = depth as usize;
            let sum = M::combine(value, sums[at + 1]);
            sums[at + 1] = M::IDENTITY;
            sums[at] = M::combine(sum, sums[at]);
            *out = sum;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monoid::Sum;

    #[test]
    fn blocks_of_any_size_have_the_same_sums() {
        let mut state = 1u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 20
        };
        for n in 0..80 {
            // Every third forest only falls where it must.
            let falls = if n % 3 == 0 { 1 } else { 5 };
            let mut depth: Vec<u32> = Vec::new();
            for _ in 0..n {
                let most = depth.last().map_or(0, |last| last + 1);
                depth.push(most - (next() % falls).min(most));
            }
            let values: Vec<u32> = (0..n).map(|_| next()).collect();
            let expected: Vec<u32> = (0..n)
                .map(|i| {
                    let size = depth[i + 1..].iter().take_while(|&&other| other > depth[i]).count();
                    values[i..=i + size].iter().sum()
                })
                .collect();
            for grain in [1, 2, 3, 7, 64, 100] {
                let mut out = vec![9; n];
                subtree_sums::<Sum, u32>(&depth, &values, &mut out, grain);
                assert_eq!(out, expected, "{depth:?} in blocks of {grain}");
            }
        }
    }
}
