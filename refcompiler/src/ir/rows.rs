//! The program as rows in evaluation order, one operation each, and the locations of their values.

use treepar::device::device;

use super::kinds::{Kind, Role, Type};
use super::registers::{STACK, argument_location};
use super::table::tables;
use crate::target::Target;

/// An index of a row.
#[device(index)]
pub struct RowId(u32);

/// A function's position in the order of rows.
#[device(index)]
pub struct FunctionIndex(u32);

/// A row.
#[device(columns(Rows, index = RowId))]
pub struct Row {
    /// The kind of the node.
    pub kind: Kind,
    /// The type of the value; of a comparison, the type of its operands.
    pub ty: Type,
    /// The use of the value.
    pub role: Role,
    /// LITERAL: bits. CALL, FUNCTION: function id. ARG: index of the argument. PARAM, DECLARE, COUNT, FOR, NAME, ASSIGN,
    /// ADDRESS: offset of the variable from the upper end of its frame. Kinds of variables in registers:
    /// [`held_data`](super::held::held_data()). Operations: the [literal](super::row_form) that they contain. LOAD, STORE: distance from the address. Checks: as of the node.
    pub data: u32,
    /// As [`Variables::aux`](super::nodes::Variables::aux). BLOCK: 1 if it jumps to the condition of its loop. ASSIGN to a variable
    /// in a register: 1. Operations on ints: 1 if the right operand is the literal in `data`. Operations on floats: 1 if no row depends
    /// on the bits of a NaN that they yield. Comparisons that a branch does: [`BY_BRANCH`](super::kinds::BY_BRANCH).
    pub aux: u32,
    /// The row of the left of two operands; for ARG, of the argument's value; for other rows the row before.
    pub operand: RowId,
    /// The row that [`Role`] refers to; for ARG, of the call.
    pub target: RowId,
}

/// A function, in the order of rows.
#[device(columns(Heads, index = FunctionIndex))]
pub struct Head {
    /// The first row of the function.
    pub row: u32,
}

/// A row with the location of its value.
#[device(columns(Located, index = RowId))]
pub struct LocatedRow {
    /// As in [`Row`].
    pub kind: Kind,
    /// As in [`Row`].
    pub ty: Type,
    /// As in [`Row`].
    pub role: Role,
    /// As in [`Row`].
    pub data: u32,
    /// As in [`Row`].
    pub aux: u32,
    /// As in [`Row`].
    pub operand: RowId,
    /// As in [`Row`].
    pub target: RowId,
    /// The number of ints on the evaluation stack below the value.
    pub ints: u32,
    /// The number of floats there.
    pub floats: u32,
    /// A register, [`SPILLED`](super::registers::SPILLED) (word `ints + floats` of the frame's spills) or
    /// [`NOWHERE`](super::registers::NOWHERE). For ARG, where the callee expects the argument; SPILLED is the stack.
    pub place: u8,
}

tables!(Rows, Heads, Located);

/// Returns the row before row `r`: the row of its right or only operand. The first row is before itself.
#[device]
pub fn before(r: RowId) -> RowId {
    RowId::new(r.get().max(1) - 1)
}

/// Returns the word of the stack that the ARG in row `r` moves its value to, if that value goes on the stack.
#[device]
pub fn stack_word(target: Target, r: RowId, rows: &Located) -> u32 {
    let value = rows.operand[r];
    let call = rows.target[r];
    let ints = rows.ints[value] - rows.ints[call];
    let floats = rows.floats[value] - rows.floats[call];
    argument_location(target, rows.ty[r] == Type::Float, ints, floats) - STACK
}
