//! Random checked programs as columns, without source text: valid for every pass, not meant to terminate.

use std::ops::Range;

use refcompiler::ir::kinds::{OPERATORS, Operator};
use refcompiler::ir::operators::{Operands, Value};
use refcompiler::ir::tree::{Function, Linkage, Tree, kind, runtime, ty};

use crate::rng::Rng;

struct Builder {
    rng: Rng,
    tree: Tree,
    /// `true` if the tree may have the forms that [`tree`] does not have.
    is_larger: bool,
    /// Nodes that may still be made.
    budget: i64,
    /// Variables in scope: node and type.
    variables: Vec<(u32, u8)>,
    /// Functions in scope: id, return type and parameter types.
    functions: Vec<(u32, u8, Vec<u8>)>,
}

/// Trees of the whole language whose number of nodes is in a range, with their seeds, endlessly.
pub fn trees(nodes: Range<usize>) -> impl Iterator<Item = (u64, Tree)> {
    (1..).map(|seed| (seed, larger_tree(seed))).filter(move |(_, tree)| nodes.contains(&tree.len()))
}

/// The tree of a seed: of one to some million nodes. Like [`program`](crate::program()) without the forms that came later.
pub fn tree(seed: u64) -> Tree {
    draw(seed, false)
}

/// The tree of a seed, with all forms.
pub fn larger_tree(seed: u64) -> Tree {
    draw(seed, true)
}

fn draw(seed: u64, is_larger: bool) -> Tree {
    let functions = (0..runtime::COUNT)
        .map(|_| Function { name: String::new(), node: None, position: 0, parameters: 0, linkage: Linkage::Absent })
        .collect();
    let mut b = Builder {
        rng: Rng::new(seed),
        tree: Tree { functions, ..Tree::default() },
        is_larger,
        budget: 0,
        variables: Vec::new(),
        functions: Vec::new(),
    };
    let size = b.rng.one_of(&[1, 30, 300, 3000, 10_000]);
    for _ in 0..1 + b.rng.below(4) {
        b.budget = size;
        if b.rng.once_in(6) {
            b.extern_function();
        } else {
            b.function(0);
        }
    }
    b.tree
}

/// Adds a node, whose position is its number. Returns the number.
pub(crate) fn push(tree: &mut Tree, depth: u32, kind: u8, ty: u8, data: u32) -> u32 {
    let i = tree.len() as u32;
    tree.depth.push(depth);
    tree.kind.push(kind);
    tree.ty.push(ty);
    tree.data.push(data);
    tree.pos.push(i);
    i
}

impl Builder {
    fn node(&mut self, depth: u32, kind: u8, ty: u8, data: u32) -> u32 {
        self.budget -= 1;
        push(&mut self.tree, depth, kind, ty, data)
    }

    fn number_type(&mut self) -> u8 {
        self.rng.one_of(&[ty::INT, ty::FLOAT])
    }

    fn signature(&mut self, depth: u32, kind: u8) -> u32 {
        let id = self.tree.functions.len() as u32;
        let result = self.rng.one_of(&[ty::VOID, ty::INT, ty::FLOAT]);
        let node = self.node(depth, kind, result, id);
        let linkage = if kind == kind::EXTERN { Linkage::Extern } else { Linkage::Global };
        // Digests of compiled trees contain these names.
        let name = format!("f{}", id - runtime::COUNT + 5);
        self.tree.functions.push(Function { name, node: Some(node), position: 0, parameters: 0, linkage });
        if kind == kind::FUNCTION {
            self.node(depth + 1, kind::HEADER, ty::VOID, 0);
        }
        let count = self.rng.one_of(&[0, 1, 2, 5, 24]);
        let mut parameters = Vec::new();
        for _ in 0..count {
            let ty = self.number_type();
            let parameter = self.node(depth + 1, kind::PARAM, ty, 0);
            parameters.push(ty);
            if kind == kind::FUNCTION {
                self.variables.push((parameter, ty));
            }
        }
        self.tree.functions[id as usize].parameters = count as u32;
        self.functions.push((id, result, parameters));
        node
    }

