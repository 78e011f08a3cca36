//! All nearest smaller values of keys with levels, by tables.
//!
//! A key is a level and a rank of four bits: in a text, the depth of brackets and the precedence of an operator. Where the
//! level rises by at most one from row to row, the rows that a later row can find are, per level, the last row of each rank
//! that no smaller rank hides, and the last row of the level below. Sixteen bits per level say which ranks these are. So a
//! row finds its result without a branch that depends on the data, while a stack mispredicts the number of rows it removes.
//!
//! The tables know no rows outside the block. There a row is left to the caller.

/// Bits of a rank.
const RANK_BITS: u32 = 4;

/// Slots per level: one for the level below, one per rank, and more up to the bits of a word. So no index needs a check.
const SLOTS: usize = 32;

/// The number of levels. Keys of higher levels are not taken.
const LEVELS: usize = 256;

/// Rows between two looks at whether keys still rise by at most one, and whether the table is large enough.
pub(super) const CHUNK: usize = 1024;

/// The rows that can be found.
struct Levels {
    /// The slots in use per level. The first always is.
    used: [u32; LEVELS + 1],
    /// The row in each slot. Slots that are not in use do not matter.
    rows: [u32; (LEVELS + 1) * SLOTS],
}

impl Levels {
    /// Returns tables without rows; a row finds `none` in them.
    fn new(none: u32) -> Levels {
        Levels { used: [1; LEVELS + 1], rows: [none; (LEVELS + 1) * SLOTS] }
    }

    /// Returns the row of the last slot of a key's level that `visible` has, and enters `row` with this key.
    #[inline(always)]
    fn find(&mut self, key: u32, row: u32, visible: u32) -> u32 {
        let level = (key >> RANK_BITS) as usize & (LEVELS - 1);
        let rank = key & ((1 << RANK_BITS) - 1);
        // All slots up to the rank's: those after it have greater keys, which the row hides.
        let used = self.used[level] & visible | 1;
        let slot = (31 ^ used.leading_zeros()) as usize;
        let found = self.rows[level * SLOTS + slot];
        self.used[level] = used | 2 << rank;
        self.rows[level * SLOTS + 1 + rank as usize] = row;
        self.used[level + 1] = 1;
        self.rows[(level + 1) * SLOTS] = row;
        found
    }
}

/// Returns whether all keys have levels that fit, and no level is more than one above the level of its neighbour, which
/// `neighbour` returns for a pair of keys before the other one.
fn fits(keys: &[u32], neighbour: impl Fn(u32, u32) -> (u32, u32)) -> bool {
    let most = keys.iter().fold(0, |most: u32, &key| most.max(key));
    let rises = keys.windows(2).fold(true, |rises, pair| {
        let (from, to) = neighbour(pair[0] >> RANK_BITS, pair[1] >> RANK_BITS);
        rises & (to <= from + 1)
    });
    (most >> RANK_BITS) < LEVELS as u32 && rises
}

/// Computes both nearest rows of all keys; returns `false`, and nothing else, if a level does not fit.
///
/// A row reads what the row before it has just written, which takes longer than its instructions. The two directions do
/// not wait for each other.
pub fn nearest(keys: &[u32], previous: &mut [u32], next: &mut [u32]) -> bool {
    if !fits(keys, |before, after| (before, after)) || !fits(keys, |before, after| (after, before)) {
        return false;
    }
    let n = keys.len();
    let (mut before, mut after) = (Levels::new(u32::MAX), Levels::new(n as u32));
    let (previous, next) = (&mut previous[..n], &mut next[..n]);
    for i in 0..n {
        let j = n - 1 - i;
        let (key, last_key) = (keys[i], keys[j]);
        previous[i] = before.find(key, i as u32, (2 << (key & 15)) - 1);
        next[j] = after.find(last_key, j as u32, (4 << (last_key & 15)) - 1);
    }
    true
}

/// Computes the last row before each with a smaller key, for the rows of a block from row `done` on; returns how many rows
/// of the block are then done. `first` is the block's first row. `search` finds the results outside.
pub fn previous(
    keys: &[u32],
    first: usize,
    done: usize,
    out: &mut [u32],
    mut search: impl FnMut(usize, &[u32]) -> u32,
) -> usize {
    if done == keys.len() {
        return done;
    }
    let mut levels = Levels::new(u32::MAX);
    let mut begin = done;
    while begin < keys.len() {
        let end = keys.len().min(begin + CHUNK);
        if !fits(&keys[begin.saturating_sub(1).max(done)..end], |before, after| (before, after)) {
            return begin;
        }
        for i in begin..end {
            let key = keys[i];
            let visible = (2 << (key & 15)) - 1;
            let mut found = levels.find(key, (first + i) as u32, visible);
            if found == u32::MAX && first + done > 0 {
                found = search(i, out);
            }
            out[i] = found;
        }
        begin = end;
    }
    begin
}

/// Computes the first row after each whose key is not greater, for the first `left` rows of a block, from the last to the
/// first; returns how many rows are then left. `first` is the block's first row, `end` the number of all rows. `search`
/// finds the results outside.
pub fn next(
    keys: &[u32],
    first: usize,
    left: usize,
    end: u32,
    out: &mut [u32],
    mut search: impl FnMut(usize, &[u32]) -> u32,
) -> usize {
    let is_last = first + left == end as usize;
    if left == 0 {
        return 0;
    }
    let mut levels = Levels::new(end);
    let mut stop = left;
    while stop > 0 {
        let begin = stop.saturating_sub(CHUNK);
        if !fits(&keys[begin..left.min(stop + 1)], |before, after| (after, before)) {
            return stop;
        }
        for i in (begin..stop).rev() {
            let key = keys[i];
            let visible = (4 << (key & 15)) - 1;
            let mut found = levels.find(key, (first + i) as u32, visible);
            if found == end && !is_last {
                found = search(i, out);
            }
            out[i] = found;
        }
        stop = begin;
    }
    0
}
