//! The kind of each token, by its first bytes.
//!
//! ```text
//! token   x     >=  1    0x1f  >>>   ==-   §          0
//! kind    NAME  GE  INT  INT   USHR  EQ -  MALFORMED  END
//! ```
//!
//! Names are not told from keywords yet, and numbers are not read. Classes of the first and second byte choose from one
//! table. Only an operator of two bytes can have a third. A longer sequence of such bytes than an operator is malformed
//! here. The sequential lexer divides it into two operators, which the parser refuses, since the second is not unary.
//!
//! Cost: work O(n) for n tokens, one map of 21 bytes per token.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::spellings::{FIRST, JOINED, KINDS, LONG, SECOND};
use crate::ir::text::{Text, bytes_at};
use crate::ir::tokens::TokenKind;

/// Returns the kind of a token of at most two bytes.
#[device]
fn short(bytes: u64) -> TokenKind {
    TokenKind::from_code(KINDS[(FIRST[(bytes & 255) as usize] + SECOND[(bytes >> 8 & 255) as usize]) as usize])
}

/// Returns the kind of token `t`.
#[device(map)]
pub fn kind(t: usize, start: &[u32], words: &[u64]) -> TokenKind {
    let bytes = bytes_at(start[t], words);
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

/// Returns the kind of each token.
pub fn kinds<B: Backend>(backend: &B, text: &Text<B>, start: &B::Vec<u32>) -> Result<B::Vec<TokenKind>> {
    backend.map(kind::of(start, &text.words))
}
