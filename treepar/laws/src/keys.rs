//! Key, by columns of any number, and lifting.

use std::collections::BTreeMap;

use treepar::Backend;
use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::key::{
    KeyColumn, KeyElement, Order, Role, flatten, greatest, group, group_columns, least, lift, sort_columns,
};
use treepar::monoid::Sum;

use crate::forests::forest;
use crate::oracle::{self, NONE};
use crate::{each_holds, get, put, rows};

#[device(expand)]
fn place(_group: usize, k: usize) -> u32 {
    k as u32
}

/// Rows of each key, the keys in order.
fn groups_of<K: Ord>(n: usize, key: impl Fn(usize) -> K) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<K, Vec<u32>> = BTreeMap::new();
    (0..n).for_each(|i| groups.entry(key(i)).or_default().push(i as u32));
    groups.into_values().collect()
}

/// Checks the groups of some columns in both orders.
fn check<B: Backend>(b: &B, columns: &[KeyColumn<'_, B>], mut groups: Vec<Vec<u32>>, values: &[u32]) {
    let n = values.len();
    let column = put(b, values);
    for order in [Order::Sorted, Order::FirstAppearance] {
        if order == Order::FirstAppearance {
            groups.sort_by_key(|rows| rows[0]);
        }
        let found = group_columns(columns, order).unwrap();
        assert_eq!(rows(b, found.permutation()), groups.concat());
        let sizes: Vec<u32> = groups.iter().map(|rows| rows.len() as u32).collect();
        assert_eq!(get(b, found.sizes()), sizes);
        assert_eq!(get(b, found.first_rows()), groups.iter().map(|rows| rows[0]).collect::<Vec<_>>());
        assert_eq!(get(b, found.unique(&column)), groups.iter().map(|g| values[g[0] as usize]).collect::<Vec<_>>());
        let (mut of_rows, mut places, mut earlier, mut sums) = (vec![0; n], vec![0; n], vec![0u32; n], Vec::new());
        for (g, rows) in groups.iter().enumerate() {
            let mut sum = 0u32;
            for (k, &i) in rows.iter().enumerate() {
                let i = i as usize;
                (of_rows[i], places[i], earlier[i]) = (g as u32, k as u32, sum);
                sum = sum.wrapping_add(values[i]);
            }
            sums.push(sum);
        }
        assert_eq!(get(b, found.of_rows()), of_rows);
        assert_eq!(get(b, found.map(place::of())), places);
        assert_eq!(get(b, found.reduce(&column, Sum)), sums);
        assert_eq!(get(b, found.scan(ScanKind::Exclusive, &column, Sum)), earlier);
    }
}

/// Checks the rows of the least and the greatest keys, where `number` has the order of the keys.
fn check_selected<B: Backend, T: KeyElement>(b: &B, keys: &[T], number: impl Fn(T) -> i64, k: usize) {
    let column = put(b, keys);
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_by_key(|&i| number(keys[i as usize]));
    let k_of = k.min(keys.len());
    assert_eq!(get(b, least(&column, k)), order[..k_of]);
    order.sort_by_key(|&i| (std::cmp::Reverse(number(keys[i as usize])), i));
    assert_eq!(get(b, greatest(&column, k)), order[..k_of]);
}

each_holds! {
    selected_rows_match_a_sort(b, rng, n) {
        let x = rng.column(n);
        let k = rng.one_of(&[0, 1, 2, 100, n / 2, n, n + 1]);
        check_selected(b, &x, i64::from, k);
        check_selected(b, &x.iter().map(|&x| (x ^ 3 << 30) as i32).collect::<Vec<_>>(), i64::from, k);
        check_selected(b, &x.iter().map(|&x| x as i8).collect::<Vec<_>>(), i64::from, k);
        check_selected(b, &x.iter().map(|&x| f64::from(x) * -0.5).collect::<Vec<_>>(), |x| (x * 2.0) as i64, k);
        let spread = |&x: &u32| u64::from(x) << 20 | u64::from(x % 7);
        check_selected(b, &x.iter().map(spread).collect::<Vec<_>>(), |x| x as i64, k);
    }

    rows_in_the_order_of_columns_match_a_sort(b, rng, n) {
        let (x, y) = (rng.column(n), rng.column(n));
        let signed: Vec<i64> = y.iter().map(|&y| i64::from(y) - 100).collect();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| (x[i as usize], signed[i as usize]));
        let (x, signed) = (put(b, &x), put(b, &signed));
        assert_eq!(get(b, sort_columns::<B>(&[KeyColumn::U32(&x), KeyColumn::I64(&signed)])), order);
    }

    groups_match_oracle(b, rng, n) {
        let columns: Vec<Vec<u32>> = (0..rng.one_of(&[1, 2, 3])).map(|_| rng.column(n)).collect();
        let groups = groups_of(n, |i| columns.iter().map(|column| column[i]).collect::<Vec<_>>());
        let uploaded: Vec<_> = columns.iter().map(|column| put(b, column)).collect();
        check(b, &uploaded.iter().map(KeyColumn::U32).collect::<Vec<_>>(), groups, &rng.column(n));
    }

    groups_of_any_number_match_oracle(b, rng, n) {
        let (x, values) = (rng.column(n), rng.column(n));
        let bytes: Vec<u8> = x.iter().map(|&x| x as u8).collect();
        check(b, &[KeyColumn::U8(&put(b, &bytes))], groups_of(n, |i| bytes[i]), &values);
        let shorts: Vec<u16> = x.iter().map(|&x| x as u16).collect();
        check(b, &[KeyColumn::U16(&put(b, &shorts))], groups_of(n, |i| shorts[i]), &values);
        let signed: Vec<i32> = x.iter().map(|&x| (x ^ 3 << 30) as i32).collect();
        check(b, &[KeyColumn::I32(&put(b, &signed))], groups_of(n, |i| signed[i]), &values);
        let longs: Vec<i64> = x.iter().map(|&x| i64::from(x) - 100).collect();
        let wide: Vec<u64> = x.iter().zip(&values).map(|(&x, &y)| u64::from(x) << 32 | u64::from(y % 2)).collect();
        let floats: Vec<f32> = x.iter().map(|&x| f32::from_bits(x)).collect();
        let total = |x: f32| {
            let bits = x.to_bits() as i32;
            bits ^ ((bits >> 31) as u32 >> 1) as i32
        };
        check(b, &[KeyColumn::F32(&put(b, &floats))], groups_of(n, |i| total(floats[i])), &values);
        let signed: Vec<i8> = x.iter().map(|&x| x as i8).collect();
        check(b, &[KeyColumn::I8(&put(b, &signed))], groups_of(n, |i| signed[i]), &values);
        let signed: Vec<i16> = x.iter().map(|&x| (x ^ 3 << 14) as i16).collect();
        check(b, &[KeyColumn::I16(&put(b, &signed))], groups_of(n, |i| signed[i]), &values);
        // With zeros of both signs, infinities and NaNs.
        let bits = |x: u32| u64::from(x & !511) << 32 | u64::from(x & 1) << 63 | u64::from(x >> 1 & 1) << 62;
        let doubles: Vec<f64> = x.iter().map(|&x| f64::from_bits(bits(x))).collect();
        let total = |x: f64| {
            let bits = x.to_bits() as i64;
            bits ^ ((bits >> 63) as u64 >> 1) as i64
        };
        check(b, &[KeyColumn::F64(&put(b, &doubles))], groups_of(n, |i| total(doubles[i])), &values);
        let (longs_column, wide_column) = (put(b, &longs), put(b, &wide));
        let both = [KeyColumn::I64(&longs_column), KeyColumn::U64(&wide_column)];
        check(b, &both, groups_of(n, |i| (longs[i], wide[i])), &values);
        let alone = group(&put(b, &bytes), Order::Sorted).unwrap();
        assert_eq!(rows(b, alone.permutation()), groups_of(n, |i| bytes[i]).concat());
        let (alone, groups) = (group(&wide_column, Order::Sorted).unwrap(), groups_of(n, |i| wide[i]));
        let sizes: Vec<u32> = groups.iter().map(|rows| rows.len() as u32).collect();
        assert_eq!((rows(b, alone.permutation()), get(b, alone.sizes())), (groups.concat(), sizes));
    }

    lifted_forests_match_oracle(b, rng, n) {
        let (depth, mark) = (rng.forest(n), rng.mask(n));
        let parent = oracle::parents(&depth);
        let mut owner: Vec<u32> = Vec::new();
        for &p in &parent {
            owner.push(if p == NONE || mark[p as usize] != 0 { p } else { owner[p as usize] });
        }
        let marked: Vec<u32> = (0..n as u32).filter(|&i| mark[i as usize] != 0).collect();
        let is_dropped = |i: u32| mark[i as usize] != 0 && depth[i as usize] == 0;
        let mut members = vec![Vec::new(); n + 1];
        for i in (0..n as u32).filter(|&i| !is_dropped(i)) {
            members[if owner[i as usize] == NONE { n } else { owner[i as usize] as usize }].push(i);
        }
        for backwards in [false, true] {
            let mut parts: Vec<Vec<(u32, bool)>> = vec![members[n].iter().map(|&i| (i, false)).collect()];
            for &g in &marked {
                parts.push([(g, true)].into_iter().chain(members[g as usize].iter().map(|&i| (i, false))).collect());
            }
            if backwards {
                parts.reverse();
            }
            let all = parts.concat();
            let root: BTreeMap<u32, u32> =
                all.iter().zip(0..).filter(|((_, is_root), _)| *is_root).map(|(&(g, _), row)| (g, row)).collect();
            let expected: Vec<(u32, u32, u8, u32)> = all.iter().map(|&(i, is_root)| {
                let own = owner[i as usize];
                let above = if own == NONE { 0 } else { depth[own as usize] };
                match (is_root, mark[i as usize] != 0) {
                    (true, _) => (0, i, Role::Root as u8, NONE),
                    (false, true) => (depth[i as usize] - above, i, Role::Reference as u8, root[&i]),
                    (false, false) => (depth[i as usize] - above, i, Role::Node as u8, NONE),
                }
            }).collect();
            let found = lift(&forest(b, &depth), &put(b, &mark), backwards).unwrap();
            let columns = (rows(b, found.forest.depths()), rows(b, &found.origin), rows(b, &found.role), rows(b, &found.target));
            assert_eq!(columns.0.len(), expected.len());
            let found: Vec<(u32, u32, u8, u32)> =
                (0..expected.len()).map(|r| (columns.0[r], columns.1[r], columns.2[r], columns.3[r])).collect();
            assert_eq!(found, expected);
            let flat = flatten(&forest(b, &depth), &put(b, &mark), backwards).unwrap();
            assert_eq!((rows(b, &flat.origin), rows(b, &flat.role)), (columns.1, columns.2));
        }
    }
}
