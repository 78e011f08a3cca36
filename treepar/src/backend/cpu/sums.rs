//! Sums of subtrees.
//!
//! ```text
//! depth    0 1 2 2 1      from the last node to the first: sums[d] is the sum of the subtrees at depth d since the last node
//! values   1 2 4 8 3      of depth d - 1. A node takes sums[d + 1], which is then nothing, and adds its own to sums[d].
//! out     18 14 4 8 3
//! ```
//!
//! Blocks run in parallel, as if no nodes came after them. Only its last node and the ancestors of this node have subtrees that go on after
//! a block: one node for each depth from the least of the block to the depth of its last node. A pass over blocks, from the last
//! to the first, finds the sums that these nodes miss.

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
    /// The sums that nodes before the block take, by depth.
    left: Vec<T>,
    /// The sums that nodes of the block miss, by depth from the least on.
    missed: Vec<T>,
}

/// Computes the combined values of the subtree of each node, where the monoid commutes.
pub fn subtree_sums<M: Monoid<T>, T: Element>(depth: &[u32], values: &[T], out: &mut [T], grain: usize) {
    if depth.len() <= grain {
        sums_in_block::<M, T>(depth, values, out);
        return;
    }
    let rows = depth.chunks(grain).zip(values.chunks(grain)).zip(out.chunks_mut(grain));
    let mut blocks: Vec<Block<T>> = rows
        .map(|((depth, values), out)| Block { depth, values, out, least: 0, left: Vec::new(), missed: Vec::new() })
        .collect();
    each(&mut blocks, 0, &|_, block| {
        block.left = sums_in_block::<M, T>(block.depth, block.values, block.out);
        block.least = block.depth.iter().copied().min().unwrap_or(0);
    });
    // The sums that nodes before the blocks so far take, by depth.
    let mut after: Vec<T> = Vec::new();
    for block in blocks.iter_mut().rev() {
        let (Some(&first), Some(&last)) = (block.depth.first(), block.depth.last()) else { continue };
        after.resize(after.len().max(first.max(last) as usize + 2), M::IDENTITY);
        block.missed = vec![M::IDENTITY; (last - block.least) as usize + 1];
        let mut sum = M::IDENTITY;
        for (missed, after) in block.missed.iter_mut().zip(&mut after[block.least as usize + 1..]).rev() {
            sum = M::combine(std::mem::replace(after, M::IDENTITY), sum);
            *missed = sum;
        }
        let least = &mut after[block.least as usize];
        *least = M::combine(sum, *least);
        for (after, &sum) in after.iter_mut().zip(&block.left[..=first as usize]) {
            *after = M::combine(sum, *after);
        }
    }
    each(&mut blocks, 0, &|_, Block { depth, out, least, missed, .. }| {
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

/// [`subtree_sums`] in one block. Returns the sums that nodes before the block take, by depth.
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
    use super::super::drawn::Drawn;
    use super::*;
    use crate::monoid::Sum;

    #[test]
    fn blocks_of_any_size_have_the_same_sums() {
        let mut drawn = Drawn::new();
        for n in 0..80 {
            // Every third forest is a chain.
            let depth = drawn.forest(n, if n % 3 == 0 { 1 } else { 5 });
            let values: Vec<u32> = (0..n).map(|_| drawn.below(1000)).collect();
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
