//! Structs and tuples become their leaves: a tree with composite types becomes one with numbers and arrays of numbers only.
//!
//! ```text
//! var p = P[1, f[]];      expression( declare( struct( literal(1) call ) ) )
//! the leaves of p         expression( declare x ) expression( declare y )
//!                         expression( assign x( literal(1) ) ) expression( assign y( call ) )
//! ```
//!
//! A leaf is a number or an array of numbers: an array of structs becomes an array for each leaf. A variable, a parameter and an
//! argument of a composite type become one for each leaf. The result of a function becomes parameters with the addresses of the
//! caller's variables for the leaves, before the other parameters.
//!
//! A composite value becomes statements that leave its leaves in variables. Where it belongs is known from above: a walk down
//! passes variables to the parts that compute it, so that `var p = if[c, P[1, 2], q]` assigns to the leaves of `p` directly.
//! A value that belongs nowhere gets hidden variables, which borrow arrays. What names a variable, or fields of it, is not
//! copied.
//!
//! Each node has a *form*, and each form a template, as in [`arrays`](super::arrays). The types of a program are one column
//! (`shapes`).
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.

mod facts;
mod forms;
mod pieces;
pub mod shapes;
mod slots;

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Result};

use super::templates::{Item, Plan};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Node, NodeId, Nodes};
use crate::ir::tree::Composite;
use crate::ir::tree::runtime::PRINT_CHAR;
use facts::{ELEMENT, Facts, Site, child, facts, place, skipped};
use forms::{is_unpacked, template};
use pieces::Source;
use shapes::{array_leaf, arrays, character, field_leaf, is_character, leaf_type, leaves, text_item};
use slots::{Slot, Templates, places};

/// The template of a node, and where its nodes are.
#[device(columns(Places, index = NodeId))]
struct Placed {
    before: Slot,
    lead: Slot,
    head: Slot,
    tail: Slot,
    after: Slot,
    /// The first node of its head.
    start: u32,
    /// Its new depth.
    root: u32,
}

/// Returns the variable for leaf `g` from a site on.
#[device]
fn variable(site: Site, g: u32, nodes: &Nodes, places: &Places, shapes: &[u32]) -> u32 {
    let node = NodeId::new(site.node);
    let start = places.start[node];
    let leaf = (site.leaf & !ELEMENT) + g;
    if nodes.kind[node] == Kind::Param {
        return start + leaf;
    }
    if site.leaf & ELEMENT != 0 {
        return start + 2 * leaf + 1;
    }
    start - 2 * leaves(nodes.ty[node], shapes) + 2 * leaf + 1
}

/// Returns the number of parameters of the function with a result, or of a call, that are for the result.
#[device]
fn outs(ty: Type, shapes: &[u32]) -> u32 {
    if ty.is_composite() { leaves(ty, shapes) } else { 0 }
}

