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
//! Cost: work O(n), one scan of 8 bytes a node, one map.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::sum_u32;
use treepar::{Backend, Column, Result};

use super::lift::Lifted;
use crate::riscv::register;
use crate::tree::{kind, ty};

/// Where a parameter or argument stands: a register's number, or this and the word on the stack.
pub const STACK: u32 = 64;

/// Numbers of declarations and of float parameters.
#[device]
pub struct Declared {
    /// PARAM and DECLARE nodes.
    pub slots: u32,
    /// Float parameters among them.
    pub floats: u32,
}

#[device(monoid(identity = Declared { slots: 0, floats: 0 }))]
fn add_declared(a: Declared, b: Declared) -> Declared {
    Declared { slots: a.slots.wrapping_add(b.slots), floats: a.floats.wrapping_add(b.floats) }
}

#[device(scan(add_declared))]
fn declared(i: usize, kind: &[u8], ty: &[u8]) -> Declared {
    let parameter = kind[i] == kind::PARAM;
    Declared {
        slots: (parameter || kind[i] == kind::DECLARE) as u32,
        floats: (parameter && ty[i] == ty::FLOAT) as u32,
    }
}

#[device(compact)]
fn is_root(i: usize, depth: &[u32]) -> bool {
    depth[i] == 0
}

#[device(scan(sum_u32))]
fn root(i: usize, depth: &[u32]) -> u32 {
    (depth[i] == 0) as u32
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

/// The offset of variable `i` from the upper end of its function's frame.
#[device]
fn offset_of(i: usize, declared: &[Declared], place: u32, head: usize) -> u32 {
    if place >= STACK {
        (place - STACK) * 4
    } else {
        (declared[i].slots - declared[head].slots).wrapping_mul(4).wrapping_add(12).wrapping_neg()
    }
}

/// Where a parameter comes in; a register for what is none, so that it has a slot.
#[device]
fn place_of(i: usize, kind: &[u8], ty: &[u8], declared: &[Declared], head: usize) -> u32 {
    if kind[i] != kind::PARAM {
        return 0;
    }
    let floats = declared[i].floats - declared[head].floats;
    let ints = declared[i].slots - declared[head].slots - floats;
    place_of_argument(ty[i] == ty::FLOAT, ints, floats)
}

/// `data` and `aux` of each node with variables resolved: the offset of what PARAM, DECLARE, NAME and ASSIGN name, and
/// a parameter's place beside the links of the others.
#[device(map)]
fn resolved(
    i: usize,
    kind: &[u8],
    ty: &[u8],
    data: &[u32],
    hops: &[u32],
    end: &[u32],
    declared: &[Declared],
    root: &[u32],
    heads: &[u32],
) -> (u32, u32) {
    let k = kind[i];
    if k == kind::NAME || k == kind::ASSIGN {
        let declaration = data[i] as usize;
        let head = heads[root[declaration] as usize - 1] as usize;
        return (offset_of(declaration, declared, place_of(declaration, kind, ty, declared, head), head), hops[i]);
    }
    if k == kind::PARAM || k == kind::DECLARE {
        let head = heads[root[i] as usize - 1] as usize;
        let place = place_of(i, kind, ty, declared, head);
        let initialised = (end[i] > i as u32 + 1) as u32;
        return (offset_of(i, declared, place, head), if k == kind::PARAM { place } else { initialised });
    }
    (data[i], hops[i])
}

/// What the variables' pass yields.
pub struct Variables<B: Backend> {
    /// A node's data, with offsets in place of declarations.
    pub data: B::Vec<u32>,
    /// NAME, ASSIGN, CALL: links to follow; FUNCTION: functions around it; PARAM: where it comes in; DECLARE: 1 if it has a value of its own.
    pub aux: B::Vec<u32>,
    /// The root of each function in preorder.
    pub heads: B::Vec<u32>,
    /// One more than the function of each node.
    pub root: B::Vec<u32>,
    /// Slots declared before each node.
    pub declared: B::Vec<Declared>,
    /// Slots declared at all.
    pub total: u32,
}

/// Gives each variable its place in its function's frame.
pub fn variables<B: Backend>(backend: &B, lifted: &Lifted<B>) -> Result<Variables<B>> {
    let Lifted { nodes, structure, hops } = lifted;
    let n = nodes.kind.len();
    let (declared, total) =
        backend.scan::<declared, add_declared>(ScanKind::Exclusive, n, (&nodes.kind, &nodes.ty))?;
    let heads = backend.compact::<is_root>(n, (&nodes.depth,))?;
    let (root, _) = backend.scan::<root, sum_u32>(ScanKind::Inclusive, n, (&nodes.depth,))?;
    let (data, aux) = backend.map::<resolved>(
        n,
        (&nodes.kind, &nodes.ty, &nodes.data, hops, &structure.end, &declared, &root, &heads),
    )?;
    Ok(Variables { data, aux, heads, root, declared, total: total.slots })
}
