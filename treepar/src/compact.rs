//! Rows that a mask marks, and columns of them.

use crate::device::device;
use crate::monoid::Plain;
use crate::sort::check_rows;
use crate::{Backend, Column, Error, Result};

#[device(compact)]
fn is_marked(i: usize, mask: &[u8]) -> bool {
    mask[i] != 0
}

/// The marked rows, in order.
///
/// # Shape    mask\[n\] (0 or not) -> row\[m\] u32
/// # Cost     work O(n), one compact, n + 4 m bytes
/// # Errors   none but the machine's
/// # Source   APL's where, `⍸`
/// # Example
/// ```
/// use treepar::{Backend, Cpu, compact::marked};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&marked(&cpu, &cpu.upload(&[0u8, 1, 1, 0, 1])?)?)?, [1, 2, 4]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn marked<B: Backend>(backend: &B, mask: &B::Vec<u8>) -> Result<B::Vec<u32>> {
    backend.compact::<is_marked>(mask.len(), (mask,))
}

/// The marked rows, then the others, each in order; and how many are marked.
///
/// # Shape    mask\[n\] (0 or not) -> row\[n\] u32, m
/// # Cost     work O(n), one partition, 5 bytes a row
/// # Errors   none but the machine's
/// # Source   a stable sort by one bit
/// # Example
/// ```
/// use treepar::{Backend, Cpu, compact::marked_first};
/// let cpu = Cpu::new();
/// let (rows, m) = marked_first(&cpu, &cpu.upload(&[0u8, 1, 1, 0, 1])?)?;
/// assert_eq!((cpu.download(&rows)?, m), (vec![1, 2, 4, 0, 3], 3));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn marked_first<B: Backend>(backend: &B, mask: &B::Vec<u8>) -> Result<(B::Vec<u32>, usize)> {
    backend.partition::<is_marked>(mask.len(), (mask,))
}

/// Row `rows[i]` of a column, for each `i`.
///
/// # Shape    values\[n\], rows\[m\] u32, each below n -> value\[m\]
/// # Cost     work O(m), one compact, which finds rows outside, and one map; memory is read in the order of `rows`
/// # Errors   [`Error::IndexOutOfRange`] at the first row that the column does not have
/// # Source   Key paper, section 2.2: indexing by an array
/// # Example
/// ```
/// use treepar::{Backend, Cpu, compact::gather};
/// let cpu = Cpu::new();
/// let values = cpu.upload(&[1.5f32, 2.5, 3.5])?;
/// assert_eq!(cpu.download(&gather(&cpu, &values, &cpu.upload(&[2, 0])?)?)?, [3.5, 1.5]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn gather<T: Plain, B: Backend>(backend: &B, values: &B::Vec<T>, rows: &B::Vec<u32>) -> Result<B::Vec<T>> {
    check_rows(backend, "rows", rows, values.len())?;
    gather_inside(backend, values, rows)
}

/// [`gather`] of rows that are known to be inside.
pub(crate) fn gather_inside<T: Plain, B: Backend>(
    backend: &B,
    values: &B::Vec<T>,
    rows: &B::Vec<u32>,
) -> Result<B::Vec<T>> {
    backend.map::<T::Gather>(rows.len(), T::gather::<B>(values, rows))
}

/// The marked rows of a column.
///
/// # Shape    values\[n\], mask\[n\] (0 or not) -> value\[m\]
/// # Cost     work O(n), one compact and one map; of several columns use [`marked`] once and [`gather`] each
/// # Errors   [`Error::LengthMismatch`] if the columns differ in length
/// # Source   APL's compress, `/`
/// # Example
/// ```
/// use treepar::{Backend, Cpu, compact::compress};
/// let cpu = Cpu::new();
/// let (values, mask) = (cpu.upload(&[7, 8, 9])?, cpu.upload(&[1u8, 0, 1])?);
/// assert_eq!(cpu.download(&compress(&cpu, &values, &mask)?)?, [7, 9]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn compress<T: Plain, B: Backend>(backend: &B, values: &B::Vec<T>, mask: &B::Vec<u8>) -> Result<B::Vec<T>> {
    if values.len() != mask.len() {
        return Err(Error::LengthMismatch { array: "mask", expected: values.len(), found: mask.len() });
    }
    gather_inside(backend, values, &marked(backend, mask)?)
}
