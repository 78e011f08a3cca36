//! The functions that report failed checks: `assert`, which is called, and the one that checks in the code of a program call.
//!
//! ```text
//! bltu t3, t4, +8      the branch over the call names the registers of the values
//! jal ra, ..           the return address leads to the message
//! ```
//!
//! So a check that holds costs one branch, and no code of a program moves its values. The reporter saves all registers, and reads
//! the two numbers of registers in the branch.

use super::encode::{encode, lower, upper};
use super::isa as op;
use super::registers::*;
use super::stub::call;
use crate::ir::tree::runtime;
use crate::object::{NUMBER, POSITION, POSITION_AT, ROW_BYTES};
use crate::target::prelude::{FAILED, INTERRUPTED};

/// For each of these functions, the word from which it computes the address of the table of [messages](crate::object).
pub(super) const TABLES: [(u32, u32); 2] = [(runtime::ASSERT, 2), (runtime::CHECK_FAILED, FIND_VALUES)];

/// The words of [`check_failed`] before the search for the message.
const FIND_VALUES: u32 = 1 + 32 + 13;

/// A line of machine code.
enum Line {
    Word(u32),
    /// A branch to a label.
    Branch(u8, u8, u8, u8),
    Label(u8),
}
use Line::{Branch, Label, Word};

fn immediate(operation: u8, rd: u8, rs1: u8, imm: i32) -> Line {
    Word(encode(operation, rd, rs1, 0, imm as u32))
}

fn registers(operation: u8, rd: u8, rs1: u8, rs2: u8) -> Line {
    Word(encode(operation, rd, rs1, rs2, 0))
}

fn load(rd: u8, value: u32) -> Line {
    immediate(op::ADDI, rd, ZERO, value as i32)
}

fn store(operation: u8, r: u8, base: u8, offset: u32) -> Line {
    Word(encode(operation, 0, base, r, offset))
}

/// Returns a jump to a label, as a branch that is always taken.
fn jump(label: u8) -> Line {
    Branch(op::BEQ, ZERO, ZERO, label)
}

/// Returns the words of some lines.
fn words(lines: impl IntoIterator<Item = Line>) -> Vec<u32> {
    let lines: Vec<Line> = lines.into_iter().collect();
    let mut labels = [0; 256];
    let mut at = 0i32;
    for line in &lines {
        match line {
            Label(label) => labels[usize::from(*label)] = at,
            _ => at += 4,
        }
    }
    at = 0;
    let mut words = Vec::new();
    for line in lines {
        words.push(match line {
            Word(word) => word,
            Branch(operation, a, b, label) => encode(operation, 0, a, b, (labels[usize::from(label)] - at) as u32),
            Label(_) => continue,
        });
        at += 4;
    }
    words
}

/// Puts the address of the row whose return address is in ra into t0, that of its message into a1, and its length into a2. Labels: 1
/// and 2.
fn search() -> [Line; 14] {
    [
        // a3: the table. An image completes these.
        registers(op::AUIPC, A3, 0, 0),
        immediate(op::ADDI, A3, A3, 0),
        registers(op::SUB, T1, RA, A3),
        immediate(op::ADDI, T0, A3, 0),
        Label(1),
        immediate(op::LW, T2, T0, 0),
        Branch(op::BEQ, T2, T1, 2),
        Branch(op::BEQ, T2, ZERO, 2),
        immediate(op::ADDI, T0, T0, ROW_BYTES as i32),
        Word(encode(op::JAL, ZERO, 0, 0, (-16i32) as u32)),
        Label(2),
        immediate(op::LW, A1, T0, 4),
        registers(op::ADD, A1, A1, A3),
        immediate(op::LW, A2, T0, 8),
    ]
}

/// Writes a2 bytes from a1 on to standard error, and ends the program. Label: 3.
fn write_and_exit() -> [Line; 9] {
    [
        Label(3),
        load(A0, 2),
        load(A7, call::WRITE),
        registers(op::ECALL, 0, 0, 0),
        immediate(op::ADDI, T0, ZERO, INTERRUPTED),
        Branch(op::BEQ, A0, T0, 3),
        load(A0, FAILED),
        load(A7, call::EXIT),
        registers(op::ECALL, 0, 0, 0),
    ]
}

/// Returns if a0 is not 0. Otherwise writes the message of the row whose return address is in ra, and ends the program.
pub(super) fn assert() -> Vec<u32> {
    let passes = [Branch(op::BEQ, A0, ZERO, 0), immediate(op::JALR, ZERO, RA, 0), Label(0)];
    words(passes.into_iter().chain(search()).chain(write_and_exit()))
}

/// Writes the message of the check whose call returns to ra, with its values, and ends the program.
pub(super) fn check_failed() -> Vec<u32> {
    let all = (0..32).map(|r| store(op::SW, r, SP, 4 * u32::from(r)));
    let save = [immediate(op::ADDI, SP, SP, -128)].into_iter().chain(all);
    words(save.chain(values()).chain(search()).chain(message()).chain(write_and_exit()))
}

