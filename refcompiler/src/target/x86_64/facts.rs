//! The facts about a kind and a type that the choice of a pattern depends on: one number for each pair, so that a row reads one table.
//!
//! Each fact is what a function or a rule says about the kind, evaluated at compile time.

use treepar::device::device;

use super::encode::length;
use super::isa::{JE, JMP, TEST};
use super::rules::{is_exchanged, jump_unless};
use crate::ir::instruction::NOTHING;
use crate::ir::kinds::{Kind, PAIRS, Role, Type, kind};

/// The right operand can be a literal in the data of the row.
pub const LITERAL: u32 = 1;
/// `aux` is 0 or 1.
pub const ONE_OF_TWO: u32 = 1 << 1;
/// The only operand is in the register of its variable.
pub const HELD: u32 = 1 << 2;
/// The left operand, or the variable, is the base of an address.
pub const HAS_BASE: u32 = 1 << 3;
/// Operands can be exchanged.
pub const COMMUTES: u32 = 1 << 4;
/// The value must not have the register of the right operand only.
pub const ORDERED: u32 = 1 << 5;
/// The value is the base of an address on the way.
pub const BASE_IN_VALUE: u32 = 1 << 6;
/// A cast.
pub const CAST: u32 = 1 << 7;
/// A branch on the value needs no test.
pub const COMPARED: u32 = 1 << 8;
/// A call.
pub const CALL: u32 = 1 << 9;
/// The immediate is the offset of a variable in the frame.
pub const IN_FRAME: u32 = 1 << 10;
/// The immediate is the data of the row.
pub const OF_DATA: u32 = 1 << 11;
/// The immediate is in the upper bits of the data.
pub const OF_SLOT: u32 = 1 << 12;
/// A sum, which may be an address.
pub const SUM: u32 = 1 << 13;

const FACTS: [u32; PAIRS] = {
    let mut facts = [0; PAIRS];
    let mut pair = 0;
    while pair < PAIRS {
        let kind = Kind::from_code(pair as u8 & 127);
        facts[pair] = of(kind, Type::from_code((pair >> 7) as u8));
        pair += 1;
    }
    facts
};

/// Returns a fact if it holds.
const fn fact(holds: bool, fact: u32) -> u32 {
    if holds { fact } else { 0 }
}

/// Returns the facts about a kind and a type.
const fn of(kind: Kind, ty: Type) -> u32 {
    let code = kind.code();
    let is_division = code == kind::DIV && ty.is_float();
    fact(kind.has_literal(ty, 1), LITERAL)
        | fact(kind.is_flagged(), ONE_OF_TWO)
        | fact(kind.reads_held(), HELD)
        | fact(kind.has_base(), HAS_BASE)
        | fact(is_exchanged(kind, 1, 0, 1), COMMUTES)
        | fact(code == kind::SUB || is_division, ORDERED)
        | fact(code == kind::DATA || code == kind::EXTENT, BASE_IN_VALUE)
        | fact(code == kind::CAST, CAST)
        | fact(jump_unless(kind, ty) != NOTHING, COMPARED)
        | fact(kind.is_call(ty), CALL)
        | fact(kind.is_variable() || code == kind::DECLARE, IN_FRAME)
        | fact(code == kind::LITERAL || kind.is_access(), OF_DATA)
        | fact(code == kind::HELD_WORD, OF_SLOT)
        | fact(code == kind::ADD, SUM)
}

/// Returns the facts about a kind and a type.
#[device]
pub fn facts(kind: Kind, ty: Type) -> u32 {
    FACTS[kind.with(ty)]
}

/// Returns the number of bytes of the instructions at the end of a row that branch or jump, in their shortest form.
#[device]
pub fn jump_bytes(kind: Kind, ty: Type, role: Role) -> u32 {
    let test = if (facts(kind, ty) & COMPARED) != 0 { 0 } else { length(TEST) };
    let branch = if role.branches() { length(JE) + test } else { 0 };
    if role == Role::Jump { length(JMP) } else { branch }
}
