//! Programs from seeds.
//!
//! Every program ends: loops count to small bounds, functions call complete ones, or themselves once with a
//! counter that falls. An estimate of the steps keeps the whole below a budget.

use refcompiler::ir::kinds::Kind;

use crate::rng::Rng;
use crate::syntax::{Callee, Expr, Function, Program, Stmt, Ty, Variable};
use crate::uniqueness::keep_rules;

/// Steps that a program may take, as estimated.
const BUDGET: u64 = 30_000;

pub struct Generator {
    pub rng: Rng,
    pub program: Program,
    /// `true` if expressions call functions of the runtime.
    pub has_builtins: bool,
    /// Variables that names mean here, innermost last.
    pub visible: Vec<usize>,
    /// Functions that may be called here.
    pub callable: Vec<usize>,
    /// Estimated steps of a call of each function.
    pub cost: Vec<u64>,
    /// The current function.
    pub function: usize,
    pub level: usize,
    /// How often the current code runs in a call of its function.
    pub times: u64,
    /// Steps of the current function so far.
    pub spent: u64,
    /// The greatest that `times * steps` may become.
    pub room: u64,
    /// `true` if the program may have the forms that [`program`] does not have.
    pub is_larger: bool,
    /// `true` if the program may have arrays.
    pub has_arrays: bool,
    /// `true` if the program may have operations on whole arrays.
    pub has_whole: bool,
    /// `true` if these may be slices, shapes and `print`.
    pub has_shapes: bool,
    /// `true` if the program may have structs and tuples.
    pub has_composites: bool,
    /// `true` if arrays may be narrow, types may have sizes, and fields may be arrays of structs or tuples.
    pub has_all_types: bool,
    /// How many functions that are arguments are around the current expression.
    pub lambdas: u32,
}

/// The program of a seed, in the language before it had exponents, `for`, `if[..]` and `assert`. It calls no functions of the
/// runtime except to print. Digests of the machine code depend on these programs, so they stay the same.
pub fn program(seed: u64) -> Program {
    drawn(Generator::new(seed))
}

/// The program of a seed, with calls of functions of the runtime that compute.
pub fn program_with_builtins(seed: u64) -> Program {
    drawn(Generator { has_builtins: true, ..Generator::new(seed) })
}

/// The program of a seed, with all forms of the language and all functions.
pub fn larger_program(seed: u64) -> Program {
    drawn(Generator { has_builtins: true, is_larger: true, ..Generator::new(seed) })
}

/// The program of a seed, with arrays, and all other forms of the language.
pub fn array_program(seed: u64) -> Program {
    drawn(Generator { is_larger: true, has_arrays: true, ..Generator::new(seed) })
}

/// The program of a seed, with functions as arguments and operators on arrays, and all forms that [`array_program`] has.
pub fn lambda_program(seed: u64) -> Program {
    drawn(Generator { is_larger: true, has_arrays: true, has_whole: true, ..Generator::new(seed) })
}

/// The program of a seed, with all operations on whole arrays, and all forms that [`array_program`] has.
pub fn whole_program(seed: u64) -> Program {
    drawn(Generator { is_larger: true, has_arrays: true, has_whole: true, has_shapes: true, ..Generator::new(seed) })
}

/// The program of a seed, with structs and tuples, but without arrays of them, and all forms that [`lambda_program`] has.
pub fn struct_program(seed: u64) -> Program {
    let g = Generator::new(seed);
    drawn(Generator { is_larger: true, has_arrays: true, has_whole: true, has_composites: true, ..g })
}

/// The program of a seed, with all forms of the language and all types: narrow arrays, types with sizes, and fields that are arrays of
/// structs or tuples.
pub fn typed_program(seed: u64) -> Program {
    let g = Generator { is_larger: true, has_arrays: true, has_whole: true, ..Generator::new(seed) };
    drawn(Generator { has_shapes: true, has_composites: true, has_all_types: true, ..g })
}

/// The program of a seed, with all forms of the language.
pub fn composite_program(seed: u64) -> Program {
    let g = Generator::new(seed);
    drawn(Generator { is_larger: true, has_arrays: true, has_whole: true, has_shapes: true, has_composites: true, ..g })
}

