//! The number of new nodes of each node, and their positions.
//!
//! ```text
//! run    before    vectors, first copy    second    third    fourth    one vector    after    rest
//! ```
//!
//! The runs of a loop follow one another, and each has the runs of its nodes in their order. A node outside of changed loops has one
//! new node, in run 0.

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::context::{Facts, Use, is_marked, is_same};
use super::lanes::{converts, is_idempotent, is_in_memory, reduction};
use super::registers::{Registers, is_invariant, is_unrolled};
use super::verdict::{CANONICAL, Verdicts, is_watched, replaces_nan};
use crate::ir::kinds::{Kind, Kinds};
use crate::ir::lanes::Cpu;
use crate::ir::nodes::{NodeId, Nodes};

/// The nodes before a loop.
pub const BEFORE: u32 = 0;
/// The loop over vectors, with its statements for the first vector of an iteration.
pub const VECTOR: u32 = 1;
/// The statements of this loop for the second vector, if the loop is [unrolled](super::registers::is_unrolled()).
pub const AGAIN: u32 = 2;
/// The statements for the third vector, if there are four.
pub const THIRD: u32 = 3;
/// The statements for the fourth vector.
pub const FOURTH: u32 = 4;
/// A second loop, for the vectors that are left.
pub const SINGLE: u32 = 5;
/// The nodes after it.
pub const AFTER: u32 = 6;
/// The loop over the rest.
pub const REST: u32 = 7;
/// The number of runs.
pub const RUNS: u32 = 8;

/// Returns the number of the vector in an iteration that a run is of.
#[device]
pub fn vector_of(run: u32) -> u32 {
    if (run > VECTOR) & (run <= FOURTH) { run - VECTOR } else { 0 }
}

/// The positions of the new nodes of a node.
#[device(columns(Sizes, index = NodeId))]
pub struct Size {
    /// The number of new nodes of earlier nodes in run [`BEFORE`].
    pub before: u32,
    /// The same in run [`VECTOR`].
    pub vector: u32,
    /// The same in run [`AGAIN`].
    pub again: u32,
    /// The same in run [`THIRD`], and in run [`FOURTH`].
    pub more: u32,
    /// The same in run [`SINGLE`].
    pub single: u32,
    /// The same in run [`AFTER`].
    pub after: u32,
    /// The same in run [`REST`].
    pub rest: u32,
    /// The depth of the last new node in run [`VECTOR`]; of a node without one, that of the node around it.
    pub depth: u32,
}

/// The nodes of a number that fills a held vector.
pub const FILLED: u32 = 3;

/// The nodes that lower the number of elements of whole vectors to that of an array.
pub const LIMITED: u32 = 13;

/// The kinds that have no node in a loop over vectors.
const LEFT_OUT: Kinds = Kinds::of(&[Kind::Ascribe, Kind::Arg, Kind::Test, Kind::Then, Kind::Otherwise]);

/// Returns the changed loop around a node, [`NO_NODE`] if there is none.
#[device]
pub fn changed_loop(i: NodeId, facts: &Facts, registers: &Registers) -> NodeId {
    let f = NodeId::new(facts.context[i].around);
    if f.is_none() || registers.lanes[f] == 0 { NodeId::new(NO_NODE) } else { f }
}

/// The nodes after the loop that replace NaNs in an array.
const CORRECTED: u32 = 11;

/// Returns the number of vectors that watch for NaNs which a node stores: one, or two in turns.
#[device]
pub fn watches(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts, registers: &Registers) -> u32 {
    let f = NodeId::new(facts.context[i].around);
    if registers.watch[f] != 0 && is_watched(i, nodes, facts, verdicts) { registers.vectors[f].min(2) } else { 0 }
}

/// Returns the number of nodes of the number of elements of whole vectors in loop `f`. The number of iterations of a loop of the program
/// may be negative.
#[device]
pub fn counted(f: NodeId, nodes: &Nodes) -> u32 {
    if is_marked(f, nodes) { 5 } else { 10 }
}

/// Returns whether a reduction has two accumulators.
#[device]
pub fn is_doubled(assign: NodeId, facts: &Facts, registers: &Registers) -> bool {
    registers.second[NodeId::new(facts.context[assign].around)] != 0
}

