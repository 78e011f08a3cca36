//! The front end as a whole: from the inputs to a checked program on a backend.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use treepar::{Backend, Result};

use super::analysis::{Found, Question, valid};
use super::functions::add_functions;
use super::parts::{Analysed, Part, analysed, join, outlined, ranges};
use super::sequential::{Extent, runtime_tree};
use super::signatures::RUNTIME;
use super::uniqueness::breaches_in;
use crate::ir::builtins::BuiltinSet;
use crate::ir::kinds::Type;
use crate::ir::nodes::{HostNodes, Nodes};
use crate::ir::positions::Positions;
use crate::ir::program::{Program, RowBytes, followed_by, rows_per_part};
use crate::ir::tree::{Function, Linkage, runtime};
use crate::source::Sources;

/// The bytes of columns per byte of text, while a part goes through the passes.
const COLUMN_BYTES: RowBytes = RowBytes(8);

/// A question about inputs.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The part of a program that the inputs are.
    pub extent: Extent,
    /// `true` if possible warnings are counted.
    pub warnings: bool,
    /// `true` if the positions of nodes are kept.
    pub lines: bool,
}

/// Returns the valid results, or returns from the function with the sums of errors and of forms that are not decided.
macro_rules! all_valid {
    ($results:expr) => {{
        let (mut valid, mut all_errors, mut all_unsure) = (Vec::new(), 0, 0);
        for found in $results {
            match found? {
                Found::Valid(part) => valid.push(part),
                Found::Unknown { errors, unsure } => {
                    all_errors += errors;
                    all_unsure += unsure;
                }
            }
        }
        if all_errors + all_unsure > 0 {
            return Ok(Found::Unknown { errors: all_errors, unsure: all_unsure });
        }
        valid
    }};
}

/// Returns the least number of bytes of each part of a program but the last.
fn part_bytes<B: Backend>(backend: &B, sources: &Sources) -> usize {
    rows_per_part(backend, sources.bytes(), COLUMN_BYTES)
}

/// Returns the number of parts of a program on a backend: how many threads can work without waiting for each other.
pub fn part_count<B: Backend>(backend: &B, sources: &Sources) -> usize {
    ranges(sources, part_bytes(backend, sources)).len()
}

/// Returns the program of all inputs if the passes accept it, and if it keeps the rules of uniqueness.
///
/// # Errors
/// Only errors of the backend.
pub fn program<B: Backend>(backend: &B, sources: &Sources, request: Request) -> Result<Found<Program<B>>> {
    let program = valid!(program_in_parts(backend, sources, request, part_bytes(backend, sources))?);
    let breaches = if program.arrays { breaches_in(backend, &program)? } else { 0 };
    if breaches > 0 {
        return Ok(Found::Unknown { errors: breaches as u32, unsure: 0 });
    }
    Ok(Found::Valid(program))
}

/// As [`program`], in parts of at least `part_bytes` bytes, and without the rules of uniqueness. Once a part is refused, parts that no thread has begun are left out. A
/// part with a possible warning is as good as refused if there are others, because the sequential front end will be needed.
///
/// # Errors
/// Only errors of the backend.
pub fn program_in_parts<B: Backend>(
    backend: &B,
    sources: &Sources,
    request: Request,
    part_bytes: usize,
) -> Result<Found<Program<B>>> {
    let ranges = ranges(sources, part_bytes);
    let Request { warnings, lines, .. } = request;
    let mut question = Question { is_whole: ranges.len() == 1, warnings, arrays: false, lines };
    let parts = valid!(outline_parts(backend, sources, &ranges, question)?);
    let has_arrays = parts.iter().any(Part::has_arrays);
    match analyse_parts(backend, sources, request, parts)? {
        // Only the names of a program may show that it uses arrays: `x[0]` looks like a call.
        Found::Unknown { errors: 1.., .. } if !has_arrays => {
            question.arrays = true;
            let parts = valid!(outline_parts(backend, sources, &ranges, question)?);
            analyse_parts(backend, sources, request, parts)
        }
        found => Ok(found),
    }
}

/// Runs the passes that need no other part on all parts.
fn outline_parts<B: Backend>(
    backend: &B,
    sources: &Sources,
    ranges: &[Range<u32>],
    question: Question,
) -> Result<Found<Vec<Part<B>>>> {
    let is_refused = AtomicBool::new(false);
    let outlined = |backend: &B, range| -> Result<Found<Part<B>>> {
        if is_refused.load(Ordering::Relaxed) {
            return Ok(Found::Unknown { errors: 0, unsure: 1 });
        }
        let found = match outlined(backend, sources, range, question)? {
            Found::Valid(part) if !question.is_whole && part.doubts() > 0 => Found::Unknown { errors: 0, unsure: 1 },
            found => found,
        };
        if matches!(found, Found::Unknown { .. }) {
            is_refused.store(true, Ordering::Relaxed);
        }
        Ok(found)
    };
    Ok(Found::Valid(all_valid!(backend.on_each(ranges.to_vec(), outlined)?)))
}

