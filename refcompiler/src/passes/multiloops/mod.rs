//! Operations on whole arrays become MULTILOOPs, one form for all of them.
//!
//! ```text
//! map[fn[x: int] = x + y, a]
//! MULTILOOP INPUT a, LAMBDA { ELEMENT x = READ a, COLLECT x + y }
//! ```
//!
//! [`ir::multiloops`](crate::ir::multiloops) describes the form. The operands are inputs, evaluated once and in order. Checks that their
//! extents agree are statements after the inputs that they compare. The mapped part, the operator and the guard remain separate:
//!
//! | operation | mapped part | yield |
//! |---|---|---|
//! | `map` | the parameters | COLLECT the value |
//! | operators, functions and `where` on elements | | COLLECT the operation on READs, over all elements whatever the rank |
//! | `filter` | the parameter | COLLECT the parameter, guarded by the value |
//! | `reduce`, `fold`, `redomap`, `foldr` | the parameters besides the reduction so far | REDUCE by the value |
//! | `scan` | the second parameter | SCAN by the value |
//! | `group` | the key and the second parameter | BUCKET by the value |
//!
//! A LAMBDA comes after the arrays although it is the first child of an operation: `place` of the facts counts nodes in this order.
//! Each node has a form, and each form a template, as in [`arrays`](super::arrays). `forms` has the table of rules, and `data` the
//! data of the new nodes.
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
fn gathered(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places, finish: &[u32]) -> Node {
    let spot = spot(e, k, events, facts, places);
    Node {
        depth: spot.depth,
        kind: kind_of(spot, nodes),
        ty: type_of(spot, nodes, facts).of_value(),
        data: data_of(spot, nodes, facts, places, finish),
    }
}

/// Replaces operations on whole arrays by MULTILOOPs.
pub fn multiloops<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    composites: &[Composite],
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let (parents, facts) = facts(backend, &nodes, composites)?;
    let forms = backend.map(form::of(&nodes, &facts).rows(nodes.len()))?;
    let templates: Templates<B> = backend.map(template_of::of(&nodes, &facts, &forms).rows(nodes.len()))?;
    let at = At::moved(backend, &facts.place, &nodes.depth, &facts.end)?;
    let (plan, places) = places(backend, &parents, &at, (forms, templates))?;
    let finish = plan.tails(backend, &at)?;
    let Plan { events, offsets, total } = plan;
    let gathered = gathered::of(&events, &nodes, &facts, &places, &finish);
    let offsets = Offsets::assume(backend, &offsets, total)?;
    positions.follow(backend, || backend.expand_from(&offsets, owner::of(&events, &facts.parent, &places)))?;
    backend.expand_from(&offsets, gathered)
}
