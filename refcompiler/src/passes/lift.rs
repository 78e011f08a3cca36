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

use treepar::backend::{Offsets, ScanKind};
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::{Lifted, Node, NodeId, Nodes, Structure};
use crate::ir::positions::Positions;

/// The function around a node, and how many functions are around that function.
#[device]
pub struct Scope {
    /// The function's node. The scope of a function's own node is that function.
    pub function: u32,
    /// The nesting level, 0 at top level.
    pub level: u32,
}

#[device(reduce(Sum))]
fn nested(i: NodeId, nodes: &Nodes) -> u32 {
    (nodes.kind[i] == Kind::Function && nodes.depth[i] > 0) as u32
}

/// The scope around a root. The root's level is one more, which wraps to 0.
const OUTSIDE: Scope = Scope { function: u32::MAX, level: u32::MAX };

#[device(walk_down)]
fn scope(i: NodeId, parent: Scope, kinds: &[Kind]) -> Scope {
    if kinds[i.index()].is_function() {
        Scope { function: i.get(), level: parent.level.wrapping_add(1) }
    } else {
        parent
    }
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
fn level_of_function(i: usize, functions: &[u32], nodes: &Nodes, scope: &[Scope]) -> (u32, u32) {
    let node = NodeId::new(functions[i]);
    (nodes.data[node], scope[node.index()].level)
}

#[device(compact)]
fn function_node(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::Function
}

/// Returns the node at position `i` after lifting.
#[device(map)]
fn lifted(i: usize, node: &[u32], position: &[u32], nodes: &Nodes, scope: &[Scope]) -> Node {
    let old = NodeId::new(node[i]);
    let kind = nodes.kind[old];
    let data = nodes.data[old];
    Node {
        depth: nodes.depth[old] - nodes.depth[NodeId::new(scope[old.index()].function)],
        kind,
        ty: nodes.ty[old],
        data: if kind.is_variable() { position[data as usize] } else { data },
    }
}

/// Returns the static links of the node at position `i` after lifting. `level` is the level of each function by id.
#[device(map)]
fn hops(i: usize, node: &[u32], nodes: &Nodes, scope: &[Scope], level: &[u32]) -> u32 {
    let old = NodeId::new(node[i]);
    let kind = nodes.kind[old];
    let data = nodes.data[old] as usize;
    let here = scope[old.index()].level;
    if kind.is_variable() {
        return here - scope[data].level;
    }
    if kind == Kind::Call && level[data] > 0 {
        return here + 2 - level[data];
    }
    if kind == Kind::Function { here } else { 0 }
}

/// Moves nested functions out of the functions around them. `functions` is the length of the function table.
pub fn lift<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    shape: Structure<B>,
    functions: usize,
    positions: &mut Positions<B>,
) -> Result<Lifted<B>> {
    let n = nodes.len();
    if backend.reduce(nested::of(&nodes), Sum)? == 0 {
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
    let (offsets, _) = backend.scan_later(ScanKind::Exclusive, &lengths, Sum)?;
    let node = backend.expand_from(&Offsets::assume(backend, &offsets, n)?, node_of_run::of(&starts))?;
    positions.follow(backend, || node.try_clone())?;
    let mut position = backend.allocate(n)?;
    let iota = backend.map(index_u32::of().rows(n))?;
    backend.scatter(&mut position, &node, &iota)?;

    let heads = backend.compact(function_node::of(&nodes))?;
    let (ids, levels) = backend.map(level_of_function::of(&heads, &nodes, &scope))?;
    let mut level = backend.filled(functions, 0u32)?;
    backend.scatter(&mut level, &ids, &levels)?;

    let hops = backend.map(hops::of(&node, &nodes, &scope, &level).rows(n))?;
    let nodes = backend.map(lifted::of(&node, &position, &nodes, &scope).rows(n))?;
    let (parent, end) = backend.nearest_smaller(&nodes.depth)?;
    Ok(Lifted { nodes, structure: Structure { parent, end }, hops })
}
