//! Types of programs with arrays: the types of operands are checked.
//!
//! [`links`](super::links) finds the types. Most rules about a node and its first child are in a table, by kind. Nodes with any number
//! of children are checked by these: each looks at its parent and at the parent's first child.
//!
//! Cost: work O(n), one search of parents, one accumulate, one walk, three reductions and a map, and the rounds of
//! [`links`](super::links).

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use crate::frontend::arrays::extents::extents_differ;
use crate::frontend::arrays::functions::{is_wrong_argument, is_wrong_lambda, is_wrong_operation, is_wrong_parameter};
use crate::frontend::arrays::links::{is_new_value, linked_types, single_indices};
use crate::frontend::arrays::rebuild::{GREATEST_NUMBER, LEAST_NUMBER};
use crate::frontend::callees::{Refusals, add_refusals};
use crate::ir::kinds::{BINARY, Kind, Kinds, MAX_RANK, Type, WITH_LAMBDA};
use crate::ir::meaning::{Callables, Origin, Typed};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::TreeNodes;
use crate::ir::tree::runtime;

/// Returns whether node `i` has no child.
#[device]
pub fn is_leaf(i: NodeId, nodes: &TreeNodes) -> bool {
    nodes.end[i] == i.get() + 1
}

/// The surroundings of a node.
#[device(columns(Surroundings, index = NodeId))]
pub struct Surrounding {
    /// The row's parent, `u32::MAX` for a root.
    pub parent: u32,
    /// The number of its children.
    pub children: u32,
    /// The innermost function or LAMBDA that it is in, or is.
    pub function: u32,
}

/// Returns the parent of a node and 1.
#[device(accumulate)]
fn child(i: usize, parents: &[u32]) -> (u32, u32) {
    (parents[i], 1)
}

/// Returns the innermost function or LAMBDA that node `i` is in, or is.
#[device(walk_down)]
fn function_around(i: NodeId, around: u32, kinds: &[Kind]) -> u32 {
    let kind = kinds[i.index()];
    if kind.is_function() || kind == Kind::Lambda { i.get() } else { around }
}

fn surroundings<B: Backend>(backend: &B, nodes: &TreeNodes<B>) -> Result<Surroundings<B>> {
    let parents = backend.previous_smaller(&nodes.depth)?;
    let mut children = backend.filled(nodes.len(), 0)?;
    backend.accumulate(&mut children, child::of(parents.column()))?;
    let function = backend.walk_down(&parents, u32::MAX, function_around::of(&nodes.kind))?;
    Ok(Surroundings { parent: parents.into_column(), children, function })
}

/// A tree with its types, which are checked.
#[device(tables)]
pub struct Typing {
    /// The nodes.
    pub nodes: &TreeNodes,
    /// Their surroundings.
    pub around: &Surroundings,
    /// The type of each node, `Void` if it has none or a wrong one.
    pub types: &[Type],
    /// The source of each type.
    pub origins: &[Origin],
    /// The function of a call, the FUNCTION of a `return`, the declaration of a variable, the index of an argument, or a position.
    pub data: &[u32],
    /// The functions.
    pub callables: &Callables,
    /// The types of the parameters of all functions.
    pub parameters: &[Type],
}

/// Returns whether node `i` is a call of a function for arrays. Other calls have a known type by now.
#[device]
pub fn is_builder(i: NodeId, nodes: &TreeNodes, origins: &[Origin]) -> bool {
    nodes.kind[i] == Kind::Call && origins[i.index()] == Origin::Function
}

/// Returns whether a function of numbers is one of arrays too, element by element.
#[device]
pub fn is_element_function(function: u32) -> bool {
    function >= runtime::SQRT && function <= runtime::COS
}

/// The operators that work on arrays, element by element. Their `data` is a position then.
const OPERATORS: Kinds = BINARY.union(Kinds::of(&[Kind::Negate, Kind::Not, Kind::Complement, Kind::Cast]));
/// The kinds whose `data` is a position in the part, plus 1.
const POSITIONED: Kinds = OPERATORS.union(WITH_LAMBDA).union(Kinds::of(&[
    Kind::Array,
    Kind::Index,
    Kind::Slice,
    Kind::Update,
    Kind::UpdateSlice,
    Kind::Replicate,
    Kind::Ascribe,
    Kind::Where,
]));
/// The other kinds that keep their `data`.
const KEPT: Kinds = Kinds::of(&[
    Kind::Header,
    Kind::Literal,
    Kind::Arg,
    Kind::Name,
    Kind::Assign,
    Kind::Param,
    Kind::Size,
    Kind::Range,
]);
/// The kinds whose `data` is the id of a function.
const NUMBERED: Kinds = Kinds::of(&[Kind::Call, Kind::Function, Kind::Extern]);

