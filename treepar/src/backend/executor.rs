//! Executors: templates on columns that are known to fit.

use std::ops::Range;

use super::{Backend, Column, Later, ScanKind, SortKey, Tally};
use crate::Result;
use crate::depth::Parents;
use crate::device::{CarryFn, ColumnFn, Element, ExpandFn, Monoid, Outputs, RowFn, SlotsFn};
use crate::key::LiftedRow;
use crate::operators::Symbol;
use crate::text::Automaton;

/// The columns of a template's results `O` on a backend `B`.
pub type Columns<O, B> = <O as Outputs>::Vecs<B>;

/// A call that [`Backend`](crate::Backend) has checked. Only treepar makes it.
#[non_exhaustive]
pub struct Run<'a, F: ColumnFn, B: Backend + 'a> {
    /// The number of rows.
    pub n: usize,
    /// The columns and scalars.
    pub args: F::Args<'a, B>,
}

/// Proof that [`Backend`](crate::Backend) has checked the columns of a template without a call. Only treepar makes it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Checked;

/// How a machine followed links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Not at all: templates take less time.
    ByTemplates,
    /// To their ends. The results are complete.
    ToTheEnd,
    /// Up to this row, the first one that is on a cycle or leads to one.
    IntoCycle(usize),
}

/// A machine that holds columns and runs templates: the part of a [`Backend`](crate::Backend) that each machine writes.
///
/// Programs call the methods of [`Backend`](crate::Backend), which validate, count and allocate first. Each `run_`
/// method here may rely on that: columns belong to this executor, lengths agree, offsets are checked, and `out` has as
/// many rows as the result. Only `Backend` can call them, since only it makes a [`Run`] or a [`Checked`]. A clone is
/// another handle of the same machine.
#[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
pub trait Executor: Clone + Send + Sync {
    /// A column on this machine.
    type Vec<T: Element>: Column<Element = T, Backend = Self>;
    /// A value that this machine computes.
    type Value<T: Element>: Later<Item = T>;
    /// The bytes of rows of a column, whatever its elements are.
    type Bytes<'a>
    where
        Self: 'a;

    /// Returns whether `other` is a handle of the same machine.
    fn is(&self, other: &Self) -> bool;
    /// Returns the counts of this machine's work.
    fn tally(&self) -> &Tally;
    /// Is called before the counts are read.
    fn before_counting(&self) {}
    /// Counts `bytes` bytes for each row of a column, at once or when its length is known.
    fn count_rows<T: Element>(&self, column: &Self::Vec<T>, bytes: usize) {
        self.tally().transfer(column.len() * bytes);
    }

    /// Returns the bytes of columns that stay in the cache of a worker. `None` if only large inputs run at full speed.
    fn cache_bytes(&self) -> Option<usize> {
        None
    }
    /// Returns the number of items that [`run_each`](Executor::run_each) works on at once.
    fn workers(&self) -> usize {
        1
    }
    /// Calls `work` on each item, and returns the results in order. Several calls may run at once, each with a handle
    /// that starts no other workers and has counts of its own, which are added to this handle's counts.
    fn run_each<T: Send, R: Send>(
        &self,
        _: Checked,
        items: Vec<T>,
        work: &(impl Fn(&Self, T) -> R + Sync),
    ) -> Result<Vec<R>> {
        Ok(items.into_iter().map(|item| work(self, item)).collect())
    }

