//! The data-parallel lexer: bytes to tokens.
//!
//! ```text
//! text      fn f[]: int { return 0x10; }
//! starts    0  3 456 8 ..                              first bytes of tokens
//! kinds     NAME NAME [ ] : NAME { NAME INT ; } END    by the first bytes of a token
//! words     FN   NAME      INT_TYPE RETURN             keywords; keys of names
//! names          id 0                                  ids of names
//! numbers                                16            values of numbers
//! ```
//!
//! The lexer is one-sided: it may refuse tokens that the sequential lexer accepts, but never the reverse. A refused
//! program goes to the sequential front end, which reports every error, or else accepts the program. Refused valid
//! programs have a byte order mark, or two long names with the same hash.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::text::Text;
use crate::ir::tokens::{Lexed, TokenId, TokenKind, Tokens};

pub mod kinds;
pub mod names;
pub mod numbers;
pub mod starts;
pub mod words;

/// The tokens that refuse a program.
#[device]
pub struct Counts {
    /// Malformed tokens.
    pub errors: u32,
    /// Ends of inputs.
    pub ends: u32,
}

#[device(monoid(identity = Counts { errors: 0, ends: 0 }))]
fn add_counts(a: Counts, b: Counts) -> Counts {
    Counts { errors: a.errors.wrapping_add(b.errors), ends: a.ends.wrapping_add(b.ends) }
}

#[device(reduce(add_counts))]
fn count(t: TokenId, tokens: &Tokens) -> Counts {
    let kind = tokens.kind[t];
    Counts { errors: (kind == TokenKind::Malformed) as u32, ends: (kind == TokenKind::End) as u32 }
}

/// Returns the tokens of all inputs.
pub fn lex<B: Backend>(backend: &B, text: &Text<B>) -> Result<Lexed<B>> {
    let start = starts::starts(backend, text)?;
    let kind = kinds::kinds(backend, text, &start)?;
    let value = backend.filled(start.len(), 0)?;
    let mut tokens = Tokens { start, kind, value };
    let words = words::words(backend, text, &mut tokens)?;
    let (names, unsure) = names::names(backend, text, words, &mut tokens)?;
    numbers::numbers(backend, text, &mut tokens)?;
    let Counts { errors, ends } = backend.reduce(count::of(&tokens), add_counts)?;
    let unsure = unsure + u32::from(text.is_damaged) + ends.abs_diff(text.inputs as u32);
    Ok(Lexed { tokens, names, errors, unsure })
}
