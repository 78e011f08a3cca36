//! Static single assignment form, by a walk that renames as it goes. Nothing of the pass is used.

use std::collections::{BTreeMap, BTreeSet};

use refcompiler::ir::kinds::kind;

use super::compiler::Node;

/// Returns the lifted nodes in static single assignment form.
pub fn ssa(nodes: &[Node]) -> Vec<Node> {
    // The walk recurses: on a stack of its own, only touched as far as needed.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(4 << 30).spawn_scoped(scope, || Renaming::new(nodes).run());
        thread.expect("a thread").join().expect("a renamed tree")
    })
}

/// The data of a node of the result, before all nodes have their indices.
#[derive(Clone, Copy)]
enum Data {
    Number(u32),
    /// The new index of an old node.
    Old(usize),
}

fn is_read(k: u8) -> bool {
    matches!(k, kind::NAME | kind::DATA | kind::EXTENT)
}

struct Renaming<'a> {
    nodes: &'a [Node],
    is_in_memory: Vec<bool>,
    out: Vec<(Node, Data)>,
    moved: Vec<u32>,
    /// The definition of each variable, as an index of the result.
    current: BTreeMap<usize, u32>,
}

impl<'a> Renaming<'a> {
    fn new(nodes: &'a [Node]) -> Self {
        let mut is_in_memory = vec![false; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let reaches_out = (is_read(node.kind) || node.kind == kind::ASSIGN) && node.hops > 0;
            if reaches_out || node.kind == kind::ADDRESS {
                is_in_memory[node.data as usize] = true;
            }
            if node.kind == kind::DECLARE {
                // The statement around it, and the part of that statement.
                let (mut part, mut above) = (i, node.parent.expect("a declaration in a function"));
                while !matches!(nodes[above].kind, kind::BLOCK | kind::IF | kind::IF_ELSE | kind::WHILE) {
                    // Programs have no declarations in conditional expressions; random trees do.
                    is_in_memory[i] |= matches!(nodes[above].kind, kind::THEN | kind::OTHERWISE);
                    (part, above) = (above, nodes[above].parent.expect("a statement around"));
                }
                let is_elif = |i: usize| {
                    let around = nodes[i].parent.expect("a statement is no root");
                    nodes[around].kind == kind::IF_ELSE && nodes[around].children[0] != i
                };
                let in_branch = matches!(nodes[above].kind, kind::IF | kind::IF_ELSE) && is_elif(above);
                is_in_memory[i] |= nodes[above].kind == kind::WHILE || in_branch;
                assert!(nodes[above].kind == kind::BLOCK || nodes[above].children[0] == part, "a value is a condition");
            }
        }
        Renaming { nodes, is_in_memory, out: Vec::new(), moved: vec![0; nodes.len()], current: BTreeMap::new() }
    }

    fn run(mut self) -> Vec<Node> {
        for i in (0..self.nodes.len()).filter(|&i| self.nodes[i].parent.is_none()) {
            self.visit(i);
        }
        let moved = self.moved;
        let place = |(node, data): (Node, Data)| Node {
            data: match data {
                Data::Number(number) => number,
                Data::Old(old) => moved[old],
            },
            ..node
        };
        self.out.into_iter().map(place).collect()
    }

    fn push(&mut self, node: Node, data: Data) -> u32 {
        self.out.push((node, data));
        self.out.len() as u32 - 1
    }

    /// The variables from outside that a statement assigns in its loop, or in its branches.
    fn assigned(&self, statement: usize) -> BTreeSet<usize> {
        let node = &self.nodes[statement];
        let parts = &node.children[usize::from(node.kind != kind::WHILE)..];
        let mut open = parts.to_vec();
        let mut found = BTreeSet::new();
        while let Some(i) = open.pop() {
            let variable = self.nodes[i].data as usize;
            if self.nodes[i].kind == kind::ASSIGN && !self.is_in_memory[variable] && variable < parts[0] {
                found.insert(variable);
            }
            open.extend(&self.nodes[i].children);
        }
        found
    }

    /// Adds a merge below a statement of depth `depth`. The second read of a HEAD comes later.
    fn merge(&mut self, kind: u8, depth: u32, variable: usize, reads: [u32; 2]) -> u32 {
        let ty = self.nodes[variable].ty;
        let node = |kind, depth| Node { kind, depth, ty, ..Node::default() };
        let merge = self.push(node(kind, depth + 1), Data::Old(variable));
        for read in reads {
            self.push(node(kind::USE, depth + 2), Data::Number(read));
        }
        merge
    }

    fn visit(&mut self, i: usize) {
        let node: &'a Node = &self.nodes[i];
        let uses = is_read(node.kind) || node.kind == kind::ASSIGN;
        let variable = if uses { node.data as usize } else { i };
        let is_variable = uses || matches!(node.kind, kind::DECLARE | kind::PARAM | kind::COUNT);
        let is_ssa = is_variable && !self.is_in_memory[variable];
        let copy = Node { children: Vec::new(), parent: None, ..node.clone() };
        let new = match node.kind {
            k if is_ssa && is_read(k) => {
                let value = Data::Number(self.current[&variable]);
                self.push(Node { kind: if k == kind::NAME { kind::USE } else { k }, ..copy }, value)
            }
            kind::ASSIGN | kind::DECLARE if is_ssa => self.push(Node { kind: kind::LET, ..copy }, Data::Old(variable)),
            _ if uses => self.push(copy, Data::Old(variable)),
            kind::ADDRESS => self.push(copy, Data::Old(node.data as usize)),
            _ => self.push(copy, Data::Number(node.data)),
        };
        self.moved[i] = new;
        match node.kind {
            kind::WHILE => self.repeated(i, 0),
            kind::FOR => self.repeated(i, 1),
            kind::IF | kind::IF_ELSE | kind::CHOOSE => self.branches(i),
            _ => node.children.iter().for_each(|&child| self.visit(child)),
        }
        if is_ssa && !is_read(node.kind) {
            self.current.insert(variable, new);
        }
    }

    /// Visits the parts of a loop. The first `before` of them are evaluated once, before it.
    fn repeated(&mut self, i: usize, before: usize) {
        let node: &'a Node = &self.nodes[i];
        node.children[..before].iter().for_each(|&part| self.visit(part));
        let variables = self.assigned(i);
        let mut heads = Vec::new();
        for &variable in &variables {
            let head = self.merge(kind::HEAD, node.depth, variable, [self.current[&variable], 0]);
            heads.push((head, variable));
        }
        self.current.extend(heads.iter().map(|&(head, variable)| (variable, head)));
        // The last of the parts is the body, before which the loop can end.
        node.children[before..node.children.len() - 1].iter().for_each(|&part| self.visit(part));
        let after = self.current.clone();
        self.visit(node.children[1]);
        for (head, variable) in heads {
            self.out[head as usize + 2].1 = Data::Number(self.current[&variable]);
        }
        self.current = after;
    }

    fn branches(&mut self, i: usize) {
        let node: &'a Node = &self.nodes[i];
        self.visit(node.children[0]);
        let before = self.current.clone();
        self.visit(node.children[1]);
        let first = std::mem::replace(&mut self.current, before.clone());
        if let Some(&other) = node.children.get(2) {
            self.visit(other);
        }
        let second = std::mem::replace(&mut self.current, before);
        for variable in self.assigned(i) {
            let phi = self.merge(kind::PHI, node.depth, variable, [first[&variable], second[&variable]]);
            self.current.insert(variable, phi);
        }
    }
}
