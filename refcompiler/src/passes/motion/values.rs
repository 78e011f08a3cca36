//! The values that do not change in a loop, and the largest of them.
//!
//! A value can move if its whole subtree is pure and cannot fail: operators, reads of variables, and the address and the extents of arrays.
//! It can move out of the loops in which none of its variables changes, and so out of the outermost of them. It is a *root* if it does not
//! move together with its parent.
//!
//! Reads come first ([`levels`](crate::passes::nests::writes::levels)). Then only the operators are left whose operands are such reads, literals or
//! operators, in one upward walk. As in [`folding`](crate::passes::folding), the parent in the walk is the nearest smaller depth, and a
//! node that is not one of its operands has none.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{BINARY, FIRST_EXTENT, Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::nests::writes::FIXED;
use crate::passes::nests::{Around, Facts, Loops, loop_around, mixed};

/// The kinds that can move, if their operands can.
const OPERATIONS: Kinds = BINARY.union(Kinds::of(&[
    Kind::Cast,
    Kind::Ascribe,
    Kind::Negate,
    Kind::Not,
    Kind::Complement,
    Kind::Sqrt,
    Kind::Abs,
    Kind::AddWords,
    Kind::AddShorts,
]));
/// The kinds that take several instructions.
const SLOW: Kinds = Kinds::of(&[Kind::Mul, Kind::Div, Kind::Rem, Kind::Sqrt, Kind::Data, Kind::Extent, Kind::Load]);
/// The kinds that take none of their own.
const FREE: Kinds = Kinds::of(&[Kind::Name, Kind::Literal, Kind::Ascribe]);

/// The level, the cost and the hash of a value.
#[device]
pub struct Motion {
    /// 0 without variables; otherwise one more than the number of loops around it that can change one; [`FIXED`].
    pub level: u32,
    /// About the number of its instructions.
    pub cost: u32,
    /// Equal values have equal hashes.
    pub hash: u64,
}

/// An index of a node in the walk.
#[device(index)]
pub struct ValueId(u32);

/// A node in the walk.
#[device(columns(Values, index = ValueId))]
pub struct Value {
    /// The node.
    pub node: u32,
    /// The second operand, [`NO_NODE`] if there is none.
    pub right: u32,
    /// The parent in the walk, [`NO_NODE`] if the node is not an operand of it.
    pub parent: u32,
    /// The motion.
    pub motion: Motion,
}

/// Returns whether a variable that a node reads has an array wherever it is in scope, if it has one at all. A nested function can be called
/// before a variable of the function around is declared.
#[device]
fn has_array(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let variable = NodeId::new(nodes.data[i]);
    let of = facts.around[variable];
    let is_given = facts.end[variable] > variable.get() + 1 && of.is_choice == 0;
    let is_own = of.function == facts.around[i].function;
    (nodes.kind[variable] == Kind::Param) | (nodes.kind[variable] == Kind::Declare && is_given && is_own)
}

/// Returns whether a node can move if its children can.
#[device]
fn can_move(i: NodeId, nodes: &Nodes, facts: &Facts) -> bool {
    let kind = nodes.kind[i];
    if (kind == Kind::Data) | (kind == Kind::Extent) {
        return has_array(i, nodes, facts);
    }
    if kind == Kind::Load {
        let address = i.plus(1);
        let is_extent = (nodes.data[i] >= FIRST_EXTENT) & (nodes.kind[address] == Kind::Name);
        return is_extent && has_array(address, nodes, facts);
    }
    let is_call = kind.is_call(nodes.ty[i]);
    let is_assertion = (kind == Kind::Ascribe) & (nodes.data[i] != 0);
    OPERATIONS.contains(kind) & !is_call & !is_assertion
}

/// Returns whether an operand may be able to move.
#[device]
fn is_fit(i: NodeId, nodes: &Nodes, levels: &[u32]) -> bool {
    let kind = nodes.kind[i];
    if kind.is_read() {
        return levels[i.index()] != FIXED;
    }
    OPERATIONS.contains(kind) | (kind == Kind::Literal) | (kind == Kind::Load)
}

/// Returns whether a node is in the walk: the address or an extent of an array, or an operation in a loop whose operands may move.
#[device(compact)]
fn is_in_walk(i: NodeId, nodes: &Nodes, facts: &Facts, levels: &[u32]) -> bool {
    let kind = nodes.kind[i];
    let is_leaf = (kind == Kind::Data) | (kind == Kind::Extent);
    if is_leaf {
        return levels[i.index()] != FIXED && has_array(i, nodes, facts);
    }
    if !(OPERATIONS.contains(kind) | (kind == Kind::Load)) || !is_fit(i.plus(1), nodes, levels) {
        return false;
    }
    let has_fit = !kind.has_two_operands() || is_fit(NodeId::new(facts.end[i.plus(1)]), nodes, levels);
    has_fit && facts.around[i].innermost != NO_NODE && can_move(i, nodes, facts)
}

#[device(map)]
fn depth(v: usize, found: &[u32], nodes: &Nodes) -> u32 {
    nodes.depth[NodeId::new(found[v])]
}

/// Returns the index of a node among the operands of its parent in the walk, 2 if it is none of them; the parent, if it is one; and the
/// second operand of the node.
#[device(map)]
fn family(v: usize, found: &[u32], parents: &[u32], nodes: &Nodes, end: &[u32]) -> (u32, u32, u32) {
    let i = NodeId::new(found[v]);
    let right = if nodes.kind[i].has_two_operands() { end[i.index() + 1] } else { NO_NODE };
    let parent = parents[v];
    if parent == NO_NODE {
        return (2, NO_NODE, right);
    }
    let above = found[parent as usize];
    if i.get() == above + 1 {
        (0, parent, right)
    } else if i.get() == end[above as usize + 1] {
        (1, parent, right)
    } else {
        (2, NO_NODE, right)
    }
}

