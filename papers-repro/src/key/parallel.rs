//! treepar's variants. They flatten without a matrix, or find the nearest marked ancestor in an index path matrix or by the
//! general inner product of an ordinal path matrix.

use treepar::depth::{Depths, NO_NODE};
use treepar::device::device;
use treepar::key::{Order, Role, flatten, group};
use treepar::path::PathMatrix;
use treepar::{Backend, Column, Result, segment};

use super::recursive::Row;

const NODE: u8 = Role::Node as u8;
const ROOT: u8 = Role::Root as u8;
const REFERENCE: u8 = Role::Reference as u8;

/// Flattened expressions.
pub struct Flat<B: Backend> {
    node: B::Vec<u32>,
    role: B::Vec<u8>,
}

impl<B: Backend> Flat<B> {
    /// Returns whether these rows are the expected ones.
    pub fn is(&self, backend: &B, rows: &[Row]) -> Result<bool> {
        let (node, role) = (backend.download(&self.node)?, backend.download(&self.role)?);
        let mut ours = node.iter().zip(&role).zip(rows);
        Ok(node.len() == rows.len() && ours.all(|((&n, &r), row)| n == row.node && r == row.role as u8))
    }
}

/// Flattens with `treepar::key::flatten`, which needs no sort.
pub fn by_flatten<B: Backend>(forest: &Depths<B>, mark: &B::Vec<u8>) -> Result<Flat<B>> {
    let treepar::key::Flat { origin, role } = flatten(forest, mark, true)?;
    Ok(Flat { node: origin, role })
}

/// Flattens by Key from each node's enclosing expression, as in the paper, and prepends a head to each group.
pub fn by_key<B: Backend>(mark: &B::Vec<u8>, owner: B::Vec<u32>) -> Result<Flat<B>> {
    let (n, backend) = (mark.len(), mark.backend());
    // The root has no enclosing expression. Keys are inverted so that the last group comes first.
    let keys = backend.map(backwards::of(&owner).rows(n.saturating_sub(1)))?;
    let groups = group(&keys, Order::Sorted)?;
    let sizes = backend.map(one_more::of(&groups.sizes()?))?;
    let (starts, rows) = segment::offsets(&sizes)?;
    if n == 1 {
        // A single expression without parts has no group.
        return Ok(Flat { node: backend.filled(1, 0)?, role: backend.filled(1, ROOT)? });
    }
    let row = row_of::of(groups.permutation(), groups.offsets(), &owner, mark);
    let (node, role) = backend.expand(&starts, rows as usize, row)?;
    Ok(Flat { node, role })
}

/// Finds enclosing expressions by the general inner product of section 3.2.2, then calls [`by_key`].
pub fn by_inner_product<B: Backend>(paths: &PathMatrix<B>, mark: &B::Vec<u8>) -> Result<Flat<B>> {
    let backend = mark.backend();
    let expressions = backend.compact(mark)?;
    let nearest = paths.parents()?.nearest(&paths.select(&expressions)?)?;
    let owner = backend.map(expression_of::of(&nearest, &expressions))?;
    by_key::<B>(mark, owner)
}

#[device(map)]
fn backwards(i: usize, owner: &[u32]) -> u32 {
    u32::MAX - owner[i + 1]
}

#[device(map)]
fn one_more(g: usize, size: &[u32]) -> u32 {
    size[g] + 1
}

/// Row k of a group: its head, then its parts.
#[device(expand)]
fn row_of(group: usize, k: usize, permutation: &[u32], offsets: &[u32], owner: &[u32], mark: &[u8]) -> (u32, u8) {
    let first = offsets[group] as usize;
    if k == 0 {
        (owner[permutation[first] as usize + 1], ROOT)
    } else {
        let node = permutation[first + k - 1] + 1;
        (node, if mark[node as usize] != 0 { REFERENCE } else { NODE })
    }
}

#[device(map)]
fn expression_of(i: usize, nearest: &[u32], expressions: &[u32]) -> u32 {
    if nearest[i] == NO_NODE { NO_NODE } else { expressions[nearest[i] as usize] }
}
