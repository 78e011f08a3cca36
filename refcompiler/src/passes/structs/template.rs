//! The templates of nodes: the rules of their forms, and how often the pieces of leaves occur.

use treepar::depth::NO_NODE;
use treepar::device::device;

use super::choice::{is_composite, is_index};
use super::facts::{Facts, is_found};
use super::forms::{FIRST, Form, NUMBER, OTHER, part, step_of_child};
use super::pieces::Piece;
use super::shapes::{arrays, leaves, text_length};
use super::slots::{Slot, Template, once};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::rules::{HEAD, TAIL, after_child, before_child};

/// Returns whether a node declares variables for its leaves before it.
#[device]
pub fn declares_leaves(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let target = facts.context[i].target.node;
    let is_own = (target == i.get()) | (nodes.kind[i] == Kind::Declare);
    let is_computed = (target == NO_NODE) & !is_found(nodes.kind[i]);
    is_own | is_computed
}

/// Returns whether the variables for a value are hidden ones, which borrow their arrays, or belong to a DECLARE that borrows.
#[device]
fn is_borrowed(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let target = facts.context[i].target.node;
    if target == NO_NODE {
        return true;
    }
    let node = NodeId::new(target);
    (nodes.kind[node] != Kind::Declare) | (nodes.data[node] == 1)
}

/// Returns how often the repeated pieces after the children of a node occur.
#[device]
fn times(i: NodeId, form: Form, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> u32 {
    let ty = nodes.ty[i];
    match form {
        Form::Found | Form::Assign => {
            if facts.context[i].target.node == NO_NODE {
                0
            } else {
                leaves(ty, shapes)
            }
        }
        Form::Call => {
            if is_borrowed(i, nodes, facts) {
                arrays(ty, shapes)
            } else {
                0
            }
        }
        Form::Return | Form::Split | Form::SplitNumbers => leaves(nodes.ty[i.plus(1)], shapes),
        Form::Header => leaves(nodes.ty[NodeId::new(facts.parent[i])], shapes),
        Form::Arguments => leaves(ty, shapes) - 1,
        Form::Print => text_length(nodes.ty[i.plus(1)], shapes) + (nodes.data[i] == 0) as u32,
        Form::Zip => facts.children[i] - 1,
        _ => leaves(ty, shapes),
    }
}

/// Returns how often the pieces of a form occur that each leaf repeats: for each index, dimension or extent.
#[device]
fn times_per_leaf(i: NodeId, form: Form, facts: &Facts) -> u32 {
    match form {
        Form::Index | Form::IndexFreely | Form::Slice => facts.children[i] - 1,
        Form::Update | Form::UpdateFreely | Form::UpdateSlice => facts.children[i] - 2,
        Form::New => facts.children[i],
        _ => 1,
    }
}

/// Returns a slot of a node with the number of its inner repetitions.
#[device]
fn with_inner(slot: Slot, i: NodeId, form: Form, facts: &Facts) -> Slot {
    Slot {
        pieces: slot.pieces,
        times: slot.times,
        repeats: slot.repeats,
        more: times_per_leaf(i, form, facts) as u8,
        shift: slot.shift,
    }
}

/// Returns the role of a child.
#[device]
fn role(i: NodeId, nodes: &Nodes, facts: &Facts) -> usize {
    let is_range = nodes.kind[i].is_range();
    let is_split = (nodes.kind[NodeId::new(facts.parent[i])] == Kind::Split) & (facts.child[i] == 0);
    if !is_composite(i, nodes) & !is_split & !is_range {
        NUMBER
    } else if is_range | (facts.child[i] == 0) {
        FIRST
    } else {
        OTHER
    }
}

/// Returns the head of a node, with the variables for its leaves.
#[device]
fn head(i: NodeId, form: Form, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Slot {
    let rule = part(form, HEAD, leaves(nodes.ty[i], shapes));
    let has_none = (rule.first() == Piece::Declare) && !declares_leaves(i, nodes, facts);
    if has_none { rule.rest() } else { rule }
}

/// Returns the template of a node.
#[device(map)]
pub fn template_of(i: NodeId, nodes: &Nodes, facts: &Facts, forms: &[Form], shapes: &[u32]) -> Template {
    let own = forms[i.index()];
    let head = head(i, own, nodes, facts, shapes);
    let tail = with_inner(part(own, TAIL, times(i, own, nodes, facts, shapes)), i, own, facts);
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return Template { before: once(0u64), head, tail, after: once(0u64), step: 1u32 };
    }
    let above = forms[parent.index()];
    let is_index_of_field = (above == Form::FieldAccess) & is_index(i, parent, nodes, facts);
    let role = if is_index_of_field { OTHER } else { role(i, nodes, facts) };
    let leaves = leaves(nodes.ty[parent], shapes);
    Template {
        before: part(above, before_child(role), leaves),
        head,
        tail,
        after: with_inner(part(above, after_child(role), leaves), parent, above, facts),
        step: step_of_child(above, role),
    }
}
