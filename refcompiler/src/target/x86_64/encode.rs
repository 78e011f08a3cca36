//! Instructions to bytes, by the table in [`isa`](super::isa).

use treepar::device::device;

use super::isa::{BASE, COUNT, FIELDS, LENGTH, LIMIT, SLOT, slot};
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

/// Returns the number of bytes of an operation.
#[device]
pub const fn length(op: u8) -> u32 {
    LENGTH[op as usize] as u32
}

/// Returns byte `k` of an instruction. The immediate of a jump is the distance from its end in bytes.
#[device]
pub const fn byte(x: Instruction, k: u32) -> u8 {
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
    out.extend((0..length(x.op)).map(|k| byte(x, k)));
}
