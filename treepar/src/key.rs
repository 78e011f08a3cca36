//! Key: rows grouped by equal keys (Key paper, section 2.3).
//!
//! ```text
//! keys         7  3  7  9  3
//! unique       7  3  9          in order of first appearance, as APL's; or 3 7 9, sorted
//! permutation  0  2  1  4  3    rows of each group together, in their order
//! offsets      0  2  4          where each group begins there
//! ```

use crate::device::device;
use crate::monoid::index_u32;
use crate::{Backend, Column, Result};

/// The order of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By key.
    Sorted,
    /// By the first row of each.
    FirstAppearance,
}

/// Rows grouped by key.
pub struct Groups<B: Backend> {
    /// The key of each group.
    pub unique: B::Vec<u32>,
    /// Rows, group by group.
    pub permutation: B::Vec<u32>,
    /// Where each group begins in `permutation`.
    pub offsets: B::Vec<u32>,
}

#[device(compact)]
fn starts_group(i: usize, keys: &[u32]) -> bool {
    i == 0 || keys[i] != keys[i - 1]
}

#[device(map)]
fn gather(i: usize, rows: &[u32], values: &[u32]) -> u32 {
    values[rows[i] as usize]
}

/// The first row of a group, and how many it has.
#[device(map)]
fn group_of(g: usize, offsets: &[u32], permutation: &[u32], n: u32) -> (u32, u32) {
    let end = if g + 1 < offsets.len() { offsets[g + 1] } else { n };
    (permutation[offsets[g] as usize], end - offsets[g])
}

#[device(expand)]
fn row_of_group(g: usize, k: usize, order: &[u32], offsets: &[u32], permutation: &[u32]) -> u32 {
    permutation[(offsets[order[g] as usize] + k as u32) as usize]
}

/// Groups rows by key; rows of a group keep their order.
///
/// # Shape    keys\[n\] u32 -> unique\[g\], permutation\[n\], offsets\[g\], u32
/// # Cost     a stable sort of n rows; for first appearance one more of g
/// # Source   Key paper, section 2.3
/// # Example
/// ```
/// use treepar::{Backend, Cpu, key::{Order, key}};
/// let cpu = Cpu::new();
/// let groups = key(&cpu, &cpu.upload(&[7, 3, 7, 9, 3])?, Order::FirstAppearance)?;
/// assert_eq!(cpu.download(&groups.unique)?, [7, 3, 9]);
/// assert_eq!(cpu.download(&groups.permutation)?, [0, 2, 1, 4, 3]);
/// assert_eq!(cpu.download(&groups.offsets)?, [0, 2, 4]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn key<B: Backend>(backend: &B, keys: &B::Vec<u32>, order: Order) -> Result<Groups<B>> {
    let n = keys.len();
    let (sorted, permutation) = backend.sort_by_key(keys, &backend.map::<index_u32>(n, ())?)?;
    let offsets = backend.compact::<starts_group>(n, (&sorted,))?;
    let g = offsets.len();
    let unique = backend.map::<gather>(g, (&offsets, &sorted))?;
    if order == Order::Sorted {
        return Ok(Groups { unique, permutation, offsets });
    }
    let (first, sizes) = backend.map::<group_of>(g, (&offsets, &permutation, n as u32))?;
    let (_, by_first) = backend.sort_by_key(&first, &backend.map::<index_u32>(g, ())?)?;
    let unique = backend.map::<gather>(g, (&by_first, &unique))?;
    let sizes = backend.map::<gather>(g, (&by_first, &sizes))?;
    let (new_offsets, _) = crate::scan::offsets(backend, &sizes)?;
    let permutation = backend.expand::<row_of_group>(&new_offsets, n, (&by_first, &offsets, &permutation))?;
    Ok(Groups { unique, permutation, offsets: new_offsets })
}
