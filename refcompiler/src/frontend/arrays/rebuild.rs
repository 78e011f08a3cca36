//! The tree of a program with arrays: nodes that only the grammar needs go, and calls that build arrays get a node above them.
//!
//! ```text
//! marked   update: EXPRESSION ASSIGN ADDRESS i ADDRESS j       iota: .. SEQUENCE ADDRESS n
//! part              Plain     Removed Base     Removed                  Built    Argument
//! rows              1         0      1       1 0       1                2        1       1
//! shift of depth    0         -1     -1      0 -1      0                1        0       0       of the nodes below
//! becomes           UPDATE           NAME    i         j                ASCRIBE CALL ARG n
//! ```
//!
//! The tables of [`forms`](crate::ir::forms) have the rows of each part, and how much deeper the nodes below get. So one
//! scan gives each node its new index and depth, and one expansion writes the rows.
//!
//! Cost: work O(n), one accumulate, one scan, one map and one expansion over nodes; 2 maps over functions and calls.

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::forms::{FORM_FUNCTIONS, Form, MIXED, OWN_ROWS, OWN_SHIFTS, Part, ROWS, RowData, SHIFTS, row_of};
use crate::ir::kinds::{BINARY, Kind, Kinds, MAX_RANK, WITH_LAMBDA};
use crate::ir::meaning::{Arguments, Calls, Declared, Origin};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::origins::KIND_ORIGINS;
use crate::ir::positions::Positions;
use crate::ir::scopes::{body_after, bracket_of};
use crate::ir::syntax::{Class, SyntaxNodes, SyntaxTokens, TreeNodes};
use crate::ir::tokens::{TokenId, TokenKind};

/// The data of the greatest number, until its type is known.
pub const GREATEST_NUMBER: u32 = i32::MAX as u32;
/// The data of the least number, until its type is known.
pub const LEAST_NUMBER: u32 = i32::MIN as u32;

/// The kinds whose position becomes their data.
const POSITIONED: Kinds = BINARY.union(WITH_LAMBDA).union(Kinds::of(&[
    Kind::Array,
    Kind::Index,
    Kind::Slice,
    Kind::UpdateSlice,
    Kind::Replicate,
    Kind::Where,
    Kind::Negate,
    Kind::Not,
    Kind::Complement,
    Kind::Cast,
]));

/// A node with its final facts.
#[device(columns(Reformed, index = NodeId))]
struct ReformedNode {
    /// The kind of the row of the node itself.
    kind: Kind,
    /// The data, in which nodes have their old indices.
    data: u32,
    /// The origin of its type.
    origin: Origin,
    /// The end of its rows: that of its subtree, or of the CALL of a list.
    end: u32,
}

/// The type of an array that token `t` names; 0 if it names none.
#[device]
fn array_type_at(t: TokenId, tokens: &SyntaxTokens) -> u32 {
    let kind = tokens.kind[t];
    if kind == TokenKind::ArrayType || kind == TokenKind::UniqueType { tokens.value[t] } else { 0 }
}

/// Returns the position of token `t` plus 1.
#[device]
fn position(t: TokenId, tokens: &SyntaxTokens) -> u32 {
    tokens.start[t] + 1
}

/// Returns whether node `i` is the name of the array of an update.
#[device]
fn is_target(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    nodes.kind[i] == Kind::Assign && tokens.class[nodes.token[i]] == Class::Callee
}

/// Returns the dimension of the `size` at node `i`.
#[device]
fn dimension(i: NodeId, nodes: &SyntaxNodes, data: &[u32]) -> u32 {
    if nodes.end[i] == i.get() + 1 {
        return 0;
    }
    let second = nodes.end[i.plus(1)];
    if second < nodes.end[i] && second + 1 < nodes.end[i] { data[second as usize + 1] } else { 0 }
}

