//! Sequences of instructions: constants, words of memory at any distance, the stack pointer.
//!
//! A word farther than 2 KiB from its base takes three instructions, of which T1 holds the address.

use treepar::device::device;

use super::encode::{is_near, lower, upper};
use super::isa as op;
use super::registers::{SP, T1, ZERO};
use crate::ir::instruction::{Instruction, immediate, registers};
use crate::ir::registers::{is_float, is_int};

/// Declares two device functions from one list of parts: the number of instructions, and instruction `k` of them.
///
/// A part is one instruction, or `@ count => instructions`, with their number before their content. In the content `k`
/// counts from the start of the part. Parameters in the second brackets are for the content only.
macro_rules! sequence {
    (
        $(#[$doc:meta])*
        $length:ident($($p:ident: $t:ty),*), $content:ident($($q:ident: $(&[$c:ident])? $($u:ident)?),*), $k:ident:
        $($(@ $count:expr =>)? $part:expr),* $(,)?
    ) => {
        $(#[$doc])*
        #[device]
        pub fn $length($($p: $t),*) -> u32 {
            0u32 $(+ 1 $(- 1 + $count)?)*
        }

        $(#[$doc])*
        #[device]
        #[allow(unused_variables, clippy::too_many_arguments)]
        pub fn $content($($p: $t,)* $($q: $(&[$c])? $($u)?,)* $k: u32) -> $crate::ir::instruction::Instruction {
            $(
                let count: u32 = 1 $(- 1 + $count)?;
                if $k < count {
                    return $part;
                }
                let $k: u32 = $k.wrapping_sub(count);
            )*
            $crate::ir::instruction::nothing()
        }
    };
}
pub(crate) use sequence;

/// Returns the instruction that moves `from` to `to`, of either type.
#[device]
pub const fn copy(to: u8, from: u8) -> Instruction {
    if is_int(to) {
        if is_int(from) { immediate(op::ADDI, to, from, 0) } else { registers(op::FMV_X_W, to, from, 0) }
    } else if is_int(from) {
        registers(op::FMV_W_X, to, from, 0)
    } else {
        registers(op::FSGNJ, to, from, from)
    }
}

/// Returns 1 if an offset does not fit an immediate, else 0.
#[device]
pub fn far(offset: u32) -> u32 {
    !is_near(offset) as u32
}

/// Returns the load or store of `r` at an offset that fits an immediate.
#[device]
pub const fn near_access(is_store: bool, r: u8, base: u8, offset: u32) -> Instruction {
    if is_store {
        Instruction { op: if is_float(r) { op::FSW } else { op::SW }, rd: 0, rs1: base, rs2: r, imm: offset }
    } else {
        immediate(if is_float(r) { op::FLW } else { op::LW }, r, base, offset)
    }
}

/// Returns the load or store of a byte or a short in `r`. `op` is the instruction.
#[device]
pub const fn narrow_access(op: u8, r: u8, base: u8, offset: u32) -> Instruction {
    if (op == op::SB) | (op == op::SH) {
        Instruction { op, rd: 0, rs1: base, rs2: r, imm: offset }
    } else {
        immediate(op, r, base, offset)
    }
}

sequence! {
    /// Loads or stores `r` at `offset` from `base`.
    access_length(offset: u32), access(is_store: bool, r: u8, base: u8), k:
    @ far(offset) => immediate(op::LUI, T1, 0, upper(offset)),
    @ far(offset) => registers(op::ADD, T1, T1, base),
    near_access(is_store, r, if is_near(offset) { base } else { T1 }, if is_near(offset) { offset } else { lower(offset) }),
}

sequence! {
    /// Puts `value` into int register `r`.
    constant_length(value: u32), constant(r: u8), k:
    @ far(value) => immediate(op::LUI, r, 0, upper(value)),
    @ (is_near(value) || lower(value) != 0) as u32 =>
        immediate(op::ADDI, r, if is_near(value) { ZERO } else { r }, lower(value)),
}

sequence! {
    /// Moves sp down or up by a frame.
    adjust_length(bytes: u32), adjust(down: bool), k:
    @ far(bytes) => immediate(op::LUI, T1, 0, upper(bytes)),
    @ far(bytes) => immediate(op::ADDI, T1, T1, lower(bytes)),
    @ far(bytes) => registers(if down { op::SUB } else { op::ADD }, SP, SP, T1),
    @ (bytes != 0 && is_near(bytes)) as u32 =>
        immediate(op::ADDI, SP, SP, if down { bytes.wrapping_neg() } else { bytes }),
}
