//! Operations that stand for a `reduce`: `sum[a]` is `reduce[(+), 0, a]`. The function and the first value come before the array in
//! the tree, so they are made without types, and get these when the array is known.

use super::callees::{Callee, add_leaf};
use super::cursor::Cursor;
use super::functional_errors as errors;
use super::operations::{Operand, push, span};
use super::types::ERROR;
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, ty};

/// An operation that stands for a `reduce`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shorthand {
    Sum,
    Product,
    Min,
    Max,
    All,
    Any,
    Count,
}

impl Shorthand {
    /// Makes the function and the first value. The next token is the name.
    pub fn begin(self, c: &mut Cursor<'_>) -> Callee {
        let callee = match self {
            Shorthand::Min => Callee::extreme(c, kind::LT),
            Shorthand::Max => Callee::extreme(c, kind::GT),
            Shorthand::Sum => self.operator(c, kind::ADD, true),
            Shorthand::Product => self.operator(c, kind::MUL, true),
            Shorthand::All => self.operator(c, kind::LAND, false),
            Shorthand::Any => self.operator(c, kind::LOR, false),
            Shorthand::Count => self.operator(c, kind::ADD, false),
        };
        add_leaf(c, kind::LITERAL, ERROR, 0);
        callee
    }

    /// Makes a function that combines two numbers, or an int and whether an element is not 0.
    fn operator(self, c: &mut Cursor<'_>, kind: u8, of_elements: bool) -> Callee {
        let ty = if of_elements { ERROR } else { ty::INT };
        let start = add_leaf(c, kind::PARAM, ty, 0);
        add_leaf(c, kind::PARAM, ERROR, 0);
        let left = add_leaf(c, kind::NAME, ty, start);
        let right = add_leaf(c, kind::NAME, ERROR, start + 1);
        if !of_elements {
            add_leaf(c, kind::LITERAL, ERROR, 0);
            push(c, kind::NE, ty::INT, 0, c.at, right);
        }
        push(c, kind, ty, 0, c.at, left);
        let callee = Callee::generic(c, start);
        c.program.forest.ty[callee.node() as usize] = ty;
        callee
    }

    /// Gives the nodes of [`Shorthand::begin`] their types, if the argument is an array of numbers. Returns the type of the value.
    pub fn finish(self, c: &mut Cursor<'_>, token: usize, callee: &Callee, array: &Operand) -> u8 {
        let found = Type::from_code(array.ty);
        let element = found.element().of_value().code();
        if array.ty == ERROR {
            return ERROR;
        }
        if !found.is_array() || found.rank() != 1 {
            c.report(errors::vector_needed(&c.program.types, span(c, array), c.word(token), array.ty));
            return ERROR;
        }
        let is_float = element == ty::FLOAT;
        let number = |int: i32, float: f32| if is_float { float.to_bits() } else { int as u32 };
        let (ty, data) = match self {
            Shorthand::Sum => (element, number(0, 0.0)),
            Shorthand::Product => (element, number(1, 1.0)),
            Shorthand::Min => (element, number(i32::MAX, f32::INFINITY)),
            Shorthand::Max => (element, number(i32::MIN, f32::NEG_INFINITY)),
            Shorthand::All => (ty::INT, 1),
            Shorthand::Any | Shorthand::Count => (ty::INT, 0),
        };
        callee.set_type(c, element);
        let first = callee.node() as usize + 1;
        (c.program.forest.ty[first], c.program.forest.data[first]) = (ty, data);
        ty
    }
}
