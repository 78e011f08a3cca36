//! Returns: the types of returned values, and functions whose end can be reached although they have a value.
//!
//! ```text
//! fn f[x: int]: int {          block: falls if all its statements fall       no
//!     if x { return 1; }       if without else: falls                        yes
//!     while 1 { }              loop: falls unless its condition is a literal that is true    no
//! }
//! ```
//!
//! A statement *falls* if the statement after it can be reached. If each function with a value has a `return` directly in
//! its body, nothing more is to be done. Otherwise one walk up over the statements decides, as the sequential front end
//! does: a condition is known only if it is a literal.
//!
//! Cost: work O(n), one search and 2 reduces over functions and returns; the walk takes one search, one walk of h steps and
//! one reduce over statements.

use treepar::depth::Parents;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::meaning::{Callables, Enclosed, Meaning};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::SyntaxNodes;

/// No row and no node.
const NONE: u32 = u32::MAX;

/// The statements that matter. Others fall.
const STATEMENTS: Kinds = Kinds::of(&[Kind::Function, Kind::Block, Kind::Return, Kind::If, Kind::IfElse, Kind::While]);

/// Returns 1 for a `return` in row `r` whose value has another type than the result of its function.
#[device(reduce(Sum))]
fn wrong_value(r: usize, rows: &[u32], headers: &[u32], nodes: &SyntaxNodes, types: &[Type]) -> u32 {
    let node = NodeId::new(rows[r]);
    if nodes.kind[node] != Kind::Return {
        return 0;
    }
    let is_leaf = nodes.end[node] == node.get() + 1;
    let found = if is_leaf { Type::Void } else { types[node.index() + 1] };
    (found != types[headers[r] as usize - 1]) as u32
}

/// Returns the id of the function whose body row `r` ends directly, and 1.
#[device(accumulate)]
fn direct_return(r: usize, rows: &[u32], headers: &[u32], nodes: &SyntaxNodes, data: &[u32]) -> (u32, u32) {
    let node = NodeId::new(rows[r]);
    if nodes.kind[node] != Kind::Return {
        return (NONE, 0);
    }
    let function = NodeId::new(headers[r] - 1);
    let is_direct = nodes.depth[node] == nodes.depth[function] + 2;
    (if is_direct { data[function.index()] } else { NONE }, 1)
}

/// Returns 1 for a function with a value and without a `return` directly in its body.
#[device(reduce(Sum))]
fn undecided(f: FunctionId, callables: &Callables, returns: &[u32], nodes: &SyntaxNodes) -> u32 {
    let node = callables.node[f];
    if node.is_none() || nodes.kind[node] == Kind::Extern || callables.result[f] == Type::Void {
        return 0;
    }
    (returns[f.index()] == 0) as u32
}

#[device(compact)]
fn is_statement(i: NodeId, nodes: &SyntaxNodes) -> bool {
    STATEMENTS.contains(nodes.kind[i])
}

#[device(map)]
fn depth(s: usize, statements: &[u32], nodes: &SyntaxNodes) -> u32 {
    nodes.depth[NodeId::new(statements[s])]
}

/// Statements one after another, or the parts of an `if`.
#[device]
pub struct Paths {
    /// 1 if all fall.
    pub all: u32,
    /// 1 if any that can be reached falls.
    pub any: u32,
}

#[device(monoid(identity = Paths { all: 1, any: 0 }))]
fn add_paths(a: Paths, b: Paths) -> Paths {
    Paths { all: a.all & b.all, any: a.any | b.any }
}

/// Returns whether the condition of `node` is a literal with the truth value `truth`.
#[device]
fn is_known(node: NodeId, truth: bool, nodes: &SyntaxNodes, data: &[u32]) -> bool {
    let condition = node.plus(1);
    nodes.kind[condition] == Kind::Literal && (data[condition.index()] != 0) == truth
}

/// Returns whether statement `s` falls. `parents` are rows.
#[device(walk_up(add_paths))]
fn falls(s: usize, children: Paths, statements: &[u32], parents: &[u32], nodes: &SyntaxNodes, data: &[u32]) -> Paths {
    let node = NodeId::new(statements[s]);
    let falls = match nodes.kind[node] {
        Kind::Return => false,
        Kind::Block => children.all != 0,
        Kind::If => children.all != 0 || !is_known(node, true, nodes, data),
        Kind::IfElse => children.any != 0,
        Kind::While => !is_known(node, true, nodes, data),
        // A function inside another one.
        _ => true,
    };
    let mut is_dead = false;
    if parents[s] != NONE {
        let parent = NodeId::new(statements[parents[s] as usize]);
        if nodes.kind[parent] == Kind::IfElse {
            let is_then = node.get() == nodes.end[parent.plus(1)];
            is_dead = is_known(parent, !is_then, nodes, data);
        }
    }
    Paths { all: falls as u32, any: (falls && !is_dead) as u32 }
}

/// Returns 1 for the body of a function with a value if its end can be reached.
#[device(reduce(Sum))]
fn missing(s: usize, statements: &[u32], parents: &[u32], paths: &[Paths], nodes: &SyntaxNodes, types: &[Type]) -> u32 {
    if parents[s] == NONE {
        return 0;
    }
    let parent = NodeId::new(statements[parents[s] as usize]);
    let is_body = nodes.kind[parent] == Kind::Function && nodes.kind[NodeId::new(statements[s])] == Kind::Block;
    (is_body && types[parent.index()] != Type::Void && paths[s].all != 0) as u32
}

/// Returns the number of functions whose end can be reached although they have a value.
fn missing_returns<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    data: &B::Vec<u32>,
    types: &B::Vec<Type>,
) -> Result<u32> {
    let statements = backend.compact(is_statement::of(nodes))?;
    let depths = backend.map(depth::of(&statements, nodes))?;
    let parents: Parents<B> = backend.previous_smaller(&depths)?;
    let call = falls::of(&statements, parents.column(), nodes, data);
    let paths = backend.walk_up(&parents, call, add_paths)?;
    backend.reduce(missing::of(&statements, parents.column(), &paths, nodes, types), Sum)
}

/// Checks returned values and the ends of functions. `returns` has the HEADER around each `return`. Returns the number of
/// errors.
pub fn returns<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    meaning: &Meaning<B>,
    returns: &Enclosed<B>,
) -> Result<u32> {
    let Meaning { types, data, callables } = meaning;
    let Enclosed { nodes: rows, around } = returns;
    let wrong = backend.reduce(wrong_value::of(rows, around, nodes, types), Sum)?;
    let mut direct = backend.filled(callables.node.len(), 0)?;
    backend.accumulate(&mut direct, direct_return::of(rows, around, nodes, data))?;
    if backend.reduce(undecided::of(callables, &direct, nodes), Sum)? == 0 {
        return Ok(wrong);
    }
    Ok(wrong + missing_returns(backend, nodes, data, types)?)
}
