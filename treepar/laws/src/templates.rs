//! Templates, and the primitives on plain columns.

use std::collections::HashMap;

use treepar::backend::{Offsets, ScanKind};
use treepar::compact::{compress, gather};
use treepar::device::device;
use treepar::group::{previous_within, previous_within_below};
use treepar::monoid::{Max, Xor, first_u32};
use treepar::segment;
use treepar::segment::offsets;
use treepar::sort::{inverse, sort_permutation};

use crate::{Rng, each_holds, get, put, rows};

/// Brackets that a run of brackets closes and opens outside itself.
#[device]
struct Brackets {
    close: u32,
    open: u32,
}

#[device(monoid(identity = Brackets { close: 0, open: 0 }))]
fn matched(a: Brackets, b: Brackets) -> Brackets {
    let inner = a.open.min(b.close);
    Brackets { close: a.close + (b.close - inner), open: b.open + (a.open - inner) }
}

#[device(map, reduce(matched), scan(matched), segmented_scan(matched))]
fn bracket(i: usize, x: &[u32]) -> Brackets {
    Brackets { close: 1 - x[i] % 2, open: x[i] % 2 }
}

#[device(scan_map(bracket, matched))]
fn open_before(i: usize, before: Brackets, x: &[u32]) -> (u32, u32) {
    (before.open, x[i] ^ before.close)
}

#[device(expand)]
fn owned(owner: usize, k: usize, x: &[u32]) -> (u32, u32) {
    (x[owner], k as u32)
}

#[device(map)]
fn several(i: usize, x: &[u32], salt: u32) -> (u8, u16, u64, Brackets) {
    let value = x[i].wrapping_add(salt);
    (value as u8, value as u16, value as u64 * value as u64, Brackets { close: value, open: i as u32 })
}

#[device(compact)]
fn is_odd(i: usize, x: &[u32]) -> bool {
    x[i] % 2 == 1
}

/// Returns the numbers of unmatched closing and opening brackets before each bracket, and after the last.
fn brackets(x: &[u32]) -> Vec<(u32, u32)> {
    let mut at = (0, 0);
    let mut all = vec![at];
    for x in x {
        match (x % 2, at.1) {
            (1, _) => at.1 += 1,
            (_, 0) => at.0 += 1,
            _ => at.1 -= 1,
        }
        all.push(at);
    }
    all
}

fn plain(column: Vec<Brackets>) -> Vec<(u32, u32)> {
    column.iter().map(|b| (b.close, b.open)).collect()
}

