//! The choice of a [pattern](super::patterns) for each row.

use treepar::device::device;

use super::encode::{is_near, lower, upper};
use super::patterns::{FAR, FIRST_PART, FORMS, LIMIT, LITERAL, NEAR, PARTS, ROUND, SIZE, row};
use super::rules::{PATTERNS, SPILLS};
use super::spills::{spill_words, spilled_choice};
use crate::ir::frame::{Frame, own_immediate};
use crate::ir::held::held_register;
use crate::ir::instruction::{Choice, Chosen, IS_SPILLED, NO_PATTERN};
use crate::ir::kinds::{Kind, PAIRS, Role, Type};
use crate::ir::registers::{NOWHERE, SPILLED, is_register};
use crate::ir::rows::{Located, RowId, before};

/// The bits of an index of a word's first number.
const FIRSTS: usize = LIMIT * SIZE - PARTS;
const OF: [u8; FORMS * PAIRS] = PATTERNS.of;
const WORDS: [u8; LIMIT] = PATTERNS.words;
const PART: [u32; LIMIT * SIZE] = {
    let mut parts = PATTERNS.parts;
    let mut k = FIRST_PART * SIZE;
    while k < parts.len() {
        parts[k] = SPILLS.parts[k - FIRST_PART * SIZE];
        k += 1;
    }
    parts
};
/// 255 if a word of a pattern has the register of the value, else 0.
pub const HAS_D: [u8; LIMIT] = PATTERNS.has[0];
/// The same for the left operand.
pub const HAS_A: [u8; LIMIT] = PATTERNS.has[1];
/// The same for the right operand.
pub const HAS_B: [u8; LIMIT] = PATTERNS.has[2];

/// Returns the index of a pattern in tables.
#[device]
pub fn index(pattern: u8) -> usize {
    (pattern & (LIMIT - 1) as u8) as usize
}

/// Returns the pattern of a kind with a type, if its immediate has a form for it.
#[device]
pub fn pattern_of(kind: Kind, ty: Type, immediate: u32) -> u8 {
    OF[row(form_of(immediate), kind.with(ty))]
}

/// Returns the form of an immediate.
#[device]
fn form_of(immediate: u32) -> u8 {
    if is_near(immediate) {
        NEAR
    } else if lower(immediate) != 0 {
        FAR
    } else {
        ROUND
    }
}

/// Chooses the pattern of row `r` in a function with frame `frame`.
///
/// A row has one if its operands and value are in registers, its immediate has a form for its kind, its variable is in
/// this frame, and its value is not moved. The branch of a condition comes after its pattern. Nothing branches on kinds.
/// Rows with spilled values may have one too.
#[device]
pub fn choice(r: RowId, rows: &Located, frame: Frame) -> Chosen {
    let kind = rows.kind[r];
    let d = rows.place[r];
    let operand = rows.place[rows.operand[r]];
    let a = if kind.reads_held() { held_register(rows.data[r]) } else { operand };
    // The form of a row that passes on a value to or from a variable shows whether it moves it.
    let moves = ((kind == Kind::HeldName) | (kind == Kind::HeldAssign)) & (d != a);
    let aux = rows.aux[r];
    let has_literal = kind.has_literal(rows.ty[r], aux);
    let own = own_immediate(kind, rows.data[r], frame.bytes);
    let immediate = if has_literal { rows.data[r] } else { own };
    let form = if moves { ROUND } else { form_of(immediate) };
    let pattern = OF[row(if has_literal { LITERAL } else { form }, kind.with(rows.ty[r]))];
    let p = index(pattern);
    let b = rows.place[before(r)];
    // An operation without a value of its own passes on its operand.
    let is_kept = HAS_D[p] == 0;
    let is_elsewhere = is_kept & (d != NOWHERE) & (d != a);
    let value = if is_kept & (d == NOWHERE) { 0 } else { d };
    let other_frame = (aux != kind.has_optional_operand() as u32) & !has_literal;
    let fits = is_register(value | (a & HAS_A[p]) | (b & HAS_B[p]))
        & !is_elsewhere
        & !other_frame
        & (rows.role[r] != Role::Jump)
        & (r.get() != 0);
    if !fits & ((d == SPILLED) | (a == SPILLED) | (b == SPILLED)) {
        return spilled_choice(r, rows, frame);
    }
    let pattern = if fits { pattern } else { NO_PATTERN };
    Chosen {
        choice: Choice { pattern, d: d & 31, a: a & 31, b: b & 31, immediate: upper(immediate) | immediate & 0xfff },
        spill: 0,
        length: pattern_words(pattern),
        jump: rows.role[r].branches() as u32,
    }
}

/// Returns the number of words of a pattern.
#[device]
pub fn pattern_words(pattern: u8) -> u32 {
    WORDS[index(pattern)] as u32
}

/// Returns the number of words of a choice. `spill` is [`Chosen::spill`], for rows with spilled values.
#[device]
pub fn choice_words(c: Choice, spill: u32) -> u32 {
    let own = pattern_words(c.pattern);
    if (c.pattern & IS_SPILLED) != 0 { own + spill_words(spill) } else { own }
}

/// Returns word `k` of a pattern that is filled in. Patterns from [`FIRST_PART`] on are parts of rows with spilled values.
#[device]
pub fn pattern_word(c: Choice, k: u32) -> u32 {
    let first = ((c.pattern as usize) * SIZE + (k as usize) * PARTS) & FIRSTS;
    let registers = (c.d as u32)
        .wrapping_mul(PART[first + 1])
        .wrapping_add((c.a as u32).wrapping_mul(PART[first + 2]))
        .wrapping_add((c.b as u32).wrapping_mul(PART[first + 3]));
    let immediate = (c.immediate & 0x1f)
        .wrapping_mul(PART[first + 4])
        .wrapping_add((c.immediate & 0xfe0).wrapping_mul(PART[first + 5]))
        .wrapping_add((c.immediate & 0xffff_f000).wrapping_mul(PART[first + 6]));
    PART[first].wrapping_add(registers).wrapping_add(immediate)
}
