//! The CPU: templates as loops over blocks of rows, shared among rayon's threads.
//!
//! Rows are split in halves until a block has at most a grain of them; what is smaller than a grain runs on the
//! calling thread, which starts no others.

mod pool;
mod rows;
mod scan;
mod scatter;
mod segment;
mod smaller;
mod sort;
mod walk;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::counters::Tally;
use super::{Backend, Column, Counters, ScanKind, SortKey, check_rows, host_rows};
use crate::depth::Parents;
use crate::device::{CarryFn, ColumnFn, Element, ExpandFn, In, Monoid, Outputs, RowFn, SlotsFn, template};
use crate::{Error, Result};

pub use pool::CpuVec;

/// The greatest number of rows that one thread works on without sharing them: about 10 µs of work, twice the time that
/// waking a thread takes. Miri is so slow that it needs a small one.
const GRAIN: usize = if cfg!(miri) { 4 } else { 8192 };

/// The processor's cores.
pub struct Cpu {
    pool: Arc<pool::Pool>,
    threads: usize,
    workers: OnceLock<rayon::ThreadPool>,
    tally: Tally,
}

impl std::fmt::Debug for Cpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cpu").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new()
    }
}

impl Cpu {
    /// The most threads that a backend starts.
    pub const MOST_THREADS: usize = 4096;

    /// Creates a backend with as many threads as the machine has cores. They start with the first large input.
    pub fn new() -> Cpu {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Cpu::with_threads(cores.min(Cpu::MOST_THREADS))
    }

    /// Creates a backend with `threads` threads, at least one. They start with the first large input.
    ///
    /// That input yields [`Error::Threads`] if there are more than [`Cpu::MOST_THREADS`], or if the system refuses to
    /// start them.
    pub fn with_threads(threads: usize) -> Cpu {
        Cpu { pool: Arc::default(), threads: threads.max(1), workers: OnceLock::new(), tally: Tally::default() }
    }

    /// Returns the number of threads that share large inputs.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Provides memory for `columns` columns of `n` rows of four bytes.
    ///
    /// To be called on a thread of its own, while what the columns will hold is read or parsed: it takes nothing but
    /// time that templates would else spend on fresh memory.
    pub fn prepare(&self, n: usize, columns: usize) {
        self.pool.prepare(columns, n.saturating_mul(4));
    }

    /// Makes the calling thread one of this backend's threads, for as long as it lives: for a program's main thread,
    /// before its first template, when it has much to do. Elsewhere leave it: rayon's functions, called on this thread,
    /// use this backend's threads from then on.
    ///
    /// A thread that waits while others work is a core that the system may leave idle: of two threads started by a
    /// busy one, both run on the other core for longer than many a program takes.
    pub fn adopt_current_thread(&self) {
        if self.threads > 1 && self.workers.get().is_none() {
            // A thread that belongs to other workers stays with them; then threads are started as usual.
            if let Ok(workers) = self.builder().and_then(|builder| self.started(builder.use_current_thread())) {
                let _ = self.workers.set(workers);
            }
        }
    }

    /// Describes the threads, or returns an error if they are too many.
    fn builder(&self) -> Result<rayon::ThreadPoolBuilder> {
        if self.threads > Cpu::MOST_THREADS {
            let reason = format!("the limit is {}", Cpu::MOST_THREADS);
            return Err(Error::Threads { threads: self.threads, reason });
        }
        Ok(rayon::ThreadPoolBuilder::new().num_threads(self.threads).thread_name(|k| format!("treepar-{k}")))
    }

    fn started(&self, builder: rayon::ThreadPoolBuilder) -> Result<rayon::ThreadPool> {
        builder.build().map_err(|error| Error::Threads { threads: self.threads, reason: error.to_string() })
    }

    /// Rows of a block when `n` rows are shared.
    fn grain(&self, n: usize) -> usize {
        if self.threads == 1 { n.max(1) } else { n.div_ceil(self.threads.saturating_mul(4)).max(GRAIN) }
    }