each_holds! {
    maps_call_every_row(b, rng, n) {
        let x = rng.column(n);
        let (bytes, shorts, squares, pairs) = b.map(several::of(&put(b, &x), 7)).unwrap();
        let value = |i: usize| x[i].wrapping_add(7);
        assert!(rows(b, &bytes).iter().enumerate().all(|(i, &found)| found == value(i) as u8));
        assert!(rows(b, &shorts).iter().enumerate().all(|(i, &found)| found == value(i) as u16));
        assert!(rows(b, &squares).iter().enumerate().all(|(i, &found)| found == u64::from(value(i)).pow(2)));
        assert!(rows(b, &pairs).iter().enumerate().all(|(i, p)| (p.close, p.open) == (value(i), i as u32)));
    }

    scans_of_brackets_match_oracle(b, rng, n) {
        let x = rng.column(n);
        let column = put(b, &x);
        let all = brackets(&x);
        let whole = all[n];
        let (found, total) = b.scan(ScanKind::Exclusive, bracket::of(&column), matched).unwrap();
        assert_eq!((plain(rows(b, &found)), (total.close, total.open)), (all[..n].to_vec(), whole));
        let (found, total) = b.scan(ScanKind::Inclusive, bracket::of(&column), matched).unwrap();
        assert_eq!((plain(rows(b, &found)), (total.close, total.open)), (all[1..].to_vec(), whole));
        let total = b.reduce(bracket::of(&column), matched).unwrap();
        assert_eq!((total.close, total.open), whole);
        let ((open, close), _) = b.scan_map(bracket::of(&column), matched, open_before::of(&column)).unwrap();
        let (open, close) = (rows(b, &open), rows(b, &close));
        assert!((0..n).all(|i| (close[i] ^ x[i], open[i]) == all[i]));
    }

    segmented_scans_of_brackets_match_oracle(b, rng, n) {
        let (x, starts) = (rng.column(n), rng.offsets(n));
        let (column, offsets) = (put(b, &x), put(b, &starts));
        let (mut exclusive, mut inclusive, mut totals) = (Vec::new(), Vec::new(), Vec::new());
        for (s, &begin) in starts.iter().enumerate() {
            let end = starts.get(s + 1).map_or(n, |&end| end as usize);
            let all = brackets(&x[begin as usize..end]);
            exclusive.extend_from_slice(&all[..all.len() - 1]);
            inclusive.extend_from_slice(&all[1..]);
            totals.push(all[all.len() - 1]);
        }
        let found = b.segmented_scan(ScanKind::Exclusive, &offsets, bracket::of(&column), matched);
        assert_eq!(plain(get(b, found)), exclusive);
        let found = b.segmented_scan(ScanKind::Inclusive, &offsets, bracket::of(&column), matched);
        assert_eq!(plain(get(b, found)), inclusive);
        assert_eq!(plain(get(b, b.segmented_reduce(&offsets, bracket::of(&column), matched))), totals);
    }

    plain_scans_match_oracle(b, rng, n) {
        let x = rng.column(n);
        let starts = rng.offsets(n);
        let (column, offsets) = (put(b, &x), put(b, &starts));
        let (mut greatest, mut last) = (Vec::new(), None);
        for &x in &x {
            last = Some(last.unwrap_or(0u32).max(x));
            greatest.extend(last);
        }
        assert_eq!(rows(b, &b.scan(ScanKind::Inclusive, &column, Max).unwrap().0), greatest);
        assert_eq!(b.reduce(&column, Xor).unwrap(), x.iter().fold(0, |a, b| a ^ b));
        let ends = starts[1..].iter().map(|&end| end as usize).chain([n]);
        let firsts: Vec<u32> = starts.iter().zip(ends).map(|(&begin, end)| {
            x[begin as usize..end].iter().copied().find(|&x| x != u32::MAX).unwrap_or(u32::MAX)
        }).collect();
        assert_eq!(get(b, b.segmented_reduce(&offsets, &column, first_u32)), firsts);
        let checked = Offsets::new(b, &offsets, n).unwrap();
        assert_eq!(get(b, b.segmented_reduce_from(&checked, &column, first_u32)), firsts);
        let mut begins = vec![false; n + 1];
        starts.iter().for_each(|&start| begins[start as usize] = true);
        let mut sums = x.clone();
        for i in 1..n {
            if !begins[i] {
                sums[i] ^= sums[i - 1];
            }
        }
        assert_eq!(get(b, b.segmented_scan(ScanKind::Inclusive, &offsets, &column, Xor)), sums);
    }

    segments_offsets_lengths_and_owners_agree(b, rng, n) {
        let starts = rng.offsets(n);
        let column = put(b, &starts);
        let lengths = segment::lengths(&column, n).unwrap();
        let (back, total) = offsets(&lengths).unwrap();
        assert_eq!((rows(b, &back), total), (starts.clone(), n as u32));
        let owners: Vec<u32> = rows(b, &lengths).iter().zip(0..).flat_map(|(&m, s)| vec![s; m as usize]).collect();
        let found = segment::owners(&column, n).unwrap();
        assert_eq!(rows(b, &found), owners);
        let mut heads = starts.clone();
        heads.dedup();
        heads.retain(|&head| head < n as u32);
        assert_eq!(get(b, segment::runs(&found)), heads);
        let x = rng.column(starts.len());
        let (values, k) = b.expand(&column, n, owned::of(&put(b, &x))).unwrap();
        let (values, k) = (rows(b, &values), rows(b, &k));
        let again = b.expand_from(&Offsets::new(b, &column, n).unwrap(), owned::of(&put(b, &x))).unwrap();
        assert_eq!((rows(b, &again.0), rows(b, &again.1)), (values.clone(), k.clone()));
        assert!((0..n).all(|i| values[i] == x[owners[i] as usize] && k[i] == i as u32 - starts[owners[i] as usize]));
    }

    marked_rows_match_oracle(b, rng, n) {
        let mask = rng.mask(n);
        let (kept, others): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(|&i| mask[i as usize] != 0);
        let column = put(b, &mask);
        assert_eq!(get(b, b.compact(&column)), kept);
        let (all, m) = b.partition(&column).unwrap();
        assert_eq!((rows(b, &all), m), ([&kept[..], &others[..]].concat(), kept.len()));
        let values: Vec<i32> = rng.column(n).iter().map(|&x| x as i32).collect();
        let expected: Vec<i32> = kept.iter().map(|&i| values[i as usize]).collect();
        assert_eq!(get(b, compress(&put(b, &values), &column)), expected);
        let x = rng.column(n);
        let odd: Vec<u32> = (0..n as u32).filter(|&i| x[i as usize] % 2 == 1).collect();
        assert_eq!(get(b, b.compact(is_odd::of(&put(b, &x)))), odd);
    }

    scatters_write_inside_and_skip_outside(b, rng, n) {
        let order = rng.permutation(n);
        let values = rng.column(n);
        let mut target = b.filled(n / 2, 9u32).unwrap();
        b.scatter(&mut target, &put(b, &order), &put(b, &values)).unwrap();
        let mut expected = vec![9; n / 2];
        for (&i, &value) in order.iter().zip(&values) {
            if let Some(slot) = expected.get_mut(i as usize) {
                *slot = value;
            }
        }
        assert_eq!(rows(b, &target), expected);
    }

    copies_are_equal(b, rng, n) {
        let (x, y) = (rng.column(n), rng.column(n / 3));
        let (first, second) = (put(b, &x), put(b, &y));
        let all = b.concat(&[&first, &second, &first]).unwrap();
        let expected = [&x[..], &y, &x].concat();
        assert_eq!(rows(b, &all), expected);
        let (from, to) = (n / 5, n + n / 6);
        assert_eq!(get(b, b.slice(&all, from..to)), expected[from..to]);
        assert_eq!(get(b, b.filled(n, 7u16)), vec![7; n]);
        if n > 0 {
            assert_eq!(b.read(&first, n / 2), Ok(x[n / 2]));
        }
    }

    sorts_are_stable(b, rng, n) {
        let high = rng.column(n);
        let keys: Vec<u64> =
            rng.column(n).iter().zip(&high).map(|(&low, &high)| u64::from(high) << 32 | u64::from(low)).collect();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| keys[i as usize]);
        let column = put(b, &keys);
        let (sorted, permutation) = sort_permutation(&column).unwrap();
        assert_eq!(rows(b, &permutation), order);
        assert_eq!(rows(b, &sorted), get(b, gather(&column, &permutation)));
        let bits = keys.iter().fold(0, |bits, key| bits | key);
        let first_order: Vec<u32> = (0..n as u32).collect();
        let by_bits = b.sort_by_key_bits(&column, &put(b, &first_order), bits).unwrap();
        assert_eq!((rows(b, &by_bits.0), rows(b, &by_bits.1)), (rows(b, &sorted), order.clone()));
        let back = inverse(&permutation).unwrap();
        assert_eq!(get(b, gather(&sorted, &back)), keys);
        order.sort_by_key(|&i| (high[i as usize], i));
        assert_eq!(rows(b, &sort_permutation(&put(b, &high)).unwrap().1), order);
    }

    histograms_match_oracle(b, rng, n) {
        let keys = rng.column(n);
        let column = put(b, &keys);
        for bins in [0, 1, 256, n] {
            let mut counts = vec![0; bins];
            keys.iter().filter(|&&key| (key as usize) < bins).for_each(|&key| counts[key as usize] += 1);
            assert_eq!(get(b, b.histogram(&column, bins)), counts);
        }
    }

    nearest_in_groups_match_oracle(b, rng, n) {
        let keys = rng.keys(n);
        let limit = rng.one_of(&[1, 2, 300, n as u32, u32::MAX]);
        let groups: Vec<u32> = (0..n).map(|_| rng.below(limit)).collect();
        let mut open: HashMap<u32, Vec<usize>> = HashMap::new();
        let previous: Vec<u32> = (0..n)
            .map(|i| {
                let open = open.entry(groups[i]).or_default();
                while open.last().is_some_and(|&top| keys[top] > keys[i]) {
                    open.pop();
                }
                let found = open.last().map_or(u32::MAX, |&top| top as u32);
                open.push(i);
                found
            })
            .collect();
        assert_eq!(get(b, previous_within(&put(b, &groups), &put(b, &keys))), previous);
        let greatest = groups.iter().copied().max().unwrap_or(0);
        assert_eq!(get(b, previous_within_below(&put(b, &groups), &put(b, &keys), greatest)), previous);
    }

    parts_are_worked_on_as_one_after_another(b, rng, n) {
        let x = rng.column(n);
        let starts = rng.offsets(n);
        let ends = starts[1..].iter().map(|&end| end as usize).chain([n]);
        // Few parts of any length, so that threads get some each.
        let parts: Vec<Vec<u32>> =
            starts.iter().zip(ends).take(20).map(|(&begin, end)| x[begin as usize..end].to_vec()).collect();
        let expected: Vec<u32> = parts.iter().map(|part| part.iter().fold(0, |a, b| a ^ b)).collect();
        let found = b.on_each(parts, |b, part| b.reduce(&put(b, &part), Xor).unwrap()).unwrap();
        assert_eq!(found, expected);
    }

    copies_to_the_host_have_the_rows(b, rng, n) {
        let x = rng.column(n);
        let mut copy = vec![7; n];
        b.download_to(&put(b, &x), &mut copy).unwrap();
        assert_eq!(copy, x);
        assert!(b.download_to(&put(b, &x), &mut vec![0; n + 1]).is_err());
    }

    nearest_smaller_match_oracle(b, rng, n) {
        for keys in [rng.keys(n), stairs(rng, n), levels(rng, n), slopes(rng, n)] {
            let column = put(b, &keys);
            let (mut previous, mut next) = (vec![u32::MAX; n], vec![n as u32; n]);
            let mut open: Vec<usize> = Vec::new();
            for i in 0..n {
                while open.last().is_some_and(|&top| keys[top] >= keys[i]) {
                    next[open.pop().unwrap()] = i as u32;
                }
                previous[i] = open.last().map_or(u32::MAX, |&top| top as u32);
                open.push(i);
            }
            assert_eq!(rows(b, &b.previous_smaller(&column).unwrap()), previous);
            assert_eq!(get(b, b.next_smaller_or_equal(&column)), next);
            let both = b.nearest_smaller(&column).unwrap();
            assert_eq!((rows(b, &both.0), get(b, Ok(both.1))), (previous, next));
        }
    }
}

