//! Numbers that are known to be equal: variables that are written once, and the extents of arrays in such variables.
//!
//! ```text
//! n = LOAD 4 (NAME a)                         n and extent 0 of a are equal
//! CHECK_EQUAL(NAME k, LOAD 4 (NAME b))        k and extent 0 of b are equal
//! DECLARE c = OWN(.., FILL_ROWS(n, ..), ..)   n and extent 0 of c are equal
//! DECLARE d = OWN(.., [7, 1, 4], ..)          3 and extent 0 of d are equal
//! ```
//!
//! Such a number is a *term*, and each equality an edge between terms. Connected components are the classes of equal terms. A variable is written
//! once if only its declaration writes it; taking an array over from the caller does not count, since its extents stay. A class holds
//! wherever all its variables are in scope and the nodes of its edges have been evaluated, so:
//!
//! - Only the function that declares a variable has terms of it: a nested function can be called before the declaration.
//! - No variable is declared in a part of a conditional expression, which may not be evaluated.
//! - A CHECK_EQUAL is an edge only if it is a statement of the function's own block, and neither an index is checked nor a function of the program called
//!   before it in the function. So the check holds wherever an index is checked.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::scopes::{Part, Scope, scopes};
use crate::ir::kinds::{FIRST_EXTENT, Kind, MAX_RANK};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime::{ALLOCATE, COUNT, NARROW_TAKE, TAKE};
use crate::passes::classes::{Edges, alone, joined};

/// The terms of a variable: itself, and the extents of its array.
const TERMS: u32 = MAX_RANK + 1;

/// Bytes of a word.
const WORD: u32 = 4;

/// Returns whether a call takes over an array from the caller.
#[device]
fn takes(call: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[call] == Kind::Call) & ((nodes.data[call] == TAKE) | (nodes.data[call] == NARROW_TAKE))
}

/// Returns whether a node writes a variable whose value or extents may change by it.
#[device(compact)]
fn changes(i: NodeId, nodes: &Nodes, parents: &[u32]) -> bool {
    let kind = nodes.kind[i];
    if kind == Kind::Assign {
        return !takes(i.plus(1), nodes);
    }
    if kind != Kind::Address {
        return false;
    }
    // The declaration, and a call that takes over, write the variable whose address they have.
    let call = NodeId::new(parents[parents[i.index()] as usize]);
    if nodes.kind[call] != Kind::Call {
        return true;
    }
    let above = NodeId::new(parents[call.index()]);
    let variable = nodes.data[i];
    let declares = (nodes.kind[above] == Kind::Declare) & (above.get() == variable);
    let is_taken = nodes.kind[above] == Kind::Assign && nodes.data[above] == variable && takes(call, nodes);
    !(declares | is_taken)
}

/// Returns the variable of a write, and 1.
#[device(accumulate)]
fn changed(w: usize, found: &[u32], nodes: &Nodes) -> (u32, u32) {
    (nodes.data[NodeId::new(found[w])], 1)
}

/// Returns 1 for a variable that is written once.
#[device(map)]
fn is_stable(i: NodeId, nodes: &Nodes, end: &[u32], scopes: &[Scope], writes: &[u32]) -> u32 {
    let kind = nodes.kind[i];
    let is_given = kind == Kind::Declare && end[i.index()] > i.get() + 1 && scopes[i.index()].is_choice == 0;
    ((is_given | (kind == Kind::Param) | (kind == Kind::Count)) && writes[i.index()] == 0) as u32
}

/// The facts about nodes.
#[device(columns(Facts, index = NodeId))]
pub struct Fact {
    /// The parent.
    pub parent: u32,
    /// The end of the subtree.
    pub end: u32,
    /// The scope.
    pub scope: Scope,
    /// 1 for a variable that is written once.
    pub is_stable: u32,
    /// The number of such variables before it.
    pub before: u32,
    /// The number of nodes up to it before which all checks of sizes must come.
    pub relying: u32,
}

