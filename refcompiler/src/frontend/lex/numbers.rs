//! The values of numbers.
//!
//! ```text
//! token   10   2147483648   0x1F  1.5       0.123456789  1.5e3        12ab  1.      and INT in `1..`
//! kind    INT  MINUS_ONLY   INT   FLOAT     FLOAT        FLOAT        MALFORMED
//! value   10   2^31         31    15 / 10   by the host  by the host  0     0
//! ```
//!
//! The sign of an exponent begins a token of its own, and so do the digits after it. A float takes both as its own, so the
//! tokens after it are [left out](super::exponents).
//!
//! Up to seven digits become a number by three multiplications. A float is a mantissa divided by a power of ten. If
//! the mantissa is below 2^24 and the power at most 10^10, both are exact in an f32, so one division rounds correctly.
//! Other floats are rare: their texts go to the host, which parses them.
//!
//! Cost: work O(k + d) for k numbers of d digits; one compaction, one map, two scatters. Floats for the host add a scan
//! and an expansion of their bytes, and three transfers.
//! Source: eight digits as in simdjson (Langdale and Lemire, 2019); exact division as Clinger (1990).

use treepar::backend::{Later, ScanKind};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::text::{HIGH, Text, byte_at, bytes_at, digit_mask, is_at, is_range, lowest, word_mask};
use crate::ir::tokens::{TokenId, TokenKind, Tokens};

/// An index of a number.
#[device(index)]
pub struct NumberId(u32);

/// A number.
#[device(columns(Numbers, index = NumberId))]
pub struct Number {
    /// INT, MINUS_ONLY_INT, FLOAT or MALFORMED.
    pub kind: TokenKind,
    /// The bits. [`UNREAD`] for a float that the host parses.
    pub value: u32,
}

/// The bits of a float that was not read: not a number, which no literal is.
pub const UNREAD: u32 = u32::MAX;

/// A number larger than every literal.
const LARGE: u64 = 1 << 40;

/// The powers of ten that an f32 represents.
const POWERS: [f32; 8] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];

