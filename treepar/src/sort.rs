//! Sorts: stable, by unsigned keys.

use crate::backend::SortKey;
use crate::monoid::index_u32;
use crate::{Backend, Column, Result};

/// Keys in rising order, and the row that each comes from; rows with equal keys keep their order.
///
/// # Shape    keys\[n\] u32 or u64 -> sorted\[n\], row\[n\] u32
/// # Cost     work O(n) for each 8 bits in which keys differ: one sort of pairs, one map
/// # Errors   none but the machine's
/// # Source   APL's grade up, `⍋`; the sort is a radix sort, least significant digit first
/// # Example
/// ```
/// use treepar::{Backend, Cpu, sort::sort_permutation};
/// let cpu = Cpu::new();
/// let (sorted, rows) = sort_permutation(&cpu, &cpu.upload(&[30u64, 10, 20, 10])?)?;
/// assert_eq!(cpu.download(&sorted)?, [10, 10, 20, 30]);
/// assert_eq!(cpu.download(&rows)?, [1, 3, 2, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn sort_permutation<K: SortKey, B: Backend>(backend: &B, keys: &B::Vec<K>) -> Result<(B::Vec<K>, B::Vec<u32>)> {
    backend.sort_by_key(keys, &backend.map::<index_u32>(keys.len(), ())?)
}

/// The inverse of a permutation: where each row went.
///
/// # Shape    permutation\[n\] u32 -> place\[n\] u32
/// # Cost     work O(n), one map and one scatter
/// # Errors   [`Error::DuplicateTarget`](crate::Error::DuplicateTarget) in debug builds if it is no permutation
/// # Source   APL's grade up of a permutation
/// # Example
/// ```
/// use treepar::{Backend, Cpu, sort::inverse};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&inverse(&cpu, &cpu.upload(&[1, 3, 2, 0])?)?)?, [3, 0, 2, 1]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn inverse<B: Backend>(backend: &B, permutation: &B::Vec<u32>) -> Result<B::Vec<u32>> {
    let n = permutation.len();
    let mut place = backend.filled(n, 0)?;
    backend.scatter(&mut place, permutation, &backend.map::<index_u32>(n, ())?)?;
    Ok(place)
}
