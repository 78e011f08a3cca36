//! Operations that are written as calls: their nodes get kinds of their own.
//!
//! ```text
//! program  sqrt[x] + f[x]
//! kind     add call    arg     name  call arg name
//! becomes  add sqrt    ascribe name  call arg name
//! ```
//!
//! An operation has one argument, so its ARG is the next node. Only programs that use an operation take this pass.
//!
//! Cost: work O(n), one map.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::NodeId;
use crate::ir::tree::runtime;

/// Returns the kind of a call of the function `id`.
#[device]
fn called(id: u32) -> Kind {
    if id == runtime::SQRT {
        return Kind::Sqrt;
    }
    if id == runtime::ABS { Kind::Abs } else { Kind::Call }
}

/// Returns the kind and the data of node `i`.
#[device(map)]
fn operation(i: NodeId, kinds: &[Kind], data: &[u32]) -> (Kind, u32) {
    let at = i.index();
    let kind = kinds[at];
    if kind == Kind::Call {
        let kind = called(data[at]);
        return (kind, if kind == Kind::Call { data[at] } else { 0 });
    }
    if kind == Kind::Arg && kinds[at - 1] == Kind::Call && called(data[at - 1]) != Kind::Call {
        return (Kind::Ascribe, 0);
    }
    (kind, data[at])
}

/// Gives the calls of operations, and their arguments, their kinds. `data` has the function of each call.
pub fn operations<B: Backend>(
    backend: &B,
    kinds: &B::Vec<Kind>,
    data: &B::Vec<u32>,
) -> Result<(B::Vec<Kind>, B::Vec<u32>)> {
    backend.map(operation::of(kinds, data).rows(kinds.len()))
}
