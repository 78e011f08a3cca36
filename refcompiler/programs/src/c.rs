//! Programs as C whose every behaviour is defined: each operation into a temporary of its own, in Par's order.

use std::fmt::Write;

use refcompiler::frontend::sequential::runtime_tree;
use refcompiler::ir::builtins::{BUILTINS, Builtin, BuiltinSet, is_for_arrays};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::tree::{runtime, ty};

use crate::read::program_of;
use crate::syntax::{Callee, Expr, Function, Program, Stmt, Ty, operator};

fn type_name(ty: Option<Ty>) -> &'static str {
    match ty {
        None => "void",
        Some(Ty::Int) => "int",
        Some(Ty::Float) => "float",
        Some(Ty::Ints(_) | Ty::Floats(_)) => "struct array",
    }
}

/// The value of a variable that has none.
fn zero(ty: Ty) -> String {
    if ty.rank() == 0 { "0".to_string() } else { "(struct array){{0}}".to_string() }
}

/// The bits of an element.
fn bits(element: Ty, value: &str) -> String {
    if element == Ty::Float { format!("par_bits({value})") } else { value.to_string() }
}

/// An element by its bits.
fn of_bits(element: Ty, bits: String) -> String {
    if element == Ty::Float { format!("par_float_of_bits({bits})") } else { bits }
}

/// What must stand before the C of programs.
pub const SUPPORT: &str = include_str!("support.c");

/// The C of one program; `main` is named `entry`. [`SUPPORT`] must stand before it, and [`library`] if it calls functions of
/// the runtime that compute.
pub fn c_text(program: &Program, entry: &str) -> String {
    let mut out = definitions(program, entry);
    let main = program.functions.iter().position(|f| f.name == "main").expect("a main");
    let _ = writeln!(out, "int {entry}(void) {{ return {entry}_f{main}(); }}");
    out
}

/// The C of the runtime's functions in Par that compute, as `par_exp` and so on. [`SUPPORT`] must stand before it.
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
                true => format!("{} a{p}", type_name(Some(program.variables[p].ty))),
                false => format!("a{p}"),
            });
            texts.collect::<Vec<_>>().join(", ")
        };
        let (result, name, typed) = (type_name(function.result), &function.name, parameters(true));
        let _ = writeln!(out, "{result} par_{name}({typed}) {{ return par_f{id}({}); }}", parameters(false));
    }
    out
}

