//! The machine code that is not compiled from Par: the start of a program, input and output of one byte, the
//! [report](super::reporter) of a failed check, and single operations that Par has no operator for.
//!
//! System calls follow Linux for x86-64. The number and the result are in rax; arguments are in rdi, rsi, rdx, r10, r8 and r9. A system
//! call changes rcx and r11. A function of this file may change all registers, as functions of Par do. Its first three ints are in
//! edi, esi and r8d, and its first float is in xmm0.

use super::arena;
use super::code::{Line, assemble, bare, constant, immediate, pair, registers};
use super::encode::byte;
use super::isa as op;
use super::registers::*;
use super::reporter;
use crate::ir::instruction::Instruction;
use crate::ir::tree::runtime;
use crate::target::prelude::{INTERRUPTED, MachineCode, Patch, Prelude};
use Line::{Jump, Label};

/// Numbers of system calls.
pub(super) mod call {
    pub const READ: u32 = 0;
    pub const WRITE: u32 = 1;
    pub const MAP: u32 = 9;
    pub const PROTECT: u32 = 10;
    pub const EXIT: u32 = 231;
}

/// The alignment of functions in bytes.
pub(super) const ALIGNMENT: usize = 16;

/// Returns the byte between functions: a breakpoint.
pub(in crate::target) fn padding() -> u8 {
    byte(Instruction { op: op::INT3, ..Instruction::default() }, 0)
}

/// Returns a function with the given bytes, and breakpoints up to the next function.
pub(in crate::target) fn function(mut bytes: Vec<u8>, table: Option<u32>) -> MachineCode {
    let size = bytes.len() as u32;
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), padding());
    let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    MachineCode { words, size, table }
}

/// Returns the start of an executable.
pub(in crate::target) fn start() -> MachineCode {
    function(arena::start(0), None)
}

/// Returns the patch that makes the start, which is at byte 0, call the function at byte `main`.
pub(in crate::target) fn start_patch(main: u32) -> Patch {
    Patch { at: 0, bytes: arena::start(main) }
}

/// Returns a function of the runtime that is machine code. It can call functions that the prelude has.
pub(in crate::target) fn machine_code(id: u32, prelude: &Prelude) -> Option<MachineCode> {
    let reports = matches!(id, runtime::ASSERT | runtime::CHECK_FAILED);
    let bytes = match id {
        runtime::ALLOCATE => {
            arena::allocate(prelude.size(), prelude.entry(runtime::ARENA)?, prelude.entry(runtime::OUT_OF_MEMORY)?)
        }
        _ => bytes(id)?,
    };
    let table = if reports { reporter::table_instruction(&bytes) } else { None };
    Some(function(bytes, table))
}

/// Returns the bytes of a function of the runtime that is machine code and calls no other function.
fn bytes(id: u32) -> Option<Vec<u8>> {
    Some(match id {
        runtime::PRINT_CHAR => write_byte(1),
        runtime::PRINT_ERROR => write_byte(2),
        runtime::EXIT => assemble(0, [constant(RAX, call::EXIT), bare(op::SYSCALL)]),
        runtime::READ_CHAR => read_char(),
        runtime::ASSERT => reporter::assert(),
        runtime::CHECK_FAILED => reporter::check_failed(),
        runtime::BITS => assemble(0, [registers(op::MOVD_R_F, RAX, XMM0), bare(op::RET)]),
        runtime::FLOAT_OF_BITS => assemble(0, [registers(op::MOVD_F_R, XMM0, RDI), bare(op::RET)]),
        runtime::ARENA => arena::state(),
        runtime::OUT_OF_MEMORY => arena::out_of_memory(),
        runtime::COPY_WORDS => arena::copy_words(),
        runtime::COPY_FROM_C => arena::copy_from_c(),
        runtime::COPY_TO_C => arena::copy_to_c(),
        runtime::HIGH_PRODUCT => assemble(
            0,
            [registers(op::MOV, RAX, RDI), pair(op::MUL, RSI, 0), registers(op::MOV, RAX, RDX), bare(op::RET)],
        ),
        _ => return None,
    })
}

/// Returns code that pushes rdi, and reads or writes the lowest byte of the stack. The code has label 1.
fn transfer_byte(call: u32, file: u32) -> [Line; 9] {
    const AGAIN: u8 = 1;
    [
        registers(op::PUSH, RDI, 0),
        Label(AGAIN),
        constant(RAX, call),
        constant(RDI, file),
        registers(op::MOV_Q, RSI, RSP),
        constant(RDX, 1),
        bare(op::SYSCALL),
        immediate(op::CMP_I8, RAX, INTERRUPTED),
        Jump(op::JE, AGAIN),
    ]
}

/// Returns a function that writes a byte to a file.
fn write_byte(file: u32) -> Vec<u8> {
    let end = [registers(op::POP, RDI, 0), bare(op::RET)];
    assemble(0, transfer_byte(call::WRITE, file).into_iter().chain(end))
}

fn read_char() -> Vec<u8> {
    const END: u8 = 2;
    let result = [
        registers(op::POP, RCX, 0),
        // One byte read, or else the end (or an error, which ends the input as well).
        immediate(op::CMP_I8, RAX, 1),
        Jump(op::JNE, END),
        registers(op::MOVZX_B, RAX, RCX),
        bare(op::RET),
        Label(END),
        constant(RAX, u32::MAX),
        bare(op::RET),
    ];
    assemble(0, transfer_byte(call::READ, 0).into_iter().chain(result))
}
