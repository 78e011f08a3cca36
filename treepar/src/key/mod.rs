//! Key: rows grouped by equal keys (Key paper, section 3.3).
//!
//! ```text
//! keys         7  3  7  9  3
//! unique       7  3  9          in order of first appearance, as APL's; or 3 7 9, sorted
//! permutation  0  2  1  4  3    rows of each group together, in their order
//! offsets      0  2  4          where each group begins there
//! ```

mod column;
mod lift;
mod select;

use crate::backend::{Checked, Executor, ScanKind, SortKey, check_length};
use crate::compact::gather_inside;
use crate::device::{Call, ExpandFn, In, Monoid, device, template};
use crate::monoid::{Number, index_u32};
use crate::segment::{self, lengths, owners};
use crate::sort::sort_permutation;
use crate::{Backend, Column, Element, Error, Result};

pub use column::{KeyColumn, KeyElement};
pub use lift::{Flat, Lifted, LiftedRow, Role, flatten, lift};
pub use select::{greatest, least};

/// The order of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By key; of several columns the first counts most.
    Sorted,
    /// By the first row of each.
    FirstAppearance,
}

/// Rows grouped by key.
pub struct Groups<B: Backend> {
    permutation: B::Vec<u32>,
    offsets: B::Vec<u32>,
}

impl<B: Backend<Vec<u32>: std::fmt::Debug>> std::fmt::Debug for Groups<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Groups { permutation, offsets } = self;
        f.debug_struct("Groups").field("permutation", permutation).field("offsets", offsets).finish()
    }
}

/// Groups rows by key; rows of a group keep their order.
///
/// # Shape    keys\[n\] of any number -> permutation\[n\], offsets\[g\], u32
/// # Cost     a stable sort of n rows, on a CPU a count of keys below 4096 instead, 12 bytes per row; for first appearance one more sort, of g
/// # Errors   only general ones
/// # Source   Key paper, section 3.3
/// # Example
/// ```
/// use treepar::{key::{Order, group}, prelude::*};
/// let cpu = Cpu::new();
/// let keys = cpu.upload(&[7, 3, 7, 9, 3])?;
/// let groups = group(&keys, Order::FirstAppearance)?;
/// assert_eq!(cpu.download(&groups.unique(&keys)?)?, [7, 3, 9]);
/// assert_eq!(cpu.download(groups.permutation())?, [0, 2, 1, 4, 3]);
/// assert_eq!(cpu.download(groups.offsets())?, [0, 2, 4]);
/// let sums = groups.reduce(&cpu.upload(&[1, 10, 2, 100, 20])?, Sum)?;
/// assert_eq!(cpu.download(&sums)?, [3, 30, 100]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn group<T: KeyElement, B: Backend>(
    keys: &impl Column<Element = T, Backend = B>,
    order: Order,
) -> Result<Groups<B>> {
    group_columns(&[KeyColumn::from(keys)], order)
}

/// Groups rows by several columns: rows of one group agree in all columns.
///
/// # Shape    columns of keys\[n\], each of any number -> permutation\[n\], offsets\[g\], u32
/// # Cost     for each column a stable sort of n rows and a gather; for first appearance one more sort, of g
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length, or if there is none
/// # Source   Key paper, section 3.3: Key of a matrix groups equal rows
/// # Example
/// ```
/// use treepar::{key::{KeyColumn, Order, group_columns}, prelude::*};
/// let cpu = Cpu::new();
/// let (a, b) = (cpu.upload(&[5u32, 5, 4, 5])?, cpu.upload(&[1.5f32, -0.5, 1.5, 1.5])?);
/// let groups = group_columns(&[KeyColumn::from(&a), KeyColumn::from(&b)], Order::Sorted)?;
/// assert_eq!(cpu.download(groups.permutation())?, [2, 1, 0, 3]);
/// assert_eq!(cpu.download(groups.offsets())?, [0, 1, 2]);
/// assert_eq!(cpu.download(&groups.unique(&a)?)?, [4, 5, 5]);
/// assert_eq!(cpu.download(&groups.unique(&b)?)?, [1.5, -0.5, 1.5]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn group_columns<B: Backend>(columns: &[KeyColumn<'_, B>], order: Order) -> Result<Groups<B>> {
    let (first, n) = first_of(columns)?;
    let backend = first.backend();
    if columns.len() == 1 {
        let mut grouped = Grouped { found: None };
        first.with_bits(&mut grouped)?;
        if let Some((permutation, offsets)) = grouped.found {
            let (permutation, offsets) = in_order::<B>(order, permutation, offsets)?;
            return Ok(Groups { permutation, offsets });
        }
    }
    let (permutation, runs) = sorted(columns, n)?;
    // The sorted keys of one column show its groups. Several columns are compared again in the final order.
    let offsets = match runs {
        Some(runs) => runs,
        None => {
            let mut heads = backend.filled(n, 0u8)?;
            for column in columns {
                let mut compare = Differ { permutation: &permutation, heads: &mut heads };
                column.with_bits(&mut compare)?;
            }
            backend.compact(starts_group::of(&heads))?
        }
    };
    let (permutation, offsets) = in_order::<B>(order, permutation, offsets)?;
    Ok(Groups { permutation, offsets })
}

