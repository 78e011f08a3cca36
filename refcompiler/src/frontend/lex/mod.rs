//! The data-parallel lexer: bytes to tokens.
//!
//! ```text
//! text      fn f[]: int { return 0x10; }
//! starts    0  3 456 8 ..                              first bytes of tokens
//! kinds     NAME NAME [ ] : NAME { NAME INT ; } END    by the first bytes of a token
//! numbers                                16            values of numbers
//! exponents                                            no tokens inside floats like `1.5e-3`
//! words     FN   NAME      INT_TYPE RETURN             keywords; keys of names
//! names          id 0                                  ids of names
//! ```
//!
//! The lexer is one-sided: it may refuse tokens that the sequential lexer accepts, but never the reverse. A refused
//! program goes to the sequential front end, which reports every error, or else accepts the program. Refused valid
//! programs have a byte order mark, or two long names with the same hash.
//!
//! The lexer itself refuses only inputs that were damaged and two long names with one hash. Malformed tokens and gap bytes
//! inside an input become tokens that the next passes refuse: they see every token anyway.

use treepar::{Backend, Result};

use crate::ir::text::Text;
use crate::ir::tokens::Lexed;

pub mod exponents;
pub mod kinds;
pub mod names;
pub mod numbers;
pub mod starts;
pub mod words;

/// Returns the tokens of all inputs.
pub fn lex<B: Backend>(backend: &B, text: &Text<B>) -> Result<Lexed<B>> {
    let start = starts::starts(backend, text)?;
    let mut tokens = kinds::kinds(backend, text, start)?;
    if numbers::numbers(backend, text, &mut tokens)? > 0 {
        tokens = exponents::exponents(backend, text, &tokens)?;
    }
    let words = words::words(backend, text, &mut tokens)?;
    let (names, unsure) = names::names(backend, text, words, &mut tokens)?;
    Ok(Lexed { tokens, names, unsure: unsure + u32::from(text.is_damaged) })
}
