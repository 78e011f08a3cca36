//! The instructions of RV32IMF that the compiler emits: one table, from which encoding, decoding and assembly come.
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
//!
//! `SHIFT` is format I with funct7 above a shift amount of 5 bits. `SYSTEM` is a whole word; its funct7 column holds the
//! immediate. For float arithmetic funct3 is the rounding mode: dynamic (7) or toward zero (1).
//!
//! An operation is a row number of this table. Operands are written as in assembly; `f` marks a float register.

/// The format of an instruction's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the drawing above shows them")]
#[repr(u8)]
pub enum Format {
    R,
    I,
    SHIFT,
    S,
    B,
    U,
    J,
    SYSTEM,
}

macro_rules! instructions {
    ($($name:ident = $format:ident($opcode:literal, $funct3:literal, $funct7:literal) $text:literal $operands:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name),* }
        $(
            #[doc = concat!("`", $text, " ", $operands, "`")]
            pub const $name: u8 = Number::$name as u8;
        )*
        /// The number of operations. Numbers from here on are the compiler's pseudo-operations.
        pub const COUNT: u8 = [$($text),*].len() as u8;
        /// The assembly name of each operation.
        pub const NAMES: [&str; COUNT as usize] = [$($text),*];
        /// The operands of each operation in assembly.
        pub const OPERANDS: [&str; COUNT as usize] = [$($operands),*];
        /// The [`Format`] of each operation.
        pub const FORMAT: [u8; COUNT as usize] = [$(Format::$format as u8),*];
        /// The bits of a word that each operation takes from rd, rs1, rs2, and from three arrangements of the
        /// immediate: upper 12 bits, upper 20 bits, and split around the registers of a store.
        pub const FIELDS: [[u32; COUNT as usize]; 6] = [
            [$(fields(Format::$format)[0]),*],
            [$(fields(Format::$format)[1]),*],
            [$(fields(Format::$format)[2]),*],
            [$(fields(Format::$format)[3]),*],
            [$(fields(Format::$format)[4]),*],
            [$(fields(Format::$format)[5]),*],
        ];
        /// The constant fields of each operation.
        pub const BASE: [u32; COUNT as usize] = [$(base(Format::$format, $opcode, $funct3, $funct7)),*];
    };
}

/// Returns the constant fields of a word.
const fn base(format: Format, opcode: u32, funct3: u32, funct7: u32) -> u32 {
    match format {
        Format::SYSTEM => opcode | funct7 << 20,
        _ => opcode | funct3 << 12 | funct7 << 25,
    }
}

/// Returns the bits of a word that instructions of a format take from each of their fields.
const fn fields(format: Format) -> [u32; 6] {
    let (d, a, b) = (31 << 7, 31 << 15, 31 << 20);
    match format {
        Format::R => [d, a, b, 0, 0, 0],
        Format::I => [d, a, 0, 0xfff << 20, 0, 0],
        Format::SHIFT => [d, a, 0, b, 0, 0],
        Format::S => [0, a, b, 0, 0, 127 << 25 | d],
        Format::B => [0, a, b, 0, 0, 0],
        Format::U => [d, 0, 0, 0, 0xffff_f000, 0],
        Format::J => [d, 0, 0, 0, 0, 0],
        Format::SYSTEM => [0; 6],
    }
}

