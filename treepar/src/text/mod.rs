//! Texts as columns of words: eight bytes at once.
//!
//! A text is a column of `u64` with eight bytes per row, the first in the lowest bits, and zeros after its end. Bytes are then
//! compared in groups. Functions of 64 bytes, the rows of a word of [`Backend::positions`], return a bit per byte. All functions take
//! bytes from 0 to 255.
//!
//! The zeros after the end are the same as bytes 0 of the text. Where that matters, end the text with a separator, or give a function its
//! length as a scalar. A function of 64 bytes reads the byte before or after them with [`byte_at()`] and [`bytes_at()`].
//!
//! ```text
//! text      "ab, c"           one row: 0x00_00_00_63_20_2c_62_61, then seven rows of zeros
//! matches   of b','           0b00100
//! bytes_at  from byte 3 on    " c", then zeros
//! ```
//!
//! A pass over a text marks everything that later passes look for, in words of a bit per byte: an eighth of the text's memory for each
//! kind of byte. [`marked`] and [`nested()`] turn them into rows, and [`next_mark()`] and [`marks_before()`] look into them. So later passes
//! read the text only where a row begins or ends.
//!
//! A question whose answer depends on all bytes before, such as whether a byte is between quotes, needs an [`Automaton`] with a few
//! states. Its states are a text too. [`of_rows()`] goes the other way: from rows to the text that they make.
//!
//! ```
//! use treepar::prelude::*;
//! use treepar::text::{self, matches};
//!
//! /// Words of 64 bytes need to know nothing of the words before them.
//! #[device(scan(Sum))]
//! fn nothing(_w: usize, _text: &[u64]) -> u32 {
//!     0
//! }
//!
//! /// Marks the commas among 64 bytes.
//! #[device(positions(nothing, Sum))]
//! fn commas(w: usize, _before: u32, text: &[u64]) -> u64 {
//!     matches(w, text, b',')
//! }
//!
//! let cpu = Cpu::new();
//! let text = text::upload(&cpu, b"ab, c, d")?;
//! let found = cpu.positions(nothing::of(&text).rows(text.len() / 8), Sum, commas::of(&text))?;
//! assert_eq!(found[..], [2, 5]);
//! # Ok::<(), treepar::Error>(())
//! ```

mod automaton;
mod native;
mod numbers;
mod of_rows;
mod strings;
mod words;

pub use automaton::{Automaton, LastState, STATES};
pub use numbers::{leading_digits, number_at, number_of};
pub use of_rows::of_rows;
pub use strings::Strings;
pub use words::{between, marked, marks_before, nested, next_mark};

use crate::backend::Checked;
use crate::device::device;
use crate::{Backend, Result};

/// The bytes that a word of marks describes. The column of a text has a whole number of such blocks.
pub const BLOCK: usize = 64;

/// Bit 7 of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The other bits of each byte.
const LOW: u64 = !HIGH;

/// Bit 0 of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns a column with the bytes of a text, eight per row, and zeros up to the end of a block.
///
/// # Shape    text of n bytes -> u64\[m\], m the least multiple of 8 with 8 m at least n
/// # Cost     n bytes between host and machine
/// # Errors   only general ones
/// # Example
/// ```
/// use treepar::{Cpu, text};
/// let text = text::upload(&Cpu::new(), b"abc")?;
/// assert_eq!((text.len(), text[0].to_le_bytes()), (8, *b"abc\0\0\0\0\0"));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn upload<B: Backend>(backend: &B, text: &[u8]) -> Result<B::Vec<u64>> {
    let (blocks, rest) = text.split_at(text.len() / BLOCK * BLOCK);
    let mut column = backend.allocate(text.len().div_ceil(BLOCK) * (BLOCK / 8))?;
    match bytemuck::try_cast_slice(blocks) {
        Ok(words) => backend.run_upload(Checked, &mut column, words)?,
        // The text does not begin at a multiple of 8 bytes.
        Err(_) => backend.run_upload(Checked, &mut column, &bytemuck::pod_collect_to_vec::<u8, u64>(blocks))?,
    }
    backend.tally().transfer(text.len());
    if !rest.is_empty() {
        let mut last = [0u64; BLOCK / 8];
        bytemuck::cast_slice_mut(&mut last)[..rest.len()].copy_from_slice(rest);
        let last = backend.upload(&last)?;
        backend.run_copy(Checked, &mut column, blocks.len() / 8, &last, 0..BLOCK / 8)?;
    }
    Ok(column)
}

#[device]
fn repeated(byte: u8) -> u64 {
    (byte as u64).wrapping_mul(ONES)
}

/// Returns in bit 7 of each byte whether it differs from `byte`. Other bits have any value.
///
/// It costs less than [`equal()`], and several are combined by `&`.
///
/// ```
/// use treepar::text::unlike;
/// let bytes = u64::from_le_bytes(*b"a,b;cdef");
/// let separators = !(unlike(bytes, b',') & unlike(bytes, b';')) & 0x8080_8080_8080_8080;
/// assert_eq!(separators, 0x8000_8000);
/// ```
#[device]
pub fn unlike(bytes: u64, byte: u8) -> u64 {
    let differ = bytes ^ repeated(byte);
    (differ & LOW).wrapping_add(LOW) | differ
}

