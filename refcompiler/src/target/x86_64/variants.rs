//! Variants of [patterns](super::patterns): the REX prefixes that their registers need.
//!
//! ```text
//! Add, d != a     mov d, a; add d, b       REX 89 modrm REX 01 modrm
//! d, a, b low                              89 modrm 01 modrm
//! a upper         mov ebx, r11d            REX 89 modrm 01 modrm
//! d upper                                  REX 89 modrm REX 01 modrm
//! ```
//!
//! A pattern has a variant for each set of its registers that need the prefix. These are the upper eight, and of the registers whose lower
//! 8 bits are used also `rsp` to `rdi`.

use treepar::device::device;

use super::choice::index;
use super::patterns::{HOLES, LIMIT, PATTERNS, Part};
use crate::ir::instruction::Choice;

/// The limit of the number of variants of all patterns.
const VARIANTS: usize = 2048;

/// The limit of the number of bytes of a pattern.
pub(super) const LONGEST: usize = 64;

/// The bytes of a variant.
pub(super) struct Variant {
    pub length: usize,
    /// The offset of the immediate.
    pub at: usize,
    /// The bytes without registers and immediates.
    pub base: [u8; LONGEST],
    /// The factors of the lower three bits of d, a and b.
    pub low: [[u8; LONGEST]; HOLES],
    /// The factors of the upper bit of d, a and b.
    pub high: [[u8; LONGEST]; HOLES],
}

/// Returns whether a variant has byte `k` of all patterns. Bit `h` of `upper` is set if register `h` needs REX.
const fn is_kept(k: usize, upper: usize) -> bool {
    let mut is_needed = PATTERNS.base[k] != super::isa::REX;
    let mut hole = 0;
    while hole < HOLES {
        is_needed |= PATTERNS.high[hole][k] != 0 && upper >> hole & 1 != 0;
        hole += 1;
    }
    is_needed || !matches!(PATTERNS.part[k], Part::Rex)
}

/// Returns the number of bytes of a variant among some bytes of all patterns.
const fn count(first: usize, end: usize, upper: usize) -> usize {
    let (mut count, mut k) = (0, first);
    while k < end {
        count += is_kept(k, upper) as usize;
        k += 1;
    }
    count
}

/// Returns whether some bits, up to those of the registers that pattern `p` has, are of registers that it has.
pub(super) const fn is_variant(p: usize, upper: usize) -> bool {
    upper & !holes(p) == 0
}

/// Returns the bits of the registers that pattern `p` has.
const fn holes(p: usize) -> usize {
    let (mut holes, mut hole) = (0, 0);
    while hole < HOLES {
        holes |= ((PATTERNS.has[hole][p] != 0) as usize) << hole;
        hole += 1;
    }
    holes
}

/// Returns the variant of pattern `p` in which the registers of some bits need REX.
pub(super) const fn variant(p: usize, upper: usize) -> Variant {
    let mut variant =
        Variant { length: 0, at: 0, base: [0; LONGEST], low: [[0; LONGEST]; HOLES], high: [[0; LONGEST]; HOLES] };
    let first = PATTERNS.first[p] as usize;
    let end = first + PATTERNS.length[p] as usize;
    let mut k = first;
    while k < end {
        if k == first + PATTERNS.at[p] as usize {
            variant.at = variant.length;
        }
        if is_kept(k, upper) {
            let to = variant.length;
            variant.base[to] = match PATTERNS.part[k] {
                Part::Distance => {
                    // A rule counts the bytes for registers that need REX.
                    let (distance, mut target) = (PATTERNS.base[k] as usize, k + 1);
                    while count(k + 1, target, holes(p)) < distance {
                        target += 1;
                    }
                    count(k + 1, target, upper) as u8
                }
                _ => PATTERNS.base[k],
            };
            let mut hole = 0;
            while hole < HOLES {
                variant.low[hole][to] = PATTERNS.low[hole][k];
                variant.high[hole][to] = PATTERNS.high[hole][k];
                hole += 1;
            }
            variant.length += 1;
        }
        k += 1;
    }
    variant
}

/// The variants of all patterns.
pub(super) struct Variants {
    /// The number of variants, and of numbers that no variant has.
    pub count: usize,
    /// The first variant of each pattern.
    first: [u16; LIMIT],
    /// The pattern of each variant, and the bits of the registers that need REX.
    pub of: [(u8, u8); VARIANTS],
    length: [u8; VARIANTS],
    at: [u8; VARIANTS],
}

pub(super) const ALL: Variants = {
    let mut all =
        Variants { count: 0, first: [0; LIMIT], of: [(0, 0); VARIANTS], length: [0; VARIANTS], at: [0; VARIANTS] };
    let mut p = 0;
    while p <= PATTERNS.count {
        all.first[p] = all.count as u16;
        let mut upper = 0;
        while upper <= holes(p) {
            assert!(all.count < VARIANTS, "too many variants");
            if is_variant(p, upper) {
                let variant = variant(p, upper);
                all.length[all.count] = variant.length as u8;
                all.at[all.count] = variant.at as u8;
            }
            all.of[all.count] = (p as u8, upper as u8);
            all.count += 1;
            upper += 1;
        }
        p += 1;
    }
    all
};

/// The bits of d, a and b that make a REX prefix necessary, for each pattern, in one byte each.
const NEEDS: [u32; LIMIT] = {
    let (mut needs, mut p) = ([0; LIMIT], 0);
    while p < LIMIT {
        let [d, a, b] = [PATTERNS.has[0][p], PATTERNS.has[1][p], PATTERNS.has[2][p]];
        needs[p] = d as u32 | (a as u32) << 8 | (b as u32) << 16;
        p += 1;
    }
    needs
};
const FIRST: [u16; LIMIT] = ALL.first;
const LENGTH: [u8; VARIANTS] = ALL.length;
const AT: [u8; VARIANTS] = ALL.at;

/// The number of bits of a register in a choice. Those of the right operand's register come before the bits of the variant.
const REGISTER_BITS: u32 = 4;

/// Returns a choice with its variant: bit 0 is set if d needs REX, bit 1 if a does, and bit 2 if b does.
#[device]
pub fn with_variant(c: Choice) -> Choice {
    let registers = c.d as u32 | (c.a as u32) << 8 | (c.b as u32) << 16;
    // The two bits that may be set add up to bit 4 if one of them is.
    let upper = (registers & NEEDS[index(c.pattern)]) + 0x0c_0c_0c;
    let variant = (upper >> 4 & 1) | (upper >> 11 & 2) | (upper >> 18 & 4);
    Choice { pattern: c.pattern, d: c.d, a: c.a, b: c.b | (variant << REGISTER_BITS) as u8, immediate: c.immediate }
}

/// Returns the variant that a choice has.
#[device]
pub fn variant_of(c: Choice) -> usize {
    (FIRST[index(c.pattern)] as usize + (c.b as usize >> REGISTER_BITS)) & (VARIANTS - 1)
}

/// Returns the number of bytes of a variant.
#[device]
pub fn length_of(variant: usize) -> u32 {
    LENGTH[variant & (VARIANTS - 1)] as u32
}

/// Returns the offset of the immediate of a variant.
#[device]
pub fn immediate_at(variant: usize) -> u32 {
    AT[variant & (VARIANTS - 1)] as u32
}

/// Returns the number of bytes of the pattern of a choice.
#[device]
pub fn pattern_bytes(c: Choice) -> u32 {
    length_of(variant_of(c))
}
