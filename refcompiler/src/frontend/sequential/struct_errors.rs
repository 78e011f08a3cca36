//! The errors about structs and tuples: one constructor per diagnostic.

use std::ops::Range;

use super::array_errors::{array_operand, rank_too_large};
use super::composites::{Limit, MAX_LEAVES, Types};
use super::errors::shown;
use crate::diagnostics::{Code, Diagnostic};
use crate::ir::kinds::{MAX_COMPOSITES, Type};

/// A type that exceeds a limit.
pub fn limit(span: Range<u32>, limit: Limit) -> Diagnostic {
    let (message, label) = match limit {
        Limit::Rank => return rank_too_large(span),
        Limit::Composites => (
            format!("the program has more than {MAX_COMPOSITES} types of structs and tuples"),
            "one more type: arrays of a struct have a type of their own for each rank".to_string(),
        ),
        Limit::Leaves => (
            format!("a type with more than {MAX_LEAVES} numbers and arrays"),
            format!("at most {MAX_LEAVES}, with those of all parts"),
        ),
    };
    Diagnostic::new(Code::Unsupported, span, message).label(label)
}

/// `(t)` as a type.
pub fn short_tuple(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, "the type of a tuple with fewer than two parts")
        .label("expected at least two types")
        .help("a type needs no parentheses")
}

/// An array, struct or tuple where a number must be, as an operand of `operator`.
pub fn no_number(types: &Types, span: Range<u32>, operator: &str, found: u8) -> Diagnostic {
    if !Type::from_code(found).is_composite() {
        return array_operand(types, span, operator, found);
    }
    let (what, help) = match (types.is_array(found), types.is_tuple(found)) {
        (true, _) => ("arrays of structs or tuples", "a loop can compute with the fields of the elements"),
        (false, true) => ("tuples", "`var (x, y) = e;` gives the parts of a tuple names"),
        (false, false) => ("structs", "compute with the fields: `p.x`"),
    };
    Diagnostic::new(Code::NoOperation, span, format!("`{}` is not defined for {what}", shown(operator)))
        .label(format!("this is `{}`", types.text(found)))
        .help(help)
}

// Declarations.

/// A struct that contains itself.
pub fn recursive(span: Range<u32>, name: &str, declared: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::WrongShape, span, format!("the struct `{}` contains itself", shown(name)))
        .label("here it contains itself")
        .other(declared, "the struct is declared here")
        .help("a struct has a fixed size; an array of indices can stand for references")
}

/// A struct without fields.
pub fn no_fields(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, "a struct without fields")
        .label("expected a field")
        .help("fields are declared as in `struct P { x: int, y: float }`")
}

/// `int x` in a struct.
pub fn type_before_field(span: Range<u32>, ty: &str, name: &str) -> Diagnostic {
    Diagnostic::new(Code::ForeignWord, span, "the type of a field follows its name").label(format!(
        "write `{}: {}`",
        shown(name),
        shown(ty)
    ))
}

/// Something other than `,` or `}` after a field.
pub fn not_a_separator(error: Diagnostic) -> Diagnostic {
    error.help("fields are declared as in `struct P { x: int, y: float }`")
}

/// `struct` inside a function.
pub fn inside_function(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "`struct` inside a function").label("only allowed at top level")
}

/// A function and a struct with one name.
pub fn struct_and_function(span: Range<u32>, name: &str, first: Range<u32>) -> Diagnostic {
    let message = format!("`{}` is the name of a struct and of a function", shown(name));
    Diagnostic::new(Code::Redeclared, span, message)
        .label("declared again here")
        .other(first, "first declared here")
        .help("`name[..]` is a call of a function or a value of a struct")
}
