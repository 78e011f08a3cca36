//! The nodes of arrays: literals, elements and rows, updates, and the operations that build arrays. Types are checked when a
//! node is made.

use std::ops::Range;

use super::array_errors as errors;
use super::composites::Limit;
use super::cursor::Cursor;
use super::errors::argument_count;
use super::extents::{check_inner, check_rows};
use super::operations::{Form, Operand, check_type, check_value, push, span};
use super::program::Variable;
use super::shapes;
use super::struct_errors::tuples_needed;
use super::types::{ERROR, agree, element_of, is_narrow, rank_of};
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, runtime, ty};

/// A form that makes an array, or reads its size.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Builder {
    Literal,
    Size,
    Replicate,
    Iota,
    Copy,
    Concat,
    Transpose,
    Perm,
    Reshape,
    Zip,
    Unzip,
    Split,
}

/// The forms whose nodes are not calls, with their names.
const FORMS: [(&str, Builder); 3] = [("zip", Builder::Zip), ("unzip", Builder::Unzip), ("split", Builder::Split)];

/// The id of the first of these forms. No function has such an id.
const FIRST: u32 = u32::MAX - 3;

/// Returns the names of these forms, with their ids.
pub fn forms() -> impl Iterator<Item = (&'static str, u32)> {
    FORMS.iter().zip(FIRST..).map(|(&(name, _), id)| (name, id))
}

impl Builder {
    /// Returns the form that a function of the runtime is, if it is one.
    #[inline]
    pub fn of(function: u32) -> Option<Builder> {
        Some(match function {
            runtime::SIZE => Builder::Size,
            runtime::REPLICATE => Builder::Replicate,
            runtime::IOTA => Builder::Iota,
            runtime::COPY => Builder::Copy,
            runtime::CONCAT => Builder::Concat,
            FIRST.. => FORMS.get((function - FIRST) as usize)?.1,
            _ => return None,
        })
    }

    /// Returns the function of the runtime that calls of this form name.
    fn function(self) -> Option<u32> {
        match self {
            Builder::Iota => Some(runtime::IOTA),
            Builder::Copy => Some(runtime::COPY),
            Builder::Concat => Some(runtime::CONCAT),
            Builder::Transpose | Builder::Perm => Some(runtime::PERM),
            Builder::Reshape => Some(runtime::RESHAPE),
            Builder::Literal | Builder::Size | Builder::Replicate => None,
            Builder::Zip | Builder::Unzip | Builder::Split => None,
        }
    }

    /// Returns the least and the greatest number of parts.
    fn parts(self) -> (u32, u32) {
        match self {
            Builder::Literal => (1, u32::MAX),
            Builder::Size => (1, 2),
            Builder::Iota | Builder::Copy | Builder::Transpose | Builder::Unzip => (1, 1),
            Builder::Perm | Builder::Reshape | Builder::Zip => (2, u32::MAX),
            Builder::Replicate | Builder::Concat | Builder::Split => (2, 2),
        }
    }
}

/// A form whose parts are being read.
pub struct Building {
    form: Builder,
    /// The index of the first token: the name, or the `[` of a literal.
    token: usize,
    start: u32,
    count: u32,
    /// The part that decides the type.
    first: Option<Operand>,
    /// The first row that is a literal, with its node.
    row: Option<(Operand, u32)>,
    /// The dimension of a `size`.
    dimension: u32,
    /// The arrays of a `zip`.
    arrays: Vec<Operand>,
}

impl Building {
    /// Returns a form without parts, which begins with the next token.
    pub fn new(c: &Cursor<'_>, form: Builder) -> Building {
        Building {
            form,
            token: c.at,
            start: c.program.forest.len(),
            count: 0,
            first: None,
            row: None,
            dimension: 0,
            arrays: Vec::new(),
        }
    }

    /// Returns the index of the bracket before the parts.
    pub fn opener(&self) -> usize {
        if self.form == Builder::Literal { self.token } else { self.token + 1 }
    }