/// Returns the number of nodes after the loop that combine the accumulators of a reduction with the reduction before it.
#[device]
pub fn combined(assign: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    if is_idempotent(reduction(assign, nodes, facts)) { 0 } else { 2 }
}

/// The nodes and the decisions about them.
#[device(tables)]
pub struct Decided {
    nodes: &Nodes,
    facts: &Facts,
    verdicts: &Verdicts,
    registers: &Registers,
}

/// Returns the number of nodes of a value in the loop over vectors.
#[device]
fn of_value(i: NodeId, decided: &Decided, cpu: Cpu) -> u32 {
    let kind = decided.nodes.kind[i];
    let bits = decided.registers.lanes[NodeId::new(decided.facts.context[i].around)];
    let is_narrow = bits < 32;
    let is_narrowing = (kind == Kind::NarrowByte) | (kind == Kind::NarrowShort);
    let is_left_out = LEFT_OUT.contains(kind) | (is_narrow & is_narrowing) || is_same(i, decided.nodes);
    if is_left_out || is_in_memory(i, decided.nodes, decided.facts, decided.verdicts, bits, cpu) {
        return 0;
    }
    1 + converts(i, decided.nodes, decided.facts) as u32
        + replaces_nan(i, decided.nodes, decided.facts, decided.verdicts) as u32
}

/// Returns the number of new nodes of a statement before or after the loop, or in a loop over vectors, [`VECTOR`].
#[device]
fn of_statement(i: NodeId, run: u32, decided: &Decided) -> u32 {
    let kind = decided.nodes.kind[i];
    if kind == Kind::Expression {
        return 0;
    }
    match run {
        VECTOR => 1 + replaces_nan(i, decided.nodes, decided.facts, decided.verdicts) as u32,
        BEFORE => {
            if kind == Kind::Assign {
                FILLED * (1 + is_doubled(i, decided.facts, decided.registers) as u32)
            } else {
                let watches = watches(i, decided.nodes, decided.facts, decided.verdicts, decided.registers);
                (decided.registers.first_access[i] == i.get()) as u32 + FILLED * watches
            }
        }
        _ => {
            if kind == Kind::Assign {
                return 4
                    + combined(i, decided.nodes, decided.facts)
                    + 2 * is_doubled(i, decided.facts, decided.registers) as u32;
            }
            match watches(i, decided.nodes, decided.facts, decided.verdicts, decided.registers) {
                0 => 0,
                1 => CORRECTED,
                _ => CORRECTED + 2,
            }
        }
    }
}

/// Returns the number of new nodes of a node in a run.
#[device]
fn length(i: NodeId, run: u32, decided: &Decided, cpu: Cpu) -> u32 {
    let f = changed_loop(i, decided.facts, decided.registers);
    if f.is_none() {
        return (run == BEFORE) as u32;
    }
    let place = decided.facts.context[i].place;
    // The instructions on vectors end after the last node of the loop.
    let ends = ((run == AFTER) & (i.get() + 1 == decided.facts.end[f])) as u32;
    if run == REST {
        return match place {
            Use::Number => 0,
            Use::Count => 4,
            Use::Index | Use::Checked => {
                if decided.nodes.kind[i] == Kind::CheckIndex {
                    1
                } else {
                    3
                }
            }
            _ => 1,
        };
    }
    let repeats = (run >= AGAIN) & (run <= SINGLE);
    let is_head = (place == Use::Loop) | (place == Use::Count) | (place == Use::Body);
    let copy = vector_of(run);
    let is_copied = (copy < decided.registers.vectors[f]) & !(is_head & (copy > 0));
    if repeats && !(is_unrolled(f, decided.registers) & is_copied) {
        return 0;
    }
    let is_first = run == BEFORE;
    let is_vector = (run == VECTOR) | repeats;
    let run = if repeats { VECTOR } else { run };
    let own = match place {
        Use::Loop => {
            if is_first {
                2
            } else {
                is_vector as u32
            }
        }
        Use::Count => 2 * is_vector as u32,
        Use::Number => is_first as u32,
        Use::Body => {
            let fills = if (decided.verdicts.facts[f] & CANONICAL) != 0 { FILLED } else { 0 };
            if is_first { counted(f, decided.nodes) + fills } else { is_vector as u32 }
        }
        Use::Limit => LIMITED * is_first as u32,
        Use::Statement => of_statement(i, run, decided),
        Use::Value => {
            if is_vector {
                of_value(i, decided, cpu)
            } else if !is_first {
                0
            } else if is_invariant(i, decided.nodes, decided.facts, decided.verdicts) {
                FILLED
            } else {
                (decided.registers.first_access[i] == i.get()) as u32
            }
        }
        Use::Base => {
            // The access, the sum and the base follow one another.
            let access = i.get() - 2;
            (is_first & (decided.registers.first_access[NodeId::new(access)] == access)) as u32
        }
        _ => 0,
    };
    own + ends
}

