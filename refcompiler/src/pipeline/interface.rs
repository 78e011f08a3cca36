//! The functions between Par and C in a program: their nodes follow the program's nodes, and the function table names them.

use std::borrow::Cow;

use treepar::Backend;
use treepar::backend::Downloads;

use super::entries::{Entries, entries};
use super::parts::{Input, Uses, on_each};
use super::settings::Settings;
use super::{After, Clock, Error, Observer};
use crate::frontend::sequential::runtime_tree;
use crate::ir::builtins::BuiltinSet;
use crate::ir::kinds::Kind;
use crate::ir::nodes::Nodes;
use crate::ir::positions::{NOWHERE, Positions};
use crate::ir::program::{concatenated, followed_by};
use crate::ir::tree::{Function, Linkage, Tree, runtime};
use crate::passes::interface::{Around, Heads, Interface, called, heads, interface};
use crate::target::Target;

/// A program with the functions between Par and C.
pub(super) struct Crossed<'a, B: Backend> {
    /// The parts.
    pub inputs: Vec<Input<'a, B>>,
    /// The function table.
    pub table: Cow<'a, [Function]>,
    /// The number of parameters of each function.
    pub parameters: Vec<u32>,
    /// The arguments in C on x86-64. None of a program without arrays, whose parts have their [heads](with_heads) found first.
    pub entries: Option<Entries<'a>>,
}

/// Adds the functions between Par and C to an object. A program without arrays stays as it is.
pub(super) fn crossed<'a, B: Backend>(
    clock: &mut Clock<'_, B>,
    settings: Settings<'_>,
    inputs: Vec<Input<'a, B>>,
    (functions, mut parameters): (&'a [Function], Vec<u32>),
    observer: &mut dyn Observer<B>,
) -> Result<Crossed<'a, B>, Error> {
    let target = settings.goal.target;
    let uses = inputs.last().map(Input::uses).unwrap_or_default();
    let mut table = Cow::Borrowed(functions);
    if !uses.arrays {
        return Ok(Crossed { inputs, table, parameters, entries: None });
    }
    let ready = on_each(clock, inputs, observer, |clock, input, _| {
        let read = read(clock, settings, input)?;
        let backend = clock.backend;
        let heads = clock.time("interface", || heads(backend, &read.0))?;
        Ok((read, heads))
    })?;
    let (ready, heads): (Vec<_>, Vec<_>) = ready.into_iter().unzip();
    let backend = clock.backend;
    let names: Vec<u32> = functions.iter().map(|function| function.position).collect();
    let (names, entries) = clock.time("interface", || {
        let is_x86 = target == Target::X86_64;
        let entries = if is_x86 { entries(backend, &heads, functions)? } else { Entries::new() };
        Ok((backend.upload(&names)?, entries))
    })?;
    let (mut parts, mut positions) = (Vec::with_capacity(ready.len()), Vec::with_capacity(ready.len()));
    let (mut added, mut forms, count) = (Vec::new(), 0, ready.len());
    for ((nodes, positions_of_part), heads) in ready.into_iter().zip(heads) {
        // An observer sees one part only, so new nodes belong to it.
        let base = if count == 1 { nodes.len() as u32 } else { 0 };
        parts.push(nodes);
        positions.push(positions_of_part);
        let around = Around { target, positions: &names, first_id: table.len() as u32, base };
        let found = clock.time("interface", || interface(backend, &heads, &around))?;
        if let Some(found) = found {
            observer.after(backend, &After::Interface(&found.nodes))?;
            parameters.extend(add_names(backend, &found, target, table.to_mut())?);
            forms |= found.forms;
            added.push(found.nodes);
        }
    }
    if parts.len() == 1 && !added.is_empty() {
        parts.append(&mut added);
        parts = vec![concatenated(backend, &parts)?];
    }
    let last = if added.is_empty() { &mut parts } else { &mut added };
    if forms != 0
        && let Some(nodes) = last.pop()
    {
        let first_id = table.len() as u32;
        let runtime = added_runtime(table.to_mut(), BuiltinSet::of(&called(forms)));
        last.push(followed_by(backend, nodes, &runtime, first_id)?);
    }
    let mut inputs = Vec::with_capacity(parts.len() + added.len());
    for (nodes, mut positions) in parts.into_iter().zip(positions) {
        positions.extend(backend, nodes.len())?;
        inputs.push(Input::Backend(nodes, positions, uses));
    }
    // The new nodes have no arrays, and no positions in the sources.
    for nodes in added {
        let positions = match settings.lines {
            Some(_) => Positions::of(backend.filled(nodes.len(), NOWHERE)?),
            None => Positions::none(),
        };
        inputs.push(Input::Backend(nodes, positions, Uses::default()));
    }
    Ok(Crossed { inputs, table, parameters, entries: Some(entries) })
}

/// Returns the nodes of a part and their positions on the backend.
fn read<B: Backend>(
    clock: &mut Clock<'_, B>,
    settings: Settings<'_>,
    mut input: Input<'_, B>,
) -> Result<(Nodes<B>, Positions<B>), Error> {
    let backend = clock.backend;
    clock.time("upload", || {
        let positions = input.positions(backend, settings)?;
        Ok((input.nodes(backend)?, positions))
    })
}

/// Finds the heads of the functions of a part of a program without arrays.
pub(super) fn with_heads<'a, B: Backend>(
    clock: &mut Clock<'_, B>,
    settings: Settings<'_>,
    input: Input<'a, B>,
) -> Result<(Input<'a, B>, Heads<B>), Error> {
    let uses = input.uses();
    let (nodes, positions) = read(clock, settings, input)?;
    let backend = clock.backend;
    let heads = clock.time("interface", || heads(backend, &nodes))?;
    Ok((Input::Backend(nodes, positions, uses), heads))
}

/// Adds functions between Par and C to the function table. Returns the number of parameters of each.
fn add_names<B: Backend>(
    backend: &B,
    found: &Interface<B>,
    target: Target,
    table: &mut Vec<Function>,
) -> treepar::Result<Vec<u32>> {
    let (mut ids, mut kinds, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
    let mut downloads = Downloads::new(backend);
    downloads.add(&found.crossings.id, &mut ids)?;
    downloads.add(&found.crossings.kind, &mut kinds)?;
    downloads.add(&found.parameters, &mut parameters)?;
    downloads.run()?;
    for ((id, kind), &parameters) in ids.into_iter().zip(kinds).zip(&parameters) {
        let is_extern = kind == Kind::Extern;
        // On x86-64 the function of machine code that Par calls for C has the other ending.
        let ending = if is_extern && target != Target::X86_64 { ".extern" } else { ".fn" };
        let other = renamed(&mut table[id as usize], ending, is_extern, parameters);
        table.push(other);
    }
    Ok(parameters)
}

/// Gives the function of a program another name, and returns the function that has its name in C. No name of a function of a program
/// ends in `.fn` or `.extern`, because these are keywords.
fn renamed(function: &mut Function, ending: &str, is_extern: bool, parameters: u32) -> Function {
    let name = function.name.clone();
    function.name += ending;
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
