//! The nodes of a forest in level order, by a count per depth.
//!
//! Each block of rows counts its nodes per depth. The counts become the first row of each depth and block, and then each block
//! writes its nodes there. A sort by depth does the same for each eight bits of depth, with keys and payloads.

use super::scatter::Shared;
use super::sort::each;
use super::{Cpu, CpuVec, rows};
use crate::{Backend, Result};

/// Returns the nodes in level order, and where each level begins there; `None` if blocks would have more counts than nodes.
pub fn level_order(cpu: &Cpu, depth: &[u32], grain: usize) -> Result<Option<(CpuVec<u32>, CpuVec<u32>)>> {
    let mut blocks: Vec<_> = depth.chunks(grain).map(|rows| (rows, Vec::new())).collect();
    each(&mut blocks, 0, &|_, (rows, counts)| *counts = count(rows));
    by_counts(cpu, depth, grain, blocks)
}

/// Returns the rows of blocks in order, where the counts of each block are known.
fn by_counts(
    cpu: &Cpu,
    depth: &[u32],
    grain: usize,
    mut blocks: Vec<(&[u32], Vec<u32>)>,
) -> Result<Option<(CpuVec<u32>, CpuVec<u32>)>> {
    let levels = blocks.iter().map(|(_, counts)| counts.len()).max().unwrap_or(0);
    // One block has no more levels than nodes.
    if blocks.len() > 1 && levels * blocks.len() > depth.len() {
        return Ok(None);
    }
    let (mut nodes, mut offsets) = (cpu.allocate::<u32>(depth.len())?, cpu.allocate::<u32>(levels)?);
    let mut sum = 0;
    for (level, offset) in offsets.iter_mut().enumerate() {
        *offset = sum;
        for counts in blocks.iter_mut().filter_map(|(_, counts)| counts.get_mut(level)) {
            sum += std::mem::replace(counts, sum);
        }
    }
    let to = Shared::new(&mut nodes);
    each(&mut blocks, 0, &|b, (rows, next)| {
        let (to, next) = (to, &mut next[..]);
        for (node, &depth) in (b * grain..).zip(rows.iter()) {
            let row = &mut next[depth as usize];
            to.write(*row as usize, node as u32);
            *row += 1;
        }
    });
    Ok(Some((nodes, offsets)))
}

/// Keys below this limit are counted: so many places to write to stay in a core's cache.
const KEYS: usize = 1 << 12;

/// Returns the rows in the order of their keys, and where each group of equal keys begins there; `None` unless keys are small.
pub fn groups(cpu: &Cpu, keys: &[u32], grain: usize) -> Result<Option<(CpuVec<u32>, CpuVec<u32>)>> {
    // Most columns with a large key have one early.
    if !rows::are_below(&keys[..keys.len().min(KEYS)], KEYS, KEYS) {
        return Ok(None);
    }
    let mut blocks: Vec<_> = keys.chunks(grain).map(|rows| (rows, Vec::new())).collect();
    each(&mut blocks, 0, &|_, (rows, counts)| *counts = count_small(rows));
    if blocks.iter().any(|(_, counts)| counts.len() > KEYS) {
        return Ok(None);
    }
    let Some((order, mut offsets)) = by_counts(cpu, keys, grain, blocks)? else { return Ok(None) };
    // A number that no row has as its key begins where the next one does.
    let mut groups = 0;
    for key in 0..offsets.len() {
        let end = offsets.get(key + 1).copied().unwrap_or(keys.len() as u32);
        if offsets[key] < end {
            offsets[groups] = offsets[key];
            groups += 1;
        }
    }
    offsets.truncate(groups);
    Ok(Some((order, offsets)))
}

/// Returns the number of rows of each key, up to the greatest key. If a key is not below [`KEYS`], there are more counts than that.
fn count_small(keys: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; KEYS + 1];
    for &key in keys {
        counts[(key as usize).min(KEYS)] += 1;
    }
    let most = counts.iter().rposition(|&count| count > 0);
    counts.truncate(most.map_or(0, |most| most + 1));
    counts
}

/// Returns the number of nodes of each depth.
fn count(depth: &[u32]) -> Vec<u32> {
    let (mut counts, mut rest) = (Vec::new(), depth);
    // The loop ends where a depth needs more counts. It would read where the counts are after each write if it could move them.
    while let Some(&first) = rest.first() {
        counts.resize(counts.len().max(first as usize + 1), 0);
        let counts = &mut counts[..];
        let known = rest.iter().map_while(|&depth| counts.get_mut(depth as usize).map(|count| *count += 1)).count();
        rest = &rest[known..];
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::super::drawn::Drawn;
    use super::*;

    #[test]
    fn blocks_of_any_size_give_the_same_order() {
        let cpu = Cpu::with_threads(1);
        let mut drawn = Drawn::new();
        for n in 0..60 {
            let depth = drawn.forest(n, 16);
            let mut expected: Vec<u32> = (0..n as u32).collect();
            expected.sort_by_key(|&node| depth[node as usize]);
            let first = |level: u32| depth.iter().filter(|&&depth| depth < level).count() as u32;
            let levels = depth.iter().max().map_or(0, |most| most + 1);
            for grain in 1..70 {
                match level_order(&cpu, &depth, grain).unwrap() {
                    Some((nodes, offsets)) => {
                        assert_eq!(nodes[..], expected, "{depth:?} in blocks of {grain}");
                        assert_eq!(offsets[..], (0..levels).map(first).collect::<Vec<_>>());
                    }
                    None => assert!(levels as usize * depth.len().div_ceil(grain) > depth.len()),
                }
            }
        }
    }
}
