//! Stack frames: the size of each part of a function's frame is the maximum over its rows (Pareas, section 3.5).
//!
//! ```text
//! rows       declare x    call g (7 words on the stack)    value spilled at height 2    place s1       place s11
//! needs      1 variable   7 outgoing words, a call         3 spills                     2 saved ints   1 held int
//! ```
//!
//! [`ir::frame`](crate::ir::frame) draws the layout.
//!
//! Few rows need anything, so they are found first.
//!
//! Cost: work O(n), one compaction of 3 bytes per row, one segmented reduce of the rows that it keeps.

use treepar::backend::Offsets;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::frame::{Frame, Frames, Needs, last_value_offset, layout, variable_words};
use crate::ir::held::{held_floats, held_ints, held_register, held_saves, is_held};
use crate::ir::kinds::Kind;
use crate::ir::registers::{SPILLED, STACK, is_float, is_int, is_register, saved_registers};
use crate::ir::rows::{Heads, Located, RowId, stack_word};
use crate::target::Target;

/// Returns the greater numbers of saved registers of both types.
#[device]
fn maximum_saves(a: u32, b: u32) -> u32 {
    held_ints(a).max(held_ints(b)) | held_floats(a).max(held_floats(b)) << 16
}

#[device(monoid(identity = Needs { ints: 0, floats: 0, spills: 0, outgoing: 0, variables: 0, calls: 0, nested: 0, held: 0 }))]
fn maximum(a: Needs, b: Needs) -> Needs {
    Needs {
        ints: a.ints.max(b.ints),
        floats: a.floats.max(b.floats),
        spills: a.spills.max(b.spills),
        outgoing: a.outgoing.max(b.outgoing),
        variables: a.variables.max(b.variables),
        calls: a.calls.max(b.calls),
        nested: a.nested.max(b.nested),
        held: maximum_saves(a.held, b.held),
    }
}

/// Returns how many registers of variables a function saves because of the variable that row `r` writes. Each variable in a register has
/// such a row in its function, so the many rows that read it need not be looked at.
#[device]
fn saved_for(r: RowId, rows: &Located, target: Target) -> u32 {
    let kind = rows.kind[r];
    let writes = (kind == Kind::HeldAssign) | (kind == Kind::HeldParam);
    if writes { held_saves(target, held_register(rows.data[r])) } else { 0 }
}

/// Returns whether a location is a register that functions save for a variable.
#[device]
fn is_of_variable(target: Target, place: u8) -> bool {
    is_register(place) && held_saves(target, place) != 0
}

/// Returns whether row `r` may need anything.
#[device(compact)]
fn may_need(r: RowId, rows: &Located, target: Target, holds: bool) -> bool {
    let kind = rows.kind[r];
    let place = rows.place[r];
    let waits = saved_registers(target, place) != 0 && !(holds && is_of_variable(target, place));
    waits
        | (holds && saved_for(r, rows, target) != 0)
        | (place == SPILLED)
        | kind.is_call(rows.ty[r])
        | kind.is_declaration()
        | (kind == Kind::Param)
        | (kind == Kind::Function)
}

/// Returns how many of the kept rows come before function `f`.
#[device(map)]
fn first_kept(f: usize, heads: &[u32], kept: &[u32]) -> u32 {
    let mut low = 0usize;
    let mut high = kept.len();
    while low < high {
        let middle = (low + high) / 2;
        if kept[middle] < heads[f] {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low as u32
}

/// Returns what kept row `i` needs.
#[device(segmented_scan(maximum))]
fn needs(i: usize, kept: &[u32], rows: &Located, target: Target, holds: bool) -> Needs {
    let r = RowId::new(kept[i]);
    let kind = rows.kind[r];
    let place = rows.place[r];
    let mut need = Needs {
        ints: 0,
        floats: 0,
        spills: 0,
        outgoing: 0,
        variables: 0,
        calls: kind.is_call(rows.ty[r]) as u32,
        nested: (kind == Kind::Function && rows.aux[r] > 0) as u32,
        held: 0,
    };
    if kind == Kind::Declare || (kind == Kind::Param && rows.aux[r] < STACK) {
        need.variables = variable_words(target, rows.data[r]);
    }
    if kind == Kind::Param && rows.aux[r] >= STACK && target == Target::X86_64 {
        // The argument is found from the upper end of a frame, which contains the return address.
        need.variables = 1;
    }
    if kind == Kind::Count {
        let counter = rows.data[r];
        need.variables = variable_words(target, last_value_offset(target, counter));
        need.held = if is_held(counter) { held_saves(target, held_register(counter)) } else { 0 };
    }
    if holds {
        need.held = maximum_saves(need.held, saved_for(r, rows, target));
        if is_of_variable(target, place) {
            return need;
        }
    }
    if kind == Kind::Arg {
        if place == SPILLED {
            need.outgoing = stack_word(target, r, rows) + 1;
        }
    } else if place == SPILLED {
        need.spills = rows.ints[r] + rows.floats[r] + 1;
    } else if is_int(place) {
        need.ints = saved_registers(target, place);
    } else if is_float(place) {
        need.floats = saved_registers(target, place);
    }
    need
}

#[device(map)]
fn frame(f: usize, needs: &[Needs], target: Target) -> Frame {
    layout(target, needs[f])
}

/// Lays out the frame of each function. `holds` is true if variables have registers.
pub fn frames<B: Backend>(
    backend: &B,
    target: Target,
    holds: bool,
    heads: &Heads<B>,
    rows: &Located<B>,
) -> Result<Frames<B>> {
    let kept = backend.compact(may_need::of(rows, target, holds))?;
    let first = backend.map(first_kept::of(&heads.row, &kept))?;
    // Numbers of rows before each function.
    let first = Offsets::assume(backend, &first, kept.len())?;
    let needs = backend.segmented_reduce_from(&first, needs::of(&kept, rows, target, holds), maximum)?;
    Ok(Frames { frame: backend.map(frame::of(&needs, target))? })
}
