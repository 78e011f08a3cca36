//! Logic, shifts and fields of bits. A shift by the width or more clamps, unlike Rust's.

use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

macro_rules! logic {
    ($($ty:ident $name:literal,)*) => { rows! {
        $(concat!("and.", $name) => (a: $ty, b: $ty) -> $ty { a & b }
        concat!("or.", $name) => (a: $ty, b: $ty) -> $ty { a | b }
        concat!("xor.", $name) => (a: $ty, b: $ty) -> $ty { a ^ b }
        concat!("not.", $name) => (a: $ty) -> $ty { !a })*
    } };
}

macro_rules! shifts {
    ($($ty:ident $signed:ident $bits:literal,)*) => { rows! {
        $(concat!("shl.b", $bits) => (a: $ty, b: u32) -> $ty { a.checked_shl(b).unwrap_or(0) }
        concat!("shr.u", $bits), concat!("shr.b", $bits) => (a: $ty, b: u32) -> $ty { a.checked_shr(b).unwrap_or(0) }
        concat!("shr.s", $bits) => (a: $signed, b: u32) -> $signed { a >> b.min($bits - 1) }
        concat!("cnot.b", $bits) => (a: $ty) -> $ty { (a == 0) as $ty })*
    } };
}

macro_rules! fields {
    ($($ty:ident $signed:ident $bits:literal,)*) => { rows! {
        $(concat!("popc.b", $bits) => (a: $ty) -> u32 { a.count_ones() }
        concat!("clz.b", $bits) => (a: $ty) -> u32 { a.leading_zeros() }
        concat!("brev.b", $bits) => (a: $ty) -> $ty { a.reverse_bits() }
        concat!("bfind.u", $bits) => (a: $ty) -> u32 { ($bits - 1u32).wrapping_sub(a.leading_zeros()) }
        concat!("bfind.s", $bits) => (a: $signed) -> u32 {
            ($bits - 1u32).wrapping_sub((if a < 0 { !a } else { a }).leading_zeros())
        }
        concat!("bfind.shiftamt.u", $bits) => (a: $ty) -> u32 { if a == 0 { !0 } else { a.leading_zeros() } }
        concat!("bfind.shiftamt.s", $bits) => (a: $signed) -> u32 {
            let magnitude = if a < 0 { !a } else { a };
            if magnitude == 0 { !0 } else { magnitude.leading_zeros() }
        }
        concat!("bfe.u", $bits) => (a: $ty, b: u32, c: u32) -> $ty {
            extract(a as u64, false, b & 0xff, c & 0xff, $bits) as $ty
        }
        concat!("bfe.s", $bits) => (a: $signed, b: u32, c: u32) -> $signed {
            let (at, len) = (b & 0xff, c & 0xff);
            let sign = len != 0 && a >> (at + len).saturating_sub(1).min($bits - 1) & 1 == 1;
            extract(a as $ty as u64, sign, at, len, $bits) as $signed
        }
        concat!("bfi.b", $bits) => (a: $ty, b: $ty, c: u32, d: u32) -> $ty {
            let (at, len) = (c & 0xff, d & 0xff);
            let mask = (low(len) as $ty).checked_shl(at).unwrap_or(0);
            b & !mask | a.checked_shl(at).unwrap_or(0) & mask
        }
        concat!("bmsk.clamp.b", $bits) => (a: u32, b: u32) -> $ty {
            (low(b) as $ty).checked_shl(a).unwrap_or(0)
        })*
    } };
}

/// Returns the lowest `len` bits of a long, all if `len` is at least 64.
fn low(len: u32) -> u64 {
    1u64.checked_shl(len).map_or(u64::MAX, |bit| bit - 1)
}

/// Returns `len` bits from the bit `at` on. Bits that do not exist, and those above, are `sign`.
fn extract(value: u64, sign: bool, at: u32, len: u32, bits: u32) -> u64 {
    let exist = low(len.min(bits.saturating_sub(at)));
    value.checked_shr(at).unwrap_or(0) & exist | if sign { !exist } else { 0 }
}

