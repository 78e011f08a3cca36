//! Scans of plain columns.

use crate::backend::ScanKind;
use crate::monoid::{element_u32, sum_u32};
use crate::{Backend, Column, Result};

/// Where each row's items begin when row `i` has `counts[i]` of them, and how many there are.
///
/// # Shape    counts\[n\] u32 -> offset\[n\] u32, total
/// # Cost     work O(n), one exclusive scan, 8 bytes a row
/// # Example
/// ```
/// use treepar::{Backend, Cpu, scan::offsets};
/// let cpu = Cpu::new();
/// let (offset, total) = offsets(&cpu, &cpu.upload(&[2, 0, 3])?)?;
/// assert_eq!((cpu.download(&offset)?, total), (vec![0, 2, 2], 5));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn offsets<B: Backend>(backend: &B, counts: &B::Vec<u32>) -> Result<(B::Vec<u32>, u32)> {
    backend.scan::<element_u32, sum_u32>(ScanKind::Exclusive, counts.len(), (counts,))
}
