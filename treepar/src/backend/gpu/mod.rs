//! GPUs: templates as kernels of CUDA C++, on a machine that holds the columns.
//!
//! [`Gpu`] is one backend for every [`Machine`]: a GPU behind its driver (`Cuda`, feature `cuda`) and the emulator on
//! the host (`Emulated`, feature `emulate`), which run the same kernels from the same text. What a template does on the
//! host is written here once: columns for results, scratch, launches in order. Between them no column comes to the host:
//! only totals, how many rows a compact keeps, whether offsets fall, and how many keys of a sort have each value of a
//! digit.
//!
//! | scratch of | bytes |
//! |---|---|
//! | scans, compact, partition | for each tile of 256 to 2048 rows 8 for each 4 bytes of an element; of more than 16 bytes 8, and two elements |
//! | segmented scans | the same, and a bit a row; reduce: also an element a row |
//! | nearest smaller | 1/8 a row |
//! | reduce; partition, beside its scan | an element for each block that the machine holds at once |
//! | sort | a second key and payload, and 2 KiB for each tile: of 3072 rows with keys of 4 bytes, of 2048 with keys of 8 |
//! | walk_down | 1 a row |
//! | walk_up, walk_slots | 12 a row and an element, 4 a row and the slots |

mod column;
mod launch;
mod rows;
mod scan;
mod smaller;
mod sort;
mod walk;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use treepar_codegen::Grouping;
use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::counters::Tally;
use super::{Backend, Column, Counters, ScanKind, SortKey, check_rows, host_rows};
use crate::depth::Parents;
use crate::device::{CarryFn, ColumnFn, Element, ExpandFn, In, Monoid, Outputs, RowFn, SlotsFn, template};
use crate::{Error, Result};
use launch::{Arguments, Stage};

pub use column::GpuVec;

/// An NVIDIA GPU.
///
/// ```no_run
/// use treepar::{Backend, backend::gpu::Cuda, depth::Depths};
/// let gpu = Cuda::new()?;
/// let forest = Depths::new(&gpu, gpu.upload(&[0, 1, 2, 2, 1])?)?;
/// let parents = forest.parents(&gpu)?;
/// assert_eq!(gpu.download(&parents)?[3], 1);
/// # Ok::<(), treepar::Error>(())
/// ```
#[cfg(feature = "cuda")]
pub type Cuda = Gpu<treepar_kernels::driver::Driver>;

/// The emulator on the host, as a backend.
#[cfg(feature = "emulate")]
pub type Emulated = Gpu<treepar_kernels::emulator::Emulator>;

/// A backend on a machine that runs kernels.
pub struct Gpu<M: Machine> {
    machine: Arc<M>,
    grouping: Grouping,
    functions: Mutex<Functions<M::Function>>,
    tally: Tally,
    waits: AtomicBool,
}

