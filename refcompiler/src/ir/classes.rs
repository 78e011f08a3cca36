//! The tables that give each token its class and its rank, computed when the compiler is compiled.
//!
//! ```text
//! token    var      x             =          -                y
//! before   ; Mark   var Var       x Name     = Assign         - Minus, after = Assign
//! column   Other    Var           Name       Other, Assign    Minus, Unary
//! rule     Var, 3   VariableName  Assign, 15 Unary, 14        Name, 15
//! ```
//!
//! A token's class depends on its kind, on the three tokens before it, on the next one, and on the last mark before it:
//! a keyword, brace, semicolon or end. [`FACTS`] reduces a kind to its facts about other tokens, and [`RECENT`] reduces
//! the three tokens to a column of the table [`RULES`]. Tables serve all kinds, because kinds are hard to predict for a
//! branch.

use treepar::device::device;

use super::syntax::{Class, INNER_HEAD_RANK, INNER_UNARY_RANK, RANK_BITS, REST_RANK, rank_of};
use super::tokens::TokenKind;

/// The facts about the token before another one that its class depends on.
#[device]
pub enum Before {
    /// No token.
    None,
    /// Nothing.
    Other,
    /// A mark, except `extern` and `fn`.
    Mark,
    /// `extern`.
    Extern,
    /// `fn`.
    Fn,
    /// `var`.
    Var,
    /// `:`.
    Colon,
    /// A name.
    Name,
    /// A number or `)`.
    Value,
    /// `]`.
    Bracket,
    /// A type.
    Type,
    /// `-`, if it is unary.
    Minus,
    /// `!` or `~`.
    Prefix,
    /// `=`.
    Assign,
    /// `for`, or the `if` of a conditional expression. The next token is a word or `[`, which distinguishes them.
    Leader,
}

/// The facts about the token after another one that its class depends on.
#[device]
pub enum After {
    /// Nothing.
    Other,
    /// `=`.
    Assign,
    /// `(` or `[`.
    Open,
    /// `)` or `]`.
    Close,
}

/// The part of the program that a token belongs to, as far as its class depends on it.
#[device]
pub enum Place {
    /// All other parts.
    Other,
    /// Two or three tokens after `var`, or two after `for`.
    Declaration,
    /// Between a `fn` and the next brace or semicolon.
    Head,
    /// The same, and one or two tokens after a `]` or two after an `extern`.
    Result,
}

/// The facts about the token before another one that decide whether it continues a run or a chain.
#[device]
pub enum Last {
    /// Nothing.
    Other,
    /// A unary operator.
    Unary,
    /// `=`.
    Assign,
    /// A mark.
    Mark,
}

/// Tokens that distinguish statements: the last one before a `{` or `;` is the statement that it belongs to.
#[device]
pub enum Mark {
    /// No mark.
    None,
    /// The end of an input.
    End,
    /// A brace or a semicolon.
    Boundary,
    /// `fn`.
    Fn,
    /// `if` or `elif`.
    If,
    /// `else`.
    Else,
    /// `while`.
    While,
    /// `for`.
    For,
    /// `return`.
    Return,
}

/// The marks in whose statements names are names of functions and parameters, as bits.
pub const HEADS: u32 = 1 << Mark::Fn.code();

/// Bits for [`Before`] in a row of [`FACTS`], the lowest bits.
pub const BEFORE_BITS: u32 = 4;
/// The first bit of the [`Mark`], of 4 bits.
pub const MARK_SHIFT: u32 = 4;
/// The first bit of [`After`], of 2 bits.
pub const AFTER_SHIFT: u32 = 8;
/// The bit of `{`, `;` and `var`, whose classes depend on the statement.
pub const IN_STATEMENT: u32 = 10;
/// The bit of the end of an input.
pub const ENDS: u32 = 11;
/// The first bit of the change of the depth in brackets, a signed number in the highest bits.
pub const NESTS: u32 = 30;
/// The bit of `)`, `]` and `}`: the sign of that number.
pub const CLOSES: u32 = 31;

/// The change of the depth at `(`, `[` and `{`.
const OPENING: u32 = 1 << NESTS;
/// The change of the depth at `)`, `]` and `}`.
const CLOSING: u32 = 3 << NESTS;

