//! Classes: values that may share memory have one class, the least of their ids.
//!
//! Each round joins every class with the least class that an edge leads to from it, and then gives each id its class by pointer
//! jumping.

use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

/// Pairs of ids that have one class.
pub struct Edges<B: Backend> {
    /// One id of each pair.
    pub from: B::Vec<u32>,
    /// The other.
    pub to: B::Vec<u32>,
}

#[device(compact)]
fn differs(e: usize, from: &[u32], to: &[u32], class: &[u32]) -> bool {
    class[from[e] as usize] != class[to[e] as usize]
}

/// Returns the classes of the ends of an edge, the greater one first.
#[device(map)]
fn ends(k: usize, open: &[u32], from: &[u32], to: &[u32], class: &[u32]) -> u64 {
    let e = open[k] as usize;
    let a = class[from[e] as usize];
    let b = class[to[e] as usize];
    let greater = if a < b { b } else { a };
    (greater as u64) << 32 | (a ^ b ^ greater) as u64
}

#[device(compact)]
fn is_first(k: usize, keys: &[u64]) -> bool {
    k == 0 || keys[k] >> 32 != keys[k - 1] >> 32
}

/// Returns the halves of a key.
#[device(map)]
fn halves(k: usize, chosen: &[u32], keys: &[u64]) -> (u32, u32) {
    let key = keys[chosen[k] as usize];
    ((key >> 32) as u32, key as u32)
}

#[device(map)]
fn jumped(s: usize, class: &[u32]) -> u32 {
    class[class[s] as usize]
}

/// Returns 1 if the class of a class is another one.
#[device(reduce(Sum))]
fn moves(s: usize, class: &[u32]) -> u32 {
    (class[class[s] as usize] != class[s]) as u32
}

/// Returns a class of its own for each of `n` ids.
pub fn alone<B: Backend>(backend: &B, n: usize) -> Result<B::Vec<u32>> {
    backend.map(index_u32::of().rows(n))
}

/// Joins the classes at both ends of each edge. Returns the classes, and whether any were joined.
pub fn joined<B: Backend>(backend: &B, mut class: B::Vec<u32>, edges: &Edges<B>) -> Result<(B::Vec<u32>, bool)> {
    let mut has_joined = false;
    loop {
        let open = backend.compact(differs::of(&edges.from, &edges.to, &class).rows(edges.from.len()))?;
        if open.is_empty() {
            return Ok((class, has_joined));
        }
        has_joined = true;
        let keys = backend.map(ends::of(&open, &edges.from, &edges.to, &class))?;
        let (keys, _) = backend.sort_by_key(&keys, &open)?;
        let chosen = backend.compact(is_first::of(&keys))?;
        let (greater, less) = backend.map(halves::of(&chosen, &keys))?;
        backend.scatter(&mut class, &greater, &less)?;
        while backend.reduce(moves::of(&class), Sum)? > 0 {
            class = backend.map(jumped::of(&class))?;
        }
    }
}
