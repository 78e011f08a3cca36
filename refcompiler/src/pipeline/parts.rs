//! The pipeline on parts of a program, each a run of whole functions.
//!
//! ```text
//! parts      each from nodes to patterns, lengths and jumps, and to a layout with the shortest jumps
//! link       all together: the first word of each function; then each lengthens its jumps, until none does
//! parts      each to its words in the image, its symbols and its calls of other objects
//! ```
//!
//! A part needs the others for few things only: the number of parameters of each function, which is in the function table,
//! the effects of functions if it is optimised, and the first word of each function, for calls. A GPU takes the whole program as one part.

use std::borrow::Cow;
use std::ops::{Deref, Range};
use std::sync::Arc;

use treepar::Backend;
use treepar::backend::Later;
use treepar::device::device;

use super::entries::{add_entries, entries as entries_of};
use super::image::image;
use super::interface::{Crossed, crossed, with_heads};
use super::settings::{Optimisations, Settings};
use super::shared::{Known, Shared, known};
use super::{After, Clock, Compiled, Error, Goal, Observer, Output, Timing, run_each};
use crate::ir::instruction::{Code, EXTERN, Layout, Material};
use crate::ir::kinds::Type;
use crate::ir::nodes::{Functions, HostFunctions, Nodes};
use crate::ir::positions::Positions;
use crate::ir::program::{is_uneven, ranges, uploaded};
use crate::ir::tree::{self, Composite, Linkage, Tree, kind};
use crate::passes::link::{lengthen, shortest_layout};
use crate::passes::structs::shapes::leaf_types;
use crate::target::Target;
use crate::target::prelude::Prelude;

/// A tree in host memory.
#[derive(Clone)]
pub enum HostTree<'a> {
    /// A tree of the caller.
    Borrowed(&'a Tree),
    /// A tree whose memory is free when no part needs it any more.
    Shared(Arc<Tree>),
}

impl Deref for HostTree<'_> {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        match self {
            HostTree::Borrowed(tree) => tree,
            HostTree::Shared(tree) => tree,
        }
    }
}

/// The nodes of a part, in host memory or on the backend.
pub enum Input<'a, B: Backend> {
    /// Nodes of a tree, and the needs of the program.
    Host(HostTree<'a>, Range<usize>, Uses<'a>),
    /// Nodes that count from the first of the part, with their positions, and the needs of the program.
    Backend(Nodes<B>, Positions<B>, Uses<'a>),
}

/// The parts of the language that a program uses and that need a pass of their own.
#[derive(Clone, Copy, Default)]
pub struct Uses<'a> {
    /// Arrays.
    pub arrays: bool,
    /// Operations on whole arrays.
    pub loops: bool,
    /// Operations on whole arrays, which are to be fused.
    pub fusion: bool,
    /// Calls, of which some are to be inlined.
    pub inlining: bool,
    /// Branches, of which some are in branches of the same condition.
    pub contexts: bool,
    /// Operators, of which some are to be folded.
    pub folding: bool,
    /// Values, of which some are dead.
    pub dead: bool,
    /// Arrays, whose checks are to be removed where a loop implies them.
    pub checks: bool,
    /// Loops, which values are to be moved out of.
    pub motion: bool,
    /// Loops, whose products of counters are to become sums.
    pub strength: bool,
    /// Loops over arrays, which are to work on vectors.
    pub vectors: bool,
    /// Loops over vectors, of which some are to have several vectors per iteration.
    pub unrolling: bool,
    /// Variables, of which some are to be in registers.
    pub registers: bool,
    /// Structs or tuples.
    pub structs: bool,
    /// Their types.
    pub composites: &'a [Composite],
}

impl<'a> Uses<'a> {
    /// Returns the needs of a program with some tree and composite types.
    pub(super) fn of(tree: &Tree, composites: &'a [Composite]) -> Uses<'a> {
        Uses { arrays: tree.arrays, loops: tree.loops, structs: !composites.is_empty(), composites, ..Uses::default() }
    }

    /// Adds the passes that optimise the forms that the program uses.
    pub(super) fn with(self, optimisations: Optimisations, target: Target) -> Self {
        let Optimisations {
            inlining,
            fusion,
            vectors,
            unrolling,
            contexts,
            folding,
            dead,
            checks,
            motion,
            strength,
            registers,
        } = optimisations;
        let (fusion, checks) = (fusion && self.loops, checks && self.arrays);
        let vectors = vectors && self.arrays && target == Target::X86_64;
        Uses {
            fusion,
            inlining,
            vectors,
            unrolling,
            contexts,
            folding,
            dead,
            checks,
            motion,
            strength,
            registers,
            ..self
        }
    }
}

impl<'a, B: Backend> Input<'a, B> {
    /// Returns the number of nodes.
    fn len(&self) -> usize {
        match self {
            Input::Host(_, range, _) => range.len(),
            Input::Backend(nodes, ..) => nodes.len(),
        }
    }

