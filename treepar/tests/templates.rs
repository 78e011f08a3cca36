//! Properties of the templates and of the primitives on plain columns, against the plainest code, for drawn cases.

mod drawn;
mod oracle;

use drawn::properties;
use oracle::compose;
use treepar::backend::ScanKind;
use treepar::compact::{compress, gather, marked, marked_first};
use treepar::device::{Monoid, device};
use treepar::key::{Order, key, key_columns};
use treepar::monoid::*;
use treepar::scan::{offsets, reduce, scan};
use treepar::sort::{inverse, sort_permutation};
use treepar::{Backend, Cpu, Error, segment};

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

#[device(reduce(matched), scan(matched), segmented_scan(matched))]
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

/// What is open and what was closed too much before each bracket, and after the last.
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

fn plain(column: &[Brackets]) -> Vec<(u32, u32)> {
    column.iter().map(|b| (b.close, b.open)).collect()
}

properties! {
    scans_of_brackets_match_oracle(cpu, rng, n) {
        let x = rng.column(n);
        let column = cpu.upload(&x).unwrap();
        let all = brackets(&x);
        let whole = all[n];
        let (found, total) = cpu.scan::<bracket, matched>(ScanKind::Exclusive, n, (&column,)).unwrap();
        assert_eq!((plain(&found), (total.close, total.open)), (all[..n].to_vec(), whole));
        let (found, total) = cpu.scan::<bracket, matched>(ScanKind::Inclusive, n, (&column,)).unwrap();
        assert_eq!((plain(&found), (total.close, total.open)), (all[1..].to_vec(), whole));
        let total = cpu.reduce::<bracket, matched>(n, (&column,)).unwrap();
        assert_eq!((total.close, total.open), whole);
        let ((open, close), _) = cpu.scan_map::<open_before, bracket, matched>(n, (&column,), (&column,)).unwrap();
        assert!((0..n).all(|i| (close[i] ^ x[i], open[i]) == all[i]));
    }

    segmented_scans_of_brackets_match_oracle(cpu, rng, n) {
        let (x, starts) = (rng.column(n), rng.offsets(n));
        let (column, offsets) = (cpu.upload(&x).unwrap(), cpu.upload(&starts).unwrap());
        let (mut exclusive, mut inclusive, mut totals) = (Vec::new(), Vec::new(), Vec::new());
        for (s, &begin) in starts.iter().enumerate() {
            let end = starts.get(s + 1).map_or(n, |&end| end as usize);
            let all = brackets(&x[begin as usize..end]);
            exclusive.extend_from_slice(&all[..all.len() - 1]);
            inclusive.extend_from_slice(&all[1..]);
            totals.push(all[all.len() - 1]);
        }
        let found = cpu.segmented_scan::<bracket, matched>(ScanKind::Exclusive, &offsets, n, (&column,)).unwrap();
        assert_eq!(plain(&found), exclusive);
        let found = cpu.segmented_scan::<bracket, matched>(ScanKind::Inclusive, &offsets, n, (&column,)).unwrap();
        assert_eq!(plain(&found), inclusive);
        assert_eq!(plain(&cpu.segmented_reduce::<bracket, matched>(&offsets, n, (&column,)).unwrap()), totals);
    }

    plain_scans_match_oracle(cpu, rng, n) {
        let x = rng.column(n);
        let starts = rng.offsets(n);
        let (column, offsets) = (cpu.upload(&x).unwrap(), cpu.upload(&starts).unwrap());
        let (mut sums, mut last) = (Vec::new(), None);
        for &x in &x {
            last = Some(last.unwrap_or(0u32).max(x));
            sums.extend(last);
        }
        assert_eq!(scan::<max_u32, _>(cpu, ScanKind::Inclusive, &column).unwrap().0[..], sums);
        assert_eq!(reduce::<xor_u32, _>(cpu, &column).unwrap(), x.iter().fold(0, |a, b| a ^ b));
        let ends = starts[1..].iter().map(|&end| end as usize).chain([n]);
        let firsts: Vec<u32> = starts.iter().zip(ends).map(|(&begin, end)| {
            x[begin as usize..end].iter().copied().find(|&x| x != u32::MAX).unwrap_or(u32::MAX)
        }).collect();
        assert_eq!(segment::reduce::<first_u32, _>(cpu, &offsets, &column).unwrap()[..], firsts);
    }

    segments_offsets_lengths_and_owners_agree(cpu, rng, n) {
        let starts = rng.offsets(n);
        let column = cpu.upload(&starts).unwrap();
        let lengths = segment::lengths(cpu, &column, n).unwrap();
        let (back, total) = offsets(cpu, &lengths).unwrap();
        assert_eq!((&back[..], total), (&starts[..], n as u32));
        let owners: Vec<u32> = lengths.iter().zip(0..).flat_map(|(&m, s)| vec![s; m as usize]).collect();
        let found = segment::owners(cpu, &column, n).unwrap();
        assert_eq!(found[..], owners);
        let mut heads = starts.clone();
        heads.dedup();
        heads.retain(|&head| head < n as u32);
        assert_eq!(segment::runs(cpu, &found).unwrap()[..], heads);
        let x = rng.column(starts.len());
        let (values, k) = cpu.expand::<owned>(&column, n, (&cpu.upload(&x).unwrap(),)).unwrap();
        assert!((0..n).all(|i| values[i] == x[owners[i] as usize] && k[i] == i as u32 - starts[owners[i] as usize]));
    }

    marked_rows_match_oracle(cpu, rng, n) {
        let mask = rng.mask(n);
        let (rows, others): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(|&i| mask[i as usize] != 0);
        let column = cpu.upload(&mask).unwrap();
        assert_eq!(marked(cpu, &column).unwrap()[..], rows);
        let (all, m) = marked_first(cpu, &column).unwrap();
        assert_eq!((&all[..], m), (&[&rows[..], &others[..]].concat()[..], rows.len()));
        let values: Vec<i32> = rng.column(n).iter().map(|&x| x as i32).collect();
        let kept: Vec<i32> = rows.iter().map(|&i| values[i as usize]).collect();
        assert_eq!(compress(cpu, &cpu.upload(&values).unwrap(), &column).unwrap()[..], kept);
    }

    sorts_are_stable(cpu, rng, n) {
        let high = rng.column(n);
        let keys: Vec<u64> = rng.column(n).iter().zip(&high).map(|(&low, &high)| u64::from(high) << 32 | u64::from(low)).collect();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| keys[i as usize]);
        let column = cpu.upload(&keys).unwrap();
        let (sorted, permutation) = sort_permutation(cpu, &column).unwrap();
        assert_eq!(permutation[..], order);
        assert_eq!(sorted[..], gather(cpu, &column, &permutation).unwrap()[..]);
        let back = inverse(cpu, &permutation).unwrap();
        assert_eq!(gather(cpu, &sorted, &back).unwrap()[..], keys);
        order.sort_by_key(|&i| (high[i as usize], i));
        assert_eq!(sort_permutation(cpu, &cpu.upload(&high).unwrap()).unwrap().1[..], order);
    }

    histograms_match_oracle(cpu, rng, n) {
        let keys = rng.column(n);
        for bins in [0, 1, 256, n] {
            let mut counts = vec![0; bins];
            keys.iter().filter(|&&key| (key as usize) < bins).for_each(|&key| counts[key as usize] += 1);
            assert_eq!(cpu.histogram(&cpu.upload(&keys).unwrap(), bins).unwrap()[..], counts);
        }
    }

    nearest_smaller_match_oracle(cpu, rng, n) {
        let keys = rng.keys(n);
        let column = cpu.upload(&keys).unwrap();
        let (mut previous, mut next) = (vec![u32::MAX; n], vec![n as u32; n]);
        let mut open: Vec<usize> = Vec::new();
        for i in 0..n {
            while open.last().is_some_and(|&top| keys[top] >= keys[i]) {
                next[open.pop().unwrap()] = i as u32;
            }
            previous[i] = open.last().map_or(u32::MAX, |&top| top as u32);
            open.push(i);
        }
        assert_eq!(cpu.previous_smaller(&column).unwrap()[..], previous);
        assert_eq!(cpu.next_smaller_or_equal(&column).unwrap()[..], next);
    }

    groups_match_oracle(cpu, rng, n) {
        let columns: Vec<Vec<u32>> = (0..rng.one_of(&[1, 2, 3])).map(|_| rng.column(n)).collect();
        let row = |i: u32| -> Vec<u32> { columns.iter().map(|column| column[i as usize]).collect() };
        let mut groups: std::collections::BTreeMap<Vec<u32>, Vec<u32>> = Default::default();
        (0..n as u32).for_each(|i| groups.entry(row(i)).or_default().push(i));
        let mut groups: Vec<(Vec<u32>, Vec<u32>)> = groups.into_iter().collect();
        let uploaded: Vec<_> = columns.iter().map(|column| cpu.upload(column).unwrap()).collect();
        let values: Vec<u32> = rng.column(n);
        for order in [Order::Sorted, Order::FirstAppearance] {
            if order == Order::FirstAppearance {
                groups.sort_by_key(|(_, rows)| rows[0]);
            }
            let found = key_columns(cpu, &uploaded.iter().collect::<Vec<_>>(), order).unwrap();
            let rows: Vec<u32> = groups.iter().flat_map(|(_, rows)| rows.clone()).collect();
            assert_eq!(found.permutation[..], rows);
            let sizes: Vec<u32> = groups.iter().map(|(_, rows)| rows.len() as u32).collect();
            assert_eq!(found.sizes(cpu).unwrap()[..], sizes);
            for (c, unique) in found.unique.iter().enumerate() {
                assert!(unique.iter().eq(groups.iter().map(|(key, _)| &key[c])));
            }
            let one = key(cpu, &uploaded[0], order).unwrap();
            if columns.len() == 1 {
                assert_eq!((&one.permutation[..], &one.offsets[..]), (&rows[..], &found.offsets[..]));
            }
            let column = cpu.upload(&values).unwrap();
            let (mut of_rows, mut earlier, mut sums) = (vec![0; n], vec![0u32; n], Vec::new());
            for (g, (_, rows)) in groups.iter().enumerate() {
                let mut sum = 0u32;
                for &i in rows {
                    (of_rows[i as usize], earlier[i as usize]) = (g as u32, sum);
                    sum = sum.wrapping_add(values[i as usize]);
                }
                sums.push(sum);
            }
            assert_eq!(found.of_rows(cpu).unwrap()[..], of_rows);
            assert_eq!(found.reduce::<sum_u32>(cpu, &column).unwrap()[..], sums);
            assert_eq!(found.scan::<sum_u32>(cpu, ScanKind::Exclusive, &column).unwrap()[..], earlier);
        }
    }
}