/// Puts the values of the check that called into s0 and s1, given all registers at sp. A call of one word is `jal`, one of two
/// words ends with `jalr`; the branch is before it.
fn values() -> [Line; 13] {
    /// The bit of `jal` that `jalr` does not have.
    const IS_JAL: i32 = 8;
    [
        immediate(op::LW, T0, RA, -4),
        immediate(op::ANDI, T0, T0, IS_JAL),
        immediate(op::SRLI, T0, T0, 1),
        registers(op::ADD, T0, T0, RA),
        immediate(op::LW, T0, T0, -12),
        immediate(op::SRLI, T1, T0, 13),
        immediate(op::ANDI, T1, T1, 31 << 2),
        registers(op::ADD, T1, T1, SP),
        immediate(op::LW, S0, T1, 0),
        immediate(op::SRLI, T1, T0, 18),
        immediate(op::ANDI, T1, T1, 31 << 2),
        registers(op::ADD, T1, T1, SP),
        immediate(op::LW, S1, T1, 0),
    ]
}

/// Replaces the text of a2 bytes from a1 on by one with numbers: s0 and s1 for the values, and those of the row at t0 for the position.
/// Labels from 10 on.
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
    /// The bytes below the text, for the digits of a number, and the bytes that five numbers need.
    const BELOW: i32 = 16;
    const VALUES: i32 = 64;
    let put = |r: u8| [store(op::SB, r, S4, 0), immediate(op::ADDI, S4, S4, 1)];
    let mut lines = vec![
        // s2 to s3: the message. s4: the end of the text.
        immediate(op::ADDI, S2, A1, 0),
        registers(op::ADD, S3, A1, A2),
        registers(op::SUB, SP, SP, A2),
        immediate(op::ADDI, SP, SP, -BELOW - VALUES),
        immediate(op::ANDI, SP, SP, -16),
        immediate(op::ADDI, S5, SP, BELOW),
        immediate(op::ADDI, S4, S5, 0),
        immediate(op::ADDI, S7, T0, POSITION_AT as i32),
        load(S6, u32::from(NUMBER)),
        load(S8, u32::from(POSITION)),
        load(T4, 10),
        load(T5, u32::from(b'0')),
        Label(NEXT),
        Branch(op::BEQ, S2, S3, END),
        immediate(op::LBU, T0, S2, 0),
        immediate(op::ADDI, S2, S2, 1),
        Branch(op::BEQ, T0, ZERO, VALUE_TEXT),
        Branch(op::BEQ, T0, S6, NUMBER_TEXT),
        Branch(op::BEQ, T0, S8, POSITION_TEXT),
    ];
    lines.extend(put(T0));
    lines.extend([
        jump(NEXT),
        // t1: the number, negated if it is positive.
        Label(NUMBER_TEXT),
        immediate(op::LW, T1, S0, 0),
        immediate(op::ADDI, S0, S0, 4),
        jump(SIGN),
        Label(POSITION_TEXT),
        immediate(op::LW, T1, S7, 0),
        immediate(op::ADDI, S7, S7, 4),
        jump(SIGN),
        Label(VALUE_TEXT),
        immediate(op::ADDI, T1, S0, 0),
        immediate(op::ADDI, S0, S1, 0),
        Label(SIGN),
        Branch(op::BLT, T1, ZERO, NEGATIVE),
        registers(op::SUB, T1, ZERO, T1),
        jump(DIGITS),
        Label(NEGATIVE),
        load(T2, u32::from(b'-')),
    ]);
    lines.extend(put(T2));
    lines.extend([
        Label(DIGITS),
        immediate(op::ADDI, T3, S5, 0),
        Label(DIGIT),
        registers(op::REM, T2, T1, T4),
        registers(op::SUB, T2, T5, T2),
        immediate(op::ADDI, T3, T3, -1),
        store(op::SB, T2, T3, 0),
        registers(op::DIV, T1, T1, T4),
        Branch(op::BNE, T1, ZERO, DIGIT),
        Label(COPY),
        immediate(op::LBU, T2, T3, 0),
        immediate(op::ADDI, T3, T3, 1),
    ]);
    lines.extend(put(T2));
    lines.extend([
        Branch(op::BNE, T3, S5, COPY),
        jump(NEXT),
        Label(END),
        immediate(op::ADDI, A1, S5, 0),
        registers(op::SUB, A2, S4, S5),
    ]);
    lines
}

/// Returns the two words by which a reporter computes the address of the table, which begins `distance` bytes after the first.
pub(in crate::target) fn table_address(distance: u32) -> [u32; 2] {
    [encode(op::AUIPC, A3, 0, 0, upper(distance)), encode(op::ADDI, A3, A3, 0, lower(distance))]
}
