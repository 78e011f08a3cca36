//! All nearest smaller values.
//!
//! Keys that are depths rise by at most one from row to row, so the result of a row is the last row with a key one less.
//! A table by key finds it without a branch that depends on the data. The table serves a block while its keys rise by at
//! most one. Tables by levels serve keys whose high bits do so ([`super::levels`]). The rest of the block follows links to the
//! next smaller key, so that a row skips the rows that its neighbour skipped. (On the trees of programs, links without
//! tables are much slower: every second branch is mispredicted.)
//!
//! A row without a result in its block searches for a block with a smaller minimum, and then for the row there. Only rows
//! with a new minimum do so, and their results are farther and farther away: a block visits each other block once.

use super::join::join;
use super::levels;
use super::levels::CHUNK;
use super::sort::each;
use super::vectors::widest;

/// No row.
const NONE: u32 = u32::MAX;

/// Keys that [`repeats`] looks at.
const SAMPLE: usize = 64;

/// Keys that [`next_by_key`] enters into its table at once.
const LANES: usize = 8;

/// For each row the last one before it with a smaller key, or `u32::MAX`.
pub fn previous_smaller(keys: &[u32], out: &mut [u32], grain: usize) {
    let minima = minima(keys, grain);
    blocks(out, 0, grain, &|first, out: &mut [u32]| previous_in_block(keys, &minima, (first, grain), out));
}

/// The rows of the block from row `first` on, one of blocks of `grain` rows.
fn previous_in_block(keys: &[u32], minima: &[u32], (first, grain): (usize, usize), out: &mut [u32]) {
    let mut before = Before { keys, minima, grain, block: first / grain, end: first };
    let keys = &keys[first..first + out.len()];
    let least = minima.get(first / grain).copied().unwrap_or(0);
    let done = previous_by_key(keys, first, least, out, before);
    let done = levels::previous(keys, first, done, out, |i, out| previous_by_links(keys, first, i, out, &mut before));
    for i in done..keys.len() {
        out[i] = previous_by_links(keys, first, i, out, &mut before);
    }
}

/// The first rows of a block, as far as keys rise by at most one among them; returns how many they are. No key of the
/// block is below `least`.
fn previous_by_key(keys: &[u32], first: usize, least: u32, out: &mut [u32], mut before: Before) -> usize {
    // The cost of the table: keys before the block that the block's rows search for.
    let n = keys.len();
    if n == 0 || (keys[0] - least) as usize > 2 * n {
        return 0;
    }
    // `last[k - least + 1]` is the last row with key k; until there is one, a row before the block.
    let mut last = vec![NONE; (keys[0] - least) as usize + 1];
    before.enter(least, &mut last);
    let mut behind = keys[0];
    for (chunk, out) in (0..).zip(out.chunks_mut(CHUNK)) {
        let begin = chunk * CHUNK;
        let keys = &keys[begin..begin + out.len()];
        if keys[0] > behind.saturating_add(1) || !widest!(rises_by_one(keys)) {
            return begin;
        }
        let most = (behind - least) as usize + out.len() + 2;
        if last.len() < most {
            last.resize(2 * most, 0);
        }
        let last = &mut last[..];
        for (i, (&key, slot)) in keys.iter().zip(out).enumerate() {
            let at = (key - least) as usize;
            *slot = last[at];
            last[at + 1] = (first + begin + i) as u32;
        }
        behind = keys[keys.len() - 1];
    }
    n
}

/// Returns whether no key is more than one above the key before it. Keys from 2^31 on are refused.
#[inline(always)]
pub fn rises_by_one(keys: &[u32]) -> bool {
    let Some(after) = keys.get(1..) else { return true };
    // The sign of a sum needs no comparison, so that vectors of any processor have it.
    let signs = keys.iter().zip(after).fold(keys[0].cast_signed(), |signs, (&before, &key)| {
        signs | key.cast_signed() | before.wrapping_add(1).wrapping_sub(key).cast_signed()
    });
    signs >= 0
}

/// Row `i` of a block, whose earlier rows are done.
fn previous_by_links(keys: &[u32], first: usize, i: usize, out: &[u32], before: &mut Before) -> u32 {
    let mut candidate = i.wrapping_sub(1);
    loop {
        match keys.get(candidate) {
            None => return before.below(keys[i]),
            Some(&key) if key < keys[i] => return (first + candidate) as u32,
            // A link out of the block wraps around to a row that it does not have.
            Some(_) => candidate = (out[candidate] as usize).wrapping_sub(first),
        }
    }
}

