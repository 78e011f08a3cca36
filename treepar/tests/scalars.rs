//! The operators that generated text contains, and values of every type of number.

#![allow(dead_code, reason = "only the definitions of some functions are read")]

use treepar::device::{DeviceFn, Scalar, device};
use treepar_codegen::translate;

/// The first words of the operators that only some units contain.
const PARTS: [&str; 2] = ["using f64 = double;", "namespace rust {"];

fn parts_of(function: &'static treepar::device::Def) -> [bool; 2] {
    let text = translate(&[function]).unwrap();
    PARTS.map(|part| text.contains(part))
}

#[device]
fn f64_by_name_only(x: f32) -> f32 {
    let abs = x.min(1.0f32);
    let f64 = abs * 2.0f32;
    f64 + x.to_bits() as f32
}

#[device]
struct Pair {
    real: f64,
    long: i64,
}

#[device]
fn moved(pair: Pair) -> Pair {
    pair
}

#[device]
fn narrow(x: u32) -> u32 {
    (x as i8).wrapping_add(1) as u32
}

#[device]
fn methods(abs: i32, rust: i32) -> u32 {
    let signum = abs.abs_diff(rust.signum());
    signum.saturating_sub(1)
}

#[test]
fn units_contain_only_operators_that_they_use() {
    assert_eq!(parts_of(f64_by_name_only::DEF), [false, false]);
    assert_eq!(parts_of(moved::DEF), [true, false]);
    assert_eq!(parts_of(narrow::DEF), [true, false]);
    assert_eq!(parts_of(methods::DEF), [true, true]);
    let text = translate(&[methods::DEF]).unwrap();
    assert!(text.contains("rust::saturating_sub(signum, u32(1u))"), "{text}");
}

#[device]
fn constants(x: i8) -> f64 {
    let bits = f64::from_bits(f64::MAX.to_bits() - 1);
    let least = if x == i8::MIN { i16::MIN as f64 } else { -0.0f64 };
    bits - least * 1e300f64 + f64::INFINITY.recip() + 3f64
}

#[test]
fn literals_keep_their_bits() {
    let text = translate(&[constants::DEF]).unwrap();
    for part in ["1.7976931348623157e308", "i8(128u)", "cast<f64>(i16(32768u))", "neg(0.0)", "1e300", "3.0"] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
    assert!(text.contains(&format!("rust::recip(from_bits({}ull))", f64::INFINITY.to_bits())), "{text}");
}

#[test]
fn scalars_know_their_limits() {
    let limits = |scalar: Scalar| ["MIN", "MAX", "BITS"].map(|name| scalar.constant(name).map(|(_, bits)| bits));
    assert_eq!(limits(Scalar::I8), [Some(0x80), Some(0x7f), Some(8)]);
    assert_eq!(limits(Scalar::I16), [Some(0x8000), Some(0x7fff), Some(16)]);
    assert_eq!(limits(Scalar::F64), [Some(f64::MIN.to_bits()), Some(f64::MAX.to_bits()), None]);
    for &scalar in Scalar::ALL {
        assert_eq!(scalar.unsigned().bits(), scalar.bits(), "{scalar:?}");
    }
}
