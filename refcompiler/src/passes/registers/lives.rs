//! The lives of variables that can have registers.
//!
//! ```text
//! nodes      0 while   2 b   4 block   6 declare rest   11 assign a   12 b   14 assign b   15 rest    (of the example)
//! uses       variable    node   end of the row that takes the value, or of the outermost loop without the declaration
//! life       declare     the greatest end of its uses
//! ```
//!
//! `uses` finds the ends of all uses. The end of a life is their maximum.
//!
//! Lives x and y overlap if y begins within x and ends after it. Then x is extended to the end of y. The first life after x that
//! ends later is y; if y begins within x, x ends where y ends after it is extended itself. So one search and one walk extend all. A test
//! compares this with repeated extension.

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Lifted, NodeId, Nodes};
use crate::target::Target;
use crate::target::riscv::registers::ARGUMENTS;
use crate::target::x86_64::registers::INT_ARGUMENTS;

use super::uses::{Around, IN_CALL, MAY_NOT_RUN, Used, around, rows_below, shows_nan, taken, used_of};

/// An index of a variable that can have a register, in the order of declarations.
#[device(index)]
pub struct LifeId(u32);

/// The life of a variable.
#[device(columns(Lives, index = LifeId))]
pub struct Life {
    /// The declaration.
    pub node: u32,
    /// The first node after the life.
    pub end: u32,
    /// The class of its weight, from 1 to [`CLASSES`] - 1.
    pub class: u32,
    /// 1 for a float.
    pub is_float: u32,
    /// 1 if a call is in it, or an operation on vectors.
    pub has_call: u32,
    /// 1 if a row may depend on the bits of its value if that is NaN.
    pub shows_nan: u32,
}

/// The number of classes of weights.
pub const CLASSES: u32 = 16;

/// An index of a variable that can have a register.
#[device(index)]
pub struct CandidateId(u32);

/// Such a variable, before lives are extended. The columns are as of [`Life`].
#[device(columns(Candidates, index = CandidateId))]
struct Candidate {
    node: u32,
    end: u32,
    class: u32,
    shows_nan: u32,
}

#[device(compact)]
fn is_declared(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Param) | nodes.kind[i].is_declaration()
}

#[device(compact)]
fn changes_registers(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].changes_registers(nodes.ty[i])
}

/// Returns whether variable `v` can have a register.
#[device(compact)]
fn can_have_register(
    v: usize,
    declarations: &[u32],
    used: &[Used],
    nodes: &Nodes,
    around: &[Around],
    target: Target,
) -> bool {
    let i = NodeId::new(declarations[v]);
    let ty = nodes.ty[i];
    let all = if target == Target::X86_64 { INT_ARGUMENTS } else { ARGUMENTS };
    // A function begins with its header.
    let arrives = (nodes.kind[i] != Kind::Param) || i.get() - around[i.index()].parent < 2 + all;
    ((ty == Type::Int) | (ty == Type::Float))
        & (used[v].weight != 0)
        & (used[v].stays == 0)
        & ((around[i.index()].flags & MAY_NOT_RUN) == 0)
        & arrives
}

/// Returns the variable in row `kept[k]`, with the end of its life before lives are extended.
#[device(map)]
fn candidate(
    k: usize,
    kept: &[u32],
    declarations: &[u32],
    used: &[Used],
    nodes: &Nodes,
    around: &[Around],
) -> Candidate {
    let v = kept[k] as usize;
    let i = NodeId::new(declarations[v]);
    let is_parameter = nodes.kind[i] == Kind::Param;
    // A counter lives until the end of its loop, and a declaration can be a value too.
    let own = if is_parameter { around[i.index()].end } else { taken(i, nodes, around) };
    let shows_own = (nodes.kind[i] == Kind::Declare) & shows_nan(i, nodes, around);
    Candidate {
        node: i.get(),
        end: own.max(used[v].end),
        class: (32 - used[v].weight.leading_zeros()).min(CLASSES - 1),
        shows_nan: used[v].shows_nan | shows_own as u32,
    }
}

/// Returns a key of life `k` from the end, which is smaller for a later end.
#[device(map)]
fn end_key(k: usize, ends: &[u32]) -> u32 {
    NO_NODE - ends[ends.len() - 1 - k]
}

/// Returns the extended end of life `k` from the end. `above` is that of the life that begins next and ends later.
#[device(walk_down)]
fn extended(k: usize, above: u32, later: &[u32], nodes: &[u32], ends: &[u32]) -> u32 {
    let last = ends.len() - 1;
    let end = ends[last - k];
    let next = later[k];
    if next != NO_NODE && nodes[last - next as usize] < end { above } else { end }
}

/// Returns the life of candidate `c`.
#[device(map)]
fn life(
    c: CandidateId,
    candidates: &Candidates,
    extended: &[u32],
    calls: &[u32],
    nodes: &Nodes,
    around: &[Around],
) -> Life {
    let i = NodeId::new(candidates.node[c]);
    let end = extended[extended.len() - 1 - c.index()];
    let is_in_call = (around[i.index()].flags & IN_CALL) != 0;
    // Calls in the value come before the variable has it.
    let before = rows_below(calls, around[i.index()].end);
    Life {
        node: i.get(),
        end,
        class: candidates.class[c],
        is_float: (nodes.ty[i] == Type::Float) as u32,
        has_call: (is_in_call || rows_below(calls, end) > before) as u32,
        shows_nan: candidates.shows_nan[c],
    }
}

/// Returns the ends of lives that are extended until they nest, from the last to the first. Lives begin at rising nodes.
pub fn extend<B: Backend>(backend: &B, nodes: &B::Vec<u32>, ends: &B::Vec<u32>) -> Result<B::Vec<u32>> {
    let later = backend.previous_smaller(&backend.map(end_key::of(ends).rows(ends.len()))?)?;
    backend.walk_down(&later, 0, extended::of(later.column(), nodes, ends))
}

/// Returns the lives of the variables that can have registers.
pub fn lives<B: Backend>(backend: &B, target: Target, lifted: &Lifted<B>) -> Result<Lives<B>> {
    let nodes = &lifted.nodes;
    let around = around(backend, lifted)?;
    let declarations = backend.compact(is_declared::of(nodes))?;
    let calls = backend.compact(changes_registers::of(nodes))?;
    let used = used_of(backend, lifted, &around, &declarations)?;
    let kept = can_have_register::of(&declarations, &used, nodes, &around, target);
    let kept = backend.compact(kept.rows(declarations.len()))?;
    let candidates = candidate::of(&kept, &declarations, &used, nodes, &around);
    let candidates: Candidates<B> = backend.map(candidates.rows(kept.len()))?;
    let extended = extend(backend, &candidates.node, &candidates.end)?;
    backend.map(life::of(&candidates, &extended, &calls, nodes, &around))
}
