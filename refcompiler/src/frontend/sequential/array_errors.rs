//! The errors about arrays: one constructor per diagnostic.

use std::ops::Range;

use super::composites::Types;
use super::errors::shown;
use super::types::is_number;
use crate::diagnostics::{Code, Diagnostic};
use crate::ir::kinds::MAX_RANK;

fn elements(count: u32) -> String {
    format!("{count} element{}", if count == 1 { "" } else { "s" })
}

/// Elements of different types in a literal.
pub fn different_elements(types: &Types, first: (Range<u32>, u8), other: (Range<u32>, u8)) -> Diagnostic {
    let (first_name, name) = (types.text(first.1), types.text(other.1));
    let help = "nothing is converted implicitly: use `int(..)` or `float(..)`";
    let is_number = is_number(first.1) && is_number(other.1);
    let message = format!("the elements of an array have different types: `{first_name}` and `{name}`");
    Diagnostic::new(Code::TypeMismatch, other.0, message)
        .label(format!("expected `{first_name}`, found `{name}`"))
        .other(first.0, format!("this is `{first_name}`"))
        .maybe_help(is_number.then(|| help.to_string()))
}

/// Rows of different lengths in a literal.
pub fn ragged(first: (Range<u32>, u32), other: (Range<u32>, u32)) -> Diagnostic {
    let (expected, found) = (elements(first.1), elements(other.1));
    Diagnostic::new(Code::WrongShape, other.0, format!("the rows of an array have {expected} and {found}"))
        .label(format!("expected {expected}, found {found}"))
        .other(first.0, format!("this row has {expected}"))
        .help("all rows of an array have the same length")
}

/// Arrays of an operation whose extents are known and differ.
pub fn different_extents(first: (Range<u32>, u32), other: (Range<u32>, u32)) -> Diagnostic {
    Diagnostic::new(Code::WrongShape, other.0, format!("the extents {} and {} differ", first.1, other.1))
        .label(format!("expected the extent {}, found {}", first.1, other.1))
        .other(first.0, format!("this has the extent {}", first.1))
        .help("arrays that are read together have the same extents; only an array with fewer dimensions is repeated")
}

/// `[]`.
pub fn empty_literal(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::WrongShape, span, "an array literal without elements")
        .label("its type is not known")
        .help("`var a: [int];` declares an array without elements")
}

/// `a[]`.
pub fn no_index(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, "expected an index, found `]`")
        .label("expected an index")
        .help("`a[i]` is an element of `a`, and `a` is the whole array")
}

/// Indices after a slice in the target of an update.
pub fn index_of_slice(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::NotAssignable, span, "an update of elements of a slice")
        .label("no indices may follow a slice on the left side of `=`")
        .help("`a[lo..hi].x = e;` updates a field of all elements of the slice, and a loop updates some of them")
}

/// More dimensions than an array can have.
pub fn rank_too_large(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::WrongShape, span, format!("an array with more than {MAX_RANK} dimensions"))
        .label(format!("at most {MAX_RANK} dimensions"))
}

/// `[void]`.
pub fn void_elements(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::VoidValue, span, "an array cannot have elements of type `void`")
        .label("expected `int` or `float`")
}

/// `byte` or `short` as the type of a value of its own.
pub fn narrow_value(span: Range<u32>, name: &str) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, format!("`{name}` is only the type of elements of arrays and of fields"))
        .label("not allowed here")
        .help("a value that is read is an `int`, and its low bits are written")
}

/// An index after a value that is not an array. `name` is its name, if it is a variable.
pub fn not_an_array(types: &Types, span: Range<u32>, name: Option<&str>, found: u8) -> Diagnostic {
    let found = types.text(found);
    let message = format!("a value of type `{found}` has no elements");
    Diagnostic::new(Code::NotAnArray, span, message)
        .label(format!("expected an array, found `{found}`"))
        .maybe_help(name.map(|name| format!("`{}` is a variable, and cannot be called", shown(name))))
}

/// An argument of an operation for arrays that is not an array.
pub fn array_needed(types: &Types, span: Range<u32>, operation: &str, found: u8) -> Diagnostic {
    let found = types.text(found);
    let message = format!("the argument of `{}` must be an array, not `{found}`", shown(operation));
    Diagnostic::new(Code::NotAnArray, span, message).label(format!("expected an array, found `{found}`"))
}

/// More indices than dimensions.
pub fn too_many_indices(types: &Types, span: Range<u32>, array: u8, found: u32) -> Diagnostic {
    let rank = types.rank(array);
    let dimensions = format!("{rank} dimension{}", if rank == 1 { "" } else { "s" });
    let message = format!("an array of type `{}` has {dimensions}, found {found} indices", types.text(array));
    Diagnostic::new(Code::WrongShape, span, message)
        .label(format!("expected at most {rank} {}", if rank == 1 { "index" } else { "indices" }))
}

/// The dimension in a form like `size[a, k]` that is not a literal.
pub fn dimension_not_literal(span: Range<u32>, form: &str) -> Diagnostic {
    Diagnostic::new(Code::WrongShape, span, format!("the dimension in `{form}` must be an integer literal"))
        .label("not a literal")
        .help("dimensions count from 0: `size[a, 1]` is the length of a row")
}

