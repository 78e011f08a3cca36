//! Extents of arrays that are known when a program is compiled: those of literals, `iota` and `replicate`.
//!
//! ```text
//! [1, 2] + [1, 2, 3]    2 and 3 differ       iota[2] + iota[n]    n is not known
//! ```
//!
//! Cost: work O(n d) for arrays of rank d, one reduction.

use treepar::device::device;
use treepar::monoid::Sum;

use crate::frontend::arrays::types::{Typing, is_builder, is_leaf};
use crate::ir::kinds::{BINARY, Kind};
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
fn known_extent(i: NodeId, dimension: u32, typed: &Typing) -> u32 {
    let mut value = bare(i, typed.nodes);
    let mut left = dimension;
    while left > 0
        && !is_leaf(value, typed.nodes)
        && ((typed.nodes.kind[value] == Kind::Array) | (typed.nodes.kind[value] == Kind::Replicate))
    {
        // The value of a REPLICATE comes after the number of its copies.
        let is_literal = typed.nodes.kind[value] == Kind::Array;
        let row = if is_literal { value.get() + 1 } else { typed.nodes.end[value.plus(1)] };
        if row >= typed.nodes.end[value] {
            return u32::MAX;
        }
        value = bare(NodeId::new(row), typed.nodes);
        left -= 1;
    }
    if left > 0 || is_leaf(value, typed.nodes) {
        return u32::MAX;
    }
    let is_iota = is_builder(value, typed.nodes, typed.origins) && typed.data[value.index()] == runtime::IOTA;
    if typed.nodes.kind[value] == Kind::Array {
        return typed.around.children[value];
    }
    if (typed.nodes.kind[value] == Kind::Replicate) | is_iota {
        return literal(bare(value.plus(1), typed.nodes), typed.nodes, typed.data);
    }
    u32::MAX
}

/// The first dimension of each array, whatever its rank.
const FIRST: u32 = u32::MAX;

/// Returns whether two children of node `i`, without the first `others`, have different extents that are known. Dimensions count from
/// the last one, 0, because an array of lower rank is repeated.
#[device]
fn children_differ(i: NodeId, others: u32, dimension: u32, typed: &Typing) -> bool {
    let mut skipped = 0u32;
    let mut first = u32::MAX;
    let mut differ = false;
    let mut child = i.get() + 1;
    while child < typed.nodes.end[i] {
        let value = bare(NodeId::new(child), typed.nodes);
        let rank = typed.types[value.index()].rank();
        let from_first = if dimension == FIRST { 0 } else { rank.wrapping_sub(1 + dimension) };
        // Without such a dimension the difference is greater than the rank.
        let is_compared = (skipped >= others) & (from_first < rank);
        let extent = if is_compared { known_extent(value, from_first, typed) } else { u32::MAX };
        differ |= (extent != u32::MAX) & (first != u32::MAX) & (extent != first);
        first = if first == u32::MAX { extent } else { first };
        child = typed.nodes.end[NodeId::new(child)];
        skipped += 1;
    }
    differ
}

/// Returns 1 if node `i` reads several arrays together, or joins them, and two known extents differ.
#[device(reduce(Sum))]
pub fn extents_differ(i: NodeId, typed: &Typing) -> u32 {
    let kind = typed.nodes.kind[i];
    if (kind == Kind::Map) | (kind == Kind::Group) {
        // The function comes first, and before the arrays of a GROUP two values.
        let others = if kind == Kind::Map { 1 } else { 3 };
        return children_differ(i, others, FIRST, typed) as u32;
    }
    let joins = is_builder(i, typed.nodes, typed.origins) && typed.data[i.index()] == runtime::CONCAT;
    let reads = (kind == Kind::Where) | BINARY.contains(kind);
    let rank = typed.types[i.index()].rank();
    // The rows of arrays that are joined agree.
    let compared = if joins & (rank > 0) { rank - 1 } else { rank };
    let mut differ = false;
    let mut k = 0u32;
    while (joins | reads) & !differ & (k < compared) {
        differ = children_differ(i, 0, k, typed);
        k += 1;
    }
    differ as u32
}
