//! Bytes to tokens.
//!
//! ```text
//! x = 0x10;      kind   NAME ASSIGN INT SEMICOLON END
//!                start  0    2      4   8         9
//!                value  (id of x)   16
//! ```
//!
//! One pass over the bytes with a table of what each can begin; names become numbers on the way, so that all that
//! follows compares numbers.

use super::names::Names;
use crate::diagnostics::{Code, Diagnostic};

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Token {
    Name,
    /// A decimal or hexadecimal integer; its value are its bits.
    Int,
    /// 2147483648 in decimal, which is an int only right under a unary minus.
    MinusOnlyInt,
    Float,
    /// A number with an error, already reported.
    BadNumber,
    Fn,
    If,
    Elif,
    Else,
    While,
    Return,
    Var,
    IntType,
    FloatType,
    VoidType,
    Extern,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    And,
    Or,
    Xor,
    Tilde,
    Bang,
    Shl,
    Shr,
    Ushr,
    AndAnd,
    OrOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Assign,
    Colon,
    Semicolon,
    Comma,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    End,
}

impl Token {
    /// How a message names the token.
    pub fn describe(self) -> &'static str {
        match self {
            Token::Name => "a name",
            Token::Int | Token::MinusOnlyInt | Token::Float | Token::BadNumber => "a number",
            Token::Fn => "`fn`",
            Token::If => "`if`",
            Token::Elif => "`elif`",
            Token::Else => "`else`",
            Token::While => "`while`",
            Token::Return => "`return`",
            Token::Var => "`var`",
            Token::IntType => "`int`",
            Token::FloatType => "`float`",
            Token::VoidType => "`void`",
            Token::Extern => "`extern`",
            Token::Plus => "`+`",
            Token::Minus => "`-`",
            Token::Star => "`*`",
            Token::Slash => "`/`",
            Token::Percent => "`%`",
            Token::And => "`&`",
            Token::Or => "`|`",
            Token::Xor => "`^`",
            Token::Tilde => "`~`",
            Token::Bang => "`!`",
            Token::Shl => "`<<`",
            Token::Shr => "`>>`",
            Token::Ushr => "`>>>`",
            Token::AndAnd => "`&&`",
            Token::OrOr => "`||`",
            Token::Eq => "`==`",
            Token::Ne => "`!=`",
            Token::Lt => "`<`",
            Token::Le => "`<=`",
            Token::Gt => "`>`",
            Token::Ge => "`>=`",
            Token::Assign => "`=`",
            Token::Colon => "`:`",
            Token::Semicolon => "`;`",
            Token::Comma => "`,`",
            Token::LeftParen => "`(`",
            Token::RightParen => "`)`",
            Token::LeftBracket => "`[`",
            Token::RightBracket => "`]`",
            Token::LeftBrace => "`{`",
            Token::RightBrace => "`}`",
            Token::End => "the end of the file",
        }
    }
}

/// The tokens of one input as columns; the last is [`Token::End`].
#[derive(Debug, Default)]
pub struct Tokens {
    /// Kind of each token.
    pub kind: Vec<Token>,
    /// Position of its first byte.
    pub start: Vec<u32>,
    /// Id of a name, bits of a number.
    pub value: Vec<u32>,
    /// Tokens that are `fn`, by index.
    pub functions: Vec<u32>,
}

impl Tokens {
    fn push(&mut self, kind: Token, start: usize, value: u32) {
        self.kind.push(kind);
        self.start.push(start as u32);
        self.value.push(value);
    }
}

/// Classes of bytes.
const OTHER: u8 = 0;
const SPACE: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 3;
const PUNCTUATION: u8 = 4;

const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        class[i] = match b {
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'~' | b'!' | b'<' | b'>' | b'=' | b':' | b';'
            | b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => PUNCTUATION,
            _ => OTHER,
        };
        i += 1;
    }
    class
};

fn is_word(b: u8) -> bool {
    matches!(CLASS[b as usize], LETTER | DIGIT)
}

