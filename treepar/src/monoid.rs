//! Ready-made monoids, as values: `backend.reduce(&x, Sum)`.
//!
//! A monoid such as [`Sum`] combines every type of number. For user types write a
//! `#[device(monoid(identity = ..))]` function; its name is then a value too. [`pair!`](crate::pair) and
//! [`segmented!`](crate::segmented) make new monoids of these.
//!
//! | monoid | elements | laws |
//! |---|---|---|
//! | [`Sum`], [`Product`] | all numbers | wrapping; of f32 and f64 up to rounding: the last bits depend on how rows are cut into blocks |
//! | [`Min`], [`Max`] | all numbers | of f32 and f64 a number wins over a NaN, and so does the identity: of NaNs alone the result is an infinity |
//! | [`And`], [`Or`], [`Xor`] | u8 to u64 | |
//! | [`first_u32`], [`last_u32`] | u32, where `u32::MAX` means none | not commutative; `last_u32` has resets |
//! | [`argmin_u32`], [`argmax_u32`] | [`Ranked`]: a key and its row | the first of equals |
//! | [`min_max_u32`] | [`Range`]: both at once | a pair |
//! | [`segmented_sum_u32`] | [`Headed`]: a value, and whether a segment begins | segments in a plain scan |
//!
//! The device function of a monoid has the type in its name, as in `sum_u32`. Device functions call it, and it is a
//! monoid too. [`Sum`] stands for whichever of them fits the elements.

use crate::Backend;
use crate::device::{Call, Def, Element, In, Monoid, RowFn, device, template};

mod compound;
pub use compound::{Headed, Range, Ranked, argmax_u32, argmin_u32, min_max_u32, segmented_sum_u32};

