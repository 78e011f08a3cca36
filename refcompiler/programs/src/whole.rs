//! Operations on whole arrays in random programs: operators, functions as arguments, slices, shapes, structs and tuples.
//!
//! Extents agree because both operands come from one variable, whose extents nothing in between changes. Few do not.

use refcompiler::ir::kinds::Kind;
use refcompiler::ir::tree::runtime;

use crate::arrays::{NARROW, USUAL_EXTENT, binary, has_elements, int, size};
use crate::draw::Generator;
use crate::narrow::{narrowed, widened};
use crate::syntax::{Callee, Composite, Dim, Expr, Form, Lambda, Second, Stmt, Total, Ty, Variable};

/// Associative operators on ints, with their neutral elements.
const ASSOCIATIVE: [(Kind, i32); 5] = [(Kind::Add, 0), (Kind::Mul, 1), (Kind::And, -1), (Kind::Or, 0), (Kind::Xor, 0)];

/// Operators on arrays of both element types.
const OPERATORS: [Kind; 4] = [Kind::Add, Kind::Sub, Kind::Mul, Kind::Div];

/// Operators on arrays of ints.
const INT_OPERATORS: [Kind; 10] =
    [Kind::Rem, Kind::Shl, Kind::Shr, Kind::Ushr, Kind::And, Kind::Or, Kind::Xor, Kind::Land, Kind::Lor, Kind::Mul];

pub const COMPARISONS: [Kind; 6] = [Kind::Eq, Kind::Ne, Kind::Lt, Kind::Le, Kind::Gt, Kind::Ge];

fn float(text: &'static str) -> Expr {
    Expr::Float(text.into())
}

fn name(v: usize) -> Expr {
    Expr::Name(v)
}

/// The simplest number of a type.
fn nothing(ty: Ty) -> Expr {
    if ty == Ty::Int { int(0) } else { float("0.0") }
}

impl Generator {
    /// Draws the structs of the program.
    pub fn structs(&mut self) {
        for k in 0..self.rng.below(4) {
            let fields = (0..1 + self.rng.below(4)).map(|_| self.field()).collect();
            self.program.composites.push(Composite { name: format!("S{k}"), fields });
        }
    }

    fn field(&mut self) -> Ty {
        let rows = self.program.composites.len();
        match self.rng.below(10) {
            0 if self.has_all_types && self.rng.once_in(2) => self.narrow_ty(1),
            0 => self.ty().of_rank(1),
            1 if self.has_all_types && rows > 0 => self.array_field(),
            1 | 2 if rows > 0 => Ty::Composite(self.rng.below(rows) as u8, 0),
            _ => self.ty(),
        }
    }

    /// The row of a tuple.
    fn tuple(&mut self, fields: Vec<Ty>) -> u8 {
        let composite = Composite { name: String::new(), fields };
        let found = self.program.composites.iter().position(|other| *other == composite);
        found.unwrap_or_else(|| {
            self.program.composites.push(composite);
            self.program.composites.len() - 1
        }) as u8
    }

    /// The type of a struct or a tuple, or of an array of them.
    pub fn composite_ty(&mut self) -> Ty {
        let rows = self.program.composites.len();
        if rows == 0 || self.rng.once_in(5) {
            let fields = (0..2 + self.rng.below(2)).map(|_| self.field()).collect();
            return Ty::Composite(self.tuple(fields), 0);
        }
        let ty = Ty::Composite(self.rng.below(rows) as u8, 0);
        if self.has_shapes && self.program.is_flat(ty) { ty.of_rank(self.rng.one_of(&[0, 0, 1, 1, 2])) } else { ty }
    }

    fn variable(&self, v: usize) -> &Variable {
        &self.program.variables[v]
    }

    /// A function that is an argument. `body` has its parameters.
    fn lambda(&mut self, types: &[Ty], body: impl FnOnce(&mut Self, &[usize]) -> Expr) -> Box<Lambda> {
        let (visible, times) = (self.visible.len(), self.times);
        let mut parameters = Vec::new();
        for &ty in types {
            let v = self.new_variable(ty, format!("x{}", self.program.variables.len()));
            self.program.variables[v].fixed = true;
            parameters.push(v);
        }
        self.visible.extend(&parameters);
        self.times *= USUAL_EXTENT;
        self.lambdas += 1;
        let body = body(self, &parameters);
        self.lambdas -= 1;
        self.times = times;
        self.visible.truncate(visible);
        Box::new(Lambda { parameters, body, form: Form::Lambda })
    }

    /// An operator as an argument.
    fn section(&mut self, kind: Kind, ty: Ty) -> Box<Lambda> {
        let mut section =
            self.lambda(&[ty, ty], |_, parameters| binary(kind, name(parameters[0]), name(parameters[1])));
        if !self.rng.once_in(4) {
            section.form = Form::Section;
        }
        section
    }

