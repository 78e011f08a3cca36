//! The choice of a [pattern](super::patterns) for each row, and the bytes of a choice.

use treepar::device::device;

use super::facts::{
    BASE_IN_VALUE, CALL, CAST, COMMUTES, COMPARED, HAS_BASE, HELD, IN_FRAME, LITERAL, OF_DATA, OF_SLOT, ONE_OF_TWO,
    ORDERED, SUM, facts,
};
use super::jumps::shortest;
use super::patterns::{
    Bytes, DROPPED, FAR, FLAGGED, FORMS, LIMIT, OF_ROW, PATTERNS, REGISTERS, SAME, SHORT, SIZE, WINDOW, row,
};
use super::registers::{R12, RAX, XMM0};
use super::rules::{contains_sum, is_contained};
use super::sequences::is_long;
use crate::ir::frame::Frame;
use crate::ir::held::{held_register, held_slot};
use crate::ir::instruction::{Choice, Chosen, Jump, NO_PATTERN, NOTHING, immediate, nothing};
use crate::ir::kinds::{Kind, PAIRS, Role};
use crate::ir::registers::{NOWHERE, SPILLED, is_float, is_register};
use crate::ir::rows::{Located, RowId, before};

const OF: [u8; FORMS * PAIRS] = PATTERNS.of;
const FIRST: [u16; LIMIT] = PATTERNS.first;
const LENGTH: [u8; LIMIT] = PATTERNS.length;
const AT: [u8; LIMIT] = PATTERNS.at;
const MASK: [u32; LIMIT] = PATTERNS.mask;
const HAS_D: [u8; LIMIT] = PATTERNS.has[0];
const HAS_A: [u8; LIMIT] = PATTERNS.has[1];
const HAS_B: [u8; LIMIT] = PATTERNS.has[2];
const BASE: Bytes = PATTERNS.base;
const LOW_D: Bytes = PATTERNS.low[0];
const LOW_A: Bytes = PATTERNS.low[1];
const LOW_B: Bytes = PATTERNS.low[2];
const HIGH_D: Bytes = PATTERNS.high[0];
const HIGH_A: Bytes = PATTERNS.high[1];
const HIGH_B: Bytes = PATTERNS.high[2];
const LINK: [u8; LIMIT] = PATTERNS.link;
const CALLEE: [u32; LIMIT] = PATTERNS.callee;
const SHORT_BASE: [u64; LIMIT] = SHORT.base;
const ROW_D: [u8; LIMIT] = SHORT.row[0];
const ROW_A: [u8; LIMIT] = SHORT.row[1];
const ROW_B: [u8; LIMIT] = SHORT.row[2];
const ADDED: [u64; ADDENDS] = SHORT.added;
const SHIFT: [u8; LIMIT] = SHORT.shift;

/// The number of words that registers add.
const ADDENDS: usize = SHORT.added.len();

/// The number of bytes that a word has.
const SHORTEST: u8 = WINDOW as u8;

/// The bits of an index of a byte.
const INDEX: usize = SIZE - 1;

/// Returns the index of a pattern in tables.
#[device]
fn index(pattern: u8) -> usize {
    (pattern & (LIMIT - 1) as u8) as usize
}

/// Returns whether a pattern has a call or a branch to an [exit](super::exits).
#[device]
pub fn is_linked_pattern(pattern: u8) -> bool {
    LINK[index(pattern)] != NOTHING
}

/// Chooses the pattern of row `r` in a function with frame `frame`.
///
/// A row has one if its operands and value are in registers, and its variable is in this frame. The branch of a condition comes after
/// its pattern, and so does a jump; then there is no call or exit in it. The value of a call may stay where it is. A quotient has no
/// pattern there.
#[device]
pub fn choice(r: RowId, rows: &Located, frame: Frame) -> Chosen {
    let is_left_out = is_contained(r, rows);
    let kind = if is_left_out { Kind::Empty } else { rows.kind[r] };
    let role = rows.role[r];
    let ty = rows.ty[r];
    let facts = facts(kind, ty);
    let has_sum = kind == Kind::Load && contains_sum(r, rows);
    let aux = if has_sum { 1 } else { rows.aux[r] };
    let data = rows.data[r];
    let is_flagged = ((facts & ONE_OF_TWO) != 0) & (aux == 1);
    let has_literal = ((facts & LITERAL) != 0) & (aux == 1);
    let has_data = has_literal | ((facts & OF_DATA) != 0);
    let of_slot = if (facts & OF_SLOT) != 0 { held_slot(data) } else { 0 };
    let in_frame = if (facts & IN_FRAME) != 0 { frame.bytes.wrapping_add(data) } else { of_slot };
    let immediate = if has_data { data } else { in_frame };
    // A comparison whose value only its branch uses has none in a register.
    let is_compared = role.branches() & ((facts & COMPARED) != 0);
    let place = rows.place[r];
    let stays = ((facts & CALL) != 0) & ((place == RAX) | (place == XMM0));
    let d = if is_compared | is_left_out | stays { NOWHERE } else { place };
    let of_operands = if has_sum { before(r) } else { r };
    let left = if (facts & HELD) != 0 { held_register(data) } else { rows.place[rows.operand[of_operands]] };
    let right = if has_literal { left } else { rows.place[before(of_operands)] };
    let is_exchanged = ((facts & COMMUTES) != 0) & (d == right) & (d != left);
    let a = if is_exchanged { right } else { left };
    let b = if is_exchanged { left } else { right };
    let form = is_long(immediate) as u32 * FAR
        + (d == a) as u32 * SAME
        + (d == NOWHERE) as u32 * DROPPED
        + is_flagged as u32 * FLAGGED;
    let pattern = OF[row(form, kind.with(ty))];
    let p = index(pattern);
    let fits = is_register((d & HAS_D[p]) | (a & HAS_A[p]) | (b & HAS_B[p]))
        & (d != SPILLED)
        & (!role.branches() | is_compared | is_register(d))
        & (((facts & CAST) == 0) | (is_float(d) != is_float(a)))
        & (is_flagged | (aux == 0))
        & ((a != R12) | ((facts & HAS_BASE) == 0) | has_sum)
        & ((a != R12) | ((facts & SUM) == 0) | !is_flagged | (d == a))
        & ((d != R12) | ((facts & BASE_IN_VALUE) == 0))
        & !((d == b) & (d != a) & ((facts & ORDERED) != 0))
        & (!is_linked_pattern(pattern) | ((d != RAX) & !role.branches() & (role != Role::Jump)))
        & (r.get() != 0);
    Chosen {
        choice: Choice { pattern: if fits { pattern } else { NO_PATTERN }, d: d & 15, a: a & 15, b: b & 15, immediate },
        spill: 0,
    }
}

