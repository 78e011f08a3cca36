//! Groups: rows of equal number, anywhere among rows of other groups.

use crate::backend::{Checked, check_length, own};
use crate::device::device;
use crate::monoid::index_u32;
use crate::sort::{all_bits, sort_permutation};
use crate::{Backend, Column, Result};

/// No row.
const NONE: u32 = u32::MAX;

/// Returns the key of row `r` of the sorted groups, from the last row to the first.
#[device(map)]
fn reversed_key(r: usize, order: &[u32], keys: &[u32]) -> u32 {
    keys[order[order.len() - 1 - r] as usize]
}

/// Returns row `r` of the sorted groups, from the last row to the first, and its result.
#[device(map)]
fn nearest(r: usize, next: &[u32], order: &[u32], groups: &[u32]) -> (u32, u32) {
    let last = order.len() - 1;
    let row = order[last - r];
    let found = next[r] as usize;
    if found > last {
        return (row, NONE);
    }
    let other = order[last - found];
    // A row of an earlier group is not a result, and shows that the group has none.
    (row, if groups[other as usize] == groups[row as usize] { other } else { NONE })
}

/// Returns for each row the last earlier row of its group whose key is not greater, or `u32::MAX`.
///
/// It answers questions about nested scopes: with the name as group, and the complement of the last row that a declaration
/// reaches as key, each use finds its innermost declaration.
///
/// # Shape    groups\[n\] u32, keys\[n\] u32 -> row\[n\] u32
/// # Cost     work O(n) per 8 bits of the groups: one sort, four maps and a search; 1 pass on one thread of a CPU, 12 bytes per row
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
/// # Source   nearest smaller values (Berkman, Schieber, Vishkin 1993) per group
/// # Example
/// ```
/// use treepar::{Backend, Cpu, group::previous_within};
/// let cpu = Cpu::new();
/// let (groups, keys) = (cpu.upload(&[7, 3, 7, 7])?, cpu.upload(&[1, 0, 5, 4])?);
/// assert_eq!(cpu.download(&previous_within(&groups, &keys)?)?, [u32::MAX, u32::MAX, 0, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn previous_within<B: Backend>(
    groups: &impl Column<Element = u32, Backend = B>,
    keys: &impl Column<Element = u32, Backend = B>,
) -> Result<B::Vec<u32>> {
    within::<B>(groups.as_vec(), keys.as_vec(), None)
}

/// As [`previous_within`], of groups whose numbers are at most `greatest`. A GPU does not wait then. If a number is greater, the
/// result is unspecified.
///
/// # Shape    groups\[n\] u32, keys\[n\] u32 -> row\[n\] u32
/// # Cost     as [`previous_within`]
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
/// # Example
/// ```
/// use treepar::{Backend, Cpu, group::previous_within_below};
/// let cpu = Cpu::new();
/// let (groups, keys) = (cpu.upload(&[7, 3, 7, 7])?, cpu.upload(&[1, 0, 5, 4])?);
/// assert_eq!(cpu.download(&previous_within_below(&groups, &keys, 7)?)?, [u32::MAX, u32::MAX, 0, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn previous_within_below<B: Backend>(
    groups: &impl Column<Element = u32, Backend = B>,
    keys: &impl Column<Element = u32, Backend = B>,
    greatest: u32,
) -> Result<B::Vec<u32>> {
    within::<B>(groups.as_vec(), keys.as_vec(), Some(greatest))
}

fn within<B: Backend>(groups: &B::Vec<u32>, keys: &B::Vec<u32>, greatest: Option<u32>) -> Result<B::Vec<u32>> {
    let (backend, n) = (groups.backend(), groups.len());
    own(backend, keys)?;
    check_length("keys", n, keys.len())?;
    let mut out = backend.allocate(n)?;
    if backend.run_previous_within(Checked, groups, keys, &mut out)? {
        return Ok(out);
    }
    let (_, order) = match greatest {
        None => sort_permutation(groups)?,
        Some(greatest) => {
            let rows = backend.map(index_u32::of().rows(n))?;
            backend.sort_by_key_bits(groups, &rows, all_bits(greatest.into()) as u32)?
        }
    };
    let reversed = backend.map(reversed_key::of(&order, keys).rows(n))?;
    let next = backend.next_smaller_or_equal(&reversed)?;
    let (rows, found) = backend.map(nearest::of(&next, &order, groups))?;
    backend.scatter(&mut out, &rows, &found)?;
    Ok(out)
}
