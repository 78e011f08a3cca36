//! Values that a backend computes, and that the host may read later.

use super::{Backend, Checked, Executor, host_rows, own};
use crate::device::Element;
use crate::{Column, Result};

/// A value that a backend computes: the total of a scan, or the result of a reduction.
///
/// On a GPU the work that computes it may still run. The first read waits, and brings the values of all earlier calls. So a
/// program that reads the values of several calls after the last call waits once. On a CPU the value is known at once.
///
/// ```
/// use treepar::prelude::*;
///
/// let cpu = Cpu::new();
/// let x = cpu.upload(&[3, 1, 2])?;
/// let (greatest, sum) = (cpu.reduce_later(&x, Max)?, cpu.reduce_later(&x, Sum)?);
/// assert_eq!((greatest.read()?, sum.read()?), (3, 6));
/// # Ok::<(), treepar::Error>(())
/// ```
pub trait Later: Send + Sync {
    /// The type of the value.
    type Item;

    /// Returns the value. Waits if the host does not know it yet.
    ///
    /// # Errors
    /// Only general ones of the backend.
    fn read(&self) -> Result<Self::Item>;
}

/// A value that is known at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known<T>(pub T);

impl<T: Element> Later for Known<T> {
    type Item = T;

    fn read(&self) -> Result<T> {
        Ok(self.0)
    }
}

/// Columns that are copied to the host together, which waits once.
///
/// ```
/// use treepar::backend::Downloads;
/// use treepar::prelude::*;
///
/// let cpu = Cpu::new();
/// let (x, y) = (cpu.upload(&[1u32, 2])?, cpu.upload(&[3u64])?);
/// let (mut xs, mut ys) = (Vec::new(), Vec::new());
/// let mut downloads = Downloads::new(&cpu);
/// downloads.add(&x, &mut xs)?;
/// downloads.add(&y, &mut ys)?;
/// downloads.run()?;
/// assert_eq!((xs, ys), (vec![1, 2], vec![3]));
///
/// let mut second = [0; 4];
/// let mut downloads = Downloads::new(&cpu);
/// downloads.add_bytes(&x, 1, &mut second)?;
/// downloads.run()?;
/// assert_eq!(u32::from_ne_bytes(second), 2);
/// # Ok::<(), treepar::Error>(())
/// ```
pub struct Downloads<'a, B: Backend + 'a> {
    backend: &'a B,
    columns: Vec<<B as Executor>::Bytes<'a>>,
    rows: Vec<&'a mut [u8]>,
}

impl<'a, B: Backend> Downloads<'a, B> {
    /// Returns no downloads.
    pub fn new(backend: &'a B) -> Downloads<'a, B> {
        Downloads { backend, columns: Vec::new(), rows: Vec::new() }
    }

    /// Adds a column. Replaces `rows` by as many rows, which [`run`](Downloads::run) fills. Waits if a GPU still counts the
    /// column's rows.
    ///
    /// # Errors
    /// [`OtherBackend`](crate::Error::OtherBackend), and [`OutOfMemory`](crate::Error::OutOfMemory) of the host.
    pub fn add<T: Element>(&mut self, column: &'a B::Vec<T>, rows: &'a mut Vec<T>) -> Result<()> {
        *rows = host_rows(column.len())?;
        self.add_to(column, rows)
    }

    /// Adds a column with as many rows as `rows`, which [`run`](Downloads::run) fills.
    ///
    /// # Errors
    /// [`OtherBackend`](crate::Error::OtherBackend), [`LengthMismatch`](crate::Error::LengthMismatch).
    pub fn add_to<T: Element>(&mut self, column: &'a B::Vec<T>, rows: &'a mut [T]) -> Result<()> {
        own(self.backend, column)?;
        super::check_length("rows", column.len(), rows.len())?;
        self.add_bytes(column, 0, bytemuck::cast_slice_mut(rows))
    }

    /// Adds the rows of a column from row `first` on, as many as `bytes` has room for, which [`run`](Downloads::run) fills. The bytes can be
    /// those of memory of another type.
    ///
    /// # Errors
    /// [`OtherBackend`](crate::Error::OtherBackend), [`LengthMismatch`](crate::Error::LengthMismatch) if a row is not whole, and
    /// [`RowOutOfRange`](crate::Error::RowOutOfRange) if the column has fewer rows.
    pub fn add_bytes<T: Element>(&mut self, column: &'a B::Vec<T>, first: usize, bytes: &'a mut [u8]) -> Result<()> {
        own(self.backend, column)?;
        let n = bytes.len() / size_of::<T>();
        super::check_length("bytes", n * size_of::<T>(), bytes.len())?;
        let end = first.saturating_add(n);
        if end > column.len() {
            return Err(crate::Error::RowOutOfRange { found: end, rows: column.len() });
        }
        self.columns.push(self.backend.bytes(Checked, column, first..end));
        self.rows.push(bytes);
        Ok(())
    }

    /// Copies all columns. Waits once, for all earlier calls.
    ///
    /// # Errors
    /// Only general ones of the backend.
    pub fn run(self) -> Result<()> {
        let Downloads { backend, columns, mut rows } = self;
        backend.run_download_all(Checked, &columns, &mut rows)?;
        backend.tally().transfer(rows.iter().map(|rows| rows.len()).sum());
        Ok(())
    }
}
