//! Sequences that load, store and move: words of a frame at any distance, constants, variables of functions around.
//!
//! A word farther than 2 KiB from its base takes three instructions. T1 holds its address, T2 the frame of a function
//! around.

use treepar::device::device;

use super::operands::{NO_OFFSET, Operation};
use super::{memory, sequence};
use crate::ir::frame::{Frame, STATIC_LINK};
use crate::ir::instruction::{Instruction, NOTHING};
use crate::ir::kinds::Kind;
use crate::ir::registers::{is_float, is_int};
use crate::target::riscv::encode::{is_near, lower, upper};
use crate::target::riscv::isa as op;
use crate::target::riscv::registers::{SP, T0, T1, T2, ZERO};

/// Returns an instruction with registers only.
#[device]
pub const fn registers(op: u8, rd: u8, rs1: u8, rs2: u8) -> Instruction {
    Instruction { op, rd, rs1, rs2, imm: 0 }
}

/// Returns an instruction with an immediate and without second source.
#[device]
pub const fn immediate(op: u8, rd: u8, rs1: u8, imm: u32) -> Instruction {
    Instruction { op, rd, rs1, rs2: 0, imm }
}

/// Returns the end of a sequence: no instruction.
#[device]
pub const fn nothing() -> Instruction {
    immediate(NOTHING, ZERO, ZERO, 0)
}

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
fn far(offset: u32) -> u32 {
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

sequence! {
    /// Loads or stores `r` at `offset` from `base`.
    access_length(offset: u32), access(is_store: bool, r: u8, base: u8), k:
    @ far(offset) => immediate(op::LUI, T1, 0, upper(offset)),
    @ far(offset) => registers(op::ADD, T1, T1, base),
    near_access(is_store, r, if is_near(offset) { base } else { T1 }, if is_near(offset) { offset } else { lower(offset) }),
}

/// Returns the number of instructions of an access to memory, if there is one.
#[device]
pub fn spill_length(offset: u32) -> u32 {
    if offset == NO_OFFSET { 0 } else { access_length(offset) }
}

sequence! {
    /// Puts `value` into int register `r`.
    constant_length(value: u32), constant(r: u8), k:
    @ far(value) => immediate(op::LUI, r, 0, upper(value)),
    @ (is_near(value) || lower(value) != 0) as u32 =>
        immediate(op::ADDI, r, if is_near(value) { ZERO } else { r }, lower(value)),
}

sequence! {
    /// Loads the address of the frame `hops` static links away into `r`.
    chain_length(hops: u32, frame_bytes: u32), chain(r: u8), k:
    @ if hops == 0 { 0 } else { access_length(frame_bytes.wrapping_sub(STATIC_LINK)) } =>
        access(frame_bytes.wrapping_sub(STATIC_LINK), false, r, SP, k),
    @ if hops == 0 { 0 } else { hops - 1 } => immediate(op::LW, r, r, STATIC_LINK.wrapping_neg()),
}

/// Returns the offset of a row's variable from the register that its frame is reached by.
#[device]
fn variable_offset(s: Operation, frame: Frame) -> u32 {
    if variable_hops(s) == 0 { frame.bytes.wrapping_add(s.data) } else { s.data }
}

/// Returns the number of static links from here to a row's variable.
#[device]
fn variable_hops(s: Operation) -> u32 {
    if s.kind == Kind::Declare { 0 } else { s.hops }
}

sequence! {
    /// Loads or stores a row's variable.
    variable_length(s: Operation, frame: Frame), variable(is_store: bool, r: u8), k:
    @ chain_length(variable_hops(s), frame.bytes) => chain(variable_hops(s), frame.bytes, T2, k),
    @ access_length(variable_offset(s, frame)) =>
        access(variable_offset(s, frame), is_store, r, if variable_hops(s) == 0 { SP } else { T2 }, k),
}

sequence! {
    /// Puts the static link of a call into t0.
    link_length(s: Operation, frame: Frame), link(), k:
    @ chain_length(s.hops.max(1) - 1, frame.bytes) => chain(s.hops.max(1) - 1, frame.bytes, T0, k),
    @ if s.hops == 1 { far(frame.bytes) } else { 0 } => immediate(op::LUI, T0, 0, upper(frame.bytes)),
    @ (s.hops == 1) as u32 =>
        immediate(op::ADDI, T0, if is_near(frame.bytes) { SP } else { T0 }, lower(frame.bytes)),
    @ if s.hops == 1 { far(frame.bytes) } else { 0 } => registers(op::ADD, T0, T0, SP),
}
