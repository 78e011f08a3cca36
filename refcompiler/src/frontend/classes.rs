//! Tokens get classes and keys: everything that the check and the tree need to know about them.
//!
//! ```text
//! token   fn  f             [               ]                {             x     =       -      1       ;
//! class   Fn  FunctionName  ParametersOpen  ParametersClose  FunctionBody  Head  Assign  Unary  Number  EndExpression
//! depth   0   0             0               0                0             1     1       1      1       1
//! rank    2   15            15              15               2             3     15      14     15      0
//! ```
//!
//! The class of a token depends on its kind, on the kinds of the three tokens before it and of the next one, and on
//! the last keyword, brace or semicolon before it, which is its mark. The mark distinguishes the head of a function from
//! other code, and one kind of `{` and `;` from another. One scan finds it, together with the depth of brackets and the
//! tokens before. Tables that are computed at compile time hold the rest.
//!
//! Each input is classified as if it was the only one: its end resets the depth. An end inside brackets, and a depth that a
//! key cannot hold, have the class `Unknown`.
//!
//! Cost: work O(n), one scan that reads 1 and writes 5 bytes per token.

use treepar::backend::Later;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::classes::{
    AFTER_SHIFT, BEFORE_BITS, CLASS_BITS, CLOSES, COLUMNS, ENDS, FACTS, HEADS, IN_STATEMENT, INNER_RANKS, LAST_SHIFT,
    MARK_SHIFT, NESTS, RECENT, RULES,
};
use crate::ir::syntax::{Class, Classified, ClassifiedToken, DEPTH_LIMIT, RANK_BITS};
use crate::ir::tokens::{TokenId, TokenKind, Tokens};

/// The number of tokens that [`Prefix`] remembers.
const REMEMBERED: u32 = 32 / BEFORE_BITS;

/// The state after a run of tokens, relative to the state before it.
#[device]
pub struct Prefix {
    /// The brackets that it opens minus the brackets that it closes, since the last end of an input.
    pub depth: u32,
    /// The number of inputs that end in it.
    pub ends: u32,
    /// The code of its last [`Mark`](crate::ir::classes::Mark), 0 if it has none.
    pub mark: u32,
    /// The facts about its last tokens, 4 bits each, the last in the lowest bits.
    pub recent: u32,
    /// The number of its tokens.
    pub tokens: u32,
}

#[device(monoid(identity = Prefix { depth: 0, ends: 0, mark: 0, recent: 0, tokens: 0 }))]
fn join(a: Prefix, b: Prefix) -> Prefix {
    Prefix {
        depth: if b.ends != 0 { b.depth } else { a.depth.wrapping_add(b.depth) },
        ends: a.ends.wrapping_add(b.ends),
        mark: if b.mark != 0 { b.mark } else { a.mark },
        recent: ((a.recent as u64) << (BEFORE_BITS * b.tokens.min(REMEMBERED))) as u32 | b.recent,
        tokens: a.tokens.wrapping_add(b.tokens),
    }
}

/// Returns the facts about the token after `t`; of the end of an input if there is none.
#[device]
fn facts_after(t: TokenId, tokens: &Tokens) -> u32 {
    let after = t.plus(1);
    let kind = if after.index() < tokens.len() { tokens.kind[after] } else { TokenKind::End };
    FACTS[kind.code() as usize]
}

/// Returns the state after token `t`, relative to the state before it.
#[device(scanned)]
fn prefix(t: TokenId, tokens: &Tokens) -> Prefix {
    let facts = FACTS[tokens.kind[t].code() as usize];
    Prefix {
        depth: (facts as i32 >> NESTS) as u32,
        ends: facts >> ENDS & 1,
        mark: facts >> MARK_SHIFT & 15,
        recent: facts & ((1 << BEFORE_BITS) - 1),
        tokens: 1,
    }
}

/// Returns the class and the key of token `t`.
#[device(scan_map(prefix, join))]
fn classified(t: TokenId, before: Prefix, tokens: &Tokens) -> ClassifiedToken {
    let kind = tokens.kind[t];
    let facts = FACTS[kind.code() as usize];

    // Selections rather than branches: the kinds of tokens are hard to predict.
    let in_head = HEADS >> before.mark & 1;
    let columns = RECENT[(before.recent & ((1 << (3 * BEFORE_BITS)) - 1)) as usize] as u32;
    let column = columns >> (8 * in_head) & 255;
    let last = column & 3;
    let in_list = column - last + (facts_after(t, tokens) >> AFTER_SHIFT & 3);
    let in_statement = before.mark << 2 | last;
    let column = if facts >> IN_STATEMENT & 1 != 0 { in_statement } else { in_list };
    let rule = RULES[kind.code() as usize * COLUMNS + column as usize] as u32;

    let depth = before.depth.wrapping_sub(facts >> CLOSES);
    let continues = (facts >> ENDS & 1).wrapping_sub(1);
    let found = Class::from_code((rule & ((1 << CLASS_BITS) - 1)) as u8);
    // The depth of an end is 0.
    let limit = (continues & (DEPTH_LIMIT - 1)) + 1;
    let class = if depth >= limit { Class::Unknown } else { found };
    let ranks = if last == rule >> LAST_SHIFT { INNER_RANKS >> (RANK_BITS * last) } else { rule >> CLASS_BITS };
    ClassifiedToken { class, key: (depth << RANK_BITS | ranks & ((1 << RANK_BITS) - 1)) & continues }
}

/// Returns the class and the key of each token, and the state after all.
pub fn classified_tokens<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<(Classified<B>, B::Value<Prefix>)> {
    backend.scan_map_later(prefix::of(tokens), join, classified::of(tokens))
}

/// Returns the class and the key of each token, and the number of inputs that end.
pub fn classes<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<(Classified<B>, u32)> {
    let (classified, all) = classified_tokens(backend, tokens)?;
    Ok((classified, all.read()?.ends))
}
