//! Comparisons. A comparison of floats is ordered: false if an operand is not a number, unless its name ends in `u`.

use super::float32::flushed;
use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

macro_rules! equal {
    ($($ty:ident $($name:literal)+,)*) => { rows! {
        $($(concat!("setp.eq.", $name)),+ => (a: $ty, b: $ty) -> bool { a == b }
        $(concat!("setp.ne.", $name)),+ => (a: $ty, b: $ty) -> bool { a != b })*
    } };
}

macro_rules! ordered {
    ($($ty:ident $name:literal $lt:literal $le:literal $gt:literal $ge:literal,)*) => { rows! {
        $(concat!("setp.lt.", $name), concat!("setp.", $lt, ".", $name) => (a: $ty, b: $ty) -> bool { a < b }
        concat!("setp.le.", $name), concat!("setp.", $le, ".", $name) => (a: $ty, b: $ty) -> bool { a <= b }
        concat!("setp.gt.", $name), concat!("setp.", $gt, ".", $name) => (a: $ty, b: $ty) -> bool { a > b }
        concat!("setp.ge.", $name), concat!("setp.", $ge, ".", $name) => (a: $ty, b: $ty) -> bool { a >= b })*
    } };
}

macro_rules! floats {
    ($($ty:ident $name:literal $flush:ident,)*) => { rows! {
        $(concat!("setp.eq.", $name) => (a: $ty, b: $ty) -> bool { $flush(a) == $flush(b) }
        concat!("setp.ne.", $name) => (a: $ty, b: $ty) -> bool {
            let (a, b) = ($flush(a), $flush(b));
            !a.is_nan() && !b.is_nan() && a != b
        }
        concat!("setp.lt.", $name) => (a: $ty, b: $ty) -> bool { $flush(a) < $flush(b) }
        concat!("setp.le.", $name) => (a: $ty, b: $ty) -> bool { $flush(a) <= $flush(b) }
        concat!("setp.gt.", $name) => (a: $ty, b: $ty) -> bool { $flush(a) > $flush(b) }
        concat!("setp.ge.", $name) => (a: $ty, b: $ty) -> bool { $flush(a) >= $flush(b) }
        concat!("setp.equ.", $name) => (a: $ty, b: $ty) -> bool { a.is_nan() || b.is_nan() || $flush(a) == $flush(b) }
        concat!("setp.neu.", $name) => (a: $ty, b: $ty) -> bool { $flush(a) != $flush(b) }
        concat!("setp.ltu.", $name) => (a: $ty, b: $ty) -> bool { a.is_nan() || b.is_nan() || $flush(a) < $flush(b) }
        concat!("setp.leu.", $name) => (a: $ty, b: $ty) -> bool { a.is_nan() || b.is_nan() || $flush(a) <= $flush(b) }
        concat!("setp.gtu.", $name) => (a: $ty, b: $ty) -> bool { a.is_nan() || b.is_nan() || $flush(a) > $flush(b) }
        concat!("setp.geu.", $name) => (a: $ty, b: $ty) -> bool { a.is_nan() || b.is_nan() || $flush(a) >= $flush(b) }
        concat!("setp.num.", $name) => (a: $ty, b: $ty) -> bool { !a.is_nan() && !b.is_nan() }
        concat!("setp.nan.", $name) => (a: $ty, b: $ty) -> bool { a.is_nan() || b.is_nan() })*
    } };
}

fn same<T>(value: T) -> T {
    value
}

pub(super) const ROWS: &[&[Row]] = &[
    equal!(u16 "b16" "u16" "s16", u32 "b32" "u32" "s32", u64 "b64" "u64" "s64",),
    ordered!(u16 "u16" "lo" "ls" "hi" "hs", u32 "u32" "lo" "ls" "hi" "hs", u64 "u64" "lo" "ls" "hi" "hs",),
    ordered!(i16 "s16" "lt" "le" "gt" "ge", i32 "s32" "lt" "le" "gt" "ge", i64 "s64" "lt" "le" "gt" "ge",),
    floats!(f32 "f32" same, f64 "f64" same, f32 "ftz.f32" flushed,),
    rows! {
        "testp.finite.f32" => (a: f32) -> bool { a.is_finite() }
        "testp.infinite.f32" => (a: f32) -> bool { a.is_infinite() }
        "testp.number.f32" => (a: f32) -> bool { !a.is_nan() }
        "testp.notanumber.f32" => (a: f32) -> bool { a.is_nan() }
        "testp.normal.f32" => (a: f32) -> bool { a.is_normal() }
        "testp.subnormal.f32" => (a: f32) -> bool { a.is_subnormal() }
        "testp.finite.f64" => (a: f64) -> bool { a.is_finite() }
        "testp.infinite.f64" => (a: f64) -> bool { a.is_infinite() }
        "testp.number.f64" => (a: f64) -> bool { !a.is_nan() }
        "testp.notanumber.f64" => (a: f64) -> bool { a.is_nan() }
        "testp.normal.f64" => (a: f64) -> bool { a.is_normal() }
        "testp.subnormal.f64" => (a: f64) -> bool { a.is_subnormal() }
    },
];
