//! Jumps, branches and calls: their lengths in bytes, and their instructions.
//!
//! ```text
//!            short       near
//! jump       jmp L       jmp L (5 bytes)
//! branch     je L        je L (6 bytes)
//! call                   call L
//! ```
//!
//! The distance of a short jump has 8 bits. A check is a call after a branch of its own, whose length is fixed.

use treepar::device::device;

use super::encode::length;
use super::isa::{CALL_NEAR, JE, JE_NEAR, JMP, JMP_NEAR};
use crate::ir::instruction::{BRANCH, EXTERN, Instruction, JUMP, NOTHING, distance, is_call};

/// Returns the operation of a jump, branch or call, in the short form if `is_short`. A call has only the near form.
#[device]
const fn form(op: u8, is_short: bool) -> u8 {
    match op {
        JUMP => {
            if is_short {
                JMP
            } else {
                JMP_NEAR
            }
        }
        BRANCH => {
            if is_short {
                JE
            } else {
                JE_NEAR
            }
        }
        _ => CALL_NEAR,
    }
}

/// Returns the number of bytes of an instruction before linking. A jump counts in its shortest form.
#[device]
pub fn shortest(op: u8) -> u32 {
    if (op == JUMP) | (op == BRANCH) | is_call(op) {
        length(form(op, true))
    } else if op == NOTHING {
        0
    } else {
        length(op)
    }
}

/// Returns the number of bytes of a jump, branch or call that begins at byte `at`: as many as it needs to reach its target. See
/// [`distance()`] for the other parameters.
#[device]
pub fn bytes_needed(at: u32, x: Instruction, positions: &[u32], entry: &[u32], first: u32) -> u32 {
    if (x.op != JUMP) & (x.op != BRANCH) {
        return shortest(x.op);
    }
    let short = length(form(x.op, true));
    let reach = distance(at, x, positions, entry, first).wrapping_sub(short);
    if reach.wrapping_add(128) < 256 { short } else { length(form(x.op, false)) }
}

/// Returns a jump, branch or call of `bytes` bytes that ends at byte `end`.
#[device]
pub fn resolved(x: Instruction, bytes: u32, end: u32, positions: &[u32], entry: &[u32], first: u32) -> Instruction {
    let is_external = is_call(x.op) && entry[x.imm as usize] == EXTERN;
    let to = if is_external { 0 } else { distance(end, x, positions, entry, first) };
    Instruction { op: form(x.op, bytes == length(form(x.op, true))), rd: 0, rs1: 0, rs2: 0, imm: to }
}
