//! The spellings of tokens as tables for the data-parallel lexer, computed when the compiler is compiled.
//!
//! ```text
//! first byte   class       second byte   class
//! < > = ! ..   one each    = < > & |     one each        kind of `<=` = KINDS[FIRST['<'] + SECOND['=']]
//! letter       LETTER      *             one             kind of `<x` = KINDS[FIRST['<'] + SECOND['x']]
//! digit, 0     DIGIT, GAP  others        0
//! ```
//!
//! Keywords have a perfect hash: the product of the key, which is the keyword's bytes, and a multiplier. A search finds
//! a multiplier by which no two keywords have one slot.

use treepar::device::device;

use super::tokens::{TokenKind, TokenKinds};

/// Classes of first bytes that begin no operator.
const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const GAP: u8 = 3;

/// The number of classes of second bytes.
const SECONDS: usize = 8;

/// The class of each first byte, times `SECONDS`. Each byte that begins an operator has its own.
pub const FIRST: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT,
            0 => GAP,
            _ => OTHER,
        } * SECONDS as u8;
        byte += 1;
    }
    let (mut kind, mut next) = (0, GAP + 1);
    while kind < TokenKind::COUNT {
        let text = spelling(kind);
        if !text.is_empty() && class[text[0] as usize] == OTHER {
            class[text[0] as usize] = next * SECONDS as u8;
            next += 1;
        }
        kind += 1;
    }
    class
};

/// The class of each second byte: bytes that continue operators, `*` of `/*`, and others.
pub const SECOND: [u8; 256] = {
    let mut class = [0; 256];
    let (mut kind, mut next) = (0, 1);
    while kind < TokenKind::COUNT {
        let text = spelling(kind);
        if is_operator(kind, 2) && class[text[1] as usize] == 0 {
            class[text[1] as usize] = next;
            next += 1;
        }
        kind += 1;
    }
    class[b'*' as usize] = next;
    class
};

/// The kind of a token by the classes of its first two bytes. Two bytes that continue an operator without being one are
/// malformed, and so is `/*`.
pub const KINDS: [u8; 256] = {
    let mut kinds = [TokenKind::Malformed.code(); 256];
    let mut second = 0;
    while second < SECONDS {
        kinds[LETTER as usize * SECONDS + second] = TokenKind::Name.code();
        kinds[DIGIT as usize * SECONDS + second] = TokenKind::Int.code();
        kinds[GAP as usize * SECONDS + second] = TokenKind::End.code();
        second += 1;
    }
    let mut kind = 0;
    while kind < TokenKind::COUNT {
        if is_operator(kind, 1) {
            let first = spelling(kind)[0] as usize;
            let mut second = 0;
            while second < SECONDS {
                let is_joined = begins_longer(first as u8) && second != 0 && second != SECOND[b'*' as usize] as usize;
                if !is_joined {
                    kinds[FIRST[first] as usize + second] = kind as u8;
                }
                second += 1;
            }
        }
        kind += 1;
    }
    kind = 0;
    while kind < TokenKind::COUNT {
        if is_operator(kind, 2) {
            let text = spelling(kind);
            kinds[FIRST[text[0] as usize] as usize + SECOND[text[1] as usize] as usize] = kind as u8;
        }
        kind += 1;
    }
    kinds[FIRST[b'/' as usize] as usize + SECOND[b'*' as usize] as usize] = TokenKind::Malformed.code();
    kinds
};

/// The operators of two bytes.
pub const LONG: TokenKinds = {
    let (mut kind, mut long) = (0, TokenKinds::NONE);
    while kind < TokenKind::COUNT {
        if is_operator(kind, 2) {
            long = long.union(TokenKinds::of(&[TokenKind::ALL[kind]]));
        }
        kind += 1;
    }
    long
};

/// The kinds of two bytes that can both be in one operator.
pub const JOINED: TokenKinds = LONG.union(TokenKinds::of(&[TokenKind::Malformed]));

/// Returns the text of the kind with a code.
const fn spelling(kind: usize) -> &'static [u8] {
    TokenKind::ALL[kind].spelling().as_bytes()
}

/// Returns whether a kind is an operator or bracket of some number of bytes.
const fn is_operator(kind: usize, bytes: usize) -> bool {
    let text = spelling(kind);
    text.len() == bytes && !text[0].is_ascii_alphabetic()
}

/// Returns whether a byte begins an operator of two bytes.
const fn begins_longer(byte: u8) -> bool {
    let mut kind = 0;
    while kind < TokenKind::COUNT {
        if is_operator(kind, 2) && spelling(kind)[0] == byte {
            return true;
        }
        kind += 1;
    }
    false
}

/// The number of slots of the table of keywords, a power of two.
const SLOTS: usize = 32;

/// Returns the key of a keyword, and 0 for another kind.
const fn keyword(kind: usize) -> u64 {
    let text = spelling(kind);
    let (mut key, mut at) = (0, 0);
    while at < text.len() && text[0].is_ascii_lowercase() {
        key |= (text[at] as u64) << (8 * at);
        at += 1;
    }
    key
}

/// Returns the slots of all keywords: of each slot the code of its keyword plus 1, or 0; `None` if two have one slot.
const fn slots(multiplier: u64) -> Option<[u8; SLOTS]> {
    let (mut slots, mut kind) = ([0; SLOTS], 0);
    while kind < TokenKind::COUNT {
        let key = keyword(kind);
        let slot = (key.wrapping_mul(multiplier) >> SHIFT) as usize;
        if key != 0 && slots[slot] != 0 {
            return None;
        }
        if key != 0 {
            slots[slot] = kind as u8 + 1;
        }
        kind += 1;
    }
    Some(slots)
}

/// The shift that leaves the number of a slot.
const SHIFT: u64 = 64 - SLOTS.trailing_zeros() as u64;

/// A multiplier by which no two keywords have one slot.
const MULTIPLIER: u64 = {
    let mut multiplier = 0x9e37_79b9_7f4a_7c15u64;
    while slots(multiplier).is_none() {
        multiplier = multiplier.wrapping_mul(6_364_136_223_846_793_005) | 1;
    }
    multiplier
};

/// Returns the slot of a key.
#[device]
pub fn keyword_slot(key: u64) -> u32 {
    (key.wrapping_mul(MULTIPLIER) >> SHIFT) as u32
}

/// The kind of the keyword in each slot; of a free slot NAME.
pub const KEYWORD_KINDS: [u8; SLOTS] = {
    let (mut kinds, mut slot) = (slots(MULTIPLIER).expect("slots without collisions"), 0);
    while slot < SLOTS {
        kinds[slot] = if kinds[slot] == 0 { TokenKind::Name.code() } else { kinds[slot] - 1 };
        slot += 1;
    }
    kinds
};

/// The key of the keyword in each slot; of a free slot 0.
pub const KEYWORD_KEYS: [u64; SLOTS] = {
    let (mut keys, mut slot) = ([0; SLOTS], 0);
    while slot < SLOTS {
        keys[slot] = keyword(KEYWORD_KINDS[slot] as usize);
        slot += 1;
    }
    keys
};
