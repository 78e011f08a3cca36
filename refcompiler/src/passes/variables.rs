//! Variables become offsets in frames, parameters learn where they come in (Pareas, section 3.1).
//!
//! ```text
//! fn f[a: int, b: float]   slot 0, slot 1    a in a0, b in fa0
//!     var c = a            slot 2            data of `c`: -20; of the read of `a`: -12
//! ```
//!
//! Offsets count from the frame's upper end, the stack pointer of the caller: -4 holds the return address, -8 the
//! static link, and slot s stands at -12 - 4s. A parameter that the caller left on the stack stays there, at 4k.
//!
//! Cost: work O(n), one scan, 8 bytes a node.

use treepar::device::device;
use treepar::{Backend, Result};

use super::lift::Lifted;
use crate::riscv::register;
use crate::tree::{kind, ty};

/// Where a parameter or argument stands: a register's number, or this and the word on the stack.
pub const STACK: u32 = 64;

/// Declarations of a function so far.
#[device]
pub struct Declared {
    /// PARAM and DECLARE nodes.
    pub slots: u32,
    /// Float parameters among them.
    pub floats: u32,
    /// Whether a function begins here, before which nothing counts.
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
        begins: (kind[i] == kind::FUNCTION || kind[i] == kind::EXTERN) as u32,
    }
}

/// Where the calling convention ilp32f puts a value that `ints` ints and `floats` floats precede: floats go to
/// fa0..fa7, then, like ints, to what is left of a0..a7, then to the stack.
#[device]
pub fn place_of_argument(is_float: bool, ints: u32, floats: u32) -> u32 {
    if is_float && floats < 8 {
        return register::FA0 as u32 + floats;
    }
    let taken = ints + if floats > 8 { floats - 8 } else { 0 };
    if taken < 8 { register::A0 as u32 + taken } else { STACK + taken - 8 }
}

/// `data` and `aux` of each node: for PARAM and DECLARE its offset, and a parameter's place or whether a declaration
/// has a value of its own.
#[device(scan_map(declared, add_declared))]
fn placed(i: usize, before: Declared, kind: &[u8], ty: &[u8], data: &[u32], hops: &[u32], end: &[u32]) -> (u32, u32) {
    let k = kind[i];
    if k != kind::PARAM && k != kind::DECLARE {
        return (data[i], hops[i]);
    }
    let offset = before.slots.wrapping_mul(4).wrapping_add(12).wrapping_neg();
    if k == kind::DECLARE {
        return (offset, (end[i] > i as u32 + 1) as u32);
    }
    let place = place_of_argument(ty[i] == ty::FLOAT, before.slots - before.floats, before.floats);
    (if place >= STACK { (place - STACK) * 4 } else { offset }, place)
}

/// The data of a node whose `placed` data names a declaration, or the node's own.
#[device]
pub fn resolved(i: usize, kind: &[u8], placed: &[u32]) -> u32 {
    if kind[i] == kind::NAME || kind[i] == kind::ASSIGN { placed[placed[i] as usize] } else { placed[i] }
}

/// What the variables' pass yields.
pub struct Variables<B: Backend> {
    /// A node's data; of PARAM and DECLARE the offset; of NAME and ASSIGN still the declaration: see [`resolved()`].
    pub data: B::Vec<u32>,
    /// NAME, ASSIGN, CALL: links to follow; FUNCTION: functions around it; PARAM: where it comes in; DECLARE: 1 if it
    /// has a value of its own.
    pub aux: B::Vec<u32>,
}

/// Gives each variable its place in its function's frame.
pub fn variables<B: Backend>(backend: &B, lifted: &Lifted<B>) -> Result<Variables<B>> {
    let Lifted { nodes, structure, hops } = lifted;
    let ((data, aux), _) = backend.scan_map(
        declared::of(&nodes.kind, &nodes.ty),
        add_declared,
        placed::of(&nodes.kind, &nodes.ty, &nodes.data, hops, &structure.end),
    )?;
    Ok(Variables { data, aux })
}
