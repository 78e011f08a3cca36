//! Makes programs keep the rules of uniqueness, with copies where they need them.
//!
//! ```text
//! a[0] = 1;                consumes `a`: each value that joins it with another array gets a copy
//! print[if[c, a, b]];      print[if[c, copy[a], b]];
//! a = f[a];                stays: `a` has a new value at once
//! { var t = e; g[t]; }     stays: nothing reads `t` afterwards
//! ```
//!
//! Variables that nothing consumes may share memory with each other. A consumed variable shares memory with nothing, except with
//! a variable that gave it its array and is not read afterwards. So no consumption reaches a value that is read later.

use std::collections::{BTreeMap, BTreeSet};

use crate::syntax::{Callee, Dim, Expr, Form, Program, Second, Stmt, Ty, Variable};

/// The variables that a value may share memory with.
#[derive(Clone, Copy, Default)]
struct Roots {
    /// A variable that is consumed somewhere.
    consumed: Option<usize>,
    /// `true` if there are others.
    others: bool,
}

const NEW: Roots = Roots { consumed: None, others: false };

/// A variable that gives its array away in a statement where nothing else uses it.
struct Move {
    /// The number of the statement, in the order of the walks.
    statement: usize,
    from: usize,
    /// The variable that gets the array. `None` if a parameter does.
    to: Option<usize>,
}

struct Rules {
    /// The program without copies. The bodies of its functions are taken.
    program: Program,
    /// Variables that nested functions use too.
    apart: BTreeSet<usize>,
    consumed: BTreeSet<usize>,
    moves: Vec<Move>,
    /// Variables that were added.
    added: Vec<Variable>,
    function: usize,
    /// The number of statements before the current one.
    statement: usize,
}

/// Adds copies to a program, so that it keeps the rules.
pub fn keep_rules(program: &mut Program) {
    let mut bodies: Vec<Vec<Stmt>> = program.functions.iter_mut().map(|f| std::mem::take(&mut f.body)).collect();
    let mut rules = Rules {
        program: program.clone(),
        apart: BTreeSet::new(),
        consumed: BTreeSet::new(),
        moves: Vec::new(),
        added: Vec::new(),
        function: 0,
        statement: 0,
    };
    for (id, body) in bodies.iter_mut().enumerate() {
        let is_outer = |v: &usize| program.variables[*v].function != id;
        rules.apart.extend(uses_in_block(body).into_iter().filter(is_outer));
    }
    for (id, body) in bodies.iter_mut().enumerate() {
        rules.function = id;
        rules.find(body, &program.functions[id].parameters);
    }
    rules.close();
    rules.statement = 0;
    for (id, mut body) in bodies.into_iter().enumerate() {
        rules.function = id;
        rules.block(&mut body);
        program.functions[id].body = body;
    }
    program.variables.append(&mut rules.added);
}

/// Returns the variables that statements read, assign or update, once for each time. Nested functions are left out.
fn uses_in_block(body: &mut [Stmt]) -> Vec<usize> {
    body.iter_mut().flat_map(uses_in).collect()
}

fn uses_in(stmt: &mut Stmt) -> Vec<usize> {
    let mut found = Vec::new();
    if let Stmt::Update(v, ..) | Stmt::UpdateSlice(v, ..) | Stmt::SetField(v, ..) = stmt {
        found.push(*v);
    }
    stmt.parts_mut().into_iter().for_each(|part| add_uses(part, &mut found));
    stmt.blocks_mut().into_iter().for_each(|block| found.extend(uses_in_block(block)));
    found
}

fn add_uses(e: &mut Expr, found: &mut Vec<usize>) {
    if let Expr::Name(v) | Expr::Assign(v, _) = e {
        found.push(*v);
    }
    e.parts_mut().into_iter().for_each(|part| add_uses(part, found));
}

fn copy(e: &mut Expr) {
    let value = std::mem::replace(e, Expr::Int(0, false));
    *e = Expr::Call(Callee::Copy, vec![value]);
}