/// Returns the rows in the order of several columns: of pairs, and of structs by their fields. The first column counts most; rows that
/// agree in all columns keep their order.
///
/// # Shape    columns of keys\[n\], each of any number -> row\[n\], u32
/// # Cost     for each column a stable sort of n rows, and a gather of all columns but the last
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length, or if there is none
/// # Source   APL's grade up, `⍋`, of a matrix
/// # Example
/// ```
/// use treepar::{key::{KeyColumn, sort_columns}, prelude::*};
/// let cpu = Cpu::new();
/// let (line, column) = (cpu.upload(&[7u32, 3, 7, 3])?, cpu.upload(&[4u16, 9, 1, 2])?);
/// let rows = sort_columns(&[KeyColumn::from(&line), KeyColumn::from(&column)])?;
/// assert_eq!(cpu.download(&rows)?, [3, 1, 2, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn sort_columns<B: Backend>(columns: &[KeyColumn<'_, B>]) -> Result<B::Vec<u32>> {
    let (_, n) = first_of(columns)?;
    Ok(sorted(columns, n)?.0)
}

/// Returns the first of some columns, which have the same number of rows, and that number.
fn first_of<'a, 'b, B: Backend>(columns: &'a [KeyColumn<'b, B>]) -> Result<(&'a KeyColumn<'b, B>, usize)> {
    let Some(first) = columns.first() else {
        return Err(Error::LengthMismatch { array: "key columns", expected: 1, found: 0 });
    };
    match columns.iter().find(|column| column.len() != first.len()) {
        Some(other) => Err(Error::LengthMismatch { array: "key column", expected: first.len(), found: other.len() }),
        None => Ok((first, first.len())),
    }
}

/// Rows in order, and where groups of them begin if that is known.
type Sorted<B> = (<B as Executor>::Vec<u32>, Option<<B as Executor>::Vec<u32>>);

