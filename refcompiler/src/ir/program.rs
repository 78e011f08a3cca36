//! A checked program on a backend: the result of the front end, and the input of the passes after it.

use std::ops::Range;

use treepar::device::device;
use treepar::{Backend, Element, Result};

use super::kinds::{Kind, Type};
use super::nodes::Nodes;
use super::positions::Positions;
use super::tree::{Function, Tree, runtime};

/// The bytes of columns per row, while a part goes through the passes.
#[derive(Clone, Copy, Debug)]
pub struct RowBytes(pub usize);

/// The bytes of columns per node.
const NODE_BYTES: RowBytes = RowBytes(40);

/// Returns the rows of each part but the last, for a program of `rows` rows. The columns of a part stay in a cache of the backend, and
/// the workers of the backend have equally many parts, unless parts would have less than half of the rows that fit.
pub fn rows_per_part<B: Backend>(backend: &B, rows: usize, RowBytes(bytes): RowBytes) -> usize {
    let Some(cache) = backend.cache_bytes() else { return usize::MAX };
    let (most, workers) = (cache / bytes, backend.workers());
    let rounds = rows.div_ceil(most * workers);
    rows.div_ceil((rounds * workers).max(1)).max(most / 2)
}

/// Returns the number of nodes of a part of a tree.
pub fn nodes_per_part<B: Backend>(backend: &B, tree: &Tree) -> usize {
    rows_per_part(backend, tree.len(), NODE_BYTES)
}

/// Returns the nodes of the parts of a tree: runs of whole functions at top level with at least `size` nodes.
pub fn ranges(tree: &Tree, size: usize) -> Vec<Range<usize>> {
    let (n, size) = (tree.len(), size.max(1));
    let (mut parts, mut start) = (Vec::new(), 0);
    while start < n {
        let next = start.saturating_add(size).min(n);
        let end = tree.depth[next..].iter().position(|&depth| depth == 0).map_or(n, |at| next + at);
        parts.push(start..end);
        start = end;
    }
    if parts.is_empty() {
        parts.push(0..n);
    }
    parts
}

/// Returns whether one part is larger than all others together, given their numbers of nodes. Then all threads work on each part in turn.
/// The parts stay separate: a large part without nested functions need not be lifted because a function of the runtime has some.
pub fn is_uneven(sizes: impl Iterator<Item = usize> + Clone) -> bool {
    sizes.clone().max().unwrap_or_default() > sizes.sum::<usize>() / 2
}

/// Returns the data of a node of a part, of which `first` is the first node.
#[device(map)]
fn data_in_part(i: usize, kinds: &[Kind], data: &[u32], first: u32) -> u32 {
    // Most programs use variables so irregularly that a branch would often be mispredicted.
    data[i] - if kinds[i].is_variable() { first } else { 0 }
}

/// Returns the nodes of a part of a tree, counted from its first.
///
/// # Errors
/// Only errors of the backend.
pub fn uploaded<B: Backend>(backend: &B, tree: &Tree, range: Range<usize>) -> Result<Nodes<B>> {
    let first = range.start as u32;
    let kind = backend.upload(bytemuck::cast_slice::<u8, Kind>(&tree.kind[range.clone()]))?;
    let mut data = backend.upload(&tree.data[range.clone()])?;
    if first > 0 {
        data = backend.map(data_in_part::of(&kind, &data, first))?;
    }
    let depth = backend.upload(&tree.depth[range.clone()])?;
    Ok(Nodes { depth, kind, ty: backend.upload(bytemuck::cast_slice::<u8, Type>(&tree.ty[range]))?, data })
}

