//! Types as they are written, and which of them columns hold.

use syn::{PathArguments, Type};

use super::errors::{Errors, plain, text};
use treepar_device::types::Scalar;

/// The most outputs of a row. `treepar::device::Outputs` is implemented for as many.
const OUTPUTS: usize = 10;

/// Returns the name of a type that is a plain name.
pub fn name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// Returns whether a type is the scalar `wanted`, by name.
pub fn is(ty: &Type, wanted: &str) -> bool {
    match ty {
        // From a macro's `$ty:ty`.
        Type::Group(inner) => is(&inner.elem, wanted),
        _ => name(ty).as_deref() == Some(wanted),
    }
}

/// Returns whether a type is a pair of the scalar `wanted`.
pub fn is_pair(ty: &Type, wanted: &str) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.len() == 2 && tuple.elems.iter().all(|part| is(part, wanted)))
}

/// Returns the type of the rows that a function of `expand_rows` makes: `T` of `(T, T, T, T, u32)`.
pub fn made(ty: &Type) -> Option<&Type> {
    let Type::Tuple(tuple) = ty else { return None };
    let parts: Vec<&Type> = tuple.elems.iter().collect();
    let [row, others @ .., count] = &parts[..] else { return None };
    let same = |other: &&Type| text(*other) == text(*row);
    (others.len() == 3 && others.iter().all(same) && is(count, "u32")).then_some(row)
}

/// Returns the scalar of the subset that a type names.
pub fn scalar(ty: &Type) -> Option<Scalar> {
    name(ty).and_then(|name| Scalar::of(&name))
}

/// Checks the type of a scalar, local or result. rustc checks whether a name is a device type.
pub fn value(ty: &Type, errors: &mut Errors) {
    let instead = match ty {
        // From a macro's `$ty:ty`.
        Type::Group(inner) => return value(&inner.elem, errors),
        Type::Path(path) if path.qself.is_none() => {
            let last = &path.path.segments[path.path.segments.len() - 1];
            let bare = path.path.segments.iter().all(|segment| matches!(segment.arguments, PathArguments::None));
            match last.ident.to_string().as_str() {
                "Option" | "Result" => "use a reserved value",
                "Vec" | "Box" => "a kernel allocates nothing; use a column, `&[T]`",
                _ if !bare => "use a scalar or a `#[device]` struct, which have no generic arguments",
                "isize" => "use `i64`",
                "u128" | "i128" => "use two `u64`",
                "f16" | "f128" => "use `f32` or `f64`",
                "char" => "use `u32`",
                "str" | "String" => "a device function has no text; number it with a `u32`",
                "Self" => "name the type",
                _ => return,
            }
        }
        Type::Reference(_) | Type::Ptr(_) => "take scalars by value and columns as parameters, `&[T]`",
        Type::Array(_) | Type::Slice(_) => "use a `const` table, or one variable each",
        Type::Tuple(tuple) if tuple.elems.is_empty() => "return a value",
        Type::Tuple(_) => "use a `#[device]` struct; a tuple is a result, taken apart by `let (a, b) = ..`",
        Type::ImplTrait(_) | Type::TraitObject(_) => "write one function per type",
        Type::FnPtr(_) => "call the function by its name",
        Type::Infer(_) => "leave the type away, or name it",
        _ => "use u8 to u64, i8 to i64, f32, f64, bool, usize or a `#[device]` struct",
    };
    errors.outside(ty, format_args!("type `{}`", plain(ty)), instead);
}

/// Checks the element of a column.
pub fn element(ty: &Type, errors: &mut Errors) {
    match name(ty).as_deref() {
        Some("bool") => errors.at(ty, "`bool` is no element of a column: use `u8`, 0 or 1"),
        Some("usize") => errors.at(ty, "`usize` is no element of a column: use `u32`"),
        _ => value(ty, errors),
    }
}

/// Checks the result of a row's function: an element, or a tuple of them.
pub fn outputs(ty: &Type, errors: &mut Errors) {
    match ty {
        Type::Tuple(tuple) if tuple.elems.len() > OUTPUTS => {
            errors.at(ty, format_args!("a row has at most {OUTPUTS} outputs, here {}: use structs", tuple.elems.len()));
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            tuple.elems.iter().for_each(|ty| element(ty, errors));
        }
        _ => element(ty, errors),
    }
}

/// Checks the result of a function without a role: a value, or a tuple of them.
pub fn result(ty: &Type, errors: &mut Errors) {
    match ty {
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            tuple.elems.iter().for_each(|ty| value(ty, errors));
        }
        _ => value(ty, errors),
    }
}
