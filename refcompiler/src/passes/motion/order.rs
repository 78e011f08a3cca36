//! The new nodes, and where they are.
//!
//! ```text
//! BLOCK { WHILE c { .. x + y * z .. } }                         before; the loop changes x
//! BLOCK { EXPRESSION DECLARE y * z, WHILE c { .. x + NAME .. } }  after
//! ```
//!
//! A value that moves leaves a NAME, and the nodes below it are [cut](crate::passes::cuts). Its own nodes go before the loop, below a
//! DECLARE, again with NAMEs for values in it that move further. So each new node is in one of two sequences: the nodes that no cut has, in
//! their order, and the nodes that move, by the loop before which they come. A node that stays comes after the moved nodes of all loops up
//! to itself, a moved node after the nodes before its loop that stay.

use treepar::backend::{Offsets, ScanKind};
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

use super::sharing::Chosen;
use super::values::{RootId, Roots, type_of_value};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::passes::cuts::{Cut, Cuts, Edit, Edits, covered, write};
use crate::passes::origins::from_origins;

/// The statement that declares the variable, and the declaration, before the nodes of the value.
const ADDED: u32 = 2;

/// Returns whether a root is replaced by a variable.
#[device(compact)]
fn is_replaced(r: usize, first: &[u32], is_chosen: &[u32]) -> bool {
    is_chosen[first[r] as usize] == 1
}

#[device(compact)]
fn is_moved(r: usize, is_chosen: &[u32]) -> bool {
    is_chosen[r] == 1
}

/// Returns the cut of the nodes below a value that is replaced.
#[device(map)]
fn cut(k: usize, replaced: &[u32], roots: &Roots, end: &[u32]) -> Cut {
    let node = roots.node[RootId::new(replaced[k])];
    let last = end[node as usize];
    Cut { from: node + 1, first: last, last, end: last, up: 0 }
}

#[device(map)]
fn anchor(k: usize, moved: &[u32], roots: &Roots) -> u32 {
    roots.anchor[RootId::new(moved[k])]
}

/// Returns the most new nodes of a value that moves.
#[device(map)]
fn size(k: usize, moved: &[u32], roots: &Roots, end: &[u32]) -> u32 {
    let node = roots.node[RootId::new(moved[k])];
    ADDED + end[node as usize] - node
}

/// Returns the root of a row, and its number among the new nodes of the value.
#[device(expand)]
fn row(k: usize, part: usize, moved: &[u32]) -> (u32, u32) {
    (moved[k], part as u32)
}

/// Returns the node of a row that is not added.
#[device]
fn node_of(root: u32, part: u32, roots: &Roots) -> NodeId {
    NodeId::new(roots.node[RootId::new(root)] + part - ADDED)
}

/// Returns whether a row moves with its value: it is not below another value that is replaced.
#[device(compact)]
fn moves(m: usize, of: &[u32], part: &[u32], roots: &Roots, covered: &[u64]) -> bool {
    if part[m] <= ADDED {
        return true;
    }
    let node = roots.node[RootId::new(of[m])];
    let i = node_of(of[m], part[m], roots);
    covered[i.index()] >> 32 == (covered[node as usize] >> 32) + 1
}

/// An index of a node that moves.
#[device(index)]
struct MovedId(u32);

/// A node that moves.
#[device(columns(MovedNodes, index = MovedId))]
struct Moved {
    /// The value that it moves with.
    root: u32,
    /// The number among the new nodes of the value.
    part: u32,
    /// The loop before which it goes.
    anchor: u32,
    /// The old node, or the value's.
    node: u32,
}

#[device(map)]
fn moved_node(q: usize, kept: &[u32], of: &[u32], part: &[u32], roots: &Roots) -> Moved {
    let m = kept[q] as usize;
    let root = RootId::new(of[m]);
    let is_old = part[m] >= ADDED;
    let node = if is_old { node_of(of[m], part[m], roots).get() } else { roots.node[root] };
    Moved { root: of[m], part: part[m], anchor: roots.anchor[root], node }
}

/// Returns a loop, and 1.
#[device(accumulate)]
fn at_loop(m: MovedId, moved: &MovedNodes) -> (u32, u32) {
    (moved.anchor[m], 1)
}

/// One node that stays, in a count of these and of nodes that move.
const STAYS: u64 = 1 << 32;

/// Returns [`STAYS`] for a node that stays, and the number of nodes that come before it.
#[device(scan(Sum))]
fn stays_after(i: usize, covered: &[u64], counts: &[u32]) -> u64 {
    (covered[i] >> 32 == 0) as u64 * STAYS + counts[i] as u64
}

/// Returns the new index of a node that stays, [`NO_NODE`] for another.
#[device(map)]
fn staying(i: usize, covered: &[u64], sums: &[u64]) -> u32 {
    let at = ((sums[i] >> 32) as u32).wrapping_sub(1).wrapping_add(sums[i] as u32);
    if covered[i] >> 32 == 0 { at } else { NO_NODE }
}

/// Returns the new index of a moved node; and of a DECLARATION, its root.
#[device(map)]
fn moving_to(m: MovedId, moved: &MovedNodes, sums: &[u64]) -> (u32, u32) {
    let at = (sums[moved.anchor[m] as usize] >> 32) as u32 - 1 + m.get();
    (at, if moved.part[m] == 1 { moved.root[m] } else { NO_NODE })
}

