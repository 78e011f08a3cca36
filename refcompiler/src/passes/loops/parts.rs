//! The parts of a MULTILOOP.

use treepar::device::device;

use super::facts::Facts;
use crate::ir::kinds::Kind;
use crate::ir::multiloops::ALL_ELEMENTS;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the yield of a MULTILOOP.
#[device]
pub fn yield_of(m: NodeId, facts: &Facts) -> NodeId {
    NodeId::new(facts.yields[m])
}

/// Returns the LAMBDA of a MULTILOOP.
#[device]
pub fn lambda(m: NodeId, facts: &Facts) -> NodeId {
    NodeId::new(facts.parent[yield_of(m, facts)])
}

/// Returns the input of a READ or a VIEW.
#[device]
pub fn input(i: NodeId, nodes: &Nodes) -> NodeId {
    let target = NodeId::new(nodes.data[i]);
    if nodes.kind[target] == Kind::View { NodeId::new(nodes.data[target]) } else { target }
}

/// Returns whether a MULTILOOP has an iteration for each number of its result.
#[device]
pub fn is_of_all(m: NodeId, nodes: &Nodes) -> bool {
    nodes.data[m] & ALL_ELEMENTS != 0
}

/// Returns whether the elements of a view are repeated, because its input has a lower rank than the result of the operation.
#[device]
pub fn is_repeated(view: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    facts.rank[input(view, nodes)] < facts.rank[view]
}
