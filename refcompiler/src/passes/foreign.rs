//! Variables that are accessed by other functions or by their address.
//!
//! ```text
//! fn f { var a;  fn g { a } }        g is around the access of a and not around its declaration
//! ```
//!
//! The function that declares a variable is around all its accesses. So an access is in another function if more nested functions are
//! around it than around the declaration. One scan over the edges of nested functions counts them.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// Returns whether a node is a nested function.
#[device(compact)]
fn is_nested(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Function) & (nodes.depth[i] > 0)
}

/// Returns a node where the number of nested functions changes, and the change. Edge `e` is one of two edges of a function.
#[device(accumulate)]
fn edge(e: u32, nested: &[u32], end: &[u32]) -> (u32, u32) {
    let function = nested[e as usize / 2];
    if e & 1 == 0 { (function, 1) } else { (end[function as usize], u32::MAX) }
}

/// Returns the number of nested functions around each node, if there are any.
///
/// # Errors
/// Only errors of the backend.
pub fn levels<B: Backend>(backend: &B, nodes: &Nodes<B>, end: &B::Vec<u32>) -> Result<Option<B::Vec<u32>>> {
    let n = nodes.len();
    let nested = backend.compact(is_nested::of(nodes).rows(n))?;
    if nested.is_empty() {
        return Ok(None);
    }
    let mut edges = backend.filled(n, 0u32)?;
    backend.accumulate(&mut edges, edge::of(&nested, end).rows(2 * nested.len()))?;
    Ok(Some(backend.scan_later(ScanKind::Inclusive, &edges, Sum)?.0))
}

/// Returns the variable that a node declares or accesses.
#[device]
pub fn variable(i: NodeId, nodes: &Nodes) -> u32 {
    if nodes.kind[i].is_variable() { nodes.data[i] } else { i.get() }
}

/// Returns whether a node takes the address of a variable.
#[device(compact)]
fn takes_address(k: usize, found: &[u32], nodes: &Nodes) -> bool {
    nodes.kind[NodeId::new(found[k])] == Kind::Address
}

/// Returns whether a node accesses a variable of another function.
#[device(compact)]
fn is_foreign(k: usize, found: &[u32], nodes: &Nodes, level: &[u32]) -> bool {
    let i = NodeId::new(found[k]);
    level[i.index()] != level[variable(i, nodes) as usize]
}

/// Returns the variable of a node that shares it, and 1.
#[device(accumulate)]
fn shared_by(s: usize, sharing: &[u32], found: &[u32], nodes: &Nodes) -> (u32, u32) {
    (variable(NodeId::new(found[sharing[s] as usize]), nodes), 1)
}

/// Adds for each variable the number of some of the nodes `found` to `counts`.
///
/// # Errors
/// Only errors of the backend.
pub fn count<B: Backend>(
    backend: &B,
    counts: &mut B::Vec<u32>,
    sharing: &B::Vec<u32>,
    found: &B::Vec<u32>,
    nodes: &Nodes<B>,
) -> Result<()> {
    backend.accumulate(counts, shared_by::of(sharing, found, nodes).rows(sharing.len()))
}

/// Returns how many of the nodes `found`, declarations and accesses, take the address of each variable or access it in another function.
///
/// # Errors
/// Only errors of the backend.
pub fn shared<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    end: &B::Vec<u32>,
    found: &B::Vec<u32>,
) -> Result<B::Vec<u32>> {
    let mut shared = backend.filled(nodes.len(), 0u32)?;
    let addresses = backend.compact(takes_address::of(found, nodes).rows(found.len()))?;
    count(backend, &mut shared, &addresses, found, nodes)?;
    if let Some(level) = levels(backend, nodes, end)? {
        let foreign = backend.compact(is_foreign::of(found, nodes, &level).rows(found.len()))?;
        count(backend, &mut shared, &foreign, found, nodes)?;
    }
    Ok(shared)
}
