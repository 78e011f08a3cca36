//! The registers of a loop over vectors: its streams, its held vectors, and the vectors that wait for their use.

use treepar::backend::ScanKind;
use treepar::depth::{NO_NODE, Parents};
use treepar::device::device;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Column, Result};

use super::context::{Facts, Use, least_or_greatest};
use super::verdict::{BYTES, CANONICAL, Reason, SHORTS, Verdicts, WATCHED, WIDE, WORDS};
use crate::ir::kinds::Kind;
use crate::ir::lanes::{HELD, STREAMS, WAITING};
use crate::ir::nodes::{NodeId, Nodes};

/// The registers of a node.
#[device(columns(Registers, index = NodeId))]
pub struct Register {
    /// The bits of the lanes of a loop that is changed, else 0.
    pub lanes: u32,
    /// The registers that a loop without another reason lacks.
    pub lack: Reason,
    /// The first access of the stream of an access.
    pub first_access: u32,
    /// The number of streams before the node.
    pub streams: u32,
    /// The number of held vectors before the node.
    pub held: u32,
    /// The number of reductions before the node.
    pub reductions: u32,
    /// The number of the first held vector for second accumulators of a loop, 0 if it has none.
    pub second: u32,
    /// The number of vectors of an iteration of a loop that is changed, else 0.
    pub vectors: u32,
    /// The number of the first held vector that watches for NaNs in a loop, 0 if there is none.
    pub watch: u32,
}

/// The number of nodes up to which an iteration has two vectors. A longer body hides the cost of its loop.
const UNROLLED: u32 = 64;

/// The number of nodes up to which it has four.
const UNROLLED_TWICE: u32 = 32;

/// Returns whether an iteration of the loop over vectors has several vectors.
#[device]
pub fn is_unrolled(f: NodeId, registers: &Registers) -> bool {
    registers.vectors[f] > 1
}

/// Returns whether a node is in a loop in which no node has a reason.
#[device]
fn is_possible(i: NodeId, facts: &Facts, verdicts: &Verdicts) -> bool {
    let f = facts.context[i].around;
    f != NO_NODE && verdicts.first[NodeId::new(f)] == NO_NODE
}

/// Returns whether a node accesses a stream.
#[device(compact)]
fn is_access(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts) -> bool {
    let place = facts.context[i].place;
    nodes.kind[i].is_access() && ((place == Use::Value) | (place == Use::Statement)) && is_possible(i, facts, verdicts)
}

/// Returns the loop and the array of access `a`. In one loop a variable is the base of accesses of one kind only.
#[device(intern)]
fn stream(a: usize, accesses: &[u32], nodes: &Nodes, facts: &Facts) -> u64 {
    let i = NodeId::new(accesses[a]);
    (facts.context[i].around as u64) << 32 | nodes.data[i.plus(2)] as u64
}

#[device(map)]
fn first_access(a: usize, accesses: &[u32], first: &[u32]) -> u32 {
    accesses[first[a] as usize]
}

/// Returns 1 if a node begins a stream.
#[device(scan(Sum))]
fn begins_stream(i: usize, first: &[u32]) -> u32 {
    (first[i] == i as u32) as u32
}

/// Returns whether a node is a number from outside of the loop that becomes a held vector.
#[device]
pub fn is_invariant(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts) -> bool {
    let context = facts.context[i];
    let kind = nodes.kind[i];
    if context.place != Use::Value {
        return false;
    }
    if kind == Kind::Literal {
        return true;
    }
    kind == Kind::Name && nodes.data[i] < context.around && verdicts.assigned[i] == 0
}

/// Returns 1 if a node has a held vector. A loop has one for the canonical NaN.
#[device(scan(Sum))]
fn holds(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts) -> u32 {
    if !is_possible(i, facts, verdicts) {
        return 0;
    }
    let kind = nodes.kind[i];
    match facts.context[i].place {
        Use::Loop => (verdicts.facts[i] & CANONICAL != 0) as u32,
        Use::Statement => ((kind == Kind::Declare) | (kind == Kind::Assign)) as u32,
        _ => is_invariant(i, nodes, facts, verdicts) as u32,
    }
}

/// Returns 1 if a node is a reduction.
#[device(scan(Sum))]
fn reduces(i: NodeId, nodes: &Nodes, facts: &Facts, verdicts: &Verdicts) -> u32 {
    let is_assignment = (nodes.kind[i] == Kind::Assign) & (facts.context[i].place == Use::Statement);
    (is_assignment && is_possible(i, facts, verdicts)) as u32
}

