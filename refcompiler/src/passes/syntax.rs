//! The syntax check: the number of violations of the grammar, without a tree.
//!
//! ```text
//! class     .. Callee  CallParen  Number  ParenClose  BlockClose      f(1) }
//! pairs              ok         ok      ok          ^ no value may precede a `}`
//! brackets     CallParen -> ParenClose, its next token with the same key
//! context      ArgumentComma: the previous smaller key is `(` or `[` of a call
//! ```
//!
//! Four conditions together are the grammar:
//!
//! 1. Each token may follow the token before it ([`FOLLOWS`](crate::ir::syntax::FOLLOWS)).
//! 2. Each left bracket has its right bracket: the first later token whose key is not greater has the same key and the
//!    right class. A `}` before `elif` or `else` closes the block of an `if` or `elif`.
//! 3. `;` and `{` are directly in braces, an argument's `,` directly in the brackets of a call.
//! 4. Outside all brackets there are only functions, and some classes are only there.
//!
//! Proof sketch: take each pair of brackets as one symbol. Precedence decides the shape of a tree and not whether there is
//! one, so the grammar recurses through brackets only, and each list between brackets is in a regular language. In that
//! language the class of the last token determines what may follow, except that `;` and `{` must fit the statement that
//! they belong to, and `elif` and `else` the block before them. The classes of `;` and `{` include the statement:
//! [`classes`](super::classes) finds its keyword, which is the last mark before the token. So pairs decide the rest. By
//! condition 3, a mark between a token and its statement's keyword would be in the same list.
//!
//! The check is one-sided by design: where it accepts, the sequential parser does. Tests compare both on all short
//! strings of tokens.
//!
//! Cost: work O(n), two searches for smaller keys of 8 bytes and one reduce of 13 bytes per token.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::syntax::{
    BRACES, BRACKETS, CALLS, Checked, Class, Classified, ONLY_OUTSIDE, OTHERWISE, OUTSIDE, PARENS, RANK_BITS,
    SEMICOLONS,
};
use crate::ir::tokens::TokenId;

/// Returns whether the bracket `t` is closed by the token `next` and, if that ends a block, whether the token after it
/// may follow such a block.
#[device]
fn is_closed(t: TokenId, next: TokenId, tokens: &Classified) -> bool {
    if next.index() >= tokens.len() || tokens.key[next] != tokens.key[t] {
        return false;
    }
    let class = tokens.class[t];
    let closer = tokens.class[next];
    if class.is_in(BRACES) {
        let after = next.plus(1);
        let is_last = after.index() >= tokens.len() || !tokens.class[after].is_in(OTHERWISE);
        return closer == Class::BlockClose && (is_last || class == Class::ThenBody);
    }
    if class == Class::ParametersOpen {
        return closer == Class::ParametersClose;
    }
    if class.is_in(PARENS) { closer == Class::ParenClose } else { closer == Class::BracketClose }
}

/// Returns whether token `t` is directly in brackets that may hold it. `previous` is its previous smaller key.
#[device]
fn is_in_context(t: TokenId, previous: TokenId, tokens: &Classified) -> bool {
    let class = tokens.class[t];
    if previous.is_none() {
        return false;
    }
    let context = tokens.class[previous];
    if class == Class::ArgumentComma {
        return context.is_in(CALLS);
    }
    // Before a `{` in the same list there may be a smaller key. Its own context is checked in turn.
    context.is_in(BRACES) || (class.is_in(BRACES) && (context.is_in(SEMICOLONS) || context == Class::If))
}

/// Returns the number of violations at token `t`.
#[device(map, reduce(Sum))]
pub fn violations(t: TokenId, tokens: &Classified, previous: &[u32], next: &[u32]) -> u32 {
    let class = tokens.class[t];
    let before = if t.get() == 0 { Class::End } else { tokens.class[t.minus(1)] };
    let is_outside = tokens.key[t] >> RANK_BITS == 0;
    let mut count = !before.may_precede(class) as u32;
    if is_outside {
        count += !class.is_in(OUTSIDE) as u32;
    } else {
        count += class.is_in(ONLY_OUTSIDE) as u32;
    }
    if class.is_in(BRACES | PARENS | BRACKETS) || class == Class::ParametersOpen {
        count += !is_closed(t, TokenId::new(next[t.index()]), tokens) as u32;
    }
    if !is_outside && (class.is_in(BRACES | SEMICOLONS) || class == Class::ArgumentComma) {
        count += !is_in_context(t, TokenId::new(previous[t.index()]), tokens) as u32;
    }
    if t.index() + 1 == tokens.len() {
        count += (class != Class::End) as u32;
    }
    count
}

/// Checks the syntax of all inputs.
pub fn syntax<B: Backend>(backend: &B, tokens: &Classified<B>) -> Result<Checked<B>> {
    let previous = backend.previous_smaller(&tokens.key)?.into_column();
    let next = backend.next_smaller_or_equal(&tokens.key)?;
    let errors = backend.reduce(violations::of(tokens, &previous, &next), Sum)?;
    Ok(Checked { previous, next, errors })
}
