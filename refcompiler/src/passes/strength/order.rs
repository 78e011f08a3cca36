//! The new nodes, and where they are.
//!
//! ```text
//! before the loop            EXPRESSION DECLARE u, start                        3 nodes
//! at the end of its block    EXPRESSION ASSIGN u, ADD (NAME u, step)            5 nodes
//! ```
//!
//! The loops contain no loops, so they follow one another, and the values that get variables are sorted by their loops. Node i that stays
//! comes after the new nodes before loops up to i, and after those at the ends of loops that end at i or before.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::{Max, Min, Sum, index_u32};
use treepar::{Backend, Column, Result};

use super::values::{Chosen, StepId, Steps};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::passes::cuts::{Cut, Cuts, Edit, Edits, covered, write};
use crate::passes::origins::from_origins;

/// The new nodes of a value before its loop.
const BEFORE: u32 = 3;
/// The new nodes of a value at the end of its loop.
const AFTER: u32 = 5;
/// The new nodes of a value.
const ALL: u32 = BEFORE + AFTER;

/// Returns a value that gets a variable, and its number among these.
#[device(map)]
fn numbered(c: u32, values: &[u32]) -> (u32, u32) {
    (values[c as usize], c)
}

/// Returns whether a value is replaced by a variable.
#[device(compact)]
fn has_variable(s: usize, first: &[u32], number: &[u32]) -> bool {
    number[first[s] as usize] != NO_NODE
}

/// Returns the cut of the nodes below a value that is replaced.
#[device(map)]
fn cut(k: usize, replaced: &[u32], steps: &Steps, end: &[u32]) -> Cut {
    let node = steps.node[StepId::new(replaced[k])];
    let last = end[node as usize];
    Cut { from: node + 1, first: last, last, end: last, up: 0 }
}

/// Returns a node before which new nodes come, and how many. Value `a / 2` has two of them.
#[device(accumulate)]
fn added_at(a: u32, values: &[u32], steps: &Steps, end: &[u32], n: u32) -> (u32, u32) {
    let around = steps.around[StepId::new(values[(a / 2) as usize])];
    if a & 1 == 0 {
        return (around, BEFORE);
    }
    let after = end[around as usize];
    (if after < n { after } else { NO_NODE }, AFTER)
}

/// One node that stays, in a count of these and of new nodes.
const STAYS: u64 = 1 << 32;

/// Returns [`STAYS`] for a node that stays, and the number of new nodes directly before it.
#[device(scan(Sum))]
fn stays_after(i: usize, covered: &[u64], counts: &[u32]) -> u64 {
    (covered[i] >> 32 == 0) as u64 * STAYS + counts[i] as u64
}

/// Returns the new index of a node that stays, [`NO_NODE`] for another.
#[device(map)]
fn staying(i: usize, covered: &[u64], sums: &[u64]) -> u32 {
    let at = ((sums[i] >> 32) as u32).wrapping_sub(1).wrapping_add(sums[i] as u32);
    if covered[i] >> 32 == 0 { at } else { NO_NODE }
}

/// Returns the loop of value `c` if the value before has another one.
#[device]
fn begins(c: usize, values: &[u32], steps: &Steps) -> bool {
    let own = steps.around[StepId::new(values[c])];
    c == 0 || steps.around[StepId::new(values[c - 1])] != own
}

/// Returns the number of a value that is the first of its loop, else 0.
#[device(scan(Max))]
fn first_of_loop(c: usize, values: &[u32], steps: &Steps) -> u32 {
    if begins(c, values, steps) { c as u32 } else { 0 }
}

/// Returns the number after value `count - 1 - k` if it is the last of its loop, else the greatest number.
#[device(scan(Min))]
fn end_of_loop(k: usize, values: &[u32], steps: &Steps) -> u32 {
    let c = values.len() - 1 - k;
    if c + 1 == values.len() || begins(c + 1, values, steps) { c as u32 + 1 } else { u32::MAX }
}

/// The new nodes by value: where the new nodes of a value begin.
#[device(tables)]
struct Groups {
    values: &[u32],
    /// The first value of the same loop.
    first: &[u32],
    /// The number after the last value of the same loop, in reverse order.
    end: &[u32],
}

/// An index of a new node.
#[device(index)]
struct NewId(u32);

/// A new node.
#[device(columns(NewNodes, index = NewId))]
struct New {
    /// The new index.
    at: u32,
    /// The node that it has the position of.
    origin: u32,
    depth: u32,
    kind: Kind,
    ty: Type,
    /// The old declaration of a variable, or the data.
    data: u32,
    /// The number of the value whose variable it declares or names, [`NO_NODE`] for none.
    value: u32,
}

