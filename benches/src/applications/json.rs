//! A reader of JSON, and a question about a document.
//!
//! ```text
//! {"a": [1, "b"]}     kind    start  parent  value        a row per value and key, in the order of the text;
//!                     object      0       -      0        a key is a leaf before its value;
//!                     key         1       0      1        the value of a number is the number, of text its bytes
//!                     array       6       0      0
//!                     number      7       2      1
//!                     text       10       2      1
//! ```
//!
//! Documents are valid, and their numbers are whole. The question is `$.users[*].orders[*].total`.

use treepar::Result;
use treepar::depth::Depths;
use treepar::device::device;
use treepar::prelude::*;
use treepar::text::{self, between, byte_at, bytes_at, matches, matches_less, matches_with};
use treepar::text::{nested, next_mark, number_at};

use super::{Columns, Input, Rows, packed, text as of_text};

/// The kind of other values is their first byte.
const TEXT: u8 = b'"';
const KEY: u8 = b':';
const NUMBER: u8 = b'0';

/// The bits at even positions.
const EVEN: u64 = 0x5555_5555_5555_5555;

/// The state of a text in two bits, as a function of the bit that says whether the first byte is escaped: bits 0 and 1 if it is
/// not, bits 2 and 3 if it is. The lower bit says whether the number of quotes is odd, the higher whether the next byte is
/// escaped.
#[device(monoid(identity = 0b1000))]
fn then(a: u32, b: u32) -> u32 {
    let plain = a & 1 ^ b.wrapping_shr(a & 2) & 3;
    let escaped = a.wrapping_shr(2) & 1 ^ b.wrapping_shr(a.wrapping_shr(2) & 2) & 3;
    plain | escaped.wrapping_shl(2)
}

/// Marks the bytes that a backslash before them escapes.
#[device]
fn escaped(backslashes: u64, is_first: bool) -> u64 {
    let carried = is_first as u64;
    if backslashes == 0 {
        return carried;
    }
    // A run of backslashes is added to its first bit, and ends where the sum has its carry.
    let escaping = backslashes & !carried;
    let follows = escaping << 1 | carried;
    let odd_starts = escaping & !EVEN & !follows;
    (EVEN ^ odd_starts.wrapping_add(escaping) << 1) & follows
}

/// Returns whether the byte after 64 bytes is escaped.
#[device]
fn escapes_next(backslashes: u64, is_first: bool) -> bool {
    let run = (!(backslashes & !(is_first as u64))).leading_zeros();
    run % 2 == 1
}

#[device]
fn after(quotes: u64, backslashes: u64, is_first: bool) -> u32 {
    let odd = (quotes & !escaped(backslashes, is_first)).count_ones() & 1;
    odd | (escapes_next(backslashes, is_first) as u32).wrapping_shl(1)
}

#[device(scan(then))]
fn state(w: usize, text: &[u64]) -> u32 {
    let quotes = matches(w, text, b'"');
    let backslashes = matches(w, text, b'\\');
    if backslashes == 0 {
        // Only the first quote can be escaped.
        let odd = quotes.count_ones() & 1;
        return odd | (odd ^ quotes as u32 & 1).wrapping_shl(2);
    }
    after(quotes, backslashes, false) | after(quotes, backslashes, true).wrapping_shl(2)
}

/// Marks of 64 bytes outside texts: brackets that open and close, and the first bytes of numbers and names; and all quotes, with
/// the opening ones.
#[device]
struct Marks {
    opens: u64,
    closes: u64,
    words: u64,
    quotes: u64,
    texts: u64,
}

#[device]
fn marks(w: usize, before: u32, text: &[u64]) -> Marks {
    let quotes = matches(w, text, b'"') & !escaped(matches(w, text, b'\\'), before & 2 != 0);
    let inside = between(quotes, before & 1 != 0);
    // Square brackets differ from the others in one bit.
    let opens = matches_with(w, text, 0x20, b'{') & !inside;
    let closes = matches_with(w, text, 0x20, b'}') & !inside;
    let separators = matches_less(w, text, b'!') | matches(w, text, b',') | matches(w, text, b':');
    let breaks = opens | closes | separators;
    let last = if w == 0 { b' ' } else { byte_at(text, 64 * w - 1) };
    let first_follows = last <= b' ' || last == b',' || last == b':' || last == b'[';
    let words = !breaks & !quotes & !inside & (breaks << 1 | first_follows as u64);
    Marks { opens, closes, words, quotes, texts: quotes & inside }
}

