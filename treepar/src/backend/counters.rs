//! What a backend has done, counted alike on every machine.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Backend, SortKey};
use crate::device::{ArgVisitor, ColumnFn, Element};

/// What a backend has done since it was made: the work of passes, as bytes that must move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Templates run. A machine may need several kernels for one, and runs none for no rows.
    pub templates: u64,
    /// Bytes of the columns that they read and wrote, each counted once, and of what went between host and machine.
    pub bytes: u64,
}

/// Counts for all threads that use a backend.
#[derive(Default)]
pub(super) struct Tally {
    templates: AtomicU64,
    bytes: AtomicU64,
}

impl Tally {
    /// One template that reads `args`, and moves `bytes` besides.
    pub fn device_function<F: ColumnFn, B: Backend>(&self, args: F::Args<'_, B>, bytes: usize) {
        let mut read = ReadBytes(bytes);
        F::visit::<B>(args, &mut read);
        self.template(read.0);
    }

    /// One template that reads the columns of two device functions, and moves `bytes` besides.
    pub fn scan_map<F: ColumnFn, G: ColumnFn, B: Backend>(
        &self,
        scan_args: F::Args<'_, B>,
        map_args: G::Args<'_, B>,
        bytes: usize,
    ) {
        let mut read = ReadBytes(bytes);
        F::visit::<B>(scan_args, &mut read);
        G::visit::<B>(map_args, &mut read);
        self.template(read.0);
    }

    /// One template that moves `bytes`.
    pub fn template(&self, bytes: usize) {
        self.templates.fetch_add(1, Ordering::Relaxed);
        self.transfer(bytes);
    }

    /// `bytes` that go between host and machine.
    pub fn transfer(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// All so far.
    pub fn counters(&self) -> Counters {
        Counters { templates: self.templates.load(Ordering::Relaxed), bytes: self.bytes.load(Ordering::Relaxed) }
    }
}

/// What a sort moves: keys are read once to find the digits in which they differ; keys and payload are moved for each of
/// these, and copied where there is none.
pub(super) fn sort_bytes<K: SortKey>(n: usize, digits: usize) -> usize {
    n * (size_of::<K>() + 2 * (size_of::<K>() + size_of::<u32>()) * digits.max(1))
}

/// Sums up the bytes of columns.
struct ReadBytes(usize);

impl<B: Backend> ArgVisitor<B> for ReadBytes {
    fn column<T: Element>(&mut self, column: &B::Vec<T>) {
        self.0 += super::Column::len(column) * size_of::<T>();
    }
    fn scalar<T: bytemuck::NoUninit>(&mut self, _: T) {}
}
