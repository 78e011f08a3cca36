//! Types of programs with arrays: each value gets its type, and the types of operands are checked.
//!
//! ```text
//! program   var a = [[1, 2]];              a[0][1]
//! node      DECLARE ARRAY ARRAY LITERAL    INDEX INDEX NAME
//! link      ARRAY   ARRAY LIT   self       INDEX NAME  DECLARE
//! rank      0       +1    +1    0          -1    -1    0          added to that of the link
//! type      [[int]] ..    [int] int        int   [int] [[int]]
//! ```
//!
//! A node knows its type, or has the type of another node with more or fewer dimensions: its first child, the declaration of
//! its variable. The distance of these links doubles in each round, until all lead to a node that knows its type.
//!
//! Nodes with any number of children are checked by these: each looks at its parent and at the parent's first child.
//!
//! Cost: work O(n log c) for chains of at most c links, one search of parents, one accumulate and one walk; one map and one reduction
//! per round.
//! Source: pointer jumping (Wyllie 1979).

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::frontend::callees::{Refusals, add_refusals};
use crate::ir::kinds::{BINARY, Kind, Kinds, MAX_RANK, Type};
use crate::ir::meaning::{Callables, Origin, Typed};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::TreeNodes;
use crate::ir::tree::runtime;

/// The rounds after which links are a circle, which is an error.
const ROUNDS: u32 = 33;

/// A node whose type decides that of another.
#[device(columns(Links, index = NodeId))]
struct Link {
    /// The node.
    node: u32,
    /// The dimensions that the other one has more.
    rank: u32,
}

/// Returns whether node `i` has no child.
#[device]
fn is_leaf(i: NodeId, nodes: &TreeNodes) -> bool {
    nodes.end[i] == i.get() + 1
}

/// The surroundings of a node.
#[device(columns(Surroundings, index = NodeId))]
struct Surrounding {
    /// Its parent, `u32::MAX` of a root.
    parent: u32,
    /// The number of its children.
    children: u32,
    /// The innermost function that it is in, or is.
    function: u32,
}

/// Returns the parent of a node and 1.
#[device(accumulate)]
fn child(i: usize, parents: &[u32]) -> (u32, u32) {
    (parents[i], 1)
}

/// Returns the innermost function that node `i` is in, or is.
#[device(walk_down)]
fn function_around(i: NodeId, around: u32, kinds: &[Kind]) -> u32 {
    if kinds[i.index()].is_function() { i.get() } else { around }
}

fn surroundings<B: Backend>(backend: &B, nodes: &TreeNodes<B>) -> Result<Surroundings<B>> {
    let parents = backend.previous_smaller(&nodes.depth)?;
    let mut children = backend.filled(nodes.len(), 0)?;
    backend.accumulate(&mut children, child::of(parents.column()))?;
    let function = backend.walk_down(&parents, u32::MAX, function_around::of(&nodes.kind))?;
    Ok(Surroundings { parent: parents.into_column(), children, function })
}

/// Returns whether node `i` is a call of `iota`, `copy` or `concat`. Other calls have a known type by now.
#[device]
fn is_builder(i: NodeId, nodes: &TreeNodes, origins: &[Origin]) -> bool {
    nodes.kind[i] == Kind::Call && origins[i.index()] == Origin::Function
}

/// Returns the link of node `i`.
#[device(map)]
fn link(i: NodeId, nodes: &TreeNodes, around: &Surroundings, origins: &[Origin], data: &[u32]) -> Link {
    let own = Link { node: i.get(), rank: 0 };
    let child = i.get() + 1;
    let origin = origins[i.index()];
    let kind = nodes.kind[i];
    if origin == Origin::Declaration {
        return Link { node: data[i.index()], rank: 0 };
    }
    if is_leaf(i, nodes) {
        return own;
    }
    if kind == Kind::Array {
        return Link { node: child, rank: 1 };
    }
    if kind == Kind::Replicate {
        let second = nodes.end[NodeId::new(child)];
        return if second < nodes.end[i] { Link { node: second, rank: 1 } } else { own };
    }
    if kind == Kind::Index || kind == Kind::Update {
        let others = if kind == Kind::Index { 1 } else { 2 };
        return Link { node: child, rank: (others as u32).wrapping_sub(around.children[i]) };
    }
    let is_copy = is_builder(i, nodes, origins) && data[i.index()] != runtime::IOTA;
    let is_part = kind == Kind::Arg && origin == Origin::Parameter;
    if origin == Origin::Child || is_copy || is_part { Link { node: child, rank: 0 } } else { own }
}

