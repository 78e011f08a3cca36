//! The vector instructions of x86-64 that the compiler emits: one table for SSE2, AVX2 and AVX-512.
//!
//! A line has the prefix, the map and the opcode. Most instructions have the same in all three encodings, with one register more in VEX
//! and EVEX. The line yields a *code*, the three lowest bytes of an instruction's immediate; [`isa`](super::isa) has the forms that
//! such an immediate fills.

use super::isa::*;

/// The operands of an instruction. Instructions with a number have it in the highest byte of the immediate, and so have those on memory
/// their offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// `d = f(a, b)`; in SSE `d = f(d, a)`.
    Binary,
    /// The same, with a number.
    BinaryNumber,
    /// `d = f(a)`.
    Unary,
    /// The same, with a number.
    UnaryNumber,
    /// `d = f(a)` with a number, where a digit is instead of the register `reg`.
    Shift,
    /// `d = a` where the mask, whose number is in the upper half of the number, is 0, else `b`.
    Blend,
    /// The lower or upper half of a register goes to one of 128 bits.
    Extract,
    /// A register of 128 bits fills one of any length.
    Fill,
    /// A load.
    Load,
    /// A store.
    Store,
    /// A load of less than 128 bits.
    LoadPart,
    /// A store of less than 128 bits.
    StorePart,
}

impl Operands {
    /// Returns whether there is a number.
    const fn has_number(self) -> bool {
        matches!(
            self,
            Operands::BinaryNumber | Operands::UnaryNumber | Operands::Shift | Operands::Blend | Operands::Extract
        )
    }

    /// Returns whether there is an address.
    pub const fn is_memory(self) -> bool {
        matches!(self, Operands::Load | Operands::Store | Operands::LoadPart | Operands::StorePart)
    }

    /// Returns the operands in assembly: of SSE, and of the other encodings. `y` is a register of the length of the instruction, `x` one of
    /// 128 bits, `m` the register of a mask.
    const fn text(self) -> [&'static str; 2] {
        match self {
            Operands::Binary => ["ys1, yd", "ys2, ys1, yd"],
            Operands::BinaryNumber => ["$number, ys1, yd", "$number, ys2, ys1, yd"],
            Operands::Unary => ["ys1, yd", "ys2, yd"],
            Operands::UnaryNumber => ["$number, ys1, yd", "$number, ys2, yd"],
            Operands::Shift => ["$number, ys1", "$number, ys2, ys1"],
            Operands::Blend => ["", "mask, ys2, ys1, yd"],
            Operands::Extract => ["", "$number, yd, xs2"],
            Operands::Fill => ["", "xs2, yd"],
            Operands::Load => ["address, yd", "address, yd"],
            Operands::Store => ["yd, address", "yd, address"],
            Operands::LoadPart => ["address, xd", "address, xd"],
            Operands::StorePart => ["xd, address", "xd, address"],
        }
    }
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// The name in SSE; the other encodings have `v` before it.
    pub name: &'static str,
    /// The operands.
    pub operands: Operands,
    /// The prefix of SSE, or 0.
    prefix: u8,
    /// The map: 1 for `0f`, 2 for `0f38`, 3 for `0f3a`.
    map: u8,
    opcode: u8,
    /// The digit instead of `reg`, or 0.
    digit: u8,
    /// Bit 7 if the prefix VEX has W.
    wide: u8,
}

impl Vector {
    /// Returns the two bits that stand for a prefix in VEX and EVEX.
    const fn pp(self) -> u8 {
        match self.prefix {
            0x66 => 1,
            0xf3 => 2,
            0xf2 => 3,
            _ => 0,
        }
    }

    /// Returns the code in SSE.
    pub const fn sse(self) -> u32 {
        self.opcode as u32 | (self.prefix as u32) << 8
    }

    /// Returns the code in VEX, for registers of 128 or 256 bits.
    pub const fn vex(self, is_long: bool) -> u32 {
        let length = if is_long { 4 } else { 0 };
        self.opcode as u32 | ((self.wide | 0x78 | length | self.pp()) as u32) << 8 | ((0xe0 | self.map) as u32) << 16
    }

