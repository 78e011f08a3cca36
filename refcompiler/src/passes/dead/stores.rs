//! The definitions that no read sees, although their variable is read.
//!
//! ```text
//! DECLARE y = 1   y = 2   IF c { y = 3 }   READ y   y = 4        the accesses of y in order
//! dead            no      no               -        dead         by the next access
//! ```
//!
//! The definitions and reads of all assigned variables are sorted by variable; those of a variable stay in preorder. A definition is dead if
//! the next access is an assignment that control reaches before it reaches any read:
//!
//! - The innermost part around the assignment contains the definition. So after the definition, control leaves all other parts
//!   around it, and reaches the assignment or a `return`.
//! - Both have the same innermost loop, so control leaves no loop in between, whose next iteration could read the value.
//! - The value of the assignment has no accesses, which come before it although they are after it in preorder.
//!
//! A definition without a next access is dead if the declaration has the same innermost loop: the next iteration begins with the
//! declaration.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::places::{Forest, Place};
use super::uses::{Uses, is_dead};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::foreign::variable;

/// No event, or no node.
pub const NO_EVENT: u32 = u32::MAX;

/// An index of an access, in the order of variables.
#[device(index)]
pub struct EventId(u32);

/// A definition or a read of a variable.
#[device(columns(Events, index = EventId))]
pub struct Event {
    /// The node.
    pub node: u32,
    /// The declaration of the variable.
    pub variable: u32,
}

/// The surroundings of nodes.
#[device(tables)]
struct Surroundings {
    places: &[Place],
    parents: &[u32],
    end: &[u32],
}

/// Returns the variable of a node that assigns one, and 1.
#[device(accumulate)]
fn assigned(k: usize, found: &[u32], nodes: &Nodes) -> (u32, u32) {
    let i = NodeId::new(found[k]);
    (variable(i, nodes), (nodes.kind[i] == Kind::Assign) as u32)
}

/// Returns whether a node accesses a variable that is assigned, and that is not dead or shared.
#[device(compact)]
fn is_event(k: usize, found: &[u32], nodes: &Nodes, assigned: &[u32], used: &[u32], shared: &[u32]) -> bool {
    let of = variable(NodeId::new(found[k]), nodes);
    (assigned[of as usize] > 0) & (shared[of as usize] == 0) && !is_dead(of, used, shared)
}

/// Returns the node and the variable of an event.
#[device(map)]
fn event(e: usize, kept: &[u32], found: &[u32], nodes: &Nodes) -> (u32, u32) {
    let node = found[kept[e] as usize];
    (variable(NodeId::new(node), nodes), node)
}

/// Returns whether an event after `e` accesses the same variable in the value of `e`.
#[device]
fn is_inside(after: u32, e: EventId, events: &Events, around: &Surroundings) -> bool {
    if after as usize >= events.node.len() {
        return false;
    }
    let inner = EventId::new(after);
    events.variable[inner] == events.variable[e] && events.node[inner] < around.end[events.node[e] as usize]
}