/// Returns marks of values and keys, of brackets that open and close, and of quotes.
#[device(scan_map(state, then))]
fn all_marks(w: usize, before: u32, text: &[u64]) -> (u64, u64, u64, u64) {
    let of = marks(w, before, text);
    (of.opens | of.words | of.texts, of.opens, of.closes, of.quotes)
}

/// Returns whether the next byte that is not a space is a colon.
#[device]
fn is_before_colon(text: &[u64], end: usize) -> bool {
    let mut at = end + 1;
    while at < 8 * text.len() && byte_at(text, at) <= b' ' && byte_at(text, at) > 0 {
        at += 1;
    }
    at < 8 * text.len() && byte_at(text, at) == b':'
}

#[device]
fn is_number(byte: u8) -> bool {
    byte == b'-' || byte >= b'0' && byte <= b'9'
}

/// Returns the number from byte `start` on.
#[device]
fn signed_at(text: &[u64], start: usize) -> u64 {
    if byte_at(text, start) == b'-' { number_at(text, start + 1).wrapping_neg() } else { number_at(text, start) }
}

/// Returns kind and value of the value or key that begins at byte `start[k]`.
#[device(map)]
fn node(k: usize, start: &[u32], quotes: &[u64], text: &[u64]) -> (u8, u64) {
    let at = start[k] as usize;
    let byte = byte_at(text, at);
    let mut kind = byte;
    let mut value = 0u64;
    if byte == b'"' {
        let end = next_mark(quotes, at + 1);
        kind = if is_before_colon(text, end) { KEY } else { TEXT };
        value = (end - at - 1) as u64;
    } else if is_number(byte) {
        kind = NUMBER;
        value = signed_at(text, at);
    }
    (kind, value)
}

/// Returns the rows of a document. One pass over the text marks brackets, quotes and the first bytes of values, by a state that 64
/// bytes end with. All later passes read marks, and bytes at the beginning or end of a value.
pub fn ours<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let text = &text::upload(backend, input.text.as_bytes())?;
    let ((values, opens, closes, quotes), _) =
        backend.scan_map(state::of(text).rows(text.len() / 8), then, all_marks::of(text))?;
    let (start, depth) = nested(&values, &opens, &closes)?;
    let (kind, value) = backend.map(node::of(&start, &quotes, text))?;
    let parents = Depths::new(depth)?.parents()?;
    Ok(Columns { words: vec![start, parents.into_column()], longs: vec![value], bytes: vec![kind] })
}

/// Returns a name of up to six bytes with both quotes, as a number.
const fn quoted(name: &str) -> u64 {
    packed(name, b'"') << 8 | b'"' as u64
}

const USERS: u64 = quoted("users");
const ORDERS: u64 = quoted("orders");
const TOTAL: u64 = quoted("total");

/// The number of values on the path from the root to an answer.
const ANSWER: u32 = 6;
/// The number for values that are not on the path.
const OUTSIDE: u32 = 7;

/// Returns marks of the values that can be on the path, and of brackets that open and close.
///
/// A number without a space before it is an answer only after the last bytes of `"total":`. The first numbers of 64 bytes are marked
/// whatever is before them.
#[device(scan_map(state, then))]
fn path_marks(w: usize, before: u32, text: &[u64]) -> (u64, u64, u64) {
    let of = marks(w, before, text);
    let after_key = (matches(w, text, b':') << 1) & (matches(w, text, b'"') << 2) & (matches(w, text, b'l') << 3);
    let after_space = matches_less(w, text, b'!') << 1;
    (of.opens | of.words & (after_key | after_space | 7), of.opens, of.closes)
}

/// Returns the last byte before `end` that is not a space; 0 if there is none.
#[device]
fn last_before(text: &[u64], end: usize) -> usize {
    let mut at = end;
    while at > 0 && byte_at(text, at - 1) <= b' ' {
        at -= 1;
    }
    if at > 0 { at - 1 } else { 0 }
}

