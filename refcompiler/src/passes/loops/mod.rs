//! Operations on whole arrays become loops, which read and write elements.
//!
//! ```text
//! map[fn[x: int] = x + y, a]
//! ( borrow b = a; borrow t = new[size[b]]; for i < size[b] { var x = b[i]; t[i] = x + y; } t )
//! ```
//!
//! The operands are evaluated first, in order, and held in variables. The value of a LAMBDA is computed in the loop, so a LAMBDA
//! comes after the arrays although it is the first child: `place` of the facts counts nodes in this order. Its parameters
//! become variables of an iteration. They borrow arrays, as do all variables that only hold an operand.
//!
//! | result | where its elements are |
//! |---|---|
//! | numbers, also in structs | in an array that is made before the loop |
//! | rows | in a variable that owns an array, which is made when the extents of the first row are known |
//! | of an operator, a function or `where` of arrays of numbers | in an array that one loop fills, whatever the rank |
//!
//! Each node has a form, and each form a template, as in [`arrays`](super::arrays). The table of rules is in `forms`. This file has
//! the data of the new nodes.
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.

mod elements;
mod facts;
mod forms;
mod pieces;
mod slots;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::tree::Composite;
use crate::passes::templates::{Plan, Spread, plan};
use elements::{distance_of_data, distance_of_result, is_elementwise, operand, operand_rank, other, reference};
use facts::{Facts, facts, has_lambda};
use forms::{Form, form, loop_template};
use pieces::{CHILD, ELEMENT, ENTRY, OPERAND, OWN, PARAMETER, Piece, RESULT, Source, VARIABLE, WRAPPER};
use slots::{Slot, Templates};

/// The template of a node, and where its nodes are.
#[device(columns(Places, index = NodeId))]
struct Place {
    before: Slot,
    head: Slot,
    tail: Slot,
    after: Slot,
    /// The first node of its head.
    start: u32,
    /// The first node of its tail.
    finish: u32,
    /// Its new depth.
    root: u32,
}

/// Returns the event where node `i` begins and the one where its subtree ends, and what they have.
#[device(map)]
fn loop_events(i: NodeId, depth: &[u32], facts: &Facts, templates: &Templates) -> (u32, u32, u64, u64) {
    let begins = templates.before[i].length() + templates.head[i].length();
    let ends = templates.tail[i].length() + templates.after[i].length();
    let node = (i.get() << 1) as u64;
    let place = facts.place[i];
    let end = place + (facts.end[i] - i.get());
    (
        2 * place - depth[i.index()],
        2 * end - 1 - depth[i.index()],
        (begins as u64) << 32 | node,
        (ends as u64) << 32 | node | 1,
    )
}

/// Returns the first node of the head and of the tail of node `i`.
#[device(map)]
fn ends_of_parts(i: NodeId, begin_at: &[u32], end_at: &[u32], offsets: &[u32], templates: &Templates) -> (u32, u32) {
    (offsets[begin_at[i.index()] as usize] + templates.before[i].length(), offsets[end_at[i.index()] as usize])
}

/// Where a new node is in a template.
#[device]
struct Spot {
    /// The node whose template has it.
    owner: u32,
    /// The node that it surrounds or replaces: the owner or a child.
    node: u32,
    source: u32,
    number: u32,
    repetition: u32,
}

/// Returns the operation that a node belongs to: itself, or the one whose LAMBDA it is, or is in.
#[device]
fn operation(i: NodeId, nodes: &Nodes, facts: &Facts) -> NodeId {
    let parent = NodeId::new(facts.parent[i]);
    match nodes.kind[i] {
        Kind::Lambda => parent,
        Kind::Param => NodeId::new(facts.parent[parent]),
        _ => i,
    }
}

/// Returns one more than the position that an error of an operation names. That of a call is in the node around it.
#[device]
fn position(o: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    if nodes.kind[o] == Kind::Call { nodes.data[NodeId::new(facts.parent[o])] } else { nodes.data[o] }
}

/// Returns the child of an operation with a LAMBDA that comes `k` after it, for k up to 4.
#[device]
fn child_after_lambda(o: NodeId, k: u32, facts: &Facts) -> NodeId {
    let mut at = o.plus(1);
    let mut n = 0u32;
    while n < k {
        at = NodeId::new(facts.end[at]);
        n += 1;
    }
    at
}

/// Returns array `c` of an operation with a LAMBDA: 0, or 1 for the values of `group`.
#[device]
fn array(o: NodeId, c: u32, nodes: &Nodes, facts: &Facts) -> NodeId {
    let first = match nodes.kind[o] {
        Kind::Map | Kind::Filter => 1,
        Kind::Group => 3,
        _ => 2,
    };
    child_after_lambda(o, first + c, facts)
}

/// Returns the array whose elements parameter `p` of an operation has, or array `p` of those that are compared.
#[device]
fn array_of_parameter(o: NodeId, p: u32, nodes: &Nodes, facts: &Facts) -> NodeId {
    match nodes.kind[o] {
        Kind::Map | Kind::Redomap => NodeId::new(facts.partner[o.plus(2 + p)]),
        Kind::Group => array(o, 1, nodes, facts),
        _ => array(o, 0, nodes, facts),
    }
}

