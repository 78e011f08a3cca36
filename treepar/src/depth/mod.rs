//! Depth vectors: forests in preorder, and the views derived from them.
//!
//! ```text
//!        0          6        node     0  1  2  3  4  5  6
//!      / | \                 depth    0  1  2  2  1  1  0
//!     1  4  5                parent   -  0  1  1  0  0  -
//!    / \                     end      6  4  3  4  5  6  7
//!   2   3                    size     6  3  1  1  1  1  1
//!                            child    0  0  0  1  1  2  1    (roots count as siblings)
//! ```
//!
//! A node's depth is at most one more than the depth of the node before it. The depths determine the forest. Columns of
//! node numbers are `u32`; a root's parent is [`NO_NODE`].

mod batch;
mod inverse;
mod unordered;

use crate::backend::Checked;
use crate::device::device;
use crate::monoid::{Max, index_u32};
use crate::{Backend, Column, Error, Result};

/// The number that names no node: a root's parent, an ancestor that is not there.
pub const NO_NODE: u32 = u32::MAX;

/// The parent of each node of a forest in preorder, [`NO_NODE`] for a root. Reads as a column.
pub struct Parents<B: Backend>(pub(crate) B::Vec<u32>);

impl<B: Backend> Parents<B> {
    /// Checks that a column has the parents of a forest in preorder.
    ///
    /// # Shape    parent\[n\], u32, [`NO_NODE`] for a root
    /// # Cost     work O(n), one map, one previous-smaller and two compacts, which are one pass on the CPU; 28 bytes per node
    /// # Errors   [`InvalidParent`](crate::Error::InvalidParent) where a parent is not on the path of the node before
    /// # Source   the inverse of [`Depths::parents`]
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::{NO_NODE, Parents}};
    /// let cpu = Cpu::new();
    /// assert!(Parents::new(cpu.upload(&[NO_NODE, 0, 1, 0])?).is_ok());
    /// assert!(Parents::new(cpu.upload(&[NO_NODE, 0, 0, 1])?).is_err());
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(parent: impl Column<Element = u32, Backend = B>) -> Result<Parents<B>> {
        check_parents(parent.into_vec())
    }

    /// Takes a column of parents without checking it. Implementations of [`Backend`] need it; others use
    /// [`Parents::new`].
    ///
    /// # Safety
    /// The column has the parents of a forest in preorder: each row is [`NO_NODE`], the row before, or one of the
    /// ancestors of the row before. A walk over other parents may not terminate. On a GPU it may also access memory
    /// outside its columns.
    #[expect(unsafe_code, reason = "the caller guarantees what walks rely on")]
    pub unsafe fn new_unchecked(parent: B::Vec<u32>) -> Parents<B> {
        Parents(parent)
    }

    /// Returns the column by reference, as dereferencing does.
    pub fn column(&self) -> &B::Vec<u32> {
        &self.0
    }

    /// Returns the column.
    pub fn into_column(self) -> B::Vec<u32> {
        self.0
    }
}

impl<B: Backend> Column for Parents<B> {
    type Element = u32;
    type Backend = B;
    fn len(&self) -> usize {
        self.0.len()
    }
    fn backend(&self) -> &B {
        self.0.backend()
    }
    fn as_vec(&self) -> &B::Vec<u32> {
        &self.0
    }
    fn into_vec(self) -> B::Vec<u32> {
        self.0
    }
}

impl<B: Backend> std::ops::Deref for Parents<B> {
    type Target = B::Vec<u32>;
    fn deref(&self) -> &B::Vec<u32> {
        &self.0
    }
}