/// Cuts `text`, whose first byte has position `base`, into tokens.
pub fn lex(text: &str, base: u32, names: &mut Names, errors: &mut Vec<Diagnostic>) -> Tokens {
    let bytes = text.as_bytes();
    let base = base as usize;
    let mut tokens = Tokens::default();
    let expected = bytes.len() / 3 + 16;
    tokens.kind.reserve(expected);
    tokens.start.reserve(expected);
    tokens.value.reserve(expected);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let begin = at;
        match CLASS[byte as usize] {
            SPACE => at += 1,
            LETTER => {
                at += 1;
                while bytes.get(at).is_some_and(|&b| is_word(b)) {
                    at += 1;
                }
                let word = &bytes[begin..at];
                match keyword(word) {
                    Some(Token::Fn) => {
                        tokens.functions.push(tokens.kind.len() as u32);
                        tokens.push(Token::Fn, base + begin, 0);
                    }
                    Some(keyword) => tokens.push(keyword, base + begin, 0),
                    None => tokens.push(Token::Name, base + begin, names.id(word)),
                }
            }
            DIGIT => {
                at = number_end(bytes, begin);
                let (kind, value) = number(&text[begin..at], (base + begin) as u32, errors);
                tokens.push(kind, base + begin, value);
            }
            PUNCTUATION => {
                if byte == b'/' && bytes.get(at + 1) == Some(&b'/') {
                    while bytes.get(at).is_some_and(|&b| b != b'\n') {
                        at += 1;
                    }
                } else {
                    let (kind, length) = punctuation(&bytes[at..]);
                    tokens.push(kind, base + begin, 0);
                    at += length;
                }
            }
            _ => {
                while bytes.get(at).is_some_and(|&b| CLASS[b as usize] == OTHER) {
                    at += 1;
                }
                errors.push(unknown(&text[begin..at], (base + begin) as u32));
            }
        }
    }
    tokens.push(Token::End, base + bytes.len(), 0);
    tokens
}

fn unknown(text: &str, at: u32) -> Diagnostic {
    let shown: String = text.chars().take(20).collect();
    let what = if text.chars().count() == 1 { "unknown character" } else { "unknown characters" };
    Diagnostic::new(Code::UnknownCharacter, at..at + text.len() as u32, format!("{what} `{}`", shown.escape_debug()))
        .label("not part of any token")
        .help("outside comments a program is written in ASCII: names, numbers, operators and brackets")
}

fn keyword(word: &[u8]) -> Option<Token> {
    Some(match word {
        b"fn" => Token::Fn,
        b"if" => Token::If,
        b"var" => Token::Var,
        b"int" => Token::IntType,
        b"elif" => Token::Elif,
        b"else" => Token::Else,
        b"void" => Token::VoidType,
        b"while" => Token::While,
        b"float" => Token::FloatType,
        b"return" => Token::Return,
        b"extern" => Token::Extern,
        _ => return None,
    })
}

/// The token at the begin of `bytes`, which is no comment, and its length.
fn punctuation(bytes: &[u8]) -> (Token, usize) {
    let next = bytes.get(1).copied().unwrap_or(0);
    let one = |kind| (kind, 1);
    let two = |byte, long, short| if next == byte { (long, 2) } else { (short, 1) };
    match bytes[0] {
        b'+' => one(Token::Plus),
        b'-' => one(Token::Minus),
        b'*' => one(Token::Star),
        b'/' => one(Token::Slash),
        b'%' => one(Token::Percent),
        b'^' => one(Token::Xor),
        b'~' => one(Token::Tilde),
        b':' => one(Token::Colon),
        b';' => one(Token::Semicolon),
        b',' => one(Token::Comma),
        b'(' => one(Token::LeftParen),
        b')' => one(Token::RightParen),
        b'[' => one(Token::LeftBracket),
        b']' => one(Token::RightBracket),
        b'{' => one(Token::LeftBrace),
        b'}' => one(Token::RightBrace),
        b'&' => two(b'&', Token::AndAnd, Token::And),
        b'|' => two(b'|', Token::OrOr, Token::Or),
        b'!' => two(b'=', Token::Ne, Token::Bang),
        b'=' => two(b'=', Token::Eq, Token::Assign),
        b'<' if next == b'<' => (Token::Shl, 2),
        b'<' => two(b'=', Token::Le, Token::Lt),
        b'>' if next == b'>' => {
            if bytes.get(2) == Some(&b'>') {
                (Token::Ushr, 3)
            } else {
                (Token::Shr, 2)
            }
        }
        _ => two(b'=', Token::Ge, Token::Gt),
    }
}

