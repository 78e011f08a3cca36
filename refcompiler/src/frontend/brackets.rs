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
//! The head of a lambda has kinds of its own, because it looks like the head of a function in the middle of an expression. Its
//! `]` is the only one before a colon, a type and `=`. One scan finds whether a token is in a head. An operator in parentheses is
//! one token:
//!
//! ```text
//! tokens   map  [  fn  [  x  :  [  int  ]  ,  y  :  int  ]  :  int  =  x  +  y  ,  a  ]      reduce  [  (  +  )  ,
//! becomes  map  [  Open   P     Type       ,  P     Type  Close        x  +  y  ,  a  ]      reduce  [  Section  ,
//! value                         [int]               int   int
//! ```
//!
//! The bounds of a slice that are missing become tokens of their own, so that the `..` of a range has two operands. `..` without
//! bounds is one token:
//!
//! ```text
//! tokens   a  [  i  ..       ,  ..  2     ,  ..   ]
//! becomes  a  [  i  Range 0  ,  0 Range 2 ,  All  ]
//! value             1               0
//! ```
//!
//! Only programs that are not in the grammar without arrays take this pass.
//!
//! Cost: work O(n), two scans, one expansion and one map.

use treepar::backend::{Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Result};

use crate::ir::kinds::{BINARY, MAX_RANK};
use crate::ir::meaning::named_type;
use crate::ir::syntax::OPERATOR_KINDS;
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

/// Returns whether token `t` is a binary operator in parentheses.
#[device]
fn is_section(t: u32, tokens: &Tokens) -> bool {
    let kind = kind_at(t, tokens);
    BINARY.contains(OPERATOR_KINDS[kind.code() as usize])
        && kind_at(t.wrapping_sub(1), tokens) == TokenKind::LeftParen
        && kind_at(t + 1, tokens) == TokenKind::RightParen
}

/// Returns whether token `t` is the `fn` of a lambda.
#[device]
fn is_lambda(t: u32, tokens: &Tokens) -> bool {
    kind_at(t, tokens) == TokenKind::Fn && kind_at(t + 1, tokens) == TokenKind::LeftBracket
}

/// Returns the number of tokens from the colon to the `=` after token `t`, which is the `]` of the head of a lambda; 0 if it is not.
#[device]
fn result_after(t: u32, tokens: &Tokens) -> u32 {
    if kind_at(t, tokens) != TokenKind::RightBracket || kind_at(t + 1, tokens) != TokenKind::Colon {
        return 0;
    }
    let rank = run_from(t + 2, TokenKind::LeftBracket, tokens);
    let element = t + 2 + rank;
    let kind = kind_at(element, tokens);
    let is_type = kind == TokenKind::IntType || kind == TokenKind::FloatType;
    let is_closed = rank == 0 || rank_at(element, tokens) == rank;
    let equals = element + rank + 1;
    let is_head = is_type && is_closed && kind_at(equals, tokens) == TokenKind::Assign && !is_in_type(t, tokens);
    if is_head { equals - t } else { 0 }
}

/// Returns whether token `t` is the colon, the name of the type or the `=` after the head of a lambda. The brackets of the type are
/// ones of a type.
#[device]
fn is_in_result(t: u32, tokens: &Tokens) -> bool {
    let kind = kind_at(t, tokens);
    if kind == TokenKind::Colon {
        return result_after(t.wrapping_sub(1), tokens) > 0;
    }
    let mut element = t;
    if kind == TokenKind::Assign {
        element = t.wrapping_sub(1 + run_before(t, TokenKind::RightBracket, tokens));
    }
    let named = kind_at(element, tokens);
    if named != TokenKind::IntType && named != TokenKind::FloatType {
        return false;
    }
    let close = element.wrapping_sub(2 + run_before(element, TokenKind::LeftBracket, tokens));
    result_after(close, tokens) > 0
}

