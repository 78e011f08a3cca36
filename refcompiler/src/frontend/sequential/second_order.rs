//! Operations whose first argument is a function, like `map[f, a]`, and those that stand for a `reduce`, like `sum[a]`. Types are
//! checked when the operation ends: a section like `(+)` takes its types from the arguments after it.

use super::array_errors::array_needed;
use super::arrays::{Builder, zipped};
use super::callees::Callee;
use super::cursor::Cursor;
use super::errors::{argument_count, wrong_type};
use super::extents::{check_elements, check_rows};
use super::functional_errors as errors;
use super::operations::{Form, Operand, check_type, check_value, push, span};
use super::shorthand::Shorthand;
use super::struct_errors::no_number;
use super::types::{ERROR, agree, array_type, common_element, element_of, is_narrow, rank_of};
use crate::ir::kinds::Type;
use crate::ir::tree::{kind, runtime, ty};

/// An operation other than a function: its types depend on its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Map,
    Reduce,
    Fold,
    FoldRight,
    Redomap,
    Scan,
    Filter,
    Group,
    Where,
    Print,
    AddSaturating,
    SubSaturating,
    Short(Shorthand),
    Shape(Builder),
}

/// The operations with their names.
const NAMES: [(&str, Operation); 22] = [
    ("map", Operation::Map),
    ("reduce", Operation::Reduce),
    ("fold", Operation::Fold),
    ("foldr", Operation::FoldRight),
    ("redomap", Operation::Redomap),
    ("scan", Operation::Scan),
    ("filter", Operation::Filter),
    ("group", Operation::Group),
    ("sum", Operation::Short(Shorthand::Sum)),
    ("product", Operation::Short(Shorthand::Product)),
    ("min", Operation::Short(Shorthand::Min)),
    ("max", Operation::Short(Shorthand::Max)),
    ("all", Operation::Short(Shorthand::All)),
    ("any", Operation::Short(Shorthand::Any)),
    ("count", Operation::Short(Shorthand::Count)),
    ("where", Operation::Where),
    ("print", Operation::Print),
    ("addsat", Operation::AddSaturating),
    ("subsat", Operation::SubSaturating),
    ("transpose", Operation::Shape(Builder::Transpose)),
    ("perm", Operation::Shape(Builder::Perm)),
    ("reshape", Operation::Shape(Builder::Reshape)),
];

/// The id of the first operation. No function has such an id.
const FIRST: u32 = u32::MAX - 63;

/// Returns whether an id is that of an operation, which is no function.
pub fn is_operation(id: u32) -> bool {
    id >= FIRST
}

/// Returns the names of the operations, with their ids.
pub fn operations() -> impl Iterator<Item = (&'static str, u32)> {
    NAMES.iter().zip(FIRST..).map(|(&(name, _), id)| (name, id))
}

impl Operation {
    /// Returns the operation with an id.
    #[inline]
    pub fn of(id: u32) -> Option<Operation> {
        NAMES.get(id.checked_sub(FIRST)? as usize).map(|&(_, operation)| operation)
    }

    /// Returns the number of functions, of values after them, and the least and greatest number of arrays.
    fn parts(self) -> (usize, usize, usize, usize) {
        match self {
            Operation::Map => (1, 0, 1, usize::MAX),
            Operation::Reduce | Operation::Fold | Operation::FoldRight | Operation::Scan => (1, 1, 1, usize::MAX),
            Operation::Redomap => (2, 1, 1, usize::MAX),
            Operation::Filter => (1, 0, 1, usize::MAX),
            Operation::Group => (1, 2, 2, 2),
            Operation::Short(_) => (0, 0, 1, 1),
            Operation::Where => (0, 3, 0, 0),
            Operation::AddSaturating | Operation::SubSaturating => (0, 2, 0, 0),
            Operation::Print | Operation::Shape(_) => (0, 1, 0, 0),
        }
    }

    /// Returns whether several arrays are read as one array of tuples.
    fn takes_one_array(self) -> bool {
        let takes_several = matches!(self, Operation::Map | Operation::Redomap | Operation::Group | Operation::Where);
        !takes_several && !self.is_saturating()
    }

