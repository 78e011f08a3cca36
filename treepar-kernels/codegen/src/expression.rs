//! Expressions, each with its type.

use quote::ToTokens;
use syn::{BinOp, Expr, ExprMethodCall, Lit, Member, UnOp};

use crate::emit::{Binding, Emitter, Result, Sink, is_branching, literal};
use treepar_kernels::{Def, Type as Described};

use crate::name;
use crate::types::{SCALARS, Type, named, spelled};

const BOOL: Type = Type::Scalar("bool");
const U32: Type = Type::Scalar("u32");
const USIZE: Type = Type::Scalar("usize");

impl Emitter {
    /// The type of an expression; an error for a literal that only its place tells.
    pub fn type_of(&self, expr: &Expr, expected: Option<&Type>) -> Result<Type> {
        match expr {
            Expr::Tuple(tuple) => {
                tuple.elems.iter().map(|part| self.type_of(part, None)).collect::<Result<_>>().map(Type::Tuple)
            }
            Expr::Paren(inner) => self.type_of(&inner.expr, expected),
            Expr::Group(inner) => self.type_of(&inner.expr, expected),
            Expr::Block(block) => self.type_of_block(&block.block, expected),
            Expr::If(choice) => self.type_of_block(&choice.then_branch, expected).or_else(|error| {
                choice.else_branch.as_ref().map_or(Err(error), |(_, other)| self.type_of(other, expected))
            }),
            Expr::Match(choice) => {
                let mut found = Err(self.fail("a `match` whose type is not known"));
                for arm in &choice.arms {
                    found = found.or_else(|_| self.type_of(&arm.body, expected));
                }
                found
            }
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => Err(self.fail("no value")),
            expr => {
                let mut scratch = self.clone();
                scratch.text.clear();
                scratch.expr(expr, expected).map(|(_, ty)| ty)
            }
        }
    }

    fn type_of_block(&self, block: &syn::Block, expected: Option<&Type>) -> Result<Type> {
        let mut scratch = self.clone();
        scratch.text.clear();
        let Some((syn::Stmt::Expr(value, None), before)) = block.stmts.split_last() else {
            return Err(self.fail("a block without a value"));
        };
        // Its variables have to be known.
        scratch.statements(before)?;
        scratch.type_of(value, expected)
    }

