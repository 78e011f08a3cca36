//! Walks over preorder forests.
//!
//! A parent comes before its children, so one pass in order walks down, and one pass in reverse walks up. Blocks run in
//! parallel. A downward walk first computes the values on the path from the root to the block's first node. In an upward
//! walk, nodes whose subtrees cross a block boundary are combined afterwards, in order. If the path is longer than an
//! eighth of the rows, one thread walks all rows: a chain takes as long as with a plain loop.
//!
//! A loop over rows is a function of its own, which gets all registers, and it owns its device function: it would read borrowed columns
//! again after each write.

use std::ops::Range;

use super::block::Bound;
use super::join::join;
use crate::device::{CarryFn, Element, Monoid, SlotsFn};

/// No parent.
const NONE: u32 = u32::MAX;

/// The value of a row, given that of its parent, or those of its children combined.
pub trait Walk<T>: Copy + Send + Sync {
    /// Returns the value of row `i`.
    fn value(self, i: usize, other: T) -> T;
}

impl<T, F: Fn(usize, T) -> T + Copy + Send + Sync> Walk<T> for F {
    #[inline(always)]
    fn value(self, i: usize, other: T) -> T {
        self(i, other)
    }
}

impl<F: CarryFn<Output = <F as CarryFn>::Carry>> Walk<F::Carry> for Bound<'_, F> {
    #[inline(always)]
    fn value(self, i: usize, other: F::Carry) -> F::Carry {
        F::call(i, other, self.args())
    }
}

/// The value of a row, given those of its children in slots.
pub trait WalkSlots<T>: Copy + Send + Sync {
    /// Returns the value of row `i`.
    fn value(self, i: usize, slots: &[T]) -> T;
}

impl<T, F: Fn(usize, &[T]) -> T + Copy + Send + Sync> WalkSlots<T> for F {
    #[inline(always)]
    fn value(self, i: usize, slots: &[T]) -> T {
        self(i, slots)
    }
}

impl<F: SlotsFn> WalkSlots<F::Output> for Bound<'_, F> {
    #[inline(always)]
    fn value(self, i: usize, slots: &[F::Output]) -> F::Output {
        F::call(i, slots, self.args())
    }
}

/// `out[i] = value(i, out[parents[i]])`, with `root` for a root's parent.
pub fn walk_down<T: Element>(parents: &[u32], out: &mut [T], root: T, grain: usize, values: impl Walk<T>) {
    walk_down_blocks(parents, out, 0, root, grain, values);
}

fn walk_down_blocks<T: Element>(
    parents: &[u32],
    out: &mut [T],
    first: usize,
    root: T,
    grain: usize,
    values: impl Walk<T>,
) {
    let n = out.len();
    if n > grain && depth_within(parents, first + n / 2, n / 8) {
        let (left, right) = out.split_at_mut(n / 2);
        join(
            || walk_down_blocks(parents, left, first, root, grain, values),
            || walk_down_blocks(parents, right, first + n / 2, root, grain, values),
        );
    } else {
        let path = Path::to(parents, first, root, values);
        walk_down_block(&parents[first..first + n], out, first, path, values);
    }
}

#[inline(never)]
fn walk_down_block<T: Element>(parents: &[u32], out: &mut [T], first: usize, mut path: Path<T>, values: impl Walk<T>) {
    for i in 0..parents.len().min(out.len()) {
        let parent = parents[i];
        let above = match out.get((parent as usize).wrapping_sub(first)) {
            Some(&above) => above,
            None if parent == path.node => path.value,
            None => path.back_to(parent),
        };
        out[i] = values.value(first + i, above);
    }
}

/// The path from a root to a node before a block, with its values.
struct Path<T> {
    above: Vec<(u32, T)>,
    node: u32,
    value: T,
}

impl<T: Element> Path<T> {
    /// The path to the parent of node `i`.
    fn to(parents: &[u32], i: usize, root: T, values: impl Walk<T>) -> Path<T> {
        let mut above = Vec::new();
        let mut node = parents.get(i).copied().unwrap_or(NONE);
        while node != NONE {
            above.push((node, root));
            node = parents[node as usize];
        }
        above.push((NONE, root));
        above.reverse();
        for k in 1..above.len() {
            above[k].1 = values.value(above[k].0 as usize, above[k - 1].1);
        }
        let (node, value) = above[above.len() - 1];
        Path { above, node, value }
    }