    fn extern_function(&mut self) {
        self.signature(0, kind::EXTERN);
    }

    fn function(&mut self, depth: u32) {
        let variables = self.variables.len();
        let node = self.signature(depth, kind::FUNCTION);
        let result = self.tree.ty[node as usize];
        self.block(depth + 1, result);
        self.variables.truncate(variables);
    }

    fn block(&mut self, depth: u32, result: u8) {
        self.node(depth, kind::BLOCK, ty::VOID, 0);
        let (variables, functions) = (self.variables.len(), self.functions.len());
        for _ in 0..self.rng.below(8) {
            self.statement(depth + 1, result);
        }
        while depth == 2 && self.budget > 0 {
            self.statement(depth + 1, result);
        }
        self.variables.truncate(variables);
        self.functions.truncate(functions);
    }

    fn statement(&mut self, depth: u32, result: u8) {
        if depth > 40 {
            self.node(depth, kind::EMPTY, ty::VOID, 0);
            return;
        }
        // Within the budget, so that trees do not become larger than those without the form.
        if self.is_larger && self.budget > 0 && self.rng.once_in(8) {
            return self.iteration(depth, result);
        }
        match self.rng.below(12) {
            0 => {
                self.node(depth, kind::EMPTY, ty::VOID, 0);
            }
            1 => {
                self.node(depth, kind::RETURN, ty::VOID, 0);
                if result != ty::VOID {
                    self.value(depth + 1, result);
                }
            }
            2 | 3 => self.condition(depth, result),
            4 => {
                self.node(depth, kind::WHILE, ty::VOID, 0);
                self.value(depth + 1, ty::INT);
                self.block(depth + 1, result);
            }
            5 => self.block(depth, result),
            6 if depth < 12 => self.function(depth),
            _ => {
                self.node(depth, kind::EXPRESSION, ty::VOID, 0);
                let ty = self.rng.one_of(&[ty::VOID, ty::INT, ty::FLOAT]);
                if ty != ty::VOID || !self.call(depth + 1, ty::VOID) {
                    let ty = ty.max(ty::INT);
                    self.value(depth + 1, ty);
                }
            }
        }
    }

    /// A `for`.
    fn iteration(&mut self, depth: u32, result: u8) {
        self.node(depth, kind::FOR, ty::VOID, 0);
        let count = self.node(depth + 1, kind::COUNT, ty::INT, 0);
        let variables = self.variables.len();
        self.value(depth + 2, ty::INT);
        self.variables.push((count, ty::INT));
        self.block(depth + 1, result);
        self.variables.truncate(variables);
    }

    fn condition(&mut self, depth: u32, result: u8) {
        let kind = self.rng.one_of(&[kind::IF, kind::IF_ELSE]);
        self.node(depth, kind, ty::VOID, 0);
        self.value(depth + 1, ty::INT);
        self.block(depth + 1, result);
        if kind == kind::IF_ELSE {
            if self.rng.below(2) == 0 && depth < 40 {
                self.condition(depth + 1, result)
            } else {
                self.block(depth + 1, result)
            }
        }
    }

    /// A call of a function in scope that returns `ty`, if there is one.
    fn call(&mut self, depth: u32, ty: u8) -> bool {
        let fitting: Vec<usize> = (0..self.functions.len()).filter(|&f| self.functions[f].1 == ty).collect();
        if fitting.is_empty() {
            return false;
        }
        let chosen = fitting[self.rng.below(fitting.len())];
        let (id, _, parameters) = self.functions[chosen].clone();
        self.node(depth, kind::CALL, ty, id);
        for (k, &parameter) in parameters.iter().enumerate() {
            self.node(depth + 1, kind::ARG, parameter, k as u32);
            self.value(depth + 2, parameter);
        }
        true
    }