    /// Returns a column of `n` rows with unspecified contents.
    fn run_allocate<T: Element>(&self, checked: Checked, n: usize) -> Result<Self::Vec<T>>;
    /// Copies rows from the host to the first rows of `column`, which has at least as many.
    fn run_upload<T: Element>(&self, checked: Checked, column: &mut Self::Vec<T>, rows: &[T]) -> Result<()>;
    /// Copies the rows of `column` that begin at row `first` to the host.
    fn run_download<T: Element>(
        &self,
        checked: Checked,
        column: &Self::Vec<T>,
        first: usize,
        rows: &mut [T],
    ) -> Result<()>;
    /// Returns the bytes of some rows of a column, for [`run_download_all`](Self::run_download_all).
    fn bytes<'a, T: Element>(&self, checked: Checked, column: &'a Self::Vec<T>, rows: Range<usize>) -> Self::Bytes<'a>;
    /// Copies bytes of columns to the host. Each of `rows` has as many as its column gives.
    fn run_download_all(&self, checked: Checked, columns: &[Self::Bytes<'_>], rows: &mut [&mut [u8]]) -> Result<()>;
    /// Sets each row to `value`.
    fn run_fill<T: Element>(&self, checked: Checked, column: &mut Self::Vec<T>, value: T) -> Result<()>;
    /// Copies some rows of `from` to the rows of `to` that begin at row `at`.
    fn run_copy<T: Element>(
        &self,
        checked: Checked,
        to: &mut Self::Vec<T>,
        at: usize,
        from: &Self::Vec<T>,
        rows: Range<usize>,
    ) -> Result<()>;
    /// Returns the first offset, or an error at an offset that is greater than the next one, or than `n`.
    fn check_offsets(&self, offsets: &Self::Vec<u32>, n: usize) -> Result<Option<u32>>;

    /// Returns whether the host waits for the result of [`check_offsets`](Self::check_offsets).
    fn checks_wait(&self) -> bool {
        false
    }

    /// Runs [`Backend::map`](crate::Backend::map).
    fn run_map<F: RowFn<Output: Outputs>>(
        &self,
        run: Run<'_, F, Self>,
        out: &mut Columns<F::Output, Self>,
    ) -> Result<()>;
    /// Runs [`Backend::reduce`](crate::Backend::reduce).
    fn run_reduce<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(
        &self,
        run: Run<'_, F, Self>,
    ) -> Result<Self::Value<T>>;
    /// Runs [`Backend::scan`](crate::Backend::scan) and returns the total.
    fn run_scan<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(
        &self,
        kind: ScanKind,
        run: Run<'_, F, Self>,
        out: &mut Self::Vec<T>,
    ) -> Result<Self::Value<T>>;
    /// Runs [`Backend::scan_map`](crate::Backend::scan_map) and returns the total.
    fn run_scan_map<F: RowFn<Output = G::Carry>, M: Monoid<G::Carry>, G: CarryFn<Output: Outputs>>(
        &self,
        run: Run<'_, F, Self>,
        map_args: G::Args<'_, Self>,
        out: &mut Columns<G::Output, Self>,
    ) -> Result<Self::Value<G::Carry>>;
    /// Runs [`Backend::positions`](crate::Backend::positions).
    fn run_positions<F: RowFn<Output = G::Carry>, M: Monoid<G::Carry>, G: CarryFn<Output = u64>>(
        &self,
        run: Run<'_, F, Self>,
        mask_args: G::Args<'_, Self>,
    ) -> Result<Self::Vec<u32>>;
    /// Runs [`Backend::expand`](crate::Backend::expand).
    fn run_expand<F: ExpandFn<Output: Outputs>>(
        &self,
        offsets: &Self::Vec<u32>,
        run: Run<'_, F, Self>,
        out: &mut Columns<F::Output, Self>,
    ) -> Result<()>;
    /// Runs [`Backend::expand_rows`](crate::Backend::expand_rows).
    fn run_expand_rows<F: RowFn<Output = (T, T, T, T, u32)>, T: Element>(
        &self,
        run: Run<'_, F, Self>,
    ) -> Result<(Self::Vec<T>, Self::Vec<u32>)>;
    /// Runs [`Backend::compact`](crate::Backend::compact).
    fn run_compact<F: RowFn<Output = bool>>(&self, run: Run<'_, F, Self>) -> Result<Self::Vec<u32>>;
    /// Runs [`Backend::partition`](crate::Backend::partition).
    fn run_partition<F: RowFn<Output = bool>>(&self, run: Run<'_, F, Self>) -> Result<(Self::Vec<u32>, usize)>;
    /// Runs [`Backend::scatter`](crate::Backend::scatter).
    fn run_scatter<T: Element>(
        &self,
        checked: Checked,
        target: &mut Self::Vec<T>,
        indices: &Self::Vec<u32>,
        values: &Self::Vec<T>,
    ) -> Result<()>;
    /// Runs [`Backend::previous_smaller`](crate::Backend::previous_smaller).
    fn run_previous_smaller(&self, checked: Checked, keys: &Self::Vec<u32>, out: &mut Self::Vec<u32>) -> Result<()>;
    /// Runs [`Backend::next_smaller_or_equal`](crate::Backend::next_smaller_or_equal).
    fn run_next_smaller_or_equal(
        &self,
        checked: Checked,
        keys: &Self::Vec<u32>,
        out: &mut Self::Vec<u32>,
    ) -> Result<()>;
    /// Runs [`Backend::nearest_smaller`](crate::Backend::nearest_smaller).
    fn run_nearest_smaller(
        &self,
        checked: Checked,
        keys: &Self::Vec<u32>,
        previous: &mut Self::Vec<u32>,
        next: &mut Self::Vec<u32>,
    ) -> Result<()>;
    /// Runs [`Backend::operators`](crate::Backend::operators); returns the depth and the symbol's row of each node.
    fn run_operators(&self, checked: Checked, symbols: &Self::Vec<Symbol>) -> Result<(Self::Vec<u32>, Self::Vec<u32>)>;
    /// Runs [`previous_within`](crate::group::previous_within) and returns `true`, if it takes less time so than by
    /// templates.
    fn run_previous_within(
        &self,
        _checked: Checked,
        _groups: &Self::Vec<u32>,
        _keys: &Self::Vec<u32>,
        _out: &mut Self::Vec<u32>,
    ) -> Result<bool> {
        Ok(false)
    }
    /// Returns `true` if depths are known to be those of a forest. A backend that finds it out by a template only returns `false`.
    fn keeps_depth_rule(&self, _checked: Checked, _depth: &Self::Vec<u32>) -> Result<bool> {
        Ok(false)
    }
    /// Returns `true` if a column is known to have the parents of a forest. A backend that finds it out by templates only returns `false`.
    fn keeps_parent_rule(&self, _checked: Checked, _parent: &Self::Vec<u32>) -> Result<bool> {
        Ok(false)
    }
    /// Returns `true` if numbers are known to be below a limit. A backend that finds it out by a template only returns `false`.
    fn are_below(&self, _checked: Checked, _numbers: &Self::Vec<u32>, _limit: usize) -> Result<bool> {
        Ok(false)
    }
    /// Runs [`text::nested`](crate::text::nested()) of words of one length, if it takes less time so than by templates.
    #[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
    fn run_nested(
        &self,
        _checked: Checked,
        _marks: &Self::Vec<u64>,
        _opens: &Self::Vec<u64>,
        _closes: &Self::Vec<u64>,
    ) -> Result<Option<(Self::Vec<u32>, Self::Vec<u32>)>> {
        Ok(None)
    }
    /// Runs [`Automaton::states_later`](crate::text::Automaton::states_later), if it takes less time so than by templates. Returns the
    /// states of a text's bytes, and in the lowest four bits the state after the first `n`, which the column has.
    #[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
    fn run_states(
        &self,
        _checked: Checked,
        _kind: ScanKind,
        _text: &Self::Vec<u64>,
        _n: usize,
        _automaton: &Automaton<Self>,
    ) -> Result<Option<(Self::Vec<u64>, Self::Value<u64>)>> {
        Ok(None)
    }
    /// Runs [`text::of_rows`](crate::text::of_rows()), if it takes less time so than by templates. The rows' texts have `run.n` bytes, and the
    /// result has `words` words.
    fn run_text_of_rows<F: ExpandFn<Output = u64>>(
        &self,
        _offsets: &Self::Vec<u32>,
        _run: Run<'_, F, Self>,
        _words: usize,
    ) -> Result<Option<Self::Vec<u64>>> {
        Ok(None)
    }
    /// Runs [`compact::gather`](crate::compact::gather()), if it takes less time so than by templates and `values` has all rows.
    fn run_gather<T: Element>(
        &self,
        _checked: Checked,
        _values: &Self::Vec<T>,
        _rows: &Self::Vec<u32>,
    ) -> Result<Option<Self::Vec<T>>> {
        Ok(None)
    }
    /// Runs [`Depths::under_marked`](crate::depth::Depths::under_marked), if it takes less time so than by templates. With `itself` a
    /// marked node is among its ancestors.
    fn run_under_marked(
        &self,
        _checked: Checked,
        _depth: &Self::Vec<u32>,
        _mark: &Self::Vec<u8>,
        _itself: bool,
    ) -> Result<Option<Self::Vec<u8>>> {
        Ok(None)
    }
    /// Runs [`Depths::subtree_sums`](crate::depth::Depths::subtree_sums) by the monoid of the sum, if it takes less time so than by
    /// templates.
    fn run_subtree_sums<T: Element, M: Monoid<T>>(
        &self,
        _checked: Checked,
        _depth: &Self::Vec<u32>,
        _values: &Self::Vec<T>,
    ) -> Result<Option<Self::Vec<T>>> {
        Ok(None)
    }
    /// Runs [`Depths::brackets`](crate::depth::Depths::brackets), if it takes less time so than by templates.
    fn run_brackets(&self, _checked: Checked, _depth: &Self::Vec<u32>) -> Result<Option<Self::Vec<u8>>> {
        Ok(None)
    }
    /// Returns the depths of [`Depths::from_brackets`](crate::depth::Depths::from_brackets), if it takes less time so than by templates
    /// and brackets are balanced.
    fn run_from_brackets(&self, _checked: Checked, _brackets: &Self::Vec<u8>) -> Result<Option<Self::Vec<u32>>> {
        Ok(None)
    }
    /// Runs [`Depths::child_indices`](crate::depth::Depths::child_indices) and returns `true`, if it takes less time so than by
    /// templates.
    fn run_child_indices(&self, _checked: Checked, _depth: &Self::Vec<u32>, _out: &mut Self::Vec<u32>) -> Result<bool> {
        Ok(false)
    }
    /// Runs [`Depths::level_order`](crate::depth::Depths::level_order), if it takes less time so than by templates.
    #[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
    fn run_level_order(
        &self,
        _checked: Checked,
        _depth: &Self::Vec<u32>,
    ) -> Result<Option<(Self::Vec<u32>, Self::Vec<u32>)>> {
        Ok(None)
    }
    /// Returns rows in the order of their keys, and where groups of equal keys begin there, if it takes less time so than by a sort.
    #[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
    fn run_group(&self, _checked: Checked, _keys: &Self::Vec<u32>) -> Result<Option<(Self::Vec<u32>, Self::Vec<u32>)>> {
        Ok(None)
    }
    /// Runs [`list::ranks`](crate::list::ranks), if it takes less time so than by templates.
    fn run_list_ranks(&self, _checked: Checked, _next: &Self::Vec<u32>, _out: &mut Self::Vec<u32>) -> Result<Followed> {
        Ok(Followed::ByTemplates)
    }
    /// Runs [`Depths::from_unordered_parents`](crate::depth::Depths::from_unordered_parents), if it takes less time so than by
    /// templates.
    fn run_preorder(
        &self,
        _checked: Checked,
        _parent: &Self::Vec<u32>,
        _depth: &mut Self::Vec<u32>,
        _row: &mut Self::Vec<u32>,
    ) -> Result<Followed> {
        Ok(Followed::ByTemplates)
    }
    /// Runs [`key::lift`](crate::key::lift()), if it takes less time so than by templates. Returns the columns that `row` chooses.
    fn run_lift<O: Outputs>(
        &self,
        _checked: Checked,
        _depth: &Self::Vec<u32>,
        _mark: &Self::Vec<u8>,
        _backwards: bool,
        _row: &(impl Fn(LiftedRow) -> O + Sync),
    ) -> Result<Option<Columns<O, Self>>> {
        Ok(None)
    }
    /// Runs [`Backend::walk_down`](crate::Backend::walk_down).
    fn run_walk_down<F: CarryFn<Output = <F as CarryFn>::Carry>>(
        &self,
        parents: &Parents<Self>,
        root: F::Carry,
        run: Run<'_, F, Self>,
        out: &mut Self::Vec<F::Carry>,
    ) -> Result<()>;
    /// Runs [`Backend::walk_up`](crate::Backend::walk_up).
    fn run_walk_up<F: CarryFn<Output = <F as CarryFn>::Carry>, M: Monoid<F::Carry>>(
        &self,
        parents: &Parents<Self>,
        run: Run<'_, F, Self>,
        out: &mut Self::Vec<F::Carry>,
    ) -> Result<()>;
    /// Runs [`Backend::walk_slots`](crate::Backend::walk_slots); `values` has `slots` rows per node, all absent.
    fn run_walk_slots<F: SlotsFn>(
        &self,
        parents: &Parents<Self>,
        child: &Self::Vec<u32>,
        slots: usize,
        run: Run<'_, F, Self>,
        values: &mut Self::Vec<F::Output>,
        out: &mut Self::Vec<F::Output>,
    ) -> Result<()>;
    /// Runs [`Backend::segmented_scan`](crate::Backend::segmented_scan).
    fn run_segmented_scan<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(
        &self,
        kind: ScanKind,
        offsets: &Self::Vec<u32>,
        run: Run<'_, F, Self>,
        out: &mut Self::Vec<T>,
    ) -> Result<()>;
    /// Runs [`Backend::segmented_reduce`](crate::Backend::segmented_reduce).
    fn run_segmented_reduce<F: RowFn<Output = T>, M: Monoid<T>, T: Element>(
        &self,
        offsets: &Self::Vec<u32>,
        run: Run<'_, F, Self>,
        out: &mut Self::Vec<T>,
    ) -> Result<()>;
    /// Runs [`Backend::histogram`](crate::Backend::histogram).
    fn run_histogram(&self, checked: Checked, keys: &Self::Vec<u32>, out: &mut Self::Vec<u32>) -> Result<()>;
    /// Runs [`Backend::accumulate`](crate::Backend::accumulate).
    fn run_accumulate<F: RowFn<Output = (u32, u32)>>(
        &self,
        run: Run<'_, F, Self>,
        out: &mut Self::Vec<u32>,
    ) -> Result<()>;
    /// Runs [`Backend::intern`](crate::Backend::intern).
    fn run_intern<F: RowFn<Output = u64>>(&self, run: Run<'_, F, Self>, out: &mut Self::Vec<u32>) -> Result<()>;
    /// Runs [`Backend::sort_by_key`](crate::Backend::sort_by_key), or with bits
    /// [`Backend::sort_by_key_bits`](crate::Backend::sort_by_key_bits); also returns the number of digits that it sorts by.
    fn run_sort_by_key<K: SortKey>(
        &self,
        checked: Checked,
        keys: &Self::Vec<K>,
        payload: &Self::Vec<u32>,
        bits: Option<K>,
    ) -> Result<(Self::Vec<K>, Self::Vec<u32>, usize)>;
}