/// The facts about each kind for the classes of the tokens around it. Rows for all bytes need no check of the index.
pub const FACTS: [u32; 256] = {
    let mut facts = [0; 256];
    let mut i = 0;
    while i < TokenKind::COUNT {
        let (before, mark, after, bits) = match TokenKind::ALL[i] {
            TokenKind::End => (Before::Mark, Mark::End, After::Other, 1 << ENDS),
            TokenKind::LeftBrace => (Before::Mark, Mark::Boundary, After::Other, OPENING | 1 << IN_STATEMENT),
            TokenKind::RightBrace => (Before::Mark, Mark::Boundary, After::Other, CLOSING),
            TokenKind::Semicolon => (Before::Mark, Mark::Boundary, After::Other, 1 << IN_STATEMENT),
            TokenKind::Fn => (Before::Fn, Mark::Fn, After::Other, 0),
            TokenKind::Extern => (Before::Extern, Mark::None, After::Other, 0),
            TokenKind::If | TokenKind::Elif => (Before::Mark, Mark::If, After::Other, 0),
            TokenKind::Else => (Before::Mark, Mark::Else, After::Other, 0),
            TokenKind::While => (Before::Mark, Mark::While, After::Other, 0),
            TokenKind::For => (Before::Leader, Mark::For, After::Other, 0),
            TokenKind::Return => (Before::Mark, Mark::Return, After::Other, 0),
            TokenKind::LeftParen | TokenKind::LeftBracket => (Before::Other, Mark::None, After::Open, OPENING),
            TokenKind::RightParen => (Before::Value, Mark::None, After::Close, CLOSING),
            TokenKind::RightBracket => (Before::Bracket, Mark::None, After::Close, CLOSING),
            TokenKind::Choose => (Before::Leader, Mark::None, After::Other, 0),
            TokenKind::Var => (Before::Var, Mark::None, After::Other, 1 << IN_STATEMENT),
            TokenKind::Name => (Before::Name, Mark::None, After::Other, 0),
            TokenKind::Assign => (Before::Assign, Mark::None, After::Assign, 0),
            TokenKind::Colon => (Before::Colon, Mark::None, After::Other, 0),
            TokenKind::Int | TokenKind::MinusOnlyInt | TokenKind::Float => (Before::Value, Mark::None, After::Other, 0),
            TokenKind::ArrayBracket | TokenKind::IndexBracket => (Before::Other, Mark::None, After::Open, OPENING),
            TokenKind::Update => (Before::Assign, Mark::None, After::Other, 0),
            TokenKind::LambdaOpen => (Before::Other, Mark::None, After::Other, OPENING),
            TokenKind::LambdaClose => (Before::Other, Mark::None, After::Other, CLOSING),
            TokenKind::IntType | TokenKind::FloatType | TokenKind::VoidType => {
                (Before::Type, Mark::None, After::Other, 0)
            }
            TokenKind::Minus => (Before::Minus, Mark::None, After::Other, 0),
            TokenKind::Bang | TokenKind::Tilde => (Before::Prefix, Mark::None, After::Other, 0),
            _ => (Before::Other, Mark::None, After::Other, 0),
        };
        let after = (after.code() as u32) << AFTER_SHIFT;
        facts[i] = before.code() as u32 | (mark.code() as u32) << MARK_SHIFT | after | bits;
        i += 1;
    }
    facts
};

/// The facts that [`RULES`] distinguishes. All others are like the first, and `]` is like `)`.
const DISTINGUISHED: [Before; 10] = [
    Before::Other,
    Before::Extern,
    Before::Fn,
    Before::Var,
    Before::Colon,
    Before::Name,
    Before::Value,
    Before::Type,
    Before::Minus,
    Before::Leader,
];

/// Returns the column of [`RULES`] for a token with some [`Before`] and place, if nothing follows it. [`Last`] replaces
/// [`After`].
const fn column(before: Before, place: Place, last: Last) -> u16 {
    let before = if matches!(before, Before::Bracket) { Before::Value } else { before };
    let mut at = DISTINGUISHED.len() - 1;
    while at > 0 && DISTINGUISHED[at].code() != before.code() {
        at -= 1;
    }
    ((at * Place::COUNT + place.code() as usize) * After::COUNT) as u16 + last.code() as u16
}

/// Returns whether a token ends a value.
const fn is_value(before: Before) -> bool {
    matches!(before, Before::Name | Before::Value | Before::Bracket)
}

/// Returns the row of [`RECENT`] for the third, the second and the first token before another one.
const fn recent(third: Before, second: Before, first: Before) -> u16 {
    let is_infix = matches!(first, Before::Minus) && is_value(second);
    let before = if is_infix { Before::Other } else { first };
    let last = match first {
        Before::Prefix => Last::Unary,
        Before::Minus if !is_infix => Last::Unary,
        Before::Assign => Last::Assign,
        Before::None | Before::Mark | Before::Extern | Before::Fn | Before::Leader => Last::Mark,
        _ => Last::Other,
    };
    let is_result = matches!(first, Before::Bracket) || matches!(second, Before::Bracket | Before::Extern);
    let is_declaration = matches!(second, Before::Var | Before::Leader) || matches!(third, Before::Var);
    let in_head = column(before, if is_result { Place::Result } else { Place::Head }, last);
    let outside = column(before, if is_declaration { Place::Declaration } else { Place::Other }, last);
    in_head << 8 | outside
}