    /// An expression as C++, and its type.
    pub fn expr(&mut self, expr: &Expr, expected: Option<&Type>) -> Result<(String, Type)> {
        match expr {
            Expr::Paren(inner) => self.expr(&inner.expr, expected),
            Expr::Group(inner) => self.expr(&inner.expr, expected),
            Expr::Lit(found) => self.literal(&found.lit, expected),
            Expr::Path(path) => self.path(&path.path),
            Expr::Unary(unary) => {
                let (value, ty) = self.expr(&unary.expr, expected)?;
                let text = match (&unary.op, &ty) {
                    (UnOp::Neg(_), _) => format!("neg({value})"),
                    (_, Type::Scalar("bool")) => format!("!({value})"),
                    _ => format!("{}(~{value})", ty.text()),
                };
                Ok((text, ty))
            }
            Expr::Binary(binary) => self.binary(binary, expected),
            Expr::Cast(cast) => {
                let text = cast.ty.to_token_stream().to_string();
                let to = named(&text, self.function).ok_or_else(|| self.fail(format!("type `{text}`")))?;
                // A literal without a type is an i32 before its cast, as in Rust.
                let (value, from) =
                    self.expr(&cast.expr, None).or_else(|_| self.expr(&cast.expr, Some(&Type::Scalar("i32"))))?;
                Ok(if from == to { (value, to) } else { (format!("cast<{}>({value})", to.text()), to) })
            }
            Expr::Index(index) => {
                let (row, _) = self.expr(&index.index, Some(&USIZE))?;
                let (column, ty) = self.column(&index.expr)?;
                Ok((format!("{column}[{row}]"), ty))
            }
            Expr::Field(field) => {
                let (base, ty) = self.expr(&field.base, None)?;
                let Member::Named(name) = &field.member else { return Err(self.fail("a tuple's field")) };
                let fields = ty.fields().ok_or_else(|| self.fail("a field of what is no struct"))?;
                let found = fields.iter().find(|(field, _)| name == field);
                let (field, ty) = found.ok_or_else(|| self.fail(format!("field `{name}`")))?;
                Ok((format!("{base}.{}", spelled(field)), (*ty).into()))
            }
            Expr::Struct(built) => {
                let text = built.path.to_token_stream().to_string();
                let ty = named(&text, self.function).ok_or_else(|| self.fail(format!("type `{text}`")))?;
                let (name, fields) = (ty.text(), ty.fields().ok_or_else(|| self.fail("a struct that is none"))?);
                let mut parts = vec![String::new(); fields.len()];
                for value in &built.fields {
                    let at = fields.iter().position(|(field, _)| value.member.to_token_stream().to_string() == *field);
                    let at = at.ok_or_else(|| self.fail("a field that the struct does not have"))?;
                    parts[at] = self.expr(&value.expr, Some(&fields[at].1.into()))?.0;
                }
                Ok((format!("{name}{{{}}}", parts.join(", ")), ty))
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call, expected),
            expr if is_branching(expr) => {
                // Its statements come first.
                let ty = match expected {
                    Some(ty) => ty.clone(),
                    None => self.type_of(expr, None)?,
                };
                let variable = self.fresh("value");
                self.line(&format!("{} {variable};", ty.text()));
                self.put(expr, &Sink::Variables(vec![(variable.clone(), ty.clone())]))?;
                Ok((variable, ty))
            }
            other => Err(self.fail(format!("expression `{}`", other.to_token_stream()))),
        }
    }

    fn literal(&mut self, found: &Lit, expected: Option<&Type>) -> Result<(String, Type)> {
        match found {
            Lit::Bool(value) => Ok((value.value.to_string(), BOOL)),
            Lit::Byte(byte) => Ok((literal("u8", byte.value().into()), Type::Scalar("u8"))),
            Lit::Int(number) => {
                // A pattern's literal may have a sign.
                let bits: i128 = number.base10_parse().map_err(|error| self.fail(error.to_string()))?;
                let bits = bits as u64;
                let named = SCALARS.iter().find(|scalar| **scalar == number.suffix());
                let ty = match (named, expected) {
                    (Some(name), _) => Type::Scalar(name),
                    (None, Some(ty)) if ty.is_integer() => ty.clone(),
                    _ => return Err(self.fail(format!("literal `{number}` without a type"))),
                };
                Ok((literal(&ty.text(), bits), ty))
            }
            Lit::Float(number) => {
                let value: f32 = number.base10_parse().map_err(|error| self.fail(error.to_string()))?;
                Ok((literal("f32", value.to_bits().into()), Type::Scalar("f32")))
            }
            other => Err(self.fail(format!("literal `{}`", other.to_token_stream()))),
        }
    }

    fn path(&mut self, path: &syn::Path) -> Result<(String, Type)> {
        let text: String = path.to_token_stream().to_string().chars().filter(|c| !c.is_whitespace()).collect();
        if let Some(Binding::Value(value, ty)) = self.lookup(&text) {
            return Ok((value.clone(), ty.clone()));
        }
        let of_scalar = text.split_once("::").and_then(|(ty, constant)| {
            let ty = SCALARS.iter().find(|scalar| **scalar == ty)?;
            let (bits, ty) = scalar_constant(ty, constant)?;
            Some((literal(ty, bits), Type::Scalar(ty)))
        });
        of_scalar.ok_or_else(|| self.fail(format!("name `{text}`")))
    }