/// Checks that a column has the parents of a forest in preorder.
///
/// With p the parent of row i, the rows between p and i are descendants of p, so none of their parents is before p. If one
/// is, then the path of row i - 1 passes p.
fn check_parents<B: Backend>(parent: B::Vec<u32>) -> Result<Parents<B>> {
    let backend = parent.backend().clone();
    if backend.keeps_parent_rule(Checked, &parent)? {
        return Ok(Parents(parent));
    }
    let wrong = backend.compact(not_before::of(&parent))?;
    if let Some(index) = first::<B>(&wrong)? {
        return Err(Error::InvalidParent { index, found: backend.read(&parent, index)?.into() });
    }
    let lower = backend.previous_smaller(&backend.map(after_parent::of(&parent))?)?;
    let wrong = backend.compact(passed::of(&parent, &lower))?;
    if let Some(index) = first::<B>(&wrong)? {
        return Err(Error::InvalidParent { index, found: backend.read(&parent, index)?.into() });
    }
    Ok(Parents(parent))
}

impl<B: Backend<Vec<u32>: std::fmt::Debug>> std::fmt::Debug for Parents<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Parents").field(&self.0).finish()
    }
}

/// A forest as a validated depth vector.
pub struct Depths<B: Backend> {
    depth: B::Vec<u32>,
}

impl<B: Backend<Vec<u32>: std::fmt::Debug>> std::fmt::Debug for Depths<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Depths").field(&self.depth).finish()
    }
}

#[device(compact)]
fn breaks_the_rule(i: usize, depth: &[u32]) -> bool {
    // One more than u32::MAX is 0, which is the limit of the first row. A later depth of u32::MAX is itself broken, since
    // there are fewer nodes.
    let before = if i == 0 { u32::MAX } else { depth[i - 1] };
    depth[i] > before.wrapping_add(1)
}

#[device(walk_down)]
fn depth_below(_i: usize, parent: u32) -> u32 {
    parent.wrapping_add(1)
}

#[device(map)]
fn size_of(i: usize, end: &[u32]) -> u32 {
    end[i] - i as u32
}

/// See [`Depths::postorder`].
#[device(map)]
fn post(i: usize, end: &[u32], depth: &[u32]) -> u32 {
    end[i] - 1 - depth[i]
}

impl<B: Backend> Depths<B> {
    /// Takes a column of depths, if it is a forest.
    ///
    /// # Shape    depth\[n\] in preorder, u32
    /// # Cost     work O(n), one pass, 4 bytes per node; a compact on a GPU
    /// # Errors   [`InvalidDepth`](crate::Error::InvalidDepth) at the first node whose depth is more than one above the one before
    /// # Source   Key paper, section 2: depth vectors
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// assert!(Depths::new(cpu.upload(&[0, 1, 2, 2, 1])?).is_ok());
    /// assert!(Depths::new(cpu.upload(&[0, 2])?).is_err());
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(depth: impl Column<Element = u32, Backend = B>) -> Result<Depths<B>> {
        let depth = depth.into_vec();
        let backend = depth.backend();
        if backend.keeps_depth_rule(Checked, &depth)? {
            return Ok(Depths { depth });
        }
        let broken = backend.compact(breaks_the_rule::of(&depth))?;
        if broken.is_empty() {
            return Ok(Depths { depth });
        }
        let index = backend.read(&broken, 0)? as usize;
        let limit = if index == 0 { 0 } else { u64::from(backend.read(&depth, index - 1)?) + 1 };
        Err(Error::InvalidDepth { index, found: backend.read(&depth, index)?.into(), limit })
    }

    /// Takes depths that are known to be a forest's.
    pub(crate) fn assume(depth: B::Vec<u32>) -> Depths<B> {
        Depths { depth }
    }

    /// The depths.
    pub fn depths(&self) -> &B::Vec<u32> {
        &self.depth
    }

    /// Returns the depths, without the knowledge that they are a forest.
    pub fn into_column(self) -> B::Vec<u32> {
        self.depth
    }

    /// Returns the backend that holds the forest.
    pub fn backend(&self) -> &B {
        self.depth.backend()
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.depth.len()
    }

