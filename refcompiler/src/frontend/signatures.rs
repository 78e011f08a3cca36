//! The functions of a program with their parameters, before any body is looked at.
//!
//! ```text
//! program    fn f[a: int, b: float]: int { fn g[] { } ... }    extern fn h[c: int];
//! callables  (5 of the runtime)  f: parameters 5, 6; int       g: none; void     h: parameter 7; void
//! types      (5 of the runtime)  int float                                       int
//! owners                         f   f                                           h
//! ```
//!
//! The parameters follow their function in preorder. So functions and parameters are compacted together, and the
//! distance from one function to the next is its number of parameters.
//!
//! Cost: work O(n), three compacts, two maps and one expand; 1 byte per node, 40 per function.
//! Source: Pareas, section 3.1, where functions are numbered in the same way.

use treepar::device::device;
use treepar::{Backend, Column, Result};

use crate::ir::builtins::BUILTINS;
use crate::ir::kinds::{Kind, Type};
use crate::ir::meaning::{Callable, Signatures, named_type};
use crate::ir::nodes::NodeId;
use crate::ir::syntax::SyntaxNodes;
use crate::ir::tokens::{TokenId, TokenKind, Tokens};
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

/// The types of the parameters of the runtime.
const RUNTIME_TYPES: [Type; RUNTIME_PARAMETERS] = {
    let mut types = [Type::Void; RUNTIME_PARAMETERS];
    let mut id = 0;
    while id < RUNTIME {
        let mut k = 0;
        while k < BUILTINS[id].parameters.len() {
            types[RUNTIME_FIRST[id] as usize + k] = Type::ALL[BUILTINS[id].parameters[k] as usize];
            k += 1;
        }
        id += 1;
    }
    types
};

/// The types of the results of the runtime.
const RUNTIME_RESULTS: [Type; RUNTIME] = {
    let mut results = [Type::Void; RUNTIME];
    let mut id = 0;
    while id < RUNTIME {
        results[id] = Type::ALL[BUILTINS[id].result as usize];
        id += 1;
    }
    results
};

#[device(compact)]
fn is_in_head(i: NodeId, nodes: &SyntaxNodes) -> bool {
    (nodes.kind[i] == Kind::Function) | (nodes.kind[i] == Kind::Extern) | (nodes.kind[i] == Kind::Param)
}

#[device(compact)]
fn is_function(h: usize, heads: &[u32], nodes: &SyntaxNodes) -> bool {
    nodes.kind[NodeId::new(heads[h])] != Kind::Param
}

#[device(compact)]
fn is_parameter(h: usize, heads: &[u32], nodes: &SyntaxNodes) -> bool {
    nodes.kind[NodeId::new(heads[h])] == Kind::Param
}

/// Returns the index of the first parameter of function `f` among the parameters of the program, and its node.
#[device(map)]
fn first_parameter(f: usize, functions: &[u32], heads: &[u32]) -> (u32, u32) {
    (functions[f] - f as u32, heads[functions[f] as usize])
}

/// Returns the function with the index `id`.
#[device(map)]
fn callable(
    id: usize,
    functions: &[u32],
    heads: &[u32],
    nodes: &SyntaxNodes,
    tokens: &Tokens,
    next: &[u32],
) -> Callable {
    if id < RUNTIME {
        let parameters = RUNTIME_FIRST[id + 1] - RUNTIME_FIRST[id];
        let result = RUNTIME_RESULTS[id];
        return Callable { node: NodeId::NONE, name: TokenId::NONE, first: RUNTIME_FIRST[id], parameters, result };
    }
    let f = id - RUNTIME;
    let head = functions[f];
    let end = if f + 1 < functions.len() { functions[f + 1] } else { heads.len() as u32 };
    let node = NodeId::new(heads[head as usize]);
    let name = nodes.token[node];
    let bracket = TokenId::new(next[name.index() + 1]);
    let has_result = tokens.kind[bracket.plus(1)] == TokenKind::Colon;
    Callable {
        node,
        name,
        first: RUNTIME_FIRST[RUNTIME] + head - f as u32,
        parameters: end - head - 1,
        result: if has_result { named_type(tokens.kind[bracket.plus(2)]) } else { Type::Void },
    }
}

/// Returns the type of parameter `k` of all functions.
#[device(map)]
fn parameter_type(k: usize, parameters: &[u32], nodes: &SyntaxNodes, tokens: &Tokens) -> Type {
    if k < RUNTIME_PARAMETERS {
        return RUNTIME_TYPES[k];
    }
    let parameter = NodeId::new(parameters[k - RUNTIME_PARAMETERS]);
    named_type(tokens.kind[nodes.token[parameter].plus(2)])
}

#[device(map)]
fn parameter_node(p: usize, parameters: &[u32], heads: &[u32]) -> u32 {
    heads[parameters[p] as usize]
}

#[device(expand)]
fn owner_node(owner: usize, _k: usize, functions: &[u32]) -> u32 {
    functions[owner]
}

/// Finds the functions of a program and their parameters. `next` is the first token after each whose key is not greater.
pub fn signatures<B: Backend>(
    backend: &B,
    nodes: &SyntaxNodes<B>,
    tokens: &Tokens<B>,
    next: &B::Vec<u32>,
) -> Result<Signatures<B>> {
    let heads = backend.compact(is_in_head::of(nodes))?;
    let functions = backend.compact(is_function::of(&heads, nodes))?;
    let parameters = backend.compact(is_parameter::of(&heads, nodes))?;
    let parameters = backend.map(parameter_node::of(&parameters, &heads))?;
    let (f, p) = (functions.len(), parameters.len());

    let (offsets, function_nodes) = backend.map(first_parameter::of(&functions, &heads))?;
    let owners = backend.expand(&offsets, p, owner_node::of(&function_nodes))?;
    let rows = callable::of(&functions, &heads, nodes, tokens, next).rows(RUNTIME + f);
    let types = parameter_type::of(&parameters, nodes, tokens).rows(RUNTIME_PARAMETERS + p);
    Ok(Signatures { callables: backend.map(rows)?, types: backend.map(types)?, parameters, owners })
}
