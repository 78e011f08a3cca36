//! Edits and cuts: nodes get another kind, or disappear except for a part of the subtree of each that may stay.
//!
//! ```text
//! nodes      0 ADD  1 NAME x  2 LITERAL 0          becomes  0 NAME x
//! cut        from 0, kept from 1 to 2, end 3; what is kept moves up
//! ```
//!
//! Cuts can nest: a node disappears if any cut has it. The number of cuts that have a node is a sum over the edges of cuts before it, so
//! one scan finds the nodes that stay and their depths.
//!
//! Cost: n nodes, c cuts: work O(n + c), a fixed number of templates.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::positions::Positions;

/// An index of an edit.
#[device(index)]
pub struct EditId(u32);

/// The new kind, type and data of a node.
#[device(columns(Edits, index = EditId))]
pub struct Edit {
    /// The node, [`NO_NODE`] if none changes.
    pub node: u32,
    /// The kind.
    pub kind: Kind,
    /// The type.
    pub ty: Type,
    /// The data.
    pub data: u32,
}

/// Writes edits into nodes.
///
/// # Errors
/// Only errors of the backend.
pub fn write<B: Backend>(backend: &B, nodes: &mut Nodes<B>, edits: &Edits<B>) -> Result<()> {
    backend.scatter(&mut nodes.kind, &edits.node, &edits.kind)?;
    backend.scatter(&mut nodes.ty, &edits.node, &edits.ty)?;
    backend.scatter(&mut nodes.data, &edits.node, &edits.data)
}

/// An index of a cut.
#[device(index)]
pub struct CutId(u32);

/// The nodes from `from` to `end` disappear, except for those from `first` to `last`.
#[device(columns(Cuts, index = CutId))]
pub struct Cut {
    /// The first node that disappears.
    pub from: u32,
    /// The first node that stays.
    pub first: u32,
    /// The end of the nodes that stay.
    pub last: u32,
    /// The end of the nodes that disappear.
    pub end: u32,
    /// By how much the nodes that stay move up: 1 if their parent disappears, else 0.
    pub up: u32,
}

/// Returns the cut of nothing.
#[device]
pub fn no_cut() -> Cut {
    Cut { from: NO_NODE, first: NO_NODE, last: NO_NODE, end: NO_NODE, up: 0 }
}

/// Edges of a cut.
const EDGES: u32 = 4;

/// Returns a node where the number of cuts changes, and the change. Edge `e` is one of four edges of a cut.
#[device(accumulate)]
fn edge(e: u32, cuts: &Cuts) -> (u32, u32) {
    let c = CutId::new(e / EDGES);
    match e % EDGES {
        0 => (cuts.from[c], 1),
        1 => (cuts.first[c], u32::MAX),
        2 => (cuts.last[c], 1),
        _ => (cuts.end[c], u32::MAX),
    }
}

/// Returns a node where the number of cuts changes that move nodes up, and the change. Edge `e` is one of two edges.
#[device(accumulate)]
fn lift(e: u32, cuts: &Cuts) -> (u32, u32) {
    let c = CutId::new(e / 2);
    let up = cuts.up[c];
    if e & 1 == 0 { (cuts.first[c], up) } else { (cuts.last[c], 0u32.wrapping_sub(up)) }
}

/// Returns the changes of both numbers at a node, the number of cuts in the upper half.
#[device(scan(Sum))]
fn change(i: usize, edges: &[u32], lifts: &[u32]) -> u64 {
    let cuts = (edges[i] as u64) << 32;
    // A sum of signed numbers, so that the lower half borrows from the upper.
    cuts.wrapping_add(lifts[i] as i32 as i64 as u64)
}

#[device(compact)]
fn stays(i: usize, sums: &[u64]) -> bool {
    sums[i] >> 32 == 0
}

#[device(map)]
fn node(q: usize, kept: &[u32], nodes: &Nodes, sums: &[u64], index: &[u32]) -> Node {
    let i = NodeId::new(kept[q]);
    let kind = nodes.kind[i];
    let data = nodes.data[i];
    Node {
        depth: nodes.depth[i] - sums[i.index()] as u32,
        kind,
        ty: nodes.ty[i],
        data: if kind.is_variable() { index[data as usize] } else { data },
    }
}

/// Returns for each node the number of cuts that have it, in the upper half, and by how much it moves up, in the lower half.
///
/// # Errors
/// Only errors of the backend.
pub fn covered<B: Backend>(backend: &B, n: usize, cuts: &Cuts<B>) -> Result<B::Vec<u64>> {
    let (mut edges, mut lifts) = (backend.filled(n, 0u32)?, backend.filled(n, 0u32)?);
    backend.accumulate(&mut edges, edge::of(cuts).rows(EDGES as usize * cuts.len()))?;
    backend.accumulate(&mut lifts, lift::of(cuts).rows(2 * cuts.len()))?;
    Ok(backend.scan_later(ScanKind::Inclusive, change::of(&edges, &lifts), Sum)?.0)
}

/// Returns the nodes that stay, and the new index of each node, [`NO_NODE`] if it disappears.
///
/// # Errors
/// Only errors of the backend.
pub fn without<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    cuts: &Cuts<B>,
    positions: &mut Positions<B>,
) -> Result<(Nodes<B>, B::Vec<u32>)> {
    let sums = covered(backend, nodes.len(), cuts)?;
    let kept = backend.compact(stays::of(&sums))?;
    let numbers = backend.map(index_u32::of().rows(kept.len()))?;
    let mut index = backend.filled(nodes.len(), NO_NODE)?;
    backend.scatter(&mut index, &kept, &numbers)?;
    positions.follow(backend, || kept.try_clone())?;
    let nodes = backend.map(node::of(&kept, nodes, &sums, &index).rows(kept.len()))?;
    Ok((nodes, index))
}
