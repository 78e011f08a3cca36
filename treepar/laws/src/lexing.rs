//! The templates that lexing and selection need: positions of marks, scans with resets, weights that are added up, the first
//! row of each key, and rows that owners make at once.

use std::collections::HashMap;

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;

use crate::drawn::Rng;
use crate::{each_holds, get, put, rows};

/// Brackets that a run of words closes and opens outside itself.
#[device]
struct Open {
    close: u32,
    open: u32,
}

#[device(monoid(identity = Open { close: 0, open: 0 }))]
fn nested(a: Open, b: Open) -> Open {
    let inner = a.open.min(b.close);
    Open { close: a.close + (b.close - inner), open: b.open + (a.open - inner) }
}

#[device(scan(nested))]
fn opened(w: usize, x: &[u32]) -> Open {
    Open { close: x[w] % 3, open: x[w] / 3 % 3 }
}

/// Returns the marks of a word, moved by the number of open brackets before it.
#[device(positions(opened, nested))]
fn moved_marks(w: usize, before: Open, marks: &[u64], x: &[u32]) -> u64 {
    marks[w].rotate_left(before.open % 64).wrapping_add((before.close as u64).wrapping_mul(x[w] as u64))
}

/// The last change in a word: 1 if a comment begins, 2 if it ends, 0 if there is none.
#[device(monoid(identity = 0, reset = is_change))]
fn later(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { b }
}

#[device]
fn is_change(a: u32) -> bool {
    a != 0
}

#[device(scan(later))]
fn change(i: usize, changes: &[u32]) -> u32 {
    changes[i]
}

/// A part of a text: a map of numbers that depends on the order of rows, and brackets. The end of a line hides all before it.
#[device]
struct Line {
    factor: u32,
    summand: u32,
    close: u32,
    open: u32,
    ends: u32,
}

#[device(monoid(identity = Line { factor: 1, summand: 0, close: 0, open: 0, ends: 0 }, reset = ends_line))]
fn in_line(a: Line, b: Line) -> Line {
    if b.ends != 0 {
        b
    } else {
        let inner = a.open.min(b.close);
        Line {
            factor: a.factor.wrapping_mul(b.factor),
            summand: a.summand.wrapping_mul(b.factor).wrapping_add(b.summand),
            close: a.close + (b.close - inner),
            open: b.open + (a.open - inner),
            ends: a.ends,
        }
    }
}

#[device]
fn ends_line(a: Line) -> bool {
    a.ends != 0
}

#[device(scan(in_line), reduce(in_line), segmented_scan(in_line))]
fn of_line(i: usize, x: &[u32], changes: &[u32]) -> Line {
    Line { factor: x[i] | 1, summand: x[i], close: x[i] % 3, open: x[i] / 3 % 3, ends: changes[i] }
}

/// Three words of an owner, of which it keeps some, and may ask for more.
#[device(expand_rows)]
fn words_of(i: usize, x: &[u32]) -> (u32, u32, u32, u32, u32) {
    let word = x[i].wrapping_mul(31);
    (word, word ^ i as u32, word.wrapping_add(7), !word, x[i] % 7)
}

/// Returns an open bracket and its row, once for each unit of `count`.
#[device(expand_rows)]
fn opens_of(i: usize, count: &[u32]) -> (Open, Open, Open, Open, u32) {
    let row = i as u32;
    let of = Open { close: row, open: 0 };
    (of, Open { close: row, open: 1 }, Open { close: row, open: 2 }, Open { close: row, open: 3 }, count[i])
}

/// Rows of 20 bytes.
#[device(expand_rows)]
fn lines_of(i: usize, x: &[u32]) -> (Line, Line, Line, Line, u32) {
    let line = Line { factor: i as u32, summand: x[i], close: 0, open: 0, ends: 0 };
    (line, line, Line { factor: 0, summand: x[i], close: 1, open: 0, ends: 0 }, line, x[i] / 3 % 4)
}

/// Rows of one byte.
#[device(expand_rows)]
fn bytes_of(i: usize, x: &[u32]) -> (u8, u8, u8, u8, u32) {
    (x[i] as u8, x[i].wrapping_shr(8) as u8, x[i].wrapping_shr(16) as u8, i as u8, x[i].wrapping_shr(3))
}

/// Returns the rows that owners keep, and the index of each owner's first row.
fn kept<T>(made: impl Iterator<Item = (T, T, T, T, u32)>) -> (Vec<T>, Vec<u32>) {
    let (mut rows, mut firsts) = (Vec::new(), Vec::new());
    for (a, b, c, d, count) in made {
        firsts.push(rows.len() as u32);
        rows.extend([a, b, c, d].into_iter().take(count as usize));
    }
    (rows, firsts)
}

#[device]
fn byte(text: &[u64], i: usize) -> u8 {
    text[i / 8].wrapping_shr(i as u32 % 8 * 8) as u8
}

#[device(scan(later))]
fn last_change(w: usize, text: &[u64]) -> u32 {
    let mut state = 0u32;
    for k in 0..64usize {
        let now = byte(text, 64 * w + k);
        state = if now == b'#' {
            1
        } else if now == b'\n' {
            2
        } else {
            state
        };
    }
    state
}

