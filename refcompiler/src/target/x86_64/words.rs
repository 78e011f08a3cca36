//! [Patterns](super::patterns) as words of eight bytes, so that eight bytes of a row follow at once.
//!
//! ```text
//! Name, near    mov d, i(rsp)    40 8b 44 24 i
//! base          40 8b 44 24 00
//! added         8 times the lower three bits of d in byte 2, and 4 times its upper bit in byte 0
//! immediate     rotated by four bytes, and masked to byte 4
//! ```
//!
//! For each hole, a word has a row of a table with the numbers that each register adds. Equal rows are shared, and so are masks. Each
//! [variant](super::variants) of a pattern has words of its own. All that a word needs is in few tables, as most rows read another word.

use treepar::device::device;

use super::patterns::{HOLES, PATTERNS};
use super::variants::{ALL as VARIANTS, LONGEST, is_variant, variant, variant_of};
use crate::ir::instruction::Choice;

/// The number of bits of a row of [`Words::added`] and of an index of [`Words::mask`].
const ROW_BITS: u32 = 7;

/// The limit of the number of rows of [`Words::added`], and of masks.
const ROWS: usize = 1 << ROW_BITS;

/// The registers of a type.
const REGISTERS: usize = 16;

/// The limit of the number of words of all variants.
const WORDS: usize = 2048;

/// The bytes of a word.
pub const WORD: usize = size_of::<u64>();

/// The number of bits of the offset of a byte in a word.
const OFFSET_BITS: u32 = 3;

/// The variants as words of eight bytes.
struct Words {
    count: usize,
    rows: usize,
    masks: usize,
    /// The second word of each variant, less 1. The first has the number of its variant.
    rest: [u16; VARIANTS.of.len()],
    /// The bytes of each word without registers and immediate.
    base: [u64; WORDS],
    /// How each word is filled in. From the lowest bit on: the bytes by which the immediate is rotated, its row in `mask`, and the rows of
    /// d, a and b in `added`.
    holes: [u32; WORDS],
    /// The number that each register adds to the bytes, in rows of [`REGISTERS`].
    added: [u64; ROWS * REGISTERS],
    /// The bits that immediates have, rotated to their place.
    mask: [u64; ROWS],
}

/// All words.
const ALL: Words = {
    let mut words = Words {
        count: VARIANTS.count,
        rows: 0,
        masks: 0,
        rest: [0; VARIANTS.of.len()],
        base: [0; WORDS],
        holes: [0; WORDS],
        added: [0; ROWS * REGISTERS],
        mask: [0; ROWS],
    };
    let mut v = 0;
    while v < VARIANTS.count {
        words.add(v);
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
    /// Adds the words of variant `v`, if there is one with this number. One without bytes has a word of zeros.
    const fn add(&mut self, v: usize) {
        let (p, upper) = (VARIANTS.of[v].0 as usize, VARIANTS.of[v].1 as usize);
        if !is_variant(p, upper) {
            return;
        }
        let variant = variant(p, upper);
        self.rest[v] = self.count as u16 - 1;
        let (mut w, mut begin) = (v, 0);
        loop {
            let end = if variant.length < begin + WORD { variant.length } else { begin + WORD };
            self.base[w] = word(&variant.base, begin, end);
            let mask = self.mask_row(mask(PATTERNS.mask[p], variant.at, begin));
            let mut holes = mask << OFFSET_BITS | (variant.at % WORD) as u32;
            let mut hole = 0;
            while hole < HOLES {
                let low = word(&variant.low[hole], begin, end);
                holes |= self.row(low, word(&variant.high[hole], begin, end)) << bits_before(hole as u32);
                hole += 1;
            }
            self.holes[w] = holes;
            begin = end;
            if begin == variant.length {
                return;
            }
            w = self.count;
            assert!(w < WORDS, "too many words");
            self.count += 1;
        }
    }

    /// Returns the row of a mask.
    const fn mask_row(&mut self, mask: u64) -> u32 {
        let mut row = 0;
        while row < self.masks && self.mask[row] != mask {
            row += 1;
        }
        assert!(row < ROWS, "too many masks");
        if row == self.masks {
            self.masks += 1;
            self.mask[row] = mask;
        }
        row as u32
    }

    /// Returns the row of the factors of the lower three bits of a register and of its upper bit.
    const fn row(&mut self, low: u64, high: u64) -> u32 {
        let mut row = 0;
        // The first register with a low bit and the first with a high bit have the factors.
        while row < self.rows && (self.added[row * REGISTERS + 1] != low || self.added[row * REGISTERS + 8] != high) {
            row += 1;
        }
        assert!(row < ROWS, "too many factors");
        if row == self.rows {
            self.rows += 1;
            let mut register = 0;
            while register < REGISTERS as u64 {
                self.added[row * REGISTERS + register as usize] = (register & 7) * low + (register >> 3) * high;
                register += 1;
            }
        }
        row as u32
    }
}

/// Returns the number of bits of [`Words::holes`] before the row of a hole.
const fn bits_before(hole: u32) -> u32 {
    OFFSET_BITS + (1 + hole) * ROW_BITS
}

const BITS_BEFORE_D: u32 = bits_before(0);
const BITS_BEFORE_A: u32 = bits_before(1);
const BITS_BEFORE_B: u32 = bits_before(2);
const REST: [u16; VARIANTS.of.len()] = ALL.rest;
const BASE: [u64; WORDS] = ALL.base;
const HOLES_OF: [u32; WORDS] = ALL.holes;
const MASK: [u64; ROWS] = ALL.mask;
const ADDED: [u64; ADDENDS] = ALL.added;

/// The number of numbers that registers add.
const ADDENDS: usize = ALL.added.len();

/// Returns the number that a register adds to a word, given the row for its hole in the lowest bits of `row`.
#[device]
fn added(row: u32, register: u8) -> u64 {
    ADDED[(row as usize & (ROWS - 1)) * REGISTERS + (register & 15) as usize]
}

/// Returns word `k` of a pattern that is filled in: eight bytes, with zeros after the pattern's end. There are no words after its last.
#[device]
pub fn pattern_word(c: Choice, k: u32) -> u64 {
    let variant = variant_of(c);
    let w = if k == 0 { variant } else { (REST[variant] as usize + k as usize) & (WORDS - 1) };
    let holes = HOLES_OF[w];
    let d = added(holes >> BITS_BEFORE_D, c.d);
    let a = added(holes >> BITS_BEFORE_A, c.a);
    let b = added(holes >> BITS_BEFORE_B, c.b);
    let mask = MASK[(holes >> OFFSET_BITS) as usize & (ROWS - 1)];
    let immediate = (c.immediate as u64).rotate_left(8 * (holes & (WORD as u32 - 1))) & mask;
    BASE[w].wrapping_add(d + a + b).wrapping_add(immediate)
}
