//! Locations of values: registers of the target, words of the frame, words of the stack.

use treepar::device::device;

use crate::target::riscv::registers::{A0, ARGUMENTS, FA0};

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
