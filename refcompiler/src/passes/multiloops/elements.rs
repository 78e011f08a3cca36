//! Operations on the elements of arrays: operators, functions and `where`, one MULTILOOP whatever the rank.

use treepar::device::device;

use super::facts::Facts;
use super::pieces::Piece;
use super::slots::{Slot, once};
use crate::ir::kinds::{ELEMENTWISE, Kind, Kinds};
use crate::ir::needs::is_of_elements;
use crate::ir::nodes::{NodeId, Nodes};

/// The operations on elements besides calls.
const OPERATIONS: Kinds = ELEMENTWISE.union(Kinds::of(&[Kind::Where]));

/// Returns whether a node is an operation on elements of arrays.
#[device]
pub fn is_elementwise(i: NodeId, nodes: &Nodes) -> bool {
    let is_call = (nodes.kind[i] == Kind::Call) & is_of_elements(nodes.data[i]);
    nodes.ty[i].is_array() && (OPERATIONS.contains(nodes.kind[i]) || is_call)
}

/// Returns operand `k`, without the ARG around it.
#[device]
pub fn operand(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> NodeId {
    let first = i.plus(1);
    let second = if k > 0 { NodeId::new(facts.end[first]) } else { first };
    let third = if k > 1 { NodeId::new(facts.end[second]) } else { second };
    if nodes.kind[i] == Kind::Call { third.plus(1) } else { third }
}

/// Returns the number of the first operand of full rank.
#[device]
pub fn reference(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    let rank = facts.rank[i];
    if facts.rank[operand(i, 0, nodes, facts)] == rank {
        return 0;
    }
    if facts.rank[operand(i, 1, nodes, facts)] == rank { 1 } else { 2 }
}

/// Returns the number of the first or second operand besides the one of full rank.
#[device]
pub fn other(i: NodeId, n: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    n + (n >= reference(i, nodes, facts)) as u32
}

/// Returns the rank of an operand, 0 if there is none.
#[device]
pub fn operand_rank(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    if k < facts.children[i] { facts.rank[operand(i, k, nodes, facts)] } else { 0 }
}

/// Returns the number of views from operand `k` on.
#[device]
pub fn views(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    let mut views = 0u32;
    let mut n = k;
    while n < 3 {
        views += (operand_rank(i, n, nodes, facts) > 0) as u32;
        n += 1;
    }
    views
}

/// Returns the first of three pieces, the second or the third.
#[device]
fn choose(k: u32, first: Piece, second: Piece, third: Piece) -> u32 {
    match k {
        0 => first.code() as u32,
        1 => second.code() as u32,
        _ => third.code() as u32,
    }
}

/// Returns the view of operand `k`, `Nothing` of a number.
#[device]
fn view(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    let is_array = operand_rank(i, k, nodes, facts) > 0;
    if is_array { choose(k, Piece::FirstView, Piece::SecondView, Piece::ThirdView) } else { 0 }
}

/// Returns the piece that reads operand `k`, `Nothing` if there is none.
#[device]
fn access(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    if k >= facts.children[i] {
        return 0;
    }
    if operand_rank(i, k, nodes, facts) == 0 {
        return choose(k, Piece::FirstNumber, Piece::SecondNumber, Piece::ThirdNumber);
    }
    choose(k, Piece::FirstElement, Piece::SecondElement, Piece::ThirdElement)
}

/// Returns a piece before others.
#[device]
fn prepend(piece: u32, others: u64) -> u64 {
    if piece == 0 { others } else { (others << 8) | piece as u64 }
}

/// Returns the pieces after the operands: checks of extents, and views.
#[device]
pub fn after_operands(i: NodeId, nodes: &Nodes, facts: &Facts) -> Slot {
    let third = prepend(view(i, 2, nodes, facts), 0u64);
    let second = prepend(view(i, 1, nodes, facts), third);
    let first = prepend(view(i, 0, nodes, facts), second);
    let checks = prepend(Piece::EqualSecond.code() as u32, first);
    Slot {
        pieces: prepend(Piece::EqualOther.code() as u32, checks),
        times: operand_rank(i, other(i, 0, nodes, facts), nodes, facts),
        // The first piece occurs `times` times, the second `more` times.
        repeats: 0b010_001u16,
        more: operand_rank(i, other(i, 1, nodes, facts), nodes, facts) as u8,
        shift: 0u8,
    }
}

/// Returns the body.
#[device]
pub fn elements(i: NodeId, nodes: &Nodes, facts: &Facts) -> Slot {
    let third = prepend(access(i, 2, nodes, facts), 0u64);
    let second = prepend(access(i, 1, nodes, facts), third);
    let first = prepend(access(i, 0, nodes, facts), second);
    once(prepend(Piece::Elements.code() as u32, first))
}
