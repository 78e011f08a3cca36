//! Merges: pairs of a loop or branch and a variable from outside that it assigns.
//!
//! ```text
//! statements by level   0: while A [       ]     1: if B [  ]  if C [  ]
//! assignments of x                              B: x =        C: x =
//! around them                                   A, B          A, C
//! new                                           A, B          C
//! ```
//!
//! The statements around an assignment that its predecessor of the same variable does not share are new; all others have
//! their merge already. So each merge is made once, and none has to be removed. Statements are sorted by level and by their
//! parts, so the one of a level around a node is found by a binary search.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Result};

use super::{NONE, Nesting, is_event};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{Lifted, NodeId, Nodes};

/// An index of a statement.
#[device(index)]
pub struct StatementId(u32);

/// A loop or a branch. They are sorted by level, and then by their first parts. The parts of one level do not overlap.
#[device(columns(Statements, index = StatementId))]
struct Statement {
    node: u32,
    /// The number of statements around it.
    level: u32,
    /// The node with which the loop or the first branch begins.
    start: u32,
}

/// An index of an assignment.
#[device(index)]
pub struct AssignmentId(u32);

/// An assignment. They are sorted by variable, and those of a variable are in preorder.
#[device(columns(Assignments, index = AssignmentId))]
struct Assignment {
    node: u32,
    variable: u32,
}

/// An index of a merge.
#[device(index)]
pub struct MergeId(u32);

/// A merge. They are in the order of their nodes in preorder.
#[device(columns(Merges, index = MergeId))]
pub struct Merge {
    /// The loop or branch.
    pub statement: u32,
    /// The declaration of the variable.
    pub variable: u32,
    /// The node that comes before the merge's own.
    pub after: u32,
}

#[device(compact)]
fn is_statement(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_control()
}

/// Returns the key by which statements are sorted: the level, and the start.
#[device(map)]
fn key_of_statement(s: usize, found: &[u32], nodes: &Nodes, end: &[u32], nesting: &[Nesting]) -> u64 {
    let node = found[s];
    // The condition of a branch comes before its parts, and may have parts of its own.
    let start = if nodes.kind[NodeId::new(node)] == Kind::While { node + 1 } else { end[(node + 1) as usize] };
    (nesting[node as usize].level as u64) << 32 | start as u64
}

#[device(map)]
fn statement(s: usize, keys: &[u64], nodes: &[u32]) -> Statement {
    Statement { node: nodes[s], level: (keys[s] >> 32) as u32, start: keys[s] as u32 }
}

/// Returns the statement of a level around `node`. There is one.
#[device]
fn statement_around(node: u32, level: u32, statements: &Statements) -> u32 {
    let mut low = 0u32;
    let mut high = statements.node.len() as u32;
    // The first statement that comes after the node's.
    while low < high {
        let middle = (low + high) / 2;
        let s = StatementId::new(middle);
        let is_before = statements.level[s] < level || (statements.level[s] == level && statements.start[s] <= node);
        if is_before {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    statements.node[StatementId::new(low - 1)]
}

#[device(compact)]
fn is_assignment(i: NodeId, nodes: &Nodes, memory: &[u32]) -> bool {
    nodes.kind[i] == Kind::Assign && is_event(i, nodes, memory)
}

#[device(map)]
fn variable_of(a: usize, assignments: &[u32], nodes: &Nodes) -> u32 {
    nodes.data[NodeId::new(assignments[a])]
}

/// Returns the first level of new statements around assignment `a`, and their number.
#[device(map)]
fn new_levels(
    a: AssignmentId,
    assignments: &Assignments,
    nesting: &[Nesting],
    statements: &Statements,
    end: &[u32],
) -> (u32, u32) {
    let node = assignments.node[a];
    let variable = assignments.variable[a];
    let mut low = nesting[variable as usize].level;
    if a.get() > 0 {
        let before = AssignmentId::new(a.get() - 1);
        if assignments.variable[before] == variable {
            // The statements around both are those around the earlier one that end after the later one.
            let earlier = assignments.node[before];
            let mut high = nesting[earlier as usize].level;
            while low < high {
                let middle = (low + high) / 2;
                if end[statement_around(earlier, middle, statements) as usize] > node {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
        }
    }
    (low, nesting[node as usize].level - low)
}

/// Returns the key by which merges are sorted, and the variable: the node before the merge, then inner statements first.
#[device(expand)]
fn merge_at(
    a: AssignmentId,
    k: usize,
    assignments: &Assignments,
    first: &[u32],
    statements: &Statements,
    nodes: &Nodes,
    end: &[u32],
) -> (u64, u32) {
    let statement = statement_around(assignments.node[a], first[a.index()] + k as u32, statements);
    let kind = nodes.kind[NodeId::new(statement)];
    // A WHILE, the COUNT of a FOR, or all of a branch.
    let part = if kind == Kind::For { statement + 1 } else { statement };
    let after = if kind == Kind::While { statement } else { end[part as usize] - 1 };
    ((after as u64) << 32 | (NONE - statement) as u64, assignments.variable[a])
}

#[device(map)]
fn sorted_merge(m: usize, keys: &[u64], variables: &[u32]) -> Merge {
    Merge { statement: NONE - keys[m] as u32, variable: variables[m], after: (keys[m] >> 32) as u32 }
}

/// Returns the merges of all variables that do not stay in memory.
pub fn merges<B: Backend>(
    backend: &B,
    lifted: &Lifted<B>,
    nesting: &B::Vec<Nesting>,
    memory: &B::Vec<u32>,
) -> Result<Merges<B>> {
    let Lifted { nodes, structure, .. } = lifted;
    let found = backend.compact(is_statement::of(nodes))?;
    let keys = backend.map(key_of_statement::of(&found, nodes, &structure.end, nesting))?;
    let (keys, found) = backend.sort_by_key(&keys, &found)?;
    let statements: Statements<B> = backend.map(statement::of(&keys, &found))?;

    let found = backend.compact(is_assignment::of(nodes, memory))?;
    let keys = backend.map(variable_of::of(&found, nodes))?;
    let (variable, node) = backend.sort_by_key(&keys, &found)?;
    let assignments = Assignments { node, variable };

    let (first, count) = backend.map(new_levels::of(&assignments, nesting, &statements, &structure.end))?;
    let (offsets, merges) = backend.scan(ScanKind::Exclusive, &count, Sum)?;
    let call = merge_at::of(&assignments, &first, &statements, nodes, &structure.end);
    let (keys, variables) = backend.expand(&offsets, merges as usize, call)?;
    let (keys, variables) = backend.sort_by_key(&keys, &variables)?;
    backend.map(sorted_merge::of(&keys, &variables))
}
