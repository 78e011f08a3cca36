//! GPUs: templates as kernels of CUDA C++, on a machine that holds the columns.
//!
//! [`Gpu`] is one backend for every [`Machine`]: a GPU with its driver (`Cuda`, feature `cuda`) and the emulator on the
//! host (`Emulated`, feature `emulate`). They run the same kernels from the same text. The host's part of each template is
//! here, written once: scratch memory, and launches in order. Between launches no column is copied to the host. Only
//! totals, the numbers of rows that compact, partition, expand_rows and positions return, the check of offsets, and a flag per
//! digit of a sort are; and those only when the host needs one of them, all together.
//!
//! | scratch of | bytes |
//! |---|---|
//! | scans, compact, partition | per tile of 256 to 4096 rows, 8 per 4 bytes of an element; for elements of more than 16 bytes, 8 and two elements |
//! | segmented scans | the same, for elements with a mark of 4 bytes, and a bit per row; reduce: also an element per row |
//! | nearest smaller | 4/15 per row, for more than 4096 rows |
//! | reduce | an element for each of four times the blocks that the machine holds at once |
//! | positions | as two scans, of tiles of 256 to 1024 words; the result keeps memory for all 64 rows of each word |
//! | expand_rows | as compact, of tiles of 256 to 1024 owners; the result keeps memory for four rows of each owner |
//! | intern | 4 per row, and 12 for each of 2 to 4 slots per row |
//! | sort | a second key and payload, and 2 KiB for each tile: of 4608 rows with keys of 4 bytes, of 3072 with keys of 8 |
//! | walk_down | 8 per tile of 256 to 4096 rows |
//! | walk_up | 16 per tile, and per row 4 and an element, few of which are used |
//! | walk_slots | 16 per tile, and the slots |

mod column;
mod kept;
mod launch;
mod mail;
mod rows;
mod scan;
mod smaller;
mod sort;
mod walk;
mod zeros;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use treepar_codegen::{Grouping, expand_items, map_items};
use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::{Checked, Column, Columns, Executor, Later, Run, ScanKind, SortKey, Tally, check_length};
use crate::depth::Parents;
use crate::device::{CarryFn, Element, ExpandFn, Monoid, Outputs, RowFn, SlotsFn};
use crate::operators::{Symbol, by_templates};
use crate::{Error, Result};
use kept::{Block, Kept};
use launch::{Arguments, Stage};
use mail::{GpuValue, Mail};
use zeros::Zeros;

pub use column::GpuVec;

/// An NVIDIA GPU.
///
/// ```no_run
/// use treepar::{backend::gpu::Cuda, prelude::*};
/// let gpu = Cuda::new()?;
/// let forest = Depths::new(gpu.upload(&[0, 1, 2, 2, 1])?)?;
/// let parents = forest.parents()?;
/// assert_eq!(gpu.download(&parents)?[3], 1);
/// # Ok::<(), treepar::Error>(())
/// ```
#[cfg(feature = "cuda")]
pub type Cuda = Gpu<treepar_kernels::driver::Driver>;

/// The emulator on the host, as a backend.
#[cfg(feature = "emulate")]
pub type Emulated = Gpu<treepar_kernels::emulator::Emulator>;

/// A backend on a machine that runs kernels. A clone is another handle of the same machine.
pub struct Gpu<M: Machine>(Arc<Shared<M>>);

impl<M: Machine> Clone for Gpu<M> {
    fn clone(&self) -> Gpu<M> {
        Gpu(Arc::clone(&self.0))
    }
}

impl<M: Machine> std::fmt::Debug for Gpu<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Gpu").field(&self.machine().name()).finish()
    }
}

/// The parts that all handles of a [`Gpu`] share.
struct Shared<M: Machine> {
    machine: M,
    grouping: Grouping,
    functions: Mutex<Functions<M::Function>>,
    tally: Tally,
    waits: AtomicBool,
    kept: Kept,
    zeros: Zeros,
    mail: Mail,
    /// The error of a call that could not return it.
    failure: OnceLock<Error>,
}