/// The same powers as integers.
const INTEGER_POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Returns the number that the first `count` of eight bytes spell, at most seven.
#[device]
fn value_of(bytes: u64, count: u32) -> u64 {
    let digits = bytes << 8 << (56 - 8 * count) & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = digits.wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

#[device]
fn malformed() -> Number {
    Number { kind: TokenKind::Malformed, value: 0 }
}

/// Returns the first byte, from `at` on, that is not a digit.
#[device]
fn digits_end(at: u32, words: &[u64]) -> u32 {
    let mut at = at;
    let mut others = digit_mask(bytes_at(at, words)) ^ HIGH;
    while others == 0 {
        at += 8;
        others = digit_mask(bytes_at(at, words)) ^ HIGH;
    }
    at + (others.trailing_zeros() >> 3)
}

/// Returns whether a byte is the `e` of an exponent.
#[device]
fn is_exponent(byte: u8) -> bool {
    byte | (b'a' - b'A') == b'e'
}

/// Returns whether a byte is the sign of an exponent.
#[device]
pub fn is_sign(byte: u8) -> bool {
    (byte == b'+') | (byte == b'-')
}

/// Returns the end of a float whose digits after the point end at `at`; `at` if digits are missing in its exponent.
#[device]
fn exponent_end(at: u32, words: &[u64]) -> u32 {
    if !is_exponent(byte_at(at, words)) {
        return at;
    }
    let first = at + 1 + is_sign(byte_at(at + 1, words)) as u32;
    let end = digits_end(first, words);
    if end == first { at } else { end }
}

/// Returns the end of the float that begins at `start`.
#[device]
pub fn float_end(start: u32, words: &[u64]) -> u32 {
    exponent_end(digits_end(digits_end(start, words) + 1, words), words)
}

/// Returns whether a number can end before a byte.
#[device]
fn ends_at(at: u32, words: &[u64]) -> bool {
    let byte = byte_at(at, words);
    word_mask(byte as u64) & 0x80 == 0 && (byte != b'.' || is_range(at, words))
}

/// Returns the digit of a hexadecimal number, or 16 for another byte.
#[device]
fn hexadecimal_digit(byte: u8) -> u64 {
    match byte {
        b'0'..=b'9' => (byte - b'0') as u64,
        b'a'..=b'f' => (byte - b'a' + 10) as u64,
        b'A'..=b'F' => (byte - b'A' + 10) as u64,
        _ => 16,
    }
}

/// Returns the number whose hexadecimal digits begin at `first`.
#[device]
fn hexadecimal(first: u32, words: &[u64]) -> Number {
    let mut at = first;
    let mut value = 0u64;
    let mut digit = hexadecimal_digit(byte_at(at, words));
    while digit < 16 {
        value = (value << 4 | digit).min(LARGE);
        at += 1;
        digit = hexadecimal_digit(byte_at(at, words));
    }
    if at == first || value > 0xffff_ffff || !ends_at(at, words) {
        return malformed();
    }
    Number { kind: TokenKind::Int, value: value as u32 }
}

/// Returns a number that begins with eight digits, or a float that needs more than one division: one with many digits or
/// with an exponent.
#[device]
fn long_number(start: u32, words: &[u64]) -> Number {
    let end = digits_end(start, words);
    if byte_at(end, words) == b'.' && !is_range(end, words) {
        let last = digits_end(end + 1, words);
        if last == end + 1 || !ends_at(exponent_end(last, words), words) {
            return malformed();
        }
        return Number { kind: TokenKind::Float, value: UNREAD };
    }
    let mut value = 0u64;
    for at in start..end {
        value = (value * 10 + (byte_at(at, words) - b'0') as u64).min(LARGE);
    }
    if value > 0x8000_0000 || !ends_at(end, words) {
        return malformed();
    }
    Number { kind: if value == 0x8000_0000 { TokenKind::MinusOnlyInt } else { TokenKind::Int }, value: value as u32 }
}

/// Returns number `j`, which is token `token[j]`.
#[device(map)]
pub fn number(j: usize, token: &[u32], start: &[u32], words: &[u64]) -> Number {
    let start = start[token[j] as usize];
    let bytes = bytes_at(start, words);
    let others = digit_mask(bytes) ^ HIGH;
    if others == 0 {
        return long_number(start, words);
    }
    let end = lowest(others);
    let digits = others.trailing_zeros() >> 3;
    if word_mask(bytes) & end != 0 {
        let is_prefix = bytes & 0xffff == (b'x' as u64) << 8 | b'0' as u64;
        return if is_prefix { hexadecimal(start + 2, words) } else { malformed() };
    }
    let whole = value_of(bytes, digits);
    if !is_at(end, bytes, b'.') || is_range(start + digits, words) {
        return Number { kind: TokenKind::Int, value: whole as u32 };
    }
    let first = start + digits + 1;
    let bytes = bytes_at(first, words);
    let others = digit_mask(bytes) ^ HIGH;
    if others == 0 {
        return long_number(start, words);
    }
    let end = lowest(others);
    let digits = others.trailing_zeros() >> 3;
    if word_mask(bytes) & end != 0 {
        return long_number(start, words);
    }
    if digits == 0 || is_at(end, bytes, b'.') && !is_range(first + digits, words) {
        return malformed();
    }
    let mantissa = whole * INTEGER_POWERS[digits as usize] + value_of(bytes, digits);
    if mantissa >= 1 << 24 {
        return Number { kind: TokenKind::Float, value: UNREAD };
    }
    Number { kind: TokenKind::Float, value: (mantissa as f32 / POWERS[digits as usize]).to_bits() }
}

#[device(compact)]
fn is_number(t: TokenId, tokens: &Tokens) -> bool {
    tokens.kind[t] == TokenKind::Int
}

#[device(compact)]
fn is_unread(j: NumberId, numbers: &Numbers) -> bool {
    numbers.kind[j] == TokenKind::Float && numbers.value[j] == UNREAD
}

/// Returns the token, the first byte and the length of the number in row `unread[i]`, a float.
#[device(map)]
fn unread_text(i: usize, unread: &[u32], token: &[u32], start: &[u32], words: &[u64]) -> (u32, u32, u32) {
    let t = token[unread[i] as usize];
    let start = start[t as usize];
    (t, start, float_end(start, words) - start)
}

#[device(expand)]
fn unread_byte(i: usize, k: usize, start: &[u32], words: &[u64]) -> u8 {
    byte_at(start[i] + k as u32, words)
}

/// Returns 1 if the exponent of the float in token `token[i]` has a sign, so that a token begins inside the float.
#[device(reduce(Sum))]
fn is_divided(i: usize, token: &[u32], start: &[u32], words: &[u64]) -> u32 {
    let t = token[i] as usize;
    (float_end(start[t], words) > start[t + 1]) as u32
}

/// The numbers of a text, some of which only the host can read.
pub struct Read<B: Backend> {
    /// The token of each number.
    token: B::Vec<u32>,
    /// The rows of floats that are not read yet.
    unread: B::Vec<u32>,
}

/// The numbers that the host has read.
#[derive(Default)]
pub struct HostRead {
    /// Floats that are malformed.
    pub malformed: u32,
    /// Floats whose exponents have a sign.
    pub divided: u32,
}

/// Returns the tokens that are numbers.
pub fn number_tokens<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<B::Vec<u32>> {
    backend.compact(is_number::of(tokens))
}

/// Gives each number its kind and value, but for floats with many digits: these have their kind only.
pub fn numbers<B: Backend>(backend: &B, text: &Text<B>, token: B::Vec<u32>, tokens: &mut Tokens<B>) -> Result<Read<B>> {
    let numbers = backend.map(number::of(&token, &tokens.start, &text.words))?;
    let unread = backend.compact(is_unread::of(&numbers))?;
    backend.scatter(&mut tokens.kind, &token, &numbers.kind)?;
    backend.scatter(&mut tokens.value, &token, &numbers.value)?;
    Ok(Read { token, unread })
}

impl<B: Backend> Read<B> {
    /// Reads the other floats on the host. Malformed ones get that kind.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn rest(&self, backend: &B, text: &Text<B>, tokens: &mut Tokens<B>) -> Result<HostRead> {
        let Read { token, unread } = self;
        if unread.is_empty() {
            return Ok(HostRead::default());
        }
        let (token, start, length) = backend.map(unread_text::of(unread, token, &tokens.start, &text.words))?;
        let divided = backend.reduce_later(is_divided::of(&token, &tokens.start, &text.words), Sum)?;
        let (offsets, bytes) = backend.scan(ScanKind::Exclusive, &length, Sum)?;
        let bytes = backend.expand(&offsets, bytes as usize, unread_byte::of(&start, &text.words))?;
        let floats = floats(&backend.download(&offsets)?, &backend.download(&bytes)?);
        backend.scatter(&mut tokens.kind, &token, &backend.upload(&floats.kind)?)?;
        backend.scatter(&mut tokens.value, &token, &backend.upload(&floats.value)?)?;
        let malformed = floats.kind.iter().filter(|&&kind| kind == TokenKind::Malformed).count() as u32;
        Ok(HostRead { malformed, divided: divided.read()? })
    }
}

/// Parses floats on the host. Each begins at an offset and ends at the next, the last at the end of `bytes`.
fn floats(offsets: &[u32], bytes: &[u8]) -> HostNumbers {
    let ends = offsets.iter().skip(1).map(|&end| end as usize).chain([bytes.len()]);
    let texts = offsets.iter().zip(ends).map(|(&start, end)| std::str::from_utf8(&bytes[start as usize..end]));
    texts
        .map(|text| match text.ok().and_then(|text| text.parse::<f32>().ok()) {
            Some(value) if value.is_finite() => Number { kind: TokenKind::Float, value: value.to_bits() },
            _ => Number { kind: TokenKind::Malformed, value: 0 },
        })
        .collect()
}
