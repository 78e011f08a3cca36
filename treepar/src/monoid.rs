//! Ready-made monoids, and the columns of plain elements that they combine.
//!
//! Each is a device function with the type in its name, `sum_u32`; generic code names it by its element, `Sum<T>`, for
//! any [`Numeric`] `T`. More are made of these by [`pair!`](crate::pair) and [`segmented!`](crate::segmented), or
//! written as a `#[device(monoid(identity = ..))]` function of your own.
//!
//! | monoid | elements | laws |
//! |---|---|---|
//! | [`Sum`], [`Product`] | all numbers | wrapping; of f32 up to rounding: how rows are cut into blocks shows in the last bits |
//! | [`Min`], [`Max`] | all numbers | of f32 a NaN gives way to a number |
//! | [`And`], [`Or`], [`Xor`] | u8 to u64 | |
//! | [`first_u32`](fn@first_u32), [`last_u32`](fn@last_u32) | u32, where `u32::MAX` stands for none | not commutative |
//! | [`argmin_u32`](fn@argmin_u32), [`argmax_u32`](fn@argmax_u32) | [`Ranked`]: a key and its row | the first of equals |
//! | [`min_max_u32`](fn@min_max_u32) | [`Range`]: both at once | a pair |
//! | [`segmented_sum_u32`](fn@segmented_sum_u32) | [`Headed`]: a value, and whether a segment begins | segments in a plain scan |

use crate::Backend;
use crate::device::{ColumnFn, Element, In, Monoid, RowFn, device, template};

mod compound;
pub use compound::{Headed, Range, Ranked, argmax_u32, argmin_u32, min_max_u32, segmented_sum_u32};