/// Entries that were used, by stage and by the functions that fill them.
type Functions<F> = HashMap<(&'static str, [usize; 3]), F>;

#[cfg(feature = "cuda")]
impl Cuda {
    /// The first device, with a stream of its own.
    ///
    /// # Errors
    /// [`Error::Machine`] where there is no driver or no device, or one that is too old.
    pub fn new() -> Result<Cuda> {
        Cuda::with_device(0)
    }

    /// The device with a number, counted from 0.
    ///
    /// # Errors
    /// As [`Cuda::new`].
    pub fn with_device(ordinal: usize) -> Result<Cuda> {
        Ok(Cuda::with_driver(treepar_kernels::driver::Driver::new(ordinal)?))
    }

    /// A device and stream that are there already, such as another library's.
    pub fn with_driver(driver: treepar_kernels::driver::Driver) -> Cuda {
        Gpu::on(driver, Grouping::Function)
    }
}

#[cfg(feature = "emulate")]
impl Emulated {
    /// The emulator, with the seed that `TREEPAR_EMULATOR_SEED` names.
    ///
    /// # Errors
    /// [`Error::Machine`] where there is no C++ compiler.
    pub fn new() -> Result<Emulated> {
        Ok(Gpu::on(treepar_kernels::emulator::Emulator::new()?, Grouping::Module))
    }

    /// The emulator with memory of `bytes` bytes.
    ///
    /// # Errors
    /// [`Error::Machine`] where there is no C++ compiler.
    pub fn with_memory(bytes: u64) -> Result<Emulated> {
        Ok(Gpu::on(treepar_kernels::emulator::Emulator::new()?.with_memory(bytes), Grouping::Module))
    }

    /// The emulator with the schedules of a seed.
    ///
    /// # Errors
    /// [`Error::Machine`] where there is no C++ compiler.
    pub fn with_seed(seed: u64) -> Result<Emulated> {
        Ok(Gpu::on(treepar_kernels::emulator::Emulator::with_seed(seed)?, Grouping::Module))
    }
}

/// Tiles of `n` rows, of which a thread takes `items`.
fn tiles(n: usize, items: u32) -> u64 {
    (n as u64).div_ceil(u64::from(tuning::THREADS * items))
}

/// Blocks of a kernel that goes over rows as `map` does.
fn map_tiles(n: usize) -> u64 {
    tiles(n, tuning::MAP_ITEMS)
}

impl<M: Machine> Gpu<M> {
    /// A backend on `machine`, whose kernels come in units of `grouping`.
    pub fn on(machine: M, grouping: Grouping) -> Gpu<M> {
        Gpu {
            machine: Arc::new(machine),
            grouping,
            functions: Mutex::default(),
            tally: Tally::default(),
            waits: AtomicBool::new(false),
        }
    }

    /// While on, [`Backend::counters`] waits for all work that was asked for: what runs between two readings takes its own
    /// time and no other's. Off at first.
    pub fn wait_when_counting(&self, on: bool) {
        self.waits.store(on, Ordering::Relaxed);
    }

    /// The machine.
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// Waits for all work that was asked for.
    ///
    /// # Errors
    /// [`Error::Machine`] where some of it failed.
    pub fn synchronize(&self) -> Result<()> {
        Ok(self.machine.synchronize()?)
    }

    /// A column of `n` rows, however many.
    fn column<T: Element>(&self, n: usize) -> Result<GpuVec<T, M>> {
        GpuVec::new(&self.machine, n)
    }

    /// A column of zero bytes.
    fn zeros<T: Element>(&self, n: usize) -> Result<GpuVec<T, M>> {
        let column = self.column(n)?;
        column.set(n * size_of::<T>(), 0)?;
        Ok(column)
    }

    /// The first row of a column.
    fn first<T: Element>(&self, column: &GpuVec<T, M>) -> Result<T> {
        column.value(0)
    }

    /// The column, if it is this backend's.
    fn own<'a, T: Element>(&self, column: &'a GpuVec<T, M>) -> Result<&'a GpuVec<T, M>> {
        if Arc::ptr_eq(column.machine(), &self.machine) { Ok(column) } else { Err(Error::OtherBackend) }
    }

    /// The rows of `range`, in a column of their own.
    fn rows<T: Element>(&self, column: &GpuVec<T, M>, range: Range<usize>) -> Result<GpuVec<T, M>> {
        let rows = self.column(range.len())?;
        rows.copy(0, self.own(column)?, range.start * size_of::<T>(), range.len() * size_of::<T>())?;
        Ok(rows)
    }

    /// Copies the rows of a column into another, and nothing else: how fast the machine copies.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] if their lengths differ, [`Error::OtherBackend`] if either is another backend's,
    /// [`Error::Machine`].
    pub fn copy<T: Element>(&self, from: &GpuVec<T, M>, to: &mut GpuVec<T, M>) -> Result<()> {
        if from.len() != to.len() {
            return Err(Error::LengthMismatch { array: "from", expected: to.len(), found: from.len() });
        }
        self.own(to)?.copy(0, self.own(from)?, 0, from.len() * size_of::<T>())
    }

    /// Counts one template that reads `args`, and moves `bytes` besides.
    fn count<F: ColumnFn>(&self, args: F::Args<'_, Self>, bytes: usize) {
        self.tally.device_function::<F, Self>(args, bytes);
    }
}

impl<M: Machine> Backend for Gpu<M> {
    type Vec<T: Element> = GpuVec<T, M>;

    fn allocate<T: Element>(&self, n: usize) -> Result<GpuVec<T, M>> {
        check_rows("column", n)?;
        self.column(n)
    }

    fn upload<T: Element>(&self, host: &[T]) -> Result<GpuVec<T, M>> {
        let column = self.allocate(host.len())?;
        column.put(0, bytemuck::cast_slice(host))?;
        self.tally.transfer(size_of_val(host));
        Ok(column)
    }

    fn download<T: Element>(&self, column: &GpuVec<T, M>) -> Result<Vec<T>> {
        let column = self.own(column)?;
        let mut rows = host_rows(column.len())?;
        column.get(0, bytemuck::cast_slice_mut(&mut rows))?;
        self.tally.transfer(size_of_val(&rows[..]));
        Ok(rows)
    }

    fn read<T: Element>(&self, column: &GpuVec<T, M>, i: usize) -> Result<T> {
        if i >= column.len() {
            return Err(Error::RowOutOfRange { found: i, rows: column.len() });
        }
        let row = self.own(column)?.value(i * size_of::<T>())?;
        self.tally.transfer(size_of::<T>());
        Ok(row)
    }

    fn filled<T: Element>(&self, n: usize, value: T) -> Result<GpuVec<T, M>> {
        let column = self.allocate(n)?;
        self.fill(&column, value)?;
        self.tally.template(n * size_of::<T>());
        Ok(column)
    }

