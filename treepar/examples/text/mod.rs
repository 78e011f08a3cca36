//! The bytes of a text and its comments, for examples that lex: `#` begins a comment, which ends with its line.

use treepar::device::device;
use treepar::monoid::last_u32;

/// The states of a text, outside and inside a comment; and of a part of it that contains neither `#` nor a line end.
pub const OUTSIDE: u32 = 0;
pub const INSIDE: u32 = 1;
pub const UNCHANGED: u32 = u32::MAX;

/// Returns byte `i` of a text, whose rows have eight bytes each.
#[device]
pub fn byte(text: &[u64], i: usize) -> u8 {
    text[i / 8].wrapping_shr(i as u32 % 8 * 8) as u8
}

/// Returns the state after a byte, given the state before it.
#[device]
pub fn state_after(byte: u8, state: u32) -> u32 {
    match byte {
        b'#' => INSIDE,
        b'\n' => OUTSIDE,
        _ => state,
    }
}

/// Returns the state after 64 bytes, whatever it is before them.
#[device(scan(last_u32))]
pub fn state_of(w: usize, text: &[u64]) -> u32 {
    let mut state = UNCHANGED;
    for i in 64 * w..64 * w + 64 {
        state = state_after(byte(text, i), state);
    }
    state
}