/// The rows before a block, from the last to the first.
#[derive(Clone, Copy)]
struct Before<'a> {
    keys: &'a [u32],
    minima: &'a [u32],
    grain: usize,
    /// The current block, and the end of the part of it not yet ruled out by earlier queries.
    block: usize,
    end: usize,
}

impl Before<'_> {
    /// Enters the last row with a key below `least + k` into `slots[k]`, unless there is none.
    #[inline(never)]
    fn enter(&mut self, least: u32, slots: &mut [u32]) {
        for (above, slot) in slots.iter_mut().enumerate().rev() {
            match self.below(least + above as u32) {
                NONE => break,
                row => *slot = row,
            }
        }
    }

    /// The last row with a key below `key`, which is at most the key of the last query.
    fn below(&mut self, key: u32) -> u32 {
        loop {
            let begin = self.block * self.grain;
            if self.end > begin && self.minima[self.block] < key {
                while self.keys[self.end - 1] >= key {
                    self.end -= 1;
                }
                return self.end as u32 - 1;
            }
            self.end = begin;
            if self.block == 0 {
                return NONE;
            }
            self.block -= 1;
        }
    }
}

/// For each row the first one after it whose key is not greater, or the number of rows.
pub fn next_smaller_or_equal(keys: &[u32], out: &mut [u32], grain: usize) {
    let minima = minima(keys, grain);
    blocks(out, 0, grain, &|first, out: &mut [u32]| next_in_block(keys, &minima, (first, grain), out));
}

/// The rows of the block from row `first` on, one of blocks of `grain` rows.
fn next_in_block(keys: &[u32], minima: &[u32], (first, grain): (usize, usize), out: &mut [u32]) {
    let end = keys.len() as u32;
    let mut after = After { keys, minima, grain, block: first / grain, begin: first + out.len() };
    let keys = &keys[first..first + out.len()];
    let least = minima.get(first / grain).copied().unwrap_or(0);
    let left = next_by_key(keys, first, least, end, out, after);
    let left = levels::next(keys, first, left, end, out, |i, out| next_by_links(keys, first, i, out, &mut after));
    for i in (0..left).rev() {
        out[i] = next_by_links(keys, first, i, out, &mut after);
    }
}

/// Both of the above. The tables by levels find both at once where they serve all keys and there is one block. Depths are
/// left to the table by key, which takes less time.
pub fn nearest_smaller(keys: &[u32], previous: &mut [u32], next: &mut [u32], grain: usize) {
    if keys.len() > grain {
        join(|| previous_smaller(keys, previous, grain), || next_smaller_or_equal(keys, next, grain));
        return;
    }
    let are_depths = rises_by_one(&keys[..keys.len().min(CHUNK)]);
    if are_depths || !levels::nearest(keys, previous, next) {
        previous_smaller(keys, previous, grain);
        next_smaller_or_equal(keys, next, grain);
    }
}

/// The last rows of a block, as far as keys rise by at most one among them; returns how many are left before them.
/// No key of the block is below `least`; `end` is the number of all rows.
fn next_by_key(keys: &[u32], first: usize, least: u32, end: u32, out: &mut [u32], mut after: After) -> usize {
    // The table is correct for any keys, and its cost is the sum of their decreases. If keys rise by at most one, the
    // number of keys and the first and last key bound that sum.
    let n = keys.len();
    if n == 0 || (keys[0].max(keys[n - 1]) - least) as usize > 2 * n {
        return n;
    }
    // Below the key of the row done last, `next[k - least]` is the first row with a key of at most k; from there on
    // it is that row itself, and not entered yet. `from` is that key less `least`.
    let mut from = (keys[n - 1] - least) as usize + 1;
    let mut next = vec![end; from];
    after.enter(least, &mut next);
    let chunks = n.div_ceil(CHUNK);
    for (chunk, out) in (0..chunks).zip(out.chunks_mut(CHUNK)).rev() {
        let begin = chunk * CHUNK;
        let keys = &keys[begin..begin + out.len()];
        let most = (keys[0] - least) as usize + keys.len();
        let last = (keys[keys.len() - 1] - least) as usize;
        // The rise from the chunk before is not checked yet, so the first key of this one can be as large as it likes.
        if from > last + 1 || most > 4 * n + CHUNK || !widest!(rises_by_one(keys)) {
            return begin + keys.len();
        }
        let slots = from.max(most) + LANES + 1;
        if next.len() < slots {
            next.resize(2 * slots, 0);
        }
        let first = first + begin;
        from = if repeats(keys) {
            next_of_regular_chunk(keys, first, from, least, &mut next, out)
        } else {
            widest!(next_of_chunk(keys, first, from, least, &mut next, out))
        };
    }
    0
}

