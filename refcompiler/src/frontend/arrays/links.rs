//! Types of programs with arrays: each value gets its type.
//!
//! ```text
//! program   var a = [[1, 2]];              a[0][1]             a + iota[2]
//! node      DECLARE ARRAY ARRAY LITERAL    INDEX INDEX NAME    ADD NAME ASCRIBE
//! links     ARRAY   ARRAY LIT              INDEX NAME  DECLARE NAME and ASCRIBE
//! rank      0       +1    +1    least 0    -1    -1    0       0, 0
//! type      [[int]] ..    [int] int        int   [int] [[int]] [[int]]
//! ```
//!
//! A node knows its type, or depends on up to three others: its rank is the greatest of their ranks with some dimensions more or
//! fewer, and its numbers have the type of those of the first, or a type that it knows. In each round, a link to a node that knows its
//! type becomes a least rank, and a link to a node with one link takes over that link. Equal links become one.
//!
//! So the distance of links doubles where nodes have one link, and expressions of any depth take few rounds. Only variables without a
//! type whose values depend on two earlier ones each, in a chain, take a round per variable. Long chains are left to the sequential
//! front end.
//!
//! Cost: work O(n r) for r rounds of one map and one reduction, of 29 bytes per node.
//! Source: pointer jumping (Wyllie 1979), and rake and compress (Miller and Reif 1985).

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::frontend::arrays::functions::taken_by;
use crate::frontend::arrays::types::{Surroundings, is_builder, is_element_function};
use crate::ir::kinds::{BINARY, Kind, Kinds, MAX_RANK, Type, WITH_LAMBDA};
use crate::ir::meaning::Origin;
use crate::ir::nodes::NodeId;
use crate::ir::syntax::TreeNodes;
use crate::ir::tree::runtime;

/// The rounds after which types are left to the sequential front end.
pub const ROUNDS: u32 = 64;

/// No node.
const NONE: u32 = u32::MAX;

/// The element of a node whose first link decides it.
const LINKED: u8 = u8::MAX;

/// Less than each rank, as a signed number.
const LOWEST: u32 = (-(1i32 << 24)) as u32;

/// The nodes that the type of a node depends on. Ranks are signed numbers.
#[device(columns(Links, index = NodeId))]
pub struct Link {
    /// The first node that it depends on, `NONE` if the type is known.
    pub first: u32,
    /// Is added to the rank of the first node.
    pub first_rank: u32,
    /// The second node, or `NONE`.
    pub second: u32,
    /// Is added to the rank of the second node.
    pub second_rank: u32,
    /// The third node, or `NONE`.
    pub third: u32,
    /// Is added to the rank of the third node.
    pub third_rank: u32,
    /// The least rank.
    pub least: u32,
    /// The code of the type of the numbers, or `LINKED`.
    pub element: u8,
}

/// Returns the greater of two signed numbers.
#[device]
fn greater(a: u32, b: u32) -> u32 {
    if (a as i32) > (b as i32) { a } else { b }
}

/// Returns the sum of two ranks.
#[device]
fn sum(a: u32, b: u32) -> u32 {
    greater(a.wrapping_add(b), LOWEST)
}

/// Returns the link of a node that has some type.
#[device]
fn known(ty: Type) -> Link {
    Link {
        first: NONE,
        first_rank: 0,
        second: NONE,
        second_rank: 0,
        third: NONE,
        third_rank: 0,
        least: ty.rank(),
        element: ty.element().code(),
    }
}

/// Returns the link of a node that depends on one other.
#[device]
fn linked(node: u32, rank: u32) -> Link {
    let mut link = known(Type::Void);
    link.first = node;
    link.first_rank = rank;
    link.least = LOWEST;
    link.element = LINKED;
    link
}

/// Returns the link of a node that depends on two others.
#[device]
fn paired(first: u32, second: u32) -> Link {
    let mut link = linked(first, 0);
    link.second = second;
    link
}

/// Returns the code of the type of numbers that an origin names, and `LINKED` if it names none.
#[device]
fn element_of(origin: Origin) -> u8 {
    if origin == Origin::Int || origin == Origin::Float { origin.code() } else { LINKED }
}

/// The kinds that have the type of their second child, with one dimension more.
const REPEATED: Kinds = Kinds::of(&[Kind::Replicate, Kind::Scan, Kind::Group]);

/// The other kinds that have the type of their second child.
const SECOND: Kinds = Kinds::of(&[Kind::Reduce, Kind::FoldRight, Kind::Filter]);

