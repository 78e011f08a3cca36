//! The functions of the runtime that a program with arrays contains: the ones that its nodes may become calls of.
//!
//! Each node is judged by itself, before any pass, so a program may contain a function that no call is left of. The functions that these
//! call are not listed: the front end finds their calls.

use treepar::device::device;

use super::builtins::BuiltinSet;
use super::kinds::{BINARY, ELEMENTWISE, Kind, Kinds, Type, WITH_LAMBDA};
use super::tree::runtime::*;

/// Every program with arrays needs these.
const ALWAYS: BuiltinSet = BuiltinSet::of(&[ARENA, OUT_OF_MEMORY, COPY_WORDS, ALLOCATE, OWN, EMPTY, CHECK_FAILED]);

/// The operations that only whole arrays have.
const WHOLE_ONLY: Kinds = WITH_LAMBDA.union(Kinds::of(&[Kind::Where]));

/// The operations on whole arrays, and those on arrays of structs or tuples, need these.
const WHOLE: BuiltinSet = BuiltinSet::of(&[
    ARRAY_LIKE, SIZED, ROWS_LIKE, SET_ROW, ROW_VIEW, FILL, FILL_FLOAT, FILL_ROWS, COPY_ARRAY, COUNT_OF, COMPACT, LEAVE,
]);

/// Returns the functions that a call needs besides its own. A unique parameter is a call of [`TAKE`].
const fn call(id: u32) -> BuiltinSet {
    BuiltinSet::of(match id {
        IOTA => &[COUNT_UP],
        COPY => &[COPY_ARRAY],
        CONCAT => &[JOIN],
        PERM => &[PERMUTED],
        RESHAPE => &[RESHAPED, RESHAPED_COUNT, FIRST_NEGATIVE, PRODUCT_OF],
        TAKE => &[TAKE, LEAVE_UNIQUE],
        _ => &[],
    })
}

/// Returns the functions that `print` of a value needs.
const fn print(value: Type) -> BuiltinSet {
    let numbers = BuiltinSet::of(&[PRINT_NUMBER, PRINT_NUMBERS]);
    let floats = BuiltinSet::of(&[PRINT_FLOAT_NUMBER, PRINT_FLOATS]);
    if value.is_composite() {
        return numbers.union(floats).union(BuiltinSet::of(&[PRINT_INT, PRINT_FLOAT, PRINT_CHAR]));
    }
    BuiltinSet::of(match (value.element().code() == Type::Float.code(), value.rank() > 0) {
        (false, false) => &[PRINT_NUMBER],
        (false, true) => &[PRINT_NUMBERS],
        (true, false) => &[PRINT_FLOAT_NUMBER],
        (true, true) => &[PRINT_FLOATS],
    })
}

/// Returns the functions that a node of a kind needs because of the kind. `value` is the type of the node that ends right before it.
const fn own(kind: Kind, ty: Type, data: u32, value: Type) -> BuiltinSet {
    let is_number = !ty.is_array();
    match kind {
        Kind::Function => BuiltinSet::of(match ty {
            Type::Void => &[LEAVE],
            Type::Int => &[LEAVE_INT],
            Type::Float => &[LEAVE_FLOAT],
            _ if ty.is_composite() => &[LEAVE, LEAVE_OUTS],
            _ => &[LEAVE_ARRAY],
        }),
        Kind::While | Kind::For => BuiltinSet::of(&[COMPACT]),
        Kind::Array if ty.rank() > 1 => BuiltinSet::of(&[ROWS_LIKE, SET_ROW]),
        Kind::Index if !is_number => BuiltinSet::of(&[ROW_VIEW]),
        Kind::Update if !is_number => BuiltinSet::of(&[SET_ROW]),
        Kind::Replicate if ty.rank() > 1 => BuiltinSet::of(&[FILL_ROWS]),
        Kind::Replicate => BuiltinSet::of(&[FILL, FILL_FLOAT]),
        Kind::Call => call(data),
        Kind::Param if (!is_number || ty.is_composite()) && data == 1 => call(TAKE),
        Kind::Slice | Kind::Split => BuiltinSet::of(&[SLICE_PLAN, SLICE_CHECK, SLICED]),
        Kind::UpdateSlice => BuiltinSet::of(&[SLICE_PLAN, SLICE_CHECK, SLICE_EXTENTS, SET_SLICE, FILL, FILL_FLOAT]),
        Kind::Filter => BuiltinSet::of(&[TRUNCATED]),
        Kind::Print => print(value),
        _ => BuiltinSet::NONE,
    }
}

