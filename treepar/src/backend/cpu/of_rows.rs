//! Texts that rows make one after another: see [`crate::text::of_rows()`].
//!
//! Each row writes whole words of eight bytes, which later rows overwrite where they begin. So no word waits for the one before it, and a row
//! of at most eight bytes has no branch that depends on its length. By templates each word of the text collects its bytes from rows.

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
    let args = rows.before(block.end()).args();
    let offsets = &offsets[block.first()..block.end()];
    let mut rest = out;
    for k in 0..block.rows() {
        let i = block.first() + k;
        let length = offsets.get(k + 1).map_or(rest.len(), |&next| (next - offsets[k]) as usize);
        put(rest, F::call(i, 0, args));
        for word in 1..length.div_ceil(WORD) {
            put(&mut rest[WORD * word..], F::call(i, word, args));
        }
        rest = &mut rest[length..];
    }
}

/// Writes as much of a word as there is room for.
#[inline(always)]
fn put(out: &mut [u8], word: u64) {
    let word = word.to_ne_bytes();
    match out.first_chunk_mut() {
        Some(out) => *out = word,
        None => out.copy_from_slice(&word[..out.len()]),
    }
}
