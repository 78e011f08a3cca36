//! Equal values that leave the same loop share one variable, and a loop has at most [`MOST`] of them.
//!
//! A value has a hash: that of its nodes in preorder, which determine a tree of operators, since these have a fixed number of operands. One
//! scan yields the hashes of all beginnings of the program, and two of them that of a range. The first of the roots with a hash and a loop is
//! compared with all others, node by node; roots in them are compared by their own first roots. This is one comparison for each node. If it
//! fails anywhere, two different values have one hash, and nothing is shared.
//!
//! The values of a loop are ordered by what they save: their cost, for each use, eight times as much in each further loop.

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Result};

use super::loops::Around;
use super::values::{RootId, Roots, own_cost};
use crate::ir::nodes::{NodeId, Nodes};

/// The most variables that hold the values of a loop.
pub const MOST: u32 = 8;

/// The factor by which the hash of a range grows with each node after it. It is odd.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of the nodes up to one.
#[device]
struct Hash {
    /// [`BASE`] to the power of the number of nodes.
    power: u64,
    hash: u64,
}

#[device(monoid(identity = Hash { power: 1, hash: 0 }))]
fn joined(a: Hash, b: Hash) -> Hash {
    Hash { power: a.power.wrapping_mul(b.power), hash: a.hash.wrapping_mul(b.power).wrapping_add(b.hash) }
}

