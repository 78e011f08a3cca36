//! Ancestors: the nearest that a mask marks, the lowest that two nodes share, and the nearest interval around another.

mod interval;
mod lowest;

use crate::depth::{Depths, NO_NODE, Parents};
use crate::device::device;
use crate::{Backend, Column, Error, Result};

pub use interval::nearest_enclosing;
pub use lowest::LowestCommon;

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

/// `above` is what the parent found above itself.
#[device(walk_down)]
fn nearest_above(i: usize, above: u32, parent: &[u32], mark: &[u8]) -> u32 {
    if parent[i] != NO_NODE && mark[parent[i] as usize] != 0 { parent[i] } else { above }
}

/// The nearest marked ancestor of each node, or [`NO_NODE`].
///
/// # Shape    parent\[n\] preorder, mark\[n\] (0 or not) -> node\[n\], u32
/// # Cost     work O(n), one walk down, 9 bytes a node
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
pub fn nearest_marked<B: Backend>(backend: &B, parent: &Parents<B>, mark: &B::Vec<u8>, of: Of) -> Result<B::Vec<u32>> {
    if parent.len() != mark.len() {
        return Err(Error::LengthMismatch { array: "mark", expected: parent.len(), found: mark.len() });
    }
    match of {
        Of::Itself => backend.walk_down::<nearest>(parent, NO_NODE, (mark,)),
        Of::Above => backend.walk_down::<nearest_above>(parent, NO_NODE, (parent, mark)),
    }
}

/// Of a run of nodes the least depth, and the least depth of the marked ones whose subtrees reach its end.
#[device]
struct Open {
    least: u32,
    marked: u32,
}

/// A marked node stays open until a node comes that is no deeper.
#[device(monoid(identity = Open { least: u32::MAX, marked: u32::MAX }))]
fn open_after(a: Open, b: Open) -> Open {
    // By a mask: a branch on it would be mispredicted as often as trees end.
    let stays = ((a.marked < b.least) as u32).wrapping_neg();
    Open { least: a.least.min(b.least), marked: (a.marked & stays) | (b.marked & !stays) }
}

#[device(map)]
fn open_node(i: usize, depth: &[u32], mark: &[u8]) -> Open {
    Open { least: depth[i], marked: if mark[i] != 0 { depth[i] } else { u32::MAX } }
}

#[device(scan_map(open_node, open_after))]
fn is_under(i: usize, before: Open, depth: &[u32], mark: &[u8], itself: bool) -> u8 {
    (before.marked < depth[i] || (itself && mark[i] != 0)) as u8
}

/// Whether each node has a marked ancestor: 1 or 0.
///
/// Where only the question is asked, not which ancestor it is, no parents are needed, and no tree is too deep: marked
/// subtrees are dead code, or what a pass has to leave alone.
///
/// # Shape    depths\[n\], mark\[n\] (0 or not) -> under\[n\], u8
/// # Cost     work O(n), one scan whatever the height, 6 bytes a node
/// # Errors   [`Error::LengthMismatch`] if the columns differ in length
/// # Source   Pareas, section 3.4, in one scan instead of a loop to a fixpoint
/// # Example
/// ```
/// use treepar::{Backend, Cpu, ancestor::{Of, under_marked}, depth::Depths};
/// let cpu = Cpu::new();
/// let forest = Depths::new(&cpu, cpu.upload(&[0, 1, 2, 2, 1])?)?;
/// let marked = cpu.upload(&[0, 1, 0, 1, 0])?;
/// assert_eq!(cpu.download(&under_marked(&cpu, &forest, &marked, Of::Itself)?)?, [0, 1, 1, 1, 0]);
/// assert_eq!(cpu.download(&under_marked(&cpu, &forest, &marked, Of::Above)?)?, [0, 0, 1, 1, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn under_marked<B: Backend>(backend: &B, forest: &Depths<B>, mark: &B::Vec<u8>, of: Of) -> Result<B::Vec<u8>> {
    let depth = forest.depths();
    if depth.len() != mark.len() {
        return Err(Error::LengthMismatch { array: "mark", expected: depth.len(), found: mark.len() });
    }
    let itself = of == Of::Itself;
    let (under, _) =
        backend.scan_map::<is_under, open_node, open_after>(depth.len(), (depth, mark), (depth, mark, itself))?;
    Ok(under)
}