    /// Shortens the path to end with `node`. Later nodes do not need the removed part.
    #[cold]
    #[inline(never)]
    fn back_to(&mut self, node: u32) -> T {
        while self.above.len() > 1 && self.node != node {
            self.above.pop();
            (self.node, self.value) = self.above[self.above.len() - 1];
        }
        self.value
    }
}

/// Returns whether node `i` has at most `limit` ancestors.
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

/// Work of an upward walk that is left for the pass in order: nodes whose subtrees cross the block's end, and values of
/// children whose parents are such nodes or come before the block.
enum Deferred<T> {
    /// A node to compute.
    Node(u32),
    /// A value to combine into the value of a node.
    Value(u32, T),
}

/// `out[i] = value(i, c0 · c1 · ..)` with the values of the children of `i` in order; `identity` for a leaf.
///
/// Blocks run in parallel, each from its last node to its first. A node whose subtree ends in its block is computed there.
/// The others lie on the path from the root to the block's end, at most the tree's depth per block. A final pass in order
/// computes them from one combined value per run of their children.
///
/// Until a node is computed, its row of `out` has the combined values of its children.
pub fn walk_up<M: Monoid<T>, T: Element>(parents: &[u32], out: &mut [T], grain: usize, values: impl Walk<T>) {
    for item in walk_up_blocks::<M, T>(parents, out, 0, grain, values) {
        match item {
            Deferred::Value(node, value) => {
                out[node as usize] = M::combine(value, out[node as usize]);
            }
            Deferred::Node(node) => {
                let result = values.value(node as usize, out[node as usize]);
                out[node as usize] = result;
                let parent = parents[node as usize];
                if parent != NONE {
                    out[parent as usize] = M::combine(result, out[parent as usize]);
                }
            }
        }
    }
}

/// Walks the rows of `out`, whose first row is `first`. Returns the remaining work, in order.
fn walk_up_blocks<M: Monoid<T>, T: Element>(
    parents: &[u32],
    out: &mut [T],
    first: usize,
    grain: usize,
    values: impl Walk<T>,
) -> Vec<Deferred<T>> {
    let n = out.len();
    if n > grain && depth_within(parents, first + n / 2, n / 8) {
        let (left, right) = out.split_at_mut(n / 2);
        let (left, mut deferred) = join(
            || walk_up_blocks::<M, T>(parents, left, first, grain, values),
            || walk_up_blocks::<M, T>(parents, right, first + n / 2, grain, values),
        );
        deferred.extend(left);
        return deferred;
    }
    let mut deferred = Vec::new();
    out.fill(M::IDENTITY);
    for Run { rows, open } in runs(parents, first..first + n) {
        let out = &mut out[rows.start - first..rows.end - first];
        walk_up_rows::<M, T>(&parents[rows.clone()], out, rows.start, values, &mut deferred);
        deferred.extend(open.map(Deferred::Node));
    }
    deferred
}

/// Neighbouring rows of a block whose subtrees end in the block.
struct Run {
    rows: Range<usize>,
    /// The node before the rows, whose subtree goes on after the block; `None` for the first rows of the block.
    open: Option<u32>,
}

/// Returns the runs of a block, the last first.
fn runs(parents: &[u32], block: Range<usize>) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut end = block.end;
    let mut above = parents.get(end).copied().unwrap_or(NONE);
    while above != NONE && above as usize >= block.start {
        runs.push(Run { rows: above as usize + 1..end, open: Some(above) });
        end = above as usize;
        above = parents[end];
    }
    runs.push(Run { rows: block.start..end, open: None });
    runs
}

