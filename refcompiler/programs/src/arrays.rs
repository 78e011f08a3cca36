//! Arrays in random programs: expressions that have arrays as values, and statements about arrays.
//!
//! Most indices are in range, by a remainder or by the bounds of a loop, and most extents agree, by a condition or because both
//! come from one array. Few do not, and end the program.

use refcompiler::ir::kinds::Kind;

use crate::draw::Generator;
use crate::narrow::narrowed;
use crate::syntax::{Callee, Expr, Stmt, Ty};

/// Types of narrow arrays, of which only the elements count.
pub const NARROW: [Ty; 2] = [Ty::Bytes(1), Ty::Shorts(1)];

/// Estimated steps of an operation on arrays.
const ARRAY_STEPS: u64 = 15;

/// The extent below which arrays may grow.
const GROWTH: i32 = 24;

/// Estimated iterations of a loop over a dimension.
pub const USUAL_EXTENT: u64 = 5;

pub fn int(value: i32) -> Expr {
    Expr::Int(value, false)
}

pub fn binary(kind: Kind, a: Expr, b: Expr) -> Expr {
    Expr::Binary(kind, Box::new(a), Box::new(b))
}

pub fn size(v: usize, k: u8) -> Expr {
    Expr::Size(Box::new(Expr::Name(v)), k)
}

/// Returns whether the first `dimensions` extents of a variable are positive.
pub fn has_elements(v: usize, dimensions: u8) -> Expr {
    let extents = (1..dimensions).fold(size(v, 0), |product, k| binary(Kind::Mul, product, size(v, k)));
    binary(Kind::Gt, extents, int(0))
}

impl Generator {
    /// A type of arrays.
    pub fn array_ty(&mut self) -> Ty {
        let rank = self.rng.one_of(&[1, 1, 1, 1, 2, 2, 2, 3]);
        if self.has_all_types && self.rng.once_in(3) {
            return self.narrow_ty(rank);
        }
        self.ty().of_rank(rank)
    }

    fn rank(&self, v: usize) -> u8 {
        self.program.variables[v].ty.rank()
    }

    /// Visible arrays of these elements.
    pub fn arrays_of(&self, element: Ty) -> Vec<usize> {
        let narrow = if element == Ty::Int { &NARROW[..] } else { &[] };
        let types = std::iter::once(element).chain(narrow.iter().copied());
        types.flat_map(|ty| (1..=3).map(move |rank| ty.of_rank(rank))).flat_map(|ty| self.in_sight(ty)).collect()
    }

    /// Arrays that can be updated.
    pub fn changeable(&self) -> Vec<usize> {
        let types =
            [Ty::Int, Ty::Float].into_iter().chain(NARROW).flat_map(|ty| (1..=3).map(move |rank| ty.of_rank(rank)));
        types.flat_map(|ty| self.assignable(ty)).collect()
    }

    /// Returns whether values of a type are arrays of numbers.
    pub fn is_plain_array(&self, ty: Ty) -> bool {
        matches!(ty, Ty::Ints(_) | Ty::Floats(_)) || ty.is_narrow()
    }

    /// A literal of one to three rows at each level.
    pub fn array_literal(&mut self, ty: Ty) -> Expr {
        let extents: Vec<usize> = (0..ty.rank()).map(|_| 1 + self.rng.below(3)).collect();
        let literal = self.literal_of(ty.element(), &extents);
        narrowed(ty, literal)
    }

    fn literal_of(&mut self, element: Ty, extents: &[usize]) -> Expr {
        match extents {
            [] => self.literal(element),
            [n, rest @ ..] => Expr::Array((0..*n).map(|_| self.literal_of(element, rest)).collect()),
        }
    }

