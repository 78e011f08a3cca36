//! The nodes of structs and tuples: their values, their fields, and the declarations that take a tuple apart.

use super::cursor::Cursor;
use super::forest::Forest;
use super::operations::{Form, Operand, check_type, check_value, push, span};
use super::struct_errors as errors;
use super::types::ERROR;
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, ty};

/// Checks the `k`-th value of a struct of type `ty`.
pub fn check_field(c: &mut Cursor<'_>, ty: u8, k: u32, mut operand: Operand) {
    match c.program.types.fields(ty).get(k as usize) {
        Some(field) => {
            let (owner, narrow) = (format!("the field `{}`", field.name), Type::from_code(field.ty));
            check_type(c, &operand, &owner, narrow.of_value().code());
            if narrow.rank() == 0 && narrow.is_narrow() {
                cut(c, &operand, narrow);
            }
        }
        None => check_value(c, &mut operand),
    }
}

/// Makes the nodes that keep the low bits of an int, for a narrow field.
fn cut(c: &mut Cursor<'_>, operand: &Operand, narrow: Type) {
    let mut apply = |kind: u8, number: u32| {
        let start = c.program.forest.len();
        push(c, kind::LITERAL, ty::INT, number, operand.first, start);
        push(c, kind, ty::INT, 0, operand.first, operand.start);
    };
    if narrow == Type::Byte {
        return apply(kind::AND, 0xff);
    }
    apply(kind::SHL, 16);
    apply(kind::SHR, 16);
}

/// Makes the node of a value of a struct with `count` values. `token` is the name, and the next token closes the value.
pub fn record(c: &mut Cursor<'_>, ty: u8, token: usize, start: u32, count: u32) -> Operand {
    let fields = c.program.types.fields(ty).len();
    if ty != ERROR && fields != count as usize {
        let error = errors::field_count(c.span_between(token, c.at), c.word(token), fields, count as usize);
        c.report(error);
    }
    push(c, kind::STRUCT, ty, 0, token, start);
    Operand { start, ty, form: Form::Any, first: token, last: c.at }
}

/// Checks a part of a tuple. Returns its type.
pub fn part_of_tuple(c: &mut Cursor<'_>, mut operand: Operand) -> u8 {
    check_value(c, &mut operand);
    operand.ty
}

/// Makes the node of a tuple with parts of some types. `token` is the `(`, and the next token is the `)`.
pub fn tuple(c: &mut Cursor<'_>, token: usize, start: u32, parts: &[u8]) -> Operand {
    let tuple = c.program.types.tuple(parts);
    let ty = c.within_limits(tuple, c.span_between(token, c.at));
    push(c, kind::STRUCT, ty, 0, token, start);
    Operand { start, ty, form: Form::Any, first: token, last: c.at }
}

/// Makes the node of a field. `dot` is the `.`, and the next token is the name of the field.
pub fn field(c: &mut Cursor<'_>, mut base: Operand, dot: usize) -> Operand {
    check_value(c, &mut base);
    let (ty, index) = if base.ty == ERROR { (ERROR, 0) } else { field_type(c, &base) };
    push(c, kind::FIELD, ty, index, dot, base.start);
    Operand { ty, form: Form::Any, last: c.at, ..base }
}

/// Returns the type of a field and its index. The next token is the name of the field.
fn field_type(c: &mut Cursor<'_>, base: &Operand) -> (u8, u32) {
    let (types, name) = (&c.program.types, c.word(c.at));
    let Some(index) = types.fields(base.ty).iter().position(|field| field.name == name) else {
        let error = errors::unknown_field(types, c.span(c.at), name, (span(c, base), base.ty));
        c.report(error);
        return (ERROR, 0);
    };
    let (ty, rank) = (types.fields(base.ty)[index].ty, types.rank(base.ty));
    let of_all = c.program.types.above(ty, rank);
    (c.within_limits(of_all, c.span_between(base.first, c.at)), index as u32)
}

/// A field that `p.x = e` assigns.
pub struct AssignedField {
    /// The type of its values.
    pub ty: u8,
    /// The type that it was declared with.
    pub declared: Type,
    /// The index of the first token: the name of the variable.
    pub token: usize,
    /// The nodes of the target, which come after the value's nodes.
    pub nodes: Forest,
}

/// Makes the nodes of `p.x = value`.
pub fn assign_field(c: &mut Cursor<'_>, field: AssignedField, mut value: Operand) -> Operand {
    let AssignedField { ty, declared, token, nodes } = field;
    check_value(c, &mut value);
    check_type(c, &value, "the new value", ty);
    if declared.rank() == 0 && declared.is_narrow() {
        cut(c, &value, declared);
    }
    c.program.forest.append(nodes);
    push(c, kind::ASSIGN_FIELD, ty, 0, token, value.start);
    Operand { ty, form: Form::Typed, first: token, ..value }
}

/// Makes the nodes of `var (x, y) = e` with `count` names. `token` is the `var`; a name is every second token from the `(` on.
pub fn destructure(c: &mut Cursor<'_>, token: usize, count: usize, mut value: Operand) -> Operand {
    check_value(c, &mut value);
    let names = (0..count).map(|k| token + 2 + 2 * k);
    let types = &c.program.types;
    let mut parts = vec![ERROR; count];
    if value.ty != ERROR && (!types.is_tuple(value.ty) || types.is_array(value.ty)) {
        let error = errors::not_a_tuple(types, span(c, &value), value.ty);
        c.report(error);
    } else if value.ty != ERROR && types.fields(value.ty).len() != count {
        let found = (c.span_between(token + 1, token + 1 + 2 * count), count);
        let error = errors::width(types, found, (span(c, &value), value.ty));
        c.report(error);
    } else {
        parts = types.fields(value.ty).iter().map(|field| Type::from_code(field.ty).of_value().code()).collect();
        parts.resize(count, ERROR);
    }
    for (name, ty) in names.zip(parts) {
        let start = c.program.forest.len();
        let node = push(c, kind::DECLARE, ty, 0, name, start);
        c.program.bind_variable(c.tokens.value[name], node, ty, c.tokens.start[name]);
    }
    push(c, kind::DESTRUCTURE, ty::VOID, 0, token, value.start);
    Operand { ty: ty::VOID, form: Form::Typed, first: token, ..value }
}
