//! Exits: the code to which a row branches in a rare case.
//!
//! ```text
//! check      cmp %r11d, %ebx        exit    lea check, %rdx      the byte after the branch of the check
//!            jae exit                       push %rdx
//!                                           jmp check_failed
//!
//! division   mov %ebx, %eax         exit    neg %eax             the divisor is 0 or -1
//!            mov %r11d, %ecx                neg %edx
//!            lea 1(%rcx), %edx              or %edx, %eax
//!            cmp $1, %edx                   jmp after
//!            jbe exit
//!            cdq
//!            idiv %ecx
//! ```
//!
//! Exits follow the last row of their function, so the usual case takes no branch. The [reporter](super::reporter) finds the message by
//! the pushed address, and a debugger the line, as if the check had called the reporter.
//!
//! The quotient by 0 is -1, by -1 the negated dividend. The remainder by 0 is the dividend, by -1 it is 0. So it is the product of the
//! dividend and edx.

use treepar::device::device;

use super::encode::length;
use super::isa::{CDQ, IDIV, IMUL, JMP_NEAR, LEA_RIP, NEG, OR, PUSH};
use super::registers::{RAX, RDX};
use crate::ir::instruction::{Instruction, RARE_QUOTIENT, RARE_REMAINDER, immediate, nothing, registers};

/// The greatest number of instructions of an exit.
pub const EXIT_LENGTH: u32 = 4;

/// The number of bytes of the division that an exit replaces.
const DIVISION_BYTES: u32 = length(CDQ) + length(IDIV);

/// Returns the number of bytes of the exit to which `op` branches.
#[device]
pub const fn exit_bytes(op: u8) -> u32 {
    let before_jump = match op {
        RARE_QUOTIENT => 2 * length(NEG) + length(OR),
        RARE_REMAINDER => length(IMUL),
        _ => length(LEA_RIP) + length(PUSH),
    };
    before_jump + length(JMP_NEAR)
}

/// Returns instruction `k` of the exit at byte `at` to which `op` branches, and nothing after its last. The branch ends at byte
/// `branch`, and the reporter begins at byte `reporter`.
#[device]
pub fn exit(op: u8, at: u32, branch: u32, reporter: u32, k: u32) -> Instruction {
    let end = at + exit_bytes(op);
    let after_division = immediate(JMP_NEAR, 0, 0, (branch + DIVISION_BYTES).wrapping_sub(end));
    match op {
        RARE_QUOTIENT => match k {
            0 => registers(NEG, RAX, 0, 0),
            1 => registers(NEG, RDX, 0, 0),
            2 => registers(OR, RAX, RDX, 0),
            _ => after_division,
        },
        RARE_REMAINDER => match k {
            0 => registers(IMUL, RDX, RAX, 0),
            1 => after_division,
            _ => nothing(),
        },
        _ => match k {
            0 => immediate(LEA_RIP, RDX, 0, branch.wrapping_sub(at + length(LEA_RIP))),
            1 => registers(PUSH, RDX, 0, 0),
            2 => immediate(JMP_NEAR, 0, 0, reporter.wrapping_sub(end)),
            _ => nothing(),
        },
    }
}
