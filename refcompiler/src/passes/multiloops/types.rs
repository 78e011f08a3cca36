//! The kinds and the types of the new nodes.

use treepar::device::device;

use super::elements::operand;
use super::facts::Facts;
use super::operations::{held, operation};
use super::slots::Spot;
use super::sources::{CHILD, ELEMENT, OPERAND, PARAMETER, Source, VARIABLE, WRAPPER};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::templates::items::OWN;

/// Returns the kind of the node around operand `c` of an operation on elements.
#[device]
fn wrapper(kind: Kind, c: u32) -> Kind {
    match kind {
        Kind::Call => Kind::Arg,
        Kind::Where => {
            if c == 0 {
                Kind::Test
            } else if c == 1 {
                Kind::Then
            } else {
                Kind::Otherwise
            }
        }
        _ => Kind::Ascribe,
    }
}

/// Returns the kind of a new node.
#[device]
pub fn kind_of(spot: Spot, nodes: &Nodes) -> Kind {
    let own = nodes.kind[NodeId::new(spot.owner)];
    match Source::from_code(spot.item.source() as u8) {
        Source::Own => own,
        Source::Operation => {
            if own == Kind::Where {
                Kind::Choose
            } else {
                own
            }
        }
        Source::Wrapper => wrapper(own, spot.item.number()),
        _ => spot.item.kind(),
    }
}

/// Returns the type of a new node.
#[device]
pub fn type_of(spot: Spot, nodes: &Nodes, facts: &Facts) -> Type {
    let owner = NodeId::new(spot.owner);
    let o = operation(owner, nodes, facts);
    match spot.item.ty() {
        OWN => nodes.ty[owner],
        ELEMENT => nodes.ty[owner].element(),
        CHILD => nodes.ty[NodeId::new(spot.node)],
        VARIABLE => nodes.ty[held(spot, nodes, facts)],
        OPERAND => nodes.ty[operand(o, spot.item.number(), nodes, facts)].element(),
        WRAPPER => {
            if (nodes.kind[owner] == Kind::Where) & (spot.item.number() == 0) {
                Type::Void
            } else {
                nodes.ty[operand(o, spot.item.number(), nodes, facts)].element()
            }
        }
        PARAMETER => nodes.ty[o.plus(2)],
        _ => Type::from_code(spot.item.ty() as u8),
    }
}
