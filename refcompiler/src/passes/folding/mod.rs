//! Folding: operators on literals become their values, and rules of algebra apply.
//!
//! ```text
//! DECLARE n = LITERAL 4   .. MUL (NAME n, NAME i) + SUB (NAME i, NAME i) ..
//! round 1                 .. MUL (LITERAL 4, NAME i) + LITERAL 0 ..
//! round 2                 .. MUL (LITERAL 4, NAME i) ..
//! ```
//!
//! A round is one upward walk that yields the values of operators, and then a change of each node alone:
//!
//! | node | becomes |
//! |---|---|
//! | an operator on literals | a literal |
//! | a read of a variable that is written once, by a declaration with a literal that is in the instructions of all targets | the literal. Operators know others too |
//! | an operator that a [rule](rules) fits | the operand, a literal, or another operator |
//! | a check of a literal index with a literal extent, if it holds | the index |
//! | `if` and `if[..]` with a literal as condition | the part |
//! | `while` with a literal 0, `for` with a literal below 1 | nothing |
//!
//! A node disappears, or stays in its place with another kind. So the new tree is a selection of the old nodes, which are counted by a scan.
//! Rounds are repeated until nothing changes, at most [`ROUNDS`] times. So a function has the same code in each part of a program.
//!
//! Sound, because each change keeps the bits of all values, and all effects and their order: only operands without effects disappear. A
//! part of a program with a function stays, since the function has a symbol; so does a conditional expression that declares a variable,
//! which the block around it can use. Rules are for ints only, and `constants` says which values of floats are computed.
//!
//! Cost: n nodes: work O(n) and a fixed number of templates for each round.
//! Source: LMS 2 (smart constructors), L0 5.3.

mod changes;
pub mod constants;
pub mod rules;

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::positions::Positions;
use changes::{Change, Changes, Facts, add_counts, changed, counted, value};
use constants::UNKNOWN;

/// The most rounds.
pub const ROUNDS: usize = 4;

/// Returns whether a node writes a variable after its declaration.
#[device(compact)]
fn writes(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Assign) | (nodes.kind[i] == Kind::Address)
}

/// Returns the variable of a write, and 1.
#[device(accumulate)]
fn written(w: usize, found: &[u32], nodes: &Nodes) -> (u32, u32) {
    (nodes.data[NodeId::new(found[w])], 1)
}

/// Returns the number of earlier children of the parent, at most 2.
#[device(map)]
fn child(i: u32, parents: &[u32], end: &[u32]) -> u32 {
    let parent = parents[i as usize];
    if (parent == NO_NODE) | (i == parent.wrapping_add(1)) {
        return 0;
    }
    if i == end[parent as usize + 1] { 1 } else { 2 }
}

/// Whether a node disappears, and how many nodes around it do of which it is a part that stays.
#[device]
struct Gone {
    is_gone: u32,
    around: u32,
}

#[device(walk_down)]
fn gone(i: NodeId, above: Gone, facts: &Facts, changes: &Changes) -> Gone {
    let parent = NodeId::new(facts.parent[i]);
    if parent.is_none() {
        return above;
    }
    let number = changes.number[parent];
    let goes = match changes.change[parent] {
        Change::Literal | Change::Nothing => true,
        Change::Child | Change::Operator => facts.child[i] != number,
        _ => false,
    };
    let is_child = changes.change[parent] == Change::Child;
    Gone { is_gone: (goes | (above.is_gone == 1)) as u32, around: above.around + is_child as u32 }
}

#[device(compact)]
fn is_kept(i: NodeId, gone: &[Gone], changes: &Changes) -> bool {
    (gone[i.index()].is_gone == 0) & (changes.change[i] != Change::Child)
}

/// Returns whether a declaration gets a literal, so that reads of its variable can change in another round.
#[device(compact)]
fn is_new_literal(i: NodeId, nodes: &Nodes, facts: &Facts, changes: &Changes) -> bool {
    let parent = NodeId::new(facts.parent[i]);
    (changes.change[i] == Change::Literal) && !parent.is_none() && nodes.kind[parent] == Kind::Declare
}

#[device(compact)]
fn is_changed(i: NodeId, changes: &Changes) -> bool {
    changes.change[i] != Change::Stays
}

