//! The CPU's forms of functions of texts: sixteen bytes at once, and reads at any byte.
//!
//! The device functions state the same with words of eight bytes, for every machine. The tests here compare the two.

use wide::u8x16;

/// Returns the bytes of a text.
#[inline(always)]
fn bytes(text: &[u64]) -> &[u8] {
    bytemuck::cast_slice(text)
}

/// As [`byte_at`](super::byte_at()).
#[inline(always)]
pub fn byte_at(text: &[u64], i: usize) -> u8 {
    bytes(text)[i]
}

/// As [`bytes_at`](super::bytes_at()).
#[inline(always)]
pub fn bytes_at(text: &[u64], i: usize) -> u64 {
    match bytes(text).get(i..).and_then(|rest| rest.first_chunk()) {
        Some(&word) => u64::from_le_bytes(word),
        // Fewer than eight bytes are left. A text has whole words.
        None if i / 8 < text.len() => text[i / 8] >> (i % 8 * 8),
        None => 0,
    }
}

/// As [`matches`](super::matches()).
#[inline(always)]
pub fn matches(w: usize, text: &[u64], byte: u8) -> u64 {
    matches_with(w, text, 0, byte)
}

/// As [`matches_with`](super::matches_with()).
#[inline(always)]
pub fn matches_with(w: usize, text: &[u64], bits: u8, byte: u8) -> u64 {
    let (bits, byte) = (u8x16::splat(bits), u8x16::splat(byte));
    each(w, text, |bytes| (bytes | bits).simd_eq(byte))
}

/// As [`matches_less`](super::matches_less()).
#[inline(always)]
pub fn matches_less(w: usize, text: &[u64], limit: u8) -> u64 {
    let limit = u8x16::splat(limit);
    // What is left of the limit without a byte is 0 if the byte is not less.
    !each(w, text, |bytes| limit.saturating_sub(bytes).simd_eq(u8x16::ZERO))
}

/// Returns a bit for each of 64 bytes: the highest bit of its result.
#[inline(always)]
fn each(w: usize, text: &[u64], test: impl Fn(u8x16) -> u8x16) -> u64 {
    let (bytes, _) = bytes(&text[8 * w..8 * w + 8]).as_chunks();
    let marks = |k: usize| u64::from(test(u8x16::new(bytes[k])).to_bitmask());
    marks(0) | marks(1) << 16 | marks(2) << 32 | marks(3) << 48
}
