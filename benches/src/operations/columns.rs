//! Operations on plain columns.

use treepar::backend::ScanKind::{Exclusive, Inclusive};
use treepar::compact::gather;
use treepar::device::device;
use treepar::monoid::{Sum, last_u32};
use treepar::{Backend, Column, Cpu};

use super::Kind::{Memory, Pass, Random};
use super::data::{Data, quarter};
use super::{Answer, Operation, Scratch, sorts, texts};

#[device(map)]
fn mixed(i: usize, x: &[u32], y: &[u32]) -> u32 {
    x[i].wrapping_mul(31) ^ y[i]
}

#[device(map)]
fn copied(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(map)]
fn inverted(i: usize, x: &[u8]) -> u8 {
    x[i] ^ 0xff
}

#[device(scan_map(value, Sum))]
fn running(i: usize, before: u32, x: &[u32]) -> u32 {
    before ^ x[i]
}

#[device(scan(Sum))]
fn value(i: usize, x: &[u32]) -> u32 {
    x[i]
}

#[device(expand)]
fn owned(owner: usize, k: usize, x: &[u32]) -> u32 {
    x[owner].wrapping_add(k as u32)
}

/// Returns how many rows an owner has, up to four.
#[device(scan(Sum))]
fn made(i: usize, x: &[u32]) -> u32 {
    x[i] % 5
}

/// Returns up to four rows of an owner.
#[device(expand_rows)]
fn four(i: usize, x: &[u32]) -> (u32, u32, u32, u32, u32) {
    let x = x[i];
    (x, x.wrapping_add(1), x.wrapping_add(2), x.wrapping_add(3), x % 5)
}

/// Returns whether the last byte of 64 bytes has its high bit set.
#[device(scan(last_u32))]
fn last_high(w: usize, text: &[u64]) -> u32 {
    text[8 * w + 7].wrapping_shr(63) as u32
}

/// Marks bytes with a high bit that follow a byte without one.
#[device(positions(last_high, last_u32))]
fn rising(w: usize, before: u32, text: &[u64]) -> u64 {
    let mut high = 0u64;
    for k in 0..8usize {
        let bits = text[8 * w + k].wrapping_shr(7) & 0x0101_0101_0101_0101;
        high |= bits.wrapping_mul(0x0102_0408_1020_4080).wrapping_shr(56).wrapping_shl(8 * k as u32);
    }
    high & !(high.wrapping_shl(1) | (before == 1) as u64)
}

#[device(accumulate)]
fn weighed(i: usize, indices: &[u32], weights: &[u32]) -> (u32, u32) {
    (indices[i], weights[i])
}

/// The number of names of a large program.
const NAMES: u32 = 2000;

/// Returns one of 2,000 keys, spread over 64 bits.
#[device(intern)]
fn one_of_few(i: usize, x: &[u32]) -> u64 {
    (x[i] % NAMES) as u64 * 0x1234_5678_9abc
}

#[device(intern)]
fn one_of_many(i: usize, wide: &[u64]) -> u64 {
    wide[i]
}

