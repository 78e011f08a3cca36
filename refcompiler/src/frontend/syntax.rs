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
//!    right class. A `}` before `elif` or `else` closes the block of an `if` or `elif`. In the same way each `fn` has the
//!    `{` of its body, or the `;` of its `extern`.
//! 3. `;` and `{` are directly in braces, an argument's `,` directly in the brackets of a call.
//! 4. Outside all brackets there are only functions, and some classes are only there.
//!
//! Proof sketch: take each pair of brackets as one symbol. Precedence decides the shape of a tree and not whether there
//! is one, so the grammar recurses through brackets only, and each list between brackets is in a regular language. In
//! that language the class of the last token determines what may follow, except that `;` and `{` must fit the statement
//! that they belong to, and `elif` and `else` the block before them. The classes of `;` and `{` include the statement:
//! [`classes`](super::classes) finds its keyword, which is the last mark before the token. So pairs decide the rest. By
//! condition 3, a mark between a token and its statement's keyword would be in the same list.
//!
//! The check is one-sided by design: where it accepts, the sequential parser does. Tests compare both on all short
//! strings of tokens.
//!
//! Cost: work O(n), one search for smaller keys of 12 bytes and one reduce of 13 bytes per token.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::syntax::{
    BRACES, CLOSERS, CONTEXTS, Checked, Class, Classified, NESTING, ONLY_OUTSIDE, OTHERWISE, OUTSIDE, RANK_BITS,
};
use crate::ir::tokens::TokenId;

/// Returns the number of violations at token `t`.
///
/// Most tokens are neither brackets nor separators, so one branch for these is faster than their work for each token. The
/// last token stands in for one after it. It is an end, or a violation by itself.
#[device(map, reduce(Sum))]
pub fn violations(t: TokenId, tokens: &Classified, previous: &[u32], next: &[u32]) -> u32 {
    let n = tokens.len() as u32;
    let class = tokens.class[t];
    let key = tokens.key[t];
    let before = if t.get() == 0 { Class::End } else { tokens.class[t.minus(1)] };
    let is_wrong_pair = !before.may_precede(class);

    let is_outside = key >> RANK_BITS == 0;
    let is_misplaced = if is_outside { !OUTSIDE.contains(class) } else { ONLY_OUTSIDE.contains(class) };

    let is_wrong_end = (t.get() == n - 1) & (class != Class::End);
    let in_line = is_wrong_pair as u32 + is_misplaced as u32 + is_wrong_end as u32;
    if !NESTING.contains(class) {
        return in_line;
    }

    let closer = CLOSERS[class.code() as usize];
    let end = TokenId::new(next[t.index()].min(n - 1));
    let is_closed = (tokens.class[end] == closer) & (tokens.key[end] == key);
    let after = tokens.class[TokenId::new((end.get() + 1).min(n - 1))];
    let is_wrong_part = BRACES.contains(class) & (class != Class::ThenBody) & OTHERWISE.contains(after);
    let is_open = (closer != Class::Unknown) & !is_closed;

    let around = previous[t.index()];
    let context = if around == u32::MAX { Class::End } else { tokens.class[TokenId::new(around)] };
    let is_wrong_context = !CONTEXTS[class.code() as usize].contains(context);

    in_line + is_open as u32 + is_wrong_part as u32 + is_wrong_context as u32
}

/// Checks the syntax of all inputs.
pub fn syntax<B: Backend>(backend: &B, tokens: &Classified<B>) -> Result<Checked<B>> {
    let (previous, next) = backend.nearest_smaller(&tokens.key)?;
    let previous = previous.into_column();
    let errors = backend.reduce(violations::of(tokens, &previous, &next), Sum)?;
    Ok(Checked { previous, next, errors })
}