/// Marks the letters that follow no letter, outside comments from `#` to the end of the line.
#[device(positions(last_change, later))]
fn begins_name(w: usize, before: u32, text: &[u64]) -> u64 {
    let mut comment = before == 1;
    let mut marks = 0u64;
    for k in 0..64usize {
        let i = 64 * w + k;
        let now = byte(text, i);
        comment = now == b'#' || comment && now != b'\n';
        let follows = i > 0 && byte(text, i - 1) == b'a';
        let begins = now == b'a' && !comment && !follows;
        marks |= (begins as u64).wrapping_shl(k as u32);
    }
    marks
}

#[device(scan(Sum))]
fn ones(w: usize, marks: &[u64]) -> u32 {
    marks[w].count_ones()
}

/// Returns the marks of a word before which an even number of rows is marked.
#[device(positions(ones, Sum))]
fn after_even(w: usize, before: u32, marks: &[u64]) -> u64 {
    if before % 2 == 0 { marks[w] } else { 0 }
}

#[device(accumulate)]
fn weighed(i: usize, indices: &[u32], weights: &[u32]) -> (u32, u32) {
    (indices[i], weights[i])
}

#[device(map, intern)]
fn key(i: usize, keys: &[u64]) -> u64 {
    keys[i]
}

/// Draws words of which none, few, half or all rows are marked, or whose kind changes from word to word.
pub fn words(rng: &mut Rng, n: usize) -> Vec<u64> {
    let kind = rng.below(6);
    let mut word = |kind| {
        let mut any = || u64::from(rng.next() >> 15) << 48 | u64::from(rng.next()) << 20 | u64::from(rng.next());
        match kind {
            0 => 0,
            1 => u64::MAX,
            2 => any() & any() & any() & any() & any(),
            3 => any() | any() | any(),
            4 => 1 << (any() % 64),
            _ => any(),
        }
    };
    (0..n as u32).map(|w| word(if kind == 5 { w % 7 } else { kind })).collect()
}

/// Returns the numbers of the marked rows.
fn marked(words: impl Iterator<Item = u64>) -> Vec<u32> {
    let rows =
        words.zip(0u32..).flat_map(|(word, w)| (0..64).filter(move |k| word >> k & 1 == 1).map(move |k| 64 * w + k));
    rows.collect()
}

/// Returns the words of a text.
fn packed(text: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    text.chunks(8).map(word).collect()
}

