//! The templates of nodes: the rules of their forms.

use treepar::device::device;

use super::facts::Facts;
use super::forms::{FIRST, Form, OTHER, part, step_of_child};
use super::slots::{Template, once};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::rules::{HEAD, TAIL, after_child, before_child};

/// Returns the role of a child.
#[device]
fn role(i: NodeId, parent: NodeId, nodes: &Nodes, facts: &Facts) -> usize {
    let is_first =
        if nodes.kind[parent] == Kind::Multiloop { nodes.kind[i] == Kind::Lambda } else { facts.child[i] == 0 };
    if is_first { FIRST } else { OTHER }
}

/// Returns the template of a node.
#[device(map)]
pub fn template_of(i: NodeId, nodes: &Nodes, facts: &Facts, forms: &[Form]) -> Template {
    let own = forms[i.index()];
    let head = part(own, HEAD, 0);
    // The dimensions of an array that is printed.
    let times = if nodes.kind[i] == Kind::Print { facts.rank[i.plus(1)] } else { 0 };
    let tail = part(own, TAIL, times);
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return Template { before: once(0u64), head, tail, after: once(0u64), step: 1 };
    }
    let above = forms[parent.index()];
    let role = role(i, parent, nodes, facts);
    Template {
        before: part(above, before_child(role), 0),
        head,
        tail,
        after: part(above, after_child(role), 0),
        step: step_of_child(above, role),
    }
}
