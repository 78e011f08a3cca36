//! Trees with the kinds that follow the lowering of arrays, and the meaning of another tree: reads and assignments of variables
//! become accesses to their memory, and statements and checks that hold come into expressions.

use refcompiler::ir::kinds::Kind;
use refcompiler::ir::tree::{Linkage, Tree, kind, runtime, ty};

use crate::rng::Rng;

struct Rewriter<'a> {
    from: &'a Tree,
    rng: Rng,
    tree: Tree,
    /// The new node of each node so far.
    moved: Vec<u32>,
    /// The next node of the other tree.
    next: usize,
}

/// Returns a tree that means the same.
pub fn lowered(from: &Tree, seed: u64) -> Tree {
    let mut tree = Tree { functions: from.functions.clone(), ..Tree::default() };
    tree.functions[runtime::CHECK_FAILED as usize].linkage = Linkage::Stub;
    let mut rewriter = Rewriter { from, rng: Rng::new(seed), tree, moved: Vec::new(), next: 0 };
    while rewriter.next < from.len() {
        rewriter.subtree(0);
    }
    rewriter.tree
}

/// Returns whether a node's value is 0 or 1.
fn is_truth(k: u8) -> bool {
    k == kind::NOT || Kind::from_code(k).is_comparison()
}

impl Rewriter<'_> {
    fn node(&mut self, depth: u32, kind: u8, ty: u8, data: u32) -> u32 {
        let i = self.tree.len() as u32;
        self.tree.depth.push(depth);
        self.tree.kind.push(kind);
        self.tree.ty.push(ty);
        self.tree.data.push(data);
        self.tree.pos.push(self.from.pos[self.next.min(self.from.len() - 1)]);
        i
    }

    fn int(&mut self, depth: u32, value: u32) {
        self.node(depth, kind::LITERAL, ty::INT, value);
    }

    /// A read of a variable.
    fn read(&mut self, depth: u32, ty: u8, variable: u32) {
        match self.rng.below(7) {
            6 if ty == ty::INT => {
                // The first or the second word of a block in memory.
                let (read, distance) = self.rng.one_of(&[(kind::DATA, 0), (kind::EXTENT, 4)]);
                self.node(depth, kind::SEQUENCE, ty, 0);
                self.node(depth + 1, kind::EXPRESSION, ty::VOID, 0);
                let block = self.node(depth + 2, kind::DECLARE, ty::INT, 0);
                self.node(depth + 3, kind::SUB, ty::INT, 0);
                self.node(depth + 4, kind::ADDRESS, ty::INT, variable);
                self.int(depth + 4, distance);
                self.node(depth + 1, read, ty, block);
            }
            5 if ty == ty::INT => {
                let (add, bytes) = self.rng.one_of(&[(kind::ADD_WORDS, 4), (kind::ADD_SHORTS, 2)]);
                let index = self.rng.one_of(&[1, 7, u32::MAX, 70_000]);
                self.node(depth, add, ty, 0);
                self.node(depth + 1, kind::SUB, ty, 0);
                self.node(depth + 2, kind::NAME, ty, variable);
                self.int(depth + 2, index.wrapping_mul(bytes));
                self.int(depth + 1, index);
            }
            4 if ty == ty::INT => {
                // The two lower bytes, and the upper ones as a short.
                self.node(depth, kind::OR, ty, 0);
                for (byte, load) in [(1, kind::LOAD_BYTE), (2, kind::LOAD_SHORT)] {
                    self.node(depth + 1, kind::OR, ty, 0);
                    self.part(depth + 2, load, variable, byte);
                    match byte {
                        1 => self.part(depth + 2, kind::LOAD_BYTE, variable, 0),
                        _ => self.int(depth + 2, 0),
                    }
                }
            }
            0 => {
                self.node(depth, kind::LOAD, ty, 0);
                self.node(depth + 1, kind::ADDRESS, ty::INT, variable);
            }
            1 => {
                let distance =
                    self.rng.one_of(&[4, 2044, 2048, 70_000, 0x10_0000, 8u32.wrapping_neg(), 5000u32.wrapping_neg()]);
                self.node(depth, kind::LOAD, ty, distance);
                self.node(depth + 1, kind::SUB, ty::INT, 0);
                self.node(depth + 2, kind::ADDRESS, ty::INT, variable);
                self.int(depth + 2, distance);
            }
            _ => {
                self.node(depth, kind::NAME, ty, variable);
            }
        }
    }

    /// The byte or the short of a variable from a byte on, where it is in the variable.
    fn part(&mut self, depth: u32, load: u8, variable: u32, byte: u32) {
        let distance = self.rng.one_of(&[0, 1000, 70_000]);
        self.node(depth, kind::SHL, ty::INT, 0);
        self.node(depth + 1, load, ty::INT, distance + byte);
        self.node(depth + 2, kind::SUB, ty::INT, 0);
        self.node(depth + 3, kind::ADDRESS, ty::INT, variable);
        self.int(depth + 3, distance);
        self.int(depth + 1, 8 * byte);
    }

    /// A statement that does nothing.
    fn statement(&mut self, depth: u32) {
        match self.rng.below(4) {
            0 => {
                let trips = self.rng.below(4) as u32;
                self.node(depth, kind::FOR, ty::VOID, 0);
                let count = self.node(depth + 1, kind::COUNT, ty::INT, 0);
                self.int(depth + 2, trips);
                self.node(depth + 1, kind::BLOCK, ty::VOID, 0);
                self.node(depth + 2, kind::EXPRESSION, ty::VOID, 0);
                self.node(depth + 3, kind::CHECK_INDEX, ty::INT, 1);
                self.read(depth + 4, ty::INT, count);
                self.int(depth + 4, trips);
            }
            1 => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let left = self.node(depth + 1, kind::DECLARE, ty::INT, 0);
                self.int(depth + 2, 3);
                self.node(depth, kind::WHILE, ty::VOID, 0);
                self.read(depth + 1, ty::INT, left);
                self.node(depth + 1, kind::BLOCK, ty::VOID, 0);
                self.write(depth + 2, ty::INT, left);
                self.node(depth + 3, kind::SUB, ty::INT, 0);
                self.read(depth + 4, ty::INT, left);
                self.int(depth + 4, 1);
            }
            2 => {
                self.node(depth, kind::IF, ty::VOID, 0);
                self.node(depth + 1, kind::CHECK_EQUAL, ty::INT, 1);
                self.int(depth + 2, 1);
                self.int(depth + 2, 1);
                self.node(depth + 1, kind::BLOCK, ty::VOID, 0);
            }
            _ => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                self.node(depth + 1, kind::DECLARE, ty::FLOAT, 0);
            }
        }
    }

    /// A statement that gives a variable a value, which follows at `depth` + 1.
    fn write(&mut self, depth: u32, ty: u8, variable: u32) {
        self.node(depth, kind::STORE, ty, 0);
        self.node(depth + 1, kind::ADDRESS, ty::INT, variable);
    }

    /// The next subtree of the other tree.
    fn subtree(&mut self, depth: u32) {
        let i = self.next;
        let (k, ty, data) = (self.from.kind[i], self.from.ty[i], self.from.data[i]);
        let is_value = Kind::from_code(k).is_value() && k != kind::COUNT && ty != ty::VOID;
        let choice = if is_value { self.rng.below(12) } else { 99 };
        match choice {
            0 => {
                self.node(depth, kind::SEQUENCE, ty, 0);
                self.statement(depth + 1);
                self.copy(depth + 1);
            }
            1 => {
                self.node(depth, kind::SEQUENCE, ty, 0);
                self.node(depth + 1, kind::EXPRESSION, ty::VOID, 0);
                let kept = self.node(depth + 2, kind::DECLARE, ty, 0);
                self.copy(depth + 3);
                self.statement(depth + 1);
                self.read(depth + 1, ty, kept);
            }
            2..8 if k == kind::NAME => {
                let variable = self.moved[data as usize];
                self.moved.push(self.tree.len() as u32);
                self.next += 1;
                if ty == ty::INT && self.rng.once_in(3) {
                    self.node(depth, kind::CHECK_EQUAL, ty, 1);
                    self.read(depth + 1, ty, variable);
                    self.read(depth + 1, ty, variable);
                } else {
                    self.read(depth, ty, variable);
                }
            }
            2..8 if k == kind::ASSIGN => {
                let variable = self.moved[data as usize];
                self.moved.push(self.tree.len() as u32);
                self.next += 1;
                self.node(depth, kind::SEQUENCE, ty, 0);
                self.write(depth + 1, ty, variable);
                self.subtree(depth + 2);
                self.read(depth + 1, ty, variable);
            }
            2..8 if is_truth(k) => {
                let (check, limit) =
                    self.rng.one_of(&[(kind::CHECK_SIZE, 0), (kind::CHECK_INDEX, 2), (kind::CHECK_INDEX, 9000)]);
                self.node(depth, check, ty::INT, 1);
                self.copy(depth + 1);
                self.int(depth + 1, limit);
            }
            _ => self.copy(depth),
        }
    }

    /// The next node of the other tree, and the subtrees below it.
    fn copy(&mut self, depth: u32) {
        let i = self.next;
        let (k, ty, data) = (self.from.kind[i], self.from.ty[i], self.from.data[i]);
        let is_variable = Kind::from_code(k).is_variable();
        let node = self.node(depth, k, ty, if is_variable { self.moved[data as usize] } else { data });
        if Kind::from_code(k).is_function() {
            self.tree.functions[data as usize].node = Some(node);
        }
        self.moved.push(node);
        self.next += 1;
        while self.next < self.from.len() && self.from.depth[self.next] > self.from.depth[i] {
            self.subtree(depth + 1);
        }
    }
}
