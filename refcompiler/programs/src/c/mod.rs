//! Programs as C whose every behaviour is defined: each operation into a temporary of its own, in Par's order.

use std::fmt::Write;

use refcompiler::frontend::sequential::runtime_tree;
use refcompiler::ir::builtins::{BUILTINS, Builtin, BuiltinSet, is_for_arrays};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::tree::{runtime, ty};

use crate::read::program_of;
use crate::syntax::{Callee, Expr, Function, Program, Size, Stmt, Ty, operator};

mod arrays;

/// The name of a type. Names of structs begin with `entry`.
fn type_name(entry: &str, ty: Option<Ty>) -> String {
    match ty {
        None => "void".to_string(),
        Some(Ty::Int) => "int".to_string(),
        Some(Ty::Float) => "float".to_string(),
        Some(Ty::Ints(_) | Ty::Floats(_) | Ty::Bytes(_) | Ty::Shorts(_)) => "struct array".to_string(),
        Some(Ty::Composite(row, rank)) => format!("struct {entry}_c{row}r{rank}"),
    }
}

/// The value of a variable that has none.
fn zero(entry: &str, ty: Ty) -> String {
    match ty {
        Ty::Int | Ty::Float => "0".to_string(),
        ty => format!("({}){{0}}", type_name(entry, Some(ty))),
    }
}

/// The bits of an element.
fn bits(element: Ty, value: &str) -> String {
    if element == Ty::Float { format!("par_bits({value})") } else { value.to_string() }
}

/// An element by its bits.
fn of_bits(element: Ty, bits: String) -> String {
    if element == Ty::Float { format!("par_float_of_bits({bits})") } else { bits }
}

/// An int as an element of arrays of a type, of which C keeps each in a word.
fn cut(array: Ty, value: String) -> String {
    match array {
        Ty::Bytes(_) => format!("(({value}) & 0xff)"),
        Ty::Shorts(_) => format!("(short)({value})"),
        _ => value,
    }
}

/// The greatest rank of arrays of structs or tuples.
const MAX_RANK: u8 = 5;

/// Functions and types that come before the C of programs.
pub const SUPPORT: &str = include_str!("../support.c");

/// The C of one program; `main` is named `entry`. [`SUPPORT`] comes before it, and [`library`] if it calls functions of
/// the runtime that compute.
pub fn c_text(program: &Program, entry: &str) -> String {
    let mut out = definitions(program, entry);
    let main = program.functions.iter().position(|f| f.name == "main").expect("a main");
    let _ = writeln!(out, "int {entry}(void) {{ return {entry}_f{main}(); }}");
    out
}

/// The C of the runtime's functions in Par that compute, as `par_exp` and so on. [`SUPPORT`] comes before it.
pub fn library() -> String {
    let reads = |id| matches!(id, runtime::READ_INT | runtime::READ_FLOAT);
    let computes = |builtin: &&Builtin| {
        let is_number = builtin.text.is_some() && builtin.result != ty::VOID;
        is_number && !reads(builtin.id) && !is_for_arrays(builtin)
    };
    let used = BUILTINS.iter().filter(computes).map(|builtin| builtin.id).collect::<Vec<_>>();
    let program = program_of(runtime_tree(BuiltinSet::of(&used)));
    let mut out = definitions(&program, "par");
    for (id, function) in program.functions.iter().enumerate().filter(|(_, function)| function.parent.is_none()) {
        let parameters = |with_types: bool| {
            let texts = function.parameters.iter().map(|&p| match with_types {
                true => format!("{} a{p}", type_name("par", Some(program.variables[p].ty))),
                false => format!("a{p}"),
            });
            texts.collect::<Vec<_>>().join(", ")
        };
        let (result, name, typed) = (type_name("par", function.result), &function.name, parameters(true));
        let _ = writeln!(out, "{result} par_{name}({typed}) {{ return par_f{id}({}); }}", parameters(false));
    }
    out
}

/// Returns whether C has a type: all arrays of structs or tuples in it have few dimensions.
fn is_defined(program: &Program, ty: Ty) -> bool {
    let Ty::Composite(row, rank) = ty else { return true };
    let fields = 0..program.composites[row as usize].fields.len();
    rank <= MAX_RANK && fields.filter_map(|k| program.field(ty, k)).all(|field| is_defined(program, field))
}

