//! The operations that change the shape of an array: their last argument in the tree is a list of dimensions or extents.

use super::array_errors as errors;
use super::cursor::Cursor;
use super::operations::{Operand, push, span};
use super::types::ERROR;
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, ty};

/// Reports a dimension of a `perm` that is not a literal.
pub fn check_dimension(c: &mut Cursor<'_>, operand: &Operand) {
    let forest = &c.program.forest;
    let is_literal = forest.kind.last() == Some(&kind::LITERAL) && forest.len() == operand.start + 1;
    if operand.ty != ERROR && !(is_literal && operand.ty == ty::INT) {
        c.report(errors::dimension_not_literal(span(c, operand), "perm[a, 1, 0]"));
    }
}

/// Makes the list of the numbers from the node `start` on, as the second argument of the operation that `token` names.
fn list(c: &mut Cursor<'_>, token: usize, start: u32) {
    let ints = Type::Int.array(1).code();
    push(c, kind::ARRAY, ints, 0, token, start);
    push(c, kind::ARG, ints, 1, token, start);
}

/// Makes the dimensions of `transpose[a]`, where `a` has type `array`. Returns the type of the value.
pub fn transpose(c: &mut Cursor<'_>, token: usize, array: u8) -> u8 {
    let rank = c.program.types.rank(array);
    if array != ERROR && rank < 2 {
        c.report(errors::transposed_vector(&c.program.types, c.span_between(token, c.at), array));
        return ERROR;
    }
    let start = c.program.forest.len();
    for k in 0..rank {
        let dimension = if k < 2 { 1 - k } else { k };
        let next = c.program.forest.len();
        push(c, kind::LITERAL, ty::INT, dimension, token, next);
    }
    list(c, token, start);
    array
}

/// Makes the list of the `count - 1` dimensions of `perm[a, ..]`, which are the last nodes, where `a` has type `array`. Returns the
/// type of the value.
pub fn perm(c: &mut Cursor<'_>, token: usize, count: u32, array: u8) -> u8 {
    let given = count.saturating_sub(1);
    if array == ERROR || c.program.forest.kind.iter().rev().take(given as usize).any(|&kind| kind != kind::LITERAL) {
        return ERROR;
    }
    let (start, rank) = (c.program.forest.len() - given, c.program.types.rank(array));
    let mut seen = vec![false; rank as usize];
    for &dimension in &c.program.forest.data[start as usize..] {
        if let Some(seen) = seen.get_mut(dimension as usize) {
            *seen = true;
        }
    }
    if given != rank || seen.contains(&false) {
        c.report(errors::not_a_permutation(&c.program.types, c.span_between(token, c.at), array));
        return ERROR;
    }
    list(c, token, start);
    array
}

/// Makes the list of the `count - 1` extents of `reshape[a, ..]`, which are the last operands, where `a` has type `array`. Returns
/// the type of the value.
pub fn reshape(c: &mut Cursor<'_>, token: usize, count: u32, array: u8) -> u8 {
    let given = count.saturating_sub(1);
    if array == ERROR || given == 0 {
        return ERROR;
    }
    let forest = &c.program.forest;
    let start = (0..given).fold(forest.len(), |end, _| end - forest.size[end as usize - 1]);
    list(c, token, start);
    let ty = c.program.types.array(array, given);
    c.within_limits(ty, c.span_between(token, c.at))
}