/// Returns the first event after `e` that is not in its value. Few events are, so steps double.
#[device]
fn first_outside(e: EventId, events: &Events, around: &Surroundings) -> u32 {
    let mut low = e.get() + 1;
    let mut high = low;
    let mut step = 1u32;
    while is_inside(high, e, events, around) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_inside(middle, e, events, around) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Returns the access after definition `e`, [`NO_EVENT`] if there is none.
#[device]
fn next_of(e: EventId, events: &Events, around: &Surroundings) -> EventId {
    let next = first_outside(e, events, around);
    if (next as usize) < events.node.len() && events.variable[EventId::new(next)] == events.variable[e] {
        EventId::new(next)
    } else {
        EventId::new(NO_EVENT)
    }
}

/// Returns whether no read sees the value of event `e`, a definition.
#[device]
fn is_unseen(e: EventId, events: &Events, nodes: &Nodes, around: &Surroundings) -> bool {
    let node = events.node[e];
    if nodes.kind[NodeId::new(node)].is_read() {
        return false;
    }
    let innermost = around.places[node as usize].innermost;
    let next = next_of(e, events, around);
    if next.get() == NO_EVENT {
        return around.places[events.variable[e] as usize].innermost == innermost;
    }
    let after = events.node[next];
    if nodes.kind[NodeId::new(after)].is_read() || is_inside(next.get() + 1, next, events, around) {
        return false;
    }
    let part = around.places[after as usize].part;
    around.places[after as usize].innermost == innermost && part <= node && node < around.end[part as usize]
}

#[device(compact)]
fn is_store(e: EventId, events: &Events, nodes: &Nodes, around: &Surroundings) -> bool {
    is_unseen(e, events, nodes, around)
}

/// The fate of a node that stays.
pub const STAYS: u32 = 0;
/// The fate of a definition that becomes its value.
pub const GONE: u32 = 1;
/// The fate of a declaration that loses its value if it has no effect.
pub const WITHOUT_VALUE: u32 = 2;
/// The fate of an assignment that becomes the declaration.
pub const DECLARES: u32 = 3;

/// An index of a definition that no read sees.
#[device(index)]
pub struct StoreId(u32);

/// A definition that no read sees.
#[device(columns(Stores, index = StoreId))]
pub struct Store {
    /// The node.
    pub node: u32,
    /// Its fate.
    pub fate: u32,
    /// The assignment that becomes the declaration of the variable instead, [`NO_EVENT`] if none does.
    pub instead: u32,
}

/// Returns whether a definition is all of a statement.
#[device]
fn is_statement(node: u32, nodes: &Nodes, around: &Surroundings) -> bool {
    nodes.kind[NodeId::new(around.parents[node as usize])] == Kind::Expression
}

/// Returns the block around a definition that is a statement.
#[device]
fn block(node: u32, around: &Surroundings) -> u32 {
    around.parents[around.parents[node as usize] as usize]
}

#[device(map)]
fn store(s: usize, found: &[u32], events: &Events, nodes: &Nodes, around: &Surroundings) -> Store {
    let e = EventId::new(found[s]);
    let node = events.node[e];
    if nodes.kind[NodeId::new(node)] == Kind::Assign {
        return Store { node, fate: GONE, instead: NO_EVENT };
    }
    let next = next_of(e, events, around);
    if !is_statement(node, nodes, around) || next.get() == NO_EVENT {
        return Store { node, fate: STAYS, instead: NO_EVENT };
    }
    let after = events.node[next];
    let moves = is_statement(after, nodes, around)
        && block(node, around) == block(after, around)
        && !is_unseen(next, events, nodes, around);
    if moves {
        Store { node, fate: GONE, instead: after }
    } else {
        Store { node, fate: WITHOUT_VALUE, instead: NO_EVENT }
    }
}

/// Returns the definitions that no read sees.
pub fn stores<B: Backend>(backend: &B, nodes: &Nodes<B>, forest: &Forest<B>, uses: &Uses<B>) -> Result<Stores<B>> {
    let Uses { found, used, shared, .. } = uses;
    let mut assigned = backend.filled(nodes.len(), 0u32)?;
    backend.accumulate(&mut assigned, assigned::of(found, nodes).rows(found.len()))?;
    let kept = backend.compact(is_event::of(found, nodes, &assigned, used, shared).rows(found.len()))?;
    let (variables, accesses) = backend.map(event::of(&kept, found, nodes).rows(kept.len()))?;
    let (variable, node) = backend.sort_by_key(&variables, &accesses)?;
    let events: Events<B> = Events { node, variable };
    let around = SurroundingsOn { places: &forest.place, parents: &forest.parent, end: &forest.end };
    let found = backend.compact(is_store::of(&events, nodes, &around).rows(events.len()))?;
    backend.map(store::of(&found, &events, nodes, &around).rows(found.len()))
}