/// Returns the term that a node has the value of, [`NO_NODE`] if there is none.
#[device]
pub fn term_of(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    let kind = nodes.kind[i];
    let mut read = i;
    let mut slot = 0;
    if kind == Kind::Load {
        let offset = nodes.data[i];
        read = i.plus(1);
        if (nodes.kind[read] != Kind::Name) | (offset < FIRST_EXTENT) | (offset >= FIRST_EXTENT + WORD * MAX_RANK) {
            return NO_NODE;
        }
        slot = 1 + (offset - FIRST_EXTENT) / WORD;
    } else if kind == Kind::Extent {
        slot = 1;
    } else if kind != Kind::Name {
        return NO_NODE;
    }
    let variable = NodeId::new(nodes.data[read]);
    let is_own = facts.scope[variable].function == facts.scope[i].function;
    if is_own && facts.is_stable[variable] == 1 { facts.before[variable] * TERMS + slot } else { NO_NODE }
}

/// Returns the SEQUENCE of an array literal, if a node is the number of its elements. `NONE` for another node.
#[device]
fn literal_with_count(i: NodeId, nodes: &Nodes, facts: &Facts) -> NodeId {
    let none = NodeId::new(NO_NODE);
    let store = NodeId::new(facts.parent[i]);
    if store.is_none() || nodes.kind[store] != Kind::Store || nodes.data[store] != FIRST_EXTENT {
        return none;
    }
    let sequence = NodeId::new(facts.parent[store]);
    if nodes.kind[sequence] != Kind::Sequence || i.get() != store.get() + 2 {
        return none;
    }
    let declare = sequence.plus(2);
    let call = sequence.plus(3);
    let value = NodeId::new(facts.end[sequence] - 1);
    let makes = (nodes.kind[declare] == Kind::Declare) & (nodes.kind[call] == Kind::Call);
    let is_new = makes && nodes.data[call] == ALLOCATE;
    let is_stored = nodes.kind[store.plus(1)] == Kind::Name && nodes.data[store.plus(1)] == declare.get();
    let is_value = nodes.kind[value] == Kind::Name && nodes.data[value] == declare.get();
    if is_new & is_stored & is_value { sequence } else { none }
}

/// Returns the term that the value of a node defines, [`NO_NODE`] if there is none: a variable, or an extent of its array.
#[device]
fn defined(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    let literal = literal_with_count(i, nodes, facts);
    let scope = facts.scope[if literal.is_none() { i } else { literal }];
    let variable = NodeId::new(scope.variable);
    let parent = NodeId::new(facts.parent[i]);
    if variable.is_none() || parent.is_none() || facts.is_stable[variable] == 0 {
        return NO_NODE;
    }
    let first = facts.before[variable] * TERMS;
    if nodes.kind[parent] == Kind::Declare {
        return first;
    }
    let is_size = (scope.part == Part::Extent.code() as u32) & (nodes.kind[parent] == Kind::CheckSize);
    let is_count = (scope.part == Part::Array.code() as u32) & !literal.is_none();
    let is_extent = is_size | is_count;
    if is_extent & (scope.dimension < MAX_RANK) { first + 1 + scope.dimension } else { NO_NODE }
}

/// Returns 1 for a node before which all checks of sizes must come.
#[device(scan(Sum))]
fn relies(i: NodeId, nodes: &Nodes) -> u32 {
    let kind = nodes.kind[i];
    (kind == Kind::CheckIndex || (kind == Kind::Call && nodes.data[i] >= COUNT)) as u32
}

/// Returns whether a node is a check at the begin of its function.
#[device]
fn is_early_check(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    if nodes.kind[i] != Kind::CheckEqual {
        return false;
    }
    let statement = NodeId::new(facts.parent[i]);
    let block = NodeId::new(facts.parent[statement]);
    let function = NodeId::new(facts.scope[i].function);
    let is_own = (nodes.kind[statement] == Kind::Expression) & (facts.parent[block] == function.get());
    is_own && facts.relying[i] == facts.relying[function]
}

