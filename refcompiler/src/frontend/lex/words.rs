//! Keys of names, and keywords.
//!
//! ```text
//! word   while           counter          position_of
//! key    "while"         "counter"        hash + 2^63
//! kind   WHILE           NAME             NAME
//! ```
//!
//! The key of a word of up to eight bytes is the word: the eight bytes from its start, cut at the first byte that is not
//! in a word. Bytes of words are below 128, so bit 63 is clear. A longer word has a hash of 63 bits with bit 63 set.
//! Keywords have at most eight bytes, so a lookup by key is exact. A word before a single point is malformed. `for` is a keyword
//! only before another word, and `if` before `[` is another token than elsewhere.
//!
//! Cost: work O(w + l) for w words, of which the long ones have l bytes; one compaction, one map, one scatter.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::spellings::{KEYWORD_KEYS, KEYWORD_KINDS, keyword_slot};
use crate::ir::text::{HIGH, Text, before, bytes_at, is_at, is_range, lowest, word_mask};
use crate::ir::tokens::{TokenId, TokenKind, Tokens};

/// The bit that marks a hash.
pub const HASHED: u64 = 1 << 63;

/// An index of a word.
#[device(index)]
pub struct WordId(u32);

/// A word.
#[device(columns(Words, index = WordId))]
pub struct Word {
    /// The word, or its hash.
    pub key: u64,
    /// A keyword, NAME or MALFORMED.
    pub kind: TokenKind,
}

/// Returns a hash of eight bytes and of all before them.
#[device]
fn mixed(hash: u64, bytes: u64) -> u64 {
    (hash.rotate_left(5) ^ bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns whether a single point follows a word, of which the mask `end` has the bit after it in the bytes from `at` on.
#[device]
fn is_before_point(end: u64, bytes: u64, at: u32, words: &[u64]) -> bool {
    is_at(end, bytes, b'.') && !is_range(at + (end.trailing_zeros() >> 3), words)
}

/// Returns a word that begins with eight bytes of a word.
#[device]
fn long_word(start: u32, words: &[u64]) -> Word {
    let first = bytes_at(start, words);
    let mut hash = mixed(0, first);
    let mut at = start + 8;
    let mut bytes = bytes_at(at, words);
    let mut ends = word_mask(bytes) ^ HIGH;
    while ends == 0 {
        hash = mixed(hash, bytes);
        at += 8;
        bytes = bytes_at(at, words);
        ends = word_mask(bytes) ^ HIGH;
    }
    let end = lowest(ends);
    let last = before(end, bytes);
    let is_key = at == start + 8 && last == 0;
    Word {
        key: if is_key { first } else { mixed(hash, last) >> 1 | HASHED },
        kind: if is_before_point(end, bytes, at, words) { TokenKind::Malformed } else { TokenKind::Name },
    }
}

/// Returns word `j`, which is token `token[j]`. Each input ends with a token that is not a word.
#[device(map)]
pub fn word(j: usize, token: &[u32], tokens: &Tokens, words: &[u64]) -> Word {
    let t = TokenId::new(token[j]);
    let start = tokens.start[t];
    let bytes = bytes_at(start, words);
    let ends = word_mask(bytes) ^ HIGH;
    if ends == 0 {
        return long_word(start, words);
    }
    let end = lowest(ends);
    let key = before(end, bytes);
    let slot = keyword_slot(key) as usize;
    let is_keyword = KEYWORD_KEYS[slot] == key;
    let mut kind = if is_keyword { TokenKind::from_code(KEYWORD_KINDS[slot]) } else { TokenKind::Name };
    if kind == TokenKind::For && tokens.kind[t.plus(1)] != TokenKind::Name {
        kind = TokenKind::Name;
    }
    if kind == TokenKind::If && tokens.kind[t.plus(1)] == TokenKind::LeftBracket {
        kind = TokenKind::Choose;
    }
    // The keyword is not an occurrence of the name: no name has bit 7.
    let key = if kind == TokenKind::For { key | 0x80 } else { key };
    Word { key, kind: if is_before_point(end, bytes, start, words) { TokenKind::Malformed } else { kind } }
}

#[device(compact)]
fn is_word(t: TokenId, tokens: &Tokens) -> bool {
    tokens.kind[t] == TokenKind::Name
}

/// Returns the tokens that are words.
pub fn word_tokens<B: Backend>(backend: &B, tokens: &Tokens<B>) -> Result<B::Vec<u32>> {
    backend.compact(is_word::of(tokens))
}

/// Gives each keyword its kind. Returns the tokens that are words, and the words.
pub fn words<B: Backend>(
    backend: &B,
    text: &Text<B>,
    token: B::Vec<u32>,
    tokens: &mut Tokens<B>,
) -> Result<(B::Vec<u32>, Words<B>)> {
    let words = backend.map(word::of(&token, tokens, &text.words))?;
    backend.scatter(&mut tokens.kind, &token, &words.kind)?;
    Ok((token, words))
}
