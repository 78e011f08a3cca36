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
use treepar::text::{self, byte_at, bytes_at, equal, first, lane, less, marks, matches, unlike};

use super::{Columns, Input, Rows, packed, text as of_text};

const OBJECT: u8 = b'{';
const ARRAY: u8 = b'[';
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
    after(quotes, backslashes, false) | after(quotes, backslashes, true).wrapping_shl(2)
}

/// Marks the first bytes of values and keys, and the brackets that close.
#[device(positions(state, then))]
fn begins(w: usize, before: u32, text: &[u64]) -> u64 {
    // Quotes, backslashes, brackets, and brackets with separators and spaces, of eight bytes at once.
    let mut quotes = 0u64;
    let mut backslashes = 0u64;
    let mut brackets = 0u64;
    let mut breaks = 0u64;
    for k in 0..8usize {
        let bytes = text[8 * w + k];
        let folded = bytes | 0x2020_2020_2020_2020;
        let bracket = !(unlike(folded, b'{') & unlike(folded, b'}'));
        let space = !(unlike(bytes, b',') & unlike(bytes, b':')) | less(bytes, b'!');
        quotes |= lane(!unlike(bytes, b'"'), k);
        backslashes |= lane(!unlike(bytes, b'\\'), k);
        brackets |= lane(bracket, k);
        breaks |= lane(bracket | space, k);
    }
    brackets = marks(brackets);
    breaks = marks(breaks);
    quotes = marks(quotes) & !escaped(marks(backslashes), before & 2 != 0);
    let mut inside = quotes;
    for k in 0..6u32 {
        inside ^= inside.wrapping_shl(1u32.wrapping_shl(k));
    }
    inside ^= (before as u64 & 1).wrapping_neg();
    let last = if w == 0 { b' ' } else { (text[8 * w - 1] >> 56) as u8 };
    let first_follows = last <= b' ' || last == b',' || last == b':' || last == b'[';
    let words = !breaks & (breaks << 1 | first_follows as u64);
    (!inside & (brackets | words & !quotes)) | (quotes & inside)
}

/// Returns the change of the depth after a row.
#[device(scanned)]
fn step(i: usize, start: &[u32], text: &[u64]) -> u32 {
    let byte = byte_at(text, start[i] as usize);
    let opens = byte == OBJECT || byte == ARRAY;
    let closes = byte == b'}' || byte == b']';
    (opens as u32).wrapping_sub(closes as u32)
}

#[device(scan_map(step, Sum))]
fn depth(_i: usize, before: u32) -> u32 {
    before
}

#[device(compact)]
fn is_node(i: usize, start: &[u32], text: &[u64]) -> bool {
    let byte = byte_at(text, start[i] as usize);
    byte != b'}' && byte != b']'
}

/// Returns the end of a text: the byte of its last quote.
#[device]
fn end_of_text(text: &[u64], start: usize) -> usize {
    let mut at = start + 1;
    let mut ended = false;
    while !ended && at < 8 * text.len() {
        let bytes = bytes_at(text, at);
        let skipped = first(equal(bytes, b'"') | equal(bytes, b'\\'));
        at += skipped as usize;
        if skipped < 8 {
            ended = byte_at(text, at) == b'"';
            at += if ended { 0 } else { 2 };
        }
    }
    at
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
fn number_at(text: &[u64], start: usize) -> u64 {
    let is_negative = byte_at(text, start) == b'-';
    let mut at = start + is_negative as usize;
    let mut bytes = bytes_at(text, at);
    let mut number = 0u64;
    let mut digit = (bytes & 0xff).wrapping_sub(48);
    let mut left = 8u32;
    while digit < 10 {
        number = number.wrapping_mul(10).wrapping_add(digit);
        left -= 1;
        bytes >>= 8;
        if left == 0 {
            at += 8;
            bytes = bytes_at(text, at);
            left = 8;
        }
        digit = (bytes & 0xff).wrapping_sub(48);
    }
    if is_negative { number.wrapping_neg() } else { number }
}

/// Returns start, depth, kind and value of a row that is kept.
#[device(map)]
fn node(k: usize, row: &[u32], start: &[u32], depth: &[u32], text: &[u64]) -> (u32, u32, u8, u64) {
    let at = start[row[k] as usize];
    let byte = byte_at(text, at as usize);
    let mut kind = byte;
    let mut value = 0u64;
    if byte == b'"' {
        let end = end_of_text(text, at as usize);
        kind = if is_before_colon(text, end) { KEY } else { TEXT };
        value = (end - at as usize - 1) as u64;
    } else if byte == b'-' || byte >= b'0' && byte <= b'9' {
        kind = NUMBER;
        value = number_at(text, at as usize);
    }
    (at, depth[row[k] as usize], kind, value)
}

/// Returns the first byte of each value, key and closing bracket, and its depth. A closing bracket is as deep as the values before
/// it, so that it is a leaf.
fn tokens<B: Backend>(backend: &B, text: &B::Vec<u64>) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
    let start = backend.positions(state::of(text).rows(text.len() / 8), then, begins::of(text))?;
    let (depth, _) = backend.scan_map(step::of(&start, text), Sum, depth::of().rows(start.len()))?;
    Ok((start, depth))
}

