//! Variables get offsets in frames, parameters the location where they arrive (Pareas, section 3.1).
//!
//! ```text
//! fn f[a: int, b: float]   slot 0, slot 1    a in a0, b in fa0
//!     var c = a            slot 2            data of `c`: -20; of the read of `a`: -12
//! ```
//!
//! The counter of a `for` has two slots: one for its value, and one for its last value. A variable in a register has none for its
//! value.
//!
//! Offsets count from the upper end of the [frame](crate::ir::frame). A parameter that the caller passes on the stack
//! stays there, at an offset of 0 or more.
//!
//! Cost: work O(n), one scan, 8 bytes per node.

use treepar::device::device;
use treepar::{Backend, Result};

use crate::ir::frame::{argument_bytes, variable_offset};
use crate::ir::held::{held_data, held_register, is_held};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Lifted, NodeId, Nodes, Variable, Variables};
use crate::ir::registers::{STACK, argument_location};
use crate::target::Target;

/// The number of declarations in a function so far.
#[device]
pub struct Declared {
    /// The slots of PARAM, DECLARE and COUNT nodes.
    pub slots: u32,
    /// The parameters that are not floats.
    pub ints: u32,
    /// The parameters that are floats.
    pub floats: u32,
    /// 1 if a function begins here, so that earlier counts do not matter.
    pub begins: u32,
}

#[device(monoid(identity = Declared { slots: 0, ints: 0, floats: 0, begins: 0 }))]
fn add_declared(a: Declared, b: Declared) -> Declared {
    if b.begins != 0 {
        b
    } else {
        Declared {
            slots: a.slots.wrapping_add(b.slots),
            ints: a.ints.wrapping_add(b.ints),
            floats: a.floats.wrapping_add(b.floats),
            begins: a.begins,
        }
    }
}

#[device(scanned)]
fn declared(i: NodeId, nodes: &Nodes, hops: &[u32]) -> Declared {
    let kind = nodes.kind[i];
    let parameter = kind == Kind::Param;
    let is_in_frame = (parameter || kind.is_declaration()) && hops[i.index()] == 0;
    let is_float = nodes.ty[i] == Type::Float;
    Declared {
        slots: is_in_frame as u32 + (kind == Kind::Count) as u32,
        ints: (parameter & !is_float) as u32,
        floats: (parameter & is_float) as u32,
        begins: kind.is_function() as u32,
    }
}

/// Returns a node's facts about variables.
#[device(scan_map(declared, add_declared))]
fn resolved(i: NodeId, before: Declared, nodes: &Nodes, hops: &[u32], end: &[u32], target: Target) -> Variable {
    let kind = nodes.kind[i];
    let offset = variable_offset(target, before.slots);
    let declares = kind.is_declaration() | (kind == Kind::Param);
    let held = if declares { hops[i.index()] } else { 0 };
    if kind.is_declaration() {
        let counter = held_data(held_register(held) as u32, before.slots);
        let in_register = if kind == Kind::Count { counter } else { held };
        return Variable {
            data: if is_held(held) { in_register } else { offset },
            aux: (end[i.index()] > i.get() + 1) as u32,
        };
    }
    if kind == Kind::Param {
        let is_float = nodes.ty[i] == Type::Float;
        let location = argument_location(target, is_float, before.ints, before.floats);
        if is_held(held) {
            return Variable { data: held, aux: location };
        }
        return Variable {
            data: if location >= STACK { (location - STACK) * argument_bytes(target) } else { offset },
            aux: location,
        };
    }
    Variable { data: nodes.data[i], aux: hops[i.index()] }
}

/// Gives each variable an offset in the frame of its function.
pub fn variables<B: Backend>(backend: &B, target: Target, lifted: &Lifted<B>) -> Result<Variables<B>> {
    let Lifted { nodes, structure, hops } = lifted;
    let resolve = resolved::of(nodes, hops, &structure.end, target);
    Ok(backend.scan_map_later(declared::of(nodes, hops), add_declared, resolve)?.0)
}
