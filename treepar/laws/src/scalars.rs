//! Operators, casts and methods of each type of number: a map by them yields what rustc's code yields, on numbers at the
//! edges of the type.

use treepar::device::{ArgVisitor, Call, In, Outputs, RowFn, bytemuck, device, template};
use treepar::{Backend, Cpu, Element};

use crate::drawn::Rng;
use crate::{each_holds, put, rows};

/// A number that is drawn at the edges of its type, small, or of any bits.
trait Drawn: Element {
    fn drawn(rng: &mut Rng) -> Self;
}

fn any_bits(rng: &mut Rng) -> u64 {
    u64::from(rng.next()) << 33 ^ u64::from(rng.next())
}

macro_rules! drawn_integers {
    ($($ty:ident)*) => {$(
        impl Drawn for $ty {
            fn drawn(rng: &mut Rng) -> $ty {
                const EDGES: [$ty; 8] =
                    [0, 1, 2, $ty::MAX, $ty::MAX - 1, $ty::MIN, $ty::MIN + 1, $ty::MAX / 2 + 1];
                match rng.below(3) {
                    0 => rng.one_of(&EDGES),
                    1 => (rng.below(24) as $ty).wrapping_sub(9),
                    _ => any_bits(rng) as $ty,
                }
            }
        }
    )*};
}

drawn_integers!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! drawn_floats {
    ($($ty:ident)*) => {$(
        impl Drawn for $ty {
            fn drawn(rng: &mut Rng) -> $ty {
                const EDGES: [$ty; 14] = [
                    0.0, 0.5, 1.0, 1.5, 2.5, 1.0 / 3.0, $ty::EPSILON, $ty::MAX, $ty::INFINITY, $ty::NAN, $ty::MIN_POSITIVE,
                    $ty::MIN_POSITIVE / 8.0, 1.0 - $ty::EPSILON, 0.5 - $ty::EPSILON / 4.0,
                ];
                // The powers of two at which the integers of some type end.
                const ENDS: [i32; 10] = [7, 8, 15, 16, 23, 31, 32, 52, 63, 64];
                let value = match rng.below(4) {
                    0 => rng.one_of(&EDGES),
                    1 => {
                        let end = (2.0 as $ty).powi(rng.one_of(&ENDS));
                        rng.one_of(&[end, end.next_down(), end.next_up(), end - 1.0, end + 1.0, end - 0.5, end + 0.5])
                    }
                    2 => rng.below(2000) as $ty / 8.0,
                    _ => $ty::from_bits(any_bits(rng) as _),
                };
                if rng.below(2) == 0 { value } else { -value }
            }
        }
    )*};
}

drawn_floats!(f32 f64);

/// Declares a map per type that casts to all types.
macro_rules! casts {
    ($($ty:ident $cast:ident;)*) => {$(
        #[device(map)]
        #[allow(clippy::unnecessary_cast)]
        fn $cast(i: usize, x: &[$ty]) -> (u8, u16, u32, u64, i8, i16, i32, i64, f32, f64) {
            let x = x[i];
            (x as u8, x as u16, x as u32, x as u64, x as i8, x as i16, x as i32, x as i64, x as f32, x as f64)
        }
    )*};
}

casts! {
    u8 cast_u8;
    u16 cast_u16;
    u32 cast_u32;
    u64 cast_u64;
    i8 cast_i8;
    i16 cast_i16;
    i32 cast_i32;
    i64 cast_i64;
    f32 cast_f32;
    f64 cast_f64;
}

