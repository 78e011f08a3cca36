//! The functions of a program on the host: what symbols and other parts of the program need to know about them.

use std::ops::Range;

use treepar::device::device;
use treepar::{Backend, Column, Result};

use super::signatures::RUNTIME;
use crate::ir::kinds::{Kind, Type};
use crate::ir::meaning::Callables;
use crate::ir::nodes::FunctionId;
use crate::ir::syntax::SyntaxNodes;
use crate::ir::tokens::Tokens;
use crate::ir::tree::{self, Linkage};
use crate::source::Sources;

/// A function that a part of a program declares.
#[device(columns(Declared, index = FunctionId))]
pub struct DeclaredFunction {
    /// The FUNCTION or EXTERN node.
    pub node: u32,
    /// The end of its subtree.
    pub end: u32,
    /// The depth of the node.
    pub depth: u32,
    /// The kind of the node.
    pub kind: Kind,
    /// The offset of its name in the text of the part.
    pub start: u32,
    /// The id of its name in the part.
    pub name: u32,
    /// The index of the first parameter.
    pub first: u32,
    /// The number of parameters.
    pub parameters: u32,
    /// The type of the result.
    pub result: Type,
}

/// Returns function `f` of those that a part declares.
#[device(map)]
fn declared(f: FunctionId, callables: &Callables, nodes: &SyntaxNodes, tokens: &Tokens) -> DeclaredFunction {
    let id = f.plus(RUNTIME as u32);
    let node = callables.node[id];
    let token = callables.name[id];
    DeclaredFunction {
        node: node.get(),
        end: nodes.end[node],
        depth: nodes.depth[node],
        kind: nodes.kind[node],
        start: tokens.start[token],
        name: tokens.value[token],
        first: callables.first[id],
        parameters: callables.parameters[id],
        result: callables.result[id],
    }
}

/// Returns the functions that a part of a program declares, in preorder.
///
/// # Errors
/// Only errors of the backend.
pub fn declarations<B: Backend>(
    backend: &B,
    callables: &Callables<B>,
    nodes: &SyntaxNodes<B>,
    tokens: &Tokens<B>,
) -> Result<HostDeclared> {
    let functions = callables.node.len() - RUNTIME;
    backend.map(declared::of(callables, nodes, tokens).rows(functions))?.download(backend)
}

/// Returns the word that begins at a position.
pub fn word_at(sources: &Sources, position: u32) -> &str {
    let file = sources.file_at(position).map_or("", |file| &file.text[file.offset(position)..]);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    &file[..file.bytes().position(|byte| !is_part(byte)).unwrap_or(file.len())]
}

/// Adds the functions of a part to the function table. The part is the text of `range` and begins at node `first_node`.
pub fn add_functions(
    table: &mut Vec<tree::Function>,
    sources: &Sources,
    range: &Range<u32>,
    declared: &HostDeclared,
    first_node: u32,
) {
    // The end and the name of each function around the current one.
    let mut around: Vec<(u32, &str)> = Vec::new();
    for f in 0..declared.len() {
        let node = declared.node[f];
        while around.last().is_some_and(|&(end, _)| end <= node) {
            around.pop();
        }
        let own = word_at(sources, range.start + declared.start[f]);
        let name = match around.last() {
            Some((_, outer)) => format!("{outer}.{own}"),
            None => own.to_string(),
        };
        let linkage = match (declared.kind[f], declared.depth[f]) {
            (Kind::Extern, _) => Linkage::Extern,
            (_, 0) => Linkage::Global,
            _ => Linkage::Local,
        };
        table.push(tree::Function { name, node: Some(first_node + node), parameters: declared.parameters[f], linkage });
        around.push((declared.end[f], own));
    }
}