/// Returns the program of some parts.
fn analyse_parts<B: Backend>(
    backend: &B,
    sources: &Sources,
    request: Request,
    parts: Vec<Part<B>>,
) -> Result<Found<Program<B>>> {
    let joined = valid!(join(backend, sources, &parts)?);
    let functions = functions(sources, &parts);
    if request.extent == Extent::Executable && !has_main(&functions, &parts) {
        return Ok(Found::Unknown { errors: 1, unsure: 0 });
    }
    let parts = parts.into_iter().zip(joined).collect();
    let analysed = |backend: &B, (part, joined)| analysed(backend, part, joined);
    let parts = all_valid!(backend.on_each(parts, analysed)?);
    let doubts = if request.warnings { unused(&functions, &parts, request.extent) } else { 0 };
    Ok(Found::Valid(with_runtime(backend, parts, functions, doubts)?))
}

/// Returns the function table of all parts. Functions of the runtime are absent.
fn functions<B: Backend>(sources: &Sources, parts: &[Part<B>]) -> Vec<Function> {
    let mut table = runtime_tree(BuiltinSet::NONE).functions.clone();
    let mut first_node = 0;
    for part in parts {
        add_functions(&mut table, sources, &part.range, &part.declared, first_node);
        first_node += part.nodes();
    }
    table
}

/// Returns whether there is the `main` that an executable begins with.
fn has_main<B: Backend>(functions: &[Function], parts: &[Part<B>]) -> bool {
    let is_main = |function: &Function| function.linkage == Linkage::Global && function.name == "main";
    let Some(main) = functions[RUNTIME..].iter().position(is_main) else { return false };
    let mut results = parts.iter().flat_map(|part| &part.declared.result);
    functions[RUNTIME + main].parameters == 0 && results.nth(main) == Some(&Type::Int)
}

/// Returns the number of possible warnings about functions that no other function calls.
fn unused<B: Backend>(functions: &[Function], parts: &[Analysed<B>], extent: Extent) -> u32 {
    let mut is_used = vec![false; functions.len()];
    for &(id, _) in parts.iter().flat_map(|part| &part.uses) {
        is_used[id as usize] = true;
    }
    let is_closed = |function: &Function| match function.linkage {
        Linkage::Local => true,
        Linkage::Global => extent == Extent::Executable && function.name != "main",
        _ => false,
    };
    functions.iter().zip(is_used).skip(RUNTIME).filter(|(function, is_used)| !is_used && is_closed(function)).count()
        as u32
}

/// Returns the program of all parts. The functions of the runtime that it uses follow the last part.
fn with_runtime<B: Backend>(
    backend: &B,
    parts: Vec<Analysed<B>>,
    mut functions: Vec<Function>,
    doubts: u32,
) -> Result<Program<B>> {
    let doubts = parts.iter().fold(doubts, |sum, part| sum.saturating_add(part.doubts));
    let mut used = BuiltinSet::NONE;
    for &(id, _) in parts.iter().flat_map(|part| &part.uses).filter(|&&(id, _)| id < runtime::COUNT) {
        used = used.union(BuiltinSet::of(&[id]));
    }
    let arrays = parts.iter().any(|part| part.arrays);
    let loops = parts.iter().any(|part| part.loops);
    used = parts.iter().fold(used, |used, part| used.union(part.needs));
    let tail = runtime_tree(used);
    let first_node: usize = parts.iter().map(|part| part.nodes.len()).sum();
    // Nested functions of the runtime follow the functions of the program.
    let (first_node, first_id) = (first_node as u32, functions.len() as u32);
    for (id, function) in tail.functions.iter().enumerate() {
        let moved = Function { node: function.node.map(|node| node + first_node), ..function.clone() };
        if id < RUNTIME { functions[id] = moved } else { functions.push(moved) }
    }
    let (mut parts, mut positions): (Vec<Nodes<B>>, Vec<Positions<B>>) =
        parts.into_iter().map(|part| (part.nodes, part.positions)).unzip();
    if !tail.is_empty() || parts.is_empty() {
        let last = match parts.pop() {
            Some(last) => last,
            None => Nodes::upload(backend, &HostNodes::default())?,
        };
        let last = followed_by(backend, last, tail, first_id)?;
        positions.resize_with(parts.len() + 1, Positions::none);
        positions[parts.len()].extend(backend, last.len())?;
        parts.push(last);
    }
    Ok(Program { parts, positions, functions, doubts, arrays, loops })
}
