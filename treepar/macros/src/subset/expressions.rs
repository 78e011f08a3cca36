//! Expressions of a device function.

use syn::{Expr, ExprIndex, ExprMethodCall, Lit, Member, UnOp};

use super::{Checker, Kind, Place, names};
use crate::types;

/// Methods of the subset: each has an exact counterpart in CUDA C++.
pub const METHODS: [&str; 15] = [
    "len",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_shl",
    "wrapping_shr",
    "min",
    "max",
    "count_ones",
    "leading_zeros",
    "trailing_zeros",
    "rotate_left",
    "rotate_right",
    "to_bits",
];

impl Checker<'_> {
    pub(super) fn expr(&mut self, expr: &Expr, place: Place) {
        match expr {
            Expr::Lit(literal) => self.literal(&literal.lit),
            Expr::Path(path) if path.qself.is_none() => self.value_of(&path.path),
            Expr::Paren(inner) => self.expr(&inner.expr, place),
            Expr::Group(inner) => self.expr(&inner.expr, place),
            Expr::Binary(binary) if is_assignment(&binary.op) => {
                self.assignment(expr, &binary.left, &binary.right, place);
            }
            Expr::Binary(binary) => {
                self.expr(&binary.left, Place::Value);
                self.expr(&binary.right, Place::Value);
            }
            Expr::Unary(unary) => {
                if !matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) {
                    self.errors.outside(expr, "`*` of a reference", "index the column");
                }
                self.expr(&unary.expr, Place::Value);
            }
            Expr::Assign(assign) => self.assignment(expr, &assign.left, &assign.right, place),
            Expr::Cast(cast) => {
                self.expr(&cast.expr, Place::Value);
                types::value(&cast.ty, &mut self.uses.types, self.errors);
            }
            Expr::Index(index) => self.index(index),
            Expr::Field(field) if self.is_table(&field.base) => {
                let instead = "index it, or take its `len()`";
                self.errors.outside(expr, "a table's column as a value", instead);
            }
            Expr::Field(field) => {
                if let Member::Unnamed(_) = field.member {
                    self.errors.outside(expr, "a tuple's field", "take the tuple apart by `let (a, b) = ..`");
                }
                self.expr(&field.base, Place::Value);
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Struct(literal) => self.structure(literal),
            Expr::Tuple(tuple) if tuple.elems.is_empty() => {
                if place != Place::Statement {
                    self.errors.outside(expr, "`()` as a value", "return a number");
                }
            }
            Expr::Tuple(tuple) => {
                if place != Place::Result {
                    let instead = "use a `#[device]` struct; a tuple is a result, or taken apart at once";
                    self.errors.outside(expr, "a tuple as a value", instead);
                }
                tuple.elems.iter().for_each(|expr| self.expr(expr, Place::Value));
            }
            Expr::Block(block) => {
                self.label(&block.label);
                self.block(&block.block, place);
            }
            Expr::If(choice) => {
                self.expr(&choice.cond, Place::Value);
                self.block(&choice.then_branch, place);
                match &choice.else_branch {
                    Some((_, other)) => self.expr(other, place),
                    None if place == Place::Statement => {}
                    None => self.errors.outside(expr, "an `if` for a value without `else`", "write the `else`"),
                }
            }
            Expr::Match(choice) => self.choice(choice, place),
            Expr::ForLoop(_) | Expr::While(_) if place != Place::Statement => {
                self.errors.outside(expr, "a loop as a value", "let it stand as a statement");
            }
            Expr::ForLoop(repeat) => self.for_loop(repeat),
            Expr::While(repeat) => {
                self.label(&repeat.label);
                self.expr(&repeat.cond, Place::Value);
                self.block(&repeat.body, Place::Statement);
            }
            Expr::Break(leave) => {
                if let Some(label) = &leave.label {
                    self.errors.outside(label, "a label", "use a variable that ends the loops");
                }
                if let Some(value) = &leave.expr {
                    self.errors.outside(value, "`break` with a value", "assign a variable");
                }
            }
            Expr::Continue(next) => {
                if let Some(label) = &next.label {
                    self.errors.outside(label, "a label", "use a variable that ends the loops");
                }
            }
            Expr::Return(result) => {
                if let Some(value) = &result.expr {
                    self.expr(value, Place::Result);
                }
            }
            Expr::Macro(found) => self.macro_call(&found.mac),
            other => {
                let (thing, instead) = rejection(other);
                self.errors.outside(other, thing, instead);
                if let Expr::Let(binding) = other {
                    self.bind_all(&binding.pat);
                }
            }
        }
    }

    pub(super) fn literal(&mut self, literal: &Lit) {
        const SUFFIXES: [&str; 9] = ["", "u8", "u16", "u32", "u64", "i32", "i64", "usize", "f32"];
        match literal {
            Lit::Int(number) if SUFFIXES.contains(&number.suffix()) => {}
            Lit::Int(_) => self.errors.outside(literal, "this type of a number", "use u8 to u64, i32, i64 or usize"),
            Lit::Float(number) if number.suffix() == "f32" => {}
            Lit::Float(number) if number.suffix().is_empty() => {
                self.errors.outside(literal, "a float without its type", "write `f32` behind it: `1.5f32`");
            }
            Lit::Float(_) => self.errors.outside(literal, "this type of a number", "use `f32`"),
            Lit::Bool(_) | Lit::Byte(_) => {}
            Lit::Char(_) => self.errors.outside(literal, "a `char`", "use a `u32`, or a byte, `b'x'`"),
            _ => self.errors.outside(literal, "text", "use a `const` table of numbers"),
        }
    }

    fn assignment(&mut self, whole: &Expr, target: &Expr, value: &Expr, place: Place) {
        if place != Place::Statement {
            self.errors.outside(whole, "an assignment as a value", "let it stand as a statement");
        }
        self.target(target);
        self.expr(value, Place::Value);
    }

    /// What stands left of an assignment: a local or a field of one.
    fn target(&mut self, target: &Expr) {
        match target {
            Expr::Path(path) if self.kind_of(&path.path) == Some(Kind::Value) => {}
            Expr::Field(field) if matches!(field.member, Member::Named(_)) => self.target(&field.base),
            Expr::Paren(inner) => self.target(&inner.expr),
            Expr::Group(inner) => self.target(&inner.expr),
            Expr::Index(_) => {
                self.errors.outside(target, "a write to a column", "return the value, and the template writes it");
            }
            other => self.errors.outside(other, "this target of an assignment", "assign a local or a field of one"),
        }
    }

    fn index(&mut self, index: &ExprIndex) {
        if let Expr::Range(range) = &*index.index {
            self.errors.outside(range, "a part of a column", "pass its bounds, and index by them");
        } else {
            self.expr(&index.index, Place::Value);
        }
        self.table(&index.expr, false);
    }

    /// Returns whether an expression is a table.
    fn is_table(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Path(path) if self.kind_of(&path.path) == Some(Kind::Table))
    }

    /// Checks what is indexed or asked for its length: a column or a `const` table by its name, or a table's column.
    fn table(&mut self, table: &Expr, is_length: bool) {
        let instead = "use a column or a `const` table by its name";
        match table {
            Expr::Path(path) if path.qself.is_none() => match self.kind_of(&path.path) {
                Some(Kind::Column) => {}
                Some(Kind::Table) if is_length => {}
                Some(Kind::Table) => {
                    self.errors.outside(table, "a table as a column", "name the column: `rows.kind[r]`")
                }
                Some(Kind::Value) => self.errors.outside(table, "a local as a table", instead),
                None => self.constant(&path.path),
            },
            Expr::Field(field) if matches!(field.member, Member::Named(_)) && self.is_table(&field.base) => {}
            other => self.errors.outside(other, "an expression as a table", instead),
        }
    }

    fn structure(&mut self, literal: &syn::ExprStruct) {
        let ty = syn::Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: literal.path.clone() });
        types::value(&ty, &mut self.uses.types, self.errors);
        if let Some(dots) = &literal.dot2_token {
            self.errors.outside(dots, "`..` in a struct", "name every field");
        }
        for field in &literal.fields {
            if let Member::Unnamed(_) = field.member {
                self.errors.outside(field, "a field without a name", "use a `#[device]` struct");
            }
            self.expr(&field.expr, Place::Value);
        }
    }

    fn method(&mut self, call: &ExprMethodCall) {
        let name = call.method.to_string();
        if name == "len" {
            self.table(&call.receiver, true);
            return;
        }
        // Others are device methods, which rustc finds or not.
        let is_of_index = name == "get" && call.args.is_empty();
        let rejected = instead_of_method(&name).filter(|_| !is_of_index);
        if let Some(instead) = rejected {
            self.errors.outside(&call.method, format_args!("method `{name}`"), instead);
        }
        if let Some(turbofish) = &call.turbofish {
            self.errors.outside(turbofish, "a generic argument", "write one function a type");
        }
        // Of a rejected chain such as `x.iter().sum()` only the methods are told.
        match &*call.receiver {
            Expr::Path(path) if rejected.is_some() && names::is_name(&path.path) => {}
            receiver => self.expr(receiver, Place::Value),
        }
        self.arguments(call.args.iter());
    }
}

