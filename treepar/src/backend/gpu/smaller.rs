//! Nearest smaller values: levels of minima, then a search from each row.

use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::{Arguments, Gpu, GpuVec, Stage, tiles};
use crate::Result;
use crate::backend::Column;

/// Levels that one launch of `minima` computes, and the bits of a group's number within the next level.
const LEVELS: usize = 3;
const GROUP_BITS: u32 = tuning::SMALLER_ITEMS.trailing_zeros();

impl<M: Machine> Gpu<M> {
    /// Runs the kernel `stage` over keys.
    pub(super) fn nearest_key(&self, stage: &'static str, keys: &GpuVec<u32, M>, out: &GpuVec<u32, M>) -> Result<()> {
        let levels = self.minima(keys)?;
        self.search(stage, keys, &levels, out)
    }

    /// Runs the kernel `stage` over keys and their minima.
    pub(super) fn search(
        &self,
        stage: &'static str,
        keys: &GpuVec<u32, M>,
        levels: &GpuVec<u32, M>,
        out: &GpuVec<u32, M>,
    ) -> Result<()> {
        let arguments = Arguments::new().column(keys).column(levels).array(out);
        let stage = Stage { stage, template: stage, functions: &[] };
        self.launch(&stage, tiles(keys.len(), tuning::SMALLER_ITEMS), tuning::THREADS, &arguments)
    }

    /// Returns minima of groups, of groups of those, and so on until there is one group. A single tile needs none.
    pub(super) fn minima(&self, keys: &GpuVec<u32, M>) -> Result<GpuVec<u32, M>> {
        let first =
            Level { rows: keys.len(), last: (tile_count(keys.len()) * tuning::THREADS as usize).saturating_sub(1) };
        let needed = if tile_count(first.rows) > 1 { Some(first) } else { None };
        let launches: Vec<Level> = std::iter::successors(needed, Level::above).collect();
        let levels = self.column::<u32>(launches.iter().flat_map(Level::sizes).sum())?;
        let (mut from, mut begin) = (keys.part(0, keys.len()), 0);
        for launch in &launches {
            let sizes = launch.sizes();
            let arguments = Arguments::new()
                .part_column(from)
                .value(launch.last as u32)
                .part_array(levels.part(begin, sizes.iter().sum()));
            let stage = Stage { stage: "minima", template: "minima", functions: &[] };
            self.launch(&stage, tile_count(launch.rows) as u64, tuning::THREADS, &arguments)?;
            begin += sizes.iter().sum::<usize>();
            from = levels.part(begin - sizes[LEVELS - 1], tile_count(launch.rows));
        }
        Ok(levels)
    }
}

/// The rows that a launch of `minima` reads, and the number of the last minimum of the lowest level that it writes.
struct Level {
    rows: usize,
    last: usize,
}

impl Level {
    /// Returns the sizes of the levels that the launch writes: whole groups of the next level.
    fn sizes(&self) -> [usize; LEVELS] {
        let group = tuning::SMALLER_ITEMS as usize;
        std::array::from_fn(|level| (self.last >> (GROUP_BITS * level as u32) | (group - 1)) + 1)
    }

    /// Returns the launch over the minima of tiles, if they are more than one group.
    fn above(&self) -> Option<Level> {
        let rows = tile_count(self.rows);
        let above = Level { rows, last: self.last >> (GROUP_BITS * LEVELS as u32) };
        (rows > tuning::SMALLER_ITEMS as usize).then_some(above)
    }
}

fn tile_count(rows: usize) -> usize {
    tiles(rows, tuning::SMALLER_ITEMS) as usize
}
