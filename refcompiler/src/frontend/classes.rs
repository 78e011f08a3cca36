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
//! the last keyword, brace or semicolon before it. That token distinguishes the head of a function from other code, and
//! one kind of `{` and `;` from another. One scan finds it, together with the depth of brackets. A table that is
//! computed at compile time holds the rest.
//!
//! Each input is classified as if it was the only one: its end resets the scan. An end inside brackets, and a depth
//! that a key cannot hold, have the class `Unknown`.
//!
//! Cost: work O(n), one scan that reads 1 and writes 5 bytes per token.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::syntax::{
    AFTER, After, BEFORE, BRACE_ROW, Before, CLASSES, Class, Classified, ClassifiedToken, DEPTH_LIMIT, EMPTY_ROW,
    OPERATOR_RANKS, Place, RANK_BITS, RANKS, REST_RANK, SEMICOLON_ROW,
};
use crate::ir::tokens::{TokenId, TokenKind, TokenKinds, Tokens};

/// The state after a run of tokens, relative to the state before it.
#[device]
pub struct Prefix {
    /// The brackets that it opens minus the brackets that it closes, since the last end of an input.
    pub depth: u32,
    /// The index of its last keyword, brace, semicolon or end, plus 1; 0 if it has none.
    pub mark: u32,
    /// 1 if an input ends in it.
    pub ends: u32,
}

#[device(monoid(identity = Prefix { depth: 0, mark: 0, ends: 0 }))]
fn join(a: Prefix, b: Prefix) -> Prefix {
    Prefix {
        depth: if b.ends != 0 { b.depth } else { a.depth.wrapping_add(b.depth) },
        mark: if b.mark != 0 { b.mark } else { a.mark },
        ends: a.ends | b.ends,
    }
}

const OPENERS: TokenKinds = TokenKinds::of(&[TokenKind::LeftParen, TokenKind::LeftBracket, TokenKind::LeftBrace]);
const CLOSERS: TokenKinds = TokenKinds::of(&[TokenKind::RightParen, TokenKind::RightBracket, TokenKind::RightBrace]);
const BOUNDARIES: TokenKinds = TokenKinds::of(&[TokenKind::LeftBrace, TokenKind::RightBrace, TokenKind::Semicolon]);
const KEYWORDS: TokenKinds = TokenKinds::of(&[
    TokenKind::Fn,
    TokenKind::Extern,
    TokenKind::If,
    TokenKind::Elif,
    TokenKind::Else,
    TokenKind::While,
    TokenKind::Return,
]);
const MARKS: TokenKinds = BOUNDARIES.union(KEYWORDS).union(TokenKinds::of(&[TokenKind::End]));
const PREFIXES: TokenKinds = TokenKinds::of(&[TokenKind::Bang, TokenKind::Tilde]);
const VALUES: TokenKinds = TokenKinds::of(&[
    TokenKind::Name,
    TokenKind::Int,
    TokenKind::MinusOnlyInt,
    TokenKind::Float,
    TokenKind::RightParen,
    TokenKind::RightBracket,
]);

/// Returns the kind of the token `back` tokens before `t`; the end of an input if there is none.
#[device]
fn kind_before(t: TokenId, back: u32, tokens: &Tokens) -> TokenKind {
    if t.get() < back { TokenKind::End } else { tokens.kind[t.minus(back)] }
}

/// Returns the kind of the token `ahead` tokens after `t`; the end of an input if there is none.
#[device]
fn kind_after(t: TokenId, ahead: u32, tokens: &Tokens) -> TokenKind {
    let after = t.plus(ahead);
    if after.index() < tokens.len() { tokens.kind[after] } else { TokenKind::End }
}

/// Returns the state after token `t`, relative to the state before it.
#[device(scan(join))]
fn prefix(t: TokenId, tokens: &Tokens) -> Prefix {
    let kind = tokens.kind[t];
    Prefix {
        depth: (OPENERS.contains(kind) as u32).wrapping_sub(CLOSERS.contains(kind) as u32),
        mark: if MARKS.contains(kind) { t.get() + 1 } else { 0 },
        ends: (kind == TokenKind::End) as u32,
    }
}