/// Returns twice the index of token `t`, plus 2, and 1 more at the beginning of the head of a lambda; 0 if no head begins or ends there.
/// An input ends all heads in it.
#[device(scan(Max))]
fn head(t: TokenId, tokens: &Tokens) -> u32 {
    let is_open = is_lambda(t.get(), tokens);
    let is_end = tokens.kind[t] == TokenKind::End || result_after(t.get(), tokens) > 0;
    if is_open || is_end { 2 * t.get() + 2 + is_open as u32 } else { 0 }
}

/// Returns whether token `t` is in the head of a lambda. `heads` has the last [`head`] up to each token.
#[device]
fn is_in_head(t: u32, heads: &[u32]) -> bool {
    heads[t as usize] & 1 == 1
}

/// Returns whether token `t` is a colon before the type of a parameter of a lambda.
#[device]
fn is_colon(t: u32, tokens: &Tokens, heads: &[u32]) -> bool {
    if kind_at(t, tokens) != TokenKind::Colon || !is_in_head(t, heads) {
        return false;
    }
    let rank = run_from(t + 1, TokenKind::LeftBracket, tokens);
    let named = kind_at(t + 1 + rank, tokens);
    kind_at(t.wrapping_sub(1), tokens) == TokenKind::Name
        && (named == TokenKind::IntType || named == TokenKind::FloatType)
        && (rank == 0 || rank_at(t + 1 + rank, tokens) == rank)
}

/// Returns whether token `t` is a `..` without a bound before it.
#[device]
fn has_no_start(t: u32, tokens: &Tokens) -> bool {
    let before = kind_at(t.wrapping_sub(1), tokens);
    before == TokenKind::LeftBracket || before == TokenKind::Comma
}

/// Returns whether token `t` is a `..` without a bound after it.
#[device]
fn has_no_end(t: u32, tokens: &Tokens) -> bool {
    let after = kind_at(t + 1, tokens);
    after == TokenKind::RightBracket || after == TokenKind::Comma
}

/// Returns whether token `t` has no row of its own.
#[device]
fn is_dropped(t: u32, tokens: &Tokens, heads: &[u32]) -> bool {
    let kind = kind_at(t, tokens);
    let is_of_lambda = kind == TokenKind::LeftBracket && is_lambda(t.wrapping_sub(1), tokens);
    let is_of_section = kind == TokenKind::LeftParen && is_section(t + 1, tokens)
        || kind == TokenKind::RightParen && is_section(t.wrapping_sub(1), tokens);
    is_of_lambda || is_of_section || is_in_type(t, tokens) || is_in_result(t, tokens) || is_colon(t, tokens, heads)
}

/// Returns the number of rows of token `t`.
#[device(scan(Sum))]
fn rows(t: TokenId, tokens: &Tokens, heads: &[u32]) -> u32 {
    if tokens.kind[t] == TokenKind::Dots && has_no_start(t.get(), tokens) != has_no_end(t.get(), tokens) {
        return 2;
    }
    !is_dropped(t.get(), tokens, heads) as u32
}

/// Returns the type that the `rank` brackets around token `t` and its name make.
#[device]
fn type_code(t: u32, rank: u32, tokens: &Tokens) -> u32 {
    named_type(kind_at(t, tokens)).array(rank).code() as u32
}

/// Returns the last token before `t` that has a row, `u32::MAX` if there is none. Runs of tokens without rows are short: the longest
/// is the type of a lambda's result, with its colon, brackets and `=`.
#[device]
fn last_with_row(t: u32, offsets: &[u32]) -> u32 {
    let mut last = t.wrapping_sub(1);
    while last != u32::MAX && offsets[last as usize] == offsets[last as usize + 1] {
        last = last.wrapping_sub(1);
    }
    last
}

/// Returns row `k` of token `t`, which is a `..`.
#[device]
fn range(t: TokenId, k: u32, tokens: &Tokens) -> TokenRow {
    let start = tokens.start[t];
    let (no_start, no_end) = (has_no_start(t.get(), tokens), has_no_end(t.get(), tokens));
    if no_start && no_end {
        return TokenRow { start, kind: TokenKind::All, value: 0 };
    }
    let is_bound = no_start && k == 0 || no_end && k == 1;
    let kind = if is_bound { TokenKind::Int } else { TokenKind::Range };
    TokenRow { start, kind, value: (no_end && !is_bound) as u32 }
}