/// Returns the number of new nodes of row `r`: run `r % RUNS` of node `r / RUNS`.
#[device(scan(Sum))]
pub fn length_of_run(r: usize, decided: &Decided, cpu: Cpu) -> u32 {
    let r = r as u32;
    length(NodeId::new(r / RUNS), r % RUNS, decided, cpu)
}

/// Returns the number of new nodes of node `i` in a run.
#[device(scan(Sum))]
fn length_in_run(i: NodeId, run: u32, decided: &Decided, cpu: Cpu) -> u32 {
    length(i, run, decided, cpu)
}

/// Returns the depth of the last new node of a node in the loop over vectors.
#[device(walk_down)]
fn depth(i: NodeId, above: u32, decided: &Decided, cpu: Cpu) -> u32 {
    if changed_loop(i, decided.facts, decided.registers).is_none() {
        return 0;
    }
    if decided.facts.context[i].place == Use::Loop {
        return decided.nodes.depth[i];
    }
    above + length(i, VECTOR, decided, cpu)
}

/// Returns the number of new nodes of earlier nodes in a run.
#[device]
fn earlier(i: NodeId, run: u32, sizes: &Sizes) -> u32 {
    match run {
        BEFORE => sizes.before[i],
        VECTOR => sizes.vector[i],
        AGAIN => sizes.again[i],
        THIRD | FOURTH => sizes.more[i],
        SINGLE => sizes.single[i],
        AFTER => sizes.after[i],
        _ => sizes.rest[i],
    }
}

/// Returns the number of new nodes of a node of a changed loop in a run. A node follows each loop.
#[device]
pub fn own(i: NodeId, run: u32, sizes: &Sizes) -> u32 {
    earlier(NodeId::new(i.get() + 1), run, sizes) - earlier(i, run, sizes)
}

/// Returns the first new node of a node in a run. `f` is the changed loop around it.
#[device]
pub fn position(i: NodeId, run: u32, f: NodeId, facts: &Facts, sizes: &Sizes) -> u32 {
    let outer = if f.is_none() { i } else { f };
    let mut start = 0u32;
    for r in 0..RUNS {
        start += earlier(outer, r, sizes);
    }
    if f.is_none() {
        return start;
    }
    let end = NodeId::new(facts.end[f]);
    let mut at = start + earlier(i, run, sizes) - earlier(f, run, sizes);
    let mut r = 0u32;
    while r < run {
        at += earlier(end, r, sizes) - earlier(f, r, sizes);
        r += 1;
    }
    at
}

/// Returns the positions of the new nodes, and their number.
pub fn sizes<B: Backend>(
    backend: &B,
    parents: &Parents<B>,
    decided: &DecidedOn<'_, B>,
    cpu: Cpu,
) -> Result<(Sizes<B>, usize)> {
    let run = |run| {
        let lengths = length_in_run::of(run, decided, cpu).rows(parents.len());
        backend.scan(ScanKind::Exclusive, lengths, Sum)
    };
    let (before, of_before) = run(BEFORE)?;
    let (vector, of_vector) = run(VECTOR)?;
    let (again, of_again) = run(AGAIN)?;
    let (more, of_more) = run(THIRD)?;
    let (single, of_single) = run(SINGLE)?;
    let (after, of_after) = run(AFTER)?;
    let (rest, of_rest) = run(REST)?;
    let depth = backend.walk_down(parents, 0, depth::of(decided, cpu))?;
    let total = of_before + of_vector + of_again + 2 * of_more + of_single + of_after + of_rest;
    Ok((Sizes { before, vector, again, more, single, after, rest, depth }, total as usize))
}
