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

use treepar::backend::Later;
use treepar::{Backend, Result};

use crate::ir::text::Text;
use crate::ir::tokens::{Lexed, Tokens};
use names::Named;
use numbers::{HostRead, Read};

pub mod exponents;
pub mod kinds;
pub mod names;
pub mod numbers;
pub mod starts;
pub mod words;

/// Tokens whose kinds and ids are known, unless the host has to read numbers. On a GPU it does not know yet whether it has to, and
/// how many names there are. Passes that need kinds only come in between, so that the host waits less.
pub struct Lexing<B: Backend> {
    /// The tokens. Some floats have no value yet.
    pub tokens: Tokens<B>,
    names: Named<B>,
    numbers: Read<B>,
}

impl<B: Backend> Lexing<B> {
    /// Returns the tokens with all values, and the names; and whether other tokens or kinds than before are among them.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn finished(self, backend: &B, text: &Text<B>) -> Result<(Lexed<B>, bool)> {
        let Lexing { mut tokens, mut names, numbers } = self;
        let HostRead { malformed, divided } = numbers.rest(backend, text, &mut tokens)?;
        if divided > 0 {
            tokens = exponents::exponents(backend, text, &tokens)?;
            names = named(backend, text, words::word_tokens(backend, &tokens)?, &mut tokens)?;
        }
        let unsure = names.unsure.read()? + u32::from(text.is_damaged);
        Ok((Lexed { tokens, names: names.names(backend)?, unsure }, malformed + divided > 0))
    }
}

/// Gives keywords their kinds, and names their ids. `token` has the tokens that are words.
fn named<B: Backend>(backend: &B, text: &Text<B>, token: B::Vec<u32>, tokens: &mut Tokens<B>) -> Result<Named<B>> {
    let words = words::words(backend, text, token, tokens)?;
    names::names(backend, text, words, tokens)
}

/// Returns the tokens of all inputs as far as kinds go.
pub fn begin<B: Backend>(backend: &B, text: &Text<B>) -> Result<Lexing<B>> {
    let start = starts::starts(backend, text)?;
    let mut tokens = kinds::kinds(backend, text, start)?;
    let word_tokens = words::word_tokens(backend, &tokens)?;
    let number_tokens = numbers::number_tokens(backend, &tokens)?;
    let names = named(backend, text, word_tokens, &mut tokens)?;
    let numbers = numbers::numbers(backend, text, number_tokens, &mut tokens)?;
    Ok(Lexing { tokens, names, numbers })
}

/// Returns the tokens of all inputs.
pub fn lex<B: Backend>(backend: &B, text: &Text<B>) -> Result<Lexed<B>> {
    Ok(begin(backend, text)?.finished(backend, text)?.0)
}
