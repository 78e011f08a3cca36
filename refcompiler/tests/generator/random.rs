//! Programs from seeds.
//!
//! Every program ends: loops count to small bounds, functions call those that are complete, or themselves once with a
//! counter that falls. An estimate of the steps keeps the whole below a budget.

use super::{Callee, Expr, Function, Program, Stmt, Ty, Variable};

/// A generator of numbers: splitmix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

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

/// Steps that a program may take, as estimated.
const BUDGET: u64 = 30_000;

struct Generator {
    rng: Rng,
    program: Program,
    /// Variables that names mean here, innermost last.
    visible: Vec<usize>,
    /// Functions that may be called here.
    callable: Vec<usize>,
    /// Estimated steps of a call of each function.
    cost: Vec<u64>,
    function: usize,
    level: usize,
    /// How often the code at hand runs in a call of its function.
    times: u64,
    /// Steps of the function at hand so far.
    spent: u64,
    /// The greatest that `times * steps` may become.
    room: u64,
}

/// The program of a seed.
pub fn random(seed: u64) -> Program {
    let program = Program { variables: Vec::new(), functions: Vec::new() };
    let mut g = Generator {
        rng: Rng(seed),
        program,
        visible: Vec::new(),
        callable: Vec::new(),
        cost: Vec::new(),
        function: 0,
        level: 0,
        times: 1,
        spent: 0,
        room: BUDGET,
    };
    for k in 0..1 + g.rng.below(5) {
        let id = g.function(format!("f{k}"), None);
        g.callable.push(id);
    }
    g.main();
    g.program
}

impl Generator {
    fn ty(&mut self) -> Ty {
        self.rng.pick(&[Ty::Int, Ty::Int, Ty::Float])
    }

    fn new_variable(&mut self, ty: Ty, name: String) -> usize {
        self.program.variables.push(Variable { name, ty, function: self.function });
        self.program.variables.len() - 1
    }

    /// A function with a random signature and body.
    fn function(&mut self, name: String, parent: Option<usize>) -> usize {
        let id = self.program.functions.len();
        let result = self.rng.pick(&[None, Some(Ty::Int), Some(Ty::Int), Some(Ty::Float)]);
        let function = Function { name, parameters: Vec::new(), result, body: Vec::new(), parent };
        self.program.functions.push(function);
        self.cost.push(0);
        let outer = (self.function, self.times, self.spent, self.visible.len(), self.room);
        (self.function, self.times, self.spent) = (id, 1, 0);
        self.level += 1;
        self.room = if parent.is_some() { outer.4 / 20 } else { BUDGET / 12 };
        let recursive = self.rng.below(4) == 0;
        let count = self.rng.pick(&[0, 1, 2, 3, 5, 9, 12, 24]);
        for k in 0..count {
            let ty = if k == 0 && recursive { Ty::Int } else { self.ty() };
            let parameter = self.new_variable(ty, format!("p{k}"));
            self.program.functions[id].parameters.push(parameter);
            self.visible.push(parameter);
        }
        let recursive = recursive && count > 0;
        let mut body = Vec::new();
        if recursive {
            self.recursion(id, result, &mut body);
        }
        if self.rng.below(12) == 0 {
            // A frame beyond 2 KiB.
            for k in 0..600 {
                let ty = self.ty();
                let value = self.literal(ty);
                let v = self.new_variable(ty, format!("w{k}"));
                body.push(Stmt::Expr(Expr::Declare(v, Some(Box::new(value)), false)));
                self.visible.push(v);
            }
        }
        let size = self.rng.pick(&[2, 4, 8, 12]);
        let callable = self.callable.len();
        body.extend(self.open_statements(size, result));
        if recursive {
            self.spent *= 5;
        }
        if let Some(ty) = result {
            body.push(Stmt::Return(Some(self.expr(ty, 3))));
        }
        self.callable.truncate(callable);
        self.program.functions[id].body = body;
        self.cost[id] = self.spent + 5;
        self.level -= 1;
        let visible;
        (self.function, self.times, self.spent, visible, self.room) = outer;
        self.visible.truncate(visible);
        id
    }

    /// Begins a body that calls itself once, while its first parameter, which callers keep below 4, is positive.
    fn recursion(&mut self, id: usize, result: Option<Ty>, body: &mut Vec<Stmt>) {
        let parameters = self.program.functions[id].parameters.clone();
        let counter = || Box::new(Expr::Name(parameters[0]));
        let one = || Box::new(Expr::Int(1, false));
        let value = result.map(|ty| self.literal(ty));
        body.push(Stmt::If(Expr::Binary("<", counter(), one()), vec![Stmt::Return(value)], None));
        let mut arguments = vec![Expr::Binary("-", counter(), one())];
        for &parameter in &parameters[1..] {
            let ty = self.program.variables[parameter].ty;
            arguments.push(self.expr(ty, 1));
        }
        let call = Expr::Call(Callee::Own(id), arguments);
        body.push(Stmt::Expr(match result {
            None => call,
            Some(ty) => {
                let kept = self.new_variable(ty, "again".to_string());
                self.visible.push(kept);
                Expr::Declare(kept, Some(Box::new(call)), false)
            }
        }));
    }

