//! The pipeline: from the tree to the words, as one list of passes.
//!
//! Columns stay on the backend from the upload of the tree to the download of the words; between them only single
//! numbers and the digit counts of sorts reach the host: totals, counts, whether offsets fall or a jump still grows.

use std::time::{Duration, Instant};

use treepar::backend::Counters;
use treepar::device::device;
use treepar::{Backend, Column};

use crate::object::{Call, Image, Symbol};
use crate::passes::Nodes;
use crate::passes::allocate::{Allocation, allocate};
use crate::passes::encode::encode;
use crate::passes::flatten::{Rows, flatten};
use crate::passes::frames::{Frame, frames};
use crate::passes::lift::{Lifted, lift};
use crate::passes::link::link;
use crate::passes::select::{Code, EXTERN, STUB, select};
use crate::passes::sequence::{CALL_EXTERN, Instruction};
use crate::passes::structure::structure;
use crate::passes::variables::{Variables, variables};
use crate::riscv::stub::{self, Prelude};
use crate::tree::{Linkage, Tree, runtime};

/// What to compile to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A program that begins at `main`.
    Executable,
    /// An object file for a linker.
    Object,
}

/// Why a checked program could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library refused, for a size beyond its limits.
    #[error(transparent)]
    Treepar(#[from] treepar::Error),
    /// An executable calls a function that no input defines.
    #[error("no input defines the function `{name}`, which is declared `extern`: link with `-c` and a linker")]
    Undefined {
        /// The function.
        name: String,
    },
    /// A pass left a column that breaks what the next relies on (a fault of the compiler's, found by
    /// `--check-passes`).
    #[error("after pass `{pass}`: {what}")]
    Invariant {
        /// The pass.
        pass: &'static str,
        /// What does not hold, and where.
        what: String,
    },
}

/// What one pass took.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The pass.
    pub pass: &'static str,
    /// How long it ran.
    pub time: Duration,
    /// Templates run and bytes moved.
    pub work: Counters,
}

/// Sees columns between passes: a listing, a checker.
pub trait Observer<B: Backend> {
    /// After lifting and the resolution of variables.
    fn lifted(&mut self, _backend: &B, _lifted: &Lifted<B>, _variables: &Variables<B>) -> Result<(), Error> {
        Ok(())
    }
    /// After flattening.
    fn flat(&mut self, _backend: &B, _rows: &Rows<B>) -> Result<(), Error> {
        Ok(())
    }
    /// After allocation.
    fn allocated(&mut self, _backend: &B, _rows: &Rows<B>, _allocation: &Allocation<B>) -> Result<(), Error> {
        Ok(())
    }
    /// After selection.
    fn selected(&mut self, _backend: &B, _frames: &B::Vec<Frame>, _code: &Code<B>) -> Result<(), Error> {
        Ok(())
    }
}

/// Sees nothing.
impl<B: Backend> Observer<B> for () {}

/// The words of a program and what each pass took.
pub struct Compiled {
    /// Code, symbols and calls of other objects.
    pub image: Image,
    /// The passes in order.
    pub timings: Vec<Timing>,
}

/// Measures passes.
struct Clock<'a, B> {
    backend: &'a B,
    timings: Vec<Timing>,
}

impl<B: Backend> Clock<'_, B> {
    fn time<T>(&mut self, pass: &'static str, work: impl FnOnce() -> Result<T, treepar::Error>) -> Result<T, Error> {
        let before = self.backend.counters();
        let start = Instant::now();
        let result = work()?;
        // A GPU that waits when it counts has done the work only then.
        let after = self.backend.counters();
        let time = start.elapsed();
        let work = Counters { templates: after.templates - before.templates, bytes: after.bytes - before.bytes };
        self.timings.push(Timing { pass, time, work });
        Ok(result)
    }
}

