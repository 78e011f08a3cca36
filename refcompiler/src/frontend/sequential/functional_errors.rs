//! The errors about functions as arguments: one constructor per diagnostic.

use std::ops::Range;

use super::composites::Types;
use super::errors::shown;
use crate::diagnostics::{Code, Diagnostic};

/// Advice about the forms of functions as arguments.
const FORMS: &str = "a function is written `fn[x: int]: int = x + 1`, `(+)`, or as the name of a function";

/// A value where an operation expects a function.
pub fn not_a_function(span: Range<u32>, operation: &str) -> Diagnostic {
    let message = format!("this argument of `{}` must be a function", shown(operation));
    Diagnostic::new(Code::TypeMismatch, span, message).label("expected a function").help(FORMS)
}

/// A lambda or a section where no operation expects a function.
pub fn function_as_value(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "a function is not a value").label("not allowed here").help(
        "functions are arguments of operations like `map` and `reduce`; longer functions are declared with a name",
    )
}

/// The name of an operation, which is not a function, as an argument.
pub fn operation_as_argument(span: Range<u32>, name: &str) -> Diagnostic {
    let name = shown(name);
    Diagnostic::new(Code::Misplaced, span, format!("the operation `{name}` cannot be an argument by its name"))
        .label("expected a function")
        .help(format!("a lambda can call it: `fn[x: [int]]: int = {name}[..]`"))
}

/// A parameter of a lambda with a `*`.
pub fn unique_in_lambda(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "a parameter of a lambda cannot be unique")
        .label("not allowed here")
        .help("a nested function can have such a parameter")
}

/// A declaration inside a lambda.
pub fn declaration_in_lambda(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "a declaration in a lambda")
        .label("not allowed here")
        .help("a lambda is one expression; a nested function can declare variables")
}

/// An assignment inside a lambda.
pub fn assignment_in_lambda(span: Range<u32>, name: &str) -> Diagnostic {
    let message = format!("a lambda that assigns to `{}`", shown(name));
    Diagnostic::new(Code::NotAssignable, span, message)
        .label("not allowed here")
        .help("a lambda only computes its value; `reduce` and `fold` carry a value from element to element")
}

/// A lambda without the type of its value.
pub fn untyped_lambda(error: Diagnostic) -> Diagnostic {
    error.help("the type of a lambda's value follows its parameters: `fn[x: int]: int = x + 1`")
}

fn parameters(count: usize) -> String {
    format!("{count} parameter{}", if count == 1 { "" } else { "s" })
}

/// A function with too many or too few parameters for its operation, which calls it with arguments of some types.
pub fn wrong_arity(types: &Types, span: Range<u32>, operation: &str, arguments: &[u8], found: usize) -> Diagnostic {
    let (expected, operation) = (parameters(arguments.len()), shown(operation));
    let found_types: Vec<String> = arguments.iter().map(|&ty| format!("`{}`", types.text(ty))).collect();
    let message = format!("the function of `{operation}` must have {expected}, found {found}");
    Diagnostic::new(Code::ArgumentCount, span, message)
        .label(format!("expected {expected}"))
        .help(format!("`{operation}` calls it with {}", found_types.join(", ")))
}

/// A parameter of a function with another type than the value that the operation passes.
pub fn wrong_parameter(types: &Types, span: Range<u32>, index: usize, expected: u8, found: u8) -> Diagnostic {
    let (expected, found) = (types.text(expected), types.text(found));
    let message = format!("parameter {} of this function must have type `{expected}`, not `{found}`", index + 1);
    Diagnostic::new(Code::TypeMismatch, span, message).label(format!("expected `{expected}`, found `{found}`"))
}

/// A function without a result.
pub fn no_result(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::VoidValue, span, "this function has no result").label("expected a function with a result")
}

/// A function with a result of another type than the one that the operation carries.
pub fn wrong_result(types: &Types, span: Range<u32>, operation: &str, expected: u8, found: u8) -> Diagnostic {
    let (expected, found) = (types.text(expected), types.text(found));
    let message =
        format!("the function of `{}` must have a result of type `{expected}`, not `{found}`", shown(operation));
    Diagnostic::new(Code::TypeMismatch, span, message).label(format!("expected `{expected}`, found `{found}`"))
}

