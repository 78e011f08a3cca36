//! Segments: runs of rows, given by where each begins.
//!
//! ```text
//! rows     5 5 2 7 7 7        offsets  0 2 3 3     four segments: rows 0 and 1, row 2, none, rows 3 to 5
//! ```
//!
//! Offsets do not fall; the last segment ends with the rows. Rows before the first offset belong to no segment: a
//! reduction leaves them out, a scan gives them a scan of their own.

use crate::backend::ScanKind;
use crate::device::device;
use crate::monoid::PlainMonoid;
use crate::{Backend, Column, Result};

/// The scan of each segment of a column by a monoid of [`monoid`](crate::monoid).
///
/// # Shape    offsets\[s\] u32, column\[n\] -> prefix\[n\]
/// # Cost     work O(n + s), one segmented scan
/// # Errors   [`Error::InvalidOffset`](crate::Error::InvalidOffset) if offsets fall or end behind the rows
/// # Source   Key paper, section 2.2
/// # Example
/// ```
/// use treepar::{Backend, Cpu, backend::ScanKind, monoid::sum_u32, segment};
/// let cpu = Cpu::new();
/// let (offsets, column) = (cpu.upload(&[0, 2, 3, 3])?, cpu.upload(&[5, 5, 2, 7, 7, 7])?);
/// let sums = segment::scan::<sum_u32, _>(&cpu, ScanKind::Inclusive, &offsets, &column)?;
/// assert_eq!(cpu.download(&sums)?, [5, 10, 2, 7, 14, 21]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn scan<M, B>(backend: &B, kind: ScanKind, offsets: &B::Vec<u32>, column: &B::Vec<M::T>) -> Result<B::Vec<M::T>>
where
    B: Backend,
    M: PlainMonoid,
{
    backend.segmented_scan::<M::Reader, M>(kind, offsets, column.len(), M::row::<B>(column))
}

/// All rows of each segment of a column by a monoid of [`monoid`](crate::monoid); its identity for an empty segment.
///
/// # Shape    offsets\[s\] u32, column\[n\] -> total\[s\]
/// # Cost     work O(n + s), one segmented reduce
/// # Errors   [`Error::InvalidOffset`](crate::Error::InvalidOffset) if offsets fall or end behind the rows
/// # Source   Key paper, section 2.2
/// # Example
/// ```
/// use treepar::{Backend, Cpu, monoid::max_u32, segment};
/// let cpu = Cpu::new();
/// let (offsets, column) = (cpu.upload(&[0, 2, 3, 3])?, cpu.upload(&[5, 6, 2, 7, 9, 8])?);
/// assert_eq!(cpu.download(&segment::reduce::<max_u32, _>(&cpu, &offsets, &column)?)?, [6, 2, 0, 9]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn reduce<M, B>(backend: &B, offsets: &B::Vec<u32>, column: &B::Vec<M::T>) -> Result<B::Vec<M::T>>
where
    B: Backend,
    M: PlainMonoid,
{
    backend.segmented_reduce::<M::Reader, M>(offsets, column.len(), M::row::<B>(column))
}

#[device(compact)]
fn starts_run(i: usize, column: &[u32]) -> bool {
    i == 0 || column[i] != column[i - 1]
}

/// Where each run of equal rows begins.
///
/// # Shape    column\[n\] u32 -> offset\[s\] u32
/// # Cost     work O(n), one compact
/// # Errors   none but the machine's
/// # Source   run-length encoding, of which these are the heads
/// # Example
/// ```
/// use treepar::{Backend, Cpu, segment::runs};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&runs(&cpu, &cpu.upload(&[5, 5, 2, 7, 7, 7])?)?)?, [0, 2, 3]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn runs<B: Backend>(backend: &B, column: &B::Vec<u32>) -> Result<B::Vec<u32>> {
    backend.compact::<starts_run>(column.len(), (column,))
}

#[device(map)]
fn length(s: usize, offsets: &[u32], n: u32) -> u32 {
    let end = if s + 1 < offsets.len() { offsets[s + 1] } else { n };
    end.wrapping_sub(offsets[s])
}

/// Number of rows of each segment of `n` rows.
///
/// # Shape    offsets\[s\] u32, n -> length\[s\] u32
/// # Cost     work O(s), one map
/// # Errors   none but the machine's
/// # Source   the inverse of [`offsets`](crate::scan::offsets)
/// # Example
/// ```
/// use treepar::{Backend, Cpu, segment::lengths};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&lengths(&cpu, &cpu.upload(&[0, 2, 3, 3])?, 6)?)?, [2, 1, 0, 3]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn lengths<B: Backend>(backend: &B, offsets: &B::Vec<u32>, n: usize) -> Result<B::Vec<u32>> {
    backend.map::<length>(offsets.len(), (offsets, n as u32))
}

#[device(expand)]
fn owner_of(owner: usize, _k: usize) -> u32 {
    owner as u32
}

/// The segment of each of `n` rows.
///
/// # Shape    offsets\[s\] u32 from 0 on, n -> segment\[n\] u32
/// # Cost     work O(n + s), one expand
/// # Errors   none but the machine's
/// # Source   APL's replicate, `/`, of the segments by their lengths
/// # Example
/// ```
/// use treepar::{Backend, Cpu, segment::owners};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&owners(&cpu, &cpu.upload(&[0, 2, 3, 3])?, 6)?)?, [0, 0, 1, 3, 3, 3]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn owners<B: Backend>(backend: &B, offsets: &B::Vec<u32>, n: usize) -> Result<B::Vec<u32>> {
    backend.expand::<owner_of>(offsets, n, ())
}