    /// A small number of elements: seldom none, and very seldom less.
    pub fn few(&mut self, depth: usize) -> Expr {
        let arrays = self.arrays_of(Ty::Int);
        match self.rng.below(16) {
            0 if self.rng.once_in(2) => binary(Kind::And, self.expr(Ty::Int, depth), int(3)),
            1 if self.rng.once_in(12) => binary(Kind::Rem, self.expr(Ty::Int, depth), int(4)),
            2..=5 if !arrays.is_empty() => {
                let v = self.rng.one_of(&arrays);
                let k = self.rng.below(self.rank(v) as usize) as u8;
                binary(Kind::Rem, size(v, k), int(9))
            }
            6..=9 => int(1 + self.rng.below(6) as i32),
            _ => {
                let e = binary(Kind::And, self.expr(Ty::Int, depth), int(3));
                binary(Kind::Add, int(1), e)
            }
        }
    }

    /// An index into dimension `k` of a variable: in range, if that has elements, or very seldom not.
    pub fn index(&mut self, v: usize, k: u8, depth: usize) -> Expr {
        match self.rng.below(12) {
            0 | 1 => int(0),
            2 => binary(Kind::Sub, size(v, k), int(1)),
            3 if self.rng.once_in(16) => binary(Kind::And, self.expr(Ty::Int, depth), int(3)),
            _ => {
                let e = binary(Kind::And, self.expr(Ty::Int, depth), int(i32::MAX));
                binary(Kind::Rem, e, size(v, k))
            }
        }
    }

    fn indices(&mut self, v: usize, dimensions: u8, depth: usize) -> Vec<Expr> {
        (0..dimensions).map(|k| self.index(v, k, depth)).collect()
    }

    /// A read of the first indices of a variable, in one pair of brackets or in more.
    fn read(&mut self, v: usize, mut indices: Vec<Expr>) -> Expr {
        let mut a = Expr::Name(v);
        if indices.len() > 1 && self.rng.once_in(3) {
            let rest = indices.split_off(1);
            a = Expr::Index(Box::new(a), indices);
            indices = rest;
        }
        Expr::Index(Box::new(a), indices)
    }

    /// An element of an array, or an extent.
    pub fn element(&mut self, ty: Ty, depth: usize) -> Expr {
        self.spent += self.times * 2;
        if ty == Ty::Int && self.rng.once_in(5) {
            let rank = self.rng.one_of(&[1, 1, 2, 3]);
            let array = self.ty().of_rank(rank);
            let k = self.rng.below(rank as usize) as u8;
            return Expr::Size(Box::new(self.array(array, depth.min(1))), k);
        }
        let arrays = self.arrays_of(ty);
        if arrays.is_empty() || self.rng.once_in(8) {
            let rank = self.rng.one_of(&[1, 1, 2]);
            let array = ty.of_rank(rank);
            let a = if self.rng.once_in(3) { self.array(array, depth.min(2)) } else { self.rows(array, depth.min(2)) };
            return Expr::Index(Box::new(a), vec![int(0); rank as usize]);
        }
        let v = self.rng.one_of(&arrays);
        let rank = self.rank(v);
        let indices = self.indices(v, rank, depth.min(1));
        let read = self.read(v, indices);
        if self.rng.once_in(24) {
            return read;
        }
        Expr::Choose(Box::new([has_elements(v, rank), read, self.literal(ty)]))
    }