/// Returns the rows of a document: marks of 64 bytes with a state that ends with each, and depths by a scan.
pub fn ours<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let text = &text::upload(backend, input.text.as_bytes())?;
    let (start, depth) = tokens(backend, text)?;
    let row = backend.compact(is_node::of(&start, text))?;
    let (start, depth, kind, value) = backend.map(node::of(&row, &start, &depth, text))?;
    let parents = Depths::new(depth)?.parents()?;
    Ok(Columns { words: vec![start, parents.into_column()], longs: vec![value], bytes: vec![kind] })
}

/// Returns a name of up to seven bytes with the quote after it, as a number.
const fn quoted(name: &str) -> u64 {
    packed(name, b'"')
}

const USERS: u64 = quoted("users");
const ORDERS: u64 = quoted("orders");
const TOTAL: u64 = quoted("total");

/// The number of values on the path from the root to an answer.
const ANSWER: u32 = 6;
/// The number for values that are not on the path.
const OUTSIDE: u32 = 7;

/// Returns whether the last byte before `start` that is not a space is a colon.
#[device]
fn is_after_colon(text: &[u64], start: usize) -> bool {
    let mut at = start;
    while at > 0 && byte_at(text, at - 1) <= b' ' {
        at -= 1;
    }
    at > 0 && byte_at(text, at - 1) == b':'
}

/// Returns the number of values on the path to a value, with itself; `OUTSIDE` of values that are not on it. Keys and closing brackets
/// have no values below them, so their results do not matter.
#[device(walk_down)]
fn steps(i: usize, above: u32, start: &[u32], text: &[u64]) -> u32 {
    if above >= ANSWER {
        return OUTSIDE;
    }
    let has_key = is_after_colon(text, start[i] as usize);
    if above % 2 == 0 {
        // Elements of arrays have no key.
        return if has_key { OUTSIDE } else { above + 1 };
    }
    let wanted = if above == 1 {
        USERS
    } else if above == 3 {
        ORDERS
    } else {
        TOTAL
    };
    let length = 64 - wanted.leading_zeros();
    let found = if has_key { bytes_at(text, start[i - 1] as usize + 1) } else { 0 };
    if (found ^ wanted).wrapping_shl(64 - (length + 7) / 8 * 8) == 0 { above + 1 } else { OUTSIDE }
}

#[device(compact)]
fn is_answer(i: usize, steps: &[u32], start: &[u32], text: &[u64]) -> bool {
    if steps[i] != ANSWER {
        return false;
    }
    let byte = byte_at(text, start[i] as usize);
    byte == b'-' || byte >= b'0' && byte <= b'9'
}

#[device(map)]
fn answer(k: usize, row: &[u32], start: &[u32], text: &[u64]) -> (u32, u64) {
    let at = start[row[k] as usize];
    (at, number_at(text, at as usize))
}

/// Returns the numbers that the path leads to: a walk down counts the steps.
pub fn ours_of_path<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let text = &text::upload(backend, input.text.as_bytes())?;
    let (start, depth) = tokens(backend, text)?;
    let steps = backend.walk_down(&Depths::new(depth)?.parents()?, 0, steps::of(&start, text))?;
    let row = backend.compact(is_answer::of(&steps, &start, text))?;
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
