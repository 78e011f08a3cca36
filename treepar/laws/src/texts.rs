//! Texts: bytes, numbers, and words of marks, compared with the same byte by byte.

use std::collections::HashMap;

use treepar::backend::{Later, Offsets, ScanKind};
use treepar::device::device;
use treepar::text::{
    self, Automaton, STATES, Strings, before, between, byte_at, bytes_at, equal, first, lane, leading_digits, less,
    marked, marks, marks_before, matches, matches_less, matches_with, nested, next_mark, number_at, number_of, unlike,
};

use treepar::{Column, Cpu};

use crate::drawn::Rng;
use crate::lexing::words;
use crate::{each_holds, get, put, rows};

/// Returns the marks of bytes that are `byte`, that are `byte` with some bits set, and that are less; and the bytes between the first.
#[device(map)]
fn block_marks(w: usize, text: &[u64], bits: u8, byte: u8) -> (u64, u64, u64, u64) {
    let equal = matches(w, text, byte);
    (equal, matches_with(w, text, bits, byte), matches_less(w, text, byte), between(equal, bits % 2 == 1))
}

/// Returns the bytes of a word that are `byte`, in two ways, and that are less than `limit`; the bytes before the first of the former and
/// their number; and the marks of the word alone.
#[device(map)]
fn word_marks(k: usize, text: &[u64], byte: u8, limit: u8) -> (u64, u64, u64, u64, u32, u64) {
    let bytes = text[k];
    let found = equal(bytes, byte);
    let unlike = !unlike(bytes, byte) & 0x8080_8080_8080_8080;
    (found, unlike, less(bytes, limit), before(bytes, found), first(found), marks(lane(found, k % 8)))
}

/// Returns what is read at a byte.
#[device(map)]
fn read(k: usize, at: &[u32], text: &[u64]) -> (u8, u64, u64, u32, u64) {
    let at = at[k] as usize;
    let bytes = bytes_at(text, at);
    let digits = leading_digits(bytes);
    (byte_at(text, at), bytes, number_at(text, at), digits, number_of(bytes, digits))
}

/// Returns the first mark from a byte on, and the number of marks before the byte in its word.
#[device(map)]
fn mark_at(k: usize, at: &[u32], marks: &[u64]) -> (u32, u32) {
    (next_mark(marks, at[k] as usize) as u32, marks_before(marks, at[k] as usize))
}

