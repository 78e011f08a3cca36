//! Sequences that reach frames: spilled values, and variables of enclosing functions. T2 holds the address of such a frame.

use treepar::device::device;

use super::encode::{is_near, lower, upper};
use super::isa as op;
use super::registers::{SP, T0, T2};
use super::sequences::{access, access_length, far, narrow_access, near_access, sequence};

use crate::ir::frame::{Frame, last_value_offset, static_link};
use crate::ir::held::{held_register, is_held};
use crate::ir::instruction::{immediate, registers};
use crate::ir::kinds::Kind;
use crate::ir::operation::{NO_OFFSET, Operation};
use crate::target::Target;

/// Returns the number of instructions of an access to memory, if there is one.
#[device]
pub fn spill_length(offset: u32) -> u32 {
    if offset == NO_OFFSET { 0 } else { access_length(offset) }
}

sequence! {
    /// Loads the address of the frame `hops` static links away into `r`.
    chain_length(hops: u32, frame_bytes: u32), chain(r: u8), k:
    @ if hops == 0 { 0 } else { access_length(frame_bytes.wrapping_sub(static_link(Target::Riscv32))) } =>
        access(frame_bytes.wrapping_sub(static_link(Target::Riscv32)), false, r, SP, k),
    @ if hops == 0 { 0 } else { hops - 1 } => immediate(op::LW, r, r, static_link(Target::Riscv32).wrapping_neg()),
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
        access(variable_offset(s, frame), is_store, r, variable_base(s), k),
}

/// Returns the register from which a row's variable is reached.
#[device]
fn variable_base(s: Operation) -> u8 {
    if variable_hops(s) == 0 { SP } else { T2 }
}

sequence! {
    /// Puts the address of a row's variable into `r`.
    address_length(s: Operation, frame: Frame), address(r: u8), k:
    @ chain_length(variable_hops(s), frame.bytes) => chain(variable_hops(s), frame.bytes, T2, k),
    @ far(variable_offset(s, frame)) => immediate(op::LUI, r, 0, upper(variable_offset(s, frame))),
    @ far(variable_offset(s, frame)) => registers(op::ADD, r, r, variable_base(s)),
    immediate(
        op::ADDI, r, if is_near(variable_offset(s, frame)) { variable_base(s) } else { r }, lower(variable_offset(s, frame))
    ),
}

sequence! {
    /// Loads or stores `r` at the distance of an access from the address in `base`. Its other operands can be in T0 and T1.
    word_length(s: Operation), word(is_store: bool, r: u8, base: u8), k:
    @ far(s.data) => immediate(op::LUI, T2, 0, upper(s.data)),
    @ far(s.data) => registers(op::ADD, T2, T2, base),
    near_access(is_store, r, if is_near(s.data) { base } else { T2 }, lower(s.data)),
}

sequence! {
    /// Loads a byte or a short into `r`, or stores it, at the distance of an access from the address in `base`. `op` is the instruction.
    narrow_length(s: Operation), narrow(op: u8, r: u8, base: u8), k:
    @ far(s.data) => immediate(op::LUI, T2, 0, upper(s.data)),
    @ far(s.data) => registers(op::ADD, T2, T2, base),
    narrow_access(op, r, if is_near(s.data) { base } else { T2 }, lower(s.data)),
}

/// Returns the register of the counter of a COUNT or FOR, which is T0 if the counter is in the frame.
#[device]
pub fn counter_register(s: Operation) -> u8 {
    if is_held(s.data) { held_register(s.data) } else { T0 }
}

/// Returns the number of instructions that load or store that counter.
#[device]
pub fn counter_length(s: Operation, frame: Frame) -> u32 {
    if is_held(s.data) { 0 } else { access_length(counter_at(s, frame)) }
}

/// Returns the offset from sp of that counter.
#[device]
pub fn counter_at(s: Operation, frame: Frame) -> u32 {
    frame.bytes.wrapping_add(s.data)
}

/// Returns the offset from sp of the last value of that counter.
#[device]
pub fn last_value_at(s: Operation, frame: Frame) -> u32 {
    frame.bytes.wrapping_add(last_value_offset(Target::Riscv32, s.data))
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
