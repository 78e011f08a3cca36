//! The layout of a stack frame, one for each function (Pareas, section 3.5).
//!
//! ```text
//! caller's sp      ->  arguments of this function on the stack, upwards
//! sp + bytes -  4      return address
//! sp + bytes -  8      static link
//! sp + bytes - 12      variables, first to last, downwards
//!                      up to 15 bytes of padding
//! sp + saves           saved registers: ints, then floats, of values that wait, then of variables
//! sp + spills          spilled values, by height of the evaluation stack
//! sp + 0               arguments of calls on the stack
//! ```
//!
//! On x86-64 a return address has 8 bytes, and so do the word of an argument on the stack, and a saved register.
//!
//! A function that calls nothing, declares nothing and spills nothing has no frame.

use treepar::device::device;

use super::held::{held_floats, held_ints, held_slot, is_held};
use super::kinds::Kind;
use super::rows::FunctionIndex;
use super::table::tables;
use crate::target::Target;

/// Returns the distance of the return address from the upper end of the frame, in bytes: its size.
#[device]
pub const fn return_address(target: Target) -> u32 {
    match target {
        Target::X86_64 => 8,
        _ => 4,
    }
}

/// Returns the distance of the static link from the upper end of the frame.
#[device]
pub const fn static_link(target: Target) -> u32 {
    return_address(target) + 4
}

/// Returns the distance of the first variable from the upper end of the frame.
#[device]
pub const fn first_variable(target: Target) -> u32 {
    static_link(target) + 4
}

/// Returns the bytes of an argument on the stack.
#[device]
pub const fn argument_bytes(target: Target) -> u32 {
    return_address(target)
}

/// Returns the bytes of a saved register.
#[device]
pub const fn saved_bytes(target: Target) -> u32 {
    return_address(target)
}

/// The stack pointer is a multiple of this.
pub const ALIGNMENT: u32 = 16;

/// The sizes of the parts of a function's frame in words, and whether it calls and is nested.
#[device]
pub struct Needs {
    /// Saved int registers.
    pub ints: u32,
    /// Saved float registers.
    pub floats: u32,
    /// Spilled values.
    pub spills: u32,
    /// Arguments of calls on the stack.
    pub outgoing: u32,
    /// Variables.
    pub variables: u32,
    /// 1 if it calls, and so saves the return address.
    pub calls: u32,
    /// 1 if it is nested, and so saves the static link.
    pub nested: u32,
    /// The saved registers of variables, see [`held_saves`](super::held::held_saves()).
    pub held: u32,
}

/// A function's frame.
#[device]
pub struct Frame {
    /// The size, a multiple of [`ALIGNMENT`], or 0.
    pub bytes: u32,
    /// The offset of spilled values from sp.
    pub spills: u32,
    /// The offset of saved registers from sp.
    pub saves: u32,
    /// The number of saved ints: the first after the temporaries in the order of registers.
    pub ints: u32,
    /// The number of saved floats.
    pub floats: u32,
    /// 1 if the return address is saved.
    pub calls: u32,
    /// 1 if the static link is saved.
    pub nested: u32,
    /// The saved registers of variables, see [`held_saves`](super::held::held_saves()).
    pub held: u32,
}

/// A function's row in the table of frames.
#[device(columns(Frames, index = FunctionIndex))]
pub struct FrameRow {
    /// The frame.
    pub frame: Frame,
}

/// A function's frame and its last row.
#[device(columns(Bodies, index = FunctionIndex))]
pub struct Body {
    /// The frame.
    pub frame: Frame,
    /// The last row.
    pub last: u32,
}

tables!(Frames, Bodies);

/// The lengths of the parts of a function's code that make its frame and remove it, in units.
#[device]
pub struct FrameUnits {
    /// The move of the stack pointer.
    pub moves: u32,
    /// The instructions that save registers.
    pub saves: u32,
    /// The instructions that restore registers.
    pub restores: u32,
}

/// Lays out a frame.
#[device]
pub fn layout(target: Target, need: Needs) -> Frame {
    let outgoing = need.outgoing * argument_bytes(target);
    let held = (held_ints(need.held) + held_floats(need.held)) * saved_bytes(target) / 4;
    let words = need.spills + need.ints + need.floats + held + need.variables;
    let is_empty = outgoing + words + need.calls + need.nested == 0;
    let bytes = (outgoing + words * 4 + static_link(target) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Frame {
        bytes: if is_empty { 0 } else { bytes },
        spills: outgoing,
        saves: outgoing + need.spills * 4,
        ints: need.ints,
        floats: need.floats,
        calls: need.calls,
        nested: need.nested,
        held: need.held,
    }
}

/// Returns the offset of variable `slot` from the upper end of the frame, modulo 2^32.
#[device]
pub const fn variable_offset(target: Target, slot: u32) -> u32 {
    slot.wrapping_mul(4).wrapping_add(first_variable(target)).wrapping_neg()
}

/// Returns the offset of the last value of a counter from the upper end of the frame. `counter` is the offset of the counter, or
/// [`held_data`](super::held::held_data()).
#[device]
pub const fn last_value_offset(target: Target, counter: u32) -> u32 {
    if is_held(counter) { variable_offset(target, held_slot(counter)) } else { counter.wrapping_sub(4) }
}

/// Returns how many words of variables a frame has up to the variable at `offset`.
#[device]
pub fn variable_words(target: Target, offset: u32) -> u32 {
    (offset.wrapping_neg() - first_variable(target)) / 4 + 1
}

/// Returns the immediate of a row: a literal, the distance of a word from an address, or the offset from sp of a variable in a frame of
/// some size.
#[device]
pub fn own_immediate(kind: Kind, data: u32, frame_bytes: u32) -> u32 {
    let own = if kind.is_variable() | (kind == Kind::Declare) { frame_bytes.wrapping_add(data) } else { 0 };
    if kind == Kind::HeldWord {
        return held_slot(data);
    }
    if (kind == Kind::Literal) | kind.is_access() { data } else { own }
}

/// Returns the offset from sp of the spilled value with `below` values below it on the evaluation stack.
#[device]
pub fn spilled_offset(frame: Frame, below: u32) -> u32 {
    frame.spills + 4 * below
}

/// Returns the offset from sp of saved register `index`, counted from the first saved int.
#[device]
pub const fn saved_offset(target: Target, frame: Frame, index: u32) -> u32 {
    frame.saves + saved_bytes(target) * index
}
