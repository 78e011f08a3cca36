//! The Key paper's section 6: flattening expressions, by depth and branching of the tree.
//!
//! Inner nodes are expressions and leaves are variables. Flattening gives each expression a group of rows: its head and
//! its parts. A nested expression is replaced by a reference, and its own group comes earlier. All variants must
//! compute the same rows.

pub mod claims;
mod parallel;
mod recursive;
pub mod report;
mod slices;
mod trees;

use treepar::ancestor::Of;
use treepar::depth::Depths;
use treepar::path::{Encoding, PathMatrix};

use benches::failure::Failure;

use crate::frame::backends::{Backends, Timed};
use crate::frame::sweep::{Label, Sweep, with_backends};
use parallel::{Flat, by_flatten, by_inner_product, by_key};
use recursive::Row;
use trees::{BoxedTree, full_tree, nodes_of};

/// The limit of depth and branching, exclusive.
pub const MOST: u32 = 32;

/// The maximum number of entries of a path matrix: 256 MB, and as much for temporary columns.
const MATRIX_ENTRIES: usize = 64_000_000;

/// The maximum number of row products of the general inner product.
const INNER_PRODUCTS: usize = 200_000_000;

/// The maximum memory per node in bytes: a boxed tree and two lists of rows, or treepar's columns and one list.
const BYTES_PER_NODE: f64 = 140.0;

/// The experiments' names in the record: the times, and the bytes that flattening moves.
pub const FIGURE: &str = "figure 1";
pub const BYTES: &str = "bytes moved";

/// A recursive form's names in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The form as part of a sentence.
    pub name: &'static str,
    /// From its natural input: the tree with its lists of children, built before the clock starts.
    pub from_tree: &'static str,
    /// From the vector of depths, as treepar: each run builds the tree first.
    pub from_depths: &'static str,
}

/// The recursive forms.
pub const FUNCTIONAL: Form =
    Form { name: "functional", from_tree: "functional", from_depths: "functional, from depths" };
pub const ACCUMULATING: Form =
    Form { name: "accumulating", from_tree: "accumulating", from_depths: "accumulating, from depths" };

/// The names in the record of treepar's variants on one backend.
#[derive(Clone, Copy)]
pub struct Ours {
    /// Flattening without a matrix.
    pub nearest: &'static str,
    /// An index path matrix and Key.
    pub index: &'static str,
    /// The construction of the index path matrix.
    pub matrix: Option<&'static str>,
    /// An ordinal path matrix and the general inner product.
    pub ordinal: &'static str,
}

/// The variants on all cores.
pub const ALL_CORES: Ours = Ours {
    nearest: "flatten",
    index: "index path matrix",
    matrix: Some("making the index path matrix"),
    ordinal: "ordinal path matrix, inner product",
};
/// The variants on one thread.
pub const ONE_THREAD: Ours = Ours {
    nearest: "flatten, one thread",
    index: "index path matrix, one thread",
    matrix: None,
    ordinal: "ordinal path matrix, inner product, one thread",
};
/// The variants on a GPU.
pub const GPU: Ours = Ours {
    nearest: "flatten, GPU",
    index: "index path matrix, GPU",
    matrix: Some("making the index path matrix, GPU"),
    ordinal: "ordinal path matrix, inner product, GPU",
};

/// Measures all variants on all trees that fit into memory.
pub fn measure<G: Timed>(sweep: &mut Sweep, backends: &Backends<G>) -> Result<(), String> {
    let limit = sweep.options.nodes();
    let cases: Vec<(u32, u32, usize)> = (0..MOST)
        .flat_map(|depth| (0..MOST).map(move |branching| (depth, branching)))
        .filter_map(|(depth, branching)| Some((depth, branching, nodes_of(depth, branching, limit)?)))
        .collect();
    let weight = |n: usize| n as u64 + 20_000;
    sweep.plan(cases.iter().map(|case| weight(case.2)).sum());
    for (depth, branching, n) in cases {
        if sweep.is_interrupted() {
            return Ok(());
        }
        let is_new = sweep.case(format!("depth {depth}, branching {branching}, {n} nodes"));
        if is_new && sweep.has_room(&format!("depth {depth}, branching {branching}"), BYTES_PER_NODE * n as f64) {
            one_tree(sweep, backends, depth, branching, n)?;
            sweep.keep()?;
        }
        sweep.step(weight(n));
    }
    Ok(())
}

