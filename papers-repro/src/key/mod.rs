//! The Key paper's section 6: flattening expressions by depth and branching of the tree.
//!
//! Every inner node is an expression, every leaf a variable. Flattening makes each expression a row of its own parts,
//! innermost first, with references where nested ones stood. All variants must give the same rows.

mod parallel;
mod recursive;
pub mod report;
mod trees;

use treepar::ancestor::Of;
use treepar::depth::Depths;
use treepar::path::{Encoding, PathMatrix};

use crate::frame::failure::Failure;
use crate::frame::machines::{Machines, Timed};
use crate::frame::sweep::{Place, Sweep, with_backends};
use parallel::{Flat, by_inner_product, by_key, by_lift};
use recursive::Row;
use trees::{BoxedTree, full_tree, nodes_of};

/// Depth and branching go from 0 to less than this.
pub const MOST: u32 = 32;

/// Entries beyond which a path matrix is not made: 256 MB with four bytes each, and as much between.
const MATRIX_ENTRIES: usize = 64_000_000;

/// Products of rows beyond which the general inner product is not taken.
const INNER_PRODUCTS: usize = 200_000_000;

/// Bytes of memory for each node, at most: the boxed tree and two lists of rows, or the columns of ours and one.
const MEMORY_A_NODE: f64 = 140.0;

/// The names of the recursive forms, as the record has them.
pub const FUNCTIONAL: &str = "functional";
pub const ACCUMULATING: &str = "accumulating";

/// Ours on a machine: the names of its variants, as the record has them.
#[derive(Clone, Copy)]
pub struct Ours {
    /// The nearest ancestor, found without a matrix.
    pub nearest: &'static str,
    /// An index path matrix and Key.
    pub index: &'static str,
    /// Making that matrix.
    pub matrix: Option<&'static str>,
    /// An ordinal path matrix and the general inner product.
    pub ordinal: &'static str,
}

/// On all cores.
pub const ALL_CORES: Ours = Ours {
    nearest: "nearest ancestor",
    index: "index path matrix",
    matrix: Some("making the index path matrix"),
    ordinal: "ordinal path matrix, inner product",
};
/// On one.
pub const ONE_THREAD: Ours = Ours {
    nearest: "nearest ancestor, one thread",
    index: "index path matrix, one thread",
    matrix: None,
    ordinal: "ordinal path matrix, inner product, one thread",
};
/// On a GPU.
pub const GPU: Ours = Ours {
    nearest: "nearest ancestor, GPU",
    index: "index path matrix, GPU",
    matrix: Some("making the index path matrix, GPU"),
    ordinal: "ordinal path matrix, inner product, GPU",
};

/// Measures all variants on all trees that fit.
pub fn measure<G: Timed>(sweep: &mut Sweep, machines: &Machines<G>) -> Result<(), String> {
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
        sweep.step(0, &format!("depth {depth}, branching {branching}, {n} nodes"));
        if sweep.has_room(&format!("depth {depth}, branching {branching}"), MEMORY_A_NODE * n as f64) {
            one_tree(sweep, machines, depth, branching, n)?;
            sweep.keep()?;
        }
        sweep.step(weight(n), "");
    }
    Ok(())
}

