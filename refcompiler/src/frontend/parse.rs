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
//! A node is a token, so the tree is a set of intervals of tokens. A left-associative operator begins after its
//! previous smaller key and ends at its next smaller or equal key. Other nodes begin with their own token, and their
//! ends are one or two such steps away. A run of unary operators ends where the first of them ends, and so does
//! a chain of assignments. The parts of an `if` end together: the last block of a chain writes its end to the `if`,
//! which is the previous smaller key of every part.
//!
//! Two histograms count the intervals that begin before their own token and all that end, by token. One scan adds them
//! up. The depth of a node is the number of intervals around it. Nodes that begin at the same token are a path
//! downwards, so a node's index is the index of the first of them plus the difference of depths.
//!
//! Only for programs without violations: see [`syntax`](super::syntax).
//!
//! Cost: work O(n), 1 compact, 2 histograms, 2 scans, 2 maps and 2 scatters: about 140 bytes per token.
//! Source: Cartesian trees by nearest smaller values (Berkman, Schieber, Vishkin 1993); no walk, and no sort.

use treepar::device::device;
use treepar::monoid::Max;
use treepar::{Backend, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::NodeId;
use crate::ir::syntax::{
    ARGUMENTS, BRACES, Checked, Class, Classes, Classified, INFIX, LEAVES, NAME_OFFSETS, NODE_KINDS, OPERATOR_KINDS,
    OTHERWISE, PREFIX, Parsed, SEMICOLONS, SyntaxNode,
};
use crate::ir::tokens::{TokenId, TokenKind, Tokens};

/// No token, or no node.
const NONE: u32 = u32::MAX;

/// The classes of tokens that an expression statement can follow, except `}`.
const BOUNDARIES: Classes = BRACES.union(SEMICOLONS);

/// The tokens of a node.
#[device(columns(Spans, index = TokenId))]
struct Span {
    /// The first token of a node that begins before its own token, else `NONE`.
    first: u32,
    /// One past the last token, `NONE` if the token has no node. Each bracket and comma of a call has the end of one
    /// of its arguments: a comma of the argument before it, and the bracket of the last one.
    end: u32,
}

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

/// The same, together.
#[device(columns(Places, index = TokenId))]
struct TokenPlace {
    /// The first token of the node, as in [`Span`].
    first: u32,
    /// One past the last token, as in [`Span`].
    end: u32,
    /// The depth, as in [`Position`].
    depth: u32,
    /// The difference of index and depth, as in [`Position`].
    lead: u32,
    /// The nodes before the token, as in [`Position`].
    nodes: u32,
}

/// Returns whether token `t` is the `{` of a block of an `if`. Comparisons run in vectors, and a set does not.
#[device(compact)]
fn is_part(t: usize, class: &[Class]) -> bool {
    (class[t] == Class::ThenBody) | (class[t] == Class::ElseBody)
}

/// Returns the `if` of the block that begins at token `blocks[i]`, `NONE` if it has a part after the block, and the end of
/// the block.
#[device(map)]
fn chain(i: usize, blocks: &[u32], tokens: &Classified, previous: &[u32], next: &[u32]) -> (u32, u32) {
    let block = blocks[i] as usize;
    let end = next[block] + 1;
    let is_last = !OTHERWISE.contains(tokens.class[TokenId::new(end)]);
    (if is_last { previous[block] } else { NONE }, end)
}

/// Returns one past the index of token `t` if an expression statement can follow it, else 0.
#[device(scanned)]
fn boundary(t: TokenId, tokens: &Classified) -> u32 {
    let class = tokens.class[t];
    if BOUNDARIES.contains(class) || class == Class::BlockClose { t.get() + 1 } else { 0 }
}

/// The bits of a rule for the end of a node that are a number of tokens after the next smaller or equal key.
const TOKENS: u8 = 3;
/// The bit of a rule by which this is the next key of the following token.
const OF_FOLLOWING: u8 = 4;
/// The bit of all rules.
const HAS_NODE: u8 = 8;

/// The rule for the end of the node of each class, 0 for a class without nodes and for those in [`UNRULED`]. For a unary
/// operator and for an assignment, it is the rule for the first of a run or chain.
const ENDS: [u8; Class::COUNT] = {
    let mut ends = [0; Class::COUNT];
    let mut i = 0;
    while i < Class::COUNT {
        ends[i] = match Class::ALL[i] {
            class if UNRULED.contains(class) => 0,
            Class::Binary | Class::Unary | Class::Head | Class::Var => HAS_NODE,
            // The end of the last argument.
            Class::CallParen | Class::CallBracket => HAS_NODE,
            // The key of the token is the greatest of its depth, so the next one is not greater.
            class if LEAVES.contains(class) => HAS_NODE,
            Class::Callee | Class::Cast | Class::Extern => HAS_NODE | OF_FOLLOWING | 1,
            class if PREFIX.contains(class) => HAS_NODE | 1,
            _ => 0,
        };
        i += 1;
    }
    ends
};

/// The classes whose nodes end at the end of another block, or a fixed number of tokens after their own.
const UNRULED: Classes = Classes::of(&[
    Class::Fn,
    Class::While,
    Class::If,
    Class::Elif,
    Class::ArgumentComma,
    Class::EndExpression,
    Class::Empty,
    Class::Ascribe,
]);

/// Returns the end of the node of token `t`.
#[device]
fn end_of(t: TokenId, tokens: &Classified, previous: &[u32], next: &[u32], chains: &[u32]) -> u32 {
    let i = t.index();
    let class = tokens.class[t];
    let before = if i == 0 { Class::End } else { tokens.class[t.minus(1)] };
    let follows_operator = (class == Class::Unary) & (before == Class::Unary);
    let follows_assign = ((class == Class::Head) | (class == Class::Var)) & (before == Class::Assign);
    if follows_operator | follows_assign {
        return next[previous[i] as usize];
    }
    if UNRULED.contains(class) {
        return match class {
            // The end of the argument before it.
            Class::ArgumentComma => t.get(),
            Class::EndExpression | Class::Empty => t.get() + 1,
            Class::Ascribe => t.get() + 2,
            Class::If => chains[i],
            Class::Elif => chains[previous[i] as usize],
            _ => next[next[i] as usize] + 1,
        };
    }
    // A rule rather than branches: classes are hard to predict.
    let rule = ENDS[class.code() as usize];
    let reached = next[i + (rule & OF_FOLLOWING != 0) as usize];
    reached.wrapping_add((rule & TOKENS) as u32) | ((rule & HAS_NODE != 0) as u32).wrapping_sub(1)
}

/// Returns the tokens of the node of token `t`. `statement` is the token after the last boundary.
#[device(scan_map(boundary, Max))]
fn span(t: TokenId, statement: u32, tokens: &Classified, previous: &[u32], next: &[u32], chains: &[u32]) -> Span {
    let class = tokens.class[t];
    let operand = previous[t.index()].wrapping_add(1);
    let first = if class == Class::EndExpression { statement } else { operand };
    Span { first: if INFIX.contains(class) { first } else { NONE }, end: end_of(t, tokens, previous, next, chains) }
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
fn node(t: TokenId, tokens: &Classified, places: &Places) -> (u32, u32) {
    let first = places.first[t];
    let begin = if first == NONE { t.get() } else { first };
    let node = places.lead[TokenId::new(begin)].wrapping_add(places.depth[t]);
    let has_node = PREFIX.union(INFIX).contains(tokens.class[t]);
    (if has_node { node } else { NONE }, t.get())
}

/// Returns the kind of the node `i` of token `t`, which is an `if` or `elif`.
#[device]
fn kind_of_if(i: NodeId, token: &[u32], tokens: &Classified, next: &[u32], places: &Places) -> Kind {
    let condition = TokenId::new(token[i.index() + 1]);
    let block = places.nodes[TokenId::new(places.end[condition])];
    let after = TokenId::new(next[token[block as usize] as usize] + 1);
    if OTHERWISE.contains(tokens.class[after]) { Kind::IfElse } else { Kind::If }
}

/// Returns node `i`.
#[device(map)]
fn syntax_node(
    i: NodeId,
    token: &[u32],
    kinds: &Tokens,
    tokens: &Classified,
    next: &[u32],
    places: &Places,
) -> SyntaxNode {
    let t = TokenId::new(token[i.index()]);
    let class = tokens.class[t];
    let operator = kinds.kind[t];
    let is_minus = (class == Class::Unary) & (operator == TokenKind::Minus);
    let is_operator = ((class == Class::Binary) | (class == Class::Unary)) & !is_minus;
    let of_class = NODE_KINDS[class.code() as usize];
    let of_operator = OPERATOR_KINDS[operator.code() as usize];
    let mut kind = if is_operator { of_operator } else { of_class };
    if class == Class::If || class == Class::Elif {
        kind = kind_of_if(i, token, tokens, next, places);
    }
    let first = places.first[t];
    let name = t.get() + NAME_OFFSETS[class.code() as usize] as u32;
    let shown = if class == Class::EndExpression { first } else { name };
    // An argument ends with its only child.
    let is_argument = ARGUMENTS.contains(class);
    let last = TokenId::new(token[i.index() + is_argument as usize]);
    let end = places.nodes[TokenId::new(places.end[last])];
    SyntaxNode { depth: places.depth[t], kind, token: TokenId::new(shown), end }
}

/// Builds the tree of a program without violations.
pub fn parse<B: Backend>(
    backend: &B,
    tokens: &Tokens<B>,
    classified: &Classified<B>,
    checked: &Checked<B>,
) -> Result<Parsed<B>> {
    let n = tokens.len();
    let Checked { previous, next, .. } = checked;
    let blocks = backend.compact(is_part::of(&classified.class))?;
    let (heads, ends) = backend.map(chain::of(&blocks, classified, previous, next))?;
    // Only the rows of an `if` are read.
    let mut chains = backend.allocate(n)?;
    backend.scatter(&mut chains, &heads, &ends)?;

    let spans = span::of(classified, previous, next, &chains);
    let (spans, _) = backend.scan_map(boundary::of(classified), Max, spans)?;
    let begins = backend.histogram(&spans.first, n)?;
    let ends = backend.histogram(&spans.end, n)?;
    let positions = position::of(classified, &begins, &ends);
    let (positions, total) = backend.scan_map(count::of(classified, &begins, &ends), add, positions)?;
    let (Spans { first, end }, Positions { depth, lead, nodes }) = (spans, positions);
    let places = Places { first, end, depth, lead, nodes };

    let (node, tokens_in_order) = backend.map(node::of(classified, &places))?;
    let m = total.nodes as usize;
    let mut token = backend.allocate(m)?;
    backend.scatter(&mut token, &node, &tokens_in_order)?;
    let nodes = syntax_node::of(&token, tokens, classified, next, &places);
    Ok(Parsed { nodes: backend.map(nodes.rows(m))?, node })
}