/// The C of the functions of a program. Names begin with `entry`.
fn definitions(program: &Program, entry: &str) -> String {
    let mut out = String::new();
    // Structs and tuples, and arrays of them by rank.
    for (row, composite) in program.composites.iter().enumerate() {
        for rank in (0..=MAX_RANK).filter(|&rank| is_defined(program, Ty::Composite(row as u8, rank))) {
            let _ = write!(out, "struct {entry}_c{row}r{rank} {{ ");
            for k in 0..composite.fields.len() {
                let field = program.field(Ty::Composite(row as u8, rank), k);
                let _ = write!(out, "{} f{k}; ", type_name(entry, field));
            }
            let _ = writeln!(out, "}};");
        }
    }
    // A function's variables are in a struct, which functions inside it reach through a link.
    for (id, function) in program.functions.iter().enumerate() {
        let _ = write!(out, "struct {entry}_s{id} {{ ");
        if let Some(parent) = function.parent {
            let _ = write!(out, "struct {entry}_s{parent} *up; ");
        }
        for (v, variable) in program.variables.iter().enumerate() {
            if variable.function == id {
                let _ = write!(out, "{} v{v}; ", type_name(entry, Some(variable.ty)));
            }
        }
        let _ = writeln!(out, "int unused; }};");
    }
    for id in 0..program.functions.len() {
        let _ = writeln!(out, "{};", head(program, id, entry));
    }
    for id in 0..program.functions.len() {
        let mut writer = Writer { program, function: id, entry, out: String::new(), temporaries: 0 };
        writer.function();
        out.push_str(&writer.out);
    }
    out
}

fn head(program: &Program, id: usize, entry: &str) -> String {
    let function = &program.functions[id];
    let mut parameters: Vec<String> = Vec::new();
    if let Some(parent) = function.parent {
        parameters.push(format!("struct {entry}_s{parent} *up"));
    }
    for &p in &function.parameters {
        parameters.push(format!("{} a{p}", type_name(entry, Some(program.variables[p].ty))));
    }
    let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
    format!("static {} {entry}_f{id}({parameters})", type_name(entry, function.result))
}

struct Writer<'a> {
    program: &'a Program,
    function: usize,
    entry: &'a str,
    out: String,
    temporaries: usize,
}

