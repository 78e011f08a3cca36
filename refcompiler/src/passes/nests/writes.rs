//! The writes of variables, and the loops in which a variable does not change.
//!
//! ```text
//! while .. {          level 0
//!     a = ..          a write of a
//!     while .. {      level 1
//!         .. a ..     the loop of level 0 contains a write of a, the loop of level 1 does not: a changes at 1
//! ```
//!
//! Writes are sorted by variable and position, so one search finds whether the innermost loop around a read contains one. Few reads are
//! left without. Loops nest, so the loops around them that contain a write are the outer ones. The innermost of them contains the write
//! before or the write after the read, or the declaration.
//!
//! A variable that a function writes which did not declare it can change at each call of a nested function. Other variables cannot: a
//! function that a loop calls has variables of its own, even if it is the same function.

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::{Around, Facts, Loops, loop_around};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// The variable of calls of nested functions.
const CALLS: u32 = u32::MAX;

/// The level of a value that cannot move.
pub const FIXED: u32 = u32::MAX;

#[device(compact)]
fn is_nested(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Function) & (nodes.depth[i] > 0)
}

#[device(map)]
fn id(f: usize, found: &[u32], nodes: &Nodes) -> u32 {
    nodes.data[NodeId::new(found[f])]
}

/// Returns whether a function is one of some, which are sorted.
#[device]
fn is_one_of(id: u32, ids: &[u32]) -> bool {
    let mut low = 0usize;
    let mut high = ids.len();
    while low < high {
        let middle = (low + high) / 2;
        if ids[middle] < id {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low < ids.len() && ids[low] == id
}

#[device(compact)]
fn writes(i: NodeId, nodes: &Nodes, nested: &[u32]) -> bool {
    let kind = nodes.kind[i];
    let is_write = (kind == Kind::Assign) | (kind == Kind::Address);
    is_write || (kind == Kind::Call && is_one_of(nodes.data[i], nested))
}

/// Returns the variable of a write.
#[device]
fn variable(i: NodeId, nodes: &Nodes) -> u32 {
    if nodes.kind[i] == Kind::Call { CALLS } else { nodes.data[i] }
}

#[device(map)]
fn key(w: usize, found: &[u32], nodes: &Nodes) -> u64 {
    let i = NodeId::new(found[w]);
    (variable(i, nodes) as u64) << 32 | i.get() as u64
}

/// Returns the variable of a write, and 1 if the write is in another function than its declaration.
#[device(accumulate)]
fn foreign(w: usize, found: &[u32], nodes: &Nodes, around: &[Around]) -> (u32, u32) {
    let i = NodeId::new(found[w]);
    let of = variable(i, nodes);
    if of == CALLS {
        return (NO_NODE, 0);
    }
    (of, (around[i.index()].function != around[of as usize].function) as u32)
}

/// Returns the variable and the position of each write, in order, and how many writes of each node's variable are in another function than
/// its declaration.
pub fn writes_of<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    around: &B::Vec<Around>,
) -> Result<(B::Vec<u64>, B::Vec<u32>)> {
    let n = nodes.len();
    let nested = backend.compact(is_nested::of(nodes).rows(n))?;
    let ids = backend.map(id::of(&nested, nodes).rows(nested.len()))?;
    let (nested, _) = backend.sort_by_key(&ids, &nested)?;
    let found = backend.compact(writes::of(nodes, &nested).rows(n))?;
    let mut foreign_writes = backend.filled(n, 0u32)?;
    backend.accumulate(&mut foreign_writes, foreign::of(&found, nodes, around).rows(found.len()))?;
    let keys = backend.map(key::of(&found, nodes).rows(found.len()))?;
    let (keys, _) = backend.sort_by_key(&keys, &found)?;
    Ok((keys, foreign_writes))
}

/// Returns the index of the first write of a variable at a node or after it, if there is one.
#[device]
fn first_write(variable: u32, node: u32, keys: &[u64]) -> usize {
    let key = (variable as u64) << 32 | node as u64;
    let mut first = 0usize;
    let mut last = keys.len();
    while first < last {
        let middle = (first + last) / 2;
        if keys[middle] < key {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    first
}

/// Returns whether a loop contains a write of a variable after its declaration.
#[device]
fn has_write(variable: u32, around: NodeId, keys: &[u64], end: u32) -> bool {
    let first = first_write(variable, around.get(), keys);
    first < keys.len() && keys[first] < ((variable as u64) << 32 | end as u64)
}

/// Returns whether a node reads a variable that the innermost loop around it does not change.
#[device(compact)]
fn is_still(i: NodeId, nodes: &Nodes, facts: &Facts, keys: &[u64]) -> bool {
    if !nodes.kind[i].is_read() {
        return false;
    }
    let around = NodeId::new(facts.around[i].innermost);
    if around.is_none() {
        return false;
    }
    let variable = nodes.data[i];
    let end = facts.end[around];
    if contains(around.get(), variable, end) || has_write(variable, around, keys, end) {
        return false;
    }
    facts.foreign[NodeId::new(variable)] == 0 || !has_write(CALLS, around, keys, end)
}

/// Returns whether a node is in the subtree of a loop.
#[device]
fn contains(around: u32, node: u32, end: u32) -> bool {
    (around < node) & (node < end)
}

/// Returns how many of the loops around a node contain a write of a variable, or its declaration. `low` are known to, besides those
/// around the function, and the innermost does not.
#[device]
fn changing(variable: u32, node: NodeId, low: u32, keys: &[u64], loops: &Loops, facts: &Facts) -> u32 {
    let next = first_write(variable, node.get(), keys);
    let is_before = next > 0 && (keys[next - 1] >> 32) as u32 == variable;
    let is_after = next < keys.len() && (keys[next] >> 32) as u32 == variable;
    let before = if is_before { keys[next - 1] as u32 } else { NO_NODE };
    let after = if is_after { keys[next] as u32 } else { NO_NODE };
    let mut least = low;
    let mut most = facts.around[node].level - 1;
    while least < most {
        let middle = (least + most) / 2;
        let around = loop_around(node.get(), middle, loops);
        let end = facts.end[NodeId::new(around)];
        let is_changed = contains(around, before, end) | contains(around, after, end);
        if is_changed | contains(around, variable, end) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    least
}

/// Returns one more than the number of loops around a read that can change its variable.
#[device(map)]
fn level(s: usize, still: &[u32], nodes: &Nodes, facts: &Facts, loops: &Loops, keys: &[u64]) -> u32 {
    let i = NodeId::new(still[s]);
    let variable = nodes.data[i];
    let own = changing(variable, i, facts.around[i].base, keys, loops, facts);
    1 + if facts.foreign[NodeId::new(variable)] == 0 { own } else { changing(CALLS, i, own, keys, loops, facts) }
}

/// Returns the level of each read of a variable: one more than the number of loops around it that can change the variable, where those
/// outside its function count. Other nodes, and reads that the innermost loop can change, have [`FIXED`].
pub fn levels<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    facts: &Facts<B>,
    loops: &Loops<B>,
    keys: &B::Vec<u64>,
) -> Result<B::Vec<u32>> {
    let still = backend.compact(is_still::of(nodes, facts, keys).rows(nodes.len()))?;
    let of_reads = backend.map(level::of(&still, nodes, facts, loops, keys).rows(still.len()))?;
    let mut levels = backend.filled(nodes.len(), FIXED)?;
    backend.scatter(&mut levels, &still, &of_reads)?;
    Ok(levels)
}