/// Returns about the number of instructions of a node, without its operands.
#[device]
pub fn own_cost(kind: Kind) -> u32 {
    if FREE.contains(kind) {
        return 0;
    }
    1 + SLOW.contains(kind) as u32
}

/// Returns the hash of a node without its operands.
#[device]
fn hash(i: NodeId, nodes: &Nodes) -> u64 {
    let code = (nodes.kind[i].code() as u64) << 8 | nodes.ty[i].code() as u64;
    mixed(code << 32 | nodes.data[i] as u64)
}

/// Returns the motion of an operand, given its motion in the walk.
#[device]
fn operand(i: NodeId, walked: Motion, nodes: &Nodes, levels: &[u32]) -> Motion {
    match nodes.kind[i] {
        Kind::Literal => Motion { level: 0, cost: 0, hash: hash(i, nodes) },
        Kind::Name => Motion { level: levels[i.index()], cost: 0, hash: hash(i, nodes) },
        _ => walked,
    }
}

#[device(walk_slots)]
fn motion(v: usize, below: &[Motion], found: &[u32], nodes: &Nodes, end: &[u32], levels: &[u32]) -> Motion {
    let i = NodeId::new(found[v]);
    let kind = nodes.kind[i];
    let cost = own_cost(kind);
    if kind.is_read() {
        return Motion { level: levels[i.index()], cost, hash: hash(i, nodes) };
    }
    let a = operand(i.plus(1), below[0], nodes, levels);
    // A hash of an operator depends on the order of its operands.
    let own = mixed(hash(i, nodes) ^ a.hash);
    if !kind.has_two_operands() {
        return Motion { level: a.level, cost: a.cost.wrapping_add(cost), hash: own };
    }
    let b = operand(NodeId::new(end[i.index() + 1]), below[1], nodes, levels);
    Motion {
        level: a.level.max(b.level),
        cost: a.cost.wrapping_add(b.cost).wrapping_add(cost),
        hash: mixed(own.wrapping_mul(3) ^ b.hash),
    }
}

/// The motion of an operand that is not in the walk.
const STUCK: Motion = Motion { level: FIXED, cost: 0, hash: 0 };

/// Returns the nodes in the walk.
pub fn values<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    facts: &Facts<B>,
    levels: &B::Vec<u32>,
) -> Result<(Values<B>, Parents<B>)> {
    let node = backend.compact(is_in_walk::of(nodes, facts, levels).rows(nodes.len()))?;
    let parents = backend.previous_smaller(&backend.map(depth::of(&node, nodes))?)?;
    let (slot, parent, right) = backend.map(family::of(&node, parents.column(), nodes, &facts.end))?;
    let motion = backend.walk_slots(&parents, &slot, 2, STUCK, motion::of(&node, nodes, &facts.end, levels))?;
    Ok((Values { node, right, parent, motion }, parents))
}

/// Returns the level of the outermost loop that a value can leave. It may be in no such loop.
#[device]
fn target(motion: Motion, around: Around) -> u32 {
    if motion.level == 0 { around.base } else { motion.level - 1 }
}

/// Returns whether a value leaves a loop, by itself or with its parent.
#[device]
fn leaves(v: ValueId, values: &Values, facts: &Facts) -> bool {
    let motion = values.motion[v];
    let around = facts.around[NodeId::new(values.node[v])];
    let is_value = (motion.level != FIXED) & (motion.level != 0);
    is_value && target(motion, around) < around.level
}

#[device(compact)]
fn is_root(v: ValueId, values: &Values, facts: &Facts) -> bool {
    let motion = values.motion[v];
    if motion.cost == 0 || !leaves(v, values, facts) {
        return false;
    }
    let above = ValueId::new(values.parent[v]);
    if above.is_none() || !leaves(above, values, facts) {
        return true;
    }
    let own = target(motion, facts.around[NodeId::new(values.node[v])]);
    target(values.motion[above], facts.around[NodeId::new(values.node[above])]) > own
}

/// An index of a root. Roots are in preorder.
#[device(index)]
pub struct RootId(u32);

/// A value that moves.
#[device(columns(Roots, index = RootId))]
pub struct Root {
    /// The node.
    pub node: u32,
    /// The row in the walk.
    pub value: u32,
    /// The loop that it moves out of.
    pub anchor: u32,
}

#[device(map)]
fn root(r: usize, found: &[u32], values: &Values, facts: &Facts, loops: &Loops) -> Root {
    let v = ValueId::new(found[r]);
    let node = values.node[v];
    let level = target(values.motion[v], facts.around[NodeId::new(node)]);
    Root { node, value: v.get(), anchor: loop_around(node, level, loops) }
}

/// Returns the values that move, each with the loop that it leaves.
pub fn roots<B: Backend>(backend: &B, values: &Values<B>, facts: &Facts<B>, loops: &Loops<B>) -> Result<Roots<B>> {
    let found = backend.compact(is_root::of(values, facts).rows(values.len()))?;
    backend.map(root::of(&found, values, facts, loops).rows(found.len()))
}

/// Returns the type of the variable that holds a value.
#[device]
pub fn type_of_value(i: NodeId, nodes: &Nodes) -> Type {
    nodes.kind[i].type_of_value(nodes.ty[i])
}
