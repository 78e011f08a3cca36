//! Backends: the machines that hold columns and run templates.
//!
//! A [`Backend`] is a value; algorithms and passes are generic over it. A column belongs to the backend that made it,
//! and knows it ([`Column::backend`]). A template runs a device function (see [`crate::device`]) over rows and returns
//! new columns.
//!
//! | backend | runs on | feature | requirements |
//! |---|---|---|---|
//! | [`Cpu`](crate::Cpu) | all cores, through rayon | | |
//! | `gpu::Cuda` | an NVIDIA GPU | `cuda` | to build: none; to run: NVIDIA's driver for CUDA 12.0 or newer, and a device of compute capability 7.5 or newer |
//! | `gpu::Emulated` | the host, slowly: the GPU's kernels with every access checked | `emulate` | to build: none; to run: a C++ compiler |
//!
//! All backends return the same values, to the last bit except for sums of `f32`. The laws of the crate `treepar-laws`
//! check this. No algorithm asks which backend it runs on: a program chooses once, at its edge.
//!
//! ```
//! use treepar::prelude::*;
//!
//! fn sizes<B: Backend>(backend: &B, depths: &[u32]) -> treepar::Result<Vec<u32>> {
//!     let forest = Depths::new(backend.upload(depths)?)?;
//!     backend.download(&forest.subtree_sizes()?)
//! }
//!
//! // With the feature `cuda`: `sizes(&treepar::backend::gpu::Cuda::new()?, ..)`.
//! assert_eq!(sizes(&Cpu::new(), &[0, 1, 2, 1])?, [4, 2, 1, 1]);
//! # Ok::<(), treepar::Error>(())
//! ```
//!
//! # Layers
//!
//! ```text
//! Backend     validates row counts and owners of columns, counts bytes, allocates results; the same for all machines
//! Executor    runs a template on columns that are known to fit; one implementation per machine
//! ```
//!
//! A GPU may still work when a template returns; later calls see its results in order. These calls wait for a value:
//! [`download`](Backend::download), [`read`](Backend::read), [`reduce`](Backend::reduce), [`partition`](Backend::partition),
//! [`sort_by_key`](Backend::sort_by_key), the totals of scans, and checks of offsets. A [`Later`] value waits when it is read. A
//! column of [`compact`](Backend::compact), [`expand_rows`](Backend::expand_rows) or [`positions`](Backend::positions) waits when
//! its length is used. Each wait brings all values that were computed before it. So a program waits less if it first calls all
//! templates whose results it needs together.

mod counters;
pub mod cpu;
mod executor;
#[cfg(any(feature = "cuda", feature = "emulate"))]
pub mod gpu;
mod later;
mod offsets;

use std::ops::Range;

pub use counters::{Counters, Tally};
pub use executor::{Checked, Columns, Executor, Followed, Run};
pub use later::{Downloads, Known, Later};
pub use offsets::Offsets;

use crate::depth::{Depths, Parents};
use crate::device::{
    Call, CarryFn, ColumnFn, Counted, Element, ExpandFn, In, Item, Monoid, Outputs, Predicate, RowFn, Rows, SlotsFn,
    template,
};
use crate::operators::{Operators, Symbol};
use crate::{Error, Result};

/// A column of elements on a backend.
pub trait Column: Send + Sync {
    /// The type of a row.
    type Element: Element;
    /// The backend that holds the column.
    type Backend: Backend;
    /// Returns the number of rows.
    fn len(&self) -> usize;
    /// Returns whether there is no row.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the backend that holds the column.
    fn backend(&self) -> &Self::Backend;
    /// Returns the column in the backend's own type.
    fn as_vec(&self) -> &<Self::Backend as Executor>::Vec<Self::Element>;
    /// Returns the column in the backend's own type.
    fn into_vec(self) -> <Self::Backend as Executor>::Vec<Self::Element>
    where
        Self: Sized;
    /// Returns a copy, which may fail for lack of memory.
    ///
    /// # Shape    column\[n\] -> T\[n\]
    /// # Cost     work O(n), 1 copy, `2 * size_of::<T>()` bytes per row
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let column = cpu.upload(&[1, 2])?;
    /// let copy = column.try_clone()?;
    /// assert_eq!(copy[..], column[..]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn try_clone(&self) -> Result<<Self::Backend as Executor>::Vec<Self::Element>> {
        self.backend().slice(self.as_vec(), 0..self.len())
    }
}

/// The end of the elements that a row of a scan combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanKind {
    /// Row `i` combines the elements up to and including `i`.
    Inclusive,
    /// Row `i` combines the elements before `i`; the first row is the identity.
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

