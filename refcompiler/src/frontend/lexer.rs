//! The shape of tokens: a pure function from bytes to a kind and a length.
//!
//! Names are not interned, numbers are not converted, and nothing is reported here; see `tokens`.

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident $spelling:literal,)*) => {
        /// Kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Token { $($(#[$doc])* $name,)* }

        impl Token {
            /// Returns the text of a keyword, operator or bracket, and the empty text for other tokens.
            pub fn spelling(self) -> &'static str {
                match self { $(Token::$name => $spelling,)* }
            }
        }
    };
}

tokens! {
    Name "",
    /// An integer that `int` can hold, or a hexadecimal integer of 32 bits.
    Int "",
    /// The decimal integer 2147483648, which is valid only immediately after a unary minus.
    MinusOnlyInt "",
    Float "",
    /// Bytes that are not a token. The error was already reported.
    Malformed "",
    Fn "fn",
    If "if",
    Elif "elif",
    Else "else",
    While "while",
    Return "return",
    Var "var",
    IntType "int",
    FloatType "float",
    VoidType "void",
    Extern "extern",
    Plus "+",
    Minus "-",
    Star "*",
    Slash "/",
    Percent "%",
    And "&",
    Or "|",
    Xor "^",
    Tilde "~",
    Bang "!",
    Shl "<<",
    Shr ">>",
    Ushr ">>>",
    AndAnd "&&",
    OrOr "||",
    Eq "==",
    Ne "!=",
    Lt "<",
    Le "<=",
    Gt ">",
    Ge ">=",
    Assign "=",
    Colon ":",
    Semicolon ";",
    Comma ",",
    LeftParen "(",
    RightParen ")",
    LeftBracket "[",
    RightBracket "]",
    LeftBrace "{",
    RightBrace "}",
    /// The end of the file.
    End "",
}

/// The keywords of the language.
pub const KEYWORDS: [Token; 11] = [
    Token::Fn,
    Token::If,
    Token::Elif,
    Token::Else,
    Token::While,
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
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'~' | b'!' | b'<' | b'>' | b'=' | b':' | b';'
            | b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => PUNCTUATION,
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

/// Returns the token at the start of `bytes`, and its length.
#[inline]
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
        b'>' if next == b'>' && bytes.get(2) == Some(&b'>') => (Token::Ushr, 3),
        b'>' if next == b'>' => (Token::Shr, 2),
        _ => two(b'=', Token::Ge, Token::Gt),
    }
}

/// Returns the end of a number: letters, digits, and one point with the letters and digits after it.
fn number_end(bytes: &[u8], at: usize) -> usize {
    let end = skip(bytes, at, is_word);
    if bytes.get(end) == Some(&b'.') { skip(bytes, end + 1, is_word) } else { end }
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
