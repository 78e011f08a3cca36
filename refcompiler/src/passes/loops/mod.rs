//! Operations on whole arrays become loops, which read and write elements.
//!
//! ```text
//! map[fn[x: int] = x + y, a]
//! ( borrow b = a; borrow t = new[size[b]]; for i < size[b] { var x = b[i]; t[i] = x + y; } t )
//! ```
//!
//! The operands are evaluated first, in order, and held in variables. The value of a LAMBDA is computed in the loop, so a LAMBDA
//! comes after the arrays although it is the first child: `place` of the facts counts nodes in this order. Its parameters
//! become variables of an iteration. They borrow arrays, as do all variables that only hold an operand.
//!
//! | result | where its elements are |
//! |---|---|
//! | numbers, also in structs | in an array that is made before the loop |
//! | rows | in a variable that owns an array, which is made when the extents of the first row are known |
//! | of an operator, a function or `where` of arrays of numbers | in an array that one loop fills, whatever the rank |
//!
//! Each node has a form, and each form a template, as in [`arrays`](super::arrays). `forms` has the table
//! of rules, and `data` the data of the new nodes.
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.

mod choice;
mod data;
mod elements;
mod facts;
mod forms;
mod operations;
mod pieces;
mod slots;
mod sources;
mod template;
mod types;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::nodes::{Node, Nodes};
use crate::ir::tree::Composite;
use crate::passes::templates::{At, Plan};
use choice::form;
use data::data_of;
use facts::{Facts, facts};
use slots::{Places, Templates, places, spot};
use template::template_of;
use types::{kind_of, type_of};

/// Returns the first node of the tail of node `i`.
#[device(map)]
fn finish(i: usize, end_at: &[u32], offsets: &[u32]) -> u32 {
    offsets[end_at[i] as usize]
}

/// Returns node `k` of event `e`.
#[device(expand)]
fn looped(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> Node {
    let spot = spot(e, k, events, facts, places);
    let ty = type_of(spot, nodes, facts);
    Node {
        depth: spot.depth,
        kind: kind_of(spot, nodes).of_element(ty),
        ty: ty.of_value(),
        data: data_of(spot, nodes, facts, places, finish),
    }
}

/// Replaces operations on whole arrays by loops.
pub fn loops<B: Backend>(backend: &B, nodes: Nodes<B>, composites: &[Composite]) -> Result<Nodes<B>> {
    let (parents, facts) = facts(backend, &nodes, composites)?;
    let forms = backend.map(form::of(&nodes, &facts).rows(nodes.len()))?;
    let templates: Templates<B> = backend.map(template_of::of(&nodes, &facts, &forms).rows(nodes.len()))?;
    let at = At::moved(backend, &facts.place, &nodes.depth, &facts.end)?;
    let (Plan { events, offsets, total }, places) = places(backend, &parents, &at, (forms, templates))?;
    let finish = backend.map(finish::of(&at.end, &offsets))?;
    let looped = looped::of(&events, &nodes, &facts, &places, &finish);
    backend.expand_from(&Offsets::assume(backend, &offsets, total)?, looped)
}
