//! All nearest smaller values.
//!
//! Keys that are depths rise by at most one from row to row, so that the row sought holds the key just below: a table
//! by key answers at once, without a branch that depends on the data. A block is done so as long as its keys rise by
//! no more, and the rest of it by links: each leads to the next smaller key, so that a row skips what its neighbour
//! skipped. (Links alone take eight times as long on the trees of programs, where every second branch is mispredicted.)
//!
//! A row that leaves its block looks for a block with a smaller minimum, and there for the row. Only rows that are
//! lower than all before them leave it, and their answers lie ever farther away: a block goes through each other once.

use super::rows;

/// No row.
const NONE: u32 = u32::MAX;

/// Keys that [`next_by_key`] enters into its table at once.
const LANES: usize = 8;

/// For each row the last one before it with a smaller key, or `u32::MAX`.
pub fn previous_smaller(keys: &[u32], out: &mut [u32], grain: usize) {
    let minima = minima(keys, grain);
    blocks(out, 0, grain, &|first, out: &mut [u32]| {
        let mut end = first;
        let mut before = |key| {
            end = previous_below(keys, &minima, grain, end, key);
            (end as u32).wrapping_sub(1)
        };
        let keys = &keys[first..first + out.len()];
        let done = previous_by_key(keys, first, out, &mut before);
        previous_by_links(keys, first, done, out, &mut before);
    });
}

/// The rows of a block whose keys rise by at most one; returns how many there are before the first that does not.
fn previous_by_key(keys: &[u32], first: usize, out: &mut [u32], before: &mut impl FnMut(u32) -> u32) -> usize {
    let Some(&start) = keys.first() else { return 0 };
    // `last[k - least + 1]` is the last row with key k; `last[0]` is what rows with the least key so far have before
    // the block. When the least key falls, all in the table is behind it and none of it is asked for again.
    let mut least = start;
    let mut last = vec![0; 64];
    last[0] = before(least);
    let mut most = start;
    for (i, (&key, slot)) in keys.iter().zip(out).enumerate() {
        if key > most {
            return i;
        }
        if key < least {
            least = key;
            last[0] = before(least);
        }
        let at = (key - least) as usize;
        if at + 1 >= last.len() {
            last.resize(2 * last.len(), 0);
        }
        *slot = last[at];
        last[at + 1] = (first + i) as u32;
        most = key.saturating_add(1);
    }
    keys.len()
}

/// The rows of a block from its row `done` on.
fn previous_by_links(keys: &[u32], first: usize, done: usize, out: &mut [u32], before: &mut impl FnMut(u32) -> u32) {
    for i in done..keys.len() {
        let mut candidate = i.wrapping_sub(1);
        out[i] = loop {
            match keys.get(candidate) {
                None => break before(keys[i]),
                Some(&key) if key < keys[i] => break (first + candidate) as u32,
                // A link out of the block wraps around to a row that it does not have.
                Some(_) => candidate = (out[candidate] as usize).wrapping_sub(first),
            }
        };
    }
}

/// One more than the last row before `end` with a key below `key`, or 0.
fn previous_below(keys: &[u32], minima: &[u32], grain: usize, end: usize, key: u32) -> usize {
    let mut end = end;
    while end > 0 {
        let begin = (end - 1) / grain * grain;
        if minima[begin / grain] < key {
            if let Some(k) = keys[begin..end].iter().rposition(|&other| other < key) {
                return begin + k + 1;
            }
        }
        end = begin;
    }
    0
}

/// For each row the first one after it whose key is not greater, or the number of rows.
pub fn next_smaller_or_equal(keys: &[u32], out: &mut [u32], grain: usize) {
    let minima = minima(keys, grain);
    blocks(out, 0, grain, &|first, out: &mut [u32]| {
        let mut begin = first + out.len();
        let mut after = |key| {
            begin = next_at_most(keys, &minima, grain, begin, key);
            begin as u32
        };
        let keys = &keys[first..first + out.len()];
        let least = minima.get(first / grain).copied().unwrap_or(0);
        let left = next_by_key(keys, first, least, out, &mut after);
        next_by_links(keys, first, left, out, &mut after);
    });
}

/// The last rows of a block, as far as keys rise by at most one among them; returns how many are left before them.
/// No key of the block is below `least`.
fn next_by_key(keys: &[u32], first: usize, least: u32, out: &mut [u32], after: &mut impl FnMut(u32) -> u32) -> usize {
    // What keys fall in all is what the table costs: no more than they rise, and where they begin.
    let n = keys.len();
    if n == 0 || (keys[0] - least) as usize > 2 * n {
        return n;
    }
    // Below the key of the row done last, `next[k - least]` is the first row with a key of at most k; from there on
    // it is that row itself, and not entered yet.
    let mut next = vec![0; 64];
    let mut key = keys[n - 1];
    let mut lowest = key;
    out[n - 1] = after(key);
    for i in (0..n - 1).rev() {
        let behind = std::mem::replace(&mut key, keys[i]);
        if behind > key.saturating_add(1) {
            return i + 1;
        }
        if key < lowest {
            lowest = key;
            out[i] = after(key);
            continue;
        }
        let (from, at) = ((behind - least) as usize, (key - least) as usize);
        let row = (first + i + 1) as u32;
        if from.max(at) + LANES >= next.len() {
            next.resize((from.max(at) + LANES + 1).next_power_of_two(), 0);
        }
        // As many as a vector holds, needed or not: the number needed is what branches cannot predict.
        next[from..from + LANES].fill(row);
        if at >= from + LANES {
            next[from + LANES..=at].fill(row);
        }
        out[i] = next[at];
    }
    0
}

/// The first `left` rows of a block.
fn next_by_links(keys: &[u32], first: usize, left: usize, out: &mut [u32], after: &mut impl FnMut(u32) -> u32) {
    for i in (0..left).rev() {
        let mut candidate = i + 1;
        out[i] = loop {
            match keys.get(candidate) {
                None => break after(keys[i]),
                Some(&key) if key <= keys[i] => break (first + candidate) as u32,
                Some(_) => candidate = out[candidate] as usize - first,
            }
        };
    }
}

/// The first row from `begin` on with a key of at most `key`, or the number of rows.
fn next_at_most(keys: &[u32], minima: &[u32], grain: usize, begin: usize, key: u32) -> usize {
    let mut begin = begin;
    while begin < keys.len() {
        let end = ((begin / grain + 1) * grain).min(keys.len());
        if minima[begin / grain] <= key {
            if let Some(k) = keys[begin..end].iter().position(|&other| other <= key) {
                return begin + k;
            }
        }
        begin = end;
    }
    keys.len()
}

/// The least key of each block, or something lower where there is but one block.
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
