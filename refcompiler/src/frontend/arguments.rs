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
//! scan finds where each call begins: at an argument that follows a bracket. The bracket leads to the call.
//!
//! The types of parameters may be in other parts of the program, so they follow later, in [`parameters`].
//!
//! Cost: work O(a log h) for a arguments: one sort of 1 digit per 256 levels, one scan, 2 maps; 1 byte per node.

use treepar::device::device;
use treepar::monoid::Max;
use treepar::sort::all_bits;
use treepar::{Backend, Column, Result};

use crate::ir::kinds::{Kind, Type};
use crate::ir::meaning::{ArgumentId, Arguments, Callables, Origin};
use crate::ir::nodes::{FunctionId, NodeId};
use crate::ir::scopes::bracket_of;
use crate::ir::syntax::{Class, SyntaxNodes, SyntaxTokens};
use crate::ir::tokens::TokenId;
use crate::ir::tree::runtime;

#[device(compact)]
fn is_argument(i: NodeId, nodes: &SyntaxNodes) -> bool {
    nodes.kind[i] == Kind::Arg
}

#[device(map)]
fn depth(a: usize, arguments: &[u32], nodes: &SyntaxNodes) -> u32 {
    nodes.depth[NodeId::new(arguments[a])]
}

/// Returns the token before argument `a`: a bracket or a comma.
#[device]
fn before(a: usize, arguments: &[u32], nodes: &SyntaxNodes) -> TokenId {
    nodes.token[NodeId::new(arguments[a])].minus(1)
}

/// Returns whether argument `a` is the first of a call.
#[device]
fn is_first(a: usize, arguments: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> bool {
    tokens.class[before(a, arguments, nodes)] != Class::ArgumentComma
}

/// Returns the index of row `a` if the arguments of a call begin there, else 0.
#[device(scanned)]
fn begin(a: usize, arguments: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> u32 {
    if is_first(a, arguments, nodes, tokens) { a as u32 } else { 0 }
}

/// Returns the call of argument `a`; and twice its index, plus 1 if it is the last argument of the call.
#[device(scan_map(begin, Max))]
fn index(a: usize, begin: u32, arguments: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> (u32, u32) {
    let bracket = bracket_of(before(a, arguments, nodes), tokens);
    let index = if is_first(a, arguments, nodes, tokens) { 0 } else { a as u32 - begin };
    let is_last = a + 1 == arguments.len() || is_first(a + 1, arguments, nodes, tokens);
    (tokens.node[bracket.minus(1)], 2 * index + is_last as u32)
}

/// Returns the nodes of arguments.
pub fn argument_rows<B: Backend>(backend: &B, nodes: &SyntaxNodes<B>) -> Result<B::Vec<u32>> {
    backend.compact(is_argument::of(nodes))
}

/// Finds the index of each argument in its call. `rows` are [`argument_rows`].
pub fn arguments<B: Backend>(
    backend: &B,
    rows: &B::Vec<u32>,
    nodes: &SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
) -> Result<Arguments<B>> {
    let depths = backend.map(depth::of(rows, nodes))?;
    let bits = all_bits(nodes.len() as u64) as u32;
    let (_, node) = backend.sort_by_key_bits(&depths, rows, bits)?;
    let n = node.len();
    let index = index::of(&node, nodes, tokens).rows(n);
    let ((call, index), _) = backend.scan_map_later(begin::of(&node, nodes, tokens).rows(n), Max, index)?;
    Ok(Arguments { node, call, index })
}

/// Returns the index of argument `a`, and the type of its parameter. The type is `Void`, which no argument has, if there is no
/// such parameter, or if parameters follow the last argument. A parameter of any type has the type of the argument.
#[device(map)]
fn parameter(
    a: ArgumentId,
    arguments: &Arguments,
    data: &[u32],
    callables: &Callables,
    types: &[Type],
) -> (u32, Origin) {
    let function = FunctionId::new(data[arguments.call[a] as usize]);
    let count = callables.parameters[function];
    let index = arguments.index[a] >> 1;
    let is_last = arguments.index[a] & 1 == 1;
    let is_wrong = index >= count || (is_last && index + 1 != count);
    let ty = if is_wrong { Type::Void } else { types[(callables.first[function] + index) as usize] };
    let is_any = (function.get() == runtime::ABS) & !is_wrong;
    (index, if is_any { Origin::Child } else { Origin::of_type(ty) })
}

/// Writes the index of each argument into the column `data`, which has the function of each call, and its type into `origins`.
pub fn parameters<B: Backend>(
    backend: &B,
    arguments: &Arguments<B>,
    (data, origins): (&mut B::Vec<u32>, &mut B::Vec<Origin>),
    (callables, types): (&Callables<B>, &B::Vec<Type>),
) -> Result<()> {
    let (indices, parameters) = backend.map(parameter::of(arguments, data, callables, types))?;
    backend.scatter(data, &arguments.node, &indices)?;
    backend.scatter(origins, &arguments.node, &parameters)
}