/// `transpose` of an array with one dimension.
pub fn transposed_vector(types: &Types, span: Range<u32>, array: u8) -> Diagnostic {
    let message = format!("an array of type `{}` cannot be transposed", types.text(array));
    Diagnostic::new(Code::WrongShape, span, message)
        .label("expected at least 2 dimensions")
        .help("`reshape[a, size[a], 1]` makes a column of an array with one dimension")
}

/// Dimensions of a `perm` that do not name each dimension of its array once.
pub fn not_a_permutation(types: &Types, span: Range<u32>, array: u8) -> Diagnostic {
    let rank = types.rank(array);
    let all: Vec<String> = (0..rank).rev().map(|k| k.to_string()).collect();
    let message = format!("`perm` of an array of type `{}` must name each of its dimensions once", types.text(array));
    Diagnostic::new(Code::WrongShape, span, message)
        .label(format!("expected {rank} different dimensions"))
        .help(format!("dimensions count from 0: `perm[a, {}]` reverses them", all.join(", ")))
}

/// The dimension of a `size` that the array does not have.
pub fn dimension_too_large(types: &Types, span: Range<u32>, array: u8) -> Diagnostic {
    let rank = types.rank(array);
    let message = format!("an array of type `{}` has no such dimension", types.text(array));
    let label = if rank == 1 { "expected 0".to_string() } else { format!("expected 0 to {}", rank - 1) };
    Diagnostic::new(Code::WrongShape, span, message).label(label).help("dimensions count from 0")
}

/// An array where a number must be, as an operand of `operator`.
pub fn array_operand(types: &Types, span: Range<u32>, operator: &str, found: u8) -> Diagnostic {
    let message = format!("`{}` is not defined for arrays", shown(operator));
    Diagnostic::new(Code::NoOperation, span, message)
        .label(format!("this is `{}`", types.text(found)))
        .help("a loop can compute with the elements: `a[i]`")
}

/// An update or assignment of a parameter that is not unique.
pub fn read_only_parameter(types: &Types, span: Range<u32>, name: &str, ty: u8, declared: Range<u32>) -> Diagnostic {
    let name = shown(name);
    let (what, help) = if types.is_array(ty) {
        ("array parameter", format!("a parameter `{name}: *{}` is the function's own copy", types.text(ty)))
    } else {
        ("parameter with arrays", format!("a variable, as in `var b = {name};`, can be assigned"))
    };
    Diagnostic::new(Code::NotAssignable, span, format!("the {what} `{name}` is read-only"))
        .label("read-only")
        .other(declared, "declared here")
        .help(help)
}

/// An update or assignment of an array of a function around.
pub fn array_around(types: &Types, span: Range<u32>, name: &str, ty: u8, declared: Range<u32>) -> Diagnostic {
    let name = shown(name);
    let is_array = types.is_array(ty);
    let what = if is_array { "array" } else { "variable with arrays" };
    let help = if is_array { "arrays around it; it can return a new array" } else { "arrays around it" };
    Diagnostic::new(Code::NotAssignable, span, format!("the {what} `{name}` belongs to a function around this one"))
        .label("read-only here")
        .other(declared, "declared here")
        .help(format!("a nested function only reads the {help}"))
}

/// `*` before a type that is not the type of an array.
pub fn unique_number(types: &Types, span: Range<u32>, ty: u8) -> Diagnostic {
    let (message, help) = if is_number(ty) {
        ("`*` before the type of a number".to_string(), "numbers are always copied; only `*[t]` is written with a `*`")
    } else {
        (format!("`*` before the type `{}`", types.text(ty)), "only the type of an array is written with a `*`")
    };
    Diagnostic::new(Code::Unexpected, span, message).label("expected the type of an array").help(help)
}

/// `*` before a type that is not the type of a parameter.
pub fn unique_outside_head(error: Diagnostic) -> Diagnostic {
    error.help("the type of a parameter or a result can begin with one `*`, and no other type")
}

/// An `extern` function with a type that C has no form of.
pub fn extern_without_form(span: Range<u32>, name: &str, ty: &str) -> Diagnostic {
    let message = format!("the `extern` function `{}` has the type `{ty}`, which C has no form of", shown(name));
    Diagnostic::new(Code::Unsupported, span, message)
        .label(format!("has `{ty}`"))
        .help("`extern` functions can have parameters and results of type `int` and `float`, and arrays of them")
}

/// Returns advice about a type whose brackets follow it, like `int[]`.
pub fn help_for_type(element: &str) -> String {
    format!("the type of an array is `[{element}]`, whatever its length")
}

/// A name with brackets in a declaration, like `var x[10]`.
pub fn brackets_after_name(error: Diagnostic, name: &str) -> Diagnostic {
    let name = shown(name);
    error.help(format!("`var {name} = replicate[n, 0]` declares an array of n zeros, `var {name}: [int]` an empty one"))
}
