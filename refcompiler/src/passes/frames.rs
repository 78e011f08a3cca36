//! Stack frames: the size of each part of a function's frame is the maximum over its rows (Pareas, section 3.5).
//!
//! ```text
//! rows       declare x    call g (7 words on the stack)    value spilled at height 2    place s1
//! needs      1 variable   7 outgoing words, a call         3 spills                     2 saved ints
//! ```
//!
//! [`ir::frame`](crate::ir::frame) draws the layout.
//!
//! Cost: work O(n), one segmented reduce of 35 bytes per row.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::frame::{Frame, Frames, Needs, layout, variable_words};
use crate::ir::kinds::Kind;
use crate::ir::registers::{SPILLED, STACK, is_float, is_int};
use crate::ir::rows::{Heads, Located, RowId, stack_word};
use crate::target::riscv::registers::{FLOAT_TEMPORARIES, FLOATS, INT_TEMPORARIES, INTS};

#[device(monoid(identity = Needs { ints: 0, floats: 0, spills: 0, outgoing: 0, variables: 0, calls: 0, nested: 0 }))]
fn maximum(a: Needs, b: Needs) -> Needs {
    Needs {
        ints: a.ints.max(b.ints),
        floats: a.floats.max(b.floats),
        spills: a.spills.max(b.spills),
        outgoing: a.outgoing.max(b.outgoing),
        variables: a.variables.max(b.variables),
        calls: a.calls.max(b.calls),
        nested: a.nested.max(b.nested),
    }
}

/// Returns the number of int registers to save if register `place` holds the value at `height`.
#[device]
fn saved_ints(place: u8, height: u32) -> u32 {
    let is_own = height >= INT_TEMPORARIES && height < INTS.len() as u32 && place == INTS[height as usize];
    if is_own { height - INT_TEMPORARIES + 1 } else { 0 }
}

/// Returns the number of float registers to save.
#[device]
fn saved_floats(place: u8, height: u32) -> u32 {
    let is_own = height >= FLOAT_TEMPORARIES && height < FLOATS.len() as u32 && place == FLOATS[height as usize];
    if is_own { height - FLOAT_TEMPORARIES + 1 } else { 0 }
}

/// Returns what row `r` needs.
#[device(segmented_scan(maximum))]
fn needs(r: RowId, rows: &Located) -> Needs {
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
    };
    if kind == Kind::Declare || (kind == Kind::Param && rows.aux[r] < STACK) {
        need.variables = variable_words(rows.data[r]);
    }
    if kind == Kind::Arg {
        if place == SPILLED {
            need.outgoing = stack_word(r, rows) + 1;
        }
    } else if place == SPILLED {
        need.spills = rows.ints[r] + rows.floats[r] + 1;
    } else if is_int(place) {
        need.ints = saved_ints(place, rows.ints[r]);
    } else if is_float(place) {
        need.floats = saved_floats(place, rows.floats[r]);
    }
    need
}

#[device(map)]
fn frame(f: usize, needs: &[Needs]) -> Frame {
    layout(needs[f])
}

/// Lays out the frame of each function.
pub fn frames<B: Backend>(backend: &B, heads: &Heads<B>, rows: &Located<B>) -> Result<Frames<B>> {
    let needs = backend.segmented_reduce(&heads.row, needs::of(rows), maximum)?;
    Ok(Frames { frame: backend.map(frame::of(&needs))? })
}