    /// Takes a part.
    pub fn part(&mut self, c: &mut Cursor<'_>, mut operand: Operand) {
        let k = self.count;
        self.count += 1;
        match (self.form, k) {
            (Builder::Literal, _) => self.element(c, operand),
            (Builder::Replicate | Builder::Iota, 0) => check_type(c, &operand, "the number of elements", ty::INT),
            (Builder::Replicate, 1) => {
                check_value(c, &mut operand);
                self.first = Some(operand);
            }
            (Builder::Concat, 1) => {
                check_array(c, self.token, &mut operand);
                let first = self.first.map_or(ERROR, |first| first.ty);
                check_type(c, &operand, "this argument", first);
                if let Some(first) = self.first.filter(|first| first.ty == operand.ty) {
                    check_inner(c, &[first, operand]);
                }
            }
            (Builder::Size, 1) => self.read_dimension(c, &operand),
            (Builder::Perm, 1..) => return shapes::check_dimension(c, &operand),
            (Builder::Reshape, 1..) => return check_type(c, &operand, "an extent", ty::INT),
            (Builder::Zip, _) => {
                check_array(c, self.token, &mut operand);
                self.arrays.push(operand);
            }
            (Builder::Split, 1) => check_type(c, &operand, "the number of elements", ty::INT),
            (Builder::Unzip, 0) => {
                check_value(c, &mut operand);
                check_tuples(c, &mut operand);
                self.first = Some(operand);
            }
            (_, 1..) => check_value(c, &mut operand),
            (_, 0) => {
                check_array(c, self.token, &mut operand);
                self.first = Some(operand);
            }
        }
        if self.form.function().is_some() {
            push(c, kind::ARG, operand.ty, k, operand.first, operand.start);
        }
    }

    /// Takes an element of a literal.
    fn element(&mut self, c: &mut Cursor<'_>, mut operand: Operand) {
        check_value(c, &mut operand);
        let node = c.program.forest.len() - 1;
        let Some(first) = &mut self.first else {
            self.first = Some(operand);
            self.row = (c.program.forest.kind[node as usize] == kind::ARRAY).then_some((operand, node));
            return;
        };
        if !agree(first.ty, operand.ty) {
            let (first_span, first_ty) = (span(c, first), first.ty);
            c.report(errors::different_elements(
                &c.program.types,
                (first_span, first_ty),
                (span(c, &operand), operand.ty),
            ));
            first.ty = ERROR;
        } else if operand.ty == ERROR {
            first.ty = ERROR;
        } else if c.program.forest.kind[node as usize] == kind::ARRAY && first.ty != ERROR {
            self.check_row(c, operand, node);
        }
    }

    /// Compares a row that is a literal with the first such row.
    fn check_row(&mut self, c: &mut Cursor<'_>, operand: Operand, node: u32) {
        let Some((first, first_node)) = self.row else {
            self.row = Some((operand, node));
            return;
        };
        let (expected, found) = (extents(c, first_node), extents(c, node));
        if let Some((expected, found)) = expected.into_iter().zip(found).find(|(a, b)| a != b) {
            c.report(errors::ragged((span(c, &first), expected), (span(c, &operand), found)));
            // The other rows are not compared, so that one row of another length is reported once.
            if let Some(first) = &mut self.first {
                first.ty = ERROR;
            }
        }
    }

    /// Takes the dimension of a `size`, which leaves no node.
    fn read_dimension(&mut self, c: &mut Cursor<'_>, operand: &Operand) {
        let forest = &mut c.program.forest;
        let is_literal = forest.kind.last() == Some(&kind::LITERAL) && forest.len() == operand.start + 1;
        if operand.ty == ERROR {
            return;
        }
        if !is_literal || operand.ty != ty::INT {
            c.report(errors::dimension_not_literal(span(c, operand), "size[a, k]"));
            return;
        }
        self.dimension = forest.data.last().copied().unwrap_or(0);
        forest.pop();
        let array = self.first.map_or(ERROR, |first| first.ty);
        let rank = c.program.types.rank(array);
        if array != ERROR && self.dimension >= rank {
            c.report(errors::dimension_too_large(&c.program.types, span(c, operand), array));
        }
    }

