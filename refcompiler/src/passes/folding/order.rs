//! The order of operands: a left operand that is a leaf goes to the right, where an instruction takes it best.
//!
//! ```text
//! ADD (LITERAL 3, NAME x)      becomes   ADD (NAME x, LITERAL 3)       an instruction contains the literal
//! ADD (NAME x, CALL f)         becomes   ADD (CALL f, NAME x)          x does not wait in the frame during the call
//! ```
//!
//! Only operators on ints whose operands commute. A variable moves only if nothing but its declaration writes it. The literal or the variable is
//! one node, so all nodes of the other operand go one back for each such operator around them.
//!
//! Cost: n nodes: work O(n), and a fixed number of templates. Programs without such operators only search for one.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

use super::forms::type_of;
use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::passes::origins::from_origins;

/// The operators whose operands commute.
const COMMUTING: Kinds = Kinds::of(&[Kind::Add, Kind::Mul, Kind::And, Kind::Or, Kind::Xor, Kind::Eq, Kind::Ne]);

/// Returns 1 for a node that calls a function.
#[device(scan(Sum))]
fn call(i: NodeId, nodes: &Nodes) -> u32 {
    nodes.kind[i].is_call(nodes.ty[i]) as u32
}

/// Returns the variable that a node writes, and 1.
#[device(accumulate)]
fn write(i: NodeId, nodes: &Nodes) -> (u32, u32) {
    let writes = (nodes.kind[i] == Kind::Assign) | (nodes.kind[i] == Kind::Address);
    (if writes { nodes.data[i] } else { NO_NODE }, 1)
}

/// Returns whether the left operand of a node goes to the right.
#[device(compact)]
fn swapped(i: NodeId, nodes: &Nodes, end: &[u32], calls: &[u32], writes: &[u32]) -> bool {
    if !COMMUTING.contains(nodes.kind[i]) {
        return false;
    }
    let left = i.plus(1);
    let right = end[left.index()] as usize;
    if (end[left.index()] != left.get() + 1) | (type_of(left, nodes) != Type::Int) {
        return false;
    }
    if nodes.kind[left] == Kind::Literal {
        return nodes.kind[NodeId::new(right as u32)] != Kind::Literal;
    }
    let has_call = calls[end[i.index()] as usize - 1] > calls[right - 1];
    nodes.kind[left] == Kind::Name && has_call && writes[nodes.data[left] as usize] == 0
}

/// Returns the number of nodes by which a subtree goes back.
#[device(walk_down)]
fn back(i: usize, above: u32, parents: &[u32], is_swapped: &[u32]) -> u32 {
    let parent = parents[i];
    let is_right = parent != NO_NODE && is_swapped[parent as usize] == 1 && i != parent as usize + 1;
    above + is_right as u32
}

/// Returns the new index of a node.
#[device(map)]
fn index(i: usize, parents: &[u32], is_swapped: &[u32], end: &[u32], back: &[u32]) -> u32 {
    let parent = parents[i];
    let is_left = parent != NO_NODE && is_swapped[parent as usize] == 1 && i == parent as usize + 1;
    (if is_left { end[parent as usize] - 1 } else { i as u32 }) - back[i]
}

/// Returns the nodes with their operands in order.
pub fn ordered<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let n = nodes.len();
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let (calls, _) = backend.scan_later(ScanKind::Inclusive, call::of(&nodes).rows(n), Sum)?;
    let mut writes = backend.filled(n, 0u32)?;
    backend.accumulate(&mut writes, write::of(&nodes).rows(n))?;
    let found = backend.compact(swapped::of(&nodes, &end, &calls, &writes).rows(n))?;
    if found.is_empty() {
        return Ok(nodes);
    }
    let mut is_swapped = backend.filled(n, 0u32)?;
    backend.scatter(&mut is_swapped, &found, &backend.filled(found.len(), 1u32)?)?;
    let back = backend.walk_down(&parents, 0, back::of(parents.column(), &is_swapped))?;
    let index = backend.map(index::of(parents.column(), &is_swapped, &end, &back).rows(n))?;
    let mut origin = backend.filled(n, 0u32)?;
    backend.scatter(&mut origin, &index, &backend.map(index_u32::of().rows(n))?)?;
    let nodes = from_origins(backend, &origin, &nodes, &index)?;
    positions.follow(backend, || Ok(origin))?;
    Ok(nodes)
}
