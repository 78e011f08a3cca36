//! The structs of all files, before functions: `struct P { x: int, y: float }` at top level.
//!
//! A struct can be used before its declaration, so declarations are found first. Each is then read after the structs that it
//! names, because the row of a type comes after the rows of its fields. A struct that contains itself has no such order.

use std::collections::HashMap;

use super::cursor::{Cursor, Reported};
use super::errors;
use super::lexer::Token;
use super::program::Program;
use super::struct_errors;
use super::tokens::Tokens;
use super::types::type_of;
use crate::ir::tree::Field;

/// One input: its tokens, its text, and the position of its first byte.
pub type Input<'a> = (&'a Tokens, &'a str, u32);

/// The declaration of a struct.
struct Declaration {
    file: usize,
    /// The index of the token of its name.
    token: usize,
    /// The id of its name.
    name: u32,
    is_first: bool,
}

/// The structs while they are put in order.
struct Declarations<'a> {
    files: &'a [Input<'a>],
    all: Vec<Declaration>,
    /// The first declaration of each name.
    first: HashMap<u32, usize>,
}

/// Declares the structs of all files. Reports every error in their declarations.
pub fn declare_structs(program: &mut Program, files: &[Input<'_>]) {
    // Most programs do not have the word.
    let Some(word) = program.names.find(b"struct") else { return };
    let mut declarations = Declarations { files, all: Vec::new(), first: HashMap::new() };
    for file in 0..files.len() {
        declarations.find(program, file, word);
    }
    declarations.read_in_order(program);
}

/// Reports functions at top level that have the name of a struct.
pub fn check_names(program: &mut Program) {
    for k in 0..program.types.declared().len() {
        let (name, struct_pos) = program.types.declared()[k];
        let Some(function) = program.functions.get(name).copied() else { continue };
        let Some(pos) = program.callables.get(function as usize).and_then(|callable| callable.pos) else { continue };
        let (first, second) = (pos.min(struct_pos), pos.max(struct_pos));
        let [first, second] = [first, second].map(|pos| program.name_span(pos, Some(name)));
        let error = struct_errors::struct_and_function(second, program.names.text(name), first);
        program.errors.push(error);
    }
}

impl Declarations<'_> {
    fn cursor<'c>(&'c self, program: &'c mut Program, k: usize) -> Cursor<'c> {
        let (tokens, text, base) = self.files[self.all[k].file];
        Cursor { at: self.all[k].token, ..Cursor::new(program, tokens, text, base) }
    }

    /// Finds the declarations of a file. `word` is the name `struct`.
    fn find(&mut self, program: &mut Program, file: usize, word: u32) {
        let (tokens, _, _) = self.files[file];
        let mut depth = 0u32;
        for (k, pair) in tokens.kind.windows(2).enumerate() {
            match pair {
                [Token::LeftBrace, _] => depth += 1,
                [Token::RightBrace, _] => depth = depth.saturating_sub(1),
                [Token::Name, Token::Name] if depth == 0 && tokens.value[k] == word => {
                    let (token, name) = (k + 1, tokens.value[k + 1]);
                    let first = *self.first.entry(name).or_insert(self.all.len());
                    let is_first = first == self.all.len();
                    self.all.push(Declaration { file, token, name, is_first });
                    if is_first {
                        program.types.reserve(name, tokens.start[token]);
                    } else {
                        let before = self.files[self.all[first].file].0.span(self.all[first].token);
                        let text = program.names.text(name);
                        program.errors.push(errors::redeclared(tokens.span(token), "struct", text, Some(before)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads all declarations, each after the structs that it names.
    fn read_in_order(&self, program: &mut Program) {
        let mut is_open = vec![false; self.all.len()];
        let mut is_read = vec![false; self.all.len()];
        // Declarations that wait for others, each with the next token of its body.
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for root in 0..self.all.len() {
            if !is_read[root] {
                waiting.push((root, self.all[root].token));
            }
            while let Some((k, at)) = waiting.last_mut() {
                is_open[*k] = true;
                let Some((token, named)) = self.next_use(*k, *at) else {
                    let k = *k;
                    self.read(program, k);
                    (is_open[k], is_read[k]) = (false, true);
                    waiting.pop();
                    continue;
                };
                *at = token;
                if is_open[named] {
                    let (c, declared) = (self.cursor(program, *k), self.cursor_span(named));
                    let error = struct_errors::recursive(c.span(token), c.word(token), declared);
                    program.errors.push(error);
                } else if !is_read[named] {
                    waiting.push((named, self.all[named].token));
                }
            }
        }
    }

    /// Returns the positions of the name in a declaration.
    fn cursor_span(&self, k: usize) -> std::ops::Range<u32> {
        self.files[self.all[k].file].0.span(self.all[k].token)
    }

    /// Returns the next name of a struct in the body of a declaration, after the token `at`, and the declaration of that struct.
    fn next_use(&self, k: usize, at: usize) -> Option<(usize, usize)> {
        let (tokens, _, _) = self.files[self.all[k].file];
        for token in at + 1.. {
            match tokens.kind[token] {
                Token::RightBrace | Token::End => return None,
                // A name before a `:` is the name of a field.
                Token::Name if tokens.kind[token + 1] != Token::Colon => {
                    if let Some(&named) = self.first.get(&tokens.value[token]) {
                        return Some((token, named));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Reads a declaration. A struct with a malformed declaration stays unknown.
    fn read(&self, program: &mut Program, k: usize) {
        let Declaration { name, is_first, .. } = self.all[k];
        let mut c = self.cursor(program, k);
        let (token, text) = (c.at, c.word(c.at));
        c.advance();
        let Ok(fields) = fields(&mut c) else { return };
        if is_first {
            let declared = c.program.types.declare(name, text, fields);
            c.within_limits(declared, c.span(token));
        }
    }
}

/// Reads the braces and the fields in them.
fn fields(c: &mut Cursor<'_>) -> Result<Vec<Field>, Reported> {
    let brace = c.at;
    c.expect(Token::LeftBrace)?;
    if c.peek() == Token::RightBrace {
        return Err(c.report(struct_errors::no_fields(c.span_between(brace, c.at))));
    }
    let (mut fields, mut names) = (Vec::new(), HashMap::new());
    loop {
        let token = c.at;
        if type_of(c.peek()).is_some() && c.kind(token + 1) == Token::Name {
            let error =
                struct_errors::type_before_field(c.span_between(token, token + 1), c.word(token), c.word(token + 1));
            return Err(c.report(error));
        }
        if c.peek() != Token::Name {
            return Err(c.unexpected("the name of a field"));
        }
        c.advance();
        c.expect(Token::Colon)?;
        let ty = c.field_type()?;
        c.no_sizes("a field");
        let name = c.word(token);
        if let Some(&first) = names.get(name) {
            c.report(errors::redeclared(c.span(token), "field", name, Some(c.span(first))));
        }
        names.insert(name, token);
        fields.push(Field { name: name.to_string(), ty });
        match c.peek() {
            Token::RightBrace => return Ok(fields),
            Token::Comma => c.advance(),
            _ => return Err(c.unexpected_with("`,` or `}`", struct_errors::not_a_separator)),
        }
    }
}