/// Measures all variants on a tree, and checks that they give the same rows.
fn one_tree<G: Timed>(
    sweep: &mut Sweep,
    machines: &Machines<G>,
    depth: u32,
    branching: u32,
    n: usize,
) -> Result<(), String> {
    let (depths, is_expression) = full_tree(depth, branching);
    let case = format!("{depth},{branching}");
    let numbers = [("depth", f64::from(depth)), ("branching", f64::from(branching)), ("nodes", n as f64)];
    let place = |variant| Place { experiment: "figure 1", case: &case, variant, stage: "" };

    // On the main thread: others get small pieces of memory more slowly from the system's allocator.
    let boxed = BoxedTree::new(&depths, &is_expression);
    let expected = recursive::functional(&boxed);
    sweep.measure(&place(FUNCTIONAL), &numbers, || {
        std::hint::black_box(recursive::functional(&boxed));
        Ok::<(), String>(())
    })?;
    drop(boxed);
    let arena = trees::Arena::new(&depths, &is_expression);
    if recursive::accumulating(&arena) != expected {
        return Err(format!("depth {depth}, branching {branching}: the recursive forms differ"));
    }
    sweep.measure(&place(ACCUMULATING), &numbers, || {
        std::hint::black_box(recursive::accumulating(&arena));
        Ok::<(), String>(())
    })?;
    drop(arena);

    let input = Input { depths: &depths, is_expression: &is_expression, expected: &expected };
    let name = format!("depth {depth}, branching {branching}");
    if machines.has_cpu {
        let measured = with_backends(|cpu, one| {
            Case { sweep, place: &place, numbers: &numbers, input: &input }.ours(&[(cpu, ALL_CORES), (one, ONE_THREAD)])
        });
        sweep.unless_full(&name, measured)?;
    }
    if let Some(gpu) = &machines.gpu {
        let measured = Case { sweep, place: &place, numbers: &numbers, input: &input }.ours(&[(gpu, GPU)]);
        sweep.unless_full(&format!("{name}, on the GPU"), measured)?;
    }
    Ok(())
}

/// What ours begins with, and what it must give.
struct Input<'a> {
    depths: &'a [u32],
    is_expression: &'a [u8],
    expected: &'a [Row],
}

/// A tree on the way into a record.
struct Case<'a, P> {
    sweep: &'a mut Sweep,
    place: &'a P,
    numbers: &'a [(&'a str, f64)],
    input: &'a Input<'a>,
}

impl<'p, P: Fn(&'static str) -> Place<'p>> Case<'_, P> {
    /// Measures ours on backends that share their columns. What they begin with is there before the clock starts.
    fn ours<B: Timed>(&mut self, backends: &[(&B, Ours)]) -> Result<(), Failure> {
        let Some(&(first, Ours { matrix, .. })) = backends.first() else { return Ok(()) };
        let input = self.input;
        let forest = Depths::new(first, first.upload(input.depths)?)?;
        let mark = first.upload(input.is_expression)?;
        for &(backend, Ours { nearest, .. }) in backends {
            self.variant(nearest, backend, || by_lift(backend, &forest, &mark))?;
        }

        let height = input.depths.iter().max().map_or(0, |&deepest| deepest as usize + 1);
        let entries = input.depths.len().saturating_mul(height);
        if entries > MATRIX_ENTRIES || self.sweep.is_interrupted() {
            return Ok(());
        }
        let index = PathMatrix::new(first, &forest, Encoding::Index)?;
        if let Some(matrix) = matrix {
            self.time(matrix, first, || PathMatrix::new(first, &forest, Encoding::Index))?;
        }
        for &(backend, Ours { index: variant, .. }) in backends {
            let owner = || index.nearest_marked(backend, &mark, Of::Above);
            self.variant(variant, backend, || by_key(backend, &mark, owner()?))?;
        }

        let expressions = input.is_expression.iter().filter(|&&e| e != 0).count();
        if entries.saturating_mul(expressions) > INNER_PRODUCTS {
            return Ok(());
        }
        let ordinal = PathMatrix::new(first, &forest, Encoding::Ordinal)?;
        for &(backend, Ours { ordinal: variant, .. }) in backends {
            self.variant(variant, backend, || by_inner_product(backend, &ordinal, &mark))?;
        }
        Ok(())
    }

    /// Checks that a variant gives the rows of the recursive forms, and times it.
    fn variant<B: Timed>(
        &mut self,
        name: &'static str,
        backend: &B,
        work: impl Fn() -> treepar::Result<Flat<B>>,
    ) -> Result<(), Failure> {
        if !work()?.is(backend, self.input.expected)? {
            return Err(Failure::Other(format!("`{name}` differs from the recursive forms")));
        }
        self.time(name, backend, work)
    }

