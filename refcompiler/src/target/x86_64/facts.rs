//! The facts that the choice of a pattern depends on: one number for each kind, type, `aux` and role, so that a row reads one table.
//!
//! Each fact is what a function or a rule says, evaluated at compile time. Locations have features, which are one number too. A fact
//! or a pattern forbids features, so that one comparison shows whether the locations of a row fit.

use treepar::device::device;

use super::encode::longest;
use super::isa::{JE, JMP, TEST};
use super::registers::{R12, RAX};
use super::rules::{is_exchanged, jump_unless};
use crate::ir::instruction::NOTHING;
use crate::ir::kinds::{Kind, PAIRS, Role, Type, kind};
use crate::ir::registers::{SPILLED, is_float, is_register};

/// The feature of a location that is no register.
pub const NO_REGISTER: u32 = 1;
/// The feature of a spilled value.
pub const IS_SPILLED: u32 = 1 << 1;
/// The feature of the register that no address can have as its base without one byte more.
pub const IS_R12: u32 = 1 << 2;
/// The feature of the register of the result of a call.
pub const IS_RAX: u32 = 1 << 3;
/// The feature of a float register.
pub const IS_FLOAT: u32 = 1 << 4;
/// The number of features. The features of the value come first, then the left operand's and the right operand's. Facts follow.
const FEATURES: u32 = 5;
const _: () = assert!(IS_FLOAT < 1 << FEATURES && OF_DATA == 1 << (3 * FEATURES));

/// The immediate is the data of the row.
pub const OF_DATA: u32 = 1 << 15;
/// The immediate is the offset of a variable in the frame.
pub const IN_FRAME: u32 = 1 << 16;
/// The immediate is in the upper bits of the data.
pub const OF_SLOT: u32 = 1 << 17;
/// The right operand is a literal.
pub const LITERAL: u32 = 1 << 18;
/// The only operand is in the register of its variable.
pub const HELD: u32 = 1 << 19;
/// Operands can be exchanged.
pub const COMMUTES: u32 = 1 << 20;
/// The value must not have the register of the right operand only.
pub const ORDERED: u32 = 1 << 21;
/// A cast.
pub const CAST: u32 = 1 << 22;
/// A call.
pub const CALL: u32 = 1 << 23;
/// A sum with a literal, which may be an address.
pub const SUM: u32 = 1 << 24;
/// The form of the row has `aux`.
pub const FLAGGED: u32 = 1 << 25;
/// A comparison whose value only the branch after it uses.
pub const COMPARED: u32 = 1 << 26;
/// The row ends with a jump or a branch, so its pattern has no call and no exit.
pub const ENDS: u32 = 1 << 27;
/// No pattern fits.
pub const NEVER: u32 = 1 << 28;
/// The number of bytes of a test of a register without a REX prefix and a branch, in its shortest form. All others have fewer.
const TEST_BYTES: u32 = longest(TEST) - 1 + longest(JE);
/// The number of bits before the number of bytes of the jump or branch at the end, in its shortest form.
const JUMP_BYTES: u32 = 29;

/// The roles of rows that end with no jump, with a jump, and with a branch.
const ROLES: [Role; ROLES_COUNT] = [Role::None, Role::Jump, Role::Condition];

/// The number of these roles.
const ROLES_COUNT: usize = 3;

const FACTS: [u32; 2 * ROLES_COUNT * PAIRS] = {
    let mut facts = [0; 2 * ROLES_COUNT * PAIRS];
    let mut i = 0;
    while i < facts.len() {
        let pair = i % PAIRS;
        let (kind, ty) = (Kind::from_code(pair as u8 & 127), Type::from_code((pair >> 7) as u8));
        let role = ROLES[i / PAIRS % ROLES_COUNT];
        facts[i] = of(kind, ty, i / PAIRS / ROLES_COUNT, role);
        i += 1;
    }
    facts
};

/// The index in [`ROLES`] of the role that ends as each role does.
const END_OF: [u8; 256] = {
    let mut ends = [0; 256];
    let mut i = 0;
    while i < Role::COUNT * ROLES_COUNT {
        let (role, end) = (Role::ALL[i / ROLES_COUNT], ROLES[i % ROLES_COUNT]);
        if role.branches() == end.branches() && jumps(role) == jumps(end) {
            ends[i / ROLES_COUNT] = (i % ROLES_COUNT) as u8;
        }
        i += 1;
    }
    ends
};

/// Returns whether a row ends with a jump.
const fn jumps(role: Role) -> bool {
    role.code() == Role::Jump.code()
}

