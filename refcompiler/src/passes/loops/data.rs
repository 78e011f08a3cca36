//! The data of the new nodes: constants, positions, and variables by their declarations.

use treepar::device::device;

use super::facts::Facts;
use super::forms::Form;
use super::parts::{input, is_of_all, lambda, yield_of};
use super::pieces::Piece;
use super::slots::{Places, Spot};
use super::sources::Source;
use crate::ir::kinds::Type;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the node of the old tree whose value a variable has.
#[device]
pub fn held(spot: Spot, nodes: &Nodes, facts: &Facts) -> NodeId {
    let owner = NodeId::new(spot.owner);
    let m = NodeId::new(facts.multiloop[owner]);
    match Source::from_code(spot.item.source() as u8) {
        Source::Extent => NodeId::new(nodes.data[lambda(m, facts)]),
        Source::Input => input(owner, nodes),
        Source::Seed => m.plus(1),
        Source::Total => NodeId::new(facts.end[m.plus(1)]),
        // The key comes first in the body.
        Source::Key => lambda(m, facts).plus(1),
        Source::Row | Source::Printed => owner.plus(1),
        Source::Over => NodeId::new(facts.over[m]),
        _ => m,
    }
}

/// Returns the declaration of the result of a MULTILOOP.
#[device]
fn made(m: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    // The pieces before the body end with this one and the loop.
    let piece = match places.form[m] {
        Form::CollectAll => Piece::Result,
        Form::CollectOver => Piece::ResultOver,
        Form::CollectRows | Form::ScanRows => Piece::NewOwner,
        Form::Keep => Piece::Like,
        Form::Bucket => Piece::Replicate,
        _ => Piece::New,
    };
    loop_of(m, nodes, facts, places) - piece.length() + 1
}

/// Returns the loop of a MULTILOOP.
#[device]
fn loop_of(m: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    let piece = if is_of_all(m, nodes) { Piece::LoopAll } else { Piece::Loop };
    places.start[lambda(m, facts)] - piece.length()
}

/// Returns the variable with the number of elements of the result of a MULTILOOP over all elements.
#[device]
fn elements(m: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    // After it come a number and the address of the data, or a call with three arguments and the address.
    let nodes_from = if places.form[m] == Form::CollectOver { 6 } else { 11 };
    loop_of(m, nodes, facts, places) - nodes_from
}

/// Returns the data of a node that refers to a variable.
#[device]
fn variable(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> u32 {
    let owner = NodeId::new(spot.owner);
    let m = NodeId::new(facts.multiloop[owner]);
    let held = held(spot, nodes, facts);
    match Source::from_code(spot.item.source() as u8) {
        Source::Made => made(m, nodes, facts, places),
        Source::Filled => loop_of(m, nodes, facts, places) - 1,
        Source::Counter => loop_of(m, nodes, facts, places) + 1,
        // The view of a READ.
        Source::Data => places.start[NodeId::new(nodes.data[owner])] + 1,
        Source::Count => places.start[NodeId::new(nodes.data[owner])] + Piece::Address.length() + 1,
        Source::Over => declaration(NodeId::new(nodes.data[held]), nodes, facts, places),
        Source::Elements => elements(m, nodes, facts, places),
        Source::MadeData => loop_of(m, nodes, facts, places) - 2,
        Source::Index => finish[owner.index()] + Piece::Open.length() * spot.repetition + 5,
        // The declaration comes directly before the value.
        Source::Row | Source::Printed => places.start[held] - 1,
        Source::Extent | Source::Input => declaration(held, nodes, facts, places),
        _ => places.start[held] + 1,
    }
}

/// Returns the declaration of a variable of the old tree.
#[device]
fn declaration(d: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    match places.form[d] {
        Form::Named => places.start[NodeId::new(nodes.data[d.plus(1)])],
        Form::Variable | Form::Key | Form::OfKey => places.start[d] + 1,
        Form::Accumulator => places.start[NodeId::new(facts.multiloop[d]).plus(1)] + 1,
        _ => places.start[d],
    }
}

/// Returns the data of a new node. `finish` is the first node of each tail.
#[device]
pub fn data_of(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> u32 {
    let owner = NodeId::new(spot.owner);
    let m = NodeId::new(facts.multiloop[owner]);
    let data = nodes.data[owner];
    match Source::from_code(spot.item.source() as u8) {
        Source::Own => {
            if nodes.kind[owner].is_variable() {
                declaration(NodeId::new(data), nodes, facts, places)
            } else {
                data
            }
        }
        Source::Constant => spot.item.number(),
        Source::Position => nodes.data[yield_of(m, facts)],
        Source::Mark => nodes.data[yield_of(m, facts)].max(1),
        Source::Kept => data,
        Source::Borrows => {
            let ty = nodes.ty[NodeId::new(spot.node)];
            !((ty == Type::Int) | (ty == Type::Float)) as u32
        }
        Source::Rank => facts.rank[m],
        Source::InputRank => facts.rank[input(owner, nodes)],
        Source::Dimension => spot.repetition,
        _ => variable(spot, nodes, facts, places, finish),
    }
}
