//! Operands and the nodes of operations on them: types are checked, and a wrong type is reported once.

use std::ops::Range;

use super::cursor::Cursor;
use super::errors;
use super::extents::check_elements;
use super::forest::Forest;
use super::lexer::Token;
use super::struct_errors::no_number;
use super::types::{
    ERROR, agree, array_type, common_element, element_of, is_comparison, is_int_only, is_narrow, rank_of,
};
use crate::ir::builtins::{ANY, BUILTINS, operation};
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, runtime, ty};

/// The form of an operand, where that restricts the tokens after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Every operator may follow.
    Any,
    /// `e : T`: no operator that binds tighter may follow.
    Typed,
    /// `var x: T` without a value: no operator and no second type may follow.
    Declared,
    /// A function as an argument, which ends the argument.
    Function,
    /// A range of indices, which ends the index.
    Range,
}

/// A complete value. Its nodes are the last nodes of the forest.
#[derive(Clone, Copy)]
pub struct Operand {
    /// The first node of its subtree.
    pub start: u32,
    /// The type.
    pub ty: u8,
    /// The form.
    pub form: Form,
    /// The index of its first token.
    pub first: usize,
    /// The index of its last token.
    pub last: usize,
}

/// Returns the positions of an operand.
pub fn span(c: &Cursor<'_>, operand: &Operand) -> Range<u32> {
    c.span_between(operand.first, operand.last)
}

/// Adds a node above the nodes from `start` on. Its position is the position of a token.
pub fn push(c: &mut Cursor<'_>, kind: u8, ty: u8, data: u32, token: usize, start: u32) -> u32 {
    let pos = c.tokens.start[token];
    c.program.forest.push(kind, ty, data, pos, start)
}

/// Makes a node without children from the next token, and moves past the token.
pub fn leaf(c: &mut Cursor<'_>, kind: u8, ty: u8, data: u32) -> Operand {
    let (token, start) = (c.at, c.program.forest.len());
    push(c, kind, ty, data, token, start);
    c.advance();
    Operand { start, ty, form: Form::Any, first: token, last: token }
}

/// Reports a call without a value.
pub fn check_value(c: &mut Cursor<'_>, operand: &mut Operand) {
    if operand.ty == ty::VOID {
        operand.ty = ERROR;
        c.report(errors::void_value(span(c, operand)));
    }
}

/// Reports a value of another type than the expected one.
pub fn check_type(c: &mut Cursor<'_>, operand: &Operand, owner: &str, expected: u8) {
    if !agree(expected, operand.ty) {
        c.report(errors::wrong_type(&c.program.types, span(c, operand), owner, expected, operand.ty));
    }
}

/// Makes the node of a binary operator.
pub fn binary(c: &mut Cursor<'_>, kind: u8, token: usize, left: Operand, right: Operand) -> Operand {
    let ty = binary_type(c, kind, c.tokens.kind[token], left, right);
    if Type::from_code(ty).is_array() {
        check_elements(c, &[left, right]);
    }
    push(c, kind, ty, data_of_operator(c, ty, token), token, left.start);
    Operand { ty, form: Form::Any, last: right.last, ..left }
}

/// Returns the data of an operator's node: of an array, one more than its position.
pub fn data_of_operator(c: &Cursor<'_>, ty: u8, token: usize) -> u32 {
    if Type::from_code(ty).is_array() { c.tokens.start[token] + 1 } else { 0 }
}

/// Checks the operands of a binary operator. Returns the type of its value.
pub fn binary_type(c: &mut Cursor<'_>, kind: u8, operator: Token, mut left: Operand, mut right: Operand) -> u8 {
    let int_only = is_int_only(kind);
    if left.ty != right.ty || left.ty != ty::INT {
        check_operands(c, operator, int_only, &mut left, &mut right);
    }
    let operand = if left.ty == ERROR { right.ty } else { left.ty };
    let (element, rank) = match (left.ty, right.ty) {
        (ERROR, _) | (_, ERROR) => (operand, 0),
        (left, right) => (common_element(left, right).unwrap_or(ERROR), rank_of(left).max(rank_of(right))),
    };
    if kind == kind::REM && element == ty::FLOAT {
        c.program.callables[runtime::REMAINDER as usize].used = true;
    }
    let is_truth = is_comparison(kind) || matches!(kind, kind::LAND | kind::LOR);
    let ty = if is_truth || int_only && !is_narrow(element) { ty::INT } else { element };
    if rank == 0 {
        return ty;
    }
    c.program.loops = true;
    array_type(ty, rank)
}