    fn column(&mut self, expr: &Expr) -> Result<(String, Type)> {
        let text: String = expr.to_token_stream().to_string().chars().filter(|c| !c.is_whitespace()).collect();
        if let Expr::Field(field) = expr
            && let (table, Type::Named(Described::Table(columns))) = self.expr(&field.base, None)?
        {
            let name = field.member.to_token_stream().to_string();
            let found = columns.fields.iter().find(|(column, _)| *column == name);
            let (column, ty) = found.ok_or_else(|| self.fail(format!("column `{text}`")))?;
            return Ok((format!("{table}.{}", spelled(column)), (*ty).into()));
        }
        match self.lookup(&text) {
            Some(Binding::Column(column, ty)) => Ok((column.clone(), ty.clone())),
            Some(Binding::Value(table, ty @ Type::Named(Described::Table(_)))) => Ok((table.clone(), ty.clone())),
            _ => Err(self.fail(format!("column `{text}`"))),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary, expected: Option<&Type>) -> Result<(String, Type)> {
        let op = &binary.op;
        if let BinOp::And(_) | BinOp::Or(_) = op {
            return self.short_circuit(binary);
        }
        if let BinOp::Shl(_) | BinOp::Shr(_) = op {
            let (left, ty) = self.expr(&binary.left, expected)?;
            let (right, amount) = self.expr(&binary.right, None).or_else(|_| self.expr(&binary.right, Some(&U32)))?;
            let text = self.operation(op, (&left, &ty), (&right, &amount))?;
            return Ok((text, ty));
        }
        let is_comparison =
            matches!(op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_));
        // The operand whose type is known gives it to the other; both, their place.
        let ty = self
            .type_of(&binary.left, None)
            .or_else(|_| self.type_of(&binary.right, None))
            .or_else(|error| if is_comparison { Err(error) } else { expected.cloned().ok_or(error) })?;
        let (left, ty) = self.expr(&binary.left, Some(&ty))?;
        let (right, right_ty) = self.expr(&binary.right, Some(&ty))?;
        let text = self.operation(op, (&left, &ty), (&right, &right_ty))?;
        Ok((text, if is_comparison { BOOL } else { ty }))
    }

    /// The right side is evaluated only where it counts.
    fn short_circuit(&mut self, binary: &syn::ExprBinary) -> Result<(String, Type)> {
        let is_and = matches!(binary.op, BinOp::And(_));
        let (left, _) = self.expr(&binary.left, Some(&BOOL))?;
        let before = self.text.len();
        let mut scratch = self.clone();
        let (right, _) = scratch.expr(&binary.right, Some(&BOOL))?;
        if scratch.text.len() == before {
            *self = scratch;
            let sign = if is_and { "&&" } else { "||" };
            return Ok((format!("({left} {sign} {right})"), BOOL));
        }
        // It takes statements: they stand where it does.
        let variable = self.fresh("holds");
        self.line(&format!("bool {variable} = {left};"));
        self.line(&format!("if ({}{variable}) {{", if is_and { "" } else { "!" }));
        let (right, _) = self.expr(&binary.right, Some(&BOOL))?;
        self.line(&format!("{variable} = {right};"));
        self.line("}");
        Ok((variable, BOOL))
    }

    /// An operator on two values.
    pub fn operation(&self, op: &BinOp, left: (&str, &Type), right: (&str, &Type)) -> Result<String> {
        let ((a, ty), (b, _)) = (left, right);
        let text = ty.text();
        Ok(match op {
            BinOp::Add(_) => format!("add({a}, {b})"),
            BinOp::Sub(_) => format!("sub({a}, {b})"),
            BinOp::Mul(_) => format!("mul({a}, {b})"),
            BinOp::Div(_) => format!("div({a}, {b})"),
            BinOp::Rem(_) => format!("rem({a}, {b})"),
            BinOp::Shl(_) => format!("shl({a}, u32({b}))"),
            BinOp::Shr(_) => format!("shr({a}, u32({b}))"),
            BinOp::BitAnd(_) => format!("{text}({a} & {b})"),
            BinOp::BitOr(_) => format!("{text}({a} | {b})"),
            BinOp::BitXor(_) => format!("{text}({a} ^ {b})"),
            BinOp::Eq(_) => format!("({a} == {b})"),
            BinOp::Ne(_) => format!("({a} != {b})"),
            BinOp::Lt(_) => format!("({a} < {b})"),
            BinOp::Le(_) => format!("({a} <= {b})"),
            BinOp::Gt(_) => format!("({a} > {b})"),
            BinOp::Ge(_) => format!("({a} >= {b})"),
            _ => return Err(self.fail("an operator that is none of the subset")),
        })
    }