    fn concat<T: Element>(&self, columns: &[&GpuVec<T, M>]) -> Result<GpuVec<T, M>> {
        let all = self.allocate(columns.iter().map(|column| column.len()).sum())?;
        let mut at = 0;
        for column in columns {
            let bytes = column.len() * size_of::<T>();
            all.copy(at, self.own(column)?, 0, bytes)?;
            at += bytes;
        }
        self.tally.template(2 * all.len() * size_of::<T>());
        Ok(all)
    }

    fn slice<T: Element>(&self, column: &GpuVec<T, M>, range: Range<usize>) -> Result<GpuVec<T, M>> {
        if range.start > range.end || range.end > column.len() {
            return Err(Error::RowOutOfRange { found: range.end.max(range.start), rows: column.len() });
        }
        let rows = self.rows(column, range)?;
        self.tally.template(2 * rows.len() * size_of::<T>());
        Ok(rows)
    }

    fn map<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: RowFn<Output: Outputs> + In<template::Map>,
    {
        let out = F::Output::allocate(self, n)?;
        self.count::<F>(args, n * F::Output::BYTES);
        let arguments = Arguments::new().value(n as u64).function::<F>(args).output::<F::Output>(&out, n);
        let stage = Stage { stage: "map", template: "map", functions: &[F::DEF] };
        self.launch(&stage, map_tiles(n), tuning::THREADS, &arguments)?;
        Ok(out)
    }