    /// Makes the node. The next token closes the form.
    pub fn finish(self, c: &mut Cursor<'_>) -> Operand {
        c.program.arrays = true;
        let (least, most) = self.form.parts();
        let whole = c.span_between(self.token, c.at);
        let mut first = self.first.map_or(ERROR, |first| first.ty);
        if self.form == Builder::Literal && self.count == 0 {
            c.report(errors::empty_literal(whole.clone()));
        } else if self.count < least || self.count > most {
            let expected = if self.count < least { least } else { most };
            c.report(argument_count(whole.clone(), c.word(self.token), expected as usize, self.count as usize));
            first = ERROR;
        }
        // After the pass `structs`, a literal of structs is a literal for each leaf, some with extents to compare.
        let may_differ = c.program.types.has_arrays(first) || Type::from_code(first).is_composite();
        let position = c.tokens.start[self.token] + 1;
        let ty = match self.form {
            Builder::Literal | Builder::Replicate => {
                let above = c.program.types.above(first, 1);
                c.within_limits(above, whole)
            }
            Builder::Size => ty::INT,
            Builder::Iota => Type::Int.array(1).code(),
            Builder::Copy | Builder::Concat => first,
            Builder::Transpose => shapes::transpose(c, self.token, first),
            Builder::Perm => shapes::perm(c, self.token, self.count, first),
            Builder::Reshape => shapes::reshape(c, self.token, self.count, first),
            Builder::Zip if self.count < least => ERROR,
            Builder::Zip => {
                check_rows(c, &self.arrays);
                let types: Vec<u8> = self.arrays.iter().map(|array| array.ty).collect();
                zipped(c, &types, whole)
            }
            Builder::Unzip => unzipped(c, first, whole),
            Builder::Split => {
                let halves = c.program.types.tuple(&[first, first]);
                c.within_limits(halves, whole)
            }
        };
        match self.form {
            Builder::Literal => push(c, kind::ARRAY, ty, if may_differ { position } else { 0 }, self.token, self.start),
            Builder::Replicate => push(c, kind::REPLICATE, ty, position, self.token, self.start),
            Builder::Size => push(c, kind::SIZE, ty, self.dimension, self.token, self.start),
            Builder::Zip => push(c, kind::ZIP, ty, position, self.token, self.start),
            Builder::Unzip => push(c, kind::UNZIP, ty, position, self.token, self.start),
            Builder::Split => push(c, kind::SPLIT, ty, position, self.token, self.start),
            _ => {
                push(c, kind::CALL, ty, self.form.function().unwrap_or(0), self.token, self.start);
                push(c, kind::ASCRIBE, ty, position, self.token, self.start)
            }
        };
        Operand { start: self.start, ty, form: Form::Any, first: self.token, last: c.at }
    }
}

/// Returns the type of the tuples of the elements of arrays with some types. The operation is at `whole`.
pub fn zipped(c: &mut Cursor<'_>, arrays: &[u8], whole: Range<u32>) -> u8 {
    let types = &mut c.program.types;
    let elements: Result<Vec<u8>, Limit> = arrays.iter().map(|&array| types.row(array)).collect();
    let tuple = elements.and_then(|elements| types.tuple(&elements));
    let array = tuple.and_then(|tuple| types.above(tuple, 1));
    c.within_limits(array, whole)
}

/// Returns the type of the tuple of the arrays that an array of tuples holds. The operation is at `whole`.
fn unzipped(c: &mut Cursor<'_>, array: u8, whole: Range<u32>) -> u8 {
    let types = &mut c.program.types;
    let rank = types.rank(array);
    let parts: Vec<u8> = types.fields(array).iter().map(|field| field.ty).collect();
    if parts.is_empty() {
        return ERROR;
    }
    let above: Result<Vec<u8>, Limit> = parts.into_iter().map(|part| types.above(part, rank)).collect();
    let tuple = above.and_then(|above| types.tuple(&above));
    c.within_limits(tuple, whole)
}

/// Reports an argument of `unzip` that is not an array of tuples.
fn check_tuples(c: &mut Cursor<'_>, operand: &mut Operand) {
    let types = &c.program.types;
    if operand.ty != ERROR && !(types.is_array(operand.ty) && types.is_tuple(operand.ty)) {
        let error = tuples_needed(types, span(c, operand), operand.ty);
        c.report(error);
        operand.ty = ERROR;
    }
}

/// Returns the lengths of a literal and of the literals that are its first elements, from the outside to the inside.
fn extents(c: &Cursor<'_>, mut node: u32) -> Vec<u32> {
    let forest = &c.program.forest;
    let mut extents = Vec::new();
    while forest.kind[node as usize] == kind::ARRAY {
        let start = node + 1 - forest.size[node as usize];
        let (mut child, mut count) = (node, 0);
        let mut end = node;
        while end > start {
            child = end - 1;
            end -= forest.size[child as usize];
            count += 1;
        }
        extents.push(count);
        if count == 0 {
            break;
        }
        node = child;
    }
    extents
}

/// Reports an argument that is not an array. `token` is the name of the operation.
fn check_array(c: &mut Cursor<'_>, token: usize, operand: &mut Operand) {
    check_value(c, operand);
    if operand.ty != ERROR && !c.program.types.is_array(operand.ty) {
        c.report(errors::array_needed(&c.program.types, span(c, operand), c.word(token), operand.ty));
        operand.ty = ERROR;
    }
}