/// Returns row `k` of token `t`. `offsets` has the first row of each token.
#[device(expand)]
fn row(t: TokenId, k: u32, tokens: &Tokens, heads: &[u32], offsets: &[u32]) -> TokenRow {
    let start = tokens.start[t];
    let value = tokens.value[t];
    let mut kind = tokens.kind[t];
    if kind == TokenKind::Dots {
        return range(t, k, tokens);
    }
    let last = last_with_row(t.get(), offsets);
    let before = kind_at(last, tokens);
    let rank = rank_at(t.get(), tokens);
    if is_in_head(t.get(), heads) {
        let is_type = rank > 0 || kind == TokenKind::IntType || kind == TokenKind::FloatType;
        if is_type && is_colon(t.get().wrapping_sub(rank + 1), tokens, heads) {
            return TokenRow { start, kind: TokenKind::LambdaType, value: type_code(t.get(), rank, tokens) };
        }
        let own = match kind {
            TokenKind::Fn => TokenKind::LambdaOpen,
            TokenKind::Name => TokenKind::LambdaParameter,
            TokenKind::Comma => TokenKind::LambdaComma,
            other => other,
        };
        return TokenRow { start, kind: own, value };
    }
    if rank > 0 {
        let first = t.get() - rank;
        kind = if is_unique(first, tokens) { TokenKind::UniqueType } else { TokenKind::ArrayType };
        return TokenRow { start, kind, value: type_code(t.get(), rank, tokens) };
    }
    if is_section(t.get(), tokens) {
        let operator = OPERATOR_KINDS[kind.code() as usize];
        return TokenRow { start, kind: TokenKind::Section, value: operator.code() as u32 };
    }
    if result_after(t.get(), tokens) > 0 {
        let rank = run_from(t.get() + 2, TokenKind::LeftBracket, tokens);
        let code = type_code(t.get() + 2 + rank, rank, tokens);
        return TokenRow { start, kind: TokenKind::LambdaClose, value: code };
    }
    let is_after_head = before == TokenKind::RightBracket && result_after(last, tokens) > 0;
    let is_after_value = !is_after_head && (before == TokenKind::RightParen || before == TokenKind::RightBracket);
    if kind == TokenKind::LeftBracket && before != TokenKind::Name && before != TokenKind::Choose {
        kind = if is_after_value { TokenKind::IndexBracket } else { TokenKind::ArrayBracket };
    }
    if kind == TokenKind::Assign && before == TokenKind::RightBracket {
        kind = TokenKind::Update;
    }
    TokenRow { start, kind, value }
}

/// Returns the new index of a name's first token. `offsets` has the first row of each token.
#[device(map)]
fn first(name: NameId, names: &Names, offsets: &[u32]) -> TokenId {
    TokenId::new(offsets[names.first[name].index()])
}

/// The tokens of a program that may use arrays.
pub struct Bracketed<B: Backend> {
    /// The tokens, with the kinds of their brackets.
    pub tokens: Tokens<B>,
    /// The first row of each former token.
    offsets: B::Vec<u32>,
}

impl<B: Backend> Bracketed<B> {
    /// Returns the first token of each name. `names` has the first former token.
    pub fn first_tokens(&self, backend: &B, names: &Names<B>) -> Result<B::Vec<TokenId>> {
        backend.map(first::of(names, &self.offsets))
    }
}

/// Returns the tokens of a program that may use arrays, with the kinds of their brackets.
pub fn brackets<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<Bracketed<B>> {
    let n = tokens.len();
    let (heads, _) = backend.scan_later(ScanKind::Inclusive, head::of(tokens).rows(n), Max)?;
    let (offsets, m) = backend.scan(ScanKind::Exclusive, rows::of(tokens, &heads).rows(n), Sum)?;
    let known = Offsets::assume(backend, &offsets, m as usize)?;
    let tokens = backend.expand_from(&known, row::of(tokens, &heads, &offsets).rows(n))?;
    Ok(Bracketed { tokens, offsets })
}
