//! The data of the new nodes.

use treepar::device::device;

use super::choice::function_around;
use super::facts::{Facts, outs};
use super::forms::Form;
use super::slots::{Places, Spot};
use super::sources::Source;
use super::template::indices;
use crate::ir::builtins::for_elements;
use crate::ir::kinds::{FIRST_EXTENT, Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};

/// Bytes of a word.
const WORD: u32 = 4;

/// Returns the offset of extent `k` of an array from its address. The extents follow the address of the data.
#[device]
fn extent(k: u32) -> u32 {
    FIRST_EXTENT + WORD * k
}

/// Returns the offset of bound `c` of dimension `child` of a slice in the memory for its bounds.
#[device]
fn bound(child: u32, c: u32) -> u32 {
    WORD + WORD * (3 * (child - 1) + c)
}

/// Returns the type of the array that a node makes, accesses or returns; of another node, its type.
#[device]
pub fn array_of(i: NodeId, nodes: &Nodes, facts: &Facts) -> Type {
    match nodes.kind[i] {
        Kind::Index | Kind::Update | Kind::UpdateSlice | Kind::Print => nodes.ty[i.plus(1)],
        Kind::Return => nodes.ty[function_around(i, facts)],
        _ => nodes.ty[i],
    }
}

/// Returns the shape of an array for the runtime: a rank, and 16 times the bytes of a narrow element.
#[device]
fn shape(rank: u32, array: Type) -> u32 {
    rank | if array.is_narrow() { array.bytes() << 4 } else { 0 }
}

/// Returns the bytes of some elements of an array.
#[device]
fn bytes(count: u32, array: Type) -> u32 {
    count << array.shift()
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
fn indexed(i: NodeId, nodes: &Nodes, places: &Places) -> u32 {
    match places.form[i] {
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

/// Returns the data of a new node.
#[device]
pub fn data_of(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, uniques: &[u32]) -> u32 {
    let o = NodeId::new(spot.owner);
    let i = NodeId::new(spot.node);
    let c = spot.item.number();
    let g = spot.repetition;
    match Source::from_code(spot.item.source() as u8) {
        Source::Own => own_data(o, nodes, places),
        Source::Data => nodes.data[o],
        Source::Start => places.start[o] + c,
        Source::Before => places.start[i] - 1 - c,
        Source::Argument => places.start[if c == 0 { o.plus(1) } else { NodeId::new(facts.end[o.plus(1)]) }] + 1,
        Source::Indexed => indexed(o, nodes, places),
        Source::Variable => places.start[if nodes.kind[o].is_variable() { NodeId::new(nodes.data[o]) } else { o }],
        Source::FirstOut => places.start[NodeId::new(function_around(o, facts).get() + 2)],
        Source::LastOut => places.start[NodeId::new(function_around(o, facts).get() + 1 + outs(o, nodes, facts))],
        Source::Mark => places.start[NodeId::new(facts.body[o])] + 2,
        Source::LoopTop => places.start[NodeId::new(facts.parent[o])] + 1,
        Source::LoopMark => places.start[NodeId::new(facts.parent[o])] + 4,
        Source::Rank => array_of(o, nodes, facts).rank() - c,
        Source::Shape => shape(array_of(o, nodes, facts).rank() - c, array_of(o, nodes, facts)),
        Source::FirstShape => shape(nodes.ty[o.plus(1)].rank(), nodes.ty[o.plus(1)]),
        Source::Call => for_elements(c, array_of(o, nodes, facts).element()),
        Source::UniqueCall => for_elements(c, nodes.ty[unique_parameter(o, g, facts, uniques)].element()),
        Source::Words => (bytes(facts.children[o], nodes.ty[o]) + WORD - 1) / WORD,
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
        Source::Element => extent(1) + bytes(facts.child[i], nodes.ty[o]),
        Source::Unique => places.start[unique_parameter(o, g, facts, uniques)],
        Source::UniqueShape => {
            let parameter = nodes.ty[unique_parameter(o, g, facts, uniques)];
            shape(parameter.rank(), parameter)
        }
        _ => c,
    }
}

/// Returns unique parameter `g` of the function with a block.
#[device]
fn unique_parameter(block: NodeId, g: u32, facts: &Facts, uniques: &[u32]) -> NodeId {
    let earlier = facts.counts[NodeId::new(facts.parent[block])].uniques;
    NodeId::new(uniques[(earlier + g) as usize])
}
