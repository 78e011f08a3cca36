//! Tokens get classes and keys: everything that the check and the tree need to know about them.
//!
//! ```text
//! token   fn  f             [               ]                {             x     =       -      1       ;
//! class   Fn  FunctionName  ParametersOpen  ParametersClose  FunctionBody  Head  Assign  Unary  Number  EndExpression
//! depth   0   0             0               0                0             1     1       1      1       1
//! rank    2   15            15              15               2             3     3       14     15      0
//! ```
//!
//! The class of a token depends on its kind, on the kinds of the three tokens before it and the two after it, and on
//! the last keyword, brace or semicolon before it, which is its mark. The mark distinguishes the head of a function from
//! other code, and one kind of `{` and `;` from another. One scan finds it, together with the depth of brackets and the
//! tokens before. Tables that are computed at compile time hold the rest.
//!
//! Each input is classified as if it was the only one: its end resets the depth. An end inside brackets, and a depth that a
//! key cannot hold, have the class `Unknown`.
//!
//! Cost: work O(n), one scan that reads 1 and writes 5 bytes per token.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::classes::{
    AFTER_SHIFT, ASSIGNS, BEFORE_BITS, BEGINS_ASSIGNMENT, CLASS_BITS, CLOSES, COLUMNS, DECLARES, ENDS, FACTS, HEADS,
    IN_STATEMENT, INNER_SHIFT, MARK_SHIFT, Mark, NAMES, OPENS, RECENT, RULES,
};
use crate::ir::syntax::{Class, Classified, ClassifiedToken, DEPTH_LIMIT, RANK_BITS, REST_RANK};
use crate::ir::tokens::{TokenId, TokenKind, Tokens};

/// The number of tokens that [`Prefix`] remembers.
const REMEMBERED: u32 = 32 / BEFORE_BITS;

/// The bit that an input has ended, next to the code of a mark.
const ENDED: u32 = 16;

/// The state after a run of tokens, relative to the state before it.
#[device]
pub struct Prefix {
    /// The brackets that it opens minus the brackets that it closes, since the last end of an input.
    pub depth: u32,
    /// The code of its last [`Mark`], 0 if it has none, and `ENDED` if an input ends in it.
    pub mark: u32,
    /// The facts about its last tokens, 4 bits each, the last in the lowest bits.
    pub recent: u32,
    /// The number of these tokens.
    pub tokens: u32,
}

#[device(monoid(identity = Prefix { depth: 0, mark: 0, recent: 0, tokens: 0 }))]
fn join(a: Prefix, b: Prefix) -> Prefix {
    Prefix {
        depth: if b.mark & ENDED != 0 { b.depth } else { a.depth.wrapping_add(b.depth) },
        mark: if b.mark != 0 { b.mark | (a.mark & ENDED) } else { a.mark },
        recent: ((a.recent as u64) << (BEFORE_BITS * b.tokens)) as u32 | b.recent,
        tokens: (a.tokens + b.tokens).min(REMEMBERED),
    }
}

/// Returns the facts about the token `ahead` tokens after `t`; of the end of an input if there is none.
#[device]
fn facts_after(t: TokenId, ahead: u32, tokens: &Tokens) -> u32 {
    let after = t.plus(ahead);
    let kind = if after.index() < tokens.len() { tokens.kind[after] } else { TokenKind::End };
    FACTS[kind.code() as usize]
}

/// Returns the state after token `t`, relative to the state before it.
#[device(scan(join))]
fn prefix(t: TokenId, tokens: &Tokens) -> Prefix {
    let kind = tokens.kind[t];
    let before = if t.get() == 0 { TokenKind::End } else { tokens.kind[t.minus(1)] };
    let facts = FACTS[kind.code() as usize];
    // The end of an input is a mark.
    let mark = (facts >> MARK_SHIFT & 15) | ((facts >> ENDS & 1) * ENDED);
    let is_extern = (kind == TokenKind::Fn) & (before == TokenKind::Extern);
    Prefix {
        depth: (facts >> OPENS & 1).wrapping_sub(facts >> CLOSES & 1),
        mark: if is_extern { Mark::ExternFn.code() as u32 } else { mark },
        recent: facts & ((1 << BEFORE_BITS) - 1),
        tokens: 1,
    }
}

/// Returns the class and the key of token `t`.
#[device(scan_map(prefix, join))]
fn classified(t: TokenId, before: Prefix, tokens: &Tokens) -> ClassifiedToken {
    let kind = tokens.kind[t];
    let facts = FACTS[kind.code() as usize];
    let ahead1 = facts_after(t, 1, tokens);
    let ahead2 = facts_after(t, 2, tokens);

    // Selections rather than branches: the kinds of tokens are hard to predict.
    let mark = before.mark & 15;
    let in_head = HEADS >> mark & 1;
    let columns = RECENT[(before.recent & ((1 << (3 * BEFORE_BITS)) - 1)) as usize] as u32;
    let column = columns >> (8 * in_head) & 255;
    let last = column & 3;
    let in_list = column - last + (ahead1 >> AFTER_SHIFT & 3);
    let in_statement = mark << 2 | last;
    let column = if facts >> IN_STATEMENT & 1 != 0 { in_statement } else { in_list };
    let rule = RULES[kind.code() as usize * COLUMNS + column as usize] as u32;

    let depth = before.depth.wrapping_sub(facts >> CLOSES & 1);
    let is_end = facts >> ENDS & 1 != 0;
    let limit = if is_end { 1 } else { DEPTH_LIMIT };
    let found = Class::from_code((rule & ((1 << CLASS_BITS) - 1)) as u8);
    let class = if depth >= limit { Class::Unknown } else { found };

    // All but the first of a chain of assignments or of a run of unary operators, and all but the last `=` of a chain.
    let begins_assignment = (ahead1 >> DECLARES | (ahead1 >> NAMES & ahead2 >> ASSIGNS)) & 1;
    let conditions = 1 << last | begins_assignment << BEGINS_ASSIGNMENT;
    let is_inner = rule >> INNER_SHIFT & conditions != 0;
    let rank = if is_inner { REST_RANK as u32 } else { rule >> CLASS_BITS & 15 };
    ClassifiedToken { class, key: if is_end { 0 } else { depth << RANK_BITS | rank } }
}

/// Returns the class and the key of each token.
pub fn classes<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<Classified<B>> {
    Ok(backend.scan_map(prefix::of(tokens), join, classified::of(tokens))?.0)
}