    /// The operator of `+=` and the like.
    pub fn compound(&self, op: &BinOp) -> Option<BinOp> {
        Some(match op {
            BinOp::AddAssign(_) => BinOp::Add(Default::default()),
            BinOp::SubAssign(_) => BinOp::Sub(Default::default()),
            BinOp::MulAssign(_) => BinOp::Mul(Default::default()),
            BinOp::DivAssign(_) => BinOp::Div(Default::default()),
            BinOp::RemAssign(_) => BinOp::Rem(Default::default()),
            BinOp::BitXorAssign(_) => BinOp::BitXor(Default::default()),
            BinOp::BitAndAssign(_) => BinOp::BitAnd(Default::default()),
            BinOp::BitOrAssign(_) => BinOp::BitOr(Default::default()),
            BinOp::ShlAssign(_) => BinOp::Shl(Default::default()),
            BinOp::ShrAssign(_) => BinOp::Shr(Default::default()),
            _ => return None,
        })
    }

    fn call(&mut self, call: &syn::ExprCall) -> Result<(String, Type)> {
        let path: String = call.func.to_token_stream().to_string().chars().filter(|c| !c.is_whitespace()).collect();
        if path == "f32::from_bits" {
            let (bits, _) = self.expr(&call.args[0], Some(&U32))?;
            return Ok((format!("from_bits({bits})"), Type::Scalar("f32")));
        }
        let same = |name: &str| name.chars().filter(|c| !c.is_whitespace()).eq(path.chars());
        if let Some((_, called)) = self.function.calls.iter().find(|(name, _)| same(name)) {
            return self.call_of(called, Vec::new(), &call.args);
        }
        // A function of a device type.
        let unknown = || self.fail(format!("call of `{path}`"));
        let (of, function) = path.rsplit_once("::").ok_or_else(unknown)?;
        let ty = named(of, self.function).ok_or_else(unknown)?;
        if let (Some(newtype), "new" | "from_code") = (ty.newtype(), function) {
            let argument = call.args.first().ok_or_else(unknown)?;
            return Ok((self.expr(argument, Some(&Type::Scalar(newtype.repr)))?.0, ty));
        }
        let called = self.method_of(&ty, function)?;
        self.call_of(called, Vec::new(), &call.args)
    }

