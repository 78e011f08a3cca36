//! The value of a number.

use super::lexer::Token;

/// The reason why letters and digits are not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    Malformed,
    LargeInt,
    LargeHexadecimal,
    LargeFloat,
}

/// Returns the kind and the bits of a number.
pub fn number(text: &str) -> Result<(Token, u32), NumberError> {
    let bytes = text.as_bytes();
    if bytes.iter().all(u8::is_ascii_digit) {
        return decimal(text);
    }
    if let Some(digits) = text.strip_prefix("0x").filter(|digits| !digits.is_empty()) {
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NumberError::Malformed);
        }
        let significant = digits.trim_start_matches('0');
        if significant.len() > 8 {
            return Err(NumberError::LargeHexadecimal);
        }
        return Ok((Token::Int, u32::from_str_radix(significant, 16).unwrap_or(0)));
    }
    match text.split_once('.') {
        Some((whole, rest)) if is_digits(whole) && is_fraction(rest) => match text.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok((Token::Float, value.to_bits())),
            _ => Err(NumberError::LargeFloat),
        },
        _ => Err(NumberError::Malformed),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text can follow the point of a float: digits, and perhaps an exponent.
fn is_fraction(text: &str) -> bool {
    match text.split_once(['e', 'E']) {
        Some((fraction, exponent)) => {
            is_digits(fraction) && is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
        }
        None => is_digits(text),
    }
}

fn decimal(text: &str) -> Result<(Token, u32), NumberError> {
    // Nine digits always fit. More digits are rare.
    if text.len() <= 9 {
        return Ok((Token::Int, text.bytes().fold(0, |value, byte| value * 10 + u32::from(byte - b'0'))));
    }
    match text.trim_start_matches('0') {
        "" => Ok((Token::Int, 0)),
        significant => match significant.parse::<u64>() {
            Ok(value) if value <= 0x7fff_ffff => Ok((Token::Int, value as u32)),
            Ok(0x8000_0000) => Ok((Token::MinusOnlyInt, 0x8000_0000)),
            _ => Err(NumberError::LargeInt),
        },
    }
}
