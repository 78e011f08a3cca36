//! Reduce, and the templates with one pass over tiles that look back: scans, segmented scans, compact, partition.

use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::mail::{GpuValue, Total};
use super::{Arguments, Gpu, GpuVec, Stage};
use crate::Result;
use crate::backend::{Column, Later, ScanKind};
use crate::device::{CarryFn, Element, Monoid, Outputs, RowFn};

/// One pass over tiles that look back: the values that they publish, and the memory for the total.
struct Tiles<M: Machine> {
    count: u64,
    /// The words that tiles publish.
    words: GpuVec<u64, M>,
    published: usize,
    values: GpuVec<u8, M>,
    rows: usize,
}

impl<M: Machine> Tiles<M> {
    /// Tiles of `n` rows whose elements have `bytes` bytes.
    fn new(gpu: &Gpu<M>, n: usize, bytes: usize) -> Result<Tiles<M>> {
        Tiles::some(gpu, super::tiles(n, tuning::scan_items(bytes)) as usize, bytes)
    }

    /// `count` tiles whose elements have `bytes` bytes.
    fn some(gpu: &Gpu<M>, count: usize, bytes: usize) -> Result<Tiles<M>> {
        let (words, rows) = if bytes <= tuning::IN_WORDS { (bytes.div_ceil(4), 0) } else { (1, 2 * count) };
        let published = 1 + count * words;
        let words = gpu.zeros(published)?;
        let values = gpu.column(rows * bytes)?;
        Ok(Tiles { count: count as u64, words, published, values, rows })
    }

    /// Adds the tiles to a kernel's arguments.
    fn add_to(&self, arguments: Arguments) -> Arguments {
        arguments.tiles(self.words.part(0, self.published), self.values.part(0, self.rows))
    }

    /// Runs a kernel whose last arguments are the tiles and the total. Returns the memory of the total.
    fn launch<T: Element>(&self, gpu: &Gpu<M>, stage: &Stage<'_>, arguments: Arguments) -> Result<Total<M>> {
        let total = Total::new::<T>(gpu)?;
        let arguments = self.add_to(arguments).part_array(total.part());
        gpu.launch(stage, self.count, tuning::THREADS, &arguments)?;
        Ok(total)
    }

    /// Runs a kernel whose last arguments are the tiles.
    fn launch_without_total(&self, gpu: &Gpu<M>, stage: &Stage<'_>, arguments: Arguments) -> Result<()> {
        gpu.launch(stage, self.count, tuning::THREADS, &self.add_to(arguments))
    }
}

