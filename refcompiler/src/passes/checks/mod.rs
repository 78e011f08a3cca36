//! Checks that a counted loop implies: they disappear.
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
//! `terms` finds which numbers are equal. The check is replaced by its index, and the extent disappears with it.
//!
//! Refused: everything else. A check that stays is at its old place, so failures, their order and all output before them are the same. An
//! index in a `while` is never known, since the loop's condition is no bound after an assignment.
//!
//! Cost: n nodes: work O(n), and log r rounds for r terms that are equal to each other in a chain. Programs without checks only look for one.
//!
//! Source: Vector Pascal's bounds (V7); L0 9.1, size analysis: equal sizes by connected components.

mod scopes;
mod terms;

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::positions::Positions;
use scopes::{Scope, scopes};
use terms::{Terms, Variables, term_of, terms};

/// The greatest literal that is added to an index, or subtracted from a bound.
const MOST: u32 = 1 << 24;

/// A number: a base and an offset from it.
#[device]
struct Number {
    /// A class of terms, [`NO_NODE`] without one.
    class: u32,
    /// What is added, modulo 2^32.
    offset: u32,
    /// 1 if the offset is all.
    is_literal: u32,
    /// 1 if it is known.
    is_known: u32,
}

/// Returns the operand of an addition that is not a literal, and the literal; of another node, itself and 0.
#[device]
fn with_literal(i: NodeId, nodes: &Nodes, end: &[u32]) -> (NodeId, u32) {
    let kind = nodes.kind[i];
    let is_sum = ((kind == Kind::Add) | (kind == Kind::Sub)) & (nodes.ty[i] == Type::Int);
    if !is_sum {
        return (i, 0);
    }
    let left = i.plus(1);
    let right = NodeId::new(end[left.index()]);
    if nodes.kind[right] == Kind::Literal {
        let literal = nodes.data[right];
        return (left, if kind == Kind::Add { literal } else { literal.wrapping_neg() });
    }
    if (nodes.kind[left] == Kind::Literal) & (kind == Kind::Add) {
        return (right, nodes.data[left]);
    }
    (i, 0)
}

/// Returns what is known about the value of a node.
#[device]
fn number(
    i: NodeId,
    nodes: &Nodes,
    end: &[u32],
    scopes: &[Scope],
    is_stable: &[u32],
    before: &[u32],
    class: &[u32],
    literal: &[u32],
) -> Number {
    let (base, offset) = with_literal(i, nodes, end);
    if nodes.kind[base] == Kind::Literal {
        return Number { class: NO_NODE, offset: nodes.data[base].wrapping_add(offset), is_literal: 1, is_known: 1 };
    }
    let term = term_of(base, nodes, scopes, is_stable, before);
    if term == NO_NODE {
        return Number { class: NO_NODE, offset: 0, is_literal: 0, is_known: 0 };
    }
    let own = class[term as usize];
    let equal = literal[own as usize];
    if equal != NO_NODE {
        let value = nodes.data[NodeId::new(equal)];
        return Number { class: own, offset: value.wrapping_add(offset), is_literal: 1, is_known: 1 };
    }
    Number { class: own, offset, is_literal: 0, is_known: 1 }
}

/// Returns whether a number from 0 on that is less than `bound` is less than `limit` if `added` is added to it. `is_extent` says whether
/// the limit cannot be negative.
#[device]
fn fits(bound: Number, added: u32, limit: Number, is_extent: bool) -> bool {
    if bound.is_known == 0 || limit.is_known == 0 || added > MOST {
        return false;
    }
    if bound.is_literal == 1 {
        let last = bound.offset as i32 as i64 + added as i64;
        return limit.is_literal == 1 && last <= limit.offset as i32 as i64;
    }
    let less = bound.offset.wrapping_neg();
    let is_same = limit.is_literal == 0 && limit.offset == 0 && bound.class == limit.class;
    is_same && less <= MOST && added <= less && (less == 0 || is_extent)
}