    /// Returns whether it exists with registers of 256 bits, or of 128.
    const fn has_length(self, is_long: bool) -> bool {
        let is_part = matches!(self.operands, Operands::LoadPart | Operands::StorePart);
        let is_of_halves = matches!(self.operands, Operands::Extract) || self.wide != 0;
        if is_long { !is_part } else { !is_of_halves }
    }

    /// Returns the operation of its form in SSE.
    pub const fn sse_form(self) -> u8 {
        let prefixed = self.prefix != 0;
        match (self.operands.is_memory(), self.operands.has_number(), prefixed) {
            (true, _, false) => V_SSE_AT,
            (true, _, true) => V_SSE_P_AT,
            (_, false, false) => V_SSE,
            (_, false, true) => V_SSE_P,
            (_, true, false) => V_SSE_I,
            (_, true, true) => V_SSE_PI,
        }
    }

    /// Returns the operation of its form in VEX.
    pub const fn vex_form(self) -> u8 {
        match (self.operands.is_memory(), self.operands.has_number()) {
            (true, _) => V_VEX_AT,
            (_, false) => V_VEX,
            (_, true) => V_VEX_I,
        }
    }

    /// Returns the digit instead of a register.
    pub const fn digit(self) -> u8 {
        self.digit
    }
}

/// Returns a line.
const fn line(name: &'static str, operands: Operands, prefix: u8, map: u8, opcode: u8) -> Vector {
    Vector { name, operands, prefix, map, opcode, digit: 0, wide: 0 }
}

/// Returns a line of an instruction with a digit.
const fn shift(name: &'static str, opcode: u8, digit: u8) -> Vector {
    Vector { name, operands: Operands::Shift, prefix: 0x66, map: 1, opcode, digit, wide: 0 }
}

macro_rules! vectors {
    ($($name:ident = $line:expr;)*) => {
        $(
            #[doc = concat!("The line of `", stringify!($name), "`.")]
            pub const $name: Vector = $line;
        )*
        /// All lines.
        pub const VECTORS: [Vector; [$(stringify!($name)),*].len()] = [$($name),*];
    };
}

use Operands::{Binary, BinaryNumber, Blend, Extract, Fill, Load, LoadPart, Store, StorePart, Unary, UnaryNumber};

