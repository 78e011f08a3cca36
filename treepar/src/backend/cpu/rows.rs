//! Loops over rows: map, expand, compact.

use super::{Cpu, CpuVec};
use crate::device::Slices;
use crate::{Backend, Result};

/// `slices[i - first] = row(i)` for the `n` rows from `first` on.
pub fn fill<S: Slices>(slices: S, first: usize, n: usize, grain: usize, row: &(impl Fn(usize) -> S::Row + Sync)) {
    if n <= grain {
        let mut slices = slices.truncate(n);
        for i in 0..n {
            slices.set(i, row(first + i));
        }
        return;
    }
    let middle = n / 2;
    let (left, right) = slices.split_at(middle);
    rayon::join(|| fill(left, first, middle, grain, row), || fill(right, first + middle, n - middle, grain, row));
}

/// `slices[offsets[owner] + k - first] = row(owner, k)` for the `m` rows from `first` on.
pub fn expand<S: Slices>(
    slices: S,
    first: usize,
    m: usize,
    grain: usize,
    offsets: &[u32],
    row: &(impl Fn(usize, usize) -> S::Row + Sync),
) {
    if m > grain {
        let middle = m / 2;
        let (left, right) = slices.split_at(middle);
        rayon::join(
            || expand(left, first, middle, grain, offsets, row),
            || expand(right, first + middle, m - middle, grain, offsets, row),
        );
        return;
    }
    if m == 0 {
        return;
    }
    let mut slices = slices.truncate(m);
    // The last owner whose rows begin at or before `first`: those with no rows stand before it.
    let mut owner = offsets.partition_point(|&offset| offset as usize <= first) - 1;
    let mut at = 0;
    while at < m {
        let begin = offsets[owner] as usize;
        let end = offsets.get(owner + 1).map_or(first + m, |&next| (next as usize).min(first + m));
        while first + at < end {
            slices.set(at, row(owner, first + at - begin));
            at += 1;
        }
        owner += 1;
    }
}

/// The rows that `keep` holds for, in order.
pub fn compact(cpu: &Cpu, n: usize, keep: &(impl Fn(usize) -> bool + Sync)) -> Result<CpuVec<u32>> {
    let block = cpu.grain(n);
    let blocks = n.div_ceil(block);
    let mut kept = vec![0u32; blocks];
    fill(&mut kept[..], 0, blocks, 1, &|b| (b * block..n.min((b + 1) * block)).filter(|&i| keep(i)).count() as u32);
    let mut out = cpu.allocate::<u32>(kept.iter().sum::<u32>() as usize)?;
    place(&mut out, &kept, 0, block, n, keep);
    Ok(out)
}

fn place(
    out: &mut [u32],
    kept: &[u32],
    first_block: usize,
    block: usize,
    n: usize,
    keep: &(impl Fn(usize) -> bool + Sync),
) {
    match kept.len() {
        0 => {}
        1 => {
            let rows = first_block * block..n.min((first_block + 1) * block);
            for (slot, i) in out.iter_mut().zip(rows.filter(|&i| keep(i))) {
                *slot = i as u32;
            }
        }
        blocks => {
            let (left, right) = kept.split_at(blocks / 2);
            let (out_left, out_right) = out.split_at_mut(left.iter().sum::<u32>() as usize);
            rayon::join(
                || place(out_left, left, first_block, block, n, keep),
                || place(out_right, right, first_block + blocks / 2, block, n, keep),
            );
        }
    }
}
