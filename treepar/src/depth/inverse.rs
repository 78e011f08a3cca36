//! Inverses: the forest of a view.
//!
//! An invalid view is found by computing the view of the nearest forest, and comparing the two. Child indices
//! have no inverse: 0, 0, 1 is a root with a child and a second root, or a root with two children.

use super::NO_NODE;
use super::{Depths, Parents, breaks_the_rule, depth_below, first, reversed};
use crate::backend::{Checked, ScanKind};
use crate::device::device;
use crate::monoid::{Max, Sum};
use crate::sort::check_permutation;
use crate::{Backend, Column, Error, Result};

impl<B: Backend> Depths<B> {
    /// The forest of its parents.
    ///
    /// # Shape    parent\[n\] -> depth\[n\], u32
    /// # Cost     work O(n), one walk down, 8 bytes per node
    /// # Errors   only general ones: [`Parents::new`] checks
    /// # Source   the inverse of [`Depths::parents`]
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::{Depths, NO_NODE, Parents}};
    /// let cpu = Cpu::new();
    /// let parents = Parents::new(cpu.upload(&[NO_NODE, 0, 1, 1, 0])?)?;
    /// let forest = Depths::from_parents(&parents)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 2, 2, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_parents(parents: &Parents<B>) -> Result<Depths<B>> {
        Ok(Depths { depth: parents.backend().walk_down(parents, NO_NODE, depth_below::of())? })
    }

    /// The forest of a sequence of brackets: not 0 where a node opens, 0 where it closes.
    ///
    /// # Shape    bracket\[2 n\], u8
    /// # Cost     work O(n), one pass of 6 bytes per node on the CPU; on a GPU two compacts and one map
    /// # Errors   [`UnbalancedBrackets`](crate::Error::UnbalancedBrackets) where a bracket closes nothing, or at the end if some are open
    /// # Source   the inverse of [`Depths::brackets`]; where brackets open says how deep, without a scan
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, Error, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::from_brackets(&cpu.upload(&[1u8, 1, 0, 1, 0, 0])?)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 1]);
    /// let wrong = Depths::from_brackets(&cpu.upload(&[1u8, 0, 0, 1])?);
    /// assert_eq!(wrong.err(), Some(Error::UnbalancedBrackets { index: 2, open: 0 }));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_brackets(brackets: &impl Column<Element = u8, Backend = B>) -> Result<Depths<B>> {
        let (backend, brackets) = (brackets.backend(), brackets.as_vec());
        if let Some(depth) = backend.run_from_brackets(Checked, brackets)? {
            return Ok(Depths { depth });
        }
        let opens = backend.compact(brackets)?;
        let n = opens.len();
        let late = backend.compact(opens_late::of(&opens))?;
        // Up to the first node that opens late, or up to the end, each closing bracket but the last has its opening.
        if let Some(node) = first::<B>(&late)? {
            return Err(Error::UnbalancedBrackets { index: 2 * node, open: 0 });
        }
        if 2 * n < brackets.len() {
            return Err(Error::UnbalancedBrackets { index: 2 * n, open: 0 });
        }
        if 2 * n > brackets.len() {
            let open = (2 * n - brackets.len()) as u64;
            return Err(Error::UnbalancedBrackets { index: brackets.len(), open });
        }
        Ok(Depths { depth: backend.map(depth_of_opening::of(&opens))? })
    }

    /// The forest of its subtree sizes.
    ///
    /// # Shape    size\[n\], u32
    /// # Cost     work O(n): a histogram, a scan, and the sizes again; 64 bytes per node on the CPU
    /// # Errors   [`NoSuchForest`](crate::Error::NoSuchForest) if sizes contradict each other
    /// # Source   the inverse of [`Depths::subtree_sizes`]: as deep as subtrees begun and not ended
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::from_subtree_sizes(&cpu.upload(&[6, 3, 1, 1, 1, 1, 1])?)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 2, 2, 1, 1, 0]);
    /// assert!(Depths::from_subtree_sizes(&cpu.upload(&[2, 2, 1])?).is_err());
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_subtree_sizes(sizes: &impl Column<Element = u32, Backend = B>) -> Result<Depths<B>> {
        let (backend, sizes) = (sizes.backend(), sizes.as_vec());
        const ARRAY: &str = "subtree size";
        let wrong = backend.compact(size_outside::of(sizes))?;
        no_such_forest(ARRAY, sizes, &wrong)?;
        let ends = backend.map(end_of::of(sizes))?;
        let forest = of_ends(ARRAY, sizes, &ends)?;
        same(ARRAY, sizes, &forest.subtree_sizes()?)?;
        Ok(forest)
    }

    /// The forest of its numbers of children.
    ///
    /// # Shape    count\[n\] in preorder, u32
    /// # Cost     work O(n): a scan, a next-smaller, a histogram, a scan, and the counts again; 84 bytes per node on
    ///   the CPU
    /// # Errors   [`NoSuchForest`](crate::Error::NoSuchForest) if nodes are missing, or too many
    /// # Source   the inverse of [`Depths::child_counts`]; Pareas' parser makes its tree of arities so, section 2
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::from_child_counts(&cpu.upload(&[3, 2, 0, 0, 0, 0, 0])?)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 2, 2, 1, 1, 0]);
    /// assert!(Depths::from_child_counts(&cpu.upload(&[2, 0])?).is_err());
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_child_counts(counts: &impl Column<Element = u32, Backend = B>) -> Result<Depths<B>> {
        let (backend, counts) = (counts.backend(), counts.as_vec());
        const ARRAY: &str = "child count";
        let n = counts.len();
        // How many nodes are still to come of those begun, n for none: a subtree ends where there is one less.
        let (before, _) = backend.scan(ScanKind::Exclusive, counts, Sum)?;
        let backwards = backend.map(pending_backwards::of(&before).rows(n))?;
        let below = backend.previous_smaller(&backwards)?;
        let ends = backend.map(end_of_reversed::of(&below).rows(n))?;
        let forest = of_ends(ARRAY, counts, &ends)?;
        same(ARRAY, counts, &forest.child_counts()?)?;
        Ok(forest)
    }

    /// Returns the forest of its indices in postorder.
    ///
    /// # Shape    index\[n\] of the nodes in preorder, u32
    /// # Cost     work O(n): a previous-smaller, a walk down, and the indices again; 68 bytes per node on the CPU
    /// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) or [`DuplicateTarget`](crate::Error::DuplicateTarget) if it is not a permutation,
    ///   [`NoSuchForest`](crate::Error::NoSuchForest) if it is none of a forest
    /// # Source   the inverse of [`Depths::postorder`]: the parent is the last earlier node with a greater index
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::from_postorder(&cpu.upload(&[5, 2, 0, 1, 3, 4, 6])?)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 2, 2, 1, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_postorder(places: &impl Column<Element = u32, Backend = B>) -> Result<Depths<B>> {
        let (backend, places) = (places.backend(), places.as_vec());
        const ARRAY: &str = "postorder";
        check_permutation(ARRAY, places)?;
        let from_last = backend.map(reversed::of(places))?;
        let forest = Depths::from_parents(&backend.previous_smaller(&from_last)?)?;
        same(ARRAY, places, &forest.postorder()?)?;
        Ok(forest)
    }

    /// The forest of its nodes in level order.
    ///
    /// # Shape    node\[n\], offset\[h\], u32, as [`Depths::level_order`] gives them
    /// # Cost     work O(n): an expand, a scatter, and the level order again; 60 bytes per node on the CPU
    /// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) or [`DuplicateTarget`](crate::Error::DuplicateTarget) if nodes are not a permutation,
    ///   [`InvalidOffset`](crate::Error::InvalidOffset) if offsets fall, [`InvalidDepth`](crate::Error::InvalidDepth) or [`NoSuchForest`](crate::Error::NoSuchForest) if there is none
    /// # Source   the inverse of [`Depths::level_order`]
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let (node, offset) = (cpu.upload(&[0, 6, 1, 4, 5, 2, 3])?, cpu.upload(&[0, 2, 5])?);
    /// let forest = Depths::from_level_order(&node, &offset)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 2, 2, 1, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_level_order(node: &impl Column<Element = u32, Backend = B>, offset: &B::Vec<u32>) -> Result<Depths<B>> {
        let (backend, node) = (node.backend(), node.as_vec());
        const ARRAY: &str = "level order";
        check_permutation(ARRAY, node)?;
        let n = node.len();
        let mut depth = backend.filled(n, 0)?;
        backend.scatter(&mut depth, node, &crate::segment::owners(offset, n)?)?;
        let forest = Depths::new(depth)?;
        let (nodes, offsets) = forest.level_order()?;
        if offsets.len() != offset.len() {
            return Err(Error::LengthMismatch { array: "level offset", expected: offsets.len(), found: offset.len() });
        }
        same(ARRAY, node, &nodes)?;
        same("level offset", offset, &offsets)?;
        Ok(forest)
    }

    /// The forest of its Euler tour.
    ///
    /// # Shape    node\[2 n\], u32, as [`Depths::euler_tour`] gives it
    /// # Cost     work O(n): a scan, the forest of the brackets, and the tour again; 112 bytes per node on the CPU
    /// # Errors   [`UnbalancedBrackets`](crate::Error::UnbalancedBrackets) or [`NoSuchForest`](crate::Error::NoSuchForest) if it is not a tour
    /// # Source   the inverse of [`Depths::euler_tour`]: a node opens where its number is the greatest so far
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, depth::Depths};
    /// let cpu = Cpu::new();
    /// let forest = Depths::from_euler_tour(&cpu.upload(&[0, 1, 1, 2, 2, 0])?)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_euler_tour(tour: &impl Column<Element = u32, Backend = B>) -> Result<Depths<B>> {
        let (backend, tour) = (tour.backend(), tour.as_vec());
        let (greatest, _) = backend.scan(ScanKind::Exclusive, tour, Max)?;
        let brackets = backend.map(opens::of(tour, &greatest))?;
        let forest = Depths::from_brackets(&brackets)?;
        same("Euler tour", tour, &forest.euler_tour()?)?;
        Ok(forest)
    }
}

