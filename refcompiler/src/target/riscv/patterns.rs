//! Patterns of words: constants to which the numbers of registers and an immediate are added.
//!
//! ```text
//! pattern `eq`     base          d                  a          b
//! xor d, a, b      0x00004033    1 << 7             1 << 15    1 << 20
//! sltiu d, d, 1    0x00103013    1 << 7 | 1 << 15   0          0
//! ```
//!
//! A word is its base plus each register's number times its factor. A pattern is encoded at compile time with a register
//! of 1 in turn, which yields the factors.
//!
//! The immediate of a row has a form: NEAR fits 12 bits, FAR needs `lui` and 12 more bits, ROUND needs only `lui`. The row of an
//! operation on a literal has the form LITERAL. The immediate is
//! kept in 32 bits. A word adds its upper 20, middle 7 and lower 5 bits, each times a factor, since a store has the lower
//! bits elsewhere than other instructions.

use treepar::device::device;

use crate::ir::instruction::NO_PATTERN;
use crate::ir::kinds::{Kind, PAIRS, Type};

/// The number of forms.
pub const FORMS: usize = 4;

/// Returns the index of a form and a [pair](PAIRS) in the table of patterns.
#[device]
pub const fn row(form: u8, pair: usize) -> usize {
    form as usize * PAIRS + pair
}

/// The number of the first float register.
pub const FLOAT: u8 = 32;

/// The form of an immediate that fits 12 bits.
pub const NEAR: u8 = 0;
/// The form of an immediate that needs `lui` and 12 more bits.
pub const FAR: u8 = 1;
/// The form of an immediate that needs only `lui`.
pub const ROUND: u8 = 2;
/// The form of a row that contains a literal.
pub const LITERAL: u8 = 3;

/// The values of d, a, b, i and u for which a line is encoded: none, each in turn, and all at once.
pub const PROBES: [(u8, u8, u8, u32, u32); 8] = [
    (0, 0, 0, 0, 0),
    (1, 0, 0, 0, 0),
    (0, 1, 0, 0, 0),
    (0, 0, 1, 0, 0),
    (0, 0, 0, 1, 0),
    (0, 0, 0, 32, 0),
    (0, 0, 0, 0, 1 << 12),
    (31, 30, 29, 1983, 77 << 12),
];

/// The limit of the number of patterns.
pub const LIMIT: usize = 128;

/// The index, in the table of all words, of the first pattern of a part of a row with spilled values.
pub const FIRST_PART: usize = LIMIT - 16;

/// The numbers of a word: its base, and factors of d, a, b, of the immediate's lower, middle and upper bits.
pub const PARTS: usize = 8;

/// The numbers of a pattern, which has at most four words.
pub const SIZE: usize = 4 * PARTS;

/// The load of a spilled left operand, a part of a row.
pub const LOAD_LEFT: u32 = 0;
/// The load of a spilled right operand, which is one word after the left.
pub const LOAD_RIGHT: u32 = 1;
/// The store of a spilled value.
pub const STORE: u32 = 2;

/// Returns the pattern of a part of a row with spilled values: its index in a table of such parts.
#[device]
pub const fn part_pattern(part: u32, is_far: u32, is_float: u32) -> u8 {
    (part << 2 | is_far << 1 | is_float) as u8 + 1
}

/// All patterns. Pattern 0 is [`NO_PATTERN`].
pub struct Patterns {
    count: usize,
    /// The pattern by form and by kind with type.
    pub of: [u8; FORMS * PAIRS],
    /// The number of words.
    pub words: [u8; LIMIT],
    /// The numbers of all words.
    pub parts: [u32; LIMIT * SIZE],
    /// For d, a and b: 255 if a word has this register.
    pub has: [[u8; LIMIT]; 3],
}

impl Patterns {
    /// Returns no patterns.
    #[allow(clippy::new_without_default, reason = "constants are made by const functions")]
    pub const fn new() -> Patterns {
        Patterns {
            count: 0,
            of: [NO_PATTERN; FORMS * PAIRS],
            words: [0; LIMIT],
            parts: [0; LIMIT * SIZE],
            has: [[0; LIMIT]; 3],
        }
    }

    /// Begins the pattern of some kinds in some forms: with floats, or with ints and without a type.
    pub const fn begin(mut self, kinds: &[Kind], forms: &[u8], is_float: bool) -> Patterns {
        self.count += 1;
        assert!(self.count < FIRST_PART && self.count != NO_PATTERN as usize, "too many patterns");
        let mut k = 0;
        while k < kinds.len() * forms.len() {
            let (form, kind) = (forms[k / kinds.len()], kinds[k % kinds.len()]);
            if is_float {
                self.of[row(form, kind.with(Type::Float))] = self.count as u8;
            } else {
                self.of[row(form, kind.with(Type::Int))] = self.count as u8;
                self.of[row(form, kind.with(Type::Void))] = self.count as u8;
            }
            k += 1;
        }
        self
    }

    /// Begins the pattern of a part of a row with spilled values, which must be the next pattern.
    pub const fn begin_part(self, pattern: u8) -> Patterns {
        assert!(pattern as usize == self.count + 1, "parts in another order");
        self.begin(&[], &[], false)
    }

    /// Adds a word to the last pattern, given the word for each of [`PROBES`].
    pub const fn word(mut self, probes: [u32; PROBES.len()]) -> Patterns {
        let [base, d, a, b, low, high, up, all] = probes;
        let p = self.count;
        let first = p * SIZE + self.words[p] as usize * PARTS;
        let registers = [d - base, a - base, b - base];
        let mut k = 0;
        while k < registers.len() {
            self.parts[first + 1 + k] = registers[k];
            if registers[k] != 0 {
                self.has[k][p] = 255;
            }
            k += 1;
        }
        let factors = [low - base, (high - base) >> 5, (up - base) >> 12];
        self.parts[first] = base;
        k = 0;
        while k < factors.len() {
            self.parts[first + 4 + k] = factors[k];
            k += 1;
        }
        self.words[p] += 1;
        let (d, a, b, i, u) = PROBES[7];
        let linear = base + d as u32 * registers[0] + a as u32 * registers[1] + b as u32 * registers[2];
        let linear = linear + (i & 31) * factors[0] + (i & 0xfe0) * factors[1] + u * factors[2];
        assert!(all == linear, "a line is not linear");
        self
    }
}