    /// The device method of a type.
    fn method_of(&mut self, ty: &Type, method: &str) -> Result<&'static Def> {
        let Type::Named(of) = ty else { return Err(self.fail(format!("method `{method}`"))) };
        let found = of.methods().iter().find(|(name, _)| *name == method).map(|(_, method)| *method);
        let found = found.ok_or_else(|| self.fail(format!("`{method}`, which is no device method of `{of:?}`")))?;
        self.methods.push(found);
        Ok(found)
    }

    /// A call, of which some arguments are there already.
    fn call_of<'a>(
        &mut self,
        called: &'static Def,
        mut arguments: Vec<String>,
        others: impl IntoIterator<Item = &'a Expr>,
    ) -> Result<(String, Type)> {
        for (argument, parameter) in others.into_iter().zip(&called.parameters[arguments.len()..]) {
            let (ty, is_column) = crate::types::type_of_parameter(parameter.ty, called)
                .ok_or_else(|| self.fail(format!("type `{}`", parameter.ty)))?;
            arguments.push(if is_column { self.column(argument)?.0 } else { self.expr(argument, Some(&ty))?.0 });
        }
        let output = named(called.output, called).ok_or_else(|| self.fail(format!("type `{}`", called.output)))?;
        Ok((format!("{}({})", name(called), arguments.join(", ")), output))
    }

    fn method(&mut self, call: &ExprMethodCall, expected: Option<&Type>) -> Result<(String, Type)> {
        let method = call.method.to_string();
        if method == "len" {
            return Ok((format!("{}.size()", self.column(&call.receiver)?.0), USIZE));
        }
        let same = matches!(
            method.as_str(),
            "wrapping_add"
                | "wrapping_sub"
                | "wrapping_mul"
                | "wrapping_neg"
                | "min"
                | "max"
                | "wrapping_shl"
                | "wrapping_shr"
                | "rotate_left"
                | "rotate_right"
        );
        let hint = if same { expected } else { None };
        let (receiver, ty) = self.expr(&call.receiver, hint)?;
        if let Some(newtype) = ty.newtype() {
            let repr = Type::Scalar(newtype.repr);
            let one = |emitter: &mut Self| match call.args.first() {
                Some(argument) => emitter.expr(argument, Some(&U32)).map(|(text, _)| text),
                None => Err(emitter.fail("a method without its argument")),
            };
            match method.as_str() {
                "get" | "code" => return Ok((receiver, repr)),
                "index" => return Ok((format!("cast<usize>({receiver})"), USIZE)),
                "is_none" => return Ok((format!("({receiver} == {})", literal("u32", u32::MAX.into())), BOOL)),
                "plus" => return Ok((format!("add({receiver}, {})", one(self)?), ty)),
                "minus" => return Ok((format!("sub({receiver}, {})", one(self)?), ty)),
                _ => {}
            }
        }
        if matches!(ty, Type::Named(_)) && !matches!(method.as_str(), "min" | "max") {
            let called = self.method_of(&ty, &method)?;
            return self.call_of(called, vec![receiver], &call.args);
        }
        let mut argument = |ty: &Type| match call.args.first() {
            Some(argument) => self.expr(argument, Some(ty)).map(|(text, _)| text),
            None => Err(self.fail("a method without its argument")),
        };
        let text = match method.as_str() {
            "wrapping_add" => format!("add({receiver}, {})", argument(&ty)?),
            "wrapping_sub" => format!("sub({receiver}, {})", argument(&ty)?),
            "wrapping_mul" => format!("mul({receiver}, {})", argument(&ty)?),
            "wrapping_neg" => format!("neg({receiver})"),
            "wrapping_shl" => format!("shl({receiver}, {})", argument(&U32)?),
            "wrapping_shr" => format!("shr({receiver}, {})", argument(&U32)?),
            "min" => format!("least({receiver}, {})", argument(&ty)?),
            "max" => format!("greatest({receiver}, {})", argument(&ty)?),
            "rotate_left" => format!("rotate_left({receiver}, {})", argument(&U32)?),
            "rotate_right" => format!("rotate_right({receiver}, {})", argument(&U32)?),
            "count_ones" | "leading_zeros" | "trailing_zeros" => return Ok((format!("{method}({receiver})"), U32)),
            "to_bits" => return Ok((format!("to_bits({receiver})"), U32)),
            _ => return Err(self.fail(format!("method `{method}`"))),
        };
        Ok((text, ty))
    }
}

/// The bits of a constant of a scalar, and its type.
fn scalar_constant(ty: &'static str, name: &str) -> Option<(u64, &'static str)> {
    let width = match ty {
        "u8" => 8,
        "u16" => 16,
        "u32" | "i32" | "f32" => 32,
        _ => 64,
    };
    let all = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let signed = ty.starts_with('i');
    Some(match (ty, name) {
        ("f32", "INFINITY") => (f32::INFINITY.to_bits().into(), ty),
        ("f32", "MAX") => (f32::MAX.to_bits().into(), ty),
        ("f32", "MIN") => (f32::MIN.to_bits().into(), ty),
        (_, "BITS") => (width, "u32"),
        (_, "MAX") => (if signed { all >> 1 } else { all }, ty),
        (_, "MIN") => (if signed { 1 << (width - 1) } else { 0 }, ty),
        _ => return None,
    })
}