    /// An expression whose value is an array.
    pub fn array(&mut self, ty: Ty, depth: usize) -> Expr {
        self.spent += self.times * ARRAY_STEPS;
        let names = self.in_sight(ty);
        if depth == 0 || self.spent > self.room {
            return match names.is_empty() || self.rng.once_in(3) {
                true => self.array_literal(ty),
                false => Expr::Name(self.rng.one_of(&names)),
            };
        }
        let depth = depth - 1;
        if self.has_all_types
            && (ty.is_narrow() || self.rng.once_in(8))
            && let Some(e) = self.narrow_or_from_narrow(ty, depth)
        {
            return e;
        }
        if self.has_whole
            && !ty.is_narrow()
            && self.rng.once_in(2)
            && let Some(e) = self.whole(ty, depth)
        {
            return e;
        }
        let row = ty.of_rank(ty.rank() - 1);
        match self.rng.below(20) {
            0 | 1 => self.array(ty, 0),
            2 => Expr::Call(Callee::Copy, vec![self.array(ty, depth)]),
            3 | 4 => self.rows(ty, depth),
            5..=7 if !(ty.is_narrow() && ty.rank() == 1) => {
                let n = self.few(depth);
                Expr::Replicate(Box::new([n, self.expr(row, depth)]))
            }
            8 | 9 if ty == Ty::Ints(1) => Expr::Call(Callee::Iota, vec![self.few(depth)]),
            8..=10 => self.row(ty, depth),
            11 | 12 => self.concatenation(ty, depth),
            13 => {
                let condition = self.expr(Ty::Int, depth);
                Expr::Choose(Box::new([condition, self.array(ty, depth), self.array(ty, depth)]))
            }
            14 => Expr::Ascribe(ty, Box::new(self.array(ty, depth))),
            15 => {
                let names = self.assignable(ty);
                let e = self.array(ty, depth);
                match names.is_empty() {
                    true => e,
                    false => Expr::Assign(self.rng.one_of(&names), Box::new(e)),
                }
            }
            _ => self.call(ty, depth).unwrap_or_else(|| self.array(ty, 0)),
        }
    }

    /// A literal of expressions. Rows have equal extents, or very seldom not.
    fn rows(&mut self, ty: Ty, depth: usize) -> Expr {
        let row = ty.of_rank(ty.rank() - 1);
        let n = 1 + self.rng.below(3);
        if row.rank() == 0 {
            let literal = Expr::Array((0..n).map(|_| self.expr(row, depth.min(2))).collect());
            return narrowed(ty, literal);
        }
        let names = self.in_sight(row);
        if names.is_empty() {
            return self.array_literal(ty);
        }
        let v = self.rng.one_of(&names);
        let rows = (0..n).map(|_| match self.rng.below(150) {
            0 => self.array(row, depth),
            1..=30 => Expr::Call(Callee::Copy, vec![Expr::Name(v)]),
            31..=60 => self.extents_of(v, 0, depth),
            _ => Expr::Name(v),
        });
        Expr::Array(rows.collect())
    }

    /// An array with the extents of a variable from dimension `from` on.
    pub fn extents_of(&mut self, v: usize, from: u8, depth: usize) -> Expr {
        let ty = self.program.variables[v].ty;
        if from == ty.rank() {
            return self.expr(ty.element(), depth.min(1));
        }
        let row = self.extents_of(v, from + 1, depth);
        let rows = Expr::Replicate(Box::new([size(v, from), row]));
        if from + 1 == ty.rank() { narrowed(ty.of_rank(1), rows) } else { rows }
    }

    /// A row of an array of higher rank.
    fn row(&mut self, ty: Ty, depth: usize) -> Expr {
        let names = self.in_sight(ty.of_rank(ty.rank() + 1));
        if ty.rank() == 3 || names.is_empty() {
            return self.array(ty, 0);
        }
        let v = self.rng.one_of(&names);
        let index = self.index(v, 0, depth.min(1));
        let read = Expr::Index(Box::new(Expr::Name(v)), vec![index]);
        match self.rng.once_in(24) {
            true => read,
            false => Expr::Choose(Box::new([has_elements(v, 1), read, self.array(ty, 0)])),
        }
    }

    /// Two arrays, one after the other, if they are small and have rows of equal extents.
    fn concatenation(&mut self, ty: Ty, depth: usize) -> Expr {
        let names = self.in_sight(ty);
        if names.is_empty() {
            let (a, b) = (self.array_literal(ty), self.array_literal(ty));
            return if ty.rank() == 1 { Expr::Call(Callee::Concat, vec![a, b]) } else { a };
        }
        let (v, w) = (self.rng.one_of(&names), self.rng.one_of(&names));
        let mut fits = binary(Kind::Lt, binary(Kind::Add, size(v, 0), size(w, 0)), int(GROWTH));
        if v != w {
            for k in 1..ty.rank() {
                fits = binary(Kind::Land, fits, binary(Kind::Eq, size(v, k), size(w, k)));
            }
        }
        let both = Expr::Call(Callee::Concat, vec![Expr::Name(v), Expr::Name(w)]);
        Expr::Choose(Box::new([fits, both, self.array(ty, depth.min(1))]))
    }