instructions! {
    LUI = U(0x37, 0, 0x00) "lui" "rd, upper";
    AUIPC = U(0x17, 0, 0x00) "auipc" "rd, upper";
    ADDI = I(0x13, 0, 0x00) "addi" "rd, rs1, imm";
    SLTI = I(0x13, 2, 0x00) "slti" "rd, rs1, imm";
    SLTIU = I(0x13, 3, 0x00) "sltiu" "rd, rs1, imm";
    XORI = I(0x13, 4, 0x00) "xori" "rd, rs1, imm";
    ORI = I(0x13, 6, 0x00) "ori" "rd, rs1, imm";
    ANDI = I(0x13, 7, 0x00) "andi" "rd, rs1, imm";
    SLLI = SHIFT(0x13, 1, 0x00) "slli" "rd, rs1, imm";
    SRLI = SHIFT(0x13, 5, 0x00) "srli" "rd, rs1, imm";
    SRAI = SHIFT(0x13, 5, 0x20) "srai" "rd, rs1, imm";
    ADD = R(0x33, 0, 0x00) "add" "rd, rs1, rs2";
    SUB = R(0x33, 0, 0x20) "sub" "rd, rs1, rs2";
    SLL = R(0x33, 1, 0x00) "sll" "rd, rs1, rs2";
    SLT = R(0x33, 2, 0x00) "slt" "rd, rs1, rs2";
    SLTU = R(0x33, 3, 0x00) "sltu" "rd, rs1, rs2";
    XOR = R(0x33, 4, 0x00) "xor" "rd, rs1, rs2";
    SRL = R(0x33, 5, 0x00) "srl" "rd, rs1, rs2";
    SRA = R(0x33, 5, 0x20) "sra" "rd, rs1, rs2";
    OR = R(0x33, 6, 0x00) "or" "rd, rs1, rs2";
    AND = R(0x33, 7, 0x00) "and" "rd, rs1, rs2";
    MUL = R(0x33, 0, 0x01) "mul" "rd, rs1, rs2";
    MULHU = R(0x33, 3, 0x01) "mulhu" "rd, rs1, rs2";
    DIV = R(0x33, 4, 0x01) "div" "rd, rs1, rs2";
    REM = R(0x33, 6, 0x01) "rem" "rd, rs1, rs2";
    LW = I(0x03, 2, 0x00) "lw" "rd, imm(rs1)";
    SW = S(0x23, 2, 0x00) "sw" "rs2, imm(rs1)";
    LBU = I(0x03, 4, 0x00) "lbu" "rd, imm(rs1)";
    SB = S(0x23, 0, 0x00) "sb" "rs2, imm(rs1)";
    LH = I(0x03, 1, 0x00) "lh" "rd, imm(rs1)";
    SH = S(0x23, 1, 0x00) "sh" "rs2, imm(rs1)";
    FLW = I(0x07, 2, 0x00) "flw" "fd, imm(rs1)";
    FSW = S(0x27, 2, 0x00) "fsw" "fs2, imm(rs1)";
    FADD = R(0x53, 7, 0x00) "fadd.s" "fd, fs1, fs2";
    FSUB = R(0x53, 7, 0x04) "fsub.s" "fd, fs1, fs2";
    FMUL = R(0x53, 7, 0x08) "fmul.s" "fd, fs1, fs2";
    FDIV = R(0x53, 7, 0x0c) "fdiv.s" "fd, fs1, fs2";
    FSQRT = R(0x53, 7, 0x2c) "fsqrt.s" "fd, fs1";
    FSGNJ = R(0x53, 0, 0x10) "fsgnj.s" "fd, fs1, fs2";
    FSGNJN = R(0x53, 1, 0x10) "fsgnjn.s" "fd, fs1, fs2";
    FSGNJX = R(0x53, 2, 0x10) "fsgnjx.s" "fd, fs1, fs2";
    FEQ = R(0x53, 2, 0x50) "feq.s" "rd, fs1, fs2";
    FLT = R(0x53, 1, 0x50) "flt.s" "rd, fs1, fs2";
    FLE = R(0x53, 0, 0x50) "fle.s" "rd, fs1, fs2";
    FCVT_W_S = R(0x53, 1, 0x60) "fcvt.w.s" "rd, fs1, rtz";
    FCVT_S_W = R(0x53, 7, 0x68) "fcvt.s.w" "fd, rs1";
    FMV_X_W = R(0x53, 0, 0x70) "fmv.x.w" "rd, fs1";
    FMV_W_X = R(0x53, 0, 0x78) "fmv.w.x" "fd, rs1";
    BEQ = B(0x63, 0, 0x00) "beq" "rs1, rs2, label";
    BNE = B(0x63, 1, 0x00) "bne" "rs1, rs2, label";
    BLT = B(0x63, 4, 0x00) "blt" "rs1, rs2, label";
    BGE = B(0x63, 5, 0x00) "bge" "rs1, rs2, label";
    BLTU = B(0x63, 6, 0x00) "bltu" "rs1, rs2, label";
    JAL = J(0x6f, 0, 0x00) "jal" "rd, label";
    JALR = I(0x67, 0, 0x00) "jalr" "rd, imm(rs1)";
    ECALL = SYSTEM(0x73, 0, 0x00) "ecall" "";
    EBREAK = SYSTEM(0x73, 0, 0x01) "ebreak" "";
}
