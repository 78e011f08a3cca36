//! Register allocation, in parallel within functions: per full expression (Pareas, section 6.1.1).
//!
//! ```text
//! rows      name(a)  name(b)  call g  add  literal 1  mul
//! ints      0        1        1       0    1          0      (height of the evaluation stack below the value)
//! calls     0        0        0       1    1          1      (calls before the row)
//! place     spilled  a0       t4      t3   t4         t3     (g[b] is called while a waits; b goes directly to g)
//! ```
//!
//! A value lives from its row to the row that uses it. Values that live at the same time form a stack, so the height of
//! a value on that stack determines its register. One scan computes all heights. A value goes to the frame if a call
//! comes between its row and the row that uses it, or if the stack is higher than there are registers. An argument
//! without calls before its use is computed directly where the callee expects it, and a returned value where the caller
//! expects it. No step walks instructions one by one.
//!
//! Cost: work O(n), one scan of 12 bytes per row, one map.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{is_binary, is_call, kind, role, ty, type_of_value};
use crate::ir::registers::{NOWHERE, SPILLED, STACK, is_float};
use crate::ir::rows::{Allocation, Rows, passed_location, type_of_operand};
use crate::target::riscv::registers::{A0, FA0, FLOATS, INTS};

/// The heights of both evaluation stacks, and the number of calls so far.
#[device]
pub struct Height {
    /// Ints that wait.
    pub ints: u32,
    /// Floats that wait.
    pub floats: u32,
    /// Calls before.
    pub calls: u32,
}

#[device(monoid(identity = Height { ints: 0, floats: 0, calls: 0 }))]
fn add_heights(a: Height, b: Height) -> Height {
    Height {
        ints: a.ints.wrapping_add(b.ints),
        floats: a.floats.wrapping_add(b.floats),
        calls: a.calls.wrapping_add(b.calls),
    }
}

/// Returns the values that row `r` takes from the stacks.
#[device]
fn taken(r: usize, kind: &[u8], ty: &[u8], aux: &[u32]) -> Height {
    let operands = if is_binary(kind[r]) { 2u32 } else { 1u32 };
    let operand = type_of_operand(r, kind, ty, aux);
    Height {
        ints: if operand == ty::INT { operands } else { 0 },
        floats: if operand == ty::FLOAT { operands } else { 0 },
        calls: 0,
    }
}

/// Returns the values that row `r` adds to the stacks, minus those that it takes.
#[device(scan(add_heights))]
fn change(r: usize, kind: &[u8], ty: &[u8], role: &[u8], aux: &[u32]) -> Height {
    let value = type_of_value(kind[r], ty[r]);
    let waits = role[r] == role::OPERAND || role[r] == role::ARGUMENT;
    let taken = taken(r, kind, ty, aux);
    Height {
        ints: ((waits && value == ty::INT) as u32).wrapping_sub(taken.ints),
        floats: ((waits && value == ty::FLOAT) as u32).wrapping_sub(taken.floats),
        calls: is_call(kind[r], ty[r]) as u32,
    }
}

/// Returns the heights of the stacks below the value of row `r`, and the number of calls before the row.
#[device(scan_map(change, add_heights))]
fn below(r: usize, before: Height, kind: &[u8], ty: &[u8], aux: &[u32]) -> (u32, u32, u32) {
    let taken = taken(r, kind, ty, aux);
    (before.ints.wrapping_sub(taken.ints), before.floats.wrapping_sub(taken.floats), before.calls)
}

/// Returns the location of the value of row `r`; of an ARG, where it moves its value.
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
        let passed = passed_location(ty[r] == ty::FLOAT, operand[r] as usize, target[r] as usize, ints, floats);
        return if passed < STACK { passed as u8 } else { SPILLED };
    }
    let value = type_of_value(kind[r], ty[r]);
    if value == ty::VOID || role[r] == role::DISCARDED {
        return NOWHERE;
    }
    let float = value == ty::FLOAT;
    if role[r] == role::RETURNED {
        return if float { FA0 } else { A0 };
    }
    if role[r] != role::CONDITION && calls[target[r] as usize] != calls[r + 1] {
        return SPILLED;
    }
    if role[r] == role::ARGUMENT {
        let passed = passed_location(float, r, target[r] as usize, ints, floats);
        if passed < STACK && float == is_float(passed as u8) {
            return passed as u8;
        }
    }
    let height = if float { floats[r] } else { ints[r] } as usize;
    if float {
        if height < FLOATS.len() { FLOATS[height] } else { SPILLED }
    } else if height < INTS.len() {
        INTS[height]
    } else {
        SPILLED
    }
}

/// Gives each value its location.
pub fn allocate<B: Backend>(backend: &B, rows: &Rows<B>) -> Result<Allocation<B>> {
    let Rows { kind, ty, role, aux, operand, target, .. } = rows;
    let ((ints, floats, calls), _) =
        backend.scan_map(change::of(kind, ty, role, aux), add_heights, below::of(kind, ty, aux))?;
    let place = backend.map(place::of(kind, ty, role, operand, target, &ints, &floats, &calls))?;
    Ok(Allocation { ints, floats, place })
}
