//! The templates of nodes: the rules of their forms, and the pieces around indices and dimensions.

use treepar::device::device;

use super::facts::{Facts, uniques};
use super::forms::{FIRST, Form, OTHER, depth_of_indices, part, step_of_child};
use super::pieces::Piece;
use super::slots::{Slot, Template, once};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::rules::{HEAD, TAIL, after_child, before_child};

/// Returns whether an access checks its indices and extents.
#[device]
fn is_checked(i: NodeId, nodes: &Nodes) -> bool {
    nodes.data[i] != 0
}

/// Returns the number of indices of an access.
#[device]
pub fn indices(i: NodeId, nodes: &Nodes) -> u32 {
    nodes.ty[i.plus(1)].rank() - nodes.ty[i].rank()
}

/// Returns how often the repeated pieces of a form occur.
#[device]
fn times(i: NodeId, form: Form, nodes: &Nodes, facts: &Facts) -> u32 {
    match form {
        Form::StoreRow => nodes.ty[i].rank() * is_checked(i, nodes) as u32,
        Form::Rows | Form::Join => nodes.ty[i].rank() - 1,
        Form::Body | Form::VoidBody => uniques(i, facts),
        _ => 0,
    }
}

/// The pieces around a node on behalf of its parent.
#[device]
struct Context {
    before: Slot,
    after: Slot,
    /// By how much the node is deeper, as a wide number: a device struct has no padding.
    step: u64,
}

/// Returns the number of a piece that comes `at`-th in a slot.
#[device]
fn piece(piece: Piece, at: u32) -> u64 {
    (piece.code() as u64) << (8 * at)
}

/// Returns the pieces around index `m` of `k`, of a linear index at some depth. By Horner's rule, `(i n + j) m + k`. Some are checked.
#[device]
fn around_index(m: u32, k: u32, depth: u32, checks: bool) -> Context {
    let later = (m > 0) as u32;
    // The index so far is multiplied by an extent for each later index: two nodes for each.
    let shift = depth + 2 * (k - 1 - m);
    let some_check = if later == 1 { Piece::OtherIndex } else { Piece::FirstIndex };
    let some_extent = if later == 1 { Piece::OtherExtent } else { Piece::FirstExtent };
    let check = if checks { some_check } else { Piece::Nothing };
    let extent = if checks { some_extent } else { Piece::Nothing };
    let next = if m + 1 < k { Piece::NextExtent } else { Piece::Nothing };
    let outer = if later == 1 { shift } else { depth };
    let times = if later == 1 { 0 } else { k - 1 };
    let before = piece(Piece::Horner, 0) | piece(check, 1);
    Context {
        // The first piece occurs `times` times.
        before: Slot { pieces: before, times, repeats: 1u16, more: 0u8, shift: outer as u8 },
        after: Slot {
            pieces: piece(extent, 0) | piece(next, 1),
            times: 0,
            repeats: 0u16,
            more: 0u8,
            shift: shift as u8,
        },
        step: (shift + checks as u32 + later) as u64,
    }
}

/// Returns the context of a child with a piece before and after it.
#[device]
fn between(before: Piece, step: u64, after: Piece) -> Context {
    Context { before: once(piece(before, 0)), after: once(piece(after, 0)), step }
}

/// Returns the pieces around the value of `a[lo..hi] = x`.
#[device]
fn around_slice_value(ty: Type) -> Context {
    if ty.is_array() {
        let after = piece(Piece::SliceExtents, 0) | piece(Piece::EqualSlice, 1) | piece(Piece::SetSlice, 2);
        return Context {
            before: once(piece(Piece::Temporary, 0)),
            // The second piece occurs `times` times.
            after: Slot { pieces: after, times: ty.rank(), repeats: 8u16, more: 0u8, shift: 0u8 },
            step: 3,
        };
    }
    let fill = if ty == Type::Float { Piece::FilledFloatSlice } else { Piece::FilledSlice };
    between(fill, 5, Piece::FillSlice)
}

/// Returns the pieces around a child after the first of a slice, an update of one, or an array whose extents are checked.
#[device]
fn around_dimension(i: NodeId, parent: NodeId, nodes: &Nodes, facts: &Facts) -> Context {
    let is_last = facts.child[i] + 1 == facts.children[parent];
    if is_last & (nodes.kind[parent] == Kind::UpdateSlice) {
        return around_slice_value(nodes.ty[parent]);
    }
    if nodes.kind[i].is_range() {
        return between(Piece::Nothing, 1, Piece::Nothing);
    }
    if nodes.kind[parent] == Kind::Shaped {
        return between(Piece::ShapedExtent, 3, Piece::BoundExtent);
    }
    between(Piece::IndexBound, 3, Piece::BoundExtent)
}

/// Returns the pieces around a node on behalf of its parent.
#[device]
fn context(i: NodeId, nodes: &Nodes, facts: &Facts, forms: &[Form]) -> Context {
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return between(Piece::Nothing, 1, Piece::Nothing);
    }
    let above = forms[parent.index()];
    let child = facts.child[i];
    let depth = depth_of_indices(above);
    if child > 0 && depth > 0 && child <= indices(parent, nodes) {
        return around_index(child - 1, indices(parent, nodes), depth, is_checked(parent, nodes));
    }
    if child > 0 && ((above == Form::Slice) | (above == Form::UpdateSlice) | (above == Form::Shaped)) {
        return around_dimension(i, parent, nodes, facts);
    }
    let times = times(parent, above, nodes, facts);
    let role = if child == 0 { FIRST } else { OTHER };
    Context {
        before: part(above, before_child(role), times),
        after: part(above, after_child(role), times),
        step: step_of_child(above, role) as u64,
    }
}

/// Returns the template of a node.
#[device(map)]
pub fn template_of(i: NodeId, nodes: &Nodes, facts: &Facts, forms: &[Form]) -> Template {
    let form = forms[i.index()];
    let times = times(i, form, nodes, facts);
    let around = context(i, nodes, facts, forms);
    Template {
        before: around.before,
        head: part(form, HEAD, times),
        tail: part(form, TAIL, times),
        after: around.after,
        step: around.step as u32,
    }
}
