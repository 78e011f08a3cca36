//! Variables get offsets in frames, parameters the location where they arrive (Pareas, section 3.1).
//!
//! ```text
//! fn f[a: int, b: float]   slot 0, slot 1    a in a0, b in fa0
//!     var c = a            slot 2            data of `c`: -20; of the read of `a`: -12
//! ```
//!
//! Offsets count from the upper end of the [frame](crate::ir::frame). A parameter that the caller passes on the stack
//! stays there, at an offset of 0 or more.
//!
//! Cost: work O(n), one scan, 8 bytes per node.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::frame::variable_offset;
use crate::ir::kinds::{is_function, kind, ty};
use crate::ir::nodes::{Lifted, Variables};
use crate::ir::registers::{STACK, argument_location};

/// The number of declarations in a function so far.
#[device]
pub struct Declared {
    /// PARAM and DECLARE nodes.
    pub slots: u32,
    /// Float parameters among them.
    pub floats: u32,
    /// 1 if a function begins here, so that earlier counts do not matter.
    pub begins: u32,
}

#[device(monoid(identity = Declared { slots: 0, floats: 0, begins: 0 }))]
fn add_declared(a: Declared, b: Declared) -> Declared {
    if b.begins != 0 {
        b
    } else {
        Declared { slots: a.slots.wrapping_add(b.slots), floats: a.floats.wrapping_add(b.floats), begins: a.begins }
    }
}

#[device(scan(add_declared))]
fn declared(i: usize, kind: &[u8], ty: &[u8]) -> Declared {
    let parameter = kind[i] == kind::PARAM;
    Declared {
        slots: (parameter || kind[i] == kind::DECLARE) as u32,
        floats: (parameter && ty[i] == ty::FLOAT) as u32,
        begins: is_function(kind[i]) as u32,
    }
}

/// Returns `data` and `aux` of a node, as [`Variables`] describes them.
#[device(scan_map(declared, add_declared))]
fn resolved(i: usize, before: Declared, kind: &[u8], ty: &[u8], data: &[u32], hops: &[u32], end: &[u32]) -> (u32, u32) {
    let k = kind[i];
    if k != kind::PARAM && k != kind::DECLARE {
        return (data[i], hops[i]);
    }
    let offset = variable_offset(before.slots);
    if k == kind::DECLARE {
        return (offset, (end[i] > i as u32 + 1) as u32);
    }
    let location = argument_location(ty[i] == ty::FLOAT, before.slots - before.floats, before.floats);
    (if location >= STACK { (location - STACK) * 4 } else { offset }, location)
}

/// Gives each variable an offset in the frame of its function.
pub fn variables<B: Backend>(backend: &B, lifted: &Lifted<B>) -> Result<Variables<B>> {
    let Lifted { nodes, structure, hops } = lifted;
    let ((data, aux), _) = backend.scan_map(declared::of(&nodes.kind, &nodes.ty), add_declared, resolved::of(&nodes.kind, &nodes.ty, &nodes.data, hops, &structure.end))?;
    Ok(Variables { data, aux })
}
