//! Parts of a program: runs of whole functions that go through the passes by themselves.
//!
//! ```text
//! sources   fn a[] { .. }  fn b[] { .. }    fn main[]: int { .. }
//! parts     [---------- part 0 ----------]  [------- part 1 ------]     each outlined on one thread
//! join      a, b are imported by part 1, main by part 0
//! parts     analysed: function ids of part 1 follow those of part 0
//! ```
//!
//! On a CPU the columns of a part stay in a core's cache, and no pass waits for another thread. A GPU takes the whole
//! program as one part. The passes do not know about parts.
//!
//! A part begins at a line that begins with `fn` or `extern`. A line break ends every token and comment, so the parts of
//! any text have its tokens. If all parts are valid, so is the whole: a program is a sequence of functions. A program with
//! other lines of this form, in a function, has parts with errors, and goes to the sequential front end.

use std::ops::Range;

use treepar::device::device;
use treepar::{Backend, Result};

use super::analysis::{Found, Imports, Joined, Outline, Outlined, Question, TypedTree, analyse, outline, valid};
use super::arrays::needs::needed;
use super::functions::word_at;
use super::input::upload_text;
use super::lex::words::HASHED;
use super::signatures::RUNTIME;
use crate::ir::builtins::BuiltinSet;
use crate::ir::kinds::{Kind, Type};
use crate::ir::meaning::{DeclaredFunction, HostDeclared};
use crate::ir::nodes::{FunctionId, NodeId, Nodes};
use crate::ir::positions::Positions;
use crate::ir::syntax::{SyntaxTokens, TreeNodes};
use crate::ir::tokens::{NameId, Names};
use crate::source::Sources;

/// A part that has been outlined.
pub struct Part<B: Backend> {
    /// The positions of its text.
    pub range: Range<u32>,
    /// The functions that it declares.
    pub declared: HostDeclared,
    /// The tables of its passes so far.
    outline: Outline<B>,
    /// The facts for other parts, if there are any.
    shared: Option<Shared>,
}

/// The facts about a part that other parts need, in host memory.
struct Shared {
    /// The types of the parameters of its functions, after those of the runtime.
    types: Vec<Type>,
    /// The names that occur in it.
    names: HostFirstNames,
}

/// A part that has been analysed.
pub struct Analysed<B: Backend> {
    /// The nodes, with the functions of the program.
    pub nodes: Nodes<B>,
    /// Functions of the program and the number of their calls in this part, from outside of each function.
    pub uses: Vec<(u32, u32)>,
    /// The number of possible warnings, 0 if it was not asked for.
    pub doubts: u32,
    /// `true` if the program has forms of arrays.
    pub arrays: bool,
    /// `true` if the part has operations on whole arrays.
    pub loops: bool,
    /// The functions of the runtime that its arrays need.
    pub needs: BuiltinSet,
    /// The positions of the nodes in the sources, if somebody asks.
    pub positions: Positions<B>,
}

impl<B: Backend> Part<B> {
    /// Returns whether the part has forms of arrays.
    pub fn has_arrays(&self) -> bool {
        self.outline.has_arrays()
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        self.outline.nodes.len() as u32
    }

    /// Returns the number of possible warnings, 0 if it was not asked for.
    pub fn doubts(&self) -> u32 {
        self.outline.doubts()
    }
}

/// A name and where it occurs first.
#[device(columns(FirstNames, index = NameId))]
pub struct FirstName {
    /// The name, or its hash.
    pub key: u64,
    /// The offset of its first occurrence in the text of the part.
    pub start: u32,
}

#[device(map)]
fn first_name(name: NameId, names: &Names, tokens: &SyntaxTokens) -> FirstName {
    FirstName { key: names.key[name], start: tokens.start[names.first[name]] }
}

/// Returns the ranges of the parts of all inputs, with `size` bytes or more if the text allows it.
pub fn ranges(sources: &Sources, size: usize) -> Vec<Range<u32>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for file in sources.files() {
        let bytes = file.text.as_bytes();
        let end = file.start + bytes.len() as u32;
        while (end - start) as usize > size {
            let from = (start + size as u32).max(file.start) - file.start;
            let Some(line) = next_function(bytes, from as usize) else { break };
            ranges.push(start..file.start + line as u32);
            start = file.start + line as u32;
        }
        if (end - start) as usize >= size {
            ranges.push(start..end);
            start = end + 1;
        }
    }
    if let Some(last) = sources.files().last() {
        let end = last.start + last.text.len() as u32;
        if start <= end {
            ranges.push(start..end);
        }
    }
    ranges
}

/// Returns the offset of the first line after byte `from` that begins with `fn` or `extern`.
fn next_function(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes[at..].iter().position(|&byte| byte == b'\n')? + 1;
        if bytes[at..].starts_with(b"fn ") || bytes[at..].starts_with(b"extern ") {
            return Some(at);
        }
    }
}

/// Runs the passes that need no other part.
///
/// # Errors
/// Only errors of the backend.
pub fn outlined<B: Backend>(
    backend: &B,
    sources: &Sources,
    range: Range<u32>,
    question: Question,
) -> Result<Found<Part<B>>> {
    let text = upload_text(backend, sources, range.clone())?;
    let Outlined { outline, declared, names, tokens } = valid!(outline(backend, &text, question)?);
    let shared = if question.is_whole {
        None
    } else {
        let names = backend.map(first_name::of(&names, &tokens))?.download(backend)?;
        Some(Shared { types: backend.download(&outline.types)?, names })
    };
    Ok(Found::Valid(Part { range, declared, outline, shared }))
}

