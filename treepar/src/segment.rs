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
use crate::monoid::Sum;
use crate::{Backend, Column, Result};

/// Returns the offset of each segment from the lengths of the segments, and the number of rows.
///
/// # Shape    length\[s\] u32 -> offset\[s\] u32, n
/// # Cost     work O(s), one exclusive scan, 8 bytes per segment
/// # Errors   only general ones; a total above `u32::MAX` wraps
/// # Source   Pareas, section 4.3: instruction offsets
/// # Example
/// ```
/// use treepar::{prelude::*, segment::offsets};
/// let cpu = Cpu::new();
/// let (offset, total) = offsets(&cpu.upload(&[2, 0, 3])?)?;
/// assert_eq!((cpu.download(&offset)?, total), (vec![0, 2, 2], 5));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn offsets<B: Backend>(lengths: &impl Column<Element = u32, Backend = B>) -> Result<(B::Vec<u32>, u32)> {
    lengths.backend().scan(ScanKind::Exclusive, lengths, Sum)
}

#[device(compact)]
fn starts_run(i: usize, column: &[u32]) -> bool {
    i == 0 || column[i] != column[i - 1]
}

/// Where each run of equal rows begins.
///
/// # Shape    column\[n\] u32 -> offset\[s\] u32
/// # Cost     work O(n), one compact, 4 bytes per row and 4 per run
/// # Errors   only general ones
/// # Source   run-length encoding, of which these are the heads
/// # Example
/// ```
/// use treepar::{Backend, Cpu, segment::runs};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&runs(&cpu.upload(&[5, 5, 2, 7, 7, 7])?)?)?, [0, 2, 3]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn runs<B: Backend>(column: &impl Column<Element = u32, Backend = B>) -> Result<B::Vec<u32>> {
    column.backend().compact(starts_run::of(column))
}

#[device(map)]
fn length(s: usize, offsets: &[u32], n: u32) -> u32 {
    let end = if s + 1 < offsets.len() { offsets[s + 1] } else { n };
    end.wrapping_sub(offsets[s])
}

/// Returns the number of rows of each segment of `n` rows.
///
/// # Shape    offsets\[s\] u32, n -> length\[s\] u32
/// # Cost     work O(s), one map, 8 bytes per segment
/// # Errors   only general ones
/// # Source   the inverse of [`offsets`]
/// # Example
/// ```
/// use treepar::{Backend, Cpu, segment::lengths};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&lengths(&cpu.upload(&[0, 2, 3, 3])?, 6)?)?, [2, 1, 0, 3]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn lengths<B: Backend>(offsets: &impl Column<Element = u32, Backend = B>, n: usize) -> Result<B::Vec<u32>> {
    offsets.backend().map(length::of(offsets, n as u32))
}

#[device(expand)]
fn owner_of(owner: usize, _k: usize) -> u32 {
    owner as u32
}

/// The segment of each of `n` rows.
///
/// # Shape    offsets\[s\] u32 from 0 on, n -> segment\[n\] u32
/// # Cost     work O(n + s), one expand, 4 bytes per segment and 4 per row
/// # Errors   only general ones
/// # Source   APL's replicate, `/`, of the segments by their lengths
/// # Example
/// ```
/// use treepar::{Backend, Cpu, segment::owners};
/// let cpu = Cpu::new();
/// assert_eq!(cpu.download(&owners(&cpu.upload(&[0, 2, 3, 3])?, 6)?)?, [0, 0, 1, 3, 3, 3]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn owners<B: Backend>(offsets: &impl Column<Element = u32, Backend = B>, n: usize) -> Result<B::Vec<u32>> {
    offsets.backend().expand(offsets.as_vec(), n, owner_of::of())
}
