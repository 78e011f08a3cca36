//! Where C passes the words of a function on x86-64.
//!
//! The function of machine code that C calls for a function with arrays writes all words that C passes to memory, 8 bytes each: the
//! registers of ints, those of floats, the words on the stack. The function in between gets the address of this memory.
//!
//! ```text
//! 0        48         112
//! 6 ints   8 floats   words of the stack, in the order of C
//! ```

use treepar::device::device;

use crate::target::x86_64::registers::{FLOAT_ARGUMENTS, INT_ARGUMENTS};

/// The size of a word.
const WORD: u32 = 8;

/// The number of words in registers.
pub const REGISTERS: u32 = INT_ARGUMENTS + FLOAT_ARGUMENTS;

/// Returns how far a number is above another, or 0.
#[device]
fn beyond(number: u32, least: u32) -> u32 {
    if number > least { number - least } else { 0 }
}

/// Returns how many of some words are on the stack.
#[device]
pub fn words_on_stack(ints: u32, floats: u32) -> u32 {
    beyond(ints, INT_ARGUMENTS) + beyond(floats, FLOAT_ARGUMENTS)
}

/// Returns the offset of the word after some words.
#[device]
pub fn place_in_frame(ints: u32, floats: u32, is_float: bool) -> u32 {
    let (number, least) = if is_float { (floats, FLOAT_ARGUMENTS) } else { (ints, INT_ARGUMENTS) };
    if number >= least {
        return WORD * (REGISTERS + words_on_stack(ints, floats));
    }
    WORD * (number + if is_float { INT_ARGUMENTS } else { 0 })
}
