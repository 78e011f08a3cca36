//! Uses of functions: the number of calls of each function from outside of it.
//!
//! ```text
//! program  fn f[] { f[]; }   fn main[]: int { g[]; return 1; }   fn g[] { }
//! uses     0                 0                                   1
//! ```
//!
//! The remainder of floats is a call of its function of the runtime. A recursive call is not a use.
//!
//! Cost: work O(n), one accumulate; 6 bytes per node.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::meaning::{Callables, Meaning};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::SyntaxNodes;
use crate::ir::tree::runtime;

/// No function.
const NONE: u32 = u32::MAX;

/// Returns the function that node `i` uses, and 1. `data` has the function of a call.
#[device(accumulate)]
fn used(i: NodeId, nodes: &SyntaxNodes, data: &[u32], types: &[Type], callables: &Callables) -> (u32, u32) {
    let kind = nodes.kind[i];
    if kind == Kind::Call {
        let function = data[i.index()];
        let node = callables.node[FunctionId::new(function)];
        let is_inside = !node.is_none() && i.get() > node.get() && i.get() < nodes.end[node];
        return (if is_inside { NONE } else { function }, 1);
    }
    let is_remainder = kind == Kind::Rem && types[i.index()] == Type::Float;
    (if is_remainder { runtime::REMAINDER } else { NONE }, 1)
}

/// Counts the uses of each function by id.
pub fn uses<B: Backend>(backend: &B, nodes: &SyntaxNodes<B>, meaning: &Meaning<B>) -> Result<B::Vec<u32>> {
    let Meaning { types, data, callables } = meaning;
    let mut uses = backend.filled(callables.len(), 0)?;
    backend.accumulate(&mut uses, used::of(nodes, data, types, callables))?;
    Ok(uses)
}
