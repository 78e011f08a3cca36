//! Words of marks: a bit per byte of a text, 64 to a word.
//!
//! They take an eighth of the text's memory. A pass over a text writes a word for each kind of byte that later passes look for. Then
//! no later pass reads the text again to find such a byte, or to count them.

use super::BLOCK;
use crate::backend::{Checked, ScanKind, check_length, check_rows, own};
use crate::device::device;
use crate::monoid::Sum;
use crate::{Backend, Column, Result};

/// Returns the bytes that are marked, in order.
///
/// # Shape    words\[n / 64\] of marks -> position\[m\], m the number of marks
/// # Cost     work O(n / 64 + m), one [`positions`](Backend::positions), n / 8 bytes and 4 per mark
/// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if a `u32` cannot number the bytes
/// # Source   APL's where, `⍸`
/// # Example
/// ```
/// use treepar::{Backend, Cpu, text};
/// let cpu = Cpu::new();
/// let marks = cpu.upload(&[0b1001, 0, 1 << 63])?;
/// assert_eq!(text::marked(&marks)?[..], [0, 3, 191]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn marked<B: Backend>(marks: &impl Column<Element = u64, Backend = B>) -> Result<B::Vec<u32>> {
    marks.backend().positions(nothing::of().rows(marks.len()), Sum, word::of(marks))
}

/// Returns the bytes that are marked, in order, and how many brackets are open before each. Brackets need no marks of their own.
///
/// Brackets need not match: the number is that of `opens` before the byte minus that of `closes`, and wraps below 0. Without `closes`
/// it is a rank, as in the second example.
///
/// # Shape    words\[n / 64\] of marks, of brackets that open, and of brackets that close -> position\[m\], depth\[m\], m the number of
///   marks
/// # Cost     work O(n / 64 + m); on a CPU a loop over words, 3 n / 8 bytes and 8 per mark; on a GPU a scan, a positions and a map, about
///   n bytes and 16 per mark
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length, [`TooManyRows`](crate::Error::TooManyRows) if a
///   `u32` cannot number the bytes
/// # Source   rank in bit vectors, with a count per word
/// # Example
/// ```
/// use treepar::{Backend, Cpu, text};
/// let cpu = Cpu::new();
/// // (a(b)c)
/// let column = |marks: u64| cpu.upload(&[marks]);
/// let (letters, opens, closes) = (column(0b010_1010)?, column(0b000_0101)?, column(0b101_0000)?);
/// let (position, depth) = text::nested(&letters, &opens, &closes)?;
/// assert_eq!((&position[..], &depth[..]), (&[1, 3, 5][..], &[1, 2, 1][..]));
///
/// // The words before the end of each line, from marks of newlines and of the last byte of each word: "a bc\nd\n"
/// let (newlines, words) = (column(0b101_0000)?, column(0b010_1001)?);
/// let (end, before) = text::nested(&newlines, &words, &column(0)?)?;
/// assert_eq!((&end[..], &before[..]), (&[4, 6][..], &[2, 3][..]));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn nested<B: Backend>(
    marks: &impl Column<Element = u64, Backend = B>,
    opens: &B::Vec<u64>,
    closes: &B::Vec<u64>,
) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
    let backend = marks.backend();
    for (name, column) in [("opens", opens), ("closes", closes)] {
        check_length(name, marks.len(), column.len())?;
        own(backend, column)?;
    }
    // As many as `positions` can number.
    check_rows("marks", marks.len().saturating_mul(BLOCK))?;
    if let Some(found) = backend.run_nested(Checked, marks.as_vec(), opens, closes)? {
        return Ok(found);
    }
    let (before, _) = backend.scan(ScanKind::Exclusive, change::of(opens, closes), Sum)?;
    let position = marked(marks)?;
    let depth = backend.map(depth_at::of(&position, &before, opens, closes))?;
    Ok((position, depth))
}

/// Returns the change of the depth by a word.
#[device(scan(Sum))]
fn change(w: usize, opens: &[u64], closes: &[u64]) -> u32 {
    opens[w].count_ones().wrapping_sub(closes[w].count_ones())
}

