//! Instructions to machine words, by the table in [`isa`](super::isa).

use treepar::device::device;

use super::isa::{BASE, FORMAT, Format};

const R: u8 = Format::R as u8;
const I: u8 = Format::I as u8;
const SHIFT: u8 = Format::SHIFT as u8;
const S: u8 = Format::S as u8;
const B: u8 = Format::B as u8;
const U: u8 = Format::U as u8;
const J: u8 = Format::J as u8;

/// Returns the word of one instruction. The immediate of a branch or jump is in bytes; the immediate of `lui` and
/// `auipc` has its upper 20 bits in place.
#[device]
pub fn encode(op: u8, rd: u8, rs1: u8, rs2: u8, imm: u32) -> u32 {
    let d = ((rd & 31) as u32) << 7;
    let a = ((rs1 & 31) as u32) << 15;
    let b = ((rs2 & 31) as u32) << 20;
    let base = BASE[op as usize];
    match FORMAT[op as usize] {
        R => base | d | a | b,
        I => base | d | a | imm << 20,
        SHIFT => base | d | a | (imm & 31) << 20,
        S => base | a | b | (imm & 31) << 7 | (imm >> 5 & 127) << 25,
        B => base | a | b | (imm >> 11 & 1) << 7 | (imm >> 1 & 15) << 8 | (imm >> 5 & 63) << 25 | (imm >> 12 & 1) << 31,
        U => base | d | (imm & 0xffff_f000),
        J => base | d | (imm & 0x000f_f000) | (imm >> 11 & 1) << 20 | (imm >> 1 & 1023) << 21 | (imm >> 20 & 1) << 31,
        _ => base,
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
