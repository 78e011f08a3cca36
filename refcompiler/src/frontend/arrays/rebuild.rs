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
//! The tables of [`forms`](crate::ir::forms) have the number of rows of each part, and how much deeper the nodes below get. So one
//! scan gives each node its new index and depth.
//!
//! Cost: work O(n), one accumulate, one scan, 2 maps and 2 scatters over nodes; 2 maps over functions and calls.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::forms::{FORM_FUNCTIONS, Form, OWN_SHIFTS, Part, ROWS, SHIFTS};
use crate::ir::kinds::{BINARY, Kind, Kinds, Type};
use crate::ir::meaning::{Arguments, Calls, Declared, Origin};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::positions::Positions;
use crate::ir::scopes::{body_after, bracket_of};
use crate::ir::syntax::{Class, SyntaxNodes, SyntaxTokens, TreeNodes};
use crate::ir::tokens::{TokenId, TokenKind};

/// No node.
const NONE: u32 = u32::MAX;

/// The bit of the second row of a node in the column of sources.
const SECOND: u32 = 1 << 31;

/// The kinds whose position becomes their data.
const POSITIONED: Kinds = BINARY.union(Kinds::of(&[
    Kind::Array,
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
    /// The kind; of a node with two rows that of the second.
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

/// Returns the kind of node `i`, which is not removed.
#[device]
fn kind_of(i: NodeId, part: Part, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> Kind {
    match part {
        Part::Base => Kind::Name,
        Part::Built | Part::Listed => Kind::Call,
        Part::Argument | Part::First => Kind::Arg,
        Part::List => Kind::Array,
        _ => {
            let kind = nodes.kind[i];
            if kind == Kind::Expression && is_target(i.plus(1), nodes, tokens) {
                return Kind::Update;
            }
            if kind == Kind::Name && nodes.end[i] > i.get() + 1 { Kind::Index } else { kind }
        }
    }
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
    } else if part == Part::List {
        own = 0;
        end = nodes.end[call_of(i, nodes, tokens)];
    } else if kind == Kind::Index && nodes.kind[i] == Kind::Index {
        own = position(TokenId::new(tokens.previous[t].wrapping_add(1)), tokens);
    } else if POSITIONED.contains(kind) || kind == Kind::Index || (kind == Kind::Update && kind != nodes.kind[i]) {
        own = position(t, tokens);
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
    PlacedNode {
        place: before.rows,
        first: if ROWS[part] == 0 { NONE } else { before.rows },
        second: if ROWS[part] == 2 { before.rows + 1 } else { NONE },
        depth: depth.wrapping_add(OWN_SHIFTS[part]),
    }
}

/// The index of a node in the new tree.
#[device(columns(Placed, index = NodeId))]
struct PlacedNode {
    /// The index of its first row, or of the next node if it is removed.
    place: u32,
    /// The index of its first row, `NONE` if it is removed.
    first: u32,
    /// The index of its second row, `NONE` if it has none.
    second: u32,
    /// The depth of its first row.
    depth: u32,
}

/// Returns node `i` as the source of its rows.
#[device(map)]
fn sources(i: NodeId, nodes: &SyntaxNodes) -> (u32, u32) {
    let _kind = nodes.kind[i];
    (i.get(), i.get() | SECOND)
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

/// Returns row `r` of the new tree.
#[device(map)]
fn rebuilt(
    r: NodeId,
    source: &[u32],
    nodes: &SyntaxNodes,
    parts: &[Part],
    reformed: &Reformed,
    placed: &Placed,
    tokens: &SyntaxTokens,
) -> RebuiltNode {
    let row = source[r.index()];
    let is_second = row & SECOND != 0;
    let i = NodeId::new(row & !SECOND);
    let part = parts[i.index()];
    let mut kind = reformed.kind[i];
    let mut data = reformed.data[i];
    let mut origin = reformed.origin[i];
    if part == Part::List && !is_second {
        kind = Kind::Arg;
        data = 1;
        origin = Origin::of_type(Type::Int.array(1));
    } else if ROWS[part.code() as usize] == 2 && !is_second {
        kind = Kind::Ascribe;
        data = position(nodes.token[i], tokens);
        origin = Origin::Child;
    }
    if kind == Kind::Name || kind == Kind::Assign || kind == Kind::Choose || kind == Kind::Return {
        data = placed.place[NodeId::new(data)];
    }
    let end = reformed.end[i];
    let last = if end as usize == nodes.len() { source.len() as u32 } else { placed.place[NodeId::new(end)] };
    RebuiltNode {
        depth: placed.depth[i] + is_second as u32,
        kind,
        end: if part == Part::Base { r.get() + 1 } else { last },
        data,
        origin,
    }
}

/// Returns the new index of the node in row `r`.
#[device(map)]
fn moved(r: usize, rows: &[u32], placed: &Placed) -> u32 {
    placed.place[NodeId::new(rows[r])]
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

/// Returns the node that new row `r` comes from.
#[device(map)]
fn origin(r: usize, source: &[u32]) -> u32 {
    source[r] & !SECOND
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
    let (first, second) = backend.map(sources::of(nodes))?;
    let mut source = backend.allocate(m)?;
    backend.scatter(&mut source, &placed.first, &first)?;
    backend.scatter(&mut source, &placed.second, &second)?;
    positions.follow(backend, || backend.map(origin::of(&source)))?;
    let rebuilt = backend.map(rebuilt::of(&source, nodes, parts, &reformed, &placed, tokens).rows(m))?;

    calls.node = backend.map(moved::of(&calls.node, &placed).rows(calls.node.len()))?;
    arguments.node = backend.map(moved::of(&arguments.node, &placed).rows(arguments.node.len()))?;
    arguments.call = backend.map(moved::of(&arguments.call, &placed).rows(arguments.call.len()))?;
    (declared.node, declared.end) =
        backend.map(moved_function::of(declared, &placed, m as u32).rows(declared.len()))?;
    let Rebuilt { depth, kind, end, data, origin } = rebuilt;
    Ok(Tree { nodes: TreeNodes { depth, kind, end }, origins: origin, data, positions })
}
