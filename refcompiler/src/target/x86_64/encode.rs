//! Instructions to bytes, by the table in [`isa`](super::isa).

use treepar::device::device;

use super::isa::{BASE, COUNT, FIELDS, LENGTH, LIMIT, NEEDS_REX, REX_AT, SLOT, slot};
use crate::ir::instruction::Instruction;

const N: usize = COUNT as usize;
const REG: [[u8; N]; 3] = field(0);
const RM: [[u8; N]; 3] = field(1);
const REG_RD: [u8; N] = REG[0];
const REG_RS1: [u8; N] = REG[1];
const REG_RS2: [u8; N] = REG[2];
const RM_RD: [u8; N] = RM[0];
const RM_RS1: [u8; N] = RM[1];
const RM_RS2: [u8; N] = RM[2];
const INDEX_RS2: [u8; N] = field(2)[2];
const SOURCE_RS1: [u8; N] = field(3)[1];
const NEEDS_RD: [u8; N] = needs(0);
const NEEDS_RS1: [u8; N] = needs(1);
const NEEDS_RS2: [u8; N] = needs(2);
const PREFIX: u8 = slot::REX;
const HIGH: u8 = slot::VEX_HIGH;
const SOURCE: u8 = slot::VEX_SOURCE;
const LOW_RM: u8 = slot::RM;
const LOW_REG: u8 = slot::REG;
const LOW_BOTH: u8 = slot::BOTH;
const LOW_SIB: u8 = slot::SIB;
const VALUE: u8 = slot::VALUE;
const ROW: u32 = LIMIT as u32;

/// Returns the masks of rd, rs1 and rs2 for a field.
const fn field(field: usize) -> [[u8; N]; 3] {
    let mut masks = [[0; N]; 3];
    let mut k = 0;
    while k < 3 * N {
        masks[k % 3][k / 3] = FIELDS[k / 3][field][k % 3];
        k += 1;
    }
    masks
}

/// Returns the bits of a register that make a REX prefix necessary.
const fn needs(register: usize) -> [u8; N] {
    let mut bits = [0; N];
    let mut op = 0;
    while op < N {
        bits[op] = NEEDS_REX[op][register];
        op += 1;
    }
    bits
}

/// Returns the number of bytes of an operation, with a REX prefix if it can have one.
#[device]
pub const fn longest(op: u8) -> u32 {
    LENGTH[op as usize] as u32
}

/// Returns whether an instruction has no REX prefix, which its operation has with other registers.
#[device]
pub const fn omits_rex(x: Instruction) -> bool {
    let o = x.op as usize;
    let needs = x.rd & NEEDS_RD[o] | x.rs1 & NEEDS_RS1[o] | x.rs2 & NEEDS_RS2[o];
    (REX_AT[o] < ROW as u8) & (needs == 0)
}

/// Returns the number of bytes of an instruction.
#[device]
pub const fn length(x: Instruction) -> u32 {
    longest(x.op) - omits_rex(x) as u32
}

/// Returns byte `k` of an instruction. The immediate of a jump is the distance from its end in bytes.
#[device]
pub const fn byte(x: Instruction, k: u32) -> u8 {
    let skips = omits_rex(x) & (k >= REX_AT[x.op as usize] as u32);
    byte_with_rex(x, k + skips as u32)
}

/// Returns byte `k` of an instruction with a REX prefix if its operation can have one.
#[device]
pub const fn byte_with_rex(x: Instruction, k: u32) -> u8 {
    let o = x.op as usize;
    let at = (x.op as u32 * ROW + k) as usize;
    let reg = x.rd & REG_RD[o] | x.rs1 & REG_RS1[o] | x.rs2 & REG_RS2[o];
    let rm = x.rd & RM_RD[o] | x.rs1 & RM_RS1[o] | x.rs2 & RM_RS2[o];
    let index = x.rs2 & INDEX_RS2[o];
    let content = SLOT[at];
    let filled = match content {
        PREFIX => reg >> 3 << 2 | index >> 3 << 1 | rm >> 3,
        LOW_RM => rm & 7,
        LOW_REG => (reg & 7) << 3,
        LOW_BOTH => (reg & 7) << 3 | rm & 7,
        LOW_SIB => (index & 7) << 3 | rm & 7,
        HIGH => (x.imm >> 16) as u8 ^ (reg >> 3 << 7 | index >> 3 << 6 | rm >> 3 << 5),
        SOURCE => (x.imm >> 8) as u8 ^ (x.rs1 & SOURCE_RS1[o]) << 3,
        _ => 0,
    };
    if content >= VALUE { (x.imm >> (8 * (content - VALUE) as u32)) as u8 } else { BASE[at] | filled }
}

/// Writes the bytes of an instruction.
pub fn encode(x: Instruction, out: &mut Vec<u8>) {
    out.extend((0..length(x)).map(|k| byte(x, k)));
}