/// Returns 1 for a check that holds.
#[device(map)]
fn holds(
    i: NodeId,
    nodes: &Nodes,
    end: &[u32],
    scopes: &[Scope],
    is_stable: &[u32],
    before: &[u32],
    class: &[u32],
    literal: &[u32],
) -> u32 {
    if nodes.kind[i] != Kind::CheckIndex {
        return 0;
    }
    let (index, added) = with_literal(i.plus(1), nodes, end);
    if nodes.kind[index] != Kind::Name {
        return 0;
    }
    let counter = NodeId::new(nodes.data[index]);
    if nodes.kind[counter] != Kind::Count || scopes[counter.index()].function != scopes[i.index()].function {
        return 0;
    }
    let bound = number(counter.plus(1), nodes, end, scopes, is_stable, before, class, literal);
    let right = NodeId::new(end[i.index() + 1]);
    let limit = number(right, nodes, end, scopes, is_stable, before, class, literal);
    fits(bound, added, limit, nodes.kind[right] != Kind::Name) as u32
}

/// Whether a node disappears, and how many checks around it do.
#[device]
struct Gone {
    is_gone: u32,
    around: u32,
}

#[device(walk_down)]
fn gone(i: usize, above: Gone, holds: &[u32], parents: &[u32]) -> Gone {
    let parent = parents[i];
    if parent == NO_NODE || holds[parent as usize] == 0 {
        return above;
    }
    Gone { is_gone: (above.is_gone == 1 || i as u32 != parent + 1) as u32, around: above.around + 1 }
}

#[device(compact)]
fn stays(i: usize, gone: &[Gone], holds: &[u32]) -> bool {
    (gone[i].is_gone == 0) & (holds[i] == 0)
}

#[device(map)]
fn index(q: usize, kept: &[u32]) -> (u32, u32) {
    (kept[q], q as u32)
}

#[device(map)]
fn node(q: usize, kept: &[u32], nodes: &Nodes, gone: &[Gone], index: &[u32]) -> Node {
    let i = NodeId::new(kept[q]);
    let kind = nodes.kind[i];
    let data = nodes.data[i];
    Node {
        depth: nodes.depth[i] - gone[i.index()].around,
        kind,
        ty: nodes.ty[i],
        data: if kind.is_variable() { index[data as usize] } else { data },
    }
}

#[device(reduce(Sum))]
fn may_hold(i: NodeId, nodes: &Nodes) -> u64 {
    let kind = nodes.kind[i];
    ((kind == Kind::CheckIndex) as u64) << 32 | (kind == Kind::For) as u64
}

/// Removes the checks that counted loops imply.
///
/// # Errors
/// Only errors of the backend.
pub fn checks<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let n = nodes.len();
    let counts = backend.reduce(may_hold::of(&nodes), Sum)?;
    if counts >> 32 == 0 || counts as u32 == 0 {
        return Ok(nodes);
    }
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let scopes = scopes(backend, &nodes, &parents)?;
    let Terms { variables, class, literal } = terms(backend, &nodes, (&parents, &end), &scopes)?;
    let Variables { is_stable, before } = variables;
    let holds = holds::of(&nodes, &end, &scopes, &is_stable, &before, &class, &literal);
    let holds = backend.map(holds.rows(n))?;
    let gone = backend.walk_down(&parents, Gone { is_gone: 0, around: 0 }, gone::of(&holds, parents.column()))?;
    let kept = backend.compact(stays::of(&gone, &holds))?;
    if kept.len() == n {
        return Ok(nodes);
    }
    let (old, new) = backend.map(index::of(&kept))?;
    let mut index = backend.filled(n, 0u32)?;
    backend.scatter(&mut index, &old, &new)?;
    positions.follow(backend, || kept.try_clone())?;
    backend.map(node::of(&kept, &nodes, &gone, &index).rows(kept.len()))
}
