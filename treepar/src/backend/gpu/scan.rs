//! Reduce, and what is one pass over tiles that look back: scans, segmented scans, compact, partition.

use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::{Arguments, Gpu, GpuVec, Stage};
use crate::Result;
use crate::backend::{Column, ScanKind};
use crate::device::{CarryFn, Element, Monoid, Outputs, RowFn};

/// What the tiles of one launch say to each other.
struct Tiles<M: Machine> {
    count: u64,
    words: GpuVec<u64, M>,
    values: GpuVec<u8, M>,
    rows: usize,
}

impl<M: Machine> Tiles<M> {
    /// Tiles of `n` rows whose elements have `bytes` bytes.
    fn new(gpu: &Gpu<M>, n: usize, bytes: usize) -> Result<Tiles<M>> {
        let count = n.div_ceil((tuning::THREADS * tuning::scan_items(bytes)) as usize);
        let (words, rows) = if bytes <= tuning::IN_WORDS { (bytes.div_ceil(4), 0) } else { (1, 2 * count) };
        let (words, values) = (gpu.zeros(1 + count * words)?, gpu.column(rows * bytes)?);
        Ok(Tiles { count: count as u64, words, values, rows })
    }
}

/// `f(0) · f(1) · ..`.
pub fn reduce<F, O, M>(gpu: &Gpu<M>, n: usize, args: F::Args<'_, Gpu<M>>) -> Result<O::T>
where
    F: RowFn<Output = O::T>,
    O: Monoid,
    M: Machine,
{
    if n == 0 {
        return Ok(O::IDENTITY);
    }
    let functions: [_; 2] = [F::DEF, O::DEF];
    let arguments = |share| Arguments::new().value(n as u64).value(share).function::<F, M>(args);
    let stages = ["reduce", "reduce_final"].map(|stage| Stage { stage, template: "reduce", functions: &functions });
    reduce_in_two(gpu, n, &stages, arguments)
}

/// A reduce in two stages: of each block, then of what those came to.
fn reduce_in_two<T: Element, M: Machine>(
    gpu: &Gpu<M>,
    n: usize,
    [first, last]: &[Stage<'_>; 2],
    arguments: impl Fn(u64) -> Arguments,
) -> Result<T> {
    let tile = u64::from(tuning::THREADS * tuning::scan_items(size_of::<T>()));
    let share = (n as u64).div_ceil(gpu.busy(n)).next_multiple_of(tile);
    let blocks = (n as u64).div_ceil(share);
    let (sums, total) = (gpu.column::<T>(blocks as usize)?, gpu.column::<T>(1)?);
    gpu.launch(first, blocks, tuning::THREADS, &arguments(share).array(&sums))?;
    gpu.launch(last, 1, tuning::THREADS, &Arguments::new().array(&sums).array(&total))?;
    gpu.first(&total)
}

/// All prefixes, and the whole.
#[expect(clippy::type_complexity, reason = "columns of the backend's own type, as in the trait")]
pub fn scan<F, O, M>(
    gpu: &Gpu<M>,
    kind: ScanKind,
    n: usize,
    args: F::Args<'_, Gpu<M>>,
) -> Result<(GpuVec<O::T, M>, O::T)>
where
    F: RowFn<Output = O::T>,
    O: Monoid,
    M: Machine,
{
    super::check_rows("column", n)?;
    let out = gpu.column::<O::T>(n)?;
    if n == 0 {
        return Ok((out, O::IDENTITY));
    }
    let (tiles, total) = (Tiles::new(gpu, n, size_of::<O::T>())?, gpu.column::<O::T>(1)?);
    let arguments = Arguments::new()
        .value(n as u64)
        .value(u32::from(kind == ScanKind::Inclusive))
        .function::<F, M>(args)
        .array(&out)
        .tiles(&tiles.words, &tiles.values, tiles.rows)
        .array(&total);
    let stage = Stage { stage: "scan", template: "scan", functions: &[F::DEF, O::DEF] };
    gpu.launch(&stage, tiles.count, tuning::THREADS, &arguments)?;
    let total = gpu.first(&total)?;
    Ok((out, total))
}

/// Rows from the prefix before each, and the whole.
#[expect(clippy::type_complexity, reason = "columns of the backend's own type, as in the trait")]
pub fn scan_map<G, F, O, M>(
    gpu: &Gpu<M>,
    n: usize,
    scan_args: F::Args<'_, Gpu<M>>,
    map_args: G::Args<'_, Gpu<M>>,
) -> Result<(<G::Output as Outputs>::Vecs<Gpu<M>>, O::T)>
where
    F: RowFn<Output = O::T>,
    G: CarryFn<Carry = O::T, Output: Outputs>,
    O: Monoid,
    M: Machine,
{
    let out = G::Output::allocate(gpu, n)?;
    if n == 0 {
        return Ok((out, O::IDENTITY));
    }
    let (tiles, total) = (Tiles::new(gpu, n, size_of::<O::T>())?, gpu.column::<O::T>(1)?);
    let arguments = Arguments::new()
        .value(n as u64)
        .function::<F, M>(scan_args)
        .function::<G, M>(map_args)
        .output::<G::Output, M>(&out, n)
        .tiles(&tiles.words, &tiles.values, tiles.rows)
        .array(&total);
    let stage = Stage { stage: "scan_map", template: "scan_map", functions: &[G::DEF, F::DEF, O::DEF] };
    gpu.launch(&stage, tiles.count, tuning::THREADS, &arguments)?;
    let total = gpu.first(&total)?;
    Ok((out, total))
}

/// The rows that are kept.
pub fn compact<F, M>(gpu: &Gpu<M>, n: usize, args: F::Args<'_, Gpu<M>>) -> Result<GpuVec<u32, M>>
where
    F: RowFn<Output = bool>,
    M: Machine,
{
    let mut out = gpu.column::<u32>(n)?;
    if n == 0 {
        return Ok(out);
    }
    let (tiles, total) = (Tiles::new(gpu, n, 4)?, gpu.column::<u32>(1)?);
    let arguments = Arguments::new()
        .value(n as u64)
        .function::<F, M>(args)
        .array(&out)
        .tiles(&tiles.words, &tiles.values, tiles.rows)
        .array(&total);
    let stage = Stage { stage: "compact", template: "compact", functions: &[F::DEF] };
    gpu.launch(&stage, tiles.count, tuning::THREADS, &arguments)?;
    out.truncate(gpu.first(&total)? as usize);
    Ok(out)
}

/// The rows that are kept, then the others; and how many the first are. They are counted first: where the others begin.
pub fn partition<F, M>(gpu: &Gpu<M>, n: usize, args: F::Args<'_, Gpu<M>>) -> Result<(GpuVec<u32, M>, usize)>
where
    F: RowFn<Output = bool>,
    M: Machine,
{
    let out = gpu.column::<u32>(n)?;
    if n == 0 {
        return Ok((out, 0));
    }
    let functions = [F::DEF];
    let stages = ["count", "count_final"].map(|stage| Stage { stage, template: "compact", functions: &functions });
    let share = |share| Arguments::new().value(n as u64).value(share).function::<F, M>(args);
    let kept: u32 = reduce_in_two(gpu, n, &stages, share)?;
    let (tiles, total) = (Tiles::new(gpu, n, 4)?, gpu.column::<u32>(1)?);
    let arguments = Arguments::new()
        .value(n as u64)
        .value(kept)
        .function::<F, M>(args)
        .array(&out)
        .tiles(&tiles.words, &tiles.values, tiles.rows)
        .array(&total);
    let stage = Stage { stage: "partition", template: "compact", functions: &functions };
    gpu.launch(&stage, tiles.count, tuning::THREADS, &arguments)?;
    Ok((out, kept as usize))
}

/// What a segmented scan needs: the rows that segments begin with, and tiles of marked elements.
struct Segments<M: Machine> {
    heads: GpuVec<u32, M>,
    tiles: Tiles<M>,
    total: GpuVec<u8, M>,
}

fn segments<T: Element, M: Machine>(gpu: &Gpu<M>, offsets: &GpuVec<u32, M>, n: usize) -> Result<Segments<M>> {
    let heads = gpu.zeros::<u32>(n.div_ceil(32))?;
    let arguments = Arguments::new().column(offsets).value(n as u64).array(&heads);
    gpu.launch_rows("segment_heads", offsets.len(), &arguments)?;
    let bytes = tuning::headed_bytes(size_of::<T>(), align_of::<T>());
    Ok(Segments { heads, tiles: Tiles::new(gpu, n, bytes)?, total: gpu.column(bytes)? })
}

/// The scan of each segment.
pub fn segmented_scan<F, O, M>(
    gpu: &Gpu<M>,
    kind: ScanKind,
    offsets: &GpuVec<u32, M>,
    n: usize,
    args: F::Args<'_, Gpu<M>>,
) -> Result<GpuVec<O::T, M>>
where
    F: RowFn<Output = O::T>,
    O: Monoid,
    M: Machine,
{
    super::check_rows("column", n)?;
    let out = gpu.column::<O::T>(n)?;
    let Segments { heads, tiles, total } = segments::<O::T, M>(gpu, offsets, n)?;
    let arguments = Arguments::new()
        .value(n as u64)
        .value(u32::from(kind == ScanKind::Inclusive))
        .array(&heads)
        .function::<F, M>(args)
        .array(&out)
        .tiles(&tiles.words, &tiles.values, tiles.rows)
        .rows(&total, 1);
    let stage = Stage { stage: "segmented_scan", template: "segmented_scan", functions: &[F::DEF, O::DEF] };
    gpu.launch(&stage, tiles.count, tuning::THREADS, &arguments)?;
    Ok(out)
}

/// What each segment comes to.
pub fn segmented_reduce<F, O, M>(
    gpu: &Gpu<M>,
    offsets: &GpuVec<u32, M>,
    n: usize,
    args: F::Args<'_, Gpu<M>>,
) -> Result<GpuVec<O::T, M>>
where
    F: RowFn<Output = O::T>,
    O: Monoid,
    M: Machine,
{
    let (at_last, out) = (gpu.column::<O::T>(n)?, gpu.column::<O::T>(offsets.len())?);
    let Segments { heads, tiles, total } = segments::<O::T, M>(gpu, offsets, n)?;
    let arguments = Arguments::new()
        .value(n as u64)
        .array(&heads)
        .function::<F, M>(args)
        .array(&at_last)
        .tiles(&tiles.words, &tiles.values, tiles.rows)
        .rows(&total, 1);
    let functions: [_; 2] = [F::DEF, O::DEF];
    let stage = |stage| Stage { stage, template: "segmented_scan", functions: &functions };
    gpu.launch(&stage("segmented_reduce"), tiles.count, tuning::THREADS, &arguments)?;
    let arguments = Arguments::new().column(offsets).value(n as u64).array(&at_last).array(&out);
    let blocks = (offsets.len() as u64).div_ceil(tuning::THREADS.into());
    gpu.launch(&stage("segmented_reduce_gather"), blocks, tuning::THREADS, &arguments)?;
    Ok(out)
}
