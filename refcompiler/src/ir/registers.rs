//! Locations of values: registers of the target, words of the frame, words of the stack.

use treepar::device::device;

use crate::target::riscv::registers::{A0, ARGUMENTS, FA0, FLOAT_TEMPORARIES, FLOATS, INT_TEMPORARIES, INTS};

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

/// Returns where the calling convention ilp32f passes an argument that follows `ints` ints and `floats` floats: a
/// register, or [`STACK`] plus a word. Floats use fa0..fa7, then, like ints, the rest of a0..a7, then the stack.
#[device]
pub fn argument_location(is_float: bool, ints: u32, floats: u32) -> u32 {
    if is_float && floats < ARGUMENTS {
        return FA0 as u32 + floats;
    }
    let taken = ints + if floats > ARGUMENTS { floats - ARGUMENTS } else { 0 };
    if taken < ARGUMENTS { A0 as u32 + taken } else { STACK + taken - ARGUMENTS }
}

/// The number of heights in [`ORDER`] for each type.
const LEVELS: u32 = 32;

/// The registers of both types by height: ints, then floats from [`LEVELS`] on. Greater heights are spilled.
const ORDER: [u8; 2 * LEVELS as usize] = {
    let mut order = [SPILLED; 2 * LEVELS as usize];
    let mut height = 0;
    while height < LEVELS as usize - 1 {
        if height < INTS.len() {
            order[height] = INTS[height];
        }
        if height < FLOATS.len() {
            order[LEVELS as usize + height] = FLOATS[height];
        }
        height += 1;
    }
    order
};

/// Returns the location of a value at a height of the evaluation stack.
#[device]
pub fn register_at(is_float: bool, height: u32) -> u8 {
    ORDER[(height.min(LEVELS - 1) + if is_float { LEVELS } else { 0 }) as usize]
}

/// The number of registers of its type that a function saves if a register is the last of them.
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

/// Returns the number of registers that a function saves if it uses the registers of one type up to `place`.
#[device]
pub fn saved_registers(place: u8) -> u32 {
    SAVED[place as usize] as u32
}
