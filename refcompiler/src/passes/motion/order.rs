//! The new nodes, and where they are.
//!
//! ```text
//! BLOCK { WHILE c { .. x + y * z .. } }                         before; the loop changes x
//! BLOCK { EXPRESSION DECLARE y * z, WHILE c { .. x + NAME .. } }  after
//! ```
//!
//! A value that moves leaves a NAME. Its own nodes go before the loop, below a DECLARE, again with NAMEs for values in it that move further.
//! So each new node is in one of two sequences: the nodes that stay, in their order, and the nodes that move, sorted by the loop before which
//! they come. A node that stays comes after the moved nodes of all loops up to itself, a moved node after the nodes before its loop that
//! stay. Values that leave one loop are no parts of each other, so a stable sort keeps each together.

use treepar::backend::{Offsets, ScanKind};
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::sharing::Chosen;
use super::values::{RootId, Roots, type_of_value};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::positions::Positions;

/// The place of a node whose value another node has computed.
const GONE: u32 = NO_NODE - 1;

/// What a new node is made of. Its bits are below those of the old node.
const ITSELF: u32 = 0;
/// A read of the variable instead of a value that moves.
const READ: u32 = 1;
/// The statement that declares the variable.
const STATEMENT: u32 = 2;
/// The declaration.
const DECLARATION: u32 = 3;
const PARTS: u32 = 4;

/// Returns the root at a node whose value gets a variable, [`NO_NODE`] if there is none.
#[device]
fn moving(i: usize, root_at: &[u32], first: &[u32], is_chosen: &[u32]) -> u32 {
    let r = root_at[i];
    if r != NO_NODE && is_chosen[first[r as usize] as usize] == 1 { r } else { NO_NODE }
}

/// Returns the value with which a node moves: a root, [`NO_NODE`] if it stays, or [`GONE`].
#[device(walk_down)]
fn place(i: usize, above: u32, root_at: &[u32], first: &[u32], is_chosen: &[u32]) -> u32 {
    let r = moving(i, root_at, first, is_chosen);
    if (r == NO_NODE) | (above == GONE) {
        return above;
    }
    if first[r as usize] == r { r } else { GONE }
}

/// Returns where the parent of a node goes.
#[device]
fn place_above(i: usize, parents: &[u32], places: &[u32]) -> u32 {
    if parents[i] == NO_NODE { NO_NODE } else { places[parents[i] as usize] }
}

/// Returns how many new nodes that move a node has.
#[device]
fn moved_nodes(i: usize, parents: &[u32], places: &[u32], root_at: &[u32], first: &[u32], is_chosen: &[u32]) -> u32 {
    let above = place_above(i, parents, places);
    if above == GONE {
        return 0;
    }
    let r = moving(i, root_at, first, is_chosen);
    let own = (above != NO_NODE) as u32;
    if r != NO_NODE && places[i] == r { own + 3 } else { own }
}

#[device(scan(Sum))]
fn moved_count(i: usize, parents: &[u32], places: &[u32], root_at: &[u32], first: &[u32], is_chosen: &[u32]) -> u32 {
    moved_nodes(i, parents, places, root_at, first, is_chosen)
}

/// Returns the loop before which new node `k` of node `i` comes, and the node with what it is.
#[device(expand)]
fn moved(
    i: usize,
    k: usize,
    parents: &[u32],
    places: &[u32],
    root_at: &[u32],
    first: &[u32],
    is_chosen: &[u32],
    roots: &Roots,
) -> (u32, u32) {
    let node = i as u32 * PARTS;
    let above = place_above(i, parents, places);
    let r = moving(i, root_at, first, is_chosen);
    let reads = (above != NO_NODE) & (r != NO_NODE);
    if reads & (k == 0) {
        return (roots.anchor[RootId::new(above)], node + READ);
    }
    if r == NO_NODE {
        return (roots.anchor[RootId::new(above)], node + ITSELF);
    }
    let part = match k - reads as usize {
        0 => STATEMENT,
        1 => DECLARATION,
        _ => ITSELF,
    };
    (roots.anchor[RootId::new(r)], node + part)
}

/// Returns a loop, and 1.
#[device(accumulate)]
fn at_loop(m: usize, anchors: &[u32]) -> (u32, u32) {
    (anchors[m], 1)
}

/// One node that stays, in a count of these and of nodes that move.
const STAYS: u64 = 1 << 32;

/// Returns [`STAYS`] for a node that stays or leaves a NAME there, and the number of nodes that come before it.
#[device(scan(Sum))]
fn stays_after(i: usize, parents: &[u32], places: &[u32], counts: &[u32]) -> u64 {
    let stays = place_above(i, parents, places) == NO_NODE;
    stays as u64 * STAYS + counts[i] as u64
}

