//! [Patterns](super::patterns) as words of eight bytes, so that eight bytes of a row follow at once.
//!
//! ```text
//! Name, near    mov d, i(rsp)    40 8b 44 24 i
//! base          40 8b 44 24 00
//! added         8 times the lower three bits of d in byte 2, and 4 times its upper bit in byte 0
//! immediate     rotated by four bytes, and masked to byte 4
//! ```
//!
//! For each hole, a word has a row of a table with the numbers that each register adds. Equal rows are shared. Each
//! [variant](super::variants) of a pattern has words of its own.

use treepar::device::device;

use super::patterns::{HOLES, PATTERNS};
use super::variants::{ALL as VARIANTS, LONGEST, immediate_at, is_variant, variant, variant_of};
use crate::ir::instruction::Choice;

/// The limit of the number of rows of [`Words::added`].
const ROWS: usize = 128;

/// The registers of a type.
const REGISTERS: usize = 16;

/// The limit of the number of words of all variants.
const WORDS: usize = 2048;

/// The bytes of a word.
pub const WORD: usize = size_of::<u64>();

/// The variants as words of eight bytes.
struct Words {
    count: usize,
    rows: usize,
    /// The first word of each variant.
    first: [u16; VARIANTS.of.len()],
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
        count: 0,
        rows: 0,
        first: [0; VARIANTS.of.len()],
        base: [0; WORDS],
        row: [[0; WORDS]; HOLES],
        added: [0; ROWS * REGISTERS],
        mask: [0; WORDS],
    };
    let mut v = 0;
    while v < VARIANTS.count {
        words.first[v] = words.count as u16;
        let (p, upper) = VARIANTS.of[v];
        if is_variant(p as usize, upper as usize) {
            words.add(p as usize, upper as usize);
        }
        v += 1;
    }
    words
};

/// Returns bytes of a variant as a word.
const fn word(bytes: &[u8; LONGEST], first: usize, end: usize) -> u64 {
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
    /// Adds the words of a variant of pattern `p`. One without bytes has a word of zeros.
    const fn add(&mut self, p: usize, upper: usize) {
        let variant = variant(p, upper);
        let mut begin = 0;
        loop {
            let w = self.count;
            assert!(w < WORDS, "too many words");
            let end = if variant.length < begin + WORD { variant.length } else { begin + WORD };
            self.base[w] = word(&variant.base, begin, end);
            self.mask[w] = mask(PATTERNS.mask[p], variant.at, begin);
            let mut hole = 0;
            while hole < HOLES {
                let low = word(&variant.low[hole], begin, end);
                self.share(w, hole, low, word(&variant.high[hole], begin, end));
                hole += 1;
            }
            self.count += 1;
            begin = end;
            if begin == variant.length {
                return;
            }
        }
    }

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

const FIRST: [u16; VARIANTS.of.len()] = ALL.first;
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
    let variant = variant_of(c);
    let w = (FIRST[variant] as usize + k as usize) & (WORDS - 1);
    let registers = added(ROW_D[w], c.d) + added(ROW_A[w], c.a) + added(ROW_B[w], c.b);
    let immediate = (c.immediate as u64).rotate_left(8 * immediate_at(variant)) & MASK[w];
    BASE[w].wrapping_add(registers).wrapping_add(immediate)
}
