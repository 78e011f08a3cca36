//! Stack frames: one a function, laid out from what its rows need (Pareas, section 3.5).
//!
//! ```text
//! caller's sp ->  -4  return address       offsets of variables count from here
//!                 -8  static link
//!                -12  variables, first to last, downwards
//!                     (up to 15 bytes of padding)
//!  sp + saves         saved registers
//!  sp + spills        spilled values by evaluation-stack height
//!  sp + 0             arguments that go on the stack
//! ```
//!
//! A function that calls nothing, declares nothing and spills nothing has none.
//!
//! Cost: work O(n), one segmented reduce of 35 bytes a row.

use treepar::device::device;
use treepar::{Backend, Result};

use super::allocate::{Allocation, FLOAT_TEMPORARIES, FLOATS, INT_TEMPORARIES, INTS, SPILLED, is_call, place_passed};
use super::flatten::Rows;
use super::variables::STACK;
use crate::tree::{kind, ty};

/// What rows need of their function's frame: words, and whether they call and stand in another function.
#[device]
pub struct Needs {
    ints: u32,
    floats: u32,
    spills: u32,
    outgoing: u32,
    variables: u32,
    calls: u32,
    nested: u32,
}

#[device(monoid(identity = Needs { ints: 0, floats: 0, spills: 0, outgoing: 0, variables: 0, calls: 0, nested: 0 }))]
fn most(a: Needs, b: Needs) -> Needs {
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

/// What row `r` needs.
#[device(segmented_scan(most))]
fn needs(
    r: usize,
    kind: &[u8],
    ty: &[u8],
    data: &[u32],
    aux: &[u32],
    operand: &[u32],
    target: &[u32],
    place: &[u8],
    ints: &[u32],
    floats: &[u32],
) -> Needs {
    let mut need = Needs {
        ints: 0,
        floats: 0,
        spills: 0,
        outgoing: 0,
        variables: 0,
        calls: is_call(kind[r], ty[r]) as u32,
        nested: (kind[r] == kind::FUNCTION && aux[r] > 0) as u32,
    };
    if kind[r] == kind::DECLARE || (kind[r] == kind::PARAM && aux[r] < STACK) {
        // The first stands 12 bytes below the frame's end.
        need.variables = (data[r].wrapping_neg() - 8) / 4;
    }
    if kind[r] == kind::ARG {
        if place[r] == SPILLED {
            let passed = place_passed(ty[r] == ty::FLOAT, operand[r] as usize, target[r] as usize, ints, floats);
            need.outgoing = passed - STACK + 1;
        }
    } else if place[r] == SPILLED {
        need.spills = ints[r] + floats[r] + 1;
    } else if place[r] < 32 {
        let height = ints[r];
        if height >= INT_TEMPORARIES && place[r] == INTS[height.min(15) as usize] {
            need.ints = height - INT_TEMPORARIES + 1;
        }
    } else if place[r] < 64 {
        let height = floats[r];
        if height >= FLOAT_TEMPORARIES && place[r] == FLOATS[height.min(21) as usize] {
            need.floats = height - FLOAT_TEMPORARIES + 1;
        }
    }
    need
}

/// A function's frame.
#[device]
pub struct Frame {
    /// Its size, a multiple of 16; 0 for none.
    pub bytes: u32,
    /// Offset of the spilled values from sp.
    pub spills: u32,
    /// Offset of the saved registers from sp.
    pub saves: u32,
    /// Saved ints: the first of `INTS` after the temporaries.
    pub ints: u32,
    /// Saved floats, likewise.
    pub floats: u32,
    /// Whether it calls, so that the return address is saved.
    pub calls: u32,
    /// Whether it stands in another function, so that the static link is saved.
    pub nested: u32,
}

#[device(map)]
fn frame(f: usize, needs: &[Needs]) -> Frame {
    let need = needs[f];
    let words = need.outgoing + need.spills + need.ints + need.floats + need.variables;
    let bytes = if words + need.calls + need.nested == 0 { 0 } else { (words * 4 + 8 + 15) / 16 * 16 };
    let spills = need.outgoing * 4;
    Frame {
        bytes,
        spills,
        saves: spills + need.spills * 4,
        ints: need.ints,
        floats: need.floats,
        calls: need.calls,
        nested: need.nested,
    }
}

/// Lays out the frame of each function; `heads` is the first row of each.
pub fn frames<B: Backend>(
    backend: &B,
    heads: &B::Vec<u32>,
    rows: &Rows<B>,
    allocation: &Allocation<B>,
) -> Result<B::Vec<Frame>> {
    let Allocation { ints, floats, place, .. } = allocation;
    let needs = backend.segmented_reduce(
        heads,
        needs::of(&rows.kind, &rows.ty, &rows.data, &rows.aux, &rows.operand, &rows.target, place, ints, floats),
        most,
    )?;
    backend.map(frame::of(&needs))
}
