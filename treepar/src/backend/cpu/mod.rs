//! The CPU: templates as loops over blocks of rows, shared among rayon's threads.
//!
//! Rows are split in halves until a block has at most one grain of rows. Smaller inputs run on the calling thread, which
//! starts no others.

mod accumulate;
mod automaton;
mod block;
mod brackets;
#[cfg(test)]
mod drawn;
mod each;
mod expand_rows;
mod group;
mod intern;
mod join;
mod level_order;
mod levels;
mod lift;
mod list;
mod nested;
mod of_rows;
mod operators;
mod parents;
mod pool;
mod positions;
mod rows;
mod scan;
mod scatter;
mod segment;
mod siblings;
mod smaller;
mod sort;
mod start;
mod sums;
mod under;
mod vectors;
mod walk;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Backend, Checked, Column, Columns, Executor, Followed, Known, Run, ScanKind, SortKey, Tally};
use crate::depth::Parents;
use crate::device::{CarryFn, Element, ExpandFn, Monoid, Outputs, RowFn, SlotsFn};
use crate::key::LiftedRow;
use crate::operators::Symbol;
use crate::text::Automaton;
use crate::{Error, Result};

use block::{Bound, Reader};
use join::{install, join};
pub use pool::CpuVec;
use scan::Extent;
use start::Core;

/// The greatest number of rows that one thread works on without sharing them: about 10 µs of work, twice the time that
/// waking a thread takes. Miri is so slow that it needs a small one.
const GRAIN: usize = if cfg!(miri) { 4 } else { 8192 };

/// The processor's cores. A clone is another handle of the same threads, memory and counts.
#[derive(Clone)]
pub struct Cpu {
    shared: Arc<Shared>,
    /// The counts of this handle and its clones.
    tally: Arc<Tally>,
    /// The number of threads that this handle uses: all, or only the calling thread.
    threads: usize,
}

/// The parts that all handles of a [`Cpu`] share.
struct Shared {
    pool: pool::Pool,
    threads: usize,
    workers: OnceLock<rayon::ThreadPool>,
}

/// The bytes of columns that stay in the cache of one core: half of a common second-level cache.
const CACHE_BYTES: usize = 1 << 19;

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new()
    }
}

impl std::fmt::Debug for Cpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cpu").field("threads", &self.threads).finish_non_exhaustive()
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
    /// That input yields [`Threads`](crate::Error::Threads) if there are more than [`Cpu::MOST_THREADS`], or if the system refuses to
    /// start them.
    pub fn with_threads(threads: usize) -> Cpu {
        let shared = Shared { pool: pool::Pool::default(), threads: threads.max(1), workers: OnceLock::new() };
        Cpu { threads: shared.threads, shared: Arc::new(shared), tally: Arc::default() }
    }

    /// Returns the number of threads that share large inputs.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Makes the calling thread one of this backend's threads for the rest of its life. Returns `false` if the threads
    /// have been started, if there is only one, if the calling thread belongs to other threads, or if the system refuses to start the others.
    ///
    /// It is meant for a program's main thread, before its first template, when there is much to do. Rayon's functions
    /// that are called on this thread use this backend's threads from then on.
    ///
    /// A thread that waits while others work leaves a core to the system, which may keep it idle. When a busy thread
    /// starts two others, both run on the other core for longer than many programs take.
    pub fn adopt_current_thread(&self) -> bool {
        if self.shared.threads == 1 || self.shared.workers.get().is_some() {
            return false;
        }
        // A thread that belongs to other workers stays with them; then threads are started as usual.
        let workers = self.builder().and_then(|builder| self.started(builder.use_current_thread()));
        let is_adopted = workers.is_ok_and(|workers| self.shared.workers.set(workers).is_ok());
        // The others leave this core before this thread goes on.
        std::thread::yield_now();
        is_adopted
    }

    /// Describes the threads, or returns an error if they are too many.
    fn builder(&self) -> Result<rayon::ThreadPoolBuilder> {
        if self.shared.threads > Cpu::MOST_THREADS {
            let reason = format!("the limit is {}", Cpu::MOST_THREADS);
            return Err(Error::Threads { threads: self.shared.threads, reason });
        }
        let core = Core::current();
        Ok(rayon::ThreadPoolBuilder::new()
            .num_threads(self.shared.threads)
            .thread_name(|k| format!("treepar-{k}"))
            .start_handler(move |k| core.leave(k)))
    }

    fn started(&self, builder: rayon::ThreadPoolBuilder) -> Result<rayon::ThreadPool> {
        builder.build().map_err(|error| Error::Threads { threads: self.shared.threads, reason: error.to_string() })
    }

    /// Returns the rows of a block when `n` rows are shared.
    fn grain(&self, n: usize) -> usize {
        if self.threads == 1 { n.max(1) } else { n.div_ceil(self.threads.saturating_mul(4)).max(GRAIN) }
    }

    /// Returns the threads that share `n` rows.
    fn sharing(&self, n: usize) -> usize {
        if n <= GRAIN { 1 } else { self.threads }
    }

    /// Runs `work` where [`join`] reaches this backend's threads, if `n` rows are worth sharing.
    fn run<R: Send>(&self, n: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
        if self.sharing(n) == 1 {
            return Ok(work());
        }
        Ok(install(self.workers()?, work))
    }

    /// Returns the threads. The first call starts them.
    fn workers(&self) -> Result<&rayon::ThreadPool> {
        if let Some(workers) = self.shared.workers.get() {
            return Ok(workers);
        }
        let workers = self.started(self.builder()?)?;
        Ok(self.shared.workers.get_or_init(|| workers))
    }
}

