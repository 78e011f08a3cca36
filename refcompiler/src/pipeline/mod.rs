//! The pipeline: from the tree to the words, as one list of passes. [`check`] and [`listing`] observe it.
//!
//! Columns stay on the backend from the upload of the tree to the download of the words. Between these only single
//! numbers and the digit counts of sorts reach the host: totals, counts, and whether an offset decreases or a jump grows.
//!
//! A CPU runs the list on [parts] of the program, so that the columns of a part are in a core's cache. The passes do not
//! know about parts.

pub mod backends;
pub mod check;
pub mod columns;
mod debug;
mod entries;
mod image;
mod interface;
pub mod listing;
pub mod parts;
pub mod settings;
mod shared;

use std::time::{Duration, Instant};

use treepar::Backend;
use treepar::backend::Counters;
use treepar::device::ColumnVisitor;

use crate::ir::frame::Frames;
use crate::ir::instruction::{Code, Layout, Words};
use crate::ir::nodes::{Functions, Lifted, Nodes, Structure, Variables};
use crate::ir::positions::Positions;
use crate::ir::program::{Program, nodes_per_part};
use crate::ir::row_form::RowForm;
use crate::ir::rows::{Heads, Located, Rows};
use crate::ir::table::Table;
use crate::ir::tree::Tree;
use crate::object::Image;
use crate::passes::allocate::allocate;
use crate::passes::arrays::arrays;
use crate::passes::checks::checks;
use crate::passes::contexts::contexts;
use crate::passes::dead::dead;
use crate::passes::flatten::{flatten, heads};
use crate::passes::folding::folding;
use crate::passes::frames::frames;
use crate::passes::fusion::fusion;
use crate::passes::inlining::inlining;
use crate::passes::lift::lift;
use crate::passes::loops::loops;
use crate::passes::lower::lower;
use crate::passes::motion::motion;
use crate::passes::multiloops::multiloops;
use crate::passes::registers::registers;
use crate::passes::strength::strength;
use crate::passes::structs::structs;
use crate::passes::structure::structure;
use crate::passes::variables::variables;
use crate::passes::vectors::vectors;
use crate::target::Target;
use parts::{HostTree, Input, Uses, compile_parts, cut};
use settings::Settings;
use shared::Shared;

/// The kind of file to compile to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A program that begins at `main`.
    Executable,
    /// An object file for a linker.
    Object,
}

/// A kind of file for a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The processor.
    pub target: Target,
    /// The kind of file.
    pub output: Output,
}

/// A file for RISC-V, on every machine: the results of the library do not depend on the machine. [`Target::of_host`] has the target
/// that `refc` takes if this machine can run its programs.
impl From<Output> for Goal {
    fn from(output: Output) -> Goal {
        Goal { target: Target::Riscv32, output }
    }
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
    /// Returns whether it looks at tables. Then all passes run on the whole program.
    fn is_active(&self) -> bool {
        true
    }
    /// Called after each pass.
    fn after(&mut self, _backend: &B, _after: &After<'_, B>) -> Result<(), Error> {
        Ok(())
    }
}

/// Sees nothing.
impl<B: Backend> Observer<B> for () {
    fn is_active(&self) -> bool {
        false
    }
}

