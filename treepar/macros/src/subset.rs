//! What a device function's body may hold: the part of Rust that CUDA C++ can say with the same meaning.
//!
//! The check is a list of what is allowed; all else is rejected where it stands, with what to write instead. Every
//! error of a function is reported.

pub mod expressions;
mod literals;
mod names;

use syn::visit::Visit;
use syn::{Attribute, Block, Expr, Ident, ItemFn, Local, Pat, Path, RangeLimits, Stmt, Type};

use crate::errors::{Errors, plain};
use crate::signature::{self, Signature};
use crate::types;

/// The names that a function uses: what the generated C++ needs beside its text.
#[derive(Default)]
pub struct Uses {
    /// Device functions called.
    pub calls: Vec<Path>,
    /// Constants read: paths whose last segment is in capitals.
    pub constants: Vec<Path>,
    /// Types beyond the scalars, in the head and the body.
    pub types: Vec<Type>,
}

/// Checks the body of `function`, whose path is `name` and whose head is `signature`.
pub fn check(function: &ItemFn, name: &str, signature: &Signature, uses: &mut Uses, errors: &mut Errors) {
    let local = |p: &signature::Parameter| match (&p.column, &p.table) {
        (Some(_), _) => Kind::Column,
        (_, Some(_)) => Kind::Table,
        _ => Kind::Value,
    };
    let scope = signature.parameters.iter().map(|p| (p.name.clone(), local(p))).collect();
    let mut checker = Checker { uses, errors, name, scope };
    checker.block(&function.block, Place::Result);
    Attributes(errors).visit_block(&function.block);
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// What it yields is not used: assignments and loops stand here only.
    Statement,
    /// It yields a value.
    Value,
    /// It yields the result, or what a tuple of names takes apart: tuples stand here only.
    Result,
}

/// The kinds of names in scope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A value that can be read and, if it is a variable, assigned.
    Value,
    /// A column: indexed, asked for its length, or passed on.
    Column,
    /// A table: its columns are indexed; asked for its length, or passed on.
    Table,
}

struct Checker<'a> {
    uses: &'a mut Uses,
    errors: &'a mut Errors,
    /// The function's own path.
    name: &'a str,
    /// Parameters and locals in scope, the innermost last.
    scope: Vec<(Ident, Kind)>,
}

