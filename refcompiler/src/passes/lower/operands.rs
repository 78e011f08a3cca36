//! The registers and offsets of a row: all that its instructions need.
//!
//! Registers are found once for each row, and kept in 12 bytes. Offsets, which few rows have, are computed where they
//! are used.

use treepar::device::device;

use crate::ir::frame::{Frame, spilled_offset};
use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::registers::{SPILLED, STACK, is_register};
use crate::ir::rows::{FunctionIndex, Located, RowId, stack_word};
use crate::target::riscv::registers::{A0, FA0, FA1, FT0, FT1, T0, T1, ZERO};

/// The offset of a value that is not in memory. Offsets in memory are multiples of 4.
pub const NO_OFFSET: u32 = u32::MAX;

/// In [`Registers::memory`]: the left operand is spilled.
const LEFT: u8 = 1;
/// The right operand is spilled.
const RIGHT: u8 = 2;
/// The value is stored.
const STORE: u8 = 4;

/// The registers of a row.
#[device]
pub struct Registers {
    /// The kind.
    pub kind: Kind,
    /// The type of the operands, or of the value without operands.
    pub ty: Type,
    /// What the value is used for.
    pub role: Role,
    /// The values in memory: bits [`LEFT`], [`RIGHT`] and [`STORE`].
    pub memory: u8,
    /// The register of the left or only operand when the operation begins.
    pub left: u8,
    /// The register of the right operand.
    pub right: u8,
    /// The register for the value. If the value has no register, this is `source`.
    pub destination: u8,
    /// The register that holds the value after the operation.
    pub source: u8,
    /// The function.
    pub function: FunctionIndex,
}

/// A row with its registers and offsets.
#[device]
pub struct Operation {
    /// The kind.
    pub kind: Kind,
    /// As in [`Registers`].
    pub ty: Type,
    /// What the value is used for.
    pub role: Role,
    /// Unused.
    pub padding: u8,
    /// As in [`Registers`].
    pub left: u8,
    /// As in [`Registers`].
    pub right: u8,
    /// As in [`Registers`].
    pub destination: u8,
    /// As in [`Registers`].
    pub source: u8,
    /// The offset from sp at which the left operand is spilled, or [`NO_OFFSET`].
    pub left_at: u32,
    /// The offset of the right operand.
    pub right_at: u32,
    /// The offset at which the value is stored.
    pub store_at: u32,
    /// LITERAL: bits. CALL: function id. DECLARE, NAME, ASSIGN: offset of the variable from the upper end of its frame.
    pub data: u32,
    /// The number of static links from here to the variable or to the callee's frame; see
    /// [`Lifted::hops`](crate::ir::nodes::Lifted::hops).
    pub hops: u32,
    /// The row to jump to.
    pub target: RowId,
}

/// Returns the row of the left or only operand.
#[device]
fn left_row(r: RowId, rows: &Located) -> RowId {
    if rows.kind[r].is_binary() || rows.kind[r] == Kind::Arg { rows.operand[r] } else { r.minus(1) }
}

/// Returns the register of an operand: its own, or the scratch register that a spilled operand is loaded into.
#[device]
fn register(place: u8, is_call: bool, ty: Type, argument: u8, float: u8, int: u8) -> u8 {
    if place != SPILLED {
        place
    } else if is_call {
        argument
    } else if ty == Type::Float {
        float
    } else {
        int
    }
}

/// Returns the register that holds the value after the operation, which writes `written` if it computes. `ty` is the
/// type of the value.
#[device]
fn source(s: Registers, has_value: bool, ty: Type, written: u8) -> u8 {
    if s.kind.is_call(s.ty) {
        return if ty == Type::Float { FA0 } else { A0 };
    }
    match s.kind {
        Kind::Declare => {
            if has_value {
                s.left
            } else {
                ZERO
            }
        }
        Kind::Assign | Kind::Ascribe | Kind::Arg | Kind::Param => s.left,
        Kind::Cast => {
            if s.ty == ty {
                s.left
            } else {
                written
            }
        }
        _ => written,
    }
}

/// Finds the registers of row `r`.
#[device]
pub fn registers_of(r: RowId, rows: &Located, function: FunctionIndex) -> Registers {
    let kind = rows.kind[r];
    let ty = rows.ty[r];
    let place = rows.place[r];
    let has_value = rows.aux[r] != 0;
    let mut before = Type::Void;
    if kind == Kind::Cast {
        before = rows.kind[r.minus(1)].type_of_value(rows.ty[r.minus(1)]);
    }
    let operands = kind.type_of_operand(ty, has_value, before);
    let has_operands = operands != Type::Void;
    let mut s = Registers {
        kind,
        ty: if has_operands { operands } else { ty },
        role: rows.role[r],
        memory: 0,
        left: ZERO,
        right: ZERO,
        destination: ZERO,
        source: ZERO,
        function,
    };
    let calls = kind.is_call(s.ty);
    if has_operands {
        let left = rows.place[left_row(r, rows)];
        s.left = register(left, calls, operands, FA0, FT0, T0);
        if left == SPILLED {
            s.memory |= LEFT;
            if kind == Kind::Arg && place != SPILLED {
                s.left = place;
            }
        }
        if kind.is_binary() {
            let right = rows.place[r.minus(1)];
            s.right = register(right, calls, operands, FA1, FT1, T1);
            if right == SPILLED {
                s.memory |= RIGHT;
            }
        }
    }
    if kind == Kind::Param {
        s.left = rows.aux[r] as u8;
        if rows.aux[r] < STACK {
            s.memory |= STORE;
        }
    } else if place == SPILLED {
        s.memory |= STORE;
    }
    let value = kind.type_of_value(ty);
    let scratch = if value == Type::Float { FT0 } else { T0 };
    s.source = source(s, has_value, value, if is_register(place) { place } else { scratch });
    s.destination = if is_register(place) { place } else { s.source };
    s
}

/// Returns the offset from sp of the spilled value of row `r`.
#[device]
fn spilled_at(r: RowId, rows: &Located, frame: Frame) -> u32 {
    spilled_offset(frame, rows.ints[r] + rows.floats[r])
}

/// Returns row `r` as an operation. `last` is the last row of its function.
#[device]
pub fn operation(r: RowId, s: Registers, rows: &Located, frame: Frame, last: u32) -> Operation {
    let mut left_at = NO_OFFSET;
    let mut right_at = NO_OFFSET;
    let mut store_at = NO_OFFSET;
    if s.memory != 0 {
        if (s.memory & LEFT) != 0 {
            left_at = spilled_at(left_row(r, rows), rows, frame);
        }
        if (s.memory & RIGHT) != 0 {
            right_at = spilled_at(r.minus(1), rows, frame);
        }
        if (s.memory & STORE) != 0 {
            store_at = match s.kind {
                Kind::Param => frame.bytes.wrapping_add(rows.data[r]),
                Kind::Arg => 4 * stack_word(r, rows),
                _ => spilled_at(r, rows, frame),
            };
        }
    }
    Operation {
        kind: s.kind,
        ty: s.ty,
        role: s.role,
        padding: 0,
        left: s.left,
        right: s.right,
        destination: s.destination,
        source: s.source,
        left_at,
        right_at,
        store_at,
        data: rows.data[r],
        hops: rows.aux[r],
        target: if s.kind == Kind::Return { RowId::new(last) } else { rows.target[r] },
    }
}
