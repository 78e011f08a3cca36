//! The values that do not change in a loop, and the largest of them.
//!
//! A value can move if its whole subtree is pure and cannot fail: operators, reads of variables, and the address and the extents of arrays.
//! It can move out of the loops in which none of its variables changes, and so out of the outermost of them. It is a *root* if it does not
//! move together with its parent.

use treepar::depth::Parents;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::loops::{Around, Loops, loop_around};
use super::writes::{Writes, level_of_read};
use crate::ir::kinds::{BINARY, FIRST_EXTENT, Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};

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

/// The level of a value that cannot move.
const FIXED: u32 = u32::MAX;

/// Whether a value can move, and what it costs.
#[device]
pub struct Motion {
    /// 0 without variables; otherwise one more than the number of loops around it that can change one; [`FIXED`].
    pub level: u32,
    /// About the number of its instructions.
    pub cost: u32,
}

#[device(monoid(identity = Motion { level: 0, cost: 0 }))]
fn both(a: Motion, b: Motion) -> Motion {
    Motion { level: a.level.max(b.level), cost: a.cost.wrapping_add(b.cost) }
}

/// Returns whether a variable that a node reads has an array wherever it is in scope, if it has one at all. A nested function can be called
/// before a variable of the function around is declared.
#[device]
fn has_array(i: NodeId, nodes: &Nodes, end: &[u32], around: &[Around]) -> bool {
    let variable = NodeId::new(nodes.data[i]);
    let of = around[variable.index()];
    let is_given = end[variable.index()] > variable.get() + 1 && of.is_choice == 0;
    let is_own = of.function == around[i.index()].function;
    (nodes.kind[variable] == Kind::Param) | (nodes.kind[variable] == Kind::Declare && is_given && is_own)
}

/// Returns whether a node can move if its children can.
#[device]
fn can_move(i: NodeId, nodes: &Nodes, end: &[u32], around: &[Around]) -> bool {
    let kind = nodes.kind[i];
    if (kind == Kind::Name) | (kind == Kind::Literal) {
        return true;
    }
    if (kind == Kind::Data) | (kind == Kind::Extent) {
        return has_array(i, nodes, end, around);
    }
    if kind == Kind::Load {
        let address = i.plus(1);
        let is_extent = (nodes.data[i] >= FIRST_EXTENT) & (nodes.kind[address] == Kind::Name);
        return is_extent && has_array(address, nodes, end, around);
    }
    let is_call = kind.is_call(nodes.ty[i]);
    let is_assertion = (kind == Kind::Ascribe) & (nodes.data[i] != 0);
    OPERATIONS.contains(kind) & !is_call & !is_assertion
}

/// Returns about the number of instructions of a node alone.
#[device]
pub fn own_cost(kind: Kind) -> u32 {
    if FREE.contains(kind) {
        return 0;
    }
    1 + SLOW.contains(kind) as u32
}

#[device(walk_up(both))]
fn motion(
    i: NodeId,
    below: Motion,
    nodes: &Nodes,
    around: &[Around],
    loops: &Loops,
    keys: &[u64],
    foreign: &[u32],
    end: &[u32],
) -> Motion {
    let fixed = Motion { level: FIXED, cost: 0 };
    let here = around[i.index()];
    if below.level == FIXED || here.level == here.base || !can_move(i, nodes, end, around) {
        return fixed;
    }
    let kind = nodes.kind[i];
    let cost = below.cost.wrapping_add(own_cost(kind));
    if !kind.is_read() {
        return Motion { level: below.level, cost };
    }
    Motion { level: level_of_read(i, nodes, around, loops, keys, foreign, end) + 1, cost }
}

/// Returns the level of the outermost loop that a value can leave. It may be in no such loop.
#[device]
fn target(motion: Motion, around: Around) -> u32 {
    if motion.level == 0 { around.base } else { motion.level - 1 }
}

/// Returns whether a value leaves a loop, by itself or with its parent.
#[device]
fn leaves(i: usize, motions: &[Motion], around: &[Around]) -> bool {
    let motion = motions[i];
    let is_value = (motion.level != FIXED) & (motion.level != 0);
    is_value && target(motion, around[i]) < around[i].level
}

#[device(compact)]
fn is_root(i: usize, motions: &[Motion], around: &[Around], parents: &[u32]) -> bool {
    if motions[i].cost == 0 || !leaves(i, motions, around) {
        return false;
    }
    let above = parents[i] as usize;
    !leaves(above, motions, around) || target(motions[above], around[above]) > target(motions[i], around[i])
}

/// An index of a root. Roots are in preorder.
#[device(index)]
pub struct RootId(u32);

/// A value that moves.
#[device(columns(Roots, index = RootId))]
pub struct Root {
    /// Its node.
    pub node: u32,
    /// The loop that it moves out of.
    pub anchor: u32,
}

#[device(map)]
fn root(r: usize, found: &[u32], motions: &[Motion], around: &[Around], loops: &Loops) -> Root {
    let node = found[r];
    let level = target(motions[node as usize], around[node as usize]);
    Root { node, anchor: loop_around(node, level, loops) }
}

/// Returns the values that can move, each with the loop that it leaves.
pub fn roots<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    (parents, end): (&Parents<B>, &B::Vec<u32>),
    (loops, around): (&Loops<B>, &B::Vec<Around>),
    writes: &Writes<B>,
) -> Result<Roots<B>> {
    let motion = motion::of(nodes, around, loops, &writes.keys, &writes.foreign, end);
    let motions = backend.walk_up(parents, motion, both)?;
    let found = backend.compact(is_root::of(&motions, around, parents.column()))?;
    backend.map(root::of(&found, &motions, around, loops).rows(found.len()))
}

/// Returns the type of the variable that holds a value.
#[device]
pub fn type_of_value(i: NodeId, nodes: &Nodes) -> Type {
    nodes.kind[i].type_of_value(nodes.ty[i])
}