/// Returns the index of an argument, counted in leaves.
#[device]
fn argument(i: NodeId, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> u32 {
    outs(nodes.ty[NodeId::new(facts.parent[i])], shapes) + facts.before[i].leaves
}

/// Returns the data of a node that stays.
#[device]
fn own_data(i: NodeId, nodes: &Nodes, facts: &Facts, places: &Places, shapes: &[u32]) -> u32 {
    let data = nodes.data[i];
    match nodes.kind[i] {
        Kind::Name | Kind::Assign | Kind::Address => places.start[NodeId::new(data)],
        Kind::Arg => argument(i, nodes, facts, shapes),
        Kind::Header => {
            let result = nodes.ty[NodeId::new(facts.parent[i])];
            let has_arrays = result.is_composite() && arrays(result, shapes) > 0;
            if has_arrays { outs(result, shapes) } else { 0 }
        }
        _ => data,
    }
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
    inner: u32,
}

/// Returns how a DECLARE holds its arrays: 0 as an owner, 1 borrowed, 2 as an owner that gets its first array later.
#[device]
fn holding(o: NodeId, g: u32, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> u32 {
    if !leaf_type(nodes.ty[o], g, shapes).is_array() {
        return 0;
    }
    if (nodes.kind[o] != Kind::Declare) || (nodes.data[o] == 1) {
        return 1;
    }
    if is_unpacked(o, nodes, facts) || facts.children[o] > 0 { 2 } else { 0 }
}

/// Returns where the leaves are that a source names.
#[device]
fn site(source: Source, spot: Spot, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Site {
    let o = NodeId::new(spot.owner);
    let first = o.plus(1);
    match source {
        Source::Home => facts.home[o],
        Source::First | Source::Whole => place(first, facts),
        Source::Value => place(NodeId::new(spot.node), facts),
        Source::Argument => place(child(o, spot.number, facts).plus(1), facts),
        Source::OtherField => moved(place(o, facts), field_leaf(nodes.ty[o], spot.repetition + 1, shapes)),
        Source::Rest => moved(place(o, facts), leaves(nodes.ty[first], shapes)),
        Source::Selected => moved(place(first, facts), skipped(o, nodes, shapes)),
        Source::Part => moved(place(o, facts), facts.before[NodeId::new(spot.node)].leaves),
        Source::Unpacked => {
            let value = NodeId::new(facts.parent[o] + 1);
            moved(place(value, facts), facts.before[o].leaves - leaves(nodes.ty[value], shapes))
        }
        _ => place(o, facts),
    }
}

/// Returns the site some leaves later.
#[device]
fn moved(site: Site, leaves: u32) -> Site {
    Site { node: site.node, leaf: site.leaf + leaves }
}

/// Returns the variable for child `k` of a node, which is no composite.
#[device]
fn operand(o: NodeId, k: u32, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    let operand = child(o, k, facts);
    let kind = nodes.kind[o];
    // A check is between the variable and its value. The array of an argument is below the argument.
    let is_checked =
        ((kind == Kind::Index) | (kind == Kind::Update)) & (nodes.data[o] != 0) | (kind == Kind::Replicate);
    let value = if kind == Kind::Call { operand.plus(1) } else { operand };
    places.start[value] - 1 - is_checked as u32
}

/// Returns the data of the three nodes for a dimension of a slice.
#[device]
fn bounds(source: Source, dimension: NodeId, nodes: &Nodes, facts: &Facts, places: &Places) -> u32 {
    let kind = nodes.kind[dimension];
    if source == Source::Bounds {
        return if kind == Kind::All {
            1
        } else if kind == Kind::Range {
            nodes.data[dimension]
        } else {
            0
        };
    }
    if kind == Kind::Range {
        return operand(dimension, (source == Source::High) as u32, nodes, facts, places);
    }
    if (kind == Kind::All) | (source == Source::High) { 0 } else { places.start[dimension] - 1 }
}

/// Returns the data of a new node.
#[device]
fn data(spot: Spot, nodes: &Nodes, facts: &Facts, places: &Places, shapes: &[u32]) -> u32 {
    let o = NodeId::new(spot.owner);
    let c = spot.number;
    let g = spot.repetition;
    let source = Source::from_code(spot.source as u8);
    match source {
        Source::Own => own_data(o, nodes, facts, places, shapes),
        Source::Constant => c,
        Source::Leaf => g + c,
        Source::Holds => holding(o, g, nodes, facts, shapes),
        Source::Unique => {
            if leaf_type(nodes.ty[o], g, shapes).is_array() {
                nodes.data[o]
            } else {
                0
            }
        }
        Source::Index => argument(o, nodes, facts, shapes) + g + c,
        Source::Data => nodes.data[o],
        Source::ParentData => nodes.data[NodeId::new(facts.parent[o])],
        Source::OfArray => {
            if leaf_type(nodes.ty[o], g, shapes).is_array() {
                nodes.data[o]
            } else {
                0
            }
        }
        Source::OfElement => {
            if leaf_type(nodes.ty[o.plus(1)], g, shapes).is_array() {
                nodes.data[o]
            } else {
                0
            }
        }
        Source::HoldsElement => leaf_type(nodes.ty[o.plus(1)], g, shapes).is_array() as u32,
        Source::Rows => (!leaf_type(nodes.ty[NodeId::new(spot.node)], g, shapes).is_array()) as u32,
        Source::Dimension => facts.before[NodeId::new(spot.node)].children - 1,
        Source::Count => facts.children[o],
        Source::Child => facts.before[NodeId::new(spot.node)].children,
        Source::Bounds | Source::Low | Source::High => {
            bounds(source, child(o, spot.inner + 1, facts), nodes, facts, places)
        }
        Source::PrintArgument => 0,
        Source::Print => {
            if is_character(printed(spot, nodes, shapes)) {
                PRINT_CHAR
            } else {
                1
            }
        }
        Source::PrintValue => {
            let item = printed(spot, nodes, shapes);
            if is_character(item) {
                return character(item);
            }
            variable(place(o.plus(1), facts), item, nodes, places, shapes)
        }
        Source::Operand => operand(o, c + spot.inner, nodes, facts, places),
        Source::Out => places.start[NodeId::new(facts.context[o].function + 1)] + 1 + g,
        _ => {
            if source == Source::Whole && !nodes.ty[o.plus(1)].is_composite() {
                return operand(o, 0u32, nodes, facts, places);
            }
            let leaf = match source {
                Source::Given => array_leaf(nodes.ty[o], g, shapes),
                Source::OtherField | Source::Outermost => 0,
                Source::Argument => g,
                _ => g + c,
            };
            variable(site(source, spot, nodes, facts, shapes), leaf, nodes, places, shapes)
        }
    }
}

/// Returns the type of a new node.
#[device]
fn type_of(ty: u32, spot: Spot, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Type {
    let o = NodeId::new(spot.owner);
    let own = nodes.ty[o];
    let g = spot.repetition;
    match ty {
        pieces::OWN => own,
        pieces::LEAF => leaf_type(own, g, shapes),
        pieces::NEXT => leaf_type(own, g + 1, shapes),
        pieces::OUTER => leaf_type(own, 0u32, shapes),
        pieces::OF_FIRST => leaf_type(nodes.ty[o.plus(1)], g, shapes),
        pieces::GIVEN => leaf_type(own, array_leaf(own, g, shapes), shapes),
        pieces::CHILD => nodes.ty[NodeId::new(spot.node)],
        pieces::OF_CHILD => leaf_type(nodes.ty[NodeId::new(spot.node)], g, shapes),
        pieces::OUTER_FIRST => leaf_type(nodes.ty[o.plus(1)], 0u32, shapes),
        pieces::OTHER => leaf_type(own, field_leaf(own, g + 1, shapes), shapes),
        pieces::PRINTED => {
            let item = printed(spot, nodes, shapes);
            if is_character(item) { Type::Int } else { leaf_type(nodes.ty[o.plus(1)], item, shapes) }
        }
        pieces::BOUNDS => {
            if is_range(dimension(spot, nodes, facts)) {
                Type::Void
            } else {
                Type::Int
            }
        }
        pieces::INTS => Type::Int.array(1),
        _ => Type::from_code(ty as u8),
    }
}

/// Returns the kind of the dimension of a slice that a node is for.
#[device]
fn dimension(spot: Spot, nodes: &Nodes, facts: &Facts) -> Kind {
    let o = NodeId::new(spot.owner);
    let kind = nodes.kind[o];
    if (kind != Kind::Slice) & (kind != Kind::UpdateSlice) {
        return Kind::Empty;
    }
    nodes.kind[child(o, spot.inner + 1, facts)]
}

/// Returns whether a dimension of a slice stays a dimension.
#[device]
fn is_range(dimension: Kind) -> bool {
    (dimension == Kind::Range) | (dimension == Kind::All)
}

/// Returns the kind of a new node, which for some sources depends on a leaf.
#[device]
fn kind_of(item: Item, spot: Spot, nodes: &Nodes, facts: &Facts, shapes: &[u32]) -> Kind {
    let g = spot.repetition;
    let dimension = dimension(spot, nodes, facts);
    match Source::from_code(spot.source as u8) {
        Source::Bounds => {
            if is_range(dimension) {
                Kind::Range
            } else {
                Kind::Add
            }
        }
        Source::Low => {
            if dimension == Kind::All {
                Kind::Literal
            } else {
                Kind::Name
            }
        }
        Source::High => {
            if dimension == Kind::Range {
                Kind::Name
            } else {
                Kind::Literal
            }
        }
        // Rows that are numbers are like the first, and not written before.
        Source::Rows => {
            let is_array = leaf_type(nodes.ty[NodeId::new(spot.node)], g, shapes).is_array();
            if is_array { Kind::NewRows } else { Kind::Replicate }
        }
        Source::Print => {
            if is_character(printed(spot, nodes, shapes)) {
                Kind::Call
            } else {
                Kind::Print
            }
        }
        Source::PrintArgument => {
            if is_character(printed(spot, nodes, shapes)) {
                Kind::Arg
            } else {
                Kind::Ascribe
            }
        }
        Source::PrintValue => {
            if is_character(printed(spot, nodes, shapes)) {
                Kind::Literal
            } else {
                Kind::Name
            }
        }
        _ => item.kind(),
    }
}

/// Returns an item of the text that a node prints.
#[device]
fn printed(spot: Spot, nodes: &Nodes, shapes: &[u32]) -> u32 {
    text_item(nodes.ty[NodeId::new(spot.owner + 1)], spot.repetition, shapes)
}

/// Returns the type of a node that stays.
#[device]
fn own_type(ty: Type) -> Type {
    if ty.is_composite() { Type::Void } else { ty }
}

/// Returns node `k` of event `e`.
#[device(expand)]
fn split(e: usize, k: usize, events: &[u64], nodes: &Nodes, facts: &Facts, places: &Places, shapes: &[u32]) -> Node {
    let event = events[e] as u32;
    let i = NodeId::new(event >> 1);
    let parent = NodeId::new(facts.parent[i]);
    let ends = event & 1 == 1;
    // The parent's part comes first where the node begins, and last where it ends.
    let first = if ends { places.tail[i] } else { places.before[i] };
    let second = if ends { places.after[i] } else { places.lead[i] };
    let begins = first.length();
    let continues = begins + second.length();
    let k = k as u32;
    let found = if k < begins {
        first.find(k)
    } else if k < continues {
        second.find(k - begins)
    } else {
        places.head[i].find(k - continues)
    };
    let of_parent = if ends { k >= begins } else { k < begins };
    let owner = if of_parent { parent } else { i };
    let spot = Spot {
        owner: owner.get(),
        node: i.get(),
        source: found.item.source(),
        number: found.item.number(),
        repetition: found.repetition,
        inner: found.inner,
    };
    let is_own = found.item.source() == Source::Own.code() as u32;
    Node {
        depth: places.root[owner] + found.item.depth(),
        kind: if is_own { nodes.kind[owner] } else { kind_of(found.item, spot, nodes, facts, shapes) },
        ty: if is_own { own_type(nodes.ty[owner]) } else { type_of(found.item.ty(), spot, nodes, facts, shapes) },
        data: data(spot, nodes, facts, places, shapes),
    }
}

/// Replaces composites by their leaves.
pub fn structs<B: Backend>(backend: &B, nodes: Nodes<B>, composites: &[Composite]) -> Result<Nodes<B>> {
    let shapes = backend.upload(&shapes::shapes(composites))?;
    let (parents, facts) = facts(backend, &nodes, &shapes)?;
    let templates: Templates<B> = backend.map(template::of(&nodes, &facts, &shapes).rows(nodes.len()))?;
    let (plan, start) = places(backend, &nodes.depth, &parents, &facts.end, &templates)?;
    let Plan { events, offsets, total, root } = plan;
    let Templates { before, lead, head, tail, after, .. } = templates;
    let places = Places { before, lead, head, tail, after, start, root };
    let split = split::of(&events, &nodes, &facts, &places, &shapes);
    backend.expand_from(&Offsets::assume(backend, &offsets, total)?, split)
}