/// Walks the rows of a run; `first` is the first of them.
#[inline(never)]
fn walk_up_rows<M: Monoid<T>, T: Element>(
    parents: &[u32],
    out: &mut [T],
    first: usize,
    values: impl Walk<T>,
    deferred: &mut Vec<Deferred<T>>,
) {
    for i in (0..parents.len().min(out.len())).rev() {
        let result = values.value(first + i, out[i]);
        out[i] = result;
        match out.get_mut((parents[i] as usize).wrapping_sub(first)) {
            Some(slot) => *slot = M::combine(result, *slot),
            None if parents[i] != NONE => defer::<M, T>(deferred, parents[i], result),
            None => {}
        }
    }
}

/// Leaves a child's value to its parent, combined with the values of later children.
fn defer<M: Monoid<T>, T: Element>(deferred: &mut Vec<Deferred<T>>, parent: u32, value: T) {
    match deferred.last_mut() {
        Some(Deferred::Value(node, sum)) if *node == parent => *sum = M::combine(value, *sum),
        _ => deferred.push(Deferred::Value(parent, value)),
    }
}

/// Work of a walk with slots that is left for the pass in order: nodes whose subtrees cross the block's end, and values of
/// children whose parents come before the block.
enum Late<T> {
    /// A node to compute.
    Node(u32),
    /// A value for a slot.
    Slot(usize, T),
}

/// `out[i] = value(i, values[i * slots ..][.. slots])`, where each child writes its slot of `values` first.
///
/// Blocks run at once, as in [`walk_up`].
pub fn walk_slots<T: Element>(
    parents: &[u32],
    child: &[u32],
    out: &mut [T],
    values: &mut [T],
    slots: usize,
    grain: usize,
    of: impl WalkSlots<T>,
) {
    let slot_of = |i: usize| slot(parents[i], child[i], slots);
    for item in walk_slots_blocks((parents, child), out, values, 0, slots, grain, of) {
        match item {
            Late::Slot(at, value) => values[at] = value,
            Late::Node(node) => {
                let i = node as usize;
                out[i] = of.value(i, &values[i * slots..][..slots]);
                if let Some(at) = slot_of(i) {
                    values[at] = out[i];
                }
            }
        }
    }
}

/// Returns the index of a child's slot, if its parent has one for it.
fn slot(parent: u32, child: u32, slots: usize) -> Option<usize> {
    (parent != NONE && (child as usize) < slots).then(|| parent as usize * slots + child as usize)
}

/// Walks the rows of `out`, whose first row is `first`. Returns the remaining work, in order.
fn walk_slots_blocks<T: Element>(
    tree: (&[u32], &[u32]),
    out: &mut [T],
    values: &mut [T],
    first: usize,
    slots: usize,
    grain: usize,
    of: impl WalkSlots<T>,
) -> Vec<Late<T>> {
    let (parents, child) = tree;
    let n = out.len();
    if n > grain && depth_within(parents, first + n / 2, n / 8) {
        let (left, right) = out.split_at_mut(n / 2);
        let (values_left, values_right) = values.split_at_mut(n / 2 * slots);
        let (left, mut late) = join(
            || walk_slots_blocks(tree, left, values_left, first, slots, grain, of),
            || walk_slots_blocks(tree, right, values_right, first + n / 2, slots, grain, of),
        );
        late.extend(left);
        return late;
    }
    let mut late = Vec::new();
    for Run { rows, open } in runs(parents, first..first + n) {
        let tree = (&parents[rows.clone()], &child[rows.clone()]);
        let (from, end) = (rows.start - first, rows.end - first);
        let (out, values) = (&mut out[from..end], &mut values[from * slots..end * slots]);
        match slots {
            // Two operands are the most frequent case, and a known number of slots needs no checks in the loop.
            2 => walk_slots_rows(tree, out, values, rows.start, || 2, of, &mut late),
            _ => walk_slots_rows(tree, out, values, rows.start, || slots, of, &mut late),
        }
        late.extend(open.map(Late::Node));
    }
    late
}

