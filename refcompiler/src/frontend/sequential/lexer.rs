//! The shape of tokens: a pure function from bytes to a kind and a length.
//!
//! Names are not interned, numbers are not converted, and nothing is reported here; see `tokens`.

pub use crate::ir::tokens::TokenKind as Token;

/// The keywords of the language.
pub const KEYWORDS: [Token; 12] = [
    Token::Fn,
    Token::If,
    Token::Elif,
    Token::Else,
    Token::While,
    Token::For,
    Token::Return,
    Token::Var,
    Token::IntType,
    Token::FloatType,
    Token::VoidType,
    Token::Extern,
];

/// The shape of the bytes at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexeme {
    /// A space or a comment to the end of the line.
    Trivia,
    /// A name or keyword.
    Word,
    /// A number, or letters and digits that begin like one.
    Number,
    /// An operator or bracket.
    Punctuation(Token),
    /// A comment between `/*` and `*/`, which the language does not have.
    BlockComment,
    /// Bytes between quotes, which the language does not have; to the end of the line if the second quote is missing.
    Text,
    /// Bytes that no token contains.
    Unknown,
}

/// Classes of bytes.
const OTHER: u8 = 0;
const SPACE: u8 = 1;
const LETTER: u8 = 2;
const DIGIT: u8 = 3;
const PUNCTUATION: u8 = 4;
const QUOTE: u8 = 5;

const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        class[i] = match i as u8 {
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT,
            byte if !matches!(ALONE[byte as usize], Token::Malformed) => PUNCTUATION,
            b'"' | b'\'' => QUOTE,
            _ => OTHER,
        };
        i += 1;
    }
    class
};

/// Returns the first offset, from `at` on, of a byte that is not accepted.
#[inline]
fn skip(bytes: &[u8], mut at: usize, accepted: impl Fn(u8) -> bool) -> usize {
    while bytes.get(at).is_some_and(|&byte| accepted(byte)) {
        at += 1;
    }
    at
}

fn is_word(byte: u8) -> bool {
    matches!(CLASS[byte as usize], LETTER | DIGIT)
}

/// Returns the lexeme that begins at an offset inside `bytes`, and the offset of its end.
#[inline]
pub fn lexeme(bytes: &[u8], at: usize) -> (Lexeme, usize) {
    match CLASS[bytes[at] as usize] {
        SPACE => (Lexeme::Trivia, at + 1),
        LETTER => {
            let end = skip(bytes, at + 1, is_word);
            // A letter outside ASCII continues the word that a person sees.
            if bytes.get(end).is_some_and(|byte| !byte.is_ascii()) { unknown(bytes, at) } else { (Lexeme::Word, end) }
        }
        DIGIT => (Lexeme::Number, number_end(bytes, at)),
        PUNCTUATION if bytes[at] == b'/' && bytes.get(at + 1) == Some(&b'/') => {
            (Lexeme::Trivia, skip(bytes, at, |byte| byte != b'\n'))
        }
        PUNCTUATION if bytes[at] == b'/' && bytes.get(at + 1) == Some(&b'*') => {
            let rest = &bytes[at + 2..];
            let end = rest.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |found| found + 2);
            (Lexeme::BlockComment, at + 2 + end)
        }
        PUNCTUATION => {
            let (token, length) = punctuation(&bytes[at..]);
            (Lexeme::Punctuation(token), at + length)
        }
        QUOTE => (Lexeme::Text, text_end(bytes, at)),
        _ => unknown(bytes, at),
    }
}

/// Returns the lexeme that follows the spaces and comments at an offset, if there is one.
pub fn lexeme_after(bytes: &[u8], mut at: usize) -> Option<Lexeme> {
    while at < bytes.len() {
        match lexeme(bytes, at) {
            (Lexeme::Trivia, end) => at = end,
            (lexeme, _) => return Some(lexeme),
        }
    }
    None
}

/// Returns the token at the start of `bytes`, and its length.
#[inline]
fn punctuation(bytes: &[u8]) -> (Token, usize) {
    let first = bytes[0] as usize;
    let (begin, end) = LONGER_OF[first];
    if begin < end {
        let byte = |k: usize| bytes.get(k).copied().unwrap_or(0);
        let found = u32::from_le_bytes([bytes[0], byte(1), byte(2), byte(3)]);
        for longer in &LONGER[begin as usize..end as usize] {
            if found & longer.mask == longer.bytes {
                return (longer.token, longer.length as usize);
            }
        }
    }
    (ALONE[first], 1)
}

/// Returns whether a token is an operator or bracket.
const fn is_punctuation(token: Token) -> bool {
    !token.spelling().is_empty() && !token.spelling().as_bytes()[0].is_ascii_alphabetic()
}