    fn main(&mut self) {
        let id = self.program.functions.len();
        self.program.functions.push(Function {
            name: "main".to_string(),
            parameters: Vec::new(),
            result: Some(Ty::Int),
            body: Vec::new(),
            parent: None,
        });
        self.cost.push(0);
        (self.function, self.times, self.spent, self.level, self.room) = (id, 1, 0, 1, BUDGET);
        let mut body = self.open_statements(14, Some(Ty::Int));
        body.push(Stmt::Return(Some(self.expr(Ty::Int, 3))));
        self.program.functions[id].body = body;
    }

    /// Statements of one block.
    fn statements(&mut self, count: usize, result: Option<Ty>) -> Vec<Stmt> {
        let (visible, callable) = (self.visible.len(), self.callable.len());
        let body = self.open_statements(count, result);
        self.visible.truncate(visible);
        self.callable.truncate(callable);
        body
    }

    /// Statements of a block that goes on.
    fn open_statements(&mut self, count: usize, result: Option<Ty>) -> Vec<Stmt> {
        let first_own = self.program.variables.len();
        let mut body = Vec::new();
        for _ in 0..count {
            self.statement(&mut body, result, first_own);
        }
        body
    }

    /// Adds a variable of this block to what is visible; its name is new to the block.
    fn declare(&mut self, ty: Ty, first_own: usize) -> usize {
        let mut name = format!("v{}", self.rng.below(12));
        let taken = |g: &Generator, name: &str| g.program.variables[first_own..].iter().any(|v| v.name == name);
        if taken(self, &name) {
            name = format!("u{}", self.program.variables.len());
        }
        self.new_variable(ty, name)
    }

    fn statement(&mut self, body: &mut Vec<Stmt>, result: Option<Ty>, first_own: usize) {
        match self.rng.below(22) {
            0..=4 => {
                let ty = self.ty();
                let value = if self.rng.below(5) == 0 { None } else { Some(Box::new(self.expr(ty, 3))) };
                let v = self.declare(ty, first_own);
                let typed = self.rng.below(2) == 0;
                body.push(Stmt::Expr(Expr::Declare(v, value, typed)));
                self.visible.push(v);
            }
            5..=8 => {
                let ty = self.ty();
                let e = self.expr(ty, 4);
                body.push(Stmt::Expr(e));
            }
            9..=11 => self.print(body),
            12 | 13 if self.level < 5 => {
                let condition = self.expr(Ty::Int, 3);
                self.level += 1;
                let n = self.rng.below(4);
                let then = self.statements(n, result);
                let other = match self.rng.below(3) {
                    0 => None,
                    1 => Some(self.statements(2, result)),
                    _ => {
                        let condition = self.expr(Ty::Int, 2);
                        let (a, b) = (self.statements(1, result), self.statements(1, result));
                        Some(vec![Stmt::If(condition, a, Some(b))])
                    }
                };
                self.level -= 1;
                body.push(Stmt::If(condition, then, other));
            }
            14 | 15 if self.level < 5 => self.count(body, result),
            16 if self.level < 5 => {
                self.level += 1;
                let n = self.rng.below(4);
                let inner = self.statements(n, result);
                self.level -= 1;
                body.push(Stmt::Block(inner));
            }
            17 | 18 if self.level < 4 => {
                let name = format!("g{}", self.program.functions.len());
                let id = self.function(name, Some(self.function));
                body.push(Stmt::Function(id));
                self.callable.push(id);
            }
            19 => body.push(Stmt::Empty),
            20 if self.rng.below(4) == 0 => {
                // A return that is taken seldom.
                let condition = self.expr(Ty::Int, 2);
                let seven = Box::new(Expr::Int(7, false));
                let seldom = Expr::Binary("==", Box::new(Expr::Binary("%", Box::new(condition), seven.clone())), seven);
                let value = result.map(|ty| self.expr(ty, 2));
                body.push(Stmt::If(seldom, vec![Stmt::Return(value)], None));
            }
            21 if self.rng.below(3) == 0 => {
                body.push(Stmt::While(Expr::Int(0, false), vec![Stmt::Empty]));
            }
            _ => {
                let e = self.deep();
                body.push(Stmt::Expr(e));
            }
        }
    }

    fn print(&mut self, body: &mut Vec<Stmt>) {
        let call = match self.rng.below(3) {
            0 => {
                let e = self.expr(Ty::Float, 3);
                Expr::Call(Callee::PrintFloat, vec![e])
            }
            1 => {
                let e = self.expr(Ty::Float, 3);
                self.spent += self.times * 400;
                Expr::Call(Callee::PrintInt, vec![Expr::Call(Callee::Bits, vec![e])])
            }
            _ => {
                let e = self.expr(Ty::Int, 3);
                Expr::Call(Callee::PrintInt, vec![e])
            }
        };
        body.push(Stmt::Expr(call));
        body.push(Stmt::Expr(Expr::Call(Callee::PrintChar, vec![Expr::Int(10, false)])));
    }

