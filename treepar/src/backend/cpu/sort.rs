//! Stable radix sort, least significant digit first, and histogram.
//!
//! Each pass counts a digit of eight bits in every block of rows, gives each block its place among the rows of each
//! digit, and moves the rows. A digit in which all keys agree is skipped.

use super::CpuVec;
use super::scatter::Shared;
use crate::backend::SortKey;

/// Values of a digit.
const RADIX: usize = 256;

/// Columns of keys and payloads.
type Rows<'a, K> = (&'a mut CpuVec<K>, &'a mut CpuVec<u32>);

/// Sorts rows of keys and payloads; the scratch columns are as long as they are.
pub fn sort_by_key<K: SortKey>(rows: Rows<'_, K>, scratch: Rows<'_, K>, threads: usize) {
    let (keys, payload) = rows;
    let (keys_out, payload_out) = scratch;
    let n = keys.len();
    let Some(&some) = keys.first() else { return };
    let different = keys.iter().fold(K::default(), |bits, &key| bits.or(key.differs_from(some)));
    let blocks = if threads == 1 || n <= super::GRAIN { 1 } else { threads * 2 };
    let block = n.div_ceil(blocks);
    for digit in (0..size_of::<K>()).filter(|&digit| different.digit(digit) != 0) {
        let mut counts = vec![[0u32; RADIX]; blocks];
        each(&mut counts, 0, &|b, counts: &mut [u32; RADIX]| {
            for key in &keys[(b * block).min(n)..n.min((b + 1) * block)] {
                counts[key.digit(digit)] += 1;
            }
        });
        let mut sum = 0;
        for value in 0..RADIX {
            for counts in &mut counts {
                sum += std::mem::replace(&mut counts[value], sum);
            }
        }
        let (keys_to, payload_to) = (Shared::new(keys_out), Shared::new(payload_out));
        each(&mut counts, 0, &|b, places: &mut [u32; RADIX]| {
            for i in (b * block).min(n)..n.min((b + 1) * block) {
                let place = &mut places[keys[i].digit(digit)];
                keys_to.write(*place as usize, keys[i]);
                payload_to.write(*place as usize, payload[i]);
                *place += 1;
            }
        });
        std::mem::swap(keys, keys_out);
        std::mem::swap(payload, payload_out);
    }
}

/// Runs `work` on every row, with its number.
fn each<T: Send>(rows: &mut [T], first: usize, work: &(impl Fn(usize, &mut T) + Sync)) {
    match rows {
        [] => {}
        [row] => work(first, row),
        rows => {
            let middle = rows.len() / 2;
            let (left, right) = rows.split_at_mut(middle);
            rayon::join(|| each(left, first, work), || each(right, first + middle, work));
        }
    }
}

/// How often each value below `out.len()` is among the keys; others are skipped.
pub fn histogram(keys: &[u32], out: &mut [u32], grain: usize) {
    out.fill(0);
    // A block's counts cost as much as its rows where there are as many bins: then one thread counts all.
    let block = grain.max(out.len() * 4);
    if keys.len() <= block {
        for &key in keys {
            if let Some(count) = out.get_mut(key as usize) {
                *count += 1;
            }
        }
        return;
    }
    let middle = keys.len() / 2;
    let mut right = vec![0; out.len()];
    rayon::join(|| histogram(&keys[..middle], out, grain), || histogram(&keys[middle..], &mut right, grain));
    for (count, more) in out.iter_mut().zip(right) {
        *count += more;
    }
}