/// Returns whether a function is one of those for `addsat` and `subsat`.
#[device]
const fn is_saturating(id: u32) -> bool {
    (id >= ADD_INTS) & (id <= SUB_SHORTS)
}

/// Returns whether a function applies to each element of an array, and has no effect.
#[device]
pub const fn is_of_elements(id: u32) -> bool {
    (id >= FLOOR) & (id <= COS) | is_saturating(id)
}

/// Returns the functions that a node of a program with arrays needs. `value` is the type of the node that ends right before it.
pub const fn needs(kind: Kind, ty: Type, data: u32, value: Type) -> BuiltinSet {
    let is_operation = BINARY.contains(kind)
        | kind.is_unary()
        | ((kind.code() == Kind::Call.code()) & ((data < ARRAYS) | is_saturating(data)));
    let is_whole =
        WHOLE_ONLY.contains(kind) | (is_operation & ty.is_array()) | ty.is_composite() | value.is_composite();
    ALWAYS.union(own(kind, ty, data, value)).union(if is_whole { WHOLE } else { BuiltinSet::NONE })
}

/// The classes of types that the tables below distinguish.
const CLASSES: usize = 8;

/// Returns the class of a type of numbers or of arrays of numbers.
#[device]
const fn class_of(ty: Type) -> usize {
    let array = 4 | ((ty.rank() > 1) as usize) | ((ty.element().code() == Type::Float.code()) as usize) << 1;
    if ty.rank() == 0 { (ty.code() & 3) as usize } else { array }
}

/// Returns half of each set: the sets of each kind with each class of types, then the sets of a call of each function.
const fn halves(is_high: bool) -> [u64; 128 * CLASSES + COUNT as usize] {
    let (int, float) = (Type::Int, Type::Float);
    let types = [Type::Void, int, float, Type::Void, int.array(1), int.array(2), float.array(1), float.array(2)];
    let mut halves = [0; 128 * CLASSES + COUNT as usize];
    let mut k = 0;
    while k < halves.len() {
        let set = if k < 128 * CLASSES {
            let kind = Kind::from_code((k / CLASSES) as u8);
            let ty = types[k % CLASSES];
            // The class of a `print` is that of its value.
            needs(kind, ty, COUNT, if matches!(kind, Kind::Print) { ty } else { Type::Void })
        } else {
            call((k - 128 * CLASSES) as u32)
        };
        halves[k] = if is_high { set.halves().1 } else { set.halves().0 };
        k += 1;
    }
    halves
}

const LOW: [u64; 128 * CLASSES + COUNT as usize] = halves(false);
const HIGH: [u64; 128 * CLASSES + COUNT as usize] = halves(true);

/// The two halves of a set of functions of the runtime.
#[device]
pub struct Needs {
    /// The functions below 64.
    pub low: u64,
    /// The others.
    pub high: u64,
}

/// Returns the functions that a node needs that has no composite type. The type of a `print` is here the type of its value.
#[device]
pub fn needs_of_node(kind: Kind, ty: Type, data: u32) -> Needs {
    let own = (kind.code() & 127) as usize * CLASSES + class_of(ty);
    let is_unique = (kind == Kind::Param) & ty.is_array() & (data == 1);
    let function = if is_unique { TAKE } else { data };
    let is_called = is_unique | (kind == Kind::Call) & (data < COUNT);
    let called = if is_called { 128 * CLASSES + function as usize } else { own };
    Needs { low: LOW[own] | LOW[called], high: HIGH[own] | HIGH[called] }
}

/// Returns whether the pass [`multiloops`](crate::passes::multiloops) replaces a node that has no composite type.
#[device]
pub fn is_loop(kind: Kind, ty: Type, data: u32) -> bool {
    let is_elementwise = ELEMENTWISE.contains(kind) | ((kind == Kind::Call) & (data < NAMED));
    WHOLE_ONLY.contains(kind) | (is_elementwise & ty.is_array())
}
