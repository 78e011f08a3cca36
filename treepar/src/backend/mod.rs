//! Machines that run the templates.
//!
//! A [`Backend`] is a value; algorithms and passes are generic over it and keep their columns where it keeps them. A
//! template runs a device function (see [`crate::device`]) over rows and returns new columns.
//!
//! | backend | runs on | feature | needs |
//! |---|---|---|---|
//! | [`Cpu`](crate::Cpu) | all cores, by rayon | | |
//! | `gpu::Cuda` | an NVIDIA GPU | `cuda` | to build, nothing; to run, NVIDIA's driver of CUDA 12.0 or newer and a device of compute capability 7.5 or newer |
//! | `gpu::Emulated` | the host, slowly: the GPU's kernels, each access checked | `emulate` | to build, nothing; to run, a C++ compiler |
//!
//! All yield the same, to the last bit but for sums of `f32`; the laws of the crate `treepar-laws` say what. No algorithm
//! asks which one it is on: a program chooses once, at its edge.
//!
//! ```
//! use treepar::{Backend, Cpu, Result, depth::Depths};
//!
//! fn sizes<B: Backend>(backend: &B, depths: &[u32]) -> Result<Vec<u32>> {
//!     let forest = Depths::new(backend, backend.upload(depths)?)?;
//!     backend.download(&forest.subtree_sizes(backend)?)
//! }
//!
//! // With the feature `cuda`: `sizes(&treepar::backend::gpu::Cuda::new()?, ..)`.
//! assert_eq!(sizes(&Cpu::new(), &[0, 1, 2, 1])?, [4, 2, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! Whether work is done when a template returns is the backend's affair: the CPU has done it, a GPU has it in order
//! before all that is asked for later. What yields a number waits: [`download`](Backend::download),
//! [`read`](Backend::read), [`reduce`](Backend::reduce), the totals of scans, how many rows are kept, and what
//! must be looked at first, such as offsets and the digits of keys.

mod counters;
pub mod cpu;
#[cfg(any(feature = "cuda", feature = "emulate"))]
pub mod gpu;

use std::ops::Range;

pub use counters::Counters;

use crate::depth::Parents;
use crate::device::{CarryFn, Element, ExpandFn, In, Monoid, Outputs, RowFn, SlotsFn, template};
use crate::{Error, Result};