/// Measures all variants on one tree and checks that they compute the same rows.
fn one_tree<G: Timed>(
    sweep: &mut Sweep,
    backends: &Backends<G>,
    depth: u32,
    branching: u32,
    n: usize,
) -> Result<(), String> {
    let (depths, is_expression) = full_tree(depth, branching);
    let case = format!("{depth},{branching}");
    let numbers = [("depth", f64::from(depth)), ("branching", f64::from(branching)), ("nodes", n as f64)];
    let label = |variant| Label { experiment: FIGURE, case: &case, variant, stage: "" };

    // The recursive forms run on the main thread, because the system's allocator is slower for small allocations on
    // others.
    let boxed = BoxedTree::new(&depths, &is_expression);
    let expected = recursive::functional(&boxed);
    sweep.measure(&label(FUNCTIONAL.from_tree), &numbers, || {
        std::hint::black_box(recursive::functional(&boxed));
        Ok::<(), String>(())
    })?;
    drop(boxed);
    sweep.measure(&label(FUNCTIONAL.from_depths), &numbers, || {
        std::hint::black_box(recursive::functional(&BoxedTree::new(&depths, &is_expression)));
        Ok::<(), String>(())
    })?;
    let (mut arena, mut rows) = (trees::Arena::default(), Vec::new());
    arena.build(&depths, &is_expression);
    recursive::accumulating(&arena, &mut rows);
    if rows != expected {
        return Err(format!("depth {depth}, branching {branching}: the recursive forms differ"));
    }
    sweep.measure(&label(ACCUMULATING.from_tree), &numbers, || {
        recursive::accumulating(&arena, &mut rows);
        std::hint::black_box(&rows);
        Ok::<(), String>(())
    })?;
    sweep.measure(&label(ACCUMULATING.from_depths), &numbers, || {
        arena.build(&depths, &is_expression);
        recursive::accumulating(&arena, &mut rows);
        std::hint::black_box(&rows);
        Ok::<(), String>(())
    })?;
    drop((arena, rows));

    let input = Input { depths: &depths, is_expression: &is_expression, expected: &expected };
    let name = format!("depth {depth}, branching {branching}");
    if backends.has_cpu {
        let measured = with_backends(|cpu, one| {
            let mut case = Case { sweep, label: &label, numbers: &numbers, input: &input };
            case.ours(cpu, &ALL_CORES)?;
            case.ours(one, &ONE_THREAD)
        });
        sweep.unless_full(&name, measured)?;
    }
    if let Some(gpu) = &backends.gpu {
        let measured = Case { sweep, label: &label, numbers: &numbers, input: &input }.ours(gpu, &GPU);
        sweep.unless_full(&format!("{name}, on the GPU"), measured)?;
    }
    Ok(())
}

/// The input of treepar's variants, and the expected rows.
struct Input<'a> {
    depths: &'a [u32],
    is_expression: &'a [u8],
    expected: &'a [Row],
}

/// The measurement of one tree.
struct Case<'a, L> {
    sweep: &'a mut Sweep,
    label: &'a L,
    numbers: &'a [(&'a str, f64)],
    input: &'a Input<'a>,
}

impl<'l, L: Fn(&'static str) -> Label<'l>> Case<'_, L> {
    /// Measures treepar's variants on one backend. The input is uploaded before the clock starts.
    fn ours<B: Timed>(&mut self, backend: &B, names: &Ours) -> Result<(), Failure> {
        let input = self.input;
        let forest = Depths::new(backend.upload(input.depths)?)?;
        let mark = backend.upload(input.is_expression)?;
        self.variant(names.nearest, backend, || by_flatten(&forest, &mark))?;
        let before = backend.counters().bytes;
        drop(by_flatten(&forest, &mark)?);
        let moved = (backend.counters().bytes - before) as f64 / input.depths.len() as f64;
        let label = Label { experiment: BYTES, ..(self.label)(names.nearest) };
        self.sweep.add(&label, &[self.numbers, &[("bytes per node", moved)]].concat(), Vec::new());

        let height = input.depths.iter().max().map_or(0, |&deepest| deepest as usize + 1);
        let entries = input.depths.len().saturating_mul(height);
        if entries > MATRIX_ENTRIES || self.sweep.is_interrupted() {
            return Ok(());
        }
        let index = PathMatrix::new(&forest, Encoding::Index)?;
        if let Some(matrix) = names.matrix {
            self.time(matrix, backend, || PathMatrix::new(&forest, Encoding::Index))?;
        }
        self.variant(names.index, backend, || by_key::<B>(&mark, index.nearest_marked(&mark, Of::Exclusive)?))?;

        let expressions = input.is_expression.iter().filter(|&&e| e != 0).count();
        if entries.saturating_mul(expressions) > INNER_PRODUCTS {
            return Ok(());
        }
        let ordinal = PathMatrix::new(&forest, Encoding::Ordinal)?;
        self.variant(names.ordinal, backend, || by_inner_product::<B>(&ordinal, &mark))
    }

