//! The variables that nothing uses.
//!
//! ```text
//! DECLARE a = 1   DECLARE b = a + a   DECLARE s = 0   WHILE c { s = s + b }   EXPRESSION a
//! uses            a: 2, both by b     s: none, its own do not count           b: 1, by s     c: 1, an effect
//! s is dead, so b has no uses; b is dead, so a has none; a is dead
//! ```
//!
//! The use of a variable by a definition of another one is a *link*. When a variable has no uses left, the links from its definitions are
//! subtracted. So each step takes those links only, and there are as many steps as a chain of dead variables has links.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::places::{EFFECT, Forest, NOBODY, Place};
use crate::ir::kinds::Kind;
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::foreign::{count, shared, variable};

/// The most links of a chain of dead variables that one round follows.
pub const CHAIN: usize = 8;

/// Returns whether a node declares a variable in a block, or accesses one.
#[device(compact)]
fn is_found(i: NodeId, nodes: &Nodes) -> bool {
    let kind = nodes.kind[i];
    kind.is_variable() | (kind == Kind::Declare)
}

/// Returns the variable whose definition uses the value of a read, [`EFFECT`] or [`NOBODY`].
#[device]
fn user_variable(i: NodeId, nodes: &Nodes, places: &[Place]) -> u32 {
    let user = places[i.index()].user;
    if (user == EFFECT) | (user == NOBODY) { user } else { variable(NodeId::new(user), nodes) }
}

/// Returns the variable that a node accesses, and 1 if it is a read that something else than the same variable uses.
#[device(accumulate)]
fn used(k: usize, found: &[u32], nodes: &Nodes, places: &[Place]) -> (u32, u32) {
    let i = NodeId::new(found[k]);
    let of = variable(i, nodes);
    if !nodes.kind[i].is_read() {
        return (of, 0);
    }
    let user = user_variable(i, nodes, places);
    (of, ((user != NOBODY) & (user != of)) as u32)
}

/// Returns whether a node declares a variable in a part of an expression that may not be evaluated.
#[device(compact)]
fn is_apart(k: usize, found: &[u32], nodes: &Nodes, places: &[Place]) -> bool {
    let i = NodeId::new(found[k]);
    nodes.kind[i] == Kind::Declare && places[i.index()].is_apart == 1
}

/// Returns whether a node is a read that a definition of another variable uses.
#[device(compact)]
fn is_link(k: usize, found: &[u32], nodes: &Nodes, places: &[Place]) -> bool {
    let i = NodeId::new(found[k]);
    if !nodes.kind[i].is_read() {
        return false;
    }
    let user = user_variable(i, nodes, places);
    (user != EFFECT) & (user != NOBODY) & (user != nodes.data[i])
}

/// Returns the read of a link.
#[device(map)]
fn read_of(l: usize, links: &[u32], found: &[u32]) -> u32 {
    found[links[l] as usize]
}

/// Returns whether a variable is dead, given how often it is used and how many nodes share it.
#[device]
pub fn is_dead(of: u32, used: &[u32], shared: &[u32]) -> bool {
    (used[of as usize] | shared[of as usize]) == 0
}

/// Returns whether the variable that uses a link is dead.
#[device(compact)]
fn is_cut(l: usize, links: &[u32], nodes: &Nodes, places: &[Place], used: &[u32], shared: &[u32]) -> bool {
    is_dead(user_variable(NodeId::new(links[l]), nodes, places), used, shared)
}

/// Returns whether the variable that uses a link is not dead.
#[device(compact)]
fn is_left(l: usize, links: &[u32], nodes: &Nodes, places: &[Place], used: &[u32], shared: &[u32]) -> bool {
    !is_dead(user_variable(NodeId::new(links[l]), nodes, places), used, shared)
}

/// Returns the variable of a link that is cut, and -1.
#[device(accumulate)]
fn cut_use(c: usize, cut: &[u32], links: &[u32], nodes: &Nodes) -> (u32, u32) {
    (nodes.data[NodeId::new(links[cut[c] as usize])], u32::MAX)
}

#[device(map)]
fn link(l: usize, kept: &[u32], links: &[u32]) -> u32 {
    links[kept[l] as usize]
}

/// The uses of variables.
pub struct Uses<B: Backend> {
    /// The declarations in blocks and the accesses.
    pub found: B::Vec<u32>,
    /// The number of uses of the variable that each node declares.
    pub used: B::Vec<u32>,
    /// The number of reasons why the variable that each node declares may have other uses.
    pub shared: B::Vec<u32>,
    /// `true` if a chain has more links than were followed.
    pub is_open: bool,
}

/// Returns how often variables are used.
pub fn uses<B: Backend>(backend: &B, nodes: &Nodes<B>, forest: &Forest<B>) -> Result<Uses<B>> {
    let places = &forest.place;
    let found = backend.compact(is_found::of(nodes).rows(nodes.len()))?;
    let mut shared = shared(backend, nodes, &forest.end, &found)?;
    let apart = backend.compact(is_apart::of(&found, nodes, places).rows(found.len()))?;
    count(backend, &mut shared, &apart, &found, nodes)?;
    let mut used = backend.filled(nodes.len(), 0u32)?;
    backend.accumulate(&mut used, used::of(&found, nodes, places).rows(found.len()))?;
    let links = backend.compact(is_link::of(&found, nodes, places).rows(found.len()))?;
    let mut links = backend.map(read_of::of(&links, &found).rows(links.len()))?;
    let mut steps = 0;
    let is_open = loop {
        let cut = backend.compact(is_cut::of(&links, nodes, places, &used, &shared).rows(links.len()))?;
        if cut.is_empty() {
            break false;
        }
        if steps == CHAIN {
            break true;
        }
        // Before the variables of these links may become dead too.
        let kept = backend.compact(is_left::of(&links, nodes, places, &used, &shared).rows(links.len()))?;
        backend.accumulate(&mut used, cut_use::of(&cut, &links, nodes).rows(cut.len()))?;
        links = backend.map(link::of(&kept, &links).rows(kept.len()))?;
        steps += 1;
    };
    Ok(Uses { found, used, shared, is_open })
}