    /// Returns whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.depth.is_empty()
    }

    /// Returns the parent of each node, [`NO_NODE`] for a root.
    ///
    /// # Shape    -> parent\[n\], u32
    /// # Cost     work O(n), one previous-smaller, 8 bytes per node
    /// # Errors   only general ones
    /// # Source   Key paper, section 3.1, by previous-smaller instead of a sort
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::{Depths, NO_NODE}};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1])?)?;
    /// let parents = forest.parents()?;
    /// assert_eq!(cpu.download(&parents)?, [NO_NODE, 0, 1, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn parents(&self) -> Result<Parents<B>> {
        self.backend().previous_smaller(&self.depth)
    }

    /// Returns one past the last node of each node's subtree.
    ///
    /// # Shape    -> end\[n\], u32
    /// # Cost     work O(n), one next-smaller-or-equal, 8 bytes per node
    /// # Errors   only general ones
    /// # Source   the mirror image of [`Depths::parents`]
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// assert_eq!(cpu.download(&forest.ends()?)?, [6, 4, 3, 4, 5, 6, 7]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn ends(&self) -> Result<B::Vec<u32>> {
        self.backend().next_smaller_or_equal(&self.depth)
    }

    /// Returns the number of nodes of each node's subtree, itself included.
    ///
    /// # Shape    -> size\[n\], u32
    /// # Cost     work O(n), 16 bytes per node
    /// # Errors   only general ones
    /// # Source   a subtree is a run of the preorder
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// assert_eq!(cpu.download(&forest.subtree_sizes()?)?, [6, 3, 1, 1, 1, 1, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn subtree_sizes(&self) -> Result<B::Vec<u32>> {
        let end = self.ends()?;
        self.backend().map(size_of::of(&end))
    }

    /// Returns the nodes in level order: by depth, in preorder inside a level; and where each level begins in that order.
    ///
    /// # Shape    -> node\[n\], offset\[h\], u32
    /// # Cost     work O(n), 12 bytes per node on the CPU; on a GPU, and for more levels than a block of the CPU has nodes, work O(n)
    ///   for each 8 bits of the height: a stable sort by depth
    /// # Errors   only general ones
    /// # Source   Pareas, section 4.4.1: the order of its walks
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// let (node, offset) = forest.level_order()?;
    /// assert_eq!(cpu.download(&node)?, [0, 6, 1, 4, 5, 2, 3]);
    /// assert_eq!(cpu.download(&offset)?, [0, 2, 5]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn level_order(&self) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
        if let Some(found) = self.backend().run_level_order(Checked, &self.depth)? {
            return Ok(found);
        }
        let n = self.len();
        let (depth, node) = self.backend().sort_by_key(&self.depth, &self.backend().map(index_u32::of().rows(n))?)?;
        let offsets = self.backend().compact(starts_level::of(&depth))?;
        Ok((node, offsets))
    }

    /// Returns the index of each node among its siblings, from 0; roots are siblings.
    ///
    /// # Shape    -> child\[n\], u32
    /// # Cost     work O(n): 1 pass on the CPU, 8 bytes per node; on a GPU a sort by depth, a previous-smaller, a scatter and two
    ///   maps, whatever the shape of the forest
    /// # Errors   only general ones
    /// # Source   Key paper, section 3.2: earlier siblings. In level order, siblings follow each other, and the first of them is
    ///   the node after the parent in preorder
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// assert_eq!(cpu.download(&forest.child_indices()?)?, [0, 0, 0, 1, 1, 2, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn child_indices(&self) -> Result<B::Vec<u32>> {
        Ok(match self.native_child_indices()? {
            Some(child) => child,
            None => self.child_indices_below(&self.parents()?)?,
        })
    }

    /// Returns the parents, and the index of each node among its siblings.
    pub(crate) fn parents_and_child_indices(&self) -> Result<(Parents<B>, B::Vec<u32>)> {
        let parents = self.parents()?;
        let child = match self.native_child_indices()? {
            Some(child) => child,
            None => self.child_indices_below(&parents)?,
        };
        Ok((parents, child))
    }

    fn native_child_indices(&self) -> Result<Option<B::Vec<u32>>> {
        let mut out = self.backend().allocate(self.len())?;
        Ok(self.backend().run_child_indices(Checked, &self.depth, &mut out)?.then_some(out))
    }

    fn child_indices_below(&self, parents: &Parents<B>) -> Result<B::Vec<u32>> {
        let backend = self.backend();
        let number = backend.map(index_u32::of().rows(self.len()))?;
        let (_, node) = backend.sort_by_key(&self.depth, &number)?;
        let mut place = backend.allocate(self.len())?;
        backend.scatter(&mut place, &node, &number)?;
        backend.map(place_among_siblings::of(parents, &place))
    }

    /// Returns the number of children of each node.
    ///
    /// # Shape    -> count\[n\], u32
    /// # Cost     work O(n), parents and one histogram, 16 bytes per node
    /// # Errors   only general ones
    /// # Source   Key paper, section 2.3: Key of the parents with tally
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// assert_eq!(cpu.download(&forest.child_counts()?)?, [3, 2, 0, 0, 0, 0, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn child_counts(&self) -> Result<B::Vec<u32>> {
        let parents = self.parents()?;
        self.backend().histogram(&parents, self.len())
    }

    /// Returns the index of each node in postorder.
    ///
    /// # Shape    -> index\[n\], u32
    /// # Cost     work O(n), 20 bytes per node
    /// # Errors   only general ones
    /// # Source   a node's index is its end minus its depth minus 1: of the nodes before its end, only its ancestors
    ///   come later
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// assert_eq!(cpu.download(&forest.postorder()?)?, [5, 2, 0, 1, 3, 4, 6]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn postorder(&self) -> Result<B::Vec<u32>> {
        let end = self.ends()?;
        self.backend().map(post::of(&end, &self.depth))
    }

    /// Returns the number of levels: one more than the greatest depth, 0 for no nodes.
    ///
    /// # Shape    -> h
    /// # Cost     work O(n), one reduce, 4 bytes per node
    /// # Errors   only general ones
    /// # Source   the number of steps of a walk by levels, Pareas, section 4.4.1
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// assert_eq!(forest.height()?, 3);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn height(&self) -> Result<usize> {
        let deepest = self.backend().reduce(&self.depth, Max)?;
        Ok(if self.is_empty() { 0 } else { deepest as usize + 1 })
    }

    /// Returns the next node with the same parent, or [`NO_NODE`]; roots are siblings.
    ///
    /// # Shape    -> node\[n\], u32
    /// # Cost     work O(n), 20 bytes per node
    /// # Errors   only general ones
    /// # Source   the next sibling is the first node after the subtree, if it has the same depth
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::{Depths, NO_NODE}};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// let next = cpu.download(&forest.next_siblings()?)?;
    /// assert_eq!(next, [6, 4, 3, NO_NODE, 5, NO_NODE, NO_NODE]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn next_siblings(&self) -> Result<B::Vec<u32>> {
        let end = self.ends()?;
        self.backend().map(next_sibling::of(&end, &self.depth))
    }

    /// Returns the first child of each node, or [`NO_NODE`].
    ///
    /// # Shape    -> node\[n\], u32
    /// # Cost     work O(n), one map, 8 bytes per node
    /// # Errors   only general ones
    /// # Source   a first child is the row after its parent
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::{Depths, NO_NODE}};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// let first = cpu.download(&forest.first_children()?)?;
    /// assert_eq!(first, [1, 2, NO_NODE, NO_NODE, NO_NODE, NO_NODE, NO_NODE]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn first_children(&self) -> Result<B::Vec<u32>> {
        self.backend().map(first_child::of(&self.depth))
    }

    /// Returns the nodes of a tour around the forest: each where it opens, and where it closes.
    ///
    /// # Shape    -> node\[2 n\], u32
    /// # Cost     work O(n), one next-smaller-or-equal, two maps and two scatters; 56 bytes per node
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if the tour has too many rows
    /// # Source   Euler tour; [`Depths::brackets`] has 1 where a node opens
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1])?)?;
    /// assert_eq!(cpu.download(&forest.euler_tour()?)?, [0, 1, 2, 2, 3, 3, 1, 4, 4, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn euler_tour(&self) -> Result<B::Vec<u32>> {
        let n = self.len();
        let mut tour = self.backend().allocate(2 * n)?;
        let nodes = self.backend().map(index_u32::of().rows(n))?;
        self.backend().scatter(&mut tour, &self.backend().map(opens_at::of(&self.depth))?, &nodes)?;
        let end = self.ends()?;
        self.backend().scatter(&mut tour, &self.backend().map(closes_at::of(&self.depth, &end))?, &nodes)?;
        Ok(tour)
    }

    /// Returns the forest as brackets: 1 where a node opens, 0 where it closes.
    ///
    /// # Shape    -> bracket\[2 n\], u8
    /// # Cost     work O(n), one pass of 6 bytes per node on the CPU; on a GPU one map, two fills and one scatter
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if there are more brackets than rows can be
    /// # Source   Euler tour: before node i there are i openings and, since depth(i) are open, i - depth(i) closings
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1, 0])?)?;
    /// let brackets = cpu.download(&forest.brackets()?)?;
    /// assert_eq!(brackets, [1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn brackets(&self) -> Result<B::Vec<u8>> {
        let n = self.len();
        if let Some(brackets) = self.backend().run_brackets(Checked, &self.depth)? {
            return Ok(brackets);
        }
        let mut brackets = self.backend().filled(2 * n, 0)?;
        let places = self.backend().map(opens_at::of(&self.depth))?;
        self.backend().scatter(&mut brackets, &places, &self.backend().filled(n, 1)?)?;
        Ok(brackets)
    }
}