/// Returns the position of a node, given its offset in the text of a part that begins at position `first`.
#[device(map)]
fn position(i: usize, offsets: &[u32], first: u32) -> u32 {
    first + offsets[i]
}

/// Runs the passes that need the functions of other parts.
///
/// # Errors
/// Only errors of the backend.
pub fn analysed<B: Backend>(backend: &B, mut part: Part<B>, joined: Joined) -> Result<Found<Analysed<B>>> {
    let arrays = joined.arrays;
    let mut positions = std::mem::take(&mut part.outline.positions);
    positions.change(|column| backend.map(position::of(column, part.range.start)))?;
    let tree = valid!(analyse(backend, part.outline, &joined)?);
    let TypedTree { nodes: TreeNodes { depth, kind, .. }, types, data, uses, doubts } = tree;
    let uses = joined.ids.into_iter().zip(uses).filter(|&(_, uses)| uses > 0).collect();
    let nodes = Nodes { depth, kind, ty: types, data };
    let (needs, loops) = if arrays { needed(backend, &nodes)? } else { (BuiltinSet::NONE, false) };
    Ok(Found::Valid(Analysed { nodes, uses, doubts, arrays, loops, needs, positions }))
}

#[device(intern)]
fn key(i: usize, keys: &[u64]) -> u64 {
    keys[i]
}

/// A function at top level.
#[derive(Clone, Copy)]
struct TopLevel {
    /// The index of its part.
    part: usize,
    /// The index among the functions of the part.
    function: usize,
}

/// Finds the functions of the program for each part. Two functions with one name are an error. An `extern` that repeats a
/// name and two names with one hash are left to the sequential front end. A part that is the whole program needs nothing:
/// [`callees`](super::callees) finds its functions with one name.
///
/// # Errors
/// Only errors of the backend.
pub fn join<B: Backend>(backend: &B, sources: &Sources, parts: &[Part<B>]) -> Result<Found<Vec<Joined>>> {
    let mut joined = Vec::with_capacity(parts.len());
    let mut next = RUNTIME as u32;
    let arrays = parts.iter().any(Part::has_arrays);
    for part in parts {
        let first = next;
        next += part.declared.len() as u32;
        let ids = (0..RUNTIME as u32).chain(first..next).collect();
        joined.push(Joined { imports: Imports::default(), ids, first: part.range.start, arrays });
    }
    let Some(shared) = parts.iter().map(|part| part.shared.as_ref()).collect::<Option<Vec<&Shared>>>() else {
        return Ok(Found::Valid(joined));
    };

    // The keys and positions of the names of functions at top level, and then of all names.
    let mut functions: Vec<TopLevel> = Vec::new();
    let (mut keys, mut positions) = (Vec::new(), Vec::new());
    let mut add = |part: usize, name: usize| {
        keys.push(shared[part].names.key[name]);
        positions.push(parts[part].range.start + shared[part].names.start[name]);
    };
    for (part, Part { declared, .. }) in parts.iter().enumerate() {
        for function in (0..declared.len()).filter(|&function| declared.depth[function] == 0) {
            functions.push(TopLevel { part, function });
            add(part, declared.name[function] as usize);
        }
    }
    for (part, own) in shared.iter().enumerate() {
        (0..own.names.len()).for_each(|name| add(part, name));
    }
    let first = backend.intern(key::of(&backend.upload(&keys)?))?;
    let first = backend.download(&first)?;

    let is_extern = |row: usize| parts[functions[row].part].declared.kind[functions[row].function] == Kind::Extern;
    let (mut errors, mut unsure) = (0, 0);
    for (row, other) in first.iter().map(|&other| other as usize).enumerate().filter(|&(row, other)| row != other) {
        if keys[row] >= HASHED && word_at(sources, positions[row]) != word_at(sources, positions[other]) {
            unsure += 1;
        } else if row < functions.len() {
            *(if is_extern(row) || is_extern(other) { &mut unsure } else { &mut errors }) += 1;
        }
    }
    if errors + unsure > 0 {
        return Ok(Found::Unknown { errors, unsure });
    }

    let mut row = functions.len();
    for (part, own) in shared.iter().enumerate() {
        for name in 0..own.names.len() {
            let found = functions.get(first[row] as usize).filter(|found| found.part != part);
            row += 1;
            let Some(&TopLevel { part: other, function }) = found else { continue };
            let id = joined[other].ids[RUNTIME + function];
            joined[part].ids.push(id);
            joined[part].imports.add(
                name as u32,
                parts[other].declared.row(FunctionId::new(function as u32)),
                &shared[other].types,
            );
        }
    }
    Ok(Found::Valid(joined))
}

impl Imports {
    /// Adds a function of another part. `types` has the types of the parameters of that part's functions.
    fn add(&mut self, name: u32, function: DeclaredFunction, types: &[Type]) {
        self.names.push(name);
        self.callables.node.push(NodeId::NONE);
        self.callables.first.push(self.types.len() as u32);
        self.callables.parameters.push(function.parameters);
        self.callables.result.push(function.result);
        let first = function.first as usize;
        self.types.extend_from_slice(&types[first..first + function.parameters as usize]);
    }
}
