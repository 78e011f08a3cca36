//! The types of the subset, and those of them that columns hold.

use syn::{PathArguments, Type};

use crate::errors::{Errors, plain};

/// Scalars of the subset.
pub const SCALARS: [&str; 9] = ["u8", "u16", "u32", "u64", "i32", "i64", "f32", "bool", "usize"];

/// Outputs of a row: as many as `treepar::device::Outputs` is written for.
const OUTPUTS: usize = 10;

/// The name of a type that is a plain name.
pub fn name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// Returns whether a type is a scalar of the subset.
pub fn is_scalar(ty: &Type) -> bool {
    name(ty).is_some_and(|name| SCALARS.contains(&name.as_str()))
}

/// A type of a scalar, local or result. Names beyond the scalars are collected: rustc says whether they are device
/// structs.
pub fn value(ty: &Type, named: &mut Vec<Type>, errors: &mut Errors) {
    let instead = match ty {
        // What a macro put in place of `$ty:ty`.
        Type::Group(inner) => return value(&inner.elem, named, errors),
        Type::Path(path) if path.qself.is_none() => {
            let last = &path.path.segments[path.path.segments.len() - 1];
            let bare = path.path.segments.iter().all(|segment| matches!(segment.arguments, PathArguments::None));
            match last.ident.to_string().as_str() {
                "Option" | "Result" => "use a reserved value",
                "Vec" | "Box" => "a kernel allocates nothing; use a column, `&[T]`",
                _ if !bare => "use a scalar or a `#[device]` struct, which have no generic arguments",
                "i8" | "i16" => "use `i32`",
                "isize" => "use `i64`",
                "u128" | "i128" => "use two `u64`",
                "f16" | "f64" | "f128" => "use `f32`",
                "char" => "use `u32`",
                "str" | "String" => "a device function has no text; number it with a `u32`",
                "Self" => "name the type",
                scalar if SCALARS.contains(&scalar) => return,
                _ => {
                    if !named.contains(ty) {
                        named.push(ty.clone());
                    }
                    return;
                }
            }
        }
        Type::Reference(_) | Type::Ptr(_) => "take scalars by value and columns as parameters, `&[T]`",
        Type::Array(_) | Type::Slice(_) => "use a `const` table, or one variable each",
        Type::Tuple(tuple) if tuple.elems.is_empty() => "return a value",
        Type::Tuple(_) => "use a `#[device]` struct; a tuple is a result, taken apart by `let (a, b) = ..`",
        Type::ImplTrait(_) | Type::TraitObject(_) => "write one function a type",
        Type::FnPtr(_) => "call the function by its name",
        Type::Infer(_) => "leave the type away, or name it",
        _ => "use u8, u16, u32, u64, i32, i64, f32, bool, usize or a `#[device]` struct",
    };
    errors.outside(ty, format_args!("type `{}`", plain(ty)), instead);
}

/// An element of a column.
pub fn element(ty: &Type, named: &mut Vec<Type>, errors: &mut Errors) {
    match name(ty).as_deref() {
        Some("bool") => errors.at(ty, "`bool` is no element of a column: use `u8`, 0 or 1"),
        Some("usize") => errors.at(ty, "`usize` is no element of a column: use `u32`"),
        _ => value(ty, named, errors),
    }
}

/// What a row's function returns: an element, or a tuple of them.
pub fn outputs(ty: &Type, named: &mut Vec<Type>, errors: &mut Errors) {
    match ty {
        Type::Tuple(tuple) if tuple.elems.len() > OUTPUTS => {
            errors.at(ty, format_args!("a row has at most {OUTPUTS} outputs, here {}: use structs", tuple.elems.len()));
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            tuple.elems.iter().for_each(|ty| element(ty, named, errors));
        }
        _ => element(ty, named, errors),
    }
}

/// What a helper returns: a value, or a tuple of them.
pub fn result(ty: &Type, named: &mut Vec<Type>, errors: &mut Errors) {
    match ty {
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            tuple.elems.iter().for_each(|ty| value(ty, named, errors));
        }
        _ => value(ty, named, errors),
    }
}
