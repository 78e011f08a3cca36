//! The heads of all functions of a program, which the rules ask about at calls.
//!
//! ```text
//! fn f[a: [int], b: *[int]]: *[int]      heads     first parameter 0, new result
//! fn g[c: [int]]: int                              first parameter 2
//!                                        unique    0 1 0
//! ```
//!
//! Everything else about a function is in its own part of the program, so parts are analysed without each other.

use treepar::backend::ScanKind;
use treepar::device::device;
use treepar::monoid::Sum;
use treepar::{Backend, Column, Result};

use super::NONE;
use crate::ir::kinds::Kind;
use crate::ir::nodes::{FunctionId, NodeId, Nodes};

/// The head of a function.
#[device(columns(Heads, index = FunctionId))]
pub struct Head {
    /// The number of parameters before its own, `u32::MAX` for a function without a head.
    pub first: u32,
    /// 1 if its result is new memory.
    pub is_new: u32,
}

/// The heads of the functions of a program.
pub struct Signatures<B: Backend> {
    /// The heads by id.
    pub heads: Heads<B>,
    /// For each parameter, 1 if it is unique.
    pub unique: B::Vec<u32>,
}

/// Returns whether a call consumes its argument.
#[device]
pub fn is_consumed(argument: NodeId, call: NodeId, nodes: &Nodes, heads: &Heads, unique: &[u32]) -> bool {
    let first = heads.first[FunctionId::new(nodes.data[call])];
    first != NONE && unique[(first + nodes.data[argument]) as usize] == 1
}

#[device(compact)]
fn is_function(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i].is_function()
}

#[device(compact)]
fn is_parameter(i: NodeId, nodes: &Nodes) -> bool {
    nodes.kind[i] == Kind::Param
}

#[device(scan(Sum))]
fn parameters_before(i: NodeId, nodes: &Nodes) -> u32 {
    (nodes.kind[i] == Kind::Param) as u32
}

#[device(map)]
fn unique(k: usize, parameters: &[u32], nodes: &Nodes) -> u32 {
    (nodes.data[NodeId::new(parameters[k])] == 1) as u32
}

/// Returns the id and the head of a function. `before` parameters are in earlier parts.
#[device(map)]
fn head(k: usize, functions: &[u32], nodes: &Nodes, counts: &[u32], before: u32) -> (u32, u32, u32) {
    let function = NodeId::new(functions[k]);
    // C writes a result to new memory. The HEADER of a FUNCTION says whether its result is unique.
    let is_new = nodes.kind[function] == Kind::Extern || nodes.data[function.plus(1)] == 1;
    (nodes.data[function], before + counts[function.index()], is_new as u32)
}

/// Returns the heads of a program with `functions` functions, which are in some parts.
///
/// # Errors
/// Only errors of the backend.
pub fn signatures<B: Backend>(backend: &B, parts: &[Nodes<B>], functions: usize) -> Result<Signatures<B>> {
    let found = backend.on_each(parts.iter().collect(), |backend, nodes: &Nodes<B>| -> Result<_> {
        let parameters = backend.compact(is_parameter::of(nodes))?;
        let (counts, _) = backend.scan_later(ScanKind::Exclusive, parameters_before::of(nodes), Sum)?;
        Ok((backend.compact(is_function::of(nodes))?, counts, backend.map(unique::of(&parameters, nodes))?))
    })?;
    let found: Vec<_> = found.into_iter().collect::<Result<_>>()?;
    let (mut ids, mut firsts, mut news, mut before) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (nodes, (functions, counts, unique)) in parts.iter().zip(&found) {
        let (id, first, is_new) = backend.map(head::of(functions, nodes, counts, before))?;
        ids.push(id);
        firsts.push(first);
        news.push(is_new);
        before += unique.len() as u32;
    }
    let mut heads = Heads { first: backend.filled(functions, NONE)?, is_new: backend.filled(functions, 0)? };
    let ids = backend.concat(&ids.iter().collect::<Vec<_>>())?;
    backend.scatter(&mut heads.first, &ids, &backend.concat(&firsts.iter().collect::<Vec<_>>())?)?;
    backend.scatter(&mut heads.is_new, &ids, &backend.concat(&news.iter().collect::<Vec<_>>())?)?;
    let unique = backend.concat(&found.iter().map(|(_, _, unique)| unique).collect::<Vec<_>>())?;
    Ok(Signatures { heads, unique })
}
