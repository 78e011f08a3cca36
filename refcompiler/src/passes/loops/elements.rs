//! Operations on the elements of arrays: operators, functions and `where`, in one loop.
//!
//! ```text
//! a + b              a, b: [[int]]; the same extents
//! b[i % (m * 4)]     b: [int]; the address counts bytes, and the elements of b repeat
//! ```

use treepar::device::device;

use super::facts::Facts;
use super::pieces::Piece;
use super::slots::Slot;
use crate::ir::kinds::{ELEMENTWISE, Kind, Kinds};
use crate::ir::needs::is_saturating;
use crate::ir::nodes::{NodeId, Nodes};
use crate::ir::tree::runtime;

/// The operations on elements besides calls.
const OPERATIONS: Kinds = ELEMENTWISE.union(Kinds::of(&[Kind::Where]));

/// Returns whether a node is an operation on elements of arrays.
#[device]
pub fn is_elementwise(i: NodeId, nodes: &Nodes) -> bool {
    let is_call = (nodes.kind[i] == Kind::Call)
        && ((nodes.data[i] >= runtime::FLOOR) & (nodes.data[i] <= runtime::COS) | is_saturating(nodes.data[i]));
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

/// Returns the pieces with the address and the size of an operand.
#[device]
fn addresses(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    let rank = operand_rank(i, k, nodes, facts);
    if rank == 0 {
        return 0;
    }
    let data = choose(k, Piece::FirstData, Piece::SecondData, Piece::ThirdData);
    let bytes = choose(k, Piece::FirstBytes, Piece::SecondBytes, Piece::ThirdBytes);
    data | if rank < facts.rank[i] { bytes << 8 } else { 0 }
}

/// Returns the piece of operand `k`.
#[device]
fn choose(k: u32, first: Piece, second: Piece, third: Piece) -> u32 {
    match k {
        0 => first.code() as u32,
        1 => second.code() as u32,
        _ => third.code() as u32,
    }
}

/// Returns the piece that reads operand `k`, `Nothing` if there is none.
#[device]
fn access(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    if k >= facts.children[i] {
        return 0;
    }
    let rank = operand_rank(i, k, nodes, facts);
    if rank == 0 {
        return choose(k, Piece::FirstNumber, Piece::SecondNumber, Piece::ThirdNumber);
    }
    if nodes.ty[operand(i, k, nodes, facts)].shift() != nodes.ty[i].shift() {
        if rank == facts.rank[i] {
            return choose(k, Piece::FirstOther, Piece::SecondOther, Piece::ThirdOther);
        }
        return choose(k, Piece::FirstOtherRepeated, Piece::SecondOtherRepeated, Piece::ThirdOtherRepeated);
    }
    if rank == facts.rank[i] {
        return choose(k, Piece::FirstElement, Piece::SecondElement, Piece::ThirdElement);
    }
    choose(k, Piece::FirstRepeated, Piece::SecondRepeated, Piece::ThirdRepeated)
}

/// Returns the number of nodes of two pieces.
#[device]
fn nodes_of(pieces: u32) -> u32 {
    Piece::from_code(pieces as u8).length() + Piece::from_code((pieces >> 8) as u8).length()
}

/// Returns the distance from the address of operand `k`, a declaration, to the loop.
#[device]
pub fn distance_of_data(i: NodeId, k: u32, nodes: &Nodes, facts: &Facts) -> u32 {
    let mut nodes_after = 0u32;
    let mut n = k;
    while n < 3 {
        nodes_after += nodes_of(addresses(i, n, nodes, facts));
        n += 1;
    }
    nodes_after - 1
}

/// Returns the distance from the result to the loop.
#[device]
pub fn distance_of_result(i: NodeId, nodes: &Nodes, facts: &Facts) -> u32 {
    distance_of_data(i, 0, nodes, facts) + Piece::Result.length()
}

/// Returns up to two pieces before others.
#[device]
fn prepend(pieces: u32, others: u64) -> u64 {
    let bits = if pieces == 0 { 0 } else { 8 } + if pieces > 255 { 8 } else { 0 };
    (others << bits) | pieces as u64
}

/// Returns the pieces after the operands: checks of extents, the result, and addresses.
#[device]
pub fn after_operands(i: NodeId, nodes: &Nodes, facts: &Facts) -> Slot {
    let third = prepend(addresses(i, 2, nodes, facts), 0u64);
    let second = prepend(addresses(i, 1, nodes, facts), third);
    let first = prepend(addresses(i, 0, nodes, facts), second);
    let checks = Piece::EqualOther.code() as u32 | (Piece::EqualSecond.code() as u32) << 8;
    Slot {
        pieces: prepend(checks, prepend(Piece::Result.code() as u32, first)),
        times: operand_rank(i, other(i, 0, nodes, facts), nodes, facts),
        // The first piece occurs `times` times, the second `more` times.
        repeats: 0b010_001u16,
        more: operand_rank(i, other(i, 1, nodes, facts), nodes, facts) as u8,
        shift: 0u8,
    }
}

/// Returns the loop, and the result.
#[device]
pub fn loop_of_elements(i: NodeId, nodes: &Nodes, facts: &Facts) -> Slot {
    let last = prepend(Piece::Made.code() as u32, 0u64);
    let third = prepend(access(i, 2, nodes, facts), last);
    let second = prepend(access(i, 1, nodes, facts), third);
    let first = prepend(access(i, 0, nodes, facts), second);
    Slot::once(prepend(Piece::Elements.code() as u32, first))
}
