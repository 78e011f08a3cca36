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
    /// Variables in scope: node and type.
    variables: Vec<(u32, u8)>,
    /// Functions in scope: id, return type and parameter types.
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
        position: 0,
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
        let fields_rank = fields.iter().map(|field| self.deepest(field.ty)).max().unwrap_or(0);
        for rank in 0..if self.tree.arrays && fields_rank < 8 { 3 } else { 1 } {
            self.tree.composites.push(Composite { name: name.clone(), rank, fields: fields.clone() });
            self.leaves.push(leaves);
        }
    }

    /// The greatest rank of the leaves of a type.
    fn deepest(&self, ty: u8) -> u32 {
        if !is_composite(ty) {
            return Type::from_code(ty).rank();
        }
        let composite = &self.tree.composites[Type::from_code(ty).composite() as usize];
        composite.rank + composite.fields.iter().map(|field| self.deepest(field.ty)).max().unwrap_or(0)
    }

    fn rank(&self, ty: u8) -> u32 {
        let ty = Type::from_code(ty);
        if ty.is_composite() { self.tree.composites[ty.composite() as usize].rank } else { ty.rank() }
    }

    /// The type of arrays with some more dimensions, if there is one.
    fn deeper(&self, ty: u8, more: i32) -> Option<u8> {
        let rank = self.rank(ty) as i32 + more;
        if !(0..=14).contains(&rank) {
            return None;
        }
        if !is_composite(ty) {
            return Some(Type::from_code(ty).array(rank as u32).of_value().code());
        }
        let own = Type::from_code(ty).composite() as usize;
        let first = own - self.tree.composites[own].rank as usize;
        let found = self.tree.composites.get(first + rank as usize)?;
        let is_same = found.rank == rank as u32 && found.fields == self.tree.composites[own].fields;
        is_same.then(|| Type::of_composite((first + rank as usize) as u32).code())
    }

    fn position(&mut self) -> u32 {
        1 + self.rng.below(1000) as u32
    }

    /// An operation on arrays of composites whose value has a type.
    fn array(&mut self, depth: u32, ty: u8) {
        let (inner, position) = (self.deeper(ty, -1), self.position());
        let Some(row) = inner else { return self.leaf(depth, ty) };
        match self.rng.below(13) {
            11 => {
                self.node(depth, kind::SLICE, ty, position);
                self.value(depth + 1, ty);
                for _ in 0..self.rank(ty) {
                    self.range(depth + 1);
                }
            }
            12 => {
                let Some(array) = self.deeper(ty, 1) else { return self.leaf(depth, ty) };
                self.node(depth, kind::SLICE, ty, position);
                self.value(depth + 1, array);
                self.value(depth + 1, ty::INT);
                self.range(depth + 1);
            }
            0 | 1 => {
                self.node(depth, kind::ARRAY, ty, position);
                for _ in 0..self.rng.one_of(&[1, 2, 3, 20]) {
                    self.value(depth + 1, row);
                }
            }
            2 => {
                self.node(depth, kind::REPLICATE, ty, position);
                self.value(depth + 1, ty::INT);
                self.value(depth + 1, row);
            }
            3 => {
                let (id, count) = self.rng.one_of(&[
                    (runtime::COPY, 1),
                    (runtime::CONCAT, 2),
                    (runtime::PERM, 1),
                    (runtime::RESHAPE, 1),
                ]);
                self.node(depth, kind::ASCRIBE, ty, position);
                self.node(depth + 1, kind::CALL, ty, id);
                for k in 0..count {
                    self.node(depth + 2, kind::ARG, ty, k);
                    self.value(depth + 3, ty);
                }
                if id == runtime::PERM || id == runtime::RESHAPE {
                    let shape = Type::Int.array(1).code();
                    self.node(depth + 2, kind::ARG, shape, 1);
                    self.value(depth + 3, shape);
                }
            }
            4 => {
                let fields: Option<Vec<u8>> = self.fields(ty).into_iter().map(|field| self.deeper(field, 1)).collect();
                let Some(fields) = fields.filter(|_| self.rank(ty) == 1) else { return self.leaf(depth, ty) };
                self.node(depth, kind::ZIP, ty, position);
                for field in fields {
                    self.value(depth + 1, field);
                }
            }
            5 => {
                self.node(depth, kind::NEW, ty, 0);
                for _ in 0..self.rank(ty) {
                    self.value(depth + 1, ty::INT);
                }
            }
            6 => {
                self.node(depth, kind::NEW_LIKE, ty, 0);
                self.value(depth + 1, ty);
            }
            7 => {
                self.node(depth, kind::NEW_ROWS, ty, 0);
                self.value(depth + 1, ty::INT);
                self.value(depth + 1, row);
            }
            8 => match self.variable(ty) {
                Some(variable) => {
                    self.node(depth, kind::GIVE, ty, 0);
                    self.node(depth + 1, kind::NAME, ty, variable);
                }
                None => self.leaf(depth, ty),
            },
            9 => {
                self.node(depth, kind::TRUNCATE, ty, 0);
                self.value(depth + 1, ty);
                self.value(depth + 1, ty::INT);
            }
            _ => self.index(depth, ty),
        }
    }

    /// `a[i]` with a value of a type.
    fn index(&mut self, depth: u32, ty: u8) {
        let more = 1 + self.rng.below(2) as i32;
        let Some(array) = self.deeper(ty, more) else { return self.leaf(depth, ty) };
        let position = if self.rng.once_in(3) { 0 } else { self.position() };
        self.node(depth, kind::INDEX, ty, position);
        self.value(depth + 1, array);
        for _ in 0..more {
            self.value(depth + 1, ty::INT);
        }
    }

    /// `lo..hi` or `..`.
    fn range(&mut self, depth: u32) {
        if self.rng.once_in(3) {
            self.node(depth, kind::ALL, ty::VOID, 0);
            return;
        }
        let data = self.rng.below(2) as u32;
        self.node(depth, kind::RANGE, ty::VOID, data);
        self.value(depth + 1, ty::INT);
        if data == 1 {
            self.node(depth + 1, kind::LITERAL, ty::INT, 0);
        } else {
            self.value(depth + 1, ty::INT);
        }
    }

    /// Returns a variable of a composite type and some fields, each of the one before, with their types.
    fn target(&mut self) -> Option<Vec<(u32, u8)>> {
        let found: Vec<(u32, u8)> = self.variables.iter().copied().filter(|&(_, ty)| is_composite(ty)).collect();
        if found.is_empty() {
            return None;
        }
        let (variable, mut ty) = self.rng.one_of(&found);
        let mut path = vec![(variable, ty)];
        while is_composite(ty) && self.rng.once_in(2) {
            let (fields, rank) = (self.fields(ty), self.rank(ty) as i32);
            let field = self.rng.below(fields.len());
            let Some(deeper) = self.deeper(fields[field], rank) else { break };
            ty = deeper;
            path.push((field as u32, ty));
        }
        Some(path)
    }

    /// The nodes of a target.
    fn path(&mut self, depth: u32, path: &[(u32, u8)]) {
        let (&(variable, ty), fields) = path.split_first().expect("a variable");
        let mut depth = depth;
        for &(field, ty) in fields.iter().rev() {
            self.node(depth, kind::FIELD, ty, field);
            depth += 1;
        }
        self.node(depth, kind::NAME, ty, variable);
    }

    fn assign_field(&mut self, depth: u32) {
        let Some(path) = self.target() else { return };
        let (_, ty) = path[path.len() - 1];
        if path.len() > 1 {
            self.node(depth, kind::ASSIGN_FIELD, ty, 0);
            self.value(depth + 1, ty);
            self.path(depth + 1, &path);
        }
    }

    fn update(&mut self, depth: u32) {
        let Some(path) = self.target() else { return };
        let (_, array) = path[path.len() - 1];
        if self.rank(array) == 0 {
            return;
        }
        if self.rng.once_in(3) {
            let position = self.position();
            self.node(depth, kind::UPDATE_SLICE, array, position);
            self.path(depth + 1, &path);
            self.range(depth + 1);
            return self.value(depth + 1, array);
        }
        let indices = 1 + self.rng.below(self.rank(array) as usize) as i32;
        let Some(ty) = self.deeper(array, -indices) else { return };
        let position = if self.rng.once_in(3) { 0 } else { self.position() };
        self.node(depth, kind::UPDATE, ty, position);
        self.path(depth + 1, &path);
        for _ in 0..indices {
            self.value(depth + 1, ty::INT);
        }
        self.value(depth + 1, ty);
    }

    /// Returns whether a type has no arrays of composites below.
    fn is_printable(&self, ty: u8) -> bool {
        !is_composite(ty) || self.rank(ty) == 0 && self.fields(ty).into_iter().all(|field| self.is_printable(field))
    }

    fn print(&mut self, depth: u32) {
        let ty = self.value_type();
        if !is_composite(ty) || !self.is_printable(ty) {
            return;
        }
        let stays = self.rng.below(2) as u32;
        self.node(depth, kind::EXPRESSION, ty::VOID, 0);
        self.node(depth + 1, kind::PRINT, ty::VOID, stays);
        self.value(depth + 2, ty);
    }

    fn fields(&self, ty: u8) -> Vec<u8> {
        let composite = &self.tree.composites[Type::from_code(ty).composite() as usize];
        composite.fields.iter().map(|field| field.ty).collect()
    }

    fn number_or_array(&mut self) -> u8 {
        let element = self.rng.one_of(&[ty::INT, ty::FLOAT, ty::BYTE, ty::SHORT]);
        let rank = if self.tree.arrays { self.rng.one_of(&[0, 0, 1, 2]) } else { 0 };
        Type::from_code(element).array(rank).of_value().code()
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
        self.tree.functions.push(Function { name, node: Some(node), position: 0, parameters: count, linkage });
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
            7 if self.rng.once_in(2) => self.print(depth),
            8 if self.rng.once_in(4) => self.assign_field(depth),
            8 if self.tree.arrays => self.update(depth),
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
        if self.rank(ty) > 0 {
            return;
        }
        self.node(depth, kind::DESTRUCTURE, ty::VOID, 0);
        self.value(depth + 1, ty);
        for ty in self.fields(ty) {
            let declaration = self.node(depth + 1, kind::DECLARE, ty, 0);
            self.variables.push((declaration, ty));
        }
    }

    /// Returns a variable of a type in scope.
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
            let rank = self.rank(composite) as i32;
            let fields = self.fields(composite).into_iter().enumerate();
            let fields = fields.filter(|&(_, field)| self.deeper(field, rank) == Some(ty));
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
            8 if is_composite(ty) => self.index(depth, ty),
            8 if ty == ty::INT && self.tree.arrays && self.rng.once_in(2) => {
                let array = self.value_type();
                if self.rank(array) == 0 {
                    return self.leaf(depth, ty);
                }
                self.node(depth, kind::SIZE, ty, 0);
                self.value(depth + 1, array);
            }
            _ if self.is_split(ty) && self.rng.once_in(2) => {
                let position = self.position();
                self.node(depth, kind::SPLIT, ty, position);
                self.value(depth + 1, self.fields(ty)[0]);
                self.value(depth + 1, ty::INT);
            }
            _ if is_composite(ty) && self.rank(ty) > 0 => self.array(depth, ty),
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

    /// Returns whether the parts of an array can have a type.
    fn is_split(&self, ty: u8) -> bool {
        is_composite(ty)
            && self.rank(ty) == 0
            && matches!(self.fields(ty)[..], [first, second] if first == second && self.rank(first) > 0)
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