    /// An associative operator on ints as an argument, and its neutral element.
    fn associative(&mut self) -> (Box<Lambda>, Expr) {
        if self.rng.once_in(5) {
            let larger = self.lambda(&[Ty::Int, Ty::Int], |_, p| {
                Expr::Choose(Box::new([binary(Kind::Gt, name(p[0]), name(p[1])), name(p[0]), name(p[1])]))
            });
            return (larger, int(i32::MIN));
        }
        let (kind, neutral) = self.rng.one_of(&ASSOCIATIVE);
        (self.section(kind, Ty::Int), int(neutral))
    }

    /// Visible arrays of numbers of a rank.
    fn of_rank(&self, rank: u8) -> Vec<usize> {
        let mut found = self.in_sight(Ty::Ints(rank));
        found.extend(self.in_sight(Ty::Floats(rank)));
        NARROW.iter().for_each(|ty| found.extend(self.in_sight(ty.of_rank(rank))));
        found
    }

    /// Draws what assigns none of some variables.
    fn keeping<T>(&mut self, kept: &[usize], draw: impl FnOnce(&mut Self) -> T) -> T {
        let before = kept.iter().map(|&v| std::mem::replace(&mut self.program.variables[v].fixed, true));
        let before: Vec<bool> = before.collect();
        let drawn = draw(self);
        for (&v, fixed) in kept.iter().zip(before).rev() {
            self.program.variables[v].fixed = fixed;
        }
        drawn
    }

    /// An array of numbers with the extents of a variable, which it does not assign.
    fn like(&mut self, v: usize, element: Ty, depth: usize) -> Expr {
        self.keeping(&[v], |me| me.drawn_like(v, element, depth))
    }

    fn drawn_like(&mut self, v: usize, element: Ty, depth: usize) -> Expr {
        let ty = self.variable(v).ty;
        let rank = ty.rank();
        self.spent += self.times * 8 * USUAL_EXTENT.pow(rank.into());
        if depth == 0 || self.spent > self.room {
            let numbers = if ty.is_narrow() { widened(v, ty) } else { name(v) };
            return if ty.element() == element {
                numbers
            } else {
                Expr::Cast(element.of_rank(rank), Box::new(numbers))
            };
        }
        let depth = depth - 1;
        match self.rng.below(17) {
            0..=3 => {
                let kind = self.operator(element);
                let (a, b) = (self.like(v, element, depth), self.operand(v, element, depth));
                if self.rng.once_in(3) { binary(kind, b, a) } else { binary(kind, a, b) }
            }
            4 if element == Ty::Int => {
                let (of, kind) = (self.ty(), self.rng.one_of(&COMPARISONS));
                let a = self.like(v, of, depth);
                binary(kind, a, self.operand(v, of, depth))
            }
            5 => {
                let op = if element == Ty::Int { self.rng.one_of(&["-", "!", "~"]) } else { "-" };
                Expr::Unary(op, Box::new(self.like(v, element, depth)))
            }
            6 => {
                let from = self.ty();
                Expr::Cast(element.of_rank(rank), Box::new(self.like(v, from, depth)))
            }
            7 if self.has_shapes => {
                let condition = self.operand(v, Ty::Int, depth);
                let a = self.like(v, element, depth);
                Expr::Where(Box::new([condition, a, self.operand(v, element, depth)]))
            }
            8..=10 => self.map_like(v, element, depth),
            11 if rank == 1 => self.scan_like(v, element, depth),
            11 if rank == 2 => {
                // Row by row.
                let row = element.of_rank(1);
                let kind = self.operator(element);
                let sum = self.lambda(&[row, row], |_, p| binary(kind, name(p[0]), name(p[1])));
                let first = Expr::Replicate(Box::new([size(v, 1), self.expr(element, depth.min(1))]));
                Expr::Second(Second::Scan, sum, vec![first, self.like(v, element, depth)])
            }
            12 if self.has_shapes => {
                let a = self.like(v, element, depth);
                Expr::Reshape(Box::new(a), (0..rank).map(|k| size(v, k)).collect())
            }
            13 if rank > 1 && self.has_shapes => {
                let inner = Expr::Perm(Box::new(self.like(v, element, depth)), self.swapped(rank));
                let kind = self.operator(element);
                let both = if self.rng.once_in(2) { binary(kind, inner.clone(), inner) } else { inner };
                Expr::Perm(Box::new(both), self.swapped(rank))
            }
            14 if self.has_shapes => {
                let dims = (0..1 + self.rng.below(rank.into()) as u8).map(|k| match self.rng.below(4) {
                    0 => Dim::All,
                    1 => Dim::Range(Some(int(0)), Some(size(v, k))),
                    2 => Dim::Range(Some(int(0)), None),
                    _ => Dim::Range(None, Some(size(v, k))),
                });
                let dims = dims.collect();
                Expr::Slice(Box::new(self.like(v, element, depth)), dims)
            }
            15 if self.has_shapes => Expr::Call(Callee::Builtin(runtime::ABS), vec![self.like(v, element, depth)]),
            16 if element == Ty::Float && self.has_shapes => {
                let id = self.rng.one_of(&[runtime::SQRT, runtime::FLOOR, runtime::SQRT]);
                Expr::Call(Callee::Builtin(id), vec![self.like(v, element, depth)])
            }
            _ => self.like(v, element, 0),
        }
    }

