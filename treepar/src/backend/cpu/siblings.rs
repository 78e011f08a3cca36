//! The index of each node among its siblings, by a count per depth.
//!
//! ```text
//! depth                0 1 2 2 1      next[d] is the number of children so far of the last node of depth d - 1
//! out                  0 0 0 1 1      = next[d]; then next[d] is one more, and next[d + 1] is 0
//! ```
//!
//! Blocks of rows run in parallel, each with counts of its own. A node whose parent comes before the block is at most as deep as
//! all nodes of the block before it. The counts of the earlier blocks are then added to these nodes.

use super::sort::each;

/// The counts of a block, by depth from `least` on.
#[derive(Default)]
struct Counts {
    /// The least depth of the block.
    least: u32,
    /// The counts after the block.
    next: Vec<u32>,
    /// The counts before the block, up to the depth of its first node.
    before: Vec<u32>,
}

/// Computes the index of each node of a forest with these depths, in blocks of `grain` rows.
pub fn child_indices(depth: &[u32], out: &mut [u32], grain: usize) {
    let mut blocks: Vec<_> =
        depth.chunks(grain).zip(out.chunks_mut(grain)).map(|rows| (rows, Counts::default())).collect();
    each(&mut blocks, 0, &|_, ((depth, out), counts)| *counts = count(depth, out));
    if blocks.len() < 2 {
        return;
    }
    // The counts after all blocks so far, up to the children of the last node.
    let mut open = vec![0];
    for ((depth, _), counts) in &mut blocks {
        let least = counts.least as usize;
        let [first, last] = [depth[0], depth[depth.len() - 1]].map(|depth| depth as usize);
        counts.before = open[least..=first].to_vec();
        open.truncate(least + 1);
        open[least] += counts.next[0];
        open.extend(&counts.next[1..last - least + 2]);
    }
    each(&mut blocks, 0, &|_, ((depth, out), counts)| add(depth, out, counts));
}

/// Computes the indices of a block whose first node has no earlier sibling.
fn count(depth: &[u32], out: &mut [u32]) -> Counts {
    let Some(&first) = depth.first() else { return Counts::default() };
    let least = depth.iter().fold(first, |least, &depth| least.min(depth));
    let mut next = vec![0; (first - least) as usize + 2];
    for (&depth, out) in depth.iter().zip(out) {
        let at = (depth - least) as usize;
        if next.len() < at + 2 {
            next.resize(2 * (at + 2), 0);
        }
        *out = next[at];
        next[at] += 1;
        next[at + 1] = 0;
    }
    Counts { least, next, before: Vec::new() }
}

/// Adds the counts before a block to the nodes whose parents come before it.
fn add(depth: &[u32], out: &mut [u32], counts: &Counts) {
    let Counts { least, before, .. } = counts;
    let mut lowest = u32::MAX;
    let mut rows = depth.iter().zip(out);
    while lowest > *least {
        let Some((&depth, out)) = rows.next() else { return };
        if depth <= lowest {
            lowest = depth;
            *out += before[(depth - least) as usize];
        }
    }
    let earlier = before[0];
    if earlier > 0 {
        rows.for_each(|(depth, out)| *out += if depth == least { earlier } else { 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::*;

    /// Counts the earlier rows with the same parent, for each row.
    fn plain(depth: &[u32]) -> Vec<u32> {
        let index = |i: usize| {
            let before = depth[..i].iter().rev().take_while(|&&other| other >= depth[i]);
            before.filter(|&&other| other == depth[i]).count() as u32
        };
        (0..depth.len()).map(index).collect()
    }

    #[test]
    fn blocks_of_any_size_count_the_same() {
        let mut forests: Vec<Vec<u32>> =
            vec![vec![], vec![0], vec![0; 9], (0..20).collect(), (0..21).map(|i| i.min(1)).collect()];
        let mut drawn = Drawn::new();
        forests.extend((2..60).map(|n| drawn.forest(n, 16)));
        for depth in forests {
            for grain in 1..70 {
                let mut out = vec![7; depth.len()];
                child_indices(&depth, &mut out, grain);
                assert_eq!(out, plain(&depth), "{depth:?} in blocks of {grain}");
            }
        }
    }
}