/// A column of elements on a backend.
pub trait Column<T: Element>: Send + Sync {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Whether row `i` of a scan includes element `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanKind {
    /// Row `i` combines the elements up to and with `i`.
    Inclusive,
    /// Row `i` combines the elements before `i`; the first is the identity.
    Exclusive,
}

/// A sort key, `u32` or `u64`, as digits of eight bits.
///
/// No other type can implement this trait: sorts rely on digits that do not change between two looks at them.
pub trait SortKey: Element + sealed::SortKey {
    /// Returns digit `k`. Digit 0 is the least significant.
    fn digit(self, k: usize) -> usize;
    /// Returns the bits in which two keys differ.
    fn differs_from(self, other: Self) -> Self;
    /// Returns the bits that are set in either key.
    fn or(self, other: Self) -> Self;
}

mod sealed {
    pub trait SortKey {}
}

macro_rules! sort_keys {
    ($($ty:ty),*) => {$(
        impl sealed::SortKey for $ty {}
        impl SortKey for $ty {
            #[inline(always)]
            fn digit(self, k: usize) -> usize {
                (self >> (8 * k)) as usize & 255
            }
            fn differs_from(self, other: Self) -> Self {
                self ^ other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
        }
    )*};
}
sort_keys!(u32, u64);

/// A machine that runs the templates.
///
/// # Shape
/// `n` is a number of rows, `T` an element of `size_of::<T>()` bytes; `x[n]` is a column of n rows; `args` are a device
/// function's columns, of any length that it stays within, and scalars. Columns in are left as they are, but for
/// scatter's target; columns out are new.
///
/// # Cost
/// A *pass* reads and writes its columns once, with as many parallel steps as the machine's scan has. What a method says
/// in bytes is what [`Backend::counters`] counts; the columns of `args` come on top.
///
/// # Errors
/// Of each method, beside those that it names:
/// - [`TooManyRows`](Error::TooManyRows) if a column would have more than 2^32 - 2 rows;
/// - [`Threads`](Error::Threads) if the CPU's threads cannot be started;
/// - [`OutOfMemory`](Error::OutOfMemory) if the host has no room, and [`Machine`](Error::Machine) if a GPU has none or
///   failed, with this call or one before;
/// - [`OtherBackend`](Error::OtherBackend) on a GPU, if a column is another backend's.
#[expect(clippy::type_complexity, reason = "results are columns of a backend's own type, and are best read in place")]
pub trait Backend: Sized + Sync {
    /// A column on this machine.
    type Vec<T: Element>: Column<T>;

    /// A column of `n` rows with unspecified contents, from the pool.
    ///
    /// # Shape    n -> T\[n\]
    /// # Cost     no work where the pool has memory of that size
    /// # Errors   those of all
    fn allocate<T: Element>(&self, n: usize) -> Result<Self::Vec<T>>;
    /// A column with the rows of `host`.
    ///
    /// # Shape    host\[n\] -> T\[n\]
    /// # Cost     `n * size_of::<T>()` bytes between host and machine
    /// # Errors   those of all
    fn upload<T: Element>(&self, host: &[T]) -> Result<Self::Vec<T>>;
    /// The rows of a column, on the host. Waits for what was asked for before.
    ///
    /// # Shape    column\[n\] -> host\[n\]
    /// # Cost     `n * size_of::<T>()` bytes between host and machine
    /// # Errors   those of all; `OutOfMemory` is the host's
    fn download<T: Element>(&self, column: &Self::Vec<T>) -> Result<Vec<T>>;
    /// Row `i` of a column, on the host. Waits for what was asked for before.
    ///
    /// # Shape    column\[n\], i < n -> T
    /// # Cost     `size_of::<T>()` bytes between host and machine
    /// # Errors   [`RowOutOfRange`](Error::RowOutOfRange) if `i` is not below n
    fn read<T: Element>(&self, column: &Self::Vec<T>, i: usize) -> Result<T>;
    /// A column of `n` rows, each `value`.
    ///
    /// # Shape    n -> T\[n\]
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes a row
    /// # Errors   those of all
    fn filled<T: Element>(&self, n: usize, value: T) -> Result<Self::Vec<T>>;

    /// A column with the rows of `columns`, one column after another.
    ///
    /// # Shape    a\[n\], b\[m\], .. -> T\[n + m + ..\]
    /// # Cost     work O(n + m + ..), 1 copy a column, `2 * size_of::<T>()` bytes a row
    /// # Errors   those of all
    fn concat<T: Element>(&self, columns: &[&Self::Vec<T>]) -> Result<Self::Vec<T>>;
    /// A column with the rows of `range`.
    ///
    /// # Shape    column\[n\], a..b with a <= b <= n -> T\[b - a\]
    /// # Cost     work O(b - a), 1 copy, `2 * size_of::<T>()` bytes a row
    /// # Errors   [`RowOutOfRange`](Error::RowOutOfRange) for another range
    fn slice<T: Element>(&self, column: &Self::Vec<T>, range: Range<usize>) -> Result<Self::Vec<T>>;

    /// `out[i] = f(i, args)`.
    ///
    /// # Shape    n -> T\[n\], or a column for each element of a tuple
    /// # Cost     work O(n), 1 pass, the bytes of the results
    /// # Errors   those of all
    fn map<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: RowFn<Output: Outputs> + In<template::Map>;

    /// `f(0) · f(1) · ..`, the identity where n is 0. The operation is associative, and need not commute.
    ///
    /// # Shape    n -> T
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes in all
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbours among the rows break a law
    fn reduce<F, M>(&self, n: usize, args: F::Args<'_, Self>) -> Result<M::T>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::Reduce<M>>;

    /// All prefixes of `f(0) · f(1) · ..`, and the whole.
    ///
    /// # Shape    n -> T\[n\], T
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes a row
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbours among the rows break a law
    fn scan<F, M>(&self, kind: ScanKind, n: usize, args: F::Args<'_, Self>) -> Result<(Self::Vec<M::T>, M::T)>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::Scan<M>>;

    /// `out[i] = g(i, f(0) · .. · f(i - 1), args)`: an exclusive scan whose prefixes are used once and not stored.
    /// Returns the whole as well.
    ///
    /// # Shape    n -> U\[n\], or a column for each element of a tuple, and T
    /// # Cost     work O(n), 1 pass, the bytes of the results
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbours among the rows break a law
    fn scan_map<G, F, M>(
        &self,
        n: usize,
        scan_args: F::Args<'_, Self>,
        map_args: G::Args<'_, Self>,
    ) -> Result<(<G::Output as Outputs>::Vecs<Self>, M::T)>
    where
        M: Monoid,
        F: RowFn<Output = M::T>,
        G: CarryFn<Carry = M::T, Output: Outputs> + In<template::ScanMap<F, M>>;

    /// `out[offsets[owner] + k] = f(owner, k, args)`: each owner yields the rows from its offset to the next owner's,
    /// the last up to `m`. Offsets begin with 0 and do not fall.
    ///
    /// # Shape    offsets\[n\], m -> T\[m\], or a column for each element of a tuple
    /// # Cost     work O(n + m), 1 pass, 4 bytes an owner, and the bytes of the results
    /// # Errors   [`InvalidOffset`](Error::InvalidOffset) if offsets fall, end behind m, or do not begin with 0
    fn expand<F>(
        &self,
        offsets: &Self::Vec<u32>,
        m: usize,
        args: F::Args<'_, Self>,
    ) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: ExpandFn<Output: Outputs> + In<template::Expand>;

    /// The rows `i` for which `f(i, args)`, in order.
    ///
    /// # Shape    n -> u32\[m\], m of the n rows
    /// # Cost     work O(n), 1 pass, 4 bytes a row that is kept
    /// # Errors   those of all
    fn compact<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<Self::Vec<u32>>
    where
        F: RowFn<Output = bool> + In<template::Compact>;

    /// Writes `target[indices[i]] = values[i]`. Rows whose index is outside the target are skipped.
    ///
    /// Two rows with one target are an error in debug builds on the CPU. Otherwise the target has the value of either
    /// row. If its size is not 1, 2, 4 or 8 bytes, it may combine words of both.
    ///
    /// # Shape    target\[m\], indices\[n\], values\[n\] -> target\[m\], in place
    /// # Cost     work O(n), 1 pass, `4 + 2 * size_of::<T>()` bytes a row
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if values are not as many as indices;
    /// [`DuplicateTarget`](Error::DuplicateTarget) in debug builds on the CPU
    fn scatter<T: Element>(
        &self,
        target: &mut Self::Vec<T>,
        indices: &Self::Vec<u32>,
        values: &Self::Vec<T>,
    ) -> Result<()>;

    /// For each row the last one before it with a smaller key, or [`NO_NODE`](crate::depth::NO_NODE). Whatever the keys,
    /// these are the parents of a forest in preorder.
    ///
    /// # Shape    keys\[n\] -> parents\[n\]
    /// # Cost     work O(n), O(n log n) on a GPU; 1 pass, 8 bytes a row
    /// # Errors   those of all
    fn previous_smaller(&self, keys: &Self::Vec<u32>) -> Result<Parents<Self>>;

    /// For each row the first one after it whose key is not greater, or n.
    ///
    /// # Shape    keys\[n\] -> u32\[n\]
    /// # Cost     as \[`Backend::previous_smaller`\]
    /// # Errors   those of all
    fn next_smaller_or_equal(&self, keys: &Self::Vec<u32>) -> Result<Self::Vec<u32>>;

    /// `out[i] = f(i, out[parents[i]], args)`, with `root` in the parent's place for a root.
    ///
    /// # Shape    parents\[n\] -> T\[n\]
    /// # Cost     work O(n), 1 pass in which a node waits for its parent, up to h steps; 4 bytes a row and the result's
    /// # Errors   those of all
    fn walk_down<F>(
        &self,
        parents: &Parents<Self>,
        root: F::Carry,
        args: F::Args<'_, Self>,
    ) -> Result<Self::Vec<F::Carry>>
    where
        F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkDown>;

    /// `out[i] = f(i, c0 · c1 · .., args)` with the values of the children of `i` in order; the identity for a leaf.
    ///
    /// # Shape    parents\[n\] -> T\[n\]
    /// # Cost     as \[`Backend::walk_down`\], and a node waits for its children
    /// # Errors   those of all
    fn walk_up<F, M>(&self, parents: &Parents<Self>, args: F::Args<'_, Self>) -> Result<Self::Vec<M::T>>
    where
        M: Monoid,
        F: CarryFn<Carry = M::T, Output = M::T> + In<template::WalkUp<M>>;

    /// `out[i] = f(i, [c0, c1, ..], args)` with the values of the first `slots` children of `i`, and `absent` for those
    /// that there are not. `child` is each node's place among its siblings.
    ///
    /// # Shape    parents\[n\], child\[n\], slots, with n * slots at most 2^32 - 2 -> T\[n\]
    /// # Cost     work O(n * slots), 1 fill and 1 walk, 8 bytes a row, and `1 + 2 * slots` elements
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if `child` has not n rows
    fn walk_slots<F>(
        &self,
        parents: &Parents<Self>,
        child: &Self::Vec<u32>,
        slots: usize,
        absent: F::Output,
        args: F::Args<'_, Self>,
    ) -> Result<Self::Vec<F::Output>>
    where
        F: SlotsFn + In<template::WalkSlots>;

    /// The scan of each segment of `n` rows; segment s begins at row `offsets[s]`, and offsets do not fall.
    /// Rows before the first segment are one of their own.
    ///
    /// # Shape    offsets\[s\], n -> T\[n\]
    /// # Cost     work O(n + s), 1 pass, 4 bytes a segment and `size_of::<T>()` a row
    /// # Errors   [`InvalidOffset`](Error::InvalidOffset) if offsets fall or end behind n
    fn segmented_scan<F, M>(
        &self,
        kind: ScanKind,
        offsets: &Self::Vec<u32>,
        n: usize,
        args: F::Args<'_, Self>,
    ) -> Result<Self::Vec<M::T>>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::SegmentedScan<M>>;

    /// `out[s] = f(offsets[s]) · .. · f(offsets[s + 1] - 1)`, the last segment up to `n`; the identity for an empty one.
    ///
    /// # Shape    offsets\[s\], n -> T\[s\]
    /// # Cost     work O(n + s), 1 pass, `4 + size_of::<T>()` bytes a segment
    /// # Errors   [`InvalidOffset`](Error::InvalidOffset) if offsets fall or end behind n
    fn segmented_reduce<F, M>(
        &self,
        offsets: &Self::Vec<u32>,
        n: usize,
        args: F::Args<'_, Self>,
    ) -> Result<Self::Vec<M::T>>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::SegmentedScan<M>>;

    /// The rows `i` for which `f(i, args)`, then the others, each in order; and how many the first are.
    ///
    /// # Shape    n -> u32\[n\], m
    /// # Cost     work O(n), 1 pass, 4 bytes a row; a GPU evaluates `f` twice
    /// # Errors   those of all
    fn partition<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<(Self::Vec<u32>, usize)>
    where
        F: RowFn<Output = bool> + In<template::Compact>;

    /// `out[b]` is how many keys are `b`, for `b` below `bins`; other keys are skipped.
    ///
    /// # Shape    keys\[n\], bins -> u32\[bins\]
    /// # Cost     work O(n + bins), 1 pass, 4 bytes a row and a bin
    /// # Errors   those of all
    fn histogram(&self, keys: &Self::Vec<u32>, bins: usize) -> Result<Self::Vec<u32>>;

    /// Keys in rising order with their payloads; rows with equal keys keep their order.
    ///
    /// # Shape    keys\[n\], payload\[n\] -> K\[n\], u32\[n\]
    /// # Cost     work O(n) for each 8 bits in which keys differ: a read of the keys, then a pass for each such digit, of
    /// `2 * (size_of::<K>() + 4)` bytes a row
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if the payload has not n rows
    fn sort_by_key<K: SortKey>(
        &self,
        keys: &Self::Vec<K>,
        payload: &Self::Vec<u32>,
    ) -> Result<(Self::Vec<K>, Self::Vec<u32>)>;

    /// What this backend has done so far. Never fails, and counts nothing itself.
    fn counters(&self) -> Counters;
}

/// Rows are indexed by `u32`, and the greatest is reserved.
fn check_rows(array: &'static str, n: usize) -> Result<()> {
    let limit = u64::from(u32::MAX) - 1;
    if n as u64 > limit { Err(Error::TooManyRows { array, found: n as u64, limit }) } else { Ok(()) }
}

/// Rows for a column that comes to the host.
fn host_rows<T: Element>(n: usize) -> Result<Vec<T>> {
    let bytes = (n as u64).saturating_mul(size_of::<T>() as u64);
    bytemuck::allocation::try_zeroed_vec(n).map_err(|()| Error::OutOfMemory { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_the_host_has_no_room_for_are_an_error() {
        assert_eq!(host_rows::<u32>(3), Ok(vec![0; 3]));
        assert_eq!(host_rows::<u64>(1 << 60), Err(Error::OutOfMemory { bytes: 1 << 63 }));
        assert_eq!(host_rows::<u64>(usize::MAX), Err(Error::OutOfMemory { bytes: u64::MAX }));
    }
}
