//! Conditional expressions: each has three parts, and declares no variables.
//!
//! ```text
//! program   x = if[a < b, a, b];
//! node      ASSIGN CHOOSE TEST LT NAME NAME THEN NAME OTHERWISE NAME
//! data             THEN                                           the part whose type the expression has
//! ```
//!
//! A comma between parts is like a comma between arguments. So the parser makes an ARG of it, and this module gives it its
//! kind. A declaration is inside a conditional expression if one that begins before it ends after it. A prefix maximum of
//! ends decides this.
//!
//! Cost: work O(n), one compaction of 1 byte per node. Only programs with such expressions pay for more.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::meaning::Origin;
use crate::ir::nodes::NodeId;
use crate::ir::syntax::SyntaxNodes;

/// No node.
const NONE: u32 = u32::MAX;

#[device(compact)]
fn is_choice(i: NodeId, nodes: &SyntaxNodes) -> bool {
    nodes.kind[i] == Kind::Choose
}

/// Returns the sibling after node `i`, whose parent ends at `end`; `NONE` if there is none.
#[device]
fn sibling(i: u32, end: u32, nodes: &SyntaxNodes) -> u32 {
    if i == NONE || nodes.end[NodeId::new(i)] >= end { NONE } else { nodes.end[NodeId::new(i)] }
}

/// Returns the second and the third part of conditional expression `c`, `NONE` for one that is missing.
#[device(map)]
fn values(c: usize, choices: &[u32], nodes: &SyntaxNodes) -> (u32, u32) {
    let choice = NodeId::new(choices[c]);
    let end = nodes.end[choice];
    let second = sibling(choice.get() + 1, end, nodes);
    (second, sibling(second, end, nodes))
}

/// Gives the parts of conditional expressions their kinds, and the origins of their types. Returns the nodes of these expressions.
pub fn name_parts<B: Backend>(
    backend: &B,
    nodes: &mut SyntaxNodes<B>,
    origins: &mut B::Vec<Origin>,
) -> Result<B::Vec<u32>> {
    let choices = backend.compact(is_choice::of(nodes))?;
    if choices.is_empty() {
        return Ok(choices);
    }
    let (second, third) = backend.map(values::of(&choices, nodes))?;
    backend.scatter(&mut nodes.kind, &second, &backend.filled(choices.len(), Kind::Then)?)?;
    backend.scatter(&mut nodes.kind, &third, &backend.filled(choices.len(), Kind::Otherwise)?)?;
    let transparent = backend.filled(choices.len(), Origin::Child)?;
    backend.scatter(origins, &second, &transparent)?;
    backend.scatter(origins, &third, &transparent)?;
    Ok(choices)
}

/// Returns the THEN of conditional expression `c`, and 1 if it does not have three parts. Then its first part stands for the
/// THEN, because the type of that part does not depend on another node.
#[device(map)]
fn typed_part(c: usize, choices: &[u32], second: &[u32], third: &[u32], nodes: &SyntaxNodes) -> (u32, u32) {
    let choice = NodeId::new(choices[c]);
    let has_three = third[c] != NONE && nodes.end[NodeId::new(third[c])] == nodes.end[choice];
    (if has_three { second[c] } else { choice.get() + 1 }, !has_three as u32)
}

/// Returns the end of node `i` if it is a conditional expression, else 0.
#[device(scan(Max))]
fn end_of_choice(i: NodeId, nodes: &SyntaxNodes) -> u32 {
    if nodes.kind[i] == Kind::Choose { nodes.end[i] } else { 0 }
}

/// Returns 1 if node `i` is a declaration inside a conditional expression. `ends` has the last end of those before it.
#[device(reduce(Sum))]
fn is_misplaced(i: NodeId, nodes: &SyntaxNodes, ends: &[u32]) -> u32 {
    ((nodes.kind[i] == Kind::Declare) & (ends[i.index()] > i.get())) as u32
}

/// Writes the THEN of each conditional expression into the column `data`. Returns the number of errors.
pub fn check_choices<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    choices: &B::Vec<u32>,
    data: &mut B::Vec<u32>,
) -> Result<u32> {
    if choices.is_empty() {
        return Ok(0);
    }
    let (second, third) = backend.map(values::of(choices, nodes))?;
    let (parts, wrong) = backend.map(typed_part::of(choices, &second, &third, nodes))?;
    backend.scatter(data, choices, &parts)?;
    let (_, wrong) = backend.scan(ScanKind::Inclusive, &wrong, Sum)?;
    let (ends, _) = backend.scan(ScanKind::Inclusive, end_of_choice::of(nodes), Max)?;
    Ok(wrong + backend.reduce(is_misplaced::of(nodes, &ends), Sum)?)
}
