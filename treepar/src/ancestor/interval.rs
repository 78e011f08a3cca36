//! Nearest enclosing intervals: scopes around names, blocks around statements, before there is a tree.

use crate::backend::check_length;
use crate::depth::NO_NODE;
use crate::device::device;
use crate::{Backend, Column, Error, Result};

#[device(compact)]
fn falls(i: usize, begin: &[u32]) -> bool {
    i > 0 && begin[i] < begin[i - 1]
}

#[device(compact)]
fn ends_early(i: usize, begin: &[u32], end: &[u32]) -> bool {
    end[i] < begin[i]
}

/// Returns the ends from the last to the first, so that greater is smaller.
#[device(map)]
fn ends_backwards(i: usize, end: &[u32]) -> u32 {
    u32::MAX - end[end.len() - 1 - i]
}

#[device(map)]
fn forwards(i: usize, found: &[u32]) -> u32 {
    let n = found.len() as u32;
    let row = found[found.len() - 1 - i];
    if row == n { NO_NODE } else { n - 1 - row }
}

/// Returns the nearest enclosing interval of each interval, or [`NO_NODE`](crate::depth::NO_NODE).
///
/// Intervals are sorted by their begins; of intervals with one begin, the outer comes first. An interval encloses each
/// later one that does not end after it. The last of several enclosing intervals is the nearest. A point is an interval
/// that ends where it begins. If all intervals are nested or disjoint, the results are the parents of a forest in
/// preorder, which [`Parents::new`](crate::depth::Parents::new) accepts.
///
/// # Shape    begin\[n\], end\[n\] u32 -> row\[n\] u32
/// # Cost     work O(n), one next-smaller-or-equal, two maps and two compacts; 36 bytes per row
/// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch); [`NotSorted`](crate::Error::NotSorted) if begins fall, or one ends before it begins
/// # Source   previous greater or equal of the ends: all nearest smaller values, in reverse order
/// # Example
/// ```
/// use treepar::{Backend, Cpu, ancestor::nearest_enclosing, depth::NO_NODE};
/// let cpu = Cpu::new();
/// // { a { b } { c } } d
/// let (begin, end) = (cpu.upload(&[0, 2, 4, 6, 10, 12, 18])?, cpu.upload(&[16, 2, 8, 6, 14, 12, 18])?);
/// let around = nearest_enclosing(&begin, &end)?;
/// assert_eq!(cpu.download(&around)?, [NO_NODE, 0, 0, 2, 0, 4, NO_NODE]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn nearest_enclosing<B: Backend>(
    begin: &impl Column<Element = u32, Backend = B>,
    end: &B::Vec<u32>,
) -> Result<B::Vec<u32>> {
    let (backend, begin) = (begin.backend(), begin.as_vec());
    let n = begin.len();
    check_length("end", n, end.len())?;
    let not_sorted = |array, index, found: u32, before: u32| {
        Err(Error::NotSorted { array, index, found: found.into(), before: before.into() })
    };
    let wrong = backend.compact(falls::of(begin))?;
    if !wrong.is_empty() {
        let i = backend.read(&wrong, 0)? as usize;
        return not_sorted("begin", i, backend.read(begin, i)?, backend.read(begin, i - 1)?);
    }
    let wrong = backend.compact(ends_early::of(begin, end))?;
    if !wrong.is_empty() {
        let i = backend.read(&wrong, 0)? as usize;
        return not_sorted("end", i, backend.read(end, i)?, backend.read(begin, i)?);
    }
    let keys = backend.map(ends_backwards::of(end).rows(n))?;
    backend.map(forwards::of(&backend.next_smaller_or_equal(&keys)?).rows(n))
}
