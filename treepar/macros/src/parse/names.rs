//! Names in a device function: locals, constants, and the functions it calls.

use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, Path, PathArguments, Token, parse_quote};

use super::body::{Parser, Place, position};
use super::errors::plain;
use super::paths::{holder, is_constant, starts_upper};
use treepar_device::Shape;
use treepar_device::tree::{Id, List, Node, Ty};
use treepar_device::types::Scalar;

impl Parser<'_> {
    /// A name that is read.
    pub fn value_of(&mut self, path: &Path) -> Id {
        let (thing, instead) = match self.local_of(path) {
            Some((Shape::Value, local)) => return self.add(Node::Local(local)),
            None => return self.constant(path),
            Some((Shape::Table, _)) => {
                ("a table as a value", "index one of its columns, take its `len()`, or pass it to a function")
            }
            Some((Shape::Column, _)) => ("a column as a value", "index it, take its `len()`, or pass it to a function"),
        };
        self.errors.outside(path, thing, instead);
        self.add(Node::Nothing)
    }

    /// A constant that is read.
    pub fn constant(&mut self, path: &Path) -> Id {
        let node = if is_generic(path) {
            self.errors.outside(path, "a generic argument", "write one function per type");
            Node::Nothing
        } else if !is_constant(path) {
            let thing = format!("`{}`, which is neither a local nor a constant in capitals,", plain(path));
            self.errors.outside(path, thing, "declare a `const` for it");
            Node::Nothing
        } else {
            match of_scalar(path).and_then(|(scalar, name)| scalar.constant(&name)) {
                Some((scalar, bits)) if scalar.is_float() => Node::Float(bits, scalar),
                Some((scalar, bits)) => Node::Int(bits, Some(scalar)),
                None => Node::Constant(position(&mut self.tree.constants, path.clone())),
            }
        };
        self.add(node)
    }

    pub fn call(&mut self, call: &ExprCall) -> Id {
        let callee = match &*call.func {
            Expr::Path(function) if function.qself.is_none() => self.callee(&function.path),
            other => {
                self.errors.outside(other, "a call of an expression", "call a device function by its name");
                Callee::Refused
            }
        };
        let arguments = self.arguments(&call.args);
        let node = match callee {
            Callee::Function(function) => Node::Call(function, arguments),
            Callee::Associated(ty, name) => Node::Associated(ty, name, arguments),
            Callee::Method(name) if arguments.1 == 1 => {
                let receiver = self.tree.body.list(arguments)[0];
                Node::Method(receiver, name, List(0, 0))
            }
            Callee::Method(_) | Callee::Refused => Node::Nothing,
        };
        self.add(node)
    }

    /// Arguments of a call. Columns and tables are passed on by their names.
    pub fn arguments(&mut self, arguments: &Punctuated<Expr, Token![,]>) -> List {
        let arguments: Vec<Id> = arguments
            .iter()
            .map(|argument| match argument {
                Expr::Path(path) if path.qself.is_none() => match self.local_of(&path.path) {
                    Some((_, local)) => self.add(Node::Local(local)),
                    None => self.expr(argument, Place::Value),
                },
                argument => match self.field_of_table(argument) {
                    Some(field) => field,
                    None => self.expr(argument, Place::Value),
                },
            })
            .collect();
        self.list(&arguments)
    }

    fn callee(&mut self, path: &Path) -> Callee {
        let name = plain(path);
        let last = path.segments[path.segments.len() - 1].ident.to_string();
        let root = path.segments[0].ident.to_string();
        let holder = holder(path);
        let (thing, instead) = if is_generic(path) {
            ("a generic argument".into(), "write one function per type")
        } else if of_scalar(path).is_some_and(|(_, name)| name == "from_bits") {
            return Callee::Method(self.named(&last));
        } else if name.strip_prefix("self::").unwrap_or(&name) == self.name {
            ("a function that calls itself".into(), "use a loop, or a walk over the tree")
        } else if matches!(name.as_str(), "Some" | "Ok" | "Err") {
            (format!("`{name}`"), "use a reserved value")
        } else if starts_upper(&last) {
            (format!("`{name}`"), "write a `#[device]` struct with names: `S { a: x }`")
        } else if holder.as_deref().is_some_and(starts_upper) {
            let mut of = path.clone();
            of.segments.pop();
            of.segments.pop_punct();
            let ty = self.ty(&parse_quote!(#of));
            return Callee::Associated(ty, self.named(&last));
        } else if holder.is_some_and(|holder| Scalar::of(&holder).is_some()) {
            (format!("`{name}`"), "use a method of the subset, or write a device function")
        } else if matches!(root.as_str(), "std" | "core" | "alloc") {
            (format!("`{name}`"), "write a device function")
        } else if self.local_of(path).is_some() {
            ("a call of a local".into(), "call a device function by its name")
        } else {
            return Callee::Function(position(&mut self.tree.calls, path.clone()));
        };
        self.errors.outside(path, thing, instead);
        Callee::Refused
    }
}

/// The callee of a call.
enum Callee {
    /// A device function.
    Function(u32),
    /// A function of a device type.
    Associated(Ty, u32),
    /// A function of a scalar, which the tree has as a method.
    Method(u32),
    Refused,
}

/// Returns the scalar and the item of a path such as `u32::MAX` or `f32::from_bits`.
fn of_scalar(path: &Path) -> Option<(Scalar, String)> {
    let scalar = Scalar::of(&path.segments[0].ident.to_string())?;
    (path.segments.len() == 2).then(|| (scalar, path.segments[1].ident.to_string()))
}

fn is_generic(path: &Path) -> bool {
    path.segments.iter().any(|segment| !matches!(segment.arguments, PathArguments::None))
}