/// Returns the rows in the order of some columns of `n` rows, and of a single column where its groups begin.
fn sorted<B: Backend>(columns: &[KeyColumn<'_, B>], n: usize) -> Result<Sorted<B>> {
    let mut permutation = columns[0].backend().map(index_u32::of().rows(n))?;
    let mut runs = None;
    for (at, column) in columns.iter().enumerate().rev() {
        let is_last = at + 1 == columns.len();
        let tells_runs = columns.len() == 1;
        column.with_bits(&mut SortBy { is_last, tells_runs, permutation: &mut permutation, runs: &mut runs })?;
    }
    Ok((permutation, runs))
}

/// Work on the bits of a key column.
trait WithBits<B: Backend> {
    /// `bits` are in the order of the keys, and equal where these are.
    fn call<K: SortBits>(&mut self, bits: &B::Vec<K>) -> Result<()>;
}

/// Bits to sort by, with the device functions that look at them.
trait SortBits: SortKey + Number + select::SelectBits {
    /// Returns the rows in the order of their bits, and the row there at which each run begins, if the backend does so in one template.
    fn grouped<B: Backend>(_bits: &B::Vec<Self>) -> Result<Option<Rows<B>>> {
        Ok(None)
    }
    /// Returns the row at which each run of a sorted column begins.
    fn runs<B: Backend>(sorted: &B::Vec<Self>) -> Result<B::Vec<u32>>;
    /// Returns 1 for rows at which neighbours in a permutation differ, or differed before.
    fn differ<B: Backend>(heads: &B::Vec<u8>, bits: &B::Vec<Self>, permutation: &B::Vec<u32>) -> Result<B::Vec<u8>>;
}

macro_rules! sort_bits {
    ($($ty:ident: $head:ident, $differs:ident $(, $grouped:ident)?;)*) => {$(
        #[device(compact)]
        fn $head(i: usize, sorted: &[$ty]) -> bool {
            i == 0 || sorted[i] != sorted[i - 1]
        }

        /// 1 where a row differs from the one before in this column, or did in one before it.
        #[device(map)]
        fn $differs(i: usize, heads: &[u8], bits: &[$ty], permutation: &[u32]) -> u8 {
            if i == 0 || bits[permutation[i] as usize] != bits[permutation[i - 1] as usize] { 1 } else { heads[i] }
        }

        impl SortBits for $ty {
            $(fn grouped<B: Backend>(bits: &B::Vec<Self>) -> Result<Option<Rows<B>>> {
                bits.backend().$grouped(Checked, bits)
            })?
            fn runs<B: Backend>(sorted: &B::Vec<$ty>) -> Result<B::Vec<u32>> {
                sorted.backend().compact($head::of(sorted))
            }
            fn differ<B: Backend>(
                heads: &B::Vec<u8>,
                bits: &B::Vec<$ty>,
                permutation: &B::Vec<u32>,
            ) -> Result<B::Vec<u8>> {
                bits.backend().map($differs::of(heads, bits, permutation))
            }
        }
    )*};
}

sort_bits! {
    u32: starts_u32, differs_u32, run_group;
    u64: starts_u64, differs_u64;
}

/// Rows in order, and where groups of them begin.
type Rows<B> = (<B as Executor>::Vec<u32>, <B as Executor>::Vec<u32>);

/// Groups the rows of one column without a sort, if the backend can.
struct Grouped<B: Backend> {
    found: Option<Rows<B>>,
}

impl<B: Backend> WithBits<B> for Grouped<B> {
    fn call<K: SortBits>(&mut self, bits: &B::Vec<K>) -> Result<()> {
        self.found = K::grouped::<B>(bits)?;
        Ok(())
    }
}

/// Sorts a permutation by one more column, and finds the runs of the last column.
struct SortBy<'a, B: Backend> {
    is_last: bool,
    tells_runs: bool,
    permutation: &'a mut B::Vec<u32>,
    runs: &'a mut Option<B::Vec<u32>>,
}

impl<B: Backend> WithBits<B> for SortBy<'_, B> {
    fn call<K: SortBits>(&mut self, bits: &B::Vec<K>) -> Result<()> {
        let backend = bits.backend();
        let (sorted, permutation) = if self.is_last {
            backend.sort_by_key(bits, self.permutation)?
        } else {
            backend.sort_by_key(&gather_inside(bits, self.permutation)?, self.permutation)?
        };
        *self.permutation = permutation;
        if self.tells_runs {
            *self.runs = Some(K::runs::<B>(&sorted)?);
        }
        Ok(())
    }
}

/// Marks where rows differ in one more column.
struct Differ<'a, B: Backend> {
    permutation: &'a B::Vec<u32>,
    heads: &'a mut B::Vec<u8>,
}

impl<B: Backend> WithBits<B> for Differ<'_, B> {
    fn call<K: SortBits>(&mut self, bits: &B::Vec<K>) -> Result<()> {
        *self.heads = K::differ::<B>(self.heads, bits, self.permutation)?;
        Ok(())
    }
}

impl<B: Backend> Groups<B> {
    /// Returns the rows, group by group. It is a permutation: each row occurs once.
    pub fn permutation(&self) -> &B::Vec<u32> {
        &self.permutation
    }

    /// Returns the index in [`Groups::permutation`] at which each group begins.
    pub fn offsets(&self) -> &B::Vec<u32> {
        &self.offsets
    }

