//! Tokens get classes and keys: everything that the check and the tree need to know about them.
//!
//! ```text
//! token   fn        f             [               ]                {             x     =       -      1       ;              }
//! class   Fn        FunctionName  ParametersOpen  ParametersClose  FunctionBody  Head  Assign  Unary  Number  EndExpression  BlockClose
//! depth   0         0             0               0                0             1     1       1      1       1              0
//! rank    2         15            15              15               2             3     3       14     15      0              2
//! ```
//!
//! The class of a token depends on its kind, on the kinds of the three tokens before it and the two after it, and on the
//! last keyword, brace or semicolon before it. That token distinguishes the head of a function from other code, and
//! one kind of `{` and `;` from another. One scan finds it, together with the depth of brackets. A table that is computed
//! at compile time holds the rest.
//!
//! Each input is classified as if it was the only one: its end resets the scan. An end inside brackets, and a depth that
//! a key cannot hold, have the class `Unknown`.
//!
//! Cost: work O(n), one scan that reads 1 and writes 5 bytes per token.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::syntax::{
    AFTER, After, BEFORE, Before, CLASSES, Class, Classified, ClassifiedToken, DEPTH_LIMIT, LEVELS, Place, RANK_BITS,
    RANKS, REST_RANK,
};
use crate::ir::tokens::{TokenId, TokenKind, Tokens};

/// What a run of tokens means for the tokens after it.
#[device]
pub struct Prefix {
    /// The brackets that it opens minus those that it closes, since the last end of an input.
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

/// Returns a set of kinds as bits.
const fn set(kinds: &[TokenKind]) -> u64 {
    let mut bits = 0;
    let mut i = 0;
    while i < kinds.len() {
        bits |= 1 << kinds[i].code();
        i += 1;
    }
    bits
}

const OPENERS: u64 = set(&[TokenKind::LeftParen, TokenKind::LeftBracket, TokenKind::LeftBrace]);
const CLOSERS: u64 = set(&[TokenKind::RightParen, TokenKind::RightBracket, TokenKind::RightBrace]);
const BOUNDARIES: u64 = set(&[TokenKind::LeftBrace, TokenKind::RightBrace, TokenKind::Semicolon]);
const KEYWORDS: u64 = set(&[
    TokenKind::Fn,
    TokenKind::Extern,
    TokenKind::If,
    TokenKind::Elif,
    TokenKind::Else,
    TokenKind::While,
    TokenKind::Return,
]);
const MARKS: u64 = BOUNDARIES | KEYWORDS | set(&[TokenKind::End]);
const PREFIXES: u64 = set(&[TokenKind::Bang, TokenKind::Tilde]);
const VALUES: u64 = set(&[
    TokenKind::Name,
    TokenKind::Int,
    TokenKind::MinusOnlyInt,
    TokenKind::Float,
    TokenKind::RightParen,
    TokenKind::RightBracket,
]);

/// Returns whether a set holds a kind, without a branch.
#[device]
fn is_in(kind: TokenKind, set: u64) -> bool {
    (set >> (kind.code() as u64 & 63)) & 1 != 0
}

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

/// Returns what token `t` means for the tokens after it.
#[device(scan(join))]
fn prefix(t: TokenId, tokens: &Tokens) -> Prefix {
    let kind = tokens.kind[t];
    Prefix {
        depth: (is_in(kind, OPENERS) as u32).wrapping_sub(is_in(kind, CLOSERS) as u32),
        mark: if is_in(kind, MARKS) { t.get() + 1 } else { 0 },
        ends: (kind == TokenKind::End) as u32,
    }
}

/// Returns the class of a `{` after the mark of kind `mark`.
#[device]
fn class_of_brace(mark: TokenKind, is_extern: bool) -> Class {
    match mark {
        TokenKind::Fn => {
            if is_extern {
                Class::Unknown
            } else {
                Class::FunctionBody
            }
        }
        TokenKind::If | TokenKind::Elif => Class::ThenBody,
        TokenKind::While => Class::LoopBody,
        TokenKind::Else => Class::ElseBody,
        TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Semicolon => Class::Block,
        _ => Class::Unknown,
    }
}

/// Returns the class of a `;` after the mark of kind `mark`. `is_next` is `true` if no token is between them.
#[device]
fn class_of_semicolon(mark: TokenKind, is_extern: bool, is_next: bool) -> Class {
    match mark {
        TokenKind::Fn => {
            if is_extern {
                Class::EndExtern
            } else {
                Class::Unknown
            }
        }
        TokenKind::Return => Class::EndReturn,
        TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Semicolon => {
            if is_next {
                Class::Empty
            } else {
                Class::EndExpression
            }
        }
        _ => Class::Unknown,
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

    let depth = before.depth.wrapping_sub(is_in(kind, CLOSERS) as u32);
    let is_extern = before.mark >= 2 && tokens.kind[TokenId::new(before.mark.max(2) - 2)] == TokenKind::Extern;
    let is_infix_minus = back1 == TokenKind::Minus && is_in(back2, VALUES);
    let mut class = if kind == TokenKind::LeftBrace {
        class_of_brace(mark, is_extern)
    } else if kind == TokenKind::Semicolon {
        class_of_semicolon(mark, is_extern, before.mark == t.get())
    } else {
        let follows_result =
            back1 == TokenKind::RightBracket || back2 == TokenKind::RightBracket || back2 == TokenKind::Extern;
        let follows_var = back2 == TokenKind::Var || back3 == TokenKind::Var;
        let place = if mark == TokenKind::Fn {
            if follows_result { Place::Result } else { Place::Head }
        } else if follows_var {
            Place::Declaration
        } else {
            Place::Other
        };
        let previous = if is_infix_minus { Before::Other } else { BEFORE[back1.code() as usize] };
        let row = (kind.code() as usize * Place::COUNT + place.code() as usize) * Before::COUNT;
        let next = AFTER[ahead1.code() as usize];
        CLASSES[(row + previous.code() as usize) * After::COUNT + next.code() as usize]
    };
    if depth >= DEPTH_LIMIT || (kind == TokenKind::End && depth != 0) {
        class = Class::Unknown;
    }

    // All but the first of a chain of assignments or of a run of unary operators, and all but the last `=` of a chain.
    let is_unary = is_in(back1, PREFIXES) || (back1 == TokenKind::Minus && !is_infix_minus);
    let begins_assignment = ahead1 == TokenKind::Var || (ahead1 == TokenKind::Name && ahead2 == TokenKind::Assign);
    let is_inner = ((class == Class::Head || class == Class::Var) && back1 == TokenKind::Assign)
        || (class == Class::Unary && is_unary)
        || (class == Class::Assign && begins_assignment);
    let mut rank = RANKS[class.code() as usize];
    if class == Class::Binary {
        rank = LEVELS[kind.code() as usize];
    }
    if is_inner {
        rank = REST_RANK;
    }
    ClassifiedToken { class, key: if kind == TokenKind::End { 0 } else { depth << RANK_BITS | rank as u32 } }
}

/// Returns the class and the key of each token.
pub fn classes<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<Classified<B>> {
    Ok(backend.scan_map(prefix::of(tokens), join, classified::of(tokens))?.0)
}
