//! Dead-expression elimination on the tree (Pareas, sections 3.4 and 4.5), in one walk instead of a fixpoint.
//!
//! ```text
//! f[1] + x * 2;     dead: + * x 2     discarded: the value of f[1], whose call stays     needed: 1
//! ```
//!
//! A value is needed unless the nearest node above it that does more than compute is an expression statement. Such a
//! value is dead if it does no more than compute itself; a call or assignment stays, and its value is discarded.
//! Every operation of RISC-V that computes is safe to leave out: division does not trap.
//!
//! Cost: work O(n), one walk down, 1 byte a node.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::lift::Lifted;
use crate::tree::kind;

/// Whether a value of this kind has no effect but its value.
#[device]
pub fn is_pure(kind: u8) -> bool {
    kind >= kind::LITERAL
}

/// Whether nobody uses the values directly below a node.
#[device(walk_down)]
fn unused_below(i: usize, parent: u8, kind: &[u8]) -> u8 {
    if is_pure(kind[i]) { parent } else { (kind[i] == kind::EXPRESSION) as u8 }
}

/// For each node, 1 if nobody uses values that stand directly below it.
pub fn discard<B: Backend>(backend: &B, lifted: &Lifted<B>) -> Result<B::Vec<u8>> {
    debug_assert_eq!(lifted.structure.parent.len(), lifted.nodes.kind.len());
    backend.walk_down::<unused_below>(&lifted.structure.parent, 0, (&lifted.nodes.kind,))
}