impl Checker<'_> {
    /// Returns the kind of a name in scope.
    fn local_kind(&self, name: &Ident) -> Option<Kind> {
        self.scope.iter().rev().find(|(local, _)| local == name).map(|(_, kind)| *kind)
    }

    /// Returns the kind of a path that is a name in scope.
    fn kind_of(&self, path: &Path) -> Option<Kind> {
        path.get_ident().and_then(|name| self.local_kind(name))
    }

    fn block(&mut self, block: &Block, place: Place) {
        let outside = self.scope.len();
        for (at, stmt) in block.stmts.iter().enumerate() {
            match stmt {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expr, None) if at + 1 == block.stmts.len() => self.expr(expr, place),
                Stmt::Expr(expr, _) => self.expr(expr, Place::Statement),
                Stmt::Item(item) => self.errors.outside(item, "an item inside a function", "put it beside"),
                Stmt::Macro(found) => self.macro_call(&found.mac),
            }
        }
        self.scope.truncate(outside);
    }

    fn macro_call(&mut self, found: &syn::Macro) {
        let name = plain(&found.path);
        let instead = match name.as_str() {
            "panic" | "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" | "debug_assert_ne"
            | "unreachable" | "todo" | "unimplemented" => {
                "a kernel cannot stop; return a value that a later pass checks"
            }
            "print" | "println" | "eprint" | "eprintln" | "dbg" => "a kernel prints nothing; download the column",
            "vec" | "format" => "a kernel allocates nothing; use the template's outputs",
            "matches" => "use `match` or `==`",
            _ => "write its expansion",
        };
        self.errors.outside(found, format_args!("macro `{name}!`"), instead);
    }

    fn local(&mut self, local: &Local) {
        let Some(init) = &local.init else {
            self.errors.outside(local, "a variable without a value", "give it one");
            return self.bind(&local.pat, true);
        };
        let takes_apart = matches!(&local.pat, Pat::Tuple(_));
        self.expr(&init.expr, if takes_apart { Place::Result } else { Place::Value });
        if let Some((_, other)) = &init.diverge {
            self.errors.outside(other, "`let .. else`", "use `if`");
        }
        if !matches!(&local.pat, Pat::Type(_)) && literals::any_untyped(&init.expr) {
            let message = "a literal whose type only later code tells";
            self.errors.outside(&init.expr, message, "name the type: `let x: u32 = 0` or `0u32`");
        }
        self.bind(&local.pat, true);
    }

    /// A pattern that binds: a name, or names in a tuple.
    fn bind(&mut self, pattern: &Pat, tuples: bool) {
        match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.scope.push((name.ident.clone(), Kind::Value));
            }
            Pat::Wild(_) => {}
            Pat::Type(typed) => {
                self.bind(&typed.pat, false);
                types::value(&typed.ty, &mut self.uses.types, self.errors);
            }
            Pat::Tuple(tuple) if tuples => tuple.elems.iter().for_each(|pattern| self.bind(pattern, false)),
            other => {
                self.errors.outside(other, "this pattern", "name the value, or take a tuple apart into names");
                self.bind_all(other);
            }
        }
    }

    /// Binds what a rejected pattern would, so that its names bring no errors of their own.
    fn bind_all(&mut self, pattern: &Pat) {
        Names(&mut self.scope).visit_pat(pattern);
    }

    fn for_loop(&mut self, repeat: &syn::ExprForLoop) {
        self.label(&repeat.label);
        match &*repeat.expr {
            Expr::Range(range)
                if matches!(range.limits, RangeLimits::HalfOpen(_)) && range.start.is_some() && range.end.is_some() =>
            {
                let bounds = || range.start.iter().chain(&range.end);
                bounds().for_each(|bound| self.expr(bound, Place::Value));
                if bounds().all(|bound| literals::any_untyped(bound)) {
                    let message = "a literal whose type only later code tells";
                    self.errors.outside(range, message, "name the type: `0..4u32`");
                }
            }
            other => self.errors.outside(other, "a `for` over anything but `a..b`", "count: `for i in a..b`"),
        }
        let outside = self.scope.len();
        self.bind(&repeat.pat, false);
        self.block(&repeat.body, Place::Statement);
        self.scope.truncate(outside);
    }

    fn choice(&mut self, choice: &syn::ExprMatch, place: Place) {
        self.expr(&choice.expr, Place::Value);
        for (at, arm) in choice.arms.iter().enumerate() {
            let outside = self.scope.len();
            match &arm.pat {
                // A name alone takes all that is left.
                Pat::Ident(name) if at + 1 == choice.arms.len() && !names::is_constant(&name.ident.clone().into()) => {
                    self.bind(&arm.pat, false);
                }
                pattern => self.constant_pattern(pattern),
            }
            self.expr(&arm.body, place);
            self.scope.truncate(outside);
        }
    }

    fn constant_pattern(&mut self, pattern: &Pat) {
        match pattern {
            Pat::Wild(_) => {}
            Pat::Lit(literal) => self.literal(&literal.lit),
            Pat::Range(range) => {
                range.start.iter().chain(&range.end).for_each(|bound| self.expr(bound, Place::Value));
            }
            Pat::Or(either) => either.cases.iter().for_each(|pattern| self.constant_pattern(pattern)),
            Pat::Paren(inner) => self.constant_pattern(&inner.pat),
            Pat::Path(path) if path.qself.is_none() => self.constant(&path.path),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let path = name.ident.clone().into();
                if names::is_constant(&path) {
                    self.constant(&path);
                } else {
                    self.errors.outside(pattern, "a name that takes all before the last arm", "write the constant");
                    self.bind_all(pattern);
                }
            }
            Pat::Guard(guard) => {
                self.errors.outside(&guard.guard, "a guard", "use `if` in the arm, or before the `match`");
                self.constant_pattern(&guard.pat);
            }
            other => {
                self.errors.outside(other, "this pattern", "use constants, ranges, `|` and `_`");
                self.bind_all(other);
            }
        }
    }

    fn label(&mut self, label: &Option<syn::Label>) {
        if let Some(label) = label {
            self.errors.outside(label, "a label", "use a variable that ends the loops");
        }
    }
}

/// Finds the names that a pattern binds.
struct Names<'a>(&'a mut Vec<(Ident, Kind)>);

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
        self.0.push((name.ident.clone(), Kind::Value));
    }
}

/// Finds the attributes of a body.
struct Attributes<'a>(&'a mut Errors);

impl<'ast> Visit<'ast> for Attributes<'_> {
    fn visit_attribute(&mut self, found: &'ast Attribute) {
        signature::attribute(found, self.0);
    }
}
