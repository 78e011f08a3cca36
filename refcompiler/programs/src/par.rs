//! Programs as Par.

use std::fmt::{self, Display, Formatter, Write};

use refcompiler::ir::builtins::BUILTINS;

use crate::syntax::{Callee, Dim, Expr, Form, Lambda, Program, Second, Size, Stmt, Total, Ty, field_name, operator};

/// The text of a function that yields the bits of a float by exact arithmetic only; of every NaN the same.
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

/// Returns one program that runs the program whose index it reads, a byte. Each has names of its own, as [`Program::renamed`] makes.
pub fn batch(programs: &[Program]) -> String {
    let mut text = format!("{BITS}\n");
    let mut choices = String::new();
    for (k, program) in programs.iter().enumerate() {
        let mut program = program.clone();
        for function in program.functions.iter_mut().filter(|function| function.name == "main") {
            function.name = format!("main{k}");
        }
        let _ = writeln!(text, "{}", Definitions(&program));
        let _ = writeln!(choices, "    if chosen == {k} {{ return main{k}[]; }}");
    }
    text + "fn main[]: int {\n    var chosen = read_char[];\n" + &choices + "    return 0;\n}\n"
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{BITS}\n{}", Definitions(self))
    }
}

/// The structs and functions of a program.
struct Definitions<'a>(&'a Program);

impl Display for Definitions<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.definitions(f)
    }
}

impl Program {
    /// Puts a word before the names of all structs, and of all functions at the top level except `main`.
    #[must_use]
    pub fn renamed(mut self, word: &str) -> Program {
        let structs = self.composites.iter_mut().map(|composite| &mut composite.name).filter(|name| !name.is_empty());
        let functions =
            self.functions.iter_mut().filter(|function| function.parent.is_none() && function.name != "main");
        structs.chain(functions.map(|function| &mut function.name)).for_each(|name| name.insert_str(0, word));
        self
    }

    fn definitions(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for composite in self.composites.iter().filter(|composite| !composite.name.is_empty()) {
            let fields = composite.fields.iter().enumerate();
            let fields = fields.map(|(k, &ty)| format!("{}: {}", field_name(k), self.type_name(ty)));
            writeln!(f, "struct {} {{ {} }}", composite.name, fields.collect::<Vec<_>>().join(", "))?;
        }
        for (id, function) in self.functions.iter().enumerate() {
            if function.parent.is_none() {
                self.function(f, id, 0)?;
                writeln!(f)?;
            }
        }
        Ok(())
    }

    fn type_name(&self, ty: Ty) -> String {
        self.sized_type_name(ty, &[])
    }

    /// Returns the name of a type with sizes, of as many dimensions as there are.
    fn sized_type_name(&self, ty: Ty, sizes: &[Option<Size>]) -> String {
        let element = match ty.element() {
            Ty::Composite(row, _) => {
                let composite = &self.composites[row as usize];
                let fields = composite.fields.iter().map(|&ty| self.type_name(ty)).collect::<Vec<_>>().join(", ");
                if composite.name.is_empty() { format!("({fields})") } else { composite.name.clone() }
            }
            _ if matches!(ty, Ty::Bytes(_)) => "byte".to_string(),
            _ if matches!(ty, Ty::Shorts(_)) => "short".to_string(),
            Ty::Int => "int".to_string(),
            _ => "float".to_string(),
        };
        let mut name = format!("{}{element}", "[".repeat(ty.rank().into()));
        // The size of the first dimension is the last.
        for k in (0..ty.rank() as usize).rev() {
            match sizes.get(k).copied().flatten() {
                None => {}
                Some(Size::Literal(n)) => name.push_str(&format!("; {n}")),
                Some(Size::Name(v)) => name.push_str(&format!("; {}", self.variables[v].name)),
            }
            name.push(']');
        }
        name
    }

