//! The vector instructions of x86-64 that the compiler emits: one table for SSE2, AVX2 and AVX-512.
//!
//! A line has the prefix, the map and the opcode. Most instructions have the same in all three encodings, with one register more in VEX
//! and EVEX. The line yields a *code*, the three lowest bytes of an instruction's immediate; [`isa`](super::isa) has the forms that
//! such an immediate fills.

use treepar::device::device;

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
    /// The mask `k1` gets a comparison of `a` with `b`, which the number names.
    Mask,
    /// `d` gets ones in the lanes of the mask `k1`, else zeros.
    OfMask,
    /// `d = b` in the lanes of the mask `k1`, else `a`.
    Masked,
    /// The upper half of a register of 512 bits goes to one of 256 bits.
    ExtractHalf,
    /// An int becomes the lowest lane of a register of 128 bits, and the others become 0.
    FromInt,
    /// The lowest lane becomes an int.
    ToInt,
}

impl Operands {
    /// Returns whether there is a number.
    const fn has_number(self) -> bool {
        matches!(
            self,
            Operands::BinaryNumber
                | Operands::UnaryNumber
                | Operands::Shift
                | Operands::Blend
                | Operands::Extract
                | Operands::ExtractHalf
                | Operands::Mask
        )
    }

    /// Returns whether there is an address.
    pub const fn is_memory(self) -> bool {
        matches!(self, Operands::Load | Operands::Store | Operands::LoadPart | Operands::StorePart)
    }

    /// Returns the operands in assembly: of SSE, and of the other encodings. `y` is a register of the length of the instruction, `x` one of
    /// 128 bits, `h` one of 256 bits, `k` a mask, and `mask` the register of a mask in the number.
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
            Operands::Mask => ["", "$number, ys2, ys1, kd"],
            Operands::OfMask => ["", "ks2, yd"],
            Operands::Masked => ["", "ys2, ys1, yd{%k1}"],
            Operands::ExtractHalf => ["", "$number, yd, hs2"],
            Operands::FromInt => ["", "rs2, xd"],
            Operands::ToInt => ["", "xd, rs2"],
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
    /// The name in EVEX without `v`, or nothing if there is no such instruction.
    evex_name: &'static str,
    /// Bit 7 if the prefix EVEX has W.
    evex_wide: u8,
    /// `true` if only EVEX has the instruction.
    is_evex_only: bool,
    /// The number of bytes in memory of an instruction on 512 bits, as a power of two.
    memory: u8,
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

    /// Returns the code in EVEX, for registers of 512 bits.
    pub const fn evex(self) -> u32 {
        self.opcode as u32 | ((self.evex_wide | 0x7c | self.pp()) as u32) << 8 | ((0xf0 | self.map) as u32) << 16
    }

    /// Returns whether it exists in EVEX.
    pub const fn has_evex(self) -> bool {
        !self.evex_name.is_empty()
    }

    /// Returns the number of bytes in memory of an instruction on 512 bits, as a power of two. Offsets are multiples of it.
    pub const fn memory(self) -> u8 {
        self.memory
    }

    /// Returns the line with another name in EVEX.
    const fn in_evex(self, name: &'static str) -> Vector {
        Vector { evex_name: name, ..self }
    }

    /// Returns the line with the prefix W in EVEX.
    const fn wide_in_evex(self) -> Vector {
        Vector { evex_wide: 0x80, ..self }
    }

    /// Returns the line of an instruction that only EVEX has.
    const fn only_evex(self) -> Vector {
        Vector { is_evex_only: true, ..self }
    }

    /// Returns the line of an instruction on 512 bits of registers, and on fewer bytes in memory, a power of two.
    const fn on_memory(self, memory: u8) -> Vector {
        Vector { memory, ..self }
    }

