//! Sequences at the start and the end of a function: the stack pointer moves by the frame, registers are saved.

use treepar::device::device;

use super::memory::{self, access, access_length, immediate, nothing, registers};
use super::sequence;
use crate::ir::frame::{Frame, RETURN_ADDRESS, STATIC_LINK, saved_offset};
use crate::ir::instruction::Instruction;
use crate::ir::registers::NOWHERE;
use crate::target::riscv::encode::{is_near, lower, upper};
use crate::target::riscv::isa as op;
use crate::target::riscv::registers::{FLOAT_TEMPORARIES, FLOATS, INT_TEMPORARIES, INTS, RA, SP, T0, T1};

/// Returns 1 if a frame's size does not fit an immediate, else 0.
#[device]
fn far(bytes: u32) -> u32 {
    !is_near(bytes) as u32
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

/// Returns the register that item `item` of a prologue saves, NOWHERE if the item is absent.
#[device]
fn saved(frame: Frame, item: u32, is_store: bool) -> u8 {
    if item == 0 {
        return if frame.calls != 0 { RA } else { NOWHERE };
    }
    if item == 1 {
        return if frame.nested != 0 && is_store { T0 } else { NOWHERE };
    }
    let j = item - 2;
    if j < frame.ints {
        INTS[(INT_TEMPORARIES + j) as usize]
    } else {
        FLOATS[(FLOAT_TEMPORARIES + j - frame.ints) as usize]
    }
}

/// Returns the offset from sp at which an item is saved.
#[device]
fn saved_at(frame: Frame, item: u32) -> u32 {
    match item {
        0 => frame.bytes.wrapping_sub(RETURN_ADDRESS),
        1 => frame.bytes.wrapping_sub(STATIC_LINK),
        _ => saved_offset(frame, item - 2),
    }
}

/// Returns the number of registers that are saved or restored besides those of values.
#[device]
fn links(frame: Frame, is_store: bool) -> u32 {
    (frame.calls != 0) as u32 + (frame.nested != 0 && is_store) as u32
}

/// Returns the number of instructions that save or restore registers.
#[device]
pub fn saves_length(frame: Frame, is_store: bool) -> u32 {
    if is_near(frame.bytes) {
        return links(frame, is_store) + frame.ints + frame.floats;
    }
    let mut length = 0u32;
    for item in 0..2 + frame.ints + frame.floats {
        if saved(frame, item, is_store) != NOWHERE {
            length += access_length(saved_at(frame, item));
        }
    }
    length
}

/// Returns instruction `k` of the sequence that saves or restores registers.
#[device]
pub fn saves(frame: Frame, is_store: bool, k: u32) -> Instruction {
    if is_near(frame.bytes) && k < saves_length(frame, is_store) {
        let links = links(frame, is_store);
        let is_first = frame.calls != 0 && k == 0;
        let item = if k >= links { k - links + 2 } else { !is_first as u32 };
        return access(saved_at(frame, item), is_store, saved(frame, item, is_store), SP, 0);
    }
    let mut before = 0u32;
    for item in 0..2 + frame.ints + frame.floats {
        let r = saved(frame, item, is_store);
        if r != NOWHERE {
            let at = saved_at(frame, item);
            let length = access_length(at);
            if k < before + length {
                return access(at, is_store, r, SP, k - before);
            }
            before += length;
        }
    }
    nothing()
}
