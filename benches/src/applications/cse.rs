//! Common subexpressions: the first node that is the root of an equal expression.
//!
//! ```text
//! f( a + b, a + b )      node   f + a b + a b        an expression is equal to another if their operators are equal, and
//!                        first  0 1 2 3 1 2 3        their operands in order; an operator has at most two operands
//! ```

use std::collections::HashMap;

use treepar::depth::{Depths, NO_NODE};
use treepar::device::device;
use treepar::{Backend, Column, Error, Result};

use super::{Columns, Input, Rows};

/// An odd number with bits everywhere.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a run of siblings: a polynomial of their hashes, and the power of its factor.
#[device]
struct Hash {
    value: u64,
    power: u64,
}

#[device(monoid(identity = Hash { value: 0, power: 1 }))]
fn siblings(a: Hash, b: Hash) -> Hash {
    Hash { value: a.value.wrapping_mul(b.power).wrapping_add(b.value), power: a.power.wrapping_mul(b.power) }
}

#[device]
fn mixed(x: u64) -> u64 {
    let once = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let twice = (once ^ once >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    twice ^ twice >> 32
}

#[device(walk_up(siblings))]
fn hash(i: usize, operands: Hash, label: &[u32]) -> Hash {
    // The power shows the number of operands.
    let value = mixed(operands.value ^ operands.power.wrapping_mul(FACTOR).wrapping_add(label[i] as u64));
    Hash { value, power: FACTOR }
}

#[device(intern)]
fn key(i: usize, hash: &[Hash]) -> u64 {
    hash[i].value
}

/// Returns whether the first node with the same hash has another label, another size, or other operands.
#[device(compact)]
fn differs(i: usize, first: &[u32], label: &[u32], end: &[u32], parent: &[u32]) -> bool {
    let own = first[i] as usize;
    let mut found = label[own] != label[i] || end[own] - first[i] != end[i] - i as u32;
    if parent[i] != NO_NODE {
        // The node of the same position below the first node of the parent.
        let above = first[parent[i] as usize];
        let other = (above + (i as u32 - parent[i])) as usize;
        found = found || other >= parent.len() || parent[other] != above || first[other] != first[i];
    }
    found
}

/// Returns the first equal node of each, by hashes from the leaves up. They are compared afterwards.
pub fn ours<B: Backend>(backend: &B, input: &Input) -> Result<Columns<B>> {
    let forest = Depths::new(backend.upload(&input.depth)?)?;
    let label = backend.upload(&input.label)?;
    let parents = forest.parents()?;
    let hash = backend.walk_up(&parents, hash::of(&label), siblings)?;
    let first = backend.intern(key::of(&hash))?;
    let wrong = backend.compact(differs::of(&first, &label, &forest.ends()?, &parents))?;
    if !wrong.is_empty() {
        // Two expressions with one hash of 64 bits.
        return Err(Error::DuplicateTarget { target: backend.read(&wrong, 0)?.into() });
    }
    Ok(Columns { words: vec![first], longs: vec![], bytes: vec![] })
}

/// Returns the first equal node of each, by a map from operators with numbered operands.
pub fn plain(input: &Input) -> Rows {
    let n = input.depth.len();
    let mut first = vec![0; n];
    let mut seen: HashMap<(u32, [u32; 2]), u32> = HashMap::new();
    // The open nodes with their operands so far.
    let mut open: Vec<(usize, [u32; 2])> = Vec::new();
    for i in 0..=n {
        let depth = input.depth.get(i).map_or(0, |&depth| depth as usize);
        while open.len() > depth {
            let Some((node, operands)) = open.pop() else { break };
            first[node] = *seen.entry((input.label[node], operands)).or_insert(node as u32);
            if let Some((_, above)) = open.last_mut() {
                let slot = usize::from(above[0] != NO_NODE);
                above[slot] = first[node];
            }
        }
        if i < n {
            open.push((i, [NO_NODE; 2]));
        }
    }
    Rows { words: vec![first], ..Rows::default() }
}

pub fn edges() -> Vec<Input> {
    let inputs: [(&[u32], &[u32]); 6] = [
        (&[], &[]),
        (&[0], &[7]),
        (&[0, 0, 0], &[1, 2, 1]),
        // A leaf and an operator with one label, and operands in another order.
        (&[0, 1, 1, 0, 1, 1, 0, 1], &[1, 2, 3, 1, 3, 2, 1, 2]),
        (&[0, 1, 2, 3, 1, 2, 3], &[5, 5, 5, 5, 5, 5, 5]),
        (&[0, 1, 2, 2, 1, 2, 0, 1, 2, 2], &[1, 2, 3, 3, 2, 3, 1, 2, 3, 3]),
    ];
    let input = |(depth, label): (&[u32], &[u32])| Input {
        nodes: depth.len().max(1),
        depth: depth.to_vec(),
        label: label.to_vec(),
        ..Input::default()
    };
    inputs.into_iter().map(input).collect()
}
