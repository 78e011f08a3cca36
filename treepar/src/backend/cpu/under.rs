//! The nodes below marked ones, in one pass.
//!
//! The subtree of a marked node ends at the next node that is not deeper. Blocks run in parallel, as if no marked node were open before
//! them. Afterwards the first nodes of each block are marked, as long as they are deeper than the node that is open there.

use std::hint::select_unpredictable;

use super::sort::each;
use super::vectors::widest;

/// A depth that no node has.
const NONE: u32 = u32::MAX;

/// A block of nodes, with its rows of the result, and what is open around it.
struct Block<'a> {
    depth: &'a [u32],
    mark: &'a [u8],
    out: &'a mut [u8],
    /// The least depth.
    least: u32,
    /// One more than the depth of the marked node that is open after the block, and later of the one before it.
    below: u32,
}

/// Writes 1 for each node that has a marked ancestor, or with `itself` is marked, and 0 for the others.
pub fn under(depth: &[u32], mark: &[u8], out: &mut [u8], itself: bool, grain: usize) {
    let rows = depth.chunks(grain).zip(mark.chunks(grain)).zip(out.chunks_mut(grain));
    let mut blocks: Vec<Block> =
        rows.map(|((depth, mark), out)| Block { depth, mark, out, least: NONE, below: NONE }).collect();
    let is_only = blocks.len() < 2;
    each(&mut blocks, 0, &|_, block| {
        let Block { depth, mark, out, .. } = block;
        block.below = if itself {
            widest!(under_in_block::<true>(depth, mark, out))
        } else {
            widest!(under_in_block::<false>(depth, mark, out))
        };
        block.least = if is_only { 0 } else { block.depth.iter().fold(NONE, |least, &depth| least.min(depth)) };
    });
    let mut before = NONE;
    for block in &mut blocks {
        let after = if block.least < before { block.below } else { before };
        block.below = std::mem::replace(&mut before, after);
    }
    each(&mut blocks, 0, &|_, Block { depth, out, below, .. }| {
        let below = depth.iter().take_while(|&depth| depth >= below);
        out.iter_mut().zip(below).for_each(|(out, _)| *out = 1);
    });
}

/// Rows that are looked at together.
const TOGETHER: usize = 16;

/// [`under`] in one block; returns one more than the depth of the marked node that is open afterwards.
#[inline(always)]
fn under_in_block<const ITSELF: bool>(depth: &[u32], mark: &[u8], out: &mut [u8]) -> u32 {
    let (mark, out) = (&mark[..depth.len()], &mut out[..depth.len()]);
    let (depths, depths_rest) = depth.as_chunks::<TOGETHER>();
    let (marks, marks_rest) = mark.as_chunks::<TOGETHER>();
    let (outs, outs_rest) = out.as_chunks_mut::<TOGETHER>();
    let mut below = NONE;
    for ((depths, marks), outs) in depths.iter().zip(marks).zip(outs) {
        // Most nodes of a tall tree are under a marked one. Without leaving the loop early, so that it runs in vectors.
        if below != NONE && depths.iter().fold(true, |all, &depth| all & (depth >= below)) {
            outs.fill(1);
        } else {
            below = under_in_order::<ITSELF>(depths, marks, outs, below);
        }
    }
    under_in_order::<ITSELF>(depths_rest, marks_rest, outs_rest, below)
}

/// [`under_in_block`], node after node; `below` is what it would return for the nodes before.
#[inline(always)]
fn under_in_order<const ITSELF: bool>(depth: &[u32], mark: &[u8], out: &mut [u8], mut below: u32) -> u32 {
    for ((&depth, &mark), out) in depth.iter().zip(mark).zip(out) {
        let is_under = depth >= below;
        let own = if mark != 0 { depth + 1 } else { NONE };
        // A branch would be mispredicted as often as trees end.
        below = select_unpredictable(is_under, below, own);
        *out = (is_under | (ITSELF & (mark != 0))) as u8;
    }
    below
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::*;

    #[test]
    fn blocks_of_any_size_find_the_same_nodes() {
        let mut drawn = Drawn::new();
        for n in 0..80 {
            let depth = drawn.forest(n, 4);
            let mark: Vec<u8> = (0..n).map(|_| (drawn.below(6) == 0) as u8 * 3).collect();
            for itself in [false, true] {
                let expected: Vec<u8> = (0..n)
                    .map(|i| {
                        let is_above = |j: usize| depth[j + 1..=i].iter().all(|&other| other > depth[j]);
                        ((0..i).any(|j| mark[j] != 0 && is_above(j)) || itself && mark[i] != 0) as u8
                    })
                    .collect();
                for grain in [1, 2, 3, 7, 64, 100] {
                    let mut out = vec![9; n];
                    under(&depth, &mark, &mut out, itself, grain);
                    assert_eq!(out, expected, "{depth:?} {mark:?} in blocks of {grain}");
                }
            }
        }
    }
}
