//! Sums of subtrees, by one thread.
//!
//! ```text
//! depth    0 1 2 2 1      from the last node to the first: sum[d] is the sum of the subtrees at depth d since the last node
//! values   1 2 4 8 3      of depth d - 1. A node takes sum[d + 1], which is then nothing, and adds its own to sum[d].
//! out     18 14 4 8 3
//! ```

use crate::device::{Element, Monoid};

/// Nodes whose depths are looked at together.
const CHUNK: usize = 1024;

/// Computes the combined values of the subtree of each node, where the monoid commutes.
pub fn subtree_sums<M: Monoid<T>, T: Element>(depth: &[u32], values: &[T], out: &mut [T]) {
    let mut sums: Vec<T> = Vec::new();
    let chunks = depth.chunks(CHUNK).zip(values.chunks(CHUNK)).zip(out.chunks_mut(CHUNK));
    for ((depth, values), out) in chunks.rev() {
        let most = depth.iter().fold(0, |most: u32, &depth| most.max(depth)) as usize;
        if sums.len() < most + 2 {
            sums.resize(2 * (most + 2), M::IDENTITY);
        }
        let sums = &mut sums[..];
        for ((&depth, &value), out) in depth.iter().zip(values).zip(out).rev() {
            let at = depth as usize;
            let sum = M::combine(value, sums[at + 1]);
            sums[at + 1] = M::IDENTITY;
            sums[at] = M::combine(sum, sums[at]);
            *out = sum;
        }
    }
}
