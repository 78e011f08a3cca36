//! Standard output and input of executables, with a buffer for each, so that a system call moves many bytes.
//!
//! ```text
//! state    0 filled   4 limit   8 next   12 end   16 output ..   input ..   the stack of the signal handler ..
//! ```
//!
//! Output is written when `limit` bytes are filled, before the program waits for input, before a message, and at its end. On a terminal the
//! limit is 1. The first byte finds the limit, which is 0 before that. A signal that ends the program, such as that of an overflow of
//! the stack, has a handler that writes the output first. Input that a buffer has and the program has not read goes back to a file that
//! can seek.
//!
//! An object has no state: its functions move single bytes, since it shares the files with code of C.

use super::code::{Line, assemble, bare, constant, immediate, load, pair, registers, store};
use super::isa as op;
use super::registers::*;
use super::stub::call;
use crate::target::prelude::{Flows, INTERRUPTED};
use Line::{Address, Call, Jump, Label};

/// The offsets in the state.
const FILLED: i32 = 0;
const LIMIT: i32 = 4;
const NEXT: i32 = 8;
const END: i32 = 12;
const OUTPUT: i32 = 16;
const INPUT: i32 = OUTPUT + BUFFER_BYTES as i32;
const SIGNAL_STACK: i32 = INPUT + BUFFER_BYTES as i32;

/// The size of each buffer.
const BUFFER_BYTES: u32 = 1 << 14;

/// The size of the stack of the signal handler. A system saves all registers there, also wide ones.
const SIGNAL_STACK_BYTES: u32 = 1 << 14;

/// The size of the state in bytes.
pub const STATE_BYTES: u32 = SIGNAL_STACK as u32 + SIGNAL_STACK_BYTES;

/// The negated error number of a system call that would have to wait, EAGAIN.
const WOULD_WAIT: i32 = -11;

/// The register with the address of the state. No system call changes it.
const STATE: u8 = R8;

/// Returns the instruction that loads the address of the state. An image completes it.
fn state() -> Line {
    load(op::LEA_RIP, STATE, 0, 0)
}

/// Returns the function that writes the filled bytes of the output. It leaves the address of the state in r8, and changes rax, rcx, rdx, rsi,
/// rdi, r9 and r11. Output that the system refuses is lost.
pub(super) fn flush() -> Vec<u8> {
    const AGAIN: u8 = 1;
    const DONE: u8 = 2;
    let count = R9;
    assemble(
        0,
        [
            state(),
            load(op::LOAD, count, STATE, FILLED),
            constant(RAX, 0),
            store(op::STORE, STATE, FILLED, RAX),
            load(op::LEA, RSI, STATE, OUTPUT),
            Label(AGAIN),
            pair(op::TEST, count, count),
            Jump(op::JE, DONE),
            constant(RAX, call::WRITE),
            constant(RDI, 1),
            registers(op::MOV, RDX, count),
            bare(op::SYSCALL),
            immediate(op::CMP_I8, RAX, INTERRUPTED),
            Jump(op::JE, AGAIN),
            immediate(op::CMP_I8, RAX, WOULD_WAIT),
            Jump(op::JE, AGAIN),
            pair(op::TEST, RAX, RAX),
            Jump(op::JLE, DONE),
            registers(op::ADD_Q, RSI, RAX),
            registers(op::SUB, count, RAX),
            Jump(op::JMP, AGAIN),
            Label(DONE),
            bare(op::RET),
        ],
    )
}

/// Returns the function at byte `at` that writes the output and gives back the input. It keeps rdx, rsi and rdi. `flush` is the byte of
/// [`flush`].
pub(super) fn finish(at: u32, flush: u32) -> Vec<u8> {
    const DONE: u8 = 1;
    /// From the current position of a file.
    const FROM_HERE: u32 = 1;
    assemble(
        at,
        [
            registers(op::PUSH, RDX, 0),
            registers(op::PUSH, RSI, 0),
            registers(op::PUSH, RDI, 0),
            Call(flush),
            load(op::LOAD, RAX, STATE, END),
            load(op::LOAD, RCX, STATE, NEXT),
            registers(op::SUB, RAX, RCX),
            Jump(op::JE, DONE),
            constant(RSI, 0),
            registers(op::SUB_Q, RSI, RAX),
            constant(RDI, 0),
            constant(RDX, FROM_HERE),
            constant(RAX, call::SEEK),
            bare(op::SYSCALL),
            // A pipe cannot seek, and the input stays in the buffer.
            pair(op::TEST_Q, RAX, RAX),
            Jump(op::JS, DONE),
            load(op::LOAD, RAX, STATE, NEXT),
            store(op::STORE, STATE, END, RAX),
            Label(DONE),
            registers(op::POP, RDI, 0),
            registers(op::POP, RSI, 0),
            registers(op::POP, RDX, 0),
            bare(op::RET),
        ],
    )
}