/// Returns the new index of a node that stays, and what it is.
#[device(map)]
fn staying(
    i: usize,
    parents: &[u32],
    places: &[u32],
    root_at: &[u32],
    first: &[u32],
    is_chosen: &[u32],
    sums: &[u64],
) -> (u32, u32) {
    let stays = place_above(i, parents, places) == NO_NODE;
    let at = ((sums[i] >> 32) as u32).wrapping_sub(1).wrapping_add(sums[i] as u32);
    let part = if moving(i, root_at, first, is_chosen) == NO_NODE { ITSELF } else { READ };
    (if stays { at } else { NO_NODE }, i as u32 * PARTS + part)
}

/// Returns the new index of moved node `m`; and of a DECLARATION, its root.
#[device(map)]
fn moving_to(m: usize, anchors: &[u32], parts: &[u32], sums: &[u64], root_at: &[u32]) -> (u32, u32) {
    let at = (sums[anchors[m] as usize] >> 32) as u32 - 1 + m as u32;
    let is_declaration = parts[m] % PARTS == DECLARATION;
    (at, if is_declaration { root_at[(parts[m] / PARTS) as usize] } else { NO_NODE })
}

/// Returns a new node.
#[device(map)]
fn node(
    q: usize,
    origin: &[u32],
    nodes: &Nodes,
    parents: &[u32],
    places: &[u32],
    root_at: &[u32],
    first: &[u32],
    roots: &Roots,
    index: &[u32],
    declarations: &[u32],
) -> Node {
    let part = origin[q] % PARTS;
    let i = NodeId::new(origin[q] / PARTS);
    let kind = nodes.kind[i];
    let place = if part == READ { place_above(i.index(), parents, places) } else { places[i.index()] };
    let mut depth = nodes.depth[i];
    if place != NO_NODE {
        let r = RootId::new(place);
        let around = nodes.depth[NodeId::new(roots.anchor[r])];
        depth = around + 2 + depth - nodes.depth[NodeId::new(roots.node[r])];
    }
    match part {
        READ => {
            let r = first[root_at[i.index()] as usize];
            Node { depth, kind: Kind::Name, ty: type_of_value(i, nodes), data: declarations[r as usize] }
        }
        STATEMENT => Node { depth: depth - 2, kind: Kind::Expression, ty: Type::Void, data: 0 },
        DECLARATION => Node { depth: depth - 1, kind: Kind::Declare, ty: type_of_value(i, nodes), data: 0 },
        _ => {
            let data = nodes.data[i];
            Node { depth, kind, ty: nodes.ty[i], data: if kind.is_variable() { index[data as usize] } else { data } }
        }
    }
}

/// Returns the old node that a new node belongs to.
#[device(map)]
fn owner(q: usize, origin: &[u32]) -> u32 {
    origin[q] / PARTS
}

/// Returns the nodes after the values have moved.
pub fn reordered<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    parents: &Parents<B>,
    roots: &Roots<B>,
    chosen: &Chosen<B>,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let n = nodes.len();
    let parent = parents.column();
    let Chosen { root_at, first, is_chosen } = chosen;
    let places = backend.walk_down(parents, NO_NODE, place::of(root_at, first, is_chosen))?;

    let count = moved_count::of(parent, &places, root_at, first, is_chosen);
    let (offsets, moving) = backend.scan(ScanKind::Exclusive, count.rows(n), Sum)?;
    let moving = moving as usize;
    let moved = moved::of(parent, &places, root_at, first, is_chosen, roots);
    let (anchors, parts) = backend.expand_from(&Offsets::assume(backend, &offsets, moving)?, moved)?;
    let (anchors, parts) = backend.sort_by_key(&anchors, &parts)?;

    let mut counts = backend.filled(n, 0u32)?;
    backend.accumulate(&mut counts, at_loop::of(&anchors))?;
    let (sums, all) = backend.scan(ScanKind::Inclusive, stays_after::of(parent, &places, &counts).rows(n), Sum)?;
    let total = (all >> 32) as usize + moving;
    let staying = staying::of(parent, &places, root_at, first, is_chosen, &sums);
    let (index, part_staying) = backend.map(staying.rows(n))?;
    let (moved_to, declared) = backend.map(moving_to::of(&anchors, &parts, &sums, root_at))?;

    let mut origin = backend.filled(total, 0u32)?;
    backend.scatter(&mut origin, &index, &part_staying)?;
    backend.scatter(&mut origin, &moved_to, &parts)?;
    let mut declarations = backend.filled(roots.len(), 0u32)?;
    backend.scatter(&mut declarations, &declared, &moved_to)?;
    positions.follow(backend, || backend.map(owner::of(&origin)))?;
    backend.map(node::of(&origin, nodes, parent, &places, root_at, first, roots, &index, &declarations).rows(total))
}
