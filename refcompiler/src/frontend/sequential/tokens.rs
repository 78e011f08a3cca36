//! Bytes to tokens: names become numbers, digits become values, and bytes that are not tokens are reported.
//!
//! ```text
//! x = 0x10;      kind    NAME ASSIGN INT SEMICOLON END
//!                start   0    2      4   8         9
//!                length  1    1      4   1         0
//!                value   (id of x)   16
//! ```

use std::ops::Range;

use super::errors;
use super::lexer::{Lexeme, Token, lexeme, lexeme_after};
use super::names::Names;
use super::numbers::number;
use crate::diagnostics::Diagnostic;
use crate::source::BYTE_ORDER_MARK;

/// The length that stands for all longer ones.
const LONG: u8 = u8::MAX;

/// The tokens of one input as columns. The last token is [`Token::End`].
#[derive(Debug, Default)]
pub struct Tokens {
    /// The kind of each token.
    pub kind: Vec<Token>,
    /// The position of its first byte.
    pub start: Vec<u32>,
    /// The number of its bytes, at most [`LONG`]. One byte per token is enough for almost all.
    length: Vec<u8>,
    /// Index and length of each token with at least [`LONG`] bytes.
    long: Vec<(u32, u32)>,
    /// The id of a name, the bits of a number.
    pub value: Vec<u32>,
    /// The indices of the tokens `fn` of functions with names.
    pub functions: Vec<u32>,
}

impl Tokens {
    #[inline(always)]
    fn push(&mut self, kind: Token, span: Range<usize>, value: u32) {
        self.kind.push(kind);
        self.start.push(span.start as u32);
        let length = (span.end - span.start) as u32;
        if length >= u32::from(LONG) {
            self.long.push((self.kind.len() as u32 - 1, length));
        }
        self.length.push(length.min(u32::from(LONG)) as u8);
        self.value.push(value);
    }

    /// Returns whether a token `fn` begins a lambda: it has no name, and is where an operand begins.
    pub fn is_lambda(&self, token: usize) -> bool {
        let kind = |token: usize| self.kind.get(token).copied().unwrap_or(Token::End);
        let before = token.checked_sub(1).map_or(Token::End, kind);
        let is_operand = matches!(before, Token::LeftBracket | Token::LeftParen | Token::Comma | Token::Assign);
        kind(token) == Token::Fn && kind(token + 1) == Token::LeftBracket && is_operand
    }

    /// Returns the positions of a token.
    pub fn span(&self, token: usize) -> Range<u32> {
        let length = match self.length[token] {
            LONG => self.long[self.long.partition_point(|&(index, _)| (index as usize) < token)].1,
            length => u32::from(length),
        };
        self.start[token]..self.start[token] + length
    }
}

/// Returns the tokens of `text`, whose first byte has the position `base`.
pub fn tokens(text: &str, base: u32, names: &mut Names, errors: &mut Vec<Diagnostic>) -> Tokens {
    let (bytes, base) = (text.as_bytes(), base as usize);
    let mut tokens = Tokens::default();
    let expected = bytes.len() / 3 + 16;
    tokens.kind.reserve(expected);
    tokens.start.reserve(expected);
    tokens.length.reserve(expected);
    tokens.value.reserve(expected);
    let mut at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b' ' | b'\n') {
            at += 1;
            continue;
        }
        let (lexeme, end) = lexeme(bytes, at);
        let (begin, word) = (at, at..end);
        at = end;
        let place = || (base + begin) as u32..(base + end) as u32;
        let (kind, value) = match lexeme {
            Lexeme::Trivia => continue,
            Lexeme::Punctuation(token) => (token, 0),
            Lexeme::Word => match keyword(&bytes[word.clone()], || lexeme_after(bytes, end)) {
                None => (Token::Name, names.id(&bytes[word])),
                Some(keyword) => {
                    if keyword == Token::Fn {
                        tokens.functions.push(tokens.kind.len() as u32);
                    }
                    (keyword, 0)
                }
            },
            Lexeme::Number => number(&text[word.clone()]).unwrap_or_else(|error| {
                errors.push(errors::number(place(), &text[word], error));
                (Token::Malformed, 0)
            }),
            Lexeme::BlockComment => {
                errors.push(errors::block_comment(place().start));
                continue;
            }
            Lexeme::Text => {
                errors.push(errors::text_literal(place(), &text[word]));
                (Token::Malformed, 0)
            }
            Lexeme::Unknown => {
                errors.push(errors::unknown_characters(place(), &text[word]));
                (Token::Malformed, 0)
            }
        };
        tokens.push(kind, base + begin..base + end, value);
    }
    tokens.push(Token::End, base + bytes.len()..base + bytes.len(), 0);
    let mut functions = std::mem::take(&mut tokens.functions);
    functions.retain(|&function| !tokens.is_lambda(function as usize));
    tokens.functions = functions;
    tokens
}

/// Returns the keyword that a word is. `next` returns the lexeme after it.
fn keyword(word: &[u8], next: impl Fn() -> Option<Lexeme>) -> Option<Token> {
    Some(match word {
        b"fn" => Token::Fn,
        b"if" if next() == Some(Lexeme::Punctuation(Token::LeftBracket)) => Token::Choose,
        b"if" => Token::If,
        b"var" => Token::Var,
        b"int" => Token::IntType,
        b"for" if next() == Some(Lexeme::Word) => Token::For,
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
