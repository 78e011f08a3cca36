//! The data of the new nodes: constants, positions, and variables for leaves by their declarations.

use treepar::device::device;

use super::choice::{accesses_field, is_unpacked, table};
use super::facts::{ELEMENT, Facts, Site, child, place, skipped};
use super::pieces::Piece;
use super::shapes::{array_leaf, arrays, character, field_leaf, is_character, leaf_type, leaves};
use super::slots::{Places, Spot};
use super::sources::Source;
use super::types::printed;
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::PRINT_CHAR;

/// Returns the variable for leaf `g` from a site on.
#[device]
fn variable(site: Site, g: u32, nodes: &Nodes, places: &Places, shapes: &[u32]) -> u32 {
    let node = NodeId::new(site.node);
    let start = places.start[node];
    let leaf = (site.leaf & !ELEMENT) + g;
    if nodes.kind[node] == Kind::Param {
        return start + leaf;
    }
    let is_after_leaves = (site.leaf & ELEMENT != 0) && (places.head[node].first() == Piece::Declare);
    let skipped = if is_after_leaves { 2 * leaves(nodes.ty[node], shapes) } else { 0 };
    start + skipped + 2 * leaf + 1
}

/// Returns the number of parameters of the function with a result, or of a call, that are for the result.
#[device]
fn outs(ty: Type, shapes: &[u32]) -> u32 {
    if ty.is_composite() { leaves(ty, shapes) } else { 0 }
}

