//! Code motion as a search: for each value and each loop around it, all nodes of the loop are looked at for writes.

use std::collections::{BTreeMap, HashMap, HashSet};

use refcompiler::ir::kinds::{Kind, OPERATORS, Type};
use refcompiler::ir::nodes::HostNodes;

use super::nodes::relations;

/// The most variables of a loop.
const MOST: usize = 8;

struct Motion<'a> {
    nodes: &'a HostNodes,
    end: Vec<usize>,
    parent: Vec<Option<usize>>,
    /// Ids of nested functions.
    nested: HashSet<u32>,
    /// Variables that another function than the declaring one writes.
    foreign: HashSet<usize>,
}

/// The destination of a value that moves.
#[derive(Clone, Copy)]
struct Place {
    /// The loop before which it goes.
    anchor: usize,
    /// The first value that equals it.
    first: usize,
}

/// Returns the nodes after code motion.
pub fn moved(nodes: &HostNodes) -> HostNodes {
    let n = nodes.kind.len();
    let (parent, end) = relations(nodes);
    let functions = (0..n).filter(|&i| nodes.kind[i] == Kind::Function && nodes.depth[i] > 0);
    let nested = functions.map(|i| nodes.data[i]).collect();
    let mut motion = Motion { nodes, end, parent, nested, foreign: HashSet::new() };
    motion.foreign = (0..n)
        .filter_map(|i| motion.written(i).filter(|&variable| motion.function(i) != motion.function(variable)))
        .collect();
    motion.run()
}

impl Motion<'_> {
    fn function(&self, i: usize) -> usize {
        let mut at = i;
        while !self.nodes.kind[at].is_function() {
            at = self.parent[at].expect("a function around");
        }
        at
    }

    /// The variable that a node writes.
    fn written(&self, i: usize) -> Option<usize> {
        match self.nodes.kind[i] {
            Kind::Assign | Kind::Address => Some(self.nodes.data[i] as usize),
            Kind::Declare | Kind::Count => Some(i),
            _ => None,
        }
    }

    /// The loops around a node in its function, from outside.
    fn loops(&self, i: usize) -> Vec<usize> {
        let (mut at, mut loops) = (i, Vec::new());
        while !self.nodes.kind[at].is_function() {
            let above = self.parent[at].expect("a function around");
            match self.nodes.kind[above] {
                Kind::While => loops.push(above),
                Kind::For if self.nodes.kind[at] == Kind::Block => loops.push(above),
                _ => {}
            }
            at = above;
        }
        loops.reverse();
        loops
    }

    fn changes(&self, variable: usize, around: usize) -> bool {
        (around..self.end[around]).any(|i| {
            let is_call = self.nodes.kind[i] == Kind::Call && self.nested.contains(&self.nodes.data[i]);
            self.written(i) == Some(variable) || is_call && self.foreign.contains(&variable)
        })
    }

    fn children(&self, i: usize) -> Vec<usize> {
        let (mut at, mut children) = (i + 1, Vec::new());
        while at < self.end[i] {
            children.push(at);
            at = self.end[at];
        }
        children
    }

    fn has_array(&self, i: usize) -> bool {
        let variable = self.nodes.data[i] as usize;
        if self.nodes.kind[variable] != Kind::Declare {
            return self.nodes.kind[variable] == Kind::Param;
        }
        let mut at = variable;
        while self.nodes.kind[at] != Kind::Block {
            if matches!(self.nodes.kind[at], Kind::Then | Kind::Otherwise) {
                return false;
            }
            let Some(above) = self.parent[at] else { break };
            at = above;
        }
        self.end[variable] > variable + 1 && self.function(variable) == self.function(i)
    }

    /// Returns whether a node can be computed earlier or in vain, if its operands are known.
    fn is_harmless(&self, i: usize) -> bool {
        let (kind, data) = (self.nodes.kind[i], self.nodes.data[i]);
        match kind {
            Kind::Name | Kind::Literal | Kind::Cast | Kind::Negate | Kind::Not | Kind::Complement => true,
            Kind::Sqrt | Kind::Abs | Kind::AddWords | Kind::AddShorts => true,
            Kind::Ascribe => data == 0,
            Kind::Data | Kind::Extent => self.has_array(i),
            Kind::Load => data >= 4 && self.nodes.kind[i + 1] == Kind::Name && self.has_array(i + 1),
            Kind::Rem => self.nodes.ty[i] != Type::Float,
            kind => OPERATORS.iter().any(|operator| operator.kind == kind),
        }
    }

    fn cost(&self, i: usize) -> u32 {
        match self.nodes.kind[i] {
            Kind::Name | Kind::Literal | Kind::Ascribe => 0,
            Kind::Mul | Kind::Div | Kind::Rem | Kind::Sqrt | Kind::Data | Kind::Extent | Kind::Load => 2,
            _ => 1,
        }
    }

    /// The outermost loop that a value can leave.
    fn target(&self, i: usize) -> Option<usize> {
        let all = || i..self.end[i];
        if !all().all(|j| self.is_harmless(j)) || !all().any(|j| self.nodes.kind[j].is_read()) {
            return None;
        }
        let reads: Vec<_> = all().filter(|&j| self.nodes.kind[j].is_read()).collect();
        let is_still = |&around: &usize| reads.iter().all(|&j| !self.changes(self.nodes.data[j] as usize, around));
        self.loops(i).into_iter().find(is_still)
    }

    fn is_equal(&self, i: usize, j: usize) -> bool {
        let nodes = self.nodes;
        let row = |k: usize| (nodes.kind[k], nodes.ty[k], nodes.data[k]);
        let length = self.end[i] - i;
        self.end[j] - j == length && (0..length).all(|k| row(i + k) == row(j + k))
    }

    fn run(&self) -> HostNodes {
        let n = self.nodes.kind.len();
        let is_value = |i: &usize| self.nodes.kind[*i].is_value();
        let targets: HashMap<usize, usize> =
            (0..n).filter(is_value).filter_map(|i| self.target(i).map(|target| (i, target))).collect();
        let mut roots: BTreeMap<usize, Place> = BTreeMap::new();
        for (i, &anchor) in (0..n).filter_map(|i| targets.get(&i).map(|anchor| (i, anchor))) {
            let is_dear = (i..self.end[i]).any(|j| self.cost(j) > 0);
            let above = self.parent[i].and_then(|above| targets.get(&above));
            if is_dear && above != Some(&anchor) {
                let equal = roots.iter().find(|(j, place)| place.anchor == anchor && self.is_equal(i, **j));
                let first = equal.map_or(i, |(&first, _)| first);
                roots.insert(i, Place { anchor, first });
            }
        }
        // The savings of each value.
        let mut saved: HashMap<usize, u32> = HashMap::new();
        for i in 0..n {
            let mut at = Some(i);
            while let Some(j) = at.filter(|j| !roots.contains_key(j)) {
                at = self.parent[j];
            }
            if let Some(root) = at {
                let Place { anchor, first } = roots[&root];
                let further = self.loops(i).iter().filter(|&&around| around > anchor).count();
                *saved.entry(first).or_default() += self.cost(i) << (3 * further.min(3));
            }
        }
        let mut of_loop: BTreeMap<usize, Vec<(std::cmp::Reverse<u32>, usize)>> = BTreeMap::new();
        for (&first, &saved) in &saved {
            of_loop.entry(roots[&first].anchor).or_default().push((std::cmp::Reverse(saved), first));
        }
        let mut before: HashMap<usize, Vec<usize>> = HashMap::new();
        for (anchor, mut values) in of_loop {
            values.sort_unstable();
            let mut kept: Vec<usize> = values.into_iter().take(MOST).map(|(_, first)| first).collect();
            kept.sort_unstable();
            before.insert(anchor, kept);
        }
        let kept: HashSet<usize> = before.values().flatten().copied().collect();
        roots.retain(|_, place| kept.contains(&place.first));
        let mut writer =
            Writer { motion: self, roots: &roots, before: &before, out: HostNodes::default(), at: HashMap::new() };
        for i in (0..n).filter(|&i| self.nodes.depth[i] == 0) {
            writer.write(i, 0, false);
        }
        let Writer { mut out, at, .. } = writer;
        for i in 0..out.kind.len() {
            if out.kind[i].is_variable() {
                out.data[i] = at[&(out.data[i] as usize)];
            }
        }
        out
    }
}

