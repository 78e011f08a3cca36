//! Statements, and where values go.

use std::collections::HashMap;
use std::fmt::Write as _;

use syn::{Block, Expr, ItemFn, Local, Pat, RangeLimits, Stmt};
use treepar_kernels::{Def, Value};

use crate::types::{Type, named, spelled, type_of_parameter};
use crate::{Error, name};

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value.
    Value(String, Type),
    /// A column, or a table of constants.
    Column(String, Type),
}

/// Where the value of an expression goes.
#[derive(Clone)]
pub enum Sink {
    /// It is what the function returns.
    Return,
    /// It is assigned; a tuple to as many.
    Variables(Vec<(String, Type)>),
    /// It is not used.
    Nowhere,
}

/// Writes one function.
#[derive(Clone)]
pub struct Emitter {
    pub function: &'static Def,
    pub output: Type,
    pub text: String,
    indent: usize,
    scopes: Vec<HashMap<String, Binding>>,
    /// How often each name was given, so that no two variables share one.
    given: HashMap<String, usize>,
    /// The device methods that it calls.
    pub methods: Vec<&'static Def>,
}

pub type Result<T> = std::result::Result<T, Error>;

/// An error at a function.
pub fn failure(function: &Def, what: String) -> Error {
    Error { function: function.name, file: function.file, line: function.line, what }
}

/// The C++ of a function, with a comment that says where it comes from, and the device methods that it calls.
pub fn function(function: &'static Def) -> Result<(String, Vec<&'static Def>)> {
    let fail = |what: String| failure(function, what);
    let item: ItemFn = syn::parse_str(function.source).map_err(|error| fail(error.to_string()))?;
    let output = named(function.output, function).ok_or_else(|| fail(format!("type `{}`", function.output)))?;
    let mut emitter = Emitter {
        function,
        output,
        text: String::new(),
        indent: 1,
        scopes: vec![HashMap::new()],
        given: HashMap::new(),
        methods: Vec::new(),
    };
    let mut parameters = Vec::new();
    for parameter in function.parameters {
        let (ty, is_column) =
            type_of_parameter(parameter.ty, function).ok_or_else(|| fail(format!("type `{}`", parameter.ty)))?;
        let written = emitter.fresh(parameter.name);
        let binding = if is_column {
            parameters.push(format!("Column<{}> {written}", ty.text()));
            Binding::Column(written, ty)
        } else {
            parameters.push(format!("{} {written}", ty.text()));
            Binding::Value(written, ty)
        };
        emitter.scopes[0].insert(parameter.name.to_string(), binding);
    }
    for (path, value) in (function.constants)() {
        emitter.constant(path, &value)?;
    }
    emitter.block(&item.block, &Sink::Return)?;
    let mut out = format!("// {}::{}, {}:{}\n", function.module, function.name, function.file, function.line);
    let _ = writeln!(
        out,
        "__device__ inline {} {}({}) {{\n{}}}\n// end of {}\n",
        emitter.output.text(),
        name(function),
        parameters.join(", "),
        emitter.text,
        function.name
    );
    Ok((out, emitter.methods))
}

impl Emitter {
    /// An error at this function.
    pub fn fail(&self, what: impl Into<String>) -> Error {
        failure(self.function, what.into())
    }

