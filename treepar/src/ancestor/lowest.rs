//! Lowest common ancestors, of many pairs after one preparation.
//!
//! Between two nodes of the preorder, the least deep node is a child of their lowest common ancestor. A tree of block
//! minima finds it: blocks of [`FAN`] nodes, blocks of blocks, and so on.

use crate::backend::check_length;
use crate::depth::{Depths, Parents};
use crate::device::device;
use crate::sort::check_rows;
use crate::{Backend, Column, Result};

/// Nodes of a block, and blocks of a block of blocks.
const FAN: u32 = 32;

/// A forest prepared for questions about pairs of nodes.
pub struct LowestCommon<B: Backend> {
    depth: B::Vec<u32>,
    parents: Parents<B>,
    /// The least deep node of each block, then of each block of blocks, and so on.
    least: B::Vec<u32>,
}

#[device]
fn less_deep(a: u32, b: u32, depth: &[u32]) -> u32 {
    if depth[b as usize] < depth[a as usize] { b } else { a }
}

#[device(map)]
fn least_of_nodes(block: usize, depth: &[u32]) -> u32 {
    let first = block as u32 * FAN;
    let end = (first as u64 + FAN as u64).min(depth.len() as u64) as u32;
    let mut least = first;
    for i in first..end {
        least = less_deep(least, i, depth);
    }
    least
}

#[device(map)]
fn least_of_blocks(block: usize, blocks: &[u32], depth: &[u32]) -> u32 {
    let first = block * FAN as usize;
    let end = (first + FAN as usize).min(blocks.len());
    let mut least = blocks[first];
    for i in first..end {
        least = less_deep(least, blocks[i], depth);
    }
    least
}

/// Entry `at` of a level of the tree of minima: the nodes themselves, or blocks, from `start` on.
#[device]
fn entry(at: u32, level: u32, start: u32, least: &[u32]) -> u32 {
    if level == 0 { at } else { least[(start + at) as usize] }
}

#[device(map)]
fn lowest(k: usize, a: &[u32], b: &[u32], depth: &[u32], parent: &[u32], least: &[u32]) -> u32 {
    let first = a[k].min(b[k]);
    let last = a[k].max(b[k]);
    // The least deep of the nodes after the first, up to the last.
    let mut found = last;
    let mut from = first + 1;
    let mut to = last;
    let mut level = 0u32;
    let mut start = 0u32;
    let mut entries = depth.len() as u32;
    while from < to {
        while from < to && from % FAN != 0 {
            found = less_deep(found, entry(from, level, start, least), depth);
            from += 1;
        }
        while from < to && to % FAN != 0 {
            to -= 1;
            found = less_deep(found, entry(to, level, start, least), depth);
        }
        start = if level == 0 { 0 } else { start + entries };
        entries = entries / FAN + (entries % FAN != 0) as u32;
        level += 1;
        from /= FAN;
        to /= FAN;
    }
    if first == last { first } else { parent[found as usize] }
}

impl<B: Backend> LowestCommon<B> {
    /// Prepares a forest.
    ///
    /// # Shape    depth\[n\] -> parents\[n\], n / 31 minima
    /// # Cost     work O(n): parents, and a map for each level of minima, log(n) / 5 of them; 17 bytes per node
    /// # Errors   only general ones
    /// # Source   Berkman and Vishkin's reduction to range minima, directly on the depths, without an Euler tour
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, ancestor::LowestCommon, depth::{Depths, NO_NODE}};
    /// let cpu = Cpu::new();
    /// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 0])?)?;
    /// let (a, b) = (cpu.upload(&[2, 3, 1, 4, 5])?, cpu.upload(&[3, 4, 3, 4, 2])?);
    /// let found = LowestCommon::new(&forest)?.of(&a, &b)?;
    /// assert_eq!(cpu.download(&found)?, [1, 0, 1, 4, NO_NODE]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(forest: &Depths<B>) -> Result<LowestCommon<B>> {
        let backend = forest.backend();
        let depth = backend.slice(forest.depths(), 0..forest.len())?;
        let mut levels: Vec<B::Vec<u32>> = Vec::new();
        loop {
            let fan = FAN as usize;
            let next = match levels.last() {
                None if forest.len() > fan => {
                    backend.map(least_of_nodes::of(&depth).rows(forest.len().div_ceil(fan)))?
                }
                Some(last) if last.len() > fan => {
                    backend.map(least_of_blocks::of(last, &depth).rows(last.len().div_ceil(fan)))?
                }
                _ => break,
            };
            levels.push(next);
        }
        let least = backend.concat(&levels.iter().collect::<Vec<_>>())?;
        Ok(LowestCommon { depth, parents: forest.parents()?, least })
    }

    /// Returns the lowest common ancestor of each pair, which may be one of the two; [`NO_NODE`](crate::depth::NO_NODE) of nodes in
    /// different trees.
    ///
    /// # Shape    a\[m\], b\[m\] nodes -> node\[m\], u32
    /// # Cost     work O(log n) a pair: at most 64 reads for each level of minima; two checks of rows and one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch), [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a pair is not one of nodes
    /// # Source   as [`LowestCommon::new`]
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, ancestor::LowestCommon, depth::Depths};
    /// let cpu = Cpu::new();
    /// let lowest = LowestCommon::new(&Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 1])?)?)?;
    /// assert_eq!(lowest.of(&cpu.upload(&[2, 2])?, &cpu.upload(&[3, 4])?)?[..], [1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn of(&self, a: &B::Vec<u32>, b: &B::Vec<u32>) -> Result<B::Vec<u32>> {
        check_length("b", a.len(), b.len())?;
        check_rows("a", a, self.depth.len())?;
        check_rows("b", b, self.depth.len())?;
        a.backend().map(lowest::of(a, b, &self.depth, &self.parents, &self.least))
    }
}