/// Returns whether a value at a depth can be on the path, whatever is above it: elements of arrays have no key, and members have the
/// key of their depth.
#[device]
fn is_step(text: &[u64], start: usize, depth: u32) -> bool {
    let colon = last_before(text, start);
    let has_key = byte_at(text, colon) == b':';
    if depth % 2 == 0 {
        return !has_key;
    }
    let wanted = if depth == 1 {
        USERS
    } else if depth == 3 {
        ORDERS
    } else {
        TOTAL
    };
    let unused = wanted.leading_zeros() / 8;
    let quote = last_before(text, colon) as u32;
    // A key is after a bracket, and the quote before its name is not a part of it.
    if !has_key || quote < 8 - unused {
        return false;
    }
    let first = (quote + unused - 7) as usize;
    let is_wanted = (bytes_at(text, first) ^ wanted).wrapping_shl(8 * unused) == 0;
    is_wanted && byte_at(text, first - 1) != b'\\'
}

/// What a run of values does to the number of values on the path: fewer than `least` remain, and all others become `end`.
#[device]
struct Reach {
    least: u16,
    end: u16,
}

#[device(monoid(identity = Reach { least: 7, end: 7 }))]
fn reached(a: Reach, b: Reach) -> Reach {
    if b.least <= a.least { b } else { Reach { least: a.least, end: if a.end < b.least { a.end } else { b.end } } }
}

/// A value ends the path at its own depth, or goes on from there.
#[device(scan(reached))]
fn reach(k: usize, start: &[u32], depth: &[u32], text: &[u64]) -> Reach {
    if depth[k] >= ANSWER {
        return Reach { least: OUTSIDE as u16, end: OUTSIDE as u16 };
    }
    let own = depth[k] as u16;
    Reach { least: own, end: own + is_step(text, start[k] as usize, depth[k]) as u16 }
}

#[device(compact)]
fn is_answer(k: usize, path: &[Reach], depth: &[u32], start: &[u32], text: &[u64]) -> bool {
    path[k].end as u32 == ANSWER && depth[k] == ANSWER - 1 && is_number(byte_at(text, start[k] as usize))
}

#[device(map)]
fn answer(k: usize, row: &[u32], start: &[u32], text: &[u64]) -> (u32, u64) {
    let at = start[row[k] as usize];
    (at, signed_at(text, at as usize))
}

/// Returns the numbers that the path leads to. Neither keys nor texts are rows, nor most values without values below; a value finds its
/// key before itself. The rows need no parents: the values above a row are the last ones before it at lower depths, so that a scan knows
/// how far the path goes.
pub fn ours_of_path<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let text = &text::upload(backend, input.text.as_bytes())?;
    let ((values, opens, closes), _) =
        backend.scan_map(state::of(text).rows(text.len() / 8), then, path_marks::of(text))?;
    let (start, depth) = nested(&values, &opens, &closes)?;
    let (path, _) = backend.scan(Inclusive, reach::of(&start, &depth, text), reached)?;
    let row = backend.compact(is_answer::of(&path, &depth, &start, text))?;
    let (start, value) = backend.map(answer::of(&row, &start, text))?;
    Ok(Columns { words: vec![start], longs: vec![value], bytes: vec![] })
}

/// Returns the end of a text: the byte of its last quote.
fn closing_quote(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// Returns a number, and the first byte after it.
fn whole_number(text: &[u8], start: usize) -> (u64, usize) {
    let digits = start + usize::from(text[start] == b'-');
    let mut at = digits;
    let mut number = 0u64;
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        at += 1;
    }
    (if digits > start { number.wrapping_neg() } else { number }, at)
}