impl Rules {
    fn is_movable(&self, v: usize) -> bool {
        let variable = &self.program.variables[v];
        let is_own = variable.function == self.function && !variable.fixed;
        is_own && variable.ty.rank() > 0 && !self.apart.contains(&v)
    }

    /// Finds the updates and moves in a block. `own` are variables that begin with it.
    fn find(&mut self, body: &mut [Stmt], own: &[usize]) {
        let mut own: Vec<usize> = own.iter().copied().filter(|&v| self.is_movable(v)).collect();
        let uses: Vec<Vec<usize>> = body.iter_mut().map(uses_in).collect();
        let mut last_use = BTreeMap::new();
        for (k, used) in uses.iter().enumerate() {
            last_use.extend(used.iter().map(|&v| (v, k)));
        }
        for (k, stmt) in body.iter_mut().enumerate() {
            let statement = self.statement;
            self.statement += 1;
            let times = |v: usize| uses[k].iter().filter(|&&w| w == v).count();
            let is_last = |v: &usize| last_use[v] == k && times(*v) == 1 && own.contains(v);
            match stmt {
                Stmt::Update(v, ..) | Stmt::UpdateSlice(v, ..) => {
                    self.consumed.insert(*v);
                }
                Stmt::SetField(v, indices, ..) if !indices.is_empty() => {
                    self.consumed.insert(*v);
                }
                Stmt::Expr(Expr::Declare(to, Some(e), _)) if matches!(&**e, Expr::Name(v) if is_last(v)) => {
                    self.moves.push(Move { statement, from: uses[k][0], to: Some(*to) });
                }
                Stmt::Expr(Expr::Assign(v, e) | Expr::Declare(v, Some(e), _)) => {
                    let given = self.given(e).into_iter();
                    let is_free = |from: &usize| is_last(from) || from == v && times(*v) == 2 && self.is_movable(*v);
                    let moves = given.filter(is_free).map(|from| Move { statement, from, to: None });
                    let moves: Vec<Move> = moves.collect();
                    self.moves.extend(moves);
                }
                Stmt::Expr(e) | Stmt::Return(Some(e)) => {
                    let given = self.given(e).into_iter().filter(is_last);
                    let moves: Vec<Move> = given.map(|from| Move { statement, from, to: None }).collect();
                    self.moves.extend(moves);
                }
                _ => {}
            }
            if let Stmt::Expr(Expr::Declare(v, ..)) = stmt
                && self.is_movable(*v)
            {
                own.push(*v);
            }
            stmt.blocks_mut().into_iter().for_each(|block| self.find(block, &[]));
        }
    }

    /// Returns the variables that a call gives to unique parameters.
    fn given(&self, e: &Expr) -> Vec<usize> {
        let Expr::Call(Callee::Own(f), arguments) = e else { return Vec::new() };
        let parameters = &self.program.functions[*f].parameters;
        let unique = arguments.iter().zip(parameters).filter(|&(_, &p)| self.program.variables[p].unique);
        unique.filter_map(|(argument, _)| if let Expr::Name(v) = argument { Some(*v) } else { None }).collect()
    }

    /// Adds what moves consume. Drops the moves to variables that nothing consumes, or that nested functions use.
    fn close(&mut self) {
        let mut moves = std::mem::take(&mut self.moves);
        moves.retain(|m| m.to.is_none_or(|to| !self.apart.contains(&to)));
        loop {
            let before = self.consumed.len();
            let is_made = |m: &&Move| m.to.is_none_or(|to| self.consumed.contains(&to));
            let given: Vec<usize> = moves.iter().filter(is_made).map(|m| m.from).collect();
            self.consumed.extend(given);
            if self.consumed.len() == before {
                break;
            }
        }
        moves.retain(|m| m.to.is_none_or(|to| self.consumed.contains(&to)));
        self.moves = moves;
    }

