//! Checks that a counted loop or an earlier check implies: they disappear.
//!
//! ```text
//! FOR (COUNT NAME n, BLOCK { .. CHECK_INDEX(NAME i, EXTENT a) .. })        n and extent 0 of a are equal
//! FOR (COUNT NAME n, BLOCK { .. NAME i .. })
//! ```
//!
//! The counter i of a `for i < b` is at least 0 and less than b, and nothing assigns it. So an index i + d is less than an extent e if d is a
//! literal, not negative, and b + d is at most e. This is known if
//!
//! - b is t - c and e is t, for one number t that does not change, and d is at most c. Here c is a literal, not negative, and t is an
//!   extent, so nothing wraps;
//! - b and e are literals, or equal to literals, and the numbers fit.
//!
//! The counter k of a loop around may be subtracted from b: b is t - c - k. It is at least 0, so b is at most t - c. It is less than its own
//! bound, so b does not wrap if this is a literal that is not large, or t minus a literal.
//!
//! `terms` finds which numbers are equal. The check is cut (`passes/cuts.rs`), and the extent disappears with it; the index stays.
//!
//! A check that repeats an earlier one is implied by it (`repeats`).
//!
//! Refused: everything else. A check that stays is at its old place, so failures, their order and all output before them are the same. The
//! condition of a `while` implies no check, since it does not bound an index after an assignment.
//!
//! Cost: n nodes: work O(n), and log r rounds for r terms that are equal to each other in a chain. Programs without checks only look for one.
//!
//! Source: Vector Pascal's bounds (V7); L0 9.1, size analysis: equal sizes by connected components.

mod repeats;
mod scopes;
mod terms;

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::passes::cuts::{Cut, Cuts, without};
use repeats::repeats;
use terms::{Classes, Facts, TermId, classes, facts, term_of};

/// The greatest literal that is added to an index, or subtracted from a bound.
const MOST: u32 = 1 << 24;

/// A number: a base and an offset from it.
#[device]
struct Number {
    /// A class of terms, [`NO_NODE`] without one.
    class: u32,
    /// The summand, modulo 2^32.
    offset: u32,
    /// 1 if the offset is all.
    is_literal: u32,
    /// 1 if it is known.
    is_known: u32,
}

/// Returns the operand of an addition that is not a literal, and the literal; of another node, itself and 0.
#[device]
fn with_literal(i: NodeId, nodes: &Nodes, facts: &Facts) -> (NodeId, u32) {
    let kind = nodes.kind[i];
    let is_sum = ((kind == Kind::Add) | (kind == Kind::Sub)) & (nodes.ty[i] == Type::Int);
    if !is_sum {
        return (i, 0);
    }
    let left = i.plus(1);
    let right = NodeId::new(facts.end[left]);
    if nodes.kind[right] == Kind::Literal {
        let literal = nodes.data[right];
        return (left, if kind == Kind::Add { literal } else { literal.wrapping_neg() });
    }
    if (nodes.kind[left] == Kind::Literal) & (kind == Kind::Add) {
        return (right, nodes.data[left]);
    }
    (i, 0)
}

/// Returns the known part of the value of a node.
#[device]
fn number(i: NodeId, nodes: &Nodes, facts: &Facts, classes: &Classes) -> Number {
    let (base, offset) = with_literal(i, nodes, facts);
    if nodes.kind[base] == Kind::Literal {
        return Number { class: NO_NODE, offset: nodes.data[base].wrapping_add(offset), is_literal: 1, is_known: 1 };
    }
    let term = TermId::new(term_of(base, nodes, facts));
    if term.is_none() {
        return Number { class: NO_NODE, offset: 0, is_literal: 0, is_known: 0 };
    }
    let own = classes.class[term];
    let equal = classes.literal[TermId::new(own)];
    if equal != NO_NODE {
        let value = nodes.data[NodeId::new(equal)];
        return Number { class: own, offset: value.wrapping_add(offset), is_literal: 1, is_known: 1 };
    }
    Number { class: own, offset, is_literal: 0, is_known: 1 }
}

/// Returns whether a number minus a counter cannot wrap, given the bound of the counter.
#[device]
fn is_small(bound: Number, from: Number) -> bool {
    if bound.is_known == 0 || from.is_known == 0 {
        return false;
    }
    let most = MOST as i32;
    if bound.is_literal == 1 {
        return (bound.offset as i32) <= most && (from.is_literal == 0 || (from.offset as i32) >= -most);
    }
    from.is_literal == 0 && bound.class == from.class && bound.offset.wrapping_neg() <= MOST
}

