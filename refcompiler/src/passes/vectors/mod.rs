//! Counted loops over the elements of arrays become loops over vectors, on x86-64.
//!
//! ```text
//! for i < n { store words[x, i] = load words[a, i] * k }          x, a: addresses of elements
//! becomes
//! var m = n; var v = m & -8;                                       8 lanes
//! stream 0 = x; stream 1 = a; held 0 = splat k;
//! vector loop m by 2 { write stream 0 = read stream 1 * held 0; write stream 0 + 1 = (read stream 1 + 1) * held 0 }
//! vector loop m, from there { write stream 0 = read stream 1 * held 0 }
//! vector end;
//! for j < m - v { store words[x, v + j] = load words[a, v + j] * k }
//! ```
//!
//! `loops` marks the loops of operations that collect one element per iteration, or reduce. Their number of iterations is an extent, and so
//! is not negative. The other loops are those of the program. A loop is changed if all its nodes are of the table below. Then its iterations
//! are independent, except for reductions so far: an iteration accesses only the elements with its number, and arrays of different
//! variables have no element in common if one of them is written.
//!
//! | node | becomes |
//! |---|---|
//! | an access of the element with the index of the iteration | a read or write of a stream |
//! | the check of this index | a limit of the number of vectors. The loop over the rest has the check, and fails where it failed before |
//! | a variable of the iteration | a held vector |
//! | a number of the function around, a literal | a held vector with the number in all lanes |
//! | an operator, a cast, `sqrt`, `abs` | an operation on vectors |
//! | `addsat` and `subsat` of elements with 8 or 16 bits | the same, if both operands are such elements |
//! | `if[c, x, y]` and `where` | a choice by a mask. Both parts are computed: they have no effects, and nothing in them can fail |
//! | a reduction of ints by `+ - * & \| ^ && \|\|`, `min` or `max` | a held vector, and a reduction of its lanes after the loop |
//!
//! Refused, each with a [`Reason`]: other accesses; other statements, such as loops and branches; calls, and so the remainder of floats;
//! division of ints; reductions of floats, whose order the language defines; few iterations; more streams, held vectors or waiting vectors
//! than there are registers. `--emit vectors` prints the reasons.
//!
//! **Lanes.** A vector has lanes of the size of the elements if all elements have one size and all operations belong to a ring, `+ - *
//! & | ^ ~` and shifts to the left, or saturate: then the low bits of the results depend on the low bits of the operands only. Otherwise
//! lanes have 32 bits: loads widen elements, stores narrow them.
//!
//! **NaN.** Scalar code replaces each NaN by the canonical one. Operations on floats yield a NaN if an operand is one, whichever it is.
//! So a NaN is replaced once, before a store, a variable or an operation on the bits of the float: negation and `abs`. The last statement
//! stores all NaNs, and adds what it stores to a held vector, which becomes a NaN by any. Then a loop after the others replaces the NaNs in
//! the array. Opposite infinities cause this loop too, to no effect.
//!
//! **Registers.** The loop counts as a call: values that wait for their use are in the frame meanwhile, and the loop has all registers
//! that functions do not save. Vectors never wait in the frame.
//!
//! **Operands in memory.** With AVX2 and AVX-512, an operator takes its right operand from memory if this is an element in lanes of its own
//! size; or else the left one, if both can be exchanged.
//!
//! **Unrolling.** With the pass `unrolling`, an iteration has two vectors if its body is short, and four if it is very short. Then a second
//! loop has the vectors that may be left, and each reduction has two accumulators if there are registers. The second begins with the neutral
//! number.
//!
//! Each node has up to eight runs of new nodes: before the loop, in the loop over vectors, up to three times more in it, in the second loop,
//! after that, and in the loop over the remaining elements. A run's position follows from the sizes of all runs before it: one scan. So no step visits nodes in order.
//!
//! Cost: work O(n + m) for m new nodes, a fixed number of templates.
//!
//! Source: Vector Pascal's rules V5 and V8 (the remainder by scalar code). Masks, narrow lanes and the decision by one upward walk are ours.

mod context;
mod lanes;
mod registers;
mod sizes;
mod verdict;
mod write;

use treepar::backend::{Offsets, ScanKind};
use treepar::depth::Parents;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::lanes::Cpu;
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::positions::{NOWHERE, Positions};
use context::{Facts, is_loop, relations};
use registers::{Registers, registers};
use sizes::{DecidedOn, RUNS, Sizes, length_of_run, sizes};
pub use verdict::Reason;
use verdict::{Verdicts, verdicts};
use write::{PlanOn, written};

/// The decision about a loop, for listings.
pub struct Decision {
    /// The node of the loop.
    pub node: u32,
    /// One more than the position in the sources of the operation, or of the first access of a loop of the program.
    pub position: u32,
    /// The number of lanes, or 0.
    pub lanes: u32,
    /// The bits of a lane.
    pub bits: u32,
    /// The reason if it stays, and the first node that gives it.
    pub reason: Option<(Reason, u32)>,
}

