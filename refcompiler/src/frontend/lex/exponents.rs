//! Signs and digits of exponents are not tokens of their own.
//!
//! ```text
//! text     x = 1.5e - 3 ;      without spaces in the number
//! before   x = 1.5e - 3 ;
//! after    x = 1.5e-3   ;
//! ```
//!
//! The first byte of a token depends on the byte before it, and in `a1e-3` the same bytes are a name and an operator. So the
//! sign of an exponent begins a token, and the digits after it begin another one. This pass leaves out both. It runs only
//! for programs with such a float.
//!
//! Cost: work O(n) for n tokens; one compaction and one map of 18 bytes per token.

use treepar::device::device;
use treepar::{Backend, Result};

use super::numbers::float_end;
use crate::ir::text::Text;
use crate::ir::tokens::{TokenId, TokenKind, TokenRow, Tokens};

/// Returns whether token `t` begins inside the float `before`.
#[device]
fn is_inside(t: TokenId, before: TokenId, tokens: &Tokens, words: &[u64]) -> bool {
    tokens.kind[before] == TokenKind::Float && float_end(tokens.start[before], words) > tokens.start[t]
}

/// Returns whether token `t` is not inside one of the two tokens before it.
#[device(compact)]
fn is_whole(t: TokenId, tokens: &Tokens, words: &[u64]) -> bool {
    let first = TokenId::new(t.get().max(1) - 1);
    let second = TokenId::new(t.get().max(2) - 2);
    let is_sign = first.get() < t.get() && is_inside(t, first, tokens, words);
    let is_digits = second.get() < t.get() && is_inside(t, second, tokens, words);
    !is_sign && !is_digits
}

/// Returns token `whole[i]`.
#[device(map)]
fn token(i: usize, whole: &[u32], tokens: &Tokens) -> TokenRow {
    let t = TokenId::new(whole[i]);
    TokenRow { start: tokens.start[t], kind: tokens.kind[t], value: tokens.value[t] }
}

/// Returns the tokens that do not begin inside a float. The kinds and values of numbers are known.
pub fn exponents<B: Backend>(backend: &B, text: &Text<B>, tokens: &Tokens<B>) -> Result<Tokens<B>> {
    let whole = backend.compact(is_whole::of(tokens, &text.words).rows(tokens.len()))?;
    backend.map(token::of(&whole, tokens))
}
