//! Arrays become addresses: a tree with arrays becomes one with numbers only.
//!
//! ```text
//! a[i] + 1                          add( index( name(a) name(i) ) literal(1) )
//! load of (a's data + i * 4) + 1    add( load( add( load( name(a) ) shl( check_index( name(i) load( name(a) ) ) literal(2) ) ) ) literal(1) )
//! ```
//!
//! The value of an array is the address of its block; `ARCHITECTURE.md` has the layout. An element is a word of memory, and
//! everything that makes or copies arrays is a call of the runtime. A variable becomes the owner of its array. A function that
//! makes arrays remembers the top of memory where it begins, its *mark*, and releases what lies above when it returns. So does
//! a loop after each iteration, except for what variables own.
//!
//! Each node has a *form*, and each form a template: the table of rules in `forms`. A template is made of `pieces`, which are
//! runs of nodes, before and after the node and its children. What is used twice becomes a variable, so every child stays in
//! its place, and `slots` computes the positions of all new nodes by one scan. This file has the data of the new nodes.
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.

mod facts;
mod forms;
mod pieces;
mod slots;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::passes::templates::{Plan, Spread, plan};
use facts::{Facts, facts, outs, unique_parameters};
use forms::{Form, form, function_around, indices, template};
use pieces::{Source, type_of};
use slots::{Slot, Templates, events, start};

/// The template of a node, and where its nodes are.
#[device(columns(Places, index = NodeId))]
struct Place {
    before: Slot,
    head: Slot,
    tail: Slot,
    after: Slot,
    /// The first node of its head.
    start: u32,
    /// Its new depth.
    root: u32,
}

/// Bytes of a word.
const WORD: u32 = 4;

/// Returns the offset of extent `k` of an array from its address. The extents follow the address of the data.
#[device]
fn extent(k: u32) -> u32 {
    WORD + WORD * k
}

/// Returns the offset of bound `c` of dimension `child` of a slice in the memory for its bounds.
#[device]
fn bound(child: u32, c: u32) -> u32 {
    WORD + WORD * (3 * (child - 1) + c)
}

/// Returns the rank of the array that a node makes, accesses or returns.
#[device]
fn rank(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    match nodes.kind[i] {
        Kind::Index | Kind::Update | Kind::UpdateSlice | Kind::Print => nodes.ty[i.plus(1)].rank(),
        Kind::Return => nodes.ty[function_around(i, facts)].rank(),
        _ => nodes.ty[i].rank(),
    }
}

/// Returns one more than the position that an error of a node names.
#[device]
fn position(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    match nodes.kind[i] {
        Kind::Call | Kind::Range => nodes.data[NodeId::new(facts.parent[i])],
        Kind::Arg => nodes.data[NodeId::new(facts.parent[NodeId::new(facts.parent[i])])],
        _ => nodes.data[i],
    }
}

/// Returns the variable that holds the array of an access: itself, or a hidden one.
#[device]
fn indexed(i: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    match form(i, nodes, facts) {
        Form::Element | Form::Store | Form::StoreOwned | Form::Give => places.start[NodeId::new(nodes.data[i.plus(1)])],
        Form::LaterStore => places.start[i] + 3,
        Form::Slice => places.start[i] + 4,
        Form::UpdateSlice => places.start[i] + 6,
        _ => places.start[i] + 2,
    }
}

/// Returns the data of a node that stays.
#[device]
fn own_data(i: NodeId, nodes: &Nodes, places: &Places) -> u32 {
    let kind = nodes.kind[i];
    let data = nodes.data[i];
    if kind.is_variable() {
        return places.start[NodeId::new(data)];
    }
    // Parameters and results are unique no more, variables do not borrow, and calls of the runtime have checked operands.
    let is_done = (kind == Kind::Header)
        | nodes.ty[i].is_array() & ((kind == Kind::Param) | (kind == Kind::Declare) | (kind == Kind::Ascribe));
    if is_done { 0 } else { data }
}

