//! Radix sort: all digits counted in one read, then one read and one write of the rows per digit.

use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::kept::Block;
use super::{Arguments, Gpu, GpuVec, Stage};
use crate::Result;
use crate::backend::{Column, SortKey};

/// Values of a digit.
const BINS: usize = 256;

/// The number of words of a pass before the words for the bins of its tiles, as in `sort.cuh`.
const FIRST_BIN: usize = 16 + 3 * BINS;

/// Sorted keys with their payloads, by the digits of `bits`. Without bits, a digit in which all keys agree is skipped.
#[expect(clippy::type_complexity, reason = "results are columns of a backend's own type")]
pub fn sort_by_key<K: SortKey, M: Machine>(
    gpu: &Gpu<M>,
    keys: &GpuVec<K, M>,
    payload: &GpuVec<u32, M>,
    bits: Option<K>,
) -> Result<(GpuVec<K, M>, GpuVec<u32, M>, usize)> {
    let n = keys.len();
    let copies = || Ok((gpu.copied(keys)?, gpu.copied(payload)?, 0));
    if n == 0 {
        return copies();
    }
    let (count, pass) =
        if size_of::<K>() == 4 { ("sort_count_u32", "sort_pass_u32") } else { ("sort_count_u64", "sort_pass_u64") };
    // Counts of each digit, then its first rows; after them a flag per digit.
    let (bins, all_digits) = (BINS * size_of::<K>(), size_of::<K>());
    let starts = gpu.zeros::<u32>(bins + all_digits)?;
    let (counts, same) = (starts.part(0, bins), starts.part(bins, all_digits));
    let stage = |stage| Stage { stage, template: stage, functions: &[] };
    let arguments = Arguments::new().column(keys).part_array(counts);
    gpu.launch(&stage(count), gpu.busy(n), tuning::THREADS, &arguments)?;
    let arguments = Arguments::new().value(n as u64).part_array(counts).part_array(same);
    gpu.launch(&stage("sort_starts"), all_digits as u64, tuning::THREADS, &arguments)?;
    let digits: Vec<usize> = match bits {
        Some(bits) => (0..all_digits).filter(|&digit| bits.digit(digit) != 0).collect(),
        None => {
            let mut same = vec![0u32; all_digits];
            let flags = Block { address: starts.part(bins, 0).address, bytes: all_digits * size_of::<u32>() };
            gpu.read_columns(&[flags], &mut [bytemuck::cast_slice_mut(&mut same)])?;
            (0..all_digits).filter(|&digit| same[digit] == 0).collect()
        }
    };
    let differing = digits.len();

    let tiles = super::tiles(n, tuning::sort_items(size_of::<K>()));
    // The words that the tiles of a pass publish.
    let words = gpu.column::<u64>(if differing > 0 { FIRST_BIN + tiles as usize * BINS } else { 0 })?;
    let mut sorted: Option<(GpuVec<K, M>, GpuVec<u32, M>)> = None;
    let mut spare = None;
    for digit in digits {
        words.set(words.len() * size_of::<u64>(), 0)?;
        let (keys_to, payload_to) = match spare.take() {
            Some(spare) => spare,
            None => (gpu.column(n)?, gpu.column(n)?),
        };
        let (keys_from, payload_from) = sorted.as_ref().map_or((keys, payload), |(keys, payload)| (keys, payload));
        let arguments = Arguments::new()
            .value(digit as u32)
            .column(keys_from)
            .column(payload_from)
            .part_column(starts.part(digit * BINS, BINS))
            .array(&words)
            .array(&keys_to)
            .array(&payload_to);
        gpu.launch(&stage(pass), tiles, tuning::THREADS, &arguments)?;
        spare = sorted.replace((keys_to, payload_to));
    }
    match sorted {
        Some((keys, payload)) => Ok((keys, payload, differing)),
        None => copies(),
    }
}