/// The monoids of an element, its columns' readers, and the templates that they fill together.
macro_rules! numbers {
    ($($ty:ident: $row:ident, $gather:ident, $inexact:tt,
        $([$alias:ident $name:ident ($a:ident, $b:ident) $identity:tt $combined:tt])*;)*) => {$(
        numbers!(@monoids $ty $inexact $([$name ($a, $b) $identity $combined])*);

        /// Row `i` of a column.
        #[device(map, reduce($($name),*), scan($($name),*), segmented_scan($($name),*))]
        pub fn $row(i: usize, column: &[$ty]) -> $ty {
            column[i]
        }

        /// Row `i` is the row of `values` that `rows[i]` names.
        #[device(map)]
        pub fn $gather(i: usize, values: &[$ty], rows: &[u32]) -> $ty {
            values[rows[i] as usize]
        }

        impl Plain for $ty {
            type Gather = $gather;
            fn gather<'a, B: Backend + 'a>(
                values: &'a B::Vec<$ty>,
                rows: &'a B::Vec<u32>,
            ) -> (&'a B::Vec<$ty>, &'a B::Vec<u32>) {
                (values, rows)
            }
        }
        $(impl PlainMonoid for $name {
            type Reader = $row;
            fn row<'a, B: Backend + 'a>(column: &'a B::Vec<$ty>) -> (&'a B::Vec<$ty>,) {
                (column,)
            }
        })*
        numbers!(@traits $ty $([$alias $name])*);
    )*};
    (@monoids $ty:ident exact $([$name:ident ($a:ident, $b:ident) $identity:tt $combined:tt])*) => {$(
        #[doc = concat!("`", stringify!($name), "`: see the table at [`monoid`](crate::monoid).")]
        #[device(monoid(identity = $identity))]
        pub fn $name($a: $ty, $b: $ty) -> $ty $combined
    )*};
    (@monoids $ty:ident inexact $([$name:ident ($a:ident, $b:ident) $identity:tt $combined:tt])*) => {$(
        #[doc = concat!("`", stringify!($name), "`: see the table at [`monoid`](crate::monoid).")]
        #[device(monoid(identity = $identity, inexact))]
        pub fn $name($a: $ty, $b: $ty) -> $ty $combined
    )*};
    (@traits $ty:ident [Sum $sum:ident] [Product $product:ident] [Min $min:ident] [Max $max:ident] $($rest:tt)*) => {
        impl Numeric for $ty {
            type Sum = $sum;
            type Product = $product;
            type Min = $min;
            type Max = $max;
        }
        numbers!(@bits $ty $($rest)*);
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
    u8: element_u8, gather_u8, exact,
        [Sum sum_u8(a, b) 0u8 { a.wrapping_add(b) }] [Product product_u8(a, b) 1u8 { a.wrapping_mul(b) }]
        [Min min_u8(a, b) (u8::MAX) { a.min(b) }] [Max max_u8(a, b) 0u8 { a.max(b) }]
        [And and_u8(a, b) (u8::MAX) { a & b }] [Or or_u8(a, b) 0u8 { a | b }] [Xor xor_u8(a, b) 0u8 { a ^ b }];
    u16: element_u16, gather_u16, exact,
        [Sum sum_u16(a, b) 0u16 { a.wrapping_add(b) }] [Product product_u16(a, b) 1u16 { a.wrapping_mul(b) }]
        [Min min_u16(a, b) (u16::MAX) { a.min(b) }] [Max max_u16(a, b) 0u16 { a.max(b) }]
        [And and_u16(a, b) (u16::MAX) { a & b }] [Or or_u16(a, b) 0u16 { a | b }] [Xor xor_u16(a, b) 0u16 { a ^ b }];
    u32: element_u32, gather_u32, exact,
        [Sum sum_u32(a, b) 0u32 { a.wrapping_add(b) }] [Product product_u32(a, b) 1u32 { a.wrapping_mul(b) }]
        [Min min_u32(a, b) (u32::MAX) { a.min(b) }] [Max max_u32(a, b) 0u32 { a.max(b) }]
        [And and_u32(a, b) (u32::MAX) { a & b }] [Or or_u32(a, b) 0u32 { a | b }] [Xor xor_u32(a, b) 0u32 { a ^ b }]
        [First first_u32(a, b) (u32::MAX) { if a != u32::MAX { a } else { b } }]
        [Last last_u32(a, b) (u32::MAX) { if b != u32::MAX { b } else { a } }];
    u64: element_u64, gather_u64, exact,
        [Sum sum_u64(a, b) 0u64 { a.wrapping_add(b) }] [Product product_u64(a, b) 1u64 { a.wrapping_mul(b) }]
        [Min min_u64(a, b) (u64::MAX) { a.min(b) }] [Max max_u64(a, b) 0u64 { a.max(b) }]
        [And and_u64(a, b) (u64::MAX) { a & b }] [Or or_u64(a, b) 0u64 { a | b }] [Xor xor_u64(a, b) 0u64 { a ^ b }];
    i32: element_i32, gather_i32, exact,
        [Sum sum_i32(a, b) 0i32 { a.wrapping_add(b) }] [Product product_i32(a, b) 1i32 { a.wrapping_mul(b) }]
        [Min min_i32(a, b) (i32::MAX) { a.min(b) }] [Max max_i32(a, b) (i32::MIN) { a.max(b) }];
    i64: element_i64, gather_i64, exact,
        [Sum sum_i64(a, b) 0i64 { a.wrapping_add(b) }] [Product product_i64(a, b) 1i64 { a.wrapping_mul(b) }]
        [Min min_i64(a, b) (i64::MAX) { a.min(b) }] [Max max_i64(a, b) (i64::MIN) { a.max(b) }];
    f32: element_f32, gather_f32, inexact,
        [Sum sum_f32(a, b) 0.0f32 { a + b }] [Product product_f32(a, b) 1.0f32 { a * b }]
        [Min min_f32(a, b) (f32::INFINITY) { a.min(b) }] [Max max_f32(a, b) (-f32::INFINITY) { a.max(b) }];
}

/// Row `i` is `i`.
#[device(map)]
pub fn index_u32(i: usize) -> u32 {
    i as u32
}

/// An element whose columns [`scan`](mod@crate::scan), [`segment`](crate::segment) and [`compact`](crate::compact)
/// take as they are. For columns of your own structs call the backend's templates with a device function.
pub trait Plain: Element {
    /// The device function that reads the row which another column names.
    type Gather: RowFn<Output = Self> + In<template::Map>;
    /// The columns as arguments of [`Plain::Gather`].
    fn gather<'a, B: Backend + 'a>(
        values: &'a B::Vec<Self>,
        rows: &'a B::Vec<u32>,
    ) -> <Self::Gather as ColumnFn>::Args<'a, B>;
}

/// A monoid that reduces and scans columns of its elements as they are: every one of this module's on numbers.
///
/// For a monoid of your own, declare a reader of its columns for the three templates:
///
/// ```
/// use treepar::device::{ColumnFn, device};
/// use treepar::monoid::PlainMonoid;
/// use treepar::{Backend, Cpu, scan::reduce};
///
/// /// The greatest common divisor; 0 of none.
/// #[device(monoid(identity = 0))]
/// fn gcd(a: u32, b: u32) -> u32 {
///     let mut x = a;
///     let mut y = b;
///     while y != 0 {
///         let rest = x % y;
///         x = y;
///         y = rest;
///     }
///     x
/// }
///
/// #[device(reduce(gcd), scan(gcd), segmented_scan(gcd))]
/// fn number(i: usize, column: &[u32]) -> u32 {
///     column[i]
/// }
///
/// impl PlainMonoid for gcd {
///     type Reader = number;
///     fn row<'a, B: Backend + 'a>(column: &'a B::Vec<u32>) -> <number as ColumnFn>::Args<'a, B> {
///         (column,)
///     }
/// }
///
/// let cpu = Cpu::new();
/// assert_eq!(reduce::<gcd, _>(&cpu, &cpu.upload(&[84, 36, 60])?)?, 12);
/// # Ok::<(), treepar::Error>(())
/// ```
pub trait PlainMonoid: Monoid + Sized {
    /// The device function that reads a row.
    type Reader: RowFn<Output = Self::T>
        + In<template::Reduce<Self>>
        + In<template::Scan<Self>>
        + In<template::SegmentedScan<Self>>;
    /// The column as arguments of [`PlainMonoid::Reader`].
    fn row<'a, B: Backend + 'a>(column: &'a B::Vec<Self::T>) -> <Self::Reader as ColumnFn>::Args<'a, B>;
}

/// A number with its monoids.
///
/// ```
/// use treepar::monoid::{Numeric, Sum};
/// use treepar::{Backend, Cpu, scan::reduce};
///
/// fn mean<T: Numeric + Into<f64>>(cpu: &Cpu, values: &[T]) -> Result<f64, treepar::Error> {
///     Ok(reduce::<Sum<T>, _>(cpu, &cpu.upload(values)?)?.into() / values.len() as f64)
/// }
/// assert_eq!(mean(&Cpu::new(), &[1u32, 2, 6])?, 3.0);
/// assert_eq!(mean(&Cpu::new(), &[1.0f32, 0.0])?, 0.5);
/// # Ok::<(), treepar::Error>(())
/// ```
pub trait Numeric: Plain + num_traits::NumAssign + num_traits::Bounded + PartialOrd {
    /// See [`Sum`].
    type Sum: PlainMonoid<T = Self>;
    /// See [`Product`].
    type Product: PlainMonoid<T = Self>;
    /// See [`Min`].
    type Min: PlainMonoid<T = Self>;
    /// See [`Max`].
    type Max: PlainMonoid<T = Self>;
}

/// A number whose bits are combined.
pub trait Bits: Numeric + num_traits::PrimInt {
    /// See [`And`].
    type And: PlainMonoid<T = Self>;
    /// See [`Or`].
    type Or: PlainMonoid<T = Self>;
    /// See [`Xor`].
    type Xor: PlainMonoid<T = Self>;
}

/// The sum, wrapping; 0 of none.
pub type Sum<T> = <T as Numeric>::Sum;
/// The product, wrapping; 1 of none.
pub type Product<T> = <T as Numeric>::Product;
/// The least; the greatest number of none.
pub type Min<T> = <T as Numeric>::Min;
/// The greatest; the least number of none.
pub type Max<T> = <T as Numeric>::Max;
/// The bits set in all.
pub type And<T> = <T as Bits>::And;
/// The bits set in any.
pub type Or<T> = <T as Bits>::Or;
/// The bits set in an odd number.
pub type Xor<T> = <T as Bits>::Xor;
