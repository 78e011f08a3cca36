//! Sizes in the types of arrays: `[t; n]`.
//!
//! ```text
//! fn f[a: [int; n], b: [int; n]]: [int; n] {      PARAM a, PARAM b, BLOCK:
//!                                                   DECLARE n( SIZE( a ) )
//!                                                   CHECK_EQUAL( n, SIZE( b ) )
//!     return g[a];                                  RETURN( SHAPED( CALL, n ) )
//! ```
//!
//! A size is a literal or the name of an int. In the head of a function, the first occurrence of a name declares it, unless it is a
//! parameter. The types of a program have no sizes: they are checked where a value meets them.

use std::ops::Range;

use super::array_errors::different_extents;
use super::cursor::Cursor;
use super::extents::known;
use super::heads::Head;
use super::lexer::Token;
use super::operations::{Form, Operand, push};
use super::size_errors as errors;
use super::types::{ERROR, element_of, rank_of};
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, ty};

/// A size in a type.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The dimension of the array.
    dimension: u32,
    /// The index of the literal or name.
    token: usize,
}

/// A size in the type of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParameterSize {
    /// The node of the parameter.
    pub node: u32,
    /// The size.
    pub size: Size,
}

/// The value of a size.
#[derive(Clone, Copy, Debug)]
enum Value {
    Literal(u32),
    /// The node that declares the variable.
    Variable(u32),
}

/// A size whose name was resolved.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    size: Size,
    value: Value,
}

impl Cursor<'_> {
    /// Reads `; n` before a bracket that closes a dimension of an array. `is_part` is `true` in the type of a tuple.
    pub fn size(&mut self, dimension: u32, is_part: bool) {
        let token = self.at + 1;
        let is_size = self.peek() == Token::Semicolon && matches!(self.kind(token), Token::Name | Token::Int);
        if !is_size || self.kind(token + 1) != Token::RightBracket {
            return;
        }
        if is_part {
            self.report(errors::no_size(self.span(token), "a part of a tuple"));
        } else {
            self.sizes.push(Size { dimension, token });
        }
        self.advance();
        self.advance();
    }

    /// Reports the sizes in the last type. `owner` names its owner.
    pub fn no_sizes(&mut self, owner: &str) {
        let sizes = std::mem::take(&mut self.sizes);
        refuse_sizes(self, sizes.into_iter(), owner);
    }
}

/// Reports sizes in a type of something that has none.
pub fn refuse_sizes(c: &mut Cursor<'_>, sizes: impl Iterator<Item = Size>, owner: &str) {
    for size in sizes {
        c.report(errors::no_size(c.span(size.token), owner));
    }
}

/// Returns the value of a size: a literal, or an int that is in scope and was declared from the node `first` on. Returns `None` for a
/// name that is not declared, and for one that was reported.
fn resolve(c: &mut Cursor<'_>, size: Size, first: u32) -> Result<Option<Value>, ()> {
    let name = c.tokens.value[size.token];
    if c.kind(size.token) == Token::Int {
        return Ok(Some(Value::Literal(name)));
    }
    let Some(variable) = c.program.variables.get(name).filter(|variable| variable.node >= first) else {
        return Ok(None);
    };
    variable.read = true;
    let (node, found, pos) = (variable.node, variable.ty, variable.pos);
    if found == ty::INT {
        return Ok(Some(Value::Variable(node)));
    }
    if found != ERROR {
        let (found, declared) = (c.program.types.text(found), c.program.name_span(pos, Some(name)));
        c.report(errors::not_an_int(c.span(size.token), c.word(size.token), &found, declared));
    }
    Err(())
}

/// Makes the node of a size: a literal or a name, or `..` for a dimension without one.
fn extent(c: &mut Cursor<'_>, value: Option<Value>, token: usize) {
    let (kind, ty, data) = match value {
        Some(Value::Literal(n)) => (kind::LITERAL, ty::INT, n),
        Some(Value::Variable(node)) => (kind::NAME, ty::INT, node),
        None => (kind::ALL, ty::VOID, 0),
    };
    let start = c.program.forest.len();
    push(c, kind, ty, data, token, start);
}

/// Makes the node of the extent of a parameter.
fn extent_of(c: &mut Cursor<'_>, ParameterSize { node, size }: ParameterSize) {
    let (start, ty) = (c.program.forest.len(), c.program.forest.ty[node as usize]);
    push(c, kind::NAME, ty, node, size.token, start);
    push(c, kind::SIZE, ty::INT, size.dimension, size.token, start);
}

