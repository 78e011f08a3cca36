//! Jump linking: how many words each instruction takes (Pareas, sections 3.6 and 3.7).
//!
//! ```text
//!            near             far                     farther
//! branch     beq x, L         bne x, +8; jal L        bne x, +12; auipc t1; jalr t1
//! jump       jal L            auipc t1; jalr t1
//! call       jal ra, L        auipc ra; jalr ra
//! ```
//!
//! A branch reaches 4 KiB, a jump 1 MiB, the pair anything. A jump to what follows it takes no word. Lengths begin at
//! their least and grow until every instruction reaches its target: growing moves others apart, so that this is
//! repeated until nothing grows, which in practice is once or twice.
//!
//! Cost: work O(m) a round, one scan and one reduce of 13 bytes an instruction, one map more where something grew.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::sequence::{CALL_EXTERN, CALL_STUB, Instruction};
use crate::riscv::op;

/// Words forward that a branch reaches; one more backward.
const BRANCH_REACH: i32 = 1023;

/// Words forward that a jump reaches; one more backward.
const JUMP_REACH: i32 = 262_143;

#[device(map)]
fn least(i: usize, instructions: &[Instruction]) -> u8 {
    let instruction = instructions[i];
    if instruction.op == CALL_EXTERN {
        2
    } else if instruction.op == op::JAL && instruction.rd == 0 && instruction.imm == i as u32 + 1 {
        0
    } else {
        1
    }
}

/// Words from instruction `i` to its target; `prelude` words of the compiler's own stand before the first.
#[device]
pub fn distance(i: usize, instruction: Instruction, positions: &[u32], prelude: u32) -> u32 {
    if instruction.op == CALL_STUB {
        return instruction.imm.wrapping_sub(prelude).wrapping_sub(positions[i]);
    }
    positions[instruction.imm as usize].wrapping_sub(positions[i])
}

/// Whether `distance` words are at most `reach` forward or one more backward.
#[device]
fn is_within(distance: i32, reach: i32) -> bool {
    distance <= reach && distance >= -reach - 1
}

/// Words that instruction `i` needs to reach its target.
#[device]
fn needed(i: usize, instructions: &[Instruction], lengths: &[u8], positions: &[u32], prelude: u32) -> u8 {
    let instruction = instructions[i];
    let is_branch = instruction.op == op::BEQ;
    if (!is_branch && instruction.op != op::JAL && instruction.op != CALL_STUB) || lengths[i] == 0 {
        return lengths[i];
    }
    let distance = distance(i, instruction, positions, prelude) as i32;
    let mut length = 1u8;
    if is_branch {
        if !is_within(distance, BRANCH_REACH) {
            // The jump of the longer form stands one word further on.
            length = if is_within(distance - 1, JUMP_REACH) { 2 } else { 3 };
        }
    } else if !is_within(distance, JUMP_REACH) {
        length = 2;
    }
    length.max(lengths[i])
}

#[device(reduce(Sum))]
fn growth(i: usize, instructions: &[Instruction], lengths: &[u8], positions: &[u32], prelude: u32) -> u32 {
    (needed(i, instructions, lengths, positions, prelude) - lengths[i]) as u32
}

#[device(map)]
fn grown(i: usize, instructions: &[Instruction], lengths: &[u8], positions: &[u32], prelude: u32) -> u8 {
    needed(i, instructions, lengths, positions, prelude)
}

#[device(scan(Sum))]
fn length(i: usize, lengths: &[u8]) -> u32 {
    lengths[i] as u32
}

/// Where the words of instructions stand.
pub struct Layout<B: Backend> {
    /// Words of each instruction.
    pub lengths: B::Vec<u8>,
    /// First word of each instruction.
    pub positions: B::Vec<u32>,
    /// Words of all.
    pub words: u32,
}

/// Finds the length of each instruction; `prelude` is the number of words before the first.
pub fn link<B: Backend>(backend: &B, instructions: &B::Vec<Instruction>, prelude: u32) -> Result<Layout<B>> {
    let m = instructions.len();
    let mut lengths = backend.map(least::of(instructions))?;
    loop {
        let (positions, words) = backend.scan(ScanKind::Exclusive, length::of(&lengths), Sum)?;
        if backend.reduce(growth::of(instructions, &lengths, &positions, prelude), Sum)? == 0 {
            return Ok(Layout { lengths, positions, words });
        }
        lengths = backend.map(grown::of(instructions, &lengths, &positions, prelude).rows(m))?;
    }
}
