//! The functions of a program with their parameters, before any body is looked at.
//!
//! ```text
//! program    fn f[a: int, b: float]: int { fn g[] { } ... }    extern fn h[c: int];
//! declared   (5 of the runtime)  f: parameters 5, 6; int       g: none; void     h: parameter 7; void
//! types      (5 of the runtime)  int float                                       int
//! ```
//!
//! The parameters of a function are its nodes after the HEADER and before the body, so both ends give their number. In
//! preorder they come in the order of functions, so one scan gives the index of the first.
//!
//! Cost: work O(n), two compacts, one scan, two maps and one scatter; 2 bytes per node, 40 per function.
//! Source: Pareas, section 3.1, where functions are numbered in the same way.

use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use crate::ir::builtins::{ANY, BUILTINS};
use crate::ir::kinds::{Kind, Type};
use crate::ir::meaning::{DeclaredFunction, Signatures, named_type};
use crate::ir::nodes::NodeId;
use crate::ir::scopes::body_after;
use crate::ir::syntax::{Class, SyntaxNodes, SyntaxTokens};
use crate::ir::tokens::{TokenId, TokenKind};
use crate::ir::tree::runtime;

/// The number of functions of the runtime.
pub const RUNTIME: usize = runtime::COUNT as usize;

/// The index of the first parameter of each function of the runtime, and the number of their parameters.
const RUNTIME_FIRST: [u32; RUNTIME + 1] = {
    let mut first = [0; RUNTIME + 1];
    let mut id = 0;
    while id < RUNTIME {
        first[id + 1] = first[id] + BUILTINS[id].parameters.len() as u32;
        id += 1;
    }
    first
};

/// The number of parameters of all functions of the runtime.
const RUNTIME_PARAMETERS: usize = RUNTIME_FIRST[RUNTIME] as usize;

/// The types of the parameters of the runtime; `Void` of one that takes any number.
const RUNTIME_TYPES: [Type; RUNTIME_PARAMETERS] = {
    let mut types = [Type::Void; RUNTIME_PARAMETERS];
    let mut id = 0;
    while id < RUNTIME {
        let mut k = 0;
        while k < BUILTINS[id].parameters.len() {
            types[RUNTIME_FIRST[id] as usize + k] = named(BUILTINS[id].parameters[k]);
            k += 1;
        }
        id += 1;
    }
    types
};

/// Returns the type with a code, `Void` for any number.
const fn named(code: u8) -> Type {
    if code == ANY { Type::Void } else { Type::ALL[code as usize] }
}

/// The types of the results of the runtime; `Void` of one that is the type of the argument.
const RUNTIME_RESULTS: [Type; RUNTIME] = {
    let mut results = [Type::Void; RUNTIME];
    let mut id = 0;
    while id < RUNTIME {
        results[id] = named(BUILTINS[id].result);
        id += 1;
    }
    results
};

#[device(compact)]
fn is_function(i: NodeId, nodes: &SyntaxNodes) -> bool {
    (nodes.kind[i] == Kind::Function) | (nodes.kind[i] == Kind::Extern)
}

#[device(compact)]
fn is_parameter(i: NodeId, nodes: &SyntaxNodes) -> bool {
    nodes.kind[i] == Kind::Param
}

/// Returns the node of function `k` of the part, and its id.
#[device(map)]
fn function_id(k: usize, functions: &[u32]) -> (u32, u32) {
    (functions[k], (RUNTIME + k) as u32)
}

/// Returns the `{` or `;` after the head of a function.
#[device]
fn body(node: NodeId, nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> TokenId {
    body_after(nodes.token[node].plus(1), tokens)
}

/// Returns the number of parameters of the function with the index `id`.
#[device(scanned)]
fn parameters(id: usize, functions: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> u32 {
    if id < RUNTIME {
        return RUNTIME_FIRST[id + 1] - RUNTIME_FIRST[id];
    }
    let node = NodeId::new(functions[id - RUNTIME]);
    if nodes.kind[node] == Kind::Extern {
        return nodes.end[node] - node.get() - 1;
    }
    tokens.node[body(node, nodes, tokens)] - node.get() - 2
}

/// Returns the function with the index `id`. Functions before it have `first` parameters.
#[device(scan_map(parameters, Sum))]
fn function(id: usize, first: u32, functions: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> DeclaredFunction {
    let parameters = parameters(id, functions, nodes, tokens);
    if id < RUNTIME {
        return DeclaredFunction {
            node: NodeId::NONE,
            end: 0,
            depth: 0,
            kind: Kind::Extern,
            start: 0,
            name: 0,
            first,
            parameters,
            result: RUNTIME_RESULTS[id],
            is_open: 0,
        };
    }
    let node = NodeId::new(functions[id - RUNTIME]);
    let kind = nodes.kind[node];
    let name = nodes.token[node];
    let body = body(node, nodes, tokens);
    let has_result = tokens.class[body.minus(1)] == Class::ResultType;
    let result = if has_result { type_at(body.minus(1), tokens) } else { Type::Void };
    let last = TokenId::new(tokens.next[body]).minus(1);
    let is_open = (kind == Kind::Function) & (result != Type::Void) & (tokens.class[last] != Class::EndReturn);
    DeclaredFunction {
        node,
        end: nodes.end[node],
        depth: nodes.depth[node],
        kind,
        start: tokens.start[name],
        name: tokens.value[name],
        first,
        parameters,
        result,
        is_open: is_open as u32,
    }
}

/// Returns the type that token `t` names.
#[device]
fn type_at(t: TokenId, tokens: &SyntaxTokens) -> Type {
    let kind = tokens.kind[t];
    let is_array = (kind == TokenKind::ArrayType) | (kind == TokenKind::UniqueType);
    if is_array { Type::from_code(tokens.value[t] as u8) } else { named_type(kind) }
}

/// Returns the type of parameter `k` of all functions.
#[device(map)]
fn parameter_type(k: usize, parameters: &[u32], nodes: &SyntaxNodes, tokens: &SyntaxTokens) -> Type {
    if k < RUNTIME_PARAMETERS {
        return RUNTIME_TYPES[k];
    }
    let parameter = NodeId::new(parameters[k - RUNTIME_PARAMETERS]);
    type_at(nodes.token[parameter].plus(2), tokens)
}

/// Returns the nodes of functions, and the nodes of parameters.
pub fn signature_rows<B: Backend>(backend: &B, nodes: &SyntaxNodes<B>) -> Result<(B::Vec<u32>, B::Vec<u32>)> {
    Ok((backend.compact(is_function::of(nodes))?, backend.compact(is_parameter::of(nodes))?))
}

/// Finds the functions of a part of a program and their parameters, which are [`signature_rows`]. Writes the ids of functions
/// into the column `data`.
pub fn signatures<B: Backend>(
    backend: &B,
    (functions, parameters): &(B::Vec<u32>, B::Vec<u32>),
    nodes: &SyntaxNodes<B>,
    tokens: &SyntaxTokens<B>,
    data: &mut B::Vec<u32>,
) -> Result<Signatures<B>> {
    let (rows, ids) = backend.map(function_id::of(functions))?;
    backend.scatter(data, &rows, &ids)?;
    let count = RUNTIME + functions.len();
    let rows = parameters::of(functions, nodes, tokens).rows(count);
    let (declared, _) = backend.scan_map_later(rows, Sum, function::of(functions, nodes, tokens).rows(count))?;
    let count = RUNTIME_PARAMETERS + parameters.len();
    let types = backend.map(parameter_type::of(parameters, nodes, tokens).rows(count))?;
    Ok(Signatures { declared, types })
}
