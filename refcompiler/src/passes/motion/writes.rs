//! The writes of variables, and the loops in which a variable does not change.
//!
//! ```text
//! while .. {          level 0
//!     a = ..          a write of a
//!     while .. {      level 1
//!         .. a ..     the loop of level 0 contains a write of a, the loop of level 1 does not: a changes at 1
//! ```
//!
//! Loops nest, so the loops around a read that contain a write are the outer ones. The innermost of them contains the write before or
//! the write after the read. Writes are sorted by variable and position, so two searches find these.
//!
//! A variable that a function writes which did not declare it can change at each call of a nested function. Other variables cannot: a
//! function that a loop calls has variables of its own, even if it is the same function.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::loops::{Around, Loops, loop_around};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// The variable of calls of nested functions.
const CALLS: u32 = u32::MAX;

/// The writes of variables.
pub struct Writes<B: Backend> {
    /// The variable and the position of each write, in order.
    pub keys: B::Vec<u64>,
    /// How many writes of each node's variable are in another function than its declaration.
    pub foreign: B::Vec<u32>,
}

/// Returns whether a node writes a variable: it declares or assigns it, or gives its address away.
#[device]
fn is_write(kind: Kind) -> bool {
    (kind == Kind::Assign) | (kind == Kind::Address) | kind.is_declaration()
}

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
    is_write(kind) || (kind == Kind::Call && is_one_of(nodes.data[i], nested))
}

/// Returns the variable of a write.
#[device]
fn variable(i: NodeId, nodes: &Nodes) -> u32 {
    let kind = nodes.kind[i];
    if kind == Kind::Call {
        return CALLS;
    }
    if kind.is_declaration() { i.get() } else { nodes.data[i] }
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
        return (i.get(), 0);
    }
    (of, (around[i.index()].function != around[of as usize].function) as u32)
}

/// Returns the writes of variables.
pub fn writes_of<B: Backend>(backend: &B, nodes: &Nodes<B>, around: &B::Vec<Around>) -> Result<Writes<B>> {
    let n = nodes.len();
    let nested = backend.compact(is_nested::of(nodes).rows(n))?;
    let ids = backend.map(id::of(&nested, nodes).rows(nested.len()))?;
    let (nested, _) = backend.sort_by_key(&ids, &nested)?;
    let found = backend.compact(writes::of(nodes, &nested).rows(n))?;
    let mut foreign_writes = backend.filled(n, 0u32)?;
    backend.accumulate(&mut foreign_writes, foreign::of(&found, nodes, around).rows(found.len()))?;
    let keys = backend.map(key::of(&found, nodes).rows(found.len()))?;
    let (keys, _) = backend.sort_by_key(&keys, &found)?;
    Ok(Writes { keys, foreign: foreign_writes })
}

/// Returns how many of the loops around a node contain the node of a write. `low` are known to, besides those around the function.
#[device]
fn shared_loops(node: u32, write: u32, low: u32, high: u32, loops: &Loops, end: &[u32]) -> u32 {
    let mut least = low;
    let mut most = high;
    while least < most {
        let middle = (least + most) / 2;
        let around = loop_around(node, middle, loops);
        if (around < write) & (write < end[around as usize]) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    least
}

/// Returns how many of the loops around a node contain a write of a variable, besides those around the function, which are `low`.
#[device]
fn changing(variable: u32, node: u32, low: u32, high: u32, keys: &[u64], loops: &Loops, end: &[u32]) -> u32 {
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
    let mut level = low;
    if first > 0 && (keys[first - 1] >> 32) as u32 == variable {
        level = shared_loops(node, keys[first - 1] as u32, level, high, loops, end);
    }
    if first < keys.len() && (keys[first] >> 32) as u32 == variable {
        level = shared_loops(node, keys[first] as u32, level, high, loops, end);
    }
    level
}

/// Returns how many of the loops around a read of a variable can change it. Those outside its function count.
#[device]
pub fn level_of_read(
    i: NodeId,
    nodes: &Nodes,
    around: &[Around],
    loops: &Loops,
    keys: &[u64],
    foreign: &[u32],
    end: &[u32],
) -> u32 {
    let here = around[i.index()];
    let high = here.level;
    let of = nodes.data[i];
    let own = changing(of, i.get(), here.base, high, keys, loops, end);
    if foreign[of as usize] == 0 { own } else { changing(CALLS, i.get(), own, high, keys, loops, end) }
}
