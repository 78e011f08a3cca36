//! The words that C passes to a function: ints and addresses, and floats. Both are counted in one number, whose upper half is the floats.

use treepar::device::device;

use crate::ir::kinds::Type;

/// A float.
const FLOAT: u64 = 1 << 32;

/// Returns the words of a parameter. An array is an address and its extents.
#[device]
pub fn words_of(ty: Type) -> u64 {
    if ty == Type::Float { FLOAT } else { 1 + ty.rank() as u64 }
}

/// Returns the words of a result, which are parameters too: for an array two addresses, and the room in between.
#[device]
pub fn words_of_result(ty: Type) -> u64 {
    if ty.is_array() { 3 } else { 0 }
}

/// Returns how many words are ints or addresses.
#[device]
pub fn ints_of(words: u64) -> u32 {
    words as u32
}

/// Returns how many words are floats.
#[device]
pub fn floats_of(words: u64) -> u32 {
    (words >> 32) as u32
}