    /// A statement about arrays.
    pub fn array_statement(&mut self, body: &mut Vec<Stmt>, result: Option<Ty>, first_own: usize) {
        if self.has_all_types && self.rng.once_in(6) {
            return self.sized_declaration(body, first_own);
        }
        if self.has_whole && self.rng.once_in(2) {
            return self.whole_statement(body, first_own);
        }
        let changeable = self.changeable();
        let v = (!changeable.is_empty()).then(|| self.rng.one_of(&changeable));
        match (self.rng.below(16), v) {
            (12 | 13, Some(v)) => self.rebind(body, v),
            (14 | 15, _) if self.level < 5 => self.hand_over(body, result),
            (0..=3, Some(v)) => self.update(body, v),
            (4 | 5, Some(v)) => {
                let e = self.array(self.program.variables[v].ty, 3);
                body.push(Stmt::Expr(Expr::Assign(v, Box::new(e))));
            }
            (6 | 7, Some(v)) if self.level < 5 => self.traverse(body, v, result),
            (8, _) => self.show_one(body),
            _ => {
                let ty = self.array_ty();
                let value = if self.rng.once_in(8) { None } else { Some(Box::new(self.array(ty, 3))) };
                let v = self.declare(ty, first_own);
                let typed = self.rng.once_in(2);
                body.push(Stmt::Expr(Expr::Declare(v, value, typed)));
                self.visible.push(v);
            }
        }
    }

    /// Returns the functions that take an array of a type for themselves, and can be called. The result is of a type, if one is given.
    fn takers(&self, ty: Ty, result: Option<Ty>) -> Vec<usize> {
        let takes = |&f: &usize| {
            let function = &self.program.functions[f];
            let variable = |p: &usize| &self.program.variables[*p];
            let fits = result.is_none() || function.result == result;
            fits && function.parameters.iter().any(|p| variable(p).unique && variable(p).ty == ty)
        };
        let is_affordable = |&f: &usize| self.spent + self.times * self.cost[f] < self.room;
        self.callable.iter().copied().filter(takes).filter(is_affordable).collect()
    }

    /// A call of a function that takes a variable for itself. The other arguments do not use it.
    fn taking(&mut self, f: usize, v: usize) -> Expr {
        self.spent += self.times * self.cost[f];
        let visible = self.visible.clone();
        self.visible.retain(|&w| w != v && self.program.variables[w].name != self.program.variables[v].name);
        let parameters = self.program.functions[f].parameters.clone();
        let is_taker = |p: &usize| {
            self.program.variables[*p].unique && self.program.variables[*p].ty == self.program.variables[v].ty
        };
        let taker = parameters.iter().copied().find(is_taker);
        let mut arguments = Vec::new();
        for (k, &p) in parameters.iter().enumerate() {
            arguments.push(match self.program.variables[p].ty {
                _ if Some(p) == taker => Expr::Name(v),
                // It may count down from its first argument.
                Ty::Int if k == 0 => int(self.rng.below(4) as i32),
                ty => self.expr(ty, 1),
            });
        }
        self.visible = visible;
        Expr::Call(Callee::Own(f), arguments)
    }

    /// Gives a variable to a function and assigns its result.
    fn rebind(&mut self, body: &mut Vec<Stmt>, v: usize) {
        let ty = self.program.variables[v].ty;
        let takers = self.takers(ty, Some(ty));
        if takers.is_empty() {
            return self.update(body, v);
        }
        let f = self.rng.one_of(&takers);
        let call = self.taking(f, v);
        body.push(Stmt::Expr(Expr::Assign(v, Box::new(call))));
    }