/// Walks the rows of a run; `first` is the first of them. The number of slots is a function, so that each has a loop of its own.
#[inline(never)]
fn walk_slots_rows<T: Element>(
    (parents, child): (&[u32], &[u32]),
    out: &mut [T],
    values: &mut [T],
    first: usize,
    slots: impl Fn() -> usize,
    of: impl WalkSlots<T>,
    late: &mut Vec<Late<T>>,
) {
    let (n, slots) = (out.len(), slots());
    let (parents, child, values) = (&parents[..n], &child[..n], &mut values[..n * slots]);
    for i in (0..n).rev() {
        let result = of.value(first + i, &values[i * slots..][..slots]);
        out[i] = result;
        if child[i] as usize >= slots {
            continue;
        }
        // A parent before these rows, and no parent, have no slot here.
        let parent = (parents[i] as usize).wrapping_sub(first);
        match values.get_mut(parent.wrapping_mul(slots).wrapping_add(child[i] as usize)) {
            Some(slot) => *slot = result,
            None => late.extend(slot(parents[i], child[i], slots).map(|at| Late::Slot(at, result))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::*;
    use crate::monoid::{Sum, last_u32};

    /// Returns the parent of each node.
    fn parents(depth: &[u32]) -> Vec<u32> {
        let parent = |i: usize| depth[..i].iter().rposition(|&above| above < depth[i]);
        (0..depth.len()).map(|i| parent(i).map_or(NONE, |parent| parent as u32)).collect()
    }

    /// Returns the value of each node, computed from the values of its children in order.
    fn from_children<T: Copy + Default>(parents: &[u32], value: impl Fn(usize, &[T]) -> T) -> Vec<T> {
        let mut values = vec![T::default(); parents.len()];
        for i in (0..parents.len()).rev() {
            let children = (i + 1..parents.len()).filter(|&child| parents[child] == i as u32);
            let children: Vec<T> = children.map(|child| values[child]).collect();
            values[i] = value(i, &children);
        }
        values
    }

    /// Compares a walk up with one that has all children of a node at once.
    fn check_up<M: Monoid<u32>>(parents: &[u32], grain: usize) {
        let value = |i: usize, below: u32| below.rotate_left(3) ^ i as u32;
        let expected = from_children(parents, |i, children| {
            value(i, children.iter().fold(M::IDENTITY, |sum, &child| M::combine(sum, child)))
        });
        let mut out = vec![9; parents.len()];
        walk_up::<M, u32>(parents, &mut out, grain, value);
        assert_eq!(out, expected, "{parents:?} in blocks of {grain}");
    }

    /// Compares a walk with slots, some of which no child has.
    fn check_slots(parents: &[u32], slots: usize, grain: usize) {
        let value = move |i: usize, slots: &[u32]| {
            slots.iter().fold(i as u32, |sum, slot| sum.wrapping_mul(31).wrapping_add(*slot))
        };
        let child: Vec<u32> = (0..parents.len())
            .map(|i| parents[..i].iter().filter(|&&parent| parent == parents[i]).count() as u32)
            .collect();
        let expected = from_children(parents, |i, children| {
            let own: Vec<u32> = (0..slots).map(|k| children.get(k).copied().unwrap_or(7)).collect();
            value(i, &own)
        });
        let (mut out, mut values) = (vec![9; parents.len()], vec![7; slots * parents.len()]);
        walk_slots(parents, &child, &mut out, &mut values, slots, grain, value);
        assert_eq!(out, expected, "{parents:?} with {slots} slots in blocks of {grain}");
    }

    #[test]
    fn blocks_of_any_size_have_the_same_values() {
        let mut drawn = Drawn::new();
        for n in 0..90 {
            let depth = drawn.forest(n, 5);
            let parents = parents(&depth);
            for grain in [1, 2, 3, 7, 40, 100] {
                check_up::<Sum>(&parents, grain);
                check_up::<last_u32>(&parents, grain);
                for slots in [1, 2, 3] {
                    check_slots(&parents, slots, grain);
                }
                let mut out = vec![9; n];
                walk_down(&parents, &mut out, 0, grain, |_, above| above + 1);
                assert!(
                    out.iter().zip(&depth).all(|(&found, &depth)| found == depth + 1),
                    "{depth:?} in blocks of {grain}"
                );
            }
        }
    }
}