    fn operator(&mut self, element: Ty) -> Kind {
        if element == Ty::Int && self.rng.once_in(2) {
            self.rng.one_of(&INT_OPERATORS)
        } else {
            self.rng.one_of(&OPERATORS)
        }
    }

    /// The dimensions of a rank, the first two swapped.
    fn swapped(&self, rank: u8) -> Vec<u8> {
        [1, 0].into_iter().chain(2..rank).collect()
    }

    /// An operand for an array with the extents of a variable: the same, a number, or an array of lower rank.
    fn operand(&mut self, v: usize, element: Ty, depth: usize) -> Expr {
        let rank = self.variable(v).ty.rank();
        match self.rng.below(8) {
            0 | 1 => self.expr(element, depth.min(1)),
            2 if rank > 1 => self.extents_of_as(v, 1, element, depth),
            3 if self.rng.once_in(60) => self.expr(element.of_rank(rank), 1),
            _ => self.like(v, element, depth),
        }
    }

    /// An array of other elements with the extents of a variable from dimension `from` on.
    fn extents_of_as(&mut self, v: usize, from: u8, element: Ty, depth: usize) -> Expr {
        if from == self.variable(v).ty.rank() {
            return self.expr(element, depth.min(1));
        }
        let row = self.extents_of_as(v, from + 1, element, depth);
        Expr::Replicate(Box::new([size(v, from), row]))
    }

    fn map_like(&mut self, v: usize, element: Ty, depth: usize) -> Expr {
        let rank = self.variable(v).ty.rank();
        if rank == 1 && self.rng.once_in(4) {
            let kind = self.operator(element);
            let section = self.section(kind, element);
            let a = self.like(v, element, depth);
            return Expr::Second(Second::Map, section, vec![a, self.like(v, element, depth)]);
        }
        let types: Vec<Ty> = (0..self.rng.one_of(&[1, 1, 2, 3])).map(|_| self.ty().of_rank(rank - 1)).collect();
        let lambda = self.lambda(&types, |me, parameters| match rank {
            1 => me.named_call(parameters, element).unwrap_or_else(|| me.expr(element, depth.min(2))),
            _ => me.like(parameters[0], element, depth),
        });
        let lambda = self.named(lambda);
        let arrays = types.iter().map(|ty| self.like(v, ty.element(), depth));
        Expr::Second(Second::Map, lambda, arrays.collect())
    }

    /// A call of a function with exactly these arguments, if there is one.
    fn named_call(&mut self, parameters: &[usize], result: Ty) -> Option<Expr> {
        let types = |variables: &[usize]| variables.iter().map(|&v| self.variable(v).ty).collect::<Vec<_>>();
        let wanted = types(parameters);
        // It may count down from a first int.
        let fits = |&f: &usize| {
            let function = &self.program.functions[f];
            function.result == Some(result)
                && wanted[0] != Ty::Int
                && types(&function.parameters) == wanted
                && self.spent + self.times * self.cost[f] < self.room
        };
        let f = self.callable.iter().copied().find(fits)?;
        self.spent += self.times * self.cost[f];
        Some(Expr::Call(Callee::Own(f), parameters.iter().map(|&v| name(v)).collect()))
    }

    /// Writes a function by its name if its body is a call with its parameters.
    fn named(&mut self, mut lambda: Box<Lambda>) -> Box<Lambda> {
        if let Expr::Call(Callee::Own(_), arguments) = &lambda.body {
            let is_parameter = |(e, v): (&Expr, &usize)| matches!(e, Expr::Name(w) if w == v);
            let are_parameters = arguments.iter().zip(&lambda.parameters).all(is_parameter);
            if are_parameters && arguments.len() == lambda.parameters.len() && self.rng.once_in(2) {
                lambda.form = Form::Name;
            }
        }
        lambda
    }

    fn scan_like(&mut self, v: usize, element: Ty, depth: usize) -> Expr {
        if element == Ty::Int {
            let (lambda, neutral) = self.associative();
            return Expr::Second(Second::Scan, lambda, vec![neutral, self.like(v, element, depth)]);
        }
        let kind = self.rng.one_of(&[Kind::Add, Kind::Mul]);
        let neutral = float(if kind == Kind::Add { "0.0" } else { "1.0" });
        Expr::Second(Second::Scan, self.section(kind, element), vec![neutral, self.like(v, element, depth)])
    }