    /// A block with an array that a variable or a function gets at its end.
    fn hand_over(&mut self, body: &mut Vec<Stmt>, result: Option<Ty>) {
        let ty = self.array_ty();
        let value = self.array(ty, 2);
        let v = self.new_variable(ty, format!("t{}", self.program.variables.len()));
        let mut block = vec![Stmt::Expr(Expr::Declare(v, Some(Box::new(value)), self.rng.once_in(4)))];
        let visible = self.visible.len();
        self.visible.push(v);
        self.level += 1;
        match self.rng.below(3) {
            0 => self.update(&mut block, v),
            1 => block.push(Stmt::Block(self.statements(1, result))),
            _ => {}
        }
        let takers = self.takers(ty, None);
        if takers.is_empty() || self.rng.once_in(3) {
            let w = self.new_variable(ty, format!("t{}", self.program.variables.len()));
            block.push(Stmt::Expr(Expr::Declare(w, Some(Box::new(Expr::Name(v))), false)));
            self.visible.pop();
            self.visible.push(w);
            self.update(&mut block, w);
            self.show(&mut block, w);
        } else {
            let f = self.rng.one_of(&takers);
            let call = self.taking(f, v);
            match self.program.functions[f].result.filter(|&ty| self.is_plain_array(ty)) {
                None => block.push(Stmt::Expr(call)),
                Some(ty) => {
                    let w = self.new_variable(ty, format!("t{}", self.program.variables.len()));
                    block.push(Stmt::Expr(Expr::Declare(w, Some(Box::new(call)), false)));
                    self.show(&mut block, w);
                }
            }
        }
        self.level -= 1;
        self.visible.truncate(visible);
        body.push(Stmt::Block(block));
    }

    /// An update of an element or a row, mostly of an array that has it.
    fn update(&mut self, body: &mut Vec<Stmt>, v: usize) {
        self.spent += self.times * ARRAY_STEPS;
        // The indices and the value do not assign the array, which would leave it open which array the update changes.
        self.program.variables[v].fixed = true;
        let (ty, rank) = (self.program.variables[v].ty, self.rank(v));
        let dimensions = if self.rng.once_in(3) { 1 + self.rng.below(rank as usize) as u8 } else { rank };
        let indices = self.indices(v, dimensions, 2);
        let mut condition = has_elements(v, dimensions);
        let value = match self.rng.below(8) {
            _ if dimensions == rank => self.expr(ty.element(), 3),
            0..=3 => {
                let other = self.indices(v, dimensions, 1);
                self.read(v, other)
            }
            4 | 5 => self.extents_of(v, dimensions, 2),
            k => {
                let names = self.in_sight(ty.of_rank(rank - dimensions));
                if names.is_empty() || k == 6 && self.rng.once_in(16) {
                    self.array(ty.of_rank(rank - dimensions), 2)
                } else {
                    let w = self.rng.one_of(&names);
                    for k in 0..rank - dimensions {
                        condition =
                            binary(Kind::Land, condition, binary(Kind::Eq, size(w, k), size(v, k + dimensions)));
                    }
                    Expr::Name(w)
                }
            }
        };
        self.program.variables[v].fixed = false;
        let update = Stmt::Update(v, indices, value);
        body.push(if self.rng.once_in(24) { update } else { Stmt::If(condition, vec![update], None) });
    }

