//! Jumps, branches and calls: their lengths in bytes, and their instructions.
//!
//! ```text
//!            short       near
//! jump       jmp L       jmp L (5 bytes)
//! branch     jge L       jge L (6 bytes)
//! call                   call L
//! check                  jae S          a branch to an exit
//! ```
//!
//! The distance of a short jump has 8 bits. A branch to an [exit](super::exits) is near, since exits follow their function.

use treepar::device::device;

use super::encode::{length, longest};
use super::isa::{
    CALL_NEAR, JAE_NEAR, JBE_NEAR, JE, JG, JG_NEAR, JL_NEAR, JMP, JMP_NEAR, JNE_NEAR, JO, JO_NEAR, LENGTH,
};
use crate::ir::instruction::{
    BRANCH, CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_RANGE, CHECK_SAME, EXTERN, Instruction, JUMP, NOTHING,
    RARE_QUOTIENT, RARE_REMAINDER, distance, has_exit, is_call,
};

/// The number of operations from a short branch to the near branch with the same condition.
const TO_NEAR: u8 = JO_NEAR - JO;

const _: () = assert!(JG_NEAR - JG == TO_NEAR && LENGTH[JE as usize] == LENGTH[JG as usize]);

/// Returns the operation of a jump, branch or call, in the short form if `is_short`. A branch to an exit and a call have only the near
/// form, and another branch has its short form in `rd`.
#[device]
pub const fn form(x: Instruction, is_short: bool) -> u8 {
    match x.op {
        JUMP => {
            if is_short {
                JMP
            } else {
                JMP_NEAR
            }
        }
        BRANCH => {
            if is_short {
                x.rd
            } else {
                x.rd + TO_NEAR
            }
        }
        CHECK_BELOW => JAE_NEAR,
        CHECK_AT_LEAST => JL_NEAR,
        CHECK_SAME | CHECK_RANGE => JNE_NEAR,
        RARE_QUOTIENT | RARE_REMAINDER => JBE_NEAR,
        _ => CALL_NEAR,
    }
}

/// Returns whether an operation is a jump, a call, or a branch to an exit, which get their distances at last.
#[device]
pub const fn is_linked(op: u8) -> bool {
    (op == JUMP) | has_one_form(op)
}

/// Returns whether an operation is a call or a branch to an exit, whose distances have 32 bits.
#[device]
pub const fn has_one_form(op: u8) -> bool {
    (op == CALL) | has_exit(op)
}

/// Returns the number of bytes of a jump, branch or call in its shortest form, and 0 for [`NOTHING`].
#[device]
pub const fn shortest(op: u8) -> u32 {
    match op {
        JUMP => longest(JMP),
        BRANCH => longest(JE),
        NOTHING => 0,
        CALL => longest(CALL_NEAR),
        _ => longest(JO_NEAR),
    }
}

/// Returns the number of bytes of an instruction before linking. A jump counts in its shortest form.
#[device]
pub const fn bytes_before_linking(x: Instruction) -> u32 {
    if is_linked(x.op) | (x.op == BRANCH) | (x.op == NOTHING) { shortest(x.op) } else { length(x) }
}

/// Returns the number of bytes of a jump, branch or call that begins at byte `at`: as many as it needs to reach its target. See
/// [`distance()`] for the other parameters.
#[device]
pub fn bytes_needed(at: u32, x: Instruction, positions: &[u32], entry: &[u32], first: u32) -> u32 {
    if (x.op != JUMP) & (x.op != BRANCH) {
        return shortest(x.op);
    }
    let short = shortest(x.op);
    let reach = distance(at, x, positions, entry, first).wrapping_sub(short);
    if reach.wrapping_add(128) < 256 { short } else { longest(form(x, false)) }
}

/// Returns a jump, branch or call of `bytes` bytes that ends at byte `end`.
#[device]
pub fn resolved(x: Instruction, bytes: u32, end: u32, positions: &[u32], entry: &[u32], first: u32) -> Instruction {
    let is_external = is_call(x.op) && entry[x.imm as usize] == EXTERN;
    let to = if is_external { 0 } else { distance(end, x, positions, entry, first) };
    Instruction { op: form(x, bytes == shortest(x.op)), rd: 0, rs1: 0, rs2: 0, imm: to }
}
