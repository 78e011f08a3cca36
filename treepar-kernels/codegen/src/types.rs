//! Types: their names in C++, and the structs that functions name.

use std::collections::HashSet;
use std::fmt::Write as _;

use treepar_device::types::{Scalar, Type};
use treepar_device::{Def, Parameter, Shape};

/// Returns the name of a type in C++. An index or enum is its scalar.
pub fn text(ty: &Type) -> String {
    if let Some(scalar) = ty.scalar() {
        return scalar.name().to_string();
    }
    match (ty, ty.path()) {
        (_, Some((module, name))) => path(module, name),
        (Type::Tuple(parts), _) => {
            let parts: Vec<String> = parts.iter().map(text).collect();
            format!("Tuple<{}>", parts.join(", "))
        }
        _ => String::new(),
    }
}

/// Returns the type of a parameter in C++.
pub fn of_parameter(parameter: &Parameter) -> String {
    let ty = text(&parameter.ty);
    if parameter.shape == Shape::Column { format!("Column<{ty}>") } else { ty }
}

/// Returns the type that a template writes, in C++: a tuple of columns for the row of a table.
pub fn written(ty: &Type) -> String {
    match ty {
        Type::Struct(row) if !row.is_element => {
            let columns: Vec<String> = row.fields.iter().map(|(_, ty)| text(ty)).collect();
            format!("Tuple<{}>", columns.join(", "))
        }
        ty => text(ty),
    }
}

/// Returns the name in C++ of an item of a module.
pub fn path(module: &str, name: &str) -> String {
    format!("{module}::{name}").replace("::", "__")
}

/// The structs of some functions.
#[derive(Default)]
pub struct Structs {
    seen: HashSet<String>,
    text: String,
}

impl Structs {
    /// Adds the structs that a function names.
    pub fn add(&mut self, function: &Def) {
        let parameters = function.parameters.iter().map(|parameter| &parameter.ty);
        parameters.chain([&function.output]).chain(function.types).for_each(|ty| self.define(ty));
    }

    fn define(&mut self, ty: &Type) {
        if let Type::Tuple(parts) = ty {
            parts.iter().for_each(|part| self.define(part));
        }
        let (Type::Struct(found) | Type::Table(found)) = ty else { return };
        found.fields.iter().for_each(|(_, field)| self.define(field));
        let name = path(found.module, found.name);
        if self.seen.insert(name.clone()) {
            let is_table = matches!(ty, Type::Table(_));
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "struct {name} {{");
            for (field, ty) in found.fields {
                let (is_column, ty, field) = (is_table && !matches!(ty, Type::Table(_)), text(ty), spelled(field));
                let _ = match is_column {
                    true => writeln!(self.text, "    Column<{ty}> {field};"),
                    false => writeln!(self.text, "    {ty} {field};"),
                };
            }
            if let (true, Some((first, _))) = (is_table, found.fields.first()) {
                let first = spelled(first);
                let _ = writeln!(self.text, "\n    TREEPAR_DEVICE usize size() const {{ return {first}.size(); }}");
            }
            let _ = writeln!(self.text, "}};\n");
        }
    }

    /// Returns the definitions. Each comes after the definitions of its fields.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Returns a name that C++ and the macros of its library have no other use for.
pub fn spelled(name: &str) -> String {
    const TAKEN: &str = "\
        alignas alignof and asm auto bitand bitor bool case catch char class compl concept constexpr decltype \
        default delete div rem do double dynamic_cast explicit export float friend goto inline int long \
        mutable namespace new noexcept not nullptr operator or private protected public register requires \
        short signed sizeof static_assert switch template this thread_local throw typedef typeid typename \
        union unsigned using virtual void volatile wchar_t xor add sub mul shl shr neg cast least greatest \
        from_bits NAN INFINITY HUGE_VAL HUGE_VALF NULL EOF errno assert";
    if TAKEN.split(' ').any(|taken| taken == name) || Scalar::of(name).is_some() {
        format!("{name}_")
    } else {
        name.to_string()
    }
}
