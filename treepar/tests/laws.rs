//! Laws of the templates and of the tree views, on every backend at hand, at sizes around the edges of blocks and on
//! shapes that are hard.

mod oracle;

use oracle::{NONE, compose};
use treepar::ancestor::{Of, nearest_marked};
use treepar::backend::ScanKind;
use treepar::depth::Depths;
use treepar::device::device;
use treepar::key::{Order, key};
use treepar::{Backend, Cpu, Error};

/// Lengths around the edges of blocks.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 31, 32, 33, 1000, 8191, 8192, 8193, 16_385, 40_000, 100_003];

/// Stamps a law on every backend.
macro_rules! laws {
    ($($name:ident($cpu:ident) $body:block)*) => {$(
        mod $name {
            use super::*;
            fn law($cpu: &Cpu) $body
            #[test]
            fn one_thread() { law(&used(1)); }
            #[test]
            fn two_threads() { law(&used(2)); }
            #[test]
            fn seven_threads() { law(&used(7)); }
        }
    )*};
}

/// A backend whose pool holds memory with old contents, which fresh columns must not show.
fn used(threads: usize) -> Cpu {
    let cpu = Cpu::with_threads(threads);
    let old: Vec<_> = LENGTHS.iter().flat_map(|&n| [n, n, 2 * n]).map(|n| cpu.filled(n, 0xdead_beefu32)).collect();
    drop(old);
    cpu
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }
    fn column(&mut self, n: usize, below: u32) -> Vec<u32> {
        (0..n).map(|_| self.next() % below).collect()
    }
}

/// Depth vectors: named shapes and random ones, shallow and deep.
fn forests() -> Vec<(String, Vec<u32>)> {
    let mut all: Vec<(String, Vec<u32>)> = Vec::new();
    for n in [0usize, 1, 2, 33, 8192, 8193, 30_001] {
        let m = n as u32;
        all.push((format!("{n} roots"), vec![0; n]));
        all.push((format!("chain of {n}"), (0..m).collect()));
        all.push((format!("star of {n}"), (0..m).map(|i| i.min(1)).collect()));
        all.push((format!("caterpillar of {n}"), (0..m).map(|i| i.div_ceil(2)).collect()));
        all.push((format!("staircase of {n}"), (0..m).map(|i| i % 1000).collect()));
        all.push((format!("binary tree of {n}"), complete_binary(n)));
        for (seed, back) in [(1, 2), (2, 4), (3, 40), (4, 4000)] {
            let mut rng = Rng(seed);
            let mut depth: Vec<u32> = Vec::new();
            for _ in 0..n {
                let most = depth.last().map_or(0, |&d| d + 1);
                depth.push(most - (rng.next() % back).min(most));
            }
            all.push((format!("{n} nodes, seed {seed}"), depth));
        }
    }
    all
}

/// The first n nodes in preorder of a complete binary tree of fourteen levels.
fn complete_binary(n: usize) -> Vec<u32> {
    let mut depth = Vec::new();
    let mut waiting = vec![0];
    while let (Some(d), true) = (waiting.pop(), depth.len() < n) {
        depth.push(d);
        if d < 14 {
            waiting.extend([d + 1, d + 1]);
        }
    }
    depth
}

#[device]
struct Affine {
    m: u32,
    b: u32,
}

#[device(monoid(identity = Affine { m: 1, b: 0 }))]
fn then(f: Affine, g: Affine) -> Affine {
    Affine { m: f.m.wrapping_mul(g.m), b: f.b.wrapping_mul(g.m).wrapping_add(g.b) }
}

#[device(map, reduce(then), scan(then), segmented_scan(then))]
fn affine(i: usize, x: &[u32], salt: u32) -> Affine {
    Affine { m: x[i] | 1, b: x[i].wrapping_add(salt) }
}

#[device(scan_map(affine, then))]
fn before(i: usize, before: Affine, x: &[u32]) -> (u32, u32) {
    (before.m, before.b.wrapping_add(x[i]))
}

#[device(compact)]
fn is_odd(i: usize, x: &[u32]) -> bool {
    x[i] % 2 == 1
}

#[device(expand)]
fn pair(owner: usize, k: usize, x: &[u32]) -> (u32, u32) {
    (x[owner], k as u32)
}

#[device(walk_down)]
fn path_hash(i: usize, parent: u32) -> u32 {
    parent.wrapping_mul(31).wrapping_add(i as u32 + 1)
}