    /// Returns the permutation and the offsets.
    pub fn into_columns(self) -> (B::Vec<u32>, B::Vec<u32>) {
        (self.permutation, self.offsets)
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Returns whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Returns the number of rows of each group.
    ///
    /// # Shape    -> size\[g\] u32
    /// # Cost     work O(g), one map, 8 bytes per group
    /// # Errors   only general ones
    /// # Source   Key paper, section 3.3: Key with tally, `≢`
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::key::{Order, group};
    /// let keys = cpu.upload(&[7, 3, 7, 7, 3])?;
    /// let groups = group(&keys, Order::Sorted)?;
    /// assert_eq!(groups.sizes()?[..], [2, 3]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn sizes(&self) -> Result<B::Vec<u32>> {
        lengths(&self.offsets, self.permutation.len())
    }

    /// The first row of each group.
    ///
    /// # Shape    -> row\[g\] u32
    /// # Cost     work O(g), one map
    /// # Errors   only general ones
    /// # Source   APL's nub sieve, `≠`, as rows
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::key::{Order, group};
    /// let keys = cpu.upload(&[7, 3, 7, 7, 3])?;
    /// let groups = group(&keys, Order::Sorted)?;
    /// assert_eq!(groups.first_rows()?[..], [1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn first_rows(&self) -> Result<B::Vec<u32>> {
        gather_inside(&self.permutation, &self.offsets)
    }

    /// The key of each group, from a column that was grouped by.
    ///
    /// # Shape    keys\[n\] -> key\[g\]
    /// # Cost     work O(g), two maps
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if there are not as many keys as rows
    /// # Source   APL's unique, `∪`
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::key::{Order, group};
    /// let keys = cpu.upload(&[7, 3, 7, 7, 3])?;
    /// let groups = group(&keys, Order::Sorted)?;
    /// assert_eq!(groups.unique(&keys)?[..], [3, 7]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn unique<T: Number>(&self, keys: &B::Vec<T>) -> Result<B::Vec<T>> {
        self.check(keys)?;
        gather_inside(keys, &self.first_rows()?)
    }

    /// The group of each row.
    ///
    /// # Shape    -> group\[n\] u32
    /// # Cost     work O(n), one expand and one scatter, 16 bytes per row
    /// # Errors   only general ones
    /// # Source   APL's index of, `⍳`, in the unique keys
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::key::{Order, group};
    /// let keys = cpu.upload(&[7, 3, 7, 7, 3])?;
    /// let groups = group(&keys, Order::Sorted)?;
    /// assert_eq!(groups.of_rows()?[..], [1, 0, 1, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn of_rows(&self) -> Result<B::Vec<u32>> {
        let n = self.permutation.len();
        let mut group = self.backend().allocate(n)?;
        self.backend().scatter(&mut group, &self.permutation, &owners(&self.offsets, n)?)?;
        Ok(group)
    }

    /// All values of each group by a monoid of [`monoid`](crate::monoid), in the order of the rows.
    ///
    /// # Shape    values\[n\] -> total\[g\]
    /// # Cost     work O(n), one gather and one segmented reduce, of u32 16 bytes per row and 8 per group
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if there are not as many values as rows
    /// # Source   Key paper, section 3.3: Key with a reduction
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::key::{Order, group};
    /// let keys = cpu.upload(&[7, 3, 7, 7, 3])?;
    /// let groups = group(&keys, Order::Sorted)?;
    /// assert_eq!(groups.reduce(&cpu.upload(&[1, 10, 2, 3, 20])?, Sum)?[..], [30, 6]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn reduce<T, M>(&self, values: &impl Column<Element = T, Backend = B>, monoid: M) -> Result<B::Vec<T>>
    where
        T: Number<Reader: In<template::SegmentedScan<M>>>,
        M: Monoid<T>,
    {
        self.backend().segmented_reduce(&self.offsets, &self.gathered(values.as_vec())?, monoid)
    }

    /// For each row the values of its group's rows before it, or up to it, by a monoid of [`monoid`](crate::monoid).
    ///
    /// # Shape    values\[n\] -> prefix\[n\], in the order of the rows, not of the groups
    /// # Cost     work O(n), one gather, one segmented scan and one scatter, of u32 32 bytes per row
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if there are not as many values as rows
    /// # Source   Key paper, section 3.3: Key with a scan
    /// # Example
    /// ```
    /// use treepar::{key::{Order, group}, prelude::*};
    /// let cpu = Cpu::new();
    /// let groups = group(&cpu.upload(&[7, 3, 7, 7, 3])?, Order::Sorted)?;
    /// let earlier = groups.scan(Exclusive, &cpu.filled(5, 1)?, Sum)?;
    /// assert_eq!(cpu.download(&earlier)?, [0, 0, 1, 2, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn scan<T, M>(
        &self,
        kind: ScanKind,
        values: &impl Column<Element = T, Backend = B>,
        monoid: M,
    ) -> Result<B::Vec<T>>
    where
        T: Number<Reader: In<template::SegmentedScan<M>>>,
        M: Monoid<T>,
    {
        let gathered = self.gathered(values.as_vec())?;
        let scanned = self.backend().segmented_scan(kind, &self.offsets, &gathered, monoid)?;
        let mut out = self.backend().allocate(values.len())?;
        self.backend().scatter(&mut out, &self.permutation, &scanned)?;
        Ok(out)
    }

    /// `f(group, k)` for the k-th row of each group, in the order of the rows: Key with a function.
    ///
    /// # Shape    -> out\[n\]; the row itself is `permutation[offsets[group] + k]`
    /// # Cost     work O(n), one expand and one scatter, of u32 16 bytes per row
    /// # Errors   only general ones
    /// # Source   Key paper, section 3.3
    /// # Example
    /// ```
    /// use treepar::{key::{Order, group}, prelude::*};
    ///
    /// /// How often the row's value has come before.
    /// #[device(expand)]
    /// fn repeats(_group: usize, k: usize) -> u32 {
    ///     k as u32
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let groups = group(&cpu.upload(&[7, 3, 7, 7, 3])?, Order::FirstAppearance)?;
    /// assert_eq!(cpu.download(&groups.map(repeats::of())?)?, [0, 0, 1, 2, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn map<F, R>(&self, call: Call<'_, F, B, R>) -> Result<B::Vec<F::Output>>
    where
        F: ExpandFn<Output: Element> + In<template::Expand>,
    {
        let n = self.permutation.len();
        let values = self.backend().expand(&self.offsets, n, call)?;
        let mut out = self.backend().allocate(n)?;
        self.backend().scatter(&mut out, &self.permutation, &values)?;
        Ok(out)
    }

    /// Values in the order of the groups.
    fn gathered<T: Number>(&self, values: &B::Vec<T>) -> Result<B::Vec<T>> {
        self.check(values)?;
        gather_inside(values, &self.permutation)
    }

    fn check<T: Element>(&self, values: &B::Vec<T>) -> Result<()> {
        check_length("values", self.permutation.len(), values.len())
    }

    fn backend(&self) -> &B {
        self.permutation.backend()
    }
}

#[device(compact)]
fn starts_group(i: usize, heads: &[u8]) -> bool {
    i == 0 || heads[i] != 0
}

#[device(expand)]
fn row_of_group(g: usize, k: usize, order: &[u32], offsets: &[u32], permutation: &[u32]) -> u32 {
    permutation[(offsets[order[g] as usize] + k as u32) as usize]
}

/// Brings sorted groups, as a permutation and offsets, into the order asked for.
fn in_order<B: Backend>(
    order: Order,
    permutation: B::Vec<u32>,
    offsets: B::Vec<u32>,
) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
    if order == Order::Sorted {
        return Ok((permutation, offsets));
    }
    let (n, backend) = (permutation.len(), permutation.backend());
    let (_, by_first) = sort_permutation(&gather_inside(&permutation, &offsets)?)?;
    let sizes = gather_inside(&lengths(&offsets, n)?, &by_first)?;
    let (new_offsets, _) = segment::offsets(&sizes)?;
    let permutation = backend.expand(&new_offsets, n, row_of_group::of(&by_first, &offsets, &permutation))?;
    Ok((permutation, new_offsets))
}