/// Returns a number in which each bit of `x` matters for many bits.
#[device]
fn mixed(x: u64) -> u64 {
    let a = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let b = (a ^ (a >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    b ^ (b >> 33)
}

#[device(scan(joined))]
fn token(i: NodeId, nodes: &Nodes) -> Hash {
    let code = (nodes.kind[i].code() as u64) << 8 | nodes.ty[i].code() as u64;
    Hash { power: BASE, hash: mixed(code << 32 | nodes.data[i] as u64) }
}

/// Returns [`BASE`] to some power.
#[device]
fn power(exponent: u32) -> u64 {
    let mut result = 1u64;
    let mut square = BASE;
    let mut left = exponent;
    while left > 0 {
        if left & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        left >>= 1;
    }
    result
}

/// Returns the hash of a root and its loop.
#[device(intern)]
fn name(r: RootId, roots: &Roots, hashes: &[Hash], end: &[u32]) -> u64 {
    let node = roots.node[r];
    let after = end[node as usize];
    let before = if node == 0 { 0u64 } else { hashes[node as usize - 1].hash };
    let own = hashes[after as usize - 1].hash.wrapping_sub(before.wrapping_mul(power(after - node)));
    mixed(own ^ mixed(roots.anchor[r] as u64))
}

#[device(map)]
fn itself(r: u32, roots: &Roots) -> (u32, u32) {
    (roots.node[RootId::new(r)], r)
}

/// Returns the innermost root around a node.
#[device(walk_down)]
fn innermost(i: usize, above: u32, root_at: &[u32]) -> u32 {
    if root_at[i] == NO_NODE { above } else { root_at[i] }
}

/// Returns whether a node equals the one at its place in the first root with its hash.
#[device]
fn agrees(i: NodeId, root: RootId, first: &[u32], roots: &Roots, root_at: &[u32], nodes: &Nodes, end: &[u32]) -> bool {
    let other_root = RootId::new(first[root.index()]);
    let start = roots.node[root];
    let other_start = roots.node[other_root];
    let other = NodeId::new(i.get() - start + other_start);
    if i.get() == start {
        let length = end[i.index()] - start;
        let is_like = roots.anchor[root] == roots.anchor[other_root] && end[other.index()] - other_start == length;
        return is_like && is_same(i, other, nodes);
    }
    let own = root_at[i.index()];
    let others = root_at[other.index()];
    if (own == NO_NODE) | (others == NO_NODE) {
        return own == others && is_same(i, other, nodes);
    }
    first[own as usize] == first[others as usize]
}

/// Returns whether two nodes are the same alone.
#[device]
fn is_same(i: NodeId, j: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == nodes.kind[j]) & (nodes.ty[i] == nodes.ty[j]) & (nodes.data[i] == nodes.data[j])
}

/// Returns 1 for a node that shows that two roots with one hash differ.
#[device(reduce(Sum))]
fn differs(
    i: NodeId,
    nodes: &Nodes,
    parents: &[u32],
    end: &[u32],
    innermost: &[u32],
    root_at: &[u32],
    roots: &Roots,
    first: &[u32],
) -> u32 {
    let own = innermost[i.index()];
    if own == NO_NODE {
        return 0;
    }
    let mut is_wrong = !agrees(i, RootId::new(own), first, roots, root_at, nodes, end);
    if root_at[i.index()] != NO_NODE {
        let around = innermost[parents[i.index()] as usize];
        is_wrong |= around != NO_NODE && !agrees(i, RootId::new(around), first, roots, root_at, nodes, end);
    }
    is_wrong as u32
}

/// Returns the first root that equals the one that a node belongs to, and what the node costs there.
#[device(accumulate)]
fn saved(i: NodeId, nodes: &Nodes, innermost: &[u32], roots: &Roots, first: &[u32], around: &[Around]) -> (u32, u32) {
    let own = innermost[i.index()];
    if own == NO_NODE {
        return (0, 0);
    }
    let levels = around[i.index()].level - around[roots.anchor[RootId::new(own)] as usize].level - 1;
    (first[own as usize], own_cost(nodes.kind[i]) << (3 * levels.min(3)))
}

#[device(compact)]
fn is_first(r: usize, first: &[u32]) -> bool {
    first[r] == r as u32
}

/// Returns the key by which the values of a loop are ordered.
#[device(map)]
fn worth(k: usize, firsts: &[u32], roots: &Roots, saved: &[u32]) -> u64 {
    let r = RootId::new(firsts[k]);
    (roots.anchor[r] as u64) << 32 | (u32::MAX - saved[r.index()]) as u64
}

/// Returns the index of a value that is the first of its loop, else 0.
#[device(scan(Max))]
fn begin(k: usize, worths: &[u64]) -> u32 {
    if k > 0 && worths[k] >> 32 == worths[k - 1] >> 32 { 0 } else { k as u32 }
}

/// Returns a value, and 1 if it gets a variable.
#[device(map)]
fn chosen(k: usize, firsts: &[u32], begins: &[u32]) -> (u32, u32) {
    (firsts[k], (k as u32 - begins[k] < MOST) as u32)
}

/// The values that get variables.
pub struct Chosen<B: Backend> {
    /// The root at each node, [`NO_NODE`] if there is none.
    pub root_at: B::Vec<u32>,
    /// The first root that equals each root.
    pub first: B::Vec<u32>,
    /// 1 for a root that is the first, and whose value gets a variable.
    pub is_chosen: B::Vec<u32>,
}

/// Returns which roots share a variable, and which get one.
pub fn chosen_roots<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    (parents, end): (&Parents<B>, &B::Vec<u32>),
    around: &B::Vec<Around>,
    roots: &Roots<B>,
) -> Result<Chosen<B>> {
    let (n, count) = (nodes.len(), roots.len());
    let (at, ids) = backend.map(itself::of(roots).rows(count))?;
    let mut root_at = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut root_at, &at, &ids)?;
    let innermost = backend.walk_down(parents, NO_NODE, innermost::of(&root_at))?;

    let (hashes, _) = backend.scan_later(ScanKind::Inclusive, token::of(nodes).rows(n), joined)?;
    let mut first = backend.intern(name::of(roots, &hashes, end).rows(count))?;
    drop(hashes);
    let differs = differs::of(nodes, parents.column(), end, &innermost, &root_at, roots, &first);
    if backend.reduce(differs.rows(n), Sum)? > 0 {
        first = ids;
    }

    let mut saved_by = backend.filled(count, 0u32)?;
    backend.accumulate(&mut saved_by, saved::of(nodes, &innermost, roots, &first, around).rows(n))?;
    let firsts = backend.compact(is_first::of(&first))?;
    let worths = backend.map(worth::of(&firsts, roots, &saved_by))?;
    let (worths, firsts) = backend.sort_by_key(&worths, &firsts)?;
    let (begins, _) = backend.scan_later(ScanKind::Inclusive, begin::of(&worths), Max)?;
    let (order, chosen) = backend.map(chosen::of(&firsts, &begins))?;
    let mut is_chosen = backend.filled(count, 0u32)?;
    backend.scatter(&mut is_chosen, &order, &chosen)?;
    Ok(Chosen { root_at, first, is_chosen })
}