/// Returns the type of a value after this pass.
#[device]
fn lowered_type(ty: Type) -> Type {
    if ty.is_array() { Type::Int } else { ty }
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

/// Returns the data of a new node.
#[device]
fn data(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, uniques: &[u32]) -> u32 {
    let o = NodeId::new(spot.owner);
    let i = NodeId::new(spot.node);
    let c = spot.number;
    let g = spot.repetition;
    match Source::from_code(spot.source as u8) {
        Source::Own => own_data(o, nodes, places),
        Source::Data => nodes.data[o],
        Source::Start => places.start[o] + c,
        Source::Before => places.start[i] - 1 - c,
        Source::Argument => places.start[if c == 0 { o.plus(1) } else { NodeId::new(facts.end[o.plus(1)]) }] + 1,
        Source::Indexed => indexed(o, nodes, facts, places),
        Source::Variable => places.start[if nodes.kind[o] == Kind::Assign { NodeId::new(nodes.data[o]) } else { o }],
        Source::FirstOut => places.start[NodeId::new(function_around(o, facts).get() + 2)],
        Source::LastOut => places.start[NodeId::new(function_around(o, facts).get() + 1 + outs(o, nodes, facts))],
        Source::Mark => places.start[NodeId::new(facts.body[o])] + 2,
        Source::LoopMark => places.start[NodeId::new(facts.parent[o])] + 1,
        Source::Rank => rank(o, nodes, facts) - c,
        Source::Indices => indices(o, nodes),
        Source::Count => facts.children[o],
        Source::Child => facts.child[i],
        Source::Position => position(o, nodes, facts),
        Source::Extent => extent(c + g),
        Source::RowExtent => extent(indices(o, nodes) + g),
        Source::IndexExtent => extent(facts.child[i] + c - 1),
        Source::AskedExtent => extent(nodes.data[o]),
        Source::Minus => 0u32.wrapping_sub(c),
        Source::FirstRank => nodes.ty[o.plus(1)].rank(),
        Source::ValueRank => nodes.ty[o].rank(),
        Source::Plan => places.start[NodeId::new(facts.parent[o])] + 2,
        Source::Bound => bound(facts.child[i], c),
        Source::OwnBound => bound(facts.child[o], c),
        Source::Dimension => facts.child[o] - 1,
        Source::Element => extent(1 + facts.child[i]),
        Source::Unique => places.start[unique_parameter(o, g, facts, uniques)],
        Source::UniqueRank => nodes.ty[unique_parameter(o, g, facts, uniques)].rank(),
        _ => c,
    }
}

/// Returns unique parameter `g` of the function with a block.
#[device]
fn unique_parameter(block: NodeId, g: u32, facts: &Facts, uniques: &[u32]) -> NodeId {
    let earlier = facts.counts[NodeId::new(facts.parent[block])].uniques;
    NodeId::new(uniques[(earlier + g) as usize])
}

/// Returns node `k` of event `e`.
#[device(expand)]
fn lowered(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places, uniques: &[u32]) -> Node {
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
    let is_own = found.item.source() == Source::Own.code() as u32;
    let ty = nodes.ty[owner];
    Node {
        depth: places.root[owner] + found.item.depth() + found.shift,
        kind: if is_own { nodes.kind[owner] } else { found.item.kind() },
        ty: if is_own { lowered_type(ty) } else { type_of(found.item, ty.element()) },
        data: data(spot, nodes, facts, places, uniques),
    }
}

/// Replaces arrays by addresses.
pub fn arrays<B: Backend>(backend: &B, nodes: Nodes<B>) -> Result<Nodes<B>> {
    let (parents, facts) = facts(backend, &nodes)?;
    let uniques = unique_parameters(backend, &nodes)?;
    let templates: Templates<B> = backend.map(template::of(&nodes, &facts).rows(nodes.len()))?;
    let (begin_at, end_at, begins, ends) = backend.map(events::of(&nodes.depth, &facts.end, &templates))?;
    let spread = Spread::<B> { begin_at, end_at, begins, ends };
    let Plan { events, offsets, total, root } = plan(backend, &parents, &spread, &templates.step)?;
    let start = backend.map(start::of(&spread.begin_at, &offsets, &templates))?;
    let Templates { before, head, tail, after, .. } = templates;
    let places = Places { before, head, tail, after, start, root };
    let lowered = lowered::of(&events, &nodes, &facts, &places, &uniques);
    backend.expand_from(&Offsets::assume(backend, &offsets, total)?, lowered)
}