    /// A loop that counts to a small bound.
    fn count(&mut self, body: &mut Vec<Stmt>, result: Option<Ty>) {
        let bound = 1 + self.rng.below(4);
        // Nothing else assigns this variable: it is in sight under no other loop's name.
        let counter = self.new_variable(Ty::Int, format!("i{}", self.program.variables.len()));
        body.push(Stmt::Expr(Expr::Declare(counter, Some(Box::new(Expr::Int(0, false))), false)));
        self.times *= bound as u64;
        self.level += 1;
        let n = 1 + self.rng.below(4);
        let mut inner = self.statements(n, result);
        self.level -= 1;
        self.times /= bound as u64;
        let next = Expr::Binary("+", Box::new(Expr::Name(counter)), Box::new(Expr::Int(1, false)));
        inner.push(Stmt::Expr(Expr::Assign(counter, Box::new(next))));
        let condition = Expr::Binary("<", Box::new(Expr::Name(counter)), Box::new(Expr::Int(bound as i32, false)));
        body.push(Stmt::While(condition, inner));
    }

    fn literal(&mut self, ty: Ty) -> Expr {
        match ty {
            Ty::Int => {
                let value = self.rng.pick(&INTS);
                Expr::Int(value, self.rng.below(5) == 0)
            }
            Ty::Float => Expr::Float(self.rng.pick(&FLOATS)),
        }
    }

    /// An expression deeper to one side than there are registers.
    fn deep(&mut self) -> Expr {
        let ty = self.ty();
        let mut e = self.expr(ty, 1);
        let op = if ty == Ty::Int { self.rng.pick(&["+", "-", "^", "*"]) } else { self.rng.pick(&["+", "-", "*"]) };
        let right = self.rng.below(2) == 0;
        for _ in 0..self.rng.pick(&[5, 18, 30, 40]) {
            let other = Box::new(self.expr(ty, 0));
            e = if right { Expr::Binary(op, other, Box::new(e)) } else { Expr::Binary(op, Box::new(e), other) };
        }
        let of_type: Vec<usize> = self.assignable(ty);
        match of_type.last() {
            Some(&v) => Expr::Assign(v, Box::new(e)),
            None => e,
        }
    }

    /// Variables of a type that their names mean here.
    fn in_sight(&self, ty: Ty) -> Vec<usize> {
        let variables = &self.program.variables;
        let mut found: Vec<usize> = Vec::new();
        for (k, &v) in self.visible.iter().enumerate() {
            let hidden = self.visible[k + 1..].iter().any(|&other| variables[other].name == variables[v].name);
            if variables[v].ty == ty && !hidden {
                found.push(v);
            }
        }
        if found.len() > 30 { found.split_off(found.len() - 30) } else { found }
    }

    fn assignable(&self, ty: Ty) -> Vec<usize> {
        self.in_sight(ty)
    }

    fn call(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
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
        let f = self.rng.pick(&fitting);
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
            *first = Expr::Binary("&", Box::new(e), Box::new(Expr::Int(3, false)));
        }
        Some(Expr::Call(Callee::Own(f), arguments))
    }

    fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        self.spent += self.times;
        if depth == 0 || self.spent > self.room {
            let names = self.in_sight(ty);
            return if names.is_empty() || self.rng.below(3) == 0 {
                self.literal(ty)
            } else {
                Expr::Name(self.rng.pick(&names))
            };
        }
        let depth = depth - 1;
        match self.rng.below(16) {
            0 | 1 => self.expr(ty, 0),
            2 | 3 => self.call(ty, depth).unwrap_or_else(|| self.literal(ty)),
            4 => {
                let names = self.assignable(ty);
                let e = self.expr(ty, depth);
                match names.is_empty() {
                    true => e,
                    false => Expr::Assign(self.rng.pick(&names), Box::new(e)),
                }
            }
            5 => {
                let from = self.ty();
                Expr::Cast(ty, Box::new(self.expr(from, depth)))
            }
            6 => Expr::Ascribe(ty, Box::new(self.expr(ty, depth))),
            7 => {
                let op = if ty == Ty::Int { self.rng.pick(&["-", "!", "~"]) } else { "-" };
                Expr::Unary(op, Box::new(self.expr(ty, depth)))
            }
            8 | 9 if ty == Ty::Int => {
                let operands = self.ty();
                let op = self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let a = Box::new(self.expr(operands, depth));
                Expr::Binary(op, a, Box::new(self.expr(operands, depth)))
            }
            _ => {
                let op = if ty == Ty::Int {
                    self.rng.pick(&["+", "-", "*", "/", "%", "<<", ">>", ">>>", "&", "|", "^", "&&", "||"])
                } else {
                    self.rng.pick(&["+", "-", "*", "/", "+", "-", "*", "/", "%"])
                };
                if op == "%" && ty == Ty::Float {
                    self.spent += self.times * 600;
                }
                let a = Box::new(self.expr(ty, depth));
                Expr::Binary(op, a, Box::new(self.expr(ty, depth)))
            }
        }
    }
}