    /// A number that an array yields.
    pub fn folded(&mut self, ty: Ty, depth: usize) -> Expr {
        let arrays = self.of_rank(1);
        if arrays.is_empty() || self.spent > self.room {
            return self.literal(ty);
        }
        let v = self.rng.one_of(&arrays);
        let depth = depth.min(2);
        match self.rng.below(8) {
            0 | 1 if ty == Ty::Int => {
                let (lambda, neutral) = self.associative();
                Expr::Second(Second::Reduce, lambda, vec![neutral, self.like(v, ty, depth)])
            }
            2 => {
                let total = match ty {
                    Ty::Int => {
                        self.rng.one_of(&[Total::Sum, Total::Min, Total::Max, Total::All, Total::Any, Total::Count])
                    }
                    _ => self.rng.one_of(&[Total::Sum, Total::Product]),
                };
                Expr::Total(total, Box::new(self.like(v, ty, depth)))
            }
            3 if ty == Ty::Int => {
                let of = self.ty();
                let (kind, neutral) = self.rng.one_of(&ASSOCIATIVE);
                let lambda = self.lambda(&[Ty::Int, of], |me, p| {
                    let e = me.expr(Ty::Int, depth);
                    // Of the second only.
                    let shift = binary(Kind::And, e, int(7));
                    let x = if of == Ty::Int { name(p[1]) } else { Expr::Cast(Ty::Int, Box::new(name(p[1]))) };
                    binary(kind, name(p[0]), binary(Kind::Xor, x, shift))
                });
                Expr::Second(Second::Redomap(kind), lambda, vec![int(neutral), self.like(v, of, depth)])
            }
            4 | 5 if self.has_composites && !self.struct_arrays().is_empty() => {
                let v = self.rng.one_of(&self.struct_arrays());
                let row = self.variable(v).ty.of_rank(0);
                let lambda = self.lambda(&[ty, row], |me, _| me.expr(ty, depth));
                Expr::Second(Second::Fold, lambda, vec![self.expr(ty, depth.min(1)), name(v)])
            }
            _ => {
                let (of, is_backward) = (self.ty(), self.rng.once_in(2));
                let types = if is_backward { [of, ty] } else { [ty, of] };
                let lambda = self.lambda(&types, |me, _| me.expr(ty, depth));
                let second = if is_backward { Second::FoldRight } else { Second::Fold };
                let first = self.expr(ty, depth.min(1));
                Expr::Second(second, lambda, vec![first, self.like(v, of, depth)])
            }
        }
    }

    /// An array of numbers by an operation on whole arrays, if one fits.
    pub fn whole(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
        let (rank, element) = (ty.rank(), ty.element());
        let arrays = self.of_rank(rank);
        if arrays.is_empty() || rank == 0 {
            return None;
        }
        let v = self.rng.one_of(&arrays);
        let depth = depth.min(3);
        Some(match self.rng.below(12) {
            0 => {
                let row = ty.of_rank(rank - 1);
                let lambda = self.lambda(&[row], |me, p| match rank {
                    1 => me.expr(Ty::Int, depth.min(2)),
                    _ => binary(Kind::Gt, size(p[0], 0), me.expr(Ty::Int, 1)),
                });
                Expr::Second(Second::Filter, lambda, vec![self.like(v, element, depth)])
            }
            1 | 2 if self.has_shapes => {
                let dims = self.dims(v);
                Expr::Slice(Box::new(self.like(v, element, depth)), dims)
            }
            3 if rank == 1 => {
                let n = 1 + self.rng.below(5) as i32;
                let mut keys = binary(Kind::And, self.like(v, Ty::Int, depth), int(i32::MAX));
                if !self.rng.once_in(60) {
                    keys = binary(Kind::Rem, keys, int(n));
                }
                let (lambda, neutral) = match element {
                    Ty::Int => self.associative(),
                    _ => (self.section(Kind::Add, Ty::Float), float("0.0")),
                };
                Expr::Second(Second::Group, lambda, vec![neutral, int(n), keys, self.like(v, element, depth)])
            }
            3 | 4 if rank == 2 && self.has_shapes => Expr::Perm(Box::new(self.like(v, element, depth)), vec![1, 0]),
            3 | 4 if rank == 3 && self.has_shapes => {
                let order = self.rng.one_of(&[[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 2, 0]]);
                Expr::Perm(Box::new(self.like(v, element, depth)), order.to_vec())
            }
            5 if rank == 1 && self.has_shapes => self.flattened(element, depth)?,
            5 | 6 if rank == 2 => {
                let of = self.of_rank(1);
                if of.is_empty() {
                    return None;
                }
                let (v, w) = (self.rng.one_of(&of), self.rng.one_of(&of));
                let from = self.ty();
                let lambda = self.lambda(&[from], |me, p| {
                    let x = if from == element { name(p[0]) } else { Expr::Cast(element, Box::new(name(p[0]))) };
                    binary(me.operator(element), me.like(w, element, depth.min(2)), x)
                });
                Expr::Second(Second::Map, lambda, vec![self.like(v, from, depth)])
            }
            7 => {
                // Unequal extents, seldom.
                let w = self.rng.one_of(&arrays);
                let fits = (0..rank).map(|k| binary(Kind::Eq, size(v, k), size(w, k)));
                let fits = fits.reduce(|a, b| binary(Kind::Land, a, b)).expect("a dimension");
                let kind = self.operator(element);
                let depth = depth.min(1);
                let both =
                    self.keeping(&[v, w], |me| binary(kind, me.like(v, element, depth), me.like(w, element, depth)));
                if self.rng.once_in(30) { both } else { Expr::Choose(Box::new([fits, both, self.array_literal(ty)])) }
            }
            8 if rank == 1 && self.has_composites => self.column(ty)?,
            9 if rank == 1 && !self.struct_arrays().is_empty() => {
                let v = self.rng.one_of(&self.struct_arrays());
                let row = self.variable(v).ty.of_rank(0);
                let lambda = self.lambda(&[row], |me, _| me.expr(element, depth.min(2)));
                Expr::Second(Second::Map, lambda, vec![name(v)])
            }
            _ => self.like(v, element, depth),
        })
    }