/// Samples the laws of monoids on some neighbouring elements, in debug builds.
fn sample_laws<M: Monoid<T>, T: Element>(n: usize, element: &dyn Fn(usize) -> T) -> Result<()> {
    if !cfg!(debug_assertions) || !M::EXACT || n == 0 {
        return Ok(());
    }
    let broken = |law, index| Err(Error::NotAMonoid { monoid: M::FUNCTION.name, law, index });
    for first in [0, n / 2, n.saturating_sub(3)] {
        let a = element(first);
        if M::combine(M::IDENTITY, a) != a || M::combine(a, M::IDENTITY) != a {
            return broken("identity", first);
        }
        if first + 1 < n && M::RESETS {
            let b = element(first + 1);
            if M::resets(b) && M::combine(a, b) != b {
                return broken("reset", first + 1);
            }
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
    join(|| copy(to, from, grain), || copy(to_rest, from_rest, grain));
}

// Closures are `move`. The loop would otherwise read the borrowed values again after each write, which makes a scan take
// 1.5 times as long.
impl Executor for Cpu {
    type Vec<T: Element> = CpuVec<T>;
    type Value<T: Element> = Known<T>;
    type Bytes<'a> = &'a [u8];

    fn is(&self, other: &Cpu) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn cache_bytes(&self) -> Option<usize> {
        Some(CACHE_BYTES)
    }

    fn workers(&self) -> usize {
        self.threads
    }

    fn run_each<T: Send, R: Send>(
        &self,
        _: Checked,
        items: Vec<T>,
        work: &(impl Fn(&Cpu, T) -> R + Sync),
    ) -> Result<Vec<R>> {
        if self.threads == 1 || items.len() < 2 {
            return Ok(items.into_iter().map(|item| work(self, item)).collect());
        }
        let work = |item| {
            let one = Cpu { shared: self.shared.clone(), tally: Arc::default(), threads: 1 };
            let result = work(&one, item);
            self.tally.add(one.tally.counters());
            result
        };
        let mut slots: Vec<each::Slot<T, R>> = items.into_iter().map(each::Slot::Item).collect();
        install(self.workers()?, || each::run(&mut slots, &work));
        Ok(slots.into_iter().map(each::Slot::result).collect())
    }

    fn run_allocate<T: Element>(&self, _: Checked, n: usize) -> Result<CpuVec<T>> {
        CpuVec::new(self, n)
    }

    fn run_upload<T: Element>(&self, _: Checked, column: &mut CpuVec<T>, rows: &[T]) -> Result<()> {
        let column = &mut column[..rows.len()];
        self.run(rows.len(), || copy(column, rows, self.grain(rows.len())))
    }

    fn run_download<T: Element>(&self, _: Checked, column: &CpuVec<T>, first: usize, rows: &mut [T]) -> Result<()> {
        rows.copy_from_slice(&column[first..first + rows.len()]);
        Ok(())
    }

    fn bytes<'a, T: Element>(&self, _: Checked, column: &'a CpuVec<T>, rows: Range<usize>) -> &'a [u8] {
        bytemuck::cast_slice(&column[rows])
    }

    fn run_download_all(&self, _: Checked, columns: &[&[u8]], rows: &mut [&mut [u8]]) -> Result<()> {
        rows.iter_mut().zip(columns).for_each(|(rows, column)| rows.copy_from_slice(column));
        Ok(())
    }

    fn run_fill<T: Element>(&self, _: Checked, column: &mut CpuVec<T>, value: T) -> Result<()> {
        let n = column.len();
        rows::fill(self, &mut column[..], n, move |_| value)
    }

    fn run_copy<T: Element>(
        &self,
        _: Checked,
        to: &mut CpuVec<T>,
        at: usize,
        from: &CpuVec<T>,
        rows: Range<usize>,
    ) -> Result<()> {
        let n = rows.len();
        self.run(n, || copy(&mut to[at..at + n], &from[rows], self.grain(n)))
    }

    fn check_offsets(&self, offsets: &CpuVec<u32>, n: usize) -> Result<Option<u32>> {
        // Without leaving the loop early, so that it runs in vectors.
        let falls = offsets.windows(2).fold(false, |falls, pair| falls | (pair[0] > pair[1]));
        if !falls && offsets.last().is_none_or(|&last| last as usize <= n) {
            return Ok(offsets.first().copied());
        }
        let mut limit = n as u64;
        for (index, &offset) in offsets.iter().enumerate().rev() {
            if u64::from(offset) > limit {
                return Err(Error::InvalidOffset { index, found: offset.into(), limit });
            }
            limit = offset.into();
        }
        Ok(offsets.first().copied())
    }

    fn run_map<F: RowFn<Output: Outputs>>(
        &self,
        run: Run<'_, F, Cpu>,
        out: &mut Columns<F::Output, Cpu>,
    ) -> Result<()> {
        rows::fill(self, F::Output::slices(out), run.n, Bound::<F>::new(run.args))
    }

    fn run_reduce<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(&self, run: Run<'_, F, Cpu>) -> Result<Known<T>> {
        let elements = Bound::<F>::new(run.args);
        sample_laws::<M, T>(run.n, &|i| elements.row(i))?;
        scan::reduce::<M, T>(self, run.n, elements).map(Known)
    }

    fn run_scan<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(
        &self,
        kind: ScanKind,
        run: Run<'_, F, Cpu>,
        out: &mut CpuVec<T>,
    ) -> Result<Known<T>> {
        let elements = Bound::<F>::new(run.args);
        sample_laws::<M, T>(run.n, &|i| elements.row(i))?;
        let (rows, extent) = (&mut out[..], Extent { rows: run.n, weight: 1 });
        // One loop per kind: the optimizer does not always move the choice out of the loop.
        let total = match kind {
            ScanKind::Exclusive => {
                let step = |_: usize, before, item| (before, M::combine(before, item));
                scan::scan::<M, T, _>(self, rows, extent, elements, step)
            }
            ScanKind::Inclusive => {
                let step = |_: usize, before, item| {
                    let after = M::combine(before, item);
                    (after, after)
                };
                scan::scan::<M, T, _>(self, rows, extent, elements, step)
            }
        };
        total.map(Known)
    }

    fn run_scan_map<F: RowFn<Output = G::Carry>, M: Monoid<G::Carry>, G: CarryFn<Output: Outputs>>(
        &self,
        run: Run<'_, F, Cpu>,
        map_args: G::Args<'_, Cpu>,
        out: &mut Columns<G::Output, Cpu>,
    ) -> Result<Known<G::Carry>> {
        let (elements, step) = (Bound::<F>::new(run.args), Bound::<G>::new(map_args));
        sample_laws::<M, G::Carry>(run.n, &|i| elements.row(i))?;
        let (slices, extent) = (G::Output::slices(out), Extent { rows: run.n, weight: 1 });
        scan::scan::<M, G::Carry, _>(self, slices, extent, elements, step).map(Known)
    }

    fn run_positions<F: RowFn<Output = G::Carry>, M: Monoid<G::Carry>, G: CarryFn<Output = u64>>(
        &self,
        run: Run<'_, F, Cpu>,
        mask_args: G::Args<'_, Cpu>,
    ) -> Result<CpuVec<u32>> {
        let n = run.n;
        let (elements, step) = (Bound::<F>::new(run.args), Bound::<G>::new(mask_args));
        sample_laws::<M, G::Carry>(n, &|i| elements.row(i))?;
        let mut words = self.allocate::<u64>(n)?;
        // A word is worth as many rows as it can mark.
        let extent = Extent { rows: n, weight: positions::ROWS };
        scan::scan::<M, G::Carry, _>(self, &mut words[..], extent, elements, step)?;
        positions::positions(self, &words)
    }

    fn run_expand<F: ExpandFn<Output: Outputs>>(
        &self,
        offsets: &CpuVec<u32>,
        run: Run<'_, F, Cpu>,
        out: &mut Columns<F::Output, Cpu>,
    ) -> Result<()> {
        rows::expand(self, F::Output::slices(out), run.n, offsets, Bound::<F>::new(run.args))
    }

    fn run_expand_rows<F: RowFn<Output = (T, T, T, T, u32)>, T: Element>(
        &self,
        run: Run<'_, F, Cpu>,
    ) -> Result<(CpuVec<T>, CpuVec<u32>)> {
        let (n, owners) = (run.n, Bound::<F>::new(run.args));
        self.run(n, || expand_rows::expand_rows(self, n, owners))?
    }

    fn run_compact<F: RowFn<Output = bool>>(&self, run: Run<'_, F, Cpu>) -> Result<CpuVec<u32>> {
        let kept = Bound::<F>::new(run.args);
        rows::compact(self, run.n, &|marks, first| rows::mark_rows(marks, first, kept))
    }

    fn run_partition<F: RowFn<Output = bool>>(&self, run: Run<'_, F, Cpu>) -> Result<(CpuVec<u32>, usize)> {
        let first = Bound::<F>::new(run.args);
        rows::partition(self, run.n, &|marks, row| rows::mark_rows(marks, row, first))
    }

    fn run_scatter<T: Element>(
        &self,
        _: Checked,
        target: &mut CpuVec<T>,
        indices: &CpuVec<u32>,
        values: &CpuVec<T>,
    ) -> Result<()> {
        self.run(indices.len(), || scatter::scatter(target, indices, values, self.grain(indices.len())))?
    }

    fn run_previous_smaller(&self, _: Checked, keys: &CpuVec<u32>, out: &mut CpuVec<u32>) -> Result<()> {
        self.run(keys.len(), || smaller::previous_smaller(keys, out, self.grain(keys.len())))
    }

    fn run_next_smaller_or_equal(&self, _: Checked, keys: &CpuVec<u32>, out: &mut CpuVec<u32>) -> Result<()> {
        self.run(keys.len(), || smaller::next_smaller_or_equal(keys, out, self.grain(keys.len())))
    }

    fn run_nearest_smaller(
        &self,
        _: Checked,
        keys: &CpuVec<u32>,
        previous: &mut CpuVec<u32>,
        next: &mut CpuVec<u32>,
    ) -> Result<()> {
        self.run(keys.len(), || smaller::nearest_smaller(keys, previous, next, self.grain(keys.len())))
    }

    fn run_operators(&self, _: Checked, symbols: &CpuVec<Symbol>) -> Result<(CpuVec<u32>, CpuVec<u32>)> {
        self.run(symbols.len(), || operators::operators(self, symbols))?
    }

    fn run_list_ranks(&self, _: Checked, next: &CpuVec<u32>, out: &mut CpuVec<u32>) -> Result<Followed> {
        self.tally().template(16 * next.len());
        self.run(next.len(), || list::ranks(next, out, self.grain(next.len())))
    }

    fn run_preorder(
        &self,
        _: Checked,
        parent: &CpuVec<u32>,
        depth: &mut CpuVec<u32>,
        row: &mut CpuVec<u32>,
    ) -> Result<Followed> {
        self.tally().template(32 * parent.len());
        list::preorder(self, parent, depth, row)
    }

    fn run_previous_within(
        &self,
        _: Checked,
        groups: &CpuVec<u32>,
        keys: &CpuVec<u32>,
        out: &mut CpuVec<u32>,
    ) -> Result<bool> {
        let runs = self.sharing(groups.len()) == 1 && group::previous_within(self, groups, keys, out)?;
        if runs {
            self.tally().template(12 * groups.len());
        }
        Ok(runs)
    }

    fn run_lift<O: Outputs>(
        &self,
        _: Checked,
        depth: &CpuVec<u32>,
        mark: &CpuVec<u8>,
        backwards: bool,
        row: &(impl Fn(LiftedRow) -> O + Sync),
    ) -> Result<Option<Columns<O, Cpu>>> {
        let (n, depth, mark) = (depth.len(), &depth[..], &mark[..]);
        let plan = self.run(n, || lift::Plan::new(depth, mark, self.grain(n), backwards))?;
        self.tally().template(lift::BYTES * n + O::BYTES * plan.rows());
        let mut columns = O::allocate(self, plan.rows())?;
        let rows = O::slices(&mut columns);
        self.run(n, || plan.write(depth, mark, rows, row))?;
        Ok(Some(columns))
    }

    fn keeps_depth_rule(&self, _: Checked, depth: &CpuVec<u32>) -> Result<bool> {
        let n = depth.len();
        let keeps = depth.first().is_none_or(|&depth| depth == 0)
            && self.run(n, || rows::rises_by_one(depth, self.grain(n)))?;
        // Otherwise a template looks for the first row that does not.
        if keeps {
            self.tally().template(size_of::<u32>() * n);
        }
        Ok(keeps)
    }

    fn keeps_parent_rule(&self, _: Checked, parent: &CpuVec<u32>) -> Result<bool> {
        let n = parent.len();
        let keeps = self.run(n, || parents::are_of_forest(parent, 0..n, self.grain(n)))?;
        // Otherwise templates look for the first row that does not. Counters are alike on all machines: a compact, a map, the nearest
        // smaller values and a compact.
        if keeps {
            for columns in [1, 2, 2, 2] {
                self.tally().template(columns * size_of::<u32>() * n);
            }
        }
        Ok(keeps)
    }

    fn are_below(&self, _: Checked, rows: &CpuVec<u32>, limit: usize) -> Result<bool> {
        let n = rows.len();
        let are_below = self.run(n, || rows::are_below(rows, limit, self.grain(n)))?;
        // Otherwise templates look for the first row that is not.
        if are_below {
            self.tally().template(size_of::<u32>() * n);
        }
        Ok(are_below)
    }

    fn run_nested(
        &self,
        _: Checked,
        marks: &CpuVec<u64>,
        opens: &CpuVec<u64>,
        closes: &CpuVec<u64>,
    ) -> Result<Option<(CpuVec<u32>, CpuVec<u32>)>> {
        let n = marks.len();
        let found = self.run(n * positions::ROWS, || nested::nested(self, [marks, opens, closes]))??;
        self.tally().template(3 * size_of::<u64>() * n + 2 * size_of::<u32>() * found.0.len());
        Ok(Some(found))
    }

    fn run_states(
        &self,
        _: Checked,
        kind: ScanKind,
        text: &CpuVec<u64>,
        n: usize,
        automaton: &Automaton<Cpu>,
    ) -> Result<Option<(CpuVec<u64>, Known<u64>)>> {
        let next = automaton.maps();
        self.tally().template(size_of::<u64>() * (2 * text.len() + next.len()));
        let moves = automaton::Moves { next, states: automaton.len() as u8 };
        let (states, last) = automaton::states(self, kind, text, n, moves)?;
        Ok(Some((states, Known(last.into()))))
    }

    fn run_text_of_rows<F: ExpandFn<Output = u64>>(
        &self,
        offsets: &CpuVec<u32>,
        run: Run<'_, F, Cpu>,
        words: usize,
    ) -> Result<Option<CpuVec<u64>>> {
        let mut out = self.allocate(words)?;
        of_rows::of_rows(self, &mut out, offsets, run.n, Bound::<F>::new(run.args))?;
        Ok(Some(out))
    }

    fn run_gather<T: Element>(&self, _: Checked, values: &CpuVec<T>, rows: &CpuVec<u32>) -> Result<Option<CpuVec<T>>> {
        let n = rows.len();
        let mut out = self.allocate::<T>(n)?;
        let has_all = self.run(n, || rows::gather(&mut out, values, rows, self.grain(n)))?;
        // Counters are alike on all machines: a reduce that checks rows, and a map.
        if has_all {
            self.tally().template(size_of::<u32>() * n);
            self.tally().template(size_of::<u32>() * n + size_of::<T>() * (values.len() + n));
        }
        Ok(has_all.then_some(out))
    }

    fn run_under_marked(
        &self,
        _: Checked,
        depth: &CpuVec<u32>,
        mark: &CpuVec<u8>,
        itself: bool,
    ) -> Result<Option<CpuVec<u8>>> {
        let n = depth.len();
        let mut out = self.allocate(n)?;
        self.tally().template((size_of::<u32>() + 2) * n);
        self.run(n, || under::under(depth, mark, &mut out, itself, self.grain(n)))?;
        Ok(Some(out))
    }

    fn run_subtree_sums<T: Element, M: Monoid<T>>(
        &self,
        _: Checked,
        depth: &CpuVec<u32>,
        values: &CpuVec<T>,
    ) -> Result<Option<CpuVec<T>>> {
        let n = depth.len();
        let mut out = self.allocate(n)?;
        self.tally().template((size_of::<u32>() + 2 * size_of::<T>()) * n);
        self.run(n, || sums::subtree_sums::<M, T>(depth, values, &mut out, self.grain(n)))?;
        Ok(Some(out))
    }

    fn run_brackets(&self, _: Checked, depth: &CpuVec<u32>) -> Result<Option<CpuVec<u8>>> {
        let n = depth.len();
        let mut out = self.allocate(2 * n)?;
        self.tally().template((size_of::<u32>() + 2) * n);
        self.run(n, || brackets::brackets(depth, &mut out, 0, self.grain(n)))?;
        Ok(Some(out))
    }

    fn run_from_brackets(&self, _: Checked, brackets: &CpuVec<u8>) -> Result<Option<CpuVec<u32>>> {
        let n = brackets.len();
        let found = self.run(n, || brackets::depths(self, brackets))??;
        if let Some(depth) = &found {
            self.tally().template(n + size_of::<u32>() * depth.len());
        }
        Ok(found)
    }

    fn run_child_indices(&self, _: Checked, depth: &CpuVec<u32>, out: &mut CpuVec<u32>) -> Result<bool> {
        let n = depth.len();
        self.tally().template(8 * n);
        self.run(n, || siblings::child_indices(depth, out, self.grain(n)))?;
        Ok(true)
    }

    fn run_level_order(&self, _: Checked, depth: &CpuVec<u32>) -> Result<Option<(CpuVec<u32>, CpuVec<u32>)>> {
        let n = depth.len();
        let found = self.run(n, || level_order::level_order(self, depth, self.grain(n)))??;
        if let Some((_, offsets)) = &found {
            self.tally().template(12 * n + 4 * offsets.len());
        }
        Ok(found)
    }

    fn run_group(&self, _: Checked, keys: &CpuVec<u32>) -> Result<Option<(CpuVec<u32>, CpuVec<u32>)>> {
        let n = keys.len();
        let found = self.run(n, || level_order::groups(self, keys, self.grain(n)))??;
        if let Some((_, offsets)) = &found {
            self.tally().template(12 * n + 4 * offsets.len());
        }
        Ok(found)
    }

    fn run_walk_down<F: CarryFn<Output = <F as CarryFn>::Carry>>(
        &self,
        parents: &Parents<Cpu>,
        root: F::Carry,
        run: Run<'_, F, Cpu>,
        out: &mut CpuVec<F::Carry>,
    ) -> Result<()> {
        let (n, values) = (parents.len(), Bound::<F>::new(run.args));
        self.run(n, || walk::walk_down(parents, out, root, self.grain(n), values))
    }

    fn run_walk_up<F: CarryFn<Output = <F as CarryFn>::Carry>, M: Monoid<F::Carry>>(
        &self,
        parents: &Parents<Cpu>,
        run: Run<'_, F, Cpu>,
        out: &mut CpuVec<F::Carry>,
    ) -> Result<()> {
        let (n, values) = (parents.len(), Bound::<F>::new(run.args));
        self.run(n, || walk::walk_up::<M, F::Carry>(parents, out, self.grain(n), values))
    }

    fn run_walk_slots<F: SlotsFn>(
        &self,
        parents: &Parents<Cpu>,
        child: &CpuVec<u32>,
        slots: usize,
        run: Run<'_, F, Cpu>,
        values: &mut CpuVec<F::Output>,
        out: &mut CpuVec<F::Output>,
    ) -> Result<()> {
        let (n, of) = (parents.len(), Bound::<F>::new(run.args));
        self.run(n, || walk::walk_slots(parents, child, out, values, slots, self.grain(n), of))
    }

    fn run_segmented_scan<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(
        &self,
        kind: ScanKind,
        offsets: &CpuVec<u32>,
        run: Run<'_, F, Cpu>,
        out: &mut CpuVec<T>,
    ) -> Result<()> {
        let (n, elements) = (out.len(), Bound::<F>::new(run.args));
        self.run(n, || segment::scan::<M, T>(out, kind, offsets, self.grain(n), elements))
    }

    fn run_segmented_reduce<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(
        &self,
        offsets: &CpuVec<u32>,
        run: Run<'_, F, Cpu>,
        out: &mut CpuVec<T>,
    ) -> Result<()> {
        let (n, elements) = (run.n, Bound::<F>::new(run.args));
        let most = n.max(offsets.len());
        self.run(most, || segment::reduce::<M, T>(out, offsets, n, self.grain(most), elements))
    }

    fn run_histogram(&self, _: Checked, keys: &CpuVec<u32>, out: &mut CpuVec<u32>) -> Result<()> {
        let (n, bins, keys) = (keys.len(), out.len(), &keys[..]);
        out.fill(0);
        // Adding up a block's counts takes as long as counting its rows if there are as many bins as rows.
        let grain = self.grain(n).max(4 * bins);
        self.run(n, || accumulate::count(self, out, keys, grain))?
    }

    fn run_accumulate<F: RowFn<Output = (u32, u32)>>(&self, run: Run<'_, F, Cpu>, out: &mut CpuVec<u32>) -> Result<()> {
        let grain = self.grain(run.n).max(out.len());
        accumulate::accumulate(self, out, run.n, grain, Bound::<F>::new(run.args))
    }

    fn run_intern<F: RowFn<Output = u64>>(&self, run: Run<'_, F, Cpu>, out: &mut CpuVec<u32>) -> Result<()> {
        let keys = Bound::<F>::new(run.args);
        self.run(run.n, || intern::intern(self, out, keys))?
    }

    fn run_sort_by_key<K: SortKey>(
        &self,
        _: Checked,
        keys: &CpuVec<K>,
        payload: &CpuVec<u32>,
        // To find the digits that differ takes one read of the keys here.
        _bits: Option<K>,
    ) -> Result<(CpuVec<K>, CpuVec<u32>, usize)> {
        self.run(keys.len(), || sort::sort_by_key(self, keys, payload))?
    }
}
