//! Conversions between integers: extended or cut, or limited to the range of the result.

use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

macro_rules! conversions {
    ($($from:ident $name:literal,)*) => { &[$(rows! {
        concat!("cvt.u8.", $name) => (a: $from) -> u8 { a as u8 }
        concat!("cvt.s8.", $name) => (a: $from) -> i8 { a as i8 }
        concat!("cvt.u16.", $name) => (a: $from) -> u16 { a as u16 }
        concat!("cvt.s16.", $name) => (a: $from) -> i16 { a as i16 }
        concat!("cvt.u32.", $name) => (a: $from) -> u32 { a as u32 }
        concat!("cvt.s32.", $name) => (a: $from) -> i32 { a as i32 }
        concat!("cvt.u64.", $name) => (a: $from) -> u64 { a as u64 }
        concat!("cvt.s64.", $name) => (a: $from) -> i64 { a as i64 }
        concat!("cvt.sat.u8.", $name) => (a: $from) -> u8 { (a as i128).clamp(u8::MIN as i128, u8::MAX as i128) as u8 }
        concat!("cvt.sat.s8.", $name) => (a: $from) -> i8 { (a as i128).clamp(i8::MIN as i128, i8::MAX as i128) as i8 }
        concat!("cvt.sat.u16.", $name) => (a: $from) -> u16 { (a as i128).clamp(u16::MIN as i128, u16::MAX as i128) as u16 }
        concat!("cvt.sat.s16.", $name) => (a: $from) -> i16 { (a as i128).clamp(i16::MIN as i128, i16::MAX as i128) as i16 }
        concat!("cvt.sat.u32.", $name) => (a: $from) -> u32 { (a as i128).clamp(u32::MIN as i128, u32::MAX as i128) as u32 }
        concat!("cvt.sat.s32.", $name) => (a: $from) -> i32 { (a as i128).clamp(i32::MIN as i128, i32::MAX as i128) as i32 }
        concat!("cvt.sat.u64.", $name) => (a: $from) -> u64 { (a as i128).clamp(u64::MIN as i128, u64::MAX as i128) as u64 }
        concat!("cvt.sat.s64.", $name) => (a: $from) -> i64 { (a as i128).clamp(i64::MIN as i128, i64::MAX as i128) as i64 }
    }),*] };
}

pub(super) const ROWS: &[&[Row]] = conversions!(
    u8 "u8", i8 "s8", u16 "u16", i16 "s16", u32 "u32", i32 "s32", u64 "u64", i64 "s64",
);
