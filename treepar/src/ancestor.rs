//! Nearest ancestors that a mask marks.

use crate::depth::NO_NODE;
use crate::device::device;
use crate::{Backend, Column, Error, Result};

/// Whether a node counts among its own ancestors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A marked node is its own nearest.
    Itself,
    /// Only nodes above count.
    Above,
}

#[device(walk_down)]
fn nearest(i: usize, parent: u32, mark: &[u8]) -> u32 {
    if mark[i] != 0 { i as u32 } else { parent }
}

#[device(map)]
fn of_parent(i: usize, parent: &[u32], nearest: &[u32]) -> u32 {
    if parent[i] == NO_NODE { NO_NODE } else { nearest[parent[i] as usize] }
}

/// The nearest marked ancestor of each node, or [`NO_NODE`].
///
/// # Shape    parent\[n\] preorder, mark\[n\] (0 or not) -> node\[n\], u32
/// # Cost     work O(n), one walk down, 9 bytes a node; strict, 12 more
/// # Errors   [`Error::LengthMismatch`] if the columns differ in length
/// # Source   Key paper, section 3.2; ours needs no path matrix
/// # Example
/// ```
/// use treepar::{Backend, Cpu, ancestor::{Of, nearest_marked}, depth::{Depths, NO_NODE}};
/// let cpu = Cpu::new();
/// let parents = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 2, 1])?)?.parents(&cpu)?;
/// let marked = cpu.upload(&[0, 1, 0, 1, 0])?;
/// assert_eq!(cpu.download(&nearest_marked(&cpu, &parents, &marked, Of::Itself)?)?, [NO_NODE, 1, 1, 3, NO_NODE]);
/// assert_eq!(cpu.download(&nearest_marked(&cpu, &parents, &marked, Of::Above)?)?, [NO_NODE, NO_NODE, 1, 1, NO_NODE]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn nearest_marked<B: Backend>(backend: &B, parent: &B::Vec<u32>, mark: &B::Vec<u8>, of: Of) -> Result<B::Vec<u32>> {
    if parent.len() != mark.len() {
        return Err(Error::LengthMismatch { array: "mark", expected: parent.len(), found: mark.len() });
    }
    let found = backend.walk_down::<nearest>(parent, NO_NODE, (mark,))?;
    match of {
        Of::Itself => Ok(found),
        Of::Above => backend.map::<of_parent>(parent.len(), (parent, &found)),
    }
}
