//! Encoding: instructions to machine words (Pareas, sections 3.8 and 4.9).
//!
//! ```text
//! instruction   addi t3    beq t3, 7 (far)    lw t4
//! position      0          1                  3
//! word          addi       bne +8    jal      lw
//! ```
//!
//! Cost: work O(m), one expansion of 17 bytes per instruction.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::instruction::{CALL_EXTERN, CALL_STUB, Instruction, Layout, Words, distance};
use crate::target::riscv::encode::{encode as encode_word, lower, upper};
use crate::target::riscv::isa::{AUIPC, BEQ, BNE, JAL, JALR};
use crate::target::riscv::registers::{RA, T1, ZERO};

/// Returns word `k` of a jump to anywhere that leaves the return address in `rd`. Its first word is `bytes` before the
/// target.
#[device]
fn far_jump(rd: u8, bytes: u32, k: u32) -> u32 {
    let through = if rd == ZERO { T1 } else { rd };
    if k == 0 {
        encode_word(AUIPC, through, 0, 0, upper(bytes))
    } else {
        encode_word(JALR, rd, through, 0, lower(bytes))
    }
}

/// Returns word `k` of a branch that takes `length` words.
#[device]
fn branch(b: Instruction, length: u8, bytes: u32, k: u32) -> u32 {
    if length == 1 {
        encode_word(b.op, 0, b.rs1, b.rs2, bytes)
    } else if k == 0 {
        encode_word(BNE, 0, b.rs1, b.rs2, length as u32 * 4)
    } else if length == 2 {
        encode_word(JAL, ZERO, 0, 0, bytes.wrapping_sub(4))
    } else {
        far_jump(ZERO, bytes.wrapping_sub(4), k - 1)
    }
}

/// Returns word `k` of instruction `i`. The first words of instruction 0 are room for the prelude.
#[device(expand)]
fn word(i: usize, k: usize, instructions: &[Instruction], lengths: &[u8], positions: &[u32], prelude: u32) -> u32 {
    let instruction = instructions[i];
    let mut k = k as u32;
    if i == 0 {
        if k < prelude {
            return 0;
        }
        k -= prelude;
    }
    match instruction.op {
        CALL_EXTERN => far_jump(RA, 0, k),
        BEQ => {
            let bytes = distance(i, instruction, positions, prelude).wrapping_mul(4);
            branch(instruction, lengths[i], bytes, k)
        }
        JAL | CALL_STUB => {
            let bytes = distance(i, instruction, positions, prelude).wrapping_mul(4);
            if lengths[i] == 1 {
                encode_word(JAL, instruction.rd, 0, 0, bytes)
            } else {
                far_jump(instruction.rd, bytes, k)
            }
        }
        other => encode_word(other, instruction.rd, instruction.rs1, instruction.rs2, instruction.imm),
    }
}

/// Writes the words of all instructions, after room for the prelude.
pub fn encode<B: Backend>(
    backend: &B,
    instructions: &B::Vec<Instruction>,
    layout: &Layout<B>,
    prelude: u32,
) -> Result<Words<B>> {
    if instructions.is_empty() {
        return Ok(Words { words: backend.filled(prelude as usize, 0)? });
    }
    let Layout { lengths, positions, words } = layout;
    let words = backend.expand(positions, *words as usize, word::of(instructions, lengths, positions, prelude))?;
    Ok(Words { words })
}
