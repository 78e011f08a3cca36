//! Walks: one launch for all levels.

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
    let grid = tiles(n, tuning::walk_items(size_of::<F::Carry>()));
    let words = gpu.zeros::<u64>(1 + grid as usize)?;
    let arguments =
        Arguments::new().column(parents.column()).value(root).function::<F, M>(args).array(&words).array(out);
    let stage = Stage { stage: "walk_down", template: "walk_down", functions: &[F::DEF] };
    gpu.launch(&stage, grid, tuning::THREADS, &arguments)
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
    let grid = tiles(n, tuning::walk_items(size_of::<F::Carry>()));
    let words = gpu.zeros::<u64>(1 + 2 * grid as usize)?;
    let (sums, next) = (gpu.column::<F::Carry>(n + grid as usize)?, gpu.column::<u32>(n)?);
    let arguments = Arguments::new()
        .column(parents.column())
        .function::<F, M>(args)
        .array(&words)
        .array(&sums)
        .array(&next)
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
    let grid = tiles(n, tuning::WALK_ITEMS);
    let words = gpu.zeros::<u64>(1 + 2 * grid as usize)?;
    let slots = u32::try_from(slots).unwrap_or(u32::MAX);
    let arguments = Arguments::new()
        .column(parents.column())
        .column(child)
        .value(slots)
        .function::<F, M>(args)
        .array(&words)
        .array(values)
        .array(out);
    let stage = Stage { stage: "walk_slots", template: "walk_slots", functions: &[F::DEF] };
    gpu.launch(&stage, grid, tuning::THREADS, &arguments)
}
