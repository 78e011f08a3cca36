//! The variables that are constant: a declaration with a literal is the only write.
//!
//! ```text
//! DECLARE n = LITERAL 4              constant
//! DECLARE i = LITERAL 0  ASSIGN i    written
//! DECLARE k = ADD ..                 not written; constant if the walk finds that the value is known
//! ```
//!
//! A nested function can be called before a variable of the function around is declared. So a read in it counts as a write.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::forms::{Change, Form, Walk, change, is_cheap, type_of};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{NodeId, Nodes};
use crate::passes::foreign::levels;

/// The state of a variable: this and [`WRITE`] for each write after the declaration.
pub const UNWRITTEN: u32 = 0;
/// The state of a variable without writes after the declaration, which has a literal.
pub const CONSTANT: u32 = 1;
/// The addition of a write to a state.
pub const WRITE: u32 = 2;

/// Returns whether a declaration has a value.
#[device]
pub fn has_value(i: NodeId, nodes: &Nodes) -> bool {
    let next = i.plus(1);
    next.index() < nodes.len() && nodes.depth[next] > nodes.depth[i]
}

/// Returns whether a node is a declaration with a literal.
#[device(compact)]
pub fn has_literal(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::Declare && has_value(i, nodes) && nodes.kind[i.plus(1)] == Kind::Literal
}

/// Returns whether a node writes a variable after its declaration.
#[device(compact)]
fn is_write(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Assign) | (nodes.kind[i] == Kind::Address)
}

/// Returns whether a node reads a variable of another function.
#[device(compact)]
fn is_foreign(i: NodeId, nodes: &Nodes, level: &[u32]) -> bool {
    nodes.kind[i] == Kind::Name && level[i.index()] != level[nodes.data[i] as usize]
}

/// Returns the reads of variables of other functions, if there are nested functions.
fn foreign_reads<B: Backend>(backend: &B, nodes: &Nodes<B>, end: &B::Vec<u32>) -> Result<Option<B::Vec<u32>>> {
    let level = levels(backend, nodes, end)?;
    level.map(|level| backend.compact(is_foreign::of(nodes, &level).rows(nodes.len()))).transpose()
}

/// Returns the variable of a write, and the addition to its state.
#[device(accumulate)]
pub fn written(w: usize, writes: &[u32], nodes: &Nodes) -> (u32, u32) {
    (nodes.data[NodeId::new(writes[w])], WRITE)
}

/// Returns a variable that has a literal, and the addition to its state.
#[device(accumulate)]
fn constant(v: usize, variables: &[u32]) -> (u32, u32) {
    (variables[v], CONSTANT)
}

/// The variables.
pub struct Variables<B: Backend> {
    /// The state of the variable of each node.
    pub state: B::Vec<u32>,
    /// The nodes that write a variable after its declaration, or count as writes.
    pub writes: B::Vec<u32>,
    /// `true` if a variable may be constant.
    pub may_be_constant: bool,
}

/// Returns the variables that declarations with literals and writes determine.
pub fn variables<B: Backend>(backend: &B, nodes: &Nodes<B>, end: &B::Vec<u32>) -> Result<Variables<B>> {
    let n = nodes.len();
    let own = backend.compact(is_write::of(nodes).rows(n))?;
    let foreign = foreign_reads(backend, nodes, end)?;
    let writes = if let Some(foreign) = foreign { backend.concat(&[&own, &foreign])? } else { own };
    let with_literal = backend.compact(has_literal::of(nodes).rows(n))?;
    let mut state = backend.filled(n, UNWRITTEN)?;
    backend.accumulate(&mut state, written::of(&writes, nodes).rows(writes.len()))?;
    backend.accumulate(&mut state, constant::of(&with_literal))?;
    Ok(Variables { state, writes, may_be_constant: !with_literal.is_empty() })
}

/// Returns whether a node in the walk declares a variable that became constant.
#[device(compact)]
fn is_new(r: usize, forms: &[Form]) -> bool {
    change(forms[r]) == Change::Constant
}

