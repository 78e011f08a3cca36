//! Weights that are added to the rows that they name.
//!
//! Blocks of rows have sums of their own, which are added to the result afterwards. Sums wrap, so their order does not
//! matter. Atomic additions were not chosen: one takes longer than three ordinary ones, and far longer if threads add to
//! the same rows.

use super::join::join;
use super::{Cpu, CpuVec};
use crate::{Backend, Result};

/// `out[index] += weight` with `(index, weight) = f(i)` for the `n` rows from `first` on; indices outside are skipped.
pub fn accumulate(
    cpu: &Cpu,
    out: &mut [u32],
    first: usize,
    n: usize,
    grain: usize,
    f: &(impl Fn(usize) -> (u32, u32) + Sync),
) -> Result<()> {
    if n <= grain {
        // Rows that are skipped add to sums of their own: branches would be unpredictable. There are several, since a sum that
        // was just written is slow to read.
        let mut skipped = [0u32; 8];
        for i in first..first + n {
            let (index, weight) = f(i);
            let sum = match out.get_mut(index as usize) {
                Some(sum) => sum,
                None => &mut skipped[i % 8],
            };
            *sum = sum.wrapping_add(weight);
        }
        return Ok(());
    }
    let middle = n / 2;
    let mut right: CpuVec<u32> = cpu.allocate(out.len())?;
    right.fill(0);
    let (done, done_right) = join(
        || accumulate(cpu, out, first, middle, grain, f),
        || accumulate(cpu, &mut right, first + middle, n - middle, grain, f),
    );
    done.and(done_right)?;
    for (sum, &more) in out.iter_mut().zip(&right[..]) {
        *sum = sum.wrapping_add(more);
    }
    Ok(())
}
