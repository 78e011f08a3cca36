//! The choice of a [pattern](super::patterns) for each row.

use treepar::device::device;

use super::facts::{
    CALL, CAST, COMMUTES, COMPARED, ENDS, FLAGGED, HELD, IN_FRAME, IS_RAX, IS_SPILLED, LITERAL, NEVER, NO_REGISTER,
    OF_DATA, OF_SLOT, ORDERED, SUM, fact, facts, features, have_one_type, jump_bytes, of_left, of_right, of_value,
};
use super::jumps::shortest;
use super::patterns::{DROPPED, FAR, FLAGGED as FLAGGED_FORM, FORMS, LIMIT, OF_ROW, PATTERNS, SAME, row};
use super::registers::{R12, RAX, XMM0};
use super::rules::{contains_sum, is_contained};
use super::sequences::is_long;
use super::variants::{immediate_at, length_of, pattern_bytes, variant_of, with_variant};
use crate::ir::frame::Frame;
use crate::ir::held::{held_register, held_slot};
use crate::ir::instruction::{Choice, Chosen, Jump, NO_PATTERN, NOTHING, immediate, nothing};
use crate::ir::kinds::{Kind, PAIRS};
use crate::ir::registers::{NOWHERE, STACK};
use crate::ir::rows::{Located, RowId, before};

const OF: [u8; FORMS * PAIRS] = PATTERNS.of;
/// What the facts about a row and the features of its locations must not have, for each pattern.
const FORBIDDEN: [u32; LIMIT] = {
    let mut forbidden = [0; LIMIT];
    let mut p = 0;
    while p < LIMIT {
        let is_linked = PATTERNS.link[p] != NOTHING;
        forbidden[p] = fact(PATTERNS.has[0][p] != 0, of_value(NO_REGISTER))
            | fact(PATTERNS.has[1][p] != 0, of_left(NO_REGISTER))
            | fact(PATTERNS.has[2][p] != 0, of_right(NO_REGISTER))
            | of_value(IS_SPILLED)
            | fact(is_linked, of_value(IS_RAX) | ENDS);
        p += 1;
    }
    forbidden
};
const LINK: [u8; LIMIT] = PATTERNS.link;
const CALLEE: [u32; LIMIT] = PATTERNS.callee;

/// Returns the index of a pattern in tables.
#[device]
pub fn index(pattern: u8) -> usize {
    (pattern & (LIMIT - 1) as u8) as usize
}

/// Returns whether a pattern has a call or a branch to an [exit](super::exits).
#[device]
pub fn is_linked_pattern(pattern: u8) -> bool {
    LINK[index(pattern)] != NOTHING
}

/// Returns a number whose bits are all set if a condition holds, else 0.
#[device]
fn all_if(holds: bool) -> u32 {
    (holds as u32).wrapping_neg()
}

/// Returns a number whose bits are all set if a fact holds, else 0.
#[device]
fn mask(facts: u32, fact: u32) -> u32 {
    ((facts / fact) & 1).wrapping_neg()
}

/// Returns the first location if all bits of a mask are set, and the second if none is.
#[device]
fn chosen(mask: u32, first: u8, second: u8) -> u8 {
    second ^ (first ^ second) & mask as u8
}

/// Chooses the pattern of row `r` in a function with frame `frame`.
///
/// A row has one if its operands and value are in registers, and its variable is in this frame. The branch of a condition comes after
/// its pattern, and so does a jump; then there is no call or exit in it. The value of a call may stay where it is. A quotient has no
/// pattern there.
#[device]
pub fn choice(r: RowId, rows: &Located, frame: Frame) -> Chosen {
    let is_left_out = is_contained(r, rows);
    let own = if is_left_out { Kind::Empty } else { rows.kind[r] };
    let has_sum = own == Kind::Load && contains_sum(r, rows);
    // A parameter is assigned the register of its argument, if it has one.
    let is_param = own == Kind::Param;
    let kind = if is_param { Kind::Assign } else { own };
    let argument = rows.aux[r].min(STACK) as u8;
    let aux = if has_sum { 1 } else { rows.aux[r] & !all_if(is_param) };
    let role = rows.role[r];
    let data = rows.data[r];
    let facts = facts(kind, rows.ty[r], aux, role);
    // Branches would be unpredictable, so alternatives are masked.
    let in_frame = frame.bytes.wrapping_add(data) & mask(facts, IN_FRAME);
    let immediate = data & mask(facts, OF_DATA) | in_frame | held_slot(data) & mask(facts, OF_SLOT);
    let place = rows.place[r];
    let is_result = all_if((place == RAX) | (place == XMM0));
    // A comparison whose value only its branch uses has none in a register. A result may stay where it is.
    let is_nowhere = mask(facts, COMPARED) | mask(facts, CALL) & is_result;
    let d = if is_left_out { NOWHERE } else { place | is_nowhere as u8 };
    let of_operands = if has_sum { before(r) } else { r };
    let left = chosen(mask(facts, HELD), held_register(data), rows.place[rows.operand[of_operands]]);
    let left = chosen(all_if(is_param), argument, left);
    let right = chosen(mask(facts, LITERAL), left, rows.place[before(of_operands)]);
    let is_over_right = (d == right) & (d != left);
    let is_exchanged = all_if(is_over_right) & mask(facts, COMMUTES);
    let a = chosen(is_exchanged, right, left);
    let b = chosen(is_exchanged, left, right);
    let form = is_long(immediate) as u32 * FAR
        + (d == a) as u32 * SAME
        + (d == NOWHERE) as u32 * DROPPED
        + (mask(facts, FLAGGED) & FLAGGED_FORM);
    let pattern = OF[row(form, kind.with(rows.ty[r]))];
    let features = features(d, a, b);
    let forbidden = FORBIDDEN[index(pattern)];
    let wrong = features & (forbidden | facts) | facts & (NEVER | forbidden & ENDS);
    let fits = (wrong == 0)
        & !(((facts & CAST) != 0) & have_one_type(features))
        & !(((facts & SUM) != 0) & (a == R12) & (d != a))
        & !(((facts & ORDERED) != 0) & is_over_right)
        & (r.get() != 0);
    let pattern = if fits { pattern } else { NO_PATTERN };
    let choice = with_variant(Choice { pattern, d: d & 15, a: a & 15, b: b & 15, immediate });
    Chosen { choice, spill: 0, length: pattern_bytes(choice), jump: jump_bytes(facts, d) }
}

/// Describes the jump of row `r`, whose pattern has a call or a branch to an exit. `data` is of the row.
#[device]
pub fn linked_jump(r: RowId, c: Choice, data: u32) -> Jump {
    let p = index(c.pattern);
    let variant = variant_of(c);
    let op = LINK[p];
    let callee = CALLEE[p];
    let first = immediate(op, 0, 0, if callee == OF_ROW { data } else { callee });
    let own = shortest(op);
    // The distance comes last.
    let before = immediate_at(variant) + 4 - own;
    Jump { row: r.get(), before, rest: length_of(variant) - own, first, branch: nothing() }
}