    /// Returns the needs of the program.
    pub(super) fn uses(&self) -> Uses<'a> {
        match self {
            Input::Host(.., uses) | Input::Backend(.., uses) => *uses,
        }
    }

    /// Returns the number of parameters of each function when composites are split: those of a function of the program are
    /// its leaves.
    fn parameters(&self, functions: &[tree::Function]) -> Vec<u32> {
        let leaves = leaf_types(self.uses().composites);
        let count = |ty: Type| if ty.is_composite() { leaves[ty.composite() as usize].len() as u32 } else { 1 };
        let of = |function: &tree::Function| match (self, function.node) {
            (Input::Host(tree, ..), Some(node)) if !leaves.is_empty() => {
                let (node, result) = (node as usize, Type::from_code(tree.ty[node as usize]));
                let outs = if result.is_composite() { count(result) } else { 0 };
                let params = (node + 1..tree.len()).take_while(|&i| matches!(tree.kind[i], kind::HEADER | kind::PARAM));
                let params = params.filter(|&i| tree.kind[i] == kind::PARAM);
                outs + params.map(|i| count(Type::from_code(tree.ty[i]))).sum::<u32>()
            }
            _ => function.parameters,
        };
        functions.iter().map(of).collect()
    }

    /// Takes the positions of the nodes, if somebody asks for lines.
    pub(super) fn positions(&mut self, backend: &B, settings: Settings<'_>) -> treepar::Result<Positions<B>> {
        if settings.lines.is_none() {
            return Ok(Positions::none());
        }
        match self {
            Input::Backend(_, positions, _) => Ok(std::mem::take(positions)),
            Input::Host(tree, range, _) => Ok(Positions::of(backend.upload(&tree.pos[range.clone()])?)),
        }
    }

    /// Returns the nodes on the backend.
    pub(super) fn nodes(self, backend: &B) -> treepar::Result<Nodes<B>> {
        match self {
            Input::Backend(nodes, ..) => Ok(nodes),
            Input::Host(tree, range, _) => uploaded(backend, &tree, range),
        }
    }
}

/// Cuts a tree into parts of at least `size` nodes, before functions at top level.
pub fn cut<'a, B: Backend>(tree: HostTree<'a>, uses: Uses<'a>, size: usize) -> Vec<Input<'a, B>> {
    ranges(&tree, size).into_iter().map(|range| Input::Host(tree.clone(), range, uses)).collect()
}

/// A part after lowering.
pub(super) struct Part<B: Backend> {
    /// The tables that its words are made of.
    pub material: Material<B>,
    /// The positions of its rows.
    pub layout: Layout<B>,
    /// Where its rows come from in the sources.
    pub positions: Positions<B>,
}

/// All parts, when every jump reaches its target.
pub(super) struct Linked<B: Backend> {
    /// The parts in order.
    pub parts: Vec<Part<B>>,
    /// The first word of each function by id; see [`Function::entry`](crate::ir::nodes::Function).
    pub entry: B::Vec<u32>,
}

/// Calls `work` on each item, and adds up the costs. All threads of the backend work on one item, and on each of uneven items. The
/// observer sees one item.
pub(super) fn on_each<B: Backend, T: Send, R: Send>(
    clock: &mut Clock<'_, B>,
    items: Vec<T>,
    observer: &mut dyn Observer<B>,
    work: impl Fn(&mut Clock<'_, B>, T, &mut dyn Observer<B>) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    if items.len() == 1 {
        return items.into_iter().map(|item| work(clock, item, observer)).collect();
    }
    if clock.is_uneven {
        return items.into_iter().map(|item| work(clock, item, &mut ())).collect();
    }
    let results = clock.backend.on_each(items, |backend, item| {
        let mut clock = Clock::new(backend, false);
        Ok::<_, Error>((work(&mut clock, item, &mut ())?, clock.timings))
    })?;
    results
        .into_iter()
        .map(|result| {
            let (result, timings) = result?;
            timings.into_iter().for_each(|timing: Timing| clock.add(timing));
            Ok(result)
        })
        .collect()
}