/// The unmatched brackets of a sequence. They form a monoid that does not commute.
#[device]
pub struct Brackets {
    /// The number of unmatched closing brackets.
    pub closing: u32,
    /// The number of unmatched opening brackets.
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

/// Bytes per row of the offsets of short segments.
const SHORT: f64 = 1.6;

/// Returns all operations on columns, including sorts.
pub fn operations<B: Backend>() -> Vec<Operation<B>> {
    let op = Operation::<B>::new;
    let mut all = vec![
        op(
            ("map", Pass, 8.0),
            |b, d| b.map(mixed::of(&d.x, &d.small)).map(Answer::column),
            |d, s| s.fill(d.x.iter().zip(&d.small[..]).map(|(&x, &y)| x.wrapping_mul(31) ^ y)),
        ),
        op(
            ("map, copy", Pass, 4.0),
            |b, d| b.map(copied::of(&d.x)).map(Answer::column),
            |d, s| s.fill(d.x.iter().copied()),
        ),
        op(
            ("map, bytes", Pass, 1.0),
            |b, d| b.map(inverted::of(&d.half)).map(Answer::bytes),
            |d, s| {
                s.bytes.clear();
                s.bytes.extend(d.half.iter().map(|x| x ^ 0xff));
            },
        ),
        op(
            ("reduce", Memory, 4.0),
            |b, d| b.reduce(&d.x, Sum).map(Answer::number),
            |d, s| s.fill([sum(&d.x)].into_iter()),
        ),
        op(
            ("scan, exclusive", Pass, 4.0),
            |b, d| Ok(Answer::column(b.scan(Exclusive, &d.x, Sum)?.0)),
            |d, s| s.fill(sums(&d.x).map(|(before, _, _)| before)),
        ),
        op(
            ("scan, inclusive", Pass, 4.0),
            |b, d| Ok(Answer::column(b.scan(Inclusive, &d.x, Sum)?.0)),
            |d, s| s.fill(sums(&d.x).map(|(_, _, with)| with)),
        ),
        op(
            ("scan, brackets", Pass, 4.0),
            |b, d| Ok(Answer::brackets(b.scan(Inclusive, bracket::of(&d.x), matched)?.0)),
            brackets,
        ),
        op(
            ("scan_map", Pass, 4.0),
            |b, d| Ok(Answer::column(b.scan_map(value::of(&d.x), Sum, running::of(&d.x))?.0)),
            |d, s| s.fill(sums(&d.x).map(|(before, x, _)| before ^ x)),
        ),
        op(
            ("segmented scan, short", Memory, 4.0 + SHORT),
            |b, d| b.segmented_scan(Inclusive, &d.short, &d.x, Sum).map(Answer::column),
            |d, s| segmented_scan(&d.x, &d.short, &mut s.out),
        ),
        op(
            ("segmented scan, long", Memory, 4.0),
            |b, d| b.segmented_scan(Inclusive, &d.long, &d.x, Sum).map(Answer::column),
            |d, s| segmented_scan(&d.x, &d.long, &mut s.out),
        ),
        op(
            ("segmented reduce, short", Memory, 4.0 + SHORT),
            |b, d| b.segmented_reduce(&d.short, &d.x, Sum).map(Answer::column),
            |d, s| s.fill(segments(&d.x, &d.short).map(sum)),
        ),
        op(
            ("segmented reduce, long", Memory, 4.0),
            |b, d| b.segmented_reduce(&d.long, &d.x, Sum).map(Answer::column),
            |d, s| s.fill(segments(&d.x, &d.long).map(sum)),
        ),
        op(
            ("expand", Memory, 2.0 * SHORT),
            |b, d| b.expand(&d.short, d.n(), owned::of(&d.x).rows(d.short.len())).map(Answer::column),
            |d, s| {
                s.out.clear();
                for (segment, &x) in segments(&d.x, &d.short).zip(&d.x[..]) {
                    s.out.extend((0..segment.len() as u32).map(|k| x.wrapping_add(k)));
                }
            },
        ),
        op(
            ("expand, of counts", Memory, 4.0),
            |b, d| {
                let (offsets, rows) = b.scan(Exclusive, made::of(&d.x), Sum)?;
                b.expand(&offsets, rows as usize, owned::of(&d.x)).map(Answer::column)
            },
            expand_rows,
        ),
        op(("expand_rows", Memory, 4.0), |b, d| Ok(Answer::column(b.expand_rows(four::of(&d.x))?.0)), expand_rows),
        op(("compact, a tenth", Pass, 1.0), |b, d| b.compact(&d.few).map(Answer::column), |d, s| compact(&d.few, s)),
        op(("compact, half", Pass, 1.0), |b, d| b.compact(&d.half).map(Answer::column), |d, s| compact(&d.half, s)),
        op(
            ("positions", Pass, 1.0),
            |b, d| {
                let words = d.n() / 64;
                b.positions(last_high::of(&d.wide).rows(words), last_u32, rising::of(&d.wide)).map(Answer::column)
            },
            positions,
        ),
        op(("partition", Memory, 1.0), |b, d| Ok(Answer::column(b.partition(&d.half)?.0)), partition),
        op(
            ("gather, near", Random, 8.0),
            |_, d| gather(&d.x, &d.near).map(Answer::column),
            |d, s| s.fill(d.near.iter().map(|&i| d.x[i as usize])),
        ),
        op(
            ("gather, far", Random, 8.0),
            |_, d| gather(&d.x, &d.order).map(Answer::column),
            |d, s| s.fill(d.order.iter().map(|&i| d.x[i as usize])),
        ),
        op(
            ("scatter, far", Random, 8.0),
            |b, d| {
                let mut target = b.filled(d.n(), 0u32)?;
                b.scatter(&mut target, &d.order, &d.x)?;
                Ok(Answer::column(target))
            },
            |d, s| {
                s.fill(std::iter::repeat_n(0, d.n()));
                for (&i, &x) in d.order.iter().zip(&d.x[..]) {
                    s.out[i as usize] = x;
                }
            },
        ),
        op(
            ("histogram, 256 bins", Random, 4.0),
            |b, d| b.histogram(&d.small, 256).map(Answer::column),
            |d, s| histogram(&d.small, 256, s),
        ),
        op(
            ("histogram, n bins", Random, 4.0),
            |b, d| b.histogram(&d.order, d.n()).map(Answer::column),
            |d, s| histogram(&d.order, d.n(), s),
        ),
        op(
            ("histogram, n/4 bins", Random, 4.0),
            |b, d| b.histogram(&d.quarter, quarter(d.n())).map(Answer::column),
            |d, s| histogram(&d.quarter, quarter(d.n()), s),
        ),
        op(
            ("accumulate, near", Random, 8.0),
            |b, d| {
                let mut sums = b.filled(d.n(), 0u32)?;
                b.accumulate(&mut sums, weighed::of(&d.near, &d.x))?;
                Ok(Answer::column(sums))
            },
            |d, s| accumulate(&d.near, d, s),
        ),
        op(
            ("accumulate, far", Random, 8.0),
            |b, d| {
                let mut sums = b.filled(d.n(), 0u32)?;
                b.accumulate(&mut sums, weighed::of(&d.order, &d.x))?;
                Ok(Answer::column(sums))
            },
            |d, s| accumulate(&d.order, d, s),
        ),
        op(
            ("intern, 2,000 keys; std map", Random, 4.0),
            |b, d| b.intern(one_of_few::of(&d.x)).map(Answer::column),
            |d, s| intern(d.x.iter().map(|&x| one_of_few(0, &[x])), s),
        ),
        op(
            ("intern, n keys; std map", Random, 8.0),
            |b, d| b.intern(one_of_many::of(&d.wide)).map(Answer::column),
            |d, s| intern(d.wide.iter().copied(), s),
        ),
        op(
            ("previous_smaller, of numbers", Memory, 4.0),
            |b, d| Ok(Answer::column(b.previous_smaller(&d.x)?.into_column())),
            previous_smaller,
        ),
        op(
            ("next_smaller_or_equal, of numbers", Memory, 4.0),
            |b, d| b.next_smaller_or_equal(&d.x).map(Answer::column),
            next_smaller_or_equal,
        ),
    ];
    all.extend(sorts::operations());
    all.extend(texts::operations());
    all
}

fn sum(x: &[u32]) -> u32 {
    x.iter().fold(0, |a, &b| a.wrapping_add(b))
}

/// Yields, for each row, the sum before it, the row, and the sum including it.
fn sums(x: &[u32]) -> impl Iterator<Item = (u32, u32, u32)> {
    let mut sum = 0u32;
    x.iter().map(move |&x| {
        let before = sum;
        sum = sum.wrapping_add(x);
        (before, x, sum)
    })
}

fn brackets(d: &Data<Cpu>, s: &mut Scratch) {
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
}

/// Yields the rows of each segment.
fn segments<'a>(x: &'a [u32], offsets: &[u32]) -> impl Iterator<Item = &'a [u32]> {
    let ends = offsets[1..].iter().copied().chain([x.len() as u32]);
    offsets.iter().zip(ends).map(|(&begin, end)| &x[begin as usize..end as usize])
}

