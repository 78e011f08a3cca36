//! Weights that are added to the rows that they name.
//!
//! Blocks of rows have sums of their own, which are added to the result afterwards. Sums wrap, so their order does not
//! matter. Atomic additions were not chosen: one takes longer than three ordinary ones, and far longer if threads add to
//! the same rows.

use super::block::{Block, Reader};
use super::join::join;
use super::{Cpu, CpuVec};
use crate::{Backend, Result};

/// Rows after which the loop changes if many of them are skipped.
const CHUNK: usize = 1024;

/// The weight 1 for each key.
#[derive(Clone, Copy)]
struct Ones<'a>(&'a [u32]);

impl Reader for Ones<'_> {
    type Row = (u32, u32);
    #[inline(always)]
    fn row(self, i: usize) -> (u32, u32) {
        (self.0[i], 1)
    }
    #[inline(always)]
    fn until(self, end: usize) -> Self {
        Ones(&self.0[..end])
    }
}

/// Counts keys: `out[key] += 1`. Keys outside are skipped.
pub fn count(cpu: &Cpu, out: &mut [u32], keys: &[u32], grain: usize) -> Result<()> {
    if keys.len() <= grain {
        add(out, Block::new(0..keys.len()), Ones(keys));
        return Ok(());
    }
    let (left, right) = keys.split_at(keys.len() / 2);
    let mut more: CpuVec<u32> = cpu.allocate(out.len())?;
    more.fill(0);
    let (done, done_right) = join(|| count(cpu, out, left, grain), || count(cpu, &mut more, right, grain));
    done.and(done_right)?;
    add_up(out, &more);
    Ok(())
}

/// `out[index] += weight` for each `(index, weight)` of `n` rows; indices outside are skipped.
pub fn accumulate(
    cpu: &Cpu,
    out: &mut [u32],
    n: usize,
    grain: usize,
    rows: impl Reader<Row = (u32, u32)>,
) -> Result<()> {
    share(cpu, out, n, grain, &|out, block| add(out, block, rows))
}

/// Adds the weights of a block.
type Adder<'a> = &'a (dyn Fn(&mut [u32], Block) + Sync);

fn share(cpu: &Cpu, out: &mut [u32], n: usize, grain: usize, adder: Adder<'_>) -> Result<()> {
    cpu.run(n, || in_blocks(cpu, out, 0, n, grain, adder))?
}

/// Runs `adder` on blocks of rows.
fn in_blocks(cpu: &Cpu, out: &mut [u32], first: usize, n: usize, grain: usize, adder: Adder<'_>) -> Result<()> {
    if n <= grain {
        adder(out, Block::new(first..first + n));
        return Ok(());
    }
    let middle = n / 2;
    let mut right: CpuVec<u32> = cpu.allocate(out.len())?;
    right.fill(0);
    let (done, done_right) = join(
        || in_blocks(cpu, out, first, middle, grain, adder),
        || in_blocks(cpu, &mut right, first + middle, n - middle, grain, adder),
    );
    done.and(done_right)?;
    add_up(out, &right);
    Ok(())
}

/// Adds the weights of a block. Most rows have an index inside, and a branch is then predictable.
fn add(out: &mut [u32], block: Block, rows: impl Reader<Row = (u32, u32)>) {
    let mut begin = block.first();
    while begin < block.end() {
        let chunk = Block::new(begin..block.end().min(begin + CHUNK));
        let mut skipped = 0;
        chunk.each(rows, |_, (index, weight)| match out.get_mut(index as usize) {
            Some(sum) => *sum = sum.wrapping_add(weight),
            None => skipped += 1,
        });
        begin = chunk.end();
        if skipped > chunk.rows() / 16 {
            break;
        }
    }
    add_inside(out, Block::new(begin..block.end()), rows);
}

/// [`add`], where many indices may be outside.
fn add_inside(out: &mut [u32], block: Block, rows: impl Reader<Row = (u32, u32)>) {
    // Rows that are skipped add to sums of their own: branches would be unpredictable. There are several, since a sum that
    // was just written is slow to read.
    let mut skipped = [0u32; 8];
    block.each(rows, |k, (index, weight)| {
        let sum = match out.get_mut(index as usize) {
            Some(sum) => sum,
            None => &mut skipped[k % 8],
        };
        *sum = sum.wrapping_add(weight);
    });
}

/// Adds the sums of another block.
fn add_up(out: &mut [u32], more: &[u32]) {
    for (sum, &more) in out.iter_mut().zip(more) {
        *sum = sum.wrapping_add(more);
    }
}
