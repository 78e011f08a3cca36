//! Arguments: each gets its index and the type of its parameter.
//!
//! ```text
//! program   f[1, g[2, 3], 4]
//! ARG       f.0   f.1   g.0   g.1   f.2         in preorder
//! sorted    f.0   f.1   f.2   g.0   g.1         by depth: the arguments of a call are neighbours
//! begins    0     0     0     3     3
//! ```
//!
//! Between two arguments of a call there are only deeper nodes. So a stable sort by depth brings them together, and one
//! scan finds where each call begins. The bracket or comma of an argument leads to its call: a comma's previous smaller key
//! is the bracket.
//!
//! Cost: work O(a log h) for a arguments: one sort of 1 digit per 256 levels, one scan, 3 maps; 1 byte per node.

use treepar::device::device;
use treepar::monoid::{Max, Sum};
use treepar::{Backend, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::meaning::{Arguments, Callables, Signatures};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::syntax::{Class, Classified, Parsed, Syntax, SyntaxNodes};

#[device(compact)]
fn is_argument(i: NodeId, nodes: &SyntaxNodes) -> bool {
    nodes.kind[i] == Kind::Arg
}

#[device(map)]
fn depth(a: usize, arguments: &[u32], nodes: &SyntaxNodes) -> u32 {
    nodes.depth[NodeId::new(arguments[a])]
}

/// Returns the call of argument `a`. `node` is the node of each token.
#[device(map)]
fn call(
    a: usize,
    arguments: &[u32],
    nodes: &SyntaxNodes,
    classified: &Classified,
    previous: &[u32],
    node: &[u32],
) -> u32 {
    let token = nodes.token[NodeId::new(arguments[a])].minus(1);
    let is_comma = classified.class[token] == Class::ArgumentComma;
    let bracket = if is_comma { previous[token.index()] } else { token.get() };
    node[bracket as usize - 1]
}

/// Returns the index of row `a` if the arguments of a call begin there, else 0.
#[device(scan(Max))]
fn begin(a: usize, calls: &[u32]) -> u32 {
    if a > 0 && calls[a] != calls[a - 1] { a as u32 } else { 0 }
}

/// Returns the index of argument `a` in its call, the type of its parameter, and whether the call has too many or too few
/// arguments and this is the last.
#[device(scan_map(begin, Max))]
fn argument(
    a: usize,
    before: u32,
    calls: &[u32],
    ids: &[u32],
    callables: &Callables,
    types: &[Type],
) -> (u32, Type, u32) {
    let begins = a > 0 && calls[a] != calls[a - 1];
    let index = if begins { 0 } else { a as u32 - before };
    let function = FunctionId::new(ids[calls[a] as usize]);
    let count = callables.parameters[function];
    let is_last = a + 1 == calls.len() || calls[a + 1] != calls[a];
    let is_wrong = is_last && index + 1 != count;
    let ty = if index < count { types[(callables.first[function] + index) as usize] } else { Type::Void };
    (index, ty, is_wrong as u32)
}

/// Finds the parameter of each argument. `ids` has the function of each call.
pub fn arguments<B: Backend>(
    backend: &B,
    syntax: &Syntax<B>,
    signatures: &Signatures<B>,
    ids: &B::Vec<u32>,
) -> Result<Arguments<B>> {
    let Syntax { classified, checked, parsed, .. } = syntax;
    let Parsed { nodes, node } = parsed;
    let Signatures { callables, types, .. } = signatures;
    let arguments = backend.compact(is_argument::of(nodes))?;
    let depths = backend.map(depth::of(&arguments, nodes))?;
    let (_, arguments) = backend.sort_by_key(&depths, &arguments)?;
    let calls = backend.map(call::of(&arguments, nodes, classified, &checked.previous, node))?;
    let of_call = argument::of(&calls, ids, callables, types);
    let ((index, types, wrong), _) = backend.scan_map(begin::of(&calls), Max, of_call)?;
    let errors = backend.reduce(&wrong, Sum)?;
    Ok(Arguments { nodes: arguments, index, types, errors })
}