/// Declares the maps by operators and methods of integers of any sign.
macro_rules! integers {
    ($($ty:ident $operators:ident $methods:ident;)*) => {$(
        #[device(map)]
        #[allow(clippy::unnecessary_cast)]
        fn $operators(i: usize, a: &[$ty], b: &[$ty]) -> ($ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty, u32) {
            let (a, b) = (a[i], b[i]);
            let compared = (a < b) as u32 | ((a <= b) as u32) << 1 | ((a == b) as u32) << 2;
            (
                a.wrapping_add(b),
                a.wrapping_sub(b),
                a.wrapping_mul(b),
                a.wrapping_neg(),
                a.wrapping_shl(b as u32),
                a.wrapping_shr(b as u32),
                a.rotate_left(b as u32),
                a.min(b),
                a & b ^ !(a | b),
                compared,
            )
        }

        #[device(map)]
        #[allow(clippy::unnecessary_cast)]
        fn $methods(i: usize, a: &[$ty], b: &[$ty]) -> ($ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty, u32, u32) {
            let divisor = if b[i] == 0 { 7 } else { b[i] };
            let zeros = a[i].leading_zeros() | a[i].trailing_zeros() << 8 | a[i].count_zeros() << 16;
            let ones = a[i].leading_ones() | a[i].trailing_ones() << 8 | a[i].count_ones() << 16;
            (
                a[i].saturating_add(b[i]),
                a[i].saturating_sub(b[i]),
                a[i].saturating_mul(b[i]),
                a[i].wrapping_pow(b[i] as u32 & 15),
                a[i].wrapping_div(divisor),
                a[i].wrapping_rem(divisor),
                a[i].clamp(3, 100),
                a[i].max(b[i]).rotate_right(3),
                zeros,
                ones,
            )
        }
    )*};
}

integers! {
    u8 operators_u8 methods_u8;
    u16 operators_u16 methods_u16;
    u32 operators_u32 methods_u32;
    u64 operators_u64 methods_u64;
    i8 operators_i8 methods_i8;
    i16 operators_i16 methods_i16;
    i32 operators_i32 methods_i32;
    i64 operators_i64 methods_i64;
}

/// Declares the map by methods of integers with a sign.
macro_rules! signed {
    ($($ty:ident $unsigned:ident $name:ident;)*) => {$(
        #[device(map)]
        fn $name(i: usize, a: &[$ty], b: &[$ty]) -> ($ty, $ty, $ty, $ty, $ty, $ty, $ty, $unsigned, $unsigned, u8) {
            // The least number has no counterpart, and no quotient by -1.
            let a = a[i];
            let divisor = if b[i] == 0 || b[i] == -1 { -7 } else { b[i] };
            let negative = if a == $ty::MIN { 1 } else { a };
            (
                a.wrapping_abs(),
                negative.abs() - 1,
                a.signum(),
                a / divisor,
                a % divisor,
                a.rem_euclid(divisor),
                a.div_euclid(divisor),
                a.abs_diff(b[i]),
                a.unsigned_abs(),
                a.is_negative() as u8 | a.is_positive() as u8 * 2,
            )
        }
    )*};
}

signed! {
    i8 u8 signed_i8;
    i16 u16 signed_i16;
    i32 u32 signed_i32;
    i64 u64 signed_i64;
}

/// Declares the map by methods of integers without a sign.
macro_rules! unsigned {
    ($($ty:ident $name:ident;)*) => {$(
        #[device(map)]
        fn $name(i: usize, a: &[$ty], b: &[$ty]) -> ($ty, $ty, $ty, $ty, $ty, u8) {
            let divisor = if b[i] == 0 { 7 } else { b[i] };
            (
                a[i] / divisor,
                a[i] % divisor,
                a[i].rem_euclid(divisor),
                a[i].div_euclid(divisor),
                a[i].abs_diff(b[i]),
                a[i].is_power_of_two() as u8,
            )
        }
    )*};
}

unsigned! {
    u8 unsigned_u8;
    u16 unsigned_u16;
    u32 unsigned_u32;
    u64 unsigned_u64;
}

