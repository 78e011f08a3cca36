//! The values that become variables.
//!
//! A product is MUL with two leaves, one of which reads a counter. Leaves have no nodes below them, so all nodes of a product, and of a sum
//! of a product and a leaf, have known distances from it:
//!
//! ```text
//! p MUL   p+1 leaf   p+2 leaf                     a product
//! p-1 ADD   p MUL   p+1   p+2   p+3 leaf          the product is the left operand
//! p-2 ADD   p-1 leaf   p MUL   p+1   p+2          it is the right one
//! ```

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::nests::writes::FIXED;
use crate::passes::nests::{Facts, mixed};

/// The most variables of a loop.
pub const MOST: u32 = 4;

/// Returns whether a node is a leaf of an operator on ints.
#[device]
fn is_leaf(i: NodeId, nodes: &Nodes) -> bool {
    let kind = nodes.kind[i];
    (kind == Kind::Name) | (kind == Kind::Literal)
}

/// Returns whether a node reads a counter.
#[device]
fn is_counter(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::Name && nodes.kind[NodeId::new(nodes.data[i])] == Kind::Count
}

/// Returns whether a node is the product of a counter and a leaf.
#[device(compact)]
fn is_product(i: NodeId, nodes: &Nodes) -> bool {
    if (nodes.kind[i] != Kind::Mul) | (nodes.ty[i] != Type::Int) {
        return false;
    }
    let left = i.plus(1);
    if !is_leaf(left, nodes) {
        return false;
    }
    let right = i.plus(2);
    is_leaf(right, nodes) && (is_counter(left, nodes) || is_counter(right, nodes))
}

/// Returns the products of counters and leaves.
pub fn products<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<B::Vec<u32>> {
    backend.compact(is_product::of(nodes).rows(nodes.len()))
}

/// Returns 1 for a loop or a call.
#[device(scan(Sum))]
fn is_busy(i: NodeId, nodes: &Nodes) -> u32 {
    (nodes.kind[i].is_loop() | nodes.kind[i].is_call(nodes.ty[i])) as u32
}

/// Returns the number of loops and calls up to each node.
pub fn busy_up_to<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<B::Vec<u32>> {
    Ok(backend.scan_later(ScanKind::Inclusive, is_busy::of(nodes).rows(nodes.len()), Sum)?.0)
}

/// Returns whether a node is a leaf that the loop around it does not change.
#[device]
fn is_still(i: NodeId, nodes: &Nodes, levels: &[u32]) -> bool {
    let kind = nodes.kind[i];
    (kind == Kind::Literal) | (kind == Kind::Name && levels[i.index()] != FIXED)
}

/// An index of a value that becomes a variable, in preorder.
#[device(index)]
pub struct StepId(u32);

/// A value that becomes a variable.
#[device(columns(Steps, index = StepId))]
pub struct Step {
    /// The node, [`NO_NODE`] if the value stays.
    pub node: u32,
    /// The loop.
    pub around: u32,
    /// The leaf that each iteration adds.
    pub step: u32,
    /// The leaf that is the value in the first iteration, [`NO_NODE`] for 0.
    pub start: u32,
}

/// Returns a value that stays.
#[device]
fn no_step() -> Step {
    Step { node: NO_NODE, around: NO_NODE, step: NO_NODE, start: NO_NODE }
}

/// Returns whether the counted loop around a node has no other loop and no call.
#[device]
fn is_simple(around: NodeId, nodes: &Nodes, facts: &Facts, busy: &[u32]) -> bool {
    if around.is_none() || nodes.kind[around] != Kind::For {
        return false;
    }
    let last = facts.end[around] as usize - 1;
    busy[last] == busy[around.index()]
}

/// Returns the value of product `k`.
#[device(map)]
fn step(k: usize, products: &[u32], nodes: &Nodes, facts: &Facts, levels: &[u32], busy: &[u32]) -> Step {
    let i = NodeId::new(products[k]);
    let around = NodeId::new(facts.around[i].innermost);
    if !is_simple(around, nodes, facts, busy) {
        return no_step();
    }
    let counter = around.get() + 1;
    let left = i.plus(1);
    let right = i.plus(2);
    let counts_left = (nodes.kind[left] == Kind::Name) & (nodes.data[left] == counter);
    let counts_right = (nodes.kind[right] == Kind::Name) & (nodes.data[right] == counter);
    let factor = if counts_left { right } else { left };
    if !(counts_left | counts_right) || !is_still(factor, nodes, levels) {
        return no_step();
    }
    // A product is below an expression, so there are nodes before it and after it.
    let depth = nodes.depth[i];
    let before = NodeId::new(i.get() - 1);
    let is_left = (nodes.kind[before] == Kind::Add) & (nodes.depth[before] + 1 == depth);
    let root = if is_left { before } else { NodeId::new(i.get() - 2) };
    let leaf = if is_left { i.plus(3) } else { before };
    let is_sum = (nodes.kind[root] == Kind::Add) & (nodes.ty[root] == Type::Int) & (nodes.depth[root] + 1 == depth);
    let is_operand = leaf.index() < nodes.kind.len() && nodes.depth[leaf] == depth && is_still(leaf, nodes, levels);
    if is_sum && is_operand {
        return Step { node: root.get(), around: around.get(), step: factor.get(), start: leaf.get() };
    }
    if nodes.kind[factor] == Kind::Literal {
        return no_step();
    }
    Step { node: i.get(), around: around.get(), step: factor.get(), start: NO_NODE }
}

