//! Instructions to bytes, by the table in [`isa`](super::isa).

use treepar::device::device;

use super::isa::{BASE, COUNT, FIELDS, FORMS, LENGTH, LIMIT, NEEDS_REX, REX_AT, SLOT, slot};
use crate::ir::instruction::Instruction;
use crate::ir::text::repeated;

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

/// The first eight bytes of each operation, without registers and immediate.
const WORD: [u64; N] = {
    let mut words = [0; N];
    let mut k = 0;
    while k < N * LIMIT {
        if k % LIMIT < size_of::<u64>() {
            words[k / LIMIT] |= (BASE[k] as u64) << (8 * (k % LIMIT));
        }
        k += 1;
    }
    words
};
/// The bits of the immediate that are bytes of an operation which is not a vector's.
const VALUE_MASK: [u32; N] = {
    let mut masks = [0; N];
    let mut k = 0;
    while k < N * LIMIT {
        if SLOT[k] >= VALUE {
            masks[k / LIMIT] |= 0xff << (8 * (SLOT[k] - VALUE));
        }
        k += 1;
    }
    masks
};
const VALUE_AT: [u8; N] = bit_of(&[VALUE], 0);
const REG_AT: [u8; N] = bit_of(&[LOW_REG, LOW_BOTH], 3);
const RM_AT: [u8; N] = bit_of(&[LOW_RM, LOW_BOTH, LOW_SIB], 0);
const INDEX_AT: [u8; N] = bit_of(&[LOW_SIB], 3);
const PREFIX_MASK: [u64; N] = mask_of(PREFIX);
const OPCODE_MASK: [u64; N] = mask_of(VALUE);
const SECOND_MASK: [u64; N] = mask_of(VALUE + 1);
const SOURCE_MASK: [u64; N] = mask_of(SOURCE);
const HIGH_MASK: [u64; N] = mask_of(HIGH);
const NUMBER_MASK: [u64; N] = mask_of(VALUE + 3);
const IS_VECTOR: [bool; N] = {
    let mut vectors = [false; N];
    let mut op = 0;
    while op < N {
        vectors[op] = FORMS[op].is_vector();
        op += 1;
    }
    vectors
};

/// Returns bit `bit` of the byte that has one of some contents, counted from the first bit of an operation; 0 if no byte has it.
const fn bit_of(contents: &[u8], bit: u8) -> [u8; N] {
    let mut bits = [0; N];
    let mut k = 0;
    while k < N * LIMIT * contents.len() {
        let at = k / contents.len();
        if SLOT[at] == contents[k % contents.len()] {
            bits[at / LIMIT] = 8 * (at % LIMIT) as u8 + bit;
        }
        k += 1;
    }
    bits
}

/// Returns the bits of the byte among the first eight of an operation that has a content.
const fn mask_of(content: u8) -> [u64; N] {
    let mut masks = [0; N];
    let mut k = 0;
    while k < N * LIMIT {
        if k % LIMIT < size_of::<u64>() && SLOT[k] == content {
            masks[k / LIMIT] = 0xff << (8 * (k % LIMIT));
        }
        k += 1;
    }
    masks
}

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

/// The bytes of an instruction or a short sequence, at most 16.
#[device]
pub struct Bytes {
    /// The first eight bytes.
    pub low: u64,
    /// The others.
    pub high: u64,
    /// The number of bytes.
    pub length: u64,
}

#[device]
impl Bytes {
    /// Returns these bytes and others after them.
    pub const fn and(self, next: Bytes) -> Bytes {
        let length = self.length + next.length;
        if self.length >= 8 {
            return Bytes { low: self.low, high: self.high | next.low << (8 * (self.length - 8)), length };
        }
        let at = 8 * self.length;
        let high = self.high | next.low >> 1 >> (63 - at) | next.high << at;
        Bytes { low: self.low | next.low << at, high, length }
    }
}

/// Returns the bytes of an instruction, as [`byte()`] does one by one. Registers fill in bytes of the first word only, and so does all of a
/// vector instruction.
#[device]
pub const fn bytes(x: Instruction) -> Bytes {
    let o = x.op as usize;
    let reg = x.rd & REG_RD[o] | x.rs1 & REG_RS1[o] | x.rs2 & REG_RS2[o];
    let rm = x.rd & RM_RD[o] | x.rs1 & RM_RS1[o] | x.rs2 & RM_RS2[o];
    let index = x.rs2 & INDEX_RS2[o];
    let upper = reg >> 3 << 2 | index >> 3 << 1 | rm >> 3;
    let mut low = WORD[o] | repeated(upper) & PREFIX_MASK[o];
    low |= ((reg & 7) as u64) << (REG_AT[o] as u32);
    low |= ((rm & 7) as u64) << (RM_AT[o] as u32) | ((index & 7) as u64) << (INDEX_AT[o] as u32);
    let mut high = 0;
    if IS_VECTOR[o] {
        let source = (x.rs1 & SOURCE_RS1[o]) << 3;
        let inverted = reg >> 3 << 7 | index >> 3 << 6 | rm >> 3 << 5;
        low |= repeated(x.imm as u8) & OPCODE_MASK[o] | repeated((x.imm >> 8) as u8) & SECOND_MASK[o];
        low |= repeated((x.imm >> 8) as u8 ^ source) & SOURCE_MASK[o];
        low |= repeated((x.imm >> 16) as u8 ^ inverted) & HIGH_MASK[o] | repeated((x.imm >> 24) as u8) & NUMBER_MASK[o];
    } else {
        let value = (x.imm & VALUE_MASK[o]) as u64;
        let at = VALUE_AT[o] as u32;
        low |= value << at;
        high = value >> 1 >> (63 - at);
    }
    if omits_rex(x) {
        let before = (1u64 << (8 * REX_AT[o] as u32)) - 1;
        low = low & before | (low >> 8 | high << 56) & !before;
        high >>= 8;
    }
    Bytes { low, high, length: length(x) as u64 }
}

/// Writes the bytes of an instruction.
pub fn encode(x: Instruction, out: &mut Vec<u8>) {
    let Bytes { low, high, length } = bytes(x);
    out.extend([low, high].into_iter().flat_map(u64::to_le_bytes).take(length as usize));
}
