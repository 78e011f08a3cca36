//! Scans and reductions of plain columns.

use crate::backend::ScanKind;
use crate::monoid::{PlainMonoid, sum_u32};
use crate::{Backend, Column, Result};

/// All prefixes of a column by a monoid of [`monoid`](crate::monoid), and the whole.
///
/// # Shape    column\[n\] -> prefix\[n\], total
/// # Cost     work O(n), one scan, each element read and each prefix written once
/// # Errors   none but the machine's
/// # Source   Key paper, section 2.2: scan, APL's `\`
/// # Example
/// ```
/// use treepar::{Backend, Cpu, backend::ScanKind, monoid::{max_u32, sum_u32}, scan::scan};
/// let cpu = Cpu::new();
/// let column = cpu.upload(&[3, 1, 4, 1])?;
/// let (sums, total) = scan::<sum_u32, _>(&cpu, ScanKind::Exclusive, &column)?;
/// assert_eq!((cpu.download(&sums)?, total), (vec![0, 3, 4, 8], 9));
/// let (greatest, _) = scan::<max_u32, _>(&cpu, ScanKind::Inclusive, &column)?;
/// assert_eq!(cpu.download(&greatest)?, [3, 3, 4, 4]);
/// # Ok::<(), treepar::Error>(())
/// ```
#[expect(clippy::type_complexity, reason = "the columns and the whole, as the template returns them")]
pub fn scan<M, B>(backend: &B, kind: ScanKind, column: &B::Vec<M::T>) -> Result<(B::Vec<M::T>, M::T)>
where
    B: Backend,
    M: PlainMonoid,
{
    backend.scan::<M::Reader, M>(kind, column.len(), M::row::<B>(column))
}

/// All rows of a column by a monoid of [`monoid`](crate::monoid); its identity for no rows.
///
/// # Shape    column\[n\] -> total
/// # Cost     work O(n), one reduce, each element read once
/// # Errors   none but the machine's
/// # Source   Key paper, section 2.2: reduce, APL's `/`
/// # Example
/// ```
/// use treepar::{Backend, Cpu, monoid::{first_u32, min_i32}, scan::reduce};
/// let cpu = Cpu::new();
/// assert_eq!(reduce::<min_i32, _>(&cpu, &cpu.upload(&[3, -1, 4])?)?, -1);
/// assert_eq!(reduce::<first_u32, _>(&cpu, &cpu.upload(&[u32::MAX, 7, 5])?)?, 7);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn reduce<M, B>(backend: &B, column: &B::Vec<M::T>) -> Result<M::T>
where
    B: Backend,
    M: PlainMonoid,
{
    backend.reduce::<M::Reader, M>(column.len(), M::row::<B>(column))
}

/// Where each row's items begin when row `i` has `counts[i]` of them, and how many there are.
///
/// # Shape    counts\[n\] u32 -> offset\[n\] u32, total
/// # Cost     work O(n), one exclusive scan, 8 bytes a row
/// # Errors   none but the machine's; a total beyond u32 wraps
/// # Source   Pareas, section 4.3: instruction offsets
/// # Example
/// ```
/// use treepar::{Backend, Cpu, scan::offsets};
/// let cpu = Cpu::new();
/// let (offset, total) = offsets(&cpu, &cpu.upload(&[2, 0, 3])?)?;
/// assert_eq!((cpu.download(&offset)?, total), (vec![0, 2, 2], 5));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn offsets<B: Backend>(backend: &B, counts: &B::Vec<u32>) -> Result<(B::Vec<u32>, u32)> {
    scan::<sum_u32, B>(backend, ScanKind::Exclusive, counts)
}
