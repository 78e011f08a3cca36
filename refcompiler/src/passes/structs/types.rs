//! The kinds and the types of the new nodes, which for some sources depend on a leaf.

use treepar::device::device;

use super::choice::table;
use super::facts::{Facts, child};
use super::shapes::{array_leaf, field_leaf, is_character, leaf_type, text_item};
use super::slots::Spot;
use super::sources::*;
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::items::OWN;

/// Returns the type of a new node.
#[device]
pub fn type_of(spot: Spot, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Type {
    let o = NodeId::new(spot.owner);
    let own = nodes.ty[o];
    let g = spot.repetition;
    match Source::from_code(spot.item.source() as u8) {
        Source::Column => {
            let element = NodeId::new(facts.base[o]);
            return leaf_type(nodes.ty[element.plus(1)], facts.home[o].leaf, shapes);
        }
        Source::Table => return leaf_type(nodes.ty[table(o, nodes, facts, shapes)], 0u32, shapes),
        _ => {}
    }
    match spot.item.ty() {
        OWN => own,
        LEAF => leaf_type(own, g, shapes),
        NEXT => leaf_type(own, g + 1, shapes),
        OUTER => leaf_type(own, 0u32, shapes),
        OF_FIRST => leaf_type(nodes.ty[o.plus(1)], g, shapes),
        GIVEN => leaf_type(own, array_leaf(own, g, shapes), shapes),
        CHILD => nodes.ty[NodeId::new(spot.node)],
        OF_CHILD => leaf_type(nodes.ty[NodeId::new(spot.node)], g, shapes),
        OUTER_FIRST => leaf_type(nodes.ty[o.plus(1)], 0u32, shapes),
        OTHER => leaf_type(own, field_leaf(own, g + 1, shapes), shapes),
        PRINTED => {
            let item = printed(spot, nodes, shapes);
            if is_character(item) { Type::Int } else { leaf_type(nodes.ty[o.plus(1)], item, shapes) }
        }
        BOUNDS => {
            if dimension(spot, nodes, facts).is_range() {
                Type::Void
            } else {
                Type::Int
            }
        }
        INTS => Type::Int.array(1),
        _ => Type::from_code(spot.item.ty() as u8),
    }
}

/// Returns the kind of the dimension of a slice that a node is for.
#[device]
fn dimension(spot: Spot, nodes: &Nodes, facts: &Facts) -> Kind {
    let o = NodeId::new(spot.owner);
    let kind = nodes.kind[o];
    if kind.is_slice() { nodes.kind[child(o, spot.inner + 1, facts)] } else { Kind::Empty }
}

/// Returns the kind of a new node, which for some sources depends on a leaf.
#[device]
pub fn kind_of(spot: Spot, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Kind {
    let g = spot.repetition;
    let dimension = dimension(spot, nodes, facts);
    match Source::from_code(spot.item.source() as u8) {
        Source::Bounds => {
            if dimension.is_range() {
                Kind::Range
            } else {
                Kind::Add
            }
        }
        Source::Low => {
            if dimension == Kind::All {
                Kind::Literal
            } else {
                Kind::Name
            }
        }
        Source::High => {
            if dimension == Kind::Range {
                Kind::Name
            } else {
                Kind::Literal
            }
        }
        // Rows that are numbers are like the first, and not written before.
        Source::Rows => {
            let is_array = leaf_type(nodes.ty[NodeId::new(spot.node)], g, shapes).is_array();
            if is_array { Kind::NewRows } else { Kind::Replicate }
        }
        // Only arrays have owners.
        Source::Gives => {
            let is_array = leaf_type(nodes.ty[NodeId::new(spot.owner)], g, shapes).is_array();
            if is_array { Kind::Give } else { Kind::Ascribe }
        }
        Source::Print => {
            if is_character(printed(spot, nodes, shapes)) {
                Kind::Call
            } else {
                Kind::Print
            }
        }
        Source::PrintArgument => {
            if is_character(printed(spot, nodes, shapes)) {
                Kind::Arg
            } else {
                Kind::Ascribe
            }
        }
        Source::PrintValue => {
            if is_character(printed(spot, nodes, shapes)) {
                Kind::Literal
            } else {
                Kind::Name
            }
        }
        _ => spot.item.kind(),
    }
}

/// Returns an item of the text that a node prints.
#[device]
pub fn printed(spot: Spot, nodes: &Nodes, shapes: &[u32]) -> u32 {
    text_item(nodes.ty[NodeId::new(spot.owner + 1)], spot.repetition, shapes)
}