/// Returns the terms of an edge of a node, of which either may be none.
#[device]
fn ends(i: NodeId, nodes: &Nodes, facts: &Facts) -> (u32, u32) {
    if is_early_check(i, nodes, facts) {
        let left = term_of(i.plus(1), nodes, facts);
        return (left, term_of(NodeId::new(facts.end[i.plus(1)]), nodes, facts));
    }
    let first = defined(i, nodes, facts);
    (first, if first == NO_NODE { NO_NODE } else { term_of(i, nodes, facts) })
}

#[device(compact)]
fn is_edge(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let (a, b) = ends(i, nodes, facts);
    (a != NO_NODE) & (b != NO_NODE)
}

#[device(map)]
fn edge(e: usize, found: &[u32], nodes: &Nodes, facts: &Facts) -> (u32, u32) {
    ends(NodeId::new(found[e]), nodes, facts)
}

/// Returns whether a literal defines a term.
#[device(compact)]
fn is_literal(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    nodes.kind[i] == Kind::Literal && defined(i, nodes, facts) != NO_NODE
}

/// Returns the class that a literal is in.
#[device(map)]
fn class_of_literal(l: usize, found: &[u32], nodes: &Nodes, facts: &Facts, class: &[u32]) -> u32 {
    class[defined(NodeId::new(found[l]), nodes, facts) as usize]
}

#[device(compact)]
fn is_first(l: usize, keys: &[u32]) -> bool {
    l == 0 || keys[l] != keys[l - 1]
}

/// Returns a class and a literal in it.
#[device(map)]
fn class_and_literal(k: usize, chosen: &[u32], keys: &[u32], literals: &[u32]) -> (u32, u32) {
    (keys[chosen[k] as usize], literals[chosen[k] as usize])
}

/// An index of a term.
#[device(index)]
pub struct TermId(u32);

/// The class of equal terms that a term is in.
#[device(columns(Classes, index = TermId))]
pub struct Class {
    /// The class, the least of its terms.
    pub class: u32,
    /// The node of a literal in the class that has this term's number, [`NO_NODE`] without one.
    pub literal: u32,
}

/// Returns the facts about nodes.
pub fn facts<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<Facts<B>> {
    let n = nodes.len();
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let scope = scopes(backend, nodes, &parents)?;
    let parent = parents.into_column();
    let found = backend.compact(changes::of(nodes, &parent).rows(n))?;
    let mut writes = backend.filled(n, 0u32)?;
    backend.accumulate(&mut writes, changed::of(&found, nodes).rows(found.len()))?;
    let is_stable = backend.map(is_stable::of(nodes, &end, &scope, &writes).rows(n))?;
    let (before, _) = backend.scan_later(ScanKind::Exclusive, &is_stable, Sum)?;
    let (relying, _) = backend.scan_later(ScanKind::Inclusive, relies::of(nodes).rows(n), Sum)?;
    Ok(Facts { parent, end, scope, is_stable, before, relying })
}

/// Returns the classes of equal terms.
pub fn classes<B: Backend>(backend: &B, nodes: &Nodes<B>, facts: &Facts<B>) -> Result<Classes<B>> {
    let n = nodes.len();
    let found = backend.compact(is_edge::of(nodes, facts).rows(n))?;
    let (from, to) = backend.map(edge::of(&found, nodes, facts).rows(found.len()))?;
    let count = (backend.reduce(&facts.is_stable, Sum)? * TERMS) as usize;
    let (class, _) = joined(backend, alone(backend, count)?, &Edges { from, to })?;

    let found = backend.compact(is_literal::of(nodes, facts).rows(n))?;
    let keys = backend.map(class_of_literal::of(&found, nodes, facts, &class).rows(found.len()))?;
    let (keys, literals) = backend.sort_by_key(&keys, &found)?;
    let chosen = backend.compact(is_first::of(&keys))?;
    let (of, node) = backend.map(class_and_literal::of(&chosen, &keys, &literals))?;
    let mut literal = backend.filled(count, NO_NODE)?;
    backend.scatter(&mut literal, &of, &node)?;
    Ok(Classes { class, literal })
}
