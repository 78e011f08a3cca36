//! Operations of RV32IMF that the compiler emits, as small numbers that index tables.
//!
//! An instruction is a row of five columns: `op[m] u8`, `rd[m] u8`, `rs1[m] u8`, `rs2[m] u8`, `imm[m] u32`. Registers
//! 0..32 are `x0..x31`, 32..64 are `f0..f31`; a field that an operation does not have is 0.

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        $($(#[$doc])* pub const $name: u8 = $value;)*
        /// The mnemonic of each operation.
        pub const NAMES: &[&str] = &[$($text),*];
    };
}

operations! {
    /// `rd = imm << 12`: imm holds the upper 20 bits in place.
    LUI = 0, "lui";
    /// `rd = pc + (imm << 12)`: imm as in LUI.
    AUIPC = 1, "auipc";
    /// `rd = rs1 + imm`.
    ADDI = 2, "addi";
    /// Signed `rd = rs1 < imm`.
    SLTI = 3, "slti";
    /// Unsigned `rd = rs1 < imm`.
    SLTIU = 4, "sltiu";
    /// `rd = rs1 ^ imm`.
    XORI = 5, "xori";
    /// `rd = rs1 | imm`.
    ORI = 6, "ori";
    /// `rd = rs1 & imm`.
    ANDI = 7, "andi";
    /// `rd = rs1 << imm`.
    SLLI = 8, "slli";
    /// Logical `rd = rs1 >> imm`.
    SRLI = 9, "srli";
    /// Arithmetic `rd = rs1 >> imm`.
    SRAI = 10, "srai";
    /// `rd = rs1 + rs2`.
    ADD = 11, "add";
    /// `rd = rs1 - rs2`.
    SUB = 12, "sub";
    /// `rd = rs1 << rs2`.
    SLL = 13, "sll";
    /// Signed `rd = rs1 < rs2`.
    SLT = 14, "slt";
    /// Unsigned `rd = rs1 < rs2`.
    SLTU = 15, "sltu";
    /// `rd = rs1 ^ rs2`.
    XOR = 16, "xor";
    /// Logical `rd = rs1 >> rs2`.
    SRL = 17, "srl";
    /// Arithmetic `rd = rs1 >> rs2`.
    SRA = 18, "sra";
    /// `rd = rs1 | rs2`.
    OR = 19, "or";
    /// `rd = rs1 & rs2`.
    AND = 20, "and";
    /// `rd = rs1 * rs2`.
    MUL = 21, "mul";
    /// Signed `rd = rs1 / rs2`.
    DIV = 22, "div";
    /// Signed `rd = rs1 % rs2`.
    REM = 23, "rem";
    /// `rd = memory[rs1 + imm]`.
    LW = 24, "lw";
    /// `memory[rs1 + imm] = rs2`.
    SW = 25, "sw";
    /// `rd = memory[rs1 + imm]`, one byte, zero-extended.
    LBU = 26, "lbu";
    /// `memory[rs1 + imm] = rs2`, one byte.
    SB = 27, "sb";
    /// Float `rd = memory[rs1 + imm]`.
    FLW = 28, "flw";
    /// Float `memory[rs1 + imm] = rs2`.
    FSW = 29, "fsw";
    /// `rd = rs1 + rs2`.
    FADD = 30, "fadd.s";
    /// `rd = rs1 - rs2`.
    FSUB = 31, "fsub.s";
    /// `rd = rs1 * rs2`.
    FMUL = 32, "fmul.s";
    /// `rd = rs1 / rs2`.
    FDIV = 33, "fdiv.s";
    /// rs1 with the sign of rs2; a move where both are one.
    FSGNJ = 34, "fsgnj.s";
    /// rs1 with the sign of rs2 inverted; a negation where both are one.
    FSGNJN = 35, "fsgnjn.s";
    /// Int `rd = rs1 == rs2` of floats.
    FEQ = 36, "feq.s";
    /// Int `rd = rs1 < rs2` of floats.
    FLT = 37, "flt.s";
    /// Int `rd = rs1 <= rs2` of floats.
    FLE = 38, "fle.s";
    /// Int `rd` from float rs1, toward zero, saturating.
    FCVT_W_S = 39, "fcvt.w.s";
    /// Float rd from int rs1.
    FCVT_S_W = 40, "fcvt.s.w";
    /// Int rd with the bits of float rs1.
    FMV_X_W = 41, "fmv.x.w";
    /// Float rd with the bits of int rs1.
    FMV_W_X = 42, "fmv.w.x";
    /// Branch to pc + imm if rs1 == rs2.
    BEQ = 43, "beq";
    /// Branch if rs1 != rs2.
    BNE = 44, "bne";
    /// Branch if rs1 < rs2, signed.
    BLT = 45, "blt";
    /// Branch if rs1 >= rs2, signed.
    BGE = 46, "bge";
    /// `rd = pc + 4`, jump to pc + imm.
    JAL = 47, "jal";
    /// `rd = pc + 4`, jump to rs1 + imm.
    JALR = 48, "jalr";
    /// System call.
    ECALL = 49, "ecall";
    /// Breakpoint; its immediate is 1.
    EBREAK = 50, "ebreak";
}

/// How many machine operations there are; numbers from here on are the compiler's own pseudo-operations.
pub const COUNT: u8 = 51;
