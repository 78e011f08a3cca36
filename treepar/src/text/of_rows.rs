//! Texts that rows make, one after another.

use super::BLOCK;
use crate::backend::{Offsets, Run, ScanKind, check_rows};
use crate::call::Call;
use crate::device::{ExpandFn, In, device, template};
use crate::monoid::Sum;
use crate::{Backend, Column, Result};

/// The bytes of a word.
const WORD: u32 = size_of::<u64>() as u32;

/// Returns the text that rows make, one after another. Row i has the bytes from its offset to the next row's, the last up to the number of
/// all bytes, and `f(i, k, ..)` returns eight of them, from its byte 8 k on.
///
/// It writes instructions of different lengths, numbers in LEB128, or parts of other texts. Bytes before the first row are zeros, so that a
/// text can begin inside a word. What `f` returns for bytes after the row's end is not used, but `f` may be called for them: with any k, in
/// rows without bytes too.
///
/// On one thread of a CPU, a plain loop that finds the length of each row and writes the row takes less time, because it needs no offsets.
///
/// # Shape    offsets\[n\] into m bytes -> text of m bytes, as of [`upload`](super::upload())
/// # Cost     work O(n + m / 8); on a CPU a loop over rows, m bytes and 4 per row; on a GPU a scan and three expands, about 2 m bytes and
///   40 per row
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if a column that `f` reads at its row does not have n rows,
///   [`TooManyRows`](crate::Error::TooManyRows) if a `u32` cannot number the bytes
/// # Source   a prefix sum of lengths, as for variable-length codes
/// # Example
/// ```
/// use treepar::backend::Offsets;
/// use treepar::prelude::*;
/// use treepar::text;
///
/// /// The code of each operation, and its number of bytes.
/// const CODE: [u64; 3] = [0x90, 0xc3, 0x2a_b8];
/// const LENGTH: [u32; 3] = [1, 1, 5];
///
/// #[device(scan(Sum))]
/// fn length(i: usize, operations: &[u8]) -> u32 {
///     LENGTH[operations[i] as usize]
/// }
///
/// #[device(expand)]
/// fn code(i: usize, _k: usize, operations: &[u8]) -> u64 {
///     CODE[operations[i] as usize]
/// }
///
/// let cpu = Cpu::new();
/// let operations = cpu.upload(&[0, 2, 1])?;
/// let (offsets, bytes) = cpu.scan(Exclusive, length::of(&operations), Sum)?;
/// let offsets = Offsets::assume(&cpu, &offsets, bytes as usize)?;
/// let text = text::of_rows(&offsets, code::of(&operations))?;
/// assert_eq!(text[0].to_le_bytes(), [0x90, 0xb8, 0x2a, 0, 0, 0, 0xc3, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn of_rows<F, B: Backend, R>(offsets: &Offsets<'_, B>, call: Call<'_, F, B, R>) -> Result<B::Vec<u64>>
where
    F: ExpandFn<Output = u64> + In<template::Expand>,
{
    let (column, end) = (offsets.column(), offsets.rows());
    let backend = column.backend();
    call.expect(column.len())?;
    let bytes = call.bytes(backend)?;
    check_rows("text", end)?;
    let words = end.div_ceil(BLOCK) * (BLOCK / WORD as usize);
    if column.is_empty() {
        return backend.filled(words, 0);
    }
    let found = backend.run_text_of_rows::<F>(column, Run { n: end, args: call.args() }, words)?;
    backend.tally().template(bytes + 4 * column.len() + WORD as usize * words);
    found.map_or_else(|| by_templates(offsets, call, words), Ok)
}

/// Makes the words of each row, finds the place of each, and collects the words of the text from them.
fn by_templates<F, B: Backend, R>(
    offsets: &Offsets<'_, B>,
    call: Call<'_, F, B, R>,
    words: usize,
) -> Result<B::Vec<u64>>
where
    F: ExpandFn<Output = u64>,
{
    let (column, end) = (offsets.column(), offsets.rows() as u32);
    let backend = column.backend();
    let mut first = backend.allocate(column.len())?;
    let lengths = Run { n: column.len(), args: words_of::of(column, end).args() };
    backend.run_scan::<words_of, Sum, u32>(ScanKind::Exclusive, lengths, &mut first)?;
    // At least as many words as there are: the host need not wait for their number. The last row makes those that are too many.
    let most = column.len() + (end / WORD) as usize;
    check_rows("words", most)?;
    let mut of_rows = backend.allocate(most)?;
    backend.run_expand::<F>(&first, Run { n: most, args: call.args() }, &mut of_rows)?;
    let mut places = (backend.allocate(most)?, backend.allocate(most)?);
    let of_places = Run { n: most, args: word_place::of(column, end).args() };
    backend.run_expand::<word_place>(&first, of_places, &mut places)?;
    let mut text = backend.allocate(words)?;
    let on = PlacesOn { at: &places.0, first: &places.1 };
    let of_text = Run { n: words, args: word::of(&of_rows, &on, end).args() };
    backend.run_expand::<word>(&places.1, of_text, &mut text)?;
    Ok(text)
}

/// Where the words of rows are.
#[device(tables)]
struct Places {
    /// The byte at which each begins.
    at: &[u32],
    /// The first word of the text that begins in each.
    first: &[u32],
}

/// Returns the byte after row `i`.
#[device]
fn end_of(i: usize, offsets: &[u32], end: u32) -> u32 {
    if i + 1 < offsets.len() { offsets[i + 1] } else { end }
}

/// Returns the number of words of row `i`.
#[device(scan(Sum))]
fn words_of(i: usize, offsets: &[u32], end: u32) -> u32 {
    (end_of(i, offsets, end) - offsets[i] + WORD - 1) / WORD
}

/// Returns the place of word `k` of row `i`, or of the end of the row if it has no such word.
#[device(expand)]
fn word_place(i: usize, k: u32, offsets: &[u32], end: u32) -> (u32, u32) {
    let at = if k < words_of(i, offsets, end) { offsets[i] + WORD * k } else { end_of(i, offsets, end) };
    // Words of the text before all rows are zeros, and count as words of the first.
    (at, if at == offsets[0] { 0 } else { (at + WORD - 1) / WORD })
}

/// Returns word `k` of the text of those that begin in word `u` of the rows.
#[device(expand)]
fn word(u: usize, k: u32, words: &[u64], places: &Places, end: u32) -> u64 {
    let from = WORD * (places.first[u] + k);
    let mut u = u;
    let mut begin = places.at[u];
    // The next byte, after those that are known.
    let mut next = from.max(begin);
    let mut word = 0u64;
    while next < from + WORD && u < words.len() {
        let after = end_of(u, places.at, end);
        if next < after {
            let unused = 8 * (WORD - (after - begin).min(WORD));
            word |= words[u] << unused >> unused >> (8 * (next - begin)) << (8 * (next - from));
            next = after;
        }
        u += 1;
        begin = after;
    }
    word
}
