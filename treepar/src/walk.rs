//! Walks: from the roots down, from the leaves up, and sums of subtrees.
//!
//! | walk | combines | implementation |
//! |---|---|---|
//! | [`Backend::walk_down`] | each node with its parent's value | one walk |
//! | [`Backend::walk_up`] | the values of any number of children, in order, by a monoid | one walk |
//! | [`Schedule::up_slots`] | the values of a fixed number of children, each in its slot | [`Backend::walk_slots`] |
//! | [`Depths::subtree_sums`], [`Depths::subtree_counts`] | sums only | one scan: a subtree is a range of the preorder |
//!
//! Prefer sums where they suffice, because their number of steps does not grow with the height of the tree. A node has a
//! marked descendant if its count of marks is not 0. Whether it has a marked ancestor is the result of
//! [`Depths::under_marked`], by one scan.
//!
//! ```
//! use treepar::prelude::*;
//!
//! /// The product of the factors on the path from the root.
//! #[device(walk_down)]
//! fn product(i: usize, above: u32, factor: &[u32]) -> u32 {
//!     above.wrapping_mul(factor[i])
//! }
//!
//! #[device(walk_up(Max))]
//! fn height(_i: usize, below: u32) -> u32 {
//!     below + 1
//! }
//!
//! let cpu = Cpu::new();
//! let parents = Depths::new(cpu.upload(&[0, 1, 2, 1])?)?.parents()?;
//! let products = cpu.walk_down(&parents, 1, product::of(&cpu.upload(&[2, 3, 5, 7])?))?;
//! assert_eq!(cpu.download(&products)?, [2, 6, 30, 14]);
//! assert_eq!(cpu.download(&cpu.walk_up(&parents, height::of(), Max)?)?, [3, 2, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```

use crate::backend::{Checked, ScanKind, check_length, own};
use crate::depth::{Depths, Parents};
use crate::device::{Call, In, RowFn, SlotsFn, device, template};
use crate::monoid::{Number, Sum};
use crate::{Backend, Column, Result};

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
    /// # Cost     the cost of parents and of child indices: 16 bytes per node on the CPU
    /// # Errors   the machine's errors
    /// # Source   Pareas, section 4.4.1: prepared once for all walks
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths, walk::Schedule};
    /// let cpu = Cpu::new();
    /// let schedule = Schedule::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?)?;
    /// assert_eq!(schedule.child[..], [0, 0, 0, 1, 1, 2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(forest: &Depths<B>) -> Result<Schedule<B>> {
        let (parents, child) = forest.parents_and_child_indices()?;
        Ok(Schedule { parents, child })
    }

    /// Computes `out[i] = f(i, [c0, c1, ..], args)` with the values of the first `slots` children of node i. Missing
    /// children have the value `absent`.
    ///
    /// # Shape    -> out\[n\]; temporary memory of `slots` values per node
    /// # Cost     work O(n slots), one walk with slots
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if n times `slots` exceeds the limit of rows
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
    /// let schedule = Schedule::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1])?)?)?;
    /// let number = cpu.upload(&[0, 0, 9, 4, 2])?;
    /// let values = schedule.up_slots(2, 0, difference::of(&number))?;
    /// assert_eq!(cpu.download(&values)?, [3, 5, 9, 4, 2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn up_slots<F, R>(&self, slots: usize, absent: F::Output, call: Call<'_, F, B, R>) -> Result<B::Vec<F::Output>>
    where
        F: SlotsFn + In<template::WalkSlots>,
    {
        self.child.backend().walk_slots(&self.parents, &self.child, slots, absent, call)
    }
}

/// An integer type. Its sums over ranges are exact differences of prefix sums.
pub trait Summand: Number {
    /// The device function that computes the difference.
    type Difference: RowFn<Output = Self> + In<template::Map>;
    /// Returns a call that takes the difference, from prefix sums, subtree ends and the sum of all rows.
    fn difference<'a, B: Backend + 'a>(
        prefix: &'a B::Vec<Self>,
        end: &'a B::Vec<u32>,
        total: Self,
    ) -> Call<'a, Self::Difference, B>;
}

macro_rules! summands {
    ($($ty:ident: $difference:ident;)*) => {$(
        /// Returns the sum of the rows from i up to but without `end[i]`, from the sums of the rows before each and the sum of all rows:
        /// the results of an exclusive scan.
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
            ) -> Call<'a, $difference, B> {
                $difference::of(prefix, end, total)
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

#[device(scan(Sum))]
fn one_if_marked(i: usize, mark: &[u8]) -> u32 {
    (mark[i] != 0) as u32
}

impl<B: Backend> Depths<B> {
    /// Computes the sum of the values of each subtree, including its root. Sums wrap.
    ///
    /// # Shape    values\[n\] of u32, u64, i32 or i64 -> sum\[n\]
    /// # Cost     work O(n), one next-smaller-or-equal, one scan and one map, for any height; 24 bytes per node of u32. On a CPU one
    ///   pass, 12 bytes per node of u32
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if there are not as many values as nodes
    /// # Source   a subtree is a range of the preorder
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 1, 0])?)?;
    /// let sums = forest.subtree_sums(&cpu.upload(&[1i32, 2, 4, -8, 16])?)?;
    /// assert_eq!(cpu.download(&sums)?, [-1, 6, 4, -8, 16]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn subtree_sums<T: Summand>(&self, values: &impl Column<Element = T, Backend = B>) -> Result<B::Vec<T>> {
        check_length("values", self.len(), values.len())?;
        own(self.backend(), values)?;
        if let Some(sums) = self.backend().run_subtree_sums::<T, Sum>(Checked, self.depths(), values.as_vec())? {
            return Ok(sums);
        }
        let (prefix, total) = self.backend().scan(ScanKind::Exclusive, values, Sum)?;
        self.backend().map(T::difference::<B>(&prefix, &self.ends()?, total))
    }

    /// Counts the marked nodes of each subtree, including its root.
    ///
    /// # Shape    mark\[n\] (0 or not) -> count\[n\] u32
    /// # Cost     work O(n), one next-smaller-or-equal, one scan and one map, for any height; 25 bytes per node
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if there are not as many marks as nodes
    /// # Source   a subtree is a range of the preorder
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 1, 0])?)?;
    /// let counts = forest.subtree_counts(&cpu.upload(&[0u8, 1, 1, 1, 0])?)?;
    /// assert_eq!(cpu.download(&counts)?, [3, 2, 1, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn subtree_counts(&self, mark: &B::Vec<u8>) -> Result<B::Vec<u32>> {
        check_length("mark", self.len(), mark.len())?;
        let (prefix, total) = self.backend().scan(ScanKind::Exclusive, one_if_marked::of(mark), Sum)?;
        self.backend().map(difference_u32::of(&prefix, &self.ends()?, total))
    }
}