/// Returns the bits of a number that a reduction begins with, as a float.
#[device]
fn float_bits(number: u32) -> u32 {
    match number {
        0 => 0,
        GREATEST_NUMBER => f32::INFINITY.to_bits(),
        LEAST_NUMBER => f32::NEG_INFINITY.to_bits(),
        _ => 1.0f32.to_bits(),
    }
}

/// Returns the data of node `i` in the final tree. The text of the part begins at position `begin`.
#[device(map)]
fn final_data(
    i: NodeId,
    nodes: &TreeNodes,
    types: &[Type],
    origins: &[Origin],
    data: &[u32],
    ids: &[u32],
    begin: u32,
) -> u32 {
    let kind = nodes.kind[i];
    let own = data[i.index()];
    let ty = types[i.index()];
    if kind == Kind::Literal && origins[i.index()] == Origin::Element && ty == Type::Float {
        return float_bits(own);
    }
    if NUMBERED.contains(kind) {
        return ids[own as usize];
    }
    if POSITIONED.contains(kind) {
        let is_vector = kind == Kind::Array && ty.rank() == 1;
        let is_of_numbers = OPERATORS.contains(kind) && !ty.is_array();
        return if own == 0 || is_vector || is_of_numbers { 0 } else { own + begin };
    }
    if KEPT.contains(kind) { own } else { 0 }
}

/// Returns whether values of a type are numbers or arrays.
#[device]
fn is_value(ty: Type) -> bool {
    ty != Type::Void
}

/// Rules about the operands of a node, as bits. All but the first are for nodes with a child.
mod rule {
    /// The node has a type.
    pub const TYPED: u16 = 1;
    /// The first operand is an `int`.
    pub const INT: u16 = 2;
    /// The first operand is an `int` or an array of these.
    pub const INTS: u16 = 4;
    /// The first operand has the node's type.
    pub const SAME: u16 = 8;
    /// The first operand has a value.
    pub const VALUE: u16 = 16;
    /// The numbers of the first two operands have one type.
    pub const PAIR: u16 = 32;
    /// The first operand is an array.
    pub const ARRAY: u16 = 64;
}

/// The rules of each kind.
const RULES: [u16; 128] = {
    let typed = Kinds::of(&[Kind::Assign, Kind::Arg, Kind::Declare, Kind::Param, Kind::Cast, Kind::Choose])
        .union(Kinds::of(&[Kind::Then, Kind::Otherwise, Kind::Array, Kind::Index, Kind::Update, Kind::Replicate]))
        .union(Kinds::of(&[Kind::Where, Kind::Lambda, Kind::Slice, Kind::UpdateSlice]))
        .union(WITH_LAMBDA);
    let conditions = Kinds::of(&[Kind::If, Kind::IfElse, Kind::While, Kind::Count, Kind::Test, Kind::Replicate])
        .union(Kinds::of(&[Kind::Range]));
    let same = Kinds::of(&[Kind::Assign, Kind::Ascribe, Kind::Arg, Kind::Declare]);
    let values = BINARY.union(Kinds::of(&[Kind::Cast, Kind::Negate, Kind::Print]));
    let arrays = Kinds::of(&[Kind::Index, Kind::Update, Kind::Slice, Kind::UpdateSlice, Kind::Size]);
    let mut rules = [0; 128];
    let mut i = 0;
    while i < Kind::COUNT {
        let kind = Kind::ALL[i];
        let bits = [
            (typed.contains(kind), rule::TYPED),
            (conditions.contains(kind), rule::INT),
            (kind.is_int_only() || matches!(kind, Kind::Where), rule::INTS),
            (same.contains(kind), rule::SAME),
            (values.contains(kind), rule::VALUE),
            (BINARY.contains(kind), rule::PAIR),
            (arrays.contains(kind), rule::ARRAY),
        ];
        let mut k = 0;
        while k < bits.len() {
            rules[i] |= if bits[k].0 { bits[k].1 } else { 0 };
            k += 1;
        }
        i += 1;
    }
    rules
};

