//! Instructions to machine words, by the table in [`isa`](super::isa).

use treepar::device::device;

use super::isa::{BASE, COUNT, FIELDS, FORMAT, Format};

const RD: [u32; COUNT as usize] = FIELDS[0];
const RS1: [u32; COUNT as usize] = FIELDS[1];
const RS2: [u32; COUNT as usize] = FIELDS[2];
const HIGH: [u32; COUNT as usize] = FIELDS[3];
const UPPER: [u32; COUNT as usize] = FIELDS[4];
const SPLIT: [u32; COUNT as usize] = FIELDS[5];
const B: u8 = Format::B as u8;
const J: u8 = Format::J as u8;

/// Returns the word of one instruction. The immediate of a branch or jump is in bytes; the immediate of `lui` and
/// `auipc` has its upper 20 bits in place. Only branches and jumps need a decision: all other fields are masked.
#[device]
pub const fn encode(op: u8, rd: u8, rs1: u8, rs2: u8, imm: u32) -> u32 {
    let o = op as usize;
    let registers = (rd as u32) << 7 & RD[o] | (rs1 as u32) << 15 & RS1[o] | (rs2 as u32) << 20 & RS2[o];
    let split = (imm << 7 & 0xf80 | imm >> 5 << 25) & SPLIT[o];
    let word = BASE[o] | registers | imm << 20 & HIGH[o] | imm & UPPER[o] | split;
    match FORMAT[o] {
        B => word | (imm >> 11 & 1) << 7 | (imm >> 1 & 15) << 8 | (imm >> 5 & 63) << 25 | (imm >> 12 & 1) << 31,
        J => word | (imm & 0x000f_f000) | (imm >> 11 & 1) << 20 | (imm >> 1 & 1023) << 21 | (imm >> 20 & 1) << 31,
        _ => word,
    }
}

/// Returns whether `value` fits the 12 bits of an immediate.
#[device]
pub fn is_near(value: u32) -> bool {
    value.wrapping_add(2048) < 4096
}

/// Returns the part of `value` for `lui` and `auipc`. The rest fits an immediate.
#[device]
pub fn upper(value: u32) -> u32 {
    value.wrapping_add(0x800) & 0xffff_f000
}

/// Returns the part of `value` that [`upper()`] leaves, sign-extended.
#[device]
pub fn lower(value: u32) -> u32 {
    value.wrapping_sub(upper(value))
}
