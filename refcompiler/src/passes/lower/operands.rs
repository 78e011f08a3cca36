//! The registers and offsets of a row: all that its instructions need.
//!
//! Rows with a [pattern](crate::target::riscv::patterns) need none of this.

use treepar::device::device;

use crate::ir::frame::{Frame, argument_bytes, spilled_offset};
use crate::ir::held::{held_register, held_slot};
use crate::ir::kinds::{Kind, Type};
use crate::ir::operation::{LEFT, NO_OFFSET, Operation, RIGHT, STORE};
use crate::ir::registers::{NOWHERE, SPILLED, STACK, is_register, result_register, scratch_register};
use crate::ir::rows::{Located, RowId, before, stack_word};
use crate::target::Target;
use crate::target::riscv::registers::ZERO;
use crate::target::x86_64::registers::RAX;
use crate::target::x86_64::rules::{contains_sum, is_contained, is_exchanged};

/// Returns the register that a spilled operand is loaded into. A call loads the float that it passes.
#[device]
fn loaded_register(target: Target, is_call: bool, ty: Type, is_right: bool) -> u8 {
    if is_call {
        result_register(target, true) + is_right as u8
    } else {
        scratch_register(target, ty == Type::Float, is_right)
    }
}

/// Finds the registers of row `r`. The operation has no offsets yet. `last` is the last row of its function.
#[device]
fn registers_of(r: RowId, rows: &Located, last: u32, target: Target) -> Operation {
    // On x86-64, this register gets a zero for a variable without a value.
    let zero = if target == Target::X86_64 { RAX } else { ZERO };
    let is_left_out = (target == Target::X86_64) && is_contained(r, rows);
    let kind = if is_left_out { Kind::Empty } else { rows.kind[r] };
    let ty = rows.ty[r];
    let place = if is_left_out { NOWHERE } else { rows.place[r] };
    let aux = rows.aux[r];
    let only = rows.operand[r];
    let operands = kind.type_of_operand(ty, aux != 0, rows.kind[only].type_of_value(rows.ty[only]));
    let has_operands = operands != Type::Void;
    let mut s = Operation {
        kind,
        ty: if has_operands { operands } else { ty },
        role: rows.role[r],
        memory: if place == SPILLED { STORE } else { 0 },
        left: zero,
        right: zero,
        destination: zero,
        source: zero,
        left_at: NO_OFFSET,
        right_at: NO_OFFSET,
        store_at: NO_OFFSET,
        data: rows.data[r],
        hops: aux,
        target: if kind == Kind::Return { RowId::new(last) } else { rows.target[r] },
    };
    let calls = kind.is_call(s.ty);
    // Reads that a row may not need cost less than a branch that is hard to predict.
    let left = rows.place[rows.operand[r]];
    let mut right = rows.place[before(r)];
    s.left = if has_operands { left } else { zero };
    if kind.reads_held() {
        s.left = held_register(s.data);
    }
    if kind == Kind::HeldWord {
        s.data = held_slot(s.data);
    }
    let has_sum = (target == Target::X86_64) && contains_sum(r, rows);
    if has_sum {
        s.left = rows.place[rows.operand[before(r)]];
        right = rows.place[before(before(r))];
        s.hops = 1;
    }
    let has_literal = kind.has_literal(ty, aux);
    s.right = if (kind.has_two_operands() & !has_literal) | has_sum { right } else { zero };
    if s.left == SPILLED {
        s.memory |= LEFT;
        s.left = loaded_register(target, calls, operands, false);
        if kind == Kind::Arg && place != SPILLED {
            s.left = place;
        }
    }
    if s.right == SPILLED {
        s.memory |= RIGHT;
        s.right = loaded_register(target, calls, if kind.is_access() { ty } else { operands }, true);
    }
    if has_literal {
        s.right = s.left;
    }
    if kind == Kind::Param {
        s.left = aux as u8;
        s.memory = if aux < STACK { STORE } else { 0 };
    }
    if kind == Kind::HeldParam {
        s.left = aux as u8;
    }
    let value = kind.type_of_value(ty);
    let scratch = scratch_register(target, value == Type::Float, false);
    let written = if is_register(place) { place } else { scratch };
    // Left is zero for a variable without a value.
    let is_operand = kind.is_transparent()
        | kind.is_check()
        | (kind == Kind::Param)
        | kind.has_optional_operand()
        | ((kind == Kind::Cast) & (operands == value));
    s.source = if is_operand { s.left } else { written };
    if calls {
        s.source = result_register(target, value == Type::Float);
    }
    s.destination = if is_register(place) { place } else { s.source };
    let exchanges = (target == Target::X86_64) & ((s.memory & (LEFT | RIGHT)) == 0);
    let (left, right) = (s.left, s.right);
    if exchanges && is_exchanged(kind, s.destination, left, right) {
        s.left = right;
        s.right = left;
    }
    if kind.is_branch(aux) {
        s.memory &= LEFT | RIGHT;
    }
    if kind == Kind::Choose {
        // The parts have stored the value if it is spilled. Only a branch loads it.
        s.memory = if (s.memory != 0) & s.role.branches() { LEFT } else { 0 };
        s.left = s.destination;
    }
    s
}

/// Returns the offset from sp of the spilled value of row `r`.
#[device]
fn spilled_at(r: RowId, rows: &Located, frame: Frame) -> u32 {
    spilled_offset(frame, rows.ints[r] + rows.floats[r])
}

/// Returns an operation with its offsets in memory.
#[device]
fn with_offsets(r: RowId, operation: Operation, rows: &Located, frame: Frame, target: Target) -> Operation {
    let mut s = operation;
    if (s.memory & LEFT) != 0 {
        let left = if s.kind == Kind::Choose { r } else { rows.operand[r] };
        s.left_at = spilled_at(left, rows, frame);
    }
    if (s.memory & RIGHT) != 0 {
        s.right_at = spilled_at(before(r), rows, frame);
    }
    if (s.memory & STORE) != 0 {
        s.store_at = match s.kind {
            Kind::Param => frame.bytes.wrapping_add(s.data),
            Kind::Arg => argument_bytes(target) * stack_word(target, r, rows),
            _ => spilled_at(r, rows, frame),
        };
    }
    s
}

/// Returns row `r` of a function as an operation.
#[device]
pub fn operation(r: RowId, rows: &Located, frame: Frame, last: u32, target: Target) -> Operation {
    let s = registers_of(r, rows, last, target);
    if s.memory != 0 { with_offsets(r, s, rows, frame, target) } else { s }
}