/// The kinds with a fixed or least number of children: the kind, the least and the greatest number.
const CHILDREN: [(Kind, u32, u32); 17] = [
    (Kind::Array, 1, u32::MAX),
    (Kind::Index, 2, u32::MAX),
    (Kind::Update, 3, u32::MAX),
    (Kind::Slice, 2, u32::MAX),
    (Kind::UpdateSlice, 3, u32::MAX),
    (Kind::Range, 2, 2),
    (Kind::Size, 1, 1),
    (Kind::Replicate, 2, 2),
    (Kind::Where, 3, 3),
    (Kind::Print, 1, 1),
    // A name in place of a function has no children.
    (Kind::Lambda, 2, u32::MAX),
    (Kind::Map, 2, u32::MAX),
    (Kind::Reduce, 3, 3),
    (Kind::FoldRight, 3, 3),
    (Kind::Scan, 3, 3),
    (Kind::Filter, 2, 2),
    (Kind::Group, 5, 5),
];

/// The least number of children of each kind, and the greatest.
const LIMITS: [[u32; 128]; 2] = {
    let mut limits = [[0; 128], [u32::MAX; 128]];
    let mut k = 0;
    while k < CHILDREN.len() {
        let (kind, least, most) = CHILDREN[k];
        limits[0][kind.code() as usize] = least;
        limits[1][kind.code() as usize] = most;
        k += 1;
    }
    limits
};
const LEAST: [u32; 128] = LIMITS[0];
const MOST: [u32; 128] = LIMITS[1];

/// Returns whether two literals, or the literals that are their first elements, have different lengths.
#[device]
fn is_ragged(i: NodeId, k: NodeId, typed: &Typing) -> bool {
    let mut a = i;
    let mut b = k;
    let mut rank = 0;
    while rank <= MAX_RANK && typed.nodes.kind[a] == Kind::Array && typed.nodes.kind[b] == Kind::Array {
        if typed.around.children[a] != typed.around.children[b] {
            return true;
        }
        a = a.plus(1);
        b = b.plus(1);
        rank += 1;
    }
    false
}

/// The most rows before the first literal among the rows of an array.
const MOST_OTHERS: u32 = 16;

/// Checks node `i` as an element of a literal, or as an index or a new value.
#[device]
fn part(i: NodeId, typed: &Typing) -> Refusals {
    let none = Refusals { errors: 0, unsure: 0 };
    let parent = NodeId::new(typed.around.parent[i]);
    if parent.is_none() || parent.get() + 1 == i.get() {
        return none;
    }
    let kind = typed.nodes.kind[parent];
    let first = parent.plus(1);
    let mut expected = Type::Int;
    if kind == Kind::Array {
        expected = typed.types[first.index()];
    } else if kind.is_slice() && (typed.nodes.kind[i].is_range() || is_new_value(i, parent, typed.nodes)) {
        // The checks of the RANGE and of the UPDATE_SLICE know more about it.
        return none;
    } else if is_new_value(i, parent, typed.nodes) {
        expected = typed.types[parent.index()];
    } else if kind != Kind::Index && kind != Kind::Update && kind != Kind::Range && !kind.is_slice() {
        return none;
    }
    let is_row = kind == Kind::Array && typed.nodes.kind[i] == Kind::Array;
    // A literal is compared with the first one, which may follow other rows.
    let mut row = first;
    let mut others = 0;
    while is_row && others < MOST_OTHERS && typed.nodes.kind[row] != Kind::Array {
        row = NodeId::new(typed.nodes.end[row]);
        others += 1;
    }
    let is_wrong = typed.types[i.index()] != expected || is_row && is_ragged(row, i, typed);
    Refusals { errors: is_wrong as u32, unsure: (is_row && typed.nodes.kind[row] != Kind::Array) as u32 }
}

/// Returns whether the variable of node `i` is an array that must not change here: a plain parameter, or one of a function around.
#[device]
fn is_fixed(i: NodeId, typed: &Typing) -> bool {
    let declaration = typed.data[i.index()];
    let is_plain = typed.nodes.kind[NodeId::new(declaration)] == Kind::Param && typed.data[declaration as usize] == 0;
    typed.types[i.index()].is_array() && (is_plain || declaration < typed.around.function[i])
}

