//! All nearest smaller values.
//!
//! Within a block, a row follows the links of its neighbour: each link leads to the next smaller key, so that a row
//! skips what its neighbour skipped. A row that leaves its block looks for a block with a smaller minimum, and there
//! for the row. Of a block's rows only those below all before them leave it, so that this costs little.

use super::rows;

/// No row.
const NONE: u32 = u32::MAX;

/// For each row the last one before it with a smaller key, or `u32::MAX`.
pub fn previous_smaller(keys: &[u32], out: &mut [u32], grain: usize) {
    let n = keys.len();
    let minima = minima(keys, grain);
    blocks(out, 0, grain, &|first, out: &mut [u32]| {
        // The row where the search outside the block goes on: keys that leave the block fall, and so do their answers.
        let mut outside = first;
        for i in first..first + out.len() {
            let mut j = i;
            out[i - first] = loop {
                if j == first {
                    outside = previous_below(keys, &minima, grain, outside, keys[i]);
                    break if outside == 0 { NONE } else { outside as u32 - 1 };
                }
                j -= 1;
                if keys[j] < keys[i] {
                    break j as u32;
                }
                let link = out[j - first];
                if link == NONE || (link as usize) < first {
                    j = first;
                } else {
                    j = link as usize + 1;
                }
            };
        }
    });
    debug_assert_eq!(out.len(), n);
}

/// One more than the last row before `end` with a key below `key`, or 0.
fn previous_below(keys: &[u32], minima: &[u32], grain: usize, end: usize, key: u32) -> usize {
    let mut end = end;
    while end > 0 {
        let begin = (end - 1) / grain * grain;
        if minima[begin / grain] < key
            && let Some(k) = keys[begin..end].iter().rposition(|&other| other < key)
        {
            return begin + k + 1;
        }
        end = begin;
    }
    0
}

/// For each row the first one after it whose key is not greater, or the number of rows.
pub fn next_smaller_or_equal(keys: &[u32], out: &mut [u32], grain: usize) {
    let n = keys.len();
    let minima = minima(keys, grain);
    blocks(out, 0, grain, &|first, out: &mut [u32]| {
        let last = first + out.len();
        let mut outside = last;
        for i in (first..last).rev() {
            let mut j = i + 1;
            out[i - first] = loop {
                if j >= last {
                    outside = next_at_most(keys, &minima, grain, outside, keys[i]);
                    break outside as u32;
                }
                if keys[j] <= keys[i] {
                    break j as u32;
                }
                j = out[j - first] as usize;
            };
        }
    });
    debug_assert_eq!(out.len(), n);
}

/// The first row from `begin` on with a key of at most `key`, or the number of rows.
fn next_at_most(keys: &[u32], minima: &[u32], grain: usize, begin: usize, key: u32) -> usize {
    let mut begin = begin;
    while begin < keys.len() {
        let end = ((begin / grain + 1) * grain).min(keys.len());
        if minima[begin / grain] <= key
            && let Some(k) = keys[begin..end].iter().position(|&other| other <= key)
        {
            return begin + k;
        }
        begin = end;
    }
    keys.len()
}

/// The least key of each block; none are needed for one block.
fn minima(keys: &[u32], grain: usize) -> Vec<u32> {
    let blocks = keys.len().div_ceil(grain);
    let mut minima = vec![0; blocks];
    if blocks > 1 {
        rows::fill(&mut minima[..], 0, blocks, 1, &|b| {
            keys[b * grain..keys.len().min((b + 1) * grain)].iter().copied().min().unwrap_or(NONE)
        });
    }
    minima
}

/// Runs `work` on each block of `grain` rows of `out`, with the block's first row.
fn blocks(out: &mut [u32], first: usize, grain: usize, work: &(impl Fn(usize, &mut [u32]) + Sync)) {
    if out.len() <= grain {
        return work(first, out);
    }
    let middle = out.len().div_ceil(grain) / 2 * grain;
    let (left, right) = out.split_at_mut(middle);
    rayon::join(|| blocks(left, first, grain, work), || blocks(right, first + middle, grain, work));
}
