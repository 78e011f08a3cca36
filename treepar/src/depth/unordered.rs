//! Forests from parents in any order of the nodes.
//!
//! ```text
//! row              0  1  2  3  4        order by parent   1 | 4  2 | 0  3      (3 is below 4, as is 0)
//! parent           4  -  1  4  1
//! ```
//!
//! The rows of a parent are its children, in the order of the rows. A tour enters each row and leaves it, so it has 2 n events,
//! and each event names the next one: entering leads to the first child or to leaving, and leaving leads to the next sibling
//! or to leaving the parent. The rank of an event in this list is its position from the end of the tour.

use super::{Depths, NO_NODE};
use crate::backend::{Checked, Followed};
use crate::device::device;
use crate::list::ranks_of;
use crate::monoid::index_u32;
use crate::sort::all_bits;
use crate::{Backend, Column, Error, Result};

#[device(compact)]
fn is_outside(i: usize, parent: &[u32]) -> bool {
    parent[i] != NO_NODE && parent[i] as usize >= parent.len()
}

/// Returns one more than the parent of row `i`, 0 for a root.
#[device(map)]
fn key_of_parent(i: usize, parent: &[u32]) -> u32 {
    parent[i].wrapping_add(1)
}

/// Returns the event after `e` in a forest of roots only: 2 i enters row i, and 2 i + 1 leaves it.
#[device(map)]
fn leaf_event(e: usize) -> u32 {
    e as u32 | 1
}

/// Returns the event that leaves row k of those sorted by parent, and the event after it.
#[device(map)]
fn after_leaving(k: usize, order: &[u32], key: &[u32]) -> (u32, u32) {
    let leave = 2 * order[k] + 1;
    if k + 1 < key.len() && key[k + 1] == key[k] {
        return (leave, 2 * order[k + 1]);
    }
    (leave, if key[k] == 0 { NO_NODE } else { 2 * (key[k] - 1) + 1 })
}

/// Returns the event that enters the parent of row k of those sorted by parent, if row k is the first child, and the event that
/// enters row k.
#[device(map)]
fn after_entering(k: usize, order: &[u32], key: &[u32]) -> (u32, u32) {
    let is_first = k == 0 || key[k - 1] != key[k];
    (if is_first && key[k] != 0 { 2 * (key[k] - 1) } else { NO_NODE }, 2 * order[k])
}

/// Returns the position of event `e` in the tour, and the event.
#[device(map)]
fn place_in_tour(e: usize, rank: &[u32]) -> (u32, u32) {
    (rank.len() as u32 - 1 - rank[e], e as u32)
}

#[device(compact)]
fn enters(place: usize, event: &[u32]) -> bool {
    event[place] & 1 == 0
}

/// Returns the depth and the row of node `i`.
#[device(map)]
fn node_of_tour(i: usize, place: &[u32], event: &[u32]) -> (u32, u32) {
    (2 * i as u32 - place[i], event[place[i] as usize] >> 1)
}

impl<B: Backend> Depths<B> {
    /// Returns the forest of parents in any order, and the row of each of its nodes.
    ///
    /// Siblings, and roots, are in the order of their rows. A gather by the rows brings other columns into preorder.
    ///
    /// # Shape    parent\[n\] u32, [`NO_NODE`] for a root -> forest of n nodes, row\[n\] u32
    /// # Cost     work O(n log n): a sort by parent, a ranking of a list of 2 n links ([`list::ranks`](crate::list::ranks)), and about
    ///   ten passes; on a CPU work O(n) on one thread, 36 bytes per node
    /// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) for a parent that is not a row, [`Cycle`](crate::Error::Cycle) at the
    ///   first row that is its own ancestor or below such a row
    /// # Source   Tarjan and Vishkin 1985: Euler tours
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, Error, depth::{Depths, NO_NODE}};
    /// let cpu = Cpu::new();
    /// let parent = cpu.upload(&[4, NO_NODE, 1, 4, 1])?;
    /// let (forest, row) = Depths::from_unordered_parents(&parent)?;
    /// assert_eq!(cpu.download(forest.depths())?, [0, 1, 1, 2, 2]);
    /// assert_eq!(cpu.download(&row)?, [1, 2, 4, 0, 3]);
    /// let wrong = Depths::from_unordered_parents(&cpu.upload(&[NO_NODE, 2, 1])?);
    /// assert_eq!(wrong.err(), Some(Error::Cycle { array: "parent", index: 1 }));
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn from_unordered_parents(
        parent: &impl Column<Element = u32, Backend = B>,
    ) -> Result<(Depths<B>, B::Vec<u32>)> {
        const ARRAY: &str = "parent";
        let (backend, parent) = (parent.backend(), parent.as_vec());
        let n = parent.len();
        if let Some(index) = super::first::<B>(&backend.compact(is_outside::of(parent))?)? {
            let found = backend.read(parent, index)?.into();
            return Err(Error::IndexOutOfRange { array: ARRAY, index, found, limit: n as u64 });
        }
        let (mut depth, mut row) = (backend.allocate(n)?, backend.allocate(n)?);
        match backend.run_preorder(Checked, parent, &mut depth, &mut row)? {
            Followed::ToTheEnd => return Ok((Depths { depth }, row)),
            Followed::IntoCycle(index) => return Err(Error::Cycle { array: ARRAY, index }),
            Followed::ByTemplates => {}
        }
        let keys = backend.map(key_of_parent::of(parent))?;
        let rows = backend.map(index_u32::of().rows(n))?;
        let (key, order) = backend.sort_by_key_bits(&keys, &rows, all_bits(n as u64) as u32)?;
        let mut next = backend.map(leaf_event::of().rows(2 * n))?;
        let (leave, after) = backend.map(after_leaving::of(&order, &key))?;
        backend.scatter(&mut next, &leave, &after)?;
        let (enter, child) = backend.map(after_entering::of(&order, &key))?;
        backend.scatter(&mut next, &enter, &child)?;
        let rank = ranks_of(&next, ARRAY, 2)?;
        let (place, event) = backend.map(place_in_tour::of(&rank))?;
        let mut tour = next;
        backend.scatter(&mut tour, &place, &event)?;
        let entered = backend.compact(enters::of(&tour))?;
        let (depth, row) = backend.map(node_of_tour::of(&entered, &tour))?;
        Ok((Depths { depth }, row))
    }
}