fn drawn(mut g: Generator) -> Program {
    if g.has_composites {
        g.structs();
    }
    for k in 0..1 + g.rng.below(5) {
        let id = g.function(format!("f{k}"), None);
        g.callable.push(id);
    }
    g.main();
    if g.has_arrays {
        keep_rules(&mut g.program);
    }
    g.program
}

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator {
            rng: Rng::new(seed),
            program: Program { variables: Vec::new(), functions: Vec::new(), composites: Vec::new() },
            has_builtins: false,
            visible: Vec::new(),
            callable: Vec::new(),
            cost: Vec::new(),
            function: 0,
            level: 0,
            times: 1,
            spent: 0,
            room: BUDGET,
            is_larger: false,
            has_arrays: false,
            has_whole: false,
            has_shapes: false,
            has_composites: false,
            has_all_types: false,
            lambdas: 0,
        }
    }

    pub fn ty(&mut self) -> Ty {
        self.rng.one_of(&[Ty::Int, Ty::Int, Ty::Float])
    }

    pub fn new_variable(&mut self, ty: Ty, name: String) -> usize {
        self.program.variables.push(Variable {
            name,
            ty,
            function: self.function,
            fixed: false,
            unique: false,
            sizes: Vec::new(),
        });
        self.program.variables.len() - 1
    }

    /// A function with a random signature and body.
    fn function(&mut self, name: String, parent: Option<usize>) -> usize {
        let id = self.program.functions.len();
        let mut result = self.rng.one_of(&[None, Some(Ty::Int), Some(Ty::Int), Some(Ty::Float)]);
        if self.has_arrays && self.rng.once_in(3) {
            result = Some(self.array_ty());
        }
        if self.has_composites && self.rng.once_in(5) {
            result = Some(self.composite_ty());
        }
        let unique = result.is_some_and(|ty| self.is_plain_array(ty)) && self.rng.once_in(2);
        let function = Function { name, parameters: Vec::new(), result, unique, body: Vec::new(), parent };
        self.program.functions.push(function);
        self.cost.push(0);
        let outer = (self.function, self.times, self.spent, self.visible.len(), self.room);
        (self.function, self.times, self.spent) = (id, 1, 0);
        self.level += 1;
        self.room = if parent.is_some() { outer.4 / 20 } else { BUDGET / 12 };
        let recursive = self.rng.below(4) == 0;
        let count = self.rng.one_of(&[0, 1, 2, 3, 5, 9, 12, 24]);
        for k in 0..count {
            let mut ty = if k == 0 && recursive { Ty::Int } else { self.ty() };
            let is_array = self.has_arrays && ty.rank() == 0 && !(k == 0 && recursive) && self.rng.once_in(3);
            if is_array {
                ty = self.array_ty();
            }
            let parameter = self.new_variable(ty, format!("p{k}"));
            if is_array {
                let unique = self.rng.once_in(3);
                let variable = &mut self.program.variables[parameter];
                (variable.fixed, variable.unique) = (!unique, unique);
                if self.has_all_types {
                    self.parameter_sizes(parameter);
                }
            }
            if self.has_composites && !is_array && !(k == 0 && recursive) && self.rng.once_in(6) {
                let ty = self.composite_ty();
                let fixed = self.program.has_array(ty);
                let variable = &mut self.program.variables[parameter];
                (variable.ty, variable.fixed) = (ty, fixed);
            }
            self.program.functions[id].parameters.push(parameter);
            self.visible.push(parameter);
        }
        if let Some(ty) = result
            && self.is_plain_array(ty)
            && self.rng.once_in(2)
        {
            // Calls can give it a variable, and assign the result to the same.
            let parameter = self.new_variable(ty, "own".to_string());
            self.program.variables[parameter].unique = true;
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
        let size = self.rng.one_of(&[2, 4, 8, 12]);
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
        body.push(Stmt::If(Expr::Binary(Kind::Lt, counter(), one()), vec![Stmt::Return(value)], None));
        let mut arguments = vec![Expr::Binary(Kind::Sub, counter(), one())];
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
            unique: false,
            body: Vec::new(),
            parent: None,
        });
        self.cost.push(0);
        (self.function, self.times, self.spent, self.level, self.room) = (id, 1, 0, 1, BUDGET);
        let mut body = self.open_statements(14, Some(Ty::Int));
        if self.has_arrays {
            self.show_some(&mut body);
        }
        body.push(Stmt::Return(Some(self.expr(Ty::Int, 3))));
        self.program.functions[id].body = body;
    }

    /// Statements of one block.
    pub fn statements(&mut self, count: usize, result: Option<Ty>) -> Vec<Stmt> {
        let (visible, callable) = (self.visible.len(), self.callable.len());
        let body = self.open_statements(count, result);
        self.visible.truncate(visible);
        self.callable.truncate(callable);
        body
    }

    /// Statements of a block that continues.
    fn open_statements(&mut self, count: usize, result: Option<Ty>) -> Vec<Stmt> {
        let first_own = self.program.variables.len();
        let mut body = Vec::new();
        for _ in 0..count {
            self.statement(&mut body, result, first_own);
        }
        body
    }

    /// Adds a variable of this block to the visible ones; its name is new to the block.
    pub fn declare(&mut self, ty: Ty, first_own: usize) -> usize {
        let mut name = format!("v{}", self.rng.below(12));
        let taken = |g: &Generator, name: &str| g.program.variables[first_own..].iter().any(|v| v.name == name);
        if taken(self, &name) {
            name = format!("u{}", self.program.variables.len());
        }
        self.new_variable(ty, name)
    }

    fn statement(&mut self, body: &mut Vec<Stmt>, result: Option<Ty>, first_own: usize) {
        if self.is_larger && self.level < 5 && self.rng.once_in(8) {
            return self.iterate(body, result);
        }
        if self.is_larger && self.rng.once_in(20) {
            return self.assertion(body);
        }
        if self.has_arrays && self.rng.once_in(3) {
            return self.array_statement(body, result, first_own);
        }
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
                let seldom = Expr::Binary(
                    Kind::Eq,
                    Box::new(Expr::Binary(Kind::Rem, Box::new(condition), seven.clone())),
                    seven,
                );
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
        // Nothing else assigns this variable: it is in scope under no other loop's name.
        let counter = self.new_variable(Ty::Int, format!("i{}", self.program.variables.len()));
        body.push(Stmt::Expr(Expr::Declare(counter, Some(Box::new(Expr::Int(0, false))), false)));
        self.times *= bound as u64;
        self.level += 1;
        let n = 1 + self.rng.below(4);
        let mut inner = self.statements(n, result);
        self.level -= 1;
        self.times /= bound as u64;
        let next = Expr::Binary(Kind::Add, Box::new(Expr::Name(counter)), Box::new(Expr::Int(1, false)));
        inner.push(Stmt::Expr(Expr::Assign(counter, Box::new(next))));
        let condition = Expr::Binary(Kind::Lt, Box::new(Expr::Name(counter)), Box::new(Expr::Int(bound as i32, false)));
        body.push(Stmt::While(condition, inner));
    }
}

impl Generator {
    /// An assertion that seldom fails.
    fn assertion(&mut self, body: &mut Vec<Stmt>) {
        let e = self.expr(Ty::Int, 2);
        let seldom = Expr::Binary(Kind::Ne, Box::new(e), Box::new(Expr::Int(31, false)));
        body.push(Stmt::Expr(Expr::Call(Callee::Assert, vec![seldom])));
    }

    /// A `for` with few iterations, or none.
    fn iterate(&mut self, body: &mut Vec<Stmt>, result: Option<Ty>) {
        let (e, most) = (self.expr(Ty::Int, 2), 1 + self.rng.below(5) as i32);
        let iterations = Expr::Binary(Kind::Rem, Box::new(e), Box::new(Expr::Int(most, false)));
        let name = format!("v{}", self.rng.below(12));
        let counter = self.new_variable(Ty::Int, name);
        self.program.variables[counter].fixed = true;
        self.visible.push(counter);
        self.times *= most as u64;
        self.level += 1;
        let n = 1 + self.rng.below(4);
        let inner = self.statements(n, result);
        self.level -= 1;
        self.times /= most as u64;
        self.visible.pop();
        body.push(Stmt::For(counter, iterations, inner));
    }
}
