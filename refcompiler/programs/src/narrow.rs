//! Narrow arrays, types with sizes, and fields that are arrays of structs, in random programs.

use refcompiler::ir::kinds::Kind;
use refcompiler::ir::tree::runtime;

use crate::arrays::{NARROW, binary, int, size};
use crate::draw::Generator;
use crate::syntax::{Callee, Expr, Size, Stmt, Ty};
use crate::whole::COMPARISONS;

/// Operators whose value is an array of the same narrow elements.
const OPERATORS: [Kind; 11] = [
    Kind::Add,
    Kind::Sub,
    Kind::Mul,
    Kind::Div,
    Kind::Rem,
    Kind::And,
    Kind::Or,
    Kind::Xor,
    Kind::Shl,
    Kind::Shr,
    Kind::Ushr,
];

/// Returns an array of ints as one of a narrow type; of another type, the array itself.
pub fn narrowed(ty: Ty, ints: Expr) -> Expr {
    if ty.is_narrow() { Expr::Ascribe(ty, Box::new(ints)) } else { ints }
}

/// Returns a variable of a narrow type as an array of ints.
pub fn widened(v: usize, ty: Ty) -> Expr {
    Expr::Ascribe(Ty::Ints(ty.rank()), Box::new(Expr::Name(v)))
}

impl Generator {
    /// A type of narrow arrays of a rank.
    pub fn narrow_ty(&mut self, rank: u8) -> Ty {
        self.rng.one_of(&NARROW).of_rank(rank)
    }

    /// The type of a field: an array of structs or tuples of numbers, if the program has such.
    pub fn array_field(&mut self) -> Ty {
        let rows = self.program.composites.len() as u8;
        let flat: Vec<Ty> = (0..rows).map(|row| Ty::Composite(row, 0)).filter(|&ty| self.program.is_flat(ty)).collect();
        if flat.is_empty() { self.ty() } else { self.rng.one_of(&flat).of_rank(1) }
    }

    /// A narrow array, or an array of ints by an operation on a narrow one, if one fits.
    pub fn narrow_or_from_narrow(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
        if ty.is_narrow() {
            return self.narrow(ty, depth);
        }
        if ty.element() != Ty::Int {
            return None;
        }
        let of = self.narrow_ty(ty.rank());
        let a = self.array(of, depth);
        Some(match self.rng.below(3) {
            0 => {
                let kind = self.rng.one_of(&COMPARISONS);
                binary(kind, a, self.expr(Ty::Int, depth.min(1)))
            }
            1 => binary(Kind::Land, a, self.expr(Ty::Int, depth.min(1))),
            _ => Expr::Ascribe(ty, Box::new(a)),
        })
    }

    /// A narrow array by an operation on numbers, if one is drawn.
    fn narrow(&mut self, ty: Ty, depth: usize) -> Option<Expr> {
        let a = |me: &mut Self| Box::new(me.array(ty, depth));
        Some(match self.rng.below(12) {
            0 | 1 => Expr::Ascribe(ty, Box::new(self.array(Ty::Ints(ty.rank()), depth))),
            2 => {
                let other = self.narrow_ty(ty.rank());
                Expr::Ascribe(ty, Box::new(self.array(other, depth)))
            }
            3 | 4 => {
                let (kind, a, number) = (self.rng.one_of(&OPERATORS), *a(self), self.expr(Ty::Int, depth.min(1)));
                if self.rng.once_in(3) { binary(kind, number, a) } else { binary(kind, a, number) }
            }
            5 => self.same_extents(ty)?,
            6 => Expr::Unary("-", a(self)),
            7 => Expr::Call(Callee::Builtin(runtime::ABS), vec![*a(self)]),
            _ => return None,
        })
    }

    /// An operation on two narrow arrays, which are one variable.
    fn same_extents(&mut self, ty: Ty) -> Option<Expr> {
        let names = self.in_sight(ty);
        if names.is_empty() {
            return None;
        }
        let v = self.rng.one_of(&names);
        let kind = self.rng.one_of(&OPERATORS);
        let a = binary(kind, Expr::Name(v), int(self.rng.below(300) as i32));
        if self.rng.once_in(2) {
            return Some(binary(self.rng.one_of(&OPERATORS), a, Expr::Name(v)));
        }
        let condition = binary(self.rng.one_of(&COMPARISONS), Expr::Name(v), int(self.rng.below(300) as i32));
        Some(Expr::Where(Box::new([condition, a, Expr::Name(v)])))
    }

    /// A new variable for a size, which is in scope from now on.
    fn new_size(&mut self) -> usize {
        let n = self.new_variable(Ty::Int, format!("n{}", self.program.variables.len()));
        self.program.variables[n].fixed = true;
        self.visible.push(n);
        n
    }

    /// Gives the type of a parameter sizes, which are new. Very seldom, one has to be equal to another.
    pub fn parameter_sizes(&mut self, parameter: usize) {
        if !self.rng.once_in(3) {
            return;
        }
        let mut sizes = Vec::new();
        for _ in 0..self.program.variables[parameter].ty.rank() {
            let same = self.program.variables.last().filter(|v| v.fixed && v.ty == Ty::Int);
            sizes.push(match self.rng.below(4) {
                0 => None,
                1 if same.is_some() && self.rng.once_in(12) => Some(Size::Name(self.program.variables.len() - 1)),
                2 if self.rng.once_in(20) => Some(Size::Literal(2)),
                _ => Some(Size::Name(self.new_size())),
            });
        }
        // The head names the sizes of the last dimension first.
        self.program.variables[parameter].sizes = sizes;
    }

    /// A variable whose type has sizes: the extents of a variable. It has zeros, or the value has these extents.
    pub fn sized_declaration(&mut self, body: &mut Vec<Stmt>, first_own: usize) {
        let arrays: Vec<usize> = [Ty::Int, Ty::Float].into_iter().flat_map(|ty| self.arrays_of(ty)).collect();
        if arrays.is_empty() {
            return;
        }
        let v = self.rng.one_of(&arrays);
        let ty = self.program.variables[v].ty;
        let mut sizes = Vec::new();
        for k in 0..ty.rank() {
            let n = self.new_size();
            body.push(Stmt::Expr(Expr::Declare(n, Some(Box::new(size(v, k))), false)));
            sizes.push(Some(if self.rng.once_in(60) { Size::Literal(3) } else { Size::Name(n) }));
        }
        let value = match self.rng.below(4) {
            0 | 1 => {
                let value = self.extents_of(v, 0, 2);
                if self.rng.once_in(2) {
                    let k = self.rng.below(sizes.len());
                    sizes[k] = None;
                }
                Some(Box::new(value))
            }
            // Only numbers of four bytes are zeros without a value.
            _ if ty.is_narrow() => Some(Box::new(Expr::Call(Callee::Copy, vec![Expr::Name(v)]))),
            _ => None,
        };
        let made = self.declare(ty, first_own);
        self.program.variables[made].sizes = sizes;
        body.push(Stmt::Expr(Expr::Declare(made, value, true)));
        self.visible.push(made);
    }
}
