//! Machine code of functions that are not compiled from Par: instructions and labels to bytes.

use super::encode::{encode, length, longest};
use super::isa::{self as op, FORMS, Form};
use crate::ir::instruction::Instruction;

/// A line of machine code.
#[derive(Clone, Debug)]
pub(super) enum Line {
    /// An instruction.
    Op(Instruction),
    /// A jump to a label.
    Jump(u8, u8),
    /// A call of the function at a byte of the prelude.
    Call(u32),
    /// Puts the address of a label into a register.
    Address(u8, u8),
    /// A label: a number that is unique in its function.
    Label(u8),
    /// Data.
    Bytes(&'static [u8]),
}

/// Returns an instruction with registers only: `rd` and `rs1`.
pub(super) const fn registers(op: u8, rd: u8, rs1: u8) -> Line {
    Line::Op(Instruction { op, rd, rs1, rs2: 0, imm: 0 })
}

/// Returns an instruction that reads two registers.
pub(super) const fn pair(op: u8, rs1: u8, rs2: u8) -> Line {
    Line::Op(Instruction { op, rd: 0, rs1, rs2, imm: 0 })
}

/// Returns an instruction of a register and an immediate.
pub(super) const fn immediate(op: u8, r: u8, imm: i32) -> Line {
    Line::Op(Instruction { op, rd: r, rs1: r, rs2: 0, imm: imm as u32 })
}

/// Returns the load of a register from an offset.
pub(super) const fn load(op: u8, rd: u8, base: u8, offset: i32) -> Line {
    Line::Op(Instruction { op, rd, rs1: base, rs2: 0, imm: offset as u32 })
}

/// Returns the store of a register at an offset.
pub(super) const fn store(op: u8, base: u8, offset: i32, r: u8) -> Line {
    Line::Op(Instruction { op, rd: 0, rs1: base, rs2: r, imm: offset as u32 })
}

/// Returns an instruction without operands.
pub(super) const fn bare(op: u8) -> Line {
    registers(op, 0, 0)
}

/// Returns the instructions that put a number into a register.
pub(super) const fn constant(r: u8, value: u32) -> Line {
    immediate(op::MOV_I32, r, value as i32)
}

impl Line {
    fn length(&self) -> u32 {
        match self {
            Line::Op(x) => length(*x),
            Line::Jump(op, _) => longest(*op),
            Line::Call(_) => longest(op::CALL_NEAR),
            Line::Address(..) => longest(op::LEA_RIP),
            Line::Label(_) => 0,
            Line::Bytes(bytes) => bytes.len() as u32,
        }
    }
}

/// Returns the bytes of a function that begins at byte `at` of the prelude.
pub(super) fn assemble(at: u32, lines: impl IntoIterator<Item = Line>) -> Vec<u8> {
    let lines: Vec<Line> = lines.into_iter().collect();
    let mut labels = [0; 256];
    let mut end = 0;
    for line in &lines {
        end += line.length();
        if let Line::Label(label) = line {
            labels[usize::from(*label)] = end;
        }
    }
    let mut bytes = Vec::new();
    let plain = |op, rd, imm| Instruction { op, rd, rs1: 0, rs2: 0, imm };
    for line in lines {
        let end = bytes.len() as u32 + line.length();
        let distance = |label: u8| labels[usize::from(label)].wrapping_sub(end);
        let x = match line {
            Line::Op(x) => x,
            Line::Jump(op, label) => {
                let is_short = FORMS[usize::from(op)] == Form::JUMP8;
                debug_assert!(!is_short || i8::try_from(distance(label) as i32).is_ok());
                plain(op, 0, distance(label))
            }
            Line::Call(function) => plain(op::CALL_NEAR, 0, function.wrapping_sub(at + end)),
            Line::Address(r, label) => plain(op::LEA_RIP, r, distance(label)),
            Line::Label(_) => continue,
            Line::Bytes(data) => {
                bytes.extend_from_slice(data);
                continue;
            }
        };
        encode(x, &mut bytes);
    }
    bytes
}
