//! A position in the tokens of one file, and the errors that any part of the parser can report there.

use std::ops::Range;

use super::errors;
use super::lexer::Token;
use super::program::Program;
use super::sizes::Size;
use super::tokens::Tokens;
use crate::diagnostics::Diagnostic;

/// A construct had an error, which was reported. The rest of the construct was not read.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// A position in the tokens of one file.
pub struct Cursor<'a> {
    /// The program that the file belongs to.
    pub program: &'a mut Program,
    /// The tokens of the file.
    pub tokens: &'a Tokens,
    /// The text of the file.
    pub text: &'a str,
    /// The position of the first byte of `text`.
    pub base: u32,
    /// The index of the next token.
    pub at: usize,
    /// The first node of the innermost function.
    pub function: u32,
    /// The sizes in the type that was read last.
    pub sizes: Vec<Size>,
}

impl<'a> Cursor<'a> {
    /// Returns the start of a file, whose first byte has the position `base`.
    pub fn new(program: &'a mut Program, tokens: &'a Tokens, text: &'a str, base: u32) -> Self {
        Cursor { program, tokens, text, base, at: 0, function: 0, sizes: Vec::new() }
    }

    /// Returns the kind of the next token.
    #[inline]
    pub fn peek(&self) -> Token {
        self.tokens.kind[self.at]
    }

    /// Returns the kind of a token; the end of the file for an index after the last token.
    #[inline]
    pub fn kind(&self, token: usize) -> Token {
        self.tokens.kind.get(token).copied().unwrap_or(Token::End)
    }

    /// Returns the position of the next token.
    #[inline]
    pub fn pos(&self) -> u32 {
        self.tokens.start[self.at]
    }

    /// Moves past the next token, unless that is the end of the file.
    #[inline]
    pub fn advance(&mut self) {
        if self.at + 1 < self.tokens.kind.len() {
            self.at += 1;
        }
    }

    /// Returns the positions of a token.
    pub fn span(&self, token: usize) -> Range<u32> {
        self.tokens.span(token)
    }

    /// Returns the positions from the token `first` to the last token that was read.
    pub fn span_from(&self, first: usize) -> Range<u32> {
        self.span_between(first, self.at.saturating_sub(1))
    }

    /// Returns the positions from one token to another.
    pub fn span_between(&self, first: usize, last: usize) -> Range<u32> {
        self.span(first).start..self.span(last).end
    }

    /// Returns the source text of some positions in this file.
    pub fn source(&self, span: Range<u32>) -> &'a str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// Returns the text of a token.
    pub fn word(&self, token: usize) -> &'a str {
        self.source(self.span(token))
    }

    /// Returns whether no byte separates the token from the one after it.
    pub fn touches_next(&self, token: usize) -> bool {
        self.kind(token + 1) != Token::End && self.span(token).end == self.tokens.start[token + 1]
    }

    /// Returns whether a line ends between the token before the next one and the next one.
    pub fn is_first_in_line(&self) -> bool {
        self.at == 0 || self.source(self.span(self.at - 1).end..self.pos()).contains('\n')
    }

    /// Records an error.
    pub fn report(&mut self, error: Diagnostic) -> Reported {
        self.program.errors.push(error);
        Reported
    }

    /// Reports that the next token is not the expected one.
    pub fn unexpected(&mut self, expected: &str) -> Reported {
        self.unexpected_with(expected, |error| error)
    }

    /// Reports that the next token is not the expected one, with more to say about it.
    pub fn unexpected_with(&mut self, expected: &str, more: impl FnOnce(Diagnostic) -> Diagnostic) -> Reported {
        // A malformed token was already reported. It can hide the token that is missing.
        let malformed = |token: usize| self.kind(token) == Token::Malformed;
        if malformed(self.at) || self.at > 0 && malformed(self.at - 1) {
            return Reported;
        }
        let found = errors::describe(self.peek(), self.word(self.at));
        let error = errors::unexpected(self.span(self.at), expected, &found);
        self.report(more(error))
    }

    /// Moves past the next token if it is the expected one, and reports it otherwise.
    pub fn expect(&mut self, token: Token) -> Result<(), Reported> {
        if self.peek() == token {
            self.advance();
            return Ok(());
        }
        let expected = errors::describe(token, "");
        Err(self.unexpected(&expected))
    }

    /// Reads a `;`. If it is missing at the end of a line, parsing continues as if it were there.
    pub fn semicolon(&mut self, expected: &str) -> Result<(), Reported> {
        if self.peek() == Token::Semicolon {
            self.advance();
            return Ok(());
        }
        if self.peek() != Token::End && self.is_first_in_line() {
            let end = self.span(self.at.saturating_sub(1)).end;
            self.unexpected_with(expected, |error| Diagnostic { span: end..end, ..error });
            return Ok(());
        }
        Err(self.unexpected(expected))
    }

    /// Moves to a token that `stop` accepts, or to the end of the file. The `fn` of a lambda is passed.
    pub fn skip_to(&mut self, stop: impl Fn(Token) -> bool) {
        while self.peek() != Token::End && (!stop(self.peek()) || self.tokens.is_lambda(self.at)) {
            self.advance();
        }
    }
}
