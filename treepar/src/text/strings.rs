//! Strings: parts of a text, each from one byte to another.
//!
//! ```text
//! text     fn add add      begin 0 3 7      intern    0 1 1      the first row with the same bytes
//!                          end   2 6 10     sorted    1 2 0      the rows in the order of their bytes
//! ```
//!
//! The parts may overlap, and bytes may belong to none. So the tokens of a source are strings without a copy, and so is any selection of
//! strings. Strings are bytes: their encoding does not matter, and any byte is allowed.

use std::sync::Arc;

use super::{BLOCK, bytes_at, marked, matches, of_rows};
use crate::backend::{Executor, Offsets, ScanKind, check_length, check_rows, own};
use crate::compact::{gather, gather_inside};
use crate::device::device;
use crate::monoid::{Max, Sum, index_u32};
use crate::sort::sort_permutation;
use crate::{Backend, Column, Error, Result};

/// A column of strings: parts of a text, which several columns can share.
pub struct Strings<B: Backend> {
    text: Arc<<B as Executor>::Vec<u64>>,
    begin: <B as Executor>::Vec<u32>,
    end: <B as Executor>::Vec<u32>,
}

impl<B: Backend> std::fmt::Debug for Strings<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.download() {
            Ok(strings) => f.debug_list().entries(strings.iter().map(|bytes| String::from_utf8_lossy(bytes))).finish(),
            Err(error) => write!(f, "Strings({error})"),
        }
    }
}

/// The columns of [`Strings`].
#[device(tables)]
struct Parts {
    text: &[u64],
    begin: &[u32],
    end: &[u32],
}

/// Two columns of strings.
#[device(tables)]
struct Both {
    text: &[u64],
    begin: &[u32],
    end: &[u32],
    other: &[u64],
    other_begin: &[u32],
    other_end: &[u32],
}

/// Returns up to eight bytes from byte `at` on, zeros from byte `end` on.
#[device]
fn bytes_before(text: &[u64], at: u32, end: u32) -> u64 {
    let bytes = bytes_at(text, at as usize);
    if end - at < 8 { bytes & (1u64 << (8 * (end - at))).wrapping_sub(1) } else { bytes }
}

/// Returns the byte after the eight from byte `at` on, which is `end` at most. A text may end near the last number.
#[device]
fn next(at: u32, end: u32) -> u32 {
    if end - at < 8 { end } else { at + 8 }
}

/// Returns whether two parts of texts have the same bytes.
#[device]
fn are_equal(a: &[u64], begin: u32, end: u32, b: &[u64], other: u32) -> bool {
    let length = end - begin;
    let mut at = 0u32;
    let mut is_equal = true;
    while is_equal && at < length {
        is_equal = bytes_before(a, begin + at, end) == bytes_before(b, other + at, other + length);
        at = next(at, length);
    }
    is_equal
}

/// Returns whether strings `i` and `j` have the same bytes.
#[device]
fn is_same(i: usize, j: usize, parts: &Parts) -> bool {
    let begin = parts.begin[i];
    let end = parts.end[i];
    let other = parts.begin[j];
    parts.end[j] - other == end - begin && are_equal(parts.text, begin, end, parts.text, other)
}

