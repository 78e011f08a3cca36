//! The exits of checks: the code to which the branch of a check goes if the check does not hold.
//!
//! ```text
//! check    cmp %r11d, %ebx          exit    lea check, %rdx      the byte after the branch of the check
//!          jae exit                         push %rdx
//!                                           jmp check_failed
//! ```
//!
//! Exits follow the last row of their function, so a check that holds takes no branch. The [reporter](super::reporter) finds the message by the
//! pushed address, and a debugger the line, as if the check had called the reporter.

use treepar::device::device;

use super::encode::length;
use super::isa::{JMP_NEAR, LEA_RIP, PUSH};
use super::registers::RDX;
use crate::ir::instruction::{Instruction, immediate, registers};

/// The number of instructions of an exit.
pub const EXIT_LENGTH: u32 = 3;

/// The number of bytes of an exit.
pub const EXIT_BYTES: u32 = length(LEA_RIP) + length(PUSH) + length(JMP_NEAR);

/// Returns instruction `k` of the exit at byte `at` of a check whose branch ends at byte `check`. The reporter begins at byte `reporter`.
#[device]
pub fn exit(at: u32, check: u32, reporter: u32, k: u32) -> Instruction {
    match k {
        0 => immediate(LEA_RIP, RDX, 0, check.wrapping_sub(at + length(LEA_RIP))),
        1 => registers(PUSH, RDX, 0, 0),
        _ => immediate(JMP_NEAR, 0, 0, reporter.wrapping_sub(at + EXIT_BYTES)),
    }
}
