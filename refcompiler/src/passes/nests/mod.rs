//! The loops around nodes.
//!
//! A node is in a loop if it is evaluated in each iteration: in the condition or the body of a `while`, in the body of a `for`. The head of
//! a `for` is evaluated once, so it is not.
//!
//! Loops are sorted by the number of loops around them, their *level*, and then by the position where they begin. Loops of one level do not
//! overlap, so the one around a node is found by a binary search.

pub mod writes;

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// The loops and the function around a node.
#[device]
pub struct Around {
    /// The number of loops that a node is in, also outside its function.
    pub level: u32,
    /// The number of loops around its function.
    pub base: u32,
    /// The function around it.
    pub function: u32,
    /// 1 in a part of a conditional expression, up to the next block.
    pub is_choice: u32,
    /// The innermost loop in its function, [`NO_NODE`] if there is none.
    pub innermost: u32,
}

/// The facts about nodes.
#[device(columns(Facts, index = NodeId))]
pub struct Fact {
    /// The end of the subtree.
    pub end: u32,
    /// The loops and the function around it.
    pub around: Around,
    /// The number of writes of its variable in another function than the declaration.
    pub foreign: u32,
}

/// An index of a loop, in the order of levels.
#[device(index)]
pub struct LoopId(u32);

/// A loop.
#[device(columns(Loops, index = LoopId))]
pub struct Loop {
    /// The node.
    pub node: u32,
    /// The number of loops around it, and the node with which an iteration begins.
    pub key: u64,
}

/// No function is around a root.
const OUTSIDE: Around = Around { level: 0, base: 0, function: NO_NODE, is_choice: 0, innermost: NO_NODE };

#[device(compact)]
fn is_loop(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_loop()
}

#[device(walk_down)]
fn around(i: NodeId, above: Around, kinds: &[Kind], parents: &[u32]) -> Around {
    let kind = kinds[i.index()];
    let parent = parents[i.index()];
    let mut level = above.level;
    let mut is_choice = above.is_choice;
    let mut innermost = above.innermost;
    if parent != NO_NODE {
        let above_kind = kinds[parent as usize];
        if above_kind == Kind::While || (above_kind == Kind::For && kind == Kind::Block) {
            level += 1;
            innermost = parent;
        }
    }
    if kind.is_part() {
        is_choice = 1;
    } else if kind == Kind::Block {
        is_choice = 0;
    }
    if kind.is_function() {
        return Around { level, base: level, function: i.get(), is_choice, innermost: NO_NODE };
    }
    Around { level, base: above.base, function: above.function, is_choice, innermost }
}

/// Returns the key by which a loop is sorted.
#[device(map)]
fn key(l: usize, found: &[u32], nodes: &Nodes, end: &[u32], around: &[Around]) -> u64 {
    let node = found[l];
    let start = if nodes.kind[NodeId::new(node)] == Kind::While { node + 1 } else { end[(node + 1) as usize] };
    (around[node as usize].level as u64) << 32 | start as u64
}

/// Returns the loop of a level around a node. There is one.
#[device]
pub fn loop_around(node: u32, level: u32, loops: &Loops) -> u32 {
    let bound = (level as u64) << 32 | node as u64;
    let mut low = 0u32;
    let mut high = loops.node.len() as u32;
    // The first loop that comes after the node's.
    while low < high {
        let middle = (low + high) / 2;
        if loops.key[LoopId::new(middle)] <= bound {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    loops.node[LoopId::new(low - 1)]
}

/// Returns a number in which each bit of `x` matters for many bits.
#[device]
pub fn mixed(x: u64) -> u64 {
    let a = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let b = (a ^ (a >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    b ^ (b >> 33)
}

/// The loops and their nests.
pub struct Nests<B: Backend> {
    /// The loops.
    pub loops: Loops<B>,
    /// The end of the subtree of each node.
    pub end: B::Vec<u32>,
    /// The loops and the function around each node.
    pub around: B::Vec<Around>,
}

/// Returns the loops and their nests, if there are loops.
pub fn nests<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<Option<Nests<B>>> {
    let found = backend.compact(is_loop::of(nodes).rows(nodes.len()))?;
    if found.is_empty() {
        return Ok(None);
    }
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let around = backend.walk_down(&parents, OUTSIDE, around::of(&nodes.kind, parents.column()))?;
    let keys = backend.map(key::of(&found, nodes, &end, &around).rows(found.len()))?;
    let (key, node) = backend.sort_by_key(&keys, &found)?;
    Ok(Some(Nests { loops: Loops { node, key }, end, around }))
}
