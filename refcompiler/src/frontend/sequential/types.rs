//! The types of the language and the rules of its operators.

use super::lexer::Token;
use crate::ir::kinds::{Kind, Type};
use crate::ir::tree::{kind, ty};

/// The type of a value with an error. It agrees with every type, so that one error is reported once.
pub const ERROR: u8 = ty::UNKNOWN;

/// Returns the type that a token names.
pub fn type_of(token: Token) -> Option<u8> {
    match token {
        Token::IntType => Some(ty::INT),
        Token::FloatType => Some(ty::FLOAT),
        Token::VoidType => Some(ty::VOID),
        _ => None,
    }
}

/// Returns whether values of two types can meet: the types are equal, or one of them is [`ERROR`].
pub fn agree(a: u8, b: u8) -> bool {
    a == b || a == ERROR || b == ERROR
}

/// Returns whether a value is a number, or has no type: neither an array, a struct nor a tuple.
pub fn is_number(ty: u8) -> bool {
    let ty = Type::from_code(ty);
    ty.rank() == 0 && !ty.is_composite()
}

/// Returns the number of dimensions of a type's values.
pub fn rank_of(ty: u8) -> u32 {
    Type::from_code(ty).rank()
}

/// Returns the type of the numbers in an array; of a number, its type.
pub fn element_of(ty: u8) -> u8 {
    Type::from_code(ty).element().code()
}

/// Returns the type of arrays of some rank whose numbers have a type.
pub fn array_type(element: u8, rank: u32) -> u8 {
    Type::from_code(element).array(rank).code()
}

/// Returns whether a type is `byte`, `short`, or that of arrays of one of them.
pub fn is_narrow(ty: u8) -> bool {
    Type::from_code(ty).is_narrow()
}

/// Returns the type of the elements of an operation with two operands, if it is defined: that of both. A narrow array also meets an
/// int, whose low bits count.
pub fn common_element(a: u8, b: u8) -> Option<u8> {
    match (element_of(a), element_of(b)) {
        (ERROR, other) | (other, ERROR) => Some(other),
        (first, second) if first == second => Some(first),
        (_, second) if a == ty::INT && is_narrow(b) => Some(second),
        (first, _) if b == ty::INT && is_narrow(a) => Some(first),
        _ => None,
    }
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
        || matches!(kind, kind::LOAD_BYTE | kind::LOAD_SHORT | kind::STORE_BYTE | kind::STORE_SHORT)
        || matches!(kind, kind::UPDATE | kind::UPDATE_SLICE | kind::SIZE | kind::REPLICATE | kind::PRINT | kind::WHERE)
        || matches!(kind, kind::ASSIGN_FIELD | kind::DESTRUCTURE)
        || matches!(kind, kind::ZIP | kind::UNZIP | kind::SPLIT)
        || matches!(
            kind,
            kind::MAP | kind::REDUCE | kind::FOLD_RIGHT | kind::REDOMAP | kind::SCAN | kind::FILTER | kind::GROUP
        )
}