/// Returns the function at byte `at` that adds a byte to the output. `flush` is the byte of [`flush`].
pub(super) fn print_char(at: u32, flush: u32) -> Vec<u8> {
    const FULL: u8 = 1;
    const FOUND: u8 = 2;
    const WRITE: u8 = 3;
    /// The request for the settings of a terminal, which only a terminal has.
    const SETTINGS: u32 = 0x5401;
    assemble(
        at,
        [
            state(),
            load(op::LOAD, RAX, STATE, FILLED),
            registers(op::MOV, RCX, STATE),
            registers(op::ADD, RCX, RAX),
            store(op::STORE_B, RCX, OUTPUT, RDI),
            immediate(op::ADD_I8, RAX, 1),
            store(op::STORE, STATE, FILLED, RAX),
            load(op::LOAD, RCX, STATE, LIMIT),
            pair(op::CMP, RAX, RCX),
            Jump(op::JAE, FULL),
            bare(op::RET),
            Label(FULL),
            pair(op::TEST, RCX, RCX),
            Jump(op::JNE, WRITE),
            constant(RAX, call::CONTROL),
            constant(RDI, 1),
            constant(RSI, SETTINGS),
            load(op::LEA_FAR, RDX, STATE, SIGNAL_STACK),
            bare(op::SYSCALL),
            constant(RCX, 1),
            pair(op::TEST, RAX, RAX),
            Jump(op::JE, FOUND),
            constant(RCX, BUFFER_BYTES),
            Label(FOUND),
            store(op::STORE, STATE, LIMIT, RCX),
            immediate(op::CMP_I8, RCX, 1),
            Jump(op::JE, WRITE),
            bare(op::RET),
            Label(WRITE),
            Call(flush),
            bare(op::RET),
        ],
    )
}

/// Returns the function at byte `at` that returns the next byte of the input, or -1 at its end. `flush` is the byte of [`flush`].
pub(super) fn read_char(at: u32, flush: u32) -> Vec<u8> {
    const TAKE: u8 = 1;
    const FILL: u8 = 2;
    const AGAIN: u8 = 3;
    const NONE: u8 = 4;
    assemble(
        at,
        [
            state(),
            load(op::LOAD, RAX, STATE, NEXT),
            load(op::LOAD, RCX, STATE, END),
            pair(op::CMP, RAX, RCX),
            Jump(op::JAE, FILL),
            Label(TAKE),
            load(op::LEA, RDX, RAX, 1),
            store(op::STORE, STATE, NEXT, RDX),
            registers(op::ADD, RAX, STATE),
            load(op::LOAD_B_FAR, RAX, RAX, INPUT),
            bare(op::RET),
            Label(FILL),
            Call(flush),
            Label(AGAIN),
            constant(RAX, call::READ),
            constant(RDI, 0),
            load(op::LEA_FAR, RSI, STATE, INPUT),
            constant(RDX, BUFFER_BYTES),
            bare(op::SYSCALL),
            immediate(op::CMP_I8, RAX, INTERRUPTED),
            Jump(op::JE, AGAIN),
            // An error ends the input as well.
            pair(op::TEST, RAX, RAX),
            Jump(op::JLE, NONE),
            store(op::STORE, STATE, END, RAX),
            constant(RAX, 0),
            Jump(op::JMP, TAKE),
            Label(NONE),
            constant(RAX, u32::MAX),
            bare(op::RET),
        ],
    )
}

/// Returns code that installs the handler of signals, and the handler, which it jumps over. A signal that the program was started to ignore
/// stays ignored. The labels begin at 30.
pub(super) fn install_handler(flows: Flows) -> Vec<Line> {
    const HANDLER: u8 = 30;
    const RESTORER: u8 = 31;
    const DONE: u8 = 32;
    const NEXT_SIGNAL: u8 = 33;
    /// An interrupt, an access to memory that is not mapped, and a request to end.
    const SIGNALS: [u32; 3] = [2, 11, 15];
    /// On the stack for signals, once, with an address to return to.
    const FLAGS: u32 = 0x0800_0000 | 0x8000_0000 | 0x0400_0000;
    /// The number of bytes of a set of signals.
    const SET_BYTES: u32 = 8;
    /// The offset in the memory of the stack of the earlier handler. The new one is at 0.
    const EARLIER: i32 = 32;
    const IGNORED: i32 = 1;
    let quad = |at: i32, r: u8| store(op::STORE_Q_FAR, STATE, SIGNAL_STACK + at, r);
    let memory = |r: u8, at: i32| load(op::LEA_FAR, r, STATE, SIGNAL_STACK + at);
    let mut lines = vec![
        state(),
        // The stack, its flags, and its size.
        memory(RDI, 0),
        quad(0, RDI),
        constant(RSI, 0),
        quad(8, RSI),
        constant(RAX, SIGNAL_STACK_BYTES),
        quad(16, RAX),
        constant(RAX, call::SIGNAL_STACK),
        bare(op::SYSCALL),
        // The handler, its flags, the address to return to, and no other signals that wait meanwhile.
        Address(RAX, HANDLER),
        quad(0, RAX),
        constant(RAX, FLAGS),
        quad(8, RAX),
        Address(RAX, RESTORER),
        quad(16, RAX),
        quad(24, RSI),
        constant(R10, SET_BYTES),
    ];
    for (label, signal) in (NEXT_SIGNAL..).zip(SIGNALS) {
        lines.extend([
            constant(RDI, signal),
            memory(RSI, 0),
            memory(RDX, EARLIER),
            constant(RAX, call::SIGNAL),
            bare(op::SYSCALL),
            load(op::LOAD, RAX, RDX, 0),
            immediate(op::CMP_I8, RAX, IGNORED),
            Jump(op::JNE, label),
            registers(op::MOV, RSI, RDX),
            constant(RDX, 0),
            constant(RAX, call::SIGNAL),
            bare(op::SYSCALL),
            Label(label),
        ]);
    }
    lines.extend([
        Jump(op::JMP, DONE),
        // The same signal again, which comes after this function, ends the program.
        Label(HANDLER),
        registers(op::PUSH, RDI, 0),
        Call(flows.flush),
        constant(RAX, call::PROCESS),
        bare(op::SYSCALL),
        registers(op::MOV, RDI, RAX),
        registers(op::POP, RSI, 0),
        constant(RAX, call::KILL),
        bare(op::SYSCALL),
        bare(op::RET),
        Label(RESTORER),
        constant(RAX, call::SIGNAL_RETURN),
        bare(op::SYSCALL),
        Label(DONE),
    ]);
    lines
}
