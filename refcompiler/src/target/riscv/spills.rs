//! Rows with spilled values: the loads and the store around a row's own pattern.
//!
//! ```text
//! row        add, whose operands and value are spilled near        the same, far
//! words      lw t0   lw t1   add t0, t0, t1   sw t0                lui add lw   lui add lw   add   lui add sw
//! ```
//!
//! An operation takes its operands from the evaluation stack and leaves its value there. So the left operand and the value
//! have one offset, and the right operand the next. One number has this offset and the parts of the row: `Chosen::spill`.

use treepar::device::device;

use super::choice::{HAS_A, HAS_B, HAS_D, choice_words, index, pattern_of, pattern_word, pattern_words};
use super::encode::{is_near, upper};
use super::patterns::{FIRST_PART, LOAD_LEFT, LOAD_RIGHT, STORE, part_pattern};
use super::registers::{FT0, FT1, T0, T1};
use super::rules::SPILLS;
use crate::ir::frame::{Frame, own_immediate, spilled_offset};
use crate::ir::held::held_register;
use crate::ir::instruction::{Choice, Chosen, IS_SPILLED, NO_PATTERN};
use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::registers::{NOWHERE, SPILLED, is_float, is_register};
use crate::ir::rows::{Located, RowId, before, stack_word};
use crate::target::Target;

/// The number of words of each load and store at an offset that fits 12 bits.
const NEAR_WORDS: u32 = SPILLS.words[part_pattern(STORE, 0, 0) as usize] as u32;
/// The number of words of each load and store at other offsets.
const FAR_WORDS: u32 = SPILLS.words[part_pattern(STORE, 1, 0) as usize] as u32;

/// In [`Chosen::spill`], after the bits of the parts that the row has: 1 if the offset does not fit 12 bits.
const IS_FAR: u32 = 8;
/// The first of the bits that are 1 if the register of a part is a float's.
const FLOATS: u32 = 4;
/// The bits below the offset in words.
const OFFSET: u32 = 7;

/// The offset in bytes that a choice has no bits for.
const OFFSET_LIMIT: u32 = 1 << (34 - OFFSET);

/// Chooses the pattern of row `r`, of which an operand or the value is spilled, in a function with frame `frame`.
///
/// Rows that need a move, or whose two offsets differ in their upper bits, have none.
#[device]
pub fn spilled_choice(r: RowId, rows: &Located, frame: Frame) -> Chosen {
    let kind = rows.kind[r];
    let ty = rows.ty[r];
    let to = rows.place[r];
    let left = rows.operand[r];
    let is_argument = kind == Kind::Arg;
    // An argument on the stack is stored as a variable is.
    let is_stacked = is_argument & (to == SPILLED);
    let immediate = if is_stacked {
        4 * stack_word(Target::Riscv32, r, rows)
    } else {
        own_immediate(kind, rows.data[r], frame.bytes)
    };
    let pattern = pattern_of(if is_stacked { Kind::Assign } else { kind }, ty, immediate);
    let p = index(pattern);
    let passes_on = (HAS_D[p] == 0) & (to != NOWHERE) & !is_stacked;
    let left_from = if kind.reads_held() { held_register(rows.data[r]) } else { rows.place[left] };
    let right_from = rows.place[before(r)];
    let loads_left = ((HAS_A[p] != 0) | passes_on) & (left_from == SPILLED);
    let loads_right = (HAS_B[p] != 0) & (right_from == SPILLED);
    let stores = (to == SPILLED) & !is_stacked;

    let is_float_operand = ty == Type::Float;
    let loaded = if is_argument & !is_stacked {
        to
    } else if is_float_operand & !kind.is_access() {
        FT0
    } else {
        T0
    };
    let a = if loads_left { loaded } else { left_from };
    let scratch = if is_float_operand { FT1 } else { T1 };
    let b = if loads_right { scratch } else { right_from };
    let computed = if kind.type_of_value(ty) == Type::Float { FT0 } else { T0 };
    let stored = if passes_on { a } else { computed };
    let d = if stores { stored } else { to };

    let base = if is_argument { left } else { r };
    let height = rows.ints[base] + rows.floats[base];
    let offset = spilled_offset(frame, height);
    // If the left operand stays in its variable, the right one is at the height of the value.
    let right = before(r);
    let is_next = rows.ints[right] + rows.floats[right] == height + 1;
    let next = offset.wrapping_add(4);
    let has_form = (is_near(offset) == is_near(next)) & (upper(offset) == upper(next)) & (offset < OFFSET_LIMIT);
    let passed = if passes_on { a } else { 0 };
    let fits = (pattern != NO_PATTERN)
        & has_form
        & is_register((d & HAS_D[p]) | (a & HAS_A[p]) | (b & HAS_B[p]) | passed)
        & !(passes_on & (d != a))
        & !(loads_right & !is_next)
        & (rows.aux[r] == kind.has_optional_operand() as u32)
        & (rows.role[r] != Role::Jump)
        & !rows.role[r].branches()
        & (r.get() != 0);
    let parts = (loads_left as u32) << LOAD_LEFT | (loads_right as u32) << LOAD_RIGHT | (stores as u32) << STORE;
    let floats = (is_float(a) as u32) << LOAD_LEFT | (is_float(b) as u32) << LOAD_RIGHT | (is_float(d) as u32) << STORE;
    let far = if is_near(offset) { 0 } else { IS_FAR };
    let choice = Choice {
        pattern: if fits { pattern | IS_SPILLED } else { NO_PATTERN },
        d: d & 31,
        a: a & 31,
        b: b & 31,
        immediate: upper(immediate) | immediate & 0xfff,
    };
    let spill = if fits { offset << (OFFSET - 2) | floats << FLOATS | far | parts } else { 0 };
    Chosen { choice, spill, length: choice_words(choice, spill), jump: rows.role[r].branches() as u32 }
}

/// Returns the number of words of each load and store of a row.
#[device]
fn access_words(spill: u32) -> u32 {
    if (spill & IS_FAR) != 0 { FAR_WORDS } else { NEAR_WORDS }
}

/// Returns the number of words of the loads and the store of a row.
#[device]
pub fn spill_words(spill: u32) -> u32 {
    access_words(spill) * ((spill >> LOAD_LEFT & 1) + (spill >> LOAD_RIGHT & 1) + (spill >> STORE & 1))
}

/// Returns word `k` of a row with spilled values. Nothing branches.
#[device]
pub fn spilled_word(c: Choice, spill: u32, k: u32) -> u32 {
    let words = access_words(spill);
    let left = (spill >> LOAD_LEFT & 1) * words;
    let loads = left + (spill >> LOAD_RIGHT & 1) * words;
    let own = loads + pattern_words(c.pattern);
    let is_own = (k >= loads) & (k < own);
    let part = if k < left {
        LOAD_LEFT
    } else if k < loads {
        LOAD_RIGHT
    } else {
        STORE
    };
    let after = if is_own { loads } else { own };
    let first = if k < left {
        0
    } else if k < loads {
        left
    } else {
        after
    };
    let is_far = ((spill & IS_FAR) != 0) as u32;
    let access = part_pattern(part, is_far, spill >> (FLOATS + part) & 1) + FIRST_PART as u8;
    let offset = spill >> OFFSET << 2;
    let of_part = Choice {
        pattern: if is_own { c.pattern } else { access },
        d: c.d,
        a: c.a,
        b: c.b,
        immediate: if is_own { c.immediate } else { upper(offset) | offset & 0xfff },
    };
    pattern_word(of_part, k - first)
}