    /// A binary operator for which `accepts` holds, without its operands.
    fn operator(&mut self, depth: u32, ty: u8, accepts: impl Fn(&Operator) -> bool) {
        let fitting = || OPERATORS.iter().filter(|operator| accepts(operator));
        let chosen = self.rng.below(fitting().count());
        let kind = fitting().nth(chosen).expect("an operator").kind.code();
        self.node(depth, kind, ty, 0);
    }

    /// A conditional expression.
    fn choice(&mut self, depth: u32, ty: u8) {
        self.node(depth, kind::CHOOSE, ty, 0);
        let variables = self.variables.len();
        for (kind, ty) in [(kind::TEST, ty::INT), (kind::THEN, ty), (kind::OTHERWISE, ty)] {
            self.node(depth + 1, kind, ty, 0);
            self.value(depth + 2, ty);
            self.variables.truncate(variables);
        }
    }

    /// An operation that is written as a call.
    fn operation(&mut self, depth: u32, ty: u8) {
        let kind = if ty == ty::FLOAT { self.rng.one_of(&[kind::SQRT, kind::ABS]) } else { kind::ABS };
        self.node(depth, kind, ty, 0);
        self.node(depth + 1, kind::ASCRIBE, ty, 0);
        self.value(depth + 2, ty);
    }

    fn value(&mut self, depth: u32, ty: u8) {
        let choice = if self.budget <= 0 || depth > 60 { 0 } else { self.rng.below(14) };
        if self.is_larger && choice > 0 && self.rng.once_in(10) {
            return self.choice(depth, ty);
        }
        if self.is_larger && choice > 0 && self.rng.once_in(12) {
            return self.operation(depth, ty);
        }
        match choice {
            0 => {
                let data = self.rng.below(1 << 31) as u32;
                self.node(depth, kind::LITERAL, ty, data);
            }
            1 | 2 => {
                let fitting: Vec<u32> = self.variables.iter().filter(|v| v.1 == ty).map(|v| v.0).collect();
                if fitting.is_empty() {
                    self.node(depth, kind::LITERAL, ty, 7);
                } else {
                    let declaration = fitting[self.rng.below(fitting.len())];
                    let mut kind = self.rng.one_of(&[kind::NAME, kind::NAME, kind::ASSIGN]);
                    if self.tree.kind[declaration as usize] == kind::COUNT {
                        kind = kind::NAME;
                    }
                    self.node(depth, kind, ty, declaration);
                    if kind == kind::ASSIGN {
                        self.value(depth + 1, ty);
                    }
                }
            }
            3 => {
                let node = self.node(depth, kind::DECLARE, ty, 0);
                if self.rng.below(3) > 0 {
                    self.value(depth + 1, ty);
                }
                self.variables.push((node, ty));
            }
            4 | 5 => {
                if !self.call(depth, ty) {
                    self.node(depth, kind::LITERAL, ty, 1);
                }
            }
            6 => {
                self.node(depth, kind::CAST, ty, 0);
                let from = self.number_type();
                self.value(depth + 1, from);
            }
            7 => {
                let all = [kind::ASCRIBE, kind::NEGATE, kind::NOT, kind::COMPLEMENT];
                let kind = all[self.rng.below(if ty == ty::INT { 4 } else { 2 })];
                self.node(depth, kind, ty, 0);
                self.value(depth + 1, ty);
            }
            8 | 9 if ty == ty::INT => {
                self.operator(depth, ty, |operator| operator.kind.is_comparison());
                let operands = self.number_type();
                self.value(depth + 1, operands);
                self.value(depth + 1, operands);
            }
            _ => {
                self.operator(depth, ty, |operator| {
                    operator.value == Value::Same && (ty == ty::INT || operator.operands == Operands::Number)
                });
                self.value(depth + 1, ty);
                self.value(depth + 1, ty);
            }
        }
    }
}