/// The columns of [`RULES`] by the [`Before`] of the last three tokens, of which the first is in the lowest bits: in the
/// low byte outside the heads of functions, in the high byte inside.
pub const RECENT: [u16; 1 << (3 * BEFORE_BITS)] = {
    let mut columns = [0; 1 << (3 * BEFORE_BITS)];
    let mut i = 0;
    while i < columns.len() {
        let (first, second, third) = (i & 15, i >> BEFORE_BITS & 15, i >> (2 * BEFORE_BITS));
        if first < Before::COUNT && second < Before::COUNT && third < Before::COUNT {
            columns[i] = recent(Before::ALL[third], Before::ALL[second], Before::ALL[first]);
        }
        i += 1;
    }
    columns
};

/// Returns the class of a token of any kind but `{`, `;` and `var`, whose classes depend on the statement.
const fn class_of(kind: TokenKind, before: Before, after: After, place: Place) -> Class {
    match kind {
        TokenKind::Name => match (before, place, after) {
            (Before::Fn, Place::Result, _) => Class::ExternName,
            (Before::Fn, _, _) => Class::FunctionName,
            (_, Place::Head | Place::Result, _) => Class::Parameter,
            (Before::Var, _, _) => Class::VariableName,
            (Before::Leader, _, _) => Class::Counter,
            (_, _, After::Assign) => Class::Head,
            (_, _, After::Open) => Class::Callee,
            _ => Class::Name,
        },
        TokenKind::Int | TokenKind::Float => Class::Number,
        TokenKind::MinusOnlyInt => match before {
            Before::Minus => Class::Number,
            _ => Class::Unknown,
        },
        TokenKind::IntType | TokenKind::FloatType | TokenKind::VoidType => match (before, place) {
            (Before::Colon, Place::Other) => Class::AscribedType,
            (Before::Colon, Place::Declaration) => Class::VariableType,
            (Before::Colon, Place::Head) => Class::ParameterType,
            (Before::Colon, Place::Result) => Class::ResultType,
            _ => Class::Cast,
        },
        TokenKind::ArrayType => match (before, place) {
            (Before::Colon, Place::Other) => Class::AscribedType,
            (Before::Colon, Place::Declaration) => Class::VariableType,
            (Before::Colon, Place::Head) => Class::ParameterType,
            (Before::Colon, Place::Result) => Class::ResultType,
            _ => Class::Unknown,
        },
        TokenKind::UniqueType => match (before, place) {
            (Before::Colon, Place::Head) => Class::ParameterType,
            (Before::Colon, Place::Result) => Class::ResultType,
            _ => Class::Unknown,
        },
        TokenKind::ArrayBracket => Class::ArrayOpen,
        TokenKind::IndexBracket => Class::IndexOpen,
        TokenKind::Update => Class::Update,
        TokenKind::LambdaOpen => Class::LambdaOpen,
        TokenKind::LambdaParameter => Class::LambdaParameter,
        TokenKind::LambdaType => Class::ParameterType,
        TokenKind::LambdaComma => Class::ParameterComma,
        TokenKind::LambdaClose => Class::ParametersClose,
        TokenKind::Section => Class::Section,
        TokenKind::Range => Class::Range,
        TokenKind::All => Class::All,
        TokenKind::Colon => match place {
            Place::Other => Class::Ascribe,
            Place::Declaration => Class::VariableColon,
            Place::Head => Class::ParameterColon,
            _ => Class::ResultColon,
        },
        TokenKind::Comma => match place {
            Place::Head | Place::Result => Class::ParameterComma,
            _ => Class::ArgumentComma,
        },
        TokenKind::LeftBracket => match (before, place, after) {
            (Before::Leader, _, _) => Class::ChoiceBracket,
            (_, Place::Head | Place::Result, _) => Class::ParametersOpen,
            (_, _, After::Close) => Class::EmptyBracket,
            _ => Class::CallBracket,
        },
        TokenKind::RightBracket => match place {
            Place::Head | Place::Result => Class::ParametersClose,
            _ => Class::BracketClose,
        },
        TokenKind::LeftParen => match (before, after) {
            (Before::Name, After::Close) => Class::EmptyParen,
            (Before::Name, _) => Class::CallParen,
            (Before::Type, _) => Class::CastOpen,
            _ => Class::GroupOpen,
        },
        TokenKind::RightParen => Class::ParenClose,
        TokenKind::RightBrace => Class::BlockClose,
        TokenKind::Minus => match before {
            Before::Name | Before::Value => Class::Binary,
            _ => Class::Unary,
        },
        TokenKind::Bang | TokenKind::Tilde => Class::Unary,
        TokenKind::Assign => Class::Assign,
        TokenKind::Choose => Class::Choose,
        TokenKind::Fn => match before {
            Before::Extern => Class::ExternFn,
            _ => Class::Fn,
        },
        TokenKind::Extern => Class::Extern,
        TokenKind::If => Class::If,
        TokenKind::Elif => Class::Elif,
        TokenKind::Else => Class::Else,
        TokenKind::While => Class::While,
        TokenKind::For => Class::For,
        TokenKind::Return => Class::Return,
        TokenKind::End => Class::End,
        TokenKind::Lt if matches!((before, place), (Before::Name, Place::Declaration)) => Class::Below,
        _ if kind.operator().is_some() => Class::Binary,
        _ => Class::Unknown,
    }
}

