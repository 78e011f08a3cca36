//! Expressions of a device function.

use syn::{BinOp, Expr, ExprIndex, ExprMethodCall, Lit, Member, UnOp};

use super::body::{Parser, Place};
use treepar_device::Shape;
use treepar_device::tree::{Id, List, Node, Op};
use treepar_device::types::Scalar;

impl Parser<'_> {
    pub fn expr(&mut self, expr: &Expr, place: Place) -> Id {
        let node = match expr {
            Expr::Lit(literal) => return self.literal(&literal.lit),
            Expr::Path(path) if path.qself.is_none() => return self.value_of(&path.path),
            Expr::Paren(inner) => return self.expr(&inner.expr, place),
            Expr::Group(inner) => return self.expr(&inner.expr, place),
            Expr::Binary(binary) => {
                let (op, is_update) = operator(&binary.op);
                if is_update {
                    let (target, value) = self.assignment(expr, &binary.left, &binary.right, place);
                    Node::Update(op, target, value)
                } else {
                    let left = self.expr(&binary.left, Place::Value);
                    Node::Binary(op, left, self.expr(&binary.right, Place::Value))
                }
            }
            Expr::Unary(unary) => {
                let value = self.expr(&unary.expr, Place::Value);
                match unary.op {
                    UnOp::Neg(_) => Node::Neg(value),
                    UnOp::Not(_) => Node::Not(value),
                    _ => self.refused(expr, "`*` of a reference", "index the column"),
                }
            }
            Expr::Assign(assign) => {
                let (target, value) = self.assignment(expr, &assign.left, &assign.right, place);
                Node::Assign(target, value)
            }
            Expr::Cast(cast) => {
                let value = self.expr(&cast.expr, Place::Value);
                Node::Cast(value, self.ty(&cast.ty))
            }
            Expr::Index(index) => self.index(index),
            Expr::Field(field) => match &field.member {
                _ if self.is_table(&field.base) => self.refused(
                    expr,
                    "a table's column as a value",
                    "index it, take its `len()`, or pass it to a function",
                ),
                Member::Named(name) => {
                    let base = self.expr(&field.base, Place::Value);
                    Node::Field(base, self.named(name))
                }
                Member::Unnamed(_) => {
                    self.errors.outside(expr, "a tuple's field", "take the tuple apart by `let (a, b) = ..`");
                    return self.expr(&field.base, Place::Value);
                }
            },
            Expr::Call(call) => return self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Struct(literal) => self.structure(literal),
            Expr::Tuple(tuple) if tuple.elems.is_empty() => {
                if place != Place::Statement {
                    self.errors.outside(expr, "`()` as a value", "return a number");
                }
                Node::Nothing
            }
            Expr::Tuple(tuple) => {
                if place != Place::Result {
                    let instead = "use a `#[device]` struct; a tuple is a result, or taken apart at once";
                    self.errors.outside(expr, "a tuple as a value", instead);
                }
                let parts: Vec<Id> = tuple.elems.iter().map(|expr| self.expr(expr, Place::Value)).collect();
                Node::Tuple(self.list(&parts))
            }
            Expr::Block(block) => {
                self.label(&block.label);
                return self.block(&block.block, place);
            }
            Expr::If(choice) => {
                let condition = self.expr(&choice.cond, Place::Value);
                let then = self.block(&choice.then_branch, place);
                let other = choice.else_branch.as_ref().map(|(_, other)| self.expr(other, place));
                if other.is_none() && place != Place::Statement {
                    self.errors.outside(expr, "an `if` for a value without `else`", "write the `else`");
                }
                Node::If(condition, then, other)
            }
            Expr::Match(choice) => return self.choice(choice, place),
            Expr::ForLoop(_) | Expr::While(_) if place != Place::Statement => {
                self.refused(expr, "a loop as a value", "let it stand as a statement")
            }
            Expr::ForLoop(repeat) => return self.for_loop(repeat),
            Expr::While(repeat) => {
                self.label(&repeat.label);
                let condition = self.expr(&repeat.cond, Place::Value);
                Node::While(condition, self.block(&repeat.body, Place::Statement))
            }
            Expr::Break(leave) => {
                if let Some(label) = &leave.label {
                    self.errors.outside(label, "a label", "use a variable that ends the loops");
                }
                if let Some(value) = &leave.expr {
                    self.errors.outside(value, "`break` with a value", "assign a variable");
                }
                Node::Break
            }
            Expr::Continue(next) => {
                if let Some(label) = &next.label {
                    self.errors.outside(label, "a label", "use a variable that ends the loops");
                }
                Node::Continue
            }
            Expr::Return(result) => match &result.expr {
                Some(value) => Node::Return(self.expr(value, Place::Result)),
                None => Node::Nothing,
            },
            Expr::Macro(found) => return self.macro_call(&found.mac),
            other => {
                let (thing, instead) = rejection(other);
                if let Expr::Let(binding) = other {
                    self.bind_all(&binding.pat);
                }
                self.refused(other, thing, instead)
            }
        };
        self.add(node)
    }

    /// Reports a construct outside the subset, and returns the node that replaces it.
    fn refused(&mut self, place: &impl quote::ToTokens, thing: &str, instead: &str) -> Node {
        self.errors.outside(place, thing, instead);
        Node::Nothing
    }

    pub fn literal(&mut self, literal: &Lit) -> Id {
        let node = match literal {
            Lit::Int(number) => {
                let scalar = Scalar::of(number.suffix()).filter(|scalar| *scalar != Scalar::Bool);
                if scalar.is_none() && !number.suffix().is_empty() {
                    self.errors.outside(literal, "this type of a number", "use u8 to u64, i8 to i64 or usize");
                }
                match scalar {
                    Some(scalar) if scalar.is_float() => float(number.base10_digits(), scalar),
                    // rustc checks the range. A pattern's literal may have a sign.
                    _ => Node::Int(number.base10_parse::<i128>().unwrap_or_default() as u64, scalar),
                }
            }
            Lit::Float(number) => match Scalar::of(number.suffix()).filter(|scalar| scalar.is_float()) {
                Some(scalar) => float(number.base10_digits(), scalar),
                None if number.suffix().is_empty() => {
                    self.refused(literal, "a float without its type", "write `f32` or `f64` after it: `1.5f32`")
                }
                None => self.refused(literal, "this type of a number", "use `f32` or `f64`"),
            },
            Lit::Bool(truth) => Node::Boolean(truth.value),
            Lit::Byte(byte) => Node::Int(byte.value().into(), Some(Scalar::U8)),
            Lit::Char(_) => self.refused(literal, "a `char`", "use a `u32`, or a byte, `b'x'`"),
            _ => self.refused(literal, "text", "use a `const` table of numbers"),
        };
        self.add(node)
    }

    fn assignment(&mut self, whole: &Expr, target: &Expr, value: &Expr, place: Place) -> (Id, Id) {
        if place != Place::Statement {
            self.errors.outside(whole, "an assignment as a value", "let it stand as a statement");
        }
        let target = if self.is_target(target) { self.expr(target, Place::Value) } else { self.add(Node::Nothing) };
        (target, self.expr(value, Place::Value))
    }

    /// Returns whether an assignment can have this target: a local or a field of one.
    fn is_target(&mut self, target: &Expr) -> bool {
        let (thing, instead) = match target {
            Expr::Path(path) if matches!(self.local_of(&path.path), Some((Shape::Value, _))) => return true,
            Expr::Field(field) if matches!(field.member, Member::Named(_)) => return self.is_target(&field.base),
            Expr::Paren(inner) => return self.is_target(&inner.expr),
            Expr::Group(inner) => return self.is_target(&inner.expr),
            Expr::Index(_) => ("a write to a column", "return the value, and the template writes it"),
            _ => ("this target of an assignment", "assign a local or a field of one"),
        };
        self.errors.outside(target, thing, instead);
        false
    }

    fn index(&mut self, index: &ExprIndex) -> Node {
        let row = match &*index.index {
            Expr::Range(range) => {
                let node = self.refused(range, "a part of a column", "pass its bounds, and index by them");
                self.add(node)
            }
            row => self.expr(row, Place::Value),
        };
        Node::Index(self.table(&index.expr, false), row)
    }

    /// Returns whether an expression is a table, or a field of several tables together.
    fn is_table(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => matches!(self.local_of(&path.path), Some((Shape::Table, _))),
            Expr::Field(field) => self.is_table(&field.base),
            _ => false,
        }
    }

    /// Parses a field of a table, if the expression is one.
    pub fn field_of_table(&mut self, expr: &Expr) -> Option<Id> {
        let Expr::Field(field) = expr else { return None };
        let Member::Named(name) = &field.member else { return None };
        let base = match &*field.base {
            Expr::Path(path) => match self.local_of(&path.path) {
                Some((Shape::Table, local)) => self.add(Node::Local(local)),
                _ => return None,
            },
            base => self.field_of_table(base)?,
        };
        let name = self.named(name);
        Some(self.add(Node::Field(base, name)))
    }

    /// Parses the base of an index or a length: a column or a `const` table by its name, or a table's column.
    fn table(&mut self, table: &Expr, is_length: bool) -> Id {
        let instead = "use a column or a `const` table by its name";
        let node = match table {
            Expr::Path(path) if path.qself.is_none() => match self.local_of(&path.path) {
                Some((Shape::Column, local)) => Node::Local(local),
                Some((Shape::Table, local)) if is_length => Node::Local(local),
                Some((Shape::Table, _)) => {
                    self.refused(table, "a table as a column", "name the column: `rows.kind[r]`")
                }
                Some((Shape::Value, _)) => self.refused(table, "a local as a table", instead),
                None => return self.constant(&path.path),
            },
            other => match self.field_of_table(other) {
                Some(field) => return field,
                None => self.refused(other, "an expression as a table", instead),
            },
        };
        self.add(node)
    }

    fn structure(&mut self, literal: &syn::ExprStruct) -> Node {
        let path = &literal.path;
        let ty = self.ty(&syn::parse_quote!(#path));
        if let Some(dots) = &literal.dot2_token {
            self.errors.outside(dots, "`..` in a struct", "name every field");
        }
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for field in &literal.fields {
            match &field.member {
                Member::Named(name) => names.push(self.named(name)),
                Member::Unnamed(_) => {
                    self.errors.outside(field, "a field without a name", "use a `#[device]` struct");
                }
            }
            values.push(self.expr(&field.expr, Place::Value));
        }
        let names = self.list(&names);
        Node::Struct(ty, names, self.list(&values))
    }

    fn method(&mut self, call: &ExprMethodCall) -> Node {
        let name = call.method.to_string();
        if name == "len" {
            return Node::Len(self.table(&call.receiver, true));
        }
        // Others are device methods, which rustc finds or not.
        let is_of_index = name == "get" && call.args.is_empty();
        let rejected = instead_of_method(&name).filter(|_| !is_of_index);
        if let Some(instead) = rejected {
            self.errors.outside(&call.method, format_args!("method `{name}`"), instead);
        }
        if let Some(turbofish) = &call.turbofish {
            self.errors.outside(turbofish, "a generic argument", "write one function per type");
        }
        let receiver = match &*call.receiver {
            // In a refused chain such as `x.iter().sum()`, only the methods are reported.
            Expr::Path(path) if rejected.is_some() && path.path.get_ident().is_some() => 0,
            receiver => self.expr(receiver, Place::Value),
        };
        let arguments: List = self.arguments(&call.args);
        Node::Method(receiver, self.named(&name), arguments)
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
        "isqrt" | "ilog2" | "ilog10" | "next_power_of_two" | "swap_bytes" | "reverse_bits" | "div_ceil" => {
            "write it with `if` and the operators"
        }
        "powi" | "powf" | "cbrt" | "hypot" | "sin" | "cos" | "tan" => {
            "machines round it differently; write it with the operators"
        }
        _ => return None,
    })
}

