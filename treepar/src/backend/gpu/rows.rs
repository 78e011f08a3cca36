//! Rows that are moved and counted, keys that are looked up, and offsets that are checked.

use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::kept::Block;
use super::mail::Total;
use super::{Arguments, Gpu, GpuVec, Stage};
use crate::backend::{Column, Later};
use crate::device::{Element, RowFn};
use crate::{Error, Result};

/// A row as units of one width: the widest that divides it, since columns begin at multiples of 256 bytes.
struct Units {
    scatter: &'static str,
    /// How many a row has.
    count: usize,
}

/// Bytes of the widest unit.
const WIDEST: usize = 16;

impl Units {
    fn of<T: Element>() -> Units {
        let bytes = 1 << size_of::<T>().trailing_zeros().min(WIDEST.trailing_zeros());
        let scatter = match bytes {
            16 => "scatter_16",
            8 => "scatter_8",
            4 => "scatter_4",
            2 => "scatter_2",
            _ => "scatter_1",
        };
        Units { scatter, count: size_of::<T>() / bytes }
    }
}

impl<M: Machine> Gpu<M> {
    /// Sets each row to `value`.
    pub(super) fn fill<T: Element>(&self, column: &GpuVec<T, M>, value: T) -> Result<()> {
        let bytes = bytemuck::bytes_of(&value);
        let all = column.len() * bytes.len();
        if let Some((&first, rest)) = bytes.split_first()
            && rest.iter().all(|&byte| byte == first)
        {
            return column.set(all, first);
        }
        if all == 0 {
            return Ok(());
        }
        // The shortest run of rows that is a run of units; the column's end may be a part of one.
        let length =
            bytes.len() << (WIDEST.trailing_zeros() - bytes.len().trailing_zeros().min(WIDEST.trailing_zeros()));
        let pattern = self.column::<u8>(length)?;
        pattern.put(0, &bytes.repeat(length / bytes.len()))?;
        let units = all / WIDEST;
        let arguments = Arguments::new().rows(&pattern, length / WIDEST).rows(column, units);
        let stage = Stage { stage: "fill", template: "fill", functions: &[] };
        self.launch(&stage, super::map_tiles(units), tuning::THREADS, &arguments)?;
        let done = units * WIDEST;
        column.copy(done, &pattern, done % length, all - done)
    }

    /// `target[indices[i]] = values[i]`.
    pub(super) fn move_rows<T: Element>(
        &self,
        target: &GpuVec<T, M>,
        indices: &GpuVec<u32, M>,
        values: &GpuVec<T, M>,
    ) -> Result<()> {
        if cfg!(debug_assertions) {
            let (seen, again) = (self.zeros::<u32>(target.len().div_ceil(32))?, Total::zero(self)?);
            let arguments =
                Arguments::new().column(indices).value(target.len() as u64).array(&seen).part_array(again.part());
            self.launch_rows("scatter_check", indices.len(), &arguments)?;
            if let Some(target) = again.sent::<u32>()?.read()?.checked_sub(1) {
                return Err(Error::DuplicateTarget { target: target.into() });
            }
        }
        let units = Units::of::<T>();
        let arguments = Arguments::new()
            .column(indices)
            .rows(values, values.len() * units.count)
            .value(units.count as u32)
            .rows(target, target.len() * units.count);
        let stage = Stage { stage: units.scatter, template: units.scatter, functions: &[] };
        self.launch(&stage, super::map_tiles(indices.len()), tuning::THREADS, &arguments)
    }

    /// Adds to `out[b]` how many keys are b.
    pub(super) fn count_keys(&self, keys: &GpuVec<u32, M>, out: &GpuVec<u32, M>) -> Result<()> {
        let arguments = Arguments::new().column(keys).array(out);
        if keys.is_empty() || out.len() > tuning::FEW_BINS as usize {
            return self.launch_rows("histogram", keys.len(), &arguments);
        }
        let stage = Stage { stage: "histogram_few", template: "histogram_few", functions: &[] };
        self.launch(&stage, self.busy(keys.len()), tuning::THREADS, &arguments)
    }

    /// Returns the number of blocks that loop over `n` rows in strides: enough to keep the machine busy, with at least a few
    /// rows per thread.
    pub(super) fn busy(&self, n: usize) -> u64 {
        (n as u64).div_ceil(u64::from(tuning::THREADS) * 16).clamp(1, self.machine().blocks().max(1).into())
    }
}

/// `out[i]` is the first row with the key of row `i`: a launch puts the keys into a table, and another reads the rows.
pub fn intern<F: RowFn<Output = u64>, M: Machine>(
    gpu: &Gpu<M>,
    n: usize,
    args: F::Args<'_, Gpu<M>>,
    out: &GpuVec<u32, M>,
) -> Result<()> {
    // Slots have numbers of 32 bits. There is one more slot than distinct keys in any case.
    let count = (2 * n as u64).next_power_of_two().clamp(2, 1 << 32);
    let (keys, firsts) = (gpu.column::<u64>(count as usize)?, gpu.column::<u32>(count as usize)?);
    keys.set(keys.len() * size_of::<u64>(), u8::MAX)?;
    firsts.set(firsts.len() * size_of::<u32>(), u8::MAX)?;
    let slots = gpu.column::<u32>(n)?;
    let arguments = Arguments::new()
        .value(n as u64)
        .value(u64::BITS - count.trailing_zeros())
        .function::<F, M>(args)
        .array(&keys)
        .array(&firsts)
        .array(&slots);
    let stage = Stage { stage: "intern", template: "intern", functions: &[F::DEF] };
    gpu.launch(&stage, super::map_tiles(n), tuning::THREADS, &arguments)?;
    gpu.launch_rows("intern_firsts", n, &Arguments::new().column(&slots).array(&firsts).array(out))
}

/// Returns the first offset, or an error at an offset that is greater than the next one, or than `n`.
pub fn check_offsets<M: Machine>(gpu: &Gpu<M>, offsets: &GpuVec<u32, M>, n: usize) -> Result<Option<u32>> {
    if offsets.is_empty() {
        return Ok(None);
    }
    let wrong = Total::zero(gpu)?;
    let arguments = Arguments::new().column(offsets).value(n as u64).part_array(wrong.part());
    gpu.launch_rows("check_offsets", offsets.len(), &arguments)?;
    let (wrong, mut first) = (wrong.sent::<u32>()?, 0u32);
    let begin = Block { bytes: size_of::<u32>(), ..offsets.block() };
    gpu.read_columns(&[begin], &mut [bytemuck::bytes_of_mut(&mut first)])?;
    let Some(index) = wrong.read()?.checked_sub(1) else { return Ok(Some(first)) };
    let index = index as usize;
    let offset = |s: usize| offsets.value::<u32>(s * size_of::<u32>()).map(u64::from);
    let limit = if index + 1 < offsets.len() { offset(index + 1)? } else { n as u64 };
    Err(Error::InvalidOffset { index, found: offset(index)?, limit })
}
