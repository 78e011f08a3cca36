//! Rows of a column that other columns name or mark.
//!
//! [`Backend::compact`] returns the rows that a mask marks, and [`Backend::partition`] returns these and then the others.

use crate::backend::{Checked, check_length, own};
use crate::device::device;
use crate::monoid::Number;
use crate::sort::check_rows;
use crate::{Backend, Column, Result};

/// Returns whether a mask marks row `i`.
#[device(compact)]
pub fn is_marked(i: usize, mask: &[u8]) -> bool {
    mask[i] != 0
}

/// Returns row `rows[i]` of a column, for each `i`.
///
/// # Shape    values\[n\], rows\[m\] u32, each below n -> value\[m\]
/// # Cost     work O(m), one reduce, which finds rows outside, and one map, which are one pass on the CPU; memory is read in the order of
///   `rows`
/// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) at the first row that the column does not have
/// # Source   Key paper, section 2.2: indexing by an array
/// # Example
/// ```
/// use treepar::{Backend, Cpu, compact::gather};
/// let cpu = Cpu::new();
/// let values = cpu.upload(&[1.5f32, 2.5, 3.5])?;
/// assert_eq!(cpu.download(&gather(&values, &cpu.upload(&[2, 0])?)?)?, [3.5, 1.5]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn gather<T: Number, B: Backend>(
    values: &impl Column<Element = T, Backend = B>,
    rows: &B::Vec<u32>,
) -> Result<B::Vec<T>> {
    let backend = values.backend();
    own(backend, rows)?;
    if let Some(gathered) = backend.run_gather(Checked, values.as_vec(), rows)? {
        return Ok(gathered);
    }
    check_rows("rows", rows, values.len())?;
    gather_inside(values, rows)
}

/// Runs [`gather`] with rows that are known to be inside.
pub(crate) fn gather_inside<T: Number, B: Backend>(
    values: &impl Column<Element = T, Backend = B>,
    rows: &B::Vec<u32>,
) -> Result<B::Vec<T>> {
    rows.backend().map(T::gather::<B>(values.as_vec(), rows))
}

/// Returns the marked rows of a column.
///
/// # Shape    values\[n\], mask\[n\] (0 or not) -> value\[m\]
/// # Cost     work O(n), one compact and one map, of u32 5 bytes per row and 12 per kept row; for several columns use [`Backend::compact`] once and [`gather`] for each
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
/// # Source   APL's compress, `/`
/// # Example
/// ```
/// use treepar::{Backend, Cpu, compact::compress};
/// let cpu = Cpu::new();
/// let (values, mask) = (cpu.upload(&[7, 8, 9])?, cpu.upload(&[1u8, 0, 1])?);
/// assert_eq!(cpu.download(&compress(&values, &mask)?)?, [7, 9]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn compress<T: Number, B: Backend>(
    values: &impl Column<Element = T, Backend = B>,
    mask: &B::Vec<u8>,
) -> Result<B::Vec<T>> {
    check_length("mask", values.len(), mask.len())?;
    gather_inside(values, &mask.backend().compact(mask)?)
}
