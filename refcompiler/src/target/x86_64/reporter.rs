//! The functions that report failures: `assert`, which a program calls, and the reporter, which the checks in its code call.
//!
//! ```text
//! cmp %r11d, %ebx      REX, 3b, ModRM: the registers of the values
//! jae exit             6 bytes: the branch to the exit, which pushes the address of the next byte
//! ..                   this address leads to the message
//! ```
//!
//! So a check that holds costs a comparison and a branch that is not taken, and no code of a program moves its values. The reporter saves all registers,
//! and reads the numbers of two registers from the comparison: reg has the first value, r/m the second.

use super::code::{Line, assemble, bare, constant, immediate, load, pair, registers, store};
use super::isa as op;
use super::registers::*;
use super::stub::call;
use crate::object::{NUMBER, POSITION, POSITION_AT, ROW_BYTES};
use crate::target::prelude::{FAILED, Flows, INTERRUPTED};
use Line::{Call, Jump, Label};

/// The number of bytes from the comparison of a check to the return address, and from its ModRM byte.
const COMPARISON: i32 = 9;
const MODRM: i32 = 7;

/// The number of bytes of all saved registers.
const SAVED: i32 = 16 * 8;

/// Returns code that finds the row whose return address is in rdx. Its address comes into r9, that of its message into rsi, the length
/// into edx.
/// The code has labels 1 and 2.
fn search() -> [Line; 15] {
    let table = R8;
    [
        // An image completes it.
        load(op::LEA_RIP, table, 0, 0),
        registers(op::SUB, RDX, table),
        registers(op::MOV_Q, R9, table),
        Label(1),
        load(op::LOAD, RCX, R9, 0),
        pair(op::CMP, RCX, RDX),
        Jump(op::JE, 2),
        pair(op::TEST, RCX, RCX),
        Jump(op::JE, 2),
        immediate(op::ADD_Q_I8, R9, ROW_BYTES as i32),
        Jump(op::JMP, 1),
        Label(2),
        load(op::LOAD, RSI, R9, 4),
        registers(op::ADD_Q, RSI, table),
        load(op::LOAD, RDX, R9, 8),
    ]
}

/// Returns code that writes edx bytes from rsi on to standard error, and ends the program. The code has label 3.
fn write_and_exit(flows: Option<Flows>) -> impl Iterator<Item = Line> {
    let write = [
        Label(3),
        constant(RDI, 2),
        constant(RAX, call::WRITE),
        bare(op::SYSCALL),
        immediate(op::CMP_I8, RAX, INTERRUPTED),
        Jump(op::JE, 3),
        constant(RDI, FAILED),
        constant(RAX, call::EXIT),
        bare(op::SYSCALL),
    ];
    flows.map(|flows| Call(flows.finish)).into_iter().chain(write)
}

/// Returns the function `assert` at byte `at`. It returns if edi is not 0. Otherwise it writes the message of its call, and ends the program.
pub(super) fn assert(at: u32, flows: Option<Flows>) -> Vec<u8> {
    let passes = [pair(op::TEST, RDI, RDI), Jump(op::JE, 0), bare(op::RET), Label(0), load(op::LOAD_Q_SP, RDX, 0, 0)];
    assemble(at, passes.into_iter().chain(search()).chain(write_and_exit(flows)))
}

/// Returns the function at byte `at` that writes the message of the check that called it, with the values, and ends the program.
pub(super) fn check_failed(at: u32, flows: Option<Flows>) -> Vec<u8> {
    // Register n is saved n times 8 bytes above rsp.
    let save = (0..16).rev().map(|r| registers(op::PUSH, r, 0));
    assemble(at, save.chain(values()).chain(search()).chain(message()).chain(write_and_exit(flows)))
}

/// Returns code that puts the values of the check into ebp and r13d, and the return address into rdx. All registers are saved at rsp.
fn values() -> [Line; 19] {
    let (rex, modrm, rm, upper) = (RCX, RAX, RSI, RDI);
    [
        load(op::LOAD_Q_SP_FAR, RDX, 0, SAVED),
        load(op::LOAD_B, rex, RDX, -COMPARISON),
        load(op::LOAD_B, modrm, RDX, -MODRM),
        registers(op::MOV_Q, RBX, RSP),
        // The bits of r/m: 0 to 2 of ModRM, 0 of REX.
        registers(op::MOV, rm, modrm),
        immediate(op::AND_I8, rm, 7),
        registers(op::MOV, upper, rex),
        immediate(op::AND_I8, upper, 1),
        immediate(op::SHL_I8, upper, 3),
        registers(op::OR, rm, upper),
        // The bits of reg: 3 to 5 of ModRM, 2 of REX.
        immediate(op::SHR_I8, modrm, 3),
        immediate(op::AND_I8, modrm, 7),
        immediate(op::AND_I8, rex, 4),
        registers(op::ADD, rex, rex),
        registers(op::OR, modrm, rex),
        // Twice the number, times four.
        registers(op::ADD, rm, rm),
        registers(op::ADD, modrm, modrm),
        saved(RBP, modrm),
        saved(R13, rm),
    ]
}