/// Returns the link of node `i`, a part of a function or the first value of a reduction, whose type the operation around decides.
#[device]
fn link_of_element(i: NodeId, nodes: &TreeNodes, around: &Surroundings) -> Link {
    let kind = nodes.kind[i];
    if kind == Kind::Lambda {
        // Parameters are leaves, and the value is the last child.
        return linked(i.get() + around.children[i], 0);
    }
    if kind == Kind::Arg {
        return linked(i.get() + 1, 0);
    }
    if kind == Kind::Literal {
        // A number that the element before it is compared with, or the first value, before the array, which may be missing.
        let parent = NodeId::new(around.parent[i]);
        if nodes.kind[parent] == Kind::Ne {
            return linked(i.get() - 1, 0);
        }
        return if nodes.end[i] < nodes.end[parent] { linked(i.get() + 1, u32::MAX) } else { known(Type::Void) };
    }
    let taken = taken_by(i, nodes, around);
    if taken.node == NONE { known(Type::Void) } else { linked(taken.node, 0u32.wrapping_sub(taken.rows)) }
}

/// Returns the link of the call at node `i`, which has an argument.
#[device]
fn link_of_call(i: NodeId, nodes: &TreeNodes, around: &Surroundings, origins: &[Origin], data: &[u32]) -> Link {
    let child = i.get() + 1;
    let second = nodes.end[NodeId::new(child)];
    let function = data[i.index()];
    let origin = origins[i.index()];
    if is_builder(i, nodes, origins) {
        if function == runtime::IOTA {
            return known(Type::Int.array(1));
        }
        let mut link = linked(child, 0);
        if function == runtime::RESHAPE && second < nodes.end[i] {
            link.first_rank = LOWEST;
            link.least = around.children[NodeId::new(second + 1)];
        }
        return link;
    }
    if is_element_function(function) {
        let mut link = if second < nodes.end[i] { paired(child, second) } else { linked(child, 0) };
        link.element = element_of(origin);
        return link;
    }
    if origin == Origin::Child { linked(child, 0) } else { known(Type::from_code(origin.code())) }
}

/// The most children that are looked at: more indices than dimensions are an error.
const MOST_CHILDREN: u32 = MAX_RANK + 3;

/// Returns whether node `i` is the new value of `parent`, an UPDATE or UPDATE_SLICE around it: the last child.
#[device]
pub fn is_new_value(i: NodeId, parent: NodeId, nodes: &TreeNodes) -> bool {
    let kind = nodes.kind[parent];
    (kind == Kind::Update || kind == Kind::UpdateSlice) && nodes.end[i] == nodes.end[parent]
}

/// Returns the number of indices of the SLICE or UPDATE_SLICE at node `i` that are no ranges, as far as the number of dimensions allows.
#[device]
pub fn single_indices(i: NodeId, nodes: &TreeNodes) -> u32 {
    let end = nodes.end[i];
    let mut child = NodeId::new(nodes.end[i.plus(1)]);
    let mut looked = 0;
    let mut count = 0u32;
    while child.get() < end && looked < MOST_CHILDREN {
        count += (!nodes.kind[child].is_range() && !is_new_value(child, i, nodes)) as u32;
        child = NodeId::new(nodes.end[child]);
        looked += 1;
    }
    count
}

/// Returns the last child of the UPDATE_SLICE at node `i`, as far as the number of dimensions allows.
#[device]
fn last_child(i: NodeId, nodes: &TreeNodes) -> u32 {
    let end = nodes.end[i];
    let mut child = i.plus(1);
    let mut looked = 0;
    while nodes.end[child] < end && looked < MOST_CHILDREN {
        child = NodeId::new(nodes.end[child]);
        looked += 1;
    }
    child.get()
}

/// Returns the link of node `i`.
#[device(map)]
fn link(i: NodeId, nodes: &TreeNodes, around: &Surroundings, origins: &[Origin], data: &[u32]) -> Link {
    let child = i.get() + 1;
    let origin = origins[i.index()];
    let kind = nodes.kind[i];
    if kind == Kind::Size {
        return known(Type::Int);
    }
    if origin == Origin::Element && !WITH_LAMBDA.contains(kind) {
        return link_of_element(i, nodes, around);
    }
    if origin == Origin::Declaration {
        return linked(data[i.index()], 0);
    }
    let is_type = origin == Origin::Int || origin == Origin::Float || origin.code() >= 8;
    let own = known(if is_type { Type::from_code(origin.code()) } else { Type::Void });
    if nodes.end[i] == child {
        return own;
    }
    if kind == Kind::Call {
        return link_of_call(i, nodes, around, origins, data);
    }
    let second = nodes.end[NodeId::new(child)];
    let has_second = second < nodes.end[i];
    if BINARY.contains(kind) {
        let mut link = paired(child, second);
        link.element = element_of(origin);
        return link;
    }
    if kind == Kind::Not || kind == Kind::Complement || kind == Kind::Cast {
        let mut link = linked(child, 0);
        link.element = origin.code();
        return link;
    }
    if kind == Kind::Array || kind == Kind::Map {
        return linked(child, 1);
    }
    if REPEATED.contains(kind) {
        return if has_second { linked(second, 1) } else { own };
    }
    if SECOND.contains(kind) {
        return if has_second { linked(second, 0) } else { own };
    }
    if kind == Kind::Where {
        let third = if has_second { nodes.end[NodeId::new(second)] } else { NONE };
        if third >= nodes.end[i] {
            return own;
        }
        let mut link = paired(second, third);
        link.third = child;
        return link;
    }
    if kind == Kind::UpdateSlice {
        return linked(last_child(i, nodes), 0);
    }
    if kind == Kind::Slice {
        return linked(child, 0u32.wrapping_sub(single_indices(i, nodes)));
    }
    if kind == Kind::Index || kind == Kind::Update {
        let others = if kind == Kind::Index { 1 } else { 2 };
        return linked(child, (others as u32).wrapping_sub(around.children[i]));
    }
    if kind == Kind::Arg {
        let function = data[around.parent[i] as usize];
        if is_element_function(function) {
            let mut link = linked(child, 0);
            link.element = if origin == Origin::Child { LINKED } else { origin.code() };
            return link;
        }
        return if origin == Origin::Parameter || origin == Origin::Child { linked(child, 0) } else { own };
    }
    if origin == Origin::Child { linked(child, 0) } else { own }
}