/// Compiles a checked program: every pass from the tree to the image.
///
/// # Errors
/// [`Error::Treepar`] where the program is too large for the library or its machine, or the machine failed;
/// [`Error::Undefined`] where an executable calls a function that no input defines; what the observer finds, such as
/// [`Error::Invariant`].
pub fn compile<B: Backend>(
    backend: &B,
    tree: &Tree,
    output: Output,
    observer: &mut impl Observer<B>,
) -> Result<Compiled, Error> {
    let prelude =
        stub::prelude(output == Output::Executable, |id| tree.functions[id as usize].linkage == Linkage::Stub);
    let mut clock = Clock { backend, timings: Vec::new() };
    let p = prelude.words.len() as u32;

    let nodes = clock.time("upload", || upload(backend, tree))?;
    let (parameters, entry) = clock.time("function table", || function_table(backend, tree, &prelude))?;
    let shape = clock.time("structure", || structure(backend, &nodes.depth))?;
    let lifted = clock.time("lift", || lift(backend, nodes, shape, tree.functions.len()))?;
    let variables = clock.time("variables", || variables(backend, &lifted))?;
    observer.lifted(backend, &lifted, &variables)?;
    let heads = clock.time("heads", || backend.compact(is_root::of(&lifted.nodes.depth)))?;
    let rows = clock.time("flatten", || flatten(backend, &lifted, &variables, &parameters))?;
    // Their memory is that of the columns to come.
    drop((lifted, variables));
    observer.flat(backend, &rows)?;
    let allocation = clock.time("allocate", || allocate(backend, &rows))?;
    observer.allocated(backend, &rows, &allocation)?;
    let frames = clock.time("frames", || frames(backend, &heads, &rows, &allocation))?;
    let code = clock.time("select", || select(backend, &rows, &allocation, &frames, &heads, entry))?;
    drop((rows, allocation));
    observer.selected(backend, &frames, &code)?;
    let layout = clock.time("link", || link(backend, &code.instructions, p))?;
    let words = clock.time("encode", || encode(backend, &code.instructions, &layout, p))?;
    let mut image = clock.time("download", || image(backend, tree, prelude, &code, &layout.positions, &words))?;

    if output == Output::Executable {
        if let Some(call) = image.calls.first() {
            return Err(Error::Undefined { name: call.name.clone() });
        }
        let main = image.symbols.iter().find(|symbol| symbol.global && symbol.name == "main");
        if let Some(at) = main.map(|main| main.offset_words) {
            stub::patch_start(&mut image.words, at);
        }
    }
    Ok(Compiled { image, timings: clock.timings })
}

fn upload<B: Backend>(backend: &B, tree: &Tree) -> treepar::Result<Nodes<B>> {
    Ok(Nodes {
        depth: backend.upload(&tree.depth)?,
        kind: backend.upload(&tree.kind)?,
        ty: backend.upload(&tree.ty)?,
        data: backend.upload(&tree.data)?,
    })
}

/// By function id: numbers of parameters, and the entries of what is not in the tree.
fn function_table<B: Backend>(
    backend: &B,
    tree: &Tree,
    prelude: &Prelude,
) -> treepar::Result<(B::Vec<u32>, B::Vec<u32>)> {
    let parameters: Vec<u32> = tree.functions.iter().map(|function| function.parameters).collect();
    let mut entry = vec![EXTERN; tree.functions.len()];
    for id in 0..runtime::COUNT {
        if let Some(word) = prelude.entry(id) {
            entry[id as usize] = STUB + word;
        }
    }
    Ok((backend.upload(&parameters)?, backend.upload(&entry)?))
}

/// Functions are the roots; the nodes of each are as many as its rows, so that its first row has its node's number.
#[device(compact)]
fn is_root(i: usize, depth: &[u32]) -> bool {
    depth[i] == 0
}

#[device(compact)]
fn is_extern_call(i: usize, instructions: &[Instruction]) -> bool {
    instructions[i].op == CALL_EXTERN
}

/// Word and function of an extern call.
#[device(map)]
fn extern_call(i: usize, calls: &[u32], instructions: &[Instruction], positions: &[u32]) -> (u32, u32) {
    let call = calls[i] as usize;
    (positions[call], instructions[call].imm)
}

/// The first word of each root.
#[device(map)]
fn start_word(f: usize, starts: &[u32], positions: &[u32], words: u32) -> u32 {
    let start = starts[f] as usize;
    if start < positions.len() { positions[start] } else { words }
}

/// Brings the words to the host, behind those of the prelude, with symbols and calls of other objects.
fn image<B: Backend>(
    backend: &B,
    tree: &Tree,
    prelude: Prelude,
    code: &Code<B>,
    positions: &B::Vec<u32>,
    words: &B::Vec<u32>,
) -> treepar::Result<Image> {
    let p = prelude.words.len() as u32;
    let ids = backend.download(&code.ids)?;
    let starts = backend.map(start_word::of(&code.starts, positions, words.len() as u32))?;
    let starts = backend.download(&starts)?;
    let found = backend.compact(is_extern_call::of(&code.instructions))?;
    let (at, callee) = backend.map(extern_call::of(&found, &code.instructions, positions))?;
    let calls = backend.download(&at)?.into_iter().zip(backend.download(&callee)?);

    let mut image = Image { words: backend.download(words)?, symbols: prelude.symbols, calls: Vec::new() };
    image.words.splice(0..0, prelude.words);
    for (i, (&id, &start)) in ids.iter().zip(&starts).enumerate() {
        let Some(function) = tree.functions.get(id as usize) else { continue };
        let end = starts.get(i + 1).copied().unwrap_or(words.len() as u32);
        image.symbols.push(Symbol {
            name: function.name.clone(),
            offset_words: p + start,
            size_words: end - start,
            global: function.linkage == Linkage::Global,
        });
    }
    for (at, id) in calls {
        image.calls.push(Call { offset_words: p + at, name: tree.functions[id as usize].name.clone() });
    }
    Ok(image)
}