    /// Returns whether it is `addsat` or `subsat`.
    fn is_saturating(self) -> bool {
        matches!(self, Operation::AddSaturating | Operation::SubSaturating)
    }

    /// Returns the function of the runtime for its elements.
    fn saturating(self, element: Type) -> u32 {
        let is_sum = self == Operation::AddSaturating;
        match element {
            Type::Byte if is_sum => runtime::ADD_BYTES,
            Type::Byte => runtime::SUB_BYTES,
            Type::Short if is_sum => runtime::ADD_SHORTS,
            Type::Short => runtime::SUB_SHORTS,
            _ if is_sum => runtime::ADD_INTS,
            _ => runtime::SUB_INTS,
        }
    }

    /// Returns the kind of its nodes.
    fn kind(self) -> u8 {
        match self {
            Operation::Map => kind::MAP,
            Operation::Reduce | Operation::Fold | Operation::Short(_) => kind::REDUCE,
            Operation::FoldRight => kind::FOLD_RIGHT,
            Operation::Redomap => kind::REDOMAP,
            Operation::Scan => kind::SCAN,
            Operation::Filter => kind::FILTER,
            Operation::Group => kind::GROUP,
            Operation::Where => kind::WHERE,
            Operation::AddSaturating | Operation::SubSaturating => kind::CALL,
            Operation::Print | Operation::Shape(_) => kind::PRINT,
        }
    }
}

/// An operation whose parts are being read.
pub struct Application {
    operation: Operation,
    /// The index of the name.
    token: usize,
    /// The first node.
    start: u32,
    /// The number of parts so far.
    count: usize,
    /// The functions so far.
    functions: Vec<Callee>,
    /// The values and arrays so far.
    values: Vec<Operand>,
    /// `true` if a function was missing, which was reported.
    failed: bool,
}

impl Application {
    /// Returns an operation without parts, whose name is the next token. The operation of a shorthand is made at once.
    pub fn new(c: &mut Cursor<'_>, operation: Operation) -> Application {
        let (token, start) = (c.at, c.program.forest.len());
        let functions = match operation {
            Operation::Short(shorthand) => vec![shorthand.begin(c)],
            _ => Vec::new(),
        };
        Application { operation, token, start, count: 0, functions, values: Vec::new(), failed: false }
    }

    /// Returns whether the next part is a function.
    pub fn wants_function(&self) -> bool {
        self.count < self.operation.parts().0
    }

    /// Takes a part. A function comes with `callee`.
    pub fn part(&mut self, c: &mut Cursor<'_>, mut operand: Operand, callee: Option<Callee>) {
        let wants_function = self.wants_function();
        self.count += 1;
        if !wants_function {
            check_value(c, &mut operand);
            self.values.push(operand);
            if self.operation.is_saturating() {
                push(c, kind::ARG, operand.ty, self.count as u32 - 1, operand.first, operand.start);
            }
            return;
        }
        let Some(callee) = callee else {
            if operand.ty != ERROR {
                c.report(errors::not_a_function(span(c, &operand), c.word(self.token)));
            }
            self.failed = true;
            return;
        };
        // The first of the two functions of `redomap` has only a type.
        let mut callee = callee;
        if self.operation == Operation::Redomap && self.count == 1 {
            callee.remove_nodes(c);
        }
        self.functions.push(callee);
    }

    /// Makes the node. The next token closes the operation.
    pub fn finish(mut self, c: &mut Cursor<'_>) -> Operand {
        c.program.arrays = true;
        c.program.loops |= self.operation != Operation::Print && !self.operation.is_saturating();
        let (functions, values, least, most) = self.operation.parts();
        let others = functions + values;
        if self.count < others + least || self.count > others.saturating_add(most) {
            let expected = if self.count < others + least { others + least } else { others + most };
            let whole = c.span_between(self.token, c.at);
            c.report(argument_count(whole, c.word(self.token), expected, self.count));
            self.failed = true;
        }
        let ty = if self.failed { ERROR } else { self.checked(c) };
        if self.operation.is_saturating() {
            return self.saturated(c, ty);
        }
        let position = if self.operation == Operation::Print { 0 } else { c.tokens.start[self.token] + 1 };
        push(c, self.operation.kind(), ty, position, self.token, self.start);
        Operand { start: self.start, ty, form: Form::Any, first: self.token, last: c.at }
    }