    /// An array of higher rank as one of rank 1.
    fn flattened(&mut self, element: Ty, depth: usize) -> Option<Expr> {
        let mut arrays = self.of_rank(2);
        arrays.extend(self.of_rank(3));
        if arrays.is_empty() {
            return None;
        }
        let v = self.rng.one_of(&arrays);
        let count =
            (1..self.variable(v).ty.rank()).fold(size(v, 0), |product, k| binary(Kind::Mul, product, size(v, k)));
        Some(Expr::Reshape(Box::new(self.like(v, element, depth)), vec![count]))
    }

    /// The array of a field of an array of structs.
    fn column(&mut self, ty: Ty) -> Option<Expr> {
        let fits = |me: &Self, v: &usize| match me.variable(*v).ty {
            of @ Ty::Composite(row, 1) if !me.program.composites[row as usize].name.is_empty() => {
                (0..4).any(|k| me.program.field(of, k) == Some(ty))
            }
            _ => false,
        };
        let v = self.visible.iter().rev().copied().find(|v| fits(self, v) && self.is_in_sight(*v))?;
        let k = (0..4).find(|&k| self.program.field(self.variable(v).ty, k) == Some(ty))?;
        Some(Expr::Field(Box::new(name(v)), k as u8))
    }

    /// Visible arrays of structs or tuples.
    fn struct_arrays(&self) -> Vec<usize> {
        let rows = 0..self.program.composites.len() as u8;
        rows.flat_map(|row| self.in_sight(Ty::Composite(row, 1))).collect()
    }

    fn is_in_sight(&self, v: usize) -> bool {
        self.in_sight(self.variable(v).ty).contains(&v)
    }

    /// The dimensions of a slice of an array with the extents of a variable, which keep the rank. They have no side effects.
    fn dims(&mut self, v: usize) -> Vec<Dim> {
        let rank = self.variable(v).ty.rank();
        (0..1 + self.rng.below(rank.into()) as u8).map(|k| self.dim(v, k)).collect()
    }

    fn dim(&mut self, v: usize, k: u8) -> Dim {
        let part = |n: i32| binary(Kind::Div, size(v, k), int(n));
        let rest = |n: i32| binary(Kind::Sub, size(v, k), binary(Kind::Div, size(v, k), int(n)));
        match self.rng.below(6) {
            0 => Dim::All,
            1 => Dim::Range(Some(part(2)), None),
            2 => Dim::Range(None, Some(part(2))),
            3 => Dim::Range(Some(part(3)), Some(rest(3))),
            4 if self.rng.once_in(20) => Dim::Range(Some(int(1)), Some(int(2))),
            _ => {
                let n = self.in_sight(Ty::Int);
                let bound = match n.is_empty() {
                    true => part(4),
                    false => {
                        let e = binary(Kind::And, name(self.rng.one_of(&n)), int(i32::MAX));
                        binary(Kind::Rem, e, binary(Kind::Add, size(v, k), int(1)))
                    }
                };
                if self.rng.once_in(2) { Dim::Range(Some(bound), None) } else { Dim::Range(Some(int(0)), Some(bound)) }
            }
        }
    }

