//! Key: rows grouped by equal keys (Key paper, section 2.3).
//!
//! ```text
//! keys         7  3  7  9  3
//! unique       7  3  9          in order of first appearance, as APL's; or 3 7 9, sorted
//! permutation  0  2  1  4  3    rows of each group together, in their order
//! offsets      0  2  4          where each group begins there
//! ```

use crate::backend::ScanKind;
use crate::compact::gather;
use crate::device::{In, Monoid, RowFn, device, template};
use crate::monoid::Plain;
use crate::segment::{self, lengths, owners, runs};
use crate::sort::sort_permutation;
use crate::{Backend, Column, Error, Result};

/// The order of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By key; of several columns the first counts most.
    Sorted,
    /// By the first row of each.
    FirstAppearance,
}

/// Rows grouped by key.
pub struct Groups<B: Backend, Unique = <B as Backend>::Vec<u32>> {
    /// The key of each group.
    pub unique: Unique,
    /// Rows, group by group.
    pub permutation: B::Vec<u32>,
    /// Where each group begins in `permutation`.
    pub offsets: B::Vec<u32>,
}

/// Groups rows by key; rows of a group keep their order.
///
/// # Shape    keys\[n\] u32 -> unique\[g\], permutation\[n\], offsets\[g\], u32
/// # Cost     a stable sort of n rows; for first appearance one more of g
/// # Errors   none but the machine's
/// # Source   Key paper, section 2.3
/// # Example
/// ```
/// use treepar::{Backend, Cpu, key::{Order, key}, monoid::sum_u32};
/// let cpu = Cpu::new();
/// let groups = key(&cpu, &cpu.upload(&[7, 3, 7, 9, 3])?, Order::FirstAppearance)?;
/// assert_eq!(cpu.download(&groups.unique)?, [7, 3, 9]);
/// assert_eq!(cpu.download(&groups.permutation)?, [0, 2, 1, 4, 3]);
/// assert_eq!(cpu.download(&groups.offsets)?, [0, 2, 4]);
/// let sums = groups.reduce::<sum_u32>(&cpu, &cpu.upload(&[1, 10, 2, 100, 20])?)?;
/// assert_eq!(cpu.download(&sums)?, [3, 30, 100]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn key<B: Backend>(backend: &B, keys: &B::Vec<u32>, order: Order) -> Result<Groups<B>> {
    let (sorted, permutation) = sort_permutation(backend, keys)?;
    let offsets = runs(backend, &sorted)?;
    let (permutation, offsets) = in_order(backend, order, permutation, offsets)?;
    let unique = unique(backend, keys, &permutation, &offsets)?;
    Ok(Groups { unique, permutation, offsets })
}

/// Groups rows by several key columns: rows are in one group where they agree in all.
///
/// # Shape    columns of keys\[n\] u32 -> for each unique\[g\]; permutation\[n\], offsets\[g\], u32
/// # Cost     for each column a stable sort of n rows and a gather; for first appearance one more sort, of g
/// # Errors   [`Error::LengthMismatch`] if the columns differ in length
/// # Source   Key paper, section 2.3: Key of a matrix groups equal rows
/// # Example
/// ```
/// use treepar::{Backend, Cpu, key::{Order, key_columns}};
/// let cpu = Cpu::new();
/// let (name, scope) = (cpu.upload(&[5, 5, 4, 5])?, cpu.upload(&[1, 0, 1, 1])?);
/// let groups = key_columns(&cpu, &[&name, &scope], Order::Sorted)?;
/// assert_eq!(cpu.download(&groups.permutation)?, [2, 1, 0, 3]);
/// assert_eq!(cpu.download(&groups.offsets)?, [0, 1, 2]);
/// assert_eq!(cpu.download(&groups.unique[0])?, [4, 5, 5]);
/// assert_eq!(cpu.download(&groups.unique[1])?, [1, 0, 1]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn key_columns<B: Backend>(
    backend: &B,
    columns: &[&B::Vec<u32>],
    order: Order,
) -> Result<Groups<B, Vec<B::Vec<u32>>>> {
    let n = columns.first().map_or(0, |column| column.len());
    if let Some(other) = columns.iter().find(|column| column.len() != n) {
        return Err(Error::LengthMismatch { array: "key column", expected: n, found: other.len() });
    }
    let mut permutation = backend.map::<crate::monoid::index_u32>(n, ())?;
    for column in columns.iter().rev() {
        let keys = gather(backend, column, &permutation)?;
        (_, permutation) = backend.sort_by_key(&keys, &permutation)?;
    }
    let mut heads = backend.filled(n, 0u8)?;
    for column in columns {
        heads = backend.map::<differs_too>(n, (&heads, column, &permutation))?;
    }
    let offsets = backend.compact::<starts_group>(n, (&heads,))?;
    let (permutation, offsets) = in_order(backend, order, permutation, offsets)?;
    let unique = columns.iter().map(|column| unique(backend, column, &permutation, &offsets)).collect::<Result<_>>()?;
    Ok(Groups { unique, permutation, offsets })
}