fn segmented_scan(x: &[u32], offsets: &[u32], out: &mut Vec<u32>) {
    out.clear();
    for segment in segments(x, offsets) {
        out.extend(sums(segment).map(|(_, _, with)| with));
    }
}

fn expand_rows(d: &Data<Cpu>, s: &mut Scratch) {
    // As in `compact`: four stores without a branch, of which the next owner overwrites some.
    s.out.resize(4 * d.n(), 0);
    let mut m = 0;
    for &x in &d.x[..] {
        s.out[m..m + 4].copy_from_slice(&[x, x.wrapping_add(1), x.wrapping_add(2), x.wrapping_add(3)]);
        m += x as usize % 5;
    }
    s.rows = Some(m);
}

fn compact(mask: &[u8], s: &mut Scratch) {
    // A branch would be mispredicted half of the time. The unconditional store may write an answer row several times.
    s.out.resize(mask.len(), 0);
    let mut m = 0;
    for (i, &mark) in mask.iter().enumerate() {
        s.out[m] = i as u32;
        m += usize::from(mark != 0);
    }
    s.rows = Some(m);
}

fn partition(d: &Data<Cpu>, s: &mut Scratch) {
    s.out.resize(d.n(), 0);
    let first = d.half.iter().map(|&mark| usize::from(mark != 0)).sum();
    let mut at = [first, 0];
    for (i, &mark) in d.half.iter().enumerate() {
        let next = &mut at[usize::from(mark != 0)];
        s.out[*next] = i as u32;
        *next += 1;
    }
}