/// Checks the operands of a binary operator unless both are ints.
fn check_operands(c: &mut Cursor<'_>, operator: Token, int_only: bool, left: &mut Operand, right: &mut Operand) {
    check_value(c, left);
    check_value(c, right);
    let float = [&*left, &*right].into_iter().find(|operand| int_only && element_of(operand.ty) == ty::FLOAT);
    let composite = [&*left, &*right].into_iter().find(|operand| Type::from_code(operand.ty).is_composite());
    let types = &c.program.types;
    let error = if let Some(composite) = composite {
        no_number(types, span(c, composite), operator.spelling(), composite.ty)
    } else if let Some(float) = float {
        errors::int_only(types, span(c, float), operator, float.ty)
    } else if common_element(left.ty, right.ty).is_none() {
        errors::different_types(types, operator, (span(c, left), left.ty), (span(c, right), right.ty))
    } else {
        return;
    };
    // The other operand may have an error of its own, which is the only one to report.
    if left.ty != ERROR && right.ty != ERROR || float.is_some() || composite.is_some() {
        c.report(error);
    }
    (left.ty, right.ty) = (ERROR, ERROR);
}

/// Makes the node of a unary operator.
pub fn prefix(c: &mut Cursor<'_>, kind: u8, token: usize, mut operand: Operand) -> Operand {
    check_value(c, &mut operand);
    if Type::from_code(operand.ty).is_composite() {
        c.report(no_number(&c.program.types, span(c, &operand), c.tokens.kind[token].spelling(), operand.ty));
        operand.ty = ERROR;
    } else if is_int_only(kind) && element_of(operand.ty) == ty::FLOAT {
        c.report(errors::int_only(&c.program.types, span(c, &operand), c.tokens.kind[token], operand.ty));
        operand.ty = ERROR;
    }
    let ty = if operand.ty == ERROR && is_int_only(kind) { ty::INT } else { operand.ty };
    c.program.loops |= Type::from_code(ty).is_array();
    push(c, kind, ty, data_of_operator(c, ty, token), token, operand.start);
    Operand { ty, form: Form::Any, first: token, ..operand }
}

/// Makes the node of an assignment to the variable that `node` declares. `token` is its name.
pub fn assign(c: &mut Cursor<'_>, node: u32, ty: u8, token: usize, mut value: Operand) -> Operand {
    check_value(c, &mut value);
    check_type(c, &value, "the assigned value", ty);
    push(c, kind::ASSIGN, ty, node, token, value.start);
    Operand { ty, form: Form::Typed, first: token, ..value }
}

/// Makes the node of a declaration with a value. `token` is the name. The variable is in scope from here on.
pub fn declare(c: &mut Cursor<'_>, ty: Option<u8>, token: usize, mut value: Operand) -> Operand {
    check_value(c, &mut value);
    let ty = ty.unwrap_or(value.ty);
    check_type(c, &value, "the value of the variable", ty);
    declare_name(c, ty, token, value.start);
    Operand { ty, form: Form::Typed, first: token.saturating_sub(1), ..value }
}

/// Makes the node of a declaration without a value.
pub fn declare_zero(c: &mut Cursor<'_>, ty: u8, token: usize) -> Operand {
    let start = c.program.forest.len();
    declare_name(c, ty, token, start);
    Operand { start, ty, form: Form::Declared, first: token.saturating_sub(1), last: c.at - 1 }
}

fn declare_name(c: &mut Cursor<'_>, ty: u8, token: usize, start: u32) {
    let node = push(c, kind::DECLARE, ty, 0, token, start);
    c.program.bind_variable(c.tokens.value[token], node, ty, c.tokens.start[token]);
}

/// Makes the node of `e : T`. `token` is the `:`, and the type is the last token read.
pub fn ascribe(c: &mut Cursor<'_>, ty: u8, token: usize, operand: Operand) -> Operand {
    if converts(operand.ty, ty) {
        return convert(c, ty, token, operand);
    }
    check_type(c, &operand, "this value", ty);
    let check = c.program.forest.check();
    push(c, kind::ASCRIBE, ty, check, token, operand.start);
    Operand { ty, form: Form::Typed, last: c.at - 1, ..operand }
}

