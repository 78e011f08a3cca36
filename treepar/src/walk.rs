//! Walks: from the roots down, from the leaves up, and sums of subtrees.
//!
//! | walk | combines | implementation |
//! |---|---|---|
//! | [`Backend::walk_down`] | each node with its parent's value | one walk |
//! | [`Backend::walk_up`] | the values of any number of children, in order, by a monoid | one walk |
//! | [`Schedule::up_slots`] | the values of a fixed number of children, each in its slot | [`Backend::walk_slots`] |
//! | [`subtree_sums`], [`subtree_counts`] | sums only | one scan: a subtree is a range of the preorder |
//!
//! Prefer sums where they suffice, because their number of steps does not grow with the height of the tree. A node has a
//! marked descendant if its count of marks is not 0. Whether it has a marked ancestor is the result of
//! [`ancestor::under_marked`](crate::ancestor::under_marked), by one scan.
//!
//! ```
//! use treepar::device::device;
//! use treepar::{Backend, Cpu, depth::Depths, monoid::max_u32};
//!
//! /// The product of the factors on the path from the root.
//! #[device(walk_down)]
//! fn product(i: usize, above: u32, factor: &[u32]) -> u32 {
//!     above.wrapping_mul(factor[i])
//! }
//!
//! #[device(walk_up(max_u32))]
//! fn height(_i: usize, below: u32) -> u32 {
//!     below + 1
//! }
//!
//! let cpu = Cpu::new();
//! let parents = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1])?)?.parents(&cpu)?;
//! let products = cpu.walk_down::<product>(&parents, 1, (&cpu.upload(&[2, 3, 5, 7])?,))?;
//! assert_eq!(cpu.download(&products)?, [2, 6, 30, 14]);
//! assert_eq!(cpu.download(&cpu.walk_up::<height, max_u32>(&parents, ())?)?, [3, 2, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```

use crate::backend::ScanKind;
use crate::depth::{Depths, Parents};
use crate::device::{In, RowFn, SlotsFn, device, template};
use crate::monoid::{Numeric, Sum, sum_u32};
use crate::{Backend, Column, Error, Result, scan};

/// The columns that walks with slots read, computed once for any number of walks.
pub struct Schedule<B: Backend> {
    /// The parent of each node.
    pub parents: Parents<B>,
    /// The index of each node among its siblings.
    pub child: B::Vec<u32>,
}

impl<B: Backend> Schedule<B> {
    /// Computes the schedule of a forest.
    ///
    /// # Shape    depth\[n\] -> parents\[n\], child\[n\]
    /// # Cost     the cost of parents and of child indices
    /// # Errors   the machine's errors
    /// # Source   Pareas, section 4.4.1: prepared once for all walks
    pub fn new(backend: &B, forest: &Depths<B>) -> Result<Schedule<B>> {
        Ok(Schedule { parents: forest.parents(backend)?, child: forest.child_indices(backend)? })
    }

    /// Computes `out[i] = f(i, [c0, c1, ..], args)` with the values of the first `slots` children of node i. Missing
    /// children have the value `absent`.
    ///
    /// # Shape    -> out\[n\]; temporary memory of `slots` values per node
    /// # Cost     work O(n slots), one walk with slots
    /// # Errors   [`Error::TooManyRows`] if n times `slots` exceeds the limit of rows
    /// # Source   Pareas, section 4.4.1: each child writes its register to its parent's slot
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, device::device, walk::Schedule};
    ///
    /// /// Left less right, or the number of a leaf.
    /// #[device(walk_slots)]
    /// fn difference(i: usize, slots: &[i32], number: &[i32]) -> i32 {
    ///     number[i] + slots[0] - slots[1]
    /// }
    ///
    /// let cpu = Cpu::new();
    /// // (9 - 4) - 2
    /// let schedule = Schedule::new(&cpu, &Depths::new(&cpu, cpu.upload(&[0, 1, 2, 2, 1])?)?)?;
    /// let number = cpu.upload(&[0, 0, 9, 4, 2])?;
    /// let values = schedule.up_slots::<difference>(&cpu, 2, 0, (&number,))?;
    /// assert_eq!(cpu.download(&values)?, [3, 5, 9, 4, 2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn up_slots<F>(
        &self,
        backend: &B,
        slots: usize,
        absent: F::Output,
        args: F::Args<'_, B>,
    ) -> Result<B::Vec<F::Output>>
    where
        F: SlotsFn + In<template::WalkSlots>,
    {
        backend.walk_slots::<F>(&self.parents, &self.child, slots, absent, args)
    }
}