/// Returns the eight bytes of a word that are `byte`, in bit 7 of each byte.
///
/// ```
/// use treepar::text::equal;
/// assert_eq!(equal(u64::from_le_bytes(*b"a,b,cdef"), b','), 0x8000_8000);
/// ```
#[device]
pub fn equal(bytes: u64, byte: u8) -> u64 {
    !unlike(bytes, byte) & HIGH
}

/// Returns the eight bytes of a word that are less than `limit`, which is at most 128, in bit 7 of each byte.
///
/// ```
/// use treepar::text::less;
/// assert_eq!(less(u64::from_le_bytes(*b"a b\ncdef"), b'!'), 0x8000_8000);
/// ```
#[device]
pub fn less(bytes: u64, limit: u8) -> u64 {
    !((bytes | HIGH).wrapping_sub(repeated(limit)) | bytes) & HIGH
}

/// Returns the number of bytes before the first whose bit 7 is set in `found`, 8 if there is none. Other bits of `found` must be 0, as
/// those of [`equal()`] and [`less()`] are; of [`unlike()`] they are not.
///
/// ```
/// use treepar::text::{equal, first};
/// let bytes = u64::from_le_bytes(*b"a,b,cdef");
/// assert_eq!((first(equal(bytes, b',')), first(equal(bytes, b'x'))), (1, 8));
/// ```
#[device]
pub fn first(found: u64) -> u32 {
    found.trailing_zeros() / 8
}

/// Returns the bits 7 of row k of eight rows, for [`marks()`]. Other bits of `found` do not matter.
///
/// ```
/// use treepar::prelude::*;
/// use treepar::text::{lane, marks, unlike};
///
/// /// Marks the bytes among 64 that begin or end a list.
/// #[device(map)]
/// fn lists(w: usize, text: &[u64]) -> u64 {
///     let mut found = 0u64;
///     for k in 0..8usize {
///         let bytes = text[8 * w + k];
///         found |= lane(!(unlike(bytes, b'[') & unlike(bytes, b']')), k);
///     }
///     marks(found)
/// }
///
/// let cpu = Cpu::new();
/// let text = treepar::text::upload(&cpu, b"[1, 2, 3, 4]")?;
/// assert_eq!(cpu.map(lists::of(&text).rows(1))?[..], [0b1000_0000_0001]);
/// # Ok::<(), treepar::Error>(())
/// ```
#[device]
pub fn lane(found: u64, k: usize) -> u64 {
    (found & HIGH).wrapping_shr(7 - k as u32)
}

/// Returns a bit per byte of eight rows whose lanes were combined by `|`: bit `8 * k + b` stands for byte b of row k.
#[device]
pub fn marks(lanes: u64) -> u64 {
    // Eight by eight bits are transposed.
    let mut bits = lanes;
    let mut swapped = (bits ^ bits >> 7) & 0x00aa_00aa_00aa_00aa;
    bits ^= swapped ^ swapped << 7;
    swapped = (bits ^ bits >> 14) & 0x0000_cccc_0000_cccc;
    bits ^= swapped ^ swapped << 14;
    swapped = (bits ^ bits >> 28) & 0x0000_0000_f0f0_f0f0;
    bits ^ swapped ^ swapped << 28
}

/// Marks the bytes among 64 that are `byte`: bit k stands for byte `64 * w + k`. A CPU compares 16 bytes at once.
///
/// ```
/// use treepar::{Cpu, text};
/// let text = text::upload(&Cpu::new(), b"a, b, c")?;
/// assert_eq!(text::matches(0, &text, b','), 0b1_0010);
/// # Ok::<(), treepar::Error>(())
/// ```
#[device]
#[host(native::matches)]
pub fn matches(w: usize, text: &[u64], byte: u8) -> u64 {
    let mut differ = 0u64;
    for k in 0..8usize {
        differ |= lane(unlike(text[8 * w + k], byte), k);
    }
    !marks(differ)
}

/// Marks the bytes among 64 that are `byte` when all bits of `bits` are set in them: `0x20` and `b'{'` stand for `b'['` and `b'{'`, and
/// `0x20` and a small letter for the letter in both cases.
///
/// ```
/// use treepar::{Cpu, text};
/// let text = text::upload(&Cpu::new(), b"{[()]}")?;
/// assert_eq!((text::matches_with(0, &text, 0x20, b'{'), text::matches_with(0, &text, 0x20, b'}')), (0b11, 0b11_0000));
/// # Ok::<(), treepar::Error>(())
/// ```
#[device]
#[host(native::matches_with)]
pub fn matches_with(w: usize, text: &[u64], bits: u8, byte: u8) -> u64 {
    let mut differ = 0u64;
    for k in 0..8usize {
        differ |= lane(unlike(text[8 * w + k] | repeated(bits), byte), k);
    }
    !marks(differ)
}