/// Returns whether the list at node `list` has each dimension of an array of some rank once, as literals.
#[device]
fn is_permutation(list: NodeId, rank: u32, typed: &Typing) -> bool {
    let mut seen = 0u32;
    let mut k = list.plus(1);
    while k.get() < typed.nodes.end[list] {
        let dimension = typed.data[k.index()];
        if typed.nodes.kind[k] != Kind::Literal || dimension >= rank {
            return false;
        }
        seen |= 1 << dimension;
        k = k.plus(1);
    }
    typed.around.children[list] == rank && seen == (1 << rank) - 1
}

/// Returns whether a call of a function for arrays at node `i` has wrong arguments.
#[device]
fn has_wrong_arguments(i: NodeId, typed: &Typing) -> bool {
    let function = typed.data[i.index()];
    let count = typed.around.children[i];
    let has_two = function == runtime::CONCAT || function == runtime::PERM || function == runtime::RESHAPE;
    if count != 1 + has_two as u32 {
        return true;
    }
    let first = typed.types[i.index() + 1];
    if function == runtime::IOTA {
        return first != Type::Int;
    }
    let second = typed.nodes.end[i.plus(1)];
    let list = NodeId::new((second + 1).min(typed.nodes.len() as u32 - 1));
    let is_wrong = match function {
        runtime::CONCAT => typed.types[second as usize] != first,
        runtime::PERM => !is_permutation(list, first.rank(), typed),
        runtime::RESHAPE => typed.types[i.index()] == Type::Void,
        _ => false,
    };
    !first.is_array() || is_wrong
}

/// Returns whether the call at node `i` is wrong. `data` has its function.
#[device]
fn is_wrong_call(i: NodeId, typed: &Typing) -> bool {
    if is_builder(i, typed.nodes, typed.origins) {
        return has_wrong_arguments(i, typed);
    }
    let function = FunctionId::new(typed.data[i.index()]);
    is_leaf(i, typed.nodes) && typed.callables.parameters[function] != 0
}

/// Returns whether the RANGE or ALL at node `i` is no index of a slice.
#[device]
fn is_misplaced_range(i: NodeId, typed: &Typing) -> bool {
    let parent = NodeId::new(typed.around.parent[i]);
    let is_first = parent.get() + 1 == i.get();
    is_first || is_new_value(i, parent, typed.nodes) || !typed.nodes.kind[parent].is_slice()
}

/// Returns whether the SLICE or UPDATE_SLICE at node `i` has more indices than its array has dimensions.
#[device]
fn has_many_indices(i: NodeId, typed: &Typing) -> bool {
    let others = if typed.nodes.kind[i] == Kind::UpdateSlice { 2 } else { 1 };
    typed.around.children[i] - others > typed.types[i.index() + 1].rank()
}

/// Returns whether the UPDATE_SLICE at node `i` is wrong. The type of a value is that of the slice, or one with fewer dimensions.
#[device]
fn is_wrong_update(i: NodeId, typed: &Typing) -> bool {
    let target = i.plus(1);
    let array = typed.types[target.index()];
    let value = typed.types[i.index()];
    let rank = array.rank().wrapping_sub(single_indices(i, typed.nodes));
    typed.nodes.kind[target] != Kind::Name
        || is_fixed(target, typed)
        || has_many_indices(i, typed)
        || value.element() != array.element()
        || value.rank() > rank
}

/// Returns whether the types of the second and third operand of the WHERE at node `i` are wrong, or no operand is an array.
#[device]
fn is_wrong_where(i: NodeId, typed: &Typing) -> bool {
    let second = typed.nodes.end[i.plus(1)];
    let third = typed.nodes.end[NodeId::new(second)];
    let (a, b) = (typed.types[second as usize], typed.types[third as usize]);
    !is_value(a) || a.element() != b.element() || !typed.types[i.index()].is_array()
}

/// Returns whether node `i` breaks a rule of its kind about the number of its children and the type of the first.
#[device]
fn breaks_rule(i: NodeId, typed: &Typing) -> bool {
    let kind = (typed.nodes.kind[i].code() & 127) as usize;
    let ty = typed.types[i.index()];
    let rules = RULES[kind];
    let children = typed.around.children[i];
    if children < LEAST[kind] || children > MOST[kind] {
        return true;
    }
    if rules & rule::TYPED != 0 && ty == Type::Void {
        return true;
    }
    if children == 0 {
        return false;
    }
    let operand = typed.types[i.index() + 1];
    let second = typed.nodes.end[i.plus(1)];
    let right = if second < typed.nodes.end[i] { typed.types[second as usize] } else { Type::Void };
    rules & rule::INT != 0 && operand != Type::Int
        || rules & rule::INTS != 0 && operand.element() != Type::Int
        || rules & rule::SAME != 0 && operand != ty
        || rules & rule::VALUE != 0 && !is_value(operand)
        || rules & rule::PAIR != 0 && operand.element() != right.element()
        || rules & rule::ARRAY != 0 && !operand.is_array()
}

