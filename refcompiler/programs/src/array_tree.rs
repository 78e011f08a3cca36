//! Random checked programs with arrays as columns, without source text: valid for every pass, not meant to run.

use refcompiler::ir::builtins::BUILTINS;
use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::{Function, Linkage, Tree, kind, runtime, ty};

use crate::rng::Rng;
use crate::tree::push;

pub(crate) struct Builder {
    pub(crate) rng: Rng,
    tree: Tree,
    /// Nodes that may still be made.
    budget: i64,
    /// Variables in scope: node and type.
    pub(crate) variables: Vec<(u32, u8)>,
    /// Functions in scope: id, return type and parameter types.
    functions: Vec<(u32, u8, Vec<u8>)>,
    result: u8,
}

/// The tree of a seed: of about `size` nodes.
pub fn array_tree(seed: u64, size: usize) -> Tree {
    Builder::new(seed, Tree { arrays: true, ..Tree::default() }).tree(size)
}

/// The type of arrays of some rank, or of their elements, which are ints if they are narrow.
pub(crate) fn array(element: u8, rank: u32) -> u8 {
    Type::from_code(element).array(rank).of_value().code()
}

pub(crate) fn rank(ty: u8) -> u32 {
    Type::from_code(ty).rank()
}

pub(crate) fn element(ty: u8) -> u8 {
    Type::from_code(ty).element().code()
}

impl Builder {
    /// Returns a builder of a tree that has no node yet.
    pub(crate) fn new(seed: u64, tree: Tree) -> Builder {
        let runtime = BUILTINS.iter().map(|builtin| Function {
            name: builtin.name.to_string(),
            node: None,
            position: 0,
            parameters: builtin.parameters.len() as u32,
            linkage: Linkage::Absent,
        });
        Builder {
            rng: Rng::new(seed),
            tree: Tree { functions: runtime.collect(), ..tree },
            budget: 0,
            variables: Vec::new(),
            functions: Vec::new(),
            result: ty::VOID,
        }
    }

    /// Returns the tree, of about `size` nodes.
    pub(crate) fn tree(mut self, size: usize) -> Tree {
        while self.tree.len() < size.max(1) {
            self.budget = self.rng.one_of(&[1, 10, 100, 1000, 10_000]).min(size as i64);
            self.function(0);
        }
        self.tree
    }

    pub(crate) fn node(&mut self, depth: u32, kind: u8, ty: u8, data: u32) -> u32 {
        self.budget -= 1;
        push(&mut self.tree, depth, kind, ty, data)
    }

    /// A type of elements.
    pub(crate) fn element_type(&mut self) -> u8 {
        self.rng.one_of(&[ty::INT, ty::FLOAT, ty::BYTE, ty::SHORT])
    }

    fn value_type(&mut self) -> u8 {
        let element = self.element_type();
        let rank = self.rng.one_of(&[0, 0, 1, 1, 2, 3, 15]);
        array(element, rank)
    }

    pub(crate) fn position(&mut self) -> u32 {
        1 + self.rng.below(1000) as u32
    }

    /// The position of an access, 0 without checks.
    fn position_or_none(&mut self) -> u32 {
        if self.rng.once_in(3) { 0 } else { self.position() }
    }

    fn function(&mut self, depth: u32) {
        let (variables, result) = (self.variables.len(), self.result);
        let id = self.tree.functions.len() as u32;
        self.result = if self.rng.once_in(3) { ty::VOID } else { self.value_type() };
        let node = self.node(depth, kind::FUNCTION, self.result, id);
        let count = self.rng.one_of(&[0, 1, 2, 5, 12]);
        let linkage = if depth == 0 { Linkage::Global } else { Linkage::Local };
        let name = format!("f{}", id - runtime::COUNT);
        self.tree.functions.push(Function { name, node: Some(node), position: 0, parameters: count, linkage });
        self.node(depth + 1, kind::HEADER, ty::VOID, 0);
        let mut parameters = Vec::new();
        for _ in 0..count {
            let ty = self.value_type();
            let is_unique = rank(ty) > 0 && self.rng.once_in(2);
            let parameter = self.node(depth + 1, kind::PARAM, ty, is_unique as u32);
            parameters.push(ty);
            self.variables.push((parameter, ty));
        }
        self.functions.push((id, self.result, parameters));
        self.block(depth + 1);
        self.variables.truncate(variables);
        self.result = result;
    }

