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
    /// Arrays of bytes, by their rank. Their elements are ints.
    Bytes(u8),
    /// Arrays of shorts, by their rank. Their elements are ints.
    Shorts(u8),
    /// A struct or a tuple, by its row in the program; arrays of them by their rank.
    Composite(u8, u8),
}

impl Ty {
    /// The number of dimensions: 0 of a number.
    pub fn rank(self) -> u8 {
        match self {
            Ty::Int | Ty::Float => 0,
            Ty::Ints(rank) | Ty::Floats(rank) | Ty::Bytes(rank) | Ty::Shorts(rank) | Ty::Composite(_, rank) => rank,
        }
    }

    /// The type of the elements of an array; of another type, itself.
    pub fn element(self) -> Ty {
        match self {
            Ty::Composite(row, _) => Ty::Composite(row, 0),
            Ty::Int | Ty::Ints(_) | Ty::Bytes(_) | Ty::Shorts(_) => Ty::Int,
            Ty::Float | Ty::Floats(_) => Ty::Float,
        }
    }

    /// `true` for arrays of bytes or shorts.
    pub fn is_narrow(self) -> bool {
        matches!(self, Ty::Bytes(_) | Ty::Shorts(_))
    }

    /// The type of arrays of some rank with the elements of this type; its own for rank 0.
    pub fn of_rank(self, rank: u8) -> Ty {
        match (rank, self.element()) {
            (1.., _) if self.is_narrow() => {
                if let Ty::Bytes(_) = self {
                    Ty::Bytes(rank)
                } else {
                    Ty::Shorts(rank)
                }
            }
            (rank, Ty::Composite(row, _)) => Ty::Composite(row, rank),
            (0, element) => element,
            (_, Ty::Int) => Ty::Ints(rank),
            _ => Ty::Floats(rank),
        }
    }
}

/// A variable: its id is its own, its name may hide another's.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Ty,
    /// The function that it belongs to.
    pub function: usize,
    /// `true` if it cannot be assigned: the counter of a `for`, and a parameter of array type that is not `unique`.
    pub fixed: bool,
    /// `true` for a parameter of a type with `*`.
    pub unique: bool,
    /// The sizes in its type, by dimension. None for a type without sizes.
    pub sizes: Vec<Option<Size>>,
}

/// A size in the type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A literal.
    Literal(i32),
    /// A variable. Its first occurrence in the head of a function declares it.
    Name(usize),
}

/// An expression: it has a value, or is called for its effect.
#[derive(Clone, Debug)]
pub enum Expr {
    /// An int by its bits, written in decimal or hexadecimal.
    Int(i32, bool),
    /// A float as it is written.
    Float(Cow<'static, str>),
    /// A variable.
    Name(usize),
    /// A variable that gets a new value.
    Assign(usize, Box<Expr>),
    /// With its value and whether its type is written; without, zero.
    Declare(usize, Option<Box<Expr>>, bool),
    /// By its operator.
    Unary(&'static str, Box<Expr>),
    /// By the kind of its operator.
    Binary(Kind, Box<Expr>, Box<Expr>),
    /// To another type.
    Cast(Ty, Box<Expr>),
    /// A value with its type.
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
    /// An operation with a function as its argument, and its values in the order of the source.
    Second(Second, Box<Lambda>, Vec<Expr>),
    /// The total of an array of numbers.
    Total(Total, Box<Expr>),
    /// The second of three where the first is not 0, else the third; of elements of arrays.
    Where(Box<[Expr; 3]>),
    /// A part of an array.
    Slice(Box<Expr>, Vec<Dim>),
    /// An array with its dimensions in another order. They are numbered as in the array, and listed as in the result.
    Perm(Box<Expr>, Vec<u8>),
    /// An array of numbers with other extents.
    Reshape(Box<Expr>, Vec<Expr>),
    /// A struct or a tuple, by its row in the program.
    Struct(u8, Vec<Expr>),
    /// A field of a struct, or of an array of them.
    Field(Box<Expr>, u8),
    /// Arrays as an array of tuples, of a row of the program.
    Zip(u8, Vec<Expr>),
    /// An array of tuples as a tuple of arrays, of a row of the program.
    Unzip(u8, Box<Expr>),
    /// An array and the number of elements in its first part, as a tuple of arrays, of a row of the program.
    Split(u8, Box<[Expr; 2]>),
}

impl Expr {
    /// The expressions in this one, in order.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Int(..) | Expr::Float(_) | Expr::Name(_) | Expr::Declare(_, None, _) => Vec::new(),
            Expr::Assign(_, a)
            | Expr::Declare(_, Some(a), _)
            | Expr::Unary(_, a)
            | Expr::Cast(_, a)
            | Expr::Ascribe(_, a)
            | Expr::Size(a, _)
            | Expr::Total(_, a)
            | Expr::Perm(a, _)
            | Expr::Field(a, _)
            | Expr::Unzip(_, a) => vec![a],
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::Choose(parts) | Expr::Where(parts) => parts.iter_mut().collect(),
            Expr::Replicate(parts) | Expr::Split(_, parts) => parts.iter_mut().collect(),
            Expr::Call(_, all) | Expr::Array(all) | Expr::Struct(_, all) | Expr::Zip(_, all) => {
                all.iter_mut().collect()
            }
            Expr::Index(a, rest) | Expr::Reshape(a, rest) => std::iter::once(&mut **a).chain(rest).collect(),
            Expr::Second(_, lambda, values) => {
                // The body of another form is fixed.
                let body = (lambda.form == Form::Lambda).then_some(&mut lambda.body);
                body.into_iter().chain(values).collect()
            }
            Expr::Slice(a, dims) => std::iter::once(&mut **a).chain(dims.iter_mut().flat_map(Dim::parts_mut)).collect(),
        }
    }
}