/// Returns the array that a node means by its parameter, or by the number of its repetition.
#[device]
fn next_array(spot: Spot, nodes: &Nodes, facts: &Facts) -> NodeId {
    let owner = NodeId::new(spot.owner);
    let o = operation(owner, nodes, facts);
    if nodes.kind[owner] == Kind::Param {
        return array_of_parameter(o, facts.child[owner], nodes, facts);
    }
    let first = if nodes.kind[o] == Kind::Redomap { 1 } else { 0 };
    array_of_parameter(o, first + 1 + spot.repetition, nodes, facts)
}

/// Returns the last child of a LAMBDA.
#[device]
fn body(o: NodeId, facts: &Facts) -> NodeId {
    // The parameters are leaves.
    o.plus(1 + facts.children[o.plus(1)])
}

/// Returns the node of the old tree whose value a variable has.
#[device]
fn held(spot: Spot, nodes: &Nodes, facts: &Facts) -> NodeId {
    let o = operation(NodeId::new(spot.owner), nodes, facts);
    let c = spot.number;
    match Source::from_code(spot.source as u8) {
        Source::Array => array(o, c, nodes, facts),
        Source::NextArray => next_array(spot, nodes, facts),
        Source::Seed => child_after_lambda(o, 1, facts),
        Source::Total => child_after_lambda(o, 2, facts),
        Source::Parameter => o.plus(2),
        Source::Row => body(o, facts),
        Source::Reference => operand(o, reference(o, nodes, facts), nodes, facts),
        Source::Other => operand(o, other(o, c, nodes, facts), nodes, facts),
        Source::Operand => operand(o, c, nodes, facts),
        _ => o,
    }
}

/// Returns the declaration of the result of an operation.
#[device]
fn made(o: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    if is_elementwise(o, nodes) {
        return places.finish[o] - distance_of_result(o, nodes, facts);
    }
    // The pieces before the LAMBDA end with this one and the loop.
    let piece = match form(o, nodes, facts) {
        Form::MapRows | Form::ScanRows => Piece::NewOwner,
        Form::Filter => Piece::Like,
        Form::Group => Piece::Replicate,
        _ => Piece::New,
    };
    places.start[o.plus(1)] - Piece::Loop.length() - piece.length() + 1
}

/// Returns the data of a node that refers to a variable.
#[device]
fn variable(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    let o = operation(NodeId::new(spot.owner), nodes, facts);
    let c = spot.number;
    match Source::from_code(spot.source as u8) {
        Source::Made => made(o, nodes, facts, places),
        Source::Filled => places.start[o.plus(1)] - Piece::Loop.length() - 1,
        Source::Counter => {
            if is_elementwise(o, nodes) {
                places.finish[o] + 1
            } else {
                places.start[o.plus(1)] - Piece::Loop.length() + 1
            }
        }
        Source::Key | Source::Parameter => places.start[o.plus(2)] + 1,
        Source::Data => places.finish[o] - distance_of_data(o, c, nodes, facts),
        Source::Bytes => places.finish[o] - distance_of_data(o, c, nodes, facts) + Piece::FirstData.length(),
        Source::Elements => made(o, nodes, facts, places) + 4,
        Source::MadeData => made(o, nodes, facts, places) + 13,
        Source::Offset => places.finish[o] + 5,
        Source::Index => places.finish[o] + Piece::Open.length() * spot.repetition + 5,
        // The declaration comes directly before the value.
        _ => places.start[held(spot, nodes, facts)] - 1,
    }
}

/// Returns the declaration of a variable of the old tree.
#[device]
fn declaration(d: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    match form(d, nodes, facts) {
        Form::Element | Form::ElementFromEnd => places.start[d] + 1,
        Form::ElementOfKey => places.start[d] + 8,
        Form::Accumulator => places.start[child_after_lambda(operation(d, nodes, facts), 1, facts)] - 1,
        _ => places.start[d],
    }
}

/// Returns whether a variable for the value of a node, or for a parameter, borrows it.
#[device]
fn borrows(spot: Spot, nodes: &Nodes, facts: &Facts) -> u32 {
    let owner = NodeId::new(spot.owner);
    let node = NodeId::new(spot.node);
    let is_number = (nodes.ty[node] == Type::Int) | (nodes.ty[node] == Type::Float);
    // The variable of a reduction changes.
    let is_seed = has_lambda(nodes.kind[owner])
        && ((facts.child[node] == 1)
            & (nodes.kind[owner] != Kind::Map)
            & (nodes.kind[owner] != Kind::Filter)
            & (nodes.kind[owner] != Kind::Group));
    !(is_number | is_seed) as u32
}

