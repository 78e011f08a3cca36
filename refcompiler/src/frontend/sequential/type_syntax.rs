//! Tokens to types: `int`, `[t]`, `(t, u)` and the names of structs. Open brackets are on a stack, so that deep nesting needs
//! only heap.

use std::ops::Range;

use super::advice;
use super::array_errors;
use super::composites::Limit;
use super::cursor::{Cursor, Reported};
use super::errors;
use super::functional_errors;
use super::lexer::Token;
use super::struct_errors;
use super::types::{ERROR, type_of};
use crate::ir::tree::ty;

/// Brackets of a type that are open. `first` is the index of the first.
enum Open {
    /// Brackets of an array, one for each dimension.
    Array { first: usize, rank: usize },
    /// The parenthesis of a tuple, whose parts begin at an index of a list.
    Tuple { first: usize, parts: usize },
}

/// The types that only elements and fields have. Their names are not keywords.
const NARROW: [(&str, u8); 2] = [("byte", ty::BYTE), ("short", ty::SHORT)];

/// Returns whether a type that does not begin with a name begins with a token.
pub fn begins_type(token: Token) -> bool {
    matches!(token, Token::LeftBracket | Token::LeftParen) || type_of(token).is_some()
}

impl Cursor<'_> {
    /// Reads the type of a variable or parameter. `owner` names its owner in messages.
    pub fn value_type(&mut self, owner: &str) -> Result<u8, Reported> {
        let found = self.any_type("a type: `int` or `float`")?;
        if found == ty::VOID {
            self.report(errors::void_type(self.span(self.at - 1), owner));
            return Ok(ERROR);
        }
        Ok(found)
    }

    /// Reads the type of a field, which can be a narrow one.
    pub fn field_type(&mut self) -> Result<u8, Reported> {
        match self.narrow_here() {
            Some(narrow) => {
                self.advance();
                Ok(narrow)
            }
            None => self.value_type("a field"),
        }
    }

    /// Reads a type. An unknown name is reported and then stands for any type.
    pub fn any_type(&mut self, expected: &str) -> Result<u8, Reported> {
        self.sizes.clear();
        let star = self.at;
        if self.peek() == Token::Star {
            self.unexpected_with(expected, array_errors::unique_outside_head);
            while self.peek() == Token::Star {
                self.advance();
            }
        }
        match self.peek() {
            Token::LeftBracket | Token::LeftParen => self.nested_type(),
            Token::Name if self.narrow_here().is_some() => {
                let error = array_errors::narrow_value(self.span(self.at), self.word(self.at));
                self.report(error);
                self.advance();
                Ok(ERROR)
            }
            Token::Name if !self.is_first_in_line() || self.struct_here().is_some() => Ok(self.element_type()),
            token if type_of(token).is_some() => Ok(self.element_type()),
            Token::Fn if self.kind(self.at + 1) == Token::LeftBracket => {
                self.unexpected_with(expected, functional_errors::function_type);
                self.skip_function_type();
                Ok(ERROR)
            }
            _ if self.at > star => Err(Reported),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Skips `fn[x: T]: U`, which was reported, so that the next tokens are read as if this were a type.
    fn skip_function_type(&mut self) {
        while self.peek() == Token::Fn {
            self.advance();
            self.skip_nested();
            if self.peek() == Token::Colon {
                self.advance();
            }
        }
        if self.peek() == Token::Name || type_of(self.peek()).is_some() {
            self.advance();
        } else if matches!(self.peek(), Token::LeftBracket | Token::LeftParen) {
            self.skip_nested();
        }
    }

    /// Skips a bracket with all that is in it, if one comes next.
    fn skip_nested(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.peek() {
                Token::LeftBracket | Token::LeftParen => depth += 1,
                Token::RightBracket | Token::RightParen if depth > 0 => depth -= 1,
                Token::LeftBrace | Token::RightBrace | Token::Semicolon | Token::End => return,
                _ => {}
            }
            if depth == 0 && !matches!(self.peek(), Token::RightBracket | Token::RightParen) {
                return;
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Returns whether a token is the name of a struct.
    pub fn is_struct(&self, token: usize) -> bool {
        self.kind(token) == Token::Name && self.program.types.named(self.tokens.value[token]).is_some()
    }

    /// Returns whether a token is the name of a type.
    pub fn is_type_name(&self, token: usize) -> bool {
        self.kind(token) == Token::Name && (self.narrow(token).is_some() || self.is_struct(token))
    }

    /// Returns the narrow type that a token names. A struct may have its name.
    fn narrow(&self, token: usize) -> Option<u8> {
        let is_struct = || self.program.types.named(self.tokens.value[token]).is_some();
        NARROW.into_iter().find(|&(name, _)| self.word(token) == name && !is_struct()).map(|(_, ty)| ty)
    }

    /// Returns the narrow type that the next token names.
    fn narrow_here(&self) -> Option<u8> {
        if self.peek() == Token::Name { self.narrow(self.at) } else { None }
    }

    /// Returns the struct whose name is the next token.
    fn struct_here(&self) -> Option<u8> {
        self.program.types.named(self.tokens.value[self.at]).filter(|_| self.peek() == Token::Name)
    }

    /// Reads the name of a type, which is the next token.
    fn element_type(&mut self) -> u8 {
        let known = type_of(self.peek()).or_else(|| self.struct_here()).or_else(|| self.narrow_here());
        let found = known.unwrap_or_else(|| {
            let structs = self.program.types.declared().iter().map(|&(name, _)| self.program.names.text(name));
            let similar = advice::similar_type(self.word(self.at), structs);
            let error = errors::unknown_type(self.span(self.at), self.word(self.at), similar);
            self.report(error);
            ERROR
        });
        if found >= 8 && self.program.types.has_arrays(found) {
            self.program.arrays = true;
        }
        self.advance();
        found
    }

    /// Reads a type that begins with a bracket.
    fn nested_type(&mut self) -> Result<u8, Reported> {
        let (mut open, mut parts) = (Vec::new(), Vec::new());
        loop {
            let mut found = match self.peek() {
                Token::LeftBracket => {
                    let first = self.at;
                    while self.peek() == Token::LeftBracket {
                        self.advance();
                    }
                    open.push(Open::Array { first, rank: self.at - first });
                    continue;
                }
                Token::LeftParen => {
                    open.push(Open::Tuple { first: self.at, parts: parts.len() });
                    self.advance();
                    continue;
                }
                token if token == Token::Name || type_of(token).is_some() => self.element_type(),
                _ => return self.missing_element(&open),
            };
            loop {
                match open.last() {
                    None => return Ok(found),
                    Some(&Open::Array { first, rank }) => {
                        let Some(array) = self.close_array(found, first, rank, open.len() > 1) else {
                            return if open.len() == 1 { Ok(ERROR) } else { Err(Reported) };
                        };
                        found = array;
                    }
                    Some(&Open::Tuple { first, parts: begin }) => {
                        parts.push(self.part_type(found));
                        match self.peek() {
                            Token::Comma => break,
                            Token::RightParen => {}
                            _ => {
                                let open = self.span(first);
                                let more = |error| errors::unclosed_bracket(error, open);
                                return Err(self.unexpected_with("`,` or `)`", more));
                            }
                        }
                        found = self.close_tuple(first, &parts[begin..]);
                        parts.truncate(begin);
                    }
                }
                open.pop();
            }
            self.advance();
        }
    }

    /// Reports a type that is missing in brackets.
    fn missing_element(&mut self, open: &[Open]) -> Result<u8, Reported> {
        match open {
            [.., Open::Tuple { .. }] => Err(self.unexpected("a type")),
            [.., Open::Array { first, rank }] => {
                let help = array_errors::help_for_type("int");
                self.unexpected_with("a type: `int` or `float`", |error| error.help(help));
                let is_outermost = open.len() == 1 && self.at == first + rank;
                if is_outermost { Ok(self.rest_of_type(*rank)) } else { Err(Reported) }
            }
            [] => Err(Reported),
        }
    }

    /// Reads the brackets that close an array type, and the sizes before them. `is_part` is `true` in the type of a tuple. Returns
    /// `None` if a bracket is missing.
    fn close_array(&mut self, mut element: u8, first: usize, rank: usize, is_part: bool) -> Option<u8> {
        let last = self.at - 1;
        if element == ty::VOID {
            self.report(array_errors::void_elements(self.span(last)));
            element = ERROR;
        }
        for closed in 1..=rank {
            self.size((rank - closed) as u32, is_part);
            if self.peek() != Token::RightBracket {
                let open = self.span(first + rank - closed);
                let has_size = self.peek() == Token::Semicolon && self.kind(self.at + 2) == Token::RightBracket;
                let help = has_size.then(|| array_errors::help_for_type(self.word(last)));
                self.unexpected_with("`]`", |error| errors::unclosed_bracket(error, open).maybe_help(help));
                self.rest_of_type(rank + 1 - closed);
                return None;
            }
            self.advance();
        }
        self.program.arrays = true;
        let array = self.program.types.above(element, rank as u32);
        Some(self.within_limits(array, self.span_from(first)))
    }

    /// Returns the type of a part of a tuple. The last token read is its end.
    fn part_type(&mut self, found: u8) -> u8 {
        if found == ty::VOID {
            self.report(errors::void_type(self.span(self.at - 1), "a part of a tuple"));
            return ERROR;
        }
        found
    }

    /// Reads the `)` of a tuple type.
    fn close_tuple(&mut self, first: usize, parts: &[u8]) -> u8 {
        self.advance();
        if parts.len() < 2 {
            self.report(struct_errors::short_tuple(self.span_from(first)));
            return ERROR;
        }
        let tuple = self.program.types.tuple(parts);
        self.within_limits(tuple, self.span_from(first))
    }

    /// Returns a type, or reports that there is none.
    pub fn within_limits(&mut self, ty: Result<u8, Limit>, span: Range<u32>) -> u8 {
        ty.unwrap_or_else(|limit| {
            self.report(struct_errors::limit(span, limit));
            ERROR
        })
    }

    /// Skips the rest of a malformed type with `open` open brackets: a size, closing brackets, and an element type after them.
    fn rest_of_type(&mut self, open: usize) -> u8 {
        let sizes = [Token::Semicolon, Token::Comma, Token::Star];
        if sizes.contains(&self.peek()) && self.kind(self.at + 2) == Token::RightBracket {
            self.advance();
        }
        if self.kind(self.at + 1) == Token::RightBracket {
            self.advance();
        }
        for _ in 0..open {
            if self.peek() != Token::RightBracket {
                return ERROR;
            }
            self.advance();
        }
        if type_of(self.peek()).is_some() {
            self.advance();
        }
        ERROR
    }
}
