//! The positions of marks with the depth of brackets: see [`crate::text::nested`].
//!
//! A loop over the set bits of three words has the depth in a register. By templates each row counts the brackets of its word that
//! come before it. Blocks of words first count their marks and brackets, so that each knows its first row and depth.

use super::sort::each;
use super::vectors::widest;
use super::{Cpu, CpuVec, positions};
use crate::{Backend, Result};

/// Words of marks, of brackets that open, and of brackets that close.
pub type Words<'a> = [&'a [u64]; 3];

/// A block of words, and what it writes.
struct Block<'a> {
    words: Words<'a>,
    first: usize,
    /// The number of open brackets before the block.
    depth: u32,
    position: &'a mut [u32],
    depths: &'a mut [u32],
}

/// Returns the rows of marks, and the number of open brackets before each.
pub fn nested(cpu: &Cpu, words: Words) -> Result<(CpuVec<u32>, CpuVec<u32>)> {
    let n = words[0].len();
    let grain = cpu.grain(n * positions::ROWS).div_ceil(positions::ROWS);
    let block = |b: usize| words.map(|words| &words[b * grain..n.min((b + 1) * grain)]);
    let mut counts = vec![(0usize, 0u32); n.div_ceil(grain)];
    each(&mut counts, 0, &|b, count| *count = widest!(counted(block(b))));
    let m = counts.iter().map(|(marks, _)| marks).sum();
    let (mut position, mut depths) = (cpu.allocate::<u32>(m)?, cpu.allocate::<u32>(m)?);
    let (mut rest, mut depth) = ((&mut position[..], &mut depths[..]), 0u32);
    let mut blocks = Vec::with_capacity(counts.len());
    for (b, (marks, change)) in counts.into_iter().enumerate() {
        let (position, after) = rest.0.split_at_mut(marks);
        let (depths, depths_after) = rest.1.split_at_mut(marks);
        rest = (after, depths_after);
        blocks.push(Block { words: block(b), first: b * grain, depth, position, depths });
        depth = depth.wrapping_add(change);
    }
    each(&mut blocks, 0, &|_, block| widest!(write(block)));
    Ok((position, depths))
}

/// Returns the number of marks, and the change of the depth.
#[inline(always)]
fn counted([marks, opens, closes]: Words) -> (usize, u32) {
    marks.iter().zip(opens).zip(closes).fold((0, 0), |(count, change): (usize, u32), ((marks, opens), closes)| {
        let change = change.wrapping_add(opens.count_ones()).wrapping_sub(closes.count_ones());
        (count + marks.count_ones() as usize, change)
    })
}

#[inline(always)]
fn write(block: &mut Block) {
    let Block { words: [marks, opens, closes], first, depth, position, depths } = block;
    // The loop would read where borrowed columns are again after each write.
    let (position, depths) = (&mut position[..], &mut depths[..]);
    let (mut at, mut depth) = (0, *depth);
    for (w, ((&marks, &opens), &closes)) in marks.iter().zip(*opens).zip(*closes).enumerate() {
        let base = ((*first + w) * positions::ROWS) as u32;
        let mut rest = marks | opens | closes;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            // Every row is written, and the next mark overwrites one that is not marked. Branches would be unpredictable.
            if let (Some(position), Some(slot)) = (position.get_mut(at), depths.get_mut(at)) {
                *position = base + rest.trailing_zeros();
                *slot = depth;
            }
            at += usize::from(marks & bit != 0);
            depth = depth.wrapping_add(u32::from(opens & bit != 0)).wrapping_sub(u32::from(closes & bit != 0));
            rest ^= bit;
        }
    }
}