/// Returns the link of the node that node `i` is linked to, as a link of node `i`.
#[device(map)]
fn jumped(i: NodeId, links: &Links) -> Link {
    let next = NodeId::new(links.node[i]);
    if next.get() == i.get() {
        return Link { node: i.get(), rank: 0 };
    }
    Link { node: links.node[next], rank: links.rank[i].wrapping_add(links.rank[next]) }
}

/// Returns 1 if node `i` is linked to a node that is linked to another.
#[device(reduce(Sum))]
fn waits(i: NodeId, links: &Links) -> u32 {
    let next = links.node[i];
    (links.node[NodeId::new(next)] != next) as u32
}

/// Returns the type of node `i`, which needs no other.
#[device]
fn base(i: NodeId, nodes: &TreeNodes, origins: &[Origin]) -> Type {
    let origin = origins[i.index()];
    if nodes.kind[i] == Kind::Size {
        return Type::Int;
    }
    if is_builder(i, nodes, origins) {
        return Type::Int.array(1);
    }
    let is_type = origin == Origin::Int || origin == Origin::Float || origin.code() >= 8;
    if is_type { Type::from_code(origin.code()) } else { Type::Void }
}

/// Returns the type of node `i`, `Void` if it is wrong.
#[device(map)]
fn type_of(i: NodeId, nodes: &TreeNodes, links: &Links, origins: &[Origin]) -> Type {
    let found = base(NodeId::new(links.node[i]), nodes, origins);
    let rank = found.rank().wrapping_add(links.rank[i]);
    let is_wrong = found == Type::Void || rank > MAX_RANK;
    if is_wrong { Type::Void } else { found.element().array(rank) }
}

/// The kinds whose `data` is a position in the part, plus 1.
const POSITIONED: Kinds = Kinds::of(&[Kind::Array, Kind::Index, Kind::Update, Kind::Replicate, Kind::Ascribe]);
/// The other kinds that keep their `data`.
const KEPT: Kinds =
    Kinds::of(&[Kind::Header, Kind::Literal, Kind::Arg, Kind::Name, Kind::Assign, Kind::Param, Kind::Size]);
/// The kinds whose `data` is the id of a function.
const NUMBERED: Kinds = Kinds::of(&[Kind::Call, Kind::Function, Kind::Extern]);

/// Returns the data of node `i` in the final tree. The text of the part begins at position `begin`.
#[device(map)]
fn final_data(i: NodeId, nodes: &TreeNodes, types: &[Type], data: &[u32], ids: &[u32], begin: u32) -> u32 {
    let kind = nodes.kind[i];
    let own = data[i.index()];
    if NUMBERED.contains(kind) {
        return ids[own as usize];
    }
    if POSITIONED.contains(kind) {
        let is_vector = kind == Kind::Array && types[i.index()].rank() == 1;
        return if own == 0 || is_vector { 0 } else { own + begin };
    }
    if KEPT.contains(kind) { own } else { 0 }
}

/// Returns whether a type is that of a number.
#[device]
fn is_number(ty: Type) -> bool {
    ty == Type::Int || ty == Type::Float
}

/// The kinds with a condition or an int.
const INTS: Kinds =
    Kinds::of(&[Kind::If, Kind::IfElse, Kind::While, Kind::Count, Kind::Test, Kind::Not, Kind::Complement]);