#[device(walk_up(then))]
fn subtree(i: usize, children: Affine) -> Affine {
    Affine { m: children.m.wrapping_mul(i as u32 | 1), b: children.b.wrapping_add(i as u32) }
}

fn pairs(column: &[Affine]) -> Vec<(u32, u32)> {
    column.iter().map(|a| (a.m, a.b)).collect()
}

fn affines(x: &[u32], salt: u32) -> Vec<(u32, u32)> {
    x.iter().map(|&x| (x | 1, x.wrapping_add(salt))).collect()
}

/// An affine map.
type Pair = (u32, u32);

/// Prefixes of a composition, without and with each element, and the whole.
fn prefixes(elements: &[Pair]) -> (Vec<Pair>, Vec<Pair>, Pair) {
    let (mut exclusive, mut inclusive, mut sum) = (Vec::new(), Vec::new(), (1, 0));
    for &element in elements {
        exclusive.push(sum);
        sum = compose(sum, element);
        inclusive.push(sum);
    }
    (exclusive, inclusive, sum)
}

/// Segment offsets over n rows, with empty segments, some long.
fn segments(n: usize, rng: &mut Rng) -> Vec<u32> {
    let mut offsets = vec![0];
    let mut at = 0;
    while at < n as u32 {
        let step = [0, 0, 1, 3, 100, 20_000][rng.next() as usize % 6];
        at = (at + step).min(n as u32);
        offsets.push(at);
    }
    offsets
}