/// Returns new node `q`.
#[device(map)]
fn new_node(q: usize, groups: &Groups, steps: &Steps, nodes: &Nodes, ends: &[u32], sums: &[u64]) -> New {
    let c = q as u32 / ALL;
    let part = q as u32 % ALL;
    let s = StepId::new(groups.values[c as usize]);
    let around = NodeId::new(steps.around[s]);
    let first = groups.first[c as usize];
    let count = groups.end[groups.values.len() - 1 - c as usize] - first;
    let depth = nodes.depth[around];
    let origin = steps.node[s];
    if part < BEFORE {
        let at = (sums[around.index()] >> 32) as u32 - 1 + ALL * first + BEFORE * (c - first) + part;
        let kind = match part {
            0 => Kind::Expression,
            1 => Kind::Declare,
            _ => Kind::Literal,
        };
        let ty = if part == 0 { Type::Void } else { Type::Int };
        let value = if part == 1 { c } else { NO_NODE };
        let start = steps.start[s];
        if part == 2 && start != NO_NODE {
            let leaf = NodeId::new(start);
            return New { at, origin, depth: depth + part, kind: nodes.kind[leaf], ty, data: nodes.data[leaf], value };
        }
        return New { at, origin, depth: depth + part, kind, ty, data: 0, value };
    }
    let k = part - BEFORE;
    let last = ends[around.index()] as usize - 1;
    let before = (sums[last] >> 32) as u32 + ALL * first + BEFORE * count;
    let at = before + AFTER * (c - first) + k;
    // The statement is in the loop's block.
    let below = depth + 2 + k.min(3);
    if k == 4 {
        let leaf = NodeId::new(steps.step[s]);
        let kind = nodes.kind[leaf];
        return New { at, origin, depth: below, kind, ty: Type::Int, data: nodes.data[leaf], value: NO_NODE };
    }
    let kind = match k {
        0 => Kind::Expression,
        1 => Kind::Assign,
        2 => Kind::Add,
        _ => Kind::Name,
    };
    let value = if (k == 1) | (k == 3) { c } else { NO_NODE };
    New { at, origin, depth: below, kind, ty: if k == 0 { Type::Void } else { Type::Int }, data: 0, value }
}

/// Returns the new index of the declaration of value `c`.
#[device(map)]
fn declaration(c: usize, new: &NewNodes) -> u32 {
    new.at[NewId::new(c as u32 * ALL + 1)]
}

/// The values that are replaced by variables.
#[device(tables)]
struct Replaced {
    values: &[u32],
    /// The first value that is equal to each value of the program.
    first: &[u32],
    /// The number of the variable of a first value.
    number: &[u32],
}

/// Returns the edit of a value that is replaced by a read of its variable.
#[device(map)]
fn read(k: usize, replaced: &Replaced, steps: &Steps, index: &[u32], declarations: &[u32]) -> Edit {
    let s = StepId::new(replaced.values[k]);
    let variable = declarations[replaced.number[replaced.first[s.index()] as usize] as usize];
    Edit { node: index[steps.node[s] as usize], kind: Kind::Name, ty: Type::Int, data: variable }
}

/// Returns the edit of a new node.
#[device(map)]
fn added(q: NewId, new: &NewNodes, index: &[u32], declarations: &[u32]) -> Edit {
    let kind = new.kind[q];
    let value = new.value[q];
    let data = if kind == Kind::Declare {
        0
    } else if value != NO_NODE {
        declarations[value as usize]
    } else if kind == Kind::Name {
        index[new.data[q] as usize]
    } else {
        new.data[q]
    };
    Edit { node: new.at[q], kind, ty: new.ty[q], data }
}

/// Returns the nodes after the values have become variables.
pub fn reordered<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    end: &B::Vec<u32>,
    steps: &Steps<B>,
    chosen: &Chosen<B>,
    positions: &mut Positions<B>,
) -> Result<Nodes<B>> {
    let n = nodes.len();
    let Chosen { first, values } = chosen;
    let mut number = backend.filled(steps.len(), NO_NODE)?;
    let (at, numbers) = backend.map(numbered::of(values).rows(values.len()))?;
    backend.scatter(&mut number, &at, &numbers)?;
    let replaced = backend.compact(has_variable::of(first, &number))?;
    let cuts: Cuts<B> = backend.map(cut::of(&replaced, steps, end))?;
    let covered = covered(backend, n, &cuts)?;

    let mut counts = backend.filled(n, 0u32)?;
    backend.accumulate(&mut counts, added_at::of(values, steps, end, n as u32).rows(2 * values.len()))?;
    let (sums, all) = backend.scan(ScanKind::Inclusive, stays_after::of(&covered, &counts), Sum)?;
    let (firsts, _) =
        backend.scan_later(ScanKind::Inclusive, first_of_loop::of(values, steps).rows(values.len()), Max)?;
    let (ends, _) = backend.scan_later(ScanKind::Inclusive, end_of_loop::of(values, steps).rows(values.len()), Min)?;
    let groups = GroupsOn { values, first: &firsts, end: &ends };
    let added_count = ALL as usize * values.len();
    let new: NewNodes<B> = backend.map(new_node::of(&groups, steps, nodes, end, &sums).rows(added_count))?;

    let total = (all >> 32) as usize + added_count;
    let index = backend.map(staying::of(&covered, &sums))?;
    let mut origin = backend.filled(total, 0u32)?;
    backend.scatter(&mut origin, &index, &backend.map(index_u32::of().rows(n))?)?;
    backend.scatter(&mut origin, &new.at, &new.origin)?;
    let declarations = backend.map(declaration::of(&new).rows(values.len()))?;

    let of_values = ReplacedOn { values: &replaced, first, number: &number };
    let reads = read::of(&of_values, steps, &index, &declarations);
    let reads: Edits<B> = backend.map(reads.rows(replaced.len()))?;
    let edits: Edits<B> = backend.map(added::of(&new, &index, &declarations).rows(added_count))?;
    let mut after: Nodes<B> = from_origins(backend, &origin, nodes, &index)?;
    write(backend, &mut after, &reads)?;
    write(backend, &mut after, &edits)?;
    backend.scatter(&mut after.depth, &new.at, &new.depth)?;
    positions.follow(backend, || Ok(origin))?;
    Ok(after)
}
