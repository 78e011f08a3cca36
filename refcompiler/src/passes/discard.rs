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
//! Cost: a part of the walk of [`flatten`](super::flatten), one bit a node.

use treepar::device::device;

use crate::tree::kind;

/// Whether a value of this kind has no effect but its value.
#[device]
pub fn is_pure(kind: u8) -> bool {
    kind >= kind::LITERAL
}

/// Whether nobody uses the values directly below a node of a kind, given whether anybody uses those beside it.
#[device]
pub fn unused_below(kind: u8, unused: bool) -> bool {
    if is_pure(kind) { unused } else { kind == kind::EXPRESSION }
}