    fn block(&mut self, body: &mut Vec<Stmt>) {
        let mut k = 0;
        while k < body.len() {
            self.stmt(&mut body[k]);
            let copies = if let Stmt::Destructure(names, _) = &mut body[k] { self.parts(names) } else { Vec::new() };
            let count = copies.len();
            body.splice(k + 1..k + 1, copies);
            k += 1 + count;
        }
    }

    /// Gives other names to the parts of a tuple that are consumed, and returns declarations of copies.
    fn parts(&mut self, names: &mut [usize]) -> Vec<Stmt> {
        let mut copies = Vec::new();
        for v in names.iter_mut().filter(|v| self.consumed.contains(v)) {
            let id = self.program.variables.len() + self.added.len();
            self.added.push(Variable { name: format!("part{id}"), ..self.program.variables[*v].clone() });
            let value = Expr::Call(Callee::Copy, vec![Expr::Name(id)]);
            copies.push(Stmt::Expr(Expr::Declare(*v, Some(Box::new(value)), false)));
            *v = id;
        }
        copies
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let statement = self.statement;
        self.statement += 1;
        let here = self.moves.iter().filter(|m| m.statement == statement);
        let moved: Vec<usize> = here.map(|m| m.from).collect();
        match stmt {
            Stmt::Expr(Expr::Declare(_, Some(e), _)) if matches!(**e, Expr::Name(v) if moved.contains(&v)) => {}
            Stmt::Expr(Expr::Assign(v, e) | Expr::Declare(v, Some(e), _)) => {
                let roots = self.moving(e, &moved);
                self.set(*v, e, roots);
            }
            Stmt::Expr(e) => {
                self.moving(e, &moved);
            }
            Stmt::Return(Some(e)) => {
                let roots = self.moving(e, &moved);
                let is_apart = roots.consumed.is_some_and(|v| self.apart.contains(&v));
                if self.program.functions[self.function].unique && (roots.others || is_apart) {
                    copy(e);
                }
            }
            Stmt::Update(v, indices, e) => {
                for index in indices {
                    self.value(index);
                }
                if self.value(e).consumed == Some(*v) {
                    copy(e);
                }
            }
            _ => {
                for part in stmt.parts_mut() {
                    self.value(part);
                }
            }
        }
        stmt.blocks_mut().into_iter().for_each(|block| self.block(block));
    }

    /// Walks a value. If it is a call, it may consume variables.
    fn moving(&mut self, e: &mut Expr, moved: &[usize]) -> Roots {
        match e {
            Expr::Call(Callee::Own(f), arguments) => self.call(*f, arguments, moved),
            _ => self.value(e),
        }
    }

    fn call(&mut self, f: usize, arguments: &mut [Expr], moved: &[usize]) -> Roots {
        let parameters = self.program.functions[f].parameters.clone();
        let mut kept = Vec::new();
        for (argument, parameter) in arguments.iter_mut().zip(parameters) {
            let roots = self.value(argument);
            if !self.program.variables[parameter].unique {
                kept.push((argument, roots));
            } else if roots.others || roots.consumed.is_some_and(|v| !moved.contains(&v)) {
                copy(argument);
            }
        }
        match self.program.functions[f].result {
            Some(ty) if ty.rank() > 0 && !self.program.functions[f].unique => self.join(kept, true),
            Some(Ty::Composite(..)) => self.join(kept, false),
            _ => NEW,
        }
    }

    /// Makes a value the variable's.
    fn set(&mut self, v: usize, e: &mut Expr, roots: Roots) -> Roots {
        let is_consumed = self.consumed.contains(&v);
        let mine = Roots { consumed: is_consumed.then_some(v), others: !is_consumed };
        let is_own = roots.consumed.is_none() || roots.consumed == Some(v);
        if !is_own || is_consumed && roots.others {
            copy(e);
        }
        mine
    }

    /// Joins the values of parts. `keeps` if a variable that is consumed may be the only one.
    fn join(&mut self, parts: Vec<(&mut Expr, Roots)>, keeps: bool) -> Roots {
        let consumed: BTreeSet<usize> = parts.iter().filter_map(|(_, roots)| roots.consumed).collect();
        let others = parts.iter().any(|(_, roots)| roots.others);
        if keeps && !others && consumed.len() <= 1 {
            return Roots { consumed: consumed.first().copied(), others };
        }
        parts.into_iter().filter(|(_, roots)| roots.consumed.is_some()).for_each(|(part, _)| copy(part));
        Roots { consumed: None, others }
    }

