//! The Key paper's section 6: flattening expressions by depth and branching of the tree.
//!
//! Every inner node is an expression, every leaf a variable. Flattening makes each expression a row of its own parts,
//! innermost first, with references where nested ones stood. All variants must give the same rows.

mod parallel;
mod recursive;
pub mod report;
mod trees;

use treepar::depth::Depths;
use treepar::path::{Encoding, PathMatrix};
use treepar::{Backend, Cpu};

use crate::frame::sweep::{Place, Sweep};
use parallel::{Flat, by_key, by_lift};
use trees::{BoxedTree, full_tree, nodes_of};

/// Depth and branching go from 0 to less than this.
pub const MOST: u32 = 32;

/// Entries beyond which a path matrix is not made: 256 MB with four bytes each, and as much between.
const MATRIX_ENTRIES: usize = 64_000_000;

/// Products of rows beyond which the general inner product is not taken.
const INNER_PRODUCTS: usize = 200_000_000;

/// The names of variants, as the record has them.
pub const FUNCTIONAL: &str = "functional";
pub const ACCUMULATING: &str = "accumulating";
pub const NEAREST: &str = "nearest ancestor";
pub const NEAREST_ONE: &str = "nearest ancestor, one thread";
pub const INDEX: &str = "index path matrix";
pub const ORDINAL: &str = "ordinal path matrix, inner product";
pub const MATRIX: &str = "making the index path matrix";

/// Measures all variants on all trees that fit.
pub fn measure(sweep: &mut Sweep) -> Result<(), String> {
    let cpu = Cpu::new();
    cpu.adopt_current_thread();
    let one = Cpu::with_threads(1);
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
        one_tree(sweep, &cpu, &one, depth, branching, n)?;
        sweep.keep()?;
        sweep.step(weight(n), "");
    }
    Ok(())
}

fn one_tree(sweep: &mut Sweep, cpu: &Cpu, one: &Cpu, depth: u32, branching: u32, n: usize) -> Result<(), String> {
    let (depths, is_expression) = full_tree(depth, branching);
    let case = format!("{depth},{branching}");
    let numbers = [("depth", f64::from(depth)), ("branching", f64::from(branching)), ("nodes", n as f64)];
    let place = |variant| Place { experiment: "figure 1", case: &case, variant, stage: "" };

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

    let text = |error: treepar::Error| error.to_string();
    let forest = Depths::new(cpu, cpu.upload(&depths).map_err(text)?).map_err(text)?;
    let mark = cpu.upload(&is_expression).map_err(text)?;
    let same = |variant: &str, flat: Flat<Cpu>| {
        if flat.rows(cpu) == expected {
            Ok(())
        } else {
            Err(format!("depth {depth}, branching {branching}: `{variant}` differs from the recursive forms"))
        }
    };
    same(NEAREST, by_lift(cpu, &forest, &mark).map_err(text)?)?;
    sweep.measure(&place(NEAREST), &numbers, || by_lift(cpu, &forest, &mark).map(drop).map_err(text))?;
    sweep.measure(&place(NEAREST_ONE), &numbers, || by_lift(one, &forest, &mark).map(drop).map_err(text))?;

    let entries = n.saturating_mul(depth as usize + 1);
    if entries > MATRIX_ENTRIES || sweep.is_interrupted() {
        return Ok(());
    }
    let index = PathMatrix::new(cpu, &forest, Encoding::Index).map_err(text)?;
    sweep
        .measure(&place(MATRIX), &numbers, || PathMatrix::new(cpu, &forest, Encoding::Index).map(drop).map_err(text))?;
    let by_index = || by_key(cpu, &mark, index.nearest_marked(cpu, &mark, treepar::ancestor::Of::Above)?);
    same(INDEX, by_index().map_err(text)?)?;
    sweep.measure(&place(INDEX), &numbers, || by_index().map(drop).map_err(text))?;

    let expressions = is_expression.iter().filter(|&&e| e != 0).count();
    if entries.saturating_mul(expressions) > INNER_PRODUCTS {
        return Ok(());
    }
    let ordinal = PathMatrix::new(cpu, &forest, Encoding::Ordinal).map_err(text)?;
    let by_ordinal = || parallel::by_inner_product(cpu, &ordinal, &mark);
    same(ORDINAL, by_ordinal().map_err(text)?)?;
    sweep.measure(&place(ORDINAL), &numbers, || by_ordinal().map(drop).map_err(text))
}
