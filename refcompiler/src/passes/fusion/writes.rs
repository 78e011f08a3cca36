//! The next write of a variable, for each MULTILOOP: how far its body can move.
//!
//! A write has a time, a position in preorder: an assignment is done at the end of its subtree, a call of a nested function at its begin.
//! Writes are sorted by variable and time, so a search yields the next one.

use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Min;
use treepar::{Backend, Column, Result};

use super::shape::{Shapes, is_number};
use crate::ir::effects::Effects;
use crate::ir::kinds::{Kind, Kinds};
use crate::ir::nodes::{FunctionId, NodeId, Nodes};

/// The statements and values that change a variable.
const WRITES: Kinds = Kinds::of(&[Kind::Assign, Kind::AssignField, Kind::Update, Kind::UpdateSlice]);

/// Returns 1 in an argument of a call that may consume it.
#[device(walk_down)]
fn is_consumed(i: NodeId, above: u32, nodes: &Nodes, effects: &Effects) -> u32 {
    let kind = nodes.kind[i];
    // The result of a MULTILOOP shares no memory with arrays in it.
    if kind.is_function() | (kind == Kind::Multiloop) {
        return 0;
    }
    (above == 1 || (kind == Kind::Call && effects.consumes[FunctionId::new(nodes.data[i])] == 1)) as u32
}

/// Returns the node that names the variable of a write: a NAME in its target, or itself.
#[device]
fn target(i: NodeId, nodes: &Nodes, shape: &Shapes) -> NodeId {
    let kind = nodes.kind[i];
    if kind.is_variable() {
        return i;
    }
    if kind == Kind::AssignField {
        return NodeId::new(shape.end[i] - 1);
    }
    // The fields around it are at most as many as the program has types of structs.
    let mut found = i.plus(1);
    while nodes.kind[found] == Kind::Field {
        found = found.plus(1);
    }
    found
}

/// Returns whether a node changes a variable, consumes it, or calls a function that may.
#[device(compact)]
fn writes(i: NodeId, nodes: &Nodes, effects: &Effects, is_consumed: &[u32]) -> bool {
    let kind = nodes.kind[i];
    let calls_nested = kind == Kind::Call && effects.is_nested[FunctionId::new(nodes.data[i])] == 1;
    let consumes = (kind == Kind::Name) & !is_number(nodes.ty[i]) && is_consumed[i.index()] == 1;
    WRITES.contains(kind) | calls_nested | consumes
}

/// Returns the variable and the time of a write. A call may change any variable of the functions around, so its variable is [`NO_NODE`].
#[device(map)]
fn key(w: usize, writes: &[u32], nodes: &Nodes, shape: &Shapes) -> u64 {
    let i = NodeId::new(writes[w]);
    let kind = nodes.kind[i];
    let variable = if kind == Kind::Call { NO_NODE } else { nodes.data[target(i, nodes, shape)] };
    let time = if WRITES.contains(kind) { shape.end[i] } else { i.get() };
    (variable as u64) << 32 | time as u64
}

/// Returns the time of the first write of a variable after a time, [`NO_NODE`] if there is none.
#[device]
fn next_write(variable: u32, time: u32, keys: &[u64]) -> u32 {
    let key = (variable as u64) << 32 | time as u64;
    let mut low = 0usize;
    let mut high = keys.len();
    while low < high {
        let middle = (low + high) / 2;
        if keys[middle] > key {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if low < keys.len() && (keys[low] >> 32) as u32 == variable { keys[low] as u32 } else { NO_NODE }
}

/// Returns the time of the next write of a variable that a node in a MULTILOOP names. A number that is an INPUT is read only there.
#[device(walk_up(Min))]
fn until(i: NodeId, below: u32, nodes: &Nodes, shape: &Shapes, keys: &[u64]) -> u32 {
    let kind = nodes.kind[i];
    if (kind == Kind::Input) & is_number(nodes.ty[i]) {
        return NO_NODE;
    }
    if kind != Kind::Name || shape.around[i].is_inside == 0 {
        return below;
    }
    let own = next_write(nodes.data[i], i.get(), keys);
    own.min(next_write(NO_NODE, i.get(), keys))
}

/// Returns the time of the next write of a variable that the subtree of a MULTILOOP reads, [`NO_NODE`] if there is none.
pub fn next_writes<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    (parents, shape): (&Parents<B>, &Shapes<B>),
    effects: &Effects<B>,
) -> Result<B::Vec<u32>> {
    let n = nodes.len();
    let is_consumed = backend.walk_down(parents, 0, is_consumed::of(nodes, effects))?;
    let writes = backend.compact(writes::of(nodes, effects, &is_consumed).rows(n))?;
    let keys = backend.map(key::of(&writes, nodes, shape).rows(writes.len()))?;
    let (keys, _) = backend.sort_by_key(&keys, &writes)?;
    backend.walk_up(parents, until::of(nodes, shape, &keys), Min)
}
