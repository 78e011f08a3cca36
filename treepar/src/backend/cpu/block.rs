//! Blocks of rows, and the readers of loops over a block.

use std::ops::Range;

use super::Cpu;
use crate::device::{ColumnFn, RowFn};

/// Neighbouring rows that one thread works on.
///
/// Rows have numbers below 2^32. Since the optimizer sees that here, it knows that row `first + k` is before the block's end for
/// each `k` below its number of rows, and drops the checks of slices that end there.
#[derive(Clone, Copy)]
pub struct Block {
    first: u32,
    rows: u32,
}

impl Block {
    /// Returns the block of some rows.
    #[inline(always)]
    pub fn new(rows: Range<usize>) -> Block {
        debug_assert!(
            rows.start <= rows.end && u32::try_from(rows.end).is_ok(),
            "rows have numbers below 2^32: {rows:?}"
        );
        Block { first: rows.start as u32, rows: (rows.end - rows.start) as u32 }
    }

    /// Returns the first row.
    #[inline(always)]
    pub fn first(self) -> usize {
        self.first as usize
    }

    /// Returns the number of rows.
    #[inline(always)]
    pub fn rows(self) -> usize {
        self.rows as usize
    }

    /// Returns the row after the last.
    #[inline(always)]
    pub fn end(self) -> usize {
        self.first() + self.rows()
    }

    /// Calls `work` with 0, 1, .. and the block's rows of `reader`.
    ///
    /// The loop has a reader of its own. It would read a borrowed one again after each write.
    #[inline(always)]
    pub fn each<R: Reader>(self, reader: R, mut work: impl FnMut(usize, R::Row)) {
        let reader = reader.until(self.end());
        for k in 0..self.rows() {
            work(k, reader.row(self.first() + k));
        }
    }
}

/// A value for each row.
pub trait Reader: Copy + Send + Sync {
    /// The type of a value.
    type Row;
    /// Returns the value of row `i`.
    fn row(self, i: usize) -> Self::Row;
    /// Returns the reader of the rows before `end`, which reads them without checks where the optimizer sees that they are there.
    #[inline(always)]
    fn until(self, _end: usize) -> Self {
        self
    }
}

impl<T, F: Fn(usize) -> T + Copy + Send + Sync> Reader for F {
    type Row = T;
    #[inline(always)]
    fn row(self, i: usize) -> T {
        self(i)
    }
}

/// A device function with its columns and scalars.
///
/// It is inlined into each loop that calls it. A call would pass a struct through memory: it would be written in parts and read as a
/// whole, and a processor waits for such a read.
pub struct Bound<'a, F: ColumnFn>(F::HostArgs<'a>);

impl<'a, F: ColumnFn> Bound<'a, F> {
    /// Returns a function with these columns and scalars.
    #[inline(always)]
    pub fn new(args: F::Args<'a, Cpu>) -> Self {
        Bound(F::host_args(args))
    }

    /// Returns its columns and scalars.
    #[inline(always)]
    pub fn args(self) -> F::HostArgs<'a> {
        self.0
    }

    /// As [`Reader::until`].
    #[inline(always)]
    pub fn before(self, end: usize) -> Self {
        Bound(F::until(self.0, end))
    }
}

impl<F: ColumnFn> Clone for Bound<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: ColumnFn> Copy for Bound<'_, F> {}

impl<F: RowFn> Reader for Bound<'_, F> {
    type Row = F::Output;
    #[inline(always)]
    fn row(self, i: usize) -> F::Output {
        F::call(i, self.args())
    }
    #[inline(always)]
    fn until(self, end: usize) -> Self {
        self.before(end)
    }
}
