//! Types: their names in C++, and the structs that functions name.

use std::collections::HashSet;
use std::fmt::Write as _;

use treepar_kernels::{Def, Value};

/// A type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number or truth value, by its name in Rust, which is its name in C++ too.
    Scalar(&'static str),
    /// A device struct.
    Struct {
        /// Its name in C++.
        name: String,
        /// Its fields in order.
        fields: Vec<(&'static str, Type)>,
    },
    /// What a function returns for several columns.
    Tuple(Vec<Type>),
}

/// The scalars.
pub const SCALARS: [&str; 9] = ["u8", "u16", "u32", "u64", "i32", "i64", "f32", "bool", "usize"];

impl Type {
    /// Its name in C++.
    pub fn text(&self) -> String {
        match self {
            Type::Scalar(name) => (*name).to_string(),
            Type::Struct { name, .. } => name.clone(),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Type::text).collect();
                format!("Tuple<{}>", parts.join(", "))
            }
        }
    }

    /// The type of a value.
    pub fn of(value: &Value) -> Option<Type> {
        match value {
            Value::Scalar(name, _) => Some(Type::Scalar(name)),
            Value::Table(..) => None,
            Value::Struct { name, module, fields } => Some(Type::Struct {
                name: format!("{}__{name}", module.replace("::", "__")),
                fields: fields.iter().map(|(field, value)| Some((*field, Type::of(value)?))).collect::<Option<_>>()?,
            }),
        }
    }

    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Scalar(name) if !matches!(*name, "f32" | "bool"))
    }
}

/// The type that a piece of Rust names in a function.
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
    (function.types)().iter().find(|(name, _)| same(name)).and_then(|(_, zero)| Type::of(zero))
}

/// The type of a parameter, and whether it is a column of it.
pub fn type_of_parameter(ty: &str, function: &Def) -> Option<(Type, bool)> {
    let text: String = ty.chars().filter(|c| !c.is_whitespace()).collect();
    match text.strip_prefix("&[").and_then(|rest| rest.strip_suffix(']')) {
        Some(element) => Some((named(element, function)?, true)),
        None => Some((named(&text, function)?, false)),
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
        for (_, zero) in (function.types)() {
            if let Some(ty) = Type::of(&zero) {
                self.define(&ty);
            }
        }
    }

    fn define(&mut self, ty: &Type) {
        let Type::Struct { name, fields } = ty else { return };
        fields.iter().for_each(|(_, field)| self.define(field));
        if self.seen.insert(name.clone()) {
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "struct {name} {{");
            for (field, ty) in fields {
                let _ = writeln!(self.text, "    {} {};", ty.text(), spelled(field));
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
