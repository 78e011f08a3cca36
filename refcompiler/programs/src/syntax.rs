//! Programs as syntax trees, which print as Par and as C.

use std::borrow::Cow;

use refcompiler::ir::builtins::BUILTINS;
use refcompiler::ir::kinds::{Kind, OPERATORS, Operator};
use refcompiler::ir::operators::{Operands, Value};
use refcompiler::ir::tree::{runtime, ty};

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// 32 bits.
    Int,
    /// 32 bits.
    Float,
    /// Arrays of ints, by their rank.
    Ints(u8),
    /// Arrays of floats, by their rank.
    Floats(u8),
}

impl Ty {
    /// The number of dimensions: 0 of a number.
    pub fn rank(self) -> u8 {
        match self {
            Ty::Int | Ty::Float => 0,
            Ty::Ints(rank) | Ty::Floats(rank) => rank,
        }
    }

    /// The type of the numbers in an array; of a number, its type.
    pub fn element(self) -> Ty {
        match self {
            Ty::Int | Ty::Ints(_) => Ty::Int,
            Ty::Float | Ty::Floats(_) => Ty::Float,
        }
    }

    /// The type of arrays of some rank with the elements of this type; its own for rank 0.
    pub fn of_rank(self, rank: u8) -> Ty {
        match (rank, self.element()) {
            (0, element) => element,
            (_, Ty::Int) => Ty::Ints(rank),
            _ => Ty::Floats(rank),
        }
    }
}

/// A variable: its id is its own, its name may hide another's.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The function that it belongs to.
    pub function: usize,
    /// `true` for what cannot be assigned: the counter of a `for`, and a parameter of array type that is not `unique`.
    pub fixed: bool,
    /// `true` for a parameter of a type with `*`.
    pub unique: bool,
}

/// What has a value, or is called for its effect.
#[derive(Clone, Debug)]
pub enum Expr {
    /// An int by its bits, written in decimal or hexadecimal.
    Int(i32, bool),
    /// A float as it is written.
    Float(Cow<'static, str>),
    /// A variable.
    Name(usize),
    /// Its new value.
    Assign(usize, Box<Expr>),
    /// With its value and whether its type is written; without, zero.
    Declare(usize, Option<Box<Expr>>, bool),
    /// By its operator.
    Unary(&'static str, Box<Expr>),
    /// By the kind of its operator.
    Binary(Kind, Box<Expr>, Box<Expr>),
    /// To another type.
    Cast(Ty, Box<Expr>),
    /// Of a type that is written.
    Ascribe(Ty, Box<Expr>),
    /// The second of three if the first is not 0, else the third.
    Choose(Box<[Expr; 3]>),
    /// With its arguments.
    Call(Callee, Vec<Expr>),
    /// Numbers or rows.
    Array(Vec<Expr>),
    /// An element or a row of an array.
    Index(Box<Expr>, Vec<Expr>),
    /// The extent of a dimension of an array.
    Size(Box<Expr>, u8),
    /// The first, a number, times the second.
    Replicate(Box<[Expr; 2]>),
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the program.
    Own(usize),
    /// Prints a number.
    PrintInt,
    /// Prints a number.
    PrintFloat,
    /// Prints a byte.
    PrintChar,
    /// Ends the program if its argument is 0.
    Assert,
    /// The bits of a float, by exact arithmetic.
    Bits,
    /// A function of the runtime by its id, of those with a result.
    Builtin(u32),
    /// The numbers below its argument.
    Iota,
    /// Its argument.
    Copy,
    /// The rows of both.
    Concat,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Whose value nobody takes.
    Expr(Expr),
    /// A semicolon.
    Empty,
    /// With names of its own.
    Block(Vec<Stmt>),
    /// Written with `elif` where the other part is one more of these.
    If(Expr, Vec<Stmt>, Option<Vec<Stmt>>),
    /// A loop.
    While(Expr, Vec<Stmt>),
    /// A loop that counts: the counter, the number of iterations, the body.
    For(usize, Expr, Vec<Stmt>),
    /// With the value, where the function has one.
    Return(Option<Expr>),
    /// An element or a row of a variable becomes a value.
    Update(usize, Vec<Expr>, Expr),
    /// A nested function stands here.
    Function(usize),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Variables that callers set.
    pub parameters: Vec<usize>,
    /// `None` for void.
    pub result: Option<Ty>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The function that it stands in.
    pub parent: Option<usize>,
}

/// A program; its last function at top level is `main`.
#[derive(Clone, Debug)]
pub struct Program {
    /// Variables by id.
    pub variables: Vec<Variable>,
    /// Functions by id.
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
            Expr::Choose(parts) => return self.type_of(&parts[1]),
            Expr::Binary(kind, a, _) => match (operator(*kind).operands, operator(*kind).value) {
                (Operands::Number, Value::Same) => return self.type_of(a),
                _ => Ty::Int,
            },
            Expr::Cast(ty, _) | Expr::Ascribe(ty, _) => *ty,
            Expr::Call(Callee::Own(f), _) => return self.functions[*f].result,
            Expr::Call(Callee::Bits, _) => Ty::Int,
            Expr::Call(Callee::Iota, _) => Ty::Ints(1),
            Expr::Call(Callee::Copy | Callee::Concat, arguments) => return self.type_of(&arguments[0]),
            Expr::Array(rows) => self.type_of(&rows[0]).map(|row| row.of_rank(row.rank() + 1))?,
            Expr::Index(a, indices) => self.type_of(a).map(|ty| ty.of_rank(ty.rank() - indices.len() as u8))?,
            Expr::Size(..) => Ty::Int,
            Expr::Replicate(parts) => self.type_of(&parts[1]).map(|row| row.of_rank(row.rank() + 1))?,
            Expr::Call(Callee::Builtin(runtime::ABS), arguments) => return self.type_of(&arguments[0]),
            Expr::Call(Callee::Builtin(id), _) => return type_of_code(BUILTINS[*id as usize].result),
            Expr::Call(..) => return None,
        })
    }
}

/// Returns the type with a code of the tree, `None` for void.
pub fn type_of_code(code: u8) -> Option<Ty> {
    match code {
        ty::INT => Some(Ty::Int),
        ty::FLOAT => Some(Ty::Float),
        _ => None,
    }
}

/// Returns the language's line about a binary operator.
pub fn operator(kind: Kind) -> &'static Operator {
    OPERATORS.iter().find(|operator| operator.kind == kind).expect("a binary operator")
}
