//! Jumps, branches and calls: their lengths in words, and their words.
//!
//! ```text
//!            near             far                     farther
//! branch     beq x, L         bne x, +8; jal L        bne x, +12; auipc t1; jalr t1
//! jump       jal L            auipc t1; jalr t1
//! call       jal ra, L        auipc ra; jalr ra
//! check                       bltu a, b, +8; jal ra, L    bltu a, b, +12; auipc ra; jalr ra
//! ```
//!
//! A branch reaches 4 KiB, a jump 1 MiB, the pair reaches everything. The function that a check calls finds the registers of the
//! values in the branch before the call.

use treepar::device::device;

use super::encode::{encode, lower, upper};
use super::isa::{AUIPC, BEQ, BGE, BLT, BLTU, BNE, JAL, JALR};
use super::registers::{T1, ZERO};
use crate::ir::instruction::{
    CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_RANGE, CHECK_SAME, EXTERN, Instruction, JumpWords, NOTHING, distance,
    is_check,
};

/// The number of words that a branch reaches forward. It reaches one more backward.
const BRANCH_REACH: i32 = 1023;

/// The number of words that a jump reaches forward. It reaches one more backward.
const JUMP_REACH: i32 = 262_143;

/// Returns whether `distance` words are at most `reach` forward or one more backward.
#[device]
fn is_within(distance: u32, reach: i32) -> bool {
    distance as i32 <= reach && distance as i32 >= -reach - 1
}

/// Returns whether an operation is the branch of a row.
#[device]
pub fn is_branch(op: u8) -> bool {
    (op >= BEQ) & (op <= BGE)
}

/// Returns the branch that is taken if another is not.
#[device]
pub const fn opposite(branch: u8) -> u8 {
    ((branch - BEQ) ^ 1) + BEQ
}

const _: () = assert!(opposite(BEQ) == BNE && opposite(BGE) == BLT);

/// Returns whether an instruction calls a function of another object, whose distance is unknown.
#[device]
fn is_external(x: Instruction, entry: &[u32]) -> bool {
    x.op == CALL && entry[x.imm as usize] == EXTERN
}

/// Returns the number of words of an instruction that begins at word `at`: as many as it needs to reach its target. The
/// other parameters are the parameters of [`distance()`].
#[device]
pub fn words_needed(at: u32, instruction: Instruction, positions: &[u32], entry: &[u32], first: u32) -> u32 {
    match instruction.op {
        NOTHING => 0,
        BEQ | BNE | BLT | BGE => {
            let distance = distance(at, instruction, positions, entry, first);
            if is_within(distance, BRANCH_REACH) {
                1
            } else if is_within(distance.wrapping_sub(1), JUMP_REACH) {
                // The jump of the longer form is one word further on.
                2
            } else {
                3
            }
        }
        JAL | CALL => {
            let distance = distance(at, instruction, positions, entry, first);
            if is_within(distance, JUMP_REACH) && !is_external(instruction, entry) { 1 } else { 2 }
        }
        CHECK_BELOW | CHECK_AT_LEAST | CHECK_SAME | CHECK_RANGE => {
            let distance = distance(at, instruction, positions, entry, first);
            // The call is one word further on.
            if is_within(distance.wrapping_sub(1), JUMP_REACH) { 2 } else { 3 }
        }
        _ => 1,
    }
}

/// Returns word `k` of a jump to anywhere that leaves the return address in `rd`. Its first word is `bytes` before the
/// target.
#[device]
fn far_jump(rd: u8, bytes: u32, k: u32) -> u32 {
    let through = if rd == ZERO { T1 } else { rd };
    if k == 0 { encode(AUIPC, through, 0, 0, upper(bytes)) } else { encode(JALR, rd, through, 0, lower(bytes)) }
}

/// Returns word `k` of a branch that takes `words` words.
#[device]
fn branch(b: Instruction, words: u32, bytes: u32, k: u32) -> u32 {
    if words == 1 {
        encode(b.op, 0, b.rs1, b.rs2, bytes)
    } else if k == 0 {
        encode(opposite(b.op), 0, b.rs1, b.rs2, words * 4)
    } else if words == 2 {
        encode(JAL, ZERO, 0, 0, bytes.wrapping_sub(4))
    } else {
        far_jump(ZERO, bytes.wrapping_sub(4), k - 1)
    }
}

/// Returns word `k` of a check of `words` words.
#[device]
fn check(x: Instruction, words: u32, bytes: u32, k: u32) -> u32 {
    if k == 0 {
        let holds = match x.op {
            CHECK_BELOW => BLTU,
            CHECK_AT_LEAST => BGE,
            _ => BEQ,
        };
        return encode(holds, 0, x.rs1, x.rs2, words * 4);
    }
    let bytes = bytes.wrapping_sub(4);
    if words == 2 { encode(JAL, x.rd, 0, 0, bytes) } else { far_jump(x.rd, bytes, k - 1) }
}

/// Returns word `k` of a jump, branch, call or check of `words` words whose first word is `bytes` before the target.
#[device]
fn word(x: Instruction, words: u32, bytes: u32, k: u32) -> u32 {
    if is_branch(x.op) {
        branch(x, words, bytes, k)
    } else if is_check(x.op) {
        check(x, words, bytes, k)
    } else if words == 1 {
        encode(JAL, x.rd, 0, 0, bytes)
    } else {
        far_jump(x.rd, bytes, k)
    }
}

/// Returns the words of an instruction that begins at word `at`; no words if it is [`NOTHING`].
#[device]
pub fn jump_words(x: Instruction, at: u32, positions: &[u32], entry: &[u32], first: u32) -> JumpWords {
    let count = words_needed(at, x, positions, entry, first);
    let mut words = JumpWords { count, first: 0, second: 0, third: 0 };
    if count == 0 {
        return words;
    }
    let bytes = if is_external(x, entry) { 0 } else { distance(at, x, positions, entry, first).wrapping_mul(4) };
    words.first = word(x, count, bytes, 0);
    if count > 1 {
        words.second = word(x, count, bytes, 1);
        words.third = word(x, count, bytes, 2);
    }
    words
}

/// Returns word `k` of a jump.
#[device]
pub fn jump_word(words: JumpWords, k: u32) -> u32 {
    match k {
        0 => words.first,
        1 => words.second,
        _ => words.third,
    }
}