impl Writer<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{line}");
    }

    fn here(&self) -> &Function {
        &self.program.functions[self.function]
    }

    fn function(&mut self) {
        let (id, entry) = (self.function, self.entry);
        let head = head(self.program, id, entry);
        self.line(format_args!("{head} {{ struct {entry}_s{id} s; (void)&s;"));
        if self.here().parent.is_some() {
            self.line(format_args!("s.up = up;"));
        }
        for p in self.here().parameters.clone() {
            self.line(format_args!("s.v{p} = a{p};"));
        }
        let mut known = Vec::new();
        for p in self.here().parameters.clone() {
            self.sizes(p, &mut known);
        }
        for stmt in self.here().body.clone() {
            self.stmt(&stmt);
        }
        self.line(format_args!("}}"));
    }

    /// Checks the extents of a parameter, and sets the sizes that are not `known` yet.
    fn sizes(&mut self, parameter: usize, known: &mut Vec<usize>) {
        let variable = &self.program.variables[parameter];
        for k in (0..variable.sizes.len()).rev() {
            match variable.sizes[k] {
                Some(Size::Name(v)) if !known.contains(&v) => {
                    known.push(v);
                    self.line(format_args!("s.v{v} = a{parameter}.n[{k}];"));
                }
                size => self.check_size(size, &format!("a{parameter}"), k),
            }
        }
    }

    /// Checks the extent of dimension k of an array.
    fn check_size(&mut self, size: Option<Size>, array: &str, k: usize) {
        if let Some(size) = size {
            let size = self.size(size);
            self.line(format_args!("assert_that({array}.n[{k}] == {size});"));
        }
    }

    fn size(&self, size: Size) -> String {
        match size {
            Size::Literal(n) => n.to_string(),
            Size::Name(v) => self.place(v),
        }
    }

    /// Returns an array of zeros that has the sizes of a variable.
    fn zeros(&mut self, v: usize) -> String {
        let variable = &self.program.variables[v];
        let mut value = "0".to_string();
        for k in (0..variable.sizes.len()).rev() {
            let n = self.size(variable.sizes[k].expect("all sizes"));
            let ty = variable.ty.of_rank((variable.sizes.len() - k) as u8);
            self.line(format_args!("assert_that({n} >= 0);"));
            value = self.replicate(ty, &n, &value);
        }
        value
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            // Without a temporary: nothing reads the value.
            Stmt::Expr(Expr::Assign(v, e)) => drop(self.assign(*v, e)),
            Stmt::Expr(Expr::Declare(v, e, _)) => drop(self.declare(*v, e.as_deref())),
            Stmt::Expr(e) => drop(self.expr(e)),
            Stmt::Empty | Stmt::Function(_) => {}
            Stmt::Block(body) => self.block(body),
            Stmt::If(condition, then, other) => {
                let c = self.expr(condition);
                self.line(format_args!("if ({c}) {{"));
                self.block(then);
                self.line(format_args!("}} else {{"));
                self.block(other.as_deref().unwrap_or(&[]));
                self.line(format_args!("}}"));
            }
            Stmt::While(condition, body) => {
                self.line(format_args!("for (;;) {{"));
                let c = self.expr(condition);
                self.line(format_args!("if (!{c}) break;"));
                self.block(body);
                self.line(format_args!("}}"));
            }
            Stmt::For(counter, iterations, body) => {
                let n = self.expr(iterations);
                let i = self.place(*counter);
                self.line(format_args!("for ({i} = 0; {i} < {n}; {i} = {i} + 1) {{"));
                self.block(body);
                self.line(format_args!("}}"));
            }
            Stmt::Update(v, indices, e) => self.update(*v, indices, e),
            Stmt::SetField(v, indices, path, e) => self.set_field(*v, indices, path, e),
            Stmt::UpdateSlice(v, dims, e) => self.update_slice(*v, dims, e),
            Stmt::Destructure(variables, e) => {
                let value = self.expr(e);
                for (k, &v) in variables.iter().enumerate() {
                    let place = self.place(v);
                    self.line(format_args!("{place} = {value}.f{k};"));
                }
            }
            Stmt::Return(None) => self.line(format_args!("return;")),
            Stmt::Return(Some(e)) => {
                let value = self.expr(e);
                self.line(format_args!("return {value};"));
            }
        }
    }

    /// The path to the variables of `function`, seen from here.
    fn frame(&self, function: usize) -> String {
        let mut path = "(&s)".to_string();
        let mut at = self.function;
        while at != function {
            path.push_str("->up");
            at = self.program.functions[at].parent.expect("a function around");
        }
        path
    }

    fn place(&self, v: usize) -> String {
        format!("{}->v{v}", self.frame(self.program.variables[v].function))
    }

    /// Computes a value into a temporary; returns its name.
    fn temporary(&mut self, ty: Ty, value: &str) -> String {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        let ty = type_name(self.entry, Some(ty));
        self.line(format_args!("{ty} {name} = {value};"));
        name
    }

    /// Computes a conditional expression into a temporary; returns its name.
    fn choose(&mut self, [condition, then, other]: &[Expr; 3], ty: Ty) -> String {
        let condition = self.expr(condition);
        let name = self.temporary(ty, &zero(self.entry, ty));
        for (part, before) in [(then, format!("if ({condition}) {{")), (other, "} else {".to_string())] {
            self.line(format_args!("{before}"));
            let value = self.expr(part);
            self.line(format_args!("{name} = {value};"));
        }
        self.line(format_args!("}}"));
        name
    }

    /// Computes a value into a variable; returns the temporary that holds it.
    fn assign(&mut self, v: usize, e: &Expr) -> String {
        let value = self.expr(e);
        let place = self.place(v);
        self.line(format_args!("{place} = {value};"));
        value
    }

    /// Declares a variable, with zeros where there is no value; returns its place.
    fn declare(&mut self, v: usize, e: Option<&Expr>) -> String {
        let variable = &self.program.variables[v];
        let value = match e {
            Some(e) => self.expr(e),
            None if variable.sizes.is_empty() => zero(self.entry, variable.ty),
            None => self.zeros(v),
        };
        if e.is_some() {
            for k in (0..variable.sizes.len()).rev() {
                self.check_size(variable.sizes[k], &value, k);
            }
        }
        let place = self.place(v);
        self.line(format_args!("{place} = {value};"));
        place
    }

    /// Computes an expression; returns the temporary that holds its value.
    fn expr(&mut self, expr: &Expr) -> String {
        let ty = self.program.type_of(expr);
        let value = match expr {
            Expr::Int(value, _) => format!("(int)0x{:x}u", *value as u32),
            Expr::Float(text) => format!("{text}f"),
            Expr::Name(v) => self.place(*v),
            Expr::Assign(v, e) => self.assign(*v, e),
            Expr::Declare(v, e, _) => self.declare(*v, e.as_deref()),
            Expr::Unary(op, e) => {
                let element = ty.map(Ty::element);
                return self.elementwise(&[&**e], ty.expect("a value"), |operands| match (*op, element) {
                    ("-", Some(Ty::Int)) => format!("(int)(0u - (unsigned){})", operands[0]),
                    _ => format!("{op}{}", operands[0]),
                });
            }
            Expr::Binary(kind, a, b) => {
                let is_float = self.program.type_of(a).map(Ty::element) == Some(Ty::Float);
                let value = |operands: &[String]| binary(*kind, is_float, &operands[0], &operands[1]);
                return self.elementwise(&[&**a, &**b], ty.expect("a value"), value);
            }
            Expr::Cast(to, e) => {
                let from = self.program.type_of(e).map(Ty::element);
                return self.elementwise(&[&**e], *to, |operands| match (from, to.element()) {
                    (Some(Ty::Float), Ty::Int) => format!("to_int({})", operands[0]),
                    (Some(Ty::Int), Ty::Float) => format!("(float){}", operands[0]),
                    _ => operands[0].clone(),
                });
            }
            Expr::Where(parts) => {
                let value = |operands: &[String]| format!("{} ? {} : {}", operands[0], operands[1], operands[2]);
                return self.elementwise(&parts.iter().collect::<Vec<_>>(), ty.expect("a value"), value);
            }
            Expr::Ascribe(to, e) => {
                return match self.program.type_of(e) {
                    Some(from) if from != *to => self.elementwise(&[&**e], *to, |operands| operands[0].clone()),
                    _ => {
                        let value = self.expr(e);
                        self.temporary(*to, &value)
                    }
                };
            }
            Expr::Call(Callee::Builtin(id), arguments) => {
                let name = match *id {
                    runtime::ABS => {
                        format!("abs_{}", if ty.map(Ty::element) == Some(Ty::Int) { "int" } else { "float" })
                    }
                    id => BUILTINS[id as usize].name.to_string(),
                };
                let value = |operands: &[String]| format!("par_{name}({})", operands.join(", "));
                return self.elementwise(&arguments.iter().collect::<Vec<_>>(), ty.expect("a value"), value);
            }
            Expr::Call(Callee::Print, arguments) => {
                let value = self.expr(&arguments[0]);
                self.print(self.program.type_of(&arguments[0]).expect("a value"), &value);
                "print_char(10)".to_string()
            }
            Expr::Choose(parts) => return self.choose(parts, ty.expect("a value")),
            Expr::Call(callee, arguments) => {
                let mut values: Vec<String> = arguments.iter().map(|e| self.expr(e)).collect();
                let name = match callee {
                    Callee::PrintInt => "print_int".to_string(),
                    Callee::PrintFloat => "print_float".to_string(),
                    Callee::PrintChar => "print_char".to_string(),
                    Callee::Assert => "assert_that".to_string(),
                    Callee::Bits => "bits".to_string(),
                    Callee::Iota => "iota".to_string(),
                    Callee::Copy => String::new(),
                    Callee::Concat => return self.concat(ty.expect("a value"), &values),
                    Callee::Builtin(_) | Callee::Print => unreachable!("a case above"),
                    Callee::Own(f) => {
                        if let Some(parent) = self.program.functions[*f].parent {
                            values.insert(0, self.frame(parent));
                        }
                        format!("{}_f{f}", self.entry)
                    }
                };
                format!("{name}({})", values.join(", "))
            }
            _ => return self.of_arrays(expr, ty.expect("a value")),
        };
        match ty {
            Some(ty) => self.temporary(ty, &value),
            None => {
                self.line(format_args!("{value};"));
                String::new()
            }
        }
    }
}

fn binary(kind: Kind, is_float: bool, a: &str, b: &str) -> String {
    let op = operator(kind).spelling;
    match kind {
        Kind::Rem if is_float => format!("remainder_of({a}, {b})"),
        _ if is_float => format!("{a} {op} {b}"),
        Kind::Add | Kind::Sub | Kind::Mul => format!("(int)((unsigned){a} {op} (unsigned){b})"),
        Kind::Div => format!("divide({a}, {b})"),
        Kind::Rem => format!("modulo({a}, {b})"),
        Kind::Shl => format!("(int)((unsigned){a} << ({b} & 31))"),
        Kind::Shr => format!("{a} >> ({b} & 31)"),
        Kind::Ushr => format!("(int)((unsigned){a} >> ({b} & 31))"),
        Kind::Land | Kind::Lor => format!("({a} != 0) {op} ({b} != 0)"),
        // The other operators are C's.
        _ => format!("{a} {op} {b}"),
    }
}