/// The features of each location.
const LOCATIONS: [u8; 256] = {
    let mut features = [0; 256];
    let mut place = 0;
    while place < features.len() {
        let p = place as u8;
        features[place] = (fact(!is_register(p), NO_REGISTER)
            | fact(p == SPILLED, IS_SPILLED)
            | fact(p == R12, IS_R12)
            | fact(p == RAX, IS_RAX)
            | fact(is_float(p), IS_FLOAT)) as u8;
        place += 1;
    }
    features
};

/// Returns a fact if it holds.
pub const fn fact(holds: bool, fact: u32) -> u32 {
    if holds { fact } else { 0 }
}

/// Returns features of the value.
#[device]
pub const fn of_value(features: u32) -> u32 {
    features
}

/// Returns features of the left operand.
#[device]
pub const fn of_left(features: u32) -> u32 {
    features << FEATURES
}

/// Returns features of the right operand.
#[device]
pub const fn of_right(features: u32) -> u32 {
    features << (2 * FEATURES)
}

/// Returns the facts about a kind, a type, an `aux` of 0 or 1, and a role.
const fn of(kind: Kind, ty: Type, aux: usize, role: Role) -> u32 {
    let code = kind.code();
    let is_division = code == kind::DIV && ty.is_float();
    let is_flagged = kind.is_flagged() && aux == 1;
    let is_literal = kind.has_literal(ty, aux as u32);
    let is_compared = role.branches() && jump_unless(kind, ty) != NOTHING;
    // A load with `aux` has its address from a sum.
    let has_base = kind.has_base() && !(code == kind::LOAD && aux == 1);
    let branch = if is_compared { longest(JE) } else { TEST_BYTES };
    let branch = if role.branches() { branch } else { 0 };
    let jump_bytes = if jumps(role) { longest(JMP) } else { branch };
    let immediates = fact(is_literal || code == kind::LITERAL || kind.is_access(), OF_DATA)
        | fact(kind.is_variable() || code == kind::DECLARE, IN_FRAME)
        | fact(code == kind::HELD_WORD, OF_SLOT);
    assert!(immediates.count_ones() <= 1, "a row has one immediate");
    immediates
        | fact(is_literal, LITERAL)
        | fact(kind.reads_held(), HELD)
        | fact(is_exchanged(kind, 1, 0, 1), COMMUTES)
        | fact(code == kind::SUB || is_division, ORDERED)
        | fact(code == kind::CAST, CAST)
        | fact(kind.is_call(ty), CALL)
        | fact(code == kind::ADD && is_flagged, SUM)
        | fact(is_flagged, FLAGGED)
        | fact(is_compared, COMPARED)
        | fact(role.branches() || jumps(role), ENDS)
        | fact(aux != 0 && !is_flagged, NEVER)
        | fact(has_base, of_left(IS_R12))
        | fact(code == kind::DATA || code == kind::EXTENT, of_value(IS_R12))
        // A branch needs the value.
        | fact(role.branches() && !is_compared, of_value(NO_REGISTER))
        | jump_bytes << JUMP_BYTES
}

/// Returns the facts about a row with an `aux` and a role.
#[device]
pub fn facts(kind: Kind, ty: Type, aux: u32, role: Role) -> u32 {
    let end = END_OF[role.code() as usize] as usize;
    let facts = FACTS[(ROLES_COUNT * aux.min(1) as usize + end) * PAIRS + kind.with(ty)];
    facts | ((aux > 1) as u32 * NEVER)
}

/// Returns the features of the locations of a value, a left operand, and a right operand.
#[device]
pub fn features(d: u8, a: u8, b: u8) -> u32 {
    let value = LOCATIONS[d as usize] as u32;
    let left = LOCATIONS[a as usize] as u32;
    let right = LOCATIONS[b as usize] as u32;
    of_value(value) | of_left(left) | of_right(right)
}

/// Returns whether a value and a left operand are of one type: both are floats, or neither is.
#[device]
pub fn have_one_type(features: u32) -> bool {
    ((features ^ features >> FEATURES) & IS_FLOAT) == 0
}

/// Returns the number of bytes of the instructions at the end of a row that branch or jump, in their shortest form. `d` is the register of the
/// value.
#[device]
pub fn jump_bytes(facts: u32, d: u8) -> u32 {
    let bytes = facts >> JUMP_BYTES;
    let tests = bytes / TEST_BYTES;
    bytes + (tests & (d as u32 >> 3))
}
