//! Vertical fusion: a MULTILOOP that collects numbers, a *producer*, becomes a part of the MULTILOOP that reads them.
//!
//! ```text
//! MULTILOOP INPUT a, INPUT (MULTILOOP INPUT b, INPUT c, check, LAMBDA { COLLECT READ b - READ c }), check,
//!   LAMBDA { COLLECT READ a * READ t }                    where t is the second input
//! becomes
//! MULTILOOP INPUT a, INPUT b, INPUT c, check, check, LAMBDA { COLLECT READ a * (READ b - READ c) }
//! ```
//!
//! The producer's inputs and checks replace the consumer's input, so all operands are evaluated and all checks made in the same order as
//! before. Its body replaces the READ. It stays apart from the operator and the guard of the consumer, so each yield can
//! consume: `sum[map[f, a]]` is a reduction whose mapped part is `f`. A chain of any length is fused at once.
//!
//! Elements that are bytes or shorts are shortened where they were stored: the value is a NARROW_BYTE or NARROW_SHORT.
//!
//! The result can also be the value of a variable whose only uses are inputs. Then the inputs and checks stay in the block of the
//! declaration, and the variable is gone:
//!
//! ```text
//! { var t = MULTILOOP INPUT b, LAMBDA { COLLECT READ b + 1 };   f[];   return MULTILOOP INPUT t, INPUT t, LAMBDA { COLLECT READ t * READ t } }
//! becomes
//! { INPUT b;   f[];   return MULTILOOP LAMBDA { ELEMENT x = READ b + 1, COLLECT x * x } }
//! ```
//!
//! If several inputs read the result, all of them must be parts of one MULTILOOP after the pass, and the producer's value is an ELEMENT.
//!
//! Refused, because the result would differ:
//!
//! | producer | reason |
//! |---|---|
//! | it has a guard, or another yield than a COLLECT of numbers | it yields other elements than it reads, or more than one number each |
//! | its body has accesses that are checked, MULTILOOPs, or calls of functions that may fail, print or not end | failures and output must come before the consumer begins. Operators, functions of the runtime without effect, and pure functions of the program move |
//! | something that its body or its arrays read is written before the end of the consumer | the body would read later values. Calls of nested functions count as writes of all variables |
//! | it is read in another loop, LAMBDA or function than where it is declared | the body would be executed more often |
//! | its variable is used otherwise, or by operations that stay apart | the array is needed |
//! | its elements are bytes or shorts, and several inputs read it | they are shortened when they are stored, and an ELEMENT is not |
//! | its rank is not that of the consumer, or its extent is not that of an input of numbers of its rank | the iterations are others |
//! | the consumer reads from the end | only its own inputs are read so |
//! | several inputs read it, and the consumer reduces by keys | a key comes first in a body |
//!
//! ```text
//! shape     relations of nodes
//! writes    for each MULTILOOP, the next write of a variable that it reads
//! edges     the INPUTs that can be left out, and their producers
//! choice    the producers that are fused
//! parts     these, and the nodes that are left out
//! moves     the new index and depth of each node
//! ```
//!
//! Cost: n nodes, p producers, w writes: work O(n log w + p log p), and a number of templates that grows with log p only.
//!
//! Source: L0 7, LMS 3.4. The operator of a fused reduction stays associative, unlike L0's rules for `reduce` and `scan`.

mod choice;
mod edges;
mod moves;
mod parts;
mod shape;
mod writes;

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::effects::Effects;
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::positions::{NOWHERE, Positions};
use choice::choice;
use edges::graph;
use moves::{Moves, moves};
use parts::{PartId, Parts, fusion_of, part_of_input};
use shape::{Shapes, input_of_read, shapes};
use writes::next_writes;

/// Returns the fused producer whose LAMBDA or yield a node is, `NONE` if there is none.
#[device]
fn part_of_body(i: NodeId, nodes: &Nodes, shape: &Shapes, row: &[u32]) -> PartId {
    let kind = nodes.kind[i];
    let mut m = NO_NODE;
    if kind == Kind::Lambda {
        m = shape.parent[i];
    } else if kind.is_yield() {
        m = shape.parent[NodeId::new(shape.parent[i])];
    }
    PartId::new(if m == NO_NODE { NO_NODE } else { row[m as usize] })
}

