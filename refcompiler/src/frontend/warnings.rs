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
//! Cost: work O(n), one accumulate and one reduce; conditions and expression statements are read once more, up to their
//! first name or effect.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Kinds};
use crate::ir::nodes::NodeId;
use crate::ir::syntax::SyntaxNodes;
use crate::ir::tokens::{NameId, Names, TokenKind, Tokens};

/// No node.
const NONE: u32 = u32::MAX;

/// The kinds that do more than compute a value.
const EFFECTS: Kinds = Kinds::of(&[Kind::Call, Kind::Assign, Kind::Declare]);

/// The kinds whose value is not always the same, or that do more than compute it.
const VARIABLE: Kinds = Kinds::of(&[Kind::Call, Kind::Assign, Kind::Declare, Kind::Name]);

/// Returns whether the condition of a loop is a literal that is true.
#[device]
fn is_endless(node: NodeId, nodes: &SyntaxNodes, tokens: &Tokens) -> bool {
    let condition = node.plus(1);
    nodes.kind[condition] == Kind::Literal && tokens.value[nodes.token[condition]] != 0
}

/// Returns the declaration that a name reads, or the number of nodes plus the end of a `return` or an endless loop; and 1.
#[device(accumulate)]
fn read_or_end(i: NodeId, nodes: &SyntaxNodes, tokens: &Tokens, data: &[u32]) -> (u32, u32) {
    let kind = nodes.kind[i];
    if kind == Kind::Name {
        return (data[i.index()], 1);
    }
    let ends = kind == Kind::Return || (kind == Kind::While && is_endless(i, nodes, tokens));
    (if ends { data.len() as u32 + nodes.end[i] } else { NONE }, 1)
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

/// Returns the number of doubts about node `i`. `counts` has the reads of declarations and the ends of statements,
/// `scope` the function of each parameter.
#[device(reduce(Sum))]
fn doubt(i: NodeId, nodes: &SyntaxNodes, tokens: &Tokens, names: &Names, counts: &[u32], scope: &[u32]) -> u32 {
    let n = nodes.len();
    let kind = nodes.kind[i];
    let end = nodes.end[i];
    if kind == Kind::Param || kind == Kind::Declare {
        let name = NameId::new(tokens.value[nodes.token[i]]);
        let is_free = kind == Kind::Declare || nodes.kind[NodeId::new(scope[i.index()])] == Kind::Function;
        return (is_free && counts[i.index()] == 0 && names.key[name] & 255 != b'_' as u64) as u32;
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

/// Returns whether a block is a statement by itself, and not a part of one: its token follows `{`, `}` or `;`.
#[device]
fn is_statement(i: NodeId, nodes: &SyntaxNodes, tokens: &Tokens) -> bool {
    let before = tokens.kind[nodes.token[i].minus(1)];
    before == TokenKind::LeftBrace || before == TokenKind::RightBrace || before == TokenKind::Semicolon
}

/// Counts the doubts about a part without errors. `data` has the declaration of each name, and `scope` the function of each
/// parameter.
pub fn doubts<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    (tokens, names): (&Tokens<B>, &Names<B>),
    data: &B::Vec<u32>,
    scope: &B::Vec<u32>,
) -> Result<u32> {
    let n = nodes.len();
    let mut counts = backend.filled(2 * n + 1, 0)?;
    backend.accumulate(&mut counts, read_or_end::of(nodes, tokens, data).rows(n))?;
    backend.reduce(doubt::of(nodes, tokens, names, &counts, scope).rows(n), Sum)
}
