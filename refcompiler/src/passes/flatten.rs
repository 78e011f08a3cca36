//! Expression flattening: nodes become rows in evaluation order, one operation each (Key paper, section 4.2).
//!
//! ```text
//! x = a + f[b, 1];     preorder   assign add name(a) call arg name(b) arg literal(1)
//!                      rows       name(a) name(b) literal(1) arg arg call add assign
//!                      operand                            1   2       0
//! ```
//!
//! Rows are in postorder, which a node's end and depth give at once, but for arguments: their rows, which move a value
//! to where the callee finds it, stand together before the call, when all values are there. So a node in the k-th
//! argument of a call moves k rows to the front, for each call around it; a walk down adds these up.
//!
//! Each row gets a role, what its value is for, and what its operation needs beyond its own node: the row of its left
//! operand (the right one stands just before it) and of the row that it jumps to or that takes its value.
//! Comparisons get the type of what they compare. Rows whose values nobody needs become EMPTY.
//!
//! Cost: work O(n), one walk, one scatter, one map of 23 bytes a row.

use treepar::device::device;
use treepar::monoid::index_u32;
use treepar::{Backend, Column, Result};

use super::discard::{is_pure, unused_below};
use super::lift::Lifted;
use super::variables::{Variables, resolved};
use crate::tree::kind;

/// What a row's value is for.
pub mod role {
    /// It has none, or stands where no rule below applies.
    pub const NONE: u8 = 0;
    /// An operand of the row `target`.
    pub const OPERAND: u8 = 1;
    /// An argument of the call in row `target`.
    pub const ARGUMENT: u8 = 2;
    /// The value of a function.
    pub const RETURNED: u8 = 3;
    /// A condition: if it is 0, control goes on at row `target`.
    pub const CONDITION: u8 = 4;
    /// Nothing.
    pub const DISCARDED: u8 = 5;
    /// The end of a block after which control goes on at row `target`: the first of an if with two.
    pub const JUMP: u8 = 6;
}

/// What a node hands down: twice the rows that arguments around it move, and 1 if nobody uses the values below.
#[device(walk_down)]
fn above(i: usize, parent: u32, kind: &[u8], data: &[u32]) -> u32 {
    let moved = if kind[i] == kind::ARG { (parent >> 1) + data[i] } else { parent >> 1 };
    moved << 1 | unused_below(kind[i], (parent & 1) != 0) as u32
}

/// The row of a node that is no argument.
#[device]
fn row_of(i: usize, depth: &[u32], end: &[u32], above: &[u32]) -> u32 {
    end[i] - 1 - depth[i] - (above[i] >> 1)
}

/// The row of each node.
#[device(map)]
fn row(
    i: usize,
    kind: &[u8],
    data: &[u32],
    depth: &[u32],
    parent: &[u32],
    end: &[u32],
    above: &[u32],
    parameters: &[u32],
) -> u32 {
    if kind[i] == kind::ARG {
        let call = parent[i] as usize;
        row_of(call, depth, end, above) - parameters[data[call] as usize] + data[i]
    } else {
        row_of(i, depth, end, above)
    }
}

/// Whether a kind is of values, with effects or without.
#[device]
pub fn is_value(kind: u8) -> bool {
    kind >= kind::DECLARE && kind != kind::ARG
}

/// What the value or block of node `i` is for.
#[device]
fn role_of(i: usize, kind: &[u8], parent: &[u32], end: &[u32], above: &[u32]) -> u8 {
    if parent[i] == u32::MAX {
        return role::NONE;
    }
    let p = parent[i] as usize;
    let k = kind[p];
    if is_value(kind[i]) {
        if (above[p] & 1) != 0 {
            return role::DISCARDED;
        }
        return match k {
            kind::ARG => role::ARGUMENT,
            kind::RETURN => role::RETURNED,
            kind::IF | kind::IF_ELSE | kind::WHILE => role::CONDITION,
            _ => role::OPERAND,
        };
    }
    let second = (k == kind::IF_ELSE || k == kind::WHILE) && end[p + 1] == i as u32;
    if second { role::JUMP } else { role::NONE }
}

