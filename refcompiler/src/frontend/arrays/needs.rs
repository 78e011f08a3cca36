//! The functions of the runtime that the nodes of a part with arrays may become calls of.
//!
//! Cost: work O(n), one reduction.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::builtins::BuiltinSet;
use crate::ir::needs::{Needs, needs_of_node};
use crate::ir::nodes::{NodeId, Nodes};

#[device(monoid(identity = Needs { low: 0, high: 0 }))]
fn join(a: Needs, b: Needs) -> Needs {
    Needs { low: a.low | b.low, high: a.high | b.high }
}

#[device(reduce(join))]
fn needs(i: NodeId, nodes: &Nodes) -> Needs {
    needs_of_node(nodes.kind[i], nodes.ty[i], nodes.data[i])
}

/// Returns the functions that a part needs.
pub fn needed<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<BuiltinSet> {
    let Needs { low, high } = backend.reduce(needs::of(nodes), join)?;
    Ok(BuiltinSet::of_halves(low, high))
}