/// Returns the variable that a node in the walk declares; the node, kind, type and number of its value.
#[device(map)]
fn initial(v: usize, new: &[u32], walk: &[u32], forms: &[Form], nodes: &Nodes) -> (u32, u32, Kind, Type, u32) {
    let r = new[v] as usize;
    let value = NodeId::new(walk[r]).plus(1);
    (walk[r], value.get(), Kind::Literal, type_of(value, nodes), forms[r].bits)
}

/// Makes literals of the values of variables that became constant. Returns whether there are any.
pub fn add_constants<B: Backend>(
    backend: &B,
    nodes: &mut Nodes<B>,
    walk: &Walk<B>,
    forms: &B::Vec<Form>,
    variables: &mut Variables<B>,
) -> Result<bool> {
    let new = backend.compact(is_new::of(forms))?;
    if new.is_empty() {
        return Ok(false);
    }
    let (declarations, at, kind, ty, data) =
        backend.map(initial::of(&new, &walk.found, forms, nodes).rows(new.len()))?;
    backend.scatter(&mut nodes.kind, &at, &kind)?;
    backend.scatter(&mut nodes.ty, &at, &ty)?;
    backend.scatter(&mut nodes.data, &at, &data)?;
    backend.accumulate(&mut variables.state, constant::of(&declarations))?;
    variables.may_be_constant = true;
    Ok(true)
}

/// Returns whether a node is a read of a constant variable that becomes a literal.
#[device(compact)]
fn is_constant_read(i: NodeId, nodes: &Nodes, state: &[u32]) -> bool {
    if nodes.kind[i] != Kind::Name {
        return false;
    }
    let variable = NodeId::new(nodes.data[i]);
    state[variable.index()] == CONSTANT && is_cheap(nodes.data[variable.plus(1)], nodes.ty[i])
}

/// Returns the nodes that become literals because they read a constant variable.
pub fn constant_reads<B: Backend>(backend: &B, nodes: &Nodes<B>, variables: &Variables<B>) -> Result<B::Vec<u32>> {
    let rows = if variables.may_be_constant { nodes.len() } else { 0 };
    backend.compact(is_constant_read::of(nodes, &variables.state).rows(rows))
}

/// Returns whether a write disappears.
#[device(compact)]
fn is_gone(w: usize, writes: &[u32], index: &[u32]) -> bool {
    index[writes[w] as usize] == u32::MAX
}

/// Returns the variable of a write that disappears, and the addition to its state by it.
#[device(accumulate)]
fn unwritten(g: usize, gone: &[u32], writes: &[u32], nodes: &Nodes) -> (u32, u32) {
    (nodes.data[NodeId::new(writes[gone[g] as usize])], WRITE)
}

/// Returns whether a write that disappears was the last one of a variable with a literal.
#[device(compact)]
fn frees(g: usize, gone: &[u32], writes: &[u32], nodes: &Nodes, state: &[u32], lost: &[u32]) -> bool {
    let variable = NodeId::new(nodes.data[NodeId::new(writes[gone[g] as usize])]);
    state[variable.index()] / WRITE == lost[variable.index()] / WRITE && has_literal(variable, nodes)
}

/// Returns whether variables become constant because writes of them disappear. `index` has the new index of each node.
pub fn becomes_constant<B: Backend>(
    backend: &B,
    nodes: &Nodes<B>,
    variables: &Variables<B>,
    index: &B::Vec<u32>,
) -> Result<bool> {
    let Variables { state, writes, .. } = variables;
    let gone = backend.compact(is_gone::of(writes, index))?;
    if gone.is_empty() {
        return Ok(false);
    }
    let mut lost = backend.filled(nodes.len(), 0u32)?;
    backend.accumulate(&mut lost, unwritten::of(&gone, writes, nodes).rows(gone.len()))?;
    let frees = frees::of(&gone, writes, nodes, state, &lost);
    Ok(!backend.compact(frees.rows(gone.len()))?.is_empty())
}
