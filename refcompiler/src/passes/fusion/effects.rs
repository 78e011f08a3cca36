//! The effects of the functions of a program.

use treepar::backend::ScanKind;
use treepar::depth::NO_NODE;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::shape::{Shapes, is_number};
use crate::ir::kinds::{Kind, Kinds, Type};
use crate::ir::needs::is_of_elements;
use crate::ir::nodes::{FunctionId, NodeId, Nodes};
use crate::ir::tree::runtime::COUNT;

/// The kinds that a pure function may have besides pure values: statements that write its own variables. Loops may not end.
const STATEMENTS: Kinds = Kinds::of(&[
    Kind::Function,
    Kind::Header,
    Kind::Param,
    Kind::Block,
    Kind::Empty,
    Kind::Expression,
    Kind::Return,
    Kind::If,
    Kind::IfElse,
    Kind::Declare,
    Kind::Assign,
    Kind::Call,
    Kind::Arg,
    Kind::Choose,
    Kind::Test,
    Kind::Then,
    Kind::Otherwise,
]);

/// The longest chain of calls in a function that is known to be pure.
const CALLS: u32 = 8;

/// The effects of a function.
#[device(columns(Effects, index = FunctionId))]
pub struct Effect {
    /// 1 for a nested function. A call of it may change variables of the functions around it.
    pub is_nested: u32,
    /// 1 for a function that may consume an argument.
    pub consumes: u32,
    /// 1 for a function that only computes a number from numbers, and ends.
    pub is_pure: u32,
}

/// Returns the function that a node is, and 1.
#[device(accumulate)]
fn known(i: NodeId, nodes: &Nodes) -> (u32, u32) {
    (if nodes.kind[i].is_function() { nodes.data[i] } else { NO_NODE }, 1)
}

/// Returns the nested function that a node is, and 1.
#[device(accumulate)]
fn nested(i: NodeId, nodes: &Nodes) -> (u32, u32) {
    let is_nested = (nodes.kind[i] == Kind::Function) & (nodes.depth[i] > 0);
    (if is_nested { nodes.data[i] } else { NO_NODE }, 1)
}

/// Returns the function of a unique parameter, and 1.
#[device(accumulate)]
fn unique(i: NodeId, nodes: &Nodes, shape: &Shapes) -> (u32, u32) {
    let parent = NodeId::new(shape.parent[i]);
    let is_unique =
        nodes.kind[i] == Kind::Param && nodes.data[i] == 1 && !parent.is_none() && nodes.kind[parent].is_function();
    (if is_unique { nodes.data[parent] } else { NO_NODE }, 1)
}

/// Returns 1 for a function that may consume an argument. One of the program without a node may have any parameters.
#[device(map)]
fn may_consume(f: usize, known: &[u32], unique: &[u32]) -> u32 {
    (unique[f] > 0 || (known[f] == 0 && f as u32 >= COUNT)) as u32
}

/// Returns 1 for a node that no pure function has.
#[device(scan(Sum))]
fn is_impure(i: NodeId, nodes: &Nodes) -> u32 {
    let kind = nodes.kind[i];
    let ty = nodes.ty[i];
    let is_plain = (kind.is_pure() & (kind != Kind::Address)) | STATEMENTS.contains(kind);
    let is_nested = (kind == Kind::Function) & (nodes.depth[i] > 0);
    !(is_plain & (is_number(ty) | (ty == Type::Void)) & !is_nested) as u32
}

#[device(compact)]
fn is_root(i: NodeId, nodes: &Nodes) -> bool {
    (nodes.kind[i] == Kind::Function) & (nodes.depth[i] == 0)
}

/// Returns the id of a function, and 1 if all its nodes but calls are pure. `impure` counts nodes up to each node.
#[device(map)]
fn local(f: usize, roots: &[u32], nodes: &Nodes, shape: &Shapes, impure: &[u32]) -> (u32, u32) {
    let root = NodeId::new(roots[f]);
    let before = if root.get() == 0 { 0 } else { impure[root.index() - 1] };
    let is_pure = impure[shape.end[root] as usize - 1] == before;
    (nodes.data[root], is_pure as u32)
}

#[device(compact)]
fn calls_function(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::Call && !is_of_elements(nodes.data[i])
}

/// Returns the function around a call, and 1 if the called one is not known to be pure.
#[device(accumulate)]
fn spoilt(c: usize, calls: &[u32], nodes: &Nodes, shape: &Shapes, is_pure: &[u32]) -> (u32, u32) {
    let call = NodeId::new(calls[c]);
    let function = NodeId::new(shape.around[call].function);
    (nodes.data[function], (is_pure[nodes.data[call] as usize] == 0) as u32)
}

#[device(map)]
fn pure_so_far(f: usize, local: &[u32], spoilt: &[u32]) -> u32 {
    (local[f] == 1 && spoilt[f] == 0) as u32
}

/// Returns the effects of `functions` functions. A function that calls itself, or has a longer chain of calls than [`CALLS`], is not pure.
pub fn effects<B: Backend>(backend: &B, nodes: &Nodes<B>, shape: &Shapes<B>, functions: usize) -> Result<Effects<B>> {
    let n = nodes.len();
    // With the functions between Par and C, two nodes can have one id.
    let mut known = backend.filled(functions, 0u32)?;
    backend.accumulate(&mut known, known::of(nodes).rows(n))?;
    let mut is_nested = backend.filled(functions, 0u32)?;
    backend.accumulate(&mut is_nested, nested::of(nodes).rows(n))?;
    let mut unique = backend.filled(functions, 0u32)?;
    backend.accumulate(&mut unique, unique::of(nodes, shape).rows(n))?;
    let consumes = backend.map(may_consume::of(&known, &unique))?;

    let roots = backend.compact(is_root::of(nodes).rows(n))?;
    let (impure, _) = backend.scan(ScanKind::Inclusive, is_impure::of(nodes).rows(n), Sum)?;
    let (ids, found) = backend.map(local::of(&roots, nodes, shape, &impure).rows(roots.len()))?;
    let mut local = backend.filled(functions, 0u32)?;
    backend.scatter(&mut local, &ids, &found)?;
    let calls = backend.compact(calls_function::of(nodes).rows(n))?;
    let mut is_pure = backend.filled(functions, 0u32)?;
    for _ in 0..CALLS {
        let mut spoilt = backend.filled(functions, 0u32)?;
        backend.accumulate(&mut spoilt, spoilt::of(&calls, nodes, shape, &is_pure).rows(calls.len()))?;
        is_pure = backend.map(pure_so_far::of(&local, &spoilt))?;
    }
    Ok(Effects { is_nested, consumes, is_pure })
}
