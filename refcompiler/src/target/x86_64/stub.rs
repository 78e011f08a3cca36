//! The machine code that is not compiled from Par: the start of a program, input and output of one byte, [buffered](super::streams) in
//! executables, the [report](super::reporter) of a failed check, and single operations that Par has no operator for.
//!
//! System calls follow Linux for x86-64. The number and the result are in rax; arguments are in rdi, rsi, rdx, r10, r8 and r9. A system
//! call changes rcx and r11. A function of this file may change all registers but r14 and r15, as functions of Par do. Its first
//! three ints are in edi, esi and r8d, and its first float is in xmm0.

use super::code::{Line, assemble, bare, constant, immediate, load, pair, registers};
use super::decode::decode;
use super::encode::byte;
use super::isa as op;
use super::registers::*;
use super::{arena, reporter, streams};
use crate::ir::instruction::Instruction;
use crate::ir::tree::runtime;
use crate::target::prelude::{Flows, INTERRUPTED, MachineCode, Prelude};
use Line::{Call, Jump, Label};

/// Numbers of system calls.
pub(super) mod call {
    pub const READ: u32 = 0;
    pub const WRITE: u32 = 1;
    pub const SEEK: u32 = 8;
    pub const MAP: u32 = 9;
    pub const PROTECT: u32 = 10;
    pub const SIGNAL: u32 = 13;
    pub const SIGNAL_RETURN: u32 = 15;
    pub const CONTROL: u32 = 16;
    pub const PROCESS: u32 = 39;
    pub const KILL: u32 = 62;
    pub const SIGNAL_STACK: u32 = 131;
    pub const EXIT: u32 = 231;
}

/// The alignment of functions in bytes.
pub(super) const ALIGNMENT: usize = 16;

/// Returns the byte between functions: a breakpoint.
pub(in crate::target) fn padding() -> u8 {
    byte(Instruction { op: op::INT3, ..Instruction::default() }, 0)
}

/// Returns a function with the given bytes, and breakpoints up to the next function.
pub(in crate::target) fn function(mut bytes: Vec<u8>) -> MachineCode {
    let size = bytes.len() as u32;
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), padding());
    let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    MachineCode { words, size, table: None, state: None }
}

/// Returns the start of an executable, and the offset of the distance of its call of `main`.
pub(in crate::target) fn start(flows: Option<Flows>) -> (MachineCode, u32) {
    let (bytes, call_at) = arena::start(flows);
    let state = flows.and_then(|_| address_instruction(&bytes));
    (MachineCode { state, ..function(bytes) }, call_at)
}

/// Returns the functions that write the output and that end both streams. They begin at byte `at`.
pub(in crate::target) fn flow_functions(at: u32) -> [MachineCode; 2] {
    let flush = function(streams::flush());
    let finish = function(streams::finish(at + 4 * flush.words.len() as u32, at));
    [MachineCode { state: Some(0), ..flush }, finish]
}

/// Returns a function of the runtime that is machine code. It can call functions that the prelude has.
pub(in crate::target) fn machine_code(id: u32, prelude: &Prelude) -> Option<MachineCode> {
    let (at, flows) = (prelude.size(), prelude.flows);
    let code = match (id, flows) {
        (runtime::PRINT_CHAR, Some(flows)) => {
            MachineCode { state: Some(0), ..function(streams::print_char(at, flows.flush)) }
        }
        (runtime::READ_CHAR, Some(flows)) => {
            MachineCode { state: Some(0), ..function(streams::read_char(at, flows.flush)) }
        }
        (runtime::ASSERT, _) => reporter(reporter::assert(at, flows)),
        (runtime::CHECK_FAILED, _) => reporter(reporter::check_failed(at, flows)),
        (runtime::ALLOCATE, _) => {
            function(arena::allocate(at, prelude.entry(runtime::ARENA)?, prelude.entry(runtime::OUT_OF_MEMORY)?))
        }
        _ => function(bytes(id, at, flows)?),
    };
    Some(code)
}

/// Returns a function that reports failed checks.
fn reporter(bytes: Vec<u8>) -> MachineCode {
    MachineCode { table: address_instruction(&bytes), ..function(bytes) }
}

/// Returns the offset in a function of the first instruction that loads an address into r8, which an image completes.
fn address_instruction(bytes: &[u8]) -> Option<u32> {
    let mut at = 0;
    while at < bytes.len() {
        // Texts lie between instructions.
        let Some((x, length)) = decode(&bytes[at..]) else {
            at += 1;
            continue;
        };
        if x.op == op::LEA_RIP && x.rd == R8 {
            return Some(at as u32);
        }
        at += length;
    }
    None
}

/// Returns the bytes of that instruction if the address is `distance` bytes after its first byte.
pub(in crate::target) fn address(distance: u32) -> Vec<u8> {
    let length = super::encode::longest(op::LEA_RIP);
    assemble(0, [load(op::LEA_RIP, R8, 0, distance.wrapping_sub(length) as i32)])
}

/// Returns the bytes of a function at byte `at` of the runtime that is machine code.
fn bytes(id: u32, at: u32, flows: Option<Flows>) -> Option<Vec<u8>> {
    Some(match id {
        runtime::PRINT_CHAR => write_byte(at, 1, None),
        runtime::PRINT_ERROR => write_byte(at, 2, flows),
        runtime::EXIT => {
            let finish = flows.map(|flows| Call(flows.finish));
            assemble(at, finish.into_iter().chain([constant(RAX, call::EXIT), bare(op::SYSCALL)]))
        }
        runtime::READ_CHAR => read_char(),
        runtime::BITS => assemble(0, [registers(op::MOVD_R_F, RAX, XMM0), bare(op::RET)]),
        runtime::FLOAT_OF_BITS => assemble(0, [registers(op::MOVD_F_R, XMM0, RDI), bare(op::RET)]),
        runtime::ARENA => arena::state(),
        runtime::OUT_OF_MEMORY => arena::out_of_memory(at, flows),
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

/// Returns a function at byte `at` that writes a byte to a file, after the output that is filled.
fn write_byte(at: u32, file: u32, flows: Option<Flows>) -> Vec<u8> {
    let before = flows.map(|flows| Call(flows.finish));
    let end = [registers(op::POP, RDI, 0), bare(op::RET)];
    assemble(at, before.into_iter().chain(transfer_byte(call::WRITE, file)).chain(end))
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