/// Returns the number of bytes of a pattern.
#[device]
pub fn pattern_bytes(pattern: u8) -> u32 {
    LENGTH[index(pattern)] as u32
}

/// Describes the jump of row `r`, whose pattern has a call or a branch to an exit. `data` is of the row.
#[device]
pub fn linked_jump(r: RowId, pattern: u8, data: u32) -> Jump {
    let p = index(pattern);
    let op = LINK[p];
    let callee = CALLEE[p];
    let first = immediate(op, 0, 0, if callee == OF_ROW { data } else { callee });
    let own = shortest(op);
    // The distance comes last.
    Jump { row: r.get(), before: AT[p] as u32 + 4 - own, rest: pattern_bytes(pattern) - own, first, branch: nothing() }
}

/// Declares functions that return eight bytes of a table from a byte on.
macro_rules! windows {
    ($($name:ident $table:ident;)*) => {
        $(
            #[device]
            fn $name(i: usize) -> u64 {
                $table[i] as u64
                    | ($table[i + 1] as u64) << 8
                    | ($table[i + 2] as u64) << 16
                    | ($table[i + 3] as u64) << 24
                    | ($table[i + 4] as u64) << 32
                    | ($table[i + 5] as u64) << 40
                    | ($table[i + 6] as u64) << 48
                    | ($table[i + 7] as u64) << 56
            }
        )*
    };
}

windows! { base BASE; low_d LOW_D; low_a LOW_A; low_b LOW_B; high_d HIGH_D; high_a HIGH_A; high_b HIGH_B; }

/// Returns whether a pattern has at most eight bytes, so that [`word()`] has all of them.
#[device]
pub fn is_short(pattern: u8) -> bool {
    LENGTH[index(pattern)] <= SHORTEST
}

/// Returns the number that a register adds to a word, given the row for its hole.
#[device]
fn added(row: u8, register: u8) -> u64 {
    ADDED[(row as usize * REGISTERS + (register & 15) as usize) & (ADDENDS - 1)]
}

/// Returns the bytes of a pattern of at most eight bytes that is filled in, and zeros after them.
#[device]
pub fn word(c: Choice) -> u64 {
    let p = index(c.pattern);
    let registers = added(ROW_D[p], c.d) + added(ROW_A[p], c.a) + added(ROW_B[p], c.b);
    let immediate = ((c.immediate & MASK[p]) as u64) << SHIFT[p];
    SHORT_BASE[p].wrapping_add(registers).wrapping_add(immediate)
}

/// Returns eight bytes of a pattern that is filled in, from byte `k` on. Those after its end are not of the pattern.
#[device]
pub fn pattern_window(c: Choice, k: u32) -> u64 {
    let p = index(c.pattern);
    let i = (FIRST[p] as usize + k as usize) & INDEX;
    let d = c.d as u64;
    let a = c.a as u64;
    let b = c.b as u64;
    // No sum of products exceeds a byte.
    let low = (d & 7) * low_d(i) + (a & 7) * low_a(i) + (b & 7) * low_b(i);
    let high = (d >> 3) * high_d(i) + (a >> 3) * high_a(i) + (b >> 3) * high_b(i);
    // The immediate begins `after - 4` bytes after byte `k`.
    let after = (AT[p] as u32 + 4).wrapping_sub(k);
    let value = (c.immediate & MASK[p]) as u64;
    let immediate = if after < 4 { value >> (8 * (4 - after)) } else { value << (8 * (after - 4).min(7)) };
    let is_within = (after < 12) & (after > 0);
    base(i).wrapping_add(low).wrapping_add(high).wrapping_add(if is_within { immediate } else { 0 })
}
