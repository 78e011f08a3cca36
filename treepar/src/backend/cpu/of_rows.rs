//! Texts that rows make one after another: see [`crate::text::of_rows()`].
//!
//! Each row writes whole words of eight bytes, which later rows overwrite where they begin. So no word waits for the one before it, and all
//! rows of at most eight bytes take the same branches. By templates each word of the text collects its bytes from rows.

use std::ops::Range;

use super::Cpu;
use super::block::{Block, Bound};
use super::join::join;
use crate::Result;
use crate::device::ExpandFn;

/// The bytes of a word.
const WORD: usize = size_of::<u64>();

/// Writes the bytes of all rows, `end` of them, and zeros before and after them. Row `i` begins at byte `offsets[i]`.
pub fn of_rows<F: ExpandFn<Output = u64>>(
    cpu: &Cpu,
    out: &mut [u64],
    offsets: &[u32],
    end: usize,
    rows: Bound<'_, F>,
) -> Result<()> {
    let out: &mut [u8] = bytemuck::cast_slice_mut(out);
    let first = offsets.first().map_or(end, |&first| first as usize);
    out[..first].fill(0);
    out[end..].fill(0);
    let n = offsets.len();
    cpu.run(n, || in_blocks(&mut out[first..end], offsets, Block::new(0..n), cpu.grain(n), rows))
}

/// Runs [`write`] on blocks of rows, whose bytes are `out`.
fn in_blocks<F: ExpandFn<Output = u64>>(
    out: &mut [u8],
    offsets: &[u32],
    block: Block,
    grain: usize,
    rows: Bound<'_, F>,
) {
    if block.rows() <= grain {
        return write(out, offsets, block, rows);
    }
    let middle = block.first() + block.rows() / 2;
    let (out, out_rest) = out.split_at_mut((offsets[middle] - offsets[block.first()]) as usize);
    let (left, right) = (Block::new(block.first()..middle), Block::new(middle..block.end()));
    join(|| in_blocks(out, offsets, left, grain, rows), || in_blocks(out_rest, offsets, right, grain, rows));
}

/// Writes the bytes of a block of rows.
fn write<F: ExpandFn<Output = u64>>(out: &mut [u8], offsets: &[u32], block: Block, rows: Bound<'_, F>) {
    let rows = rows.before(block.end());
    let offsets = &offsets[block.first()..block.end()];
    let base = offsets[0] as usize;
    // The first word of these rows is inside the text, so their loop does not test the room. The last row has no offset after it.
    let roomy = offsets.partition_point(|&at| at as usize - base + WORD <= out.len()).min(offsets.len() - 1);
    // Calls take a reference to a copy, so the loop keeps the columns themselves in registers.
    let of_long = &{ rows };
    for k in 0..roomy {
        let at = offsets[k] as usize - base;
        let end = offsets[k + 1] as usize - base;
        out[at..at + WORD].copy_from_slice(&F::call(block.first() + k, 0, rows.args()).to_ne_bytes());
        if end > at + WORD {
            write_words(&mut out[at..], block.first() + k, 1..(end - at).div_ceil(WORD), of_long);
        }
    }
    for k in roomy..offsets.len() {
        let at = offsets[k] as usize - base;
        let end = offsets.get(k + 1).map_or(out.len(), |&next| next as usize - base);
        write_words(&mut out[at..], block.first() + k, 0..(end - at).div_ceil(WORD), of_long);
    }
}

/// Writes some words of row `i`, which begins at the start of `out`, as far as there is room. It is not part of the loop over short rows,
/// which then keeps its values in registers.
#[inline(never)]
fn write_words<F: ExpandFn<Output = u64>>(out: &mut [u8], i: usize, words: Range<usize>, rows: &Bound<'_, F>) {
    for k in words {
        let word = F::call(i, k, rows.args()).to_ne_bytes();
        let out = &mut out[WORD * k..];
        if let Some(whole) = out.first_chunk_mut() {
            *whole = word;
        } else {
            out.copy_from_slice(&word[..out.len()]);
        }
    }
}