    /// Checks that a variant computes the expected rows, and times it.
    fn variant<B: Timed>(
        &mut self,
        name: &'static str,
        backend: &B,
        work: impl Fn() -> treepar::Result<Flat<B>>,
    ) -> Result<(), Failure> {
        if !work()?.is(backend, self.input.expected)? {
            return Err(Failure::Other(format!("`{name}` differs from the functional form")));
        }
        self.time(name, backend, work)
    }

    /// Times some work, including the wait for its end.
    fn time<B: Timed, T>(
        &mut self,
        name: &'static str,
        backend: &B,
        work: impl Fn() -> treepar::Result<T>,
    ) -> Result<(), Failure> {
        self.sweep.measure(&(self.label)(name), self.numbers, || {
            drop(work()?);
            Ok(backend.synchronize()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use treepar::Cpu;

    use super::*;
    use crate::frame::options::Options;
    use crate::frame::record::Record;

    /// Measures some trees, which checks every variant. `gpu` takes the role of the GPU.
    fn measured<G: Timed>(gpu: G, trees: &[(u32, u32)]) -> Record {
        let mut sweep = Sweep::new("key", &Options::smallest(), Some(gpu.name()));
        let backends = Backends { has_cpu: true, gpu: Some(gpu) };
        for &(depth, branching) in trees {
            let n = trees::nodes_of(depth, branching, usize::MAX).unwrap();
            one_tree(&mut sweep, &backends, depth, branching, n).unwrap();
        }
        for variant in [ALL_CORES, ONE_THREAD, GPU].map(|ours| [ours.nearest, ours.index, ours.ordinal]).as_flattened()
        {
            let of_variant = sweep.record().of(FIGURE).filter(|m| m.variant == *variant);
            assert_eq!(of_variant.count(), trees.len(), "{variant}");
        }
        sweep.record().clone()
    }

    #[test]
    fn all_variants_give_the_same_rows() {
        let trees = [(0, 0), (0, 3), (1, 1), (4, 1), (3, 2), (9, 2), (4, 7), (2, 31)];
        measured(Cpu::with_threads(2), &trees);
    }

    #[cfg(feature = "emulate")]
    #[test]
    #[ignore = "needs a C++ compiler"]
    fn all_variants_give_the_same_rows_on_the_emulator() {
        let emulated = treepar::backend::gpu::Emulated::new().expect("a C++ compiler");
        measured(emulated, &[(0, 0), (1, 1), (3, 2), (2, 31)]);
    }

    #[test]
    fn a_wrong_row_is_an_error() {
        let (depths, is_expression) = full_tree(3, 2);
        let mut expected = recursive::functional(&BoxedTree::new(&depths, &is_expression));
        expected[4].node += 1;
        let input = Input { depths: &depths, is_expression: &is_expression, expected: &expected };
        let mut sweep = Sweep::new("key", &Options::smallest(), None);
        let label = |variant| Label { experiment: FIGURE, case: "3,2", variant, stage: "" };
        let mut case = Case { sweep: &mut sweep, label: &label, numbers: &[], input: &input };
        let error = case.ours(&Cpu::with_threads(1), &GPU).unwrap_err();
        assert_eq!(error.to_string(), "`flatten, GPU` differs from the functional form");
    }

    #[test]
    fn the_report_mentions_a_gpu_only_if_the_record_has_one() {
        let text = |record: &Record| format!("{:?}", report::section(record).blocks);
        let mut record = measured(Cpu::with_threads(2), &[(5, 2), (4, 2)]);
        assert!(text(&record).contains("greatest, GPU") && text(&record).contains("key-speedup-functional-gpu"));
        record.measurements.retain(|m| !m.variant.contains("GPU"));
        assert!(!text(&record).contains("greatest, GPU") && !text(&record).contains("on the GPU"));
        assert!(!text(&record).contains("-gpu"));
    }

    #[test]
    fn the_papers_expression_is_flattened_as_published() {
        // v <- (a + b) / (c x d): its nested expressions, the last first, then the expression itself.
        let depths = [0, 1, 2, 2, 2, 1, 1, 2, 2, 2];
        let is_expression = [1, 1, 0, 0, 0, 0, 1, 0, 0, 0];
        let rows = recursive::functional(&BoxedTree::new(&depths, &is_expression));
        let nodes: Vec<u32> = rows.iter().map(|row| row.node).collect();
        assert_eq!(nodes, [6, 7, 8, 9, 1, 2, 3, 4, 0, 1, 5, 6]);
        let references = rows.iter().filter(|row| row.role == recursive::Role::Reference).count();
        assert_eq!(references, 2);
    }
}
