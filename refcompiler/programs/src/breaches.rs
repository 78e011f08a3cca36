//! Programs that break one rule of uniqueness, at a known position.
//!
//! ```text
//! seed --whole_program--> a program that keeps the rules --plant--> one more block, which breaks one
//! ```

use refcompiler::ir::kinds::Kind;

use crate::draw::whole_program;
use crate::rng::Rng;
use crate::syntax::{Callee, Dim, Expr, Form, Function, Lambda, Program, Second, Stmt, Ty, Variable};

/// A token of the program's text: a name that only the planted block has, and how often the name comes before it.
pub type Token = (&'static str, usize);

/// A program that breaks one rule.
pub struct Planted {
    /// The program.
    pub program: Program,
    /// The code of the error.
    pub code: &'static str,
    /// The token that the error marks.
    pub token: Token,
    /// The other token that it names.
    pub other: Token,
}

/// Returns the program of a seed, which breaks one rule of uniqueness.
pub fn program_with_breach(seed: u64) -> Planted {
    let program = whole_program(seed);
    let mut rng = Rng::new(seed ^ 0x5eed);
    let function = rng.below(program.functions.len());
    let ty = rng.one_of(&[Ty::Int, Ty::Float]).of_rank(rng.one_of(&[1, 1, 2, 3]));
    let mut planting = Planting { rng, program, function, ty };
    let (block, code, token, other) = planting.block();
    let body = &mut planting.program.functions[function].body;
    // A statement after a `return` would not be executed.
    let end = body.iter().position(|stmt| matches!(stmt, Stmt::Return(_))).unwrap_or(body.len());
    let k = planting.rng.below(end + 1);
    body.insert(k, Stmt::Block(block));
    Planted { program: planting.program, code, token, other }
}

struct Planting {
    rng: Rng,
    program: Program,
    function: usize,
    /// The type of the arrays.
    ty: Ty,
}

type Block = (Vec<Stmt>, &'static str, Token, Token);

fn one(ty: Ty) -> Expr {
    match ty.rank() {
        0 if ty == Ty::Int => Expr::Int(1, false),
        0 => Expr::Float("1.0".into()),
        rank => Expr::Array(vec![one(ty.of_rank(rank - 1)), one(ty.of_rank(rank - 1))]),
    }
}

fn declare(v: usize, e: Expr) -> Stmt {
    Stmt::Expr(Expr::Declare(v, Some(Box::new(e)), false))
}

fn print(e: Expr) -> Stmt {
    Stmt::Expr(Expr::Call(Callee::PrintInt, vec![e]))
}

/// A read of a variable that no other value shares.
fn look(v: usize) -> Expr {
    Expr::Size(Box::new(Expr::Name(v)), 0)
}

fn zero() -> Expr {
    Expr::Int(0, false)
}

impl Planting {
    fn variable(&mut self, name: &str, ty: Ty, function: usize) -> usize {
        let variable = Variable { name: name.to_string(), ty, function, fixed: true, unique: false, sizes: Vec::new() };
        self.program.variables.push(variable);
        self.program.variables.len() - 1
    }

    /// A function in the block, without its body, and its parameter.
    fn helper(&mut self, result: Option<Ty>, unique: bool) -> (usize, usize) {
        let id = self.program.functions.len();
        let parent = Some(self.function);
        let parameter = self.variable("qp", self.ty, id);
        let (name, parameters) = ("qf".to_string(), vec![parameter]);
        self.program.functions.push(Function { name, parameters, result, unique, body: Vec::new(), parent });
        // `main` is the last function at the top level, and this is not one.
        (id, parameter)
    }

    /// A function that consumes its argument.
    fn taker(&mut self) -> usize {
        let (f, parameter) = self.helper(Some(Ty::Int), false);
        self.program.variables[parameter].unique = true;
        self.program.functions[f].body = vec![self.update(parameter), Stmt::Return(Some(look(parameter)))];
        f
    }

    fn update(&mut self, v: usize) -> Stmt {
        let rank = self.ty.rank();
        match self.rng.below(3) {
            0 => Stmt::Update(v, vec![zero()], one(self.ty.of_rank(rank - 1))),
            1 => Stmt::UpdateSlice(v, vec![Dim::Range(Some(zero()), Some(Expr::Int(1, false)))], self.first_row()),
            _ => Stmt::Update(v, vec![zero(); rank.into()], one(self.ty.element())),
        }
    }

    /// An array with one row.
    fn first_row(&self) -> Expr {
        Expr::Array(vec![one(self.ty.of_rank(self.ty.rank() - 1))])
    }

    /// A value that may share memory with a variable.
    fn alias(&mut self, v: usize) -> Expr {
        let (name, ty) = (Box::new(Expr::Name(v)), self.ty);
        match self.rng.below(7) {
            0 => Expr::Ascribe(ty, name),
            1 => Expr::Choose(Box::new([Expr::Int(1, false), *name, one(ty)])),
            2 => Expr::Choose(Box::new([zero(), one(ty), *name])),
            3 => Expr::Slice(name, vec![Dim::All]),
            4 => Expr::Call(Callee::Concat, vec![*name, one(ty)]),
            5 => {
                let rows = Expr::Replicate(Box::new([Expr::Int(2, false), *name]));
                Expr::Index(Box::new(rows), vec![zero()])
            }
            _ => *name,
        }
    }

    fn block(&mut self) -> Block {
        match self.rng.below(8) {
            0 => self.used_after_update(),
            1 => self.used_after_call(),
            2 => self.consumed_in_a_loop(),
            3 => self.parameter(),
            4 => self.shared(),
            5 => self.lambda(),
            6 => self.row(),
            _ => self.result(),
        }
    }

    fn used_after_update(&mut self) -> Block {
        let (a, b) = (self.variable("qa", self.ty, self.function), self.variable("qb", self.ty, self.function));
        let (alias, update) = (self.alias(a), self.update(a));
        (vec![declare(a, one(self.ty)), declare(b, alias), update, print(look(b))], "E0701", ("qb", 1), ("qa", 2))
    }

    fn used_after_call(&mut self) -> Block {
        let (a, b) = (self.variable("qa", self.ty, self.function), self.variable("qb", self.ty, self.function));
        let (alias, f) = (self.alias(a), self.taker());
        let call = Expr::Call(Callee::Own(f), vec![Expr::Name(a)]);
        let block = vec![Stmt::Function(f), declare(a, one(self.ty)), declare(b, alias), print(call), print(look(b))];
        (block, "E0701", ("qb", 1), ("qa", 2))
    }

    fn consumed_in_a_loop(&mut self) -> Block {
        let a = self.variable("qa", self.ty, self.function);
        let counter = self.variable("qi", Ty::Int, self.function);
        let f = self.taker();
        let call = print(Expr::Call(Callee::Own(f), vec![Expr::Name(a)]));
        let repeated = Stmt::For(counter, Expr::Int(2, false), vec![call]);
        (vec![Stmt::Function(f), declare(a, one(self.ty)), repeated], "E0701", ("qa", 1), ("qa", 1))
    }

    fn parameter(&mut self) -> Block {
        let (f, parameter) = self.helper(Some(Ty::Int), false);
        let b = self.variable("qb", self.ty, f);
        let (alias, update) = (self.alias(parameter), self.update(b));
        self.program.functions[f].body = vec![declare(b, alias), update, Stmt::Return(Some(look(b)))];
        let call = Expr::Call(Callee::Own(f), vec![one(self.ty)]);
        (vec![Stmt::Function(f), print(call)], "E0702", ("qb", 1), ("qp", 0))
    }

    fn shared(&mut self) -> Block {
        let (a, b) = (self.variable("qa", self.ty, self.function), self.variable("qb", self.ty, self.function));
        let (f, _) = self.helper(Some(Ty::Int), false);
        self.program.functions[f].body = vec![Stmt::Return(Some(look(a)))];
        let (alias, update) = (self.alias(a), self.update(b));
        let call = Expr::Call(Callee::Own(f), vec![one(self.ty)]);
        let block =
            vec![declare(a, one(self.ty)), Stmt::Function(f), declare(b, alias), update, print(call), print(look(b))];
        (block, "E0702", ("qb", 1), ("qa", 0))
    }

    fn lambda(&mut self) -> Block {
        let a = self.variable("qa", self.ty, self.function);
        let x = self.variable("qx", Ty::Int, self.function);
        let f = self.taker();
        let call = Expr::Call(Callee::Own(f), vec![Expr::Name(a)]);
        let body = Expr::Binary(Kind::Add, Box::new(Expr::Name(x)), Box::new(call));
        let lambda = Box::new(Lambda { parameters: vec![x], body, form: Form::Lambda });
        let map = Expr::Second(Second::Map, lambda, vec![one(Ty::Ints(1))]);
        let block = vec![Stmt::Function(f), declare(a, one(self.ty)), print(Expr::Size(Box::new(map), 0))];
        (block, "E0702", ("qa", 1), ("qa", 1))
    }

    fn row(&mut self) -> Block {
        self.ty = self.ty.of_rank(2);
        let a = self.variable("qa", self.ty, self.function);
        let row = Expr::Index(Box::new(Expr::Name(a)), vec![Expr::Int(1, false)]);
        let update = Stmt::Update(a, vec![zero()], row);
        (vec![declare(a, one(self.ty)), update, print(look(a))], "E0703", ("qa", 2), ("qa", 1))
    }

    fn result(&mut self) -> Block {
        let (f, parameter) = self.helper(Some(self.ty), true);
        let b = self.variable("qb", self.ty, f);
        let alias = self.alias(parameter);
        self.program.functions[f].body = vec![declare(b, alias), Stmt::Return(Some(Expr::Name(b)))];
        let call = Expr::Call(Callee::Own(f), vec![one(self.ty)]);
        let block = vec![Stmt::Function(f), print(Expr::Size(Box::new(call), 0))];
        (block, "E0704", ("qb", 1), ("qp", 0))
    }
}
