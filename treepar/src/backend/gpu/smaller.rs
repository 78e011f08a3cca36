//! Nearest smaller values: levels of minima, then a search from each row.

use treepar_kernels::machine::Machine;
use treepar_kernels::tuning;

use super::{Arguments, Gpu, GpuVec, Stage};
use crate::Result;
use crate::backend::Column;

impl<M: Machine> Gpu<M> {
    /// Runs the kernel `stage` over keys with `add` added.
    pub(super) fn nearest_key(
        &self,
        stage: &'static str,
        keys: &GpuVec<u32, M>,
        add: u32,
        out: &GpuVec<u32, M>,
    ) -> Result<()> {
        let levels = self.minima(keys, add)?;
        self.search(stage, (keys, add), &levels, out)
    }

    /// Runs the kernel `stage` over keys with a number added, and over their minima.
    pub(super) fn search(
        &self,
        stage: &'static str,
        (keys, add): (&GpuVec<u32, M>, u32),
        levels: &GpuVec<u32, M>,
        out: &GpuVec<u32, M>,
    ) -> Result<()> {
        let arguments = Arguments::new().column(keys).value(add).column(levels).array(out);
        let stage = Stage { stage, template: stage, functions: &[] };
        self.launch(&stage, super::tiles(keys.len(), tuning::SMALLER_ITEMS), tuning::THREADS, &arguments)
    }

    /// Minima of groups, of groups of those, and so on until there is but one group of them.
    pub(super) fn minima(&self, keys: &GpuVec<u32, M>, add: u32) -> Result<GpuVec<u32, M>> {
        let group = tuning::GROUP as usize;
        let mut sizes = vec![keys.len().div_ceil(group)];
        while let Some(&last) = sizes.last()
            && last > group
        {
            sizes.push(last.div_ceil(group));
        }
        let levels = self.column::<u32>(sizes.iter().sum())?;
        let mut below = levels.part(0, 0);
        let mut begin = 0;
        for (height, &rows) in sizes.iter().enumerate() {
            let level = levels.part(begin, rows);
            let (from, read, add) =
                if height == 0 { (keys.part(0, keys.len()), keys.len(), add) } else { (below, below.rows, 0) };
            let arguments = Arguments::new().part_column(from).value(add).part_array(level);
            let stage = Stage { stage: "minima", template: "minima", functions: &[] };
            self.launch(&stage, super::map_tiles(read), tuning::THREADS, &arguments)?;
            below = level;
            begin += rows;
        }
        Ok(levels)
    }
}
