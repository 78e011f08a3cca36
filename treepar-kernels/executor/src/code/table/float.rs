//! Arithmetic of double precision, rounded to nearest. Other roundings are unknown instructions.

use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

fn min(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        // The negative zero is less than the positive one.
        _ if a == b => f64::from_bits(a.to_bits() | b.to_bits()),
        _ => {
            if a < b {
                a
            } else {
                b
            }
        }
    }
}

fn max(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == b => f64::from_bits(a.to_bits() & b.to_bits()),
        _ => {
            if a > b {
                a
            } else {
                b
            }
        }
    }
}

pub(super) const ROWS: &[&[Row]] = &[rows! {
    "add.f64", "add.rn.f64" => (a: f64, b: f64) -> f64 { a + b }
    "sub.f64", "sub.rn.f64" => (a: f64, b: f64) -> f64 { a - b }
    "mul.f64", "mul.rn.f64" => (a: f64, b: f64) -> f64 { a * b }
    "fma.rn.f64", "mad.rn.f64" => (a: f64, b: f64, c: f64) -> f64 { a.mul_add(b, c) }
    "div.rn.f64" => (a: f64, b: f64) -> f64 { a / b }
    "rcp.rn.f64" => (a: f64) -> f64 { 1.0 / a }
    "sqrt.rn.f64" => (a: f64) -> f64 { a.sqrt() }
    "min.f64" => (a: f64, b: f64) -> f64 { min(a, b) }
    "max.f64" => (a: f64, b: f64) -> f64 { max(a, b) }
    "abs.f64" => (a: f64) -> f64 { a.abs() }
    "neg.f64" => (a: f64) -> f64 { -a }
    "copysign.f64" => (a: f64, b: f64) -> f64 { b.copysign(a) }
}];
