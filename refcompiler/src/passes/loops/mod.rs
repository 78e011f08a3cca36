//! MULTILOOPs become loops, which read and write elements.
//!
//! ```text
//! MULTILOOP INPUT a, LAMBDA { ELEMENT x = READ a, COLLECT x + y }
//! ( borrow b = a; borrow t = new[size[b]]; for i < size[b] { var x = b[i]; t[i] = x + y; } t )
//! ```
//!
//! Inputs become variables, in order, and so do elements, keys and parameters in each iteration. They borrow arrays. The table in
//! `forms` has two lines for each yield: one for the MULTILOOP, one for the yield. They depend on the result:
//!
//! | elements of the result | array of the result |
//! |---|---|
//! | numbers, also in structs | an array that is made before the loop |
//! | rows | an array that a variable owns, made when the extents of the first row are known |
//! | all elements of arrays of numbers | an array that one loop fills, whatever the rank |
//!
//! ```text
//! READ of            element
//! INPUT b            b[i]
//! VIEW b             the number at address b + i * 4
//! VIEW b, repeated   the number at address b + i % m * 4, where b has m elements
//! ```
//!
//! With fusion, the assignment `x = a * x + b` writes into the array that `x` has, instead of a new one, if `x` owns an array with this
//! extent. Nobody else has it: variables own their arrays, and parameters and borrowed arrays are not in use between the statements of a
//! block. An iteration reads only elements with its own index, before it writes the one of the result. Inputs that are views of the
//! array have as many elements, so they are the whole array. Refused: other elements or functions in the body, inputs that are repeated,
//! several dimensions, and assignments that are not statements. (Source: Vector Pascal, algorithm 3.)
//!
//! With fusion, an input that is a variable needs no other one: a loop over all elements reads `a`, not `borrow b = a`. Refused: MULTILOOPs
//! in which something assigns a variable, such as `a + (a = b)`.
//!
//! Each node has a form, and each form a template, as in [`arrays`](super::arrays). `forms` has the table of rules, and `data` the
//! data of the new nodes. `print` of an array of structs becomes loops too. `refc --emit loops` prints the result.
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.

mod choice;
mod data;
mod facts;
mod forms;
mod parts;
mod pieces;
mod slots;
mod sources;
mod template;
mod types;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::nodes::{Node, Nodes};
use crate::ir::positions::Positions;
use crate::ir::tree::Composite;
use crate::passes::templates::{At, Plan};
use choice::form;
use data::data_of;
use facts::{Facts, facts};
use slots::{Places, Templates, owner, places, spot};
use template::template_of;
use types::{kind_of, type_of};

/// Returns node `k` of event `e`.
#[device(expand)]
fn looped(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> Node {
    let spot = spot(e, k, events, facts, places);
    let ty = type_of(spot, nodes, facts);
    let kind = kind_of(spot, nodes).of_element(ty);
    Node { depth: spot.depth, kind, ty: kind.type_of_element(ty), data: data_of(spot, nodes, facts, places, finish) }
}

/// Replaces MULTILOOPs by loops. If `overwrites`, an assignment of a result may write it into the array that the variable has.
pub fn loops<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    composites: &[Composite],
    overwrites: bool,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let (parents, facts) = facts(backend, &nodes, composites, overwrites)?;
    let forms = backend.map(form::of(&nodes, &facts).rows(nodes.len()))?;
    let templates: Templates<B> = backend.map(template_of::of(&nodes, &facts, &forms).rows(nodes.len()))?;
    let at = At::new(backend, &nodes.depth, &facts.end)?;
    let (plan, places) = places(backend, &parents, &at, (forms, templates))?;
    let finish = plan.tails(backend, &at)?;
    let Plan { events, offsets, total } = plan;
    let looped = looped::of(&events, &nodes, &facts, &places, &finish);
    let offsets = Offsets::assume(backend, &offsets, total)?;
    positions.follow(backend, || backend.expand_from(&offsets, owner::of(&events, &facts.parent, &places)))?;
    backend.expand_from(&offsets, looped)
}
