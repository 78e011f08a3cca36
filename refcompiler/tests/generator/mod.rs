//! Random valid programs, as syntax trees that print as Par and as C.

pub mod c;
pub mod par;
pub mod random;
pub mod shrink;

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Int,
    Float,
}

/// A variable: its id is its own, its name may hide another's.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    /// The function that it belongs to.
    pub function: usize,
}

#[derive(Clone, Debug)]
pub enum Expr {
    /// An int by its bits, written in decimal or hexadecimal.
    Int(i32, bool),
    /// A float as it is written.
    Float(&'static str),
    Name(usize),
    Assign(usize, Box<Expr>),
    /// With its value and whether its type is written; without, zero.
    Declare(usize, Option<Box<Expr>>, bool),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Cast(Ty, Box<Expr>),
    Ascribe(Ty, Box<Expr>),
    Call(Callee, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the program.
    Own(usize),
    PrintInt,
    PrintFloat,
    PrintChar,
    /// The bits of a float, by exact arithmetic.
    Bits,
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Expr(Expr),
    Empty,
    Block(Vec<Stmt>),
    /// Written with `elif` where the other part is one more of these.
    If(Expr, Vec<Stmt>, Option<Vec<Stmt>>),
    While(Expr, Vec<Stmt>),
    Return(Option<Expr>),
    /// A nested function stands here.
    Function(usize),
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<usize>,
    /// `None` for void.
    pub result: Option<Ty>,
    pub body: Vec<Stmt>,
    /// The function that it stands in.
    pub parent: Option<usize>,
}

/// A program; its last function at top level is `main`.
#[derive(Clone, Debug)]
pub struct Program {
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
}

impl Program {
    /// The type of a value.
    pub fn type_of(&self, expr: &Expr) -> Option<Ty> {
        Some(match expr {
            Expr::Int(..) => Ty::Int,
            Expr::Float(_) => Ty::Float,
            Expr::Name(v) | Expr::Assign(v, _) | Expr::Declare(v, _, _) => self.variables[*v].ty,
            Expr::Unary(_, e) => return self.type_of(e),
            Expr::Binary(op, a, _) => match *op {
                "+" | "-" | "*" | "/" | "%" => return self.type_of(a),
                _ => Ty::Int,
            },
            Expr::Cast(ty, _) | Expr::Ascribe(ty, _) => *ty,
            Expr::Call(Callee::Own(f), _) => return self.functions[*f].result,
            Expr::Call(Callee::Bits, _) => Ty::Int,
            Expr::Call(..) => return None,
        })
    }
}
