//! Nodes in a new order.
//!
//! ```text
//! nodes    0 DECLARE x   1 ADD   2 NAME 0        origin 1, 2, 0    becomes    0 ADD   1 NAME 2   2 DECLARE x
//! ```
//!
//! Cost: m rows, one map.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::nodes::{Node, NodeId, Nodes};

/// Returns an old node with its new data.
#[device(map)]
fn node(q: usize, origin: &[u32], nodes: &Nodes, index: &[u32]) -> Node {
    let i = NodeId::new(origin[q]);
    let kind = nodes.kind[i];
    let data = nodes.data[i];
    Node {
        depth: nodes.depth[i],
        kind,
        ty: nodes.ty[i],
        data: if kind.is_variable() { index[data as usize] } else { data },
    }
}

/// Returns the old nodes `origin`, given the new index of each old node.
///
/// # Errors
/// Only errors of the backend.
pub fn from_origins<B: Backend>(
    backend: &B,
    origin: &B::Vec<u32>,
    nodes: &Nodes<B>,
    index: &B::Vec<u32>,
) -> Result<Nodes<B>> {
    backend.map(node::of(origin, nodes, index).rows(origin.len()))
}
