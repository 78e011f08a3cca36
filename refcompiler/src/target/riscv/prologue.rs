//! Sequences at the start and the end of a function: the stack pointer moves by the frame, registers are saved.

use treepar::device::device;

use super::registers::{FLOAT_TEMPORARIES, FLOATS, INT_TEMPORARIES, INTS, RA, SP, T0};
use super::sequences::{access, access_length, adjust_length};

use crate::ir::frame::{Frame, FrameUnits, return_address, saved_offset, static_link};
use crate::ir::held::{Pool, held_floats, held_ints, pool_register};
use crate::ir::instruction::{Instruction, nothing};
use crate::ir::registers::NOWHERE;
use crate::target::Target;

/// Returns the register that item `item` of a prologue saves, NOWHERE if the item is absent.
#[device]
fn saved(frame: Frame, item: u32, is_store: bool) -> u8 {
    if item == 0 {
        return if frame.calls != 0 { RA } else { NOWHERE };
    }
    if item == 1 {
        return if frame.nested != 0 && is_store { T0 } else { NOWHERE };
    }
    saved_register(frame, item - 2)
}

/// Returns the number of registers that a function saves for its values and variables.
#[device]
pub fn saved_count(frame: Frame) -> u32 {
    frame.ints + frame.floats + held_ints(frame.held) + held_floats(frame.held)
}

/// Returns register `j` of these.
#[device]
pub fn saved_register(frame: Frame, j: u32) -> u8 {
    let waiting = frame.ints + frame.floats;
    if j < frame.ints {
        return INTS[(INT_TEMPORARIES + j) as usize];
    }
    if j < waiting {
        return FLOATS[(FLOAT_TEMPORARIES + j - frame.ints) as usize];
    }
    let held = j - waiting;
    let ints = held_ints(frame.held);
    let is_float = held >= ints;
    pool_register(Target::Riscv32, Pool::Saved, is_float, if is_float { held - ints } else { held })
}

/// Returns the offset from sp at which an item is saved.
#[device]
fn saved_at(frame: Frame, item: u32) -> u32 {
    match item {
        0 => frame.bytes.wrapping_sub(return_address(Target::Riscv32)),
        1 => frame.bytes.wrapping_sub(static_link(Target::Riscv32)),
        _ => saved_offset(Target::Riscv32, frame, item - 2),
    }
}

/// Returns the lengths of the parts of a function's code that make and remove its frame.
#[device]
pub fn frame_units(frame: Frame) -> FrameUnits {
    let moves = adjust_length(frame.bytes);
    FrameUnits { moves, saves: saves_length(frame, true), restores: saves_length(frame, false) }
}

/// Returns the number of instructions that save or restore registers.
#[device]
pub fn saves_length(frame: Frame, is_store: bool) -> u32 {
    let mut length = 0u32;
    for item in 0..2 + saved_count(frame) {
        if saved(frame, item, is_store) != NOWHERE {
            length += access_length(saved_at(frame, item));
        }
    }
    length
}

/// Returns instruction `k` of the sequence that saves or restores registers.
#[device]
pub fn saves(frame: Frame, is_store: bool, k: u32) -> Instruction {
    let mut before = 0u32;
    for item in 0..2 + saved_count(frame) {
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
