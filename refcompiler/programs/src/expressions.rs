//! Expressions of a type, of names in scope, and of calls that the budget allows.

use std::collections::HashSet;
use std::sync::LazyLock;

use refcompiler::ir::builtins::BUILTINS;
use refcompiler::ir::kinds::{Kind, OPERATORS, Operator};
use refcompiler::ir::operators::{Operands, Value};
use refcompiler::ir::tree::runtime;

use crate::draw::Generator;
use crate::syntax::{Callee, Expr, Ty, type_of_code};

/// Returns the binary operators for which `accepts` holds.
fn operators(accepts: impl Fn(&Operator) -> bool) -> Vec<Kind> {
    OPERATORS.iter().filter(|operator| accepts(operator)).map(|operator| operator.kind).collect()
}

fn is_comparison(operator: &Operator) -> bool {
    operator.kind.is_comparison()
}

fn is_of_floats(operator: &Operator) -> bool {
    (operator.operands, operator.value) == (Operands::Number, Value::Same)
}

static COMPARISONS: LazyLock<Vec<Kind>> = LazyLock::new(|| operators(is_comparison));
static INT_OPERATORS: LazyLock<Vec<Kind>> = LazyLock::new(|| operators(|operator| !is_comparison(operator)));

/// The operators on floats. `%` takes many steps, and is half as frequent as the others.
static FLOAT_OPERATORS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let mut all = operators(|operator| is_of_floats(operator) && operator.kind != Kind::Rem);
    all.extend(operators(is_of_floats));
    all
});

const INTS: [i32; 20] = [
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    31,
    32,
    100,
    2047,
    2048,
    -2048,
    -2049,
    4095,
    65535,
    0x7fff_ffff,
    i32::MIN,
    -1,
    1_234_567_890,
];
const FLOATS: [&str; 16] = [
    "0.0",
    "1.0",
    "2.0",
    "0.5",
    "3.25",
    "0.1",
    "100.0",
    "16777216.0",
    "1000000000.0",
    "0.000001",
    "1.5",
    "7.75",
    "340000000000000000000000000000000000000.0",
    "0.00000000000000000000000000000000000000000001",
    "2147483648.0",
    "12345.678",
];

/// Functions of the runtime that yield a float, and the steps that a call takes at most.
const BUILTIN_STEPS: [(u32, u64); 8] = [
    (runtime::SQRT, 2),
    (runtime::ABS, 2),
    (runtime::FLOOR, 40),
    (runtime::EXP, 1_500),
    (runtime::LOG, 2_000),
    (runtime::POW, 3_500),
    (runtime::SIN, 2_000),
    (runtime::COS, 2_000),
];

/// Floats with exponents.
const EXPONENTS: [&str; 8] = ["1.5e-3", "2.0e0", "1.0E+5", "3.25e10", "1.0e-45", "9.999e37", "1.25e-40", "0.00015E4"];

impl Generator {
    pub fn literal(&mut self, ty: Ty) -> Expr {
        match ty {
            Ty::Int => {
                let value = self.rng.one_of(&INTS);
                Expr::Int(value, self.rng.below(5) == 0)
            }
            Ty::Float if self.is_larger && self.rng.once_in(3) => Expr::Float(self.rng.one_of(&EXPONENTS).into()),
            Ty::Float => Expr::Float(self.rng.one_of(&FLOATS).into()),
            Ty::Composite(..) => self.composite(ty, 0),
            array => self.array_literal(array),
        }
    }

    /// An expression deeper to one side than there are registers.
    pub fn deep(&mut self) -> Expr {
        let ty = self.ty();
        let mut e = self.expr(ty, 1);
        let op = match ty {
            Ty::Int => self.rng.one_of(&[Kind::Add, Kind::Sub, Kind::Xor, Kind::Mul]),
            _ => self.rng.one_of(&[Kind::Add, Kind::Sub, Kind::Mul]),
        };
        let right = self.rng.below(2) == 0;
        for _ in 0..self.rng.one_of(&[5, 18, 30, 40]) {
            let other = Box::new(self.expr(ty, 0));
            e = if right { Expr::Binary(op, other, Box::new(e)) } else { Expr::Binary(op, Box::new(e), other) };
        }
        let of_type = self.assignable(ty);
        match of_type.last() {
            Some(&v) => Expr::Assign(v, Box::new(e)),
            None => e,
        }
    }

    /// Returns the last 30 visible variables of a type that no later variable of the same name hides.
    pub fn in_sight(&self, ty: Ty) -> Vec<usize> {
        let mut names = HashSet::new();
        let variable = |v: &usize| &self.program.variables[*v];
        let seen = self.visible.iter().rev().filter(|v| names.insert(&variable(v).name));
        let mut found: Vec<usize> = seen.filter(|v| variable(v).ty == ty).take(30).copied().collect();
        found.reverse();
        found
    }