/// Its identity leaves what it is combined with, and brackets may be moved.
fn is_monoid<M: Monoid>(values: &[M::T]) {
    for &a in values {
        assert_eq!((M::combine(M::IDENTITY, a), M::combine(a, M::IDENTITY)), (a, a), "{:?}", M::DEF);
        for &b in values {
            for &c in values {
                let (left, right) = (M::combine(M::combine(a, b), c), M::combine(a, M::combine(b, c)));
                assert_eq!(left, right, "{:?} of {a:?}, {b:?}, {c:?}", M::DEF);
            }
        }
    }
}

#[test]
fn ready_made_monoids_are_monoids() {
    let u32s = [0, 1, 2, 7, 1 << 31, u32::MAX - 1, u32::MAX];
    is_monoid::<sum_u32>(&u32s);
    is_monoid::<max_u32>(&u32s);
    is_monoid::<min_u32>(&u32s);
    is_monoid::<and_u32>(&u32s);
    is_monoid::<or_u32>(&u32s);
    is_monoid::<xor_u32>(&u32s);
    is_monoid::<first_u32>(&u32s);
    is_monoid::<last_u32>(&u32s);
    let u64s = [0, 1, 1 << 32, 1 << 63, u64::MAX];
    is_monoid::<sum_u64>(&u64s);
    is_monoid::<max_u64>(&u64s);
    is_monoid::<min_u64>(&u64s);
    let i32s = [0, 1, -1, i32::MIN, i32::MAX];
    is_monoid::<sum_i32>(&i32s);
    is_monoid::<max_i32>(&i32s);
    is_monoid::<min_i32>(&i32s);
    is_monoid::<sum_f32>(&[0.0, 1.0, -2.5, 1024.0]);
    is_monoid::<matched>(&[(0, 0), (1, 0), (0, 1), (3, 2)].map(|(close, open)| Brackets { close, open }));
    assert_eq!(compose((2, 1), (3, 5)), (6, 8), "the oracle's affine maps apply the left one first");
}

