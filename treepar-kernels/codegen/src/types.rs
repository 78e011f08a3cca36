//! Types: their names in C++, and the structs that functions name.

use std::collections::HashSet;
use std::fmt::Write as _;

use treepar_kernels::{Def, Newtype, Struct, Type as Described};

/// A type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number or truth value, by its name in Rust, which is its name in C++ too.
    Scalar(&'static str),
    /// A struct, an index or enum, or a table.
    Named(Described),
    /// What a function returns for several columns.
    Tuple(Vec<Type>),
}

/// The scalars.
pub const SCALARS: [&str; 9] = ["u8", "u16", "u32", "u64", "i32", "i64", "f32", "bool", "usize"];

impl From<Described> for Type {
    fn from(ty: Described) -> Type {
        match ty {
            Described::Scalar(name) => Type::Scalar(name),
            named => Type::Named(named),
        }
    }
}

impl Type {
    /// Returns the name in C++. An index or enum is its scalar.
    pub fn text(&self) -> String {
        match self {
            Type::Scalar(name) => (*name).to_string(),
            Type::Named(Described::Newtype(ty)) => ty.repr.to_string(),
            Type::Named(ty) => {
                let (module, name) = ty.path().unwrap_or_default();
                path(module, name)
            }
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Type::text).collect();
                format!("Tuple<{}>", parts.join(", "))
            }
        }
    }

    /// Returns whether it is an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Scalar(name) if !matches!(*name, "f32" | "bool"))
    }

    /// Returns the fields of a struct.
    pub fn fields(&self) -> Option<&'static [(&'static str, Described)]> {
        match self {
            Type::Named(Described::Struct(Struct { fields, .. })) => Some(fields),
            _ => None,
        }
    }

    /// Returns the scalar of an index or enum.
    pub fn newtype(&self) -> Option<&'static Newtype> {
        match self {
            Type::Named(Described::Newtype(ty)) => Some(ty),
            _ => None,
        }
    }

    /// Returns the type that a template writes: a tuple of columns for the row of a table.
    pub fn written(&self) -> Type {
        match self {
            Type::Named(Described::Struct(row)) if !row.is_element => {
                Type::Tuple(row.fields.iter().map(|(_, ty)| (*ty).into()).collect())
            }
            ty => ty.clone(),
        }
    }
}

/// Returns the name in C++ of an item of a module.
pub fn path(module: &str, name: &str) -> String {
    format!("{module}::{name}").replace("::", "__")
}

/// Returns the type that a piece of Rust names in a function.
pub fn named(text: &str, function: &Def) -> Option<Type> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(scalar) = SCALARS.iter().find(|scalar| **scalar == text) {
        return Some(Type::Scalar(scalar));
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let parts = inner.split(',').filter(|part| !part.is_empty()).map(|part| named(part, function));
        return parts.collect::<Option<_>>().map(Type::Tuple);
    }
    let same = |name: &str| name.chars().filter(|c| !c.is_whitespace()).eq(text.chars());
    function.types.iter().find(|(name, _)| same(name)).map(|(_, ty)| (*ty).into())
}

/// Returns the type of a parameter, and whether it is a column of it.
pub fn type_of_parameter(ty: &str, function: &Def) -> Option<(Type, bool)> {
    let text: String = ty.chars().filter(|c| !c.is_whitespace()).collect();
    match text.strip_prefix("&[").and_then(|rest| rest.strip_suffix(']')) {
        Some(element) => Some((named(element, function)?, true)),
        None => Some((named(text.strip_prefix('&').unwrap_or(&text), function)?, false)),
    }
}

/// The structs of some functions.
#[derive(Default)]
pub struct Structs {
    seen: HashSet<String>,
    text: String,
}

impl Structs {
    /// Adds those that a function names.
    pub fn add(&mut self, function: &Def) {
        function.types.iter().for_each(|(_, ty)| self.define(ty));
    }

    fn define(&mut self, ty: &Described) {
        let (Described::Struct(found) | Described::Table(found)) = ty else { return };
        found.fields.iter().for_each(|(_, field)| self.define(field));
        let name = path(found.module, found.name);
        if self.seen.insert(name.clone()) {
            let is_table = matches!(ty, Described::Table(_));
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "struct {name} {{");
            for (field, ty) in found.fields {
                let (ty, field) = (Type::from(*ty).text(), spelled(field));
                let _ = match is_table {
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

    /// Their definitions, each behind those of its fields.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A name that C++ has no other use for.
pub fn spelled(name: &str) -> String {
    const TAKEN: [&str; 74] = [
        "alignas",
        "alignof",
        "and",
        "asm",
        "auto",
        "bitand",
        "bitor",
        "bool",
        "case",
        "catch",
        "char",
        "class",
        "compl",
        "concept",
        "constexpr",
        "decltype",
        "default",
        "delete",
        "div",
        "rem",
        "do",
        "double",
        "dynamic_cast",
        "explicit",
        "export",
        "float",
        "friend",
        "goto",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "nullptr",
        "operator",
        "or",
        "private",
        "protected",
        "public",
        "register",
        "requires",
        "short",
        "signed",
        "sizeof",
        "static_assert",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "typedef",
        "typeid",
        "typename",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "xor",
        "add",
        "sub",
        "mul",
        "shl",
        "shr",
        "neg",
        "cast",
        "least",
        "greatest",
        "from_bits",
    ];
    if TAKEN.contains(&name) || SCALARS.contains(&name) { format!("{name}_") } else { name.to_string() }
}