    /// Returns the ones that can be assigned. A nested function does not assign the arrays around it.
    pub fn assignable(&self, ty: Ty) -> Vec<usize> {
        // A function that is an argument assigns nothing.
        if self.lambdas > 0 {
            return Vec::new();
        }
        let mut found = self.in_sight(ty);
        found.retain(|&v| {
            let variable = &self.program.variables[v];
            !variable.fixed && (!self.program.has_array(ty) || variable.function == self.function)
        });
        found
    }

    pub fn call(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
        let affordable = |g: &Generator, f: usize| g.spent + g.times * g.cost[f] < g.room;
        let fitting: Vec<usize> = self
            .callable
            .iter()
            .copied()
            .filter(|&f| self.program.functions[f].result == Some(ty) && affordable(self, f))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let f = self.rng.one_of(&fitting);
        self.spent += self.times * self.cost[f];
        let parameters = self.program.functions[f].parameters.clone();
        let mut arguments: Vec<Expr> = Vec::new();
        for parameter in parameters {
            let ty = self.program.variables[parameter].ty;
            arguments.push(self.expr(ty, depth.saturating_sub(1).min(2)));
        }
        // It may count down from its first argument.
        if let Some(first) = arguments.first_mut()
            && self.program.type_of(first) == Some(Ty::Int)
        {
            let e = std::mem::replace(first, Expr::Int(0, false));
            *first = Expr::Binary(Kind::And, Box::new(e), Box::new(Expr::Int(3, false)));
        }
        Some(Expr::Call(Callee::Own(f), arguments))
    }

    /// A call of a function of the runtime that yields a float.
    fn builtin(&mut self, depth: usize) -> Expr {
        let (id, steps) = self.rng.one_of(&BUILTIN_STEPS);
        self.spent += self.times * steps;
        let parameters = BUILTINS[id as usize].parameters.iter();
        let types = parameters.map(|&code| type_of_code(code).unwrap_or(Ty::Float));
        let arguments = types.map(|ty| self.expr(ty, depth.min(2)));
        Expr::Call(Callee::Builtin(id), arguments.collect())
    }

    pub fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        if matches!(ty, Ty::Composite(..)) {
            return self.composite(ty, depth);
        }
        if ty.rank() > 0 {
            return self.array(ty, depth);
        }
        self.spent += self.times;
        if depth == 0 || self.spent > self.room {
            let names = self.in_sight(ty);
            return if names.is_empty() || self.rng.below(3) == 0 {
                self.literal(ty)
            } else {
                Expr::Name(self.rng.one_of(&names))
            };
        }
        let depth = depth - 1;
        if self.has_builtins && self.rng.below(6) == 0 {
            return match ty {
                Ty::Float => self.builtin(depth),
                _ => Expr::Call(Callee::Builtin(runtime::ABS), vec![self.expr(ty, depth)]),
            };
        }
        if self.has_whole && self.rng.once_in(6) {
            let is_field = self.has_composites && self.rng.once_in(3);
            return if is_field { self.field_of_some(ty) } else { self.folded(ty, depth) };
        }
        if self.has_arrays && self.rng.once_in(5) {
            return self.element(ty, depth);
        }
        if self.is_larger && self.rng.once_in(10) {
            let condition = self.expr(Ty::Int, depth);
            return Expr::Choose(Box::new([condition, self.expr(ty, depth), self.expr(ty, depth)]));
        }
        match self.rng.below(16) {
            0 | 1 => self.expr(ty, 0),
            2 | 3 => self.call(ty, depth).unwrap_or_else(|| self.literal(ty)),
            4 => {
                let names = self.assignable(ty);
                let e = self.expr(ty, depth);
                match names.is_empty() {
                    true => e,
                    false => Expr::Assign(self.rng.one_of(&names), Box::new(e)),
                }
            }
            5 => {
                let from = self.ty();
                Expr::Cast(ty, Box::new(self.expr(from, depth)))
            }
            6 => Expr::Ascribe(ty, Box::new(self.expr(ty, depth))),
            7 => {
                let op = if ty == Ty::Int { self.rng.one_of(&["-", "!", "~"]) } else { "-" };
                Expr::Unary(op, Box::new(self.expr(ty, depth)))
            }
            8 | 9 if ty == Ty::Int => {
                let operands = self.ty();
                let op = self.rng.one_of(&COMPARISONS);
                let a = Box::new(self.expr(operands, depth));
                Expr::Binary(op, a, Box::new(self.expr(operands, depth)))
            }
            _ => {
                let op = self.rng.one_of(if ty == Ty::Int { &INT_OPERATORS } else { &FLOAT_OPERATORS });
                if op == Kind::Rem && ty == Ty::Float {
                    self.spent += self.times * 600;
                }
                let a = Box::new(self.expr(ty, depth));
                Expr::Binary(op, a, Box::new(self.expr(ty, depth)))
            }
        }
    }
}