/// Returns eight bytes that depend on a seed and a number.
#[device]
fn drawn_bytes(seed: u32, k: u32) -> u64 {
    (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (k as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Returns eight bytes of row `i` from its byte `8 * k` on, and other bytes after its end.
#[device(expand)]
pub fn bytes_of_row(i: usize, k: u32, seeds: &[u32]) -> u64 {
    drawn_bytes(seeds[i], k)
}

/// Draws a text of any bytes, of digits, or of brackets in both cases.
fn text(rng: &mut Rng, n: usize) -> Vec<u8> {
    let letters = rng.one_of(&[&b""[..], b"0123456789", b"0123456789/:-\n\xff", b"[]{}();A", b"9"]);
    (0..n).map(|_| if letters.is_empty() { rng.next() as u8 } else { rng.one_of(letters) }).collect()
}

/// Draws an automaton: any, or one whose states some bytes bring together or exchange and most bytes leave as they are.
fn automaton(rng: &mut Rng) -> Vec<[u8; 256]> {
    let states = 1 + rng.below(STATES as u32);
    let is_any = rng.below(3) == 0;
    let busy = rng.one_of(&[1, 4, 100]);
    let mut next: Vec<[u8; 256]> = (0..states as u8).map(|state| [state; 256]).collect();
    for byte in 0..256 {
        let (shift, together) = (rng.below(states), rng.below(4) == 0);
        for (state, row) in (0..states).zip(&mut next) {
            if is_any {
                row[byte] = rng.below(states) as u8;
            } else if byte as u32 % 100 < busy {
                row[byte] = (if together { shift } else { (state + shift) % states }) as u8;
            }
        }
    }
    next
}

/// Returns the state after each byte, and first the one before all.
fn states_by_bytes(next: &[[u8; 256]], bytes: &[u8]) -> Vec<u8> {
    let mut states = vec![0];
    for &byte in bytes {
        states.push(next[usize::from(states[states.len() - 1])][usize::from(byte)]);
    }
    states
}

/// Returns whether a byte is marked.
fn is_marked(words: &[u64], at: usize) -> bool {
    words[at / 64] >> (at % 64) & 1 == 1
}

each_holds! {
    #[longest(50_000)]
    marks_of_bytes_match_oracle(b, rng, n) {
        let bytes = text(rng, n);
        let column = text::upload(b, &bytes).unwrap();
        let (bits, byte) = (rng.one_of(&[0, 0x20, 0x80, 0xff]), rng.one_of(&[b'{', b'9', 0, 127, 128, 129, 255]));
        let blocks = column.len() / 8;
        let byte_of = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let expected = |holds: &dyn Fn(u8) -> bool| -> Vec<u64> {
            (0..blocks).map(|w| (0..64).fold(0, |word, k| word | u64::from(holds(byte_of(64 * w + k))) << k)).collect()
        };
        let found = b.map(block_marks::of(&column, bits, byte).rows(blocks)).unwrap();
        let equal = expected(&|found| found == byte);
        assert_eq!(rows(b, &found.0), equal);
        assert_eq!(rows(b, &found.1), expected(&|found| found | bits == byte));
        assert_eq!(rows(b, &found.2), expected(&|found| found < byte));
        let inside = equal.iter().map(|word| {
            (0..64).fold((0, bits % 2), |(inside, parity), k| {
                let parity = parity ^ (word >> k & 1) as u8;
                (inside | u64::from(parity) << k, parity)
            }).0
        });
        assert_eq!(rows(b, &found.3), inside.collect::<Vec<_>>());
    }

    #[longest(50_000)]
    bytes_of_a_word_match_oracle(b, rng, n) {
        let bytes = text(rng, n);
        let column = text::upload(b, &bytes).unwrap();
        let (byte, limit) = (rng.one_of(&[b'{', b'9', 0, 127, 255]), rng.one_of(&[0, 1, b'0', 128]));
        let found = b.map(word_marks::of(&column, byte, limit)).unwrap();
        let bytes_of = |k: usize| -> [u8; 8] { std::array::from_fn(|b| bytes.get(8 * k + b).copied().unwrap_or(0)) };
        let each = |of: &dyn Fn([u8; 8], usize) -> u64| (0..column.len()).map(|k| of(bytes_of(k), k)).collect::<Vec<_>>();
        let high = |holds: &dyn Fn(u8) -> bool| each(&|bytes, _| u64::from_le_bytes(bytes.map(|b| u8::from(holds(b)) << 7)));
        let equal = high(&|found| found == byte);
        let first = |bytes: [u8; 8]| bytes.iter().position(|&found| found == byte).unwrap_or(8);
        assert_eq!(rows(b, &found.0), equal);
        assert_eq!(rows(b, &found.1), equal);
        assert_eq!(rows(b, &found.2), high(&|found| found < limit));
        assert_eq!(rows(b, &found.3), each(&|bytes, _| {
            u64::from_le_bytes(std::array::from_fn(|b| if b < first(bytes) { bytes[b] } else { 0 }))
        }));
        assert_eq!(rows(b, &found.4), (0..column.len()).map(|k| first(bytes_of(k)) as u32).collect::<Vec<_>>());
        assert_eq!(rows(b, &found.5), each(&|bytes, k| {
            (0..8).fold(0, |marks, b| marks | u64::from(bytes[b] == byte) << (8 * (k % 8) + b))
        }));
    }

    #[longest(50_000)]
    reads_of_a_text_match_oracle(b, rng, n) {
        let bytes = text(rng, n);
        let column = text::upload(b, &bytes).unwrap();
        let at: Vec<u32> = (0..8 * column.len() as u32).collect();
        let byte_of = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let digits = |at: usize, most: usize| (at..).take(most).map(byte_of).take_while(u8::is_ascii_digit);
        let value = |at: usize, most: usize| {
            digits(at, most).fold(0u64, |sum, digit| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
        };
        // A text of digits only would take a square of its length.
        let ends: Vec<usize> = (0..at.len()).rev().scan(0, |run, at| {
            *run = if byte_of(at).is_ascii_digit() { *run + 1 } else { 0 };
            Some(*run)
        }).collect();
        let is_short = ends.iter().all(|&run| run < 400);
        let at = if is_short { at } else { at.into_iter().rev().take(400).collect() };
        let found = b.map(read::of(&put(b, &at), &column)).unwrap();
        let each = |of: &dyn Fn(usize) -> u64| at.iter().map(|&at| of(at as usize)).collect::<Vec<_>>();
        assert_eq!(rows(b, &found.0), at.iter().map(|&at| byte_of(at as usize)).collect::<Vec<_>>());
        assert_eq!(rows(b, &found.1), each(&|at| u64::from_le_bytes(std::array::from_fn(|k| byte_of(at + k)))));
        assert_eq!(rows(b, &found.2), each(&|at| value(at, usize::MAX)));
        assert_eq!(rows(b, &found.3), at.iter().map(|&at| digits(at as usize, 8).count() as u32).collect::<Vec<_>>());
        assert_eq!(rows(b, &found.4), each(&|at| value(at, 8)));
    }

    #[longest(20_000)]
    marks_are_found_and_counted_as_by_the_oracle(b, rng, n) {
        let words = words(rng, n.div_ceil(64));
        let bytes = 64 * words.len();
        let at: Vec<u32> = (0..bytes as u32).collect();
        let found = b.map(mark_at::of(&put(b, &at), &put(b, &words))).unwrap();
        let (mut next, mut expected) = (bytes as u32, vec![0; bytes]);
        for at in (0..bytes).rev() {
            next = if is_marked(&words, at) { at as u32 } else { next };
            expected[at] = next;
        }
        assert_eq!(rows(b, &found.0), expected);
        let before = |at: usize| (at / 64 * 64..at).filter(|&at| is_marked(&words, at)).count() as u32;
        assert_eq!(rows(b, &found.1), (0..bytes).map(before).collect::<Vec<_>>());
    }

    nested_marks_match_oracle(b, rng, n) {
        let (marks, opens) = (words(rng, n), words(rng, n));
        // Brackets of both kinds at one byte cancel each other, and depths may wrap.
        let closes: Vec<u64> = match rng.below(3) {
            0 => words(rng, n),
            1 => vec![0; n],
            _ => opens.iter().map(|word| word.rotate_left(5)).collect(),
        };
        let (mut position, mut depth, mut open) = (Vec::new(), Vec::new(), 0u32);
        for at in 0..64 * n {
            if is_marked(&marks, at) {
                position.push(at as u32);
                depth.push(open);
            }
            open = open.wrapping_add(is_marked(&opens, at).into()).wrapping_sub(is_marked(&closes, at).into());
        }
        let marks = put(b, &marks);
        let found = nested(&marks, &put(b, &opens), &put(b, &closes)).unwrap();
        assert_eq!((rows(b, &found.0), rows(b, &found.1)), (position.clone(), depth));
        assert_eq!(get(b, marked(&marks)), position);
    }

    automaton_states_match_oracle(b, rng, n) {
        let next = automaton(rng);
        let bytes = text(rng, 4 * n);
        // The automaton reads all bytes of the text, or some.
        let length = if rng.below(2) == 0 { bytes.len() } else { rng.below(bytes.len() as u32 + 1) as usize };
        let expected = states_by_bytes(&next, &bytes[..length]);
        let last = expected[length];
        let automaton = Automaton::new(b, &next).unwrap();
        let text = text::upload(b, &bytes).unwrap();
        for (kind, expected) in [(ScanKind::Exclusive, &expected[..length]), (ScanKind::Inclusive, &expected[1..])] {
            let (states, found) = automaton.states_later(kind, &text, length).unwrap();
            let mut expected = expected.to_vec();
            expected.resize(8 * text.len(), last);
            assert_eq!(rows(b, &states), text::upload(&Cpu::new(), &expected).unwrap()[..]);
            assert_eq!(found.read().unwrap(), last);
        }
    }

    texts_of_rows_match_oracle(b, rng, n) {
        let seeds = rng.column(n);
        // Few long rows among short ones, or long gaps without a row.
        let (most, longest, gap) =
            (rng.one_of(&[1, 8, 9, 30]), rng.one_of(&[0, 8, 500]), rng.one_of(&[1, 8, 9, 100]));
        let mut text = vec![0; rng.below(gap) as usize];
        let mut offsets = Vec::new();
        for &seed in &seeds {
            offsets.push(text.len() as u32);
            let length = if rng.below(50) == 0 { rng.below(longest + 1) } else { rng.below(most + 1) } as usize;
            let words = (0..length.div_ceil(8)).map(|k| drawn_bytes(seed, k as u32));
            text.extend(words.flat_map(u64::to_le_bytes).take(length));
        }
        let column = put(b, &offsets);
        let offsets = Offsets::new(b, &column, text.len()).unwrap();
        let found = text::of_rows(&offsets, bytes_of_row::of(&put(b, &seeds))).unwrap();
        assert_eq!(rows(b, &found), text::upload(&Cpu::new(), &text).unwrap()[..]);
    }

    #[longest(3_000)]
    automaton_ends_match_oracle(b, rng, n) {
        let next = automaton(rng);
        let bytes = text(rng, n);
        let begin: Vec<u32> = (0..n).map(|_| rng.below(n as u32 + 1)).collect();
        let end: Vec<u32> = begin.iter().map(|&begin| (begin + rng.below(20)).min(n as u32)).collect();
        let expected: Vec<u8> = begin.iter().zip(&end).map(|(&begin, &end)| {
            *states_by_bytes(&next, &bytes[begin as usize..end as usize]).last().unwrap()
        }).collect();
        let strings = Strings::new(text::upload(b, &bytes).unwrap(), put(b, &begin), put(b, &end)).unwrap();
        assert_eq!(get(b, Automaton::new(b, &next).unwrap().ends(&strings)), expected);
    }

    #[longest(3_000)]
    strings_match_oracle(b, rng, n) {
        // Few letters, so that strings agree in many bytes.
        let letters = rng.one_of(&[&b"a"[..], b"ab", b"a\0", b"ab\xff,", b",,a"]);
        let bytes: Vec<u8> = (0..4 * n).map(|_| rng.one_of(letters)).collect();
        // Short and long strings beside each other: some agree in their first bytes only.
        let (all, longest) = (bytes.len() as u32, [1, 3, 8, 40]);
        let begin: Vec<u32> = (0..n).map(|_| rng.below(all + 1)).collect();
        let end: Vec<u32> =
            begin.iter().zip(longest.iter().cycle()).map(|(&begin, most)| (begin + rng.below(most + 1)).min(all)).collect();
        let text = text::upload(b, &bytes).unwrap();
        let strings = Strings::new(text.try_clone().unwrap(), put(b, &begin), put(b, &end)).unwrap();
        let parts: Vec<&[u8]> =
            begin.iter().zip(&end).map(|(&begin, &end)| &bytes[begin as usize..end as usize]).collect();

        assert_eq!(get(b, strings.lengths()), parts.iter().map(|part| part.len() as u32).collect::<Vec<_>>());
        let mut seen = HashMap::new();
        let first: Vec<u32> = (0..).zip(&parts).map(|(i, &part)| *seen.entry(part).or_insert(i)).collect();
        assert_eq!(get(b, strings.intern()), first);
        let hashes = get(b, strings.hashes());
        assert!(first.iter().zip(&hashes).all(|(&first, &hash)| hashes[first as usize] == hash));
        let mut sorted: Vec<u32> = (0..n as u32).collect();
        sorted.sort_by_key(|&i| parts[i as usize]);
        assert_eq!(get(b, strings.sorted()), sorted);

        let chosen: Vec<u32> = (0..n).map(|_| rng.below(n as u32)).collect();
        let selected = strings.select(&put(b, &chosen)).unwrap();
        let expected: Vec<&[u8]> = chosen.iter().map(|&row| parts[row as usize]).collect();
        assert_eq!(selected.download().unwrap(), expected);
        assert_eq!(get(b, selected.equal(&strings)), (0..n).map(|i| u8::from(expected[i] == parts[i])).collect::<Vec<_>>());
        let packed = selected.packed().unwrap();
        assert_eq!(packed.download().unwrap(), expected);
        assert_eq!(rows(b, packed.text()), text::upload(&Cpu::new(), &expected.concat()).unwrap()[..]);

        let whole = Strings::split(text.try_clone().unwrap(), bytes.len(), b'\n').unwrap();
        let others = whole.other_parts(put(b, &begin), put(b, &end)).unwrap();
        assert_eq!(others.download().unwrap(), parts);
        let mut at: Vec<usize> = (0..n / 8).map(|_| rng.below(all) as usize).collect();
        at.sort_unstable();
        at.dedup();
        let mut marks = vec![0u64; text.len() / 8];
        at.iter().for_each(|&at| marks[at / 64] |= 1 << (at % 64));
        let mut expected = Vec::new();
        let mut rest = (&bytes[..], 0);
        for at in at {
            expected.push(&rest.0[..at - rest.1]);
            rest = (&rest.0[at - rest.1 + 1..], at + 1);
        }
        expected.push(rest.0);
        let found = Strings::split_at(text.try_clone().unwrap(), bytes.len(), &put(b, &marks)).unwrap();
        assert_eq!(found.download().unwrap(), expected);

        let split: Vec<&[u8]> = bytes.split(|&byte| byte == b',').collect();
        assert_eq!(Strings::split(text, bytes.len(), b',').unwrap().download().unwrap(), split);
        // A zero is a separator like others, and those after the end of the text are none.
        let text = text::upload(b, &bytes).unwrap();
        assert_eq!(Strings::split(text, bytes.len(), 0).unwrap().len(), bytes.split(|&byte| byte == 0).count());
    }
}