/// A machine that runs the templates: the methods that programs call.
///
/// Every [`Executor`] is a backend. A call is validated and counted here, and then run by the executor.
///
/// # Shape
/// `n` is the number of rows, `T` the type of an element; `x[n]` is a column of n rows. Input columns stay as they are,
/// except the target of a scatter; output columns are new.
///
/// The columns that the device function reads at its own row give the number of rows, or [`Call::rows`] states it. A walk
/// and an expand take it from their own columns.
///
/// # Cost
/// A *pass* reads and writes its columns once, in as many parallel steps as the machine's scan takes. A method
/// states the bytes that [`Backend::counters`] counts, without the columns of the call, which are added.
///
/// # Errors
/// Every method can return these general errors:
/// - [`LengthMismatch`](Error::LengthMismatch) if columns that the function reads at its own row differ in length, or
///   are shorter than the rows that the call states; `array` is the function's parameter;
/// - [`TooManyRows`](Error::TooManyRows) if a column would have more than 2^32 - 2 rows;
/// - [`Threads`](Error::Threads) if the CPU's threads cannot be started;
/// - [`OtherBackend`](Error::OtherBackend) if a column belongs to another backend;
/// - [`OutOfMemory`](Error::OutOfMemory) if the host has too little memory, and [`Machine`](Error::Machine) if a GPU
///   has, or if it failed in this call or an earlier one.
#[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
pub trait Backend: Executor {
    /// Calls `work` on independent items, and returns the results in order.
    ///
    /// On a CPU each item is worked on by one thread, and several at once. A list of templates on a small item finds its
    /// columns in the core's cache, and no template waits for another thread. An only item gets all threads. On a GPU the
    /// items follow one another. The handle that `work` gets counts its own work, which this handle counts afterwards.
    /// Columns of one item can be used with columns of other items and with this backend.
    ///
    /// # Cost     as the calls
    /// # Errors   [`Threads`](Error::Threads) if threads cannot be started
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// let cpu = Cpu::new();
    /// let sums = cpu.on_each(vec![vec![1, 2], vec![3, 4, 5]], |cpu, part: Vec<u32>| {
    ///     cpu.reduce(&cpu.upload(&part)?, Sum)
    /// })?;
    /// assert_eq!(sums.into_iter().collect::<treepar::Result<Vec<_>>>()?, [3, 12]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn on_each<T: Send, R: Send>(&self, items: Vec<T>, work: impl Fn(&Self, T) -> R + Sync) -> Result<Vec<R>> {
        self.run_each(Checked, items, &work)
    }

    /// Returns a column of `n` rows with unspecified contents, from the pool.
    ///
    /// # Shape    n -> T\[n\]
    /// # Cost     no work if the pool has memory of that size
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// // Rows have any value until something is written to them.
    /// let mut column = cpu.allocate::<u32>(2)?;
    /// cpu.scatter(&mut column, &cpu.upload(&[1, 0])?, &cpu.upload(&[7, 8])?)?;
    /// assert_eq!(column[..], [8, 7]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn allocate<T: Element>(&self, n: usize) -> Result<Self::Vec<T>> {
        check_rows("column", n)?;
        self.run_allocate(Checked, n)
    }

    /// Returns a column with the rows of `host`.
    ///
    /// # Shape    host\[n\] -> T\[n\]
    /// # Cost     `n * size_of::<T>()` bytes between host and machine
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let column = cpu.upload(&[3u8, 4])?;
    /// assert_eq!((column.len(), cpu.download(&column)?), (2, vec![3, 4]));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn upload<T: Element>(&self, host: &[T]) -> Result<Self::Vec<T>> {
        let mut column = self.allocate(host.len())?;
        self.run_upload(Checked, &mut column, host)?;
        self.tally().transfer(size_of_val(host));
        Ok(column)
    }

    /// Returns the rows of a column, on the host. Waits for earlier calls.
    ///
    /// # Shape    column\[n\] -> host\[n\]
    /// # Cost     `n * size_of::<T>()` bytes between host and machine
    /// # Errors   only general ones; `OutOfMemory` refers to the host
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// assert_eq!(cpu.download(&cpu.upload(&[1.5f32, 2.0])?)?, [1.5, 2.0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn download<T: Element>(&self, column: &Self::Vec<T>) -> Result<Vec<T>> {
        own(self, column)?;
        let mut rows = host_rows(column.len())?;
        self.run_download(Checked, column, 0, &mut rows)?;
        self.tally().transfer(size_of_val(&rows[..]));
        Ok(rows)
    }

    /// Copies the rows of a column to `rows`, on the host. Waits for earlier calls.
    ///
    /// # Shape    column\[n\] -> rows\[n\]
    /// # Cost     `n * size_of::<T>()` bytes between host and machine
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if `rows` has another length
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// let cpu = Cpu::new();
    /// let mut rows = [0; 4];
    /// cpu.download_to(&cpu.upload(&[7, 8, 9])?, &mut rows[..3])?;
    /// assert_eq!(rows, [7, 8, 9, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn download_to<T: Element>(&self, column: &Self::Vec<T>, rows: &mut [T]) -> Result<()> {
        own(self, column)?;
        if column.len() != rows.len() {
            return Err(Error::LengthMismatch { array: "rows", expected: column.len(), found: rows.len() });
        }
        self.run_download(Checked, column, 0, rows)?;
        self.tally().transfer(size_of_val(rows));
        Ok(())
    }

    /// Returns row `i` of a column, on the host. Waits for earlier calls.
    ///
    /// # Shape    column\[n\], i < n -> T
    /// # Cost     `size_of::<T>()` bytes between host and machine
    /// # Errors   [`RowOutOfRange`](Error::RowOutOfRange) if `i` is not below n
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let column = cpu.upload(&[5, 6, 7])?;
    /// assert_eq!(cpu.read(&column, 1)?, 6);
    /// assert!(cpu.read(&column, 3).is_err());
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn read<T: Element>(&self, column: &Self::Vec<T>, i: usize) -> Result<T> {
        own(self, column)?;
        check_row(i < column.len(), i, column.len())?;
        let mut row = T::default();
        self.run_download(Checked, column, i, std::slice::from_mut(&mut row))?;
        self.tally().transfer(size_of::<T>());
        Ok(row)
    }

    /// Returns a column of `n` rows, each `value`.
    ///
    /// # Shape    n -> T\[n\]
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes per row
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// assert_eq!(cpu.filled(3, 9u64)?[..], [9, 9, 9]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn filled<T: Element>(&self, n: usize, value: T) -> Result<Self::Vec<T>> {
        let mut column = self.allocate(n)?;
        self.run_fill(Checked, &mut column, value)?;
        self.tally().template(n * size_of::<T>());
        Ok(column)
    }

    /// Returns the rows of `columns`, one column after another.
    ///
    /// # Shape    a\[n\], b\[m\], .. -> T\[n + m + ..\]
    /// # Cost     work O(n + m + ..), 1 copy per column, `2 * size_of::<T>()` bytes per row
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let (a, b) = (cpu.upload(&[1, 2])?, cpu.upload(&[3])?);
    /// assert_eq!(cpu.concat(&[&a, &b, &a])?[..], [1, 2, 3, 1, 2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn concat<T: Element>(&self, columns: &[&Self::Vec<T>]) -> Result<Self::Vec<T>> {
        columns.iter().try_for_each(|column| own(self, *column))?;
        let mut all = self.allocate(columns.iter().map(|column| column.len()).sum())?;
        let mut at = 0;
        for column in columns {
            self.run_copy(Checked, &mut all, at, column, 0..column.len())?;
            at += column.len();
        }
        self.tally().template(2 * at * size_of::<T>());
        Ok(all)
    }

    /// Returns the rows of `range`.
    ///
    /// # Shape    column\[n\], a..b with a <= b <= n -> T\[b - a\]
    /// # Cost     work O(b - a), 1 copy, `2 * size_of::<T>()` bytes per row
    /// # Errors   [`RowOutOfRange`](Error::RowOutOfRange) for another range
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// assert_eq!(cpu.slice(&cpu.upload(&[5, 6, 7, 8])?, 1..3)?[..], [6, 7]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn slice<T: Element>(&self, column: &Self::Vec<T>, range: Range<usize>) -> Result<Self::Vec<T>> {
        own(self, column)?;
        let fits = range.start <= range.end && range.end <= column.len();
        check_row(fits, range.end.max(range.start), column.len())?;
        let mut rows = self.allocate(range.len())?;
        self.tally().template(2 * range.len() * size_of::<T>());
        self.run_copy(Checked, &mut rows, 0, column, range)?;
        Ok(rows)
    }

    /// `out[i] = f(i, ..)`.
    ///
    /// # Shape    n rows -> T\[n\], or one column per element of a tuple
    /// # Cost     work O(n), 1 pass, the bytes of the results
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(map)]
    /// fn sum_and_parity(i: usize, x: &[u32], y: &[u32]) -> (u32, u8) {
    ///     (x[i] + y[i], ((x[i] + y[i]) % 2) as u8)
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let (sum, is_odd) = cpu.map(sum_and_parity::of(&cpu.upload(&[1, 2])?, &cpu.upload(&[10, 20])?))?;
    /// assert_eq!((&sum[..], &is_odd[..]), (&[11, 22][..], &[1, 0][..]));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn map<F, R: Counted>(&self, call: Call<'_, F, Self, R>) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: RowFn<Output: Outputs> + In<template::Map>,
    {
        let (n, bytes) = call.checked(self)?;
        let mut out = F::Output::allocate(self, n)?;
        self.tally().template(bytes + n * F::Output::BYTES);
        self.run_map::<F>(run(n, &call), &mut out)?;
        Ok(out)
    }

    /// Returns `f(0) · f(1) · ..`, or the identity if there are no rows. The monoid need not commute.
    ///
    /// # Shape    n rows -> T
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes in all
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbouring rows break a law
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(reduce(Sum))]
    /// fn square(i: usize, x: &[u32]) -> u32 {
    ///     x[i] * x[i]
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let x = cpu.upload(&[3, 9, 4])?;
    /// assert_eq!(cpu.reduce(&x, Max)?, 9);
    /// assert_eq!(cpu.reduce(square::of(&x), Sum)?, 106);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn reduce<'a, C, M>(&self, rows: C, monoid: M) -> Result<Item<'a, C>>
    where
        C: Rows<'a, Backend = Self, Function: In<template::Reduce<M>>>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        Self: 'a,
    {
        self.reduce_later(rows, monoid)?.read()
    }

    /// As [`reduce`](Backend::reduce), but a GPU may compute the result later: see [`Later`].
    ///
    /// # Shape    n rows -> T
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes in all
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbouring rows break a law
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let x = cpu.upload(&[3, 9, 4])?;
    /// // Both are computed before the first is waited for.
    /// let (least, greatest) = (cpu.reduce_later(&x, Min)?, cpu.reduce_later(&x, Max)?);
    /// assert_eq!((least.read()?, greatest.read()?), (3, 9));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn reduce_later<'a, C, M>(&self, rows: C, _monoid: M) -> Result<Self::Value<Item<'a, C>>>
    where
        C: Rows<'a, Backend = Self, Function: In<template::Reduce<M>>>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        Self: 'a,
    {
        let call = rows.call();
        let (n, bytes) = call.checked(self)?;
        check_rows("column", n)?;
        self.tally().template(bytes + size_of::<Item<'a, C>>());
        self.run_reduce::<C::Function, M, _>(run(n, &call))
    }

    /// Returns all prefixes of `f(0) · f(1) · ..`, and the total.
    ///
    /// # Shape    n rows -> T\[n\], T
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes per row
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbouring rows break a law
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let x = cpu.upload(&[3, 1, 4])?;
    /// let (before, total) = cpu.scan(Exclusive, &x, Sum)?;
    /// assert_eq!((&before[..], total), (&[0, 3, 4][..], 8));
    /// assert_eq!(cpu.scan(Inclusive, &x, Max)?.0[..], [3, 3, 4]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn scan<'a, C, M>(&self, kind: ScanKind, rows: C, monoid: M) -> Result<(Self::Vec<Item<'a, C>>, Item<'a, C>)>
    where
        C: Rows<'a, Backend = Self, Function: In<template::Scan<M>>>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        Self: 'a,
    {
        let (out, total) = self.scan_later(kind, rows, monoid)?;
        Ok((out, total.read()?))
    }

    /// As [`scan`](Backend::scan), but a GPU may compute the total later: see [`Later`].
    ///
    /// # Shape    n rows -> T\[n\], T
    /// # Cost     work O(n), 1 pass, `size_of::<T>()` bytes per row
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbouring rows break a law
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let (offsets, rows) = cpu.scan_later(Exclusive, &cpu.upload(&[2, 0, 3])?, Sum)?;
    /// assert_eq!((&offsets[..], rows.read()?), (&[0, 2, 2][..], 5));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn scan_later<'a, C, M>(&self, kind: ScanKind, rows: C, _monoid: M) -> Result<Scanned<'a, C, Self>>
    where
        C: Rows<'a, Backend = Self, Function: In<template::Scan<M>>>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        Self: 'a,
    {
        let call = rows.call();
        let (n, bytes) = call.checked(self)?;
        let mut out = self.allocate(n)?;
        self.tally().template(bytes + n * size_of::<Item<'a, C>>());
        let total = self.run_scan::<C::Function, M, _>(kind, run(n, &call), &mut out)?;
        Ok((out, total))
    }

    /// `out[i] = g(i, f(0) · .. · f(i - 1), ..)`: an exclusive scan of `f` whose prefixes are used once and not stored.
    /// Returns the total as well.
    ///
    /// # Shape    n rows -> U\[n\], or one column per element of a tuple, and T
    /// # Cost     work O(n), 1 pass, the bytes of the results
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbouring rows break a law
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(scanned)]
    /// fn is_marked(i: usize, mark: &[u8]) -> u32 {
    ///     (mark[i] != 0) as u32
    /// }
    ///
    /// /// Numbers the marked rows from 1 on.
    /// #[device(scan_map(is_marked, Sum))]
    /// fn number(i: usize, before: u32, mark: &[u8]) -> u32 {
    ///     if mark[i] != 0 { before + 1 } else { 0 }
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let (number, all) = cpu.scan_map(is_marked::of(&cpu.upload(&[0, 7, 7])?), Sum, number::of(&cpu.upload(&[0, 7, 7])?))?;
    /// assert_eq!((&number[..], all), (&[0, 1, 2][..], 2));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn scan_map<'a, C, M, G, R>(
        &self,
        rows: C,
        monoid: M,
        map: Call<'_, G, Self, R>,
    ) -> Result<(<G::Output as Outputs>::Vecs<Self>, Item<'a, C>)>
    where
        C: Rows<'a, Backend = Self>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        G: CarryFn<Carry = Item<'a, C>, Output: Outputs> + In<template::ScanMap<C::Function, M>>,
        Self: 'a,
    {
        let (out, total) = self.scan_map_later(rows, monoid, map)?;
        Ok((out, total.read()?))
    }

    /// As [`scan_map`](Backend::scan_map), but a GPU may compute the total later: see [`Later`].
    ///
    /// # Shape    n rows -> U\[n\], or one column per element of a tuple, and T
    /// # Cost     work O(n), 1 pass, the bytes of the results
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbouring rows break a law
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(scanned)]
    /// fn number(i: usize, x: &[u32]) -> u32 {
    ///     x[i]
    /// }
    ///
    /// #[device(scan_map(number, Sum))]
    /// fn sum_up_to(i: usize, before: u32, x: &[u32]) -> u32 {
    ///     before + x[i]
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let x = cpu.upload(&[3, 1, 4])?;
    /// let (after, total) = cpu.scan_map_later(number::of(&x), Sum, sum_up_to::of(&x))?;
    /// assert_eq!((&after[..], total.read()?), (&[3, 4, 8][..], 8));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn scan_map_later<'a, C, M, G, R>(
        &self,
        rows: C,
        _monoid: M,
        map: Call<'_, G, Self, R>,
    ) -> Result<(<G::Output as Outputs>::Vecs<Self>, Self::Value<Item<'a, C>>)>
    where
        C: Rows<'a, Backend = Self>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        G: CarryFn<Carry = Item<'a, C>, Output: Outputs> + In<template::ScanMap<C::Function, M>>,
        Self: 'a,
    {
        let call = rows.call();
        let n = call.count()?;
        map.expect(n)?;
        let bytes = call.bytes(self)? + map.bytes(self)?;
        let mut out = G::Output::allocate(self, n)?;
        self.tally().template(bytes + n * G::Output::BYTES);
        let total = self.run_scan_map::<C::Function, M, G>(run(n, &call), map.args(), &mut out)?;
        Ok((out, total))
    }

    /// Returns the rows `64 * w + k` for each bit `k` that is set in `g(w, f(0) · .. · f(w - 1), ..)`, in order.
    ///
    /// It finds the rows of a text where something begins. A word has the marks of 64 rows, such as bytes. What a word
    /// must know of the words before it, such as whether a comment is open, comes to it by a monoid. To keep the rows for
    /// which a condition holds that needs no word, use [`compact`](Backend::compact).
    ///
    /// # Shape    n words, with 64 n at most 2^32 - 2 -> u32\[m\], m of the 64 n rows
    /// # Cost     work O(n + m), 1 pass, 4 bytes per row that is returned
    /// # Errors   [`NotAMonoid`](Error::NotAMonoid) in debug builds on the CPU, if neighbouring words break a law
    /// # Source   Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019: marks as bits of words
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// /// Returns whether a word has an odd number of quotes.
    /// #[device(scan(Xor))]
    /// fn parity(w: usize, quotes: &[u64]) -> u32 {
    ///     quotes[w].count_ones() % 2
    /// }
    ///
    /// /// Returns the letters of a word that are not between quotes.
    /// #[device(positions(parity, Xor))]
    /// fn outside(w: usize, before: u32, quotes: &[u64], letters: &[u64]) -> u64 {
    ///     let mut inside = quotes[w];
    ///     for k in 0..6u32 {
    ///         inside ^= inside.wrapping_shl(1u32.wrapping_shl(k));
    ///     }
    ///     letters[w] & !(if before == 1 { !inside } else { inside })
    /// }
    ///
    /// let cpu = Cpu::new();
    /// // Row 2 opens a quote that row 65 closes.
    /// let (quotes, letters) = (cpu.upload(&[0b100, 0b10])?, cpu.upload(&[0b1011, 0b1001])?);
    /// let found = cpu.positions(parity::of(&quotes), Xor, outside::of(&quotes, &letters))?;
    /// assert_eq!(found[..], [0, 1, 67]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn positions<'a, C, M, G, R>(&self, rows: C, _monoid: M, masks: Call<'_, G, Self, R>) -> Result<Self::Vec<u32>>
    where
        C: Rows<'a, Backend = Self>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        G: CarryFn<Carry = Item<'a, C>, Output = u64> + In<template::Positions<C::Function, M>>,
        Self: 'a,
    {
        let call = rows.call();
        let n = call.count()?;
        masks.expect(n)?;
        let bytes = call.bytes(self)? + masks.bytes(self)?;
        check_rows("positions", n.saturating_mul(64))?;
        let out = self.run_positions::<C::Function, M, G>(run(n, &call), masks.args())?;
        self.tally().template(bytes);
        self.count_rows(&out, 4);
        Ok(out)
    }

    /// `out[offsets[owner] + k] = f(owner, k, ..)`: each owner yields the rows from its offset to the next owner's, the
    /// last up to `m`. Offsets begin with 0 and do not decrease.
    ///
    /// # Shape    offsets\[n\], m -> T\[m\], or one column per element of a tuple
    /// # Cost     work O(n + m), 1 pass, 4 bytes per owner, and the bytes of the results
    /// # Errors   [`InvalidOffset`](Error::InvalidOffset) if offsets decrease, exceed m, or do not begin with 0
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(expand)]
    /// fn counted(owner: usize, k: usize, x: &[u32]) -> u32 {
    ///     x[owner] + k as u32
    /// }
    ///
    /// let cpu = Cpu::new();
    /// // Owner 0 has rows 0 and 1, owner 1 has none, and owner 2 has row 2.
    /// let (offsets, x) = (cpu.upload(&[0, 2, 2])?, cpu.upload(&[10, 20, 30])?);
    /// assert_eq!(cpu.expand(&offsets, 3, counted::of(&x).rows(3))?[..], [10, 11, 30]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn expand<F, R>(
        &self,
        offsets: &Self::Vec<u32>,
        m: usize,
        call: Call<'_, F, Self, R>,
    ) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: ExpandFn<Output: Outputs> + In<template::Expand>,
    {
        own(self, offsets)?;
        call.expect(offsets.len())?;
        self.expand_from(&Offsets::new(self, offsets, m)?, call)
    }

    /// As [`expand`](Backend::expand), with [`Offsets`], which also state m.
    ///
    /// # Shape    offsets\[n\] into m rows -> T\[m\], or one column per element of a tuple
    /// # Cost     as [`expand`](Backend::expand), without its check of offsets
    /// # Errors   [`InvalidOffset`](Error::InvalidOffset) if checked offsets do not begin with 0
    /// # Example  at [`Offsets`]
    fn expand_from<F, R>(
        &self,
        offsets: &Offsets<'_, Self>,
        call: Call<'_, F, Self, R>,
    ) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: ExpandFn<Output: Outputs> + In<template::Expand>,
    {
        offsets.check_owners()?;
        let (offsets, m) = (offsets.column(), offsets.rows());
        own(self, offsets)?;
        call.expect(offsets.len())?;
        let bytes = call.bytes(self)?;
        let mut out = F::Output::allocate(self, m)?;
        self.tally().template(bytes + m * F::Output::BYTES + 4 * offsets.len());
        self.run_expand::<F>(offsets, run(m, &call), &mut out)?;
        Ok(out)
    }

    /// Returns the rows that owners make, one owner after another, and the index of each owner's first row. `f(i, ..)` returns
    /// four rows of owner i, and how many of them it keeps: the first `count`, all four if `count` is greater.
    ///
    /// It is an [`expand`](Backend::expand) of few rows for each owner, such as the instructions of a node. The function is
    /// called once for each owner and not for each row, and counts need no scan of their own. Owners with more rows need
    /// `expand`.
    ///
    /// # Shape    n owners, with 4 n at most 2^32 - 2 -> T\[m\], u32\[n\], m of the 4 n rows
    /// # Cost     work O(n + m), 1 pass, 4 bytes per owner and `size_of::<T>()` per row; several threads of a CPU call `f`
    /// twice. The rows' column has memory for 4 n rows on a GPU and on one thread
    /// # Errors   only general ones. On a GPU T has at most 32 bytes: a larger one is an error of the kernel's source
    /// # Source   instruction selection from templates
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// const LOAD: u32 = 100;
    /// const ADD: u32 = 200;
    ///
    /// /// Returns one or three instructions: a small constant is added at once, others are loaded first, in two halves.
    /// #[device(expand_rows)]
    /// fn add(i: usize, constant: &[u32]) -> (u32, u32, u32, u32, u32) {
    ///     let (low, high) = (constant[i] % 10, constant[i] / 10);
    ///     if high == 0 { (ADD + low, 0, 0, 0, 1) } else { (LOAD + high, LOAD + low, ADD, 0, 3) }
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let (code, first) = cpu.expand_rows(add::of(&cpu.upload(&[7, 42, 1])?))?;
    /// assert_eq!(code[..], [ADD + 7, LOAD + 4, LOAD + 2, ADD, ADD + 1]);
    /// assert_eq!(first[..], [0, 1, 4]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn expand_rows<F, T, R: Counted>(&self, call: Call<'_, F, Self, R>) -> Result<(Self::Vec<T>, Self::Vec<u32>)>
    where
        T: Element,
        F: RowFn<Output = (T, T, T, T, u32)> + In<template::ExpandRows>,
    {
        let (n, bytes) = call.checked(self)?;
        check_rows("expand_rows", n.saturating_mul(4))?;
        let (rows, offsets) = self.run_expand_rows(run(n, &call))?;
        self.tally().template(bytes + 4 * n);
        self.count_rows(&rows, size_of::<T>());
        Ok((rows, offsets))
    }

    /// Returns the rows `i` for which `f(i, ..)` is true, in order. A mask of `u8` marks the rows that are not 0.
    ///
    /// # Shape    n rows -> u32\[m\], m of the n rows
    /// # Cost     work O(n), 1 pass, 4 bytes per row that is kept
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(compact)]
    /// fn is_large(i: usize, x: &[u32]) -> bool {
    ///     x[i] > 100
    /// }
    ///
    /// let cpu = Cpu::new();
    /// assert_eq!(cpu.compact(is_large::of(&cpu.upload(&[5, 500, 50, 700])?))?[..], [1, 3]);
    /// // A column of marks needs no function.
    /// assert_eq!(cpu.compact(&cpu.upload(&[0u8, 1, 1])?)?[..], [1, 2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn compact<'a, C: Predicate<'a, Backend = Self>>(&self, rows: C) -> Result<Self::Vec<u32>>
    where
        Self: 'a,
    {
        let call = rows.call();
        let (n, bytes) = call.checked(self)?;
        check_rows("compact", n)?;
        let out = self.run_compact(run(n, &call))?;
        self.tally().template(bytes);
        self.count_rows(&out, 4);
        Ok(out)
    }

    /// Returns the rows `i` for which `f(i, ..)` is true, then the others, each in order; and the number of the first.
    ///
    /// # Shape    n rows -> u32\[n\], m
    /// # Cost     work O(n), 1 pass, 4 bytes per row; a GPU evaluates `f` twice
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let (rows, marked) = cpu.partition(&cpu.upload(&[0u8, 1, 0, 1])?)?;
    /// assert_eq!((&rows[..], marked), (&[1, 3, 0, 2][..], 2));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn partition<'a, C: Predicate<'a, Backend = Self>>(&self, rows: C) -> Result<(Self::Vec<u32>, usize)>
    where
        Self: 'a,
    {
        let call = rows.call();
        let (n, bytes) = call.checked(self)?;
        check_rows("partition", n)?;
        self.tally().template(bytes + 4 * n);
        self.run_partition(run(n, &call))
    }

    /// Writes `target[indices[i]] = values[i]`. Rows whose index is outside the target are skipped.
    ///
    /// Two rows with one target are an error in debug builds. Otherwise the target has the value of either row. If its
    /// size is not 1, 2, 4 or 8 bytes, it may combine words of both.
    ///
    /// # Shape    target\[m\], indices\[n\], values\[n\] -> target\[m\], in place
    /// # Cost     work O(n), 1 pass, `4 + 2 * size_of::<T>()` bytes per row
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if `values` and `indices` differ in length;
    /// [`DuplicateTarget`](Error::DuplicateTarget) in debug builds
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let mut target = cpu.filled(4, 0)?;
    /// cpu.scatter(&mut target, &cpu.upload(&[2, 0, u32::MAX])?, &cpu.upload(&[7, 8, 9])?)?;
    /// assert_eq!(target[..], [8, 0, 7, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn scatter<T: Element>(
        &self,
        target: &mut Self::Vec<T>,
        indices: &Self::Vec<u32>,
        values: &Self::Vec<T>,
    ) -> Result<()> {
        own(self, target)?;
        own(self, indices)?;
        own(self, values)?;
        check_length("values", indices.len(), values.len())?;
        self.tally().template((4 + 2 * size_of::<T>()) * indices.len());
        self.run_scatter(Checked, target, indices, values)
    }

    /// Returns for each row the last earlier row with a smaller key, or [`NO_NODE`](crate::depth::NO_NODE). For any
    /// keys, these are the parents of a forest in preorder.
    ///
    /// # Shape    keys\[n\] -> parents\[n\]
    /// # Cost     work O(n), O(n log n) on a GPU; 1 pass, 8 bytes per row
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let found = cpu.previous_smaller(&cpu.upload(&[3, 1, 4, 4, 2])?)?;
    /// assert_eq!(cpu.download(&found)?, [NO_NODE, NO_NODE, 1, 1, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn previous_smaller(&self, keys: &Self::Vec<u32>) -> Result<Parents<Self>> {
        own(self, keys)?;
        let mut out = self.allocate(keys.len())?;
        self.tally().template(8 * keys.len());
        self.run_previous_smaller(Checked, keys, &mut out)?;
        Ok(Parents(out))
    }

    /// Returns for each row the first later row whose key is not greater, or n.
    ///
    /// # Shape    keys\[n\] -> u32\[n\]
    /// # Cost     as [`Backend::previous_smaller`]
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let found = cpu.next_smaller_or_equal(&cpu.upload(&[3, 1, 4, 4, 2])?)?;
    /// assert_eq!(found[..], [1, 5, 3, 4, 5]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn next_smaller_or_equal(&self, keys: &Self::Vec<u32>) -> Result<Self::Vec<u32>> {
        own(self, keys)?;
        let mut out = self.allocate(keys.len())?;
        self.tally().template(8 * keys.len());
        self.run_next_smaller_or_equal(Checked, keys, &mut out)?;
        Ok(out)
    }

    /// Returns [`previous_smaller`](Backend::previous_smaller) and [`next_smaller_or_equal`](Backend::next_smaller_or_equal)
    /// of the same keys. This takes less time than the two calls: one thread of a CPU computes both at once unless keys are
    /// depths, and a GPU shares the minima that its rows search.
    ///
    /// # Shape    keys\[n\] -> parents\[n\], u32\[n\]
    /// # Cost     work O(n), O(n log n) on a GPU; 1 pass, 12 bytes per row
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// let cpu = Cpu::new();
    /// let (previous, next) = cpu.nearest_smaller(&cpu.upload(&[1, 2, 2, 0])?)?;
    /// assert_eq!(previous.column()[..], [u32::MAX, 0, 0, u32::MAX]);
    /// assert_eq!(next[..], [3, 2, 3, 4]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn nearest_smaller(&self, keys: &Self::Vec<u32>) -> Result<(Parents<Self>, Self::Vec<u32>)> {
        own(self, keys)?;
        let (mut previous, mut next) = (self.allocate(keys.len())?, self.allocate(keys.len())?);
        self.tally().template(12 * keys.len());
        self.run_nearest_smaller(Checked, keys, &mut previous, &mut next)?;
        Ok((Parents(previous), next))
    }

    /// Parses symbols by the precedence of operators: returns the forest of the operators, operands, calls and lists.
    ///
    /// The page [`operators`](mod@crate::operators) states the trees, and how ranks decide.
    ///
    /// # Shape    symbols\[n\] -> depth\[m\] in preorder, row of the symbol\[m\], m of the n symbols
    /// # Cost     work O(n), O(n log n) on a GPU; 1 pass of a CPU's threads, 8 bytes per symbol and per node. On a GPU, 2
    /// calls for nearest keys, 2 histograms, 3 scans, 3 maps and 2 scatters, which are counted each
    /// # Errors   [`MisplacedSymbol`](Error::MisplacedSymbol) at the first symbol that does not fit the symbols before it, with
    /// n where the text ends too early; [`TooManyRows`](Error::TooManyRows) if more than
    /// [`MOST_OPEN`](crate::operators::MOST_OPEN) brackets are open at once
    /// # Source   Floyd, "Syntactic Analysis and Operator Precedence", 1963; that blocks are parsed at once: Barenghi, Crespi
    /// Reghizzi, Mandrioli, "Parallel Parsing of Operator Precedence Grammars", 2013; by nearest smaller keys: Berkman,
    /// Schieber, Vishkin, 1993
    /// # Example
    /// ```
    /// use treepar::operators::{Form, Symbol};
    /// use treepar::prelude::*;
    ///
    /// /// Returns the symbol of a token of one byte.
    /// #[device(map)]
    /// fn symbol(i: usize, text: &[u8]) -> Symbol {
    ///     match text[i] {
    ///         b'+' => Symbol::operator(Form::Left, 1),
    ///         b'*' => Symbol::operator(Form::Left, 2),
    ///         b'^' => Symbol::operator(Form::Right, 3),
    ///         b'(' => Symbol::bracket(Form::Group, 0),
    ///         b')' => Symbol::bracket(Form::Close, 0),
    ///         _ => Symbol::operand(),
    ///     }
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let text = b"(a+b)*c^d^e";
    /// let parsed = cpu.operators(&cpu.map(symbol::of(&cpu.upload(text)?))?)?;
    /// let tokens: Vec<u8> = parsed.symbol.iter().map(|&row| text[row as usize]).collect();
    /// assert_eq!(tokens, b"*+ab^c^de");
    /// assert_eq!(parsed.forest.depths()[..], [0, 1, 2, 2, 1, 2, 2, 3, 3]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn operators(&self, symbols: &Self::Vec<Symbol>) -> Result<Operators<Self>> {
        own(self, symbols)?;
        let (depths, symbol) = self.run_operators(Checked, symbols)?;
        self.tally().template(size_of::<Symbol>() * symbols.len() + 8 * symbol.len());
        Ok(Operators { forest: Depths::assume(depths), symbol })
    }

    /// `out[i] = f(i, out[parents[i]], ..)`; a root takes `root` for its parent's value.
    ///
    /// # Shape    parents\[n\] -> T\[n\]
    /// # Cost     work O(n), 1 pass in which a node waits for its parent, up to h steps; 4 bytes per row and the result's
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(walk_down)]
    /// fn sum_of_path(i: usize, above: u32, x: &[u32]) -> u32 {
    ///     above + x[i]
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let parents = Depths::new(cpu.upload(&[0, 1, 2, 1])?)?.parents()?;
    /// let sums = cpu.walk_down(&parents, 0, sum_of_path::of(&cpu.upload(&[1, 10, 100, 1000])?))?;
    /// assert_eq!(sums[..], [1, 11, 111, 1001]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn walk_down<F, R>(
        &self,
        parents: &Parents<Self>,
        root: F::Carry,
        call: Call<'_, F, Self, R>,
    ) -> Result<Self::Vec<F::Carry>>
    where
        F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkDown>,
    {
        let (n, bytes) = walked(self, parents, &call)?;
        let mut out = self.allocate(n)?;
        self.tally().template(bytes + n * (4 + size_of::<F::Carry>()));
        self.run_walk_down::<F>(parents, root, run(n, &call), &mut out)?;
        Ok(out)
    }

    /// `out[i] = f(i, c0 · c1 · .., ..)` with the values of the children of `i` in order; the identity for a leaf.
    ///
    /// # Shape    parents\[n\] -> T\[n\]
    /// # Cost     as [`Backend::walk_down`], but a node waits for its children
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(walk_up(Max))]
    /// fn height(_i: usize, below: u32) -> u32 {
    ///     below + 1
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let parents = Depths::new(cpu.upload(&[0, 1, 2, 1])?)?.parents()?;
    /// assert_eq!(cpu.walk_up(&parents, height::of(), Max)?[..], [3, 2, 1, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn walk_up<F, M, R>(
        &self,
        parents: &Parents<Self>,
        call: Call<'_, F, Self, R>,
        _monoid: M,
    ) -> Result<Self::Vec<F::Carry>>
    where
        M: Monoid<F::Carry>,
        F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkUp<M>>,
    {
        let (n, bytes) = walked(self, parents, &call)?;
        let mut out = self.allocate(n)?;
        self.tally().template(bytes + n * (4 + size_of::<F::Carry>()));
        self.run_walk_up::<F, M>(parents, run(n, &call), &mut out)?;
        Ok(out)
    }

    /// `out[i] = f(i, [c0, c1, ..], ..)` with the values of the first `slots` children of `i`; missing children have
    /// the value `absent`. `child` is the ordinal of each node among its siblings.
    ///
    /// # Shape    parents\[n\], child\[n\], slots, with n * slots at most 2^32 - 2 -> T\[n\]
    /// # Cost     work O(n * slots), 1 fill and 1 walk, 8 bytes per row, and `1 + 2 * slots` elements
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if `child` does not have n rows
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// /// Returns a leaf's number, and the difference of two children.
    /// #[device(walk_slots)]
    /// fn difference(i: usize, slots: &[u32], number: &[u32]) -> u32 {
    ///     if number[i] != 0 { number[i] } else { slots[0] - slots[1] }
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 1])?)?;
    /// let (parents, child) = (forest.parents()?, forest.child_indices()?);
    /// let values = cpu.walk_slots(&parents, &child, 2, 0, difference::of(&cpu.upload(&[0, 9, 4])?))?;
    /// assert_eq!(values[..], [5, 9, 4]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn walk_slots<F, R>(
        &self,
        parents: &Parents<Self>,
        child: &Self::Vec<u32>,
        slots: usize,
        absent: F::Output,
        call: Call<'_, F, Self, R>,
    ) -> Result<Self::Vec<F::Output>>
    where
        F: SlotsFn + In<template::WalkSlots>,
    {
        let (n, bytes) = walked(self, parents, &call)?;
        own(self, child)?;
        check_length("child", n, child.len())?;
        let mut values = self.filled(n.saturating_mul(slots), absent)?;
        let mut out = self.allocate(n)?;
        self.tally().template(bytes + 8 * n + (n + values.len()) * size_of::<F::Output>());
        self.run_walk_slots::<F>(parents, child, slots, run(n, &call), &mut values, &mut out)?;
        Ok(out)
    }

    /// Returns the scan of each segment. Segment s begins at row `offsets[s]`; offsets do not decrease. Rows before the
    /// first segment form one of their own.
    ///
    /// # Shape    offsets\[s\], n rows -> T\[n\]
    /// # Cost     work O(n + s), 1 pass, 4 bytes per segment and `size_of::<T>()` per row
    /// # Errors   [`InvalidOffset`](Error::InvalidOffset) if offsets decrease or exceed n
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let (offsets, x) = (cpu.upload(&[0, 2])?, cpu.upload(&[1, 2, 3, 4])?);
    /// assert_eq!(cpu.segmented_scan(Inclusive, &offsets, &x, Sum)?[..], [1, 3, 3, 7]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn segmented_scan<'a, C, M>(
        &self,
        kind: ScanKind,
        offsets: &Self::Vec<u32>,
        rows: C,
        _monoid: M,
    ) -> Result<Self::Vec<Item<'a, C>>>
    where
        C: Rows<'a, Backend = Self, Function: In<template::SegmentedScan<M>>>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        Self: 'a,
    {
        let call = rows.call();
        let (n, bytes) = call.checked(self)?;
        own(self, offsets)?;
        let mut out = self.allocate(n)?;
        self.check_offsets(offsets, n)?;
        self.tally().template(bytes + 4 * offsets.len() + n * size_of::<Item<'a, C>>());
        self.run_segmented_scan::<C::Function, M, _>(kind, offsets, run(n, &call), &mut out)?;
        Ok(out)
    }

    /// `out[s] = f(offsets[s]) · .. · f(offsets[s + 1] - 1)`, the last segment up to n; the identity for an empty one.
    ///
    /// # Shape    offsets\[s\], n rows -> T\[s\]
    /// # Cost     work O(n + s), 1 pass, `4 + size_of::<T>()` bytes per segment
    /// # Errors   [`InvalidOffset`](Error::InvalidOffset) if offsets decrease or exceed n
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let (offsets, x) = (cpu.upload(&[0, 2, 2])?, cpu.upload(&[1, 2, 3, 4])?);
    /// assert_eq!(cpu.segmented_reduce(&offsets, &x, Sum)?[..], [3, 0, 7]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn segmented_reduce<'a, C, M>(&self, offsets: &Self::Vec<u32>, rows: C, monoid: M) -> Result<Self::Vec<Item<'a, C>>>
    where
        C: Rows<'a, Backend = Self, Function: In<template::SegmentedScan<M>>>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        Self: 'a,
    {
        let call = rows.call();
        let n = call.count()?;
        check_rows("column", n)?;
        self.segmented_reduce_from(&Offsets::new(self, offsets, n)?, call, monoid)
    }

    /// As [`segmented_reduce`](Backend::segmented_reduce), with [`Offsets`].
    ///
    /// # Shape    offsets\[s\] into n rows, n rows -> T\[s\]
    /// # Cost     as [`segmented_reduce`](Backend::segmented_reduce), without its check of offsets
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if there are not n rows
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::backend::Offsets;
    /// let (offsets, x) = (cpu.upload(&[0, 2])?, cpu.upload(&[1, 2, 3, 4])?);
    /// // Checked once, and used twice.
    /// let offsets = Offsets::new(&cpu, &offsets, 4)?;
    /// assert_eq!(cpu.segmented_reduce_from(&offsets, &x, Sum)?[..], [3, 7]);
    /// assert_eq!(cpu.segmented_reduce_from(&offsets, &x, Max)?[..], [2, 4]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn segmented_reduce_from<'a, C, M>(
        &self,
        offsets: &Offsets<'_, Self>,
        rows: C,
        _monoid: M,
    ) -> Result<Self::Vec<Item<'a, C>>>
    where
        C: Rows<'a, Backend = Self, Function: In<template::SegmentedScan<M>>>,
        Item<'a, C>: Element,
        M: Monoid<Item<'a, C>>,
        Self: 'a,
    {
        let (call, n) = (rows.call(), offsets.rows());
        check_length("rows", n, call.count()?)?;
        check_rows("column", n)?;
        let (offsets, bytes) = (offsets.column(), call.bytes(self)?);
        own(self, offsets)?;
        let mut out = self.allocate(offsets.len())?;
        self.tally().template(bytes + offsets.len() * (4 + size_of::<Item<'a, C>>()));
        self.run_segmented_reduce::<C::Function, M, _>(offsets, run(n, &call), &mut out)?;
        Ok(out)
    }

    /// Returns how often each number below `bins` occurs among the keys; other keys are skipped.
    ///
    /// # Shape    keys\[n\], bins -> u32\[bins\]
    /// # Cost     work O(n + bins), 1 pass, 4 bytes per row and per bin
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// // 9 is not below the number of bins.
    /// assert_eq!(cpu.histogram(&cpu.upload(&[1, 0, 1, 9])?, 3)?[..], [1, 2, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn histogram(&self, keys: &Self::Vec<u32>, bins: usize) -> Result<Self::Vec<u32>> {
        own(self, keys)?;
        let mut out = self.allocate(bins)?;
        self.tally().template(4 * (keys.len() + bins));
        self.run_histogram(Checked, keys, &mut out)?;
        Ok(out)
    }

    /// Adds weights: `out[index] += weight` with `(index, weight) = f(i, ..)`, for each row i. Sums wrap. Rows whose index is
    /// outside the column are skipped.
    ///
    /// It is a [`histogram`](Backend::histogram) without a column of keys, and with weights. Weights may stand for negative
    /// numbers, since sums wrap.
    ///
    /// # Shape    out\[m\], n rows -> out\[m\], in place
    /// # Cost     work O(n + m), 1 pass, 8 bytes per row of `out`; on a GPU many rows of one index wait for each other, unless
    /// they are neighbours
    /// # Errors   only general ones
    /// # Source   a histogram with weights
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// /// Returns the end of a part and 1: how many parts end there.
    /// #[device(accumulate)]
    /// fn ending(i: usize, ends: &[u32]) -> (u32, u32) {
    ///     (ends[i], 1)
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let mut count = cpu.upload(&[0, 10, 0, 0])?;
    /// cpu.accumulate(&mut count, ending::of(&cpu.upload(&[1, 3, 1, 9])?))?;
    /// assert_eq!(count[..], [0, 12, 0, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn accumulate<F, R: Counted>(&self, out: &mut Self::Vec<u32>, call: Call<'_, F, Self, R>) -> Result<()>
    where
        F: RowFn<Output = (u32, u32)> + In<template::Accumulate>,
    {
        own(self, out)?;
        let (n, bytes) = call.checked(self)?;
        check_rows("accumulate", n)?;
        self.tally().template(bytes + 8 * out.len());
        self.run_accumulate(run(n, &call), out)
    }

    /// Returns for each row the first row with the same key: `out[i]` is the least j with `f(j, ..) == f(i, ..)`.
    ///
    /// Rows with `out[i] == i` are one for each key, in order of their first use. To bring rows with equal keys together, use
    /// [`group`](crate::key::group). Any key is allowed. A key that is a hash of something longer needs a comparison with
    /// row `out[i]` afterwards.
    ///
    /// # Shape    n rows -> u32\[n\]
    /// # Cost     expected work O(n), 1 pass at random places of a table of the keys, 4 bytes per row. Keys that an enemy
    /// has chosen can take O(n^2)
    /// # Errors   only general ones
    /// # Source   a hash table with open addressing; Knuth, volume 3, section 6.4, algorithm L
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// #[device(intern)]
    /// fn name(i: usize, names: &[u64]) -> u64 {
    ///     names[i]
    /// }
    ///
    /// let cpu = Cpu::new();
    /// let names = cpu.upload(&[7, u64::MAX, 7, 0, u64::MAX])?;
    /// assert_eq!(cpu.intern(name::of(&names))?[..], [0, 1, 0, 3, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn intern<F, R: Counted>(&self, call: Call<'_, F, Self, R>) -> Result<Self::Vec<u32>>
    where
        F: RowFn<Output = u64> + In<template::Intern>,
    {
        let (n, bytes) = call.checked(self)?;
        let mut out = self.allocate(n)?;
        self.tally().template(bytes + 4 * n);
        self.run_intern(run(n, &call), &mut out)?;
        Ok(out)
    }

    /// Returns the keys in ascending order with their payloads; rows with equal keys keep their order.
    ///
    /// # Shape    keys\[n\], payload\[n\] -> K\[n\], u32\[n\]
    /// # Cost     work O(n) per 8 bits in which keys differ: one read of the keys, then one pass per such digit, of
    /// `2 * (size_of::<K>() + 4)` bytes per row
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if the payload does not have n rows
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let (keys, rows) = cpu.sort_by_key(&cpu.upload(&[30u64, 10, 20, 10])?, &cpu.upload(&[0, 1, 2, 3])?)?;
    /// assert_eq!((&keys[..], &rows[..]), (&[10, 10, 20, 30][..], &[1, 3, 2, 0][..]));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn sort_by_key<K: SortKey>(
        &self,
        keys: &Self::Vec<K>,
        payload: &Self::Vec<u32>,
    ) -> Result<(Self::Vec<K>, Self::Vec<u32>)> {
        own(self, keys)?;
        own(self, payload)?;
        check_length("payload", keys.len(), payload.len())?;
        let (sorted, payload, digits) = self.run_sort_by_key(Checked, keys, payload, None)?;
        self.tally().template(counters::sort_bytes::<K>(keys.len(), digits));
        Ok((sorted, payload))
    }

    /// As [`sort_by_key`](Backend::sort_by_key), of keys that differ only in `bits`. A GPU does not search for the digits in which
    /// keys differ, and so does not wait. If keys differ in other bits, their order is unspecified. For keys up to a greatest
    /// number, [`all_bits`](crate::sort::all_bits) returns the bits.
    ///
    /// # Shape    keys\[n\], payload\[n\] -> K\[n\], u32\[n\]
    /// # Cost     as [`sort_by_key`](Backend::sort_by_key), with a pass per digit of 8 bits that `bits` has a bit of; a CPU skips
    /// digits in which keys agree
    /// # Errors   [`LengthMismatch`](Error::LengthMismatch) if the payload does not have n rows
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    ///
    /// let cpu = Cpu::new();
    /// let (keys, payload) = (cpu.upload(&[300u32, 2, 299])?, cpu.upload(&[0, 1, 2])?);
    /// // No key is above 300, which has 9 bits.
    /// let (sorted, order) = cpu.sort_by_key_bits(&keys, &payload, 511)?;
    /// assert_eq!((&sorted[..], &order[..]), (&[2, 299, 300][..], &[1, 2, 0][..]));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    fn sort_by_key_bits<K: SortKey>(
        &self,
        keys: &Self::Vec<K>,
        payload: &Self::Vec<u32>,
        bits: K,
    ) -> Result<(Self::Vec<K>, Self::Vec<u32>)> {
        own(self, keys)?;
        own(self, payload)?;
        check_length("payload", keys.len(), payload.len())?;
        let (sorted, payload, _) = self.run_sort_by_key(Checked, keys, payload, Some(bits))?;
        let digits = (0..size_of::<K>()).filter(|&digit| bits.digit(digit) != 0).count();
        self.tally().template(counters::sort_bytes::<K>(keys.len(), digits));
        Ok((sorted, payload))
    }

    /// Returns the work of this backend so far. Never fails, and counts nothing itself. A GPU counts the bytes of some columns
    /// later: those whose length the host does not know yet.
    fn counters(&self) -> Counters {
        self.before_counting();
        self.tally().counters()
    }
}

