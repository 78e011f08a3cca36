//! The tests and the parts of branches, and the part around each test that has the same condition.
//!
//! ```text
//! node       0 IF   1 c   2 BLOCK   3 IF   4 c   5 BLOCK
//! spans      test 1 to 2   part 2 to 6   test 4 to 5   part 5 to 6        of the name c
//! around     the test at 4: the part from 2 to 6
//! ```

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::writes::{Writes, is_assigned};
use crate::ir::kinds::{BINARY, Kind, Kinds, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::cuts::{Cut, Cuts, Edit, Edits, no_cut};
use crate::passes::nests::mixed;

/// The most nodes of a condition.
pub const MOST: u32 = 16;

/// The spans of a branch: its test, and two parts.
const SPANS: u32 = 3;

/// The kinds of nodes of conditions, besides operators with one operand.
const PLAIN: Kinds = BINARY.union(Kinds::of(&[Kind::Name, Kind::Literal]));

/// The branches.
const BRANCHES: Kinds = Kinds::of(&[Kind::If, Kind::IfElse, Kind::Choose]);

/// Returns the condition of a branch.
#[device]
fn condition(i: NodeId, nodes: &Nodes) -> u32 {
    i.get() + 1 + (nodes.kind[i] == Kind::Choose) as u32
}

/// Returns whether a node belongs to a condition that has no effect and reads no memory.
#[device]
fn is_plain(i: NodeId, nodes: &Nodes) -> bool {
    let kind = nodes.kind[i];
    PLAIN.contains(kind) | (kind.is_unary() & ((kind != Kind::Ascribe) | (nodes.data[i] == 0)))
}

/// Returns whether a node is a branch with a condition that can be compared.
#[device(compact)]
fn is_compared(i: NodeId, nodes: &Nodes, end: &[u32]) -> bool {
    if !BRANCHES.contains(nodes.kind[i]) {
        return false;
    }
    let first = condition(i, nodes);
    let last = end[first as usize];
    let mut node = first;
    while node < last && node - first < MOST && is_plain(NodeId::new(node), nodes) {
        node += 1;
    }
    node == last && nodes.kind[NodeId::new(first)] != Kind::Literal
}

/// Returns the name of the condition of a branch: a hash.
#[device(intern)]
fn name(b: usize, branches: &[u32], nodes: &Nodes, end: &[u32]) -> u64 {
    let first = condition(NodeId::new(branches[b]), nodes);
    let last = end[first as usize];
    let mut hash = 0u64;
    let mut node = first;
    while node < last {
        let i = NodeId::new(node);
        let own = (nodes.data[i] as u64) << 32 | (nodes.ty[i].code() as u64) << 8 | nodes.kind[i].code() as u64;
        hash = mixed(hash.wrapping_mul(3) ^ own);
        node += 1;
    }
    hash
}

/// Returns 1 for a condition with a name that an earlier one has.
#[device(reduce(Sum))]
fn is_repeated(b: usize, names: &[u32]) -> u32 {
    (names[b] != b as u32) as u32
}

/// An index of a span, in the order of names and positions.
#[device(index)]
pub struct SpanId(u32);

/// A test or a part of a branch.
#[device(columns(Spans, index = SpanId))]
pub struct Span {
    /// The name of the condition.
    pub name: u32,
    /// The condition.
    pub condition: u32,
    /// 0 for the test, 1 and 2 for the parts.
    pub part: u32,
    /// The first node.
    pub start: u32,
    /// The end of the nodes.
    pub end: u32,
}

/// Returns the span in row `r`: one of a branch. A part that is missing is empty.
#[device]
fn span_of(r: u32, branches: &[u32], names: &[u32], nodes: &Nodes, end: &[u32]) -> Span {
    let b = (r / SPANS) as usize;
    let i = branches[b];
    let part = r % SPANS;
    let condition = condition(NodeId::new(i), nodes);
    let name = names[b];
    if part == 0 {
        return Span { name, condition, part, start: condition, end: condition + 1 };
    }
    let first = end[i as usize + 1];
    let start = if part == 1 { first } else { end[first as usize] };
    if start == end[i as usize] {
        return Span { name, condition, part, start: condition, end: condition };
    }
    Span { name, condition, part, start, end: end[start as usize] }
}

/// Returns the key by which a span is sorted.
#[device(map)]
fn key(r: u32, branches: &[u32], names: &[u32], nodes: &Nodes, end: &[u32]) -> (u64, u32) {
    let span = span_of(r, branches, names, nodes, end);
    ((span.name as u64) << 32 | span.start as u64, r)
}

#[device(map)]
fn span(s: usize, order: &[u32], branches: &[u32], names: &[u32], nodes: &Nodes, end: &[u32]) -> Span {
    span_of(order[s], branches, names, nodes, end)
}

/// Returns a number that is smaller for a span that ends later.
#[device(map)]
fn end_key(s: SpanId, spans: &Spans) -> u32 {
    NO_NODE - spans.end[s]
}

/// The tests and parts, the ends of subtrees, and the last span before each that ends later.
type Within<B> = (Spans<B>, <B as treepar::Executor>::Vec<u32>, <B as treepar::Executor>::Vec<u32>);

/// Returns the tests and parts of branches, if some conditions are equal.
pub fn spans<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<Option<Within<B>>> {
    if nodes.is_empty() {
        return Ok(None);
    }
    let end = backend.next_smaller_or_equal(&nodes.depth)?;
    let branches = backend.compact(is_compared::of(nodes, &end).rows(nodes.len()))?;
    if branches.is_empty() {
        return Ok(None);
    }
    let names = backend.intern(name::of(&branches, nodes, &end).rows(branches.len()))?;
    if backend.reduce(is_repeated::of(&names), Sum)? == 0 {
        return Ok(None);
    }
    let rows = SPANS as usize * branches.len();
    let (keys, order) = backend.map(key::of(&branches, &names, nodes, &end).rows(rows))?;
    let (_, order) = backend.sort_by_key(&keys, &order)?;
    let spans: Spans<B> = backend.map(span::of(&order, &branches, &names, nodes, &end).rows(rows))?;
    let within = backend.previous_smaller(&backend.map(end_key::of(&spans))?)?;
    Ok(Some((spans, end, within.into_column())))
}

/// Returns whether two conditions are the same tree.
#[device]
fn are_equal(a: u32, b: u32, nodes: &Nodes, end: &[u32]) -> bool {
    let size = end[a as usize] - a;
    let mut k = 0u32;
    let mut is_equal = end[b as usize] - b == size;
    while is_equal && k < size {
        let i = NodeId::new(a + k);
        let j = NodeId::new(b + k);
        is_equal = (nodes.kind[i] == nodes.kind[j]) & (nodes.ty[i] == nodes.ty[j]) & (nodes.data[i] == nodes.data[j]);
        k += 1;
    }
    is_equal
}

/// Returns whether all variables of a condition keep their values in a part.
#[device]
fn keeps(condition: u32, part: SpanId, spans: &Spans, nodes: &Nodes, known: &Known) -> bool {
    let last = known.end[condition as usize];
    let mut node = condition;
    let mut is_kept = true;
    while is_kept && node < last {
        let i = NodeId::new(node);
        if nodes.kind[i] == Kind::Name {
            let variable = nodes.data[i];
            is_kept = known.shared[variable as usize] == 0
                && !is_assigned(variable, spans.start[part], spans.end[part], known.writes);
        }
        node += 1;
    }
    is_kept
}

/// The facts about positions and variables.
#[device(tables)]
struct Known {
    end: &[u32],
    within: &[u32],
    shared: &[u32],
    writes: &Writes,
}

/// Returns whether span `s` is a test whose condition a part around it knows.
#[device(compact)]
fn is_known(s: SpanId, spans: &Spans, nodes: &Nodes, known: &Known) -> bool {
    let above = known.within[s.index()];
    if (spans.part[s] != 0) | (above == NO_NODE) {
        return false;
    }
    let part = SpanId::new(above);
    let test = spans.condition[s];
    let is_around = (spans.name[part] == spans.name[s]) & (spans.part[part] != 0) & (test < spans.end[part]);
    is_around && are_equal(test, spans.condition[part], nodes, known.end) && keeps(test, part, spans, nodes, known)
}

/// Returns the edit of a condition that is known.
#[device(map)]
fn edit(k: usize, decided: &[u32], spans: &Spans, within: &[u32]) -> Edit {
    let s = decided[k];
    let holds = spans.part[SpanId::new(within[s as usize])] == 1;
    Edit { node: spans.condition[SpanId::new(s)], kind: Kind::Literal, ty: Type::Int, data: holds as u32 }
}

/// Returns the cut of the nodes below a condition that is known.
#[device(map)]
fn cut(k: usize, decided: &[u32], spans: &Spans, end: &[u32]) -> Cut {
    let condition = spans.condition[SpanId::new(decided[k])];
    let last = end[condition as usize];
    if last == condition + 1 {
        return no_cut();
    }
    Cut { from: condition + 1, first: last, last, end: last, up: 0 }
}

/// Returns the changes of conditions that are known.
pub fn changes<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    end: &B::Vec<u32>,
    (spans, within): (&Spans<B>, &B::Vec<u32>),
    (writes, shared): &(Writes<B>, B::Vec<u32>),
) -> Result<(Edits<B>, Cuts<B>)> {
    let known = KnownOn { end, within, shared, writes };
    let decided = backend.compact(is_known::of(spans, nodes, &known).rows(spans.len()))?;
    let edits = backend.map(edit::of(&decided, spans, within).rows(decided.len()))?;
    let cuts = backend.map(cut::of(&decided, spans, end).rows(decided.len()))?;
    Ok((edits, cuts))
}