    /// Makes the nodes of `addsat` or `subsat` of a type.
    fn saturated(&self, c: &mut Cursor<'_>, ty: u8) -> Operand {
        let function = self.operation.saturating(Type::from_code(ty).element());
        c.program.callables[function as usize].used = true;
        push(c, kind::CALL, ty, function, self.token, self.start);
        if rank_of(ty) > 0 {
            c.program.loops = true;
            push(c, kind::ASCRIBE, ty, c.tokens.start[self.token] + 1, self.token, self.start);
        }
        Operand { start: self.start, ty, form: Form::Any, first: self.token, last: c.at }
    }

    /// Checks the types of all parts. Returns the type of the value.
    fn checked(&mut self, c: &mut Cursor<'_>) -> u8 {
        let (token, (_, values, ..)) = (self.token, self.operation.parts());
        if self.operation.takes_one_array() && self.values.len() > values + 1 {
            self.zip(c, values);
        }
        let elements: Vec<u8> = self.values[values..].iter().map(|array| row_of(c, token, array)).collect();
        let first = self.values[0];
        match self.operation {
            Operation::Map => {
                check_rows(c, &self.values);
                let result = self.functions[0].apply(c, token, &elements);
                array_of(c, token, result)
            }
            Operation::Filter => {
                self.functions[0].apply_to(c, token, &elements, ty::INT);
                first.ty
            }
            Operation::Where => {
                let values = [self.values[0], self.values[1], self.values[2]];
                check_elements(c, &values);
                choose_elements(c, token, values)
            }
            Operation::AddSaturating | Operation::SubSaturating => {
                check_elements(c, &self.values);
                saturating_type(c, token, self.values[0], self.values[1])
            }
            Operation::Print | Operation::Shape(_) => {
                c.program.loops |= Type::from_code(first.ty).is_composite();
                ty::VOID
            }
            Operation::Short(shorthand) => shorthand.finish(c, token, &self.functions[0], &first),
            Operation::Reduce => {
                if !self.check_neutral(c, values, elements[0]) {
                    return ERROR;
                }
                self.functions[0].apply_to(c, token, &[first.ty, elements[0]], first.ty)
            }
            Operation::Fold => self.functions[0].apply_to(c, token, &[first.ty, elements[0]], first.ty),
            Operation::FoldRight => self.functions[0].apply_to(c, token, &[elements[0], first.ty], first.ty),
            Operation::Scan => {
                if !self.check_neutral(c, values, elements[0]) {
                    return ERROR;
                }
                let result = self.functions[0].apply_to(c, token, &[first.ty, elements[0]], first.ty);
                array_of(c, token, result)
            }
            Operation::Redomap => {
                check_rows(c, &self.values[values..]);
                self.functions[0].apply_to(c, token, &[first.ty, first.ty], first.ty);
                let arguments: Vec<u8> = std::iter::once(first.ty).chain(elements).collect();
                self.functions[1].apply_to(c, token, &arguments, first.ty)
            }
            Operation::Group => {
                check_type(c, &self.values[1], "the number of keys", ty::INT);
                check_rows(c, &self.values[values..]);
                let keys = self.values[2];
                if !(is_narrow(keys.ty) && rank_of(keys.ty) == 1) {
                    check_type(c, &keys, "the array of keys", Type::Int.array(1).code());
                }
                if !self.check_neutral(c, 3, elements[1]) {
                    return ERROR;
                }
                let result = self.functions[0].apply_to(c, token, &[first.ty, first.ty], first.ty);
                array_of(c, token, result)
            }
        }
    }

    /// Makes one array of tuples of the arrays after the first `values` values.
    fn zip(&mut self, c: &mut Cursor<'_>, values: usize) {
        let arrays = self.values.split_off(values);
        let (first, last) = (arrays[0], arrays[arrays.len() - 1]);
        check_rows(c, &arrays);
        // Each argument other than an array is reported.
        let rows: Vec<u8> = arrays.iter().map(|array| row_of(c, self.token, array)).collect();
        let types: Vec<u8> = arrays.iter().map(|array| array.ty).collect();
        let whole = c.span_between(first.first, last.last);
        let ty = if rows.contains(&ERROR) { ERROR } else { zipped(c, &types, whole) };
        push(c, kind::ZIP, ty, c.tokens.start[self.token] + 1, self.token, first.start);
        self.values.push(Operand { ty, last: last.last, ..first });
    }

