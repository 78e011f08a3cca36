//! Conversions to and from floats. A conversion to an integer limits its result to the range.

use super::float32::Rounding::{self, Down, Nearest, Up, Zero};
use super::float32::{canonical, flushed, rounded, saturated};
use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

/// Rounds to an integer.
fn whole(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Nearest => value.round_ties_even(),
        Zero => value.trunc(),
        Down => value.floor(),
        Up => value.ceil(),
    }
}

/// Rounds an integer to single precision.
fn single(value: i128, rounding: Rounding) -> f32 {
    let nearest = value as f32;
    let wide = nearest as i128;
    match rounding {
        Down if wide > value => nearest.next_down(),
        Up if wide < value => nearest.next_up(),
        Zero if wide > value && value > 0 => nearest.next_down(),
        Zero if wide < value && value < 0 => nearest.next_up(),
        _ => nearest,
    }
}

/// Rounds an integer to double precision.
fn double(value: i128, rounding: Rounding) -> f64 {
    let nearest = value as f64;
    let wide = nearest as i128;
    match rounding {
        Down if wide > value => nearest.next_down(),
        Up if wide < value => nearest.next_up(),
        Zero if wide > value && value > 0 => nearest.next_down(),
        Zero if wide < value && value < 0 => nearest.next_up(),
        _ => nearest,
    }
}

fn same(value: f32) -> f32 {
    value
}

/// Rows from a float to all integers. Rust's `as` limits, and yields 0 for a NaN. The result for a NaN is
/// the greatest power of two of the result's bits if the source or the result has 64 bits.
macro_rules! integers {
    ($($rounding:ident $name:literal,)*) => { &[$(rows! {
        concat!("cvt.", $name, ".u8.f32"), concat!("cvt.", $name, ".ftz.u8.f32") => (a: f32) -> u8 { whole(a.into(), $rounding) as u8 }
        concat!("cvt.", $name, ".s8.f32"), concat!("cvt.", $name, ".ftz.s8.f32") => (a: f32) -> i8 { whole(a.into(), $rounding) as i8 }
        concat!("cvt.", $name, ".u16.f32") => (a: f32) -> u16 { whole(a.into(), $rounding) as u16 }
        concat!("cvt.", $name, ".s16.f32") => (a: f32) -> i16 { whole(a.into(), $rounding) as i16 }
        concat!("cvt.", $name, ".u32.f32") => (a: f32) -> u32 { whole(a.into(), $rounding) as u32 }
        concat!("cvt.", $name, ".s32.f32") => (a: f32) -> i32 { whole(a.into(), $rounding) as i32 }
        concat!("cvt.", $name, ".u64.f32") => (a: f32) -> u64 { if a.is_nan() { 1 << 63 } else { whole(a.into(), $rounding) as u64 } }
        concat!("cvt.", $name, ".s64.f32") => (a: f32) -> i64 { if a.is_nan() { i64::MIN } else { whole(a.into(), $rounding) as i64 } }
        concat!("cvt.", $name, ".ftz.u16.f32") => (a: f32) -> u16 { whole(flushed(a).into(), $rounding) as u16 }
        concat!("cvt.", $name, ".ftz.s16.f32") => (a: f32) -> i16 { whole(flushed(a).into(), $rounding) as i16 }
        concat!("cvt.", $name, ".ftz.u32.f32") => (a: f32) -> u32 { whole(flushed(a).into(), $rounding) as u32 }
        concat!("cvt.", $name, ".ftz.s32.f32") => (a: f32) -> i32 { whole(flushed(a).into(), $rounding) as i32 }
        concat!("cvt.", $name, ".ftz.u64.f32") => (a: f32) -> u64 { if a.is_nan() { 1 << 63 } else { whole(flushed(a).into(), $rounding) as u64 } }
        concat!("cvt.", $name, ".ftz.s64.f32") => (a: f32) -> i64 { if a.is_nan() { i64::MIN } else { whole(flushed(a).into(), $rounding) as i64 } }
        concat!("cvt.", $name, ".u16.f64") => (a: f64) -> u16 { if a.is_nan() { 1 << 15 } else { whole(a, $rounding) as u16 } }
        concat!("cvt.", $name, ".s16.f64") => (a: f64) -> i16 { if a.is_nan() { i16::MIN } else { whole(a, $rounding) as i16 } }
        concat!("cvt.", $name, ".u32.f64") => (a: f64) -> u32 { if a.is_nan() { 1 << 31 } else { whole(a, $rounding) as u32 } }
        concat!("cvt.", $name, ".s32.f64") => (a: f64) -> i32 { if a.is_nan() { i32::MIN } else { whole(a, $rounding) as i32 } }
        concat!("cvt.", $name, ".u64.f64") => (a: f64) -> u64 { if a.is_nan() { 1 << 63 } else { whole(a, $rounding) as u64 } }
        concat!("cvt.", $name, ".s64.f64") => (a: f64) -> i64 { if a.is_nan() { i64::MIN } else { whole(a, $rounding) as i64 } }
        concat!("cvt.", $name, ".f32.f32") => (a: f32) -> f32 { canonical(whole(a.into(), $rounding) as f32) }
        concat!("cvt.", $name, ".ftz.f32.f32") => (a: f32) -> f32 { canonical(whole(flushed(a).into(), $rounding) as f32) }
        concat!("cvt.", $name, ".sat.f32.f32") => (a: f32) -> f32 { saturated(whole(a.into(), $rounding) as f32) }
        concat!("cvt.", $name, ".f64.f64") => (a: f64) -> f64 { whole(a, $rounding) }
    },)*
    floats!(Nearest "rn", Zero "rz", Down "rm", Up "rp",),
    rows! {
        "cvt.f32.f32" => (a: f32) -> f32 { a }
        "cvt.ftz.f32.f32" => (a: f32) -> f32 { flushed(a) }
        "cvt.sat.f32.f32" => (a: f32) -> f32 { saturated(a) }
        "cvt.ftz.sat.f32.f32" => (a: f32) -> f32 { saturated(flushed(a)) }
        "cvt.f64.f32" => (a: f32) -> f64 { same(a).into() }
        "cvt.ftz.f64.f32" => (a: f32) -> f64 { flushed(a).into() }
        "cvt.f64.f64" => (a: f64) -> f64 { a }
    }] };
}

/// Rows from integers and from double precision, which round to the bits of the result.
macro_rules! floats {
    ($($rounding:ident $name:literal,)*) => { rows! {
        $(concat!("cvt.", $name, ".f32.u8") => (a: u8) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.s8") => (a: i8) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.u16") => (a: u16) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.s16") => (a: i16) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.u32") => (a: u32) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.s32") => (a: i32) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.u64") => (a: u64) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.s64") => (a: i64) -> f32 { single(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.u8") => (a: u8) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.s8") => (a: i8) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.u16") => (a: u16) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.s16") => (a: i16) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.u32") => (a: u32) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.s32") => (a: i32) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.u64") => (a: u64) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f64.s64") => (a: i64) -> f64 { double(a.into(), $rounding) }
        concat!("cvt.", $name, ".f32.f64") => (a: f64) -> f32 { canonical(rounded(a, 0.0, $rounding)) }
        concat!("cvt.", $name, ".ftz.f32.f64") => (a: f64) -> f32 { canonical(flushed(rounded(a, 0.0, $rounding))) }
        concat!("cvt.", $name, ".sat.f32.f64") => (a: f64) -> f32 { saturated(rounded(a, 0.0, $rounding)) })*
    } };
}

pub(super) const ROWS: &[&[Row]] = integers!(Nearest "rni", Zero "rzi", Down "rmi", Up "rpi",);
