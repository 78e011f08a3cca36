//! The pipeline: from the tree to the words, as one list of passes. [`check`] and [`listing`] observe it.
//!
//! Columns stay on the backend from the upload of the tree to the download of the words. Between these only single
//! numbers and the digit counts of sorts reach the host: totals, counts, and whether an offset decreases or a jump grows.

pub mod backends;
pub mod check;
pub mod columns;
pub mod listing;

use std::time::{Duration, Instant};

use treepar::Backend;
use treepar::backend::Counters;
use treepar::device::{ColumnVisitor, device};

use crate::ir::frame::Frames;
use crate::ir::instruction::{CALL_EXTERN, Code, EXTERN, JumpId, Jumps, Layout, STUB, Words, position};
use crate::ir::kinds::{Kind, Type};
use crate::ir::nodes::{Functions, HostFunctions, Lifted, Nodes, Structure, Variables};
use crate::ir::program::Program;
use crate::ir::rows::{Heads, Located, Rows};
use crate::ir::table::Table;
use crate::ir::tree::{self, Linkage, Tree, runtime};
use crate::object::{Call, Image, Symbol};
use crate::passes::allocate::allocate;
use crate::passes::flatten::{flatten, heads};
use crate::passes::frames::frames;
use crate::passes::lift::lift;
use crate::passes::link::link;
use crate::passes::lower::lower;
use crate::passes::lower::words::encode;
use crate::passes::structure::structure;
use crate::passes::variables::variables;
use crate::target::riscv::stub::{self, Prelude};

/// The kind of file to compile to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A program that begins at `main`.
    Executable,
    /// An object file for a linker.
    Object,
}

/// The reason why a checked program could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A size is beyond the limits of the library or the machine, or the machine failed.
    #[error(transparent)]
    Treepar(#[from] treepar::Error),
    /// An executable calls a function that no input defines.
    #[error("no input defines the function `{name}`, which is declared `extern`: link with `-c` and a linker")]
    Undefined {
        /// The function.
        name: String,
    },
    /// A pass left a table that breaks an invariant of the next pass: a bug of the compiler, found by `--check-passes`.
    #[error("after pass `{pass}`: {what}")]
    Invariant {
        /// The pass.
        pass: &'static str,
        /// The row, and the invariant that it breaks.
        what: String,
    },
}

/// The cost of one pass.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The pass.
    pub pass: &'static str,
    /// The time it took.
    pub time: Duration,
    /// The templates it ran and the bytes they moved.
    pub work: Counters,
}

/// Sees each table when its pass has ended: a listing, a checker.
pub trait Observer<B: Backend> {
    /// Called after each pass.
    fn after(&mut self, _backend: &B, _after: &After<'_, B>) -> Result<(), Error> {
        Ok(())
    }
}

/// Sees nothing.
impl<B: Backend> Observer<B> for () {}

/// Declares the list of passes. From it come the tables that observers see, the names in timings and listings, and the
/// order in which passes run. A pass that takes a table by value frees its memory for the passes after it.
macro_rules! passes {
    (
        ($backend:ident, $input:ident, $functions:ident, $prelude:ident) -> $result:expr;
        $($(#[$doc:meta])* $variant:ident $name:literal: $binding:ident: $table:ident = $run:expr;)*
    ) => {
        /// The table that a pass has left.
        #[allow(missing_docs, reason = "the names of passes")]
        pub enum After<'a, B: Backend> {
            $($variant(&'a $table<B>),)*
        }

        /// The names of the passes, in order.
        pub const PASSES: &[&str] = &[$($name),*];

        impl<B: Backend> After<'_, B> {
            /// Returns the name of the pass.
            pub fn pass(&self) -> &'static str {
                match self {
                    $(After::$variant(_) => $name,)*
                }
            }
        }

        impl<B: Backend> Table<B> for After<'_, B> {
            fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
                match self {
                    $(After::$variant(table) => Table::visit(*table, visitor),)*
                }
            }
        }

        fn run<B: Backend>(
            $backend: &B,
            $input: Input<'_, B>,
            $functions: &[tree::Function],
            $prelude: &Prelude,
            clock: &mut Clock<'_, B>,
            observer: &mut dyn Observer<B>,
        ) -> Result<(Code<B>, Layout<B>, Words<B>), Error> {
            $(
                let $binding = clock.time($name, || $run)?;
                observer.after($backend, &After::$variant(&$binding))?;
            )*
            Ok($result)
        }
    };
}

passes! {
    (backend, input, table, prelude) -> (code, layout, words);
    Upload "upload":                 nodes: Nodes = input.nodes(backend);
    FunctionTable "function table":  functions: Functions = function_table(backend, table, prelude);
    Structure "structure":           shape: Structure = structure(backend, &nodes.depth);
    Lift "lift":                     lifted: Lifted = lift(backend, nodes, shape, table.len());
    Variables "variables":           variables: Variables = variables(backend, &lifted);
    Heads "heads":                   heads: Heads = heads(backend, &lifted);
    Flatten "flatten":               rows: Rows = flatten(backend, lifted, variables, &functions);
    Allocate "allocate":             rows: Located = allocate(backend, rows);
    Frames "frames":                 frames: Frames = frames(backend, &heads, &rows);
    Lower "lower":                   code: Code = lower(backend, rows, frames, heads, functions);
    Link "link":                     layout: Layout = link(backend, &code.selected.length, &code.jumps, prelude.words.len() as u32);
    Encode "encode":                 words: Words = encode(backend, &code, &layout, prelude.words.len() as u32);
}

