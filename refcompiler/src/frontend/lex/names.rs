//! Ids of names, dense and in the order of first occurrences.
//!
//! ```text
//! occurrence   x  y  x  long_name  y  long_name
//! key          x  y  x  hash       y  hash
//! first        0  1  0  3          1  3            the first occurrence with the same key
//! id           0  1  0  2          1  2            the number of firsts before the first
//! names        x  y  long_name                     the firsts
//! ```
//!
//! The key of a short name is the name. Two long names with one hash are compared byte by byte; if they differ, the
//! result is not used.
//!
//! Cost: work O(w + l) for w names, of which the long ones have l bytes; two compactions, an intern, a reduction, a scan,
//! three maps and a scatter.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::words::{HASHED, WordId, Words};
use crate::ir::text::{HIGH, Text, before, bytes_at, lowest, word_mask};
use crate::ir::tokens::{NameId, NameRow, Names, TokenId, TokenKind, Tokens};

#[device(compact)]
fn is_name(j: WordId, words: &Words) -> bool {
    words.kind[j] == TokenKind::Name
}

/// Returns occurrence `i` of a name, which is word `word[i]`.
#[device(map)]
fn occurrence(i: usize, word: &[u32], token: &[u32], words: &Words) -> NameRow {
    let word = WordId::new(word[i]);
    NameRow { key: words.key[word], first: TokenId::new(token[word.index()]) }
}

#[device(intern)]
fn key(i: NameId, occurrences: &Names) -> u64 {
    occurrences.key[i]
}

/// Returns 1 if the long name of occurrence `i` is not the name of its first occurrence.
#[device(reduce(Sum))]
fn differs(i: NameId, first: &[u32], occurrences: &Names, tokens: &Tokens, words: &[u64]) -> u32 {
    let other = NameId::new(first[i.index()]);
    if occurrences.key[i] < HASHED || other == i {
        return 0;
    }
    let mut a = tokens.start[occurrences.first[i]];
    let mut b = tokens.start[occurrences.first[other]];
    let mut bytes = bytes_at(a, words);
    let mut ends = word_mask(bytes) ^ HIGH;
    while ends == 0 && bytes == bytes_at(b, words) {
        a += 8;
        b += 8;
        bytes = bytes_at(a, words);
        ends = word_mask(bytes) ^ HIGH;
    }
    let others = bytes_at(b, words);
    let other_end = lowest(word_mask(others) ^ HIGH);
    // Without an end, the bytes differ.
    (ends == 0 || lowest(ends) != other_end || before(other_end, bytes ^ others) != 0) as u32
}

#[device(compact)]
fn is_first(i: usize, first: &[u32]) -> bool {
    first[i] == i as u32
}

#[device(scan(Sum))]
fn first_count(i: usize, first: &[u32]) -> u32 {
    (first[i] == i as u32) as u32
}

#[device(map)]
fn name(i: usize, firsts: &[u32], occurrences: &Names) -> NameRow {
    let first = NameId::new(firsts[i]);
    NameRow { key: occurrences.key[first], first: occurrences.first[first] }
}

/// Returns the token and the id of occurrence `i`. `ids` is right for first occurrences.
#[device(map)]
fn id(i: NameId, occurrences: &Names, first: &[u32], ids: &[u32]) -> (u32, u32) {
    (occurrences.first[i].get(), ids[first[i.index()] as usize])
}

/// Gives each name its id. Returns the names, and the number of occurrences with the hash of another name.
pub fn names<B: Backend>(
    backend: &B,
    text: &Text<B>,
    (token, words): (B::Vec<u32>, Words<B>),
    tokens: &mut Tokens<B>,
) -> Result<(Names<B>, u32)> {
    let word = backend.compact(is_name::of(&words))?;
    let occurrences = backend.map(occurrence::of(&word, &token, &words))?;
    let first = backend.intern(key::of(&occurrences))?;
    let unsure = backend.reduce(differs::of(&first, &occurrences, tokens, &text.words), Sum)?;
    let firsts = backend.compact(is_first::of(&first))?;
    let names = backend.map(name::of(&firsts, &occurrences))?;
    let (ids, _) = backend.scan(ScanKind::Exclusive, first_count::of(&first), Sum)?;
    let (token, id) = backend.map(id::of(&occurrences, &first, &ids))?;
    backend.scatter(&mut tokens.value, &token, &id)?;
    Ok((names, unsure))
}