/// Checks node `i`.
#[device(reduce(add_refusals))]
fn refusals(i: NodeId, typed: &Typing) -> Refusals {
    let part = part(i, typed);
    if breaks_rule(i, typed) {
        return Refusals { errors: 1 + part.errors, unsure: part.unsure };
    }
    let kind = typed.nodes.kind[i];
    let ty = typed.types[i.index()];
    let operand = if is_leaf(i, typed.nodes) { Type::Void } else { typed.types[i.index() + 1] };
    let is_in_lambda =
        typed.around.function[i] != u32::MAX && typed.nodes.kind[NodeId::new(typed.around.function[i])] == Kind::Lambda;
    let is_wrong = match kind {
        Kind::Assign => is_in_lambda || is_fixed(i, typed),
        Kind::Declare => is_in_lambda,
        Kind::Param => is_wrong_parameter(i, typed),
        Kind::Arg => typed.origins[i.index()] == Origin::Element && is_wrong_argument(i, typed),
        Kind::Lambda => is_wrong_lambda(i, typed),
        Kind::Literal => ty.is_array(),
        Kind::Map | Kind::Reduce | Kind::FoldRight | Kind::Scan | Kind::Filter | Kind::Group => {
            is_wrong_operation(i, typed)
        }
        Kind::Update => typed.nodes.kind[i.plus(1)] != Kind::Name || is_fixed(i.plus(1), typed),
        Kind::UpdateSlice => is_wrong_update(i, typed),
        Kind::Slice => has_many_indices(i, typed),
        Kind::Range | Kind::All => is_misplaced_range(i, typed),
        Kind::Size => typed.data[i.index()] >= operand.rank(),
        Kind::Call => is_wrong_call(i, typed),
        Kind::Where => is_wrong_where(i, typed),
        Kind::Then => {
            typed.nodes.end[i] as usize >= typed.nodes.len() || ty != typed.types[typed.nodes.end[i] as usize]
        }
        Kind::Return => operand != typed.types[typed.data[i.index()] as usize],
        _ => false,
    };
    // In a part without forms of arrays, operators have no positions. The position of a `pow` is in a node that is not made yet.
    let is_pow = kind == Kind::Call && typed.data[i.index()] == runtime::POW;
    let lacks_position = OPERATORS.contains(kind) && typed.data[i.index()] == 0;
    let is_unsure = ty.is_array() && (is_pow || lacks_position);
    Refusals { errors: is_wrong as u32 + part.errors, unsure: is_unsure as u32 + part.unsure }
}

/// Returns 1 if node `i` is a remainder of floats.
#[device(reduce(Sum))]
fn remainder(i: NodeId, nodes: &TreeNodes, types: &[Type]) -> u32 {
    (nodes.kind[i] == Kind::Rem && types[i.index()].element() == Type::Float) as u32
}

/// As [`types`](crate::frontend::types::types), for a program with arrays, whose text begins at position `begin`. Returns the number
/// of forms that only the sequential front end decides, too.
pub fn array_types<B: Backend>(
    backend: &B,
    nodes: &TreeNodes<B>,
    (origins, data): (&B::Vec<Origin>, &B::Vec<u32>),
    (callables, parameters, ids): (&Callables<B>, &B::Vec<Type>, &B::Vec<u32>),
    begin: u32,
) -> Result<(Typed<B>, u32)> {
    let around = surroundings(backend, nodes)?;
    let (types, left) = linked_types(backend, (nodes, &around), (origins, data))?;
    let typed = TypingOn { nodes, around: &around, types: &types, origins, data, callables, parameters };
    let refusals = backend.reduce(refusals::of(&typed).rows(nodes.len()), add_refusals)?;
    let remainders = backend.reduce(remainder::of(nodes, &types), Sum)?;
    let differing = backend.reduce(extents_differ::of(&typed).rows(nodes.len()), Sum)?;
    let data = backend.map(final_data::of(nodes, &types, origins, data, ids, begin))?;
    // Where types are not known, errors are not either.
    let errors = if left > 0 { 0 } else { refusals.errors + differing };
    Ok((Typed { types, data, errors, remainders }, refusals.unsure + left))
}