#[device(compact)]
fn opens_late(i: usize, opens: &[u32]) -> bool {
    opens[i] > 2 * i as u32
}

#[device(map)]
fn depth_of_opening(i: usize, opens: &[u32]) -> u32 {
    2 * i as u32 - opens[i]
}

#[device(compact)]
fn size_outside(i: usize, size: &[u32]) -> bool {
    size[i] == 0 || size[i] as usize > size.len() - i
}

#[device(map)]
fn end_of(i: usize, size: &[u32]) -> u32 {
    i as u32 + size[i]
}

/// Returns the number of nodes still missing before node n - 1 - i, n for none. It wraps for counts of no forest.
#[device(map)]
fn pending_backwards(i: usize, before: &[u32]) -> u32 {
    let node = before.len() - 1 - i;
    before[node].wrapping_add((before.len() - node) as u32)
}

#[device(map)]
fn end_of_reversed(i: usize, below: &[u32]) -> u32 {
    let n = below.len() as u32;
    let found = below[below.len() - 1 - i];
    if found == NO_NODE { n } else { n - 1 - found }
}

#[device(map)]
fn depth_of_closed(i: usize, closed: &[u32]) -> u32 {
    (i as u32).wrapping_sub(closed[i])
}

#[device(map)]
fn opens(i: usize, tour: &[u32], greatest: &[u32]) -> u8 {
    (i == 0 || tour[i] > greatest[i]) as u8
}

