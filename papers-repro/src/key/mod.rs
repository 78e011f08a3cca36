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
use treepar::{Backend, Cpu};

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

/// The names of variants, as the record has them.
pub const FUNCTIONAL: &str = "functional";
pub const ACCUMULATING: &str = "accumulating";
pub const NEAREST: &str = "nearest ancestor";
pub const NEAREST_ONE: &str = "nearest ancestor, one thread";
pub const INDEX: &str = "index path matrix";
pub const INDEX_ONE: &str = "index path matrix, one thread";
pub const ORDINAL: &str = "ordinal path matrix, inner product";
pub const ORDINAL_ONE: &str = "ordinal path matrix, inner product, one thread";
pub const MATRIX: &str = "making the index path matrix";

/// Measures all variants on all trees that fit.
pub fn measure(sweep: &mut Sweep) -> Result<(), String> {
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
            one_tree(sweep, depth, branching, n)?;
            sweep.keep()?;
        }
        sweep.step(weight(n), "");
    }
    Ok(())
}

/// Measures all variants on a tree, and checks that they give the same rows.
fn one_tree(sweep: &mut Sweep, depth: u32, branching: u32, n: usize) -> Result<(), String> {
    let (depths, is_expression) = full_tree(depth, branching);
    let case = format!("{depth},{branching}");
    let numbers = [("depth", f64::from(depth)), ("branching", f64::from(branching)), ("nodes", n as f64)];
    let place = |variant| Place { experiment: "figure 1", case: &case, variant, stage: "" };

    // On the main thread: others get small pieces of memory more slowly from the system's allocator.
    let boxed = BoxedTree::new(&depths, &is_expression);
    let expected = recursive::functional(&boxed);
    sweep.measure(&place(FUNCTIONAL), &numbers, || {
        std::hint::black_box(recursive::functional(&boxed));
        Ok(())
    })?;
    drop(boxed);
    let arena = trees::Arena::new(&depths, &is_expression);
    if recursive::accumulating(&arena) != expected {
        return Err(format!("depth {depth}, branching {branching}: the recursive forms differ"));
    }
    sweep.measure(&place(ACCUMULATING), &numbers, || {
        std::hint::black_box(recursive::accumulating(&arena));
        Ok(())
    })?;
    drop(arena);

    with_backends(|cpu, one| {
        let input = Input { depths: &depths, is_expression: &is_expression, expected: &expected };
        ours(sweep, &place, &numbers, [cpu, one], &input)
            .map_err(|error| format!("depth {depth}, branching {branching}: {error}"))
    })
}

/// What ours begins with, and what it must give.
struct Input<'a> {
    depths: &'a [u32],
    is_expression: &'a [u8],
    expected: &'a [Row],
}

impl Input<'_> {
    fn same(&self, variant: &str, flat: Flat<Cpu>) -> Result<(), String> {
        if flat.is(self.expected) { Ok(()) } else { Err(format!("`{variant}` differs from the recursive forms")) }
    }
}

fn ours<'a>(
    sweep: &mut Sweep,
    place: &dyn Fn(&'static str) -> Place<'a>,
    numbers: &[(&str, f64)],
    [cpu, one]: [&Cpu; 2],
    input: &Input,
) -> Result<(), String> {
    let text = |error: treepar::Error| error.to_string();
    let forest = Depths::new(cpu, cpu.upload(input.depths).map_err(text)?).map_err(text)?;
    let mark = cpu.upload(input.is_expression).map_err(text)?;
    for (variant, backend) in [(NEAREST, cpu), (NEAREST_ONE, one)] {
        input.same(variant, by_lift(backend, &forest, &mark).map_err(text)?)?;
        sweep.measure(&place(variant), numbers, || by_lift(backend, &forest, &mark).map(drop).map_err(text))?;
    }

    let height = input.depths.iter().max().map_or(0, |&deepest| deepest as usize + 1);
    let entries = input.depths.len().saturating_mul(height);
    if entries > MATRIX_ENTRIES || sweep.is_interrupted() {
        return Ok(());
    }
    let index = PathMatrix::new(cpu, &forest, Encoding::Index).map_err(text)?;
    sweep
        .measure(&place(MATRIX), numbers, || PathMatrix::new(cpu, &forest, Encoding::Index).map(drop).map_err(text))?;
    for (variant, backend) in [(INDEX, cpu), (INDEX_ONE, one)] {
        let by_index = || by_key(backend, &mark, index.nearest_marked(backend, &mark, Of::Above)?);
        input.same(variant, by_index().map_err(text)?)?;
        sweep.measure(&place(variant), numbers, || by_index().map(drop).map_err(text))?;
    }

    let expressions = input.is_expression.iter().filter(|&&e| e != 0).count();
    if entries.saturating_mul(expressions) > INNER_PRODUCTS {
        return Ok(());
    }
    let ordinal = PathMatrix::new(cpu, &forest, Encoding::Ordinal).map_err(text)?;
    for (variant, backend) in [(ORDINAL, cpu), (ORDINAL_ONE, one)] {
        let by_ordinal = || by_inner_product(backend, &ordinal, &mark);
        input.same(variant, by_ordinal().map_err(text)?)?;
        sweep.measure(&place(variant), numbers, || by_ordinal().map(drop).map_err(text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_variants_give_the_same_rows() {
        let (cpu, one) = (Cpu::with_threads(2), Cpu::with_threads(1));
        for (depth, branching) in [(0, 0), (0, 3), (1, 1), (4, 1), (3, 2), (9, 2), (4, 7), (2, 31)] {
            let (depths, is_expression) = full_tree(depth, branching);
            let expected = recursive::functional(&BoxedTree::new(&depths, &is_expression));
            let input = Input { depths: &depths, is_expression: &is_expression, expected: &expected };
            assert_eq!(recursive::accumulating(&trees::Arena::new(&depths, &is_expression)), expected);
            for backend in [&cpu, &one] {
                let forest = Depths::new(backend, backend.upload(&depths).unwrap()).unwrap();
                let mark = backend.upload(&is_expression).unwrap();
                input.same("lift", by_lift(backend, &forest, &mark).unwrap()).unwrap();
                let index = PathMatrix::new(backend, &forest, Encoding::Index).unwrap();
                let owner = index.nearest_marked(backend, &mark, Of::Above).unwrap();
                input.same("index", by_key(backend, &mark, owner).unwrap()).unwrap();
                let ordinal = PathMatrix::new(backend, &forest, Encoding::Ordinal).unwrap();
                input.same("ordinal", by_inner_product(backend, &ordinal, &mark).unwrap()).unwrap();
            }
        }
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
