//! Instructions to machine words.
//!
//! ```text
//!      31       25 24   20 19   15 14    12 11         7 6       0
//! R    funct7      rs2     rs1     funct3   rd           opcode
//! I    imm[11:0]           rs1     funct3   rd           opcode
//! S    imm[11:5]   rs2     rs1     funct3   imm[4:0]     opcode
//! B    imm[12|10:5] rs2    rs1     funct3   imm[4:1|11]  opcode
//! U    imm[31:12]                           rd           opcode
//! J    imm[20|10:1|11|19:12]                rd           opcode
//! ```

use treepar::device::device;

/// Registers only; where rs2 is no register, `SECOND` holds its field.
pub const R: u8 = 0;
/// Immediate of 12 bits.
pub const I: u8 = 1;
/// Shift by an immediate: I with funct7.
pub const SHIFT: u8 = 2;
/// Store.
pub const S: u8 = 3;
/// Branch.
pub const B: u8 = 4;
/// Upper immediate.
pub const U: u8 = 5;
/// Jump.
pub const J: u8 = 6;
/// A whole word: its immediate is fixed.
pub const SYSTEM: u8 = 7;

/// The format of each operation.
pub const FORMAT: [u8; 51] = [
    U, U, // lui auipc
    I, I, I, I, I, I, // addi slti sltiu xori ori andi
    SHIFT, SHIFT, SHIFT, // slli srli srai
    R, R, R, R, R, R, R, R, R, R, // add sub sll slt sltu xor srl sra or and
    R, R, R, // mul div rem
    I, S, I, S, I, S, // lw sw lbu sb flw fsw
    R, R, R, R, R, R, // fadd fsub fmul fdiv fsgnj fsgnjn
    R, R, R, // feq flt fle
    R, R, R, R, // fcvt.w.s fcvt.s.w fmv.x.w fmv.w.x
    B, B, B, B, // beq bne blt bge
    J, I, // jal jalr
    SYSTEM, SYSTEM, // ecall ebreak
];

/// The opcode of each operation.
pub const OPCODE: [u8; 51] = [
    0x37, 0x17, //
    0x13, 0x13, 0x13, 0x13, 0x13, 0x13, //
    0x13, 0x13, 0x13, //
    0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, //
    0x33, 0x33, 0x33, //
    0x03, 0x23, 0x03, 0x23, 0x07, 0x27, //
    0x53, 0x53, 0x53, 0x53, 0x53, 0x53, //
    0x53, 0x53, 0x53, //
    0x53, 0x53, 0x53, 0x53, //
    0x63, 0x63, 0x63, 0x63, //
    0x6f, 0x67, //
    0x73, 0x73, //
];

/// The field funct3 of each operation; of float arithmetic the rounding mode, dynamic (7) or toward zero (1).
pub const FUNCT3: [u8; 51] = [
    0, 0, //
    0, 2, 3, 4, 6, 7, //
    1, 5, 5, //
    0, 0, 1, 2, 3, 4, 5, 5, 6, 7, //
    0, 4, 6, //
    2, 2, 4, 0, 2, 2, //
    7, 7, 7, 7, 0, 1, //
    2, 1, 0, //
    1, 7, 0, 0, //
    0, 1, 4, 5, //
    0, 0, //
    0, 0, //
];

/// The field funct7 of each operation of formats R and SHIFT.
pub const FUNCT7: [u8; 51] = [
    0, 0, //
    0, 0, 0, 0, 0, 0, //
    0, 0, 0x20, //
    0, 0x20, 0, 0, 0, 0, 0, 0x20, 0, 0, //
    1, 1, 1, //
    0, 0, 0, 0, 0, 0, //
    0x00, 0x04, 0x08, 0x0c, 0x10, 0x10, //
    0x50, 0x50, 0x50, //
    0x60, 0x68, 0x70, 0x78, //
    0, 0, 0, 0, //
    0, 0, //
    0, 0, //
];

/// The word of one instruction. The immediate of a branch or jump is in bytes; of `lui` and `auipc` its upper 20 bits
/// stand in place.
#[device]
pub fn encode(op: u8, rd: u8, rs1: u8, rs2: u8, imm: u32) -> u32 {
    let d = ((rd & 31) as u32) << 7;
    let a = ((rs1 & 31) as u32) << 15;
    let b = ((rs2 & 31) as u32) << 20;
    let base = OPCODE[op as usize] as u32 | (FUNCT3[op as usize] as u32) << 12;
    let high = (FUNCT7[op as usize] as u32) << 25;
    match FORMAT[op as usize] {
        R => base | d | a | b | high,
        I => base | d | a | imm << 20,
        SHIFT => base | d | a | (imm & 31) << 20 | high,
        S => base | a | b | (imm & 31) << 7 | (imm >> 5 & 127) << 25,
        B => base | a | b | (imm >> 11 & 1) << 7 | (imm >> 1 & 15) << 8 | (imm >> 5 & 63) << 25 | (imm >> 12 & 1) << 31,
        U => base | d | (imm & 0xffff_f000),
        J => base | d | (imm & 0x000f_f000) | (imm >> 11 & 1) << 20 | (imm >> 1 & 1023) << 21 | (imm >> 20 & 1) << 31,
        _ => base | imm << 20,
    }
}
