//! The kind of each token, by its first bytes.
//!
//! ```text
//! token   x     >=  1    0x1f  >>>   ==-   §          0
//! kind    NAME  GE  INT  INT   USHR  EQ -  MALFORMED  END
//! ```
//!
//! Names do not differ from keywords yet, and numbers are not read. Classes of the first and second byte choose from one
//! table. Only an operator of two bytes can have a third. A longer sequence of such bytes than an operator is malformed
//! here. The sequential lexer divides it into two operators, which the parser refuses, since the second is not unary.
//!
//! The same pass gives each token the value 0, which names and numbers replace.
//!
//! Cost: work O(n) for n tokens, one map of 25 bytes per token.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::spellings::{FIRST, JOINED, KINDS, LONG, SECOND};
use crate::ir::text::{Text, bytes_at};
use crate::ir::tokens::{TokenKind, Tokens};

/// Returns the kind of a token of at most two bytes.
#[device]
fn short(bytes: u64) -> TokenKind {
    TokenKind::from_code(KINDS[(FIRST[(bytes & 255) as usize] + SECOND[(bytes >> 8 & 255) as usize]) as usize])
}

/// Returns the kind of a token that begins with eight bytes.
#[device]
fn kind(bytes: u64) -> TokenKind {
    let kind = short(bytes);
    if !LONG.contains(kind) {
        return kind;
    }
    let next = short(bytes >> 8);
    if !JOINED.contains(next) {
        kind
    } else if kind == TokenKind::Shr && next == kind && !JOINED.contains(short(bytes >> 16)) {
        TokenKind::Ushr
    } else {
        TokenKind::Malformed
    }
}

/// Returns the kind of token `t`, and the value of most tokens.
#[device(map)]
fn token(t: usize, start: &[u32], words: &[u64]) -> (TokenKind, u32) {
    (kind(bytes_at(start[t], words)), 0)
}

/// Returns the tokens that begin at some bytes, as far as their first bytes determine them.
pub fn kinds<B: Backend>(backend: &B, text: &Text<B>, start: B::Vec<u32>) -> Result<Tokens<B>> {
    let (kind, value) = backend.map(token::of(&start, &text.words))?;
    Ok(Tokens { start, kind, value })
}
