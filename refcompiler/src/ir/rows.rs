//! The program as rows in evaluation order, one operation each, and the locations of their values.

use treepar::device::device;

use super::kinds::{is_value, kind, ty, type_of_value};
use super::registers::argument_location;
use super::table::table;

table! {
    /// Rows in evaluation order.
    pub struct Rows {
        /// The kind of the node.
        kind: u8,
        /// The type of the value; of a comparison, the type of its operands.
        ty: u8,
        /// What the value is used for: one of [`role`](super::kinds::role).
        role: u8,
        /// LITERAL: bits. CALL, FUNCTION: function id. ARG: index of the argument. PARAM, DECLARE, NAME, ASSIGN: offset
        /// of the variable from the upper end of its frame.
        data: u32,
        /// As [`Variables::aux`](super::nodes::Variables::aux).
        aux: u32,
        /// The row of the left operand; for ARG, of the argument's value.
        operand: u32,
        /// The row that [`role`](super::kinds::role) refers to; for ARG, of the call.
        target: u32,
    }
}

table! {
    /// Functions in the order of their rows.
    pub struct Heads {
        /// The first row of each function.
        row: u32,
    }
}

table! {
    /// The location of each row's value.
    pub struct Allocation {
        /// The number of ints on the evaluation stack below the value.
        ints: u32,
        /// The number of floats there.
        floats: u32,
        /// A register, [`SPILLED`](super::registers::SPILLED) (word `ints + floats` of the frame's spills) or
        /// [`NOWHERE`](super::registers::NOWHERE). For ARG, where the callee expects the argument; SPILLED is the stack.
        place: u8,
    }
}

/// Returns the type of the operands of row `r`, VOID if it has none.
#[device]
pub fn type_of_operand(r: usize, kind: &[u8], ty: &[u8], aux: &[u32]) -> u8 {
    match kind[r] {
        kind::CAST => type_of_value(kind[r - 1], ty[r - 1]),
        kind::DECLARE => {
            if aux[r] != 0 {
                ty[r]
            } else {
                ty::VOID
            }
        }
        kind::CALL | kind::LITERAL | kind::NAME => ty::VOID,
        kind::ARG => ty[r],
        other => {
            if is_value(other) {
                ty[r]
            } else {
                ty::VOID
            }
        }
    }
}

/// Returns where row `call` passes the argument in row `v`: see [`argument_location()`].
#[device]
pub fn passed_location(is_float: bool, v: usize, call: usize, ints: &[u32], floats: &[u32]) -> u32 {
    argument_location(is_float, ints[v] - ints[call], floats[v] - floats[call])
}
