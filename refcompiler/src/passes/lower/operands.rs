//! The registers and offsets of a row: all that its instructions need, computed once for each row.

use treepar::device::device;

use crate::ir::frame::{Frame, spilled_offset};
use crate::ir::kinds::{is_binary, is_call, kind, ty, type_of_value};
use crate::ir::registers::{SPILLED, STACK, is_register};
use crate::ir::rows::{passed_location, type_of_operand};
use crate::target::riscv::registers::{A0, FA0, FA1, FT0, FT1, T0, T1, ZERO};

/// The offset of a value that is not in memory. Offsets in memory are multiples of 4.
pub const NO_OFFSET: u32 = u32::MAX;

/// A row with its registers and offsets.
#[device]
pub struct Operation {
    /// The kind.
    pub kind: u8,
    /// The type of the operands, or of the value without operands.
    pub ty: u8,
    /// The type of the value.
    pub value: u8,
    /// What the value is used for.
    pub role: u8,
    /// The register of the left or only operand when the operation begins.
    pub left: u8,
    /// The register of the right operand.
    pub right: u8,
    /// The register for the value. If the value has no register, this is `source`.
    pub destination: u8,
    /// The register that holds the value after the operation.
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
    pub target: u32,
    /// The index of the function.
    pub function: u32,
}

/// Returns the register of an operand: its own, or the scratch register that a spilled operand is loaded into.
#[device]
fn register(place: u8, is_call: bool, ty: u8, argument: u8, float: u8, int: u8) -> u8 {
    if place != SPILLED {
        place
    } else if is_call {
        argument
    } else if ty == ty::FLOAT {
        float
    } else {
        int
    }
}

/// Returns the register that holds the value after the operation, which writes `written` if it computes.
#[device]
fn source(s: Operation, written: u8) -> u8 {
    if is_call(s.kind, s.ty) {
        return if s.value == ty::FLOAT { FA0 } else { A0 };
    }
    match s.kind {
        kind::DECLARE => {
            if s.hops != 0 {
                s.left
            } else {
                ZERO
            }
        }
        kind::ASSIGN | kind::ASCRIBE | kind::ARG | kind::PARAM => s.left,
        kind::CAST => {
            if s.ty == s.value {
                s.left
            } else {
                written
            }
        }
        _ => written,
    }
}

/// Returns row `r` as an operation.
#[device]
pub fn operation(
    r: usize,
    kind: &[u8],
    ty: &[u8],
    role: &[u8],
    data: &[u32],
    aux: &[u32],
    operand: &[u32],
    target: &[u32],
    place: &[u8],
    ints: &[u32],
    floats: &[u32],
    frame: Frame,
) -> Operation {
    let k = kind[r];
    let operands = type_of_operand(r, kind, ty, aux);
    let mut s = Operation {
        kind: k,
        ty: if operands == ty::VOID { ty[r] } else { operands },
        value: type_of_value(k, ty[r]),
        role: role[r],
        left: ZERO,
        right: ZERO,
        destination: ZERO,
        source: ZERO,
        left_at: NO_OFFSET,
        right_at: NO_OFFSET,
        store_at: NO_OFFSET,
        data: data[r],
        hops: aux[r],
        target: target[r],
        function: 0,
    };
    let calls = is_call(k, s.ty);
    if operands != ty::VOID {
        let two = is_binary(k);
        let left = if two || k == kind::ARG { operand[r] as usize } else { r - 1 };
        s.left = register(place[left], calls, operands, FA0, FT0, T0);
        if place[left] == SPILLED {
            s.left_at = spilled_offset(frame, ints[left] + floats[left]);
            if k == kind::ARG && place[r] != SPILLED {
                s.left = place[r];
            }
        }
        if two {
            s.right = register(place[r - 1], calls, operands, FA1, FT1, T1);
            if place[r - 1] == SPILLED {
                s.right_at = spilled_offset(frame, ints[r - 1] + floats[r - 1]);
            }
        }
    }
    if k == kind::PARAM {
        s.left = aux[r] as u8;
        s.store_at = if aux[r] < STACK { frame.bytes.wrapping_add(data[r]) } else { NO_OFFSET };
    } else if place[r] == SPILLED {
        s.store_at = if k == kind::ARG {
            4 * (passed_location(ty[r] == ty::FLOAT, operand[r] as usize, target[r] as usize, ints, floats) - STACK)
        } else {
            spilled_offset(frame, ints[r] + floats[r])
        };
    }
    let scratch = if s.value == ty::FLOAT { FT0 } else { T0 };
    s.source = source(s, if is_register(place[r]) { place[r] } else { scratch });
    s.destination = if is_register(place[r]) { place[r] } else { s.source };
    s
}