/// Returns the index of an argument, counted in leaves.
#[device]
fn argument(i: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> u32 {
    outs(nodes.ty[NodeId::new(facts.parent[i])], shapes) + facts.leaves[i]
}

/// Returns the data of a node that stays.
#[device]
fn own_data(i: NodeId, nodes: &Nodes, facts: &Facts, places: &Places, shapes: &[u32]) -> u32 {
    let data = nodes.data[i];
    match nodes.kind[i] {
        Kind::Name | Kind::Assign | Kind::Address | Kind::Data => places.start[NodeId::new(data)],
        Kind::Arg => argument(i, nodes, facts, shapes),
        Kind::Index | Kind::Update => {
            if accesses_field(i, nodes, facts, shapes) {
                0
            } else {
                data
            }
        }
        Kind::Header => {
            let result = nodes.ty[NodeId::new(facts.parent[i])];
            let has_arrays = result.is_composite() && arrays(result, shapes) > 0;
            if has_arrays { outs(result, shapes) } else { 0 }
        }
        _ => data,
    }
}

/// Returns how a DECLARE holds its arrays: 0 as an owner, 1 borrowed, 2 as an owner that gets its first array later.
#[device]
fn holding(o: NodeId, g: u32, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> u32 {
    if !leaf_type(nodes.ty[o], g, shapes).is_array() {
        return 0;
    }
    if (nodes.kind[o] != Kind::Declare) || (nodes.data[o] == 1) {
        return 1;
    }
    if is_unpacked(o, nodes, facts) || facts.children[o] > 0 { 2 } else { 0 }
}

/// Returns where the leaves are that a source names.
#[device]
fn site(source: Source, spot: Spot, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Site {
    let o = NodeId::new(spot.owner);
    let first = o.plus(1);
    match source {
        Source::Home => facts.home[o],
        Source::First | Source::Whole => place(first, facts),
        Source::Target => place(child(o, 1u32, facts), facts),
        Source::Value => place(NodeId::new(spot.node), facts),
        Source::Argument => place(child(o, spot.item.number(), facts).plus(1), facts),
        Source::OtherField => moved(place(o, facts), field_leaf(nodes.ty[o], spot.repetition + 1, shapes)),
        Source::Column => {
            let element = NodeId::new(facts.base[o]);
            moved(place(element.plus(1), facts), facts.home[o].leaf)
        }
        Source::Table => place(table(o, nodes, facts, shapes), facts),
        Source::Rest => moved(place(o, facts), leaves(nodes.ty[first], shapes)),
        Source::Selected => moved(place(first, facts), skipped(o, nodes, shapes)),
        Source::Part => moved(place(o, facts), facts.leaves[NodeId::new(spot.node)]),
        Source::Unpacked => {
            let node = NodeId::new(spot.node);
            let value = NodeId::new(facts.parent[node] + 1);
            moved(place(value, facts), facts.leaves[node] - leaves(nodes.ty[value], shapes))
        }
        _ => place(o, facts),
    }
}

/// Returns the site some leaves later.
#[device]
fn moved(site: Site, leaves: u32) -> Site {
    Site { node: site.node, leaf: site.leaf + leaves }
}

/// Returns the variable for child `k` of a node, a number or an array of numbers.
#[device]
fn operand(o: NodeId, k: u32, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    let operand = child(o, k, facts);
    let kind = nodes.kind[o];
    // A check is between the variable and its value. The array of an argument is below the argument.
    let is_checked =
        ((kind == Kind::Index) | (kind == Kind::Update)) & (nodes.data[o] != 0) | (kind == Kind::Replicate);
    let value = if kind == Kind::Call { operand.plus(1) } else { operand };
    places.start[value] - 1 - is_checked as u32
}

/// Returns the data of the three nodes for a dimension of a slice.
#[device]
fn bounds(source: Source, dimension: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    let kind = nodes.kind[dimension];
    if source == Source::Bounds {
        return if kind == Kind::All {
            1
        } else if kind == Kind::Range {
            nodes.data[dimension]
        } else {
            0
        };
    }
    if kind == Kind::Range {
        return operand(dimension, (source == Source::High) as u32, nodes, facts, places);
    }
    if (kind == Kind::All) | (source == Source::High) { 0 } else { places.start[dimension] - 1 }
}

/// Returns the data of a new node.
#[device]
pub fn data_of(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, shapes: &[u32]) -> u32 {
    let o = NodeId::new(spot.owner);
    let c = spot.item.number();
    let g = spot.repetition;
    let source = Source::from_code(spot.item.source() as u8);
    match source {
        Source::Own => own_data(o, nodes, facts, places, shapes),
        Source::Constant => c,
        Source::Leaf => g + c,
        Source::Holds => holding(o, g, nodes, facts, shapes),
        Source::Unique => {
            if leaf_type(nodes.ty[o], g, shapes).is_array() {
                nodes.data[o]
            } else {
                0
            }
        }
        Source::Index => argument(o, nodes, facts, shapes) + g + c,
        Source::Data => nodes.data[o],
        Source::ParentData => nodes.data[NodeId::new(facts.parent[o])],
        Source::OfArray => {
            if leaf_type(nodes.ty[o], g, shapes).is_array() {
                nodes.data[o]
            } else {
                0
            }
        }
        Source::OfElement => {
            if leaf_type(nodes.ty[o.plus(1)], g, shapes).is_array() {
                nodes.data[o]
            } else {
                0
            }
        }
        Source::HoldsElement => leaf_type(nodes.ty[o.plus(1)], g, shapes).is_array() as u32,
        Source::Rows => (!leaf_type(nodes.ty[NodeId::new(spot.node)], g, shapes).is_array()) as u32,
        Source::Dimension => facts.child[NodeId::new(spot.node)] - 1,
        Source::Count => facts.children[o],
        Source::Child => facts.child[NodeId::new(spot.node)],
        Source::Bounds | Source::Low | Source::High => {
            bounds(source, child(o, spot.inner + 1, facts), nodes, facts, places)
        }
        Source::PrintArgument | Source::Gives => 0,
        Source::Print => {
            if is_character(printed(spot, nodes, shapes)) {
                PRINT_CHAR
            } else {
                1
            }
        }
        Source::PrintValue => {
            let item = printed(spot, nodes, shapes);
            if is_character(item) {
                return character(item);
            }
            variable(place(o.plus(1), facts), item, nodes, places, shapes)
        }
        Source::Operand => operand(o, c + spot.inner, nodes, facts, places),
        Source::Out => places.start[NodeId::new(facts.context[o].function + 1)] + 1 + g,
        _ => {
            if source == Source::Whole && !nodes.ty[o.plus(1)].is_composite() {
                return operand(o, 0u32, nodes, facts, places);
            }
            let leaf = match source {
                Source::Given => array_leaf(nodes.ty[o], g, shapes),
                Source::OtherField | Source::Outermost | Source::Column | Source::Table => 0,
                Source::Argument => g,
                _ => g + c,
            };
            variable(site(source, spot, nodes, facts, shapes), leaf, nodes, places, shapes)
        }
    }
}
