//! Ancestors: nearest marked ancestors, lowest common ancestors, and nearest enclosing intervals.

mod interval;
mod lowest;

use crate::backend::{Checked, check_length, own};
use crate::depth::{Depths, NO_NODE, Parents};
use crate::device::device;
use crate::{Backend, Column, Result};

pub use interval::nearest_enclosing;
pub use lowest::LowestCommon;

/// Says whether a node is one of its own ancestors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A marked node is its own nearest marked ancestor.
    Inclusive,
    /// Only strict ancestors count.
    Exclusive,
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

impl<B: Backend> Parents<B> {
    /// Returns the nearest marked ancestor of each node, or [`NO_NODE`].
    ///
    /// # Shape    parent\[n\] preorder, mark\[n\] (0 or not) -> node\[n\], u32
    /// # Cost     work O(n), one walk down, 9 bytes per node
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
    /// # Source   Key paper, section 3.2; ours needs no path matrix
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let parents = Depths::new(cpu.upload(&[0, 1, 2, 2, 1])?)?.parents()?;
    /// let marked = cpu.upload(&[0, 1, 0, 1, 0])?;
    /// assert_eq!(cpu.download(&parents.nearest_marked(&marked, Of::Inclusive)?)?, [NO_NODE, 1, 1, 3, NO_NODE]);
    /// assert_eq!(cpu.download(&parents.nearest_marked(&marked, Of::Exclusive)?)?, [NO_NODE, NO_NODE, 1, 1, NO_NODE]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn nearest_marked(&self, mark: &B::Vec<u8>, of: Of) -> Result<B::Vec<u32>> {
        match of {
            Of::Inclusive => self.backend().walk_down(self, NO_NODE, nearest::of(mark)),
            Of::Exclusive => {
                check_length("mark", self.len(), mark.len())?;
                self.backend().walk_down(self, NO_NODE, nearest_above::of(self, mark))
            }
        }
    }
}

/// The least depth of a run of nodes, and the least depth of its marked nodes whose subtrees reach the end of the run.
#[device]
struct Open {
    least: u32,
    marked: u32,
}

/// Combines two runs: a marked node stays open until a node that is not deeper.
#[device(monoid(identity = Open { least: u32::MAX, marked: u32::MAX }))]
fn open_after(a: Open, b: Open) -> Open {
    // By a mask: a branch on it would be mispredicted as often as trees end.
    let stays = ((a.marked < b.least) as u32).wrapping_neg();
    Open { least: a.least.min(b.least), marked: (a.marked & stays) | (b.marked & !stays) }
}

#[device(scanned)]
fn open_node(i: usize, depth: &[u32], mark: &[u8]) -> Open {
    Open { least: depth[i], marked: if mark[i] != 0 { depth[i] } else { u32::MAX } }
}

#[device(scan_map(open_node, open_after))]
fn is_under(i: usize, before: Open, depth: &[u32], mark: &[u8], itself: bool) -> u8 {
    (before.marked < depth[i] || (itself && mark[i] != 0)) as u8
}

impl<B: Backend> Depths<B> {
    /// Returns 1 for each node that has a marked ancestor, and 0 for the others.
    ///
    /// It needs no parents, and the depth of the tree does not matter. Use it when the ancestor itself is not needed.
    ///
    /// # Shape    depths\[n\], mark\[n\] (0 or not) -> under\[n\], u8
    /// # Cost     work O(n), one scan for any height, 6 bytes per node
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
    /// # Source   Pareas, section 3.4, in one scan instead of a loop to a fixpoint
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1])?)?;
    /// let marked = cpu.upload(&[0, 1, 0, 1, 0])?;
    /// assert_eq!(cpu.download(&forest.under_marked(&marked, Of::Inclusive)?)?, [0, 1, 1, 1, 0]);
    /// assert_eq!(cpu.download(&forest.under_marked(&marked, Of::Exclusive)?)?, [0, 0, 1, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn under_marked(&self, mark: &B::Vec<u8>, of: Of) -> Result<B::Vec<u8>> {
        let (depth, itself) = (self.depths(), of == Of::Inclusive);
        check_length("mark", depth.len(), mark.len())?;
        own(self.backend(), mark)?;
        if let Some(under) = self.backend().run_under_marked(Checked, depth, mark, itself)? {
            return Ok(under);
        }
        let map = is_under::of(depth, mark, itself);
        Ok(self.backend().scan_map(open_node::of(depth, mark), open_after, map)?.0)
    }
}
