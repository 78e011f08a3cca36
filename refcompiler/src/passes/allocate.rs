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
//! expects it. Both parts of a conditional expression leave their value where its own row has it: control reaches that row
//! directly from either part. No step walks instructions one by one.
//!
//! A variable that the pass `registers` has put into a register is read there: the location of such a row is the register, and the row
//! that uses the value takes it from the variable. So it does not wait, and neither does the value of a check of the variable. The value of an assignment to such a variable is computed there.
//!
//! Cost: work O(n), one map of 4 bytes per row, one scan of 12 bytes, one map.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::held::{has_register, held_register};
use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::lanes::{Lanes, lanes_of};
use crate::ir::registers::{NOWHERE, SPILLED, STACK, argument_location, is_float, register_at, result_register};
use crate::ir::rows::{Located, RowId, Rows, before};
use crate::target::Target;
use crate::target::x86_64::lanes::held_vector;

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

/// The heights of the evaluation stacks below a row's value, and the number of calls before the row.
#[device(columns(Heights, index = RowId))]
struct Below {
    ints: u32,
    floats: u32,
    calls: u32,
}

/// Returns the row whose value row `r` has: a check has the value of its left operand.
#[device]
fn checked(r: RowId, rows: &Rows) -> RowId {
    if rows.kind[r].is_check() { rows.operand[r] } else { r }
}

/// Returns whether the value of row `r` stays in its variable until another row uses it there.
#[device]
fn stays(r: RowId, rows: &Rows) -> bool {
    rows.kind[checked(r, rows)].is_in_variable() & (rows.role[r] == Role::Operand)
}

/// Returns a value as [`taken`] counts it if it stays in its variable, else 0.
#[device]
fn staying(r: RowId, rows: &Rows) -> u32 {
    if !stays(r, rows) {
        return 0;
    }
    if rows.ty[r] == Type::Float { 16 } else { 1 }
}

/// Returns the values that row `r` takes from the stacks: ints in the lower four bits, floats in the upper. Without registers for
/// variables, values stay nowhere, and no row has a literal.
#[device]
fn taken(r: RowId, rows: &Rows, holds: bool) -> u32 {
    let kind = rows.kind[r];
    let mut ty = rows.ty[r];
    if kind == Kind::Cast {
        let only = rows.operand[r];
        ty = rows.kind[only].type_of_value(rows.ty[only]);
    }
    let is_empty = kind.has_optional_operand() & (rows.aux[r] == 0);
    let all = kind.operands(ty) as u32;
    if is_empty | (all == 0) {
        return 0;
    }
    if !holds {
        return all;
    }
    let left = if kind.has_two_operands() { staying(rows.operand[r], rows) } else { 0 };
    let has_literal = kind.has_literal(ty, rows.aux[r]);
    all - left - staying(before(r), rows) - has_literal as u32
}

/// In an [`effect`]: the row adds an int to the stack.
const ADDS_INT: u32 = 8;
/// The row adds a float.
const ADDS_FLOAT: u32 = 9;
/// The row changes registers as a call does.
const CLOBBERS: u32 = 10;

/// Returns all that row `r` does to the stacks, as one number: the values that it [takes](taken), and from bit 8 on the bits above.
#[device(map)]
fn effect(r: RowId, rows: &Rows, holds: bool) -> u32 {
    let kind = rows.kind[r];
    let value = kind.type_of_value(rows.ty[r]);
    let waits = rows.role[r].waits() && !(holds && stays(r, rows));
    let adds_int = (waits & (value == Type::Int)) as u32;
    let adds_float = (waits & (value == Type::Float)) as u32;
    let clobbers = kind.clobbers(rows.ty[r]) as u32;
    taken(r, rows, holds) | adds_int << ADDS_INT | adds_float << ADDS_FLOAT | clobbers << CLOBBERS
}

/// Returns the values that row `r` adds to the stacks, minus the values that it takes.
#[device(scanned)]
fn change(r: usize, effects: &[u32]) -> Height {
    let effect = effects[r];
    Height {
        ints: (effect >> ADDS_INT & 1).wrapping_sub(effect & 15),
        floats: (effect >> ADDS_FLOAT & 1).wrapping_sub(effect >> 4 & 15),
        calls: effect >> CLOBBERS & 1,
    }
}