/// The C of the functions of a program. Names begin with `entry`.
fn definitions(program: &Program, entry: &str) -> String {
    let mut out = String::new();
    // A function's variables stand in a struct, which functions inside it reach through a link.
    for (id, function) in program.functions.iter().enumerate() {
        let _ = write!(out, "struct {entry}_s{id} {{ ");
        if let Some(parent) = function.parent {
            let _ = write!(out, "struct {entry}_s{parent} *up; ");
        }
        for (v, variable) in program.variables.iter().enumerate() {
            if variable.function == id {
                let _ = write!(out, "{} v{v}; ", type_name(Some(variable.ty)));
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
        parameters.push(format!("{} a{p}", type_name(Some(program.variables[p].ty))));
    }
    let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
    format!("static {} {entry}_f{id}({parameters})", type_name(function.result))
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
        for stmt in self.here().body.clone() {
            self.stmt(&stmt);
        }
        self.line(format_args!("}}"));
    }

    fn block(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(e) => {
                self.expr(e);
            }
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
        let ty = type_name(Some(ty));
        self.line(format_args!("{ty} {name} = {value};"));
        name
    }

    /// Updates an element or a row: the variable becomes another array.
    fn update(&mut self, v: usize, indices: &[Expr], e: &Expr) {
        let ty = self.program.variables[v].ty;
        let place = self.place(v);
        let array = self.temporary(ty, &place);
        let at = self.position(&array, indices);
        let value = self.expr(e);
        let rank = ty.rank();
        let changed = match indices.len() {
            all if all == rank as usize => {
                format!("with_word({array}, {rank}, {at}, {})", bits(ty.element(), &value))
            }
            fixed => format!("with_row({array}, {rank}, {fixed}, {at}, {value})"),
        };
        self.line(format_args!("{place} = {changed};"));
    }

    /// Computes indices, each checked before the next; returns the number of the element or row.
    fn position(&mut self, array: &str, indices: &[Expr]) -> String {
        let mut at = self.temporary(Ty::Int, "0");
        for (k, index) in indices.iter().enumerate() {
            let index = self.expr(index);
            at = self.temporary(Ty::Int, &format!("{at} * {array}.n[{k}] + in_range({index}, {array}.n[{k}])"));
        }
        at
    }

    /// Computes an expression that only arrays have; returns its value.
    fn of_arrays(&mut self, expr: &Expr, ty: Ty) -> String {
        let rank = ty.rank();
        match expr {
            Expr::Array(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| self.expr(row)).collect();
                let n = rows.len();
                let made =
                    if rank == 1 { format!("words_of({n})") } else { format!("rows_of({rank}, {n}, {})", rows[0]) };
                let array = self.temporary(ty, &made);
                for (k, row) in rows.iter().enumerate() {
                    match rank {
                        1 => self.line(format_args!("{array}.w[{k}] = {};", bits(ty.element(), row))),
                        _ => self.line(format_args!("put_row({array}, {rank}, 1, {k}, {row});")),
                    }
                }
                array
            }
            Expr::Index(a, indices) => {
                let of = self.program.type_of(a).expect("an array");
                let array = self.expr(a);
                let at = self.position(&array, indices);
                match rank {
                    0 => of_bits(ty, format!("{array}.w[{at}]")),
                    _ => format!("row_of({array}, {}, {}, {at})", of.rank(), indices.len()),
                }
            }
            Expr::Replicate(parts) => {
                let n = self.expr(&parts[0]);
                self.line(format_args!("assert_that({n} >= 0);"));
                let value = self.expr(&parts[1]);
                match rank {
                    1 => format!("replicate_word({n}, {})", bits(ty.element(), &value)),
                    _ => format!("replicate_row({rank}, {n}, {value})"),
                }
            }
            Expr::Size(a, k) => {
                let array = self.expr(a);
                format!("{array}.n[{k}]")
            }
            _ => unreachable!("an expression of arrays"),
        }
    }

    /// Computes a conditional expression into a temporary; returns its name.
    fn choose(&mut self, [condition, then, other]: &[Expr; 3], ty: Ty) -> String {
        let condition = self.expr(condition);
        let name = self.temporary(ty, &zero(ty));
        for (part, before) in [(then, format!("if ({condition}) {{")), (other, "} else {".to_string())] {
            self.line(format_args!("{before}"));
            let value = self.expr(part);
            self.line(format_args!("{name} = {value};"));
        }
        self.line(format_args!("}}"));
        name
    }

    /// Computes an expression; returns the temporary that holds its value.
    fn expr(&mut self, expr: &Expr) -> String {
        let ty = self.program.type_of(expr);
        let value = match expr {
            Expr::Int(value, _) => format!("(int)0x{:x}u", *value as u32),
            Expr::Float(text) => format!("{text}f"),
            Expr::Name(v) => self.place(*v),
            Expr::Assign(v, e) => {
                let value = self.expr(e);
                let place = self.place(*v);
                self.line(format_args!("{place} = {value};"));
                value
            }
            Expr::Declare(v, e, _) => {
                let value = match e {
                    Some(e) => self.expr(e),
                    None => zero(self.program.variables[*v].ty),
                };
                let place = self.place(*v);
                self.line(format_args!("{place} = {value};"));
                place
            }
            Expr::Unary(op, e) => {
                let a = self.expr(e);
                match (*op, ty) {
                    ("-", Some(Ty::Int)) => format!("(int)(0u - (unsigned){a})"),
                    _ => format!("{op}{a}"),
                }
            }
            Expr::Binary(kind, a, b) => {
                let operands = self.program.type_of(a);
                let a = self.expr(a);
                let b = self.expr(b);
                binary(*kind, operands == Some(Ty::Float), &a, &b)
            }
            Expr::Cast(to, e) => {
                let from = self.program.type_of(e);
                let a = self.expr(e);
                match (from, to) {
                    (Some(Ty::Float), Ty::Int) => format!("to_int({a})"),
                    (Some(Ty::Int), Ty::Float) => format!("(float){a}"),
                    _ => a,
                }
            }
            Expr::Ascribe(_, e) => self.expr(e),
            Expr::Array(_) | Expr::Index(..) | Expr::Replicate(_) | Expr::Size(..) => {
                self.of_arrays(expr, ty.expect("a value"))
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
                    Callee::Builtin(runtime::ABS) => format!("par_abs_{}", type_name(ty)),
                    Callee::Builtin(id) => format!("par_{}", BUILTINS[*id as usize].name),
                    Callee::Iota => "iota".to_string(),
                    Callee::Copy => String::new(),
                    Callee::Concat => {
                        values.insert(0, ty.map_or(0, Ty::rank).to_string());
                        "concat".to_string()
                    }
                    Callee::Own(f) => {
                        if let Some(parent) = self.program.functions[*f].parent {
                            values.insert(0, self.frame(parent));
                        }
                        format!("{}_f{f}", self.entry)
                    }
                };
                format!("{name}({})", values.join(", "))
            }
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
