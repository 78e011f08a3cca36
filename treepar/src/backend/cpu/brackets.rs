//! Brackets of a forest, and the forest of brackets.
//!
//! Node i opens at bracket `2 * i - depth[i]`: before it, i nodes have opened, and all but its ancestors have closed. So the brackets of a
//! block of nodes follow one another, and blocks run in parallel.

use super::join::join;
use super::rows::{CACHED, mark_rows, pack};
use super::sort::each;
use super::vectors::widest;
use super::{Cpu, CpuVec, positions};
use crate::{Backend, Result};

/// Writes 1 where a node opens and 0 where one closes, for the nodes of a block from `first` on.
pub fn brackets(depth: &[u32], out: &mut [u8], first: usize, grain: usize) {
    // The brackets before the block.
    let before = |i: usize, depth: &[u32]| (2 * i).saturating_sub(depth[0] as usize);
    if depth.len() > grain {
        let (left, right) = depth.split_at(depth.len() / 2);
        let middle = first + left.len();
        let (out_left, out_right) = out.split_at_mut(before(middle, right) - before(first, left));
        join(|| brackets(left, out_left, first, grain), || brackets(right, out_right, middle, grain));
        return;
    }
    out.fill(0);
    let Some(&depth_of_first) = depth.first() else { return };
    let begin = 2 * first as u32 - depth_of_first;
    for (node, &depth) in (first as u32..).zip(depth) {
        if let Some(bracket) = out.get_mut((2 * node - depth - begin) as usize) {
            *bracket = 1;
        }
    }
}

/// Returns the depth of each node that a sequence of brackets opens; `None` if they are not balanced.
pub fn depths(cpu: &Cpu, brackets: &[u8]) -> Result<Option<CpuVec<u32>>> {
    let nodes = brackets.len() / 2;
    // Blocks of whole words.
    let grain = cpu.grain(brackets.len()).next_multiple_of(CACHED);
    let mut blocks: Vec<(&[u8], usize)> = brackets.chunks(grain).map(|block| (block, 0)).collect();
    if blocks.len() > 1 {
        each(&mut blocks, 0, &|_, (block, opens)| {
            *opens = block.iter().map(|&bracket| usize::from(bracket != 0)).sum()
        });
        if blocks.iter().map(|(_, opens)| opens).sum::<usize>() != nodes {
            return Ok(None);
        }
    }
    if let [(_, opens)] = &mut blocks[..] {
        *opens = nodes;
    }
    let mut out = cpu.allocate::<u32>(nodes)?;
    let mut rest = &mut out[..];
    let mut first = 0;
    let mut parts = Vec::with_capacity(blocks.len());
    for (k, (block, opens)) in blocks.into_iter().enumerate() {
        let (own, after) = rest.split_at_mut(opens);
        parts.push((block, own, [k * grain, first], false));
        first += opens;
        rest = after;
    }
    each(&mut parts, 0, &|_, (brackets, out, first, is_balanced)| {
        *is_balanced = widest!(depths_of_block(brackets, out, *first))
    });
    let is_balanced = brackets.len() == 2 * nodes && parts.iter().all(|(_, _, _, is_balanced)| *is_balanced);
    drop(parts);
    Ok(is_balanced.then_some(out))
}

/// Computes the depths of the nodes that open in a block. Returns whether as many do as there are rows, and none opens after a bracket that
/// closes nothing.
#[inline(always)]
fn depths_of_block(brackets: &[u8], out: &mut [u32], [first_bracket, first_node]: [usize; 2]) -> bool {
    let mut words = [0u64; CACHED / positions::ROWS];
    let mut is_late = false;
    let mut at = 0;
    for (begin, brackets) in (first_bracket..).step_by(CACHED).zip(brackets.chunks(CACHED)) {
        let words = &mut words[..brackets.len().div_ceil(positions::ROWS)];
        pack(words, 0, brackets.len(), &|marks, first| mark_rows(marks, first, |i: usize| brackets[i] != 0));
        let opens = positions::count(words);
        if opens > out.len() - at {
            return false;
        }
        positions::place_words(&mut out[at..], words, begin / positions::ROWS);
        for (node, row) in (first_node + at..).zip(&mut out[at..at + opens]) {
            let depth = (2 * node as u32).wrapping_sub(*row);
            is_late |= depth > node as u32;
            *row = depth;
        }
        at += opens;
    }
    at == out.len() && !is_late
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::*;

    #[test]
    fn brackets_and_depths_are_inverse_in_blocks_of_any_size() {
        let mut drawn = Drawn::new();
        for n in 0..200 {
            let depth = drawn.forest(n, 16);
            let mut expected = Vec::new();
            let mut open = 0;
            for &depth in &depth {
                expected.resize(expected.len() + (open - depth) as usize, 0u8);
                expected.push(1);
                open = depth + 1;
            }
            expected.resize(2 * n, 0);
            for grain in [1, 2, 3, 7, 64, 300] {
                let mut found = vec![9; 2 * n];
                brackets(&depth, &mut found, 0, grain);
                assert_eq!(found, expected, "{depth:?} in blocks of {grain}");
            }
            let cpu = Cpu::with_threads(1);
            assert_eq!(depths(&cpu, &expected).unwrap().unwrap()[..], depth);
            for i in 0..2 * n {
                let mut wrong = expected.clone();
                wrong[i] ^= 1;
                assert!(depths(&cpu, &wrong).unwrap().is_none());
            }
        }
    }
}
