//! Function lifting: nested functions become roots (Key paper, section 4.1).
//!
//! ```text
//! before   main( header  block( x=  inner( header  block( x ) )  inner[] ) )
//! after    main( header  block( x=  inner[] ) )    inner( header  block( x ) )
//! hops                              1 (inner's link is main's frame)     1 (x stands one frame out)
//! ```
//!
//! Nodes are grouped by the function that holds them: Key, on runs of nodes rather than nodes, since each function
//! interrupts the one around it in few places. The order inside a function stays. Where a nested function stood,
//! nothing remains: a declaration does nothing when control passes it. The static link that a nested function needs
//! to reach variables around it is counted here: `hops` of a name is the number of frames to go out, of a call 0 for
//! a function that needs no link, 1 where its link is the caller's own frame, and h + 1 where it is the frame h
//! links out; of a function it is the number of functions around it. A forest without nested functions passes unchanged.
//!
//! Cost: work O(n), plus a sort of the runs.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

use super::Nodes;
use super::structure::{Structure, structure};
use crate::tree::kind;

/// The function around a node, and how many functions are around that.
#[device]
pub struct Scope {
    /// The function's node; itself for a function.
    pub function: u32,
    /// 0 for a function at top level.
    pub level: u32,
}

#[device]
fn is_function(kind: u8) -> bool {
    kind == kind::FUNCTION || kind == kind::EXTERN
}

#[device(reduce(Sum))]
fn nested(i: usize, kind: &[u8], depth: &[u32]) -> u32 {
    (kind[i] == kind::FUNCTION && depth[i] > 0) as u32
}

/// Before a root: its level is one more than this, which wraps to 0.
const OUTSIDE: Scope = Scope { function: u32::MAX, level: u32::MAX };

#[device(walk_down)]
fn scope(i: usize, parent: Scope, kind: &[u8]) -> Scope {
    if is_function(kind[i]) { Scope { function: i as u32, level: parent.level.wrapping_add(1) } } else { parent }
}

#[device(compact)]
fn starts_run(i: usize, scope: &[Scope]) -> bool {
    i == 0 || scope[i].function != scope[i - 1].function
}

#[device(map)]
fn function_of_run(run: usize, runs: &[u32], scope: &[Scope]) -> u32 {
    scope[runs[run] as usize].function
}

/// The first node of run `order[i]`, and its length.
#[device(map)]
fn sorted_run(i: usize, order: &[u32], runs: &[u32], n: u32) -> (u32, u32) {
    let run = order[i] as usize;
    let end = if run + 1 < runs.len() { runs[run + 1] } else { n };
    (runs[run], end - runs[run])
}

#[device(expand)]
fn node_of_run(run: usize, k: usize, starts: &[u32]) -> u32 {
    starts[run] + k as u32
}

#[device(map)]
fn level_of_function(i: usize, functions: &[u32], data: &[u32], scope: &[Scope]) -> (u32, u32) {
    let node = functions[i] as usize;
    (data[node], scope[node].level)
}

#[device(compact)]
fn function_node(i: usize, kind: &[u8]) -> bool {
    is_function(kind[i])
}

/// The node that stands at `i` after lifting: depth, kind, type, data, hops.
#[device(map)]
fn lifted(
    i: usize,
    node: &[u32],
    place: &[u32],
    depth: &[u32],
    kind: &[u8],
    ty: &[u8],
    data: &[u32],
    scope: &[Scope],
    level: &[u32],
) -> (u32, u8, u8, u32, u32) {
    let old = node[i] as usize;
    let here = scope[old];
    let k = kind[old];
    let mut target = data[old];
    let mut hops = 0u32;
    if k == kind::NAME || k == kind::ASSIGN {
        hops = here.level - scope[target as usize].level;
        target = place[target as usize];
    }
    if k == kind::CALL && level[target as usize] > 0 {
        hops = here.level + 2 - level[target as usize];
    }
    if k == kind::FUNCTION {
        hops = here.level;
    }
    (depth[old] - depth[here.function as usize], k, ty[old], target, hops)
}

/// What lifting yields.
pub struct Lifted<B: Backend> {
    /// The nodes; every function is a root.
    pub nodes: Nodes<B>,
    /// Their shape.
    pub structure: Structure<B>,
    /// Links to follow; see above.
    pub hops: B::Vec<u32>,
}

/// Lifts nested functions out of the functions around them. `functions` is the length of the function table.
pub fn lift<B: Backend>(backend: &B, nodes: Nodes<B>, shape: Structure<B>, functions: usize) -> Result<Lifted<B>> {
    let n = nodes.kind.len();
    if backend.reduce(nested::of(&nodes.kind, &nodes.depth), Sum)? == 0 {
        return Ok(Lifted { nodes, structure: shape, hops: backend.filled(n, 0)? });
    }
    let scope = backend.walk_down(&shape.parent, OUTSIDE, scope::of(&nodes.kind))?;
    drop(shape);

    let runs = backend.compact(starts_run::of(&scope))?;
    let r = runs.len();
    let keys = backend.map(function_of_run::of(&runs, &scope))?;
    let iota = backend.map(index_u32::of().rows(r))?;
    let (_, order) = backend.sort_by_key(&keys, &iota)?;
    let (starts, lengths) = backend.map(sorted_run::of(&order, &runs, n as u32))?;
    let (offsets, _) = backend.scan(ScanKind::Exclusive, &lengths, Sum)?;
    let node = backend.expand(&offsets, n, node_of_run::of(&starts))?;
    let mut place = backend.allocate(n)?;
    let iota = backend.map(index_u32::of().rows(n))?;
    backend.scatter(&mut place, &node, &iota)?;

    let heads = backend.compact(function_node::of(&nodes.kind))?;
    let (ids, levels) = backend.map(level_of_function::of(&heads, &nodes.data, &scope))?;
    let mut level = backend.filled(functions, 0u32)?;
    backend.scatter(&mut level, &ids, &levels)?;

    let (depth, kind, ty, data, hops) =
        backend.map(lifted::of(&node, &place, &nodes.depth, &nodes.kind, &nodes.ty, &nodes.data, &scope, &level))?;
    let structure = structure(backend, &depth)?;
    Ok(Lifted { nodes: Nodes { depth, kind, ty, data }, structure, hops })
}
