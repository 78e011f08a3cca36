//! Encoding: instructions to machine words (Pareas, sections 3.8 and 4.9).
//!
//! Cost: work O(m), one expansion of 17 bytes an instruction.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::link::{Layout, distance};
use super::sequence::{CALL_EXTERN, CALL_STUB, Instruction, lower, upper};
use crate::riscv::encode::encode as encode_word;
use crate::riscv::{op, register};

/// Word `k` of a jump to anywhere, that leaves the return address in `rd`, its first word `bytes` from the target.
#[device]
fn far_jump(rd: u8, bytes: u32, k: u32) -> u32 {
    let through = if rd == register::ZERO { register::T1 } else { rd };
    if k == 0 {
        encode_word(op::AUIPC, through, 0, 0, upper(bytes))
    } else {
        encode_word(op::JALR, rd, through, 0, lower(bytes))
    }
}

/// Word `k` of a branch that needs `length` words.
#[device]
fn branch(b: Instruction, length: u8, bytes: u32, k: u32) -> u32 {
    if length == 1 {
        encode_word(b.op, 0, b.rs1, b.rs2, bytes)
    } else if k == 0 {
        encode_word(op::BNE, 0, b.rs1, b.rs2, length as u32 * 4)
    } else if length == 2 {
        encode_word(op::JAL, register::ZERO, 0, 0, bytes.wrapping_sub(4))
    } else {
        far_jump(register::ZERO, bytes.wrapping_sub(4), k - 1)
    }
}

/// Word `k` of instruction `i`.
#[device(expand)]
fn word(i: usize, k: usize, instructions: &[Instruction], lengths: &[u8], positions: &[u32], prelude: u32) -> u32 {
    let instruction = instructions[i];
    match instruction.op {
        CALL_EXTERN => far_jump(register::RA, 0, k as u32),
        op::BEQ => {
            let bytes = distance(i, instruction, positions, prelude).wrapping_mul(4);
            branch(instruction, lengths[i], bytes, k as u32)
        }
        op::JAL | CALL_STUB => {
            let bytes = distance(i, instruction, positions, prelude).wrapping_mul(4);
            if lengths[i] == 1 {
                encode_word(op::JAL, instruction.rd, 0, 0, bytes)
            } else {
                far_jump(instruction.rd, bytes, k as u32)
            }
        }
        other => encode_word(other, instruction.rd, instruction.rs1, instruction.rs2, instruction.imm),
    }
}

/// Writes the words of all instructions.
pub fn encode<B: Backend>(
    backend: &B,
    instructions: &B::Vec<Instruction>,
    layout: &Layout<B>,
    prelude: u32,
) -> Result<B::Vec<u32>> {
    debug_assert_eq!(instructions.len(), layout.lengths.len());
    backend.expand(
        &layout.positions,
        layout.words as usize,
        word::of(instructions, &layout.lengths, &layout.positions, prelude),
    )
}