/// Returns what to write instead of a method that is not in the subset.
fn instead_of_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "iter" | "into_iter" | "map" | "filter" | "sum" | "fold" | "enumerate" | "zip" | "rev" | "step_by" => {
            "use `for i in a..b` and an index"
        }
        "unwrap" | "expect" | "get" | "checked_add" | "checked_sub" | "checked_mul" | "checked_div" => {
            "there is no `Option`; compare first"
        }
        "is_empty" => "compare `len()` with 0",
        "swap" | "push" | "fill" | "clone" | "to_vec" | "copy_from_slice" => {
            "scalars are copied, columns only read; return what the template shall write"
        }
        "wrapping_div" | "wrapping_rem" | "pow" | "abs" | "sqrt" | "saturating_sub" | "saturating_add" | "clamp"
        | "abs_diff" | "signum" | "is_power_of_two" => "write it with `if` and the operators",
        _ => return None,
    })
}

fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign, ShrAssign,
        SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// An expression that is never allowed, and what to write in its place.
fn rejection(expr: &Expr) -> (&'static str, &'static str) {
    match expr {
        Expr::Closure(_) => ("a closure", "write a device function"),
        Expr::Reference(_) | Expr::RawAddr(_) => ("`&`", "pass scalars by value and columns by their names"),
        Expr::Loop(_) => ("`loop`", "use `while` with the condition to go on"),
        Expr::Let(_) => ("`if let` or `while let`", "compare, or use `match`"),
        Expr::Try(_) => ("`?`", "return a reserved value"),
        Expr::Unsafe(_) => ("`unsafe`", "take it away; nothing here needs it"),
        Expr::Array(_) | Expr::Repeat(_) => ("an array", "use a `const` table, or one variable each"),
        Expr::Range(_) => ("a range as a value", "write it in `for i in a..b`"),
        Expr::Async(_) | Expr::Await(_) | Expr::Yield(_) => ("`async`", "write one map after another"),
        Expr::Const(_) => ("a `const` block", "put a `const` beside the function"),
        Expr::Path(_) => ("a trait's name", "put a `const` beside the function"),
        Expr::TryBlock(_) => ("a `try` block", "return a reserved value"),
        _ => ("this", "the table at `treepar::device` lists what is"),
    }
}
