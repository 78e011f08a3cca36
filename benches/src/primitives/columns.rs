//! Operations on plain columns.

use treepar::Backend;
use treepar::backend::ScanKind;
use treepar::compact::{gather, marked, marked_first};
use treepar::device::device;
use treepar::key::{Order, key};
use treepar::monoid::sum_u32;
use treepar::{scan, segment, sort};

use crate::operation::{Kind, Operation};

#[device(map)]
fn mixed(i: usize, x: &[u32], y: &[u32]) -> u32 {
    x[i].wrapping_mul(31) ^ y[i]
}

#[device(scan_map(value, sum_u32))]
fn running(i: usize, before: u32, x: &[u32]) -> u32 {
    before ^ x[i]
}

#[device(scan(sum_u32))]
fn value(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(expand)]
fn owned(owner: usize, k: usize, x: &[u32]) -> u32 {
    x[owner].wrapping_add(k as u32)
}

/// All of them.
pub fn operations() -> Vec<Operation> {
    vec![
        Operation {
            name: "map",
            kind: Kind::Pass,
            bytes: |n| 12.0 * n,
            ours: |cpu, d| Ok(cpu.map::<mixed>(d.n(), (&d.x, &d.small))?.into()),
            plain: |d, s| {
                s.out.clear();
                s.out.extend(d.x.iter().zip(&d.small[..]).map(|(&x, &y)| x.wrapping_mul(31) ^ y));
            },
        },
        Operation {
            name: "reduce",
            kind: Kind::Memory,
            bytes: |n| 4.0 * n,
            ours: |cpu, d| Ok(scan::reduce::<sum_u32, _>(cpu, &d.x)?.into()),
            plain: |d, s| {
                s.out.clear();
                s.out.push(d.x.iter().fold(0u32, |a, &b| a.wrapping_add(b)));
            },
        },
        Operation {
            name: "scan, exclusive",
            kind: Kind::Pass,
            bytes: |n| 8.0 * n,
            ours: |cpu, d| Ok(scan::scan::<sum_u32, _>(cpu, ScanKind::Exclusive, &d.x)?.0.into()),
            plain: |d, s| {
                let mut sum = 0u32;
                s.out.clear();
                s.out.extend(d.x.iter().map(|&x| {
                    let before = sum;
                    sum = sum.wrapping_add(x);
                    before
                }));
            },
        },
        Operation {
            name: "scan, inclusive",
            kind: Kind::Pass,
            bytes: |n| 8.0 * n,
            ours: |cpu, d| Ok(scan::scan::<sum_u32, _>(cpu, ScanKind::Inclusive, &d.x)?.0.into()),
            plain: |d, s| {
                let mut sum = 0u32;
                s.out.clear();
                s.out.extend(d.x.iter().map(|&x| {
                    sum = sum.wrapping_add(x);
                    sum
                }));
            },
        },
        Operation {
            name: "scan_map",
            kind: Kind::Pass,
            bytes: |n| 8.0 * n,
            ours: |cpu, d| Ok(cpu.scan_map::<running, value, sum_u32>(d.n(), (&d.x,), (&d.x,))?.0.into()),
            plain: |d, s| {
                let mut sum = 0u32;
                s.out.clear();
                s.out.extend(d.x.iter().map(|&x| {
                    let before = sum;
                    sum = sum.wrapping_add(x);
                    before ^ x
                }));
            },
        },
        Operation {
            name: "segmented scan, short",
            kind: Kind::Memory,
            bytes: |n| 9.6 * n,
            ours: |cpu, d| Ok(segment::scan::<sum_u32, _>(cpu, ScanKind::Inclusive, &d.short, &d.x)?.into()),
            plain: |d, s| segmented_scan(&d.x, &d.short, &mut s.out),
        },
        Operation {
            name: "segmented scan, long",
            kind: Kind::Memory,
            bytes: |n| 8.0 * n,
            ours: |cpu, d| Ok(segment::scan::<sum_u32, _>(cpu, ScanKind::Inclusive, &d.long, &d.x)?.into()),
            plain: |d, s| segmented_scan(&d.x, &d.long, &mut s.out),
        },
        Operation {
            name: "segmented reduce, short",
            kind: Kind::Memory,
            bytes: |n| 7.2 * n,
            ours: |cpu, d| Ok(segment::reduce::<sum_u32, _>(cpu, &d.short, &d.x)?.into()),
            plain: |d, s| {
                s.out.clear();
                let ends = d.short[1..].iter().copied().chain([d.n() as u32]);
                s.out.extend(d.short.iter().zip(ends).map(|(&begin, end)| {
                    d.x[begin as usize..end as usize].iter().fold(0u32, |a, &b| a.wrapping_add(b))
                }));
            },
        },
        Operation {
            name: "expand",
            kind: Kind::Memory,
            bytes: |n| 7.2 * n,
            ours: |cpu, d| Ok(cpu.expand::<owned>(&d.short, d.n(), (&d.x,))?.into()),
            plain: |d, s| {
                s.out.clear();
                let ends = d.short[1..].iter().copied().chain([d.n() as u32]);
                for ((&begin, end), &x) in d.short.iter().zip(ends).zip(&d.x[..]) {
                    for k in 0..end - begin {
                        s.out.push(x.wrapping_add(k));
                    }
                }
            },
        },
        Operation {
            name: "compact, a tenth",
            kind: Kind::Pass,
            bytes: |n| 1.4 * n,
            ours: |cpu, d| Ok(marked(cpu, &d.few)?.into()),
            plain: |d, s| compact(&d.few, &mut s.out),
        },
        Operation {
            name: "compact, half",
            kind: Kind::Pass,
            bytes: |n| 3.0 * n,
            ours: |cpu, d| Ok(marked(cpu, &d.half)?.into()),
            plain: |d, s| compact(&d.half, &mut s.out),
        },
        Operation {
            name: "partition",
            kind: Kind::Memory,
            bytes: |n| 5.0 * n,
            ours: |cpu, d| Ok(marked_first(cpu, &d.half)?.0.into()),
            plain: |d, s| {
                s.out.resize(d.n(), 0);
                let first = d.half.iter().map(|&mark| usize::from(mark != 0)).sum();
                let mut at = [first, 0];
                for (i, &mark) in d.half.iter().enumerate() {
                    let place = &mut at[usize::from(mark != 0)];
                    s.out[*place] = i as u32;
                    *place += 1;
                }
            },
        },
        Operation {
            name: "gather, near",
            kind: Kind::Random,
            bytes: |n| 12.0 * n,
            ours: |cpu, d| Ok(gather(cpu, &d.x, &d.near)?.into()),
            plain: |d, s| {
                s.out.clear();
                s.out.extend(d.near.iter().map(|&i| d.x[i as usize]));
            },
        },
        Operation {
            name: "gather, far",
            kind: Kind::Random,
            bytes: |n| 12.0 * n,
            ours: |cpu, d| Ok(gather(cpu, &d.x, &d.order)?.into()),
            plain: |d, s| {
                s.out.clear();
                s.out.extend(d.order.iter().map(|&i| d.x[i as usize]));
            },
        },
        Operation {
            name: "scatter, far",
            kind: Kind::Random,
            bytes: |n| 16.0 * n,
            ours: |cpu, d| {
                let mut target = cpu.filled(d.n(), 0u32)?;
                cpu.scatter(&mut target, &d.order, &d.x)?;
                Ok(target.into())
            },
            plain: |d, s| {
                s.out.clear();
                s.out.resize(d.n(), 0);
                for (&i, &x) in d.order.iter().zip(&d.x[..]) {
                    s.out[i as usize] = x;
                }
            },
        },
        Operation {
            name: "histogram, 256 bins",
            kind: Kind::Random,
            bytes: |n| 4.0 * n,
            ours: |cpu, d| Ok(cpu.histogram(&d.small, 256)?.into()),
            plain: |d, s| {
                s.out.clear();
                s.out.resize(256, 0);
                for &key in &d.small[..] {
                    s.out[key as usize] += 1;
                }
            },
        },
        Operation {
            name: "histogram, n bins",
            kind: Kind::Random,
            bytes: |n| 8.0 * n,
            ours: |cpu, d| Ok(cpu.histogram(&d.order, d.n())?.into()),
            plain: |d, s| {
                s.out.clear();
                s.out.resize(d.n(), 0);
                for &key in &d.order[..] {
                    s.out[key as usize] += 1;
                }
            },
        },
        Operation {
            name: "sort pairs, 8 bits",
            kind: Kind::Sort,
            bytes: |n| 20.0 * n,
            ours: |cpu, d| Ok(cpu.sort_by_key(&d.small, &d.order)?.into()),
            plain: |d, s| radix_sort(&d.small, &d.order, s),
        },
        Operation {
            name: "sort pairs, 32 bits",
            kind: Kind::Sort,
            bytes: |n| 68.0 * n,
            ours: |cpu, d| Ok(cpu.sort_by_key(&d.x, &d.order)?.into()),
            plain: |d, s| radix_sort(&d.x, &d.order, s),
        },
        Operation {
            name: "sort pairs, 32 bits; std stable",
            kind: Kind::Sort,
            bytes: |n| 68.0 * n,
            ours: |cpu, d| Ok(cpu.sort_by_key(&d.x, &d.order)?.into()),
            plain: |d, s| {
                s.pairs.clear();
                s.pairs.extend(d.x.iter().copied().zip(d.order.iter().copied()));
                s.pairs.sort_by_key(|pair| pair.0);
                unzip(s);
            },
        },
        Operation {
            name: "sort pairs, 32 bits; rayon stable",
            kind: Kind::Sort,
            bytes: |n| 68.0 * n,
            ours: |cpu, d| Ok(cpu.sort_by_key(&d.x, &d.order)?.into()),
            plain: |d, s| {
                use rayon::slice::ParallelSliceMut;
                s.pairs.clear();
                s.pairs.extend(d.x.iter().copied().zip(d.order.iter().copied()));
                s.pairs.par_sort_by_key(|pair| pair.0);
                unzip(s);
            },
        },
        Operation {
            name: "sort pairs, 32 bits; voracious radix, stable",
            kind: Kind::Sort,
            bytes: |n| 68.0 * n,
            ours: |cpu, d| Ok(cpu.sort_by_key(&d.x, &d.order)?.into()),
            plain: |d, s| {
                use voracious_radix_sort::RadixSort;
                let mut pairs: Vec<Pair> =
                    d.x.iter().zip(&d.order[..]).map(|(&key, &payload)| Pair { key, payload }).collect();
                pairs.voracious_stable_sort();
                s.out.clear();
                s.second.clear();
                s.out.extend(pairs.iter().map(|pair| pair.key));
                s.second.extend(pairs.iter().map(|pair| pair.payload));
            },
        },
        Operation {
            name: "sort pairs, 64 bits; std stable",
            kind: Kind::Sort,
            bytes: |n| 200.0 * n,
            ours: |cpu, d| {
                let (wide, rows) = sort::sort_permutation(cpu, &d.wide)?;
                Ok((wide, rows).into())
            },
            plain: |d, s| {
                let mut pairs: Vec<(u64, u32)> = d.wide.iter().copied().zip(0..).collect();
                pairs.sort_by_key(|pair| pair.0);
                s.wide.clear();
                s.out.clear();
                s.wide.extend(pairs.iter().map(|pair| pair.0));
                s.out.extend(pairs.iter().map(|pair| pair.1));
            },
        },
        Operation {
            name: "key, 256 groups",
            kind: Kind::Sort,
            bytes: |n| 28.0 * n,
            ours: |cpu, d| {
                let groups = key(cpu, &d.small, Order::Sorted)?;
                Ok((groups.permutation, groups.offsets).into())
            },
            plain: |d, s| {
                let mut at = [0u32; 257];
                for &key in &d.small[..] {
                    at[key as usize + 1] += 1;
                }
                s.second.clear();
                for k in 0..256 {
                    if at[k + 1] > 0 {
                        s.second.push(at[k]);
                    }
                    at[k + 1] += at[k];
                }
                s.out.resize(d.n(), 0);
                for (i, &key) in d.small.iter().enumerate() {
                    let place = &mut at[key as usize];
                    s.out[*place as usize] = i as u32;
                    *place += 1;
                }
            },
        },
        Operation {
            name: "key, n groups; std sort",
            kind: Kind::Sort,
            bytes: |n| 76.0 * n,
            ours: |cpu, d| {
                let groups = key(cpu, &d.x, Order::Sorted)?;
                Ok((groups.permutation, groups.offsets).into())
            },
            plain: |d, s| {
                s.pairs.clear();
                s.pairs.extend(d.x.iter().copied().zip(0..));
                s.pairs.sort_by_key(|pair| pair.0);
                s.out.clear();
                s.second.clear();
                for (i, pair) in s.pairs.iter().enumerate() {
                    s.out.push(pair.1);
                    if i == 0 || pair.0 != s.pairs[i - 1].0 {
                        s.second.push(i as u32);
                    }
                }
            },
        },
        Operation {
            name: "previous_smaller, of numbers",
            kind: Kind::Memory,
            bytes: |n| 8.0 * n,
            ours: |cpu, d| Ok(cpu.previous_smaller(&d.x)?.into_column().into()),
            plain: |d, s| {
                s.spare.clear();
                s.out.clear();
                for (i, &x) in d.x.iter().enumerate() {
                    while s.spare.last().is_some_and(|&top| d.x[top as usize] >= x) {
                        s.spare.pop();
                    }
                    s.out.push(s.spare.last().copied().unwrap_or(u32::MAX));
                    s.spare.push(i as u32);
                }
            },
        },
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Pair {
    key: u32,
    payload: u32,
}

impl voracious_radix_sort::Radixable<u32> for Pair {
    type Key = u32;
    fn key(&self) -> u32 {
        self.key
    }
}

fn unzip(s: &mut crate::operation::Scratch) {
    s.out.clear();
    s.second.clear();
    s.out.extend(s.pairs.iter().map(|pair| pair.0));
    s.second.extend(s.pairs.iter().map(|pair| pair.1));
}

fn segmented_scan(x: &[u32], offsets: &[u32], out: &mut Vec<u32>) {
    out.clear();
    let ends = offsets[1..].iter().copied().chain([x.len() as u32]);
    for (&begin, end) in offsets.iter().zip(ends) {
        let mut sum = 0u32;
        for &x in &x[begin as usize..end as usize] {
            sum = sum.wrapping_add(x);
            out.push(sum);
        }
    }
}

fn compact(mask: &[u8], out: &mut Vec<u32>) {
    // Without a branch, which would be mispredicted every other time.
    out.resize(mask.len(), 0);
    let mut m = 0;
    for (i, &mark) in mask.iter().enumerate() {
        out[m] = i as u32;
        m += usize::from(mark != 0);
    }
    out.truncate(m);
}

/// Least significant digit first, eight bits at once; digits in which all keys agree are skipped.
fn radix_sort(keys: &[u32], payload: &[u32], s: &mut crate::operation::Scratch) {
    let n = keys.len();
    s.out.clear();
    s.out.extend_from_slice(keys);
    s.second.clear();
    s.second.extend_from_slice(payload);
    s.spare.resize(2 * n, 0);
    for shift in [0, 8, 16, 24] {
        let mut at = [0usize; 256];
        for &key in &s.out {
            at[(key >> shift) as usize & 255] += 1;
        }
        if at.contains(&n) {
            continue;
        }
        let mut sum = 0;
        for count in &mut at {
            sum += std::mem::replace(count, sum);
        }
        let (keys_to, payload_to) = s.spare.split_at_mut(n);
        for (&key, &item) in s.out.iter().zip(&s.second) {
            let place = &mut at[(key >> shift) as usize & 255];
            keys_to[*place] = key;
            payload_to[*place] = item;
            *place += 1;
        }
        s.out.copy_from_slice(&s.spare[..n]);
        s.second.copy_from_slice(&s.spare[n..]);
    }
}
