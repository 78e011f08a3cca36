//! The tree with merges: each is a PHI or a HEAD with two reads.
//!
//! ```text
//! WHILE( condition BLOCK )    FOR( COUNT BLOCK )           IF( condition BLOCK )         CHOOSE( TEST THEN OTHERWISE )
//! WHILE( HEAD* .. BLOCK )     FOR( COUNT HEAD* BLOCK )     IF( condition BLOCK PHI* )    CHOOSE( .. OTHERWISE PHI* )
//! ```

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::{Sum, index_u32};
use treepar::{Backend, Column, Result};

use super::NONE;
use super::merges::{MergeId, Merges};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{Lifted, Node, NodeId, Nodes, Structure};

/// The nodes of a merge.
const NODES: u32 = 3;

/// Returns the new index of a node. `merges` is the number of merges before it.
#[device(map)]
fn moved_node(i: usize, merges: &[u32]) -> u32 {
    i as u32 + NODES * merges[i]
}

/// Returns the new index of a node of a merge.
#[device(map)]
fn node_of_merge(k: usize, merges: &Merges) -> u32 {
    merges.after[MergeId::new(k as u32 / NODES)] + 1 + k as u32
}

/// Returns the new index of the node that defines the value of an event.
#[device]
fn row_of(event: u32, n: u32, moved: &[u32]) -> u32 {
    let first = if event < n { event } else { event - (event - n) % NODES };
    moved[first as usize]
}

/// Returns node `q`, which was row `origin[q]`.
#[device(map)]
fn node(q: usize, origin: &[u32], moved: &[u32], definitions: &[u32], nodes: &Nodes, merges: &Merges) -> Node {
    let n = nodes.kind.len() as u32;
    let id = origin[q];
    let definition = definitions[id as usize];
    if id < n {
        let i = NodeId::new(id);
        let kind = nodes.kind[i];
        let data = nodes.data[i];
        let variable = if kind.is_variable() { data } else { id };
        let mut renamed = kind;
        let mut new_data = if kind.is_variable() { moved[data as usize] } else { data };
        if definition != NONE {
            if kind == Kind::Name {
                renamed = Kind::Use;
            } else if !kind.is_read() {
                renamed = Kind::Let;
            }
            new_data = if kind.is_read() { row_of(definition, n, moved) } else { moved[variable as usize] };
        }
        return Node { depth: nodes.depth[i], kind: renamed, ty: nodes.ty[i], data: new_data };
    }
    let k = id - n;
    let m = MergeId::new(k / NODES);
    let statement = NodeId::new(merges.statement[m]);
    let variable = merges.variable[m];
    let is_read = k % NODES != 0;
    let of_statement = if nodes.kind[statement].is_loop() { Kind::Head } else { Kind::Phi };
    Node {
        depth: nodes.depth[statement] + 1 + is_read as u32,
        kind: if is_read { Kind::Use } else { of_statement },
        ty: nodes.ty[NodeId::new(variable)],
        data: if is_read { row_of(definition, n, moved) } else { moved[variable as usize] },
    }
}

#[device(map)]
fn moved_hops(q: usize, origin: &[u32], hops: &[u32]) -> u32 {
    if (origin[q] as usize) < hops.len() { hops[origin[q] as usize] } else { 0 }
}

/// Returns the program with its merges, and with the definition of each read. `definitions` are events.
pub fn renamed<B: Backend>(
    backend: &B,
    lifted: &Lifted<B>,
    merges: &Merges<B>,
    definitions: &B::Vec<u32>,
) -> Result<Lifted<B>> {
    let Lifted { nodes, hops, .. } = lifted;
    let rows = definitions.len();
    let counts = backend.histogram(&merges.after, nodes.len())?;
    let (before, _) = backend.scan(ScanKind::Exclusive, &counts, Sum)?;
    let of_merges = backend.map(node_of_merge::of(merges).rows(rows - nodes.len()))?;
    let moved = backend.concat(&[&backend.map(moved_node::of(&before))?, &of_merges])?;
    let mut origin = backend.allocate(rows)?;
    backend.scatter(&mut origin, &moved, &backend.map(index_u32::of().rows(rows))?)?;

    let nodes = backend.map(node::of(&origin, &moved, definitions, nodes, merges).rows(rows))?;
    let hops = backend.map(moved_hops::of(&origin, hops).rows(rows))?;
    let (parent, end) = backend.nearest_smaller(&nodes.depth)?;
    Ok(Lifted { nodes, structure: Structure { parent, end }, hops })
}