    /// Runs `work` where `rayon::join` reaches this backend's threads, if `n` rows are worth sharing.
    fn run<R: Send>(&self, n: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
        if self.threads == 1 || n <= GRAIN {
            return Ok(work());
        }
        Ok(self.workers()?.install(work))
    }

    /// Returns the threads. The first call starts them.
    fn workers(&self) -> Result<&rayon::ThreadPool> {
        if let Some(workers) = self.workers.get() {
            return Ok(workers);
        }
        let workers = self.started(self.builder()?)?;
        Ok(self.workers.get_or_init(|| workers))
    }

    /// Counts one template that reads `args`, and moves `bytes` besides.
    fn count<F: ColumnFn>(&self, args: F::Args<'_, Cpu>, bytes: usize) {
        self.tally.device_function::<F, Cpu>(args, bytes);
    }

    /// A column with the rows of `host`.
    fn copied<T: Element>(&self, host: &[T]) -> Result<CpuVec<T>> {
        let mut column = self.allocate(host.len())?;
        self.run(host.len(), || copy(&mut column, host, self.grain(host.len())))?;
        Ok(column)
    }
}

/// Offsets do not fall and end inside the rows.
fn check_offsets(offsets: &[u32], n: usize) -> Result<()> {
    // Without leaving the loop early, so that it runs in vectors.
    let falls = offsets.windows(2).fold(false, |falls, pair| falls | (pair[0] > pair[1]));
    if !falls && offsets.last().is_none_or(|&last| last as usize <= n) {
        return Ok(());
    }
    let mut limit = n as u64;
    for (index, &offset) in offsets.iter().enumerate().rev() {
        if u64::from(offset) > limit {
            return Err(Error::InvalidOffset { index, found: offset.into(), limit });
        }
        limit = offset.into();
    }
    Ok(())
}

/// In debug builds: the laws of monoids on some neighbours among the elements.
fn sample_laws<M: Monoid>(n: usize, element: &impl Fn(usize) -> M::T) -> Result<()> {
    if !cfg!(debug_assertions) || !M::EXACT || n == 0 {
        return Ok(());
    }
    let broken = |law, index| Err(Error::NotAMonoid { monoid: M::DEF.name, law, index });
    for first in [0, n / 2, n.saturating_sub(3)] {
        let a = element(first);
        if M::combine(M::IDENTITY, a) != a || M::combine(a, M::IDENTITY) != a {
            return broken("identity", first);
        }
        if first + 2 < n {
            let (b, c) = (element(first + 1), element(first + 2));
            if M::combine(M::combine(a, b), c) != M::combine(a, M::combine(b, c)) {
                return broken("associativity", first);
            }
        }
    }
    Ok(())
}

/// `to.copy_from_slice(from)` by several threads.
fn copy<T: Element>(to: &mut [T], from: &[T], grain: usize) {
    if to.len() <= grain {
        return to.copy_from_slice(from);
    }
    let middle = to.len() / 2;
    let ((to, to_rest), (from, from_rest)) = (to.split_at_mut(middle), from.split_at(middle));
    rayon::join(|| copy(to, from, grain), || copy(to_rest, from_rest, grain));
}

// Closures are `move`: one that borrows what it calls with would have it read again after each write of the loop, which
// took half as long again for a scan.
impl Backend for Cpu {
    type Vec<T: Element> = CpuVec<T>;

    fn allocate<T: Element>(&self, n: usize) -> Result<CpuVec<T>> {
        check_rows("column", n)?;
        self.pool.take(n)
    }

    fn upload<T: Element>(&self, host: &[T]) -> Result<CpuVec<T>> {
        let column = self.copied(host)?;
        self.tally.transfer(size_of_val(host));
        Ok(column)
    }

    fn download<T: Element>(&self, column: &CpuVec<T>) -> Result<Vec<T>> {
        let mut rows = host_rows(column.len())?;
        rows.copy_from_slice(column);
        self.tally.transfer(size_of_val(&rows[..]));
        Ok(rows)
    }

    fn read<T: Element>(&self, column: &CpuVec<T>, i: usize) -> Result<T> {
        let Some(&row) = column.get(i) else {
            return Err(Error::RowOutOfRange { found: i, rows: column.len() });
        };
        self.tally.transfer(size_of::<T>());
        Ok(row)
    }

