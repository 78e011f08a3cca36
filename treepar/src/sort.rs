//! Sorts: stable, by unsigned keys.

use crate::backend::{Checked, SortKey};
use crate::device::device;
use crate::monoid::{Max, index_u32};
use crate::{Backend, Column, Error, Result};

/// Returns the keys in ascending order, and the row of each; rows with equal keys keep their order.
///
/// # Shape    keys\[n\] u32 or u64 -> sorted\[n\], row\[n\] u32
/// # Cost     work O(n) for each 8 bits in which keys differ: one sort of pairs, one map
/// # Errors   only general ones
/// # Source   APL's grade up, `⍋`; the sort is a radix sort, least significant digit first
/// # Example
/// ```
/// use treepar::{Backend, Cpu, sort::sort_permutation};
/// let cpu = Cpu::new();
/// let (sorted, rows) = sort_permutation(&cpu.upload(&[30u64, 10, 20, 10])?)?;
/// assert_eq!(cpu.download(&sorted)?, [10, 10, 20, 30]);
/// assert_eq!(cpu.download(&rows)?, [1, 3, 2, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn sort_permutation<K: SortKey, B: Backend>(
    keys: &impl Column<Element = K, Backend = B>,
) -> Result<(B::Vec<K>, B::Vec<u32>)> {
    let backend = keys.backend();
    backend.sort_by_key(keys.as_vec(), &backend.map(index_u32::of().rows(keys.len()))?)
}

/// Returns the inverse of a permutation: the new index of each row.
///
/// # Shape    permutation\[n\] u32 -> place\[n\] u32
/// # Cost     work O(n), one histogram, one compact, one map and one scatter; 32 bytes per row
/// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) or [`DuplicateTarget`](crate::Error::DuplicateTarget) if it is not a permutation
/// # Source   APL's grade up of a permutation
/// # Example
/// ```
/// use treepar::{Backend, Cpu, sort::inverse};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&inverse(&cpu.upload(&[1, 3, 2, 0])?)?)?, [3, 0, 2, 1]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn inverse<B: Backend>(permutation: &impl Column<Element = u32, Backend = B>) -> Result<B::Vec<u32>> {
    let (backend, permutation) = (permutation.backend(), permutation.as_vec());
    check_permutation("permutation", permutation)?;
    let n = permutation.len();
    let mut place = backend.allocate(n)?;
    backend.scatter(&mut place, permutation, &backend.map(index_u32::of().rows(n))?)?;
    Ok(place)
}

/// Returns the bits of all numbers up to `greatest`, for [`Backend::sort_by_key_bits`].
///
/// ```
/// assert_eq!([0, 1, 8, 511].map(treepar::sort::all_bits), [0, 1, 15, 511]);
/// ```
pub fn all_bits(greatest: u64) -> u64 {
    u64::MAX.checked_shr(greatest.leading_zeros()).unwrap_or(0)
}

#[device(compact)]
fn is_outside(i: usize, rows: &[u32], limit: u32) -> bool {
    rows[i] >= limit
}

#[device(compact)]
fn is_missing(i: usize, count: &[u32]) -> bool {
    count[i] != 1
}

/// An error unless each row of `rows` is below `limit`.
pub(crate) fn check_rows<B: Backend>(
    array: &'static str,
    rows: &impl Column<Element = u32, Backend = B>,
    limit: usize,
) -> Result<()> {
    let (backend, rows) = (rows.backend(), rows.as_vec());
    if backend.are_below(Checked, rows, limit)? {
        return Ok(());
    }
    // The greatest row shows at the speed of memory whether any is outside. The row is searched only then.
    let greatest = backend.reduce(rows, Max)?;
    if rows.is_empty() || (greatest as usize) < limit {
        return Ok(());
    }
    let outside = backend.compact(is_outside::of(rows, limit as u32))?;
    let index = backend.read(&outside, 0)? as usize;
    Err(Error::IndexOutOfRange { array, index, found: backend.read(rows, index)?.into(), limit: limit as u64 })
}

/// An error unless each row number is there once.
pub(crate) fn check_permutation<B: Backend>(
    array: &'static str,
    rows: &impl Column<Element = u32, Backend = B>,
) -> Result<()> {
    let (backend, rows) = (rows.backend(), rows.as_vec());
    let n = rows.len();
    check_rows(array, rows, n)?;
    let count = backend.histogram(rows, n)?;
    let missing = backend.compact(is_missing::of(&count))?;
    if missing.is_empty() {
        return Ok(());
    }
    // If one row is missing, another occurs twice. The counts show which.
    let counts = backend.download(&count)?;
    let target = counts.iter().position(|&count| count > 1).unwrap_or_default();
    Err(Error::DuplicateTarget { target: target as u64 })
}
