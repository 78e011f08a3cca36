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

pub mod cpu;
#[cfg(any(feature = "cuda", feature = "emulate"))]
pub mod gpu;

use std::ops::Range;

use crate::depth::Parents;
use crate::device::{ArgVisitor, CarryFn, Element, ExpandFn, In, Monoid, Outputs, RowFn, SlotsFn, template};
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

/// A key that can be sorted by: digits of eight bits.
pub trait SortKey: Element {
    /// Digit `k`, the least significant first.
    fn digit(self, k: usize) -> usize;
    /// The bits in which two keys differ.
    fn differs_from(self, other: Self) -> Self;
    /// The bits that are set in either.
    fn or(self, other: Self) -> Self;
}

macro_rules! sort_keys {
    ($($ty:ty),*) => {$(
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

/// What a backend has done since it was made: the work of passes, as bytes that must move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Templates run.
    pub launches: u64,
    /// Bytes of the columns that they read and wrote, each counted once.
    pub bytes: u64,
}

/// A machine that runs the templates. `n` is a number of rows, `T` an element.
#[expect(clippy::type_complexity, reason = "results are columns of a backend's own type, and are best read in place")]
pub trait Backend: Sized + Sync {
    /// A column on this machine.
    type Vec<T: Element>: Column<T>;

    /// A column of `n` rows with unspecified contents, from the pool.
    fn allocate<T: Element>(&self, n: usize) -> Result<Self::Vec<T>>;
    /// A column with the rows of `host`.
    fn upload<T: Element>(&self, host: &[T]) -> Result<Self::Vec<T>>;
    /// The rows of a column, on the host.
    fn download<T: Element>(&self, column: &Self::Vec<T>) -> Result<Vec<T>>;
    /// Row `i` of a column, on the host.
    fn read<T: Element>(&self, column: &Self::Vec<T>, i: usize) -> Result<T>;
    /// A column of `n` rows, each `value`.
    fn filled<T: Element>(&self, n: usize, value: T) -> Result<Self::Vec<T>>;

    /// A column with the rows of `columns`, one column after another.
    fn concat<T: Element>(&self, columns: &[&Self::Vec<T>]) -> Result<Self::Vec<T>>;
    /// A column with the rows of `range`.
    fn slice<T: Element>(&self, column: &Self::Vec<T>, range: Range<usize>) -> Result<Self::Vec<T>>;

    /// `out[i] = f(i, args)`.
    fn map<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: RowFn<Output: Outputs> + In<template::Map>;

    /// `f(0) · f(1) · ..`, the identity where n is 0.
    fn reduce<F, M>(&self, n: usize, args: F::Args<'_, Self>) -> Result<M::T>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::Reduce<M>>;

    /// All prefixes of `f(0) · f(1) · ..`, and the whole.
    fn scan<F, M>(&self, kind: ScanKind, n: usize, args: F::Args<'_, Self>) -> Result<(Self::Vec<M::T>, M::T)>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::Scan<M>>;

    /// `out[i] = g(i, f(0) · .. · f(i - 1), args)`: an exclusive scan whose prefixes are used once and not stored.
    /// Returns the whole as well.
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
    fn expand<F>(
        &self,
        offsets: &Self::Vec<u32>,
        m: usize,
        args: F::Args<'_, Self>,
    ) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: ExpandFn<Output: Outputs> + In<template::Expand>;

    /// The rows `i` for which `f(i, args)`, in order.
    fn compact<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<Self::Vec<u32>>
    where
        F: RowFn<Output = bool> + In<template::Compact>;

    /// `target[indices[i]] = values[i]`. A row whose index lies outside the target is skipped; two rows with one
    /// target are an error in debug builds and leave either value in others.
    fn scatter<T: Element>(
        &self,
        target: &mut Self::Vec<T>,
        indices: &Self::Vec<u32>,
        values: &Self::Vec<T>,
    ) -> Result<()>;

    /// For each row the last one before it with a smaller key, or [`NO_NODE`](crate::depth::NO_NODE). Whatever the keys,
    /// these are the parents of a forest in preorder.
    fn previous_smaller(&self, keys: &Self::Vec<u32>) -> Result<Parents<Self>>;

    /// For each row the first one after it whose key is not greater, or n.
    fn next_smaller_or_equal(&self, keys: &Self::Vec<u32>) -> Result<Self::Vec<u32>>;

    /// `out[i] = f(i, out[parents[i]], args)`, with `root` in the parent's place for a root.
    fn walk_down<F>(
        &self,
        parents: &Parents<Self>,
        root: F::Carry,
        args: F::Args<'_, Self>,
    ) -> Result<Self::Vec<F::Carry>>
    where
        F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkDown>;

    /// `out[i] = f(i, c0 · c1 · .., args)` with the values of the children of `i` in order; the identity for a leaf.
    fn walk_up<F, M>(&self, parents: &Parents<Self>, args: F::Args<'_, Self>) -> Result<Self::Vec<M::T>>
    where
        M: Monoid,
        F: CarryFn<Carry = M::T, Output = M::T> + In<template::WalkUp<M>>;

    /// `out[i] = f(i, [c0, c1, ..], args)` with the values of the first `slots` children of `i`, and `absent` for those
    /// that there are not. `child` is each node's place among its siblings.
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
    fn partition<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<(Self::Vec<u32>, usize)>
    where
        F: RowFn<Output = bool> + In<template::Compact>;

    /// `out[b]` is how many keys are `b`, for `b` below `bins`; other keys are skipped.
    fn histogram(&self, keys: &Self::Vec<u32>, bins: usize) -> Result<Self::Vec<u32>>;

    /// Keys in rising order with their payloads; rows with equal keys keep their order.
    fn sort_by_key<K: SortKey>(
        &self,
        keys: &Self::Vec<K>,
        payload: &Self::Vec<u32>,
    ) -> Result<(Self::Vec<K>, Self::Vec<u32>)>;

    /// What this backend has done so far.
    fn counters(&self) -> Counters;
}

/// Rows are indexed by `u32`, and the greatest is reserved.
fn check_rows(array: &'static str, n: usize) -> Result<()> {
    let limit = u64::from(u32::MAX) - 1;
    if n as u64 > limit { Err(Error::TooManyRows { array, found: n as u64, limit }) } else { Ok(()) }
}

/// Sums up the bytes of columns.
struct ReadBytes(usize);

impl<B: Backend> ArgVisitor<B> for ReadBytes {
    fn column<T: Element>(&mut self, column: &B::Vec<T>) {
        self.0 += column.len() * size_of::<T>();
    }
    fn scalar<T: bytemuck::NoUninit>(&mut self, _: T) {}
}
