//! Doubts: possible warnings.
//!
//! ```text
//! fn f[x: int, y: int]: int {      y is not read
//!     if 3 { x; }                  a condition without a name or an effect; a statement without an effect
//!     return x;
//!     x = 1;                       after a statement that does not fall
//! }
//! ```
//!
//! The sequential front end writes the warnings. It runs only if there is a doubt, so a doubt may be wrong, but a program
//! without doubts has no warnings. Doubts are exact but for these: a long name that begins with `_`, an assignment in
//! parentheses as a condition, functions and `;` after a `return`, and `if` statements with a `return` at the same end in
//! both parts.
//!
//! A statement does not fall if control does not reach its end. A `return` or endless loop that is not the last statement of
//! its block is a doubt by itself. So a block or `if` that does not fall has one at the end of each of its parts, and
//! counts of such ends replace a walk.
//!
//! Cost: work O(n), one fill, one accumulate and one reduce over variables and statements; conditions and expression
//! statements are read once more, up to their first name or effect.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Kinds};
use crate::ir::nodes::NodeId;
use crate::ir::scopes::{body_after, bracket_of};
use crate::ir::sets::select;
use crate::ir::syntax::{Class, SyntaxNodes, SyntaxTokens};
use crate::ir::tokens::{NameId, Names};

/// No node.
const NONE: u32 = u32::MAX;

/// The kinds that do more than compute a value, and the operations on arrays that are written as calls.
const EFFECTS: Kinds = Kinds::of(&[
    Kind::Call,
    Kind::Assign,
    Kind::Declare,
    Kind::Size,
    Kind::Replicate,
    Kind::Sequence,
    Kind::Where,
    Kind::Print,
]);

/// The kinds whose value is not always the same, or that do more than compute it.
const VARIABLE: Kinds = EFFECTS.union(Kinds::of(&[Kind::Name]));

/// Returns whether the condition of a loop is a literal that is true.
#[device]
fn is_endless(node: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    let condition = node.plus(1);
    nodes.kind[condition] == Kind::Literal && tokens.value[nodes.token[condition]] != 0
}

/// Returns the declaration that row `r` reads, or the number of nodes plus the end of a `return` or an endless loop; and 1.
#[device(accumulate)]
fn read_or_end(r: usize, rows: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens, data: &[u32]) -> (u32, u32) {
    let i = NodeId::new(rows[r]);
    // Selections rather than branches, but for rare cases: the kinds of rows are hard to predict.
    let kind = nodes.kind[i];
    let is_name = kind == Kind::Name;
    let ends = kind == Kind::Return || (kind == Kind::While && is_endless(i, nodes, tokens));
    let end = data.len() as u32 + nodes.end[i];
    (select(is_name, data[i.index()], select(ends, end, NONE)), 1)
}

/// Returns whether another child of the same node follows node `i`.
#[device]
fn has_next(i: NodeId, nodes: &SyntaxNodes) -> bool {
    let end = nodes.end[i];
    (end as usize) < nodes.len() && nodes.depth[NodeId::new(end)] == nodes.depth[i]
}

/// Returns whether no node from `first` up to `end` has one of some kinds.
#[device]
fn has_none(first: NodeId, end: u32, kinds: Kinds, nodes: &SyntaxNodes) -> bool {
    let mut node = first;
    while node.get() < end && !kinds.contains(nodes.kind[node]) {
        node = node.plus(1);
    }
    node.get() == end
}

/// Returns the number of doubts about row `r`. `counts` has the reads of declarations and the ends of statements.
#[device(reduce(Sum))]
fn doubt(r: usize, rows: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens, names: &Names, counts: &[u32]) -> u32 {
    let i = NodeId::new(rows[r]);
    let n = nodes.len();
    let kind = nodes.kind[i];
    let end = nodes.end[i];
    if kind == Kind::Name || kind == Kind::Assign {
        return 0;
    }
    if kind == Kind::Param || kind == Kind::Element || kind.is_declaration() {
        let is_read = counts[i.index()] > 0;
        return (!is_read && is_free(i, nodes, tokens) && !is_underscored(i, nodes, tokens, names)) as u32;
    }
    if kind == Kind::Expression {
        return has_none(i.plus(1), end, EFFECTS, nodes) as u32;
    }
    if kind == Kind::Return {
        return has_next(i, nodes) as u32;
    }
    if kind == Kind::Block {
        return (has_next(i, nodes) && is_statement(i, nodes, tokens) && counts[n + end as usize] > 0) as u32;
    }
    if kind != Kind::While && kind != Kind::If && kind != Kind::IfElse {
        return 0;
    }
    let condition = i.plus(1);
    let block = NodeId::new(nodes.end[condition]);
    if kind == Kind::While && is_endless(i, nodes, tokens) {
        return has_next(i, nodes) as u32;
    }
    let is_fixed = has_none(condition, block.get(), VARIABLE, nodes);
    let is_assigned = nodes.kind[condition] == Kind::Assign;
    let then_end = nodes.end[block] as usize;
    let is_end = kind == Kind::IfElse && counts[n + then_end] > 0 && counts[n + end as usize] > 0;
    (is_fixed || is_assigned || (is_end && has_next(i, nodes))) as u32
}

/// Returns whether a declaration is not a parameter of an `extern`.
#[device]
fn is_free(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    if nodes.kind[i] != Kind::Param {
        return true;
    }
    let bracket = bracket_of(nodes.token[i].minus(1), tokens);
    tokens.class[body_after(bracket, tokens)] != Class::EndExtern
}

/// Returns whether the name of a declaration begins with `_`. Of a long name this is not known.
#[device]
fn is_underscored(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens, names: &Names) -> bool {
    names.key[NameId::new(tokens.value[nodes.token[i]])] & 255 == b'_' as u64
}

/// Returns whether a block is a statement by itself, and not a part of one.
#[device]
fn is_statement(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    tokens.class[nodes.token[i]] == Class::Block
}

/// Counts the doubts about a part. `rows` are its variables and statements, and `data` has the declaration of each name.
pub fn doubts<B: Backend>(
    backend: &B,
    rows: &B::Vec<u32>,
    nodes: &SyntaxNodes<B>,
    (tokens, names): (&SyntaxTokens<B>, &Names<B>),
    data: &B::Vec<u32>,
) -> Result<B::Value<u32>> {
    let mut counts = backend.filled(2 * nodes.len() + 1, 0)?;
    backend.accumulate(&mut counts, read_or_end::of(rows, nodes, tokens, data).rows(rows.len()))?;
    backend.reduce_later(doubt::of(rows, nodes, tokens, names, &counts).rows(rows.len()), Sum)
}