impl Dim {
    /// The expressions in a dimension.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Dim::All => Vec::new(),
            Dim::At(i) => vec![i],
            Dim::Range(low, high) => low.iter_mut().chain(high).collect(),
        }
    }
}

/// A reduction that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// The sum of numbers.
    Sum,
    /// The product of numbers.
    Product,
    /// The smallest int.
    Min,
    /// The greatest int.
    Max,
    /// 1 if all are true.
    All,
    /// 1 if one is true.
    Any,
    /// The number of true elements.
    Count,
}

/// An operation with a function as its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// Takes one or more arrays.
    Map,
    /// Takes a neutral element and an array.
    Reduce,
    /// The same, in order.
    Fold,
    /// The same, from the last element on.
    FoldRight,
    /// Takes a neutral element and one or more arrays. The operator of the parts is the first argument.
    Redomap(Kind),
    /// Takes a neutral element and an array.
    Scan,
    /// Takes an array.
    Filter,
    /// Takes a neutral element, a number of keys, keys and values.
    Group,
}

/// How a function is written where it is an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `fn[x: int]: int = e`.
    Lambda,
    /// `(+)`: the body is an operator on both parameters.
    Section,
    /// `f`: the body is a call of a function of the program, or of one of the language, with all parameters.
    Name,
}

/// A function that is an argument.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Variables that the operation sets.
    pub parameters: Vec<usize>,
    /// The value.
    pub body: Expr,
    /// How it is written.
    pub form: Form,
}

/// A dimension of a slice.
#[derive(Clone, Debug)]
pub enum Dim {
    /// `..`.
    All,
    /// An index.
    At(Expr),
    /// `lo..hi`. A missing bound is the end of the array.
    Range(Option<Expr>, Option<Expr>),
}

/// A function that is called.
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
    /// A copy of the argument.
    Copy,
    /// The rows of both.
    Concat,
    /// Prints any value, and a line end.
    Print,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// An expression whose value nobody takes.
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
    /// A part of a variable becomes a value.
    UpdateSlice(usize, Vec<Dim>, Expr),
    /// A field of a struct, or of an element of an array of structs, becomes a value: the variable, the indices, and each field in the
    /// one before.
    SetField(usize, Vec<Expr>, Vec<u8>, Expr),
    /// New variables for the fields of a tuple.
    Destructure(Vec<usize>, Expr),
    /// A nested function is declared here.
    Function(usize),
}

impl Stmt {
    /// The expressions in this statement, without those in its blocks, in order.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Stmt::Expr(e)
            | Stmt::If(e, ..)
            | Stmt::While(e, _)
            | Stmt::For(_, e, _)
            | Stmt::Return(Some(e))
            | Stmt::Destructure(_, e) => vec![e],
            Stmt::Update(_, indices, e) | Stmt::SetField(_, indices, _, e) => indices.iter_mut().chain([e]).collect(),
            Stmt::UpdateSlice(_, dims, e) => dims.iter_mut().flat_map(Dim::parts_mut).chain([e]).collect(),
            Stmt::Empty | Stmt::Block(_) | Stmt::Return(None) | Stmt::Function(_) => Vec::new(),
        }
    }

    /// The blocks in this statement, in order.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::Block(body) | Stmt::While(_, body) | Stmt::For(_, _, body) => vec![body],
            Stmt::If(_, then, other) => std::iter::once(then).chain(other).collect(),
            _ => Vec::new(),
        }
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// Variables that callers set.
    pub parameters: Vec<usize>,
    /// `None` for void.
    pub result: Option<Ty>,
    /// `true` for a result of a type with `*`.
    pub unique: bool,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The function around it.
    pub parent: Option<usize>,
}