/// Returns a number that depends on all bytes of a string and on its length.
#[device]
fn hash(i: usize, seed: u64, parts: &Parts) -> u64 {
    let end = parts.end[i];
    let mut at = parts.begin[i];
    let mut hash = seed ^ (end - at) as u64;
    while at < end {
        // The multipliers are odd, so no bit is lost; the shift brings high bits to low places.
        hash = (hash ^ bytes_before(parts.text, at, end)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = hash ^ (hash >> 29);
        at = next(at, end);
    }
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ (hash >> 32)
}

#[device(map)]
fn hash_of(i: usize, parts: &Parts) -> u64 {
    hash(i, 0, parts)
}

/// Returns the bits `mask` of the hash of string `rows[k]`.
#[device(intern)]
fn key(k: usize, rows: &[u32], seed: u64, mask: u64, parts: &Parts) -> u64 {
    hash(rows[k] as usize, seed, parts) & mask
}

#[device(map)]
fn named(k: usize, rows: &[u32], first: &[u32]) -> u32 {
    rows[first[k] as usize]
}

/// Returns whether string `rows[k]` differs from the one that its hash led to.
#[device(compact)]
fn differs(k: usize, rows: &[u32], first: &[u32], parts: &Parts) -> bool {
    !is_same(rows[k] as usize, first[rows[k] as usize] as usize, parts)
}

#[device(compact)]
fn is_not_inside(i: usize, begin: &[u32], end: &[u32], limit: u64) -> bool {
    begin[i] > end[i] || end[i] as u64 > limit
}

#[device(map)]
fn length(i: usize, begin: &[u32], end: &[u32]) -> u32 {
    end[i] - begin[i]
}

#[device(reduce(Sum))]
fn wide(i: usize, lengths: &[u32]) -> u64 {
    lengths[i] as u64
}

#[device(map)]
fn equal(i: usize, both: &Both) -> u8 {
    let begin = both.begin[i];
    let end = both.end[i];
    let other = both.other_begin[i];
    let has_length = both.other_end[i] - other == end - begin;
    (has_length && are_equal(both.text, begin, end, both.other, other)) as u8
}

#[device(scan(Sum))]
fn nothing(_w: usize) -> u32 {
    0
}

/// Marks a byte among 64, before byte `n`.
#[device(positions(nothing, Sum))]
fn separator_before(w: usize, _before: u32, text: &[u64], byte: u8, n: u64) -> u64 {
    let left = n.wrapping_sub(64 * w as u64);
    let inside = if left < 64 { (1u64 << left as u32).wrapping_sub(1) } else { u64::MAX };
    matches(w, text, byte) & inside
}

#[device(map)]
fn begin_after(s: usize, separators: &[u32]) -> u32 {
    if s == 0 { 0 } else { separators[s - 1] + 1 }
}

#[device(map)]
fn end_before(s: u32, separators: &[u32], n: u32) -> u32 {
    if (s as usize) < separators.len() { separators[s as usize] } else { n }
}

/// The bytes of a string that one key of a sort has.
const DIGIT: u32 = 7;

/// Returns the next seven bytes of string `rows[k]`, the first in the highest bits, and below them their number: 8 if more follow. So keys
/// are in the order of the strings, and a string is before those that it begins.
#[device(map)]
fn digit(k: usize, rows: &[u32], round: u32, parts: &Parts) -> u64 {
    let i = rows[k] as usize;
    let at = parts.begin[i] + DIGIT * round;
    let left = parts.end[i] - at;
    let mut bytes = bytes_before(parts.text, at, parts.end[i]) << 8;
    // The order of the bytes is reversed: neighbours, then pairs, then halves.
    bytes = ((bytes & 0x00ff_00ff_00ff_00ff) << 8) | ((bytes >> 8) & 0x00ff_00ff_00ff_00ff);
    bytes = ((bytes & 0x0000_ffff_0000_ffff) << 16) | ((bytes >> 16) & 0x0000_ffff_0000_ffff);
    bytes = bytes.rotate_left(32);
    (bytes << 8) | (if left > DIGIT { DIGIT + 1 } else { left }) as u64
}

/// The strings that a sort still has to tell apart, in the order of their groups: strings that agree in all earlier digits.
#[device(tables)]
struct Open {
    /// The first place of each one's group in the result.
    group: &[u32],
    /// The next digit.
    digit: &[u64],
    /// The row of `digit` of each.
    from: &[u32],
}

/// Returns whether a string is the first of its group.
#[device]
fn begins_group(k: usize, open: &Open) -> bool {
    k == 0 || open.group[k] != open.group[k - 1]
}

/// Returns the first string of the group of each, among those that are open.
#[device(scan(Max))]
fn group_before(k: usize, open: &Open) -> u32 {
    if begins_group(k, open) { k as u32 } else { 0 }
}

/// Returns the same of the strings that agree up to the next digit.
#[device(scan(Max))]
fn part_before(k: usize, open: &Open) -> u32 {
    let begins = begins_group(k, open) || open.digit[open.from[k] as usize] != open.digit[open.from[k - 1] as usize];
    if begins { k as u32 } else { 0 }
}

/// Returns the row of a string, its place, and the first place of the strings that agree with it up to the next digit.
#[device(map)]
fn placed(k: usize, open: &Open, rows: &[u32], group: &[u32], part: &[u32]) -> (u32, u32, u32) {
    let first = open.group[k] - group[k];
    (rows[open.from[k] as usize], first + k as u32, first + part[k])
}

/// Returns whether another string agrees with this one, and more bytes follow.
#[device(compact)]
fn is_open(k: usize, open: &Open, part: &[u32]) -> bool {
    let is_single = part[k] == k as u32 && (k + 1 == part.len() || part[k + 1] == k as u32 + 1);
    !is_single && (open.digit[open.from[k] as usize] & 15) as u32 > DIGIT
}

/// Returns eight bytes of a string from byte `8 * k` on, and zeros after its end.
#[device(expand)]
fn eight(i: usize, k: u32, parts: &Parts) -> u64 {
    let (end, at) = (parts.end[i], parts.begin[i] + 8 * k);
    if at < end { bytes_before(parts.text, at, end) } else { 0 }
}

#[device(map)]
fn ends(i: usize, offset: &[u32], n: u32) -> u32 {
    if i + 1 < offset.len() { offset[i + 1] } else { n }
}

impl<B: Backend> Strings<B> {
    /// Copies strings to a backend, one after the other.
    ///
    /// # Shape    n strings of together m bytes -> text of m bytes, begin\[n\], end\[n\]
    /// # Cost     m + 8 n bytes between host and machine
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if a `u32` cannot number the bytes
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Strings};
    /// let strings = Strings::upload(&Cpu::new(), ["ab", "", "c"])?;
    /// assert_eq!(strings.download()?, [b"ab".to_vec(), vec![], b"c".to_vec()]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn upload<S: AsRef<[u8]>>(backend: &B, strings: impl IntoIterator<Item = S>) -> Result<Strings<B>> {
        let (mut text, mut begin, mut end) = (Vec::new(), Vec::new(), Vec::new());
        for string in strings {
            begin.push(text.len() as u32);
            text.extend_from_slice(string.as_ref());
            check_rows("text", text.len())?;
            end.push(text.len() as u32);
        }
        let text = Arc::new(super::upload(backend, &text)?);
        Ok(Strings { text, begin: backend.upload(&begin)?, end: backend.upload(&end)? })
    }

    /// Takes a text with the begin and the end of each string.
    ///
    /// # Shape    text as [`upload`](super::upload()) makes it, begin\[n\], end\[n\]: the first byte, and the byte after the last
    /// # Cost     work O(n), one compact
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length,
    ///   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) at the first string that ends before its begin or after the text
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, text::{self, Strings}};
    /// let cpu = Cpu::new();
    /// let text = text::upload(&cpu, b"fn add")?;
    /// let strings = Strings::new(text, cpu.upload(&[0, 3])?, cpu.upload(&[2, 6])?)?;
    /// assert_eq!(strings.download()?, [b"fn".to_vec(), b"add".to_vec()]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn new(
        text: impl Column<Element = u64, Backend = B>,
        begin: B::Vec<u32>,
        end: B::Vec<u32>,
    ) -> Result<Strings<B>> {
        Strings::of(Arc::new(text.into_vec()), begin, end)
    }

    /// Takes the begin and the end of other parts of the same text.
    ///
    /// # Shape    begin\[m\], end\[m\] -> strings\[m\]
    /// # Cost     as [`Strings::new`]
    /// # Errors   as [`Strings::new`]
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, text::{self, Strings}};
    /// let cpu = Cpu::new();
    /// let lines = Strings::split(text::upload(&cpu, b"fn add")?, 6, b'\n')?;
    /// let words = lines.other_parts(cpu.upload(&[0, 3])?, cpu.upload(&[2, 6])?)?;
    /// assert_eq!(words.download()?, [b"fn".to_vec(), b"add".to_vec()]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn other_parts(&self, begin: B::Vec<u32>, end: B::Vec<u32>) -> Result<Strings<B>> {
        Strings::of(self.text.clone(), begin, end)
    }

    fn of(text: Arc<B::Vec<u64>>, begin: B::Vec<u32>, end: B::Vec<u32>) -> Result<Strings<B>> {
        let backend = text.backend();
        check_length("end", begin.len(), end.len())?;
        own(backend, &begin)?;
        own(backend, &end)?;
        let limit = 8 * text.len() as u64;
        let wrong = backend.compact(is_not_inside::of(&begin, &end, limit))?;
        if let Some(index) = crate::depth::first::<B>(&wrong)? {
            let (begin, end) = (backend.read(&begin, index)?.into(), backend.read(&end, index)?.into());
            return Err(match end > limit {
                true => Error::IndexOutOfRange { array: "end", index, found: end, limit: limit + 1 },
                false => Error::IndexOutOfRange { array: "begin", index, found: begin, limit: end + 1 },
            });
        }
        Ok(Strings { text, begin, end })
    }

    /// Returns the strings between separators: one more than there are separators.
    ///
    /// # Shape    text of n bytes, m of which are `separator` -> strings\[m + 1\]
    /// # Cost     work O(n / 8 + m), one [`positions`](Backend::positions) and two maps, n bytes and 20 per string
    /// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if the text has fewer than n bytes,
    ///   [`TooManyRows`](crate::Error::TooManyRows) if a `u32` cannot number them
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::{self, Strings}};
    /// let source = b"one\ntwo\n";
    /// let lines = Strings::split(text::upload(&Cpu::new(), source)?, source.len(), b'\n')?;
    /// assert_eq!(lines.download()?, [b"one".to_vec(), b"two".to_vec(), vec![]]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn split(text: impl Column<Element = u64, Backend = B>, n: usize, separator: u8) -> Result<Strings<B>> {
        let text = text.into_vec();
        let backend = text.backend();
        let rows = nothing::of().rows(text.len() / (BLOCK / 8));
        let at = backend.positions(rows, Sum, separator_before::of(&text, separator, n as u64))?;
        Strings::between(text, n, &at)
    }

    /// Returns the strings between marked bytes, such as several kinds of separators: one more than there are marks.
    ///
    /// # Shape    text of n bytes, words of marks as of [`marked`](super::marked()), m of them before n -> strings\[m + 1\]
    /// # Cost     work O(n / 64 + m), one [`positions`](Backend::positions) and two maps, n / 8 bytes and 20 per string
    /// # Errors   as [`Strings::split`], and [`IndexOutOfRange`](crate::Error::IndexOutOfRange) if a byte from n on is marked
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, text::{self, Strings}};
    /// let cpu = Cpu::new();
    /// let marks = cpu.upload(&[0b0001_0010])?;
    /// let words = Strings::split_at(text::upload(&cpu, b"a,bc;d")?, 6, &marks)?;
    /// assert_eq!(words.download()?, [b"a".to_vec(), b"bc".to_vec(), b"d".to_vec()]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn split_at(
        text: impl Column<Element = u64, Backend = B>,
        n: usize,
        marks: &B::Vec<u64>,
    ) -> Result<Strings<B>> {
        own(text.backend(), marks)?;
        Strings::between(text.into_vec(), n, &marked(marks)?)
    }

    /// Returns the strings between some bytes.
    fn between(text: B::Vec<u64>, n: usize, separators: &B::Vec<u32>) -> Result<Strings<B>> {
        check_rows("text", n)?;
        let backend = text.backend();
        let strings = separators.len() + 1;
        let begin = backend.map(begin_after::of(separators).rows(strings))?;
        let end = backend.map(end_before::of(separators, n as u32).rows(strings))?;
        Strings::new(text, begin, end)
    }

    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.begin.len()
    }

    /// Returns whether there is no string.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the backend that holds the strings.
    pub fn backend(&self) -> &B {
        self.begin.backend()
    }

    /// Returns the text whose parts the strings are.
    pub fn text(&self) -> &B::Vec<u64> {
        &self.text
    }

    /// Returns the first byte of each string.
    pub fn begin(&self) -> &B::Vec<u32> {
        &self.begin
    }

    /// Returns the byte after the last of each string.
    pub fn end(&self) -> &B::Vec<u32> {
        &self.end
    }

    /// Returns the text, which is copied if other strings have it too.
    ///
    /// # Errors   only general ones
    pub fn into_text(self) -> Result<B::Vec<u64>> {
        match Arc::try_unwrap(self.text) {
            Ok(text) => Ok(text),
            Err(text) => text.try_clone(),
        }
    }

    fn parts(&self) -> PartsOn<'_, B> {
        PartsOn { text: &*self.text, begin: &self.begin, end: &self.end }
    }

    /// Returns the number of bytes of each string.
    ///
    /// # Shape    strings\[n\] -> u32\[n\]
    /// # Cost     work O(n), one map
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Strings};
    /// assert_eq!(Strings::upload(&Cpu::new(), ["ab", "", "c"])?.lengths()?[..], [2, 0, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn lengths(&self) -> Result<B::Vec<u32>> {
        self.backend().map(length::of(&self.begin, &self.end))
    }

    /// Returns a hash of each string: equal strings have equal hashes. Keys that an enemy has chosen can have equal hashes too.
    ///
    /// # Shape    strings\[n\] of together m bytes -> u64\[n\]
    /// # Cost     work O(n + m), one map
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Strings};
    /// let hashes = Strings::upload(&Cpu::new(), ["ab", "", "ab"])?.hashes()?;
    /// assert!(hashes[0] == hashes[2] && hashes[0] != hashes[1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn hashes(&self) -> Result<B::Vec<u64>> {
        self.backend().map(hash_of::of(&self.parts()).rows(self.len()))
    }

    /// Returns 1 for each string that has the bytes of the string in the same row of another column.
    ///
    /// # Shape    strings\[n\], strings\[n\] -> u8\[n\]
    /// # Cost     work O(n + m) for m bytes up to the first that differs, one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the columns differ in length
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Strings};
    /// let cpu = Cpu::new();
    /// let (a, b) = (Strings::upload(&cpu, ["ab", "c"])?, Strings::upload(&cpu, ["ab", "d"])?);
    /// assert_eq!(a.equal(&b)?[..], [1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn equal(&self, other: &Strings<B>) -> Result<B::Vec<u8>> {
        check_length("strings", self.len(), other.len())?;
        own(self.backend(), &other.begin)?;
        let both = BothOn {
            text: &*self.text,
            begin: &self.begin,
            end: &self.end,
            other: &*other.text,
            other_begin: &other.begin,
            other_end: &other.end,
        };
        self.backend().map(equal::of(&both).rows(self.len()))
    }

    /// Returns the strings of some rows. No byte is copied.
    ///
    /// # Shape    strings\[n\], rows\[m\], each below n -> strings\[m\]
    /// # Cost     work O(m), two [`gather`]s
    /// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) at the first row that the column does not have
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, text::Strings};
    /// let cpu = Cpu::new();
    /// let strings = Strings::upload(&cpu, ["a", "b", "c"])?.select(&cpu.upload(&[2, 0])?)?;
    /// assert_eq!(strings.download()?, [b"c".to_vec(), b"a".to_vec()]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn select(&self, rows: &B::Vec<u32>) -> Result<Strings<B>> {
        Ok(Strings { text: self.text.clone(), begin: gather(&self.begin, rows)?, end: gather(&self.end, rows)? })
    }

    /// Returns for each string the first row with the same bytes. Bytes are compared, so the result does not depend on hashes.
    ///
    /// [`group`](crate::key::group) of the result brings equal strings together.
    ///
    /// # Shape    strings\[n\] of together m bytes -> u32\[n\]
    /// # Cost     expected work O(n + m), one map, one [`intern`](Backend::intern) of hashes and one compact, 2 m + 36 n bytes; a few more
    ///   of each for strings whose hashes are equal by chance
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Strings};
    /// assert_eq!(Strings::upload(&Cpu::new(), ["fn", "add", "fn"])?.intern()?[..], [0, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn intern(&self) -> Result<B::Vec<u32>> {
        self.intern_by(u64::MAX)
    }

    /// Runs [`Strings::intern`] with some bits of the hashes.
    ///
    /// Strings that differ from the first with their hash are interned among themselves. Equal strings stay together, and the first of
    /// them is its own first row, so each round has fewer.
    fn intern_by(&self, mask: u64) -> Result<B::Vec<u32>> {
        let (backend, parts) = (self.backend(), self.parts());
        let mut rows = backend.map(index_u32::of().rows(self.len()))?;
        let mut first = backend.intern(key::of(&rows, 0, mask, &parts))?;
        for seed in 1.. {
            let left = backend.compact(differs::of(&rows, &first, &parts))?;
            if left.is_empty() {
                break;
            }
            rows = gather_inside(&rows, &left)?;
            let found = backend.intern(key::of(&rows, seed, mask, &parts))?;
            backend.scatter(&mut first, &rows, &backend.map(named::of(&rows, &found).rows(rows.len()))?)?;
        }
        Ok(first)
    }

    /// Returns the rows in the order of their bytes; equal strings keep their order. UTF-8 is then in the order of its characters.
    ///
    /// # Shape    strings\[n\] -> row\[n\], u32
    /// # Cost     a round for each 7 bytes that two strings have in common: two sorts, two scans, a compact, a scatter and six maps of the
    ///   strings that are not told apart yet, about 220 bytes for each besides the passes of the sorts
    /// # Errors   only general ones
    /// # Source   radix sort, most significant digit first; APL's grade up, `⍋`
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Strings};
    /// assert_eq!(Strings::upload(&Cpu::new(), ["fn", "add", "a"])?.sorted()?[..], [2, 1, 0]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn sorted(&self) -> Result<B::Vec<u32>> {
        let (backend, parts, n) = (self.backend(), self.parts(), self.len());
        let mut out = backend.map(index_u32::of().rows(n))?;
        let mut rows = out.try_clone()?;
        let mut group = backend.filled(n, 0u32)?;
        for round in 0.. {
            if rows.is_empty() {
                break;
            }
            let digit = backend.map(digit::of(&rows, round, &parts))?;
            let (_, from) = sort_permutation(&digit)?;
            let (group_of, from) = backend.sort_by_key(&gather_inside(&group, &from)?, &from)?;
            let open = OpenOn { group: &group_of, digit: &digit, from: &from };
            let (heads, _) = backend.scan_later(ScanKind::Inclusive, group_before::of(&open).rows(rows.len()), Max)?;
            let (part, _) = backend.scan_later(ScanKind::Inclusive, part_before::of(&open).rows(rows.len()), Max)?;
            let (row, place, next) = backend.map(placed::of(&open, &rows, &heads, &part).rows(rows.len()))?;
            backend.scatter(&mut out, &place, &row)?;
            let left = backend.compact(is_open::of(&open, &part).rows(rows.len()))?;
            (rows, group) = (gather_inside(&row, &left)?, gather_inside(&next, &left)?);
        }
        Ok(out)
    }

    /// Returns the same strings, one after the other in a text of their own.
    ///
    /// # Shape    strings\[n\] of together m bytes -> strings\[n\] of a text of m bytes
    /// # Cost     work O(n + m / 8), one reduce, one scan, two maps and one [`of_rows`](super::of_rows()), 2 m + 44 n bytes on a CPU
    /// # Errors   [`TooManyRows`](crate::Error::TooManyRows) if a `u32` cannot number the bytes
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, text::Strings};
    /// let cpu = Cpu::new();
    /// let strings = Strings::upload(&cpu, ["ab", "cd"])?.select(&cpu.upload(&[1, 0, 1])?)?.packed()?;
    /// assert_eq!(strings.begin()[..], [0, 2, 4]);
    /// assert_eq!(strings.text()[0].to_le_bytes(), *b"cdabcd\0\0");
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn packed(&self) -> Result<Strings<B>> {
        let backend = self.backend();
        let lengths = self.lengths()?;
        let total = backend.reduce(wide::of(&lengths), Sum)?;
        check_rows("text", total as usize)?;
        let n = total as u32;
        let (offset, _) = backend.scan_later(ScanKind::Exclusive, &lengths, Sum)?;
        let text = of_rows(&Offsets::assume(backend, &offset, total as usize)?, eight::of(&self.parts()))?;
        let end = backend.map(ends::of(&offset, n).rows(self.len()))?;
        Ok(Strings { text: Arc::new(text), begin: offset, end })
    }

    /// Returns the bytes of each string on the host.
    ///
    /// # Shape    strings\[n\] -> n vectors of bytes
    /// # Cost     the whole text and 8 n bytes between machine and host
    /// # Errors   only general ones
    /// # Example
    /// ```
    /// use treepar::{Cpu, text::Strings};
    /// assert_eq!(Strings::upload(&Cpu::new(), ["ab", "c"])?.download()?, [b"ab".to_vec(), b"c".to_vec()]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn download(&self) -> Result<Vec<Vec<u8>>> {
        let backend = self.backend();
        let words = backend.download(&*self.text)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let parts = backend.download(&self.begin)?.into_iter().zip(backend.download(&self.end)?);
        Ok(parts.map(|(begin, end)| bytes[begin as usize..end as usize].to_vec()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;

    /// With few hashes, most strings differ from the first with their hash.
    #[test]
    fn strings_with_equal_hashes_stay_apart() {
        let cpu = Cpu::with_threads(2);
        let words: Vec<String> = (0..200u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 25).to_string()).collect();
        let strings = Strings::upload(&cpu, &words).unwrap();
        let expected: Vec<u32> = words.iter().map(|w| words.iter().position(|v| v == w).unwrap() as u32).collect();
        for mask in [0, 1, 7, u64::MAX] {
            assert_eq!(strings.intern_by(mask).unwrap()[..], expected, "{mask}");
        }
    }

    #[test]
    fn parts_outside_a_text_are_errors() {
        let cpu = Cpu::with_threads(1);
        let new = |begin: &[u32], end: &[u32]| {
            let text = crate::text::upload(&cpu, b"text").unwrap();
            Strings::new(text, cpu.upload(begin).unwrap(), cpu.upload(end).unwrap()).map(|strings| strings.len())
        };
        assert_eq!(new(&[0, 64, 3], &[64, 64, 3]), Ok(3));
        let wrong = |array, index, found, limit| Err(Error::IndexOutOfRange { array, index, found, limit });
        assert_eq!(new(&[0, 3], &[4, 65]), wrong("end", 1, 65, 65));
        assert_eq!(new(&[4, 0], &[3, 65]), wrong("begin", 0, 4, 4));
        assert_eq!(new(&[0], &[]), Err(Error::LengthMismatch { array: "end", expected: 1, found: 0 }));
        let marks = cpu.upload(&[1u64 << 5]).unwrap();
        let split = Strings::split_at(crate::text::upload(&cpu, b"text").unwrap(), 4, &marks);
        assert_eq!(split.map(|strings| strings.len()), wrong("begin", 1, 6, 5));
        let split = Strings::split(crate::text::upload(&cpu, b"text").unwrap(), 65, b'x');
        assert_eq!(split.map(|strings| strings.len()), wrong("end", 1, 65, 65));
    }
}