    fn reduce<F, O>(&self, n: usize, args: F::Args<'_, Self>) -> Result<O::T>
    where
        O: Monoid,
        F: RowFn<Output = O::T> + In<template::Reduce<O>>,
    {
        check_rows("column", n)?;
        self.count::<F>(args, size_of::<O::T>());
        scan::reduce::<F, O, M>(self, n, args)
    }

    fn scan<F, O>(&self, kind: ScanKind, n: usize, args: F::Args<'_, Self>) -> Result<(GpuVec<O::T, M>, O::T)>
    where
        O: Monoid,
        F: RowFn<Output = O::T> + In<template::Scan<O>>,
    {
        check_rows("column", n)?;
        self.count::<F>(args, n * size_of::<O::T>());
        scan::scan::<F, O, M>(self, kind, n, args)
    }

    fn scan_map<G, F, O>(
        &self,
        n: usize,
        scan_args: F::Args<'_, Self>,
        map_args: G::Args<'_, Self>,
    ) -> Result<(<G::Output as Outputs>::Vecs<Self>, O::T)>
    where
        O: Monoid,
        F: RowFn<Output = O::T>,
        G: CarryFn<Carry = O::T, Output: Outputs> + In<template::ScanMap<F, O>>,
    {
        check_rows("column", n)?;
        self.tally.scan_map::<F, G, Self>(scan_args, map_args, n * G::Output::BYTES);
        scan::scan_map::<G, F, O, M>(self, n, scan_args, map_args)
    }

    fn expand<F>(
        &self,
        offsets: &GpuVec<u32, M>,
        m: usize,
        args: F::Args<'_, Self>,
    ) -> Result<<F::Output as Outputs>::Vecs<Self>>
    where
        F: ExpandFn<Output: Outputs> + In<template::Expand>,
    {
        self.check_offsets(offsets, m)?;
        let found = if m == 0 {
            0
        } else if offsets.is_empty() {
            m as u64
        } else {
            self.first(offsets)?.into()
        };
        if found != 0 {
            return Err(Error::InvalidOffset { index: 0, found, limit: 0 });
        }
        let out = F::Output::allocate(self, m)?;
        self.count::<F>(args, m * F::Output::BYTES + 4 * offsets.len());
        let arguments =
            Arguments::new().column(offsets).value(m as u64).function::<F>(args).output::<F::Output>(&out, m);
        let stage = Stage { stage: "expand", template: "expand", functions: &[F::DEF] };
        self.launch(&stage, tiles(m, tuning::EXPAND_ITEMS), tuning::THREADS, &arguments)?;
        Ok(out)
    }

    fn compact<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<GpuVec<u32, M>>
    where
        F: RowFn<Output = bool> + In<template::Compact>,
    {
        check_rows("compact", n)?;
        let out = scan::compact::<F, M>(self, n, args)?;
        self.count::<F>(args, 4 * out.len());
        Ok(out)
    }

    fn scatter<T: Element>(
        &self,
        target: &mut GpuVec<T, M>,
        indices: &GpuVec<u32, M>,
        values: &GpuVec<T, M>,
    ) -> Result<()> {
        if indices.len() != values.len() {
            return Err(Error::LengthMismatch { array: "values", expected: indices.len(), found: values.len() });
        }
        self.tally.template(4 * indices.len() + 2 * values.len() * size_of::<T>());
        self.move_rows(target, indices, values)
    }

    fn previous_smaller(&self, keys: &GpuVec<u32, M>) -> Result<Parents<Self>> {
        self.tally.template(8 * keys.len());
        Ok(Parents(self.nearest_smaller("previous_smaller", keys, 0)?))
    }

    fn next_smaller_or_equal(&self, keys: &GpuVec<u32, M>) -> Result<GpuVec<u32, M>> {
        self.tally.template(8 * keys.len());
        self.nearest_smaller("next_smaller_or_equal", keys, 0)
    }

    fn walk_down<F>(
        &self,
        parents: &Parents<Self>,
        root: F::Carry,
        args: F::Args<'_, Self>,
    ) -> Result<GpuVec<F::Carry, M>>
    where
        F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkDown>,
    {
        self.count::<F>(args, parents.len() * (4 + size_of::<F::Carry>()));
        walk::walk_down::<F, M>(self, parents, root, args)
    }

    fn walk_up<F, O>(&self, parents: &Parents<Self>, args: F::Args<'_, Self>) -> Result<GpuVec<O::T, M>>
    where
        O: Monoid,
        F: CarryFn<Carry = O::T, Output = O::T> + In<template::WalkUp<O>>,
    {
        self.count::<F>(args, parents.len() * (4 + size_of::<O::T>()));
        walk::walk_up::<F, O, M>(self, parents, args)
    }

    fn walk_slots<F>(
        &self,
        parents: &Parents<Self>,
        child: &GpuVec<u32, M>,
        slots: usize,
        absent: F::Output,
        args: F::Args<'_, Self>,
    ) -> Result<GpuVec<F::Output, M>>
    where
        F: SlotsFn + In<template::WalkSlots>,
    {
        let n = parents.len();
        if child.len() != n {
            return Err(Error::LengthMismatch { array: "child", expected: n, found: child.len() });
        }
        let values = self.filled(n.saturating_mul(slots), absent)?;
        self.count::<F>(args, 8 * n + (n + values.len()) * size_of::<F::Output>());
        walk::walk_slots::<F, M>(self, parents, child, slots, &values, args)
    }

    fn segmented_scan<F, O>(
        &self,
        kind: ScanKind,
        offsets: &GpuVec<u32, M>,
        n: usize,
        args: F::Args<'_, Self>,
    ) -> Result<GpuVec<O::T, M>>
    where
        O: Monoid,
        F: RowFn<Output = O::T> + In<template::SegmentedScan<O>>,
    {
        check_rows("column", n)?;
        self.check_offsets(offsets, n)?;
        self.count::<F>(args, 4 * offsets.len() + n * size_of::<O::T>());
        scan::segmented_scan::<F, O, M>(self, kind, offsets, n, args)
    }

    fn segmented_reduce<F, O>(
        &self,
        offsets: &GpuVec<u32, M>,
        n: usize,
        args: F::Args<'_, Self>,
    ) -> Result<GpuVec<O::T, M>>
    where
        O: Monoid,
        F: RowFn<Output = O::T> + In<template::SegmentedScan<O>>,
    {
        check_rows("column", n)?;
        self.check_offsets(offsets, n)?;
        self.count::<F>(args, offsets.len() * (4 + size_of::<O::T>()));
        scan::segmented_reduce::<F, O, M>(self, offsets, n, args)
    }

    fn partition<F>(&self, n: usize, args: F::Args<'_, Self>) -> Result<(GpuVec<u32, M>, usize)>
    where
        F: RowFn<Output = bool> + In<template::Compact>,
    {
        check_rows("partition", n)?;
        self.count::<F>(args, 4 * n);
        scan::partition::<F, M>(self, n, args)
    }

    fn histogram(&self, keys: &GpuVec<u32, M>, bins: usize) -> Result<GpuVec<u32, M>> {
        check_rows("column", bins)?;
        let out = self.zeros(bins)?;
        self.tally.template(4 * keys.len() + 4 * bins);
        self.count_keys(keys, &out)?;
        Ok(out)
    }

    fn sort_by_key<K: SortKey>(
        &self,
        keys: &GpuVec<K, M>,
        payload: &GpuVec<u32, M>,
    ) -> Result<(GpuVec<K, M>, GpuVec<u32, M>)> {
        if keys.len() != payload.len() {
            return Err(Error::LengthMismatch { array: "payload", expected: keys.len(), found: payload.len() });
        }
        sort::sort_by_key(self, keys, payload)
    }

    fn counters(&self) -> Counters {
        if self.waits.load(Ordering::Relaxed) {
            // What failed is told by the next call that has a result.
            let _ = self.machine.synchronize();
        }
        self.tally.counters()
    }
}