#[device(map)]
fn depth_at(k: usize, position: &[u32], before: &[u32], opens: &[u64], closes: &[u64]) -> u32 {
    let at = position[k] as usize;
    before[at / 64].wrapping_add(marks_before(opens, at)).wrapping_sub(marks_before(closes, at))
}

/// Words know their marks already.
#[device(scan(Sum))]
fn nothing(_w: usize) -> u32 {
    0
}

#[device(positions(nothing, Sum))]
fn word(w: usize, _before: u32, marks: &[u64]) -> u64 {
    marks[w]
}

/// Returns the first marked byte from byte `at` on, and the byte after the last word if none is marked.
///
/// ```
/// use treepar::text::next_mark;
/// let marks = [0b1001, 0, 1];
/// assert_eq!((next_mark(&marks, 1), next_mark(&marks, 3), next_mark(&marks, 4), next_mark(&marks, 129)), (3, 3, 128, 192));
/// ```
#[device]
pub fn next_mark(marks: &[u64], at: usize) -> usize {
    let mut w = at / 64;
    let mut rest = if w < marks.len() { marks[w] & u64::MAX.wrapping_shl(at as u32 % 64) } else { 0 };
    while rest == 0 && w + 1 < marks.len() {
        w += 1;
        rest = marks[w];
    }
    if rest == 0 { 64 * marks.len() } else { 64 * w + rest.trailing_zeros() as usize }
}

/// Counts the marks among the 64 bytes of byte `at` that come before it. With a scan of `count_ones` over the words it is the rank
/// of a byte. [`nested()`] returns the ranks of marked bytes.
///
/// ```
/// use treepar::text::marks_before;
/// let marks = [u64::MAX, 0b1011];
/// assert_eq!((marks_before(&marks, 63), marks_before(&marks, 64), marks_before(&marks, 67)), (63, 0, 2));
/// ```
#[device]
pub fn marks_before(marks: &[u64], at: usize) -> u32 {
    (marks[at / 64] & (1u64.wrapping_shl(at as u32 % 64) - 1)).count_ones()
}

/// Marks the bytes from each marked one to the one before the next: the first of each pair is inside, and the second is not.
/// `is_inside` says whether the bytes before the first are.
///
/// ```
/// use treepar::text::between;
/// assert_eq!(between(0b0010_0100, false), 0b0001_1100);
/// assert_eq!(between(0b0010_0100, true), !0b0001_1100);
/// ```
#[device]
pub fn between(marks: u64, is_inside: bool) -> u64 {
    let mut inside = marks;
    for k in 0..6u32 {
        inside ^= inside.wrapping_shl(1u32.wrapping_shl(k));
    }
    inside ^ (is_inside as u64).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with few, some and many marks.
    fn words() -> Vec<u64> {
        (0..200u64)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32))
            .enumerate()
            .map(|(i, word)| match i % 5 {
                0 => 0,
                1 => word & word >> 7 & word >> 19,
                2 => u64::MAX,
                _ => word,
            })
            .collect()
    }

    #[test]
    fn marks_are_found_and_counted_as_byte_by_byte() {
        let words = words();
        let is_marked = |at: usize| words.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0);
        let end = 64 * words.len();
        for at in 0..end + 130 {
            assert_eq!(next_mark(&words, at), (at..end).find(|&at| is_marked(at)).unwrap_or(end), "{at}");
        }
        for at in 0..end {
            assert_eq!(marks_before(&words, at) as usize, (at / 64 * 64..at).filter(|&at| is_marked(at)).count());
        }
        assert_eq!(next_mark(&[], 3), 0);
    }

    #[test]
    fn a_byte_is_between_if_an_odd_number_of_marks_is_not_after_it() {
        for word in words() {
            for is_inside in [false, true] {
                let expected = (0..64).fold(0, |marks, k| {
                    let before = (word << (63 - k)).count_ones() + u32::from(is_inside);
                    marks | u64::from(before % 2) << k
                });
                assert_eq!(between(word, is_inside), expected);
            }
        }
    }
}
