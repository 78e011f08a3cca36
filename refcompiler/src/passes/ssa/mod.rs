//! Static single assignment: each read of a variable names the definition whose value it reads.
//!
//! ```text
//! before   x = 1    while x < n         { if c { x = 2        } }
//! after    x0 = 1   while x1 < n        { if c { x2 = 2       } x3 }
//!                   x1 = (x0, x3)              x3 = (x2, x1)
//!                   HEAD                       PHI
//! ```
//!
//! A loop or branch that assigns a variable from outside it *merges* two values. A merge is a node: a HEAD at the start of a
//! loop, a PHI at the end of a branch. `merges` finds them. `values` puts all events of a variable in order by one sort:
//! definitions, reads, and three points of each merge. The value that reaches an event is that of the event before it.
//! `tree` adds the merges to the nodes.
//!
//! Some variables stay in memory, and their nodes do not change: those that a nested function uses too, those whose address is
//! taken, and those whose scope is larger than the part of a branch or loop that declares them, such as `x` in
//! `while (var x = f[]) > 0 { .. }`.
//!
//! A `return` needs no merge. The value of the branch that ends with it reaches a PHI, but control does not.
//!
//! Cost: n nodes, a assignments, m merges: work O(n + a log² n + m log n), four sorts, and log h rounds of pointer jumping for h
//! nested branches. Each round waits for one number.
//! Source: Cytron et al. 1991 for the form. With structured control the merges follow from the tree (Brandis and Mössenböck
//! 1994).

pub(in crate::passes) mod merges;
mod tree;
pub(in crate::passes) mod values;

use treepar::device::device;
use treepar::{Backend, Error, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::{Lifted, NodeId, Nodes, Structure};
use merges::merges;
use tree::renamed;
use values::values;

/// No node.
const NONE: u32 = u32::MAX;
/// The most nodes: sorts have 30 bits for a variable, and 34 bits for a position.
const MOST_NODES: u64 = 1 << 30;

/// The loops and branches around a node.
#[device]
pub struct Nesting {
    /// The number of loops that the node is in, and of branches that it is in. The condition of a WHILE is in the loop, the
    /// first part of any other statement in none.
    pub level: u32,
    /// The level of the innermost block around.
    pub block: u32,
}

#[device(walk_down)]
fn nesting(i: NodeId, above: Nesting, kinds: &[Kind], parents: &[u32]) -> Nesting {
    let parent = parents[i.index()];
    if parent == NONE {
        return above;
    }
    let kind = kinds[parent as usize];
    let is_part = kind.is_control() & ((kind == Kind::While) | (i.get() != parent + 1));
    let level = above.level + is_part as u32;
    Nesting { level, block: if kinds[i.index()] == Kind::Block { level } else { above.block } }
}

/// Returns the loops and branches around each node.
pub(in crate::passes) fn nestings<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    structure: &Structure<B>,
) -> Result<B::Vec<Nesting>> {
    let top = Nesting { level: 0, block: 0 };
    backend.walk_down(&structure.parent, top, nesting::of(&nodes.kind, structure.parent.column()))
}

/// Returns 1 for a declaration whose scope is larger than the part that declares it.
#[device(map)]
fn escapes(i: NodeId, nodes: &Nodes, nesting: &[Nesting]) -> u32 {
    let around = nesting[i.index()];
    (nodes.kind[i] == Kind::Declare && around.level != around.block) as u32
}

/// Returns whether node `i` accesses a variable of another function, or takes the address of one.
#[device(compact)]
fn reaches_out(i: NodeId, nodes: &Nodes, hops: &[u32]) -> bool {
    nodes.kind[i].is_variable() & ((hops[i.index()] > 0) | (nodes.kind[i] == Kind::Address))
}

/// Returns the declaration of access `k`, and 1.
#[device(accumulate)]
fn accessed(k: usize, accesses: &[u32], nodes: &Nodes) -> (u32, u32) {
    (nodes.data[NodeId::new(accesses[k])], 1)
}

/// Returns for each declaration how many reasons its variable has to stay in memory.
pub(in crate::passes) fn in_memory<B: Backend>(
    backend: &B,
    lifted: &Lifted<B>,
    nesting: &B::Vec<Nesting>,
) -> Result<B::Vec<u32>> {
    let mut memory = backend.map(escapes::of(&lifted.nodes, nesting))?;
    let accesses = backend.compact(reaches_out::of(&lifted.nodes, &lifted.hops))?;
    backend.accumulate(&mut memory, accessed::of(&accesses, &lifted.nodes))?;
    Ok(memory)
}

/// Returns whether the node is an event of its variable: a declaration, an assignment or a read, of a variable that does not stay
/// in memory.
#[device]
fn is_event(i: NodeId, nodes: &Nodes, memory: &[u32]) -> bool {
    let kind = nodes.kind[i];
    let declares = (kind == Kind::Param) | kind.is_declaration();
    let variable = if kind.is_variable() { nodes.data[i] } else { i.get() };
    (declares | kind.is_variable()) && memory[variable as usize] == 0
}

/// Returns the program in static single assignment form.
///
/// # Errors
/// [`TooManyRows`](Error::TooManyRows) for more than 2^30 nodes.
pub fn ssa<B: Backend>(backend: &B, lifted: &Lifted<B>) -> Result<Lifted<B>> {
    let (found, limit) = (lifted.nodes.len() as u64, MOST_NODES);
    if found > limit {
        return Err(Error::TooManyRows { array: "nodes", found, limit });
    }
    let Lifted { nodes, structure, .. } = lifted;
    let nesting = nestings(backend, nodes, structure)?;
    let memory = in_memory(backend, lifted, &nesting)?;
    let merges = merges(backend, lifted, &nesting, &memory)?;
    let definitions = values(backend, lifted, &memory, &merges)?.definitions;
    renamed(backend, lifted, &merges, &definitions)
}
