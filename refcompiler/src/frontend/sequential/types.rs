//! The types of the language and the rules of its operators.

use super::lexer::Token;
use crate::ir::kinds::{Kind, MAX_RANK, Type};
use crate::ir::tree::{kind, ty};

/// The type of a value with an error. It agrees with every type, so that one error is reported once.
pub const ERROR: u8 = 3;

/// Returns the type that a token names.
pub fn type_of(token: Token) -> Option<u8> {
    match token {
        Token::IntType => Some(ty::INT),
        Token::FloatType => Some(ty::FLOAT),
        Token::VoidType => Some(ty::VOID),
        _ => None,
    }
}

/// Returns the type that begins with token `k` of some tokens, and the index after it. The type is `None` if brackets are
/// missing, and [`ERROR`] if it is no type of a value.
pub fn type_at(kind: impl Fn(usize) -> Token, mut k: usize) -> (Option<u8>, usize) {
    let mut rank = 0;
    while kind(k) == Token::LeftBracket {
        rank += 1;
        k += 1;
    }
    let element = type_of(kind(k)).unwrap_or(ERROR);
    k += 1;
    for _ in 0..rank {
        if kind(k) != Token::RightBracket {
            return (None, k);
        }
        k += 1;
    }
    let is_valid = rank == 0 || rank <= MAX_RANK && matches!(element, ty::INT | ty::FLOAT);
    (Some(if is_valid { Type::from_code(element).array(rank).code() } else { ERROR }), k)
}

/// Returns whether values of two types can meet: the types are equal, or one of them is [`ERROR`].
pub fn agree(a: u8, b: u8) -> bool {
    a == b || a == ERROR || b == ERROR
}

/// Returns whether a type is the type of arrays.
pub fn is_array(ty: u8) -> bool {
    Type::from_code(ty).is_array()
}

/// Returns whether an operator is defined only for `int`.
pub fn is_int_only(kind: u8) -> bool {
    Kind::from_code(kind).is_int_only()
}

/// Returns whether an operator compares its operands.
pub fn is_comparison(kind: u8) -> bool {
    Kind::from_code(kind).is_comparison()
}

/// Returns whether a node can do more than compute a value from its children and from constants. Operations that are written as
/// calls count as calls.
pub fn has_effect(kind: u8) -> bool {
    matches!(kind, kind::CALL | kind::ASSIGN | kind::DECLARE | kind::SQRT | kind::ABS | kind::LOAD | kind::STORE)
        || matches!(kind, kind::UPDATE | kind::SIZE | kind::REPLICATE)
}