/// A number whose columns templates read as they are, by the monoids of this module.
///
/// For columns of your own structs pass a call object of a device function.
///
/// ```
/// use treepar::monoid::Number;
/// use treepar::prelude::*;
///
/// fn mean<T: Number + Into<f64>>(cpu: &Cpu, values: &[T]) -> treepar::Result<f64> {
///     Ok(cpu.reduce(&cpu.upload(values)?, Sum)?.into() / values.len() as f64)
/// }
/// assert_eq!(mean(&Cpu::new(), &[1u32, 2, 6])?, 3.0);
/// assert_eq!(mean(&Cpu::new(), &[1.0f32, 0.0])?, 0.5);
/// # Ok::<(), treepar::Error>(())
/// ```
pub trait Number: Element + num_traits::NumAssign + num_traits::Bounded + PartialOrd {
    /// The device function of [`Sum`].
    type Sum: Monoid<Self>;
    /// The device function of [`Product`].
    type Product: Monoid<Self>;
    /// The device function of [`Min`].
    type Min: Monoid<Self>;
    /// The device function of [`Max`].
    type Max: Monoid<Self>;
    /// The device function that reads a row.
    type Reader: RowFn<Output = Self> + Reads<Sum> + Reads<Product> + Reads<Min> + Reads<Max>;
    /// The device function that reads the row which another column names.
    type Gather: RowFn<Output = Self> + In<template::Map>;
    /// Returns a call that reads each row of a column.
    fn reader<'a, B: Backend + 'a>(column: &'a B::Vec<Self>) -> Call<'a, Self::Reader, B>;
    /// Returns a call that reads row `rows[i]` of a column for each `i`.
    fn gather<'a, B: Backend + 'a>(values: &'a B::Vec<Self>, rows: &'a B::Vec<u32>) -> Call<'a, Self::Gather, B>;
}

/// A number whose bits are combined.
pub trait Bits: Number<Reader: Reads<And> + Reads<Or> + Reads<Xor>> + num_traits::PrimInt {
    /// The device function of [`And`].
    type And: Monoid<Self>;
    /// The device function of [`Or`].
    type Or: Monoid<Self>;
    /// The device function of [`Xor`].
    type Xor: Monoid<Self>;
}

/// A device function that is declared for all templates that combine by monoid `M`.
pub trait Reads<M>: In<template::Reduce<M>> + In<template::Scan<M>> + In<template::SegmentedScan<M>> {}

impl<F, M> Reads<M> for F where F: In<template::Reduce<M>> + In<template::Scan<M>> + In<template::SegmentedScan<M>> {}

/// Declares monoids on every type that implements a trait, by the device function that the trait names.
macro_rules! generic_monoids {
    ($($(#[$doc:meta])* $name:ident of $number:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl<T: $number> Monoid<T> for $name {
            const FUNCTION: &'static Def = <T::$name as Monoid<T>>::FUNCTION;
            const IDENTITY: T = <T::$name as Monoid<T>>::IDENTITY;
            const EXACT: bool = <T::$name as Monoid<T>>::EXACT;
            #[inline(always)]
            fn combine(a: T, b: T) -> T {
                <T::$name as Monoid<T>>::combine(a, b)
            }
        }
    )*};
}

generic_monoids! {
    /// The sum, wrapping; 0 of none.
    Sum of Number;
    /// The product, wrapping; 1 of none.
    Product of Number;
    /// The least; the greatest number of none.
    Min of Number;
    /// The greatest; the least number of none.
    Max of Number;
    /// The bits set in all; all bits of none.
    And of Bits;
    /// The bits set in any; no bit of none.
    Or of Bits;
    /// The bits set in an odd number; no bit of none.
    Xor of Bits;
}

/// The device functions of the monoids on a type of number, and the readers of its columns.
macro_rules! numbers {
    ($($ty:ident: $reader:ident, $gather:ident, ($($inexact:tt)*),
        $([$monoid:ident $name:ident($a:ident, $b:ident) $identity:tt $combined:tt])*;)*) => {$(
        numbers!(@functions $ty ($($inexact)*) $([$monoid $name($a, $b) $identity $combined])*);

        /// Returns row `i` of a column.
        #[device(map, reduce($($monoid),*), scan($($monoid),*), segmented_scan($($monoid),*))]
        pub fn $reader(i: usize, column: &[$ty]) -> $ty {
            column[i]
        }

        /// Returns the row of `values` that `rows[i]` names.
        #[device(map)]
        pub fn $gather(i: usize, values: &[$ty], rows: &[u32]) -> $ty {
            values[rows[i] as usize]
        }

        numbers!(@number $ty $reader $gather $([$monoid $name])*);
    )*};
    (@functions $ty:ident $inexact:tt $($function:tt)*) => {
        $(numbers!(@function $ty $inexact $function);)*
    };
    (@function $ty:ident () [$monoid:ident $name:ident($a:ident, $b:ident) ($identity:expr, reset $reset:ident) $combined:tt]) => {
        #[doc = concat!("`", stringify!($monoid), "` of `", stringify!($ty), "`: see the table at [`monoid`](crate::monoid).")]
        #[device(monoid(identity = $identity, reset = $reset))]
        pub fn $name($a: $ty, $b: $ty) -> $ty $combined
    };
    (@function $ty:ident ($($inexact:tt)*) [$monoid:ident $name:ident($a:ident, $b:ident) $identity:tt $combined:tt]) => {
        #[doc = concat!("`", stringify!($monoid), "` of `", stringify!($ty), "`: see the table at [`monoid`](crate::monoid).")]
        #[device(monoid(identity = $identity $($inexact)*))]
        pub fn $name($a: $ty, $b: $ty) -> $ty $combined
    };
    (@number $ty:ident $reader:ident $gather:ident [Sum $sum:ident] [Product $product:ident] [Min $min:ident]
        [Max $max:ident] $($more:tt)*) => {
        impl Number for $ty {
            type Sum = $sum;
            type Product = $product;
            type Min = $min;
            type Max = $max;
            type Reader = $reader;
            type Gather = $gather;
            fn reader<'a, B: Backend + 'a>(column: &'a B::Vec<$ty>) -> Call<'a, $reader, B> {
                $reader::of(column)
            }
            fn gather<'a, B: Backend + 'a>(values: &'a B::Vec<$ty>, rows: &'a B::Vec<u32>) -> Call<'a, $gather, B> {
                $gather::of(values, rows)
            }
        }
        numbers!(@bits $ty $($more)*);
    };
    (@bits $ty:ident) => {};
    (@bits $ty:ident [And $and:ident] [Or $or:ident] [Xor $xor:ident] $($more:tt)*) => {
        impl Bits for $ty {
            type And = $and;
            type Or = $or;
            type Xor = $xor;
        }
    };
}

numbers! {
    u8: element_u8, gather_u8, (),
        [Sum sum_u8(a, b) 0u8 { a.wrapping_add(b) }] [Product product_u8(a, b) 1u8 { a.wrapping_mul(b) }]
        [Min min_u8(a, b) (u8::MAX) { a.min(b) }] [Max max_u8(a, b) 0u8 { a.max(b) }]
        [And and_u8(a, b) (u8::MAX) { a & b }] [Or or_u8(a, b) 0u8 { a | b }] [Xor xor_u8(a, b) 0u8 { a ^ b }];
    u16: element_u16, gather_u16, (),
        [Sum sum_u16(a, b) 0u16 { a.wrapping_add(b) }] [Product product_u16(a, b) 1u16 { a.wrapping_mul(b) }]
        [Min min_u16(a, b) (u16::MAX) { a.min(b) }] [Max max_u16(a, b) 0u16 { a.max(b) }]
        [And and_u16(a, b) (u16::MAX) { a & b }] [Or or_u16(a, b) 0u16 { a | b }] [Xor xor_u16(a, b) 0u16 { a ^ b }];
    u32: element_u32, gather_u32, (),
        [Sum sum_u32(a, b) 0u32 { a.wrapping_add(b) }] [Product product_u32(a, b) 1u32 { a.wrapping_mul(b) }]
        [Min min_u32(a, b) (u32::MAX) { a.min(b) }] [Max max_u32(a, b) 0u32 { a.max(b) }]
        [And and_u32(a, b) (u32::MAX) { a & b }] [Or or_u32(a, b) 0u32 { a | b }] [Xor xor_u32(a, b) 0u32 { a ^ b }]
        [first_u32 first_u32(a, b) (u32::MAX) { if a != u32::MAX { a } else { b } }]
        [last_u32 last_u32(a, b) (u32::MAX, reset is_some_u32) { if b != u32::MAX { b } else { a } }];
    u64: element_u64, gather_u64, (),
        [Sum sum_u64(a, b) 0u64 { a.wrapping_add(b) }] [Product product_u64(a, b) 1u64 { a.wrapping_mul(b) }]
        [Min min_u64(a, b) (u64::MAX) { a.min(b) }] [Max max_u64(a, b) 0u64 { a.max(b) }]
        [And and_u64(a, b) (u64::MAX) { a & b }] [Or or_u64(a, b) 0u64 { a | b }] [Xor xor_u64(a, b) 0u64 { a ^ b }];
    i8: element_i8, gather_i8, (),
        [Sum sum_i8(a, b) 0i8 { a.wrapping_add(b) }] [Product product_i8(a, b) 1i8 { a.wrapping_mul(b) }]
        [Min min_i8(a, b) (i8::MAX) { a.min(b) }] [Max max_i8(a, b) (i8::MIN) { a.max(b) }];
    i16: element_i16, gather_i16, (),
        [Sum sum_i16(a, b) 0i16 { a.wrapping_add(b) }] [Product product_i16(a, b) 1i16 { a.wrapping_mul(b) }]
        [Min min_i16(a, b) (i16::MAX) { a.min(b) }] [Max max_i16(a, b) (i16::MIN) { a.max(b) }];
    i32: element_i32, gather_i32, (),
        [Sum sum_i32(a, b) 0i32 { a.wrapping_add(b) }] [Product product_i32(a, b) 1i32 { a.wrapping_mul(b) }]
        [Min min_i32(a, b) (i32::MAX) { a.min(b) }] [Max max_i32(a, b) (i32::MIN) { a.max(b) }];
    i64: element_i64, gather_i64, (),
        [Sum sum_i64(a, b) 0i64 { a.wrapping_add(b) }] [Product product_i64(a, b) 1i64 { a.wrapping_mul(b) }]
        [Min min_i64(a, b) (i64::MAX) { a.min(b) }] [Max max_i64(a, b) (i64::MIN) { a.max(b) }];
    f32: element_f32, gather_f32, (, inexact),
        [Sum sum_f32(a, b) 0.0f32 { a + b }] [Product product_f32(a, b) 1.0f32 { a * b }]
        [Min min_f32(a, b) (f32::INFINITY) { a.min(b) }] [Max max_f32(a, b) (-f32::INFINITY) { a.max(b) }];
    f64: element_f64, gather_f64, (, inexact),
        [Sum sum_f64(a, b) 0.0f64 { a + b }] [Product product_f64(a, b) 1.0f64 { a * b }]
        [Min min_f64(a, b) (f64::INFINITY) { a.min(b) }] [Max max_f64(a, b) (-f64::INFINITY) { a.max(b) }];
}

/// Returns whether a number is not `u32::MAX`, which means none.
#[device]
fn is_some_u32(a: u32) -> bool {
    a != u32::MAX
}

/// Returns `i`, the number of the row.
#[device(map)]
pub fn index_u32(i: usize) -> u32 {
    i as u32
}
