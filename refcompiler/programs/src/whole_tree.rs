//! Operations on whole arrays in random trees.

use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::{Composite, Field, Tree, kind, runtime, ty};

use crate::array_tree::{Builder, array, element, rank};

/// A tuple of numbers, an array of them, a struct with an array, and an array of these.
const PAIR: u8 = 128;
const PAIRS: u8 = 129;
const RECORD: u8 = 130;
const RECORDS: u8 = 131;
/// An array of rank 3 of tuples.
const TABLE: u8 = 132;

/// The tree of a seed, with operations on whole arrays: of about `size` nodes.
pub fn whole_tree(seed: u64, size: usize) -> Tree {
    let field = |ty| Field { name: String::new(), ty };
    let composite = |rank, fields: [u8; 2]| Composite {
        name: String::new(),
        rank,
        fields: fields.into_iter().map(field).collect(),
    };
    let (pair, record) = ([ty::INT, ty::FLOAT], [PAIR, array(ty::INT, 1)]);
    let composites =
        vec![composite(0, pair), composite(1, pair), composite(0, record), composite(1, record), composite(3, pair)];
    Builder::new(seed, Tree { arrays: true, loops: true, composites, ..Tree::default() }).tree(size)
}

impl Builder {
    /// Returns the type of an array and of its rows.
    fn rows(&mut self) -> (u8, u8) {
        let element = self.element_type();
        let rank = self.rng.one_of(&[0, 0, 0, 1, 2, 14]);
        let number = (array(element, rank + 1), array(element, rank));
        self.rng.one_of(&[number, number, number, (PAIRS, PAIR), (RECORDS, RECORD)])
    }

    /// A statement that prints a value.
    pub(crate) fn print(&mut self, depth: u32) {
        self.node(depth, kind::EXPRESSION, ty::VOID, 0);
        let line = self.rng.below(2) as u32;
        self.node(depth + 1, kind::PRINT, ty::VOID, line);
        let ty = self.rng.one_of(&[PAIR, PAIRS, TABLE, RECORDS, array(ty::INT, 2)]);
        self.operand(depth + 2, ty);
    }

    /// A value of any type.
    fn operand(&mut self, depth: u32, ty: u8) {
        if Type::from_code(ty).is_composite() { self.leaf(depth, ty) } else { self.value(depth, ty) }
    }

    /// A function with parameters of some types.
    fn lambda(&mut self, depth: u32, parameters: &[u8], ty: u8) {
        let variables = self.variables.len();
        self.node(depth, kind::LAMBDA, ty, 0);
        for &parameter in parameters {
            let node = self.node(depth + 1, kind::PARAM, parameter, 0);
            self.variables.push((node, parameter));
        }
        self.operand(depth + 1, ty);
        self.variables.truncate(variables);
    }

    /// A reduction to a value of a type.
    pub(crate) fn reduction(&mut self, depth: u32, ty: u8) {
        let position = self.position();
        let own = self.rng.one_of(&[kind::REDUCE, kind::FOLD_RIGHT, kind::REDOMAP]);
        let arrays: Vec<(u8, u8)> =
            (0..if own == kind::REDOMAP { 1 + self.rng.below(4) } else { 1 }).map(|_| self.rows()).collect();
        self.node(depth, own, ty, position);
        let mut parameters: Vec<u8> = arrays.iter().map(|rows| rows.1).collect();
        parameters.insert(if own == kind::FOLD_RIGHT { 1 } else { 0 }, ty);
        self.lambda(depth + 1, &parameters, ty);
        self.operand(depth + 1, ty);
        arrays.into_iter().for_each(|rows| self.operand(depth + 1, rows.0));
    }

