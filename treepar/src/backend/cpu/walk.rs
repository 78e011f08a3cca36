//! Walks over preorder forests.
//!
//! A parent stands before its children, so that one pass in order walks down. A block begins with the values on the
//! path from the root to its first node, which it works out for itself: only those are asked for from before it.

use crate::device::{Element, Monoid};

/// No parent.
const NONE: u32 = u32::MAX;

/// `out[i] = value(i, out[parents[i]])`, with `root` for a root's parent.
pub fn walk_down<T: Element>(
    parents: &[u32],
    out: &mut [T],
    root: T,
    grain: usize,
    value: &(impl Fn(usize, T) -> T + Sync),
) {
    walk_block(parents, out, 0, root, grain, value);
}

fn walk_block<T: Element>(
    parents: &[u32],
    out: &mut [T],
    first: usize,
    root: T,
    grain: usize,
    value: &(impl Fn(usize, T) -> T + Sync),
) {
    let n = out.len();
    if n > grain {
        let middle = n / 2;
        // A path longer than the half costs more than to walk the left half first.
        if depth_within(parents, first + middle, middle) {
            let (left, right) = out.split_at_mut(middle);
            rayon::join(
                || walk_block(parents, left, first, root, grain, value),
                || walk_block(parents, right, first + middle, root, grain, value),
            );
            return;
        }
    }
    let mut path = path_values(parents, first, root, value);
    for i in first..first + n {
        let parent = parents[i];
        let above = if parent == NONE {
            root
        } else if parent as usize >= first {
            out[parent as usize - first]
        } else {
            // What the path holds below this parent is closed for good.
            while path.last().is_some_and(|&(node, _)| node != parent) {
                path.pop();
            }
            path.last().map_or(root, |&(_, value)| value)
        };
        out[i - first] = value(i, above);
    }
}

/// Whether node `i` has at most `limit` ancestors.
fn depth_within(parents: &[u32], i: usize, limit: usize) -> bool {
    let mut node = parents[i];
    for _ in 0..=limit {
        if node == NONE {
            return true;
        }
        node = parents[node as usize];
    }
    false
}

/// The strict ancestors of node `i`, from the root down, with their values.
fn path_values<T: Element>(parents: &[u32], i: usize, root: T, value: &impl Fn(usize, T) -> T) -> Vec<(u32, T)> {
    let mut path = Vec::new();
    let mut node = parents.get(i).copied().unwrap_or(NONE);
    while node != NONE {
        path.push((node, root));
        node = parents[node as usize];
    }
    path.reverse();
    let mut above = root;
    for (node, slot) in &mut path {
        above = value(*node as usize, above);
        *slot = above;
    }
    path
}

/// What a block of a walk up leaves to be done in order: nodes whose subtrees reach beyond the block, and the values
/// of their children and of those whose parents stand before the block.
enum Deferred<T> {
    /// A node to compute.
    Node(u32),
    /// A value to combine into what a node has.
    Value(u32, T),
}

/// `out[i] = value(i, c0 · c1 · ..)` with the values of the children of `i` in order; `identity` for a leaf.
///
/// Blocks run at once, each from its last node to its first. A node whose subtree ends in its block is computed there;
/// the others lie on the path from the root to the block's end, and are left for a pass in order at the end, with one
/// combined value for each run of their children: as many as the tree is deep, for each block.
pub fn walk_up<M: Monoid>(
    parents: &[u32],
    out: &mut [M::T],
    gathered: &mut [M::T],
    grain: usize,
    value: &(impl Fn(usize, M::T) -> M::T + Sync),
) {
    let blocks = parents.len().div_ceil(grain);
    let mut deferred: Vec<Vec<Deferred<M::T>>> = (0..blocks).map(|_| Vec::new()).collect();
    walk_up_blocks::<M>(parents, out, gathered, &mut deferred, 0, grain, value);
    for item in deferred.into_iter().rev().flatten() {
        match item {
            Deferred::Value(node, value) => {
                gathered[node as usize] = M::combine(value, gathered[node as usize]);
            }
            Deferred::Node(node) => {
                let result = value(node as usize, gathered[node as usize]);
                out[node as usize] = result;
                let parent = parents[node as usize];
                if parent != NONE {
                    gathered[parent as usize] = M::combine(result, gathered[parent as usize]);
                }
            }
        }
    }
}

fn walk_up_blocks<M: Monoid>(
    parents: &[u32],
    out: &mut [M::T],
    gathered: &mut [M::T],
    deferred: &mut [Vec<Deferred<M::T>>],
    first: usize,
    grain: usize,
    value: &(impl Fn(usize, M::T) -> M::T + Sync),
) {
    match deferred {
        [] => {}
        [deferred] => walk_up_block::<M>(parents, out, gathered, deferred, first, value),
        _ => {
            let blocks = deferred.len() / 2;
            let rows = blocks * grain;
            let (out_left, out_right) = out.split_at_mut(rows);
            let (gathered_left, gathered_right) = gathered.split_at_mut(rows);
            let (deferred_left, deferred_right) = deferred.split_at_mut(blocks);
            rayon::join(
                || walk_up_blocks::<M>(parents, out_left, gathered_left, deferred_left, first, grain, value),
                || {
                    let first = first + rows;
                    walk_up_blocks::<M>(parents, out_right, gathered_right, deferred_right, first, grain, value);
                },
            );
        }
    }
}

fn walk_up_block<M: Monoid>(
    parents: &[u32],
    out: &mut [M::T],
    gathered: &mut [M::T],
    deferred: &mut Vec<Deferred<M::T>>,
    first: usize,
    value: &impl Fn(usize, M::T) -> M::T,
) {
    gathered.fill(M::IDENTITY);
    // The nodes of this block with descendants behind it, last first.
    let mut open = Vec::new();
    let mut above = parents.get(first + out.len()).copied().unwrap_or(NONE);
    while above != NONE && above as usize >= first {
        open.push(above);
        above = parents[above as usize];
    }
    let mut next_open = 0;
    for i in (first..first + out.len()).rev() {
        if open.get(next_open) == Some(&(i as u32)) {
            deferred.push(Deferred::Node(i as u32));
            next_open += 1;
            continue;
        }
        let result = value(i, gathered[i - first]);
        out[i - first] = result;
        let parent = parents[i];
        if parent == NONE {
            continue;
        }
        let is_deferred = (parent as usize) < first || open.get(next_open) == Some(&parent);
        if !is_deferred {
            let slot = &mut gathered[parent as usize - first];
            *slot = M::combine(result, *slot);
        } else if let Some(Deferred::Value(node, sum)) = deferred.last_mut().filter(|last| last.is_value_of(parent)) {
            debug_assert_eq!(*node, parent);
            *sum = M::combine(result, *sum);
        } else {
            deferred.push(Deferred::Value(parent, result));
        }
    }
}

impl<T> Deferred<T> {
    fn is_value_of(&self, parent: u32) -> bool {
        matches!(self, Deferred::Value(node, _) if *node == parent)
    }
}
