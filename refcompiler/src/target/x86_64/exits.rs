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

use super::encode::{Bytes, bytes as bytes_of, length, longest};
use super::isa::{CDQ, IDIV, IMUL, JMP_NEAR, LEA_RIP, NEG, OR, PUSH};
use super::registers::{RAX, RCX, RDX};
use crate::ir::instruction::{
    CHECK_BELOW, Instruction, NOTHING, RARE_QUOTIENT, RARE_REMAINDER, immediate, nothing, registers,
};

/// The number of bytes of the division that an exit replaces.
const DIVISION_BYTES: u32 = longest(CDQ) + length(registers(IDIV, 0, RCX, 0));

const QUOTIENT_BYTES: u32 = bytes(RARE_QUOTIENT);
const REMAINDER_BYTES: u32 = bytes(RARE_REMAINDER);
const CHECK_BYTES: u32 = bytes(CHECK_BELOW);

/// Returns the number of bytes of the exit to which `op` branches, by its instructions.
const fn bytes(op: u8) -> u32 {
    let (mut bytes, mut k) = (0, 0);
    while instruction(op, k).op != NOTHING {
        bytes += length(instruction(op, k));
        k += 1;
    }
    bytes
}

/// The greatest number of bytes of an exit.
pub const LONGEST_EXIT: u32 = {
    let [quotient, remainder, check] = [exit_bytes(RARE_QUOTIENT), exit_bytes(RARE_REMAINDER), exit_bytes(CHECK_BELOW)];
    let most = if quotient > remainder { quotient } else { remainder };
    if check > most { check } else { most }
};

/// Returns the number of bytes of the exit to which `op` branches.
#[device]
pub const fn exit_bytes(op: u8) -> u32 {
    match op {
        RARE_QUOTIENT => QUOTIENT_BYTES,
        RARE_REMAINDER => REMAINDER_BYTES,
        _ => CHECK_BYTES,
    }
}

/// Returns instruction `k` of the exit to which `op` branches, without distances, and nothing after its last.
const fn instruction(op: u8, k: u32) -> Instruction {
    match (op, k) {
        (RARE_QUOTIENT, 0) => registers(NEG, RAX, 0, 0),
        (RARE_QUOTIENT, 1) => registers(NEG, RDX, 0, 0),
        (RARE_QUOTIENT, 2) => registers(OR, RAX, RDX, 0),
        (RARE_QUOTIENT, 3) | (RARE_REMAINDER, 1) => immediate(JMP_NEAR, 0, 0, 0),
        (RARE_REMAINDER, 0) => registers(IMUL, RDX, RAX, 0),
        (RARE_REMAINDER, _) => nothing(),
        (_, 0) => immediate(LEA_RIP, RDX, 0, 0),
        (_, 1) => registers(PUSH, RDX, 0, 0),
        (_, 2) => immediate(JMP_NEAR, 0, 0, 0),
        _ => nothing(),
    }
}

/// Returns the bytes of the exit to which `op` branches, without distances.
const fn without_distances(op: u8) -> Bytes {
    let (mut code, mut k) = (Bytes { low: 0, high: 0, length: 0 }, 0);
    while instruction(op, k).op != NOTHING {
        code = code.and(bytes_of(instruction(op, k)));
        k += 1;
    }
    assert!(code.length == exit_bytes(op) as u64);
    code
}

const QUOTIENT: Bytes = without_distances(RARE_QUOTIENT);
const REMAINDER: Bytes = without_distances(RARE_REMAINDER);
const CHECK: Bytes = without_distances(CHECK_BELOW);

/// Returns the exit at byte `at` to which `op` branches. The branch ends at byte `branch`, and the reporter begins at byte `reporter`.
#[device]
pub fn exit(op: u8, at: u32, branch: u32, reporter: u32) -> Bytes {
    let is_division = (op == RARE_QUOTIENT) | (op == RARE_REMAINDER);
    let mut code = if op == RARE_QUOTIENT {
        QUOTIENT
    } else if op == RARE_REMAINDER {
        REMAINDER
    } else {
        CHECK
    };
    if !is_division {
        let address = branch.wrapping_sub(at + longest(LEA_RIP));
        code.low |= (address as u64) << (8 * (longest(LEA_RIP) - 4));
    }
    // The jump is last, and its distance has four bytes.
    let to = if is_division { branch + DIVISION_BYTES } else { reporter };
    let distance = to.wrapping_sub(at + code.length as u32) as u64;
    let before = code.length - 4;
    if before < 8 {
        code.low |= distance << (8 * before);
        code.high |= distance >> (8 * (8 - before));
    } else {
        code.high |= distance << (8 * (before - 8));
    }
    code
}
