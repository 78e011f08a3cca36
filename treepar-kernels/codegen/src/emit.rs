//! A function's tree as C++: statements, and where values go.

use std::collections::HashMap;
use std::fmt::Write as _;

use treepar_device::Def;
use treepar_device::infer::{Types, infer};
use treepar_device::methods::{self, Own};
use treepar_device::tree::{Body, Id, List, Node, Op, Ty};
use treepar_device::types::{Scalar, Type, Value};

use crate::types::{of_parameter, spelled, text};
use crate::{Error, name};

pub type Result<T> = std::result::Result<T, Error>;

/// Returns an error at a function.
pub fn failure(function: &Def, what: String) -> Error {
    Error { function: function.name, file: function.file, line: function.line, what }
}

/// Returns the C++ of a function, with a comment that says where it comes from, and the device methods that it calls.
pub fn function(function: &'static Def) -> Result<(String, Vec<&'static Def>)> {
    let body = function.body.decode().ok_or_else(|| failure(function, "its syntax tree is not one".to_string()))?;
    let types = infer(function, &body).map_err(|what| failure(function, what))?;
    let mut emitter = Emitter {
        function,
        body: &body,
        locals: vec![String::new(); types.locals.len()],
        types,
        constants: Vec::new(),
        text: String::new(),
        indent: 1,
        given: HashMap::new(),
        methods: Vec::new(),
    };
    let mut parameters = Vec::new();
    for (local, parameter) in function.parameters.iter().enumerate() {
        let written = emitter.declare(local as u32);
        parameters.push(format!("{} {written}", of_parameter(parameter)));
    }
    for (path, constant) in function.constants {
        let written = emitter.constant(path, &constant.value());
        emitter.constants.push(written);
    }
    emitter.block(body.root, &Sink::Return)?;
    let mut out = format!("// {}::{}, {}:{}\n", function.module, function.name, function.file, function.line);
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "__device__ inline {} {}({}) {{\n{}}}\n// end of {}\n",
        text(&function.output),
        name(function),
        parameters.join(", "),
        emitter.text,
        function.name
    );
    Ok((out, emitter.methods))
}

/// Where the value of an expression goes.
enum Sink {
    /// It is the function's result.
    Return,
    /// It is assigned; a tuple to as many.
    Variables(Vec<String>),
    /// It is not used.
    Nowhere,
}

/// Writes one function.
struct Emitter<'a> {
    function: &'static Def,
    body: &'a Body,
    types: Types,
    /// The names of locals and of constants in C++.
    locals: Vec<String>,
    constants: Vec<String>,
    text: String,
    indent: usize,
    /// How often each name was given, so that no two variables share one.
    given: HashMap<String, usize>,
    /// The device methods that it calls.
    methods: Vec<&'static Def>,
}

