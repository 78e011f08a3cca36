//! The data of the new nodes: constants, positions, and variables by their declarations.

use treepar::device::device;

use super::elements::{distance_of_data, distance_of_result, is_elementwise, operand, operand_rank, other};
use super::facts::{Facts, has_lambda};
use super::forms::Form;
use super::operations::{child_after_lambda, held, operation, position};
use super::pieces::Piece;
use super::slots::{Places, Spot};
use super::sources::Source;
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the declaration of the result of an operation. `finish` is the first node of each tail.
#[device]
fn made(o: NodeId, nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> u32 {
    if is_elementwise(o, nodes) {
        return finish[o.index()] - distance_of_result(o, nodes, facts);
    }
    // The pieces before the LAMBDA end with this one and the loop.
    let piece = match places.form[o] {
        Form::MapRows | Form::ScanRows => Piece::NewOwner,
        Form::Filter => Piece::Like,
        Form::Group => Piece::Replicate,
        _ => Piece::New,
    };
    places.start[o.plus(1)] - Piece::Loop.length() - piece.length() + 1
}

/// Returns the data of a node that refers to a variable.
#[device]
fn variable(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> u32 {
    let o = operation(NodeId::new(spot.owner), nodes, facts);
    let c = spot.item.number();
    match Source::from_code(spot.item.source() as u8) {
        Source::Made => made(o, nodes, facts, places, finish),
        Source::Filled => places.start[o.plus(1)] - Piece::Loop.length() - 1,
        Source::Counter => {
            if is_elementwise(o, nodes) {
                finish[o.index()] + 1
            } else {
                places.start[o.plus(1)] - Piece::Loop.length() + 1
            }
        }
        Source::Key | Source::Parameter => places.start[o.plus(2)] + 1,
        Source::Data => finish[o.index()] - distance_of_data(o, c, nodes, facts),
        Source::Bytes => finish[o.index()] - distance_of_data(o, c, nodes, facts) + Piece::FirstData.length(),
        Source::Elements => made(o, nodes, facts, places, finish) + 4,
        Source::MadeData => made(o, nodes, facts, places, finish) + 13,
        Source::Offset => finish[o.index()] + 5,
        Source::Index => finish[o.index()] + Piece::Open.length() * spot.repetition + 5,
        // The declaration comes directly before the value.
        _ => places.start[held(spot, nodes, facts)] - 1,
    }
}

/// Returns the declaration of a variable of the old tree.
#[device]
fn declaration(d: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    match places.form[d] {
        Form::Element | Form::ElementFromEnd => places.start[d] + 1,
        Form::ElementOfKey => places.start[d] + 8,
        Form::Accumulator => places.start[child_after_lambda(operation(d, nodes, facts), 1, facts)] - 1,
        _ => places.start[d],
    }
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

/// Returns the data of a new node.
#[device]
pub fn data_of(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> u32 {
    let owner = NodeId::new(spot.owner);
    let o = operation(owner, nodes, facts);
    let c = spot.item.number();
    let data = nodes.data[owner];
    match Source::from_code(spot.item.source() as u8) {
        Source::Own => {
            if nodes.kind[owner].is_variable() {
                declaration(NodeId::new(data), nodes, facts, places)
            } else {
                data
            }
        }
        Source::Constant => c,
        Source::Position => position(o, nodes, facts),
        Source::Borrows => borrows(spot, nodes, facts),
        Source::Rank => facts.rank[o],
        Source::ReferenceExtent => {
            facts.rank[o] - operand_rank(o, other(o, c, nodes, facts), nodes, facts) + spot.repetition
        }
        Source::OtherExtent => spot.repetition,
        Source::OperandRank => operand_rank(o, c, nodes, facts),
        Source::Loaded => 0,
        Source::Shift => nodes.ty[operand(o, c, nodes, facts)].shift(),
        Source::MadeShift => nodes.ty[o].shift(),
        Source::Dimension => spot.repetition,
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
        _ => variable(spot, nodes, facts, places, finish),
    }
}
