//! Register allocation, in parallel within functions: per full expression (Pareas, section 6.1.1).
//!
//! ```text
//! rows      name(a)  name(b)  call g  add  literal 1  mul
//! ints      0        1        1       0    1          0      (height of the evaluation stack below the value)
//! calls     0        0        0       1    1          1      (calls before the row)
//! place     spilled  a0       t4      t3   t4         t3     (g[b] calls while a waits; b goes straight to g)
//! ```
//!
//! A value lives from its row to the row that takes it, and those that live at once are a stack, so that its height
//! there names its register. Heights are one scan. A value goes to the frame if a call stands between its row and the
//! row that takes it, or if the stack is higher than there are registers; an argument whose way is free of calls is
//! computed where the callee finds it, a returned value where the caller does. No step walks instructions one by one.
//!
//! Cost: work O(n), one scan of 16 bytes a row, one map.

use treepar::device::device;
use treepar::{Backend, Result};

use super::flatten::{Rows, is_value, role};
use super::variables::{STACK, place_of_argument};
use crate::riscv::register;
use crate::tree::{kind, ty};

/// The place of a value that lives in the frame; of an argument that is passed on the stack.
pub const SPILLED: u8 = 254;

/// The place of what has no value.
pub const NOWHERE: u8 = 255;

/// Registers for ints by height: temporaries, then those that the function must save.
pub const INTS: [u8; 16] = [28, 29, 30, 31, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];

/// How many of [`INTS`] need no saving.
pub const INT_TEMPORARIES: u32 = 4;

/// Registers for floats by height.
pub const FLOATS: [u8; 22] = [34, 35, 36, 37, 38, 39, 60, 61, 62, 63, 40, 41, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59];

/// How many of [`FLOATS`] need no saving.
pub const FLOAT_TEMPORARIES: u32 = 10;

/// Heights of both evaluation stacks, and calls so far.
#[device]
pub struct Height {
    /// Ints waiting.
    pub ints: u32,
    /// Floats waiting.
    pub floats: u32,
    /// Calls before.
    pub calls: u32,
    /// Functions begun.
    pub functions: u32,
}

#[device(monoid(identity = Height { ints: 0, floats: 0, calls: 0, functions: 0 }))]
fn add_heights(a: Height, b: Height) -> Height {
    Height {
        ints: a.ints.wrapping_add(b.ints),
        floats: a.floats.wrapping_add(b.floats),
        calls: a.calls.wrapping_add(b.calls),
        functions: a.functions.wrapping_add(b.functions),
    }
}

/// The type of a row's value.
#[device]
pub fn type_of_value(kind: u8, ty: u8) -> u8 {
    if !is_value(kind) {
        ty::VOID
    } else if kind >= kind::EQ {
        ty::INT
    } else {
        ty
    }
}

/// The type of the operands of row `r`, VOID if it has none.
#[device]
pub fn type_of_operand(r: usize, kind: &[u8], ty: &[u8], aux: &[u32]) -> u8 {
    match kind[r] {
        kind::CAST => type_of_value(kind[r - 1], ty[r - 1]),
        kind::DECLARE => {
            if aux[r] != 0 {
                ty[r]
            } else {
                ty::VOID
            }
        }
        kind::CALL | kind::LITERAL | kind::NAME => ty::VOID,
        other => {
            if other >= kind::ASSIGN {
                ty[r]
            } else {
                ty::VOID
            }
        }
    }
}

/// Whether a row jumps to a function, which may change every register that it need not save.
#[device]
pub fn is_call(kind: u8, ty: u8) -> bool {
    kind == kind::CALL || (kind == kind::REM && ty == ty::FLOAT)
}

/// What row `r` takes from the stacks.
#[device]
fn taken(r: usize, kind: &[u8], ty: &[u8], aux: &[u32]) -> Height {
    let operands = if kind[r] >= kind::ADD { 2u32 } else { 1u32 };
    let operand = type_of_operand(r, kind, ty, aux);
    Height {
        ints: if operand == ty::INT { operands } else { 0 },
        floats: if operand == ty::FLOAT { operands } else { 0 },
        calls: 0,
        functions: 0,
    }
}

