//! The functions of a program on the host: what symbols and other parts of the program need to know about them.

use std::ops::Range;

use treepar::{Backend, Result};

use super::signatures::RUNTIME;
use crate::ir::kinds::Kind;
use crate::ir::meaning::{Declared, HostDeclared};
use crate::ir::tree::{self, Linkage};
use crate::source::Sources;

/// Returns the functions that a part of a program declares, in preorder and without the functions of the runtime.
///
/// # Errors
/// Only errors of the backend.
pub fn declarations<B: Backend>(backend: &B, declared: &Declared<B>) -> Result<HostDeclared> {
    fn without_runtime<T>(mut column: Vec<T>) -> Vec<T> {
        column.drain(..RUNTIME);
        column
    }
    let all = declared.download(backend)?;
    Ok(HostDeclared {
        node: without_runtime(all.node),
        end: without_runtime(all.end),
        depth: without_runtime(all.depth),
        kind: without_runtime(all.kind),
        start: without_runtime(all.start),
        name: without_runtime(all.name),
        first: without_runtime(all.first),
        parameters: without_runtime(all.parameters),
        result: without_runtime(all.result),
        is_open: without_runtime(all.is_open),
    })
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
        let node = declared.node[f].get();
        while around.last().is_some_and(|&(end, _)| end <= node) {
            around.pop();
        }
        let position = range.start + declared.start[f];
        let own = word_at(sources, position);
        let name = match around.last() {
            Some((_, outer)) => format!("{outer}.{own}"),
            None => own.to_string(),
        };
        let linkage = match (declared.kind[f], declared.depth[f]) {
            (Kind::Extern, _) => Linkage::Extern,
            (_, 0) => Linkage::Global,
            _ => Linkage::Local,
        };
        table.push(tree::Function {
            name,
            node: Some(first_node + node),
            position,
            parameters: declared.parameters[f],
            linkage,
        });
        around.push((declared.end[f], own));
    }
}
