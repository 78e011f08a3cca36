//! Stack frames: the size of each part of a function's frame is the maximum over its rows (Pareas, section 3.5).
//!
//! ```text
//! rows       declare x    call g (7 words on the stack)    value spilled at height 2    place s1
//! needs      1 variable   7 outgoing words, a call         3 spills                     2 saved ints
//! ```
//!
//! [`ir::frame`](crate::ir::frame) draws the layout.
//!
//! Few rows need anything, so they are found first.
//!
//! Cost: work O(n), one compaction of 3 bytes per row, one segmented reduce of the rows that it keeps.

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

/// 1 for each location that is a part of a frame: saved registers and spilled values.
const IN_FRAME: [u8; 256] = {
    let mut table = [0; 256];
    table[SPILLED as usize] = 1;
    let mut k = 0;
    while k < INTS.len() + FLOATS.len() {
        if k >= INT_TEMPORARIES as usize && k < INTS.len() {
            table[INTS[k] as usize] = 1;
        }
        if k >= INTS.len() + FLOAT_TEMPORARIES as usize {
            table[FLOATS[k - INTS.len()] as usize] = 1;
        }
        k += 1;
    }
    table
};

/// Returns whether row `r` may need anything.
#[device(compact)]
fn may_need(r: RowId, rows: &Located) -> bool {
    let kind = rows.kind[r];
    (IN_FRAME[rows.place[r] as usize] != 0)
        | kind.is_call(rows.ty[r])
        | (kind == Kind::Declare)
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
fn needs(i: usize, kept: &[u32], rows: &Located) -> Needs {
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
    let kept = backend.compact(may_need::of(rows))?;
    let first = backend.map(first_kept::of(&heads.row, &kept))?;
    let needs = backend.segmented_reduce(&first, needs::of(&kept, rows), maximum)?;
    Ok(Frames { frame: backend.map(frame::of(&needs))? })
}