/// Marks the bytes among 64 that are less than `limit`.
///
/// ```
/// use treepar::{Cpu, text};
/// let text = text::upload(&Cpu::new(), b"a b")?;
/// // The bytes after the end of a text are zeros.
/// assert_eq!(text::matches_less(0, &text, b'!'), !0b101);
/// # Ok::<(), treepar::Error>(())
/// ```
#[device]
#[host(native::matches_less)]
pub fn matches_less(w: usize, text: &[u64], limit: u8) -> u64 {
    let mut found = 0u64;
    for k in 0..8usize {
        let bytes = text[8 * w + k];
        // Of a limit above 128, bytes of 7 bits are less, and the others are compared without their highest bit.
        found |= lane(if limit > 128 { !bytes | less(bytes & LOW, limit - 128) } else { less(bytes, limit) }, k);
    }
    marks(found)
}

/// Returns byte `i` of a text, 0 after its end. `i` must be less than the number of bytes of the column, `8 * text.len()`.
///
/// ```
/// use treepar::{Cpu, text};
/// let text = text::upload(&Cpu::new(), b"abc")?;
/// assert_eq!((text::byte_at(&text, 1), text::byte_at(&text, 3)), (b'b', 0));
/// # Ok::<(), treepar::Error>(())
/// ```
#[device]
#[host(native::byte_at)]
pub fn byte_at(text: &[u64], i: usize) -> u8 {
    text[i / 8].wrapping_shr(i as u32 % 8 * 8) as u8
}

/// Returns the eight bytes from byte `i` on, zeros after the end of the column.
///
/// ```
/// use treepar::text::bytes_at;
/// let text = [u64::from_le_bytes(*b"a,b,cdef")];
/// assert_eq!(bytes_at(&text, 5).to_le_bytes(), *b"def\0\0\0\0\0");
/// assert_eq!(bytes_at(&text, 8), 0);
/// ```
#[device]
#[host(native::bytes_at)]
pub fn bytes_at(text: &[u64], i: usize) -> u64 {
    let row = i / 8;
    let shift = i as u32 % 8 * 8;
    let low = if row < text.len() { text[row] } else { 0 };
    let high = if row + 1 < text.len() { text[row + 1] } else { 0 };
    // Shifted twice, since a shift by 64 bits would not be one by none.
    low.wrapping_shr(shift) | (high << 1).wrapping_shl(63 - shift)
}

/// Returns the bytes of a word before the first whose bit 7 is set in `found`, and zeros instead of the others. Other bits of `found` must
/// be 0, as for [`first()`].
///
/// ```
/// use treepar::text::{before, equal};
/// let bytes = u64::from_le_bytes(*b"ab,cdefg");
/// assert_eq!(before(bytes, equal(bytes, b',')).to_le_bytes(), *b"ab\0\0\0\0\0\0");
/// ```
#[device]
pub fn before(bytes: u64, found: u64) -> u64 {
    bytes & ((found & found.wrapping_neg()) >> 7).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;

    /// Texts with every byte, of lengths around the ends of rows and blocks.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        let lengths = [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 300, 1000];
        lengths.into_iter().map(|n: u32| (0..n).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect())
    }

    #[test]
    fn bytes_come_back_at_any_alignment() {
        let cpu = Cpu::with_threads(1);
        for text in texts() {
            for skipped in 0..text.len().min(9) {
                let text = &text[skipped..];
                let column = upload(&cpu, text).unwrap();
                assert_eq!(column.len(), text.len().div_ceil(BLOCK) * 8);
                for i in 0..column.len() * 8 {
                    let expected = |i: usize| text.get(i).copied().unwrap_or(0);
                    assert_eq!(byte_at(&column, i), expected(i));
                    assert_eq!(bytes_at(&column, i).to_le_bytes(), std::array::from_fn(|k| expected(i + k)));
                }
            }
        }
    }

    #[test]
    fn marks_are_of_all_bytes_and_no_others() {
        let cpu = Cpu::with_threads(1);
        for text in texts() {
            let column = upload(&cpu, &text).unwrap();
            for byte in 0..=u8::MAX {
                for w in 0..column.len() / 8 {
                    let expected = |holds: &dyn Fn(u8) -> bool| {
                        (0..64).fold(0, |marks, k| {
                            marks | u64::from(holds(text.get(64 * w + k).copied().unwrap_or(0))) << k
                        })
                    };
                    assert_eq!(matches(w, &column, byte), expected(&|found| found == byte));
                    assert_eq!(matches_less(w, &column, byte), expected(&|found| found < byte));
                    for bits in [0, 0x20, byte] {
                        assert_eq!(matches_with(w, &column, bits, byte), expected(&|found| found | bits == byte));
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_ends_before_the_first_byte_that_is_found() {
        for end in 0..8 {
            let mut bytes = *b"abcdefgh";
            bytes[end] = b'-';
            bytes[7] = b'-';
            let word = u64::from_le_bytes(bytes);
            let found = equal(word, b'-');
            assert_eq!(first(found) as usize, end);
            bytes[end..].fill(0);
            assert_eq!(before(word, found).to_le_bytes(), bytes);
        }
        assert_eq!((before(7, 0), first(0)), (7, 8));
    }
}
