//! Arithmetic of single precision. A result that is not a number is always `0x7fffffff`.

use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

/// A rounding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}
use Rounding::{Down, Nearest, Up, Zero};

/// Replaces a subnormal value by a zero of its sign.
pub(super) fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

fn kept(value: f32) -> f32 {
    value
}

/// Replaces each NaN by the only NaN that instructions return.
pub(super) fn canonical(value: f32) -> f32 {
    // LLVM may replace "one NaN for all NaNs" by the value itself, so the bits are compared and not the numbers.
    let bits = value.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

/// Limits a value to 0 to 1. A NaN becomes 0.
pub(super) fn saturated(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// Rounds the exact value `value + error` to single precision. The error is at most half an ulp of `value`.
pub(super) fn rounded(value: f64, error: f64, rounding: Rounding) -> f32 {
    let nearest = value as f32;
    if rounding == Nearest || !value.is_finite() {
        return nearest;
    }
    let wide = f64::from(nearest);
    let (above, below) = (wide > value || wide == value && error < 0.0, wide < value || wide == value && error > 0.0);
    let negative = value < 0.0 || value == 0.0 && error < 0.0;
    match rounding {
        Down if above => nearest.next_down(),
        Up if below => nearest.next_up(),
        Zero if above && !negative => nearest.next_down(),
        Zero if below && negative => nearest.next_up(),
        _ => nearest,
    }
}

/// Adds exactly: returns the rounded sum and its error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

fn add(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Nearest {
        return a + b;
    }
    directed_sum(f64::from(a), f64::from(b), rounding)
}

/// Adds values whose sum of zero is negative only if rounded down.
fn directed_sum(a: f64, b: f64, rounding: Rounding) -> f32 {
    let (sum, error) = two_sum(a, b);
    if sum == 0.0 && rounding == Down && (a != 0.0 || a.is_sign_negative() || b.is_sign_negative()) {
        return -0.0;
    }
    rounded(sum, error, rounding)
}

fn mul(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Nearest { a * b } else { rounded(f64::from(a) * f64::from(b), 0.0, rounding) }
}

fn fma(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    if rounding == Nearest {
        return a.mul_add(b, c);
    }
    directed_sum(f64::from(a) * f64::from(b), f64::from(c), rounding)
}

fn div(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Nearest {
        return a / b;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let quotient = a / b;
    rounded(quotient, (-quotient).mul_add(b, a) * b.signum(), rounding)
}

fn sqrt(a: f32, rounding: Rounding) -> f32 {
    let a = f64::from(a);
    let root = a.sqrt();
    rounded(root, (-root).mul_add(root, a), rounding)
}

fn min(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => canonical(b),
        (_, true) => a,
        // The negative zero is less than the positive one.
        _ if a == b => f32::from_bits(a.to_bits() | b.to_bits()),
        _ => {
            if a < b {
                a
            } else {
                b
            }
        }
    }
}

fn max(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => canonical(b),
        (_, true) => a,
        _ if a == b => f32::from_bits(a.to_bits() & b.to_bits()),
        _ => {
            if a > b {
                a
            } else {
                b
            }
        }
    }
}

fn approximate(of: impl Fn(f64) -> f64, a: f32) -> f32 {
    of(f64::from(a)) as f32
}

/// Rows for one rounding, flush and limit.
macro_rules! arithmetic {
    ($($rounding:ident $flush:ident $limit:ident [$($name:literal)+] $rest:literal,)*) => { &[$(rows! {
        $(concat!("add", $name, $rest)),+ => (a: f32, b: f32) -> f32 {
            canonical($limit($flush(add($flush(a), $flush(b), $rounding))))
        }
        $(concat!("sub", $name, $rest)),+ => (a: f32, b: f32) -> f32 {
            canonical($limit($flush(add($flush(a), -$flush(b), $rounding))))
        }
        $(concat!("mul", $name, $rest)),+ => (a: f32, b: f32) -> f32 {
            canonical($limit($flush(mul($flush(a), $flush(b), $rounding))))
        }
        $(concat!("fma", $name, $rest), concat!("mad", $name, $rest)),+ => (a: f32, b: f32, c: f32) -> f32 {
            canonical($limit($flush(fma($flush(a), $flush(b), $flush(c), $rounding))))
        }
    },)*
    quotients!(
        Nearest kept ".rn.f32", Zero kept ".rz.f32", Down kept ".rm.f32", Up kept ".rp.f32",
        Nearest flushed ".rn.ftz.f32", Zero flushed ".rz.ftz.f32", Down flushed ".rm.ftz.f32", Up flushed ".rp.ftz.f32",
        Nearest kept ".approx.f32", Nearest flushed ".approx.ftz.f32",
    ),
    unary!(kept "f32", flushed "ftz.f32",),
    rows! {
        "div.full.f32" => (a: f32, b: f32) -> f32 { canonical(a / b) }
        "div.full.ftz.f32" => (a: f32, b: f32) -> f32 { canonical(flushed(flushed(a) / flushed(b))) }
        "copysign.f32" => (a: f32, b: f32) -> f32 { b.copysign(a) }
        "tanh.approx.f32" => (a: f32) -> f32 { canonical(approximate(f64::tanh, a)) }
    }] };
}

macro_rules! quotients {
    ($($rounding:ident $flush:ident $name:literal,)*) => { rows! {
        $(concat!("div", $name) => (a: f32, b: f32) -> f32 { canonical($flush(div($flush(a), $flush(b), $rounding))) }
        concat!("rcp", $name) => (a: f32) -> f32 { canonical($flush(div(1.0, $flush(a), $rounding))) }
        concat!("sqrt", $name) => (a: f32) -> f32 { canonical($flush(sqrt($flush(a), $rounding))) })*
    } };
}

macro_rules! unary {
    ($($flush:ident $name:literal,)*) => { rows! {
        $(concat!("abs.", $name) => (a: f32) -> f32 { $flush(a).abs() }
        concat!("neg.", $name) => (a: f32) -> f32 { -$flush(a) }
        concat!("min.", $name) => (a: f32, b: f32) -> f32 { min($flush(a), $flush(b)) }
        concat!("max.", $name) => (a: f32, b: f32) -> f32 { max($flush(a), $flush(b)) }
        concat!("rsqrt.approx.", $name) => (a: f32) -> f32 { canonical($flush(approximate(|a| 1.0 / a.sqrt(), $flush(a)))) }
        concat!("ex2.approx.", $name) => (a: f32) -> f32 { canonical($flush(approximate(f64::exp2, $flush(a)))) }
        concat!("lg2.approx.", $name) => (a: f32) -> f32 { canonical($flush(approximate(f64::log2, $flush(a)))) }
        concat!("sin.approx.", $name) => (a: f32) -> f32 { canonical($flush(approximate(f64::sin, $flush(a)))) }
        concat!("cos.approx.", $name) => (a: f32) -> f32 { canonical($flush(approximate(f64::cos, $flush(a)))) })*
        "min.NaN.f32" => (a: f32, b: f32) -> f32 { if a.is_nan() { canonical(a) } else if b.is_nan() { canonical(b) } else { min(a, b) } }
        "max.NaN.f32" => (a: f32, b: f32) -> f32 { if a.is_nan() { canonical(a) } else if b.is_nan() { canonical(b) } else { max(a, b) } }
    } };
}

pub(super) const ROWS: &[&[Row]] = arithmetic!(
    Nearest kept kept ["" ".rn"] ".f32", Zero kept kept [".rz"] ".f32",
    Down kept kept [".rm"] ".f32", Up kept kept [".rp"] ".f32",
    Nearest flushed kept ["" ".rn"] ".ftz.f32", Zero flushed kept [".rz"] ".ftz.f32",
    Down flushed kept [".rm"] ".ftz.f32", Up flushed kept [".rp"] ".ftz.f32",
    Nearest kept saturated ["" ".rn"] ".sat.f32", Zero kept saturated [".rz"] ".sat.f32",
    Down kept saturated [".rm"] ".sat.f32", Up kept saturated [".rp"] ".sat.f32",
    Nearest flushed saturated ["" ".rn"] ".ftz.sat.f32", Zero flushed saturated [".rz"] ".ftz.sat.f32",
    Down flushed saturated [".rm"] ".ftz.sat.f32", Up flushed saturated [".rp"] ".ftz.sat.f32",
);
