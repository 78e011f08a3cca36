//! Checks that an earlier check implies: it compared the same index with the same extent, and nothing changed since.
//!
//! ```text
//! vx[i] = vx[i] - dx;      CHECK_INDEX(NAME i, EXTENT vx)  ..  CHECK_INDEX(NAME i, EXTENT vx)
//! ```
//!
//! An index is a variable and a literal summand. The extent is a literal or a term that does not change. A check `p` holds if an earlier
//! check `q` has the same index and the same extent, and
//!
//! - `q` is always evaluated before `p`: the part of a branch or loop around `q`, its *region*, contains `p`;
//! - the variable is not written between them. If loops contain `p` that begin after `q`, nothing in them writes it.
//!
//! A write takes effect where its subtree ends. A variable whose address is taken, or that another function writes, is refused.
//! Checks are sorted by variable and extent, and each looks at the [`MOST_CHECKS`] before it only. So the next equal one is rarely missed, and no
//! check takes long.

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::terms::{Classes, Facts};
use super::{number, with_literal};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// The most earlier checks that a check is compared with.
const MOST_CHECKS: usize = 8;
/// The most loops that contain a check and not the earlier one.
const MOST_LOOPS: u32 = 8;
/// The key of an extent that is a literal.
const LITERAL: u64 = 1 << 31;

#[device(compact)]
fn writes(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Assign) | (nodes.kind[i] == Kind::Address)
}

/// Returns the variable of a write and the end of the write.
#[device(map)]
fn end_of_write(w: usize, found: &[u32], nodes: &Nodes, end: &[u32]) -> u64 {
    (nodes.data[NodeId::new(found[w])] as u64) << 32 | end[found[w] as usize] as u64
}

/// Returns the variable of a write, and 1 if the write cannot be followed.
#[device(accumulate)]
fn refused(w: usize, found: &[u32], nodes: &Nodes, facts: &Facts) -> (u32, u32) {
    let i = NodeId::new(found[w]);
    let variable = NodeId::new(nodes.data[i]);
    let is_foreign = facts.scope[i].function != facts.scope[variable].function;
    (variable.get(), (is_foreign | (nodes.kind[i] == Kind::Address)) as u32)
}

/// Returns the variable of the index of a check, [`NO_NODE`] if the index is another value.
#[device]
fn variable_of(check: NodeId, nodes: &Nodes, facts: &Facts, refused: &[u32]) -> u32 {
    let (index, _) = with_literal(check.plus(1), nodes, facts);
    if nodes.kind[index] != Kind::Name {
        return NO_NODE;
    }
    let variable = NodeId::new(nodes.data[index]);
    let is_own = facts.scope[variable].function == facts.scope[check].function;
    if is_own && refused[variable.index()] == 0 { variable.get() } else { NO_NODE }
}

/// Returns the key of a check: the variable, and the class or the literal of the extent.
#[device(map)]
fn key(c: usize, found: &[u32], nodes: &Nodes, facts: &Facts, classes: &Classes) -> u64 {
    let check = NodeId::new(found[c]);
    let (index, _) = with_literal(check.plus(1), nodes, facts);
    let limit = number(NodeId::new(facts.end[check.plus(1)]), nodes, facts, classes);
    let extent = if limit.is_literal == 1 { LITERAL | limit.offset as u64 } else { limit.class as u64 };
    (nodes.data[index] as u64) << 32 | extent
}

/// Returns whether a check can repeat another one.
#[device(compact)]
fn is_keyed(i: NodeId, nodes: &Nodes, facts: &Facts, classes: &Classes, refused: &[u32]) -> bool {
    if nodes.kind[i] != Kind::CheckIndex || variable_of(i, nodes, facts, refused) == NO_NODE {
        return false;
    }
    let limit = number(NodeId::new(facts.end[i.plus(1)]), nodes, facts, classes);
    let is_extent = (limit.is_literal == 0) & (limit.offset == 0) & (limit.class < 1 << 31);
    limit.is_known == 1 && (is_extent | (limit.is_literal == 1 && (limit.offset as i32) >= 0))
}

/// Returns whether a variable is written, where the end of the write is after one node and not after another.
#[device]
fn is_written(variable: u32, after: u32, until: u32, ends: &[u64]) -> bool {
    let key = (variable as u64) << 32 | (after as u64 + 1);
    let mut first = 0usize;
    let mut last = ends.len();
    while first < last {
        let middle = (first + last) / 2;
        if ends[middle] < key {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    first < ends.len() && ends[first] <= ((variable as u64) << 32 | until as u64)
}

/// Returns whether check `p` holds because an earlier check `q` of the same variable and extent held.
#[device]
fn implies(q: NodeId, p: NodeId, nodes: &Nodes, facts: &Facts, ends: &[u64]) -> bool {
    let (index, added) = with_literal(p.plus(1), nodes, facts);
    let (_, other) = with_literal(q.plus(1), nodes, facts);
    let region = NodeId::new(facts.scope[q].region);
    if added != other || p.get() >= facts.end[region] {
        return false;
    }
    let mut until = p.get();
    let mut loops = 0;
    let mut around = NodeId::new(facts.scope[p].around);
    while !around.is_none() && around.get() > q.get() {
        until = facts.end[around];
        around = NodeId::new(facts.scope[around].around);
        loops += 1;
        if loops > MOST_LOOPS {
            return false;
        }
    }
    !is_written(nodes.data[index], q.get(), until, ends)
}

/// Returns whether a check repeats an earlier one. Checks are sorted by their keys.
#[device(compact)]
fn is_repeated(s: usize, keys: &[u64], checks: &[u32], nodes: &Nodes, facts: &Facts, ends: &[u64]) -> bool {
    let mut back = 1;
    while back <= MOST_CHECKS && back <= s && keys[s - back] == keys[s] {
        if implies(NodeId::new(checks[s - back]), NodeId::new(checks[s]), nodes, facts, ends) {
            return true;
        }
        back += 1;
    }
    false
}

#[device(map)]
fn check(r: usize, found: &[u32], checks: &[u32]) -> u32 {
    checks[found[r] as usize]
}

/// Returns the checks that earlier checks imply.
pub fn repeats<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    facts: &Facts<B>,
    classes: &Classes<B>,
) -> Result<B::Vec<u32>> {
    let n = nodes.len();
    let found = backend.compact(writes::of(nodes).rows(n))?;
    let mut refused = backend.filled(n, 0u32)?;
    backend.accumulate(&mut refused, refused::of(&found, nodes, facts).rows(found.len()))?;
    let ends = backend.map(end_of_write::of(&found, nodes, &facts.end).rows(found.len()))?;
    let (ends, _) = backend.sort_by_key(&ends, &found)?;

    let found = backend.compact(is_keyed::of(nodes, facts, classes, &refused).rows(n))?;
    let keys = backend.map(key::of(&found, nodes, facts, classes).rows(found.len()))?;
    let (keys, checks) = backend.sort_by_key(&keys, &found)?;
    let found = backend.compact(is_repeated::of(&keys, &checks, nodes, facts, &ends).rows(checks.len()))?;
    backend.map(check::of(&found, &checks).rows(found.len()))
}