    fn filled<T: Element>(&self, n: usize, value: T) -> Result<CpuVec<T>> {
        let mut column = self.allocate(n)?;
        self.run(n, || rows::fill(&mut column[..], 0, n, self.grain(n), &move |_| value))?;
        self.tally.template(size_of_val(&column[..]));
        Ok(column)
    }

    fn concat<T: Element>(&self, columns: &[&CpuVec<T>]) -> Result<CpuVec<T>> {
        let mut all = self.allocate(columns.iter().map(|column| column.len()).sum())?;
        let mut rest = &mut all[..];
        for column in columns {
            let (here, behind) = rest.split_at_mut(column.len());
            self.run(column.len(), || copy(here, column, self.grain(column.len())))?;
            rest = behind;
        }
        self.tally.template(2 * size_of_val(&all[..]));
        Ok(all)
    }

    fn slice<T: Element>(&self, column: &CpuVec<T>, range: Range<usize>) -> Result<CpuVec<T>> {
        let Some(rows) = column.get(range.clone()) else {
            return Err(Error::RowOutOfRange { found: range.end.max(range.start), rows: column.len() });
        };
        self.tally.template(2 * size_of_val(rows));
        self.copied(rows)
    }

    fn map<F>(&self, n: usize, args: F::Args<'_, Cpu>) -> Result<<F::Output as Outputs>::Vecs<Cpu>>
    where
        F: RowFn<Output: Outputs> + In<template::Map>,
    {
        let mut out = F::Output::allocate(self, n)?;
        self.count::<F>(args, n * F::Output::BYTES);
        let host = F::host_args(args);
        let slices = F::Output::slices(&mut out);
        self.run(n, || rows::fill(slices, 0, n, self.grain(n), &move |i| F::call(i, host)))?;
        Ok(out)
    }

    fn reduce<F, M>(&self, n: usize, args: F::Args<'_, Cpu>) -> Result<M::T>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::Reduce<M>>,
    {
        check_rows("column", n)?;
        self.count::<F>(args, size_of::<M::T>());
        let host = F::host_args(args);
        sample_laws::<M>(n, &|i| F::call(i, host))?;
        self.run(n, || scan::reduce::<M>(0, n, self.grain(n), &move |i| F::call(i, host)))
    }

    fn scan<F, M>(&self, kind: ScanKind, n: usize, args: F::Args<'_, Cpu>) -> Result<(CpuVec<M::T>, M::T)>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::Scan<M>>,
    {
        let mut out = self.allocate::<M::T>(n)?;
        self.count::<F>(args, n * size_of::<M::T>());
        let host = F::host_args(args);
        sample_laws::<M>(n, &|i| F::call(i, host))?;
        let total = self.run(n, || {
            let element = move |i| F::call(i, host);
            let after = move |_: usize, before, element| match kind {
                ScanKind::Exclusive => before,
                ScanKind::Inclusive => M::combine(before, element),
            };
            scan::scan::<M, M::T>(&mut out[..], n, self.threads, &element, &after)
        })?;
        Ok((out, total))
    }

    fn scan_map<G, F, M>(
        &self,
        n: usize,
        scan_args: F::Args<'_, Cpu>,
        map_args: G::Args<'_, Cpu>,
    ) -> Result<(<G::Output as Outputs>::Vecs<Cpu>, M::T)>
    where
        M: Monoid,
        F: RowFn<Output = M::T>,
        G: CarryFn<Carry = M::T, Output: Outputs> + In<template::ScanMap<F, M>>,
    {
        let mut out = G::Output::allocate(self, n)?;
        self.tally.scan_map::<F, G, Cpu>(scan_args, map_args, n * G::Output::BYTES);
        let scanned = F::host_args(scan_args);
        let mapped = G::host_args(map_args);
        let slices = G::Output::slices(&mut out);
        sample_laws::<M>(n, &|i| F::call(i, scanned))?;
        let total = self.run(n, || {
            let element = move |i| F::call(i, scanned);
            let row = move |i, before, _| G::call(i, before, mapped);
            scan::scan::<M, G::Output>(slices, n, self.threads, &element, &row)
        })?;
        Ok((out, total))
    }

    fn expand<F>(
        &self,
        offsets: &CpuVec<u32>,
        m: usize,
        args: F::Args<'_, Cpu>,
    ) -> Result<<F::Output as Outputs>::Vecs<Cpu>>
    where
        F: ExpandFn<Output: Outputs> + In<template::Expand>,
    {
        check_offsets(offsets, m)?;
        if m > 0 && offsets.first() != Some(&0) {
            let found = offsets.first().map_or(m as u64, |&first| first.into());
            return Err(Error::InvalidOffset { index: 0, found, limit: 0 });
        }
        let mut out = F::Output::allocate(self, m)?;
        self.count::<F>(args, m * F::Output::BYTES + size_of_val(&offsets[..]));
        let host = F::host_args(args);
        let slices = F::Output::slices(&mut out);
        self.run(m, || {
            rows::expand(slices, 0, m, self.grain(m), &offsets[..], &move |owner, k| F::call(owner, k, host))
        })?;
        Ok(out)
    }

    fn compact<F>(&self, n: usize, args: F::Args<'_, Cpu>) -> Result<CpuVec<u32>>
    where
        F: RowFn<Output = bool> + In<template::Compact>,
    {
        check_rows("compact", n)?;
        let host = F::host_args(args);
        let keep = move |i| F::call(i, host);
        let out = self.run(n, || rows::compact(self, n, &keep))??;
        self.count::<F>(args, size_of_val(&out[..]));
        Ok(out)
    }

    fn scatter<T: Element>(&self, target: &mut CpuVec<T>, indices: &CpuVec<u32>, values: &CpuVec<T>) -> Result<()> {
        if indices.len() != values.len() {
            return Err(Error::LengthMismatch { array: "values", expected: indices.len(), found: values.len() });
        }
        self.tally.template(size_of_val(&indices[..]) + 2 * size_of_val(&values[..]));
        self.run(indices.len(), || scatter::scatter(target, indices, values, self.grain(indices.len())))?
    }

    fn previous_smaller(&self, keys: &CpuVec<u32>) -> Result<Parents<Cpu>> {
        let mut out = self.allocate(keys.len())?;
        self.tally.template(2 * size_of_val(&keys[..]));
        self.run(keys.len(), || smaller::previous_smaller(keys, &mut out, self.grain(keys.len())))?;
        Ok(Parents(out))
    }

    fn next_smaller_or_equal(&self, keys: &CpuVec<u32>) -> Result<CpuVec<u32>> {
        let mut out = self.allocate(keys.len())?;
        self.tally.template(2 * size_of_val(&keys[..]));
        self.run(keys.len(), || smaller::next_smaller_or_equal(keys, &mut out, self.grain(keys.len())))?;
        Ok(out)
    }

    fn walk_down<F>(&self, parents: &Parents<Cpu>, root: F::Carry, args: F::Args<'_, Cpu>) -> Result<CpuVec<F::Carry>>
    where
        F: CarryFn<Output = <F as CarryFn>::Carry> + In<template::WalkDown>,
    {
        let n = parents.len();
        let mut out = self.allocate::<F::Carry>(n)?;
        self.count::<F>(args, size_of_val(&parents[..]) + n * size_of::<F::Carry>());
        let host = F::host_args(args);
        self.run(n, || {
            walk::walk_down(parents, &mut out, root, self.grain(n), &move |i, parent| F::call(i, parent, host))
        })?;
        Ok(out)
    }

    fn walk_up<F, M>(&self, parents: &Parents<Cpu>, args: F::Args<'_, Cpu>) -> Result<CpuVec<M::T>>
    where
        M: Monoid,
        F: CarryFn<Carry = M::T, Output = M::T> + In<template::WalkUp<M>>,
    {
        let n = parents.len();
        let mut out = self.allocate::<M::T>(n)?;
        self.count::<F>(args, size_of_val(&parents[..]) + n * size_of::<M::T>());
        let host = F::host_args(args);
        self.run(n, || {
            walk::walk_up::<M>(parents, &mut out, self.grain(n), &move |i, children| F::call(i, children, host))
        })?;
        Ok(out)
    }

    fn walk_slots<F>(
        &self,
        parents: &Parents<Cpu>,
        child: &CpuVec<u32>,
        slots: usize,
        absent: F::Output,
        args: F::Args<'_, Cpu>,
    ) -> Result<CpuVec<F::Output>>
    where
        F: SlotsFn + In<template::WalkSlots>,
    {
        let n = parents.len();
        if child.len() != n {
            return Err(Error::LengthMismatch { array: "child", expected: n, found: child.len() });
        }
        let mut out = self.allocate::<F::Output>(n)?;
        let mut values = self.filled(n.saturating_mul(slots), absent)?;
        self.count::<F>(args, 8 * n + (n + values.len()) * size_of::<F::Output>());
        let host = F::host_args(args);
        self.run(n, || {
            let value = move |i, slots: &[F::Output]| F::call(i, slots, host);
            walk::walk_slots(parents, child, &mut out, &mut values, slots, self.grain(n), &value)
        })?;
        Ok(out)
    }

    fn segmented_scan<F, M>(
        &self,
        kind: ScanKind,
        offsets: &CpuVec<u32>,
        n: usize,
        args: F::Args<'_, Cpu>,
    ) -> Result<CpuVec<M::T>>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::SegmentedScan<M>>,
    {
        check_rows("column", n)?;
        check_offsets(offsets, n)?;
        let mut out = self.allocate::<M::T>(n)?;
        self.count::<F>(args, size_of_val(&offsets[..]) + n * size_of::<M::T>());
        let host = F::host_args(args);
        self.run(n, || segment::scan::<M>(&mut out, kind, offsets, self.grain(n), &move |i| F::call(i, host)))?;
        Ok(out)
    }

    fn segmented_reduce<F, M>(&self, offsets: &CpuVec<u32>, n: usize, args: F::Args<'_, Cpu>) -> Result<CpuVec<M::T>>
    where
        M: Monoid,
        F: RowFn<Output = M::T> + In<template::SegmentedScan<M>>,
    {
        check_rows("column", n)?;
        check_offsets(offsets, n)?;
        let s = offsets.len();
        let mut out = self.allocate::<M::T>(s)?;
        self.count::<F>(args, size_of_val(&offsets[..]) + s * size_of::<M::T>());
        let host = F::host_args(args);
        self.run(n.max(s), || {
            segment::reduce::<M>(&mut out, offsets, n, self.grain(n.max(s)), &move |i| F::call(i, host))
        })?;
        Ok(out)
    }

    fn partition<F>(&self, n: usize, args: F::Args<'_, Cpu>) -> Result<(CpuVec<u32>, usize)>
    where
        F: RowFn<Output = bool> + In<template::Compact>,
    {
        check_rows("partition", n)?;
        self.count::<F>(args, n * size_of::<u32>());
        let host = F::host_args(args);
        self.run(n, || rows::partition(self, n, &move |i| F::call(i, host)))?
    }

    fn histogram(&self, keys: &CpuVec<u32>, bins: usize) -> Result<CpuVec<u32>> {
        let mut out = self.allocate(bins)?;
        self.tally.template(size_of_val(&keys[..]) + 4 * bins);
        self.run(keys.len(), || sort::histogram(keys, &mut out, self.grain(keys.len())))?;
        Ok(out)
    }

    fn sort_by_key<K: SortKey>(&self, keys: &CpuVec<K>, payload: &CpuVec<u32>) -> Result<(CpuVec<K>, CpuVec<u32>)> {
        if keys.len() != payload.len() {
            return Err(Error::LengthMismatch { array: "payload", expected: keys.len(), found: payload.len() });
        }
        let n = keys.len();
        self.run(n, || sort::sort_by_key(self, keys, payload))?
    }

    fn counters(&self) -> Counters {
        self.tally.counters()
    }
}