/// Returns the kind of a node of the body of a fused producer.
#[device]
fn kind_in_body(i: NodeId, part: PartId, nodes: &Nodes, shape: &Shapes, parts: &Parts) -> Kind {
    if nodes.kind[i] == Kind::Lambda {
        let has_elements = shape.end[i.plus(1)] < shape.end[i];
        return if has_elements { Kind::Sequence } else { Kind::Ascribe };
    }
    // Elements of fewer bits are shortened, as a store would.
    let element = nodes.ty[NodeId::new(parts.node[part])].element();
    if parts.is_shared[part] == 1 { Kind::Element } else { Kind::narrowing(element) }
}

/// Returns the node that a node refers to after the pass: of an INPUT that is left out, the INPUT with its extents.
#[device]
fn referred(i: NodeId, nodes: &Nodes, shape: &Shapes, extents: &[u32], row: &[u32]) -> NodeId {
    let target = NodeId::new(nodes.data[i]);
    if nodes.kind[target] != Kind::Input {
        return target;
    }
    let part = part_of_input(target, nodes, shape, row);
    if part.is_none() { target } else { NodeId::new(extents[part.index()]) }
}

/// The bodies that move, and their nodes.
#[device(tables)]
struct Fused {
    parts: &Parts,
    extents: &[u32],
    row: &[u32],
}

/// Returns a node after the pass, with its data.
#[device(map)]
fn changed(i: NodeId, nodes: &Nodes, shape: &Shapes, fused: &Fused, moves: &Moves) -> (Kind, Type, u32) {
    let kind = nodes.kind[i];
    let ty = nodes.ty[i];
    let body = part_of_body(i, nodes, shape, fused.row);
    if !body.is_none() {
        return (kind_in_body(i, body, nodes, shape, fused.parts), ty, 0);
    }
    if kind == Kind::Read {
        let part = part_of_input(input_of_read(i, nodes), nodes, shape, fused.row);
        if !part.is_none() {
            let yields = NodeId::new(shape.yields[NodeId::new(fused.parts.node[part])]);
            return (Kind::Name, ty, moves.index[yields]);
        }
    }
    let refers = kind.is_variable() | (kind == Kind::View) | (kind == Kind::Read) | (kind == Kind::Lambda);
    if !refers {
        return (kind, ty, nodes.data[i]);
    }
    let target = referred(i, nodes, shape, fused.extents, fused.row);
    let is_other = (target.get() != nodes.data[i]) & (kind == Kind::Name);
    (kind, if is_other { nodes.ty[target] } else { ty }, moves.index[target])
}

/// Fuses MULTILOOPs with their consumers. The functions of the program have these effects.
pub fn fusion<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    effects: &Effects<B>,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let n = nodes.len();
    let (parents, shape) = shapes(backend, &nodes)?;
    let next_writes = next_writes(backend, &nodes, (&parents, &shape), effects)?;
    let graph = graph(backend, &nodes, &shape, effects, &next_writes)?;
    if graph.producers.node.is_empty() {
        return Ok(nodes);
    }
    let chosen = choice(backend, &nodes, &shape, &graph)?;
    if chosen.0.is_empty() {
        return Ok(nodes);
    }
    let fusion = fusion_of(backend, &nodes, &shape, &graph, chosen)?;
    let (moves, total) = moves(backend, &nodes, (&parents, &shape), &fusion)?;
    let fused = FusedOn { parts: &fusion.parts, extents: &fusion.extents, row: &fusion.row };
    let changed = changed::of(&nodes, &shape, &fused, &moves);
    let (kinds, types, values) = backend.map(changed.rows(n))?;
    let mut depth = backend.filled(total, 0u32)?;
    let mut kind = backend.filled(total, Kind::Empty)?;
    let mut ty = backend.filled(total, Type::Void)?;
    let mut data = backend.filled(total, NO_NODE)?;
    backend.scatter(&mut depth, &moves.index, &moves.depth)?;
    backend.scatter(&mut kind, &moves.index, &kinds)?;
    backend.scatter(&mut ty, &moves.index, &types)?;
    backend.scatter(&mut data, &moves.index, &values)?;
    positions.change(|before| {
        let mut after = backend.filled(total, NOWHERE)?;
        backend.scatter(&mut after, &moves.index, before)?;
        Ok(after)
    })?;
    Ok(Nodes { depth, kind, ty, data })
}
