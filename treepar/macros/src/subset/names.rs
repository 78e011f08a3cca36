//! Names in a device function: locals, constants, and the functions it calls.

use syn::{Expr, ExprCall, Path, PathArguments};

use super::{Checker, Kind, Place};
use crate::errors::plain;
use crate::types::{self, SCALARS};

/// Constants and functions of the scalars.
const CONSTANTS: [&str; 4] = ["MAX", "MIN", "BITS", "INFINITY"];
const FUNCTIONS: [&str; 1] = ["from_bits"];

impl Checker<'_> {
    /// A name that is read.
    pub(super) fn value_of(&mut self, path: &Path) {
        match self.kind_of(path) {
            Some(Kind::Value) => {}
            Some(Kind::Table) => {
                let instead = "index one of its columns, take its `len()`, or pass it to a function";
                self.errors.outside(path, "a table as a value", instead);
            }
            Some(Kind::Column) => {
                self.errors.outside(
                    path,
                    "a column as a value",
                    "index it, take its `len()`, or pass it to a function",
                );
            }
            None => self.constant(path),
        }
    }

    /// A constant that is read.
    pub(super) fn constant(&mut self, path: &Path) {
        let name = plain(path);
        if generic(path) {
            self.errors.outside(path, "a generic argument", "write one function a type");
        } else if !is_constant(path) {
            let thing = format!("`{name}`, which is neither a local nor a constant in capitals,");
            self.errors.outside(path, thing, "declare a `const` for it");
        } else if !of_scalar(path, &CONSTANTS) && !self.uses.constants.contains(path) {
            self.uses.constants.push(path.clone());
        }
    }

    pub(super) fn call(&mut self, call: &ExprCall) {
        match &*call.func {
            Expr::Path(function) if function.qself.is_none() => self.callee(&function.path),
            other => self.errors.outside(other, "a call of an expression", "call a device function by its name"),
        }
        self.arguments(call.args.iter());
    }

    /// Arguments of a call. Columns and tables are passed on by their names.
    pub(super) fn arguments<'a>(&mut self, arguments: impl Iterator<Item = &'a Expr>) {
        for argument in arguments {
            match argument {
                Expr::Path(path) if matches!(self.kind_of(&path.path), Some(Kind::Column | Kind::Table)) => {}
                argument => self.expr(argument, Place::Value),
            }
        }
    }

    fn callee(&mut self, path: &Path) {
        let name = plain(path);
        let last = &path.segments[path.segments.len() - 1].ident;
        let root = path.segments[0].ident.to_string();
        let holder = holder(path);
        let thing = format!("`{name}`");
        if generic(path) {
            self.errors.outside(path, "a generic argument", "write one function a type");
        } else if of_scalar(path, &FUNCTIONS) {
        } else if name.strip_prefix("self::").unwrap_or(&name) == self.name {
            self.errors.outside(path, "a function that calls itself", "use a loop, or a walk over the tree");
        } else if matches!(name.as_str(), "Some" | "Ok" | "Err") {
            self.errors.outside(path, thing, "use a reserved value");
        } else if starts_upper(&last.to_string()) {
            self.errors.outside(path, thing, "write a `#[device]` struct with names: `S { a: x }`");
        } else if holder.as_deref().is_some_and(starts_upper) {
            // A function of a device type.
            let mut of = path.clone();
            of.segments.pop();
            of.segments.pop_punct();
            types::value(&syn::parse_quote!(#of), &mut self.uses.types, self.errors);
        } else if holder.is_some_and(|holder| SCALARS.contains(&holder.as_str())) {
            self.errors.outside(path, thing, "use a method of the subset, or write a device function");
        } else if matches!(root.as_str(), "std" | "core" | "alloc") {
            self.errors.outside(path, thing, "write a device function");
        } else if self.kind_of(path).is_some() {
            self.errors.outside(path, "a call of a local", "call a device function by its name");
        } else if !self.uses.calls.contains(path) {
            self.uses.calls.push(path.clone());
        }
    }
}

/// Returns whether a path is written as constants are: its last segment in capitals, or `Kind::Add`.
pub(super) fn is_constant(path: &Path) -> bool {
    let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if holder(path).as_deref().is_some_and(starts_upper) && starts_upper(&name) {
        return true;
    }
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// Returns the segment before the last: the type of `Kind::Add`.
fn holder(path: &Path) -> Option<String> {
    path.segments.iter().rev().nth(1).map(|segment| segment.ident.to_string())
}

/// Whether a path is one name.
pub(super) fn is_name(path: &Path) -> bool {
    path.get_ident().is_some()
}

/// Whether a path names one of `names` of a scalar, such as `u32::MAX` or `f32::from_bits`.
fn of_scalar(path: &Path, names: &[&str]) -> bool {
    path.segments.len() == 2
        && SCALARS.iter().any(|name| path.segments[0].ident == name)
        && names.iter().any(|name| path.segments[1].ident == name)
}

fn generic(path: &Path) -> bool {
    path.segments.iter().any(|segment| !matches!(segment.arguments, PathArguments::None))
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}