/// A compiled program and the cost of each pass.
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
        // A GPU that waits when it counts has finished the work only then.
        let after = self.backend.counters();
        let time = start.elapsed();
        let work = Counters { templates: after.templates - before.templates, bytes: after.bytes - before.bytes };
        self.timings.push(Timing { pass, time, work });
        Ok(result)
    }
}

/// The nodes of a program, in host memory or on the backend.
enum Input<'a, B: Backend> {
    Host(&'a Tree),
    Backend(Nodes<B>),
}

impl<B: Backend> Input<'_, B> {
    /// Returns the nodes on the backend.
    fn nodes(self, backend: &B) -> treepar::Result<Nodes<B>> {
        match self {
            Input::Backend(nodes) => Ok(nodes),
            Input::Host(tree) => Ok(Nodes {
                depth: backend.upload(&tree.depth)?,
                kind: backend.upload(bytemuck::cast_slice::<u8, Kind>(&tree.kind))?,
                ty: backend.upload(bytemuck::cast_slice::<u8, Type>(&tree.ty))?,
                data: backend.upload(&tree.data)?,
            }),
        }
    }
}

/// Compiles a checked program in host memory: every pass from the tree to the image.
///
/// # Errors
/// [`Error::Treepar`] if the program is too large for the library or its machine, or the machine failed.
/// [`Error::Undefined`] if an executable calls a function that no input defines. Errors of the observer, such as
/// [`Error::Invariant`].
pub fn compile<B: Backend>(
    backend: &B,
    tree: &Tree,
    output: Output,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    compile_input(backend, Input::Host(tree), &tree.functions, output, observer)
}

/// Compiles a checked program on its backend.
///
/// # Errors
/// As [`compile`].
pub fn compile_program<B: Backend>(
    backend: &B,
    program: Program<B>,
    output: Output,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    let Program { nodes, functions, .. } = program;
    compile_input(backend, Input::Backend(nodes), &functions, output, observer)
}

fn compile_input<B: Backend>(
    backend: &B,
    input: Input<'_, B>,
    functions: &[tree::Function],
    output: Output,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    let prelude = stub::prelude(output == Output::Executable, |id| functions[id as usize].linkage == Linkage::Stub);
    let mut clock = Clock { backend, timings: Vec::new() };
    let tables = run(backend, input, functions, &prelude, &mut clock, observer)?;
    let mut image = clock.time("download", || image(backend, functions, prelude, &tables))?;

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

fn function_table<B: Backend>(
    backend: &B,
    functions: &[tree::Function],
    prelude: &Prelude,
) -> treepar::Result<Functions<B>> {
    let entry = |id: u32| if id < runtime::COUNT { prelude.entry(id) } else { None };
    let host = HostFunctions {
        parameters: functions.iter().map(|function| function.parameters).collect(),
        entry: (0..functions.len() as u32).map(|id| entry(id).map_or(EXTERN, |word| STUB + word)).collect(),
    };
    Functions::upload(backend, &host)
}

#[device(compact)]
fn is_extern_call(j: JumpId, jumps: &Jumps) -> bool {
    jumps.first[j].op == CALL_EXTERN
}

/// Returns the word and the function of a call of another object.
#[device(map)]
fn extern_call(i: usize, calls: &[u32], jumps: &Jumps, positions: &[u32], prelude: u32) -> (u32, u32) {
    let j = JumpId::new(calls[i]);
    (position(jumps.row[j], positions, prelude) + jumps.before[j], jumps.first[j].imm)
}

/// Returns the first word of function `f`.
#[device(map)]
fn start_word(f: usize, starts: &[u32], positions: &[u32], prelude: u32) -> u32 {
    position(starts[f], positions, prelude)
}

/// Downloads the words, and adds the prelude, the symbols and the calls of other objects.
fn image<B: Backend>(
    backend: &B,
    functions: &[tree::Function],
    prelude: Prelude,
    (code, layout, words): &(Code<B>, Layout<B>, Words<B>),
) -> treepar::Result<Image> {
    let p = prelude.words.len() as u32;
    let Layout { positions, words: end } = layout;
    let ids = backend.download(&code.ids)?;
    let starts = backend.map(start_word::of(&code.starts, positions, p))?;
    let starts = backend.download(&starts)?;
    let found = backend.compact(is_extern_call::of(&code.jumps))?;
    let (at, callee) = backend.map(extern_call::of(&found, &code.jumps, positions, p))?;
    let calls = backend.download(&at)?.into_iter().zip(backend.download(&callee)?);

    let mut image = Image { words: backend.download(&words.words)?, symbols: prelude.symbols, calls: Vec::new() };
    image.words[..p as usize].copy_from_slice(&prelude.words);
    for (i, (&id, &start)) in ids.iter().zip(&starts).enumerate() {
        let Some(function) = functions.get(id as usize) else { continue };
        image.symbols.push(Symbol {
            name: function.name.clone(),
            offset_words: start,
            size_words: starts.get(i + 1).unwrap_or(end) - start,
            global: function.linkage == Linkage::Global,
        });
    }
    for (at, id) in calls {
        image.calls.push(Call { offset_words: at, name: functions[id as usize].name.clone() });
    }
    Ok(image)
}