/// A function on numbers that an operation applies to values of another type, or of two types.
pub fn numbers_needed(types: &Types, span: Range<u32>, function: &str, found: u8) -> Diagnostic {
    let message = format!("`{}` is not defined for these arguments", shown(function));
    Diagnostic::new(Code::NoOperation, span, message)
        .label(format!("expected numbers of one type, found `{}`", types.text(found)))
}

/// A first value of `reduce` or its like whose type is not the type of the elements.
pub fn different_neutral(
    types: &Types,
    operation: &str,
    first: (Range<u32>, u8),
    array: (Range<u32>, u8),
) -> Diagnostic {
    let (first_name, array_name, operation) = (types.text(first.1), types.text(array.1), shown(operation));
    let message = format!("the first value of `{operation}` is `{first_name}`, and its array is `{array_name}`");
    Diagnostic::new(Code::TypeMismatch, array.0, message)
        .label(format!("expected `[{first_name}]`, found `{array_name}`"))
        .other(first.0, format!("this is `{first_name}`"))
        .help("`fold` allows another type of values: `fold[fn[sum: float, x: int]: float = sum + float(x), 0.0, a]`")
}

/// `where` without an array.
pub fn where_of_numbers(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::NotAnArray, span, "no argument of `where` is an array")
        .label("expected an array")
        .help("`if[c, x, y]` chooses one of two numbers")
}

/// Values of `where` with different types.
pub fn different_values(types: &Types, then: (Range<u32>, u8), otherwise: (Range<u32>, u8)) -> Diagnostic {
    let (then_name, name) = (types.text(then.1), types.text(otherwise.1));
    let message = format!("the values of `where[..]` have different types: `{then_name}` and `{name}`");
    Diagnostic::new(Code::TypeMismatch, otherwise.0, message)
        .label(format!("found `{name}`"))
        .other(then.0, format!("this is `{then_name}`"))
}

/// A float as an argument of `addsat` or `subsat`.
pub fn ints_needed(types: &Types, span: Range<u32>, operation: &str, found: u8) -> Diagnostic {
    let (found, operation) = (types.text(found), shown(operation));
    let message = format!("`{operation}` is not defined for `{found}`");
    Diagnostic::new(Code::NoOperation, span, message)
        .label(format!("this is `{found}`"))
        .help("it saturates elements of the types `int`, `byte` and `short`")
}

/// Arguments of `addsat` or `subsat` with different types.
pub fn different_arguments(
    types: &Types,
    operation: &str,
    left: (Range<u32>, u8),
    right: (Range<u32>, u8),
) -> Diagnostic {
    let (left_name, name, operation) = (types.text(left.1), types.text(right.1), shown(operation));
    let message = format!("the arguments of `{operation}` have different types: `{left_name}` and `{name}`");
    Diagnostic::new(Code::TypeMismatch, right.0, message)
        .label(format!("found `{name}`"))
        .other(left.0, format!("this is `{left_name}`"))
}

/// `print` where a value or another statement must be.
pub fn print_as_value(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "`print[..]` is a statement, and has no value")
        .label("not allowed here")
        .help("`print[e];` writes a value and the end of the line")
}

/// An argument of `sum` or its like that is not an array of numbers with one dimension.
pub fn vector_needed(types: &Types, span: Range<u32>, operation: &str, found: u8) -> Diagnostic {
    let (found, operation) = (types.text(found), shown(operation));
    let message = format!("`{operation}` is defined for arrays of numbers with one dimension, not for `{found}`");
    Diagnostic::new(Code::NoOperation, span, message)
        .label(format!("expected `[int]` or `[float]`, found `{found}`"))
        .maybe_help(
            found
                .starts_with("[[")
                .then(|| format!("the result for each row is `map[fn[row: [int]]: int = {operation}[row], m]`")),
        )
}

/// A function where a type belongs.
pub fn function_type(error: Diagnostic) -> Diagnostic {
    error.help("functions have no types: only `map`, `reduce` and other operations on arrays take them as arguments")
}