/// The row that `target` names for node `i` with role `role`.
#[device]
fn target_of(i: usize, role: u8, kind: &[u8], parent: &[u32], end: &[u32], row: &[u32]) -> u32 {
    if parent[i] == u32::MAX {
        return 0;
    }
    let above = parent[i] as usize;
    if role == role::ARGUMENT {
        return row[parent[above] as usize];
    }
    if kind[above] == kind::WHILE && role == role::JUMP {
        // Back to the first row of the loop's subtree.
        return row[above] - (end[above] - above as u32 - 1);
    }
    if kind[above] != kind::WHILE && role == role::CONDITION {
        // Past the first block and the jump at its end.
        return row[end[i] as usize] + 1;
    }
    row[above]
}

/// Row `r`: kind, type, role, data, aux, operand, target.
#[device(map)]
fn flat(
    r: usize,
    node: &[u32],
    kind: &[u8],
    ty: &[u8],
    data: &[u32],
    aux: &[u32],
    parent: &[u32],
    end: &[u32],
    above: &[u32],
    row: &[u32],
) -> (u8, u8, u8, u32, u32, u32, u32) {
    let i = node[r] as usize;
    let role = role_of(i, kind, parent, end, above);
    let target = target_of(i, role, kind, parent, end, row);
    let mut k = kind[i];
    if role == role::DISCARDED && is_pure(k) {
        k = kind::EMPTY;
    }
    if k == kind::PARAM && kind[parent[i] as usize] == kind::EXTERN {
        k = kind::EMPTY;
    }
    let comparison = k >= kind::EQ && k <= kind::GE;
    let operand = if k >= kind::ADD || k == kind::ARG { row[i + 1] } else { 0 };
    let data = resolved(i, kind, data);
    (k, if comparison { ty[i + 1] } else { ty[i] }, role, data, aux[i], operand, target)
}

/// A program as operations in evaluation order.
pub struct Rows<B: Backend> {
    /// Kind of the node.
    pub kind: B::Vec<u8>,
    /// Type of its value; of a comparison, that of its operands.
    pub ty: B::Vec<u8>,
    /// What its value is for.
    pub role: B::Vec<u8>,
    /// LITERAL: bits; CALL and FUNCTION: function id; ARG: its place among the arguments; PARAM, DECLARE, NAME, ASSIGN: offset.
    pub data: B::Vec<u32>,
    /// As [`Variables::aux`].
    pub aux: B::Vec<u32>,
    /// The row of the left operand, of an argument's value.
    pub operand: B::Vec<u32>,
    /// See [`role`]; for ARG the row of its call.
    pub target: B::Vec<u32>,
}

/// Turns nodes into rows. `parameters` is the number of parameters of each function by id.
pub fn flatten<B: Backend>(
    backend: &B,
    lifted: &Lifted<B>,
    variables: &Variables<B>,
    parameters: &B::Vec<u32>,
) -> Result<Rows<B>> {
    let Lifted { nodes, structure, .. } = lifted;
    let n = nodes.kind.len();
    let above = backend.walk_down(&structure.parent, 0, above::of(&nodes.kind, &nodes.data))?;
    let row = backend.map(row::of(
        &nodes.kind,
        &nodes.data,
        &nodes.depth,
        &structure.parent,
        &structure.end,
        &above,
        parameters,
    ))?;
    let mut node = backend.allocate(n)?;
    backend.scatter(&mut node, &row, &backend.map(index_u32::of().rows(n))?)?;
    let (kind, ty, role, data, aux, operand, target) = backend.map(flat::of(
        &node,
        &nodes.kind,
        &nodes.ty,
        &variables.data,
        &variables.aux,
        &structure.parent,
        &structure.end,
        &above,
        &row,
    ))?;
    Ok(Rows { kind, ty, role, data, aux, operand, target })
}