/// The token of each single byte, and [`Token::Malformed`] if there is none.
const ALONE: [Token; 256] = {
    let mut alone = [Token::Malformed; 256];
    let mut i = 0;
    while i < Token::COUNT {
        let spelling = Token::ALL[i].spelling().as_bytes();
        if is_punctuation(Token::ALL[i]) && spelling.len() == 1 {
            alone[spelling[0] as usize] = Token::ALL[i];
        }
        i += 1;
    }
    alone
};

/// An operator of two to four bytes.
#[derive(Clone, Copy)]
struct Longer {
    token: Token,
    length: u8,
    /// The spelling, with its first byte in the low bits.
    bytes: u32,
    /// The bits of `bytes` that the spelling has.
    mask: u32,
}

/// The number of operators with more than one byte.
const LONGER_COUNT: usize = {
    let (mut count, mut i) = (0, 0);
    while i < Token::COUNT {
        count += (is_punctuation(Token::ALL[i]) && Token::ALL[i].spelling().len() > 1) as usize;
        i += 1;
    }
    count
};

/// The operators with more than one byte by their first byte, long before short; and the range of each first byte.
const LONGER_BY_BYTE: ([Longer; LONGER_COUNT], [(u8, u8); 256]) = {
    let mut longer = [Longer { token: Token::Malformed, length: 0, bytes: 0, mask: 0 }; LONGER_COUNT];
    let mut ranges = [(0, 0); 256];
    let (mut count, mut i) = (0, 0);
    while i < Token::COUNT {
        let spelling = Token::ALL[i].spelling().as_bytes();
        if is_punctuation(Token::ALL[i]) && spelling.len() > 1 {
            assert!(
                !matches!(ALONE[spelling[0] as usize], Token::Malformed),
                "the first byte of an operator is a token"
            );
            let (mut bytes, mut k) = (0, 0);
            while k < spelling.len() {
                bytes |= (spelling[k] as u32) << (8 * k);
                k += 1;
            }
            let mask = u32::MAX >> (32 - 8 * spelling.len());
            let mut at = count;
            while at > 0 && comes_after(longer[at - 1], bytes, spelling.len()) {
                longer[at] = longer[at - 1];
                at -= 1;
            }
            longer[at] = Longer { token: Token::ALL[i], length: spelling.len() as u8, bytes, mask };
            count += 1;
        }
        i += 1;
    }
    let mut k = 0;
    while k < count {
        let (begin, end) = &mut ranges[longer[k].bytes as usize & 0xff];
        if *end == 0 {
            *begin = k as u8;
        }
        *end = k as u8 + 1;
        k += 1;
    }
    assert!(count == LONGER_COUNT, "an operator has at most four bytes");
    (longer, ranges)
};

/// Returns whether an operator comes after one with these bytes: by its first byte, then the shorter one.
const fn comes_after(operator: Longer, bytes: u32, length: usize) -> bool {
    let (own, other) = (operator.bytes & 0xff, bytes & 0xff);
    own > other || own == other && (operator.length as usize) < length
}

static LONGER: [Longer; LONGER_COUNT] = LONGER_BY_BYTE.0;
static LONGER_OF: [(u8, u8); 256] = LONGER_BY_BYTE.1;

/// Returns the end of a number: letters, digits, and one point with the letters and digits after it. Two points are a token of
/// their own. The sign of an exponent continues a number, also if the number has no point, which is an error.
fn number_end(bytes: &[u8], at: usize) -> usize {
    let mut digits = at;
    let mut end = skip(bytes, at, is_word);
    let is_whole = bytes[at..end].iter().all(u8::is_ascii_digit);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        digits = end + 1;
        end = skip(bytes, digits, is_word);
    }
    let has_sign = matches!(bytes.get(end), Some(b'+' | b'-'))
        && (is_whole || digits == at)
        && is_open_exponent(&bytes[digits..end]);
    if has_sign { skip(bytes, end + 1, is_word) } else { end }
}

/// Returns whether letters and digits are digits and the `e` of an exponent.
fn is_open_exponent(word: &[u8]) -> bool {
    let digits = word.strip_suffix(b"e").or(word.strip_suffix(b"E")).unwrap_or_default();
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Returns the end of the text whose first quote is at `at`. A backslash escapes the byte that follows it.
fn text_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end).filter(|&&byte| byte != b'\n') {
        end += 1;
        if byte == bytes[at] {
            return end;
        }
        if byte == b'\\' && bytes.get(end).is_some_and(|&escaped| escaped != b'\n') {
            end += 1;
        }
    }
    end
}

/// Returns the end of bytes that no token contains. Letters next to letters outside ASCII belong to them.
fn unknown(bytes: &[u8], at: usize) -> (Lexeme, usize) {
    let first = bytes[at..bytes.len().min(at + 4)].utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    let is_name = first.is_some_and(|first| first == '_' || first.is_alphanumeric());
    let end = skip(bytes, at, |byte| CLASS[byte as usize] == OTHER || is_name && is_word(byte));
    (Lexeme::Unknown, end)
}
