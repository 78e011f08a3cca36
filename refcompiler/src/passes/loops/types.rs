//! The kinds and the types of the new nodes.

use treepar::device::device;

use super::data::held;
use super::facts::Facts;
use super::parts::input;
use super::slots::Spot;
use super::sources::{CHILD, ELEMENT, ENTRY, READ, RESULT, Source, VARIABLE};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::items::OWN;

/// Returns the kind of a new node.
#[device]
pub fn kind_of(spot: Spot, nodes: &Nodes) -> Kind {
    let is_own = Source::from_code(spot.item.source() as u8) == Source::Own;
    if is_own { nodes.kind[NodeId::new(spot.owner)] } else { spot.item.kind() }
}

/// Returns the type of a new node.
#[device]
pub fn type_of(spot: Spot, nodes: &Nodes, facts: &Facts) -> Type {
    let owner = NodeId::new(spot.owner);
    let m = NodeId::new(facts.multiloop[owner]);
    match spot.item.ty() {
        OWN => nodes.ty[owner],
        ELEMENT => nodes.ty[m].element(),
        CHILD => nodes.ty[NodeId::new(spot.node)],
        VARIABLE => nodes.ty[held(spot, nodes, facts)],
        READ => nodes.ty[input(owner, nodes)].element(),
        RESULT => nodes.ty[m],
        ENTRY => facts.element[owner.plus(1)],
        _ => Type::from_code(spot.item.ty() as u8),
    }
}
