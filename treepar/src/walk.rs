//! Walks: from the leaves up, from the roots down, and sums of subtrees.
//!
//! | walk | children | how |
//! |---|---|---|
//! | [`down`] | each node from its parent | [`Backend::walk_down`] |
//! | [`up`] | any number, combined by a monoid in their order | [`Backend::walk_up`] |
//! | [`Schedule::up_slots`] | a fixed number, each in a slot | [`Backend::walk_slots`] |
//! | [`subtree_sums`], [`subtree_counts`] | sums alone | one scan: a subtree is a range of the preorder |
//!
//! Where sums do, take sums: their steps do not grow with the height of the tree. Whether any node below is marked is a
//! count that is not 0; whether any node above is, [`ancestor::under_marked`](crate::ancestor::under_marked) tells by
//! one scan.

use crate::backend::ScanKind;
use crate::depth::{Depths, Parents};
use crate::device::{CarryFn, In, Monoid, RowFn, SlotsFn, device, template};
use crate::monoid::{Numeric, Sum, sum_u32};
use crate::{Backend, Column, Error, Result, scan};

/// `out[i] = f(i, out[parent of i], args)`, with `root` for the parent of a root.
///
/// # Shape    parents\[n\] -> out\[n\]
/// # Cost     work O(n), one walk down; on the CPU, paths longer than an eighth of the nodes are walked by one thread
/// # Errors   none but the machine's
/// # Source   Pareas, section 3.4: information that flows to the leaves
/// # Example
/// ```
/// use treepar::device::device;
/// use treepar::{Backend, Cpu, depth::Depths, walk};
///
/// /// Product of the factors on the path.
/// #[device(walk_down)]
/// fn product(i: usize, above: u32, factor: &[u32]) -> u32 {
///     above.wrapping_mul(factor[i])
/// }
///
/// let cpu = Cpu::new();
/// let parents = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1])?)?.parents(&cpu)?;
/// let products = walk::down::<product, _>(&cpu, &parents, 1, (&cpu.upload(&[2, 3, 5, 7])?,))?;
/// assert_eq!(cpu.download(&products)?, [2, 6, 30, 14]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn down<F, B>(backend: &B, parents: &Parents<B>, root: F::Carry, args: F::Args<'_, B>) -> Result<B::Vec<F::Carry>>
where
    B: Backend,
    F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkDown>,
{
    backend.walk_down::<F>(parents, root, args)
}

/// `out[i] = f(i, c0 · c1 · .., args)` with the values of the children of i in order; the identity for a leaf.
///
/// # Shape    parents\[n\] -> out\[n\]
/// # Cost     work O(n), one walk up; on the CPU, paths longer than an eighth of the nodes are walked by one thread
/// # Errors   none but the machine's
/// # Source   Pareas, section 3.3: a bottom-up walk, here over any number of children
/// # Example
/// ```
/// use treepar::{Backend, Cpu, depth::Depths, device::device, monoid::max_u32, walk};
///
/// #[device(walk_up(max_u32))]
/// fn height(_i: usize, below: u32) -> u32 {
///     below + 1
/// }
///
/// let cpu = Cpu::new();
/// let parents = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 1])?)?.parents(&cpu)?;
/// assert_eq!(cpu.download(&walk::up::<height, max_u32, _>(&cpu, &parents, ())?)?, [3, 2, 1, 1]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn up<F, M, B>(backend: &B, parents: &Parents<B>, args: F::Args<'_, B>) -> Result<B::Vec<M::T>>
where
    B: Backend,
    M: Monoid,
    F: CarryFn<Carry = M::T, Output = M::T> + In<template::WalkUp<M>>,
{
    backend.walk_up::<F, M>(parents, args)
}

/// What walks over a forest need to know of it, worked out once for any number of walks.
pub struct Schedule<B: Backend> {
    /// The parent of each node.
    pub parents: Parents<B>,
    /// The place of each node among its siblings.
    pub child: B::Vec<u32>,
    /// The nodes in level order.
    pub node: B::Vec<u32>,
    /// Where each level begins there.
    pub level: B::Vec<u32>,
}

impl<B: Backend> Schedule<B> {
    /// The schedule of a forest.
    ///
    /// # Shape    depth\[n\] -> parents\[n\], child\[n\], node\[n\], level\[h\]
    /// # Cost     that of parents and of child indices: a stable sort by depth
    /// # Errors   none but the machine's
    /// # Source   Pareas, section 4.4.1: nodes sorted by depth, once for all walks
    pub fn new(backend: &B, forest: &Depths<B>) -> Result<Schedule<B>> {
        let parents = forest.parents(backend)?;
        let (node, level) = forest.level_order(backend)?;
        Ok(Schedule { parents, child: forest.child_indices(backend)?, node, level })
    }

    /// `out[i] = f(i, [c0, c1, ..], args)` with the values of the first `slots` children of i, and `absent` in the slots
    /// of those that there are not.
    ///
    /// # Shape    -> out\[n\]; `slots` values of the same type for each node between
    /// # Cost     work O(n slots), one walk with slots
    /// # Errors   [`Error::TooManyRows`] if n times `slots` is more than rows can be
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

    /// [`down`], with the parents of the schedule.
    pub fn down<F>(&self, backend: &B, root: F::Carry, args: F::Args<'_, B>) -> Result<B::Vec<F::Carry>>
    where
        F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkDown>,
    {
        backend.walk_down::<F>(&self.parents, root, args)
    }

    /// [`up`], with the parents of the schedule.
    pub fn up<F, M>(&self, backend: &B, args: F::Args<'_, B>) -> Result<B::Vec<M::T>>
    where
        M: Monoid,
        F: CarryFn<Carry = M::T, Output = M::T> + In<template::WalkUp<M>>,
    {
        backend.walk_up::<F, M>(&self.parents, args)
    }
}

/// An integer that subtrees are summed of: sums of ranges are differences of prefix sums, exactly.
pub trait Summand: Numeric {
    /// The device function that takes the difference.
    type Difference: RowFn<Output = Self> + In<template::Map>;
    /// Prefix sums, subtree ends and the whole sum as its arguments.
    fn difference<'a, B: Backend + 'a>(
        prefix: &'a B::Vec<Self>,
        end: &'a B::Vec<u32>,
        total: Self,
    ) -> <Self::Difference as crate::device::ColumnFn>::Args<'a, B>;
}

macro_rules! summands {
    ($($ty:ident: $difference:ident;)*) => {$(
        /// The sum of the rows from i to `end[i]`, from prefix sums and the whole.
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

/// The sum of the values of each subtree, its root's included; wraps.
///
/// # Shape    depths\[n\], values\[n\] of u32, u64, i32 or i64 -> sum\[n\]
/// # Cost     work O(n), one next-smaller-or-equal, one scan and one map, whatever the height; 24 bytes a node of u32
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

/// How many nodes of each subtree are marked, its root included.
///
/// # Shape    depths\[n\], mark\[n\] (0 or not) -> count\[n\] u32
/// # Cost     work O(n), one next-smaller-or-equal, one scan and one map, whatever the height; 21 bytes a node
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