/// Returns whether the next byte that is not a space is a colon.
fn has_colon(text: &[u8], end: usize) -> bool {
    text[(end + 1).min(text.len())..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Returns the rows of a document, byte by byte with a stack of open brackets.
pub fn plain(input: &Input) -> Rows {
    let text = input.text.as_bytes();
    let (mut start, mut kind, mut parent, mut value) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut open: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let begin = at;
        at += 1;
        let (found, number) = match byte {
            b' ' | b'\n' | b'\t' | b'\r' | b',' | b':' => continue,
            b'}' | b']' => {
                open.pop();
                continue;
            }
            b'"' => {
                let end = closing_quote(text, begin);
                at = end + 1;
                (if has_colon(text, end) { KEY } else { TEXT }, (end - begin - 1) as u64)
            }
            b'-' | b'0'..=b'9' => {
                let (number, end) = whole_number(text, begin);
                at = end;
                (NUMBER, number)
            }
            b'{' | b'[' => (byte, 0),
            _ => {
                while text.get(at).is_some_and(u8::is_ascii_lowercase) {
                    at += 1;
                }
                (byte, 0)
            }
        };
        parent.push(open.last().copied().unwrap_or(u32::MAX));
        if matches!(byte, b'{' | b'[') {
            open.push(start.len() as u32);
        }
        start.push(begin as u32);
        kind.push(found);
        value.push(number);
    }
    Rows { words: vec![start, parent], longs: vec![value], bytes: vec![kind] }
}

/// Returns the numbers that the path leads to, byte by byte with a stack of states.
pub fn plain_of_path(input: &Input) -> Rows {
    let text = input.text.as_bytes();
    let (mut start, mut value) = (Vec::new(), Vec::new());
    // The number of values on the path to each open bracket.
    let mut open: Vec<u32> = Vec::new();
    let mut key: Option<&[u8]> = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let begin = at;
        at += 1;
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' | b',' | b':' => continue,
            b'}' | b']' => {
                open.pop();
                continue;
            }
            b'"' => {
                let end = closing_quote(text, begin);
                at = end + 1;
                if has_colon(text, end) {
                    key = Some(&text[begin + 1..end]);
                    continue;
                }
            }
            _ => {}
        }
        let above = open.last().copied().unwrap_or(0);
        let step = match (above, key.take()) {
            (0 | 2 | 4, None) | (1, Some(b"users")) | (3, Some(b"orders")) | (5, Some(b"total")) => above + 1,
            _ => OUTSIDE,
        };
        match byte {
            b'{' | b'[' => open.push(step),
            b'-' | b'0'..=b'9' => {
                let (number, end) = whole_number(text, begin);
                at = end;
                if step == ANSWER {
                    start.push(begin as u32);
                    value.push(number);
                }
            }
            b'"' => {}
            _ => {
                while text.get(at).is_some_and(u8::is_ascii_lowercase) {
                    at += 1;
                }
            }
        }
    }
    Rows { words: vec![start], longs: vec![value], ..Rows::default() }
}

pub fn edges() -> Vec<Input> {
    let texts = [
        "",
        "7",
        "-12",
        "[]",
        "{}",
        "\"\"",
        "[1, -2, [3], {}, true, null, false]",
        r#"{"a": {"b": "c"}, "d" : [ "e" , "f:" , "\"g\"" ] }"#,
        r#"{"users": [{"orders": [{"total": 5, "x": {"total": 6}}, {"total": "7"}]}, [{"orders": 1}]], "total": 9}"#,
        r#"{"users": {"orders": [{"total": 5}]}, "orders": [{"total": 4}]}"#,
        r#"{"users2": [{"orders": [{"total": 5}]}], "users": [{"orders": [{"total\\": 4, "total": -3}]}]}"#,
        r#"{"users": [{"orders": [{"a\"total": 4, "a\\": 5, "total" : 6, "total":7, "\"total\"":8}]}]}"#,
        r#"{"":[{"users":5}],"s":6}"#,
    ];
    // Backslashes and quotes around the end of a word of 64 bytes.
    let around = (40..70).flat_map(|n| {
        let (before, after) = (" ".repeat(n), "x".repeat(60));
        (0..8).map(move |k| {
            let escapes = "\\\\".repeat(k);
            format!("[{before}\"{escapes}\", \"{escapes}\\\"{after}\", \"{}\"]", "\\\\".repeat(40))
        })
    });
    texts.into_iter().map(String::from).chain(around).map(|text| of_text(&text)).collect()
}