    /// Loops over the dimensions of an array that change all elements, with other statements between.
    fn traverse(&mut self, body: &mut Vec<Stmt>, v: usize, result: Option<Ty>) {
        let (ty, rank) = (self.program.variables[v].ty, self.rank(v));
        let times = self.times;
        self.times *= USUAL_EXTENT.pow(rank.into());
        if self.spent + self.times * ARRAY_STEPS > self.room {
            self.times = times;
            return self.update(body, v);
        }
        let name = |g: &Generator| format!("i{}", g.program.variables.len());
        let counters: Vec<usize> = (0..rank).map(|_| self.new_variable(Ty::Int, name(self))).collect();
        for &counter in &counters {
            self.program.variables[counter].fixed = true;
            self.visible.push(counter);
        }
        let mut indices: Vec<Expr> = counters.iter().map(|&counter| Expr::Name(counter)).collect();
        if self.rng.once_in(40) {
            // Out of range in the last iteration.
            indices[0] = binary(Kind::Add, Expr::Name(counters[0]), int(1));
        }
        self.level += 1;
        self.program.variables[v].fixed = true;
        // A block of its own, whose variables hide none of those in the update.
        let mut inner = if self.rng.once_in(3) { vec![Stmt::Block(self.statements(1, result))] } else { Vec::new() };
        let e = self.expr(ty.element(), 3);
        self.program.variables[v].fixed = false;
        inner.push(Stmt::Update(v, indices, e));
        self.level -= 1;
        self.visible.truncate(self.visible.len() - counters.len());
        self.times = times;
        body.push(nested(v, &counters, inner));
    }

    /// Shows a visible array.
    fn show_one(&mut self, body: &mut Vec<Stmt>) {
        let mut arrays = self.arrays_of(Ty::Int);
        arrays.extend(self.arrays_of(Ty::Float));
        if !arrays.is_empty() {
            let v = self.rng.one_of(&arrays);
            self.show(body, v);
        }
    }

    /// Shows the last visible arrays.
    pub fn show_some(&mut self, body: &mut Vec<Stmt>) {
        for ty in [Ty::Int, Ty::Float] {
            for v in self.arrays_of(ty).into_iter().rev().take(4) {
                self.show(body, v);
            }
        }
    }

    /// Prints the extents of an array, and a number that all its elements change.
    fn show(&mut self, body: &mut Vec<Stmt>, v: usize) {
        let (ty, rank) = (self.program.variables[v].ty.element(), self.rank(v));
        self.spent += self.times * 12 * USUAL_EXTENT.pow(rank.into());
        let sum = self.new_variable(ty, format!("h{}", self.program.variables.len()));
        let counters: Vec<usize> =
            (0..rank).map(|k| self.new_variable(Ty::Int, format!("k{k}x{}", self.program.variables.len()))).collect();
        let element = Expr::Index(Box::new(Expr::Name(v)), counters.iter().map(|&i| Expr::Name(i)).collect());
        let name = || Expr::Name(sum);
        let (first, next, shown) = match ty {
            Ty::Int => (
                int(7),
                binary(Kind::Xor, binary(Kind::Mul, name(), int(31)), element),
                Expr::Call(Callee::PrintInt, vec![name()]),
            ),
            _ => {
                let bits = Expr::Call(Callee::Bits, vec![name()]);
                let half = binary(Kind::Mul, name(), Expr::Float("0.5".into()));
                let shown = Expr::Call(Callee::PrintInt, vec![bits]);
                (Expr::Float("1.0".into()), binary(Kind::Add, half, element), shown)
            }
        };
        let mut block = vec![Stmt::Expr(Expr::Declare(sum, Some(Box::new(first)), false))];
        block.push(nested(v, &counters, vec![Stmt::Expr(Expr::Assign(sum, Box::new(next)))]));
        let character = |c: u8| Stmt::Expr(Expr::Call(Callee::PrintChar, vec![int(c.into())]));
        for k in 0..rank {
            block.push(Stmt::Expr(Expr::Call(Callee::PrintInt, vec![size(v, k)])));
            block.push(character(b' '));
        }
        block.push(Stmt::Expr(shown));
        block.push(character(b'\n'));
        body.push(Stmt::Block(block));
    }
}

/// A loop for each dimension of an array.
fn nested(v: usize, counters: &[usize], body: Vec<Stmt>) -> Stmt {
    let loops = counters.iter().enumerate().rev();
    let body = loops.fold(body, |body, (k, &counter)| vec![Stmt::For(counter, size(v, k as u8), body)]);
    body.into_iter().next().expect("a loop")
}