/// Returns the old node of a row that stays in its value, [`NO_NODE`] for another, so that a value in it can be read there.
#[device(map)]
fn inner(m: MovedId, moved: &MovedNodes) -> u32 {
    if moved.part[m] > ADDED { moved.node[m] } else { NO_NODE }
}

/// Returns the declaration of the variable that a root is replaced by.
#[device(map)]
fn variable(r: usize, first: &[u32], declarations: &[u32]) -> u32 {
    declarations[first[r] as usize]
}

/// Returns the edit of a value that is replaced by a read of its variable.
#[device(map)]
fn read(k: usize, replaced: &[u32], roots: &Roots, nodes: &Nodes, index: &[u32], variables: &[u32]) -> Edit {
    let r = RootId::new(replaced[k]);
    let i = NodeId::new(roots.node[r]);
    Edit { node: index[i.index()], kind: Kind::Name, ty: type_of_value(i, nodes), data: variables[r.index()] }
}

/// Returns the edit of a node that is added before a value.
#[device(map)]
fn added(m: MovedId, moved: &MovedNodes, at: &[u32], nodes: &Nodes) -> Edit {
    let to = at[m.index()];
    match moved.part[m] {
        0 => Edit { node: to, kind: Kind::Expression, ty: Type::Void, data: 0 },
        1 => {
            let ty = type_of_value(NodeId::new(moved.node[m]), nodes);
            Edit { node: to, kind: Kind::Declare, ty, data: 0 }
        }
        _ => Edit { node: NO_NODE, kind: Kind::Empty, ty: Type::Void, data: 0 },
    }
}

/// Returns the depth of a node that moves: the statement has the depth of the loop.
#[device(map)]
fn depth(m: MovedId, moved: &MovedNodes, roots: &Roots, nodes: &Nodes) -> u32 {
    let around = nodes.depth[NodeId::new(moved.anchor[m])];
    let part = moved.part[m];
    if part < ADDED {
        return around + part;
    }
    let value = NodeId::new(roots.node[RootId::new(moved.root[m])]);
    around + ADDED + nodes.depth[NodeId::new(moved.node[m])] - nodes.depth[value]
}

/// Returns the nodes that move, in the order of the loops before which they go.
fn moved_nodes<B: Backend>(
    backend: &B,
    roots: &Roots<B>,
    is_chosen: &B::Vec<u32>,
    end: &B::Vec<u32>,
    covered: &B::Vec<u64>,
) -> Result<MovedNodes<B>> {
    let moved = backend.compact(is_moved::of(is_chosen))?;
    let anchors = backend.map(anchor::of(&moved, roots).rows(moved.len()))?;
    let (_, moved) = backend.sort_by_key(&anchors, &moved)?;
    let sizes = backend.map(size::of(&moved, roots, end).rows(moved.len()))?;
    let (offsets, rows) = backend.scan(ScanKind::Exclusive, &sizes, Sum)?;
    let offsets = Offsets::assume(backend, &offsets, rows as usize)?;
    let (of, part) = backend.expand_from(&offsets, row::of(&moved))?;
    let kept = backend.compact(moves::of(&of, &part, roots, covered))?;
    backend.map(moved_node::of(&kept, &of, &part, roots).rows(kept.len()))
}

/// Returns the nodes after the values have moved.
pub fn reordered<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    end: &B::Vec<u32>,
    roots: &Roots<B>,
    chosen: &Chosen<B>,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let n = nodes.len();
    let Chosen { first, is_chosen } = chosen;
    let replaced = backend.compact(is_replaced::of(first, is_chosen))?;
    let cuts: Cuts<B> = backend.map(cut::of(&replaced, roots, end).rows(replaced.len()))?;
    let covered = covered(backend, n, &cuts)?;
    let moved = moved_nodes(backend, roots, is_chosen, end, &covered)?;

    let mut counts = backend.filled(n, 0u32)?;
    backend.accumulate(&mut counts, at_loop::of(&moved))?;
    let (sums, all) = backend.scan(ScanKind::Inclusive, stays_after::of(&covered, &counts), Sum)?;
    let total = (all >> 32) as usize + moved.len();
    let mut index = backend.map(staying::of(&covered, &sums))?;
    let (at, declared) = backend.map(moving_to::of(&moved, &sums).rows(moved.len()))?;
    let mut origin = backend.filled(total, 0u32)?;
    backend.scatter(&mut origin, &index, &backend.map(index_u32::of().rows(n))?)?;
    backend.scatter(&mut origin, &at, &moved.node)?;
    let mut declarations = backend.filled(roots.len(), 0u32)?;
    backend.scatter(&mut declarations, &declared, &at)?;
    let variables = backend.map(variable::of(first, &declarations))?;
    backend.scatter(&mut index, &backend.map(inner::of(&moved))?, &at)?;

    let reads = backend.map(read::of(&replaced, roots, nodes, &index, &variables).rows(replaced.len()))?;
    let added: Edits<B> = backend.map(added::of(&moved, &at, nodes).rows(moved.len()))?;
    let depths = backend.map(depth::of(&moved, roots, nodes).rows(moved.len()))?;
    let mut after: Nodes<B> = from_origins(backend, &origin, nodes, &index)?;
    write(backend, &mut after, &reads)?;
    write(backend, &mut after, &added)?;
    backend.scatter(&mut after.depth, &at, &depths)?;
    positions.follow(backend, || Ok(origin))?;
    Ok(after)
}