    /// Times work until all of it is done.
    fn time<B: Timed, T>(
        &mut self,
        name: &'static str,
        backend: &B,
        work: impl Fn() -> treepar::Result<T>,
    ) -> Result<(), Failure> {
        self.sweep.measure(&(self.place)(name), self.numbers, || {
            drop(work()?);
            Ok(backend.synchronize()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use treepar::Cpu;

    use super::*;
    use crate::cli::Options;
    use crate::frame::record::Record;

    /// Measures a tree, which checks every variant, with `gpu` as the GPU.
    fn measured<G: Timed>(gpu: G, trees: &[(u32, u32)]) -> Record {
        let mut sweep = Sweep::new("key", &Options::smallest(), Some(gpu.name()));
        let machines = Machines { has_cpu: true, gpu: Some(gpu) };
        for &(depth, branching) in trees {
            let n = trees::nodes_of(depth, branching, usize::MAX).unwrap();
            one_tree(&mut sweep, &machines, depth, branching, n).unwrap();
        }
        for variant in [ALL_CORES, ONE_THREAD, GPU].map(|ours| [ours.nearest, ours.index, ours.ordinal]).as_flattened()
        {
            let of_it = sweep.record().measurements.iter().filter(|m| m.variant == *variant);
            assert_eq!(of_it.count(), trees.len(), "{variant}");
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
    fn all_variants_give_the_same_rows_on_a_gpu() {
        let emulated = treepar::backend::gpu::Emulated::new().expect("a C++ compiler");
        measured(emulated, &[(0, 0), (1, 1), (3, 2), (2, 31)]);
    }

    #[test]
    fn a_wrong_row_is_found() {
        let (depths, is_expression) = full_tree(3, 2);
        let mut expected = recursive::functional(&BoxedTree::new(&depths, &is_expression));
        expected[4].node += 1;
        let input = Input { depths: &depths, is_expression: &is_expression, expected: &expected };
        let mut sweep = Sweep::new("key", &Options::smallest(), None);
        let place = |variant| Place { experiment: "figure 1", case: "3,2", variant, stage: "" };
        let mut case = Case { sweep: &mut sweep, place: &place, numbers: &[], input: &input };
        let error = case.ours(&[(&Cpu::with_threads(1), GPU)]).unwrap_err();
        assert_eq!(error.to_string(), "`nearest ancestor, GPU` differs from the recursive forms");
    }

    #[test]
    fn the_report_has_a_gpu_where_the_record_has_one() {
        let text = |record: &Record| format!("{:?}", report::section(record).blocks);
        let mut record = measured(Cpu::with_threads(2), &[(5, 2), (4, 2)]);
        assert!(text(&record).contains("here, GPU") && text(&record).contains("key-speedup-functional-gpu"));
        record.measurements.retain(|m| !m.variant.contains("GPU"));
        assert!(!text(&record).contains("here, GPU") && !text(&record).contains("on the GPU"));
        assert!(!text(&record).contains("-gpu"));
    }

    #[test]
    fn flattened_rows_are_those_of_the_papers_expression() {
        // v <- (a + b) / (c x d): its nested expressions, the last first, then itself.
        let depths = [0, 1, 2, 2, 2, 1, 1, 2, 2, 2];
        let is_expression = [1, 1, 0, 0, 0, 0, 1, 0, 0, 0];
        let rows = recursive::functional(&BoxedTree::new(&depths, &is_expression));
        let nodes: Vec<u32> = rows.iter().map(|row| row.node).collect();
        assert_eq!(nodes, [6, 7, 8, 9, 1, 2, 3, 4, 0, 1, 5, 6]);
        let references = rows.iter().filter(|row| row.role == recursive::Role::Reference).count();
        assert_eq!(references, 2);
    }
}