    fn function(&self, f: &mut Formatter<'_>, id: usize, indent: usize) -> fmt::Result {
        let function = &self.functions[id];
        write!(f, "{:indent$}fn {}[", "", function.name)?;
        for (k, &parameter) in function.parameters.iter().enumerate() {
            let variable = &self.variables[parameter];
            let (comma, star) = (if k > 0 { ", " } else { "" }, if variable.unique { "*" } else { "" });
            write!(f, "{comma}{}: {star}{}", variable.name, self.sized_type_name(variable.ty, &variable.sizes))?;
        }
        let star = if function.unique { "*" } else { "" };
        write!(f, "]: {star}{} ", function.result.map_or("void".to_string(), |ty| self.type_name(ty)))?;
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
            Stmt::SetField(v, indices, path, e) => {
                write!(f, "{}", self.variables[*v].name)?;
                if !indices.is_empty() {
                    write!(f, "[")?;
                    self.list(f, indices)?;
                    write!(f, "]")?;
                }
                path.iter().try_for_each(|&k| write!(f, ".{}", field_name(k as usize)))?;
                write!(f, " = ")?;
                self.expr(f, e)?;
                writeln!(f, ";")
            }
            Stmt::UpdateSlice(v, dims, e) => {
                write!(f, "{}", self.variables[*v].name)?;
                self.dims(f, dims)?;
                write!(f, " = ")?;
                self.expr(f, e)?;
                writeln!(f, ";")
            }
            Stmt::Destructure(variables, e) => {
                let names = variables.iter().map(|&v| self.variables[v].name.as_str()).collect::<Vec<_>>();
                write!(f, "var ({}) = ", names.join(", "))?;
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
                    write!(f, ": {}", self.sized_type_name(variable.ty, &variable.sizes))?;
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
                write!(f, "{}(", self.type_name(ty.element()))?;
                self.expr(f, e)?;
                write!(f, ")")
            }
            Expr::Ascribe(ty, e) => {
                write!(f, "(")?;
                self.expr(f, e)?;
                write!(f, " : {})", self.type_name(*ty))
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
                    Callee::Print => "print",
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
                self.operand(f, a)?;
                write!(f, "[")?;
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
            Expr::Second(second, lambda, values) => {
                let name = match second {
                    Second::Map => "map",
                    Second::Reduce => "reduce",
                    Second::Fold => "fold",
                    Second::FoldRight => "foldr",
                    Second::Redomap(_) => "redomap",
                    Second::Scan => "scan",
                    Second::Filter => "filter",
                    Second::Group => "group",
                };
                write!(f, "{name}[")?;
                if let Second::Redomap(kind) = second {
                    write!(f, "({}), ", operator(*kind).spelling)?;
                }
                self.lambda(f, lambda)?;
                write!(f, ", ")?;
                self.list(f, values)?;
                write!(f, "]")
            }
            Expr::Total(total, a) => {
                let name = match total {
                    Total::Sum => "sum",
                    Total::Product => "product",
                    Total::Min => "min",
                    Total::Max => "max",
                    Total::All => "all",
                    Total::Any => "any",
                    Total::Count => "count",
                };
                write!(f, "{name}[")?;
                self.expr(f, a)?;
                write!(f, "]")
            }
            Expr::Where(parts) => {
                write!(f, "where[")?;
                self.list(f, &**parts)?;
                write!(f, "]")
            }
            Expr::Slice(a, dims) => {
                self.operand(f, a)?;
                self.dims(f, dims)
            }
            Expr::Perm(a, order) if order[..2] == [1, 0] && order[2..].iter().zip(2..).all(|(&k, n)| k == n) => {
                write!(f, "transpose[")?;
                self.expr(f, a)?;
                write!(f, "]")
            }
            Expr::Perm(a, order) => {
                write!(f, "perm[")?;
                self.expr(f, a)?;
                order.iter().try_for_each(|k| write!(f, ", {k}"))?;
                write!(f, "]")
            }
            Expr::Reshape(a, extents) => {
                write!(f, "reshape[")?;
                self.expr(f, a)?;
                write!(f, ", ")?;
                self.list(f, extents)?;
                write!(f, "]")
            }
            Expr::Struct(row, fields) => {
                let name = &self.composites[*row as usize].name;
                let (open, close) = if name.is_empty() { ('(', ')') } else { ('[', ']') };
                write!(f, "{name}{open}")?;
                self.list(f, fields)?;
                write!(f, "{close}")
            }
            Expr::Field(a, k) => {
                self.operand(f, a)?;
                write!(f, ".{}", field_name(*k as usize))
            }
            Expr::Zip(_, arrays) => {
                write!(f, "zip[")?;
                self.list(f, arrays)?;
                write!(f, "]")
            }
            Expr::Unzip(_, a) => {
                write!(f, "unzip[")?;
                self.expr(f, a)?;
                write!(f, "]")
            }
            Expr::Split(_, parts) => {
                write!(f, "split[")?;
                self.list(f, &**parts)?;
                write!(f, "]")
            }
        }
    }

    /// Prints an operand before brackets or a point: in parentheses, if it is a literal, with which no condition may begin.
    fn operand(&self, f: &mut Formatter<'_>, a: &Expr) -> fmt::Result {
        if !matches!(a, Expr::Array(_)) {
            return self.expr(f, a);
        }
        write!(f, "(")?;
        self.expr(f, a)?;
        write!(f, ")")
    }

    /// A function that is an argument.
    fn lambda(&self, f: &mut Formatter<'_>, lambda: &Lambda) -> fmt::Result {
        match (lambda.form, &lambda.body) {
            (Form::Section, Expr::Binary(kind, ..)) => write!(f, "({})", operator(*kind).spelling),
            (Form::Name, Expr::Call(Callee::Own(id), _)) => write!(f, "{}", self.functions[*id].name),
            (Form::Name, Expr::Call(Callee::Builtin(id), _)) => write!(f, "{}", BUILTINS[*id as usize].name),
            _ => {
                let parameters = lambda.parameters.iter().map(|&v| &self.variables[v]);
                let parameters = parameters.map(|v| format!("{}: {}", v.name, self.type_name(v.ty)));
                let result = self.type_of(&lambda.body).map_or("void".to_string(), |ty| self.type_name(ty));
                write!(f, "fn[{}]: {result} = ", parameters.collect::<Vec<_>>().join(", "))?;
                self.expr(f, &lambda.body)
            }
        }
    }

    /// The dimensions of a slice, in brackets.
    fn dims(&self, f: &mut Formatter<'_>, dims: &[Dim]) -> fmt::Result {
        for (k, dim) in dims.iter().enumerate() {
            write!(f, "{}", if k > 0 { ", " } else { "[" })?;
            match dim {
                Dim::All => write!(f, "..")?,
                Dim::At(i) => self.expr(f, i)?,
                Dim::Range(low, high) => {
                    low.iter().try_for_each(|low| self.expr(f, low))?;
                    write!(f, "..")?;
                    high.iter().try_for_each(|high| self.expr(f, high))?;
                }
            }
        }
        write!(f, "]")
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