/// Writes the new nodes. Variables have the old nodes that declare them, and moved values their own numbers after all nodes.
struct Writer<'a> {
    motion: &'a Motion<'a>,
    roots: &'a BTreeMap<usize, Place>,
    before: &'a HashMap<usize, Vec<usize>>,
    out: HostNodes,
    /// The new node of each declaration.
    at: HashMap<usize, u32>,
}

impl Writer<'_> {
    fn push(&mut self, depth: u32, kind: Kind, ty: Type, data: u32) {
        self.out.depth.push(depth);
        self.out.kind.push(kind);
        self.out.ty.push(ty);
        self.out.data.push(data);
    }

    fn write(&mut self, i: usize, depth: u32, is_moved: bool) {
        let nodes = self.motion.nodes;
        let hidden = nodes.kind.len();
        let ty = nodes.kind[i].type_of_value(nodes.ty[i]);
        if let Some(place) = self.roots.get(&i).filter(|_| !is_moved) {
            return self.push(depth, Kind::Name, ty, (hidden + place.first) as u32);
        }
        for &value in self.before.get(&i).into_iter().flatten() {
            self.push(depth, Kind::Expression, Type::Void, 0);
            self.at.insert(hidden + value, self.out.kind.len() as u32);
            let ty = nodes.kind[value].type_of_value(nodes.ty[value]);
            self.push(depth + 1, Kind::Declare, ty, 0);
            self.write(value, depth + 2, true);
        }
        self.at.insert(i, self.out.kind.len() as u32);
        self.push(depth, nodes.kind[i], nodes.ty[i], nodes.data[i]);
        for child in self.motion.children(i) {
            self.write(child, depth + 1, false);
        }
    }
}