/// A program; its last function at top level is `main`.
#[derive(Clone, Debug)]
pub struct Program {
    /// Variables by id.
    pub variables: Vec<Variable>,
    /// Functions by id.
    pub functions: Vec<Function>,
    /// Structs and tuples. A field has a type of an earlier row.
    pub composites: Vec<Composite>,
}

/// A struct or a tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Composite {
    /// The name, empty for a tuple.
    pub name: String,
    /// The types of its fields, which are named `a`, `b` and so on.
    pub fields: Vec<Ty>,
}

/// Returns the name of field k of a struct.
pub fn field_name(k: usize) -> char {
    (b'a' + k as u8) as char
}

impl Program {
    /// The type of a field of a struct or a tuple; of an array of them, of the array of the field.
    pub fn field(&self, ty: Ty, k: usize) -> Option<Ty> {
        let Ty::Composite(row, rank) = ty else { return None };
        let field = self.composites[row as usize].fields.get(k)?;
        Some(field.of_rank(field.rank() + rank))
    }

    /// Returns whether values of a type have arrays.
    pub fn has_array(&self, ty: Ty) -> bool {
        match ty {
            Ty::Composite(row, 0) => self.composites[row as usize].fields.iter().any(|&ty| self.has_array(ty)),
            ty => ty.rank() > 0,
        }
    }

    /// Returns whether values of a type are numbers, or structs or tuples of numbers only.
    pub fn is_flat(&self, ty: Ty) -> bool {
        match ty {
            Ty::Composite(row, 0) => self.composites[row as usize].fields.iter().all(|&field| self.is_flat(field)),
            ty => ty.rank() == 0,
        }
    }

    /// The type of a value.
    pub fn type_of(&self, expr: &Expr) -> Option<Ty> {
        Some(match expr {
            Expr::Int(..) => Ty::Int,
            Expr::Float(_) => Ty::Float,
            Expr::Name(v) | Expr::Assign(v, _) | Expr::Declare(v, _, _) => self.variables[*v].ty,
            Expr::Unary(_, e) => return self.type_of(e),
            Expr::Choose(parts) => return self.type_of(&parts[1]),
            Expr::Binary(kind, a, b) => {
                let (a, b) = (self.type_of(a)?, self.type_of(b)?);
                let narrow = [a, b].into_iter().find(|ty| ty.is_narrow());
                if let (Some(ty), Value::Same) = (narrow, operator(*kind).value)
                    && !matches!(*kind, Kind::Land | Kind::Lor)
                {
                    return Some(ty);
                }
                let element = match (operator(*kind).operands, operator(*kind).value) {
                    (Operands::Number, Value::Same) => a.element(),
                    _ => Ty::Int,
                };
                element.of_rank(a.rank().max(b.rank()))
            }
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
            Expr::Call(Callee::Builtin(id), arguments) => {
                let rank = arguments.iter().filter_map(|argument| self.type_of(argument)).map(Ty::rank).max();
                return type_of_code(BUILTINS[*id as usize].result).map(|ty| ty.of_rank(rank.unwrap_or(0)));
            }
            Expr::Second(second, lambda, values) => match second {
                Second::Map | Second::Scan => {
                    let row = self.type_of(&lambda.body)?;
                    row.of_rank(row.rank() + 1)
                }
                Second::Filter => return self.type_of(&values[0]),
                Second::Group => self.type_of(&values[0]).map(|row| row.of_rank(row.rank() + 1))?,
                _ => return self.type_of(&values[0]),
            },
            Expr::Total(_, a) => self.type_of(a)?.element(),
            Expr::Where(parts) => {
                let types = parts.iter().map(|part| self.type_of(part)).collect::<Option<Vec<_>>>()?;
                let narrow = types[1..].iter().copied().find(|ty| ty.is_narrow());
                narrow.unwrap_or(types[1]).of_rank(types.iter().map(|ty| ty.rank()).max()?)
            }
            Expr::Slice(a, dims) => {
                let ty = self.type_of(a)?;
                ty.of_rank(ty.rank() - dims.iter().filter(|dim| matches!(dim, Dim::At(_))).count() as u8)
            }
            Expr::Perm(a, _) => return self.type_of(a),
            Expr::Reshape(a, extents) => self.type_of(a)?.of_rank(extents.len() as u8),
            Expr::Struct(row, _) | Expr::Unzip(row, _) | Expr::Split(row, _) => Ty::Composite(*row, 0),
            Expr::Field(a, k) => return self.field(self.type_of(a)?, *k as usize),
            Expr::Zip(row, _) => Ty::Composite(*row, 1),
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
