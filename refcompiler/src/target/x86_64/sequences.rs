//! Sequences of instructions: copies, words of memory at any distance, and frames of enclosing functions.
//!
//! `eax` and `ecx` hold spilled operands, `edx` holds addresses and truth values, `xmm14` and `xmm15` spilled floats.

use treepar::device::device;

use super::encode::length;
use super::isa as op;
use super::registers::{RAX, RDX, RSP, SAVED};
use crate::ir::frame::{Frame, FrameUnits, last_value_offset, saved_offset, static_link};
use crate::ir::held::{held_ints, held_register, is_held};
use crate::ir::instruction::{Instruction, registers};
use crate::ir::kinds::kind::DECLARE;
use crate::ir::operation::{NO_OFFSET, Operation};
use crate::ir::registers::{is_float, is_int};
use crate::target::Target;

/// The distance of the static link from the upper end of a frame.
const LINK: u32 = static_link(Target::X86_64);

/// The distance of the return address, which the call has pushed.
const RETURN: u32 = 8;

/// Returns 1 if a number needs more than the 8 bits of a short immediate or offset, else 0.
#[device]
pub const fn is_long(value: u32) -> u8 {
    (value.wrapping_add(128) >= 256) as u8
}

/// Returns the load or store of `r` at `offset` from `base`. `op` is the operation with an offset of 8 bits. In
/// the table, the operations with 32 bits, from rsp, and with both follow it.
#[device]
pub const fn memory(op: u8, r: u8, base: u8, offset: u32) -> Instruction {
    let from_sp = if base == RSP { 2 } else { 0 };
    Instruction { op: op + from_sp + is_long(offset), rd: r, rs1: base, rs2: r, imm: offset }
}

/// Returns the load or store of a word in `r`, of either type.
#[device]
pub const fn word(is_store: bool, r: u8, base: u8, offset: u32) -> Instruction {
    let operation = if is_float(r) {
        if is_store { op::STORE_F } else { op::LOAD_F }
    } else if is_store {
        op::STORE
    } else {
        op::LOAD
    };
    memory(operation, r, base, offset)
}

/// Returns an operation with an immediate. `op` is the operation with 8 bits. In the table, the operation with 32 bits follows it.
#[device]
pub const fn with_immediate(op: u8, r: u8, value: u32) -> Instruction {
    Instruction { op: op + is_long(value), rd: r, rs1: r, rs2: 0, imm: value }
}

/// Returns the instruction that moves `from` to `to`, of either type.
#[device]
pub const fn copy(to: u8, from: u8) -> Instruction {
    let operation = if is_int(to) {
        if is_int(from) { op::MOV } else { op::MOVD_R_F }
    } else if is_int(from) {
        op::MOVD_F_R
    } else {
        op::MOVAPS
    };
    registers(operation, to, from, 0)
}

/// Returns 1 if a word of memory is accessed, else 0.
#[device]
pub const fn access_length(offset: u32) -> u32 {
    (offset != NO_OFFSET) as u32
}

/// Returns the number of instructions that find a frame `hops` static links away.
#[device]
pub const fn chain_length(hops: u32) -> u32 {
    hops
}

/// Returns instruction `k` of the sequence that loads the address of that frame into `r`.
#[device]
pub const fn chain(frame: Frame, r: u8, k: u32) -> Instruction {
    if k == 0 {
        memory(op::LOAD, r, RSP, frame.bytes.wrapping_sub(LINK))
    } else {
        memory(op::LOAD, r, r, LINK.wrapping_neg())
    }
}

/// Returns the number of static links from here to a row's variable.
#[device]
pub const fn variable_hops(s: Operation) -> u32 {
    if s.kind.code() == DECLARE { 0 } else { s.hops }
}

/// Returns the access to a row's variable by `op`. For a variable of another frame, [`chain`](chain()) has put its address into rdx.
#[device]
pub const fn variable(s: Operation, frame: Frame, op: u8, r: u8) -> Instruction {
    if variable_hops(s) == 0 {
        memory(op, r, RSP, frame.bytes.wrapping_add(s.data))
    } else {
        memory(op, r, RDX, s.data)
    }
}

/// Returns the register of the counter of a COUNT or FOR, which is `r` if the counter is in the frame.
#[device]
pub const fn counter_register(s: Operation, r: u8) -> u8 {
    if is_held(s.data) { held_register(s.data) } else { r }
}

/// Returns the number of instructions that load or store that counter.
#[device]
pub const fn counter_length(s: Operation) -> u32 {
    !is_held(s.data) as u32
}

/// Returns the load or store of that counter.
#[device]
pub const fn counter(s: Operation, frame: Frame, op: u8, r: u8) -> Instruction {
    memory(op, r, RSP, frame.bytes.wrapping_add(s.data))
}

/// Returns the load or store of the last value of that counter.
#[device]
pub const fn last_value(s: Operation, frame: Frame, op: u8, r: u8) -> Instruction {
    memory(op, r, RSP, frame.bytes.wrapping_add(last_value_offset(Target::X86_64, s.data)))
}

/// Returns 1 if a function has a frame, else 0.
#[device]
pub const fn has_frame(frame: Frame) -> u32 {
    (frame.bytes != 0) as u32
}

/// Returns the instruction that moves rsp down or up by the size of a frame without its return address.
#[device]
pub const fn adjust(frame: Frame, down: bool) -> Instruction {
    with_immediate(if down { op::SUB_Q_I8 } else { op::ADD_Q_I8 }, RSP, frame.bytes.wrapping_sub(RETURN))
}

/// Returns the store or load of saved register `k` of a function.
#[device]
pub const fn saved(frame: Frame, is_store: bool, k: u32) -> Instruction {
    let operation = if is_store { op::STORE_Q } else { op::LOAD_Q };
    memory(operation, SAVED[k as usize], RSP, saved_offset(Target::X86_64, frame, k))
}

/// Returns the number of registers that a function saves.
#[device]
pub const fn saved_count(frame: Frame) -> u32 {
    held_ints(frame.held)
}

/// Returns the lengths of the parts of a function's code that make and remove its frame.
#[device]
pub fn frame_units(frame: Frame) -> FrameUnits {
    let mut saves = 0u32;
    for k in 0..saved_count(frame) {
        saves += length(saved(frame, true, k));
    }
    FrameUnits { moves: has_frame(frame) * length(adjust(frame, true)), saves, restores: saves }
}

/// Returns the store of the static link that a function gets in eax.
#[device]
pub const fn save_link(frame: Frame) -> Instruction {
    memory(op::STORE, RAX, RSP, frame.bytes.wrapping_sub(LINK))
}

/// Returns the number of instructions that put the static link of a call into eax.
#[device]
pub const fn link_length(hops: u32) -> u32 {
    if hops < 2 { hops } else { chain_length(hops - 1) }
}

/// Returns instruction `k` of the sequence that puts the static link of a call into eax.
#[device]
pub const fn link(hops: u32, frame: Frame, k: u32) -> Instruction {
    if hops == 1 { memory(op::LEA, RAX, RSP, frame.bytes) } else { chain(frame, RAX, k) }
}