    /// An update of a part of an array.
    fn slice_update(&mut self, body: &mut Vec<Stmt>, v: usize) {
        let ty = self.variable(v).ty;
        let mut condition = int(1);
        // The value assigns nothing, since the bounds are computed twice.
        self.lambdas += 1;
        let (dims, value) = match self.rng.below(5) {
            0 => {
                // Overlapping parts.
                condition = has_elements(v, 1);
                let last = binary(Kind::Sub, size(v, 0), int(1));
                let (to, from) = (vec![Dim::Range(Some(int(1)), None)], vec![Dim::Range(None, Some(last))]);
                let (to, from) = if self.rng.once_in(2) { (to, from) } else { (from, to) };
                (to, Expr::Slice(Box::new(name(v)), from))
            }
            1 if ty.rank() == 2 => {
                // A column.
                let n = binary(Kind::Mul, size(v, 0), size(v, 1));
                condition = binary(Kind::Gt, n, int(0));
                let index = binary(Kind::Rem, int(self.rng.below(3) as i32), size(v, 1));
                let dims = vec![Dim::All, Dim::At(index)];
                let column = Expr::Replicate(Box::new([size(v, 0), self.expr(ty.element(), 2)]));
                (dims, narrowed(ty.of_rank(1), column))
            }
            _ => {
                let dims = self.dims(v);
                let of = narrowed(ty, self.like(v, ty.element(), 2));
                let value = Expr::Slice(Box::new(of), dims.clone());
                (dims, value)
            }
        };
        self.lambdas -= 1;
        body.push(Stmt::If(condition, vec![Stmt::UpdateSlice(v, dims, value)], None));
    }

    /// A statement about whole arrays, structs or tuples.
    pub fn whole_statement(&mut self, body: &mut Vec<Stmt>, first_own: usize) {
        let changeable = self.changeable();
        match self.rng.below(10) {
            0 | 1 if self.has_shapes && !changeable.is_empty() => {
                let v = self.rng.one_of(&changeable);
                self.slice_update(body, v);
            }
            2..=4 if self.has_shapes => self.print_some(body),
            7 if !self.struct_arrays().is_empty() => {
                let v = self.rng.one_of(&self.struct_arrays());
                let row = self.variable(v).ty.of_rank(0);
                if !self.assignable(row.of_rank(1)).contains(&v) {
                    return self.print_some(body);
                }
                let (index, value) = self.keeping(&[v], |me| (me.index(v, 0, 2), me.composite(row, 2)));
                body.push(Stmt::If(has_elements(v, 1), vec![Stmt::Update(v, vec![index], value)], None));
            }
            8 if self.has_composites => self.set_field(body),
            5 | 6 if self.has_composites => self.split(body, first_own),
            _ if !self.has_composites => {
                let ty = self.array_ty();
                let e = self.array(ty, 4);
                let v = self.declare(ty, first_own);
                body.push(Stmt::Expr(Expr::Declare(v, Some(Box::new(e)), false)));
                self.visible.push(v);
            }
            _ => {
                let ty = self.composite_ty();
                let e = (!self.rng.once_in(8)).then(|| Box::new(self.composite(ty, 3)));
                let v = self.declare(ty, first_own);
                let typed = self.rng.once_in(2);
                body.push(Stmt::Expr(Expr::Declare(v, e, typed)));
                self.visible.push(v);
            }
        }
    }

    /// Returns fields of a struct, each of the one before, and the type of the last. Parts of tuples have no names.
    fn path(&mut self, struct_: Ty) -> (Vec<u8>, Ty) {
        let (mut path, mut ty) = (Vec::new(), struct_);
        while let Ty::Composite(row, 0) = ty {
            let composite = &self.program.composites[row as usize];
            if composite.name.is_empty() || !path.is_empty() && self.rng.once_in(3) {
                break;
            }
            let k = self.rng.below(composite.fields.len());
            ty = composite.fields[k];
            path.push(k as u8);
        }
        (path, ty)
    }

    /// A field of a variable, or of an element of it, gets a value.
    fn set_field(&mut self, body: &mut Vec<Stmt>) {
        let rows = 0..self.program.composites.len() as u8;
        let types = rows.flat_map(|row| [Ty::Composite(row, 0), Ty::Composite(row, 1)]);
        let found: Vec<usize> = types.flat_map(|ty| self.assignable(ty)).collect();
        if found.is_empty() {
            return self.print_some(body);
        }
        let v = self.rng.one_of(&found);
        let of = self.variable(v).ty;
        let (path, ty) = self.path(of.of_rank(0));
        if path.is_empty() {
            return self.print_some(body);
        }
        if of.rank() == 0 {
            let e = self.expr(ty, 3);
            // A new array, so that the struct shares memory with no other.
            let e = if self.program.has_array(ty) && ty.rank() > 0 { Expr::Call(Callee::Copy, vec![e]) } else { e };
            if ty.rank() > 0 || self.program.is_flat(ty) {
                body.push(Stmt::SetField(v, Vec::new(), path, e));
            }
            return;
        }
        let (index, value) = self.keeping(&[v], |me| (me.index(v, 0, 2), me.expr(ty, 2)));
        body.push(Stmt::If(has_elements(v, 1), vec![Stmt::SetField(v, vec![index], path, value)], None));
    }