/// Entries that were used, by stage and by the functions that fill them.
type Functions<F> = HashMap<(&'static str, [usize; 3]), F>;

#[cfg(feature = "cuda")]
impl Cuda {
    /// The first device, with a stream of its own.
    ///
    /// # Errors
    /// [`Machine`](crate::Error::Machine) where there is no driver or no device, or one that is too old.
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
        let gpu = Gpu::on(driver, Grouping::Function);
        gpu.keep_memory(kept::KEPT_BYTES);
        gpu
    }
}

#[cfg(feature = "emulate")]
impl Emulated {
    /// The emulator, with the seed that `TREEPAR_EMULATOR_SEED` names.
    ///
    /// # Errors
    /// [`Machine`](crate::Error::Machine) where there is no C++ compiler.
    pub fn new() -> Result<Emulated> {
        Ok(Gpu::on(treepar_kernels::emulator::Emulator::new()?, Grouping::Module))
    }

    /// The emulator with memory of `bytes` bytes.
    ///
    /// # Errors
    /// [`Machine`](crate::Error::Machine) where there is no C++ compiler.
    pub fn with_memory(bytes: u64) -> Result<Emulated> {
        Ok(Gpu::on(treepar_kernels::emulator::Emulator::new()?.with_memory(bytes), Grouping::Module))
    }

    /// The emulator with the schedules of a seed.
    ///
    /// # Errors
    /// [`Machine`](crate::Error::Machine) where there is no C++ compiler.
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
    /// Returns a backend on `machine`, whose kernels come in units of `grouping`. It keeps no memory; see
    /// [`Gpu::keep_memory`].
    pub fn on(machine: M, grouping: Grouping) -> Gpu<M> {
        Gpu(Arc::new(Shared {
            machine,
            grouping,
            functions: Mutex::default(),
            tally: Tally::default(),
            waits: AtomicBool::new(false),
            kept: Kept::new(0),
            zeros: Zeros::default(),
            mail: Mail::default(),
            failure: OnceLock::new(),
        }))
    }

    /// Lets [`Backend::counters`](crate::Backend::counters) wait for all earlier work, so that the work between two
    /// readings takes its own time only. Off at first.
    pub fn wait_when_counting(&self, on: bool) {
        self.0.waits.store(on, Ordering::Relaxed);
    }

    /// Returns the machine.
    pub fn machine(&self) -> &M {
        &self.0.machine
    }

    /// Waits for all earlier work.
    ///
    /// # Errors
    /// [`Machine`](crate::Error::Machine) if some of it failed.
    pub fn synchronize(&self) -> Result<()> {
        Ok(self.machine().synchronize()?)
    }

    /// Returns a column of `n` rows, for any `n`.
    fn column<T: Element>(&self, n: usize) -> Result<GpuVec<T, M>> {
        GpuVec::new(self, n)
    }

    /// Returns a column of zero bytes.
    fn zeros<T: Element>(&self, n: usize) -> Result<GpuVec<T, M>> {
        GpuVec::zeros(self, n)
    }

    /// Returns the error of an earlier call that could not return it.
    fn alive(&self) -> Result<()> {
        self.0.failure.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Remembers the error of a call that cannot return it, and returns 0.
    fn fail(&self, error: Error) -> u32 {
        self.0.failure.get_or_init(|| error);
        0
    }

    /// Returns a copy of a column.
    fn copied<T: Element>(&self, column: &GpuVec<T, M>) -> Result<GpuVec<T, M>> {
        let rows = self.column(column.len())?;
        rows.copy(0, column, 0, column.len() * size_of::<T>())?;
        Ok(rows)
    }

    /// Copies the rows of a column into another, and does nothing else: it measures how fast the machine copies.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch) if their lengths differ, [`OtherBackend`](crate::Error::OtherBackend) if either belongs to another backend,
    /// [`Machine`](crate::Error::Machine).
    pub fn copy<T: Element>(&self, from: &GpuVec<T, M>, to: &mut GpuVec<T, M>) -> Result<()> {
        check_length("from", to.len(), from.len())?;
        if !(from.backend().is(self) && to.backend().is(self)) {
            return Err(Error::OtherBackend);
        }
        to.copy(0, from, 0, from.len() * size_of::<T>())
    }
}

impl<M: Machine> Executor for Gpu<M> {
    type Vec<T: Element> = GpuVec<T, M>;
    type Value<T: Element> = GpuValue<T, M>;
    type Bytes<'a> = Block;

