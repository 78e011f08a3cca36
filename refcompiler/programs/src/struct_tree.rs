//! Random checked programs with structs and tuples as columns, without source text: valid for every pass, not meant to run.

use refcompiler::ir::builtins::BUILTINS;
use refcompiler::ir::kinds::Type;
use refcompiler::ir::tree::{Composite, Field, Function, Linkage, Tree, kind, runtime, ty};

use crate::rng::Rng;
use crate::tree::push;

struct Builder {
    rng: Rng,
    tree: Tree,
    /// Nodes that may still be made.
    budget: i64,
    /// Variables in sight: node and type.
    variables: Vec<(u32, u8)>,
    /// Functions in sight: id, return type and parameter types.
    functions: Vec<(u32, u8, Vec<u8>)>,
    /// The number of leaves of each composite type.
    leaves: Vec<usize>,
    result: u8,
}

/// The most leaves of a type here.
const MOST_LEAVES: usize = 40;

/// The tree of a seed: of about `size` nodes, with arrays if asked for.
pub fn struct_tree(seed: u64, size: usize, arrays: bool) -> Tree {
    let runtime = BUILTINS.iter().map(|builtin| Function {
        name: builtin.name.to_string(),
        node: None,
        parameters: builtin.parameters.len() as u32,
        linkage: Linkage::Absent,
    });
    let mut b = Builder {
        rng: Rng::new(seed),
        tree: Tree { functions: runtime.collect(), arrays, ..Tree::default() },
        budget: 0,
        variables: Vec::new(),
        functions: Vec::new(),
        leaves: Vec::new(),
        result: ty::VOID,
    };
    for _ in 0..b.rng.one_of(&[1, 2, 5, 20]) {
        b.composite();
    }
    while b.tree.len() < size.max(1) {
        b.budget = b.rng.one_of(&[1, 10, 100, 1000, 10_000]).min(size as i64);
        b.function(0);
    }
    b.tree
}

fn is_composite(ty: u8) -> bool {
    Type::from_code(ty).is_composite()
}

impl Builder {
    fn node(&mut self, depth: u32, kind: u8, ty: u8, data: u32) -> u32 {
        self.budget -= 1;
        push(&mut self.tree, depth, kind, ty, data)
    }

    fn leaves(&self, ty: u8) -> usize {
        if is_composite(ty) { self.leaves[Type::from_code(ty).composite() as usize] } else { 1 }
    }

    /// A new type of structs or tuples.
    fn composite(&mut self) {
        let is_tuple = self.rng.once_in(2);
        let wanted = self.rng.one_of(&[1, 2, 3, 8]) + usize::from(is_tuple);
        let (mut fields, mut leaves) = (Vec::new(), 0);
        for k in 0..wanted {
            let ty = self.value_type();
            let ty = if leaves + self.leaves(ty) > MOST_LEAVES { ty::INT } else { ty };
            leaves += self.leaves(ty);
            let name = if is_tuple { String::new() } else { format!("x{k}") };
            fields.push(Field { name, ty });
        }
        let name = if is_tuple { String::new() } else { format!("P{}", self.leaves.len()) };
        self.tree.composites.push(Composite { name, rank: 0, fields });
        self.leaves.push(leaves);
    }

    fn fields(&self, ty: u8) -> Vec<u8> {
        let composite = &self.tree.composites[Type::from_code(ty).composite() as usize];
        composite.fields.iter().map(|field| field.ty).collect()
    }

    fn number_or_array(&mut self) -> u8 {
        let element = self.rng.one_of(&[ty::INT, ty::FLOAT]);
        let rank = if self.tree.arrays { self.rng.one_of(&[0, 0, 1, 2]) } else { 0 };
        Type::from_code(element).array(rank).code()
    }

    fn value_type(&mut self) -> u8 {
        if self.leaves.is_empty() || self.rng.once_in(2) {
            return self.number_or_array();
        }
        Type::of_composite(self.rng.below(self.leaves.len()) as u32).code()
    }

