//! Operations on plain columns.

use treepar::Backend;
use treepar::backend::ScanKind;
use treepar::compact::{gather, marked, marked_first};
use treepar::device::device;
use treepar::key::{Order, key};
use treepar::monoid::sum_u32;
use treepar::{scan, segment, sort};

use super::data::quarter;
use super::{Answer, Kind, Operation};

#[device(map)]
fn mixed(i: usize, x: &[u32], y: &[u32]) -> u32 {
    x[i].wrapping_mul(31) ^ y[i]
}

#[device(map)]
fn copied(i: usize, x: &[u32]) -> u32 {
    x[i]
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

/// Brackets that match nothing inside a sequence of them: a monoid that does not commute.
#[device]
pub struct Brackets {
    /// Those that close.
    pub closing: u32,
    /// Those that open.
    pub opening: u32,
}

#[device(monoid(identity = Brackets { closing: 0, opening: 0 }))]
fn matched(a: Brackets, b: Brackets) -> Brackets {
    let pairs = a.opening.min(b.closing);
    Brackets { closing: a.closing + (b.closing - pairs), opening: (a.opening - pairs) + b.opening }
}

#[device(scan(matched))]
fn bracket(i: usize, x: &[u32]) -> Brackets {
    Brackets { closing: x[i] & 1, opening: 1 - (x[i] & 1) }
}

/// All of them.
pub fn operations<B: Backend>() -> Vec<Operation<B>> {
    vec![
        Operation {
            name: "map",
            kind: Kind::Pass,
            bytes: |n| 12.0 * n,
            ours: |backend, d| Ok(Answer::column(backend.map::<mixed>(d.n(), (&d.x, &d.small))?)),
            plain: |d, s| {
                s.out.clear();
                s.out.extend(d.x.iter().zip(&d.small[..]).map(|(&x, &y)| x.wrapping_mul(31) ^ y));
            },
        },
        Operation {
            name: "map, copy",
            kind: Kind::Pass,
            bytes: |n| 8.0 * n,
            ours: |backend, d| Ok(Answer::column(backend.map::<copied>(d.n(), (&d.x,))?)),
            plain: |d, s| {
                s.out.clear();
                s.out.extend(d.x.iter().copied());
            },
        },
        Operation {
            name: "reduce",
            kind: Kind::Memory,
            bytes: |n| 4.0 * n,
            ours: |backend, d| Ok(Answer::number(scan::reduce::<sum_u32, _>(backend, &d.x)?)),
            plain: |d, s| {
                s.out.clear();
                s.out.push(d.x.iter().fold(0u32, |a, &b| a.wrapping_add(b)));
            },
        },
        Operation {
            name: "scan, exclusive",
            kind: Kind::Pass,
            bytes: |n| 8.0 * n,
            ours: |backend, d| Ok(Answer::column(scan::scan::<sum_u32, _>(backend, ScanKind::Exclusive, &d.x)?.0)),
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
            ours: |backend, d| Ok(Answer::column(scan::scan::<sum_u32, _>(backend, ScanKind::Inclusive, &d.x)?.0)),
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
            name: "scan, brackets",
            kind: Kind::Pass,
            bytes: |n| 12.0 * n,
            ours: |backend, d| {
                let (scanned, _) = backend.scan::<bracket, matched>(ScanKind::Inclusive, d.n(), (&d.x,))?;
                Ok(Answer::brackets(scanned))
            },
            plain: |d, s| {
                let mut open = Brackets { closing: 0, opening: 0 };
                s.brackets.clear();
                s.brackets.extend(d.x.iter().map(|&x| {
                    if x & 1 == 0 {
                        open.opening += 1;
                    } else if open.opening > 0 {
                        open.opening -= 1;
                    } else {
                        open.closing += 1;
                    }
                    open
                }));
            },
        },
        Operation {
            name: "scan_map",
            kind: Kind::Pass,
            bytes: |n| 8.0 * n,
            ours: |backend, d| {
                Ok(Answer::column(backend.scan_map::<running, value, sum_u32>(d.n(), (&d.x,), (&d.x,))?.0))
            },
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
            ours: |backend, d| {
                Ok(Answer::column(segment::scan::<sum_u32, _>(backend, ScanKind::Inclusive, &d.short, &d.x)?))
            },
            plain: |d, s| segmented_scan(&d.x, &d.short, &mut s.out),
        },
        Operation {
            name: "segmented scan, long",
            kind: Kind::Memory,
            bytes: |n| 8.0 * n,
            ours: |backend, d| {
                Ok(Answer::column(segment::scan::<sum_u32, _>(backend, ScanKind::Inclusive, &d.long, &d.x)?))
            },
            plain: |d, s| segmented_scan(&d.x, &d.long, &mut s.out),
        },
        Operation {
            name: "segmented reduce, short",
            kind: Kind::Memory,
            bytes: |n| 7.2 * n,
            ours: |backend, d| Ok(Answer::column(segment::reduce::<sum_u32, _>(backend, &d.short, &d.x)?)),
            plain: |d, s| segmented_reduce(&d.x, &d.short, &mut s.out),
        },
        Operation {
            name: "segmented reduce, long",
            kind: Kind::Memory,
            bytes: |n| 4.0 * n,
            ours: |backend, d| Ok(Answer::column(segment::reduce::<sum_u32, _>(backend, &d.long, &d.x)?)),
            plain: |d, s| segmented_reduce(&d.x, &d.long, &mut s.out),
        },
        Operation {
            name: "expand",
            kind: Kind::Memory,
            bytes: |n| 7.2 * n,
            ours: |backend, d| Ok(Answer::column(backend.expand::<owned>(&d.short, d.n(), (&d.x,))?)),
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
            ours: |backend, d| Ok(Answer::column(marked(backend, &d.few)?)),
            plain: |d, s| compact(&d.few, &mut s.out),
        },
        Operation {
            name: "compact, half",
            kind: Kind::Pass,
            bytes: |n| 3.0 * n,
            ours: |backend, d| Ok(Answer::column(marked(backend, &d.half)?)),
            plain: |d, s| compact(&d.half, &mut s.out),
        },
        Operation {
            name: "partition",
            kind: Kind::Memory,
            bytes: |n| 5.0 * n,
            ours: |backend, d| Ok(Answer::column(marked_first(backend, &d.half)?.0)),
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
            ours: |backend, d| Ok(Answer::column(gather(backend, &d.x, &d.near)?)),
            plain: |d, s| {
                s.out.clear();
                s.out.extend(d.near.iter().map(|&i| d.x[i as usize]));
            },
        },
        Operation {
            name: "gather, far",
            kind: Kind::Random,
            bytes: |n| 12.0 * n,
            ours: |backend, d| Ok(Answer::column(gather(backend, &d.x, &d.order)?)),
            plain: |d, s| {
                s.out.clear();
                s.out.extend(d.order.iter().map(|&i| d.x[i as usize]));
            },
        },
        Operation {
            name: "scatter, far",
            kind: Kind::Random,
            bytes: |n| 16.0 * n,
            ours: |backend, d| {
                let mut target = backend.filled(d.n(), 0u32)?;
                backend.scatter(&mut target, &d.order, &d.x)?;
                Ok(Answer::column(target))
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
            ours: |backend, d| Ok(Answer::column(backend.histogram(&d.small, 256)?)),
            plain: |d, s| histogram(&d.small, 256, &mut s.out),
        },
        Operation {
            name: "histogram, n bins",
            kind: Kind::Random,
            bytes: |n| 8.0 * n,
            ours: |backend, d| Ok(Answer::column(backend.histogram(&d.order, d.n())?)),
            plain: |d, s| histogram(&d.order, d.n(), &mut s.out),
        },
        Operation {
            name: "histogram, n/4 bins",
            kind: Kind::Random,
            bytes: |n| 5.0 * n,
            ours: |backend, d| Ok(Answer::column(backend.histogram(&d.quarter, quarter(d.n()))?)),
            plain: |d, s| histogram(&d.quarter, quarter(d.n()), &mut s.out),
        },
        Operation {
            name: "sort pairs, 8 bits",
            kind: Kind::Sort,
            bytes: |n| 20.0 * n,
            ours: |backend, d| Ok(Answer::pair(backend.sort_by_key(&d.small, &d.order)?)),
            plain: |d, s| radix_sort(&d.small, &d.order, s),
        },
        Operation {
            name: "sort pairs, 32 bits",
            kind: Kind::Sort,
            bytes: |n| 68.0 * n,
            ours: |backend, d| Ok(Answer::pair(backend.sort_by_key(&d.x, &d.order)?)),
            plain: |d, s| radix_sort(&d.x, &d.order, s),
        },
        Operation {
            name: "sort pairs, 32 bits; std stable",
            kind: Kind::Sort,
            bytes: |n| 68.0 * n,
            ours: |backend, d| Ok(Answer::pair(backend.sort_by_key(&d.x, &d.order)?)),
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
            ours: |backend, d| Ok(Answer::pair(backend.sort_by_key(&d.x, &d.order)?)),
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
            ours: |backend, d| Ok(Answer::pair(backend.sort_by_key(&d.x, &d.order)?)),
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
            ours: |backend, d| {
                let (wide, rows) = sort::sort_permutation(backend, &d.wide)?;
                Ok(Answer::wide((wide, rows)))
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
            ours: |backend, d| {
                let groups = key(backend, &d.small, Order::Sorted)?;
                Ok(Answer::pair((groups.permutation, groups.offsets)))
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
            ours: |backend, d| {
                let groups = key(backend, &d.x, Order::Sorted)?;
                Ok(Answer::pair((groups.permutation, groups.offsets)))
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
            ours: |backend, d| Ok(Answer::column(backend.previous_smaller(&d.x)?.into_column())),
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
        Operation {
            name: "next_smaller_or_equal, of numbers",
            kind: Kind::Memory,
            bytes: |n| 8.0 * n,
            ours: |backend, d| Ok(Answer::column(backend.next_smaller_or_equal(&d.x)?)),
            plain: |d, s| {
                s.spare.clear();
                s.out.clear();
                s.out.resize(d.n(), d.n() as u32);
                for (i, &x) in d.x.iter().enumerate() {
                    while let Some(&top) = s.spare.last()
                        && d.x[top as usize] >= x
                    {
                        s.out[top as usize] = i as u32;
                        s.spare.pop();
                    }
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

fn unzip(s: &mut super::Scratch) {
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

fn segmented_reduce(x: &[u32], offsets: &[u32], out: &mut Vec<u32>) {
    out.clear();
    let ends = offsets[1..].iter().copied().chain([x.len() as u32]);
    out.extend(
        offsets
            .iter()
            .zip(ends)
            .map(|(&begin, end)| x[begin as usize..end as usize].iter().fold(0u32, |a, &b| a.wrapping_add(b))),
    );
}

fn histogram(keys: &[u32], bins: usize, out: &mut Vec<u32>) {
    out.clear();
    out.resize(bins, 0);
    for &key in keys {
        out[key as usize] += 1;
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
fn radix_sort(keys: &[u32], payload: &[u32], s: &mut super::Scratch) {
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
