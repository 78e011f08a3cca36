//! The parts of an operation with a LAMBDA, and the node of the old tree whose value a variable has.

use treepar::device::device;

use super::elements::{operand, other, reference};
use super::facts::Facts;
use super::slots::Spot;
use super::sources::Source;
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the operation that a node belongs to: the node itself, or the operation whose LAMBDA is or contains it.
#[device]
pub fn operation(i: NodeId, nodes: &Nodes, facts: &Facts) -> NodeId {
    let parent = NodeId::new(facts.parent[i]);
    match nodes.kind[i] {
        Kind::Lambda => parent,
        Kind::Param => NodeId::new(facts.parent[parent]),
        _ => i,
    }
}

/// Returns one more than the position that an error of an operation names. A call has its position in the node around it.
#[device]
pub fn position(o: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    if nodes.kind[o] == Kind::Call { nodes.data[NodeId::new(facts.parent[o])] } else { nodes.data[o] }
}

/// Returns the child of an operation that is `k` children after its LAMBDA, for k up to 4.
#[device]
fn child_after_lambda(o: NodeId, k: u32, facts: &Facts) -> NodeId {
    let mut at = o.plus(1);
    let mut n = 0u32;
    while n < k {
        at = NodeId::new(facts.end[at]);
        n += 1;
    }
    at
}

/// Returns array `c` of an operation with a LAMBDA. `group` has keys (0) and values (1).
#[device]
fn array(o: NodeId, c: u32, nodes: &Nodes, facts: &Facts) -> NodeId {
    let first = match nodes.kind[o] {
        Kind::Map | Kind::Filter => 1,
        Kind::Group => 3,
        _ => 2,
    };
    child_after_lambda(o, first + c, facts)
}

/// Returns the array whose elements parameter `p` of an operation has, or array `p` of the arrays that are compared.
#[device]
fn array_of_parameter(o: NodeId, p: u32, nodes: &Nodes, facts: &Facts) -> NodeId {
    match nodes.kind[o] {
        Kind::Map | Kind::Redomap => NodeId::new(facts.partner[o.plus(2 + p)]),
        Kind::Group => array(o, 1, nodes, facts),
        _ => array(o, 0, nodes, facts),
    }
}

/// Returns the array of a parameter, or else the array that a repetition compares with the first one.
#[device]
fn next_array(spot: Spot, nodes: &Nodes, facts: &Facts) -> NodeId {
    let owner = NodeId::new(spot.owner);
    let o = operation(owner, nodes, facts);
    if nodes.kind[owner] == Kind::Param {
        return array_of_parameter(o, facts.child[owner], nodes, facts);
    }
    let first = if nodes.kind[o] == Kind::Redomap { 1 } else { 0 };
    array_of_parameter(o, first + 1 + spot.repetition, nodes, facts)
}

/// Returns the node of the old tree whose value a variable has.
#[device]
pub fn held(spot: Spot, nodes: &Nodes, facts: &Facts) -> NodeId {
    let o = operation(NodeId::new(spot.owner), nodes, facts);
    let c = spot.item.number();
    match Source::from_code(spot.item.source() as u8) {
        Source::Array => array(o, 0, nodes, facts),
        Source::NextArray => next_array(spot, nodes, facts),
        Source::Parameter => o.plus(2),
        Source::Reference => operand(o, reference(o, nodes, facts), nodes, facts),
        Source::Other => operand(o, other(o, c, nodes, facts), nodes, facts),
        Source::Operand => operand(o, c, nodes, facts),
        _ => o,
    }
}
