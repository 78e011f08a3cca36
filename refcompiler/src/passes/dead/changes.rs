//! The changes of nodes, given the variables and the definitions that are dead: [edits and cuts](crate::passes::cuts).
//!
//! ```text
//! ASSIGN x (CALL f)                   CALL f                  a cut around the value
//! EXPRESSION (ADD (NAME a, NAME b))                           a cut: no node below has an effect
//! IF_ELSE (c, BLOCK { .. }, BLOCK)    IF (c, BLOCK { .. })    an edit, a cut of the empty block
//! ```
//!
//! A sum over the nodes that have an effect finds the subtrees without one.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::places::{EFFECT, Forest, NOBODY, Place};
use super::stores::{DECLARES, GONE, NO_EVENT, STAYS, StoreId, Stores, WITHOUT_VALUE};
use super::uses::{Uses, is_dead};
use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::cuts::{Cut, Cuts, Edit, Edits, no_cut};
use crate::passes::foreign::variable;

/// The kinds besides pure ones that have no effect of their own.
const WITHOUT_EFFECT: Kinds = Kinds::of(&[
    Kind::Expression,
    Kind::Block,
    Kind::Empty,
    Kind::If,
    Kind::IfElse,
    Kind::For,
    Kind::Count,
    Kind::Choose,
    Kind::Test,
    Kind::Then,
    Kind::Otherwise,
    Kind::Sequence,
]);

/// The statements that disappear if no node of them has an effect.
const REMOVABLE: Kinds = Kinds::of(&[Kind::Expression, Kind::If, Kind::IfElse, Kind::For]);

/// The kinds with statements as children.
const WITH_STATEMENTS: Kinds = Kinds::of(&[Kind::Block, Kind::Sequence]);

/// The change of a node.
#[device]
enum Change {
    /// None.
    Stays,
    /// Its value instead of it: of a definition, or a SEQUENCE without statements.
    Value,
    /// A literal 0 instead of it.
    Zero,
    /// Nothing instead of it.
    Nothing,
    /// No value of a declaration.
    WithoutValue,
    /// A declaration instead of an assignment.
    Declares,
    /// No `else`.
    WithoutElse,
}

/// The facts that changes depend on.
#[device(tables)]
struct Facts {
    parents: &[u32],
    end: &[u32],
    fates: &[u32],
    /// The number of nodes with an effect, up to each node.
    effects: &[u32],
}

/// Returns whether a node defines a dead variable.
#[device(compact)]
fn is_of_dead(k: usize, found: &[u32], nodes: &Nodes, used: &[u32], shared: &[u32]) -> bool {
    let i = NodeId::new(found[k]);
    !nodes.kind[i].is_read() && is_dead(variable(i, nodes), used, shared)
}

/// Returns a definition of a dead variable, and its fate.
#[device(map)]
fn gone(d: usize, dead: &[u32], found: &[u32]) -> (u32, u32) {
    (found[dead[d] as usize], GONE)
}

/// Returns the assignment that becomes a declaration, and its fate.
#[device(map)]
fn declaring(s: StoreId, stores: &Stores) -> (u32, u32) {
    (stores.instead[s], DECLARES)
}

/// Returns the fate of each node.
pub fn fates<B: Backend>(backend: &B, nodes: &Nodes<B>, uses: &Uses<B>, stores: &Stores<B>) -> Result<B::Vec<u32>> {
    let Uses { found, used, shared, .. } = uses;
    let mut fates = backend.filled(nodes.len(), STAYS)?;
    let dead = backend.compact(is_of_dead::of(found, nodes, used, shared).rows(found.len()))?;
    let (node, fate) = backend.map(gone::of(&dead, found).rows(dead.len()))?;
    backend.scatter(&mut fates, &node, &fate)?;
    backend.scatter(&mut fates, &stores.node, &stores.fate)?;
    let (node, fate) = backend.map(declaring::of(stores).rows(stores.len()))?;
    backend.scatter(&mut fates, &node, &fate)?;
    Ok(fates)
}

/// Returns 1 for a node with an effect of its own.
#[device(scan(Sum))]
fn effect(i: NodeId, nodes: &Nodes, fates: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    let has_none = kind.is_pure() | WITHOUT_EFFECT.contains(kind) | (fates[i.index()] == GONE);
    !has_none as u32
}