/// Returns whether most of the first keys rise or fall as the last but one: then a processor predicts branches on them.
fn repeats(keys: &[u32]) -> bool {
    let keys = &keys[..keys.len().min(SAMPLE)];
    let changes = keys.windows(4).filter(|keys| keys[1].wrapping_sub(keys[0]) != keys[3].wrapping_sub(keys[2]));
    changes.count() < SAMPLE / 16
}

/// [`next_of_chunk`] with branches.
#[inline(never)]
fn next_of_regular_chunk(
    keys: &[u32],
    first: usize,
    mut from: usize,
    least: u32,
    next: &mut [u32],
    out: &mut [u32],
) -> usize {
    for (i, (&key, slot)) in keys.iter().zip(out).enumerate().rev() {
        let at = (key - least) as usize;
        *slot = if at < from {
            next[at]
        } else {
            let row = (first + i) as u32 + 1;
            next[from] = row;
            if at > from {
                next[from..=at].fill(row);
            }
            row
        };
        from = at;
    }
    from
}

/// Computes the rows of a chunk that begins with row `first`; returns the new `from`.
#[inline(always)]
fn next_of_chunk(keys: &[u32], first: usize, mut from: usize, least: u32, next: &mut [u32], out: &mut [u32]) -> usize {
    for (i, (&key, slot)) in keys.iter().zip(out).enumerate().rev() {
        let at = (key - least) as usize;
        let row = (first + i) as u32 + 1;
        // As many as a vector holds, needed or not: the number needed is what branches cannot predict.
        next[from..from + LANES].fill(row);
        if at >= from + LANES {
            next[from + LANES..=at].fill(row);
        }
        *slot = next[at];
        from = at;
    }
    from
}

/// Row `i` of a block, whose later rows are done.
fn next_by_links(keys: &[u32], first: usize, i: usize, out: &[u32], after: &mut After) -> u32 {
    let mut candidate = i + 1;
    loop {
        match keys.get(candidate) {
            None => return after.at_most(keys[i]),
            Some(&key) if key <= keys[i] => return (first + candidate) as u32,
            Some(_) => candidate = out[candidate] as usize - first,
        }
    }
}

/// The rows after a block, from the first to the last.
#[derive(Clone, Copy)]
struct After<'a> {
    keys: &'a [u32],
    minima: &'a [u32],
    grain: usize,
    /// The current block, and its first row not yet ruled out by earlier queries.
    block: usize,
    begin: usize,
}

impl After<'_> {
    /// Enters the first row with a key of at most `least + k` into `slots[k]`, unless there is none.
    #[inline(never)]
    fn enter(&mut self, least: u32, slots: &mut [u32]) {
        for (above, slot) in slots.iter_mut().enumerate().rev() {
            let row = self.at_most(least + above as u32);
            if row as usize == self.keys.len() {
                break;
            }
            *slot = row;
        }
    }

    /// The first row with a key of at most `key`, which is at most the key of the last query; or the number of rows.
    fn at_most(&mut self, key: u32) -> u32 {
        loop {
            let end = self.keys.len().min((self.block + 1) * self.grain);
            if self.begin < end && self.minima[self.block] <= key {
                while self.keys[self.begin] > key {
                    self.begin += 1;
                }
                return self.begin as u32;
            }
            self.begin = end;
            if end == self.keys.len() {
                return end as u32;
            }
            self.block += 1;
        }
    }
}

/// The least key of each block, or something lower where there is but one block.
fn minima(keys: &[u32], grain: usize) -> Vec<u32> {
    let blocks = keys.len().div_ceil(grain);
    let mut minima = vec![0; blocks];
    if blocks > 1 {
        each(&mut minima, 0, &|b, least| {
            *least = keys[b * grain..keys.len().min((b + 1) * grain)].iter().copied().min().unwrap_or(NONE);
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
    join(|| blocks(left, first, grain, work), || blocks(right, first + middle, grain, work));
}
