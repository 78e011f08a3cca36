//! Contexts, by a search upwards from each test.

use std::collections::{HashMap, HashSet};

use refcompiler::ir::kinds::{Kind, OPERATORS, Type};
use refcompiler::ir::nodes::HostNodes;

use super::nodes::relations;

/// The most nodes of a condition.
const MOST: usize = 16;

struct Contexts<'a> {
    nodes: &'a HostNodes,
    parent: Vec<Option<usize>>,
    end: Vec<usize>,
    /// The variables that others than the accesses in their function may change.
    shared: HashSet<usize>,
}

/// Returns the nodes with literals for conditions that a branch around them knows.
pub fn with_known(nodes: &HostNodes) -> HostNodes {
    let (parent, end) = relations(nodes);
    let mut contexts = Contexts { nodes, parent, end, shared: HashSet::new() };
    let n = nodes.kind.len();
    let is_shared = |&i: &usize| {
        nodes.kind[i] == Kind::Address
            || nodes.kind[i].is_variable() && contexts.function(i) != contexts.function(nodes.data[i] as usize)
    };
    contexts.shared = (0..n).filter(is_shared).map(|i| nodes.data[i] as usize).collect();
    let known: HashMap<usize, bool> = (0..n).filter_map(|i| contexts.known(i)).collect();
    let (mut out, mut at, mut i) = (HostNodes::default(), vec![0; n], 0);
    while i < n {
        at[i] = out.kind.len() as u32;
        out.depth.push(nodes.depth[i]);
        let holds = known.get(&i);
        out.kind.push(if holds.is_some() { Kind::Literal } else { nodes.kind[i] });
        out.ty.push(if holds.is_some() { Type::Int } else { nodes.ty[i] });
        out.data.push(holds.map_or(nodes.data[i], |&holds| u32::from(holds)));
        i = if holds.is_some() { contexts.end[i] } else { i + 1 };
    }
    for i in 0..out.kind.len() {
        if out.kind[i].is_variable() {
            out.data[i] = at[out.data[i] as usize];
        }
    }
    out
}

impl Contexts<'_> {
    fn function(&self, i: usize) -> usize {
        let mut at = i;
        while !self.nodes.kind[at].is_function() {
            at = self.parent[at].expect("a function around");
        }
        at
    }

    /// Returns the condition of a branch.
    fn condition(&self, i: usize) -> Option<usize> {
        match self.nodes.kind[i] {
            Kind::If | Kind::IfElse => Some(i + 1),
            Kind::Choose => Some(i + 2),
            _ => None,
        }
    }

    fn is_plain(&self, i: usize) -> bool {
        let kind = self.nodes.kind[i];
        matches!(kind, Kind::Name | Kind::Literal)
            || OPERATORS.iter().any(|operator| operator.kind == kind)
            || kind.is_unary() && (kind != Kind::Ascribe || self.nodes.data[i] == 0)
    }

    fn are_equal(&self, a: usize, b: usize) -> bool {
        let tree = |i: usize| {
            let node = |j| {
                (self.nodes.depth[j] - self.nodes.depth[i], self.nodes.kind[j], self.nodes.ty[j], self.nodes.data[j])
            };
            (i..self.end[i]).map(node).collect::<Vec<_>>()
        };
        tree(a) == tree(b)
    }

    /// Returns the condition of a branch, and whether it holds, if a branch around it shows that.
    fn known(&self, i: usize) -> Option<(usize, bool)> {
        let condition = self.condition(i)?;
        let all = condition..self.end[condition];
        if all.len() > MOST || self.nodes.kind[condition] == Kind::Literal || !all.clone().all(|j| self.is_plain(j)) {
            return None;
        }
        let mut part = i;
        while let Some(above) = self.parent[part] {
            let is_part =
                self.condition(above).is_some_and(|other| part != above + 1 && self.are_equal(other, condition));
            if is_part {
                let reads = all.filter(|&j| self.nodes.kind[j] == Kind::Name).map(|j| self.nodes.data[j] as usize);
                let is_assigned = |variable: usize| {
                    (part..self.end[part])
                        .any(|j| self.nodes.kind[j] == Kind::Assign && self.nodes.data[j] as usize == variable)
                };
                let keeps = { reads }.all(|variable| !self.shared.contains(&variable) && !is_assigned(variable));
                return keeps.then_some((condition, part == self.end[above + 1]));
            }
            part = above;
        }
        None
    }
}