/// Declares the maps by operators and methods of floats. Rust does not specify the sign of the lesser of two zeros, and zero
/// is added to it.
macro_rules! floats {
    ($($ty:ident $zero:literal $low:literal $bits:ident $operators:ident $rounded:ident $methods:ident;)*) => {$(
        #[device(map)]
        #[allow(clippy::suboptimal_flops)]
        fn $operators(i: usize, a: &[$ty], b: &[$ty]) -> ($ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty) {
            let (a, b) = (a[i], b[i]);
            (a + b, a - b, a * b, a / b, a % b, -a, a.min(b) + $zero, a.max(b) + $zero, a * b + a, a.mul_add(b, a))
        }

        #[device(map)]
        fn $rounded(i: usize, a: &[$ty]) -> ($ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty, $ty) {
            let a = a[i];
            (
                a.sqrt(),
                a.floor(),
                a.ceil(),
                a.trunc(),
                a.fract(),
                a.round(),
                a.round_ties_even(),
                a.abs(),
                a.signum(),
                a.recip(),
            )
        }

        #[device(map)]
        fn $methods(i: usize, a: &[$ty], b: &[$ty]) -> ($ty, $ty, $ty, $ty, $ty, $bits, u32, u32) {
            let (a, b) = (a[i], b[i]);
            let kind = a.is_nan() as u32 | (a.is_finite() as u32) << 1 | (a.is_infinite() as u32) << 2;
            // Nothing specifies the sign of a NaN.
            let sign = if a.is_nan() { 4 } else { a.is_sign_negative() as u32 | (a.is_sign_positive() as u32) << 1 };
            let compared = (a < b) as u32 | ((a <= b) as u32) << 1 | ((a == b) as u32) << 2 | ((a != b) as u32) << 3;
            (
                a.copysign(if b.is_nan() { a } else { b }),
                a.rem_euclid(b),
                a.div_euclid(b),
                a.clamp($low, $ty::MAX),
                $ty::from_bits(a.to_bits() ^ 1),
                if a.is_nan() { 0 } else { a.to_bits() },
                kind | sign << 3,
                compared,
            )
        }
    )*};
}

floats! {
    f32 0.0f32 1.5f32 u32 operators_f32 rounded_f32 methods_f32;
    f64 0.0f64 1.5f64 u64 operators_f64 rounded_f64 methods_f64;
}

/// Numbers of several sizes, without padding.
#[device]
struct Mixed {
    real: f64,
    short: i16,
    byte: i8,
    more: i8,
    single: f32,
}

const TABLE: [f64; 5] = [0.1, -1e300, f64::MIN_POSITIVE, 1e-310, 16_777_217.0];
const START: Mixed = Mixed { real: -0.0, short: i16::MIN, byte: -1, more: i8::MIN, single: 0.1 };

/// Literals, constants and fields.
#[device(map)]
fn literals(i: usize, x: &[i8], y: &[i16]) -> (Mixed, f64, f64, i16) {
    let kind = match x[i] {
        -128..=-100 => -30_000i16,
        -5 | 7 => i16::MAX,
        0..=6 => -1,
        other => other as i16,
    };
    let row = if y[i] > 300 {
        START
    } else {
        Mixed { real: 1.5e-7f64, short: kind, byte: x[i], more: -128i8, single: -2f32 }
    };
    let real = if x[i] < 0 { f64::NAN } else { TABLE[i % 5] };
    (row, real, -f64::INFINITY + f64::MAX * row.real, y[i])
}

/// Returns the bits of a value of at most 16 bytes as a word, and one word for every NaN.
#[expect(clippy::eq_op, reason = "only a NaN differs from itself")]
fn word<T: Element>(value: &T) -> u64 {
    let mut bytes = [0; 16];
    bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(value));
    let [low, high] = bytemuck::cast::<[u8; 16], [u64; 2]>(bytes);
    if value != value { u64::MAX - 1 } else { low ^ high.rotate_left(17) }
}

/// The columns of a result as words.
struct Columns<'a, B> {
    backend: &'a B,
    columns: Vec<Vec<u64>>,
}

impl<B: Backend> ArgVisitor<B> for Columns<'_, B> {
    fn column<T: Element>(&mut self, column: &B::Vec<T>) {
        self.columns.push(rows(self.backend, column).iter().map(word).collect());
    }
    fn scalar<T: bytemuck::NoUninit>(&mut self, _scalar: T) {}
}