/// Returns the class and the key of token `t`.
#[device(scan_map(prefix, join))]
fn classified(t: TokenId, before: Prefix, tokens: &Tokens) -> ClassifiedToken {
    let kind = tokens.kind[t];
    let back1 = kind_before(t, 1, tokens);
    let back2 = kind_before(t, 2, tokens);
    let back3 = kind_before(t, 3, tokens);
    let ahead1 = kind_after(t, 1, tokens);
    let ahead2 = kind_after(t, 2, tokens);
    let mark = if before.mark == 0 { TokenKind::End } else { tokens.kind[TokenId::new(before.mark - 1)] };
    let before_mark = if before.mark < 2 { TokenKind::End } else { tokens.kind[TokenId::new(before.mark - 2)] };

    // Selections rather than branches: the kinds of tokens are hard to predict.
    let in_head = mark == TokenKind::Fn;
    let follows_result =
        (back1 == TokenKind::RightBracket) | (back2 == TokenKind::RightBracket) | (back2 == TokenKind::Extern);
    let follows_var = (back2 == TokenKind::Var) | (back3 == TokenKind::Var);
    let in_result = if in_head { Place::Result } else { Place::Declaration };
    let in_other = if in_head { Place::Head } else { Place::Other };
    let is_marked = if in_head { follows_result } else { follows_var };
    let place = if is_marked { in_result } else { in_other };
    let is_infix_minus = (back1 == TokenKind::Minus) & VALUES.contains(back2);
    let previous = if is_infix_minus { Before::Other } else { BEFORE[back1.code() as usize] };
    let next = AFTER[ahead1.code() as usize];
    let rows = (kind.code() as usize * Place::COUNT + place.code() as usize) * Before::COUNT;
    let row = (rows + previous.code() as usize) * After::COUNT + next.code() as usize;

    let is_brace = kind == TokenKind::LeftBrace;
    let is_extern = in_head & (before_mark == TokenKind::Extern);
    let statement = if is_extern { TokenKind::Extern } else { mark };
    let semicolon_row = if before.mark == t.get() { EMPTY_ROW } else { SEMICOLON_ROW };
    let statement_row = if is_brace { BRACE_ROW } else { semicolon_row } + statement.code() as usize;
    let is_statement = is_brace | (kind == TokenKind::Semicolon);
    let found = CLASSES[if is_statement { statement_row } else { row }];

    let depth = before.depth.wrapping_sub(CLOSERS.contains(kind) as u32);
    let is_end = kind == TokenKind::End;
    let is_unknown = (depth >= DEPTH_LIMIT) | (is_end & (depth != 0));
    let class = if is_unknown { Class::Unknown } else { found };

    // All but the first of a chain of assignments or of a run of unary operators, and all but the last `=` of a chain.
    let is_unary = PREFIXES.contains(back1) | ((back1 == TokenKind::Minus) & !is_infix_minus);
    let begins_assignment = (ahead1 == TokenKind::Var) | ((ahead1 == TokenKind::Name) & (ahead2 == TokenKind::Assign));
    let is_inner = (((class == Class::Head) | (class == Class::Var)) & (back1 == TokenKind::Assign))
        | ((class == Class::Unary) & is_unary)
        | ((class == Class::Assign) & begins_assignment);
    let level = OPERATOR_RANKS[kind.code() as usize];
    let of_class = RANKS[class.code() as usize];
    let of_first = if class == Class::Binary { level } else { of_class };
    let rank = if is_inner { REST_RANK } else { of_first };
    ClassifiedToken { class, key: if is_end { 0 } else { depth << RANK_BITS | rank as u32 } }
}

/// Returns the class and the key of each token.
pub fn classes<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<Classified<B>> {
    Ok(backend.scan_map(prefix::of(tokens), join, classified::of(tokens))?.0)
}