    fn function(&mut self, depth: u32) {
        let (variables, result) = (self.variables.len(), self.result);
        let id = self.tree.functions.len() as u32;
        self.result = if self.rng.once_in(3) { ty::VOID } else { self.value_type() };
        let node = self.node(depth, kind::FUNCTION, self.result, id);
        let count = self.rng.one_of(&[0, 1, 2, 5, 12]);
        let linkage = if depth == 0 { Linkage::Global } else { Linkage::Local };
        let name = format!("f{}", id - runtime::COUNT);
        self.tree.functions.push(Function { name, node: Some(node), parameters: count, linkage });
        self.node(depth + 1, kind::HEADER, ty::VOID, 0);
        let mut parameters = Vec::new();
        for _ in 0..count {
            let ty = self.value_type();
            let is_unique = ty >= 8 && self.rng.once_in(2);
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
        match self.rng.below(12) {
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
                }
            }
            6 if self.rng.once_in(3) => self.function(depth),
            7 | 8 => self.destructure(depth),
            9 | 10 => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let ty = self.value_type();
                self.declaration(depth + 1, ty);
            }
            _ => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let ty = self.value_type();
                self.value(depth + 1, ty);
            }
        }
    }

    fn declaration(&mut self, depth: u32, ty: u8) {
        let declaration = self.node(depth, kind::DECLARE, ty, 0);
        if !self.rng.once_in(4) {
            if is_composite(ty) && self.rng.once_in(8) {
                self.tree.data[declaration as usize] = 1;
            }
            self.value(depth + 1, ty);
        }
        self.variables.push((declaration, ty));
    }

    fn destructure(&mut self, depth: u32) {
        if self.leaves.is_empty() {
            return;
        }
        let ty = Type::of_composite(self.rng.below(self.leaves.len()) as u32).code();
        self.node(depth, kind::DESTRUCTURE, ty::VOID, 0);
        self.value(depth + 1, ty);
        for ty in self.fields(ty) {
            let declaration = self.node(depth + 1, kind::DECLARE, ty, 0);
            self.variables.push((declaration, ty));
        }
    }

    /// Returns a variable in sight of a type.
    fn variable(&mut self, ty: u8) -> Option<u32> {
        let found: Vec<u32> =
            self.variables.iter().filter(|variable| variable.1 == ty).map(|&(node, _)| node).collect();
        (!found.is_empty()).then(|| self.rng.one_of(&found))
    }

    /// The simplest value of a type.
    fn leaf(&mut self, depth: u32, ty: u8) {
        if let Some(variable) = self.variable(ty) {
            self.node(depth, kind::NAME, ty, variable);
        } else if ty < 8 {
            let data = self.rng.next() as u32;
            self.node(depth, kind::LITERAL, ty, data);
        } else {
            self.node(depth, kind::DECLARE, ty, 0);
        }
    }

    /// A field of a struct or tuple, if one has a type.
    fn field(&mut self, depth: u32, ty: u8) {
        let mut found = Vec::new();
        for k in 0..self.leaves.len() {
            let composite = Type::of_composite(k as u32).code();
            let fields = self.fields(composite).into_iter().enumerate().filter(|&(_, field)| field == ty);
            found.extend(fields.map(|(field, _)| (composite, field as u32)));
        }
        if found.is_empty() {
            return self.leaf(depth, ty);
        }
        let (composite, field) = self.rng.one_of(&found);
        self.node(depth, kind::FIELD, ty, field);
        if self.rng.once_in(2) { self.leaf(depth + 1, composite) } else { self.value(depth + 1, composite) }
    }

    fn value(&mut self, depth: u32, ty: u8) {
        if self.budget < 0 || depth > 300 {
            return self.leaf(depth, ty);
        }
        match self.rng.below(12) {
            0..=2 => self.field(depth, ty),
            3 => {
                self.node(depth, kind::CHOOSE, ty, 0);
                self.node(depth + 1, kind::TEST, ty::VOID, 0);
                self.value(depth + 2, ty::INT);
                self.node(depth + 1, kind::THEN, ty, 0);
                self.value(depth + 2, ty);
                self.node(depth + 1, kind::OTHERWISE, ty, 0);
                self.value(depth + 2, ty);
            }
            4 | 5 => self.call(depth, ty),
            6 => match self.variable(ty) {
                Some(variable) => {
                    self.node(depth, kind::ASSIGN, ty, variable);
                    self.value(depth + 1, ty);
                }
                None => self.leaf(depth, ty),
            },
            7 if self.rng.once_in(2) => {
                self.node(depth, kind::ASCRIBE, ty, 0);
                self.value(depth + 1, ty);
            }
            7 => {
                self.node(depth, kind::DECLARE, ty, 0);
                self.value(depth + 1, ty);
            }
            8 if self.rng.once_in(4) => {
                self.node(depth, kind::SEQUENCE, ty, 0);
                self.node(depth + 1, kind::EXPRESSION, ty::VOID, 0);
                self.value(depth + 2, ty::INT);
                self.value(depth + 1, ty);
            }
            _ if is_composite(ty) => {
                self.node(depth, kind::STRUCT, ty, 0);
                for field in self.fields(ty) {
                    self.value(depth + 1, field);
                }
            }
            9 | 10 if ty < 8 => {
                let kind = self.rng.one_of(&[kind::ADD, kind::MUL, kind::SUB]);
                self.node(depth, kind, ty, 0);
                self.value(depth + 1, ty);
                self.value(depth + 1, ty);
            }
            _ => self.leaf(depth, ty),
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
}