impl<B: Backend, Unique> Groups<B, Unique> {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there is no group, and so no row.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Number of rows of each group.
    ///
    /// # Shape    -> size\[g\] u32
    /// # Cost     work O(g), one map
    /// # Errors   none but the machine's
    /// # Source   Key paper, section 2.3: Key with tally, `≢`
    pub fn sizes(&self, backend: &B) -> Result<B::Vec<u32>> {
        lengths(backend, &self.offsets, self.permutation.len())
    }

    /// The group of each row.
    ///
    /// # Shape    -> group\[n\] u32
    /// # Cost     work O(n), one expand and one scatter
    /// # Errors   none but the machine's
    /// # Source   APL's index of, `⍳`, in the unique keys
    pub fn of_rows(&self, backend: &B) -> Result<B::Vec<u32>> {
        let n = self.permutation.len();
        let mut group = backend.filled(n, 0)?;
        backend.scatter(&mut group, &self.permutation, &owners(backend, &self.offsets, n)?)?;
        Ok(group)
    }

    /// All values of each group by a monoid of [`monoid`](crate::monoid), in the order of the rows.
    ///
    /// # Shape    values\[n\] -> total\[g\]
    /// # Cost     work O(n), one gather and one segmented reduce
    /// # Errors   [`Error::LengthMismatch`] if there are not as many values as rows
    /// # Source   Key paper, section 2.3: Key with a reduction
    pub fn reduce<M>(&self, backend: &B, values: &B::Vec<M::T>) -> Result<B::Vec<M::T>>
    where
        M: Monoid<T: Plain<Row: RowFn<Output = M::T> + In<template::SegmentedScan<M>>>>,
    {
        segment::reduce::<M, B>(backend, &self.offsets, &self.gathered(backend, values)?)
    }

    /// For each row the values of its group's rows before it, or up to it, by a monoid of [`monoid`](crate::monoid).
    ///
    /// # Shape    values\[n\] -> prefix\[n\], in the order of the rows, not of the groups
    /// # Cost     work O(n), one gather, one segmented scan and one scatter
    /// # Errors   [`Error::LengthMismatch`] if there are not as many values as rows
    /// # Source   Key paper, section 2.3: Key with a scan
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, backend::ScanKind, key::{Order, key}, monoid::sum_u32};
    /// let cpu = Cpu::new();
    /// let groups = key(&cpu, &cpu.upload(&[7, 3, 7, 7, 3])?, Order::Sorted)?;
    /// let earlier = groups.scan::<sum_u32>(&cpu, ScanKind::Exclusive, &cpu.filled(5, 1)?)?;
    /// assert_eq!(cpu.download(&earlier)?, [0, 0, 1, 2, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn scan<M>(&self, backend: &B, kind: ScanKind, values: &B::Vec<M::T>) -> Result<B::Vec<M::T>>
    where
        M: Monoid<T: Plain<Row: RowFn<Output = M::T> + In<template::SegmentedScan<M>>>>,
    {
        let scanned = segment::scan::<M, B>(backend, kind, &self.offsets, &self.gathered(backend, values)?)?;
        let mut out = backend.filled(values.len(), M::IDENTITY)?;
        backend.scatter(&mut out, &self.permutation, &scanned)?;
        Ok(out)
    }

    /// Values in the order of the groups.
    fn gathered<T: Plain>(&self, backend: &B, values: &B::Vec<T>) -> Result<B::Vec<T>> {
        let n = self.permutation.len();
        if values.len() != n {
            return Err(Error::LengthMismatch { array: "values", expected: n, found: values.len() });
        }
        gather(backend, values, &self.permutation)
    }
}

/// 1 where a row differs from the one before in this column, or did in one before it.
#[device(map)]
fn differs_too(i: usize, heads: &[u8], column: &[u32], permutation: &[u32]) -> u8 {
    if i == 0 || column[permutation[i] as usize] != column[permutation[i - 1] as usize] { 1 } else { heads[i] }
}

#[device(compact)]
fn starts_group(i: usize, heads: &[u8]) -> bool {
    i == 0 || heads[i] != 0
}

#[device(expand)]
fn row_of_group(g: usize, k: usize, order: &[u32], offsets: &[u32], permutation: &[u32]) -> u32 {
    permutation[(offsets[order[g] as usize] + k as u32) as usize]
}

/// The key of the first row of each group.
fn unique<B: Backend>(
    backend: &B,
    keys: &B::Vec<u32>,
    permutation: &B::Vec<u32>,
    offsets: &B::Vec<u32>,
) -> Result<B::Vec<u32>> {
    gather(backend, keys, &gather(backend, permutation, offsets)?)
}

/// Brings sorted groups, as a permutation and offsets, into the order asked for.
fn in_order<B: Backend>(
    backend: &B,
    order: Order,
    permutation: B::Vec<u32>,
    offsets: B::Vec<u32>,
) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
    if order == Order::Sorted {
        return Ok((permutation, offsets));
    }
    let n = permutation.len();
    let (_, by_first) = sort_permutation(backend, &gather(backend, &permutation, &offsets)?)?;
    let sizes = gather(backend, &lengths(backend, &offsets, n)?, &by_first)?;
    let (new_offsets, _) = crate::scan::offsets(backend, &sizes)?;
    let permutation = backend.expand::<row_of_group>(&new_offsets, n, (&by_first, &offsets, &permutation))?;
    Ok((permutation, new_offsets))
}
