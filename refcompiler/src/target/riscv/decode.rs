//! Machine words to instructions: the inverse of [`encode`](super::encode), by the same table.

use super::isa::{self, BASE, COUNT, FORMAT, Format, OPERANDS};
use crate::ir::instruction::Instruction;

const SHIFT: u8 = Format::SHIFT as u8;
const S: u8 = Format::S as u8;
const B: u8 = Format::B as u8;
const U: u8 = Format::U as u8;
const J: u8 = Format::J as u8;
const R: u8 = Format::R as u8;
const I: u8 = Format::I as u8;

/// Returns the bits of a word that must equal [`BASE`] for this operation.
fn fixed_bits(op: u8) -> u32 {
    match FORMAT[op as usize] {
        // rs2 or fs2.
        R if OPERANDS[op as usize].contains("s2") => 0xfe00_707f,
        // The field of rs2 is a part of the operation, and 0.
        R => 0xfff0_707f,
        SHIFT => 0xfe00_707f,
        I | S | B => 0x707f,
        U | J => 0x7f,
        _ => u32::MAX,
    }
}

/// Returns the instruction of a word, or `None` if the compiler never writes that word.
pub fn decode(word: u32) -> Option<Instruction> {
    let op = (0..COUNT).find(|&op| word & fixed_bits(op) == BASE[op as usize])?;
    let bits = |from: u32, count: u32| word >> from & ((1 << count) - 1);
    let sign = ((word as i32) >> 31) as u32;
    let imm = match FORMAT[op as usize] {
        I => ((word as i32) >> 20) as u32,
        SHIFT => bits(20, 5),
        S => (((word as i32) >> 25) as u32) << 5 | bits(7, 5),
        B => sign << 12 | bits(7, 1) << 11 | bits(25, 6) << 5 | bits(8, 4) << 1,
        U => word & 0xffff_f000,
        J => sign << 20 | bits(12, 8) << 12 | bits(20, 1) << 11 | bits(21, 10) << 1,
        _ => 0,
    };
    let operands = OPERANDS[op as usize];
    let field = |from: u32, int: &str, float: &str| match () {
        () if operands.contains(float) => bits(from, 5) as u8 + 32,
        () if operands.contains(int) => bits(from, 5) as u8,
        () => 0,
    };
    let (rd, rs1, rs2) = (field(7, "rd", "fd"), field(15, "rs1", "fs1"), field(20, "rs2", "fs2"));
    Some(Instruction { op, rd, rs1, rs2, imm })
}

/// Returns the word, counted from the start, that the branch or jump in word `at` goes to.
pub fn target(at: u32, instruction: Instruction) -> Option<u32> {
    let jumps = isa::OPERANDS[instruction.op as usize].contains("label");
    jumps.then(|| at.wrapping_add_signed((instruction.imm as i32) >> 2))
}
