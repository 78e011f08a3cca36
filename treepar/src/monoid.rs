//! Ready-made monoids, and the columns of plain elements that they combine.
//!
//! Sums wrap. The sum of `f32` is not associative: its last bits depend on how a backend cuts its rows into blocks, so
//! that it is only as exact as any order of additions, and not the same on every machine.

use crate::Backend;
use crate::device::{ColumnFn, Element, In, RowFn, device, template};

/// Monoids of plain elements, a line each.
macro_rules! monoids {
    ($($(#[$doc:meta])* $name:ident($a:ident, $b:ident: $ty:ident) = $identity:tt, $combined:tt;)*) => {$(
        $(#[$doc])*
        #[device(monoid(identity = $identity))]
        pub fn $name($a: $ty, $b: $ty) -> $ty $combined
    )*};
}

monoids! {
    /// The sum of two counts, wrapping.
    sum_u32(a, b: u32) = 0, { a.wrapping_add(b) };
    /// The greater of two.
    max_u32(a, b: u32) = 0, { a.max(b) };
    /// The lesser of two.
    min_u32(a, b: u32) = (u32::MAX), { a.min(b) };
    /// The bits set in both.
    and_u32(a, b: u32) = (u32::MAX), { a & b };
    /// The bits set in either.
    or_u32(a, b: u32) = 0, { a | b };
    /// The bits set in one of two.
    xor_u32(a, b: u32) = 0, { a ^ b };
    /// The first of two that is not `u32::MAX`, which stands for none.
    first_u32(a, b: u32) = (u32::MAX), { if a != u32::MAX { a } else { b } };
    /// The last of two that is not `u32::MAX`, which stands for none.
    last_u32(a, b: u32) = (u32::MAX), { if b != u32::MAX { b } else { a } };
    /// The sum of two counts, wrapping.
    sum_u64(a, b: u64) = 0, { a.wrapping_add(b) };
    /// The greater of two.
    max_u64(a, b: u64) = 0, { a.max(b) };
    /// The lesser of two.
    min_u64(a, b: u64) = (u64::MAX), { a.min(b) };
    /// The sum of two ints, wrapping.
    sum_i32(a, b: i32) = 0, { a.wrapping_add(b) };
    /// The greater of two.
    max_i32(a, b: i32) = (i32::MIN), { a.max(b) };
    /// The lesser of two.
    min_i32(a, b: i32) = (i32::MAX), { a.min(b) };
    /// The sum of two, up to rounding.
    sum_f32(a, b: f32) = 0.0, { a + b };
}

/// Row `i` of a column.
#[device(
    map,
    reduce(sum_u32, max_u32, min_u32, and_u32, or_u32, xor_u32, first_u32, last_u32),
    scan(sum_u32, max_u32, min_u32, and_u32, or_u32, xor_u32, first_u32, last_u32),
    segmented_scan(sum_u32, max_u32, min_u32, and_u32, or_u32, xor_u32, first_u32, last_u32)
)]
pub fn element_u32(i: usize, column: &[u32]) -> u32 {
    column[i]
}

/// Row `i` of a column.
#[device(
    map,
    reduce(sum_u64, max_u64, min_u64),
    scan(sum_u64, max_u64, min_u64),
    segmented_scan(sum_u64, max_u64, min_u64)
)]
pub fn element_u64(i: usize, column: &[u64]) -> u64 {
    column[i]
}

/// Row `i` of a column.
#[device(
    map,
    reduce(sum_i32, max_i32, min_i32),
    scan(sum_i32, max_i32, min_i32),
    segmented_scan(sum_i32, max_i32, min_i32)
)]
pub fn element_i32(i: usize, column: &[i32]) -> i32 {
    column[i]
}

/// Row `i` of a column.
#[device(map, reduce(sum_f32), scan(sum_f32), segmented_scan(sum_f32))]
pub fn element_f32(i: usize, column: &[f32]) -> f32 {
    column[i]
}

/// Row `i` is `i`.
#[device(map)]
pub fn index_u32(i: usize) -> u32 {
    i as u32
}

/// Row `i` is the row of `values` that `rows[i]` names.
#[device(map)]
pub fn gather_u32(i: usize, values: &[u32], rows: &[u32]) -> u32 {
    values[rows[i] as usize]
}

/// Row `i` is the row of `values` that `rows[i]` names.
#[device(map)]
pub fn gather_u64(i: usize, values: &[u64], rows: &[u32]) -> u64 {
    values[rows[i] as usize]
}

/// Row `i` is the row of `values` that `rows[i]` names.
#[device(map)]
pub fn gather_i32(i: usize, values: &[i32], rows: &[u32]) -> i32 {
    values[rows[i] as usize]
}

/// Row `i` is the row of `values` that `rows[i]` names.
#[device(map)]
pub fn gather_f32(i: usize, values: &[f32], rows: &[u32]) -> f32 {
    values[rows[i] as usize]
}

/// An element whose columns [`scan`](mod@crate::scan), [`segment`](crate::segment) and [`compact`](crate::compact)
/// take as they are. For columns of your own structs call the backend's templates with a device function.
pub trait Plain: Element {
    /// The device function that reads a row.
    type Row: RowFn<Output = Self>;
    /// The device function that reads the row which another column names.
    type Gather: RowFn<Output = Self> + In<template::Map>;
    /// The column as arguments of [`Plain::Row`].
    fn row<'a, B: Backend + 'a>(column: &'a B::Vec<Self>) -> <Self::Row as ColumnFn>::Args<'a, B>;
    /// The columns as arguments of [`Plain::Gather`].
    fn gather<'a, B: Backend + 'a>(
        values: &'a B::Vec<Self>,
        rows: &'a B::Vec<u32>,
    ) -> <Self::Gather as ColumnFn>::Args<'a, B>;
}

macro_rules! plain {
    ($($ty:ident: $row:ident, $gather:ident;)*) => {$(
        impl Plain for $ty {
            type Row = $row;
            type Gather = $gather;
            fn row<'a, B: Backend + 'a>(column: &'a B::Vec<$ty>) -> (&'a B::Vec<$ty>,) {
                (column,)
            }
            fn gather<'a, B: Backend + 'a>(
                values: &'a B::Vec<$ty>,
                rows: &'a B::Vec<u32>,
            ) -> (&'a B::Vec<$ty>, &'a B::Vec<u32>) {
                (values, rows)
            }
        }
    )*};
}

plain! {
    u32: element_u32, gather_u32;
    u64: element_u64, gather_u64;
    i32: element_i32, gather_i32;
    f32: element_f32, gather_f32;
}