    fn block(&mut self, depth: u32) {
        self.node(depth, kind::BLOCK, ty::VOID, 0);
        let (variables, functions) = (self.variables.len(), self.functions.len());
        for _ in 0..self.rng.below(8) {
            self.statement(depth + 1);
        }
        self.variables.truncate(variables);
        self.functions.truncate(functions);
    }

    fn statement(&mut self, depth: u32) {
        if self.budget < 0 {
            self.node(depth, kind::EMPTY, ty::VOID, 0);
            return;
        }
        match self.rng.below(13) {
            0 => self.block(depth),
            1 => {
                self.node(depth, kind::IF, ty::VOID, 0);
                self.value(depth + 1, ty::INT);
                self.block(depth + 1);
            }
            2 => {
                self.node(depth, kind::IF_ELSE, ty::VOID, 0);
                self.value(depth + 1, ty::INT);
                self.block(depth + 1);
                self.block(depth + 1);
            }
            3 => {
                self.node(depth, kind::WHILE, ty::VOID, 0);
                self.value(depth + 1, ty::INT);
                self.block(depth + 1);
            }
            4 => {
                self.node(depth, kind::FOR, ty::VOID, 0);
                let variables = self.variables.len();
                let count = self.node(depth + 1, kind::COUNT, ty::INT, 0);
                self.value(depth + 2, ty::INT);
                self.variables.push((count, ty::INT));
                self.block(depth + 1);
                self.variables.truncate(variables);
            }
            5 => {
                self.node(depth, kind::RETURN, ty::VOID, 0);
                let result = self.result;
                if result != ty::VOID {
                    self.value(depth + 1, result);
                } else if self.rng.once_in(2) {
                    self.void_call(depth + 1);
                }
            }
            6 if self.rng.once_in(3) => self.function(depth),
            6 if self.tree.loops => self.print(depth),
            7 | 8 => self.update(depth),
            11 if self.rng.once_in(2) => self.borrow(depth),
            11 => self.print_or_update(depth),
            9 | 10 => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let ty = self.value_type();
                let declaration = self.node(depth + 1, kind::DECLARE, ty, 0);
                if !self.rng.once_in(4) {
                    self.value(depth + 2, ty);
                }
                self.variables.push((declaration, ty));
            }
            _ => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let ty = self.value_type();
                self.value(depth + 1, ty);
            }
        }
    }

    /// A variable that does not own its array.
    fn borrow(&mut self, depth: u32) {
        let (element, rank) = (self.element_type(), self.rng.one_of(&[1, 1, 2, 3]));
        let ty = array(element, rank);
        self.node(depth, kind::EXPRESSION, ty::VOID, 0);
        let declaration = self.node(depth + 1, kind::DECLARE, ty, 1);
        self.value(depth + 2, ty);
        self.variables.push((declaration, ty));
    }

    fn void_call(&mut self, depth: u32) {
        self.node(depth, kind::CALL, ty::VOID, runtime::PRINT_INT);
        self.node(depth + 1, kind::ARG, ty::INT, 0);
        self.value(depth + 2, ty::INT);
    }

    /// Returns a suitable variable in scope, if there is one.
    fn variable(&mut self, is_right: impl Fn(u8) -> bool) -> Option<(u32, u8)> {
        let found: Vec<(u32, u8)> = self.variables.iter().copied().filter(|&(_, ty)| is_right(ty)).collect();
        (!found.is_empty()).then(|| self.rng.one_of(&found))
    }

    fn update(&mut self, depth: u32) {
        let Some((variable, array_type)) = self.variable(|ty| rank(ty) > 0) else {
            self.node(depth, kind::EMPTY, ty::VOID, 0);
            return;
        };
        let indices =
            if self.rng.once_in(2) { rank(array_type) } else { 1 + self.rng.below(rank(array_type) as usize) as u32 };
        let ty = array(element(array_type), rank(array_type) - indices);
        let position = self.position_or_none();
        self.node(depth, kind::UPDATE, ty, position);
        self.node(depth + 1, kind::NAME, array_type, variable);
        for _ in 0..indices {
            self.value(depth + 1, ty::INT);
        }
        self.value(depth + 1, ty);
    }

    /// `a[i, j]` with a value of a type.
    fn index(&mut self, depth: u32, ty: u8) {
        let indices = 1 + self.rng.below((15 - rank(ty) as usize).min(3)) as u32;
        let elements = if ty == ty::INT { self.rng.one_of(&[ty::INT, ty::BYTE, ty::SHORT]) } else { element(ty) };
        let array_type = array(elements, rank(ty) + indices);
        let position = self.position_or_none();
        self.node(depth, kind::INDEX, ty, position);
        match self.variable(|ty| ty == array_type) {
            Some((variable, _)) if !self.rng.once_in(3) => {
                self.node(depth + 1, kind::NAME, array_type, variable);
            }
            _ => self.value(depth + 1, array_type),
        }
        for _ in 0..indices {
            self.value(depth + 1, ty::INT);
        }
    }

    /// The simplest value of a type.
    pub(crate) fn leaf(&mut self, depth: u32, ty: u8) {
        if let Some((variable, _)) = self.variable(|found| found == ty) {
            self.node(depth, kind::NAME, ty, variable);
        } else if rank(ty) == 0 {
            let data = self.rng.next() as u32;
            self.node(depth, kind::LITERAL, ty, data);
        } else {
            self.node(depth, kind::DECLARE, ty, 0);
        }
    }

    pub(crate) fn value(&mut self, depth: u32, ty: u8) {
        if self.budget < 0 || depth > 300 {
            return self.leaf(depth, ty);
        }
        if self.tree.loops && self.rng.once_in(4) {
            return if rank(ty) > 0 { self.whole(depth, ty) } else { self.reduction(depth, ty) };
        }
        match self.rng.below(14) {
            12 => self.sequence(depth, ty),
            13 if ty != ty::VOID => self.lowered(depth, ty),
            0 | 1 if rank(ty) < 15 => self.index(depth, ty),
            2 => {
                self.node(depth, kind::CHOOSE, ty, 0);
                self.node(depth + 1, kind::TEST, ty::VOID, 0);
                self.value(depth + 2, ty::INT);
                self.node(depth + 1, kind::THEN, ty, 0);
                self.value(depth + 2, ty);
                self.node(depth + 1, kind::OTHERWISE, ty, 0);
                self.value(depth + 2, ty);
            }
            3 => self.call(depth, ty),
            4 => match self.variable(|found| found == ty) {
                Some((variable, _)) => {
                    self.node(depth, kind::ASSIGN, ty, variable);
                    self.value(depth + 1, ty);
                }
                None => self.leaf(depth, ty),
            },
            5 => {
                self.node(depth, kind::ASCRIBE, ty, 0);
                self.value(depth + 1, ty);
            }
            _ if rank(ty) > 0 => self.array(depth, ty),
            6 | 7 => {
                let kind = self.rng.one_of(&[kind::ADD, kind::MUL, kind::SUB]);
                self.node(depth, kind, ty, 0);
                self.value(depth + 1, ty);
                self.value(depth + 1, ty);
            }
            8 if ty == ty::INT => {
                let element = self.element_type();
                let rank = 1 + self.rng.below(3) as u32;
                let k = self.rng.below(rank as usize) as u32;
                self.node(depth, kind::SIZE, ty, k);
                self.value(depth + 1, array(element, rank));
            }
            _ => self.leaf(depth, ty),
        }
    }

    /// Statements before a value, as an earlier pass makes them.
    fn sequence(&mut self, depth: u32, ty: u8) {
        self.node(depth, kind::SEQUENCE, ty, 0);
        let variables = self.variables.len();
        for _ in 0..1 + self.rng.below(3) {
            self.statement_of_sequence(depth + 1);
        }
        self.value(depth + 1, ty);
        self.variables.truncate(variables);
    }

    fn statement_of_sequence(&mut self, depth: u32) {
        match self.rng.below(4) {
            0 => self.borrow(depth),
            1 => {
                self.node(depth, kind::FOR, ty::VOID, 0);
                let variables = self.variables.len();
                let count = self.node(depth + 1, kind::COUNT, ty::INT, 0);
                self.value(depth + 2, ty::INT);
                self.variables.push((count, ty::INT));
                self.block(depth + 1);
                self.variables.truncate(variables);
            }
            2 => {
                self.node(depth, kind::STORE, ty::FLOAT, 8);
                self.value(depth + 1, ty::INT);
                self.value(depth + 1, ty::FLOAT);
            }
            _ => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let position = self.position();
                self.node(depth + 1, kind::CHECK_EQUAL, ty::INT, position);
                self.value(depth + 2, ty::INT);
                self.value(depth + 2, ty::INT);
            }
        }
    }

    /// A node that stays as it is.
    fn lowered(&mut self, depth: u32, ty: u8) {
        match self.variable(|found| found == ty) {
            Some((variable, _)) => {
                self.node(depth, kind::LOAD, ty, 0);
                self.node(depth + 1, kind::ADDRESS, ty::INT, variable);
            }
            None => {
                self.node(depth, kind::CHOOSE, ty, 0);
                self.node(depth + 1, kind::TEST, ty::VOID, 0);
                let position = self.position();
                self.node(depth + 2, kind::CHECK_SIZE, ty::INT, position);
                self.value(depth + 3, ty::INT);
                self.node(depth + 3, kind::LITERAL, ty::INT, 0);
                self.node(depth + 1, kind::THEN, ty, 0);
                self.leaf(depth + 2, ty);
                self.node(depth + 1, kind::OTHERWISE, ty, 0);
                self.leaf(depth + 2, ty);
            }
        }
    }

    fn call(&mut self, depth: u32, ty: u8) {
        let found: Vec<(u32, u8, Vec<u8>)> =
            self.functions.iter().filter(|(_, result, _)| *result == ty).cloned().collect();
        if found.is_empty() {
            return self.leaf(depth, ty);
        }
        let (id, _, parameters) = found[self.rng.below(found.len())].clone();
        self.node(depth, kind::CALL, ty, id);
        for (k, &ty) in parameters.iter().enumerate() {
            self.node(depth + 1, kind::ARG, ty, k as u32);
            self.value(depth + 2, ty);
        }
    }

    /// A new array.
    fn array(&mut self, depth: u32, ty: u8) {
        let row = array(element(ty), rank(ty) - 1);
        let position = self.position();
        match self.rng.below(10) {
            5..10 => self.made(depth, ty),
            0 | 1 => {
                self.node(depth, kind::ARRAY, ty, position);
                let count = self.rng.one_of(&[1, 2, 3, 7, 20]);
                let count = if self.rng.once_in(30) { 2_000 } else { count };
                for _ in 0..count {
                    self.value(depth + 1, row);
                }
            }
            2 => {
                self.node(depth, kind::REPLICATE, ty, position);
                self.value(depth + 1, ty::INT);
                self.value(depth + 1, row);
            }
            3 if ty == array(ty::INT, 1) => {
                self.node(depth, kind::ASCRIBE, ty, position);
                self.node(depth + 1, kind::CALL, ty, runtime::IOTA);
                self.node(depth + 2, kind::ARG, ty::INT, 0);
                self.value(depth + 3, ty::INT);
            }
            _ => {
                let (id, count) = self.rng.one_of(&[(runtime::COPY, 1), (runtime::CONCAT, 2)]);
                self.node(depth, kind::ASCRIBE, ty, position);
                self.node(depth + 1, kind::CALL, ty, id);
                for k in 0..count {
                    self.node(depth + 2, kind::ARG, ty, k);
                    self.value(depth + 3, ty);
                }
            }
        }
    }

    /// `perm` and `reshape`.
    fn in_other_order(&mut self, depth: u32, ty: u8, id: u32, old: u8) {
        let position = self.position();
        self.node(depth, kind::ASCRIBE, ty, position);
        self.node(depth + 1, kind::CALL, ty, id);
        self.node(depth + 2, kind::ARG, old, 0);
        self.value(depth + 3, old);
        let ints = array(ty::INT, 1);
        self.node(depth + 2, kind::ARG, ints, 1);
        self.value(depth + 3, ints);
    }

    /// `print[e];` or `a[lo..hi] = e;`.
    fn print_or_update(&mut self, depth: u32) {
        let known = self.variable(|ty| rank(ty) > 0);
        match known {
            Some((variable, ty)) if self.rng.once_in(2) => {
                let left = self.rng.below(rank(ty) as usize + 1) as u32;
                let value = array(element(ty), left);
                let position = self.position();
                self.node(depth, kind::UPDATE_SLICE, value, position);
                self.node(depth + 1, kind::NAME, ty, variable);
                for _ in 0..1 + self.rng.below(rank(ty) as usize) {
                    self.dimension(depth + 1);
                }
                self.value(depth + 1, value);
            }
            _ => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let stays = self.rng.below(2) as u32;
                self.node(depth + 1, kind::PRINT, ty::VOID, stays);
                let ty = self.value_type();
                self.value(depth + 2, ty);
            }
        }
    }

    /// A slice of a type. An index or two take dimensions away.
    fn slice(&mut self, depth: u32, ty: u8) {
        let taken = self.rng.below(3).min(15 - rank(ty) as usize) as u32;
        let old = array(element(ty), rank(ty) + taken);
        let position = self.position();
        self.node(depth, kind::SLICE, ty, position);
        self.value(depth + 1, old);
        for k in 0..rank(old) {
            if k >= rank(ty) {
                self.value(depth + 1, ty::INT);
            } else if k > 0 && self.rng.once_in(3) {
                break;
            } else {
                self.range(depth + 1);
            }
        }
    }

    fn dimension(&mut self, depth: u32) {
        match self.rng.below(3) {
            0 => self.value(depth, ty::INT),
            _ => self.range(depth),
        }
    }

    fn range(&mut self, depth: u32) {
        if self.rng.once_in(3) {
            self.node(depth, kind::ALL, ty::VOID, 0);
            return;
        }
        let is_open = self.rng.below(2) as u32;
        self.node(depth, kind::RANGE, ty::VOID, is_open);
        self.value(depth + 1, ty::INT);
        self.value(depth + 1, ty::INT);
    }

    /// An array as earlier passes make it.
    fn made(&mut self, depth: u32, ty: u8) {
        let owned = self.variable(|found| found == ty);
        match (self.rng.below(10), owned) {
            (5..7, _) => self.slice(depth, ty),
            (7, _) => {
                let position = self.position();
                self.node(depth, kind::SHAPED, ty, position);
                self.value(depth + 1, ty);
                for _ in 0..rank(ty) {
                    match self.rng.below(2) {
                        0 => _ = self.node(depth + 1, kind::ALL, ty::VOID, 0),
                        _ => self.value(depth + 1, ty::INT),
                    }
                }
            }
            (8, _) => self.in_other_order(depth, ty, runtime::PERM, ty),
            (9, _) => {
                let old = array(element(ty), 1 + self.rng.below(3) as u32);
                self.in_other_order(depth, ty, runtime::RESHAPE, old);
            }
            (0, Some((variable, _))) => {
                self.node(depth, kind::GIVE, ty, 0);
                self.node(depth + 1, kind::NAME, ty, variable);
            }
            (1, _) => {
                self.node(depth, kind::NEW_LIKE, ty, 0);
                self.value(depth + 1, ty);
            }
            (2, _) if rank(ty) > 1 => {
                self.node(depth, kind::NEW_ROWS, ty, 0);
                self.value(depth + 1, ty::INT);
                self.value(depth + 1, array(element(ty), rank(ty) - 1));
            }
            (3, _) => {
                self.node(depth, kind::TRUNCATE, ty, 0);
                self.value(depth + 1, ty);
                self.value(depth + 1, ty::INT);
            }
            _ => {
                self.node(depth, kind::NEW, ty, 0);
                for _ in 0..rank(ty) {
                    self.value(depth + 1, ty::INT);
                }
            }
        }
    }
}
