//! Dead code, by searches over the tree around each node.

use std::collections::{HashMap, HashSet};

use refcompiler::ir::kinds::Kind;
use refcompiler::ir::nodes::HostNodes;

use super::nodes::relations;

const ROUNDS: usize = 4;
const CHAIN: usize = 8;

/// The user of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum User {
    Nobody,
    Effect,
    /// A definition, by its node.
    Definition(usize),
}

struct Round<'a> {
    nodes: &'a HostNodes,
    parent: Vec<Option<usize>>,
    end: Vec<usize>,
    /// The dead variables.
    dead: HashSet<usize>,
    /// The definitions that no read sees.
    unseen: HashSet<usize>,
    /// The assignment that becomes the declaration instead of a declaration.
    instead: HashMap<usize, usize>,
    out: HostNodes,
    at: HashMap<usize, u32>,
}

/// Returns the nodes without dead code. A round that the pass leaves out changes nothing.
pub fn without_dead(nodes: &HostNodes) -> HostNodes {
    (0..ROUNDS).fold(nodes.clone(), |nodes, _| Round::new(&nodes).run())
}

impl<'a> Round<'a> {
    fn new(nodes: &'a HostNodes) -> Round<'a> {
        let (parent, end) = relations(nodes);
        let (dead, unseen, instead) = (HashSet::new(), HashSet::new(), HashMap::new());
        let (out, at) = (HostNodes::default(), HashMap::new());
        let mut round = Round { nodes, parent, end, dead, unseen, instead, out, at };
        let found: Vec<usize> = (0..nodes.kind.len()).filter(|&i| round.is_found(i)).collect();
        let variables: HashSet<usize> = found.iter().map(|&i| round.variable(i)).collect();
        let shared: HashSet<usize> = found.iter().filter(|&&i| round.shares(i)).map(|&i| round.variable(i)).collect();
        let own: Vec<usize> = variables.difference(&shared).copied().collect();
        for _ in 0..=CHAIN {
            let needed: HashSet<usize> =
                found.iter().filter(|&&i| round.matters(i)).map(|&i| round.variable(i)).collect();
            round.dead = own.iter().copied().filter(|v| !needed.contains(v)).collect();
        }
        let mut accesses: HashMap<usize, Vec<usize>> = HashMap::new();
        found.iter().for_each(|&i| accesses.entry(round.variable(i)).or_default().push(i));
        let live: Vec<usize> = own.iter().copied().filter(|v| !round.dead.contains(v)).collect();
        for v in &live {
            let events = &accesses[v];
            if events.iter().any(|&i| nodes.kind[i] == Kind::Assign) {
                let unseen: Vec<usize> = events.iter().copied().filter(|&i| round.is_unseen(i, events)).collect();
                round.unseen.extend(unseen);
                if let [first, ..] = events[..] {
                    round.move_declaration(first, events);
                }
            }
        }
        round
    }

    fn is_found(&self, i: usize) -> bool {
        self.nodes.kind[i].is_variable() || self.nodes.kind[i] == Kind::Declare
    }

    fn variable(&self, i: usize) -> usize {
        if self.nodes.kind[i].is_variable() { self.nodes.data[i] as usize } else { i }
    }

    fn is_definition(&self, i: usize) -> bool {
        matches!(self.nodes.kind[i], Kind::Assign | Kind::Declare)
    }

    fn children(&self, i: usize) -> Vec<usize> {
        let (mut at, mut children) = (i + 1, Vec::new());
        while at < self.end[i] {
            children.push(at);
            at = self.end[at];
        }
        children
    }

    /// Returns a node and the nodes around it, up to the function.
    fn path(&self, i: usize) -> Vec<usize> {
        let mut path = vec![i];
        while let Some(above) = self.parent[path[path.len() - 1]] {
            if self.nodes.kind[path[path.len() - 1]].is_function() {
                break;
            }
            path.push(above);
        }
        path
    }

    fn function(&self, i: usize) -> usize {
        *self.path(i).last().expect("a function")
    }

    fn user(&self, i: usize) -> User {
        let Some(above) = self.parent[i] else { return User::Effect };
        match self.nodes.kind[above] {
            Kind::Expression => User::Nobody,
            Kind::Load | Kind::LoadByte | Kind::LoadShort => User::Effect,
            Kind::Choose | Kind::Then | Kind::Otherwise | Kind::Sequence => self.user(above),
            kind if kind.is_pure() => self.user(above),
            Kind::Assign | Kind::Declare if self.user(above) == User::Nobody => User::Definition(above),
            _ => User::Effect,
        }
    }

    /// Returns whether a node is evaluated once each time when its block is.
    fn is_certain(&self, i: usize) -> bool {
        let path = self.path(i);
        let inner = path.iter().take_while(|&&j| self.nodes.kind[j] != Kind::Block);
        inner.copied().all(|j| !self.is_part(j) && self.nodes.kind[j] != Kind::While)
    }

    /// Returns whether a subtree may be evaluated any number of times.
    fn is_part(&self, i: usize) -> bool {
        let Some(above) = self.parent[i] else { return true };
        match (self.nodes.kind[above], self.nodes.kind[i]) {
            (_, Kind::Function | Kind::Then | Kind::Otherwise | Kind::While) => true,
            (Kind::If | Kind::IfElse, _) => i != above + 1,
            (Kind::While | Kind::For, Kind::Block) => true,
            _ => false,
        }
    }

    /// Returns the loops in which a node is evaluated in each iteration.
    fn loops(&self, i: usize) -> Vec<usize> {
        let path = self.path(i);
        let is_in = |pair: &&[usize]| match self.nodes.kind[pair[1]] {
            Kind::While => true,
            Kind::For => self.nodes.kind[pair[0]] == Kind::Block,
            _ => false,
        };
        path.windows(2).filter(is_in).map(|pair| pair[1]).collect()
    }

    /// Returns whether others than the accesses in its function may see a variable.
    fn shares(&self, i: usize) -> bool {
        match self.nodes.kind[i] {
            Kind::Address => true,
            Kind::Declare => !self.is_certain(i),
            _ => self.function(i) != self.function(self.variable(i)),
        }
    }

    /// Returns whether a node is a read whose value is needed.
    fn matters(&self, i: usize) -> bool {
        if !self.nodes.kind[i].is_read() {
            return false;
        }
        match self.user(i) {
            User::Nobody => false,
            User::Effect => true,
            User::Definition(d) => self.variable(d) != self.variable(i) && !self.dead.contains(&self.variable(d)),
        }
    }

    fn is_unseen(&self, i: usize, events: &[usize]) -> bool {
        if !self.is_definition(i) {
            return false;
        }
        let Some(&next) = events.iter().find(|&&j| j >= self.end[i]) else {
            return self.loops(i) == self.loops(self.variable(i));
        };
        let part = self.path(next).into_iter().find(|&j| self.is_part(j)).expect("a function around");
        self.nodes.kind[next] == Kind::Assign
            && !events.iter().any(|&j| next < j && j < self.end[next])
            && self.loops(i) == self.loops(next)
            && self.path(i).contains(&part)
    }

    fn move_declaration(&mut self, first: usize, events: &[usize]) {
        if self.nodes.kind[first] != Kind::Declare || !self.unseen.contains(&first) {
            return;
        }
        let Some(&next) = events.iter().find(|&&j| j >= self.end[first]) else { return };
        let block = |i: usize| {
            let above = self.parent[i].filter(|&above| self.nodes.kind[above] == Kind::Expression)?;
            self.parent[above]
        };
        if block(first).is_some() && block(first) == block(next) && !self.unseen.contains(&next) {
            self.instead.insert(first, next);
        }
    }

    /// Returns whether a definition becomes its value.
    fn is_gone(&self, i: usize) -> bool {
        self.is_definition(i)
            && (self.dead.contains(&self.variable(i))
                || self.instead.contains_key(&i)
                || self.nodes.kind[i] == Kind::Assign && self.unseen.contains(&i))
    }

    fn is_idle(&self, i: usize) -> bool {
        (i..self.end[i]).all(|j| {
            let kind = self.nodes.kind[j];
            kind.is_pure()
                || self.is_gone(j)
                || matches!(kind, Kind::Expression | Kind::Block | Kind::Empty | Kind::If | Kind::IfElse | Kind::For)
                || matches!(kind, Kind::Count | Kind::Choose | Kind::Test | Kind::Then | Kind::Otherwise)
                || kind == Kind::Sequence
        })
    }

    /// Returns whether a statement disappears.
    fn disappears(&self, i: usize) -> bool {
        let above = self.parent[i].map(|above| self.nodes.kind[above]);
        matches!(self.nodes.kind[i], Kind::Expression | Kind::If | Kind::IfElse | Kind::For)
            && matches!(above, Some(Kind::Block | Kind::Sequence))
            && self.is_idle(i)
    }

    fn run(mut self) -> HostNodes {
        for i in (0..self.nodes.kind.len()).filter(|&i| self.nodes.depth[i] == 0) {
            self.write(i, 0);
        }
        for i in 0..self.out.kind.len() {
            if self.out.kind[i].is_variable() {
                let variable = self.out.data[i] as usize;
                let variable = self.instead.get(&variable).copied().unwrap_or(variable);
                self.out.data[i] = self.at[&variable];
            }
        }
        self.out
    }

    fn write(&mut self, i: usize, depth: u32) {
        let (kind, ty, data) = (self.nodes.kind[i], self.nodes.ty[i], self.nodes.data[i]);
        let mut children = self.children(i);
        if self.disappears(i) {
            return;
        }
        if self.is_gone(i) && !children.is_empty() {
            return self.write(children[0], depth);
        }
        if kind == Kind::Sequence {
            children.retain(|&child| !self.disappears(child));
            if let [value] = children[..] {
                return self.write(value, depth);
            }
        }
        let is_zero = self.is_gone(i) || kind.is_read() && self.dead.contains(&self.variable(i));
        let declares = self.instead.values().any(|&other| other == i);
        let has_else = kind == Kind::IfElse && !self.is_idle(children[2]);
        let is_statement = self.parent[i].is_some_and(|above| self.nodes.kind[above] == Kind::Expression);
        if kind == Kind::IfElse && !has_else {
            children.truncate(2);
        }
        if kind == Kind::Declare && self.unseen.contains(&i) && is_statement {
            children.retain(|&child| self.nodes.kind[child] == Kind::Literal || !self.is_idle(child));
        }
        self.at.insert(i, self.out.kind.len() as u32);
        self.out.depth.push(depth);
        self.out.ty.push(ty);
        let (kind, data) = match kind {
            _ if is_zero => (Kind::Literal, 0),
            _ if declares => (Kind::Declare, 0),
            Kind::IfElse if !has_else => (Kind::If, data),
            _ => (kind, data),
        };
        self.out.kind.push(kind);
        self.out.data.push(data);
        for child in children {
            self.write(child, depth + 1);
        }
    }
}
