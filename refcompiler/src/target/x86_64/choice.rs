//! The choice of a [pattern](super::patterns) for each row, and the bytes of a choice.

use treepar::device::device;

use super::patterns::{Bytes, DROPPED, FAR, FLAGGED, FORMS, LIMIT, PATTERNS, SAME, SIZE, row};
use super::registers::R12;
use super::rules::{contains_sum, is_contained, is_exchanged, jump_unless};
use super::sequences::is_long;
use crate::ir::frame::{Frame, own_immediate};
use crate::ir::held::held_register;
use crate::ir::instruction::{Choice, Chosen, NO_PATTERN, NOTHING};
use crate::ir::kinds::{Kind, PAIRS};
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

/// The bits of an index of a byte.
const INDEX: usize = SIZE - 1;

/// Returns the index of a pattern in tables.
#[device]
fn index(pattern: u8) -> usize {
    (pattern & (LIMIT - 1) as u8) as usize
}

/// Chooses the pattern of row `r` in a function with frame `frame`.
///
/// A row has one if its operands and value are in registers, and its variable is in this frame. The branch of a condition comes after
/// its pattern, and so does a jump.
#[device]
pub fn choice(r: RowId, rows: &Located, frame: Frame) -> Chosen {
    let is_left_out = is_contained(r, rows);
    let kind = if is_left_out { Kind::Empty } else { rows.kind[r] };
    let role = rows.role[r];
    let has_sum = contains_sum(r, rows);
    let aux = if has_sum { 1 } else { rows.aux[r] };
    let is_flagged = kind.is_flagged() & (aux == 1);
    let has_literal = kind.has_literal(rows.ty[r], aux);
    let own = own_immediate(kind, rows.data[r], frame.bytes);
    let immediate = if has_literal { rows.data[r] } else { own };
    // A comparison whose value only its branch uses has none in a register.
    let is_compared = role.branches() & (jump_unless(kind, rows.ty[r]) != NOTHING);
    let d = if is_compared | is_left_out { NOWHERE } else { rows.place[r] };
    let of_operands = if has_sum { before(r) } else { r };
    let left = if kind.reads_held() { held_register(rows.data[r]) } else { rows.place[rows.operand[of_operands]] };
    let right = if has_literal { left } else { rows.place[before(of_operands)] };
    let is_exchanged = is_exchanged(kind, d, left, right);
    let a = if is_exchanged { right } else { left };
    let b = if is_exchanged { left } else { right };
    let form = is_long(immediate) as u32 * FAR
        + (d == a) as u32 * SAME
        + (d == NOWHERE) as u32 * DROPPED
        + is_flagged as u32 * FLAGGED;
    let pattern = OF[row(form, kind.with(rows.ty[r]))];
    let p = index(pattern);
    let fits = is_register((d & HAS_D[p]) | (a & HAS_A[p]) | (b & HAS_B[p]))
        & (d != SPILLED)
        & (!role.branches() | is_compared | is_register(d))
        & ((kind != Kind::Cast) | (is_float(d) != is_float(a)))
        & (is_flagged | (aux == 0))
        & ((a != R12) | !kind.has_base() | has_sum)
        & ((d != R12) | ((kind != Kind::Data) & (kind != Kind::Extent)))
        & !((d == b) & (d != a) & ((kind == Kind::Sub) | ((kind == Kind::Div) & is_float(d))))
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

#[cfg(test)]
mod tests {
    use super::super::encode::encode;
    use super::super::registers::{R12, R15, RBX, RDI, XMM0, XMM8, XMM13};
    use super::super::rules::{instruction, jump_length, length};
    use super::*;
    use crate::ir::held::held_data;
    use crate::ir::kinds::{Role, Type};
    use crate::ir::rows::{HostLocated, LocatedRow};
    use crate::passes::lower::operands::operation;
    use crate::target::Target;

    /// The choices of rows of every kind, with some locations, values and roles, have the bytes of the instructions.
    #[test]
    fn patterns_equal_instructions() {
        let (mut cases, mut kinds) = (0, 0);
        let registers = |ty: Type| if ty.is_float() { [XMM8, XMM0, XMM13, XMM8] } else { [RBX, RDI, R15, R12] };
        let values = [0, 5, 127, 128, -128i32 as u32, -129i32 as u32, 70_000, 0x3f80_0000, u32::MAX];
        for (kind, ty) in Kind::ALL.iter().flat_map(|&kind| [Type::Void, Type::Int, Type::Float].map(|ty| (kind, ty))) {
            // A row with a value has a type, which is int for some kinds.
            let needs_type = kind.is_transparent() || kind.type_of_value(Type::Int) != Type::Void;
            let is_int_only = kind.is_int_only() || kind == Kind::HeldWord;
            if ty == Type::Void && needs_type || ty.is_float() && is_int_only {
                continue;
            }
            let other = if ty.is_float() { Type::Int } else { Type::Float };
            let left = if kind == Kind::Cast { other } else { ty };
            let left = if kind.is_access() { Type::Int } else { left };
            let right = if kind.is_store() { ty } else { left };
            let value = if kind.is_transparent() { left } else { kind.type_of_value(ty) };
            let before = cases;
            for (k, data) in (0..64).flat_map(|k| values.map(|data| (k, data))) {
                let at = |ty: Type, k: usize| (registers(ty)[k & 3], ty);
                let own = if value == Type::Void { (NOWHERE, ty) } else { (registers(value)[k >> 4], ty) };
                for role in [Role::Operand, Role::Discarded, Role::Condition, Role::Again, Role::Jump] {
                    let own = if role == Role::Discarded { (NOWHERE, ty) } else { own };
                    let places = [(NOWHERE, Type::Void), at(left, k), at(right, k >> 2), own];
                    for aux in 0..=u32::from(kind.is_flagged()) {
                        cases += same_bytes(kind, role, data, aux, places) as usize;
                    }
                }
            }
            kinds += (cases > before) as usize;
        }
        assert!(cases > 50_000 && kinds > 80, "only {cases} cases, {kinds} kinds with a type");
    }

    /// Compares the bytes of the choice of a row with its instructions. Returns whether it has a pattern. `places` are the locations
    /// and types of the rows up to this row.
    fn same_bytes(kind: Kind, role: Role, data: u32, aux: u32, places: [(u8, Type); 4]) -> bool {
        let variable = held_data(places[1].0.into(), data & 0xff_ffff);
        let data = if kind.reads_held() { variable } else { data };
        let row = |(place, ty): (u8, Type)| LocatedRow { kind: Kind::Literal, ty, place, ..LocatedRow::default() };
        let [none, left, right, own] = places.map(row);
        let mut host = vec![none, left, right];
        let has_sum = kind == Kind::Load && aux == 1;
        if has_sum {
            host.push(LocatedRow { kind: Kind::AddWords, operand: RowId::new(1), place: SPILLED, ..left });
        }
        let r = RowId::new(host.len() as u32);
        let (operand, aux) = if has_sum { (before(r), 0) } else { (RowId::new(1), aux) };
        host.push(LocatedRow { kind, role, data, operand, aux, ..own });
        let host: HostLocated = host.into_iter().collect();
        let rows = <Located as treepar::device::Table>::view_host(&host);
        let frame = Frame { bytes: 16, ..Frame::default() };
        if has_sum && contains_sum(r, rows) {
            let sum = choice(before(r), rows, frame).choice;
            assert!(sum.pattern != NO_PATTERN && pattern_bytes(sum.pattern) == 0, "{sum:?}");
        }
        let choice = choice(r, rows, frame).choice;
        if choice.pattern == NO_PATTERN {
            return false;
        }
        let s = operation(r, rows, frame, r.get(), Target::X86_64);
        let mut expected = Vec::new();
        for k in 0..length(s, frame) - jump_length(kind, s.ty, role) {
            encode(instruction(s, frame, k), &mut expected);
        }
        let found: Vec<u8> = (0..pattern_bytes(choice.pattern)).map(|k| pattern_window(choice, k) as u8).collect();
        assert_eq!(found, expected, "{s:?} {choice:?}");
        for k in 0..found.len().saturating_sub(7) {
            let window = pattern_window(choice, k as u32).to_le_bytes();
            assert_eq!(window, expected[k..k + 8], "byte {k} of {s:?} {choice:?}");
        }
        true
    }
}