each_holds! {
    positions_of_moved_marks_match_oracle(b, rng, n) {
        let (marks, x) = (words(rng, n), rng.column(n));
        let (mut close, mut open) = (0u32, 0u32);
        let mut expected = Vec::new();
        for (&word, &x) in marks.iter().zip(&x) {
            expected.push(word.rotate_left(open % 64).wrapping_add(u64::from(close).wrapping_mul(x.into())));
            let inner = open.min(x % 3);
            (close, open) = (close + (x % 3 - inner), open - inner + x / 3 % 3);
        }
        let (marks, x) = (put(b, &marks), put(b, &x));
        let found = b.positions(opened::of(&x), nested, moved_marks::of(&marks, &x));
        assert_eq!(get(b, found), marked(expected.into_iter()));
    }

    positions_know_the_marks_before_them(b, rng, n) {
        let marks = words(rng, n);
        let mut before = 0;
        let expected = marked(marks.iter().map(|&word| {
            let is_even = before % 2 == 0;
            before += word.count_ones();
            if is_even { word } else { 0 }
        }));
        let column = put(b, &marks);
        assert_eq!(get(b, b.positions(ones::of(&column), Sum, after_even::of(&column))), expected);
    }

    scans_with_resets_match_oracle(b, rng, n) {
        // Resets in each row, in some, or in none for whole blocks.
        let every = rng.one_of(&[1, 3, 100, 5000, 100_000]);
        let changes: Vec<u32> = (0..n).map(|_| if rng.below(every) == 0 { 1 + rng.below(9) } else { 0 }).collect();
        let mut last = 0;
        let mut expected = vec![0];
        for &change in &changes {
            last = if change == 0 { last } else { change };
            expected.push(last);
        }
        let column = put(b, &changes);
        let (found, total) = b.scan(ScanKind::Exclusive, change::of(&column), later).unwrap();
        assert_eq!((rows(b, &found), total), (expected[..n].to_vec(), last));
    }

    scans_with_large_resets_match_oracle(b, rng, n) {
        let every = rng.one_of(&[1, 2, 300, 2000, 30_000]);
        let changes: Vec<u32> = (0..n).map(|_| (rng.below(every) == 0) as u32 * rng.below(3)).collect();
        let x = rng.column(n);
        let element = |i: usize| of_line(i, &x, &changes);
        let identity = Line { factor: 1, summand: 0, close: 0, open: 0, ends: 0 };
        let mut line = identity;
        let expected: Vec<Line> = (0..n)
            .map(|i| {
                let now = element(i);
                // Rows after the end of a line see nothing before it.
                line = if now.ends != 0 { now } else { in_line(line, now) };
                line
            })
            .collect();
        let (x, changes) = (put(b, &x), put(b, &changes));
        let (found, total) = b.scan(ScanKind::Inclusive, of_line::of(&x, &changes), in_line).unwrap();
        assert_eq!(rows(b, &found), expected);
        assert_eq!(total, line);
        assert_eq!(b.reduce(of_line::of(&x, &changes), in_line).unwrap(), line);
        let offsets = put(b, &[0]);
        let found = b.segmented_scan(ScanKind::Inclusive, &offsets, of_line::of(&x, &changes), in_line);
        assert_eq!(get(b, found), expected);
    }

    rows_of_owners_match_oracle(b, rng, n) {
        let x = rng.column(n);
        let column = put(b, &x);
        let (found, firsts) = b.expand_rows(words_of::of(&column)).unwrap();
        assert_eq!((rows(b, &found), rows(b, &firsts)), kept((0..n).map(|i| words_of(i, &x))));
        let (found, firsts) = b.expand_rows(lines_of::of(&column)).unwrap();
        assert_eq!((rows(b, &found), rows(b, &firsts)), kept((0..n).map(|i| lines_of(i, &x))));
        let (found, firsts) = b.expand_rows(bytes_of::of(&column)).unwrap();
        assert_eq!((rows(b, &found), rows(b, &firsts)), kept((0..n).map(|i| bytes_of(i, &x))));
        // No rows at all, one for each, all, or blocks of owners without rows.
        let every = rng.one_of(&[1, 2, 9000]);
        let most = rng.one_of(&[0, 1, 4, 5, u32::MAX]);
        let count: Vec<u32> = (0..n as u32).map(|i| if (i / every).is_multiple_of(2) { most } else { 0 }).collect();
        let (found, firsts) = b.expand_rows(opens_of::of(&put(b, &count))).unwrap();
        assert_eq!((rows(b, &found), rows(b, &firsts)), kept((0..n).map(|i| opens_of(i, &count))));
    }

    #[longest(20_000)]
    names_begin_outside_comments(b, rng, n) {
        let letters = rng.one_of(&[&b"aa #\n"[..], b"a", b"a#", b"aaaaaaaaa#          \n", b"#"]);
        let text: Vec<u8> = (0..64 * n).map(|_| rng.one_of(letters)).collect();
        let (mut comment, mut expected) = (false, Vec::new());
        for (i, &byte) in text.iter().enumerate() {
            comment = match byte {
                b'#' => true,
                b'\n' => false,
                _ => comment,
            };
            if byte == b'a' && !comment && (i == 0 || text[i - 1] != b'a') {
                expected.push(i as u32);
            }
        }
        let text = put(b, &packed(&text));
        let found = b.positions(last_change::of(&text).rows(n), later, begins_name::of(&text));
        assert_eq!(get(b, found), expected);
    }

    sums_of_weights_match_oracle(b, rng, n) {
        let (mut indices, weights) = (rng.column(n), rng.column(n));
        if rng.below(2) == 0 {
            // Runs of one index, some across the edges of blocks.
            let length = rng.one_of(&[2, 31, 33, 5000]);
            indices = (0..n).map(|i| indices[i - i % length]).collect();
        }
        for m in [0, 1, 3, n / 2, n, 300, 2 * n] {
            let before = rng.column(m);
            let mut expected = before.clone();
            for (&index, &weight) in indices.iter().zip(&weights) {
                if let Some(sum) = expected.get_mut(index as usize) {
                    *sum = sum.wrapping_add(weight);
                }
            }
            let mut found = put(b, &before);
            b.accumulate(&mut found, weighed::of(&put(b, &indices), &put(b, &weights))).unwrap();
            assert_eq!(rows(b, &found), expected, "{m} rows");
        }
    }

    first_rows_of_keys_match_oracle(b, rng, n) {
        let small: Vec<u64> = rng.column(n).into_iter().map(u64::from).collect();
        let high = rng.column(n);
        // Multiples of the inverse of the hash's factor begin their search at one slot.
        let near = 0xf1de_83e1_9937_733d_u64;
        let keys: [Vec<u64>; 6] = [
            // Keys that begin their search at one of the last slots of a table with two slots per row.
            small.iter().map(|&k| {
                let shift = 64 - (2 * n).next_power_of_two().max(2).trailing_zeros();
                if k == 7 { u64::MAX } else { (u64::MAX - ((k % 3) << shift) - k / 3 % 100).wrapping_mul(near) }
            }).collect(),
            small.iter().map(|&k| if k == 7 { u64::MAX } else { (k % 300).wrapping_mul(near) }).collect(),
            small.iter().map(|&k| k << 40).collect(),
            small.iter().zip(&high).map(|(&low, &high)| low << 32 | u64::from(high)).collect(),
            small.iter().map(|&k| u64::MAX - k).collect(),
            small,
        ];
        for keys in keys {
            let mut seen = HashMap::new();
            let expected: Vec<u32> = keys.iter().zip(0..).map(|(&key, i)| *seen.entry(key).or_insert(i)).collect();
            assert_eq!(get(b, b.intern(key::of(&put(b, &keys)))), expected);
        }
    }
}