    /// An operation on whole arrays of which the result has a type.
    pub(crate) fn whole(&mut self, depth: u32, ty: u8) {
        let row = array(element(ty), rank(ty) - 1);
        let position = self.position();
        match self.rng.below(7) {
            0 => self.reduction(depth, ty),
            1 => {
                let many = if self.rng.once_in(20) { 300 } else { 1 + self.rng.below(4) };
                let arrays: Vec<(u8, u8)> = (0..many).map(|_| self.rows()).collect();
                self.node(depth, kind::MAP, ty, position);
                let parameters: Vec<u8> = arrays.iter().map(|rows| rows.1).collect();
                self.lambda(depth + 1, &parameters, row);
                arrays.into_iter().for_each(|rows| self.operand(depth + 1, rows.0));
            }
            2 => {
                self.node(depth, kind::SCAN, ty, position);
                let (all, one) = self.rows();
                self.lambda(depth + 1, &[row, one], row);
                self.value(depth + 1, row);
                self.operand(depth + 1, all);
            }
            3 => {
                self.node(depth, kind::FILTER, ty, position);
                self.lambda(depth + 1, &[row], ty::INT);
                self.value(depth + 1, ty);
            }
            4 => {
                self.node(depth, kind::GROUP, ty, position);
                let (all, one) = self.rows();
                self.lambda(depth + 1, &[row, one], row);
                self.value(depth + 1, row);
                self.value(depth + 1, ty::INT);
                self.value(depth + 1, array(ty::INT, 1));
                self.operand(depth + 1, all);
            }
            _ => self.elementwise(depth, ty),
        }
    }

    /// The types of operands, of which one has full rank.
    fn operands(&mut self, types: &[u8], full: u32) -> Vec<u8> {
        let at = self.rng.below(types.len());
        let lower = |this: &mut Self| {
            let any = this.rng.below(full as usize + 1) as u32;
            this.rng.one_of(&[0, full, any])
        };
        (0..types.len()).map(|k| array(types[k], if k == at { full } else { lower(self) })).collect()
    }

    /// An operation on elements.
    fn elementwise(&mut self, depth: u32, ty: u8) {
        let (own, full, position) = (element(ty), rank(ty), self.position());
        match self.rng.below(7) {
            0 => {
                self.node(depth, kind::WHERE, ty, position);
                for operand in self.operands(&[ty::INT, own, own], full) {
                    self.value(depth + 1, operand);
                }
            }
            1 => {
                let kind = self.rng.one_of(&[kind::NEGATE, kind::CAST, kind::ABS]);
                self.node(depth, kind, ty, position);
                let from = if kind == kind::CAST { self.element_type() } else { own };
                self.value(depth + 1, array(from, full));
            }
            2 if own == ty::FLOAT => {
                self.node(depth, kind::SQRT, ty, position);
                self.node(depth + 1, kind::ASCRIBE, ty, 0);
                self.value(depth + 2, ty);
            }
            3 if own == ty::FLOAT => {
                self.node(depth, kind::ASCRIBE, ty, position);
                self.node(depth + 1, kind::CALL, ty, runtime::POW);
                for (k, operand) in self.operands(&[own, own], full).into_iter().enumerate() {
                    self.node(depth + 2, kind::ARG, operand, k as u32);
                    self.value(depth + 3, operand);
                }
            }
            4 if own == ty::FLOAT => {
                self.node(depth, kind::CALL, ty, runtime::EXP);
                self.node(depth + 1, kind::ARG, ty, 0);
                self.value(depth + 2, ty);
            }
            3 if own == ty::BYTE => {
                self.node(depth, kind::ASCRIBE, ty, position);
                self.node(depth + 1, kind::CALL, ty, runtime::ADD_BYTES);
                for (k, operand) in self.operands(&[own, own], full).into_iter().enumerate() {
                    self.node(depth + 2, kind::ARG, operand, k as u32);
                    self.value(depth + 3, operand);
                }
            }
            5 if own == ty::INT => {
                let of = self.element_type();
                self.node(depth, kind::LT, ty, position);
                for operand in self.operands(&[of, of], full) {
                    self.value(depth + 1, operand);
                }
            }
            _ => {
                let kind = self.rng.one_of(&[kind::ADD, kind::MUL, kind::REM]);
                self.node(depth, kind, ty, position);
                for operand in self.operands(&[own, own], full) {
                    self.value(depth + 1, operand);
                }
            }
        }
    }
}
