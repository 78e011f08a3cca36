//! Numbers in decimal notation, eight digits at once.

use super::{HIGH, LOW, bytes_at, first, repeated};
use crate::device::device;

/// The number of digits that are read at once, as a factor.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Returns the number of decimal digits before the first other byte, at most 8.
///
/// ```
/// use treepar::text::leading_digits;
/// assert_eq!(leading_digits(u64::from_le_bytes(*b"1234,678")), 4);
/// ```
#[device]
pub fn leading_digits(bytes: u64) -> u32 {
    // A digit becomes a number of at most 9, and other bytes of 7 bits become more.
    let numbers = bytes ^ repeated(b'0');
    first(((numbers & LOW).wrapping_add(repeated(118)) | numbers) & HIGH)
}

/// Returns the number that the first `digits` of eight bytes are. They must be digits.
///
/// ```
/// use treepar::text::number_of;
/// assert_eq!(number_of(u64::from_le_bytes(*b"1234,678"), 4), 1234);
/// ```
#[device]
pub fn number_of(bytes: u64, digits: u32) -> u64 {
    if digits == 0 {
        return 0;
    }
    // Zeros before the first digit. Then digits become pairs, fours and eight.
    let digit = bytes.wrapping_shl(64 - 8 * digits) & 0x0f0f_0f0f_0f0f_0f0f;
    let pair = digit.wrapping_mul(10).wrapping_add(digit >> 8) & 0x00ff_00ff_00ff_00ff;
    let four = pair.wrapping_mul(100).wrapping_add(pair >> 16) & 0x0000_ffff_0000_ffff;
    four.wrapping_mul(10_000).wrapping_add(four >> 32) & 0xffff_ffff
}

/// Returns the whole number from byte `start` on, modulo 2^64; 0 if there is no digit.
///
/// ```
/// use treepar::{Cpu, text};
/// let text = text::upload(&Cpu::new(), b"x = 1234567890123;")?;
/// assert_eq!((text::number_at(&text, 4), text::number_at(&text, 0)), (1_234_567_890_123, 0));
/// # Ok::<(), treepar::Error>(())
/// ```
#[device]
pub fn number_at(text: &[u64], start: usize) -> u64 {
    let mut at = start;
    let mut bytes = bytes_at(text, at);
    let mut digits = leading_digits(bytes);
    let mut number = 0u64;
    while digits == 8 {
        number = number.wrapping_mul(EIGHT_DIGITS).wrapping_add(number_of(bytes, 8));
        at += 8;
        bytes = bytes_at(text, at);
        digits = leading_digits(bytes);
    }
    if at == start {
        return number_of(bytes, digits);
    }
    for k in 0..digits {
        number = number.wrapping_mul(10).wrapping_add((bytes.wrapping_shr(8 * k) & 0xff) - b'0' as u64);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cpu, text};

    #[test]
    fn digits_end_at_every_other_byte() {
        for end in 0..8 {
            for other in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                let mut bytes = *b"90123456";
                bytes[end] = other;
                bytes[end + 1..].fill(b'7');
                assert_eq!(leading_digits(u64::from_le_bytes(bytes)) as usize, end, "{other}");
            }
        }
        assert_eq!(leading_digits(u64::from_le_bytes(*b"01234567")), 8);
    }

    #[test]
    fn numbers_of_all_lengths_are_read_at_any_alignment() {
        let cpu = Cpu::with_threads(1);
        let mut number = 7_295_814_603_u64;
        for length in 0..40 {
            number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let digits: String = (0..length).map(|k| (b'0' + (number >> k & 0xff) as u8 % 10) as char).collect();
            let expected =
                digits.bytes().fold(0u64, |sum, digit| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')));
            for before in 0..9 {
                for after in ["", "x", "/", ":", "\0", "\u{ff}1"] {
                    let written = format!("{}{digits}{after}", " ".repeat(before));
                    let column = text::upload(&cpu, written.as_bytes()).unwrap();
                    assert_eq!(number_at(&column, before), expected, "{written}");
                }
            }
        }
    }
}
