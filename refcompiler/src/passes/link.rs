//! Jump linking: the number of words of each instruction (Pareas, sections 3.6 and 3.7).
//!
//! ```text
//!            near             far                     farther
//! branch     beq x, L         bne x, +8; jal L        bne x, +12; auipc t1; jalr t1
//! jump       jal L            auipc t1; jalr t1
//! call       jal ra, L        auipc ra; jalr ra
//! ```
//!
//! A branch reaches 4 KiB, a jump 1 MiB, the pair reaches everything. A jump to the next instruction takes no word.
//! Lengths begin at their minimum and grow until every instruction reaches its target. Growth moves other instructions
//! apart, so this repeats until nothing grows, in practice once or twice. The room for the prelude belongs to
//! instruction 0, so that positions count from the start of the program.
//!
//! Cost: work O(m) per round, one scan and one reduce of 13 bytes per instruction, one more map if something grew.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::instruction::{CALL_EXTERN, CALL_STUB, Instruction, Layout, distance};
use crate::target::riscv::isa::{BEQ, JAL};
use crate::target::riscv::registers::ZERO;

/// How many words a branch reaches forward. It reaches one more backward.
const BRANCH_REACH: i32 = 1023;

/// How many words a jump reaches forward. It reaches one more backward.
const JUMP_REACH: i32 = 262_143;

#[device(map)]
fn minimum(i: usize, instructions: &[Instruction]) -> u8 {
    let instruction = instructions[i];
    if instruction.op == CALL_EXTERN {
        2
    } else if instruction.op == JAL && instruction.rd == ZERO && instruction.imm == i as u32 + 1 {
        0
    } else {
        1
    }
}

/// Returns whether `distance` words are at most `reach` forward or one more backward.
#[device]
fn is_within(distance: i32, reach: i32) -> bool {
    distance <= reach && distance >= -reach - 1
}

/// Returns the number of words that instruction `i` needs to reach its target.
#[device]
fn needed(i: usize, instructions: &[Instruction], lengths: &[u8], positions: &[u32], prelude: u32) -> u8 {
    let instruction = instructions[i];
    let is_branch = instruction.op == BEQ;
    if (!is_branch && instruction.op != JAL && instruction.op != CALL_STUB) || lengths[i] == 0 {
        return lengths[i];
    }
    let distance = distance(i, instruction, positions, prelude) as i32;
    let mut length = 1u8;
    if is_branch {
        if !is_within(distance, BRANCH_REACH) {
            // The jump of the longer form is one word further on.
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
fn length(i: usize, lengths: &[u8], prelude: u32) -> u32 {
    lengths[i] as u32 + if i == 0 { prelude } else { 0 }
}

/// Finds the length of each instruction. `prelude` is the number of words before the first.
pub fn link<B: Backend>(backend: &B, instructions: &B::Vec<Instruction>, prelude: u32) -> Result<Layout<B>> {
    let m = instructions.len();
    let mut lengths = backend.map(minimum::of(instructions))?;
    loop {
        let (positions, words) = backend.scan(ScanKind::Exclusive, length::of(&lengths, prelude), Sum)?;
        if backend.reduce(growth::of(instructions, &lengths, &positions, prelude), Sum)? == 0 {
            return Ok(Layout { lengths, positions, words: words.max(prelude) });
        }
        lengths = backend.map(grown::of(instructions, &lengths, &positions, prelude).rows(m))?;
    }
}