    fn is(&self, other: &Gpu<M>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn tally(&self) -> &Tally {
        &self.0.tally
    }

    fn before_counting(&self) {
        if self.0.waits.load(Ordering::Relaxed) {
            // The next call that has a result reports a failure.
            let _ = self.read_mail();
            let _ = self.machine().synchronize();
        }
    }

    fn count_rows<T: Element>(&self, column: &GpuVec<T, M>, bytes: usize) {
        column.count_rows(bytes);
    }

    fn run_allocate<T: Element>(&self, _: Checked, n: usize) -> Result<GpuVec<T, M>> {
        self.column(n)
    }

    fn run_upload<T: Element>(&self, _: Checked, column: &mut GpuVec<T, M>, rows: &[T]) -> Result<()> {
        column.put(0, bytemuck::cast_slice(rows))
    }

    fn run_download<T: Element>(&self, _: Checked, column: &GpuVec<T, M>, first: usize, rows: &mut [T]) -> Result<()> {
        let rows: &mut [u8] = bytemuck::cast_slice_mut(rows);
        let address = column.part(first, 0).address;
        self.read_columns(&[Block { address, bytes: rows.len() }], &mut [rows])
    }

    fn bytes<T: Element>(&self, _: Checked, column: &GpuVec<T, M>, rows: Range<usize>) -> Block {
        let row = size_of::<T>();
        Block { address: column.block().address + (rows.start * row) as u64, bytes: rows.len() * row }
    }

    fn run_download_all(&self, _: Checked, columns: &[Block], rows: &mut [&mut [u8]]) -> Result<()> {
        self.read_columns(columns, rows)
    }

    fn run_fill<T: Element>(&self, _: Checked, column: &mut GpuVec<T, M>, value: T) -> Result<()> {
        self.fill(column, value)
    }

    fn run_copy<T: Element>(
        &self,
        _: Checked,
        to: &mut GpuVec<T, M>,
        at: usize,
        from: &GpuVec<T, M>,
        rows: Range<usize>,
    ) -> Result<()> {
        let bytes = size_of::<T>();
        to.copy(at * bytes, from, rows.start * bytes, rows.len() * bytes)
    }

    fn check_offsets(&self, offsets: &GpuVec<u32, M>, n: usize) -> Result<Option<u32>> {
        rows::check_offsets(self, offsets, n)
    }

    fn checks_wait(&self) -> bool {
        true
    }

    fn run_map<F: RowFn<Output: Outputs>>(
        &self,
        run: Run<'_, F, Self>,
        out: &mut Columns<F::Output, Self>,
    ) -> Result<()> {
        let (n, args) = (run.n, run.args);
        let arguments = Arguments::new().value(n as u64).function::<F, M>(args).output::<F::Output, M>(out, n);
        let stage = Stage { stage: "map", template: "map", functions: &[F::DEF] };
        self.launch(&stage, tiles(n, map_items(F::DEF)), tuning::THREADS, &arguments)
    }

    fn run_reduce<F: RowFn<Output = T>, O: Monoid<T>, T: Element>(
        &self,
        run: Run<'_, F, Self>,
    ) -> Result<GpuValue<T, M>> {
        let (n, args) = (run.n, run.args);
        scan::reduce::<F, O, T, M>(self, n, args)
    }

    fn run_scan<F: RowFn<Output = T>, O: Monoid<T>, T: Element>(
        &self,
        kind: ScanKind,
        run: Run<'_, F, Self>,
        out: &mut GpuVec<T, M>,
    ) -> Result<GpuValue<T, M>> {
        let (n, args) = (run.n, run.args);
        scan::scan::<F, O, T, M>(self, kind, n, args, out)
    }

    fn run_scan_map<F: RowFn<Output = G::Carry>, O: Monoid<G::Carry>, G: CarryFn<Output: Outputs>>(
        &self,
        run: Run<'_, F, Self>,
        map_args: G::Args<'_, Self>,
        out: &mut Columns<G::Output, Self>,
    ) -> Result<GpuValue<G::Carry, M>> {
        let (n, scan_args) = (run.n, run.args);
        scan::scan_map::<F, O, G, M>(self, n, scan_args, map_args, out)
    }

    fn run_positions<F: RowFn<Output = G::Carry>, O: Monoid<G::Carry>, G: CarryFn<Output = u64>>(
        &self,
        run: Run<'_, F, Self>,
        mask_args: G::Args<'_, Self>,
    ) -> Result<GpuVec<u32, M>> {
        let (n, scan_args) = (run.n, run.args);
        scan::positions::<F, O, G, M>(self, n, scan_args, mask_args)
    }

    fn run_expand<F: ExpandFn<Output: Outputs>>(
        &self,
        offsets: &GpuVec<u32, M>,
        run: Run<'_, F, Self>,
        out: &mut Columns<F::Output, Self>,
    ) -> Result<()> {
        let (m, args) = (run.n, run.args);
        let arguments =
            Arguments::new().column(offsets).value(m as u64).function::<F, M>(args).output::<F::Output, M>(out, m);
        let stage = Stage { stage: "expand", template: "expand", functions: &[F::DEF] };
        self.launch(&stage, tiles(m, expand_items(F::DEF)), tuning::THREADS, &arguments)
    }

    fn run_expand_rows<F: RowFn<Output = (T, T, T, T, u32)>, T: Element>(
        &self,
        run: Run<'_, F, Self>,
    ) -> Result<(GpuVec<T, M>, GpuVec<u32, M>)> {
        let (n, args) = (run.n, run.args);
        scan::expand_rows::<F, T, M>(self, n, args)
    }

    fn run_compact<F: RowFn<Output = bool>>(&self, run: Run<'_, F, Self>) -> Result<GpuVec<u32, M>> {
        let (n, args) = (run.n, run.args);
        scan::compact::<F, M>(self, n, args)
    }

    fn run_partition<F: RowFn<Output = bool>>(&self, run: Run<'_, F, Self>) -> Result<(GpuVec<u32, M>, usize)> {
        let (n, args) = (run.n, run.args);
        scan::partition::<F, M>(self, n, args)
    }

    fn run_scatter<T: Element>(
        &self,
        _: Checked,
        target: &mut GpuVec<T, M>,
        indices: &GpuVec<u32, M>,
        values: &GpuVec<T, M>,
    ) -> Result<()> {
        self.move_rows(target, indices, values)
    }

    fn run_previous_smaller(&self, _: Checked, keys: &GpuVec<u32, M>, out: &mut GpuVec<u32, M>) -> Result<()> {
        self.nearest_key("previous_smaller", keys, out)
    }

    fn run_next_smaller_or_equal(&self, _: Checked, keys: &GpuVec<u32, M>, out: &mut GpuVec<u32, M>) -> Result<()> {
        self.nearest_key("next_smaller_or_equal", keys, out)
    }

    fn run_nearest_smaller(
        &self,
        _: Checked,
        keys: &GpuVec<u32, M>,
        previous: &mut GpuVec<u32, M>,
        next: &mut GpuVec<u32, M>,
    ) -> Result<()> {
        let levels = self.minima(keys)?;
        self.search("previous_smaller", keys, &levels, previous)?;
        self.search("next_smaller_or_equal", keys, &levels, next)
    }

    fn run_operators(&self, _: Checked, symbols: &GpuVec<Symbol, M>) -> Result<(GpuVec<u32, M>, GpuVec<u32, M>)> {
        by_templates::<Self>(symbols)
    }

    fn run_walk_down<F: CarryFn<Output = <F as CarryFn>::Carry>>(
        &self,
        parents: &Parents<Self>,
        root: F::Carry,
        run: Run<'_, F, Self>,
        out: &mut GpuVec<F::Carry, M>,
    ) -> Result<()> {
        let args = run.args;
        walk::walk_down::<F, M>(self, parents, root, args, out)
    }

    fn run_walk_up<F: CarryFn<Output = <F as CarryFn>::Carry>, O: Monoid<F::Carry>>(
        &self,
        parents: &Parents<Self>,
        run: Run<'_, F, Self>,
        out: &mut GpuVec<F::Carry, M>,
    ) -> Result<()> {
        let args = run.args;
        walk::walk_up::<F, O, M>(self, parents, args, out)
    }

    fn run_walk_slots<F: SlotsFn>(
        &self,
        parents: &Parents<Self>,
        child: &GpuVec<u32, M>,
        slots: usize,
        run: Run<'_, F, Self>,
        values: &mut GpuVec<F::Output, M>,
        out: &mut GpuVec<F::Output, M>,
    ) -> Result<()> {
        let args = run.args;
        walk::walk_slots::<F, M>(self, parents, child, slots, args, values, out)
    }

    fn run_segmented_scan<F: RowFn<Output = T>, O: Monoid<T>, T: Element>(
        &self,
        kind: ScanKind,
        offsets: &GpuVec<u32, M>,
        run: Run<'_, F, Self>,
        out: &mut GpuVec<T, M>,
    ) -> Result<()> {
        let args = run.args;
        scan::segmented_scan::<F, O, T, M>(self, kind, offsets, args, out)
    }

    fn run_segmented_reduce<F: RowFn<Output = T>, O: Monoid<T>, T: Element>(
        &self,
        offsets: &GpuVec<u32, M>,
        run: Run<'_, F, Self>,
        out: &mut GpuVec<T, M>,
    ) -> Result<()> {
        let (n, args) = (run.n, run.args);
        scan::segmented_reduce::<F, O, T, M>(self, offsets, n, args, out)
    }

    fn run_histogram(&self, _: Checked, keys: &GpuVec<u32, M>, out: &mut GpuVec<u32, M>) -> Result<()> {
        out.set(out.len() * size_of::<u32>(), 0)?;
        self.count_keys(keys, out)
    }

    fn run_accumulate<F: RowFn<Output = (u32, u32)>>(
        &self,
        run: Run<'_, F, Self>,
        out: &mut GpuVec<u32, M>,
    ) -> Result<()> {
        let (n, args) = (run.n, run.args);
        let arguments = Arguments::new().value(n as u64).function::<F, M>(args).array(out);
        let stage = Stage { stage: "accumulate", template: "accumulate", functions: &[F::DEF] };
        self.launch(&stage, map_tiles(n), tuning::THREADS, &arguments)
    }

    fn run_intern<F: RowFn<Output = u64>>(&self, run: Run<'_, F, Self>, out: &mut GpuVec<u32, M>) -> Result<()> {
        let (n, args) = (run.n, run.args);
        rows::intern::<F, M>(self, n, args, out)
    }

    fn run_sort_by_key<K: SortKey>(
        &self,
        _: Checked,
        keys: &GpuVec<K, M>,
        payload: &GpuVec<u32, M>,
        bits: Option<K>,
    ) -> Result<(GpuVec<K, M>, GpuVec<u32, M>, usize)> {
        sort::sort_by_key(self, keys, payload, bits)
    }
}
