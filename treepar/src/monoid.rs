//! Ready-made monoids, and the columns of plain elements that they combine.

use crate::device::device;

/// The sum of two counts, wrapping.
#[device(monoid(identity = 0))]
pub fn sum_u32(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

/// The greater of two.
#[device(monoid(identity = 0))]
pub fn max_u32(a: u32, b: u32) -> u32 {
    a.max(b)
}

/// The lesser of two.
#[device(monoid(identity = u32::MAX))]
pub fn min_u32(a: u32, b: u32) -> u32 {
    a.min(b)
}

/// The sum of two ints, wrapping.
#[device(monoid(identity = 0))]
pub fn sum_i32(a: i32, b: i32) -> i32 {
    a.wrapping_add(b)
}

/// Row `i` of a column.
#[device(
    map,
    reduce(sum_u32, max_u32, min_u32),
    scan(sum_u32, max_u32, min_u32),
    segmented_scan(sum_u32, max_u32, min_u32)
)]
pub fn element_u32(i: usize, column: &[u32]) -> u32 {
    column[i]
}

/// Row `i` of a column.
#[device(map, reduce(sum_i32), scan(sum_i32), segmented_scan(sum_i32))]
pub fn element_i32(i: usize, column: &[i32]) -> i32 {
    column[i]
}

/// Row `i` is `i`.
#[device(map)]
pub fn index_u32(i: usize) -> u32 {
    i as u32
}
