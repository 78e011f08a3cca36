//! The parts of a MULTILOOP.

use treepar::device::device;

use super::facts::Facts;
use crate::ir::kinds::Kind;
use crate::ir::multiloops::ALL_ELEMENTS;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns the MULTILOOP that a node is a part of: the node itself, its parent, or the parent of its LAMBDA. A READ is a part of
/// the MULTILOOP that has its input.
#[device]
pub fn multiloop(i: NodeId, nodes: &Nodes, facts: &Facts) -> NodeId {
    let kind = nodes.kind[i];
    let at = if kind == Kind::Read { NodeId::new(nodes.data[i]) } else { i };
    let parent = NodeId::new(facts.parent[at]);
    match nodes.kind[at] {
        Kind::Lambda | Kind::Input | Kind::View => parent,
        Kind::YieldCollect
        | Kind::YieldReduce
        | Kind::YieldScan
        | Kind::YieldBucket
        | Kind::Element
        | Kind::Key
        | Kind::Param => NodeId::new(facts.parent[parent]),
        _ => i,
    }
}

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

/// Returns whether the elements of an input are repeated, because its rank is lower than the rank of the result.
#[device]
pub fn is_repeated(m: NodeId, input: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    is_of_all(m, nodes) && facts.rank[input] < facts.rank[m]
}