/// Returns whether no node below a node has an effect.
#[device]
fn is_idle(i: NodeId, facts: &Facts) -> bool {
    facts.effects[facts.end[i.index()] as usize - 1] == facts.effects[i.index()]
}

/// Returns the third child of an IF_ELSE.
#[device]
fn otherwise(i: NodeId, facts: &Facts) -> NodeId {
    NodeId::new(facts.end[facts.end[i.index() + 1] as usize])
}

/// Returns the change of a definition.
#[device]
fn change_of_definition(i: NodeId, nodes: &Nodes, facts: &Facts) -> Change {
    let fate = facts.fates[i.index()];
    let has_value = facts.end[i.index()] > i.get() + 1;
    if fate == GONE {
        return if has_value { Change::Value } else { Change::Zero };
    }
    if fate == DECLARES {
        return Change::Declares;
    }
    let loses_value = fate == WITHOUT_VALUE && has_value && is_idle(i, facts) && nodes.kind[i.plus(1)] != Kind::Literal;
    if loses_value { Change::WithoutValue } else { Change::Stays }
}

/// Returns the change of a statement.
#[device]
fn change_of_statement(i: NodeId, nodes: &Nodes, facts: &Facts) -> Change {
    let above = NodeId::new(facts.parents[i.index()]);
    if WITH_STATEMENTS.contains(nodes.kind[above]) && is_idle(i, facts) {
        return Change::Nothing;
    }
    if nodes.kind[i] == Kind::IfElse && is_idle(otherwise(i, facts), facts) {
        return Change::WithoutElse;
    }
    Change::Stays
}

/// Returns the first child of a SEQUENCE that is not a statement without an effect.
#[device]
fn first_with_effect(i: NodeId, nodes: &Nodes, facts: &Facts) -> NodeId {
    let end = facts.end[i.index()];
    let mut child = i.plus(1);
    while facts.end[child.index()] != end && REMOVABLE.contains(nodes.kind[child]) && is_idle(child, facts) {
        child = NodeId::new(facts.end[child.index()]);
    }
    child
}

/// Returns the value that is left of a definition or a SEQUENCE.
#[device]
fn value_of(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    if nodes.kind[i] == Kind::Sequence { first_with_effect(i, nodes, facts).get() } else { i.get() + 1 }
}

/// Returns the change of a SEQUENCE.
#[device]
fn change_of_sequence(i: NodeId, nodes: &Nodes, facts: &Facts) -> Change {
    let child = first_with_effect(i, nodes, facts);
    if facts.end[child.index()] == facts.end[i.index()] { Change::Value } else { Change::Stays }
}

#[device]
fn change(i: NodeId, nodes: &Nodes, facts: &Facts, used: &[u32], shared: &[u32]) -> Change {
    let kind = nodes.kind[i];
    if kind.is_read() {
        return if is_dead(nodes.data[i], used, shared) { Change::Zero } else { Change::Stays };
    }
    if facts.fates[i.index()] != STAYS {
        return change_of_definition(i, nodes, facts);
    }
    if kind == Kind::Sequence {
        return change_of_sequence(i, nodes, facts);
    }
    if REMOVABLE.contains(kind) { change_of_statement(i, nodes, facts) } else { Change::Stays }
}

#[device(compact)]
fn is_changed(i: NodeId, nodes: &Nodes, facts: &Facts, used: &[u32], shared: &[u32]) -> bool {
    change(i, nodes, facts, used, shared) != Change::Stays
}

/// Returns the edit of a node.
#[device(map)]
fn edit(c: usize, changed: &[u32], nodes: &Nodes, facts: &Facts, used: &[u32], shared: &[u32]) -> Edit {
    let i = NodeId::new(changed[c]);
    let ty = nodes.ty[i];
    match change(i, nodes, facts, used, shared) {
        Change::Zero => Edit { node: i.get(), kind: Kind::Literal, ty, data: 0 },
        Change::Declares => Edit { node: i.get(), kind: Kind::Declare, ty, data: 0 },
        Change::WithoutElse => Edit { node: i.get(), kind: Kind::If, ty, data: nodes.data[i] },
        _ => Edit { node: NO_NODE, kind: Kind::Empty, ty: Type::Void, data: 0 },
    }
}

