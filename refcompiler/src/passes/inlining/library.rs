//! The functions that can be inlined, of all parts of a program.
//!
//! Each part gives its functions whose own nodes allow it. Then calls in them are replaced, from the leaves of the graph of calls: in a
//! round, the functions without calls of others that wait are ready, and their calls are replaced in all that wait. A function in a
//! cycle waits for ever, and one that becomes too large is called as before.
//!
//! A chain of calls can be longer than there are rounds. Then all functions above its first rounds would wait. So `cuts` leaves every
//! function out of the library whose chain below it has a multiple of [`ROUNDS`] `+ 2` functions with it. It is called, and no function
//! waits for it.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::replaced;
use crate::ir::effects::Effects;
use crate::ir::kinds::{BINARY, Kind, Kinds, Type};
use crate::ir::nodes::{FunctionId, Node, NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::ir::program::concatenated;

/// The most nodes of a function in the library, with its head.
pub const MOST_NODES: u32 = 72;
/// The most parameters.
const MOST_PARAMETERS: u32 = 8;
/// The longest chain of calls that are inlined in each other.
pub const ROUNDS: u32 = 6;

/// The kinds that an inlined function has.
const ALLOWED: Kinds = BINARY.union(Kinds::of(&[
    Kind::Function,
    Kind::Header,
    Kind::Param,
    Kind::Block,
    Kind::Expression,
    Kind::Declare,
    Kind::Return,
    Kind::Call,
    Kind::Arg,
    Kind::Literal,
    Kind::Name,
    Kind::Choose,
    Kind::Test,
    Kind::Then,
    Kind::Otherwise,
    Kind::Sequence,
    Kind::Cast,
    Kind::Ascribe,
    Kind::Negate,
    Kind::Not,
    Kind::Complement,
    Kind::Sqrt,
    Kind::Abs,
]));
/// The kinds without a value, whose data are 0.
const STATEMENTS: Kinds = Kinds::of(&[Kind::Expression, Kind::Return]);
/// The kinds of statements and heads.
const WITHOUT_VALUE: Kinds = STATEMENTS.union(Kinds::of(&[Kind::Header, Kind::Block]));

/// The rows of the body of a function in the library, [`NO_NODE`] if it is not there.
#[device(columns(Bodies, index = FunctionId))]
pub struct Body {
    /// The first parameter.
    pub params: u32,
    /// The first row of the body.
    pub first: u32,
    /// The RETURN. The rows before it are declarations, and the value comes after it.
    pub split: u32,
    /// The end of the value.
    pub end: u32,
}

/// The only use of a parameter in the library.
#[device(columns(Uses, index = NodeId))]
pub struct Use {
    /// The row, [`NO_NODE`] if no argument can be an operand there.
    pub row: u32,
}

/// The functions that can be inlined.
pub struct Library<B: Backend> {
    /// The rows of the body of each function, by id.
    pub bodies: Bodies<B>,
    /// The use of each parameter.
    pub uses: Uses<B>,
    /// The nodes of the functions.
    pub nodes: Nodes<B>,
}

/// Returns the number of rows of a body between two rows. The RETURN does not count.
#[device]
pub fn row_count(from: u32, to: u32, split: u32) -> u32 {
    to - from - ((from <= split) & (split < to)) as u32
}

/// Returns the row of a body that is `k` rows after another one.
#[device]
pub fn next_row(from: u32, k: u32, split: u32) -> u32 {
    let row = from + k;
    row + ((from <= split) & (split <= row)) as u32
}

/// The functions of a chain from one that is called to the next one.
pub const PERIOD: u32 = ROUNDS + 2;

#[device(compact)]
fn is_root(i: NodeId, nodes: &Nodes) -> bool {
    nodes.depth[i] == 0
}

/// Returns whether a node may be in an inlined function.
#[device]
fn is_allowed(i: NodeId, nodes: &Nodes) -> bool {
    let kind = nodes.kind[i];
    let ty = nodes.ty[i];
    let is_number = (ty == Type::Int) | (ty == Type::Float);
    let checks = ((kind == Kind::Ascribe) | STATEMENTS.contains(kind)) & (nodes.data[i] != 0);
    let is_nested = (kind == Kind::Function) & (nodes.depth[i] > 0);
    ALLOWED.contains(kind) & (is_number | WITHOUT_VALUE.contains(kind)) & !checks & !is_nested
}

/// Returns the rows of a function from its root to before `end`, if its nodes allow that it is inlined.
#[device]
fn body_of(root: u32, end: u32, nodes: &Nodes) -> Body {
    let none = Body { params: NO_NODE, first: NO_NODE, split: NO_NODE, end: NO_NODE };
    if end - root > MOST_NODES || nodes.kind[NodeId::new(root)] != Kind::Function {
        return none;
    }
    let mut first = root;
    let mut split = NO_NODE;
    let mut fits = true;
    let mut next = root;
    while next < end {
        let i = NodeId::new(next);
        let kind = nodes.kind[i];
        fits &= is_allowed(i, nodes);
        if nodes.depth[i] == 1 && kind == Kind::Block {
            first = next + 1;
        }
        if nodes.depth[i] == 2 {
            // Nothing comes after the RETURN, and a statement before it declares a variable.
            fits &= split == NO_NODE;
            let declares = kind == Kind::Expression && nodes.kind[i.plus(1)] == Kind::Declare;
            let returns = kind == Kind::Return && next + 1 < end;
            fits &= declares | returns;
            if returns {
                split = next;
            }
        }
        next += 1;
    }
    let is_small = first - root <= MOST_PARAMETERS + 3;
    if fits && split != NO_NODE && is_small { Body { params: root + 2, first, split, end } } else { none }
}

/// Returns the body of a function at top level.
#[device(map)]
fn body(f: usize, roots: &[u32], nodes: &Nodes, n: u32) -> Body {
    let end = if f + 1 < roots.len() { roots[f + 1] } else { n };
    body_of(roots[f], end, nodes)
}

/// Returns the id of a function that can be inlined. Some functions are left out.
#[device(map)]
fn id(f: usize, roots: &[u32], first: &[u32], nodes: &Nodes, is_out: &[u32]) -> u32 {
    let id = nodes.data[NodeId::new(roots[f])];
    if first[f] == NO_NODE || is_out[id as usize] == 1 { NO_NODE } else { id }
}

#[device(compact)]
fn is_candidate(f: usize, first: &[u32]) -> bool {
    first[f] != NO_NODE
}

/// Returns the number of nodes of a chosen function.
#[device(scan(Sum))]
fn nodes_of(c: usize, chosen: &[u32], params: &[u32], end: &[u32]) -> u32 {
    let f = chosen[c] as usize;
    end[f] + 2 - params[f]
}

/// Returns node `k` of a chosen function, counted from the first chosen one.
#[device(expand)]
fn chosen_node(c: usize, k: usize, chosen: &[u32], params: &[u32], starts: &[u32], nodes: &Nodes) -> Node {
    let root = params[chosen[c] as usize] - 2;
    let i = NodeId::new(root + k as u32);
    let kind = nodes.kind[i];
    let data = nodes.data[i];
    let moved = if kind.is_variable() { data - root + starts[c] } else { data };
    Node { depth: nodes.depth[i], kind, ty: nodes.ty[i], data: moved }
}

/// Returns the functions of a part whose nodes allow that they are inlined.
///
/// # Errors
/// Only errors of the backend.
pub fn candidates<B: Backend>(backend: &B, nodes: &Nodes<B>) -> Result<Nodes<B>> {
    let roots = backend.compact(is_root::of(nodes).rows(nodes.len()))?;
    let bodies: Bodies<B> = backend.map(body::of(&roots, nodes, nodes.len() as u32).rows(roots.len()))?;
    let chosen = backend.compact(is_candidate::of(&bodies.first))?;
    let of = nodes_of::of(&chosen, &bodies.params, &bodies.end);
    let (starts, total) = backend.scan(ScanKind::Exclusive, of.rows(chosen.len()), Sum)?;
    let call = chosen_node::of(&chosen, &bodies.params, &starts, nodes);
    backend.expand(&starts, total as usize, call)
}

#[device(map)]
fn data_after(i: NodeId, nodes: &Nodes, before: u32) -> u32 {
    if nodes.kind[i].is_variable() { nodes.data[i] + before } else { nodes.data[i] }
}

/// Returns the nodes of all parts as one part.
fn joined<B: Backend>(backend: &B, parts: &[Nodes<B>]) -> Result<Nodes<B>> {
    let (mut data, mut before) = (Vec::with_capacity(parts.len()), 0);
    for part in parts {
        data.push(backend.map(data_after::of(part, before).rows(part.len()))?);
        before += part.len() as u32;
    }
    Ok(Nodes { data: backend.concat(&data.iter().collect::<Vec<_>>())?, ..concatenated(backend, parts)? })
}

/// Returns 1 for a root.
#[device(scan(Sum))]
fn root(i: NodeId, nodes: &Nodes) -> u32 {
    (nodes.depth[i] == 0) as u32
}

/// The functions around nodes.
#[device(tables)]
struct Roots {
    /// The functions.
    roots: &[u32],
    /// The number of functions up to each node.
    functions: &[u32],
}

/// Returns the function around a node.
#[device]
fn root_of(i: NodeId, around: &Roots) -> NodeId {
    NodeId::new(around.roots[around.functions[i.index()] as usize - 1])
}

/// Returns the function around a call of a function that can be inlined, and 1.
#[device(accumulate)]
fn waits(i: NodeId, nodes: &Nodes, roots: &Roots, bodies: &Bodies) -> (u32, u32) {
    if nodes.kind[i] != Kind::Call || bodies.first[FunctionId::new(nodes.data[i])] == NO_NODE {
        return (NO_NODE, 0);
    }
    (nodes.data[root_of(i, roots)], 1)
}

/// Returns the body of a function that waits for no other.
#[device(map)]
fn ready(f: FunctionId, bodies: &Bodies, waits: &[u32]) -> Body {
    let is_ready = waits[f.index()] == 0;
    let first = if is_ready { bodies.first[f] } else { NO_NODE };
    Body { params: bodies.params[f], first, split: bodies.split[f], end: bodies.end[f] }
}

#[device(compact)]
fn is_ready(f: FunctionId, bodies: &Bodies) -> bool {
    bodies.first[f] != NO_NODE
}

/// Returns 1 in a value that is not always computed: bit 0. The other bits count calls with effects around it.
#[device(walk_down)]
fn around(i: NodeId, above: u32, nodes: &Nodes, effects: &Effects) -> u32 {
    let kind = nodes.kind[i];
    let has_effect = kind == Kind::Call && effects.is_pure[FunctionId::new(nodes.data[i])] == 0;
    (above + 2 * has_effect as u32) | kind.is_part() as u32
}

/// Returns 1 for a call with effects.
#[device(scan(Sum))]
fn with_effect(i: NodeId, nodes: &Nodes, effects: &Effects) -> u32 {
    (nodes.kind[i] == Kind::Call && effects.is_pure[FunctionId::new(nodes.data[i])] == 0) as u32
}

/// Returns the parameter that a node uses, and 1.
#[device(accumulate)]
fn used(i: NodeId, nodes: &Nodes) -> (u32, u32) {
    (if nodes.kind[i] == Kind::Name { nodes.data[i] } else { NO_NODE }, 1)
}

/// Returns the parameter that a node uses, and the node if an argument can be there.
#[device(map)]
fn only_use(i: NodeId, nodes: &Nodes, count: &[u32], around: &[u32], effects: &[u32], roots: &Roots) -> (u32, u32) {
    if nodes.kind[i] != Kind::Name {
        return (NO_NODE, NO_NODE);
    }
    let before = effects[i.index()] - effects[root_of(i, roots).index()];
    let is_only = (count[nodes.data[i] as usize] == 1) & (around[i.index()] & 1 == 0);
    let fits = is_only & (before == around[i.index()] >> 1);
    (if fits { nodes.data[i] } else { NO_NODE }, i.get())
}

/// The functions of the library's nodes.
struct Found<B: Backend> {
    roots: B::Vec<u32>,
    /// The number of roots up to each node.
    functions: B::Vec<u32>,
    bodies: Bodies<B>,
}

/// Returns the functions of the library's nodes that are still small enough, by id. A function that is out is missing.
fn found<B: Backend>(backend: &B, nodes: &Nodes<B>, is_out: &B::Vec<u32>) -> Result<Found<B>> {
    let (n, functions) = (nodes.len(), is_out.len());
    let roots = backend.compact(is_root::of(nodes).rows(n))?;
    let (of_nodes, _) = backend.scan_later(ScanKind::Inclusive, root::of(nodes).rows(n), Sum)?;
    let bodies: Bodies<B> = backend.map(body::of(&roots, nodes, n as u32).rows(roots.len()))?;
    let ids = backend.map(id::of(&roots, &bodies.first, nodes, is_out).rows(roots.len()))?;
    let mut by_id = Bodies {
        params: backend.filled(functions, NO_NODE)?,
        first: backend.filled(functions, NO_NODE)?,
        split: backend.filled(functions, NO_NODE)?,
        end: backend.filled(functions, NO_NODE)?,
    };
    backend.scatter(&mut by_id.params, &ids, &bodies.params)?;
    backend.scatter(&mut by_id.first, &ids, &bodies.first)?;
    backend.scatter(&mut by_id.split, &ids, &bodies.split)?;
    backend.scatter(&mut by_id.end, &ids, &bodies.end)?;
    Ok(Found { roots, functions: of_nodes, bodies: by_id })
}

#[device(compact)]
fn calls(i: NodeId, nodes: &Nodes, bodies: &Bodies) -> bool {
    nodes.kind[i] == Kind::Call && bodies.first[FunctionId::new(nodes.data[i])] != NO_NODE
}

/// Returns the function around a call, if this is its first, and the function that it calls.
#[device(map)]
fn first_call(c: usize, calls: &[u32], nodes: &Nodes, roots: &Roots) -> (u32, u32) {
    let call = NodeId::new(calls[c]);
    let root = root_of(call, roots);
    let is_first = c == 0 || root_of(NodeId::new(calls[c - 1]), roots).get() != root.get();
    (if is_first { nodes.data[root] } else { NO_NODE }, nodes.data[call])
}

/// Returns 1 for a function with a call.
#[device(map)]
fn has_call(f: usize, next: &[u32]) -> u32 {
    (next[f] != NO_NODE) as u32
}

/// Returns the function after twice as many calls, and the number of the calls.
#[device(map)]
fn jumped(f: usize, next: &[u32], steps: &[u32]) -> (u32, u32) {
    let over = next[f];
    if over == NO_NODE {
        return (NO_NODE, steps[f]);
    }
    (next[over as usize], steps[f].wrapping_add(steps[over as usize]))
}

/// Returns 1 for a function that is left out. A chain that does not end is a cycle.
#[device(map)]
fn is_cut(f: usize, next: &[u32], steps: &[u32]) -> u32 {
    ((next[f] == NO_NODE) & (steps[f] % PERIOD == PERIOD - 1)) as u32
}

/// Returns 1 for each function by id that is left out of the library. The chain of a function continues with its first call.
fn cuts<B: Backend>(backend: &B, nodes: &Nodes<B>, functions: usize) -> Result<B::Vec<u32>> {
    let none = backend.filled(functions, 0u32)?;
    let Found { roots, functions: of_nodes, bodies } = found(backend, nodes, &none)?;
    let calls = backend.compact(calls::of(nodes, &bodies).rows(nodes.len()))?;
    if calls.is_empty() {
        return Ok(none);
    }
    let roots = RootsOn { roots: &roots, functions: &of_nodes };
    let (callers, callees) = backend.map(first_call::of(&calls, nodes, &roots))?;
    let mut next = backend.filled(functions, NO_NODE)?;
    backend.scatter(&mut next, &callers, &callees)?;
    let mut steps = backend.map(has_call::of(&next))?;
    // A chain of all functions ends after the last round.
    for _ in 0..usize::BITS - functions.leading_zeros() {
        (next, steps) = backend.map(jumped::of(&next, &steps).rows(functions))?;
    }
    backend.map(is_cut::of(&next, &steps))
}

/// Returns a library of the functions that wait for no other.
fn library_of<B: Backend>(
    backend: &B,
    nodes: Nodes<B>,
    is_out: &B::Vec<u32>,
    effects: &Effects<B>,
) -> Result<Library<B>> {
    let n = nodes.len();
    let Found { roots, functions: of_nodes, bodies } = found(backend, &nodes, is_out)?;
    let roots = RootsOn { roots: &roots, functions: &of_nodes };
    let mut waiting = backend.filled(is_out.len(), 0u32)?;
    backend.accumulate(&mut waiting, waits::of(&nodes, &roots, &bodies).rows(n))?;
    let bodies = backend.map(ready::of(&bodies, &waiting))?;

    let (parents, _) = backend.nearest_smaller(&nodes.depth)?;
    let around = backend.walk_down(&parents, 0, around::of(&nodes, effects))?;
    let (before, _) = backend.scan_later(ScanKind::Exclusive, with_effect::of(&nodes, effects).rows(n), Sum)?;
    let mut count = backend.filled(n, 0u32)?;
    backend.accumulate(&mut count, used::of(&nodes).rows(n))?;
    let call = only_use::of(&nodes, &count, &around, &before, &roots);
    let (params, names) = backend.map(call.rows(n))?;
    let mut row = backend.filled(n, NO_NODE)?;
    backend.scatter(&mut row, &params, &names)?;
    Ok(Library { bodies, uses: Uses { row }, nodes })
}

/// Returns a library without functions.
///
/// # Errors
/// Only errors of the backend.
pub fn no_library<B: Backend>(backend: &B) -> Result<Library<B>> {
    let none = || backend.allocate(0);
    let bodies = Bodies { params: none()?, first: none()?, split: none()?, end: none()? };
    let nodes = Nodes { depth: none()?, kind: backend.allocate(0)?, ty: backend.allocate(0)?, data: none()? };
    Ok(Library { bodies, uses: Uses { row: none()? }, nodes })
}

/// Returns the library of the `functions` functions of a program, given the candidates of its parts.
///
/// # Errors
/// Only errors of the backend.
pub fn library<B: Backend>(
    backend: &B,
    parts: &[Nodes<B>],
    functions: usize,
    effects: &Effects<B>,
) -> Result<Library<B>> {
    let mut nodes = joined(backend, parts)?;
    if nodes.is_empty() {
        return no_library(backend);
    }
    let is_out = cuts(backend, &nodes, functions)?;
    let mut count = 0;
    for _ in 0..ROUNDS {
        let library = library_of(backend, nodes, &is_out, effects)?;
        let now = backend.compact(is_ready::of(&library.bodies))?.len();
        if now == count {
            return Ok(library);
        }
        count = now;
        let copy = backend.map(copied::of(&library.nodes).rows(library.nodes.len()))?;
        nodes = replaced(backend, copy, &library, effects, &mut Positions::none())?;
    }
    library_of(backend, nodes, &is_out, effects)
}

#[device(map)]
fn copied(i: NodeId, nodes: &Nodes) -> Node {
    Node { depth: nodes.depth[i], kind: nodes.kind[i], ty: nodes.ty[i], data: nodes.data[i] }
}
