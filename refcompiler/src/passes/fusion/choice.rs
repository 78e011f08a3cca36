//! The choice of the producers that are fused, and of the MULTILOOP that each becomes a part of.
//!
//! First all producers with one edge take it, chains of any length at once. A producer with several edges is fused if all lead to one
//! MULTILOOP. That depends on what else is fused, so there are some rounds, one for each level of such producers. A producer goes nowhere
//! beyond the next write of what it reads, or of what producers read that are parts of it.

use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::edges::{EdgeId, Edges, Graph, Links, ProducerId, Producers};
use super::shape::Shapes;
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};

/// The most levels of producers with several edges.
const ROUNDS: u32 = 3;

/// Where a producer goes.
#[device(columns(Chains, index = ProducerId))]
pub struct Chain {
    /// The MULTILOOP that it is a part of, itself if it is not fused.
    pub target: u32,
    /// The last producer of the chain of fused producers that begins with it.
    pub last: u32,
}

/// Returns the only consumer of a producer. One with several edges stays.
#[device(map)]
fn only_consumer(p: ProducerId, producers: &Producers, edges: &Edges) -> u32 {
    let first = EdgeId::new(producers.first[p]);
    if producers.edges[p] == 1 { edges.consumer[first] } else { producers.node[p] }
}

/// Returns whether a producer is a part of another MULTILOOP, its target.
#[device]
fn is_fused(p: ProducerId, producers: &Producers, target: &[u32]) -> bool {
    target[p.index()] != producers.node[p]
}

/// Returns the target of a producer if that is fused too, else the producer.
#[device(map)]
fn link(p: ProducerId, producers: &Producers, row: &[u32], target: &[u32]) -> u32 {
    let above = ProducerId::new(row[target[p.index()] as usize]);
    if !above.is_none() && is_fused(above, producers, target) { above.get() } else { p.get() }
}

#[device(map)]
fn jumped(p: usize, link: &[u32]) -> u32 {
    link[link[p] as usize]
}

/// Returns the MULTILOOP that a MULTILOOP is a part of in the end, itself if it is not fused.
#[device]
fn root(m: u32, row: &[u32], chains: &Chains) -> u32 {
    let p = ProducerId::new(row[m as usize]);
    if p.is_none() || chains.target[p] == m {
        return m;
    }
    chains.target[ProducerId::new(chains.last[p])]
}

/// Returns the target of a producer, itself if a write comes before the end of its root.
#[device(map)]
fn in_time(p: ProducerId, producers: &Producers, chains: &Chains, shape: &Shapes) -> u32 {
    let root = NodeId::new(chains.target[ProducerId::new(chains.last[p])]);
    if producers.until[p] < shape.end[root] { producers.node[p] } else { chains.target[p] }
}

/// Returns the root of the first edge of a producer.
#[device(map)]
fn host(p: ProducerId, graph: &Links, chains: &Chains) -> u32 {
    root(graph.edges.consumer[EdgeId::new(graph.producers.first[p])], graph.row, chains)
}

/// Returns the producer of an edge, and 1 if the edge has another root than the first one, or is one of several edges to elements that
/// are narrowed.
#[device(accumulate)]
fn other_root(e: EdgeId, graph: &Links, chains: &Chains, host: &[u32], nodes: &Nodes) -> (u32, u32) {
    let root = root(graph.edges.consumer[e], graph.row, chains);
    let p = ProducerId::new(graph.edges.producer[e]);
    let is_narrow = nodes.ty[NodeId::new(graph.producers.node[p])].is_narrow();
    (p.get(), ((root != host[p.index()]) | (is_narrow & (graph.producers.edges[p] > 1))) as u32)
}

/// Returns the producer that a producer is a part of, and 1 if the latter cannot go to the host of the former.
#[device(accumulate)]
fn held_back(p: ProducerId, graph: &Links, chains: &Chains, host: &[u32], nodes: &Nodes, shape: &Shapes) -> (u32, u32) {
    let top = graph.row[root(graph.producers.node[p], graph.row, chains) as usize];
    if top == NO_NODE {
        return (NO_NODE, 0);
    }
    let host = NodeId::new(host[top as usize]);
    // Elements for producers with several edges come first in the body, but there a key must be.
    let has_key = nodes.kind[NodeId::new(shape.yields[host])] == Kind::YieldBucket;
    let is_late = graph.producers.until[p] < shape.end[host];
    (top, (is_late | (has_key & (graph.producers.edges[p] > 1))) as u32)
}

/// Returns the target of a producer after a round. A host that moves in this round is not the last one: such a producer waits.
#[device(map)]
fn next_target(p: ProducerId, graph: &Links, target: &[u32], host: &[u32], refusals: &[u32]) -> u32 {
    let above = ProducerId::new(graph.row[host[p.index()] as usize]);
    let waits = !above.is_none() && refusals[above.index()] == 0;
    if is_fused(p, graph.producers, target) | (refusals[p.index()] > 0) | waits {
        return target[p.index()];
    }
    let is_only = graph.producers.edges[p] == 1;
    if is_only { graph.edges.consumer[EdgeId::new(graph.producers.first[p])] } else { host[p.index()] }
}

/// Returns the root of a producer.
#[device(map)]
fn rooted(p: ProducerId, producers: &Producers, row: &[u32], chains: &Chains) -> u32 {
    root(producers.node[p], row, chains)
}

#[device(compact)]
fn is_part(p: ProducerId, producers: &Producers, roots: &[u32]) -> bool {
    roots[p.index()] != producers.node[p]
}

/// Returns the chains, given the targets.
fn chains<B: Backend>(backend: &B, graph: &Graph<B>, target: B::Vec<u32>) -> Result<Chains<B>> {
    let mut last = backend.map(link::of(&graph.producers, &graph.row, &target).rows(target.len()))?;
    let mut length = 1;
    while length < target.len() {
        last = backend.map(jumped::of(&last))?;
        length *= 2;
    }
    Ok(Chains { target, last })
}

/// Returns the producers that are fused, and the MULTILOOP that each producer is a part of in the end.
pub fn choice<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    shape: &Shapes<B>,
    graph: &Graph<B>,
) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
    let Graph { producers, edges, row } = graph;
    let links = graph.links();
    let p = producers.node.len();
    let targets = backend.map(only_consumer::of(producers, edges).rows(p))?;
    let all = chains(backend, graph, targets)?;
    let targets = backend.map(in_time::of(producers, &all, shape).rows(p))?;
    let mut found = chains(backend, graph, targets)?;
    for _ in 0..ROUNDS {
        let host = backend.map(host::of(&links, &found).rows(p))?;
        let mut refusals = backend.filled(p, 0u32)?;
        let of_edges = other_root::of(&links, &found, &host, nodes);
        backend.accumulate(&mut refusals, of_edges.rows(edges.input.len()))?;
        let of_parts = held_back::of(&links, &found, &host, nodes, shape);
        backend.accumulate(&mut refusals, of_parts.rows(p))?;
        let next = next_target::of(&links, &found.target, &host, &refusals);
        found = chains(backend, graph, backend.map(next.rows(p))?)?;
    }
    let roots = backend.map(rooted::of(producers, row, &found).rows(p))?;
    let parts = backend.compact(is_part::of(producers, &roots).rows(p))?;
    Ok((parts, roots))
}