/// Returns the call that node `i` is an argument of.
#[device]
fn call_of(i: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> NodeId {
    let bracket = bracket_of(nodes.token[i].minus(1), tokens);
    NodeId::new(tokens.node[bracket.minus(1)])
}

/// Returns whether a range is among the values of node `i`, of which those after commas have an ARG. More values than indices are an
/// error, so not all are looked at.
#[device]
fn has_range(i: NodeId, nodes: &SyntaxNodes) -> bool {
    let end = nodes.end[i];
    let mut child = i.plus(1);
    let mut count = 0;
    let mut found = false;
    while child.get() < end && count <= MAX_RANK + 1 {
        let value = if nodes.kind[child] == Kind::Address { child.plus(1) } else { child };
        found |= nodes.kind[value].is_range();
        child = NodeId::new(nodes.end[child]);
        count += 1;
    }
    found
}

/// Returns the kind of node `i`, which is not removed.
#[device]
fn kind_of(i: NodeId, part: Part, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> Kind {
    match part {
        Part::Base => Kind::Name,
        Part::Built | Part::Listed => Kind::Call,
        Part::Argument | Part::First => Kind::Arg,
        Part::List => Kind::Array,
        Part::Section => Kind::from_code(tokens.value[nodes.token[i]] as u8),
        _ => {
            let kind = nodes.kind[i];
            if kind == Kind::Element {
                return Kind::Param;
            }
            if kind == Kind::Expression && is_target(i.plus(1), nodes, tokens) {
                return if has_range(i.plus(1), nodes) { Kind::UpdateSlice } else { Kind::Update };
            }
            if kind == Kind::Index || kind == Kind::Name && nodes.end[i] > i.get() + 1 {
                return if has_range(i, nodes) { Kind::Slice } else { Kind::Index };
            }
            kind
        }
    }
}

/// Returns the origin that distinguishes reductions whose first value has another type than the elements.
#[device]
fn origin_of_reduce(operation: Form) -> Origin {
    if MIXED.contains(operation) { Origin::Element } else { Origin::Child }
}

/// Returns the facts about node `i`.
#[device(map)]
fn reformed(
    i: NodeId,
    nodes: &SyntaxNodes,
    parts: &[Part],
    data: &[u32],
    origins: &[Origin],
    tokens: &SyntaxTokens,
    forms: &[Form],
) -> ReformedNode {
    let t = nodes.token[i];
    let part = parts[i.index()];
    let kind = kind_of(i, part, nodes, tokens);
    let mut own = data[i.index()];
    let mut origin = origins[i.index()];
    let mut end = nodes.end[i];
    if part == Part::Base {
        own = data[tokens.node[t.minus(2)] as usize];
        origin = Origin::Declaration;
    } else if part == Part::Built || part == Part::Listed {
        own = FORM_FUNCTIONS[forms[tokens.value[t] as usize].code() as usize];
    } else if part == Part::Argument || part == Part::First {
        own = (tokens.class[t.minus(1)] == Class::ArgumentComma) as u32;
    } else if part == Part::Section {
        own = position(t, tokens);
        origin = KIND_ORIGINS[kind.code() as usize];
    } else if nodes.kind[i] == Kind::Element {
        own = 0;
        origin = Origin::from_code(tokens.value[t.plus(1)] as u8);
    } else if kind == Kind::Lambda {
        // The end of its head has the type of its value.
        own = 0;
        let head = TokenId::new(tokens.next[t].min(tokens.len() as u32 - 1));
        let is_typed = tokens.kind[head] == TokenKind::LambdaClose;
        origin = if is_typed { Origin::from_code(tokens.value[head] as u8) } else { Origin::Void };
    } else if kind == Kind::Reduce {
        own = position(t, tokens);
        origin = origin_of_reduce(forms[tokens.value[t] as usize]);
    } else if part == Part::List {
        own = 0;
        end = nodes.end[call_of(i, nodes, tokens)];
    } else if nodes.kind[i] == Kind::Index {
        own = position(TokenId::new(tokens.previous[t].wrapping_add(1)), tokens);
    } else if POSITIONED.contains(kind) || (kind == Kind::Update && kind != nodes.kind[i]) {
        own = position(t, tokens);
    } else if kind == Kind::Range {
        own = tokens.value[t];
    } else if kind == Kind::Size {
        own = dimension(i, nodes, data);
    } else if kind == Kind::Param || kind == Kind::Declare {
        let has_type = tokens.kind[t.plus(1)] == TokenKind::Colon;
        let ty = if has_type { array_type_at(t.plus(2), tokens) } else { 0 };
        if ty > 0 {
            origin = Origin::from_code(ty as u8);
            own = (tokens.kind[t.plus(2)] == TokenKind::UniqueType) as u32;
        }
    } else if kind == Kind::Header {
        let body = body_after(t.plus(1), tokens);
        own = (tokens.kind[body.minus(1)] == TokenKind::UniqueType) as u32;
    } else if kind == Kind::Ascribe {
        let ty = array_type_at(t.plus(1), tokens);
        if ty > 0 {
            origin = Origin::from_code(ty as u8);
        }
    }
    ReformedNode { kind, data: own, origin, end }
}

/// Returns the end of node `i`, and the shift that ends there.
#[device(accumulate)]
fn ended(i: NodeId, nodes: &SyntaxNodes, parts: &[Part]) -> (u32, u32) {
    (nodes.end[i], SHIFTS[parts[i.index()].code() as usize])
}

/// A run of nodes.
#[device]
pub struct Moves {
    /// The rows of its nodes in the new tree.
    pub rows: u32,
    /// The number of shifts that begin in it minus the number that end in it.
    pub shift: u32,
}

#[device(monoid(identity = Moves { rows: 0, shift: 0 }))]
fn join(a: Moves, b: Moves) -> Moves {
    Moves { rows: a.rows.wrapping_add(b.rows), shift: a.shift.wrapping_add(b.shift) }
}

#[device(scanned)]
fn moves(i: NodeId, parts: &[Part], ends: &[u32]) -> Moves {
    let part = parts[i.index()].code() as usize;
    Moves { rows: ROWS[part], shift: SHIFTS[part].wrapping_sub(ends[i.index()]) }
}

/// Returns the index of node `i` in the new tree. `ends` has the shifts that end at each node.
#[device(scan_map(moves, join))]
fn placed(i: NodeId, before: Moves, nodes: &SyntaxNodes, parts: &[Part], ends: &[u32]) -> PlacedNode {
    let part = parts[i.index()].code() as usize;
    let depth = nodes.depth[i].wrapping_add(before.shift).wrapping_sub(ends[i.index()]);
    PlacedNode { place: before.rows, depth: depth.wrapping_add(OWN_SHIFTS[part]) }
}

/// The index of a node in the new tree.
#[device(columns(Placed, index = NodeId))]
struct PlacedNode {
    /// The index of its first row, or of the next node if it is removed.
    place: u32,
    /// The depth of its first row.
    depth: u32,
}

/// A node of the new tree.
#[device(columns(Rebuilt, index = NodeId))]
struct RebuiltNode {
    depth: u32,
    kind: Kind,
    end: u32,
    data: u32,
    origin: Origin,
}

/// Returns row `k` of node `i`. The new tree has `n` nodes.
#[device(expand)]
fn rebuilt(
    i: NodeId,
    k: u32,
    nodes: &SyntaxNodes,
    parts: &[Part],
    reformed: &Reformed,
    placed: &Placed,
    tokens: &SyntaxTokens,
    n: u32,
) -> RebuiltNode {
    let first = placed.place[i];
    let row = row_of(parts[i.index()], k);
    let source = row.source();
    let is_own = source == RowData::Own;
    let kind = if is_own { reformed.kind[i] } else { row.kind() };
    let own = reformed.data[i];
    let is_pointer = kind == Kind::Name || kind == Kind::Assign || kind == Kind::Choose || kind == Kind::Return;
    let data = match source {
        RowData::Own => {
            if is_pointer {
                placed.place[NodeId::new(own)]
            } else {
                own
            }
        }
        RowData::Position => position(nodes.token[i], tokens),
        RowData::Number => row.number(),
        RowData::Greatest => GREATEST_NUMBER,
        RowData::Least => LEAST_NUMBER,
        RowData::Row => first + row.number(),
        _ => 0,
    };
    let end = reformed.end[i];
    let last = if end as usize == nodes.len() { n } else { placed.place[NodeId::new(end)] };
    RebuiltNode {
        depth: placed.depth[i] + row.depth(),
        kind,
        end: if row.end() > 0 { first + row.end() } else { last },
        data,
        origin: if is_own { reformed.origin[i] } else { row.origin() },
    }
}

/// Returns the new index of the node in row `r`.
#[device(map)]
fn moved(r: usize, rows: &[u32], parts: &[Part], placed: &Placed) -> u32 {
    let node = NodeId::new(rows[r]);
    placed.place[node] + OWN_ROWS[parts[node.index()].code() as usize]
}

/// Returns the new node of function `f`, and the end of its subtree. `n` is the number of new nodes.
#[device(map)]
fn moved_function(f: FunctionId, declared: &Declared, placed: &Placed, n: u32) -> (NodeId, u32) {
    let node = declared.node[f];
    if node.is_none() {
        return (node, 0);
    }
    let end = declared.end[f];
    let last = if end as usize == placed.len() { n } else { placed.place[NodeId::new(end)] };
    (NodeId::new(placed.place[node]), last)
}

/// A rebuilt tree, with the columns that belong to it.
pub struct Tree<B: Backend> {
    /// The nodes.
    pub nodes: TreeNodes<B>,
    /// The origin of each node's type.
    pub origins: B::Vec<Origin>,
    /// As in [`Parsed`](crate::ir::syntax::Parsed), with the meaning of variables.
    pub data: B::Vec<u32>,
    /// Where the nodes come from, if somebody asks.
    pub positions: Positions<B>,
}

/// The tables that [`rebuild`] reads.
pub struct Source<'a, B: Backend> {
    /// The nodes.
    pub nodes: &'a SyntaxNodes<B>,
    /// The part of each node.
    pub parts: &'a B::Vec<Part>,
    /// As in [`Parsed`](crate::ir::syntax::Parsed), with the meaning of variables.
    pub data: &'a B::Vec<u32>,
    /// The origin of each node's type.
    pub origins: &'a B::Vec<Origin>,
    /// The tokens.
    pub tokens: &'a SyntaxTokens<B>,
    /// The operation with each name.
    pub forms: &'a B::Vec<Form>,
    /// Where the nodes come from, if somebody asks.
    pub positions: Positions<B>,
}

/// Returns the node that row `k` of node `i` comes from.
#[device(expand)]
fn source(i: usize, _k: u32, parts: &[Part]) -> u32 {
    let _part = parts[i];
    i as u32
}

/// Rebuilds a tree, and gives the nodes of functions, calls and arguments their new indices.
pub fn rebuild<B: Backend>(
    backend: &B,
    source: Source<'_, B>,
    (calls, arguments): (&mut Calls<B>, &mut Arguments<B>),
    declared: &mut Declared<B>,
) -> Result<Tree<B>> {
    let Source { nodes, parts, data, origins, tokens, forms, mut positions } = source;
    let n = nodes.len();
    let reformed = backend.map(reformed::of(nodes, parts, data, origins, tokens, forms))?;
    let mut ends = backend.filled(n + 1, 0)?;
    backend.accumulate(&mut ends, ended::of(nodes, parts))?;
    let (placed, total) =
        backend.scan_map(moves::of(parts, &ends).rows(n), join, placed::of(nodes, parts, &ends).rows(n))?;
    let m = total.rows as usize;
    let offsets = Offsets::assume(backend, &placed.place, m)?;
    positions.follow(backend, || backend.expand_from(&offsets, source::of(parts).rows(n)))?;
    let rows = rebuilt::of(nodes, parts, &reformed, &placed, tokens, m as u32).rows(n);
    let rebuilt = backend.expand_from(&offsets, rows)?;

    calls.node = backend.map(moved::of(&calls.node, parts, &placed).rows(calls.node.len()))?;
    arguments.node = backend.map(moved::of(&arguments.node, parts, &placed).rows(arguments.node.len()))?;
    arguments.call = backend.map(moved::of(&arguments.call, parts, &placed).rows(arguments.call.len()))?;
    (declared.node, declared.end) =
        backend.map(moved_function::of(declared, &placed, m as u32).rows(declared.len()))?;
    let Rebuilt { depth, kind, end, data, origin } = rebuilt;
    Ok(Tree { nodes: TreeNodes { depth, kind, end }, origins: origin, data, positions })
}
