//! The choice of a pattern for each row; see [`target::riscv::patterns`](crate::target::riscv::patterns).

use treepar::device::device;

use super::operands::before;
use super::rules::PATTERNS;
use crate::ir::instruction::{Choice, NO_PATTERN};
use crate::ir::kinds::{Kind, Role};
use crate::ir::registers::{NOWHERE, is_register};
use crate::ir::rows::{Located, RowId};
use crate::target::riscv::encode::{is_near, lower, upper};
use crate::target::riscv::patterns::{FAR, LIMIT, NEAR, ROUND, SIZE};

const OF: [u8; 4 * 256] = PATTERNS.of;
const WORDS: [u8; LIMIT] = PATTERNS.words;
const PART: [u32; LIMIT * SIZE] = PATTERNS.parts;
const HAS_D: [u8; LIMIT] = PATTERNS.has[0];
const HAS_A: [u8; LIMIT] = PATTERNS.has[1];
const HAS_B: [u8; LIMIT] = PATTERNS.has[2];
const IS_SPLIT: [u8; LIMIT] = PATTERNS.is_split;

/// Chooses the pattern of row `r` in a function with a frame of some size.
///
/// A row has one if its operands and value are in registers, its immediate has a form for its kind, its variable is in
/// this frame, and its value is not moved. The branch of a condition comes after its pattern. Nothing branches on kinds.
#[device]
pub fn choice(r: RowId, rows: &Located, frame_bytes: u32) -> Choice {
    let kind = rows.kind[r];
    let declares = kind == Kind::Declare;
    let data = rows.data[r];
    let own = if kind.is_variable() | declares { frame_bytes.wrapping_add(data) } else { 0 };
    let immediate = if kind == Kind::Literal { data } else { own };
    let form = if is_near(immediate) {
        NEAR
    } else if lower(immediate) != 0 {
        FAR
    } else {
        ROUND
    };
    let pattern = OF[(form as usize) << 8 | kind.with(rows.ty[r])];
    let p = (pattern & (LIMIT - 1) as u8) as usize;
    let d = rows.place[r];
    let a = rows.place[rows.operand[r]];
    let b = rows.place[before(r)];
    // An operation without an own value passes its operand on.
    let is_kept = HAS_D[p] == 0;
    let is_elsewhere = is_kept & (d != NOWHERE) & (d != a);
    let value = if is_kept & (d == NOWHERE) { 0 } else { d };
    let other_frame = rows.aux[r] != declares as u32;
    let fits = is_register(value | (a & HAS_A[p]) | (b & HAS_B[p]))
        & !is_elsewhere
        & !other_frame
        & (rows.role[r] != Role::Jump)
        & (r.get() != 0);
    let whole = upper(immediate) | immediate & 0xfff;
    let halves = (immediate & 31) << 7 | immediate >> 5 << 25;
    Choice {
        pattern: if fits { pattern } else { NO_PATTERN },
        d: d & 31,
        a: a & 31,
        b: b & 31,
        immediate: if IS_SPLIT[p] != 0 { halves } else { whole },
    }
}

/// Returns the number of words of a pattern.
#[device]
pub fn pattern_words(pattern: u8) -> u32 {
    WORDS[(pattern & (LIMIT - 1) as u8) as usize] as u32
}

/// Returns word `k` of a pattern that is filled in.
#[device]
pub fn pattern_word(c: Choice, k: u32) -> u32 {
    let first = (((c.pattern as u32) << 5 | k << 3) & 2040) as usize;
    let registers = (c.d as u32)
        .wrapping_mul(PART[first + 1])
        .wrapping_add((c.a as u32).wrapping_mul(PART[first + 2]))
        .wrapping_add((c.b as u32).wrapping_mul(PART[first + 3]));
    let immediate = (c.immediate & 0xfff)
        .wrapping_mul(PART[first + 4])
        .wrapping_add((c.immediate & 0xffff_f000).wrapping_mul(PART[first + 5]));
    PART[first].wrapping_add(registers).wrapping_add(immediate)
}