#[test]
fn offsets_may_end_with_the_rows_and_not_behind() {
    let cpu = Cpu::with_threads(2);
    let column = cpu.upload(&[1u32, 2, 3]).unwrap();
    let reduced = |offsets: &[u32]| {
        segment::reduce::<sum_u32, _>(&cpu, &cpu.upload(offsets).unwrap(), &column).map(|sums| sums.to_vec())
    };
    assert_eq!(reduced(&[0, 3]), Ok(vec![6, 0]));
    assert_eq!(reduced(&[0, 4]), Err(Error::InvalidOffset { index: 1, found: 4, limit: 3 }));
    assert_eq!(reduced(&[1, 1]), Ok(vec![0, 5]));
    assert_eq!(reduced(&[2, 1]), Err(Error::InvalidOffset { index: 0, found: 2, limit: 1 }));
    assert_eq!(reduced(&[]), Ok(vec![]));
}

#[test]
fn columns_of_different_lengths_are_refused() {
    let cpu = Cpu::with_threads(1);
    let (two, three) = (cpu.upload(&[0u32, 1]).unwrap(), cpu.upload(&[0u32, 1, 2]).unwrap());
    let found = key_columns(&cpu, &[&two, &three], Order::Sorted).map(|_| ());
    assert_eq!(found, Err(Error::LengthMismatch { array: "key column", expected: 2, found: 3 }));
    let groups = key(&cpu, &two, Order::Sorted).unwrap();
    let found = groups.reduce::<sum_u32>(&cpu, &three).map(|_| ());
    assert_eq!(found, Err(Error::LengthMismatch { array: "values", expected: 2, found: 3 }));
    let found = compress(&cpu, &two, &cpu.upload(&[1u8]).unwrap()).map(|_| ());
    assert_eq!(found, Err(Error::LengthMismatch { array: "mask", expected: 2, found: 1 }));
}

#[test]
fn more_rows_than_indices_are_refused() {
    let cpu = Cpu::with_threads(1);
    let limit = u64::from(u32::MAX) - 1;
    let found = cpu.allocate::<u8>(u32::MAX as usize).map(|_| ());
    assert_eq!(found, Err(Error::TooManyRows { array: "column", found: limit + 1, limit }));
}
