//! The machine code that is not compiled from Par: the start of a program, input and output of one byte, the
//! [report](super::reporter) of a failed check, and single operations that Par has no operator for.
//!
//! System calls follow Linux for RISC-V. The number is in a7; arguments and the result begin at a0.

use super::arena;
use super::encode::{encode, lower, upper};
use super::isa as op;
use super::registers::{A0, A1, A2, A7, FA0, RA, SP, T0, ZERO};
use super::reporter;
use crate::ir::tree::runtime;
use crate::target::prelude::{INTERRUPTED, MachineCode, Prelude};

/// Numbers of system calls.
pub(super) mod call {
    pub const READ: u32 = 63;
    pub const WRITE: u32 = 64;
    pub const EXIT: u32 = 93;
}

/// Returns a function of the runtime that is machine code. It can call the functions that the prelude has.
pub(in crate::target) fn machine_code(id: u32, prelude: &Prelude) -> Option<MachineCode> {
    let words = match id {
        runtime::ALLOCATE => {
            let word = |id| prelude.entry(id).map(|entry| entry / 4);
            arena::allocate(prelude.size() / 4, word(runtime::ARENA)?, word(runtime::OUT_OF_MEMORY)?)
        }
        _ => words(id)?,
    };
    let table = reporter::TABLES.iter().find(|(reporter, _)| *reporter == id);
    Some(MachineCode { size: 4 * words.len() as u32, words, table: table.map(|&(_, word)| 4 * word), state: None })
}

/// Returns the words of a function of the runtime that is machine code and calls no other.
fn words(id: u32) -> Option<Vec<u32>> {
    Some(match id {
        runtime::PRINT_CHAR => write_byte(1),
        runtime::PRINT_ERROR => write_byte(2),
        runtime::EXIT => vec![load(A7, call::EXIT), encode(op::ECALL, 0, 0, 0, 0)],
        runtime::READ_CHAR => read_char(),
        runtime::ASSERT => reporter::assert(),
        runtime::CHECK_FAILED => reporter::check_failed(),
        runtime::BITS => operation(op::FMV_X_W, A0, FA0, 0),
        runtime::FLOAT_OF_BITS => operation(op::FMV_W_X, FA0, A0, 0),
        runtime::ARENA => arena::state(),
        runtime::OUT_OF_MEMORY => arena::out_of_memory(),
        runtime::COPY_WORDS => arena::copy_words(),
        runtime::HIGH_PRODUCT => operation(op::MULHU, A0, A0, A1),
        _ => return None,
    })
}

/// Returns a function that is one operation.
fn operation(operation: u8, rd: u8, rs1: u8, rs2: u8) -> Vec<u32> {
    vec![encode(operation, rd, rs1, rs2, 0), immediate(op::JALR, ZERO, RA, 0)]
}

pub(super) fn immediate(operation: u8, rd: u8, rs1: u8, imm: i32) -> u32 {
    encode(operation, rd, rs1, 0, imm as u32)
}

pub(super) fn load(rd: u8, value: u32) -> u32 {
    immediate(op::ADDI, rd, ZERO, value as i32)
}

/// Returns the start of an executable: calls `main` with `auipc` and `jalr`, and ends with its result.
pub(in crate::target) fn start() -> MachineCode {
    let words = vec![
        encode(op::AUIPC, RA, 0, 0, 0),
        immediate(op::JALR, RA, RA, 0),
        load(A7, call::EXIT),
        encode(op::ECALL, 0, 0, 0, 0),
    ];
    MachineCode { size: 4 * words.len() as u32, words, table: None, state: None }
}

/// Returns the two words that call the function `distance` bytes after the first.
pub fn call_words(distance: u32) -> [u32; 2] {
    [encode(op::AUIPC, RA, 0, 0, upper(distance)), encode(op::JALR, RA, RA, 0, lower(distance))]
}

/// Returns a function that writes a byte to a file.
fn write_byte(file: u32) -> Vec<u32> {
    vec![
        immediate(op::ADDI, SP, SP, -16),
        encode(op::SB, 0, SP, A0, 12),
        // again:
        load(A0, file),
        immediate(op::ADDI, A1, SP, 12),
        load(A2, 1),
        load(A7, call::WRITE),
        encode(op::ECALL, 0, 0, 0, 0),
        immediate(op::ADDI, T0, ZERO, INTERRUPTED),
        encode(op::BEQ, 0, A0, T0, (-24i32) as u32),
        immediate(op::ADDI, SP, SP, 16),
        immediate(op::JALR, ZERO, RA, 0),
    ]
}

fn read_char() -> Vec<u32> {
    vec![
        immediate(op::ADDI, SP, SP, -16),
        // again:
        load(A0, 0),
        immediate(op::ADDI, A1, SP, 12),
        load(A2, 1),
        load(A7, call::READ),
        encode(op::ECALL, 0, 0, 0, 0),
        immediate(op::ADDI, T0, ZERO, INTERRUPTED),
        encode(op::BEQ, 0, A0, T0, (-24i32) as u32),
        load(T0, 1),
        // One byte read, or else the end (or an error, which ends the input as well).
        encode(op::BEQ, 0, A0, T0, 12),
        immediate(op::ADDI, A0, ZERO, -1),
        encode(op::JAL, ZERO, 0, 0, 8),
        encode(op::LBU, A0, SP, 0, 12),
        immediate(op::ADDI, SP, SP, 16),
        immediate(op::JALR, ZERO, RA, 0),
    ]
}