laws! {
    map_calls_every_row(cpu) {
        for n in LENGTHS {
            let x = Rng(n as u64).column(n, u32::MAX);
            let found = cpu.map::<affine>(n, (&cpu.upload(&x).unwrap(), 5)).unwrap();
            assert_eq!(pairs(&found), affines(&x, 5), "{n} rows");
        }
    }

    scans_and_reduce_match_oracle(cpu) {
        for n in LENGTHS {
            let x = Rng(n as u64).column(n, u32::MAX);
            let column = cpu.upload(&x).unwrap();
            let (exclusive, inclusive, sum) = prefixes(&affines(&x, 7));
            let found = cpu.scan::<affine, then>(ScanKind::Exclusive, n, (&column, 7)).unwrap();
            assert_eq!((pairs(&found.0), (found.1.m, found.1.b)), (exclusive.clone(), sum), "{n} rows");
            let found = cpu.scan::<affine, then>(ScanKind::Inclusive, n, (&column, 7)).unwrap();
            assert_eq!((pairs(&found.0), (found.1.m, found.1.b)), (inclusive, sum), "{n} rows");
            let found = cpu.reduce::<affine, then>(n, (&column, 7)).unwrap();
            assert_eq!((found.m, found.b), sum, "{n} rows");
            let ((m, b), whole) = cpu.scan_map::<before, affine, then>(n, (&column, 7), (&column,)).unwrap();
            let expected: Vec<(u32, u32)> =
                exclusive.iter().zip(&x).map(|(&(m, b), &x)| (m, b.wrapping_add(x))).collect();
            let found: Vec<(u32, u32)> = m.iter().copied().zip(b.iter().copied()).collect();
            assert_eq!((found, (whole.m, whole.b)), (expected, sum), "{n} rows");
        }
    }

    segmented_scans_and_reduce_match_oracle(cpu) {
        for n in LENGTHS {
            let mut rng = Rng(n as u64);
            let x = rng.column(n, u32::MAX);
            let offsets = segments(n, &mut rng);
            let (column, starts) = (cpu.upload(&x).unwrap(), cpu.upload(&offsets).unwrap());
            let all = affines(&x, 1);
            let mut expected = (Vec::new(), Vec::new(), Vec::new());
            for (s, &begin) in offsets.iter().enumerate() {
                let end = offsets.get(s + 1).map_or(n, |&end| end as usize);
                let (exclusive, inclusive, sum) = prefixes(&all[begin as usize..end]);
                expected.0.extend(exclusive);
                expected.1.extend(inclusive);
                expected.2.push(sum);
            }
            let found = cpu.segmented_scan::<affine, then>(ScanKind::Exclusive, &starts, n, (&column, 1)).unwrap();
            assert_eq!(pairs(&found), expected.0, "{n} rows");
            let found = cpu.segmented_scan::<affine, then>(ScanKind::Inclusive, &starts, n, (&column, 1)).unwrap();
            assert_eq!(pairs(&found), expected.1, "{n} rows");
            let found = cpu.segmented_reduce::<affine, then>(&starts, n, (&column, 1)).unwrap();
            assert_eq!(pairs(&found), expected.2, "{n} rows");
        }
    }

    compact_and_partition_keep_order(cpu) {
        for n in LENGTHS {
            let x = Rng(n as u64).column(n, 100);
            let column = cpu.upload(&x).unwrap();
            let (odd, even): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(|&i| x[i as usize] % 2 == 1);
            assert_eq!(cpu.compact::<is_odd>(n, (&column,)).unwrap()[..], odd, "{n} rows");
            let (found, first) = cpu.partition::<is_odd>(n, (&column,)).unwrap();
            assert_eq!((&found[..], first), (&[&odd[..], &even[..]].concat()[..], odd.len()), "{n} rows");
        }
    }

    expand_calls_every_row_of_every_owner(cpu) {
        for n in LENGTHS {
            let mut rng = Rng(n as u64);
            let counts: Vec<u32> = (0..n).map(|_| [0, 1, 1, 2, 7][rng.next() as usize % 5]).collect();
            let offsets: Vec<u32> = counts.iter().scan(0, |sum, &c| Some(std::mem::replace(sum, *sum + c))).collect();
            let m = counts.iter().sum::<u32>() as usize;
            let x = rng.column(n, u32::MAX);
            let (values, k) = cpu
                .expand::<pair>(&cpu.upload(&offsets).unwrap(), m, (&cpu.upload(&x).unwrap(),))
                .unwrap();
            let expected: Vec<(u32, u32)> =
                (0..n).flat_map(|i| (0..counts[i]).map(move |k| (i, k))).map(|(i, k)| (x[i], k)).collect();
            let found: Vec<(u32, u32)> = values.iter().copied().zip(k.iter().copied()).collect();
            assert_eq!(found, expected, "{n} owners");
        }
    }

    scatter_writes_inside_and_skips_outside(cpu) {
        for n in LENGTHS {
            let mut order: Vec<u32> = (0..n as u32).collect();
            let mut rng = Rng(n as u64);
            for i in (1..n).rev() {
                order.swap(i, rng.next() as usize % (i + 1));
            }
            let target_len = n / 2;
            let values = rng.column(n, u32::MAX);
            let mut target = cpu.filled(target_len, 9).unwrap();
            cpu.scatter(&mut target, &cpu.upload(&order).unwrap(), &cpu.upload(&values).unwrap()).unwrap();
            let mut expected = vec![9; target_len];
            for (&i, &value) in order.iter().zip(&values) {
                if let Some(slot) = expected.get_mut(i as usize) {
                    *slot = value;
                }
            }
            assert_eq!(target[..], expected, "{n} rows");
        }
    }

    histogram_counts_and_skips_outside(cpu) {
        for n in LENGTHS {
            for bins in [0usize, 1, 10, 5000] {
                let keys = Rng(n as u64).column(n, 6000);
                let mut expected = vec![0; bins];
                for &key in &keys {
                    if let Some(count) = expected.get_mut(key as usize) {
                        *count += 1;
                    }
                }
                assert_eq!(cpu.histogram(&cpu.upload(&keys).unwrap(), bins).unwrap()[..], expected, "{n} in {bins}");
            }
        }
    }

    sort_is_stable(cpu) {
        for n in LENGTHS {
            for below in [1, 3, 256, 70_000, u32::MAX] {
                let keys = Rng(n as u64).column(n, below);
                let rows: Vec<u32> = (0..n as u32).collect();
                let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(rows.iter().copied()).collect();
                expected.sort_by_key(|row| row.0);
                let payload = cpu.upload(&rows).unwrap();
                let (found, order) = cpu.sort_by_key(&cpu.upload(&keys).unwrap(), &payload).unwrap();
                let found: Vec<(u32, u32)> = found.iter().copied().zip(order.iter().copied()).collect();
                assert_eq!(found, expected, "{n} keys below {below}");
                let wide: Vec<u64> = keys.iter().map(|&k| u64::from(k) << 21 | 5).collect();
                let (_, order) = cpu.sort_by_key(&cpu.upload(&wide).unwrap(), &payload).unwrap();
                assert!(order.iter().eq(expected.iter().map(|row| &row.1)), "{n} wide keys below {below}");
            }
        }
    }

    nearest_smaller_match_oracle(cpu) {
        for n in [0, 1, 2, 33, 1000, 9000, 20_000] {
            for below in [1, 2, 50, u32::MAX] {
                let keys = Rng(n as u64).column(n, below);
                let column = cpu.upload(&keys).unwrap();
                assert_eq!(cpu.previous_smaller(&column).unwrap()[..], oracle::previous_smaller(&keys), "{n} below {below}");
                let found = cpu.next_smaller_or_equal(&column).unwrap();
                assert_eq!(found[..], oracle::next_smaller_or_equal(&keys), "{n} below {below}");
            }
        }
    }

    views_of_forests_match_oracle(cpu) {
        for (name, depth) in forests() {
            let forest = Depths::new(cpu, cpu.upload(&depth).unwrap()).unwrap();
            let parents = oracle::parents(&depth);
            let ends = oracle::ends(&depth);
            let sizes: Vec<u32> = ends.iter().enumerate().map(|(i, &end)| end - i as u32).collect();
            let found = forest.parents(cpu).unwrap();
            assert_eq!(found[..], parents, "parents of {name}");
            assert_eq!(forest.ends(cpu).unwrap()[..], ends, "ends of {name}");
            assert_eq!(forest.subtree_sizes(cpu).unwrap()[..], sizes, "sizes of {name}");
            assert_eq!(forest.child_indices(cpu).unwrap()[..], oracle::child_indices(&depth), "child indices of {name}");
            assert_eq!(forest.postorder(cpu).unwrap()[..], oracle::postorder(&depth), "postorder of {name}");
            let mut counts = vec![0; depth.len()];
            parents.iter().filter(|&&p| p != NONE).for_each(|&p| counts[p as usize] += 1);
            assert_eq!(forest.child_counts(cpu).unwrap()[..], counts, "child counts of {name}");
            let mut order: Vec<u32> = (0..depth.len() as u32).collect();
            order.sort_by_key(|&i| depth[i as usize]);
            let (found_order, levels) = forest.level_order(cpu).unwrap();
            assert_eq!(found_order[..], order, "level order of {name}");
            assert_eq!(levels.len(), depth.iter().max().map_or(0, |&h| h as usize + 1), "levels of {name}");
            let back = Depths::from_parents(cpu, &found).unwrap();
            assert_eq!(back.depths()[..], depth, "depths from the parents of {name}");
        }
    }

    walks_match_oracle(cpu) {
        for (name, depth) in forests() {
            let parents = oracle::parents(&depth);
            let column = cpu.upload(&parents).unwrap();
            let mut down: Vec<u32> = Vec::new();
            for (i, &p) in parents.iter().enumerate() {
                let above = if p == NONE { 17 } else { down[p as usize] };
                down.push(above.wrapping_mul(31).wrapping_add(i as u32 + 1));
            }
            assert_eq!(cpu.walk_down::<path_hash>(&column, 17, ()).unwrap()[..], down, "down {name}");
            let mut children = vec![(1u32, 0u32); depth.len()];
            let mut up = vec![(0, 0); depth.len()];
            for i in (0..depth.len()).rev() {
                let (m, b) = children[i];
                up[i] = (m.wrapping_mul(i as u32 | 1), b.wrapping_add(i as u32));
                if parents[i] != NONE {
                    let slot = &mut children[parents[i] as usize];
                    *slot = compose(up[i], *slot);
                }
            }
            assert_eq!(pairs(&cpu.walk_up::<subtree, then>(&column, ()).unwrap()), up, "up {name}");
        }
    }

    nearest_marked_matches_oracle(cpu) {
        for (name, depth) in forests() {
            let parents = oracle::parents(&depth);
            for below in [1, 2, 20, 100_000] {
                let mark: Vec<u8> = Rng(7).column(depth.len(), below).iter().map(|&x| u8::from(x == 0)).collect();
                let mut strict: Vec<u32> = Vec::new();
                let mut own: Vec<u32> = Vec::new();
                for (i, &p) in parents.iter().enumerate() {
                    strict.push(if p == NONE { NONE } else { own[p as usize] });
                    own.push(if mark[i] != 0 { i as u32 } else { strict[i] });
                }
                let (column, marks) = (cpu.upload(&parents).unwrap(), cpu.upload(&mark).unwrap());
                assert_eq!(nearest_marked(cpu, &column, &marks, Of::Itself).unwrap()[..], own, "{name}");
                assert_eq!(nearest_marked(cpu, &column, &marks, Of::Above).unwrap()[..], strict, "{name}");
            }
        }
    }

    key_groups_rows(cpu) {
        for n in LENGTHS {
            for below in [1, 5, 1000, u32::MAX] {
                let keys = Rng(n as u64).column(n, below);
                let mut groups: Vec<(u32, Vec<u32>)> = Vec::new();
                let mut found = std::collections::HashMap::new();
                for (i, &key) in keys.iter().enumerate() {
                    let g = *found.entry(key).or_insert_with(|| {
                        groups.push((key, Vec::new()));
                        groups.len() - 1
                    });
                    groups[g].1.push(i as u32);
                }
                let column = cpu.upload(&keys).unwrap();
                for order in [Order::FirstAppearance, Order::Sorted] {
                    if order == Order::Sorted {
                        groups.sort_by_key(|group| group.0);
                    }
                    let found = key(cpu, &column, order).unwrap();
                    let unique: Vec<u32> = groups.iter().map(|group| group.0).collect();
                    let rows: Vec<u32> = groups.iter().flat_map(|group| group.1.clone()).collect();
                    let offsets: Vec<u32> =
                        groups.iter().scan(0, |at, g| Some(std::mem::replace(at, *at + g.1.len() as u32))).collect();
                    assert_eq!(found.unique[..], unique, "{n} keys below {below}");
                    assert_eq!(found.permutation[..], rows, "{n} keys below {below}");
                    assert_eq!(found.offsets[..], offsets, "{n} keys below {below}");
                }
            }
        }
    }
}