/// Declares the list of passes. From it come the tables that observers see, the names in timings and listings, and the
/// order in which passes run. A pass that takes a table by value frees its memory for the passes after it. A pass with a
/// condition runs only if the program [uses](parts::Uses) that; otherwise observers see the table before it. The passes before and after `each` run on
/// all parts together, and have no body here.
macro_rules! passes {
    (
        before { $($(#[$first_doc:meta])* $first:ident $first_name:literal: $first_table:ident;)* }
        each($backend:ident, $target:ident, $cpu:ident, $input:ident, $shared:ident, $uses:ident, $positions:ident) -> $result:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident $name:literal $(if $condition:ident)?: $binding:ident: $table:ident = $run:expr;
            )*
        }
        after { $($(#[$last_doc:meta])* $last:ident $last_name:literal: $last_table:ident;)* }
    ) => {
        /// The table that a pass has left.
        #[allow(missing_docs, reason = "the names of passes")]
        pub enum After<'a, B: Backend> {
            $($first(&'a $first_table<B>),)*
            $($variant(&'a $table<B>),)*
            $($last(&'a $last_table<B>),)*
        }

        /// The names of the passes, in order.
        pub const PASSES: &[&str] = &[$($first_name,)* $($name,)* $($last_name),*];

        impl<B: Backend> After<'_, B> {
            /// Returns the name of the pass.
            pub fn pass(&self) -> &'static str {
                match self {
                    $(After::$first(_) => $first_name,)*
                    $(After::$variant(_) => $name,)*
                    $(After::$last(_) => $last_name,)*
                }
            }
        }

        impl<B: Backend> Table<B> for After<'_, B> {
            fn visit(&self, visitor: &mut impl ColumnVisitor<B>) {
                match self {
                    $(After::$first(table) => Table::visit(*table, visitor),)*
                    $(After::$variant(table) => Table::visit(*table, visitor),)*
                    $(After::$last(table) => Table::visit(*table, visitor),)*
                }
            }
        }

        /// Runs the passes on a part. Returns the positions of its rows too.
        fn run_each<B: Backend>(
            clock: &mut Clock<'_, B>,
            settings: Settings<'_>,
            mut $input: Input<'_, B>,
            $shared: &Shared<B>,
            observer: &mut dyn Observer<B>,
        ) -> Result<(Code<B>, Positions<B>), Error> {
            let $backend = clock.backend;
            let $target = settings.goal.target;
            let $uses = $input.uses().with(settings.optimisations, $target);
            let $cpu = settings.cpu;
            let mut $positions = clock.time("upload", || $input.positions($backend, settings))?;
            $(
                let $binding = $(if !$uses.$condition { $binding } else)? { clock.time($name, || $run)? };
                observer.after($backend, &After::$variant(&$binding))?;
            )*
            Ok(($result, $positions))
        }
    };
}

passes! {
    before {
        Interface "interface": Nodes;
        FunctionTable "function table": Functions;
    }
    each(backend, target, cpu, input, shared, uses, positions) -> code {
        Upload "upload":         nodes: Nodes = input.nodes(backend);
        Inlining "inlining" if inlining: nodes: Nodes = inlining(backend, nodes, &shared.library, &shared.effects, &mut positions);
        Multiloops "multiloops" if loops: nodes: Nodes = multiloops(backend, nodes, uses.composites, &mut positions);
        Fusion "fusion" if fusion: nodes: Nodes = fusion(backend, nodes, &shared.effects, &mut positions);
        Loops "loops" if loops:  nodes: Nodes = loops(backend, nodes, uses.composites, uses.fusion, &mut positions);
        Structs "structs" if structs: nodes: Nodes = structs(backend, nodes, uses.composites, &mut positions);
        Arrays "arrays" if arrays: nodes: Nodes = arrays(backend, nodes, &mut positions);
        Vectors "vectors" if vectors: nodes: Nodes = vectors(backend, nodes, cpu, uses.unrolling, &mut positions);
        Contexts "contexts" if contexts: nodes: Nodes = contexts(backend, nodes, &mut positions);
        Folding "folding" if folding: nodes: Nodes = folding(backend, nodes, &mut positions);
        Dead "dead" if dead: nodes: Nodes = dead(backend, nodes, &mut positions);
        Checks "checks" if checks: nodes: Nodes = checks(backend, nodes, &mut positions);
        Motion "motion" if motion: nodes: Nodes = motion(backend, nodes, &mut positions);
        Strength "strength" if strength: nodes: Nodes = strength(backend, nodes, &mut positions);
        Structure "structure":   shape: Structure = structure(backend, &nodes.depth);
        Lift "lift":             lifted: Lifted = lift(backend, nodes, shape, shared.functions.len(), &mut positions);
        Registers "registers" if registers: lifted: Lifted = registers(backend, target, lifted);
        Variables "variables":   variables: Variables = variables(backend, target, &lifted);
        Heads "heads":           heads: Heads = heads(backend, &lifted);
        Flatten "flatten":       rows: Rows = flatten(backend, RowForm::of(target, uses.registers), lifted, variables, &shared.functions, &mut positions);
        Allocate "allocate":     rows: Located = allocate(backend, target, uses.registers, rows);
        Frames "frames":         frames: Frames = frames(backend, target, uses.registers, &heads, &rows);
        Lower "lower":           code: Code = lower(backend, target, rows, frames, heads);
    }
    after {
        Link "link":             Layout;
        Encode "encode":         Words;
    }
}

/// A compiled program and the cost of each pass.
pub struct Compiled {
    /// Code, symbols and calls of other objects.
    pub image: Image,
    /// The passes in order. Times of parts are added up.
    pub timings: Vec<Timing>,
}

/// Measures passes.
struct Clock<'a, B> {
    backend: &'a B,
    /// `true` if one part is larger than all others together.
    is_uneven: bool,
    timings: Vec<Timing>,
}

impl<'a, B: Backend> Clock<'a, B> {
    fn new(backend: &'a B, is_uneven: bool) -> Clock<'a, B> {
        Clock { backend, is_uneven, timings: Vec::new() }
    }

    fn time<T>(&mut self, pass: &'static str, work: impl FnOnce() -> Result<T, treepar::Error>) -> Result<T, Error> {
        let before = self.backend.counters();
        let start = Instant::now();
        let result = work()?;
        // A GPU that waits when it counts has finished the work only then.
        let after = self.backend.counters();
        let time = start.elapsed();
        let work = Counters { templates: after.templates - before.templates, bytes: after.bytes - before.bytes };
        self.add(Timing { pass, time, work });
        Ok(result)
    }

    /// Adds to the cost of a pass.
    fn add(&mut self, timing: Timing) {
        let Some(sum) = self.timings.iter_mut().find(|sum| sum.pass == timing.pass) else {
            return self.timings.push(timing);
        };
        sum.time += timing.time;
        sum.work.templates += timing.work.templates;
        sum.work.bytes += timing.work.bytes;
    }
}

/// Compiles a checked program in host memory: every pass from the tree to the image. An [`Output`] alone is for RISC-V.
///
/// # Errors
/// [`Error::Treepar`] if the program is too large for the library or its machine, or the machine failed.
/// [`Error::Undefined`] if an executable calls a function that no input defines. Errors of the observer, such as
/// [`Error::Invariant`].
pub fn compile<'s, B: Backend>(
    backend: &B,
    tree: &Tree,
    settings: impl Into<Settings<'s>>,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    compile_in_parts(backend, tree, settings, least_nodes(backend, tree, observer), observer)
}

/// Returns the least number of nodes of each part of a tree. An observer that looks at tables sees the whole program.
fn least_nodes<B: Backend>(backend: &B, tree: &Tree, observer: &dyn Observer<B>) -> usize {
    if observer.is_active() { usize::MAX } else { nodes_per_part(backend, tree) }
}

/// As [`compile`], in parts of at least `nodes` nodes. An observer that looks at tables sees the tables of one part only.
///
/// # Errors
/// As [`compile`].
pub fn compile_in_parts<'s, B: Backend>(
    backend: &B,
    tree: &Tree,
    settings: impl Into<Settings<'s>>,
    nodes: usize,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    let parts = cut(HostTree::Borrowed(tree), Uses::of(tree, &tree.composites), nodes);
    compile_parts(backend, parts, &tree.functions, settings.into(), observer)
}

/// As [`compile`], and frees the tree as soon as the backend has its nodes.
///
/// # Errors
/// As [`compile`].
pub fn compile_owned<'s, B: Backend>(
    backend: &B,
    mut tree: Tree,
    settings: impl Into<Settings<'s>>,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    let settings = settings.into();
    let (functions, composites) = (std::mem::take(&mut tree.functions), std::mem::take(&mut tree.composites));
    if settings.lines.is_none() {
        tree.pos = Vec::new();
    }
    let (uses, nodes) = (Uses::of(&tree, &composites), least_nodes(backend, &tree, observer));
    compile_parts(backend, cut(HostTree::Shared(tree.into()), uses, nodes), &functions, settings, observer)
}

/// Compiles a checked program on its backend.
///
/// # Errors
/// As [`compile`].
pub fn compile_program<'s, B: Backend>(
    backend: &B,
    program: Program<B>,
    settings: impl Into<Settings<'s>>,
    observer: &mut dyn Observer<B>,
) -> Result<Compiled, Error> {
    let settings = settings.into();
    let program = if observer.is_active() { program.whole(backend)? } else { program };
    let Program { parts, positions, functions, arrays, loops, .. } = program;
    let uses = Uses { arrays, loops, ..Uses::default() };
    let parts = parts.into_iter().zip(positions);
    let parts = parts.map(|(nodes, positions)| Input::Backend(nodes, positions, uses)).collect();
    compile_parts(backend, parts, &functions, settings, observer)
}