/// What row `r` adds to the stacks, less what it takes.
#[device(scan(add_heights))]
fn change(r: usize, kind: &[u8], ty: &[u8], role: &[u8], aux: &[u32]) -> Height {
    let value = type_of_value(kind[r], ty[r]);
    let waits = role[r] == role::OPERAND || role[r] == role::ARGUMENT;
    let taken = taken(r, kind, ty, aux);
    Height {
        ints: ((waits && value == ty::INT) as u32).wrapping_sub(taken.ints),
        floats: ((waits && value == ty::FLOAT) as u32).wrapping_sub(taken.floats),
        calls: is_call(kind[r], ty[r]) as u32,
        functions: ends_function(kind[r]) as u32,
    }
}

/// Whether a row is its function's last; those of other objects have one alone.
#[device]
fn ends_function(kind: u8) -> bool {
    kind == kind::FUNCTION || kind == kind::EXTERN
}

/// The stacks below the value of row `r`, the calls before it, and its function.
#[device(scan_map(change, add_heights))]
fn below(r: usize, before: Height, kind: &[u8], ty: &[u8], aux: &[u32]) -> (u32, u32, u32, u32) {
    let taken = taken(r, kind, ty, aux);
    (before.ints.wrapping_sub(taken.ints), before.floats.wrapping_sub(taken.floats), before.calls, before.functions)
}

/// Where the argument in row `v` of the call in row `call` is passed: see `variables::place_of_argument`.
#[device]
pub fn place_passed(is_float: bool, v: usize, call: usize, ints: &[u32], floats: &[u32]) -> u32 {
    place_of_argument(is_float, ints[v] - ints[call], floats[v] - floats[call])
}

/// The place of the value of row `r`: a register, SPILLED or NOWHERE; of an ARG, where it puts its value.
#[device(map)]
fn place(
    r: usize,
    kind: &[u8],
    ty: &[u8],
    role: &[u8],
    operand: &[u32],
    target: &[u32],
    ints: &[u32],
    floats: &[u32],
    calls: &[u32],
) -> u8 {
    if kind[r] == kind::ARG {
        let passed = place_passed(ty[r] == ty::FLOAT, operand[r] as usize, target[r] as usize, ints, floats);
        return if passed < STACK { passed as u8 } else { SPILLED };
    }
    let value = type_of_value(kind[r], ty[r]);
    if value == ty::VOID || role[r] == role::DISCARDED {
        return NOWHERE;
    }
    let is_float = value == ty::FLOAT;
    if role[r] == role::RETURNED {
        return if is_float { register::FA0 } else { register::A0 };
    }
    if role[r] != role::CONDITION && calls[target[r] as usize] != calls[r + 1] {
        return SPILLED;
    }
    if role[r] == role::ARGUMENT {
        let passed = place_passed(is_float, r, target[r] as usize, ints, floats);
        if passed < STACK && is_float == (passed >= 32) {
            return passed as u8;
        }
    }
    let height = if is_float { floats[r] } else { ints[r] } as usize;
    if is_float {
        if height < FLOATS.len() { FLOATS[height] } else { SPILLED }
    } else if height < INTS.len() {
        INTS[height]
    } else {
        SPILLED
    }
}

/// Where values live.
pub struct Allocation<B: Backend> {
    /// Ints on the evaluation stack below each row's value.
    pub ints: B::Vec<u32>,
    /// Floats there.
    pub floats: B::Vec<u32>,
    /// A register, [`SPILLED`] (word `ints + floats` of the frame's spills) or [`NOWHERE`].
    pub place: B::Vec<u8>,
    /// The function of each row, counted in their order.
    pub function: B::Vec<u32>,
}

/// Gives each value its place.
pub fn allocate<B: Backend>(backend: &B, rows: &Rows<B>) -> Result<Allocation<B>> {
    let ((ints, floats, calls, function), _) = backend.scan_map(
        change::of(&rows.kind, &rows.ty, &rows.role, &rows.aux),
        add_heights,
        below::of(&rows.kind, &rows.ty, &rows.aux),
    )?;
    let place = backend.map(place::of(
        &rows.kind,
        &rows.ty,
        &rows.role,
        &rows.operand,
        &rows.target,
        &ints,
        &floats,
        &calls,
    ))?;
    Ok(Allocation { ints, floats, place, function })
}