/// Returns the columns of a map.
fn mapped<F: RowFn<Output: Outputs> + In<template::Map>, B: Backend>(b: &B, call: Call<'_, F, B>) -> Vec<Vec<u64>> {
    let mut columns = Columns { backend: b, columns: Vec::new() };
    F::Output::visit::<B>(&b.map(call).unwrap(), &mut columns);
    columns.columns
}

/// Checks that a map yields the results of rustc's code, which the CPU runs.
macro_rules! agrees {
    ($b:ident, $rng:ident, $n:ident: $($function:ident($($ty:ident),*);)*) => {$({
        let drawn = ($((0..$n).map(|_| <$ty as Drawn>::drawn($rng)).collect::<Vec<$ty>>(),)*);
        agrees!(@call $b, $function, drawn, $($ty),*);
    })*};
    (@call $b:ident, $function:ident, $drawn:ident, $a:ident) => {
        let cpu = Cpu::with_threads(1);
        let found = mapped($b, $function::of(&put($b, &$drawn.0)));
        let expected = mapped(&cpu, $function::of(&put(&cpu, &$drawn.0)));
        same(stringify!($function), &found, &expected, |row| format!("{:?}", $drawn.0[row]));
    };
    (@call $b:ident, $function:ident, $drawn:ident, $a:ident, $c:ident) => {
        let cpu = Cpu::with_threads(1);
        let found = mapped($b, $function::of(&put($b, &$drawn.0), &put($b, &$drawn.1)));
        let expected = mapped(&cpu, $function::of(&put(&cpu, &$drawn.0), &put(&cpu, &$drawn.1)));
        same(stringify!($function), &found, &expected, |row| format!("{:?}, {:?}", $drawn.0[row], $drawn.1[row]));
    };
}

fn same(function: &str, found: &[Vec<u64>], expected: &[Vec<u64>], arguments: impl Fn(usize) -> String) {
    assert_eq!(found.len(), expected.len());
    for (column, (found, expected)) in found.iter().zip(expected).enumerate() {
        let row = found.iter().zip(expected).position(|(found, expected)| found != expected);
        if let Some(row) = row {
            let of = arguments(row);
            panic!("result {column} of {function} of {of}: {:#x} instead of {:#x}", found[row], expected[row]);
        }
        assert_eq!(found.len(), expected.len());
    }
}

each_holds! {
    #[longest(5000)]
    casts_match_rust(b, rng, n) {
        agrees!(b, rng, n:
            cast_u8(u8); cast_u16(u16); cast_u32(u32); cast_u64(u64);
            cast_i8(i8); cast_i16(i16); cast_i32(i32); cast_i64(i64); cast_f32(f32); cast_f64(f64);
        );
    }

    #[longest(5000)]
    integers_match_rust(b, rng, n) {
        agrees!(b, rng, n:
            operators_u8(u8, u8); operators_u16(u16, u16); operators_u32(u32, u32); operators_u64(u64, u64);
            operators_i8(i8, i8); operators_i16(i16, i16); operators_i32(i32, i32); operators_i64(i64, i64);
            methods_u8(u8, u8); methods_u16(u16, u16); methods_u32(u32, u32); methods_u64(u64, u64);
            methods_i8(i8, i8); methods_i16(i16, i16); methods_i32(i32, i32); methods_i64(i64, i64);
            signed_i8(i8, i8); signed_i16(i16, i16); signed_i32(i32, i32); signed_i64(i64, i64);
            unsigned_u8(u8, u8); unsigned_u16(u16, u16); unsigned_u32(u32, u32); unsigned_u64(u64, u64);
        );
    }

    #[longest(5000)]
    floats_match_rust(b, rng, n) {
        agrees!(b, rng, n:
            operators_f32(f32, f32); operators_f64(f64, f64); rounded_f32(f32); rounded_f64(f64);
            methods_f32(f32, f32); methods_f64(f64, f64);
        );
    }

    #[longest(5000)]
    literals_match_rust(b, rng, n) {
        agrees!(b, rng, n: literals(i8, i16););
    }
}
