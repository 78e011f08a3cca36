//! The errors about sizes in the types of arrays: one constructor per diagnostic.

use std::ops::Range;

use super::errors::shown;
use crate::diagnostics::{Code, Diagnostic};

/// A size in a type of something that has none.
pub fn no_size(span: Range<u32>, owner: &str) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, format!("a size in the type of {owner}"))
        .label("not allowed here")
        .help("only parameters, results, variables and values `e : T` have arrays with sizes: `[int; n]`")
}

/// A size in the type of a result that no parameter binds.
pub fn unbound(span: Range<u32>, name: &str) -> Diagnostic {
    let name = shown(name);
    Diagnostic::new(Code::Undeclared, span, format!("the size `{name}` is never bound"))
        .label("not the size of a parameter")
        .help(format!("a parameter binds a size, as in `a: [int; {name}]` or `{name}: int`"))
}

/// A size that is the name of something other than an int.
pub fn not_an_int(span: Range<u32>, name: &str, found: &str, declared: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::TypeMismatch, span, format!("the size `{}` must have type `int`, not `{found}`", shown(name)))
        .label(format!("expected `int`, found `{found}`"))
        .other(declared, "declared here")
}

/// A size before a value whose extents are not checked.
pub fn composite(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Unsupported, span, "a size in the type of an array of structs or tuples")
        .label("only checked for parameters")
        .help("`assert[size[a] == n];` checks the size of an array")
}

/// `var x: [t; n]` without a value, where zeros are not defined.
pub fn no_zeros(span: Range<u32>, ty: &str) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, format!("a variable of type `{ty}` with a size needs a value"))
        .label("expected `=` and a value")
        .help("a variable without a value has sizes for all its dimensions, and numbers as elements")
}

/// An assignment to a size of the head of a function.
pub fn assigned_size(span: Range<u32>, name: &str, declared: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::NotAssignable, span, format!("the size `{}` cannot be assigned", shown(name)))
        .label("read-only")
        .other(declared, "the size of an array")
        .help("declare another variable")
}