/// A checked program.
pub struct Program<B: Backend> {
    /// The nodes of each part: the functions of all inputs, then the functions of the runtime that they use. A part is a run
    /// of whole functions, and its nodes count from its first.
    pub parts: Vec<Nodes<B>>,
    /// The positions of the nodes of each part in the sources, if somebody asks for lines.
    pub positions: Vec<Positions<B>>,
    /// The functions by id: first the runtime, then the program in preorder, then nested functions of the runtime.
    pub functions: Vec<Function>,
    /// The number of possible warnings, 0 if it was not asked for.
    pub doubts: u32,
    /// `true` if the program uses arrays.
    pub arrays: bool,
    /// `true` if the program has operations on whole arrays.
    pub loops: bool,
}

/// Returns the data of node `i` of a part that begins at node `first`.
#[device(map)]
fn moved(i: usize, kinds: &[Kind], data: &[u32], first: u32) -> u32 {
    if kinds[i].is_variable() { data[i] + first } else { data[i] }
}

impl<B: Backend> Program<B> {
    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.parts.iter().map(Nodes::len).sum()
    }

    /// Returns the program as one part.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn whole(self, backend: &B) -> Result<Program<B>> {
        if self.parts.len() == 1 {
            return Ok(self);
        }
        let columns = self.positions.iter().map(Positions::column).collect::<Option<Vec<_>>>();
        let positions = match columns {
            Some(columns) => Positions::of(backend.concat(&columns)?),
            None => Positions::none(),
        };
        Ok(Program { parts: vec![self.joined(backend)?], positions: vec![positions], ..self })
    }

    /// Returns the nodes of all parts, counted from the first of the program.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn joined(&self, backend: &B) -> Result<Nodes<B>> {
        let (mut first, mut data) = (0, Vec::with_capacity(self.parts.len()));
        for part in &self.parts {
            data.push(backend.map(moved::of(&part.kind, &part.data, first))?);
            first += part.len() as u32;
        }
        Ok(Nodes { data: backend.concat(&data.iter().collect::<Vec<_>>())?, ..concatenated(backend, &self.parts)? })
    }
}

/// Returns the nodes of several tables, one after another, with their data as they are.
///
/// # Errors
/// Only errors of the backend.
pub fn concatenated<B: Backend>(backend: &B, parts: &[Nodes<B>]) -> Result<Nodes<B>> {
    fn column<B: Backend, T: Element>(
        backend: &B,
        parts: &[Nodes<B>],
        of: impl Fn(&Nodes<B>) -> &B::Vec<T>,
    ) -> Result<B::Vec<T>> {
        backend.concat(&parts.iter().map(of).collect::<Vec<_>>())
    }
    Ok(Nodes {
        depth: column(backend, parts, |nodes| &nodes.depth)?,
        kind: column(backend, parts, |nodes| &nodes.kind)?,
        ty: column(backend, parts, |nodes| &nodes.ty)?,
        data: column(backend, parts, |nodes| &nodes.data)?,
    })
}

/// Returns the nodes of a part, followed by functions of the runtime. The id of the first nested one becomes `first_id`.
///
/// # Errors
/// Only errors of the backend.
pub fn followed_by<B: Backend>(backend: &B, part: Nodes<B>, tail: &Tree, first_id: u32) -> Result<Nodes<B>> {
    let first_node = part.len() as u32;
    let id_of = |id: u32| if id < runtime::COUNT { id } else { id - runtime::COUNT + first_id };
    let data_of = |(&kind, &data): (&u8, &u32)| match Kind::from_code(kind) {
        Kind::Call | Kind::Function => id_of(data),
        kind if kind.is_variable() => data + first_node,
        _ => data,
    };
    let data: Vec<u32> = tail.kind.iter().zip(&tail.data).map(data_of).collect();
    let Tree { depth, kind, ty, .. } = tail;
    let (kind, ty) = (bytemuck::cast_slice::<u8, Kind>(kind), bytemuck::cast_slice::<u8, Type>(ty));
    let tail = Nodes {
        depth: backend.upload(depth)?,
        kind: backend.upload(kind)?,
        ty: backend.upload(ty)?,
        data: backend.upload(&data)?,
    };
    concatenated(backend, &[part, tail])
}