/// The facts and the decisions about a program.
struct Analysis<B: Backend> {
    parents: Parents<B>,
    facts: Facts<B>,
    verdicts: Verdicts<B>,
    registers: Registers<B>,
}

/// Returns whether a loop is changed.
#[device(compact)]
fn is_changed(f: NodeId, registers: &Registers) -> bool {
    registers.lanes[f] != 0
}

/// Returns the facts and the decisions, `None` if there is no loop.
fn analysis<B: Backend>(backend: &B, nodes: &Nodes<B>, cpu: Cpu, unrolls: bool) -> Result<Option<Analysis<B>>> {
    if backend.compact(is_loop::of(nodes).rows(nodes.len()))?.is_empty() {
        return Ok(None);
    }
    let (parents, facts) = relations(backend, nodes)?;
    let verdicts = verdicts(backend, nodes, (&parents, &facts), cpu)?;
    let registers = registers(backend, nodes, (&parents, &facts, &verdicts), unrolls)?;
    Ok(Some(Analysis { parents, facts, verdicts, registers }))
}

/// Replaces loops over elements by loops over vectors of a processor. If `unrolls` is true, iterations of short loops have several vectors.
pub fn vectors<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    cpu: Cpu,
    unrolls: bool,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let n = nodes.len();
    let Some(Analysis { parents, facts, verdicts, registers }) = analysis(backend, &nodes, cpu, unrolls)? else {
        return Ok(nodes);
    };
    if backend.compact(is_changed::of(&registers).rows(n))?.is_empty() {
        return Ok(nodes);
    }
    let decided = DecidedOn { nodes: &nodes, facts: &facts, verdicts: &verdicts, registers: &registers };
    let (sizes, total): (Sizes<B>, usize) = sizes(backend, &parents, &decided, cpu)?;
    let lengths = length_of_run::of(&decided, cpu).rows(RUNS as usize * n);
    let (offsets, _) = backend.scan(ScanKind::Exclusive, lengths, Sum)?;
    let offsets = Offsets::assume(backend, &offsets, total)?;
    let plan = PlanOn { nodes: &nodes, facts: &facts, verdicts: &verdicts, registers: &registers, sizes: &sizes };
    let (to, depths, kinds, types, values, origins) = backend.expand_from(&offsets, written::of(&plan, cpu))?;
    let mut depth = backend.filled(total, 0u32)?;
    let mut kind = backend.filled(total, Kind::Empty)?;
    let mut ty = backend.filled(total, Type::Void)?;
    let mut data = backend.filled(total, 0u32)?;
    backend.scatter(&mut depth, &to, &depths)?;
    backend.scatter(&mut kind, &to, &kinds)?;
    backend.scatter(&mut ty, &to, &types)?;
    backend.scatter(&mut data, &to, &values)?;
    positions.change(|before| {
        let mut after = backend.filled(total, NOWHERE)?;
        let moved = backend.map(write::position::of(&origins, before).rows(total))?;
        backend.scatter(&mut after, &to, &moved)?;
        Ok(after)
    })?;
    Ok(Nodes { depth, kind, ty, data })
}

/// Returns the decision about each loop of an operation on whole arrays, and about each loop of the program that accesses elements and has
/// no loop inside, in order.
pub fn decisions<B: Backend>(backend: &B, nodes: &Nodes<B>, cpu: Cpu) -> Result<Vec<Decision>> {
    let Some(Analysis { facts, verdicts, registers, .. }) = analysis(backend, nodes, cpu, false)? else {
        return Ok(Vec::new());
    };
    let loops = backend.download(&backend.compact(is_loop::of(nodes).rows(nodes.len()))?)?;
    let (kind, data, end) =
        (backend.download(&nodes.kind)?, backend.download(&nodes.data)?, backend.download(&facts.end)?);
    let bits = backend.download(&registers.lanes)?;
    let first = backend.download(&verdicts.first)?;
    let reasons = backend.download(&verdicts.reason)?;
    let lacks = backend.download(&registers.lack)?;
    let position = |f: usize| {
        let inside = f + 1..end[f] as usize;
        let check = inside.clone().find(|&i| kind[i] == Kind::CheckIndex);
        let has_loop = inside.clone().any(|i| kind[i] == Kind::For);
        if data[f] != 0 { Some(data[f]) } else { check.filter(|_| !has_loop).map(|check| data[check]) }
    };
    let decide = |f: u32| {
        let i = f as usize;
        let position = position(i)?;
        let reason = match first[i] {
            u32::MAX => (lacks[i] != Reason::None).then_some((lacks[i], f)),
            node => Some((reasons[node as usize], node)),
        };
        let lanes = if reason.is_none() { 8 * cpu.vector_bytes() / bits[i].max(1) } else { 0 };
        Some(Decision { node: f, position, lanes, bits: bits[i], reason })
    };
    Ok(loops.into_iter().filter_map(decide).collect())
}
