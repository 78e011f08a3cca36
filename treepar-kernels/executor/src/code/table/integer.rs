//! Arithmetic of integers, which wraps unless it says otherwise.

use super::{Lane, OPERANDS, Registers, Row, each_lane, rows};

/// A type with its name, and the type with twice the bits.
macro_rules! integers {
    ($($ty:ident $name:literal,)*) => { &[$(rows! {
        concat!("add.", $name) => (a: $ty, b: $ty) -> $ty { a.wrapping_add(b) }
        concat!("sub.", $name) => (a: $ty, b: $ty) -> $ty { a.wrapping_sub(b) }
        concat!("mul.lo.", $name) => (a: $ty, b: $ty) -> $ty { a.wrapping_mul(b) }
        concat!("mul.hi.", $name) => (a: $ty, b: $ty) -> $ty { (((a as i128).wrapping_mul(b as i128)) >> $ty::BITS) as $ty }
        concat!("mad.lo.", $name) => (a: $ty, b: $ty, c: $ty) -> $ty { a.wrapping_mul(b).wrapping_add(c) }
        concat!("mad.hi.", $name) => (a: $ty, b: $ty, c: $ty) -> $ty {
            ((((a as i128).wrapping_mul(b as i128)) >> $ty::BITS) as $ty).wrapping_add(c)
        }
        concat!("sad.", $name) => (a: $ty, b: $ty, c: $ty) -> $ty { c.wrapping_add(a.abs_diff(b) as $ty) }
        // A device returns all ones for a quotient by zero, and the dividend for a remainder.
        concat!("div.", $name) => (a: $ty, b: $ty) -> $ty { if b == 0 { !0 } else { a.wrapping_div(b) } }
        concat!("rem.", $name) => (a: $ty, b: $ty) -> $ty { if b == 0 { a } else { a.wrapping_rem(b) } }
        concat!("min.", $name) => (a: $ty, b: $ty) -> $ty { a.min(b) }
        concat!("max.", $name) => (a: $ty, b: $ty) -> $ty { a.max(b) }
        concat!("abs.", $name) => (a: $ty) -> $ty { if a > 0 { a } else { a.wrapping_neg() } }
        concat!("neg.", $name) => (a: $ty) -> $ty { a.wrapping_neg() }
    },)*
    wide!(u16 u32 "u16", i16 i32 "s16", u32 u64 "u32", i32 i64 "s32",),
    carries!(u32 "u32", u64 "u64",),
    rows! {
        "add.sat.s32" => (a: i32, b: i32) -> i32 { a.saturating_add(b) }
        "sub.sat.s32" => (a: i32, b: i32) -> i32 { a.saturating_sub(b) }
        "mad.hi.sat.s32" => (a: i32, b: i32, c: i32) -> i32 {
            ((i64::from(a) * i64::from(b) >> 32) as i32).saturating_add(c)
        }
        "mul24.lo.u32" => (a: u32, b: u32) -> u32 { (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff) }
        "mul24.lo.s32" => (a: i32, b: i32) -> i32 { (a << 8 >> 8).wrapping_mul(b << 8 >> 8) }
        "mad24.lo.u32" => (a: u32, b: u32, c: u32) -> u32 { (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c) }
        "mad24.lo.s32" => (a: i32, b: i32, c: i32) -> i32 { (a << 8 >> 8).wrapping_mul(b << 8 >> 8).wrapping_add(c) }
    }] };
}

macro_rules! wide {
    ($($ty:ident $double:ident $name:literal,)*) => { rows! {
        $(concat!("mul.wide.", $name) => (a: $ty, b: $ty) -> $double { a as $double * b as $double }
        concat!("mad.wide.", $name) => (a: $ty, b: $ty, c: $double) -> $double {
            (a as $double * b as $double).wrapping_add(c)
        })*
    } };
}

/// Carries of additions and borrows of subtractions, and the results that depend on them.
macro_rules! carries {
    ($($ty:ident $name:literal,)*) => { rows! {
        $(concat!("@carry.add.", $name) => (a: $ty, b: $ty, c: bool) -> bool { a.carrying_add_(b, c).1 }
        concat!("@result.add.", $name) => (a: $ty, b: $ty, c: bool) -> $ty { a.carrying_add_(b, c).0 }
        concat!("@carry.sub.", $name) => (a: $ty, b: $ty, c: bool) -> bool { a.borrowing_sub_(b, c).1 }
        concat!("@result.sub.", $name) => (a: $ty, b: $ty, c: bool) -> $ty { a.borrowing_sub_(b, c).0 })*
    } };
}

/// Addition with a carry in and out.
trait Carry: Sized {
    fn carrying_add_(self, other: Self, carry: bool) -> (Self, bool);
    fn borrowing_sub_(self, other: Self, borrow: bool) -> (Self, bool);
}

macro_rules! carry {
    ($($ty:ident)*) => {$(impl Carry for $ty {
        fn carrying_add_(self, other: $ty, carry: bool) -> ($ty, bool) {
            let (sum, first) = self.overflowing_add(other);
            let (sum, second) = sum.overflowing_add(carry as $ty);
            (sum, first || second)
        }

        fn borrowing_sub_(self, other: $ty, borrow: bool) -> ($ty, bool) {
            let (difference, first) = self.overflowing_sub(other);
            let (difference, second) = difference.overflowing_sub(borrow as $ty);
            (difference, first || second)
        }
    })*};
}
carry!(u32 u64);

pub(super) const ROWS: &[&[Row]] = integers!(u16 "u16", i16 "s16", u32 "u32", i32 "s32", u64 "u64", i64 "s64",);