    /// A line of text.
    pub fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A name that no variable of this function has.
    pub fn fresh(&mut self, name: &str) -> String {
        let spelled = spelled(name.trim_start_matches('_'));
        let spelled = if spelled.is_empty() { "unused".to_string() } else { spelled };
        let count = self.given.entry(spelled.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { spelled } else { format!("{spelled}_{count}") }
    }

    /// What a name stands for.
    pub fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), binding);
        }
    }

    /// A constant that the function reads, by the path that it writes.
    fn constant(&mut self, path: &str, value: &Value) -> Result<()> {
        let path: String = path.chars().filter(|c| !c.is_whitespace()).collect();
        let written = self.fresh(path.rsplit("::").next().unwrap_or(&path));
        let ty = Type::from(value.ty);
        let text = ty.text();
        let mut words = value.words.iter().copied();
        let binding = match value.rows {
            Some(rows) => {
                let all: Vec<String> = (0..rows).map(|_| value_text(&ty, &mut words)).collect();
                self.line(&format!("static constexpr {text} {written}_rows[] = {{{}}};", all.join(", ")));
                self.line(&format!("const Column<{text}> {written} = {{{written}_rows, {rows}u}};"));
                Binding::Column(written, ty)
            }
            None => {
                self.line(&format!("const {text} {written} = {};", value_text(&ty, &mut words)));
                Binding::Value(written, ty)
            }
        };
        self.bind(&path, binding);
        Ok(())
    }

    /// Statements, and the value behind the last.
    pub fn block(&mut self, block: &Block, sink: &Sink) -> Result<()> {
        self.scopes.push(HashMap::new());
        match block.stmts.split_last() {
            Some((Stmt::Expr(value, None), before)) => {
                self.statements(before)?;
                self.put(value, sink)?;
            }
            _ => self.statements(&block.stmts)?,
        }
        self.scopes.pop();
        Ok(())
    }

    /// Statements whose variables stay in sight.
    pub fn statements(&mut self, statements: &[Stmt]) -> Result<()> {
        for stmt in statements {
            match stmt {
                Stmt::Local(local) => self.local(local)?,
                Stmt::Expr(expr, _) => self.put(expr, &Sink::Nowhere)?,
                _ => return Err(self.fail("a statement that is none of the subset")),
            }
        }
        Ok(())
    }

    /// A block in braces.
    fn braced(&mut self, head: &str, block: &Block, sink: &Sink) -> Result<()> {
        self.line(&format!("{head}{{"));
        self.indent += 1;
        self.block(block, sink)?;
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    fn local(&mut self, local: &Local) -> Result<()> {
        let init = local.init.as_ref().ok_or_else(|| self.fail("a variable without a value"))?;
        match &local.pat {
            Pat::Tuple(tuple) => {
                let Type::Tuple(types) = self.type_of(&init.expr, None)? else {
                    return Err(self.fail("a tuple of what is none"));
                };
                let mut variables = Vec::new();
                let mut names = Vec::new();
                for (pattern, ty) in tuple.elems.iter().zip(types) {
                    let name = pattern_name(pattern).unwrap_or_default();
                    let written = self.fresh(&name);
                    self.line(&format!("{} {written};", ty.text()));
                    names.push(name);
                    variables.push((written, ty));
                }
                self.put(&init.expr, &Sink::Variables(variables.clone()))?;
                for (name, (written, ty)) in names.iter().zip(variables) {
                    self.bind(name, Binding::Value(written, ty));
                }
                Ok(())
            }
            pattern => {
                let (pattern, declared) = match pattern {
                    Pat::Type(typed) => {
                        let text = quote::ToTokens::to_token_stream(&typed.ty).to_string();
                        (&*typed.pat, Some(named(&text, self.function).ok_or_else(|| self.fail(text))?))
                    }
                    pattern => (pattern, None),
                };
                let name = pattern_name(pattern).unwrap_or_default();
                let ty = match declared {
                    Some(ty) => ty,
                    None => self.type_of(&init.expr, None)?,
                };
                let written = self.fresh(&name);
                if is_branching(&init.expr) {
                    self.line(&format!("{} {written};", ty.text()));
                    self.put(&init.expr, &Sink::Variables(vec![(written.clone(), ty.clone())]))?;
                } else {
                    let (value, _) = self.expr(&init.expr, Some(&ty))?;
                    self.line(&format!("{} {written} = {value};", ty.text()));
                }
                self.bind(&name, Binding::Value(written, ty));
                Ok(())
            }
        }
    }

    /// Evaluates an expression, and puts its value where it goes.
    pub fn put(&mut self, expr: &Expr, sink: &Sink) -> Result<()> {
        match expr {
            Expr::Paren(inner) => self.put(&inner.expr, sink),
            Expr::Group(inner) => self.put(&inner.expr, sink),
            Expr::Block(block) => self.braced("", &block.block, sink),
            Expr::If(choice) => {
                let (condition, _) = self.expr(&choice.cond, Some(&Type::Scalar("bool")))?;
                self.braced(&format!("if ({condition}) "), &choice.then_branch, sink)?;
                if let Some((_, other)) = &choice.else_branch {
                    if let Expr::Block(other) = &**other {
                        return self.braced("else ", &other.block, sink);
                    }
                    self.line("else {");
                    self.indent += 1;
                    self.scopes.push(HashMap::new());
                    self.put(other, sink)?;
                    self.scopes.pop();
                    self.indent -= 1;
                    self.line("}");
                }
                Ok(())
            }
            Expr::Match(choice) => self.choice(choice, sink),
            Expr::ForLoop(repeat) => self.for_loop(repeat),
            Expr::While(repeat) => {
                self.line("while (true) {");
                self.indent += 1;
                let (condition, _) = self.expr(&repeat.cond, Some(&Type::Scalar("bool")))?;
                self.line(&format!("if (!({condition})) break;"));
                self.block(&repeat.body, &Sink::Nowhere)?;
                self.indent -= 1;
                self.line("}");
                Ok(())
            }
            Expr::Break(_) => {
                self.line("break;");
                Ok(())
            }
            Expr::Continue(_) => {
                self.line("continue;");
                Ok(())
            }
            Expr::Return(result) => {
                let value = result.expr.as_ref().ok_or_else(|| self.fail("`return` of nothing"))?;
                self.put(value, &Sink::Return)
            }
            Expr::Assign(assign) => {
                let (target, ty) = self.expr(&assign.left, None)?;
                if is_branching(&assign.right) {
                    return self.put(&assign.right, &Sink::Variables(vec![(target, ty)]));
                }
                let (value, _) = self.expr(&assign.right, Some(&ty))?;
                self.line(&format!("{target} = {value};"));
                Ok(())
            }
            Expr::Binary(binary) if self.compound(&binary.op).is_some() => {
                let Some(op) = self.compound(&binary.op) else { return Ok(()) };
                let (target, ty) = self.expr(&binary.left, None)?;
                let hint = if matches!(op, syn::BinOp::Shl(_) | syn::BinOp::Shr(_)) { None } else { Some(&ty) };
                let (value, right) = self.expr(&binary.right, hint)?;
                let value = self.operation(&op, (&target, &ty), (&value, &right))?;
                self.line(&format!("{target} = {value};"));
                Ok(())
            }
            Expr::Tuple(tuple) if tuple.elems.is_empty() => Ok(()),
            Expr::Tuple(tuple) => self.put_tuple(tuple, sink),
            expr => self.put_value(expr, sink),
        }
    }

    fn put_tuple(&mut self, tuple: &syn::ExprTuple, sink: &Sink) -> Result<()> {
        match sink {
            Sink::Return => {
                let Type::Tuple(types) = self.output.clone() else { return Err(self.fail("a tuple as a value")) };
                let mut parts = Vec::new();
                for (part, ty) in tuple.elems.iter().zip(&types) {
                    parts.push(self.expr(part, Some(ty))?.0);
                }
                let text = self.output.text();
                self.line(&format!("return {text}{{{}}};", parts.join(", ")));
            }
            Sink::Variables(variables) => {
                let mut parts = Vec::new();
                for (part, (_, ty)) in tuple.elems.iter().zip(variables) {
                    parts.push(self.expr(part, Some(ty))?.0);
                }
                // All are evaluated before any is assigned: a new one may hide an old one of its name.
                for (part, (target, _)) in parts.iter().zip(variables) {
                    self.line(&format!("{target} = {part};"));
                }
            }
            Sink::Nowhere => {}
        }
        Ok(())
    }

    fn put_value(&mut self, expr: &Expr, sink: &Sink) -> Result<()> {
        match sink {
            Sink::Return => {
                let output = self.output.clone();
                let (value, _) = self.expr(expr, Some(&output))?;
                self.line(&format!("return {value};"));
            }
            Sink::Variables(variables) if variables.len() == 1 => {
                let (value, _) = self.expr(expr, Some(&variables[0].1))?;
                self.line(&format!("{} = {value};", variables[0].0));
            }
            Sink::Variables(variables) => {
                let (value, ty) = self.expr(expr, None)?;
                let whole = self.fresh("tuple");
                self.line(&format!("const {} {whole} = {value};", ty.text()));
                for (k, (target, _)) in variables.iter().enumerate() {
                    self.line(&format!("{target} = get<{k}>({whole});"));
                }
            }
            Sink::Nowhere => {
                self.expr(expr, None)?;
            }
        }
        Ok(())
    }

    fn choice(&mut self, choice: &syn::ExprMatch, sink: &Sink) -> Result<()> {
        let ty = self.type_of(&choice.expr, None)?;
        let (value, _) = self.expr(&choice.expr, Some(&ty))?;
        let subject = self.fresh("chosen");
        self.line(&format!("const {} {subject} = {value};", ty.text()));
        for (at, arm) in choice.arms.iter().enumerate() {
            let condition = self.pattern(&arm.pat, &subject, &ty)?;
            let head = match (&condition, at) {
                (Some(condition), 0) => format!("if ({condition}) {{"),
                (Some(condition), _) => format!("else if ({condition}) {{"),
                (None, 0) => "{".to_string(),
                (None, _) => "else {".to_string(),
            };
            self.line(&head);
            self.indent += 1;
            self.scopes.push(HashMap::new());
            if let (Pat::Ident(name), None) = (&arm.pat, &condition) {
                self.bind(&name.ident.to_string(), Binding::Value(subject.clone(), ty.clone()));
            }
            self.put(&arm.body, sink)?;
            self.scopes.pop();
            self.indent -= 1;
            self.line("}");
        }
        Ok(())
    }

    /// When a pattern of constants holds; nothing where it always does.
    fn pattern(&mut self, pattern: &Pat, subject: &str, ty: &Type) -> Result<Option<String>> {
        match pattern {
            Pat::Wild(_) => Ok(None),
            Pat::Paren(inner) => self.pattern(&inner.pat, subject, ty),
            Pat::Lit(literal) => {
                let (value, _) = self.expr(&Expr::Lit(literal.clone()), Some(ty))?;
                Ok(Some(format!("{subject} == {value}")))
            }
            Pat::Path(path) => {
                let (value, _) = self.expr(&Expr::Path(path.clone()), Some(ty))?;
                Ok(Some(format!("{subject} == {value}")))
            }
            Pat::Ident(name) => match self.lookup(&name.ident.to_string()) {
                Some(Binding::Value(value, _)) if is_constant(&name.ident.to_string()) => {
                    Ok(Some(format!("{subject} == {value}")))
                }
                _ => Ok(None),
            },
            Pat::Range(range) => {
                let mut parts = Vec::new();
                if let Some(start) = &range.start {
                    parts.push(format!("{subject} >= {}", self.expr(start, Some(ty))?.0));
                }
                if let Some(end) = &range.end {
                    let sign = if matches!(range.limits, RangeLimits::HalfOpen(_)) { "<" } else { "<=" };
                    parts.push(format!("{subject} {sign} {}", self.expr(end, Some(ty))?.0));
                }
                Ok(Some(parts.join(" && ")))
            }
            Pat::Or(either) => {
                let mut parts = Vec::new();
                for case in &either.cases {
                    match self.pattern(case, subject, ty)? {
                        Some(part) => parts.push(format!("({part})")),
                        None => return Ok(None),
                    }
                }
                Ok(Some(parts.join(" || ")))
            }
            _ => Err(self.fail("a pattern that is none of the subset")),
        }
    }

    fn for_loop(&mut self, repeat: &syn::ExprForLoop) -> Result<()> {
        let Expr::Range(range) = &*repeat.expr else { return Err(self.fail("a loop over what is no range")) };
        let (Some(start), Some(end)) = (&range.start, &range.end) else { return Err(self.fail("an open range")) };
        let ty = match self.type_of(start, None) {
            Ok(ty) => ty,
            Err(_) => self.type_of(end, None)?,
        };
        let (first, _) = self.expr(start, Some(&ty))?;
        let (last, _) = self.expr(end, Some(&ty))?;
        let name = pattern_name(&repeat.pat).unwrap_or_default();
        let (written, limit, text) = (self.fresh(&name), self.fresh("limit"), ty.text());
        // The counter is the loop's own, as in Rust.
        let counter = self.fresh("counter");
        self.line(&format!(
            "for ({text} {counter} = {first}, {limit} = {last}; {counter} < {limit}; {counter} = {text}({counter} + 1)) {{"
        ));
        self.indent += 1;
        self.line(&format!("{text} {written} = {counter};"));
        self.scopes.push(HashMap::new());
        self.bind(&name, Binding::Value(written, ty));
        self.block(&repeat.body, &Sink::Nowhere)?;
        self.scopes.pop();
        self.indent -= 1;
        self.line("}");
        Ok(())
    }
}