impl<E: Executor> Backend for E {}

/// The prefixes and the total of a scan of the rows `C` on a backend `B`.
type Scanned<'a, C, B> = (<B as Executor>::Vec<Item<'a, C>>, <B as Executor>::Value<Item<'a, C>>);

/// Returns a call that was checked, with `n` rows.
fn run<'a, F: ColumnFn, B: Backend + 'a, R>(n: usize, call: &Call<'a, F, B, R>) -> Run<'a, F, B> {
    Run { n, args: call.args() }
}

/// Checks that a column belongs to a backend.
pub(crate) fn own<B: Backend>(backend: &B, column: &impl Column<Backend = B>) -> Result<()> {
    if column.backend().is(backend) { Ok(()) } else { Err(Error::OtherBackend) }
}

/// Returns the rows and the bytes of a walk over `parents`.
fn walked<F, B, R>(backend: &B, parents: &Parents<B>, call: &Call<'_, F, B, R>) -> Result<(usize, usize)>
where
    F: ColumnFn,
    B: Backend,
{
    own(backend, parents)?;
    call.expect(parents.len())?;
    Ok((parents.len(), call.bytes(backend)?))
}

/// Checks the length of a column that goes with others.
pub(crate) fn check_length(array: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::LengthMismatch { array, expected, found }) }
}

/// Checks a row number, or the end of a range.
fn check_row(fits: bool, row: usize, rows: usize) -> Result<()> {
    if fits { Ok(()) } else { Err(Error::RowOutOfRange { found: row, rows }) }
}

/// Checks that a `u32` can number the rows; the greatest number is reserved.
pub(crate) fn check_rows(array: &'static str, n: usize) -> Result<()> {
    let limit = u64::from(u32::MAX) - 1;
    if n as u64 > limit { Err(Error::TooManyRows { array, found: n as u64, limit }) } else { Ok(()) }
}

/// Returns zeroed rows on the host.
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
