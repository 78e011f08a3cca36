//! Strength reduction as a recursion over the tree: each loop is searched for products, and written with its variables.

use std::collections::HashMap;

use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::nodes::HostNodes;

use super::nodes::relations;

/// The most variables of a loop.
const MOST: usize = 4;

/// A leaf: its kind, and its data.
type Leaf = (Kind, u32);

/// The variable of a loop: the value in the first iteration, and what each iteration adds.
type Variable = (Option<Leaf>, Leaf);

struct Strength<'a> {
    nodes: &'a HostNodes,
    parent: Vec<Option<usize>>,
    end: Vec<usize>,
    /// The loop and the number of the variable that replace a node.
    replaced: HashMap<usize, (usize, usize)>,
    /// The variables of each loop.
    variables: HashMap<usize, Vec<Variable>>,
    out: HostNodes,
    /// The new node of each declaration.
    at: HashMap<usize, u32>,
    /// The nodes whose data are variables of loops.
    named: Vec<(usize, usize, usize)>,
    declared: HashMap<(usize, usize), u32>,
}

/// Returns the nodes with sums for products of counters.
pub fn reduced(nodes: &HostNodes) -> HostNodes {
    let (parent, end) = relations(nodes);
    let mut strength = Strength {
        nodes,
        parent,
        end,
        replaced: HashMap::new(),
        variables: HashMap::new(),
        out: HostNodes::default(),
        at: HashMap::new(),
        named: Vec::new(),
        declared: HashMap::new(),
    };
    for around in (0..nodes.kind.len()).filter(|&i| nodes.kind[i] == Kind::For) {
        strength.search(around);
    }
    for i in (0..nodes.kind.len()).filter(|&i| nodes.depth[i] == 0) {
        strength.write(i, 0);
    }
    let Strength { mut out, at, named, declared, .. } = strength;
    let of_loops: HashMap<usize, u32> = named.iter().map(|&(node, around, k)| (node, declared[&(around, k)])).collect();
    for i in 0..out.kind.len() {
        if let Some(&variable) = of_loops.get(&i) {
            out.data[i] = variable;
        } else if out.kind[i].is_variable() {
            out.data[i] = at[&(out.data[i] as usize)];
        }
    }
    out
}

impl Strength<'_> {
    /// Returns the leaf at a node, if it is one that a loop does not change. The loop has no calls.
    fn still(&self, i: usize, around: usize) -> Option<Leaf> {
        let leaf = (self.nodes.kind[i], self.nodes.data[i]);
        let variable = leaf.1 as usize;
        let writes = |j: usize| {
            j == variable || matches!(self.nodes.kind[j], Kind::Assign | Kind::Address) && self.nodes.data[j] == leaf.1
        };
        let is_still = leaf.0 == Kind::Name && !(around..self.end[around]).any(writes);
        (leaf.0 == Kind::Literal || is_still).then_some(leaf)
    }

    fn search(&mut self, around: usize) {
        let nodes = self.nodes;
        let all = around + 1..self.end[around];
        if all.clone().any(|i| nodes.kind[i].is_loop() || nodes.kind[i].is_call(nodes.ty[i])) {
            return;
        }
        let counter = (around + 1) as u32;
        let mut found: Vec<(usize, Variable)> = Vec::new();
        for i in all {
            let is_int = |i: usize, kind| nodes.kind[i] == kind && nodes.ty[i] == Type::Int;
            if !is_int(i, Kind::Mul) || !self.is_own(i, around) {
                continue;
            }
            let (left, right) = (i + 1, self.end[i + 1]);
            let counts = |j: usize| nodes.kind[j] == Kind::Name && nodes.data[j] == counter;
            let factor = if counts(left) { right } else { left };
            let Some(step) = self.still(factor, around).filter(|_| counts(left) || counts(right)) else { continue };
            let above = self.parent[i].expect("a node around");
            let other = if above + 1 == i { self.end[i] } else { above + 1 };
            let start = if is_int(above, Kind::Add) { self.still(other, around) } else { None };
            let root = if start.is_some() { above } else { i };
            if start.is_none() && step.0 == Kind::Literal {
                continue;
            }
            found.push((root, (start, step)));
        }
        // Something else reads the counter.
        let reads = |i: &usize| nodes.kind[*i] == Kind::Name && nodes.data[*i] == counter;
        if (0..nodes.kind.len()).filter(reads).count() == found.len() {
            return;
        }
        for (root, variable) in found {
            let variables = self.variables.entry(around).or_default();
            let known = variables.iter().position(|other| *other == variable);
            if known.is_none() {
                variables.push(variable);
            }
            let k = known.unwrap_or(variables.len() - 1);
            if k < MOST {
                self.replaced.insert(root, (around, k));
            }
        }
        if let Some(variables) = self.variables.get_mut(&around) {
            variables.truncate(MOST);
        }
    }

    /// Returns whether a node is in the function of a loop around it.
    fn is_own(&self, i: usize, around: usize) -> bool {
        let mut at = i;
        while at != around {
            if self.nodes.kind[at].is_function() {
                return false;
            }
            at = self.parent[at].expect("a node around");
        }
        true
    }

    fn push(&mut self, depth: u32, kind: Kind, ty: Type, data: u32) {
        self.out.depth.push(depth);
        self.out.kind.push(kind);
        self.out.ty.push(ty);
        self.out.data.push(data);
    }

    /// Writes a node whose data is a variable of a loop.
    fn name(&mut self, depth: u32, kind: Kind, around: usize, k: usize) {
        self.named.push((self.out.kind.len(), around, k));
        self.push(depth, kind, Type::Int, 0);
    }

    fn write(&mut self, i: usize, depth: u32) {
        if let Some(&(around, k)) = self.replaced.get(&i) {
            return self.name(depth, Kind::Name, around, k);
        }
        let nodes = self.nodes;
        let variables = self.variables.get(&i).cloned().unwrap_or_default();
        for (k, &(start, _)) in variables.iter().enumerate() {
            let (kind, data) = start.unwrap_or((Kind::Literal, 0));
            self.push(depth, Kind::Expression, Type::Void, 0);
            self.declared.insert((i, k), self.out.kind.len() as u32);
            self.push(depth + 1, Kind::Declare, Type::Int, 0);
            self.push(depth + 2, kind, Type::Int, data);
        }
        self.at.insert(i, self.out.kind.len() as u32);
        self.push(depth, nodes.kind[i], nodes.ty[i], nodes.data[i]);
        let mut child = i + 1;
        while child < self.end[i] {
            self.write(child, depth + 1);
            child = self.end[child];
        }
        for (k, &(_, step)) in variables.iter().enumerate() {
            self.push(depth + 2, Kind::Expression, Type::Void, 0);
            self.name(depth + 3, Kind::Assign, i, k);
            self.push(depth + 4, Kind::Add, Type::Int, 0);
            self.name(depth + 5, Kind::Name, i, k);
            self.push(depth + 5, step.0, Type::Int, step.1);
        }
    }
}