/// Reports an index that is not an int.
pub fn check_index(c: &mut Cursor<'_>, operand: &Operand) {
    check_type(c, operand, "an index", ty::INT);
}

/// The number of indices in a bracket.
#[derive(Clone, Copy, Default)]
pub struct Indices {
    /// All of them.
    pub count: u32,
    /// The indices that are ranges, or `..`.
    pub ranges: u32,
}

/// Returns the type of `base[..]` with some indices. The next token is the `]`.
pub fn type_of_element(c: &mut Cursor<'_>, base: &Operand, indices: Indices) -> u8 {
    let mut base = *base;
    check_value(c, &mut base);
    if base.ty == ERROR {
        return ERROR;
    }
    let rank = c.program.types.rank(base.ty);
    if rank == 0 {
        let name = (base.first == base.last).then(|| c.word(base.first));
        c.report(errors::not_an_array(&c.program.types, span(c, &base), name, base.ty));
        return ERROR;
    }
    if indices.count > rank {
        let whole = c.span_between(base.first, c.at);
        c.report(errors::too_many_indices(&c.program.types, whole, base.ty, indices.count));
        return ERROR;
    }
    let element = c.program.types.array(base.ty, rank + indices.ranges - indices.count);
    c.within_limits(element, c.span_between(base.first, c.at))
}

/// Makes the node of `base[..]`, whose type is [`type_of_element`]. The next token is the `]`.
pub fn index(c: &mut Cursor<'_>, base: &Operand, indices: Indices, ty: u8) -> Operand {
    let position = c.tokens.start[base.first] + 1;
    let kind = if indices.ranges > 0 { kind::SLICE } else { kind::INDEX };
    push(c, kind, ty, position, base.first, base.start);
    Operand { ty, form: Form::Any, last: c.at, ..*base }
}

/// Makes the node of `a[..] = value`. `token` is the name, `ty` the type of the element, row or slice.
pub fn update(c: &mut Cursor<'_>, ty: u8, indices: Indices, token: usize, start: u32, mut value: Operand) -> Operand {
    check_value(c, &mut value);
    let is_slice = indices.ranges > 0;
    let written = if is_slice && is_repeated(value.ty, ty) { value.ty } else { ty };
    check_type(c, &value, "the new value", written);
    let position = c.tokens.start[token] + 1;
    let kind = if is_slice { kind::UPDATE_SLICE } else { kind::UPDATE };
    push(c, kind, written, position, token, start);
    Operand { start, ty, form: Form::Typed, first: token, last: value.last }
}

/// Returns whether a value is repeated to fill a slice of another type: a number, or an array with fewer dimensions.
fn is_repeated(value: u8, slice: u8) -> bool {
    let is_composite = [value, slice].iter().any(|&ty| Type::from_code(ty).is_composite());
    let is_alike = element_of(value) == element_of(slice) || value == ty::INT && is_narrow(slice);
    !is_composite && is_alike && rank_of(value) < rank_of(slice)
}

/// Reports an array that cannot be assigned or updated here. The next token is its name.
pub fn check_assignable(c: &mut Cursor<'_>, variable: Variable) {
    let name = c.tokens.value[c.at];
    let (word, at) = (c.word(c.at), c.span(c.at));
    let declared = c.program.name_span(variable.pos, Some(name));
    let (forest, node) = (&c.program.forest, variable.node as usize);
    if variable.node < c.function {
        c.report(errors::array_around(&c.program.types, at, word, variable.ty, declared));
    } else if forest.kind[node] == kind::PARAM && forest.data[node] == 0 {
        c.report(errors::read_only_parameter(&c.program.types, at, word, variable.ty, declared));
    }
}

/// Returns whether the name and the brackets that come next are followed by `=`.
pub fn is_update(c: &Cursor<'_>) -> bool {
    use super::lexer::Token;
    let (mut depth, mut k) = (0u32, c.at + 1);
    loop {
        match c.kind(k) {
            Token::LeftBracket | Token::LeftParen => depth += 1,
            Token::RightBracket | Token::RightParen => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return c.kind(k + 1) == Token::Assign;
                }
            }
            Token::Semicolon | Token::LeftBrace | Token::RightBrace | Token::End => return false,
            _ => {}
        }
        k += 1;
    }
}
