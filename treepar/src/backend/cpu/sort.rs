//! Stable radix sort, least significant digit first.
//!
//! Each pass counts a digit of eight bits in every block of rows, computes the first output row of each block and digit,
//! and moves the rows. A digit that is equal in all keys is skipped. Two variants were measured and rejected. Collecting
//! the rows of each digit into whole cache lines before writing them was slower by a tenth, from 50,000 to 4 million
//! rows. Counting all digits in one read was not faster.

use super::join::join;
use super::scatter::Shared;
use super::{Cpu, CpuVec};
use crate::backend::SortKey;
use crate::{Backend, Result};

/// Values of a digit.
const RADIX: usize = 256;

/// The number of rows of a block per value of a digit; later, the index of the next row to write per value.
type Counts = [u32; RADIX];

/// Sorts keys together with their payloads. Also returns the number of digits in which keys differ.
pub fn sort_by_key<K: SortKey>(cpu: &Cpu, keys: &[K], payload: &[u32]) -> Result<(CpuVec<K>, CpuVec<u32>, usize)> {
    let n = keys.len();
    let blocks = if cpu.threads() == 1 || n <= super::GRAIN { 1 } else { cpu.threads() * 2 };
    let block = n.div_ceil(blocks).max(1);
    let (mut keys_out, mut payload_out) = (cpu.allocate(n)?, cpu.allocate(n)?);
    let mut spare = None;
    let mut sorted = false;
    let different = keys.first().map_or(K::default(), |&some| differing_bits(keys, some, block));
    let digits = (0..size_of::<K>()).filter(|&digit| different.digit(digit) != 0);
    let count = digits.clone().count();
    for digit in digits {
        if !sorted {
            pass((keys, payload), (&mut keys_out, &mut payload_out), digit, block);
            sorted = true;
            continue;
        }
        let (mut keys_to, mut payload_to) = match spare.take() {
            Some(spare) => spare,
            None => (cpu.allocate(n)?, cpu.allocate(n)?),
        };
        pass((&keys_out, &payload_out), (&mut keys_to, &mut payload_to), digit, block);
        spare = Some((std::mem::replace(&mut keys_out, keys_to), std::mem::replace(&mut payload_out, payload_to)));
    }
    if !sorted {
        keys_out.copy_from_slice(keys);
        payload_out.copy_from_slice(payload);
    }
    Ok((keys_out, payload_out, count))
}

/// Returns the bits in which any key differs from `some`.
fn differing_bits<K: SortKey>(keys: &[K], some: K, block: usize) -> K {
    if keys.len() <= block {
        return keys.iter().fold(K::default(), |bits, &key| bits.or(key.differs_from(some)));
    }
    let (left, right) = keys.split_at(keys.len() / 2);
    let (left, right) = join(|| differing_bits(left, some, block), || differing_bits(right, some, block));
    left.or(right)
}

/// Sorts rows by one digit, in blocks of `block` rows.
fn pass<K: SortKey>((keys, payload): (&[K], &[u32]), to: (&mut [K], &mut [u32]), digit: usize, block: usize) {
    let rows = |b: usize| b * block..keys.len().min((b + 1) * block);
    let mut places: Vec<Counts> = vec![[0; RADIX]; keys.len().div_ceil(block)];
    each(&mut places, 0, &|b, counts: &mut Counts| {
        for key in &keys[rows(b)] {
            counts[key.digit(digit)] += 1;
        }
    });
    let mut sum = 0;
    for value in 0..RADIX {
        for counts in &mut places {
            sum += std::mem::replace(&mut counts[value], sum);
        }
    }
    let (keys_to, payload_to) = (Shared::new(to.0), Shared::new(to.1));
    each(&mut places, 0, &|b, places: &mut Counts| {
        let (keys_to, payload_to, digit) = (keys_to, payload_to, digit);
        for (&key, &item) in keys[rows(b)].iter().zip(&payload[rows(b)]) {
            let place = &mut places[key.digit(digit)];
            keys_to.write(*place as usize, key);
            payload_to.write(*place as usize, item);
            *place += 1;
        }
    });
}

/// Runs `work` on every row, with the row's index.
pub(super) fn each<T: Send>(rows: &mut [T], first: usize, work: &(dyn Fn(usize, &mut T) + Sync)) {
    match rows {
        [] => {}
        [row] => work(first, row),
        rows => {
            let middle = rows.len() / 2;
            let (left, right) = rows.split_at_mut(middle);
            join(|| each(left, first, work), || each(right, first + middle, work));
        }
    }
}
