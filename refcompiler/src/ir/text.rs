//! The text of all inputs on a backend, and questions about eight of its bytes at once.
//!
//! ```text
//! bytes   x = 1 ; 0 y = 2 ; 0 32 32 ..     each input, the gap byte 0 after it; at the end spaces
//! words   ------- -------- ---------       8 bytes per row, the first in the lowest bits
//! ```
//!
//! A *byte mask* has bit 7 of each byte set or clear, and no other bits. The functions that take `low` expect bytes
//! without their bit 7, and only bit 7 of each byte of the result has a meaning. So no sum carries into the next byte.

use treepar::Backend;
use treepar::device::device;

/// The text of all inputs.
pub struct Text<B: Backend> {
    /// Eight bytes per row. The inputs end in row `bytes / 8` or before; at least [`PADDING`] bytes follow them.
    pub words: B::Vec<u64>,
    /// The number of bytes of all inputs, with a gap byte for each.
    pub bytes: usize,
    /// The number of inputs.
    pub inputs: usize,
    /// `true` if bytes that are not UTF-8 were replaced: only the sequential front end reports these.
    pub is_damaged: bool,
}

/// The number of bytes that can be read after the last gap byte.
pub const PADDING: usize = 64;

/// The bits of a byte mask.
pub const HIGH: u64 = 0x8080_8080_8080_8080;

/// The bits of each byte that are not in a byte mask.
pub const LOW: u64 = !HIGH;

/// Returns eight copies of a byte.
#[device]
pub const fn repeated(byte: u8) -> u64 {
    byte as u64 * 0x0101_0101_0101_0101
}

/// Returns in bit 7 of each byte whether it differs from `byte`, which is below 128.
#[device]
pub fn differs(low: u64, byte: u8) -> u64 {
    (low ^ repeated(byte)) + LOW
}

/// Returns in bit 7 of each byte whether it is at least `byte`, which is at most 128.
#[device]
pub fn at_least(low: u64, byte: u8) -> u64 {
    low + repeated(128 - byte)
}

/// Returns in bit 7 of each byte whether it is a letter.
#[device]
pub fn letters(low: u64) -> u64 {
    let small = low | repeated(b'a' - b'A');
    at_least(small, b'a') ^ at_least(small, b'z' + 1)
}

/// Returns the mask of the letters, digits and underscores among eight bytes.
#[device]
pub fn word_mask(bytes: u64) -> u64 {
    let low = bytes & LOW;
    let digits = at_least(low, b'0') ^ at_least(low, b'9' + 1);
    (letters(low) | digits | !differs(low, b'_')) & !bytes & HIGH
}

/// Returns the mask of the digits among eight bytes.
#[device]
pub fn digit_mask(bytes: u64) -> u64 {
    let low = bytes & LOW;
    (at_least(low, b'0') ^ at_least(low, b'9' + 1)) & !bytes & HIGH
}

/// Returns the lowest bit of a mask.
#[device]
pub fn lowest(mask: u64) -> u64 {
    mask & mask.wrapping_neg()
}

/// Returns the bytes before the only bit of a mask; the others are 0.
#[device]
pub fn before(mark: u64, bytes: u64) -> u64 {
    bytes & ((mark >> 7) - 1)
}

/// Returns whether the byte at the only bit of a mask is `byte`.
#[device]
pub fn is_at(mark: u64, bytes: u64, byte: u8) -> bool {
    (bytes ^ repeated(byte)) & ((mark >> 7) * 255) == 0
}

/// Returns the eight bytes that begin at byte `at` of a text.
#[device]
pub fn bytes_at(at: u32, words: &[u64]) -> u64 {
    let word = (at >> 3) as usize;
    let shift = (at & 7) << 3;
    (words[word] >> shift) | ((words[word + 1] << 1) << (63 - shift))
}

/// Returns whether two points begin at byte `at` of a text.
#[device]
pub fn is_range(at: u32, words: &[u64]) -> bool {
    (byte_at(at, words) == b'.') & (byte_at(at + 1, words) == b'.')
}

/// Returns the byte `at` of a text.
#[device]
pub fn byte_at(at: u32, words: &[u64]) -> u8 {
    (words[(at >> 3) as usize] >> ((at & 7) << 3)) as u8
}
