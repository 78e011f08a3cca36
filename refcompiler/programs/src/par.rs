//! Programs as Par.

use std::fmt::{self, Display, Formatter};

use refcompiler::ir::builtins::BUILTINS;

use crate::syntax::{Callee, Expr, Program, Stmt, Ty, operator};

/// The text of a function that yields the bits of a float by exact arithmetic alone; of every NaN the same.
pub const BITS: &str = "\
fn bits[x: float]: int {
    if x != x { return 0x7fc00000; }
    var sign = 0;
    var m = x;
    if x < 0.0 || (x == 0.0 && 1.0 / x < 0.0) { sign = 0x80000000; m = -x; }
    if m == 0.0 { return sign; }
    if m == 1.0 / 0.0 { return sign | 0x7f800000; }
    var e = 0;
    while m >= 16777216.0 { m = m * 0.5; e = e + 1; }
    while m < 8388608.0 && e > -149 { m = m * 2.0; e = e - 1; }
    if m < 8388608.0 { return sign | int(m); }
    return sign | (e + 150 << 23) | (int(m) & 0x7fffff);
}
";

fn type_name(ty: Ty) -> String {
    let rank = ty.rank() as usize;
    let element = if ty.element() == Ty::Int { "int" } else { "float" };
    format!("{}{element}{}", "[".repeat(rank), "]".repeat(rank))
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{BITS}")?;
        for (id, function) in self.functions.iter().enumerate() {
            if function.parent.is_none() {
                self.function(f, id, 0)?;
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl Program {
    fn function(&self, f: &mut Formatter<'_>, id: usize, indent: usize) -> fmt::Result {
        let function = &self.functions[id];
        write!(f, "{:indent$}fn {}[", "", function.name)?;
        for (k, &parameter) in function.parameters.iter().enumerate() {
            let variable = &self.variables[parameter];
            let (comma, star) = (if k > 0 { ", " } else { "" }, if variable.unique { "*" } else { "" });
            write!(f, "{comma}{}: {star}{}", variable.name, type_name(variable.ty))?;
        }
        write!(f, "]: {} ", function.result.map_or("void".to_string(), type_name))?;
        self.block(f, &function.body, indent)?;
        writeln!(f)
    }

    fn block(&self, f: &mut Formatter<'_>, body: &[Stmt], indent: usize) -> fmt::Result {
        writeln!(f, "{{")?;
        for stmt in body {
            self.stmt(f, stmt, indent + 4)?;
        }
        write!(f, "{:indent$}}}", "")
    }

    fn stmt(&self, f: &mut Formatter<'_>, stmt: &Stmt, indent: usize) -> fmt::Result {
        if let Stmt::Function(id) = stmt {
            return self.function(f, *id, indent);
        }
        write!(f, "{:indent$}", "")?;
        match stmt {
            Stmt::Expr(e) => {
                self.expr(f, e)?;
                writeln!(f, ";")
            }
            Stmt::Empty => writeln!(f, ";"),
            Stmt::Block(body) => {
                self.block(f, body, indent)?;
                writeln!(f)
            }
            Stmt::If(..) => {
                self.condition(f, stmt, "if", indent)?;
                writeln!(f)
            }
            Stmt::While(condition, body) => {
                write!(f, "while ")?;
                self.expr(f, condition)?;
                write!(f, " ")?;
                self.block(f, body, indent)?;
                writeln!(f)
            }
            Stmt::For(counter, iterations, body) => {
                write!(f, "for {} < ", self.variables[*counter].name)?;
                self.expr(f, iterations)?;
                write!(f, " ")?;
                self.block(f, body, indent)?;
                writeln!(f)
            }
            Stmt::Return(None) => writeln!(f, "return;"),
            Stmt::Return(Some(e)) => {
                write!(f, "return ")?;
                self.expr(f, e)?;
                writeln!(f, ";")
            }
            Stmt::Update(v, indices, e) => {
                write!(f, "{}[", self.variables[*v].name)?;
                self.list(f, indices)?;
                write!(f, "] = ")?;
                self.expr(f, e)?;
                writeln!(f, ";")
            }
            Stmt::Function(_) => Ok(()),
        }
    }

    fn condition(&self, f: &mut Formatter<'_>, stmt: &Stmt, keyword: &str, indent: usize) -> fmt::Result {
        let Stmt::If(condition, then, other) = stmt else { return Ok(()) };
        write!(f, "{keyword} ")?;
        self.expr(f, condition)?;
        write!(f, " ")?;
        self.block(f, then, indent)?;
        match other.as_deref() {
            None => Ok(()),
            Some([nested @ Stmt::If(..)]) => {
                write!(f, " ")?;
                self.condition(f, nested, "elif", indent)
            }
            Some(body) => {
                write!(f, " else ")?;
                self.block(f, body, indent)
            }
        }
    }

    /// With parentheses around all that has operands.
    fn expr(&self, f: &mut Formatter<'_>, expr: &Expr) -> fmt::Result {
        match expr {
            Expr::Int(value, true) => write!(f, "{:#x}", *value as u32),
            Expr::Int(value, false) if *value < 0 => write!(f, "(-{})", value.unsigned_abs()),
            Expr::Int(value, false) => write!(f, "{value}"),
            Expr::Float(text) => write!(f, "{text}"),
            Expr::Name(v) => write!(f, "{}", self.variables[*v].name),
            Expr::Assign(v, e) => {
                write!(f, "({} = ", self.variables[*v].name)?;
                self.expr(f, e)?;
                write!(f, ")")
            }
            Expr::Declare(v, e, typed) => {
                let variable = &self.variables[*v];
                write!(f, "(var {}", variable.name)?;
                if *typed || e.is_none() {
                    write!(f, ": {}", type_name(variable.ty))?;
                }
                if let Some(e) = e {
                    write!(f, " = ")?;
                    self.expr(f, e)?;
                }
                write!(f, ")")
            }
            Expr::Unary(op, e) => {
                write!(f, "({op}")?;
                self.expr(f, e)?;
                write!(f, ")")
            }
            Expr::Binary(kind, a, b) => {
                write!(f, "(")?;
                self.expr(f, a)?;
                write!(f, " {} ", operator(*kind).spelling)?;
                self.expr(f, b)?;
                write!(f, ")")
            }
            Expr::Cast(ty, e) => {
                write!(f, "{}(", type_name(*ty))?;
                self.expr(f, e)?;
                write!(f, ")")
            }
            Expr::Ascribe(ty, e) => {
                write!(f, "(")?;
                self.expr(f, e)?;
                write!(f, " : {})", type_name(*ty))
            }
            Expr::Choose(parts) => {
                for (part, before) in parts.iter().zip(["if[", ", ", ", "]) {
                    write!(f, "{before}")?;
                    self.expr(f, part)?;
                }
                write!(f, "]")
            }
            Expr::Call(callee, arguments) => {
                let name = match callee {
                    Callee::Own(id) => &self.functions[*id].name,
                    Callee::PrintInt => "print_int",
                    Callee::PrintFloat => "print_float",
                    Callee::PrintChar => "print_char",
                    Callee::Assert => "assert",
                    Callee::Bits => "bits",
                    Callee::Builtin(id) => BUILTINS[*id as usize].name,
                    Callee::Iota => "iota",
                    Callee::Copy => "copy",
                    Callee::Concat => "concat",
                };
                write!(f, "{name}[")?;
                self.list(f, arguments)?;
                write!(f, "]")
            }
            Expr::Array(rows) => {
                write!(f, "[")?;
                self.list(f, rows)?;
                write!(f, "]")
            }
            Expr::Index(a, indices) => {
                // A condition must not begin with an array.
                let has_parentheses = matches!(**a, Expr::Array(_));
                write!(f, "{}", if has_parentheses { "(" } else { "" })?;
                self.expr(f, a)?;
                write!(f, "{}[", if has_parentheses { ")" } else { "" })?;
                self.list(f, indices)?;
                write!(f, "]")
            }
            Expr::Size(a, k) => {
                write!(f, "size[")?;
                self.expr(f, a)?;
                if *k > 0 { write!(f, ", {k}]") } else { write!(f, "]") }
            }
            Expr::Replicate(parts) => {
                write!(f, "replicate[")?;
                self.list(f, &**parts)?;
                write!(f, "]")
            }
        }
    }

    /// With commas between.
    fn list(&self, f: &mut Formatter<'_>, all: &[Expr]) -> fmt::Result {
        for (k, e) in all.iter().enumerate() {
            write!(f, "{}", if k > 0 { ", " } else { "" })?;
            self.expr(f, e)?;
        }
        Ok(())
    }
}