#[device(compact)]
fn is_different(i: usize, a: &[u32], b: &[u32]) -> bool {
    a[i] != b[i]
}

/// The forest whose subtrees end there, if it is one: as deep as there are subtrees begun and not ended.
fn of_ends<B: Backend>(array: &'static str, view: &B::Vec<u32>, ends: &B::Vec<u32>) -> Result<Depths<B>> {
    let (n, backend) = (ends.len(), ends.backend());
    let ending = backend.histogram(ends, n)?;
    let (closed, _) = backend.scan(ScanKind::Inclusive, &ending, Sum)?;
    let depth = backend.map(depth_of_closed::of(&closed))?;
    let broken = backend.compact(breaks_the_rule::of(&depth))?;
    no_such_forest(array, view, &broken)?;
    Ok(Depths { depth })
}

/// An error at the first node of `wrong`, if there is one.
fn no_such_forest<B: Backend>(
    array: &'static str,
    view: &impl Column<Element = u32, Backend = B>,
    wrong: &B::Vec<u32>,
) -> Result<()> {
    match first::<B>(wrong)? {
        None => Ok(()),
        Some(index) => {
            Err(Error::NoSuchForest { array, index, found: view.backend().read(view.as_vec(), index)?.into() })
        }
    }
}

/// An error at the first node where a view is not that of the forest made of it.
fn same<B: Backend>(
    array: &'static str,
    view: &impl Column<Element = u32, Backend = B>,
    derived: &B::Vec<u32>,
) -> Result<()> {
    no_such_forest(array, view, &view.backend().compact(is_different::of(view, derived))?)
}
