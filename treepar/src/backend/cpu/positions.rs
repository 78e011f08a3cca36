//! Rows that words of marks name.
//!
//! The words come first, by a scan as in [`super::scan`]; then each block writes the rows of its words at the index that
//! the counts of the earlier blocks give. Words take 1/32 of the memory of the rows that they can mark, so that storing them
//! costs little, and the result has exactly as many rows as there are marks.

use super::join::join;
use super::sort::each;
use super::vectors::widest;
use super::{Cpu, CpuVec};
use crate::{Backend, Result};

/// Rows of a word.
pub const ROWS: usize = 64;

/// Rows that are written at once.
const TOGETHER: usize = 8;

/// The rows `64 * w + k` for each bit `k` that is set in word `w`, in order.
pub fn positions(cpu: &Cpu, words: &[u64]) -> Result<CpuVec<u32>> {
    cpu.run(words.len() * ROWS, || place_all(cpu, words))?
}

fn place_all(cpu: &Cpu, words: &[u64]) -> Result<CpuVec<u32>> {
    let grain = cpu.grain(words.len() * ROWS).div_ceil(ROWS);
    let mut counts: Vec<usize> = vec![0; words.len().div_ceil(grain)];
    each(&mut counts, 0, &|block, marks| {
        let words = &words[block * grain..words.len().min((block + 1) * grain)];
        *marks = widest!(count(words));
    });
    let mut out = cpu.allocate::<u32>(counts.iter().sum())?;
    place(&mut out, words, &counts, 0, grain);
    Ok(out)
}

/// Writes the marked rows; `counts` says how many each block of `grain` words has.
pub fn place(out: &mut [u32], words: &[u64], counts: &[usize], first: usize, grain: usize) {
    match counts {
        [] => {}
        [_] => {
            place_block(out, words, first);
        }
        _ => {
            let (left, right) = counts.split_at(counts.len() / 2);
            let (words_left, words_right) = words.split_at(left.len() * grain);
            let (out_left, out_right) = out.split_at_mut(left.iter().sum());
            join(
                || place(out_left, words_left, left, first, grain),
                || place(out_right, words_right, right, first + words_left.len(), grain),
            );
        }
    }
}

/// Returns the number of bits that are set.
#[inline(always)]
pub fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// Writes the marked rows of words, of which the first is word `first`; returns how many they are.
pub fn place_block(out: &mut [u32], words: &[u64], first: usize) -> usize {
    widest!(place_words(out, words, first))
}

/// [`place_block`], for any vectors.
#[inline(always)]
pub fn place_words(out: &mut [u32], words: &[u64], first: usize) -> usize {
    let mut at = 0;
    for (w, &word) in words.iter().enumerate() {
        let (mut rest, count) = (word, word.count_ones() as usize);
        let base = ((first + w) * ROWS) as u32;
        // Whole groups are written, and the next word overwrites the excess. The number of groups is easier to predict than
        // the number of marks.
        if let Some(slots) = out.get_mut(at..at + ROWS) {
            for group in slots.chunks_exact_mut(TOGETHER).take(count.div_ceil(TOGETHER)) {
                for slot in group {
                    *slot = base + lowest(rest);
                    rest &= rest.wrapping_sub(1);
                }
            }
        } else {
            for slot in &mut out[at..at + count] {
                *slot = base + lowest(rest);
                rest &= rest.wrapping_sub(1);
            }
        }
        at += count;
    }
    at
}

/// Returns the number of the lowest bit that is set, and any number below 64 for no bit.
#[inline(always)]
fn lowest(word: u64) -> u32 {
    // A word that is not zero needs no branch on processors whose instruction leaves the result for zero undefined.
    (word | 1 << (ROWS - 1)).trailing_zeros()
}
