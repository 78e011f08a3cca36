//! The data of the new nodes: constants, positions, and variables by their declarations.

use treepar::device::device;

use super::elements::{is_elementwise, operand_rank, other, views};
use super::facts::{Facts, has_lambda};
use super::forms::Form;
use super::operations::{held, operation, position};
use super::pieces::Piece;
use super::slots::{Places, Spot};
use super::sources::Source;
use crate::ir::kinds::{Kind, Type};
use crate::ir::multiloops::{ALL_ELEMENTS, FROM_END};
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the declaration of a variable of the old tree.
#[device]
fn declaration(d: NodeId, places: &Places) -> u32 {
    places.start[d] + if places.form[d] == Form::OfKey { Piece::Key.length() } else { 0 }
}

/// Returns whether a variable for the value of a node, or for a parameter, borrows it.
#[device]
fn borrows(spot: Spot, nodes: &Nodes, facts: &Facts) -> u32 {
    let owner = NodeId::new(spot.owner);
    let node = NodeId::new(spot.node);
    let is_number = (nodes.ty[node] == Type::Int) | (nodes.ty[node] == Type::Float);
    // The variable of a reduction changes.
    let is_seed = has_lambda(nodes.kind[owner])
        && ((facts.child[node] == 1)
            & (nodes.kind[owner] != Kind::Map)
            & (nodes.kind[owner] != Kind::Filter)
            & (nodes.kind[owner] != Kind::Group));
    !(is_number | is_seed) as u32
}

/// Returns the flags of the MULTILOOP of an operation.
#[device]
fn flags(o: NodeId, nodes: &Nodes) -> u32 {
    let all = if is_elementwise(o, nodes) { ALL_ELEMENTS } else { 0 };
    all | if nodes.kind[o] == Kind::FoldRight { FROM_END } else { 0 }
}

/// Returns the data of a new node. `finish` is the first node of each tail.
#[device]
pub fn data_of(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> u32 {
    let owner = NodeId::new(spot.owner);
    let o = operation(owner, nodes, facts);
    let c = spot.item.number();
    let data = nodes.data[owner];
    match Source::from_code(spot.item.source() as u8) {
        Source::Own => {
            if nodes.kind[owner].is_variable() {
                declaration(NodeId::new(data), places)
            } else {
                data
            }
        }
        Source::Constant => c,
        Source::Position => position(o, nodes, facts),
        Source::Flags => flags(o, nodes),
        Source::Borrows => borrows(spot, nodes, facts),
        Source::ReferenceExtent => {
            facts.rank[o] - operand_rank(o, other(o, c, nodes, facts), nodes, facts) + spot.repetition
        }
        Source::OtherExtent => spot.repetition,
        Source::Operation => {
            if nodes.kind[owner] == Kind::Call {
                data
            } else {
                0
            }
        }
        Source::Wrapper => {
            if nodes.kind[owner] == Kind::Call {
                c
            } else {
                0
            }
        }
        // The views come directly before the body.
        Source::View => finish[o.index()] - views(o, c, nodes, facts),
        Source::Parameter => places.start[held(spot, nodes, facts)],
        // The input comes directly before the value.
        _ => places.start[held(spot, nodes, facts)] - 1,
    }
}