/// Returns the data of a new node.
#[device]
fn data(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    let owner = NodeId::new(spot.owner);
    let o = operation(owner, nodes, facts);
    let c = spot.number;
    let data = nodes.data[owner];
    match Source::from_code(spot.source as u8) {
        Source::Own => {
            if nodes.kind[owner].is_variable() {
                declaration(NodeId::new(data), nodes, facts, places)
            } else {
                data
            }
        }
        Source::Constant => c,
        Source::Position => position(o, nodes, facts),
        Source::Borrows => borrows(spot, nodes, facts),
        Source::Rank => facts.rank[o],
        Source::ReferenceExtent => {
            facts.rank[o] - operand_rank(o, other(o, c, nodes, facts), nodes, facts) + spot.repetition
        }
        Source::OtherExtent => spot.repetition,
        Source::OperandRank => operand_rank(o, c, nodes, facts),
        Source::Loaded => 0,
        Source::Dimension => spot.repetition,
        Source::Operation => {
            if nodes.kind[owner] == Kind::Call {
                data
            } else {
                0
            }
        }
        Source::Wrapper => {
            if nodes.kind[owner] == Kind::Call {
                c
            } else {
                0
            }
        }
        _ => variable(spot, nodes, facts, places),
    }
}

/// Returns the kind of what surrounds operand `c` of an operation on elements.
#[device]
fn wrapper(kind: Kind, c: u32) -> Kind {
    match kind {
        Kind::Call => Kind::Arg,
        Kind::Where => {
            if c == 0 {
                Kind::Test
            } else if c == 1 {
                Kind::Then
            } else {
                Kind::Otherwise
            }
        }
        _ => Kind::Ascribe,
    }
}

/// Returns the kind of a new node of which `kind` is in the piece.
#[device]
fn kind(spot: Spot, kind: Kind, nodes: &Nodes) -> Kind {
    let own = nodes.kind[NodeId::new(spot.owner)];
    match Source::from_code(spot.source as u8) {
        Source::Own => own,
        Source::Operation => {
            if own == Kind::Where {
                Kind::Choose
            } else {
                own
            }
        }
        Source::Wrapper => wrapper(own, spot.number),
        _ => kind,
    }
}

/// Returns the type of a new node, given what stands for it.
#[device]
fn ty(spot: Spot, ty: u32, nodes: &Nodes, facts: &Facts) -> Type {
    let owner = NodeId::new(spot.owner);
    let o = operation(owner, nodes, facts);
    match ty {
        OWN => nodes.ty[owner],
        ELEMENT => nodes.ty[owner].element(),
        CHILD => nodes.ty[NodeId::new(spot.node)],
        VARIABLE => nodes.ty[held(spot, nodes, facts)],
        OPERAND => nodes.ty[operand(o, spot.number, nodes, facts)].element(),
        WRAPPER => {
            if (nodes.kind[owner] == Kind::Where) & (spot.number == 0) {
                Type::Void
            } else {
                nodes.ty[operand(o, spot.number, nodes, facts)].element()
            }
        }
        PARAMETER => nodes.ty[o.plus(2)],
        RESULT => nodes.ty[o],
        ENTRY => facts.element[o.plus(1)],
        _ => Type::from_code(ty as u8),
    }
}

/// Returns node `k` of event `e`.
#[device(expand)]
fn looped(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places) -> Node {
    let event = events[e] as u32;
    let i = NodeId::new(event >> 1);
    let parent = NodeId::new(facts.parent[i]);
    let ends = event & 1 == 1;
    // The parent's part comes first where the node begins, and last where it ends.
    let first = if ends { places.tail[i] } else { places.before[i] };
    let last = if ends { places.after[i] } else { places.head[i] };
    let split = first.length();
    let k = k as u32;
    let in_first = k < split;
    let found = if in_first { first.find(k) } else { last.find(k - split) };
    let owner = if in_first == ends { i } else { parent };
    let spot = Spot {
        owner: owner.get(),
        node: i.get(),
        source: found.item.source(),
        number: found.item.number(),
        repetition: found.repetition,
    };
    Node {
        depth: places.root[owner].wrapping_add(found.item.depth()).wrapping_add(found.shift),
        kind: kind(spot, found.item.kind(), nodes),
        ty: ty(spot, found.item.ty(), nodes, facts),
        data: data(spot, nodes, facts, places),
    }
}

/// Replaces operations on whole arrays by loops.
pub fn loops<B: Backend>(backend: &B, nodes: Nodes<B>, composites: &[Composite]) -> Result<Nodes<B>> {
    let (parents, facts) = facts(backend, &nodes, composites)?;
    let templates: Templates<B> = backend.map(loop_template::of(&nodes, &facts).rows(nodes.len()))?;
    let (begin_at, end_at, begins, ends) = backend.map(loop_events::of(&nodes.depth, &facts, &templates))?;
    let spread = Spread::<B> { begin_at, end_at, begins, ends };
    let Plan { events, offsets, total, root } = plan(backend, &parents, &spread, &templates.step)?;
    let Spread { begin_at, end_at, .. } = spread;
    let (start, finish) = backend.map(ends_of_parts::of(&begin_at, &end_at, &offsets, &templates))?;
    let Templates { before, head, tail, after, .. } = templates;
    let places = Places { before, head, tail, after, start, finish, root };
    backend.expand_from(&Offsets::assume(backend, &offsets, total)?, looped::of(&events, &nodes, &facts, &places))
}