/// Returns the number of vectors that wait while node `i` is computed, for its parent.
#[device]
fn waiting(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    let parent = NodeId::new(facts.parent[i]);
    let over = nodes.kind[parent];
    let child = facts.child[i];
    if over.is_access() {
        return 0;
    }
    if over == Kind::Choose {
        return if least_or_greatest(parent, nodes, facts.end[parent]) != 0 { child.max(1) - 1 } else { child };
    }
    if over.has_two_operands() | (over == Kind::Call) { child } else { 0 }
}

/// Returns the number of registers that a subtree needs.
#[device(walk_up(Max))]
fn need(i: NodeId, below: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    let place = facts.context[i].place;
    if place == Use::Value {
        return below.max(1) + waiting(i, nodes, facts);
    }
    let hands_on = (place == Use::Statement) | (place == Use::Body) | (place == Use::Loop);
    if hands_on { below } else { 0 }
}

/// The numbers of streams, held vectors and reductions before each node.
#[device(tables)]
struct Earlier {
    streams: &[u32],
    held: &[u32],
    reductions: &[u32],
}

/// Returns the lanes of a loop, the registers that it lacks, the first vector for second accumulators, the number of vectors of an
/// iteration, and the first vector that watches for NaNs. Of several vectors, every other one has second accumulators if all of them have
/// registers.
#[device(map)]
fn decided(
    i: NodeId,
    facts: &Facts,
    verdicts: &Verdicts,
    earlier: &Earlier,
    needs: &[u32],
    unrolls: bool,
) -> (u32, Reason, u32, u32, u32) {
    if (facts.context[i].place != Use::Loop) | (verdicts.first[i] != NO_NODE) {
        return (0, Reason::None, 0, 0, 0);
    }
    let end = facts.end[i] as usize;
    let own_streams = earlier.streams[end] - earlier.streams[i.index()];
    if own_streams > STREAMS {
        return (0, Reason::Streams, 0, 0, 0);
    }
    if own_streams == 0 {
        return (0, Reason::Statement, 0, 0, 0);
    }
    let own_held = earlier.held[end] - earlier.held[i.index()];
    if own_held > HELD {
        return (0, Reason::Held, 0, 0, 0);
    }
    let reductions = earlier.reductions[end] - earlier.reductions[i.index()];
    let most = if reductions > 0 { needs[i.index()].max(COMBINED) } else { needs[i.index()] };
    if most + facts.context[i].waits as u32 > WAITING {
        return (0, Reason::Waiting, 0, 0, 0);
    }
    let length = facts.end[i] - i.get();
    let is_unrolled = unrolls & (length <= UNROLLED);
    let has_second = is_unrolled & (reductions > 0) & (own_held + reductions <= HELD);
    let bits = verdicts.facts[i] & (BYTES | SHORTS | WORDS | WIDE);
    let lanes = match bits {
        BYTES => 8,
        SHORTS => 16,
        _ => 32,
    };
    let accumulators = 1 + is_unrolled as u32;
    let vectors = accumulators << (is_unrolled & (length <= UNROLLED_TWICE)) as u32;
    let next = own_held + if has_second { reductions } else { 0 };
    let is_watched = (verdicts.facts[i] & WATCHED != 0) & (next + accumulators <= HELD);
    (lanes, Reason::None, if has_second { own_held } else { 0 }, vectors, if is_watched { next } else { 0 })
}

/// The vectors that wait while two accumulators are combined.
const COMBINED: u32 = 2;

/// Returns the registers. If `unrolls` is true, iterations of short loops have several vectors.
pub fn registers<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    (parents, facts, verdicts): (&Parents<B>, &Facts<B>, &Verdicts<B>),
    unrolls: bool,
) -> Result<Registers<B>> {
    let n = nodes.len();
    let accesses = backend.compact(is_access::of(nodes, facts, verdicts).rows(n))?;
    let first = backend.intern(stream::of(&accesses, nodes, facts).rows(accesses.len()))?;
    let first = backend.map(first_access::of(&accesses, &first).rows(accesses.len()))?;
    let mut firsts = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut firsts, &accesses, &first)?;
    let (streams, _) = backend.scan(ScanKind::Exclusive, begins_stream::of(&firsts), Sum)?;
    let (held, _) = backend.scan(ScanKind::Exclusive, holds::of(nodes, facts, verdicts).rows(n), Sum)?;
    let needs = backend.walk_up(parents, need::of(nodes, facts), Max)?;
    let (reductions, _) = backend.scan(ScanKind::Exclusive, reduces::of(nodes, facts, verdicts).rows(n), Sum)?;
    let earlier = EarlierOn { streams: &streams, held: &held, reductions: &reductions };
    let decided = decided::of(facts, verdicts, &earlier, &needs, unrolls);
    let (lanes, lack, second, vectors, watch) = backend.map(decided.rows(n))?;
    Ok(Registers { lanes, lack, first_access: firsts, streams, held, reductions, second, vectors, watch })
}