    /// Reports elements of another type than the first value. `array` is the index of their array. Returns whether the types agree.
    fn check_neutral(&self, c: &mut Cursor<'_>, array: usize, element: u8) -> bool {
        let (first, array) = (&self.values[0], &self.values[array]);
        if !agree(first.ty, element) {
            let (first, array) = ((span(c, first), first.ty), (span(c, array), array.ty));
            c.report(errors::different_neutral(&c.program.types, c.word(self.token), first, array));
        }
        agree(self.values[0].ty, element)
    }
}

/// Checks the parts of `where[c, a, b]`. Returns the type of its value. `token` is the name.
fn choose_elements(c: &mut Cursor<'_>, token: usize, values: [Operand; 3]) -> u8 {
    let [condition, then, otherwise] = values;
    if values.iter().any(|value| value.ty == ERROR) {
        return ERROR;
    }
    let composite = values.iter().find(|value| Type::from_code(value.ty).is_composite());
    let error = if let Some(value) = composite {
        no_number(&c.program.types, span(c, value), c.word(token), value.ty)
    } else if values.iter().all(|value| rank_of(value.ty) == 0) {
        errors::where_of_numbers(c.span_between(token, c.at))
    } else if element_of(condition.ty) != ty::INT {
        let expected = array_type(ty::INT, rank_of(condition.ty));
        wrong_type(&c.program.types, span(c, &condition), "the condition of `where`", expected, condition.ty)
    } else if common_element(then.ty, otherwise.ty).is_none() {
        let (then, otherwise) = ((span(c, &then), then.ty), (span(c, &otherwise), otherwise.ty));
        errors::different_values(&c.program.types, then, otherwise)
    } else {
        let rank = values.iter().map(|value| rank_of(value.ty)).max().unwrap_or(0);
        return array_type(common_element(then.ty, otherwise.ty).unwrap_or(ERROR), rank);
    };
    c.report(error);
    ERROR
}

/// Checks the arguments of `addsat` or `subsat`. Returns the type of the value. `token` is the name.
fn saturating_type(c: &mut Cursor<'_>, token: usize, left: Operand, right: Operand) -> u8 {
    if left.ty == ERROR || right.ty == ERROR {
        return ERROR;
    }
    let types = &c.program.types;
    let is_wrong =
        |operand: &&Operand| Type::from_code(operand.ty).is_composite() || element_of(operand.ty) == ty::FLOAT;
    let error = if let Some(wrong) = [&left, &right].into_iter().find(is_wrong) {
        if types.fields(wrong.ty).is_empty() {
            errors::ints_needed(types, span(c, wrong), c.word(token), wrong.ty)
        } else {
            no_number(types, span(c, wrong), c.word(token), wrong.ty)
        }
    } else if let Some(element) = common_element(left.ty, right.ty) {
        return array_type(element, rank_of(left.ty).max(rank_of(right.ty)));
    } else {
        errors::different_arguments(types, c.word(token), (span(c, &left), left.ty), (span(c, &right), right.ty))
    };
    c.report(error);
    ERROR
}

/// Returns the type of the elements of an array, or of its rows. `token` is the name of the operation that reads them.
fn row_of(c: &mut Cursor<'_>, token: usize, array: &Operand) -> u8 {
    if array.ty == ERROR {
        return ERROR;
    }
    let rank = c.program.types.rank(array.ty);
    if rank == 0 {
        c.report(array_needed(&c.program.types, span(c, array), c.word(token), array.ty));
        return ERROR;
    }
    let element = c.program.types.array(array.ty, rank - 1);
    c.within_limits(element, span(c, array))
}

/// Returns the type of arrays whose elements or rows have a type. `token` is the name of the operation that makes one.
fn array_of(c: &mut Cursor<'_>, token: usize, ty: u8) -> u8 {
    let above = c.program.types.above(ty, 1);
    c.within_limits(above, c.span_between(token, c.at))
}