    /// Prints a value of any type.
    fn print_some(&mut self, body: &mut Vec<Stmt>) {
        self.spent += self.times * 600;
        let ty = match self.rng.below(4) {
            0 => self.ty(),
            1 if self.has_composites => self.composite_ty(),
            _ => self.array_ty(),
        };
        let e = self.expr(ty, 3);
        body.push(Stmt::Expr(Expr::Call(Callee::Print, vec![e])));
    }

    /// Divides an array or a tuple into its parts.
    fn split(&mut self, body: &mut Vec<Stmt>, first_own: usize) {
        let arrays = self.of_rank(1);
        if arrays.is_empty() || !self.has_shapes {
            let fields = (0..2 + self.rng.below(2)).map(|_| self.field()).collect();
            let tuple = Ty::Composite(self.tuple(fields), 0);
            let e = self.composite(tuple, 2);
            return self.destructure(body, e, first_own);
        }
        let (v, element) = (self.rng.one_of(&arrays), self.ty());
        let e = match self.rng.below(4) {
            0 => {
                let (x, y) = (self.ty(), self.ty());
                let (a, b) = (self.like(v, x, 2), self.like(v, y, 2));
                let zipped = self.tuple(vec![x, y]);
                let arrays = self.tuple(vec![x.of_rank(1), y.of_rank(1)]);
                let mut pairs = Expr::Zip(zipped, vec![a, b]);
                if self.rng.once_in(2) {
                    pairs = Expr::Slice(Box::new(pairs), self.dims(v));
                }
                Expr::Unzip(arrays, Box::new(pairs))
            }
            1 => {
                let ty = self.composite_ty().of_rank(0);
                let Ty::Composite(row, _) = ty else { return };
                if !self.program.composites[row as usize].name.is_empty() {
                    return self.print_some(body);
                }
                self.composite(ty, 2)
            }
            _ => {
                let row = self.tuple(vec![element.of_rank(1); 2]);
                let n = match self.dim(v, 0) {
                    Dim::Range(Some(n), _) | Dim::Range(_, Some(n)) => n,
                    _ => int(0),
                };
                Expr::Split(row, Box::new([self.like(v, element, 2), n]))
            }
        };
        self.destructure(body, e, first_own);
    }

    /// Gives the parts of a tuple names.
    fn destructure(&mut self, body: &mut Vec<Stmt>, e: Expr, first_own: usize) {
        let Some(ty @ Ty::Composite(row, 0)) = self.program.type_of(&e) else { return };
        let fields = self.program.composites[row as usize].fields.len();
        let types: Vec<Ty> = (0..fields).map(|k| self.program.field(ty, k).expect("a field")).collect();
        let names: Vec<usize> = types.into_iter().map(|ty| self.declare(ty, first_own)).collect();
        body.push(Stmt::Destructure(names.clone(), e));
        self.visible.extend(names);
    }

