//! The templates of nodes: the rules of their forms, and the pieces of operations on elements.

use treepar::device::device;

use super::elements::{after_operands, elements, is_elementwise};
use super::facts::Facts;
use super::forms::{FIRST, Form, OTHER, part, step_of_child};
use super::slots::{Slot, Template, once};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::rules::{HEAD, TAIL, after_child, before_child};

/// Returns how many arrays of an operation are compared with its first.
#[device]
fn times(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    match nodes.kind[i] {
        Kind::Map => facts.children[i] - 2,
        Kind::Redomap => facts.children[i] - 3,
        Kind::Group => 1,
        _ => 0,
    }
}

/// Returns the role of a child.
#[device]
fn role(i: NodeId, nodes: &Nodes, facts: &Facts) -> usize {
    let is_in_lambda = nodes.kind[NodeId::new(facts.parent[i])] == Kind::Lambda;
    let is_first = if is_in_lambda { nodes.kind[i] == Kind::Param } else { facts.child[i] == 0 };
    if is_first { FIRST } else { OTHER }
}

/// Returns the pieces after a node on behalf of its parent.
#[device]
fn after(i: NodeId, parent: NodeId, above: Form, nodes: &Nodes, facts: &Facts) -> Slot {
    let is_last = facts.child[i] + 1 == facts.children[parent];
    if is_last && is_elementwise(parent, nodes) {
        return after_operands(parent, nodes, facts);
    }
    part(above, after_child(role(i, nodes, facts)), 0)
}

/// Returns the template of a node.
#[device(map)]
pub fn template_of(i: NodeId, nodes: &Nodes, facts: &Facts, forms: &[Form]) -> Template {
    let own = forms[i.index()];
    let head = part(own, HEAD, 0);
    let rule = part(own, TAIL, 0);
    let tail = if is_elementwise(i, nodes) { elements(i, nodes, facts) } else { rule };
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return Template { before: once(0u64), head, tail, after: once(0u64), step: 1 };
    }
    let above = forms[parent.index()];
    let role = role(i, nodes, facts);
    Template {
        before: part(above, before_child(role), times(parent, nodes, facts)),
        head,
        tail,
        after: after(i, parent, above, nodes, facts),
        step: step_of_child(above, role),
    }
}