#[device(map)]
fn index(q: usize, kept: &[u32]) -> (u32, u32) {
    (kept[q], q as u32)
}

/// Returns a node after the round.
#[device(map)]
fn node(
    q: usize,
    kept: &[u32],
    nodes: &Nodes,
    parents: &[u32],
    child: &[u32],
    changes: &Changes,
    gone: &[Gone],
    index: &[u32],
) -> Node {
    let i = NodeId::new(kept[q]);
    let kind = nodes.kind[i];
    let depth = nodes.depth[i] - gone[i.index()].around;
    let parent = NodeId::new(parents[i.index()]);
    let above = if parent.is_none() { Change::Stays } else { changes.change[parent] };
    if (above == Change::Shift) & (child[i.index()] == 1) {
        return Node { depth, kind: Kind::Literal, ty: Type::Int, data: changes.number[parent] };
    }
    let ty = nodes.ty[i];
    match changes.change[i] {
        Change::Literal => Node { depth, kind: Kind::Literal, ty: kind.type_of_value(ty), data: changes.number[i] },
        Change::Operator | Change::Shift => Node { depth, kind: changes.kind[i], ty, data: 0 },
        Change::Nothing => Node { depth, kind: Kind::Block, ty: Type::Void, data: 0 },
        _ => {
            let is_part = kind.is_part() & (above == Change::Child);
            let data = nodes.data[i];
            Node {
                depth,
                kind: if is_part { Kind::Ascribe } else { kind },
                ty,
                data: if kind.is_variable() { index[data as usize] } else { data },
            }
        }
    }
}

/// Does one round. Returns the nodes, and whether another round can change more.
fn round<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<(Nodes<B>, bool)> {
    let n = nodes.len();
    let (parents, end) = backend.nearest_smaller(&nodes.depth)?;
    let parent = parents.column().try_clone()?;
    let child = backend.map(child::of(&parent, &end).rows(n))?;
    let found = backend.compact(writes::of(&nodes).rows(n))?;
    let mut writes = backend.filled(n, 0u32)?;
    backend.accumulate(&mut writes, written::of(&found, &nodes).rows(found.len()))?;
    let (counts, _) = backend.scan_later(ScanKind::Inclusive, counted::of(&nodes).rows(n), add_counts)?;
    let value = backend.walk_slots(&parents, &child, 2, UNKNOWN, value::of(&nodes, &writes, &end, &counts))?;
    let facts = Facts { parent, end, child, value, counts };
    let changes: Changes<B> = backend.map(changed::of(&nodes, &facts).rows(n))?;
    if backend.compact(is_changed::of(&changes).rows(n))?.is_empty() {
        return Ok((nodes, false));
    }
    let has_new_literals = !backend.compact(is_new_literal::of(&nodes, &facts, &changes).rows(n))?.is_empty();
    let gone = backend.walk_down(&parents, Gone { is_gone: 0, around: 0 }, gone::of(&facts, &changes))?;
    let kept = backend.compact(is_kept::of(&gone, &changes).rows(n))?;
    let (old, new) = backend.map(index::of(&kept))?;
    let mut index = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut index, &old, &new)?;
    positions.follow(backend, || kept.try_clone())?;
    let node = node::of(&kept, &nodes, &facts.parent, &facts.child, &changes, &gone, &index);
    // A new shift in the place of a product is all else, and no rule fits it.
    Ok((backend.map(node.rows(kept.len()))?, has_new_literals || kept.len() < n))
}

#[device(reduce(Sum))]
fn is_literal(i: NodeId, nodes: &Nodes) -> u32 {
    (nodes.kind[i] == Kind::Literal) as u32
}

/// Folds literals, and applies the rules of algebra.
///
/// # Errors
/// Only errors of the backend.
pub fn folding<B: Backend>(backend: &B, nodes: Nodes<B>, positions: &mut Positions<B>) -> Result<Nodes<B>> {
    let mut nodes = nodes;
    // Few rules fit a program without literals.
    if backend.reduce(is_literal::of(&nodes), Sum)? == 0 {
        return Ok(nodes);
    }
    for _ in 0..ROUNDS {
        let (after, is_open) = round(backend, nodes, positions)?;
        nodes = after;
        if !is_open {
            break;
        }
    }
    Ok(nodes)
}