/// Returns the node of a float's digits.
fn float(digits: &str, scalar: Scalar) -> Node {
    let bits = match scalar {
        Scalar::F32 => digits.parse::<f32>().unwrap_or_default().to_bits().into(),
        _ => digits.parse::<f64>().unwrap_or_default().to_bits(),
    };
    Node::Float(bits, scalar)
}

/// Returns an operator, and whether it assigns.
fn operator(op: &BinOp) -> (Op, bool) {
    match op {
        BinOp::Add(_) => (Op::Add, false),
        BinOp::Sub(_) => (Op::Sub, false),
        BinOp::Mul(_) => (Op::Mul, false),
        BinOp::Div(_) => (Op::Div, false),
        BinOp::Rem(_) => (Op::Rem, false),
        BinOp::Shl(_) => (Op::Shl, false),
        BinOp::Shr(_) => (Op::Shr, false),
        BinOp::BitAnd(_) => (Op::BitAnd, false),
        BinOp::BitOr(_) => (Op::BitOr, false),
        BinOp::BitXor(_) => (Op::BitXor, false),
        BinOp::Eq(_) => (Op::Equal, false),
        BinOp::Ne(_) => (Op::NotEqual, false),
        BinOp::Lt(_) => (Op::Less, false),
        BinOp::Le(_) => (Op::LessEqual, false),
        BinOp::Gt(_) => (Op::Greater, false),
        BinOp::Ge(_) => (Op::GreaterEqual, false),
        BinOp::And(_) => (Op::And, false),
        BinOp::Or(_) => (Op::Or, false),
        BinOp::AddAssign(_) => (Op::Add, true),
        BinOp::SubAssign(_) => (Op::Sub, true),
        BinOp::MulAssign(_) => (Op::Mul, true),
        BinOp::DivAssign(_) => (Op::Div, true),
        BinOp::RemAssign(_) => (Op::Rem, true),
        BinOp::ShlAssign(_) => (Op::Shl, true),
        BinOp::ShrAssign(_) => (Op::Shr, true),
        BinOp::BitAndAssign(_) => (Op::BitAnd, true),
        BinOp::BitOrAssign(_) => (Op::BitOr, true),
        // `BitXorAssign`, or an operator that a later version of Rust adds.
        _ => (Op::BitXor, true),
    }
}

/// Returns the name of an expression that is never allowed, and the alternative.
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
