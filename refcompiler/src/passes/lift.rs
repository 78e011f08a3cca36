//! Function lifting: nested functions become roots (Key paper, section 4.1).
//!
//! ```text
//! before   main( header  block( x=  inner( header  block( x ) )  inner[] ) )
//! after    main( header  block( x=  inner[] ) )    inner( header  block( x ) )
//! hops                              1 (inner's link is main's frame)     1 (x is one frame out)
//! ```
//!
//! Nodes are grouped by their function, with their order kept. This is Key, on runs of nodes rather than nodes, since
//! a nested function interrupts the function around it in few positions. Nothing remains where a nested function was:
//! its declaration does nothing at run time. The column `hops` of [`Lifted`] counts static links between frames. A
//! forest without nested functions does not change.
//!
//! Cost: work O(n), plus a sort of the runs.
//! Source: Key paper, section 4.1. A test shows that this equals treepar's `key::lift`.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{is_function, is_variable, kind};
use crate::ir::nodes::{Lifted, Nodes, Structure};

/// The function around a node, and how many functions are around that function.
#[device]
pub struct Scope {
    /// The function's node. The scope of a function's own node is that function.
    pub function: u32,
    /// The nesting level, 0 at top level.
    pub level: u32,
}

#[device(reduce(Sum))]
fn nested(i: usize, kind: &[u8], depth: &[u32]) -> u32 {
    (kind[i] == kind::FUNCTION && depth[i] > 0) as u32
}

/// The scope around a root. The root's level is one more, which wraps to 0.
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

/// Returns the first node of run `order[i]`, and the length of the run.
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

/// Returns the id and the nesting level of a function.
#[device(map)]
fn level_of_function(i: usize, functions: &[u32], data: &[u32], scope: &[Scope]) -> (u32, u32) {
    let node = functions[i] as usize;
    (data[node], scope[node].level)
}

#[device(compact)]
fn function_node(i: usize, kind: &[u8]) -> bool {
    is_function(kind[i])
}

/// Returns the node at position `i` after lifting: depth, kind, type, data, hops.
#[device(map)]
fn lifted(
    i: usize,
    node: &[u32],
    position: &[u32],
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
    if is_variable(k) {
        hops = here.level - scope[target as usize].level;
        target = position[target as usize];
    }
    if k == kind::CALL && level[target as usize] > 0 {
        hops = here.level + 2 - level[target as usize];
    }
    if k == kind::FUNCTION {
        hops = here.level;
    }
    (depth[old] - depth[here.function as usize], k, ty[old], target, hops)
}

/// Moves nested functions out of the functions around them. `functions` is the length of the function table.
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
    let mut position = backend.allocate(n)?;
    let iota = backend.map(index_u32::of().rows(n))?;
    backend.scatter(&mut position, &node, &iota)?;

    let heads = backend.compact(function_node::of(&nodes.kind))?;
    let (ids, levels) = backend.map(level_of_function::of(&heads, &nodes.data, &scope))?;
    let mut level = backend.filled(functions, 0u32)?;
    backend.scatter(&mut level, &ids, &levels)?;

    let Nodes { depth, kind, ty, data } = &nodes;
    let (depth, kind, ty, data, hops) =
        backend.map(lifted::of(&node, &position, depth, kind, ty, data, &scope, &level))?;
    let structure =
        Structure { parent: backend.previous_smaller(&depth)?, end: backend.next_smaller_or_equal(&depth)? };
    Ok(Lifted { nodes: Nodes { depth, kind, ty, data }, structure, hops })
}
