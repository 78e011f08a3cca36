//! Brackets of arrays: types of arrays become one token each, and other brackets get kinds that name the form that they begin.
//!
//! ```text
//! tokens   a  :  *  [  [  int  ]  ]  ,      a  =  [  f  [  1  ]  [  2  ]  ]  ;     f  [  x  ]  =  1  ;
//! becomes  a  :  UniqueType          ,      a  =  [A f  [  1  ]  [I 2  ]  ]  ;     f  [  x  ]  =U 1  ;
//! value          code of [[int]]
//! ```
//!
//! With these kinds the classes of tokens depend on the same few neighbours as without arrays. A type of an array is at most
//! [`MAX_RANK`] brackets, the type of its elements, and as many brackets, after a colon. So each of its tokens finds the
//! others in a bounded number of steps. A `[` after `)` or `]` (`[I`) is an index, and one that follows neither a name nor `if`
//! (`[A`) is a literal. The `=` of an update (`=U`) follows a `]`.
//!
//! Only programs that are not in the grammar without arrays take this pass.
//!
//! Cost: work O(n), one compaction, one scan and two maps.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::MAX_RANK;
use crate::ir::meaning::named_type;
use crate::ir::tokens::{NameId, Names, TokenId, TokenKind, TokenRow, Tokens};

/// The most tokens that are looked at in one direction.
const STEPS: u32 = MAX_RANK + 1;

/// Returns the kind of token `t`, and that of the end of an input if there is no such token.
#[device]
fn kind_at(t: u32, tokens: &Tokens) -> TokenKind {
    if (t as usize) < tokens.len() { tokens.kind[TokenId::new(t)] } else { TokenKind::End }
}

/// Returns the number of tokens of some kind that are directly before token `t`, at most [`STEPS`].
#[device]
fn run_before(t: u32, kind: TokenKind, tokens: &Tokens) -> u32 {
    let mut count = 0;
    while count < STEPS && kind_at(t.wrapping_sub(count + 1), tokens) == kind {
        count += 1;
    }
    count
}

/// Returns the number of tokens of some kind from token `t` on, at most [`STEPS`].
#[device]
fn run_from(t: u32, kind: TokenKind, tokens: &Tokens) -> u32 {
    let mut count = 0;
    while count < STEPS && kind_at(t + count, tokens) == kind {
        count += 1;
    }
    count
}

/// Returns whether the first bracket of a type that begins at token `t` follows the `*` of a unique type.
#[device]
fn is_unique(t: u32, tokens: &Tokens) -> bool {
    kind_at(t.wrapping_sub(1), tokens) == TokenKind::Star && kind_at(t.wrapping_sub(2), tokens) == TokenKind::Colon
}

/// Returns the rank of the type of an array whose elements have the type at token `t`, 0 if this is no such type.
#[device]
fn rank_at(t: u32, tokens: &Tokens) -> u32 {
    let kind = kind_at(t, tokens);
    if kind != TokenKind::IntType && kind != TokenKind::FloatType {
        return 0;
    }
    let rank = run_before(t, TokenKind::LeftBracket, tokens);
    let first = t.wrapping_sub(rank);
    let is_after_colon = kind_at(first.wrapping_sub(1), tokens) == TokenKind::Colon || is_unique(first, tokens);
    if rank <= MAX_RANK && is_after_colon && run_from(t + 1, TokenKind::RightBracket, tokens) >= rank {
        rank
    } else {
        0
    }
}

/// Returns whether token `t` is a bracket of a type or the `*` of a unique type.
#[device]
fn is_in_type(t: u32, tokens: &Tokens) -> bool {
    let kind = kind_at(t, tokens);
    if kind == TokenKind::LeftBracket {
        let steps = run_from(t, kind, tokens);
        return steps <= rank_at(t + steps, tokens);
    }
    if kind == TokenKind::RightBracket {
        let steps = run_before(t, kind, tokens) + 1;
        return steps <= rank_at(t.wrapping_sub(steps), tokens);
    }
    // The first bracket after the star is one of the type if the star is.
    kind == TokenKind::Star && is_unique(t + 1, tokens) && kind_at(t + 1, tokens) == TokenKind::LeftBracket && {
        let steps = run_from(t + 1, TokenKind::LeftBracket, tokens);
        steps <= rank_at(t + 1 + steps, tokens)
    }
}

#[device(compact)]
fn is_kept(t: TokenId, tokens: &Tokens) -> bool {
    !is_in_type(t.get(), tokens)
}

/// Returns the token that row `r` keeps, token `rows[r]`.
#[device(map)]
fn kept(r: usize, rows: &[u32], tokens: &Tokens) -> TokenRow {
    let t = TokenId::new(rows[r]);
    let start = tokens.start[t];
    let value = tokens.value[t];
    let mut kind = tokens.kind[t];
    let before = if r == 0 { TokenKind::End } else { tokens.kind[TokenId::new(rows[r - 1])] };
    let rank = rank_at(t.get(), tokens);
    if rank > 0 {
        let code = named_type(kind).array(rank).code() as u32;
        let first = t.get() - rank;
        kind = if is_unique(first, tokens) { TokenKind::UniqueType } else { TokenKind::ArrayType };
        return TokenRow { start, kind, value: code };
    }
    let is_after_value = before == TokenKind::RightParen || before == TokenKind::RightBracket;
    if kind == TokenKind::LeftBracket && before != TokenKind::Name && before != TokenKind::Choose {
        kind = if is_after_value { TokenKind::IndexBracket } else { TokenKind::ArrayBracket };
    }
    if kind == TokenKind::Assign && before == TokenKind::RightBracket {
        kind = TokenKind::Update;
    }
    TokenRow { start, kind, value }
}

/// Returns 1 for a token that is kept.
#[device(scan(Sum))]
fn is_counted(t: usize, tokens: &Tokens) -> u32 {
    !is_in_type(t as u32, tokens) as u32
}

/// Returns the new index of a name's first token. `counts` has the number of tokens that are kept, up to each token.
#[device(map)]
fn first(name: NameId, names: &Names, counts: &[u32]) -> TokenId {
    TokenId::new(counts[names.first[name].index()] - 1)
}

/// Returns the tokens of a program that may use arrays, with the kinds of their brackets.
pub fn brackets<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<Tokens<B>> {
    let rows = backend.compact(is_kept::of(tokens).rows(tokens.len()))?;
    let n = rows.len();
    backend.map(kept::of(&rows, tokens).rows(n))
}

/// Returns the first token of each name among those that [`brackets`] keeps. `tokens` has all.
pub fn first_tokens<B: Backend>(backend: &B, tokens: &Tokens<B>, names: &Names<B>) -> Result<B::Vec<TokenId>> {
    let (counts, _) = backend.scan_later(ScanKind::Inclusive, is_counted::of(tokens).rows(tokens.len()), Sum)?;
    backend.map(first::of(names, &counts))
}