/// Returns whether `e : T` converts: both are arrays of ints, bytes or shorts.
fn converts(from: u8, to: u8) -> bool {
    let is_int = |ty| element_of(ty) == ty::INT || is_narrow(ty);
    let are_arrays = rank_of(from) > 0 && rank_of(from) == rank_of(to);
    let is_composite = [from, to].iter().any(|&ty| Type::from_code(ty).is_composite());
    are_arrays && !is_composite && is_int(from) && is_int(to) && from != to
}

/// Makes the nodes of `e : T` that converts. A literal, or `replicate` of a number, has the type itself.
fn convert(c: &mut Cursor<'_>, ty: u8, token: usize, operand: Operand) -> Operand {
    let forest = &mut c.program.forest;
    let last = forest.len() - 1;
    let is_literal = is_nested_literal(forest, last, rank_of(ty));
    let is_fill = forest.kind[last as usize] == kind::REPLICATE && rank_of(ty) == 1;
    if is_literal || is_fill {
        set_literal_type(forest, last, ty);
        let check = forest.check();
        push(c, kind::ASCRIBE, ty, check, token, operand.start);
    } else {
        c.program.loops = true;
        push(c, kind::CAST, ty, data_of_operator(c, ty, token), token, operand.start);
    }
    Operand { ty, form: Form::Typed, last: c.at - 1, ..operand }
}

/// Returns the children of a node of the forest, from the last to the first.
pub fn children(forest: &Forest, node: u32) -> Vec<u32> {
    let first = node + 1 - forest.size[node as usize];
    let mut children = Vec::new();
    let mut end = node;
    while end > first {
        children.push(end - 1);
        end -= forest.size[end as usize - 1];
    }
    children
}

/// Returns whether a node is a literal of some rank, with literals as rows at all levels.
fn is_nested_literal(forest: &Forest, node: u32, rank: u32) -> bool {
    let is_literal = forest.kind[node as usize] == kind::ARRAY;
    is_literal && (rank == 1 || children(forest, node).into_iter().all(|row| is_nested_literal(forest, row, rank - 1)))
}

/// Gives a literal and its rows the type of arrays of other elements.
fn set_literal_type(forest: &mut Forest, node: u32, ty: u8) {
    forest.ty[node as usize] = ty;
    if rank_of(ty) > 1 {
        for row in children(forest, node) {
            set_literal_type(forest, row, array_type(element_of(ty), rank_of(ty) - 1));
        }
    }
}

/// Makes the node of `T(e)`. `token` is the type, and the next token is the `)`.
pub fn cast(c: &mut Cursor<'_>, ty: u8, token: usize, mut operand: Operand) -> Operand {
    check_value(c, &mut operand);
    if Type::from_code(operand.ty).is_composite() {
        c.report(no_number(&c.program.types, span(c, &operand), &format!("{}(..)", c.word(token)), operand.ty));
        operand.ty = ERROR;
    }
    let ty = if Type::from_code(operand.ty).is_array() { array_type(ty, rank_of(operand.ty)) } else { ty };
    c.program.loops |= Type::from_code(ty).is_array();
    push(c, kind::CAST, ty, data_of_operator(c, ty, token), token, operand.start);
    Operand { ty, form: Form::Any, first: token, last: c.at, ..operand }
}

/// Makes the node of the `k`-th argument of a call.
pub fn argument(c: &mut Cursor<'_>, id: Option<u32>, k: u32, mut operand: Operand) {
    let parameters = id.and_then(|id| c.program.callables[id as usize].parameters.as_deref());
    let parameter = parameters.and_then(|parameters| parameters.get(k as usize).copied());
    let mut expected = parameter.filter(|&parameter| parameter != ANY);
    if id.is_some_and(is_element_function) && Type::from_code(operand.ty).is_array() {
        c.program.loops = true;
        expected = expected.map(|number| array_type(number, rank_of(operand.ty)));
    }
    match expected {
        Some(expected) => check_type(c, &operand, "this argument", expected),
        None => check_value(c, &mut operand),
    }
    if parameter == Some(ANY)
        && Type::from_code(operand.ty).is_composite()
        && let Some(name) = id.and_then(|id| BUILTINS.get(id as usize)).map(|builtin| builtin.name)
    {
        c.report(no_number(&c.program.types, span(c, &operand), name, operand.ty));
        operand.ty = ERROR;
    }
    let (kind, data) = if id.and_then(operation).is_some() { (kind::ASCRIBE, 0) } else { (kind::ARG, k) };
    push(c, kind, expected.unwrap_or(operand.ty), data, operand.first, operand.start);
}