/// Returns the cut of the nodes from `from` to `end`.
#[device]
fn all(from: u32, end: u32) -> Cut {
    Cut { from, first: end, last: end, end, up: 0 }
}

/// Returns the cut of a node.
#[device(map)]
fn cut(c: usize, changed: &[u32], nodes: &Nodes, facts: &Facts, used: &[u32], shared: &[u32]) -> Cut {
    let i = NodeId::new(changed[c]);
    let from = i.get();
    let end = facts.end[i.index()];
    match change(i, nodes, facts, used, shared) {
        Change::Value => Cut { from, first: value_of(i, nodes, facts), last: end, end, up: 1 },
        Change::Nothing => all(from, end),
        Change::WithoutValue => all(from + 1, end),
        Change::WithoutElse => all(otherwise(i, facts).get(), end),
        _ => no_cut(),
    }
}

/// Returns the changes of nodes, if there are any.
pub fn changes<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    forest: &Forest<B>,
    uses: &Uses<B>,
    fates: &B::Vec<u32>,
) -> Result<Option<(Edits<B>, Cuts<B>)>> {
    let Uses { used, shared, .. } = uses;
    let (effects, _) = backend.scan_later(ScanKind::Inclusive, effect::of(nodes, fates).rows(nodes.len()), Sum)?;
    let facts = FactsOn { parents: &forest.parent, end: &forest.end, fates, effects: &effects };
    let changed = backend.compact(is_changed::of(nodes, &facts, used, shared).rows(nodes.len()))?;
    if changed.is_empty() {
        return Ok(None);
    }
    let edits = backend.map(edit::of(&changed, nodes, &facts, used, shared).rows(changed.len()))?;
    let cuts = backend.map(cut::of(&changed, nodes, &facts, used, shared).rows(changed.len()))?;
    Ok(Some((edits, cuts)))
}

/// Returns whether a declaration moves to an assignment.
#[device(compact)]
fn is_moving(s: StoreId, stores: &Stores) -> bool {
    stores.instead[s] != NO_EVENT
}

/// Returns an access of a variable whose declaration moves, and the new declaration; [`NO_NODE`] for other nodes.
#[device(map)]
fn renamed(k: usize, found: &[u32], nodes: &Nodes, moved: &[u32]) -> (u32, u32) {
    let i = NodeId::new(found[k]);
    let to = moved[variable(i, nodes) as usize];
    (if (to == NO_NODE) | !nodes.kind[i].is_variable() { NO_NODE } else { i.get() }, to)
}

/// Makes accesses name the assignments that become declarations.
pub fn redirected<B: Backend>(backend: &B, nodes: &mut Nodes<B>, uses: &Uses<B>, stores: &Stores<B>) -> Result<()> {
    let moving = backend.compact(is_moving::of(stores).rows(stores.len()))?;
    if moving.is_empty() {
        return Ok(());
    }
    let mut moved = backend.filled(nodes.len(), NO_NODE)?;
    backend.scatter(&mut moved, &stores.node, &stores.instead)?;
    let (access, data) = backend.map(renamed::of(&uses.found, nodes, &moved).rows(uses.found.len()))?;
    backend.scatter(&mut nodes.data, &access, &data)
}

/// The users of values.
#[device(tables)]
struct Users {
    places: &[Place],
    parents: &[u32],
    fates: &[u32],
}

/// Returns whether the change of an access, or of its user, can make other values dead.
#[device(compact)]
fn opens(k: usize, found: &[u32], nodes: &Nodes, users: &Users, index: &[u32]) -> bool {
    let i = NodeId::new(found[k]);
    if index[i.index()] == NO_NODE {
        return nodes.kind[i].is_variable() && index[nodes.data[i] as usize] != NO_NODE;
    }
    let user = users.places[users.parents[i.index()] as usize].user;
    (user != EFFECT) & (user != NOBODY) && users.fates[user as usize] == GONE
}

/// Returns whether another round can change more. `index` has the new index of each node.
pub fn is_open<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    forest: &Forest<B>,
    (uses, fates): (&Uses<B>, &B::Vec<u32>),
    index: &B::Vec<u32>,
) -> Result<bool> {
    let found = &uses.found;
    let users = UsersOn { places: &forest.place, parents: &forest.parent, fates };
    let opening = opens::of(found, nodes, &users, index);
    Ok(!backend.compact(opening.rows(found.len()))?.is_empty())
}
