//! Structs and tuples become their leaves: a tree with composite types becomes one with numbers and arrays of numbers only.
//!
//! ```text
//! var p = P[1, f[]];      expression( declare( struct( literal(1) call ) ) )
//! the leaves of p         expression( declare x ) expression( declare y )
//!                         expression( assign x( literal(1) ) ) expression( assign y( call ) )
//! ```
//!
//! A leaf is a number or an array of numbers: an array of structs becomes an array for each leaf. A variable, a parameter and an
//! argument of a composite type become one for each leaf. The result of a function becomes parameters with the addresses of the
//! caller's variables for the leaves, before the other parameters.
//!
//! A composite value becomes statements that leave its leaves in variables. Where it belongs is known from above: a walk down
//! passes variables to the parts that compute it, so that `var p = if[c, P[1, 2], q]` assigns to the leaves of `p` directly.
//! A value that belongs nowhere gets hidden variables, which borrow arrays. What names a variable, or fields of it, is not
//! copied. A number of an element is an element of the array of its field: `a[i].x` becomes `a.x[i]`. The check of `i` asks the first
//! array of `a`, since the arrays of all fields have the same extents.
//!
//! Each node has a *form*, and each form a template, as in [`arrays`](super::arrays). The types of a program are one column
//! (`shapes`).
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.

mod choice;
mod data;
mod facts;
mod forms;
mod pieces;
pub mod shapes;
mod slots;
mod sources;
mod template;
mod types;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::Type;
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::ir::tree::Composite;
use crate::passes::templates::items::ITSELF;
use crate::passes::templates::{At, Plan};
use choice::form;
use data::data_of;
use facts::{Facts, facts};
use slots::{Places, Templates, owner, places, spot};
use template::template_of;
use types::{kind_of, type_of};

/// Returns the type of a node that stays.
#[device]
fn own_type(ty: Type) -> Type {
    if ty.is_composite() { Type::Void } else { ty }
}

/// Returns node `k` of event `e`.
#[device(expand)]
fn split(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places, shapes: &[u32]) -> Node {
    let spot = spot(e, k, events, facts, places);
    let owner = NodeId::new(spot.owner);
    let is_own = spot.item.source() == ITSELF as u32;
    Node {
        depth: spot.depth,
        kind: if is_own { nodes.kind[owner] } else { kind_of(spot, nodes, facts, shapes) },
        ty: if is_own { own_type(nodes.ty[owner]) } else { type_of(spot, nodes, facts, shapes) },
        data: data_of(spot, nodes, facts, places, shapes),
    }
}

/// Replaces composites by their leaves.
pub fn structs<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    composites: &[Composite],
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let shapes = backend.upload(&shapes::shapes(composites))?;
    let (parents, facts) = facts(backend, &nodes, &shapes)?;
    let forms = backend.map(form::of(&nodes, &facts, &shapes).rows(nodes.len()))?;
    let templates: Templates<B> = backend.map(template_of::of(&nodes, &facts, &forms, &shapes).rows(nodes.len()))?;
    let at = At::new(backend, &nodes.depth, &facts.end)?;
    let (Plan { events, offsets, total }, places) = places(backend, &parents, &at, (forms, templates))?;
    let split = split::of(&events, &nodes, &facts, &places, &shapes);
    let offsets = Offsets::assume(backend, &offsets, total)?;
    positions.follow(backend, || backend.expand_from(&offsets, owner::of(&events, &facts.parent, &places)))?;
    backend.expand_from(&offsets, split)
}
