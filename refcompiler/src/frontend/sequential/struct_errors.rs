//! The errors about structs and tuples: one constructor per diagnostic.

use std::ops::Range;

use super::advice;
use super::array_errors::{array_operand, rank_too_large};
use super::composites::{Limit, MAX_LEAVES, Types};
use super::errors::shown;
use super::types::is_number;
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
        .help(format!("`{}[..]` is a call of a function or a value of a struct", shown(name)))
}

// Values.

fn values(count: usize) -> String {
    format!("{count} value{}", if count == 1 { "" } else { "s" })
}

/// Too many or too few values of fields.
pub fn field_count(span: Range<u32>, name: &str, expected: usize, found: usize) -> Diagnostic {
    let fields = if expected == 1 { "field" } else { "fields" };
    let message = format!("the struct `{}` has {expected} {fields}, found {}", shown(name), values(found));
    Diagnostic::new(Code::ArgumentCount, span, message).label(format!("expected {}", values(expected)))
}

/// Parentheses after the name of a struct.
pub fn parentheses(span: Range<u32>, name: &str) -> Diagnostic {
    let name = shown(name);
    Diagnostic::new(Code::Unexpected, span, format!("expected `[` after the name of the struct `{name}`, found `(`"))
        .label("expected `[`")
        .help(format!("`{name}[..]` is a value of the struct"))
}

/// A field that the type does not have.
pub fn unknown_field(types: &Types, span: Range<u32>, name: &str, base: (Range<u32>, u8)) -> Diagnostic {
    let (name, text) = (shown(name), types.text(base.1));
    let names = types.fields(base.1).iter().map(|field| field.name.as_str());
    let help = if is_number(base.1) {
        "only structs have fields".to_string()
    } else if !Type::from_code(base.1).is_composite() {
        "`size[a]` is the number of elements of an array; only structs have fields".to_string()
    } else if types.is_tuple(base.1) {
        "the parts of a tuple have no names: `var (x, y) = e;` gives them names".to_string()
    } else if let Some(similar) = advice::most_similar(&name, names.clone()) {
        format!("did you mean `{similar}`?")
    } else {
        let names: Vec<String> = names.take(8).map(|name| format!("`{name}`")).collect();
        format!("the {} {}", if names.len() == 1 { "field is" } else { "fields are" }, names.join(", "))
    };
    Diagnostic::new(Code::Undeclared, span, format!("a value of type `{text}` has no field `{name}`"))
        .label("not a field")
        .other(base.0, format!("this is `{text}`"))
        .help(help)
}

/// `t.0`.
pub fn numbered_field(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, "expected the name of a field, found a number")
        .label("expected the name of a field")
        .help("the parts of a tuple have no numbers: `var (x, y) = e;` gives them names")
}

// Destructuring.

/// `var (x, y) = e` with a value that is not a tuple.
pub fn not_a_tuple(types: &Types, span: Range<u32>, found: u8) -> Diagnostic {
    let text = types.text(found);
    let help = if types.is_array(found) {
        "an array of tuples is taken apart by `unzip[a]`"
    } else if is_number(found) {
        "`var x = e;` declares one variable"
    } else {
        "the fields of a struct are read by their names: `p.x`"
    };
    Diagnostic::new(Code::TypeMismatch, span, format!("only a tuple has parts, not a value of type `{text}`"))
        .label(format!("expected a tuple, found `{text}`"))
        .help(help)
}

/// More or fewer names than the tuple has parts.
pub fn width(types: &Types, names: (Range<u32>, usize), value: (Range<u32>, u8)) -> Diagnostic {
    let (text, parts) = (types.text(value.1), types.fields(value.1).len());
    let message = format!("a tuple of {parts} parts cannot be taken apart into {} variables", names.1);
    Diagnostic::new(Code::WrongShape, names.0, message)
        .label(format!("expected {parts} names"))
        .other(value.0, format!("this is `{text}`"))
}

/// `var (x) = e`.
pub fn one_name(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Unexpected, span, "a tuple has at least two parts")
        .label("expected at least two names")
        .help("`var x = e;` declares one variable")
}

/// `var (x, y) = e` inside an expression.
pub fn destructuring_inside(span: Range<u32>) -> Diagnostic {
    Diagnostic::new(Code::Misplaced, span, "a declaration of several variables inside an expression")
        .label("not allowed here")
        .help("`var (x, y) = e;` is a statement")
}

/// Something other than a name in `var (..)`.
pub fn not_a_name(error: Diagnostic) -> Diagnostic {
    error.help("`var (x, y) = e;` declares variables for the parts of a tuple; only names are in the parentheses")
}

/// An argument of `unzip` that is not an array of tuples.
pub fn tuples_needed(types: &Types, span: Range<u32>, found: u8) -> Diagnostic {
    let text = types.text(found);
    let is_struct = types.is_array(found) && Type::from_code(found).is_composite();
    Diagnostic::new(
        Code::TypeMismatch,
        span,
        format!("the argument of `unzip` must be an array of tuples, not `{text}`"),
    )
    .label(format!("expected an array of tuples, found `{text}`"))
    .maybe_help(is_struct.then(|| "`a.x` is the array of a field of an array of structs".to_string()))
}

/// The name of a struct where a variable must be.
pub fn name_of_struct(span: Range<u32>, name: &str) -> Diagnostic {
    let name = shown(name);
    Diagnostic::new(Code::Undeclared, span, format!("cannot find variable `{name}` in this scope"))
        .label("the name of a struct")
        .help(format!("`{name}[..]` is a value of the struct, and `var x: {name}` declares a variable"))
}

/// `P p = e`.
pub fn struct_before_name(span: Range<u32>, ty: &str, name: &str) -> Diagnostic {
    Diagnostic::new(Code::ForeignWord, span, "a variable is declared with `var`").label("write `var`").help(format!(
        "write `var {}: {}`",
        shown(name),
        shown(ty)
    ))
}