#[device(compact)]
fn is_known(s: StepId, steps: &Steps) -> bool {
    steps.node[s] != NO_NODE
}

#[device(compact)]
fn reads_counter(i: NodeId, nodes: &Nodes) -> bool {
    is_counter(i, nodes)
}

/// Returns the counter that a node reads, and 1.
#[device(accumulate)]
fn read(k: usize, reads: &[u32], nodes: &Nodes) -> (u32, u32) {
    (nodes.data[NodeId::new(reads[k])], 1)
}

/// Returns the counter of a value, and 1 less for its read of the counter.
#[device(accumulate)]
fn read_less(s: StepId, steps: &Steps) -> (u32, u32) {
    (steps.around[s] + 1, u32::MAX)
}

/// Returns whether a value becomes a variable: its counter has other reads.
#[device(compact)]
fn is_replaced(s: StepId, steps: &Steps, reads: &[u32]) -> bool {
    reads[steps.around[s] as usize + 1] != 0
}

#[device(map)]
fn kept_step(k: usize, kept: &[u32], steps: &Steps) -> Step {
    let s = StepId::new(kept[k]);
    Step { node: steps.node[s], around: steps.around[s], step: steps.step[s], start: steps.start[s] }
}

/// Returns the values that become variables.
pub fn steps<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    facts: &Facts<B>,
    levels: &B::Vec<u32>,
    busy: &B::Vec<u32>,
    products: &B::Vec<u32>,
) -> Result<Steps<B>> {
    let all: Steps<B> = backend.map(step::of(products, nodes, facts, levels, busy))?;
    let known = backend.compact(is_known::of(&all).rows(all.len()))?;
    let all: Steps<B> = backend.map(kept_step::of(&known, &all))?;
    let found = backend.compact(reads_counter::of(nodes).rows(nodes.len()))?;
    let mut reads = backend.filled(nodes.len(), 0u32)?;
    backend.accumulate(&mut reads, read::of(&found, nodes).rows(found.len()))?;
    backend.accumulate(&mut reads, read_less::of(&all).rows(all.len()))?;
    let kept = backend.compact(is_replaced::of(&all, &reads).rows(all.len()))?;
    backend.map(kept_step::of(&kept, &all))
}

/// Returns a number for a leaf: the kind and the data, or all bits for none.
#[device]
fn leaf_key(i: u32, nodes: &Nodes) -> u64 {
    if i == NO_NODE {
        return u64::MAX;
    }
    let leaf = NodeId::new(i);
    (nodes.kind[leaf].code() as u64) << 32 | nodes.data[leaf] as u64
}

/// Returns a hash of a value and its loop.
#[device(intern)]
fn name(s: StepId, steps: &Steps, nodes: &Nodes) -> u64 {
    let own = mixed(leaf_key(steps.step[s], nodes) ^ mixed(steps.around[s] as u64));
    mixed(own.wrapping_mul(3) ^ leaf_key(steps.start[s], nodes))
}

/// Returns 1 for a value that has the hash of another one.
#[device(reduce(Sum))]
fn differs(s: StepId, steps: &Steps, nodes: &Nodes, first: &[u32]) -> u32 {
    let other = StepId::new(first[s.index()]);
    let is_same = (steps.around[s] == steps.around[other])
        & (leaf_key(steps.step[s], nodes) == leaf_key(steps.step[other], nodes))
        & (leaf_key(steps.start[s], nodes) == leaf_key(steps.start[other], nodes));
    !is_same as u32
}

#[device(map)]
fn itself(s: u32) -> u32 {
    s
}

#[device(compact)]
fn is_first(s: usize, first: &[u32]) -> bool {
    first[s] == s as u32
}

/// Returns the index of a first value that is the first of its loop, else 0.
#[device(scan(Max))]
fn begin(k: usize, firsts: &[u32], steps: &Steps) -> u32 {
    let own = steps.around[StepId::new(firsts[k])];
    if k > 0 && steps.around[StepId::new(firsts[k - 1])] == own { 0 } else { k as u32 }
}

#[device(compact)]
fn is_among_most(k: usize, begins: &[u32]) -> bool {
    k as u32 - begins[k] < MOST
}

#[device(map)]
fn gathered(c: usize, chosen: &[u32], firsts: &[u32]) -> u32 {
    firsts[chosen[c] as usize]
}

/// The values that get variables.
pub struct Chosen<B: Backend> {
    /// The first value that equals each value.
    pub first: B::Vec<u32>,
    /// The first values that get a variable, in preorder.
    pub values: B::Vec<u32>,
}

/// Returns which values share a variable, and which get one.
pub fn chosen<B: Backend>(backend: &B, nodes: &Nodes<B>, steps: &Steps<B>) -> Result<Chosen<B>> {
    let count = steps.len();
    let mut first = backend.intern(name::of(steps, nodes).rows(count))?;
    if backend.reduce(differs::of(steps, nodes, &first).rows(count), Sum)? > 0 {
        first = backend.map(itself::of().rows(count))?;
    }
    let firsts = backend.compact(is_first::of(&first))?;
    let (begins, _) = backend.scan_later(ScanKind::Inclusive, begin::of(&firsts, steps).rows(firsts.len()), Max)?;
    let kept = backend.compact(is_among_most::of(&begins))?;
    let values = backend.map(gathered::of(&kept, &firsts))?;
    Ok(Chosen { first, values })
}
