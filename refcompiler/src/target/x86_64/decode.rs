//! Bytes to instructions: the inverse of [`encode`](super::encode), by the same table.

use super::encode::omits_rex;
use super::isa::{BASE, COUNT, FIELDS, FORMS, Form, LENGTH, LIMIT, OPERANDS, REX, REX_AT, SLOT, slot};
use super::vectors;
use crate::ir::instruction::Instruction;

/// Returns the bits of a byte that must equal [`BASE`], given 255 for each field that a register fills.
fn fixed_bits(content: u8, reg: u8, rm: u8, index: u8) -> u8 {
    let low = [reg & (7 << 3), index & (7 << 3), rm & 7];
    !match content {
        slot::REX => (reg & 4) | (index & 2) | (rm & 1),
        slot::RM => low[2],
        slot::REG => low[0],
        slot::BOTH => low[0] | low[2],
        slot::SIB => low[1] | low[2],
        slot::FIXED => 0,
        // The table of vector instructions has the bits of these bytes.
        _ => u8::MAX,
    }
}

/// Returns the instruction at the start of some bytes and its length, or `None` if the compiler never writes those bytes.
pub fn decode(bytes: &[u8]) -> Option<(Instruction, usize)> {
    (0..COUNT).find_map(|op| decode_as(op, bytes))
}

/// Returns the instruction at the start of some bytes if its operation is `op`, and its length. A REX prefix is there exactly if a register
/// needs it.
fn decode_as(op: u8, bytes: &[u8]) -> Option<(Instruction, usize)> {
    let o = usize::from(op);
    let all = usize::from(LENGTH[o]);
    if let Some(x) = bytes.get(..all).and_then(|bytes| decode_with_rex(op, bytes)).filter(|&x| !omits_rex(x)) {
        return Some((x, all));
    }
    let rex = usize::from(REX_AT[o]);
    let rest = bytes.get(..all - 1).filter(|_| rex < LIMIT)?;
    let mut with_rex = [REX; LIMIT];
    with_rex[..rex].copy_from_slice(&rest[..rex]);
    with_rex[rex + 1..all].copy_from_slice(&rest[rex..]);
    let x = decode_with_rex(op, &with_rex[..all]).filter(|&x| omits_rex(x))?;
    Some((x, all - 1))
}

/// Returns the instruction that has some bytes if its operation is `op`. Operations that can have a REX prefix have it.
fn decode_with_rex(op: u8, bytes: &[u8]) -> Option<Instruction> {
    let o = usize::from(op);
    let used = |field: usize| FIELDS[o][field].iter().any(|&mask| mask != 0) as u8 * u8::MAX;
    let (mut reg, mut rm, mut index, mut source, mut imm) = (0u8, 0u8, 0u8, 0u8, 0u32);
    let mut values = 0;
    for (k, &byte) in bytes.iter().enumerate() {
        let (base, content) = (BASE[o * LIMIT + k], SLOT[o * LIMIT + k]);
        if (byte ^ base) & fixed_bits(content, used(0), used(1), used(2)) != 0 {
            return None;
        }
        let filled = byte ^ base;
        match content {
            slot::REX => (reg, index, rm) = (filled >> 2 << 3 & 8, filled >> 1 << 3 & 8, filled << 3 & 8),
            slot::RM => rm |= filled & 7,
            slot::REG => reg |= filled >> 3 & 7,
            slot::BOTH => (reg, rm) = (reg | filled >> 3 & 7, rm | filled & 7),
            slot::SIB => (index, rm) = (index | filled >> 3 & 7, rm | filled & 7),
            slot::FIXED => {}
            slot::VEX_HIGH => {
                (reg, index, rm) = (!byte >> 7 << 3, (!byte >> 6 & 1) << 3, (!byte >> 5 & 1) << 3);
                imm |= u32::from(byte | 0xe0) << 16;
            }
            slot::VEX_SOURCE => {
                source = !byte >> 3 & 15;
                imm |= u32::from(byte | 0x78) << 8;
            }
            _ => {
                imm |= u32::from(byte) << (8 * u32::from(content - slot::VALUE));
                values += 1;
            }
        }
    }
    let mut text = OPERANDS[o];
    if FORMS[o].is_vector() {
        // Registers that no operand names are 0.
        let unused = (reg & !used(0)) | (rm & !used(1)) | (index & !used(2)) | (source & !used(3));
        let (_, operands) = vectors::named(op, imm, reg)?;
        let is_free = |name: &str, number: u8| operands.contains(name) || number == 0;
        // Only one mask is in use.
        let is_other_mask = operands.contains("ks2") && rm != vectors::MASK;
        if unused != 0 || !is_free("s1", source) || is_other_mask {
            return None;
        }
        text = operands;
    } else if values == 1 {
        imm = imm as u8 as i8 as u32;
    }
    // These bits of a base announce a SIB byte.
    let is_near = matches!(FORMS[o], Form::LOAD8 | Form::LOAD32 | Form::STORE8 | Form::STORE32);
    if is_near && rm & 7 == 4 {
        return None;
    }
    let register = |k: usize, name: &str| {
        let [in_reg, in_rm, in_index, in_source] = FIELDS[o].map(|masks| masks[k]);
        let number = in_reg & reg | in_rm & rm | in_index & index | in_source & source;
        let is_float = ["f", "x", "y", "h"].iter().any(|class| text.contains(&format!("{class}{name}")));
        if is_float { number + 32 } else { number }
    };
    let (rd, rs1, rs2) = (register(0, "d"), register(1, "s1"), register(2, "s2"));
    Some(Instruction { op, rd, rs1, rs2, imm })
}
