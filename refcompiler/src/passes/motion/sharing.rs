//! Equal values that leave the same loop share one variable, and a loop has at most [`MOST`] of them.
//!
//! The walk over values yields their hashes. The first of the roots with a hash and a loop is compared with all others, node by node; roots
//! in them are compared by their own first roots. This is one comparison for each node. If it fails anywhere, two different values have one
//! hash, and nothing is shared. Equal values have as many nodes in the walk, in the same order.
//!
//! The values of a loop are ordered by the cost that they save for each use, which counts eight times as much in each further loop.

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Result};

use super::values::{RootId, Roots, ValueId, Values, own_cost};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::nests::{Facts, mixed};

/// The most variables that hold the values of a loop.
pub const MOST: u32 = 8;

/// Returns the hash of a root and its loop.
#[device(intern)]
fn name(r: RootId, roots: &Roots, values: &Values) -> u64 {
    mixed(values.motion[ValueId::new(roots.value[r])].hash ^ mixed(roots.anchor[r] as u64))
}

#[device(map)]
fn itself(r: u32, roots: &Roots) -> (u32, u32) {
    (roots.value[RootId::new(r)], r)
}

/// The roots around a value.
#[device(columns(Shares, index = ValueId))]
struct Share {
    /// The root that it is, [`NO_NODE`] if it is none.
    root: u32,
    /// The innermost root that it is or is a part of.
    innermost: u32,
}

/// Returns the innermost root around a value.
#[device(walk_down)]
fn innermost(v: ValueId, above: u32, values: &Values, root_at: &[u32]) -> u32 {
    let own = root_at[v.index()];
    if own != NO_NODE {
        own
    } else if values.parent[v] == NO_NODE {
        NO_NODE
    } else {
        above
    }
}

/// Returns whether two nodes are the same, without the nodes below them.
#[device]
fn is_same(i: NodeId, j: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == nodes.kind[j]) & (nodes.ty[i] == nodes.ty[j]) & (nodes.data[i] == nodes.data[j])
}

/// Returns whether two operands are the same, or are both operators, which are compared by themselves.
#[device]
fn is_same_operand(i: NodeId, j: NodeId, nodes: &Nodes) -> bool {
    let kind = nodes.kind[i];
    let is_leaf = (kind == Kind::Name) | (kind == Kind::Literal);
    if is_leaf { is_same(i, j, nodes) } else { kind == nodes.kind[j] }
}

/// Returns whether two values are the same, without operators below them.
#[device]
fn is_equal(v: ValueId, w: ValueId, values: &Values, nodes: &Nodes) -> bool {
    let i = NodeId::new(values.node[v]);
    let j = NodeId::new(values.node[w]);
    if v == w {
        return true;
    }
    if !is_same(i, j, nodes) {
        return false;
    }
    if nodes.kind[i].is_read() {
        return true;
    }
    let has_same = is_same_operand(i.plus(1), j.plus(1), nodes);
    let right = values.right[v];
    has_same && (right == NO_NODE || is_same_operand(NodeId::new(right), NodeId::new(values.right[w]), nodes))
}

/// Returns the value in the first root that equals a root, at the index that a value has in the root; it may be none.
#[device]
fn twin(v: ValueId, root: RootId, roots: &Roots, first: &[u32]) -> ValueId {
    ValueId::new(v.get() - roots.value[root] + roots.value[RootId::new(first[root.index()])])
}

/// Returns 1 for a value that shows that two roots with one hash differ.
#[device(reduce(Sum))]
fn differs(v: ValueId, values: &Values, shares: &Shares, roots: &Roots, first: &[u32], nodes: &Nodes) -> u32 {
    if shares.innermost[v] == NO_NODE {
        return 0;
    }
    let own = RootId::new(shares.innermost[v]);
    let other = twin(v, own, roots, first);
    if other.index() >= values.len() || !is_equal(v, other, values, nodes) {
        return 1;
    }
    if shares.root[v] == NO_NODE {
        return (shares.root[other] != NO_NODE) as u32;
    }
    let mut is_wrong = roots.anchor[own] != roots.anchor[RootId::new(first[own.index()])];
    let above = ValueId::new(values.parent[v]);
    if !above.is_none() && shares.innermost[above] != NO_NODE {
        let outer = twin(v, RootId::new(shares.innermost[above]), roots, first);
        let root = if outer.index() < values.len() { shares.root[outer] } else { NO_NODE };
        is_wrong |= root == NO_NODE || first[root as usize] != first[own.index()];
    }
    is_wrong as u32
}

/// Returns the root that a value belongs to, and the cost of the value there.
#[device(accumulate)]
fn saved(v: ValueId, nodes: &Nodes, values: &Values, shares: &Shares, roots: &Roots, facts: &Facts) -> (u32, u32) {
    if shares.innermost[v] == NO_NODE {
        return (NO_NODE, 0);
    }
    let own = RootId::new(shares.innermost[v]);
    let i = NodeId::new(values.node[v]);
    let levels = facts.around[i].level - facts.around[NodeId::new(roots.anchor[own])].level - 1;
    (own.get(), own_cost(nodes.kind[i]) << (3 * levels.min(3)))
}

/// Returns the first root that equals a root, and the savings of the root.
#[device(accumulate)]
fn saved_by_first(r: usize, first: &[u32], saved: &[u32]) -> (u32, u32) {
    (first[r], saved[r])
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
    /// The first root that equals each root.
    pub first: B::Vec<u32>,
    /// 1 for a root that is the first, and whose value gets a variable.
    pub is_chosen: B::Vec<u32>,
}

/// Returns which roots share a variable, and which get one.
pub fn chosen_roots<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    facts: &Facts<B>,
    (values, parents): (&Values<B>, &Parents<B>),
    roots: &Roots<B>,
) -> Result<Chosen<B>> {
    let (m, count) = (values.len(), roots.len());
    let (at, ids) = backend.map(itself::of(roots).rows(count))?;
    let mut root = backend.filled(m, NO_NODE)?;
    backend.scatter(&mut root, &at, &ids)?;
    let innermost = backend.walk_down(parents, NO_NODE, innermost::of(values, &root))?;
    let shares = Shares { root, innermost };

    let mut first = backend.intern(name::of(roots, values).rows(count))?;
    let differs = differs::of(values, &shares, roots, &first, nodes);
    if backend.reduce(differs.rows(m), Sum)? > 0 {
        first = ids;
    }

    let mut saved = backend.filled(count, 0u32)?;
    backend.accumulate(&mut saved, saved::of(nodes, values, &shares, roots, facts).rows(m))?;
    let mut saved_by = backend.filled(count, 0u32)?;
    backend.accumulate(&mut saved_by, saved_by_first::of(&first, &saved))?;
    let firsts = backend.compact(is_first::of(&first))?;
    let worths = backend.map(worth::of(&firsts, roots, &saved_by))?;
    let (worths, firsts) = backend.sort_by_key(&worths, &firsts)?;
    let (begins, _) = backend.scan_later(ScanKind::Inclusive, begin::of(&worths), Max)?;
    let (order, chosen) = backend.map(chosen::of(&firsts, &begins))?;
    let mut is_chosen = backend.filled(count, 0u32)?;
    backend.scatter(&mut is_chosen, &order, &chosen)?;
    Ok(Chosen { first, is_chosen })
}
