//! The templates that lexing needs: positions of marks, weights that are added up, and the first row of each key.

use std::collections::HashMap;

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

/// Returns the marks of a word, moved by what is open before it.
#[device(positions(opened, nested))]
fn moved_marks(w: usize, before: Open, marks: &[u64], x: &[u32]) -> u64 {
    marks[w].rotate_left(before.open % 64).wrapping_add((before.close as u64).wrapping_mul(x[w] as u64))
}

/// A comment that begins or ends in a word and goes on: 1 or 2; else 0.
#[device(monoid(identity = 0))]
fn later(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { b }
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

/// Returns the places where a letter follows no letter, outside comments from `#` to the end of the line.
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
fn words(rng: &mut Rng, n: usize) -> Vec<u64> {
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
        let keys: [Vec<u64>; 5] = [
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