/// Returns the load of a saved register, given twice its number.
fn saved(r: u8, index: u8) -> Line {
    Line::Op(crate::ir::instruction::Instruction { op: op::LOAD_AT, rd: r, rs1: RBX, rs2: index, imm: 0 })
}

/// Returns code that replaces the text of edx bytes from rsi on: ebp and r13d follow as numbers where it refers to values, those of
/// the row at r9 where it refers to the position. The labels
/// begin at 10.
fn message() -> Vec<Line> {
    const NEXT: u8 = 10;
    const VALUE_TEXT: u8 = 11;
    const NEGATIVE: u8 = 12;
    const DIGITS: u8 = 13;
    const DIGIT: u8 = 14;
    const COPY: u8 = 15;
    const END: u8 = 16;
    const NUMBER_TEXT: u8 = 17;
    const SIGN: u8 = 18;
    const POSITION_TEXT: u8 = 19;
    /// The number of bytes below the text, for the digits of a number; and of bytes that five numbers need.
    const BELOW: i32 = 16;
    const VALUES: i32 = 64;
    let (from, from_end, text, text_end, digits, position) = (R14, R15, RBX, RDI, RSI, R9);
    let put = |r: u8| [store(op::STORE_B, text_end, 0, r), immediate(op::ADD_Q_I8, text_end, 1)];
    let mut lines = vec![
        registers(op::MOV_Q, from, RSI),
        registers(op::MOV_Q, from_end, RSI),
        registers(op::ADD_Q, from_end, RDX),
        registers(op::SUB_Q, RSP, RDX),
        immediate(op::SUB_Q_I8, RSP, BELOW + VALUES),
        immediate(op::AND_Q_I8, RSP, -16),
        registers(op::MOV_Q, text, RSP),
        immediate(op::ADD_Q_I8, text, BELOW),
        registers(op::MOV_Q, text_end, text),
        constant(R8, 10),
        immediate(op::ADD_Q_I8, position, POSITION_AT as i32),
        Label(NEXT),
        pair(op::CMP_Q, from, from_end),
        Jump(op::JE_NEAR, END),
        load(op::LOAD_B, RAX, from, 0),
        immediate(op::ADD_Q_I8, from, 1),
        pair(op::TEST, RAX, RAX),
        Jump(op::JE, VALUE_TEXT),
        immediate(op::CMP_I8, RAX, NUMBER as i32),
        Jump(op::JE, NUMBER_TEXT),
        immediate(op::CMP_I8, RAX, POSITION as i32),
        Jump(op::JE, POSITION_TEXT),
    ];
    lines.extend(put(RAX));
    lines.extend([
        Jump(op::JMP_NEAR, NEXT),
        // ecx: the number, negated if it is positive.
        Label(NUMBER_TEXT),
        load(op::LOAD, RCX, RBP, 0),
        immediate(op::ADD_I8, RBP, 4),
        Jump(op::JMP, SIGN),
        Label(POSITION_TEXT),
        load(op::LOAD, RCX, position, 0),
        immediate(op::ADD_Q_I8, position, 4),
        Jump(op::JMP, SIGN),
        Label(VALUE_TEXT),
        registers(op::MOV, RCX, RBP),
        registers(op::MOV, RBP, R13),
        Label(SIGN),
        pair(op::TEST, RCX, RCX),
        Jump(op::JS, NEGATIVE),
        registers(op::NEG, RCX, 0),
        Jump(op::JMP, DIGITS),
        Label(NEGATIVE),
        constant(RAX, u32::from(b'-')),
    ]);
    lines.extend(put(RAX));
    lines.extend([
        Label(DIGITS),
        registers(op::MOV_Q, digits, text),
        Label(DIGIT),
        registers(op::MOV, RAX, RCX),
        bare(op::CDQ),
        registers(op::IDIV, 0, R8),
        registers(op::MOV, RCX, RAX),
        registers(op::NEG, RDX, 0),
        immediate(op::ADD_I8, RDX, i32::from(b'0')),
        immediate(op::SUB_Q_I8, digits, 1),
        store(op::STORE_B, digits, 0, RDX),
        pair(op::TEST, RCX, RCX),
        Jump(op::JNE, DIGIT),
        Label(COPY),
        load(op::LOAD_B, RAX, digits, 0),
        immediate(op::ADD_Q_I8, digits, 1),
    ]);
    lines.extend(put(RAX));
    lines.extend([
        pair(op::CMP_Q, digits, text),
        Jump(op::JNE, COPY),
        Jump(op::JMP_NEAR, NEXT),
        Label(END),
        registers(op::MOV_Q, RSI, text),
        registers(op::MOV_Q, RDX, text_end),
        registers(op::SUB_Q, RDX, text),
    ]);
    lines
}