/// Makes the statements that declare and check the sizes in the head of a function. Returns the sizes of its result.
pub fn bind_sizes(c: &mut Cursor<'_>, head: Head) -> Vec<Extent> {
    for parameter in head.parameters {
        let (size, start) = (parameter.size, c.program.forest.len());
        if c.program.forest.ty[parameter.node as usize] == ERROR {
            continue;
        }
        match resolve(c, size, c.function) {
            Ok(Some(value)) => {
                remember(c, parameter, value);
                extent(c, Some(value), size.token);
                extent_of(c, parameter);
                push(c, kind::CHECK_EQUAL, ty::INT, c.tokens.start[size.token] + 1, size.token, start);
            }
            Ok(None) => {
                extent_of(c, parameter);
                let node = push(c, kind::DECLARE, ty::INT, 0, size.token, start);
                let name = c.tokens.value[size.token];
                c.program.bind_variable(name, node, ty::INT, c.tokens.start[size.token]);
                if let Some(variable) = c.program.variables.get(name) {
                    (variable.read, variable.is_size) = (true, true);
                }
            }
            Err(()) => continue,
        }
        push(c, kind::EXPRESSION, ty::VOID, 0, size.token, start);
    }
    let first = c.function;
    head.result.into_iter().filter_map(|size| resolved(c, size, first)).collect()
}

/// Remembers the size of a read-only parameter, if it is a literal.
fn remember(c: &mut Cursor<'_>, ParameterSize { node, size }: ParameterSize, value: Value) {
    let program = &mut *c.program;
    let is_unique = program.forest.data[node as usize] == 1;
    if let (Value::Literal(extent), false) = (value, is_unique) {
        let sizes = program.literal_sizes.entry(node).or_default();
        let at = size.dimension as usize;
        sizes.resize(sizes.len().max(at + 1), None);
        sizes[at] = Some(extent);
    }
}

/// Returns a size whose name must be declared from the node `first` on.
fn resolved(c: &mut Cursor<'_>, size: Size, first: u32) -> Option<Extent> {
    let value = resolve(c, size, first).ok()?;
    if value.is_none() {
        c.report(errors::unbound(c.span(size.token), c.word(size.token)));
    }
    Some(Extent { size, value: value? })
}

/// Returns the sizes in the last type, which is `ty`.
pub fn extents(c: &mut Cursor<'_>, ty: u8) -> Vec<Extent> {
    let sizes = std::mem::take(&mut c.sizes);
    if ty == ERROR {
        return Vec::new();
    }
    sizes.into_iter().filter_map(|size| resolved(c, size, 0)).collect()
}

/// Reports the first literal size that differs from a known extent of the last value, which is at `value`.
fn check_literals(c: &mut Cursor<'_>, sizes: &[Extent], value: Range<u32>) {
    let known = known(c, c.program.forest.len() - 1);
    for &Extent { size, value: expected } in sizes {
        if let (Value::Literal(n), Some(&Some(found))) = (expected, known.get(size.dimension as usize))
            && n != found
        {
            c.report(different_extents((c.span(size.token), n), (value, found)));
            return;
        }
    }
}

/// Makes the node that checks the extents of the last value, if there are sizes. Reports a literal size that the value cannot have.
pub fn shaped(c: &mut Cursor<'_>, sizes: &[Extent], &Operand { start, ty, first, last, .. }: &Operand) {
    let Some(one) = sizes.first() else { return };
    if Type::from_code(ty).is_composite() {
        c.report(errors::composite(c.span(one.size.token)));
        return;
    }
    check_literals(c, sizes, c.span_between(first, last));
    for k in 0..rank_of(ty) {
        let size = sizes.iter().find(|size| size.size.dimension == k);
        extent(c, size.map(|size| size.value), first);
    }
    push(c, kind::SHAPED, ty, c.tokens.start[first] + 1, first, start);
}

/// Makes an array of zeros with some sizes, as the value of the variable that `token` names.
pub fn zeros(c: &mut Cursor<'_>, sizes: &[Extent], ty: u8, token: usize) -> Operand {
    let (start, rank, element) = (c.program.forest.len(), rank_of(ty), element_of(ty));
    let is_number = !Type::from_code(ty).is_composite() && matches!(element, ty::INT | ty::FLOAT);
    if !is_number || sizes.len() != rank as usize {
        let text = c.program.types.text(ty);
        c.report(errors::no_zeros(c.span_from(token), &text));
    }
    let mut starts = Vec::new();
    for k in 0..rank {
        starts.push(c.program.forest.len());
        let size = sizes.iter().find(|size| size.size.dimension == k);
        extent(c, size.map(|size| size.value), token);
    }
    let last = c.program.forest.len();
    push(c, kind::LITERAL, element, 0, token, last);
    for (k, &start) in starts.iter().enumerate().rev() {
        let row = Type::from_code(element).array(rank - k as u32).code();
        push(c, kind::REPLICATE, row, c.tokens.start[token] + 1, token, start);
    }
    Operand { start, ty, form: Form::Any, first: token, last: c.at - 1 }
}