    /// Returns whether it exists with registers of 256 bits, or of 128.
    const fn has_length(self, is_long: bool) -> bool {
        let is_part =
            matches!(self.operands, Operands::LoadPart | Operands::StorePart | Operands::FromInt | Operands::ToInt);
        let is_of_halves = matches!(self.operands, Operands::Extract) || self.wide != 0;
        if self.is_evex_only {
            return false;
        }
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

    /// Returns the operation of its form in EVEX.
    pub const fn evex_form(self) -> u8 {
        match (self.operands.is_memory(), self.operands.has_number()) {
            (true, _) => V_EVEX_AT,
            (_, true) => V_EVEX_I,
            _ if matches!(self.operands, Operands::Masked) => V_EVEX_K,
            _ => V_EVEX,
        }
    }

    /// Returns the digit instead of a register.
    pub const fn digit(self) -> u8 {
        self.digit
    }
}

/// Returns a line.
const fn line(name: &'static str, operands: Operands, prefix: u8, map: u8, opcode: u8) -> Vector {
    let none = Vector {
        name,
        operands,
        prefix,
        map,
        opcode,
        digit: 0,
        wide: 0,
        evex_name: name,
        evex_wide: 0,
        is_evex_only: false,
        memory: 6,
    };
    match operands {
        Operands::Mask | Operands::OfMask | Operands::Masked | Operands::ExtractHalf => none.only_evex(),
        Operands::LoadPart | Operands::StorePart | Operands::Blend | Operands::Extract => none.in_evex(""),
        Operands::FromInt | Operands::ToInt => none.in_evex(""),
        _ => none,
    }
}

/// Returns a line of an instruction with a digit.
const fn shift(name: &'static str, opcode: u8, digit: u8) -> Vector {
    Vector { digit, ..line(name, Operands::Shift, 0x66, 1, opcode) }
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

use Operands::{
    Binary, BinaryNumber, Blend, Extract, ExtractHalf, Fill, FromInt, Load, LoadPart, Mask, Masked, OfMask, Store,
    StorePart, ToInt, Unary, UnaryNumber,
};

vectors! {
    // Memory. A load of less than a register sets the rest to 0.
    MOVUPS_LOAD = line("movups", Load, 0, 1, 0x10);
    MOVUPS_STORE = line("movups", Store, 0, 1, 0x11);
    MOVQ_LOAD = line("movq", LoadPart, 0xf3, 1, 0x7e);
    MOVQ_STORE = line("movq", StorePart, 0x66, 1, 0xd6);
    MOVD_LOAD = line("movd", LoadPart, 0x66, 1, 0x6e);
    MOVD_STORE = line("movd", StorePart, 0x66, 1, 0x7e);
    PMOVSXWD_LOAD = line("pmovsxwd", Load, 0x66, 2, 0x23).on_memory(5);
    PMOVZXBD_LOAD = line("pmovzxbd", Load, 0x66, 2, 0x31).on_memory(4);
    PMOVDW_STORE = line("pmovdw", Store, 0xf3, 2, 0x33).only_evex().on_memory(5);
    PMOVDB_STORE = line("pmovdb", Store, 0xf3, 2, 0x31).only_evex().on_memory(4);
    // Moves between ints and vectors. A move without the prefix VEX takes long while the upper halves of registers are in use.
    MOVD_FROM_INT = line("movd", FromInt, 0x66, 1, 0x6e);
    MOVD_TO_INT = line("movd", ToInt, 0x66, 1, 0x7e);
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
    EXTRACTI64X4 = line("extracti64x4", ExtractHalf, 0x66, 3, 0x3b).wide_in_evex();
    PERMQ = Vector { wide: 0x80, ..line("permq", UnaryNumber, 0x66, 3, 0x00).wide_in_evex() };
    BLENDVPS = line("blendvps", Blend, 0x66, 3, 0x4a);
    BLENDMPS = line("blendmps", Masked, 0x66, 2, 0x65);
    PMOVM2D = line("pmovm2d", OfMask, 0xf3, 2, 0x38);
    // Bits.
    PAND = line("pand", Binary, 0x66, 1, 0xdb).in_evex("pandd");
    PANDN = line("pandn", Binary, 0x66, 1, 0xdf).in_evex("pandnd");
    POR = line("por", Binary, 0x66, 1, 0xeb).in_evex("pord");
    PXOR = line("pxor", Binary, 0x66, 1, 0xef).in_evex("pxord");
    PTERNLOGD = line("pternlogd", BinaryNumber, 0x66, 3, 0x25).only_evex();
    // Ints of 8, 16 and 32 bits.
    PADDB = line("paddb", Binary, 0x66, 1, 0xfc);
    PADDW = line("paddw", Binary, 0x66, 1, 0xfd);
    PADDD = line("paddd", Binary, 0x66, 1, 0xfe);
    PSUBB = line("psubb", Binary, 0x66, 1, 0xf8);
    PSUBW = line("psubw", Binary, 0x66, 1, 0xf9);
    PSUBD = line("psubd", Binary, 0x66, 1, 0xfa);
    PADDUSB = line("paddusb", Binary, 0x66, 1, 0xdc);
    PSUBUSB = line("psubusb", Binary, 0x66, 1, 0xd8);
    PADDSW = line("paddsw", Binary, 0x66, 1, 0xed);
    PSUBSW = line("psubsw", Binary, 0x66, 1, 0xe9);
    PMULLW = line("pmullw", Binary, 0x66, 1, 0xd5);
    PMULLD = line("pmulld", Binary, 0x66, 2, 0x40);
    PMULUDQ = line("pmuludq", Binary, 0x66, 1, 0xf4).wide_in_evex();
    PABSD = line("pabsd", Unary, 0x66, 2, 0x1e);
    PMINSD = line("pminsd", Binary, 0x66, 2, 0x39);
    PMAXSD = line("pmaxsd", Binary, 0x66, 2, 0x3d);
    PCMPEQD = line("pcmpeqd", Binary, 0x66, 1, 0x76).in_evex("");
    PCMPGTD = line("pcmpgtd", Binary, 0x66, 1, 0x66).in_evex("");
    PCMPD = line("pcmpd", Mask, 0x66, 3, 0x1f);
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
    CMPPS = line("cmpps", BinaryNumber, 0, 1, 0xc2).in_evex("");
    CMPPS_MASK = line("cmpps", Mask, 0, 1, 0xc2);
    CVTDQ2PS = line("cvtdq2ps", Unary, 0, 1, 0x5b);
    CVTTPS2DQ = line("cvttps2dq", Unary, 0xf3, 1, 0x5b);
}

/// Returns whether a form is a load or a store.
#[device]
pub const fn is_on_memory(form: u8) -> bool {
    (form >= V_SSE_AT) & (form < V_VEX_WITH)
}

/// The number of the mask register that instructions use, `k1`.
pub const MASK: u8 = 1;

/// Returns the operation of the form with a register and memory, where the index has a factor of `1 << scale`.
#[device]
pub const fn form_with_memory(is_evex: bool, scale: u8) -> u8 {
    if is_evex { V_EVEX_WITH + scale } else { V_VEX_WITH + scale }
}

/// Returns whether an operation is a form of EVEX.
const fn is_evex(op: u8) -> bool {
    matches!(op, V_EVEX | V_EVEX_I | V_EVEX_K) || is_one_of_three(op, V_EVEX_AT) || is_one_of_three(op, V_EVEX_WITH)
}

/// Returns whether an operation is a form of VEX.
pub const fn is_vex(op: u8) -> bool {
    matches!(op, V_VEX | V_VEX_I) || is_one_of_three(op, V_VEX_AT) || is_one_of_three(op, V_VEX_WITH)
}

/// Returns whether an operation is the form `first`, or one of the two after it, with other factors of the index.
const fn is_one_of_three(op: u8, first: u8) -> bool {
    op >= first && op - first < 3
}

/// The length of the registers of an instruction in bits, by its form and its immediate.
pub const fn bits(op: u8, imm: u32) -> u32 {
    if is_vex(op) {
        128 << ((imm >> 10) & 1)
    } else if is_evex(op) {
        512
    } else {
        128
    }
}

/// Returns the line of a vector instruction, given its form, its immediate and the register or digit of its destination.
fn line_of(op: u8, imm: u32, rd: u8) -> Option<Vector> {
    let code = imm & 0xff_ffff;
    VECTORS.into_iter().find(|v| {
        // The number of a blend has only the register of its mask.
        let has_more = v.operands == Operands::Blend && imm >> 24 & 15 != 0;
        let is_digit = v.operands == Operands::Shift && v.digit != rd & 15;
        let is_mask = matches!(v.operands, Operands::Mask) && rd & 15 != MASK;
        let with = v.operands == Operands::Binary;
        let has_form = |form: u8| op == form || v.operands.is_memory() && is_one_of_three(op, form);
        let is_of = |form: u8, first: u8| has_form(form) || with && is_one_of_three(op, first);
        if is_digit || has_more || is_mask {
            false
        } else if is_evex(op) {
            is_of(v.evex_form(), V_EVEX_WITH) && code == v.evex() && v.has_evex()
        } else if is_vex(op) {
            let has_code = [false, true].iter().any(|&long| code == v.vex(long) && v.has_length(long));
            is_of(v.vex_form(), V_VEX_WITH) && has_code
        } else {
            has_form(v.sse_form())
                && code == v.sse()
                && !v.operands.text()[0].is_empty()
                && v.map == 1
                && !v.is_evex_only
        }
    })
}

/// Returns the name and the operands of a vector instruction in assembly, given its form, its immediate and the register or digit of its
/// destination. Returns `None` if the table has no such instruction.
pub fn named(op: u8, imm: u32, rd: u8) -> Option<(String, &'static str)> {
    let v = line_of(op, imm, rd)?;
    let [sse, vex] = v.operands.text();
    if is_one_of_three(op, V_VEX_WITH) {
        return Some((format!("v{}", v.name), "address, ys1, yd"));
    }
    if is_one_of_three(op, V_EVEX_WITH) {
        return Some((format!("v{}", v.evex_name), "address, ys1, yd"));
    }
    Some(if is_evex(op) {
        (format!("v{}", v.evex_name), vex)
    } else if is_vex(op) {
        (format!("v{}", v.name), vex)
    } else {
        (v.name.to_string(), sse)
    })
}

/// Returns the number of bytes that the offset of a vector instruction on memory counts.
pub fn offset_unit(op: u8, imm: u32, rd: u8) -> i32 {
    match line_of(op, imm, rd) {
        Some(v) if is_evex(op) => 1 << v.memory,
        _ => 1,
    }
}
