//! Nearest smaller values in groups, by one thread.
//!
//! A table has the last row of each group. A row follows links from there to the last row whose key is not greater, so that
//! it skips the rows that earlier rows skipped. Threads would need a table each, and so they sort instead.

use super::{Cpu, CpuVec};
use crate::{Backend, Result};

/// No row.
const NONE: u32 = u32::MAX;

/// The greatest size of the table, per row: clearing a larger one takes longer than a sort.
const SPARSE: usize = 4;

/// Computes for each row the last earlier row of its group whose key is not greater. Returns `false` if the numbers of
/// groups are too large for a table.
pub fn previous_within(cpu: &Cpu, groups: &[u32], keys: &[u32], out: &mut [u32]) -> Result<bool> {
    let greatest = groups.iter().fold(0, |greatest: u32, &group| greatest.max(group)) as usize;
    if greatest > SPARSE * groups.len() {
        return Ok(false);
    }
    let mut last: CpuVec<u32> = cpu.allocate(greatest + 1)?;
    last.fill(NONE);
    for (i, &group) in groups.iter().enumerate() {
        let slot = &mut last[group as usize];
        let mut candidate = *slot;
        while candidate != NONE && keys[candidate as usize] > keys[i] {
            candidate = out[candidate as usize];
        }
        out[i] = candidate;
        *slot = i as u32;
    }
    Ok(true)
}