/// Returns a number that the value of node `i`, a bound, is at most. 1 if it may be less: then a counter is subtracted from the number.
#[device]
fn bound_of(i: NodeId, nodes: &Nodes, facts: &Facts, classes: &Classes) -> (Number, u32) {
    let (base, offset) = with_literal(i, nodes, facts);
    if (nodes.kind[base] != Kind::Sub) | (nodes.ty[base] != Type::Int) {
        return (number(i, nodes, facts, classes), 0);
    }
    let left = base.plus(1);
    let right = NodeId::new(facts.end[left]);
    let from = number(left, nodes, facts, classes);
    let none = Number { class: NO_NODE, offset: 0, is_literal: 0, is_known: 0 };
    if nodes.kind[right] != Kind::Name {
        return (none, 0);
    }
    let counter = NodeId::new(nodes.data[right]);
    if nodes.kind[counter] != Kind::Count || facts.scope[counter].function != facts.scope[i].function {
        return (none, 0);
    }
    let offset = from.offset.wrapping_add(offset);
    let total = Number { class: from.class, offset, is_literal: from.is_literal, is_known: from.is_known };
    if is_small(number(counter.plus(1), nodes, facts, classes), total) { (total, 1) } else { (none, 0) }
}

/// Returns whether a number from 0 on that is less than `bound` is less than `limit` if `added` is added to it. `is_extent` says whether
/// the limit cannot be negative, `is_less` whether the bound may be less than the number `bound`.
#[device]
fn fits(bound: Number, is_less: bool, added: u32, limit: Number, is_extent: bool) -> bool {
    if bound.is_known == 0 || limit.is_known == 0 || added > MOST {
        return false;
    }
    if bound.is_literal == 1 {
        let last = bound.offset as i32 as i64 + added as i64;
        return limit.is_literal == 1 && last <= limit.offset as i32 as i64;
    }
    let less = bound.offset.wrapping_neg();
    let is_same = limit.is_literal == 0 && limit.offset == 0 && bound.class == limit.class;
    is_same && less <= MOST && added <= less && ((less == 0 && !is_less) || is_extent)
}

/// Returns whether a node is a check that holds.
#[device(compact)]
fn holds(i: NodeId, nodes: &Nodes, facts: &Facts, classes: &Classes, is_repeated: &[u32]) -> bool {
    if nodes.kind[i] != Kind::CheckIndex {
        return false;
    }
    if is_repeated[i.index()] == 1 {
        return true;
    }
    let (index, added) = with_literal(i.plus(1), nodes, facts);
    if nodes.kind[index] != Kind::Name {
        return false;
    }
    let counter = NodeId::new(nodes.data[index]);
    if nodes.kind[counter] != Kind::Count || facts.scope[counter].function != facts.scope[i].function {
        return false;
    }
    let (bound, is_less) = bound_of(counter.plus(1), nodes, facts, classes);
    let right = NodeId::new(facts.end[i.plus(1)]);
    let limit = number(right, nodes, facts, classes);
    fits(bound, is_less == 1, added, limit, nodes.kind[right] != Kind::Name)
}

/// Returns the cut of a check, except for its index.
#[device(map)]
fn cut(c: usize, found: &[u32], end: &[u32]) -> Cut {
    let i = found[c];
    Cut { from: i, first: i + 1, last: end[i as usize + 1], end: end[i as usize], up: 1 }
}

#[device(reduce(Sum))]
fn may_hold(i: NodeId, nodes: &Nodes) -> u64 {
    let kind = nodes.kind[i];
    ((kind == Kind::CheckIndex) as u64) << 32 | (kind == Kind::For) as u64
}

/// Removes the checks that counted loops and earlier checks imply.
///
/// # Errors
/// Only errors of the backend.
pub fn checks<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let n = nodes.len();
    let counts = backend.reduce(may_hold::of(&nodes), Sum)?;
    if counts >> 32 == 0 || (counts >> 32 == 1 && counts as u32 == 0) {
        return Ok(nodes);
    }
    let facts = facts(backend, &nodes)?;
    let classes = classes(backend, &nodes, &facts)?;
    let mut is_repeated = backend.filled(n, 0u32)?;
    let found = repeats(backend, &nodes, &facts, &classes)?;
    let ones = backend.filled(found.len(), 1u32)?;
    backend.scatter(&mut is_repeated, &found, &ones)?;
    let found = backend.compact(holds::of(&nodes, &facts, &classes, &is_repeated).rows(n))?;
    if found.is_empty() {
        return Ok(nodes);
    }
    let cuts: Cuts<B> = backend.map(cut::of(&found, &facts.end).rows(found.len()))?;
    Ok(without(backend, &nodes, &cuts, positions)?.0)
}