impl Emitter<'_> {
    fn line(&mut self, text: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.indent);
    }

    /// Returns a name that no variable of this function has.
    fn fresh(&mut self, name: &str) -> String {
        let spelled = spelled(name.trim_start_matches('_'));
        let spelled = if spelled.is_empty() { "unused".to_string() } else { spelled };
        let count = self.given.entry(spelled.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { spelled } else { format!("{spelled}_{count}") }
    }

    /// Gives a local its name in C++.
    fn declare(&mut self, local: u32) -> String {
        let written = self.fresh(&self.body.locals[local as usize]);
        self.locals[local as usize].clone_from(&written);
        written
    }

    /// Writes a constant that the function reads, and returns its name.
    fn constant(&mut self, path: &str, value: &Value) -> String {
        let written = self.fresh(path.rsplit("::").next().unwrap_or(path));
        let (ty, mut words) = (text(&value.ty), value.words.iter().copied());
        match value.rows {
            Some(rows) => {
                let all: Vec<String> = (0..rows).map(|_| value_text(&value.ty, &mut words)).collect();
                self.line(&format!("static constexpr {ty} {written}_rows[] = {{{}}};", all.join(", ")));
                self.line(&format!("const Column<{ty}> {written} = {{{written}_rows, {rows}u}};"));
            }
            None => self.line(&format!("const {ty} {written} = {};", value_text(&value.ty, &mut words))),
        }
        written
    }

    fn type_of(&self, id: Id) -> String {
        text(&self.types.nodes[id as usize])
    }

    fn ty(&self, ty: Ty) -> Type {
        match ty {
            Ty::Scalar(scalar) => Type::Scalar(scalar),
            Ty::Named(at) => self.function.types[at as usize],
        }
    }

    /// Writes a block's statements, and puts its value where it goes.
    fn block(&mut self, id: Id, sink: &Sink) -> Result<()> {
        let Node::Block(statements, value) = self.body.node(id) else { return self.put(id, sink) };
        for &statement in self.body.list(statements) {
            self.put(statement, &Sink::Nowhere)?;
        }
        value.map_or(Ok(()), |value| self.put(value, sink))
    }

    /// Writes the text of `inner` in braces.
    fn braced(&mut self, head: &str, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.line(&format!("{head}{{"));
        self.indent += 1;
        inner(self)?;
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    /// Evaluates a node, and puts its value where it goes.
    fn put(&mut self, id: Id, sink: &Sink) -> Result<()> {
        match self.body.node(id) {
            Node::Nothing => {}
            Node::Block(..) => return self.braced("", |emitter| emitter.block(id, sink)),
            Node::If(condition, then, other) => {
                let condition = self.expr(condition)?;
                self.braced(&format!("if ({condition}) "), |emitter| emitter.block(then, sink))?;
                if let Some(other) = other {
                    return self.braced("else ", |emitter| emitter.block(other, sink));
                }
            }
            Node::Match(subject, arms) => return self.choice(subject, arms, sink),
            Node::For(local, start, end, block) => {
                let ty = text(&self.types.locals[local as usize]);
                let (first, last) = (self.expr(start)?, self.expr(end)?);
                let (written, limit, counter) = (self.declare(local), self.fresh("limit"), self.fresh("counter"));
                // The counter is the loop's own, as in Rust.
                let head = format!(
                    "for ({ty} {counter} = {first}, {limit} = {last}; {counter} < {limit}; {counter} = {ty}({counter} + 1)) "
                );
                return self.braced(&head, |emitter| {
                    emitter.line(&format!("{ty} {written} = {counter};"));
                    emitter.block(block, &Sink::Nowhere)
                });
            }
            Node::While(condition, block) => {
                return self.braced("while (true) ", |emitter| {
                    let condition = emitter.expr(condition)?;
                    emitter.line(&format!("if (!({condition})) break;"));
                    emitter.block(block, &Sink::Nowhere)
                });
            }
            Node::Break => self.line("break;"),
            Node::Continue => self.line("continue;"),
            Node::Return(value) => return self.put(value, &Sink::Return),
            Node::Let(local, _, value) => {
                let ty = text(&self.types.locals[local as usize]);
                // The value may read an older variable of the same name.
                let written = self.fresh(&self.body.locals[local as usize]);
                if self.body.is_branching(value) {
                    self.line(&format!("{ty} {written};"));
                    self.put(value, &Sink::Variables(vec![written.clone()]))?;
                } else {
                    let value = self.expr(value)?;
                    self.line(&format!("{ty} {written} = {value};"));
                }
                self.locals[local as usize] = written;
            }
            Node::LetTuple(locals, value) => {
                let mut variables = Vec::new();
                for &local in self.body.list(locals) {
                    let written = self.declare(local);
                    self.line(&format!("{} {written};", text(&self.types.locals[local as usize])));
                    variables.push(written);
                }
                return self.put(value, &Sink::Variables(variables));
            }
            Node::Assign(target, value) => {
                let target = self.expr(target)?;
                if self.body.is_branching(value) {
                    return self.put(value, &Sink::Variables(vec![target]));
                }
                let value = self.expr(value)?;
                self.line(&format!("{target} = {value};"));
            }
            Node::Update(op, target, value) => {
                let ty = self.type_of(target);
                let (target, value) = (self.expr(target)?, self.expr(value)?);
                self.line(&format!("{target} = {};", operation(op, &ty, &target, &value)));
            }
            Node::Tuple(parts) => return self.put_tuple(parts, sink),
            _ => return self.put_value(id, sink),
        }
        Ok(())
    }

    fn put_tuple(&mut self, parts: List, sink: &Sink) -> Result<()> {
        // All parts are evaluated before any is assigned: a new variable may hide an old one of its name.
        let parts = self.all(parts)?;
        match sink {
            Sink::Return => {
                let ty = text(&self.function.output);
                self.line(&format!("return {ty}{{{}}};", parts.join(", ")));
            }
            Sink::Variables(variables) => {
                for (part, target) in parts.iter().zip(variables) {
                    self.line(&format!("{target} = {part};"));
                }
            }
            Sink::Nowhere => {}
        }
        Ok(())
    }

    fn put_value(&mut self, id: Id, sink: &Sink) -> Result<()> {
        let value = self.expr(id)?;
        match sink {
            Sink::Return => self.line(&format!("return {value};")),
            Sink::Variables(variables) if variables.len() == 1 => self.line(&format!("{} = {value};", variables[0])),
            Sink::Variables(variables) => {
                let whole = self.fresh("tuple");
                self.line(&format!("const {} {whole} = {value};", self.type_of(id)));
                for (k, target) in variables.iter().enumerate() {
                    self.line(&format!("{target} = get<{k}>({whole});"));
                }
            }
            Sink::Nowhere => {}
        }
        Ok(())
    }

    fn choice(&mut self, chosen: Id, arms: List, sink: &Sink) -> Result<()> {
        let value = self.expr(chosen)?;
        let subject = self.fresh("chosen");
        self.line(&format!("const {} {subject} = {value};", self.type_of(chosen)));
        for (at, &arm) in self.body.list(arms).iter().enumerate() {
            let Node::Arm(pattern, value) = self.body.node(arm) else { continue };
            if let Node::Bind(local) = self.body.node(pattern) {
                self.locals[local as usize].clone_from(&subject);
            }
            let condition = self.pattern(pattern, &subject)?.map(|condition| format!("if ({condition}) "));
            let head = format!("{}{}", if at == 0 { "" } else { "else " }, condition.unwrap_or_default());
            self.braced(&head, |emitter| emitter.put(value, sink))?;
        }
        Ok(())
    }

    /// Returns when a pattern holds; nothing where it always does.
    fn pattern(&mut self, id: Id, subject: &str) -> Result<Option<String>> {
        Ok(Some(match self.body.node(id) {
            Node::Any | Node::Bind(_) => return Ok(None),
            Node::Range(start, end, is_closed) => {
                let mut parts = Vec::new();
                if let Some(start) = start {
                    parts.push(format!("{subject} >= {}", self.expr(start)?));
                }
                if let Some(end) = end {
                    parts.push(format!("{subject} {} {}", if is_closed { "<=" } else { "<" }, self.expr(end)?));
                }
                parts.join(" && ")
            }
            Node::Either(cases) => {
                let mut parts = Vec::new();
                for &case in self.body.list(cases) {
                    match self.pattern(case, subject)? {
                        Some(part) => parts.push(format!("({part})")),
                        None => return Ok(None),
                    }
                }
                parts.join(" || ")
            }
            _ => format!("{subject} == {}", self.expr(id)?),
        }))
    }

    /// Returns an expression in C++. Statements that it needs are written first.
    fn expr(&mut self, id: Id) -> Result<String> {
        Ok(match self.body.node(id) {
            Node::Boolean(truth) => truth.to_string(),
            Node::Int(bits, _) => literal(self.types.nodes[id as usize].scalar().unwrap_or(Scalar::I32), bits),
            Node::Float(bits, scalar) => literal(scalar, bits),
            Node::Local(local) => self.locals[local as usize].clone(),
            Node::Constant(constant) => self.constants[constant as usize].clone(),
            Node::Neg(value) => format!("neg({})", self.expr(value)?),
            Node::Not(value) => match (self.expr(value)?, self.type_of(value).as_str()) {
                (value, "bool") => format!("!({value})"),
                (value, ty) => format!("{ty}(~{value})"),
            },
            Node::Binary(op @ (Op::And | Op::Or), left, right) => self.short_circuit(op, left, right)?,
            Node::Binary(op, left, right) => {
                let ty = self.type_of(left);
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                operation(op, &ty, &left, &right)
            }
            Node::Cast(value, to) => match (self.type_of(value), text(&self.ty(to))) {
                (from, to) if from == to => self.expr(value)?,
                (_, to) => format!("cast<{to}>({})", self.expr(value)?),
            },
            Node::Index(column, row) => {
                let row = self.expr(row)?;
                format!("{}[{row}]", self.expr(column)?)
            }
            Node::Field(base, field) => format!("{}.{}", self.expr(base)?, spelled(self.body.name(field))),
            Node::Len(column) => format!("{}.size()", self.expr(column)?),
            Node::Call(function, arguments) => {
                format!("{}({})", name(self.function.calls[function as usize]), self.all(arguments)?.join(", "))
            }
            Node::Associated(ty, function, arguments) => {
                let arguments = self.all(arguments)?.join(", ");
                match self.ty(ty).method(self.body.name(function)) {
                    Some(function) => {
                        self.methods.push(function);
                        format!("{}({arguments})", name(function))
                    }
                    // An index or enum is its scalar.
                    None => arguments,
                }
            }
            Node::Method(receiver, method, arguments) => self.method(receiver, self.body.name(method), arguments)?,
            Node::Struct(ty, names, values) => {
                let ty = self.ty(ty);
                let mut parts = vec![String::new(); ty.fields().len()];
                for (&name, &value) in self.body.list(names).iter().zip(self.body.list(values)) {
                    let name = self.body.name(name);
                    let at = ty.fields().iter().position(|(field, _)| *field == name);
                    parts[at.unwrap_or_default()] = self.expr(value)?;
                }
                format!("{}{{{}}}", text(&ty), parts.join(", "))
            }
            Node::If(..) | Node::Match(..) | Node::Block(..) => {
                let variable = self.fresh("value");
                self.line(&format!("{} {variable};", self.type_of(id)));
                self.put(id, &Sink::Variables(vec![variable.clone()]))?;
                variable
            }
            other => return Err(failure(self.function, format!("{other:?} as a value"))),
        })
    }

    /// Returns several expressions.
    fn all(&mut self, list: List) -> Result<Vec<String>> {
        self.body.list(list).iter().map(|&id| self.expr(id)).collect()
    }

    /// Returns `left && right` or `left || right`. The right side is evaluated only where it counts.
    fn short_circuit(&mut self, op: Op, left: Id, right: Id) -> Result<String> {
        let left = self.expr(left)?;
        let before = std::mem::take(&mut self.text);
        let right = self.expr(right)?;
        let statements = std::mem::replace(&mut self.text, before);
        if statements.is_empty() {
            return Ok(format!("({left} {} {right})", if op == Op::And { "&&" } else { "||" }));
        }
        // The statements of the right side move into the branch.
        let variable = self.fresh("holds");
        self.line(&format!("bool {variable} = {left};"));
        self.line(&format!("if ({}{variable}) {{", if op == Op::And { "" } else { "!" }));
        self.text.push_str(&statements);
        self.line(&format!("{variable} = {right};"));
        self.line("}");
        Ok(variable)
    }

    fn method(&mut self, receiver: Id, method: &str, arguments: List) -> Result<String> {
        let of = self.types.nodes[receiver as usize];
        let mut all = vec![self.expr(receiver)?];
        all.append(&mut self.all(arguments)?);
        if let (Type::Newtype(_), Some(own)) = (of, methods::of_newtype(method)) {
            return Ok(match own {
                Own::Scalar => all.remove(0),
                Own::Index => format!("cast<usize>({})", all[0]),
                Own::IsNone => format!("({} == {})", all[0], literal(Scalar::U32, u32::MAX.into())),
                Own::Plus => format!("add({})", all.join(", ")),
                Own::Minus => format!("sub({})", all.join(", ")),
            });
        }
        let function = match (of.method(method), methods::of_scalar(method)) {
            (Some(function), _) => {
                self.methods.push(function);
                name(function)
            }
            (None, Some(method)) => method.function.to_string(),
            (None, None) => return Err(failure(self.function, format!("method `{method}`"))),
        };
        Ok(format!("{function}({})", all.join(", ")))
    }
}

/// Returns an operator on two values, of which the left one has type `ty`.
fn operation(op: Op, ty: &str, a: &str, b: &str) -> String {
    match op {
        Op::Add => format!("add({a}, {b})"),
        Op::Sub => format!("sub({a}, {b})"),
        Op::Mul => format!("mul({a}, {b})"),
        Op::Div => format!("div({a}, {b})"),
        Op::Rem => format!("rem({a}, {b})"),
        Op::Shl => format!("shl({a}, u32({b}))"),
        Op::Shr => format!("shr({a}, u32({b}))"),
        Op::BitAnd => format!("{ty}({a} & {b})"),
        Op::BitOr => format!("{ty}({a} | {b})"),
        Op::BitXor => format!("{ty}({a} ^ {b})"),
        Op::Equal => format!("({a} == {b})"),
        Op::NotEqual => format!("({a} != {b})"),
        Op::Less => format!("({a} < {b})"),
        Op::LessEqual => format!("({a} <= {b})"),
        Op::Greater => format!("({a} > {b})"),
        Op::GreaterEqual => format!("({a} >= {b})"),
        Op::And => format!("({a} && {b})"),
        Op::Or => format!("({a} || {b})"),
    }
}

/// Returns a scalar by its bits.
fn literal(ty: Scalar, bits: u64) -> String {
    let name = ty.name();
    match ty {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::F32 => {
            let value = f32::from_bits(bits as u32);
            if value.is_finite() && bits != 0x8000_0000 { format!("{value:?}f") } else { format!("from_bits({bits}u)") }
        }
        Scalar::F64 => {
            let value = f64::from_bits(bits);
            if value.is_finite() && bits != 1 << 63 { format!("{value:?}") } else { format!("from_bits({bits}ull)") }
        }
        // A pattern's literal may have the bits of a longer negative number.
        Scalar::I8 | Scalar::I16 | Scalar::I32 => format!("{name}({}u)", bits as u32),
        Scalar::I64 | Scalar::U64 | Scalar::Usize => format!("{name}({bits}ull)"),
        _ => format!("{name}({bits}u)"),
    }
}

/// Returns a constant that is not a table.
pub fn constant_text(value: &Value) -> String {
    value_text(&value.ty, &mut value.words.iter().copied())
}

/// Returns a value of a type, given by words.
fn value_text(ty: &Type, words: &mut impl Iterator<Item = u64>) -> String {
    match ty.scalar() {
        Some(scalar) => literal(scalar, words.next().unwrap_or_default()),
        None => {
            let fields: Vec<String> = ty.fields().iter().map(|(_, ty)| value_text(ty, words)).collect();
            format!("{}{{{}}}", text(ty), fields.join(", "))
        }
    }
}