/// Returns whether a function of numbers is one of arrays too, element by element.
fn is_element_function(id: u32) -> bool {
    (runtime::SQRT..=runtime::COS).contains(&id)
}

/// Returns the greatest rank of the arguments from the node `start` on, which are the last nodes.
fn rank_of_arguments(c: &Cursor<'_>, start: u32) -> u32 {
    let (forest, mut end, mut rank) = (&c.program.forest, c.program.forest.len(), 0);
    while end > start {
        rank = rank.max(rank_of(forest.ty[end as usize - 1]));
        end -= forest.size[end as usize - 1];
    }
    rank
}

/// Makes the node of a call with `count` arguments. `token` is the name, and the next token closes the call.
pub fn call(c: &mut Cursor<'_>, id: Option<u32>, token: usize, start: u32, count: u32) -> Operand {
    let mut result = ERROR;
    let operation = id.and_then(operation);
    if let Some(id) = id {
        let callable = &mut c.program.callables[id as usize];
        // A call of a function inside its own body does not make it used.
        callable.used |= !callable.open && operation.is_none();
        result = callable.result;
        let pos = callable.pos;
        if let Some(expected) = callable.parameters.as_ref().map(Vec::len)
            && expected != count as usize
        {
            let error = errors::argument_count(c.span_between(token, c.at), c.word(token), expected, count as usize);
            let declared = pos.map(|pos| c.program.name_span(pos, Some(c.tokens.value[token])));
            c.report(match declared {
                Some(span) => error.other(span, "declared here"),
                None => error,
            });
        }
    }
    match operation {
        Some(kind) => {
            let last = if count > 0 { c.program.forest.ty.last().copied().unwrap_or(ERROR) } else { ERROR };
            if result == ANY || Type::from_code(last).is_array() {
                result = last;
            }
            push(c, kind.code(), if kind.is_store() { last } else { result }, 0, token, start);
        }
        None => {
            let rank = if id.is_some_and(is_element_function) { rank_of_arguments(c, start) } else { 0 };
            if rank > 0 {
                result = array_type(result, rank);
            }
            push(c, kind::CALL, result, id.unwrap_or(0), token, start);
            // Two extents may differ, and an error names a position.
            if rank > 0 && count > 1 {
                push(c, kind::ASCRIBE, result, c.tokens.start[token] + 1, token, start);
            }
        }
    }
    Operand { start, ty: result, form: Form::Any, first: token, last: c.at }
}

/// The parts of a conditional expression: the condition and two values.
pub const PARTS: u32 = 3;

/// Makes the node of the `k`-th part of a conditional expression. `then` is the second part. Returns the part.
pub fn part(c: &mut Cursor<'_>, k: u32, then: Option<&Operand>, mut operand: Operand) -> Operand {
    let kind = match k {
        0 => kind::TEST,
        1 => kind::THEN,
        _ => kind::OTHERWISE,
    };
    if k == 0 {
        check_type(c, &operand, "the condition", ty::INT);
        operand.ty = ty::INT;
    } else {
        check_value(c, &mut operand);
    }
    if let Some(then) = then
        && !agree(then.ty, operand.ty)
    {
        c.report(errors::different_parts(&c.program.types, (span(c, then), then.ty), (span(c, &operand), operand.ty)));
    }
    push(c, kind, operand.ty, 0, operand.first, operand.start);
    operand
}

/// Makes the node of a conditional expression. `token` is the `if`, `then` the second part, and the next token is the `]`.
pub fn choose(c: &mut Cursor<'_>, token: usize, start: u32, then: Option<Operand>) -> Operand {
    let ty = then.map_or(ERROR, |then| then.ty);
    push(c, kind::CHOOSE, ty, 0, token, start);
    Operand { start, ty, form: Form::Any, first: token, last: c.at }
}
