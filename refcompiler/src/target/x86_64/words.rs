//! [Patterns](super::patterns) as words of eight bytes, so that eight bytes of a row follow at once.
//!
//! ```text
//! Name, near    mov d, i(rsp)    40 8b 44 24 i
//! base          40 8b 44 24 00
//! added         8 times the lower three bits of d in byte 2, and 4 times its upper bit in byte 0
//! immediate     rotated by four bytes, and masked to byte 4
//! ```
//!
//! For each hole, a word has a row of a table with the numbers that each register adds. Equal rows are shared.

use treepar::device::device;

use super::choice::index;
use super::patterns::{Bytes, HOLES, LIMIT, PATTERNS};
use crate::ir::instruction::Choice;

/// The limit of the number of rows of [`Words::added`].
const ROWS: usize = 128;

/// The registers of a type.
const REGISTERS: usize = 16;

/// The limit of the number of words of all patterns.
const WORDS: usize = 512;

/// The bytes of a word.
pub const WORD: usize = size_of::<u64>();

/// The patterns as words of eight bytes.
struct Words {
    rows: usize,
    /// The first word of each pattern.
    first: [u16; LIMIT],
    /// The bytes of each word without registers and immediate.
    base: [u64; WORDS],
    /// For d, a and b: the row of each word in `added`.
    row: [[u8; WORDS]; HOLES],
    /// The number that each register adds to the bytes, in rows of [`REGISTERS`].
    added: [u64; ROWS * REGISTERS],
    /// The bits of each word that the immediate of its pattern has, rotated to its place.
    mask: [u64; WORDS],
}

/// All words.
const ALL: Words = {
    let mut words = Words {
        rows: 0,
        first: [0; LIMIT],
        base: [0; WORDS],
        row: [[0; WORDS]; HOLES],
        added: [0; ROWS * REGISTERS],
        mask: [0; WORDS],
    };
    let patterns = &PATTERNS;
    let (mut p, mut w) = (0, 0);
    while p <= patterns.count {
        words.first[p] = w as u16;
        let mut begin = patterns.first[p] as usize;
        let end = begin + patterns.length[p] as usize;
        // A pattern without bytes has a word of zeros.
        loop {
            assert!(w < WORDS, "too many words");
            let next = if end < begin + WORD { end } else { begin + WORD };
            words.base[w] = word(&patterns.base, begin, next);
            words.mask[w] = mask(patterns.mask[p], patterns.first[p] as usize + patterns.at[p] as usize, begin);
            let mut hole = 0;
            while hole < HOLES {
                let low = word(&patterns.low[hole], begin, next);
                words.share(w, hole, low, word(&patterns.high[hole], begin, next));
                hole += 1;
            }
            w += 1;
            begin = next;
            if begin == end {
                break;
            }
        }
        p += 1;
    }
    words
};

/// Returns bytes of a table as a word.
const fn word(bytes: &Bytes, first: usize, end: usize) -> u64 {
    let (mut word, mut k) = (0, first);
    while k < end {
        word |= (bytes[k] as u64) << (8 * (k - first));
        k += 1;
    }
    word
}

/// Returns the bits that an immediate of bits `mask`, whose first byte is byte `at`, has in the word from byte `first` on.
const fn mask(mask: u32, at: usize, first: usize) -> u64 {
    let (mut word, mut k) = (0, 0);
    while k < 4 {
        if at + k >= first && at + k < first + WORD {
            word |= (mask as u64 >> (8 * k) & 0xff) << (8 * (at + k - first));
        }
        k += 1;
    }
    word
}

impl Words {
    /// Gives a hole of word `w` the row of its factors.
    const fn share(&mut self, w: usize, hole: usize, low: u64, high: u64) {
        let mut row = 0;
        // The first register with a low bit and the first with a high bit have the factors.
        while row < self.rows && (self.added[row * REGISTERS + 1] != low || self.added[row * REGISTERS + 8] != high) {
            row += 1;
        }
        assert!(row < ROWS, "too many factors");
        self.row[hole][w] = row as u8;
        if row == self.rows {
            self.rows += 1;
            let mut register = 0;
            while register < REGISTERS as u64 {
                self.added[row * REGISTERS + register as usize] = (register & 7) * low + (register >> 3) * high;
                register += 1;
            }
        }
    }
}

const AT: [u8; LIMIT] = PATTERNS.at;
const FIRST: [u16; LIMIT] = ALL.first;
const BASE: [u64; WORDS] = ALL.base;
const ROW_D: [u8; WORDS] = ALL.row[0];
const ROW_A: [u8; WORDS] = ALL.row[1];
const ROW_B: [u8; WORDS] = ALL.row[2];
const MASK: [u64; WORDS] = ALL.mask;
const ADDED: [u64; ADDENDS] = ALL.added;

/// The number of numbers that registers add.
const ADDENDS: usize = ALL.added.len();

/// Returns the number that a register adds to a word, given the row for its hole.
#[device]
fn added(row: u8, register: u8) -> u64 {
    ADDED[row as usize * REGISTERS + (register & 15) as usize]
}

/// Returns word `k` of a pattern that is filled in: eight bytes, with zeros after the pattern's end. There are no words after its last.
#[device]
pub fn pattern_word(c: Choice, k: u32) -> u64 {
    let p = index(c.pattern);
    let w = (FIRST[p] as usize + k as usize) & (WORDS - 1);
    let registers = added(ROW_D[w], c.d) + added(ROW_A[w], c.a) + added(ROW_B[w], c.b);
    let immediate = (c.immediate as u64).rotate_left(8 * AT[p] as u32) & MASK[w];
    BASE[w].wrapping_add(registers).wrapping_add(immediate)
}