    /// An expression whose value is a struct or a tuple, or an array of them.
    pub fn composite(&mut self, ty: Ty, depth: usize) -> Expr {
        self.spent += self.times * 20;
        let Ty::Composite(row, rank) = ty else { return self.expr(ty, depth) };
        let names = self.in_sight(ty);
        if !names.is_empty() && (depth == 0 || self.rng.once_in(3)) {
            return name(self.rng.one_of(&names));
        }
        let depth = depth.saturating_sub(1);
        if rank == 0 {
            return match self.rng.below(8) {
                0 if depth > 0 => {
                    let condition = self.expr(Ty::Int, 1);
                    Expr::Choose(Box::new([condition, self.composite(ty, depth), self.composite(ty, depth)]))
                }
                1 if depth > 0 => self.call(ty, depth).unwrap_or_else(|| self.composite(ty, 0)),
                2 | 3 if self.program.is_flat(ty) => self.element_of(ty, depth),
                5 if depth > 0 && self.has_shapes && !self.of_rank(1).is_empty() && self.spent < self.room => {
                    let (v, of) = (self.rng.one_of(&self.of_rank(1)), self.ty());
                    let lambda = self.lambda(&[ty, of], |me, _| me.composite(ty, depth));
                    Expr::Second(Second::Fold, lambda, vec![self.composite(ty, 0), self.like(v, of, 1)])
                }
                4 if depth > 0 && !self.assignable(ty).is_empty() => {
                    let v = self.rng.one_of(&self.assignable(ty));
                    Expr::Assign(v, Box::new(self.composite(ty, depth)))
                }
                _ => {
                    let fields = self.program.composites[row as usize].fields.clone();
                    Expr::Struct(row, fields.into_iter().map(|ty| self.expr(ty, depth.min(2))).collect())
                }
            };
        }
        let row_type = ty.of_rank(rank - 1);
        match self.rng.below(10) {
            0 if rank == 1 && depth > 0 => self.map_to(row_type, depth),
            8 if rank == 1 && depth > 0 && self.is_tuple_of_numbers(row) => self.zipped(row, depth),
            1 if rank == 1 && !names.is_empty() => {
                let v = self.rng.one_of(&names);
                let lambda = self.lambda(&[row_type], |me, _| me.expr(Ty::Int, 2));
                Expr::Second(Second::Filter, lambda, vec![name(v)])
            }
            2 if !names.is_empty() => {
                let v = self.rng.one_of(&names);
                Expr::Slice(Box::new(name(v)), self.dims(v))
            }
            3 if !names.is_empty() => {
                let v = self.rng.one_of(&names);
                if rank == 2 {
                    return Expr::Perm(Box::new(name(v)), vec![1, 0]);
                }
                Expr::Call(Callee::Concat, vec![name(v), Expr::Array(vec![self.composite(row_type, depth)])])
            }
            4 if !names.is_empty() => {
                let v = self.rng.one_of(&names);
                let condition = self.expr(Ty::Int, 1);
                Expr::Choose(Box::new([condition, name(v), Expr::Call(Callee::Copy, vec![name(v)])]))
            }
            5 if depth > 0 => self.call(ty, depth).unwrap_or_else(|| self.composite(ty, 0)),
            6 | 7 => {
                let n = self.few(depth.min(1));
                Expr::Replicate(Box::new([n, self.composite(row_type, depth)]))
            }
            9 if rank == 1 && depth > 0 && !self.of_rank(1).is_empty() && self.spent < self.room => {
                let (v, of) = (self.rng.one_of(&self.of_rank(1)), self.ty());
                let values = self.lambda(&[of], |me, _| me.composite(row_type, 1));
                let lambda = self.lambda(&[row_type, row_type], |me, _| me.composite(row_type, 1));
                let first = self.composite(row_type, 0);
                let keys = binary(Kind::And, self.like(v, Ty::Int, 1), int(3));
                let values = Expr::Second(Second::Map, values, vec![self.like(v, of, 1)]);
                Expr::Second(Second::Group, lambda, vec![first, int(4), keys, values])
            }
            _ if rank == 1 => {
                let n = 1 + self.rng.below(3);
                Expr::Array((0..n).map(|_| self.composite(row_type, depth.min(1))).collect())
            }
            _ => {
                let one = self.composite(row_type, depth.min(1));
                let n = int(1 + self.rng.below(3) as i32);
                Expr::Replicate(Box::new([n, one]))
            }
        }
    }

    fn is_tuple_of_numbers(&self, row: u8) -> bool {
        let composite = &self.program.composites[row as usize];
        composite.name.is_empty() && composite.fields.iter().all(|ty| matches!(ty, Ty::Int | Ty::Float))
    }

    /// Arrays of numbers as an array of tuples.
    fn zipped(&mut self, row: u8, depth: usize) -> Expr {
        let fields = self.program.composites[row as usize].fields.clone();
        let arrays = self.of_rank(1);
        if arrays.is_empty() {
            return Expr::Zip(row, fields.into_iter().map(|ty| Expr::Array(vec![self.expr(ty, 1)])).collect());
        }
        let v = self.rng.one_of(&arrays);
        Expr::Zip(row, fields.into_iter().map(|ty| self.like(v, ty, depth)).collect())
    }

    /// A map of numbers to structs.
    fn map_to(&mut self, row: Ty, depth: usize) -> Expr {
        let arrays = self.of_rank(1);
        if arrays.is_empty() {
            return Expr::Array(vec![self.composite(row, depth)]);
        }
        let (v, of) = (self.rng.one_of(&arrays), self.ty());
        let lambda = self.lambda(&[of], |me, _| me.composite(row, depth.min(2)));
        Expr::Second(Second::Map, lambda, vec![self.like(v, of, depth)])
    }

    /// An element of an array of structs.
    fn element_of(&mut self, ty: Ty, depth: usize) -> Expr {
        let arrays = self.in_sight(ty.of_rank(1));
        if arrays.is_empty() {
            return self.composite(ty, 0);
        }
        let v = self.rng.one_of(&arrays);
        let index = self.index(v, 0, 1);
        let read = Expr::Index(Box::new(name(v)), vec![index]);
        Expr::Choose(Box::new([has_elements(v, 1), read, self.composite(ty, depth.min(1))]))
    }

    /// A number in a field of a visible struct.
    pub fn field_of_some(&mut self, ty: Ty) -> Expr {
        let mut fields = Vec::new();
        for (row, composite) in self.program.composites.iter().enumerate() {
            let of = Ty::Composite(row as u8, 0);
            let fitting = composite.fields.iter().enumerate().filter(|&(_, &field)| field == ty);
            let named = if composite.name.is_empty() { Vec::new() } else { self.in_sight(of) };
            fields.extend(fitting.flat_map(|(k, _)| named.iter().map(move |&v| (v, k))));
        }
        if fields.is_empty() {
            return nothing(ty);
        }
        let (v, k) = self.rng.one_of(&fields);
        Expr::Field(Box::new(name(v)), k as u8)
    }
}
