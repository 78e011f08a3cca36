//! The syntax tree: tokens of a valid program become nodes in preorder.
//!
//! ```text
//! token     x    =  a     +    b     *    2        ;              x = a + b * 2;
//! class     Head .  Name  Bin  Name  Bin  Number   EndExpression
//! first                   2          4             0              the first token, where it is not the node's own
//! end       7             7          7             8              one past the last token, if it has several
//! depth     1       3     2    4     3    4        0
//! node      1       3     2    5     4    6        0              preorder: ; x + a * b 2
//! ```
//!
//! A node is a token, so the tree is a set of intervals of tokens, which [`syntax`](super::syntax) finds.
//!
//! Two histograms count the intervals that begin before their own token and all that end, by token. One scan adds them
//! up. The depth of a node is the number of intervals around it. Nodes that begin at the same token are a path
//! downwards, so a node's index is the index of the first of them plus the difference of depths. The pass that writes the
//! nodes also finds the bits of literals, and the [origins](crate::ir::origins) of types.
//!
//! Only for programs without violations.
//!
//! Cost: work O(n), 2 histograms, 1 scan, 2 maps, 1 scatter and 1 compaction: about 120 bytes per token.
//! Source: Cartesian trees by nearest smaller values (Berkman, Schieber, Vishkin 1993); no walk, and no sort.

use treepar::device::device;
use treepar::{Backend, Result};

use super::choices::name_parts;
use crate::ir::kinds::Kind;
use crate::ir::meaning::Origin;
use crate::ir::nodes::NodeId;
use crate::ir::origins::facts_of;
use crate::ir::sets::{mask, select};
use crate::ir::syntax::{Checked, Classified, INFIX, PREFIX, Parsed, Spans, SyntaxNodes};
use crate::ir::tokens::{TokenId, Tokens};

/// No token, or no node.
const NONE: u32 = u32::MAX;

/// The intervals of tokens around a token.
#[device(columns(Positions, index = TokenId))]
struct Position {
    /// The depth of the token's node.
    depth: u32,
    /// The index of the first node that begins at the token, minus its depth.
    lead: u32,
    /// The number of nodes that begin before the token.
    nodes: u32,
}

/// A node, with the facts that its tokens determine.
#[device(columns(ReadNodes, index = NodeId))]
struct ReadNode {
    /// The depth, as in [`SyntaxNodes`].
    depth: u32,
    /// The kind.
    kind: Kind,
    /// The token, as in [`SyntaxNodes`].
    token: TokenId,
    /// The end of its subtree.
    end: u32,
    /// The bits of a literal, else 0.
    data: u32,
    /// The origin of its type.
    origin: Origin,
}

/// Nodes of a run of tokens.
#[device]
pub struct Count {
    /// The nodes that begin in it minus the nodes that end in it.
    pub depth: u32,
    /// The nodes that begin in it.
    pub nodes: u32,
}

#[device(monoid(identity = Count { depth: 0, nodes: 0 }))]
fn add(a: Count, b: Count) -> Count {
    Count { depth: a.depth.wrapping_add(b.depth), nodes: a.nodes.wrapping_add(b.nodes) }
}

/// Returns the nodes that begin and end at token `t`.
#[device(scanned)]
fn count(t: TokenId, tokens: &Classified, begins: &[u32], ends: &[u32]) -> Count {
    let begins = begins[t.index()] + PREFIX.contains(tokens.class[t]) as u32;
    Count { depth: begins.wrapping_sub(ends[t.index()]), nodes: begins }
}

/// Returns the intervals around token `t`. The deepest of them is its node, if it has one.
#[device(scan_map(count, add))]
fn position(t: TokenId, before: Count, tokens: &Classified, begins: &[u32], ends: &[u32]) -> Position {
    let open = before.depth.wrapping_sub(ends[t.index()]);
    let begins = begins[t.index()] + PREFIX.contains(tokens.class[t]) as u32;
    let depth = open.wrapping_add(begins).wrapping_sub(1);
    Position { depth, lead: before.nodes.wrapping_sub(open), nodes: before.nodes }
}

/// Returns the node of token `t` twice: for the result, and as the target of the token.
#[device(map)]
fn node(t: TokenId, tokens: &Classified, spans: &Spans, positions: &Positions) -> (u32, u32) {
    let first = spans.first[t];
    let begin = if first == NONE { t.get() } else { first };
    let node = positions.lead[TokenId::new(begin)].wrapping_add(positions.depth[t]);
    let has_node = PREFIX.union(INFIX).contains(tokens.class[t]);
    (if has_node { node } else { NONE }, t.get())
}

/// Returns the kind of the node `i` of token `t`, which is an `if` or `elif`: a part after its block ends later.
#[device]
fn kind_of_if(i: NodeId, t: TokenId, token: &[u32], spans: &Spans, positions: &Positions) -> Kind {
    let condition = TokenId::new(token[i.index() + 1]);
    let block = positions.nodes[TokenId::new(spans.end[condition])];
    let end = spans.end[TokenId::new(token[block as usize])];
    if spans.end[t] == end { Kind::If } else { Kind::IfElse }
}

/// Returns node `i`.
#[device(map)]
fn read_node(
    i: NodeId,
    token: &[u32],
    tokens: &Tokens,
    classified: &Classified,
    spans: &Spans,
    positions: &Positions,
) -> ReadNode {
    // Selections rather than branches, except for rare kinds: classes are hard to predict.
    let t = TokenId::new(token[i.index()]);
    let facts = facts_of(classified.class[t], tokens.kind[t]);
    let mut kind = facts.kind();
    if kind == Kind::If {
        kind = kind_of_if(i, t, token, spans, positions);
    }
    let shown = TokenId::new(select(facts.begins_before(), spans.first[t], t.get() + facts.name_offset()));
    // An argument ends with its only child.
    let last = TokenId::new(token[i.index() + facts.is_argument() as usize]);
    let end = positions.nodes[TokenId::new(spans.end[last])];
    let data = tokens.value[shown] & mask(facts.is_literal());
    let origin = facts.origin(shown, tokens);
    ReadNode { depth: positions.depth[t], kind, token: shown, end, data, origin }
}

/// Builds the tree of a program without violations.
pub fn parse<B: Backend>(
    backend: &B,
    tokens: &Tokens<B>,
    classified: &Classified<B>,
    checked: &Checked<B>,
) -> Result<Parsed<B>> {
    let n = tokens.len();
    let spans = &checked.spans;
    let begins = backend.histogram(&spans.first, n)?;
    let ends = backend.histogram(&spans.end, n)?;
    let positions = position::of(classified, &begins, &ends);
    let (positions, total) = backend.scan_map(count::of(classified, &begins, &ends), add, positions)?;

    let (node, tokens_in_order) = backend.map(node::of(classified, spans, &positions))?;
    let m = total.nodes as usize;
    let mut token = backend.allocate(m)?;
    backend.scatter(&mut token, &node, &tokens_in_order)?;
    drop(tokens_in_order);
    let nodes = backend.map(read_node::of(&token, tokens, classified, spans, &positions).rows(m))?;
    let ReadNodes { depth, kind, token, end, data, origin: mut origins } = nodes;
    let mut nodes = SyntaxNodes { depth, kind, token, end };
    let choices = name_parts(backend, &mut nodes, &mut origins)?;
    Ok(Parsed { nodes, node, data, origins, choices })
}