/// An integer type. Its sums over ranges are exact differences of prefix sums.
pub trait Summand: Numeric {
    /// The device function that computes the difference.
    type Difference: RowFn<Output = Self> + In<template::Map>;
    /// Returns prefix sums, subtree ends and the sum of all rows as its arguments.
    fn difference<'a, B: Backend + 'a>(
        prefix: &'a B::Vec<Self>,
        end: &'a B::Vec<u32>,
        total: Self,
    ) -> <Self::Difference as crate::device::ColumnFn>::Args<'a, B>;
}

macro_rules! summands {
    ($($ty:ident: $difference:ident;)*) => {$(
        /// Returns the sum of the rows from i to `end[i]`, from prefix sums and the sum of all rows.
        #[device(map)]
        pub fn $difference(i: usize, prefix: &[$ty], end: &[u32], total: $ty) -> $ty {
            let behind = if (end[i] as usize) < prefix.len() { prefix[end[i] as usize] } else { total };
            behind.wrapping_sub(prefix[i])
        }

        impl Summand for $ty {
            type Difference = $difference;
            fn difference<'a, B: Backend + 'a>(
                prefix: &'a B::Vec<$ty>,
                end: &'a B::Vec<u32>,
                total: $ty,
            ) -> (&'a B::Vec<$ty>, &'a B::Vec<u32>, $ty) {
                (prefix, end, total)
            }
        }
    )*};
}

summands! {
    u32: difference_u32;
    u64: difference_u64;
    i32: difference_i32;
    i64: difference_i64;
}

/// Computes the sum of the values of each subtree, including its root. Sums wrap.
///
/// # Shape    depths\[n\], values\[n\] of u32, u64, i32 or i64 -> sum\[n\]
/// # Cost     work O(n), one next-smaller-or-equal, one scan and one map, for any height; 24 bytes per node of u32
/// # Errors   [`Error::LengthMismatch`] if the columns differ in length
/// # Source   a subtree is a range of the preorder
/// # Example
/// ```
/// use treepar::{Backend, Cpu, depth::Depths, walk::subtree_sums};
/// let cpu = Cpu::new();
/// let forest = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1, 0])?)?;
/// let sums = subtree_sums(&cpu, &forest, &cpu.upload(&[1i32, 2, 4, -8, 16])?)?;
/// assert_eq!(cpu.download(&sums)?, [-1, 6, 4, -8, 16]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn subtree_sums<T: Summand, B: Backend>(backend: &B, forest: &Depths<B>, values: &B::Vec<T>) -> Result<B::Vec<T>> {
    if values.len() != forest.len() {
        return Err(Error::LengthMismatch { array: "values", expected: forest.len(), found: values.len() });
    }
    let (prefix, total) = scan::scan::<Sum<T>, B>(backend, ScanKind::Exclusive, values)?;
    let end = forest.ends(backend)?;
    backend.map::<T::Difference>(forest.len(), T::difference::<B>(&prefix, &end, total))
}

#[device(scan(sum_u32))]
fn one_if_marked(i: usize, mark: &[u8]) -> u32 {
    (mark[i] != 0) as u32
}

/// Counts the marked nodes of each subtree, including its root.
///
/// # Shape    depths\[n\], mark\[n\] (0 or not) -> count\[n\] u32
/// # Cost     work O(n), one next-smaller-or-equal, one scan and one map, for any height; 21 bytes per node
/// # Errors   [`Error::LengthMismatch`] if the columns differ in length
/// # Source   a subtree is a range of the preorder
/// # Example
/// ```
/// use treepar::{Backend, Cpu, depth::Depths, walk::subtree_counts};
/// let cpu = Cpu::new();
/// let forest = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1, 0])?)?;
/// let counts = subtree_counts(&cpu, &forest, &cpu.upload(&[0u8, 1, 1, 1, 0])?)?;
/// assert_eq!(cpu.download(&counts)?, [3, 2, 1, 1, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn subtree_counts<B: Backend>(backend: &B, forest: &Depths<B>, mark: &B::Vec<u8>) -> Result<B::Vec<u32>> {
    if mark.len() != forest.len() {
        return Err(Error::LengthMismatch { array: "mark", expected: forest.len(), found: mark.len() });
    }
    let n = forest.len();
    let (prefix, total) = backend.scan::<one_if_marked, sum_u32>(ScanKind::Exclusive, n, (mark,))?;
    let end = forest.ends(backend)?;
    backend.map::<difference_u32>(n, (&prefix, &end, total))
}
