//! Machine words to instructions: what [`encode()`] makes, and nothing else.

use super::encode::{B, FORMAT, FUNCT3, FUNCT7, I, J, OPCODE, R, S, SHIFT, SYSTEM, U, encode};
use super::op;
use crate::passes::sequence::Instruction;

/// The operations whose rd, rs1 and rs2 are floats.
fn float_fields(operation: u8) -> (bool, bool, bool) {
    match operation {
        op::FADD | op::FSUB | op::FMUL | op::FDIV | op::FSGNJ | op::FSGNJN => (true, true, true),
        op::FEQ | op::FLT | op::FLE => (false, true, true),
        op::FCVT_W_S | op::FMV_X_W => (false, true, false),
        op::FCVT_S_W | op::FMV_W_X | op::FLW => (true, false, false),
        op::FSW => (false, false, true),
        _ => (false, false, false),
    }
}

/// The instruction of a word; `None` for a word that the compiler does not write. `ebreak` has the immediate 1.
pub fn decode(word: u32) -> Option<Instruction> {
    (0..op::COUNT).find_map(|operation| {
        let k = operation as usize;
        if u32::from(OPCODE[k]) != word & 127 {
            return None;
        }
        let format = FORMAT[k];
        if !matches!(format, U | J) && u32::from(FUNCT3[k]) != word >> 12 & 7 {
            return None;
        }
        if matches!(format, R | SHIFT) && u32::from(FUNCT7[k]) != word >> 25 {
            return None;
        }
        let bits = |from: u32, count: u32| word >> from & ((1 << count) - 1);
        let sign = ((word as i32) >> 31) as u32;
        let imm = match format {
            I => ((word as i32) >> 20) as u32,
            SHIFT => bits(20, 5),
            S => (((word as i32) >> 25) as u32) << 5 | bits(7, 5),
            B => sign << 12 | bits(7, 1) << 11 | bits(25, 6) << 5 | bits(8, 4) << 1,
            U => word & 0xffff_f000,
            J => sign << 20 | bits(12, 8) << 12 | bits(20, 1) << 11 | bits(21, 10) << 1,
            SYSTEM => word >> 20,
            _ => 0,
        };
        let (d, a, b) = float_fields(operation);
        let field = |from, is_float: bool| bits(from, 5) as u8 + if is_float { 32 } else { 0 };
        let instruction = Instruction {
            op: operation,
            rd: if matches!(format, R | I | SHIFT | U | J) { field(7, d) } else { 0 },
            rs1: if matches!(format, R | I | SHIFT | S | B) { field(15, a) } else { 0 },
            rs2: if matches!(format, R | S | B) { field(20, b) } else { 0 },
            imm,
        };
        let Instruction { op, rd, rs1, rs2, imm } = instruction;
        let is_own = format != SYSTEM || imm == u32::from(operation == op::EBREAK);
        (is_own && encode(op, rd, rs1, rs2, imm) == word).then_some(instruction)
    })
}
