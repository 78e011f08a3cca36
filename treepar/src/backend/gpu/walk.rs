//! Walks: one launch for all levels. An upward walk first launches kernels that find the nodes to wait for.

use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::{Arguments, Gpu, GpuVec, Stage, tiles};
use crate::Result;
use crate::backend::Column;
use crate::depth::Parents;
use crate::device::{CarryFn, Monoid, SlotsFn};

/// From the roots down.
pub fn walk_down<F, M>(
    gpu: &Gpu<M>,
    parents: &Parents<Gpu<M>>,
    root: F::Carry,
    args: F::Args<'_, Gpu<M>>,
    out: &GpuVec<F::Carry, M>,
) -> Result<()>
where
    F: CarryFn,
    M: Machine,
{
    let n = parents.len();
    let (words, ready) = (gpu.zeros::<u64>(1)?, gpu.zeros::<u8>(n)?);
    let arguments = Arguments::new()
        .column(parents.column())
        .value(root)
        .function::<F, M>(args)
        .array(&words)
        .array(&ready)
        .array(out);
    let stage = Stage { stage: "walk_down", template: "walk_down", functions: &[F::DEF] };
    gpu.launch(&stage, tiles(n, tuning::walk_items(size_of::<F::Carry>())), tuning::THREADS, &arguments)
}

/// Walks up from the leaves, with the combined values of the children.
pub fn walk_up<F, O, M>(
    gpu: &Gpu<M>,
    parents: &Parents<Gpu<M>>,
    args: F::Args<'_, Gpu<M>>,
    out: &GpuVec<F::Carry, M>,
) -> Result<()>
where
    F: CarryFn,
    O: Monoid<F::Carry>,
    M: Machine,
{
    let n = parents.len();
    // With 1 added a root's parent is 0: a node ends at the next node that is not deeper.
    let ends = gpu.column(n)?;
    gpu.nearest_key("next_smaller_or_equal", parents.column(), 1, &ends)?;
    let (waits, run_ends, run_values) = (gpu.zeros::<u32>(n)?, gpu.column::<u32>(n)?, gpu.column::<F::Carry>(n)?);
    let items = tuning::walk_items(size_of::<F::Carry>());
    let runs = match items {
        4.. => "walk_up_runs_4",
        2.. => "walk_up_runs_2",
        _ => "walk_up_runs_1",
    };
    let grid = tiles(n, items);
    let arguments = Arguments::new().column(parents.column()).column(&ends).array(&waits);
    gpu.launch(&Stage { stage: runs, template: runs, functions: &[] }, grid, tuning::THREADS, &arguments)?;
    let words = gpu.zeros::<u64>(1)?;
    let arguments = Arguments::new()
        .column(parents.column())
        .column(&ends)
        .function::<F, M>(args)
        .array(&words)
        .array(&waits)
        .array(&run_values)
        .array(&run_ends)
        .array(out);
    let stage = Stage { stage: "walk_up", template: "walk_up", functions: &[F::DEF, O::FUNCTION] };
    gpu.launch(&stage, grid, tuning::THREADS, &arguments)
}

/// From the leaves up, with children in slots: `values` holds what absent ones are.
pub fn walk_slots<F, M>(
    gpu: &Gpu<M>,
    parents: &Parents<Gpu<M>>,
    child: &GpuVec<u32, M>,
    slots: usize,
    args: F::Args<'_, Gpu<M>>,
    values: &GpuVec<F::Output, M>,
    out: &GpuVec<F::Output, M>,
) -> Result<()>
where
    F: SlotsFn,
    M: Machine,
{
    let n = parents.len();
    let waits = gpu.zeros::<u32>(n)?;
    let slots = u32::try_from(slots).unwrap_or(u32::MAX);
    let arguments = Arguments::new().column(parents.column()).column(child).value(slots).array(&waits);
    gpu.launch_rows("walk_slots_count", n, &arguments)?;
    let words = gpu.zeros::<u64>(1)?;
    let arguments = Arguments::new()
        .column(parents.column())
        .column(child)
        .value(slots)
        .function::<F, M>(args)
        .array(&words)
        .array(&waits)
        .array(values)
        .array(out);
    let stage = Stage { stage: "walk_slots", template: "walk_slots", functions: &[F::DEF] };
    gpu.launch(&stage, tiles(n, tuning::WALK_ITEMS), tuning::THREADS, &arguments)
}
