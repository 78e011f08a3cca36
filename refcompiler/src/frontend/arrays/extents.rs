//! Extents of arrays that are known when a program is compiled: those of literals, `iota` and `replicate`.
//!
//! ```text
//! [1, 2] + [1, 2, 3]    2 and 3 differ       iota[2] + iota[n]    n is not known
//! ```
//!
//! Cost: work O(n d) for arrays of rank d, one reduction.

use treepar::device::device;
use treepar::monoid::Sum;

use crate::frontend::arrays::types::{Surroundings, is_builder, is_leaf};
use crate::ir::kinds::{BINARY, Kind, Type};
use crate::ir::meaning::Origin;
use crate::ir::nodes::NodeId;
use crate::ir::syntax::TreeNodes;
use crate::ir::tree::runtime;

/// Returns the value of an argument, or of a node with a type.
#[device]
fn bare(i: NodeId, nodes: &TreeNodes) -> NodeId {
    let mut value = i;
    while ((nodes.kind[value] == Kind::Arg) | (nodes.kind[value] == Kind::Ascribe)) && !is_leaf(value, nodes) {
        value = value.plus(1);
    }
    value
}

/// Returns the value of a literal, `u32::MAX` for another node.
#[device]
fn literal(i: NodeId, nodes: &TreeNodes, data: &[u32]) -> u32 {
    if nodes.kind[i] == Kind::Literal { data[i.index()] } else { u32::MAX }
}

/// Returns an extent of the value of node `i` if it is known when a program is compiled, otherwise `u32::MAX`. The sequential front end
/// knows the same ones, and more.
#[device]
fn known_extent(
    i: NodeId,
    dimension: u32,
    nodes: &TreeNodes,
    around: &Surroundings,
    origins: &[Origin],
    data: &[u32],
) -> u32 {
    let mut value = bare(i, nodes);
    let mut left = dimension;
    while left > 0
        && !is_leaf(value, nodes)
        && ((nodes.kind[value] == Kind::Array) | (nodes.kind[value] == Kind::Replicate))
    {
        // The value of a REPLICATE comes after the number of its copies.
        let row = if nodes.kind[value] == Kind::Array { value.get() + 1 } else { nodes.end[value.plus(1)] };
        if row >= nodes.end[value] {
            return u32::MAX;
        }
        value = bare(NodeId::new(row), nodes);
        left -= 1;
    }
    if left > 0 || is_leaf(value, nodes) {
        return u32::MAX;
    }
    let is_iota = is_builder(value, nodes, origins) && data[value.index()] == runtime::IOTA;
    if nodes.kind[value] == Kind::Array {
        return around.children[value];
    }
    if (nodes.kind[value] == Kind::Replicate) | is_iota {
        return literal(bare(value.plus(1), nodes), nodes, data);
    }
    u32::MAX
}

/// Returns whether two arrays that the MAP or GROUP at node `i` visits together have different numbers of rows that are known.
#[device]
fn rows_differ(
    i: NodeId,
    nodes: &TreeNodes,
    around: &Surroundings,
    types: &[Type],
    origins: &[Origin],
    data: &[u32],
) -> bool {
    // The function comes first, and before the arrays of a GROUP two values.
    let mut others = if nodes.kind[i] == Kind::Map { 1 } else { 3 };
    let mut first = u32::MAX;
    let mut differ = false;
    let mut child = i.get() + 1;
    while child < nodes.end[i] {
        let is_array = (others == 0) & types[child as usize].is_array();
        others -= (others > 0) as u32;
        let value = bare(NodeId::new(child), nodes);
        let extent = if is_array { known_extent(value, 0, nodes, around, origins, data) } else { u32::MAX };
        differ |= (extent != u32::MAX) & (first != u32::MAX) & (extent != first);
        first = if first == u32::MAX { extent } else { first };
        child = nodes.end[NodeId::new(child)];
    }
    differ
}

/// Returns 1 if node `i` reads several arrays together, or joins them, and two known extents differ.
#[device(reduce(Sum))]
pub fn extents_differ(
    i: NodeId,
    nodes: &TreeNodes,
    around: &Surroundings,
    types: &[Type],
    origins: &[Origin],
    data: &[u32],
) -> u32 {
    let kind = nodes.kind[i];
    if (kind == Kind::Map) | (kind == Kind::Group) {
        return rows_differ(i, nodes, around, types, origins, data) as u32;
    }
    let joins = is_builder(i, nodes, origins) && data[i.index()] == runtime::CONCAT;
    let reads = (kind == Kind::Where) | BINARY.contains(kind);
    let rank = types[i.index()].rank();
    // The rows of arrays that are joined agree.
    let compared = if joins & (rank > 0) { rank - 1 } else { rank };
    if !(joins | reads) {
        return 0;
    }
    let mut k = 0u32;
    while k < compared {
        let mut first = u32::MAX;
        let mut child = i.get() + 1;
        while child < nodes.end[i] {
            let value = bare(NodeId::new(child), nodes);
            let own = types[value.index()].rank();
            let extent =
                if own > k { known_extent(value, own - 1 - k, nodes, around, origins, data) } else { u32::MAX };
            if first == u32::MAX {
                first = extent;
            } else if (extent != u32::MAX) & (extent != first) {
                return 1;
            }
            child = nodes.end[NodeId::new(child)];
        }
        k += 1;
    }
    0
}
