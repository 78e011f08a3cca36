//! Ids of names, dense and in the order of first occurrences.
//!
//! ```text
//! word    x  if  y  x  long_name  y  long_name
//! key     x  if  y  x  hash       y  hash
//! first   0  1   2  0  4          2  4            the first word with the same key
//! id      0  0   1  0  2          1  2            the number of names that occur before the first; 0 for a keyword
//! names   x  y  long_name                         the firsts that are names
//! ```
//!
//! The key of a short name is the name. Two long names with one hash are compared byte by byte; if they differ, the
//! result is not used.
//!
//! Cost: work O(w + l) for w words, of which the long ones have l bytes; an intern, a reduction, a compaction, a scan, two
//! maps and a scatter.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::words::{HASHED, WordId, Words};
use crate::ir::text::{HIGH, Text, before, bytes_at, lowest, word_mask};
use crate::ir::tokens::{NameRow, Names, TokenId, TokenKind, Tokens};

#[device(intern)]
fn key(j: WordId, words: &Words) -> u64 {
    words.key[j]
}

/// Returns 1 if the long name in word `j` is not the name in its first word. `token` has the token of each word.
#[device(reduce(Sum))]
fn differs(j: WordId, first: &[u32], token: &[u32], words: &Words, start: &[u32], text: &[u64]) -> u32 {
    let other = first[j.index()];
    if words.key[j] < HASHED || other == j.get() {
        return 0;
    }
    let mut a = start[token[j.index()] as usize];
    let mut b = start[token[other as usize] as usize];
    let mut bytes = bytes_at(a, text);
    let mut ends = word_mask(bytes) ^ HIGH;
    while ends == 0 && bytes == bytes_at(b, text) {
        a += 8;
        b += 8;
        bytes = bytes_at(a, text);
        ends = word_mask(bytes) ^ HIGH;
    }
    let others = bytes_at(b, text);
    let other_end = lowest(word_mask(others) ^ HIGH);
    // Without an end, the bytes differ.
    (ends == 0 || lowest(ends) != other_end || before(other_end, bytes ^ others) != 0) as u32
}

/// Returns whether a name occurs first in word `j`.
#[device(compact)]
fn is_first(j: WordId, words: &Words, first: &[u32]) -> bool {
    (words.kind[j] == TokenKind::Name) & (first[j.index()] == j.get())
}

#[device(scan(Sum))]
fn first_count(j: WordId, words: &Words, first: &[u32]) -> u32 {
    ((words.kind[j] == TokenKind::Name) & (first[j.index()] == j.get())) as u32
}

#[device(map)]
fn name(i: usize, firsts: &[u32], token: &[u32], words: &Words) -> NameRow {
    let first = WordId::new(firsts[i]);
    NameRow { key: words.key[first], first: TokenId::new(token[first.index()]) }
}

/// Returns the id of the name in word `j`, 0 for a keyword. `ids` is right for first occurrences.
#[device(map)]
fn id(j: WordId, words: &Words, first: &[u32], ids: &[u32]) -> u32 {
    let id = ids[first[j.index()] as usize];
    if words.kind[j] == TokenKind::Name { id } else { 0 }
}

/// The names of a text, before the host knows how many there are.
pub struct Named<B: Backend> {
    /// The first word of each name.
    firsts: B::Vec<u32>,
    /// The token of each word.
    token: B::Vec<u32>,
    words: Words<B>,
    /// The number of occurrences with the hash of another name.
    pub unsure: B::Value<u32>,
}

impl<B: Backend> Named<B> {
    /// Returns the names.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn names(&self, backend: &B) -> Result<Names<B>> {
        backend.map(name::of(&self.firsts, &self.token, &self.words))
    }
}

/// Gives each name its id.
pub fn names<B: Backend>(
    backend: &B,
    text: &Text<B>,
    (token, words): (B::Vec<u32>, Words<B>),
    tokens: &mut Tokens<B>,
) -> Result<Named<B>> {
    let first = backend.intern(key::of(&words))?;
    let unsure = backend.reduce_later(differs::of(&first, &token, &words, &tokens.start, &text.words), Sum)?;
    let firsts = backend.compact(is_first::of(&words, &first))?;
    let (ids, _) = backend.scan_later(ScanKind::Exclusive, first_count::of(&words, &first), Sum)?;
    let ids = backend.map(id::of(&words, &first, &ids))?;
    backend.scatter(&mut tokens.value, &token, &ids)?;
    Ok(Named { firsts, token, words, unsure })
}