#[device(map)]
fn next_sibling(i: usize, end: &[u32], depth: &[u32]) -> u32 {
    let next = end[i] as usize;
    if next < depth.len() && depth[next] == depth[i] { next as u32 } else { NO_NODE }
}

#[device(map)]
fn first_child(i: usize, depth: &[u32]) -> u32 {
    if i + 1 < depth.len() && depth[i + 1] > depth[i] { i as u32 + 1 } else { NO_NODE }
}

#[device(map)]
fn opens_at(i: usize, depth: &[u32]) -> u32 {
    2 * i as u32 - depth[i]
}

/// Until node i closes, end(i) nodes have opened, and all have closed but i and its ancestors.
#[device(map)]
fn closes_at(i: usize, depth: &[u32], end: &[u32]) -> u32 {
    2 * end[i] - 1 - depth[i]
}

/// Counted from the last.
#[device(map)]
fn reversed(i: usize, place: &[u32]) -> u32 {
    place.len() as u32 - 1 - place[i]
}

/// Returns the index of a node among its siblings, from the places of all nodes in level order.
#[device(map)]
fn place_among_siblings(i: usize, parent: &[u32], place: &[u32]) -> u32 {
    if parent[i] == NO_NODE { place[i] } else { place[i] - place[parent[i] as usize + 1] }
}

#[device(compact)]
fn not_before(i: usize, parent: &[u32]) -> bool {
    parent[i] != NO_NODE && parent[i] >= i as u32
}

/// The row after a parent; 0 for a root.
#[device(map)]
fn after_parent(i: usize, parent: &[u32]) -> u32 {
    parent[i].wrapping_add(1)
}

/// Returns whether the last earlier row with a lower parent is after the parent. Each row below a root has such a row.
#[device(compact)]
fn passed(i: usize, parent: &[u32], lower: &[u32]) -> bool {
    parent[i] != NO_NODE && lower[i] > parent[i]
}

#[device(compact)]
fn starts_level(i: usize, depth: &[u32]) -> bool {
    i == 0 || depth[i] != depth[i - 1]
}

/// The first row of a column, if it has one.
pub(crate) fn first<B: Backend>(column: &B::Vec<u32>) -> Result<Option<usize>> {
    if column.is_empty() { Ok(None) } else { Ok(Some(column.backend().read(column, 0)? as usize)) }
}
