//! The assignments of variables.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::foreign::shared;

#[device(compact)]
fn is_access(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_variable()
}

#[device(compact)]
fn is_assignment(k: usize, found: &[u32], nodes: &Nodes) -> bool {
    nodes.kind[NodeId::new(found[k])] == Kind::Assign
}

/// Returns the variable of an assignment, and its node.
#[device(map)]
fn write(w: usize, assignments: &[u32], found: &[u32], nodes: &Nodes) -> (u32, u32) {
    let node = found[assignments[w] as usize];
    (nodes.data[NodeId::new(node)], node)
}

/// An index of an assignment, in the order of variables and positions.
#[device(index)]
pub struct WriteId(u32);

/// An assignment.
#[device(columns(Writes, index = WriteId))]
pub struct Write {
    /// The variable.
    pub variable: u32,
    /// The node.
    pub node: u32,
}

/// Returns whether a variable is assigned from node `from` to before node `end`.
#[device]
pub fn is_assigned(variable: u32, from: u32, end: u32, writes: &Writes) -> bool {
    let mut low = 0u32;
    let mut high = writes.node.len() as u32;
    while low < high {
        let middle = (low + high) / 2;
        let w = WriteId::new(middle);
        if (writes.variable[w] < variable) || (writes.variable[w] == variable && writes.node[w] < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low as usize >= writes.node.len() {
        return false;
    }
    let first = WriteId::new(low);
    (writes.variable[first] == variable) & (writes.node[first] < end)
}

/// Returns the assignments in order, and for each variable how many nodes access it in other functions or by its address.
pub fn writes<B: Backend>(backend: &B, nodes: &Nodes<B>, end: &B::Vec<u32>) -> Result<(Writes<B>, B::Vec<u32>)> {
    let found = backend.compact(is_access::of(nodes).rows(nodes.len()))?;
    let shared = shared(backend, nodes, end, &found)?;
    let assignments = backend.compact(is_assignment::of(&found, nodes).rows(found.len()))?;
    let (variables, of) = backend.map(write::of(&assignments, &found, nodes).rows(assignments.len()))?;
    let (variable, node) = backend.sort_by_key(&variables, &of)?;
    Ok((Writes { variable, node }, shared))
}