/// `f(0) · f(1) · ..`.
pub fn reduce<F, O, T, M>(gpu: &Gpu<M>, n: usize, args: F::Args<'_, Gpu<M>>) -> Result<GpuValue<T, M>>
where
    F: RowFn<Output = T>,
    O: Monoid<T>,
    T: Element,
    M: Machine,
{
    if n == 0 {
        return Ok(GpuValue::Known(O::IDENTITY));
    }
    let functions: [_; 2] = [F::DEF, O::FUNCTION];
    let [first, last] =
        ["reduce", "reduce_final"].map(|stage| Stage { stage, template: "reduce", functions: &functions });
    let tile = u64::from(tuning::THREADS * tuning::scan_items(size_of::<T>()));
    // More blocks than run at once, so that the last ones do not run long while others are idle.
    let share = (n as u64).div_ceil(4 * gpu.busy(n)).next_multiple_of(tile);
    let blocks = (n as u64).div_ceil(share);
    let sums = gpu.column::<T>(blocks as usize)?;
    let (of_blocks, total) = (sums.part(0, blocks as usize), Total::new::<T>(gpu)?);
    let arguments = Arguments::new().value(n as u64).value(share).function::<F, M>(args).part_array(of_blocks);
    gpu.launch(&first, blocks, tuning::THREADS, &arguments)?;
    gpu.launch(&last, 1, tuning::THREADS, &Arguments::new().part_array(of_blocks).part_array(total.part()))?;
    total.sent()
}

/// All prefixes, and the whole.
pub fn scan<F, O, T, M>(
    gpu: &Gpu<M>,
    kind: ScanKind,
    n: usize,
    args: F::Args<'_, Gpu<M>>,
    out: &GpuVec<T, M>,
) -> Result<GpuValue<T, M>>
where
    F: RowFn<Output = T>,
    O: Monoid<T>,
    T: Element,
    M: Machine,
{
    if n == 0 {
        return Ok(GpuValue::Known(O::IDENTITY));
    }
    let arguments = Arguments::new()
        .value(n as u64)
        .value(u32::from(kind == ScanKind::Inclusive))
        .function::<F, M>(args)
        .array(out);
    let tiles = Tiles::new(gpu, n, size_of::<T>())?;
    let stage = Stage { stage: "scan", template: "scan", functions: &[F::DEF, O::FUNCTION] };
    tiles.launch::<T>(gpu, &stage, arguments)?.sent()
}

/// Rows from the prefix before each, and the whole.
pub fn scan_map<F, O, G, M>(
    gpu: &Gpu<M>,
    n: usize,
    scan_args: F::Args<'_, Gpu<M>>,
    map_args: G::Args<'_, Gpu<M>>,
    out: &<G::Output as Outputs>::Vecs<Gpu<M>>,
) -> Result<GpuValue<G::Carry, M>>
where
    F: RowFn<Output = G::Carry>,
    O: Monoid<G::Carry>,
    G: CarryFn<Output: Outputs>,
    M: Machine,
{
    if n == 0 {
        return Ok(GpuValue::Known(O::IDENTITY));
    }
    let arguments = Arguments::new()
        .value(n as u64)
        .function::<F, M>(scan_args)
        .function::<G, M>(map_args)
        .output::<G::Output, M>(out, n);
    let stage = Stage { stage: "scan_map", template: "scan_map", functions: &[G::DEF, F::DEF, O::FUNCTION] };
    let tiles = Tiles::new(gpu, n, size_of::<G::Carry>())?;
    tiles.launch::<G::Carry>(gpu, &stage, arguments)?.sent()
}

/// The rows that words mark.
pub fn positions<F, O, G, M>(
    gpu: &Gpu<M>,
    n: usize,
    scan_args: F::Args<'_, Gpu<M>>,
    mask_args: G::Args<'_, Gpu<M>>,
) -> Result<GpuVec<u32, M>>
where
    F: RowFn<Output = G::Carry>,
    O: Monoid<G::Carry>,
    G: CarryFn<Output = u64>,
    M: Machine,
{
    let mut out = gpu.column::<u32>(n * u64::BITS as usize)?;
    if n == 0 {
        return Ok(out);
    }
    let bytes = size_of::<G::Carry>();
    let count = super::tiles(n, tuning::positions_items(bytes)) as usize;
    let (tiles, counts) = (Tiles::some(gpu, count, bytes)?, Tiles::some(gpu, count, size_of::<u32>())?);
    let arguments =
        Arguments::new().value(n as u64).function::<F, M>(scan_args).function::<G, M>(mask_args).array(&out);
    let stage = Stage { stage: "positions", template: "positions", functions: &[G::DEF, F::DEF, O::FUNCTION] };
    out.truncate(counts.launch::<u32>(gpu, &stage, tiles.add_to(arguments))?.sent()?);
    Ok(out)
}

/// The rows that owners make, and the first row of each owner.
pub fn expand_rows<F, T, M>(gpu: &Gpu<M>, n: usize, args: F::Args<'_, Gpu<M>>) -> Result<(GpuVec<T, M>, GpuVec<u32, M>)>
where
    F: RowFn<Output = (T, T, T, T, u32)>,
    T: Element,
    M: Machine,
{
    let (mut out, offsets) = (gpu.column::<T>(4 * n)?, gpu.column::<u32>(n)?);
    if n == 0 {
        return Ok((out, offsets));
    }
    let arguments = Arguments::new().value(n as u64).function::<F, M>(args).array(&out).array(&offsets);
    let count = super::tiles(n, tuning::expand_rows_items(size_of::<T>())) as usize;
    let tiles = Tiles::some(gpu, count, size_of::<u32>())?;
    let stage = Stage { stage: "expand_rows", template: "expand_rows", functions: &[F::DEF] };
    out.truncate(tiles.launch::<u32>(gpu, &stage, arguments)?.sent()?);
    Ok((out, offsets))
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
    out.truncate(compact_tiles::<F, M>(gpu, n, args, false, &out)?.sent()?);
    Ok(out)
}

/// Writes the rows that are kept, and from the end the others. Their number is the total.
fn compact_tiles<F, M>(
    gpu: &Gpu<M>,
    n: usize,
    args: F::Args<'_, Gpu<M>>,
    others: bool,
    out: &GpuVec<u32, M>,
) -> Result<Total<M>>
where
    F: RowFn<Output = bool>,
    M: Machine,
{
    let arguments = Arguments::new().value(n as u64).value(u32::from(others)).function::<F, M>(args).array(out);
    let stage = Stage { stage: "compact", template: "compact", functions: &[F::DEF] };
    Tiles::new(gpu, n, size_of::<u32>())?.launch::<u32>(gpu, &stage, arguments)
}

/// The rows that are kept, then the others; and how many the first are. The others come in reverse order first, because
/// their first row is known at the end.
pub fn partition<F, M>(gpu: &Gpu<M>, n: usize, args: F::Args<'_, Gpu<M>>) -> Result<(GpuVec<u32, M>, usize)>
where
    F: RowFn<Output = bool>,
    M: Machine,
{
    let out = gpu.column::<u32>(n)?;
    if n == 0 {
        return Ok((out, 0));
    }
    let total = compact_tiles::<F, M>(gpu, n, args, true, &out)?;
    let arguments = Arguments::new().value(n as u64).part_array(total.part()).array(&out);
    // A thread exchanges two rows.
    gpu.launch_rows("partition_others", n / 2, &arguments)?;
    Ok((out, total.sent::<u32>()?.read()? as usize))
}

/// A bit for each row, set where a segment begins.
fn segment_heads<M: Machine>(gpu: &Gpu<M>, offsets: &GpuVec<u32, M>, n: usize) -> Result<GpuVec<u32, M>> {
    let heads = gpu.zeros(n.div_ceil(32))?;
    let arguments = Arguments::new().column(offsets).value(n as u64).array(&heads);
    gpu.launch_rows("segment_heads", offsets.len(), &arguments)?;
    Ok(heads)
}

/// Tiles of `n` elements that publish whether a segment begins in them.
fn headed_tiles<T: Element, M: Machine>(gpu: &Gpu<M>, n: usize) -> Result<Tiles<M>> {
    let count = super::tiles(n, tuning::scan_items(size_of::<T>())) as usize;
    Tiles::some(gpu, count, tuning::headed_bytes(size_of::<T>(), align_of::<T>()))
}

/// The scan of each segment.
pub fn segmented_scan<F, O, T, M>(
    gpu: &Gpu<M>,
    kind: ScanKind,
    offsets: &GpuVec<u32, M>,
    args: F::Args<'_, Gpu<M>>,
    out: &GpuVec<T, M>,
) -> Result<()>
where
    F: RowFn<Output = T>,
    O: Monoid<T>,
    T: Element,
    M: Machine,
{
    let n = out.len();
    let heads = segment_heads(gpu, offsets, n)?;
    let arguments = Arguments::new()
        .value(n as u64)
        .value(u32::from(kind == ScanKind::Inclusive))
        .array(&heads)
        .function::<F, M>(args)
        .array(out);
    let stage = Stage { stage: "segmented_scan", template: "segmented_scan", functions: &[F::DEF, O::FUNCTION] };
    headed_tiles::<T, M>(gpu, n)?.launch_without_total(gpu, &stage, arguments)
}

/// Reduces each segment.
pub fn segmented_reduce<F, O, T, M>(
    gpu: &Gpu<M>,
    offsets: &GpuVec<u32, M>,
    n: usize,
    args: F::Args<'_, Gpu<M>>,
    out: &GpuVec<T, M>,
) -> Result<()>
where
    F: RowFn<Output = T>,
    O: Monoid<T>,
    T: Element,
    M: Machine,
{
    let at_last = gpu.column::<T>(n)?;
    let heads = segment_heads(gpu, offsets, n)?;
    let arguments = Arguments::new().value(n as u64).array(&heads).function::<F, M>(args).array(&at_last);
    let functions: [_; 2] = [F::DEF, O::FUNCTION];
    let stage = |stage| Stage { stage, template: "segmented_scan", functions: &functions };
    headed_tiles::<T, M>(gpu, n)?.launch_without_total(gpu, &stage("segmented_reduce"), arguments)?;
    let arguments = Arguments::new().column(offsets).value(n as u64).array(&at_last).array(out);
    gpu.launch(&stage("segmented_reduce_gather"), super::map_tiles(offsets.len()), tuning::THREADS, &arguments)
}