vectors! {
    // Memory. A load of less than a register sets the rest to 0.
    MOVUPS_LOAD = line("movups", Load, 0, 1, 0x10);
    MOVUPS_STORE = line("movups", Store, 0, 1, 0x11);
    MOVQ_LOAD = line("movq", LoadPart, 0xf3, 1, 0x7e);
    MOVQ_STORE = line("movq", StorePart, 0x66, 1, 0xd6);
    MOVD_LOAD = line("movd", LoadPart, 0x66, 1, 0x6e);
    MOVD_STORE = line("movd", StorePart, 0x66, 1, 0x7e);
    PMOVSXWD_LOAD = line("pmovsxwd", Load, 0x66, 2, 0x23);
    PMOVZXBD_LOAD = line("pmovzxbd", Load, 0x66, 2, 0x31);
    // Moves between parts of registers.
    MOVAPS_V = line("movaps", Unary, 0, 1, 0x28);
    PSHUFD = line("pshufd", UnaryNumber, 0x66, 1, 0x70);
    PUNPCKLBW = line("punpcklbw", Binary, 0x66, 1, 0x60);
    PUNPCKLWD = line("punpcklwd", Binary, 0x66, 1, 0x61);
    PUNPCKLDQ = line("punpckldq", Binary, 0x66, 1, 0x62);
    PACKSSWB = line("packsswb", Binary, 0x66, 1, 0x63);
    PACKUSWB = line("packuswb", Binary, 0x66, 1, 0x67);
    PACKSSDW = line("packssdw", Binary, 0x66, 1, 0x6b);
    PBROADCASTB = line("pbroadcastb", Fill, 0x66, 2, 0x78);
    PBROADCASTW = line("pbroadcastw", Fill, 0x66, 2, 0x79);
    PBROADCASTD = line("pbroadcastd", Fill, 0x66, 2, 0x58);
    EXTRACTI128 = line("extracti128", Extract, 0x66, 3, 0x39);
    PERMQ = Vector { wide: 0x80, ..line("permq", UnaryNumber, 0x66, 3, 0x00) };
    BLENDVPS = line("blendvps", Blend, 0x66, 3, 0x4a);
    // Bits.
    PAND = line("pand", Binary, 0x66, 1, 0xdb);
    PANDN = line("pandn", Binary, 0x66, 1, 0xdf);
    POR = line("por", Binary, 0x66, 1, 0xeb);
    PXOR = line("pxor", Binary, 0x66, 1, 0xef);
    // Ints of 8, 16 and 32 bits.
    PADDB = line("paddb", Binary, 0x66, 1, 0xfc);
    PADDW = line("paddw", Binary, 0x66, 1, 0xfd);
    PADDD = line("paddd", Binary, 0x66, 1, 0xfe);
    PSUBB = line("psubb", Binary, 0x66, 1, 0xf8);
    PSUBW = line("psubw", Binary, 0x66, 1, 0xf9);
    PSUBD = line("psubd", Binary, 0x66, 1, 0xfa);
    PMULLW = line("pmullw", Binary, 0x66, 1, 0xd5);
    PMULLD = line("pmulld", Binary, 0x66, 2, 0x40);
    PMULUDQ = line("pmuludq", Binary, 0x66, 1, 0xf4);
    PABSD = line("pabsd", Unary, 0x66, 2, 0x1e);
    PMINSD = line("pminsd", Binary, 0x66, 2, 0x39);
    PMAXSD = line("pmaxsd", Binary, 0x66, 2, 0x3d);
    PCMPEQD = line("pcmpeqd", Binary, 0x66, 1, 0x76);
    PCMPGTD = line("pcmpgtd", Binary, 0x66, 1, 0x66);
    PSRLW = shift("psrlw", 0x71, 2);
    PSLLW = shift("psllw", 0x71, 6);
    PSRLD = shift("psrld", 0x72, 2);
    PSRAD = shift("psrad", 0x72, 4);
    PSLLD = shift("pslld", 0x72, 6);
    PSRLVD = line("psrlvd", Binary, 0x66, 2, 0x45);
    PSRAVD = line("psravd", Binary, 0x66, 2, 0x46);
    PSLLVD = line("psllvd", Binary, 0x66, 2, 0x47);
    // Floats.
    ADDPS = line("addps", Binary, 0, 1, 0x58);
    SUBPS = line("subps", Binary, 0, 1, 0x5c);
    MULPS = line("mulps", Binary, 0, 1, 0x59);
    DIVPS = line("divps", Binary, 0, 1, 0x5e);
    SQRTPS = line("sqrtps", Unary, 0, 1, 0x51);
    CMPPS = line("cmpps", BinaryNumber, 0, 1, 0xc2);
    CVTDQ2PS = line("cvtdq2ps", Unary, 0, 1, 0x5b);
    CVTTPS2DQ = line("cvttps2dq", Unary, 0xf3, 1, 0x5b);
}

/// The length of the registers of an instruction in bits, by its form and its immediate.
pub const fn bits(op: u8, imm: u32) -> u32 {
    match op {
        V_VEX | V_VEX_I | V_VEX_AT | V_VEX_AT2 | V_VEX_AT4 => 128 << ((imm >> 10) & 1),
        V_EVEX | V_EVEX_I | V_EVEX_AT | V_EVEX_AT2 | V_EVEX_AT4 => 512,
        _ => 128,
    }
}

/// Returns the name and the operands of a vector instruction in assembly, given its form, its immediate and the register or digit of its
/// destination. Returns `None` if the table has no such instruction.
pub fn named(op: u8, imm: u32, rd: u8) -> Option<(String, &'static str)> {
    let code = imm & 0xff_ffff;
    VECTORS.iter().find_map(|v| {
        // The number of a blend has only the register of its mask.
        let has_more = v.operands == Operands::Blend && imm >> 24 & 15 != 0;
        let is_digit = v.operands == Operands::Shift && v.digit != rd & 15;
        let at = |first: u8| op == first || v.operands.is_memory() && op > first && op - first < 3;
        let [sse, vex] = v.operands.text();
        if is_digit || has_more {
            None
        } else if at(v.sse_form()) && code == v.sse() && !sse.is_empty() && v.map == 1 {
            Some((v.name.to_string(), sse))
        } else if at(v.vex_form()) && [false, true].iter().any(|&long| code == v.vex(long) && v.has_length(long)) {
            Some((format!("v{}", v.name), vex))
        } else {
            None
        }
    })
}