/// The kinds with the type of their child.
const SAME: Kinds = Kinds::of(&[Kind::Assign, Kind::Ascribe, Kind::Arg, Kind::Declare]);
/// The kinds that have a type.
const TYPED: Kinds = Kinds::of(&[
    Kind::Assign,
    Kind::Ascribe,
    Kind::Arg,
    Kind::Declare,
    Kind::Param,
    Kind::Cast,
    Kind::Choose,
    Kind::Then,
    Kind::Otherwise,
    Kind::Array,
    Kind::Index,
    Kind::Update,
    Kind::Replicate,
]);

/// Returns whether two literals, or the literals that are their first elements, have different lengths.
#[device]
fn is_ragged(i: NodeId, k: NodeId, nodes: &TreeNodes, around: &Surroundings) -> bool {
    let mut a = i;
    let mut b = k;
    let mut rank = 0;
    while rank <= MAX_RANK && nodes.kind[a] == Kind::Array && nodes.kind[b] == Kind::Array {
        if around.children[a] != around.children[b] {
            return true;
        }
        a = a.plus(1);
        b = b.plus(1);
        rank += 1;
    }
    false
}

/// Checks node `i` as an element of a literal, or as an index or a new value.
#[device]
fn part(i: NodeId, nodes: &TreeNodes, types: &[Type], around: &Surroundings) -> Refusals {
    let none = Refusals { errors: 0, unsure: 0 };
    let parent = NodeId::new(around.parent[i]);
    if parent.is_none() || parent.get() + 1 == i.get() {
        return none;
    }
    let kind = nodes.kind[parent];
    let first = parent.plus(1);
    let mut expected = Type::Int;
    if kind == Kind::Array {
        expected = types[first.index()];
    } else if kind == Kind::Update && nodes.end[i] == nodes.end[parent] {
        expected = types[parent.index()];
    } else if kind != Kind::Index && kind != Kind::Update {
        return none;
    }
    let is_row = kind == Kind::Array && nodes.kind[i] == Kind::Array;
    let is_wrong = types[i.index()] != expected || is_row && is_ragged(first, i, nodes, around);
    // A literal is compared with the first one, which is not the first row.
    Refusals { errors: is_wrong as u32, unsure: (is_row && nodes.kind[first] != Kind::Array) as u32 }
}

/// Returns whether the variable of node `i` is an array that must not change here: a plain parameter, or one of a function around.
#[device]
fn is_fixed(i: NodeId, types: &[Type], data: &[u32], nodes: &TreeNodes, around: &Surroundings) -> bool {
    let declaration = data[i.index()];
    let is_plain = nodes.kind[NodeId::new(declaration)] == Kind::Param && data[declaration as usize] == 0;
    types[i.index()].is_array() && (is_plain || declaration < around.function[i])
}

/// Returns whether a call of `iota`, `copy` or `concat` at node `i` has wrong arguments.
#[device]
fn has_wrong_arguments(i: NodeId, nodes: &TreeNodes, types: &[Type], data: &[u32], around: &Surroundings) -> bool {
    let function = data[i.index()];
    let count = around.children[i];
    if count != (if function == runtime::CONCAT { 2 } else { 1 }) {
        return true;
    }
    let first = types[i.index() + 1];
    if function == runtime::IOTA {
        return first != Type::Int;
    }
    let second = nodes.end[i.plus(1)];
    let is_equal = count == 1 || types[second as usize] == first;
    !first.is_array() || !is_equal
}