/// Returns the class of a `{` after a mark.
const fn class_of_brace(mark: Mark) -> Class {
    match mark {
        Mark::Fn => Class::FunctionBody,
        Mark::If => Class::ThenBody,
        Mark::While | Mark::For => Class::LoopBody,
        Mark::Else => Class::ElseBody,
        Mark::Boundary => Class::Block,
        _ => Class::Unknown,
    }
}

/// Returns the class of a `;` after a mark. `is_next` is `true` if no token is between them.
const fn class_of_semicolon(mark: Mark, is_next: bool) -> Class {
    match mark {
        Mark::Fn => Class::EndExtern,
        Mark::Return => Class::EndReturn,
        Mark::Boundary if is_next => Class::Empty,
        Mark::Boundary => Class::EndExpression,
        _ => Class::Unknown,
    }
}

/// Returns the class of a `var` after a mark. The head of a `for` declares no other variable.
const fn class_of_var(mark: Mark) -> Class {
    match mark {
        Mark::For => Class::Unknown,
        _ => Class::Var,
    }
}

/// The columns of [`RULES`] per kind.
pub const COLUMNS: usize = DISTINGUISHED.len() * Place::COUNT * After::COUNT;

/// Bits of the class in a rule, the lowest bits.
pub const CLASS_BITS: u32 = 7;
/// The first bit of the [`Last`] after which the token is inside a chain or run. The bits from `CLASS_BITS` on are the rank
/// elsewhere.
pub const LAST_SHIFT: u32 = CLASS_BITS + RANK_BITS;
/// The [`Last`] of tokens that are in no chain or run.
const NEVER: u16 = Last::COUNT as u16;
/// The ranks inside a chain or run: after the [`Last`] with code `k`, the bits from `RANK_BITS * k` on.
pub const INNER_RANKS: u32 = (INNER_UNARY_RANK as u32) << (RANK_BITS * Last::Unary.code() as u32)
    | (INNER_HEAD_RANK as u32) << (RANK_BITS * Last::Assign.code() as u32);

/// Returns the class of a token, its rank, and after what it has another rank.
const fn rule(kind: TokenKind, class: Class) -> u16 {
    let rank = rank_of(kind, class);
    let last = match class {
        Class::Unary => Last::Unary.code() as u16,
        Class::Head | Class::Var => Last::Assign.code() as u16,
        _ => NEVER,
    };
    assert!(class.code() < 1 << CLASS_BITS && rank <= REST_RANK);
    class.code() as u16 | (rank as u16) << CLASS_BITS | last << LAST_SHIFT
}

/// The rule of each token: a row per kind, of [`COLUMNS`] columns. The column of a `{`, `;` or `var` is its mark times the
/// number of [`Last`], plus the fact about the token before it.
#[expect(clippy::large_const_arrays, reason = "a device function reads constants")]
pub const RULES: [u16; TokenKind::COUNT * COLUMNS] = {
    let mut rules = [0; TokenKind::COUNT * COLUMNS];
    let mut i = 0;
    while i < rules.len() {
        let (kind, column) = (TokenKind::ALL[i / COLUMNS], i % COLUMNS);
        let after = After::ALL[column % After::COUNT];
        let place = Place::ALL[column / After::COUNT % Place::COUNT];
        let before = DISTINGUISHED[column / (After::COUNT * Place::COUNT)];
        let (mark, is_next) = (column / Last::COUNT, column % Last::COUNT == Last::Mark.code() as usize);
        let mark = if mark < Mark::COUNT { Mark::ALL[mark] } else { Mark::None };
        let class = match kind {
            TokenKind::LeftBrace => class_of_brace(mark),
            TokenKind::Semicolon => class_of_semicolon(mark, is_next),
            TokenKind::Var => class_of_var(mark),
            _ => class_of(kind, before, after, place),
        };
        rules[i] = rule(kind, class);
        i += 1;
    }
    rules
};