/// Where the number that begins at `begin` ends: after all letters, digits and a point between digits.
fn number_end(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin;
    while bytes.get(at).is_some_and(|&b| is_word(b)) {
        at += 1;
    }
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        while bytes.get(at).is_some_and(|&b| is_word(b)) {
            at += 1;
        }
    }
    at
}

/// The kind and bits of a number.
fn number(text: &str, at: u32, errors: &mut Vec<Diagnostic>) -> (Token, u32) {
    let span = at..at + text.len() as u32;
    let bytes = text.as_bytes();
    if bytes.iter().all(u8::is_ascii_digit) {
        // Nine digits fit; more are rare, so that they may be slow.
        if bytes.len() <= 9 {
            return (Token::Int, bytes.iter().fold(0, |value, &b| value * 10 + u32::from(b - b'0')));
        }
        return match text.trim_start_matches('0').parse::<u64>() {
            Ok(value) if value <= 0x7fff_ffff => (Token::Int, value as u32),
            Ok(0x8000_0000) => (Token::MinusOnlyInt, 0x8000_0000),
            _ if text.bytes().all(|b| b == b'0') => (Token::Int, 0),
            _ => {
                errors.push(too_large_int(text, span));
                (Token::BadNumber, 0)
            }
        };
    }
    let hexadecimal = text.strip_prefix("0x").filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_hexdigit()));
    if let Some(digits) = hexadecimal {
        let significant = digits.trim_start_matches('0');
        if significant.len() <= 8 {
            return (Token::Int, u32::from_str_radix(significant, 16).unwrap_or(0));
        }
        errors.push(
            Diagnostic::new(Code::NumberTooLarge, span, format!("integer `{}` is too large", shown(text)))
                .label("more than 32 bits")
                .help("the largest hexadecimal integer is 0xffffffff"),
        );
        return (Token::BadNumber, 0);
    }
    if let Some((whole, fraction)) = text.split_once('.') {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if digits(whole) && digits(fraction) {
            return match text.parse::<f32>() {
                Ok(value) if value.is_finite() => (Token::Float, value.to_bits()),
                _ => {
                    errors.push(
                        Diagnostic::new(Code::NumberTooLarge, span, format!("float `{}` is too large", shown(text)))
                            .label("rounds to infinity")
                            .help("the largest float is 340282346638528859811704183484516925440.0"),
                    );
                    (Token::BadNumber, 0)
                }
            };
        }
    }
    errors.push(
        Diagnostic::new(Code::MalformedNumber, span, format!("malformed number `{}`", shown(text)))
            .label("expected digits, `0x` and hexadecimal digits, or digits, `.` and digits"),
    );
    (Token::BadNumber, 0)
}

/// The error of a decimal integer beyond 31 bits.
pub fn too_large_int(text: &str, span: std::ops::Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::NumberTooLarge, span, format!("integer `{}` is too large", shown(text)))
        .label("more than 2147483647")
        .help("decimal integers run to 2147483647, and to 2147483648 right under a unary `-`; hexadecimal ones to 0xffffffff")
}

fn shown(text: &str) -> String {
    if text.len() <= 40 { text.to_string() } else { format!("{}...", text.chars().take(40).collect::<String>()) }
}
