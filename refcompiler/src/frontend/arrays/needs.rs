//! The functions of the runtime that the nodes of a part with arrays may become calls of, and whether it has operations on whole arrays.
//!
//! Cost: work O(n), one reduction.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::builtins::BuiltinSet;
use crate::ir::kinds::Kind;
use crate::ir::needs::{is_loop, needs_of_node};
use crate::ir::nodes::{NodeId, Nodes};

/// The needs of some nodes.
#[device]
pub struct AllNeeds {
    /// As in [`Needs`](crate::ir::needs::Needs).
    pub low: u64,
    /// As in [`Needs`](crate::ir::needs::Needs).
    pub high: u64,
    /// 1 if there are operations on whole arrays.
    pub loops: u64,
}

#[device(monoid(identity = AllNeeds { low: 0, high: 0, loops: 0 }))]
fn join(a: AllNeeds, b: AllNeeds) -> AllNeeds {
    AllNeeds { low: a.low | b.low, high: a.high | b.high, loops: a.loops | b.loops }
}

#[device(reduce(join))]
fn needs(i: NodeId, nodes: &Nodes) -> AllNeeds {
    let kind = nodes.kind[i];
    let ty = if kind == Kind::Print { nodes.ty[i.plus(1)] } else { nodes.ty[i] };
    let own = needs_of_node(kind, ty, nodes.data[i]);
    AllNeeds { low: own.low, high: own.high, loops: is_loop(kind, nodes.ty[i], nodes.data[i]) as u64 }
}

/// Returns the functions that a part needs, and whether it has operations on whole arrays.
pub fn needed<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<(BuiltinSet, bool)> {
    let AllNeeds { low, high, loops } = backend.reduce(needs::of(nodes), join)?;
    Ok((BuiltinSet::of_halves(low, high), loops > 0))
}