/// A link after a round.
#[device]
struct Way {
    /// The node, `NONE` if its type is known.
    node: u32,
    /// Is added to its rank.
    rank: u32,
    /// A least rank.
    least: u32,
}

/// Returns the link to `node` after a round.
#[device]
fn followed(node: u32, rank: u32, links: &Links) -> Way {
    if node == NONE {
        return Way { node: NONE, rank: 0, least: LOWEST };
    }
    let i = NodeId::new(node);
    let least = sum(links.least[i], rank);
    if links.first[i] == NONE {
        return Way { node: NONE, rank: 0, least };
    }
    if links.second[i] != NONE {
        return Way { node, rank, least: LOWEST };
    }
    Way { node: links.first[i], rank: sum(rank, links.first_rank[i]), least }
}

/// Returns the links of node `i` after a round.
#[device(map)]
fn jumped(i: NodeId, links: &Links) -> Link {
    let first = links.first[i];
    let mut element = links.element[i];
    if element == LINKED && first != NONE {
        element = links.element[NodeId::new(first)];
    }
    let mut a = followed(first, links.first_rank[i], links);
    let mut b = followed(links.second[i], links.second_rank[i], links);
    let mut c = followed(links.third[i], links.third_rank[i], links);
    let least = greater(greater(links.least[i], a.least), greater(b.least, c.least));
    if c.node != NONE && c.node == b.node {
        b.rank = greater(b.rank, c.rank);
        c.node = NONE;
    }
    if c.node != NONE && c.node == a.node {
        a.rank = greater(a.rank, c.rank);
        c.node = NONE;
    }
    if b.node != NONE && b.node == a.node {
        a.rank = greater(a.rank, b.rank);
        b.node = NONE;
    }
    // Links come before no links. If the first is known, so is the element, and the order does not matter.
    if b.node == NONE {
        b = c;
        c.node = NONE;
    }
    if a.node == NONE {
        a = b;
        b = c;
        c.node = NONE;
    }
    Link {
        first: a.node,
        first_rank: a.rank,
        second: b.node,
        second_rank: b.rank,
        third: c.node,
        third_rank: c.rank,
        least,
        element,
    }
}

/// Returns 1 if the type of node `i` is not known.
#[device(reduce(Sum))]
fn waits(i: NodeId, links: &Links) -> u32 {
    (links.first[i] != NONE) as u32
}

/// Returns the type of node `i`, `Void` if it is wrong.
#[device(map)]
fn type_of(i: NodeId, links: &Links) -> Type {
    let element = Type::from_code(links.element[i]);
    let is_number = element == Type::Int || element == Type::Float;
    let is_wrong = !is_number || links.least[i] > MAX_RANK;
    if is_wrong { Type::Void } else { element.array(links.least[i]) }
}

/// Returns the type of each node, `Void` of nodes without one, and the number of nodes whose type takes too many rounds.
pub fn linked_types<B: Backend>(
    backend: &B,
    (nodes, around): (&TreeNodes<B>, &Surroundings<B>),
    (origins, data): (&B::Vec<Origin>, &B::Vec<u32>),
) -> Result<(B::Vec<Type>, u32)> {
    let mut links = backend.map(link::of(nodes, around, origins, data))?;
    let mut left = backend.reduce(waits::of(&links), Sum)?;
    let mut rounds = 0;
    while left > 0 && rounds < ROUNDS {
        links = backend.map(jumped::of(&links))?;
        left = backend.reduce(waits::of(&links), Sum)?;
        rounds += 1;
    }
    Ok((backend.map(type_of::of(&links))?, left))
}
