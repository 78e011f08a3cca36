//! Vertical fusion: a MULTILOOP that collects numbers becomes a part of the MULTILOOP that reads them.
//!
//! ```text
//! MULTILOOP INPUT a, INPUT (MULTILOOP INPUT b, INPUT c, check, LAMBDA { COLLECT READ b - READ c }), check,
//!   LAMBDA { COLLECT READ a * READ t }                    where t is the second input
//! becomes
//! MULTILOOP INPUT a, INPUT b, INPUT c, check, check, LAMBDA { COLLECT READ a * (READ b - READ c) }
//! ```
//!
//! The producer's inputs and checks take the place of the consumer's input, so all operands are evaluated and all checks made in the same
//! order as before. Its body takes the place of the READ. It stays apart from the operator and the guard of the consumer, so each yield can
//! consume: `sum[map[f, a]]` is a reduction whose mapped part is `f`. A chain of any length is fused at once.
//!
//! Refused, because the result would differ:
//!
//! | producer | reason |
//! |---|---|
//! | it has a guard, or is no COLLECT of numbers | it yields other elements than it reads, or more than one number each |
//! | its body has calls of functions of the program, accesses that are checked, or MULTILOOPs | what fails or prints must do so before the consumer begins. Only operators and functions of the runtime without effect move |
//! | up to the end of the consumer there is an assignment, an update, or a call of a nested function, which may have one | the body would read later values |
//! | its elements are bytes or shorts | they are shortened when they are stored |
//! | its rank is not that of the consumer, or its extent is not that of an input of numbers of its rank | the iterations are others |
//! | the consumer reads from the end | only its own inputs are read so |
//!
//! Positions: a node moves by how much its *container* moves, a body that moves or the program. One scan over all nodes yields the distance
//! of each node from the begin of its container, one walk up the nodes that a body has with all bodies in it, one walk down the moves.
//!
//! Cost: work O(n), a fixed number of templates.
//!
//! Source: L0 7, LMS 3.4. The operator of a fused reduction stays associative, unlike L0's rules for `reduce` and `scan`.

mod edges;
mod moves;

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use edges::{Edges, edges};
use moves::{Moves, moves};

/// Returns whether a node is the LAMBDA or the yield of a producer.
#[device]
fn is_body(i: NodeId, edges: &Edges) -> bool {
    let parent = NodeId::new(edges.parent[i]);
    !parent.is_none() && (edges.fused[parent] == 1 || edges.is_yield_of[i] == 1)
}

/// Returns the kind of a node.
#[device]
fn kind(i: NodeId, nodes: &Nodes, edges: &Edges) -> Kind {
    let kind = nodes.kind[i];
    if !is_body(i, edges) || !((kind == Kind::Lambda) | kind.is_yield()) {
        return kind;
    }
    let has_elements = edges.end[i.plus(1)] < edges.end[i];
    if (kind == Kind::Lambda) & has_elements { Kind::Sequence } else { Kind::Ascribe }
}

/// Returns the new index of node `i`, its depth, kind, type and data.
#[device(map)]
fn moved(i: NodeId, nodes: &Nodes, edges: &Edges, moves: &Moves) -> (u32, u32, Kind, Type, u32) {
    let kind = kind(i, nodes, edges);
    let data = nodes.data[i];
    let ty = nodes.ty[i];
    let refers = kind.is_variable() | (kind == Kind::View) | (kind == Kind::Read) | (kind == Kind::Lambda);
    let index = moves.index[i];
    let depth = moves.depth[i];
    if refers {
        // The extents of a producer are those of one of its inputs.
        let target = NodeId::new(edges.stands_for[NodeId::new(data)]);
        let is_other = (target.get() != data) & (kind == Kind::Name);
        return (index, depth, kind, if is_other { nodes.ty[target] } else { ty }, moves.index[target]);
    }
    (index, depth, kind, ty, if kind == nodes.kind[i] { data } else { 0 })
}

/// Fuses MULTILOOPs with those that read them. The program has `functions` functions.
pub fn fusion<B: Backend>(backend: &B, nodes: Nodes<B>, functions: usize) -> Result<Nodes<B>> {
    let (parents, edges) = edges(backend, &nodes, functions)?;
    let (moves, total) = moves(backend, &nodes, &parents, &edges)?;
    if total == nodes.len() {
        return Ok(nodes);
    }
    let (index, depths, kinds, types, values) = backend.map(moved::of(&nodes, &edges, &moves).rows(nodes.len()))?;
    let mut depth = backend.filled(total, 0u32)?;
    let mut kind = backend.filled(total, Kind::Empty)?;
    let mut ty = backend.filled(total, Type::Void)?;
    let mut data = backend.filled(total, NO_NODE)?;
    backend.scatter(&mut depth, &index, &depths)?;
    backend.scatter(&mut kind, &index, &kinds)?;
    backend.scatter(&mut ty, &index, &types)?;
    backend.scatter(&mut data, &index, &values)?;
    Ok(Nodes { depth, kind, ty, data })
}