    /// Walks the parts of a value and joins the last ones, from `first` on.
    fn parts_from(&mut self, parts: Vec<&mut Expr>, first: usize, keeps: bool) -> Roots {
        let mut joined = Vec::new();
        for (k, part) in parts.into_iter().enumerate() {
            let roots = self.value(part);
            if k >= first {
                joined.push((part, roots));
            }
        }
        self.join(joined, keeps)
    }

    /// Walks a value, adds copies, and returns its roots.
    fn value(&mut self, e: &mut Expr) -> Roots {
        let ty = self.program.type_of(e);
        let is_array = ty.is_some_and(|ty| ty.rank() > 0);
        let is_shared = ty.is_some_and(|ty| self.program.has_array(ty));
        let roots = match e {
            Expr::Name(v) => {
                let is_consumed = self.consumed.contains(v);
                Roots { consumed: is_consumed.then_some(*v), others: !is_consumed }
            }
            Expr::Assign(v, value) | Expr::Declare(v, Some(value), _) => {
                let roots = self.value(value);
                self.set(*v, value, roots)
            }
            Expr::Declare(v, None, _) => self.value(&mut Expr::Name(*v)),
            Expr::Call(Callee::Own(f), arguments) => self.call(*f, arguments, &[]),
            Expr::Call(Callee::Concat, arguments) => {
                self.value(&mut arguments[1]);
                self.value(&mut arguments[0])
            }
            Expr::Call(Callee::Builtin(_), arguments) => self.parts_from(arguments.iter_mut().collect(), 0, is_array),
            Expr::Choose(parts) => self.parts_from(parts.iter_mut().collect(), 1, is_array),
            Expr::Replicate(parts) => self.parts_from(parts.iter_mut().collect(), 1, is_array),
            Expr::Split(_, parts) => {
                let [a, n] = &mut **parts;
                self.value(n);
                self.parts_from(vec![a], 0, false)
            }
            Expr::Index(a, rest) | Expr::Reshape(a, rest) => {
                for part in rest {
                    self.value(part);
                }
                self.value(a)
            }
            Expr::Slice(a, dims) => {
                for part in dims.iter_mut().flat_map(Dim::parts_mut) {
                    self.value(part);
                }
                self.value(a)
            }
            Expr::Second(second, lambda, values) => {
                // The argument of a unique parameter becomes a copy, which a name cannot say.
                if let Expr::Call(Callee::Own(f), _) = lambda.body
                    && self.program.functions[f].parameters.iter().any(|&p| self.program.variables[p].unique)
                {
                    lambda.form = Form::Lambda;
                }
                let is_row = self.program.type_of(&lambda.body).is_some_and(|ty| self.program.has_array(ty));
                let of_lambda = self.value(&mut lambda.body);
                let mut parts: Vec<(&mut Expr, Roots)> = Vec::new();
                for value in values {
                    let roots = self.value(value);
                    parts.push((value, roots));
                }
                match second {
                    Second::Scan | Second::Group => NEW,
                    Second::Map if !is_row => NEW,
                    _ => {
                        if is_row {
                            parts.push((&mut lambda.body, of_lambda));
                        }
                        if is_shared { self.join(parts, is_array) } else { NEW }
                    }
                }
            }
            Expr::Ascribe(_, a) | Expr::Perm(a, _) | Expr::Field(a, _) => self.parts_from(vec![a], 0, is_array),
            Expr::Struct(..) | Expr::Unzip(..) | Expr::Zip(..) => self.parts_from(e.parts_mut(), 0, is_array),
            _ => {
                for part in e.parts_mut() {
                    self.value(part);
                }
                NEW
            }
        };
        if is_shared { roots } else { NEW }
    }
}
