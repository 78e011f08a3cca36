//! The functions between Par and C in a program: their nodes follow those of the program, and the function table names them.

use std::borrow::Cow;

use treepar::Backend;
use treepar::backend::Downloads;

use super::parts::{Input, Uses};
use super::{After, Clock, Error, Observer};
use crate::frontend::sequential::runtime_tree;
use crate::ir::builtins::BuiltinSet;
use crate::ir::kinds::Kind;
use crate::ir::program::{concatenated, followed_by};
use crate::ir::tree::{Function, Linkage, Tree, runtime};
use crate::passes::interface::{Interface, called, interface};

/// A program with the functions between Par and C.
pub(super) struct Crossed<'a, B: Backend> {
    /// The parts.
    pub inputs: Vec<Input<'a, B>>,
    /// The function table.
    pub table: Cow<'a, [Function]>,
    /// The number of parameters of each function.
    pub parameters: Vec<u32>,
}

/// Adds the functions between Par and C to an object. A program without arrays stays as it is.
pub(super) fn crossed<'a, B: Backend>(
    clock: &mut Clock<'_, B>,
    inputs: Vec<Input<'a, B>>,
    table: &'a [Function],
    mut parameters: Vec<u32>,
    observer: &mut dyn Observer<B>,
) -> Result<Crossed<'a, B>, Error> {
    let Some(uses) = inputs.last().map(Input::uses).filter(|uses| uses.arrays) else {
        return Ok(Crossed { inputs, table: Cow::Borrowed(table), parameters });
    };
    let backend = clock.backend;
    let mut parts = inputs.into_iter().map(|input| input.nodes(backend)).collect::<treepar::Result<Vec<_>>>()?;
    let mut table = Cow::Borrowed(table);
    let positions: Vec<u32> = table.iter().map(|function| function.position).collect();
    let positions = clock.time("interface", || backend.upload(&positions))?;
    let (mut added, mut all_forms) = (Vec::new(), 0);
    for nodes in &parts {
        let first_id = table.len() as u32;
        // An observer sees one part only, so new nodes belong to it.
        let base = if parts.len() == 1 { nodes.len() as u32 } else { 0 };
        let found = clock.time("interface", || interface(backend, nodes, &positions, first_id, base))?;
        let Some(Interface { nodes, crossings, parameters: in_c, forms }) = found else { continue };
        observer.after(backend, &After::Interface(&nodes))?;
        let (mut ids, mut kinds, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let mut downloads = Downloads::new(backend);
        downloads.add(&crossings.id, &mut ids)?;
        downloads.add(&crossings.kind, &mut kinds)?;
        downloads.add(&in_c, &mut counts)?;
        downloads.run()?;
        let table = table.to_mut();
        for ((id, kind), &parameters) in ids.into_iter().zip(kinds).zip(&counts) {
            let other = renamed(&mut table[id as usize], kind == Kind::Extern, parameters);
            table.push(other);
        }
        parameters.extend(counts);
        added.push(nodes);
        all_forms |= forms;
    }
    let program_parts = parts.len();
    if program_parts == 1 {
        let all = parts.drain(..).chain(added.drain(..)).collect::<Vec<_>>();
        parts.push(concatenated(backend, &all)?);
    }
    parts.append(&mut added);
    if all_forms != 0 {
        let first_id = table.len() as u32;
        let tail = added_runtime(table.to_mut(), BuiltinSet::of(&called(all_forms)));
        if let Some(last) = parts.pop() {
            parts.push(followed_by(backend, last, &tail, first_id)?);
        }
    }
    // The new nodes have no arrays.
    let uses_of = |part| if part < program_parts { uses } else { Uses::default() };
    let inputs = parts.into_iter().enumerate().map(|(part, nodes)| Input::Backend(nodes, uses_of(part))).collect();
    Ok(Crossed { inputs, table, parameters })
}

/// Gives the function of a program another name, and returns the function that has its name in C. No name of a function of a program
/// ends in `.fn` or `.extern`, because these are keywords.
fn renamed(function: &mut Function, is_extern: bool, parameters: u32) -> Function {
    let name = function.name.clone();
    function.name += if is_extern { ".extern" } else { ".fn" };
    function.linkage = Linkage::Local;
    let linkage = if is_extern { Linkage::Extern } else { Linkage::Global };
    Function { name, node: None, position: function.position, parameters, linkage }
}

/// Marks functions of the runtime as used, and returns those in Par that were not.
fn added_runtime(table: &mut [Function], used: BuiltinSet) -> Tree {
    let runtime = runtime_tree(used);
    let mut added = Tree::default();
    let mut start = 0;
    while start < runtime.len() {
        let end = (start + 1..runtime.len()).find(|&i| runtime.depth[i] == 0).unwrap_or(runtime.len());
        if table[runtime.data[start] as usize].linkage == Linkage::Absent {
            let moved = (added.len() as u32).wrapping_sub(start as u32);
            let data = runtime.kind[start..end].iter().zip(&runtime.data[start..end]);
            let is_variable = |kind: u8| Kind::from_code(kind).is_variable();
            added
                .data
                .extend(data.map(|(&kind, &data)| if is_variable(kind) { data.wrapping_add(moved) } else { data }));
            added.depth.extend(&runtime.depth[start..end]);
            added.kind.extend(&runtime.kind[start..end]);
            added.ty.extend(&runtime.ty[start..end]);
            added.pos.extend(&runtime.pos[start..end]);
        }
        start = end;
    }
    for (own, function) in table.iter_mut().zip(&runtime.functions).take(runtime::COUNT as usize) {
        if own.linkage == Linkage::Absent {
            own.linkage = function.linkage;
        }
    }
    added
}