/// Returns the byte that a selector of `prmt` names: the low three bits select it, the fourth spreads its sign.
fn selected(bytes: u64, selector: u32) -> u32 {
    let byte = (bytes >> (8 * (selector & 7))) as u8;
    u32::from(if selector & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 })
}

/// Joins four bytes of `b:a`, whose selectors depend on the lowest two bits of `c`.
fn permute(a: u32, b: u32, of: impl Fn(u32) -> u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).map(|k| selected(bytes, of(k)) << (8 * k)).sum()
}

pub(super) const ROWS: &[&[Row]] = &[
    logic!(bool "pred", u16 "b16", u32 "b32", u64 "b64",),
    shifts!(u16 i16 16, u32 i32 32, u64 i64 64,),
    fields!(u32 i32 32, u64 i64 64,),
    rows! {
        "lop3.b32" => (a: u32, b: u32, c: u32, d: u32) -> u32 {
            let mut result = 0;
            for k in 0..8 {
                if d >> k & 1 == 1 {
                    let [x, y, z] = [(a, 4), (b, 2), (c, 1)].map(|(v, bit)| if k & bit != 0 { v } else { !v });
                    result |= x & y & z;
                }
            }
            result
        }
        "shf.l.wrap.b32" => (a: u32, b: u32, c: u32) -> u32 {
            ((u64::from(b) << 32 | u64::from(a)) << (c & 31) >> 32) as u32
        }
        "shf.l.clamp.b32" => (a: u32, b: u32, c: u32) -> u32 {
            ((u64::from(b) << 32 | u64::from(a)) << c.min(32) >> 32) as u32
        }
        "shf.r.wrap.b32" => (a: u32, b: u32, c: u32) -> u32 { ((u64::from(b) << 32 | u64::from(a)) >> (c & 31)) as u32 }
        "shf.r.clamp.b32" => (a: u32, b: u32, c: u32) -> u32 { ((u64::from(b) << 32 | u64::from(a)) >> c.min(32)) as u32 }
        "bmsk.wrap.b32" => (a: u32, b: u32) -> u32 { (low(b & 31) as u32) << (a & 31) }
        "prmt.b32" => (a: u32, b: u32, c: u32) -> u32 { permute(a, b, |k| c >> (4 * k) & 15) }
        "prmt.b32.f4e" => (a: u32, b: u32, c: u32) -> u32 { permute(a, b, |k| (c & 3) + k) }
        "prmt.b32.b4e" => (a: u32, b: u32, c: u32) -> u32 { permute(a, b, |k| ((c & 3) + 8 - k) & 7) }
        "prmt.b32.rc8" => (a: u32, b: u32, c: u32) -> u32 { permute(a, b, |_| c & 3) }
        "prmt.b32.ecl" => (a: u32, b: u32, c: u32) -> u32 { permute(a, b, |k| k.max(c & 3)) }
        "prmt.b32.ecr" => (a: u32, b: u32, c: u32) -> u32 { permute(a, b, |k| k.min(c & 3)) }
        "prmt.b32.rc16" => (a: u32, b: u32, c: u32) -> u32 { permute(a, b, |k| (c & 1) * 2 + (k & 1)) }
        "@pack.2.b16" => (a: u32, b: u32) -> u32 { a & 0xffff | b << 16 }
        "@pack.2.b32" => (a: u32, b: u32) -> u64 { u64::from(b) << 32 | u64::from(a) }
        "@pack.4.b16" => (a: u16, b: u16, c: u16, d: u16) -> u64 {
            u64::from(d) << 48 | u64::from(c) << 32 | u64::from(b) << 16 | u64::from(a)
        }
        "@pack.2.b8" => (a: u8, b: u8) -> u32 { u32::from(b) << 8 | u32::from(a) }
        "@pack.4.b8" => (a: u8, b: u8, c: u8, d: u8) -> u32 { u32::from_le_bytes([a, b, c, d]) }
        "@part.word" => (a: u32, b: u32) -> u32 { a.checked_shr(b).unwrap_or(0) }
        "@part.long" => (a: u64, b: u32) -> u32 { a.checked_shr(b).unwrap_or(0) as u32 }
    },
];