/// Compiles the parts of a program.
pub(super) fn compile_parts<B: Backend>(
    backend: &B,
    inputs: Vec<Input<'_, B>>,
    table: &[tree::Function],
    settings: Settings<'_>,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    let Goal { target, output } = settings.goal;
    let mut clock = Clock::new(backend, is_uneven(inputs.iter().map(Input::len)));
    let parameters = inputs.first().map(|input| input.parameters(table)).unwrap_or_default();
    let is_object = output == Output::Object;
    let Crossed { inputs, table, parameters, entries } = if is_object {
        crossed(&mut clock, settings, inputs, (table, parameters), observer)?
    } else {
        Crossed { inputs, table: Cow::Borrowed(table), parameters, entries: None }
    };
    let table = &table[..];
    let is_stub = |id| table[id as usize].linkage == Linkage::Stub;
    let prelude = Prelude::new(target, output == Output::Executable, is_stub);
    let functions = clock.time("function table", || function_table(backend, target, (table, parameters), &prelude))?;
    observer.after(backend, &After::FunctionTable(&functions))?;
    let Known { inputs, effects, library } = known(&mut clock, inputs, table.len(), settings)?;
    let shared = Shared { functions, effects, library };
    let has_entries = is_object && target == Target::X86_64;
    let asks_heads = has_entries && entries.is_none();
    let parts = on_each(&mut clock, inputs, observer, |clock, input, observer| {
        let (input, heads) = if asks_heads {
            let (input, heads) = with_heads(clock, settings, input)?;
            (input, Some(heads))
        } else {
            (input, None)
        };
        let (Code { length, material }, positions) = run_each(clock, settings, input, &shared, observer)?;
        let backend = clock.backend;
        let jumps = &material.jumps;
        let layout = clock.time("link", || shortest_layout(backend, target, length, jumps, &shared.functions.entry))?;
        Ok((Part { material, layout, positions }, heads))
    })?;
    let (parts, heads): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let heads: Vec<_> = heads.into_iter().flatten().collect();
    let entries = match entries {
        None if asks_heads => clock.time("interface", || entries_of(backend, &heads, table))?,
        entries => entries.unwrap_or_default(),
    };
    let first = prelude.words.len() as u32 * 4 / target.unit();
    let start = prelude.start;
    let linked = linked(&mut clock, parts, shared.functions.entry, first)?;
    let mut image = image(&mut clock, settings, linked, (table, prelude), observer)?;
    if has_entries {
        add_entries(&mut image, &entries);
    }
    if output == Output::Executable {
        if let Some(call) = image.calls.first() {
            return Err(Error::Undefined { name: call.name.clone() });
        }
        let main = image.symbols.iter().find(|symbol| symbol.global && symbol.name == "main");
        if let Some((start, main)) = start.zip(main.map(|main| main.offset)) {
            start.patch(main).apply(&mut image.words);
        }
    }
    Ok(Compiled { image, timings: clock.timings })
}

fn function_table<B: Backend>(
    backend: &B,
    target: Target,
    (functions, parameters): (&[tree::Function], Vec<u32>),
    prelude: &Prelude,
) -> treepar::Result<Functions<B>> {
    let entry = |(id, function): (u32, &tree::Function)| match function.linkage {
        Linkage::Global | Linkage::Local => 0,
        Linkage::Stub => prelude.entry(id).map_or(EXTERN, |entry| entry / target.unit()),
        Linkage::Extern | Linkage::Absent => EXTERN,
    };
    let host = HostFunctions { parameters, entry: (0..).zip(functions).map(entry).collect() };
    Functions::upload(backend, &host)
}

/// Returns the first word of function `f` of a part that begins at word `first`.
#[device(map)]
pub(super) fn start_word(f: usize, starts: &[u32], positions: &[u32], first: u32) -> u32 {
    first + positions[starts[f] as usize]
}

/// Returns the first word of each function by id. `known` has the words of functions without code in the parts.
fn entries<B: Backend>(
    backend: &B,
    parts: &[Part<B>],
    known: &B::Vec<u32>,
    first: u32,
) -> treepar::Result<B::Vec<u32>> {
    let mut entry = backend.concat(&[known])?;
    let mut first = first;
    for (part, Part { material, layout, .. }) in parts.iter().enumerate() {
        let words = backend.map(start_word::of(&material.starts, &layout.positions, first))?;
        backend.scatter(&mut entry, &material.ids, &words)?;
        // No part follows the last one, so the host need not know its words yet.
        if part + 1 < parts.len() {
            first += layout.words.read()?;
        }
    }
    Ok(entry)
}

/// Lengthens jumps until all reach their targets.
fn linked<B: Backend>(
    clock: &mut Clock<'_, B>,
    mut parts: Vec<Part<B>>,
    known: B::Vec<u32>,
    first: u32,
) -> Result<Linked<B>, Error> {
    loop {
        let backend = clock.backend;
        let entry = clock.time("link", || entries(backend, &parts, &known, first))?;
        let items = firsts(parts, first)?;
        let lengthened = on_each(clock, items, &mut (), |clock, (mut part, first), _| {
            let backend = clock.backend;
            let Part { material, layout, .. } = &mut part;
            let grows =
                clock.time("link", || lengthen(backend, material.target, layout, &material.jumps, &entry, first))?;
            Ok((part, grows))
        })?;
        let grows = lengthened.iter().any(|&(_, grows)| grows);
        parts = lengthened.into_iter().map(|(part, _)| part).collect();
        if !grows {
            return Ok(Linked { parts, entry });
        }
    }
}

/// Returns the parts with the first word of each.
pub(super) fn firsts<B: Backend>(parts: Vec<Part<B>>, first: u32) -> treepar::Result<Vec<(Part<B>, u32)>> {
    let (count, mut next) = (parts.len(), first);
    let begins = |(index, part): (usize, Part<B>)| {
        let first = next;
        if index + 1 < count {
            next += part.layout.words.read()?;
        }
        Ok((part, first))
    };
    parts.into_iter().enumerate().map(begins).collect()
}