/// Checks node `i`. `data` has the function of a call, and the FUNCTION of a `return`.
#[device(reduce(add_refusals))]
fn refusals(
    i: NodeId,
    nodes: &TreeNodes,
    around: &Surroundings,
    types: &[Type],
    origins: &[Origin],
    data: &[u32],
    callables: &Callables,
) -> Refusals {
    let kind = nodes.kind[i];
    let ty = types[i.index()];
    let end = nodes.end[i];
    let leaf = is_leaf(i, nodes);
    let child = if leaf { i } else { i.plus(1) };
    let operand = types[child.index()];
    let second = nodes.end[child];
    let right = if second < end { types[second as usize] } else { Type::Void };

    let mut is_wrong = TYPED.contains(kind) && ty == Type::Void;
    if !leaf {
        is_wrong |= SAME.contains(kind) && operand != ty;
        is_wrong |= (INTS.contains(kind) || kind.is_int_only()) && operand != Type::Int;
        is_wrong |= BINARY.contains(kind) && (operand != right || !is_number(operand));
        is_wrong |= (kind == Kind::Cast || kind == Kind::Negate) && !is_number(operand);
    }
    if kind == Kind::Cast {
        is_wrong |= !is_number(ty);
    } else if kind == Kind::Assign {
        is_wrong |= is_fixed(i, types, data, nodes, around);
    } else if kind == Kind::Update {
        is_wrong |= nodes.kind[child] != Kind::Name
            || !operand.is_array()
            || around.children[i] < 3
            || is_fixed(child, types, data, nodes, around);
    } else if kind == Kind::Index {
        is_wrong |= around.children[i] < 2 || !operand.is_array();
    } else if kind == Kind::Array {
        is_wrong |= leaf;
    } else if kind == Kind::Size {
        is_wrong |= leaf || !operand.is_array() || second != end || data[i.index()] >= operand.rank();
    } else if kind == Kind::Replicate {
        is_wrong |= operand != Type::Int || around.children[i] != 2;
    } else if kind == Kind::Call {
        if is_builder(i, nodes, origins) {
            is_wrong |= has_wrong_arguments(i, nodes, types, data, around);
        } else {
            let function = FunctionId::new(data[i.index()]);
            is_wrong |= leaf && callables.parameters[function] != 0;
            is_wrong |= function.get() == runtime::ABS && !is_number(operand);
        }
    } else if kind == Kind::Then {
        is_wrong |= end as usize >= nodes.len() || ty != types[end as usize];
    } else if kind == Kind::Return {
        let returned = if leaf { Type::Void } else { operand };
        is_wrong |= returned != types[data[i.index()] as usize];
    } else if kind == Kind::Extern {
        is_wrong |= ty.is_array();
    } else if kind == Kind::Param {
        is_wrong |= ty.is_array() && nodes.kind[NodeId::new(around.parent[i])] == Kind::Extern;
    }
    let part = part(i, nodes, types, around);
    Refusals { errors: is_wrong as u32 + part.errors, unsure: part.unsure }
}

/// Returns 1 if node `i` is a remainder of floats.
#[device(reduce(Sum))]
fn remainder(i: NodeId, nodes: &TreeNodes, types: &[Type]) -> u32 {
    (nodes.kind[i] == Kind::Rem && types[i.index()] == Type::Float) as u32
}

/// As [`types`](crate::frontend::types::types), for a program with arrays, whose text begins at position `begin`. Returns the number
/// of forms that only the sequential front end decides, too.
pub fn array_types<B: Backend>(
    backend: &B,
    nodes: &TreeNodes<B>,
    (origins, data): (&B::Vec<Origin>, &B::Vec<u32>),
    (callables, ids): (&Callables<B>, &B::Vec<u32>),
    begin: u32,
) -> Result<(Typed<B>, u32)> {
    let around = surroundings(backend, nodes)?;
    let mut links = backend.map(link::of(nodes, &around, origins, data))?;
    let mut rounds = 0;
    while rounds < ROUNDS && backend.reduce(waits::of(&links), Sum)? > 0 {
        links = backend.map(jumped::of(&links))?;
        rounds += 1;
    }
    let types = backend.map(type_of::of(nodes, &links, origins))?;
    let refusals = backend.reduce(refusals::of(nodes, &around, &types, origins, data, callables), add_refusals)?;
    let remainders = backend.reduce(remainder::of(nodes, &types), Sum)?;
    let data = backend.map(final_data::of(nodes, &types, data, ids, begin))?;
    let errors = refusals.errors + (rounds == ROUNDS) as u32;
    Ok((Typed { types, data, errors, remainders }, refusals.unsure))
}