/// The name that a pattern binds; nothing for `_`.
fn pattern_name(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) => Some(name.ident.to_string()),
        _ => None,
    }
}

/// Whether a value comes from statements.
pub fn is_branching(expr: &Expr) -> bool {
    match expr {
        Expr::If(_) | Expr::Match(_) | Expr::Block(_) => true,
        Expr::Paren(inner) => is_branching(&inner.expr),
        Expr::Group(inner) => is_branching(&inner.expr),
        _ => false,
    }
}

/// Whether a name is written as constants are.
pub fn is_constant(name: &str) -> bool {
    name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
}

/// A number of a scalar type by its bits.
pub fn literal(ty: &str, bits: u64) -> String {
    match ty {
        "bool" => (bits != 0).to_string(),
        "f32" => {
            let value = f32::from_bits(bits as u32);
            if value.is_finite() && bits != 0x8000_0000 { format!("{value:?}f") } else { format!("from_bits({bits}u)") }
        }
        "i32" => format!("i32({}u)", bits as u32),
        "i64" => format!("i64({bits}ull)"),
        "u64" | "usize" => format!("{ty}({bits}ull)"),
        ty => format!("{ty}({bits}u)"),
    }
}

/// Returns a constant, which is no table.
pub fn constant_text(value: &Value) -> String {
    value_text(&value.ty.into(), &mut value.words.iter().copied())
}

/// Returns a value of a type, given by words.
fn value_text(ty: &Type, words: &mut impl Iterator<Item = u64>) -> String {
    match (ty, ty.fields()) {
        (_, Some(fields)) => {
            let fields: Vec<String> = fields.iter().map(|(_, ty)| value_text(&(*ty).into(), words)).collect();
            format!("{}{{{}}}", ty.text(), fields.join(", "))
        }
        _ => literal(&ty.text(), words.next().unwrap_or_default()),
    }
}