#[test]
fn what_is_no_forest_is_refused_at_its_place() {
    let cpu = Cpu::with_threads(2);
    let depths = |depth: &[u32]| Depths::new(&cpu, cpu.upload(depth).unwrap()).map(|_| ());
    assert_eq!(depths(&[1]), Err(Error::InvalidDepth { index: 0, found: 1, limit: 0 }));
    assert_eq!(depths(&[0, 1, 2, 0, 2]), Err(Error::InvalidDepth { index: 4, found: 2, limit: 1 }));
    assert_eq!(depths(&[0, 1, 2, 0, 1]), Ok(()));
    let parents = |parent: &[u32]| Depths::from_parents(&cpu, &cpu.upload(parent).unwrap()).map(|_| ());
    assert_eq!(parents(&[0]), Err(Error::InvalidParent { index: 0, found: 0 }));
    assert_eq!(parents(&[NONE, 2, 0]), Err(Error::InvalidParent { index: 1, found: 2 }));
    assert_eq!(parents(&[NONE, 0, 0, 1]), Err(Error::InvalidParent { index: 3, found: 1 }));
    assert_eq!(parents(&[NONE, 0, 0, 2, NONE]), Ok(()));
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let cpu = Cpu::with_threads(1);
    let (two, three) = (cpu.upload(&[0u32, 1]).unwrap(), cpu.upload(&[0u32, 1, 2]).unwrap());
    let mut target = cpu.filled(4, 0u32).unwrap();
    let error = Error::LengthMismatch { array: "values", expected: 2, found: 3 };
    assert_eq!(cpu.scatter(&mut target, &two, &three), Err(error));
    assert!(cpu.sort_by_key(&two, &three).is_err());
    assert_eq!(cpu.read(&two, 2), Err(Error::IndexOutOfRange { array: "read", index: 0, found: 2, limit: 2 }));
    let falling = cpu.upload(&[0u32, 3, 2]).unwrap();
    let reduced = cpu.segmented_reduce::<affine, then>(&falling, 3, (&three, 0)).map(|_| ());
    assert_eq!(reduced, Err(Error::InvalidOffset { index: 1, found: 3, limit: 2 }));
    let marks = cpu.upload(&[0u8]).unwrap();
    assert!(nearest_marked(&cpu, &two, &marks, Of::Above).is_err());
}

#[cfg(debug_assertions)]
#[test]
fn duplicate_targets_are_found_in_debug_builds() {
    let cpu = Cpu::with_threads(2);
    let indices = cpu.upload(&[1u32, 0, 1]).unwrap();
    let mut target = cpu.filled(2, 0u32).unwrap();
    assert_eq!(cpu.scatter(&mut target, &indices, &indices), Err(Error::DuplicateTarget { target: 1 }));
}

#[test]
fn an_operation_runs_as_many_templates_as_it_says() {
    let cpu = Cpu::with_threads(1);
    let column = cpu.upload(&[0u32, 1, 2, 2, 1]).unwrap();
    let before = cpu.counters();
    let forest = Depths::new(&cpu, column).unwrap();
    forest.parents(&cpu).unwrap();
    forest.subtree_sizes(&cpu).unwrap();
    let after = cpu.counters();
    assert_eq!(after.launches - before.launches, 4, "one to validate, one for parents, two for sizes");
}
