//! Arrays become addresses: a tree with arrays becomes one with numbers only.
//!
//! ```text
//! a[i] + 1                          add( index( name(a) name(i) ) literal(1) )
//! load of (a's data + i * 4) + 1    add( load( add_words( data(a) check_index( name(i) extent(a) ) ) ) literal(1) )
//! ```
//!
//! The value of an array is the address of its block; `ARCHITECTURE.md` has the layout. An element is a word of memory, and
//! everything that makes or copies arrays is a call of the runtime. A variable becomes the owner of its array. A function that
//! makes arrays remembers the top of memory where it begins, its *mark*, and releases all blocks above when it returns. So does
//! a loop after each iteration that has left blocks, except for the blocks that variables own.
//!
//! Each node has a *form*, and each form a template: the table of rules in `forms`. A template is made of `pieces`, which are
//! runs of nodes, before and after the node and its children. A value that is used twice becomes a variable, so all children stay in
//! order. `templates` computes the positions of the new nodes by one scan, and `data` has their data.
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.

mod choice;
mod data;
mod facts;
mod forms;
mod pieces;
mod slots;
mod sources;
mod template;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::Type;
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::passes::templates::items::ITSELF;
use crate::passes::templates::{At, Plan};
use choice::form;
use data::{array_of, data_of};
use facts::{Facts, facts, unique_parameters};
use slots::{Places, Templates, owner, places, spot};
use sources::type_of;
use template::template_of;

/// Returns the type of a value after this pass.
#[device]
pub fn lowered_type(ty: Type) -> Type {
    if ty.is_array() { Type::Int } else { ty }
}

/// Returns node `k` of event `e`.
#[device(expand)]
fn lowered(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places, uniques: &[u32]) -> Node {
    let spot = spot(e, k, events, facts, places);
    let owner = NodeId::new(spot.owner);
    let is_own = spot.item.source() == ITSELF as u32;
    let ty = type_of(spot.item, array_of(owner, nodes, facts).element());
    let kind = spot.item.kind().of_element(ty);
    Node {
        depth: spot.depth,
        kind: if is_own { nodes.kind[owner] } else { kind },
        ty: if is_own { lowered_type(nodes.ty[owner]) } else { kind.type_of_element(ty) },
        data: data_of(spot, nodes, facts, places, uniques),
    }
}

/// Replaces arrays by addresses.
pub fn arrays<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let (parents, facts) = facts(backend, &nodes)?;
    let uniques = unique_parameters(backend, &nodes)?;
    let forms = backend.map(form::of(&nodes, &facts).rows(nodes.len()))?;
    let templates: Templates<B> = backend.map(template_of::of(&nodes, &facts, &forms).rows(nodes.len()))?;
    let at = At::new(backend, &nodes.depth, &facts.end)?;
    let (Plan { events, offsets, total }, places) = places(backend, &parents, &at, (forms, templates))?;
    let lowered = lowered::of(&events, &nodes, &facts, &places, &uniques);
    let offsets = Offsets::assume(backend, &offsets, total)?;
    positions.follow(backend, || backend.expand_from(&offsets, owner::of(&events, &facts.parent, &places)))?;
    backend.expand_from(&offsets, lowered)
}
