//! Walks over preorder forests.
//!
//! A parent stands before its children, so that one pass in order walks down. A block begins with the values on the
//! path from the root to its first node, which it works out for itself: only those are asked for from before it.

use crate::device::Element;

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
fn path_values<T: Element>(
    parents: &[u32],
    i: usize,
    root: T,
    value: &impl Fn(usize, T) -> T,
) -> Vec<(u32, T)> {
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
