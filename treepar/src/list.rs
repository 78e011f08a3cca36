//! Linked lists: rows that name the next row.
//!
//! ```text
//! row      0  1  2  3  4  5
//! next     3  -  1  2  2  -       0 -> 3 -> 2 -> 1     4 -> 2     5
//! rank     3  0  1  2  2  0
//! ```
//!
//! Rows may share the next row. So the links of a list may also be the parents of a forest in any order, and its ranks are then
//! the depths.

use crate::backend::{Checked, Followed};
use crate::depth::{NO_NODE, first};
use crate::device::device;
use crate::{Backend, Column, Error, Result};

/// The rounds between two questions whether all links have reached an end.
const ROUNDS: u32 = 4;

#[device(compact)]
fn leads_outside(i: usize, next: &[u32]) -> bool {
    next[i] != NO_NODE && next[i] as usize >= next.len()
}

/// Returns the link of row `i`, and how many rows it passes.
#[device(map)]
fn link(i: usize, next: &[u32]) -> (u32, u32) {
    (next[i], (next[i] != NO_NODE) as u32)
}

/// Returns the link of row `i` and that of the row it leads to, as one link.
#[device(map)]
fn jump(i: usize, next: &[u32], passed: &[u32]) -> (u32, u32) {
    let at = next[i];
    if at == NO_NODE {
        return (NO_NODE, passed[i]);
    }
    // On a cycle the sum wraps. It is not used there.
    (next[at as usize], passed[i].wrapping_add(passed[at as usize]))
}

#[device(compact)]
fn goes_on(i: usize, next: &[u32]) -> bool {
    next[i] != NO_NODE
}

/// Returns the number of links from each row to the end of its list.
///
/// # Shape    next\[n\] u32, [`NO_NODE`] at the end of a list -> rank\[n\] u32
/// # Cost     on a CPU work O(n), two walks along each list, 20 bytes per row; on a GPU, for lists of at most h rows, work O(n log h),
///   about log h maps of 16 bytes per row
/// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) for a link to no row, [`Cycle`](crate::Error::Cycle) at the first row
///   whose list has no end
/// # Source   Wyllie 1979: pointer jumping
/// # Example
/// ```
/// use treepar::{Backend, Cpu, Error, depth::NO_NODE, list::ranks};
/// let cpu = Cpu::new();
/// let next = cpu.upload(&[3, NO_NODE, 1, 2, 2, NO_NODE])?;
/// assert_eq!(cpu.download(&ranks(&next)?)?, [3, 0, 1, 2, 2, 0]);
/// let cycle = cpu.upload(&[NO_NODE, 2, 1])?;
/// assert_eq!(ranks(&cycle).err(), Some(Error::Cycle { array: "next", index: 1 }));
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn ranks<B: Backend>(next: &impl Column<Element = u32, Backend = B>) -> Result<B::Vec<u32>> {
    let (backend, next) = (next.backend(), next.as_vec());
    if let Some(index) = first::<B>(&backend.compact(leads_outside::of(next))?)? {
        let (found, limit) = (backend.read(next, index)?.into(), next.len() as u64);
        return Err(Error::IndexOutOfRange { array: "next", index, found, limit });
    }
    ranks_of(next, "next", 1)
}

/// Returns the ranks of links that lead to rows. Each item of `array` has `rows` rows.
pub(crate) fn ranks_of<B: Backend>(
    next: &impl Column<Element = u32, Backend = B>,
    array: &'static str,
    rows: usize,
) -> Result<B::Vec<u32>> {
    let (backend, next) = (next.backend(), next.as_vec());
    let n = next.len();
    let cycle = |index: usize| Err(Error::Cycle { array, index: index / rows });
    let mut out = backend.allocate(n)?;
    match backend.run_list_ranks(Checked, next, &mut out)? {
        Followed::ToTheEnd => return Ok(out),
        Followed::IntoCycle(index) => return cycle(index),
        Followed::ByTemplates => {}
    }
    let (mut at, mut passed) = backend.map(link::of(next))?;
    // A link passes 2^r rows after r rounds, so n rows without a cycle are all at an end when 2^r is at least n.
    let mut round = 0;
    loop {
        let going = backend.compact(goes_on::of(&at))?;
        if going.is_empty() {
            return Ok(passed);
        }
        if 1u64 << round >= n as u64 {
            return cycle(backend.read(&going, 0)? as usize);
        }
        for _ in 0..ROUNDS {
            (at, passed) = backend.map(jump::of(&at, &passed))?;
        }
        round += ROUNDS;
    }
}