/// Returns keys of a level, which differs by at most one from row to row, and of a rank of four bits.
fn levels(rng: &mut Rng, n: usize) -> Vec<u32> {
    let mut level = 0u32;
    (0..n)
        .map(|_| {
            level = (level + rng.below(3)).saturating_sub(1);
            level << 4 | rng.below(16)
        })
        .collect()
}

/// Returns keys that rise, fall or stay the same for up to 10,000 rows: whole tiles without an answer, or with one far away.
fn slopes(rng: &mut Rng, n: usize) -> Vec<u32> {
    let mut keys = Vec::with_capacity(n + 10_000);
    while keys.len() < n {
        let (first, slope) = (10_000 + rng.below(20_000), rng.below(3));
        keys.extend((0..1 + rng.below(10_000)).map(|k| first + slope * k - k));
    }
    keys.truncate(n);
    keys
}

/// Returns keys that differ by at most one from row to row, but for a few rows that begin a block of a power of two.
fn stairs(rng: &mut Rng, n: usize) -> Vec<u32> {
    let mut key = 0u32;
    (0..n)
        .map(|i| {
            key = key.wrapping_add(rng.below(3)).saturating_sub(1);
            if i % 512 == 0 && i > 0 && rng.below(2) == 0 { u32::MAX - rng.below(2) } else { key }
        })
        .collect()
}