/// Returns the heights of the stacks below the value of row `r`, and the number of calls before the row.
#[device(scan_map(change, add_heights))]
fn below(r: usize, before: Height, effects: &[u32]) -> Below {
    let effect = effects[r];
    Below {
        ints: before.ints.wrapping_sub(effect & 15),
        floats: before.floats.wrapping_sub(effect >> 4 & 15),
        calls: before.calls,
    }
}

/// Returns where the call in row `call` passes the argument whose value is in row `value`.
#[device]
fn passed(target: Target, is_float: bool, value: RowId, call: RowId, heights: &Heights) -> u32 {
    let ints = heights.ints[value] - heights.ints[call];
    argument_location(target, is_float, ints, heights.floats[value] - heights.floats[call])
}

/// Returns whether a row is a held vector whose user takes it from its own register. Operations with three operands, and those
/// that need a register of their own, take no held one.
#[device]
fn is_used_where_held(r: RowId, rows: &Rows) -> bool {
    let user = rows.kind[rows.target[r]];
    (lanes_of(rows.data[r]) == Lanes::Held) & (user != Kind::VectorSelect) & (user != Kind::VectorReduce)
}

/// Returns the location of the value of row `r`; of an ARG, a THEN and an OTHERWISE, where it moves its value. `holds` is true if
/// variables have registers.
#[device(map)]
fn place(r: RowId, rows: &Rows, heights: &Heights, target: Target, holds: bool) -> u8 {
    let r = if rows.kind[r].is_part() { rows.target[r] } else { r };
    let role = rows.role[r];
    if rows.kind[r] == Kind::Arg {
        let passed = passed(target, rows.ty[r] == Type::Float, rows.operand[r], rows.target[r], heights);
        return if passed < STACK { passed as u8 } else { SPILLED };
    }
    if (rows.kind[r] == Kind::VectorRead) && is_used_where_held(r, rows) {
        return held_vector(rows.data[r]);
    }
    let value = rows.kind[r].type_of_value(rows.ty[r]);
    let float = value == Type::Float;
    if holds && rows.kind[r].is_at_variable() {
        let own = held_register(rows.data[r]);
        return if role == Role::Returned { result_register(target, float) } else { own };
    }
    if holds && rows.kind[r].is_check() && stays(r, rows) {
        return held_register(rows.data[checked(r, rows)]);
    }
    // Reads that a row may not need cost less than a branch that is hard to predict.
    let waits = role.waits();
    let after = if waits { r.plus(1) } else { r };
    let user = if waits { rows.target[r] } else { r };
    let crosses_call = heights.calls[user] != heights.calls[after];
    if (role == Role::Argument) & !crosses_call {
        let passed = passed(target, float, r, rows.target[r], heights);
        if passed < STACK && float == is_float(passed as u8) {
            return passed as u8;
        }
    }
    let is_assigned = holds && (role == Role::Operand) & (rows.kind[user] == Kind::HeldAssign);
    if is_assigned && rows.kind[r] != Kind::Choose {
        return held_register(rows.data[user]);
    }
    let height = if float { heights.floats[r] } else { heights.ints[r] };
    let register = register_at(target, float, height);
    let is_spilled = crosses_call | (holds & !has_register(target, float, height));
    let kept = if is_spilled { SPILLED } else { register };
    let fixed = result_register(target, float);
    let used = if role == Role::Returned { fixed } else { kept };
    if (value == Type::Void) | (role == Role::Discarded) { NOWHERE } else { used }
}

/// Gives each value its location. `holds` is true if variables have registers.
pub fn allocate<B: Backend>(backend: &B, processor: Target, holds: bool, rows: Rows<B>) -> Result<Located<B>> {
    let effects = backend.map(effect::of(&rows, holds))?;
    let (heights, _) = backend.scan_map_later(change::of(&effects), add_heights, below::of(&effects))?;
    drop(effects);
    let place = backend.map(place::of(&rows, &heights, processor, holds))?;
    let Rows { kind, ty, role, data, aux, operand, target } = rows;
    let Heights { ints, floats, .. } = heights;
    Ok(Located { kind, ty, role, data, aux, operand, target, ints, floats, place })
}
