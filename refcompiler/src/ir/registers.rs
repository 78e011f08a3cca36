//! Locations of values: registers of the target, words of the frame, words of the stack.

use treepar::device::device;

use crate::target::Target;
use crate::target::riscv::registers::{A0, ARGUMENTS, FA0, FLOAT_TEMPORARIES, FLOATS, FT0, INT_TEMPORARIES, INTS, T0};
use crate::target::x86_64::registers as x86;

/// The location of a value in the frame, and of an argument on the stack.
pub const SPILLED: u8 = 254;

/// The location of rows without a value.
pub const NOWHERE: u8 = 255;

/// The first location that is no register. As a location of an argument, this plus a word of the stack.
pub const STACK: u32 = 64;

/// Returns whether a location is an int register.
#[device]
pub const fn is_int(place: u8) -> bool {
    place < 32
}

/// Returns whether a location is a float register.
#[device]
pub const fn is_float(place: u8) -> bool {
    place >= 32 && place < 64
}

/// Returns whether a location is a register.
#[device]
pub const fn is_register(place: u8) -> bool {
    place < 64
}

/// Returns where a function gets an argument that follows `ints` ints and `floats` floats: a register, or [`STACK`] plus a word.
///
/// On RISC-V, by the calling convention ilp32f: floats use fa0..fa7, then, like ints, the rest of a0..a7, then the stack. On
/// x86-64, six ints and eight floats have registers, which are not those of System V; see
/// [`x86_64::registers`](crate::target::x86_64::registers). The words of the stack are the same.
#[device]
pub fn argument_location(target: Target, is_float: bool, ints: u32, floats: u32) -> u32 {
    if target == Target::X86_64 {
        let own = if is_float { floats } else { ints };
        let limit = if is_float { x86::FLOAT_ARGUMENTS } else { x86::INT_ARGUMENTS };
        if own < limit {
            return if is_float { x86::XMM0 as u32 + floats } else { x86::ARGUMENTS[ints as usize] as u32 };
        }
        let on_stack = ints.max(x86::INT_ARGUMENTS) - x86::INT_ARGUMENTS;
        return STACK + on_stack + floats.max(x86::FLOAT_ARGUMENTS) - x86::FLOAT_ARGUMENTS;
    }
    if is_float && floats < ARGUMENTS {
        return FA0 as u32 + floats;
    }
    let taken = ints + if floats > ARGUMENTS { floats - ARGUMENTS } else { 0 };
    if taken < ARGUMENTS { A0 as u32 + taken } else { STACK + taken - ARGUMENTS }
}

/// Returns the register of a function's result.
#[device]
pub fn result_register(target: Target, is_float: bool) -> u8 {
    if target == Target::X86_64 {
        return if is_float { x86::XMM0 } else { x86::RAX };
    }
    if is_float { FA0 } else { A0 }
}

/// Returns a register that no value waits in, for the left or the right operand of an operation.
#[device]
pub fn scratch_register(target: Target, is_float: bool, is_right: bool) -> u8 {
    let right = is_right as u8;
    if target == Target::X86_64 {
        return if is_float { x86::XMM14 + right } else { x86::RAX + right };
    }
    if is_float { FT0 + right } else { T0 + right }
}

/// The number of heights in [`ORDER`] for each type.
const LEVELS: u32 = 32;

/// The registers of both types by height, for each target: ints, then floats from [`LEVELS`] on. Greater heights are spilled.
const ORDER: [u8; 4 * LEVELS as usize] = {
    let mut order = [SPILLED; 4 * LEVELS as usize];
    order = with_order(order, 0, &INTS);
    order = with_order(order, LEVELS as usize, &FLOATS);
    order = with_order(order, 2 * LEVELS as usize, &x86::INTS_BY_HEIGHT);
    with_order(order, 3 * LEVELS as usize, &x86::FLOATS_BY_HEIGHT)
};

const fn with_order(mut order: [u8; 4 * LEVELS as usize], first: usize, registers: &[u8]) -> [u8; 4 * LEVELS as usize] {
    let mut height = 0;
    while height < registers.len() && height < LEVELS as usize - 1 {
        order[first + height] = registers[height];
        height += 1;
    }
    order
}

/// Returns the location of a value at a height of the evaluation stack.
#[device]
pub fn register_at(target: Target, is_float: bool, height: u32) -> u8 {
    let of_target = if target == Target::X86_64 { 2 * LEVELS } else { 0 };
    ORDER[(height.min(LEVELS - 1) + if is_float { LEVELS } else { 0 } + of_target) as usize]
}

/// The number of registers of its type that a function saves on RISC-V if a register is the last of them.
const SAVED: [u8; 256] = {
    let mut table = [0; 256];
    let mut k = INT_TEMPORARIES as usize;
    while k < INTS.len() {
        table[INTS[k] as usize] = k as u8 + 1 - INT_TEMPORARIES as u8;
        k += 1;
    }
    k = FLOAT_TEMPORARIES as usize;
    while k < FLOATS.len() {
        table[FLOATS[k] as usize] = k as u8 + 1 - FLOAT_TEMPORARIES as u8;
        k += 1;
    }
    table
};

/// Returns the number of registers that a function saves if it uses the registers of one type up to `place`: none on x86-64,
/// where no value waits in a register across a call.
#[device]
pub fn saved_registers(target: Target, place: u8) -> u32 {
    if target == Target::X86_64 { 0 } else { SAVED[place as usize] as u32 }
}