fn histogram(keys: &[u32], bins: usize, s: &mut Scratch) {
    s.fill(std::iter::repeat_n(0, bins));
    for &key in keys {
        s.out[key as usize] += 1;
    }
}

fn positions(d: &Data<Cpu>, s: &mut Scratch) {
    // As in `compact`: the unconditional store needs no branch.
    let n = d.n() / 64 * 64;
    s.out.resize(n, 0);
    let (mut m, mut before) = (0, false);
    for (w, word) in d.wide[..n / 8].iter().enumerate() {
        for (k, byte) in word.to_le_bytes().into_iter().enumerate() {
            let high = byte >= 0x80;
            s.out[m] = (8 * w + k) as u32;
            m += usize::from(high && !before);
            before = high;
        }
    }
    s.rows = Some(m);
}

fn accumulate(indices: &[u32], d: &Data<Cpu>, s: &mut Scratch) {
    s.fill(std::iter::repeat_n(0, d.n()));
    for (&i, &x) in indices.iter().zip(&d.x[..]) {
        s.out[i as usize] = s.out[i as usize].wrapping_add(x);
    }
}

fn intern(keys: impl Iterator<Item = u64>, s: &mut Scratch) {
    s.firsts.clear();
    s.out.clear();
    s.out.extend(keys.zip(0..).map(|(key, i)| *s.firsts.entry(key).or_insert(i)));
}

fn previous_smaller(d: &Data<Cpu>, s: &mut Scratch) {
    s.spare.clear();
    s.out.clear();
    for (i, &x) in d.x.iter().enumerate() {
        while s.spare.last().is_some_and(|&top| d.x[top as usize] >= x) {
            s.spare.pop();
        }
        s.out.push(s.spare.last().copied().unwrap_or(u32::MAX));
        s.spare.push(i as u32);
    }
}

fn next_smaller_or_equal(d: &Data<Cpu>, s: &mut Scratch) {
    s.spare.clear();
    s.fill(std::iter::repeat_n(d.n() as u32, d.n()));
    for (i, &x) in d.x.iter().enumerate() {
        while let Some(&top) = s.spare.last()
            && d.x[top as usize] >= x
        {
            s.out[top as usize] = i as u32;
            s.spare.pop();
        }
        s.spare.push(i as u32);
    }
}
